//! Proofs that no thread waits for ever, as plain data.

use super::{ControlPoint, Quantity, RelyGuarantee, ThreadRanks};
use rely_program::{EdgeId, Program, ThreadId};

/// A proof that no thread waits for ever, because others bring it nearer to where it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Helping {
    /// What is true where, which the rest relies on.
    pub proof: RelyGuarantee,
    /// Who helps whoever may have to wait; one entry at most for each place.
    pub helps: Vec<Help>,
}

/// Who helps a thread at a place where it may have to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// Who waits.
    pub thread: ThreadId,
    /// Where.
    pub at: ControlPoint,
    /// The steps of other threads that help.
    pub steps: Vec<EdgeId>,
    /// How many numbers a rank consists of.
    pub components: usize,
    /// How far the others are from having helped: each of the steps makes this smaller while the thread waits. Where
    /// there is none all numbers are zero.
    pub ranks: Vec<ThreadRanks>,
}

impl Helping {
    /// Whether the assertions and ranks of each thread mention only globals and its own locals.
    pub fn is_modular(&self, program: &Program) -> bool {
        let visible = |thread: ThreadId, quantity: &Quantity| quantity.is_visible_to(program, Some(thread));
        let mut ranks = self.helps.iter().flat_map(|help| &help.ranks);
        self.proof.is_modular(program)
            && ranks.all(|entry| {
                let mut cases = entry.at.iter().flat_map(|(_, cases)| cases);
                cases.all(|case| case.quantities().all(|quantity| visible(entry.thread, quantity)))
            })
    }

    /// The help at a place.
    pub fn at(&self, thread: ThreadId, point: ControlPoint) -> Option<&Help> {
        self.helps.iter().find(|help| help.thread == thread && help.at == point)
    }
}
