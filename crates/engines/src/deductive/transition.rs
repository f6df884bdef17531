//! Transitions: what one step does to the variables, as a linear guarded command.

use super::region::{Reasoner, Region};
use rely_logic::{Constraint, LinearForm, VarId};
use rely_symbolic::{Branch, Cells};

/// When a step is taken and what it writes. Variables that are not written keep their values, as
/// is the convention of the paper for its `P » Q`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Transition {
    /// Over the values before the step, those after it of what is written, and auxiliary ones.
    pub(super) constraints: Vec<Constraint>,
    /// What is written: the variable and its value after the step.
    pub(super) written: Vec<(VarId, VarId)>,
    /// Variables that stand for nothing in the program.
    pub(super) auxiliary: Vec<VarId>,
}

impl Transition {
    /// The transition of a branch.
    pub(super) fn of_branch(cells: &Cells, branch: &Branch) -> Self {
        let mut constraints = branch.guard.clone();
        let mut written = Vec::new();
        for (cell, value) in &branch.updates {
            let after = cells.after(*cell);
            constraints.push(Constraint::eq(&LinearForm::variable(after), value));
            written.push((*cell, after));
        }
        let used = constraints.iter().flat_map(|constraint| constraint.form().variables());
        let is_program =
            |variable: &VarId| cells.is_cell(*variable) || written.iter().any(|(_, after)| after == variable);
        let mut auxiliary: Vec<VarId> = used.filter(|variable| !is_program(variable)).collect();
        auxiliary.sort_unstable();
        auxiliary.dedup();
        Self { constraints, written, auxiliary }
    }

    /// Whether the step divides: then forgetting the quotients loses something, unless the values
    /// before it are known.
    pub(super) fn has_remainders(&self) -> bool {
        let divides = |variable: &VarId| {
            self.constraints.iter().any(|held| {
                let factor = held.form().coefficient(*variable);
                !factor.is_zero() && !factor.is_unit()
            })
        };
        self.auxiliary.iter().any(divides)
    }

    /// The states after the step from states in the region; `None` if it cannot be taken there.
    pub(super) fn image(&self, reasoner: &mut Reasoner, region: &Region) -> Option<Region> {
        if self.is_obviously_impossible(region) {
            return None;
        }
        let constraints = self.from(region);
        if self.written.is_empty() && self.auxiliary.is_empty() {
            return reasoner.region(constraints);
        }
        let overwritten = self.written.iter().map(|(before, _)| *before);
        let eliminate: Vec<VarId> = overwritten.chain(self.auxiliary.iter().copied()).collect();
        let after = reasoner.without(constraints, &eliminate)?;
        let current = |variable: VarId| {
            let written = self.written.iter().find(|(_, after)| *after == variable);
            written.map_or(variable, |(before, _)| *before)
        };
        reasoner.region(after.constraints().iter().map(|constraint| constraint.rename(current)).collect())
    }

    /// The part of the transition that starts in the region, as it looks to somebody who does not
    /// see the hidden variables, neither before nor after the step.
    pub(super) fn seen_from(
        &self,
        reasoner: &mut Reasoner,
        region: &Region,
        is_hidden: impl Fn(VarId) -> bool,
    ) -> Option<Transition> {
        if self.is_obviously_impossible(region) {
            return None;
        }
        let constraints = self.from(region);
        let (hidden, written): (Vec<_>, Vec<_>) =
            self.written.iter().copied().partition(|(before, _)| is_hidden(*before));
        let mut eliminate: Vec<VarId> = self.auxiliary.clone();
        eliminate.extend(hidden.iter().map(|(_, after)| *after));
        let used = constraints.iter().flat_map(|constraint| constraint.form().variables());
        eliminate.extend(used.filter(|variable| is_hidden(*variable)));
        eliminate.sort_unstable();
        eliminate.dedup();
        let visible = reasoner.without(constraints, &eliminate)?;
        Some(Transition { constraints: visible.constraints().to_vec(), written, auxiliary: vec![] })
    }

    /// Whether a condition on the values before the step contradicts what is known of them.
    fn is_obviously_impossible(&self, region: &Region) -> bool {
        let is_condition =
            |held: &&Constraint| !self.written.iter().any(|(_, after)| held.form().contains(*after));
        self.constraints.iter().filter(is_condition).any(|condition| region.refutes(condition))
    }

    fn from(&self, region: &Region) -> Vec<Constraint> {
        region.constraints().iter().chain(&self.constraints).cloned().collect()
    }

    /// Whether the step cannot change whether a state is in the region.
    pub(super) fn leaves_alone(&self, region: &Region) -> bool {
        !region.mentions(|variable| self.written.iter().any(|(before, _)| *before == variable))
    }
}
