//! Assignments.

use super::access::Cells;
use super::impact::Impact;
use super::order::Operands;
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind};
use crate::value::{Address, Kind, Lvalue, Value};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, Expr, Op, Place};

/// Larger structures are not copied.
pub(super) const MAX_COPIED_CELLS: u64 = 4_096;

/// Which value of a changed place the expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Nothing,
    Old,
    New,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// `lhs = rhs`.
    pub(super) fn assignment(
        &mut self,
        lhs: &'a Node<Expression>,
        rhs: &'a Node<Expression>,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let operands = self.begin_operands();
        let place = self.lvalue(lhs)?;
        self.assign_after(operands, place, rhs, wanted, at, lhs.span)
    }

    /// Stores the value of an expression in a place.
    pub(super) fn assign_from(
        &mut self,
        place: Lvalue,
        rhs: &'a Node<Expression>,
        wanted: Wanted,
        at: TreeSpan,
        lhs: TreeSpan,
    ) -> Lowered<Value> {
        let operands = self.begin_operands();
        self.assign_after(operands, place, rhs, wanted, at, lhs)
    }

    /// Stores the value of an expression, the place being the first of the operands.
    fn assign_after(
        &mut self,
        mut operands: Operands,
        place: Lvalue,
        rhs: &'a Node<Expression>,
        wanted: Wanted,
        at: TreeSpan,
        lhs: TreeSpan,
    ) -> Lowered<Value> {
        if self.havoc_directly(&place, rhs, wanted)? {
            self.end_operands(operands);
            return Ok(Value::void());
        }
        let place = match self.impact(rhs)? {
            Impact::Acts => self.settle_lvalue(place),
            _ => place,
        };
        let pending = self.place_pending(&place);
        self.operand_ends(&mut operands, pending);
        let value = self.eval(rhs)?;
        let pending = self.pending(&value);
        self.operand_ends(&mut operands, pending);
        self.end_operands(operands);
        self.assign_value(place, value, wanted, at, lhs)
    }

    /// Stores a value in a place of any type.
    pub(super) fn assign_value(
        &mut self,
        place: Lvalue,
        value: Value,
        wanted: Wanted,
        at: TreeSpan,
        lhs: TreeSpan,
    ) -> Lowered<Value> {
        if matches!(place.ty.unqualified(), CType::Array(..) | CType::Function(_) | CType::Void) {
            return self.error(at, "this cannot be assigned to");
        }
        let value = self.convert(value, &place.ty, at)?;
        if let Kind::Record(source) = value.kind.clone() {
            // What is assigned is read once, however many places get it.
            let (kept, source) = match wanted {
                Wanted::Nothing => (Value::void(), source),
                _ => {
                    let kept = self.kept_record(value, at)?;
                    let Kind::Record(source) = kept.kind.clone() else { return Ok(kept) };
                    (kept, source)
                }
            };
            if place.ty.is_atomic() {
                self.store_atomically(&place, &source, at)?;
            } else {
                self.copy_record(&place, &source, at)?;
            }
            return Ok(kept);
        }
        let found = self.cells(&place, lhs)?;
        if wanted == Wanted::Nothing {
            self.write(&place, value, lhs)?;
            return Ok(Value::void());
        }
        // Writing may change what the place is, as in `a[a[0]] = 1`.
        let is_fixed = matches!(&place.address, Address::Known(known) if known.dynamic.is_empty());
        if found.is_step || found.cells.len() != 1 || !is_fixed {
            let value = self.snapshot(value);
            self.write(&place, value.clone(), lhs)?;
            return Ok(value);
        }
        let targets = self.pointed_to(&value);
        let (ty, range) = (value.ty.clone(), value.range);
        self.write(&place, value, lhs)?;
        let read = self.read(place, lhs)?;
        Ok(Value { ty, range, targets, guards: Vec::new(), ..read })
    }

    /// `place = nondet()` as one nondeterministic assignment.
    fn havoc_directly(&mut self, place: &Lvalue, rhs: &'a Node<Expression>, wanted: Wanted) -> Lowered<bool> {
        let Expression::Call(call) = &rhs.node else { return Ok(false) };
        let Some(kind) = self.nondeterministic(&call.node) else { return Ok(false) };
        if wanted != Wanted::Nothing
            || !call.node.arguments.is_empty()
            || *place.ty.unqualified() != CType::Int(kind)
        {
            return Ok(false);
        }
        let found = self.cells(place, rhs.span)?;
        if found.cells.iter().any(|cell| cell.bytes.is_some()) {
            return Ok(false);
        }
        // A variable that was declared with the other sign has as many values.
        self.act_on(found, &[], |cell| vec![Op::Havoc(cell.place.clone(), cell.kind.domain())]);
        Ok(true)
    }

    /// `lhs op= rhs`. The left side is read before the right one is evaluated, unless all is one
    /// step.
    pub(super) fn compound_assignment(
        &mut self,
        op: BinaryOp,
        lhs: &'a Node<Expression>,
        rhs: &'a Node<Expression>,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let mut operands = self.begin_operands();
        let place = self.lvalue(lhs)?;
        let impact = self.impact(rhs)?;
        let place = match impact {
            Impact::Acts => self.settle_lvalue(place),
            _ => place,
        };
        let old = match is_one_step(&place) {
            true => None,
            false => {
                let old = self.read(place.clone(), at)?;
                self.expect_scalar(&old, at)?;
                Some(self.before(old, impact))
            }
        };
        let mut pending = self.place_pending(&place);
        pending.extend(old.as_ref().map(|old| self.pending(old)).unwrap_or_default());
        self.operand_ends(&mut operands, pending);
        let operand = self.eval(rhs)?;
        self.expect_scalar(&operand, rhs.span)?;
        let pending = self.pending(&operand);
        self.operand_ends(&mut operands, pending);
        self.end_operands(operands);
        match old {
            Some(old) => self.update_from(place, old, op, operand, wanted, at),
            None => self.atomic_update(place, op, operand, wanted, at),
        }
    }

    /// `++` and `--`.
    pub(super) fn increment(
        &mut self,
        operand: &'a Node<Expression>,
        op: BinaryOp,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let place = self.lvalue(operand)?;
        self.update(place, op, Value::constant(CType::INT, 1), wanted, at)
    }

    /// Reads a place, computes, and writes it: one step if the type is atomic.
    fn update(
        &mut self,
        place: Lvalue,
        op: BinaryOp,
        operand: Value,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if is_one_step(&place) {
            return self.atomic_update(place, op, operand, wanted, at);
        }
        let old = self.read(place.clone(), at)?;
        self.expect_scalar(&old, at)?;
        self.update_from(place, old, op, operand, wanted, at)
    }

    /// Computes from what was read of a place, and writes it.
    fn update_from(
        &mut self,
        place: Lvalue,
        old: Value,
        op: BinaryOp,
        operand: Value,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let found = self.cells(&place, at)?;
        let ty = place.ty.unqualified().clone();
        let (operand, old) = match found.is_step {
            true => {
                let operand = self.settle_shared(operand);
                (operand, self.settle(old))
            }
            false if wanted == Wanted::Old => {
                let operand = self.settle_shared(operand);
                (operand, self.settle(old))
            }
            false => (operand, old),
        };
        let new = self.binary(op, old.clone(), operand, at)?;
        let new = self.convert(new, &ty, at)?;
        let result = self.assign_value(place, new, wanted_if_new(wanted), at, at)?;
        Ok(if wanted == Wanted::Old { old } else { result })
    }

    /// Reads, computes and writes in one step. Signed numbers wrap.
    pub(super) fn atomic_update(
        &mut self,
        place: Lvalue,
        op: BinaryOp,
        operand: Value,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let ty = place.ty.unqualified().clone();
        let Some(kind) = ty.scalar() else { return self.refuse(at, "an atomic structure") };
        let operand = self.settle_shared(operand);
        if matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr) {
            // The conversions of the operands matter, so it is done as without `_Atomic`.
            let plain = Lvalue { ty, ..place };
            self.enter_atomic();
            let value = self.update(plain, op, operand, wanted, at)?;
            let value = self.snapshot(value);
            self.leave_atomic();
            return Ok(value);
        }
        let operand_guards = operand.guards.clone();
        let stride = match (ty.element(), op) {
            (Some(element), BinaryOp::Add | BinaryOp::Sub) => {
                self.facts.records.size_of(element).unwrap_or(1)
            }
            _ => 1,
        };
        let steps = self.number(&operand);
        let amount = fold::scale(stride as i64, steps.clone());
        let found = self.cells(&place, at)?;
        if ty.is_pointer() {
            let moved = found.cells.iter().flat_map(|cell| self.facts.targets_of(cell.target)).collect();
            let element = ty.element().cloned().unwrap_or(CType::Void);
            let direction = if op == BinaryOp::Sub { -1 } else { 1 };
            let moved = self.facts.moved_targets(&moved, &steps, direction * stride as i64, &element);
            self.note_stored(&found, &moved);
        } else {
            // An integer may be an address.
            let old = found.cells.iter().flat_map(|cell| self.facts.targets_of(cell.target));
            let either = old.chain(self.pointed_to(&operand)).collect();
            let moved = self.facts.whole_objects(&either);
            self.note_stored(&found, &moved);
        }
        let new_of = |old: Expr| updated(kind, op, old, amount.clone());
        self.exchange(found, &ty, kind, &operand_guards, wanted, new_of)
    }

    /// One step that replaces what is in a place by something computed from it.
    pub(super) fn exchange(
        &mut self,
        found: Cells,
        ty: &CType,
        kind: IntKind,
        guards: &[crate::value::Guard],
        wanted: Wanted,
        new_of: impl Fn(Expr) -> Expr,
    ) -> Lowered<Value> {
        self.note_read(&found);
        let temporary = (wanted != Wanted::Nothing).then(|| self.temporary(kind.sort()));
        let targets =
            found.cells.iter().flat_map(|cell| self.facts.targets_of(cell.target)).collect::<Vec<_>>();
        self.act_atomically(found, guards, |cell| {
            let old = cell.load(kind);
            let new = new_of(old.clone());
            let mut changes = cell.store(kind, new.clone());
            if let Some(temporary) = temporary {
                let kept = if wanted == Wanted::Old { old } else { new };
                changes.push((Place::Scalar(temporary), kept));
            }
            vec![Op::Assign(changes)]
        });
        let Some(temporary) = temporary else { return Ok(Value::void()) };
        Ok(match kind {
            IntKind::Bool => Value::truth(ty.clone(), Expr::Var(temporary)),
            _ => {
                let range = Range::of(kind.int_type());
                let targets = crate::value::merge_targets(&targets, &Vec::new());
                Value { targets, ..Value::number(ty.clone(), Expr::Var(temporary), range) }
            }
        })
    }

    /// The contents of a structure as they are now, in a place of its own.
    pub(super) fn kept_record(&mut self, value: Value, at: TreeSpan) -> Lowered<Value> {
        let Kind::Record(source) = &value.kind else { return Ok(value) };
        if let Address::Known(known) = &source.address
            && matches!(
                self.facts.object(known.object).key,
                ObjectKey::Copy(..) | ObjectKey::FunctionResult(..)
            )
        {
            return Ok(value);
        }
        self.emit_guards(value.guards.clone());
        let thread = self.thread.key.clone();
        let key = ObjectKey::Copy(thread.clone(), self.site(at.start));
        let object =
            self.object(key, self.qualified("copy"), value.ty.clone(), Storage::Thread(thread), at)?;
        let place = self.object_lvalue(object);
        self.copy_record(&place, source, at)?;
        Ok(Value::record(value.ty, place))
    }

    /// Reads an atomic structure in one step.
    pub(super) fn load_atomically(&mut self, place: Lvalue, at: TreeSpan) -> Lowered<Lvalue> {
        if self.is_silent || self.flow.is_dead() {
            return Ok(place);
        }
        let place = self.settle_lvalue(place);
        let copy = self.record_copy(place.ty.unqualified().clone(), at)?;
        self.enter_atomic();
        self.copy_record(&copy, &place, at)?;
        self.leave_atomic();
        Ok(copy)
    }

    /// Writes an atomic structure in one step, the members of which were read before.
    fn store_atomically(&mut self, to: &Lvalue, from: &Lvalue, at: TreeSpan) -> Lowered<()> {
        let to = self.settle_lvalue(to.clone());
        let copy = self.record_copy(to.ty.unqualified().clone(), at)?;
        self.copy_record(&copy, from, at)?;
        self.enter_atomic();
        self.copy_record(&to, &copy, at)?;
        self.leave_atomic();
        Ok(())
    }

    /// A structure of this thread for what goes to, or comes from, an atomic one.
    fn record_copy(&mut self, ty: CType, at: TreeSpan) -> Lowered<Lvalue> {
        let thread = self.thread.key.clone();
        let key = ObjectKey::AtomicCopy(thread.clone(), self.site(at.start));
        let object = self.object(key, "atomic.copy".into(), ty, Storage::Thread(thread), at)?;
        Ok(self.object_lvalue(object))
    }

    /// Copies a structure, member by member: other threads see each of them change.
    fn copy_record(&mut self, to: &Lvalue, from: &Lvalue, at: TreeSpan) -> Lowered<()> {
        let Ok(leaves) = crate::layout::leaves(&self.facts.records, to.ty.unqualified()) else {
            return self.refuse(at, "a copy of this structure");
        };
        if leaves.iter().map(crate::layout::Leaf::cells).sum::<u64>() > MAX_COPIED_CELLS {
            return self.refuse(at, "a copy of a large structure");
        }
        let (to, from) = (self.settle_lvalue(to.clone()), self.settle_lvalue(from.clone()));
        for leaf in leaves.iter().filter(|leaf| !self.facts.is_left_out(leaf)).collect::<Vec<_>>() {
            for offset in leaf.cell_offsets() {
                self.check_budget()?;
                let source = self.part(from.clone(), offset, leaf.ty.clone());
                // Mutexes and handles of threads are copied like the memory that they are.
                let value = self.read_scalar(source, at)?;
                let target = self.part(to.clone(), offset, leaf.ty.clone());
                self.write(&target, value, at)?;
            }
        }
        Ok(())
    }
}

/// Whether an operator that changes the place reads and writes it in one step.
fn is_one_step(place: &Lvalue) -> bool {
    place.ty.is_atomic() && place.ty.scalar().is_some()
}

fn wanted_if_new(wanted: Wanted) -> Wanted {
    if wanted == Wanted::New { Wanted::New } else { Wanted::Nothing }
}

/// The result of an atomic operator, which wraps.
fn updated(kind: IntKind, op: BinaryOp, old: Expr, operand: Expr) -> Expr {
    if kind == IntKind::Bool {
        let number = fold::binary(op, fold::ite(old, Expr::Int(1), Expr::Int(0)), operand);
        return fold::binary(BinaryOp::Ne, number, Expr::Int(0));
    }
    fold::wrap(kind.int_type(), fold::binary(op, old, operand))
}
