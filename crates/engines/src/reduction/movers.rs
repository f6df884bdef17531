//! Which edges commute with the edges of all other threads.
//!
//! Two edges commute if neither writes what the other one reads or writes; and it is no matter whether they
//! commute if they are never neighbours in a run: since what the two threads know cannot hold at once, or
//! since what one leaves is not what the other one needs. An edge that can go wrong is looked at up to where
//! it does: a check in front of the test of a lock is seen by others even while the lock is taken.

use super::held::{Facts, Held, Passage};
use rely_base::Id;
use rely_evidence::reduction::Mover;
use rely_program::analysis::{Access, IdSet};
use rely_program::{EdgeId, Expr, Goal, LocationId, Op, Program, PropertyKind, ThreadId, VarId};

/// Where edges can move.
pub(super) struct Movers {
    right: Vec<bool>,
    left: Vec<bool>,
}

impl Movers {
    /// The movers of a program.
    pub(super) fn new(program: &Program, goal: Goal, held: &Held<'_>) -> Self {
        let pairs = Pairs::new(program, held);
        let observed = Observed::new(program, goal);
        let can_move = |edge: EdgeId| is_plain(program, edge) && !observed.notices(program, edge);
        let ends = |edge: EdgeId| {
            let edge = &program.edges()[edge];
            edge.target == program.thread_of(edge.source).exit
        };
        let all = |edge: EdgeId, commutes: &dyn Fn(EdgeId) -> bool| {
            can_move(edge) && pairs.others(edge).all(commutes)
        };
        Self {
            right: program
                .edges()
                .ids()
                .map(|edge| !ends(edge) && all(edge, &|other| pairs.right(edge, other)))
                .collect(),
            left: program.edges().ids().map(|edge| all(edge, &|other| pairs.left(edge, other))).collect(),
        }
    }

    pub(super) fn is_right(&self, edge: EdgeId) -> bool {
        self.right[edge.index()]
    }

    pub(super) fn is_left(&self, edge: EdgeId) -> bool {
        self.left[edge.index()]
    }

    /// What an edge is, if it is a mover.
    pub(super) fn mover(&self, edge: EdgeId) -> Option<Mover> {
        match (self.is_right(edge), self.is_left(edge)) {
            (true, true) => Some(Mover::Both),
            (true, false) => Some(Mover::Right),
            (false, true) => Some(Mover::Left),
            (false, false) => None,
        }
    }
}

/// Only some operations can move, outside of atomic blocks.
fn is_plain(program: &Program, edge: EdgeId) -> bool {
    let edge = &program.edges()[edge];
    let is_plain = |op: &Op| matches!(op, Op::Assume(..) | Op::Assign(_) | Op::Havoc(..) | Op::Check(..));
    let is_outside = |end: &LocationId| !program.locations()[*end].atomic;
    edge.ops.iter().all(is_plain) && [edge.source, edge.target].iter().all(is_outside)
}

/// Edges of two threads.
struct Pairs<'a> {
    program: &'a Program,
    held: &'a Held<'a>,
    reads: Vec<IdSet<VarId>>,
    writes: Vec<IdSet<VarId>>,
}

impl<'a> Pairs<'a> {
    fn new(program: &'a Program, held: &'a Held<'a>) -> Self {
        let shared =
            |vars: &IdSet<VarId>| vars.iter().filter(|&var| program.vars()[var].is_global()).collect();
        let accesses: Vec<Access> =
            program.edges().ids().map(|edge| Access::of_edge(program, edge)).collect();
        Self {
            program,
            held,
            reads: accesses.iter().map(|access| shared(&access.reads)).collect(),
            writes: accesses.iter().map(|access| shared(&access.writes)).collect(),
        }
    }

    /// The edges of other threads that are not independent of one.
    fn others(&self, edge: EdgeId) -> impl Iterator<Item = EdgeId> + '_ {
        let actor = self.held.actor(edge);
        let is_other = move |other: &EdgeId| self.held.are_others(actor, self.held.actor(*other));
        self.program.edges().ids().filter(is_other).filter(move |other| !self.are_independent(edge, *other))
    }

    fn are_independent(&self, one: EdgeId, other: EdgeId) -> bool {
        let (one, other) = (one.index(), other.index());
        !self.writes[one].intersects(&self.writes[other])
            && !self.writes[one].intersects(&self.reads[other])
            && !self.reads[one].intersects(&self.writes[other])
    }

    /// Both edges, if both can be taken.
    fn both(&self, edge: EdgeId, other: EdgeId) -> Option<(&Passage, &Passage)> {
        self.held.passage(edge).zip(self.held.passage(other))
    }

    /// What is known at the source of an edge.
    fn source(&self, edge: EdgeId) -> &Facts {
        self.held.at(self.program.edges()[edge].source).expect("an edge that can be taken begins somewhere")
    }

    /// Nobody can see whether the edge is taken before or after another one that follows it.
    fn right(&self, edge: EdgeId, other: EdgeId) -> bool {
        let Some((own, others)) = self.both(edge, other) else { return self.is_never_reached(edge, other) };
        let contradict = |one: &Facts, other: &Facts| self.held.contradict(one, other);
        let never_behind =
            |needed: &Facts| contradict(&own.needs, self.source(other)) || contradict(&own.leaves, needed);
        never_behind(&others.needs) && others.needs_to_fail.as_ref().is_none_or(never_behind)
    }

    /// Nobody can see whether the edge is taken after or before another one that precedes it.
    fn left(&self, edge: EdgeId, other: EdgeId) -> bool {
        let Some((own, others)) = self.both(edge, other) else { return self.is_never_reached(edge, other) };
        let contradict = |one: &Facts, other: &Facts| self.held.contradict(one, other);
        let never_before = |needed: &Facts| {
            contradict(&others.needs, self.source(edge)) || contradict(&others.leaves, needed)
        };
        let halts = self.program.edges()[other].ops.contains(&Op::Halt);
        never_before(&own.needs)
            && own.needs_to_fail.as_ref().is_none_or(never_before)
            && others.needs_to_fail.as_ref().is_none_or(|needed| contradict(&own.needs, needed))
            && (!halts || contradict(&own.needs, &others.needs))
    }

    /// One of the threads never stands where it would have to.
    fn is_never_reached(&self, edge: EdgeId, other: EdgeId) -> bool {
        [edge, other].iter().any(|&edge| self.held.at(self.program.edges()[edge].source).is_none())
    }
}

/// What the properties that must always hold look at: it changes with commits only. The checker says so, too, in
/// words of its own: it shares nothing with what it judges.
struct Observed {
    vars: IdSet<VarId>,
    locations: IdSet<LocationId>,
    threads: IdSet<ThreadId>,
}

impl Observed {
    fn new(program: &Program, goal: Goal) -> Self {
        let mut observed = Self { vars: IdSet::new(), locations: IdSet::new(), threads: IdSet::new() };
        for property in program.properties() {
            if let (Goal::Assert, PropertyKind::Always(condition)) = (goal, &property.kind) {
                condition.walk(&mut |part| observed.add(part));
            }
        }
        observed
    }

    fn add(&mut self, part: &Expr) {
        let _ = match part {
            Expr::Var(var) | Expr::Element(var, _) => self.vars.insert(*var),
            Expr::CountAt(location) => self.locations.insert(*location),
            Expr::CountRunning(thread) => self.threads.insert(*thread),
            _ => false,
        };
    }

    fn notices(&self, program: &Program, id: EdgeId) -> bool {
        let edge = &program.edges()[id];
        let sees = |end: LocationId| self.locations.contains(end);
        let ends = edge.target == program.thread_of(edge.source).exit
            && self.threads.contains(program.locations()[edge.source].thread);
        let moves = edge.source != edge.target && (sees(edge.source) || sees(edge.target));
        moves || ends || Access::of_edge(program, id).writes.intersects(&self.vars)
    }
}
