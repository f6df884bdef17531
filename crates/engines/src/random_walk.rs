//! Random walks: single runs, chosen by chance, that reach far.
//!
//! Breadth-first search finds what lies near and drowns before it finds what lies deep: a mistake
//! that needs fifty threads, or two hundred steps, is beyond millions of states, although a large
//! part of all runs may show it. Walks find such mistakes. They differ in their [habits](Habit):
//! most mistakes need few changes of the running thread at the right places, some need many
//! threads, others only a few, or one that comes late. A walk proves nothing but what it has seen.
//!
//! The walks of a program are always the same ones.

use crate::values::Values;
use rely_base::{Budget, Id, Random, define_limits};
use rely_program::{
    Goal, Program, Reached, SearchError, Semantics, SlotId, SlotStatus, State, Successors, Trace, TraceStep,
    Violation,
};
use std::ops::ControlFlow;

define_limits! {
    /// The limits of each random walk. How many steps all of them make together is decided by who wants them.
    pub struct WalkLimits {
        /// Of each nondeterministic value so many possibilities are tried.
        values_per_choice = 8,
        /// From so many initial states walks begin.
        starts = 64,
        /// A walk ends after so many steps: programs that run for ever would never begin another one.
        steps_per_walk = 2_000,
    }
}

/// What the walks are made from.
const SEED: u64 = 1;

/// How a walk chooses who moves next.
#[derive(Clone, Copy, Debug)]
struct Habit {
    /// One in so many steps, the thread that moves is changed although it could go on.
    steps_per_change: usize,
    /// No further thread is started while so many are running, unless nobody else can move.
    most_running: usize,
    /// If not zero, one of so many threads, the first ones, moves only if nobody else can.
    late: usize,
}

const HABITS: [Habit; 6] = [
    Habit { steps_per_change: 100, most_running: usize::MAX, late: 0 },
    Habit { steps_per_change: 3, most_running: 4, late: 0 },
    Habit { steps_per_change: 1000, most_running: usize::MAX, late: 4 },
    Habit { steps_per_change: 3, most_running: usize::MAX, late: 0 },
    Habit { steps_per_change: 100, most_running: 4, late: 4 },
    Habit { steps_per_change: 10, most_running: 16, late: 0 },
];

/// Walks until a violation is seen, `most_steps` steps were made, or the budget ends. Every state on the
/// way is shown to `see`.
pub(crate) fn random_walks(
    program: &Program,
    goal: Goal,
    limits: WalkLimits,
    budget: &Budget,
    most_steps: u64,
    see: &mut dyn FnMut(&State),
) -> Option<Trace> {
    let semantics = Semantics::new(program);
    let values = Values::new(program, limits.values_per_choice);
    let mut starts = Vec::new();
    let begun = semantics.initial_states(&values, budget, &mut |choices, state| {
        starts.push((choices.to_vec(), state.clone()));
        if starts.len() < limits.starts { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if begun.is_err() || starts.is_empty() {
        return None;
    }
    let successors = Successors::new(&semantics, &values, budget);
    let chance = Random::new(SEED);
    let mut walker =
        Walker { semantics: &semantics, goal, limits, successors, chance, steps_left: most_steps };
    let mut habits = HABITS.into_iter().cycle();
    while let (Some(habit), 1..) = (habits.next(), walker.steps_left) {
        let (choices, start) = &starts[walker.chance.below(starts.len())];
        match walker.walk(start, habit, see) {
            Ok(Some((steps, violation))) => {
                return Some(Trace { initial: choices.clone(), steps, violation });
            }
            Ok(None) => {}
            Err(Interrupted) => return None,
        }
    }
    None
}

/// The budget has ended.
struct Interrupted;

/// A violation, and the steps that lead to it.
type Sight = (Vec<TraceStep>, Violation);

struct Walker<'a, 'p> {
    semantics: &'a Semantics<'p>,
    goal: Goal,
    limits: WalkLimits,
    successors: Successors<'a, 'p>,
    chance: Random,
    steps_left: u64,
}

/// A possible next step of a walk.
struct Next {
    state: State,
    steps: Vec<TraceStep>,
}

/// What a thread can do.
enum Attempt {
    Stuck,
    Moves(Next),
    Fails(Sight),
}

impl Walker<'_, '_> {
    fn walk(
        &mut self,
        start: &State,
        habit: Habit,
        see: &mut dyn FnMut(&State),
    ) -> Result<Option<Sight>, Interrupted> {
        let mut state = start.clone();
        let mut steps = Vec::new();
        let mut last = None;
        let late = (habit.late > 0).then(|| SlotId::from_index(self.chance.below(habit.late)));
        for _ in 0..self.limits.steps_per_walk {
            see(&state);
            if let Some(violation) = self.violated_property(&state) {
                return Ok(Some((steps, violation)));
            }
            if state.halted() || self.steps_left == 0 {
                break;
            }
            self.steps_left -= 1;
            match self.next(&state, (last, late), habit)? {
                None if self.waits(&state) => return Ok(Some((steps, Violation::Deadlock))),
                None => break,
                Some((_, Attempt::Stuck)) => {}
                Some((_, Attempt::Fails((more, violation)))) => {
                    steps.extend(more);
                    return Ok(Some((steps, violation)));
                }
                Some((slot, Attempt::Moves(next))) => {
                    state = next.state;
                    steps.extend(next.steps);
                    last = Some(slot);
                }
            }
        }
        Ok(None)
    }

    /// Whether it is a violation that nobody can move: somebody has not ended.
    fn waits(&self, state: &State) -> bool {
        let mut slots = state.slots();
        self.goal == Goal::Deadlock
            && slots.any(|slot| self.semantics.status(state, slot) == SlotStatus::Running)
    }

    fn violated_property(&self, state: &State) -> Option<Violation> {
        let is_goal = self.goal == Goal::Assert;
        let violated = if is_goal { self.semantics.violated_property(state).ok()? } else { None };
        violated.map(Violation::Property)
    }

    /// A thread that moves, and its step; `None` if nobody can. The one that moved last goes first,
    /// mostly, and a late one never.
    fn next(
        &mut self,
        state: &State,
        (last, late): (Option<SlotId>, Option<SlotId>),
        habit: Habit,
    ) -> Result<Option<(SlotId, Attempt)>, Interrupted> {
        let is_running = |slot: &SlotId| self.semantics.status(state, *slot) == SlotStatus::Running;
        let mut running: Vec<SlotId> = state.slots().filter(is_running).collect();
        let may_start = running.len() < habit.most_running;
        self.chance.shuffle(&mut running);
        if let Some(last) = last
            && self.chance.below(habit.steps_per_change) != 0
            && let Some(at) = running.iter().position(|&slot| slot == last)
        {
            running.swap(0, at);
        }
        running.sort_by_key(|&slot| Some(slot) == late);
        let rounds = if may_start { &[true][..] } else { &[false, true] };
        for &may_start in rounds {
            for &slot in &running {
                match self.attempt(state, slot, may_start)? {
                    Attempt::Stuck => {}
                    attempt => return Ok(Some((slot, attempt))),
                }
            }
        }
        Ok(None)
    }

    /// One of the steps of a thread, each as likely as the others, or one that fails.
    fn attempt(&mut self, state: &State, slot: SlotId, may_start: bool) -> Result<Attempt, Interrupted> {
        let Self { semantics, goal, successors, chance, .. } = self;
        let checks = semantics.program().checks();
        let mut attempt = Attempt::Stuck;
        let mut seen = 0;
        let searched = successors.for_each(state, slot, &mut |step| {
            let path = || {
                let taken = step.path().into_iter();
                taken.map(|taken| TraceStep { slot, edge: taken.edge, choices: taken.choices }).collect()
            };
            match step.reached {
                Reached::Failure(check) if goal.includes(checks[check].kind) => {
                    attempt = Attempt::Fails((path(), Violation::Check(check)));
                    return ControlFlow::Break(());
                }
                Reached::State(next) if may_start || next.slots().len() == state.slots().len() => {
                    seen += 1;
                    if chance.below(seen) == 0 {
                        attempt = Attempt::Moves(Next { state: next.clone(), steps: path() });
                    }
                }
                Reached::Failure(_) | Reached::State(_) => {}
            }
            ControlFlow::Continue(())
        });
        match searched {
            Err(SearchError::Stopped(_)) => Err(Interrupted),
            Err(SearchError::Step(_)) | Ok(_) => Ok(attempt),
        }
    }
}
