//! Farkas' lemma: that a linear inequality with unknown coefficients follows from known ones, as linear constraints
//! over the unknowns.
//!
//! If `a1 x + b1 <= 0, ..., an x + bn <= 0` can be satisfied, `c x + d >= 0` follows from them over the rationals just
//! if there are `l1, ..., ln >= 0` with `c + l1 a1 + ... + ln an = 0` and `d + l1 b1 + ... + ln bn >= 0`. Of an equation
//! the multiplier may have either sign. The unknowns are in `c` and `d` only, so all of this is linear.

use rely_base::{Budget, Id};
use rely_logic::{Conjunction, Constraint, Domain, LinearForm, Model, Relation, VarId, Verdict};
use std::collections::BTreeMap;

/// A linear form over program variables whose coefficients are linear forms over unknowns.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    pub(super) coefficients: BTreeMap<VarId, LinearForm>,
    pub(super) constant: LinearForm,
}

impl Template {
    pub(super) fn minus(mut self, other: &Template) -> Self {
        for (variable, coefficient) in &other.coefficients {
            let own = self.coefficients.entry(*variable).or_default();
            *own = own.minus(coefficient);
        }
        self.constant = self.constant.minus(&other.constant);
        self
    }

    pub(super) fn minus_one(mut self) -> Self {
        self.constant = self.constant.minus(&LinearForm::constant(1));
        self
    }

    /// The same form about the values that a step leaves, as one about those before it.
    pub(super) fn after(&self, value: impl Fn(VarId) -> Option<LinearForm>) -> Self {
        let mut result = Template { constant: self.constant.clone(), ..Template::default() };
        for (variable, coefficient) in &self.coefficients {
            let value = value(*variable).unwrap_or_else(|| LinearForm::variable(*variable));
            for (read, factor) in value.terms() {
                let own = result.coefficients.entry(*read).or_default();
                *own = own.plus(&coefficient.scaled(factor));
            }
            result.constant = result.constant.plus(&coefficient.scaled(value.constant_term()));
        }
        result
    }

    /// The form that a model of the unknowns gives, times the denominator of the model.
    pub(super) fn instance(&self, model: &Model) -> LinearForm {
        let terms = self.coefficients.iter().map(|(variable, form)| (*variable, model.scaled_value(form)));
        LinearForm::new(terms, model.scaled_value(&self.constant))
    }
}

/// A system of constraints over unknowns.
pub(super) struct Program {
    unknowns: usize,
    constraints: Vec<Constraint>,
}

impl Program {
    pub(super) fn new() -> Self {
        Self { unknowns: 0, constraints: Vec::new() }
    }

    pub(super) fn unknowns(&self) -> usize {
        self.unknowns
    }

    /// A form with an unknown coefficient for each variable, and an unknown constant.
    pub(super) fn template(&mut self, variables: &[VarId]) -> Template {
        let coefficients = variables.iter().map(|&variable| (variable, self.unknown())).collect();
        Template { coefficients, constant: self.unknown() }
    }

    fn unknown(&mut self) -> LinearForm {
        self.unknowns += 1;
        LinearForm::variable(VarId::from_index(self.unknowns - 1))
    }

    /// The form is not negative where all hypotheses hold.
    pub(super) fn follows(&mut self, hypotheses: &[Constraint], conclusion: &Template) {
        let mut sums = conclusion.coefficients.clone();
        let mut constant = conclusion.constant.clone();
        for hypothesis in hypotheses {
            if !matches!(hypothesis.relation(), Relation::Le | Relation::Eq) {
                continue;
            }
            let multiplier = self.unknown();
            if hypothesis.relation() == Relation::Le {
                self.constraints.push(Constraint::over(
                    Domain::Rationals,
                    multiplier.negated(),
                    Relation::Le,
                ));
            }
            for (variable, factor) in hypothesis.form().terms() {
                let sum = sums.entry(*variable).or_default();
                *sum = sum.plus(&multiplier.scaled(factor));
            }
            constant = constant.plus(&multiplier.scaled(hypothesis.form().constant_term()));
        }
        let equations = sums.into_values().map(|sum| Constraint::over(Domain::Rationals, sum, Relation::Eq));
        self.constraints.extend(equations.filter(|equation| !equation.is_true()));
        self.constraints.push(Constraint::over(Domain::Rationals, constant.negated(), Relation::Le));
    }

    /// Values of the unknowns.
    pub(super) fn solve(&self, budget: &Budget) -> Option<Model> {
        let mut solver = Conjunction::new(Domain::Rationals);
        solver.set_proofs(false);
        for constraint in &self.constraints {
            solver.assert(constraint);
        }
        match solver.check(budget) {
            Verdict::Sat => solver.model().cloned(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `a x + b >= 0` follows for some `a >= 1`, and some `b`, from constraints on `x`.
    fn check(hypotheses: &[Constraint], expect: bool) {
        let x = VarId::from_index(0);
        let mut program = Program::new();
        let form = program.template(&[x]);
        let slope = Template { constant: form.coefficients[&x].clone(), ..Template::default() }.minus_one();
        program.follows(&[], &slope);
        program.follows(hypotheses, &form);
        let found = program.solve(&Budget::unlimited()).map(|model| form.instance(&model));
        assert_eq!(found.is_some(), expect, "{hypotheses:?}");
        if let Some(found) = found {
            let mut solver = Conjunction::new(Domain::Integers);
            hypotheses.iter().for_each(|hypothesis| {
                solver.assert(hypothesis);
            });
            solver.assert(&Constraint::lt(&found, &LinearForm::constant(0)));
            assert_eq!(solver.check(&Budget::unlimited()), Verdict::Unsat, "{found}");
        }
    }

    #[test]
    fn what_is_bounded_below_has_a_form_that_is_not_negative() {
        let [x, y] = [0, 1].map(|index| LinearForm::variable(VarId::from_index(index)));
        let seven = LinearForm::constant(7);
        check(&[], false);
        check(&[Constraint::le(&x, &seven)], false);
        check(&[Constraint::ge(&x, &seven)], true);
        check(&[Constraint::ge(&x, &y), Constraint::eq(&y, &seven)], true);
        check(&[Constraint::ge(&x, &y), Constraint::le(&y, &seven)], false);
        check(&[Constraint::ne(&x, &seven)], false);
    }
}
