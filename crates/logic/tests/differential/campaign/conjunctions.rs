//! Conjunctions of constraints: both answers agree, models hold, proofs and cores check.

use rely_base::Budget;
use rely_logic::smtlib::{Answer, ExternalSolver};
use rely_logic::{Conjunction, Constraint, Domain, Integer, Verdict};

use super::Report;
use super::oracle::{answers, script};
use super::random::{Random, Shape, conjunction};

/// How many questions z3 gets at once.
const BATCH: usize = 500;

/// Every so many unsatisfiable questions the minimal core is computed, too.
const CORE_EVERY: usize = 5;

/// Asks `count` questions.
pub fn run(z3: &mut ExternalSolver, seed: u64, count: usize) -> Report {
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
        let expected = answers(z3, &scripts);
        let mut cores = Vec::new();
        for ((question, expected), text) in questions.iter().zip(expected).zip(&scripts) {
            check_question(&mut solver, question, expected, text, &mut report, &mut cores);
        }
        for (answer, core) in answers(z3, &cores).into_iter().zip(&cores) {
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

fn check_question(
    solver: &mut Conjunction,
    question: &[Constraint],
    expected: Answer,
    text: &str,
    report: &mut Report,
    cores: &mut Vec<String>,
) {
    let budget = Budget::unlimited();
    solver.reset();
    for constraint in question {
        solver.assert(constraint);
    }
    report.questions += 1;
    match solver.check(&budget) {
        Verdict::Sat => {
            report.sat += 1;
            assert_ne!(expected, Answer::Unsat, "sat here, unsat there:\n{text}");
            let model = solver.model().expect("a model after sat");
            let value = |variable| model.integer(variable).unwrap_or(Integer::ZERO);
            assert!(question.iter().all(|constraint| constraint.holds(value)), "a model is wrong:\n{text}");
        }
        Verdict::Unsat => {
            report.unsat += 1;
            assert_ne!(expected, Answer::Sat, "unsat here, sat there:\n{text}");
            let proof = solver.proof().expect("a proof after unsat");
            if let Err(error) = proof.check(Domain::Integers, question) {
                panic!("a proof is rejected: {error}\n{text}");
            }
            if report.unsat.is_multiple_of(CORE_EVERY) {
                let core = solver.minimal_core(&budget).expect("a core after unsat");
                cores.push(script(core.iter().map(|&index| &question[index])));
            }
        }
        Verdict::Unknown(_) => report.unknown += 1,
    }
}
