//! Proofs of the papers' programs with one thing changed: the checker rejects nearly all of them,
//! and where z3 or cvc5 is installed they agree on the rest. A few programs here; all of the tables
//! by `cargo run --release -p rely --example obligations -- --mutants 8`.

use crate::expectation::parse;
use crate::mutants::mutants;
use crate::support::root;
use rely::args::InputArgs;
use rely::input;
use rely_base::{Budget, Silent};
use rely_evidence::rely_guarantee::{ObligationsError, RelyGuarantee, recheck};
use rely_evidence::{Claim, Proof, Verdict, check};
use rely_passes::CriticalSections;
use rely_program::{Goal, Program};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Those that are installed; with `RELY_REQUIRE_SOLVERS` set, a missing one is a failure.
fn solvers() -> Vec<&'static str> {
    let is_there = |solver: &&str| {
        let is_there = Command::new(solver).arg("--version").output().is_ok();
        assert!(is_there || std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "{solver} is not installed");
        is_there
    };
    ["z3", "cvc5"].into_iter().filter(is_there).collect()
}

/// The modular proof that an engine finds for a program, if it finds one.
fn proof_of(path: &Path, goal: Goal, engine: &str) -> Option<(Program, RelyGuarantee)> {
    let input = input::read(path, &InputArgs::default()).expect("readable");
    let loaded = rely_verify::load(&input).expect("a program");
    let engine = rely_verify::strategy(engine).expect("an engine");
    let budget = Budget::unlimited();
    let verified = rely_verify::verify_and_keep(
        &loaded.program,
        goal,
        CriticalSections::Atomic,
        engine.as_ref(),
        &budget,
        &Silent,
    );
    let Verdict::Safe(proved) = &verified.verdict else {
        panic!("{}: {:?}", path.display(), verified.verdict)
    };
    match proved.proof() {
        Proof::RelyGuarantee(proof) => Some((verified.prepared, proof.clone())),
        _ => None,
    }
}

fn is_accepted(program: &Program, proof: &RelyGuarantee) -> bool {
    let claim = Claim::Safe(Proof::RelyGuarantee(proof.clone()));
    matches!(check(program, Goal::Assert, claim, &Budget::unlimited()).into_verdict(), Verdict::Safe(_))
}

/// The proof is confirmed; of its mutants so many at least are rejected, and whatever is accepted
/// the other solvers accept, too.
fn check_mutants(file: &str, engine: &str, at_least: usize) {
    let path = root().join("benchmarks").join(file);
    let proof = proof_of(&path, Goal::Assert, engine);
    let (program, proof) = proof.unwrap_or_else(|| panic!("{file}: a proof by exhaustion"));
    let budget = Budget::unlimited();
    for solver in solvers() {
        let confirmed = recheck(&program, Goal::Assert, &proof, solver, &budget);
        assert!(confirmed.is_ok(), "{file}: {solver}: {confirmed:?}");
    }
    let mut rejected = 0;
    for mutant in mutants(&proof, 3) {
        if !is_accepted(&program, &mutant.proof) {
            rejected += 1;
            continue;
        }
        for solver in solvers() {
            let answer = recheck(&program, Goal::Assert, &mutant.proof, solver, &budget);
            let is_refuted = matches!(answer, Err(ObligationsError::NotConfirmed { answer: "sat", .. }));
            assert!(!is_refuted, "{file}: {}: {solver}: {answer:?}", mutant.what);
        }
    }
    assert!(rejected >= at_least, "{file}: {rejected} rejected");
}

/// Of how many race-free programs the proof of one is usually shown to other solvers; `RELY_RACE_PROOFS=1` shows all.
const USUAL_STRIDE: usize = 5;

/// Other solvers confirm proofs that there are no data races: they are modular proofs of the program in which races
/// are properties.
#[test]
fn proofs_of_race_freedom_are_confirmed() {
    let stride = std::env::var("RELY_RACE_PROOFS").ok().and_then(|stride| stride.parse().ok());
    let entries = std::fs::read_dir(root().join("crates/rely/tests/races")).expect("there are programs");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| {
        let expected = parse(&std::fs::read_to_string(path).expect("a text")).expect("expectations");
        expected.iter().any(|expected| expected.verdict == "safe")
    });
    paths.sort();
    let mut confirmed = 0;
    for path in paths.iter().step_by(stride.unwrap_or(USUAL_STRIDE)) {
        let Some((program, proof)) = proof_of(path, Goal::Race, "portfolio") else { continue };
        for solver in solvers() {
            let answer = recheck(&program, Goal::Assert, &proof, solver, &Budget::unlimited());
            assert!(answer.is_ok(), "{}: {solver}: {answer:?}", path.display());
        }
        confirmed += 1;
    }
    assert!(confirmed >= 5, "{confirmed} proofs");
}

#[test]
fn mutants_of_modular_proofs_are_rejected() {
    check_mutants("popl11/fig2-fixed.rely", "rely-guarantee", 5);
    check_mutants("popl11/lockid.rely", "rely-guarantee", 5);
}

#[test]
fn mutants_of_a_proof_for_mutual_exclusion_are_rejected() {
    check_mutants("popl11/peterson.rely", "rely-guarantee", 10);
}

#[test]
fn mutants_of_deductive_proofs_are_rejected() {
    check_mutants("regasol/loop1-10.rely", "deductive", 5);
    check_mutants("regasol/loop2-n.rely", "deductive", 5);
}
