//! Right proofs by exhaustion are accepted; wrong ones are rejected, each for the right reason.

use super::support::{list, pack, packed};
use rely_base::Budget;
use rely_evidence::{
    CheckOptions, Claim, Confirmation, Exhausted, Proof, ProofDefect, Reason, Reduction, Rejection, Verdict,
    check, check_proof, check_with,
};
use rely_program::{
    BinaryOp, Domain, Expr, Goal, Initial, Op, Outcome, Place, Program, ProgramBuilder, Property,
    PropertyKind, Scope, Semantics, Sort, State, ThreadKind, Var,
};
use rely_testing::{Script, classics};
use std::time::Duration;

fn exhausted(states: &[Vec<u8>], reduction: Reduction) -> Exhausted {
    Exhausted { states: states.len() as u64, transitions: 0, reduction, visited: Some(list(states)) }
}

fn describe(verdict: Verdict) -> String {
    match verdict {
        Verdict::Safe(proved) => proved.confirmation().to_string(),
        Verdict::Unknown(Reason::Rejected(Rejection::Proof(defect))) => defect.to_string(),
        other => format!("{other:?}"),
    }
}

/// What the checker says when it explores again.
fn repeated(program: &Program, goal: Goal, exhausted: Exhausted) -> String {
    let claim = Claim::Safe(Proof::Exhausted(exhausted));
    describe(check(program, goal, claim, &Budget::unlimited()).into_verdict())
}

/// What the checker says when it only looks at the listed states.
fn listed(program: &Program, goal: Goal, states: &[Vec<u8>], reduction: Reduction) -> String {
    let claim = Claim::Safe(Proof::Exhausted(exhausted(states, reduction)));
    let options = CheckOptions { states_to_repeat: 0 };
    describe(check_with(options, program, goal, claim, &Budget::unlimited()).into_verdict())
}

#[test]
fn right_proofs_are_accepted() {
    let program = classics::peterson(true);
    let states = packed(&program);
    let count = states.len();
    for goal in [Goal::Assert, Goal::Deadlock, Goal::Overflow] {
        assert_eq!(
            repeated(&program, goal, exhausted(&states, Reduction::None)),
            format!("confirmed by exhaustive exploration without reduction, {count} states")
        );
        assert_eq!(
            listed(&program, goal, &states, Reduction::None),
            format!("confirmed: the list of {count} states is closed under all steps")
        );
    }
}

/// What the checker says of a proof about what passes made of a program.
fn about_source(source: &Program, prepared: &Program, states: &[Vec<u8>]) -> String {
    let proof = Proof::Exhausted(exhausted(states, Reduction::None));
    describe(check_proof(source, prepared, Goal::Assert, proof, &Budget::unlimited()).into_verdict())
}

#[test]
fn a_small_source_is_explored_itself() {
    let (source, prepared) = (classics::peterson(true), classics::independent(2, 2));
    let count = packed(&source).len();
    assert_eq!(
        about_source(&source, &prepared, &packed(&prepared)),
        format!("confirmed by exploring the program before simplification, {count} states")
    );
}

#[test]
fn a_pass_that_loses_a_violation_is_found_out() {
    let (source, prepared) = (classics::peterson(false), classics::peterson(true));
    assert_eq!(about_source(&source, &prepared, &packed(&prepared)), ProofDefect::Violation.to_string());
}

#[test]
fn a_source_with_too_many_choices_leaves_the_check_to_its_simplified_form() {
    let mut builder = ProgramBuilder::new("any");
    let thread = builder.thread("T", ThreadKind::Instance { running: true });
    let x = builder.global("x", Sort::Int, 0);
    let (entry, exit) = (builder.entry(thread), builder.exit(thread));
    builder.edge(entry, exit, vec![Op::Havoc(Place::Scalar(x), Domain::AllInts)], None);
    let source = builder.finish().expect("well formed");
    let prepared = classics::independent(2, 2);
    let states = packed(&prepared);
    assert_eq!(
        about_source(&source, &prepared, &states),
        format!("confirmed by exhaustive exploration without reduction, {} states", states.len())
    );
}

/// A program that chooses a number, and then does something with it.
fn choosing(ops: impl FnOnce(Expr, Place) -> Vec<Op>) -> Program {
    let mut builder = ProgramBuilder::new("any");
    let thread = builder.thread("T", ThreadKind::Instance { running: true });
    let x = builder.local(thread, "x", Sort::Int, 0);
    let y = builder.global("y", Sort::Int, 0);
    let (entry, exit) = (builder.entry(thread), builder.exit(thread));
    let chosen = builder.location(thread, None);
    builder.edge(entry, chosen, vec![Op::Havoc(Place::Scalar(x), Domain::AllInts)], None);
    builder.edge(chosen, exit, ops(Expr::var(x), Place::Scalar(x)), None);
    // Others do not matter.
    builder.edge(chosen, exit, vec![Op::wait(Expr::var(y).eq(Expr::int(1)))], None);
    builder.finish().expect("well formed")
}

#[test]
fn only_a_choice_that_nobody_looks_at_is_not_tried_out() {
    let prepared = classics::independent(2, 2);
    let states = packed(&prepared);
    let check = |program: &Program, expected: &str| {
        let said = about_source(program, &prepared, &states);
        assert!(said.starts_with(expected), "{program}: {said}");
    };
    let explored = "confirmed by exploring the program before simplification";
    let not_explored = "confirmed by exhaustive exploration";
    check(&choosing(|_, _| Vec::new()), explored);
    check(&choosing(|_, x| vec![Op::assign(x, Expr::int(1))]), explored);
    check(&choosing(|x, place| vec![Op::assign(place, x.add(Expr::int(1)))]), not_explored);
    check(
        &choosing(|x, place| vec![Op::assume(x.eq(Expr::int(1))), Op::assign(place, Expr::int(1))]),
        not_explored,
    );
    check(
        &choosing(|x, place| vec![Op::assign(place, Expr::int(1)), Op::assume(x.eq(Expr::int(1)))]),
        explored,
    );
}

#[test]
fn wrong_counts_are_rejected() {
    let program = classics::peterson(true);
    let count = packed(&program).len() as u64;
    let claim = |states, reduction| Exhausted { states, transitions: 0, reduction, visited: None };
    for wrong in [0, 1, count - 1, count + 1] {
        assert_eq!(
            repeated(&program, Goal::Assert, claim(wrong, Reduction::None)),
            format!("the number of states is {count}, not {wrong} as claimed")
        );
    }
    assert_eq!(
        repeated(&program, Goal::Assert, claim(count + 1, Reduction::PartialOrder)),
        format!("the number of states is only {count}, not {} as claimed", count + 1)
    );
    let mut short_list = exhausted(&packed(&program)[1..], Reduction::None);
    short_list.states += 1;
    assert_eq!(
        repeated(&program, Goal::Assert, short_list),
        format!("the number of states is {}, not {count} as claimed", count - 1)
    );
    assert_eq!(
        repeated(&program, Goal::Assert, claim(3_000_000, Reduction::None)),
        "the proof lists no states, and there are too many to find them again"
    );
}

#[test]
fn programs_that_are_wrong_are_not_proved() {
    let unsafe_programs = [
        (classics::peterson(false), Goal::Assert),
        (classics::counter(2, false), Goal::Assert),
        (classics::philosophers(3, false), Goal::Deadlock),
    ];
    for (program, goal) in unsafe_programs {
        let states = packed(&program);
        for reduction in [Reduction::None, Reduction::PartialOrder] {
            assert_eq!(repeated(&program, goal, exhausted(&states, reduction)), "a violation was found");
            assert_eq!(listed(&program, goal, &states, reduction), "a violation was found");
        }
    }
}

#[test]
fn exhaustion_says_nothing_about_other_goals() {
    let program = classics::peterson(true);
    let states = packed(&program);
    let unfit = |goal: Goal| format!("a proof of this kind does not prove the property `{goal}`");
    assert_eq!(repeated(&program, Goal::Race, exhausted(&states, Reduction::None)), unfit(Goal::Race));
    // That a list is closed says nothing about cycles.
    for goal in [Goal::Race, Goal::Termination, Goal::FairTermination] {
        assert_eq!(listed(&program, goal, &states, Reduction::None), unfit(goal));
    }
}

#[test]
fn without_any_of_its_states_a_list_is_not_closed() {
    let program = classics::peterson(true);
    let states = packed(&program);
    for missing in 0..states.len() {
        let mut fewer = states.clone();
        fewer.remove(missing);
        for reduction in [Reduction::None, Reduction::PartialOrder] {
            let verdict = listed(&program, Goal::Assert, &fewer, reduction);
            let expected = if missing == 0 { "an initial state is missing" } else { "lead out of it" };
            assert!(verdict.ends_with(expected), "without state {missing}: {verdict}");
        }
    }
    assert_eq!(listed(&program, Goal::Assert, &[], Reduction::None), "an initial state is missing");
}

#[test]
fn lists_of_other_things_are_rejected() {
    let program = classics::peterson(true);
    let good = packed(&program);
    let with = |at: usize, bytes: &[u8]| {
        let mut states = good.clone();
        states.insert(at, bytes.to_vec());
        listed(&program, Goal::Assert, &states, Reduction::None)
    };
    let last = good.len();
    assert_eq!(with(3, &[]), "entry 3 of the list of states is not a state");
    assert_eq!(with(last, &[0xff; 30]), format!("entry {last} of the list of states is not a state"));
    assert_eq!(with(0, &good[0][1..]), "entry 0 of the list of states is not a state");
    assert_eq!(with(1, &[&good[1][..], &[0]].concat()), "entry 1 of the list of states is not a state");
    assert_eq!(with(last, &good[2]), format!("entry {last} of the list of states repeats an earlier one"));
    let foreign = packed(&classics::philosophers(3, true));
    assert_eq!(listed(&program, Goal::Assert, &foreign, Reduction::None), "an initial state is missing");
}

/// States that are not reachable may be listed, but then they must be harmless as well.
#[test]
fn every_listed_state_is_looked_at() {
    let wrong = classics::peterson(false);
    let violating = {
        let semantics = Semantics::new(&wrong);
        let states = super::support::reachable(&wrong).0;
        let bad = states.into_iter().find(|reach| semantics.violated_property(&reach.state) != Ok(None));
        pack(&wrong, &bad.expect("it is wrong").state)
    };
    // The same variables and threads: the bytes mean the same bad state in the right program.
    let program = classics::peterson(true);
    let mut states = packed(&program);
    states.push(violating);
    assert_eq!(listed(&program, Goal::Assert, &states, Reduction::None), "a violation was found");
}

/// One run of [`classics::independent`] in which each thread goes as far as it can before the
/// next one moves: a list of states that is enough.
fn one_run(program: &Program) -> Vec<Vec<u8>> {
    let semantics = Semantics::new(program);
    let mut state = semantics.initial(&[]).unwrap();
    let mut states = vec![pack(program, &state)];
    let is_main = |state: &State, slot| program.threads()[state.thread(slot)].name == "main";
    loop {
        let mut order: Vec<_> = state.slots().collect();
        order.sort_by_key(|&slot| !is_main(&state, slot));
        let next = order.into_iter().find_map(|slot| {
            let edges = program.outgoing(state.location(slot)?);
            edges.iter().find_map(|&edge| match semantics.step(&state, slot, edge, &[]) {
                Ok(Outcome::Moved(next)) => Some(next),
                _ => None,
            })
        });
        let Some(next) = next else { return states };
        states.push(pack(program, &next));
        state = next;
    }
}

#[test]
fn a_reduced_list_is_accepted_as_what_it_is() {
    let program = classics::independent(2, 2);
    let states = one_run(&program);
    let count = states.len();
    assert!(count < packed(&program).len());
    assert_eq!(
        listed(&program, Goal::Assert, &states, Reduction::PartialOrder),
        format!("confirmed: the list of {count} states is closed up to the order of independent steps")
    );
    let Verdict::Safe(proved) = check(
        &program,
        Goal::Assert,
        Claim::Safe(Proof::Exhausted(exhausted(&states, Reduction::PartialOrder))),
        &Budget::unlimited(),
    )
    .into_verdict() else {
        panic!("it is safe")
    };
    let all = packed(&program).len() as u64;
    assert!(matches!(proved.confirmation(), Confirmation::Explored { states, .. } if states == all));
}

#[test]
fn a_reduced_list_is_not_more_than_it_is() {
    let program = classics::independent(2, 2);
    let states = one_run(&program);
    let rejected = |states: &[Vec<u8>], reduction| {
        let verdict = listed(&program, Goal::Assert, states, reduction);
        assert!(verdict.ends_with("lead out of it"), "{verdict}");
    };
    // Not closed under all steps.
    rejected(&states, Reduction::None);
    // In the other order every thread is put off in favour of states that come earlier.
    let mut reversed = states.clone();
    reversed.reverse();
    rejected(&reversed, Reduction::PartialOrder);
    // No state on the way may be missing.
    for missing in 1..states.len() {
        let mut fewer = states.clone();
        fewer.remove(missing);
        rejected(&fewer, Reduction::PartialOrder);
    }
}

/// Two threads that write `x` and `y`; the steps of one may be put off unless a property sees
/// them, they touch the same variable, or the program may end.
fn two_writers(
    same: bool,
    property: impl Fn(Expr, Expr) -> Option<Expr>,
    halt: bool,
) -> (Program, Vec<Vec<u8>>) {
    let mut builder = ProgramBuilder::new("two writers");
    let (x, y) = (builder.global("x", Sort::Int, 0), builder.global("y", Sort::Int, 0));
    let running = ThreadKind::Instance { running: true };
    let mut first = Script::start(&mut builder, "first", running);
    let write = Op::assign(Place::Scalar(x), Expr::int(1));
    first.step(if halt { vec![write, Op::Halt] } else { vec![write] });
    first.finish();
    let mut second = Script::start(&mut builder, "second", running);
    second.assign(if same { x } else { y }, Expr::int(2));
    second.finish();
    if let Some(condition) = property(Expr::var(x), Expr::var(y)) {
        builder.property(Property { kind: PropertyKind::Always(condition), span: None });
    }
    let program = builder.finish().unwrap();
    // First one thread to its end, then the other.
    let semantics = Semantics::new(&program);
    let mut state = semantics.initial(&[]).unwrap();
    let mut states = vec![pack(&program, &state)];
    for slot in state.slots() {
        while let Some(&edge) = state.location(slot).and_then(|at| program.outgoing(at).first()) {
            let Ok(Outcome::Moved(next)) = semantics.step(&state, slot, edge, &[]) else { break };
            state = next;
            states.push(pack(&program, &state));
        }
    }
    (program, states)
}

#[test]
fn steps_may_only_be_left_out_if_nobody_notices() {
    let verdict = |(program, states): (Program, Vec<Vec<u8>>)| {
        listed(&program, Goal::Assert, &states, Reduction::PartialOrder)
    };
    let out = "steps from entry 0 of the list of states lead out of it";
    assert!(verdict(two_writers(false, |_, _| None, false)).contains("closed up to the order"));
    assert!(verdict(two_writers(false, |_, y| Some(y.le(Expr::int(2))), false)).contains("closed up to"));
    assert_eq!(verdict(two_writers(true, |_, _| None, false)), out);
    assert_eq!(verdict(two_writers(false, |x, y| Some(x.ge(y).or(Expr::Bool(true))), false)), out);
    assert_eq!(verdict(two_writers(false, |_, _| None, true)), out);
}

fn any(domain: Domain) -> Var {
    let initial = Initial::Any(domain);
    Var {
        name: "x".into(),
        sort: domain.sort(),
        scope: Scope::Global,
        length: None,
        initial,
        span: None,
        atomic: false,
    }
}

/// A program of one edge over one undetermined integer.
fn one_edge(
    domain: Domain,
    ops: impl Fn(Expr, Place) -> Vec<Op>,
    requires: Option<fn(Expr) -> Expr>,
) -> Program {
    let mut builder = ProgramBuilder::new("one edge");
    let x = builder.var(any(domain));
    let thread = builder.thread("T", ThreadKind::Instance { running: true });
    let ops = ops(Expr::var(x), Place::Scalar(x));
    builder.edge(builder.entry(thread), builder.exit(thread), ops, None);
    if let Some(requires) = requires {
        builder.requires(requires(Expr::var(x)));
    }
    builder.finish().unwrap()
}

#[test]
fn what_cannot_be_enumerated_is_not_proved() {
    let claim = |states| Exhausted { states, transitions: 0, reduction: Reduction::None, visited: None };
    let too_many = "a nondeterministic choice has too many values to try them all";
    let no_ops = |_: Expr, _: Place| vec![];
    let small = Domain::Range { low: 0, high: 3 };
    let free = one_edge(Domain::AllInts, no_ops, None);
    assert_eq!(repeated(&free, Goal::Assert, claim(2)), too_many);
    let half = one_edge(Domain::AllInts, no_ops, Some(|x| x.ge(Expr::int(0))));
    assert_eq!(repeated(&half, Goal::Assert, claim(2)), too_many);
    let havoc = one_edge(small, |_, place| vec![Op::Havoc(place, Domain::AllInts)], None);
    assert_eq!(repeated(&havoc, Goal::Assert, claim(2)), too_many);
    let fixed = one_edge(Domain::AllInts, no_ops, Some(|x| x.eq(Expr::int(5))));
    assert!(repeated(&fixed, Goal::Assert, claim(2)).starts_with("confirmed"));
}

#[test]
fn what_has_no_meaning_is_not_proved() {
    let claim = |states| Exhausted { states, transitions: 0, reduction: Reduction::None, visited: None };
    let small = Domain::Range { low: 0, high: 3 };
    let division = |x: Expr| Expr::binary(BinaryOp::Div, Expr::int(6), x);
    let divides = one_edge(small, |x, place| vec![Op::assign(place, division(x))], None);
    assert_eq!(repeated(&divides, Goal::Assert, claim(7)), "a step is undefined: division by zero");
    let requires: fn(Expr) -> Expr = |x| Expr::binary(BinaryOp::Div, Expr::int(6), x).eq(Expr::int(2));
    let required = one_edge(small, |_, _| vec![], Some(requires));
    assert_eq!(
        repeated(&required, Goal::Assert, claim(2)),
        "the precondition is undefined: division by zero"
    );
    let mut builder = ProgramBuilder::new("undefined property");
    let x = builder.var(any(small));
    let condition = division(Expr::var(x)).ge(Expr::int(0));
    builder.property(Property { kind: PropertyKind::Always(condition), span: None });
    let program = builder.finish().unwrap();
    assert_eq!(repeated(&program, Goal::Assert, claim(4)), "a property is undefined: division by zero");
}

#[test]
fn a_budget_that_is_used_up_proves_nothing() {
    let program = classics::peterson(true);
    let claim = || Claim::Safe(Proof::Exhausted(exhausted(&packed(&program), Reduction::None)));
    let no_time = Budget::builder().time(Duration::ZERO).build();
    let no_memory = Budget::builder().memory_bytes(10).build();
    for (budget, reason) in
        [(no_time, "the time limit was reached"), (no_memory, "the memory limit was reached")]
    {
        for states_to_repeat in [0, 1_000] {
            let options = CheckOptions { states_to_repeat };
            let checked = check_with(options, &program, Goal::Assert, claim(), &budget);
            let Verdict::Unknown(unknown) = checked.into_verdict() else { panic!("nothing was checked") };
            assert_eq!(unknown.to_string(), format!("the evidence could not be checked: {reason}"));
        }
    }
}

#[test]
fn what_an_engine_does_not_know_stays_unknown() {
    let program = classics::peterson(true);
    let claim = Claim::Unknown(Reason::Sampled);
    let verdict = check(&program, Goal::Assert, claim, &Budget::unlimited()).into_verdict();
    assert!(matches!(verdict, Verdict::Unknown(Reason::Sampled)));
}
