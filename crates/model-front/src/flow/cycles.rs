//! Which steps a thread can take more than once.

use super::{Flow, NodeId};
use rely_base::Arena;

/// Marks the edges that lie on a cycle: those inside a strongly connected component.
pub fn mark(flow: &mut Flow<'_>) {
    let mut forward: Arena<NodeId, Vec<NodeId>> = flow.nodes.ids().map(|_| Vec::new()).collect();
    let mut backward: Arena<NodeId, Vec<NodeId>> = flow.nodes.ids().map(|_| Vec::new()).collect();
    for edge in &flow.edges {
        forward[edge.source].push(edge.target);
        backward[edge.target].push(edge.source);
    }
    let mut component: Arena<NodeId, Option<NodeId>> = flow.nodes.ids().map(|_| None).collect();
    for root in finishing_order(&forward).into_iter().rev() {
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            if component[node].is_none() {
                component[node] = Some(root);
                pending.extend(&backward[node]);
            }
        }
    }
    for edge in &mut flow.edges {
        edge.repeats = component[edge.source] == component[edge.target];
    }
}

/// All nodes in the order in which a depth-first search leaves them.
fn finishing_order(forward: &Arena<NodeId, Vec<NodeId>>) -> Vec<NodeId> {
    let mut seen: Arena<NodeId, bool> = forward.ids().map(|_| false).collect();
    let mut order = Vec::with_capacity(forward.len());
    for root in forward.ids() {
        let mut path = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((node, next)) = path.last_mut() {
            match forward[*node].get(*next) {
                Some(&successor) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[successor], true) {
                        path.push((successor, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}
