//! Cycles of a finite graph.

use rely_program::SlotId;

/// A step of a thread from one state to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct GraphStep {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) slot: SlotId,
}

/// The steps between states.
#[derive(Debug, Default)]
pub(super) struct Graph {
    steps: Vec<GraphStep>,
}

impl Graph {
    pub(super) fn add(&mut self, from: usize, slot: SlotId, to: usize) {
        self.steps.push(GraphStep { from, to, slot });
    }

    /// What it needs now, and what the search for cycles will need.
    pub(super) fn memory_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<GraphStep>() * 3
    }

    /// Takes away states to which no step leads, and their steps, again and again. If some stay, a step from one
    /// of them leads to each of them: going backwards from there never ends, so there is a cycle. If none stays,
    /// the order in which they went is one in which all steps lead forwards.
    pub(super) fn has_cycle(&mut self, states: usize) -> bool {
        self.steps.sort_unstable();
        let mut entering = vec![0_usize; states];
        self.steps.iter().for_each(|step| entering[step.to] += 1);
        let mut pending: Vec<usize> = (0..states).filter(|&state| entering[state] == 0).collect();
        let mut gone = 0;
        while let Some(state) = pending.pop() {
            gone += 1;
            for step in from(&self.steps, state) {
                entering[step.to] -= 1;
                if entering[step.to] == 0 {
                    pending.push(step.to);
                }
            }
        }
        gone < states
    }

    /// The strongly connected components among the states that are kept, each with the steps inside of it; those
    /// without steps are left out. Kosaraju's algorithm: states are visited against the direction of the steps, those
    /// first that a search along the steps has left last.
    pub(super) fn cyclic_components(
        &self,
        states: usize,
        keep: impl Fn(usize) -> bool,
    ) -> Vec<Vec<GraphStep>> {
        let kept = |step: &&GraphStep| keep(step.from) && keep(step.to);
        let mut forwards: Vec<GraphStep> = self.steps.iter().filter(kept).copied().collect();
        forwards.sort_unstable();
        let turned = |step: &GraphStep| GraphStep { from: step.to, to: step.from, slot: step.slot };
        let mut backwards: Vec<GraphStep> = forwards.iter().map(turned).collect();
        backwards.sort_unstable();
        let mut order = Vec::with_capacity(states);
        let mut seen = vec![false; states];
        (0..states).for_each(|root| visit(&forwards, root, &mut seen, &mut order));
        let mut component = vec![0; states];
        let (mut seen, mut found) = (vec![false; states], 0);
        for &root in order.iter().rev() {
            let mut members = Vec::new();
            visit(&backwards, root, &mut seen, &mut members);
            members.into_iter().for_each(|member| component[member] = found);
            found += 1;
        }
        let mut inside: Vec<Vec<GraphStep>> = vec![Vec::new(); found];
        for step in forwards {
            if component[step.from] == component[step.to] {
                inside[component[step.from]].push(step);
            }
        }
        inside.retain(|steps| !steps.is_empty());
        inside
    }
}

/// The steps of a state, in sorted steps.
fn from(steps: &[GraphStep], state: usize) -> &[GraphStep] {
    let first = steps.partition_point(|step| step.from < state);
    let count = steps[first..].partition_point(|step| step.from == state);
    &steps[first..first + count]
}

/// Visits all that can be reached and was not seen, depth first; lists states when they are left.
fn visit(steps: &[GraphStep], root: usize, seen: &mut [bool], left: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut way = vec![(root, from(steps, root).iter())];
    while let Some((state, rest)) = way.last_mut() {
        match rest.next() {
            Some(step) if !std::mem::replace(&mut seen[step.to], true) => {
                way.push((step.to, from(steps, step.to).iter()));
            }
            Some(_) => {}
            None => {
                left.push(*state);
                way.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;
    use rely_base::Id;
    use rely_program::SlotId;

    fn check(states: usize, steps: &[(usize, usize)], expect: &[&[usize]]) {
        let mut graph = Graph::default();
        steps.iter().for_each(|&(from, to)| graph.add(from, SlotId::from_index(0), to));
        let mut components: Vec<Vec<usize>> = graph
            .cyclic_components(states, |_| true)
            .into_iter()
            .map(|steps| {
                let mut members: Vec<usize> = steps.iter().map(|step| step.from).collect();
                members.dedup();
                members
            })
            .collect();
        components.sort();
        assert_eq!(components, expect, "{steps:?}");
        assert_eq!(graph.has_cycle(states), !expect.is_empty(), "{steps:?}");
    }

    #[test]
    fn cycles_and_components_are_found() {
        check(0, &[], &[]);
        check(1, &[], &[]);
        check(1, &[(0, 0)], &[&[0]]);
        check(3, &[(0, 1), (0, 2), (1, 2), (0, 1)], &[]);
        check(4, &[(0, 1), (1, 2), (2, 1), (2, 3)], &[&[1, 2]]);
        check(4, &[(3, 2), (2, 1), (1, 0), (3, 0)], &[]);
        check(5, &[(0, 1), (2, 3), (3, 4), (4, 2)], &[&[2, 3, 4]]);
        check(
            6,
            &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2), (3, 4), (4, 4), (0, 5)],
            &[&[0, 1], &[2, 3], &[4]],
        );
    }
}
