//! What nodes know about where other threads are.

use super::Node;
use crate::rely_guarantee::precision::{BlockId, Blocks, Precision};
use rely_base::Id;
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, Move, System};

/// Answers about blocks, prepared for one precision: they are asked for every pair of nodes.
pub(crate) struct Places<'a, 'p> {
    system: &'a System<'p>,
    precision: &'a Precision,
    /// For two observers and a thread: which of their blocks have a control point in common. Empty if one
    /// of the two does not tell anything apart.
    overlaps: Vec<Vec<Vec<bool>>>,
    /// For an observer and a thread: the blocks with atomic control points only.
    atomic: Vec<Vec<bool>>,
}

impl<'a, 'p> Places<'a, 'p> {
    pub(crate) fn new(system: &'a System<'p>, precision: &'a Precision) -> Self {
        let mut places = Places { system, precision, overlaps: Vec::new(), atomic: Vec::new() };
        for first in system.thread_ids() {
            for second in system.thread_ids() {
                places.atomic.push(places.atomic_blocks(first, second));
                for other in system.thread_ids() {
                    places.overlaps.push(places.overlapping_blocks(first, second, other));
                }
            }
        }
        places
    }

    fn atomic_blocks(&self, observer: ThreadId, observed: ThreadId) -> Vec<bool> {
        let (partition, view) = (self.precision.partition(observer, observed), self.system.thread(observed));
        if !self.system.has_atomic_points || observer == observed || view.is_template {
            return vec![false; partition.len()];
        }
        let blocks = (0..partition.len()).map(|block| partition.block(BlockId::from_index(block)));
        blocks.map(|block| block.iter().all(|point| view.atomic[point.index()])).collect()
    }

    fn overlapping_blocks(&self, first: ThreadId, second: ThreadId, other: ThreadId) -> Vec<Vec<bool>> {
        let [left, right] = [first, second].map(|observer| self.precision.partition(observer, other));
        let is_involved = first == second || other == first || other == second;
        if is_involved || self.system.thread(other).is_template || left.is_trivial() || right.is_trivial() {
            return Vec::new();
        }
        let row = |block: usize| {
            let mut row = vec![false; right.len()];
            for &point in left.block(BlockId::from_index(block)) {
                row[right.block_of(point).index()] = true;
            }
            row
        };
        (0..left.len()).map(row).collect()
    }

    fn count(&self) -> usize {
        self.system.threads.len()
    }

    /// The block in which an observer sees a thread that is at a control point.
    pub(crate) fn block_of(&self, observer: ThreadId, observed: ThreadId, point: ControlPointId) -> BlockId {
        let is_tracked = observer != observed && !self.system.thread(observed).is_template;
        let partition = self.precision.partition(observer, observed);
        if is_tracked { partition.block_of(point) } else { BlockId::from_index(0) }
    }

    /// Where everybody is at the beginning.
    pub(crate) fn initial(&self, observer: ThreadId) -> Blocks {
        let start = |observed| self.system.thread(observed).start.unwrap_or(ControlPointId::from_index(0));
        let block = |observed| self.block_of(observer, observed, start(observed));
        self.system.thread_ids().map(block).collect()
    }

    /// Who is elsewhere after a move, and in which block an observer sees it then.
    fn moved<'m>(&'m self, observer: ThreadId, by: &'m Move) -> impl Iterator<Item = (usize, BlockId)> + 'm {
        let started = by.branch.started.iter().map(|&thread| (thread, self.system.thread(thread).entry));
        let moved = std::iter::once((by.thread, by.target)).chain(started);
        moved.map(move |(thread, point)| (thread.index(), self.block_of(observer, thread, point)))
    }

    /// Where a node sees everybody after a move.
    pub(crate) fn after(&self, node: &Node, by: &Move) -> Blocks {
        let mut blocks = node.blocks.clone();
        for (thread, block) in self.moved(node.thread, by) {
            blocks[thread] = block;
        }
        blocks
    }

    /// Whether a node sees somebody elsewhere after a move.
    pub(crate) fn change(&self, node: &Node, by: &Move) -> bool {
        self.moved(node.thread, by).any(|(thread, block)| node.blocks[thread] != block)
    }

    /// Whether another thread is certainly inside an atomic block, so that `mover` has to wait.
    pub(crate) fn is_held_up(&self, node: &Node, mover: ThreadId) -> bool {
        self.system.has_atomic_points
            && self.system.thread_ids().any(|other| {
                let atomic = &self.atomic[node.thread.index() * self.count() + other.index()];
                other != mover && atomic[node.blocks[other.index()].index()]
            })
    }

    /// Whether what a node knows about places allows a move.
    pub(crate) fn allow(&self, node: &Node, by: &Move) -> bool {
        by.places.iter().all(|(thread, points)| self.allow_at(node, *thread, points))
    }

    /// Whether a thread can be at one of some control points for all that a node knows.
    fn allow_at(&self, node: &Node, thread: ThreadId, points: &[ControlPointId]) -> bool {
        if thread == node.thread {
            return points.contains(&node.point);
        }
        let partition = self.precision.partition(node.thread, thread);
        let block = node.blocks[thread.index()];
        points.iter().any(|&point| partition.block_of(point) == block)
    }

    /// Whether two nodes can be about the same state.
    pub(crate) fn agree(&self, first: &Node, second: &Node) -> bool {
        first.thread == second.thread
            || self.allow_at(first, second.thread, &[second.point])
                && self.allow_at(second, first.thread, &[first.point])
                && self.agree_on_others(first, second)
    }

    /// Whether two nodes of different threads can be about the same state as far as third threads
    /// are concerned.
    pub(crate) fn agree_on_others(&self, first: &Node, second: &Node) -> bool {
        let start = (first.thread.index() * self.count() + second.thread.index()) * self.count();
        let overlaps = &self.overlaps[start..start + self.count()];
        overlaps
            .iter()
            .zip(first.blocks.iter().zip(&second.blocks))
            .all(|(table, (left, right))| table.is_empty() || table[left.index()][right.index()])
    }

    /// Whether another thread can stand where its move starts, and make the move, for all that a
    /// node knows.
    pub(crate) fn can_see(&self, node: &Node, by: &Move) -> bool {
        (by.thread == node.thread || self.allow_at(node, by.thread, &[by.source]))
            && !self.is_held_up(node, by.thread)
            && self.allow(node, by)
    }
}
