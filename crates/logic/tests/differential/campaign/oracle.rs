//! The other solver: z3, and z3 with its older arithmetic where the newer one does not end.

use std::fmt::Write;
use std::time::Duration;

use rely_base::Id;
use rely_logic::Constraint;
use rely_logic::smtlib::{Answer, ExternalSolver};

use super::text::constraint_text;

/// What is too hard for z3 is told by the steps that it counts, so that it gives up on the same questions
/// on every machine; the time is for a z3 that hangs.
const STEPS: &str = "rlimit=20000000";
const LIMIT: Duration = Duration::from_secs(3600);

/// z3 with two ways to decide arithmetic; the second is asked what the first gives up on.
pub struct Oracle {
    first: ExternalSolver,
    second: ExternalSolver,
}

impl Oracle {
    /// z3, or `None` if it is not installed and `RELY_REQUIRE_SOLVERS` does not ask for it.
    pub fn new() -> Option<Self> {
        let z3 = |options: &str| ExternalSolver::new(&format!("z3 -in -smt2 {STEPS} {options}"));
        let mut first = z3("").expect("a command");
        let second = z3("smt.arith.solver=2").expect("a command");
        if first.is_available() {
            return Some(Self { first, second });
        }
        assert!(std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "z3 is not installed");
        None
    }

    /// The answers to scripts. What is too hard for both ways is unknown.
    pub fn answers(&mut self, scripts: &[String]) -> Vec<Answer> {
        let texts: Vec<&str> = scripts.iter().map(String::as_str).collect();
        let mut answers = check(&mut self.first, &texts);
        for (answer, text) in answers.iter_mut().zip(texts) {
            if *answer == Answer::Unknown {
                *answer = check(&mut self.second, &[text])[0];
            }
        }
        answers
    }
}

fn check(z3: &mut ExternalSolver, texts: &[&str]) -> Vec<Answer> {
    z3.check_all(texts, LIMIT).unwrap_or_else(|error| panic!("{error}"))
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
