//! Where variables are at home, and which of them an interpolant may mention.

use std::collections::BTreeSet;

use rely_base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use super::extract::Owned;
use super::parts::{PartId, PartTree};
use crate::linear::VarId;

/// What the occurrences of variables say: one that occurs in a subtree and outside is exposed at
/// its top, and is at home in all parts in between.
#[derive(Clone, Debug)]
pub(super) struct Scope<'a> {
    tree: &'a PartTree,
    /// The variables that the interpolant of each part may mention. The root has none.
    exposed: Vec<FxHashSet<VarId>>,
    homes: FxHashMap<VarId, Vec<PartId>>,
}

impl<'a> Scope<'a> {
    /// The scope of variables that occur in these parts.
    pub(super) fn of(tree: &'a PartTree, occurrences: &[(VarId, PartId)]) -> Self {
        let mut scope =
            Self { tree, exposed: vec![FxHashSet::default(); tree.len()], homes: FxHashMap::default() };
        for &(variable, part) in occurrences {
            scope.settle(variable, part);
        }
        scope.exposed = exposed_variables(tree, occurrences.iter().copied());
        for edge in tree.edges() {
            let parent = tree.parent(edge).unwrap_or(edge);
            for variable in scope.exposed[edge.index()].clone() {
                scope.settle(variable, edge);
                scope.settle(variable, parent);
            }
        }
        scope
    }

    /// The scope of some constraints.
    pub(super) fn of_constraints(tree: &'a PartTree, inputs: &[Owned]) -> Self {
        let occurrences: Vec<(VarId, PartId)> = inputs.iter().flat_map(Owned::occurrences).collect();
        Self::of(tree, &occurrences)
    }

    fn settle(&mut self, variable: VarId, part: PartId) {
        let homes = self.homes.entry(variable).or_default();
        if !homes.contains(&part) {
            homes.push(part);
        }
    }

    /// The tree of parts.
    pub(super) fn tree(&self) -> &'a PartTree {
        self.tree
    }

    /// Whether the interpolant of a part may mention a variable.
    pub(super) fn is_exposed(&self, variable: VarId, part: PartId) -> bool {
        self.exposed[part.index()].contains(&variable)
    }

    /// The highest part in which all the variables are at home; the root if there are none.
    pub(super) fn common_home(&self, variables: impl IntoIterator<Item = VarId>) -> Option<PartId> {
        let mut common: Option<Vec<PartId>> = None;
        for variable in variables {
            let homes = self.homes.get(&variable)?;
            match &mut common {
                None => common = Some(homes.clone()),
                Some(common) => common.retain(|home| homes.contains(home)),
            }
        }
        match common {
            // Parents have smaller numbers than their children.
            Some(common) => common.into_iter().min(),
            None => Some(self.tree.root()),
        }
    }
}

/// For every part, the variables that occur both in its subtree and outside.
pub(super) fn exposed_variables(
    tree: &PartTree,
    occurrences: impl IntoIterator<Item = (VarId, PartId)>,
) -> Vec<FxHashSet<VarId>> {
    let mut parts_of: FxHashMap<VarId, BTreeSet<PartId>> = FxHashMap::default();
    for (variable, part) in occurrences {
        parts_of.entry(variable).or_default().insert(part);
    }
    let mut exposed = vec![FxHashSet::default(); tree.len()];
    for (variable, mut parts) in parts_of {
        // Parents have smaller numbers than their children, so that none of the others is in the
        // subtree of the last one: the variable leaves that subtree, towards its parent.
        while parts.len() > 1
            && let Some(part) = parts.pop_last()
        {
            exposed[part.index()].insert(variable);
            parts.extend(tree.parent(part));
        }
    }
    exposed
}
