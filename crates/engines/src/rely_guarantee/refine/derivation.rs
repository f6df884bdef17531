//! The derivation of a counterexample as Horn clauses: one unknown for each node on which it depends.
//!
//! In the modular form an unknown speaks of globals and of the locals of its own thread, so a solution
//! is what a modular proof has to say about these nodes. In the general form it speaks of the locals of
//! all instances. Nobody can speak of the locals of templates but their own instances.

use super::clauses::{Clause, Clauses, Premise, Solved, Unknown};
use super::{Found, Refinement};
use crate::rely_guarantee::candidates::Candidates;
use crate::rely_guarantee::precision::PrecisionIncrement;
use crate::rely_guarantee::reach::{Counterexample, NodeId, Origin, Trees, Wrong};
use rely_base::Budget;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::ThreadId;
use rely_symbolic::{System, role_facts, roles};
use rustc_hash::FxHashMap;

/// Of what the unknowns of clauses may speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Each of globals and the locals of its own thread.
    Modular,
    /// Of the locals of other instances, too.
    General,
}

impl Form {
    fn allows(self, system: &System<'_>, cell: VarId, thread: ThreadId) -> bool {
        let is_of_instance = |owner: ThreadId| !system.thread(owner).is_template;
        system.is_modular(cell, thread)
            || self == Form::General && system.cells.owner(cell).is_some_and(is_of_instance)
    }
}

/// Looks for predicates that exclude the counterexample, if some cells are known to count threads.
pub(crate) fn solve(
    trees: &Trees<'_, '_>,
    counterexample: &Counterexample,
    form: Form,
    counted: &[VarId],
    (candidates, budget): (&Candidates, &Budget),
) -> Refinement {
    let system = trees.system();
    let Some(nodes) = trees.ancestors(&counterexample.nodes, trees.limits().derivation_nodes) else {
        return Refinement::Nothing;
    };
    let cells = relevant_cells(trees, counterexample, &nodes);
    let mut clauses = Clauses::default();
    let mut unknowns: FxHashMap<NodeId, Unknown> = FxHashMap::default();
    for &node in &nodes {
        let (thread, point) = (trees.nodes[node].thread, trees.nodes[node].point);
        let speaks_of =
            |cell: &VarId| form.allows(system, *cell, thread) && system.is_live(thread, point, *cell);
        let parameters: Vec<VarId> = cells.iter().copied().filter(speaks_of).collect();
        unknowns.insert(node, clauses.unknown(parameters));
    }
    for &node in &nodes {
        let mut clause = origin(trees, &clauses, &unknowns, node);
        clause.constraints.extend(facts(trees, counted, &before(trees, node)));
        clauses.list.push(clause);
    }
    let mut last = exclusion(trees, &clauses, &unknowns, counterexample);
    last.constraints.extend(facts(trees, counted, &counterexample.nodes));
    clauses.list.push(last);
    match clauses.solve(trees, candidates, budget) {
        Solved::Atoms { atoms, are_conjunctions } => {
            let found = nodes.iter().flat_map(|node| {
                let (thread, point) = (trees.nodes[*node].thread, trees.nodes[*node].point);
                let constraints = atoms[unknowns[node]].iter().cloned();
                constraints.map(move |constraint| PrecisionIncrement::Predicate { thread, point, constraint })
            });
            Refinement::Track(Found { increments: found.collect(), is_final: are_conjunctions })
        }
        Solved::Contradiction(_) => Refinement::Impossible,
        Solved::Undecided => match budget.check_now() {
            Ok(()) => Refinement::Nothing,
            Err(reason) => Refinement::Stopped(reason),
        },
    }
}

/// The cells that some step of the derivation reads or writes.
fn relevant_cells(trees: &Trees<'_, '_>, counterexample: &Counterexample, nodes: &[NodeId]) -> Vec<VarId> {
    let system = trees.system();
    let mut cells: Vec<VarId> = Vec::new();
    for &node in nodes {
        match trees.nodes[node].origin {
            Origin::Initial(_) => {}
            Origin::Own { by, .. } | Origin::Environment { by, .. } | Origin::Spawned { by, .. } => {
                cells.extend(system.get(by).branch.variables());
            }
        }
    }
    match counterexample.what {
        Wrong::Move(by) => cells.extend(system.get(by).branch.variables()),
        Wrong::Violation(index) => {
            let guard = &system.violations[index].guard;
            cells.extend(guard.iter().flat_map(|constraint| constraint.form().variables()));
        }
    }
    cells.extend(system.thread_ids().filter_map(|thread| system.cells.handle_variable(thread)));
    cells.retain(|&cell| system.cells.is_cell(cell));
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// The nodes from which a step leads to a node.
fn before(trees: &Trees<'_, '_>, node: NodeId) -> Vec<NodeId> {
    match trees.nodes[node].origin {
        Origin::Initial(_) | Origin::Spawned { .. } => Vec::new(),
        Origin::Own { parent, .. } => vec![parent],
        Origin::Environment { parent, actor, .. } => vec![parent, actor],
    }
}

/// What is known of cells that count threads if these are where some nodes say.
fn facts(trees: &Trees<'_, '_>, counted: &[VarId], nodes: &[NodeId]) -> Vec<Constraint> {
    let standing = nodes.iter().map(|&node| (trees.nodes[node].thread, trees.nodes[node].point));
    let standing: Vec<_> = standing.collect();
    // Trees use nothing more where a step has nobody before it, so nor does this.
    if standing.is_empty() {
        return Vec::new();
    }
    trees.system().counting.facts(counted, trees.system(), &standing)
}

/// The clause that derives a node.
fn origin(
    trees: &Trees<'_, '_>,
    clauses: &Clauses,
    unknowns: &FxHashMap<NodeId, Unknown>,
    node: NodeId,
) -> Clause {
    let system = trees.system();
    let thread = trees.nodes[node].thread;
    let same = |node: NodeId| clauses.before(unknowns[&node], |cell| cell);
    let (constraints, premises, updates) = match trees.nodes[node].origin {
        Origin::Initial(case) => (system.initial[case].clone(), vec![], vec![]),
        Origin::Own { parent, by } => {
            let branch = &system.get(by).branch;
            let mut constraints = branch.guard.clone();
            constraints.extend(system.handle_facts(thread, thread));
            (constraints, vec![same(parent)], branch.updates.clone())
        }
        Origin::Environment { parent, actor, by } => {
            let branch = &system.get(by).branch;
            let actor_thread = trees.nodes[actor].thread;
            let rename = |cell| system.seen_by(thread, actor_thread, cell);
            let guard = branch.guard.iter().map(|constraint| constraint.rename(rename));
            let constraints = guard.chain(system.handle_facts(thread, actor_thread)).collect();
            let premises = vec![same(parent), clauses.before(unknowns[&actor], rename)];
            (constraints, premises, renamed(&branch.updates, rename))
        }
        Origin::Spawned { actor, by, position } => {
            let branch = &system.get(by).branch;
            let mut updates = branch.updates.clone();
            updates.extend(branch.spawned[position].1.iter().cloned());
            updates.sort_by_key(|(cell, _)| *cell);
            (branch.guard.clone(), vec![same(actor)], updates)
        }
    };
    Clause { constraints, premises, conclusion: Some((unknowns[&node], updates)) }
}

fn renamed(updates: &[(VarId, LinearForm)], rename: impl Fn(VarId) -> VarId) -> Vec<(VarId, LinearForm)> {
    let mut updates: Vec<_> =
        updates.iter().map(|(cell, value)| (rename(*cell), value.rename(&rename))).collect();
    updates.sort_by_key(|(cell, _)| *cell);
    updates
}

/// The clause that says that the nodes exclude the violation.
fn exclusion(
    trees: &Trees<'_, '_>,
    clauses: &Clauses,
    unknowns: &FxHashMap<NodeId, Unknown>,
    counterexample: &Counterexample,
) -> Clause {
    let system = trees.system();
    let (constraints, premises) = match counterexample.what {
        Wrong::Move(by) => {
            let node = counterexample.nodes[0];
            let thread = trees.nodes[node].thread;
            let mut constraints = system.get(by).branch.guard.clone();
            constraints.extend(system.handle_facts(thread, thread));
            (constraints, vec![clauses.before(unknowns[&node], |cell| cell)])
        }
        Wrong::Violation(index) => {
            let violation = &system.violations[index];
            let roles = roles(system, violation);
            let mut constraints = violation.guard.clone();
            constraints.extend(role_facts(system, &roles));
            let premises = roles.iter().zip(&counterexample.nodes).map(|(role, node)| {
                let thread = role.thread;
                clauses.before(unknowns[node], |cell| {
                    if role.second { system.seen_by(thread, thread, cell) } else { cell }
                })
            });
            (constraints, premises.collect::<Vec<Premise>>())
        }
    };
    Clause { constraints, premises, conclusion: None }
}
