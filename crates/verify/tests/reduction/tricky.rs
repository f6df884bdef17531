//! Programs that a reduction without one of its conditions would judge wrongly.

/// A program, the condition on which its verdict depends with the verdict that it would get without it, and what
/// is right.
pub struct Tricky {
    pub without: &'static str,
    pub model: &'static str,
    pub expected: &'static str,
}

pub const TRICKY: &[Tricky] = &[
    Tricky {
        without: "places, by which two who set a spin lock to the same value are never together: unknown or many states",
        model: "var spin, x: int = 0;
                thread A { local r: int = 0; await spin == 0 do { spin := 1; } r := x; x := r + 1; spin := 0; }
                thread B { local r: int = 0; await spin == 0 do { spin := 1; } r := x; x := r + 1; spin := 0; }
                ensures x == 2;",
        expected: "safe by reduction",
    },
    Tricky {
        without: "the condition that whoever frees a spin lock holds it: safe, although the third thread lets both in",
        model: "var spin, x: int = 0;
                thread A { local r: int = 0; await spin == 0 do { spin := 1; } r := x; x := r + 1; spin := 0; }
                thread B { local r: int = 0; await spin == 0 do { spin := 1; } r := x; x := r + 1; spin := 0; }
                thread C { spin := 0; }
                ensures x == 2;",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that whoever takes a spin lock has seen it free: safe, although the third thread takes it from its holder and gives it back",
        model: "var spin, x: int = 0;
                thread A { local r: int = 0; await spin == 0 do { spin := 1; } r := x; x := r + 1; spin := 0; }
                thread B { local r: int = 0; await spin == 0 do { spin := 1; } r := x; x := r + 1; spin := 0; }
                thread C { spin := 1; spin := 0; }
                ensures x == 2;",
        expected: "unsafe",
    },
    Tricky {
        without: "seeing a lock free and taking it in the same step: safe, although both may have seen it free",
        model: "var spin, x: int = 0;
                thread A { local r: int = 0; await spin == 0; spin := 1; r := x; x := r + 1; spin := 0; }
                thread B { local r: int = 0; await spin == 0; spin := 1; r := x; x := r + 1; spin := 0; }
                ensures x == 2;",
        expected: "unsafe",
    },
    Tricky {
        without: "remembering what an assumption says: unsafe, by a run that the assumption excludes",
        model: "var x, y: int = 0;
                thread A { y := 5; assume y == 0; x := 1; }
                thread B { assert x == 0; }",
        expected: "safe",
    },
    Tricky {
        without: "looking where forgotten values go: safe, since `y` seems to be looked at by assumptions only",
        model: "var x, y: int = 0;
                thread A { local r: int = 0; y := y + 1; assume y < 9; r := y; x := r; }
                thread B { assert x == 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "waiting for a forgotten value: unsafe, since nobody waits for `y` any more",
        model: "var x, y: int = 0;
                thread A { y := 1; assume y < 9; await y == 2; x := 1; }
                thread B { assert x == 0; }",
        expected: "safe",
    },
    Tricky {
        without: "the condition that nothing goes round in circles after a commit: safe, since the thread never leaves its block",
        model: "var m, x: int = 0;
                thread A { await m == 0 do { m := 1; } x := 1; while true { skip; } }
                thread B { await x == 1; assert false; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that no commit is in a loop of a block: safe, since nobody seems to come in between of two rounds",
        model: "var m: mutex; var x: int = 0;
                thread A { local i: int = 0; lock(m); while i < 2 { x := x + 1; unlock(m); lock(m); i := i + 1; } unlock(m); }
                thread B { lock(m); assert x != 1; unlock(m); }",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that all steps in a loop of a block are right movers: safe, since the loop seems to do nothing others see",
        model: "var m: mutex; var x, go: int = 0;
                thread A { lock(m); while go == 0 { x := x + 1; } unlock(m); }
                thread B { await x == 2; assert false; }",
        expected: "unsafe",
    },
    Tricky {
        without: "nothing: a loop under a lock is part of the block",
        model: "var m: mutex; var x, y: int = 0;
                thread A { local i: int = 0; lock(m); while i < 3 { x := x + 1; y := y + 1; i := i + 1; } unlock(m); }
                thread B { local r: int = 0; lock(m); r := x; assert r == y; unlock(m); }",
        expected: "safe by reduction",
    },
    Tricky {
        without: "the condition that nothing can block after a commit: safe, since the thread waits inside of its block",
        model: "var m, x, y: int = 0;
                thread A { await m == 0 do { m := 1; } x := 1; m := 0; await y == 1; }
                thread B { await x == 1; assert false; }",
        expected: "unsafe",
    },
    Tricky {
        without: "looking at what goes wrong in front of the test of a lock: safe, since the check never follows the section",
        model: "var m, g: int = 0;
                thread A { await m == 0 do { m := 1; } g := 1; m := 0; }
                thread B { atomic { assert m == 0; m := 2; } m := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the interference of others with what is held: safe, since a flag that is tested and set in two steps seems to be a lock",
        model: "var busy, x: int = 0;
                thread A { await busy == 0; busy := 1; x := x + 1; assert x == 1; x := x - 1; busy := 0; }
                thread B { await busy == 0; busy := 2; x := x + 1; assert x == 1; x := x - 1; busy := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the interference of others with what is held: safe, although somebody else gives the lock back",
        model: "var m, x: int = 0;
                thread A { await m == 0 do { m := 1; } x := x + 1; assert x == 1; x := x - 1; m := 0; }
                thread B { await m == 0 do { m := 2; } x := x + 1; assert x == 1; x := x - 1; m := 0; }
                thread C { m := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "comparing the values that are held: safe, although one who takes the lock and one who waits for that value are together",
        model: "var m, x: int = 0;
                thread A { await m == 0 do { m := 1; } x := 1; assert x == 1; m := 0; }
                thread B { await m == 1; x := 2; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that a property sees commits only: safe, since `x` is 1 only inside of a block",
        model: "var m: mutex; var x: int = 0;
                thread A { lock(m); x := 1; x := 0; unlock(m); }
                thread B { lock(m); unlock(m); }
                never x == 1;",
        expected: "unsafe",
    },
    Tricky {
        without: "comparing with those who have no lock: safe, since `x` is 1 only inside of a section",
        model: "var m: mutex; var x: int = 0;
                thread A { lock(m); x := 1; x := 0; unlock(m); }
                thread B { assert x == 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "comparing which lock is held: safe, since both accesses are in sections",
        model: "var m, n: mutex; var x: int = 0;
                thread A { local r: int = 0; lock(m); r := x; x := r + 1; unlock(m); }
                thread B { local r: int = 0; lock(n); r := x; x := r + 1; unlock(n); }
                ensures x == 2;",
        expected: "unsafe",
    },
    Tricky {
        without: "the end of what is held: safe, since the write seems to be in the section",
        model: "var m: mutex; var x: int = 0;
                thread A { local r: int = 0; lock(m); r := x; unlock(m); x := r + 1; }
                thread B { lock(m); x := x + 1; unlock(m); }
                ensures x == 2;",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that a halt leads outside: safe, since the block in which the program halts is never complete",
        model: "var m: mutex; var x: int = 0;
                thread A { lock(m); x := 1; halt; }
                thread B { await x == 1; assert false; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that nothing can block after a commit: safe, since no run goes on behind the assumption",
        model: "var m: mutex; var x: int = 0;
                thread A { lock(m); x := 1; assume false; }
                thread B { await x == 1; assert false; }",
        expected: "unsafe",
    },
    Tricky {
        without: "comparing both orders of two increments and a check: safe, since sums seem to commute with everything",
        model: "var x: int = 0;
                thread A { x := x + 1; x := x - 1; }
                thread B { assert x <= 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "comparing what two steps leave: safe, since 6 needs an addition between two multiplications",
        model: "var x: int = 1;
                thread A { x := 2 * x; x := 2 * x; }
                thread B { x := x + 1; }
                ensures x != 6;",
        expected: "unsafe",
    },
    Tricky {
        without: "comparing the values that are written: safe, since writes of the same value commute and here one is different",
        model: "var f: int = 0;
                thread A { f := 1; f := 1; }
                thread B { f := 2; await f == 1; f := 3; }
                ensures f != 1;",
        expected: "unsafe",
    },
    Tricky {
        without: "comparing the cells of arrays: safe, since the index may be another one",
        model: "var a: int[2] = 0;
                thread A { a[0] := 1; a[0] := 0; }
                thread B { local i: int in 0..1 = 0; havoc i; assert a[i] == 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "counting the units of a semaphore: safe, since who has taken one seems to be alone",
        model: "var s: int = 2; var x: int = 0;
                thread A { local r: int = 0; await s > 0 do { s := s - 1; } r := x; x := r + 1; s := s + 1; }
                thread B { local r: int = 0; await s > 0 do { s := s - 1; } r := x; x := r + 1; s := s + 1; }
                ensures x == 2;",
        expected: "unsafe",
    },
    Tricky {
        without: "the order in which a semaphore is given and taken: safe, since giving commutes with taking to the left only",
        model: "var s: int = 0;
                thread A { s := s + 1; s := s - 1; }
                thread B { await s > 0 do { s := s - 1; } assert false; }",
        expected: "unsafe",
    },
    Tricky {
        without: "looking at who has ended for certain: safe, since the write of the worker seems to come before the join begins",
        model: "var x: int = 0;
                process main { local t: thread; t := spawn worker; x := 1; join t; assert x == 1; }
                process worker { x := 0; }
                start main;",
        expected: "unsafe",
    },
    Tricky {
        without: "looking at who has started for certain: safe, since the worker seems to start after the second write",
        model: "var x: int = 0;
                process main { spawn worker; x := 1; x := 0; }
                process worker { assert x == 0; }
                start main;",
        expected: "unsafe",
    },
    Tricky {
        without: "telling the threads of a template apart: safe, since each of them seems to hold what it wrote",
        model: "var owner, x: int = 0;
                thread W[2] { owner := me + 1; x := x + 1; assert x == 1; x := x - 1; owner := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the readers of a lock: safe, since the writer seems to be alone although it does not ask for readers",
        model: "var w, r, x: int = 0;
                thread Reader { local a, b: int = 0; await w == 0 do { r := r + 1; } a := x; b := x; assert a == b; r := r - 1; }
                thread Writer { await w == 0 do { w := 1; } x := 1; w := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the way on which a lock was not taken: safe, since who only tries seems to hold it",
        model: "var m, x: int = 0;
                thread A { local got: int = 0; atomic { if m == 0 { m := 1; got := 1; } } x := x + 1; assert x == 1; x := x - 1; if got == 1 { m := 0; } }
                thread B { await m == 0 do { m := 2; } x := x + 1; assert x == 1; x := x - 1; m := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the index of a lock: safe, since both seem to take the lock of the array",
        model: "var m: int[2] = 0; var x: int = 0;
                thread A { await m[0] == 0 do { m[0] := 1; } x := x + 1; assert x == 1; x := x - 1; m[0] := 0; }
                thread B { await m[1] == 0 do { m[1] := 1; } x := x + 1; assert x == 1; x := x - 1; m[1] := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the value of an index: safe, since both seem to take the same lock",
        model: "var m: int[2] = 0; var x: int = 0;
                thread A { local i: int in 0..1 = 0; havoc i; await m[i] == 0 do { m[i] := 1; } x := x + 1; assert x == 1; x := x - 1; m[i] := 0; }
                thread B { await m[1] == 0 do { m[1] := 1; } x := x + 1; assert x == 1; x := x - 1; m[1] := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "looking at what goes wrong after a commit: safe, since the check seems to follow the section at once",
        model: "var m: mutex; var x, y: int = 0;
                thread A { lock(m); x := 1; unlock(m); assert y == 0; }
                thread B { y := 1; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that a property sees no location inside of a block: safe, since nobody seems to stand there",
        model: "var m, n: mutex; var x, y: int = 0;
                thread A { lock(m); c: x := 1; unlock(m); }
                thread B { lock(n); d: y := 1; unlock(n); }
                never A at c && B at d;",
        expected: "unsafe",
    },
    Tricky {
        without: "the index of an increment: safe, since both seem to add to the same cell",
        model: "var a: int[2] = 0;
                thread A { a[0] := a[0] + 1; a[1] := a[1] + 1; }
                thread B { local i: int in 0..1 = 0; havoc i; a[i] := 2 * a[i]; }
                ensures a[0] + a[1] == 2;",
        expected: "unsafe",
    },
    Tricky {
        without: "nothing: a section is one step",
        model: "var m: mutex; var x: int = 0;
                thread A { local r: int = 0; lock(m); r := x; x := r + 1; unlock(m); }
                thread B { local r: int = 0; lock(m); r := x; x := r + 1; unlock(m); }
                ensures x == 2;",
        expected: "safe by reduction",
    },
    Tricky {
        without: "nothing: sections inside of sections",
        model: "var m, n: mutex; var x, y: int = 0;
                thread A { lock(m); lock(n); x := x + 1; y := x; unlock(n); unlock(m); }
                thread B { lock(m); x := x + 1; lock(n); y := x; unlock(n); unlock(m); }
                ensures y == 2;",
        expected: "safe by reduction",
    },
    Tricky {
        without: "nothing: increments outside of a section",
        model: "var m: mutex; var x, y: int = 0;
                thread A { lock(m); y := y + 1; x := x + 1; y := y + 1; unlock(m); }
                thread B { lock(m); y := y + 2; x := x + 1; unlock(m); y := y + 5; }
                ensures y == 9;",
        expected: "safe by reduction",
    },
    Tricky {
        without: "nothing: who has started nobody, or waited for all, is alone",
        model: "var x, y: int = 0;
                process main { local t: thread; x := 1; y := 1; t := spawn worker; join t; x := x + 1; y := y + 1; assert x == y; }
                process worker { local r: int = 0; r := x; x := r + 1; r := y; y := r + 1; }
                start main;",
        expected: "safe by reduction",
    },
    Tricky {
        without: "places, by which readers exclude a writer: unknown or many states",
        model: "var l, x, y: int = 0;
                thread A { local p, q: int = 0; await l >= 0 do { l := l + 1; } p := x; q := y; l := l - 1; assert p == q; }
                thread B { local p, q: int = 0; await l >= 0 do { l := l + 1; } p := x; q := y; l := l - 1; assert p == q; }
                thread W { await l == 0 do { l := -1; } x := x + 1; y := y + 1; l := 0; }",
        expected: "safe by reduction",
    },
    Tricky {
        without: "the condition that readers do not exclude each other: safe, although two of them write",
        model: "var l, x: int = 0;
                thread A { local r: int = 0; await l >= 0 do { l := l + 1; } r := x; x := r + 1; l := l - 1; }
                thread B { local r: int = 0; await l >= 0 do { l := l + 1; } r := x; x := r + 1; l := l - 1; }
                thread W { await l == 0 do { l := -1; } x := 2 * x; l := 0; }
                ensures x >= 2;",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that everybody gives back only what it took: safe, although the third thread lets the writer in",
        model: "var l, x, y: int = 0;
                thread A { local p, q: int = 0; await l >= 0 do { l := l + 1; } p := x; q := y; l := l - 1; assert p == q; }
                thread W { await l == 0 do { l := -1; } x := x + 1; y := y + 1; l := 0; }
                thread C { await l > 0 do { l := l - 1; } await l == 0 do { l := 1; } }",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that a writer has seen that nobody reads: safe, although it only waits for other writers",
        model: "var l, x, y: int = 0;
                thread A { local p, q: int = 0; await l >= 0 do { l := l + 1; } p := x; q := y; l := l > 0 ? l - 1 : 0; assert p == q; }
                thread W { await l >= 0 do { l := -1; } x := x + 1; y := y + 1; l := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that a reader has seen that nobody writes: safe, although it reads whenever it likes",
        model: "var l, x, y: int = 0;
                thread A { local p, q: int = 0; l := l + 1; p := x; q := y; l := l - 1; assert p == q; }
                thread W { await l == 0 do { l := -1; } x := x + 1; y := y + 1; l := l + 1; }",
        expected: "unsafe",
    },
    Tricky {
        without: "the condition that what a thread holds is the same on every way to a place: safe, although the share may be missing",
        model: "var l, x, y: int = 0;
                thread A { local p, q, c: int = 0; havoc c in 0..1; if c == 1 { await l >= 0 do { l := l + 1; } } p := x; q := y; if c == 1 { l := l - 1; } assert p == q; }
                thread W { await l == 0 do { l := -1; } x := x + 1; y := y + 1; l := 0; }",
        expected: "unsafe",
    },
    Tricky {
        without: "how many hold a semaphore at once: safe, although there is room for two",
        model: "var s: int = 2; var x: int = 0;
                thread A { local r: int = 0; await s > 0 do { s := s - 1; } r := x; x := r + 1; s := s + 1; }
                thread B { local r: int = 0; await s > 0 do { s := s - 1; } r := x; x := r + 1; s := s + 1; }
                ensures x == 2;",
        expected: "unsafe",
    },
    Tricky {
        without: "nothing: a semaphore of one is a lock",
        model: "var s: int = 1; var x: int = 0;
                thread A { local r: int = 0; await s > 0 do { s := s - 1; } r := x; x := r + 1; s := s + 1; }
                thread B { local r: int = 0; await s > 0 do { s := s - 1; } r := x; x := r + 1; s := s + 1; }
                ensures x == 2;",
        expected: "safe by reduction",
    },
];
