//! Reduction joins steps, and what is proved of the joined ones is accepted of the single ones.

mod generated;
mod tricky;

use rely_base::{Budget, Silent, SourceMap};
use rely_evidence::{Proof, Verdict};
use rely_passes::CriticalSections;
use rely_program::{Goal, Program};
use rely_testing::random::{edits, locking};
use rely_testing::{Answer, Reference, generate};
use rely_verify::{Portfolio, ReductionStrategy, Standard, Strategy, Task, verify, verify_and_keep};
use tricky::{TRICKY, Tricky};

fn load(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", text);
    let program = rely_model_front::translate(&sources, file);
    program.unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The verdict about a program as it is, without passes.
fn decide(program: &Program, goal: Goal) -> Verdict {
    // Some of the programs count without end.
    let budget = Budget::unlimited().with_step_limit(300_000);
    let task = Task { program, goal, observer: &Silent };
    let judge = |claim, budget: &Budget| rely_evidence::check(program, goal, claim, budget).into_verdict();
    ReductionStrategy::default().decide(task, &budget, &judge).verdict
}

/// The verdict, with passes.
fn check(without: &str, model: &str, expected: &str) {
    let program = load(model);
    let verified =
        verify(&program, Goal::Assert, &ReductionStrategy::default(), &Budget::unlimited(), &Silent);
    let found = match &verified.verdict {
        Verdict::Safe(proved) => match proved.proof() {
            Proof::Reduced(_) => "safe by reduction".to_owned(),
            _ => "safe".to_owned(),
        },
        Verdict::Unsafe(_) => "unsafe".to_owned(),
        Verdict::Unknown(reason) => reason.to_string(),
    };
    assert_eq!(found, expected, "without {without}: {model}");
}

#[test]
fn tricky_programs() {
    assert!(TRICKY.len() >= 25);
    for Tricky { without, model, expected } in TRICKY {
        check(without, model, expected);
    }
}

/// What reduction says agrees with a reference that knows nothing of it, and no evidence is rejected.
fn compare(what: &str, program: &Program, goal: Goal, tally: &mut [usize; 3]) {
    let expected = Reference::new(program, goal).answer(20_000);
    let verdict = decide(program, goal);
    match (&verdict, &expected) {
        (Verdict::Safe(proved), Answer::Safe { .. }) => {
            tally[usize::from(matches!(proved.proof(), Proof::Reduced(_)))] += 1;
        }
        (Verdict::Unsafe(_), Answer::Unsafe { .. }) => tally[2] += 1,
        (Verdict::Unknown(reason), _) => {
            assert!(!reason.to_string().contains("rejected"), "{what}: {reason}\n{program}");
        }
        (_, Answer::Safe { .. } | Answer::Unsafe { .. }) => {
            panic!("{what}: {}, not {expected:?}\n{program}", verdict.name())
        }
        _ => {}
    }
}

#[test]
fn generated_programs() {
    let mut tally = [0; 3];
    for seed in 0..150 {
        let sample = generate(seed);
        if sample.goal != Goal::Deadlock {
            compare(&format!("seed {seed}"), &sample.program, sample.goal, &mut tally);
        }
    }
    for seed in 0..150 {
        compare(&format!("lock {seed}"), &locking::program(seed), Goal::Assert, &mut tally);
    }
    assert!(tally[1] > 40 && tally[2] > 60, "{tally:?}");
}

#[test]
fn edited_programs() {
    let mut tally = [0; 3];
    // In the last one, blocks start an instance twice.
    let seeds = (0..150).chain([215]);
    for (seed, program) in seeds.filter_map(|seed| Some((seed, edits::program(seed).ok()?))) {
        compare(&format!("edit {seed}"), &program, Goal::Assert, &mut tally);
    }
    assert!(tally[1] > 10 && tally[2] > 30, "{tally:?}");
}

/// Reduction, the portfolio without it, what runs unless something else is chosen, and a reference that knows nothing
/// of any of them agree about models with locks.
fn compare_models(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let mut tally = [0; 3];
    for seed in seeds {
        let model = generated::model(seed);
        let program = load(&model);
        let expected = Reference::new(&program, Goal::Assert).answer(20_000);
        let expected = match expected {
            Answer::Safe { .. } => "safe",
            Answer::Unsafe { .. } => "unsafe",
            _ => continue,
        };
        let budget = || Budget::unlimited().with_step_limit(300_000);
        let reducing = ReductionStrategy::default();
        let by = |strategy: &dyn Strategy, sections| {
            let verified = verify_and_keep(&program, Goal::Assert, sections, strategy, &budget(), &Silent);
            if let Verdict::Unknown(reason) = &verified.verdict {
                assert!(!reason.to_string().contains("rejected"), "seed {seed}: {reason}\n{model}");
                return verified.verdict;
            }
            assert_eq!(verified.verdict.name(), expected, "seed {seed}, {}\n{model}", strategy.name());
            verified.verdict
        };
        let reduced = by(&reducing, CriticalSections::Atomic);
        by(&Portfolio::default(), CriticalSections::Interleaved);
        by(&Standard::default(), CriticalSections::Atomic);
        match reduced {
            Verdict::Safe(proved) => tally[usize::from(matches!(proved.proof(), Proof::Reduced(_)))] += 1,
            Verdict::Unsafe(_) => tally[2] += 1,
            Verdict::Unknown(_) => {}
        }
    }
    tally
}

/// More of them: `RELY_MODELS=5000 cargo test --release -p rely-verify --test reduction models_with_locks`.
#[test]
fn models_with_locks() {
    let seeds = std::env::var("RELY_MODELS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let tally = compare_models(0..seeds);
    let enough = seeds as usize / 5;
    assert!(tally[1] > enough && tally[2] > enough, "{tally:?}");
}
