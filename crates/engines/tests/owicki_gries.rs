//! Owicki-Gries beside a naive reference: verdicts agree, and no evidence is rejected. The clauses of the
//! reduction rule beside the same reference: they have a model just if the program is safe.

use rely_base::{Budget, Silent};
use rely_engines::reduction::Blocks;
use rely_engines::{Engine, OwickiGries};
use rely_evidence::{Verdict, check};
use rely_horn::{solve, system_text};
use rely_passes::{CriticalSections, prepare, prepare_with};
use rely_program::{Goal, Program};
use rely_proof_rules::{NoClauses, ProofClauses, ProofRule, ProofRuleOptions, Sight, proof_clauses};
use rely_testing::random::{edits, locking};
use rely_testing::{Answer, Reference, generate};

/// How often each verdict was found, and how often none.
#[derive(Debug, Default)]
struct Tally {
    safe: usize,
    violated: usize,
    open: usize,
}

impl Tally {
    /// Counts an answer that must not contradict the reference.
    fn add(&mut self, what: &str, program: &Program, found: &str, expected: &Answer) {
        match (found, expected) {
            ("safe", Answer::Safe { .. }) => self.safe += 1,
            ("unsafe", Answer::Unsafe { .. }) => self.violated += 1,
            ("unknown", _) => self.open += 1,
            (found, Answer::Safe { .. } | Answer::Unsafe { .. }) => {
                panic!("{what}: {found}, not {expected:?}\n{program}")
            }
            // The reference does not know.
            _ => {}
        }
    }
}

fn expected(program: &Program, goal: Goal) -> Answer {
    Reference::new(program, goal).answer(20_000)
}

/// Every other program is looked at as it is, without passes.
fn compare_engine(what: &str, seed: u64, program: &Program, goal: Goal, tally: &mut Tally) {
    let prepared = if seed.is_multiple_of(2) { program.clone() } else { prepare(program, goal).0 };
    let budget = Budget::unlimited().with_step_limit(60_000);
    let claim = OwickiGries::default().run(&prepared, goal, &budget, &Silent);
    let verdict = check(&prepared, goal, claim, &Budget::unlimited()).into_verdict();
    if let Verdict::Unknown(reason) = &verdict {
        assert!(!reason.to_string().contains("rejected"), "{what} {seed}: {reason}\n{program}");
    }
    tally.add(&format!("{what} {seed}"), program, verdict.name(), &expected(program, goal));
}

#[test]
fn generated_programs() {
    let mut tally = Tally::default();
    for seed in 0..150 {
        let sample = generate(seed);
        if sample.goal != Goal::Deadlock {
            compare_engine("seed", seed, &sample.program, sample.goal, &mut tally);
        }
    }
    for seed in 0..130 {
        compare_engine("lock", seed, &locking::program(seed), Goal::Assert, &mut tally);
    }
    assert!(tally.safe > 60 && tally.violated > 60, "{tally:?}");
}

#[test]
fn edited_programs() {
    let mut tally = Tally::default();
    for (seed, program) in (0..120).filter_map(|seed| Some((seed, edits::program(seed).ok()?))) {
        compare_engine("edit", seed, &program, Goal::Assert, &mut tally);
    }
    assert!(tally.safe > 10 && tally.violated > 10, "{tally:?}");
}

/// The program in which nobody comes between the steps of the blocks that are inferred; and how many locations are inside.
fn with_blocks(program: &Program) -> (Program, usize) {
    let sections = CriticalSections::Interleaved;
    let (program, _) =
        prepare_with(program, Goal::Assert, sections, &Budget::unlimited()).expect("enough time");
    let inside = Blocks::infer(&program, Goal::Assert, Default::default(), &Budget::unlimited()).inside;
    let with_blocks = program.with_atomic(inside.iter().map(|(location, _)| *location)).expect("well formed");
    (with_blocks, inside.len())
}

/// The clauses of the reduction rule for such a program.
fn reduction(with_blocks: &Program, sight: Sight) -> Option<ProofClauses> {
    let options = ProofRuleOptions::new(ProofRule::Reduction, sight);
    match proof_clauses(with_blocks, Goal::Assert, options, &Budget::unlimited()) {
        Ok(clauses) => Some(clauses),
        Err(NoClauses::Template(_) | NoClauses::Halts | NoClauses::TooManyCases) => None,
        Err(error) => panic!("{error}"),
    }
}

fn answer(clauses: &mut ProofClauses) -> &'static str {
    let budget = Budget::unlimited().with_step_limit(60_000);
    let answer = solve(&mut clauses.pool, &clauses.system, None, &budget, &Silent);
    match answer.name() {
        "sat" => "safe",
        "unsat" if clauses.over_approximates => "unknown",
        "unsat" => "unsafe",
        other => other,
    }
}

/// Over whole states the rule is sound and complete, whatever the blocks are; over less it is sound.
#[test]
fn clauses_of_the_reduction_rule() {
    let [mut tally, mut modular] = [Tally::default(), Tally::default()];
    let mut blocks = 0;
    let locking = (0..200).map(|seed| (format!("lock {seed}"), locking::program(seed)));
    let edited = (0..60).filter_map(|seed| Some((format!("edit {seed}"), edits::program(seed).ok()?)));
    for (what, program) in locking.chain(edited) {
        let expected = expected(&program, Goal::Assert);
        let (reduced, inside) = with_blocks(&program);
        let Some(mut clauses) = reduction(&reduced, Sight::Everything) else { continue };
        blocks += usize::from(inside > 0);
        tally.add(&what, &program, answer(&mut clauses), &expected);
        for sight in [Sight::Places, Sight::Plain] {
            let Some(mut clauses) = reduction(&reduced, sight) else { continue };
            if answer(&mut clauses) == "safe" {
                modular.add(&what, &program, "safe", &expected);
            }
        }
    }
    assert!(tally.safe > 50 && tally.violated > 50 && blocks > 40, "{tally:?} {blocks}");
    assert!(modular.safe > 50, "{modular:?}");
}

/// What a model says of blocks becomes assertions that the checker accepts, and a derivation through summaries a run.
#[test]
fn models_of_the_reduction_rule_are_proofs() {
    let mut tally = Tally::default();
    let mut blocks = 0;
    let engine = OwickiGries { summarising: true, ..OwickiGries::default() };
    let locking = (0..120).map(|seed| (format!("lock {seed}"), locking::program(seed)));
    let generated = (0..120).map(|seed| (format!("seed {seed}"), generate(seed).program));
    for (what, program) in locking.chain(generated) {
        let (reduced, inside) = with_blocks(&program);
        let budget = Budget::unlimited().with_step_limit(60_000);
        let claim = engine.run(&reduced, Goal::Assert, &budget, &Silent);
        let verdict = check(&reduced, Goal::Assert, claim, &Budget::unlimited()).into_verdict();
        if let Verdict::Unknown(reason) = &verdict {
            assert!(!reason.to_string().contains("rejected"), "{what}: {reason}\n{reduced}");
        } else {
            blocks += usize::from(inside > 0);
        }
        tally.add(&what, &program, verdict.name(), &expected(&program, Goal::Assert));
    }
    assert!(tally.safe > 60 && tally.violated > 40 && blocks > 40, "{tally:?} {blocks}");
}

#[test]
fn without_blocks_the_reduction_rule_is_that_of_owicki_and_gries() {
    let mut compared = 0;
    for program in (0..150).map(|seed| generate(seed).program) {
        if program.locations().values().any(|location| location.atomic) {
            continue;
        }
        for sight in [Sight::Plain, Sight::Places, Sight::Everything] {
            let text = |rule| {
                let options = ProofRuleOptions::new(rule, sight);
                let clauses = proof_clauses(&program, Goal::Assert, options, &Budget::unlimited()).ok()?;
                Some(system_text(&clauses.pool, &clauses.system))
            };
            let of_rule = text(ProofRule::Reduction);
            compared += usize::from(of_rule.is_some());
            assert_eq!(of_rule, text(ProofRule::OwickiGries), "{program}");
        }
    }
    assert!(compared > 60, "{compared}");
}
