//! Conjunctions of comparisons, without any search.
//!
//! Many formulas have no boolean structure at all. For them the solver of conjunctions is asked
//! directly, and its proof is put into the same form as all others: one lemma, resolved with the
//! conjuncts that it uses.

use rely_base::{Arena, Budget, StopReason};
use rustc_hash::FxHashSet;

use super::clause::ClauseId;
use super::interpretation::Interpretation;
use super::proof::{BooleanProof, Literal, Origin, ProofClause};
use super::theory::over_core;
use crate::conjunction::{Conjunction, Reason, Verdict};
use crate::linear::Constraint;
use crate::term::{Node, TermId, TermPool, Value};

/// An answer without search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Direct {
    Sat(Interpretation),
    Unsat(BooleanProof),
    Stopped(StopReason),
}

/// A conjunct that is a comparison, with its place in the formulas.
struct Conjunct {
    literal: Literal,
    constraint: Constraint,
    formula: u32,
    conjunct: u32,
}

/// Decides formulas that are conjunctions of linear comparisons; `None` if some are not, or if they
/// are too hard. The solver is used from scratch.
pub(crate) fn decide_conjunction(
    pool: &TermPool,
    formulas: &[TermId],
    solver: &mut Conjunction,
    budget: &Budget,
) -> Option<Direct> {
    let conjuncts = conjuncts(pool, formulas)?;
    solver.reset();
    for conjunct in &conjuncts {
        solver.assert(&conjunct.constraint);
    }
    let verdict = solver.check(budget);
    Some(match (verdict, solver.model(), solver.proof()) {
        (Verdict::Unsat, _, Some(proof)) => {
            let core = proof.core(conjuncts.len());
            let proof = over_core(proof, conjuncts.len(), &core);
            let used: Vec<&Conjunct> = core.iter().map(|&place| &conjuncts[place]).collect();
            Direct::Unsat(resolved(&used, Origin::Lemma { proof }))
        }
        (Verdict::Sat, Some(model), _) => {
            let value = |variable| model.integer(variable).unwrap_or_default();
            if !conjuncts.iter().all(|conjunct| conjunct.constraint.holds(value)) {
                return None;
            }
            let mut interpretation = Interpretation::default();
            let values = model.variables().map(|variable| (variable, value(variable)));
            for (variable, value) in values.filter(|(_, value)| !value.is_zero()) {
                interpretation.variables.insert(variable, Value::Int(value));
            }
            Direct::Sat(interpretation)
        }
        (Verdict::Unknown(Reason::Stopped(reason)), ..) => Direct::Stopped(reason),
        // The search may still find an answer: it has other ways to distinguish cases.
        _ => return None,
    })
}

/// The different conjuncts of formulas; `None` if one is no linear comparison.
fn conjuncts(pool: &TermPool, formulas: &[TermId]) -> Option<Vec<Conjunct>> {
    let mut conjuncts = Vec::new();
    let mut seen: FxHashSet<Literal> = FxHashSet::default();
    for (formula, &term) in formulas.iter().enumerate() {
        let only = [term];
        let parts = match pool.node(term) {
            Node::And(parts) => &**parts,
            _ => &only,
        };
        for (conjunct, &part) in parts.iter().enumerate() {
            let literal = match pool.node(part) {
                Node::LeZero(_) | Node::EqZero(_) => Literal::new(part, true),
                Node::Not(inner) => Literal::new(*inner, false),
                _ => return None,
            };
            if !seen.insert(literal) {
                continue;
            }
            let constraint = literal.constraint(pool)?;
            let (formula, conjunct) = (formula as u32, conjunct as u32);
            conjuncts.push(Conjunct { literal, constraint, formula, conjunct });
        }
    }
    Some(conjuncts)
}

/// The lemma that the conjuncts contradict each other, resolved with each of them.
fn resolved(conjuncts: &[&Conjunct], lemma: Origin) -> BooleanProof {
    let mut clauses: Arena<ClauseId, ProofClause> = Arena::new();
    let negations = conjuncts.iter().map(|conjunct| conjunct.literal.negated()).collect();
    let first = clauses.push(ProofClause { literals: negations, origin: lemma });
    let mut steps = Vec::new();
    for conjunct in conjuncts {
        let origin = Origin::Input { formula: conjunct.formula, conjunct: Some(conjunct.conjunct) };
        let unit = clauses.push(ProofClause { literals: [conjunct.literal].into(), origin });
        steps.push((conjunct.literal.atom(), unit));
    }
    if !steps.is_empty() {
        let origin = Origin::Resolution { first, steps: steps.into() };
        clauses.push(ProofClause { literals: Box::default(), origin });
    }
    BooleanProof::new(clauses)
}
