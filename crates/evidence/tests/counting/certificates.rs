//! Counting proofs written down and read again, and their obligations for other solvers.

use crate::models::{self, Model};
use crate::notation::proof;
use crate::solvers::solvers;
use rely_base::Budget;
use rely_evidence::rely_guarantee::{ObligationsError, export_obligations, recheck};
use rely_evidence::{Certificate, Proof, proof_to_json};
use rely_program::Goal;

fn written(model: &Model) -> String {
    let proof = Proof::Counting(proof(&model.program, model.proof));
    proof_to_json(&model.program, Goal::Assert, &proof)
}

fn error(json: &str) -> String {
    match Certificate::from_json(json) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("this was understood: {json}"),
    }
}

#[test]
fn what_is_written_is_read() {
    for model in models::all() {
        let certificate = Certificate::from_json(&written(&model)).unwrap();
        let Proof::Counting(read) = certificate.proof_of(&model.program).unwrap() else {
            panic!("another kind of proof")
        };
        assert_eq!(read, proof(&model.program, model.proof));
    }
}

#[test]
fn other_texts_are_no_certificates() {
    let json = written(&models::maximum());
    let cases = [
        ("\"invariants\"", "\"more\":1,\"invariants\"", "unknown field `more`"),
        ("\"invariants\":", "\"wishes\":", "unknown field `wishes`"),
        ("\"count\":{\"location\":2,", "\"count\":{", "missing field `location`"),
        ("\"count\":{\"location\":2,", "\"count\":{\"location\":-2,", "invalid value: integer `-2`"),
        ("\"count\":{\"location\":2,", "\"sum\":{\"location\":2,", "unknown variant `sum`"),
        ("\"rely_guarantee\":", "\"rely\":", "unknown field `rely`"),
    ];
    for (part, replacement, expected) in cases {
        assert!(json.contains(part), "{part} is not in {json}");
        let found = error(&json.replacen(part, replacement, 1));
        assert!(found.contains(expected), "{found}");
    }
    for cut in (0..json.len()).step_by(97) {
        error(&json[..cut]);
    }
}

#[test]
fn other_solvers_confirm_the_proofs() {
    let budget = Budget::unlimited();
    for solver in solvers() {
        let mut queries = 0;
        for model in models::all() {
            let proof = proof(&model.program, model.proof);
            let goals =
                if model.deadlock_free { vec![Goal::Assert, Goal::Deadlock] } else { vec![Goal::Assert] };
            for goal in goals {
                let confirmed = recheck(&model.program, goal, &proof, solver, &budget);
                queries += confirmed.unwrap_or_else(|error| panic!("{}: {error}", model.name));
            }
        }
        assert!(queries > 100, "{queries}");
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
    let queries = text.matches("(check-sat)").count();
    assert!(queries > 0 && text.matches("(set-info :status unsat)").count() == queries, "{text}");
    assert!(text.contains("invariant-step: thread `proc` at `lc1`, edge 3 of `proc`, invariant 2"), "{text}");
    assert!(
        text.contains("(declare-fun |#proc.lc1| () Int)") || text.contains("(declare-const |#proc.lc1| Int)"),
        "{text}"
    );
    assert!(text.ends_with("(exit)\n"));
}
