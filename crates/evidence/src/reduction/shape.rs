//! The shape of blocks: everything about a reduction that needs no solver.

use crate::data::{BlockRule, Mover, Phase, Reduced, ReducedDefect};
use crate::obligations::movers::Movability;
use rely_base::Id;
use rely_program::analysis::{Access, IdSet};
use rely_program::{Edge, EdgeId, Expr, Goal, LocationId, Op, Program, PropertyKind, ThreadId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which locations are inside of blocks and which edges are movers, as a proof says.
pub(crate) struct Shape<'p> {
    program: &'p Program,
    inside: FxHashMap<LocationId, Phase>,
    movers: FxHashMap<EdgeId, Mover>,
}

type Checked = Result<(), ReducedDefect>;

fn malformed<T>(what: String) -> Result<T, ReducedDefect> {
    Err(ReducedDefect::Malformed(what))
}

impl<'p> Shape<'p> {
    /// Makes sure that everything exists, and nothing is listed twice.
    pub(crate) fn new(program: &'p Program, reduced: &Reduced) -> Result<Self, ReducedDefect> {
        let (mut inside, mut movers) = (FxHashMap::default(), FxHashMap::default());
        for (location, phase) in &reduced.inside {
            if program.locations().get(*location).is_none() {
                return malformed(format!("there is no location {}", location.index()));
            }
            if inside.insert(*location, *phase).is_some() {
                return malformed(format!("location {} is listed twice", location.index()));
            }
        }
        for (edge, mover) in &reduced.movers {
            if program.edges().get(*edge).is_none() {
                return malformed(format!("there is no edge {}", edge.index()));
            }
            if movers.insert(*edge, *mover).is_some() {
                return malformed(format!("edge {} is listed twice", edge.index()));
            }
        }
        Ok(Self { program, inside, movers })
    }

    /// Makes sure that the blocks are as they should be, if the movers are movers.
    pub(crate) fn check(&self, goal: Goal) -> Checked {
        for location in self.program.locations().ids().filter(|location| self.inside.contains_key(location)) {
            self.location(location)?;
        }
        let observed = Observed::new(self.program, goal);
        for (id, edge) in self.program.edges().iter() {
            self.operations(id, edge)?;
            self.block_edge(id, edge, &observed)?;
        }
        self.ends()
    }

    /// What must be shown of single edges and locations.
    pub(crate) fn movability(&self) -> Movability {
        let edges = || self.program.edges().ids();
        let is = |edge: &EdgeId, test: fn(Mover) -> bool| self.movers.get(edge).copied().is_some_and(test);
        let after = |location: &LocationId| self.inside.get(location) == Some(&Phase::AfterCommit);
        Movability {
            right: edges().filter(|edge| is(edge, Mover::is_right)).collect(),
            left: edges().filter(|edge| is(edge, Mover::is_left)).collect(),
            completing: self.program.locations().ids().filter(after).collect(),
        }
    }

    fn violated(&self, rule: BlockRule, place: String) -> Checked {
        Err(ReducedDefect::Block { rule, place })
    }

    fn violated_by(&self, rule: BlockRule, edge: EdgeId) -> Checked {
        let thread = self.program.thread_of(self.program.edges()[edge].source);
        self.violated(rule, format!("edge {} of `{}`", edge.index(), thread.name))
    }

    fn location(&self, location: LocationId) -> Checked {
        let thread = self.program.thread_of(location);
        let name = || match &self.program.locations()[location].label {
            Some(label) => format!("`{label}` of `{}`", thread.name),
            None => format!("location {} of `{}`", location.index(), thread.name),
        };
        if location == thread.entry || location == thread.exit {
            return self.violated(BlockRule::Border, name());
        }
        if self.program.locations()[location].atomic {
            return self.violated(BlockRule::Atomic, name());
        }
        Ok(())
    }

    /// Only some operations can move.
    fn operations(&self, id: EdgeId, edge: &Edge) -> Checked {
        let Some(mover) = self.movers.get(&id) else { return Ok(()) };
        let can_move = |op: &Op| match op {
            Op::Assume(..) | Op::Assign(_) | Op::Havoc(..) | Op::Check(..) => true,
            Op::Spawn { .. } | Op::Join(_) | Op::Halt => false,
        };
        let ends = edge.target == self.program.thread_of(edge.source).exit;
        if !edge.ops.iter().all(can_move) || mover.is_right() && ends {
            return self.violated_by(BlockRule::Operations, id);
        }
        if self.touches_atomic_block(edge) {
            return self.violated_by(BlockRule::Atomic, id);
        }
        Ok(())
    }

    fn touches_atomic_block(&self, edge: &Edge) -> bool {
        [edge.source, edge.target].iter().any(|&end| self.program.locations()[end].atomic)
    }

    /// An edge of a block is a mover if it has to be one, and unseen if it is no commit.
    fn block_edge(&self, id: EdgeId, edge: &Edge, observed: &Observed) -> Checked {
        use Phase::{AfterCommit, BeforeCommit};
        let ends = [edge.source, edge.target].map(|end| self.inside.get(&end).copied());
        if ends == [None, None] {
            return Ok(());
        }
        if self.touches_atomic_block(edge) {
            return self.violated_by(BlockRule::Atomic, id);
        }
        if ends[1].is_some() && edge.ops.contains(&Op::Halt) {
            return self.violated_by(BlockRule::Halts, id);
        }
        let moves = |test: fn(Mover) -> bool| self.movers.get(&id).copied().is_some_and(test);
        let is_commit = match ends {
            [Some(AfterCommit), Some(BeforeCommit)] => return self.violated_by(BlockRule::OneCommit, id),
            [_, Some(BeforeCommit)] if !moves(Mover::is_right) => {
                return self.violated_by(BlockRule::BeforeCommit, id);
            }
            [Some(AfterCommit), _] if !moves(Mover::is_left) => {
                return self.violated_by(BlockRule::AfterCommit, id);
            }
            [_, Some(BeforeCommit)] | [Some(AfterCommit), _] => false,
            _ => true,
        };
        if !is_commit && observed.notices(self.program, id) {
            return self.violated_by(BlockRule::Unseen, id);
        }
        Ok(())
    }

    /// No cycle consists of locations after the commit: taking away again and again those that lead
    /// to none of the others leaves nothing.
    fn ends(&self) -> Checked {
        let mut left: FxHashSet<LocationId> = self.inside.keys().copied().collect();
        left.retain(|location| self.inside[location] == Phase::AfterCommit);
        let targets = |location: &LocationId| {
            let edges = self.program.outgoing(*location).iter();
            edges.map(|&edge| self.program.edges()[edge].target).collect::<Vec<_>>()
        };
        loop {
            let ending: Vec<LocationId> = left
                .iter()
                .copied()
                .filter(|location| !targets(location).iter().any(|target| left.contains(target)))
                .collect();
            if ending.is_empty() {
                break;
            }
            ending.iter().for_each(|location| _ = left.remove(location));
        }
        match left.iter().min() {
            None => Ok(()),
            Some(location) => {
                let thread = &self.program.thread_of(*location).name;
                self.violated(BlockRule::Ends, format!("location {} of `{thread}`", location.index()))
            }
        }
    }
}

/// What the properties that must always hold look at.
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
                condition.walk(&mut |part| {
                    let _ = match part {
                        Expr::Var(var) | Expr::Element(var, _) => observed.vars.insert(*var),
                        Expr::CountAt(location) => observed.locations.insert(*location),
                        Expr::CountRunning(thread) => observed.threads.insert(*thread),
                        _ => false,
                    };
                });
            }
        }
        observed
    }

    /// Whether a mover may change the value of a property.
    fn notices(&self, program: &Program, id: EdgeId) -> bool {
        let edge = &program.edges()[id];
        let thread = program.locations()[edge.source].thread;
        let moves = edge.source != edge.target
            && [edge.source, edge.target].iter().any(|&end| self.locations.contains(end));
        let ends = edge.target == program.threads()[thread].exit && self.threads.contains(thread);
        moves || ends || Access::of_edge(program, id).writes.intersects(&self.vars)
    }
}
