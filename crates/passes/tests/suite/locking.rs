//! When the steps of a critical section become one, and when they must not.

use crate::random::explorer::{Verdict, explore};
use rely_base::Id;
use rely_passes::{Compress, CriticalSections, Deadlocks, DropOwnerChecks, Focus, Pass};
use rely_program::{
    BinaryOp, Check, CheckKind, Edge, Expr, Goal, Initial, Op, Place, Program, Sort, ThreadId, ThreadKind,
    VarId,
};
use rely_testing::sketch::{RUNNING, SPAWNED, Sketch, is, set, spawn};

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
    let (compressed, _) =
        Compress { deadlocks: Deadlocks::Ignore, sections: CriticalSections::Atomic }.apply(&program);
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
        let (compressed, _) =
            Compress { deadlocks: Deadlocks::Ignore, sections: CriticalSections::Atomic }.apply(&program.0);
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
    let (compressed, _) =
        Compress { deadlocks: Deadlocks::Preserve, sections: CriticalSections::Atomic }.apply(&program);
    assert!(deadlocks(&program) && deadlocks(&compressed));
    assert!(compressed.locations().len() < program.locations().len());
}

/// A thread takes the lock, spoils `x` and `y`, and restores them. Another one, or any number of
/// them, takes the lock in a step that does something else before.
fn section_beside_taking(
    kind: ThreadKind,
    before: &dyn Fn(&mut Sketch, Shared, VarId) -> Vec<Op>,
) -> Program {
    let mut sketch = Sketch::new();
    let shared =
        Shared { lock: sketch.int("lock"), other_lock: sketch.int("other_lock"), x: sketch.int("x") };
    let cells = sketch.var("cells", Sort::Int, Some(2), Initial::Values(vec![0, 0]));
    let second = sketch.thread("second", kind);
    let mut ops = before(&mut sketch, shared, cells);
    ops.extend(take(shared.lock));
    sketch.edge("entry", "a", ops);
    sketch.edge("a", "b", [set(shared.x, Expr::int(0))]);
    sketch.edge("b", "exit", release(shared.lock));
    sketch.thread("first", RUNNING);
    let starts = (kind != RUNNING).then(|| spawn(second, None));
    sketch.edge("entry", "started", starts);
    sketch.edge("started", "a", take(shared.lock));
    sketch.edge("a", "b", [set(shared.x, Expr::int(7))]);
    sketch.edge("b", "c", [set(shared.x, Expr::int(0))]);
    sketch.edge("c", "exit", release(shared.lock));
    sketch.finish()
}

fn verdict(program: &Program) -> Verdict {
    explore(program, &[], 10_000).expect("it is small and defined").verdict(program)
}

fn check_of_kind(sketch: &mut Sketch, kind: CheckKind, condition: Expr) -> Op {
    let check = sketch.builder.check(Check { kind, message: "it holds".into(), span: None });
    Op::Check(condition, check)
}

/// What is done before the lock is taken, and whether it can go wrong while another one holds it.
type Beginning = (&'static str, fn(&mut Sketch, Shared, VarId) -> Vec<Op>, bool);

const BEGINNINGS: &[Beginning] = &[
    ("nothing", |_, _, _| vec![], false),
    (
        "an assertion about the lock",
        |sketch, shared, _| vec![check_of_kind(sketch, CheckKind::Assertion, is(shared.lock, 0))],
        true,
    ),
    (
        "an assertion about what the lock protects",
        |sketch, shared, _| vec![check_of_kind(sketch, CheckKind::Assertion, is(shared.x, 0))],
        true,
    ),
    (
        "a range",
        |sketch, shared, _| {
            vec![check_of_kind(sketch, CheckKind::Overflow, Expr::var(shared.x).between(0, 3))]
        },
        true,
    ),
    (
        "an index in the guard",
        |sketch, shared, cells| {
            let bounds = check_of_kind(sketch, CheckKind::Bounds, Expr::var(shared.x).between(0, 1));
            vec![bounds, Op::wait(Expr::element(cells, Expr::var(shared.x)).eq(Expr::int(0)))]
        },
        true,
    ),
    (
        "a divisor in the guard",
        |sketch, shared, _| {
            let divisor = Expr::var(shared.x).sub(Expr::int(7));
            let defined = check_of_kind(sketch, CheckKind::Arithmetic, divisor.clone().ne(Expr::int(0)));
            vec![defined, Op::wait(Expr::binary(BinaryOp::Div, Expr::int(1), divisor).le(Expr::int(0)))]
        },
        true,
    ),
    (
        "a value that is checked later",
        |sketch, shared, cells| {
            let cell = Place::Element(cells, Expr::int(0));
            let copied = Op::assign(cell.clone(), Expr::var(shared.x));
            vec![copied, check_of_kind(sketch, CheckKind::Assertion, cell.read().eq(Expr::int(0)))]
        },
        true,
    ),
    (
        "a condition for a check",
        |sketch, shared, _| {
            let never = check_of_kind(sketch, CheckKind::Assertion, Expr::Bool(false));
            vec![Op::wait(is(shared.x, 7)), never]
        },
        true,
    ),
    (
        "a check that only matters if the lock is free",
        |sketch, shared, _| {
            let needed = is(shared.lock, 0).implies(is(shared.x, 0));
            vec![check_of_kind(sketch, CheckKind::Assertion, needed)]
        },
        false,
    ),
    ("a condition", |_, shared, _| vec![Op::wait(is(shared.x, 0))], false),
];

#[test]
fn what_goes_wrong_before_a_lock_is_taken_is_not_lost() {
    for (what, before, fails) in BEGINNINGS {
        for kind in [RUNNING, SPAWNED, ThreadKind::Template] {
            let program = section_beside_taking(kind, before);
            let expected = verdict(&program);
            assert_eq!(expected.assert || expected.overflow, *fails, "{what}");
            for deadlocks in [Deadlocks::Ignore, Deadlocks::Preserve] {
                let (atomic, _) = Compress { deadlocks, sections: CriticalSections::Atomic }.apply(&program);
                assert_eq!(verdict(&atomic), expected, "{what}: {atomic}");
            }
            for goal in [Goal::Assert, Goal::Overflow] {
                let (focused, _) = Focus { goal }.apply(&program);
                let (prepared, _) = rely_passes::prepare(&program, goal);
                let violated = |program| Verdict { deadlock: false, ..verdict(program) };
                assert_eq!(violated(&prepared), violated(&focused), "{what}: {prepared}");
            }
        }
    }
}

#[test]
fn what_cannot_go_wrong_before_a_lock_is_taken_splits_no_section() {
    for (what, before, _) in BEGINNINGS.iter().filter(|(_, _, fails)| !fails) {
        let program = section_beside_taking(RUNNING, before);
        let first = program.threads().ids().last().expect("there are threads");
        assert_eq!(steps((program, first)), [5], "{what}");
    }
}

/// A check that the thread holds the lock, and whether it is left out.
fn is_trusted(taking: [Op; 2], others: impl FnOnce(&mut Sketch, VarId)) -> bool {
    let mut sketch = Sketch::new();
    let (lock, x) = (sketch.int("lock"), sketch.int("x"));
    assert_eq!(taking[0], take(lock)[0]);
    let mine = Op::Check(Expr::var(lock).eq(Expr::This), sketch.check("mine"));
    sketch.thread("first", RUNNING);
    sketch.edge("entry", "a", taking);
    sketch.edge("a", "b", [set(x, Expr::int(1))]);
    sketch.edge("b", "exit", [mine, set(lock, Expr::int(0))]);
    sketch.thread("second", RUNNING);
    others(&mut sketch, lock);
    let (trusting, _) = DropOwnerChecks.apply(&sketch.finish());
    let kept = |op: &Op| matches!(op, Op::Check(condition, _) if *condition != Expr::Bool(true));
    !trusting.edges().values().flat_map(|edge| &edge.ops).any(kept)
}

#[test]
fn owners_are_trusted_where_they_certainly_hold_the_lock() {
    let lock = VarId::from_index(0);
    let section = |sketch: &mut Sketch, lock: VarId| {
        sketch.edge("entry", "a", take(lock));
        sketch.edge("a", "exit", release(lock));
    };
    assert!(is_trusted(take(lock), section));
    // Nobody knows who has written a number.
    assert!(!is_trusted([Op::wait(is(lock, 0)), set(lock, Expr::int(1))], section));
    let misuses: [fn(&mut Sketch, VarId); 4] = [
        |sketch, lock| {
            sketch.edge("entry", "exit", release(lock));
        },
        |sketch, lock| {
            sketch.edge("entry", "exit", [set(lock, Expr::This)]);
        },
        |sketch, lock| {
            sketch.edge("entry", "exit", [set(lock, Expr::int(2))]);
        },
        |sketch, lock| {
            sketch.edge("entry", "a", take(lock));
            sketch.edge("entry", "a", []);
            sketch.edge("a", "exit", release(lock));
        },
    ];
    for misuse in misuses {
        assert!(!is_trusted(take(lock), misuse));
    }
}
