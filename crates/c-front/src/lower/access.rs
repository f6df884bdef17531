//! Reading and writing memory.
//!
//! Through a pointer that is computed at run time, an access is a choice between the places
//! that it may point to, by the number that stands for each of them; a number that stands for
//! none is an invalid access.

use super::cell::{Bytes, Cell, View, covering, is_meant, view};
use super::threads::Obligation;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::layout::{Dimension, Leaf, Unsupported};
use crate::types::{CType, IntKind, Opaque};
use crate::value::{Address, Guard, Kind, Known, Lvalue, ObjectId, Target, Targets, Value, merge_targets};
use lang_c::span::Span as TreeSpan;
use rely_base::Diagnostic;
use rely_program::{BinaryOp, CheckKind, Expr, Op, Place, Sort};

/// All places that an lvalue may mean, and what must hold before they are looked at.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    pub(super) guards: Vec<Guard>,
    pub(super) cells: Vec<Cell>,
    /// The guard that one of several conditions holds.
    pub(super) valid: Guard,
    /// Whether one of them is shared and the access is a step of its own.
    pub(super) is_step: bool,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// The value in a place.
    pub(super) fn read(&mut self, lvalue: Lvalue, at: TreeSpan) -> Lowered<Value> {
        let ty = lvalue.ty.unqualified().clone();
        match &ty {
            CType::Array(element, _) => Ok(self.address_value(lvalue, (**element).clone())),
            CType::Function(_) => Ok(self.address_value(lvalue, ty.clone())),
            CType::Record(_) if lvalue.ty.is_atomic() => {
                let copy = self.load_atomically(lvalue, at)?;
                Ok(Value::record(ty, copy))
            }
            CType::Record(_) => Ok(Value::record(ty, lvalue)),
            CType::Opaque(Opaque::Thread) => self.read_scalar(lvalue, at),
            CType::Opaque(_) => Ok(Value::record(ty, lvalue)),
            CType::Float(_) => self.refuse(at, "floating-point arithmetic"),
            CType::Void => self.error(at, "a value of type `void` is used"),
            _ => self.read_scalar(lvalue, at),
        }
    }

    /// The address of a place, as a pointer to `target`.
    pub(super) fn address_value(&mut self, lvalue: Lvalue, target: CType) -> Value {
        let ty = CType::pointer_to(target);
        let mut value = match lvalue.address {
            Address::Known(known) => Value::pointer(ty, known),
            Address::Computed(expr, targets) => {
                let range = match expr {
                    Expr::Int(constant) => Range::exactly(constant),
                    _ => Range { low: 0, high: i128::from(u64::MAX) },
                };
                Value { targets, depth: 6, ..Value::number(ty, expr, range) }
            }
        };
        value.guards = lvalue.guards;
        value
    }

    pub(super) fn read_scalar(&mut self, lvalue: Lvalue, at: TreeSpan) -> Lowered<Value> {
        let ty = match lvalue.ty.unqualified() {
            CType::Opaque(Opaque::Thread) => CType::SIZE,
            CType::BitField(bits) => match bits.promoted() {
                Some(kind) => CType::Int(kind),
                None => return self.refuse(at, "a bit-field wider than `int` and narrower than `long`"),
            },
            other => other.clone(),
        };
        let found = self.cells(&lvalue, at)?;
        self.note_read(&found);
        let unusual = self.unusual_atomicity(&lvalue, &found);
        let mut targets = Targets::new();
        for cell in &found.cells {
            targets = merge_targets(&targets, &self.facts.targets_of(cell.target));
        }
        let kind = match lvalue.ty.unqualified() {
            CType::BitField(bits) => bits.kind,
            _ => ty.scalar().unwrap_or(IntKind::Int),
        };
        let value = match found.cells.as_slice() {
            [] => Value { guards: found.all_guards(), ..Value::constant(ty, 0) },
            [cell] => {
                let value = read_as(ty, kind, cell);
                Value { guards: found.all_guards(), reads_shared: found.is_step, ..value }
            }
            _ if found.is_step => {
                let read = |lowering: &mut Self| lowering.read_by_choice(ty, kind, found, targets);
                return Ok(self.with_atomicity(unusual, read));
            }
            _ => {
                let guards = found.all_guards();
                let read = |cell: &Cell| read_as(ty.clone(), kind, cell);
                let mut cells = found.cells.iter().rev();
                let last = cells.next().map_or_else(|| Value::constant(ty.clone(), 0), read);
                let chosen = cells.fold(last, |rest, cell| choose(cell.condition.clone(), read(cell), rest));
                Value { guards, ..chosen }
            }
        };
        let value = Value { targets, ..value };
        // The edge that reads it says how, so that it reads nothing else.
        match unusual {
            None => Ok(value),
            unusual => Ok(self.with_atomicity(unusual, |lowering| lowering.settle_shared(value))),
        }
    }

    /// Whether an access to memory that others see is atomic, if that is not what its variables say.
    pub(super) fn unusual_atomicity(&self, lvalue: &Lvalue, found: &Cells) -> Option<bool> {
        let is_atomic = self.is_atomic_call || lvalue.ty.is_atomic();
        let is_opaque = matches!(lvalue.ty.unqualified(), CType::Opaque(_));
        let variables = self.builder.program().vars();
        let differs = |cell: &Cell| variables[cell.place.var()].atomic != is_atomic;
        (found.is_step && !is_opaque && found.cells.iter().any(differs)).then_some(is_atomic)
    }

    /// Reads one of several places in one step.
    fn read_by_choice(&mut self, ty: CType, kind: IntKind, found: Cells, targets: Targets) -> Value {
        let temporary = self.temporary(kind.sort());
        let mut choices = Vec::new();
        for cell in &found.cells {
            let mut ops = self.guard_ops(found.guards.clone());
            ops.push(Op::wait(cell.condition.clone()));
            ops.push(Op::assign(Place::Scalar(temporary), cell.load(kind)));
            choices.push(ops);
        }
        choices.push(self.invalid_access(&found));
        self.emit_choice(choices);
        let range = Range::of(kind.int_type());
        let value = match kind {
            IntKind::Bool => Value::truth(ty, Expr::Var(temporary)),
            _ => Value::number(ty, Expr::Var(temporary), range),
        };
        Value { targets, ..value }
    }

    /// What happens if a pointer points to none of the places.
    pub(super) fn invalid_access(&mut self, found: &Cells) -> Vec<Op> {
        let mut ops = self.guard_ops(found.guards.clone());
        ops.push(Op::wait(fold::not(found.valid.condition.clone())));
        let failing = Guard { condition: Expr::Bool(false), ..found.valid.clone() };
        ops.extend(self.guard_ops(vec![failing]));
        ops
    }

    /// Stores a value, already converted to the type of the place.
    pub(super) fn write(&mut self, lvalue: &Lvalue, value: Value, at: TreeSpan) -> Lowered<()> {
        let found = self.cells(lvalue, at)?;
        let value = if found.is_step { self.settle_shared(value) } else { value };
        let targets = self.pointed_to(&value);
        self.note_stored(&found, &targets);
        self.note_library(&lvalue.ty, &found, &value);
        let expr = self.storable(&value);
        let kind = lvalue.ty.scalar().unwrap_or(IntKind::Int);
        let unusual = self.unusual_atomicity(lvalue, &found).or(self.atomicity);
        self.with_atomicity(unusual, |lowering| {
            if found.is_step && found.cells.iter().any(Cell::is_partial) {
                return lowering.write_beside(found, &value.guards, kind, &expr);
            }
            lowering.act_on(found, &value.guards, |cell| vec![Op::Assign(cell.store(kind, expr.clone()))]);
        });
        Ok(())
    }

    /// Stores a bit-field that other threads see: its bytes are read in one step and written in another.
    fn write_beside(&mut self, found: Cells, guards: &[Guard], kind: IntKind, expr: &Expr) {
        let most = found.cells.iter().map(|cell| cell.places().len()).max().unwrap_or(0);
        let before: Vec<_> = (0..most).map(|_| self.temporary(Sort::Int)).collect();
        self.act_on(found.clone(), &[], |cell| {
            let reads = before.iter().zip(cell.places());
            vec![Op::Assign(reads.map(|(&kept, place)| (Place::Scalar(kept), place.read())).collect())]
        });
        let before: Vec<Expr> = before.into_iter().map(Expr::Var).collect();
        self.act_on(found, guards, |cell| vec![Op::Assign(cell.store_beside(kind, expr.clone(), &before))]);
    }

    /// Notes that the places are read, for other rounds.
    pub(super) fn note_read(&mut self, found: &Cells) {
        if !self.flow.is_dead() {
            found.cells.iter().for_each(|cell| self.facts.read(cell.target));
        }
    }

    /// Notes what is stored in the places, for other rounds.
    pub(super) fn note_stored(&mut self, found: &Cells, targets: &Targets) {
        if self.flow.is_dead() {
            return;
        }
        for cell in &found.cells {
            self.facts.store(cell.target, targets);
        }
        if targets.iter().any(|target| self.facts.is_of_thread(target.object)) {
            self.assume("pointers-to-live-variables");
        }
    }

    /// The value as a variable of its type holds it: a condition for `_Bool`, else a number.
    pub(super) fn storable(&mut self, value: &Value) -> Expr {
        match value.ty.scalar() {
            Some(IntKind::Bool) => self.condition(value),
            _ => self.number(value),
        }
    }

    /// One step that does something to the place, whichever it is.
    pub(super) fn act_on(&mut self, found: Cells, guards: &[Guard], ops_for: impl Fn(&Cell) -> Vec<Op>) {
        if let [cell] = found.cells.as_slice() {
            let mut ops = self.guard_ops(found.all_guards());
            ops.extend(self.guard_ops(guards.to_vec()));
            ops.extend(ops_for(cell));
            self.emit(ops);
            return;
        }
        let mut choices = Vec::new();
        for cell in &found.cells {
            let mut ops = self.guard_ops(found.guards.clone());
            ops.push(Op::wait(cell.condition.clone()));
            ops.extend(self.guard_ops(guards.to_vec()));
            ops.extend(ops_for(cell));
            choices.push(ops);
        }
        choices.push(self.invalid_access(&found));
        self.emit_choice(choices);
    }

    /// [`act_on`](Self::act_on) as one atomic operation.
    pub(super) fn act_atomically(
        &mut self,
        found: Cells,
        guards: &[Guard],
        ops_for: impl Fn(&Cell) -> Vec<Op>,
    ) {
        self.with_atomicity(Some(true), |lowering| lowering.act_on(found, guards, ops_for));
    }

    /// All places that an lvalue of scalar type may mean.
    pub(super) fn cells(&mut self, lvalue: &Lvalue, at: TreeSpan) -> Lowered<Cells> {
        let described = self.origin.text(at);
        let mut found = match &lvalue.address {
            Address::Known(known) => match self.known_cell(known, lvalue, &described, at)? {
                Some(found) => found,
                None => {
                    let targets = self.facts.targets_of_known(known);
                    let address = self.known_address(known);
                    self.computed_cells(address, &targets, lvalue, &described, at)?
                }
            },
            Address::Computed(address, targets) => {
                self.computed_cells(address.clone(), &targets.clone(), lvalue, &described, at)?
            }
        };
        let size = self.facts.records.size_of(&lvalue.ty).unwrap_or(1);
        for cell in found.cells.clone() {
            let object = cell.target.object;
            if self.facts.allocation(object).is_some() || self.facts.length(object).is_some() {
                let address = self.address_number(&lvalue.address);
                found.guards.extend(self.allocation_guards(object, &cell.condition, &address, size, at));
                found.guards.extend(self.length_guard(object, &cell.condition, &address, size, at));
            }
        }
        found.guards.splice(0..0, lvalue.guards.iter().cloned());
        let shared = |cell: &Cell| self.facts.is_shared(cell.target.object);
        found.is_step = !self.in_atomic() && found.cells.iter().any(shared);
        Ok(found)
    }

    /// The number of an address.
    fn address_number(&mut self, address: &Address) -> Expr {
        match address {
            Address::Known(known) => self.known_address(known),
            Address::Computed(expr, _) => expr.clone(),
        }
    }

    /// The cell at a known address; `None` if that needs a look at the whole object.
    fn known_cell(
        &mut self,
        known: &Known,
        lvalue: &Lvalue,
        described: &str,
        at: TreeSpan,
    ) -> Lowered<Option<Cells>> {
        let object = self.facts.object(known.object);
        let (leaves, whole) = (object.leaves.clone(), self.facts.records.size_of(&object.ty).unwrap_or(0));
        let found = leaves.iter().find_map(|leaf| Some((leaf, indices_in(leaf, known, whole)?)));
        let Some((leaf, indices)) = found else {
            return self.nothing_at(known, lvalue, at);
        };
        let place = match view(&lvalue.ty, leaf) {
            Some(View::Whole) => Some((1, None)),
            Some(View::Bytes(count)) if fits_in_row(leaf, &indices, count) => Some((count, Some(count))),
            _ => None,
        };
        let Some((cells, bytes)) = place else { return self.nothing_at(known, lvalue, at) };
        let span = Some(self.span(at));
        let name = format!("{}{}", self.spelled(&self.facts.object(known.object).name), leaf.path);
        let mut guards = Vec::new();
        for (level, (index, dimension)) in indices.iter().zip(&leaf.dimensions).enumerate() {
            let is_row = bytes.is_some() && level + 1 == leaf.dimensions.len();
            let last = i128::from(dimension.count) - if is_row { i128::from(cells) } else { 1 };
            let message = match leaf.is_raw && is_row {
                true => format!("`{described}` reaches out of `{name}`, which has {} bytes", dimension.count),
                false => format!(
                    "the index in `{described}` is outside of `{name}`, which has {} elements",
                    dimension.count
                ),
            };
            let condition = fold::between(index.clone(), 0, last);
            guards.push(Guard { kind: CheckKind::Bounds, condition, message, span });
        }
        let target = Target { object: known.object, offset: leaf.offset };
        let place = self.place_in(target, leaf, &indices);
        let bytes = bytes.map(|count| Bytes::at(&lvalue.ty, &place, count));
        let cell = Cell { condition: Expr::Bool(true), place, target, kind: leaf.kind, bytes };
        let valid =
            Guard { kind: CheckKind::Bounds, condition: Expr::Bool(true), message: String::new(), span };
        Ok(Some(Cells { guards, cells: vec![cell], valid, is_step: false }))
    }

    /// What an access to a known address finds that no scalar is there for: memory that has to be looked at
    /// differently, from the next round on. `None` if that needs a look at the whole object.
    fn nothing_at(&mut self, known: &Known, lvalue: &Lvalue, at: TreeSpan) -> Lowered<Option<Cells>> {
        let Ok(offset) = u64::try_from(known.offset) else { return Ok(None) };
        if !known.dynamic.is_empty() && !self.is_between_cells(known, offset) {
            return Ok(None);
        }
        if !self.is_inside(known.object, offset, &lvalue.ty) {
            return Ok(None);
        }
        match self.look_at(known.object, offset, &lvalue.ty) {
            Ok(()) => {
                let condition = Expr::Bool(true);
                let valid = Guard { kind: CheckKind::Bounds, condition, message: String::new(), span: None };
                Ok(Some(Cells { guards: Vec::new(), cells: Vec::new(), valid, is_step: false }))
            }
            Err(_) => {
                let leaves = self.facts.object(known.object).leaves.clone();
                self.refuse(at, self.punning(covering(&leaves, offset), &lvalue.ty, known.object))
            }
        }
    }

    /// Whether a computed address may lie between the cells of the memory at its constant part.
    fn is_between_cells(&self, known: &Known, offset: u64) -> bool {
        let leaves = &self.facts.object(known.object).leaves;
        let Some(leaf) = covering(leaves, offset).filter(|leaf| !matches!(leaf.ty, CType::Opaque(_))) else {
            return false;
        };
        let size = leaf.size() as i64;
        (offset as i64 - leaf.offset as i64) % size != 0
            || known.dynamic.iter().any(|(index, stride)| stride.wrapping_mul(factor_of(index)) % size != 0)
    }

    /// Whether a scalar of this type at an offset lies within the object.
    fn is_inside(&self, object: ObjectId, offset: u64, ty: &CType) -> bool {
        let whole = self.facts.records.size_of(&self.facts.object(object).ty).unwrap_or(0);
        let size = self.facts.records.size_of(ty).unwrap_or(0);
        offset.checked_add(size).is_some_and(|end| end <= whole)
    }

    /// Asks for memory that can be accessed as a type at an offset.
    fn look_at(&mut self, object: ObjectId, offset: u64, ty: &CType) -> Result<(), Unsupported> {
        if self.is_silent || self.flow.is_dead() {
            return Ok(());
        }
        let size = self.facts.records.size_of(ty).unwrap_or(1);
        let unqualified = ty.unqualified().clone();
        self.facts.look_at(object, offset, size, &|leaf| is_meant(&unqualified, leaf))
    }

    fn place_in(&mut self, target: Target, leaf: &Leaf, indices: &[Expr]) -> Place {
        let variable = self.variable(target);
        if leaf.dimensions.is_empty() {
            return Place::Scalar(variable);
        }
        let flat = indices.iter().zip(leaf.weights()).fold(Expr::Int(0), |sum, (index, weight)| {
            fold::add(sum, fold::scale(weight as i64, index.clone()))
        });
        Place::Element(variable, flat)
    }

    /// The places that a computed address may mean.
    fn computed_cells(
        &mut self,
        address: Expr,
        targets: &Targets,
        lvalue: &Lvalue,
        described: &str,
        at: TreeSpan,
    ) -> Lowered<Cells> {
        let span = Some(self.span(at));
        let mut cells = Vec::new();
        for &target in targets {
            if let Some(ty) = self.untyped_as(target.object, &lvalue.ty) {
                self.hold(target.object, ty, at)?;
                continue;
            }
            let leaves = self.facts.object(target.object).leaves.clone();
            let exact = leaves.iter().find(|leaf| leaf.offset == target.offset);
            let view = exact.and_then(|leaf| Some((leaf, view(&lvalue.ty, leaf)?)));
            if let Some((leaf, view)) = view {
                cells.push(self.computed_cell(&address, target, leaf, view, &lvalue.ty));
            } else if self.is_inside(target.object, target.offset, &lvalue.ty)
                && self.look_at(target.object, target.offset, &lvalue.ty).is_err()
            {
                let leaf = exact.or_else(|| covering(&leaves, target.offset));
                let message = format!("{} is not supported", self.punning(leaf, &lvalue.ty, target.object));
                let error = Diagnostic::error(message).at(self.span(at), "here");
                self.obligations.push(Obligation::Never(error));
            }
        }
        let condition =
            cells.iter().fold(Expr::Bool(false), |any, cell| fold::or(any, cell.condition.clone()));
        let message = format!("`{described}` accesses memory that is not there");
        let valid = Guard { kind: CheckKind::Bounds, condition, message, span };
        Ok(Cells { guards: Vec::new(), cells, valid, is_step: false })
    }

    /// When an address lies in the array of this leaf, and where.
    fn computed_cell(&mut self, address: &Expr, target: Target, leaf: &Leaf, view: View, ty: &CType) -> Cell {
        let start = self.facts.address_of(target.object) + i128::from(leaf.offset);
        let variable = self.variable(target);
        let count = match view {
            View::Whole => 1,
            View::Bytes(count) => count,
        };
        let mut dimensions = leaf.joined_dimensions();
        if dimensions.is_empty() {
            let condition = fold::binary(BinaryOp::Eq, address.clone(), Expr::Int(start));
            return Cell { condition, place: Place::Scalar(variable), target, kind: leaf.kind, bytes: None };
        }
        let levels = dimensions.len();
        let outermost = dimensions.remove(0);
        let mut condition =
            fold::between(address.clone(), start, start + last_of(&outermost, levels == 1, count));
        let mut rest = fold::binary(BinaryOp::Sub, address.clone(), Expr::Int(start));
        let mut flat = Expr::Int(0);
        for (level, dimension) in std::iter::once(outermost).chain(dimensions).enumerate() {
            let stride = Expr::Int(i128::from(dimension.stride));
            let index = fold::binary(BinaryOp::Div, rest.clone(), stride.clone());
            if level > 0 {
                let last = last_of(&dimension, level + 1 == levels, count);
                condition = fold::and(condition, fold::between(rest.clone(), 0, last));
            }
            flat = fold::add(fold::scale(dimension.count as i64, flat), index);
            rest = fold::binary(BinaryOp::Rem, rest, stride);
        }
        condition = fold::and(condition, fold::binary(BinaryOp::Eq, rest, Expr::Int(0)));
        let place = Place::Element(variable, flat);
        let bytes = (view != View::Whole).then(|| Bytes::at(ty, &place, count));
        Cell { condition, place, target, kind: leaf.kind, bytes }
    }

    fn punning(&self, leaf: Option<&Leaf>, ty: &CType, object: ObjectId) -> String {
        let name = self.spelled(&self.facts.object(object).name);
        let (path, held) = match leaf {
            Some(leaf) => (leaf.path.as_str(), &leaf.ty),
            None => ("", &self.facts.object(object).ty),
        };
        let (held, ty) = (self.facts.records.display(held), self.facts.records.display(ty));
        format!("an access to `{name}{path}`, of type `{held}`, as `{ty}`")
    }
}

impl Cells {
    /// All guards of an access to a single place.
    pub(super) fn all_guards(&self) -> Vec<Guard> {
        self.guards.iter().cloned().chain(std::iter::once(self.valid.clone())).collect()
    }
}

/// The indices of a known address in a leaf, one for each dimension, if its constant part lies
/// in it and each computed part belongs to a dimension. In an object that is all bytes, each does.
fn indices_in(leaf: &Leaf, known: &Known, whole: u64) -> Option<Vec<Expr>> {
    let constant = leaf.indices_at(u64::try_from(known.offset).ok()?)?;
    let mut unused: Vec<&(Expr, i64)> = known.dynamic.iter().collect();
    let mut indices = Vec::with_capacity(constant.len());
    for (index, dimension) in constant.into_iter().zip(&leaf.dimensions) {
        let constant = Expr::Int(i128::from(index));
        let stride = i64::try_from(dimension.stride).ok()?;
        indices.push(match unused.iter().position(|(_, own)| *own == stride) {
            Some(position) => fold::add(unused.remove(position).0.clone(), constant),
            None => constant,
        });
    }
    if !unused.is_empty() && leaf.is_raw && (leaf.offset, leaf.end()) == (0, whole) {
        let moves = unused.drain(..).map(|(index, stride)| fold::scale(*stride, index.clone()));
        let last = indices.pop()?;
        indices.push(moves.fold(last, fold::add));
    }
    unused.is_empty().then_some(indices)
}

/// A number that divides what an index is, if that is seen at once.
fn factor_of(index: &Expr) -> i64 {
    match index {
        Expr::Int(number) => i64::try_from(*number).unwrap_or(1),
        Expr::Binary(BinaryOp::Mul, parts) => factor_of(&parts[0]).saturating_mul(factor_of(&parts[1])),
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub, parts) => {
            let (left, right) = (factor_of(&parts[0]), factor_of(&parts[1]));
            if left != 0 && right % left == 0 { left } else { 1 }
        }
        Expr::Wrap(int_type, inner) if int_type.bits >= 32 => match factor_of(inner) {
            // Wrapping around keeps what divides powers of two.
            factor @ (1 | 2 | 4 | 8) => factor,
            _ => 1,
        },
        _ => 1,
    }
}

/// Whether so many bytes from an index on lie in a row, as far as that is known.
fn fits_in_row(leaf: &Leaf, indices: &[Expr], count: u64) -> bool {
    match (indices.last(), leaf.bytes_in_a_row()) {
        (Some(Expr::Int(index)), Some(row)) => index + i128::from(count) <= i128::from(row),
        (_, row) => row.is_some(),
    }
}

/// The last distance from the start of a dimension at which so many cells can begin.
fn last_of(dimension: &Dimension, is_innermost: bool, count: u64) -> i128 {
    let behind = if is_innermost { count } else { 1 };
    i128::from(dimension.count * dimension.stride) - i128::from(behind)
}

/// What is read from a cell, as a value of the given type.
fn read_as(ty: CType, kind: IntKind, cell: &Cell) -> Value {
    let expr = cell.load(kind);
    match kind {
        IntKind::Bool => Value::truth(ty, expr),
        _ => Value { depth: 4, ..Value::number(ty, expr, Range::of(cell.int_type(kind))) },
    }
}

fn choose(condition: Expr, yes: Value, no: Value) -> Value {
    let kind = match (yes.kind.clone(), no.kind.clone()) {
        (Kind::Truth(a), Kind::Truth(b)) => Kind::Truth(fold::ite(condition, a, b)),
        (Kind::Number(a), Kind::Number(b)) => Kind::Number(fold::ite(condition, a, b)),
        (kind, _) => kind,
    };
    Value { depth: yes.depth.max(no.depth) + 1, kind, ..yes }
}
