//! In which order places are worked on: those that come first in the program come first.
//!
//! What arrives at a place on different ways is merged before it is carried on, if the place is
//! worked on after all places from which it can be reached without going back to the head of a loop.
//! So in a program without loops each place is worked on once, and a loop settles before what comes
//! behind it.

use super::guarantee::Places;
use rely_base::Arena;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_program::{LocationId, Program};

/// How far places are from the beginning.
#[derive(Debug)]
pub(super) struct Order {
    ranks: Arena<LocationId, usize>,
}

impl Order {
    /// The order of the places of a program.
    pub(super) fn new(program: &Program) -> Self {
        let mut ranks: Arena<LocationId, usize> = program.locations().ids().map(|_| 1).collect();
        for thread in program.threads().values() {
            let visited = in_reverse_postorder(program, thread.entry);
            let mut positions: Arena<LocationId, Option<usize>> =
                program.locations().ids().map(|_| None).collect();
            for (position, &location) in visited.iter().enumerate() {
                positions[location] = Some(position);
            }
            for &location in &visited {
                for &edge in program.outgoing(location) {
                    let target = program.edges()[edge].target;
                    if positions[location] < positions[target] {
                        ranks[target] = ranks[target].max(ranks[location] + 1);
                    }
                }
            }
        }
        Self { ranks }
    }

    /// How many steps it takes at most to be there, without repetitions.
    fn rank(&self, point: ControlPoint) -> usize {
        match point {
            ControlPoint::Unstarted => 0,
            ControlPoint::At(location) => self.ranks[location],
        }
    }

    /// How many steps all threads together have made, if they have not gone back. A step that
    /// leads to no higher level goes back.
    pub(super) fn level(&self, places: &Places) -> usize {
        places.values().map(|&point| self.rank(point)).sum()
    }
}

/// The locations behind an entry, each before those that it leads to, except for those of loops.
fn in_reverse_postorder(program: &Program, entry: LocationId) -> Vec<LocationId> {
    let mut seen: Arena<LocationId, bool> = program.locations().ids().map(|_| false).collect();
    let mut finished = Vec::new();
    // Each location with the number of its edges that were followed already.
    let mut path: Vec<(LocationId, usize)> = vec![(entry, 0)];
    seen[entry] = true;
    while let Some((location, followed)) = path.last_mut() {
        let edge = program.outgoing(*location).get(*followed).copied();
        *followed += 1;
        match edge.map(|edge| program.edges()[edge].target) {
            Some(target) if !std::mem::replace(&mut seen[target], true) => path.push((target, 0)),
            Some(_) => {}
            None => {
                finished.push(*location);
                path.pop();
            }
        }
    }
    finished.reverse();
    finished
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::SourceMap;

    /// The ranks of the locations behind the entry of the first thread, in the order of the text.
    fn check(body: &str, expected: &[usize]) {
        let mut sources = SourceMap::new();
        let text = format!("var x: int = 0; thread T {{ {body} }}");
        let file = sources.add("test", text);
        let program = rely_model_front::translate(&sources, file).expect("a model");
        let order = Order::new(&program);
        let mut ranks: Vec<usize> = order.ranks.values().copied().collect();
        ranks.sort_unstable();
        assert_eq!(ranks, expected, "{body}");
        for edge in program.edges().values() {
            let is_back = order.ranks[edge.target] <= order.ranks[edge.source];
            assert!(!is_back || body.contains("while"), "{body}");
        }
    }

    #[test]
    fn places_come_after_all_that_lead_to_them() {
        check("x := 1; x := 2; x := 3;", &[1, 2, 3, 4]);
        // The shorter branch waits for the longer one.
        check("if x == 0 { x := 1; x := 2; } else { x := 3; } x := 4;", &[1, 2, 2, 3, 4, 5]);
    }

    #[test]
    fn going_back_does_not_count() {
        check("while x < 10 { x := x + 1; }", &[1, 2, 2]);
    }
}
