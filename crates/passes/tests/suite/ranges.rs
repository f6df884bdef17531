//! Conditions that follow from the ranges of variables.

use crate::check;
use expect_test::expect;
use rely_passes::{Pass, RemoveDeadVariables, UseRanges};
use rely_program::{BinaryOp, Domain, Expr, Initial, IntType, Op, Place, Sort, ThreadKind, VarId};
use rely_testing::sketch::{RUNNING, SPAWNED, Sketch, increment, is, set, spawn};

const BYTE: IntType = IntType { bits: 8, signed: false };

fn between(var: VarId, low: i128, high: i128) -> Op {
    Op::wait(Expr::var(var).between(low, high))
}

#[test]
fn what_is_written_to_a_shared_variable_bounds_what_is_read() {
    let mut sketch = Sketch::new();
    let (shared, bits) = (sketch.int("shared"), sketch.int("bits"));
    let helper = sketch.thread("helper", SPAWNED);
    let given = sketch.int("given");
    sketch.builder.parameter(helper, given);
    sketch.edge("entry", "a", [between(given, 0, 1), set(shared, Expr::var(given))]);
    sketch.edge("a", "exit", [increment(bits)]);
    sketch.thread("main", RUNNING);
    let mine = sketch.int("mine");
    let start = Op::Spawn { thread: helper, arguments: vec![Expr::int(1)], handle: None };
    sketch.edge("entry", "a", [start, set(mine, Expr::var(shared))]);
    sketch.edge("a", "b", [between(mine, 0, 1), between(shared, 0, 1), Op::wait(is(shared, 0))]);
    sketch.edge("b", "c", [Op::wait(Expr::var(bits).ge(Expr::int(0))), between(bits, 0, 9)]);
    sketch.edge("c", "exit", [set(mine, Expr::int(1).sub(Expr::var(mine)).wrap(BYTE))]);
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var shared: int = 0
            var bits: int = 0
            spawned thread helper(given)
              local given: int = 0
              entry -> a: [true]; shared := 1
              a -> exit: bits := 1
            thread main
              local mine: int = 0
              entry -> a: spawn helper(1); mine := shared
              a -> b: [true]; [true]; [shared == 0]
              b -> c: [true]; [true]
              c -> exit: mine := 1 - mine
        "#]],
    );
}

#[test]
fn a_condition_that_was_passed_decides_later_ones() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let mine = sketch.int("mine");
    let above = |bound| Op::wait(Expr::var(mine).gt(Expr::int(bound)));
    sketch.edge("entry", "a", [Op::Havoc(Place::Scalar(mine), Domain::AllInts), above(1)]);
    sketch.edge("a", "b", [above(0), above(1), above(2)]);
    sketch.edge("a", "exit", [Op::wait(Expr::int(1).ge(Expr::var(mine))), increment(x)]);
    // Behind a write nothing of it is left.
    sketch.edge("b", "c", [set(mine, Expr::var(x)), above(1)]);
    sketch.edge("c", "exit", [Op::wait(Expr::var(mine).gt(Expr::int(5)).negate()), above(4), above(5)]);
    sketch.thread("other", RUNNING);
    sketch.edge("entry", "entry", [Op::Havoc(Place::Scalar(x), Domain::AllInts)]);
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local mine: int = 0
          entry -> a: mine := any int; [mine > 1]
          a -> b: [true]; [true]; [mine > 2]
          a -> exit: [false]; x := x + 1
          b -> c: mine := x; [mine > 1]
          c -> exit: [mine <= 5]; [mine > 4]; [false]
        thread other
          entry -> entry: x := any int
    "#]],
    );
}

#[test]
fn loops_end_with_what_their_condition_says() {
    let mut sketch = Sketch::new();
    sketch.thread("T", RUNNING);
    let i = sketch.int("i");
    sketch.edge("entry", "head", []);
    sketch.edge("head", "body", [Op::wait(Expr::var(i).lt(Expr::int(100)))]);
    sketch.edge("body", "head", [between(i, 0, 99), increment(i)]);
    sketch.edge("head", "exit", [Op::wait(Expr::var(i).ge(Expr::int(100))), between(i, 0, 100)]);
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            thread T
              local i: int = 0
              entry -> head: skip
              head -> body: [i < 100]
              head -> exit: [i >= 100]; [true]
              body -> head: [true]; i := i + 1
        "#]],
    );
}

#[test]
fn what_may_be_undefined_stays() {
    let mut sketch = Sketch::new();
    let cells = sketch.var("cells", Sort::Int, Some(2), Initial::Values(vec![0, 1]));
    sketch.thread("T", RUNNING);
    let any = Initial::Any(Domain::Range { low: 0, high: 1 });
    let i = sketch.var("i", Sort::Int, None, any);
    let quotient = Expr::binary(BinaryOp::Rem, Expr::int(1), Expr::var(i));
    let is_known = |value: Expr| Op::wait(value.le(Expr::int(1)));
    sketch.edge("entry", "a", [is_known(quotient.mul(Expr::int(0)))]);
    sketch.edge("a", "b", [is_known(Expr::element(cells, Expr::var(i).add(Expr::int(1))))]);
    sketch.edge("b", "exit", [is_known(Expr::element(cells, Expr::int(1)))]);
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
        program sketch
        var cells: int[2] = 0, 1
        thread T
          local i: int = any 0..1
          entry -> a: [1 % i * 0 <= 1]
          a -> b: [cells[i + 1] <= 1]
          b -> exit: [true]
    "#]],
    );
}

#[test]
fn what_a_thread_wrote_is_only_mixed_with_what_others_write() {
    let mut sketch = Sketch::new();
    let (quantum, count, size) = (sketch.int("quantum"), sketch.int("count"), sketch.int("size"));
    for name in ["loader", "reader"] {
        sketch.thread(name, RUNNING);
        let mine = sketch.int("mine");
        // Before it wrote, the initial value may still be there.
        sketch.edge("entry", "a", [between(quantum, 1, 40), set(quantum, Expr::int(40))]);
        sketch.edge("a", "b", [set(count, Expr::int(10)), set(mine, Expr::var(quantum))]);
        sketch.edge("b", "exit", [set(size, Expr::var(mine).mul(Expr::var(count)))]);
    }
    sketch.thread("watcher", RUNNING);
    sketch.edge(
        "entry",
        "exit",
        [Op::wait(is(quantum, 40)), between(quantum, 1, 40), set(size, Expr::int(7))],
    );
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var quantum: int = 0
            var count: int = 0
            var size: int = 0
            thread loader
              local mine: int = 0
              entry -> a: [false]; quantum := 40
              a -> b: count := 10; mine := quantum
              b -> exit: size := mine * count
            thread reader
              local mine: int = 0
              entry -> a: [false]; quantum := 40
              a -> b: count := 10; mine := quantum
              b -> exit: size := mine * count
            thread watcher
              entry -> exit: [false]; [quantum >= 1 && quantum <= 40]; size := 7
        "#]],
    );
}

#[test]
fn instances_of_a_template_write_between_the_steps_of_each_other() {
    let mut sketch = Sketch::new();
    let shared = sketch.int("shared");
    let any = sketch.thread("any", ThreadKind::Template);
    sketch.edge("entry", "a", [set(shared, Expr::int(1)), between(shared, 1, 1)]);
    sketch.edge("a", "b", [between(shared, 1, 1), between(shared, 1, 2)]);
    sketch.edge("b", "exit", [Op::wait(is(shared, 1)), set(shared, Expr::var(shared).add(Expr::int(1)))]);
    sketch.thread("main", RUNNING);
    sketch.edge("entry", "entry", [spawn(any, None)]);
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var shared: int = 0
            template any
              entry -> a: shared := 1; [true]
              a -> b: [true && shared <= 1]; [true]
              b -> exit: [shared == 1]; shared := 2
            thread main
              entry -> entry: spawn any()
        "#]],
    );
}

#[test]
fn instances_of_a_template_have_locals_of_their_own() {
    let mut sketch = Sketch::new();
    let any = sketch.thread("any", ThreadKind::Template);
    let own = sketch.int("own");
    sketch.edge("entry", "a", [Op::wait(is(own, 0)), set(own, Expr::int(1))]);
    sketch.edge("a", "b", [Op::wait(is(own, 1)), set(own, Expr::int(2))]);
    sketch.edge("b", "exit", [Op::wait(is(own, 1))]);
    sketch.thread("main", RUNNING);
    sketch.edge("entry", "entry", [spawn(any, None)]);
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            template any
              local own: int = 0
              entry -> a: [true]; own := 1
              a -> b: [true]; own := 2
              b -> exit: [false]
            thread main
              entry -> entry: spawn any()
        "#]],
    );
}

#[test]
fn what_is_there_already_is_not_written_again() {
    let mut sketch = Sketch::new();
    let (shared, other) = (sketch.int("shared"), sketch.int("other"));
    sketch.thread("T", RUNNING);
    let i = sketch.int("i");
    sketch.edge("entry", "a", [set(i, Expr::int(0)), set(shared, Expr::int(0)), set(other, Expr::int(0))]);
    sketch.edge("a", "b", [Op::wait(is(other, 1)), set(other, Expr::int(1)), increment(i)]);
    sketch.edge("b", "exit", [set(i, Expr::int(1)), set(i, Expr::int(0))]);
    sketch.thread("U", RUNNING);
    sketch.edge("entry", "exit", [set(other, Expr::int(1)), Op::wait(is(shared, 0))]);
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var shared: int = 0
            var other: int = 0
            thread T
              local i: int = 0
              entry -> a: i := 0; other := 0
              a -> b: [other == 1]; i := 1
              b -> exit: i := 1; i := 0
            thread U
              entry -> exit: other := 1; [true]
        "#]],
    );
}

#[test]
fn what_nobody_looked_at_before_does_not_begin_to_matter() {
    let mut sketch = Sketch::new();
    let shared = sketch.int("shared");
    sketch.thread("T", RUNNING);
    let (i, unchanged) = (sketch.int("i"), sketch.check("it is unchanged"));
    sketch.edge("entry", "a", [set(i, Expr::var(shared))]);
    sketch.edge("a", "b", [set(i, Expr::int(0))]);
    sketch.edge("b", "exit", [Op::Check(Expr::var(i).eq(Expr::var(shared)), unchanged)]);
    sketch.thread("U", RUNNING);
    sketch.edge("entry", "exit", [increment(shared)]);
    // The source has set `i` to something else before, so the value that the result has must not count.
    let (without_dead, _) = RemoveDeadVariables.apply(&sketch.finish());
    check(
        UseRanges.apply(&without_dead),
        expect![[r#"
            program sketch
            var shared: int = 0
            thread T
              local i: int = 0
              entry -> a: skip
              a -> b: i := 0
              b -> exit: assert 0 == shared
            thread U
              entry -> exit: shared := 1
        "#]],
    );
}

#[test]
fn an_inner_loop_keeps_the_bounds_of_the_outer_one() {
    let mut sketch = Sketch::new();
    let shared = sketch.int("shared");
    sketch.thread("T", RUNNING);
    let i = sketch.int("i");
    sketch.edge("entry", "inner", [Op::wait(Expr::var(i).lt(Expr::int(1000)))]);
    sketch.edge("inner", "inner", [Op::wait(is(shared, 0))]);
    sketch.edge("inner", "entry", [between(i, 0, 999), increment(i)]);
    sketch.edge("entry", "exit", [Op::wait(Expr::var(i).ge(Expr::int(1000))), Op::wait(is(i, 1000))]);
    sketch.thread("U", RUNNING);
    sketch.edge("entry", "exit", [increment(shared)]);
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var shared: int = 0
            thread T
              local i: int = 0
              entry -> inner: [i < 1000]
              entry -> exit: [i >= 1000]; [true]
              inner -> inner: [shared == 0]
              inner -> entry: [true]; i := i + 1
            thread U
              entry -> exit: shared := 1
        "#]],
    );
}

#[test]
fn a_counter_keeps_its_step() {
    let mut sketch = Sketch::new();
    let (next, cells) =
        (sketch.int("next"), sketch.var("cells", Sort::Int, Some(64), Initial::Values(vec![0; 64])));
    let parity = |var: VarId| Expr::binary(BinaryOp::Rem, Expr::var(var), Expr::int(2));
    for name in ["left", "right"] {
        sketch.thread(name, RUNNING);
        let mine = sketch.int("mine");
        let room = Op::wait(Expr::var(next).le(Expr::int(63)));
        let taken = [room, set(mine, Expr::var(next)), set(next, Expr::var(next).add(Expr::int(2)))];
        sketch.edge("entry", "a", taken);
        let last = Expr::var(mine).add(Expr::int(1));
        sketch.edge(
            "a",
            "entry",
            [Op::wait(parity(mine).eq(Expr::int(0))), Op::wait(last.clone().le(Expr::int(63)))],
        );
        sketch.edge("a", "exit", [Op::assign(Place::Element(cells, last), Expr::int(1))]);
    }
    check(
        UseRanges.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var next: int = 0
            var cells: int[64] = 0
            thread left
              local mine: int = 0
              entry -> a: [next <= 63]; mine := next; next := next + 2
              a -> entry: [true]; [true]
              a -> exit: cells[mine + 1] := 1
            thread right
              local mine: int = 0
              entry -> a: [next <= 63]; mine := next; next := next + 2
              a -> entry: [true]; [true]
              a -> exit: cells[mine + 1] := 1
        "#]],
    );
}
