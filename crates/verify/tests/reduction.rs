//! Reduction joins steps, and what is proved of the joined ones is accepted of the single ones.

use rely_base::{Budget, Silent, SourceMap};
use rely_evidence::{Proof, Verdict};
use rely_program::{Goal, Program};
use rely_testing::random::{edits, locking};
use rely_testing::{Answer, Reference, generate};
use rely_verify::{ReductionStrategy, Strategy, Task, verify};

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
fn check(model: &str, expected: &str) {
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
    assert_eq!(found, expected, "{model}");
}

/// Programs that a reduction without one of its conditions would judge wrongly.
const TRICKY: &[(&str, &str)] = &[
    // Nothing is hidden by a thread that stays in its block after the commit.
    (
        "var m, x: int = 0;
         thread A { await m == 0 do { m := 1; } x := 1; while true { skip; } }
         thread B { await x == 1; assert false; }",
        "unsafe",
    ),
    (
        "var m, x, y: int = 0;
         thread A { await m == 0 do { m := 1; } x := 1; m := 0; await y == 1; }
         thread B { await x == 1; assert false; }",
        "unsafe",
    ),
    // A check in front of the test of a lock is made while others hold it.
    (
        "var m, g: int = 0;
         thread A { await m == 0 do { m := 1; } g := 1; m := 0; }
         thread B { atomic { assert m == 0; m := 2; } m := 0; }",
        "unsafe",
    ),
    // A flag that is tested and set in two steps is no lock.
    (
        "var busy, x: int = 0;
         thread A { await busy == 0; busy := 1; x := x + 1; assert x == 1; x := x - 1; busy := 0; }
         thread B { await busy == 0; busy := 2; x := x + 1; assert x == 1; x := x - 1; busy := 0; }",
        "unsafe",
    ),
    // A lock that somebody else gives back.
    (
        "var m, x: int = 0;
         thread A { await m == 0 do { m := 1; } x := x + 1; assert x == 1; x := x - 1; m := 0; }
         thread B { await m == 0 do { m := 2; } x := x + 1; assert x == 1; x := x - 1; m := 0; }
         thread C { m := 0; }",
        "unsafe",
    ),
    // Two who take the same value for the lock.
    (
        "var m, x: int = 0;
         thread A { await m == 0 do { m := 1; } x := 1; assert x == 1; m := 0; }
         thread B { await m == 1; x := 2; }",
        "unsafe",
    ),
    // A property sees what happens inside of a section.
    (
        "var m: mutex; var x: int = 0;
         thread A { lock(m); x := 1; x := 0; unlock(m); }
         thread B { lock(m); unlock(m); }
         never x == 1;",
        "unsafe",
    ),
    // One who reads without the lock.
    (
        "var m: mutex; var x: int = 0;
         thread A { lock(m); x := 1; x := 0; unlock(m); }
         thread B { assert x == 0; }",
        "unsafe",
    ),
    // Different locks for the same variable.
    (
        "var m, n: mutex; var x: int = 0;
         thread A { local r: int = 0; lock(m); r := x; x := r + 1; unlock(m); }
         thread B { local r: int = 0; lock(n); r := x; x := r + 1; unlock(n); }
         ensures x == 2;",
        "unsafe",
    ),
    // A section that ends before the last access.
    (
        "var m: mutex; var x: int = 0;
         thread A { local r: int = 0; lock(m); r := x; unlock(m); x := r + 1; }
         thread B { lock(m); x := x + 1; unlock(m); }
         ensures x == 2;",
        "unsafe",
    ),
    // A program that halts inside of a section.
    (
        "var m: mutex; var x: int = 0;
         thread A { lock(m); x := 1; halt; }
         thread B { await x == 1; assert false; }",
        "unsafe",
    ),
    (
        "var m: mutex; var x: int = 0; thread A { lock(m); x := 1; assume false; } thread B { await x == 1; assert false; }",
        "unsafe",
    ),
    (
        "var m: mutex; var x: int = 0;
         thread A { local r: int = 0; lock(m); r := x; x := r + 1; unlock(m); }
         thread B { local r: int = 0; lock(m); r := x; x := r + 1; unlock(m); }
         ensures x == 2;",
        "safe by reduction",
    ),
    (
        "var m, n: mutex; var x, y: int = 0;
         thread A { lock(m); lock(n); x := x + 1; y := x; unlock(n); unlock(m); }
         thread B { lock(m); x := x + 1; lock(n); y := x; unlock(n); unlock(m); }
         ensures y == 2;",
        "safe by reduction",
    ),
];

#[test]
fn tricky_programs() {
    for (model, expected) in TRICKY {
        check(model, expected);
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
