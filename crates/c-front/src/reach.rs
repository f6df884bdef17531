//! Where a pointer may point after arithmetic.
//!
//! A [`Target`] stands for all cells of a scalar or array inside of an object. Which cell is
//! meant is asked for at run time, by its address, so a target too many does no harm; a target
//! too few would make an access look invalid that is not.

use crate::facts::Facts;
use crate::layout::Leaf;
use crate::types::{CType, Records};
use crate::value::{Known, Target, Targets};
use rely_program::Expr;

/// In arrays with more cells a byte-wise step is taken to lead anywhere in the object.
const MAX_FOLLOWED_CELLS: u64 = 1_024;

impl Facts {
    /// What pointers to these targets may point to after a move by `steps` times `stride` bytes,
    /// the elements of which have the given type.
    pub(crate) fn moved_targets(
        &self,
        targets: &Targets,
        steps: &Expr,
        stride: i64,
        element: &CType,
    ) -> Targets {
        let mut moved = Targets::new();
        for &target in targets {
            if self.is_outside(target.object) {
                moved.push(target);
                continue;
            }
            match steps {
                Expr::Int(steps) => {
                    let distance = i64::try_from(*steps).unwrap_or(i64::MAX).saturating_mul(stride);
                    self.shift(target, distance, element, &mut moved);
                }
                _ => self.spread(target, stride, &mut moved),
            }
        }
        sorted(moved)
    }

    /// What a known address may mean whose indices do not fit the object's arrays.
    pub(crate) fn targets_of_known(&self, known: &Known) -> Targets {
        if self.is_outside(known.object) {
            return vec![Target { object: known.object, offset: 0 }];
        }
        let target = self.target(known.object, known.offset);
        let mut reached = vec![target];
        for &(_, stride) in &known.dynamic {
            self.spread(target, stride, &mut reached);
        }
        sorted(reached)
    }

    /// All places in the objects of some targets: arithmetic on addresses as numbers may lead
    /// to any of them.
    pub(crate) fn whole_objects(&self, targets: &Targets) -> Targets {
        let mut all = targets.clone();
        all.extend(targets.iter().flat_map(|target| self.places_of(*target)));
        sorted(all)
    }

    fn places_of(&self, target: Target) -> impl Iterator<Item = Target> {
        let leaves = self.object(target.object).leaves.iter();
        leaves.map(move |leaf| Target { offset: leaf.offset, ..target })
    }

    /// What lies so many bytes behind the start of what pointers point to.
    pub(crate) fn parts_behind(&self, targets: &Targets, distance: u64) -> Targets {
        let mut parts = Targets::new();
        for &target in targets {
            let leaves = &self.object(target.object).leaves;
            match leaves.iter().any(|leaf| leaf.is_raw && leaf.offset == target.offset) {
                // A pointer to bytes may point to any of them.
                true => self.shift(target, distance as i64, &CType::Void, &mut parts),
                false => {
                    parts.push(self.target(target.object, target.offset.saturating_add(distance) as i64));
                }
            }
        }
        sorted(parts)
    }

    /// A move by a known distance.
    fn shift(&self, target: Target, distance: i64, element: &CType, moved: &mut Targets) {
        let object = self.object(target.object);
        let size = self.records.size_of(&object.ty).unwrap_or(0);
        let land = |start: u64| {
            let offset = (start as i64).saturating_add(distance);
            (0..=size as i64).contains(&offset).then(|| self.target(target.object, offset))
        };
        let leaf = object.leaves.iter().find(|leaf| leaf.offset == target.offset);
        let is_byte = self.records.size_of(element) == Some(1);
        match leaf.filter(|leaf| !leaf.dimensions.is_empty()) {
            None => moved.extend(land(target.offset)),
            Some(leaf) if !leaf.is_raw && (!is_byte || !is_bytewise(leaf, 1)) => {
                // The offset of the first element stands for all. Only from the end of another
                // array does such a move lead elsewhere, to an element of the same type.
                moved.push(target);
                let is_element = |other: &Target| {
                    let leaf = object.leaves.iter().find(|leaf| leaf.offset == other.offset);
                    let is_end = other.offset == size;
                    leaf.map_or(is_end, |leaf| Some(leaf.size()) == first_scalar(&self.records, element))
                };
                moved.extend(land(target.offset).filter(is_element));
            }
            Some(leaf) if leaf.cells() <= MAX_FOLLOWED_CELLS => {
                moved.extend(leaf.cell_offsets().into_iter().filter_map(land));
            }
            Some(_) => moved.extend(self.places_of(target)),
        }
    }

    /// A move by an unknown number of elements: inside of arrays of such elements, or anywhere
    /// in the object if the elements are its bytes.
    fn spread(&self, target: Target, stride: i64, moved: &mut Targets) {
        moved.push(target);
        let object = self.object(target.object);
        let leaf = object.leaves.iter().find(|leaf| leaf.offset == target.offset);
        let is_raw = leaf.is_some_and(|leaf| leaf.is_raw);
        if is_raw || stride.abs() == 1 && leaf.is_none_or(|leaf| is_bytewise(leaf, stride)) {
            moved.extend(self.places_of(target));
            return;
        }
        let mut starts = Vec::new();
        arrays_of(&self.records, &object.ty, stride.unsigned_abs(), 0, &mut starts);
        moved.extend(starts.into_iter().map(|start| self.target(target.object, start as i64)));
    }
}

/// Whether a stride is that of bytes and the leaf does not consist of these.
fn is_bytewise(leaf: &Leaf, stride: i64) -> bool {
    stride.abs() == 1 && !leaf.dimensions.iter().any(|dimension| dimension.stride == 1)
}

/// Where arrays start that have elements of the given size.
fn arrays_of(records: &Records, ty: &CType, size: u64, offset: u64, starts: &mut Vec<u64>) {
    match ty.unqualified() {
        CType::Array(element, _) => {
            if records.size_of(element) == Some(size) {
                starts.push(offset);
            }
            arrays_of(records, element, size, offset, starts);
        }
        CType::Record(id) => {
            let fields = records.get(*id).body.iter().flat_map(|body| &body.fields);
            for field in fields {
                arrays_of(records, &field.ty, size, offset + field.offset, starts);
            }
        }
        _ => {}
    }
}

/// The size of the scalar with which a value of the type starts.
fn first_scalar(records: &Records, ty: &CType) -> Option<u64> {
    match (ty.unqualified(), ty.scalar()) {
        (_, Some(kind)) => Some(kind.size()),
        (CType::Array(element, _), _) => first_scalar(records, element),
        (CType::Record(id), _) => first_scalar(records, &records.get(*id).body.as_ref()?.fields.first()?.ty),
        _ => None,
    }
}

fn sorted(mut targets: Targets) -> Targets {
    targets.sort_unstable();
    targets.dedup();
    targets
}
