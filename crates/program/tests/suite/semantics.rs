//! The meaning of each operation, of atomic blocks, and of deadlock.

use rely_base::Id;
use rely_program::{
    AllValues, BinaryOp, Blocking, Domain, EdgeId, EvalError, Expr, Initial, InitialError, IntType, Op,
    Outcome, Place, Program, PropertyKind, Reached, Semantics, SlotId, SlotStatus, Sort, State, StepError,
    ThreadKind, ThreadProgress, UnaryOp, Value, VarId,
};
use rely_testing::sketch::{RUNNING, SPAWNED, Sketch, increment, is, set, spawn};

/// Tries all values: the domains of the tests are small.
const EVERY_VALUE: AllValues = AllValues { limit: 1_000 };

fn slot(index: usize) -> SlotId {
    SlotId::from_index(index)
}

/// A program with one global `x` and one thread with one edge that does `ops`.
fn one_edge(ops: impl FnOnce(&mut Sketch, VarId) -> Vec<Op>) -> (Program, VarId, EdgeId) {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let ops = ops(&mut sketch, x);
    let edge = sketch.edge("entry", "exit", ops);
    (sketch.finish(), x, edge)
}

fn take(program: &Program, edge: EdgeId, choices: &[Value]) -> Result<Outcome, StepError> {
    let semantics = Semantics::new(program);
    semantics.step(&semantics.initial(&[]).unwrap(), slot(0), edge, choices)
}

fn moved(program: &Program, edge: EdgeId, choices: &[Value]) -> State {
    match take(program, edge, choices) {
        Ok(Outcome::Moved(state)) => state,
        other => panic!("no step: {other:?}"),
    }
}

/// The value of a closed expression, computed by a step.
fn value(expr: Expr) -> Result<Value, StepError> {
    let (program, x, edge) = one_edge(|_, x| vec![set(x, expr)]);
    match take(&program, edge, &[])? {
        Outcome::Moved(state) => Ok(Semantics::new(&program).global(&state, x)[0]),
        other => panic!("an assignment ends in {other:?}"),
    }
}

fn check_value(expr: Expr, expected: Value) {
    assert_eq!(value(expr), Ok(expected));
}

fn check_undefined(expr: Expr, expected: EvalError) {
    assert_eq!(value(expr), Err(StepError::Eval(expected)));
}

fn binary(op: BinaryOp, left: Value, right: Value) -> Expr {
    Expr::binary(op, Expr::int(left), Expr::int(right))
}

#[test]
fn division_rounds_towards_zero() {
    check_value(binary(BinaryOp::Div, 7, 2), 3);
    check_value(binary(BinaryOp::Div, -7, 2), -3);
    check_value(binary(BinaryOp::Rem, -7, 2), -1);
    check_value(binary(BinaryOp::Rem, 7, -2), 1);
    check_undefined(binary(BinaryOp::Div, 1, 0), EvalError::DivisionByZero);
    check_undefined(binary(BinaryOp::Rem, 1, 0), EvalError::DivisionByZero);
}

#[test]
fn bits_are_those_of_the_infinite_complement() {
    check_value(binary(BinaryOp::BitAnd, -1, 6), 6);
    check_value(binary(BinaryOp::BitOr, -8, 3), -5);
    check_value(binary(BinaryOp::BitXor, 5, 3), 6);
    check_value(Expr::unary(UnaryOp::BitNot, Expr::int(0)), -1);
    check_value(binary(BinaryOp::Shl, 3, 4), 48);
    check_value(binary(BinaryOp::Shr, -5, 1), -3);
    check_undefined(binary(BinaryOp::Shl, 1, 64), EvalError::BadShift(64));
    check_undefined(binary(BinaryOp::Shr, 1, -1), EvalError::BadShift(-1));
}

#[test]
fn machine_types_wrap_and_nothing_else_does() {
    let byte = IntType { bits: 8, signed: false };
    let signed = IntType { bits: 8, signed: true };
    let word = IntType { bits: 64, signed: false };
    check_value(Expr::int(256).wrap(byte), 0);
    check_value(Expr::int(-1).wrap(byte), 255);
    check_value(Expr::int(128).wrap(signed), -128);
    check_value(Expr::int(-129).wrap(signed), 127);
    check_value(binary(BinaryOp::Add, 255, 1), 256);
    let largest = (1 << 64) - 1;
    check_value(binary(BinaryOp::Mul, largest, largest).wrap(word), 1);
    check_undefined(binary(BinaryOp::Mul, Value::MAX, 2), EvalError::TooLarge);
    check_undefined(Expr::unary(UnaryOp::Neg, Expr::int(Value::MIN)), EvalError::TooLarge);
}

#[test]
fn operands_that_do_not_matter_are_not_evaluated() {
    let undefined = || binary(BinaryOp::Div, 1, 0).eq(Expr::int(0));
    let truth = |condition: Expr| Expr::ite(condition, Expr::int(1), Expr::int(0));
    check_value(truth(Expr::Bool(false).and(undefined())), 0);
    check_value(truth(Expr::Bool(true).or(undefined())), 1);
    check_value(truth(Expr::Bool(false).implies(undefined())), 1);
    check_value(Expr::ite(Expr::Bool(true), Expr::int(3), binary(BinaryOp::Div, 1, 0)), 3);
    check_undefined(truth(Expr::Bool(true).and(undefined())), EvalError::DivisionByZero);
}

#[test]
fn parallel_assignments_read_before_they_write() {
    let mut sketch = Sketch::new();
    let (x, y) = (sketch.int("x"), sketch.int("y"));
    sketch.thread("T", RUNNING);
    let swap = vec![(Place::Scalar(x), Expr::var(y)), (Place::Scalar(y), Expr::var(x))];
    let edge = sketch.edge("entry", "exit", [set(x, Expr::int(1)), Op::Assign(swap)]);
    let program = sketch.finish();
    let semantics = Semantics::new(&program);
    let end = moved(&program, edge, &[]);
    assert_eq!((semantics.global(&end, x), semantics.global(&end, y)), (&[0][..], &[1][..]));
}

#[test]
fn conditions_block_the_whole_edge() {
    for blocking in [Blocking::Wait, Blocking::Abandon] {
        let (program, _, edge) =
            one_edge(|_, x| vec![increment(x), Op::Assume(is(x, 0), blocking), increment(x)]);
        assert_eq!(take(&program, edge, &[]), Ok(Outcome::Blocked(blocking)));
    }
}

#[test]
fn the_first_operation_that_stops_decides() {
    let check_order = |check_first: bool, expected: fn(rely_program::CheckId) -> Outcome| {
        let mut found = None;
        let (program, _, edge) = one_edge(|sketch, _| {
            let check = sketch.check("never");
            found = Some(check);
            let mut ops = vec![Op::Check(Expr::Bool(false), check), Op::wait(Expr::Bool(false))];
            if !check_first {
                ops.reverse();
            }
            ops
        });
        assert_eq!(take(&program, edge, &[]), Ok(expected(found.unwrap())));
    };
    check_order(true, Outcome::Failed);
    check_order(false, |_| Outcome::Blocked(Blocking::Wait));
}

#[test]
fn choices_are_taken_in_order_and_checked() {
    let domain = Domain::Range { low: 0, high: 5 };
    let (program, x, edge) = one_edge(|sketch, x| {
        let y = sketch.int("y");
        let havoc = |var| Op::Havoc(Place::Scalar(var), domain);
        vec![havoc(x), havoc(y), set(x, Expr::var(x).sub(Expr::var(y)))]
    });
    let semantics = Semantics::new(&program);
    assert_eq!(semantics.choices(edge).collect::<Vec<_>>(), [domain, domain]);
    assert_eq!(semantics.global(&moved(&program, edge, &[5, 2]), x), &[3]);
    assert_eq!(take(&program, edge, &[5, 6]), Err(StepError::OutsideDomain(6)));
    assert_eq!(take(&program, edge, &[5]), Err(StepError::ChoiceCount { given: 1, expected: 2 }));
    assert_eq!(take(&program, edge, &[5, 2, 1]), Err(StepError::ChoiceCount { given: 3, expected: 2 }));
}

#[test]
fn initial_values_are_chosen_and_required() {
    let mut sketch = Sketch::new();
    let any = Initial::Any(Domain::Range { low: 0, high: 3 });
    let a = sketch.var("a", Sort::Int, Some(2), any);
    sketch.builder.requires(Expr::element(a, Expr::int(0)).lt(Expr::element(a, Expr::int(1))));
    let program = sketch.finish();
    let semantics = Semantics::new(&program);
    assert_eq!(semantics.initial_choices().len(), 2);
    assert_eq!(semantics.global(&semantics.initial(&[1, 2]).unwrap(), a), &[1, 2]);
    assert_eq!(semantics.initial(&[2, 1]), Err(InitialError::NotRequired));
    assert_eq!(semantics.initial(&[0, 4]), Err(InitialError::OutsideDomain(4)));
    assert_eq!(semantics.initial(&[0]), Err(InitialError::Count { given: 1, expected: 2 }));
}

#[test]
fn arrays_have_bounds() {
    let mut sketch = Sketch::new();
    let a = sketch.var("a", Sort::Int, Some(2), Initial::Values(vec![5, 6]));
    sketch.thread("T", RUNNING);
    let inside = sketch.edge("entry", "exit", [Op::assign(Place::Element(a, Expr::int(1)), Expr::int(9))]);
    let outside = sketch.edge("entry", "exit", [Op::assign(Place::Element(a, Expr::int(2)), Expr::int(9))]);
    let program = sketch.finish();
    assert_eq!(Semantics::new(&program).global(&moved(&program, inside, &[]), a), &[5, 9]);
    let out_of_bounds = StepError::Eval(EvalError::OutOfBounds(2));
    assert_eq!(take(&program, outside, &[]), Err(out_of_bounds));
}

/// `main` spawns a template twice, with different arguments, and joins the first.
struct Spawning {
    program: Program,
    handle: VarId,
    me: VarId,
    spawn: EdgeId,
    join: EdgeId,
    work: EdgeId,
}

fn spawning() -> Spawning {
    let mut sketch = Sketch::new();
    let worker = sketch.thread("worker", ThreadKind::Template);
    let me = sketch.int("me");
    sketch.var("any", Sort::Bool, None, Initial::Any(Domain::Bool));
    sketch.builder.parameter(worker, me);
    let work = sketch.edge("entry", "exit", []);
    sketch.thread("main", RUNNING);
    let (handle, n) = (sketch.int("handle"), sketch.int("n"));
    let start =
        Op::Spawn { thread: worker, arguments: vec![Expr::var(n)], handle: Some(Place::Scalar(handle)) };
    let spawn = sketch.edge("entry", "entry", [increment(n), start]);
    let join = sketch.edge("entry", "exit", [Op::Join(Expr::int(2))]);
    Spawning { program: sketch.finish(), handle, me, spawn, join, work }
}

#[test]
fn spawned_threads_get_the_next_slot() {
    let Spawning { program, handle, me, spawn, join, work } = spawning();
    let semantics = Semantics::new(&program);
    let go = |state: &State, at: usize, edge, choices: &[Value]| match semantics
        .step(state, slot(at), edge, choices)
        .unwrap()
    {
        Outcome::Moved(next) => next,
        other => panic!("{other:?}"),
    };
    let start = semantics.initial(&[]).unwrap();
    assert_eq!(start.slots().len(), 1, "templates have no slot before they are spawned");
    let two = go(&go(&start, 0, spawn, &[0]), 0, spawn, &[1]);
    assert_eq!(two.slots().len(), 3);
    assert_eq!(semantics.local(&two, slot(0), handle), &[3]);
    assert_eq!(semantics.local(&two, slot(1), me), &[1]);
    assert_eq!(semantics.local(&two, slot(2), me), &[2]);
    let waits = semantics.step(&two, slot(0), join, &[]);
    assert_eq!(waits, Ok(Outcome::Blocked(Blocking::Wait)));
    let worked = go(&two, 1, work, &[]);
    assert_eq!(semantics.status(&worked, slot(1)), SlotStatus::Ended);
    assert_eq!(semantics.status(&worked, slot(2)), SlotStatus::Running);
    assert!(!semantics.has_ended(&worked));
    go(&worked, 0, join, &[]);
}

#[test]
fn a_join_of_no_thread_waits() {
    for number in [-1, 0, 9] {
        let (program, _, edge) = one_edge(|_, _| vec![Op::Join(Expr::int(number))]);
        assert_eq!(take(&program, edge, &[]), Ok(Outcome::Blocked(Blocking::Wait)));
    }
}

#[test]
fn an_instance_starts_once() {
    let mut sketch = Sketch::new();
    let helper = sketch.thread("helper", SPAWNED);
    sketch.thread("main", RUNNING);
    let edge = sketch.edge("entry", "entry", [spawn(helper, None)]);
    let program = sketch.finish();
    let semantics = Semantics::new(&program);
    let start = semantics.initial(&[]).unwrap();
    assert_eq!(semantics.status(&start, slot(0)), SlotStatus::NotStarted);
    let Ok(Outcome::Moved(next)) = semantics.step(&start, slot(1), edge, &[]) else { panic!() };
    assert_eq!(semantics.status(&next, slot(0)), SlotStatus::Running);
    assert_eq!(semantics.step(&next, slot(1), edge, &[]), Err(StepError::AlreadyStarted(helper)));
}

#[test]
fn nothing_moves_in_a_halted_program() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let halt = sketch.edge("entry", "after", [increment(x), Op::Halt]);
    let after = sketch.edge("after", "exit", []);
    sketch.property(PropertyKind::AtEnd(Expr::Bool(false)));
    let program = sketch.finish();
    let semantics = Semantics::new(&program);
    let end = moved(&program, halt, &[]);
    assert!(end.halted() && semantics.global(&end, x) == [1]);
    assert_eq!(semantics.step(&end, slot(0), after, &[]), Err(StepError::NotItsTurn(slot(0))));
    assert_eq!(semantics.is_deadlock(&end, &EVERY_VALUE), Ok(Some(false)));
    assert_eq!(semantics.violated_property(&end), Ok(None), "it has not ended by itself");
}

#[test]
fn steps_that_are_none_are_refused() {
    let (program, _, edge) = one_edge(|_, _| vec![]);
    let semantics = Semantics::new(&program);
    let start = semantics.initial(&[]).unwrap();
    let end = moved(&program, edge, &[]);
    let foreign = EdgeId::from_index(7);
    assert_eq!(semantics.step(&start, slot(4), edge, &[]), Err(StepError::NoSuchThread(slot(4))));
    assert_eq!(semantics.step(&start, slot(0), foreign, &[]), Err(StepError::NoSuchEdge(foreign)));
    assert_eq!(semantics.step(&end, slot(0), edge, &[]), Err(StepError::Elsewhere(slot(0), edge)));
}

/// Two threads; the first has an atomic block that it can finish only if `x` is 0.
fn atomic_block() -> (Program, [EdgeId; 3]) {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("A", RUNNING);
    let enter = sketch.edge("entry", "<inside>", []);
    let leave = sketch.edge("<inside>", "exit", [Op::wait(is(x, 0))]);
    sketch.thread("B", RUNNING);
    let disturb = sketch.edge("entry", "exit", [increment(x)]);
    sketch.property(PropertyKind::Always(Expr::var(x).ge(Expr::int(0))));
    (sketch.finish(), [enter, leave, disturb])
}

#[test]
fn nobody_else_moves_during_an_atomic_block() {
    let (program, [enter, leave, disturb]) = atomic_block();
    let semantics = Semantics::new(&program);
    let inside = moved(&program, enter, &[]);
    assert_eq!(semantics.atomic_slot(&inside), Some(slot(0)));
    assert_eq!(semantics.step(&inside, slot(1), disturb, &[]), Err(StepError::NotItsTurn(slot(1))));
    let Ok(Outcome::Moved(outside)) = semantics.step(&inside, slot(0), leave, &[]) else { panic!() };
    assert_eq!(semantics.atomic_slot(&outside), None);
}

#[test]
fn a_block_that_cannot_be_finished_is_not_entered() {
    let (program, [enter, leave, disturb]) = atomic_block();
    let semantics = Semantics::new(&program);
    let complete = |state: &State| {
        let mut paths = Vec::new();
        let visit = &mut |path: &[rely_program::Taken], reached: Reached<'_>| {
            assert!(matches!(reached, Reached::State(_)));
            paths.push(path.iter().map(|taken| taken.edge).collect::<Vec<_>>());
        };
        semantics.successors(state, slot(0), &EVERY_VALUE, visit).unwrap();
        paths
    };
    let start = semantics.initial(&[]).unwrap();
    assert_eq!(complete(&start), [vec![enter, leave]]);
    let Ok(Outcome::Moved(disturbed)) = semantics.step(&start, slot(1), disturb, &[]) else { panic!() };
    assert_eq!(complete(&disturbed), Vec::<Vec<EdgeId>>::new());
    assert_eq!(semantics.progress(&disturbed, slot(0), &EVERY_VALUE), Ok((ThreadProgress::Waiting, true)));
    assert_eq!(semantics.is_deadlock(&disturbed, &EVERY_VALUE), Ok(Some(true)));
}

#[test]
fn checks_inside_a_block_fail_even_if_it_cannot_be_finished() {
    let mut sketch = Sketch::new();
    sketch.thread("T", RUNNING);
    let check = sketch.check("inside");
    sketch.edge("entry", "<inside>", []);
    sketch.edge("<inside>", "<stuck>", [Op::Check(Expr::Bool(false), check)]);
    let program = sketch.finish();
    let semantics = Semantics::new(&program);
    let mut failed = Vec::new();
    let start = semantics.initial(&[]).unwrap();
    let visit = &mut |_: &[rely_program::Taken], reached: Reached<'_>| match reached {
        Reached::Failure(check) => failed.push(check),
        Reached::State(_) => panic!("there is no way out"),
    };
    semantics.successors(&start, slot(0), &EVERY_VALUE, visit).unwrap();
    assert_eq!(failed, [check]);
}

/// Whether the initial state of threads with one edge each is a deadlock.
fn check_deadlock(conditions: &[Op], expected: bool) {
    let mut sketch = Sketch::new();
    for (index, condition) in conditions.iter().enumerate() {
        sketch.thread(&format!("T{index}"), RUNNING);
        sketch.edge("entry", "exit", [condition.clone()]);
    }
    let program = sketch.finish();
    let semantics = Semantics::new(&program);
    let start = semantics.initial(&[]).unwrap();
    assert_eq!(semantics.is_deadlock(&start, &EVERY_VALUE), Ok(Some(expected)));
}

#[test]
fn a_deadlock_is_where_somebody_waits_and_nobody_moves() {
    let wait = || Op::wait(Expr::Bool(false));
    let abandon = || Op::assume(Expr::Bool(false));
    check_deadlock(&[], false);
    check_deadlock(&[wait()], true);
    check_deadlock(&[abandon()], false);
    check_deadlock(&[wait(), wait()], true);
    check_deadlock(&[wait(), abandon()], false);
    check_deadlock(&[wait(), Op::Assign(vec![])], false);
    check_deadlock(&[wait(), Op::Halt], false);
    check_deadlock(&[Op::Join(Expr::int(1))], true);
}

#[test]
fn a_thread_that_may_fail_is_not_waiting() {
    let (program, _, _) = one_edge(|sketch, _| {
        let check = sketch.check("fails");
        vec![Op::Check(Expr::Bool(false), check)]
    });
    let semantics = Semantics::new(&program);
    let start = semantics.initial(&[]).unwrap();
    assert_eq!(semantics.progress(&start, slot(0), &EVERY_VALUE), Ok((ThreadProgress::CanMove, true)));
}

#[test]
fn properties_count_threads() {
    let Spawning { program, spawn, work, .. } = spawning();
    let semantics = Semantics::new(&program);
    let worker = program.threads().ids().next().unwrap();
    let entry = program.threads()[worker].entry;
    let count = |state: &State, expr: Expr| semantics.evaluate(state, &expr).unwrap();
    let start = semantics.initial(&[]).unwrap();
    assert_eq!(count(&start, Expr::CountRunning(worker)), 0);
    let Ok(Outcome::Moved(one)) = semantics.step(&start, slot(0), spawn, &[1]) else { panic!() };
    assert_eq!(count(&one, Expr::CountRunning(worker)), 1);
    assert_eq!(count(&one, Expr::CountAt(entry)), 1);
    let Ok(Outcome::Moved(done)) = semantics.step(&one, slot(1), work, &[]) else { panic!() };
    assert_eq!(count(&done, Expr::CountRunning(worker)), 0);
    assert_eq!(count(&done, Expr::CountAt(entry)), 0);
}

#[test]
fn properties_are_looked_at_outside_of_atomic_blocks() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let enter = sketch.edge("entry", "<inside>", [increment(x)]);
    let leave = sketch.edge("<inside>", "exit", []);
    sketch.property(PropertyKind::AtEnd(Expr::Bool(true)));
    sketch.property(PropertyKind::Always(is(x, 0)));
    let program = sketch.finish();
    let semantics = Semantics::new(&program);
    let inside = moved(&program, enter, &[]);
    assert_eq!(semantics.violated_property(&inside), Ok(None));
    let Ok(Outcome::Moved(end)) = semantics.step(&inside, slot(0), leave, &[]) else { panic!() };
    assert_eq!(semantics.violated_property(&end), Ok(Some(1)));
}
