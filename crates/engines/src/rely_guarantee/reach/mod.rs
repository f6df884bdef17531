//! Abstract reachability trees with environment transitions, one tree for each thread.
//!
//! A node says where its thread stands, in which blocks the others are, and which predicates hold.
//! A move of one thread from one of its nodes is an environment transition for all others: from
//! each of their nodes that agrees with that node it leads to what is left of theirs afterwards.
//! Nothing is joined; a node that says no more than another one is covered by it.
//!
//! * [`successors`]: what follows from a node by one step;
//! * [`decide`], [`components`]: what holds after a step;
//! * [`interference`], [`places`]: which nodes and which steps of others concern each other;
//! * [`violation`]: nodes of several threads that violate a property together;
//! * [`derivation`]: how a counterexample came about, to be told again with another precision.

pub(crate) mod components;
pub(crate) mod decide;
mod derivation;
mod interference;
mod places;
mod successors;
mod violation;

pub(crate) use derivation::Derivation;

use super::limits::Limits;
use super::precision::literals::Literals;
use super::precision::{Blocks, Precision};
use decide::Decider;
use interference::{Environment, EnvironmentId, Interference, InterferenceIndex};
use places::Places;
use rely_base::{Arena, Budget, Id, StopReason, define_id};
use rely_logic::{Constraint, VarId};
use rely_program::ThreadId;
use rely_symbolic::{BranchEnd, ControlPointId, Move, MoveId, System};
use std::collections::VecDeque;
use violation::Search;

define_id!(
    /// A node of one of the trees.
    pub(crate) struct NodeId
);

/// An abstract state of a thread.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) thread: ThreadId,
    pub(crate) point: ControlPointId,
    /// In which block each thread is; of itself and of templates nothing is tracked.
    pub(crate) blocks: Blocks,
    /// What holds.
    pub(crate) literals: Literals,
    pub(crate) origin: Origin,
    /// Whether a later node covers this one, so that nothing more has to follow from it.
    pub(crate) covered: bool,
}

/// Where a node comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// One of the cases of the initial states.
    Initial(usize),
    /// A step of the thread itself.
    Own { parent: NodeId, by: MoveId },
    /// A step of another thread from one of its nodes.
    Environment { parent: NodeId, actor: NodeId, by: MoveId },
    /// The thread is a new instance of a template, started by another thread.
    Spawned { actor: NodeId, by: MoveId, position: usize },
}

/// Nodes that together show a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counterexample {
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) what: Wrong,
}

/// What is wrong in a counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// The first node's thread takes a move that fails or has no meaning.
    Move(MoveId),
    /// The violation with this index.
    Violation(usize),
}

/// Why the trees are not complete.
pub(crate) enum Interrupted {
    Counterexample(Counterexample),
    /// There are more nodes than allowed.
    TooLarge,
    Stopped(StopReason),
}

/// Which predicates a move can change for observers.
struct Affected {
    others: Literals,
    same_template: Literals,
}

impl Affected {
    fn seen_by(&self, observer: ThreadId, actor: ThreadId) -> &Literals {
        if observer == actor { &self.same_template } else { &self.others }
    }
}

/// The trees of all threads, as far as they have grown.
pub(crate) struct Trees<'a, 'p> {
    system: &'a System<'p>,
    precision: &'a Precision,
    decider: &'a mut Decider<'p>,
    budget: &'a Budget,
    pub(crate) places: Places<'a, 'p>,
    pub(crate) nodes: Arena<NodeId, Node>,
    /// The nodes of each control point of each thread that are not covered.
    at: Vec<Vec<Vec<NodeId>>>,
    affected: Vec<Affected>,
    /// What of a mover's knowledge can matter to others, for each move.
    told: Vec<Literals>,
    /// What each thread does not track at each of its control points, as masks.
    untracked: Vec<Vec<Literals>>,
    /// The predicates of each thread, as masks.
    tracked: Vec<Literals>,
    /// The moves that can make a difference to some node of each thread.
    watched: Vec<Vec<MoveId>>,
    interference: InterferenceIndex,
    pending: VecDeque<NodeId>,
    /// The nodes of each thread whose moves are known, in order.
    expanded: Vec<Vec<NodeId>>,
}

impl<'a, 'p> Trees<'a, 'p> {
    pub(crate) fn new(
        system: &'a System<'p>,
        precision: &'a Precision,
        decider: &'a mut Decider<'p>,
        budget: &'a Budget,
    ) -> Self {
        let affected = |by: &Move| Affected {
            others: precision.affected(system, by, false),
            same_template: precision.affected(system, by, true),
        };
        let untracked = |thread: ThreadId| {
            let points = (0..system.thread(thread).points.len()).map(ControlPointId::from_index);
            points.map(|point| precision.untracked(system, thread, point)).collect()
        };
        let mut trees = Trees {
            system,
            precision,
            decider,
            budget,
            places: Places::new(system, precision),
            nodes: Arena::new(),
            at: system.threads.iter().map(|thread| vec![Vec::new(); thread.points.len()]).collect(),
            affected: system.moves.iter().map(affected).collect(),
            told: system.moves.iter().map(|by| precision.told(system, by)).collect(),
            untracked: system.thread_ids().map(untracked).collect(),
            tracked: system.thread_ids().map(|thread| precision.mask_of(thread)).collect(),
            watched: Vec::new(),
            interference: InterferenceIndex::new(system, precision),
            pending: VecDeque::new(),
            expanded: vec![Vec::new(); system.threads.len()],
        };
        let moves = || (0..system.moves.len()).map(MoveId::from_index);
        let watched = |observer| moves().filter(|&by| trees.is_visible(observer, by)).collect();
        trees.watched = system.thread_ids().map(watched).collect();
        trees
    }

    /// Grows the trees until nothing is missing or something is wrong. Trees that were too large for
    /// one limit can grow on with another one.
    pub(crate) fn grow(&mut self, most_nodes: usize) -> Result<(), Interrupted> {
        for case in 0..self.system.initial.len() {
            for thread in self.system.thread_ids() {
                let node = self.initial(case, thread);
                self.add(node);
            }
        }
        while !self.pending.is_empty() {
            self.budget.check_now().map_err(Interrupted::Stopped)?;
            self.budget.check_memory(self.memory_bytes()).map_err(Interrupted::Stopped)?;
            if self.nodes.len() > most_nodes {
                return Err(Interrupted::TooLarge);
            }
            let Some(node) = self.pending.pop_front() else { break };
            if !self.nodes[node].covered {
                self.expand(node).map_err(Interrupted::Counterexample)?;
            }
        }
        self.budget.check_now().map_err(Interrupted::Stopped)
    }

    /// An estimate of what the trees and the remembered answers hold.
    fn memory_bytes(&self) -> usize {
        const PER_NODE: usize = size_of::<Node>() + 64;
        self.nodes.len() * PER_NODE + self.interference.memory_bytes() + self.decider.memory_bytes()
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.decider.limits
    }

    pub(crate) fn system(&self) -> &'a System<'p> {
        self.system
    }

    /// How many of the tracked predicates mention a cell.
    pub(crate) fn predicates_about(&self, cell: VarId) -> usize {
        self.precision.predicates_about(cell)
    }

    /// Whether some thread tracks a predicate.
    pub(crate) fn knows(&self, constraint: &Constraint) -> bool {
        self.precision.find(constraint).is_some()
    }

    /// How many blocks of another thread's control points an observer tells apart.
    pub(crate) fn told_apart(&self, observer: ThreadId, observed: ThreadId) -> usize {
        self.precision.partition(observer, observed).len()
    }

    /// The nodes at a control point that no other one covers.
    pub(crate) fn at(&self, thread: ThreadId, point: ControlPointId) -> &[NodeId] {
        &self.at[thread.index()][point.index()]
    }

    /// What the literals of a node say.
    pub(crate) fn constraints(&self, node: NodeId) -> Vec<Constraint> {
        self.precision.constraints(&self.nodes[node].literals).cloned().collect()
    }

    /// Adds a node, if there is one and no other covers it.
    fn add(&mut self, node: Option<Node>) {
        let Some(node) = node else { return };
        let siblings = &mut self.at[node.thread.index()][node.point.index()];
        if siblings.iter().any(|&sibling| self.nodes[sibling].covers(&node)) {
            return;
        }
        siblings.retain(|&sibling| {
            let covered = node.covers(&self.nodes[sibling]);
            self.nodes[sibling].covered = covered;
            !covered
        });
        let id = self.nodes.push(node);
        siblings.push(id);
        self.pending.push_back(id);
    }

    fn expand(&mut self, id: NodeId) -> Result<(), Counterexample> {
        let thread = self.nodes[id].thread;
        self.expanded[thread.index()].push(id);
        self.look_for_violations(id)?;
        self.wait_for_others(id);
        let node = &self.nodes[id];
        if self.places.is_held_up(node, thread) {
            return Ok(());
        }
        for &by in &self.system.thread(thread).moves[node.point.index()] {
            self.step(id, by)?;
        }
        Ok(())
    }

    /// Takes the moves of others that are known already, and waits for more.
    fn wait_for_others(&mut self, id: NodeId) {
        let (observer, point) = (self.nodes[id].thread, self.nodes[id].point);
        for index in 0..self.watched[observer.index()].len() {
            let by = self.watched[observer.index()][index];
            let (node, the_move) = (&self.nodes[id], self.system.get(by));
            if !self.concerns(node, by) || !self.places.can_see(node, the_move) {
                continue;
            }
            let block = self.places.block_of(the_move.thread, observer, point);
            let at = Interference { by, observer, block };
            // Instances of one template have locals of their own: they contradict nobody.
            let same_template = the_move.thread == observer;
            let known = if same_template { Literals::default() } else { node.literals.clone() };
            self.interference.add_observer(at, id, &known);
            for environment in self.interference.made(at, &known) {
                self.interfere(id, environment);
            }
        }
    }

    /// One move of the node's own thread.
    fn step(&mut self, id: NodeId, by: MoveId) -> Result<(), Counterexample> {
        let (system, node) = (self.system, &self.nodes[id]);
        let the_move = system.get(by);
        if !self.places.allow(node, the_move) {
            return Ok(());
        }
        if matches!(the_move.branch.ending, BranchEnd::Fails(_) | BranchEnd::Undefined) {
            let is_possible = self.is_own_step_possible(id, by);
            let counterexample = Counterexample { nodes: vec![id], what: Wrong::Move(by) };
            return if is_possible { Err(counterexample) } else { Ok(()) };
        }
        if !the_move.leads_on(system) {
            return Ok(());
        }
        let Some(next) = self.after_own(id, by) else { return Ok(()) };
        for position in 0..the_move.branch.spawned.len() {
            let first = self.first_of_spawned(id, by, position);
            self.add(first);
        }
        self.add(Some(next));
        self.show(id, by);
        Ok(())
    }

    /// Makes a move from a node known to all threads that may be concerned.
    fn show(&mut self, actor: NodeId, by: MoveId) {
        let node = &self.nodes[actor];
        let environment = Environment { actor, by, literals: self.told_to_others(actor, by) };
        let Some(environment) = self.interference.environment(environment, &node.blocks) else { return };
        for observer in self.system.thread_ids() {
            if self.watched[observer.index()].binary_search(&by).is_err() {
                continue;
            }
            let block = self.nodes[actor].blocks[observer.index()];
            let at = Interference { by, observer, block };
            self.interference.add_environment(at, environment);
            let known = self.interference.get(environment).literals.clone();
            for node in self.interference.observers(at, &known) {
                self.interfere(node, environment);
            }
        }
    }

    /// Whether a move can make a difference to some node of a thread.
    fn is_visible(&self, observer: ThreadId, id: MoveId) -> bool {
        let by = self.system.get(id);
        if observer == by.thread && !self.system.thread(observer).is_template {
            return false;
        }
        let affected = self.affected[id.index()].seen_by(observer, by.thread);
        let tracked = self.precision.of(observer).iter();
        by.branch.started.contains(&observer)
            || tracked.into_iter().any(|&predicate| affected.contains_predicate(predicate))
            || self.places.block_of(observer, by.thread, by.source)
                != self.places.block_of(observer, by.thread, by.target)
            || by
                .branch
                .started
                .iter()
                .any(|&started| !self.precision.partition(observer, started).is_trivial())
    }

    /// A move of another thread from one of its nodes, seen from a node that meets it.
    fn interfere(&mut self, id: NodeId, environment: EnvironmentId) {
        let environment = self.interference.get(environment);
        let (node, actor, by) = (&self.nodes[id], &self.nodes[environment.actor], environment.by);
        let is_other = node.thread != actor.thread;
        if node.covered || is_other && !self.places.agree_on_others(node, actor) {
            return;
        }
        let (actor, told) = (environment.actor, environment.literals.clone());
        let next = self.after_other(id, (actor, by), &told);
        self.add(next);
    }

    /// Whether a node could be different after the move: otherwise it covers what comes out.
    pub(crate) fn concerns(&self, node: &Node, id: MoveId) -> bool {
        let (view, by) = (self.system.thread(node.thread), self.system.get(id));
        let is_other = by.thread != node.thread || view.is_template;
        is_other
            && !view.atomic[node.point.index()]
            && (node.literals.intersects(self.affected[id.index()].seen_by(node.thread, by.thread))
                || by.branch.started.contains(&node.thread)
                || self.places.change(node, by))
    }

    /// Whether a node and one from which another thread moves can be about the same state.
    pub(crate) fn can_meet(&self, node: &Node, actor: &Node, by: MoveId) -> bool {
        self.places.agree(node, actor)
            && !self.places.is_held_up(node, actor.thread)
            && self.places.allow(node, self.system.get(by))
    }

    /// Whether a thread can make a move, as far as the places of others tell.
    pub(crate) fn can_move(&self, node: &Node, by: MoveId) -> bool {
        !self.places.is_held_up(node, node.thread) && self.places.allow(node, self.system.get(by))
    }

    /// Violations in which the node takes part, together with nodes of other threads.
    fn look_for_violations(&mut self, id: NodeId) -> Result<(), Counterexample> {
        let system = self.system;
        for (index, violation) in system.violations.iter().enumerate() {
            if let Some(nodes) = Search::new(self, violation, id).run() {
                return Err(Counterexample { nodes, what: Wrong::Violation(index) });
            }
        }
        Ok(())
    }

    /// Whether constraints have a common solution, as far as can be told.
    pub(crate) fn is_satisfiable(&mut self, constraints: &[Constraint]) -> bool {
        self.decider.is_satisfiable(constraints)
    }

    /// The nodes that were looked at for violations already, of one thread.
    pub(crate) fn expanded_of(&self, thread: ThreadId) -> Vec<NodeId> {
        let nodes = self.expanded[thread.index()].iter().copied();
        nodes.filter(|&id| !self.nodes[id].covered).collect()
    }

    /// Whether two nodes can be about the same state, as far as places tell.
    pub(crate) fn compatible(&self, first: NodeId, second: NodeId) -> bool {
        self.places.agree(&self.nodes[first], &self.nodes[second])
    }

    /// Whether another thread is certainly inside an atomic block, so that nobody looks.
    pub(crate) fn is_waiting(&self, node: NodeId) -> bool {
        let node = &self.nodes[node];
        self.places.is_held_up(node, node.thread)
    }
}

impl Node {
    /// Whether everything that another node allows is allowed here.
    fn covers(&self, other: &Node) -> bool {
        self.blocks == other.blocks && self.literals.is_subset(&other.literals)
    }
}
