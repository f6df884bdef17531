//! The intermediate representation of Rely: threads as control-flow automata over shared
//! and local variables, what is to be shown of them, and what they do when they run.
//!
//! A [`Program`] is made by a front end with a [`ProgramBuilder`], which checks that it is
//! well formed. Everything that a run of a program can do is defined by [`Semantics`], in one
//! function, [`Semantics::step`]: an edge is taken by one thread, all of its operations at
//! once. Explorers enumerate steps, the replayer of traces repeats them, and nothing else in
//! Rely says what a program means.
//!
//! This crate knows no C and no modelling language, no engine and no solver.
//!
//! ```
//! use rely_program::{Domain, Expr, Op, Outcome, Place, ProgramBuilder, Semantics, Sort, ThreadKind};
//!
//! // var x: int = 0;  thread T { x := x + 1; }
//! let mut builder = ProgramBuilder::new("increment");
//! let x = builder.global("x", Sort::Int, 0);
//! let thread = builder.thread("T", ThreadKind::Instance { running: true });
//! let (entry, exit) = (builder.entry(thread), builder.exit(thread));
//! let increment = Op::assign(Place::Scalar(x), Expr::var(x).add(Expr::int(1)));
//! let edge = builder.edge(entry, exit, vec![increment], None);
//! let program = builder.finish()?;
//!
//! let semantics = Semantics::new(&program);
//! let start = semantics.initial(&[])?;
//! let slot = start.slots().next().unwrap();
//! let Outcome::Moved(end) = semantics.step(&start, slot, edge, &[])? else { panic!() };
//! assert_eq!(semantics.global(&end, x), &[1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
mod builder;
mod definedness;
mod editor;
mod expr;
mod ir;
mod meaning;
mod print;
mod property;
pub mod race;
mod semantics;
mod trace;
mod types;
mod wellformed;

pub use builder::ProgramBuilder;
pub use definedness::definedness;
pub use editor::{ProgramEditor, ProgramParts};
pub use expr::{BinaryOp, Expr, UnaryOp};
pub use ir::{
    Approximation, Blocking, Check, CheckId, CheckKind, Edge, EdgeId, Initial, Location, LocationId, Op,
    Place, Program, Scope, Thread, ThreadId, ThreadKind, Var, VarId,
};
pub use meaning::{Meaning, Meanings, NamedObject};
pub use print::{DisplayDot, DisplayExpr, DisplayOp, DisplayOps, DisplayPlace};
pub use property::{Goal, Property, PropertyKind};
pub use semantics::{
    AllValues, Chooser, CompleteStep, EvalError, InitialError, InitialStatesError, NotAState, Outcome,
    Reached, SearchError, Semantics, SlotId, SlotStatus, State, StepError, Successors, Summary, Taken,
    ThreadProgress,
};
pub use trace::{Trace, TraceStep, Violation};
pub use types::{Domain, IntType, Sort, Value};
pub use wellformed::Malformed;
