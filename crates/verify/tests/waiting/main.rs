//! Who proves that no thread waits for ever, or that every run ends, agrees with a reference that looks at all states.
//!
//! The engines `helping` and `termination` know nothing of single states, and of exploration and the whole portfolio the
//! evidence is judged of the program before simplification. More programs:
//!
//! ```text
//! RELY_WAITING=3000 cargo test --release -p rely-verify --test waiting -- --nocapture
//! ```

mod generated;

use rely_base::{Budget, Silent};
use rely_evidence::{Claim, Reason, Verdict, check};
use rely_program::{Goal, Program};
use rely_testing::{Answer, Reference, Termination, generate};
use rely_verify::{Language, Source, Task, strategy, verify};
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;

/// How many states the reference looks at.
const MOST_STATES: usize = 6_000;

const GOALS: [Goal; 3] = [Goal::Deadlock, Goal::Termination, Goal::FairTermination];

/// What came out, for each goal and engine.
type Tally = BTreeMap<(&'static str, &'static str, &'static str), usize>;

/// The verdict of the reference, if it has one.
fn expected(program: &Program, goal: Goal) -> Option<&'static str> {
    let reference = Reference::new(program, goal);
    if goal == Goal::Deadlock {
        return match reference.answer(MOST_STATES) {
            Answer::Safe { .. } => Some("safe"),
            Answer::Unsafe { .. } | Answer::Stuck => Some("unsafe"),
            Answer::Meaningless | Answer::TooMany => None,
        };
    }
    match reference.ending(MOST_STATES) {
        Termination::Always => Some("safe"),
        Termination::Never | Termination::Deadlocks => Some("unsafe"),
        Termination::Meaningless | Termination::TooMany => None,
    }
}

/// The verdict about what an engine claims of the simplified program. Its proof is judged by its own rule alone: that all
/// states of a small program can be visited would hide that a rule accepts too much.
fn by_rule(engine: &str, program: &Program, goal: Goal) -> Verdict {
    let budget = Budget::unlimited().with_step_limit(200_000);
    let (prepared, _) = rely_passes::prepare(program, goal);
    let engine = strategy(engine).expect("it is an engine");
    let claim = engine.claim(Task { program: &prepared, goal, observer: &Silent }, &budget).claim;
    match claim {
        Claim::Safe(_) | Claim::Unknown(_) => check(&prepared, goal, claim, &budget).into_verdict(),
        Claim::Unsafe(_) => panic!("who looks for proofs claims no violation"),
    }
}

fn whole(engine: &str, program: &Program, goal: Goal) -> Verdict {
    let budget = Budget::unlimited().with_step_limit(1_000_000);
    verify(program, goal, strategy(engine).expect("it is one").as_ref(), &budget, &Silent).verdict
}

/// Compares all engines for one goal.
fn compare(what: &str, program: &Program, goal: Goal, tally: &mut Tally) {
    let Some(expected) = expected(program, goal) else { return };
    *tally.entry((goal.name(), "reference", expected)).or_default() += 1;
    let verdicts = [
        ("explore", whole("explore", program, goal)),
        ("portfolio", whole("portfolio", program, goal)),
        ("termination", by_rule("termination", program, goal)),
        ("helping", by_rule("helping", program, goal)),
    ];
    for (engine, verdict) in verdicts {
        let name = match &verdict {
            Verdict::Unknown(Reason::Rejected(_)) => "rejected",
            verdict => verdict.name(),
        };
        *tally.entry((goal.name(), engine, name)).or_default() += 1;
        let is_known = !matches!(verdict, Verdict::Unknown(_));
        assert!(!is_known || name == expected, "{engine}, {}: {name}, not {expected}\n{what}", goal.name());
    }
}

/// Which programs: the first ones, or as many as `RELY_WAITING` says from `RELY_WAITING_FIRST` on.
fn seeds(usual: u64) -> Range<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("RELY_WAITING_FIRST").unwrap_or(0);
    first..first + number("RELY_WAITING").unwrap_or(usual)
}

/// Where a campaign is.
fn tell(seed: u64, seeds: &Range<u64>) {
    let done = seed - seeds.start;
    if done > 0 && done.is_multiple_of(100) {
        writeln!(std::io::stdout(), "{done} programs agree").expect("somebody listens");
    }
}

#[track_caller]
fn are_enough(tally: &Tally, seeds: Range<u64>) {
    for ((goal, engine, verdict), count) in tally {
        writeln!(std::io::stdout(), "{goal:16} {engine:12} {verdict:8} {count:6}").expect("somebody listens");
    }
    let count =
        |key: (&'static str, &'static str, &'static str)| tally.get(&key).copied().unwrap_or_default();
    let least = seeds.count() / 10;
    for goal in GOALS {
        for verdict in ["safe", "unsafe"] {
            assert!(count((goal.name(), "reference", verdict)) >= least, "{} {verdict}", goal.name());
        }
    }
    assert!(count(("deadlock", "helping", "safe")) >= least);
    assert!(count(("termination", "termination", "safe")) >= least / 2);
}

#[test]
fn programs_whose_threads_wait() {
    let (seeds, mut tally) = (seeds(60), Tally::new());
    for seed in seeds.clone() {
        tell(seed, &seeds);
        let text = generated::program(seed);
        let loaded = rely_verify::load(&Source::new("program.c", Language::C, &*text));
        let loaded = loaded.unwrap_or_else(|problem| panic!("seed {seed}: {problem}\n{text}"));
        for goal in GOALS {
            let program = &loaded.for_goal(goal).program;
            compare(&format!("seed {seed}:\n{text}"), program, goal, &mut tally);
        }
    }
    assert!(tally.keys().all(|&(_, engine, verdict)| engine != "explore" || verdict != "rejected"));
    are_enough(&tally, seeds);
}

/// Automata of all shapes, with atomic blocks, conditions without which a run does not count, and checks.
#[test]
fn automata_that_wait() {
    let (seeds, mut tally) = (seeds(60), Tally::new());
    for seed in seeds.clone() {
        tell(seed, &seeds);
        let program = generate(seed).program;
        for goal in GOALS {
            compare(&format!("automaton {seed}:\n{program}"), &program, goal, &mut tally);
        }
    }
    are_enough(&tally, seeds);
}
