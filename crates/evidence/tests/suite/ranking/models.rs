//! Small programs all of whose runs end, with rankings made by hand.

use crate::common::program;
use rely_program::Program;

/// A program, and a proof that all of its runs end.
pub struct Model {
    pub name: &'static str,
    pub program: Program,
    pub proof: &'static str,
}

/// All of them.
pub fn all() -> Vec<Model> {
    vec![
        single_loop(),
        nested_loops(),
        two_loops(),
        lowered_bound(),
        shared_budget(),
        either_way(),
        started(),
        locked(),
        workers(),
        halting(),
        example_2(),
    ]
}

/// The program that a text means.
fn model(name: &'static str, source: &str, proof: &'static str) -> Model {
    Model { name, program: program(source), proof }
}

pub fn single_loop() -> Model {
    model(
        "single loop",
        "var x: int = *;
         process T { entry -> entry: x > 0; x := x - 1; entry -> exit: x <= 0; }
         start T;
         terminates;",
        "T @entry: true
         T @exit: true
         rank T @entry: 1, x
         rank T @exit: 0, 0",
    )
}

/// The inner loop starts again with any value.
pub fn nested_loops() -> Model {
    model(
        "nested loops",
        "process T { local i, j: int = *;
             entry -> inner: i > 0; i := i - 1; havoc j;
             inner -> inner: j > 0; j := j - 1;
             inner -> entry: j <= 0;
             entry -> exit: i <= 0; }
         start T;
         terminates;",
        "T @entry: true
         T @inner: true
         T @exit: true
         rank T @entry: 1, i, 0, 0
         rank T @inner: 1, i, 1, j
         rank T @exit: 0, 0, 0, 0",
    )
}

/// Two threads, each with a loop of its own.
pub fn two_loops() -> Model {
    model(
        "two loops",
        "var a, b: int = *;
         process A { entry -> entry: a > 0; a := a - 1; entry -> exit: a <= 0; }
         process B { entry -> entry: b > 0; b := b - 2; entry -> exit: b <= 0; }
         start A; start B;
         terminates;",
        "A @entry: true
         A @exit: true
         B @entry: true
         B @exit: true
         effect A @entry: true
         effect B @entry: true
         rank A @entry: 1, a
         rank A @exit: 0, 0
         rank B @entry: 1, b
         rank B @exit: 0, 0",
    )
}

/// One thread counts up to a bound that the other one lowers.
pub fn lowered_bound() -> Model {
    model(
        "lowered bound",
        "var n, m: int = *;
         process A { local i: int = 0; entry -> entry: i < n; i := i + 1; entry -> exit: i >= n; }
         process B { entry -> entry: m > 0; n := n - 3; m := m - 1; entry -> exit: m <= 0; }
         start A; start B;
         terminates;",
        "A @entry: true
         A @exit: true
         B @entry: true
         B @exit: true
         effect A @entry: true
         effect B @entry: n' <= n
         rank A @entry: 1, n - i
         rank A @exit: 0, 0
         rank B @entry: 1, m
         rank B @exit: 0, 0",
    )
}

/// Each thread gives the other one work, but less than it has done itself.
pub fn shared_budget() -> Model {
    model(
        "shared budget",
        "var a, b: int = *;
         process A { entry -> entry: a >= 2; a := a - 2; b := b + 1; entry -> exit: a <= 1; }
         process B { entry -> entry: b >= 2; b := b - 2; a := a + 1; entry -> exit: b <= 1; }
         start A; start B;
         requires a >= 0 && b >= 0;
         terminates;",
        "A @entry: a >= 0 & b >= 0
         A @exit: a >= 0 & b >= 0
         B @entry: a >= 0 & b >= 0
         B @exit: a >= 0 & b >= 0
         effect A @entry: a >= 0 & b >= 0 & a' >= 0 & b' >= 0
         effect B @entry: a >= 0 & b >= 0 & a' >= 0 & b' >= 0
         rank A @entry: 1, a + b
         rank A @exit: 0, a + b
         rank B @entry: 1, 0
         rank B @exit: 0, 0",
    )
}

/// Which variable is counted down depends on another one.
pub fn either_way() -> Model {
    model(
        "either way",
        "var left: bool = *;
         var x, y: int = *;
         process T {
             entry -> entry: left && x > 0; x := x - 1; havoc y;
             entry -> entry: !left && y > 0; y := y - 1; havoc x;
             entry -> exit: left && x <= 0;
             entry -> exit: !left && y <= 0; }
         start T;
         terminates;",
        "T @entry: true
         T @exit: true
         rank T @entry: left = 1 -> 1, x | 1, y
         rank T @exit: 0, 0",
    )
}

/// A child that runs down its argument while its parent waits.
pub fn started() -> Model {
    model(
        "started",
        "process main { local t: thread; entry -> a: t := spawn child(3); a -> exit: join t; }
         process child(v: int) { local w: int = 5;
             entry -> entry: v > 0; v := v - 1;
             entry -> second: v <= 0;
             second -> second: w > 0; w := w - 1;
             second -> exit: w <= 0; }
         start main;
         terminates;",
        "main @entry: child in {unstarted}
         main @a: t = 2 & child in {entry, second, exit}
         main @exit: true
         child @unstarted: true
         child @entry: true
         child @second: true
         child @exit: true
         effect main @entry: true
         effect main @a: true
         effect child @entry: true
         effect child @second: true
         rank main @entry: 2, 0
         rank main @a: 1, 0
         rank main @exit: 0, 0
         rank child @unstarted: 2, w - 5
         rank child @entry: 2, v
         rank child @second: 1, w
         rank child @exit: 0, 0",
    )
}

/// Who waits for the lock must know where the other one is.
pub fn locked() -> Model {
    model(
        "locked",
        "var lock: int = 0;
         process A { entry -> b: lock == 0; lock := 1; b -> exit: lock := 0; }
         process B { entry -> b: lock == 0; lock := 1; b -> exit: lock := 0; }
         start A; start B;
         terminates;",
        "A @entry: lock = 0 & B in {entry, exit} | lock = 1 & B in {b}
         A @b: lock = 1 & B in {entry, exit}
         A @exit: true
         B @entry: lock = 0 & A in {entry, exit} | lock = 1 & A in {b}
         B @b: lock = 1 & A in {entry, exit}
         B @exit: true
         effect A @entry: lock = 0 & lock' = 1 & B in {entry, exit}
         effect A @b: lock = 1 & lock' = 0 & B in {entry, exit}
         effect B @entry: lock = 0 & lock' = 1 & A in {entry, exit}
         effect B @b: lock = 1 & lock' = 0 & A in {entry, exit}
         rank A @entry: 2
         rank A @b: 1
         rank A @exit: 0
         rank B @entry: 2
         rank B @b: 1
         rank B @exit: 0",
    )
}

/// Any number of workers, each paid for by the one that makes it.
pub fn workers() -> Model {
    model(
        "workers",
        "var n: int = *;
         process main { entry -> entry: n > 0; n := n - 1; spawn worker(2); entry -> exit: n <= 0; }
         process worker(k: int) { entry -> entry: k > 0; k := k - 1; entry -> exit: k <= 0; }
         start main;
         terminates;",
        "main @entry: true
         main @exit: true
         worker @entry: k >= 0
         worker @exit: true
         effect main @entry: true
         effect worker @entry: true
         rank main @entry: 1, 4 * n
         rank main @exit: 0, 0
         rank worker @entry: 0, k + 1
         rank worker @exit: 0, 0",
    )
}

/// A step that halts the program is the last one.
pub fn halting() -> Model {
    model(
        "halting",
        "var x: int = *;
         process A { entry -> entry: x == 7; halt; entry -> b: x != 7; b -> exit: skip; }
         start A;
         terminates;",
        "A @entry: true
         A @b: true
         A @exit: true
         rank A @entry: 2
         rank A @b: 1
         rank A @exit: 0",
    )
}

/// Example 2 of RedComp: a loop between the locks of three threads.
pub fn example_2() -> Model {
    model(
        "example 2",
        "var x, y: int = 2;
         var mx, my: int = 0;
         process one { local a: int = *;
             entry -> l1: mx == 0; mx := 1;
             l1 -> head: a := x;
             head -> l2: a <= 4;
             l2 -> l3: my == 0; my := 1;
             l3 -> l4: y := y + a;
             l4 -> l5: my := 0;
             l5 -> l6: a := a + 1;
             l6 -> l7: my == 0; my := 1;
             l7 -> l8: y := y + a;
             l8 -> head: my := 0;
             head -> l9: a > 4;
             l9 -> l10: x := 2 * x + a;
             l10 -> exit: mx := 0; }
         process two { entry -> b: mx == 0; mx := 1; b -> c: x := x + 2; c -> exit: mx := 0; }
         process three { entry -> b: my == 0; my := 1; b -> c: y := y + 2; c -> exit: my := 0; }
         start one; start two; start three;
         terminates;",
        EXAMPLE_2,
    )
}

const EXAMPLE_2: &str =
    "one @entry: mx = 0 & two in {entry, exit} & my = 0 & three in {entry, exit} | mx = 0 & two in {entry, exit} & my = 1 & three in {b, c} | mx = 1 & two in {b, c} & my = 0 & three in {entry, exit} | mx = 1 & two in {b, c} & my = 1 & three in {b, c}
     one @l1: mx = 1 & two in {entry, exit} & my = 0 & three in {entry, exit} | mx = 1 & two in {entry, exit} & my = 1 & three in {b, c}
     one @head: mx = 1 & two in {entry, exit} & my = 0 & three in {entry, exit} | mx = 1 & two in {entry, exit} & my = 1 & three in {b, c}
     one @l2: a <= 4 & mx = 1 & two in {entry, exit} & my = 0 & three in {entry, exit} | a <= 4 & mx = 1 & two in {entry, exit} & my = 1 & three in {b, c}
     one @l3: a <= 4 & mx = 1 & two in {entry, exit} & my = 1 & three in {entry, exit}
     one @l4: a <= 4 & mx = 1 & two in {entry, exit} & my = 1 & three in {entry, exit}
     one @l5: a <= 4 & mx = 1 & two in {entry, exit} & my = 0 & three in {entry, exit} | a <= 4 & mx = 1 & two in {entry, exit} & my = 1 & three in {b, c}
     one @l6: a <= 5 & mx = 1 & two in {entry, exit} & my = 0 & three in {entry, exit} | a <= 5 & mx = 1 & two in {entry, exit} & my = 1 & three in {b, c}
     one @l7: a <= 5 & mx = 1 & two in {entry, exit} & my = 1 & three in {entry, exit}
     one @l8: a <= 5 & mx = 1 & two in {entry, exit} & my = 1 & three in {entry, exit}
     one @l9: mx = 1 & two in {entry, exit}
     one @l10: mx = 1 & two in {entry, exit}
     one @exit: true
     two @entry: mx = 0 & one in {entry, exit} | mx = 1 & one in {l1, head, l2, l3, l4, l5, l6, l7, l8, l9, l10}
     two @b: mx = 1 & one in {entry, exit}
     two @c: mx = 1 & one in {entry, exit}
     two @exit: true
     three @entry: my = 0 & one in {entry, l1, head, l2, l5, l6, l9, l10, exit} | my = 1 & one in {l3, l4, l7, l8}
     three @b: my = 1 & one in {entry, l1, head, l2, l5, l6, l9, l10, exit}
     three @c: my = 1 & one in {entry, l1, head, l2, l5, l6, l9, l10, exit}
     three @exit: true
     effect one @entry: mx = 0 & mx' = 1 & two in {entry, exit}
     effect one @l1: true
     effect one @head: true
     effect one @l2: my = 0 & my' = 1 & three in {entry, exit}
     effect one @l3: true
     effect one @l4: my = 1 & my' = 0 & three in {entry, exit}
     effect one @l5: true
     effect one @l6: my = 0 & my' = 1 & three in {entry, exit}
     effect one @l7: true
     effect one @l8: my = 1 & my' = 0 & three in {entry, exit}
     effect one @l9: true
     effect one @l10: mx = 1 & mx' = 0 & two in {entry, exit}
     effect two @entry: mx = 0 & mx' = 1 & one in {entry, exit}
     effect two @b: true
     effect two @c: mx = 1 & mx' = 0 & one in {entry, exit}
     effect three @entry: my = 0 & my' = 1 & one in {entry, l1, head, l2, l5, l6, l9, l10, exit}
     effect three @b: true
     effect three @c: my = 1 & my' = 0 & one in {entry, l1, head, l2, l5, l6, l9, l10, exit}
     rank one @entry: 5, 0, 0
     rank one @l1: 4, 0, 0
     rank one @head: 3, 5 - a, 9
     rank one @l2: 3, 5 - a, 8
     rank one @l3: 3, 5 - a, 7
     rank one @l4: 3, 5 - a, 6
     rank one @l5: 3, 5 - a, 5
     rank one @l6: 3, 6 - a, 4
     rank one @l7: 3, 6 - a, 3
     rank one @l8: 3, 6 - a, 2
     rank one @l9: 2, 0, 0
     rank one @l10: 1, 0, 0
     rank one @exit: 0, 0, 0
     rank two @entry: 3, 0, 0
     rank two @b: 2, 0, 0
     rank two @c: 1, 0, 0
     rank two @exit: 0, 0, 0
     rank three @entry: 3, 0, 0
     rank three @b: 2, 0, 0
     rank three @c: 1, 0, 0
     rank three @exit: 0, 0, 0";
