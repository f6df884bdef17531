//! Cycles in the graph of the states.

use rely_base::Id;
use rely_program::SlotId;
use std::collections::VecDeque;

/// The steps between states: from where, to where, and by whom.
#[derive(Debug, Default)]
pub(super) struct Graph {
    steps: Vec<(u32, u32, u32)>,
}

/// A step to a state, by whom if that is known.
pub(super) type Link = (usize, Option<SlotId>);

impl Graph {
    pub(super) fn add(&mut self, from: usize, slot: SlotId, to: usize) {
        // The store has fewer states than that.
        self.steps.push((from as u32, to as u32, slot.index() as u32));
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Twice, for the tables of a search for cycles.
    pub(super) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<(u32, u32, u32)>() * 2
    }

    /// The strongly connected components among the states that are kept.
    pub(super) fn components(&self, states: usize, keep: impl Fn(usize) -> bool) -> Components {
        let kept = |&&(from, to, _): &&(u32, u32, u32)| keep(from as usize) && keep(to as usize);
        let targets = Targets::new(self.steps.iter().filter(kept), states);
        let component = numbered(&targets, states);
        Components { targets, component }
    }
}

/// Strongly connected components.
pub(super) struct Components {
    targets: Targets,
    component: Vec<usize>,
}

impl Components {
    /// Those with a step inside, each as its states in ascending order, the one with the first state first.
    pub(super) fn cyclic(&self) -> Vec<Vec<usize>> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.component.len()];
        for (state, &component) in self.component.iter().enumerate() {
            members[component].push(state);
        }
        members.retain(|states| states.iter().any(|&state| self.inside(state).next().is_some()));
        members.sort_unstable();
        members
    }

    /// The steps of a state that stay in its component.
    pub(super) fn inside(&self, state: usize) -> impl Iterator<Item = (usize, SlotId)> {
        let steps = self.targets.of(state).iter();
        let steps = steps.map(|&(to, slot)| (to as usize, SlotId::from_index(slot as usize)));
        steps.filter(move |&(to, _)| self.component[to] == self.component[state])
    }

    /// A shortest cycle through a state, without the state at its beginning; empty if there is none.
    pub(super) fn cycle_through(&self, state: usize) -> Vec<Link> {
        self.way(state, |_, (to, _)| to == state)
    }

    /// A shortest way, of one step at least, whose last step is a wanted one inside of the component.
    pub(super) fn way(&self, from: usize, is_wanted: impl Fn(usize, (usize, SlotId)) -> bool) -> Vec<Link> {
        let mut before: Vec<Option<(usize, SlotId)>> = vec![None; self.component.len()];
        let mut pending = VecDeque::from([from]);
        while let Some(state) = pending.pop_front() {
            for (to, slot) in self.inside(state) {
                if is_wanted(state, (to, slot)) {
                    let mut way = vec![(to, Some(slot))];
                    let mut last = state;
                    while last != from {
                        let (earlier, slot) = before[last].expect("it was reached");
                        way.push((last, Some(slot)));
                        last = earlier;
                    }
                    way.reverse();
                    return way;
                }
                if to != from && before[to].is_none() {
                    before[to] = Some((state, slot));
                    pending.push_back(to);
                }
            }
        }
        Vec::new()
    }
}

/// The steps of each state.
struct Targets {
    begin: Vec<usize>,
    targets: Vec<(u32, u32)>,
}

impl Targets {
    fn new<'s>(steps: impl Iterator<Item = &'s (u32, u32, u32)> + Clone, states: usize) -> Self {
        let mut begin = vec![0; states + 1];
        steps.clone().for_each(|&(from, ..)| begin[from as usize + 1] += 1);
        for state in 0..states {
            begin[state + 1] += begin[state];
        }
        let mut next = begin.clone();
        let mut targets = vec![(0, 0); begin[states]];
        for &(from, to, slot) in steps {
            targets[next[from as usize]] = (to, slot);
            next[from as usize] += 1;
        }
        Self { begin, targets }
    }

    fn of(&self, state: usize) -> &[(u32, u32)] {
        &self.targets[self.begin[state]..self.begin[state + 1]]
    }
}

const UNSEEN: usize = usize::MAX;

/// The strongly connected component of each state (Tarjan's algorithm, with a stack of its own).
fn numbered(targets: &Targets, states: usize) -> Vec<usize> {
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
                low[state] = low[state].min(low[targets.of(state)[tried - 1].0 as usize]);
            }
            let rest = targets.of(state)[tried..].iter().enumerate();
            let mut inner = None;
            for (offset, &(target, _)) in rest {
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

#[cfg(test)]
mod tests {
    use super::Graph;
    use rely_base::Id;
    use rely_program::SlotId;

    fn check(states: usize, steps: &[(usize, usize)], expect: Option<&[usize]>) {
        let mut graph = Graph::default();
        steps.iter().for_each(|&(from, to)| graph.add(from, SlotId::from_index(0), to));
        let components = graph.components(states, |_| true);
        let found = components.cyclic().first().map(|members| {
            let first = members[0];
            let way = components.cycle_through(first).into_iter().map(|(state, _)| state);
            std::iter::once(first).chain(way).collect::<Vec<_>>()
        });
        assert_eq!(found.as_deref(), expect, "{steps:?}");
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
