//! The other solver.

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

/// z3, or `None` if it is not installed and `RELY_REQUIRE_SOLVERS` does not ask for it.
pub fn z3() -> Option<ExternalSolver> {
    let mut solver = ExternalSolver::new("z3").expect("a command");
    if solver.is_available() {
        return Some(solver);
    }
    assert!(std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "z3 is not installed");
    None
}

/// z3's answers to scripts, in one go. If one of them is too hard for z3, each is asked on its own,
/// and the hard ones are unknown.
pub fn answers(z3: &mut ExternalSolver, scripts: &[String]) -> Vec<Answer> {
    let texts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    match z3.check_all(&texts, BATCH_LIMIT) {
        Ok(answers) => answers,
        Err(ExternalError::TimedOut { .. }) => texts.iter().map(|text| answer_alone(z3, text)).collect(),
        Err(error) => panic!("{error}"),
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
