//! Reductions as files: what is written is read again, and other solvers agree.

use super::by_hand::right;
use super::models::{self, Model};
use super::reductions::{exhausted, reduction};
use crate::common;
use crate::notation;
use crate::solvers::solvers;
use expect_test::expect_file;
use rely_base::{Budget, Id, SourceMap};
use rely_evidence::reduction::{Mover, Reduced};
use rely_evidence::rely_guarantee::ObligationsError;
use rely_evidence::{About, Proof, export_obligations, proof_to_json, recheck};
use rely_program::{EdgeId, Goal};

fn proof(model: &Model) -> Proof {
    Proof::Reduced(right(model))
}

#[test]
fn what_is_written_is_read() {
    for model in models::all() {
        common::is_read_as_written(&model.program, Goal::Assert, &proof(&model));
    }
}

#[test]
fn other_texts_are_no_certificates() {
    let model = models::counter();
    let json = common::written(&model.program, Goal::Assert, &proof(&model));
    let deep = format!("{}{{\"reduced\"", "{\"reduced\":{\"proof\":".repeat(10_000));
    common::are_no_certificates(
        &json,
        &[
            ("\"commit\":\"ahead\"", "\"commit\":\"maybe\"", "unknown variant `maybe`"),
            ("\"moves\":\"right\"", "\"moves\":\"up\"", "unknown variant `up`"),
            ("\"inside\"", "\"outside\"", "unknown field `outside`"),
            ("\"held\"", "\"effects\"", "unknown field `effects`"),
            ("{\"reduced\"", &deep, "this is not a certificate"),
        ],
    );
}

#[test]
fn obligations_of_both_parts_are_exported() {
    let model = models::figure_1();
    let text = export_obligations(&model.program, Goal::Assert, &proof(&model), &Budget::unlimited());
    let text = text.expect("it is a proof");
    assert!(text.starts_with("; Obligations of a proof by reduction of the property `assert`"), "{text}");
    common::is_plain_smt_lib(
        &text,
        &[
            ". interference: thread `T1` at `l3`, edge 14 of `T3`",
            ". right-mover: thread `T1` at `l2`, edge 2 of `T1`, past edge 16 of `T3`",
            ". left-mover: thread `T3` at `l2`, edge 16 of `T3`, past edge 2 of `T1`",
            // Of the reduced program, which has fewer edges.
            ". own-step: thread `T1` at `l6`, edge 1 of `T1`",
        ],
    );
    let damaged = Proof::Reduced(Reduced { movers: Vec::new(), ..right(&model) });
    let error = export_obligations(&model.program, Goal::Assert, &damaged, &Budget::unlimited());
    let error = error.expect_err("it is none").to_string();
    assert!(error.starts_with("rule `before-commit` is violated"), "{error}");
}

#[test]
fn other_solvers_confirm_reductions() {
    let budget = Budget::unlimited();
    for solver in solvers() {
        for model in models::all() {
            let confirmed = recheck(&model.program, Goal::Assert, &proof(&model), solver, &budget);
            assert!(confirmed.as_ref().is_ok_and(|count| *count > 0), "{solver}: {confirmed:?}");
        }
        let model = models::unprotected_access();
        let mut damaged = right(&model);
        damaged.movers.push((EdgeId::from_index(3), Mover::Both));
        let damaged = Proof::Reduced(damaged);
        let answer = recheck(&model.program, Goal::Assert, &damaged, solver, &budget);
        let Err(error @ ObligationsError::NotConfirmed { .. }) = answer else {
            panic!("{solver}: {answer:?}")
        };
        let expected = "the solver answers `sat` where `unsat` was expected: rule `right-mover` (thread `T1` at `l3`, edge 3 of `T1`, past edge 17 of `T3`)";
        assert_eq!(error.to_string(), expected);
    }
}

/// The certificate that stands beside the examples. `UPDATE_EXPECT=1` writes it anew when
/// simplification gives other numbers to places.
#[test]
fn the_example_is_up_to_date() {
    let mut sources = SourceMap::new();
    let text = include_str!("../../../../../examples/locked-counter.rely");
    let file = sources.add("examples/locked-counter.rely", text);
    let program = rely_model_front::translate(&sources, file).expect("the example is correct");
    let budget = Budget::unlimited();
    let prepared = rely_passes::prepare_with(
        &program,
        Goal::Assert,
        rely_passes::CriticalSections::Interleaved,
        &budget,
    );
    let (prepared, _) = prepared.expect("a budget without limits does not end");
    let held = |thread: &str, handle: u32, [a, b, c]: [u32; 3]| {
        format!(
            "{thread} @entry: true
             {thread} @{a}: m = {handle}
             {thread} @{b}: m = {handle}
             {thread} @{c}: m = {handle}
             {thread} @exit: true
             effect {thread} @entry: m = 0 & m' = {handle}
             effect {thread} @{a}: true
             effect {thread} @{b}: true
             effect {thread} @{c}: m = {handle} & m' = 0\n"
        )
    };
    let blocks = |thread: &str, [a, b, c]: [u32; 3]| {
        format!(
            "before {thread}: {a} {b} {c}\nright {thread}: entry\nboth {thread}: {a} {b}\nleft {thread}: {c}\n"
        )
    };
    let held = held("A", 1, [4, 5, 6]) + &held("B", 2, [7, 8, 9]);
    let blocks = blocks("A", [4, 5, 6]) + &blocks("B", [7, 8, 9]);
    let reduced = reduction(&prepared, &held, &blocks, exhausted(0));
    let (smaller, _) = reduced.program(&prepared).expect("the blocks are some");
    let inner = notation::proof(
        &smaller,
        "A @entry: x = 0 & m = 0 & B in {entry} | x = 1 & m = 0 & B in {exit}
         A @exit: x = 1 & m = 0 & B in {entry} | x = 2 & m = 0 & B in {exit}
         B @entry: true
         B @exit: true
         effect A @entry: true
         effect B @entry: m' = 0 & x' = x + 1",
    );
    let reduced = Reduced { proof: Box::new(Proof::RelyGuarantee(inner)), ..reduced };
    let proof = Proof::Reduced(reduced);
    let verdict = common::verdict(&prepared, Goal::Assert, proof.clone());
    assert_eq!(verdict.name(), "safe", "{verdict:?}");
    let json = proof_to_json(&prepared, &sources, About::Simplified, Goal::Assert, &proof) + "\n";
    expect_file!["../../../../../examples/locked-counter.proof.json"].assert_eq(&json);
}
