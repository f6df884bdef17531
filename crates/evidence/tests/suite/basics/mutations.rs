//! Right traces with one thing changed, systematically: each step dropped, repeated, exchanged
//! with the next one, given to another thread, led along another edge or given a superfluous value;
//! and the start, the end and the claim changed. Each snapshot has one line per mutation with the
//! reason for which the replayer rejects it. A few mutations are runs that fail just as well;
//! their lines say so.

use super::support::{check_id, reachable, run_to, step};
use expect_test::{Expect, expect};
use rely_base::{Budget, Id};
use rely_evidence::{Reason, Rejection, replay, trace_from_json, trace_to_json};
use rely_program::{
    Domain, Expr, Goal, Initial, Op, Place, Program, ProgramBuilder, Property, PropertyKind, Scope, SlotId,
    Sort, ThreadKind, Trace, Var, Violation,
};
use rely_testing::{Script, classics};

/// A program, the goal that it violates, and a run that shows it.
struct Subject {
    program: Program,
    goal: Goal,
    trace: Trace,
}

/// A trace with one thing changed.
struct Mutant {
    what: String,
    goal: Goal,
    trace: Trace,
}

impl Subject {
    fn mutant(&self, what: impl Into<String>, change: impl FnOnce(&mut Trace)) -> Mutant {
        let mut trace = self.trace.clone();
        change(&mut trace);
        Mutant { what: what.into(), goal: self.goal, trace }
    }

    /// Every change of a single step.
    fn of_steps(&self) -> Vec<Mutant> {
        let threads = self.trace.steps.iter().map(|step| step.slot.index() + 1).max().unwrap_or(1);
        let mut mutants = Vec::new();
        for index in 0..self.trace.steps.len() {
            let number = index + 1;
            let slot = self.trace.steps[index].slot.index();
            let edge = self.trace.steps[index].edge.index();
            mutants.push(self.mutant(format!("drop {number}"), |trace| _ = trace.steps.remove(index)));
            mutants.push(self.mutant(format!("repeat {number}"), |trace| {
                trace.steps.insert(index, trace.steps[index].clone());
            }));
            if number < self.trace.steps.len() {
                mutants.push(self.mutant(format!("swap {number}"), |trace| trace.steps.swap(index, number)));
            }
            mutants.push(self.mutant(format!("thread {number}"), |trace| {
                trace.steps[index].slot = SlotId::from_index((slot + 1) % threads);
            }));
            mutants.push(self.mutant(format!("edge {number}"), |trace| {
                trace.steps[index].edge = step(0, edge + 1, &[]).edge;
            }));
            mutants.push(self.mutant(format!("input {number}"), |trace| trace.steps[index].choices.push(9)));
        }
        mutants
    }

    /// Changes of the start, the end, and the claim.
    fn of_frame(&self) -> Vec<Mutant> {
        let violations = [
            ("no check", Violation::Check(check_id(99))),
            ("no property", Violation::Property(99)),
            ("deadlock", Violation::Deadlock),
            ("first check", Violation::Check(check_id(0))),
            ("first property", Violation::Property(0)),
        ];
        let mut mutants = vec![
            self.mutant("nothing", |trace| trace.steps.clear()),
            self.mutant("half", |trace| trace.steps.truncate(trace.steps.len() / 2)),
            self.mutant("no such thread", |trace| trace.steps[0].slot = SlotId::from_index(99)),
            self.mutant("no such edge", |trace| trace.steps[0].edge = step(0, 99, &[]).edge),
            self.mutant("initial value", |trace| trace.initial.push(0)),
        ];
        mutants.extend(
            violations.map(|(what, violation)| self.mutant(what, |trace| trace.violation = violation)),
        );
        for goal in Goal::ALL {
            let mutant = self.mutant(format!("as {goal}"), |_| {});
            mutants.push(Mutant { goal, ..mutant });
        }
        mutants.retain(|mutant| mutant.goal != self.goal || mutant.trace != self.trace);
        mutants
    }

    /// What the replayer says, directly and after the trace was written down and read again.
    fn judge(&self, mutant: &Mutant) -> String {
        let budget = Budget::unlimited();
        let judged = |goal: Goal, trace: Trace| match replay(&self.program, goal, trace, &budget) {
            Ok(_) => "still a run that fails".to_owned(),
            Err(Reason::Rejected(Rejection::Trace(defect))) => defect.to_string(),
            Err(other) => panic!("{other}"),
        };
        let json = trace_to_json(&self.program, mutant.goal, &mutant.trace);
        let (goal, read) =
            trace_from_json(&self.program, &json).expect("a trace that was written can be read");
        let verdict = judged(mutant.goal, mutant.trace.clone());
        assert_eq!(verdict, judged(goal, read), "{}", mutant.what);
        verdict
    }
}

/// All verdicts, and that enough of the mutants are rejected.
fn check(subject: &Subject, mutants: &[Mutant], at_least: usize, expected: &Expect) {
    let untouched = subject.mutant("untouched", |_| {});
    assert_eq!(subject.judge(&untouched), "still a run that fails");
    let mut table = String::new();
    let mut rejected = 0;
    for mutant in mutants {
        let verdict = subject.judge(mutant);
        rejected += usize::from(verdict != "still a run that fails");
        table.push_str(&format!("{}: {verdict}\n", mutant.what));
    }
    expected.assert_eq(&table);
    assert!(rejected >= at_least, "{rejected} rejected");
}

/// Two workers lose an update; `main` starts them, joins them and notices.
fn lost_update() -> Subject {
    let program = classics::counter(2, false);
    let trace = reachable(&program).1.expect("the update is lost");
    Subject { program, goal: Goal::Assert, trace }
}

/// Mutual exclusion in which the flags are raised too late.
fn late_flags() -> Subject {
    let program = classics::peterson(false);
    let trace = run_to(&program, Violation::Property(0), |semantics, state| {
        semantics.violated_property(state) == Ok(Some(0))
    });
    Subject { program, goal: Goal::Assert, trace }
}

fn hungry_philosophers() -> Subject {
    let program = classics::philosophers(3, false);
    let trace = run_to(&program, Violation::Deadlock, |semantics, state| {
        semantics.is_deadlock(state, &super::support::VALUES) == Ok(Some(true))
    });
    Subject { program, goal: Goal::Deadlock, trace }
}

/// `main` starts a thread that exists once, which takes an input in an atomic block that another
/// thread must not interrupt; at the end the input and the initial value must differ.
fn one_input() -> Subject {
    let mut builder = ProgramBuilder::new("one input");
    let domain = Domain::Range { low: 0, high: 2 };
    let start = builder.var(Var {
        name: "start".into(),
        sort: Sort::Int,
        scope: Scope::Global,
        length: None,
        initial: Initial::Any(domain),
        span: None,
        atomic: false,
    });
    let input = builder.global("input", Sort::Int, 0);
    builder.requires(Expr::var(start).ne(Expr::int(0)));
    let mut taker = Script::start(&mut builder, "taker", ThreadKind::Instance { running: false });
    let thread = taker.thread();
    taker.atomic(|block| {
        block.step(vec![Op::Havoc(Place::Scalar(input), domain)]);
        block.step(vec![Op::wait(Expr::var(input).ge(Expr::int(1)))]);
    });
    taker.finish();
    let mut main = Script::start(&mut builder, "main", ThreadKind::Instance { running: true });
    let handle = main.local("handle", Sort::Int, 0);
    main.step(vec![Op::Spawn { thread, arguments: vec![], handle: Some(Place::Scalar(handle)) }]);
    main.step(vec![Op::Join(Expr::var(handle))]);
    main.finish();
    let differ = Expr::var(input).ne(Expr::var(start));
    builder.property(Property { kind: PropertyKind::AtEnd(differ), span: None });
    builder.property(Property { kind: PropertyKind::DeadlockFree, span: None });
    let program = builder.finish().expect("the program is well formed");
    let trace = run_to(&program, Violation::Property(0), |semantics, state| {
        semantics.violated_property(state) == Ok(Some(0))
    });
    Subject { program, goal: Goal::Assert, trace }
}

#[test]
fn each_step_of_a_lost_update_matters() {
    let subject = lost_update();
    check(
        &subject,
        &subject.of_steps(),
        40,
        &expect![[r#"
        drop 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 4
        repeat 1: step 2 of the trace does not exist: the thread in slot 0 is not at the source of edge 3
        swap 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 4
        thread 1: step 1 of the trace does not exist: there is no thread in slot 1
        edge 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 4
        input 1: step 1 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 2: step 3 of the trace does not exist: there is no thread in slot 2
        repeat 2: step 3 of the trace does not exist: the thread in slot 0 is not at the source of edge 4
        swap 2: still a run that fails
        thread 2: step 2 of the trace does not exist: the thread in slot 1 is not at the source of edge 4
        edge 2: step 2 of the trace does not exist: the thread in slot 0 is not at the source of edge 5
        input 2: step 2 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 3: step 4 of the trace does not exist: the thread in slot 1 is not at the source of edge 1
        repeat 3: step 4 of the trace does not exist: the thread in slot 1 is not at the source of edge 0
        swap 3: still a run that fails
        thread 3: step 4 of the trace does not exist: the thread in slot 2 is not at the source of edge 0
        edge 3: step 3 of the trace does not exist: the thread in slot 1 is not at the source of edge 1
        input 3: step 3 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 4: step 7 of the trace does not exist: the thread in slot 2 is not at the source of edge 1
        repeat 4: step 5 of the trace does not exist: the thread in slot 2 is not at the source of edge 0
        swap 4: the last step of the trace does not fail check 0
        thread 4: step 4 of the trace does not exist: the thread in slot 0 is not at the source of edge 0
        edge 4: step 4 of the trace does not exist: the thread in slot 2 is not at the source of edge 1
        input 4: step 4 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 5: step 5 of the trace does not exist: the thread in slot 1 is not at the source of edge 2
        repeat 5: step 6 of the trace does not exist: the thread in slot 1 is not at the source of edge 1
        swap 5: step 5 of the trace does not exist: the thread in slot 1 is not at the source of edge 2
        thread 5: step 6 of the trace does not exist: the thread in slot 1 is not at the source of edge 2
        edge 5: step 5 of the trace does not exist: the thread in slot 1 is not at the source of edge 2
        input 5: step 5 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 6: step 6 of the trace is blocked
        repeat 6: step 7 of the trace does not exist: the thread in slot 1 is not at the source of edge 2
        swap 6: step 6 of the trace is blocked
        thread 6: step 6 of the trace does not exist: the thread in slot 2 is not at the source of edge 2
        edge 6: step 6 of the trace does not exist: the thread in slot 1 is not at the source of edge 3
        input 6: step 6 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 7: step 9 of the trace does not exist: the thread in slot 0 is not at the source of edge 6
        repeat 7: step 8 of the trace does not exist: the thread in slot 0 is not at the source of edge 5
        swap 7: still a run that fails
        thread 7: step 7 of the trace does not exist: the thread in slot 1 is not at the source of edge 5
        edge 7: step 7 of the trace does not exist: the thread in slot 0 is not at the source of edge 6
        input 7: step 7 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 8: step 8 of the trace does not exist: the thread in slot 2 is not at the source of edge 2
        repeat 8: step 9 of the trace does not exist: the thread in slot 2 is not at the source of edge 1
        swap 8: step 8 of the trace does not exist: the thread in slot 2 is not at the source of edge 2
        thread 8: step 8 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        edge 8: step 8 of the trace does not exist: the thread in slot 2 is not at the source of edge 2
        input 8: step 8 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 9: step 9 of the trace is blocked
        repeat 9: step 10 of the trace does not exist: the thread in slot 2 is not at the source of edge 2
        swap 9: step 9 of the trace is blocked
        thread 9: step 9 of the trace does not exist: the thread in slot 0 is not at the source of edge 2
        edge 9: step 9 of the trace does not exist: the thread in slot 2 is not at the source of edge 3
        input 9: step 9 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 10: step 10 of the trace does not exist: the thread in slot 0 is not at the source of edge 7
        repeat 10: step 11 of the trace does not exist: the thread in slot 0 is not at the source of edge 6
        swap 10: step 10 of the trace does not exist: the thread in slot 0 is not at the source of edge 7
        thread 10: step 10 of the trace does not exist: the thread in slot 1 is not at the source of edge 6
        edge 10: step 10 of the trace does not exist: the thread in slot 0 is not at the source of edge 7
        input 10: step 10 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 11: the last step of the trace does not fail check 0
        repeat 11: step 11 of the trace already fails a check
        thread 11: step 11 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        edge 11: step 11 of the trace does not exist: the thread in slot 0 is not at the source of edge 8
        input 11: still a run that fails
    "#]],
    );
}

#[test]
fn the_frame_of_a_lost_update_matters() {
    let subject = lost_update();
    check(
        &subject,
        &subject.of_frame(),
        13,
        &expect![[r#"
            nothing: the last step of the trace does not fail check 0
            half: the last step of the trace does not fail check 0
            no such thread: step 1 of the trace does not exist: there is no thread in slot 99
            no such edge: step 1 of the trace does not exist: the program has no edge 99
            initial value: the trace does not start: 1 initial values for 0 undetermined cells
            no check: the program has no such check or property
            no property: the program has no such check or property
            deadlock: the claimed violation does not violate the property `assert`
            first property: the program has no such check or property
            as race: the claimed violation does not violate the property `race`
            as deadlock: the claimed violation does not violate the property `deadlock`
            as termination: the claimed violation does not violate the property `termination`
            as fair-termination: the claimed violation does not violate the property `fair-termination`
            as overflow: the claimed violation does not violate the property `overflow`
            as memory: the claimed violation does not violate the property `memory`
        "#]],
    );
}

#[test]
fn each_step_of_late_flags_matters() {
    let subject = late_flags();
    check(
        &subject,
        &subject.of_steps(),
        20,
        &expect![[r#"
        drop 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        repeat 1: step 2 of the trace does not exist: the thread in slot 0 is not at the source of edge 0
        swap 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        thread 1: step 1 of the trace does not exist: the thread in slot 1 is not at the source of edge 0
        edge 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        input 1: step 1 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 2: step 4 of the trace does not exist: the thread in slot 0 is not at the source of edge 2
        repeat 2: step 3 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        swap 2: still a run that fails
        thread 2: step 2 of the trace does not exist: the thread in slot 1 is not at the source of edge 1
        edge 2: step 2 of the trace does not exist: the thread in slot 0 is not at the source of edge 2
        input 2: step 2 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 3: step 3 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        repeat 3: step 4 of the trace does not exist: the thread in slot 1 is not at the source of edge 6
        swap 3: step 3 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        thread 3: step 3 of the trace does not exist: the thread in slot 0 is not at the source of edge 6
        edge 3: step 3 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        input 3: step 3 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 4: step 5 of the trace does not exist: the thread in slot 1 is not at the source of edge 8
        repeat 4: step 5 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        swap 4: step 5 of the trace is blocked
        thread 4: step 4 of the trace does not exist: the thread in slot 0 is not at the source of edge 7
        edge 4: step 4 of the trace does not exist: the thread in slot 1 is not at the source of edge 8
        input 4: step 4 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 5: the last state of the trace satisfies the property
        repeat 5: step 6 of the trace does not exist: the thread in slot 0 is not at the source of edge 2
        swap 5: still a run that fails
        thread 5: step 5 of the trace does not exist: the thread in slot 1 is not at the source of edge 2
        edge 5: step 5 of the trace does not exist: the thread in slot 0 is not at the source of edge 3
        input 5: step 5 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 6: the last state of the trace satisfies the property
        repeat 6: step 7 of the trace does not exist: the thread in slot 1 is not at the source of edge 8
        thread 6: step 6 of the trace does not exist: the thread in slot 0 is not at the source of edge 8
        edge 6: step 6 of the trace does not exist: the thread in slot 1 is not at the source of edge 9
        input 6: step 6 of the trace does not exist: 1 choices for 0 nondeterministic values
    "#]],
    );
}

#[test]
fn the_frame_of_late_flags_matters() {
    let subject = late_flags();
    check(
        &subject,
        &subject.of_frame(),
        13,
        &expect![[r#"
            nothing: the last state of the trace satisfies the property
            half: the last state of the trace satisfies the property
            no such thread: step 1 of the trace does not exist: there is no thread in slot 99
            no such edge: step 1 of the trace does not exist: the program has no edge 99
            initial value: the trace does not start: 1 initial values for 0 undetermined cells
            no check: the program has no such check or property
            no property: the program has no such check or property
            deadlock: the claimed violation does not violate the property `assert`
            first check: the program has no such check or property
            as race: the claimed violation does not violate the property `race`
            as deadlock: the claimed violation does not violate the property `deadlock`
            as termination: the claimed violation does not violate the property `termination`
            as fair-termination: the claimed violation does not violate the property `fair-termination`
            as overflow: the claimed violation does not violate the property `overflow`
            as memory: the claimed violation does not violate the property `memory`
        "#]],
    );
}

#[test]
fn each_step_to_a_deadlock_matters() {
    let subject = hungry_philosophers();
    check(
        &subject,
        &subject.of_steps(),
        10,
        &expect![[r#"
        drop 1: the last state of the trace is not a deadlock
        repeat 1: step 2 of the trace does not exist: the thread in slot 0 is not at the source of edge 0
        swap 1: still a run that fails
        thread 1: step 1 of the trace does not exist: the thread in slot 1 is not at the source of edge 0
        edge 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        input 1: step 1 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 2: the last state of the trace is not a deadlock
        repeat 2: step 3 of the trace does not exist: the thread in slot 1 is not at the source of edge 5
        swap 2: still a run that fails
        thread 2: step 2 of the trace does not exist: the thread in slot 2 is not at the source of edge 5
        edge 2: step 2 of the trace does not exist: the thread in slot 1 is not at the source of edge 6
        input 2: step 2 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 3: the last state of the trace is not a deadlock
        repeat 3: step 4 of the trace does not exist: the thread in slot 2 is not at the source of edge 10
        thread 3: step 3 of the trace does not exist: the thread in slot 0 is not at the source of edge 10
        edge 3: step 3 of the trace does not exist: the thread in slot 2 is not at the source of edge 11
        input 3: step 3 of the trace does not exist: 1 choices for 0 nondeterministic values
    "#]],
    );
}

#[test]
fn the_frame_of_a_deadlock_matters() {
    let subject = hungry_philosophers();
    check(
        &subject,
        &subject.of_frame(),
        12,
        &expect![[r#"
            nothing: the last state of the trace is not a deadlock
            half: the last state of the trace is not a deadlock
            no such thread: step 1 of the trace does not exist: there is no thread in slot 99
            no such edge: step 1 of the trace does not exist: the program has no edge 99
            initial value: the trace does not start: 1 initial values for 0 undetermined cells
            no check: the program has no such check or property
            no property: the program has no such check or property
            first check: the program has no such check or property
            first property: the program has no such check or property
            as assert: the claimed violation does not violate the property `assert`
            as race: the claimed violation does not violate the property `race`
            as termination: still a run that fails
            as fair-termination: still a run that fails
            as overflow: the claimed violation does not violate the property `overflow`
            as memory: the claimed violation does not violate the property `memory`
        "#]],
    );
}

#[test]
fn each_step_with_an_input_matters() {
    let subject = one_input();
    check(
        &subject,
        &subject.of_steps(),
        30,
        &expect![[r#"
        drop 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 0
        repeat 1: step 2 of the trace does not exist: the thread in slot 1 is not at the source of edge 5
        swap 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 0
        thread 1: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 5
        edge 1: step 1 of the trace does not exist: the thread in slot 1 is not at the source of edge 6
        input 1: step 1 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 2: step 2 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        repeat 2: step 3 of the trace does not exist: the thread in slot 0 is not at the source of edge 0
        swap 2: step 2 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        thread 2: step 2 of the trace does not exist: the thread in slot 1 is not at the source of edge 0
        edge 2: step 2 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        input 2: step 2 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 3: step 3 of the trace does not exist: the thread in slot 0 is not at the source of edge 2
        repeat 3: step 4 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        swap 3: step 3 of the trace does not exist: the thread in slot 0 is not at the source of edge 2
        thread 3: step 3 of the trace does not exist: the thread in slot 1 is not at the source of edge 1
        edge 3: step 3 of the trace does not exist: the thread in slot 0 is not at the source of edge 2
        input 3: step 3 of the trace does not exist: 2 choices for 1 nondeterministic values
        drop 4: step 4 of the trace does not exist: the thread in slot 0 is not at the source of edge 3
        repeat 4: step 5 of the trace does not exist: the thread in slot 0 is not at the source of edge 2
        swap 4: step 4 of the trace does not exist: the thread in slot 0 is not at the source of edge 3
        thread 4: step 4 of the trace does not exist: the thread in slot 1 is not at the source of edge 2
        edge 4: step 4 of the trace does not exist: the thread in slot 0 is not at the source of edge 3
        input 4: step 4 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 5: step 5 of the trace does not exist: the thread in slot 0 is not at the source of edge 4
        repeat 5: step 6 of the trace does not exist: the thread in slot 0 is not at the source of edge 3
        swap 5: step 5 of the trace does not exist: the thread in slot 0 is not at the source of edge 4
        thread 5: step 5 of the trace does not exist: the thread in slot 1 is not at the source of edge 3
        edge 5: step 5 of the trace does not exist: the thread in slot 0 is not at the source of edge 4
        input 5: step 5 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 6: step 6 of the trace is blocked
        repeat 6: step 7 of the trace does not exist: the thread in slot 0 is not at the source of edge 4
        swap 6: step 6 of the trace is blocked
        thread 6: step 6 of the trace does not exist: the thread in slot 1 is not at the source of edge 4
        edge 6: step 6 of the trace does not exist: the thread in slot 0 is not at the source of edge 5
        input 6: step 6 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 7: step 7 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        repeat 7: step 8 of the trace does not exist: the thread in slot 1 is not at the source of edge 6
        swap 7: step 7 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        thread 7: step 7 of the trace does not exist: the thread in slot 0 is not at the source of edge 6
        edge 7: step 7 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        input 7: step 7 of the trace does not exist: 1 choices for 0 nondeterministic values
        drop 8: the last state of the trace satisfies the property
        repeat 8: step 9 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        thread 8: step 8 of the trace does not exist: the thread in slot 0 is not at the source of edge 7
        edge 8: step 8 of the trace does not exist: the program has no edge 8
        input 8: step 8 of the trace does not exist: 1 choices for 0 nondeterministic values
    "#]],
    );
}

#[test]
fn the_inputs_themselves_matter() {
    let subject = one_input();
    let at = subject.trace.steps.iter().position(|step| !step.choices.is_empty()).expect("there is an input");
    let main_ends = subject.trace.steps.last().expect("there are steps").clone();
    let mutants = [
        subject.mutant("too small", |trace| trace.steps[at].choices[0] = -1),
        subject.mutant("too large", |trace| trace.steps[at].choices[0] = 3),
        subject.mutant("the other one", |trace| trace.steps[at].choices[0] = 3 - trace.steps[at].choices[0]),
        subject.mutant("one that blocks", |trace| trace.steps[at].choices[0] = 0),
        subject.mutant("none", |trace| trace.steps[at].choices.clear()),
        subject.mutant("start too large", |trace| trace.initial[0] = 3),
        subject.mutant("start that is not allowed", |trace| trace.initial[0] = 0),
        subject.mutant("another start", |trace| trace.initial[0] = 3 - trace.initial[0]),
        subject.mutant("no start", |trace| trace.initial.clear()),
        subject.mutant("before it was started", |trace| trace.steps.insert(0, trace.steps[at].clone())),
        subject.mutant("in the block of another", |trace| trace.steps.insert(at, step(1, 6, &[]))),
        subject.mutant("after its end", |trace| trace.steps.push(main_ends)),
        subject.mutant("second property", |trace| trace.violation = Violation::Property(1)),
    ];
    check(
        &subject,
        &mutants,
        13,
        &expect![[r#"
        too small: step 3 of the trace does not exist: the choice -1 is outside of its domain
        too large: step 3 of the trace does not exist: the choice 3 is outside of its domain
        the other one: the last state of the trace satisfies the property
        one that blocks: step 4 of the trace is blocked
        none: step 3 of the trace does not exist: 0 choices for 1 nondeterministic values
        start too large: the trace does not start: the initial value 3 is outside of its domain
        start that is not allowed: the trace does not start: the initial values do not satisfy the precondition
        another start: the last state of the trace satisfies the property
        no start: the trace does not start: 0 initial values for 1 undetermined cells
        before it was started: step 1 of the trace does not exist: the thread in slot 0 is not at the source of edge 1
        in the block of another: step 3 of the trace does not exist: the thread in slot 1 may not move now
        after its end: step 9 of the trace does not exist: the thread in slot 1 is not at the source of edge 7
        second property: the claimed violation does not violate the property `assert`
    "#]],
    );
}

#[test]
fn the_frame_of_a_property_at_the_end_matters() {
    let subject = one_input();
    check(
        &subject,
        &subject.of_frame(),
        13,
        &expect![[r#"
            nothing: the last state of the trace satisfies the property
            half: the trace ends inside an atomic block
            no such thread: step 1 of the trace does not exist: there is no thread in slot 99
            no such edge: step 1 of the trace does not exist: the program has no edge 99
            initial value: the trace does not start: 2 initial values for 1 undetermined cells
            no check: the program has no such check or property
            no property: the program has no such check or property
            deadlock: the claimed violation does not violate the property `assert`
            first check: the program has no such check or property
            as race: the claimed violation does not violate the property `race`
            as deadlock: the claimed violation does not violate the property `deadlock`
            as termination: the claimed violation does not violate the property `termination`
            as fair-termination: the claimed violation does not violate the property `fair-termination`
            as overflow: the claimed violation does not violate the property `overflow`
            as memory: the claimed violation does not violate the property `memory`
        "#]],
    );
}
