//! Which nodes and which moves of other threads concern each other.
//!
//! Nodes wait for the moves that can change them, and moves for the nodes that they can change. Both
//! are found by the move and by where the mover believes the node's thread to be, so that only
//! pairs are looked at that agree about each other's places. Moves from different nodes that look the
//! same to everybody else are one.

use super::NodeId;
use crate::rely_guarantee::precision::literals::Literals;
use crate::rely_guarantee::precision::{BlockId, Blocks, Precision};
use rely_base::{Arena, Id, define_id};
use rely_program::ThreadId;
use rely_symbolic::{MoveId, System};
use rustc_hash::FxHashSet;

define_id!(
    /// A move from one of its thread's nodes, as others see it.
    pub(crate) struct EnvironmentId
);

/// A move from one of its thread's nodes, as others see it.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub(crate) actor: NodeId,
    pub(crate) by: MoveId,
    /// What is known before the move, as far as it matters to others.
    pub(crate) literals: Literals,
}

/// Where a node and a move can meet: the move, the node's thread, and the block in which the mover
/// sees that thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interference {
    pub(crate) by: MoveId,
    pub(crate) observer: ThreadId,
    pub(crate) block: BlockId,
}

/// Which nodes can be changed by which moves, and by which abstract states that make them.
pub(crate) struct InterferenceIndex {
    /// The nodes that wait for a move: those that it can change.
    observers: Lists<(NodeId, Literals)>,
    /// The moves that were made.
    made: Lists<(EnvironmentId, Literals)>,
    environments: Arena<EnvironmentId, Environment>,
    seen: FxHashSet<(MoveId, Literals, Blocks)>,
    count: usize,
}

/// Something by move, thread and block.
type Lists<T> = Vec<Vec<Vec<Vec<T>>>>;

impl InterferenceIndex {
    pub(crate) fn new(system: &System<'_>, precision: &Precision) -> Self {
        InterferenceIndex {
            observers: empty_lists(system, precision),
            made: empty_lists(system, precision),
            environments: Arena::new(),
            seen: FxHashSet::default(),
            count: 0,
        }
    }

    /// Lets a node that knows some literals wait for a move.
    pub(crate) fn add_observer(&mut self, at: Interference, node: NodeId, known: &Literals) {
        at.list_mut(&mut self.observers).push((node, known.clone()));
        self.count += 1;
    }

    /// A move from a node that stands in these blocks; `None` if one that looks the same was made
    /// already.
    pub(crate) fn environment(&mut self, environment: Environment, blocks: &Blocks) -> Option<EnvironmentId> {
        let look = (environment.by, environment.literals.clone(), blocks.clone());
        self.seen.insert(look).then(|| self.environments.push(environment))
    }

    /// Tells a thread of a move.
    pub(crate) fn add_environment(&mut self, at: Interference, environment: EnvironmentId) {
        let known = self.environments[environment].literals.clone();
        at.list_mut(&mut self.made).push((environment, known));
        self.count += 1;
    }

    /// The nodes that wait and do not contradict some literals.
    pub(crate) fn observers(&self, at: Interference, known: &Literals) -> Vec<NodeId> {
        compatible(at.list(&self.observers), known)
    }

    /// The moves that were made from nodes that do not contradict some literals.
    pub(crate) fn made(&self, at: Interference, known: &Literals) -> Vec<EnvironmentId> {
        compatible(at.list(&self.made), known)
    }

    pub(crate) fn get(&self, environment: EnvironmentId) -> &Environment {
        &self.environments[environment]
    }

    /// An estimate of what is held.
    pub(crate) fn memory_bytes(&self) -> usize {
        const PER_ENVIRONMENT: usize = 2 * size_of::<Environment>() + size_of::<Blocks>();
        self.count * size_of::<(NodeId, Literals)>() + self.environments.len() * PER_ENVIRONMENT
    }
}

/// Of most pairs the two sides contradict each other, so they are compared where they are listed.
fn compatible<T: Copy>(list: &[(T, Literals)], known: &Literals) -> Vec<T> {
    list.iter().filter(|(_, other)| !other.contradicts(known)).map(|(item, _)| *item).collect()
}

fn empty_lists<T: Clone>(system: &System<'_>, precision: &Precision) -> Lists<T> {
    let of_move = |mover: ThreadId| {
        let blocks = |observer| vec![Vec::new(); precision.partition(mover, observer).len()];
        system.thread_ids().map(blocks).collect()
    };
    system.moves.iter().map(|by| of_move(by.thread)).collect()
}

impl Interference {
    fn list<T>(self, lists: &Lists<T>) -> &[T] {
        &lists[self.by.index()][self.observer.index()][self.block.index()]
    }

    fn list_mut<T>(self, lists: &mut Lists<T>) -> &mut Vec<T> {
        &mut lists[self.by.index()][self.observer.index()][self.block.index()]
    }
}
