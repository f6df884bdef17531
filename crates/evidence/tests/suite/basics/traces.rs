//! Right traces are replayed; wrong ones are rejected, each for the right reason.

use super::support::{self, check_id, reachable, run_to, step};
use rely_base::{Budget, Id};
use rely_evidence::{
    Claim, Reason, Rejection, TraceFormatError, Verdict, check, fingerprint, replay, trace_from_json,
    trace_to_json,
};
use rely_program::{
    Check, CheckKind, Domain, Expr, Goal, Initial, Op, Place, Program, ProgramBuilder, Property,
    PropertyKind, Scope, Sort, ThreadKind, Trace, Value, Var, Violation,
};
use rely_testing::{Script, classics};

/// What the checker makes of a trace.
fn verdict(program: &Program, goal: Goal, trace: Trace) -> String {
    match check(program, goal, Claim::Unsafe(trace), &Budget::unlimited()).into_verdict() {
        Verdict::Unsafe(shown) => shown.evidence(),
        Verdict::Unknown(Reason::Rejected(Rejection::Trace(defect))) => defect.to_string(),
        other => format!("{other:?}"),
    }
}

/// A right trace, and what becomes of it when something in it is changed.
struct Case {
    program: Program,
    goal: Goal,
    trace: Trace,
}

impl Case {
    fn is_accepted(&self) {
        let expected = format!("a trace of {} steps, replayed", self.trace.steps.len());
        assert_eq!(verdict(&self.program, self.goal, self.trace.clone()), expected);
    }

    fn change(&self, change: impl FnOnce(&mut Trace), expected: &str) {
        let mut trace = self.trace.clone();
        change(&mut trace);
        assert_ne!(trace, self.trace, "nothing was changed");
        assert_eq!(verdict(&self.program, self.goal, trace), expected);
    }
}

/// Two threads that lose an update; the main thread notices.
fn lost_update() -> Case {
    let program = classics::counter(2, false);
    let trace = reachable(&program).1.expect("the update is lost");
    Case { program, goal: Goal::Assert, trace }
}

/// `input` is undetermined, `x` is havocked in an atomic block; `x + input != 3` must hold.
fn inputs() -> Case {
    let mut builder = ProgramBuilder::new("inputs");
    let domain = Domain::Range { low: 0, high: 2 };
    let input = builder.var(Var {
        name: "input".into(),
        sort: Sort::Int,
        scope: Scope::Global,
        length: None,
        initial: Initial::Any(domain),
        span: None,
        atomic: false,
    });
    let x = builder.global("x", Sort::Int, 0);
    builder.requires(Expr::var(input).ne(Expr::int(2)));
    let mut script = Script::start(&mut builder, "T", ThreadKind::Instance { running: true });
    script.atomic(|block| {
        block.step(vec![Op::Havoc(Place::Scalar(x), domain)]);
        block.step(vec![Op::assume(Expr::var(x).ge(Expr::var(input)))]);
    });
    script.assign(x, Expr::int(0));
    script.finish();
    let mut idle = Script::start(&mut builder, "Idle", ThreadKind::Instance { running: true });
    idle.step(vec![]);
    idle.finish();
    let sum = Expr::var(x).add(Expr::var(input));
    builder.property(Property { kind: PropertyKind::Always(sum.ne(Expr::int(3))), span: None });
    builder.property(Property { kind: PropertyKind::AtEnd(Expr::var(x).ne(Expr::int(0))), span: None });
    builder.property(Property { kind: PropertyKind::DeadlockFree, span: None });
    let program = builder.finish().unwrap();
    let trace = run_to(&program, Violation::Property(0), |semantics, state| {
        semantics.violated_property(state) == Ok(Some(0))
    });
    Case { program, goal: Goal::Assert, trace }
}

fn deadlock() -> Case {
    let program = classics::philosophers(2, false);
    let trace = run_to(&program, Violation::Deadlock, |semantics, state| {
        semantics.is_deadlock(state, &support::VALUES) == Ok(Some(true))
    });
    Case { program, goal: Goal::Deadlock, trace }
}

#[test]
fn right_traces_are_accepted() {
    lost_update().is_accepted();
    inputs().is_accepted();
    deadlock().is_accepted();
}

#[test]
fn a_replay_has_all_states_of_the_run() {
    let Case { program, goal, trace } = lost_update();
    let steps = trace.steps.len();
    let replay = replay(&program, goal, trace, &Budget::unlimited()).unwrap();
    // The last step fails and leads nowhere.
    assert_eq!(replay.states().len(), steps);
    assert_eq!((replay.goal(), replay.trace().steps.len()), (goal, steps));
}

#[test]
fn without_any_of_its_steps_a_shortest_trace_is_none() {
    for case in [lost_update(), inputs(), deadlock()] {
        for index in 0..case.trace.steps.len() {
            let mut trace = case.trace.clone();
            trace.steps.remove(index);
            let verdict = verdict(&case.program, case.goal, trace);
            assert!(!verdict.ends_with("replayed"), "without step {index}: {verdict}");
        }
    }
}

#[test]
fn wrong_steps_are_rejected() {
    let case = lost_update();
    let last = case.trace.steps.len() - 1;
    case.change(|trace| _ = trace.steps.pop(), "the last step of the trace does not fail check 0");
    case.change(
        |trace| _ = trace.steps.remove(0),
        "step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 4",
    );
    case.change(
        |trace| trace.steps.swap(0, 1),
        "step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 4",
    );
    case.change(
        |trace| trace.steps[0].slot = step(7, 0, &[]).slot,
        "step 1 of the trace does not exist: there is no thread in slot 7",
    );
    case.change(
        |trace| trace.steps[2].slot = step(0, 0, &[]).slot,
        "step 3 of the trace does not exist: the thread in slot 0 is not at the source of edge 0",
    );
    case.change(
        |trace| trace.steps[1].edge = step(0, 99, &[]).edge,
        "step 2 of the trace does not exist: the program has no edge 99",
    );
    case.change(
        |trace| trace.steps[1].choices.push(0),
        "step 2 of the trace does not exist: 1 choices for 0 nondeterministic values",
    );
    case.change(
        |trace| trace.steps.push(trace.steps[last].clone()),
        &format!("step {} of the trace already fails a check", last + 1),
    );
    case.change(|trace| trace.steps.insert(2, step(0, 5, &[])), "step 3 of the trace is blocked");
    case.change(|trace| trace.steps.clear(), "the last step of the trace does not fail check 0");
    case.change(
        |trace| trace.steps.push(step(0, 8, &[])),
        &format!("step {} of the trace already fails a check", last + 1),
    );
}

#[test]
fn wrong_inputs_are_rejected() {
    let case = inputs();
    case.change(
        |trace| trace.initial[0] = 2,
        "the trace does not start: the initial values do not satisfy the precondition",
    );
    case.change(
        |trace| trace.initial[0] = 3,
        "the trace does not start: the initial value 3 is outside of its domain",
    );
    case.change(
        |trace| trace.initial.clear(),
        "the trace does not start: 0 initial values for 1 undetermined cells",
    );
    case.change(
        |trace| trace.initial.push(0),
        "the trace does not start: 2 initial values for 1 undetermined cells",
    );
    case.change(|trace| trace.initial[0] = 0, "the last state of the trace satisfies the property");
    let havoc = case.trace.steps.iter().position(|step| !step.choices.is_empty()).unwrap();
    case.change(
        |trace| trace.steps[havoc].choices[0] = 3,
        "step 2 of the trace does not exist: the choice 3 is outside of its domain",
    );
    case.change(
        |trace| trace.steps[havoc].choices.clear(),
        "step 2 of the trace does not exist: 0 choices for 1 nondeterministic values",
    );
    case.change(|trace| trace.steps[havoc].choices[0] = 0, "step 3 of the trace is blocked");
    case.change(
        |trace| trace.steps[havoc].choices[0] = 1,
        "the last state of the trace satisfies the property",
    );
    case.change(|trace| _ = trace.steps.pop(), "the trace ends inside an atomic block");
    case.change(
        |trace| trace.steps.insert(2, step(1, 6, &[])),
        "step 3 of the trace does not exist: the thread in slot 1 may not move now",
    );
}

#[test]
fn wrong_violations_are_rejected() {
    let case = inputs();
    let violation = |index| move |trace: &mut Trace| trace.violation = Violation::Property(index);
    case.change(violation(1), "the last state of the trace satisfies the property");
    case.change(violation(2), "the claimed violation does not violate the property `assert`");
    case.change(violation(3), "the program has no such check or property");
    case.change(violation(usize::MAX), "the program has no such check or property");
    case.change(
        |trace| trace.violation = Violation::Check(check_id(0)),
        "the program has no such check or property",
    );
    case.change(
        |trace| trace.violation = Violation::Deadlock,
        "the claimed violation does not violate the property `assert`",
    );

    let case = deadlock();
    case.change(|trace| _ = trace.steps.pop(), "the last state of the trace is not a deadlock");
    case.change(|trace| trace.steps.clear(), "the last state of the trace is not a deadlock");
    case.change(|trace| trace.steps.push(step(0, 1, &[])), "step 3 of the trace is blocked");
    case.change(
        |trace| trace.violation = Violation::Property(0),
        "the program has no such check or property",
    );

    for goal in [Goal::Overflow, Goal::Race, Goal::Termination, Goal::Deadlock] {
        let other = Case { goal, ..lost_update() };
        let expected = format!("the claimed violation does not violate the property `{goal}`");
        assert_eq!(verdict(&other.program, goal, other.trace), expected);
    }
}

/// A thread that passes two checks of different kinds, of which the second one fails.
#[test]
fn the_check_that_fails_must_be_the_claimed_one() {
    let mut builder = ProgramBuilder::new("two checks");
    let mut check_of = |kind| builder.check(Check { kind, message: "fails".into(), span: None });
    let (first, second) = (check_of(CheckKind::Assertion), check_of(CheckKind::Overflow));
    let thread = builder.thread("T", ThreadKind::Instance { running: true });
    let ops = vec![Op::Check(Expr::Bool(true), first), Op::Check(Expr::Bool(false), second)];
    builder.edge(builder.entry(thread), builder.exit(thread), ops, None);
    let program = builder.finish().unwrap();
    let trace =
        |check| Trace { initial: vec![], steps: vec![step(0, 0, &[])], violation: Violation::Check(check) };
    assert_eq!(verdict(&program, Goal::Overflow, trace(second)), "a trace of 1 step, replayed");
    assert_eq!(
        verdict(&program, Goal::Assert, trace(first)),
        "the last step of the trace fails check 1, which is not the claimed violation"
    );
    assert_eq!(
        verdict(&program, Goal::Assert, trace(second)),
        "the claimed violation does not violate the property `assert`"
    );
}

/// A thread that waits until a value from a large domain satisfies it may be able to move.
#[test]
fn an_uncertain_deadlock_is_none() {
    let mut builder = ProgramBuilder::new("uncertain");
    let x = builder.global("x", Sort::Int, 0);
    let thread = builder.thread("T", ThreadKind::Instance { running: true });
    let ops = vec![Op::Havoc(Place::Scalar(x), Domain::AllInts), Op::wait(Expr::var(x).eq(Expr::int(77)))];
    builder.edge(builder.entry(thread), builder.exit(thread), ops, None);
    let program = builder.finish().unwrap();
    let trace = Trace { initial: vec![], steps: vec![], violation: Violation::Deadlock };
    assert_eq!(
        verdict(&program, Goal::Deadlock, trace),
        "it is not certain that the last state of the trace is a deadlock"
    );
}

#[test]
fn a_budget_that_is_used_up_checks_nothing() {
    let Case { program, goal, trace } = lost_update();
    let budget = Budget::builder().time(std::time::Duration::ZERO).build();
    let Verdict::Unknown(reason) = check(&program, goal, Claim::Unsafe(trace), &budget).into_verdict() else {
        panic!("there was no time for a verdict");
    };
    assert_eq!(reason.to_string(), "the evidence could not be checked: the time limit was reached");
}

#[test]
fn json_keeps_traces() {
    for case in [lost_update(), inputs(), deadlock()] {
        let json = trace_to_json(&case.program, case.goal, &case.trace);
        assert_eq!(trace_from_json(&case.program, &json).unwrap(), (case.goal, case.trace));
    }
}

#[test]
fn json_keeps_large_numbers() {
    let program = lost_update().program;
    let initial = vec![Value::MAX, Value::MIN, -1, 1 << 100];
    let trace = Trace { initial, steps: vec![], violation: Violation::Deadlock };
    let json = trace_to_json(&program, Goal::Deadlock, &trace);
    assert_eq!(trace_from_json(&program, &json).unwrap().1, trace);
}

#[test]
fn json_has_a_stable_shape() {
    let program = ProgramBuilder::new("nothing").finish().unwrap();
    let steps = vec![step(1, 2, &[-3])];
    let trace = Trace { initial: vec![4], steps, violation: Violation::Check(check_id(5)) };
    let expected = format!(
        "{{\"format\":\"rely-trace\",\"version\":1,\"program\":{{\"name\":\"nothing\",\"fingerprint\":\"{:016x}\"}},\
         \"property\":\"assert\",\"initial\":[4],\"steps\":[{{\"thread\":1,\"edge\":2,\"choices\":[-3]}}],\
         \"violation\":{{\"check\":5}}}}",
        fingerprint(&program)
    );
    assert_eq!(trace_to_json(&program, Goal::Assert, &trace), expected);
}

#[test]
fn fingerprints_tell_programs_apart() {
    let programs = [classics::counter(2, false), classics::counter(2, true), classics::counter(3, false)];
    let prints: Vec<u64> = programs.iter().map(fingerprint).collect();
    assert_eq!(prints[0], fingerprint(&classics::counter(2, false)));
    assert!(prints[0] != prints[1] && prints[1] != prints[2] && prints[0] != prints[2]);
}

#[test]
fn json_that_is_no_trace_is_refused() {
    let Case { program, goal, trace } = lost_update();
    let good = trace_to_json(&program, goal, &trace);
    let refused = |json: &str| trace_from_json(&program, json).expect_err("it is no trace").to_string();
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{good}");
        refused(&good.replacen(from, to, 1))
    };
    assert_eq!(changed("rely-trace", "other"), "this is not a trace but a file of the format `other`");
    assert_eq!(changed("\"version\":1", "\"version\":2"), "unsupported trace version 2");
    assert_eq!(changed("\"assert\"", "\"magic\""), "there is no property `magic`");
    let other = changed(&format!("{:016x}", fingerprint(&program)), "0");
    assert_eq!(other, "the trace belongs to another program, `counter`, or to another version of it");
    let is_syntax = |json: &str| matches!(trace_from_json(&program, json), Err(TraceFormatError::Syntax(_)));
    for (from, to) in [
        ("\"thread\":0", "\"thread\":-1"),
        ("\"thread\":0", "\"thread\":4294967296"),
        ("\"edge\":", "\"edge\":1e3,\"x\":"),
        ("\"choices\":[]", "\"choices\":[170141183460469231731687303715884105728]"),
        ("\"choices\":[]", "\"choices\":null"),
        ("\"initial\":[]", "\"initial\":[true]"),
        ("\"violation\":{\"check\":0}", "\"violation\":{\"check\":0,\"property\":1}"),
        ("\"violation\":{\"check\":0}", "\"violation\":\"sadness\""),
        ("\"steps\":[", "\"steps\":[["),
        ("\"program\":{", "\"program\":{\"extra\":1,"),
    ] {
        assert!(good.contains(from), "{good}");
        assert!(is_syntax(&good.replacen(from, to, 1)), "{from} -> {to}");
    }
    for length in 0..good.len() {
        assert!(is_syntax(&good[..length]));
    }
    for hostile in ["null", "[]", "{}", "\u{0}", &"[".repeat(100_000), &"{\"format\":".repeat(10_000)] {
        assert!(is_syntax(hostile));
    }
}

/// Whatever is written into a trace, the replayer neither panics nor believes it blindly: what
/// it accepts ends in the violation that is claimed.
#[test]
fn scrambled_traces_do_no_harm() {
    let mut rng = rely_testing::Random::new(7);
    for case in [lost_update(), inputs(), deadlock()] {
        for _ in 0..2_000 {
            let mut trace = case.trace.clone();
            for _ in 0..1 + rng.below(3) {
                scramble(&mut trace, &mut rng);
            }
            if let Ok(replay) = replay(&case.program, case.goal, trace.clone(), &Budget::unlimited()) {
                assert_eq!(replay.violation(), trace.violation);
                let json = trace_to_json(&case.program, case.goal, &trace);
                assert_eq!(trace_from_json(&case.program, &json).unwrap().1, trace);
            }
        }
    }
}

fn scramble(trace: &mut Trace, rng: &mut rely_testing::Random) {
    let at = rng.below(trace.steps.len().max(1));
    match (rng.below(7), trace.steps.get_mut(at)) {
        (0, Some(_)) => _ = trace.steps.remove(at),
        (1, Some(step)) => step.edge = rely_program::EdgeId::from_index(rng.below(12)),
        (2, Some(step)) => step.slot = rely_program::SlotId::from_index(rng.below(4)),
        (3, Some(step)) => step.choices = vec![rng.below(4) as Value],
        (4, _) => trace.steps.insert(at, step(rng.below(3), rng.below(12), &[])),
        (5, _) => trace.initial = vec![rng.below(4) as Value - 1],
        _ => {
            let choices = [
                Violation::Deadlock,
                Violation::Property(rng.below(4)),
                Violation::Check(check_id(rng.below(3))),
            ];
            trace.violation = *rng.pick(&choices);
        }
    }
}
