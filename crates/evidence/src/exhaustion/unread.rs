//! Choices of values that nobody looks at.
//!
//! A local that is declared without a value has any of 2^32 values until it is written, and a state for each of them
//! cannot be visited. If on no way from there the local is read before it is written, one value is as good as the
//! others: no state differs from the others in anything but this local until it is written.

use rely_program::analysis::Access;
use rely_program::{
    Domain, Edge, Expr, Initial, LocationId, Op, Place, Program, ProgramEditor, PropertyKind, Scope, Sort,
    Value, VarId,
};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The program in which locals that are not read before they are written get one of the values that they may have,
/// where these are more than `most`.
pub(super) fn without_unread_choices(program: &Program, most: u128) -> Cow<'_, Program> {
    let is_large = |domain: Domain| domain.size().is_none_or(|size| size > most);
    let unread = Unread { program, watched: watched(program) };
    let mut editor: Option<ProgramEditor> = None;
    for (id, edge) in program.edges().iter() {
        for (index, op) in edge.ops.iter().enumerate() {
            let Op::Havoc(Place::Scalar(var), domain) = op else { continue };
            let Some(value) = domain.default_value().filter(|_| is_large(*domain)) else { continue };
            if unread.after(*var, edge, index + 1) {
                let value = constant(*domain, value);
                let ops = &mut editor.get_or_insert_with(|| ProgramEditor::new(program.clone())).edges_mut()
                    [id]
                    .ops;
                ops[index] = Op::assign(Place::Scalar(*var), value);
            }
        }
    }
    for (id, var) in program.vars().iter() {
        let (Scope::Local(thread), Initial::Any(domain), None) = (var.scope, &var.initial, var.length) else {
            continue;
        };
        let Some(value) = domain.default_value().filter(|_| is_large(*domain)) else { continue };
        if unread.from(id, program.threads()[thread].entry) {
            let editor = editor.get_or_insert_with(|| ProgramEditor::new(program.clone()));
            editor.vars_mut()[id].initial = Initial::Values(vec![value]);
        }
    }
    editor.map_or(Cow::Borrowed(program), |editor| Cow::Owned(editor.finish()))
}

/// The variables that properties and preconditions look at, at any time.
fn watched(program: &Program) -> BTreeSet<VarId> {
    let stated = program.properties().iter().filter_map(|property| match &property.kind {
        PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) => Some(condition),
        PropertyKind::DeadlockFree | PropertyKind::Terminates => None,
    });
    let mut watched = BTreeSet::new();
    for condition in stated.chain(program.requires()) {
        condition.for_each_var(|var| {
            watched.insert(var);
        });
    }
    watched
}

/// What some operations do with a scalar first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstUse {
    Read,
    Written,
    None,
}

struct Unread<'p> {
    program: &'p Program,
    watched: BTreeSet<VarId>,
}

impl Unread<'_> {
    /// Whether nobody reads the value that a scalar has before the operation with this index.
    fn after(&self, var: VarId, edge: &Edge, index: usize) -> bool {
        match first_use(var, &edge.ops[index..]) {
            FirstUse::Read => false,
            FirstUse::Written => self.is_own(var),
            FirstUse::None => self.from(var, edge.target),
        }
    }

    /// Whether nobody reads the value that a scalar has while its thread is at a location.
    fn from(&self, var: VarId, location: LocationId) -> bool {
        let mut seen = BTreeSet::from([location]);
        let mut pending = vec![location];
        while let Some(at) = pending.pop() {
            for &edge in self.program.outgoing(at) {
                let edge = &self.program.edges()[edge];
                match first_use(var, &edge.ops) {
                    FirstUse::Read => return false,
                    FirstUse::Written => {}
                    FirstUse::None if seen.insert(edge.target) => pending.push(edge.target),
                    FirstUse::None => {}
                }
            }
        }
        self.is_own(var)
    }

    /// Whether nobody but its thread can look at a variable.
    fn is_own(&self, var: VarId) -> bool {
        !self.program.vars()[var].is_global() && !self.watched.contains(&var)
    }
}

fn first_use(var: VarId, ops: &[Op]) -> FirstUse {
    let mut uses = ops.iter().map(|op| {
        if Access::of_ops(std::slice::from_ref(op)).reads.contains(var) {
            FirstUse::Read
        } else if writes(op, var) {
            FirstUse::Written
        } else {
            FirstUse::None
        }
    });
    uses.find(|found| *found != FirstUse::None).unwrap_or(FirstUse::None)
}

/// Whether a scalar has another value behind an operation, whatever it was before.
fn writes(op: &Op, var: VarId) -> bool {
    let scalar = Place::Scalar(var);
    match op {
        Op::Assign(assignments) => assignments.iter().any(|(place, _)| *place == scalar),
        Op::Havoc(place, _) => *place == scalar,
        Op::Spawn { handle, .. } => handle.as_ref() == Some(&scalar),
        Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => false,
    }
}

fn constant(domain: Domain, value: Value) -> Expr {
    match domain.sort() {
        Sort::Bool => Expr::Bool(value != 0),
        Sort::Int => Expr::int(value),
    }
}
