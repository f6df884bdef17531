//! Objects that get another shape, because the program looks at them in more than one way.

use super::Facts;
use crate::layout::{Leaf, Unsupported, leaves_of_shape};
use crate::value::{ObjectId, Target, merge_targets};

impl Facts {
    /// Whether some of an object is looked at as bytes.
    pub(crate) fn is_raw(&self, id: ObjectId) -> bool {
        self.objects[id].leaves.iter().any(|leaf| leaf.is_raw)
    }

    /// Asks for a shape in which some bytes of an object can be accessed as a type, from the next round on. `is_fit`
    /// says whether a scalar is one of this type.
    pub(crate) fn look_at(
        &mut self,
        id: ObjectId,
        offset: u64,
        size: u64,
        is_fit: &dyn Fn(&Leaf) -> bool,
    ) -> Result<(), Unsupported> {
        let object = &self.objects[id];
        let shape = self.reshaped.get(&id).map_or(&object.shape, |(shape, _)| shape);
        let shape = shape.with_access(&self.records, &object.ty, offset, size, is_fit);
        let leaves = leaves_of_shape(&self.records, &object.ty, &shape)?;
        if *leaves == *object.leaves {
            return Err(Unsupported::Construct("this access"));
        }
        self.reshaped.insert(id, (shape, leaves.into()));
        self.grown = true;
        Ok(())
    }

    /// Gives objects their new shapes, and finds the scalars again that pointers point to.
    pub(super) fn reshape(&mut self) {
        if self.reshaped.is_empty() {
            return;
        }
        for (id, (shape, leaves)) in std::mem::take(&mut self.reshaped) {
            let object = &mut self.objects[id];
            (object.shape, object.leaves) = (shape, leaves);
        }
        for (place, targets) in std::mem::take(&mut self.points_to) {
            let place = self.found_again(place);
            let targets = targets.into_iter().map(|target| self.found_again(target)).collect();
            let known = self.points_to.entry(place).or_default();
            *known = merge_targets(known, &targets);
        }
        let blurred = std::mem::take(&mut self.blurred);
        self.blurred = blurred.into_iter().map(|place| self.found_again(place)).collect();
        let results = std::mem::take(&mut self.results);
        for (place, is_read) in results {
            *self.results.entry(self.found_again(place)).or_default() |= is_read;
        }
    }

    /// The scalar that lies where another one lay before shapes have changed.
    fn found_again(&self, target: Target) -> Target {
        self.target(target.object, target.offset as i64)
    }
}
