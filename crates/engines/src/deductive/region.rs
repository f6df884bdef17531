//! Regions: satisfiable conjunctions of linear constraints, the disjuncts of assertions.
//!
//! All questions about them go through one [`Reasoner`], which owns the solver and counts the
//! questions, so that each iteration of the refinement can say how many constraints it asked.

use super::interrupted::Interrupted;
use super::normalise::{
    is_box, solution, solved_variable, substitute, substitute_equalities, unite_opposites,
};
use rely_base::Budget;
use rely_logic::domains::{Intervals, NumericDomain};
use rely_logic::project::project;
use rely_logic::{
    Conjunction, Constraint, Domain, Entailment, Integer, LinearForm, Relation, VarId, Verdict,
};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// A conjunction that has a solution (or of which nobody could show that it has none).
/// Constraints are sorted and none follows from the others, so that equal regions mostly look equal.
/// Regions are compared with many others: what is found out about one on the way is kept with it.
#[derive(Clone, Debug)]
pub(super) struct Region {
    content: Arc<Content>,
}

#[derive(Debug)]
struct Content {
    constraints: Vec<Constraint>,
    /// What the equalities say about the variables for which they are solved.
    solved: OnceLock<Vec<(VarId, LinearForm)>>,
    extent: OnceLock<Extent>,
}

/// How far a region reaches.
#[derive(Debug)]
struct Extent {
    bounds: Vec<LinearForm>,
    intervals: Intervals,
    /// Whether the intervals say everything about the variables that are not solved: then they
    /// decide what holds.
    is_box: bool,
}

impl PartialEq for Region {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.content, &other.content) || self.constraints() == other.constraints()
    }
}

impl Eq for Region {}

impl Hash for Region {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.constraints().hash(state);
    }
}

impl Region {
    fn of(constraints: Vec<Constraint>) -> Self {
        let content = Content { constraints, solved: OnceLock::new(), extent: OnceLock::new() };
        Self { content: Arc::new(content) }
    }

    /// Every state.
    pub(super) fn everything() -> Self {
        Self::of(Vec::new())
    }

    /// What holds in the region.
    pub(super) fn constraints(&self) -> &[Constraint] {
        &self.content.constraints
    }

    fn solved(&self) -> &[(VarId, LinearForm)] {
        self.content.solved.get_or_init(|| {
            let equalities = self.constraints().iter().filter(|held| held.relation() == Relation::Eq);
            let solve = |equality: &Constraint| {
                let variable = solved_variable(equality)?;
                Some((variable, solution(equality, variable)))
            };
            equalities.filter_map(solve).collect()
        })
    }

    /// The variables that equalities express by others.
    pub(super) fn solved_variables(&self) -> impl Iterator<Item = VarId> {
        self.solved().iter().map(|(variable, _)| *variable)
    }

    /// Whether an equality expresses the variable by others.
    pub(super) fn solves(&self, variable: VarId) -> bool {
        self.solved_variables().any(|solved| solved == variable)
    }

    fn extent(&self) -> &Extent {
        self.content.extent.get_or_init(|| {
            let mut intervals = Intervals::top();
            // Twice, so that bounds which are found late reach the constraints before them.
            for constraint in self.constraints().iter().chain(self.constraints()) {
                intervals.meet(constraint);
            }
            Extent { bounds: self.upper_bounds().collect(), intervals, is_box: self.is_box() }
        })
    }

    /// Whether variables are independent of each other, but for the solved ones, which are
    /// determined by them and occur nowhere else.
    fn is_box(&self) -> bool {
        let is_solved_once = |variable: VarId| {
            let mut occurrences = self.constraints().iter().filter(|held| held.form().contains(variable));
            occurrences.nth(1).is_none()
        };
        is_box(self.constraints()) && self.solved_variables().all(is_solved_once)
    }

    /// An upper bound of the form in the region; perhaps not the least one.
    pub(super) fn highest(&self, direction: &LinearForm) -> Option<Integer> {
        let reduced = self.reduced(direction);
        let extent = self.extent();
        let parallel = extent.bounds.iter().filter(|bound| bound.terms() == reduced.terms());
        let stated = parallel.map(|bound| reduced.constant_term() - bound.constant_term()).min();
        let computed = extent.intervals.evaluate(&reduced).high;
        match (stated, computed) {
            (Some(stated), Some(computed)) => Some(stated.min(computed)),
            (stated, computed) => stated.or(computed),
        }
    }

    /// Whether some variable has values in both regions that lie far apart, and none has values
    /// that are neighbours: then something lies between the regions.
    pub(super) fn is_far_from(&self, other: &Region) -> bool {
        let [here, there] = [self, other].map(|region| &region.extent().intervals);
        let mut is_far = false;
        for variable in self.single_variables() {
            let [here, there] = [here, there].map(|intervals| intervals.of(variable));
            let gap = |low: &Option<Integer>, high: &Option<Integer>| Some(low.as_ref()? - high.as_ref()?);
            let gap = gap(&there.low, &here.high).max(gap(&here.low, &there.high));
            match gap {
                Some(gap) if gap == Integer::from(1) => return false,
                Some(gap) if gap.is_positive() => is_far = true,
                _ => {}
            }
        }
        is_far
    }

    /// The variables that have a bound of their own.
    fn single_variables(&self) -> impl Iterator<Item = VarId> {
        self.constraints().iter().filter_map(|held| match held.form().terms() {
            [(only, _)] => Some(*only),
            _ => None,
        })
    }

    /// Whether a variable is restricted at all.
    pub(super) fn mentions(&self, mut wanted: impl FnMut(VarId) -> bool) -> bool {
        self.constraints().iter().any(|constraint| constraint.form().variables().any(&mut wanted))
    }

    /// The value that the region gives to a variable, if one of its constraints says so.
    pub(super) fn value_of(&self, variable: VarId) -> Option<Integer> {
        self.constraints().iter().find_map(|constraint| match constraint.form().terms() {
            [(only, factor)] if *only == variable && constraint.relation() == Relation::Eq => {
                (-constraint.form().constant_term()).div_exact(factor)
            }
            _ => None,
        })
    }

    /// Whether the constraint holds everywhere in the region, if that can be seen without a solver.
    fn at_a_glance(&self, constraint: &Constraint) -> Option<bool> {
        if self.constraints().contains(constraint) {
            return Some(true);
        }
        let reduced = Constraint::new(self.reduced(constraint.form()).into_owned(), constraint.relation());
        if reduced.is_true() || reduced.is_false() {
            return Some(reduced.is_true());
        }
        let is_weaker = |held: &Constraint| {
            held.relation() == Relation::Le
                && held.form().terms() == reduced.form().terms()
                && held.form().constant_term() >= reduced.form().constant_term()
        };
        if reduced.relation() == Relation::Le && self.constraints().iter().any(is_weaker) {
            return Some(true);
        }
        let extent = self.extent();
        let values = extent.intervals.evaluate(reduced.form());
        let at_most_zero = values.high.as_ref().is_some_and(|high| !high.is_positive());
        let never_zero = values.high.as_ref().is_some_and(Integer::is_negative)
            || values.low.as_ref().is_some_and(Integer::is_positive);
        match reduced.relation() {
            Relation::Le if at_most_zero => return Some(true),
            Relation::Ne if never_zero => return Some(true),
            Relation::Eq if never_zero => return Some(false),
            // In a box a form that still has variables has its greatest value somewhere, and others.
            Relation::Le | Relation::Eq if extent.is_box => return Some(false),
            _ => {}
        }
        let variable = reduced.form().terms().first()?.0;
        let is_free = |held: &Constraint| {
            !held.form().contains(variable)
                || (held.form().terms().len() == 1 && held.relation() == Relation::Le)
        };
        // Bounds of a single variable on which nothing else depends are seen from each other.
        let is_single = reduced.form().terms().len() == 1 && reduced.relation() == Relation::Le;
        (is_single && self.constraints().iter().all(is_free)).then_some(false)
    }

    /// Whether the constraint holds nowhere in the region, as far as that can be seen without a
    /// solver.
    pub(super) fn refutes(&self, constraint: &Constraint) -> bool {
        let reduced = self.reduced(constraint.form());
        if reduced.is_constant() {
            return !constraint.relation().admits(reduced.constant_term().signum());
        }
        let values = self.extent().intervals.evaluate(&reduced);
        let is_above = values.low.as_ref().is_some_and(Integer::is_positive);
        let is_below = values.high.as_ref().is_some_and(Integer::is_negative);
        match constraint.relation() {
            Relation::Le | Relation::Lt => is_above,
            Relation::Eq => is_above || is_below,
            Relation::Ne => false,
        }
    }

    /// A form with the same values in the region, with the solved variables replaced.
    fn reduced<'f>(&self, form: &'f LinearForm) -> Cow<'f, LinearForm> {
        let mut reduced = Cow::Borrowed(form);
        for (variable, value) in self.solved() {
            if reduced.contains(*variable) {
                reduced = Cow::Owned(reduced.substitute(*variable, value));
            }
        }
        reduced
    }

    /// The forms that are zero everywhere in the region.
    pub(super) fn equalities(&self) -> impl Iterator<Item = &LinearForm> {
        let equalities = self.constraints().iter().filter(|constraint| constraint.relation() == Relation::Eq);
        equalities.map(Constraint::form)
    }

    /// Forms that are at most zero everywhere in the region: inequalities, and equalities twice.
    pub(super) fn upper_bounds(&self) -> impl Iterator<Item = LinearForm> {
        self.constraints().iter().flat_map(|constraint| {
            let form = constraint.form();
            let (one, other) = match constraint.relation() {
                Relation::Le | Relation::Lt => (Some(form.clone()), None),
                Relation::Eq => (Some(form.clone()), Some(form.negated())),
                Relation::Ne => (None, None),
            };
            one.into_iter().chain(other)
        })
    }
}

/// Answers questions about regions.
pub(super) struct Reasoner {
    solver: Conjunction,
    budget: Budget,
    questions: u64,
}

impl Reasoner {
    /// A reasoner that stops with the budget.
    #[cfg(test)]
    pub(super) fn new(budget: &Budget) -> Self {
        Self::with_limits(budget, rely_logic::Limits::default())
    }

    /// A reasoner that stops with the budget, and does not try a question harder than the limits allow.
    pub(super) fn with_limits(budget: &Budget, limits: rely_logic::Limits) -> Self {
        let mut solver = Conjunction::with_limits(Domain::Integers, limits);
        solver.set_proofs(false);
        Self { solver, budget: budget.clone(), questions: 0 }
    }

    /// How many constraints were asked so far.
    pub(super) fn questions(&self) -> u64 {
        self.questions
    }

    /// Whether work may go on.
    pub(super) fn check_budget(&self) -> Result<(), Interrupted> {
        Ok(self.budget.check()?)
    }

    fn load<'c>(&mut self, constraints: impl IntoIterator<Item = &'c Constraint>) {
        self.solver.reset();
        for constraint in constraints {
            self.solver.assert(constraint);
        }
    }

    /// Whether the constraints certainly have no common solution.
    pub(super) fn is_contradictory<'c>(
        &mut self,
        constraints: impl IntoIterator<Item = &'c Constraint>,
    ) -> bool {
        self.load(constraints);
        self.questions += 1;
        self.solver.check(&self.budget) == Verdict::Unsat
    }

    /// Whether further constraints certainly hold nowhere in the region.
    pub(super) fn excludes(&mut self, region: &Region, further: &[Constraint]) -> bool {
        further.iter().any(|constraint| region.refutes(constraint))
            || self.is_contradictory(region.constraints().iter().chain(further))
    }

    /// Whether the constraints certainly contradict each of some further ones.
    pub(super) fn exclude<const N: usize>(
        &mut self,
        constraints: &[Constraint],
        mut further: impl Iterator<Item = [Constraint; N]>,
    ) -> bool {
        self.load(constraints);
        further.all(|further| {
            self.solver.push();
            further.iter().for_each(|constraint| {
                self.solver.assert(constraint);
            });
            self.questions += 1;
            let verdict = self.solver.check(&self.budget);
            self.solver.pop();
            verdict == Verdict::Unsat
        })
    }

    /// The region of the constraints; `None` if there is nothing in it.
    pub(super) fn region(&mut self, mut constraints: Vec<Constraint>) -> Option<Region> {
        loop {
            substitute_equalities(&mut constraints);
            if constraints.iter().any(Constraint::is_false) {
                return None;
            }
            if !unite_opposites(&mut constraints) {
                break;
            }
        }
        if !is_box(&constraints) {
            if self.is_contradictory(&constraints) {
                return None;
            }
            self.drop_redundant(&mut constraints);
        }
        constraints.sort();
        Some(Region::of(constraints))
    }

    /// What the constraints say about all variables but the given ones.
    pub(super) fn without(
        &mut self,
        mut constraints: Vec<Constraint>,
        eliminate: &[VarId],
    ) -> Option<Region> {
        let mut left = Vec::new();
        for &variable in eliminate {
            let solves = |constraint: &Constraint| {
                constraint.relation() == Relation::Eq && constraint.form().coefficient(variable).is_unit()
            };
            match constraints.iter().position(solves) {
                Some(position) => {
                    let solution = solution(&constraints.swap_remove(position), variable);
                    substitute(&mut constraints, variable, &solution);
                }
                None => left.push(variable),
            }
        }
        left.retain(|&variable| constraints.iter().any(|held| held.form().contains(variable)));
        if !left.is_empty() {
            self.questions += 1;
            constraints = project(Domain::Integers, &constraints, &left, &self.budget).constraints;
        }
        self.region(constraints)
    }

    /// Drops what the others entail; constraints with more variables go first.
    fn drop_redundant(&mut self, constraints: &mut Vec<Constraint>) {
        constraints.sort_by_key(|constraint| {
            let form = constraint.form();
            (constraint.relation() != Relation::Eq, form.terms().len())
        });
        let mut index = constraints.len();
        while index > 0 && constraints.len() > 1 {
            index -= 1;
            let candidate = constraints.remove(index);
            let shares = |other: &Constraint| candidate.form().variables().any(|v| other.form().contains(v));
            let is_redundant = candidate.relation() != Relation::Eq
                && constraints.iter().any(shares)
                && self.follows(constraints, &candidate);
            if !is_redundant {
                constraints.insert(index, candidate);
            }
        }
    }

    fn follows(&mut self, constraints: &[Constraint], candidate: &Constraint) -> bool {
        self.load(constraints);
        self.questions += 1;
        self.solver.entails(candidate, &self.budget) == Entailment::Yes
    }

    /// Which of the constraints certainly hold everywhere in the region.
    pub(super) fn entailed<'c>(
        &mut self,
        region: &Region,
        candidates: impl IntoIterator<Item = &'c Constraint>,
    ) -> Vec<Constraint> {
        let mut is_loaded = false;
        let mut holds = |candidate: &&Constraint| {
            region.at_a_glance(candidate).unwrap_or_else(|| {
                if !is_loaded {
                    self.solver.reset();
                    region.constraints().iter().for_each(|constraint| {
                        self.solver.assert(constraint);
                    });
                    is_loaded = true;
                }
                self.questions += 1;
                self.solver.entails(candidate, &self.budget) == Entailment::Yes
            })
        };
        candidates.into_iter().filter(&mut holds).cloned().collect()
    }

    /// Whether every state of `inner` is certainly one of `outer`.
    pub(super) fn includes(&mut self, outer: &Region, inner: &Region) -> bool {
        let refuted = |constraint: &Constraint| inner.at_a_glance(constraint) == Some(false);
        !outer.constraints().iter().any(refuted)
            && self.entailed(inner, outer.constraints()).len() == outer.constraints().len()
    }

    /// The constraints of `region` that do not hold everywhere in `other`.
    pub(super) fn broken_by(&mut self, region: &Region, other: &Region) -> Vec<Constraint> {
        let held = self.entailed(other, region.constraints());
        region.constraints().iter().filter(|constraint| !held.contains(constraint)).cloned().collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use rely_base::Id;

    /// A constraint over variables 0, 1, ...: the sum of the factors times them and the constant,
    /// compared with zero.
    pub(in crate::deductive) fn constraint(factors: &[i64], constant: i64, relation: Relation) -> Constraint {
        let terms = factors.iter().enumerate().map(|(index, factor)| (VarId::from_index(index), *factor));
        Constraint::new(LinearForm::new(terms, constant), relation)
    }

    pub(in crate::deductive) fn show(region: Option<&Region>) -> String {
        let Some(region) = region else { return "nothing".to_owned() };
        let parts: Vec<String> = region.constraints().iter().map(ToString::to_string).collect();
        parts.join(", ")
    }

    fn check(constraints: &[Constraint], expected: Expect) {
        let budget = Budget::unlimited();
        let region = Reasoner::new(&budget).region(constraints.to_vec());
        expected.assert_eq(&show(region.as_ref()));
    }

    #[test]
    fn regions_say_nothing_twice() {
        use Relation::{Eq, Le, Ne};
        check(&[constraint(&[1], -3, Le), constraint(&[1], -5, Le)], expect!["v0 <= 3"]);
        check(&[constraint(&[1], -3, Le), constraint(&[-1], 3, Le)], expect!["v0 = 3"]);
        check(
            &[constraint(&[1], -3, Eq), constraint(&[0, 1], -4, Eq), constraint(&[1, 1], -7, Le)],
            expect!["v0 = 3, v1 = 4"],
        );
        check(&[constraint(&[1], -3, Eq), constraint(&[1], -3, Ne)], expect!["nothing"]);
        check(&[constraint(&[1], -3, Le), constraint(&[1], -4, Ne)], expect!["v0 <= 3"]);
    }

    #[test]
    fn boxes_need_no_solver() {
        use Relation::{Eq, Le, Ne};
        let budget = Budget::unlimited();
        let mut reasoner = Reasoner::new(&budget);
        // 0 <= v1 <= 3 and v0 = v1 + 1.
        let bounds = [constraint(&[0, -1], 0, Le), constraint(&[0, 1], -3, Le), constraint(&[1, -1], -1, Eq)];
        let region = reasoner.region(bounds.to_vec()).expect("something");
        let held = [constraint(&[1, 1], -7, Le), constraint(&[1], -4, Le), constraint(&[1, 1], -8, Ne)];
        let not_held = [constraint(&[1, 1], -6, Le), constraint(&[1], -4, Eq), constraint(&[1, 1], -3, Eq)];
        assert_eq!(reasoner.entailed(&region, held.iter().chain(&not_held)), held);
        assert!(region.refutes(&constraint(&[1, 1], -8, Eq)) && region.refutes(&constraint(&[1], 0, Le)));
        assert!(!region.refutes(&constraint(&[1, 1], -7, Eq)) && !region.refutes(&constraint(&[1], -1, Le)));
        assert_eq!(reasoner.questions(), 0);
    }

    #[test]
    fn what_is_excluded_together() {
        use Relation::Le;
        let budget = Budget::unlimited();
        let mut reasoner = Reasoner::new(&budget);
        let chain = [constraint(&[1, -1], 1, Le), constraint(&[0, 1, -1], 1, Le)];
        let beyond = [constraint(&[-1, 0, 1], -1, Le)];
        let within = [constraint(&[-1, 0, 1], -2, Le)];
        assert!(reasoner.exclude(&chain, [beyond.clone()].into_iter()));
        assert!(!reasoner.exclude(&chain, [beyond, within.clone()].into_iter()));
        let region = reasoner.region(chain.to_vec()).expect("something");
        assert!(!reasoner.excludes(&region, &within));
    }

    #[test]
    fn what_is_left_without_a_variable() {
        let budget = Budget::unlimited();
        let mut reasoner = Reasoner::new(&budget);
        let chain = [constraint(&[1, -1], 1, Relation::Le), constraint(&[0, 1, -1], 1, Relation::Le)];
        let rest = reasoner.without(chain.to_vec(), &[VarId::from_index(1)]);
        assert_eq!(show(rest.as_ref()), "v0 + 2 <= v2");
    }
}
