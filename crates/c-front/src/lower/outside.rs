//! Memory that does not belong to the program: the texts of the command line, what the library hands out, and
//! variables that are defined in other files.
//!
//! All of it is one object of unknown size. What is read there is any value each time, not known exactly; what
//! is written there is forgotten. Where it is accessed is not known either: each access is one to some cell of an
//! array, so that two of them may race, and nobody knows whether they do. A pointer that is read there is null or points there again, unless the
//! program has stored other addresses there. The vector of the command line is an exception: as many of its
//! pointers as `argc` says lead to texts, and the next one is null.

use super::access::Cells;
use super::cell::{Bytes, Cell};
use super::threads::Obligation;
use super::{Lowered, Lowering};
use crate::facts::{OUTSIDE_BYTES, ObjectKey, Storage};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind};
use crate::value::{Address, Guard, Known, Lvalue, ObjectId, Target, Value};
use lang_c::span::Span as TreeSpan;
use rely_base::Diagnostic;
use rely_program::{BinaryOp, CheckKind, Domain, Expr, Op, Place, Sort, VarId};
use std::rc::Rc;

/// The texts of the command line, and the library's own memory.
const MEMORY: &str = "memory of the library";
/// The library's memory of the thread that asks for it, as `errno`.
const OWN_MEMORY: &str = "memory of the library for a thread";
/// The pointers to the texts of the command line.
const ARGUMENTS: &str = "argv";
/// Two accesses may be to the same cell or not.
const CELLS: u64 = 2;

impl<'a, 'f> Lowering<'a, 'f> {
    fn outside_object(&mut self, name: &'static str, at: TreeSpan) -> Lowered<ObjectId> {
        let ty = CType::Array(Rc::new(CType::Int(IntKind::Char)), Some(CELLS));
        self.object(ObjectKey::Outside(name), name.to_owned(), ty, Storage::Global, at)
    }

    /// A variable of another file, or of the library.
    pub(super) fn outside_place(&mut self, ty: CType, at: TreeSpan) -> Lowered<Lvalue> {
        let object = self.outside_object(MEMORY, at)?;
        Ok(Lvalue { ty, address: Address::Known(Known::start_of(object)), guards: Vec::new() })
    }

    /// The address of memory outside.
    pub(super) fn outside_address(&mut self, ty: CType, at: TreeSpan) -> Lowered<Value> {
        let object = self.outside_object(MEMORY, at)?;
        Ok(Value::pointer(ty, Known::start_of(object)))
    }

    /// The value of `argv`.
    pub(super) fn command_line(&mut self, ty: CType, at: TreeSpan) -> Lowered<Value> {
        let object = self.outside_object(ARGUMENTS, at)?;
        Ok(Value::pointer(ty, Known::start_of(object)))
    }

    /// The address of memory outside that no other thread uses.
    pub(super) fn own_outside_address(&mut self, ty: CType, at: TreeSpan) -> Lowered<Value> {
        let object = self.outside_object(OWN_MEMORY, at)?;
        Ok(Value::pointer(ty, Known::start_of(object)))
    }

    /// Null, or the address of memory outside.
    pub(super) fn outside_or_null(&mut self, ty: CType, construct: &str, at: TreeSpan) -> Lowered<Value> {
        let outside = self.outside_address(ty, at)?;
        let exists = self.approximate_truth(construct, at);
        Ok(self.value_or_null(outside, exists))
    }

    /// A pointer, or null if a condition does not hold.
    pub(super) fn value_or_null(&mut self, pointer: Value, exists: Expr) -> Value {
        let targets = self.pointed_to(&pointer);
        let address = fold::ite(exists, self.number(&pointer), Expr::Int(0));
        let range = Range { low: 0, high: i128::from(u64::MAX) };
        Value { targets, guards: pointer.guards, depth: 4, ..Value::number(pointer.ty, address, range) }
    }

    /// The only cell of memory outside, at a known address.
    pub(super) fn outside_cells(&mut self, object: ObjectId, ty: &CType, at: TreeSpan) -> Lowered<Cells> {
        let mut cell = self.outside_cell(object, &Expr::Int(0), ty, at);
        cell.condition = Expr::Bool(true);
        let span = Some(self.span(at));
        let valid =
            Guard { kind: CheckKind::Bounds, condition: Expr::Bool(true), message: String::new(), span };
        Ok(Cells { guards: Vec::new(), cells: vec![cell], valid, is_step: false })
    }

    pub(super) fn outside_cell(
        &mut self,
        object: ObjectId,
        address: &Expr,
        ty: &CType,
        at: TreeSpan,
    ) -> Cell {
        if let CType::Opaque(_) = ty.unqualified() {
            let ty = self.facts.records.display(ty);
            let message = format!("a `{ty}` that is defined elsewhere is not supported");
            let error = Diagnostic::error(message).at(self.span(at), "here");
            self.obligations.push(Obligation::Never(error));
        }
        let kind = ty.scalar().unwrap_or(IntKind::Int);
        let start = self.facts.address_of(object);
        let condition = fold::between(address.clone(), start, start + i128::from(OUTSIDE_BYTES) - 1);
        let target = Target { object, offset: 0 };
        if !self.may_race_outside(target) {
            let place = Place::Scalar(self.approximation(kind.sort(), MEMORY, at));
            return Cell { condition, place, target, kind, bytes: None };
        }
        let place = self.some_cell_outside(target, at);
        let bytes = Some(Bytes::at(&CType::Int(IntKind::Char), &place, 1));
        Cell { condition, place, target, kind: IntKind::Char, bytes }
    }

    /// Whether other threads may write to this memory, as far as the walk knows. Pointers on the command line are
    /// seldom changed.
    fn may_race_outside(&self, target: Target) -> bool {
        match &self.facts.object(target.object).key {
            _ if !self.facts.has_threads() => false,
            ObjectKey::Outside(OWN_MEMORY) => false,
            ObjectKey::Outside(ARGUMENTS) => self.facts.is_blurred(target),
            _ => true,
        }
    }

    /// A cell of memory outside, nobody knows which.
    fn some_cell_outside(&mut self, target: Target, at: TreeSpan) -> Place {
        let any = Domain::Range { low: 0, high: i128::from(CELLS) - 1 };
        let index = self.approximate_within(Sort::Int, any, MEMORY, at);
        Place::Element(self.variable(target), index)
    }

    /// Reads memory outside, of which the value does not matter.
    fn look_outside(&mut self, found: &Cells, kind: IntKind) {
        let mut ops = self.guard_ops(found.all_guards());
        for cell in found.cells.iter().filter(|cell| cell.bytes.is_some()) {
            ops.push(Op::assign(Place::Scalar(self.temporary(kind.sort())), cell.load(kind)));
        }
        self.emit(ops);
    }

    /// A function writes to memory outside.
    pub(super) fn write_outside(&mut self, object: ObjectId, at: TreeSpan) {
        let target = Target { object, offset: 0 };
        self.facts.blur(target);
        if self.may_race_outside(target) {
            let place = self.some_cell_outside(target, at);
            self.emit(vec![Op::assign(place, Expr::Int(0))]);
        }
    }

    /// A function writes to memory of the library to which it returns a pointer.
    pub(super) fn write_library_memory(&mut self, at: TreeSpan) -> Lowered<()> {
        let object = self.outside_object(MEMORY, at)?;
        if !self.is_silent {
            self.write_outside(object, at);
        }
        Ok(())
    }

    /// Whether an address may be one of many that all have the same number here.
    pub(super) fn may_be_outside(&self, value: &Value) -> bool {
        let key = ObjectKey::Outside(MEMORY);
        self.pointed_to(value).iter().any(|target| self.facts.object(target.object).key == key)
    }

    /// Whether a pointer leads nowhere but outside.
    pub(super) fn is_outside_only(&self, value: &Value) -> bool {
        let targets = self.pointed_to(value);
        !targets.is_empty() && targets.iter().all(|target| self.facts.is_outside(target.object))
    }

    /// Whether the contents of a place are not followed.
    pub(super) fn is_vague(&self, cell: &Cell) -> bool {
        self.facts.is_outside(cell.target.object) || self.facts.is_blurred(cell.target)
    }

    /// The value in one of several places, not all of which are followed: what is read there has to be
    /// looked at, because others may write there, but is not what comes out.
    pub(super) fn read_vaguely(
        &mut self,
        lvalue: &Lvalue,
        ty: CType,
        found: Cells,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if let [cell] = found.cells.as_slice()
            && self.facts.object(cell.target.object).key == ObjectKey::Outside(ARGUMENTS)
        {
            return self.read_argument(lvalue, ty, found, at);
        }
        let mut stored = Vec::new();
        for cell in &found.cells {
            stored = crate::value::merge_targets(&stored, &self.facts.targets_of(cell.target));
        }
        let is_outside = found.cells.iter().all(|cell| self.facts.is_outside(cell.target.object));
        let kind = ty.scalar().unwrap_or(IntKind::Int);
        match is_outside {
            true => self.look_outside(&found, kind),
            false => _ = self.read_by_choice(ty.clone(), kind, found, stored.clone()),
        }
        let construct = if is_outside { MEMORY } else { "what the library writes" };
        if ty.is_float() {
            return Ok(Value::floating(ty, None));
        }
        match ty.is_pointer() && is_outside && stored.is_empty() {
            true => self.outside_or_null(ty, construct, at),
            false => Ok(Value { targets: stored, ..self.approximate(&ty, construct, at) }),
        }
    }

    /// `argv[i]`: a text, or null for `i == argc`.
    fn read_argument(&mut self, lvalue: &Lvalue, ty: CType, found: Cells, at: TreeSpan) -> Lowered<Value> {
        if self.may_race_outside(found.cells[0].target) {
            self.look_outside(&found, ty.scalar().unwrap_or(IntKind::Int));
        }
        if !ty.is_pointer() || !self.facts.targets_of(found.cells[0].target).is_empty() {
            self.emit_guards(found.all_guards());
            let targets = self.facts.targets_of(found.cells[0].target);
            return Ok(Value { targets, ..self.approximate(&ty, "the command line", at) });
        }
        let address = match &lvalue.address {
            Address::Known(known) => self.known_address(known),
            Address::Computed(address, _) => address.clone(),
        };
        let object = found.cells[0].target.object;
        let start = Expr::Int(self.facts.address_of(object));
        let count = Expr::Var(self.argument_count());
        let end = fold::add(start, fold::scale(8, count));
        let is_text = fold::binary(BinaryOp::Lt, address, end);
        let text = self.outside_address(ty, at)?;
        let value = self.value_or_null(text, is_text);
        Ok(Value { guards: found.all_guards(), ..value })
    }

    /// The number of texts on the command line, which `main` may change in its parameter.
    fn argument_count(&mut self) -> VarId {
        let place = Target { object: self.argument_count_object(), offset: 0 };
        let var = self.variable(place);
        self.builder.set_atomic_var(var);
        var
    }

    fn argument_count_object(&mut self) -> ObjectId {
        let key = ObjectKey::Global("argc of the program".to_owned());
        let (name, ty) = ("argc".to_owned(), CType::INT);
        self.facts.add_object(key, name, ty, Storage::Global, None).expect("a number has a size")
    }

    /// Chooses how many texts are on the command line.
    pub(super) fn any_argument_count(&mut self) -> Expr {
        let count = self.argument_count();
        let domain = Domain::Range { low: 0, high: i128::from(i32::MAX) };
        self.emit(vec![Op::Havoc(Place::Scalar(count), domain)]);
        Expr::Var(count)
    }
}
