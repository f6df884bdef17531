//! Reading and writing memory.
//!
//! Through a pointer that is computed at run time, an access is a choice between the places
//! that it may point to, by the number that stands for each of them; a number that stands for
//! none is an invalid access.

use super::cell::Cell;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind, Opaque};
use crate::value::{Address, Guard, Kind, Lvalue, Target, Targets, Value, merge_targets};
use lang_c::span::Span as TreeSpan;
use rely_program::{Expr, Op, Place, Sort};

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
            CType::BitField(bits) => match bits.promoted() {
                Some(kind) => CType::Int(kind),
                None => return self.refuse(at, "a bit-field wider than `int` and narrower than `long`"),
            },
            other => other.clone(),
        };
        let found = self.cells(&lvalue, at)?;
        self.note_read(&found);
        self.look_at_neighbours(&lvalue.ty, &found);
        if found.cells.iter().any(|cell| self.is_vague(cell)) {
            return self.read_vaguely(&lvalue, ty, found, at);
        }
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
        self.look_at_neighbours(&lvalue.ty, &found);
        let value = if found.is_step { self.settle_shared(value) } else { value };
        let targets = self.pointed_to(&value);
        self.note_stored(&found, &targets);
        self.note_library(&lvalue.ty, &found, &value);
        let expr = self.storable(&value);
        let kind = lvalue.ty.scalar().unwrap_or(IntKind::Int);
        let unusual = self.unusual_atomicity(lvalue, &found).or(self.atomicity);
        let vague = self.vague_targets(&found);
        self.with_atomicity(unusual, |lowering| {
            if found.is_step && vague.is_empty() && found.cells.iter().any(Cell::is_partial) {
                return lowering.write_beside(found, &value.guards, kind, &expr);
            }
            lowering.act_on(found, &value.guards, |cell| {
                vec![Op::Assign(match vague.contains(&cell.target) {
                    true => cell.places().into_iter().map(|place| (place, nothing_of(cell.kind))).collect(),
                    false => cell.store(kind, expr.clone()),
                })]
            });
        });
        Ok(())
    }

    /// The places that are not followed, noted as written.
    fn vague_targets(&mut self, found: &Cells) -> Vec<Target> {
        let vague = found.cells.iter().filter(|cell| self.is_vague(cell));
        let vague: Vec<Target> = vague.map(|cell| cell.target).collect();
        vague.iter().for_each(|&target| self.facts.blur(target));
        vague
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

    /// Bit-fields side by side are one memory location: whoever accesses one of them is taken to read them all.
    fn look_at_neighbours(&mut self, ty: &CType, found: &Cells) {
        let CType::BitField(bits) = ty.unqualified() else { return };
        if !found.is_step || bits.location.length <= bits.bytes() {
            return;
        }
        let read = self.temporary(Sort::Int);
        self.act_on(found.clone(), &[], |cell| {
            let Place::Element(var, index) = &cell.place else { return Vec::new() };
            let first = fold::add(index.clone(), Expr::Int(-i128::from(bits.location.before)));
            let byte = |number| Expr::element(*var, fold::add(first.clone(), Expr::Int(i128::from(number))));
            (0..bits.location.length).map(|number| Op::assign(Place::Scalar(read), byte(number))).collect()
        });
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
        self.assume_alive(targets);
    }

    /// The addresses go where they may be used when the variables are gone.
    pub(super) fn assume_alive(&mut self, targets: &Targets) {
        if targets.iter().any(|target| self.facts.can_dangle(target.object)) {
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
}

impl Cells {
    /// All guards of an access to a single place.
    pub(super) fn all_guards(&self) -> Vec<Guard> {
        self.guards.iter().cloned().chain(std::iter::once(self.valid.clone())).collect()
    }
}

/// What is read from a cell, as a value of the given type.
fn read_as(ty: CType, kind: IntKind, cell: &Cell) -> Value {
    let expr = cell.load(kind);
    match kind {
        IntKind::Bool => Value::truth(ty, expr),
        _ => Value { depth: 4, ..Value::number(ty, expr, Range::of(cell.int_type(kind))) },
    }
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
