//! Projection: what a conjunction says about some of its variables.
//!
//! Equalities are solved, the rest is Fourier-Motzkin elimination with removal of redundant
//! constraints. Over the rationals the result is exact. Over the integers it is exact as long as
//! one of the two coefficients of each combined pair is a unit; otherwise, and whenever a limit
//! makes us drop something, the result is a superset, and says so. Nothing that holds of the
//! original is ever lost on the safe side: every solution, restricted to the variables that
//! remain, is a solution of the projection.

use rely_base::Budget;
use rustc_hash::{FxHashMap, FxHashSet};

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

/// Of more constraints than this, redundant ones are not looked for: it would take too long.
const REDUNDANCY_CHECK_UP_TO: usize = 400;

/// In a result of more constraints than this, redundant ones may remain.
const FINAL_CHECK_UP_TO: usize = 100;

/// With more constraints than this (and than there were), the ones with most variables are dropped.
const MOST_CONSTRAINTS: usize = 200;

/// More pairs of bounds on one variable are not combined: they are forgotten.
const MOST_PAIRS: usize = 20_000;

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
        bearable: constraints.len().max(MOST_CONSTRAINTS),
    };
    let mut remaining: Vec<VarId> = eliminate.to_vec();
    remaining.sort_unstable();
    remaining.dedup();
    while !remaining.is_empty() && !elimination.is_contradictory() {
        if budget.check_now().is_err() {
            elimination.forget(&remaining);
            break;
        }
        let batch = elimination.next_batch(&remaining);
        remaining.retain(|variable| !batch.contains_key(variable));
        elimination.eliminate(&batch);
    }
    elimination.finish();
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
    /// How many constraints there may be.
    bearable: usize,
}

/// Variables that are eliminated together, numbered; no constraint has two of them.
type Batch = FxHashMap<VarId, usize>;

/// How a variable occurs, as far as this tells what eliminating it costs.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// Whether there is an equality in which its coefficient is a unit.
    unit_equality: bool,
    equality: bool,
    lower: usize,
    upper: usize,
    /// How many constraints mention it.
    mentions: usize,
}

impl Uses {
    /// Equalities make it cheap; otherwise, how many constraints there may be afterwards.
    fn cost(self) -> (bool, bool, usize) {
        (!self.unit_equality, !self.equality, self.lower * self.upper)
    }

    /// Notes that a constraint mentions the variable with a coefficient.
    fn add(&mut self, relation: Relation, coefficient: &Integer) {
        self.mentions += 1;
        match relation {
            Relation::Eq => {
                self.equality = true;
                self.unit_equality |= coefficient.is_unit();
            }
            Relation::Ne => {}
            _ if coefficient.is_negative() => self.lower += 1,
            _ => self.upper += 1,
        }
    }

    /// Whether nothing but one constraint, with this coefficient, keeps the variable from being
    /// moved to where that constraint is violated.
    fn is_held_by_one(self, relation: Relation, coefficient: &Integer) -> bool {
        let is_inequality = matches!(relation, Relation::Le | Relation::Lt);
        let bounds = if coefficient.is_negative() { self.lower } else { self.upper };
        self.mentions == 1 || is_inequality && !self.equality && bounds == 1
    }

    fn adds_constraints(self) -> bool {
        !self.equality && self.lower * self.upper > self.lower + self.upper
    }
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

    /// The cheapest variable, together with others that have nothing to do with it or each other
    /// and whose elimination adds no constraints either.
    fn next_batch(&self, remaining: &[VarId]) -> Batch {
        let mut uses: FxHashMap<VarId, Uses> =
            remaining.iter().map(|&variable| (variable, Uses::default())).collect();
        let mut occurrences: FxHashMap<VarId, Vec<usize>> = FxHashMap::default();
        for (position, constraint) in self.current.iter().enumerate() {
            for (variable, coefficient) in constraint.form().terms() {
                let Some(found) = uses.get_mut(variable) else { continue };
                occurrences.entry(*variable).or_default().push(position);
                found.add(constraint.relation(), coefficient);
            }
        }
        let mut order = remaining.to_vec();
        order.sort_by_key(|variable| uses[variable].cost());
        let mut batch = Batch::default();
        let mut neighbours: FxHashSet<VarId> = FxHashSet::default();
        for variable in order {
            let is_alone = !neighbours.contains(&variable) && !uses[&variable].adds_constraints();
            if batch.is_empty() || is_alone {
                batch.insert(variable, batch.len());
                let constraints = occurrences.get(&variable).into_iter().flatten();
                neighbours
                    .extend(constraints.flat_map(|&position| self.current[position].form().variables()));
            }
        }
        batch
    }

    fn eliminate(&mut self, batch: &Batch) {
        let before = self.current.len();
        let mut taken_out = self.take_out(batch);
        let mut members: Vec<(VarId, usize)> = batch.iter().map(|(&variable, &n)| (variable, n)).collect();
        members.sort_unstable_by_key(|&(_, number)| number);
        for (variable, number) in members {
            let found = std::mem::take(&mut taken_out[number]);
            let is_unit = |equality: &Constraint| equality.form().coefficient(variable).is_unit();
            let solved = found.equalities.iter().position(is_unit);
            if let Some(position) = solved.or_else(|| (!found.equalities.is_empty()).then_some(0)) {
                self.substitute(variable, position, found);
            } else {
                self.combine(variable, found);
            }
        }
        self.tidy(before);
    }

    fn take_out(&mut self, batch: &Batch) -> Vec<Occurrences> {
        let mut found: Vec<Occurrences> = batch.iter().map(|_| Occurrences::default()).collect();
        let mut rest = Vec::with_capacity(self.current.len());
        for constraint in self.current.drain(..) {
            let terms = constraint.form().terms().iter();
            let member = terms.filter_map(|(variable, factor)| Some((*batch.get(variable)?, factor))).next();
            let Some((number, coefficient)) = member else {
                rest.push(constraint);
                continue;
            };
            let found = &mut found[number];
            let kind = match constraint.relation() {
                Relation::Eq => &mut found.equalities,
                Relation::Ne => &mut found.distinct,
                _ if coefficient.is_negative() => &mut found.lower,
                _ => &mut found.upper,
            };
            kind.push(constraint);
        }
        self.current = rest;
        found
    }

    /// Drops everything about some variables.
    fn forget(&mut self, variables: &[VarId]) {
        let known = self.current.len();
        self.current
            .retain(|constraint| !variables.iter().any(|&variable| constraint.form().contains(variable)));
        self.is_exact &= self.current.len() == known;
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
        if lower.len() * upper.len() > MOST_PAIRS {
            self.is_exact = false;
            return;
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

    /// Keeps the strongest constraint of each direction, and the whole at a bearable size, which
    /// matters if there are more constraints than before.
    fn tidy(&mut self, before: usize) {
        keep_strongest(&mut self.current);
        let checked = REDUNDANCY_CHECK_FROM..=REDUNDANCY_CHECK_UP_TO;
        if self.current.len() > before && checked.contains(&self.current.len()) {
            self.remove_redundant();
        }
        if self.current.len() > self.bearable {
            self.current.sort_by_key(|constraint| constraint.form().terms().len());
            self.current.truncate(self.bearable);
            self.is_exact = false;
        }
    }

    fn finish(&mut self) {
        keep_strongest(&mut self.current);
        if self.current.len() <= FINAL_CHECK_UP_TO {
            self.remove_redundant();
        }
        self.find_contradiction();
    }

    /// How each variable occurs.
    fn uses(&self) -> FxHashMap<VarId, Uses> {
        let mut uses: FxHashMap<VarId, Uses> = FxHashMap::default();
        for constraint in &self.current {
            for (variable, coefficient) in constraint.form().terms() {
                uses.entry(*variable).or_default().add(constraint.relation(), coefficient);
            }
        }
        uses
    }

    /// Drops each constraint that the others entail. Others that have a solution do not entail one
    /// that alone bounds a variable on one side: moved far enough, the variable violates that one
    /// and no other, since disequalities exclude only a few values.
    fn remove_redundant(&mut self) {
        let mut uses = self.uses();
        let mut index = self.current.len();
        while index > 0 && self.budget.check_now().is_ok() {
            index -= 1;
            let relation = self.current[index].relation();
            let mut terms = self.current[index].form().terms().iter();
            if terms.any(|(variable, factor)| uses[variable].is_held_by_one(relation, factor)) {
                continue;
            }
            let mut solver = Conjunction::new(self.domain);
            for (position, constraint) in self.current.iter().enumerate() {
                if position != index {
                    solver.assert(constraint);
                }
            }
            if solver.entails(&self.current[index], self.budget) == Entailment::Yes {
                self.current.remove(index);
                uses = self.uses();
            }
        }
    }

    fn find_contradiction(&mut self) {
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
    let mut seen = FxHashSet::default();
    constraints.retain(|constraint| {
        let is_inequality = matches!(constraint.relation(), Relation::Le | Relation::Lt);
        let is_strongest = !is_inequality || best[&key(constraint)] == *constraint.form().constant_term();
        !constraint.is_true() && is_strongest && seen.insert(constraint.clone())
    });
}

#[cfg(test)]
mod tests;
