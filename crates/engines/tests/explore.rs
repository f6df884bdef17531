//! What exploration finds: exact counts for classic programs, so that a lost or doubled state
//! shows; goals, budgets, and nondeterminism.

use expect_test::{Expect, expect};
use rely_base::{Budget, CancelToken, Observer, Progress, Silent, SourceMap, StopReason};
use rely_engines::explore::Limits;
use rely_engines::{Engine, Explore, ExploreOptions};
use rely_evidence::{Claim, Proof, Reason, Verdict, check};
use rely_program::{
    BinaryOp, Check, CheckKind, Domain, Expr, Goal, Initial, IntType, Op, Place, Program, ProgramBuilder,
    Property, PropertyKind, Scope, Sort, StepError, ThreadKind, Var, VarId,
};
use rely_testing::{Script, classics};
use std::sync::Mutex;
use std::time::Duration;

const RUNNING: ThreadKind = ThreadKind::Instance { running: true };

fn explore_with(options: ExploreOptions, program: &Program, goal: Goal) -> String {
    let budget = Budget::unlimited();
    let claim = Explore { options }.run(program, goal, &budget, &Silent);
    let transitions = match &claim {
        Claim::Safe(Proof::Exhausted(exhausted)) => exhausted.transitions,
        _ => 0,
    };
    match check(program, goal, claim, &budget).into_verdict() {
        Verdict::Safe(proved) => {
            let Proof::Exhausted(exhausted) = proved.proof() else { unreachable!("exploration exhausts") };
            format!("safe: {} states, {transitions} transitions", exhausted.states)
        }
        Verdict::Unsafe(shown) => format!("unsafe: {} steps", shown.replay().trace().steps.len()),
        Verdict::Unknown(reason) => format!("unknown: {reason}"),
    }
}

fn explore(program: &Program, goal: Goal, reduction: bool) -> String {
    explore_with(ExploreOptions { reduction, ..ExploreOptions::default() }, program, goal)
}

/// The findings without and with reduction.
fn check_program(program: &Program, goal: Goal, expected: Expect) {
    let found = [false, true].map(|reduction| explore(program, goal, reduction));
    expected.assert_eq(&found.join("\n"));
}

#[test]
fn peterson() {
    check_program(
        &classics::peterson(true),
        Goal::Assert,
        expect![[r#"
        safe: 42 states, 76 transitions
        safe: 42 states, 73 transitions"#]],
    );
    check_program(
        &classics::peterson(true),
        Goal::Deadlock,
        expect![[r#"
        safe: 42 states, 76 transitions
        safe: 40 states, 66 transitions"#]],
    );
    check_program(
        &classics::peterson(false),
        Goal::Assert,
        expect![[r#"
        unsafe: 6 steps
        unsafe: 6 steps"#]],
    );
}

#[test]
fn dekker() {
    check_program(
        &classics::dekker(),
        Goal::Assert,
        expect![[r#"
        safe: 170 states, 322 transitions
        safe: 160 states, 276 transitions"#]],
    );
    check_program(
        &classics::dekker(),
        Goal::Deadlock,
        expect![[r#"
            safe: 170 states, 322 transitions
            safe: 170 states, 322 transitions"#]],
    );
}

#[test]
fn philosophers() {
    check_program(
        &classics::philosophers(3, true),
        Goal::Deadlock,
        expect![[r#"
        safe: 72 states, 178 transitions
        safe: 48 states, 93 transitions"#]],
    );
    check_program(
        &classics::philosophers(5, true),
        Goal::Deadlock,
        expect![[r#"
        safe: 1424 states, 5916 transitions
        safe: 821 states, 1890 transitions"#]],
    );
    check_program(
        &classics::philosophers(3, false),
        Goal::Deadlock,
        expect![[r#"
        unsafe: 3 steps
        unsafe: 3 steps"#]],
    );
    check_program(
        &classics::philosophers(5, false),
        Goal::Deadlock,
        expect![[r#"
        unsafe: 5 steps
        unsafe: 5 steps"#]],
    );
}

#[test]
fn counters() {
    check_program(
        &classics::counter(2, true),
        Goal::Assert,
        expect![[r#"
        safe: 52 states, 72 transitions
        safe: 31 states, 30 transitions"#]],
    );
    check_program(
        &classics::counter(3, true),
        Goal::Assert,
        expect![[r#"
        safe: 335 states, 623 transitions
        safe: 110 states, 109 transitions"#]],
    );
    check_program(
        &classics::counter(2, false),
        Goal::Assert,
        expect![[r#"
        unsafe: 11 steps
        unsafe: 11 steps"#]],
    );
    check_program(
        &classics::counter(3, false),
        Goal::Assert,
        expect![[r#"
        unsafe: 16 steps
        unsafe: 16 steps"#]],
    );
}

#[test]
fn independent_workers_need_one_interleaving() {
    check_program(
        &classics::independent(2, 3),
        Goal::Assert,
        expect![[r#"
        safe: 172 states, 314 transitions
        safe: 29 states, 28 transitions"#]],
    );
    check_program(
        &classics::independent(3, 5),
        Goal::Assert,
        expect![[r#"
        safe: 6520 states, 18470 transitions
        safe: 60 states, 59 transitions"#]],
    );
}

#[test]
fn counts_are_the_same_on_every_run() {
    let program = classics::philosophers(4, true);
    let first = explore(&program, Goal::Deadlock, true);
    for _ in 0..3 {
        assert_eq!(explore(&program, Goal::Deadlock, true), first);
    }
}

fn any(builder: &mut ProgramBuilder, name: &str, domain: Domain) -> VarId {
    let (sort, initial) = (domain.sort(), Initial::Any(domain));
    builder.var(Var {
        name: name.into(),
        sort,
        scope: Scope::Global,
        length: None,
        initial,
        span: None,
        atomic: false,
    })
}

/// `var x: int; requires ...; A { while x < 10 { x := x + 1 } }  B { x := 20 }  ensures ...`
fn triple(requires: fn(Expr) -> Expr, ensures: fn(Expr) -> Expr) -> Program {
    let mut builder = ProgramBuilder::new("triple");
    let x = any(&mut builder, "x", Domain::AllInts);
    builder.requires(requires(Expr::var(x)));
    let mut a = Script::start(&mut builder, "A", RUNNING);
    a.repeat_while(Expr::var(x).lt(Expr::int(10)), |body| body.assign(x, Expr::var(x).add(Expr::int(1))));
    a.finish();
    let mut b = Script::start(&mut builder, "B", RUNNING);
    b.assign(x, Expr::int(20));
    b.finish();
    builder.property(Property { kind: PropertyKind::AtEnd(ensures(Expr::var(x))), span: None });
    builder.finish().unwrap()
}

#[test]
fn preconditions_determine_initial_values() {
    let ends = |x: Expr| x.clone().eq(Expr::int(20)).or(x.eq(Expr::int(21)));
    check_program(
        &triple(|x| x.eq(Expr::int(0)), ends),
        Goal::Assert,
        expect![[r#"
        safe: 51 states, 88 transitions
        safe: 43 states, 62 transitions"#]],
    );
    check_program(
        &triple(|x| x.between(-3, 3), ends),
        Goal::Assert,
        expect![[r#"
        safe: 60 states, 106 transitions
        safe: 56 states, 88 transitions"#]],
    );
    check_program(
        &triple(|x| x.ge(Expr::int(0)), ends),
        Goal::Assert,
        expect![[r#"
        unknown: not all values of a nondeterministic choice can be tried; those that were sampled show no violation
        unknown: not all values of a nondeterministic choice can be tried; those that were sampled show no violation"#]],
    );
    check_program(
        &triple(|x| x.eq(Expr::int(0)), |x| x.eq(Expr::int(20))),
        Goal::Assert,
        expect![[r#"
        unsafe: 7 steps
        unsafe: 7 steps"#]],
    );
    // Nothing starts, so nothing goes wrong.
    check_program(
        &triple(|x| x.between(1, 0), |_| Expr::Bool(false)),
        Goal::Assert,
        expect![[r#"
        safe: 0 states, 0 transitions
        safe: 0 states, 0 transitions"#]],
    );
}

/// A thread that gets a value of the domain and asserts that it is not `bad`.
fn guess(domain: Domain, bad: i128) -> Program {
    let mut builder = ProgramBuilder::new("guess");
    let x = builder.global("x", Sort::Int, 0);
    let mut script = Script::start(&mut builder, "T", RUNNING);
    script.step(vec![Op::Havoc(Place::Scalar(x), domain)]);
    script.assert(Expr::var(x).ne(Expr::int(bad)));
    script.finish();
    builder.finish().unwrap()
}

#[test]
fn large_domains_are_sampled_at_constants() {
    let int = IntType { bits: 32, signed: true }.domain();
    check_program(
        &guess(int, 123_456),
        Goal::Assert,
        expect![[r#"
        unsafe: 2 steps
        unsafe: 2 steps"#]],
    );
    check_program(
        &guess(Domain::AllInts, -7),
        Goal::Assert,
        expect![[r#"
        unsafe: 2 steps
        unsafe: 2 steps"#]],
    );
    check_program(
        &guess(int, 1 << 40),
        Goal::Assert,
        expect![[r#"
        unknown: not all values of a nondeterministic choice can be tried; those that were sampled show no violation
        unknown: not all values of a nondeterministic choice can be tried; those that were sampled show no violation"#]],
    );
    check_program(
        &guess(Domain::Range { low: 1, high: 256 }, 300),
        Goal::Assert,
        expect![[r#"
        safe: 769 states, 768 transitions
        safe: 769 states, 768 transitions"#]],
    );
    check_program(
        &guess(Domain::Range { low: 1, high: 257 }, 300),
        Goal::Assert,
        expect![[r#"
        unknown: not all values of a nondeterministic choice can be tried; those that were sampled show no violation
        unknown: not all values of a nondeterministic choice can be tried; those that were sampled show no violation"#]],
    );
    let few =
        ExploreOptions { limits: Limits { choices: 4, ..Limits::default() }, ..ExploreOptions::default() };
    let found = explore_with(few, &guess(Domain::Range { low: 0, high: 5 }, 300), Goal::Assert);
    assert!(found.starts_with("unknown: not all values"), "{found}");
}

#[test]
fn only_checks_of_the_goal_count() {
    let mut builder = ProgramBuilder::new("kinds");
    let mut checks = |kind| builder.check(Check { kind, message: "fails".into(), span: None });
    let (bounds, overflow) = (checks(CheckKind::Bounds), checks(CheckKind::Overflow));
    let mut script = Script::start(&mut builder, "T", RUNNING);
    script.step(vec![Op::Check(Expr::Bool(false), overflow)]);
    script.step(vec![Op::Check(Expr::Bool(false), bounds)]);
    script.finish();
    let program = builder.finish().unwrap();
    check_program(
        &program,
        Goal::Overflow,
        expect![[r#"
        unsafe: 1 steps
        unsafe: 1 steps"#]],
    );
    // The failed check ends the run, so the other one is never reached.
    check_program(
        &program,
        Goal::Assert,
        expect![[r#"
        safe: 1 states, 1 transitions
        safe: 1 states, 1 transitions"#]],
    );
    check_program(
        &program,
        Goal::Deadlock,
        expect![[r#"
        safe: 1 states, 1 transitions
        safe: 1 states, 1 transitions"#]],
    );
    check_program(
        &program,
        Goal::Race,
        expect![[r#"
        unknown: the engine `explore` does not decide the property `race`
        unknown: the engine `explore` does not decide the property `race`"#]],
    );
    // A step that fails a check of another goal is the last one.
    for goal in [Goal::Termination, Goal::FairTermination] {
        let found = explore(&program, goal, false);
        assert!(found.starts_with("safe"), "{goal}: {found}");
    }
}

#[test]
fn waiting_is_a_deadlock_and_a_failed_assumption_is_not() {
    let stuck = |op: fn(Expr) -> Op| {
        let mut builder = ProgramBuilder::new("stuck");
        let mut script = Script::start(&mut builder, "T", RUNNING);
        script.step(vec![op(Expr::Bool(false))]);
        script.finish();
        builder.finish().unwrap()
    };
    check_program(
        &stuck(Op::wait),
        Goal::Deadlock,
        expect![[r#"
        unsafe: 0 steps
        unsafe: 0 steps"#]],
    );
    check_program(
        &stuck(Op::assume),
        Goal::Deadlock,
        expect![[r#"
        safe: 1 states, 0 transitions
        safe: 1 states, 0 transitions"#]],
    );
}

/// A thread that counts forever.
fn endless() -> Program {
    let mut builder = ProgramBuilder::new("endless");
    let x = builder.global("x", Sort::Int, 0);
    let mut script = Script::start(&mut builder, "T", RUNNING);
    let start = script.here();
    script.assign(x, Expr::var(x).add(Expr::int(1)));
    script.go_to(start);
    builder.finish().unwrap()
}

#[test]
fn limits_end_in_unknown() {
    let limited = ExploreOptions { max_states: Some(100), ..ExploreOptions::default() };
    assert_eq!(explore_with(limited, &endless(), Goal::Assert), "unknown: more than 100 states were found");
    let run = |budget: Budget| match Explore::default().run(&endless(), Goal::Assert, &budget, &Silent) {
        Claim::Unknown(reason) => reason.to_string(),
        other => panic!("an endless run was decided: {other:?}"),
    };
    assert_eq!(run(Budget::builder().memory_bytes(1 << 20).build()), "the memory limit was reached");
    assert_eq!(run(Budget::builder().time(Duration::from_millis(20)).build()), "the time limit was reached");
    let token = CancelToken::new();
    token.cancel();
    assert_eq!(run(Budget::builder().token(token).build()), "cancelled");
}

/// Inputs on which a single step takes long: many combinations of values, all of them blocked,
/// and an atomic block that goes on and on.
#[test]
fn long_steps_can_be_stopped_too() {
    let mut builder = ProgramBuilder::new("combinations");
    let byte = IntType { bits: 8, signed: false }.domain();
    let vars: Vec<VarId> = (0..8).map(|index| builder.global(format!("x{index}"), Sort::Int, 0)).collect();
    let mut script = Script::start(&mut builder, "T", RUNNING);
    let mut ops: Vec<Op> = vars.iter().map(|&var| Op::Havoc(Place::Scalar(var), byte)).collect();
    ops.push(Op::wait(Expr::Bool(false)));
    script.step(ops);
    script.finish();
    stops_soon(&builder.finish().unwrap());

    let mut builder = ProgramBuilder::new("endless block");
    let x = builder.global("x", Sort::Int, 0);
    for name in ["A", "B"] {
        let mut script = Script::start(&mut builder, name, RUNNING);
        script.atomic(|block| {
            block.repeat_while(Expr::Bool(true), |body| body.assign(x, Expr::var(x).add(Expr::int(1))));
        });
        script.finish();
    }
    stops_soon(&builder.finish().unwrap());
}

/// Without a look at the budget in between this would take years.
fn stops_soon(program: &Program) {
    let budget = Budget::builder().time(Duration::from_millis(30)).build();
    let claim = Explore::default().run(program, Goal::Assert, &budget, &Silent);
    let Claim::Unknown(reason) = claim else { panic!("decided: {claim:?}") };
    let endless = Reason::NoMeaning(StepError::EndlessAtomicBlock);
    assert!(reason == Reason::Stopped(StopReason::Time) || reason == endless, "{reason}");
}

#[test]
fn what_has_no_meaning_is_unknown_unless_something_else_is_wrong() {
    let division = |also_wrong: bool| {
        let mut builder = ProgramBuilder::new("division");
        let x = builder.global("x", Sort::Int, 0);
        let mut a = Script::start(&mut builder, "A", RUNNING);
        a.assign(x, Expr::binary(BinaryOp::Div, Expr::int(1), Expr::var(x)));
        a.finish();
        let mut b = Script::start(&mut builder, "B", RUNNING);
        b.step(vec![]);
        b.assert(Expr::Bool(!also_wrong));
        b.finish();
        builder.finish().unwrap()
    };
    check_program(
        &division(false),
        Goal::Assert,
        expect![[r#"
        unknown: a run cannot be continued: division by zero
        unknown: a run cannot be continued: division by zero"#]],
    );
    check_program(
        &division(true),
        Goal::Assert,
        expect![[r#"
        unsafe: 2 steps
        unsafe: 2 steps"#]],
    );
}

/// Reduction first follows the thread that nobody interferes with; the shorter way is found.
#[test]
fn traces_are_shortest_even_with_reduction() {
    let mut builder = ProgramBuilder::new("detour");
    let (x, y) = (builder.global("x", Sort::Int, 0), builder.global("y", Sort::Int, 0));
    let mut a = Script::start(&mut builder, "A", RUNNING);
    for value in 1..10 {
        a.assign(x, Expr::int(value));
    }
    a.finish();
    let mut b = Script::start(&mut builder, "B", RUNNING);
    b.assign(y, Expr::int(1));
    b.assert(Expr::var(y).eq(Expr::int(0)));
    b.finish();
    let program = builder.finish().unwrap();
    assert_eq!(explore(&program, Goal::Assert, true), "unsafe: 2 steps");
    let hasty = ExploreOptions { shortest: false, ..ExploreOptions::default() };
    assert_eq!(explore_with(hasty, &program, Goal::Assert), "unsafe: 12 steps");
}

#[test]
fn progress_is_reported() {
    #[derive(Default)]
    struct Listener(Mutex<Vec<Progress>>);
    impl Observer for Listener {
        fn progress(&self, progress: &Progress) {
            self.0.lock().unwrap().push(progress.clone());
        }
    }
    let listener = Listener::default();
    let program = classics::peterson(true);
    let options = ExploreOptions { reduction: false, ..ExploreOptions::default() };
    let claim = Explore { options }.run(&program, Goal::Assert, &Budget::unlimited(), &listener);
    let Claim::Safe(Proof::Exhausted(exhausted)) = claim else { panic!("peterson is safe") };
    let reports = listener.0.into_inner().unwrap();
    let names: Vec<&str> = reports[0].counts.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["states", "transitions", "frontier", "depth", "bytes"]);
    assert_eq!(reports[0].counts[0].1, 1);
    let last = &reports[reports.len() - 1].counts;
    assert_eq!((last[0].1, last[1].1, last[2].1), (exhausted.states, exhausted.transitions, 0));
}

#[test]
fn unsupported_goals_are_named() {
    let claim = Explore::default().run(&endless(), Goal::Race, &Budget::unlimited(), &Silent);
    let Claim::Unknown(reason) = claim else { panic!("races are not decided") };
    assert_eq!(reason, Reason::UnsupportedGoal { engine: "explore", goal: Goal::Race });
}

/// Whether every run ends, and whether every fair one does.
fn check_ends(model: &str, [all, fair]: [&str; 2]) {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    let program =
        rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"));
    for (goal, expected) in [(Goal::Termination, all), (Goal::FairTermination, fair)] {
        let found = explore(&program, goal, false);
        assert!(found.starts_with(expected), "{goal}: {found}\n{model}");
    }
}

#[test]
fn fair_runs_leave_nobody_out() {
    check_ends("thread A { skip; } thread B { skip; }", ["safe", "safe"]);
    check_ends("thread A { while true { skip; } }", ["unsafe", "unsafe"]);
    check_ends("var f: bool; thread A { await f; }", ["unsafe", "unsafe"]);
    let spin = "var f: bool = false; thread A { while !f { skip; } }";
    check_ends(&format!("{spin} thread B {{ f := true; }}"), ["unsafe", "safe"]);
    check_ends(&format!("{spin} thread B {{ skip; }}"), ["unsafe", "unsafe"]);
    check_ends(&format!("{spin} thread B {{ await false; f := true; }}"), ["unsafe", "unsafe"]);
    // Two threads that both spin make steps that look alike.
    check_ends("thread A { while true { skip; } } thread B { while true { skip; } }", ["unsafe", "unsafe"]);
    // Inside of an atomic block nobody else gets a turn; between blocks everybody does.
    let block = "var f: bool = false; thread B { f := true; }";
    check_ends(
        &format!("{block} thread A {{ while !f {{ atomic {{ skip; skip; }} }} }}"),
        ["unsafe", "safe"],
    );
    // Who cannot take a lock again and again may never take it: weak fairness does not promise more.
    let starving = "var m: mutex; var f: bool = false;
        thread A { while !f { lock(m); skip; unlock(m); } } thread B { lock(m); f := true; unlock(m); }";
    check_ends(starving, ["unsafe", "unsafe"]);
    // Both try to get both locks, and give up at the same time, for ever.
    let back_off = "var a, b: int = 0;
        thread A { local got: bool = false;
            while !got { await a == 0 do { a := 1; } if b == 0 { b := 1; got := true; } else { a := 0; } } }
        thread B { local got: bool = false;
            while !got { await b == 0 do { b := 2; } if a == 0 { a := 2; got := true; } else { b := 0; } } }";
    check_ends(back_off, ["unsafe", "unsafe"]);
}
