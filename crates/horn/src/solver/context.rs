//! A conjunction of which it is asked whether it is possible and what it implies.

use rely_base::Budget;
use rely_logic::{
    Conjunction, Constraint, Domain, Entailment, Satisfiability, TermId, TermPool, Verdict, satisfiable,
};

/// What is assumed, and a solver that knows it if it is linear.
pub(super) struct Context {
    formulas: Vec<TermId>,
    solver: Option<Conjunction>,
}

impl Context {
    pub(super) fn new(pool: &TermPool, formulas: Vec<TermId>, known: Option<&[Constraint]>) -> Self {
        let rest = &formulas[known.map_or(0, <[Constraint]>::len)..];
        let more: Option<Vec<Constraint>> = rest.iter().map(|&formula| pool.constraint(formula)).collect();
        let solver = more.map(|more| {
            let mut solver = Conjunction::new(Domain::Integers);
            solver.set_proofs(false);
            for constraint in known.into_iter().flatten().chain(&more) {
                solver.assert(constraint);
            }
            solver
        });
        Self { formulas, solver }
    }

    /// Whether the assumptions can hold at once. No answer counts as yes.
    pub(super) fn is_possible(&mut self, pool: &mut TermPool, budget: &Budget) -> bool {
        match &mut self.solver {
            Some(solver) => solver.check(budget) != Verdict::Unsat,
            None => possible(pool, &self.formulas, budget),
        }
    }

    /// Whether the assumptions imply a formula. No answer counts as no.
    pub(super) fn implies(&mut self, pool: &mut TermPool, formula: TermId, budget: &Budget) -> bool {
        if let Some(value) = pool.as_truth(formula) {
            return value || !self.is_possible(pool, budget);
        }
        let negation = pool.not(formula);
        if let Some(solver) = &mut self.solver {
            if let Some(constraint) = pool.constraint(formula) {
                return solver.entails(&constraint, budget) == Entailment::Yes;
            }
            if let Some(constraints) = negated_constraints(pool, negation) {
                solver.push();
                for constraint in &constraints {
                    solver.assert(constraint);
                }
                let verdict = solver.check(budget);
                solver.pop();
                return verdict == Verdict::Unsat;
            }
        }
        let mut question = self.formulas.clone();
        question.push(negation);
        !possible(pool, &question, budget)
    }
}

fn negated_constraints(pool: &mut TermPool, negation: TermId) -> Option<Vec<Constraint>> {
    let normal = pool.negation_normal_form(negation);
    pool.constraints(normal)
}

fn possible(pool: &mut TermPool, formulas: &[TermId], budget: &Budget) -> bool {
    !matches!(satisfiable(pool, formulas, budget).satisfiability, Satisfiability::Unsat(_))
}
