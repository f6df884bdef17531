//! Proofs written down and read again, and obligations for other solvers.

use crate::explicit::explicit_proof;
use crate::models::{self, Model};
use crate::notation::proof;
use crate::solvers::solvers;
use rely_base::Budget;
use rely_evidence::rely_guarantee::{ObligationsError, RelyGuarantee, export_obligations, recheck};
use rely_evidence::{Certificate, Proof, proof_to_json};
use rely_program::Goal;
use rely_testing::{Answer, Reference, Sample, generate};

fn written(model: &Model) -> String {
    let proof = Proof::RelyGuarantee(proof(&model.program, model.proof));
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
        assert_eq!(certificate.goal, Goal::Assert);
        let Proof::RelyGuarantee(read) = certificate.proof_of(&model.program).unwrap() else {
            panic!("another kind of proof")
        };
        assert_eq!(read, proof(&model.program, model.proof));
    }
}

#[test]
fn a_certificate_belongs_to_a_program() {
    let certificate = Certificate::from_json(&written(&models::lock_id())).unwrap();
    let error = certificate.proof_of(&models::lock_bit().program).unwrap_err().to_string();
    let expected = "the certificate belongs to another program, `test.rely`, or to another version of it";
    assert_eq!(error, expected);
}

#[test]
fn other_texts_are_no_certificates() {
    let json = written(&models::lock_id());
    assert!(error("").starts_with("this is not a certificate: EOF"));
    assert!(error("[1, 2]").starts_with("this is not a certificate"));
    let other = json.replace("rely-proof", "rely-trace");
    assert_eq!(error(&other), "this is not a certificate but of the format `rely-trace`");
    let newer = json.replace("\"version\":1", "\"version\":7");
    assert_eq!(error(&newer), "certificates of version 7 are not understood");
    let goal = json.replace("\"assert\"", "\"beauty\"");
    assert_eq!(error(&goal), "there is no property `beauty`");
    let extra = json.replace("\"effects\"", "\"more\":1,\"effects\"");
    assert!(error(&extra).contains("unknown field `more`"));
    let nested = "[".repeat(100_000);
    assert!(error(&nested).starts_with("this is not a certificate"));
    for cut in (0..json.len()).step_by(97) {
        error(&json[..cut]);
    }
}

fn confirmed(model: &Model, proof: &RelyGuarantee, solver: &str) -> Result<usize, ObligationsError> {
    recheck(&model.program, Goal::Assert, proof, solver, &Budget::unlimited())
}

#[test]
fn other_solvers_confirm_the_proofs() {
    for solver in solvers() {
        for model in models::all() {
            let proof = proof(&model.program, model.proof);
            assert!(confirmed(&model, &proof, solver).unwrap() > 0);
        }
        let model = models::lock_id();
        let damaged = proof(&model.program, &model.proof.replace("T1 @entry: true", "T1 @entry: lock = 0"));
        let error = confirmed(&model, &damaged, solver).unwrap_err().to_string();
        let expected = "the solver answers `sat` where `unsat` was expected: rule `interference` (thread `T1` at `entry`, edge 2 of `T2`)";
        assert_eq!(error, expected);
    }
}

#[test]
fn other_solvers_confirm_proofs_of_generated_programs() {
    let budget = Budget::unlimited();
    for solver in solvers() {
        for seed in 0..40 {
            let Sample { program, .. } = generate(seed);
            let is_safe =
                matches!(Reference::new(&program, Goal::Assert).answer(10_000), Answer::Safe { .. });
            let Some(proof) = explicit_proof(&program, 12).filter(|_| is_safe) else { continue };
            if let Err(error) = recheck(&program, Goal::Assert, &proof, solver, &budget) {
                // Lists of states say too little about threads made from templates.
                let unproved = rely_evidence::check(
                    &program,
                    Goal::Assert,
                    rely_evidence::Claim::Safe(Proof::RelyGuarantee(proof)),
                    &budget,
                );
                assert_eq!(unproved.into_verdict().name(), "unknown", "seed {seed}: {solver}: {error}");
            }
        }
    }
}

#[test]
fn obligations_are_plain_smt_lib() {
    let model = models::lock_id();
    let proof = proof(&model.program, model.proof);
    let text = export_obligations(&model.program, Goal::Assert, &proof, &Budget::unlimited()).unwrap();
    let queries = text.matches("(check-sat)").count();
    assert!(queries > 0 && text.matches("(set-info :status unsat)").count() == queries, "{text}");
    assert!(text.contains("interference: thread `T1` at `b`, edge 2 of `T2`"), "{text}");
    assert!(text.ends_with("(exit)\n"));
}
