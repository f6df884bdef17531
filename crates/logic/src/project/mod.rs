//! Projection: what a conjunction says about some of its variables.
//!
//! Equalities are solved, the rest is Fourier-Motzkin elimination with removal of redundant
//! constraints. Over the rationals the result is exact. Over the integers it is exact as long as
//! one of the two coefficients of each combined pair is a unit; otherwise, and whenever a limit
//! makes us drop something, the result is a superset, and says so. Nothing that holds of the
//! original is ever lost on the safe side: every solution, restricted to the variables that
//! remain, is a solution of the projection.

use rely_base::Budget;
use rustc_hash::FxHashMap;

use crate::arith::Integer;
use crate::conjunction::{Conjunction, Entailment, Verdict};
use crate::linear::{Constraint, Domain, LinearForm, Relation, VarId};

/// The constraints that remain, and whether they say everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// What holds of the remaining variables.
    pub constraints: Vec<Constraint>,
    /// Whether each solution of the constraints can be extended to one of the original.
    pub is_exact: bool,
}

/// From this many constraints on redundant ones are looked for with the solver.
const REDUNDANCY_CHECK_FROM: usize = 12;

/// With more constraints than this the ones with most variables are dropped.
const MOST_CONSTRAINTS: usize = 200;

/// The projection of a conjunction onto all variables but the given ones.
///
/// ```
/// use rely_base::{Budget, Id};
/// use rely_logic::project::project;
/// use rely_logic::{Constraint, Domain, LinearForm, NumberedNames, VarId};
///
/// let [x, y, z] = [0, 1, 2].map(VarId::from_index);
/// // x < y and y < z, without y
/// let chain = [
///     Constraint::lt(&LinearForm::variable(x), &LinearForm::variable(y)),
///     Constraint::lt(&LinearForm::variable(y), &LinearForm::variable(z)),
/// ];
/// let result = project(Domain::Integers, &chain, &[y], &Budget::unlimited());
/// assert!(result.is_exact);
/// assert_eq!(result.constraints[0].display(&NumberedNames).to_string(), "v0 + 2 <= v2");
/// ```
pub fn project(
    domain: Domain,
    constraints: &[Constraint],
    eliminate: &[VarId],
    budget: &Budget,
) -> Projection {
    let mut elimination = Elimination {
        domain,
        budget,
        current: constraints.iter().filter(|constraint| !constraint.is_true()).cloned().collect(),
        is_exact: true,
    };
    let mut remaining: Vec<VarId> = eliminate.to_vec();
    while !remaining.is_empty() && !elimination.is_contradictory() {
        let (position, _) = remaining
            .iter()
            .enumerate()
            .min_by_key(|&(_, &variable)| elimination.cost(variable))
            .unwrap_or((0, &remaining[0]));
        let variable = remaining.swap_remove(position);
        elimination.eliminate(variable);
    }
    elimination.remove_redundant();
    Projection { constraints: elimination.current, is_exact: elimination.is_exact }
}

/// The strongest postcondition of `target := value` for a conjunction: what holds afterwards.
/// `fresh` is a variable that occurs nowhere else; it stands for the old value in between.
pub fn assign(
    domain: Domain,
    constraints: &[Constraint],
    target: VarId,
    value: &LinearForm,
    fresh: VarId,
    budget: &Budget,
) -> Projection {
    let to_old = |variable| if variable == target { fresh } else { variable };
    let mut before: Vec<Constraint> =
        constraints.iter().map(|constraint| constraint.rename(to_old)).collect();
    let old_value = value.rename(to_old);
    before.push(Constraint::over(domain, LinearForm::variable(target).minus(&old_value), Relation::Eq));
    project(domain, &before, &[fresh], budget)
}

struct Elimination<'b> {
    domain: Domain,
    budget: &'b Budget,
    current: Vec<Constraint>,
    is_exact: bool,
}

/// The constraints on one variable, taken out of the conjunction.
#[derive(Default)]
struct Occurrences {
    equalities: Vec<Constraint>,
    distinct: Vec<Constraint>,
    /// Inequalities in which the variable has a negative coefficient: it is bounded from below.
    lower: Vec<Constraint>,
    upper: Vec<Constraint>,
}

impl Elimination<'_> {
    fn is_contradictory(&self) -> bool {
        self.current.iter().any(Constraint::is_false)
    }

    /// How many constraints eliminating the variable may add; equalities make it cheap.
    fn cost(&self, variable: VarId) -> (u8, usize) {
        let (mut lower, mut upper) = (0, 0);
        let mut best_equality = 2;
        for constraint in &self.current {
            let coefficient = constraint.form().coefficient(variable);
            match constraint.relation() {
                _ if coefficient.is_zero() => {}
                Relation::Eq => best_equality = best_equality.min(if coefficient.is_unit() { 0 } else { 1 }),
                Relation::Ne => {}
                _ if coefficient.is_negative() => lower += 1,
                _ => upper += 1,
            }
        }
        (best_equality, lower * upper)
    }

    fn eliminate(&mut self, variable: VarId) {
        let found = self.take_out(variable);
        let solved =
            found.equalities.iter().position(|equality| equality.form().coefficient(variable).is_unit());
        if let Some(position) = solved.or_else(|| (!found.equalities.is_empty()).then_some(0)) {
            self.substitute(variable, position, found);
        } else {
            self.combine(variable, found);
        }
        self.tidy();
    }

    fn take_out(&mut self, variable: VarId) -> Occurrences {
        let mut found = Occurrences::default();
        let mut rest = Vec::with_capacity(self.current.len());
        for constraint in self.current.drain(..) {
            let coefficient = constraint.form().coefficient(variable);
            match constraint.relation() {
                _ if coefficient.is_zero() => rest.push(constraint),
                Relation::Eq => found.equalities.push(constraint),
                Relation::Ne => found.distinct.push(constraint),
                _ if coefficient.is_negative() => found.lower.push(constraint),
                _ => found.upper.push(constraint),
            }
        }
        self.current = rest;
        found
    }

    /// Replaces the variable by what one of the equalities says it is. If its coefficient is no
    /// unit, the other constraints are scaled, and over the integers it is forgotten that the
    /// rest of the equality must be divisible.
    fn substitute(&mut self, variable: VarId, position: usize, mut found: Occurrences) {
        let equality = found.equalities.swap_remove(position);
        let pivot = equality.form().coefficient(variable);
        if !pivot.is_unit() && self.domain == Domain::Integers {
            self.is_exact = false;
        }
        let Occurrences { equalities, distinct, lower, upper } = found;
        for constraint in equalities.into_iter().chain(distinct).chain(lower).chain(upper) {
            let coefficient = constraint.form().coefficient(variable);
            // |pivot| * constraint - sign(pivot) * coefficient * equality has no such variable.
            let factor = if pivot.is_negative() { coefficient } else { -&coefficient };
            let form = constraint.form().scaled(&pivot.abs()).add_scaled(&factor, equality.form());
            self.current.push(Constraint::over(self.domain, form, constraint.relation()));
        }
    }

    fn combine(&mut self, variable: VarId, found: Occurrences) {
        let Occurrences { distinct, lower, upper, .. } = found;
        // Unbounded on one side there is always room beyond finitely many forbidden values.
        if !distinct.is_empty() && !lower.is_empty() && !upper.is_empty() {
            self.is_exact = false;
        }
        for low in &lower {
            let low_factor = low.form().coefficient(variable).abs();
            for high in &upper {
                let high_factor = high.form().coefficient(variable);
                if self.domain == Domain::Integers && !low_factor.is_one() && !high_factor.is_one() {
                    self.is_exact = false;
                }
                let form = low.form().scaled(&high_factor).add_scaled(&low_factor, high.form());
                let is_strict = low.relation() == Relation::Lt || high.relation() == Relation::Lt;
                let relation = if is_strict { Relation::Lt } else { Relation::Le };
                self.current.push(Constraint::over(self.domain, form, relation));
            }
        }
    }

    /// Keeps the strongest constraint of each direction, and the whole at a bearable size.
    fn tidy(&mut self) {
        keep_strongest(&mut self.current);
        if self.current.len() > REDUNDANCY_CHECK_FROM {
            self.remove_redundant();
        }
        if self.current.len() > MOST_CONSTRAINTS {
            self.current.sort_by_key(|constraint| constraint.form().terms().len());
            self.current.truncate(MOST_CONSTRAINTS);
            self.is_exact = false;
        }
    }

    /// Drops each constraint that the others entail.
    fn remove_redundant(&mut self) {
        if self.is_contradictory() {
            self.current = vec![Constraint::truth(false)];
            return;
        }
        let mut index = self.current.len();
        while index > 0 && self.budget.check_now().is_ok() {
            index -= 1;
            let mut solver = Conjunction::new(self.domain);
            for (position, constraint) in self.current.iter().enumerate() {
                if position != index {
                    solver.assert(constraint);
                }
            }
            if solver.entails(&self.current[index], self.budget) == Entailment::Yes {
                self.current.remove(index);
            }
        }
        let mut solver = Conjunction::new(self.domain);
        for constraint in &self.current {
            solver.assert(constraint);
        }
        if solver.check(self.budget) == Verdict::Unsat {
            self.current = vec![Constraint::truth(false)];
        }
    }
}

/// Drops constraints that are true, equal to another, or weaker than another one of the same
/// direction.
pub(crate) fn keep_strongest(constraints: &mut Vec<Constraint>) {
    let mut best: FxHashMap<(LinearForm, Relation), Integer> = FxHashMap::default();
    let key = |constraint: &Constraint| {
        (constraint.form().clone().with_constant(Integer::ZERO), constraint.relation())
    };
    for constraint in constraints.iter() {
        let constant = constraint.form().constant_term().clone();
        let entry = best.entry(key(constraint)).or_insert_with(|| constant.clone());
        if constant > *entry {
            *entry = constant;
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    constraints.retain(|constraint| {
        let is_inequality = matches!(constraint.relation(), Relation::Le | Relation::Lt);
        let is_strongest = !is_inequality || best[&key(constraint)] == *constraint.form().constant_term();
        !constraint.is_true() && is_strongest && seen.insert(constraint.clone())
    });
}

#[cfg(test)]
mod tests;
