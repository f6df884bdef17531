//! Tests of proofs made of clauses.

use super::Houdini;
use super::cubes::cubes;
use super::induction::invariants;
use super::needed::needed;
use super::obligations::{Clauses, Frame};
use super::propagation::{Indexed, extended, settled};
use super::samples::Samples;
use super::shapes::shapes;
use super::signs::{AtomId, Signs};
use super::vocabulary::{Atom, Vocabulary};
use super::{Limits, prove};
use expect_test::{Expect, expect};
use rely_base::{Budget, Id, Silent, SourceMap};
use rely_evidence::rely_guarantee::{AtomPrinter, ControlPoint};
use rely_evidence::{Verdict, check};
use rely_program::{Goal, Program, ThreadId};
use rely_symbolic::System;
use rely_testing::{Answer, Reference, generate};

const PETERSON: &str = "var flag1, flag2: bool = false; var turn: int = 0;
    thread T1 { flag1 := true; turn := 2; await !flag2 || turn == 1; a: skip; flag1 := false; }
    thread T2 { flag2 := true; turn := 1; await !flag1 || turn == 2; b: skip; flag2 := false; }
    never T1 at a && T2 at b;";

fn load(model: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("model.rely", model);
    rely_model_front::translate(&sources, file).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn system(program: &Program) -> System<'_> {
    System::new(program, Goal::Assert, rely_symbolic::Limits::default(), &Budget::unlimited())
        .unwrap_or_else(|_| panic!("it fits"))
}

/// What comes out, after the check of its evidence.
fn check_proof(model: &str, expect: &Expect) {
    let program = load(model);
    let (program, _) = rely_passes::prepare(&program, Goal::Assert);
    let budget = Budget::unlimited();
    let said = match prove(&Houdini::default(), &system(&program), &budget, &Silent) {
        None => "nothing".to_owned(),
        Some(claim) => check(&program, Goal::Assert, claim, &budget).into_verdict().name().to_owned(),
    };
    expect.assert_eq(&said);
}

#[test]
fn proofs_are_found_and_runs_are_seen() {
    check_proof(PETERSON, &expect!["safe"]);
    let hasty = PETERSON.replace("turn := 2; await", "await");
    check_proof(&hasty, &expect!["unsafe"]);
}

#[test]
fn what_needs_more_than_comparisons_is_left_to_others() {
    // It takes a relation between both that nothing compares.
    let hidden = "var x, y: int = 0;
        thread T { while * { atomic { x := x + 1; y := y + 2; } } }
        never x >= 5 && y <= 5;";
    check_proof(hidden, &expect!["nothing"]);
    let any_number = "var lock: int = 0;
        process main { while * { spawn worker; } }
        process worker { await lock == 0 do { lock := 1; } a: skip; lock := 0; }
        start main;
        never #(worker at a) >= 2;";
    check_proof(any_number, &expect!["nothing"]);
}

struct Words<'w, 'p>(&'w System<'p>, &'w Vocabulary);

impl Words<'_, '_> {
    fn clause(&self, clause: Signs) -> String {
        let Words(system, vocabulary) = self;
        let literal = |(atom, holds): (AtomId, bool)| match &vocabulary.atoms[atom] {
            Atom::Value(constraint) => {
                let constraint = if holds { constraint.clone() } else { constraint.negated() };
                let atom = system.cells.atom(&constraint).expect("small numbers");
                AtomPrinter::new(system.program).atom(&atom)
            }
            Atom::Place { thread, point } => {
                let name = &system.program.threads()[*thread].name;
                format!("{name} {}at {}", if holds { "" } else { "not " }, self.point(*thread, point.index()))
            }
        };
        clause.iter().map(literal).collect::<Vec<_>>().join(" || ")
    }

    fn point(&self, thread: ThreadId, point: usize) -> String {
        match self.0.thread(thread).points[point] {
            ControlPoint::Unstarted => "no start".to_owned(),
            ControlPoint::At(location) => match &self.0.program.locations()[location].label {
                Some(label) => label.clone(),
                None => format!("L{}", location.index()),
            },
        }
    }

    fn clauses(&self, clauses: &Clauses) -> String {
        let mut lines = Vec::new();
        for (thread, points) in self.0.thread_ids().zip(clauses) {
            for (point, clauses) in points.iter().enumerate().filter(|(_, clauses)| !clauses.is_empty()) {
                let clauses: Vec<String> = clauses.iter().map(|&clause| self.clause(clause)).collect();
                let name = &self.0.program.threads()[thread].name;
                lines.push(format!("{name} at {}: {}", self.point(thread, point), clauses.join("; ")));
            }
        }
        lines.join("\n")
    }
}

#[test]
fn a_proof_says_what_a_person_would() {
    let program = load(PETERSON);
    let (program, _) = rely_passes::prepare(&program, Goal::Assert);
    let (system, budget) = (system(&program), Budget::unlimited());
    let vocabulary = Vocabulary::new(&system, &budget).expect("few atoms");
    let samples =
        Samples::new(&system, &vocabulary, Limits::default(), crate::WalkLimits::default(), &budget)
            .expect("no violation");
    let frame = Frame::new(&system, &vocabulary, Limits::default(), &budget);
    let held =
        invariants(&frame, &samples, Limits::default().first_width, (&budget, &Silent)).expect("time enough");
    let needed = needed(&frame, &held, &budget).expect("a proof");
    expect![[r#"
        T1 at L4: flag1
        T1 at L5: T2 at L9 || turn != 1; flag1; turn >= 0; turn != 0
        T1 at a: flag1; turn != 0; turn >= 0; T2 at L9 || turn != 1; !flag2 || turn == 1 || T2 at L8
        T2 at L8: flag2
        T2 at L9: flag2
        T2 at b: flag2"#]]
    .assert_eq(&Words(&system, &vocabulary).clauses(&needed.clauses));
}

#[test]
fn clauses_grow_by_what_breaks_them() {
    let program = load(PETERSON);
    let (program, _) = rely_passes::prepare(&program, Goal::Assert);
    let (system, budget) = (system(&program), Budget::unlimited());
    let vocabulary = Vocabulary::new(&system, &budget).expect("few atoms");
    let frame = Frame::new(&system, &vocabulary, Limits::default(), &budget);
    let words = Words(&system, &vocabulary);
    let shapes = shapes(&frame, ThreadId::from_index(0), 3, &budget).expect("time enough");
    let of_width =
        |width: usize| shapes[width].iter().map(|&clause| words.clause(clause)).collect::<Vec<_>>();
    let wanted = "!flag2 || turn == 1 || T2 at";
    assert!(of_width(3).iter().any(|clause| clause.starts_with(wanted)), "{:?}", of_width(3));
    let is_wide =
        |(width, clauses): (usize, &Vec<Signs>)| clauses.iter().all(|one| one.count() as usize == width);
    assert!(shapes.iter().enumerate().all(is_wide));
}

fn atom(index: usize) -> AtomId {
    AtomId::from_index(index)
}

fn signs(list: &[(usize, bool)]) -> Signs {
    list.iter().map(|&(index, holds)| Signs::one(atom(index), holds)).collect()
}

#[test]
fn signs_are_sets() {
    let clause = signs(&[(0, true), (127, false)]);
    assert_eq!(clause.iter().collect::<Vec<_>>(), [(atom(0), true), (atom(127), false)]);
    assert_eq!(clause.negated(), signs(&[(0, false), (127, true)]));
    assert_eq!((clause.count(), clause.is_single(), clause.is_contradiction()), (2, false, false));
    assert!(clause.union(clause.negated()).is_contradiction());
    assert!(Signs::of_state(1).intersects(clause) && Signs::of_state(0).intersects(clause));
    assert!(!Signs::of_state(1 << 127).intersects(clause));
    assert!(signs(&[(0, true)]).is_subset(clause) && !clause.is_subset(signs(&[(0, true)])));
}

/// A program whose comparisons do not depend on each other.
const INDEPENDENT: &str = "var a, b, c, d: bool = false;
    thread T { await a && b && c && d; }
    thread U { a := true; b := true; c := true; d := true; }";

#[test]
fn cubes_say_what_clauses_say() {
    let program = load(INDEPENDENT);
    let system = system(&program);
    let vocabulary = Vocabulary::new(&system, &Budget::unlimited()).expect("few atoms");
    let clauses = [
        signs(&[(0, true), (1, false)]),
        signs(&[(1, true), (2, true), (3, false)]),
        signs(&[(0, false), (3, true)]),
    ];
    let cubes = cubes(&vocabulary, &clauses, 2_000).expect("few cubes");
    for holding in 0..16 {
        let state = Signs::of_state(holding);
        let by_clauses = clauses.iter().all(|clause| clause.intersects(state));
        // What the other atoms say of the same variables is not at stake here.
        let by_cubes = cubes.iter().any(|cube| cube.is_subset(state));
        assert_eq!(by_clauses, by_cubes, "{holding:04b}");
    }
    assert_eq!(super::cubes::cubes(&vocabulary, &[Signs::default()], 2_000), Some(Vec::new()));
    assert_eq!(super::cubes::cubes(&vocabulary, &[], 2_000), Some(vec![Signs::default()]));
}

#[test]
fn clauses_contradict_by_propagation() {
    let program = load(INDEPENDENT);
    let system = system(&program);
    let vocabulary = Vocabulary::new(&system, &Budget::unlimited()).expect("few atoms");
    let chain = [signs(&[(0, false), (1, true)]), signs(&[(1, false), (2, true)])];
    let [first, second] = chain.map(|clause| Indexed::new([clause].into_iter()));
    let lists = [&first, &second];
    let check = |known: &[(usize, bool)], expected: Option<&[(usize, bool)]>| {
        // Other atoms that follow from these do not matter here.
        let of_chain = |known: Signs| known.intersection(signs(&[(0, true), (1, true), (2, true)]).atoms());
        let all = settled(&vocabulary, signs(known), &lists).map(of_chain);
        assert_eq!(all, expected.map(signs), "{known:?}");
        // What becomes known later makes no difference.
        for split in 0..=known.len() {
            let before = settled(&vocabulary, signs(&known[..split]), &lists);
            let after =
                before.and_then(|before| extended(&vocabulary, before, signs(&known[split..]), &lists));
            assert_eq!(after.map(of_chain), all, "{known:?}, {split} of them before");
        }
    };
    check(&[(0, true), (2, false)], None);
    check(&[(0, true)], Some(&[(0, true), (1, true), (2, true)]));
    check(&[(0, false), (2, false)], Some(&[(0, false), (1, false), (2, false)]));
    check(&[(1, true), (1, false)], None);
}

#[test]
fn generated_programs_get_the_right_verdicts() {
    let (mut proofs, mut runs) = (0, 0);
    for seed in 0..60 {
        let sample = generate(seed);
        if !matches!(sample.goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            continue;
        }
        let (program, _) = rely_passes::prepare(&sample.program, sample.goal);
        let budget = Budget::unlimited();
        let Ok(system) = System::new(&program, sample.goal, rely_symbolic::Limits::default(), &budget) else {
            continue;
        };
        let Some(claim) = prove(&Houdini::default(), &system, &budget, &Silent) else { continue };
        let expected = Reference::new(&program, sample.goal).answer(200_000);
        match (check(&program, sample.goal, claim, &budget).into_verdict(), expected) {
            (Verdict::Safe(_), Answer::Safe { .. } | Answer::TooMany) => proofs += 1,
            (Verdict::Unsafe(_), Answer::Unsafe { .. } | Answer::TooMany) => runs += 1,
            (verdict, expected) => panic!("seed {seed}: {} instead of {expected:?}", verdict.name()),
        }
    }
    assert!(proofs > 5 && runs > 3, "{proofs} proofs, {runs} runs");
}
