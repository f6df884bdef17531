//! What the deductive engine proves, how, and what it says when it does not.

use expect_test::{Expect, expect};
use rely_base::{Budget, Recorder, Silent, SourceMap};
use rely_engines::deductive::{AttemptEnd, Deduction, Deductive, DeductiveOptions, Method};
use rely_evidence::{Claim, Proof, Reason, Verdict, check};
use rely_passes::prepare;
use rely_program::{Goal, Program};
use rely_report::{ProofContext, ProofDetail, Style, render_proof};
use rely_testing::{Answer, Reference, generate};
use std::path::{Path, PathBuf};

fn model(name: &str, text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text.to_owned());
    let program = rely_model_front::translate(&sources, file);
    let program = program.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    prepare(&program, Goal::Assert).0
}

fn deduce(program: &Program) -> Deduction {
    Deductive::default().deduce(program, Goal::Assert, &Budget::unlimited(), &Silent)
}

/// The verdict after the evidence was checked, and how it came about.
fn describe(program: &Program) -> String {
    let deduction = deduce(program);
    let last = deduction.attempts.last().cloned();
    match check(program, Goal::Assert, deduction.claim, &Budget::unlimited()).into_verdict() {
        Verdict::Safe(_) => {
            let last = last.expect("a proof comes from an attempt");
            assert_eq!(last.ending, AttemptEnd::Proved);
            match last.method {
                Method::Modular => "safe".to_owned(),
                Method::WithPlaces => "safe, with auxiliary variables".to_owned(),
            }
        }
        Verdict::Unsafe(shown) => format!("unsafe: {} steps", shown.replay().trace().steps.len()),
        Verdict::Unknown(reason) => format!("unknown: {reason}"),
    }
}

/// `found` is not a variable of the program that is proved: its values are places.
#[test]
fn outlines_name_values_that_became_places() {
    check_outline(
        "
        var ready: bool = false;
        var data: int = 0;
        thread writer { data := 1; ready := true; }
        thread reader {
            local found: bool = false;
            while !found {
                if ready { found := true; }
            }
            assert data == 1;
        }
        ",
        expect![[r#"
            proof        modular: each thread can be understood without the others

            writer
              { !ready && data == 0 }
              data := 1;
              { !ready && data == 1 }
              ready := true;
              { ready && data == 1 }
              relies on
                nothing changes
              guarantees
                [!ready && data == 0] data := 1
                [!ready && data == 1] ready := true

            reader
              { (!reader.found && !ready && 0 <= data <= 1) || (ready && data == 1) }
              while !found {
                  if ready { found := true; }
              }
              assert data == 1;
              { ready && data == 1 }
              relies on
                [!ready && data == 0] data := 1
                [!ready && data == 1] ready := true
              guarantees
                nothing changes
        "#]],
    );
}

fn check_model(text: &str, expected: Expect) {
    expected.assert_eq(&describe(&model("test", text)));
}

/// The checked proof as `rely check --proof` prints it.
fn check_outline(text: &str, expected: Expect) {
    let mut sources = SourceMap::new();
    let file = sources.add("test", text.to_owned());
    let program = rely_model_front::translate(&sources, file).expect("a model");
    let (prepared, back) = prepare(&program, Goal::Assert);
    let claim = deduce(&prepared).claim;
    let verdict = check(&prepared, Goal::Assert, claim, &Budget::unlimited()).into_verdict();
    let Verdict::Safe(proved) = verdict else { panic!("there is no proof") };
    let context = ProofContext { program: &program, prepared: &prepared, back: &back, sources: &sources };
    let proof = render_proof(&proved, &context, ProofDetail::Full, Style::PLAIN);
    // Snapshots do not keep the margin.
    let lines = proof.lines().map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line)));
    expected.assert_eq(&lines.collect::<String>());
}

/// Section III of the paper. Its final relations are `x < 10 » x <= 10` and `x = 20 » x = 21` for
/// the loop, `x = 0 » x = 20` and `x <= 10 » x = 20` for the assignment. Ours say in addition that
/// x is not negative and grows by one; `x = 0` is part of `0 <= x <= 10`.
#[test]
fn the_example_of_the_paper() {
    check_outline(
        "var x: int = 0;

thread T1 {
    while x < 10 {
        x := x + 1;
    }
}

thread T2 {
    x := 20;
}

ensures x == 20 || x == 21;
",
        expect![[r#"
              proof        modular: each thread can be understood without the others

              T1
                { 0 <= x <= 10 || 20 <= x <= 21 }
                while x < 10 {
                    { 0 <= x <= 9 || x == 20 }
                    x := x + 1;
                }
                { x == 10 || 20 <= x <= 21 }
                relies on
                  [0 <= x <= 10] x := 20
                guarantees
                  [0 <= x <= 9] x := x + 1
                  [x == 20] x := 21

              T2
                { 0 <= x <= 10 }
                x := 20;
                { 20 <= x <= 21 }
                relies on
                  [0 <= x <= 9] x := x + 1
                  [x == 20] x := 21
                guarantees
                  [0 <= x <= 10] x := 20
        "#]],
    );
}

/// The counter of each thread tells what it has contributed.
#[test]
fn auxiliary_variables_in_an_outline() {
    check_outline(
        "var x: int = 0; thread T1 { x := x + 1; } thread T2 { x := x + 1; } ensures x == 2;",
        expect![[r#"
            proof        threads know about each other's places and locals

            T1
              { (x == 0 && T2 at entry) || (x == 1 && T2 at exit) }
              x := x + 1;
              { (x == 1 && T2 at entry) || (x == 2 && T2 at exit) }
              relies on
                x := x + 1
              guarantees
                x := x + 1

            T2
              { true }
              x := x + 1;
              { true }
              relies on
                nothing: the others may do what they like
              guarantees
                x := x + 1
        "#]],
    );
}

/// The paper's averages are over iterations and constraints; each round tells both.
#[test]
fn iterations_are_told() {
    let program = model(
        "test",
        "var x: int = 0; thread T1 { while x < 10 { x := x + 1; } } thread T2 { x := 20; }
         ensures x == 20 || x == 21;",
    );
    let recorder = Recorder::new(&Silent);
    Deductive::default().deduce(&program, Goal::Assert, &Budget::unlimited(), &recorder);
    let rounds = recorder.into_history().rounds;
    let told: Vec<String> =
        rounds.iter().map(|round| format!("{} {:?}\n", round.headline, round.counts)).collect();
    expect![[r#"
        attempt 1, thread by thread: iteration 1 [("constraints", 18), ("disjuncts", 7), ("transitions", 2), ("counterexamples", 9)]
        attempt 1, thread by thread: iteration 2 [("constraints", 11), ("disjuncts", 8), ("transitions", 3), ("counterexamples", 1)]
        attempt 1, thread by thread: iteration 3, proved [("constraints", 3), ("disjuncts", 8), ("transitions", 3), ("counterexamples", 0)]
    "#]].assert_eq(&told.concat());
}

/// With one worker or with several: the same attempts and the same proof.
#[test]
fn answers_do_not_depend_on_the_workers() {
    for path in models_in("benchmarks/deductive").iter().filter(|path| {
        let name = path.to_string_lossy();
        ["sum-loops", "ticket-2-forever", "sum-of-parts", "producer-one"]
            .iter()
            .any(|kind| name.contains(kind))
    }) {
        let text = std::fs::read_to_string(path).expect("a model can be read");
        let program = model("program", &text);
        let with = |workers: usize| {
            let engine = Deductive {
                options: DeductiveOptions { workers: Some(workers), ..DeductiveOptions::default() },
            };
            let deduction = engine.deduce(&program, Goal::Assert, &Budget::unlimited(), &Silent);
            let proof = match deduction.claim {
                Claim::Safe(Proof::RelyGuarantee(proof)) => Some(proof),
                _ => None,
            };
            (deduction.attempts, proof)
        };
        assert!(with(1) == with(4), "{}", path.display());
    }
}

/// Nothing in the program compares `i` and `j`: the first attempts fail, and interpolants say why.
#[test]
fn invariants_come_from_failed_attempts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks/deductive/difference.rely");
    let program = model("difference", &std::fs::read_to_string(path).expect("a model can be read"));
    let attempts: Vec<(Method, AttemptEnd)> =
        deduce(&program).attempts.iter().map(|attempt| (attempt.method, attempt.ending)).collect();
    let failed = (Method::WithPlaces, AttemptEnd::Offended);
    assert_eq!(
        attempts,
        [(Method::Modular, AttemptEnd::Offended), failed, (Method::WithPlaces, AttemptEnd::Proved)]
    );
}

#[test]
fn a_postcondition_that_is_too_strong_is_refuted() {
    let text = "var x: int = 0;
         thread T1 { while x < 10 { x := x + 1; } }
         thread T2 { x := 20; }
         ensures x == 20;";
    let found = describe(&model("test", text));
    assert!(found.starts_with("unsafe"), "{found}");
}

#[test]
fn counting_needs_auxiliary_variables() {
    check_model(
        "var x: int = 0;
         thread T1 { x := x + 1; }
         thread T2 { x := x + 1; }
         ensures x == 2;",
        expect!["safe, with auxiliary variables"],
    );
    check_model(
        "var x: int = 0; thread W[6] { x := x + 1; } ensures x == 6;",
        expect!["safe, with auxiliary variables"],
    );
}

#[test]
fn symbolic_bounds_are_loop_bounds_like_others() {
    check_model(
        "var n: int; var x: int = 0; requires n >= 0;
         thread T { while x < n { x := x + 1; } }
         ensures x == n;",
        expect!["safe"],
    );
    check_model(
        "var n: int; var x, y: int = 0; requires n >= 0;
         thread T { local i: int = 0; while i < n { atomic { i := i + 1; x := x + 1; } } }
         thread U { local j: int = 0; while j < n { atomic { j := j + 1; y := y + 1; } } }
         ensures x == y;",
        expect!["safe, with auxiliary variables"],
    );
}

#[test]
fn a_bound_costs_nothing() {
    let attempt = |bound: &str| {
        let text = format!(
            "var x: int = 0; thread T {{ while x < {bound} {{ x := x + 1; }} }} ensures x == {bound};"
        );
        deduce(&model("test", &text)).attempts
    };
    assert_eq!(attempt("100"), attempt("1000000"));
}

#[test]
fn locks_that_name_their_owner_have_modular_proofs() {
    check_model(
        "var m: mutex; var x: int = 0;
         thread W[3] { lock(m); x := x + 1; x := x - 1; cs: skip; unlock(m); }
         never #(W at cs) > 1;",
        expect!["safe"],
    );
}

#[test]
fn threads_that_start_others_are_proved_too() {
    check_model(
        "var x: int = 0;
         process P { x := 1; }
         process main { local t: thread; t := spawn P; join t; assert x == 1; }
         start main;",
        expect!["safe, with auxiliary variables"],
    );
}

#[test]
fn what_halts_claims_nothing_of_the_end() {
    check_model(
        "var x: int = 0;
         thread T { if x == 0 { x := 1; halt; } else { x := 2; } }
         thread U { x := 5; }
         ensures x != 1;",
        expect!["safe"],
    );
    check_model(
        "var x: int = 0; thread T { await x == 0 do { x := 1; halt; } } invariant x != 1;",
        expect!["unsafe: 1 steps"],
    );
}

/// C programs go the same way, with `goto` or without.
#[test]
fn c_programs_are_proved_too() {
    let text = "
        typedef unsigned long pthread_t;
        extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
        extern int pthread_join(pthread_t, void **);
        extern void reach_error(void);
        int x = 0;
        void *count(void *arg) { again: if (x < 10) { x = x + 1; goto again; } return 0; }
        int main() {
            pthread_t t;
            pthread_create(&t, 0, count, 0);
            pthread_join(t, 0);
            if (x != 10) { reach_error(); }
            return 0;
        }";
    let mut sources = SourceMap::new();
    let input = rely_c_front::CInput {
        name: "count.c".to_owned(),
        preprocessed: text.to_owned(),
        ..rely_c_front::CInput::default()
    };
    let program = rely_c_front::translate(&mut sources, &input);
    let program = program.unwrap_or_else(|error| panic!("{error:?}"));
    let program = prepare(&program, Goal::Assert).0;
    expect!["safe, with auxiliary variables"].assert_eq(&describe(&program));
}

#[test]
fn goals_of_other_kinds_are_refused() {
    let program = model("test", "var x: int = 0; thread T { x := 1; } ensures x == 1;");
    let deduction = Deductive::default().deduce(&program, Goal::Deadlock, &Budget::unlimited(), &Silent);
    let Claim::Unknown(Reason::UnsupportedGoal { goal, .. }) = deduction.claim else { panic!("it claims") };
    assert_eq!(goal, Goal::Deadlock);
}

fn models_in(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be read").path());
    let mut models: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ext| ext == "rely")).collect();
    models.sort();
    models
}

/// The programs of the paper whose loops make other tools time out, none with an invariant.
#[test]
fn the_loops_of_the_paper_have_modular_proofs() {
    let models = models_in("benchmarks/regasol");
    assert!(models.len() >= 12, "{} programs", models.len());
    for path in models {
        let text = std::fs::read_to_string(&path).expect("a model can be read");
        assert_eq!(describe(&model("loop", &text)), "safe", "{}", path.display());
    }
}

/// Each program says what is expected of it in a comment `// expect: safe` or `// expect: unsafe`.
#[test]
fn further_programs_have_the_expected_verdicts() {
    let models = models_in("benchmarks/deductive");
    assert!(models.len() >= 45, "{} programs", models.len());
    for path in models {
        let text = std::fs::read_to_string(&path).expect("a model can be read");
        let expected =
            text.lines().find_map(|line| line.strip_prefix("// expect: ")).expect("an expectation");
        let expected = expected.split_whitespace().next().unwrap_or("");
        let found = describe(&model("program", &text));
        assert!(found.starts_with(expected), "{}: {found}", path.display());
    }
}

/// Answers about generated programs are never wrong, and evidence is never rejected.
#[test]
fn generated_programs() {
    let (mut safe, mut proved, mut violated, mut shown) = (0, 0, 0, 0);
    for seed in 0..60 {
        let sample = generate(seed);
        if !matches!(sample.goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            continue;
        }
        let (program, _) = prepare(&sample.program, sample.goal);
        let expected = Reference::new(&program, sample.goal).answer(1_000_000);
        let budget = Budget::unlimited();
        let claim = Deductive::default().deduce(&program, sample.goal, &budget, &Silent).claim;
        let verdict = check(&program, sample.goal, claim, &budget).into_verdict();
        safe += usize::from(matches!(expected, Answer::Safe { .. }));
        violated += usize::from(matches!(expected, Answer::Unsafe { .. }));
        match (&verdict, &expected) {
            (Verdict::Safe(_), Answer::Safe { .. }) => proved += 1,
            (Verdict::Unsafe(_), Answer::Unsafe { .. }) => shown += 1,
            (Verdict::Unknown(reason), _) => {
                assert!(!matches!(reason, Reason::Rejected(_)), "seed {seed}: {reason}");
            }
            (verdict, expected) => panic!("seed {seed}: {} but {expected:?}", verdict.name()),
        }
    }
    assert!(proved * 10 >= safe * 8, "only {proved} of {safe} safe programs are proved");
    assert!(shown * 10 >= violated * 8, "only {shown} of {violated} violations are shown");
}

/// An edge may write to either cell of an array as far as its text tells, but only one index is
/// possible: then the proof has to say that the other cell stays.
#[test]
fn cells_that_are_never_written_stay() {
    for seed in [1142, 5758] {
        let sample = generate(seed);
        let (program, _) = prepare(&sample.program, sample.goal);
        let claim = Deductive::default().deduce(&program, sample.goal, &Budget::unlimited(), &Silent).claim;
        let verdict = check(&program, sample.goal, claim, &Budget::unlimited()).into_verdict();
        assert!(matches!(verdict, Verdict::Safe(_)), "seed {seed}: {verdict:?}");
    }
    check_model(
        "var x: int = 0; var a: int[2];
         requires a[0] == 0 && a[1] == 1;
         thread T { await x == 2 do { a[x - 2] := x; } }
         thread U { x := 2; }
         thread V { assert a[1] == 1; }
         ensures a[0] == 2;",
        expect!["safe"],
    );
}
