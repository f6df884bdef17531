//! Generated programs with generated blocks: whenever the checker accepts the blocks, the program in
//! which they are one step is wrong exactly if the program itself is.

use super::generator::{self, claim_movers};
use super::reductions::exhausted;
use crate::explicit::explicit_proof;
use rely_base::Budget;
use rely_evidence::reduction::{Phase, Reduced, ReducedDefect};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_evidence::{Claim, Proof, ProofDefect, Reason, Rejection, Verdict, check};
use rely_program::{Goal, Program};
use rely_testing::{Answer, Random, Reference, Sample, generate};

/// How often what came out.
#[derive(Debug, Default)]
struct Tally {
    rejected: usize,
    safe: usize,
    violated: usize,
}

/// What the checker finds out about the reduced program, if it accepts the reduction.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Rejected,
    Safe,
    Wrong,
}

/// The claim that the reduced program has no states is wrong: what the checker says about it
/// tells what it has found.
fn judge(program: &Program, goal: Goal, reduced: &Reduced) -> Found {
    let claim = Claim::Safe(Proof::Reduced(reduced.clone()));
    let verdict = check(program, goal, claim, &Budget::unlimited()).into_verdict();
    let defect = match verdict {
        Verdict::Unknown(Reason::Rejected(Rejection::Proof(ProofDefect::Reduced(defect)))) => defect,
        // There are programs without any initial state.
        Verdict::Safe(_) => return Found::Safe,
        other => panic!("{other:?}"),
    };
    match defect {
        ReducedDefect::Block { .. } | ReducedDefect::Obligation(_) => Found::Rejected,
        ReducedDefect::Malformed(what) | ReducedDefect::Needed(what) => panic!("{what}"),
        ReducedDefect::Proof(defect) => match *defect {
            ProofDefect::StateCount { claimed: 0, .. } => Found::Safe,
            _ => Found::Wrong,
        },
    }
}

fn compare(what: &str, program: &Program, goal: Goal, reduced: &Reduced, tally: &mut Tally) {
    let found = judge(program, goal, reduced);
    if found == Found::Rejected {
        tally.rejected += 1;
        return;
    }
    let truth = match Reference::new(program, goal).answer(100_000) {
        Answer::Safe { .. } => Found::Safe,
        Answer::Unsafe { .. } | Answer::Stuck | Answer::Meaningless => Found::Wrong,
        Answer::TooMany => return,
    };
    let Reduced { inside, movers, .. } = reduced;
    assert_eq!(found, truth, "{what}: {goal}\n{inside:?}\n{movers:?}\n{program}");
    match found {
        Found::Safe => tally.safe += 1,
        _ => tally.violated += 1,
    }
}

fn blank(held: RelyGuarantee) -> Reduced {
    Reduced {
        forgotten: Vec::new(),
        held: held.into(),
        inside: Vec::new(),
        movers: Vec::new(),
        proof: Box::new(exhausted(0)),
    }
}

#[test]
fn blocks_of_programs_with_locks_hide_nothing() {
    let seeds = std::env::var("RELY_REDUCTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(3500);
    let mut tally = Tally::default();
    for seed in 0..seeds {
        let mut rng = Random::new(seed);
        let generated = generator::generate(Random::new(seed));
        let goal = if rng.percent(90) { Goal::Assert } else { Goal::Overflow };
        let held = generated.held(rng.percent(15));
        for attempt in 0..5 {
            let mut reduced = blank(held.clone());
            generated.blocks(&mut rng, &mut reduced);
            compare(&format!("{seed}.{attempt}"), &generated.program, goal, &reduced, &mut tally);
        }
    }
    assert!(tally.safe > seeds as usize / 4 && tally.violated > seeds as usize / 20, "{tally:?}");
}

/// Held assertions that list all states leave nothing to the imagination of the checker: whatever
/// can be a mover is one.
#[test]
fn blocks_of_arbitrary_programs_hide_nothing() {
    let seeds = std::env::var("RELY_REDUCTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut tally = Tally::default();
    for seed in 0..seeds {
        let mut rng = Random::new(seed);
        let Sample { program, goal } = generate(seed);
        let goal = if goal == Goal::Overflow { goal } else { Goal::Assert };
        let Some(held) = explicit_proof(&program, 30) else { continue };
        let is_inner = |(id, location): &(_, &rely_program::Location)| {
            let thread = &program.threads()[location.thread];
            *id != thread.entry && *id != thread.exit
        };
        for attempt in 0..3 {
            let mut reduced = blank(held.clone());
            for (location, _) in program.locations().iter().filter(is_inner) {
                if rng.percent(25) {
                    let phase = if rng.percent(50) { Phase::BeforeCommit } else { Phase::AfterCommit };
                    reduced.inside.push((location, phase));
                }
            }
            claim_movers(&program, &mut reduced);
            compare(&format!("{seed}.{attempt}"), &program, goal, &reduced, &mut tally);
        }
    }
    assert!(tally.safe > seeds as usize / 8 && tally.violated > 0, "{tally:?}");
}
