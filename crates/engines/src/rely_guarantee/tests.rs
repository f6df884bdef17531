//! Tests of the parts that cannot be seen from outside.

use super::attempt::Attempt;
use super::candidates::Candidates;
use super::extract::relevance::relevant_classes;
use super::precision::literals::{Literal, Literals, PredicateId};
use super::precision::symmetry::Symmetries;
use super::precision::{Precision, PrecisionIncrement};
use super::reach::components::Components;
use super::reach::decide::Decider;
use super::reach::{Derivation, Interrupted, Trees};
use super::refine::excluded::Excluded;
use super::refine::{Found, Refinement, refine_generally, suggested_run};
use super::{Bias, Limits, Nobody, history};
use expect_test::{Expect, expect};
use rely_base::{Budget, Id, Silent, SourceMap};
use rely_evidence::rely_guarantee::AtomPrinter;
use rely_evidence::{Claim, Verdict, replay};
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::{Goal, Program, ThreadId};
use rely_symbolic::{ControlPointId, MoveId, System};

pub(crate) fn load(model: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"))
}

pub(crate) fn system(program: &Program) -> System<'_> {
    System::new(program, Goal::Assert, rely_symbolic::Limits::default(), &Budget::unlimited())
        .unwrap_or_else(|_| panic!("it fits"))
}

/// The cell of a variable that is no array.
fn cell(system: &System<'_>, name: &str) -> VarId {
    let mut vars = system.program.vars().iter();
    let (id, _) = vars.find(|(_, var)| var.name == name).unwrap_or_else(|| panic!("no {name}"));
    system.cells.cell(id, 0)
}

fn equals(system: &System<'_>, name: &str, value: i64) -> Constraint {
    Constraint::eq(&LinearForm::variable(cell(system, name)), &LinearForm::constant(value))
}

fn thread(index: usize) -> ThreadId {
    ThreadId::from_index(index)
}

/// What the increment is for all symmetric threads, in words.
fn check_symmetric(model: &str, increment: impl FnOnce(&System<'_>) -> PrecisionIncrement, expect: &Expect) {
    let program = load(model);
    let system = system(&program);
    let found = Symmetries::new(&system).with_symmetric(vec![increment(&system)], 4_096);
    let precision = Precision::new(&system);
    let round = history::round(&system, &precision, Vec::new(), &found, false);
    expect.assert_eq(&round.found.join("; "));
}

const TWO_FLAGS: &str = "var lock: int = 0; var flag1, flag2: int = 0;
    thread T1 { a: flag1 := 1; await lock == 0 do { lock := 1; } b: await flag2 == 0; }
    thread T2 { p: flag2 := 1; await lock == 0 do { lock := 2; } q: await flag1 == 0; }";

#[test]
fn what_a_thread_tracks_its_twin_tracks_in_its_own_terms() {
    let predicate = |name: &'static str, value| {
        move |system: &System<'_>| PrecisionIncrement::Predicate {
            thread: thread(0),
            point: ControlPointId::from_index(0),
            constraint: equals(system, name, value),
        }
    };
    check_symmetric(TWO_FLAGS, predicate("flag1", 1), &expect!["T1: flag1 == 1; T2: flag2 == 1"]);
    check_symmetric(TWO_FLAGS, predicate("flag2", 0), &expect!["T1: flag2 == 0; T2: flag1 == 0"]);
    // The same test with another constant, because it stands in the same place.
    check_symmetric(TWO_FLAGS, predicate("lock", 1), &expect!["T1: lock == 1; T2: lock == 2"]);
    check_symmetric(TWO_FLAGS, predicate("lock", 7), &expect!["T1: lock == 7; T2: lock == 7"]);
    let other_shape = TWO_FLAGS.replace("q: await flag1 == 0;", "q: skip; await flag1 == 0;");
    check_symmetric(&other_shape, predicate("flag1", 1), &expect!["T1: flag1 == 1"]);
}

#[test]
fn places_have_twins_too() {
    let place = |system: &System<'_>| {
        let observed = thread(1);
        let label = |name: &str| {
            let mut points = system.thread(observed).points.iter();
            let is = |point: &rely_evidence::rely_guarantee::ControlPoint| match point {
                rely_evidence::rely_guarantee::ControlPoint::At(location) => {
                    system.program.locations()[*location].label.as_deref() == Some(name)
                }
                rely_evidence::rely_guarantee::ControlPoint::Unstarted => false,
            };
            ControlPointId::from_index(points.position(is).unwrap_or_else(|| panic!("no {name}")))
        };
        PrecisionIncrement::Place { observer: thread(0), observed, points: vec![label("q")] }
    };
    check_symmetric(TWO_FLAGS, place, &expect!["T1: T2 at q; T2: T1 at b"]);
}

#[test]
fn variable_components_are_joined_by_predicates_and_by_conditions() {
    let program = load(
        "var x, y, z: int = 0;
        thread T { await x == y; z := x; }",
    );
    let system = system(&program);
    let mut precision = Precision::new(&system);
    for name in ["x", "y", "z"] {
        precision.add(thread(0), &equals(&system, name, 0));
    }
    let components = Components::new(&system, &precision);
    let mask = |numbers: &[usize]| -> Literals {
        let predicates = numbers.iter().map(|&number| PredicateId::from_index(number));
        predicates.flat_map(|predicate| [true, false].map(|holds| Literal { predicate, holds })).collect()
    };
    let [waits, copies] = [0, 1].map(MoveId::from_index);
    assert_eq!(components.guarded(waits), [mask(&[0, 1])]);
    assert_eq!(components.apart(waits), [mask(&[2])]);
    assert_eq!(*components.relevant(waits, PredicateId::from_index(0)), mask(&[0, 1]));
    assert_eq!(*components.relevant(waits, PredicateId::from_index(2)), mask(&[2]));
    // What z is afterwards, x was before.
    assert_eq!(*components.relevant(copies, PredicateId::from_index(2)), mask(&[0]));
    assert!(components.fit(&precision));
    precision.add(thread(0), &equals(&system, "x", 1));
    assert!(!components.fit(&precision));
}

/// Whether the first counterexample, while nothing is tracked, suggests a run.
fn check_suggestion(model: &str, expect: bool) {
    let program = load(model);
    let (system, budget) = (system(&program), Budget::unlimited());
    let (precision, mut decider) =
        (Precision::new(&system), Decider::new(&system, Limits::default(), &budget));
    let mut trees = Trees::new(&system, &precision, &mut decider, &budget);
    let Err(Interrupted::Counterexample(counterexample)) = trees.grow(1_000) else {
        panic!("nothing is tracked, so something seems wrong");
    };
    let run = suggested_run(&trees, &counterexample, &Candidates::new(&system, Limits::default()), &budget);
    assert_eq!(run.is_some(), expect, "{model}");
    if let Some(run) = run {
        assert!(replay(&program, Goal::Assert, run, &budget).is_ok());
    }
}

#[test]
fn branches_of_several_threads_together_can_be_a_run() {
    let model = "var x: int = 0; var y: int = 0;
        thread A { y := 1; y := 2; a: skip; }
        thread B { x := 1; x := 2; b: skip; }
        never A at a && B at b && x == 2 && y == VALUE;";
    check_suggestion(&model.replace("VALUE", "2"), true);
    check_suggestion(&model.replace("VALUE", "1"), false);
    let started = "var x: int = 0;
        process worker(n: int) { x := x + n; }
        thread Main { local h: thread; h := spawn worker(3); join h; assert x == EXPECTED; }";
    check_suggestion(&started.replace("EXPECTED", "3"), false);
    // Who comes after the end comes too late: B has to move first.
    let halting = "thread A { halt; a: skip; }
        thread B { skip; b: skip; }
        never A at a && B at b;";
    check_suggestion(halting, true);
}

/// How many classes are left of how many nodes in the proof.
fn check_classes(model: &str, expect: &Expect) {
    let program = load(model);
    let (system, budget) = (system(&program), Budget::unlimited());
    let (candidates, symmetries) = (Candidates::new(&system, Limits::default()), Symmetries::new(&system));
    let mut attempt = Attempt::new(Bias::Modular, (&system, &candidates, &symmetries), &budget, &Silent);
    let claim = attempt.advance(10_000, &mut Nobody);
    assert!(matches!(claim, Some(Claim::Safe(_))), "{claim:?}");
    let precision = attempt.into_precision();
    let mut decider = Decider::new(&system, Limits::default(), &budget);
    let mut trees = Trees::new(&system, &precision, &mut decider, &budget);
    assert!(trees.grow(10_000).is_ok(), "the precision suffices");
    let points = |thread: ThreadId| (0..system.thread(thread).points.len()).map(ControlPointId::from_index);
    let places: Vec<(ThreadId, ControlPointId)> =
        system.thread_ids().flat_map(|thread| points(thread).map(move |point| (thread, point))).collect();
    let nodes: usize = places.iter().map(|&(thread, point)| trees.at(thread, point).len()).sum();
    let classes = relevant_classes(&mut trees, &precision, &budget);
    let classes: usize = places.iter().map(|&(thread, point)| classes.at(thread, point).len()).sum();
    expect.assert_eq(&format!("{classes} classes of {nodes} nodes"));
}

#[test]
fn proofs_are_reduced_to_what_they_need() {
    // That T1 holds the lock as 1 and T2 as 2 matters only where they hold it.
    check_classes(
        "var lock: int = 0;
        thread T1 { a: await lock == 0 do { lock := 1; } b: skip; lock := 0; }
        thread T2 { p: await lock == 0 do { lock := 2; } q: skip; lock := 0; }
        never T1 at b && T2 at q;",
        &expect!["8 classes of 12 nodes"],
    );
}

/// What follows from where a thread is, for each of its control points.
fn check_counting(model: &str, name: &str, expect: &Expect) {
    let program = load(model);
    let system = system(&program);
    let mut threads = program.threads().iter();
    let (thread, _) = threads.find(|(_, thread)| thread.name == name).unwrap_or_else(|| panic!("no {name}"));
    let points = (0..system.thread(thread).points.len()).map(ControlPointId::from_index);
    let counted: Vec<VarId> = system.counting.cells().collect();
    let facts = points.map(|point| {
        let facts = system.counting.facts(&counted, &system, &[(thread, point)]);
        let atoms = facts.iter().filter_map(|fact| system.cells.atom(fact));
        atoms.map(|atom| AtomPrinter::new(&program).atom(&atom)).collect::<Vec<_>>().join(", ")
    });
    expect.assert_eq(&facts.collect::<Vec<_>>().join("; "));
}

#[test]
fn cells_that_count_threads_are_bounded_by_where_these_are() {
    let reader = "{ r := r + 1; x := r; r := r - 1; }";
    let known = format!("var r, x: int = 0; thread A {reader} thread B {reader} invariant r <= 2;");
    check_counting(&known, "A", &expect!["r >= 0, r <= 1; r >= 0, r <= 1; r >= 1, r <= 2; r >= 1, r <= 2"]);
    // There may be any number of others.
    let any = format!(
        "var r, x: int = 0; process p {reader} thread Main {{ while * {{ spawn p(); }} }} never r < 0;"
    );
    check_counting(&any, "p", &expect!["r >= 0; r >= 0; r >= 1; r >= 1"]);
    // Who starts it counts it, and of two numbers the difference is known, too.
    check_counting(
        "var all, begun: int = 0;
        process p { begun := begun + 1; assert begun <= all; }
        thread Main { while * { atomic { all := all + 1; spawn p(); } } }",
        "p",
        &expect![
            "all >= 1, begun >= 0, begun <= all - 1; all >= 1, begun >= 1, begun <= all; all >= 1, begun >= 1, begun <= all"
        ],
    );
    // It does not start at zero, and goes down first.
    check_counting(
        "var r: int = 3; thread A { r := r - 2; r := r + 2; } thread B { await r == 3; }",
        "A",
        &expect!["r >= 3, r <= 3; r >= 3, r <= 3; r >= 1, r <= 1"],
    );
}

#[test]
fn a_flag_of_any_number_of_threads_counts_who_has_set_it() {
    let spawning = "thread Main { while * { spawn p(); } }";
    let careful = format!(
        "var f, x: int = 0; process p {{ await f == 0 do {{ f := 1; }} x := f; f := 0; }} {spawning}"
    );
    check_counting(
        &careful,
        "p",
        &expect![
            "f >= 0, f >= 0, f <= 1; f >= 0, f >= 0, f <= 1; f >= 1, f >= 0, f <= 1; f >= 1, f >= 0, f <= 1"
        ],
    );
    // The largest numbers do no harm.
    let large =
        careful.replace("f == 0", "f == -9223372036854775808").replace("f := 0", "f := -9223372036854775808");
    let program =
        load(&large.replace("var f, x: int = 0;", "var x: int = 0; var f: int = -9223372036854775808;"));
    assert!(system(&program).counting.cells().next().is_none(), "the shares are too large");
    for other in [
        // It has three values.
        careful.replace("x := f;", "x := f; f := 2;"),
        // Where somebody ends, another one has set it and one has not.
        careful.replace("x := f; f := 0;", "if * { f := 0; }"),
        // Only threads whose number is known write it: these know each other's places.
        careful.replace("spawn p();", "skip;").replace("process p", "thread T"),
    ] {
        let program = load(&other);
        assert!(system(&program).counting.cells().next().is_none(), "{other}");
    }
}

#[test]
fn what_depends_on_more_than_places_does_not_count_threads() {
    for (declaration, step, other) in [
        ("var r: int = 0;", "while * { r := r + 1; }", "await r == 3;"),
        ("var r: int = *;", "r := r + 1;", "await r == 3;"),
        ("var r, x: int = 0;", "r := x;", "await r == 3;"),
        // One is counted when it is started and one is not.
        (
            "process p { skip; } var r: int = 0;",
            "atomic { r := r + 1; spawn p(); } while * { atomic { r := r + 1; spawn p(); } } while * { spawn p(); }",
            "await r == 3;",
        ),
        // Nobody looks at it.
        ("var r: int = 0;", "r := r + 1;", "r := r + 1;"),
    ] {
        let program = load(&format!("{declaration} thread A {{ {step} }} thread B {{ {other} }}"));
        assert!(system(&program).counting.cells().next().is_none(), "{step}");
    }
}

/// How many blocks of places are seen before and after those are forgotten that are not needed,
/// when a predicate is tracked for each thread after all.
fn check_forgotten(predicates: [i64; 2], expect: (usize, usize)) {
    let program = load(
        "var lock: int = 0;
        thread T1 { a: await lock == 0 do { lock := 1; } b: skip; }
        thread T2 { p: await lock == 0 do { lock := 2; } q: skip; }
        never T1 at b && T2 at q;",
    );
    let (system, budget) = (system(&program), Budget::unlimited());
    let (mut precision, mut decider) =
        (Precision::new(&system), Decider::new(&system, Limits::default(), &budget));
    let mut excluded = Excluded::default();
    for _ in 0..10 {
        let mut trees = Trees::new(&system, &precision, &mut decider, &budget);
        let Err(Interrupted::Counterexample(counterexample)) = trees.grow(1_000) else { break };
        let refinement =
            refine_generally(&trees, &counterexample, &Candidates::new(&system, Limits::default()), &budget);
        let Refinement::Track(Found { increments: found, .. }) = refinement else {
            panic!("there is something to track")
        };
        excluded.add(Derivation::new(&trees, &counterexample, 1_000), &found);
        assert!(found.iter().filter(|one| one.apply(&mut precision)).count() > 0);
    }
    assert!(precision.count_blocks() > 4, "places were found");
    for (index, value) in predicates.into_iter().enumerate() {
        precision.add(thread(index), &equals(&system, "lock", value));
    }
    let coarser = excluded.with_fewer_places(&system, &precision, &mut decider, &budget);
    let coarser = coarser.expect("one of two places is enough against what was seen");
    assert_eq!((precision.count_blocks(), coarser.count_blocks()), expect);
    let mut trees = Trees::new(&system, &coarser, &mut decider, &budget);
    assert!(excluded.are_impossible(&mut trees), "what was excluded stays so");
}

#[test]
fn places_are_forgotten_when_predicates_do_without_them() {
    check_forgotten([1, 2], (6, 4));
    // These do not help, so places are needed.
    check_forgotten([7, 8], (6, 5));
}

#[test]
fn when_trees_get_large_predicates_are_tracked_where_they_are_needed() {
    let phase = |lock: &str, owner: u32| {
        format!("await {lock} == 0 do {{ {lock} := {owner}; }} {lock}{owner}: skip; {lock} := 0;")
    };
    let thread = |owner| format!("thread T{owner} {{ {} {} }}", phase("k", owner), phase("l", owner));
    let program = load(&format!(
        "var k, l: int = 0; {} {} never T1 at k1 && T2 at k2; never T1 at l1 && T2 at l2;",
        thread(1),
        thread(2)
    ));
    let (system, budget) = (system(&program), Budget::unlimited());
    let (candidates, symmetries) = (Candidates::new(&system, Limits::default()), Symmetries::new(&system));
    let nodes_with = |limits: &[usize]| {
        let mut attempt = Attempt::new(Bias::Modular, (&system, &candidates, &symmetries), &budget, &Silent);
        let claim = limits.iter().find_map(|&limit| attempt.advance(limit, &mut Nobody));
        let claim = claim.expect("a thousand nodes suffice");
        let verdict = rely_evidence::check(&program, Goal::Assert, claim, &budget).into_verdict();
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
        let precision = attempt.into_precision();
        let mut decider = Decider::new(&system, Limits::default(), &budget);
        let mut trees = Trees::new(&system, &precision, &mut decider, &budget);
        assert!(trees.grow(1_000).is_ok(), "the precision suffices");
        (precision.tracks_where_needed(), trees.nodes.len())
    };
    let (lazily, many) = nodes_with(&[1_000]);
    assert!(!lazily, "the trees are small");
    let (lazily, few) = nodes_with(&[10, 1_000]);
    assert!(lazily, "ten nodes do not suffice");
    assert!(few < many, "who is in one phase need not know about the other: {few}, {many}");
}

/// Looks for a proof, with modular predicates as long as there can be a modular one.
fn check_modular(model: &str, has_modular_proof: bool) {
    let program = load(model);
    let (program, _) = rely_passes::prepare(&program, Goal::Assert);
    let (system, budget) = (system(&program), Budget::unlimited());
    let (candidates, symmetries) = (Candidates::new(&system, Limits::default()), Symmetries::new(&system));
    let mut attempt = Attempt::new(Bias::Modular, (&system, &candidates, &symmetries), &budget, &Silent);
    let claim = attempt.advance(10_000, &mut Nobody);
    assert!(matches!(claim, Some(Claim::Safe(_))), "{claim:?}");
    assert_eq!(!attempt.excludes_modular_proofs(), has_modular_proof);
}

#[test]
fn where_there_is_no_modular_proof_the_clauses_say_so() {
    check_modular(include_str!("../../../../benchmarks/popl11/lockid.rely"), true);
    check_modular(include_str!("../../../../benchmarks/popl11/lockbit.rely"), false);
    check_modular(include_str!("../../../../benchmarks/popl11/lockbitcnt.rely"), false);
}

#[test]
fn trees_grow_on_where_they_stopped() {
    let program = load(
        "var x: int = 0; var turn: int = 0;
        thread A { while (x < 5) { await turn == 0; x := x + 1; turn := 1; } }
        thread B { while (x < 5) { await turn == 1; x := x + 1; turn := 0; } }
        invariant x <= 6;",
    );
    let (system, budget) = (system(&program), Budget::unlimited());
    let (candidates, symmetries) = (Candidates::new(&system, Limits::default()), Symmetries::new(&system));
    let mut attempt = Attempt::new(Bias::Modular, (&system, &candidates, &symmetries), &budget, &Silent);
    let claim = attempt.advance(10_000, &mut Nobody);
    assert!(matches!(claim, Some(Claim::Safe(_))), "{claim:?}");
    let precision = attempt.into_precision();
    let nodes = |mut limits: std::ops::Range<usize>| {
        let mut decider = Decider::new(&system, Limits::default(), &budget);
        let mut trees = Trees::new(&system, &precision, &mut decider, &budget);
        assert!(limits.any(|limit| trees.grow(limit).is_ok()), "there are fewer nodes than that");
        trees.nodes.values().map(|node| (node.thread, node.point, node.literals.clone())).collect::<Vec<_>>()
    };
    let at_once = nodes(10_000..10_001);
    assert!(at_once.len() > 10);
    assert_eq!(nodes(1..10_000), at_once);
}
