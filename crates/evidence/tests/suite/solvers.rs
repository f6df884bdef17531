//! The other solvers that are asked for their word about obligations.

use rely_logic::smtlib::ExternalSolver;

/// Those that are installed. With `RELY_REQUIRE_SOLVERS` set, a missing one is a failure;
/// otherwise it is left out.
#[allow(clippy::print_stderr)] // a test says what it leaves out
pub fn solvers() -> Vec<&'static str> {
    let mut found = Vec::new();
    for command in ["z3", "cvc5"] {
        if ExternalSolver::new(command).is_ok_and(|mut solver| solver.is_available()) {
            found.push(command);
        } else {
            assert!(std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "{command} is not installed");
            eprintln!("left out: {command} is not installed");
        }
    }
    found
}
