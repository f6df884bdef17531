//! Which steps of a program can be taken for one, found automatically.
//!
//! Lipton's reduction prunes interleavings that make no difference: a step that commutes with what others do
//! next or did last can be moved to the other steps of its block. Popeea, Rybalchenko and Wilhelm (FMCAD
//! 2014) prove programs that way and leave the blocks to the user; here they are inferred, in three steps:
//!
//! 1. `held`: which values variables are known to have while a thread stands at a location, whatever
//!    others do: the locks that it holds (their clauses HC1). A lock is any variable that is only set to
//!    constants and handles, so mutexes, spin locks and flags are treated alike, and something that only
//!    looks like a lock is found out by the interference of others. Whoever holds a spin lock is known by its place.
//! 2. `movers`: which edges commute with all edges of other threads, since they touch nothing in common,
//!    can never be neighbours in a run, or do the same to the data in both orders (`commute`).
//! 3. `blocks`: which locations are inside of blocks, before or after the commit (HC2).
//!
//! With a proof about the smaller program, the [`Blocks`] become a [`Reduced`] proof about the whole one.
//! Nothing here is trusted: the checker shows every mover again, pair by pair, and the soundness conditions
//! that blocks must satisfy stand beside it. In short: a block must not end its thread's progress after the
//! commit, since its effects would be hidden from others. So no cycle and nothing that can block comes after
//! a commit.
//!
//! This is no engine: whoever wants to prove or refute something runs one on the smaller program.

mod blocks;
mod commute;
mod held;
mod limits;
mod movers;

pub use limits::Limits;

use commute::Commuting;
use held::{Held, SharedLock};
use movers::Movers;
use rely_base::Budget;
use rely_evidence::Proof;
use rely_evidence::counting::Counting;
use rely_evidence::reduction::{Mover, Phase, Reduced};
use rely_program::{EdgeId, Goal, LocationId, Program, VarId};
use rely_symbolic::Limits as SymbolicLimits;

/// Blocks of steps that can be taken for one, and why.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// The locations inside of blocks; all others are outside.
    pub inside: Vec<(LocationId, Phase)>,
    /// All movers, those that no block needs included.
    pub movers: Vec<(EdgeId, Mover)>,
    held: Counting,
}

impl Blocks {
    /// The blocks of a program, for a goal that is about what can go wrong.
    pub fn infer(program: &Program, goal: Goal, limits: (Limits, SymbolicLimits), budget: &Budget) -> Self {
        let without = Self::with_locks(program, goal, Vec::new(), limits, budget);
        let shared = held::shared_locks(program, limits.1, budget);
        if shared.is_empty() {
            return without;
        }
        let with = Self::with_locks(program, goal, shared, limits, budget);
        // Numbers of threads have to do with everything, so the proof is dearer: only if there is something for it.
        if with.inside.len() > without.inside.len() { with } else { Self { movers: with.movers, ..without } }
    }

    fn with_locks(
        program: &Program,
        goal: Goal,
        shared: Vec<SharedLock>,
        limits: (Limits, SymbolicLimits),
        budget: &Budget,
    ) -> Self {
        let held = Held::new(program, shared);
        let commuting = Commuting::new(program, goal, &held, limits, budget);
        let movers = Movers::new(program, goal, &held, commuting);
        let inside = blocks::inside(program, goal, &movers);
        let movers = program.edges().ids().filter_map(|edge| Some((edge, movers.mover(edge)?))).collect();
        Self { inside, movers, held: held.proof() }
    }

    /// The proof about the whole program that a proof about the one with blocks is, if some variables were forgotten
    /// first.
    pub fn proved(self, program: &Program, forgotten: Vec<VarId>, proof: Proof) -> Reduced {
        let movers = self.needed(program);
        Reduced { forgotten, held: self.held, inside: self.inside, movers, proof: Box::new(proof) }
    }

    /// What is known to hold where, as long as nothing goes wrong.
    pub fn held(&self) -> &Counting {
        &self.held
    }

    /// Where a location is, if it is inside of a block.
    pub fn phase(&self, location: LocationId) -> Option<Phase> {
        self.inside.iter().find(|(other, _)| *other == location).map(|(_, phase)| *phase)
    }

    /// The movers without which the blocks would be none.
    fn needed(&self, program: &Program) -> Vec<(EdgeId, Mover)> {
        let needed = |id: EdgeId| {
            let edge = &program.edges()[id];
            match (self.phase(edge.source), self.phase(edge.target)) {
                (_, Some(Phase::BeforeCommit)) => Some((id, Mover::Right)),
                (Some(Phase::AfterCommit), _) => Some((id, Mover::Left)),
                _ => None,
            }
        };
        program.edges().ids().filter_map(needed).collect()
    }
}

#[cfg(test)]
mod tests;
