//! Generated programs: the checker accepts the proof that lists everything exactly if the program
//! is safe, which an oracle says that shares no code with it.

use crate::explicit::explicit_proof;
use rely_base::Budget;
use rely_evidence::{Claim, Proof, check};
use rely_program::{Goal, ThreadKind};
use rely_testing::{Answer, Reference, Sample, generate};

#[derive(Debug, Default)]
struct Tally {
    accepted: usize,
    unsafe_rejected: usize,
    meaningless_rejected: usize,
    templates_rejected: usize,
    skipped: usize,
}

fn compare(seed: u64, tally: &mut Tally) {
    let Sample { program, goal } = generate(seed);
    let goal = if goal == Goal::Overflow { goal } else { Goal::Assert };
    let Some(proof) = explicit_proof(&program, 150) else {
        tally.skipped += 1;
        return;
    };
    let expected = Reference::new(&program, goal).answer(100_000);
    let claim = Claim::Safe(Proof::RelyGuarantee(proof));
    let verdict = check(&program, goal, claim, &Budget::unlimited()).into_verdict();
    let has_templates = program.threads().values().any(|thread| thread.kind == ThreadKind::Template);
    match (verdict.name(), expected) {
        ("safe", Answer::Safe { .. }) => tally.accepted += 1,
        ("unknown", Answer::Unsafe { .. }) => tally.unsafe_rejected += 1,
        ("unknown", Answer::Meaningless) => tally.meaningless_rejected += 1,
        ("unknown", Answer::Safe { .. }) if has_templates => tally.templates_rejected += 1,
        (name, expected) => panic!("seed {seed}: {name}, but {expected:?}: {verdict:?}"),
    }
}

/// Edges into atomic blocks, and conditions on values that are chosen on the way, are not counted on
/// to be passed: such programs may be rejected although they never deadlock.
#[test]
fn no_deadlock_is_excluded_that_exists() {
    let (mut accepted, mut deadlocks) = (0, 0);
    for seed in 0..250 {
        let Sample { program, .. } = generate(seed);
        let Some(proof) = explicit_proof(&program, 60) else { continue };
        let expected = Reference::new(&program, Goal::Deadlock).answer(100_000);
        let claim = Claim::Safe(Proof::RelyGuarantee(proof));
        let verdict = check(&program, Goal::Deadlock, claim, &Budget::unlimited()).into_verdict();
        if verdict.name() == "safe" {
            assert!(matches!(expected, Answer::Safe { .. }), "seed {seed}: {expected:?}");
            accepted += 1;
        }
        deadlocks += usize::from(matches!(expected, Answer::Unsafe { .. }));
    }
    assert!(accepted > 40 && deadlocks > 15, "{accepted} accepted, {deadlocks} deadlocks");
}

#[test]
fn explicit_proofs_are_accepted_exactly_for_safe_programs() {
    let mut tally = Tally::default();
    for seed in 0..150 {
        compare(seed, &mut tally);
    }
    assert!(tally.accepted > 50 && tally.unsafe_rejected > 15, "{tally:?}");
}
