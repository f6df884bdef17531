//! Threads that wait for ever while others go on: who is stuck is found out by the replay, not believed.

use rely_base::{Budget, Id};
use rely_evidence::{Claim, Exhausted, Proof, Reduction, Verdict, check, replay};
use rely_program::{
    Domain, Expr, Goal, Op, Place, Program, ProgramBuilder, Sort, ThreadKind, Trace, VarId, Violation,
};
use rely_testing::Script;

/// `Waits` waits for `x`, `Patient` for `y`, and `Runs` takes these steps again and again.
fn program(steps: impl Fn(&mut Script<'_>, [VarId; 2])) -> Program {
    let mut builder = ProgramBuilder::new("waits");
    let [x, y] = ["x", "y"].map(|name| builder.global(name, Sort::Int, 0));
    for (name, var) in [("Waits", x), ("Patient", y)] {
        let mut script = Script::start(&mut builder, name, ThreadKind::Instance { running: true });
        script.step(vec![Op::wait(Expr::var(var).eq(Expr::int(1)))]);
        script.finish();
    }
    let mut script = Script::start(&mut builder, "Runs", ThreadKind::Instance { running: true });
    let start = script.here();
    steps(&mut script, [x, y]);
    script.go_to(start);
    builder.finish().expect("well formed")
}

/// Who is stuck in the first state, or why that is no deadlock; and whether all states prove that there is none.
fn check_first_state(program: &Program, expect: Result<&[usize], &str>) {
    let trace = Trace { initial: vec![], steps: vec![], violation: Violation::Deadlock };
    let found = replay(program, Goal::Deadlock, trace, &Budget::unlimited());
    let found = found.map(|replay| replay.stuck().iter().map(|slot| slot.index()).collect::<Vec<_>>());
    let found = found.map_err(|reason| reason.to_string());
    assert_eq!(found.as_deref().map_err(String::as_str), expect);
}

fn proves(program: &Program, states: u64) -> bool {
    let exhausted = Exhausted { states, transitions: 0, reduction: Reduction::None, visited: None };
    let claim = Claim::Safe(Proof::Exhausted(exhausted));
    matches!(check(program, Goal::Deadlock, claim, &Budget::unlimited()).into_verdict(), Verdict::Safe(_))
}

#[test]
fn one_is_stuck_while_others_go_on() {
    let program = program(|script, [_, y]| script.assign(y, Expr::int(1).sub(Expr::var(y))));
    check_first_state(&program, Ok(&[0]));
    assert!((1..20).all(|states| !proves(&program, states)));
}

#[test]
fn a_way_out_in_some_future_is_enough() {
    let program = program(|script, [x, y]| {
        script.assign(y, Expr::int(1).sub(Expr::var(y)));
        script.assign(x, Expr::int(1).sub(Expr::var(x)));
    });
    check_first_state(
        &program,
        Err("the evidence was rejected: the last state of the trace is not a deadlock"),
    );
    assert!((1..200).any(|states| proves(&program, states)));
}

#[test]
fn the_end_of_the_program_is_a_way_out() {
    let program = program(|script, _| script.step(vec![Op::Halt]));
    check_first_state(
        &program,
        Err("the evidence was rejected: the last state of the trace is not a deadlock"),
    );
}

#[test]
fn a_way_out_in_runs_that_do_not_count_is_none() {
    let program = program(|script, [x, _]| {
        script.step(vec![Op::Havoc(Place::Scalar(x), Domain::Range { low: 0, high: 1 })]);
        script.step(vec![Op::assume(Expr::var(x).eq(Expr::int(0)))]);
    });
    check_first_state(&program, Ok(&[0, 1]));
}

#[test]
fn where_no_run_counts_nobody_is_stuck() {
    let program = program(|script, _| script.step(vec![Op::assume(Expr::Bool(false))]));
    check_first_state(
        &program,
        Err("the evidence was rejected: the last state of the trace is not a deadlock"),
    );
}
