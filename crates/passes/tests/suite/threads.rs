//! Spawns, handles and slots.

use crate::check;
use crate::random::explorer::{explore, replay};
use expect_test::expect;
use rely_base::Id;
use rely_passes::{BeginInitialised, FoldConstants, Instantiate, Pass, SliceThreads, Unroll};
use rely_program::{
    BinaryOp, Blocking, Domain, EdgeId, Expr, Goal, Initial, Op, Place, Program, PropertyKind, SlotId, Sort,
    ThreadKind, Trace, TraceStep, VarId, Violation,
};
use rely_testing::sketch::{RUNNING, SPAWNED, Sketch, increment, is, set, spawn};

/// `main` starts `worker` in a loop of three iterations and joins the last one.
fn spawn_loop() -> Program {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let worker = sketch.thread("worker", ThreadKind::Template);
    let me = sketch.int("me");
    sketch.var("luck", Sort::Bool, None, Initial::Any(Domain::Bool));
    sketch.builder.parameter(worker, me);
    sketch.edge("entry", "exit", [set(x, Expr::var(x).add(Expr::var(me)))]);
    sketch.thread("main", RUNNING);
    let (i, handle) = (sketch.int("i"), sketch.int("handle"));
    sketch.edge("entry", "head", [set(i, Expr::int(0))]);
    sketch.edge("head", "body", [Op::wait(Expr::var(i).lt(Expr::int(3)))]);
    let start =
        Op::Spawn { thread: worker, arguments: vec![Expr::var(i)], handle: Some(Place::Scalar(handle)) };
    sketch.edge("body", "step", [start]);
    sketch.edge("step", "head", [increment(i)]);
    sketch.edge("head", "done", [Op::wait(Expr::var(i).ge(Expr::int(3)))]);
    sketch.edge("done", "exit", [Op::Join(Expr::var(handle))]);
    sketch.property(PropertyKind::AtEnd(is(x, 3).and(Expr::CountRunning(worker).eq(Expr::int(0)))));
    sketch.property(PropertyKind::Always(Expr::var(x).lt(Expr::int(3))));
    sketch.finish()
}

#[test]
fn counted_loops_around_spawns_are_written_out() {
    check(
        Unroll.apply(&spawn_loop()),
        expect![[r#"
        program sketch
        var x: int = 0
        template worker(me)
          local me: int = 0
          local luck: bool = any bool
          entry -> exit: x := x + me
        thread main
          local i: int = 0
          local handle: int = 0
          entry -> head: i := 0
          done -> exit: join handle
          head -> body: [i < 3]
          head -> exit: [i >= 3]
          body -> step: handle := spawn worker(i)
          step -> head#2: i := i + 1
          head#2 -> body#2: [i < 3]
          head#2 -> exit: [i >= 3]
          body#2 -> step#2: handle := spawn worker(i)
          step#2 -> head#3: i := i + 1
          head#3 -> body#3: [i < 3]
          head#3 -> exit: [i >= 3]
          body#3 -> step#3: handle := spawn worker(i)
          step#3 -> head#4: i := i + 1
          head#4 -> exit: [i < 3]
          head#4 -> done: [i >= 3]
        at end x == 3 && #(worker running) == 0
        always x < 3
    "#]],
    );
}

#[test]
fn endless_loops_around_spawns_stay() {
    let mut sketch = Sketch::new();
    let worker = sketch.thread("worker", ThreadKind::Template);
    sketch.thread("main", RUNNING);
    let i = sketch.int("i");
    sketch.edge("entry", "entry", [spawn(worker, None), increment(i)]);
    let program = sketch.finish();
    assert_eq!(Unroll.apply(&program).0.to_string(), program.to_string());
    assert_eq!(Instantiate::default().apply(&program).0.to_string(), program.to_string());
}

#[test]
fn spawns_that_happen_once_start_instances() {
    let unrolled = Unroll.apply(&spawn_loop()).0;
    check(
        Instantiate::default().apply(&FoldConstants.apply(&unrolled).0),
        expect![[r#"
        program sketch
        var x: int = 0
        spawned thread worker(me)
          local me: int = 0
          local luck: bool = any bool
          entry -> exit: x := x + me
        thread main
          local i: int = 0
          local handle: int = 0
          entry -> head: i := 0
          done -> exit: join handle
          head -> body: skip
          body -> step: handle := spawn worker(0)
          step -> head#2: i := 1
          head#2 -> body#2: skip
          body#2 -> step#2: handle := spawn worker#2(1)
          step#2 -> head#3: i := 2
          head#3 -> body#3: skip
          body#3 -> step#3: handle := spawn worker#3(2)
          step#3 -> head#4: i := 3
          head#4 -> done: skip
        spawned thread worker#2(me)
          local me: int = 0
          local luck: bool = any bool
          entry -> exit: x := x + me
        spawned thread worker#3(me)
          local me: int = 0
          local luck: bool = any bool
          entry -> exit: x := x + me
        at end x == 3 && #(worker running) + #(worker#2 running) + #(worker#3 running) == 0
        always x < 3
    "#]],
    );
}

#[test]
fn slots_are_translated_by_the_order_of_creation() {
    let program = spawn_loop();
    let (new, back) = rely_passes::simplify(&program);
    check(
        (new.clone(), back.clone()),
        expect![[r#"
            program sketch
            var x: int = 0
            spawned thread worker
              entry -> exit: skip
            thread main
              head -> body#2: spawn worker()
              body#2 -> body#3: spawn worker#2()
              body#3 -> head#4: spawn worker#3()
              head#4 -> exit: join worker#3
            spawned thread worker#2
              entry -> exit: x := x + 1
            spawned thread worker#3
              entry -> exit: x := x + 2
            at end x == 3 && #(worker running) + #(worker#2 running) + #(worker#3 running) == 0
            always x < 3
        "#]],
    );
    let findings = explore(&new, &[], 10_000).unwrap_or_else(|stopped| panic!("{stopped:?}"));
    assert!(!findings.violations.is_empty());
    for trace in &findings.violations {
        let old = back.trace(trace).unwrap();
        replay(&program, &old).unwrap();
    }
}

#[test]
fn a_template_that_is_also_spawned_in_a_loop_stays_beside_its_instance() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let worker = sketch.thread("worker", ThreadKind::Template);
    sketch.edge("entry", "exit", [increment(x)]);
    sketch.thread("main", RUNNING);
    sketch.edge("entry", "loop", [spawn(worker, None)]);
    sketch.edge(
        "loop",
        "loop",
        [Op::Assume(Expr::var(x).lt(Expr::int(2)), Blocking::Wait), spawn(worker, None)],
    );
    sketch.property(PropertyKind::Always(Expr::CountRunning(worker).lt(Expr::int(5))));
    check(
        Instantiate::default().apply(&sketch.finish()),
        expect![[r#"
        program sketch
        var x: int = 0
        template worker
          entry -> exit: x := x + 1
        thread main
          entry -> loop: spawn worker#1()
          loop -> loop: [x < 2]; spawn worker()
        spawned thread worker#1
          entry -> exit: x := x + 1
        always #(worker running) + #(worker#1 running) < 5
    "#]],
    );
}

#[test]
fn what_a_template_spawns_may_happen_often() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let inner = sketch.thread("inner", ThreadKind::Template);
    sketch.edge("entry", "exit", [increment(x)]);
    let outer = sketch.thread("outer", ThreadKind::Template);
    sketch.edge("entry", "exit", [spawn(inner, None)]);
    sketch.thread("main", RUNNING);
    sketch.edge("entry", "entry", [spawn(outer, None)]);
    let program = sketch.finish();
    assert_eq!(Instantiate::default().apply(&program).0.to_string(), program.to_string());
}

#[test]
fn handles_are_known_once_no_template_is_left() {
    let program = |kind: ThreadKind| {
        let mut sketch = Sketch::new();
        let x = sketch.int("x");
        let worker = sketch.thread("worker", kind);
        sketch.edge("entry", "exit", [increment(x)]);
        let helper = sketch.thread("helper", SPAWNED);
        sketch.edge("entry", "exit", [increment(x)]);
        sketch.thread("main", RUNNING);
        let handle = sketch.int("handle");
        sketch.edge("entry", "a", [spawn(helper, Some(handle)), spawn(worker, None)]);
        sketch.edge("a", "exit", [Op::Join(Expr::var(handle))]);
        sketch.finish()
    };
    check(
        FoldConstants.apply(&program(SPAWNED)),
        expect![[r#"
        program sketch
        var x: int = 0
        spawned thread worker
          entry -> exit: x := x + 1
        spawned thread helper
          entry -> exit: x := x + 1
        thread main
          local handle: int = 0
          entry -> a: handle := spawn helper(); spawn worker()
          a -> exit: join helper
    "#]],
    );
    check(
        FoldConstants.apply(&program(ThreadKind::Template)),
        expect![[r#"
        program sketch
        var x: int = 0
        template worker
          entry -> exit: x := x + 1
        spawned thread helper
          entry -> exit: x := x + 1
        thread main
          local handle: int = 0
          entry -> a: handle := spawn helper(); spawn worker()
          a -> exit: join handle
    "#]],
    );
    check(
        rely_passes::simplify(&program(ThreadKind::Template)),
        expect![[r#"
        program sketch
        spawned thread worker
          entry -> exit: skip
        spawned thread helper
          entry -> exit: skip
        thread main
          entry -> a: spawn helper(); spawn worker()
          a -> exit: join helper
    "#]],
    );
}

#[test]
fn an_instance_that_is_never_started_loses_its_body() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("never", SPAWNED);
    sketch.edge("entry", "a", [increment(x)]);
    sketch.edge("a", "exit", [increment(x)]);
    sketch.thread("main", RUNNING);
    sketch.edge("entry", "exit", [Op::wait(is(x, 0))]);
    check(
        rely_passes::simplify(&sketch.finish()),
        expect![[r#"
        program sketch
        spawned thread never
        thread main
          entry -> exit: skip
    "#]],
    );
}

#[test]
fn a_trace_of_another_program_has_no_way_back() {
    let back = rely_passes::simplify(&spawn_loop()).1;
    let step = |slot, edge| TraceStep {
        slot: SlotId::from_index(slot),
        edge: EdgeId::from_index(edge),
        choices: vec![],
    };
    let translate = |steps, violation| back.trace(&Trace { initial: vec![], steps, violation });
    assert_eq!(translate(vec![step(0, 999)], Violation::Deadlock), None);
    assert_eq!(translate(vec![step(99, 0)], Violation::Deadlock), None);
    assert_eq!(translate(vec![], Violation::Property(9)), None);
}

/// What a worker, or who starts it, does with handles, and whether their numbers can be told by that.
type Use = (&'static str, fn(handle: VarId, owner: VarId) -> (Vec<Op>, Vec<Op>), bool);

const USES_OF_HANDLES: &[Use] = &[
    ("nothing", |_, _| (vec![], vec![]), true),
    ("join", |handle, _| (vec![], vec![Op::Join(Expr::var(handle))]), true),
    ("join of a number", |_, _| (vec![], vec![Op::Join(Expr::int(1))]), false),
    (
        "a lock",
        |_, owner| {
            let taking = vec![Op::wait(is(owner, 0)), set(owner, Expr::This)];
            let releasing = vec![Op::wait(Expr::var(owner).eq(Expr::This)), set(owner, Expr::int(0))];
            ([taking, releasing].concat(), vec![])
        },
        true,
    ),
    ("is it one", |handle, _| (vec![], vec![Op::wait(Expr::var(handle).gt(Expr::int(0)))]), true),
    (
        "comparison",
        |handle, owner| {
            (vec![set(owner, Expr::This)], vec![Op::wait(Expr::var(handle).eq(Expr::var(owner)))])
        },
        true,
    ),
    ("comparison with a number", |handle, _| (vec![], vec![Op::wait(is(handle, 2))]), false),
    (
        "another value of the same variable",
        |_, owner| (vec![set(owner, Expr::This)], vec![set(owner, Expr::int(3))]),
        false,
    ),
    (
        "order",
        |handle, owner| {
            (vec![set(owner, Expr::This)], vec![Op::wait(Expr::var(handle).lt(Expr::var(owner)))])
        },
        false,
    ),
    (
        "parity",
        |_, owner| (vec![set(owner, Expr::binary(BinaryOp::Rem, Expr::This, Expr::int(2)))], vec![]),
        false,
    ),
    (
        "choice",
        |handle, owner| (vec![], vec![set(owner, Expr::ite(is(handle, 0), Expr::var(handle), Expr::This))]),
        true,
    ),
    (
        "a guess",
        |handle, _| (vec![], vec![Op::Havoc(Place::Scalar(handle), Domain::Range { low: 0, high: 2 })]),
        false,
    ),
];

#[test]
fn handles_that_are_taken_for_numbers_stay_as_they_are() {
    for (what, uses, is_opaque) in USES_OF_HANDLES {
        let mut sketch = Sketch::new();
        let (handle, owner) = (sketch.int("handle"), sketch.int("owner"));
        let (of_worker, of_main) = uses(handle, owner);
        let worker = sketch.thread("worker", ThreadKind::Template);
        sketch.edge("entry", "exit", of_worker);
        sketch.thread("main", RUNNING);
        sketch.edge("entry", "started", [spawn(worker, Some(handle))]);
        sketch.edge("started", "exit", of_main);
        let program = sketch.finish();
        assert_eq!(rely_program::analysis::handles_are_opaque(&program), *is_opaque, "{what}");
        let (result, _) = Instantiate::default().apply(&program);
        let has_template = result.threads().values().any(|thread| thread.kind == ThreadKind::Template);
        assert_eq!(has_template, !is_opaque, "{what}");
    }
}

#[test]
fn the_only_thread_of_a_template_keeps_its_number() {
    for (starts, is_instantiated) in [(1, true), (2, false)] {
        let mut sketch = Sketch::new();
        let main = sketch.thread("main", RUNNING);
        let worker = sketch.thread("worker", ThreadKind::Template);
        let check = sketch.check("it is the second");
        sketch.edge("entry", "exit", [Op::Check(Expr::This.eq(Expr::int(2)), check)]);
        let (entry, exit) = (sketch.builder.entry(main), sketch.builder.exit(main));
        sketch.builder.edge(entry, exit, vec![spawn(worker, None); starts], None);
        let program = sketch.finish();
        let (result, _) = Instantiate::default().apply(&program);
        let has_template = result.threads().values().any(|thread| thread.kind == ThreadKind::Template);
        assert_eq!(!has_template, is_instantiated, "{result}");
        let verdict = |program: &Program| explore(program, &[], 1_000).unwrap().verdict(program).assert;
        assert_eq!(verdict(&result), verdict(&program), "{result}");
    }
}

#[test]
fn whoever_starts_threads_changes_the_handles_of_others() {
    let mut sketch = Sketch::new();
    let bystander = sketch.thread("bystander", ThreadKind::Template);
    sketch.edge("entry", "exit", []);
    let worker = sketch.thread("worker", ThreadKind::Template);
    let check = sketch.check("it is the first");
    sketch.edge("entry", "exit", [Op::Check(Expr::This.le(Expr::int(3)), check)]);
    for (name, started) in [("main", worker), ("other", bystander)] {
        sketch.thread(name, RUNNING);
        sketch.edge("entry", "exit", [spawn(started, None)]);
    }
    let program = sketch.finish();
    let verdict = |program: &Program| explore(program, &[], 1_000).unwrap().verdict(program);
    assert!(verdict(&program).assert, "the other one is started first");
    let results = [
        SliceThreads.apply(&program),
        Instantiate::default().apply(&program),
        rely_passes::prepare(&program, Goal::Assert),
    ];
    for (result, _) in results {
        assert!(verdict(&result).assert, "{result}");
    }
}

#[test]
fn values_that_are_chosen_first_come_from_their_own_domains() {
    let mut sketch = Sketch::new();
    let range = |low, high| Domain::Range { low, high };
    let x = sketch.var("x", Sort::Int, None, Initial::Any(range(0, 1)));
    sketch.thread("main", RUNNING);
    let check = sketch.check("it is small");
    let chosen = [range(2, 3), range(4, 5)].map(|domain| Op::Havoc(Place::Scalar(x), domain));
    sketch.edge("entry", "a", chosen);
    sketch.edge("a", "exit", [Op::Check(is(x, 4), check)]);
    let program = sketch.finish();
    let (result, back) = BeginInitialised.apply(&program);
    let found = explore(&result, &[], 100).unwrap().violations;
    assert!(!found.is_empty());
    for trace in found {
        assert_eq!(replay(&program, &back.trace(&trace).unwrap()), Ok(()));
    }
}
