//! Focus, constants, dead variables, arrays and atomic blocks.

use crate::check;
use expect_test::expect;
use rely_base::Id;
use rely_passes::{
    Focus, FoldConstants, InsertConstants, MergeAtomicBlocks, Pass, RemoveDeadVariables, SplitArrays,
};
use rely_program::{
    BinaryOp, Check, CheckKind, Domain, EdgeId, Expr, Goal, Initial, Op, Place, PropertyKind, SlotId, Sort,
    ThreadKind, Trace, TraceStep, Violation,
};
use rely_testing::sketch::{RUNNING, Sketch, increment, is, set};

#[test]
fn focus_assumes_or_drops_other_checks_and_drops_other_properties() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let assertion = sketch.check("x is small");
    let kind = CheckKind::Overflow;
    let overflow = sketch.builder.check(Check { kind, message: "x overflows".into(), span: None });
    let below = |bound| Expr::var(x).lt(Expr::int(bound));
    sketch.edge("entry", "exit", [Op::Check(below(9), overflow), Op::Check(below(3), assertion)]);
    sketch.property(PropertyKind::DeadlockFree);
    sketch.property(PropertyKind::Always(below(7)));
    let program = sketch.finish();
    let focused = Focus { goal: Goal::Assert }.apply(&program);
    assert_eq!(focused.1.property(0), 1);
    check(
        focused,
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          entry -> exit: assume x < 9; assert x < 3
        always x < 7
    "#]],
    );
    check(
        Focus { goal: Goal::Overflow }.apply(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          entry -> exit: check overflow x < 9; assume x < 3
    "#]],
    );
    check(
        Focus { goal: Goal::Deadlock }.apply(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          entry -> exit: skip
        deadlock-free
    "#]],
    );
}

#[test]
fn constants_are_followed_through_branches() {
    let mut sketch = Sketch::new();
    let (n, x) = (sketch.int("n"), sketch.int("x"));
    sketch.thread("T", RUNNING);
    let i = sketch.int("i");
    sketch.edge("entry", "a", [set(i, Expr::var(n).add(Expr::int(2)))]);
    sketch.edge("a", "b", [Op::wait(Expr::var(i).gt(Expr::int(5)))]);
    sketch.edge("b", "c", [set(x, Expr::int(7))]);
    sketch.edge("a", "c", [Op::wait(Expr::var(i).le(Expr::int(5)))]);
    let divide = Expr::binary(BinaryOp::Div, Expr::var(i), Expr::var(x));
    sketch.edge("c", "exit", [set(x, divide.mul(Expr::int(0)))]);
    check(
        FoldConstants.apply(&sketch.finish()),
        expect![[r#"
        program sketch
        var n: int = 0
        var x: int = 0
        thread T
          local i: int = 0
          entry -> a: i := 2
          a -> c: skip
          c -> exit: x := 2 / 0 * 0
    "#]],
    );
}

#[test]
fn inserted_constants_leave_reads_of_shared_variables() {
    let mut sketch = Sketch::new();
    let (n, x) = (sketch.int("n"), sketch.int("x"));
    sketch.thread("T", RUNNING);
    let i = sketch.int("i");
    sketch.edge("entry", "a", [set(i, Expr::int(2))]);
    let reads = Expr::var(n).mul(Expr::var(i).sub(Expr::int(2)));
    sketch.edge("a", "b", [set(x, reads), set(i, Expr::var(i).add(Expr::int(1)))]);
    sketch.edge("b", "c", [Op::wait(Expr::var(i).lt(Expr::int(3))), set(x, Expr::var(i))]);
    sketch.edge("b", "exit", [Op::wait(Expr::var(n).lt(Expr::var(i)))]);
    sketch.edge("c", "exit", [set(x, Expr::var(i))]);
    check(
        InsertConstants.apply(&sketch.finish()),
        expect![[r#"
        program sketch
        var n: int = 0
        var x: int = 0
        thread T
          local i: int = 0
          entry -> a: i := 2
          a -> b: x := n * 0; i := 3
          b -> c: [false]; x := i
          b -> exit: [n < 3]
          c -> exit: x := i
    "#]],
    );
}

#[test]
fn shared_variables_are_not_constant() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("A", RUNNING);
    sketch.edge("entry", "b", [set(x, Expr::int(1))]);
    sketch.edge("b", "exit", [Op::wait(is(x, 1))]);
    sketch.thread("B", RUNNING);
    sketch.edge("entry", "exit", [set(x, Expr::int(2))]);
    check(
        FoldConstants.apply(&sketch.finish()),
        expect![[r#"
        program sketch
        var x: int = 0
        thread A
          entry -> b: x := 1
          b -> exit: [x == 1]
        thread B
          entry -> exit: x := 2
    "#]],
    );
}

#[test]
fn an_abandoned_run_is_not_made_a_waiting_one() {
    let mut sketch = Sketch::new();
    sketch.thread("T", RUNNING);
    sketch.edge("entry", "a", [Op::assume(Expr::Bool(false))]);
    sketch.edge("entry", "b", [Op::wait(Expr::Bool(false))]);
    sketch.edge("a", "exit", []);
    check(
        FoldConstants.apply(&sketch.finish()),
        expect![[r#"
        program sketch
        thread T
          entry -> exit: assume false
    "#]],
    );
}

#[test]
fn an_edge_that_nobody_passes_goes_if_another_fails_in_its_place() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let (small, positive) = (sketch.check("x is small"), sketch.check("x is positive"));
    let is_small = |check| Op::Check(Expr::var(x).lt(Expr::int(3)), check);
    let never = || Op::wait(Expr::Bool(false));
    sketch.edge("entry", "a", [is_small(small), never()]);
    sketch.edge("entry", "b", [is_small(small), increment(x)]);
    // Nobody else fails in this way, and nothing is abandoned in the place of the last.
    sketch.edge("entry", "a", [is_small(small), Op::Check(is(x, 1), positive), never()]);
    sketch.edge("entry", "a", [is_small(small), Op::assume(Expr::Bool(false))]);
    sketch.edge("a", "exit", []);
    sketch.edge("b", "exit", []);
    sketch.thread("sharer", RUNNING);
    sketch.edge("entry", "exit", [increment(x)]);
    check(
        FoldConstants.apply(&sketch.finish()),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          entry -> b: assert x < 3; x := x + 1
          entry -> exit: assert x < 3; assert x == 1; [false]
          entry -> exit: assert x < 3; assume false
          b -> exit: skip
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
}

#[test]
fn what_nothing_depends_on_disappears() {
    let mut sketch = Sketch::new();
    let (x, statistics) = (sketch.int("x"), sketch.int("statistics"));
    let worker = sketch.thread("worker", ThreadKind::Template);
    let unused = sketch.int("unused");
    sketch.builder.parameter(worker, unused);
    sketch.edge("entry", "exit", [increment(statistics), increment(x)]);
    sketch.thread("main", RUNNING);
    let (handle, i) = (sketch.int("handle"), sketch.int("i"));
    let domain = Domain::Range { low: 0, high: 3 };
    let start =
        Op::Spawn { thread: worker, arguments: vec![Expr::var(i)], handle: Some(Place::Scalar(handle)) };
    sketch.edge("entry", "a", [Op::Havoc(Place::Scalar(i), domain), start]);
    // The first value is never looked at.
    sketch.edge("a", "b", [set(i, Expr::var(x)), Op::Havoc(Place::Scalar(i), domain)]);
    sketch.edge("b", "exit", [Op::wait(Expr::var(i).eq(Expr::var(x)))]);
    let program = sketch.finish();
    let (new, back) = RemoveDeadVariables.apply(&program);
    check(
        (new, back.clone()),
        expect![[r#"
        program sketch
        var x: int = 0
        template worker
          entry -> exit: x := x + 1
        thread main
          local i: int = 0
          entry -> a: spawn worker()
          a -> b: i := any 0..3
          b -> exit: [i == x]
    "#]],
    );
    let slot = SlotId::from_index;
    let step = |edge, choices: &[i128]| TraceStep {
        slot: slot(0),
        edge: EdgeId::from_index(edge),
        choices: choices.to_vec(),
    };
    let trace =
        Trace { initial: vec![], steps: vec![step(1, &[]), step(2, &[3])], violation: Violation::Deadlock };
    let old = back.trace(&trace).unwrap();
    assert_eq!(old.steps, [step(1, &[0]), step(2, &[3])], "choices that were dropped get some value");
}

#[test]
fn variables_that_tell_who_wrote_them_stay() {
    let mut sketch = Sketch::new();
    let lock = sketch.int("lock");
    let (owner, caller, same) = (sketch.int("owner"), sketch.int("caller"), sketch.int("same"));
    let (last, one) = (sketch.int("last"), sketch.int("one"));
    for (name, number) in [("T", 1), ("U", 2)] {
        sketch.thread(name, RUNNING);
        sketch.edge("entry", "a", [Op::wait(is(lock, 0)), set(lock, Expr::int(1))]);
        sketch.edge("a", "b", [set(owner, Expr::int(number)), set(same, Expr::int(1))]);
        sketch.edge("b", "c", [set(caller, Expr::This), set(last, Expr::var(lock).add(Expr::int(number)))]);
        sketch.edge("c", "exit", [set(lock, Expr::int(0)), set(owner, Expr::int(0))]);
    }
    // Only one thread has a value of its own here: the others cannot be told apart.
    sketch.thread("V", RUNNING);
    sketch.edge("entry", "exit", [set(one, Expr::int(5)), set(same, Expr::int(1))]);
    sketch.thread("worker", ThreadKind::Template);
    sketch.edge("entry", "exit", [set(one, Expr::int(6))]);
    check(
        RemoveDeadVariables.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var lock: int = 0
            var owner: int = 0
            var caller: int = 0
            thread T
              entry -> a: [lock == 0]; lock := 1
              a -> b: owner := 1
              b -> c: caller := this
              c -> exit: lock := 0; owner := 0
            thread U
              entry -> a: [lock == 0]; lock := 1
              a -> b: owner := 2
              b -> c: caller := this
              c -> exit: lock := 0; owner := 0
            thread V
              entry -> exit: skip
            template worker
              entry -> exit: skip
        "#]],
    );
}

#[test]
fn cells_with_known_indices_become_variables() {
    let mut sketch = Sketch::new();
    let any = Initial::Any(Domain::Range { low: 0, high: 7 });
    let known = sketch.var("known", Sort::Int, Some(2), any.clone());
    let unknown = sketch.var("unknown", Sort::Int, Some(2), any);
    let cell = |array, index| Place::Element(array, Expr::int(index));
    sketch.thread("T", RUNNING);
    sketch.edge("entry", "a", [Op::assign(cell(known, 1), cell(known, 0).read())]);
    let computed = Expr::element(unknown, cell(known, 1).read());
    sketch.edge("a", "exit", [Op::assign(cell(unknown, 0), computed)]);
    let (new, back) = SplitArrays.apply(&sketch.finish());
    let last = new.vars().ids().last().unwrap();
    assert_eq!(back.place(last), cell(known, 1));
    let trace = Trace { initial: vec![1, 2, 3, 4], steps: vec![], violation: Violation::Deadlock };
    assert_eq!(back.trace(&trace).unwrap().initial, [3, 4, 1, 2], "`unknown` comes first now");
    check(
        (new, back),
        expect![[r#"
        program sketch
        var unknown: int[2] = any 0..7
        var known[0]: int = any 0..7
        var known[1]: int = any 0..7
        thread T
          entry -> a: known[1] := known[0]
          a -> exit: unknown[0] := unknown[known[1]]
    "#]],
    );
}

#[test]
fn paths_through_atomic_blocks_become_edges() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    sketch.edge("entry", "<a>", []);
    sketch.edge("<a>", "<b>", [Op::wait(is(x, 0)), increment(x)]);
    sketch.edge("<a>", "<b>", [Op::wait(is(x, 1))]);
    sketch.edge("<b>", "exit", [increment(x)]);
    check(
        MergeAtomicBlocks.apply(&sketch.finish()),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          entry -> exit: [x == 0]; x := x + 1; x := x + 1
          entry -> exit: [x == 1]; x := x + 1
    "#]],
    );
}

#[test]
fn loops_in_atomic_blocks_stay() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    sketch.edge("entry", "<head>", []);
    sketch.edge("<head>", "<body>", [Op::wait(Expr::var(x).lt(Expr::int(3)))]);
    sketch.edge("<body>", "<head>", [increment(x)]);
    sketch.edge("<head>", "exit", [Op::wait(Expr::var(x).ge(Expr::int(3)))]);
    check(
        MergeAtomicBlocks.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            thread T
              entry -> <head>: skip
              <head> -> exit: [x >= 3]
              <head> -> <head>: [x < 3]; x := x + 1
        "#]],
    );
}

#[test]
fn what_a_step_overwrites_or_finds_is_not_written() {
    let mut sketch = Sketch::new();
    let (x, y, lock) = (sketch.int("x"), sketch.int("y"), sketch.int("lock"));
    for name in ["T", "U"] {
        sketch.thread(name, RUNNING);
        // Taken and released in one step: nothing happens to the lock.
        let taken = [Op::wait(is(lock, 0)), set(lock, Expr::This)];
        let released = [increment(x), set(lock, Expr::int(0))];
        sketch.edge("entry", "a", taken.into_iter().chain(released));
        // Looked at in between, or changed since.
        sketch.edge("a", "b", [set(x, Expr::int(5)), set(y, Expr::var(x)), set(x, Expr::int(0))]);
        sketch.edge("b", "c", [Op::wait(is(x, 3)), increment(x), set(x, Expr::int(3))]);
        sketch.edge("c", "exit", [set(y, Expr::int(1)), set(y, Expr::int(2)), Op::Halt]);
    }
    sketch.property(PropertyKind::Always(Expr::var(x).add(Expr::var(y)).le(Expr::var(lock))));
    check(
        RemoveDeadVariables.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            var y: int = 0
            var lock: int = 0
            thread T
              entry -> a: [lock == 0]; x := x + 1
              a -> b: x := 5; y := x; x := 0
              b -> c: [x == 3]
              c -> exit: y := 2; halt
            thread U
              entry -> a: [lock == 0]; x := x + 1
              a -> b: x := 5; y := x; x := 0
              b -> c: [x == 3]
              c -> exit: y := 2; halt
            always x + y <= lock
        "#]],
    );
}

#[test]
fn a_lock_that_protects_everything_disappears() {
    let mut sketch = Sketch::new();
    let (x, lock) = (sketch.int("x"), sketch.int("lock"));
    for name in ["T", "U"] {
        sketch.thread(name, RUNNING);
        let check = sketch.check("x is small");
        sketch.edge("entry", "a", [Op::wait(is(lock, 0)), set(lock, Expr::This)]);
        sketch.edge("a", "b", [increment(x)]);
        sketch.edge("b", "c", [Op::Check(Expr::var(x).le(Expr::int(2)), check)]);
        sketch.edge("c", "exit", [set(lock, Expr::int(0))]);
    }
    check(
        rely_passes::prepare(&sketch.finish(), Goal::Assert),
        expect![[r#"
            program sketch
            var x: int = 0
            thread T
              entry -> exit: x := x + 1; assert x <= 2
            thread U
              entry -> exit: x := x + 1; assert x <= 2
        "#]],
    );
}
