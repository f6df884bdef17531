//! Terms as text: as mathematics, and as C.
//!
//! Printing works on an explicit stack of pieces, so deep terms print like shallow ones.

use std::fmt;

use super::pool::{Node, Sum, TermId, TermPool, Variable};
use crate::arith::Integer;
use crate::linear::{Comparison, Relation, Side, Sides, VarId, VarNames};

/// How a term is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `x <= 2 ∧ ¬p`, with `x#1` for copies.
    Mathematics,
    /// `x <= 2 && !p`; division and remainder as functions `div` and `mod`, since C rounds
    /// towards zero.
    C,
}

impl TermPool {
    /// The term as text.
    pub fn display(&self, term: TermId, notation: Notation) -> impl fmt::Display + '_ {
        DisplayTerm { pool: self, term, notation }
    }
}

struct DisplayTerm<'a> {
    pool: &'a TermPool,
    term: TermId,
    notation: Notation,
}

/// What is still to be printed.
enum Piece {
    Text(&'static str),
    Number(Integer),
    /// A term, in parentheses if it binds weaker than its context.
    Term(TermId, Strength),
}

/// How strongly the context binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Top,
    Or,
    And,
    Comparison,
    Sum,
    Factor,
}

impl DisplayTerm<'_> {
    fn strength(&self, term: TermId) -> Strength {
        match self.pool.node(term) {
            Node::Or(_) => Strength::Or,
            Node::And(_) => Strength::And,
            Node::Iff(..) | Node::LeZero(_) | Node::EqZero(_) | Node::EqArray(..) => Strength::Comparison,
            Node::Not(inner) if matches!(self.pool.node(*inner), Node::EqZero(_) | Node::EqArray(..)) => {
                Strength::Comparison
            }
            Node::Ite(..) => Strength::Top,
            Node::Sum(_) => Strength::Sum,
            Node::Int(value) if value.is_negative() => Strength::Sum,
            _ => Strength::Factor,
        }
    }

    /// The pieces of a term, in order.
    fn pieces(&self, term: TermId, out: &mut Vec<Piece>) {
        let c = self.notation == Notation::C;
        match self.pool.node(term) {
            // Names and boolean constants are written directly.
            Node::Bool(_) | Node::Var(_) => {}
            Node::Int(value) => out.push(Piece::Number(value.clone())),
            Node::Sum(sum) => push_sum(&sum.terms, &sum.constant, out),
            Node::Mul(left, right) => joined(&[*left, *right], " * ", Strength::Factor, out),
            Node::Div(inner, divisor) => call("div(", &[*inner], Some(divisor), out),
            Node::Mod(inner, divisor) => call("mod(", &[*inner], Some(divisor), out),
            Node::Ite(condition, then, otherwise) => {
                out.push(Piece::Term(*condition, Strength::Or));
                out.push(Piece::Text(" ? "));
                out.push(Piece::Term(*then, Strength::Or));
                out.push(Piece::Text(" : "));
                out.push(Piece::Term(*otherwise, Strength::Or));
            }
            Node::LeZero(inner) => self.push_comparison(*inner, Relation::Le, out),
            Node::EqZero(inner) => self.push_comparison(*inner, Relation::Eq, out),
            Node::EqArray(a, b) => {
                joined(&[*a, *b], if c { " == " } else { " = " }, Strength::Sum, out);
            }
            Node::Not(inner) => match self.pool.node(*inner) {
                Node::EqZero(equal) => self.push_comparison(*equal, Relation::Ne, out),
                Node::EqArray(a, b) => {
                    joined(&[*a, *b], if c { " != " } else { " ≠ " }, Strength::Sum, out);
                }
                _ => {
                    out.push(Piece::Text(if c { "!" } else { "¬" }));
                    out.push(Piece::Term(*inner, Strength::Factor));
                }
            },
            Node::And(parts) => joined(parts, if c { " && " } else { " ∧ " }, Strength::Comparison, out),
            Node::Or(parts) => joined(parts, if c { " || " } else { " ∨ " }, Strength::And, out),
            Node::Iff(a, b) => joined(&[*a, *b], if c { " == " } else { " ⇔ " }, Strength::Sum, out),
            Node::Apply(_, arguments) => call("(", arguments, None, out),
            Node::Select(array, index) => {
                out.push(Piece::Term(*array, Strength::Factor));
                out.push(Piece::Text("["));
                out.push(Piece::Term(*index, Strength::Top));
                out.push(Piece::Text("]"));
            }
            Node::Store(array, index, value) => call("store(", &[*array, *index, *value], None, out),
        }
    }

    /// A sum compared with zero, written with two sides.
    fn push_comparison(&self, term: TermId, relation: Relation, out: &mut Vec<Piece>) {
        let sides = match self.pool.node(term) {
            Node::Sum(Sum { terms, constant }) => Sides::new(terms, constant, relation, true),
            _ => Sides::new(&[(term, Integer::ONE)], &Integer::ZERO, relation, true),
        };
        let symbol = match (sides.comparison, self.notation) {
            (Comparison::Le, _) => " <= ",
            (Comparison::Lt, _) => " < ",
            (Comparison::Ge, _) => " >= ",
            (Comparison::Gt, _) => " > ",
            (Comparison::Eq, Notation::C) => " == ",
            (Comparison::Eq, Notation::Mathematics) => " = ",
            (Comparison::Ne, Notation::C) => " != ",
            (Comparison::Ne, Notation::Mathematics) => " ≠ ",
        };
        push_side(&sides.left, out);
        out.push(Piece::Text(symbol));
        push_side(&sides.right, out);
    }

    fn write_head(&self, term: TermId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pool.node(term) {
            Node::Bool(value) => match self.notation {
                Notation::C => f.write_str(if *value { "1" } else { "0" }),
                Notation::Mathematics => write!(f, "{value}"),
            },
            Node::Var(variable) => self.write_variable(*variable, f),
            Node::Apply(function, _) => f.write_str(self.pool.function_name(*function)),
            _ => Ok(()),
        }
    }
}

impl DisplayTerm<'_> {
    /// The name; in C, where `#` cannot stand in a name, copies are `x__1`, `x__2`, ...
    fn write_variable(&self, variable: VarId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Variable { symbol, copy, .. } = self.pool.variable(variable);
        match self.notation {
            Notation::C if copy > 0 => write!(f, "{}__{copy}", self.pool.symbol_name(symbol)),
            _ => self.pool.write_name(variable, f),
        }
    }
}

fn joined(parts: &[TermId], separator: &'static str, strength: Strength, out: &mut Vec<Piece>) {
    for (position, part) in parts.iter().enumerate() {
        if position > 0 {
            out.push(Piece::Text(separator));
        }
        out.push(Piece::Term(*part, strength));
    }
}

fn call(open: &'static str, arguments: &[TermId], last: Option<&Integer>, out: &mut Vec<Piece>) {
    out.push(Piece::Text(open));
    joined(arguments, ", ", Strength::Top, out);
    if let Some(number) = last {
        out.push(Piece::Text(", "));
        out.push(Piece::Number(number.clone()));
    }
    out.push(Piece::Text(")"));
}

fn push_side(side: &Side<TermId>, out: &mut Vec<Piece>) {
    if side.terms.is_empty() {
        out.push(Piece::Number(side.constant.clone()));
    } else {
        push_sum(&side.terms, &side.constant, out);
    }
}

fn push_sum(terms: &[(TermId, Integer)], constant: &Integer, out: &mut Vec<Piece>) {
    for (position, (term, factor)) in terms.iter().enumerate() {
        let sign = match (position == 0, factor.is_negative()) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        out.push(Piece::Text(sign));
        if !factor.is_unit() {
            out.push(Piece::Number(factor.abs()));
            out.push(Piece::Text("*"));
        }
        out.push(Piece::Term(*term, Strength::Factor));
    }
    if !constant.is_zero() {
        out.push(Piece::Text(if constant.is_negative() { " - " } else { " + " }));
        out.push(Piece::Number(constant.abs()));
    }
}

impl fmt::Display for DisplayTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack = vec![Piece::Term(self.term, Strength::Top)];
        let mut pieces = Vec::new();
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Number(number) => write!(f, "{number}")?,
                Piece::Term(term, context) => {
                    let parenthesised = self.strength(term) < context;
                    if parenthesised {
                        f.write_str("(")?;
                        stack.push(Piece::Text(")"));
                    }
                    self.write_head(term, f)?;
                    self.pieces(term, &mut pieces);
                    stack.extend(pieces.drain(..).rev());
                }
            }
        }
        Ok(())
    }
}
