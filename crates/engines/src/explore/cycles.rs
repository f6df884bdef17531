//! Cycles in the graph of the states.

use std::collections::VecDeque;

/// The steps between states, each a pair of numbers.
#[derive(Debug, Default)]
pub(super) struct Graph {
    steps: Vec<(u32, u32)>,
}

impl Graph {
    pub(super) fn add(&mut self, from: usize, to: usize) {
        // The store has fewer states than that.
        self.steps.push((from as u32, to as u32));
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Twice, for the tables of a search for cycles.
    pub(super) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<(u32, u32)>() * 2
    }

    /// A shortest cycle through the first state that is on one; its first state is also the last one.
    pub(super) fn shortest_cycle_of_first(&self, states: usize) -> Option<Vec<usize>> {
        let targets = Targets::new(&self.steps, states);
        let component = components(&targets, states);
        let mut sizes = vec![0_u32; states];
        component.iter().for_each(|&number| sizes[number] += 1);
        let is_round =
            |state: &usize| sizes[component[*state]] > 1 || targets.of(*state).contains(&(*state as u32));
        let first = (0..states).find(is_round)?;
        back_to(first, &targets, &component)
    }
}

/// The targets of the steps of each state.
struct Targets {
    begin: Vec<usize>,
    targets: Vec<u32>,
}

impl Targets {
    fn new(steps: &[(u32, u32)], states: usize) -> Self {
        let mut begin = vec![0; states + 1];
        steps.iter().for_each(|&(from, _)| begin[from as usize + 1] += 1);
        for state in 0..states {
            begin[state + 1] += begin[state];
        }
        let mut next = begin.clone();
        let mut targets = vec![0; steps.len()];
        for &(from, to) in steps {
            targets[next[from as usize]] = to;
            next[from as usize] += 1;
        }
        Self { begin, targets }
    }

    fn of(&self, state: usize) -> &[u32] {
        &self.targets[self.begin[state]..self.begin[state + 1]]
    }
}

const UNSEEN: usize = usize::MAX;

/// The strongly connected component of each state (Tarjan's algorithm, with a stack of its own).
fn components(targets: &Targets, states: usize) -> Vec<usize> {
    let mut order = vec![UNSEEN; states];
    let mut low = vec![0; states];
    let mut component = vec![UNSEEN; states];
    let (mut open, mut calls): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    let (mut seen, mut found) = (0, 0);
    for root in 0..states {
        if order[root] != UNSEEN {
            continue;
        }
        calls.push((root, 0));
        while let Some((state, tried)) = calls.pop() {
            if tried == 0 {
                (order[state], low[state]) = (seen, seen);
                seen += 1;
                open.push(state);
            } else {
                low[state] = low[state].min(low[targets.of(state)[tried - 1] as usize]);
            }
            let rest = targets.of(state)[tried..].iter().enumerate();
            let mut inner = None;
            for (offset, &target) in rest {
                let target = target as usize;
                if order[target] == UNSEEN {
                    inner = Some((tried + offset + 1, target));
                    break;
                }
                if component[target] == UNSEEN {
                    low[state] = low[state].min(order[target]);
                }
            }
            if let Some((tried, target)) = inner {
                calls.push((state, tried));
                calls.push((target, 0));
            } else if low[state] == order[state] {
                while let Some(member) = open.pop() {
                    component[member] = found;
                    if member == state {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}

/// A shortest way from a state back to it inside of its component.
fn back_to(first: usize, targets: &Targets, component: &[usize]) -> Option<Vec<usize>> {
    let mut before = vec![UNSEEN; component.len()];
    let mut pending = VecDeque::from([first]);
    while let Some(state) = pending.pop_front() {
        for &target in targets.of(state) {
            let target = target as usize;
            if target == first {
                let mut cycle = vec![first, state];
                while let Some(&last) = cycle.last().filter(|&&last| last != first) {
                    cycle.push(before[last]);
                }
                cycle.reverse();
                return Some(if state == first { vec![first, first] } else { cycle });
            }
            if component[target] == component[first] && before[target] == UNSEEN {
                before[target] = state;
                pending.push_back(target);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Graph;

    fn check(states: usize, steps: &[(usize, usize)], expect: Option<&[usize]>) {
        let mut graph = Graph::default();
        steps.iter().for_each(|&(from, to)| graph.add(from, to));
        assert_eq!(graph.shortest_cycle_of_first(states).as_deref(), expect, "{steps:?}");
    }

    #[test]
    fn the_first_cycle_is_found_and_the_shortest_way_around_it() {
        check(0, &[], None);
        check(1, &[(0, 0)], Some(&[0, 0]));
        check(3, &[(0, 1), (0, 2), (1, 2), (0, 1)], None);
        check(4, &[(0, 1), (1, 2), (2, 1), (2, 3)], Some(&[1, 2, 1]));
        check(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (2, 4), (4, 1), (3, 3)], Some(&[1, 2, 3, 1]));
        check(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (1, 3)], Some(&[1, 3, 1]));
        check(6, &[(0, 1), (1, 0), (4, 5)], Some(&[0, 1, 0]));
        check(4, &[(3, 2), (2, 1), (1, 0), (3, 0)], None);
    }
}
