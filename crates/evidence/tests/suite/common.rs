//! What the tests of all kinds of proofs do alike: checking, damaging, writing and reading.

use rely_base::{Budget, CancelToken, SourceMap};
use rely_evidence::rely_guarantee::{RelyGuaranteeDefect, Rule};
use rely_evidence::{
    About, Certificate, Claim, Proof, ProofDefect, Reason, Rejection, Verdict, check, proof_to_json,
};
use rely_program::{Goal, Program};

/// The program of a text.
pub fn program(source: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("test.rely", source);
    rely_model_front::translate(&sources, file).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// What the checker says about a proof.
pub fn verdict(program: &Program, goal: Goal, proof: Proof) -> Verdict {
    check(program, goal, Claim::Safe(proof), &Budget::unlimited()).into_verdict()
}

/// Why the checker does not accept a proof.
#[track_caller]
pub fn reason(program: &Program, goal: Goal, proof: Proof) -> Reason {
    match verdict(program, goal, proof) {
        Verdict::Unknown(reason) => reason,
        other => panic!("this was accepted: {other:?}"),
    }
}

/// Which obligation of a proof by rely and guarantee is not met.
#[track_caller]
pub fn defect(program: &Program, goal: Goal, proof: Proof) -> RelyGuaranteeDefect {
    match reason(program, goal, proof) {
        Reason::Rejected(Rejection::Proof(ProofDefect::RelyGuarantee(defect))) => defect,
        other => panic!("{other:?}"),
    }
}

/// Replaces lines of a proof that is given as text, and expects that the checker blames a rule. `""`
/// drops a line.
#[track_caller]
pub fn rejects(
    (program, goal): (&Program, Goal),
    text: &str,
    read: impl Fn(&Program, &str) -> Proof,
    damages: &[(&str, &str, Rule)],
) {
    for (line, replacement, rule) in damages {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines.iter().filter(|other| *other == line).count(), 1, "which line is `{line}`?");
        let damaged: Vec<&str> =
            lines.iter().map(|other| if other == line { *replacement } else { *other }).collect();
        let found = match verdict(program, goal, read(program, &damaged.join("\n"))) {
            Verdict::Unknown(Reason::Rejected(Rejection::Proof(ProofDefect::RelyGuarantee(found)))) => found,
            other => panic!("`{line}` became `{replacement}`: {other:?}"),
        };
        assert_eq!(found.rule(), Some(*rule), "`{line}` became `{replacement}`: {found}");
    }
}

/// No proof of this kind says anything about the goals.
#[track_caller]
pub fn proves_nothing_about(goals: &[Goal], program: &Program, proof: &Proof) {
    for goal in goals {
        let expected =
            format!("the evidence was rejected: a proof of this kind does not prove the property `{goal}`");
        assert_eq!(reason(program, *goal, proof.clone()).to_string(), expected);
    }
}

/// A check that is cancelled says so.
#[track_caller]
pub fn can_be_cancelled(program: &Program, goal: Goal, proof: Proof) {
    let token = CancelToken::new();
    token.cancel();
    let budget = Budget::builder().token(token).build();
    let verdict = check(program, goal, Claim::Safe(proof), &budget).into_verdict();
    assert!(matches!(verdict, Verdict::Unknown(Reason::Unchecked(_))), "{verdict:?}");
}

/// A proof about a program without a source, as a certificate.
pub fn written(program: &Program, goal: Goal, proof: &Proof) -> String {
    proof_to_json(program, &SourceMap::new(), About::Simplified, goal, proof)
}

/// A proof that is written is read as it was.
#[track_caller]
pub fn is_read_as_written(program: &Program, goal: Goal, proof: &Proof) {
    let json = written(program, goal, proof);
    let certificate = Certificate::from_json(&json).expect("it was just written");
    assert_eq!(certificate.goal, goal);
    let read = certificate.proof_of(program, &SourceMap::new()).expect("it is about this program");
    assert_eq!(format!("{read:?}"), format!("{proof:?}"));
}

/// What is wrong with something that is no certificate.
#[track_caller]
pub fn error(json: &str) -> String {
    match Certificate::from_json(json) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("this was understood: {json}"),
    }
}

/// Replaces a part of a certificate, and expects an error that says something; so does cutting it off.
#[track_caller]
pub fn are_no_certificates(json: &str, damages: &[(&str, &str, &str)]) {
    for (part, replacement, expected) in damages {
        assert!(json.contains(part), "{part} is not in {json}");
        let found = error(&json.replacen(part, replacement, 1));
        assert!(found.contains(expected), "`{part}` became `{replacement}`: {found}");
    }
    for cut in (0..json.len()).step_by(53) {
        error(&json[..cut]);
    }
}

/// Obligations are a script of questions whose answers it says itself.
#[track_caller]
pub fn is_plain_smt_lib(text: &str, parts: &[&str]) {
    let queries = text.matches("(check-sat)").count();
    assert!(queries > 0, "{text}");
    assert_eq!(text.matches("(set-info :status unsat)").count(), queries, "{text}");
    assert!(text.ends_with("(exit)\n"), "{text}");
    for part in parts {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}
