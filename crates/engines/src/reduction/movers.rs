//! Which edges commute with the edges of all other threads.
//!
//! Two edges commute if neither writes what the other one reads or writes; and it is no matter whether they
//! commute if they are never neighbours in a run: since what the two threads know cannot hold at once, or
//! since what one leaves is not what the other one needs. An edge that can go wrong is looked at up to where
//! it does: a check in front of the test of a lock is seen by others even while the lock is taken. What is left
//! may commute because of the data (`commute`).
//!
//! Many edges of a thread do the same and know the same of the locks, such as the statements of one critical section.
//! They stand for each other: what is compared are kinds of edges.

use super::commute::Commuting;
use super::held::{Facts, Held, Passage};
use rely_base::Id;
use rely_evidence::reduction::Mover;
use rely_program::analysis::{Access, IdSet};
use rely_program::{EdgeId, Expr, Goal, LocationId, Op, Program, PropertyKind, ThreadId, VarId};
use rustc_hash::FxHashMap;

/// Where edges can move.
pub(super) struct Movers {
    right: Vec<bool>,
    left: Vec<bool>,
}

impl Movers {
    /// The movers of a program.
    pub(super) fn new(program: &Program, goal: Goal, held: &Held<'_>, commuting: Commuting<'_>) -> Self {
        let mut pairs = Pairs::new(program, held, commuting);
        let observed = Observed::new(program, goal);
        let can_move = |edge: EdgeId| is_plain(program, edge) && !observed.notices(program, edge);
        let ends = |edge: EdgeId| {
            let edge = &program.edges()[edge];
            edge.target == program.thread_of(edge.source).exit
        };
        let [mut right, mut left] = [vec![None; pairs.kinds.len()], vec![None; pairs.kinds.len()]];
        let mut movers = Self { right: Vec::new(), left: Vec::new() };
        for edge in program.edges().ids() {
            let (kind, plain) = (pairs.kind_of[edge.index()], can_move(edge));
            let mut ask = |known: &mut [Option<bool>], wanted: bool, direction: Direction| {
                wanted && *known[kind].get_or_insert_with(|| pairs.with_all(kind, direction))
            };
            movers.right.push(ask(&mut right, plain && !ends(edge), Direction::Right));
            movers.left.push(ask(&mut left, plain, Direction::Left));
        }
        movers
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

/// Edges of one thread that do the same from where the same is known.
struct Kind {
    /// One of them.
    edge: EdgeId,
    reads: IdSet<VarId>,
    writes: IdSet<VarId>,
}

impl Kind {
    fn new(program: &Program, edge: EdgeId) -> Self {
        let shared =
            |vars: &IdSet<VarId>| vars.iter().filter(|&var| program.vars()[var].is_global()).collect();
        let access = Access::of_edge(program, edge);
        Self { edge, reads: shared(&access.reads), writes: shared(&access.writes) }
    }

    fn is_independent_of(&self, other: &Kind) -> bool {
        !self.writes.intersects(&other.writes)
            && !self.writes.intersects(&other.reads)
            && !self.reads.intersects(&other.writes)
    }
}

/// Edges of two threads.
struct Pairs<'a> {
    program: &'a Program,
    held: &'a Held<'a>,
    commuting: Commuting<'a>,
    kinds: Vec<Kind>,
    /// By edge.
    kind_of: Vec<usize>,
}

/// Where an edge moves.
#[derive(Clone, Copy)]
enum Direction {
    Right,
    Left,
}

impl<'a> Pairs<'a> {
    fn new(program: &'a Program, held: &'a Held<'a>, commuting: Commuting<'a>) -> Self {
        let mut pairs = Self { program, held, commuting, kinds: Vec::new(), kind_of: Vec::new() };
        // Those that do the same have as many operations and access the same.
        let mut similar: FxHashMap<(ThreadId, usize, Vec<VarId>), Vec<usize>> = FxHashMap::default();
        for (edge, declaration) in program.edges().iter() {
            let kind = Kind::new(program, edge);
            let accessed = kind.reads.iter().chain(kind.writes.iter()).collect();
            let similar = similar.entry((held.actor(edge), declaration.ops.len(), accessed)).or_default();
            let same = similar.iter().find(|&&other| pairs.do_the_same(edge, pairs.kinds[other].edge));
            let number = same.copied().unwrap_or_else(|| {
                pairs.kinds.push(kind);
                similar.push(pairs.kinds.len() - 1);
                pairs.kinds.len() - 1
            });
            pairs.kind_of.push(number);
        }
        pairs
    }

    /// Whether two edges of one thread cannot be told apart by others.
    fn do_the_same(&self, one: EdgeId, other: EdgeId) -> bool {
        let [one, other] = [one, other].map(|edge| &self.program.edges()[edge]);
        one.ops == other.ops && self.held.at(one.source) == self.held.at(other.source)
    }

    /// Whether the edges of a kind commute with those of all other threads.
    fn with_all(&mut self, kind: usize, direction: Direction) -> bool {
        let edge = self.kinds[kind].edge;
        let actor = self.held.actor(edge);
        (0..self.kinds.len()).all(|other| {
            let past = self.kinds[other].edge;
            !self.held.are_others(actor, self.held.actor(past))
                || self.kinds[kind].is_independent_of(&self.kinds[other])
                || match direction {
                    Direction::Right => self.right(edge, past),
                    Direction::Left => self.left(edge, past),
                }
        })
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
    fn right(&mut self, edge: EdgeId, other: EdgeId) -> bool {
        self.is_never_followed(edge, other) || self.commuting.right(edge, other)
    }

    /// Nobody can see whether the edge is taken after or before another one that precedes it.
    fn left(&mut self, edge: EdgeId, other: EdgeId) -> bool {
        self.is_never_preceded(edge, other) || self.commuting.left(edge, other)
    }

    /// The other edge cannot be taken, nor go wrong, behind the edge.
    fn is_never_followed(&self, edge: EdgeId, other: EdgeId) -> bool {
        let Some((own, others)) = self.both(edge, other) else { return self.is_never_reached(edge, other) };
        let contradict = |one: &Facts, other: &Facts| self.held.contradict(one, other);
        let never_behind =
            |needed: &Facts| contradict(&own.needs, self.source(other)) || contradict(&own.leaves, needed);
        never_behind(&others.needs) && others.needs_to_fail.as_ref().is_none_or(never_behind)
    }

    /// The edge cannot be taken, nor go wrong, behind the other one, and hides nothing that goes wrong there.
    fn is_never_preceded(&self, edge: EdgeId, other: EdgeId) -> bool {
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
