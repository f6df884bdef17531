//! Operations and places.

use crate::expr::Expr;
use crate::ir::{Blocking, CheckKind, Op, Place, Program};
use std::fmt;

/// A place together with its program.
#[derive(Clone, Copy)]
pub struct DisplayPlace<'a> {
    pub(super) program: &'a Program,
    pub(super) place: &'a Place,
}

/// An operation together with its program.
#[derive(Clone, Copy)]
pub struct DisplayOp<'a> {
    pub(super) program: &'a Program,
    pub(super) op: &'a Op,
}

/// Operations in order, together with their program.
#[derive(Clone, Copy)]
pub struct DisplayOps<'a> {
    pub(super) program: &'a Program,
    pub(super) ops: &'a [Op],
}

impl fmt::Display for DisplayPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.program.vars[self.place.var()].name;
        match self.place {
            Place::Scalar(_) => f.write_str(name),
            Place::Element(_, index) => write!(f, "{name}[{}]", self.program.display_expr(index)),
        }
    }
}

impl DisplayOp<'_> {
    fn exprs<'e>(&self, exprs: impl Iterator<Item = &'e Expr>) -> String {
        let texts: Vec<String> = exprs.map(|expr| self.program.display_expr(expr).to_string()).collect();
        texts.join(", ")
    }

    fn places<'e>(&self, places: impl Iterator<Item = &'e Place>) -> String {
        let texts: Vec<String> = places.map(|place| self.program.display_place(place).to_string()).collect();
        texts.join(", ")
    }
}

impl fmt::Display for DisplayOp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.program;
        match self.op {
            Op::Assume(condition, Blocking::Wait) => write!(f, "[{}]", program.display_expr(condition)),
            Op::Assume(condition, Blocking::Abandon) => {
                write!(f, "assume {}", program.display_expr(condition))
            }
            Op::Assign(assignments) if assignments.is_empty() => f.write_str("skip"),
            Op::Assign(assignments) => {
                let places = self.places(assignments.iter().map(|(place, _)| place));
                write!(f, "{places} := {}", self.exprs(assignments.iter().map(|(_, value)| value)))
            }
            Op::Havoc(place, domain) => write!(f, "{} := any {domain}", program.display_place(place)),
            Op::Check(condition, check) => {
                let word = check_word(program.checks[*check].kind);
                write!(f, "{word} {}", program.display_expr(condition))
            }
            Op::Spawn { thread, arguments, handle } => {
                if let Some(place) = handle {
                    write!(f, "{} := ", program.display_place(place))?;
                }
                write!(f, "spawn {}({})", program.threads[*thread].name, self.exprs(arguments.iter()))
            }
            Op::Join(handle) => match known_thread(program, handle) {
                Some(name) => write!(f, "join {name}"),
                None => write!(f, "join {}", program.display_expr(handle)),
            },
            Op::Halt => f.write_str("halt"),
        }
    }
}

/// The name of the instance that a constant handle means.
fn known_thread<'p>(program: &'p Program, handle: &Expr) -> Option<&'p str> {
    match handle {
        Expr::Int(handle) => {
            let thread = program.instance_with_handle(*handle)?;
            Some(&program.threads[thread].name)
        }
        _ => None,
    }
}

fn check_word(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Assertion => "assert",
        CheckKind::Bounds => "check bounds",
        CheckKind::Arithmetic => "check arithmetic",
        CheckKind::Overflow => "check overflow",
        CheckKind::Lifetime => "check lifetime",
        CheckKind::Limit => "check limit",
    }
}

impl fmt::Display for DisplayOps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ops.is_empty() {
            return f.write_str("skip");
        }
        for (index, op) in self.ops.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{}", self.program.display_op(op))?;
        }
        Ok(())
    }
}
