//! What a program makes of the memory of an object beyond what its type says: which parts it looks at as bytes, and
//! which members of unions it uses.
//!
//! Shapes only grow, from one round of lowering to the next. What is accessed as what its type says needs none, so
//! a program without type punning has none.

use crate::layout::{Leaf, all_leaves};
use crate::types::{CType, IntKind, Records};
use std::collections::BTreeSet;

/// The shape of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Parts that are bytes, by offset and size; of an array of structures, those of the first element.
    bytes: BTreeSet<(u64, u64)>,
    /// Scalars of unions that are accessed: offset, size, and whether they are of type `_Bool`.
    views: BTreeSet<(u64, u64, bool)>,
    unions: Unions,
}

/// What becomes of unions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Unions {
    /// The views that are accessed.
    #[default]
    Views,
    /// Bytes.
    Bytes,
    /// All views, one over the other.
    Everything,
}

impl Shape {
    /// That of a type of which nothing is known: unions are bytes.
    pub(crate) fn plain() -> Self {
        Shape { unions: Unions::Bytes, ..Shape::default() }
    }

    /// The shape in which all members of unions lie one over the other.
    pub(crate) fn everything() -> Self {
        Shape { unions: Unions::Everything, ..Shape::default() }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.unions == Unions::Bytes
    }

    pub(crate) fn has_everything(&self) -> bool {
        self.unions == Unions::Everything
    }

    /// Whether the part of this size at an offset is bytes.
    pub(crate) fn is_bytes(&self, offset: u64, size: u64) -> bool {
        !self.bytes.is_empty() && self.bytes.contains(&(offset, size))
    }

    /// Whether something within a part has become bytes.
    pub(crate) fn turns_within(&self, offset: u64, size: u64) -> bool {
        self.bytes.range((offset, 0)..(offset + size, 0)).next().is_some()
    }

    /// Whether a scalar of a union is accessed.
    pub(crate) fn is_seen(&self, leaf: &Leaf) -> bool {
        self.unions == Unions::Everything || self.views.contains(&view(leaf))
    }

    /// The shape in which so many bytes at an offset of an object can be accessed as a type, `is_fit` saying whether
    /// a scalar is one of this type.
    pub(crate) fn with_access(
        &self,
        records: &Records,
        object: &CType,
        offset: u64,
        size: u64,
        is_fit: &dyn Fn(&Leaf) -> bool,
    ) -> Shape {
        let mut shape = self.clone();
        match part_with(records, object, 0, offset, size) {
            Part::Bytes(start, size) => {
                shape.bytes.insert((start, size));
            }
            Part::Union(start, union) => {
                let size_of_union = records.size_of(&union).unwrap_or(0);
                let candidates = all_leaves(records, &union);
                let found = candidates.into_iter().map(|leaf| Leaf { offset: leaf.offset + start, ..leaf });
                let is_there = |leaf: &Leaf| leaf.indices_at(offset).is_some() && is_fit(leaf);
                match found.into_iter().find(is_there).map(|leaf| view(&leaf)) {
                    Some(view) if !shape.views.contains(&view) => {
                        shape.views.insert(view);
                    }
                    _ => {
                        shape.bytes.insert((start, size_of_union));
                    }
                }
            }
        }
        shape
    }
}

fn view(leaf: &Leaf) -> (u64, u64, bool) {
    (leaf.offset, if leaf.is_raw { 0 } else { leaf.size() }, leaf.kind == IntKind::Bool)
}

/// What has to be looked at differently.
enum Part {
    /// The part of this offset and size.
    Bytes(u64, u64),
    /// The union at this offset.
    Union(u64, CType),
}

/// The smallest part in which some bytes lie, or the outermost union around it.
fn part_with(records: &Records, ty: &CType, start: u64, offset: u64, size: u64) -> Part {
    let whole = records.size_of(ty).unwrap_or(0);
    match ty.unqualified() {
        CType::Array(element, _) => {
            let stride = records.size_of(element).unwrap_or(0);
            let inside = offset.saturating_sub(start).checked_rem(stride);
            match inside {
                Some(inside) if inside + size <= stride => {
                    part_with(records, element, start, start + inside, size)
                }
                _ => Part::Bytes(start, whole),
            }
        }
        CType::Record(id) => {
            let record = records.get(*id);
            if record.is_union {
                return Part::Union(start, ty.unqualified().clone());
            }
            let fields = record.body.iter().flat_map(|body| &body.fields);
            let around = fields.filter(|field| !field.is_bit_field).find(|field| {
                let (from, own) = (start + field.offset, records.size_of(&field.ty).unwrap_or(0));
                from <= offset && offset + size <= from + own
            });
            match around {
                Some(field) => part_with(records, &field.ty, start + field.offset, offset, size),
                None => Part::Bytes(start, whole),
            }
        }
        _ => Part::Bytes(start, whole),
    }
}
