//! Threads that wait for ever while others may go on.
//!
//! The search keeps its steps and which threads it has seen to wait. At its end one goes backwards from where a thread
//! can move, or the program has ended: where it waits and nothing of that kind follows, it is stuck. For all threads
//! at once, each is a bit.
//!
//! A search with reduction is enough. What it leaves out can be done later, or was done in another order, so where a
//! thread can move in some future, it can in one of those that are visited (the checker of the list of states
//! says why). In a state in which a thread was not expanded, nothing is known of it: it counts as waiting, and
//! if it can move, that is seen in a later state. But a step that was left out might lead out of what counts as a
//! run, so programs with conditions without which a run does not count are searched without reduction.

use super::store::StateId;
use rely_base::Id;

/// A set of threads, by their slots.
type Threads = u64;

/// So many threads can be told apart.
pub(super) const MOST_THREADS: usize = Threads::BITS as usize;

/// The steps of a search, and who waits where.
#[derive(Debug, Default)]
pub(super) struct Waits {
    steps: Vec<(u32, u32)>,
    /// Of each state that was expanded.
    waiting: Vec<Threads>,
    /// From these no step leads on, and the run does not count.
    void: Vec<u32>,
}

impl Waits {
    pub(super) fn add_step(&mut self, from: StateId, to: StateId) {
        // The store has fewer states than that.
        self.steps.push((from.index() as u32, to.index() as u32));
    }

    /// States come in their order.
    pub(super) fn add_state(&mut self, state: StateId, waiting: Threads, is_void: bool) {
        self.waiting.push(waiting);
        if is_void {
            self.void.push(state.index() as u32);
        }
    }

    /// Twice, for the table of the steps to each state.
    pub(super) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<(u32, u32)>() * 2
            + self.waiting.capacity() * size_of::<Threads>() * 2
    }

    /// The first state in which a thread waits for ever.
    pub(super) fn first_stuck(mut self) -> Option<StateId> {
        self.steps.sort_unstable_by_key(|&(_, to)| to);
        let is_void = self.void_states();
        let mut goes_on: Vec<Threads> = self.waiting.iter().map(|waiting| !waiting).collect();
        let mut pending: Vec<u32> =
            (0..goes_on.len() as u32).filter(|&state| !is_void[state as usize]).collect();
        while let Some(state) = pending.pop() {
            for &(before, _) in self.steps_to(state) {
                let (at, more) = (before as usize, goes_on[state as usize]);
                if !is_void[at] && more & !goes_on[at] != 0 {
                    goes_on[at] |= more;
                    pending.push(before);
                }
            }
        }
        let is_stuck = |&state: &usize| !is_void[state] && goes_on[state] != Threads::MAX;
        (0..goes_on.len()).find(is_stuck).map(StateId::from_index)
    }

    fn steps_to(&self, state: u32) -> &[(u32, u32)] {
        let begin = self.steps.partition_point(|&(_, to)| to < state);
        let count = self.steps[begin..].partition_point(|&(_, to)| to == state);
        &self.steps[begin..begin + count]
    }

    /// The states from which no run leads on that counts.
    fn void_states(&self) -> Vec<bool> {
        let mut is_void = vec![false; self.waiting.len()];
        if self.void.is_empty() {
            return is_void;
        }
        let mut leaving = vec![0_u32; self.waiting.len()];
        self.steps.iter().for_each(|&(from, _)| leaving[from as usize] += 1);
        let mut pending = self.void.clone();
        while let Some(state) = pending.pop() {
            is_void[state as usize] = true;
            for &(before, _) in self.steps_to(state) {
                leaving[before as usize] -= 1;
                if leaving[before as usize] == 0 {
                    pending.push(before);
                }
            }
        }
        is_void
    }
}

#[cfg(test)]
mod tests {
    use super::{StateId, Waits};
    use rely_base::Id;

    /// Who waits in each state, the steps, the dead ends that do not count, and the first state with a stuck thread.
    fn check(waiting: &[u64], steps: &[(usize, usize)], void: &[usize], expect: Option<usize>) {
        let mut waits = Waits::default();
        for (state, &threads) in waiting.iter().enumerate() {
            waits.add_state(StateId::from_index(state), threads, void.contains(&state));
        }
        for &(from, to) in steps {
            waits.add_step(StateId::from_index(from), StateId::from_index(to));
        }
        assert_eq!(waits.first_stuck().map(Id::index), expect, "{waiting:?}, {steps:?}, {void:?}");
    }

    #[test]
    fn the_first_state_in_which_a_thread_is_stuck_is_found() {
        check(&[0, 1], &[(0, 1)], &[], Some(1));
        check(&[0, 1, 1], &[(0, 1), (1, 2), (2, 1)], &[], Some(1));
        check(&[1, 1, 2], &[(0, 1), (1, 0), (1, 2), (2, 0)], &[], None);
        check(&[3, 1, 2], &[(0, 1), (0, 2)], &[], Some(1));
        check(&[1, 0, 1], &[(0, 1), (0, 2), (2, 0)], &[1], Some(0));
        check(&[1, 1, 1], &[(0, 1), (0, 2)], &[1, 2], None);
    }
}
