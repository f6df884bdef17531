//! Removing locations: every edge that leads to one is joined with every edge that leaves it.
//!
//! This is the one operation behind both kinds of compression; what differs is when it is
//! allowed. Here is how it is done, and how it is kept from growing without bound.

use crate::draft::Draft;
use rely_base::Arena;
use rely_program::analysis::IdSet;
use rely_program::{Edge, EdgeId, LocationId, Op};

/// Paths through a removed location that we are willing to write out, if they are more than
/// the edges they replace.
const MOST_PATHS: usize = 16;
/// The operations of all these paths together.
const MOST_OPS: usize = 400;

/// Longer edges are not made: whoever looks at an edge looks at all of its operations, and an edge that
/// grows by one of them after the other is looked at each time.
const MOST_OPS_OF_EDGE: usize = 1_000;

/// A draft together with the edges at each location, kept up to date.
pub(crate) struct Eliminator<'p> {
    pub(crate) draft: Draft<'p>,
    incoming: Arena<LocationId, Vec<EdgeId>>,
    outgoing: Arena<LocationId, Vec<EdgeId>>,
}

impl<'p> Eliminator<'p> {
    pub(crate) fn new(draft: Draft<'p>) -> Self {
        let none = || draft.program.locations().ids().map(|_| Vec::new()).collect();
        let (mut incoming, mut outgoing): (Arena<LocationId, Vec<EdgeId>>, Arena<LocationId, Vec<EdgeId>>) =
            (none(), none());
        for (id, edge) in draft.edges() {
            incoming[edge.target].push(id);
            outgoing[edge.source].push(id);
        }
        Self { draft, incoming, outgoing }
    }

    pub(crate) fn edge(&self, edge: EdgeId) -> &Edge {
        &self.draft.program.edges()[edge]
    }

    pub(crate) fn incoming(&self, location: LocationId) -> impl Iterator<Item = &Edge> {
        self.incoming[location].iter().map(|&edge| self.edge(edge))
    }

    pub(crate) fn outgoing(&self, location: LocationId) -> impl Iterator<Item = &Edge> {
        self.outgoing[location].iter().map(|&edge| self.edge(edge))
    }

    pub(crate) fn incoming_ids(&self, location: LocationId) -> &[EdgeId] {
        &self.incoming[location]
    }

    /// Whether the location can go at all: it is inside its thread, something leads to it and
    /// from it, it is no loop by itself, no run halts there, and there are not too many paths
    /// through it.
    pub(crate) fn is_removable<'e>(&'e self, location: LocationId) -> bool {
        let thread = self.draft.program.thread_of(location);
        let (incoming, outgoing) = (self.incoming[location].len(), self.outgoing[location].len());
        let lengths = |edges: &'e [EdgeId]| edges.iter().map(|&edge| self.edge(edge).ops.len());
        let ops = |edges: &'e [EdgeId]| lengths(edges).sum::<usize>();
        let most_ops = |edges: &'e [EdgeId]| lengths(edges).max().unwrap_or(0);
        let paths = incoming * outgoing;
        let total_ops = ops(&self.incoming[location]) * outgoing + ops(&self.outgoing[location]) * incoming;
        location != thread.entry
            && location != thread.exit
            && incoming > 0
            && outgoing > 0
            && most_ops(&self.incoming[location]) + most_ops(&self.outgoing[location]) <= MOST_OPS_OF_EDGE
            && self.outgoing(location).all(|edge| edge.target != location)
            && self.incoming(location).all(|edge| !edge.ops.contains(&Op::Halt))
            && (paths <= (incoming + outgoing).min(MOST_PATHS * 4) || paths <= MOST_PATHS)
            && total_ops <= MOST_OPS.max(2 * (ops(&self.incoming[location]) + ops(&self.outgoing[location])))
    }

    /// Joins all edges to the location with all edges from it.
    pub(crate) fn remove(&mut self, location: LocationId) {
        let incoming = std::mem::take(&mut self.incoming[location]);
        let outgoing = std::mem::take(&mut self.outgoing[location]);
        for &first in &incoming {
            for &second in &outgoing {
                let (edge, steps) = self.draft.concatenation(first, second);
                let (source, target) = (edge.source, edge.target);
                let joined = self.draft.add_edge(edge, steps);
                self.outgoing[source].push(joined);
                self.incoming[target].push(joined);
            }
        }
        for &edge in incoming.iter().chain(&outgoing) {
            let (source, target) = (self.edge(edge).source, self.edge(edge).target);
            self.outgoing[source].retain(|&other| other != edge);
            self.incoming[target].retain(|&other| other != edge);
            self.draft.drop_edge(edge);
        }
        self.draft.remove_location(location);
    }

    /// Remembers that the old program may still have to take the parts of this edge.
    pub(crate) fn settle(&mut self, edge: EdgeId) {
        let parts: IdSet<EdgeId> = self.draft.steps[edge].iter().map(|step| step.edge).collect();
        self.draft.settling_edges.union_with(&parts);
    }
}
