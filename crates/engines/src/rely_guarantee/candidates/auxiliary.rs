//! What the program writes down for the proof alone.
//!
//! A variable that nobody reads, but that tells who wrote it, is in the program because a proof needs it, or
//! because it was forgotten there: in either case there are few. So each thread tracks from the start
//! whether such a variable holds what no other thread writes. Refinement would come to it only if it
//! looked for modular predicates: where places are allowed as well, some place always excludes the
//! counterexample, too.

use crate::rely_guarantee::precision::PrecisionIncrement;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::ThreadId;
use rely_program::analysis::signatures;
use rely_symbolic::System;

/// What threads track because only they write it.
pub(crate) fn auxiliary_predicates(system: &System<'_>) -> Vec<PrecisionIncrement> {
    let signatures = signatures(system.program);
    let is_signature =
        |cell: VarId| system.cells.variable(cell).is_some_and(|(var, _)| signatures.contains(var));
    let mut written: Vec<(ThreadId, VarId, &LinearForm, PrecisionIncrement)> = Vec::new();
    for by in system.moves.iter().filter(|_| !signatures.is_empty()) {
        for (cell, value) in by.branch.updates.iter().filter(|(cell, _)| is_signature(*cell)) {
            if value.is_constant() {
                let constraint = Constraint::eq(&LinearForm::variable(*cell), value);
                let tracked =
                    PrecisionIncrement::Predicate { thread: by.thread, point: by.target, constraint };
                written.push((by.thread, *cell, value, tracked));
            }
        }
    }
    let is_own = |(thread, cell, value, _): &&(ThreadId, VarId, &LinearForm, PrecisionIncrement)| {
        let mut same = written.iter().filter(|(_, other, what, _)| other == cell && what == value);
        same.all(|(writer, ..)| writer == thread)
    };
    written.iter().filter(is_own).map(|(.., tracked)| tracked.clone()).collect()
}
