//! Atoms of proofs in the names of the program.

use super::{Atom, Comparison, Moment, Quantity};
use rely_program::{Program, Scope, Sort, Value, VarId};

/// Writes atoms as a person would: `x + 1 <= y`, `!busy`.
#[derive(Clone, Copy, Debug)]
pub struct AtomPrinter<'p> {
    program: &'p Program,
}

impl<'p> AtomPrinter<'p> {
    /// Names come from this program.
    pub fn new(program: &'p Program) -> Self {
        Self { program }
    }

    /// A cell of a variable; a local with its thread in front.
    pub fn cell(&self, var: VarId, index: u32) -> String {
        let declaration = &self.program.vars()[var];
        let owner = match declaration.scope {
            Scope::Global => String::new(),
            Scope::Local(thread) => format!("{}.", self.program.threads()[thread].name),
        };
        let index = declaration.length.map_or(String::new(), |_| format!("[{index}]"));
        format!("{owner}{}{index}", declaration.name)
    }

    fn quantity(&self, quantity: Quantity) -> String {
        match quantity {
            Quantity::Handle => "this".to_owned(),
            Quantity::Cell { var, index, moment } => {
                let prime = if moment == Moment::After { "'" } else { "" };
                format!("{}{prime}", self.cell(var, index))
            }
        }
    }

    /// A comparison with positive factors on both sides.
    pub fn atom(&self, atom: &Atom) -> String {
        if let Some(text) = self.boolean(atom) {
            return text;
        }
        let positive: Vec<(Value, Quantity)> =
            atom.terms.iter().copied().filter(|(factor, _)| *factor > 0).collect();
        let negative = atom.terms.iter().filter(|(factor, _)| *factor < 0);
        let negative: Vec<(Value, Quantity)> =
            negative.map(|&(factor, part)| (factor.saturating_neg(), part)).collect();
        let (mut left, mut right, mut swapped) = (positive, negative, false);
        if left.is_empty() {
            std::mem::swap(&mut left, &mut right);
            swapped = true;
        }
        let constant = if swapped { atom.constant } else { atom.constant.saturating_neg() };
        let operator = match (atom.comparison, swapped) {
            (Comparison::Le, false) => "<=",
            (Comparison::Le, true) => ">=",
            (Comparison::Eq, _) => "==",
            (Comparison::Ne, _) => "!=",
            (Comparison::MultipleOf(divisor), _) => {
                return format!("({}) % {divisor} == 0", self.sum(&atom.terms, atom.constant));
            }
        };
        format!("{} {operator} {}", self.sum(&left, 0), self.sum(&right, constant))
    }

    /// A condition on one boolean: the variable or its negation.
    fn boolean(&self, atom: &Atom) -> Option<String> {
        let [(factor, part @ Quantity::Cell { var, .. })] = *atom.terms.as_slice() else { return None };
        if self.program.vars()[var].sort != Sort::Bool {
            return None;
        }
        let holds = |value: Value| {
            let sum = (factor * value).checked_add(atom.constant)?;
            Some(match atom.comparison {
                Comparison::Le => sum <= 0,
                Comparison::Eq => sum == 0,
                Comparison::Ne => sum != 0,
                Comparison::MultipleOf(_) => return None,
            })
        };
        match (holds(0)?, holds(1)?) {
            (false, true) => Some(self.quantity(part)),
            (true, false) => Some(format!("!{}", self.quantity(part))),
            _ => None,
        }
    }

    /// A sum of multiples and a constant.
    pub fn sum(&self, terms: &[(Value, Quantity)], constant: Value) -> String {
        let mut text = String::new();
        for (factor, part) in terms {
            let name = self.quantity(*part);
            let size = factor.unsigned_abs();
            let product = if size == 1 { name } else { format!("{size} * {name}") };
            text += match (text.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            text += &product;
        }
        match constant {
            _ if text.is_empty() => constant.to_string(),
            0 => text,
            _ if constant < 0 => format!("{text} - {}", constant.unsigned_abs()),
            _ => format!("{text} + {constant}"),
        }
    }
}
