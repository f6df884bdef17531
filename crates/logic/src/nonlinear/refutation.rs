//! Refutations of formulas with any operations, and their checker.

use rely_base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use super::lemma::{Lemma, witness};
use crate::linear::VarId;
use crate::sat::{BooleanProof, BooleanProofError};
use crate::term::{Node, TermId, TermPool};

/// A proof that formulas have no common model.
///
/// The formulas and some lemmas are abstracted: terms that are not linear become variables. The
/// abstraction is refuted by a [`BooleanProof`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The variables of the abstraction with the terms that they stand for.
    pub definitions: Vec<(VarId, TermId)>,
    /// The lemmas used.
    pub lemmas: Vec<Lemma>,
    /// The abstractions of the formulas, then those of the lemmas.
    pub abstractions: Vec<TermId>,
    /// The refutation of the abstractions.
    pub proof: BooleanProof,
}

/// Why a refutation is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefutationError {
    /// There must be one abstraction for each formula and each lemma.
    #[error("there are {abstractions} abstractions of {formulas} formulas and {lemmas} lemmas")]
    Count {
        /// The number of abstractions.
        abstractions: usize,
        /// The number of formulas.
        formulas: usize,
        /// The number of lemmas.
        lemmas: usize,
    },
    /// A term or variable is not of this pool.
    #[error("the refutation is about terms of another pool")]
    Foreign,
    /// A variable of the abstraction has a meaning already.
    #[error("variable {0:?} of the abstraction is defined twice or occurs elsewhere")]
    NotFresh(VarId),
    /// A term is not of the kind that a lemma is about.
    #[error("lemma {0} is about other terms than it is applied to")]
    NotALemma(usize),
    /// The definitions do not lead from an abstraction to its original.
    #[error("abstraction {0} is not that of its formula or lemma")]
    NotTheAbstraction(usize),
    /// A constant that stands for an unknown index occurs in a formula.
    #[error("the witness of lemma {0} occurs in a formula")]
    WitnessUsed(usize),
    /// The refutation of the abstraction is wrong.
    #[error(transparent)]
    Proof(#[from] BooleanProofError),
}

impl Refutation {
    /// Whether this proves that the formulas have no common model. (Putting terms back in for
    /// variables takes a pool that can make terms; no new ones remain needed.)
    pub fn check(&self, pool: &mut TermPool, formulas: &[TermId]) -> Result<(), RefutationError> {
        let count = (self.abstractions.len(), formulas.len(), self.lemmas.len());
        if count.0 != count.1 + count.2 {
            let (abstractions, formulas, lemmas) = count;
            return Err(RefutationError::Count { abstractions, formulas, lemmas });
        }
        self.check_known(pool)?;
        let mut originals = formulas.to_vec();
        for (number, lemma) in self.lemmas.iter().enumerate() {
            originals.push(lemma.statement(pool).ok_or(RefutationError::NotALemma(number))?);
        }
        self.check_witnesses(pool, formulas)?;
        self.check_fresh(pool, &originals)?;
        let meaning: FxHashMap<TermId, TermId> =
            self.definitions.iter().map(|&(variable, term)| (pool.var(variable), term)).collect();
        for (number, (&abstraction, &original)) in self.abstractions.iter().zip(&originals).enumerate() {
            if pool.substitute(abstraction, &meaning) != original {
                return Err(RefutationError::NotTheAbstraction(number));
            }
        }
        Ok(self.proof.check(pool, &self.abstractions)?)
    }

    /// Everything that is mentioned exists.
    fn check_known(&self, pool: &TermPool) -> Result<(), RefutationError> {
        let variables = pool.variables().count();
        let known = |term: &TermId| term.index() < pool.len();
        let exists =
            self.definitions.iter().all(|(variable, term)| variable.index() < variables && known(term))
                && self.lemmas.iter().all(|lemma| lemma.terms().iter().all(known))
                && self.abstractions.iter().all(known);
        exists.then_some(()).ok_or(RefutationError::Foreign)
    }

    /// The variables of the abstraction are different and occur in no original term, and have the
    /// sort of what they stand for.
    fn check_fresh(&self, pool: &TermPool, originals: &[TermId]) -> Result<(), RefutationError> {
        if self.definitions.is_empty() {
            return Ok(());
        }
        let defined: FxHashSet<VarId> = self.definitions.iter().map(|entry| entry.0).collect();
        let mut seen: FxHashSet<VarId> = FxHashSet::default();
        for &(variable, term) in &self.definitions {
            if !seen.insert(variable) || pool.variable(variable).sort != pool.sort(term) {
                return Err(RefutationError::NotFresh(variable));
            }
        }
        let terms = self.definitions.iter().map(|entry| entry.1).chain(originals.iter().copied());
        for term in pool.subterms(terms) {
            if let Some(variable) = pool.as_var(term).filter(|variable| defined.contains(variable)) {
                return Err(RefutationError::NotFresh(variable));
            }
        }
        Ok(())
    }

    /// The constants of [`Lemma::Witness`] may be anything, because no formula mentions them.
    fn check_witnesses(&self, pool: &mut TermPool, formulas: &[TermId]) -> Result<(), RefutationError> {
        let mut used: FxHashMap<TermId, usize> = FxHashMap::default();
        for (number, lemma) in self.lemmas.iter().enumerate() {
            if let Lemma::Witness(equality) = lemma {
                used.insert(witness(pool, *equality), number);
            }
        }
        if used.is_empty() {
            return Ok(());
        }
        let mentioned = pool.subterms(formulas.iter().copied());
        let equalities = self.lemmas.iter().filter_map(|lemma| match lemma {
            Lemma::Witness(equality) => Some(*equality),
            _ => None,
        });
        // Nor does an equality that has a witness mention one: else they would depend on each other.
        let nested = pool.subterms(equalities);
        let is_constant =
            |term: &&TermId| matches!(pool.node(**term), Node::Apply(_, list) if list.is_empty());
        match mentioned.iter().chain(&nested).filter(is_constant).find_map(|term| used.get(term)) {
            Some(&number) => Err(RefutationError::WitnessUsed(number)),
            None => Ok(()),
        }
    }
}
