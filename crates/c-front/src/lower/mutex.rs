//! Mutexes and spin locks.
//!
//! A mutex holds the handle of its owner, 0 if it is free. One that may be recursive or
//! error-checking also holds its kind, and how often its owner has taken it beyond the first time;
//! for all others there are no such variables. Who waits is served in any order, as POSIX allows.
//!
//! Who waits for a lock no longer than some time never waits in vain, so that is a way to try it: to take it later
//! is to try it later, since nothing of the thread's happens between; and if the time is over, the lock was taken at some
//! moment of it.
//!
//! What POSIX leaves undefined is a violation: to give back a normal mutex that one does not hold,
//! to destroy one that is held or to set it up again.

use super::access::Cells;
use super::assign::Wanted;
use super::branch::Ways;
use super::cell::Cell;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{CType, MUTEX_COUNT, MUTEX_KIND, Opaque};
use crate::value::{Lvalue, Target, Value};
use lang_c::ast::{Expression, Initializer, InitializerListItem};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, Check, CheckId, CheckKind, Expr, Op, Place, Sort, VarId};

/// `EPERM`, for a thread that gives back what it does not hold.
const NOT_OWNER: i128 = 1;
/// `EBUSY`, for a mutex that is taken.
const BUSY: i128 = 16;
/// `EINVAL`.
const INVALID: i128 = 22;
/// `ETIMEDOUT`, for a mutex that is taken all the time.
const TIMED_OUT: i128 = 110;
/// `EDEADLK`, for a thread that would wait for itself.
const DEADLOCK: i128 = 35;

/// The kinds of mutexes, as glibc numbers them; a normal one is 0.
const RECURSIVE: i128 = 1;
const ERROR_CHECKING: i128 = 2;
/// It spins before it waits: nobody can tell it from a normal one.
const ADAPTIVE: i128 = 3;

/// Where the kind stands in glibc's initializers, `{ { 0, 0, 0, 0, kind, ... } }`.
const KIND_IN_INITIALIZER: usize = 4;

/// The cells of a mutex.
#[derive(Clone)]
struct Mutex {
    owner: Place,
    /// Its kind and how often it was taken, if it may be anything but normal.
    details: Option<(Place, Place)>,
}

/// All mutexes that an expression may mean: the cells of their owners, and the rest of each.
#[derive(Clone)]
pub(super) struct Mutexes {
    owners: Cells,
    mutexes: Vec<Mutex>,
}

impl Mutexes {
    /// Whether all are normal.
    pub(super) fn are_normal(&self) -> bool {
        self.mutexes.iter().all(|mutex| mutex.details.is_none())
    }
}

impl Mutex {
    fn is_free(&self) -> Expr {
        fold::is(self.owner.read(), 0)
    }

    fn is_mine(&self) -> Expr {
        fold::binary(BinaryOp::Eq, self.owner.read(), Expr::This)
    }

    fn has_kind(&self, kind: i128) -> Expr {
        match &self.details {
            Some((own, _)) => fold::is(own.read(), kind),
            None => Expr::Bool(false),
        }
    }

    /// The count after it was changed by a number under a condition.
    fn counted(&self, condition: Expr, op: BinaryOp) -> Option<(Place, Expr)> {
        let (_, count) = self.details.as_ref()?;
        let changed = fold::binary(op, count.read(), Expr::Int(1));
        Some((count.clone(), fold::ite(condition, changed, count.read())))
    }

    fn lock(&self, result: Option<VarId>) -> Vec<Op> {
        if self.details.is_none() {
            let mut changes = vec![(self.owner.clone(), Expr::This)];
            changes.extend(result.map(|result| (Place::Scalar(result), Expr::Int(0))));
            return vec![Op::wait(self.is_free()), Op::Assign(changes)];
        }
        let again = fold::and(self.is_mine(), self.has_kind(RECURSIVE));
        let refused = fold::and(self.is_mine(), self.has_kind(ERROR_CHECKING));
        let ready = fold::or(self.is_free(), fold::or(again.clone(), refused.clone()));
        let owner = fold::ite(self.is_free(), Expr::This, self.owner.read());
        let mut changes = vec![(self.owner.clone(), owner)];
        changes.extend(self.counted(again, BinaryOp::Add));
        let value = fold::ite(refused, Expr::Int(DEADLOCK), Expr::Int(0));
        changes.extend(result.map(|result| (Place::Scalar(result), value)));
        vec![Op::wait(ready), Op::Assign(changes)]
    }

    /// Takes it if that is possible at once, and says otherwise what is wrong.
    fn try_lock(&self, taken: Expr, result: Option<VarId>) -> Vec<Op> {
        let again = fold::and(self.is_mine(), self.has_kind(RECURSIVE));
        let possible = fold::or(self.is_free(), again.clone());
        let owner = fold::ite(self.is_free(), Expr::This, self.owner.read());
        let mut changes = vec![(self.owner.clone(), owner)];
        changes.extend(self.counted(again, BinaryOp::Add));
        let value = fold::ite(possible, Expr::Int(0), taken);
        changes.extend(result.map(|result| (Place::Scalar(result), value)));
        vec![Op::Assign(changes)]
    }

    /// What is wrong when the time is over; an error-checking mutex does not wait for its owner.
    fn too_late(&self) -> Expr {
        let refused = fold::and(self.is_mine(), self.has_kind(ERROR_CHECKING));
        fold::ite(refused, Expr::Int(DEADLOCK), Expr::Int(TIMED_OUT))
    }

    fn unlock(&self, result: Option<VarId>, check: CheckId) -> Vec<Op> {
        let Some((_, count)) = &self.details else {
            let mut changes = vec![(self.owner.clone(), Expr::Int(0))];
            changes.extend(result.map(|result| (Place::Scalar(result), Expr::Int(0))));
            return vec![Op::Check(self.is_mine(), check), Op::Assign(changes)];
        };
        let complains = fold::or(self.has_kind(RECURSIVE), self.has_kind(ERROR_CHECKING));
        let is_last = fold::and(self.is_mine(), fold::is(count.read(), 0));
        let is_one_of_many = fold::and(self.is_mine(), fold::not(fold::is(count.read(), 0)));
        let owner = fold::ite(is_last, Expr::Int(0), self.owner.read());
        let mut changes = vec![(self.owner.clone(), owner)];
        changes.extend(self.counted(is_one_of_many, BinaryOp::Sub));
        let value = fold::ite(self.is_mine(), Expr::Int(0), Expr::Int(NOT_OWNER));
        changes.extend(result.map(|result| (Place::Scalar(result), value)));
        vec![Op::Check(fold::or(self.is_mine(), complains), check), Op::Assign(changes)]
    }

    /// Sets it up as a free mutex of some kind.
    fn init(&self, kind: &Expr, is_copied: bool, check: CheckId) -> Vec<Op> {
        let mut changes = Vec::new();
        if let Some((own, count)) = &self.details {
            changes.extend([(own.clone(), kind.clone()), (count.clone(), Expr::Int(0))]);
        }
        // Memory that was a copy of a mutex need not be one.
        if is_copied {
            changes.push((self.owner.clone(), Expr::Int(0)));
            return vec![Op::Assign(changes)];
        }
        let mut ops = vec![Op::Check(self.is_free(), check)];
        if !changes.is_empty() {
            ops.push(Op::Assign(changes));
        }
        ops
    }
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// Functions on mutexes and spin locks.
    pub(super) fn mutex_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let opaque = if name.starts_with("pthread_spin") { Opaque::Spin } else { Opaque::Mutex };
        let value = match (name, arguments) {
            ("pthread_mutex_lock" | "pthread_spin_lock", [mutex]) => {
                let found = self.mutexes(mutex, opaque)?;
                self.take(found, wanted)
            }
            ("pthread_mutex_unlock" | "pthread_spin_unlock", [mutex]) => {
                let found = self.mutexes(mutex, opaque)?;
                self.give_back(found, "unlocks a mutex that the thread does not hold", wanted, at)
            }
            ("pthread_mutex_trylock" | "pthread_spin_trylock", [mutex]) => {
                let found = self.mutexes(mutex, opaque)?;
                let result = self.result_if(wanted != Wanted::Nothing);
                self.act_on_mutex(found, |mutex, _| mutex.try_lock(Expr::Int(BUSY), result));
                result_value(result, BUSY)
            }
            ("pthread_mutex_timedlock", [mutex, until]) => {
                let found = self.mutexes(mutex, opaque)?;
                self.eval_and_discard(until)?;
                let result = self.result_if(wanted != Wanted::Nothing);
                self.act_on_mutex(found, |mutex, _| mutex.try_lock(mutex.too_late(), result));
                result_value(result, TIMED_OUT)
            }
            ("pthread_mutex_init" | "pthread_spin_init", [mutex, attributes]) => {
                self.init_mutex(mutex, attributes, opaque, at)?;
                Value::constant(CType::INT, 0)
            }
            ("pthread_mutex_destroy" | "pthread_spin_destroy", [mutex]) => {
                let found = self.mutexes(mutex, opaque)?;
                let check = self.misuse("destroys a mutex that is locked", at);
                self.act_on_mutex(found, |mutex, _| vec![Op::Check(mutex.is_free(), check)]);
                Value::constant(CType::INT, 0)
            }
            ("pthread_mutexattr_init", [attributes]) => {
                self.set_attribute(attributes, Opaque::MutexAttributes, Expr::Int(0))?;
                Value::constant(CType::INT, 0)
            }
            ("pthread_mutexattr_settype", [attributes, kind]) => self.set_type(attributes, kind, at)?,
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// A check that the thread library is used as it may be.
    pub(super) fn misuse(&mut self, what: &str, at: TreeSpan) -> CheckId {
        let message = format!("`{}` {what}", self.origin.text(at));
        self.builder.check(Check { kind: CheckKind::Bounds, message, span: Some(self.span(at)) })
    }

    fn result_if(&mut self, is_wanted: bool) -> Option<VarId> {
        is_wanted.then(|| self.temporary(Sort::Int))
    }

    /// All mutexes that an expression may point to.
    pub(super) fn mutexes(&mut self, mutex: &'a Node<Expression>, opaque: Opaque) -> Lowered<Mutexes> {
        let pointer = self.eval(mutex)?;
        let base = self.dereference(pointer, mutex, mutex.span)?;
        let base = Lvalue { ty: CType::Opaque(opaque), ..base };
        let owners = self.cells(&base, mutex.span)?;
        let kind_of = |cell: &Cell| Target { offset: cell.target.offset + MUTEX_KIND, ..cell.target };
        let is_plain = |cell: &Cell| opaque == Opaque::Spin || !self.facts.is_detail_used(kind_of(cell));
        let are_plain: Vec<bool> = owners.cells.iter().map(is_plain).collect();
        if are_plain.iter().all(|&is_plain| is_plain) {
            let plain = |cell: &Cell| Mutex { owner: cell.place.clone(), details: None };
            return Ok(Mutexes { mutexes: owners.cells.iter().map(plain).collect(), owners });
        }
        let [kinds, counts] = [MUTEX_KIND, MUTEX_COUNT].map(|distance| {
            let part = self.part(base.clone(), distance, CType::Opaque(Opaque::MutexDetail));
            Ok(self.cells(&part, mutex.span)?.cells)
        });
        let (kinds, counts) = (kinds?, counts?);
        let details = |cell: &Cell| {
            let kind = cell.part_behind(MUTEX_KIND, &kinds)?;
            Some((kind, cell.part_behind(MUTEX_COUNT, &counts)?))
        };
        let mut mutexes = Vec::new();
        for (cell, is_plain) in owners.cells.iter().zip(are_plain) {
            let details = if is_plain { None } else { details(cell) };
            if !is_plain && details.is_none() {
                return self.refuse(mutex.span, "a mutex inside of something else");
            }
            mutexes.push(Mutex { owner: cell.place.clone(), details });
        }
        Ok(Mutexes { owners, mutexes })
    }

    /// Does something to whichever mutex it is, in one step.
    fn act_on_mutex(&mut self, found: Mutexes, ops: impl Fn(&Mutex, &Cell) -> Vec<Op>) {
        let Mutexes { owners, mutexes } = found;
        self.act_atomically(owners, &[], |cell| {
            let of_cell = mutexes.iter().find(|mutex| mutex.owner == cell.place);
            of_cell.map(|mutex| ops(mutex, cell)).unwrap_or_default()
        });
    }

    pub(super) fn take(&mut self, found: Mutexes, wanted: Wanted) -> Value {
        let result = self.result_if(wanted != Wanted::Nothing && !found.are_normal());
        self.act_on_mutex(found, |mutex, _| mutex.lock(result));
        result_value(result, DEADLOCK)
    }

    pub(super) fn give_back(&mut self, found: Mutexes, misuse: &str, wanted: Wanted, at: TreeSpan) -> Value {
        let result = self.result_if(wanted != Wanted::Nothing && !found.are_normal());
        let check = self.misuse(misuse, at);
        self.act_on_mutex(found, |mutex, _| mutex.unlock(result, check));
        result_value(result, NOT_OWNER)
    }

    fn init_mutex(
        &mut self,
        mutex: &'a Node<Expression>,
        attributes: &'a Node<Expression>,
        opaque: Opaque,
        at: TreeSpan,
    ) -> Lowered<()> {
        let kind = match opaque {
            Opaque::Mutex => self.attribute(attributes, Opaque::MutexAttributes)?,
            _ => {
                self.eval_and_discard(attributes)?;
                Expr::Int(0)
            }
        };
        let found = self.mutexes(mutex, opaque)?;
        if kind != Expr::Int(0) && !self.flow.is_dead() {
            for cell in &found.owners.cells {
                let detail = Target { offset: cell.target.offset + MUTEX_KIND, ..cell.target };
                self.facts.use_detail(detail);
            }
        }
        let check = self.misuse("sets up a mutex that is locked", at);
        let copied: Vec<Target> = found.owners.cells.iter().map(|cell| cell.target).collect();
        let copied: Vec<Target> =
            copied.into_iter().filter(|&target| self.facts.is_copied_mutex(target)).collect();
        self.act_on_mutex(found, |mutex, cell| mutex.init(&kind, copied.contains(&cell.target), check));
        Ok(())
    }

    /// `pthread_mutexattr_settype`.
    fn set_type(
        &mut self,
        attributes: &'a Node<Expression>,
        kind: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let kind = self.eval(kind)?;
        let kind = self.convert(kind, &CType::INT, at)?;
        let kind = self.settle(kind);
        let number = self.number(&kind);
        let normal = fold::or(fold::is(number.clone(), 0), fold::is(number.clone(), ADAPTIVE));
        let valid = fold::between(number.clone(), 0, ADAPTIVE);
        let own = fold::ite(normal, Expr::Int(0), number);
        if valid == Expr::Bool(true) {
            self.set_attribute(attributes, Opaque::MutexAttributes, own)?;
        } else if valid == Expr::Bool(false) {
            self.eval_and_discard(attributes)?;
        } else {
            let Ways { holds, fails } = self.branch_on(Value::truth(CType::INT, valid.clone()));
            self.flow = holds;
            self.set_attribute(attributes, Opaque::MutexAttributes, own)?;
            self.join_here(fails)?;
        }
        let result = fold::ite(valid, Expr::Int(0), Expr::Int(INVALID));
        Ok(Value { depth: 3, ..Value::number(CType::INT, result, Range { low: 0, high: INVALID }) })
    }

    /// Notes what is stored where the library keeps something.
    pub(super) fn note_library(&mut self, ty: &CType, found: &Cells, value: &Value) {
        if self.flow.is_dead() {
            return;
        }
        if *ty.unqualified() == CType::Opaque(Opaque::Thread) {
            self.note_stored_handle(value);
        }
        let is_mutex = matches!(ty.unqualified(), CType::Opaque(Opaque::Mutex | Opaque::Spin));
        let is_used = ty.is_detail() && value.as_constant() != Some(0);
        for cell in &found.cells {
            if is_mutex {
                self.facts.copy_mutex(cell.target);
            }
            if is_used {
                self.facts.use_detail(cell.target);
            }
        }
    }

    /// Sets what attributes hold.
    pub(super) fn set_attribute(
        &mut self,
        attributes: &'a Node<Expression>,
        opaque: Opaque,
        value: Expr,
    ) -> Lowered<()> {
        let pointer = self.eval(attributes)?;
        let base = self.dereference(pointer, attributes, attributes.span)?;
        let place = Lvalue { ty: CType::Opaque(opaque), ..base };
        if value == Expr::Int(0) && !self.may_be_set(&place) {
            self.settle_lvalue(place);
            return Ok(());
        }
        let range = Range::of(crate::types::IntKind::UnsignedInt.int_type());
        let value = Value::number(CType::SIZE, value, range);
        self.write(&place, value, attributes.span)
    }

    /// What the attributes behind a pointer hold; zero if it is null.
    pub(super) fn attribute(&mut self, pointer: &'a Node<Expression>, opaque: Opaque) -> Lowered<Expr> {
        let pointer_value = self.eval(pointer)?;
        let pointer_value = self.settle_shared(pointer_value);
        self.attribute_behind(pointer_value, pointer.span, opaque)
    }

    pub(super) fn attribute_behind(&mut self, pointer: Value, at: TreeSpan, opaque: Opaque) -> Lowered<Expr> {
        let place = self.place_behind(pointer.clone(), CType::Opaque(opaque));
        if pointer.as_constant() == Some(0) || !self.may_be_set(&place) {
            self.emit_guards(pointer.guards);
            return Ok(Expr::Int(0));
        }
        let held = self.temporary(Sort::Int);
        let Ways { holds, fails } = self.branch_on(pointer);
        self.flow = fails;
        self.emit(vec![Op::assign(Place::Scalar(held), Expr::Int(0))]);
        let without = std::mem::replace(&mut self.flow, holds);
        if !self.flow.is_dead() {
            let value = self.read_scalar(place, at)?;
            let number = self.number(&value);
            let mut ops = self.guard_ops(value.guards);
            ops.push(Op::assign(Place::Scalar(held), number));
            self.emit(ops);
        }
        self.join_here(without)?;
        Ok(Expr::Var(held))
    }

    /// Whether attributes may hold anything but zero.
    fn may_be_set(&self, place: &Lvalue) -> bool {
        let targets = match &place.address {
            crate::value::Address::Known(known) => vec![self.facts.target(known.object, known.offset)],
            crate::value::Address::Computed(_, targets) => targets.clone(),
        };
        targets.into_iter().any(|target| self.facts.is_detail_used(target))
    }

    /// The kind of a mutex with this initializer of the library; zero for whatever else is
    /// initialized so.
    pub(super) fn library_initializer(
        &mut self,
        opaque: Opaque,
        items: &'a [Node<InitializerListItem>],
        at: TreeSpan,
    ) -> Lowered<i128> {
        let mut values = Vec::new();
        self.library_values(items, &mut Vec::new(), &mut values, at)?;
        let mut set = values.into_iter().filter(|(_, value)| *value != 0);
        let Some((path, kind)) = set.next() else { return Ok(0) };
        let is_kind = opaque == Opaque::Mutex && path == [0, KIND_IN_INITIALIZER] && set.next().is_none();
        match kind {
            ADAPTIVE if is_kind => Ok(0),
            RECURSIVE | ERROR_CHECKING if is_kind => Ok(kind),
            _ if is_kind => self.refuse(at, special_kind(kind)),
            _ => {
                let ty = self.facts.records.display(&CType::Opaque(opaque));
                self.refuse(at, format!("a `{ty}` whose initializer is not one of the library's"))
            }
        }
    }

    /// The values of an initializer of the library, each with where it stands.
    fn library_values(
        &mut self,
        items: &'a [Node<InitializerListItem>],
        path: &mut Vec<usize>,
        values: &mut Vec<(Vec<usize>, i128)>,
        at: TreeSpan,
    ) -> Lowered<()> {
        for (index, item) in items.iter().enumerate() {
            if !item.node.designation.is_empty() {
                return self.refuse(at, "an initializer that names the members of a type of the library");
            }
            path.push(index);
            match &item.node.initializer.node {
                Initializer::List(inner) => self.library_values(inner, path, values, at)?,
                Initializer::Expression(expression) => {
                    let value = self.type_of(expression)?;
                    let number = value.as_constant().filter(|_| value.targets.is_empty());
                    let Some(number) = number else {
                        return self.refuse(at, "an initializer of the library that is computed");
                    };
                    values.push((path.clone(), number));
                }
            }
            path.pop();
        }
        Ok(())
    }

    /// Gives a mutex a kind where it is declared.
    pub(super) fn set_kind(&mut self, mutex: &Lvalue, kind: i128, at: TreeSpan) -> Lowered<()> {
        let ty = CType::Opaque(Opaque::MutexDetail);
        let place = self.part(mutex.clone(), MUTEX_KIND, ty.clone());
        self.write(&place, Value::constant(ty, kind), at)
    }
}

/// What glibc means by a kind that is none of the usual ones.
fn special_kind(kind: i128) -> &'static str {
    match kind {
        _ if kind & 16 != 0 => "a robust mutex",
        _ if kind & 32 != 0 => "a mutex that hands on priorities",
        _ if kind & 64 != 0 => "a mutex with a ceiling of priorities",
        _ if kind & 128 != 0 => "a mutex of several processes",
        _ => "a mutex of an unknown kind",
    }
}

/// What a call yields: 0 unless a variable holds it.
fn result_value(result: Option<VarId>, failure: i128) -> Value {
    match result {
        Some(result) => Value::number(CType::INT, Expr::Var(result), Range { low: 0, high: failure }),
        None => Value::constant(CType::INT, 0),
    }
}
