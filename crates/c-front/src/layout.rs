//! How objects are cut into variables: one for each scalar member, arrays of structures
//! becoming one array for each member.
//!
//! What a program looks at in more than one way is an array of its bytes, and so are bit-fields: the
//! [shape](Shape) of an object says where. Of a union only those scalars exist that somebody accesses; if these
//! overlap, its bytes do.

use crate::Wakeups;
use crate::shape::Shape;
use crate::types::{
    BARRIER_CELL, BARRIER_CELLS, CONDITION_CELLS, CType, Field, IntKind, MUTEX_COUNT, MUTEX_KIND, Opaque,
    RecordBody, RecordId, Records,
};

/// The largest array, in cells.
const MAX_CELLS: u64 = 1 << 20;
/// The largest number of scalar members of one object.
const MAX_LEAVES: usize = 4_096;

/// One dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dimension {
    pub(crate) count: u64,
    /// The distance of neighbours in bytes.
    pub(crate) stride: u64,
}

/// A scalar inside of an object, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The offset of the first cell in bytes.
    pub(crate) offset: u64,
    pub(crate) ty: CType,
    pub(crate) kind: IntKind,
    /// From the outermost to the innermost.
    pub(crate) dimensions: Vec<Dimension>,
    /// How it is reached from the object: `.head`.
    pub(crate) path: String,
    /// Whether these are the bytes of something else, which is read and written through them.
    pub(crate) is_raw: bool,
}

impl Leaf {
    pub(crate) fn size(&self) -> u64 {
        self.ty.scalar().map_or(1, IntKind::size)
    }

    /// Whether its cells are bytes of which other scalars can be put together: how many lie side by side.
    pub(crate) fn bytes_in_a_row(&self) -> Option<u64> {
        let is_byte =
            matches!(self.ty.unqualified(), CType::Int(kind) if kind.size() == 1 && *kind != IntKind::Bool);
        self.dimensions.last().filter(|last| is_byte && last.stride == 1).map(|last| last.count)
    }

    /// The first byte behind its last cell.
    pub(crate) fn end(&self) -> u64 {
        let steps = self.dimensions.iter().map(|dimension| (dimension.count - 1) * dimension.stride);
        self.offset + steps.sum::<u64>() + self.size()
    }

    pub(crate) fn cells(&self) -> u64 {
        self.dimensions.iter().map(|dimension| dimension.count).product()
    }

    /// The length of the variable that holds it, `None` for a scalar.
    pub(crate) fn length(&self) -> Option<u32> {
        (!self.dimensions.is_empty()).then(|| self.cells() as u32)
    }

    /// The indices, one for each dimension, at which a byte offset lies, whole cells only.
    pub(crate) fn indices_at(&self, offset: u64) -> Option<Vec<u64>> {
        let mut rest = offset.checked_sub(self.offset)?;
        let mut indices = Vec::with_capacity(self.dimensions.len());
        for dimension in &self.dimensions {
            let index = rest / dimension.stride;
            if index >= dimension.count {
                return None;
            }
            rest -= index * dimension.stride;
            indices.push(index);
        }
        (rest == 0).then_some(indices)
    }

    /// The offsets of all cells, in the order of the cells.
    pub(crate) fn cell_offsets(&self) -> Vec<u64> {
        self.dimensions.iter().fold(vec![self.offset], |starts, dimension| {
            let steps = |start| (0..dimension.count).map(move |index| start + index * dimension.stride);
            starts.into_iter().flat_map(steps).collect()
        })
    }

    /// How many cells lie between neighbours of each dimension.
    pub(crate) fn weights(&self) -> Vec<u64> {
        let mut weight = 1;
        let mut weights: Vec<u64> = Vec::with_capacity(self.dimensions.len());
        for dimension in self.dimensions.iter().rev() {
            weights.push(weight);
            weight *= dimension.count;
        }
        weights.reverse();
        weights
    }

    /// The dimensions with those joined that lie without gaps, as an array of arrays does.
    pub(crate) fn joined_dimensions(&self) -> Vec<Dimension> {
        let mut joined: Vec<Dimension> = Vec::new();
        for &dimension in &self.dimensions {
            match joined.last_mut() {
                Some(last) if last.stride == dimension.count * dimension.stride => {
                    *last = Dimension { count: last.count * dimension.count, stride: dimension.stride };
                }
                _ => joined.push(dimension),
            }
        }
        joined
    }
}

/// Why a type cannot be cut into variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unsupported {
    /// A construct, by its name.
    Construct(&'static str),
    Incomplete,
    TooLarge,
}

/// The scalars of a type, whole unions being bytes.
pub(crate) fn leaves(records: &Records, ty: &CType) -> Result<Vec<Leaf>, Unsupported> {
    leaves_of_shape(records, ty, &Shape::plain())
}

/// The scalars of an object.
pub(crate) fn leaves_of_shape(
    records: &Records,
    ty: &CType,
    shape: &Shape,
) -> Result<Vec<Leaf>, Unsupported> {
    let mut leaves = Vec::new();
    let root = Prefix { offset: 0, dimensions: Vec::new(), path: String::new() };
    Collector { records, shape }.collect(ty, root, &mut leaves)?;
    Ok(leaves)
}

#[derive(Clone)]
struct Prefix {
    offset: u64,
    dimensions: Vec<Dimension>,
    path: String,
}

impl Prefix {
    fn member(&self, field: &Field) -> Prefix {
        let mut inner = self.clone();
        inner.offset += field.offset;
        if let Some(name) = &field.name {
            inner.path = format!("{}.{name}", inner.path);
        }
        inner
    }

    fn element(&self, count: u64, stride: u64) -> Result<Prefix, Unsupported> {
        let mut inner = self.clone();
        inner.dimensions.push(Dimension { count, stride });
        let cells =
            inner.dimensions.iter().try_fold(1_u64, |cells, dimension| cells.checked_mul(dimension.count));
        if cells.is_none_or(|cells| cells > MAX_CELLS) { Err(Unsupported::TooLarge) } else { Ok(inner) }
    }

    fn leaf(&self, ty: &CType, kind: IntKind) -> Leaf {
        let Prefix { offset, dimensions, path } = self.clone();
        Leaf { offset, ty: ty.clone(), kind, dimensions, path, is_raw: false }
    }

    /// So many bytes from here on.
    fn bytes(&self, count: u64) -> Result<Leaf, Unsupported> {
        let byte = IntKind::UnsignedChar;
        let leaf = self.element(count, 1)?.leaf(&CType::Int(byte), byte);
        Ok(Leaf { is_raw: true, ..leaf })
    }
}

struct Collector<'r> {
    records: &'r Records,
    shape: &'r Shape,
}

impl Collector<'_> {
    fn collect(&self, ty: &CType, prefix: Prefix, leaves: &mut Vec<Leaf>) -> Result<(), Unsupported> {
        if let Some(size) = self.records.size_of(ty).filter(|&size| self.shape.is_bytes(prefix.offset, size))
        {
            self.expect_memory(ty)?;
            leaves.push(prefix.bytes(size)?);
            return Ok(());
        }
        if let Some(kind) = ty.scalar() {
            leaves.push(prefix.leaf(ty, kind));
            if *ty.unqualified() == CType::Opaque(Opaque::Mutex) {
                for (distance, name) in [(MUTEX_COUNT, "count"), (MUTEX_KIND, "kind")] {
                    let mut detail = prefix.leaf(&CType::Opaque(Opaque::MutexDetail), kind);
                    detail.offset += distance;
                    detail.path = format!("{}.{name}", prefix.path);
                    leaves.push(detail);
                }
            }
            return if leaves.len() > MAX_LEAVES { Err(Unsupported::TooLarge) } else { Ok(()) };
        }
        match ty.unqualified() {
            CType::Array(element, Some(count)) => self.array(element, *count, &prefix, leaves),
            CType::Array(_, None) => Err(Unsupported::Incomplete),
            CType::Record(id) => self.record(*id, &prefix, leaves),
            CType::Opaque(Opaque::Barrier) => {
                for (number, name) in BARRIER_CELLS.into_iter().enumerate() {
                    let mut inner = prefix.clone();
                    inner.offset += number as u64 * BARRIER_CELL.size();
                    inner.path = format!("{}.{name}", inner.path);
                    self.collect(&CType::Int(BARRIER_CELL), inner, leaves)?;
                }
                Ok(())
            }
            CType::Opaque(Opaque::Condition) if self.records.wakeups() == Wakeups::BySignal => {
                for (number, name) in CONDITION_CELLS.into_iter().enumerate() {
                    let mut inner = prefix.clone();
                    inner.offset += number as u64 * Opaque::ConditionCell.size();
                    inner.path = format!("{}.{name}", inner.path);
                    self.collect(&CType::Opaque(Opaque::ConditionCell), inner, leaves)?;
                }
                Ok(())
            }
            CType::Opaque(_) => Ok(()),
            _ => Err(Unsupported::Incomplete),
        }
    }

    /// An array of things that are bytes throughout is an array of bytes itself.
    fn array(
        &self,
        element: &CType,
        count: u64,
        prefix: &Prefix,
        leaves: &mut Vec<Leaf>,
    ) -> Result<(), Unsupported> {
        let stride = self.records.size_of(element).ok_or(Unsupported::Incomplete)?;
        let inner = prefix.element(count, stride)?;
        if count == 0 {
            return Ok(());
        }
        let first = leaves.len();
        self.collect(element, inner, leaves)?;
        let is_whole = |leaf: &Leaf| {
            leaf.is_raw && leaf.offset == prefix.offset && leaf.bytes_in_a_row() == Some(stride)
        };
        if matches!(&leaves[first..], [leaf] if is_whole(leaf)) {
            leaves.truncate(first);
            leaves.push(prefix.bytes(stride * count)?);
        }
        Ok(())
    }

    /// A structure in which all has become bytes is one piece of memory, with what lies between the members.
    fn record(&self, id: RecordId, prefix: &Prefix, leaves: &mut Vec<Leaf>) -> Result<(), Unsupported> {
        let record = self.records.get(id);
        let body = record.body.as_ref().ok_or(Unsupported::Incomplete)?;
        if record.is_union {
            return self.union(body, prefix, leaves);
        }
        let first = leaves.len();
        self.bit_fields(body, prefix, leaves)?;
        for field in body.fields.iter().filter(|field| !field.is_bit_field) {
            self.collect(&field.ty, prefix.member(field), leaves)?;
        }
        let own = &leaves[first..];
        let is_turned = self.shape.turns_within(prefix.offset, body.size);
        let is_byte = |leaf: &Leaf| leaf.bytes_in_a_row().is_some();
        if is_turned && own.iter().all(is_byte) && self.expect_memory(&CType::Record(id)).is_ok() {
            leaves.truncate(first);
            leaves.push(prefix.bytes(body.size)?);
        }
        Ok(())
    }

    /// The bytes that bit-fields share.
    fn bit_fields(
        &self,
        body: &RecordBody,
        prefix: &Prefix,
        leaves: &mut Vec<Leaf>,
    ) -> Result<(), Unsupported> {
        let mut runs: Vec<(u64, u64, String)> = Vec::new();
        for field in &body.fields {
            let (CType::BitField(bits), Some(name)) = (&field.ty, &field.name) else { continue };
            let start = field.offset - bits.location.before;
            let end = start + bits.location.length;
            match runs.last_mut().filter(|run| start < run.1) {
                Some(run) => {
                    run.1 = run.1.max(end);
                    run.2 = format!("{}+{name}", run.2);
                }
                None => runs.push((start, end, name.clone())),
            }
        }
        for (start, end, names) in runs {
            let mut inner = prefix.clone();
            inner.offset += start;
            inner.path = format!("{}.{names}", inner.path);
            leaves.push(inner.bytes(end - start)?);
        }
        Ok(())
    }

    /// What somebody accesses of a union, or its bytes.
    fn union(&self, body: &RecordBody, prefix: &Prefix, leaves: &mut Vec<Leaf>) -> Result<(), Unsupported> {
        let seen = self.views(body, prefix);
        let overlap = seen.windows(2).any(|pair| pair[1].offset < pair[0].end());
        if self.shape.has_everything() || !self.shape.is_plain() && !overlap {
            leaves.extend(seen);
            return Ok(());
        }
        for field in &body.fields {
            self.expect_memory(&field.ty)?;
        }
        leaves.push(prefix.bytes(body.size)?);
        Ok(())
    }

    /// The scalars of a union that somebody accesses, by their offsets.
    fn views(&self, body: &RecordBody, prefix: &Prefix) -> Vec<Leaf> {
        let is_seen = |leaf: &Leaf| self.shape.is_seen(leaf);
        let mut seen: Vec<Leaf> = self.all_views(body, prefix).into_iter().filter(is_seen).collect();
        seen.sort_by_key(|leaf| leaf.offset);
        seen.dedup_by(|later, earlier| {
            (later.offset, later.kind.size(), &later.dimensions)
                == (earlier.offset, earlier.kind.size(), &earlier.dimensions)
                && (later.kind == IntKind::Bool) == (earlier.kind == IntKind::Bool)
                && later.ty.is_float() == earlier.ty.is_float()
        });
        seen
    }

    /// All scalars of the members of a union; members that have none that are supported do not count.
    fn all_views(&self, body: &RecordBody, prefix: &Prefix) -> Vec<Leaf> {
        let everything = Shape::everything();
        let collector = Collector { shape: &everything, ..*self };
        let mut all = Vec::new();
        for field in &body.fields {
            let mut own = Vec::new();
            let inner = prefix.member(field);
            let collected = match (&field.ty, field.is_bit_field) {
                (CType::BitField(bits), _) => inner.bytes(bits.bytes()).map(|bytes| own.push(bytes)),
                (_, true) => Ok(()),
                (ty, false) => collector.collect(ty, inner, &mut own),
            };
            if collected.is_ok() {
                all.extend(own);
            }
        }
        all
    }

    /// Refuses to look at what the thread library keeps as if it were bytes.
    fn expect_memory(&self, ty: &CType) -> Result<(), Unsupported> {
        match ty.unqualified() {
            CType::Opaque(Opaque::Thread) => Ok(()),
            CType::Opaque(_) => {
                Err(Unsupported::Construct("an access to the bytes of a type of the thread library"))
            }
            CType::Float(_) => {
                Err(Unsupported::Construct("an access to the bytes of a floating-point number"))
            }
            CType::Array(element, _) => self.expect_memory(element),
            CType::Record(id) => {
                let mut fields = self.records.get(*id).body.iter().flat_map(|body| &body.fields);
                fields.try_for_each(|field| self.expect_memory(&field.ty))
            }
            _ => Ok(()),
        }
    }
}

/// The scalars that can be seen of a type, every member of every union among them.
pub(crate) fn all_leaves(records: &Records, ty: &CType) -> Vec<Leaf> {
    leaves_of_shape(records, ty, &Shape::everything()).unwrap_or_default()
}

/// The leaf in which a whole cell lies at the offset.
pub(crate) fn leaf_at(leaves: &[Leaf], offset: u64) -> Option<&Leaf> {
    leaves.iter().find(|leaf| leaf.indices_at(offset).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::{Member, Packing};
    use std::rc::Rc;

    #[test]
    fn arrays_of_structures_become_arrays_of_members() {
        let mut records = Records::default();
        let id = records.at(0, "s", false);
        let array = CType::Array(Rc::new(CType::INT), Some(3));
        let members = vec![Member::plain("a", CType::INT), Member::plain("b", array.clone())];
        assert!(records.complete(id, members, Packing::default()));
        let table = CType::Array(Rc::new(CType::Record(id)), Some(4));
        let leaves = leaves(&records, &table).expect("the type has a layout");
        assert_eq!(leaves.iter().map(|leaf| leaf.path.as_str()).collect::<Vec<_>>(), [".a", ".b"]);
        assert_eq!(leaves[1].cells(), 12);
        assert_eq!(leaves[1].indices_at(16 + 4 + 8), Some(vec![1, 2]));
        assert_eq!(leaves[1].weights(), [3, 1]);
        assert_eq!(leaf_at(&leaves, 32).map(|leaf| leaf.path.as_str()), Some(".a"));
        assert_eq!(leaf_at(&leaves, 33), None);
    }
}
