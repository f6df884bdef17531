//! Programs as they come out, in full.

use crate::common::program;
use expect_test::{Expect, expect};

fn check_lowering(text: &str, expected: Expect) {
    expected.assert_eq(&program(text).to_string());
}

#[test]
fn shared_reads_are_steps() {
    check_lowering(
        "int x, y; int main() { int l = x + 1; y = x + y * l; if (x > 0 && l) y = 0; }",
        expect![[r#"
            program test.i
            var x: int = 0
            var y: int = 0
            thread main
              local l: int = 0
              local $0: int = 0
              local $1: int = 0
              entry -> L2: check overflow x <= 2147483646; l := x + 1
              L2 -> L3: $0 := x
              L3 -> L4: check overflow y * l >= -2147483648 && y * l <= 2147483647; check overflow $0 + y * l >= -2147483648 && $0 + y * l <= 2147483647; $1 := $0 + y * l
              L4 -> L5: y := $1
              L5 -> L6: [x > 0 && l != 0]
              L5 -> L7: [!(x > 0 && l != 0)]
              L6 -> L7: y := 0
              L7 -> exit: halt
            assuming lp64-gcc
            assuming no-signed-overflow
        "#]],
    );
}

#[test]
fn threads_and_locks() {
    check_lowering(
        "typedef unsigned long pthread_t; typedef int pthread_mutex_t; int x; pthread_mutex_t m; \
         void *f(void *arg) { pthread_mutex_lock(&m); cs: x++; pthread_mutex_unlock(&m); return 0; } \
         int main() { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }",
        expect![[r#"
            program test.i
            var m: int = 0
            var x: int = 0
            thread main
              local t: int = 0
              local $0: int = 0
              entry -> L4: t := 0
              L4 -> L5: t := spawn f()
              L5 -> f.cs: [m == 0]; m := this
              f.cs -> L7: $0 := x
              L7 -> L8: check overflow $0 <= 2147483646; x := $0 + 1
              L8 -> L9: check bounds m == this; m := 0
              L9 -> L10: check bounds t != 0; join t
              L10 -> exit: halt
            template f
              local $0: int = 0
              entry -> cs: [m == 0]; m := this
              cs -> L12: $0 := x
              L12 -> L13: check overflow $0 <= 2147483646; x := $0 + 1
              L13 -> exit: check bounds m == this; m := 0
            assuming lp64-gcc
            assuming allocation-and-creation-succeed
            assuming sequential-consistency
            assuming no-signed-overflow
        "#]],
    );
}

#[test]
fn atomic_sections() {
    check_lowering(
        "int x, y; int main() { __VERIFIER_atomic_begin(); x = y; if (x) y = x + y; __VERIFIER_atomic_end(); x = 2; }",
        expect![[r#"
            program test.i
            var y: int = 0
            var x: int = 0
            thread main
              entry -> <L2>: x := y
              <L2> -> <L3>: [x != 0]
              <L2> -> L4: [x == 0]
              <L3> -> L4: check overflow x + y >= -2147483648 && x + y <= 2147483647; y := x + y
              L4 -> L5: x := 2
              L5 -> exit: halt
            assuming lp64-gcc
            assuming no-signed-overflow
        "#]],
    );
}

#[test]
fn calls_are_inlined() {
    check_lowering(
        "int x; int min(int a, int b) { if (a < b) return a; return b; } int get(int *p) { return *p; } \
         int main() { int k = min(get(&x), 3); x = k; }",
        expect![[r#"
            program test.i
            var x: int = 0
            thread main
              local min.a: int = 0
              local min.return: int = 0
              local k: int = 0
              entry -> L2: min.a := x
              L2 -> L3: [min.a < 3]
              L2 -> L4: [min.a >= 3]
              L3 -> L5: min.return := min.a
              L4 -> L5: min.return := 3
              L5 -> L6: k := min.return
              L6 -> L7: x := k
              L7 -> exit: halt
            assuming lp64-gcc
        "#]],
    );
}

#[test]
fn computed_pointers_are_choices() {
    check_lowering(
        "int a[3], x, *p = &x; int main() { p = &a[1]; *p = 2; return *p; }",
        expect![[r#"
        program test.i
        var p: int = 4096
        var x: int = 0
        var a: int[3] = 0
        thread main
          local $0: int = 0
          local $1: int = 0
          entry -> L2: p := 4116
          L2 -> L3: $0 := p
          L3 -> L4: [$0 == 4096]; x := 2
          L3 -> L4: [$0 >= 4112 && $0 <= 4123 && ($0 - 4112) % 4 == 0]; a[($0 - 4112) / 4] := 2
          L3 -> L4: [!($0 == 4096 || $0 >= 4112 && $0 <= 4123 && ($0 - 4112) % 4 == 0)]; check bounds false
          L4 -> L5: $0 := p
          L5 -> L6: [$0 == 4096]; $1 := x
          L5 -> L6: [$0 >= 4112 && $0 <= 4123 && ($0 - 4112) % 4 == 0]; $1 := a[($0 - 4112) / 4]
          L5 -> L6: [!($0 == 4096 || $0 >= 4112 && $0 <= 4123 && ($0 - 4112) % 4 == 0)]; check bounds false
          L6 -> exit: halt
        assuming lp64-gcc
    "#]],
    );
}

#[test]
fn checks_are_as_small_as_possible() {
    check_lowering(
        "unsigned u; unsigned char c; int i; int main() { u = u + 1; c = c + 1; i = i % 10 + c; i = -i; return i / u; }",
        expect![[r#"
            program test.i
            var u: int = 0
            var c: int = 0
            var i: int = 0
            thread main
              local $0: int = 0
              local $1: int = 0
              entry -> L2: $0 := u32(u + 1)
              L2 -> L3: u := $0
              L3 -> L4: $0 := u8(c + 1)
              L4 -> L5: c := $0
              L5 -> L6: $0 := i % 10
              L6 -> L7: $1 := $0 + c
              L7 -> L8: i := $1
              L8 -> L9: check overflow -i <= 2147483647; $0 := -i
              L9 -> L10: i := $0
              L10 -> L11: $0 := i
              L11 -> L12: check arithmetic u != 0; $1 := u32($0) / u
              L12 -> exit: halt
            assuming lp64-gcc
            assuming no-signed-overflow
        "#]],
    );
}

#[test]
fn conditions_and_choices() {
    check_lowering(
        "int x; int main() { int l = 0; if (__VERIFIER_nondet_int()) l = 1; switch (x) { case 1: l = 2; break; \
         default: l = 3; } __VERIFIER_assume(l < 5 && x); __VERIFIER_assert(x || l); while (x != 2); }",
        expect![[r#"
            program test.i
            var x: int = 0
            thread main
              local l: int = 0
              entry -> L2: l := 0
              L2 -> L3: skip
              L2 -> L5: skip
              L3 -> L5: l := 1
              L4 -> L7: l := 2
              L5 -> L4: [x == 1]
              L5 -> L6: [x != 1]
              L6 -> L7: l := 3
              L7 -> L8: [l < 5]
              L7 -> L9: [l >= 5]
              L8 -> L9: [x == 0]
              L8 -> L10: [x != 0]
              L9 -> exit: assume false
              L10 -> L11: assert x != 0 || l != 0
              L11 -> L11: [x != 2]
              L11 -> L12: [x == 2]
              L12 -> exit: halt
            assuming lp64-gcc
        "#]],
    );
}
