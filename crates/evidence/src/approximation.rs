//! Whether a run depends on what the front end has only approximated.
//!
//! Where the value of something is not known, a front end lets a variable have any value. That is sound for proofs. A
//! run is another matter: it chooses one of these values, and the source may have another one. If no
//! condition or check along the run is computed from such a value, then the run is one for all of them,
//! whatever the source has; otherwise it is not believed. This is the propagation of taint along one run; a
//! condition that is computed from such a value ends the search.

use rely_base::Id;
use rely_program::{
    Approximation, Expr, Op, Place, Program, SlotId, State, ThreadKind, Trace, VarId, Violation,
};
use std::collections::BTreeMap;

/// The construct on which a run depends, if there is one. The states are those of the run, one more than its
/// steps if the last one does not fail.
pub(crate) fn dependence<'p>(program: &'p Program, trace: &Trace, states: &[State]) -> Option<&'p str> {
    if program.approximations().is_empty() {
        return None;
    }
    let mut taint = Taint { program, sources: BTreeMap::new() };
    for (step, state) in trace.steps.iter().zip(states) {
        for op in &program.edges()[step.edge].ops {
            if let Some(source) = taint.decided_by(step.slot, op) {
                return Some(&source.construct);
            }
            taint.apply(step.slot, op, state);
        }
    }
    taint.at_the_end(trace.violation).map(|source| source.construct.as_str())
}

/// A variable; of a thread, if it is a local.
type Cell = (Option<SlotId>, VarId);

/// What is computed from choices that the source may not have, and from which.
struct Taint<'p> {
    program: &'p Program,
    sources: BTreeMap<Cell, &'p Approximation>,
}

impl<'p> Taint<'p> {
    fn cell(&self, slot: SlotId, var: VarId) -> Cell {
        let is_global = self.program.vars()[var].is_global();
        ((!is_global).then_some(slot), var)
    }

    fn of(&self, slot: SlotId, expr: &Expr) -> Option<&'p Approximation> {
        let mut found = None;
        expr.for_each_var(|var| {
            if let Some(source) = self.sources.get(&self.cell(slot, var)) {
                found = found.or(Some(*source));
            }
        });
        found
    }

    /// The choice on which it depends where an operation leads.
    fn decided_by(&self, slot: SlotId, op: &Op) -> Option<&'p Approximation> {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) | Op::Join(condition) => {
                self.of(slot, condition)
            }
            Op::Assign(_) | Op::Havoc(..) | Op::Spawn { .. } | Op::Halt => None,
        }
    }

    /// The choice on which it depends which cells an operation looks at.
    fn placed_by(&self, slot: SlotId, op: &Op) -> Option<&'p Approximation> {
        indices_of(op).into_iter().find_map(|expr| self.of(slot, expr))
    }

    fn apply(&mut self, slot: SlotId, op: &Op, before: &State) {
        match op {
            Op::Assign(changes) => {
                // A value that goes to an unknown cell makes all cells unknown.
                let source = |(place, value): &(Place, Expr)| {
                    self.of(slot, value).or_else(|| index(place).and_then(|index| self.of(slot, index)))
                };
                let sources: Vec<_> = changes.iter().map(source).collect();
                for ((place, _), source) in changes.iter().zip(sources) {
                    self.set(slot, place, source);
                }
            }
            Op::Havoc(place, _) => {
                let program = self.program;
                let is_choice = |known: &&Approximation| known.var == place.var();
                let placed = index(place).and_then(|index| self.of(slot, index));
                self.set(slot, place, program.approximations().iter().find(is_choice).or(placed));
            }
            Op::Spawn { thread, arguments, handle } => {
                let child = match self.program.threads()[*thread].kind {
                    ThreadKind::Template => new_slot(before),
                    ThreadKind::Instance { .. } => {
                        before.slots().find(|&slot| before.thread(slot) == *thread).unwrap_or(slot)
                    }
                };
                let parameters = &self.program.threads()[*thread].parameters;
                for (&parameter, argument) in parameters.iter().zip(arguments) {
                    let source = self.of(slot, argument);
                    self.set(child, &Place::Scalar(parameter), source);
                }
                if let Some(handle) = handle {
                    self.set(slot, handle, None);
                }
            }
            Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => {}
        }
    }

    /// A cell of an array stands for all of them: it makes all suspect, and none certain.
    fn set(&mut self, slot: SlotId, place: &Place, source: Option<&'p Approximation>) {
        let cell = self.cell(slot, place.var());
        match (source, place) {
            (Some(source), _) => {
                self.sources.insert(cell, source);
            }
            (None, Place::Scalar(_)) => {
                self.sources.remove(&cell);
            }
            (None, Place::Element(..)) => {}
        }
    }

    /// What the violation itself depends on, in the last state.
    fn at_the_end(&self, violation: Violation) -> Option<&'p Approximation> {
        match violation {
            // The last step has it, or steps that were made before.
            Violation::Check(_) => None,
            // Whatever the property is about, or the steps are that begin again, or what somebody waits for.
            Violation::Property(_) | Violation::Lasso(_) | Violation::Deadlock => {
                self.sources.values().next().copied()
            }
            Violation::Race(racers) => racers.iter().find_map(|racer| {
                let ops = &self.program.edges()[racer.edge].ops;
                ops.iter()
                    .find_map(|op| self.decided_by(racer.slot, op).or_else(|| self.placed_by(racer.slot, op)))
            }),
        }
    }
}

/// The slot of the next thread of a template. Several threads that one step starts are one after the other,
/// and a program that was approximated starts one in a step.
fn new_slot(before: &State) -> SlotId {
    SlotId::from_index(before.slots().len())
}

/// The indices of the cells at which an operation looks.
fn indices_of(op: &Op) -> Vec<&Expr> {
    let mut found = Vec::new();
    match op {
        Op::Assume(condition, _) | Op::Check(condition, _) | Op::Join(condition) => {
            indices(condition, &mut found);
        }
        Op::Assign(changes) => {
            for (place, value) in changes {
                indices(value, &mut found);
                found.extend(index(place));
            }
        }
        Op::Havoc(place, _) => found.extend(index(place)),
        Op::Spawn { arguments, handle, .. } => {
            arguments.iter().for_each(|argument| indices(argument, &mut found));
            found.extend(handle.iter().filter_map(index));
        }
        Op::Halt => {}
    }
    found
}

fn index(place: &Place) -> Option<&Expr> {
    match place {
        Place::Scalar(_) => None,
        Place::Element(_, index) => Some(index),
    }
}

/// The indices in an expression.
fn indices<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    expr.walk(&mut |part| {
        if let Expr::Element(_, _) = part {
            found.extend(part.children());
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::{Claim, Verdict, check};
    use rely_base::{Budget, Id};
    use rely_program::{
        Approximation, Check, CheckId, CheckKind, Domain, Expr, Goal, Op, Place, ProgramBuilder, SlotId,
        Sort, ThreadKind, Trace, TraceStep, VarId, Violation,
    };

    /// The verdict about one step that chooses `chosen` for a marked variable, does something, and fails.
    fn verdict(ops: impl Fn(VarId, VarId) -> Vec<Op>, fails: impl Fn(VarId, VarId) -> Expr) -> String {
        let mut builder = ProgramBuilder::new("test");
        let thread = builder.thread("main", ThreadKind::Instance { running: true });
        let (marked, other) =
            (builder.local(thread, "marked", Sort::Int, 0), builder.local(thread, "other", Sort::Int, 0));
        builder.approximation(Approximation { var: marked, construct: "a guess in line 1".into() });
        let check_id: CheckId =
            builder.check(Check { kind: CheckKind::Assertion, message: "it fails".into(), span: None });
        let mut all = vec![Op::Havoc(Place::Scalar(marked), Domain::Range { low: 0, high: 3 })];
        all.extend(ops(marked, other));
        all.push(Op::Check(fails(marked, other), check_id));
        let (entry, exit) = (builder.entry(thread), builder.exit(thread));
        let edge = builder.edge(entry, exit, all, None);
        let program = builder.finish().expect("the program is well formed");
        let steps = vec![TraceStep { slot: SlotId::from_index(0), edge, choices: vec![2] }];
        let trace = Trace { initial: vec![], steps, violation: Violation::Check(check_id) };
        match check(&program, Goal::Assert, Claim::Unsafe(trace), &Budget::unlimited()).into_verdict() {
            Verdict::Unknown(reason) => reason.to_string(),
            verdict => verdict.name().to_owned(),
        }
    }

    const DEPENDS: &str = "a run was found that violates the property, but it depends on a guess in line 1, which is not modelled exactly";

    #[test]
    fn runs_that_do_not_depend_on_a_guess_are_believed() {
        assert_eq!(verdict(|_, _| vec![], |_, other| Expr::Var(other).ne(Expr::Int(0))), "unsafe");
        let copied_and_overwritten = |marked, other| {
            let copy = Op::assign(Place::Scalar(other), Expr::Var(marked));
            vec![copy, Op::assign(Place::Scalar(other), Expr::Int(0))]
        };
        assert_eq!(verdict(copied_and_overwritten, |_, other| Expr::Var(other).ne(Expr::Int(0))), "unsafe");
    }

    #[test]
    fn runs_that_depend_on_a_guess_are_not() {
        assert_eq!(verdict(|_, _| vec![], |marked, _| Expr::Var(marked).ne(Expr::Int(2))), DEPENDS);
        let copied = |marked, other| vec![Op::assign(Place::Scalar(other), Expr::Var(marked))];
        assert_eq!(verdict(copied, |_, other| Expr::Var(other).ne(Expr::Int(2))), DEPENDS);
        let decided = |marked, _| vec![Op::assume(Expr::Var(marked).gt(Expr::Int(1)))];
        assert_eq!(verdict(decided, |_, _| Expr::Bool(false)), DEPENDS);
    }
}
