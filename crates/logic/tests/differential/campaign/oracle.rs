//! The other solver: z3, and z3 with its older arithmetic where the newer one does not end.

use std::fmt::Write;
use std::time::Duration;

use rely_base::Id;
use rely_logic::Constraint;
use rely_logic::smtlib::{Answer, ExternalError, ExternalSolver};

use super::text::constraint_text;

/// How long z3 may take for a batch of questions.
const BATCH_LIMIT: Duration = Duration::from_secs(30);

/// How long z3 may take for one question of a batch that took too long.
const QUESTION_LIMIT: Duration = Duration::from_secs(5);

/// z3 with two ways to decide arithmetic; the second is asked what the first gives up on.
pub struct Oracle {
    first: ExternalSolver,
    second: ExternalSolver,
}

impl Oracle {
    /// z3, or `None` if it is not installed and `RELY_REQUIRE_SOLVERS` does not ask for it.
    pub fn new() -> Option<Self> {
        let mut first = ExternalSolver::new("z3").expect("a command");
        let second = ExternalSolver::new("z3 -in -smt2 smt.arith.solver=2").expect("a command");
        if first.is_available() {
            return Some(Self { first, second });
        }
        assert!(std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "z3 is not installed");
        None
    }

    /// The answers to scripts, in one go. If one of them is too hard, each is asked on its own, and
    /// what is too hard for both ways is unknown.
    pub fn answers(&mut self, scripts: &[String]) -> Vec<Answer> {
        let texts: Vec<&str> = scripts.iter().map(String::as_str).collect();
        let mut answers = match self.first.check_all(&texts, BATCH_LIMIT) {
            Ok(answers) => answers,
            Err(ExternalError::TimedOut { .. }) => {
                texts.iter().map(|text| answer_alone(&mut self.first, text)).collect()
            }
            Err(error) => panic!("{error}"),
        };
        for (answer, text) in answers.iter_mut().zip(texts) {
            if *answer == Answer::Unknown {
                *answer = answer_alone(&mut self.second, text);
            }
        }
        answers
    }
}

fn answer_alone(z3: &mut ExternalSolver, text: &str) -> Answer {
    match z3.check_all(&[text], QUESTION_LIMIT) {
        Ok(answers) => answers[0],
        Err(ExternalError::TimedOut { .. }) => Answer::Unknown,
        Err(error) => panic!("{error}"),
    }
}

/// The conjunction as a script.
pub fn script<'c>(constraints: impl IntoIterator<Item = &'c Constraint>) -> String {
    let constraints: Vec<&Constraint> = constraints.into_iter().collect();
    let mut variables: Vec<usize> =
        constraints.iter().flat_map(|c| c.form().variables().map(Id::index)).collect();
    variables.sort_unstable();
    variables.dedup();
    let mut text = String::new();
    for variable in variables {
        let _ = writeln!(text, "(declare-const v{variable} Int)");
    }
    for constraint in constraints {
        let _ = writeln!(text, "(assert {})", constraint_text(constraint));
    }
    text
}
