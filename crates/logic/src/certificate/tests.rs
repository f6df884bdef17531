//! Proofs that are right are accepted, and whatever is wrong with a proof, it is rejected.

use proptest::prelude::*;
use rely_base::{Arena, Budget, Id};

use super::*;
use crate::arith::Integer;
use crate::conjunction::{Conjunction, Verdict};
use crate::linear::{Constraint, Domain, LinearForm, Relation, VarId};

fn constraint(coefficients: &[i64], relation: Relation, constant: i64) -> Constraint {
    let terms = coefficients.iter().enumerate().map(|(index, c)| (VarId::from_index(index), *c));
    Constraint::new(LinearForm::new(terms, constant), relation)
}

fn combination(parts: &[(u32, i64)]) -> Combination {
    parts.iter().map(|(hypothesis, weight)| (Hypothesis(*hypothesis), Integer::from(*weight))).collect()
}

/// The tree whose root is the last node.
fn tree(nodes: impl IntoIterator<Item = ProofNode>) -> Proof {
    let nodes: Arena<ProofNodeId, ProofNode> = nodes.into_iter().collect();
    let root = ProofNodeId::from_index(nodes.len() - 1);
    Proof::new(nodes, root)
}

fn node(index: usize) -> ProofNodeId {
    ProofNodeId::from_index(index)
}

/// `x <= y - 1, y <= z, z = x`.
fn ring() -> Vec<Constraint> {
    vec![
        constraint(&[1, -1], Relation::Le, 1),
        constraint(&[0, 1, -1], Relation::Le, 0),
        constraint(&[1, 0, -1], Relation::Eq, 0),
    ]
}

#[test]
fn a_linear_combination_is_checked_in_every_part() {
    let inputs = ring();
    let check = |parts: &[(u32, i64)]| Proof::farkas(combination(parts)).check(Domain::Integers, &inputs);
    assert_eq!(check(&[(0, 1), (1, 1), (2, -1)]), Ok(()));
    assert_eq!(check(&[(0, 7), (1, 7), (2, -7)]), Ok(()));
    // A weight changed, a part dropped, a sign wrong.
    assert!(matches!(check(&[(0, 1), (1, 2), (2, -1)]), Err(ProofError::NotFalse(..))));
    assert!(matches!(check(&[(0, 1), (1, 1)]), Err(ProofError::NotFalse(..))));
    assert!(matches!(check(&[(0, 1), (1, 1), (2, 1)]), Err(ProofError::NotFalse(..))));
    assert!(matches!(check(&[]), Err(ProofError::NotFalse(..))));
    // Weights that no inequality may have.
    assert!(matches!(check(&[(0, -1), (1, -1), (2, 1)]), Err(ProofError::BadWeight(..))));
    assert!(matches!(check(&[(0, 0)]), Err(ProofError::BadWeight(..))));
    // A constraint that is not among the inputs.
    assert_eq!(check(&[(3, 1)]), Err(ProofError::MissingHypothesis(Hypothesis(3))));
    assert_eq!(check(&[(u32::MAX, 1)]), Err(ProofError::MissingHypothesis(Hypothesis(u32::MAX))));
}

#[test]
fn strictness_matters_over_the_rationals() {
    let domain = Domain::Rationals;
    let over = |coefficients: &[i64], relation| {
        let terms = coefficients.iter().enumerate().map(|(index, c)| (VarId::from_index(index), *c));
        Constraint::over(domain, LinearForm::new(terms, 0), relation)
    };
    let proof = Proof::farkas(combination(&[(0, 1), (1, 1)]));
    let strict = [over(&[1, -1], Relation::Lt), over(&[-1, 1], Relation::Le)];
    assert_eq!(proof.check(domain, &strict), Ok(()));
    let weak = [over(&[1, -1], Relation::Le), over(&[-1, 1], Relation::Le)];
    assert!(matches!(proof.check(domain, &weak), Err(ProofError::NotFalse(..))));
}

#[test]
fn divisibility_needs_equalities_and_a_divisor() {
    // x = 2y + 1 and x = 2z.
    let inputs = [constraint(&[1, -2], Relation::Eq, -1), constraint(&[1, 0, -2], Relation::Eq, 0)];
    let check = |parts: &[(u32, i64)], inputs: &[Constraint], domain| {
        tree([ProofNode::Divisibility(combination(parts))]).check(domain, inputs)
    };
    assert_eq!(check(&[(0, 1), (1, -1)], &inputs, Domain::Integers), Ok(()));
    assert!(matches!(check(&[(0, 1), (1, 2)], &inputs, Domain::Integers), Err(ProofError::NotFalse(..))));
    let rational = check(&[(0, 1), (1, -1)], &inputs, Domain::Rationals);
    assert_eq!(rational, Err(ProofError::NeedsIntegers(node(0))));
    let weaker = [constraint(&[1, -2], Relation::Le, -1), constraint(&[1, 0, -2], Relation::Eq, 0)];
    assert!(matches!(check(&[(0, 1), (1, -1)], &weaker, Domain::Integers), Err(ProofError::NotFalse(..))));
}

/// `2x + y <= 2`, `y <= x` and `x + 5y >= 3`: a triangle without an integer point.
fn triangle() -> Vec<Constraint> {
    vec![
        constraint(&[2, 1], Relation::Le, -2),
        constraint(&[-1, 1], Relation::Le, 0),
        constraint(&[-1, -5], Relation::Le, 3),
    ]
}

fn refutation(inputs: &[Constraint]) -> Option<Proof> {
    let mut solver = Conjunction::new(Domain::Integers);
    for input in inputs {
        solver.assert(input);
    }
    match solver.check(&Budget::unlimited()) {
        Verdict::Unsat => solver.proof().cloned(),
        _ => None,
    }
}

#[test]
fn both_sides_of_a_split_must_close() {
    let inputs = triangle();
    // x <= 0 or x >= 1.
    let split = |form: LinearForm, at_most: ProofNode, above: ProofNode| {
        tree([at_most, above, ProofNode::Split { form, at_most: node(0), above: node(1) }])
    };
    let x = LinearForm::variable(VarId::from_index(0));
    let left = ProofNode::Farkas(combination(&[(1, 5), (2, 1), (3, 6)]));
    let right = ProofNode::Farkas(combination(&[(0, 5), (2, 1), (3, 9)]));
    assert_eq!(split(x.clone(), left.clone(), right.clone()).check(Domain::Integers, &inputs), Ok(()));
    // The sides exchanged, another split, a side that proves nothing, one that is missing.
    assert!(split(x.clone(), right.clone(), left.clone()).check(Domain::Integers, &inputs).is_err());
    let other = x.clone().with_constant(1);
    assert!(split(other, left.clone(), right.clone()).check(Domain::Integers, &inputs).is_err());
    let empty = ProofNode::Farkas(Vec::new());
    assert!(split(x.clone(), left.clone(), empty).check(Domain::Integers, &inputs).is_err());
    let missing =
        tree([left.clone(), ProofNode::Split { form: x.clone(), at_most: node(0), above: node(9) }]);
    assert_eq!(missing.check(Domain::Integers, &inputs), Err(ProofError::MissingNode(node(9))));
    // Over the rationals, x > 0 does not mean x >= 1.
    assert!(split(x.clone(), left.clone(), right.clone()).check(Domain::Rationals, &inputs).is_err());
    // One proof for both sides, or a proof that contains itself, is no tree.
    let twice = tree([left, ProofNode::Split { form: x.clone(), at_most: node(0), above: node(0) }]);
    assert!(twice.check(Domain::Integers, &inputs).is_err());
    let looping = tree([right, ProofNode::Cut { combination: combination(&[(0, 1)]), rest: node(1) }]);
    assert_eq!(looping.check(Domain::Integers, &inputs), Err(ProofError::NotATree(node(1))));
}

#[test]
fn the_hypothesis_of_one_side_is_unknown_on_the_other() {
    let inputs = vec![constraint(&[1], Relation::Ne, 0), constraint(&[1], Relation::Eq, 0)];
    // The second side must use its own hypothesis, which has the same number; two numbers further
    // there is nothing.
    let proof = |below: &[(u32, i64)], above: &[(u32, i64)]| {
        let distinct = ProofNode::Distinct { hypothesis: Hypothesis(0), below: node(0), above: node(1) };
        tree([ProofNode::Farkas(combination(below)), ProofNode::Farkas(combination(above)), distinct])
    };
    assert_eq!(proof(&[(1, -1), (2, 1)], &[(1, 1), (2, 1)]).check(Domain::Integers, &inputs), Ok(()));
    assert!(proof(&[(1, -1), (2, 1)], &[(1, -1), (2, 1)]).check(Domain::Integers, &inputs).is_err());
    assert!(proof(&[(1, -1), (3, 1)], &[(1, 1), (2, 1)]).check(Domain::Integers, &inputs).is_err());
    // Something else taken for a disequality, and a disequality that is added up.
    let wrong = ProofNode::Distinct { hypothesis: Hypothesis(1), below: node(0), above: node(1) };
    let leaf = || ProofNode::Farkas(combination(&[(1, -1), (2, 1)]));
    let error = tree([leaf(), leaf(), wrong]).check(Domain::Integers, &inputs);
    assert_eq!(error, Err(ProofError::WrongRelation(Hypothesis(1))));
    let error = Proof::farkas(combination(&[(0, 1)])).check(Domain::Integers, &inputs);
    assert_eq!(error, Err(ProofError::WrongRelation(Hypothesis(0))));
}

/// Ways to damage a proof; the numbers say where.
fn damage(proof: &Proof, kind: u8, place: usize, amount: i64) -> Proof {
    let mut nodes: Vec<ProofNode> = proof.nodes().values().cloned().collect();
    let count = nodes.len();
    match &mut nodes[place % count] {
        ProofNode::Farkas(parts)
        | ProofNode::Divisibility(parts)
        | ProofNode::Cut { combination: parts, .. }
            if !parts.is_empty() =>
        {
            let part = place % parts.len();
            match kind % 4 {
                0 => parts[part].1 += &Integer::from(amount),
                1 => parts[part].1 = -&parts[part].1,
                2 => parts[part].0.0 = parts[part].0.0.wrapping_add(amount as u32),
                _ => {
                    parts.remove(part);
                }
            }
        }
        ProofNode::Split { form, .. } => form.add_constant(&Integer::from(amount)),
        ProofNode::Distinct { hypothesis, .. } => hypothesis.0 = hypothesis.0.wrapping_add(amount as u32),
        _ => {}
    }
    let root = proof.root();
    Proof::new(nodes.into_iter().collect(), root)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// No proof, damaged or not, refutes constraints that a point satisfies.
    #[test]
    fn satisfiable_constraints_are_never_refuted(
        rows in prop::collection::vec((prop::array::uniform3(-4i64..=4), 0u8..4, 0i64..=4), 2..7),
        point in prop::array::uniform3(-3i64..=3),
        tightened in 0usize..7,
        by in 1i64..=12,
        damages in prop::collection::vec((0u8..4, 0usize..40, -2i64..=2), 0..3),
    ) {
        let inputs: Vec<Constraint> = rows.iter().map(|(row, kind, slack)| {
            let value: i64 = row.iter().zip(point).map(|(c, x)| c * x).sum();
            match kind {
                0 => constraint(row, Relation::Eq, -value),
                1 => constraint(row, Relation::Ne, -value + 1 + slack),
                _ => constraint(row, Relation::Le, -value - slack),
            }
        }).collect();
        // A similar system that may be unsatisfiable lends its proof.
        let mut other = inputs.clone();
        let changed = tightened % other.len();
        let form = other[changed].form().clone();
        let constant = form.constant_term() + Integer::from(by);
        other[changed] = Constraint::new(form.with_constant(constant), other[changed].relation());
        if let Some(proof) = refutation(&other) {
            prop_assert_eq!(proof.check(Domain::Integers, &other), Ok(()));
            prop_assert!(proof.check(Domain::Integers, &inputs).is_err());
            let damaged = damages.iter().fold(proof, |proof, (kind, place, amount)| {
                damage(&proof, *kind, *place, *amount)
            });
            prop_assert!(damaged.check(Domain::Integers, &inputs).is_err());
        }
    }
}
