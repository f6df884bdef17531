//! `memset`, `memcpy`, `memmove` and `memcmp` of a constant size, as what they do to the scalars in there.
//!
//! Memory is copied in the pieces that the destination consists of, or the source, if these are larger: whoever
//! is not made of them [puts them together](super::cell) from bytes. What lies between the members of a structure is
//! not copied. `memcmp` looks at all bytes.

use super::assign::MAX_COPIED_CELLS;
use super::{Lowered, Lowering};
use crate::fold::{self, Range};
use crate::layout::{Leaf, leaves};
use crate::types::{CType, IntKind, Opaque};
use crate::value::{Kind, Lvalue, Value};
use lang_c::ast::CallExpression;
use lang_c::span::Span as TreeSpan;
use rely_program::{BinaryOp, Expr};

/// A scalar of some memory: where it lies, and what it is.
type Piece = (u64, CType);

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn set_memory(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let [pointer, byte, size] = self.three_arguments(name, call, at)?;
        let byte = self.convert(byte, &CType::Int(IntKind::UnsignedChar), at)?;
        let (pointer, byte) = (self.snapshot(pointer), self.snapshot(byte));
        let bytes = self.constant_size(name, &size, at)?;
        let place = self.memory_behind(&pointer);
        for (offset, ty) in self.pieces(&pointer, bytes).unwrap_or_else(|| single_bytes(bytes)) {
            self.check_budget()?;
            let value = match ty.unqualified() {
                // A mutex of zeros is free.
                CType::Opaque(opaque) if *opaque != Opaque::Thread => match byte.as_constant() {
                    Some(0) => Value::constant(CType::SIZE, 0),
                    _ => {
                        return self.refuse(
                            at,
                            format!("`{name}` of a type of the thread library to anything but zero"),
                        );
                    }
                },
                _ => self.repeated(&byte, &ty, at)?,
            };
            let part = self.part(place.clone(), offset, ty);
            self.write(&part, value, at)?;
        }
        Ok(pointer)
    }

    /// A scalar all of whose bytes are the same.
    fn repeated(&mut self, byte: &Value, ty: &CType, at: TreeSpan) -> Lowered<Value> {
        let size = self.facts.records.size_of(ty).unwrap_or(1).min(8);
        let ones = (0..size).map(|index| 1_i128 << (8 * index)).sum();
        let number = fold::binary(BinaryOp::Mul, self.number(byte), Expr::Int(ones));
        let range = Range { low: 0, high: 255 * ones };
        let value = Value::number(CType::SIZE, number, range);
        self.convert(value, ty, at)
    }

    /// `memcpy`, and `memmove`, which reads everything before it writes.
    pub(super) fn copy_memory(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let [to, from, size] = self.three_arguments(name, call, at)?;
        let (to, from) = (self.snapshot(to), self.snapshot(from));
        let bytes = self.constant_size(name, &size, at)?;
        let (target, source) = (self.memory_behind(&to), self.memory_behind(&from));
        let is_bytes = |pieces: &Vec<Piece>| {
            pieces.iter().all(|(_, ty)| ty.scalar().is_some_and(|kind| kind.size() == 1))
        };
        let pieces = self.pieces(&to, bytes).filter(|pieces| !is_bytes(pieces));
        let pieces = pieces.or_else(|| self.pieces(&from, bytes)).unwrap_or_else(|| single_bytes(bytes));
        let is_overlapping = name.ends_with("memmove");
        let mut read = Vec::new();
        for (offset, ty) in pieces {
            self.check_budget()?;
            let value = self.read_scalar(self.part(source.clone(), offset, ty.clone()), at)?;
            let target = self.part(target.clone(), offset, ty);
            match is_overlapping {
                true => read.push((target, self.settle(value))),
                false => self.write(&target, value, at)?,
            }
        }
        for (target, value) in read {
            self.write(&target, value, at)?;
        }
        Ok(to)
    }

    /// `memcmp`: the difference of the first two bytes that differ.
    pub(super) fn compare_memory(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let [left, right, size] = self.three_arguments(name, call, at)?;
        let (left, right) = (self.snapshot(left), self.snapshot(right));
        let bytes = self.constant_size(name, &size, at)?;
        let (left, right) = (self.memory_behind(&left), self.memory_behind(&right));
        let mut differences = Vec::new();
        for (offset, ty) in single_bytes(bytes) {
            self.check_budget()?;
            let own = self.read_scalar(self.part(left.clone(), offset, ty.clone()), at)?;
            let own = self.settle(own);
            let other = self.read_scalar(self.part(right.clone(), offset, ty), at)?;
            let other = self.settle(other);
            let difference = fold::binary(BinaryOp::Sub, self.number(&own), self.number(&other));
            let difference = Value::number(CType::INT, difference, Range { low: -255, high: 255 });
            let difference = self.settle(difference);
            differences.push(self.number(&difference));
        }
        let result = differences.into_iter().rev().fold(Expr::Int(0), |rest, difference| {
            fold::ite(fold::is(difference.clone(), 0), rest, difference)
        });
        let result = Value::number(CType::INT, result, Range { low: -255, high: 255 });
        Ok(self.settle(result))
    }

    fn three_arguments(&mut self, name: &str, call: &'a CallExpression, at: TreeSpan) -> Lowered<[Value; 3]> {
        let values = self.arguments(&call.arguments)?;
        let settled: Vec<Value> = values.into_iter().map(|value| self.settle_shared(value)).collect();
        match <[Value; 3]>::try_from(settled) {
            Ok(values) => Ok(values),
            Err(_) => self.error(at, format!("`{name}` takes three arguments")),
        }
    }

    /// Whether the third argument of a call is a constant, and small enough to do its bytes one by one.
    pub(super) fn has_small_size(&mut self, call: &'a CallExpression) -> Lowered<bool> {
        let Some(size) = call.arguments.get(2) else { return Ok(true) };
        let value = self.type_of(size)?;
        let constant = value.as_constant().filter(|_| self.is_static(&value));
        Ok(constant.is_some_and(|size| (0..=i128::from(8 * MAX_COPIED_CELLS)).contains(&size)))
    }

    fn constant_size(&mut self, name: &str, size: &Value, at: TreeSpan) -> Lowered<u64> {
        let bytes =
            size.as_constant().filter(|_| self.is_static(size)).and_then(|size| u64::try_from(size).ok());
        match bytes {
            None => self.refuse(at, format!("`{name}` of a variable size")),
            Some(bytes) if bytes > 8 * MAX_COPIED_CELLS => {
                self.refuse(at, format!("`{name}` of a large variable"))
            }
            Some(bytes) => Ok(bytes),
        }
    }

    /// The memory to which a pointer points.
    fn memory_behind(&mut self, pointer: &Value) -> Lvalue {
        // A long expression would be repeated for each place that it may point to.
        let pointer = match &pointer.kind {
            Kind::Number(expr) if !matches!(expr, Expr::Var(_) | Expr::Int(_)) => {
                self.settle(pointer.clone())
            }
            _ => pointer.clone(),
        };
        self.place_behind(pointer, CType::Int(IntKind::UnsignedChar))
    }

    /// The scalars of which so many bytes behind a pointer consist, as far as that is known: by its type, or by
    /// the object to which it points.
    fn pieces(&self, pointer: &Value, bytes: u64) -> Option<Vec<Piece>> {
        let element = pointer.ty.element().filter(|element| element.unqualified() != &CType::Void);
        let size = element.and_then(|element| self.facts.records.size_of(element)).filter(|&size| size > 0);
        let pieces: Vec<Piece> = match (element, size) {
            (Some(element), Some(size)) if bytes.is_multiple_of(size) => {
                let own = leaves(&self.facts.records, element).ok()?;
                let own: Vec<Piece> = self.pieces_of(&own, 0..size);
                (0..bytes / size)
                    .flat_map(|index| own.iter().map(move |(at, ty)| (index * size + at, ty.clone())))
                    .collect()
            }
            _ => {
                let Kind::Pointer(known) = &pointer.kind else { return None };
                let start = u64::try_from(known.offset).ok().filter(|_| known.dynamic.is_empty())?;
                let object = self.facts.object(known.object);
                let all = self.pieces_of(&object.leaves, start..start + bytes);
                let covers = |(at, ty): &Piece| {
                    let end = at + self.facts.records.size_of(ty).unwrap_or(0);
                    *at < start + bytes && end > start && (*at < start || end > start + bytes)
                };
                if all.is_empty() || self.pieces_of(&object.leaves, 0..u64::MAX).iter().any(covers) {
                    return None;
                }
                all.into_iter().map(|(at, ty)| (at - start, ty)).collect()
            }
        };
        (pieces.len() as u64 <= MAX_COPIED_CELLS).then_some(pieces)
    }

    /// The scalars that lie in a range of bytes.
    fn pieces_of(&self, leaves: &[Leaf], range: std::ops::Range<u64>) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for leaf in leaves.iter().filter(|leaf| !self.facts.is_left_out(leaf)) {
            let cells = leaf.cell_offsets().into_iter().filter(|offset| range.contains(offset));
            // What is atomic is copied like the memory that it is.
            pieces.extend(cells.map(|offset| (offset, leaf.ty.unqualified().clone())));
        }
        pieces
    }
}

fn single_bytes(count: u64) -> Vec<Piece> {
    (0..count).map(|offset| (offset, CType::Int(IntKind::UnsignedChar))).collect()
}
