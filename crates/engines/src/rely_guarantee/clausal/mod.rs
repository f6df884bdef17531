//! Proofs made of clauses.
//!
//! A tree tells all combinations apart of what its thread tracks, and with several other threads
//! there are very many. But what a thread must know is often a conjunction of short alternatives:
//! *somebody else came after me, or that thread is not competing, or it has only just begun*. Here such
//! clauses are looked for directly: at each spot the short ones that the program suggests and no
//! random walk contradicts; of these, the ones that do not follow from the others are dropped until the
//! rest is inductive. What is left holds in every state. The clauses that the property needs, and those
//! that these need, are the proof.
//!
//! * `vocabulary`, `signs`: what clauses speak of;
//! * `steps`, `obligations`, `propagation`: what must be shown of them, and how;
//! * `shapes`: which of them are tried; `samples`, `induction`: which of these hold;
//! * `needed`: which of them are needed;
//! * `cubes`: how they are written down.
//!
//! Clauses follow from each other by propagation of single literals, which is fast and finds what
//! short clauses have to offer; what it does not find is lost, but never wrong.

mod cubes;
mod induction;
mod needed;
mod obligations;
mod propagation;
mod samples;
mod shapes;
mod signs;
mod steps;
#[cfg(test)]
mod tests;
mod vocabulary;

use super::proof::{self, States};
use super::system::System;
use cubes::{abstraction, cubes, state};
use induction::invariants;
use needed::{Needed, needed};
use obligations::Frame;
use rely_base::{Budget, Id, Observer, Round};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_evidence::{Claim, Proof};
use rely_program::EdgeId;
use samples::Samples;
use signs::Signs;
use vocabulary::Vocabulary;

/// The widest clauses that are tried; wider ones only if these do not suffice, because there are many.
const WIDTHS: [usize; 2] = [3, 4];

/// A proof by clauses, or a violation that a walk has seen; `None` if neither was found.
pub(super) fn prove(system: &System<'_>, budget: &Budget, observer: &dyn Observer) -> Option<Claim> {
    if system.has_atomic_spots || system.threads.iter().any(|thread| thread.is_template) {
        return None;
    }
    let vocabulary = Vocabulary::new(system, budget)?;
    let samples = match Samples::new(system, &vocabulary, budget) {
        Ok(samples) => samples,
        Err(trace) => return Some(Claim::Unsafe(trace)),
    };
    let frame = Frame::new(system, &vocabulary, budget);
    let needed = WIDTHS.into_iter().find_map(|widest| {
        budget.check_now().ok()?;
        let held = invariants(&frame, &samples, widest, (budget, observer)).ok()?;
        needed(&frame, &held, budget)
    })?;
    tell_end(observer, &vocabulary, &needed);
    write(&frame, &needed, budget).map(|proof| Claim::Safe(Proof::RelyGuarantee(proof)))
}

/// Tells how it ended, with the counts of the rounds before.
fn tell_end(observer: &dyn Observer, vocabulary: &Vocabulary, needed: &Needed) {
    if observer.wants_history() {
        let clauses = needed.clauses.iter().flatten().map(Vec::len).sum::<usize>();
        let counts = vec![("iterations", 0), ("predicates", vocabulary.atoms.len() as u64), ("nodes", 0)];
        let headline = format!("{clauses} clauses instead of trees");
        observer.round(Round { headline, counts, found: Vec::new() });
    }
}

/// The proof that consists of the clauses that are needed.
fn write(frame: &Frame<'_, '_>, needed: &Needed, budget: &Budget) -> Option<RelyGuarantee> {
    let (system, vocabulary) = (frame.system, frame.vocabulary);
    let as_cubes = |clauses: &Vec<Signs>| cubes(vocabulary, clauses);
    let mut at: Vec<Vec<Vec<Signs>>> = Vec::new();
    for spots in &needed.clauses {
        at.push(spots.iter().map(as_cubes).collect::<Option<_>>()?);
    }
    let told: Vec<Vec<Signs>> = needed.told.iter().map(as_cubes).collect::<Option<_>>()?;
    let actor = |edge: usize| {
        let edge = &system.program.edges()[EdgeId::from_index(edge)];
        system.program.locations()[edge.source].thread
    };
    let of_spots = at.iter().zip(system.thread_ids());
    let of_spots =
        of_spots.flat_map(|(spots, thread)| spots.iter().flatten().map(move |cube| (thread, cube)));
    let of_edges = told.iter().enumerate();
    let of_edges = of_edges.flat_map(|(edge, cubes)| cubes.iter().map(move |cube| (actor(edge), cube)));
    let abstraction = abstraction(system, vocabulary, of_spots.chain(of_edges));
    let states = |thread, cubes: &[Signs]| {
        cubes.iter().map(|&cube| state(system, vocabulary, &abstraction, (thread, cube))).collect()
    };
    let of_thread =
        |(spots, thread): (&Vec<Vec<Signs>>, _)| spots.iter().map(|cubes| states(thread, cubes)).collect();
    let told = told.iter().enumerate().map(|(edge, cubes)| states(actor(edge), cubes)).collect();
    let states = States { at: at.iter().zip(system.thread_ids()).map(of_thread).collect(), told: Some(told) };
    proof::write(system, &abstraction, states, budget)
}
