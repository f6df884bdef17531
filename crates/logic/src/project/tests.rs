//! Projections by example, and against all points of a small box.

use rely_base::{Budget, Id};

use super::*;
use crate::linear::NumberedNames;

fn var(index: usize) -> VarId {
    VarId::from_index(index)
}

fn le(terms: &[(usize, i64)], constant: i64) -> Constraint {
    let terms: Vec<(VarId, i64)> = terms.iter().map(|&(index, factor)| (var(index), factor)).collect();
    Constraint::new(LinearForm::new(terms, constant), Relation::Le)
}

fn with_relation(terms: &[(usize, i64)], constant: i64, relation: Relation) -> Constraint {
    Constraint::new(le(terms, constant).form().clone(), relation)
}

fn check(constraints: &[Constraint], eliminate: &[usize], expected: &str, is_exact: bool) {
    let eliminate: Vec<VarId> = eliminate.iter().map(|&index| var(index)).collect();
    let result = project(Domain::Integers, constraints, &eliminate, &Budget::unlimited());
    let mut texts: Vec<String> =
        result.constraints.iter().map(|c| c.display(&NumberedNames).to_string()).collect();
    texts.sort();
    assert_eq!(texts.join(", "), expected);
    assert_eq!(result.is_exact, is_exact);
}

#[test]
fn chains_become_transitive() {
    check(&[le(&[(0, 1), (1, -1)], 0), le(&[(1, 1), (2, -1)], 0)], &[1], "v0 <= v2", true);
}

#[test]
fn equalities_are_substituted() {
    let sum = with_relation(&[(1, 1), (0, -1)], -1, Relation::Eq);
    check(&[sum, le(&[(1, 1)], -5)], &[1], "v0 <= 4", true);
}

#[test]
fn one_sided_variables_vanish_with_their_disequalities() {
    let distinct = with_relation(&[(1, 1), (0, -1)], 0, Relation::Ne);
    check(&[le(&[(0, 1), (1, -1)], 0), distinct], &[1], "", true);
}

#[test]
fn inexact_integer_steps_are_marked() {
    // 2y = x loses that x is even; 2y >= x and 3y <= z needs more than one shadow.
    let even = with_relation(&[(1, 2), (0, -1)], 0, Relation::Eq);
    check(&[even, le(&[(1, 1)], -3)], &[1], "v0 <= 6", false);
    check(&[le(&[(1, -2), (0, 1)], 0), le(&[(1, 3), (2, -1)], 0)], &[1], "3*v0 <= 2*v2", false);
}

#[test]
fn contradictions_stay_contradictions() {
    check(&[le(&[(0, 1)], 1), le(&[(0, -1)], 0)], &[0], "1 <= 0", true);
}

#[test]
fn strictness_survives_over_the_rationals() {
    let strict =
        Constraint::over(Domain::Rationals, LinearForm::new([(var(0), 1), (var(1), -1)], 0), Relation::Lt);
    let weak = le(&[(1, 1), (2, -1)], 0);
    let result = project(Domain::Rationals, &[strict, weak], &[var(1)], &Budget::unlimited());
    assert_eq!(result.constraints[0].display(&NumberedNames).to_string(), "v0 < v2");
    assert!(result.is_exact);
}

/// Whether some integer value of `v2` from -40 to 40 satisfies all constraints.
fn has_extension(constraints: &[Constraint], x: i64, y: i64) -> bool {
    (-40..=40).any(|z| {
        let value = |variable: VarId| Integer::from([x, y, z][variable.index()]);
        constraints.iter().all(|constraint| constraint.holds(value))
    })
}

#[test]
fn projections_contain_every_shadow_and_exact_ones_nothing_else() {
    let mut seed = 11_u64;
    let mut next = |bound: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % bound) as i64
    };
    for _ in 0..300 {
        let constraints: Vec<Constraint> = (0..1 + next(5))
            .map(|_| {
                let terms = [(0, next(5) - 2), (1, next(5) - 2), (2, next(5) - 2)];
                let relation = [Relation::Le, Relation::Le, Relation::Eq, Relation::Ne][next(4) as usize];
                with_relation(&terms, next(13) - 6, relation)
            })
            .collect();
        let result = project(Domain::Integers, &constraints, &[var(2)], &Budget::unlimited());
        for (x, y) in (-5..=5).flat_map(|x| (-5..=5).map(move |y| (x, y))) {
            let value = |variable: VarId| Integer::from([x, y][variable.index()]);
            let inside = result.constraints.iter().all(|constraint| constraint.holds(value));
            let expected = has_extension(&constraints, x, y);
            assert!(inside || !expected, "a point is lost: {constraints:?}");
            assert!(expected || !inside || !result.is_exact, "a point is gained: {constraints:?}");
        }
    }
}
