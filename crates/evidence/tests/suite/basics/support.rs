//! Runs and lists of states for tests, found without any engine.

use rely_base::{Budget, Id};
use rely_evidence::StateList;
use rely_program::{
    AllValues, CheckId, EdgeId, Program, Reached, Semantics, SlotId, State, Successors, Trace, TraceStep,
    Value, Violation,
};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// All values of small domains.
pub const VALUES: AllValues = AllValues { limit: 256 };

/// A state on a run, with the steps that lead there.
#[derive(Clone)]
pub struct Reach {
    pub state: State,
    pub initial: Vec<Value>,
    pub steps: Vec<TraceStep>,
}

/// Every reachable state with a shortest run to it, in breadth-first order, and the first run
/// that fails a check.
pub fn reachable(program: &Program) -> (Vec<Reach>, Option<Trace>) {
    let semantics = Semantics::new(program);
    let budget = Budget::unlimited();
    let mut successors = Successors::new(&semantics, &VALUES, &budget);
    let mut pending = VecDeque::new();
    let complete = semantics.initial_states(&VALUES, &budget, &mut |choices, state| {
        pending.push_back(Reach { state: state.clone(), initial: choices.to_vec(), steps: vec![] });
        ControlFlow::Continue(())
    });
    assert_eq!(complete.ok(), Some(true), "not all initial values were tried");
    let (mut seen, mut failing): (Vec<Reach>, Option<Trace>) = (vec![], None);
    while let Some(reach) = pending.pop_front() {
        if seen.iter().any(|known| known.state == reach.state) {
            continue;
        }
        let movable = if reach.state.halted() { 0 } else { reach.state.slots().len() };
        for slot in reach.state.slots().take(movable) {
            let steps = successors.for_each(&reach.state, slot, &mut |step| {
                let taken = step.path().into_iter();
                let taken = taken.map(|taken| TraceStep { slot, edge: taken.edge, choices: taken.choices });
                let steps: Vec<TraceStep> = reach.steps.iter().cloned().chain(taken).collect();
                let initial = reach.initial.clone();
                match step.reached {
                    Reached::State(next) => pending.push_back(Reach { state: next.clone(), initial, steps }),
                    Reached::Failure(check) => {
                        failing.get_or_insert(Trace { initial, steps, violation: Violation::Check(check) });
                    }
                }
                ControlFlow::Continue(())
            });
            assert!(steps.is_ok_and(|summary| !summary.incomplete), "not all values of a choice were tried");
        }
        seen.push(reach);
    }
    (seen, failing)
}

/// A shortest run to the first state that satisfies a condition.
pub fn run_to(
    program: &Program,
    violation: Violation,
    wanted: impl Fn(&Semantics<'_>, &State) -> bool,
) -> Trace {
    let semantics = Semantics::new(program);
    let (states, _) = reachable(program);
    let reach =
        states.into_iter().find(|reach| wanted(&semantics, &reach.state)).expect("there is such a state");
    Trace { initial: reach.initial, steps: reach.steps, violation }
}

/// The packed states of a program, all of them.
pub fn packed(program: &Program) -> Vec<Vec<u8>> {
    reachable(program).0.iter().map(|reach| pack(program, &reach.state)).collect()
}

pub fn pack(program: &Program, state: &State) -> Vec<u8> {
    let mut bytes = Vec::new();
    Semantics::new(program).pack(state, &mut bytes);
    bytes
}

pub fn list(states: &[Vec<u8>]) -> StateList {
    states.iter().collect()
}

pub fn step(slot: usize, edge: usize, choices: &[Value]) -> TraceStep {
    TraceStep { slot: SlotId::from_index(slot), edge: EdgeId::from_index(edge), choices: choices.to_vec() }
}

pub fn check_id(index: usize) -> CheckId {
    CheckId::from_index(index)
}
