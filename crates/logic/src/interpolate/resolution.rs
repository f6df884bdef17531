//! Refutation of a tree of formulas by resolution.
//!
//! The solver for formulas learns clauses and proves every one of them by resolution from the
//! clauses of the formulas and from lemmas about conjunctions. Each clause of the proof gets one
//! formula for every part, following V. D'Silva, D. Kroening, M. Purandare and G. Weissenbacher,
//! "Interpolant strength", VMCAI 2010: every atom belongs to one part in which all its variables
//! are at home. Seen from an edge, an atom is below if its part is.
//!
//! - A clause of a part below says: one of its literals that are above. A clause of a part above
//!   says: none of its literals that are below.
//! - A lemma says what the conjunction of its negated literals has between them.
//! - A resolvent says either, if the atom is below, or both, if it is above.
//!
//! Definitions of connectives are clauses of the connective's part.

use rely_base::{Arena, Budget, Id};
use rustc_hash::FxHashMap;

use super::decide::{Effort, Outcome};
use super::extract::{Interpolants, Owned, combine};
use super::parts::{PartId, PartTree};
use super::refute::Refuter;
use super::scope::Scope;
use super::translate::Problem;
use super::unknown::Unknown;
use crate::conjunction::{Limits, Model, Reason};
use crate::linear::VarId;
use crate::sat::{self, BooleanProof, ClauseId, Literal, Obstacle, Origin, ProofClause, Solver};
use crate::term::{TermId, TermPool};

/// Decides a problem with the solver for formulas.
pub(super) fn by_resolution(problem: &mut Problem, effort: Effort<'_>, budget: &Budget) -> Outcome {
    let limits = Limits { splits: effort.splits, ..Limits::default() };
    let mut solver = Solver::with_limits(limits);
    for &formula in &problem.formulas {
        if solver.assert(&mut problem.pool, formula).is_err() {
            return Outcome::Unknown(Unknown::Nonlinear);
        }
    }
    match solver.check(&problem.pool, budget) {
        sat::Outcome::Sat => {
            model(problem, &solver).map_or(Outcome::Unknown(Unknown::Rejected), Outcome::Model)
        }
        sat::Outcome::Unknown(obstacle) => Outcome::Unknown(reason(obstacle)),
        // Without parts there is nothing in between.
        sat::Outcome::Unsat if problem.tree.len() == 1 => Outcome::Refuted(Vec::new()),
        sat::Outcome::Unsat => match solver.proof() {
            Some(proof) if proof.clauses().len() <= effort.limits.clauses => {
                let found = interpolants(problem, &proof, Refuter::new(budget, effort));
                found.map_or_else(Outcome::Unknown, Outcome::Refuted)
            }
            _ => Outcome::Unknown(Unknown::Cases),
        },
    }
}

fn model(problem: &Problem, solver: &Solver) -> Option<Model> {
    let interpretation = solver.interpretation()?;
    let variables = problem.formulas.iter().flat_map(|&formula| problem.pool.free_variables(formula));
    let values: FxHashMap<VarId, _> =
        variables.map(|variable| (variable, interpretation.integer(variable))).collect();
    Some(Model::of_integers(values))
}

fn reason(obstacle: Obstacle) -> Unknown {
    match obstacle {
        Obstacle::Stopped(reason) => Unknown::Solver(Reason::Stopped(reason)),
        Obstacle::Conjunction(reason) => Unknown::Solver(reason),
        Obstacle::Lemmas | Obstacle::NoModel => Unknown::Nonlinear,
    }
}

/// The interpolants that a proof from the formulas of the parts contains.
fn interpolants(
    problem: &mut Problem,
    proof: &BooleanProof,
    refuter: Refuter<'_>,
) -> Result<Interpolants, Unknown> {
    let Problem { pool, tree, formulas, .. } = problem;
    let occurrences: Vec<(VarId, PartId)> = tree
        .parts()
        .zip(formulas.iter())
        .flat_map(|(part, &formula)| pool.free_variables(formula).into_iter().map(move |v| (v, part)))
        .collect();
    let scope = Scope::of(tree, &occurrences);
    let mut walk = Walk { pool, tree, scope, refuter, homes: FxHashMap::default() };
    let mut found: Arena<ClauseId, Interpolants> = Arena::new();
    for clause in proof.clauses().values() {
        let interpolants = walk.clause(clause, &found)?;
        found.push(interpolants);
    }
    let conclusion = proof.conclusion().ok_or(Unknown::Rejected)?;
    Ok(found[conclusion].clone())
}

struct Walk<'a> {
    pool: &'a mut TermPool,
    tree: &'a PartTree,
    scope: Scope<'a>,
    refuter: Refuter<'a>,
    /// The parts of atoms.
    homes: FxHashMap<TermId, PartId>,
}

impl Walk<'_> {
    fn clause(
        &mut self,
        clause: &ProofClause,
        earlier: &Arena<ClauseId, Interpolants>,
    ) -> Result<Interpolants, Unknown> {
        match &clause.origin {
            Origin::Input { formula, .. } => {
                self.of_part(PartId::from_index(*formula as usize), &clause.literals)
            }
            Origin::Definition { term, .. } => {
                let part = self.home(*term)?;
                self.of_part(part, &clause.literals)
            }
            Origin::Lemma { .. } => self.lemma(&clause.literals),
            Origin::Resolution { first, steps } => {
                let mut current = earlier[*first].clone();
                for (atom, other) in steps {
                    let part = self.home(*atom)?;
                    current = combine(self.pool, self.tree, part, &[current, earlier[*other].clone()]);
                }
                Ok(current)
            }
        }
    }

    /// The part that an atom belongs to.
    fn home(&mut self, atom: TermId) -> Result<PartId, Unknown> {
        if let Some(&part) = self.homes.get(&atom) {
            return Ok(part);
        }
        let part = self.scope.common_home(self.pool.free_variables(atom)).ok_or(Unknown::Indivisible)?;
        self.homes.insert(atom, part);
        Ok(part)
    }

    fn of_part(&mut self, part: PartId, literals: &[Literal]) -> Result<Interpolants, Unknown> {
        let mut places = Vec::with_capacity(literals.len());
        for literal in literals {
            places.push((*literal, self.home(literal.atom())?));
        }
        let (tree, pool) = (self.tree, &mut *self.pool);
        let interpolants = tree.edges().map(|edge| {
            let clause_is_below = tree.is_within(part, edge);
            let across = places.iter().filter(|(_, home)| tree.is_within(*home, edge) != clause_is_below);
            if clause_is_below {
                let above: Vec<TermId> = across.map(|(literal, _)| literal.term(pool)).collect();
                pool.or(above)
            } else {
                let below: Vec<TermId> = across.map(|(literal, _)| literal.negated().term(pool)).collect();
                pool.and(below)
            }
        });
        Ok(interpolants.collect())
    }

    fn lemma(&mut self, literals: &[Literal]) -> Result<Interpolants, Unknown> {
        let mut inputs = Vec::with_capacity(literals.len());
        for literal in literals {
            let constraint = literal.negated().constraint(self.pool).ok_or(Unknown::Rejected)?;
            inputs.push(Owned { constraint, part: self.home(literal.atom())? });
        }
        let all = (0..inputs.len()).collect();
        Ok(self.refuter.interpolants(self.pool, self.tree, &inputs, all)?.interpolants)
    }
}
