//! Shorter proofs, for who wants to read them or keep them.
//!
//! What comes out is judged like the claim of an engine: about the program that the engine saw, and then about the one that
//! was read. If that is not confirmed of the shorter proof, it is of the longer one, and both prove the same.

use crate::pipeline::Verified;
use rely_base::Budget;
use rely_evidence::reduction::Reduced;
use rely_evidence::rely_guarantee::{Cube, RelyGuarantee};
use rely_evidence::{Claim, Proof, Proved, Verdict, check, check_proof, confirm, explore_source};
use rely_program::{Goal, Program};
use rely_symbolic::condense::{Cases, condensed};

/// How many steps each attempt may take, without its check.
const STEPS: u32 = 400_000;

/// The same verdict with a shorter proof by assertions, if one is found and accepted.
pub fn with_short_proof(program: &Program, goal: Goal, verified: Verified, budget: &Budget) -> Verified {
    let Verdict::Safe(long) = &verified.verdict else { return verified };
    if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
        return verified;
    }
    let Some(proof) = shorter(&verified.prepared, goal, long.proof(), budget) else { return verified };
    let judged = check_proof(program, &verified.prepared, goal, proof, budget).into_verdict();
    let Verdict::Safe(short) = judged else { return verified };
    let short = about_source(short, long, program, goal, budget);
    if long.is_about_source() && !short.is_about_source() {
        return verified;
    }
    Verified { verdict: Verdict::Safe(short), ..verified }
}

/// A short proof, with what confirms the long one of the program that was read.
fn about_source(short: Proved, long: &Proved, program: &Program, goal: Goal, budget: &Budget) -> Proved {
    if short.is_about_source() || !long.is_about_source() {
        return short;
    }
    match long.about_source() {
        Some(second) => confirm(short, program, goal, second.clone(), budget),
        None => match explore_source(short.clone(), program, goal, budget).into_verdict() {
            Verdict::Safe(explored) => explored,
            Verdict::Unsafe(_) | Verdict::Unknown(_) => short,
        },
    }
}

/// A shorter proof of the same that the checker accepts.
fn shorter(program: &Program, goal: Goal, proof: &Proof, budget: &Budget) -> Option<Proof> {
    match proof {
        Proof::RelyGuarantee(long) => {
            let attempts = [Cases::Single, Cases::ByPlaces].into_iter();
            let short = attempts.filter_map(|cases| {
                let short = condensed(program, goal, long, cases, &budget.with_step_limit(STEPS))?;
                let proof = Proof::RelyGuarantee(short.clone());
                let judged = check(program, goal, Claim::Safe(proof.clone()), budget).into_verdict();
                (matches!(judged, Verdict::Safe(_)) && size(&short) < size(long)).then_some(proof)
            });
            short.into_iter().next()
        }
        Proof::Reduced(reduced) => {
            let (smaller, _) = reduced.program(program).ok()?;
            let inner = shorter(&smaller, goal, &reduced.proof, budget)?;
            Some(Proof::Reduced(Reduced { proof: Box::new(inner), ..reduced.clone() }))
        }
        _ => None,
    }
}

/// How much there is to read.
fn size(proof: &RelyGuarantee) -> usize {
    let cubes = proof.threads.iter().flat_map(|entry| &entry.at).flat_map(|(_, cubes)| cubes);
    let parts = |cube: &Cube| 1 + cube.atoms.len() + cube.others.len();
    cubes.map(parts).sum()
}
