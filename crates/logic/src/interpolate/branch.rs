//! Refutations that can always be divided among parts.
//!
//! The solver may distinguish cases by any linear form, also by one whose variables no part has
//! together, and such a proof has no interpolants. Here the solver is asked again below case
//! distinctions by single variables, until its proofs of all cases can be divided.

use rely_base::{Arena, Budget, Id};

use super::limits::Limits;
use crate::arith::Integer;
use crate::certificate::{Hypothesis, Proof, ProofNode, ProofNodeId};
use crate::conjunction::{self, Conjunction, Model, Verdict};
use crate::linear::{Constraint, Domain, LinearForm, Relation, VarId};

/// Cases within cases before giving up: they are on the stack.
const MAX_DEPTH: usize = 40;

/// A refutation over the integers whose case distinctions are by single variables, by
/// disequalities or by forms that are `divisible`.
pub(super) fn refute_by_variables(
    inputs: &[Constraint],
    divisible: &dyn Fn(&LinearForm) -> bool,
    limits: &Limits,
    budget: &Budget,
) -> Option<Proof> {
    let mut search = Search {
        budget,
        limits,
        divisible,
        rationals: Conjunction::new(Domain::Rationals),
        hypotheses: inputs.to_vec(),
        nodes: Arena::new(),
        cases: 0,
    };
    let root = search.close(0)?;
    Some(Proof::new(search.nodes, root))
}

struct Search<'a> {
    budget: &'a Budget,
    limits: &'a Limits,
    divisible: &'a dyn Fn(&LinearForm) -> bool,
    rationals: Conjunction,
    hypotheses: Vec<Constraint>,
    nodes: Arena<ProofNodeId, ProofNode>,
    cases: usize,
}

impl Search<'_> {
    /// A proof from the present hypotheses.
    fn close(&mut self, depth: usize) -> Option<ProofNodeId> {
        if let Some(proof) = self.proof() {
            return self.graft(&proof);
        }
        self.cases += 1;
        if self.cases > self.limits.variable_cases || depth > MAX_DEPTH || self.budget.check_now().is_err() {
            return None;
        }
        let model = self.relaxed_model()?;
        let equal =
            |constraint: &Constraint| constraint.relation() == Relation::Ne && !model.satisfies(constraint);
        if let Some(number) = self.hypotheses.iter().position(equal) {
            let form = self.hypotheses[number].form().clone();
            let below = self.case(Constraint::new(form.clone(), Relation::Lt), depth)?;
            let above = self.case(Constraint::new(form.negated(), Relation::Lt), depth)?;
            let hypothesis = Hypothesis(number as u32);
            return Some(self.nodes.push(ProofNode::Distinct { hypothesis, below, above }));
        }
        let (variable, floor) = fractional(&model)?;
        let form = LinearForm::new([(variable, 1)], -floor);
        let case = Constraint::new(form.clone(), Relation::Le);
        let other = case.negated();
        let at_most = self.case(case, depth)?;
        let above = self.case(other, depth)?;
        Some(self.nodes.push(ProofNode::Split { form, at_most, above }))
    }

    fn case(&mut self, constraint: Constraint, depth: usize) -> Option<ProofNodeId> {
        self.hypotheses.push(constraint);
        let node = self.close(depth + 1);
        self.hypotheses.pop();
        node
    }

    /// The solver's proof, if it has one that can be divided.
    fn proof(&self) -> Option<Proof> {
        let splits = self.limits.variable_splits;
        let limits = conjunction::Limits { splits, ..conjunction::Limits::default() };
        let mut solver = Conjunction::with_limits(Domain::Integers, limits);
        for hypothesis in &self.hypotheses {
            solver.assert(hypothesis);
        }
        if solver.check(self.budget) != Verdict::Unsat {
            return None;
        }
        let proof = solver.proof()?;
        let divisible = proof.nodes().values().all(|node| match node {
            ProofNode::Split { form, .. } => (self.divisible)(form),
            _ => true,
        });
        divisible.then(|| proof.clone())
    }

    /// Copies a proof: below the same hypotheses, their numbers are the same.
    fn graft(&mut self, proof: &Proof) -> Option<ProofNodeId> {
        let offset = self.nodes.len();
        let moved = |node: &ProofNodeId| ProofNodeId::from_index(node.index() + offset);
        for node in proof.nodes().values() {
            let mut copy = node.clone();
            match &mut copy {
                ProofNode::Farkas(_) | ProofNode::Divisibility(_) => {}
                ProofNode::Cut { rest, .. } => *rest = moved(rest),
                ProofNode::Split { at_most: one, above: other, .. }
                | ProofNode::Distinct { below: one, above: other, .. } => {
                    *one = moved(one);
                    *other = moved(other);
                }
            }
            self.nodes.push(copy);
        }
        Some(moved(&proof.root()))
    }

    /// A rational point that satisfies all hypotheses but disequalities.
    fn relaxed_model(&mut self) -> Option<Model> {
        self.rationals.reset();
        for hypothesis in self.hypotheses.iter().filter(|hypothesis| hypothesis.relation() != Relation::Ne) {
            self.rationals.assert(hypothesis);
        }
        self.rationals.check(self.budget);
        self.rationals.model().cloned()
    }
}

/// A variable whose value is no integer, with the next smaller integer.
fn fractional(model: &Model) -> Option<(VarId, Integer)> {
    model.variables().find_map(|variable| {
        let value = model.value(variable);
        (!value.is_integer()).then(|| (variable, value.floor()))
    })
}
