//! Whether a finite graph has a cycle.

/// The steps between states, each a pair of numbers.
#[derive(Debug, Default)]
pub(super) struct Graph {
    steps: Vec<(usize, usize)>,
}

impl Graph {
    pub(super) fn add(&mut self, from: usize, to: usize) {
        self.steps.push((from, to));
    }

    /// What it needs now, and what the search for cycles will need.
    pub(super) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<(usize, usize)>() * 2
    }

    /// Takes away states to which no step leads, and their steps, again and again. If some stay, a step from one
    /// of them leads to each of them: going backwards from there never ends, so there is a cycle. If none stays,
    /// the order in which they went is one in which all steps lead forwards.
    pub(super) fn has_cycle(mut self, states: usize) -> bool {
        self.steps.sort_unstable();
        let mut entering = vec![0_usize; states];
        self.steps.iter().for_each(|&(_, to)| entering[to] += 1);
        let mut pending: Vec<usize> = (0..states).filter(|&state| entering[state] == 0).collect();
        let mut gone = 0;
        while let Some(state) = pending.pop() {
            gone += 1;
            let first = self.steps.partition_point(|&(from, _)| from < state);
            for &(_, to) in self.steps[first..].iter().take_while(|&&(from, _)| from == state) {
                entering[to] -= 1;
                if entering[to] == 0 {
                    pending.push(to);
                }
            }
        }
        gone < states
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;

    fn check(states: usize, steps: &[(usize, usize)], expect: bool) {
        let mut graph = Graph::default();
        steps.iter().for_each(|&(from, to)| graph.add(from, to));
        assert_eq!(graph.has_cycle(states), expect, "{steps:?}");
    }

    #[test]
    fn cycles_are_found() {
        check(0, &[], false);
        check(1, &[], false);
        check(1, &[(0, 0)], true);
        check(3, &[(0, 1), (0, 2), (1, 2), (0, 1)], false);
        check(4, &[(0, 1), (1, 2), (2, 1), (2, 3)], true);
        check(4, &[(3, 2), (2, 1), (1, 0), (3, 0)], false);
        check(5, &[(0, 1), (2, 3), (3, 4), (4, 2)], true);
    }
}
