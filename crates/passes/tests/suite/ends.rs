//! Where threads start and end.

use crate::check;
use crate::random::explorer::replay;
use expect_test::expect;
use rely_base::Id;
use rely_passes::{Compress, CriticalSections, Deadlocks, Pass, SliceSuffixes, SliceThreads, StartLater};
use rely_program::{
    EdgeId, Expr, Goal, Op, Program, PropertyKind, SlotId, ThreadId, ThreadKind, Trace, TraceStep, Violation,
};
use rely_testing::sketch::{RUNNING, SPAWNED, Sketch, increment, is, set, spawn};

/// `main` starts two threads, waits for them, and ends the program.
fn starts_and_joins(kind: impl FnOnce(ThreadId, &Program) -> Option<PropertyKind>) -> Program {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let wrong = sketch.check("x is small");
    let helpers = ["first", "second"].map(|name| {
        let helper = sketch.thread(name, SPAWNED);
        sketch.edge("entry", "a", [increment(x)]);
        sketch.edge("a", "exit", [Op::Check(Expr::var(x).lt(Expr::int(2)), wrong)]);
        helper
    });
    sketch.thread("main", RUNNING);
    sketch.edge("entry", "a", [spawn(helpers[0], None)]);
    sketch.edge("a", "b", [spawn(helpers[1], None)]);
    sketch.edge("b", "c", [Op::Join(Expr::int(1))]);
    sketch.edge("c", "d", [Op::Join(Expr::int(2))]);
    sketch.edge("d", "exit", [Op::Halt]);
    if let Some(kind) = kind(helpers[1], sketch.builder.program()) {
        sketch.property(kind);
    }
    sketch.finish()
}

#[test]
fn one_step_starts_all_and_nobody_waits_for_the_end() {
    check(
        rely_passes::prepare(&starts_and_joins(|_, _| None), Goal::Assert),
        expect![[r#"
        program sketch
        var x: int = 0
        spawned thread first
          entry -> a: x := x + 1
          a -> exit: assert x < 2
        spawned thread second
          entry -> a: x := x + 1
          a -> exit: assert x < 2
        thread main
          entry -> exit: spawn first(); spawn second()
    "#]],
    );
}

#[test]
fn a_start_that_a_property_sees_stays_where_it_is() {
    let seen = |helper, program: &Program| {
        let entry = program.threads()[helper].entry;
        Some(PropertyKind::Always(Expr::CountAt(entry).eq(Expr::int(0))))
    };
    check(
        Compress { deadlocks: Deadlocks::Preserve, sections: CriticalSections::Atomic }
            .apply(&starts_and_joins(seen)),
        expect![[r#"
        program sketch
        var x: int = 0
        spawned thread first
          entry -> a: x := x + 1
          a -> exit: assert x < 2
        spawned thread second
          entry -> a: x := x + 1
          a -> exit: assert x < 2
        thread main
          entry -> a: spawn first()
          a -> b: spawn second()
          b -> c: join first
          c -> d: join second
          d -> exit: halt
        always #(second at entry) == 0
    "#]],
    );
}

#[test]
fn several_starters_stay_apart() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let helper = sketch.thread("helper", SPAWNED);
    sketch.edge("entry", "exit", [increment(x)]);
    for name in ["A", "B"] {
        sketch.thread(name, RUNNING);
        sketch.edge("entry", "a", [Op::wait(is(x, 0)), set(x, Expr::int(1))]);
        sketch.edge("a", "exit", [spawn(helper, None)]);
    }
    check(
        Compress { deadlocks: Deadlocks::Preserve, sections: CriticalSections::Atomic }
            .apply(&sketch.finish()),
        expect![[r#"
        program sketch
        var x: int = 0
        spawned thread helper
          entry -> exit: x := x + 1
        thread A
          entry -> a: [x == 0]; x := 1
          a -> exit: spawn helper()
        thread B
          entry -> a: [x == 0]; x := 1
          a -> exit: spawn helper()
    "#]],
    );
}

#[test]
fn tails_stay_where_the_end_is_seen() {
    let unchanged = |program: &Program| {
        assert_eq!(SliceSuffixes.apply(program).0.to_string(), program.to_string());
    };
    unchanged(&starts_and_joins(|_, _| Some(PropertyKind::AtEnd(Expr::Bool(true)))));
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    // A joins B, and of B nobody knows whom it joins.
    for (name, joined) in [("A", Expr::int(2)), ("B", Expr::var(x))] {
        sketch.thread(name, RUNNING);
        sketch.edge("entry", "a", [increment(x)]);
        sketch.edge("a", "exit", [Op::Join(joined)]);
    }
    unchanged(&sketch.finish());
}

#[test]
fn a_tail_that_fails_or_shows_itself_stays() {
    let mut sketch = Sketch::new();
    let (x, y) = (sketch.int("x"), sketch.int("y"));
    sketch.thread("A", RUNNING);
    let wrong = sketch.check("x is small");
    let mine = sketch.int("mine");
    sketch.edge("entry", "a", [increment(x)]);
    sketch.edge("a", "b", [set(mine, Expr::var(x).add(Expr::var(y)))]);
    sketch.edge("b", "c", [increment(mine)]);
    sketch.edge("c", "exit", [Op::Check(is(mine, 2), wrong)]);
    sketch.thread("B", ThreadKind::Template);
    sketch.edge("entry", "a", []);
    sketch.edge("a", "exit", [set(y, Expr::int(1))]);
    sketch.thread("C", RUNNING);
    sketch.edge("entry", "exit", [set(y, Expr::int(2))]);
    sketch.thread("D", RUNNING);
    let copy = sketch.int("copy");
    sketch.edge("entry", "a", [set(copy, Expr::var(x))]);
    sketch.edge("a", "a", [Op::wait(Expr::var(x).lt(Expr::var(y)))]);
    sketch.edge("a", "exit", []);
    check(
        SliceSuffixes.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            var y: int = 0
            thread A
              local mine: int = 0
              entry -> a: x := x + 1
              a -> b: mine := x + y
              b -> c: mine := mine + 1
              c -> exit: assert mine == 2
            template B
              entry -> a: skip
              a -> exit: y := 1
            thread C
              entry -> exit: y := 2
            thread D
              local copy: int = 0
        "#]],
    );
}

#[test]
fn bystanders_do_nothing() {
    let mut sketch = Sketch::new();
    let (x, y, z) = (sketch.int("x"), sketch.int("y"), sketch.int("z"));
    // What B writes is read by A, who checks it; what A and D write is read by C and D alone.
    sketch.thread("A", RUNNING);
    let wrong = sketch.check("x is small");
    sketch.edge("entry", "a", [set(z, Expr::int(1))]);
    sketch.edge("a", "exit", [Op::Check(is(x, 0), wrong)]);
    let b = sketch.thread("B", SPAWNED);
    sketch.edge("entry", "exit", [set(x, Expr::var(y))]);
    sketch.thread("C", RUNNING);
    sketch.edge("entry", "exit", [Op::wait(is(z, 1)), increment(z)]);
    let d = sketch.thread("D", SPAWNED);
    sketch.edge("entry", "entry", [increment(z)]);
    // Who starts B matters, and who writes what B reads.
    sketch.thread("E", RUNNING);
    sketch.edge("entry", "a", [spawn(d, None)]);
    sketch.edge("a", "exit", [spawn(b, None)]);
    sketch.thread("F", RUNNING);
    sketch.edge("entry", "exit", [increment(y)]);
    check(
        SliceThreads.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            var y: int = 0
            var z: int = 0
            thread A
              entry -> a: z := 1
              a -> exit: assert x == 0
            spawned thread B
              entry -> exit: x := y
            thread C
            spawned thread D
            thread E
              entry -> a: spawn D()
              a -> exit: spawn B()
            thread F
              entry -> exit: y := y + 1
        "#]],
    );
}

#[test]
fn who_starts_what_another_waits_for_makes_a_difference() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let helper = sketch.thread("helper", SPAWNED);
    sketch.edge("entry", "exit", []);
    sketch.thread("starter", RUNNING);
    sketch.edge("entry", "exit", [spawn(helper, None)]);
    sketch.thread("waiter", RUNNING);
    let wrong = sketch.check("x is one");
    sketch.edge("entry", "a", [Op::Join(Expr::int(1))]);
    sketch.edge("a", "exit", [Op::Check(is(x, 1), wrong)]);
    let program = sketch.finish();
    assert_eq!(SliceThreads.apply(&program).0.to_string(), program.to_string());
}

#[test]
fn who_gives_what_a_property_looks_at_makes_a_difference() {
    let mut sketch = Sketch::new();
    let helper = sketch.thread("helper", SPAWNED);
    let given = sketch.int("given");
    sketch.builder.parameter(helper, given);
    sketch.edge("entry", "exit", []);
    sketch.property(PropertyKind::Always(is(given, 0)));
    sketch.thread("starter", RUNNING);
    let start = Op::Spawn { thread: helper, arguments: vec![Expr::int(1)], handle: None };
    sketch.edge("entry", "exit", [start]);
    sketch.thread("bystander", RUNNING);
    sketch.edge("entry", "exit", []);
    check(
        SliceThreads.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            spawned thread helper(given)
              local given: int = 0
            thread starter
              entry -> exit: spawn helper(1)
            thread bystander
            always helper.given == 0
        "#]],
    );
}

#[test]
fn a_thread_starts_at_its_loop_and_the_way_back_leads_there() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    sketch.edge("entry", "head", []);
    sketch.edge("head", "head", [Op::wait(Expr::var(x).lt(Expr::int(3))), increment(x)]);
    sketch.thread("stuck", RUNNING);
    sketch.edge("entry", "a", []);
    sketch.edge("a", "exit", [Op::wait(Expr::var(x).gt(Expr::int(3)))]);
    let program = sketch.finish();
    let (new, back) = StartLater.apply(&program);
    let step = |slot, edge| TraceStep {
        slot: SlotId::from_index(slot),
        edge: EdgeId::from_index(edge),
        choices: vec![],
    };
    let trace = Trace { initial: vec![], steps: vec![step(0, 0); 3], violation: Violation::Deadlock };
    assert_eq!(replay(&new, &trace), Ok(()));
    let old = back.trace(&trace).unwrap();
    assert_eq!(old.steps, [step(0, 0), step(0, 1), step(0, 1), step(0, 1), step(1, 2)]);
    assert_eq!(replay(&program, &old), Ok(()));
    check(
        (new, back),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          head -> head: [x < 3]; x := x + 1
        thread stuck
          a -> exit: [x > 3]
    "#]],
    );
}
