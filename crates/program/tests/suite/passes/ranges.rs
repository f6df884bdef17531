//! Conditions that follow from the ranges of variables.

use super::check;
use crate::sketch::{RUNNING, SPAWNED, Sketch, increment, is, set};
use expect_test::expect;
use rely_program::passes;
use rely_program::{BinaryOp, Domain, Expr, Initial, IntType, Op, Place, Sort, VarId};

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
        passes::use_ranges(&sketch.finish()),
        expect![[r#"
        program sketch
        var shared: int = 0
        var bits: int = 0
        spawned thread helper(given)
          local given: int = 0
          entry -> a: [true]; shared := given
          a -> exit: bits := bits + 1
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
        passes::use_ranges(&sketch.finish()),
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
        passes::use_ranges(&sketch.finish()),
        expect![[r#"
            program sketch
            thread T
              local i: int = 0
              entry -> head: skip
              head -> body: [i < 100]
              head -> exit: [i >= 100]; [true && i <= 100]
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
        passes::use_ranges(&sketch.finish()),
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
