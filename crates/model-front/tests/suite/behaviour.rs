//! What models do when they run: all their states, violations and deadlocks.

use crate::common::{explore, program, source};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let (sources, _) = source(text);
    let found = explore(&sources, &program(text), 20_000);
    let mut lines = vec![format!("{} states", found.states)];
    if !found.complete {
        lines.push("not all".into());
    }
    if !found.violations.is_empty() {
        lines.push(format!("violations in lines {:?}", found.violations));
    }
    lines.extend(found.messages);
    if found.deadlock {
        lines.push("deadlock".into());
    }
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn parallel_assignments_read_before_they_write() {
    check(
        "var x: int = 1; var y: int = 2; thread T { x, y := y, x; }\nensures x == 2 && y == 1;",
        expect!["2 states"],
    );
}

#[test]
fn statements_interleave_and_conditions_are_atomic() {
    check(
        "var x: int = 0; thread W[2] { local v: int = 0; v := x; x := v + 1; }\nensures x == 2;",
        expect![[r#"
        13 states
        violations in lines [2]"#]],
    );
    check("var x: int = 0; thread W[2] { x := x + 1; }\nensures x == 2;", expect!["4 states"]);
    check(
        "var x: int = 0; thread W[2] { if x == 0 {\nassert x == 0; x := 1; } }",
        expect![[r#"
        16 states
        violations in lines [2]
        assertion `x == 0` fails"#]],
    );
}

#[test]
fn atomic_blocks_do_not_interleave() {
    check(
        "var x: int = 0; thread W[2] { local v: int = 0; atomic { v := x; x := v + 1; } }\nensures x == 2;",
        expect!["5 states"],
    );
    check(
        "var x, i: int = 0; thread T { atomic { while i < 5 { i := i + 1; x := x + i; } i := 0; } } thread U {\nassert x == 0 || x == 15; }",
        expect!["4 states"],
    );
}

#[test]
fn an_atomic_block_that_blocks_is_not_entered() {
    check(
        "var x: int = 0; thread T { atomic { x := 1; await x == 2; x := 3; } }\nnever x != 0;",
        expect![[r#"
        1 states
        deadlock"#]],
    );
    check(
        "var x: int = 0; thread T { atomic { x := 1; await x == 2; } } thread U { x := 2; }\nnever x == 1;",
        expect![[r#"
        2 states
        deadlock"#]],
    );
}

#[test]
fn waiting_forever_is_a_deadlock_and_assuming_is_not() {
    check(
        "var x: int = 0; thread T { await x == 1; }",
        expect![[r#"
        1 states
        deadlock"#]],
    );
    check("var x: int = 0; thread T { assume x == 1; x := 5; }\nnever x == 5;", expect!["1 states"]);
    check("var x: int = 0; thread T { while x == 0 { } }", expect!["1 states"]);
}

#[test]
fn a_thread_ends_where_its_transitions_end() {
    check(
        "var x: int = 0; process p { entry -> a: x := 1; a -> done: skip; } start p;\nensures x == 0;",
        expect![[r#"
        3 states
        violations in lines [2]"#]],
    );
    check(
        "var x: int = 0; thread T { entry -> a: x > 0; entry -> exit: x := 1; }\nnever T at a;",
        expect!["2 states"],
    );
}

#[test]
fn guards_wait() {
    check(
        "var x: int = 0; thread T { entry -> exit: x == 1; x := 2; } thread U { entry -> exit: x := 1; }\nensures x == 2;",
        expect!["3 states"],
    );
}

#[test]
fn mutexes_exclude_and_know_their_owner() {
    check(
        "var m: mutex; var x: int = 0; thread W[2] { lock(m); cs: x := x + 1; x := x - 1; unlock(m); }\nnever #(W at cs) > 1 || x > 1;",
        expect!["16 states"],
    );
    check(
        "var m: mutex; thread T { lock(m); } thread U {\nunlock(m); }",
        expect![[r#"
        2 states
        violations in lines [2]
        `m` is unlocked by a thread that does not hold it"#]],
    );
    check(
        "var m: mutex; thread T { lock(m); lock(m); }",
        expect![[r#"
        2 states
        deadlock"#]],
    );
}

#[test]
fn spawned_threads_run_and_can_be_joined() {
    check(
        "var x: int = 0; process main { local t: thread; t := spawn p(3); join t;\nassert x == 3; } process p(n: int) { x := n; } start main;",
        expect!["5 states"],
    );
    check(
        "var x: int = 0; process main { local i: int = 0; while i < 3 { spawn p; i := i + 1; } while i > 0 { join p; i := i - 1; }\nassert x == 3; } process p { x := x + 1; } start main;\ninvariant #(p at {entry, exit}) <= 3;",
        expect!["89 states"],
    );
    check(
        "process main { local t: thread;\njoin t; } start main;",
        expect![[r#"
        1 states
        violations in lines [2]
        `t` holds no thread to join"#]],
    );
}

#[test]
fn atomic_loops_can_spawn() {
    check(
        "var x: int = 0; process main { atomic { again: spawn p; if x < 2 { x := x + 1; goto again; } } } process p { skip; } start main;\nensures x == 2;",
        expect!["9 states"],
    );
    check(
        "var x: int = 0; process main { atomic { while x < 2 { spawn p; x := x + 1; } } } process p { skip; } start main;\nnever #(p) > 1;",
        expect![[r#"
            5 states
            violations in lines [2]"#]],
    );
}

#[test]
fn handles_tell_threads_apart() {
    check(
        "var a: int[2] = 0; thread W[2] { local t: thread; t := this; assert t == this; a[me] := 1; } thread T {\nassert a[0] <= 1; }",
        expect!["32 states"],
    );
}

#[test]
fn any_values_are_tried() {
    check(
        "var x: int in 0..3 = *; var b: bool; requires x != 2; thread T { havoc x in 5 - 5..1; }\nnever x == 2;",
        expect!["10 states"],
    );
    check(
        "var x: int = 0; thread T { x := * in 0..3; if * { x := x + 4; } }\nnever x == 7;",
        expect![[r#"
        17 states
        violations in lines [2]"#]],
    );
    check(
        "var x: int = 0; thread T { havoc x; }",
        expect![[r#"
        5 states
        not all"#]],
    );
}

#[test]
fn undefined_operations_fail() {
    check(
        "var a: int[2] = 0; var i: int = 2; thread T {\na[i] := 1; }",
        expect![[r#"
        1 states
        violations in lines [2]
        an index in `a[i]` is out of bounds"#]],
    );
    check(
        "var x, y: int = 0; thread T { if y != 0 && x / y == 1 { skip; }\nx := x / y; }",
        expect![[r#"
        2 states
        violations in lines [2]
        `x / y` divides by zero or shifts by an impossible amount"#]],
    );
    check(
        "var x: int in 0..3 = 3; thread T {\nx := x + 1; }",
        expect![[r#"
        1 states
        violations in lines [2]
        `x` leaves its range 0..3"#]],
    );
    check(
        "var x: int = 0; thread T { x := 1; }\ninvariant 10 / x == 10;",
        expect![[r#"
        2 states
        violations in lines [2]"#]],
    );
}

#[test]
fn loop_invariants_are_checked() {
    check(
        "var x: int = 0; thread T { while x < 3\ninvariant x <= 3 { x := x + 2; } }",
        expect![[r#"
        5 states
        violations in lines [2]
        the loop invariant `x <= 3` does not hold"#]],
    );
    check("var x: int = 0; thread T { while x < 4 invariant x <= 4 { x := x + 2; } }", expect!["6 states"]);
}

#[test]
fn halt_ends_everything_but_not_properly() {
    check(
        "var x: int = 0; thread T { x := 1; halt; } thread U { await false; }\nensures x == 2;",
        expect!["3 states"],
    );
}

#[test]
fn nothing_happens_behind_a_halt() {
    for body in [
        "atomic { x := 1; halt; x := 2; assert false; }",
        "atomic { x := 1; halt; x := 1 / 0; assume false; }",
        "atomic { if x == 0 { x := 1; halt; } x := 2; assert false; }",
        "atomic { while x == 0 { x := 1; halt; x := 0; } assert false; }",
        "await x == 0 do { x := 1; halt; assert false; }",
        "x := 1; halt; assert false;",
    ] {
        // The program has ended, so what it leaves is looked at.
        let text = format!("var x: int = 0; thread T {{ {body} }}\nnever x > 1;");
        let found = explore(&source(&text).0, &program(&text), 100);
        assert!(found.complete && found.violations.is_empty() && !found.deadlock, "{body}");
        let text = format!("var x: int = 0; thread T {{ {body} }}\nnever x == 1;");
        let found = explore(&source(&text).0, &program(&text), 100);
        assert_eq!(found.violations.len(), 1, "{body}");
    }
}

#[test]
fn jumps() {
    check(
        "var x: int = 0; thread T { again: x := x + 1; while true { if x % 3 == 0 { break; } if x > 5 { goto exit; } x := x + 1; } goto again; }\nensures x > 6;",
        expect!["20 states"],
    );
}
