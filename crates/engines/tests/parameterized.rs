//! Any number of threads: what is proved of them, and what is not.

use rely_base::{Budget, Random, Silent, SourceMap};
use rely_engines::{Engine, Explore, Parameterized, parameterized};
use rely_evidence::counting::Counting;
use rely_evidence::{Claim, Proof, Reason, Verdict, check as check_evidence};
use rely_program::{Goal, Program};
use std::fs;
use std::path::Path;

/// The verdict on a model, or why there is none.
fn check(model: &str, expected: &str) {
    let (found, program) = verdict(model);
    assert_eq!(found, expected, "{program}");
}

fn program(model: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    let program = rely_model_front::translate(&sources, file);
    let program = program.unwrap_or_else(|problems| panic!("{problems:?}"));
    rely_passes::prepare(&program, Goal::Assert).0
}

/// The verdict, or why there is none, and the program in front of the engine.
fn verdict(model: &str) -> (String, Program) {
    verdict_of(&Parameterized::default(), model)
}

fn verdict_of(engine: &Parameterized, model: &str) -> (String, Program) {
    let program = program(model);
    let budget = Budget::unlimited();
    let found = match engine.run(&program, Goal::Assert, &budget, &Silent) {
        Claim::Unknown(Reason::GaveUp { why, .. }) => why,
        Claim::Unknown(Reason::UnsupportedConstruct { construct, .. }) => construct,
        claim => match check_evidence(&program, Goal::Assert, claim, &budget).into_verdict() {
            Verdict::Unknown(reason) => reason.to_string(),
            verdict => verdict.name().to_owned(),
        },
    };
    (found, program)
}

/// Threads that swap the lock with 1 until it was 0.
const SPIN_LOCK: &str = "var lock, inside: int = 0;
    process worker {
        local was: int = 1;
        while was != 0 { atomic { was := lock; lock := 1; } }
        inside := inside + 1;
        assert inside == 1;
        inside := inside - 1;
        lock := 0;
    }
    thread main { while true { spawn worker; } }";

#[test]
fn a_lock_keeps_any_number_of_threads_out() {
    check(SPIN_LOCK, "safe");
    let broken = SPIN_LOCK.replace("lock := 1;", "lock := 0;");
    check(&broken, "unsafe");
}

#[test]
fn instances_take_part() {
    let model = "var a, b: bool = false; var balance: int = 0;
        process worker {
            if * {
                await !a do { a := true; } balance := balance + 1; balance := balance - 1; a := false;
            } else {
                await !b do { b := true; } balance := balance - 1; balance := balance + 1; b := false;
            }
        }
        thread judge { while true {
            await !a do { a := true; } await !b do { b := true; }
            assert balance == 0;
            b := false; a := false;
        } }
        thread main { while true { spawn worker; } }";
    check(model, "safe");
    check(&model.replace("await !b do { b := true; }\n", ""), "unsafe");
}

#[test]
fn threads_may_be_given_values_and_start_others() {
    let model = "var turn: int = 0;
        process child(who: int) { await turn == who do { turn := (turn + 1) % 3; } assert turn != who || who < 3; }
        process parent { local i: int = 0; while i < 3 { spawn child(i); i := i + 1; } }
        thread main { while * { spawn parent; } }";
    check(model, "safe");
}

#[test]
fn values_need_not_be_finite_but_threads_have_no_names() {
    let endless = "var tickets, served: int = 0;
        process worker { atomic { tickets := tickets + 1; served := served + 1; } assert tickets == served; }
        thread main { while true { spawn worker; } }";
    check(endless, "safe");
    let known = "var x: int = 0; thread a { x := 1; } thread b { x := 2; } ensures x >= 1;";
    check(known, "a program whose threads are known");
    let joined = "var x: int = 0; var t: thread;
        process worker { x := 1; }
        thread main { while true { t := spawn worker; join t; assert x == 1; } }";
    check(joined, "no counting invariants were found that suffice for a proof");
}

/// Threads that each add `each` to `x` under a lock, and what `x` is in the end.
fn adders(threads: u32, declared: &str, each: &str, sum: &str) -> String {
    format!(
        "var x: int = 0; {declared} var m: mutex;
         thread adder[{threads}] {{
             local i: int = 0;
             while i < {each} {{ lock(m); x := x + 1; unlock(m); i := i + 1; }}
         }}
         ensures x == {sum};"
    )
}

#[test]
fn a_known_number_of_threads_that_add_is_no_harder_than_any_number() {
    for threads in [1, 2, 8, 20] {
        check(&adders(threads, "", "1000", &format!("{threads} * 1000")), "safe");
        check(&adders(threads, "var n: int = *; requires n >= 0;", "n", &format!("{threads} * n")), "safe");
        let refused = "a program whose threads are known";
        check(&adders(threads, "", "1000", &format!("{threads} * 1000 + 1")), refused);
        // Below zero nobody adds anything.
        check(&adders(threads, "var n: int = *;", "n", &format!("{threads} * n")), refused);
    }
}

#[test]
fn of_whom_somebody_has_joined_is_known_what_it_did() {
    let model = "var x: int = 0; var a, b: thread;
        process adder { local i: int = 0; while i < 100 { atomic { x := x + 1; i := i + 1; } } }
        thread main { a := spawn adder; b := spawn adder; join a; join b; assert x == 200; }";
    check(model, "safe");
    check(&model.replace("join b;", ""), "a program whose threads are known");
    check(&model.replace("200", "201"), "a program whose threads are known");
}

/// The tables of Ganjei, Rezine, Eles and Peng, *Counting dynamically synchronizing processes*.
#[test]
fn the_tables_of_the_paper_are_decided() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/pacman");
    let mut rows = 0;
    for entry in fs::read_dir(folder).expect("there are benchmarks") {
        let task = entry.expect("readable").path();
        if task.extension().is_none_or(|ending| ending != "yml") {
            continue;
        }
        let definition = fs::read_to_string(&task).expect("readable");
        let expected = if definition.contains("expected_verdict: true") { "safe" } else { "unsafe" };
        let model = fs::read_to_string(task.with_extension("rely")).expect("every task has a model");
        assert_eq!(verdict(&model).0, expected, "{}", task.display());
        rows += 1;
    }
    assert_eq!(rows, 19);
}

/// Table 2 of the paper is about deadlocks. Here it is asked of the property itself that nobody waits for ever.
#[test]
fn nobody_waits_for_ever_at_a_barrier() {
    let rows = [
        ("bar-bug-1.rely", "unsafe"),
        ("bar-bug-2.rely", "unsafe"),
        ("bar-bug-3.rely", "unsafe"),
        ("correct-bar.rely", "safe"),
        // The state that the paper looks for can be left again: who is at the entry can come and go.
        ("ddlck-bar-loop.rely", "unknown"),
        ("no-ddlck-bar-loop.rely", "safe"),
    ];
    let found = rows.map(|(name, _)| (name, waits(&Parameterized::default(), &row(name))));
    assert_eq!(found, rows);
}

/// Whether nobody waits for ever: the verdict of an engine.
fn waits(engine: &dyn Engine, model: &str) -> &'static str {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    let program = rely_model_front::translate(&sources, file).expect("a model");
    let (program, _) = rely_passes::prepare(&program, Goal::Deadlock);
    let budget = Budget::unlimited();
    let claim = engine.run(&program, Goal::Deadlock, &budget, &Silent);
    check_evidence(&program, Goal::Deadlock, claim, &budget).into_verdict().name()
}

#[test]
fn who_goes_round_for_ever_does_not_wait() {
    let worker = "var go: bool = false;
        process worker { entry -> busy: go; busy -> entry: BACK; }
        process main { entry -> entry: spawn worker; entry -> done: go := true; }
        start main;";
    let verdict = |back| waits(&Parameterized::default(), &worker.replace("BACK", back));
    assert_eq!(verdict("skip"), "safe");
    assert_eq!(verdict("go"), "safe");
    assert_eq!(verdict("!go"), "unsafe");
}

/// `RELY_COUNTING=2000` generates so many programs.
#[test]
fn nobody_waits_in_small_cases_of_generated_programs_where_nobody_ever_waits() {
    let number = std::env::var("RELY_COUNTING").map_or(25, |number| number.parse().expect("a number"));
    let mut chance = Random::new(7);
    let (mut safe, mut violated) = (0, 0);
    for _ in 0..number {
        let mut model = generated(&mut chance);
        // With a way out of most places there are some where nobody waits for ever.
        let leaving = ["entry", "a", "b", "c"].map(|place| format!("  {place} -> exit: skip;\n"));
        let leaving: Vec<String> = leaving.into_iter().filter(|_| chance.below(6) > 0).collect();
        model =
            model.replace("local mine: int = 0;\n", &format!("local mine: int = 0;\n{}", leaving.concat()));
        let any = model.replace("STARTS", "entry -> entry: spawn worker; entry -> done: skip;");
        let found = waits(&Parameterized::default(), &any);
        safe += usize::from(found == "safe");
        violated += usize::from(found == "unsafe");
        if found == "safe" {
            let few = "local started: int = 0; entry -> done: skip;
                entry -> entry: started < 3; started := started + 1; spawn worker;";
            let explored = waits(&Explore::default(), &model.replace("STARTS", few));
            assert_eq!(explored, "safe", "three threads wait:\n{model}");
        }
    }
    assert!(safe > 0 && violated > 0, "{safe} safe, {violated} unsafe of {number}");
}

/// Programs that count, and their verdicts.
const COUNTED: [(&str, &str, &str); 14] = [
    (
        "a semaphore",
        "var free: int = 3;
         process worker { entry -> inside: free > 0; free := free - 1; inside -> exit: free := free + 1; }
         thread main { while true { spawn worker; } }
         never #(worker at inside) > 3;",
        "safe",
    ),
    (
        "a semaphore that is returned twice",
        "var free: int = 1;
         process worker { entry -> inside: free > 0; free := free - 1; inside -> exit: free := free + 2; }
         thread main { while true { spawn worker; } }
         never #(worker at inside) > 1;",
        "unsafe",
    ),
    (
        "a semaphore of any size",
        "var n, free: int = *; requires free == n; requires n >= 0;
         process worker { entry -> inside: free > 0; free := free - 1; inside -> exit: free := free + 1; }
         thread main { while true { spawn worker; } }
         never #(worker at inside) > n;",
        "safe",
    ),
    (
        "references are counted",
        "var references: int = 1; var freed: bool = false;
         process user {
             entry -> busy: references > 0; references := references + 1;
             busy -> left: assert !freed; references := references - 1;
             left -> exit: references == 0; freed := true;
             left -> exit: references > 0;
         }
         thread main { while true { spawn user; } }",
        "safe",
    ),
    (
        "references that are counted too late",
        "var references: int = 1; var freed: bool = false;
         process user {
             entry -> late: !freed;
             late -> busy: references := references + 1;
             busy -> left: assert !freed; references := references - 1;
             left -> exit: references == 0; freed := true;
             left -> exit: references > 0;
         }
         thread owner { references := references - 1; atomic { assume references == 0; freed := true; } }
         thread main { while true { spawn user; } }",
        "unsafe",
    ),
    (
        "a leader is elected once",
        "var leader: bool = false; var leaders: int = 0;
         process candidate {
             entry -> won: !leader; leader := true;
             entry -> exit: leader;
             won -> exit: leaders := leaders + 1; assert leaders == 1;
         }
         thread main { while true { spawn candidate; } }",
        "safe",
    ),
    (
        "two leaders",
        "var leader: bool = false; var leaders: int = 0;
         process candidate {
             entry -> seen: !leader;
             seen -> won: leader := true;
             won -> exit: leaders := leaders + 1; assert leaders == 1;
         }
         thread main { while true { spawn candidate; } }",
        "unsafe",
    ),
    (
        "writers have preference",
        "var readers, writers: int = 0; var writing: bool = false;
         process reader {
             entry -> inside: !writing && writers == 0; readers := readers + 1;
             inside -> exit: readers := readers - 1;
         }
         process writer {
             entry -> wants: writers := writers + 1;
             wants -> inside: !writing && readers == 0; writing := true;
             inside -> exit: writing := false; writers := writers - 1;
         }
         thread main { while true { if * { spawn reader; } else { spawn writer; } } }
         never #(writer at inside) >= 1 && #(reader at inside) >= 1;
         never #(writer at inside) >= 2;",
        "safe",
    ),
    (
        "as many come out as went in",
        "var come, gone: int = 0;
         process guest { entry -> inside: come := come + 1; inside -> exit: gone := gone + 1; }
         thread main { while true { spawn guest; } }
         never come != gone + #(guest at inside);",
        "safe",
    ),
    (
        "a producer for each consumer",
        "var items: int = 0;
         process producer { entry -> exit: items := items + 1; spawn consumer; }
         process consumer { entry -> exit: assert items > 0; items := items - 1; }
         thread main { while true { spawn producer; } }",
        "safe",
    ),
    (
        "more consumers than producers",
        "var items: int = 0;
         process producer { entry -> exit: items := items + 1; spawn consumer; spawn consumer; }
         process consumer { entry -> exit: assert items > 0; items := items - 1; }
         thread main { while true { spawn producer; } }",
        "unsafe",
    ),
    (
        "as many threads as asked for",
        "var n, started: int = *; requires n >= 0; requires started == 0;
         process worker { entry -> exit: skip; }
         thread main { while started < n { spawn worker; started := started + 1; } }
         never #(worker at {entry, exit}) > n;",
        "safe",
    ),
    (
        "everybody is waited for",
        "var sum: int = 0; var left: int = 0;
         process worker { entry -> exit: sum := sum + 1; }
         thread main { local i: int = 0;
             while * { spawn worker; i := i + 1; }
             while i > 0 { join worker; i := i - 1; left := left + 1; }
             assert sum == left; }",
        "safe",
    ),
    (
        "nobody is waited for",
        "var sum: int = 0; var left: int = 0;
         process worker { entry -> exit: sum := sum + 1; }
         thread main { local i: int = 0;
             while * { spawn worker; i := i + 1; }
             assert sum == i; }",
        "unsafe",
    ),
];

#[test]
fn programs_that_count_threads_are_decided() {
    let found = COUNTED.map(|(name, model, _)| (name, verdict(model).0));
    let expected = COUNTED.map(|(name, _, expected)| (name, expected.to_owned()));
    assert_eq!(found, expected);
}

fn row(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/pacman");
    fs::read_to_string(folder.join(name)).expect("there is such a row")
}

/// Nobody is at the entry, says the violation: more threads would make it false, so it is not upward-closed. What
/// only knows that more threads can do more cannot exclude it.
#[test]
fn without_counting_invariants_a_barrier_is_not_proved() {
    let model = row("correct-bar.rely");
    let limits = parameterized::Limits { control_states: 0, ..parameterized::Limits::default() };
    let monotonic = Parameterized { limits, ..Parameterized::default() };
    let (found, _) = verdict_of(&monotonic, &model);
    assert_eq!(found, "no counting invariants were found that suffice for a proof");
    check(&model, "safe");
}

#[test]
fn damaged_proofs_are_rejected() {
    let barrier = program(&row("correct-bar.rely"));
    let budget = Budget::unlimited();
    let claim = Parameterized::default().run(&barrier, Goal::Assert, &budget, &Silent);
    let Claim::Safe(Proof::Counting(proof)) = claim else { panic!("{claim:?}") };
    let judge = |program: &Program, proof: Counting| {
        let claim = Claim::Safe(Proof::Counting(proof));
        check_evidence(program, Goal::Assert, claim, &budget).into_verdict().name()
    };
    assert_eq!(judge(&barrier, proof.clone()), "safe");
    assert_eq!(judge(&barrier, Counting { invariants: Vec::new(), ..proof.clone() }), "unknown");
    let mut wrong = proof.clone();
    for atom in wrong.invariants.iter_mut().flat_map(|invariant| &mut invariant.cubes).flatten() {
        atom.constant += 1;
    }
    assert_eq!(judge(&barrier, wrong), "unknown");
    // It says nothing of the program in which somebody waits forever.
    assert_eq!(judge(&program(&row("bar-bug-1.rely")), proof), "unknown");
}

/// A process of four places, with tests and steps that are chosen by chance, and a property about how many are where.
fn generated(chance: &mut Random) -> String {
    let guards =
        ["true", "x < 2", "x > 0", "x == y", "y < 2", "y > 0", "go", "!go", "x == 0 && y == 0", "mine == x"];
    let steps = [
        "",
        "x := x + 1;",
        "x := x - 1;",
        "y := y + 1;",
        "y := y - 1;",
        "go := !go;",
        "mine := x;",
        "x := mine;",
    ];
    let places = ["entry", "a", "b", "c"];
    let mut model = "var x, y: int = 0; var go: bool = false;\n".to_owned();
    model.push_str("process main { STARTS }\nprocess worker { local mine: int = 0;\n");
    for number in 0..4 + chance.below(4) {
        let from = places[if number < 3 { number } else { chance.below(4) }];
        let to = places[if number < 3 { number + 1 } else { chance.below(4) }];
        let step = *chance.pick(&steps);
        // Two small numbers: exploration has an end.
        let bound = match step {
            "x := x + 1;" => "x < 3;",
            "x := x - 1;" => "x > 0;",
            "y := y + 1;" => "y < 3;",
            "y := y - 1;" => "y > 0;",
            _ => "",
        };
        model.push_str(&format!("  {from} -> {to}: {}; {bound} {step}\n", chance.pick(&guards)));
    }
    let (place, other) = (places[1 + chance.below(3)], places[chance.below(4)]);
    let property = match chance.below(4) {
        0 => format!("#(worker at {place}) >= 2"),
        1 => format!("#(worker at {place}) >= 1 && #(worker at {other}) == 0 && x > 0"),
        2 => format!("#(worker at {place}) > x + y"),
        _ => format!("#(worker at {place}) >= 1 && x == 2 && go"),
    };
    model + "}\nstart main;\nnever " + &property + ";\n"
}

/// `RELY_COUNTING=2000` generates so many programs.
#[test]
fn generated_programs_are_decided_as_one_to_five_threads_show() {
    let number = std::env::var("RELY_COUNTING").map_or(25, |number| number.parse().expect("a number"));
    let mut chance = Random::new(5);
    let (mut safe, mut violated) = (0, 0);
    for _ in 0..number {
        let model = generated(&mut chance);
        let (found, _) = verdict(&model.replace("STARTS", "entry -> entry: spawn worker;"));
        let starts =
            "local started: int = 0; entry -> entry: started < 5; started := started + 1; spawn worker;";
        let five = program(&model.replace("STARTS", starts));
        let explored = Explore::default().run(&five, Goal::Assert, &Budget::unlimited(), &Silent);
        let is_violated = matches!(explored, Claim::Unsafe(_));
        assert!(is_violated || matches!(explored, Claim::Safe(_)), "{explored:?}\n{model}");
        assert!(!is_violated || found == "unsafe", "five threads violate it: {found}\n{model}");
        safe += usize::from(found == "safe");
        violated += usize::from(found == "unsafe");
    }
    assert!(safe * 10 >= number && violated * 10 >= number, "{safe} safe, {violated} unsafe of {number}");
}
