//! Tests of the inference of blocks.

use super::Blocks;
use expect_test::{Expect, expect};
use rely_base::{Budget, SourceMap};
use rely_evidence::reduction::{Mover, Phase};
use rely_program::{Goal, LocationId, Program, Thread};
use rely_testing::classics::REDUCTION_FIGURE_1 as FIGURE_1;

fn load(model: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn name(program: &Program, thread: &Thread, location: LocationId) -> String {
    match location {
        location if location == thread.entry => "entry".to_owned(),
        location if location == thread.exit => "exit".to_owned(),
        location => program.locations()[location].label.clone().unwrap_or_default(),
    }
}

/// Where each thread is outside of blocks, before and after commits, and which edges are which movers.
fn check(model: &str, expected: &Expect) {
    let program = load(model);
    let blocks = Blocks::infer(&program, Goal::Assert, Default::default(), &Budget::unlimited());
    let mut text = String::new();
    for (id, thread) in program.threads().iter() {
        let own =
            || program.locations().iter().filter(|(_, location)| location.thread == id).map(|(id, _)| id);
        let at = |phase: Option<Phase>| -> String {
            let locations = own().filter(|&location| blocks.phase(location) == phase);
            locations.map(|location| format!(" {}", name(&program, thread, location))).collect()
        };
        let moving = |mover: Option<Mover>| -> String {
            let edges =
                program.edges().iter().filter(|(_, edge)| program.locations()[edge.source].thread == id);
            let is_meant = |edge| {
                blocks.movers.iter().find(|(other, _)| *other == edge).map(|(_, mover)| *mover) == mover
            };
            let edges = edges.filter(|(edge, _)| is_meant(*edge));
            edges.map(|(_, edge)| format!(" {}", name(&program, thread, edge.source))).collect()
        };
        text += &format!(
            "{}: outside{}, before{}, after{}\n  right{}, left{}, both{}, no movers{}\n",
            thread.name,
            at(None),
            at(Some(Phase::BeforeCommit)),
            at(Some(Phase::AfterCommit)),
            moving(Some(Mover::Right)),
            moving(Some(Mover::Left)),
            moving(Some(Mover::Both)),
            moving(None),
        );
    }
    expected.assert_eq(&text);
}

/// `P1-1`: the locations outside of blocks are those of the paper, {0, 6, 11}, {0, 3} and {0, 3}.
#[test]
fn the_blocks_of_the_paper() {
    check(
        &format!("{FIGURE_1} l2 -> exit: my := 0; }} start T1; start T2; start T3; ensures x != 11;"),
        &expect![[r#"
            T1: outside entry exit l6, before l1 l2 l3 l4 l7 l8, after l5 l9 l10
              right entry l2 l6, left l4 l8 l10, both l1 l3 l5 l7 l9, no movers
            T2: outside entry exit, before l1 l2, after
              right entry, left l2, both l1, no movers
            T3: outside entry exit, before l1 l2, after
              right entry, left l2, both l1, no movers
        "#]],
    );
}

/// `P2-1`: somebody writes `y` without the lock, so accesses to `y` are commits.
#[test]
fn an_access_without_the_lock_leaves_the_other_movers() {
    check(
        &format!(
            "{FIGURE_1} l2 -> l3: my := 0; l3 -> exit: y := 0; }} start T1; start T2; start T3; ensures x != 11;"
        ),
        &expect![[r#"
            T1: outside entry exit l6, before l1 l2 l3 l7, after l4 l5 l8 l9 l10
              right entry l2 l6, left l4 l8 l10, both l1 l5 l9, no movers l3 l7
            T2: outside entry exit, before l1 l2, after
              right entry, left l2, both l1, no movers
            T3: outside entry exit l3, before l1 l2, after
              right entry, left l2, both l1, no movers l3
        "#]],
    );
}

/// What only looks like a lock protects nothing.
#[test]
fn a_flag_that_is_no_lock() {
    check(
        "var busy: int = 0; var x: int = 0;
         process A { entry -> a: busy == 0; a -> b: busy := 1; b -> c: x := 1; c -> exit: busy := 0; }
         process B { entry -> a: busy == 0; a -> b: busy := 2; b -> c: x := 2; c -> exit: busy := 0; }
         start A; start B; ensures x > 0;",
        &expect![[r#"
            A: outside entry exit a b c, before, after
              right, left, both, no movers entry a b c
            B: outside entry exit a b c, before, after
              right, left, both, no movers entry a b c
        "#]],
    );
}

/// A lock that somebody else gives back is held by nobody for certain.
#[test]
fn a_lock_that_others_give_back() {
    check(
        "var m: int = 0; var x: int = 0;
         process A { entry -> a: m == 0; m := 1; a -> b: x := 1; b -> exit: m := 0; }
         process B { entry -> a: m == 0; m := 2; a -> b: x := 2; b -> exit: m := 0; }
         process C { entry -> exit: m := 0; }
         start A; start B; start C; ensures x > 0;",
        &expect![[r#"
            A: outside entry exit a b, before, after
              right, left, both, no movers entry a b
            B: outside entry exit a b, before, after
              right, left, both, no movers entry a b
            C: outside entry exit, before, after
              right, left, both, no movers entry
        "#]],
    );
}

/// Of a template, the holder of a lock is known by its handle.
#[test]
fn any_number_of_threads() {
    check(
        "var x: int = 0; var m: mutex;
         process main { entry -> entry: spawn worker; entry -> exit: skip; }
         process worker { local r: int = 0;
             entry -> a: lock(m); a -> b: r := x; b -> c: x := r + 2; c -> exit: unlock(m); }
         start main; ensures x >= 0;",
        &expect![[r#"
            main: outside entry exit, before, after
              right, left entry, both, no movers entry
            worker: outside entry exit, before a b c, after
              right entry, left c, both a b, no movers
        "#]],
    );
}

/// What can block, or go on for ever, does not come after a commit.
#[test]
fn blocks_end_before_what_may_wait() {
    check(
        "var m: int = 0; var x: int = 0; var go: int = 0;
         process A { local i: int = 0;
             entry -> a: m == 0; m := 1; a -> b: x := 1; b -> c: m := 0;
             c -> d: i < 10; d -> c: i := i + 1; c -> e: i >= 10; e -> f: go == 1; f -> exit: i := 0; }
         process B { entry -> a: m == 0; m := 2; a -> b: x := 2; b -> exit: m := 0; }
         process C { entry -> exit: go := 1; }
         start A; start B; start C; ensures x > 0;",
        &expect![[r#"
            A: outside entry exit c, before a b d e f, after
              right entry e, left b f, both a c c d, no movers
            B: outside entry exit, before a b, after
              right entry, left b, both a, no movers
            C: outside entry exit, before, after
              right, left entry, both, no movers
        "#]],
    );
}

/// A check in front of the test of a lock sees what others do under it.
#[test]
fn checks_before_a_lock_is_taken() {
    check(
        "var m: int = 0; var x: int = 0;
         process A { entry -> a: m == 0; m := 1; a -> b: x := 1; b -> c: x := 0; c -> exit: m := 0; }
         process B { entry -> a: assert x == 0; m == 0; m := 2; a -> exit: m := 0; }
         start A; start B;",
        &expect![[r#"
            A: outside entry exit b, before a c, after
              right entry b, left a c, both, no movers
            B: outside entry exit, before a, after
              right entry, left a, both, no movers
        "#]],
    );
}

/// `P2-1` with an access that adds, as all others do: the blocks are those of `P1-1`.
#[test]
fn increments_commute() {
    check(
        &format!(
            "{FIGURE_1} l2 -> l3: my := 0; l3 -> exit: y := y + 2; }} start T1; start T2; start T3; ensures x != 11;"
        ),
        &expect![[r#"
            T1: outside entry exit l6, before l1 l2 l3 l4 l7 l8, after l5 l9 l10
              right entry l2 l6, left l4 l8 l10, both l1 l3 l5 l7 l9, no movers
            T2: outside entry exit, before l1 l2, after
              right entry, left l2, both l1, no movers
            T3: outside entry exit, before l1 l2, after l3
              right entry, left l2 l3, both l1, no movers
        "#]],
    );
}

/// Whoever writes what is there already, or what the other one writes, is no matter; nor is another cell.
#[test]
fn writes_that_commute() {
    check(
        "var done: bool = false; var a: int[2] = 0; var f: int = 0;
         process A { local r: int = 0;
             entry -> b: done := true; b -> c: a[0] := 1; c -> d: f := 1; d -> e: r := f; e -> exit: r := a[0]; }
         process B { entry -> b: done := true; b -> c: a[1] := 2; c -> exit: a[1] := 3; }
         start A; start B; ensures done;",
        &expect![[r#"
            A: outside entry exit, before b c d e, after
              right, left e, both entry b c d, no movers
            B: outside entry exit, before b c, after
              right, left c, both entry b, no movers
        "#]],
    );
}

/// Who takes from a number that others only add to can do so later; who adds to it can do so earlier.
#[test]
fn a_semaphore_is_a_lock_in_both_directions() {
    check(
        "var s: int = 1; var x: int = 0;
         process A { entry -> a: s > 0; s := s - 1; a -> b: x := x + 1; b -> exit: s := s + 1; }
         process B { entry -> a: s > 0; s := s - 1; a -> b: x := x + 1; b -> exit: s := s + 1; }
         start A; start B; ensures x >= 0;",
        &expect![[r#"
            A: outside entry exit, before a b, after
              right entry, left b, both a, no movers
            B: outside entry exit, before a b, after
              right entry, left b, both a, no movers
        "#]],
    );
}

/// A check sees a sum, and a multiplication does not commute with an addition.
#[test]
fn data_that_does_not_commute() {
    check(
        "var x: int = 0;
         process A { entry -> a: x := x + 1; a -> exit: x := x + 1; }
         process B { entry -> a: x := 2 * x; a -> exit: assert x < 9; }
         start A; start B;",
        &expect![[r#"
            A: outside entry exit a, before, after
              right, left, both, no movers entry a
            B: outside entry exit a, before, after
              right, left, both, no movers entry a
        "#]],
    );
}

#[test]
fn spin_locks_are_locks_although_everybody_sets_them_to_one() {
    check(
        "var spin, x: int = 0;
         thread A { await spin == 0 do { spin := 1; } x := x + 1; x := 2 * x; spin := 0; }
         thread B { await spin == 0 do { spin := 1; } x := x + 5; x := 3 * x; spin := 0; }
         ensures x != 1;",
        &expect![[r#"
            A: outside entry exit, before   , after
              right entry, left , both  , no movers
            B: outside entry exit, before   , after
              right entry, left , both  , no movers
        "#]],
    );
}

#[test]
fn a_flag_that_somebody_else_frees_is_no_lock() {
    check(
        "var spin, x: int = 0;
         thread A { await spin == 0 do { spin := 1; } x := x + 1; x := 2 * x; spin := 0; }
         thread B { await spin == 0 do { spin := 1; } x := x + 5; x := 3 * x; spin := 0; }
         thread C { spin := 0; }
         ensures x != 1;",
        &expect![[r#"
            A: outside entry exit   , before, after
              right, left, both, no movers entry   
            B: outside entry exit   , before, after
              right, left, both, no movers entry   
            C: outside entry exit, before, after
              right, left, both, no movers entry
        "#]],
    );
}

/// Whoever reads excludes whoever writes, whoever takes a share can do so later, and whoever gives it back earlier.
#[test]
fn readers_and_writers() {
    check(
        "var l: int = 0; var x: int = 0; var y: int = 0;
         process R { local p: int = 0; local q: int = 0;
             entry -> a: l >= 0; l := l + 1; a -> b: p := x; b -> c: q := y; c -> d: l := l > 0 ? l - 1 : 0; d -> exit: assert p == q; }
         process S { local p: int = 0; local q: int = 0;
             entry -> a: l >= 0; l := l + 1; a -> b: p := x; b -> c: q := y; c -> exit: l := l > 0 ? l - 1 : 0; }
         process W { entry -> a: l == 0; l := -1; a -> b: x := x + 1; b -> c: y := y + 1; c -> exit: l := l > 0 ? l - 1 : 0; }
         start R; start S; start W;",
        &expect![[r#"
            R: outside entry exit, before a b c, after d
              right entry, left c d, both a b, no movers
            S: outside entry exit, before a b c, after
              right entry, left c, both a b, no movers
            W: outside entry exit, before a b c, after
              right entry, left c, both a b, no movers
        "#]],
    );
}

/// Any number of them.
#[test]
fn any_number_of_readers_and_writers() {
    check(
        "var l: int = 0; var x: int = 0;
         process main { entry -> entry: spawn R; entry -> entry: spawn W; entry -> exit: skip; }
         process R { local p: int = 0; local q: int = 0;
             entry -> a: l >= 0; l := l + 1; a -> b: p := x; b -> c: q := x; c -> exit: l := l - 1; }
         process W { entry -> a: l == 0; l := -1; a -> b: x := 2 * x; b -> exit: l := 0; }
         start main;",
        &expect![[r#"
            main: outside entry exit, before, after
              right, left entry, both, no movers entry entry
            R: outside entry exit, before a b c, after
              right entry, left c, both a b, no movers
            W: outside entry exit, before a b, after
              right entry, left b, both a, no movers
        "#]],
    );
}

fn check_semaphore(permits: u32, expected: &Expect) {
    check(
        &format!(
            "var s: int = {permits}; var x: int = 0;
             process A {{ entry -> a: s > 0; s := s - 1; a -> b: x := x + 3; b -> c: x := 2 * x; c -> exit: s := s + 1; }}
             process B {{ entry -> a: s > 0; s := s - 1; a -> b: x := 2 * x + 1; b -> exit: s := s + 1; }}
             start A; start B; ensures x >= 0;"
        ),
        expected,
    );
}

#[test]
fn a_semaphore_of_one_protects() {
    check_semaphore(
        1,
        &expect![[r#"
            A: outside entry exit, before a b c, after
              right entry, left c, both a b, no movers
            B: outside entry exit, before a b, after
              right entry, left b, both a, no movers
        "#]],
    );
}

#[test]
fn a_semaphore_of_two_does_not() {
    check_semaphore(
        2,
        &expect![[r#"
            A: outside entry exit b, before a, after c
              right entry, left c, both, no movers a b
            B: outside entry exit, before a, after b
              right entry, left b, both, no movers a
        "#]],
    );
}

/// Somebody gives back a share that it has not taken, so what a thread holds says nothing.
#[test]
fn shares_that_others_give_back() {
    check(
        "var l: int = 0; var x: int = 0;
         process R { local p: int = 0; entry -> a: l >= 0; l := l + 1; a -> b: p := x; b -> exit: l := l > 0 ? l - 1 : 0; }
         process W { entry -> a: l == 0; l := -1; a -> b: x := x + 1; b -> exit: l := l > 0 ? l - 1 : 0; }
         process C { entry -> exit: l := l > 0 ? l - 1 : 0; }
         start R; start W; start C;",
        &expect![[r#"
            R: outside entry exit a b, before, after
              right, left, both, no movers entry a b
            W: outside entry exit a b, before, after
              right, left, both, no movers entry a b
            C: outside entry exit, before, after
              right, left, both, no movers entry
        "#]],
    );
}
