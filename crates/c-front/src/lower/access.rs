//! Reading and writing memory.
//!
//! Through a pointer that is computed at run time, an access is a choice between the places
//! that it may point to, by the number that stands for each of them; a number that stands for
//! none is an invalid access.

use super::threads::Obligation;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::layout::Leaf;
use crate::types::{CType, IntKind, Opaque};
use crate::value::{Address, Guard, Kind, Known, Lvalue, Target, Targets, Value, merge_targets};
use lang_c::span::Span as TreeSpan;
use rely_base::Diagnostic;
use rely_program::{BinaryOp, CheckKind, Expr, Op, Place};

/// One place that an lvalue may mean.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// When it is this one.
    pub(super) condition: Expr,
    pub(super) place: Place,
    pub(super) target: Target,
    /// The type with which the variable was declared.
    pub(super) kind: IntKind,
}

impl Cell {
    /// The place of the one of `parts` that lies so many bytes behind this cell.
    pub(super) fn part_behind(&self, distance: u64, parts: &[Cell]) -> Option<Place> {
        let at = (self.target.object, self.target.offset + distance);
        let part = parts.iter().find(|part| (part.target.object, part.target.offset) == at)?;
        Some(part.place.clone())
    }
}

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
            other => other.clone(),
        };
        let found = self.cells(&lvalue, at)?;
        self.note_read(&found);
        if found.cells.iter().any(|cell| self.is_vague(cell)) {
            return self.read_vaguely(&lvalue, ty, found, at);
        }
        let unusual = self.unusual_atomicity(&lvalue, &found);
        let mut targets = Targets::new();
        for cell in &found.cells {
            targets = merge_targets(&targets, &self.facts.targets_of(cell.target));
        }
        let kind = ty.scalar().unwrap_or(IntKind::Int);
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
    pub(super) fn read_by_choice(
        &mut self,
        ty: CType,
        kind: IntKind,
        found: Cells,
        targets: Targets,
    ) -> Value {
        let temporary = self.temporary(kind.sort());
        let mut choices = Vec::new();
        for cell in &found.cells {
            let mut ops = self.guard_ops(found.guards.clone());
            ops.push(Op::wait(cell.condition.clone()));
            let read = read_as(ty.clone(), kind, cell);
            let (Kind::Number(expr) | Kind::Truth(expr)) = read.kind else { continue };
            ops.push(Op::assign(Place::Scalar(temporary), expr));
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
            let vague: Vec<Target> =
                found.cells.iter().filter(|cell| lowering.is_vague(cell)).map(|cell| cell.target).collect();
            lowering.act_on(found, &value.guards, |cell| {
                let stored = match vague.contains(&cell.target) {
                    true => nothing_of(cell.kind),
                    false => stored_as(cell.kind, kind, expr.clone()),
                };
                vec![Op::assign(cell.place.clone(), stored)]
            });
        });
        Ok(())
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
                    self.computed_cells(address, &targets, lvalue, &described, at)
                }
            },
            Address::Computed(address, targets) => {
                self.computed_cells(address.clone(), &targets.clone(), lvalue, &described, at)
            }
        };
        found.guards.splice(0..0, lvalue.guards.iter().cloned());
        if (self.is_atomic_call || lvalue.ty.is_atomic())
            && found.cells.iter().any(|cell| self.is_vague(cell))
        {
            let message = "an atomic operation on memory that is not followed is not supported";
            let error = Diagnostic::error(message).at(self.span(at), "here");
            self.obligations.push(Obligation::Never(error));
        }
        let shared = |cell: &Cell| self.facts.is_shared(cell.target.object);
        found.is_step = !self.in_atomic() && found.cells.iter().any(shared);
        Ok(found)
    }

    /// The cell at a known address; `None` if that needs a look at the whole object.
    fn known_cell(
        &mut self,
        known: &Known,
        lvalue: &Lvalue,
        described: &str,
        at: TreeSpan,
    ) -> Lowered<Option<Cells>> {
        if self.facts.is_outside(known.object) {
            return self.outside_cells(known.object, &lvalue.ty, at).map(Some);
        }
        let leaves = self.facts.object(known.object).leaves.clone();
        let Some((leaf, indices)) = leaves.iter().find_map(|leaf| Some((leaf, indices_in(leaf, known)?)))
        else {
            let is_inside = u64::try_from(known.offset).ok().and_then(|offset| covering(&leaves, offset));
            return match is_inside {
                Some(leaf) if known.dynamic.is_empty() => {
                    self.refuse(at, self.punning(leaf, &lvalue.ty, known.object))
                }
                _ => Ok(None),
            };
        };
        if !is_same_representation(&lvalue.ty, leaf) {
            return self.refuse(at, self.punning(leaf, &lvalue.ty, known.object));
        }
        let span = Some(self.span(at));
        let name = self.facts.object(known.object).name.clone();
        let mut guards = Vec::new();
        for (index, dimension) in indices.iter().zip(&leaf.dimensions) {
            let condition = fold::between(index.clone(), 0, i128::from(dimension.count) - 1);
            let message = format!(
                "the index in `{described}` is outside of `{}{}`, which has {} elements",
                self.spelled(&name),
                leaf.path,
                dimension.count
            );
            guards.push(Guard { kind: CheckKind::Bounds, condition, message, span });
        }
        let target = Target { object: known.object, offset: leaf.offset };
        let place = self.place_in(target, leaf, &indices);
        let cell = Cell { condition: Expr::Bool(true), place, target, kind: leaf.kind };
        let valid =
            Guard { kind: CheckKind::Bounds, condition: Expr::Bool(true), message: String::new(), span };
        Ok(Some(Cells { guards, cells: vec![cell], valid, is_step: false }))
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
    ) -> Cells {
        let span = Some(self.span(at));
        let mut cells = Vec::new();
        for &target in targets {
            if self.facts.is_outside(target.object) {
                cells.push(self.outside_cell(target.object, &address, &lvalue.ty, at));
                continue;
            }
            if self.facts.untyped_size(target.object).is_some() {
                let message = format!("`{described}` accesses allocated memory of unknown type");
                let error = Diagnostic::error(message).at(self.span(at), "here");
                self.obligations.push(Obligation::Never(error));
            }
            let leaves = self.facts.object(target.object).leaves.clone();
            let exact = leaves.iter().find(|leaf| leaf.offset == target.offset);
            let Some(leaf) = exact.or_else(|| covering(&leaves, target.offset)) else { continue };
            if exact.is_none() || !is_same_representation(&lvalue.ty, leaf) {
                let message = format!("{} is not supported", self.punning(leaf, &lvalue.ty, target.object));
                let error = Diagnostic::error(message).at(self.span(at), "here");
                self.obligations.push(Obligation::Never(error));
                continue;
            }
            cells.push(self.computed_cell(&address, target, leaf));
        }
        let condition =
            cells.iter().fold(Expr::Bool(false), |any, cell| fold::or(any, cell.condition.clone()));
        let message = format!("`{described}` accesses memory that is not there");
        let valid = Guard { kind: CheckKind::Bounds, condition, message, span };
        Cells { guards: Vec::new(), cells, valid, is_step: false }
    }

    /// When an address lies in the array of this leaf, and where.
    fn computed_cell(&mut self, address: &Expr, target: Target, leaf: &Leaf) -> Cell {
        let start = self.facts.address_of(target.object) + i128::from(leaf.offset);
        let variable = self.variable(target);
        let dimensions = leaf.joined_dimensions();
        let Some(outermost) = dimensions.first() else {
            let condition = fold::binary(BinaryOp::Eq, address.clone(), Expr::Int(start));
            return Cell { condition, place: Place::Scalar(variable), target, kind: leaf.kind };
        };
        let end = start + i128::from(outermost.count * outermost.stride);
        let mut condition = fold::between(address.clone(), start, end - 1);
        let mut rest = fold::binary(BinaryOp::Sub, address.clone(), Expr::Int(start));
        let mut flat = Expr::Int(0);
        for (level, dimension) in dimensions.iter().enumerate() {
            let stride = Expr::Int(i128::from(dimension.stride));
            let index = fold::binary(BinaryOp::Div, rest.clone(), stride.clone());
            if level > 0 {
                let last = i128::from(dimension.count * dimension.stride) - 1;
                condition = fold::and(condition, fold::between(rest.clone(), 0, last));
            }
            flat = fold::add(fold::scale(dimension.count as i64, flat), index);
            rest = fold::binary(BinaryOp::Rem, rest, stride);
        }
        condition = fold::and(condition, fold::binary(BinaryOp::Eq, rest, Expr::Int(0)));
        Cell { condition, place: Place::Element(variable, flat), target, kind: leaf.kind }
    }

    fn punning(&self, leaf: &Leaf, ty: &CType, object: crate::value::ObjectId) -> String {
        format!(
            "an access to `{}{}`, of type `{}`, as `{}`",
            self.spelled(&self.facts.object(object).name),
            leaf.path,
            self.facts.records.display(&leaf.ty),
            self.facts.records.display(ty)
        )
    }
}

impl Cells {
    /// All guards of an access to a single place.
    pub(super) fn all_guards(&self) -> Vec<Guard> {
        self.guards.iter().cloned().chain(std::iter::once(self.valid.clone())).collect()
    }
}

/// The indices of a known address in a leaf, one for each dimension, if its constant part lies
/// in it and each computed part belongs to a dimension.
fn indices_in(leaf: &Leaf, known: &Known) -> Option<Vec<Expr>> {
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
    unused.is_empty().then_some(indices)
}

/// The leaf to which a byte belongs.
fn covering(leaves: &[Leaf], offset: u64) -> Option<&Leaf> {
    leaves.iter().find(|leaf| {
        let back = 0..leaf.size().min(offset + 1);
        back.into_iter().any(|bytes| leaf.indices_at(offset - bytes).is_some())
    })
}

/// Whether a scalar of the leaf can be accessed as the type without a look at its bytes.
fn is_same_representation(ty: &CType, leaf: &Leaf) -> bool {
    let of_library = |ty: &CType| match ty.unqualified() {
        CType::Opaque(Opaque::Thread) => None,
        CType::Opaque(opaque) => Some(*opaque),
        _ => None,
    };
    let Some(kind) = ty.scalar() else { return false };
    // What a floating-point number looks like as an integer is not known.
    let floats = |ty: &CType| if let CType::Float(size) = ty.unqualified() { *size } else { 0 };
    kind.size() == leaf.size()
        && floats(ty) == floats(&leaf.ty)
        && of_library(ty) == of_library(&leaf.ty)
        && (kind == IntKind::Bool) == (leaf.kind == IntKind::Bool)
}

/// What is read from a cell, as a value of the given type.
fn read_as(ty: CType, kind: IntKind, cell: &Cell) -> Value {
    let expr = cell.place.read();
    if kind == IntKind::Bool {
        return Value::truth(ty, expr);
    }
    let int_type = kind.int_type();
    let expr = if kind.is_signed() == cell.kind.is_signed() { expr } else { fold::wrap(int_type, expr) };
    Value { depth: 4, ..Value::number(ty, expr, Range::of(int_type)) }
}

/// A number of one type as a variable that was declared with another type holds it.
pub(super) fn stored_as(declared: IntKind, accessed: IntKind, expr: Expr) -> Expr {
    if declared.is_signed() == accessed.is_signed() { expr } else { fold::wrap(declared.int_type(), expr) }
}

/// What is stored in a place whose contents are not followed.
pub(super) fn nothing_of(kind: IntKind) -> Expr {
    if kind == IntKind::Bool { Expr::Bool(false) } else { Expr::Int(0) }
}

fn choose(condition: Expr, yes: Value, no: Value) -> Value {
    let kind = match (yes.kind.clone(), no.kind.clone()) {
        (Kind::Truth(a), Kind::Truth(b)) => Kind::Truth(fold::ite(condition, a, b)),
        (Kind::Number(a), Kind::Number(b)) => Kind::Number(fold::ite(condition, a, b)),
        (kind, _) => kind,
    };
    Value { depth: yes.depth.max(no.depth) + 1, kind, ..yes }
}
