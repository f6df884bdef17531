//! SMT-LIB 2.6: printing of any query, a reader of terms with which scripts (here) and Horn clauses (in
//! another crate) are read, and external solvers as processes.
//!
//! No answer of this crate needs an external solver. They are for what must not be trusted to
//! ourselves: re-checking proofs, and differential tests.
//!
//! ```
//! use rely_logic::smtlib::{self, Command};
//! use rely_logic::{Notation, TermPool};
//!
//! let mut pool = TermPool::new();
//! let commands = smtlib::parse(&mut pool, "(declare-const x Int) (assert (< (* 2 x) 5))")?;
//! let [Command::Assert(assertion)] = commands.as_slice() else { panic!() };
//! assert_eq!(pool.display(assertion.body, Notation::Mathematics).to_string(), "x <= 2");
//!
//! let script = smtlib::Script::new(&pool, &[assertion.body]);
//! assert_eq!(script.text(), "(declare-fun x () Int)\n(assert (<= (+ x (- 2)) 0))\n");
//! # Ok::<(), smtlib::ParseError>(())
//! ```

mod external;
mod parse;
mod print;
mod reader;
mod sexpr;

pub use external::{Answer, ExternalError, ExternalSolver};
pub use parse::{Assertion, Command, ParseError, parse};
pub use print::{Script, expression, quoted, sort_name};
pub use reader::{Meaning, Parsed, Reader, Theory};
pub use sexpr::{Sexpr, SexprId, SexprKind, Sexprs};

#[cfg(test)]
mod tests;
