//! What the edges do.
//!
//! In front of each use of an expression stand the checks that it is defined.

use super::{Quoted, Symbol, Translator, Variable, Viewer, size, sort};
use crate::ast::{BaseType, Expr, Name, Range, Simple, Target};
use crate::flow::Action;
use rely_base::{Diagnostic, Span};
use rely_program::{Check, CheckId, CheckKind, Domain, Expr as Term, Op, Place, Value, definedness};

/// A variable or cell that a statement changes.
struct Destination {
    place: Place,
    variable: Variable,
}

/// Whether a step ends the program.
pub(super) fn halts(ops: &[Op]) -> bool {
    ops.last() == Some(&Op::Halt)
}

impl<'a> Translator<'a> {
    /// What an edge does; `None` if it can never be taken or something is wrong with it.
    ///
    /// Where it halts the program, the step ends: what is written behind that is read for mistakes
    /// and never happens.
    pub(super) fn operations(&mut self, copy: usize, edge: usize) -> Option<Vec<Op>> {
        let agent = self.copies[copy].agent;
        let flow = &self.agents[agent].flow;
        let ends_thread = flow.edges[edge].target == flow.exit;
        let mut ops = Vec::new();
        for action in flow.edges[edge].actions.clone() {
            if halts(&ops) {
                self.action(copy, action, &mut Vec::new())?;
            } else if !self.action(copy, action, &mut ops)? {
                return None;
            }
        }
        if halts(&ops) {
            return Some(ops);
        }
        if let (true, Some(counter)) = (ends_thread, self.ended_counters.get(&agent)) {
            let one_more = Term::var(*counter).add(Term::int(1));
            ops.push(Op::assign(Place::Scalar(*counter), one_more));
        }
        Some(ops)
    }

    /// Appends what an action does; `Some(false)` if it can never happen.
    fn action(&mut self, copy: usize, action: Action<'a>, ops: &mut Vec<Op>) -> Option<bool> {
        let viewer = Viewer::Copy(copy);
        match action {
            Action::Test(condition, value) => {
                let term = self.defined(condition, BaseType::Bool, viewer, ops)?;
                match if value { term } else { term.negate() } {
                    Term::Bool(known) => return Some(known),
                    term => ops.push(Op::wait(term)),
                }
            }
            Action::LoopInvariant(condition) => {
                let term = self.defined(condition, BaseType::Bool, viewer, ops)?;
                let message =
                    format!("the loop invariant `{}` does not hold", self.excerpt(Quoted::Expr(condition)));
                let check = self.check(CheckKind::Assertion, message, condition.span);
                ops.push(Op::Check(term, check));
            }
            Action::Await(condition) => {
                let term = self.defined(condition, BaseType::Bool, viewer, ops)?;
                ops.push(Op::wait(term));
            }
            Action::Simple(simple, span) => self.simple(copy, simple, span, ops)?,
        }
        Some(true)
    }

    fn simple(&mut self, copy: usize, simple: &'a Simple, span: Span, ops: &mut Vec<Op>) -> Option<()> {
        let viewer = Viewer::Copy(copy);
        match simple {
            Simple::Skip => {}
            Simple::Halt => ops.push(Op::Halt),
            Simple::Assign { targets, values } => self.assign(targets, values, viewer, ops)?,
            Simple::Havoc { target, range, .. } => self.havoc(target, range.as_deref(), viewer, ops)?,
            Simple::Assume(condition) => {
                let term = self.defined(condition, BaseType::Bool, viewer, ops)?;
                ops.push(Op::assume(term));
            }
            Simple::Assert(condition) => {
                let term = self.defined(condition, BaseType::Bool, viewer, ops)?;
                let message = format!("assertion `{}` fails", self.excerpt(Quoted::Expr(condition)));
                let check = self.check(CheckKind::Assertion, message, span);
                ops.push(Op::Check(term, check));
            }
            Simple::Await(condition) | Simple::Guard(condition) => {
                let term = self.defined(condition, BaseType::Bool, viewer, ops)?;
                if term != Term::Bool(true) {
                    ops.push(Op::wait(term));
                }
            }
            Simple::Lock(target) => {
                let place = self.mutex(target, viewer, ops)?;
                ops.push(Op::wait(place.read().eq(Term::int(0))));
                ops.push(Op::assign(place, Term::This));
            }
            Simple::Unlock(target) => {
                let place = self.mutex(target, viewer, ops)?;
                let message = format!(
                    "`{}` is unlocked by a thread that does not hold it",
                    self.excerpt(Quoted::Target(target))
                );
                let check = self.check(CheckKind::Assertion, message, span);
                ops.push(Op::Check(place.read().eq(Term::This), check));
                ops.push(Op::assign(place, Term::int(0)));
            }
            Simple::Join(target) => self.join(target, span, viewer, ops)?,
            Simple::Spawn { handle, process, arguments } => {
                self.spawn(copy, (handle.as_ref(), process, arguments), span, ops)?;
            }
        }
        Some(())
    }

    // Expressions and places, with the checks they need.

    /// The expression, after the checks that it is defined.
    fn defined(&mut self, expr: &Expr, ty: BaseType, viewer: Viewer, ops: &mut Vec<Op>) -> Option<Term> {
        let term = self.expect(expr, ty, viewer)?;
        self.check_defined(&term, Quoted::Expr(expr), ops)?;
        Some(term)
    }

    fn check_defined(&mut self, term: &Term, source: Quoted<'_>, ops: &mut Vec<Op>) -> Option<()> {
        let span = source.span();
        self.charge(definedness_cost(term).nodes, span)?;
        let conditions = definedness(self.builder.program(), term);
        if conditions.is_empty() {
            return Some(());
        }
        let excerpt = self.excerpt(source);
        for (kind, condition) in conditions {
            let message = match kind {
                CheckKind::Bounds => format!("an index in `{excerpt}` is out of bounds"),
                _ => format!("`{excerpt}` divides by zero or shifts by an impossible amount"),
            };
            let check = self.check(kind, message, span);
            ops.push(Op::Check(condition, check));
        }
        Some(())
    }

    fn check(&mut self, kind: CheckKind, message: String, span: Span) -> CheckId {
        if let Some(check) = self.checks.get(&(span, message.clone())) {
            return *check;
        }
        let check = self.builder.check(Check { kind, message: message.clone(), span: Some(span) });
        self.checks.insert((span, message), check);
        check
    }

    /// A variable or cell that is changed or looked at.
    fn destination(&mut self, target: &Target, viewer: Viewer) -> Option<Destination> {
        let variable = self.variable(&target.name, viewer)?;
        let place = match (&target.index, variable.length) {
            (None, None) => Place::Scalar(variable.id),
            (Some(index), Some(_)) => Place::Element(variable.id, self.expect(index, BaseType::Int, viewer)?),
            (Some(_), None) => return self.no_array(&target.name),
            (None, Some(_)) => {
                let error = Diagnostic::error(format!("`{}` is an array", target.name.text))
                    .at(target.span, "which of its cells?")
                    .help(format!("write `{}[...]`", target.name.text));
                self.error(error);
                return None;
            }
        };
        Some(Destination { place, variable })
    }

    /// Like [`destination`](Self::destination), of something to which values can be assigned.
    fn assignable(&mut self, target: &Target, viewer: Viewer, ops: &mut Vec<Op>) -> Option<Destination> {
        let destination = self.destination(target, viewer)?;
        if destination.variable.ty == BaseType::Mutex {
            let error = Diagnostic::error(format!("`{}` is a mutex", target.name.text))
                .at(target.span, "cannot be assigned to")
                .help("use `lock(...)` and `unlock(...)`");
            self.error(error);
            return None;
        }
        self.check_place(&destination.place, target, ops)?;
        Some(destination)
    }

    fn check_place(&mut self, place: &Place, target: &Target, ops: &mut Vec<Op>) -> Option<()> {
        if let Place::Element(..) = place {
            self.check_defined(&place.read(), Quoted::Target(target), ops)?;
        }
        Some(())
    }

    fn mutex(&mut self, target: &Target, viewer: Viewer, ops: &mut Vec<Op>) -> Option<Place> {
        let Destination { place, variable } = self.destination(target, viewer)?;
        if variable.ty != BaseType::Mutex {
            let error = Diagnostic::error(format!("`{}` is not a mutex", target.name.text))
                .at(target.span, "cannot be locked")
                .help("mutexes are declared as in `var m: mutex;`");
            self.error(error);
            return None;
        }
        self.check_place(&place, target, ops)?;
        Some(place)
    }

    // Statements.

    fn assign(
        &mut self,
        targets: &[Target],
        values: &[Expr],
        viewer: Viewer,
        ops: &mut Vec<Op>,
    ) -> Option<()> {
        let mut assignments: Vec<(Place, Term)> = Vec::new();
        let mut correct = true;
        for (target, value) in targets.iter().zip(values) {
            let destination = self.assignable(target, viewer, ops);
            let found = self.expression(value, viewer);
            let (Some(Destination { place, variable }), Some(found)) = (destination, found) else {
                correct = false;
                continue;
            };
            if found.ty != variable.ty {
                self.assignment_mismatch(target, &variable, value, found.ty);
                correct = false;
                continue;
            }
            self.check_defined(&found.value, Quoted::Expr(value), ops)?;
            self.check_range(&found.value, &variable, &target.name, value.span, ops);
            if let Place::Scalar(_) = place
                && assignments.iter().any(|(earlier, _)| *earlier == place)
            {
                let error =
                    Diagnostic::error(format!("`{}` is assigned twice in one assignment", target.name.text));
                self.error(error.at(target.span, "the second time"));
                correct = false;
            }
            assignments.push((place, found.value));
        }
        ops.push(Op::Assign(assignments));
        correct.then_some(())
    }

    fn assignment_mismatch(&mut self, target: &Target, variable: &Variable, value: &Expr, found: BaseType) {
        let error = Diagnostic::error(format!(
            "`{}` is {}, but this is {}",
            target.name.text,
            super::type_name(variable.ty),
            super::type_name(found)
        ))
        .at(value.span, format!("this is {}", super::type_name(found)));
        let declared = self.builder.program().vars()[variable.id].span;
        self.error(match declared {
            Some(declared) => error.see(declared, format!("declared as {}", super::type_name(variable.ty))),
            None => error,
        });
    }

    /// A variable that is declared with a range never leaves it.
    fn check_range(&mut self, value: &Term, variable: &Variable, name: &Name, span: Span, ops: &mut Vec<Op>) {
        let Some((low, high)) = variable.range else { return };
        if let Term::Int(value) = value
            && (low..=high).contains(value)
        {
            return;
        }
        let message = format!("`{}` leaves its range {low}..{high}", name.text);
        let check = self.check(CheckKind::Assertion, message, span);
        ops.push(Op::Check(value.clone().between(low, high), check));
    }

    fn havoc(
        &mut self,
        target: &Target,
        range: Option<&Range>,
        viewer: Viewer,
        ops: &mut Vec<Op>,
    ) -> Option<()> {
        let Destination { place, variable } = self.assignable(target, viewer, ops)?;
        if variable.ty == BaseType::Thread {
            let error = Diagnostic::error(format!("`{}` is a thread variable", target.name.text));
            self.error(error.at(target.span, "it cannot have any value"));
            return None;
        }
        let domain = match range {
            Some(range) => self.havoc_range(&variable, target, range, viewer)?,
            None => match variable.range {
                Some((low, high)) => Domain::Range { low, high },
                None => Domain::of(sort(variable.ty)),
            },
        };
        ops.push(Op::Havoc(place, domain));
        Some(())
    }

    fn havoc_range(
        &mut self,
        variable: &Variable,
        target: &Target,
        range: &Range,
        viewer: Viewer,
    ) -> Option<Domain> {
        let me = self.number(viewer);
        let (low, high): (Value, Value) =
            (self.constant_int(&range.low, me)?, self.constant_int(&range.high, me)?);
        let span = range.low.span.to(range.high.span);
        if variable.ty != BaseType::Int {
            let error = Diagnostic::error(format!("`{}` is not an int", target.name.text));
            self.error(error.at(span, "a range of integers"));
            return None;
        }
        if low > high {
            self.error(Diagnostic::error("a range is empty").at(span, format!("{low} is more than {high}")));
            return None;
        }
        if let Some((least, most)) = variable.range
            && (low < least || high > most)
        {
            let error = Diagnostic::error(format!("`{}` cannot have all these values", target.name.text));
            self.error(error.at(span, format!("its range is {least}..{most}")));
            return None;
        }
        Some(Domain::Range { low, high })
    }

    /// `join t;` waits for one thread, `join P;` for any thread of the process.
    fn join(&mut self, target: &Target, span: Span, viewer: Viewer, ops: &mut Vec<Op>) -> Option<()> {
        if let Some((Symbol::Agent(agent), _)) = self.names.get(target.name.text.as_str()) {
            return self.join_agent(*agent, target, ops);
        }
        let Destination { place, variable } = self.destination(target, viewer)?;
        if variable.ty != BaseType::Thread {
            let error = Diagnostic::error(format!("`{}` is not a thread", target.name.text))
                .at(target.span, "cannot be joined")
                .help("handles are declared as in `local t: thread;` and set by `t := spawn P;`");
            self.error(error);
            return None;
        }
        self.check_place(&place, target, ops)?;
        let message = format!("`{}` holds no thread to join", self.excerpt(Quoted::Target(target)));
        let check = self.check(CheckKind::Assertion, message, span);
        ops.push(Op::Check(place.read().ne(Term::int(0)), check));
        ops.push(Op::Join(place.read()));
        Some(())
    }

    fn join_agent(&mut self, agent: usize, target: &Target, ops: &mut Vec<Op>) -> Option<()> {
        if let Some(counter) = self.ended_counters.get(&agent) {
            let ended = Term::var(*counter);
            ops.push(Op::wait(ended.clone().ge(Term::int(1))));
            ops.push(Op::assign(Place::Scalar(*counter), ended.sub(Term::int(1))));
            return Some(());
        }
        let error = Diagnostic::error(format!("`{}` is not a process", target.name.text))
            .at(target.span, "cannot be joined")
            .help("wait for a `thread` by `await` and a variable, or declare it as a process and spawn it");
        self.error(error);
        None
    }

    fn spawn(
        &mut self,
        copy: usize,
        (handle, process, arguments): (Option<&Target>, &Name, &[Expr]),
        span: Span,
        ops: &mut Vec<Op>,
    ) -> Option<()> {
        let viewer = Viewer::Copy(copy);
        let agent = self.process(process)?;
        self.check_argument_count(agent, process, arguments.len())?;
        let spawned = *self.copies[copy].spawns.get(&span)?;
        let parameters = self.agents[agent].parameters;
        let mut terms = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let term = self.defined(argument, parameter.ty.base, viewer, ops)?;
            let variable = self.copies[spawned].locals.get(&parameter.name.text).copied()?;
            self.check_range(&term, &variable, &parameter.name, argument.span, ops);
            terms.push(term);
        }
        let handle = match handle {
            None => None,
            Some(target) => {
                let Destination { place, variable } = self.assignable(target, viewer, ops)?;
                if variable.ty != BaseType::Thread {
                    let error = Diagnostic::error(format!("`{}` cannot hold a thread", target.name.text))
                        .at(target.span, format!("this is {}", super::type_name(variable.ty)))
                        .help("handles are declared as in `local t: thread;`");
                    self.error(error);
                    return None;
                }
                Some(place)
            }
        };
        ops.push(Op::Spawn { thread: self.copies[spawned].thread, arguments: terms, handle });
        Some(())
    }
}

/// How large the conditions are under which an expression is defined.
struct DefinednessCost {
    conditions: usize,
    nodes: usize,
}

/// An upper bound, computed before the conditions themselves are: operands of connectives
/// are copied into them, which can make them large.
fn definedness_cost(term: &Term) -> DefinednessCost {
    let mut total = DefinednessCost { conditions: 0, nodes: 0 };
    let guard_size = match term {
        Term::Binary(op, operands) if op.is_connective() => size(&operands[0]),
        Term::Ite(parts) => size(&parts[0]),
        _ => 0,
    };
    for child in term.children() {
        let part = definedness_cost(child);
        total.conditions += part.conditions;
        total.nodes = total.nodes.saturating_add(part.nodes + part.conditions * (guard_size + 2));
    }
    if let Term::Element(..) | Term::Binary(..) = term {
        let own = match term {
            Term::Binary(op, _) if op.is_comparison() || op.is_connective() => 0,
            _ => 1,
        };
        total.conditions += own;
        total.nodes = total.nodes.saturating_add(own * (2 * size(term) + 6));
    }
    total
}
