//! The checker of boolean proofs.
//!
//! It replays every clause: inputs and definitions are compared with the terms they claim to come
//! from, lemmas go to the checker of linear proofs, and resolution is carried out again. It knows
//! nothing of the search; of the rest of this crate it uses terms, constraints and that checker.

use rely_base::Id;
use rustc_hash::FxHashSet;

use super::clause::ClauseId;
use super::proof::{BooleanProof, Literal, Origin, ProofClause};
use crate::certificate::{Proof, ProofError};
use crate::linear::{Constraint, Domain};
use crate::term::{Node, TermId, TermPool};

/// Why a boolean proof is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BooleanProofError {
    /// The last clause is missing or not empty.
    #[error("the proof does not end with the empty clause")]
    NoContradiction,
    /// A term of the proof is not of this pool.
    #[error("clause {0:?} is about terms of another pool")]
    Foreign(ClauseId),
    /// There is no formula or conjunct of this number.
    #[error("clause {0:?} claims to come from a formula that is not there")]
    MissingFormula(ClauseId),
    /// The clause is not what the formula says.
    #[error("clause {0:?} is no part of the formula it claims to come from")]
    NotTheFormula(ClauseId),
    /// The clause does not follow from the meaning of the connective.
    #[error("clause {0:?} does not define its connective")]
    NotADefinition(ClauseId),
    /// A literal of a lemma is no linear comparison.
    #[error("lemma {0:?} has a literal that is no linear comparison")]
    NotLinear(ClauseId),
    /// The proof of a lemma is wrong.
    #[error("lemma {0:?}: {1}")]
    Lemma(ClauseId, ProofError),
    /// A clause is derived from one that does not come before it.
    #[error("clause {0:?} is derived from {1:?}, which does not come before it")]
    NotEarlier(ClauseId, ClauseId),
    /// The two clauses do not have the atom with opposite signs.
    #[error("clause {0:?}: step {1} cannot resolve on its atom")]
    BadPivot(ClauseId, usize),
    /// Resolution leads to another clause.
    #[error("clause {0:?} is not what its resolution steps lead to")]
    NotTheResolvent(ClauseId),
}

impl BooleanProof {
    /// Whether this proves that the formulas have no common model.
    pub fn check(&self, pool: &TermPool, formulas: &[TermId]) -> Result<(), BooleanProofError> {
        let checker = Checker { pool, formulas, proof: self };
        for (id, clause) in self.clauses().iter() {
            checker.check_clause(id, clause)?;
        }
        match self.clauses().values().last() {
            Some(last) if last.literals.is_empty() => Ok(()),
            _ => Err(BooleanProofError::NoContradiction),
        }
    }
}

struct Checker<'a> {
    pool: &'a TermPool,
    formulas: &'a [TermId],
    proof: &'a BooleanProof,
}

/// A formula or, if false, its negation.
type SignedTerm = (TermId, bool);

/// What tells literals apart.
#[derive(PartialEq, Eq, Hash)]
enum Meaning {
    Inequality(Constraint),
    Formula(TermId, bool),
}

impl Checker<'_> {
    fn check_clause(&self, id: ClauseId, clause: &ProofClause) -> Result<(), BooleanProofError> {
        let defined = match clause.origin {
            Origin::Definition { term, .. } => Some(term),
            _ => None,
        };
        let mut terms = clause.literals.iter().map(|literal| literal.atom()).chain(defined);
        if terms.any(|term| term.index() >= self.pool.len()) {
            return Err(BooleanProofError::Foreign(id));
        }
        match &clause.origin {
            Origin::Input { formula, conjunct } => {
                self.check_input(id, &clause.literals, *formula, *conjunct)
            }
            Origin::Definition { term, operand } => self
                .is_definition(*term, *operand, &clause.literals)
                .then_some(())
                .ok_or(BooleanProofError::NotADefinition(id)),
            Origin::Lemma { proof } => self.check_lemma(id, &clause.literals, proof),
            Origin::Resolution { first, steps } => self.check_resolution(id, &clause.literals, *first, steps),
        }
    }

    fn check_input(
        &self,
        id: ClauseId,
        literals: &[Literal],
        formula: u32,
        conjunct: Option<u32>,
    ) -> Result<(), BooleanProofError> {
        let missing = BooleanProofError::MissingFormula(id);
        let formula = (*self.formulas.get(formula as usize).ok_or(missing.clone())?, true);
        let disjuncts = match conjunct {
            None => vec![formula],
            Some(number) => {
                let conjuncts = self.operands(formula, true);
                self.operands(*conjuncts.get(number as usize).ok_or(missing)?, false)
            }
        };
        let same = self.is_clause_of(literals, disjuncts);
        same.then_some(()).ok_or(BooleanProofError::NotTheFormula(id))
    }

    /// The operands of a conjunction (or disjunction), seen through negation; a formula that is
    /// something else is its own only operand.
    fn operands(&self, formula: SignedTerm, conjunction: bool) -> Vec<SignedTerm> {
        let (term, positive) = self.strip_not(formula);
        match self.pool.node(term) {
            Node::And(parts) if positive == conjunction => {
                parts.iter().map(|&part| (part, positive)).collect()
            }
            Node::Or(parts) if positive != conjunction => {
                parts.iter().map(|&part| (part, positive)).collect()
            }
            Node::Bool(value) if *value == (positive == conjunction) => Vec::new(),
            _ => vec![(term, positive)],
        }
    }

    fn strip_not(&self, (term, positive): SignedTerm) -> SignedTerm {
        match self.pool.node(term) {
            Node::Not(inner) => (*inner, !positive),
            _ => (term, positive),
        }
    }

    /// Whether the literals are exactly the disjuncts, in any order.
    fn is_clause_of(&self, literals: &[Literal], disjuncts: impl IntoIterator<Item = SignedTerm>) -> bool {
        let disjuncts: Vec<SignedTerm> = disjuncts.into_iter().collect();
        // What is written in the same way means the same.
        let is_same = |(literal, part): (&Literal, &SignedTerm)| {
            self.strip_not((literal.atom(), literal.is_positive())) == self.strip_not(*part)
        };
        if literals.len() == disjuncts.len() && literals.iter().zip(&disjuncts).all(is_same) {
            return true;
        }
        let claimed: FxHashSet<Meaning> =
            literals.iter().map(|literal| self.meaning((literal.atom(), literal.is_positive()))).collect();
        let expected: FxHashSet<Meaning> = disjuncts.into_iter().map(|part| self.meaning(part)).collect();
        claimed == expected
    }

    /// What a formula means, whichever way an inequality is written.
    fn meaning(&self, formula: SignedTerm) -> Meaning {
        let (term, positive) = self.strip_not(formula);
        match (self.pool.node(term), self.pool.constraint(term)) {
            (Node::LeZero(_), Some(constraint)) if positive => Meaning::Inequality(constraint),
            (Node::LeZero(_), Some(constraint)) => Meaning::Inequality(constraint.negated()),
            _ => Meaning::Formula(term, positive),
        }
    }

    /// Whether the clause says something that follows from what a connective means: for a
    /// conjunction `!(a & b) | a` or `(a & b) | !a | !b`, for a disjunction all negated.
    fn is_definition(&self, term: TermId, operand: Option<u32>, literals: &[Literal]) -> bool {
        let (parts, and) = match self.pool.node(term) {
            Node::And(parts) => (parts, true),
            Node::Or(parts) => (parts, false),
            Node::Iff(a, b) => {
                let sides =
                    [(false, false, true), (false, true, false), (true, true, true), (true, false, false)];
                return sides.iter().any(|&(own, left, right)| {
                    self.is_clause_of(literals, [(term, own), (*a, left), (*b, right)])
                });
            }
            _ => return false,
        };
        match operand {
            Some(number) => parts
                .get(number as usize)
                .is_some_and(|&part| self.is_clause_of(literals, [(term, !and), (part, and)])),
            None => {
                let parts = parts.iter().map(|&part| (part, !and));
                self.is_clause_of(literals, parts.chain([(term, and)]))
            }
        }
    }

    fn check_lemma(
        &self,
        id: ClauseId,
        literals: &[Literal],
        proof: &Proof,
    ) -> Result<(), BooleanProofError> {
        let inputs: Option<Vec<Constraint>> =
            literals.iter().map(|literal| literal.negated().constraint(self.pool)).collect();
        let inputs = inputs.ok_or(BooleanProofError::NotLinear(id))?;
        proof.check(Domain::Integers, &inputs).map_err(|error| BooleanProofError::Lemma(id, error))
    }

    fn check_resolution(
        &self,
        id: ClauseId,
        literals: &[Literal],
        first: ClauseId,
        steps: &[(TermId, ClauseId)],
    ) -> Result<(), BooleanProofError> {
        let mut current: FxHashSet<Literal> = self.earlier(id, first)?.iter().copied().collect();
        for (number, &(pivot, clause)) in steps.iter().enumerate() {
            let side = self.earlier(id, clause)?;
            let resolved = [true, false]
                .map(|positive| Literal::new(pivot, positive))
                .into_iter()
                .find(|literal| current.contains(literal) && side.contains(&literal.negated()))
                .ok_or(BooleanProofError::BadPivot(id, number))?;
            current.remove(&resolved);
            current.extend(side.iter().filter(|&&literal| literal != resolved.negated()));
        }
        let claimed: FxHashSet<Literal> = literals.iter().copied().collect();
        (claimed == current).then_some(()).ok_or(BooleanProofError::NotTheResolvent(id))
    }

    fn earlier(&self, id: ClauseId, used: ClauseId) -> Result<&[Literal], BooleanProofError> {
        let clause = self.proof.clauses().get(used).filter(|_| used.index() < id.index());
        clause.map(|clause| &*clause.literals).ok_or(BooleanProofError::NotEarlier(id, used))
    }
}
