//! How a compiled program shows a violation, if it does.
//!
//! What fails in a reproducer is a condition that the machine itself evaluates: an assertion of
//! the user, a check of gcc, a signal, or what the runtime knows about locks and handles. There
//! are violations that nothing of this notices, such as an index that leaves its array through a
//! pointer and meets the next variable. They have no reproducer, and this says so beforehand.

use super::NotReproducible;
use super::scan::tokens;
use rely_base::{Id, SourceMap};
use rely_evidence::Replay;
use rely_program::race::Racer;
use rely_program::{
    BinaryOp, Check, CheckId, CheckKind, Expr, Op, Program, Scope, Semantics, SlotId, SlotStatus, State,
    TraceStep, VarId, Violation,
};

/// How the compiled program shows the violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Symptom {
    /// It calls the function that reports a failed assertion, or an error function.
    Assertion,
    /// It does something undefined, which the compiler is told to watch.
    Undefined(&'static str),
    /// It calls a function of the library that cannot be called so.
    Misuse,
    /// All its threads wait.
    Deadlock,
    /// Threads wait for ever, and others may go on.
    Waiting,
    /// It goes round for ever.
    Endless,
    /// ThreadSanitizer reports it.
    Race,
}

/// Calls that are wrong in a state that the runtime knows.
const JUDGED_CALLS: [&str; 10] = [
    "pthread_mutex_unlock",
    "pthread_mutex_init",
    "pthread_mutex_destroy",
    "pthread_spin_unlock",
    "pthread_spin_init",
    "pthread_spin_destroy",
    "pthread_rwlock_unlock",
    "pthread_cond_wait",
    "pthread_join",
    "pthread_detach",
];

/// Calls in which the runtime sees a thread wait.
const WAITING_CALLS: [&str; 7] = [
    "pthread_join",
    "pthread_mutex_lock",
    "pthread_spin_lock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_cond_wait",
    "sem_wait",
];

/// Addresses below this one belong to no object on any machine.
const LOWEST_ADDRESS: i128 = 4096;

impl Symptom {
    pub(super) fn of(
        replay: &Replay,
        program: &Program,
        sources: &SourceMap,
    ) -> Result<Self, NotReproducible> {
        match replay.violation() {
            Violation::Deadlock => deadlock(replay, program, sources),
            Violation::Property(_) => Err(NotReproducible::NotAnAssertion),
            Violation::Race(racers) => race(racers, program, sources),
            Violation::Lasso(_) => Ok(Symptom::Endless),
            Violation::Check(id) => {
                let check = &program.checks()[id];
                match check.kind {
                    CheckKind::Assertion => Ok(Symptom::Assertion),
                    CheckKind::Arithmetic => Ok(Symptom::Undefined("shift-exponent,integer-divide-by-zero")),
                    CheckKind::Overflow if is_constant(replay, program, id) => {
                        Err(NotReproducible::Constant(check.message.clone()))
                    }
                    CheckKind::Overflow => Ok(Symptom::Undefined("signed-integer-overflow")),
                    CheckKind::Bounds => bounds(replay, program, sources, id),
                    CheckKind::Lifetime | CheckKind::Limit => Err(NotReproducible::NotAnAssertion),
                }
            }
        }
    }
}

/// The condition that fails, and the step in which it does.
fn failing<'r>(
    replay: &'r Replay,
    program: &'r Program,
    check: CheckId,
) -> Option<(&'r TraceStep, &'r Expr, &'r State)> {
    let (step, state) = (replay.trace().steps.last()?, replay.states().last()?);
    program.edges()[step.edge].ops.iter().find_map(|op| match op {
        Op::Check(condition, failed) if *failed == check => Some((step, condition, state)),
        _ => None,
    })
}

/// What is constant the compiler computes itself, and the program never does.
fn is_constant(replay: &Replay, program: &Program, check: CheckId) -> bool {
    failing(replay, program, check).is_some_and(|(_, condition, _)| *condition == Expr::Bool(false))
}

/// Bounds are those of memory and of what the library allows.
fn bounds(
    replay: &Replay,
    program: &Program,
    sources: &SourceMap,
    id: CheckId,
) -> Result<Symptom, NotReproducible> {
    let check = &program.checks()[id];
    let text = check.span.map_or("", |span| sources.text(span)).trim();
    let called = text.split('(').next().unwrap_or("").trim();
    if called.starts_with("pthread_") || called.starts_with("sem_") {
        let is_judged = JUDGED_CALLS.contains(&called);
        return if is_judged { Ok(Symptom::Misuse) } else { Err(invisible(check)) };
    }
    if let Some(object) = object_of_index(&check.message) {
        // gcc knows how many elements an array has, but not where a pointer points to.
        let before = check.span.and_then(|span| sources.file(span.file).text().get(..span.start as usize));
        let is_array = is_array_itself(text, object, before.unwrap_or(""));
        return if is_array { Ok(Symptom::Undefined("bounds-strict")) } else { Err(invisible(check)) };
    }
    let is_function = check.message.ends_with(" calls no function");
    let is_null = is_function || is_null(replay, program, text);
    if is_null { Ok(Symptom::Undefined("null")) } else { Err(invisible(check)) }
}

fn invisible(check: &Check) -> NotReproducible {
    NotReproducible::Invisible(check.message.clone())
}

/// The array of which an index is outside, as the message calls it.
fn object_of_index(message: &str) -> Option<&str> {
    let (_, rest) = message.strip_prefix("the index in `")?.split_once("` is outside of `")?;
    rest.split('`').next()
}

/// Whether what is indexed is called like the array, and is not a pointer of the same name. Arrays
/// of functions are called `function.array` where that is needed.
fn is_array_itself(text: &str, object: &str, before: &str) -> bool {
    let is_indexed =
        |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('['));
    let tokens = tokens(before);
    let function = enclosing_function(&tokens);
    let own_name = function.first().and_then(|name| object.strip_prefix(name)?.strip_prefix('.'));
    let Some(name) = [Some(object), own_name].into_iter().flatten().find(|name| is_indexed(name)) else {
        return false;
    };
    // A parameter is never an array, whatever it looks like.
    let parameters = function.iter().position(|token| *token == "{").unwrap_or(0);
    let is_parameter = function[..parameters].iter().skip(1).any(|token| *token == name);
    let is_pointer = function.windows(2).any(|pair| pair[0] == "*" && pair[1] == name);
    !is_parameter && !is_pointer
}

/// What stands between the name of a function and a place in it.
fn enclosing_function<'t, 's>(tokens: &'t [&'s str]) -> &'t [&'s str] {
    let (mut depth, mut start, mut is_inside) = (0_usize, 0, false);
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "(" if depth == 0 => start = at.saturating_sub(1),
            "{" if depth == 0 => is_inside = true,
            "}" if depth == 1 => is_inside = false,
            _ => {}
        }
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if is_inside { &tokens[start..] } else { &[] }
}

/// Whether an address that no object has is that of a null pointer, or of a member of what it
/// points to.
fn is_null(replay: &Replay, program: &Program, text: &str) -> bool {
    let (Some(step), Some(state)) = (replay.trace().steps.last(), replay.states().last()) else {
        return false;
    };
    let semantics = Semantics::new(program);
    let is_low = |address: &Expr| {
        let value = semantics.evaluate_for(state, step.slot, address);
        value.is_ok_and(|value| (0..LOWEST_ADDRESS).contains(&value))
    };
    let compared = compared_addresses(&program.edges()[step.edge].ops);
    if !compared.is_empty() {
        return compared.into_iter().all(is_low);
    }
    // A pointer that never points anywhere is compared with nothing.
    let pointer = last_temporary(replay, program, step).or_else(|| variable_at_start(program, step, text));
    pointer.is_some_and(|pointer| is_low(&Expr::Var(pointer)))
}

/// What conditions compare with constants: the address, with those of objects.
fn compared_addresses(ops: &[Op]) -> Vec<&Expr> {
    let mut addresses = Vec::new();
    for op in ops {
        let (Op::Assume(condition, _) | Op::Check(condition, _)) = op else { continue };
        condition.walk(&mut |part| {
            let Expr::Binary(
                BinaryOp::Eq | BinaryOp::Le | BinaryOp::Lt | BinaryOp::Ge | BinaryOp::Gt,
                operands,
            ) = part
            else {
                return;
            };
            if let [Expr::Int(_), address] | [address, Expr::Int(_)] = operands.as_slice() {
                addresses.push(address);
            }
        });
    }
    addresses
}

/// The value that a thread has read last in the statement of a step.
fn last_temporary(replay: &Replay, program: &Program, step: &TraceStep) -> Option<VarId> {
    let span = program.edges()[step.edge].span;
    let own = replay.trace().steps.iter().rev().filter(|other| other.slot == step.slot);
    let of_statement = own.take_while(|other| program.edges()[other.edge].span == span);
    of_statement.skip(1).flat_map(|step| program.edges()[step.edge].ops.iter().rev()).find_map(
        |op| match op {
            Op::Assign(assignments) => assignments.last().map(|(place, _)| place.var()),
            _ => None,
        },
    )
}

/// The variable that an expression such as `*p` or `p->next` begins with.
fn variable_at_start(program: &Program, step: &TraceStep, text: &str) -> Option<VarId> {
    let is_word = |token: &&&str| token.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let tokens = tokens(text);
    let name = tokens.iter().find(is_word)?;
    let thread = program.locations()[program.edges()[step.edge].source].thread;
    let is_called = |of: &str| of.rsplit('.').next() == Some(*name);
    let is_in_reach = |scope: Scope| scope == Scope::Global || scope == Scope::Local(thread);
    let mut variables = program.vars().iter();
    variables.find(|(_, var)| is_called(&var.name) && is_in_reach(var.scope)).map(|(id, _)| id)
}

/// A data race shows if the compiler or the library tells ThreadSanitizer of both accesses.
fn race(racers: [Racer; 2], program: &Program, sources: &SourceMap) -> Result<Symptom, NotReproducible> {
    let creates = |racer: &&Racer| {
        let ops = program.edges().get(racer.edge).map_or(&[][..], |edge| &edge.ops);
        ops.iter().any(|op| matches!(op, Op::Spawn { .. }))
    };
    match racers.iter().find(creates).and_then(|racer| program.edges()[racer.edge].span) {
        Some(span) => Err(NotReproducible::UnseenAccess(sources.text(span).trim().to_owned())),
        None => Ok(Symptom::Race),
    }
}

/// A deadlock shows if each thread that waits for ever does so in a call that the runtime knows.
fn deadlock(replay: &Replay, program: &Program, sources: &SourceMap) -> Result<Symptom, NotReproducible> {
    let Some(last) = replay.states().last() else { return Ok(Symptom::Deadlock) };
    let semantics = Semantics::new(program);
    let running = || last.slots().filter(|&slot| semantics.status(last, slot) == SlotStatus::Running);
    for &slot in replay.stuck() {
        let edge = last.location(slot).and_then(|at| program.outgoing(at).first().copied());
        let span = edge.and_then(|edge| program.edges()[edge].span);
        let text = span.map_or("", |span| sources.text(span));
        if !WAITING_CALLS.iter().any(|call| text.contains(call)) {
            return Err(NotReproducible::WaitsOtherwise(text.trim().to_owned()));
        }
        // The library does not let threads wait for themselves or for each other's end.
        let joined = |slot| joined_by(program, &semantics, last, slot);
        if joined(slot).is_some_and(|other| other == slot || joined(other) == Some(slot)) {
            return Err(NotReproducible::WaitsOtherwise(text.trim().to_owned()));
        }
    }
    let all_wait = running().all(|slot| replay.stuck().contains(&slot));
    Ok(if all_wait { Symptom::Deadlock } else { Symptom::Waiting })
}

/// The thread for whose end a thread waits.
fn joined_by(program: &Program, semantics: &Semantics<'_>, state: &State, slot: SlotId) -> Option<SlotId> {
    let edge = *program.outgoing(state.location(slot)?).first()?;
    let handle = program.edges()[edge].ops.iter().find_map(|op| match op {
        Op::Join(handle) => Some(handle),
        _ => None,
    })?;
    let handle = semantics.evaluate_for(state, slot, handle).ok()?;
    state.slots().find(|slot| slot.index() as i128 + 1 == handle)
}
