//! Atomic blocks as single edges.
//!
//! What happens inside an atomic block is one step for everybody else, so a node inside it can
//! be left out: each edge that leads there is joined with each that leaves. This is done
//! where it makes the graph no larger. What remains, in the main the heads of loops, stays as
//! a node that is marked as atomic.

use super::{Flow, FlowEdge, NodeId};
use rely_base::Arena;

/// Edges that share actions with others may not become longer than this.
const MOST_SHARED_ACTIONS: usize = 64;

/// Leaves out nodes inside atomic blocks.
pub fn shorten(flow: &mut Flow<'_>) {
    if flow.nodes.values().all(|node| !node.atomic) {
        return;
    }
    let mut graph = Graph::new(flow);
    // Nodes were made from the last statement to the first: in this order, edges grow at
    // their end.
    for node in flow.nodes.ids().rev() {
        if flow.nodes[node].atomic {
            graph.leave_out(node);
        }
    }
    flow.edges = graph.edges.into_iter().flatten().collect();
}

struct Graph<'a> {
    edges: Vec<Option<FlowEdge<'a>>>,
    incoming: Arena<NodeId, Vec<usize>>,
    outgoing: Arena<NodeId, Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn new(flow: &mut Flow<'a>) -> Self {
        let lists = || flow.nodes.ids().map(|_| Vec::new()).collect();
        let mut graph = Graph { edges: Vec::new(), incoming: lists(), outgoing: lists() };
        for edge in std::mem::take(&mut flow.edges) {
            graph.add(edge);
        }
        graph
    }

    fn add(&mut self, edge: FlowEdge<'a>) {
        let index = self.edges.len();
        self.incoming[edge.target].push(index);
        self.outgoing[edge.source].push(index);
        self.edges.push(Some(edge));
    }

    /// The edges of a list that were not joined with others yet.
    fn living(&self, list: &[usize]) -> Vec<usize> {
        list.iter().copied().filter(|&index| self.edges[index].is_some()).collect()
    }

    fn leave_out(&mut self, node: NodeId) {
        // Each node comes once, so its lists are read once.
        let (incoming, outgoing) = (self.living(&self.incoming[node]), self.living(&self.outgoing[node]));
        let (ways_in, ways_out) = (incoming.len(), outgoing.len());
        if ways_in == 0 || ways_out == 0 || ways_in * ways_out > ways_in + ways_out {
            return;
        }
        let loops = incoming.iter().any(|index| outgoing.contains(index));
        let longest = |list: &[usize]| list.iter().map(|&index| self.actions(index)).max().unwrap_or(0);
        let too_long = longest(&incoming) + longest(&outgoing) > MOST_SHARED_ACTIONS;
        if loops || (ways_in * ways_out > 1 && too_long) {
            return;
        }
        let incoming: Vec<_> = incoming.into_iter().filter_map(|index| self.edges[index].take()).collect();
        let outgoing: Vec<_> = outgoing.into_iter().filter_map(|index| self.edges[index].take()).collect();
        for first in incoming {
            let Some((last, others)) = outgoing.split_last() else { return };
            for second in others {
                self.add(joined(first.clone(), second));
            }
            self.add(joined(first, last));
        }
    }

    fn actions(&self, index: usize) -> usize {
        self.edges[index].as_ref().map_or(0, |edge| edge.actions.len())
    }
}

fn joined<'a>(mut first: FlowEdge<'a>, second: &FlowEdge<'a>) -> FlowEdge<'a> {
    first.target = second.target;
    first.repeats |= second.repeats;
    first.is_atomic |= second.is_atomic;
    // The edge into a block does nothing and covers all of it: say what is really done.
    first.span = if first.actions.is_empty() { second.span } else { first.span.to(second.span) };
    first.actions.extend_from_slice(&second.actions);
    first
}
