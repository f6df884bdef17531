//! What is proved about the races of programs, and that the checker agrees.

use super::Analysis;
use expect_test::{Expect, expect};
use rely_base::{Budget, Id, SourceMap};
use rely_evidence::rely_guarantee::{Atom, Cube, Moment, Quantity, RelyGuarantee};
use rely_evidence::{Claim, Proof, Verdict, check as check_claim};
use rely_passes::{Watched, watch_races};
use rely_program::{Goal, Program, ProgramEditor, ThreadId};
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
    accepted(&watched, &analysis, proved);
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (pairs, is_proved) in watched.pairs.iter().zip(proved) {
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
fn nobody_runs_before_the_first_thread_of_a_template_is_created() {
    check(
        "var x: int = 0; var y: int = 0; process w { y := x; } process main { x := 1; while (*) { spawn w; } } start main;",
        &expect![["
            x: 1 of 1
            y: 0 of 1
        "]],
    );
    check(
        "var x: int = 0; var y: int = 0; process w { y := x; } process main { while (*) { spawn w; x := 1; } } start main;",
        &expect![["
            x: 0 of 1
            y: 0 of 1
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
    // What they are told is written in, so that no two accesses conflict.
    check(
        "var a: int[2] = 0;
         process main { spawn w(0); spawn w(1); }
         process w(i: int) { a[i] := 1; } start main;",
        &expect![[""]],
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

/// Why the checker does not accept the proof of a program that a mutex and the order of creation protect, after
/// something was done to it.
fn check_damage(damage: impl Fn(&Program, &mut RelyGuarantee), expected: &Expect) {
    let protected = "var m: mutex; var x, y: int = 0;
        process main { y := 1; spawn a; spawn b; }
        process a { lock(m); x := x + 1; unlock(m); y := 2; }
        process b { lock(m); x := 2; unlock(m); } start main;";
    check_damage_of(protected, damage, expected);
}

fn check_damage_of(model: &str, damage: impl Fn(&Program, &mut RelyGuarantee), expected: &Expect) {
    let watched = watch_races(&load(model), &Budget::unlimited()).expect("there is no limit");
    let analysis = Analysis::infer(&watched.program, &Budget::unlimited()).expect("there is no limit");
    assert!(analysis.proved().iter().all(|proved| *proved));
    accepted(&watched, &analysis, analysis.proved());
    let mut proof = analysis.proof();
    damage(&watched.program, &mut proof);
    let claim = Claim::Safe(Proof::RelyGuarantee(proof));
    let verdict = check_claim(&watched.program, Goal::Assert, claim, &Budget::unlimited()).into_verdict();
    let Verdict::Unknown(reason) = verdict else { panic!("accepted") };
    expected.assert_eq(&format!("{reason}\n"));
}

fn speaks_of(program: &Program, atom: &Atom, name: &str) -> bool {
    let is_it = |quantity: &Quantity| matches!(quantity, Quantity::Cell { var, .. } if program.vars()[*var].name == name);
    atom.terms.iter().any(|(_, quantity)| is_it(quantity))
}

/// All that is said at control points.
fn cubes(proof: &mut RelyGuarantee) -> impl Iterator<Item = &mut Cube> {
    proof.threads.iter_mut().flat_map(|thread| &mut thread.at).flat_map(|(_, cubes)| cubes)
}

/// All that is said, of steps too.
fn all_cubes(proof: &mut RelyGuarantee) -> impl Iterator<Item = &mut Cube> {
    let at_points = proof.threads.iter_mut().flat_map(|thread| &mut thread.at).flat_map(|(_, cubes)| cubes);
    at_points.chain(proof.effects.iter_mut().flat_map(|effect| &mut effect.cubes))
}

#[test]
fn a_proof_that_forgets_a_lock_is_rejected() {
    check_damage(
        |program, proof| {
            all_cubes(proof).for_each(|cube| cube.atoms.retain(|atom| !speaks_of(program, atom, "m")));
        },
        &expect![[r#"
            the evidence was rejected: rule `always` is violated (property 0), for example with y = 1, a.place = 3, b.place = 3, main.place = 1
        "#]],
    );
}

#[test]
fn a_proof_that_forgets_who_does_not_run_is_rejected() {
    check_damage(
        |_, proof| all_cubes(proof).for_each(|cube| cube.others.clear()),
        &expect![[r#"
        the evidence was rejected: rule `interference` is violated (thread `main` at location 6, edge 3 of `a`), for example with m = 0, y = 1
    "#]],
    );
}

#[test]
fn a_proof_in_which_everybody_holds_the_lock_is_rejected() {
    check_damage(
        |program, proof| {
            let held = cubes(proof).flat_map(|cube| cube.atoms.clone());
            let held = held.filter(|atom| speaks_of(program, atom, "m") && atom.constant != 0);
            let held: Vec<Atom> = held.take(1).collect();
            assert_eq!(held.len(), 1);
            cubes(proof).for_each(|cube| {
                cube.atoms.retain(|atom| !speaks_of(program, atom, "m"));
                cube.atoms.extend(held.clone());
            });
        },
        &expect![[r#"
            the evidence was rejected: rule `initially` is violated (thread `main` at location 0)
        "#]],
    );
}

#[test]
fn a_proof_that_hides_a_step_from_others_is_rejected() {
    check_damage(
        |program, proof| {
            proof.effects.retain(|effect| {
                let atoms = effect.cubes.iter().flat_map(|cube| &cube.atoms);
                let mut after = atoms.filter(|atom| speaks_of(program, atom, "m"));
                !after.any(|atom| {
                    atom.terms
                        .iter()
                        .any(|(_, quantity)| matches!(quantity, Quantity::Cell { moment: Moment::After, .. }))
                })
            });
        },
        &expect![[r#"
            the evidence was rejected: rule `guarantee` is violated (thread `a` at location 2, edge 3 of `a`), for example with m = 0, y = 1
        "#]],
    );
}

/// Only who was started knows that it is waited for.
const JOINED_IF_STARTED: &str = "var x: int = 0;
    process w { x := 1; }
    thread main {
        local n: int; local t: thread;
        n := *;
        if (n > 0) { t := spawn w; }
        if (n > 0) { join t; }
        x := 2;
    }";

#[test]
fn who_was_started_knows_where_it_is_joined() {
    check(
        JOINED_IF_STARTED,
        &expect![["
            x: 1 of 1
        "]],
    );
    for (from, to) in [("if (n > 0) { join t; }", "if (n > 1) { join t; }"), ("join t;", "n := 0; skip;")] {
        check(
            &JOINED_IF_STARTED.replace(from, to),
            &expect![["
                x: 0 of 1
            "]],
        );
    }
    check(
        &JOINED_IF_STARTED.replace("if (n > 0) { join t; }", "n := 0; if (n > 0) { join t; }"),
        &expect![["
            x: 0 of 1
        "]],
    );
}

#[test]
fn a_proof_that_forgets_where_the_starter_can_be_is_rejected() {
    check_damage_of(
        JOINED_IF_STARTED,
        |program, proof| {
            let is_w = |thread: ThreadId| program.threads()[thread].name == "w";
            let own = proof.threads.iter_mut().filter(|thread| is_w(thread.thread));
            own.flat_map(|thread| &mut thread.at).for_each(|(_, cubes)| {
                cubes.iter_mut().for_each(|cube| cube.others.clear());
            });
        },
        &expect![[r#"
            the evidence was rejected: rule `always` is violated (property 0), for example with main.n = 1, x = 0, main.t = 2, main.place = 6, w.place = 1
        "#]],
    );
}

#[test]
fn a_proof_that_forgets_why_the_starter_waits_is_rejected() {
    check_damage_of(
        JOINED_IF_STARTED,
        |program, proof| {
            all_cubes(proof).for_each(|cube| cube.atoms.retain(|atom| !speaks_of(program, atom, "n")));
        },
        &expect![[r#"
            the evidence was rejected: rule `interference` is violated (thread `w` at location 2, edge 5 of `main`), for example with main.t = 2
        "#]],
    );
    check_damage_of(
        JOINED_IF_STARTED,
        |program, proof| {
            all_cubes(proof).for_each(|cube| cube.atoms.retain(|atom| !speaks_of(program, atom, "t")));
        },
        &expect![[r#"
            the evidence was rejected: rule `interference` is violated (thread `w` at location 2, edge 6 of `main`), for example with main.n = 1
        "#]],
    );
}
