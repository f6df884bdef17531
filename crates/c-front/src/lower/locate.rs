//! Which variables an lvalue means.
//!
//! Where the address is known, so is the variable. Otherwise all places count that a pointer may point to, each with
//! the condition under which it does. Memory that is not there as what it is accessed as, because it was declared as
//! something else, has another [shape](crate::shape) in the next round of lowering.

use super::access::Cells;
use super::cell::{Bytes, Cell, View, covering, is_meant, view};
use super::threads::Obligation;
use super::{Lowered, Lowering};
use crate::fold;
use crate::layout::{Dimension, Leaf, Unsupported};
use crate::types::CType;
use crate::value::{Address, Guard, Known, Lvalue, ObjectId, Target, Targets};
use lang_c::span::Span as TreeSpan;
use rely_base::Diagnostic;
use rely_program::{BinaryOp, CheckKind, Expr, Place};

impl<'a, 'f> Lowering<'a, 'f> {
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
        if self.facts.is_outside(known.object) {
            return self.outside_cells(known.object, &lvalue.ty, at).map(Some);
        }
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
        let mut unsupported = Vec::new();
        for &target in targets {
            if self.facts.is_outside(target.object) {
                cells.push(self.outside_cell(target.object, &address, &lvalue.ty, at));
                continue;
            }
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
                unsupported.push((target.object, message));
            }
        }
        let guards = self.keep_to_cells(&address, &cells, unsupported, at);
        let condition =
            cells.iter().fold(Expr::Bool(false), |any, cell| fold::or(any, cell.condition.clone()));
        let message = format!("`{described}` accesses memory that is not there");
        let valid = Guard { kind: CheckKind::Bounds, condition, message, span };
        Ok(Cells { guards, cells, valid, is_step: false })
    }

    /// Ends the translation where an address leads to parts of objects that cannot be looked at in this way.
    fn keep_to_cells(
        &mut self,
        address: &Expr,
        cells: &[Cell],
        unsupported: Vec<(ObjectId, String)>,
        at: TreeSpan,
    ) -> Vec<Guard> {
        let mut guards: Vec<Guard> = Vec::new();
        for (object, message) in unsupported {
            let start = self.facts.address_of(object);
            let size = self.facts.records.size_of(&self.facts.object(object).ty).unwrap_or(1).max(1);
            let inside = fold::between(address.clone(), start, start + i128::from(size) - 1);
            let of_object = cells.iter().filter(|cell| cell.target.object == object);
            let condition =
                of_object.fold(fold::not(inside), |any, cell| fold::or(any, cell.condition.clone()));
            guards.push(Guard { kind: CheckKind::Limit, condition, message, span: Some(self.span(at)) });
        }
        guards
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

/// The indices of a known address in a leaf, one for each dimension, if its constant part lies
/// in it and each computed part belongs to a dimension. In an object that is all bytes, each does.
fn indices_in(leaf: &Leaf, known: &Known, whole: u64) -> Option<Vec<Expr>> {
    let constant = leaf.indices_at(u64::try_from(known.offset).ok()?)?;
    let mut unused: Vec<&(Expr, i64)> = known.dynamic.iter().collect();
    let mut indices = Vec::with_capacity(constant.len());
    let is_part = leaf.is_raw && (leaf.offset, leaf.end()) != (0, whole);
    for (level, (index, dimension)) in constant.into_iter().zip(&leaf.dimensions).enumerate() {
        let constant = Expr::Int(i128::from(index));
        let stride = i64::try_from(dimension.stride).ok()?;
        // A pointer may leave the bytes of a part and come to the next one.
        let is_row = is_part && level + 1 == leaf.dimensions.len();
        indices.push(match unused.iter().position(|(_, own)| *own == stride && !is_row) {
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
        Expr::Ite(parts) => {
            let (yes, no) = (factor_of(&parts[1]), factor_of(&parts[2]));
            match (yes, no) {
                (0, other) | (other, 0) => other,
                _ if no % yes == 0 => yes,
                _ => 1,
            }
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
