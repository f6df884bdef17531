//! Rely-guarantee reasoning on small models, with and without the bias for modular proofs. Every
//! verdict has passed the evidence check.

use expect_test::{Expect, expect};
use rely_base::{Budget, CancelToken, Observer, Recorder, Round, Silent, SourceMap};
use rely_evidence::rely_guarantee::{Atom, Comparison, ControlPoint, Cube, Quantity};
use rely_evidence::{Claim, Confirmation, Proof, Verdict, check as check_evidence};
use rely_passes::CriticalSections;
use rely_program::{Goal, Program};
use rely_testing::{Answer, Reference, generate};
use rely_verify::{Bias, RelyGuaranteeStrategy, Strategy, Task};
use std::collections::BTreeSet;
use std::path::Path;

fn load(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", text);
    rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn claim(
    strategy: RelyGuaranteeStrategy,
    program: &Program,
    budget: &Budget,
    observer: &dyn Observer,
) -> Claim {
    strategy.claim(Task { program, goal: Goal::Assert, observer }, budget).claim
}

/// The verdict as one or two words: "safe", "safe modular", "safe counting", "unsafe", or the reason.
fn decide(program: &Program, bias: Bias) -> String {
    decide_prepared(&rely_passes::prepare(program, Goal::Assert).0, bias)
}

fn decide_prepared(prepared: &Program, bias: Bias) -> String {
    let budget = Budget::unlimited();
    let claim = claim(RelyGuaranteeStrategy { bias, ..Default::default() }, prepared, &budget, &Silent);
    match check_evidence(prepared, Goal::Assert, claim, &budget).into_verdict() {
        Verdict::Safe(proved) => match proved.proof() {
            Proof::RelyGuarantee(proof) if proof.is_modular(prepared) => "safe modular".to_owned(),
            Proof::Counting(_) => "safe counting".to_owned(),
            _ => "safe".to_owned(),
        },
        Verdict::Unsafe(_) => "unsafe".to_owned(),
        Verdict::Unknown(reason) => reason.to_string(),
    }
}

fn check(model: &str, with_bias: &str, without: &str) {
    let program = load(model);
    assert_eq!(decide(&program, Bias::Modular), with_bias, "with bias");
    assert_eq!(decide(&program, Bias::None), without, "without bias");
}

const LOCK_BIT: &str = "var lock: int = 0;
    thread T1 { a: await lock == 0 do { lock := 1; } b: skip; }
    thread T2 { p: await lock == 0 do { lock := 1; } q: skip; }
    never T1 at b && T2 at q;";

const LOCK_ID: &str = "var lock: int = 0;
    thread T1 { a: await lock == 0 do { lock := 1; } b: skip; }
    thread T2 { p: await lock == 0 do { lock := 2; } q: skip; }
    never T1 at b && T2 at q;";

#[test]
fn a_lock_that_knows_its_owner_has_a_modular_proof() {
    check(LOCK_ID, "safe modular", "safe");
    check(LOCK_BIT, "safe", "safe");
    check(&LOCK_ID.replace("await lock == 0 do { lock := 2; }", "lock := 2;"), "unsafe", "unsafe");
}

#[test]
fn a_variable_that_nobody_reads_may_say_who_holds_a_lock() {
    let take = "lock := 1; ";
    let signed = |number: &str| format!("{take}owner := {number}; ");
    let with_owner = |first: &str, second: &str| {
        let model = LOCK_BIT.replacen(take, first, 1).replace("lock := 1; } q", &format!("{second}}} q"));
        format!("var owner: int = 0; {model}")
    };
    check(&with_owner(&signed("1"), &signed("2")), "safe modular", "safe");
    check(&with_owner(&signed("1"), &signed("1")), "safe", "safe");
    check(&with_owner(&signed("1"), take), "safe", "safe");
    let taken_by_force = with_owner(&signed("1"), &signed("2")).replace("p: await lock == 0 do", "p: atomic");
    check(&taken_by_force, "unsafe", "unsafe");
}

/// What the proof says about the variables, all cubes of a control point, in the source's names.
fn assertions(model: &str) -> String {
    let (prepared, _) = rely_passes::prepare(&load(model), Goal::Assert);
    let claim = claim(RelyGuaranteeStrategy::default(), &prepared, &Budget::unlimited(), &Silent);
    let Claim::Safe(Proof::RelyGuarantee(proof)) = claim else { panic!("no proof: {claim:?}") };
    let mut lines = Vec::new();
    for entry in &proof.threads {
        for (point, cubes) in &entry.at {
            let ControlPoint::At(location) = point else { continue };
            let label = &prepared.locations()[*location].label;
            let cubes: BTreeSet<String> = cubes.iter().map(|cube| cube_text(&prepared, cube)).collect();
            let cubes: Vec<String> = cubes.into_iter().collect();
            if let Some(label) = label {
                lines.push(format!("{label}: {}\n", cubes.join(" or ")));
            }
        }
    }
    lines.concat()
}

fn cube_text(program: &Program, cube: &Cube) -> String {
    let mut parts: Vec<String> = cube.atoms.iter().map(|atom| atom_text(program, atom)).collect();
    for (thread, points) in &cube.others {
        let points = points.iter().map(|point| match point {
            ControlPoint::Unstarted => "unstarted".to_owned(),
            ControlPoint::At(location) => program.location_name(*location),
        });
        let points: Vec<String> = points.collect();
        parts.push(format!("{} at {}", program.threads()[*thread].name, points.join("/")));
    }
    if parts.is_empty() { "true".to_owned() } else { parts.join(" and ") }
}

fn atom_text(program: &Program, atom: &Atom) -> String {
    let term = |(factor, quantity): &(i128, Quantity)| match quantity {
        Quantity::Handle => format!("{factor}*handle"),
        Quantity::Cell { var, .. } if *factor == 1 => program.qualified_name(*var),
        Quantity::Cell { var, .. } => format!("{factor}*{}", program.qualified_name(*var)),
    };
    let sum: Vec<String> = atom.terms.iter().map(term).collect();
    let comparison = match atom.comparison {
        Comparison::Le => "<=".to_owned(),
        Comparison::Eq => "=".to_owned(),
        Comparison::Ne => "!=".to_owned(),
        Comparison::MultipleOf(divisor) => format!("is modulo {divisor}"),
    };
    format!("{} {comparison} {}", sum.join(" + "), -atom.constant)
}

fn check_assertions(model: &str, expected: Expect) {
    expected.assert_eq(&assertions(model));
}

/// The predicates of Section 2 of the paper: the lock has the value of its owner inside, and, for
/// LockBit, the other thread is outside then.
#[test]
fn the_predicates_of_the_papers_examples_are_found() {
    check_assertions(
        LOCK_ID,
        expect![[r#"
            a: true
            exit: true
            b: lock = 1
            p: true
            exit: true
            q: lock = 2
        "#]],
    );
    check_assertions(
        LOCK_BIT,
        expect![[r#"
            a: T2 at p/exit or lock != 0 and T2 at q
            exit: lock != 0 and T2 at p/exit
            b: lock != 0 and T2 at p/exit
            p: T1 at a/exit or lock != 0 and T1 at b
            exit: lock != 0 and T1 at a/exit
            q: lock != 0 and T1 at a/exit
        "#]],
    );
}

#[test]
fn the_history_tells_rounds_and_trees() {
    let (prepared, _) = rely_passes::prepare(&load(LOCK_ID), Goal::Assert);
    let recorder = Recorder::new(&Silent);
    claim(RelyGuaranteeStrategy::default(), &prepared, &Budget::unlimited(), &recorder);
    let history = recorder.into_history();
    let mut text = String::new();
    for round in &history.rounds {
        text += &format!("{} {:?}\n", round.headline, round.found);
    }
    for tree in &history.trees {
        text += &format!("{}\n", tree.title);
        for node in &tree.nodes {
            let by = node.by.as_ref().map_or(String::new(), |by| format!("{by}: "));
            text += &format!("  {:?} -> {} by {by}{} {:?}\n", node.parent, node.place, node.step, node.facts);
        }
    }
    expect![[r#"
        4 new predicates ["T1: lock == 1", "T2: lock == 1", "T2: lock == 2", "T1: lock == 2"]
        no counterexample []
        T1
          None -> a by initially ["lock != 1", "lock != 2"]
          Some(0) -> b by [lock == 0]; lock := 1 ["lock == 1", "lock != 2"]
          Some(0) -> a by T2: [lock == 0]; lock := 2 ["lock != 1", "lock == 2"]
          Some(1) -> exit by skip ["lock == 1", "lock != 2"]
        T2
          None -> p by initially ["lock != 1", "lock != 2"]
          Some(0) -> p by T1: [lock == 0]; lock := 1 ["lock == 1", "lock != 2"]
          Some(0) -> q by [lock == 0]; lock := 2 ["lock != 1", "lock == 2"]
          Some(2) -> exit by skip ["lock != 1", "lock == 2"]
    "#]]
    .assert_eq(&text);
}

#[test]
fn loops_cost_the_same_whatever_their_bound() {
    for bound in ["10", "1000000", "100000000000000000"] {
        let model = "var x, y: int = 0;
            thread A { while x < BOUND { x := x + 1; } }
            thread B { while y < BOUND { y := y + 1; } }
            ensures x == BOUND && y == BOUND;";
        check(&model.replace("BOUND", bound), "safe modular", "safe modular");
    }
    let symbolic = "var n: int; var x: int = 0; requires n >= 0;
        thread A { while x < n { x := x + 1; } }
        ensures x == n;";
    check(symbolic, "safe modular", "safe modular");
}

#[test]
fn any_number_of_threads_can_have_a_modular_proof() {
    let model = "var m: mutex; var inside: int = 0;
        process worker {
            lock(m);
            inside := inside + 1;
            assert inside == 1;
            inside := 0;
            unlock(m);
        }
        thread Main { while * { spawn worker; } }";
    let program = load(model);
    assert_eq!(decide(&program, Bias::Modular), "safe modular");
}

/// A reader cannot know by itself that another one who leaves is not the last, but their number can.
#[test]
fn readers_of_a_lock_are_counted() {
    let threads = "
            local seen: int = 0;
            await !writing do { r := r + 1; }
            seen := x;
            assert seen == x;
            r := r - 1;";
    let lock = "var writing: bool = false; var r, x: int = 0;
        thread Writer { await !writing && r == 0 do { writing := true; } x := 3; writing := false; }";
    let known = format!("{lock} thread Reader[4] {{ {threads} }}");
    assert_eq!(decide(&load(&known), Bias::Modular), "safe counting");
    let any = format!("{lock} process reader {{ {threads} }} thread Main {{ while * {{ spawn reader; }} }}");
    assert_eq!(decide(&load(&any), Bias::Modular), "safe counting");
    // One of them leaves twice.
    let uncounted = known.replace("r := r - 1;", "r := r - 1; if * { r := r - 1; }");
    check(&uncounted, "unsafe", "unsafe");
    // It writes while others read.
    check(&known.replace("&& r == 0", "&& r <= 1"), "unsafe", "unsafe");
}

/// Nobody passes a barrier before all have come, however many these are.
#[test]
fn workers_at_a_barrier_are_counted() {
    let barrier = "var count, wait: int = 0; var go: bool = false;
        process worker { begin: wait := wait + 1; await go && wait == count; passed: skip; }
        thread Main { while * { atomic { count := count + 1; spawn worker; } } go := true; }
        never #(worker at begin) >= 1 && #(worker at passed) >= 1;";
    assert_eq!(decide(&load(barrier), Bias::Modular), "safe counting");
    let early = barrier.replace("wait == count", "wait + 1 >= count");
    assert!(!decide(&load(&early), Bias::Modular).starts_with("safe"));
    let late = barrier.replace("go := true;", "go := true; atomic { count := count + 1; spawn worker; }");
    assert!(!decide(&load(&late), Bias::Modular).starts_with("safe"));
}

#[test]
fn threads_that_are_started_and_awaited() {
    let model = "var x: int = 0;
        process worker(n: int) { x := x + n; }
        thread Main { local h: thread; h := spawn worker(3); join h; assert x == EXPECTED; }";
    check(&model.replace("EXPECTED", "3"), "safe", "safe");
    check(&model.replace("EXPECTED", "2"), "unsafe", "unsafe");
}

#[test]
fn two_increments_make_two() {
    let model = "var x: int = 0;
        thread A { x := x + 1; }
        thread B { x := x + 1; }
        ensures x == 2;";
    check(model, "safe counting", "safe");
    let split = "var x: int = 0;
        thread A { local a: int; a := x; x := a + 1; }
        thread B { local b: int; b := x; x := b + 1; }
        ensures x == 2;";
    check(split, "unsafe", "unsafe");
}

#[test]
fn remainders_and_array_cells_survive_in_effects() {
    let model = "var x: int = 0; var a: int[2] = 0;
        thread A { while true { x := (x + 1) % 3; } }
        thread B { while true { assert x >= 0 && x < 3; a[x % 2] := 1; assert a[0] >= 0; } }";
    let program = load(model);
    assert!(decide(&program, Bias::Modular).starts_with("safe"), "{}", decide(&program, Bias::Modular));
}

#[test]
fn what_is_not_linear_is_no_false_alarm() {
    let model = "var x: int in 0..5 = *; var y: int = 0;
        thread A { y := x * x; }
        thread B { assert y != 7; }";
    let verdict = decide(&load(model), Bias::Modular);
    assert!(verdict.ends_with("a violation depends on arithmetic that is not linear"), "{verdict}");
}

#[test]
fn a_cancelled_run_stops() {
    let token = CancelToken::new();
    token.cancel();
    let budget = Budget::builder().token(token).build();
    let (prepared, _) = rely_passes::prepare(&load(LOCK_BIT), Goal::Assert);
    let claim = claim(RelyGuaranteeStrategy::default(), &prepared, &budget, &Silent);
    let Claim::Unknown(reason) = claim else { panic!("it went on: {claim:?}") };
    assert_eq!(reason.to_string(), "cancelled");
}

/// Models of the papers' tables that are quick enough for every test run.
#[test]
fn rows_of_the_tables() {
    let rows = [
        ("popl11/dekker.rely", "safe"),
        ("popl11/peterson.rely", "safe"),
        ("popl11/naive-bakery.rely", "safe modular"),
        ("popl11/naive-bakery-cex.rely", "unsafe"),
        ("popl11/readers-writer-lock.rely", "safe modular"),
        ("popl11/time-varying-mutex.rely", "safe modular"),
        ("popl11/fig2-fixed.rely", "safe modular"),
        ("popl11/bluetooth2.rely", "unsafe"),
        ("popl11/bluetooth2-fixed.rely", "safe"),
        ("regasol/loop1-100.rely", "safe modular"),
        ("regasol/loop2-100-200.rely", "safe modular"),
        ("regasol/loop3-100-200.rely", "safe modular"),
    ];
    for (file, expected) in rows {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks").join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let program = load(&text);
        assert_eq!(decide(&program, Bias::Modular), expected, "{file}");
        let without_bias = decide(&program, Bias::None);
        assert_eq!(without_bias.split(' ').next(), expected.split(' ').next(), "{file} without bias");
    }
}

/// Generated programs: never a verdict that differs from the naive reference.
#[test]
fn generated_programs() {
    let (mut decided, mut compared) = (0, 0);
    for seed in 20_000.. {
        let sample = generate(seed);
        if sample.goal != Goal::Assert {
            continue;
        }
        compared += 1;
        let expected = Reference::new(&sample.program, sample.goal).answer(1_000_000);
        for bias in [Bias::Modular, Bias::None] {
            let verdict = decide(&sample.program, bias);
            match (verdict.split(' ').next(), &expected) {
                (Some("safe"), Answer::Safe { .. }) | (Some("unsafe"), Answer::Unsafe { .. }) => {
                    decided += 1;
                }
                // What computes something without a meaning may have been dropped by a pass.
                (Some("safe" | "unsafe"), Answer::Meaningless) => {}
                (Some("safe" | "unsafe"), _) => panic!("seed {seed}, {bias:?}: {verdict}, but {expected:?}"),
                _ => {}
            }
        }
        if compared == 150 {
            break;
        }
    }
    assert!(decided > 2 * compared * 9 / 10, "only {decided} of {} questions are decided", 2 * compared);
}

/// Any number of others take part in the counterexamples, so these are no schedules.
#[test]
fn two_threads_know_about_each_other_among_any_number_of_others() {
    let noise = "var n: int = 0; process noise { n := n + 1; } thread Main { while * { spawn noise(); } }";
    // About each other's places.
    let lock = format!(
        "{noise} var lock: int = 0;
        thread A {{ while * {{ await lock == 0 do {{ lock := 1; }} a: skip; lock := 0; }} }}
        thread B {{ while * {{ await lock == 0 do {{ lock := 1; }} b: skip; lock := 0; }} }}
        never A at a && B at b && n >= 1;"
    );
    check(&lock, "safe", "safe");
    check(&lock.replace("await lock == 0 do", "await lock <= 1 do"), "unsafe", "unsafe");
    // About each other's locals.
    let share = |thread: &str| {
        format!(
            "thread {thread} {{ local share: int = 0; havoc share; assume share >= 0;
            atomic {{ x := x + share; }} atomic {{ x := x - share; }} }}"
        )
    };
    let sum = format!("{noise} var x: int = 0; {} {} never x < 0 && n >= 1;", share("A"), share("B"));
    check(&sum, "safe", "safe");
    check(&sum.replace("x - share", "x - share - 1"), "unsafe", "unsafe");
}

/// Nobody writes down who holds the lock, and there may be any number of threads.
#[test]
fn a_lock_of_one_bit_counts_who_holds_it() {
    let lock = "var lock, inside: int = 0;
        process p {
            local was: int = 1;
            while was == 1 { atomic { was := lock; lock := 1; } }
            inside := inside + 1; assert inside == 1; inside := inside - 1;
            assert lock == 1; lock := 0;
        }
        thread Main { while * { spawn p(); } }";
    // What is done under it is one step, unless somebody wants to see all of them.
    check(lock, "safe modular", "safe modular");
    let single_steps = |bias| {
        let interleaved = CriticalSections::Interleaved;
        let prepared =
            rely_passes::prepare_with(&load(lock), Goal::Assert, interleaved, &Budget::unlimited());
        decide_prepared(&prepared.expect("nobody stops it").0, bias)
    };
    assert_eq!(single_steps(Bias::Modular), "safe counting");
    assert_eq!(single_steps(Bias::None), "safe counting");
    check(&lock.replace("assert lock == 1;", "assert lock == 0;"), "unsafe", "unsafe");
    // Who gives it back without having it lets in a second one.
    let careless = lock.replace("local was: int = 1;", "local was: int = 1; if * { lock := 0; }");
    check(&careless, "unsafe", "unsafe");
}

/// Programs whose proofs were rejected once: what others see of a step had lost what remainders have to do
/// with each other, that nobody waits for itself, or where somebody else must be for the step.
#[test]
fn proofs_of_steps_that_cannot_be_written_exactly_are_accepted() {
    for seed in [9122, 4921, 17_878, 40_601, 70_195, 45_186, 6379, 9034, 62_499] {
        let sample = generate(seed);
        let expected = Reference::new(&sample.program, sample.goal).answer(1_000_000);
        assert!(matches!(expected, Answer::Safe { .. }), "seed {seed}: {expected:?}");
        for bias in [Bias::Modular, Bias::None] {
            let verdict = decide(&sample.program, bias);
            assert!(verdict.starts_with("safe"), "seed {seed}, {bias:?}: {verdict}");
        }
    }
}

/// Two threads that go through sections one after the other, each section with a lock of its own.
fn sections(count: usize) -> String {
    let variables = (0..count).map(|section| format!("var lock{section}, x{section}: int = 0; "));
    let part = |thread: usize, section: usize| {
        format!(
            "await lock{section} == 0 do {{ lock{section} := {thread}; }}
            x{section} := {thread}; assert x{section} == {thread}; lock{section} := 0; "
        )
    };
    let body = |thread: usize| (0..count).map(|section| part(thread, section)).collect::<String>();
    let threads = (1..=2).map(|thread| format!("thread T{thread} {{ {} }} ", body(thread)));
    variables.chain(threads).collect()
}

/// If a thread tracked everywhere what it needs in one section only, that would multiply its states in
/// all others: the proof would have millions of obligations.
#[test]
fn what_is_needed_in_one_section_is_not_tracked_in_others() {
    // No pass takes away the steps inside a section.
    let (program, budget) = (load(&sections(6)), Budget::unlimited());
    let recorder = Recorder::new(&Silent);
    let claim = claim(RelyGuaranteeStrategy::default(), &program, &budget, &recorder);
    let Verdict::Safe(proved) = check_evidence(&program, Goal::Assert, claim, &budget).into_verdict() else {
        panic!("it is safe")
    };
    let Confirmation::Discharged { obligations, .. } = proved.confirmation() else {
        panic!("{}", proved.evidence())
    };
    assert!(obligations < 50_000, "{obligations}");
    let rounds = recorder.into_history().rounds;
    let narrowed = rounds.iter().position(|round| round.headline == "predicates only where needed");
    let (before, after) = rounds.split_at(narrowed.expect("the trees get large"));
    let names_a_place = |round: &Round| round.found.iter().any(|found| found.starts_with("T1 at "));
    assert!(!before.iter().any(names_a_place) && after.iter().any(names_a_place));
}

/// With any bound of the loops, given as the start of the model and its name.
fn check_with_any_bound(model: &str, with_bias: &str, without: &str) {
    for (start, bound) in [("", "10"), ("", "1000000"), ("var bound: int; requires bound >= 0;", "bound")] {
        check(&format!("{start} {}", model.replace("BOUND", bound)), with_bias, without);
    }
}

/// Nothing in these programs says how their numbers are related. Without such a relation, every
/// refinement excludes one more round of the loop.
#[test]
fn relations_between_numbers_do_not_depend_on_bounds() {
    // x + y stays what it was.
    check_with_any_bound(
        "var x: int = 0; var y: int; requires y == BOUND;
        thread A { while * { await y > 0 do { x, y := x + 1, y - 1; } } }
        thread B { while * { await x > 0 do { x, y := x - 1, y + 1; } } }
        invariant x <= BOUND;",
        "safe modular",
        "safe modular",
    );
    // low <= high <= BOUND.
    check_with_any_bound(
        "var low: int = 0; var high: int; requires high == BOUND;
        thread A { while * { await low < high do { low := low + 1; } } }
        thread B { while * { await low < high do { high := high - 1; } } }
        invariant low <= BOUND;",
        "safe modular",
        "safe modular",
    );
    // sent = received + waiting.
    check_with_any_bound(
        "var sent, received, waiting: int = 0;
        thread S { while * { await waiting < BOUND do { sent, waiting := sent + 1, waiting + 1; } } }
        thread R { while * { await waiting > 0 do { received, waiting := received + 1, waiting - 1; } } }
        invariant received <= sent;",
        "safe modular",
        "safe modular",
    );
    // x = A.i + B.i + C.i, also when a thread has ended and does not need its own any more.
    let counting = |name: &str| {
        format!("thread {name} {{ local i: int = 0; while i < BOUND {{ x, i := x + 1, i + 1; }} }} ")
    };
    let threads: String = ["A", "B", "C"].into_iter().map(counting).collect();
    check_with_any_bound(&format!("var x: int = 0; {threads} ensures x == 3 * BOUND;"), "safe", "safe");
    // The same if a thread writes only what it has computed from a value that is still there.
    let exchanging = |name: &str| {
        format!(
            "thread {name} {{ local i, old: int = 0; while i < BOUND {{
                old := x; atomic {{ if x == old {{ x := old + 1; i := i + 1; }} }} }} }} "
        )
    };
    let threads: String = ["A", "B"].into_iter().map(exchanging).collect();
    check_with_any_bound(&format!("var x: int = 0; {threads} ensures x == 2 * BOUND;"), "safe", "safe");
}

#[test]
fn relations_do_not_hide_violations() {
    check(
        "var x: int = 0; var y: int = 10;
        thread A { while * { await y > 0 do { x, y := x + 1, y - 1; } } }
        thread B { while * { await x > 0 do { x, y := x - 1, y + 1; } } }
        invariant x <= 9;",
        "unsafe",
        "unsafe",
    );
    check(
        "var x: int = 0;
        thread A { local i: int = 0; while i < 7 { x, i := x + 1, i + 1; } }
        thread B { local i: int = 0; local was: int = 0; while i < 7 { was := x; x, i := was + 1, i + 1; } }
        ensures x == 14;",
        "unsafe",
        "unsafe",
    );
}
