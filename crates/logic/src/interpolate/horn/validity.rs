//! Whether a clause is valid under a solution.

use rely_base::Budget;
use rustc_hash::FxHashMap;

use super::system::{Application, Clause, HornSystem, Solution, UnknownId};
use crate::conjunction::{self, Conjunction, Entailment, Model, Verdict};
use crate::interpolate::decide::{Effort, Outcome, decide};
use crate::interpolate::parts::PartTree;
use crate::interpolate::translate::{Names, Problem};
use crate::interpolate::{Limits, Unknown};
use crate::linear::{Constraint, Domain, VarId};
use crate::nonlinear::{Satisfiability, satisfiable};
use crate::term::{Sort, TermId, TermPool, Value};

/// Answers questions about validity.
#[derive(Clone, Copy)]
pub(super) struct Oracle<'a> {
    pub(super) limits: &'a Limits,
    /// Case distinctions of the solver for a single conjunction.
    pub(super) splits: usize,
    pub(super) budget: &'a Budget,
}

/// Values of variables.
pub(super) type Point = FxHashMap<VarId, Value>;

impl Oracle<'_> {
    /// Whether the assumptions imply the conclusion.
    pub(super) fn implied(
        &self,
        pool: &mut TermPool,
        assumptions: &[TermId],
        conclusion: TermId,
    ) -> Result<bool, Unknown> {
        let negated = pool.not(conclusion);
        let question = pool.and(assumptions.iter().copied().chain([negated]));
        Ok(self.model(pool, question)?.is_none())
    }

    /// A model of a formula, if it has one.
    pub(super) fn model(&self, pool: &mut TermPool, question: TermId) -> Result<Option<Point>, Unknown> {
        if let Some(satisfiable) = pool.as_truth(question) {
            return Ok(satisfiable.then(Point::default));
        }
        if let Some(constraints) = pool.constraints(question) {
            return self.model_of_constraints(&constraints);
        }
        let mut problem = Problem::new(PartTree::new(), self.limits);
        let mut conjuncts = Vec::new();
        let mut names = Names::default();
        let formula = problem.import(pool, question, &mut names, &mut conjuncts);
        conjuncts.push(formula);
        let formula = problem.pool.and(conjuncts);
        problem.conjoin(problem.tree.root(), formula);
        let effort = Effort { limits: self.limits, questions: 0, splits: self.splits };
        match decide(&mut problem, effort, self.budget) {
            Outcome::Refuted(_) => Ok(None),
            Outcome::Model(_) if problem.is_abstract() => self.model_beyond(pool, question),
            Outcome::Model(model) => {
                let value = |(&variable, &private): (&VarId, &VarId)| {
                    let value = private_value(&model, private, pool.variable(variable).sort)?;
                    Some((variable, value))
                };
                Ok(Some(names.iter().filter_map(value).collect()))
            }
            Outcome::Unknown(unknown) => Err(unknown),
        }
    }

    /// A model of a formula that is not linear.
    fn model_beyond(&self, pool: &mut TermPool, formula: TermId) -> Result<Option<Point>, Unknown> {
        match satisfiable(pool, &[formula], self.budget).satisfiability {
            Satisfiability::Unsat(_) => Ok(None),
            Satisfiability::Sat(interpretation) => Ok(Some(interpretation.variables)),
            Satisfiability::Unknown(_) => Err(Unknown::Nonlinear),
        }
    }

    /// A solver that knows constraints.
    fn solver(&self, constraints: &[Constraint]) -> Conjunction {
        let limits = conjunction::Limits { splits: self.splits, ..conjunction::Limits::default() };
        let mut solver = Conjunction::with_limits(Domain::Integers, limits);
        solver.set_proofs(false);
        for constraint in constraints {
            solver.assert(constraint);
        }
        solver
    }

    /// A model of a plain conjunction.
    fn model_of_constraints(&self, constraints: &[Constraint]) -> Result<Option<Point>, Unknown> {
        let mut solver = self.solver(constraints);
        match solver.check(self.budget) {
            Verdict::Unsat => Ok(None),
            Verdict::Sat => {
                let value = |model: &Model, variable| Some((variable, Value::Int(model.integer(variable)?)));
                let model = solver.model().ok_or(Unknown::Rejected)?;
                Ok(Some(model.variables().filter_map(|variable| value(model, variable)).collect()))
            }
            Verdict::Unknown(reason) => Err(Unknown::Solver(reason)),
        }
    }

    /// What it means that a clause does not hold if its predicates are these formulas.
    pub(super) fn violation(
        &self,
        pool: &mut TermPool,
        system: &HornSystem,
        clause: &Clause,
        solution: &Solution,
    ) -> TermId {
        let mut parts = vec![clause.constraint];
        for application in &clause.body {
            parts.push(instance(pool, system, application, solution[application.unknown]));
        }
        if let Some(head) = &clause.head {
            let conclusion = instance(pool, system, head, solution[head.unknown]);
            parts.push(pool.not(conclusion));
        }
        pool.and(parts)
    }

    /// Whether a clause is valid if its predicates are these formulas.
    pub(super) fn is_valid(
        &self,
        pool: &mut TermPool,
        system: &HornSystem,
        clause: &Clause,
        solution: &Solution,
    ) -> Result<bool, Unknown> {
        let violation = self.violation(pool, system, clause, solution);
        Ok(self.model(pool, violation)?.is_none())
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

/// Formulas of which it is asked again and again what they imply.
pub(super) struct Assumptions<'a> {
    formulas: Vec<TermId>,
    /// If they are a plain conjunction: a solver that knows them already.
    solver: Option<Conjunction>,
    oracle: Oracle<'a>,
}

impl<'a> Assumptions<'a> {
    pub(super) fn new(pool: &mut TermPool, formulas: Vec<TermId>, oracle: Oracle<'a>) -> Self {
        let conjunction = pool.and(formulas.iter().copied());
        let constraints = match pool.as_truth(conjunction) {
            Some(true) => Some(Vec::new()),
            _ => pool.constraints(conjunction),
        };
        let solver = constraints.map(|constraints| oracle.solver(&constraints));
        Assumptions { formulas, solver, oracle }
    }

    /// Whether they imply a conclusion. No answer counts as no.
    pub(super) fn imply(&mut self, pool: &mut TermPool, conclusion: TermId) -> bool {
        if pool.as_truth(conclusion) == Some(true) {
            return true;
        }
        let budget = self.oracle.budget;
        match (&mut self.solver, pool.constraints(conclusion)) {
            (Some(solver), Some(parts)) => {
                parts.iter().all(|part| solver.entails(part, budget) == Entailment::Yes)
            }
            (Some(solver), None) if pool.as_truth(conclusion) == Some(false) => {
                solver.check(budget) == Verdict::Unsat
            }
            _ => self.oracle.implied(pool, &self.formulas, conclusion) == Ok(true),
        }
    }
}

/// The value of a variable of a problem's private pool.
pub(super) fn private_value(model: &Model, variable: VarId, sort: Sort) -> Option<Value> {
    let value = model.integer(variable)?;
    match sort {
        Sort::Int => Some(Value::Int(value)),
        Sort::Bool => Some(Value::Bool(value.is_positive())),
        Sort::Array => None,
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
