//! Differences and bounds as shortest paths, for systems that are large.
//!
//! A constraint `x - y <= c` is an edge from `y` to `x` of length `c`; a bound is a difference to
//! an extra node for zero. The shortest distances are a solution, a cycle of negative length is a
//! refutation in which every edge has the weight one (R. Bellman; J. Y. Yen's order of the edges,
//! which settles chains in either direction in one round). A chain of ten thousand variables makes
//! a tableau of fifty million coefficients, but only ten thousand edges.

use rely_base::Budget;
use rustc_hash::FxHashMap;

use super::effort::{Halt, Reason};
use super::model::Model;
use super::simplex::combine;
use crate::arith::Integer;
use crate::certificate::{Combination, Hypothesis};
use crate::linear::{Constraint, Relation, VarId};

type Node = usize;

/// The node whose value is zero.
const ZERO: Node = 0;

/// `to - from <= length`.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Node,
    to: Node,
    length: i64,
    hypothesis: Hypothesis,
    /// The constraint is an equality, used with all signs changed.
    subtract: bool,
}

/// What the differences and bounds among some constraints say.
#[derive(Debug)]
pub(super) enum Differences {
    /// They contradict each other.
    Conflict(Combination),
    /// They hold at this point.
    Point(Model),
    /// The numbers are too large for machine words.
    TooLarge,
}

/// Decides those constraints that are differences or bounds.
pub(super) fn decide(constraints: &[Constraint], budget: &Budget) -> Result<Differences, Halt> {
    let Some(mut graph) = Graph::new(constraints) else { return Ok(Differences::TooLarge) };
    loop {
        budget.check_now().map_err(|reason| Halt::GaveUp(Reason::Stopped(reason)))?;
        match graph.round() {
            None => return Ok(Differences::TooLarge),
            Some(false) => return Ok(Differences::Point(graph.point())),
            Some(true) => {}
        }
        if let Some(cycle) = graph.cycle() {
            let weight = |edge: &Edge| if edge.subtract { Integer::MINUS_ONE } else { Integer::ONE };
            return Ok(Differences::Conflict(combine(
                cycle.iter().map(|edge| (edge.hypothesis, weight(edge))),
            )));
        }
    }
}

struct Graph {
    nodes: FxHashMap<VarId, Node>,
    /// Edges to nodes of higher numbers by ascending start, then edges to lower ones by
    /// descending start.
    edges: Vec<Edge>,
    distances: Vec<i64>,
    /// The edge that gave each node its distance.
    parents: Vec<Option<Edge>>,
}

impl Graph {
    /// The graph of the differences and bounds; `None` if a constant does not fit a word.
    fn new(constraints: &[Constraint]) -> Option<Self> {
        let mut nodes: FxHashMap<VarId, Node> = FxHashMap::default();
        let mut edges = Vec::new();
        for (index, constraint) in constraints.iter().enumerate() {
            let Some((positive, negative)) = ends(constraint) else { continue };
            let mut node = |variable: Option<VarId>| match variable {
                Some(variable) => {
                    let next = nodes.len() + 1;
                    *nodes.entry(variable).or_insert(next)
                }
                None => ZERO,
            };
            let (to, from) = (node(positive), node(negative));
            let constant = constraint.form().constant_term().to_i64()?;
            let hypothesis = Hypothesis(index as u32);
            edges.push(Edge { from, to, length: constant.checked_neg()?, hypothesis, subtract: false });
            if constraint.relation() == Relation::Eq {
                edges.push(Edge { from: to, to: from, length: constant, hypothesis, subtract: true });
            }
        }
        edges.sort_by_key(|edge| {
            let forwards = edge.from < edge.to;
            (!forwards, if forwards { edge.from } else { Node::MAX - edge.from })
        });
        let count = nodes.len() + 1;
        Some(Graph { nodes, edges, distances: vec![0; count], parents: vec![None; count] })
    }

    /// Follows every edge once; tells whether a distance shrank, or `None` on overflow.
    fn round(&mut self) -> Option<bool> {
        let mut changed = false;
        for edge in &self.edges {
            let distance = self.distances[edge.from].checked_add(edge.length)?;
            if distance < self.distances[edge.to] {
                self.distances[edge.to] = distance;
                self.parents[edge.to] = Some(*edge);
                changed = true;
            }
        }
        Some(changed)
    }

    /// A cycle of parents, which has a negative length.
    fn cycle(&self) -> Option<Vec<Edge>> {
        // Which walk has reached a node first; walks are numbered by where they start.
        let mut reached_by: Vec<Option<Node>> = vec![None; self.parents.len()];
        for start in 0..self.parents.len() {
            let mut node = start;
            while reached_by[node].is_none() {
                reached_by[node] = Some(start);
                let Some(edge) = self.parents[node] else { break };
                node = edge.from;
            }
            if reached_by[node] == Some(start)
                && let Some(cycle) = self.cycle_through(node)
            {
                return Some(cycle);
            }
        }
        None
    }

    fn cycle_through(&self, node: Node) -> Option<Vec<Edge>> {
        let mut cycle = Vec::new();
        let mut at = node;
        loop {
            let edge = self.parents[at]?;
            cycle.push(edge);
            at = edge.from;
            if at == node {
                return Some(cycle);
            }
            if cycle.len() > self.parents.len() {
                return None;
            }
        }
    }

    fn point(&self) -> Model {
        let zero = Integer::from(self.distances[ZERO]);
        let value = |node: &Node| Integer::from(self.distances[*node]) - &zero;
        Model::of_integers(self.nodes.iter().map(|(variable, node)| (*variable, value(node))))
    }
}

/// `Some((x, y))` if the constraint bounds `x - y` from above, where one of the two may be absent.
fn ends(constraint: &Constraint) -> Option<(Option<VarId>, Option<VarId>)> {
    if !matches!(constraint.relation(), Relation::Le | Relation::Eq) {
        return None;
    }
    let is = |factor: &Integer, sign: i32| factor.is_unit() && factor.signum() == sign;
    match constraint.form().terms() {
        [(x, a)] if is(a, 1) => Some((Some(*x), None)),
        [(x, a)] if is(a, -1) => Some((None, Some(*x))),
        [(x, a), (y, b)] if is(a, 1) && is(b, -1) => Some((Some(*x), Some(*y))),
        [(x, a), (y, b)] if is(a, -1) && is(b, 1) => Some((Some(*y), Some(*x))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rely_base::Id;

    use super::*;
    use crate::certificate::Proof;
    use crate::conjunction::{Conjunction, Verdict};
    use crate::linear::{Domain, LinearForm};

    fn any_difference() -> impl Strategy<Value = Constraint> {
        let relation = prop_oneof![3 => Just(Relation::Le), 1 => Just(Relation::Eq)];
        (0usize..6, 0usize..6, -6i64..=6, relation).prop_map(|(left, right, constant, relation)| {
            // The same variable twice stands for a bound.
            let (left, right) = (VarId::from_index(left), VarId::from_index(right));
            let terms = if left == right { vec![(left, 1)] } else { vec![(left, 1), (right, -1)] };
            Constraint::new(LinearForm::new(terms, constant), relation)
        })
    }

    proptest! {
        #[test]
        fn shortest_paths_and_simplex_agree(
            constraints in prop::collection::vec(any_difference(), 1..14),
        ) {
            let mut solver = Conjunction::new(Domain::Integers);
            constraints.iter().for_each(|constraint| { solver.assert(constraint); });
            let verdict = solver.check(&Budget::unlimited());
            match decide(&constraints, &Budget::unlimited()) {
                Ok(Differences::Conflict(weights)) => {
                    prop_assert_eq!(Proof::farkas(weights).check(Domain::Integers, &constraints), Ok(()));
                    prop_assert_eq!(verdict, Verdict::Unsat);
                }
                Ok(Differences::Point(point)) => {
                    prop_assert!(constraints.iter().all(|constraint| point.satisfies(constraint)));
                    prop_assert_eq!(verdict, Verdict::Sat);
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
