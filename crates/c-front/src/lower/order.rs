//! Whether it matters in which order operands are evaluated.
//!
//! Where C leaves the order open, operands are evaluated from left to right. That is an assumption
//! of a program only if another order could lead elsewhere: one operand changes what another one
//! reads or changes, two of them access memory that other threads see, or one of them may end the
//! program. What operands do is not guessed from their syntax: while they are evaluated, the steps
//! that are emitted for them are noted.

use super::Lowering;
use crate::facts::ObjectKey;
use crate::value::{Address, Guard, Kind, Lvalue, ObjectId, Value};
use rely_program::{Blocking, Expr, Op, Place, VarId};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What the steps emitted since the outermost list of operands was begun have accessed.
#[derive(Debug, Default)]
pub(super) struct AccessLog {
    /// How many lists of operands are being evaluated. There is nothing to note without one.
    open: usize,
    accesses: Vec<Access>,
    /// When variables are read, and when they are changed, by position in `accesses`.
    reads: FxHashMap<VarId, Vec<usize>>,
    changes: FxHashMap<VarId, Vec<usize>>,
    /// Which accesses other threads can see, or depend on them.
    shared: Vec<usize>,
    /// Where something is checked, and where the program may end.
    checks: Vec<usize>,
    ends: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    /// `None` if it is not a variable that is accessed.
    variable: Option<VarId>,
    is_change: bool,
}

impl AccessLog {
    fn push(&mut self, access: Access) -> usize {
        let position = self.accesses.len();
        if let Some(variable) = access.variable {
            let times = if access.is_change { &mut self.changes } else { &mut self.reads };
            times.entry(variable).or_default().push(position);
        }
        self.accesses.push(access);
        position
    }

    /// Notes something that is not about a variable.
    fn push_event(&mut self) -> usize {
        self.push(Access { variable: None, is_change: false })
    }
}

/// Whether one of some positions, which ascend, lies in a range.
fn any_in(positions: &[usize], range: &Range<usize>) -> bool {
    let first = positions.partition_point(|&position| position < range.start);
    positions.get(first).is_some_and(|&position| position < range.end)
}

fn accessed_in(times: &FxHashMap<VarId, Vec<usize>>, variable: VarId, range: &Range<usize>) -> bool {
    times.get(&variable).is_some_and(|positions| any_in(positions, range))
}

/// What a value that is not computed yet will read.
#[derive(Debug, Default)]
pub(super) struct Pending {
    variables: Vec<VarId>,
    /// Structures of which everything is read.
    objects: Vec<ObjectId>,
    is_shared: bool,
}

impl Pending {
    pub(super) fn extend(&mut self, other: Pending) {
        self.variables.extend(other.variables);
        self.objects.extend(other.objects);
        self.is_shared |= other.is_shared;
    }
}

/// Operands that are being evaluated one after the other, in an order that C leaves open.
#[derive(Debug)]
pub(super) struct Operands {
    start: usize,
    /// Where the accesses of the next operand begin.
    next: usize,
    /// What the values of the earlier operands will read.
    pending: Pending,
    /// The object that is initialised by the operands, one part by each.
    initialised: Option<ObjectId>,
    /// Whether control comes to the first operand, and whether it goes on behind the last one.
    is_live: bool,
    goes_on: bool,
}

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn begin_operands(&mut self) -> Operands {
        self.accesses.open += 1;
        let start = self.accesses.accesses.len();
        let is_live = !self.flow.is_dead();
        let pending = Pending::default();
        Operands { start, next: start, pending, initialised: None, is_live, goes_on: true }
    }

    /// The same for the values of an initialiser, each of which is stored at once.
    pub(super) fn begin_initialisers(&mut self, object: ObjectId) -> Operands {
        Operands { initialised: Some(object), ..self.begin_operands() }
    }

    /// Ends an operand, with a value that reads what is pending.
    pub(super) fn operand_ends(&mut self, operands: &mut Operands, pending: Pending) {
        let end = self.accesses.accesses.len();
        let (earlier, this) = (operands.start..operands.next, operands.next..end);
        if operands.is_live && self.conflict(operands, &earlier, &pending, &this) {
            self.builder.assumption("unsequenced-left-to-right");
        }
        operands.goes_on = !self.flow.is_dead();
        let accesses_shared = |range: &Range<usize>, pending: &Pending| {
            pending.is_shared || self.accesses_shared(operands, range)
        };
        if accesses_shared(&earlier, &operands.pending) && accesses_shared(&this, &pending) {
            self.has_unordered_accesses |= operands.is_live;
        }
        operands.next = end;
        operands.pending.extend(pending);
    }

    /// Whether the operands have accessed nothing so far.
    pub(super) fn is_nothing_noted(&self, operands: &Operands) -> bool {
        self.accesses.accesses.len() == operands.start
    }

    /// Notes that what was emitted since the last operand has ended belongs to the earlier ones.
    pub(super) fn earlier_are_computed(&mut self, operands: &mut Operands) {
        operands.next = self.accesses.accesses.len();
    }

    pub(super) fn end_operands(&mut self, _: Operands) {
        self.accesses.open = self.accesses.open.saturating_sub(1);
        if self.accesses.open == 0 {
            self.accesses = AccessLog::default();
        }
    }

    /// Whether other threads can see what is accessed in a range, apart from parts being set.
    fn accesses_shared(&self, operands: &Operands, range: &Range<usize>) -> bool {
        let shared = &self.accesses.shared;
        if operands.initialised.is_none() {
            return any_in(shared, range);
        }
        let first = shared.partition_point(|&position| position < range.start);
        let inside = shared[first..].iter().take_while(|&&position| position < range.end);
        inside.into_iter().any(|&position| !self.is_initialised(operands, self.accesses.accesses[position]))
    }

    /// Whether an access sets a part of the object that is being initialised.
    fn is_initialised(&self, operands: &Operands, access: Access) -> bool {
        let owner = access.variable.and_then(|variable| self.owners.get(&variable)).copied();
        access.is_change && owner.is_some() && owner == operands.initialised
    }

    /// Whether an operand and the earlier ones have a common variable that one of them changes, or
    /// one of them ends the program before another one can do something.
    fn conflict(
        &self,
        operands: &Operands,
        earlier: &Range<usize>,
        pending: &Pending,
        this: &Range<usize>,
    ) -> bool {
        let log = &self.accesses;
        if !operands.goes_on {
            // Nobody has looked at what this operand does: control does not come here.
            return true;
        }
        let ends_early = |one: &Range<usize>, other: &Range<usize>| {
            any_in(&log.ends, one)
                && [&log.ends, &log.checks, &log.shared].iter().any(|events| any_in(events, other))
        };
        let never_comes_back = self.flow.is_dead()
            && [&log.ends, &log.checks, &log.shared].iter().any(|events| any_in(events, earlier));
        self.changes_pending(earlier, pending)
            || self.changes_pending(this, &operands.pending)
            || self.change_common(operands, earlier, this)
            || ends_early(earlier, this)
            || ends_early(this, earlier)
            || never_comes_back
    }

    /// Whether the accesses in a range change what a value will read.
    fn changes_pending(&self, range: &Range<usize>, pending: &Pending) -> bool {
        let log = &self.accesses;
        let mut variables = pending.variables.iter();
        variables
            .any(|&variable| accessed_in(&log.changes, variable, range) && self.outlives_operand(variable))
            || !pending.objects.is_empty()
                && log.accesses[range.clone()].iter().any(|access| {
                    let owner = access.variable.and_then(|variable| self.owners.get(&variable));
                    access.is_change && owner.is_some_and(|owner| pending.objects.contains(owner))
                })
    }

    /// Whether the accesses in two ranges have a variable in common that one of them changes.
    fn change_common(&self, operands: &Operands, left: &Range<usize>, right: &Range<usize>) -> bool {
        let log = &self.accesses;
        let (few, many) = if left.len() < right.len() { (left, right) } else { (right, left) };
        log.accesses[few.clone()].iter().any(|access| {
            let Some(variable) = access.variable else { return false };
            let is_read_there = access.is_change && accessed_in(&log.reads, variable, many);
            let is_changed_there =
                !self.is_initialised(operands, *access) && accessed_in(&log.changes, variable, many);
            (is_read_there || is_changed_there) && self.outlives_operand(variable)
        })
    }

    /// Whether a variable is more than a local of a function that was called by the operand.
    fn outlives_operand(&self, variable: VarId) -> bool {
        let Some(&owner) = self.owners.get(&variable) else { return false };
        if self.facts.is_shared(owner) {
            return true;
        }
        match &self.facts.object(owner).key {
            // Whatever the depth of recursion.
            ObjectKey::Local(_, position) | ObjectKey::VariableArray(_, position, _)
                if *position >= super::call::LEVEL =>
            {
                true
            }
            ObjectKey::LocalOfCall(..) => true,
            ObjectKey::Local(_, position) | ObjectKey::VariableArray(_, position, _) => {
                self.frames.iter().any(|frame| {
                    let function = self.unit.functions.get(frame.name);
                    function
                        .is_some_and(|function| (function.span.start..function.span.end).contains(position))
                })
            }
            ObjectKey::FunctionResult(..) | ObjectKey::CallResult(..) | ObjectKey::Copy(..) => false,
            _ => true,
        }
    }

    /// Notes what a step does, if operands are being evaluated.
    pub(super) fn log_accesses(&mut self, ops: &[Op]) {
        if self.accesses.open == 0 {
            return;
        }
        for op in ops {
            match op {
                Op::Assume(condition, blocking) => {
                    self.log_reads(condition);
                    if *blocking == Blocking::Abandon {
                        self.log_end();
                    }
                }
                Op::Assign(changes) => {
                    for (place, value) in changes {
                        self.log_reads(value);
                        self.log_change(place);
                    }
                }
                Op::Havoc(place, _) => self.log_change(place),
                Op::Check(condition, _) => {
                    self.log_reads(condition);
                    let position = self.accesses.push_event();
                    self.accesses.checks.push(position);
                }
                Op::Spawn { arguments, handle, .. } => {
                    arguments.iter().for_each(|argument| self.log_reads(argument));
                    handle.iter().for_each(|place| self.log_change(place));
                    self.log_thread_event();
                }
                Op::Join(handle) => {
                    self.log_reads(handle);
                    self.log_thread_event();
                }
                Op::Halt => self.log_end(),
            }
        }
    }

    fn log_end(&mut self) {
        let position = self.accesses.push_event();
        self.accesses.ends.push(position);
    }

    fn log_thread_event(&mut self) {
        let position = self.accesses.push_event();
        self.accesses.shared.push(position);
    }

    fn log_reads(&mut self, expr: &Expr) {
        let mut read = Vec::new();
        expr.for_each_var(|variable| read.push(variable));
        for variable in read {
            self.log_access(variable, false);
        }
    }

    fn log_change(&mut self, place: &Place) {
        match place {
            Place::Scalar(variable) => self.log_access(*variable, true),
            Place::Element(variable, index) => {
                self.log_reads(index);
                self.log_access(*variable, true);
            }
        }
    }

    fn log_access(&mut self, variable: VarId, is_change: bool) {
        if self.is_temporary(variable) {
            return;
        }
        let position = self.accesses.push(Access { variable: Some(variable), is_change });
        if self.is_seen_by_others(variable) {
            self.accesses.shared.push(position);
        }
    }

    fn is_seen_by_others(&self, variable: VarId) -> bool {
        !self.in_atomic() && self.owners.get(&variable).is_some_and(|&owner| self.facts.is_shared(owner))
    }

    /// What computing a value will read.
    pub(super) fn pending(&self, value: &Value) -> Pending {
        let mut pending = Pending::default();
        self.guards_pending(&value.guards, &mut pending);
        match &value.kind {
            Kind::Number(expr) | Kind::Truth(expr) => self.expr_pending(expr, &mut pending),
            Kind::Pointer(known) => {
                known.dynamic.iter().for_each(|(index, _)| self.expr_pending(index, &mut pending));
            }
            Kind::Record(place) => {
                pending.extend(self.place_pending(place));
                match &place.address {
                    Address::Known(known) => pending.objects.push(known.object),
                    Address::Computed(_, targets) => {
                        pending.objects.extend(targets.iter().map(|target| target.object));
                    }
                }
                let is_shared = |&object: &ObjectId| self.facts.is_shared(object);
                pending.is_shared |= !self.in_atomic() && pending.objects.iter().any(is_shared);
            }
            Kind::Void => {}
        }
        pending
    }

    /// What the values of several arguments will read.
    pub(super) fn all_pending(&self, values: &[Value]) -> Pending {
        let mut pending = Pending::default();
        values.iter().for_each(|value| pending.extend(self.pending(value)));
        pending
    }

    /// What computing an address will read.
    pub(super) fn place_pending(&self, place: &Lvalue) -> Pending {
        let mut pending = Pending::default();
        self.guards_pending(&place.guards, &mut pending);
        match &place.address {
            Address::Known(known) => {
                known.dynamic.iter().for_each(|(index, _)| self.expr_pending(index, &mut pending));
            }
            Address::Computed(expr, _) => self.expr_pending(expr, &mut pending),
        }
        pending
    }

    fn guards_pending(&self, guards: &[Guard], pending: &mut Pending) {
        guards.iter().for_each(|guard| self.expr_pending(&guard.condition, pending));
    }

    fn expr_pending(&self, expr: &Expr, pending: &mut Pending) {
        expr.for_each_var(|variable| {
            if !self.is_temporary(variable) {
                pending.is_shared |= self.is_seen_by_others(variable);
                pending.variables.push(variable);
            }
        });
    }
}
