//! Few threads, exactly.
//!
//! Walks see what is likely. Where they have seen no violation, and there is no proof either, all runs with up to some
//! number of threads of templates are looked at: fewest threads first, and of each number the shortest runs first. So what
//! is found is a violation with as few threads as possible.
//!
//! Threads of a template that stand at the same place with the same values are the same to everybody else, so states in
//! which they have changed places are looked at once. If a program keeps handles, that can leave out runs; and so can
//! limits. Nothing is proved here.

use super::limits::Limits;
use crate::WalkLimits;
use crate::values::Values;
use rely_base::{Budget, Id};
use rely_program::{
    Goal, Program, Reached, SearchError, Semantics, SlotId, SlotStatus, State, Successors, ThreadKind, Trace,
    TraceStep, Value, Violation,
};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// A violation with few threads, if the limits allow to find one.
pub(super) fn violation(
    program: &Program,
    goal: Goal,
    (limits, walks): (Limits, WalkLimits),
    budget: &Budget,
) -> Option<Trace> {
    let semantics = Semantics::new(program);
    let values = Values::new(program, walks.values_per_choice);
    let mut search = Search {
        semantics: &semantics,
        goal,
        limits,
        nodes: Vec::new(),
        seen: FxHashSet::default(),
        pending: vec![VecDeque::new(); limits.few_threads + 1],
    };
    let mut starts = Vec::new();
    let begun = semantics.initial_states(&values, budget, &mut |choices, state| {
        starts.push((choices.to_vec(), state.clone()));
        if starts.len() < walks.starts { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    begun.ok()?;
    for (number, (_, state)) in starts.iter().enumerate() {
        search.insert(state, Origin::Start(number));
    }
    let (last, (more, violation)) = search.run(&mut Successors::new(&semantics, &values, budget), budget)?;
    let (start, mut steps) = search.way_to(last);
    steps.extend(more);
    Some(Trace { initial: starts[start].0.clone(), steps, violation })
}

/// How a state was reached.
enum Origin {
    /// It is one of those in which runs begin.
    Start(usize),
    /// From another node, by these steps.
    Node(usize, Vec<TraceStep>),
}

struct Node {
    state: State,
    origin: Origin,
}

struct Search<'s, 'p> {
    semantics: &'s Semantics<'p>,
    goal: Goal,
    limits: Limits,
    nodes: Vec<Node>,
    seen: FxHashSet<Box<[Value]>>,
    /// The nodes that are to be looked at, by how many threads of templates there are.
    pending: Vec<VecDeque<usize>>,
}

/// A violation, after some steps.
type Failure = (Vec<TraceStep>, Violation);

impl Search<'_, '_> {
    fn run(&mut self, successors: &mut Successors<'_, '_>, budget: &Budget) -> Option<(usize, Failure)> {
        while let Some(node) = self.pending.iter_mut().find_map(VecDeque::pop_front) {
            if self.nodes.len() >= self.limits.states_of_few_threads || budget.check().is_err() {
                return None;
            }
            if let Some(failure) = self.look_at(node, successors)? {
                return Some((node, failure));
            }
        }
        None
    }

    /// What goes wrong in a state, or in a step that leads from there; nothing at all if the budget has ended.
    fn look_at(&mut self, node: usize, successors: &mut Successors<'_, '_>) -> Option<Option<Failure>> {
        let state = self.nodes[node].state.clone();
        let violated = match self.goal {
            Goal::Assert => self.semantics.violated_property(&state).ok().flatten(),
            _ => None,
        };
        if let Some(property) = violated {
            return Some(Some((Vec::new(), Violation::Property(property))));
        }
        if state.halted() {
            return Some(None);
        }
        let is_running = |slot: &SlotId| self.semantics.status(&state, *slot) == SlotStatus::Running;
        let running: Vec<SlotId> = state.slots().filter(is_running).collect();
        let mut somebody_moves = false;
        for &slot in &running {
            let (moves, failure) = self.steps_of(node, &state, slot, successors)?;
            if failure.is_some() {
                return Some(failure);
            }
            somebody_moves |= moves;
        }
        let is_deadlock = self.goal == Goal::Deadlock && !somebody_moves && !running.is_empty();
        Some(is_deadlock.then(|| (Vec::new(), Violation::Deadlock)))
    }

    /// Whether a thread can move, and the step of it that fails, if there is one.
    fn steps_of(
        &mut self,
        node: usize,
        state: &State,
        slot: SlotId,
        successors: &mut Successors<'_, '_>,
    ) -> Option<(bool, Option<Failure>)> {
        let checks = self.semantics.program().checks();
        let (mut moves, mut failure) = (false, None);
        let searched = successors.for_each(state, slot, &mut |step| {
            let path = || {
                let taken = step.path().into_iter();
                taken.map(|taken| TraceStep { slot, edge: taken.edge, choices: taken.choices }).collect()
            };
            match step.reached {
                Reached::Failure(check) if self.goal.includes(checks[check].kind) => {
                    failure = Some((path(), Violation::Check(check)));
                    return ControlFlow::Break(());
                }
                // A run that fails otherwise is none of those that are asked about.
                Reached::Failure(_) => moves = true,
                Reached::State(next) => {
                    moves = true;
                    self.insert(next, Origin::Node(node, path()));
                }
            }
            ControlFlow::Continue(())
        });
        match searched {
            Err(SearchError::Stopped(_)) => None,
            Err(SearchError::Step(_)) | Ok(_) => Some((moves, failure)),
        }
    }

    /// Notes a state that is to be looked at, if it is a new one with few threads.
    fn insert(&mut self, state: &State, origin: Origin) {
        let threads = self.semantics.program().threads();
        let is_counted = |slot: &SlotId| threads[state.thread(*slot)].kind == ThreadKind::Template;
        let counted = state.slots().filter(is_counted).count();
        if counted <= self.limits.few_threads && self.seen.insert(self.key(state)) {
            self.pending[counted].push_back(self.nodes.len());
            self.nodes.push(Node { state: state.clone(), origin });
        }
    }

    /// A state, but for which of the threads of a template is which.
    fn key(&self, state: &State) -> Box<[Value]> {
        let program = self.semantics.program();
        let globals = program.vars().iter().filter(|(_, var)| var.is_global());
        let mut key: Vec<Value> =
            globals.flat_map(|(var, _)| self.semantics.global(state, var)).copied().collect();
        let mut counted: Vec<Vec<Value>> = Vec::new();
        for slot in state.slots() {
            let thread = state.thread(slot);
            let number = |id: usize| Value::try_from(id).unwrap_or(Value::MAX);
            let location = state.location(slot).map_or(-1, |location| number(location.index()));
            let who =
                [number(thread.index()), location].into_iter().chain(state.locals(slot).iter().copied());
            match program.threads()[thread].kind {
                ThreadKind::Template => counted.push(who.collect()),
                _ => key.extend(who),
            }
        }
        counted.sort_unstable();
        key.extend(counted.into_iter().flatten());
        key.push(Value::from(state.halted()));
        key.into()
    }

    /// The start from which a node was reached, and the steps that lead there.
    fn way_to(&self, node: usize) -> (usize, Vec<TraceStep>) {
        let mut way = Vec::new();
        let mut at = node;
        loop {
            match &self.nodes[at].origin {
                Origin::Start(start) => {
                    way.reverse();
                    return (*start, way.concat());
                }
                Origin::Node(from, steps) => {
                    way.push(steps.clone());
                    at = *from;
                }
            }
        }
    }
}
