//! `memset` and `memcpy` of whole variables, as what they do to the scalars in there.

use super::assign::{MAX_COPIED_CELLS, Wanted};
use super::{Lowered, Lowering};
use crate::layout::{Leaf, leaves};
use crate::types::CType;
use crate::value::{Lvalue, Value};
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::BinaryOp;

impl<'a, 'f> Lowering<'a, 'f> {
    /// `memset` to zero.
    pub(super) fn clear_memory(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let [pointer, byte, size] = self.three_arguments(name, call, at)?;
        if byte.as_constant() != Some(0) {
            return self.refuse(at, format!("`{name}` to anything but zero"));
        }
        let written = &call.arguments[0];
        let pointer = self.snapshot(pointer);
        for index in 0..self.whole_elements(name, &pointer, &size, at)? {
            let place = self.element_at(&pointer, index, written, at)?;
            self.clear(&place, at)?;
        }
        Ok(pointer)
    }

    /// `memcpy` between variables of the same type.
    pub(super) fn copy_memory(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let [to, from, size] = self.three_arguments(name, call, at)?;
        if to.ty.element().map(CType::unqualified) != from.ty.element().map(CType::unqualified) {
            return self.refuse(at, format!("`{name}` between variables of different types"));
        }
        let (to_written, from_written) = (&call.arguments[0], &call.arguments[1]);
        let (to, from) = (self.snapshot(to), self.snapshot(from));
        for index in 0..self.whole_elements(name, &to, &size, at)? {
            let source = self.element_at(&from, index, from_written, at)?;
            let target = self.element_at(&to, index, to_written, at)?;
            let value = self.read(source, at)?;
            self.assign_value(target, value, Wanted::Nothing, at, at)?;
        }
        Ok(to)
    }

    fn three_arguments(&mut self, name: &str, call: &'a CallExpression, at: TreeSpan) -> Lowered<[Value; 3]> {
        let values = self.arguments(&call.arguments)?;
        let settled: Vec<Value> = values.into_iter().map(|value| self.settle_shared(value)).collect();
        match <[Value; 3]>::try_from(settled) {
            Ok(values) => Ok(values),
            Err(_) => self.error(at, format!("`{name}` takes three arguments")),
        }
    }

    /// How many elements of what a pointer points to a number of bytes is.
    fn whole_elements(&mut self, name: &str, pointer: &Value, size: &Value, at: TreeSpan) -> Lowered<u64> {
        let bytes =
            size.as_constant().filter(|_| self.is_static(size)).and_then(|size| u64::try_from(size).ok());
        let Some(bytes) = bytes else { return self.refuse(at, format!("`{name}` of a variable size")) };
        let element = pointer.ty.element().filter(|element| element.unqualified() != &CType::Void);
        let Some(cells) = element.and_then(|element| leaves(&self.facts.records, element).ok()) else {
            return self.refuse(at, format!("`{name}` of memory of unknown type"));
        };
        let stride = element.and_then(|element| self.facts.records.size_of(element)).unwrap_or(0);
        if stride == 0 || !bytes.is_multiple_of(stride) {
            return self.refuse(at, format!("`{name}` of a part of a variable"));
        }
        let count = bytes / stride;
        let cells: u64 = cells.iter().map(Leaf::cells).sum();
        if count.saturating_mul(cells.max(1)) > MAX_COPIED_CELLS {
            return self.refuse(at, format!("`{name}` of a large variable"));
        }
        Ok(count)
    }

    fn element_at(
        &mut self,
        pointer: &Value,
        index: u64,
        written: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<Lvalue> {
        let index = Value::constant(CType::INT, i128::from(index));
        let place = self.binary(BinaryOp::Add, pointer.clone(), index, at)?;
        let place = self.dereference(place, written, at)?;
        // What is atomic is copied like the memory that it is.
        Ok(Lvalue { ty: place.ty.unqualified().clone(), ..place })
    }

    /// Sets all scalars of a place to zero.
    fn clear(&mut self, place: &Lvalue, at: TreeSpan) -> Lowered<()> {
        let Ok(leaves) = leaves(&self.facts.records, &place.ty) else { return Ok(()) };
        for leaf in leaves.iter().filter(|leaf| !self.facts.is_left_out(leaf)).collect::<Vec<_>>() {
            for offset in leaf.cell_offsets() {
                let part = self.part(place.clone(), offset, leaf.ty.clone());
                let zero = Value::constant(CType::INT, 0);
                let zero = match leaf.ty.unqualified() {
                    // A mutex of zeros is free.
                    CType::Opaque(_) => Value { ty: CType::SIZE, ..zero },
                    ty => self.convert(zero, ty, at)?,
                };
                self.write(&part, zero, at)?;
            }
        }
        Ok(())
    }
}
