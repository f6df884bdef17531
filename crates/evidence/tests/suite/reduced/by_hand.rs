//! Reductions made by hand are accepted, and every way to damage them is noticed.

use super::models::{self, Model};
use super::reductions::{exhausted, reduction};
use crate::common;
use crate::notation;
use expect_test::expect;
use rely_base::Id;
use rely_evidence::reduction::{Mover, Phase, Reduced, ReducedDefect};
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_evidence::{Confirmation, Proof, ProofDefect, Reason, Rejection, Verdict};
use rely_program::{EdgeId, Goal, LocationId, Program, ProgramBuilder, ThreadKind};
use rely_testing::{Answer, Reference};

fn verdict(model: &Model, goal: Goal, reduced: Reduced) -> Verdict {
    common::verdict(&model.program, goal, Proof::Reduced(reduced))
}

pub fn with(model: &Model, held: &str, blocks: &str, proof: Proof) -> Reduced {
    reduction(&model.program, held, blocks, proof)
}

/// The reduction as it should be.
pub fn right(model: &Model) -> Reduced {
    let reduced = with(model, &model.held, model.blocks, exhausted(0));
    let (smaller, _) = reduced.program(&model.program).expect("the blocks are some");
    let proof = match model.proof {
        Some(text) => Proof::RelyGuarantee(notation::proof(&smaller, text)),
        None => match Reference::new(&smaller, Goal::Assert).answer(10_000) {
            Answer::Safe { states } => exhausted(states as u64),
            other => panic!("{other:?}"),
        },
    };
    Reduced { proof: Box::new(proof), ..reduced }
}

pub fn defect(model: &Model, what: &str, reduced: Reduced) -> ReducedDefect {
    match verdict(model, Goal::Assert, reduced) {
        Verdict::Unknown(Reason::Rejected(Rejection::Proof(ProofDefect::Reduced(defect)))) => defect,
        Verdict::Unknown(reason) => panic!("{what}: {reason}"),
        accepted => panic!("{what}: {}", accepted.name()),
    }
}

/// The name of the rule that is violated.
pub fn rule(defect: &ReducedDefect) -> String {
    match defect {
        ReducedDefect::Block { rule, .. } => rule.name().to_owned(),
        ReducedDefect::Obligation(defect) => match defect.rule() {
            Some(rule) => rule.name().to_owned(),
            None => "malformed".to_owned(),
        },
        ReducedDefect::Proof(defect) => match &**defect {
            ProofDefect::RelyGuarantee(defect) => match defect.rule() {
                Some(rule) => format!("reduced {}", rule.name()),
                None => "reduced malformed".to_owned(),
            },
            other => format!("reduced: {other}"),
        },
        ReducedDefect::Malformed(_) => "malformed".to_owned(),
        ReducedDefect::Needed(_) => "needed".to_owned(),
    }
}

/// Replaces a part of the held assertions or of the blocks and expects that the checker blames a
/// rule.
#[track_caller]
pub fn rejects(model: &Model, damages: &[(&str, &str, &str)]) {
    for (part, replacement, expected) in damages {
        let places = model.held.matches(part).count() + model.blocks.matches(part).count();
        assert_eq!(places, 1, "which part is `{part}`?");
        let [held, blocks] = [&*model.held, model.blocks].map(|text| text.replace(part, replacement));
        let reduced = Reduced { proof: right(model).proof, ..with(model, &held, &blocks, exhausted(0)) };
        let found = defect(model, &format!("`{part}` became `{replacement}`"), reduced);
        assert_eq!(rule(&found), *expected, "`{part}` became `{replacement}`: {found}");
    }
}

#[test]
fn right_reductions_are_accepted() {
    for model in &models::all() {
        let reduced = right(model);
        let (smaller, _) = reduced.program(&model.program).expect("the blocks are some");
        assert_eq!(smaller.edges().len(), model.edges, "{}", model.held);
        match verdict(model, Goal::Assert, reduced) {
            Verdict::Safe(proved) => match (proved.confirmation(), model.proof) {
                (Confirmation::Reduced { states: None, .. }, Some(_)) => {}
                (Confirmation::Reduced { states: Some(_), .. }, None) => {}
                other => panic!("{other:?}"),
            },
            Verdict::Unknown(reason) => panic!("{reason} of\n{}", model.held),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_evidence_says_what_was_done() {
    let model = models::figure_1();
    let Verdict::Safe(proved) = verdict(&model, Goal::Assert, right(&model)) else { panic!() };
    let evidence = proved.evidence();
    let expected = "reduction with 17 movers, then rely-guarantee proof, 7 assertions; confirmed: ";
    assert!(evidence.starts_with(expected), "{evidence}");
    assert!(evidence.ends_with(" obligations hold of the simplified program"), "{evidence}");
}

#[test]
fn damage_to_the_blocks_of_figure_1_is_noticed() {
    rejects(
        &models::figure_1(),
        &[
            // What is held.
            ("T1 @l3: mx = 1 & my = 1", "T1 @l3: mx = 1", "own-step"),
            ("T1 @l1: mx = 1", "T1 @l1: mx = 2", "own-step"),
            ("T2 @l1: mx = 2", "T2 @l1: true", "own-step"),
            ("effect T2 @entry: mx = 0 & mx' = 2", "effect T2 @entry: mx' = 2", "interference"),
            ("effect T3 @l2: my = 3 & my' = 0", "", "guarantee"),
            ("T3 @exit: true", "", "own-step"),
            // Where the commit is.
            ("after T1: l5 l9 l10", "after T1: l5 l9", "reduced own-step"),
            ("before T1: l1 l2 l3 l4 l7 l8", "before T1: l1 l2 l3 l4 l7 l8 l6", "one-commit"),
            ("before T1: l1 l2 l3 l4 l7 l8", "before T1: entry l1 l2 l3 l4 l7 l8", "border"),
            ("before T2: l1 l2", "before T2: l1 l2 exit", "border"),
            ("before T2: l1 l2", "before T2: l1\nafter T2: l2\nafter T2: l2", "malformed"),
            // Who moves where.
            ("right T1: entry l2 l6", "right T1: l2 l6", "before-commit"),
            ("right T1: entry l2 l6", "both T1: entry\nright T1: l2 l6", "left-mover"),
            ("both T1: l1 l3 l5 l7 l9", "both T1: l1 l3 l7 l9", "after-commit"),
            ("left T1: l4 l8 l10", "right T1: l4\nleft T1: l8 l10", "right-mover"),
            ("left T1: l4 l8 l10", "left T1: l4 l8", "after-commit"),
            ("left T1: l4 l8 l10", "left T1: l4 l8\nboth T1: l10", "operations"),
            ("both T2: l1", "left T2: l1", "before-commit"),
        ],
    );
}

#[test]
fn damage_to_reductions_by_one_lock_is_noticed() {
    rejects(
        &models::unprotected_access(),
        &[
            // The accesses to `y` are no movers although the lock is held.
            ("both T1: l1 l5 l9", "both T1: l1 l5 l9\nright T1: l3", "right-mover"),
            ("both T1: l1 l5 l9", "both T1: l1 l5 l9\nleft T1: l7", "left-mover"),
            ("before T1: l1 l2 l3 l7", "before T1: l1 l2 l3 l7 l4", "malformed"),
            ("before T3: l1\n", "before T3: l1 l3\n", "one-commit"),
        ],
    );
    rejects(
        &models::counter(),
        &[
            ("B @b: m = 2", "B @b: true", "own-step"),
            ("A @b: m = 1\n               A @c: m = 1", "A @b: true\nA @c: true", "right-mover"),
            ("left A: c", "right A: c", "operations"),
            ("right A: entry", "left A: entry", "before-commit"),
        ],
    );
    rejects(
        &models::stack(),
        &[
            ("after Pop: d", "after Pop: d b", "malformed"),
            ("left Push: c", "", "after-commit"),
            ("both Pop: a b c", "both Pop: a c", "before-commit"),
            ("effect Pop @c: true", "", "guarantee"),
        ],
    );
    rejects(
        &models::workers(),
        &[
            ("worker @a: m = this", "worker @a: true", "own-step"),
            ("right worker: entry", "both worker: entry", "left-mover"),
            // Others of the same kind read `x` under the same lock; `main` may not start threads inside.
            ("both worker: a", "both worker: a\nleft main: entry", "operations"),
            // The invariant looks at `x`, which is written on the way to `c`.
            (
                "before worker: a b\n                 after worker: c",
                "before worker: a b c\nboth worker: b",
                "unseen",
            ),
        ],
    );
}

#[test]
fn damage_to_reductions_by_other_protocols_is_noticed() {
    rejects(
        &models::test_and_set(),
        &[
            ("after B: c d", "after B: c d\nafter A: a", "malformed"),
            ("right A: entry a", "right A: entry\nboth A: a", "left-mover"),
            ("both B: b c", "both B: b", "after-commit"),
        ],
    );
    rejects(
        &models::handover(),
        &[
            ("main @entry: child in {unstarted}", "main @entry: true", "own-step"),
            ("child @entry: main in {b, c, d, exit}", "child @entry: main in {c}", "start"),
            ("after main: b", "before main: b", "before-commit"),
            ("both main: entry b", "both main: entry b\nright main: a", "operations"),
            ("both main: entry b", "both main: entry b\nleft main: c", "operations"),
        ],
    );
    rejects(
        &models::announced(),
        &[("before A: a b\n                 after A: c", "before A: a b c\nboth A: b", "unseen")],
    );
}

/// Says that nothing is known anywhere.
fn nothing_held(program: &Program) -> RelyGuarantee {
    let known = || vec![Cube::default()];
    let threads = program.threads().ids().map(|thread| {
        let at = ControlPoint::all(program, thread).into_iter().map(|point| (point, known())).collect();
        ThreadAssertions { thread, at }
    });
    let effects = program.edges().ids().map(|edge| EdgeEffect { edge, cubes: known() });
    RelyGuarantee { threads: threads.collect(), effects: effects.collect() }
}

/// Blocks of two threads, with nothing known, violate a rule; `None` if they are right.
#[track_caller]
fn check_blocks(source: &str, blocks: &str, expected: Option<&str>) {
    let program = common::program(source);
    let held = nothing_held(&program);
    let reduced = Reduced { held: held.into(), ..reduction(&program, "", blocks, exhausted(0)) };
    let model = Model { program, held: String::new(), blocks: "", proof: None, edges: 0 };
    let found = defect(&model, blocks, reduced);
    match (&found, expected) {
        // The claim that there are no states.
        (ReducedDefect::Proof(_), None) => {}
        (_, Some(expected)) if rule(&found) == expected => {}
        _ => panic!("{found}"),
    }
}

#[test]
fn what_follows_the_commit_must_end() {
    let source = |behind: &str| {
        format!(
            "var x: int = 0; var y: int = 0;
             process A {{ local t: int = 0; entry -> a: x := 1; {behind} }}
             process B {{ entry -> exit: y := x + y; }}
             start A; start B;"
        )
    };
    check_blocks(&source("a -> exit: t := 1;"), "after A: a\nleft A: a", None);
    // It may wait forever.
    check_blocks(&source("a -> exit: t == 1;"), "after A: a\nleft A: a", Some("completion"));
    check_blocks(
        &source("a -> exit: t == 1; a -> exit: t == 2;"),
        "after A: a\nleft A: a",
        Some("completion"),
    );
    check_blocks(&source("a -> exit: t == 1; a -> exit: t != 1;"), "after A: a\nleft A: a", None);
    // It may wait for another thread.
    check_blocks(&source("a -> exit: y == 0;"), "after A: a\nleft A: a", Some("left-mover"));
    // It goes wrong rather than to wait.
    check_blocks(&source("a -> exit: assert t == 0;"), "after A: a\nleft A: a", None);
    // It may go round in circles.
    check_blocks(&source("a -> a: t := t + 1; a -> exit: skip;"), "after A: a\nleft A: a", Some("ends"));
    let two = source("a -> b: t := t + 1; b -> a: skip; b -> exit: skip;");
    check_blocks(&two, "after A: a b\nleft A: a b", Some("ends"));
}

#[test]
fn assertions_stay_as_wrong_as_they_were() {
    let source = |first: &str, second: &str, other: &str| {
        format!(
            "var x: int = 0; var y: int = 0;
             process A {{ entry -> a: {first}; a -> exit: {second}; }}
             process B {{ entry -> exit: {other}; }}
             start A; start B;"
        )
    };
    let (before, after) = ("before A: a\nright A: entry", "after A: a\nleft A: a");
    // An assertion that nobody can influence may stand anywhere.
    check_blocks(&source("assert y == 0", "y := 1", "x := 1"), before, None);
    check_blocks(&source("y := 1", "assert y == 0", "x := 1"), after, None);
    // One that fails only because of what another thread has done since the commit may not.
    check_blocks(&source("y := 1", "assert x == 0", "x := 1"), after, Some("left-mover"));
    // What makes the assertion of another thread fail cannot be forgotten.
    check_blocks(&source("x := 1", "y := 1", "assert x == 0"), before, Some("right-mover"));
    // What lets it hold cannot be completed early.
    check_blocks(&source("y := 1", "x := 1", "assert x == 1"), after, Some("left-mover"));
    // A division by zero is no better than an assertion.
    check_blocks(&source("x := 1", "skip", "y := 4 / (x - 1)"), before, Some("right-mover"));
}

/// Steps that access the same data may commute; the checker finds out by itself.
#[test]
fn data_commutes_or_does_not() {
    let source = |step: &str, other: &str| {
        format!(
            "var x: int = 0; var a: int[2] = 0; var f: bool = false;
             process A {{ local i: int = 0; entry -> b: {step}; b -> exit: skip; }}
             process B {{ local j: int = 0; entry -> exit: {other}; }}
             start A; start B;"
        )
    };
    let right = |step, other, expected: bool| {
        let rule = (!expected).then_some("right-mover");
        check_blocks(&source(step, other), "before A: b\nright A: entry", rule);
    };
    right("x := x + 1", "x := x + 2", true);
    right("x := x + i", "x := x - j", true);
    right("x := 2 * x", "x := 3 * x", true);
    right("x := x + 1", "x := 2 * x", false);
    right("x := x + 1", "x := 5", false);
    right("x := x + 1", "x > 0", false);
    right("x := x - 1", "x > 0", true);
    right("x > 0; x := x - 1", "x := x + 1", true);
    right("x := x + 1", "x > 0; x := x - 1", false);
    right("f := true", "f := true", true);
    right("f := true", "f := false", false);
    right("a[0] := 1", "a[1] := 2", true);
    right("a[0] := 1", "a[0] := 2", false);
    right("a[i] := 1", "a[1] := 2", false);
    right("a[0] := a[0] + 1", "a[j] := a[j] + 2", true);
    right("x := x + 1", "assert x < 9", false);
    // With 9 the assertion holds behind the step and not in front of it.
    right("x := x - 1", "assert x < 9", false);
    right("x := x - 1", "assert x < 9 || x > 0", true);
}

/// Edges that are alike stand for each other only if somebody has shown it of one of them, and if it does not matter
/// where threads stand.
#[test]
fn edges_that_are_alike() {
    let steps =
        "process A { entry -> b: x := x + 1; b -> c: x := x + 1; c -> d: x := x + 1; d -> exit: skip; }";
    let source = |other: &str| {
        format!("var x: int = 0; {steps} process B {{ entry -> exit: {other}; }} start A; start B;")
    };
    check_blocks(&source("x := x + 5"), "before A: b c d\nright A: entry b c", None);
    // The first one is not claimed, so nothing was shown of it.
    check_blocks(&source("x := 2 * x"), "before A: c\nright A: b", Some("right-mover"));
    check_blocks(&source("x := 2 * x"), "before A: d\nright A: c", Some("right-mover"));
    check_blocks(&source("x := 2 * x"), "before A: b c d\nright A: entry b c", Some("right-mover"));
}

/// What is known of the place of a thread holds for one of two edges that are alike, not for the other.
#[test]
fn edges_that_are_alike_at_different_places() {
    let program = common::program(
        "var x: int = 0; var go: bool = false;
         process A { entry -> b: x := x + 1; b -> c: go := true; c -> d: x := x + 1; d -> exit: skip; }
         process B { entry -> a: go; a -> exit: x := 2 * x; }
         start A; start B;",
    );
    let place = |thread: &str, name: &str| {
        let thread = program.threads().iter().find(|(_, other)| other.name == thread).expect("a thread").0;
        let is = |location: &rely_program::Location| location.label.as_deref() == Some(name);
        let mut locations = program.locations().iter();
        locations.find(|(_, location)| location.thread == thread && is(location)).expect("a location").0
    };
    let a = program.threads().ids().next().expect("A");
    let behind = ["c", "d"].map(|name| ControlPoint::At(place("A", name)));
    let behind = [&behind[..], &[ControlPoint::At(program.threads()[a].exit)]].concat();
    let go = program.vars().iter().find(|(_, var)| var.name == "go").expect("a variable").0;
    let cell = Quantity::Cell { var: go, index: 0, moment: Moment::Before };
    let closed = Cube {
        atoms: vec![Atom { terms: vec![(1, cell)], constant: 0, comparison: Comparison::Eq }],
        ..Cube::default()
    };
    let open = Cube { others: vec![(a, behind)], ..Cube::default() };
    let waiting = program.thread_of(place("B", "a")).entry;
    let mut held = nothing_held(&program);
    for (point, cubes) in held.threads.iter_mut().flat_map(|thread| &mut thread.at) {
        match *point {
            ControlPoint::At(location) if location == place("B", "a") => *cubes = vec![open.clone()],
            ControlPoint::At(location) if location == waiting => {
                *cubes = vec![closed.clone(), open.clone()];
            }
            _ => {}
        }
    }
    let check = |blocks: &str, expected: Option<&str>| {
        let reduced = Reduced { held: held.clone().into(), ..reduction(&program, "", blocks, exhausted(0)) };
        let model =
            Model { program: program.clone(), held: String::new(), blocks: "", proof: None, edges: 0 };
        let found = defect(&model, blocks, reduced);
        match expected {
            Some(expected) => assert_eq!(rule(&found), expected, "{found}"),
            // The claim that there are no states.
            None => assert!(matches!(found, ReducedDefect::Proof(_)), "{found}"),
        }
    };
    check("before A: b\nright A: entry", None);
    check("before A: d\nright A: c", Some("right-mover"));
    check("before A: b d\nright A: entry c", Some("right-mover"));
}

#[test]
fn blocks_respect_what_the_program_says() {
    let source = |body: &str, property: &str| {
        format!(
            "var x: int = 0; var y: int = 0;
             process A {{ local t: int = 0; {body} }}
             process B {{ entry -> exit: y := 1; }}
             start A; start B; {property}"
        )
    };
    let two = "entry -> a: x := 1; a -> exit: t := 2;";
    let before = "before A: a\nright A: entry";
    let after = "after A: a\nleft A: a";
    check_blocks(&source(two, ""), before, None);
    check_blocks(&source(two, "invariant x <= 1;"), before, Some("unseen"));
    check_blocks(&source(two, "invariant x <= 1;"), after, None);
    check_blocks(&source(two, "invariant A.t <= 1;"), after, Some("unseen"));
    check_blocks(&source(two, "ensures x <= 1 && A.t == 2;"), before, None);
    check_blocks(&source(two, "never A at a;"), before, Some("unseen"));
    check_blocks(&source(two, "never A at a && y == 1;"), after, Some("unseen"));
    check_blocks(&source(two, "never A at entry && y == 1;"), after, None);
    check_blocks(&source("entry -> a: x := 1; halt; a -> exit: skip;", ""), after, Some("halts"));
    check_blocks(&source("entry -> a: x := 1; a -> exit: halt;", ""), before, None);
    check_blocks(&source("entry -> a: x := 1; a -> exit: halt;", ""), after, Some("operations"));
    check_blocks(&source(two, ""), "before A: exit", Some("border"));
    check_blocks(&source(two, ""), "before A: a\nafter A: a", Some("malformed"));
    check_blocks(&source(two, ""), "before A: a\nright A: entry entry", Some("malformed"));
    check_blocks(&source(two, ""), "before A: a", Some("before-commit"));
    check_blocks(&source(two, ""), "after A: a", Some("after-commit"));
}

#[test]
fn who_halts_the_program_is_not_prevented() {
    let source = |halting: &str| {
        format!(
            "var c, x, y, seen: int = 0;
             process A {{ entry -> a: c := 1; a -> exit: x == 0; y := 1; a -> exit: skip; }}
             process B {{ entry -> exit: c == 1; x == 0; {halting} x := 1; seen := 1; halt; }}
             start A; start B;
             invariant seen == 0;"
        )
    };
    let blocks = "after A: a\nleft A: a";
    check_blocks(&source(""), blocks, None);
    // `B` would be too late if `A` completed its block first.
    check_blocks(&source("y == 0;"), blocks, Some("left-mover"));
}

#[test]
fn atomic_blocks_of_the_program_are_left_alone() {
    let mut builder = ProgramBuilder::new("atomic");
    let thread = builder.thread("A", ThreadKind::Instance { running: true });
    let (entry, exit) = (builder.entry(thread), builder.exit(thread));
    let [inside, behind] = ["inside", "behind"].map(|label| {
        let location = builder.location(thread, None);
        builder.set_label(location, label);
        location
    });
    builder.set_atomic(inside);
    builder.edge(entry, inside, Vec::new(), None);
    builder.edge(inside, behind, Vec::new(), None);
    builder.edge(behind, exit, Vec::new(), None);
    let program = builder.finish().expect("a program");
    let model = Model { program, held: String::new(), blocks: "", proof: None, edges: 0 };
    for blocks in ["before A: inside", "after A: behind\nleft A: behind", "right A: entry"] {
        let held = nothing_held(&model.program);
        let reduced = Reduced { held: held.into(), ..reduction(&model.program, "", blocks, exhausted(0)) };
        assert_eq!(rule(&defect(&model, blocks, reduced)), "atomic", "{blocks}");
    }
}

#[test]
fn a_wrong_proof_about_the_reduced_program_is_noticed() {
    let model = models::figure_1();
    let reduced = right(&model);
    let (smaller, _) = reduced.program(&model.program).expect("the blocks are some");
    let text = model.proof.expect("a rely-guarantee proof");
    for (part, replacement, expected) in [
        ("x = 9 & T2 in {exit}", "x = 10 & T2 in {exit}", "reduced interference"),
        ("x = 13 & T2 in {exit}", "x = 12", "reduced own-step"),
        ("mx' = 0", "mx' = 1", "reduced guarantee"),
        ("x = 9 & T2 in {exit} |", "x = 9 & T2 in {exit} | x = 11 |", "reduced at-end"),
    ] {
        let proof = Proof::RelyGuarantee(notation::proof(&smaller, &text.replace(part, replacement)));
        let damaged = Reduced { proof: Box::new(proof), ..reduced.clone() };
        assert_eq!(rule(&defect(&model, part, damaged)), expected, "`{part}` became `{replacement}`");
    }
    // The proof is about the reduced program, not about the program.
    let proof = Proof::RelyGuarantee(reduced.held.proof.clone());
    let found = defect(&model, "exchanged", Reduced { proof: Box::new(proof), ..reduced });
    assert_eq!(rule(&found), "reduced malformed");
}

#[test]
fn what_does_not_exist_is_malformed() {
    let model = models::counter();
    let change = |change: fn(&mut Reduced)| {
        let mut reduced = right(&model);
        change(&mut reduced);
        defect(&model, "changed", reduced).to_string()
    };
    assert_eq!(
        change(|reduced| reduced.inside.push((LocationId::from_index(99), Phase::AfterCommit))),
        "the reduction is malformed: there is no location 99"
    );
    assert_eq!(
        change(|reduced| reduced.movers.push((EdgeId::from_index(99), Mover::Both))),
        "the reduction is malformed: there is no edge 99"
    );
    assert_eq!(
        change(|reduced| reduced.movers.push((EdgeId::from_index(0), Mover::Both))),
        "the reduction is malformed: edge 0 is listed twice"
    );
    assert_eq!(
        change(|reduced| reduced.held = RelyGuarantee::default().into()),
        "of the reduction, rule `initially` is violated (thread `A` at `entry`)"
    );
}

#[test]
fn defects_are_told_with_their_place() {
    let model = models::unprotected_access();
    let text = model.blocks.replace("both T1: l1 l5 l9", "both T1: l1 l3 l5 l9");
    let reduced = Reduced { proof: right(&model).proof, ..with(&model, &model.held, &text, exhausted(0)) };
    expect!["of the reduction, rule `right-mover` is violated (thread `T1` at `l3`, edge 3 of `T1`, past edge 17 of `T3`), for example with mx = 1, my = 1, T1.a = -1"]
    .assert_eq(&defect(&model, "changed", reduced).to_string());
    let text = model.blocks.replace("left T1: l4 l8 l10", "left T1: l4 l10");
    let reduced = Reduced { proof: right(&model).proof, ..with(&model, &model.held, &text, exhausted(0)) };
    expect!["rule `after-commit` is violated: edge 8 of `T1` leaves a location after the commit and is not a left mover"]
        .assert_eq(&defect(&model, "changed", reduced).to_string());
}

#[test]
fn only_what_nobody_looks_at_is_forgotten() {
    let model = models::figure_1();
    let check = |name: &str, expected: expect_test::Expect| {
        let var = model.program.vars().iter().find(|(_, var)| &*var.name == name).map(|(id, _)| id);
        let forgotten = vec![var.expect("the model has the variable")];
        let found = defect(&model, name, Reduced { forgotten, ..right(&model) });
        expected.assert_eq(&found.to_string());
    };
    // The claim is about `x`, somebody waits for `mx`, and `a` is no shared variable.
    check("x", expect!["the reduction forgets `x`, which is needed"]);
    check("mx", expect!["the reduction forgets `mx`, which is needed"]);
    check("a", expect!["the reduction forgets `a`, which is needed"]);
}

#[test]
fn only_what_can_go_wrong_is_preserved() {
    let model = models::counter();
    let goals = [Goal::Deadlock, Goal::Termination, Goal::Race];
    common::proves_nothing_about(&goals, &model.program, &Proof::Reduced(right(&model)));
}

#[test]
fn the_check_keeps_to_its_budget() {
    let model = models::counter();
    common::can_be_cancelled(&model.program, Goal::Assert, Proof::Reduced(right(&model)));
}

#[test]
fn a_reduced_program_can_be_reduced_again() {
    let model = models::figure_1();
    let reduced = right(&model);
    // The inner reduction has no blocks: it leaves the program as it is.
    let (smaller, _) = reduced.program(&model.program).expect("the blocks are some");
    let held = nothing_held(&smaller);
    let inner = Reduced {
        forgotten: Vec::new(),
        held: held.into(),
        inside: Vec::new(),
        movers: Vec::new(),
        proof: reduced.proof.clone(),
    };
    let outer = Reduced { proof: Box::new(Proof::Reduced(inner)), ..reduced };
    assert_eq!(verdict(&model, Goal::Assert, outer).name(), "safe");
}
