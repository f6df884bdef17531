//! Random conjunctions against brute force, and the cases that are hard by design.

use proptest::prelude::*;
use rely_base::{Budget, Id};

use super::*;
use crate::arith::Integer;
use crate::linear::{Constraint, Domain, LinearForm, Relation, VarId};

fn var(index: usize) -> VarId {
    VarId::from_index(index)
}

/// `coefficients . variables + constant REL 0`.
fn constraint(domain: Domain, coefficients: &[i64], relation: Relation, constant: i64) -> Constraint {
    let terms = coefficients.iter().enumerate().map(|(index, c)| (var(index), *c));
    Constraint::over(domain, LinearForm::new(terms, constant), relation)
}

/// Asks, and checks whatever the answer comes with.
fn check(domain: Domain, constraints: &[Constraint]) -> Verdict {
    let mut solver = Conjunction::new(domain);
    for constraint in constraints {
        solver.assert(constraint);
    }
    let verdict = solver.check(&Budget::unlimited());
    check_evidence(&solver, verdict);
    verdict
}

fn check_evidence(solver: &Conjunction, verdict: Verdict) {
    match verdict {
        Verdict::Sat => {
            let model = solver.model().expect("a model");
            assert!(solver.domain() == Domain::Rationals || model.is_integral());
            for constraint in solver.constraints() {
                assert!(model.satisfies(constraint), "{constraint} at {model:?} of {solver:?}");
            }
        }
        Verdict::Unsat => {
            let proof = solver.proof().expect("a proof");
            assert_eq!(proof.check(solver.domain(), solver.constraints()), Ok(()), "{solver:?}");
        }
        Verdict::Unknown(_) => {}
    }
}

fn any_relation() -> impl Strategy<Value = Relation> {
    prop_oneof![
        4 => Just(Relation::Le),
        1 => Just(Relation::Lt),
        2 => Just(Relation::Eq),
        1 => Just(Relation::Ne),
    ]
}

const BOX: i64 = 3;

/// Constraints over three variables, and the box in which brute force looks.
fn boxed_conjunction(domain: Domain) -> impl Strategy<Value = Vec<Constraint>> {
    let one = (prop::array::uniform3(-4i64..=4), any_relation(), -8i64..=8);
    prop::collection::vec(one, 1..7).prop_map(move |rows| {
        let mut constraints: Vec<Constraint> =
            rows.iter().map(|(row, relation, c)| constraint(domain, row, *relation, *c)).collect();
        for index in 0..3 {
            let mut unit = [0; 3];
            unit[index] = 1;
            constraints.push(constraint(domain, &unit, Relation::Le, -BOX));
            unit[index] = -1;
            constraints.push(constraint(domain, &unit, Relation::Le, -BOX));
        }
        constraints
    })
}

fn solution_in_box(constraints: &[Constraint]) -> bool {
    let range = || -BOX..=BOX;
    range().any(|x| {
        range().any(|y| {
            range().any(|z| {
                let point = [x, y, z];
                constraints.iter().all(|c| c.holds(|variable| Integer::from(point[variable.index()])))
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn integers_agree_with_brute_force(constraints in boxed_conjunction(Domain::Integers)) {
        let expected = if solution_in_box(&constraints) { Verdict::Sat } else { Verdict::Unsat };
        prop_assert_eq!(check(Domain::Integers, &constraints), expected);
    }

    #[test]
    fn rationals_admit_what_integers_do(constraints in boxed_conjunction(Domain::Rationals)) {
        let verdict = check(Domain::Rationals, &constraints);
        prop_assert!(!matches!(verdict, Verdict::Unknown(_)));
        if solution_in_box(&constraints) {
            prop_assert_eq!(verdict, Verdict::Sat);
        }
    }
}

proptest! {
    #[test]
    fn incremental_answers_are_those_of_a_fresh_solver(
        pool in prop::collection::vec((prop::array::uniform3(-3i64..=3), any_relation(), -6i64..=6), 12),
        script in prop::collection::vec(0u8..8, 1..40),
        domain in prop_oneof![Just(Domain::Integers), Just(Domain::Rationals)],
    ) {
        let mut solver = Conjunction::new(domain);
        let mut next = pool.iter().cycle().map(|(row, relation, c)| constraint(domain, row, *relation, *c));
        for action in script {
            match action {
                0 => solver.push(),
                1 => solver.pop(),
                2 => solver.reset(),
                3 | 4 => {
                    let verdict = solver.check(&Budget::unlimited());
                    check_evidence(&solver, verdict);
                    prop_assert_eq!(verdict, check(domain, solver.constraints()));
                }
                5 => {
                    let candidate = next.next().unwrap();
                    let answer = solver.entails(&candidate, &Budget::unlimited());
                    let mut with_negation = solver.constraints().to_vec();
                    with_negation.push(candidate.negated_over(domain));
                    let expected = match check(domain, &with_negation) {
                        Verdict::Sat => Entailment::No,
                        Verdict::Unsat => Entailment::Yes,
                        Verdict::Unknown(reason) => Entailment::Unknown(reason),
                    };
                    prop_assert_eq!(answer, expected);
                }
                _ => {
                    solver.assert(&next.next().unwrap());
                }
            }
        }
    }

    #[test]
    fn cores_are_unsatisfiable_and_minimal(constraints in boxed_conjunction(Domain::Integers)) {
        let mut solver = Conjunction::new(Domain::Integers);
        constraints.iter().for_each(|constraint| { solver.assert(constraint); });
        if solver.check(&Budget::unlimited()) == Verdict::Unsat {
            let core = solver.minimal_core(&Budget::unlimited()).unwrap();
            let pick = |skip: Option<usize>| -> Vec<Constraint> {
                core.iter().filter(|&&i| Some(i) != skip).map(|&i| constraints[i].clone()).collect()
            };
            prop_assert_eq!(check(Domain::Integers, &pick(None)), Verdict::Unsat);
            for &index in &core {
                prop_assert_eq!(check(Domain::Integers, &pick(Some(index))), Verdict::Sat);
            }
        }
    }
}
