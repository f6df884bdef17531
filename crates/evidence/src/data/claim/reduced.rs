//! Reductions as plain data.

use crate::data::{Counting, Proof, ReducedDefect};
use rely_base::Id;
use rely_passes::{BackMap, MergeAtomicBlocks, Pass, forget};
use rely_program::{EdgeId, LocationId, Program, VarId};

/// Blocks of steps that may be taken for one step, and a proof about the program in which they are.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// Shared variables that are forgotten first, since nothing but assumptions looks at them. All the rest is about
    /// the program without them.
    pub forgotten: Vec<VarId>,
    /// Assertions about the program with its single steps, with which edges are movers, and who holds locks that
    /// only count. They say nothing about the goal.
    pub held: Counting,
    /// The locations inside of blocks; all others are outside.
    pub inside: Vec<(LocationId, Phase)>,
    /// The edges that are movers; others need not be.
    pub movers: Vec<(EdgeId, Mover)>,
    /// The proof about the [reduced program](Reduced::program).
    pub proof: Box<Proof>,
}

/// How far a thread inside of a block has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// All it has done in the block could as well be done later.
    BeforeCommit,
    /// All that is left to do in the block could as well have been done already.
    AfterCommit,
}

/// With what an edge can change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mover {
    /// With the next step of any other thread.
    Right,
    /// With the last step of any other thread.
    Left,
    /// With both.
    Both,
}

impl Mover {
    /// Whether the edge can go to the right.
    pub fn is_right(self) -> bool {
        self != Mover::Left
    }

    /// Whether the edge can go to the left.
    pub fn is_left(self) -> bool {
        self != Mover::Right
    }
}

impl Reduced {
    /// The program in which each block is one step, and the way back from it. Blocks with loops, or
    /// with very many paths, stay as atomic blocks.
    pub fn program(&self, program: &Program) -> Result<(Program, BackMap), ReducedDefect> {
        let (forgetful, first) = self.forgetful(program)?;
        let (smaller, second) =
            reduced_program(&forgetful, self.inside.iter().map(|(location, _)| *location))?;
        Ok((smaller, first.then(second)))
    }

    /// The program with its single steps that has forgotten what the proof forgets, and the way back from it. It has
    /// the same locations, edges and variables.
    pub fn forgetful(&self, program: &Program) -> Result<(Program, BackMap), ReducedDefect> {
        if let Some(unknown) = self.forgotten.iter().find(|var| program.vars().get(**var).is_none()) {
            return Err(ReducedDefect::Malformed(format!("there is no variable {}", unknown.index())));
        }
        if let Some(local) = self.forgotten.iter().find(|var| !program.vars()[**var].is_global()) {
            return Err(ReducedDefect::Needed(program.vars()[*local].name.to_string()));
        }
        forget(program, &self.forgotten.iter().copied().collect()).map_err(|needed| {
            let names: Vec<&str> = needed.iter().map(|var| &*program.vars()[var].name).collect();
            ReducedDefect::Needed(names.join("`, `"))
        })
    }

    /// Whether an edge is the commit of a block: it does not lead to a location before the commit,
    /// and does not leave one after it.
    pub fn is_commit(&self, program: &Program, edge: EdgeId) -> bool {
        let edge = &program.edges()[edge];
        let ends = [self.phase(edge.source), self.phase(edge.target)];
        ends != [None, None] && ends[0] != Some(Phase::AfterCommit) && ends[1] != Some(Phase::BeforeCommit)
    }

    /// The mover that is claimed of an edge.
    pub fn mover(&self, edge: EdgeId) -> Option<Mover> {
        self.movers.iter().find(|(other, _)| *other == edge).map(|(_, mover)| *mover)
    }

    /// The phase of a location inside of a block.
    pub fn phase(&self, location: LocationId) -> Option<Phase> {
        self.inside.iter().find(|(other, _)| *other == location).map(|(_, phase)| *phase)
    }
}

/// The program in which what is between locations outside of the given ones is one step, and the way back.
pub fn reduced_program(
    program: &Program,
    inside: impl Iterator<Item = LocationId>,
) -> Result<(Program, BackMap), ReducedDefect> {
    let inside: Vec<LocationId> = inside.collect();
    if let Some(unknown) = inside.iter().find(|location| program.locations().get(**location).is_none()) {
        return Err(ReducedDefect::Malformed(format!("there is no location {}", unknown.index())));
    }
    let atomic =
        program.with_atomic(inside).map_err(|malformed| ReducedDefect::Malformed(malformed.to_string()))?;
    Ok(MergeAtomicBlocks.apply(&atomic))
}
