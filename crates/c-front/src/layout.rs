//! How objects are cut into variables: one for each scalar member, arrays of structures
//! becoming one array for each member.

use crate::Wakeups;
use crate::types::{
    BARRIER_CELL, BARRIER_CELLS, CONDITION_CELLS, CType, IntKind, MUTEX_COUNT, MUTEX_KIND, Opaque, Records,
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
}

impl Leaf {
    pub(crate) fn size(&self) -> u64 {
        self.ty.scalar().map_or(1, IntKind::size)
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

/// The scalars of a type.
pub(crate) fn leaves(records: &Records, ty: &CType) -> Result<Vec<Leaf>, Unsupported> {
    let mut leaves = Vec::new();
    let root = Prefix { offset: 0, dimensions: Vec::new(), path: String::new() };
    collect(records, ty, root, &mut leaves)?;
    Ok(leaves)
}

#[derive(Clone)]
struct Prefix {
    offset: u64,
    dimensions: Vec<Dimension>,
    path: String,
}

fn collect(records: &Records, ty: &CType, prefix: Prefix, leaves: &mut Vec<Leaf>) -> Result<(), Unsupported> {
    if let Some(kind) = ty.scalar() {
        let mut add = |distance: u64, ty: CType, path: String| {
            let (offset, dimensions) = (prefix.offset + distance, prefix.dimensions.clone());
            leaves.push(Leaf { offset, ty, kind, dimensions, path });
        };
        add(0, ty.clone(), prefix.path.clone());
        if *ty.unqualified() == CType::Opaque(Opaque::Mutex) {
            for (distance, name) in [(MUTEX_COUNT, "count"), (MUTEX_KIND, "kind")] {
                add(distance, CType::Opaque(Opaque::MutexDetail), format!("{}.{name}", prefix.path));
            }
        }
        return if leaves.len() > MAX_LEAVES { Err(Unsupported::TooLarge) } else { Ok(()) };
    }
    match ty.unqualified() {
        CType::Array(element, Some(count)) => {
            let stride = records.size_of(element).ok_or(Unsupported::Incomplete)?;
            let cells = prefix.dimensions.iter().map(|dimension| dimension.count).product::<u64>();
            if cells.checked_mul(*count).is_none_or(|cells| cells > MAX_CELLS) {
                return Err(Unsupported::TooLarge);
            }
            let mut inner = prefix;
            inner.dimensions.push(Dimension { count: *count, stride });
            if *count == 0 { Ok(()) } else { collect(records, element, inner, leaves) }
        }
        CType::Array(_, None) => Err(Unsupported::Incomplete),
        CType::Record(id) => {
            let record = records.get(*id);
            if record.is_union {
                return Err(Unsupported::Construct("a union"));
            }
            let body = record.body.as_ref().ok_or(Unsupported::Incomplete)?;
            for field in &body.fields {
                if field.is_bit_field {
                    return Err(Unsupported::Construct("a bit-field"));
                }
                let mut inner = prefix.clone();
                inner.offset += field.offset;
                if let Some(name) = &field.name {
                    inner.path = format!("{}.{name}", inner.path);
                }
                collect(records, &field.ty, inner, leaves)?;
            }
            Ok(())
        }
        CType::Opaque(Opaque::Barrier) => {
            for (number, name) in BARRIER_CELLS.into_iter().enumerate() {
                let mut inner = prefix.clone();
                inner.offset += number as u64 * BARRIER_CELL.size();
                inner.path = format!("{}.{name}", inner.path);
                collect(records, &CType::Int(BARRIER_CELL), inner, leaves)?;
            }
            Ok(())
        }
        CType::Opaque(Opaque::Condition) if records.wakeups() == Wakeups::BySignal => {
            for (number, name) in CONDITION_CELLS.into_iter().enumerate() {
                let mut inner = prefix.clone();
                inner.offset += number as u64 * Opaque::ConditionCell.size();
                inner.path = format!("{}.{name}", inner.path);
                collect(records, &CType::Opaque(Opaque::ConditionCell), inner, leaves)?;
            }
            Ok(())
        }
        CType::Opaque(_) => Ok(()),
        _ => Err(Unsupported::Incomplete),
    }
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
