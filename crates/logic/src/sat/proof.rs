//! Refutations of formulas with boolean structure, as plain data.
//!
//! A [`BooleanProof`] is a list of clauses, each derived from earlier ones, that ends with the
//! empty clause. Literals are formulas: an atom is a boolean variable, a linear comparison, or a
//! subformula that stands for itself. So the clauses that define connectives are plain
//! tautologies, and every clause can be read without a table of auxiliary variables.

use rely_base::{Arena, Id};

use super::clause::ClauseId;
use crate::certificate::Proof;
use crate::linear::Constraint;
use crate::term::{TermId, TermPool};

/// An atom or its negation.
///
/// A comparison `t <= 0` and its negation `1 - t <= 0` are one atom of a proof: one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    atom: TermId,
    positive: bool,
}

impl Literal {
    /// The atom, or its negation.
    pub fn new(atom: TermId, positive: bool) -> Self {
        Self { atom, positive }
    }

    /// What the literal is about.
    pub fn atom(self) -> TermId {
        self.atom
    }

    /// Whether the literal is the atom itself.
    pub fn is_positive(self) -> bool {
        self.positive
    }

    /// The opposite literal.
    pub fn negated(self) -> Self {
        Self { atom: self.atom, positive: !self.positive }
    }

    /// The literal as a formula.
    pub fn term(self, pool: &mut TermPool) -> TermId {
        if self.positive { self.atom } else { pool.not(self.atom) }
    }

    /// The literal as a constraint, if the atom is a linear comparison.
    pub fn constraint(self, pool: &TermPool) -> Option<Constraint> {
        let constraint = pool.constraint(self.atom)?;
        Some(if self.positive { constraint } else { constraint.negated() })
    }
}

/// A clause of a proof with its derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofClause {
    /// The disjuncts, without duplicates.
    pub literals: Box<[Literal]>,
    /// Why the clause holds.
    pub origin: Origin,
}

/// Why a clause holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is given by a formula.
    Input {
        /// The number of the formula in the order of assertion; assumptions come after that.
        formula: u32,
        /// `None`: the clause is the formula, as one literal. `Some(i)`: the literals are the
        /// disjuncts of the formula's conjunct number `i` (of the formula itself, number 0, if
        /// it is no conjunction).
        conjunct: Option<u32>,
    },
    /// It is a tautology about a connective and its operands: `!(a & b) | a`, say.
    Definition {
        /// The conjunction, disjunction or equivalence.
        term: TermId,
        /// The operand, if the clause relates the connective to a single one: `!(a & b) | a` or
        /// `(a | b) | !a`.
        operand: Option<u32>,
    },
    /// The negations of its literals, in their order the inputs of the proof, have no solution.
    Lemma {
        /// The refutation over the integers.
        proof: Proof,
    },
    /// It is what remains of the first clause after resolving it with others, one by one.
    Resolution {
        /// The clause to begin with.
        first: ClauseId,
        /// The atom to resolve on, and the clause that has it with the other sign.
        steps: Box<[(TermId, ClauseId)]>,
    },
}

/// A proof that formulas contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooleanProof {
    clauses: Arena<ClauseId, ProofClause>,
}

impl BooleanProof {
    /// The proof with these clauses.
    pub fn new(clauses: Arena<ClauseId, ProofClause>) -> Self {
        Self { clauses }
    }

    /// All clauses; each is derived from earlier ones, and the last one is empty.
    pub fn clauses(&self) -> &Arena<ClauseId, ProofClause> {
        &self.clauses
    }

    /// The last clause, which is the empty one in a correct proof.
    pub fn conclusion(&self) -> Option<ClauseId> {
        self.clauses.len().checked_sub(1).map(ClauseId::from_index)
    }

    /// The numbers of the formulas that the proof uses, ascending: an unsatisfiable core.
    pub fn core(&self) -> Vec<usize> {
        let input = |clause: &ProofClause| match clause.origin {
            Origin::Input { formula, .. } => Some(formula as usize),
            _ => None,
        };
        let mut used: Vec<usize> = self.clauses.values().filter_map(input).collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}
