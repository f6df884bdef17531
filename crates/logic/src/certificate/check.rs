//! The proof checker.
//!
//! It recomputes every combination from the hypotheses it is given and believes nothing else. It
//! knows no simplex, no bounds and no search; of the rest of this crate it uses only numbers,
//! linear forms and the normal form of constraints.

use rustc_hash::FxHashSet;

use super::proof::{Combination, Hypothesis, Proof, ProofNode, ProofNodeId};
use crate::arith::Integer;
use crate::linear::{Constraint, Domain, LinearForm, Relation};

/// Why a proof is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// A step refers to a node that does not exist.
    #[error("step {0:?} does not exist")]
    MissingNode(ProofNodeId),
    /// A step is used twice or contains itself: the proof is no tree.
    #[error("step {0:?} is used more than once")]
    NotATree(ProofNodeId),
    /// A step uses a hypothesis that is not there.
    #[error("there is no hypothesis {}", .0.0)]
    MissingHypothesis(Hypothesis),
    /// A weight is zero, or negative for an inequality.
    #[error("hypothesis {} cannot have the weight {}", .0.0, .1)]
    BadWeight(Hypothesis, Integer),
    /// A disequality is added up, or something else is used as a disequality.
    #[error("hypothesis {} is of the wrong kind", .0.0)]
    WrongRelation(Hypothesis),
    /// A leaf is not plainly false.
    #[error("step {0:?} derives `{1}`, which is not false")]
    NotFalse(ProofNodeId, Constraint),
    /// A step that is sound over the integers only occurs in a proof over the rationals.
    #[error("step {0:?} needs integers")]
    NeedsIntegers(ProofNodeId),
}

impl Proof {
    /// Whether this proves that the inputs have no common solution over the domain.
    pub fn check(&self, domain: Domain, inputs: &[Constraint]) -> Result<(), ProofError> {
        Checker { domain, proof: self, inputs, added: Vec::new(), visited: FxHashSet::default() }.run()
    }
}

struct Checker<'a> {
    domain: Domain,
    proof: &'a Proof,
    inputs: &'a [Constraint],
    /// The hypotheses that the path from the root has added.
    added: Vec<Constraint>,
    visited: FxHashSet<ProofNodeId>,
}

/// A node to be checked, and the hypothesis that is added for it after going back to `depth`.
struct Goal {
    node: ProofNodeId,
    depth: usize,
    hypothesis: Option<Constraint>,
}

impl Checker<'_> {
    fn run(mut self) -> Result<(), ProofError> {
        let mut goals = vec![Goal { node: self.proof.root(), depth: 0, hypothesis: None }];
        while let Some(Goal { node, depth, hypothesis }) = goals.pop() {
            self.added.truncate(depth);
            self.added.extend(hypothesis);
            self.check_node(node, &mut goals)?;
        }
        Ok(())
    }

    fn check_node(&mut self, id: ProofNodeId, goals: &mut Vec<Goal>) -> Result<(), ProofError> {
        let node = self.proof.nodes().get(id).ok_or(ProofError::MissingNode(id))?;
        if !self.visited.insert(id) {
            return Err(ProofError::NotATree(id));
        }
        let depth = self.added.len();
        let mut goal = |node: ProofNodeId, hypothesis: Constraint| {
            goals.push(Goal { node, depth, hypothesis: Some(hypothesis) });
        };
        match node {
            ProofNode::Farkas(combination) => {
                let (form, relation) = self.sum(combination)?;
                let refuted = form.is_constant() && !relation.admits(form.constant_term().signum());
                return refuted.then_some(()).ok_or_else(|| self.not_false(id, form, relation));
            }
            ProofNode::Divisibility(combination) => {
                self.integers_only(id)?;
                let (form, relation) = self.sum(combination)?;
                let refuted =
                    relation == Relation::Eq && !form.constant_term().is_multiple_of(&form.content());
                return refuted.then_some(()).ok_or_else(|| self.not_false(id, form, relation));
            }
            ProofNode::Cut { combination, rest } => {
                self.integers_only(id)?;
                let (form, _) = self.sum(combination)?;
                goal(*rest, Constraint::new(form, Relation::Le));
            }
            ProofNode::Split { form, at_most, above } => {
                let case = Constraint::over(self.domain, form.clone(), Relation::Le);
                goal(*above, case.negated_over(self.domain));
                goal(*at_most, case);
            }
            ProofNode::Distinct { hypothesis, below, above } => {
                let constraint = self.hypothesis(*hypothesis)?;
                if constraint.relation() != Relation::Ne {
                    return Err(ProofError::WrongRelation(*hypothesis));
                }
                let form = constraint.form().clone();
                goal(*above, Constraint::over(self.domain, form.negated(), Relation::Lt));
                goal(*below, Constraint::over(self.domain, form, Relation::Lt));
            }
        }
        Ok(())
    }

    fn hypothesis(&self, hypothesis: Hypothesis) -> Result<&Constraint, ProofError> {
        let index = hypothesis.index();
        self.inputs
            .get(index)
            .or_else(|| self.added.get(index.checked_sub(self.inputs.len())?))
            .ok_or(ProofError::MissingHypothesis(hypothesis))
    }

    /// The form and relation that a combination derives.
    fn sum(&self, combination: &Combination) -> Result<(LinearForm, Relation), ProofError> {
        let mut total = LinearForm::default();
        let mut relation = Relation::Eq;
        for (hypothesis, weight) in combination {
            let constraint = self.hypothesis(*hypothesis)?;
            let negative_allowed = constraint.relation() == Relation::Eq;
            if weight.is_zero() || (weight.is_negative() && !negative_allowed) {
                return Err(ProofError::BadWeight(*hypothesis, weight.clone()));
            }
            relation = match (relation, constraint.relation()) {
                (_, Relation::Ne) => return Err(ProofError::WrongRelation(*hypothesis)),
                (Relation::Lt, _) | (_, Relation::Lt) => Relation::Lt,
                (Relation::Le, _) | (_, Relation::Le) => Relation::Le,
                (kept, Relation::Eq) => kept,
            };
            total = total.add_scaled(weight, constraint.form());
        }
        Ok((total, relation))
    }

    fn integers_only(&self, id: ProofNodeId) -> Result<(), ProofError> {
        if self.domain == Domain::Integers { Ok(()) } else { Err(ProofError::NeedsIntegers(id)) }
    }

    fn not_false(&self, id: ProofNodeId, form: LinearForm, relation: Relation) -> ProofError {
        ProofError::NotFalse(id, Constraint::over(self.domain, form, relation))
    }
}
