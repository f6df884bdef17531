//! What each construct of the language becomes.

use crate::common::{dump, program};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&dump(&program(text)));
}

#[test]
fn statements_are_single_steps() {
    check(
        "var x, y: int = 0; thread T { x, y := y, x + 1; l: skip; assert x == 1; assume x > 0; halt; }",
        expect![[r#"
        var x: int = [0]
        var y: int = [0]
        thread T()
          0 -> l: x, y := y, (x + 1)
          l -> 3: skip
          3 -> 4: check0 (x == 1)
          4 -> 5: assume (x > 0)
          5 -> exit!: halt
        check Assertion: assertion `x == 1` fails
    "#]],
    );
}

#[test]
fn variables_start_with_what_is_written() {
    check(
        "const N = 2 + 1; var a: int[N] = {1, 0x10, -1_000}; var b: bool[2] = true; var c: int; var d: int in 0..N = *;
         var e: int in -1..1 = 0; var m: mutex; var f: bool = *; thread T { local t: thread; local v: int = N; skip; }",
        expect![[r#"
            var a: int[3] = [1, 16, -1000]
            var b: bool[2] = [1, 1]
            var c: int = any int
            var d: int = any 0..3
            var e: int = [0]
            var m: int = [0]
            var f: bool = any bool
            local of T: t: int = [0]
            local of T: v: int = [3]
            thread T()
              0 -> exit!: skip
        "#]],
    );
}

#[test]
fn preconditions_narrow_initial_values() {
    check(
        "const N = 5; var a, b, c, d: int; var p, q, r: bool = *; var e: int in 0..9 = *; var f: int;
         requires a == 0 && 1 <= b && (b < N) && !p; requires q; requires c >= 3; requires r == p && e > 7 && N == d;
         requires f == a;
         thread T { skip; }",
        expect![[r#"
            var a: int = [0]
            var b: int = any 1..4
            var c: int = any int
            var d: int = [5]
            var p: bool = [0]
            var q: bool = [1]
            var r: bool = any bool
            var e: int = any 8..9
            var f: int = any int
            thread T()
              0 -> exit!: skip
            requires ((((a == 0) && (1 <= b)) && (b < 5)) && !p)
            requires q
            requires (c >= 3)
            requires (((r == p) && (e > 7)) && (5 == d))
            requires (f == a)
        "#]],
    );
}

#[test]
fn conditions_are_one_step() {
    check(
        "var x: int = 0; thread T { if x > 0 { x := 1; } else if x < 0 { x := 2; } else { x := 3; } while x < 9 { x := x + 1; } }",
        expect![[r#"
            var x: int = [0]
            thread T()
              0 -> 2: [(x > 0)]
              0 -> 3: [(x <= 0)]
              2 -> 6: x := 1
              3 -> 4: [(x < 0)]
              3 -> 5: [(x >= 0)]
              4 -> 6: x := 2
              5 -> 6: x := 3
              6 -> 7: [(x < 9)]
              6 -> exit!: [(x >= 9)]
              7 -> 6: x := (x + 1)
        "#]],
    );
}

#[test]
fn endless_loops_have_no_condition_to_evaluate() {
    check(
        "var x: int = 0; thread T { while true { x := 1; while true { x := 2; if x == 1 { continue; } if x == 3 { break; } } } }
         thread U { l: while true { m: x := 3; } } thread V { while true { } } thread W { while true { continue; } }
         thread X { while true { if x == 0 { x := 1; } } x := 2; } thread Y { while true { break; } x := 7; }",
        expect![[r#"
            var x: int = [0]
            thread T()
              0 -> 12: x := 1
              12 -> 13: x := 2
              13 -> 12: [(x == 1)]
              13 -> 14: [(x != 1)]
              14 -> 0: [(x == 3)]
              14 -> 12: [(x != 3)]
            thread U()
              l -> m: skip
              m -> l: x := 3
            thread V()
              0 -> 0: skip
            thread W()
              0 -> 0: skip
            thread X()
              0 -> 8: [(x == 0)]
              0 -> 0: [(x != 0)]
              8 -> 0: x := 1
            thread Y()
              0 -> exit!: x := 7
        "#]],
    );
}

#[test]
fn nondeterministic_conditions() {
    check(
        "var x: int = 0; thread T { while * { if * { x := 1; } } if (*) { x := 2; } }",
        expect![[r#"
        var x: int = [0]
        thread T()
          0 -> 2: skip
          0 -> 4: skip
          2 -> 3: skip
          2 -> 0: skip
          3 -> 0: x := 1
          4 -> 5: skip
          4 -> exit!: skip
          5 -> exit!: x := 2
    "#]],
    );
}

#[test]
fn jumps_are_no_steps() {
    check(
        "var x: int = 0; thread T { again: x := x + 1; while x < 9 { if x == 3 { break; } if x == 4 { continue; } x := x + 2; }
         if x == 7 { goto again; } if x == 8 { goto exit; } end: goto again; }",
        expect![[r#"
            var x: int = [0]
            thread T()
              again -> 2: x := (x + 1)
              2 -> 3: [(x < 9)]
              2 -> 6: [(x >= 9)]
              3 -> 6: [(x == 3)]
              3 -> 4: [(x != 3)]
              4 -> 2: [(x == 4)]
              4 -> 5: [(x != 4)]
              5 -> 2: x := (x + 2)
              6 -> again: [(x == 7)]
              6 -> 7: [(x != 7)]
              7 -> exit!: [(x == 8)]
              7 -> end: [(x != 8)]
              end -> again: skip
        "#]],
    );
}

#[test]
fn loop_invariants_are_checked_at_the_head() {
    check(
        "var x: int = 0; thread T { while x < 3 invariant x >= 0 invariant x <= 3 { x := x + 1; } }",
        expect![[r#"
        var x: int = [0]
        thread T()
          0 -> 2: check0 (x >= 0); check1 (x <= 3); [(x < 3)]
          0 -> exit!: check0 (x >= 0); check1 (x <= 3); [(x >= 3)]
          2 -> 0: x := (x + 1)
        check Assertion: the loop invariant `x >= 0` does not hold
        check Assertion: the loop invariant `x <= 3` does not hold
    "#]],
    );
}

#[test]
fn atomic_blocks_are_single_edges() {
    check(
        "var x, y: int = 0; thread T { atomic { x := 1; y := x; } atomic { if x == 1 { x := 2; } else { x := 3; } y := 4; } atomic { } }",
        expect![[r#"
            var x: int = [0]
            var y: int = [0]
            thread T()
              0 -> 2: x := 1; y := x
              2 -> 3: [(x == 1)]; x := 2; y := 4
              2 -> 3: [(x != 1)]; x := 3; y := 4
              3 -> exit!: skip
        "#]],
    );
}

#[test]
fn atomic_loops_keep_an_atomic_location() {
    check(
        "var x: int = 0; thread T { atomic { while x < 3 { x := x + 1; } x := 0; } atomic { x := 1; again: x := x * 2; if x < 9 { goto again; } } }",
        expect![[r#"
            var x: int = [0]
            thread T()
              0 -> 2: skip
              atomic 2
              2 -> 2: [(x < 3)]; x := (x + 1)
              2 -> 3: [(x >= 3)]; x := 0
              3 -> again: x := 1
              atomic again
              again -> again: x := (x * 2); [(x < 9)]
              again -> exit!: x := (x * 2); [(x >= 9)]
        "#]],
    );
}

#[test]
fn a_jump_out_of_an_atomic_block_ends_it() {
    check(
        "var x: int = 0; thread T { while true { atomic { x := x + 1; if x > 3 { break; } x := x + 1; } skip; } }",
        expect![[r#"
            var x: int = [0]
            thread T()
              0 -> exit!: x := (x + 1); [(x > 3)]
              0 -> 2: x := (x + 1); [(x <= 3)]; x := (x + 1)
              2 -> 0: skip
        "#]],
    );
}

#[test]
fn await_tests_and_acts_at_once() {
    check(
        "var x: int = 0; thread T { await x == 0; await x == 0 do { x := 1; x := x + 1; } l: await x > 1 do { } }",
        expect![[r#"
        var x: int = [0]
        thread T()
          0 -> 2: [(x == 0)]
          2 -> l: [(x == 0)]; x := 1; x := (x + 1)
          l -> exit!: [(x > 1)]
    "#]],
    );
}

#[test]
fn havoc_takes_its_values_from_the_range() {
    check(
        "var x: int in 0..3 = 0; var y: int = 0; var b: bool[2] = false; thread T { havoc x; havoc x in 1..2; y := *; y := * in 0..9; havoc b[1]; }",
        expect![[r#"
            var x: int = [0]
            var y: int = [0]
            var b: bool[2] = [0, 0]
            thread T()
              0 -> 2: x := any 0..3
              2 -> 3: x := any 1..2
              3 -> 4: y := any int
              4 -> 5: y := any 0..9
              5 -> exit!: b[1] := any bool
        "#]],
    );
}

#[test]
fn undefined_operations_are_checked_before_use() {
    check(
        "var a: int[3] = 0; var i, x: int = 0;
         thread T { x := a[i]; a[i] := x; x := a[2]; x := 6 / x; x := i != 0 && 1 / i == 1 ? 7 % 2 : x << i; if a[i] == 0 { skip; } await a[i] > 0; }",
        expect![[r#"
            var a: int[3] = [0, 0, 0]
            var i: int = [0]
            var x: int = [0]
            thread T()
              0 -> 2: check0 ((i >= 0) && (i <= 2)); x := a[i]
              2 -> 3: check1 ((i >= 0) && (i <= 2)); a[i] := x
              3 -> 4: x := a[2]
              4 -> 5: check2 (x != 0); x := (6 / x)
              5 -> 6: check3 ((i != 0) ==> (i != 0)); check3 (!((i != 0) && ((1 / i) == 1)) ==> ((i >= 0) && (i <= 63))); x := (((i != 0) && ((1 / i) == 1)) ? 1 : (x << i))
              6 -> 7: check4 ((i >= 0) && (i <= 2)); [(a[i] == 0)]
              6 -> 8: check4 ((i >= 0) && (i <= 2)); [(a[i] != 0)]
              7 -> 8: skip
              8 -> exit!: check5 ((i >= 0) && (i <= 2)); [(a[i] > 0)]
            check Bounds: an index in `a[i]` is out of bounds
            check Bounds: an index in `a[i]` is out of bounds
            check Arithmetic: `6 / x` divides by zero or shifts by an impossible amount
            check Arithmetic: `i != 0 && 1 / i == 1 ? 7 % 2 : x << i` divides by zero or shifts by an impossible amount
            check Bounds: an index in `a[i] == 0` is out of bounds
            check Bounds: an index in `a[i] > 0` is out of bounds
        "#]],
    );
}

#[test]
fn ranges_are_kept() {
    check(
        "var x: int in 0..3 = 0; thread T { x := x + 1; x := 2; }",
        expect![[r#"
        var x: int = [0]
        thread T()
          0 -> 2: check0 (((x + 1) >= 0) && ((x + 1) <= 3)); x := (x + 1)
          2 -> exit!: x := 2
        check Assertion: `x` leaves its range 0..3
    "#]],
    );
}

#[test]
fn mutexes_hold_their_owner() {
    check(
        "var m: mutex; var f: mutex[2]; thread T { lock(m); lock(f[1]); assert m == this && f[0] == 0; unlock(m); }",
        expect![[r#"
        var m: int = [0]
        var f: int[2] = [0, 0]
        thread T()
          0 -> 2: [(m == 0)]; m := this
          2 -> 3: [(f[1] == 0)]; f[1] := this
          3 -> 4: check0 ((m == this) && (f[0] == 0))
          4 -> exit!: check1 (m == this); m := 0
        check Assertion: assertion `m == this && f[0] == 0` fails
        check Assertion: `m` is unlocked by a thread that does not hold it
    "#]],
    );
}

#[test]
fn lock_is_no_keyword() {
    check(
        "var lock, start, done: int = 0; thread T { lock := 1; done := start + lock; }",
        expect![[r#"
        var lock: int = [0]
        var start: int = [0]
        var done: int = [0]
        thread T()
          0 -> 2: lock := 1
          2 -> exit!: done := (start + lock)
    "#]],
    );
}

#[test]
fn replicated_threads_know_their_number() {
    check(
        "const N = 2; var a: int[N] = 0; thread W[N] { local v: int = me * 2; if me == 0 { a[me] := 1; } else { a[1 - me] := v; } }",
        expect![[r#"
            var a: int[2] = [0, 0]
            local of W[0]: v: int = [0]
            local of W[1]: v: int = [2]
            thread W[0]()
              0 -> 4: skip
              4 -> exit!: a[0] := 1
            thread W[1]()
              0 -> 3: skip
              3 -> exit!: a[0] := v
        "#]],
    );
}

#[test]
fn transitions() {
    check(
        "var x: int = 0; var go: bool = false;
         process p { local v: int = *; entry -> b: x := x + 1; spawn q(x); b -> b: go && v > 0; v := v - 1; assert v >= 0; b -> exit: await x > 3; havoc v; }
         process q(n: int) { entry -> done: n == 1; go := true; entry -> done: n != 1; }
         start p;",
        expect![[r#"
            var x: int = [0]
            var go: bool = [0]
            local of p: v: int = any int
            local of q: n: int = [0]
            thread p()
              entry -> b: x := (x + 1); spawn q(x)
              b -> b: [(go && (v > 0))]; v := (v - 1); check0 (v >= 0)
              b -> exit!: [(x > 3)]; v := any int
            spawned thread q(n)
              entry -> done!: [(n == 1)]; go := true
              entry -> done!: [(n != 1)]
            check Assertion: assertion `v >= 0` fails
        "#]],
    );
}

#[test]
fn transitions_and_statements_together() {
    check(
        "var x: int = 0; thread T { x := 1; a: skip; goto b; a -> b: x == 1; b -> a: x := 2; b -> end: x == 3; end -> exit: skip; }",
        expect![[r#"
            var x: int = [0]
            thread T()
              0 -> a: x := 1
              a -> b: skip
              a -> b: [(x == 1)]
              b -> a: x := 2
              b -> end: [(x == 3)]
              end -> exit!: skip
        "#]],
    );
}

#[test]
fn what_is_spawned_once_is_an_instance() {
    check(
        "var x: int = 0;
         process main { local t, u: thread; t := spawn p(1); u := spawn p(2); join t; join u; while * { spawn p(3); } }
         process p(n: int) { x := x + n; } start main;",
        expect![[r#"
            var x: int = [0]
            local of main: t: int = [0]
            local of main: u: int = [0]
            local of p#1: n: int = [0]
            local of p#2: n: int = [0]
            local of p: n: int = [0]
            thread main()
              0 -> 8: t := spawn p#1(1)
              8 -> 9: u := spawn p#2(2)
              9 -> 10: check0 (t != 0); join t
              10 -> 11: check1 (u != 0); join u
              11 -> 12: skip
              11 -> exit!: skip
              12 -> 11: spawn p(3)
            spawned thread p#1(n)
              0 -> exit!: x := (x + n)
            spawned thread p#2(n)
              0 -> exit!: x := (x + n)
            template p(n)
              0 -> exit!: x := (x + n)
            check Assertion: `t` holds no thread to join
            check Assertion: `u` holds no thread to join
        "#]],
    );
}

#[test]
fn what_spawns_itself_is_a_template() {
    check(
        "var x: int = 0; process p { x := x + 1; if x < 3 { spawn p; } } start p;",
        expect![[r#"
        var x: int = [0]
        thread p#1()
          0 -> 4: x := (x + 1)
          4 -> 5: [(x < 3)]
          4 -> exit!: [(x >= 3)]
          5 -> exit!: spawn p()
        template p()
          0 -> 4: x := (x + 1)
          4 -> 5: [(x < 3)]
          4 -> exit!: [(x >= 3)]
          5 -> exit!: spawn p()
    "#]],
    );
}

#[test]
fn processes_can_be_started_with_arguments() {
    check(
        "var x: int = 0; process p(n: int, b: bool) { if b { x := n; } } start p(1, true); start p(2, false);",
        expect![[r#"
        var x: int = [0]
        local of p#1: n: int = [1]
        local of p#1: b: bool = [1]
        local of p#2: n: int = [2]
        local of p#2: b: bool = [0]
        thread p#1()
          0 -> 4: [b]
          0 -> exit!: [!b]
          4 -> exit!: x := n
        thread p#2()
          0 -> 3: [b]
          0 -> exit!: [!b]
          3 -> exit!: x := n
    "#]],
    );
}

#[test]
fn any_thread_of_a_process_can_be_joined() {
    check(
        "var x: int = 0; process main { while * { spawn p; } join p; x := 1; } process p { if * { skip; } } start main;
         never #(p at exit) > 3 && p at exit;",
        expect![[r#"
            var x: int = [0]
            var p.ended: int = [0]
            thread main()
              0 -> 4: skip
              0 -> 5: skip
              4 -> 0: spawn p()
              5 -> 6: [(p.ended >= 1)]; p.ended := (p.ended - 1)
              6 -> exit!: x := 1
            template p()
              0 -> 5: skip
              0 -> exit!: p.ended := (p.ended + 1)
              5 -> exit!: p.ended := (p.ended + 1)
            always !((p.ended > 3) && (p.ended >= 1))
        "#]],
    );
}

#[test]
fn properties() {
    check(
        "var x: int = 0; var a: int[2] = 0; thread T { local v: int = 0; local b: bool[2] = true; cs: v := x; } thread W[2] { local v: int = 0; cs: v := 1; }
         requires x >= 0; ensures x == 0; never T at cs && W[0] at cs; invariant #(W at cs) <= 1 ==> W[1].v == 0; invariant T.b[1] <==> T at {entry, exit};
         never W at exit; invariant #(W) + #(T) <= 3; never #(W at {cs, exit} && v == me) > 1; invariant forall i in 0..1: a[i] == 0 || W[i] at cs;
         invariant a[x] == 10 / x; terminates; deadlock-free;",
        expect![[r#"
            var x: int = [0]
            var a: int[2] = [0, 0]
            local of T: v: int = [0]
            local of T: b: bool[2] = [1, 1]
            local of W[0]: v: int = [0]
            local of W[1]: v: int = [0]
            thread T()
              cs -> exit!: v := x
            thread W[0]()
              cs -> exit!: v := 1
            thread W[1]()
              cs -> exit!: v := 1
            requires (x >= 0)
            at end (x == 0)
            always !((#(T at cs) >= 1) && (#(W[0] at cs) >= 1))
            always (((#(W[0] at cs) + #(W[1] at cs)) <= 1) ==> (v == 0))
            always (b[1] == ((#(T at cs) >= 1) || (#(T at exit!) >= 1)))
            always !((#(W[0] at exit!) >= 1) || (#(W[1] at exit!) >= 1))
            always (((#(W[0]) + #(W[1])) + #(T)) <= 3)
            always ((((v == 0) ? (#(W[0] at cs) + #(W[0] at exit!)) : 0) + ((v == 1) ? (#(W[1] at cs) + #(W[1] at exit!)) : 0)) <= 1)
            always (((a[0] == 0) || (#(W[0] at cs) >= 1)) && ((a[1] == 0) || (#(W[1] at cs) >= 1)))
            always ((((x >= 0) && (x <= 1)) && (x != 0)) && (a[x] == (10 / x)))
            terminates
            deadlock-free
        "#]],
    );
}

#[test]
fn operators_bind_as_in_c() {
    check(
        "var x, y: int = 1; var p, q, r: bool = *;
         thread T { x := 1 + x * 2 - y % 3; x := x << 1 + 1; x := x & 1 | y ^ 3; p := (x & 1 | 2) < 3 ? true : false; }
         thread U { p := p || q && r ==> q ==> r <==> p; p := !p == q; x := -x + ~y; q := p ? q : r ? p : q; x := (p ? 1 : 2) + 1; }",
        expect![[r#"
            var x: int = [1]
            var y: int = [1]
            var p: bool = any bool
            var q: bool = any bool
            var r: bool = any bool
            thread T()
              0 -> 4: x := ((1 + (x * 2)) - (y % 3))
              4 -> 5: x := (x << 2)
              5 -> 6: x := ((x & 1) | (y ^ 3))
              6 -> exit!: p := ((((x & 1) | 2) < 3) ? true : false)
            thread U()
              0 -> 5: p := (((p || (q && r)) ==> (q ==> r)) == p)
              5 -> 6: p := (!p == q)
              6 -> 7: x := (-x + ~y)
              7 -> 8: q := (p ? q : (r ? p : q))
              8 -> exit!: x := ((p ? 1 : 2) + 1)
        "#]],
    );
}

#[test]
fn quantifiers_are_expanded_flat() {
    check(
        "var a: int[5] = 0; thread T { await forall i in 0..4: a[i] == 0; assert exists i in 0..1: forall j in 2..3: a[i] < a[j] + i; }",
        expect![[r#"
        var a: int[5] = [0, 0, 0, 0, 0]
        thread T()
          0 -> 2: [((((a[0] == 0) && (a[1] == 0)) && ((a[2] == 0) && (a[3] == 0))) && (a[4] == 0))]
          2 -> exit!: check0 (((a[0] < (a[2] + 0)) && (a[0] < (a[3] + 0))) || ((a[1] < (a[2] + 1)) && (a[1] < (a[3] + 1))))
        check Assertion: assertion `exists i in 0..1: forall j in 2..3: a[i] < a[j] + i` fails
    "#]],
    );
}

#[test]
fn constants_decide_conditions() {
    check(
        "const DEBUG = false; var x: int = 0; thread T { if DEBUG { x := 1; } while true { x := 2; if DEBUG { break; } } }",
        expect![[r#"
            var x: int = [0]
            thread T()
              0 -> 2: skip
              2 -> 3: x := 2
              3 -> 2: skip
        "#]],
    );
}
