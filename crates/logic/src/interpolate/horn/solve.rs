//! Solving a system (SOLVELINEARHC, Fig. 14 of the POPL 2011 paper).
//!
//! 1. If candidates suffice, conjunctions or boolean combinations of them are the solution.
//! 2. Otherwise the clauses are unwound into a tree, which is refuted; the interpolants of the uses
//!    of a predicate are its solution.
//! 3. The solution is made simpler.
//! 4. Every clause is checked.

use rely_base::Budget;

use super::candidates::from_candidates;
use super::cubes::from_combinations;
use super::improve::improve;
use super::system::{HornOutcome, HornSystem, Solution, UnknownId};
use super::unwind::Unwinding;
use super::validity::{Oracle, is_in_vocabulary};
use crate::conjunction::Reason;
use crate::interpolate::decide::{Effort, Outcome, decide};
use crate::interpolate::{Limits, Unknown};
use crate::term::TermPool;

impl HornSystem {
    /// Solves the system for its predicates: with the preferred formulas if they suffice, and
    /// otherwise by interpolation.
    pub fn solve(&self, pool: &mut TermPool, limits: &Limits, budget: &Budget) -> HornOutcome {
        match self.solver(limits, budget) {
            Ok(solver) => match solver.with_candidates(pool) {
                Some(solution) => HornOutcome::Solved(solution),
                None => solver.by_interpolation(pool),
            },
            Err(unknown) => HornOutcome::Unknown(unknown),
        }
    }

    /// A solution made of preferred formulas only, if there is one.
    pub fn solve_with_candidates(
        &self,
        pool: &mut TermPool,
        limits: &Limits,
        budget: &Budget,
    ) -> Option<Solution> {
        self.solver(limits, budget).ok()?.with_candidates(pool)
    }

    /// Solves the system by interpolation, whatever formulas are preferred.
    pub fn solve_by_interpolation(
        &self,
        pool: &mut TermPool,
        limits: &Limits,
        budget: &Budget,
    ) -> HornOutcome {
        match self.solver(limits, budget) {
            Ok(solver) => solver.by_interpolation(pool),
            Err(unknown) => HornOutcome::Unknown(unknown),
        }
    }

    fn solver<'a>(&'a self, limits: &'a Limits, budget: &'a Budget) -> Result<Solver<'a>, Unknown> {
        budget.check_now().map_err(|reason| Unknown::Solver(Reason::Stopped(reason)))?;
        let order = self.order().ok_or(Unknown::Recursive)?;
        let oracle = Oracle { limits, splits: limits.patient_splits, budget };
        Ok(Solver { system: self, order, limits, oracle, budget })
    }

    fn is_restricted(&self) -> bool {
        self.unknowns.values().any(|declaration| declaration.allowed.contains(&false))
    }
}

struct Solver<'a> {
    system: &'a HornSystem,
    order: Vec<UnknownId>,
    limits: &'a Limits,
    oracle: Oracle<'a>,
    budget: &'a Budget,
}

impl Solver<'_> {
    fn with_candidates(&self, pool: &mut TermPool) -> Option<Solution> {
        [from_candidates, from_combinations].into_iter().find_map(|method| {
            let solution = method(pool, self.system, &self.order, self.oracle)?;
            self.check(pool, &solution).is_ok().then_some(solution)
        })
    }

    /// What a question that must be answered may cost.
    fn effort(&self, questions: usize) -> Effort<'_> {
        Effort { limits: self.limits, questions, splits: self.limits.patient_splits }
    }

    fn by_interpolation(&self, pool: &mut TermPool) -> HornOutcome {
        let effort = self.effort(self.limits.questions);
        let mut unwinding = match Unwinding::new(self.system, pool, true, self.limits) {
            Ok(unwinding) => unwinding,
            Err(unknown) => return HornOutcome::Unknown(unknown),
        };
        let interpolants = match decide(&mut unwinding.problem, effort, self.budget) {
            Outcome::Refuted(interpolants) => interpolants,
            Outcome::Unknown(unknown) => return HornOutcome::Unknown(unknown),
            Outcome::Model(_) if self.system.is_restricted() => return self.without_restriction(pool),
            Outcome::Model(model) => {
                return match unwinding.derivation(pool, &model) {
                    Some(derivation) => HornOutcome::Unsatisfiable(derivation),
                    None => HornOutcome::Unknown(Unknown::Nonlinear),
                };
            }
        };
        let Some(mut solution) = unwinding.solution(pool, &interpolants) else {
            return HornOutcome::Unknown(Unknown::Rejected);
        };
        let questions = self.limits.questions;
        let found = solution.clone();
        let mut reason = Unknown::Rejected;
        let hasty = Oracle { splits: self.limits.improving_splits, ..self.oracle };
        improve(pool, self.system, &self.order, &mut solution, hasty, questions);
        for solution in [solution, found] {
            match self.check(pool, &solution) {
                Ok(()) => return HornOutcome::Solved(solution),
                Err(unknown) => reason = unknown,
            }
        }
        HornOutcome::Unknown(reason)
    }

    /// Why there is no solution within the vocabulary.
    fn without_restriction(&self, pool: &TermPool) -> HornOutcome {
        let effort = self.effort(0);
        let mut unwinding = match Unwinding::new(self.system, pool, false, self.limits) {
            Ok(unwinding) => unwinding,
            Err(unknown) => return HornOutcome::Unknown(unknown),
        };
        match decide(&mut unwinding.problem, effort, self.budget) {
            Outcome::Refuted(_) if unwinding.problem.is_abstract() => {
                HornOutcome::Unknown(Unknown::Nonlinear)
            }
            Outcome::Refuted(_) => HornOutcome::NotInVocabulary,
            Outcome::Unknown(unknown) => HornOutcome::Unknown(unknown),
            Outcome::Model(model) => match unwinding.derivation(pool, &model) {
                Some(derivation) => HornOutcome::Unsatisfiable(derivation),
                None => HornOutcome::Unknown(Unknown::Nonlinear),
            },
        }
    }

    /// Whether a solution keeps to the vocabulary and makes every clause valid.
    fn check(&self, pool: &mut TermPool, solution: &Solution) -> Result<(), Unknown> {
        for (unknown, &formula) in solution.iter() {
            if !is_in_vocabulary(pool, self.system, unknown, formula) {
                return Err(Unknown::Rejected);
            }
        }
        for clause in self.system.clauses.values() {
            if !self.oracle.is_valid(pool, self.system, clause, solution)? {
                return Err(Unknown::Rejected);
            }
        }
        Ok(())
    }
}
