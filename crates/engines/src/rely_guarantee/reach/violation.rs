//! Looks for nodes of several threads that together allow a violation of a property.

use super::{NodeId, Trees};
use rely_logic::Constraint;
use rely_symbolic::{Role, Violation, role_facts, roles};

/// Whether nodes, one for each role, allow a violation together, for all that they know.
pub(crate) fn violates(trees: &mut Trees<'_, '_>, violation: usize, nodes: &[NodeId]) -> bool {
    let violation = &trees.system().violations[violation];
    let roles = roles(trees.system(), violation);
    let calm = nodes.iter().all(|&node| !trees.is_waiting(node));
    let compatible = |index: usize, node| nodes[..index].iter().all(|&other| trees.compatible(node, other));
    let agree = nodes.iter().enumerate().all(|(index, &node)| compatible(index, node));
    calm && agree && {
        let constraints = together(trees, violation, &roles, nodes);
        trees.is_satisfiable(&constraints)
    }
}

/// What holds in a violation, together with what the nodes know that play the roles in it.
fn together(
    trees: &Trees<'_, '_>,
    violation: &Violation,
    roles: &[Role],
    nodes: &[NodeId],
) -> Vec<Constraint> {
    let system = trees.system();
    let mut constraints = violation.guard.clone();
    constraints.extend(role_facts(system, roles));
    let standing = nodes.iter().map(|&node| (trees.nodes[node].thread, trees.nodes[node].point));
    constraints.extend(trees.facts(&standing.collect::<Vec<_>>()));
    for (role, &node) in roles.iter().zip(nodes) {
        let known = trees.constraints(node).into_iter();
        if role.second {
            let rename = |cell| system.seen_by(role.thread, role.thread, cell);
            constraints.extend(known.map(|constraint| constraint.rename(rename)));
        } else {
            constraints.extend(known);
        }
    }
    constraints
}

/// The search for nodes that play all roles, one of them given.
pub(crate) struct Search<'s, 'a, 'p> {
    trees: &'s mut Trees<'a, 'p>,
    violation: &'s Violation,
    roles: Vec<Role>,
    given: NodeId,
}

impl<'s, 'a, 'p> Search<'s, 'a, 'p> {
    pub(crate) fn new(trees: &'s mut Trees<'a, 'p>, violation: &'s Violation, given: NodeId) -> Self {
        let roles = roles(trees.system(), violation);
        Search { trees, violation, roles, given }
    }

    /// Nodes for all roles, in their order.
    pub(crate) fn run(&mut self) -> Option<Vec<NodeId>> {
        (0..self.roles.len()).find_map(|role| {
            if !self.can_play(self.given, role) {
                return None;
            }
            self.cast(role, Vec::new())
        })
    }

    fn can_play(&self, node: NodeId, role: usize) -> bool {
        let (role, node) = (&self.roles[role], &self.trees.nodes[node]);
        role.thread == node.thread && role.points.contains(&node.point)
    }

    fn cast(&mut self, given_role: usize, chosen: Vec<NodeId>) -> Option<Vec<NodeId>> {
        let role = chosen.len();
        if role == self.roles.len() {
            let constraints = together(self.trees, self.violation, &self.roles, &chosen);
            return self.trees.is_satisfiable(&constraints).then_some(chosen);
        }
        let candidates = if role == given_role {
            vec![self.given]
        } else {
            self.trees.expanded_of(self.roles[role].thread)
        };
        for candidate in candidates {
            let fits = self.can_play(candidate, role)
                && !self.trees.is_waiting(candidate)
                && chosen.iter().all(|&other| self.trees.compatible(candidate, other));
            if fits {
                let mut chosen = chosen.clone();
                chosen.push(candidate);
                if let Some(found) = self.cast(given_role, chosen) {
                    return Some(found);
                }
            }
        }
        None
    }
}
