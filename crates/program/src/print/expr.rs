//! Expressions with no more parentheses than a reader needs.

use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::Program;
use std::fmt;

/// An expression together with the program whose variables it names.
#[derive(Clone, Copy)]
pub struct DisplayExpr<'a> {
    program: &'a Program,
    expr: &'a Expr,
    qualified: bool,
}

/// How tightly an operator holds its operands; an operand that holds more loosely than its
/// place asks for gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Conditional,
    Implication,
    Disjunction,
    Conjunction,
    Comparison,
    /// Bitwise operators and shifts. Languages disagree on their precedence, so they stand in
    /// parentheses wherever it would matter.
    Bits,
    Sum,
    Product,
    Prefix,
    Atom,
}

impl<'a> DisplayExpr<'a> {
    pub(super) fn new(program: &'a Program, expr: &'a Expr) -> Self {
        Self { program, expr, qualified: false }
    }

    /// The same with locals as `T.x`: for expressions that look at threads from outside.
    pub fn qualified(self) -> Self {
        Self { qualified: true, ..self }
    }

    fn part(self, expr: &'a Expr, needed: Strength) -> Part<'a> {
        Part { whole: Self { expr, ..self }, needed }
    }

    fn var(self, var: crate::VarId) -> String {
        match self.qualified {
            true => self.program.qualified_name(var),
            false => self.program.vars[var].name.clone(),
        }
    }
}

/// An operand in a place that asks for some strength.
struct Part<'a> {
    whole: DisplayExpr<'a>,
    needed: Strength,
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if strength(self.whole.expr) < self.needed {
            write!(f, "({})", self.whole)
        } else {
            self.whole.fmt(f)
        }
    }
}

impl fmt::Display for DisplayExpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expr {
            Expr::Int(value) => write!(f, "{value}"),
            Expr::Bool(value) => write!(f, "{value}"),
            Expr::Var(var) => f.write_str(&self.var(*var)),
            Expr::Element(array, index) => {
                write!(f, "{}[{}]", self.var(*array), self.part(index, Strength::Conditional))
            }
            Expr::This => f.write_str("this"),
            Expr::Unary(op, operand) => {
                // `--x` would look like another operator.
                let needed = if *op == UnaryOp::Neg { Strength::Atom } else { Strength::Prefix };
                write!(f, "{}{}", unary_symbol(*op), self.part(operand, needed))
            }
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                let (left_needed, right_needed) = operand_strengths(*op, left, right);
                let (left, right) = (self.part(left, left_needed), self.part(right, right_needed));
                write!(f, "{left} {} {right}", binary_symbol(*op))
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let (condition, yes) =
                    (self.part(condition, Strength::Implication), self.part(yes, Strength::Implication));
                write!(f, "{condition} ? {yes} : {}", self.part(no, Strength::Conditional))
            }
            Expr::Wrap(int_type, operand) => {
                write!(f, "{int_type}({})", self.part(operand, Strength::Conditional))
            }
            Expr::CountAt(location) => {
                let thread = &self.program.thread_of(*location).name;
                write!(f, "#({thread} at {})", self.program.location_name(*location))
            }
            Expr::CountRunning(thread) => write!(f, "#({} running)", self.program.threads[*thread].name),
        }
    }
}

fn strength(expr: &Expr) -> Strength {
    match expr {
        Expr::Int(value) if *value < 0 => Strength::Prefix,
        Expr::Unary(..) => Strength::Prefix,
        Expr::Binary(op, _) => binary_strength(*op),
        Expr::Ite(_) => Strength::Conditional,
        _ => Strength::Atom,
    }
}

fn binary_strength(op: BinaryOp) -> Strength {
    use BinaryOp::*;
    match op {
        Implies => Strength::Implication,
        Or => Strength::Disjunction,
        And => Strength::Conjunction,
        Lt | Le | Gt | Ge | Eq | Ne => Strength::Comparison,
        BitAnd | BitOr | BitXor | Shl | Shr => Strength::Bits,
        Add | Sub => Strength::Sum,
        Mul | Div | Rem => Strength::Product,
    }
}

/// What an operator asks of its left and of its right operand.
fn operand_strengths(op: BinaryOp, left: &Expr, right: &Expr) -> (Strength, Strength) {
    use BinaryOp::*;
    match op {
        Implies => (Strength::Disjunction, Strength::Implication),
        // Nested the same way on either side they mean the same.
        Or => (Strength::Disjunction, Strength::Disjunction),
        And => (Strength::Conjunction, Strength::Conjunction),
        Lt | Le | Gt | Ge | Eq | Ne => (Strength::Sum, Strength::Sum),
        BitAnd | BitOr | BitXor => {
            let chained = |operand: &Expr| matches!(operand, Expr::Binary(inner, _) if *inner == op);
            let needed = |operand: &Expr| if chained(operand) { Strength::Bits } else { Strength::Prefix };
            (needed(left), needed(right))
        }
        Shl | Shr => (Strength::Prefix, Strength::Prefix),
        // A negative operand on the right stands in parentheses: `x - (-1)`.
        Add => (Strength::Sum, Strength::Product.stronger_if_negative(right)),
        Sub => (Strength::Sum, Strength::Product.stronger_if_negative(right)),
        Mul | Div | Rem => (Strength::Product, Strength::Prefix.stronger_if_negative(right)),
    }
}

impl Strength {
    fn stronger_if_negative(self, operand: &Expr) -> Self {
        match operand {
            Expr::Int(value) if *value < 0 => Strength::Atom,
            Expr::Unary(UnaryOp::Neg, _) => Strength::Atom,
            _ => self,
        }
    }
}

fn unary_symbol(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::Not => "!",
        UnaryOp::BitNot => "~",
    }
}

fn binary_symbol(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Add => "+",
        Sub => "-",
        Mul => "*",
        Div => "/",
        Rem => "%",
        BitAnd => "&",
        BitOr => "|",
        BitXor => "^",
        Shl => "<<",
        Shr => ">>",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
        Eq => "==",
        Ne => "!=",
        And => "&&",
        Or => "||",
        Implies => "==>",
    }
}
