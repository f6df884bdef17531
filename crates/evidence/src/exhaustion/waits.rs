//! Which threads wait for ever, in the finite graph of the states.
//!
//! A thread is *stuck* in a state if it waits there and in every state that can follow, and the program does not end
//! in any of them: whether others go on does not matter. Runs that do not count are no way out, and need none.
//! A state from which nothing leads on, and in which a thread stands at a condition without which the run does not
//! count or at a check that fails, is *void*; so is a state from which every step leads to a void one. All others
//! are the beginning of a run that counts.
//!
//! So for each thread one goes backwards from the states in which it does not wait, or the program has ended, through
//! states that are not void. What is not void and is not met is a state in which the thread is stuck.

use rely_base::Id;
use rely_program::SlotId;

/// The steps between states, and who waits in them. States are numbers.
#[derive(Debug, Default)]
pub(super) struct Waits {
    steps: Vec<(usize, usize)>,
    waiting: Vec<(SlotId, usize)>,
    /// From these no step leads on, and the run does not count.
    void: Vec<usize>,
}

impl Waits {
    pub(super) fn add_step(&mut self, from: usize, to: usize) {
        self.steps.push((to, from));
    }

    pub(super) fn add_waiting(&mut self, slot: SlotId, state: usize) {
        self.waiting.push((slot, state));
    }

    pub(super) fn add_void(&mut self, state: usize) {
        self.void.push(state);
    }

    /// What it needs now, and what the search for stuck threads will need.
    pub(super) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<(usize, usize)>() * 2
            + self.waiting.capacity() * size_of::<(SlotId, usize)>()
    }

    /// Which threads are stuck in which states, of so many states.
    pub(super) fn stuck(mut self, states: usize) -> Vec<(SlotId, usize)> {
        self.steps.sort_unstable();
        self.waiting.sort_unstable_by_key(|&(slot, state)| (slot.index(), state));
        let is_void = self.void_states(states);
        let mut stuck = Vec::new();
        for of_slot in self.waiting.chunk_by(|first, second| first.0 == second.0) {
            let goes_on = self.goes_on(of_slot, &is_void);
            stuck.extend(of_slot.iter().filter(|&&(_, state)| !goes_on[state] && !is_void[state]));
        }
        stuck
    }

    /// From where a step leads to a state.
    fn before(&self, state: usize) -> impl Iterator<Item = usize> {
        let first = self.steps.partition_point(|&(to, _)| to < state);
        self.steps[first..].iter().take_while(move |&&(to, _)| to == state).map(|&(_, from)| from)
    }

    fn void_states(&self, states: usize) -> Vec<bool> {
        let mut is_void = vec![false; states];
        let mut leaving = vec![0_usize; states];
        self.steps.iter().for_each(|&(_, from)| leaving[from] += 1);
        let mut pending = self.void.clone();
        while let Some(state) = pending.pop() {
            is_void[state] = true;
            for before in self.before(state) {
                leaving[before] -= 1;
                if leaving[before] == 0 {
                    pending.push(before);
                }
            }
        }
        is_void
    }

    /// From which states a run that counts leads to one in which the thread does not wait.
    fn goes_on(&self, waiting: &[(SlotId, usize)], is_void: &[bool]) -> Vec<bool> {
        let mut goes_on: Vec<bool> = is_void.iter().map(|is_void| !is_void).collect();
        waiting.iter().for_each(|&(_, state)| goes_on[state] = false);
        let mut pending: Vec<usize> = (0..goes_on.len()).filter(|&state| goes_on[state]).collect();
        while let Some(state) = pending.pop() {
            for before in self.before(state) {
                if !goes_on[before] && !is_void[before] {
                    goes_on[before] = true;
                    pending.push(before);
                }
            }
        }
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::Waits;
    use rely_base::Id;
    use rely_program::SlotId;

    /// The steps, who waits in which state, the dead ends that do not count, and who is stuck where.
    fn check(
        steps: &[(usize, usize)],
        waiting: &[(usize, usize)],
        void: &[usize],
        expect: &[(usize, usize)],
    ) {
        let mut waits = Waits::default();
        steps.iter().for_each(|&(from, to)| waits.add_step(from, to));
        waiting.iter().for_each(|&(slot, state)| waits.add_waiting(SlotId::from_index(slot), state));
        void.iter().for_each(|&state| waits.add_void(state));
        let mut found: Vec<(usize, usize)> =
            waits.stuck(4).into_iter().map(|(slot, state)| (slot.index(), state)).collect();
        found.sort_unstable();
        assert_eq!(found, expect, "{steps:?}, {waiting:?}, {void:?}");
    }

    #[test]
    fn who_waits_for_ever_is_stuck_whoever_else_goes_on() {
        // Nothing follows.
        check(&[(0, 1)], &[(0, 1)], &[], &[(0, 1)]);
        // Somebody else goes round.
        check(&[(0, 1), (1, 2), (2, 1)], &[(0, 1), (0, 2)], &[], &[(0, 1), (0, 2)]);
        // There is a way out of the circle, for one of them.
        let round = [(0, 1), (1, 2), (2, 1), (2, 3)];
        check(&round, &[(0, 1), (0, 2), (1, 1), (1, 2), (1, 3)], &[], &[(1, 1), (1, 2), (1, 3)]);
    }

    #[test]
    fn runs_that_do_not_count_are_no_way_out() {
        // The way out is void.
        check(&[(0, 1), (0, 2), (2, 0), (1, 3)], &[(0, 0), (0, 2)], &[3], &[(0, 0), (0, 2)]);
        // All ways are void: there is no run in which somebody waits for ever.
        check(&[(0, 1), (1, 2), (1, 3)], &[(0, 0), (0, 1), (0, 2)], &[2, 3], &[]);
    }
}
