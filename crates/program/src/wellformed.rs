//! What every program satisfies, so that nothing behind the front ends has to ask.
//!
//! What depends on values is not decided here: whether a run starts an instance a second time, joins
//! what is no thread, divides by zero or leaves an array. Such a step has no meaning, and the semantics
//! says so ([`StepError`](crate::StepError)). Front ends make none: each spawn that may happen again
//! starts a template, and a check stands in front of whatever may be undefined. Passes preserve what
//! programs do whose runs all have a meaning.

use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::{Edge, EdgeId, Initial, Op, Place, Program, Scope, ThreadId, ThreadKind, Var, VarId};
use crate::property::PropertyKind;
use crate::types::{Domain, Sort};
use rely_base::{Id, Span};

/// A defect of a program: a bug of the front end or pass that made it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Malformed {
    /// What is wrong.
    pub what: String,
    /// The statement or declaration in which it is.
    pub span: Option<Span>,
}

type Checked = Result<(), Malformed>;

fn malformed<T>(span: Option<Span>, what: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed { what: what.into(), span })
}

/// Checks the whole program.
pub(crate) fn check(program: &Program) -> Checked {
    let checker = Checker { program };
    for (_, var) in program.vars.iter() {
        checker.variable(var)?;
    }
    for (id, thread) in program.threads.iter() {
        for &parameter in &thread.parameters {
            let is_own = program.vars.get(parameter).is_some_and(|var| var.scope == Scope::Local(id));
            if !is_own || program.vars[parameter].length.is_some() {
                return malformed(thread.span, format!("a parameter of `{}` is not its scalar", thread.name));
            }
        }
        if !program.outgoing(thread.exit).is_empty() {
            return malformed(thread.span, format!("an edge leaves the exit of `{}`", thread.name));
        }
        for location in [thread.entry, thread.exit] {
            if program.locations[location].atomic {
                return malformed(
                    thread.span,
                    format!("`{}` starts or ends in an atomic block", thread.name),
                );
            }
        }
    }
    for (id, edge) in program.edges.iter() {
        checker.edge(id, edge)?;
    }
    for property in program.properties() {
        if let PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) = &property.kind {
            checker.expect(Viewer::Outside, condition, Sort::Bool, property.span)?;
        }
    }
    for condition in program.requires() {
        checker.expect(Viewer::Outside, condition, Sort::Bool, None)?;
    }
    Ok(())
}

/// From where an expression is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Viewer {
    Thread(ThreadId),
    /// A property: it sees the locals of instances, and where threads stand.
    Outside,
}

struct Checker<'p> {
    program: &'p Program,
}

impl Checker<'_> {
    fn variable(&self, var: &Var) -> Checked {
        let fits = match &var.initial {
            Initial::Values(values) => {
                let domain = Domain::of(var.sort);
                values.len() == var.cells() && values.iter().all(|&value| domain.contains(value))
            }
            Initial::Any(domain) => domain.sort() == var.sort && domain.size() != Some(0),
        };
        if !fits {
            return malformed(var.span, format!("the initial value of `{}` does not fit it", var.name));
        }
        if let Scope::Local(thread) = var.scope
            && self.program.threads.get(thread).is_none()
        {
            return malformed(var.span, format!("`{}` belongs to no thread", var.name));
        }
        Ok(())
    }

    fn edge(&self, id: EdgeId, edge: &Edge) -> Checked {
        let (Some(source), Some(target)) =
            (self.program.locations.get(edge.source), self.program.locations.get(edge.target))
        else {
            return malformed(edge.span, format!("edge {} has an end that does not exist", id.index()));
        };
        if source.thread != target.thread {
            return malformed(edge.span, format!("edge {} leads from one thread to another", id.index()));
        }
        self.halt(edge)?;
        let viewer = Viewer::Thread(source.thread);
        edge.ops.iter().try_for_each(|op| self.op(viewer, op, edge.span))
    }

    /// A program that halts has ended there and then: nothing follows in the same step, nor in the
    /// same atomic block, and properties look at what is left.
    fn halt(&self, edge: &Edge) -> Checked {
        let Some(position) = edge.ops.iter().position(|op| *op == Op::Halt) else { return Ok(()) };
        if position + 1 < edge.ops.len() {
            return malformed(edge.span, "something follows in a step that halts the program");
        }
        if self.program.locations[edge.target].atomic {
            return malformed(edge.span, "a step that halts the program leads into an atomic block");
        }
        Ok(())
    }

    fn op(&self, viewer: Viewer, op: &Op, span: Option<Span>) -> Checked {
        match op {
            Op::Assume(condition, _) => self.expect(viewer, condition, Sort::Bool, span),
            Op::Check(condition, check) => {
                if self.program.checks.get(*check).is_none() {
                    return malformed(span, "an operation names a check that does not exist");
                }
                self.expect(viewer, condition, Sort::Bool, span)
            }
            Op::Assign(assignments) => assignments.iter().try_for_each(|(place, value)| {
                let sort = self.place(viewer, place, span)?;
                self.expect(viewer, value, sort, span)
            }),
            Op::Havoc(place, domain) => {
                let sort = self.place(viewer, place, span)?;
                if sort != domain.sort() || domain.size() == Some(0) {
                    return malformed(span, "a nondeterministic value does not fit its variable");
                }
                Ok(())
            }
            Op::Spawn { thread, arguments, handle } => {
                self.spawn(viewer, *thread, arguments, span)?;
                match handle {
                    Some(place) if self.place(viewer, place, span)? != Sort::Int => {
                        malformed(span, "the handle of a thread is an integer")
                    }
                    _ => Ok(()),
                }
            }
            Op::Join(handle) => self.expect(viewer, handle, Sort::Int, span),
            Op::Halt => Ok(()),
        }
    }

    fn spawn(&self, viewer: Viewer, thread: ThreadId, arguments: &[Expr], span: Option<Span>) -> Checked {
        let Some(spawned) = self.program.threads.get(thread) else {
            return malformed(span, "a thread is started that does not exist");
        };
        if spawned.kind == (ThreadKind::Instance { running: true }) {
            return malformed(span, format!("`{}` is started although it runs already", spawned.name));
        }
        if spawned.parameters.len() != arguments.len() {
            return malformed(
                span,
                format!("`{}` is started with the wrong number of arguments", spawned.name),
            );
        }
        spawned.parameters.iter().zip(arguments).try_for_each(|(&parameter, argument)| {
            self.expect(viewer, argument, self.program.vars[parameter].sort, span)
        })
    }

    fn place(&self, viewer: Viewer, place: &Place, span: Option<Span>) -> Result<Sort, Malformed> {
        match place {
            Place::Scalar(var) => self.access(viewer, *var, false, span),
            Place::Element(array, index) => {
                self.expect(viewer, index, Sort::Int, span)?;
                self.access(viewer, *array, true, span)
            }
        }
    }

    fn access(
        &self,
        viewer: Viewer,
        var: VarId,
        indexed: bool,
        span: Option<Span>,
    ) -> Result<Sort, Malformed> {
        let Some(declaration) = self.program.vars.get(var) else {
            return malformed(span, "a variable is used that does not exist");
        };
        let name = &declaration.name;
        if declaration.length.is_some() != indexed {
            return malformed(span, format!("`{name}` is used as an array and as a scalar"));
        }
        let visible = match (declaration.scope, viewer) {
            (Scope::Global, _) => true,
            (Scope::Local(owner), Viewer::Thread(thread)) => owner == thread,
            (Scope::Local(owner), Viewer::Outside) => {
                self.program.threads[owner].kind != ThreadKind::Template
            }
        };
        if visible {
            Ok(declaration.sort)
        } else {
            malformed(span, format!("`{name}` is not visible where it is used"))
        }
    }

    fn expect(&self, viewer: Viewer, expr: &Expr, sort: Sort, span: Option<Span>) -> Checked {
        let found = self.sort(viewer, expr, span)?;
        if found == sort {
            Ok(())
        } else {
            malformed(span, format!("an expression has sort {found} where {sort} is needed"))
        }
    }

    fn sort(&self, viewer: Viewer, expr: &Expr, span: Option<Span>) -> Result<Sort, Malformed> {
        match expr {
            Expr::Int(_) => Ok(Sort::Int),
            Expr::Bool(_) => Ok(Sort::Bool),
            Expr::Var(var) => self.access(viewer, *var, false, span),
            Expr::Element(array, index) => {
                self.expect(viewer, index, Sort::Int, span)?;
                self.access(viewer, *array, true, span)
            }
            Expr::This if viewer == Viewer::Outside => malformed(span, "a property has no thread of its own"),
            Expr::This => Ok(Sort::Int),
            Expr::Unary(op, operand) => {
                let sort = if *op == UnaryOp::Not { Sort::Bool } else { Sort::Int };
                self.expect(viewer, operand, sort, span)?;
                Ok(sort)
            }
            Expr::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                let sort = match op {
                    BinaryOp::Eq | BinaryOp::Ne => self.sort(viewer, left, span)?,
                    op if op.is_connective() => Sort::Bool,
                    _ => Sort::Int,
                };
                self.expect(viewer, left, sort, span)?;
                self.expect(viewer, right, sort, span)?;
                Ok(op.sort())
            }
            Expr::Ite(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.expect(viewer, condition, Sort::Bool, span)?;
                let sort = self.sort(viewer, yes, span)?;
                self.expect(viewer, no, sort, span)?;
                Ok(sort)
            }
            Expr::Wrap(int_type, operand) => {
                if !(1..=64).contains(&int_type.bits) {
                    return malformed(span, format!("there is no machine type of {} bits", int_type.bits));
                }
                self.expect(viewer, operand, Sort::Int, span)?;
                Ok(Sort::Int)
            }
            Expr::CountAt(_) | Expr::CountRunning(_) if viewer != Viewer::Outside => {
                malformed(span, "a thread looks at the location of threads")
            }
            Expr::CountAt(location) if self.program.locations.get(*location).is_none() => {
                malformed(span, "a property names a location that does not exist")
            }
            Expr::CountRunning(thread) if self.program.threads.get(*thread).is_none() => {
                malformed(span, "a property names a thread that does not exist")
            }
            Expr::CountAt(_) | Expr::CountRunning(_) => Ok(Sort::Int),
        }
    }
}
