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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, Source, load, strategy, verify};
    use rely_base::Silent;

    /// Two threads that add up under a lock, any number of times.
    const ADDING: &str = "var m, sum, n: int = 0;
        thread A { local i: int = 0; while i < n { await m == 0 do { m := 1; } sum := sum + 1; i := i + 1; m := 0; } }
        thread B { local i: int = 0; while i < n { await m == 0 do { m := 1; } sum := sum + 1; i := i + 1; m := 0; } }
        ensures sum == 2 * n;
        requires n >= 0;";
    const LOCK: &str = "var lock: int = 0; var inside: int = 0;
        thread A { await lock == 0 do { lock := 1; } inside := inside + 1; assert inside == 1; inside := inside - 1; lock := 0; }
        thread B { await lock == 0 do { lock := 2; } inside := inside + 1; assert inside == 1; inside := inside - 1; lock := 0; }";

    fn short(text: &str, engine: &str) -> (Verified, Verified) {
        let program = load(&Source::new("p.rely", Language::Rely, text)).expect("a program").program;
        let strategy = strategy(engine).expect("an engine");
        let budget = Budget::unlimited();
        let long = verify(&program, Goal::Assert, strategy.as_ref(), &budget, &Silent);
        let again = verify(&program, Goal::Assert, strategy.as_ref(), &budget, &Silent);
        (with_short_proof(&program, Goal::Assert, again, &budget), long)
    }

    fn size_of(proof: &Proof) -> usize {
        match proof {
            Proof::RelyGuarantee(proof) => size(proof),
            Proof::Reduced(reduced) => size_of(&reduced.proof),
            _ => 0,
        }
    }

    #[test]
    fn a_short_proof_is_accepted_and_says_less() {
        for (text, engine) in [(LOCK, "rely-guarantee"), (LOCK, "deductive"), (ADDING, "deductive")] {
            let text = text.replace("var m, sum, n: int = 0;", "var m, sum: int = 0; var n: int = *;");
            let (short, long) = short(&text, engine);
            let (Verdict::Safe(short_proof), Verdict::Safe(long_proof)) = (&short.verdict, &long.verdict)
            else {
                panic!("{engine}: {:?}", long.verdict)
            };
            assert!(size_of(short_proof.proof()) <= size_of(long_proof.proof()), "{engine}");
            assert_eq!(short.trusted, long.trusted, "{engine}");
            assert_eq!(short_proof.is_about_source(), long_proof.is_about_source(), "{engine}");
        }
    }
}
