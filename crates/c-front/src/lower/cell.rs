//! The variables that hold a scalar: one, or the bytes of which it is put together.
//!
//! Where a program looks at memory in more than one way, memory is an array of bytes. A scalar there is read by
//! adding up its bytes, and written by assigning all of them at once, so that an access is as much a step as any other.
//! A bit-field is a part of its bytes; to write it means to read these first.

use crate::fold;
use crate::layout::Leaf;
use crate::types::{BitField, CType, IntKind, Opaque};
use crate::value::Target;
use rely_program::{BinaryOp, Expr, IntType, Place};

/// One place that an lvalue may mean.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// When it is this one.
    pub(super) condition: Expr,
    /// The variable, or the first byte.
    pub(super) place: Place,
    pub(super) target: Target,
    /// The type with which the variable was declared.
    pub(super) kind: IntKind,
    /// How the scalar is put together, if the variable holds its bytes.
    pub(super) bytes: Option<Bytes>,
}

/// A scalar of several bytes, or of a part of them.
#[derive(Clone, Debug)]
pub(super) struct Bytes {
    /// The bytes behind the first one.
    rest: Vec<Place>,
    /// Its bits, from the least one of the first byte on.
    shift: u8,
    width: u8,
}

/// How a scalar of one type can be accessed where the memory holds another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// As the variable that it is.
    Whole,
    /// As so many bytes.
    Bytes(u64),
}

/// How a leaf can be accessed as a type, if it can.
pub(super) fn view(ty: &CType, leaf: &Leaf) -> Option<View> {
    let row = leaf.bytes_in_a_row().unwrap_or(0);
    let as_bytes = |count: u64| (count <= row).then_some(View::Bytes(count));
    match ty.unqualified() {
        CType::BitField(bits) => as_bytes(bits.bytes()),
        _ if is_same_representation(ty, leaf) => Some(View::Whole),
        CType::Opaque(opaque) if *opaque != Opaque::Thread => None,
        _ => as_bytes(ty.scalar()?.size()),
    }
}

/// Whether a leaf of a union is the one that is meant by an access as this type.
pub(super) fn is_meant(ty: &CType, leaf: &Leaf) -> bool {
    match ty {
        CType::BitField(_) => leaf.is_raw && view(ty, leaf).is_some(),
        _ => !leaf.is_raw && view(ty, leaf) == Some(View::Whole),
    }
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

/// The leaf to which a byte belongs.
pub(super) fn covering(leaves: &[Leaf], offset: u64) -> Option<&Leaf> {
    leaves.iter().find(|leaf| {
        let back = 0..leaf.size().min(offset + 1);
        back.into_iter().any(|bytes| leaf.indices_at(offset - bytes).is_some())
    })
}

impl Bytes {
    /// How a scalar of this type is put together of the bytes from an index on.
    pub(super) fn at(ty: &CType, place: &Place, count: u64) -> Bytes {
        let Place::Element(variable, index) = place else {
            return Bytes { rest: Vec::new(), shift: 0, width: 8 };
        };
        let next =
            |distance| Place::Element(*variable, fold::add(index.clone(), Expr::Int(i128::from(distance))));
        let (shift, width) = match ty.unqualified() {
            CType::BitField(BitField { shift, width, .. }) => (*shift, *width),
            _ => (0, 8 * count as u8),
        };
        Bytes { rest: (1..count).map(next).collect(), shift, width }
    }
}

impl Cell {
    /// The place of the one of `parts` that lies so many bytes behind this cell.
    pub(super) fn part_behind(&self, distance: u64, parts: &[Cell]) -> Option<Place> {
        let at = (self.target.object, self.target.offset + distance);
        let part = parts.iter().find(|part| (part.target.object, part.target.offset) == at)?;
        Some(part.place.clone())
    }

    /// Whether bits around it must be kept when it is written.
    pub(super) fn is_partial(&self) -> bool {
        self.bytes.as_ref().is_some_and(|bytes| bytes.shift != 0 || bytes.width % 8 != 0)
    }

    /// The variables that hold it.
    pub(super) fn places(&self) -> Vec<Place> {
        let rest = self.bytes.iter().flat_map(|bytes| bytes.rest.iter().cloned());
        std::iter::once(self.place.clone()).chain(rest).collect()
    }

    /// What it holds, as a number (or condition) of the type `kind`.
    pub(super) fn load(&self, kind: IntKind) -> Expr {
        let Some(bytes) = &self.bytes else {
            let expr = self.place.read();
            let is_same = kind == IntKind::Bool || kind.is_signed() == self.kind.is_signed();
            return if is_same { expr } else { fold::wrap(kind.int_type(), expr) };
        };
        let sum = self.places().iter().zip(0_u8..).fold(Expr::Int(0), |sum, (place, index)| {
            fold::add(sum, moved(wrapped_byte(self.kind, place.read()), 8 * index))
        });
        let number = cut(sum, bytes.shift, bytes.width, 8 * (1 + bytes.rest.len() as u8));
        match kind {
            IntKind::Bool => fold::binary(BinaryOp::Ne, number, Expr::Int(0)),
            _ if kind.is_signed() => fold::wrap(IntType { bits: bytes.width, signed: true }, number),
            _ => number,
        }
    }

    /// The numbers that it holds, accessed as a type.
    pub(super) fn int_type(&self, kind: IntKind) -> IntType {
        let bits = self.bytes.as_ref().map_or(kind.int_type().bits, |bytes| bytes.width);
        IntType { bits, ..kind.int_type() }
    }

    /// What must be assigned so that it holds a number (or condition) of the type `kind`.
    pub(super) fn store(&self, kind: IntKind, value: Expr) -> Vec<(Place, Expr)> {
        self.store_beside(kind, value, &self.places().iter().map(Place::read).collect::<Vec<_>>())
    }

    /// The same, given what its bytes hold so far.
    pub(super) fn store_beside(&self, kind: IntKind, value: Expr, before: &[Expr]) -> Vec<(Place, Expr)> {
        let Some(bytes) = &self.bytes else {
            return vec![(self.place.clone(), stored_as(self.kind, kind, value))];
        };
        let number = match kind {
            IntKind::Bool => fold::ite(value, Expr::Int(1), Expr::Int(0)),
            _ => fold::wrap(IntType { bits: bytes.width, signed: false }, value),
        };
        let end = bytes.shift + bytes.width;
        let places = self.places().into_iter().zip(before).zip(0_u8..);
        places
            .map(|((place, before), index)| {
                let (first, last) = (bytes.shift.max(8 * index), end.min(8 * index + 8));
                let part = cut(number.clone(), first - bytes.shift, last - first, bytes.width);
                let byte = match last - first {
                    8 => part,
                    _ => {
                        let old = wrapped_byte(self.kind, before.clone());
                        let kept = cut(old.clone(), first - 8 * index, last - first, 8);
                        let change = fold::binary(BinaryOp::Sub, part, kept);
                        fold::add(old, moved(change, first - 8 * index))
                    }
                };
                let byte = if self.kind.is_signed() { fold::wrap(self.kind.int_type(), byte) } else { byte };
                (place, byte)
            })
            .collect()
    }
}

/// A byte that a variable of this type holds, as a number from 0 on.
fn wrapped_byte(kind: IntKind, byte: Expr) -> Expr {
    if kind.is_signed() { fold::wrap(IntKind::UnsignedChar.int_type(), byte) } else { byte }
}

/// Some bits of a number from 0 on that has so many.
fn cut(number: Expr, shift: u8, width: u8, whole: u8) -> Expr {
    let shifted = if shift == 0 { number } else { fold::binary(BinaryOp::Div, number, power_of_two(shift)) };
    if shift + width >= whole { shifted } else { fold::binary(BinaryOp::Rem, shifted, power_of_two(width)) }
}

/// A number moved to the left by so many bits.
fn moved(number: Expr, bits: u8) -> Expr {
    fold::binary(BinaryOp::Mul, number, power_of_two(bits))
}

fn power_of_two(exponent: u8) -> Expr {
    Expr::Int(1 << exponent)
}

/// A number of one type as a variable that was declared with another type holds it.
fn stored_as(declared: IntKind, accessed: IntKind, expr: Expr) -> Expr {
    if declared.is_signed() == accessed.is_signed() { expr } else { fold::wrap(declared.int_type(), expr) }
}
