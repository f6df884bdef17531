//! What other threads notice of a trace, and the order in which it happens.
//!
//! Of the steps of a trace only those matter for the schedule that access memory which several
//! threads know, start a thread or wait for the end of one. What one thread does between two
//! such steps of others is one turn.

use super::NotReproducible;
use super::scan::Names;
use crate::interleaving::{statement, thread_name};
use rely_base::{Id, SourceMap};
use rely_evidence::Replay;
use rely_program::race::{self, Race, Racer};
use rely_program::{
    Expr, Op, Place, Program, Scope, Semantics, SlotId, SlotStatus, State, ThreadKind, TraceStep, VarId,
    Violation,
};
use std::collections::BTreeMap;

/// What the front end makes of a barrier, which is one object for C.
const PARTS_OF_BARRIERS: [&str; 4] = ["count", "arrived", "round", "chosen"];

/// The same for a condition variable.
const PARTS_OF_CONDITIONS: [&str; 2] = ["waiters", "wakeups"];

/// The schedule of a reproducer.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) variables: Vec<Variable>,
    pub(super) steps: Vec<Step>,
    /// The two accesses that race, behind all steps.
    pub(super) race: Vec<Step>,
    pub(super) threads: Vec<ThreadPlan>,
    /// Behind which step of the trace a loop begins, in a run that never ends.
    stem: Option<usize>,
}

/// A thread of the run.
#[derive(Debug)]
pub(super) struct ThreadPlan {
    pub(super) slot: SlotId,
    pub(super) name: String,
    pub(super) has_ended: bool,
    /// Whether it waits for ever in the end.
    pub(super) waits: bool,
    /// Whether it moves in the loop of a run that never ends.
    pub(super) loops: bool,
    /// The lines of what it would do next.
    pub(super) next: Option<(u32, u32)>,
}

/// A global of the program.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) id: VarId,
    pub(super) name: String,
    pub(super) place: CPlace,
    /// Whether more than one thread uses it.
    pub(super) is_shared: bool,
    /// Whether it says which allocated objects are in use, and how large they are: no memory of the C program.
    is_bookkeeping: bool,
}

impl Variable {
    /// Whether it may lie in the frame of a function.
    pub(super) fn may_be_on_stack(&self) -> bool {
        self.place == CPlace::Nameless && !self.name.starts_with("heap")
    }
}

/// Whether a statement is nothing but the name of a variable, perhaps behind `(void)`.
fn is_discarded(statement: &str) -> bool {
    let Some(value) = statement.trim().strip_suffix(';') else { return false };
    let value = value.trim().trim_start_matches("(void)").trim();
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    !value.is_empty() && value.chars().all(is_part) && value != "return"
}

/// How C calls the memory of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CPlace {
    /// By this expression, which has so many elements.
    Exact(String, usize),
    /// It lies somewhere in this object.
    Inside(String),
    /// By no name that is known outside of functions: allocated, or local to one.
    Nameless,
}

/// A step that others can notice.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) slot: SlotId,
    /// Which step of the trace it is.
    pub(super) index: usize,
    pub(super) kind: StepKind,
    pub(super) turn: usize,
    pub(super) line: u32,
    pub(super) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    Access(Vec<Access>),
    Create(SlotId),
    Join,
    /// The access with which a thread takes part in a data race.
    Race(Access),
}

/// A use of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// The index in [`Plan::variables`].
    pub(super) variable: usize,
    /// Which element, if that is known and there are several.
    pub(super) element: Option<u64>,
    pub(super) reads: bool,
    pub(super) writes: bool,
}

impl Plan {
    pub(super) fn of(replay: &Replay, program: &Program, sources: &SourceMap, names: &Names) -> Self {
        let semantics = Semantics::new(program);
        let last = replay.states().last().expect("a replay has an initial state");
        let stem = stem(replay);
        let around = &replay.trace().steps[stem.unwrap_or(replay.trace().steps.len())..];
        let threads = last.slots().map(|slot| ThreadPlan {
            slot,
            waits: replay.stuck().contains(&slot),
            loops: around.iter().any(|step| step.slot == slot),
            name: thread_name(program, last, slot),
            has_ended: semantics.status(last, slot) == SlotStatus::Ended,
            next: next_lines(program, sources, last, slot),
        });
        let threads = threads.collect();
        let variables = variables(program, names);
        let planner = Planner { program, sources, semantics, replay, variables: &variables };
        let steps = planner.steps();
        let race = planner.race(steps.last().map_or(0, |step| step.turn + 1));
        Self { variables, steps, race, threads, stem }
    }

    /// All steps, those of a race included.
    pub(super) fn all_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().chain(&self.race)
    }

    /// Whether gcc makes the accesses of a race, and the runtime recognizes them.
    pub(super) fn check_race(&self) -> Result<(), NotReproducible> {
        for step in &self.race {
            let StepKind::Race(access) = &step.kind else { continue };
            if access.reads && is_discarded(&step.text) {
                return Err(NotReproducible::Unused(step.text.clone()));
            }
        }
        Ok(())
    }

    /// The first turn of the loop of a run that never ends; behind all turns if there is none, or nobody notices it.
    pub(super) fn loop_turn(&self) -> usize {
        let first = self.steps.iter().find(|step| self.stem.is_some_and(|stem| step.index >= stem));
        first.map_or_else(|| self.turns(), |step| step.turn)
    }

    /// How many turns there are.
    pub(super) fn turns(&self) -> usize {
        self.all_steps().last().map_or(0, |step| step.turn + 1)
    }
}

/// How many steps of a trace come before the loop at its end, if it has one.
pub(super) fn stem(replay: &Replay) -> Option<usize> {
    match replay.violation() {
        Violation::Lasso(around) => Some(replay.trace().steps.len() - around),
        _ => None,
    }
}

fn next_lines(program: &Program, sources: &SourceMap, state: &State, slot: SlotId) -> Option<(u32, u32)> {
    let edge = *program.outgoing(state.location(slot)?).first()?;
    let (place, _) = statement(program, sources, edge);
    place.map(|place| (place.line, place.end_line))
}

fn variables(program: &Program, names: &Names) -> Vec<Variable> {
    let mut users: BTreeMap<VarId, Vec<rely_program::ThreadId>> = BTreeMap::new();
    for edge in program.edges().values() {
        let thread = program.locations()[edge.source].thread;
        for op in &edge.ops {
            visit_accesses(op, &mut |var, _, _| users.entry(var).or_default().push(thread));
        }
    }
    let is_shared = |var: VarId| {
        let users = users.get(&var).map_or(&[][..], Vec::as_slice);
        users.iter().any(|&user| user != users[0] || program.threads()[user].kind == ThreadKind::Template)
    };
    let globals = || program.vars().iter().filter(|(_, var)| var.scope == Scope::Global);
    // What the program cannot name, such as the kind of a mutex, lies in what it can.
    let is_in_other = |name: &str| {
        let is_known = |name: &str| globals().any(|(_, var)| var.name == name);
        let has_parts =
            |whole: &str, parts: &[&str]| parts.iter().all(|part| is_known(&format!("{whole}.{part}")));
        let is_barrier =
            |whole: &str| has_parts(whole, &PARTS_OF_BARRIERS) || has_parts(whole, &PARTS_OF_CONDITIONS);
        let whole = name.rsplit_once('.').map(|(whole, _)| whole);
        whole.filter(|whole| is_known(whole) || is_barrier(whole)).map(str::to_owned)
    };
    globals()
        .map(|(id, var)| Variable {
            id,
            name: var.name.clone(),
            place: match is_in_other(&var.name) {
                Some(whole) => match c_place(&whole, var.length.map(|_| var.cells()), names) {
                    CPlace::Exact(lvalue, _) => CPlace::Inside(lvalue),
                    other => other,
                },
                None => c_place(&var.name, var.length.map(|_| var.cells()), names),
            },
            is_shared: is_shared(id),
            is_bookkeeping: var.atomic && var.length.is_some() && is_bookkeeping(&var.name),
        })
        .collect()
}

/// Whether the front end calls the states or sizes of allocated objects so; others of these names have a number.
fn is_bookkeeping(name: &str) -> bool {
    matches!(name.split('#').next(), Some("heap.state" | "heap.size"))
}

/// Variables are called like the lvalues of C, without the indices in between. Bit-fields that share memory have a name
/// together, with `+` in between.
fn c_place(name: &str, length: Option<usize>, names: &Names) -> CPlace {
    let (object, path) = name.split_once('.').map_or((name, None), |(object, path)| (object, Some(path)));
    let is_plain = name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '+'));
    let is_exact = |path: &str| length.is_none() && !path.contains('+');
    match (is_plain && names.is_variable(object), length, path) {
        (false, _, _) => CPlace::Nameless,
        (true, _, Some(path)) if !is_exact(path) => CPlace::Inside(object.to_owned()),
        (true, length, _) => CPlace::Exact(name.to_owned(), length.unwrap_or(1)),
    }
}

/// Calls `visit` with the variable, the index and whether it is written, in the order of C.
pub(super) fn visit_accesses<'p>(op: &'p Op, visit: &mut dyn FnMut(VarId, Option<&'p Expr>, bool)) {
    match op {
        Op::Assume(condition, _) | Op::Check(condition, _) => visit_reads(condition, visit),
        Op::Assign(assignments) => {
            for (place, value) in assignments {
                visit_reads(value, visit);
                visit_index(place, visit);
            }
            assignments.iter().for_each(|(place, _)| visit_write(place, visit));
        }
        Op::Havoc(place, _) => {
            visit_index(place, visit);
            visit_write(place, visit);
        }
        Op::Spawn { arguments, handle, .. } => {
            arguments.iter().for_each(|argument| visit_reads(argument, visit));
            if let Some(place) = handle {
                visit_index(place, visit);
                visit_write(place, visit);
            }
        }
        Op::Join(handle) => visit_reads(handle, visit),
        Op::Halt => {}
    }
}

fn visit_reads<'p>(expr: &'p Expr, visit: &mut dyn FnMut(VarId, Option<&'p Expr>, bool)) {
    expr.walk(&mut |part| match part {
        Expr::Var(var) => visit(*var, None, false),
        Expr::Element(var, index) => visit(*var, Some(&**index), false),
        _ => {}
    });
}

fn visit_index<'p>(place: &'p Place, visit: &mut dyn FnMut(VarId, Option<&'p Expr>, bool)) {
    if let Place::Element(_, index) = place {
        visit_reads(index, visit);
    }
}

fn visit_write<'p>(place: &'p Place, visit: &mut dyn FnMut(VarId, Option<&'p Expr>, bool)) {
    match place {
        Place::Scalar(var) => visit(*var, None, true),
        Place::Element(var, index) => visit(*var, Some(index), true),
    }
}

struct Planner<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    semantics: Semantics<'a>,
    replay: &'a Replay,
    variables: &'a [Variable],
}

impl Planner<'_> {
    fn steps(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut is_in_block = false;
        for (index, step) in self.replay.trace().steps.iter().enumerate() {
            for kind in self.kinds(index, step) {
                match (is_in_block, steps.last_mut(), kind) {
                    // What happens in an atomic block is one step for the others.
                    (true, Some(Step { kind: StepKind::Access(block), .. }), StepKind::Access(more)) => {
                        more.into_iter().for_each(|access| join(block, access));
                    }
                    (_, last, kind) => {
                        let is_new = |last: &mut Step| {
                            let begins = |stem| last.index < stem && index >= stem;
                            last.slot != step.slot || stem(self.replay).is_some_and(begins)
                        };
                        let turn = last.map_or(0, |last| last.turn + usize::from(is_new(last)));
                        steps.push(self.step(index, kind, turn));
                        is_in_block = self.is_atomic(step);
                    }
                }
            }
            is_in_block &= self.is_atomic(step);
        }
        steps
    }

    fn is_atomic(&self, step: &TraceStep) -> bool {
        self.program.locations()[self.program.edges()[step.edge].target].atomic
    }

    fn step(&self, index: usize, kind: StepKind, turn: usize) -> Step {
        let step = &self.replay.trace().steps[index];
        let (place, text) = statement(self.program, self.sources, step.edge);
        Step { slot: step.slot, index, kind, turn, line: place.map_or(0, |place| place.line), text }
    }

    /// The two accesses of a data race, one after the other.
    fn race(&self, turn: usize) -> Vec<Step> {
        let (Violation::Race(racers), Some(last)) = (self.replay.violation(), self.replay.states().last())
        else {
            return Vec::new();
        };
        let Ok(Some(race)) = Race::of(&self.semantics, last, racers) else { return Vec::new() };
        let step = |(place, (racer, access)): (usize, (Racer, race::Access))| {
            let variable = self.variables.iter().position(|known| known.id == access.var)?;
            let element = race.cell.map_or(Some(0), |cell| u64::try_from(cell).ok());
            let access = Access { variable, element, reads: !access.is_write, writes: access.is_write };
            let (source, text) = statement(self.program, self.sources, racer.edge);
            Some(Step {
                slot: racer.slot,
                index: self.replay.trace().steps.len(),
                kind: StepKind::Race(access),
                turn: turn + place,
                line: source.map_or(0, |source| source.line),
                text,
            })
        };
        let mut both: Vec<_> = racers.into_iter().zip(race.accesses.clone()).collect();
        // Memory that was freed before is something else to ThreadSanitizer.
        both.sort_by_key(|(racer, _)| {
            let (_, text) = statement(self.program, self.sources, racer.edge);
            text.starts_with("free") || text.contains("realloc(")
        });
        both.into_iter().enumerate().filter_map(step).collect()
    }

    /// What a step of the trace is in the schedule, often nothing.
    fn kinds(&self, index: usize, step: &TraceStep) -> Vec<StepKind> {
        let ops = self.executed(index, &self.program.edges()[step.edge].ops);
        let before = &self.replay.states()[index];
        for op in ops {
            match op {
                Op::Spawn { .. } => {
                    let created =
                        self.replay.states().get(index + 1).and_then(|after| self.created(before, after));
                    return created.map(StepKind::Create).into_iter().collect();
                }
                Op::Join(_) => return vec![StepKind::Join],
                _ => {}
            }
        }
        let mut accesses = self.accesses(before, step, ops);
        accesses.retain(|access| !self.variables[access.variable].is_bookkeeping);
        let (shared, own): (Vec<Access>, Vec<Access>) =
            accesses.into_iter().partition(|access| self.variables[access.variable].is_shared);
        // What has no name is recognized by the order of its accesses, so none is left out.
        let own = own.into_iter().filter(|access| self.variables[access.variable].place == CPlace::Nameless);
        let own = own.map(|access| StepKind::Access(vec![access]));
        let shared = (!shared.is_empty()).then_some(StepKind::Access(shared));
        own.chain(shared).collect()
    }

    /// The operations up to the check that fails.
    fn executed<'p>(&self, index: usize, ops: &'p [Op]) -> &'p [Op] {
        let is_last = index + 1 == self.replay.trace().steps.len();
        let failing = ops.iter().position(
            |op| matches!(op, Op::Check(_, check) if Violation::Check(*check) == self.replay.violation()),
        );
        match failing {
            Some(at) if is_last => &ops[..=at],
            _ => ops,
        }
    }

    fn created(&self, before: &State, after: &State) -> Option<SlotId> {
        let runs = |state: &State, slot: SlotId| {
            slot.index() < state.slots().len() && self.semantics.status(state, slot) != SlotStatus::NotStarted
        };
        after.slots().find(|&slot| runs(after, slot) && !runs(before, slot))
    }

    fn accesses(&self, before: &State, step: &TraceStep, ops: &[Op]) -> Vec<Access> {
        let mut accesses = Vec::new();
        for op in ops {
            visit_accesses(op, &mut |var, index, writes| {
                let Some(variable) = self.variables.iter().position(|known| known.id == var) else { return };
                let element = index
                    .and_then(|index| self.semantics.evaluate_for(before, step.slot, index).ok())
                    .and_then(|index| u64::try_from(index).ok());
                let element = if index.is_none() { Some(0) } else { element };
                join(&mut accesses, Access { variable, element, reads: !writes, writes });
            });
        }
        accesses
    }
}

/// Adds an access to those of a step.
fn join(accesses: &mut Vec<Access>, access: Access) {
    let same = |known: &&mut Access| known.variable == access.variable && known.element == access.element;
    match accesses.iter_mut().find(same) {
        Some(known) => {
            known.reads |= access.reads;
            known.writes |= access.writes;
        }
        None => accesses.push(access),
    }
}
