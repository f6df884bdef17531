//! Lock sets and creation order: why two threads are never at two places at the same time.
//!
//! Most accesses to shared data are kept apart by a lock that both threads hold, or because one of the threads
//! has not started or has ended. Both are found by one analysis, in one go for the whole program. A *fact* says
//! that a cell has a certain value, or that an instance does not run, while a thread stands at a location. The
//! greatest set of facts is computed that holds initially, is kept by the thread's own steps, and by every step
//! that another thread can make meanwhile. The last part is where locks come from: nobody takes a lock that is
//! taken, and only who holds it gives it back. A variable that only looks like a lock is found out by the
//! interference of others.
//!
//! Eraser (Savage et al., 1997) intersects the locks that are held at the accesses to a variable; RacerX and
//! RELAY do so statically. Here lock sets are assertions of a rely-guarantee proof instead: nothing is trusted,
//! the checker shows that every fact holds and that it excludes what it is said to exclude.
//!
//! What a thread knows of itself is not enough behind a loop that joins as many threads as were started: there,
//! `parents` looks at what those threads know of the one that has started them.
//!
//! The analysis proves some of a program's properties and leaves the others alone; see [`Analysis::proved`].

mod candidates;
mod facts;
mod limits;
mod parents;
mod proof;
mod property;
mod solve;
#[cfg(test)]
mod tests;
mod transfer;

use candidates::Candidates;
use facts::Facts;
use parents::Parents;
use rely_base::{Budget, Interrupted};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_program::{LocationId, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use transfer::Passage;

/// What threads know at all of their locations.
pub struct Analysis<'p> {
    program: &'p Program,
    candidates: Candidates,
    /// By location; `None` where nobody ever stands.
    facts: Vec<Option<Facts>>,
    /// By edge; `None` if it is never taken.
    passages: Vec<Option<Passage>>,
    /// What is known in front of the edges that end the program, by where they lead.
    halting: FxHashMap<LocationId, Vec<Facts>>,
    /// Where threads begin that an edge starts with which the program ends: what others know of them is not
    /// true any more then.
    started_at_the_end: FxHashSet<LocationId>,
    /// What threads know of those that have started them, as far as it is needed.
    parents: Parents,
    /// Which properties are proved.
    proved: Vec<bool>,
}

impl<'p> Analysis<'p> {
    /// The facts of a program, unless the budget ends before.
    pub fn infer(program: &'p Program, budget: &Budget) -> Result<Self, Interrupted> {
        Self::infer_without(program, &[], budget)
    }

    /// The facts that do not mention some variables.
    pub fn infer_without(
        program: &'p Program,
        left_out: &[VarId],
        budget: &Budget,
    ) -> Result<Self, Interrupted> {
        let mut analysis = solve::solve(program, left_out, budget)?;
        analysis.judge(budget)?;
        Ok(analysis)
    }

    /// Which properties of the program the facts prove, one entry for each.
    pub fn proved(&self) -> &[bool] {
        &self.proved
    }

    /// The facts as assertions, and what the edges look like to others. With the properties that are not
    /// [proved](Self::proved) taken away, this proves the program.
    pub fn proof(&self) -> RelyGuarantee {
        proof::write(self)
    }
}
