//! Ten thousand generated programs: exploration with and without reduction against the naive
//! reference. They agree on the verdict; without reduction, on the number of states; traces are
//! as short as the reference says, and are replayed; proofs are accepted by the checker, once
//! by repeating the exploration and once by their certificate alone.

use rely_base::{Budget, Silent};
use rely_engines::{Engine, Explore, ExploreOptions};
use rely_evidence::{CheckOptions, Claim, Proof, Reason, Replay, Verdict, check, check_with};
use rely_passes::without_checks;
use rely_program::{AllValues, CheckKind, Goal, Program, Semantics, Violation};
use rely_testing::{Answer, Reference, Sample, generate};

/// What exploration has found, in the terms of the reference.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    answer: Answer,
    transitions: u64,
}

fn explore(seed: u64, Sample { program, goal }: &Sample, reduction: bool) -> Found {
    let options = ExploreOptions { reduction, ..ExploreOptions::default() };
    let budget = Budget::unlimited();
    let claim = Explore { options }.run(program, *goal, &budget, &Silent);
    let mut transitions = 0;
    if let Claim::Safe(Proof::Exhausted(exhausted)) = &claim {
        transitions = exhausted.transitions;
        let by_certificate = CheckOptions { states_to_repeat: 0 };
        let verdict = check_with(by_certificate, program, *goal, claim.clone(), &budget).into_verdict();
        assert_eq!(verdict.name(), "safe", "seed {seed}: {verdict:?}");
    }
    let states = match &claim {
        Claim::Safe(Proof::Exhausted(exhausted)) => exhausted.states as usize,
        _ => 0,
    };
    let answer = match check(program, *goal, claim, &budget).into_verdict() {
        Verdict::Safe(_) => Answer::Safe { states },
        Verdict::Unsafe(shown) if others_go_on(program, shown.replay()) => Answer::Stuck,
        Verdict::Unsafe(shown) => Answer::Unsafe { steps: complete_steps(program, shown.replay()) },
        Verdict::Unknown(Reason::NoMeaning(_) | Reason::UndefinedProperty(_)) => Answer::Meaningless,
        Verdict::Unknown(reason) => panic!("seed {seed}: {reason}"),
    };
    Found { answer, transitions }
}

/// Whether a trace ends where a thread waits for ever, but not all do.
fn others_go_on(program: &Program, replay: &Replay) -> bool {
    let last = &replay.states()[replay.states().len() - 1];
    let all_values = AllValues { limit: 1 << 16 };
    replay.violation() == Violation::Deadlock
        && Semantics::new(program).is_deadlock(last, &all_values) == Ok(Some(false))
}

/// How many complete steps a trace takes: atomic blocks are one.
fn complete_steps(program: &Program, replay: &Replay) -> usize {
    let semantics = Semantics::new(program);
    let after_steps = &replay.states()[1..];
    let complete =
        after_steps.iter().filter(|state| state.halted() || semantics.atomic_slot(state).is_none());
    complete.count() + usize::from(matches!(replay.violation(), Violation::Check(_)))
}

/// How often each thing was seen, so that a generator that makes nothing interesting is noticed.
#[derive(Debug, Default)]
struct Tally {
    safe: usize,
    violated: usize,
    meaningless: usize,
    deadlocks: usize,
    stuck: usize,
    states_saved: usize,
}

fn compare(seed: u64, tally: &mut Tally) {
    let mut sample = generate(seed);
    if sample.goal.is_about_going_on() {
        // Failed assertions and overflows end no run then, which engines are told by leaving them out.
        let ignored = [CheckKind::Assertion, CheckKind::Overflow];
        sample.program = without_checks(&sample.program, &ignored);
    }
    let expected = Reference::new(&sample.program, sample.goal).answer(1_000_000);
    let plain = explore(seed, &sample, false);
    let reduced = explore(seed, &sample, true);
    assert_eq!(plain.answer, expected, "seed {seed} without reduction");
    match (&reduced.answer, &expected) {
        (Answer::Safe { states: visited }, Answer::Safe { states }) => {
            assert!(visited <= states, "seed {seed}: reduction adds states");
            assert!(reduced.transitions <= plain.transitions, "seed {seed}: reduction adds steps");
            tally.safe += 1;
            tally.states_saved += states - visited;
        }
        (found, expected) => {
            assert_eq!(found, expected, "seed {seed} with reduction");
            tally.violated += usize::from(matches!(expected, Answer::Unsafe { .. }));
            tally.deadlocks +=
                usize::from(matches!(expected, Answer::Unsafe { .. }) && sample.goal == Goal::Deadlock);
            tally.stuck += usize::from(*expected == Answer::Stuck);
            tally.meaningless += usize::from(*expected == Answer::Meaningless);
        }
    }
}

fn compare_shard(shard: u64) {
    let mut tally = Tally::default();
    for seed in shard * 1_000..(shard + 1) * 1_000 {
        compare(seed, &mut tally);
    }
    let interesting = tally.safe > 100
        && tally.violated > 100
        && tally.deadlocks > 20
        && tally.stuck > 5
        && tally.meaningless > 0
        && tally.states_saved > 1_000;
    assert!(interesting, "the generator has become too tame: {tally:?}");
}

macro_rules! shards {
    ($($name:ident => $shard:literal),* $(,)?) => {
        $(#[test]
        fn $name() {
            compare_shard($shard);
        })*
    };
}

shards! {
    programs_0000_to_0999 => 0,
    programs_1000_to_1999 => 1,
    programs_2000_to_2999 => 2,
    programs_3000_to_3999 => 3,
    programs_4000_to_4999 => 4,
    programs_5000_to_5999 => 5,
    programs_6000_to_6999 => 6,
    programs_7000_to_7999 => 7,
    programs_8000_to_8999 => 8,
    programs_9000_to_9999 => 9,
}
