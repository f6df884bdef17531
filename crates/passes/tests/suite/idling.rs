//! Loops in which a thread only waits, and some that only look like them.

use super::check;
use expect_test::{Expect, expect};
use rely_passes::{DropIdleLoops, Pass};
use rely_program::{Expr, Op, Place, Value, VarId};
use rely_testing::sketch::{RUNNING, Sketch, is, set};

/// A thread that takes a spin lock by writing to it until it was 0, and another one that waits for it to be 0.
fn spinning(wrote: Value, others: impl FnOnce(&mut Sketch, VarId, VarId), expected: Expect) {
    let mut sketch = Sketch::new();
    let lock = sketch.int("lock");
    sketch.thread("first", RUNNING);
    let old = sketch.int("old");
    let swap = |wrote: Value| {
        Op::Assign(vec![(Place::Scalar(lock), Expr::int(wrote)), (Place::Scalar(old), Expr::Var(lock))])
    };
    let was_taken = Expr::Var(old).ne(Expr::int(0));
    sketch.edge("entry", "entry", [swap(wrote), Op::wait(was_taken)]);
    sketch.edge("entry", "in", [swap(1), Op::wait(is(old, 0))]);
    others(&mut sketch, lock, old);
    sketch.thread("second", RUNNING);
    sketch.edge("entry", "in", [Op::wait(is(lock, 0)), set(lock, Expr::int(1))]);
    sketch.edge("in", "exit", [set(lock, Expr::int(0))]);
    check(DropIdleLoops.apply(&sketch.finish()), expected);
}

#[test]
fn a_thread_that_looks_again_waits() {
    spinning(
        1,
        |sketch, lock, _| {
            sketch.edge("in", "exit", [set(lock, Expr::int(0))]);
        },
        expect![[r#"
            program sketch
            var lock: int = 0
            thread first
              local old: int = 0
              entry -> in: lock, old := 1, lock; [old == 0]
              in -> exit: lock := 0
            thread second
              entry -> in: [lock == 0]; lock := 1
              in -> exit: lock := 0
        "#]],
    );
}

/// Others would see that the lock is 2.
#[test]
fn what_is_written_matters() {
    spinning(
        2,
        |sketch, lock, _| {
            sketch.edge("in", "exit", [set(lock, Expr::int(0))]);
        },
        expect![[r#"
            program sketch
            var lock: int = 0
            thread first
              local old: int = 0
              entry -> entry: lock, old := 2, lock; [old != 0]
              entry -> in: lock, old := 1, lock; [old == 0]
              in -> exit: lock := 0
            thread second
              entry -> in: [lock == 0]; lock := 1
              in -> exit: lock := 0
        "#]],
    );
}

/// How often the thread has looked is known to itself.
#[test]
fn what_is_remembered_matters() {
    spinning(
        1,
        |sketch, lock, old| {
            sketch.edge("entry", "exit", [Op::wait(is(old, 1)), set(lock, Expr::int(0))]);
        },
        expect![[r#"
            program sketch
            var lock: int = 0
            thread first
              local old: int = 0
              entry -> entry: lock, old := 1, lock; [old != 0]
              entry -> in: lock, old := 1, lock; [old == 0]
              entry -> exit: [old == 1]; lock := 0
            thread second
              entry -> in: [lock == 0]; lock := 1
              in -> exit: lock := 0
        "#]],
    );
}

/// In between, the thread looks until the lock is free; and from there it might go elsewhere.
#[test]
fn loops_inside_of_loops() {
    let looking = |elsewhere: bool| {
        move |sketch: &mut Sketch, lock: VarId, old: VarId| {
            sketch.edge(
                "entry",
                "looking",
                [set(old, Expr::Var(lock)), Op::wait(Expr::Var(old).ne(Expr::int(0)))],
            );
            sketch.edge("looking", "looking", [Op::wait(is(lock, 1))]);
            sketch.edge("looking", "entry", [Op::wait(is(lock, 0))]);
            if elsewhere {
                sketch.edge("looking", "exit", [set(lock, Expr::int(0))]);
            }
            sketch.edge("in", "exit", [set(lock, Expr::int(0))]);
        }
    };
    spinning(
        1,
        looking(false),
        expect![[r#"
            program sketch
            var lock: int = 0
            thread first
              local old: int = 0
              entry -> in: lock, old := 1, lock; [old == 0]
              in -> exit: lock := 0
              looking -> entry: [lock == 0]
            thread second
              entry -> in: [lock == 0]; lock := 1
              in -> exit: lock := 0
        "#]],
    );
    spinning(
        1,
        looking(true),
        expect![[r#"
            program sketch
            var lock: int = 0
            thread first
              local old: int = 0
              entry -> in: lock, old := 1, lock; [old == 0]
              entry -> looking: old := lock; [old != 0]
              in -> exit: lock := 0
              looking -> entry: [lock == 0]
              looking -> exit: lock := 0
            thread second
              entry -> in: [lock == 0]; lock := 1
              in -> exit: lock := 0
        "#]],
    );
}
