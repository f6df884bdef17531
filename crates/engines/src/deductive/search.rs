//! A look for a run that goes wrong, among the states near the beginning.
//!
//! A proof that fails does not mean that the program is wrong. But if it is, there is often a short
//! run that shows it, and showing it is better than not knowing.
//!
//! This is not the search of the engine `explore`, and cannot be: engines do not know each other. That one claims
//! something about all states, so it tries all values, packs states to hold millions of them, and leaves out steps
//! that it can justify to leave out. This one claims nothing about what it did not see. It tries only values that
//! matter to the program, visits a few thousand states, and is over in milliseconds.

use rely_base::Budget;
use rely_program::{
    Chooser, Domain, Expr, Goal, Op, Program, Reached, Semantics, SlotId, State, Successors, Taken, Trace,
    TraceStep, Value, Violation,
};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// Values that matter to the program: its own constants and their neighbours.
struct Interesting {
    values: Vec<Value>,
    /// How many values of one domain are tried.
    most_values: usize,
}

impl Interesting {
    fn of(program: &Program, most_values: usize) -> Self {
        let mut values: Vec<Value> = vec![0, 1, 2, -1];
        let mut visit = |expr: &Expr| {
            if let Expr::Int(value) = expr
                && value.unsigned_abs() < 1 << 62
            {
                values.extend([*value, value + 1, value - 1]);
            }
        };
        for op in program.edges().values().flat_map(|edge| &edge.ops) {
            match op {
                Op::Assume(condition, _) | Op::Check(condition, _) => condition.walk(&mut visit),
                Op::Assign(assignments) => {
                    assignments.iter().for_each(|(_, value)| value.walk(&mut visit));
                }
                _ => {}
            }
        }
        let mut seen = FxHashSet::default();
        values.retain(|value| seen.insert(*value));
        Self { values, most_values }
    }
}

impl Chooser for Interesting {
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool {
        if let (Domain::Range { low, high }, Some(size)) = (domain, domain.size())
            && size <= self.most_values as u128
        {
            values.extend(low..=high);
            return true;
        }
        if domain == Domain::Bool {
            values.extend([0, 1]);
            return true;
        }
        let possible = self.values.iter().copied().filter(|value| domain.contains(*value));
        values.extend(possible.take(self.most_values));
        if values.is_empty() {
            values.extend(domain.default_value());
        }
        false
    }
}

/// A state that was reached, and how.
struct Visit {
    state: State,
    /// The state before and the edges taken from there; the initial choices for a first state.
    origin: Origin,
}

enum Origin {
    Initial(Vec<Value>),
    Step(usize, SlotId, Vec<Taken>),
}

/// Visits up to so many states, breadth first; a run that violates the goal if one is met.
pub(super) fn find_violation(
    program: &Program,
    goal: Goal,
    most_states: usize,
    most_values: usize,
    budget: &Budget,
) -> Option<Trace> {
    let semantics = Semantics::new(program);
    let chooser = Interesting::of(program, most_values);
    let mut search =
        Search { semantics: &semantics, goal, visits: Vec::new(), known: FxHashSet::default(), most_states };
    let mut found = None;
    // An error ends the search like a limit: there is just nothing to show.
    let _ = semantics.initial_states(&chooser, budget, &mut |choices, state| {
        found = search.add(state, Origin::Initial(choices.to_vec()));
        if found.is_some() || search.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let mut successors = Successors::new(&semantics, &chooser, budget);
    let mut next = 0;
    while found.is_none() && next < search.visits.len() && !search.is_full() && budget.check().is_ok() {
        found = search.expand(next, &mut successors);
        next += 1;
    }
    found
}

struct Search<'s, 'p> {
    semantics: &'s Semantics<'p>,
    goal: Goal,
    visits: Vec<Visit>,
    known: FxHashSet<Vec<u8>>,
    most_states: usize,
}

impl Search<'_, '_> {
    fn is_full(&self) -> bool {
        self.visits.len() >= self.most_states
    }

    /// Remembers a state; the run to it if it violates a property.
    fn add(&mut self, state: &State, origin: Origin) -> Option<Trace> {
        let mut packed = Vec::new();
        self.semantics.pack(state, &mut packed);
        if !self.known.insert(packed) {
            return None;
        }
        self.visits.push(Visit { state: state.clone(), origin });
        if self.goal != Goal::Assert {
            return None;
        }
        let violated = self.semantics.violated_property(state).ok().flatten()?;
        Some(self.trace(self.visits.len() - 1, None, Violation::Property(violated)))
    }

    fn expand(&mut self, index: usize, successors: &mut Successors<'_, '_>) -> Option<Trace> {
        let state = self.visits[index].state.clone();
        if state.halted() {
            return None;
        }
        let mut found = None;
        for slot in state.slots() {
            // A step without meaning is nothing to show.
            let _ = successors.for_each(&state, slot, &mut |step| {
                match step.reached {
                    Reached::State(next) => found = self.add(next, Origin::Step(index, slot, step.path())),
                    Reached::Failure(check) => {
                        let kind = self.semantics.program().checks()[check].kind;
                        if self.goal.includes(kind) {
                            found =
                                Some(self.trace(index, Some((slot, step.path())), Violation::Check(check)));
                        }
                    }
                }
                if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if found.is_some() {
                break;
            }
        }
        found
    }

    fn trace(&self, index: usize, last: Option<(SlotId, Vec<Taken>)>, violation: Violation) -> Trace {
        let mut parts: Vec<(SlotId, &[Taken])> = Vec::new();
        if let Some((slot, taken)) = &last {
            parts.push((*slot, taken));
        }
        let mut at = index;
        let initial = loop {
            match &self.visits[at].origin {
                Origin::Initial(choices) => break choices.clone(),
                Origin::Step(before, slot, taken) => {
                    parts.push((*slot, taken));
                    at = *before;
                }
            }
        };
        let steps = parts.into_iter().rev().flat_map(|(slot, taken)| {
            let step =
                move |taken: &Taken| TraceStep { slot, edge: taken.edge, choices: taken.choices.clone() };
            taken.iter().map(step)
        });
        Trace { initial, steps: steps.collect(), violation }
    }
}
