//! What is proved about the races of programs, and that the checker agrees.

use super::Analysis;
use expect_test::{Expect, expect};
use rely_base::{Budget, Id, SourceMap};
use rely_evidence::{Claim, Proof, Verdict, check as check_claim};
use rely_passes::{Watched, watch_races};
use rely_program::{Goal, Program, ProgramEditor};
use std::collections::BTreeMap;

fn load(model: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// How many pairs of accesses to each variable conflict, and how many of them are kept apart by facts that the
/// checker accepts.
fn check(model: &str, expected: &Expect) {
    let watched = watch_races(&load(model), &Budget::unlimited()).expect("there is no limit");
    let analysis = Analysis::infer(&watched.program, &Budget::unlimited()).expect("there is no limit");
    let proved = analysis.proved();
    accepted(&watched, &analysis, &proved);
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (pairs, is_proved) in watched.pairs.iter().zip(&proved) {
        for &pair in pairs {
            let [access, _] = watched.conflicts.of(watched.conflicts.pairs[pair]);
            let count = counts.entry(&watched.base.vars()[access.var].name).or_default();
            count.0 += 1;
            count.1 += usize::from(*is_proved);
        }
    }
    let lines = counts.iter().map(|(name, (all, proved))| format!("{name}: {proved} of {all}\n"));
    expected.assert_eq(&lines.collect::<String>());
}

fn accepted(watched: &Watched, analysis: &Analysis<'_>, proved: &[bool]) {
    let mut editor = ProgramEditor::new(watched.program.clone());
    let mut kept = proved.iter();
    editor.properties_mut().retain(|_| *kept.next().expect("there is one for each property"));
    let claim = Claim::Safe(Proof::RelyGuarantee(analysis.proof()));
    let verdict = check_claim(&editor.finish(), Goal::Assert, claim, &Budget::unlimited()).into_verdict();
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
}

#[test]
fn a_mutex_protects() {
    check(
        "var m: mutex; var x: int = 0; thread A { lock(m); x := x + 1; unlock(m); } thread B { lock(m); x := 2; unlock(m); }",
        &expect![["
            x: 2 of 2
        "]],
    );
}

#[test]
fn a_mutex_protects_any_number_of_threads() {
    check(
        "var m: mutex; var x: int = 0; process w { lock(m); x := x + 1; unlock(m); } process main { while (*) { spawn w; } } start main;",
        &expect![["
            x: 2 of 2
        "]],
    );
}

#[test]
fn the_wrong_mutex_does_not() {
    check(
        "var m, n: mutex; var x: int = 0; thread A { lock(m); x := 1; unlock(m); } thread B { lock(n); x := 2; unlock(n); }",
        &expect![["
            x: 0 of 1
        "]],
    );
}

#[test]
fn a_lock_made_by_hand_protects() {
    check(
        "var f: atomic int = 0; var x: int = 0;
         thread A { await f == 0 do { f := 1; } x := 1; f := 0; }
         thread B { await f == 0 do { f := 2; } x := 2; f := 0; }",
        &expect![["
            x: 1 of 1
        "]],
    );
}

#[test]
fn a_flag_that_others_clear_is_no_lock() {
    check(
        "var f: atomic int = 0; var x: int = 0;
         thread A { await f == 0 do { f := 1; } x := 1; f := 0; }
         thread B { await f == 0 do { f := 2; } x := 2; f := 0; }
         thread C { f := 0; }",
        &expect![["
            x: 0 of 1
        "]],
    );
}

#[test]
fn what_comes_before_the_start_and_after_the_end_is_apart() {
    check(
        "var x: int = 0;
         process main { local h: thread; x := 1; h := spawn w; join h; x := 2; }
         process w { x := 3; } start main;",
        &expect![["
            x: 2 of 2
        "]],
    );
}

#[test]
fn what_happens_meanwhile_is_not() {
    check(
        "var x: int = 0;
         process main { local h: thread; h := spawn w; x := 1; join h; x := 2; }
         process w { x := 3; } start main;",
        &expect![["
            x: 1 of 2
        "]],
    );
}

#[test]
fn threads_that_run_one_after_the_other_are_apart() {
    check(
        "var x: int = 0;
         process main { local h: thread; h := spawn v; join h; h := spawn w; join h; }
         process v { x := 1; }
         process w { x := 2; } start main;",
        &expect![["
            x: 1 of 1
        "]],
    );
}

/// In the last state the second thread is at its entry, although nobody has seen it start.
#[test]
fn nothing_is_proved_of_threads_that_start_when_the_program_ends() {
    check(
        "var x: int = 0;
         process main { entry -> a: spawn v; a -> exit: spawn w; halt; }
         process v { x := 1; }
         process w { x := 2; }
         start main;",
        &expect![["
            x: 0 of 1
        "]],
    );
}

#[test]
fn a_flag_hands_over() {
    check(
        "var ready: atomic int = 0; var x: int = 0;
         thread A { x := 1; ready := 1; }
         thread B { await ready == 1; x := 2; }",
        &expect![["
            x: 1 of 1
        "]],
    );
}

#[test]
fn cells_that_threads_are_told_about_are_theirs() {
    check(
        "var a: int[2] = 0;
         process main { spawn w(0); spawn w(1); }
         process w(i: int) { a[i] := 1; } start main;",
        &expect![["
            a: 1 of 1
        "]],
    );
}

/// The facts of a location are those that survive, and no more: a program with no facts has none proved.
#[test]
fn nothing_is_proved_of_a_program_that_races_everywhere() {
    let watched =
        watch_races(&load("var x: int = 0; thread A { x := 1; } thread B { x := 2; }"), &Budget::unlimited())
            .expect("there is no limit");
    let analysis = Analysis::infer(&watched.program, &Budget::unlimited()).expect("there is no limit");
    assert_eq!(analysis.proved(), [false]);
    assert_eq!(watched.conflicts.pairs.len(), 1);
    assert_eq!(watched.conflicts.of(watched.conflicts.pairs[0])[0].var.index(), 0);
}
