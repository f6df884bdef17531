//! What follows from a node by one step.

use super::decide::Step;
use super::{Node, NodeId, Origin, Trees};
use crate::rely_guarantee::precision::literals::Literals;
use crate::rely_guarantee::precision::{BlockId, Blocks};
use rely_base::Id;
use rely_logic::{Constraint, VarId};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, MoveId};

impl Trees<'_, '_> {
    /// The root of a thread's tree for one of the cases of the initial states, if it runs in them.
    pub(crate) fn initial(&mut self, case: usize, thread: ThreadId) -> Option<Node> {
        let point = self.system.thread(thread).start?;
        let constraints = &self.system.initial[case];
        let literals = self.decider.abstracted(self.precision, constraints, &[], thread)?;
        let blocks = self.places.initial(thread);
        Some(self.node(thread, point, blocks, literals, Origin::Initial(case)))
    }

    /// A node without what is not tracked where it stands.
    fn node(
        &self,
        thread: ThreadId,
        point: ControlPointId,
        blocks: Blocks,
        literals: Literals,
        origin: Origin,
    ) -> Node {
        let literals = literals.without(&self.untracked[thread.index()][point.index()]);
        Node { thread, point, blocks, literals, origin, covered: false }
    }

    /// Whether the values that a node knows allow a move of its own thread.
    pub(crate) fn is_own_step_possible(&mut self, id: NodeId, by: MoveId) -> bool {
        let step = self.own_step(&self.nodes[id], by);
        self.decider.is_possible(self.precision, &step)
    }

    /// What follows by a move of the node's own thread, if its values allow it.
    pub(crate) fn after_own(&mut self, id: NodeId, by: MoveId) -> Option<Node> {
        let (node, the_move) = (&self.nodes[id], self.system.get(by));
        let (thread, step, blocks) =
            (node.thread, self.own_step(node, by), self.places.after(node, the_move));
        let kept = (&node.literals, &self.affected[by.index()].others);
        let tracked = &self.tracked[thread.index()];
        let literals = self.decider.after(self.precision, &step, tracked, kept)?;
        Some(self.node(thread, the_move.target, blocks, literals, Origin::Own { parent: id, by }))
    }

    /// What of a mover's knowledge matters to others.
    pub(crate) fn told_to_others(&self, actor: NodeId, by: MoveId) -> Literals {
        self.nodes[actor].literals.intersection(&self.told[by.index()])
    }

    /// What is left of a node after a move of another thread, of which so much is known, if their
    /// values allow it.
    pub(crate) fn after_other(
        &mut self,
        id: NodeId,
        (actor, by): (NodeId, MoveId),
        told: &Literals,
    ) -> Option<Node> {
        let (node, the_move) = (&self.nodes[id], self.system.get(by));
        let (thread, step) = (node.thread, self.seen_step(node, told, by)?);
        let affected = self.affected[by.index()].seen_by(thread, the_move.thread);
        let (tracked, kept) = (&self.tracked[thread.index()], (&node.literals, affected));
        let literals = self.decider.after(self.precision, &step, tracked, kept)?;
        let starts = the_move.branch.started.contains(&thread);
        let point = if starts { self.system.thread(thread).entry } else { self.nodes[id].point };
        let blocks = self.places.after(&self.nodes[id], the_move);
        Some(self.node(thread, point, blocks, literals, Origin::Environment { parent: id, actor, by }))
    }

    /// The first node of a template instance that a possible move starts.
    pub(crate) fn first_of_spawned(&mut self, id: NodeId, by: MoveId, position: usize) -> Option<Node> {
        let known = self.nodes[id].literals.clone();
        let literals = self.spawned(&known, by, position)?;
        let (template, _) = self.system.get(by).branch.spawned[position];
        let blocks = self.system.thread_ids().map(|_| BlockId::from_index(0)).collect();
        let point = self.system.thread(template).entry;
        Some(self.node(template, point, blocks, literals, Origin::Spawned { actor: id, by, position }))
    }

    /// What an instance knows that a move starts, if the move is possible.
    pub(crate) fn spawned(&mut self, known: &Literals, by: MoveId, position: usize) -> Option<Literals> {
        let branch = &self.system.get(by).branch;
        let (template, locals) = &branch.spawned[position];
        let mut updates = branch.updates.clone();
        updates.extend(locals.iter().cloned());
        updates.sort_by_key(|(cell, _)| *cell);
        let mut known: Vec<Constraint> = self.precision.constraints(known).cloned().collect();
        known.extend(branch.guard.iter().cloned());
        self.decider.abstracted(self.precision, &known, &updates, *template)
    }

    /// A move as its observer sees it, if that much is known of the mover; `None` if the two
    /// contradict each other.
    pub(crate) fn seen_step(&self, node: &Node, mover: &Literals, by: MoveId) -> Option<Step> {
        let (actor, source) = (self.system.get(by).thread, self.system.get(by).source);
        let facts = self.precision.facts(self.system, &[(node.thread, node.point), (actor, source)]);
        if node.thread == actor {
            let (known, foreign) = (node.literals.clone(), Some(mover.clone()));
            return Some(Step { by, known, foreign, observer: node.thread, facts });
        }
        let known = node.literals.union(mover)?;
        // Without handles it makes no difference who looks, and the answers can be shared.
        let is_template = self.system.thread(node.thread).is_template;
        let observer = if is_template { node.thread } else { actor };
        Some(Step { by, known, foreign: None, observer, facts })
    }

    /// Whether a step can be made.
    pub(crate) fn is_possible(&mut self, step: &Step) -> bool {
        self.decider.is_possible(self.precision, step)
    }

    /// What a thread knows at a control point after a possible step, of some of its predicates. `kept` is
    /// what it knew before.
    pub(crate) fn after(
        &mut self,
        step: &Step,
        kept: &Literals,
        (thread, point): (ThreadId, ControlPointId),
        among: &Literals,
    ) -> Literals {
        let affected = &self.affected[step.by.index()];
        let affected = if step.foreign.is_some() { &affected.same_template } else { &affected.others };
        let among = self.tracked[thread.index()].intersection(among);
        // The step is possible, so something is known after it.
        let literals = self.decider.after(self.precision, step, &among, (kept, affected));
        let literals = literals.unwrap_or_default();
        literals.without(&self.untracked[thread.index()][point.index()])
    }

    /// A move of the node's own thread.
    pub(crate) fn own_step(&self, node: &Node, by: MoveId) -> Step {
        let facts = self.precision.facts(self.system, &[(node.thread, node.point)]);
        Step { by, known: node.literals.clone(), foreign: None, observer: node.thread, facts }
    }

    /// What is known of cells that count threads from where some threads are.
    pub(crate) fn facts(&self, present: &[(ThreadId, ControlPointId)]) -> Vec<Constraint> {
        self.precision.facts(self.system, present)
    }

    /// The cells that are known to count threads.
    pub(crate) fn counted(&self) -> &[VarId] {
        self.precision.counted()
    }
}
