//! Conjunctions of constraints: both answers agree, models hold, proofs check, cores are minimal.

use rely_base::Budget;
use rely_logic::smtlib::Answer;
use rely_logic::{Conjunction, Constraint, Domain, Integer, Verdict};

use super::Report;
use super::oracle::{Oracle, script};
use super::random::{Random, Shape, conjunction};

/// How many questions z3 gets at once.
const BATCH: usize = 500;

/// Asks `count` questions.
pub fn run(z3: &mut Oracle, seed: u64, count: usize) -> Report {
    let mut random = Random::new(seed);
    let mut solver = Conjunction::new(Domain::Integers);
    let mut report = Report::default();
    while report.questions < count {
        let size = BATCH.min(count - report.questions);
        let questions: Vec<Vec<Constraint>> = (0..size)
            .map(|_| {
                let engine_like = random.percent(50);
                let shape = if engine_like { Shape::like_engines(&mut random) } else { varied(&mut random) };
                conjunction(&mut random, shape)
            })
            .collect();
        let scripts: Vec<String> = questions.iter().map(script).collect();
        let mut cores = Vec::new();
        for ((question, theirs), text) in questions.iter().zip(z3.answers(&scripts)).zip(&scripts) {
            report.compare(answer(&mut solver, question, text, &mut cores), theirs, text);
        }
        for (answer, core) in z3.answers(&cores).into_iter().zip(&cores) {
            assert_ne!(answer, Answer::Sat, "a core is satisfiable:\n{core}");
        }
    }
    report
}

/// Harder than what engines ask: all kinds of constraints.
fn varied(random: &mut Random) -> Shape {
    Shape {
        variables: random.between(1, 9),
        constraints: random.between(1, 14) as usize,
        general_percent: *random.pick(&[10, 40, 80]),
        largest_coefficient: *random.pick(&[2, 5, 20]),
    }
}

/// Our answer, with its evidence checked; minimal cores are collected.
fn answer(solver: &mut Conjunction, question: &[Constraint], text: &str, cores: &mut Vec<String>) -> Answer {
    solver.reset();
    for constraint in question {
        solver.assert(constraint);
    }
    match solver.check(&Budget::unlimited()) {
        Verdict::Sat => {
            let model = solver.model().expect("a model after sat");
            let value = |variable| model.integer(variable).unwrap_or(Integer::ZERO);
            assert!(question.iter().all(|constraint| constraint.holds(value)), "a model is wrong:\n{text}");
            Answer::Sat
        }
        Verdict::Unsat => {
            let proof = solver.proof().expect("a proof after unsat");
            if let Err(error) = proof.check(Domain::Integers, question) {
                panic!("a proof is rejected: {error}\n{text}");
            }
            let core = solver.minimal_core(&Budget::unlimited()).expect("a core after unsat");
            assert!(is_minimal(question, &core), "the core {core:?} is not minimal:\n{text}");
            cores.push(script(core.iter().map(|&index| &question[index])));
            Answer::Unsat
        }
        Verdict::Unknown(_) => Answer::Unknown,
    }
}

/// Whether everything of a core is needed, as models tell.
fn is_minimal(question: &[Constraint], core: &[usize]) -> bool {
    let mut solver = Conjunction::new(Domain::Integers);
    core.iter().all(|left_out| {
        solver.reset();
        for index in core.iter().filter(|&index| index != left_out) {
            solver.assert(&question[*index]);
        }
        // Where there is no answer, the constraint had to stay.
        solver.check(&Budget::unlimited()) != Verdict::Unsat
    })
}
