//! A seeded share of the differential campaigns against z3; see `campaign`.

#![allow(clippy::print_stderr)] // a test says what it leaves out

mod campaign;

use campaign::{clauses, conjunctions, entailments, formulas, interpolants, operations, oracle, problems};

/// Runs a campaign if z3 is there, and says so if it is not.
fn with_z3(run: impl FnOnce(&mut oracle::Oracle) -> campaign::Report, fewest_answers: usize) {
    let Some(mut z3) = oracle::Oracle::new() else {
        eprintln!("left out: z3 is not installed");
        return;
    };
    let report = run(&mut z3);
    // A solver that answers nothing would agree with everybody.
    assert!(report.sat.min(report.unsat) >= fewest_answers, "too few answers of one kind: {report}");
    assert!(report.unconfirmed * 100 <= report.questions, "too few answers of z3: {report}");
}

#[test]
fn conjunctions_agree_with_z3() {
    with_z3(|z3| conjunctions::run(z3, 1, 4_000), 1_000);
}

#[test]
fn entailments_agree_with_z3() {
    with_z3(|z3| entailments::run(z3, 1, 2_000), 500);
}

#[test]
fn operations_agree_with_z3() {
    with_z3(|z3| operations::run(z3, 1, 120), 20);
}

#[test]
fn formulas_agree_with_z3() {
    with_z3(|z3| formulas::run(z3, 1, 1_500), 200);
}

#[test]
fn interpolants_of_pairs_satisfy_z3() {
    with_z3(|z3| interpolants::run(z3, 1, 800, problems::pair), 100);
}

#[test]
fn interpolants_of_sequences_satisfy_z3() {
    with_z3(|z3| interpolants::run(z3, 2, 200, problems::sequence), 30);
}

#[test]
fn interpolants_of_trees_satisfy_z3() {
    with_z3(|z3| interpolants::run(z3, 3, 200, problems::tree), 30);
}

#[test]
fn solutions_of_clauses_satisfy_z3() {
    with_z3(|z3| clauses::run(z3, 4, 400), 50);
}
