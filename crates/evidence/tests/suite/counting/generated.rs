//! Generated programs with proofs that list everything: what each thread can see in each state, and in
//! each state the values of the globals together with how many threads are where. Whatever the
//! checker accepts must be true, which an oracle says that shares no code with it.

use super::differential::reachable;
use crate::explicit::explicit_proof;
use rely_base::Budget;
use rely_evidence::counting::{CountAtom, Counter, Counting, Invariant, Summand};
use rely_evidence::rely_guarantee::Comparison;
use rely_evidence::{Claim, Proof, check};
use rely_program::{Goal, Program, Semantics, State, ThreadKind, Value};
use rely_testing::{Answer, Reference, Sample, generate};

/// The invariant that one of these states is the present one, as far as it can tell them apart.
fn counting_invariant(program: &Program, states: &[State]) -> Invariant {
    let semantics = Semantics::new(program);
    let equals = |summand, value: Value| CountAtom {
        terms: vec![(1, summand)],
        constant: -value,
        comparison: Comparison::Eq,
    };
    let mut cubes: Vec<Vec<CountAtom>> = Vec::new();
    for state in states {
        let mut cube = Vec::new();
        for (var, declaration) in program.vars().iter().filter(|(_, var)| var.is_global()) {
            for index in 0..declaration.cells() {
                let value = semantics.global(state, var)[index];
                cube.push(equals(Summand::Cell { var, index: index as u32 }, value));
            }
        }
        for location in program.locations().ids() {
            let count = state.slots().filter(|&slot| state.location(slot) == Some(location)).count();
            cube.push(equals(Summand::Count(Counter::at(location)), count as Value));
        }
        if !cubes.contains(&cube) {
            cubes.push(cube);
        }
    }
    Invariant { cubes }
}

#[derive(Debug, Default)]
struct Tally {
    accepted: usize,
    /// The rule does not know which handles new threads get.
    rejected: usize,
    unsafe_rejected: usize,
}

fn compare(seed: u64, goal: Goal, tally: &mut Tally) {
    let Sample { program, .. } = generate(seed);
    let Some(assertions) = explicit_proof(&program, 60) else { return };
    let states = reachable(&program);
    let invariants = vec![counting_invariant(&program, &states)];
    let proof = Counting { invariants, proof: assertions };
    let expected = Reference::new(&program, goal).answer(100_000);
    let claim = Claim::Safe(Proof::Counting(proof));
    let accepted = check(&program, goal, claim, &Budget::unlimited()).into_verdict().name() == "safe";
    match (accepted, expected) {
        (true, Answer::Safe { .. }) => tally.accepted += 1,
        (true, expected) => panic!("seed {seed}: a proof of `{goal}` was accepted, but {expected:?}"),
        (false, Answer::Unsafe { .. }) => tally.unsafe_rejected += 1,
        (false, _) => tally.rejected += 1,
    }
}

fn has_template(seed: u64) -> bool {
    generate(seed).program.threads().values().any(|thread| thread.kind == ThreadKind::Template)
}

#[test]
fn no_wrong_proof_of_a_generated_program_is_accepted() {
    let mut tally = Tally::default();
    for seed in (0..400).filter(|&seed| has_template(seed)) {
        compare(seed, Goal::Assert, &mut tally);
    }
    assert!(tally.accepted > 10 && tally.unsafe_rejected > 3, "{tally:?}");
}

#[test]
fn no_deadlock_of_a_generated_program_is_denied() {
    let mut tally = Tally::default();
    for seed in 0..100 {
        compare(seed, Goal::Deadlock, &mut tally);
    }
    assert!(tally.accepted > 10 && tally.unsafe_rejected > 3, "{tally:?}");
}
