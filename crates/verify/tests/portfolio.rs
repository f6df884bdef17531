//! The default strategy goes on until evidence convinces.

use rely_base::{Budget, Recorder, Silent, SourceMap};
use rely_evidence::{Claim, Proof, Reason, Verdict, check as check_evidence};
use rely_program::{Goal, Program};
use rely_verify::{Portfolio, RelyGuaranteeStrategy, Strategy, Task};

fn load(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", text);
    let program = rely_model_front::translate(&sources, file);
    let program = program.unwrap_or_else(|problems| panic!("{problems:?}"));
    rely_passes::prepare(&program, Goal::Assert).0
}

/// The verdict if claims of some kind are never believed, whatever their evidence.
fn check(model: &str, is_suspect: fn(&Claim) -> bool, expected: &str) {
    let program = load(model);
    let judge = |claim: Claim, budget: &Budget| {
        if is_suspect(&claim) {
            let why = "not believed".to_owned();
            return Verdict::Unknown(Reason::GaveUp { engine: "test", why });
        }
        check_evidence(&program, Goal::Assert, claim, budget).into_verdict()
    };
    let budget = Budget::unlimited();
    let task = Task { program: &program, goal: Goal::Assert, observer: &Silent };
    let found = match Portfolio::default().decide(task, &budget, &judge).verdict {
        Verdict::Safe(proved) => match proved.proof() {
            Proof::RelyGuarantee(_) => "rely-guarantee proof",
            _ => "exhausted",
        },
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    };
    assert_eq!(found, expected);
}

const LOCK: &str = "var lock: int = 0; var passes: int = 0;
    thread T1 { passes := passes + 1; if passes > 5 { passes := 0; } a: await lock == 0 do { lock := 1; } b: skip; }
    thread T2 { passes := passes + 1; if passes > 5 { passes := 0; } p: await lock == 0 do { lock := 2; } q: skip; }
    never T1 at b && T2 at q;";

#[test]
fn a_claim_that_does_not_convince_ends_nobody() {
    check(LOCK, |_| false, "exhausted");
    check(LOCK, |claim| matches!(claim, Claim::Safe(Proof::Exhausted(_))), "rely-guarantee proof");
    check(LOCK, |claim| matches!(claim, Claim::Safe(_)), "unknown");
    check(&LOCK.replace("lock := 2", "lock := 0"), |_| false, "unsafe");
}

#[test]
fn refinement_leaves_out_what_does_not_matter() {
    let recorder = Recorder::new(&Silent);
    let task = Task { program: &load(LOCK), goal: Goal::Assert, observer: &recorder };
    RelyGuaranteeStrategy::default().claim(task, &Budget::unlimited());
    let found: Vec<String> =
        recorder.into_history().rounds.into_iter().flat_map(|round| round.found).collect();
    let program = load(LOCK);
    assert!(program.vars().values().any(|var| var.name == "passes"), "the passes have removed it");
    assert!(found.iter().any(|predicate| predicate.contains("lock")), "{found:?}");
    assert!(!found.iter().any(|predicate| predicate.contains("passes")), "{found:?}");
}
