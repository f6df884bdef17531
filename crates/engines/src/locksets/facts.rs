//! What a thread knows at a location: values of cells, and which other threads do not run.

use rely_program::{Expr, LocationId, Program, ThreadId, Value, VarId};
use std::collections::BTreeMap;

/// A cell of a variable; scalars have one, with index 0.
pub(super) type Cell = (VarId, u32);

/// A value that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Constant(Value),
    /// The handle of the thread, if it is one of many from a template.
    Own,
}

/// Why an instance does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    Unstarted,
    Ended,
}

/// What is known; what is not mentioned is not known.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Facts {
    pub(super) values: BTreeMap<Cell, Known>,
    pub(super) resting: BTreeMap<ThreadId, Rest>,
}

impl Facts {
    /// Keeps what the other knows, too; whether something was lost.
    pub(super) fn meet(&mut self, other: &Facts) -> bool {
        let before = self.len();
        self.values.retain(|cell, known| other.values.get(cell) == Some(known));
        self.resting.retain(|thread, rest| other.resting.get(thread) == Some(rest));
        self.len() < before
    }

    pub(super) fn len(&self) -> usize {
        self.values.len() + self.resting.len()
    }
}

/// A thread at a location, and what it knows there.
#[derive(Clone, Copy)]
pub(super) struct Standing<'f> {
    pub(super) location: LocationId,
    pub(super) facts: &'f Facts,
}

impl Standing<'_> {
    /// Whether this and what another thread knows cannot be true at the same time.
    pub(super) fn contradicts(self, program: &Program, other: Standing<'_>) -> bool {
        self.excludes(program, other.location)
            || other.excludes(program, self.location)
            || self
                .facts
                .resting
                .iter()
                .any(|(thread, rest)| other.facts.resting.get(thread).is_some_and(|other| rest != other))
            || self.facts.values.iter().any(|(cell, known)| {
                program.vars()[cell.0].is_global()
                    && other.facts.values.get(cell).is_some_and(|other| differ(program, *known, *other))
            })
    }

    /// Whether no other thread can be at a location.
    fn excludes(self, program: &Program, location: LocationId) -> bool {
        let thread = program.locations()[location].thread;
        match self.facts.resting.get(&thread) {
            None => false,
            Some(Rest::Unstarted) => true,
            Some(Rest::Ended) => location != program.threads()[thread].exit,
        }
    }
}

/// Whether the values that two different threads know are certainly not the same.
fn differ(program: &Program, one: Known, other: Known) -> bool {
    one == Known::Own && other == Known::Own || are_apart(program, one, other)
}

/// Whether two values that one thread knows are certainly not the same.
pub(super) fn are_apart(program: &Program, one: Known, other: Known) -> bool {
    match (one, other) {
        (Known::Constant(one), Known::Constant(other)) => one != other,
        // Handles of threads from templates come behind those of all instances.
        (Known::Own, Known::Constant(value)) | (Known::Constant(value), Known::Own) => {
            value
                <= program
                    .threads()
                    .ids()
                    .filter_map(|thread| program.instance_handle(thread))
                    .max()
                    .unwrap_or(0)
        }
        (Known::Own, Known::Own) => false,
    }
}

/// The cell that an expression reads, if it is certain which.
pub(super) fn cell(program: &Program, expr: &Expr) -> Option<Cell> {
    match expr {
        Expr::Var(var) => Some((*var, 0)),
        Expr::Element(var, index) => match &**index {
            Expr::Int(index) => {
                let index = u32::try_from(*index).ok()?;
                ((index as usize) < program.vars()[*var].cells()).then_some((*var, index))
            }
            _ => None,
        },
        _ => None,
    }
}
