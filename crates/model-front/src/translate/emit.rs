//! The control flow of each thread, copied into the program.
//!
//! What cannot be reached once the constants are known is left out. Labels stay, because
//! properties can name them. A step that halts the program inside of an atomic block leads out of it,
//! to a location from which nothing leads on.

use super::Translator;
use super::steps::halts;
use crate::flow::NodeId;
use rely_base::Arena;
use rely_program::{LocationId, Op};
use rustc_hash::FxHashMap;

/// An edge of the control flow, by its number, with what it does.
struct Step {
    edge: usize,
    ops: Vec<Op>,
}

impl Translator<'_> {
    /// Copies the control flow of all threads.
    pub(super) fn emit_threads(&mut self) {
        for copy in 0..self.copies.len() {
            self.emit_thread(copy);
        }
    }

    fn emit_thread(&mut self, copy: usize) {
        let agent = self.copies[copy].agent;
        let mut steps = Vec::new();
        for edge in 0..self.agents[agent].flow.edges.len() {
            if self.gave_up {
                return;
            }
            if let Some(ops) = self.operations(copy, edge) {
                steps.push(Step { edge, ops });
            }
        }
        let reached = self.reached(agent, &steps);
        let locations = self.make_locations(copy, &reached);
        let (flow, thread) = (&self.agents[agent].flow, self.copies[copy].thread);
        for Step { edge, ops } in steps {
            let edge = &flow.edges[edge];
            if reached[edge.source]
                && let (Some(source), Some(target)) =
                    (locations.get(&edge.source), locations.get(&edge.target))
            {
                let leaves = halts(&ops) && flow.nodes[edge.target].atomic;
                let target = match leaves {
                    true => self.builder.location(thread, Some(edge.span)),
                    false => *target,
                };
                let made = self.builder.edge(*source, target, ops, Some(edge.span));
                self.builder.set_atomic_edge(made, edge.is_atomic.then_some(true));
            }
        }
        self.copies[copy].locations = locations;
    }

    /// The nodes to which the steps lead.
    fn reached(&self, agent: usize, steps: &[Step]) -> Arena<NodeId, bool> {
        let flow = &self.agents[agent].flow;
        let mut targets: Arena<NodeId, Vec<NodeId>> = flow.nodes.ids().map(|_| Vec::new()).collect();
        for step in steps {
            let edge = &flow.edges[step.edge];
            targets[edge.source].push(edge.target);
        }
        let mut reached: Arena<NodeId, bool> = flow.nodes.ids().map(|_| false).collect();
        let mut pending = vec![flow.entry];
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                pending.extend(&targets[node]);
            }
        }
        reached
    }

    /// Makes the locations of a thread, in the order of the source.
    fn make_locations(
        &mut self,
        copy: usize,
        reached: &Arena<NodeId, bool>,
    ) -> FxHashMap<NodeId, LocationId> {
        let thread = self.copies[copy].thread;
        let flow = &self.agents[self.copies[copy].agent].flow;
        let mut nodes: Vec<NodeId> =
            flow.nodes.ids().filter(|&node| reached[node] || flow.is_visible(node)).collect();
        nodes.sort_by_key(|&node| flow.position(node));
        let mut locations = FxHashMap::default();
        for id in nodes {
            let node = &flow.nodes[id];
            let location = if id == flow.entry {
                self.builder.entry(thread)
            } else if id == flow.exit {
                self.builder.exit(thread)
            } else {
                self.builder.location(thread, None)
            };
            self.builder.set_location_span(location, node.span);
            if let Some(label) = &node.label {
                self.builder.set_label(location, label);
            }
            if node.atomic {
                self.builder.set_atomic(location);
            }
            locations.insert(id, location);
        }
        locations
    }
}
