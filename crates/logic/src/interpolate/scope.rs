//! Where variables are at home, and which of them an interpolant may mention.

use rely_base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use super::extract::Owned;
use super::parts::{PartId, PartTree};
use crate::linear::{LinearForm, VarId};

/// What the constraints of a refutation say about variables: one that occurs in a subtree and
/// outside is exposed at its top, and is at home in all parts in between.
#[derive(Clone, Debug)]
pub(super) struct Scope<'a> {
    tree: &'a PartTree,
    /// The variables that the interpolant of each part may mention. The root has none.
    exposed: Vec<FxHashSet<VarId>>,
    homes: FxHashMap<VarId, Vec<PartId>>,
}

impl<'a> Scope<'a> {
    /// The scope of some constraints.
    pub(super) fn of(tree: &'a PartTree, inputs: &[Owned]) -> Self {
        let mut scope =
            Self { tree, exposed: vec![FxHashSet::default(); tree.len()], homes: FxHashMap::default() };
        for Owned { constraint, part } in inputs {
            for variable in constraint.form().variables() {
                scope.settle(variable, *part);
            }
        }
        for edge in tree.edges() {
            let exposed = shared_at(tree, edge, inputs);
            for &variable in &exposed {
                scope.settle(variable, edge);
                if let Some(parent) = tree.parent(edge) {
                    scope.settle(variable, parent);
                }
            }
            scope.exposed[edge.index()] = exposed;
        }
        scope
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

    /// A part in which all variables of a form are at home.
    pub(super) fn common_home(&self, form: &LinearForm) -> Option<PartId> {
        let mut variables = form.variables();
        let homes = self.homes.get(&variables.next()?)?;
        let rest: Vec<&Vec<PartId>> =
            variables.map(|variable| self.homes.get(&variable)).collect::<Option<_>>()?;
        homes.iter().copied().find(|home| rest.iter().all(|others| others.contains(home)))
    }
}

/// The variables that occur both below an edge and above.
pub(super) fn shared_at<'o>(
    tree: &PartTree,
    edge: PartId,
    inputs: impl IntoIterator<Item = &'o Owned>,
) -> FxHashSet<VarId> {
    let (mut inside, mut outside): (FxHashSet<VarId>, FxHashSet<VarId>) = Default::default();
    for Owned { constraint, part } in inputs {
        let side = if tree.is_within(*part, edge) { &mut inside } else { &mut outside };
        side.extend(constraint.form().variables());
    }
    inside.retain(|variable| outside.contains(variable));
    inside
}
