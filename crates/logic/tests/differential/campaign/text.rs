//! Questions as SMT-LIB text, made here and not by the crate's own printer, so that a mistake of
//! the printer cannot hide one of the solver.

use std::fmt::Write;

use rely_base::Id;
use rely_logic::{Constraint, Integer, Relation};

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
