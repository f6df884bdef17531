//! Counting proofs written down and read again, and their obligations for other solvers.

use super::models::{self, Model};
use crate::common;
use crate::counting_notation::proof;
use crate::solvers::solvers;
use rely_base::Budget;
use rely_evidence::Proof;
use rely_evidence::rely_guarantee::{ObligationsError, export_obligations, recheck};
use rely_program::Goal;

fn of(model: &Model) -> Proof {
    Proof::Counting(proof(&model.program, model.proof))
}

#[test]
fn what_is_written_is_read() {
    for model in models::all() {
        common::is_read_as_written(&model.program, Goal::Assert, &of(&model));
    }
}

#[test]
fn other_texts_are_no_certificates() {
    let model = models::maximum();
    let json = common::written(&model.program, Goal::Assert, &of(&model));
    common::are_no_certificates(
        &json,
        &[
            ("\"invariants\"", "\"more\":1,\"invariants\"", "unknown field `more`"),
            ("\"invariants\":", "\"wishes\":", "unknown field `wishes`"),
            ("\"count\":{\"having\":[],", "\"count\":{", "missing field `having`"),
            ("\"location\":\"", "\"where\":\"", "unknown field `where`"),
            ("\"count\":{", "\"sum\":{", "unknown variant `sum`"),
            ("\"rely_guarantee\":", "\"rely\":", "unknown field `rely`"),
        ],
    );
}

#[test]
fn other_solvers_confirm_the_proofs() {
    let budget = Budget::unlimited();
    for solver in solvers() {
        let mut queries = 0;
        for model in models::all() {
            let proof = proof(&model.program, model.proof);
            let confirmed = recheck(&model.program, Goal::Assert, &proof, solver, &budget);
            queries += confirmed.unwrap_or_else(|error| panic!("{}: {error}", model.name));
        }
        assert!(queries > 50, "{queries}");
        let model = models::counted_barrier();
        let damaged =
            proof(&model.program, &model.proof.replace("wait = #worker.b +", "wait = 2*#worker.b +"));
        match recheck(&model.program, Goal::Assert, &damaged, solver, &budget) {
            Err(error @ ObligationsError::NotConfirmed { .. }) => {
                let expected = "the solver answers `sat` where `unsat` was expected: rule `invariant-step` (thread `worker` at `entry`, edge 2 of `worker`, invariant 1)";
                assert_eq!(error.to_string(), expected);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn obligations_are_plain_smt_lib() {
    let model = models::maximum();
    let proof = proof(&model.program, model.proof);
    let text = export_obligations(&model.program, Goal::Assert, &proof, &Budget::unlimited()).unwrap();
    let counter = ["(declare-fun |#proc.lc1| () Int)", "(declare-const |#proc.lc1| Int)"];
    assert!(counter.iter().any(|declaration| text.contains(declaration)), "{text}");
    let step = "invariant-step: thread `proc` at `lc1`, edge 3 of `proc`, invariant 2";
    common::is_plain_smt_lib(&text, &[step]);
}
