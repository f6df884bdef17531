//! How a counterexample came about, apart from the trees in which it was found.

use super::violation::violates;
use super::{Counterexample, NodeId, Origin, Trees, Wrong};
use rely_base::Id;
use rely_program::ThreadId;
use rustc_hash::FxHashSet;

/// The nodes from which a counterexample follows, each after those it depends on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Derivation {
    /// Whose nodes they are and where they come from; nodes are numbered by their position here.
    nodes: Vec<(ThreadId, Origin)>,
    counterexample: Counterexample,
}

impl Derivation {
    /// How a counterexample came about; `None` if it needs more nodes than allowed.
    pub(crate) fn new(
        trees: &Trees<'_, '_>,
        counterexample: &Counterexample,
        most_nodes: usize,
    ) -> Option<Self> {
        let nodes = trees.ancestors(&counterexample.nodes, most_nodes)?;
        // They are in order, and each is among them.
        let number = |node: NodeId| NodeId::from_index(nodes.partition_point(|&other| other < node));
        let origin = |node: NodeId| match trees.nodes[node].origin {
            Origin::Initial(case) => Origin::Initial(case),
            Origin::Own { parent, by } => Origin::Own { parent: number(parent), by },
            Origin::Environment { parent, actor, by } => {
                Origin::Environment { parent: number(parent), actor: number(actor), by }
            }
            Origin::Spawned { actor, by, position } => Origin::Spawned { actor: number(actor), by, position },
        };
        let counterexample = Counterexample {
            nodes: counterexample.nodes.iter().map(|&node| number(node)).collect(),
            what: counterexample.what,
        };
        Some(Derivation {
            nodes: nodes.iter().map(|&node| (trees.nodes[node].thread, origin(node))).collect(),
            counterexample,
        })
    }

    /// Whether it is still a counterexample with the precision of these trees, which must not
    /// have grown yet.
    pub(crate) fn is_possible(&self, trees: &mut Trees<'_, '_>) -> bool {
        trees.nodes.clear();
        for &(thread, origin) in &self.nodes {
            let node = match origin {
                Origin::Initial(case) => trees.initial(case, thread),
                Origin::Own { parent, by } if trees.can_move(&trees.nodes[parent], by) => {
                    trees.after_own(parent, by)
                }
                Origin::Environment { parent, actor, by }
                    if trees.can_meet(&trees.nodes[parent], &trees.nodes[actor], by) =>
                {
                    let told = trees.told_to_others(actor, by);
                    trees.after_other(parent, (actor, by), &told)
                }
                Origin::Spawned { actor, by, position } => trees.first_of_spawned(actor, by, position),
                Origin::Own { .. } | Origin::Environment { .. } => None,
            };
            let Some(node) = node else { return false };
            trees.nodes.push(node);
        }
        let nodes = &self.counterexample.nodes;
        match self.counterexample.what {
            Wrong::Move(by) => {
                trees.can_move(&trees.nodes[nodes[0]], by) && trees.is_own_step_possible(nodes[0], by)
            }
            Wrong::Violation(index) => violates(trees, index, nodes),
        }
    }
}

impl Trees<'_, '_> {
    /// All nodes on which the given ones depend, each after those it depends on; `None` if they
    /// are more than allowed.
    pub(crate) fn ancestors(&self, roots: &[NodeId], most_nodes: usize) -> Option<Vec<NodeId>> {
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut pending: Vec<NodeId> = roots.to_vec();
        while let Some(node) = pending.pop() {
            if !seen.insert(node) {
                continue;
            }
            if seen.len() > most_nodes {
                return None;
            }
            match self.nodes[node].origin {
                Origin::Initial(_) => {}
                Origin::Own { parent, .. } => pending.push(parent),
                Origin::Environment { parent, actor, .. } => pending.extend([parent, actor]),
                Origin::Spawned { actor, .. } => pending.push(actor),
            }
        }
        // Nodes are numbered in the order in which they are made.
        let mut nodes: Vec<NodeId> = seen.into_iter().collect();
        nodes.sort_unstable();
        Some(nodes)
    }
}
