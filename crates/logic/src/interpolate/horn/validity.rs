//! Whether a clause is valid under a solution.

use rely_base::Budget;
use rustc_hash::FxHashMap;

use super::system::{Application, Clause, HornSystem, Solution, UnknownId};
use crate::beyond::{Satisfiability, satisfiable};
use crate::conjunction::{self, Conjunction, Verdict};
use crate::interpolate::decide::{Effort, Outcome, decide};
use crate::interpolate::parts::PartTree;
use crate::interpolate::translate::{Names, Problem};
use crate::interpolate::{Limits, Unknown};
use crate::linear::{Constraint, Domain, VarId};
use crate::term::{TermId, TermPool};

/// Answers questions about validity.
#[derive(Clone, Copy)]
pub(super) struct Oracle<'a> {
    pub(super) limits: &'a Limits,
    /// Case distinctions of the solver for a single conjunction.
    pub(super) splits: u64,
    pub(super) budget: &'a Budget,
}

impl Oracle<'_> {
    /// Whether the assumptions imply the conclusion.
    pub(super) fn implied(
        &self,
        pool: &mut TermPool,
        assumptions: &[TermId],
        conclusion: TermId,
    ) -> Result<bool, Unknown> {
        let negated = pool.not(conclusion);
        let all = assumptions.iter().copied().chain([negated]);
        let question = pool.and(all);
        if let Some(satisfiable) = pool.as_truth(question) {
            return Ok(!satisfiable);
        }
        if let Some(constraints) = pool.constraints(question) {
            return self.contradictory(&constraints);
        }
        let mut problem = Problem::new(PartTree::new());
        let mut conjuncts = Vec::new();
        let formula = problem.import(pool, question, &mut Names::default(), &mut conjuncts);
        conjuncts.push(formula);
        let formula = problem.pool.and(conjuncts);
        problem.conjoin(problem.tree.root(), formula);
        let effort = Effort { cases: self.limits.cases, questions: 0, splits: self.splits };
        match decide(&mut problem, effort, self.budget) {
            Outcome::Refuted(_) => Ok(true),
            Outcome::Model(_) if problem.is_abstract() => self.contradictory_beyond(pool, question),
            Outcome::Model(_) => Ok(false),
            Outcome::Unknown(unknown) => Err(unknown),
        }
    }

    /// Whether a formula that is not linear has no solution.
    fn contradictory_beyond(&self, pool: &mut TermPool, formula: TermId) -> Result<bool, Unknown> {
        match satisfiable(pool, &[formula], self.budget).satisfiability {
            Satisfiability::Unsat(_) => Ok(true),
            Satisfiability::Sat(_) => Ok(false),
            Satisfiability::Unknown(_) => Err(Unknown::Nonlinear),
        }
    }

    /// Whether a plain conjunction has no solution.
    fn contradictory(&self, constraints: &[Constraint]) -> Result<bool, Unknown> {
        let limits = conjunction::Limits { splits: self.splits, ..conjunction::Limits::default() };
        let mut solver = Conjunction::with_limits(Domain::Integers, limits);
        for constraint in constraints {
            solver.assert(constraint);
        }
        match solver.check(self.budget) {
            Verdict::Unsat => Ok(true),
            Verdict::Sat => Ok(false),
            Verdict::Unknown(reason) => Err(Unknown::Solver(reason)),
        }
    }

    /// Whether a clause is valid if its predicates are these formulas.
    pub(super) fn is_valid(
        &self,
        pool: &mut TermPool,
        system: &HornSystem,
        clause: &Clause,
        solution: &Solution,
    ) -> Result<bool, Unknown> {
        let mut assumptions = vec![clause.constraint];
        for application in &clause.body {
            assumptions.push(instance(pool, system, application, solution[application.unknown]));
        }
        let conclusion = match &clause.head {
            Some(head) => instance(pool, system, head, solution[head.unknown]),
            None => pool.truth(false),
        };
        self.implied(pool, &assumptions, conclusion)
    }

    /// Whether all clauses that mention a predicate are valid. No answer counts as no.
    pub(super) fn is_valid_around(
        &self,
        pool: &mut TermPool,
        system: &HornSystem,
        unknown: UnknownId,
        solution: &Solution,
    ) -> bool {
        system.clauses.values().all(|clause| {
            let mut applications = clause.body.iter().chain(&clause.head);
            !applications.any(|application| application.unknown == unknown)
                || self.is_valid(pool, system, clause, solution) == Ok(true)
        })
    }
}

/// A formula over the parameters of a predicate, at the arguments of an application.
pub(super) fn instance(
    pool: &mut TermPool,
    system: &HornSystem,
    application: &Application,
    formula: TermId,
) -> TermId {
    let parameters = &system.unknowns[application.unknown].parameters;
    let mut replacements: FxHashMap<TermId, TermId> = FxHashMap::default();
    for (&parameter, &argument) in parameters.iter().zip(&application.arguments) {
        replacements.insert(pool.var(parameter), argument);
    }
    pool.substitute(formula, &replacements)
}

/// Whether a formula mentions allowed parameters only.
pub(super) fn is_in_vocabulary(
    pool: &TermPool,
    system: &HornSystem,
    unknown: UnknownId,
    formula: TermId,
) -> bool {
    let declaration = &system.unknowns[unknown];
    let allowed: Vec<VarId> = declaration
        .parameters
        .iter()
        .zip(&declaration.allowed)
        .filter_map(|(&parameter, &allowed)| allowed.then_some(parameter))
        .collect();
    pool.free_variables(formula).iter().all(|variable| allowed.contains(variable))
}
