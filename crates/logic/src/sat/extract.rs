//! The proof of a contradiction, out of the store of clauses.

use rely_base::{Arena, Id};

use super::clause::{AtomId, ClauseId, Derivation, Signed};
use super::proof::{BooleanProof, Literal, Origin, ProofClause};
use super::solver::Solver;
use crate::term::TermId;

impl Solver {
    /// The derivation of a clause, with only those clauses that it needs.
    pub(super) fn extract(&self, conclusion: ClauseId) -> BooleanProof {
        let needed = self.dependencies(conclusion);
        let mut numbers: Vec<Option<ClauseId>> = vec![None; conclusion.index() + 1];
        let mut clauses: Arena<ClauseId, ProofClause> = Arena::new();
        for id in self.search.clauses.ids().take(conclusion.index() + 1) {
            if needed[id.index()] {
                let number = |id: ClauseId| numbers[id.index()].expect("clauses come after what they need");
                let clause = self.proof_clause(id, number);
                numbers[id.index()] = Some(clauses.push(clause));
            }
        }
        BooleanProof::new(clauses)
    }

    /// Which of the clauses up to the conclusion it depends on, itself included.
    fn dependencies(&self, conclusion: ClauseId) -> Vec<bool> {
        let clauses = &self.search.clauses;
        let mut needed = vec![false; conclusion.index() + 1];
        needed[conclusion.index()] = true;
        for index in (0..=conclusion.index()).rev() {
            if !needed[index] {
                continue;
            }
            let derivation = &clauses.record(ClauseId::from_index(index)).derivation;
            if let Derivation::Chain { first, start, length } = derivation {
                needed[first.index()] = true;
                for (_, id) in clauses.steps(*start, *length) {
                    needed[id.index()] = true;
                }
            }
        }
        needed
    }

    fn proof_clause(&self, id: ClauseId, number: impl Fn(ClauseId) -> ClauseId) -> ProofClause {
        let clauses = &self.search.clauses;
        let literals = |literals: &[Signed]| literals.iter().map(|&literal| self.literal(literal)).collect();
        let origin = match &clauses.record(id).derivation {
            Derivation::Input { formula, conjunct } => {
                Origin::Input { formula: *formula, conjunct: *conjunct }
            }
            Derivation::Definition { term, operand } => Origin::Definition { term: *term, operand: *operand },
            Derivation::Lemma { literals: ordered, proof } => {
                let origin = Origin::Lemma { proof: (**proof).clone() };
                return ProofClause { literals: literals(ordered), origin };
            }
            Derivation::Bound(lemma) => {
                let origin = Origin::Lemma { proof: lemma.proof() };
                return ProofClause { literals: literals(lemma.literals()), origin };
            }
            Derivation::Chain { first, start, length } => Origin::Resolution {
                first: number(*first),
                steps: clauses
                    .steps(*start, *length)
                    .iter()
                    .map(|&(pivot, id)| (self.atom_term(pivot), number(id)))
                    .collect(),
            },
            Derivation::Blocked => unreachable!("a refutation depends on no unfounded clause"),
        };
        ProofClause { literals: literals(clauses.literals(id)), origin }
    }

    fn atom_term(&self, atom: AtomId) -> TermId {
        self.atoms[atom.index()].term
    }

    fn literal(&self, literal: Signed) -> Literal {
        Literal::new(self.atom_term(literal.atom()), literal.is_positive())
    }
}
