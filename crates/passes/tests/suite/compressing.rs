//! When local steps join their neighbours, and when they must not.

use crate::check;
use crate::random::explorer::{explore, replay};
use expect_test::expect;
use rely_base::Id;
use rely_passes::{BackMap, Compress, CriticalSections, Deadlocks, Pass};
use rely_program::{
    Check, CheckKind, Domain, EdgeId, Expr, Op, Place, Program, PropertyKind, SlotId, ThreadKind, Trace,
    TraceStep, VarId, Violation,
};
use rely_testing::sketch::{RUNNING, SPAWNED, Sketch, increment, is, set, spawn};

fn compress(program: &Program) -> (Program, BackMap) {
    Compress { deadlocks: Deadlocks::Preserve, sections: CriticalSections::Atomic }.apply(program)
}

/// Two threads that share `x`; `first` makes the automaton of the first from `x` and a local.
fn with_sharer(first: impl FnOnce(&mut Sketch, VarId, VarId)) -> Program {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let l = sketch.int("l");
    first(&mut sketch, x, l);
    sketch.thread("sharer", RUNNING);
    sketch.edge("entry", "exit", [increment(x)]);
    sketch.finish()
}

#[test]
fn local_steps_join_their_neighbours() {
    let program = with_sharer(|sketch, x, l| {
        sketch.edge("entry", "a", [set(l, Expr::int(1))]);
        sketch.edge("a", "b", [set(x, Expr::var(l))]);
        sketch.edge("b", "c", [increment(l)]);
        sketch.edge("c", "d", [set(l, Expr::var(x))]);
        sketch.edge("d", "e", [Op::wait(Expr::var(l).gt(Expr::int(0)))]);
        sketch.edge("d", "f", [Op::wait(Expr::var(l).le(Expr::int(0)))]);
        sketch.edge("e", "exit", [increment(l)]);
        sketch.edge("f", "exit", []);
    });
    check(
        compress(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> c: l := 1; x := l; l := l + 1
          c -> exit: l := x; [l > 0]; l := l + 1
          c -> exit: l := x; [l <= 0]
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
}

#[test]
fn an_effect_does_not_come_to_depend_on_a_later_condition() {
    let program = with_sharer(|sketch, x, l| {
        sketch.edge("entry", "a", [set(x, Expr::int(1))]);
        sketch.edge("a", "exit", [Op::assume(is(l, 1))]);
    });
    check(
        compress(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> a: x := 1
          a -> exit: assume l == 1
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
}

#[test]
fn a_choice_before_waiting_stays_where_deadlocks_matter() {
    let program = with_sharer(|sketch, x, l| {
        let any = Domain::Range { low: 0, high: 1 };
        sketch.edge("entry", "a", [Op::Havoc(Place::Scalar(l), any)]);
        sketch.edge("a", "exit", [Op::wait(Expr::var(x).eq(Expr::var(l)))]);
    });
    check(
        compress(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> a: l := any 0..1
          a -> exit: [x == l]
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
    check(
        Compress { deadlocks: Deadlocks::Ignore, sections: CriticalSections::Atomic }.apply(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> exit: l := any 0..1; [x == l]
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
}

#[test]
fn a_read_does_not_come_to_depend_on_a_local_wait_where_deadlocks_matter() {
    let program = with_sharer(|sketch, x, l| {
        sketch.edge("entry", "a", [set(l, Expr::var(x))]);
        sketch.edge("a", "exit", [Op::wait(is(l, 1))]);
    });
    check(
        compress(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> a: l := x
          a -> exit: [l == 1]
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
    check(
        Compress { deadlocks: Deadlocks::Ignore, sections: CriticalSections::Atomic }.apply(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> exit: l := x; [l == 1]
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
}

#[test]
fn a_failure_takes_the_place_of_another_only_for_the_same_goal() {
    let program = |kind| {
        with_sharer(|sketch, x, l| {
            let other = sketch.builder.check(Check { kind, message: "other".into(), span: None });
            let assertion = sketch.check("assertion");
            sketch.edge("entry", "a", [set(x, Expr::int(1))]);
            sketch.edge("a", "b", [Op::Check(is(l, 0), assertion)]);
            sketch.edge("b", "exit", [Op::Check(is(x, 1), other)]);
        })
    };
    check(
        compress(&program(CheckKind::Overflow)),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> a: x := 1
          a -> exit: assert l == 0; check overflow x == 1
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
    check(
        compress(&program(CheckKind::Bounds)),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> b: x := 1; assert l == 0
          b -> exit: check bounds x == 1
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
}

#[test]
fn joins_are_no_local_steps_and_a_start_only_comes_forward() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let helper = sketch.thread("helper", SPAWNED);
    sketch.edge("entry", "exit", [increment(x)]);
    sketch.thread("main", RUNNING);
    let handle = sketch.int("handle");
    sketch.edge("entry", "a", [increment(x)]);
    sketch.edge("a", "b", [spawn(helper, Some(handle))]);
    sketch.edge("b", "c", [increment(x)]);
    sketch.edge("c", "d", [Op::Join(Expr::var(handle))]);
    sketch.edge("d", "exit", [increment(x)]);
    check(
        compress(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            spawned thread helper
              entry -> exit: x := x + 1
            thread main
              local handle: int = 0
              entry -> b: x := x + 1; handle := spawn helper()
              b -> c: x := x + 1
              c -> d: join handle
              d -> exit: x := x + 1
        "#]],
    );
}

#[test]
fn nothing_is_joined_behind_a_halt() {
    let program = with_sharer(|sketch, x, l| {
        sketch.edge("entry", "a", [Op::Halt]);
        sketch.edge("a", "exit", [increment(l)]);
        sketch.edge("b", "a", [increment(x)]);
    });
    check(
        compress(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> a: halt
          a -> exit: l := l + 1
          b -> a: x := x + 1
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
}

#[test]
fn nested_branches_before_a_wait_are_one_decision() {
    let program = with_sharer(|sketch, x, l| {
        let branch = |sketch: &mut Sketch, at: &str, condition: Expr, yes: &str, no: &str| {
            sketch.edge(at, yes, [Op::assume(condition.clone())]);
            sketch.edge(at, no, [Op::assume(condition.negate())]);
        };
        branch(sketch, "entry", is(l, 0), "a", "b");
        branch(sketch, "a", is(l, 1), "c", "d");
        for (at, value) in [("b", 1), ("c", 2), ("d", 3)] {
            sketch.edge(at, "exit", [Op::wait(is(x, value))]);
        }
    });
    check(
        compress(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> exit: [l != 0]; [x == 1]
          entry -> exit: [l == 0]; [l == 1]; [x == 2]
          entry -> exit: [l == 0]; [l != 1]; [x == 3]
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
}

#[test]
fn a_branch_whose_other_side_is_abandoned_stays_before_a_wait() {
    // Where `l` is 0, the second edge is abandoned: nobody waits at the entry.
    let program = with_sharer(|sketch, x, l| {
        sketch.edge("entry", "a", [Op::assume(is(l, 0))]);
        sketch.edge("entry", "exit", [Op::assume(is(l, 0).negate()), Op::wait(is(x, 1))]);
        sketch.edge("a", "exit", [Op::wait(is(x, 2))]);
    });
    check(
        compress(&program),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> a: assume l == 0
          entry -> exit: assume l != 0; [x == 1]
          a -> exit: [x == 2]
        thread sharer
          entry -> exit: x := x + 1
    "#]],
    );
}

#[test]
fn instances_of_a_template_share_its_globals() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let worker = sketch.thread("worker", ThreadKind::Template);
    sketch.edge("entry", "a", [increment(x)]);
    sketch.edge("a", "exit", [Op::wait(is(x, 2))]);
    sketch.thread("main", RUNNING);
    sketch.edge("entry", "entry", [spawn(worker, None)]);
    let program = sketch.finish();
    assert_eq!(rely_passes::simplify(&program).0.to_string(), program.to_string());
}

#[test]
fn what_a_property_sees_of_a_thread_is_no_local_step() {
    let mut sketch = Sketch::new();
    let thread = sketch.thread("T", RUNNING);
    let (seen, unseen) = (sketch.int("seen"), sketch.int("unseen"));
    sketch.edge("entry", "a", [increment(seen)]);
    sketch.edge("a", "b", [increment(unseen)]);
    sketch.edge("b", "c", [increment(seen)]);
    sketch.edge("c", "exit", [increment(unseen)]);
    let running = Expr::CountRunning(thread).eq(Expr::int(1));
    sketch.property(PropertyKind::Always(is(seen, 1).implies(running)));
    check(
        compress(&sketch.finish()),
        expect![[r#"
        program sketch
        thread T
          local seen: int = 0
          local unseen: int = 0
          entry -> b: seen := seen + 1; unseen := unseen + 1
          b -> c: seen := seen + 1
          c -> exit: unseen := unseen + 1
        always T.seen == 1 ==> #(T running) == 1
    "#]],
    );
}

#[test]
fn watched_locations_and_loop_heads_stay() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let thread = sketch.thread("T", RUNNING);
    let l = sketch.int("l");
    sketch.edge("entry", "head", []);
    sketch.edge("head", "body", [Op::wait(Expr::var(l).lt(Expr::int(3)))]);
    sketch.edge("body", "watched", [increment(l)]);
    sketch.edge("watched", "head", []);
    sketch.edge("head", "exit", [Op::wait(Expr::var(l).ge(Expr::int(3)))]);
    let watched = sketch.location("watched");
    let ends = Expr::CountRunning(thread).eq(Expr::int(1));
    sketch.property(PropertyKind::Always(Expr::CountAt(watched).eq(Expr::int(0)).or(is(x, 0)).or(ends)));
    check(
        compress(&sketch.finish()),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local l: int = 0
          entry -> head: skip
          head -> exit: [l >= 3]
          head -> watched: [l < 3]; l := l + 1
          watched -> head: skip
        always #(T at watched) == 0 || x == 0 || #(T running) == 1
    "#]],
    );
}

#[test]
fn a_deadlock_is_told_where_the_old_program_stands() {
    // Both threads wait behind local steps, which the new program takes together with the wait.
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    for name in ["A", "B"] {
        sketch.thread(name, RUNNING);
        let l = sketch.int("l");
        sketch.edge("entry", "a", [increment(l)]);
        sketch.edge("a", "b", [Op::assume(is(l, 1))]);
        sketch.edge("a", "exit", [Op::assume(Expr::var(l).ne(Expr::int(1)))]);
        sketch.edge("b", "exit", [Op::wait(Expr::var(x).eq(Expr::var(l))), increment(x)]);
    }
    let program = sketch.finish();
    let (new, back) = compress(&program);
    check(
        (new.clone(), back.clone()),
        expect![[r#"
            program sketch
            var x: int = 0
            thread A
              local l: int = 0
              entry -> exit: l := l + 1; [l != 1]
              entry -> exit: l := l + 1; [l == 1]; [x == l]; x := x + 1
            thread B
              local l: int = 0
              entry -> exit: l := l + 1; [l != 1]
              entry -> exit: l := l + 1; [l == 1]; [x == l]; x := x + 1
        "#]],
    );
    let findings = explore(&new, &[], 100).unwrap_or_else(|stopped| panic!("{stopped:?}"));
    let [trace] = findings.violations.as_slice() else { panic!("one deadlock is expected") };
    assert_eq!(trace.steps.len(), 0);
    let old = back.trace(trace).unwrap();
    assert_eq!(old.steps.len(), 4);
    replay(&program, &old).unwrap();
}

#[test]
fn joined_edges_take_their_choices_in_order() {
    let mut sketch = Sketch::new();
    sketch.thread("T", RUNNING);
    let (l, m) = (sketch.int("l"), sketch.int("m"));
    let any = |var, high| Op::Havoc(Place::Scalar(var), Domain::Range { low: 0, high });
    let first = sketch.edge("entry", "a", [any(l, 9), any(m, 9)]);
    let second = sketch.edge("a", "exit", [any(l, 3)]);
    let (_, back) =
        Compress { deadlocks: Deadlocks::Ignore, sections: CriticalSections::Atomic }.apply(&sketch.finish());
    let step =
        |edge, choices: &[i128]| TraceStep { slot: SlotId::from_index(0), edge, choices: choices.to_vec() };
    let joined = step(EdgeId::from_index(0), &[7, 8, 2]);
    let trace = Trace { initial: vec![], steps: vec![joined], violation: Violation::Deadlock };
    assert_eq!(back.trace(&trace).unwrap().steps, [step(first, &[7, 8]), step(second, &[2])]);
}

#[test]
fn a_failure_ends_the_translated_trace_where_it_happens() {
    // The same check twice, and a nondeterministic value between them.
    let mut sketch = Sketch::new();
    sketch.thread("T", RUNNING);
    let l = sketch.int("l");
    let zero = sketch.check("l is zero");
    sketch.edge("entry", "a", [Op::Check(is(l, 0), zero)]);
    sketch.edge("a", "b", [Op::Havoc(Place::Scalar(l), Domain::Range { low: 0, high: 1 })]);
    sketch.edge("b", "c", [Op::Check(is(l, 0), zero)]);
    sketch.edge("c", "exit", [Op::Havoc(Place::Scalar(l), Domain::Range { low: 0, high: 1 })]);
    let program = sketch.finish();
    let (new, back) = compress(&program);
    check(
        (new.clone(), back.clone()),
        expect![[r#"
        program sketch
        thread T
          local l: int = 0
          entry -> exit: assert l == 0; l := any 0..1; assert l == 0; l := any 0..1
    "#]],
    );
    let findings = explore(&new, &[], 100).unwrap_or_else(|stopped| panic!("{stopped:?}"));
    let [trace] = findings.violations.as_slice() else { panic!("one failure is expected") };
    let old = back.trace(trace).unwrap();
    assert_eq!((trace.steps.len(), old.steps.len()), (1, 3));
    assert_eq!(old.violation, Violation::Check(zero));
    replay(&program, &old).unwrap();
}
