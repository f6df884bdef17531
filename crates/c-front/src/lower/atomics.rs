//! Atomic operations: gcc's `__sync_*` and `__atomic_*`, and those of `<stdatomic.h>` by name.
//!
//! Each is one step. Orders weaker than sequential consistency are taken as that.

use super::assign::Wanted;
use super::branch::Ways;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind, Opaque};
use crate::value::{Lvalue, Targets, Value, merge_targets};
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, Domain, Expr, Op, Place, Sort};

/// `memory_order_seq_cst`, as gcc numbers the orders.
const SEQUENTIALLY_CONSISTENT: i128 = 5;

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn atomic_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let arguments = call.arguments.as_slice();
        let plain = name.trim_end_matches("_explicit");
        if let Some(update) = update_named(plain) {
            return self.fetch_update(update, arguments, wanted, at).map(Some);
        }
        if let Some(value) = self.fence_or_load(plain, arguments, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.store_call(plain, arguments, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.exchange_call(plain, arguments, wanted, at)? {
            return Ok(Some(value));
        }
        self.compare_call(plain, arguments, at)
    }

    /// Fences, which have nothing to do, questions about the machine, and operations that only read.
    fn fence_or_load(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let value = match (name, arguments) {
            ("__sync_synchronize", []) => Value::void(),
            (
                "__atomic_thread_fence"
                | "__atomic_signal_fence"
                | "atomic_thread_fence"
                | "atomic_signal_fence",
                [order],
            ) => {
                self.memory_order(Some(order))?;
                Value::void()
            }
            ("__atomic_is_lock_free" | "__atomic_always_lock_free" | "atomic_is_lock_free", _) => {
                Value::constant(CType::INT, 1)
            }
            ("__atomic_load_n" | "atomic_load", [place, orders @ ..]) => {
                self.memory_order(orders.first())?;
                let place = self.atomic_place(place)?;
                self.as_atomic_call(|lowering| lowering.read(place, at))?
            }
            ("__atomic_load", [place, result, orders @ ..]) => {
                self.memory_order(orders.first())?;
                let (place, result) = self.places(place, result)?;
                let value = self.as_atomic_call(|lowering| lowering.read(place, at))?;
                self.assign_value(result, value, Wanted::Nothing, at, at)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Operations that only write.
    fn store_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let nothing = Wanted::Nothing;
        let value = match (name, arguments) {
            // What an atomic variable starts with is stored like anything else.
            ("atomic_init", [place, value]) => {
                let (place, value) = self.place_and_value(place, value)?;
                self.assume("sequential-consistency");
                let store = |lowering: &mut Self| lowering.assign_value(place, value, nothing, at, at);
                self.with_atomicity(Some(false), store)?
            }
            ("__atomic_store_n" | "atomic_store", [place, value, orders @ ..]) => {
                self.memory_order(orders.first())?;
                let (place, value) = self.place_and_value(place, value)?;
                self.as_atomic_call(|lowering| lowering.assign_value(place, value, nothing, at, at))?
            }
            ("__atomic_store", [place, source, orders @ ..]) => {
                self.memory_order(orders.first())?;
                let (place, source) = self.places(place, source)?;
                let value = self.read(source, at)?;
                self.as_atomic_call(|lowering| lowering.assign_value(place, value, nothing, at, at))?
            }
            ("__sync_lock_release", [place]) => {
                self.assume("atomics-are-strong");
                let place = self.atomic_place(place)?;
                self.clear_atomically(place, at)?
            }
            ("__atomic_clear" | "atomic_flag_clear", [place, orders @ ..]) => {
                self.memory_order(orders.first())?;
                let place = self.flag_place(place)?;
                self.clear_atomically(place, at)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn clear_atomically(&mut self, place: Lvalue, at: TreeSpan) -> Lowered<Value> {
        let zero = Value::constant(CType::INT, 0);
        self.as_atomic_call(|lowering| lowering.assign_value(place, zero, Wanted::Nothing, at, at))
    }

    /// Operations that write a value and yield the old one.
    fn exchange_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let value = match (name, arguments) {
            (
                "__atomic_exchange_n" | "atomic_exchange" | "__sync_lock_test_and_set",
                [place, value, orders @ ..],
            ) => {
                self.memory_order(orders.first())?;
                if name == "__sync_lock_test_and_set" {
                    self.assume("atomics-are-strong");
                }
                let (place, value) = self.place_and_value(place, value)?;
                self.swap(place, value, wanted, at)?
            }
            ("__atomic_exchange", [_, _, _, orders @ ..]) => {
                self.memory_order(orders.first())?;
                let [place, source, result] = self.three_places(arguments, at)?;
                let value = self.read(source, at)?;
                let old = self.swap(place, value, Wanted::Old, at)?;
                self.assign_value(result, old, Wanted::Nothing, at, at)?
            }
            ("__atomic_test_and_set" | "atomic_flag_test_and_set", [place, orders @ ..]) => {
                self.memory_order(orders.first())?;
                let place = self.flag_place(place)?;
                let set = Value::truth(CType::Int(IntKind::Bool), Expr::Bool(true));
                self.swap(place, set, wanted, at)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Operations that write a value if the old one is as expected.
    fn compare_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let value = match (name, arguments) {
            ("__sync_bool_compare_and_swap", [_, _, _]) => self.compare_and_swap(arguments, true, at)?,
            ("__sync_val_compare_and_swap", [_, _, _]) => self.compare_and_swap(arguments, false, at)?,
            ("__atomic_compare_exchange_n", [_, _, _, weak, orders @ ..]) => {
                self.memory_order(orders.first())?;
                self.memory_order(orders.get(1))?;
                let may_fail = self.spurious_failure(Some(weak))?;
                self.compare_exchange_call(arguments, may_fail, at)?
            }
            ("atomic_compare_exchange_strong", [_, _, _, orders @ ..]) => {
                self.memory_order(orders.first())?;
                self.memory_order(orders.get(1))?;
                self.compare_exchange_call(arguments, None, at)?
            }
            ("atomic_compare_exchange_weak", [_, _, _, orders @ ..]) => {
                self.memory_order(orders.first())?;
                self.memory_order(orders.get(1))?;
                let may_fail = self.spurious_failure(None)?;
                self.compare_exchange_call(arguments, may_fail, at)?
            }
            ("__atomic_compare_exchange", [_, _, _, weak, orders @ ..]) => {
                self.memory_order(orders.first())?;
                self.memory_order(orders.get(1))?;
                let may_fail = self.spurious_failure(Some(weak))?;
                let [place, expected, source] = self.three_places(arguments, at)?;
                let desired = self.read(source, at)?;
                self.compare_exchange(place, expected, desired, may_fail, at)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn compare_exchange_call(
        &mut self,
        arguments: &'a [Node<Expression>],
        fails: Option<Expr>,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let [place, expected, desired] = self.three(&arguments[..3])?;
        let place = self.dereference(place, &arguments[0], at)?;
        let expected = self.dereference(expected, &arguments[1], at)?;
        self.compare_exchange(place, expected, desired, fails, at)
    }

    /// Whether a weak exchange fails though the values are equal: nobody knows. An exchange is weak
    /// if the argument is not zero, or if there is none.
    fn spurious_failure(&mut self, weak: Option<&'a Node<Expression>>) -> Lowered<Option<Expr>> {
        let is_weak = match weak {
            Some(weak) => {
                let value = self.eval(weak)?;
                let value = self.settle(value);
                self.condition(&value)
            }
            None => Expr::Bool(true),
        };
        if is_weak == Expr::Bool(false) {
            return Ok(None);
        }
        let fails = self.temporary(Sort::Bool);
        self.emit(vec![Op::Havoc(Place::Scalar(fails), Domain::Bool)]);
        Ok(Some(fold::and(is_weak, Expr::Var(fails))))
    }

    /// Evaluates the order; one that is weaker than sequential consistency is noted.
    fn memory_order(&mut self, order: Option<&'a Node<Expression>>) -> Lowered<()> {
        if let Some(order) = order {
            let value = self.eval(order)?;
            if value.as_constant() != Some(SEQUENTIALLY_CONSISTENT) {
                self.assume("atomics-are-strong");
            }
            self.discard(value);
        }
        self.assume("sequential-consistency");
        Ok(())
    }

    /// The place that a pointer argument points to.
    fn atomic_place(&mut self, pointer: &'a Node<Expression>) -> Lowered<Lvalue> {
        let value = self.eval(pointer)?;
        self.dereference(value, pointer, pointer.span)
    }

    /// Three arguments, evaluated from left to right, none of them still to be read.
    fn three(&mut self, arguments: &'a [Node<Expression>]) -> Lowered<[Value; 3]> {
        let values = self.arguments(arguments)?;
        let settled: Vec<Value> = values.into_iter().map(|value| self.settle_shared(value)).collect();
        match <[Value; 3]>::try_from(settled) {
            Ok(values) => Ok(values),
            Err(_) => Err(rely_base::Diagnostic::error("an atomic operation has too few arguments")),
        }
    }

    fn places(
        &mut self,
        first: &'a Node<Expression>,
        second: &'a Node<Expression>,
    ) -> Lowered<(Lvalue, Lvalue)> {
        let (left, right) = self.operands(first, second)?;
        let left = self.dereference(left, first, first.span)?;
        Ok((left, self.dereference(right, second, second.span)?))
    }

    fn place_and_value(
        &mut self,
        place: &'a Node<Expression>,
        value: &'a Node<Expression>,
    ) -> Lowered<(Lvalue, Value)> {
        let (pointer, value_of) = self.operands(place, value)?;
        let value_of = self.settle_shared(value_of);
        Ok((self.dereference(pointer, place, place.span)?, value_of))
    }

    /// The places that the first three arguments point to.
    fn three_places(&mut self, arguments: &'a [Node<Expression>], at: TreeSpan) -> Lowered<[Lvalue; 3]> {
        let [first, second, third] = self.three(&arguments[..3])?;
        Ok([
            self.dereference(first, &arguments[0], at)?,
            self.dereference(second, &arguments[1], at)?,
            self.dereference(third, &arguments[2], at)?,
        ])
    }

    /// The place of an `atomic_flag`, or of whatever else is used as one: its first byte.
    fn flag_place(&mut self, pointer: &'a Node<Expression>) -> Lowered<Lvalue> {
        let place = self.atomic_place(pointer)?;
        match place.ty.unqualified().clone() {
            CType::Record(_) => Ok(self.part(place, 0, CType::Int(IntKind::Bool))),
            CType::Int(IntKind::Bool) => Ok(place),
            _ => self.refuse(pointer.span, "a flag that is neither `atomic_flag` nor `_Bool`"),
        }
    }

    fn scalar_kind(&self, place: &Lvalue, at: TreeSpan) -> Lowered<(CType, IntKind)> {
        let ty = match place.ty.unqualified() {
            CType::Opaque(Opaque::Thread) => CType::SIZE,
            other => other.clone(),
        };
        match ty.scalar() {
            Some(kind) => Ok((ty, kind)),
            None => self.refuse(at, "an atomic structure"),
        }
    }

    fn swap(&mut self, place: Lvalue, value: Value, wanted: Wanted, at: TreeSpan) -> Lowered<Value> {
        let (ty, kind) = self.scalar_kind(&place, at)?;
        let value = self.convert(value, &ty, at)?;
        let value = self.settle_shared(value);
        let found = self.cells(&place, at)?;
        let targets = self.pointed_to(&value);
        self.note_stored(&found, &targets);
        let new = self.storable(&value);
        let wanted = if wanted == Wanted::Nothing { wanted } else { Wanted::Old };
        self.exchange(found, &ty, kind, &value.guards, wanted, |_| new.clone())
    }

    fn fetch_update(
        &mut self,
        update: Update,
        arguments: &'a [Node<Expression>],
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let [place, operand, orders @ ..] = arguments else {
            return self.error(at, "too few arguments of an atomic operation");
        };
        self.memory_order(orders.first())?;
        let (place, operand) = self.place_and_value(place, operand)?;
        let (ty, kind) = self.scalar_kind(&place, at)?;
        if ty.is_pointer() {
            return self.refuse(at, "atomic arithmetic on a pointer");
        }
        let wanted = match (wanted, update.yields_new) {
            (Wanted::Nothing, _) => Wanted::Nothing,
            (_, true) => Wanted::New,
            (_, false) => Wanted::Old,
        };
        match update.op {
            Some(op) => {
                let operand = self.convert(operand, &ty, at)?;
                self.atomic_update(place, op, operand, wanted, at)
            }
            None => {
                let operand = self.convert(operand, &ty, at)?;
                let amount = self.number(&operand);
                let found = self.cells(&place, at)?;
                let nand = |old: Expr| {
                    let both = fold::binary(BinaryOp::BitAnd, old, amount.clone());
                    fold::wrap(kind.int_type(), fold::unary(rely_program::UnaryOp::BitNot, both))
                };
                self.exchange(found, &ty, kind, &operand.guards, wanted, nand)
            }
        }
    }

    /// `__sync_*_compare_and_swap`.
    fn compare_and_swap(
        &mut self,
        arguments: &'a [Node<Expression>],
        yields_truth: bool,
        at: TreeSpan,
    ) -> Lowered<Value> {
        self.memory_order(None)?;
        let [pointer, expected, desired] = self.three(arguments)?;
        let place = self.dereference(pointer, &arguments[0], at)?;
        let (ty, kind) = self.scalar_kind(&place, at)?;
        let expected = self.settled_as(expected, &ty, at)?;
        let desired = self.settled_as(desired, &ty, at)?;
        let found = self.cells(&place, at)?;
        let targets = self.pointed_to(&desired);
        self.note_stored(&found, &targets);
        let guards: Vec<_> = expected.guards.iter().chain(&desired.guards).cloned().collect();
        let (old_value, new_value) = (self.storable(&expected), self.storable(&desired));
        if yields_truth {
            self.note_read(&found);
            let success = self.temporary(Sort::Bool);
            self.act_atomically(found, &guards, |cell| {
                let old = cell.load(kind);
                let is_equal = fold::binary(BinaryOp::Eq, old.clone(), old_value.clone());
                let new = fold::ite(is_equal.clone(), new_value.clone(), old);
                let mut changes = cell.store(kind, new);
                changes.push((Place::Scalar(success), is_equal));
                vec![Op::Assign(changes)]
            });
            return Ok(Value::truth(CType::Int(IntKind::Bool), Expr::Var(success)));
        }
        self.exchange(found, &ty, kind, &guards, Wanted::Old, |old| {
            let is_equal = fold::binary(BinaryOp::Eq, old.clone(), old_value.clone());
            fold::ite(is_equal, new_value.clone(), old)
        })
    }

    fn settled_as(&mut self, value: Value, ty: &CType, at: TreeSpan) -> Lowered<Value> {
        let value = self.convert(value, ty, at)?;
        Ok(self.settle_shared(value))
    }

    /// If the place holds what is expected it gets the desired value, otherwise the place of
    /// the expected value gets what it holds. If the latter is shared too, reading and writing
    /// it are steps of their own, as the standard has it. A weak exchange may fail in any case.
    fn compare_exchange(
        &mut self,
        place: Lvalue,
        expected: Lvalue,
        desired: Value,
        fails: Option<Expr>,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let (ty, kind) = self.scalar_kind(&place, at)?;
        let desired = self.settled_as(desired, &ty, at)?;
        let wanted_value = self.read(expected.clone(), at)?;
        let wanted_value = self.settled_as(wanted_value, &ty, at)?;
        let found = self.cells(&place, at)?;
        let targets = self.pointed_to(&desired);
        self.note_stored(&found, &targets);
        let guards: Vec<_> = wanted_value.guards.iter().chain(&desired.guards).cloned().collect();
        let (old_value, new_value) = (self.storable(&wanted_value), self.storable(&desired));
        let success = self.temporary(Sort::Bool);
        let truth = Value::truth(CType::Int(IntKind::Bool), Expr::Var(success));
        let seen_targets: Targets =
            found.cells.iter().flat_map(|cell| self.facts.targets_of(cell.target)).collect();
        self.note_read(&found);
        let kept = self.cells(&expected, at)?;
        let (seen, is_kept) = match kept.cells.as_slice() {
            // If the two are equal, storing what was seen changes nothing.
            [cell] if !kept.is_step && cell.bytes.is_none() && cell.kind.is_signed() == kind.is_signed() => {
                self.note_stored(&kept, &seen_targets);
                (cell.place.clone(), true)
            }
            _ => (Place::Scalar(self.temporary(kind.sort())), false),
        };
        self.act_atomically(found, &guards, |cell| {
            let old = cell.load(kind);
            let is_equal = fold::binary(BinaryOp::Eq, old.clone(), old_value.clone());
            let is_equal = match &fails {
                Some(fails) => fold::and(is_equal, fold::not(fails.clone())),
                None => is_equal,
            };
            let new = fold::ite(is_equal.clone(), new_value.clone(), old.clone());
            let mut changes = cell.store(kind, new);
            changes.extend([(Place::Scalar(success), is_equal), (seen.clone(), old)]);
            vec![Op::Assign(changes)]
        });
        if is_kept {
            return Ok(truth);
        }
        let Ways { holds, fails } = self.branch_on(truth.clone());
        self.flow = fails;
        let seen_value = match kind {
            IntKind::Bool => Value::truth(ty, seen.read()),
            _ => {
                let targets = merge_targets(&seen_targets, &Vec::new());
                Value { targets, ..Value::number(ty, seen.read(), Range::of(kind.int_type())) }
            }
        };
        self.assign_value(expected, seen_value, Wanted::Nothing, at, at)?;
        self.join_here(holds)?;
        Ok(truth)
    }
}

/// A read-modify-write operation.
#[derive(Clone, Copy)]
struct Update {
    /// `None` for the negated conjunction.
    op: Option<BinaryOp>,
    yields_new: bool,
}

fn update_named(name: &str) -> Option<Update> {
    let (op, yields_new) = if let Some(op) = name.strip_prefix("__sync_fetch_and_") {
        (op, false)
    } else if let Some(op) = name.strip_prefix("__sync_").and_then(|rest| rest.strip_suffix("_and_fetch")) {
        (op, true)
    } else if let Some(op) = name.strip_prefix("__atomic_fetch_") {
        (op, false)
    } else if let Some(op) = name.strip_prefix("__atomic_").and_then(|rest| rest.strip_suffix("_fetch")) {
        (op, true)
    } else {
        (name.strip_prefix("atomic_fetch_")?, false)
    };
    let op = match op {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "and" => Some(BinaryOp::BitAnd),
        "or" => Some(BinaryOp::BitOr),
        "xor" => Some(BinaryOp::BitXor),
        "nand" => None,
        _ => return None,
    };
    Some(Update { op, yields_new })
}
