//! Regions that contain two others: exact unions, joins and widenings.
//!
//! The true convex hull is exponential, so joins are taken along few directions: those in which
//! one of the two regions has a bound, those of the program's own comparisons ([`Landmarks`]), and
//! the equalities that both satisfy (Karr, *Affine relationships among variables of a program*,
//! 1976). A union that happens to be a region is recognised as such; that is how `x = 0`, `x = 1`,
//! ... grow together to a loop invariant while `x <= 10` and `x = 20` stay apart.

use super::region::{Reasoner, Region};
use rely_logic::{Constraint, Integer, LinearForm, Relation, VarId};

/// The comparisons that a program makes: where its invariants are likely to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Landmarks {
    /// Constraints that a widening keeps if they hold.
    pub(super) bounds: Vec<Constraint>,
    /// Directions in which joins look for bounds, without constants.
    pub(super) directions: Vec<LinearForm>,
}

impl Landmarks {
    /// Adds a bound, and its direction and the opposite one if it relates several variables.
    pub(super) fn add(&mut self, bound: Constraint) {
        if bound.form().is_constant() || self.bounds.contains(&bound) {
            return;
        }
        let direction = bound.form().clone().with_constant(Integer::ZERO);
        if direction.terms().len() > 1 {
            for direction in [direction.negated(), direction] {
                if !self.directions.contains(&direction) {
                    self.directions.push(direction);
                }
            }
        }
        self.bounds.push(bound);
    }
}

/// A region that contains both, and nothing that their bounds exclude together.
pub(super) fn join(reasoner: &mut Reasoner, left: &Region, right: &Region, landmarks: &Landmarks) -> Region {
    let hull = hull(reasoner, left, right, landmarks);
    reasoner.region(hull).unwrap_or_else(Region::everything)
}

/// The constraints of a join; some may follow from others.
fn hull(reasoner: &mut Reasoner, left: &Region, right: &Region, landmarks: &Landmarks) -> Vec<Constraint> {
    let mut constraints: Vec<Constraint> =
        common_equalities(left, right).into_iter().map(|form| Constraint::new(form, Relation::Eq)).collect();
    let bounded = left.upper_bounds().chain(right.upper_bounds());
    let mut directions: Vec<LinearForm> = bounded.map(|form| form.with_constant(Integer::ZERO)).collect();
    directions.extend(landmarks.directions.iter().cloned());
    // Bounds of a variable for which an equality is solved are bounds of other sums by now.
    for variable in left.solved_variables().chain(right.solved_variables()) {
        let direction = LinearForm::variable(variable);
        directions.extend([direction.negated(), direction]);
    }
    directions.sort();
    directions.dedup();
    let mut candidates: Vec<Constraint> = Vec::new();
    for direction in directions {
        let highest = left.highest(&direction).zip(right.highest(&direction));
        let bound = highest.map(|(left, right)| direction.clone().with_constant(-&left.max(right)));
        let is_tighter = |landmark: &&Constraint| {
            let form = landmark.form();
            form.terms() == direction.terms()
                && bound.as_ref().is_none_or(|bound| form.constant_term() > bound.constant_term())
        };
        if direction.terms().len() > 1 {
            candidates.extend(landmarks.bounds.iter().filter(is_tighter).cloned());
        }
        constraints.extend(bound.map(|bound| Constraint::new(bound, Relation::Le)));
    }
    let held = reasoner.entailed(left, &candidates);
    constraints.extend(reasoner.entailed(right, &held));
    let disequalities = |region: &Region| -> Vec<Constraint> {
        let held = region.constraints().iter().filter(|held| held.relation() == Relation::Ne);
        held.cloned().collect()
    };
    constraints.extend(reasoner.entailed(right, &disequalities(left)));
    constraints.extend(reasoner.entailed(left, &disequalities(right)));
    constraints
}

/// The union of both, if it is a region again: nothing between them would be added.
pub(super) fn exact_union(
    reasoner: &mut Reasoner,
    left: &Region,
    right: &Region,
    (landmarks, most_differences): (&Landmarks, usize),
) -> Option<Region> {
    if left.is_far_from(right) {
        return None;
    }
    let left_only = reasoner.broken_by(left, right);
    if left_only.is_empty() {
        return Some(left.clone());
    }
    let right_only = reasoner.broken_by(right, left);
    if right_only.is_empty() {
        return Some(right.clone());
    }
    if left_only.len().max(right_only.len()) > most_differences {
        return None;
    }
    let hull = hull(reasoner, left, right, landmarks);
    let outside = left_only.iter().flat_map(|left_missing| {
        right_only.iter().map(|right_missing| [left_missing.negated(), right_missing.negated()])
    });
    // Most unions are not exact, so this is asked before the hull is made as simple as it can be.
    let is_exact = reasoner.exclude(&hull, outside);
    is_exact.then(|| reasoner.region(hull).unwrap_or_else(Region::everything))
}

/// A region that contains both and is one of finitely many that can follow `old`: bounds of the
/// old one that survive, equalities, and landmarks in the directions in which bounds were lost.
pub(super) fn widen(reasoner: &mut Reasoner, old: &Region, new: &Region, landmarks: &Landmarks) -> Region {
    let mut constraints: Vec<Constraint> =
        common_equalities(old, new).into_iter().map(|form| Constraint::new(form, Relation::Eq)).collect();
    let bounds: Vec<Constraint> =
        old.upper_bounds().map(|form| Constraint::new(form, Relation::Le)).collect();
    let disequalities = old.constraints().iter().filter(|held| held.relation() == Relation::Ne);
    let kept = reasoner.entailed(new, bounds.iter().chain(disequalities));
    let lost: Vec<&Constraint> = bounds.iter().filter(|bound| !kept.contains(bound)).collect();
    // A bound may have followed from a lost one about a sum, or be hidden behind an equality.
    let is_implied = |variable: VarId| {
        new.solves(variable)
            || lost.iter().any(|bound| bound.form().terms().len() > 1 && bound.form().contains(variable))
    };
    let is_lost = |landmark: &&Constraint| match landmark.form().terms() {
        [(variable, _)] => {
            is_implied(*variable) || lost.iter().any(|bound| bound.form().terms() == landmark.form().terms())
        }
        _ => true,
    };
    let survivors = reasoner.entailed(old, landmarks.bounds.iter().filter(is_lost));
    constraints.extend(reasoner.entailed(new, &survivors));
    constraints.extend(kept);
    reasoner.region(constraints).unwrap_or_else(Region::everything)
}

/// A basis of the forms that are zero in both regions: the intersection of two spaces, by the
/// algorithm of Zassenhaus. Each row is a pair; once its first part has been eliminated, the
/// second is in both spaces.
fn common_equalities(left: &Region, right: &Region) -> Vec<LinearForm> {
    let mut rows: Vec<(LinearForm, LinearForm)> =
        left.equalities().map(|form| (form.clone(), form.clone())).collect();
    rows.extend(right.equalities().map(|form| (form.clone(), LinearForm::constant(0))));
    let mut common = Vec::new();
    while let Some((pivot, partner)) = rows.pop() {
        let pivot_factor = |form: &LinearForm| match pivot.terms().first() {
            Some((variable, _)) => form.coefficient(*variable),
            None => form.constant_term().clone(),
        };
        let own_factor = pivot_factor(&pivot);
        if own_factor.is_zero() {
            // No variables and no constant: eliminated.
            if !partner.is_constant() {
                common.push(partner);
            }
            continue;
        }
        for (first, second) in &mut rows {
            let factor = pivot_factor(first);
            if !factor.is_zero() {
                *first = first.scaled(&own_factor).add_scaled(&-&factor, &pivot);
                *second = second.scaled(&own_factor).add_scaled(&-&factor, &partner);
            }
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::super::region::tests::{constraint, show};
    use super::*;
    use Relation::{Eq, Le};
    use rely_base::Budget;

    type Sides = [Vec<Constraint>; 2];

    fn regions(reasoner: &mut Reasoner, sides: Sides) -> [Region; 2] {
        sides.map(|constraints| reasoner.region(constraints).expect("something"))
    }

    fn check_union(sides: Sides, expected: &str) {
        let budget = Budget::unlimited();
        let mut reasoner = Reasoner::new(&budget);
        let [left, right] = regions(&mut reasoner, sides);
        let union = exact_union(&mut reasoner, &left, &right, (&Landmarks::default(), 4));
        assert_eq!(show(union.as_ref()), expected);
    }

    #[test]
    fn neighbours_grow_together() {
        check_union([vec![constraint(&[1], 0, Eq)], vec![constraint(&[1], -1, Eq)]], "v0 >= 0, v0 <= 1");
        check_union([vec![constraint(&[1], 0, Eq)], vec![constraint(&[1], -2, Eq)]], "nothing");
        // Two counters that go together are one line.
        let point = |value: i64| vec![constraint(&[1, 0], -value, Eq), constraint(&[0, 1], -value, Eq)];
        check_union([point(0), point(1)], "v0 = v1, v1 >= 0, v1 <= 1");
    }

    #[test]
    fn a_landmark_stops_a_widening() {
        let budget = Budget::unlimited();
        let mut reasoner = Reasoner::new(&budget);
        let up_to = |high: i64| vec![constraint(&[-1], 0, Le), constraint(&[1], -high, Le)];
        let [old, new] = regions(&mut reasoner, [up_to(3), up_to(4)]);
        let mut landmarks = Landmarks::default();
        let free = widen(&mut reasoner, &old, &new, &landmarks);
        assert_eq!(show(Some(&free)), "v0 >= 0");
        landmarks.add(constraint(&[1], -10, Le));
        let stopped = widen(&mut reasoner, &old, &new, &landmarks);
        assert_eq!(show(Some(&stopped)), "v0 >= 0, v0 <= 10");
    }

    #[test]
    fn a_symbolic_bound_is_found() {
        // x = 0 <= n and x = 1 <= n, with the program's own comparison x <= n.
        let budget = Budget::unlimited();
        let mut reasoner = Reasoner::new(&budget);
        let at = |value: i64| vec![constraint(&[1], -value, Eq), constraint(&[0, -1], value, Le)];
        let [left, right] = regions(&mut reasoner, [at(0), at(1)]);
        let mut landmarks = Landmarks::default();
        landmarks.add(constraint(&[1, -1], 0, Le));
        let union = exact_union(&mut reasoner, &left, &right, (&landmarks, 4));
        assert_eq!(show(union.as_ref()), "v0 >= 0, v0 <= 1, v0 <= v1");
    }
}
