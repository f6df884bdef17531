//! When the steps of a critical section become one, and when they must not.

use crate::random::explorer::explore;
use crate::sketch::{RUNNING, SPAWNED, Sketch, is, set, spawn};
use rely_base::Id;
use rely_program::passes::{self, Deadlocks, Sections};
use rely_program::{Edge, Expr, Op, Program, ThreadId, ThreadKind, VarId};

/// The variables of the programs below.
#[derive(Clone, Copy)]
struct Shared {
    lock: VarId,
    other_lock: VarId,
    x: VarId,
}

fn take(lock: VarId) -> [Op; 2] {
    [Op::wait(is(lock, 0)), set(lock, Expr::This)]
}

fn release(lock: VarId) -> [Op; 1] {
    [set(lock, Expr::int(0))]
}

/// A thread that takes the lock, writes `x` twice and releases the lock, beside others.
fn section_beside(others: impl FnOnce(&mut Sketch, Shared)) -> (Program, ThreadId) {
    let mut sketch = Sketch::new();
    let shared =
        Shared { lock: sketch.int("lock"), other_lock: sketch.int("other_lock"), x: sketch.int("x") };
    let first = sketch.thread("first", RUNNING);
    sketch.edge("entry", "a", take(shared.lock));
    sketch.edge("a", "b", [set(shared.x, Expr::int(1))]);
    sketch.edge("b", "c", [set(shared.x, Expr::int(0))]);
    sketch.edge("c", "exit", release(shared.lock));
    others(&mut sketch, shared);
    (sketch.finish(), first)
}

/// What remains of the edges of a thread: how many operations each has.
fn steps((program, thread): (Program, ThreadId)) -> Vec<usize> {
    let (compressed, _) = passes::compress(&program, Deadlocks::Ignore, Sections::Joined);
    let own = |edge: &&Edge| compressed.locations()[edge.source].thread == thread;
    compressed.edges().values().filter(own).map(|edge| edge.ops.len()).collect()
}

#[test]
fn a_section_is_one_step_if_everybody_takes_the_lock() {
    let program = section_beside(|sketch, shared| {
        sketch.thread("second", RUNNING);
        sketch.edge("entry", "a", take(shared.lock));
        sketch.edge("a", "b", [set(shared.x, Expr::int(2))]);
        sketch.edge("b", "exit", release(shared.lock));
    });
    assert_eq!(steps(program), [5]);
}

#[test]
fn instances_of_a_template_exclude_each_other_too() {
    let mut sketch = Sketch::new();
    let (lock, x) = (sketch.int("lock"), sketch.int("x"));
    let template = sketch.thread("worker", ThreadKind::Template);
    sketch.edge("entry", "a", take(lock));
    sketch.edge("a", "b", [set(x, Expr::int(1))]);
    sketch.edge("b", "exit", release(lock));
    sketch.thread("main", RUNNING);
    sketch.edge("entry", "exit", [spawn(template, None), spawn(template, None)]);
    assert_eq!(steps((sketch.finish(), template)), [4]);
}

#[test]
fn without_a_lock_instances_of_a_template_meet() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let template = sketch.thread("worker", ThreadKind::Template);
    sketch.edge("entry", "a", [set(x, Expr::int(1))]);
    sketch.edge("a", "exit", [set(x, Expr::int(0))]);
    sketch.thread("main", RUNNING);
    sketch.edge("entry", "exit", [spawn(template, None), spawn(template, None)]);
    assert_eq!(steps((sketch.finish(), template)), [1, 1]);
}

#[test]
fn an_access_without_the_lock_separates_the_steps() {
    let program = section_beside(|sketch, shared| {
        sketch.thread("second", RUNNING);
        sketch.edge("entry", "exit", [Op::wait(is(shared.x, 1))]);
    });
    // Taking the lock joins the first write, and releasing it the second.
    assert_eq!(steps(program), [3, 2]);
}

#[test]
fn another_lock_does_not_protect() {
    let program = section_beside(|sketch, shared| {
        sketch.thread("second", RUNNING);
        sketch.edge("entry", "a", take(shared.other_lock));
        sketch.edge("a", "b", [Op::wait(is(shared.x, 1))]);
        sketch.edge("b", "exit", release(shared.other_lock));
    });
    assert_eq!(steps(program), [3, 2]);
}

#[test]
fn whoever_looks_at_the_lock_sees_that_it_is_taken() {
    let program = section_beside(|sketch, shared| {
        sketch.thread("second", RUNNING);
        sketch.edge("entry", "exit", [Op::wait(Expr::var(shared.lock).ne(Expr::int(0)))]);
    });
    assert_eq!(steps(program), [1, 4]);
}

/// What is done to the lock in these ways makes it none.
#[test]
fn a_lock_that_is_misused_protects_nothing() {
    let misuses: [fn(&mut Sketch, Shared); 6] = [
        // Released by somebody who does not hold it.
        |sketch, shared| {
            sketch.edge("entry", "a", release(shared.lock));
            sketch.edge("a", "b", take(shared.lock));
        },
        // Taken without waiting.
        |sketch, shared| {
            sketch.edge("entry", "b", [set(shared.lock, Expr::This)]);
        },
        // Taken on one way only.
        |sketch, shared| {
            sketch.edge("entry", "b", take(shared.lock));
            sketch.edge("entry", "b", []);
        },
        // Taken again by the one who holds it.
        |sketch, shared| {
            sketch.edge("entry", "a", take(shared.lock));
            sketch.edge("a", "b", [set(shared.lock, Expr::int(5))]);
        },
        // Free a while ago, but perhaps not any more.
        |sketch, shared| {
            sketch.edge("entry", "a", [Op::wait(is(shared.lock, 0))]);
            sketch.edge("a", "b", [set(shared.lock, Expr::This)]);
        },
        // Set to nobody knows what.
        |sketch, shared| {
            sketch.edge("entry", "a", take(shared.lock));
            sketch.edge("a", "b", [set(shared.lock, Expr::var(shared.x))]);
        },
    ];
    for misuse in misuses {
        let program = section_beside(|sketch, shared| {
            sketch.thread("second", RUNNING);
            misuse(sketch, shared);
            sketch.edge("b", "c", [Op::wait(is(shared.x, 1))]);
            sketch.edge("c", "exit", release(shared.lock));
        });
        let (compressed, _) = passes::compress(&program.0, Deadlocks::Ignore, Sections::Joined);
        let values = [0, 1].map(|value| set(VarId::from_index(2), Expr::int(value)));
        let is_joined = |edge: &Edge| values.iter().all(|write| edge.ops.contains(write));
        assert!(!compressed.edges().values().any(is_joined), "{compressed}");
    }
}

/// A thread that writes `x` twice without a lock, started by a main thread that does something
/// before, between and after.
fn steps_of_started(place: &str) -> Vec<usize> {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let started = sketch.thread("started", SPAWNED);
    sketch.edge("entry", "a", [set(x, Expr::int(1))]);
    sketch.edge("a", "exit", [set(x, Expr::int(0))]);
    sketch.thread("main", RUNNING);
    let handle = Expr::int(1);
    let look = |here: &str| if here == place { vec![Op::wait(is(x, 1))] } else { Vec::new() };
    sketch.edge("entry", "before", look("before"));
    sketch.edge("before", "between", [spawn(started, None)]);
    sketch.edge("between", "waiting", look("between"));
    sketch.edge("waiting", "after", [Op::Join(handle)]);
    sketch.edge("after", "exit", look("after"));
    steps((sketch.finish(), started))
}

#[test]
fn nobody_meets_a_thread_before_its_start_or_after_its_end() {
    assert_eq!(steps_of_started("before"), [2]);
    assert_eq!(steps_of_started("between"), [1, 1]);
    assert_eq!(steps_of_started("after"), [2]);
}

#[test]
fn a_thread_that_two_others_may_start_is_met_by_either() {
    let mut sketch = Sketch::new();
    let (x, flag) = (sketch.int("x"), sketch.int("flag"));
    let started = sketch.thread("started", SPAWNED);
    sketch.edge("entry", "a", [set(x, Expr::int(1))]);
    sketch.edge("a", "exit", [set(x, Expr::int(0))]);
    for (name, look) in [("main", vec![Op::wait(is(x, 1))]), ("second", vec![])] {
        sketch.thread(name, RUNNING);
        sketch.edge("entry", "a", look);
        sketch.edge("a", "exit", [Op::wait(is(flag, 0)), set(flag, Expr::int(1)), spawn(started, None)]);
    }
    assert_eq!(steps((sketch.finish(), started)), [1, 1]);
}

#[test]
fn two_locks_in_different_orders_still_deadlock() {
    let mut sketch = Sketch::new();
    let (a, b) = (sketch.int("a"), sketch.int("b"));
    for (name, first, second) in [("one", a, b), ("two", b, a)] {
        sketch.thread(name, RUNNING);
        sketch.edge("entry", "first", take(first));
        sketch.edge("first", "second", take(second));
        sketch.edge("second", "third", release(second));
        sketch.edge("third", "exit", release(first));
    }
    let program = sketch.finish();
    let deadlocks = |program| explore(program, &[], 1_000).expect("it is small").verdict(program).deadlock;
    let (compressed, _) = passes::compress(&program, Deadlocks::Preserve, Sections::Joined);
    assert!(deadlocks(&program) && deadlocks(&compressed));
    assert!(compressed.locations().len() < program.locations().len());
}
