//! The tree of parts that an interpolation problem is divided into.
//!
//! Every part but the root has one interpolant: it speaks for the part and everything below it.
//! Two parts, one below the other, are the classical pair; a chain is a sequence.

use rely_base::{Arena, define_id};

define_id!(
    /// A part of an interpolation problem.
    pub(super) struct PartId
);

/// Parts and their parents. The root comes first and every part after its parent.
#[derive(Clone, Debug)]
pub(super) struct PartTree {
    parents: Arena<PartId, Option<PartId>>,
    depths: Arena<PartId, u32>,
}

impl PartTree {
    /// The tree that is a root alone.
    pub(super) fn new() -> Self {
        let mut tree = Self { parents: Arena::new(), depths: Arena::new() };
        tree.parents.push(None);
        tree.depths.push(0);
        tree
    }

    /// The root.
    pub(super) fn root(&self) -> PartId {
        rely_base::Id::from_index(0)
    }

    /// Adds a part below another one.
    pub(super) fn add(&mut self, parent: PartId) -> PartId {
        self.depths.push(self.depths[parent] + 1);
        self.parents.push(Some(parent))
    }

    /// All parts, parents first.
    pub(super) fn parts(&self) -> impl Iterator<Item = PartId> + use<> {
        self.parents.ids()
    }

    /// The parts that have interpolants: all but the root, parents first.
    pub(super) fn edges(&self) -> impl Iterator<Item = PartId> + use<> {
        self.parents.ids().skip(1)
    }

    /// How many parts there are.
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// The part directly above.
    pub(super) fn parent(&self, part: PartId) -> Option<PartId> {
        self.parents[part]
    }

    /// Whether `part` is `top` or lies below it.
    pub(super) fn is_within(&self, mut part: PartId, top: PartId) -> bool {
        while self.depths[part] > self.depths[top] {
            match self.parents[part] {
                Some(parent) => part = parent,
                None => return false,
            }
        }
        part == top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_contain_their_descendants() {
        let mut tree = PartTree::new();
        let left = tree.add(tree.root());
        let right = tree.add(tree.root());
        let below = tree.add(left);
        assert!(tree.is_within(below, left) && tree.is_within(left, left));
        assert!(!tree.is_within(below, right) && !tree.is_within(left, below));
        assert!(tree.parts().all(|part| tree.is_within(part, tree.root())));
    }
}
