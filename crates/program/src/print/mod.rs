//! Programs as text, for people.
//!
//! Everything is printed with the names of the source. What needs a program to be printed
//! (an expression knows only the ids of its variables) is wrapped together with it, by
//! [`Program::display_expr`] and its siblings. The text is not meant to be read back.

mod dot;
mod expr;
mod op;
mod program;

pub use dot::DisplayDot;
pub use expr::DisplayExpr;
pub use op::{DisplayOp, DisplayOps, DisplayPlace};

use crate::expr::Expr;
use crate::ir::{LocationId, Op, Place, Program, Scope, VarId};
use rely_base::Id;

impl Program {
    /// The expression with the names of the source and no more parentheses than needed.
    ///
    /// ```
    /// use rely_program::{Expr, ProgramBuilder, Sort};
    ///
    /// let mut builder = ProgramBuilder::new("example");
    /// let x = builder.global("x", Sort::Int, 0);
    /// let sum = Expr::var(x).add(Expr::int(1));
    /// let program = builder.finish()?;
    /// assert_eq!(program.display_expr(&sum.clone().mul(sum)).to_string(), "(x + 1) * (x + 1)");
    /// # Ok::<(), rely_program::Malformed>(())
    /// ```
    pub fn display_expr<'a>(&'a self, expr: &'a Expr) -> DisplayExpr<'a> {
        DisplayExpr::new(self, expr)
    }

    /// The place with the names of the source: `x` or `a[i + 1]`.
    pub fn display_place<'a>(&'a self, place: &'a Place) -> DisplayPlace<'a> {
        DisplayPlace { program: self, place }
    }

    /// One operation: `x := x + 1`.
    pub fn display_op<'a>(&'a self, op: &'a Op) -> DisplayOp<'a> {
        DisplayOp { program: self, op }
    }

    /// Operations in order: `[x == 0]; x := 1`, or `skip` for none.
    pub fn display_ops<'a>(&'a self, ops: &'a [Op]) -> DisplayOps<'a> {
        DisplayOps { program: self, ops }
    }

    /// The program as a graph in the DOT language, one cluster for each thread.
    pub fn display_dot(&self) -> DisplayDot<'_> {
        DisplayDot { program: self }
    }

    /// The name of a location in its thread: its label, `entry`, `exit`, or `L` and its number.
    pub fn location_name(&self, location: LocationId) -> String {
        if let Some(label) = &self.locations[location].label {
            return label.clone();
        }
        let thread = self.thread_of(location);
        let mut name = match location {
            entry if entry == thread.entry => "entry".to_owned(),
            exit if exit == thread.exit => "exit".to_owned(),
            _ => format!("L{}", location.index()),
        };
        while self.has_label(location, &name) {
            name.push('\'');
        }
        name
    }

    /// Whether a location of the same thread has this label.
    fn has_label(&self, location: LocationId, label: &str) -> bool {
        let thread = self.locations[location].thread;
        let labelled = |other: &crate::Location| {
            other.thread == thread && other.label.as_deref().is_some_and(|own| own == label)
        };
        self.locations.values().any(labelled)
    }

    /// The name of a variable; that of a local with its thread: `T.x`.
    pub fn qualified_name(&self, var: VarId) -> String {
        let declaration = &self.vars[var];
        match declaration.scope {
            Scope::Global => declaration.name.clone(),
            Scope::Local(thread) => format!("{}.{}", self.threads[thread].name, declaration.name),
        }
    }
}

#[cfg(test)]
mod tests;
