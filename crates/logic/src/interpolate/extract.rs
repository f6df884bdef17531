//! From a refutation of a conjunction to the interpolants of all parts at once.
//!
//! One proof serves the whole tree, which is what makes the interpolants fit together: the
//! interpolants of a part's children and the part itself imply the part's own interpolant.
//!
//! - A linear combination gives every part the sum of what its subtree contributed (Fig. 16 of
//!   "Predicate abstraction and refinement for verifying multi-threaded programs", POPL 2011). The
//!   sum may also be taken per group of constraints that hidden variables hold together: a
//!   conjunction of simple atoms instead of one sum that nobody wrote. The simpler way is chosen,
//!   the same one for all parts.
//! - A contradiction of divisibility gives a divisibility.
//! - A case distinction belongs to one part. Parts above it get the disjunction of the cases,
//!   all others the conjunction.
//! - Cuts are explained in [`partial`](super::partial).

use rustc_hash::FxHashSet;

use super::partial::Partial;
use super::parts::{PartId, PartTree};
use super::scope::Scope;
use crate::arith::Integer;
use crate::certificate::{Combination, Proof, ProofNode, ProofNodeId};
use crate::linear::{Constraint, LinearForm, Relation, VarId};
use crate::term::{TermId, TermPool};

/// A constraint of some part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owned {
    pub(super) constraint: Constraint,
    pub(super) part: PartId,
}

impl Owned {
    /// The variables with the part.
    pub(super) fn occurrences(&self) -> impl Iterator<Item = (VarId, PartId)> + '_ {
        self.constraint.form().variables().map(|variable| (variable, self.part))
    }
}

/// The proof cannot be divided among the parts: it distinguishes cases by a form whose variables
/// no part has together, or it is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Indivisible;

/// One formula for every part but the root, in the order of [`PartTree::edges`].
pub(super) type Interpolants = Vec<TermId>;

/// The interpolants that a refutation of the given constraints contains.
pub(super) fn extract(
    pool: &mut TermPool,
    scope: &Scope<'_>,
    inputs: &[Owned],
    proof: &Proof,
) -> Result<Interpolants, Indivisible> {
    let hypotheses = inputs.iter().map(|input| Known::Owned(input.clone())).collect();
    let edges = scope.tree().edges().collect();
    let mut extractor = Extractor { pool, scope, proof, edges, hypotheses };
    let (interpolants, _) = extractor.node(proof.root(), 0)?;
    Ok(interpolants)
}

/// Deeper proofs are not followed.
const MAX_DEPTH: usize = 400;

/// A hypothesis with the shares of the parts in it.
enum Known {
    /// A constraint of one part: the whole of it or nothing.
    Owned(Owned),
    /// What a cut derived, with the share of every part.
    Derived { constraint: Constraint, shares: Vec<Partial> },
}

impl Known {
    fn constraint(&self) -> &Constraint {
        match self {
            Known::Owned(owned) => &owned.constraint,
            Known::Derived { constraint, .. } => constraint,
        }
    }
}

/// The hypotheses that a proof uses.
type Used = FxHashSet<usize>;

struct Extractor<'a> {
    pool: &'a mut TermPool,
    scope: &'a Scope<'a>,
    proof: &'a Proof,
    edges: Vec<PartId>,
    hypotheses: Vec<Known>,
}

/// A summand of a leaf, seen from one part.
#[derive(Clone)]
struct Summand {
    share: Partial,
    is_equality: bool,
}

impl Extractor<'_> {
    fn node(&mut self, id: ProofNodeId, depth: usize) -> Result<(Interpolants, Used), Indivisible> {
        if depth > MAX_DEPTH {
            return Err(Indivisible);
        }
        match self.proof.nodes().get(id).ok_or(Indivisible)? {
            ProofNode::Farkas(combination) => Ok((self.farkas(combination)?, used_by(combination))),
            ProofNode::Divisibility(combination) => {
                Ok((self.divisibility(combination)?, used_by(combination)))
            }
            ProofNode::Cut { combination, rest } => {
                let derived = self.cut(combination)?;
                let (interpolants, mut used) = self.below(derived, *rest, depth)?;
                if used.remove(&self.hypotheses.len()) {
                    used.extend(used_by(combination));
                }
                Ok((interpolants, used))
            }
            ProofNode::Split { form, at_most, above } => {
                let part = self.scope.common_home(form.variables()).ok_or(Indivisible)?;
                let case = Constraint::new(form.clone(), Relation::Le);
                let other = case.negated();
                self.cases(part, [(case, *at_most), (other, *above)], depth)
            }
            ProofNode::Distinct { hypothesis, below, above } => {
                let Some(Known::Owned(owned)) = self.hypotheses.get(hypothesis.index()) else {
                    return Err(Indivisible);
                };
                let part = owned.part;
                let form = owned.constraint.form().clone();
                let less = Constraint::new(form.clone(), Relation::Lt);
                let greater = Constraint::new(form.negated(), Relation::Lt);
                let (interpolants, mut used) =
                    self.cases(part, [(less, *below), (greater, *above)], depth)?;
                used.insert(hypothesis.index());
                Ok((interpolants, used))
            }
        }
    }

    /// The proof below a new hypothesis, which is forgotten afterwards.
    fn below(
        &mut self,
        hypothesis: Known,
        node: ProofNodeId,
        depth: usize,
    ) -> Result<(Interpolants, Used), Indivisible> {
        self.hypotheses.push(hypothesis);
        let result = self.node(node, depth + 1);
        self.hypotheses.pop();
        result
    }

    fn cases(
        &mut self,
        part: PartId,
        cases: [(Constraint, ProofNodeId); 2],
        depth: usize,
    ) -> Result<(Interpolants, Used), Indivisible> {
        let number = self.hypotheses.len();
        let mut results = Vec::new();
        let mut all_used = Used::default();
        for (constraint, node) in cases {
            let (interpolants, mut used) =
                self.below(Known::Owned(Owned { constraint, part }), node, depth)?;
            if !used.remove(&number) {
                // The case was never used, so this is a proof without the distinction.
                return Ok((interpolants, used));
            }
            all_used.extend(used);
            results.push(interpolants);
        }
        Ok((combine(self.pool, self.scope.tree(), part, &results), all_used))
    }

    /// What a combination derives.
    fn total(&self, combination: &Combination) -> Result<LinearForm, Indivisible> {
        combination.iter().try_fold(LinearForm::default(), |total, (hypothesis, weight)| {
            let known = self.hypotheses.get(hypothesis.index()).ok_or(Indivisible)?;
            Ok(total.add_scaled(weight, known.constraint().form()))
        })
    }

    /// The shares that a part has in the summands of a combination, without those that are zero.
    fn summands(&self, position: usize, combination: &Combination) -> Vec<Summand> {
        let tree = self.scope.tree();
        let mut summands = Vec::new();
        for (hypothesis, weight) in combination {
            let summand = match &self.hypotheses[hypothesis.index()] {
                Known::Owned(owned) => {
                    if !tree.is_within(owned.part, self.edges[position]) {
                        continue;
                    }
                    let is_equality = owned.constraint.relation() == Relation::Eq;
                    let share = Partial::of_form(owned.constraint.form().scaled(weight));
                    Summand { share, is_equality }
                }
                Known::Derived { shares, .. } => {
                    let mut share = Partial::default();
                    share.add_scaled(weight, &shares[position]);
                    Summand { share, is_equality: false }
                }
            };
            if !summand.share.is_zero() {
                summands.push(summand);
            }
        }
        summands
    }

    fn cut(&mut self, combination: &Combination) -> Result<Known, Indivisible> {
        let total = self.total(combination)?;
        let divisor = if total.is_constant() { Integer::ONE } else { total.content() };
        let mut shares = Vec::with_capacity(self.edges.len());
        for position in 0..self.edges.len() {
            let mut sum = Partial::default();
            for summand in self.summands(position, combination) {
                sum.add_scaled(&Integer::ONE, &summand.share);
            }
            let (scope, part) = (self.scope, self.edges[position]);
            let is_exposed = |variable: VarId| scope.is_exposed(variable, part);
            shares.push(sum.divided(self.pool, &divisor, is_exposed).ok_or(Indivisible)?);
        }
        Ok(Known::Derived { constraint: Constraint::new(total, Relation::Le), shares })
    }

    /// The interpolants of a linear combination.
    fn farkas(&mut self, combination: &Combination) -> Result<Interpolants, Indivisible> {
        let mut by_group = Vec::with_capacity(self.edges.len());
        let mut by_sum = Vec::with_capacity(self.edges.len());
        for position in 0..self.edges.len() {
            let part = self.edges[position];
            let groups = self.groups(part, self.summands(position, combination));
            by_sum.push(sum_of(&groups));
            by_group.push(groups);
        }
        let by_sum: Vec<Vec<Summand>> = by_sum.into_iter().map(|sum| sum.into_iter().collect()).collect();
        let simpler = if weight_of(&by_sum) < weight_of(&by_group) { by_sum } else { by_group };
        let mut interpolants = Vec::with_capacity(self.edges.len());
        for (position, summands) in simpler.into_iter().enumerate() {
            interpolants.push(self.conjunction(self.edges[position], summands)?);
        }
        Ok(interpolants)
    }

    /// One atom for every summand.
    fn conjunction(&mut self, part: PartId, summands: Vec<Summand>) -> Result<TermId, Indivisible> {
        let mut atoms = Vec::with_capacity(summands.len());
        for Summand { share, is_equality } in summands {
            if share.form.variables().any(|variable| !self.scope.is_exposed(variable, part)) {
                return Err(Indivisible);
            }
            let relation = if is_equality { Relation::Eq } else { Relation::Le };
            atoms.push(if share.is_rounded() {
                let term = share.term(self.pool);
                self.pool.le_zero(term)
            } else {
                self.pool.constraint_term(&Constraint::new(share.form, relation))
            });
        }
        Ok(self.pool.and(atoms))
    }

    /// The sums of the groups.
    fn groups(&self, part: PartId, summands: Vec<Summand>) -> Vec<Summand> {
        let mut groups: Vec<(FxHashSet<VarId>, Summand)> = Vec::new();
        for mut summand in summands {
            let hidden = summand.share.form.variables();
            let mut hidden: FxHashSet<VarId> =
                hidden.filter(|&variable| !self.scope.is_exposed(variable, part)).collect();
            let mut apart = Vec::new();
            for (others, group) in groups {
                if others.is_disjoint(&hidden) {
                    apart.push((others, group));
                } else {
                    hidden.extend(others);
                    summand.share.add_scaled(&Integer::ONE, &group.share);
                    summand.is_equality &= group.is_equality;
                }
            }
            apart.push((hidden, summand));
            groups = apart;
        }
        groups.into_iter().map(|(_, summand)| summand).collect()
    }

    /// The interpolants of a combination of equalities.
    fn divisibility(&mut self, combination: &Combination) -> Result<Interpolants, Indivisible> {
        let divisor = self.total(combination)?.content();
        let mut interpolants = Vec::with_capacity(self.edges.len());
        for position in 0..self.edges.len() {
            let summands = self.summands(position, combination);
            interpolants.push(self.remainder(self.edges[position], summands, &divisor)?);
        }
        Ok(interpolants)
    }

    /// The sum of equalities modulo the divisor that refutes the total; without hidden variables,
    /// the equality itself.
    fn remainder(
        &mut self,
        part: PartId,
        summands: Vec<Summand>,
        divisor: &Integer,
    ) -> Result<TermId, Indivisible> {
        let mut sum = LinearForm::default();
        for Summand { share, is_equality } in summands {
            if !is_equality {
                return Err(Indivisible);
            }
            sum = sum.plus(&share.form);
        }
        if sum.variables().all(|variable| self.scope.is_exposed(variable, part)) {
            return Ok(self.pool.constraint_term(&Constraint::new(sum, Relation::Eq)));
        }
        let mut exposed = Vec::new();
        for (variable, coefficient) in sum.terms() {
            if self.scope.is_exposed(*variable, part) {
                exposed.push((*variable, coefficient.clone()));
            } else if !coefficient.is_multiple_of(divisor) {
                return Err(Indivisible);
            }
        }
        let form = LinearForm::new(exposed, sum.constant_term().clone());
        divisible(self.pool, &form, divisor).ok_or(Indivisible)
    }
}

fn used_by(combination: &Combination) -> Used {
    combination.iter().map(|(hypothesis, _)| hypothesis.index()).collect()
}

/// The sum of all summands, if there are some.
fn sum_of(summands: &[Summand]) -> Option<Summand> {
    let mut summands = summands.iter();
    let mut total = summands.next()?.clone();
    for Summand { share, is_equality } in summands {
        total.share.add_scaled(&Integer::ONE, share);
        total.is_equality &= is_equality;
    }
    Some(total)
}

/// How simple interpolants are that have one atom for every summand: the number of atoms that
/// are not just about one or two variables, the number of atoms, the number of variables.
fn weight_of(interpolants: &[Vec<Summand>]) -> (usize, usize, usize) {
    let (mut strange, mut atoms, mut variables) = (0, 0, 0);
    for Summand { share, .. } in interpolants.iter().flatten() {
        let terms = share.form.terms();
        let divisor = share.form.content();
        let is_plain = terms.len() <= 2 && terms.iter().all(|(_, c)| c.abs() == divisor);
        strange += usize::from(share.is_rounded() || !is_plain);
        atoms += usize::from(!terms.is_empty());
        variables += terms.len();
    }
    (strange, atoms, variables)
}

/// `form` is a multiple of `divisor`.
fn divisible(pool: &mut TermPool, form: &LinearForm, divisor: &Integer) -> Option<TermId> {
    // A common factor of coefficients, constant and divisor says nothing.
    let common = form.content().gcd(divisor).gcd(form.constant_term());
    let (form, divisor) = if common.is_zero() || common.is_one() {
        (form.clone(), divisor.clone())
    } else {
        (form.div_exact(&common)?, divisor.div_exact(&common)?)
    };
    if divisor.is_one() {
        return Some(pool.truth(true));
    }
    // A multiple of 5 is 4x + 4 where x + 1 is one.
    let inverse = form.terms().iter().find_map(|(_, factor)| inverse_modulo(factor, &divisor));
    let form = inverse.map_or_else(|| form.clone(), |inverse| form.scaled(&inverse));
    // x + y + k = 0 (mod m) reads better as (x + y) mod m = c.
    let (_, constant) = form.constant_term().div_rem_euclid(&divisor)?;
    let sum = pool.form_term(&form.with_constant(0));
    let remainder = pool.modulo(sum, divisor.clone())?;
    let expected = if constant.is_zero() { constant } else { divisor - constant };
    let expected = pool.int(expected);
    Some(pool.eq(remainder, expected))
}

/// The factor that makes another one congruent to one, if there is one.
fn inverse_modulo(factor: &Integer, divisor: &Integer) -> Option<Integer> {
    // The extended algorithm of Euclid: `current = coefficient * factor` modulo the divisor.
    let (mut previous, mut current) = (divisor.clone(), factor.div_rem_euclid(divisor)?.1);
    let (mut before, mut coefficient) = (Integer::ZERO, Integer::ONE);
    while !current.is_zero() {
        let (quotient, rest) = previous.div_rem_euclid(&current)?;
        let next = &before - &quotient * &coefficient;
        (previous, current) = (current, rest);
        (before, coefficient) = (coefficient, next);
    }
    if previous.is_one() { Some(before.div_rem_euclid(divisor)?.1) } else { None }
}

/// The interpolants of a case distinction that one part makes, from those of the cases.
pub(super) fn combine(
    pool: &mut TermPool,
    tree: &PartTree,
    part: PartId,
    cases: &[Interpolants],
) -> Interpolants {
    tree.edges()
        .enumerate()
        .map(|(position, edge)| {
            let formulas: Vec<TermId> = cases.iter().map(|case| case[position]).collect();
            if tree.is_within(part, edge) { pool.or(formulas) } else { pool.and(formulas) }
        })
        .collect()
}
