//! The other solver.

use std::fmt::Write;
use std::time::Duration;

use rely_base::Id;
use rely_logic::Constraint;
use rely_logic::smtlib::{Answer, ExternalSolver};

use super::text::constraint_text;

/// How long z3 may take for a batch of questions.
const BATCH_LIMIT: Duration = Duration::from_secs(120);

/// z3, or `None` if it is not installed and `RELY_REQUIRE_SOLVERS` does not ask for it.
pub fn z3() -> Option<ExternalSolver> {
    let mut solver = ExternalSolver::new("z3").expect("a command");
    if solver.is_available() {
        return Some(solver);
    }
    assert!(std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "z3 is not installed");
    None
}

/// z3's answers to scripts, in one go.
pub fn answers(z3: &mut ExternalSolver, scripts: &[String]) -> Vec<Answer> {
    let texts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    z3.check_all(&texts, BATCH_LIMIT).unwrap_or_else(|error| panic!("{error}"))
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
