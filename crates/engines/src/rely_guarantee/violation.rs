//! Looks for nodes of several threads that together allow a violation of a property.

use super::system::{SpotId, System};
use super::tree::{NodeId, Trees};
use rely_base::Id;
use rely_evidence::rely_guarantee::Spot;
use rely_logic::Constraint;
use rely_program::ThreadId;
use rely_symbolic::Violation;

/// A thread that takes part in a violation, and where it stands then.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) thread: ThreadId,
    pub(super) spots: Vec<SpotId>,
    /// Whether it is the second instance of its template, with locals of its own.
    pub(super) second: bool,
}

/// Who takes part in a violation: those whose place or locals it mentions; if there are none, one
/// thread that runs, because what any thread knows is always true.
pub(super) fn roles(system: &System<'_>, violation: &Violation) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    let calm = |thread: ThreadId, spots: Vec<SpotId>| -> Vec<SpotId> {
        let atomic = &system.thread(thread).atomic;
        spots.into_iter().filter(|spot| !atomic[spot.index()]).collect()
    };
    for test in &violation.places {
        let (thread, spots) = system.place(test);
        roles.push(Role { thread, spots: calm(thread, spots), second: false });
    }
    // Of a template two take part at most: rather at different places than two at the same.
    let counted = |number: u32| violation.witnesses.iter().filter(move |(_, count)| *count > number);
    for &(location, _) in counted(0).chain(counted(1)) {
        let thread = system.program.locations()[location].thread;
        let copies = roles.iter().filter(|role| role.thread == thread).count();
        if copies < 2 {
            let spot = system.spot(thread, Spot::At(location));
            roles.push(Role { thread, spots: vec![spot], second: copies == 1 });
        }
    }
    let owners = violation.guard.iter().flat_map(|constraint| constraint.form().variables());
    let running = system.thread_ids().find(|&thread| system.thread(thread).start.is_some());
    let mentioned: Vec<ThreadId> = owners.filter_map(|variable| system.cells.owner(variable)).collect();
    let reference = if roles.is_empty() && mentioned.is_empty() { running } else { None };
    for thread in mentioned.into_iter().chain(reference) {
        if roles.iter().all(|role| role.thread != thread) {
            let spots = (0..system.thread(thread).spots.len()).map(SpotId::from_index).collect();
            roles.push(Role { thread, spots: calm(thread, spots), second: false });
        }
    }
    roles
}

/// The facts about the handles of the template instances among the roles.
pub(super) fn role_facts(system: &System<'_>, roles: &[Role]) -> Vec<Constraint> {
    let mut facts = Vec::new();
    for (index, first) in roles.iter().enumerate() {
        for second in &roles[index + 1..] {
            facts.extend(system.handle_facts(first.thread, second.thread));
        }
    }
    facts
}

/// Whether nodes, one for each role, allow a violation together, for all that they know.
pub(super) fn violates(trees: &mut Trees<'_, '_>, violation: usize, nodes: &[NodeId]) -> bool {
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
    let standing = nodes.iter().map(|&node| (trees.nodes[node].thread, trees.nodes[node].spot));
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
pub(super) struct Search<'s, 'a, 'p> {
    trees: &'s mut Trees<'a, 'p>,
    violation: &'s Violation,
    roles: Vec<Role>,
    given: NodeId,
}

impl<'s, 'a, 'p> Search<'s, 'a, 'p> {
    pub(super) fn new(trees: &'s mut Trees<'a, 'p>, violation: &'s Violation, given: NodeId) -> Self {
        let roles = roles(trees.system(), violation);
        Search { trees, violation, roles, given }
    }

    /// Nodes for all roles, in their order.
    pub(super) fn run(&mut self) -> Option<Vec<NodeId>> {
        (0..self.roles.len()).find_map(|role| {
            if !self.can_play(self.given, role) {
                return None;
            }
            self.cast(role, Vec::new())
        })
    }

    fn can_play(&self, node: NodeId, role: usize) -> bool {
        let (role, node) = (&self.roles[role], &self.trees.nodes[node]);
        role.thread == node.thread && role.spots.contains(&node.spot)
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
