//! Proofs written down and read again, and obligations for other solvers.

use super::models::{self, Model};
use crate::common::{self, error};
use crate::explicit::explicit_proof;
use crate::notation::proof;
use crate::solvers::solvers;
use rely_base::{Budget, SourceMap};
use rely_evidence::rely_guarantee::{ObligationsError, RelyGuarantee, export_obligations, recheck};
use rely_evidence::{Certificate, Proof};
use rely_program::Goal;
use rely_testing::{Answer, Reference, Sample, generate};

fn of(model: &Model) -> Proof {
    Proof::RelyGuarantee(proof(&model.program, model.proof))
}

fn written(model: &Model) -> String {
    common::written(&model.program, Goal::Assert, &of(model))
}

#[test]
fn what_is_written_is_read() {
    for model in models::all() {
        common::is_read_as_written(&model.program, Goal::Assert, &of(&model));
    }
}

#[test]
fn a_certificate_belongs_to_a_program() {
    let certificate = Certificate::from_json(&written(&models::lock_id())).unwrap();
    let error = certificate.proof_of(&models::lock_bit().program, &SourceMap::new()).unwrap_err().to_string();
    let expected = "the certificate belongs to another program, `test.rely`, or to another version of it";
    assert_eq!(error, expected);
}

#[test]
fn names_are_those_of_the_program() {
    let (model, json) = (models::lock_id(), written(&models::lock_id()));
    for name in ["\"thread\":\"T1\"", "\"var\":\"lock\"", "\"edge\":\"T1 entry -> "] {
        assert!(json.contains(name), "{name} is not in {json}");
    }
    let nobody = json.replace("\"var\":\"lock\"", "\"var\":\"key\"");
    let certificate = Certificate::from_json(&nobody).expect("it has the shape");
    let error = certificate.proof_of(&model.program, &SourceMap::new()).unwrap_err();
    assert_eq!(error.to_string(), "the program has no variable \"key\"");
}

#[test]
fn other_texts_are_no_certificates() {
    let json = written(&models::lock_id());
    assert!(error("").starts_with("this is not a certificate: EOF"));
    assert!(error("[1, 2]").starts_with("this is not a certificate"));
    let other = json.replace("rely-proof", "rely-trace");
    assert_eq!(error(&other), "this is not a certificate but a file of the format `rely-trace`");
    let newer = json.replace("\"version\":2", "\"version\":7");
    let rewrite = "write it again with `rely check --certificate`";
    assert_eq!(error(&newer), format!("the version of the certificate is 7, not 2: {rewrite}"));
    let older = r#"{"format":"rely-proof","version":1,"program":{"name":"a","fingerprint":"b"},"proof":{}}"#;
    assert_eq!(error(older), format!("the version of the certificate is 1, not 2: {rewrite}"));
    let goal = json.replace("\"assert\"", "\"beauty\"");
    assert_eq!(error(&goal), "there is no property `beauty`");
    let nested = "[".repeat(100_000);
    assert!(error(&nested).starts_with("this is not a certificate"));
    let extra = ("\"effects\"", "\"more\":1,\"effects\"", "unknown field `more`");
    common::are_no_certificates(&json, &[extra]);
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
        let mut confirmed = 0;
        for seed in 0..40 {
            let Sample { program, .. } = generate(seed);
            let is_safe =
                matches!(Reference::new(&program, Goal::Assert).answer(10_000), Answer::Safe { .. });
            let Some(proof) = explicit_proof(&program, 12).filter(|_| is_safe) else { continue };
            // Lists of states say too little about threads made from templates.
            let accepted = common::verdict(&program, Goal::Assert, Proof::RelyGuarantee(proof.clone()));
            match recheck(&program, Goal::Assert, &proof, solver, &budget) {
                Ok(_) => confirmed += 1,
                Err(error) => assert_eq!(accepted.name(), "unknown", "seed {seed}: {solver}: {error}"),
            }
        }
        assert!(confirmed >= 5, "{confirmed} proofs were confirmed");
    }
}

#[test]
fn obligations_are_plain_smt_lib() {
    let model = models::lock_id();
    let proof = proof(&model.program, model.proof);
    let text = export_obligations(&model.program, Goal::Assert, &proof, &Budget::unlimited()).unwrap();
    common::is_plain_smt_lib(&text, &["interference: thread `T1` at `b`, edge 2 of `T2`"]);
}
