//! Interpolants of random trees: every implication is asked of z3, the vocabulary is compared here.

use rely_base::Budget;
use rely_logic::interpolate::{Interpolation, Preferences, interpolate_tree};
use rely_logic::smtlib::{Answer, Script};
use rely_logic::{Notation, TermId, TermPool, Value};

use super::Report;
use super::oracle::Oracle;
use super::problems::{TreeProblem, implications, vocabularies};
use super::random::Random;

/// How many questions z3 gets at once, more or less.
const BATCH: usize = 500;

/// Interpolates until `count` problems were unsatisfiable.
pub fn run(
    z3: &mut Oracle,
    seed: u64,
    count: usize,
    make: impl Fn(&mut TermPool, &mut Random) -> TreeProblem,
) -> Report {
    let mut random = Random::new(seed);
    let mut report = Report::default();
    let mut questions: Vec<String> = Vec::new();
    while report.unsat < count {
        let mut pool = TermPool::new();
        let problem = make(&mut pool, &mut random);
        let found = check_problem(&mut pool, &problem, &mut report);
        questions.extend(found);
        if questions.len() >= BATCH || report.unsat == count {
            for (answer, text) in z3.answers(&questions).into_iter().zip(&questions) {
                assert_eq!(answer, Answer::Unsat, "an implication does not hold:\n{text}");
            }
            questions.clear();
        }
    }
    report
}

/// Interpolates one problem; the answers are questions that must be unsatisfiable.
fn check_problem(pool: &mut TermPool, problem: &TreeProblem, report: &mut Report) -> Vec<String> {
    let TreeProblem { formulas, parents } = problem;
    report.questions += 1;
    match interpolate_tree(pool, formulas, parents, &Preferences::default(), &Budget::unlimited()) {
        Interpolation::Found(interpolants) => {
            report.unsat += 1;
            check_vocabulary(pool, problem, &interpolants);
            let implications = implications(pool, problem, &interpolants);
            implications
                .into_iter()
                .map(|(premises, conclusion)| refutation(pool, premises, conclusion))
                .collect()
        }
        Interpolation::Satisfiable(values) => {
            report.sat += 1;
            for &formula in formulas {
                let holds = pool.evaluate(formula, &values);
                assert_eq!(holds, Some(Value::Bool(true)), "a model is wrong: {}", shown(pool, formula));
            }
            Vec::new()
        }
        Interpolation::NotInVocabulary => panic!("the vocabulary was not restricted"),
        Interpolation::Unknown(_) => {
            report.unknown += 1;
            Vec::new()
        }
    }
}

fn check_vocabulary(pool: &TermPool, problem: &TreeProblem, interpolants: &[TermId]) {
    for (&interpolant, common) in interpolants.iter().zip(vocabularies(pool, problem)) {
        let foreign =
            pool.free_variables(interpolant).into_iter().find(|variable| !common.contains(variable));
        assert_eq!(foreign, None, "{} is not in the vocabulary", shown(pool, interpolant));
    }
}

/// The question whether an implication fails.
fn refutation(pool: &mut TermPool, mut formulas: Vec<TermId>, conclusion: TermId) -> String {
    formulas.push(pool.not(conclusion));
    Script::new(pool, &formulas).text().to_owned()
}

fn shown(pool: &TermPool, term: TermId) -> String {
    pool.display(term, Notation::Mathematics).to_string()
}
