//! The laws of the domains, point by point, on random elements of all three.

use rely_base::Id;

use super::*;
use crate::arith::Integer;
use crate::linear::{NumberedNames, Relation};

const VARIABLES: usize = 3;

fn var(index: usize) -> VarId {
    VarId::from_index(index)
}

/// A linear congruential generator: small and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound) as i64
    }

    fn form(&mut self) -> LinearForm {
        let terms: Vec<(VarId, i64)> = (0..VARIABLES).map(|index| (var(index), self.below(5) - 2)).collect();
        LinearForm::new(terms, self.below(9) - 4)
    }

    fn constraint(&mut self) -> Constraint {
        let relation =
            [Relation::Le, Relation::Le, Relation::Le, Relation::Eq, Relation::Ne][self.below(5) as usize];
        let form = if self.below(2) == 0 {
            self.form()
        } else {
            let (left, right) = (self.below(3) as usize, self.below(3) as usize);
            LinearForm::new([(var(left), 1), (var(right), -1)], self.below(9) - 4)
        };
        Constraint::new(form, relation)
    }

    fn element<D: NumericDomain>(&mut self) -> D {
        let mut element = D::top();
        for _ in 0..1 + self.below(4) {
            element.meet(&self.constraint());
        }
        element
    }
}

fn points() -> Vec<[i64; VARIABLES]> {
    let range = -3..=3;
    let mut points = Vec::new();
    for x in range.clone() {
        for y in range.clone() {
            points.extend(range.clone().map(|z| [x, y, z]));
        }
    }
    points
}

fn holds(constraint: &Constraint, point: &[i64; VARIABLES]) -> bool {
    constraint.holds(|variable| Integer::from(point[variable.index()]))
}

fn contains(element: &impl NumericDomain, point: &[i64; VARIABLES]) -> bool {
    element.constraints().iter().all(|constraint| holds(constraint, point))
}

fn check_laws<D: NumericDomain>(seed: u64, rounds: usize) {
    let mut random = Random(seed);
    let points = points();
    for _ in 0..rounds {
        let (left, right): (D, D) = (random.element(), random.element());
        let (constraint, form, target) = (random.constraint(), random.form(), var(random.below(3) as usize));
        let (join, widened) = (left.join(&right), left.widen(&left.join(&right)));
        let narrowed = join.narrow(&left);
        let (mut met, mut forgotten, mut assigned) = (left.clone(), left.clone(), left.clone());
        met.meet(&constraint);
        forgotten.forget(target);
        assigned.assign(target, &form);
        assert!(join.includes(&left) && join.includes(&right), "a join is too small: {left:?} {right:?}");
        assert!(left.includes(&left) && D::top().includes(&left) && left.includes(&D::bottom()));
        for point in &points {
            let (in_left, in_right) = (contains(&left, point), contains(&right, point));
            assert!(!in_left || !left.is_bottom());
            assert!(
                !(in_left || in_right) || contains(&join, point),
                "join loses {point:?}: {left:?} {right:?}"
            );
            assert!(!(in_left || in_right) || contains(&widened, point), "widening loses {point:?}");
            assert!(!in_left || contains(&narrowed, point), "narrowing loses {point:?}");
            assert!(!contains(&narrowed, point) || contains(&join, point), "narrowing gains {point:?}");
            assert!(!(in_left && holds(&constraint, point)) || contains(&met, point), "meet loses {point:?}");
            assert!(
                !in_left || !left.entails(&constraint) || holds(&constraint, point),
                "a wrong entailment"
            );
            assert!(!in_left || contains(&forgotten, point));
            if in_left {
                let value = form.evaluate(|variable| Integer::from(point[variable.index()]));
                let after = |variable: VarId| {
                    if variable == target { value.clone() } else { Integer::from(point[variable.index()]) }
                };
                let inside = assigned.constraints().iter().all(|constraint| constraint.holds(after));
                assert!(inside, "assignment loses {point:?}: {left:?} {target:?} := {form:?}");
            }
        }
    }
}

/// Chains of widenings end, whatever comes next.
fn check_widening_ends<D: NumericDomain>(seed: u64) {
    let mut random = Random(seed);
    for _ in 0..20 {
        let mut current: D = random.element();
        let mut changes = 0;
        for _ in 0..60 {
            let next = current.join(&random.element());
            if !current.includes(&next) {
                current = current.widen(&next);
                changes += 1;
            }
        }
        assert!(changes < 30, "{changes} widenings, and no end");
    }
}

#[test]
fn intervals_obey_the_laws() {
    check_laws::<Intervals>(1, 400);
    check_widening_ends::<Intervals>(2);
}

#[test]
fn octagons_obey_the_laws() {
    check_laws::<Octagons>(3, 300);
    check_widening_ends::<Octagons>(4);
}

#[test]
fn polyhedra_obey_the_laws() {
    check_laws::<Polyhedra>(5, 60);
    check_widening_ends::<Polyhedra>(6);
}

fn shown(element: &impl NumericDomain) -> String {
    let mut texts: Vec<String> = element
        .constraints()
        .iter()
        .map(|constraint| constraint.display(&NumberedNames).to_string())
        .collect();
    texts.sort();
    texts.join(", ")
}

fn point<D: NumericDomain>(x: i64, y: i64) -> D {
    let mut element = D::top();
    element.assign(var(0), &LinearForm::constant(x));
    element.assign(var(1), &LinearForm::constant(y));
    element
}

#[test]
fn joins_are_as_precise_as_their_constraints_allow() {
    assert_eq!(shown(&point::<Intervals>(0, 0).join(&point(2, 4))), "v0 <= 2, v0 >= 0, v1 <= 4, v1 >= 0");
    let octagon = point::<Octagons>(0, 0).join(&point(2, 2));
    assert!(octagon.entails(&Constraint::eq(&LinearForm::variable(var(0)), &LinearForm::variable(var(1)))));
    assert_eq!(shown(&point::<Polyhedra>(0, 0).join(&point(2, 4))), "v0 <= 2, v0 >= 0, v1 = 2*v0");
}

#[test]
fn octagons_know_integers() {
    // x + y <= 1 and x - y <= 0 make 2x <= 1, so x <= 0.
    let mut octagon = Octagons::top();
    octagon.meet(&Constraint::new(LinearForm::new([(var(0), 1), (var(1), 1)], -1), Relation::Le));
    octagon.meet(&Constraint::new(LinearForm::new([(var(0), 1), (var(1), -1)], 0), Relation::Le));
    assert!(octagon.entails(&Constraint::le(&LinearForm::variable(var(0)), &LinearForm::constant(0))));
    // 2x = 1 has no integer point even if only octagonal reasoning finds it.
    octagon.meet(&Constraint::ge(&LinearForm::variable(var(0)), &LinearForm::constant(1)));
    assert!(octagon.is_bottom());
}

#[test]
fn octagons_shift_and_turn_a_variable_in_place() {
    let mut octagon: Octagons = point(1, 5);
    octagon.meet(&Constraint::le(&LinearForm::variable(var(0)), &LinearForm::variable(var(1))));
    octagon.assign(var(0), &LinearForm::new([(var(0), -1)], 3));
    assert!(octagon.entails(&Constraint::eq(&LinearForm::variable(var(0)), &LinearForm::constant(2))));
}

/// Both octagons together contain exactly the points that are in both, and forgetting keeps them.
#[test]
fn octagons_meet_and_forget() {
    let mut random = Random(7);
    for _ in 0..200 {
        let [left, right] = [random.element::<Octagons>(), random.element()];
        let both = left.met(&right);
        let kept = both.clone().keeping(|variable| variable != var(0));
        for point in points() {
            let contains = |octagon: &Octagons| {
                let value = |variable: VarId| Integer::from(point[variable.index()]);
                octagon.constraints().iter().all(|constraint| constraint.holds(value))
            };
            assert_eq!(contains(&both), contains(&left) && contains(&right), "{point:?}");
            assert!(!contains(&both) || contains(&kept), "{point:?}");
        }
        assert!(kept.constraints().iter().all(|constraint| !constraint.form().contains(var(0))));
    }
}
