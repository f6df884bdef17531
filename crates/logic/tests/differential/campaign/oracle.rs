//! The other solver, and questions as its text. The text is made here, not by the crate's own
//! printer, so that a mistake of the printer cannot hide one of the solver.

use std::fmt::Write;
use std::time::Duration;

use rely_base::Id;
use rely_logic::smtlib::{Answer, ExternalSolver};
use rely_logic::{Constraint, Integer, Relation};

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

/// One constraint as a formula.
pub fn constraint_text(constraint: &Constraint) -> String {
    let mut sum = format!("(+ {}", number(constraint.form().constant_term()));
    for (variable, coefficient) in constraint.form().terms() {
        let _ = write!(sum, " (* {} v{})", number(coefficient), variable.index());
    }
    sum.push_str(" 0)");
    match constraint.relation() {
        Relation::Le => format!("(<= {sum} 0)"),
        Relation::Lt => format!("(< {sum} 0)"),
        Relation::Eq => format!("(= {sum} 0)"),
        Relation::Ne => format!("(not (= {sum} 0))"),
    }
}

fn number(value: &Integer) -> String {
    if value.is_negative() { format!("(- {})", value.abs()) } else { value.to_string() }
}
