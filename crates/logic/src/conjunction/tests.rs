//! Random conjunctions against brute force, and the cases that are hard by design.

use proptest::prelude::*;
use rely_base::{Budget, CancelToken, Id, StopReason};

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

/// A system over the variables `0..n`, each constraint as sparse terms.
fn sparse(terms: &[(usize, i64)], relation: Relation, constant: i64) -> Constraint {
    Constraint::new(LinearForm::new(terms.iter().map(|(index, c)| (var(*index), *c)), constant), relation)
}

#[test]
fn ten_thousand_variables_in_a_chain() {
    const LENGTH: usize = 10_000;
    let mut chain: Vec<Constraint> =
        (1..LENGTH).map(|index| sparse(&[(index - 1, 1), (index, -1)], Relation::Lt, 0)).collect();
    chain.push(sparse(&[(0, -1)], Relation::Le, 0));
    assert_eq!(check(Domain::Integers, &chain), Verdict::Sat);
    // The last cannot be less than its position.
    chain.push(sparse(&[(LENGTH - 1, 1)], Relation::Lt, 1 - LENGTH as i64));
    assert_eq!(check(Domain::Integers, &chain), Verdict::Unsat);
}

#[test]
fn large_systems_that_are_no_differences() {
    // Sums of three neighbours: far more coefficients than a dense tableau may have.
    const COUNT: usize = 1_000;
    let triple = |index: usize| [(index, 1), ((index + 1) % COUNT, 1), ((index + 2) % COUNT, 1)];
    let mut sums: Vec<Constraint> =
        (0..COUNT - 2).map(|index| sparse(&triple(index), Relation::Le, -(index as i64 % 7))).collect();
    sums.extend((0..COUNT).map(|index| sparse(&[(index, -1)], Relation::Le, 0)));
    assert_eq!(check(Domain::Integers, &sums), Verdict::Sat);
    sums.push(sparse(&triple(6), Relation::Lt, -6));
    sums.push(sparse(&triple(9), Relation::Eq, -3));
    assert_eq!(check(Domain::Integers, &sums), Verdict::Unsat);
}

#[test]
fn memory_is_bounded() {
    let limits = Limits { coefficients: 1_000, ..Limits::default() };
    let mut solver = Conjunction::with_limits(Domain::Integers, limits);
    for index in 0..2_000 {
        solver.assert(&sparse(&[(index, 1), (index + 1, 1), (index + 2, -2)], Relation::Le, 1));
    }
    let budget = Budget::unlimited();
    assert_eq!(solver.check(&budget), Verdict::Unknown(Reason::Stopped(StopReason::Memory)));
    let mut solver = Conjunction::new(Domain::Integers);
    for index in 0..2_000 {
        solver.assert(&sparse(&[(index, 1), (index + 1, 1), (index + 2, -2)], Relation::Le, 1));
    }
    let budget = Budget::builder().memory_bytes(10_000).build();
    assert_eq!(solver.check(&budget), Verdict::Unknown(Reason::Stopped(StopReason::Memory)));
}

#[test]
fn a_cancelled_budget_stops_the_search() {
    let token = CancelToken::new();
    token.cancel();
    let budget = Budget::unlimited().with_token(token);
    let mut solver = Conjunction::new(Domain::Integers);
    solver.assert(&sparse(&[(0, 1), (1, -1)], Relation::Lt, 0));
    assert_eq!(solver.check(&budget), Verdict::Unknown(Reason::Stopped(StopReason::Cancelled)));
    // The solver is as good as new.
    assert_eq!(solver.check(&Budget::unlimited()), Verdict::Sat);
}

#[test]
fn coefficients_beyond_machine_words() {
    let huge = Integer::from(2).pow(200);
    let form = |a: &Integer, b: &Integer, c: &Integer| {
        LinearForm::new([(var(0), a.clone()), (var(1), b.clone())], c.clone())
    };
    let one = Integer::ONE;
    // (2^200 + 1) x + 2^200 y = 1 has the solutions x = 1 - 2^200 t, y = -1 + (2^200 + 1) t.
    let line = Constraint::new(form(&(&huge + &one), &huge, &Integer::MINUS_ONE), Relation::Eq);
    assert_eq!(check(Domain::Integers, std::slice::from_ref(&line)), Verdict::Sat);
    // With 1 < x <= 2^200 there is none: t would be a fraction.
    let above = Constraint::new(form(&Integer::MINUS_ONE, &Integer::ZERO, &Integer::from(2)), Relation::Le);
    let below = Constraint::new(form(&one, &Integer::ZERO, &-&huge), Relation::Le);
    assert_eq!(check(Domain::Integers, &[line.clone(), above.clone(), below]), Verdict::Unsat);
    // With 1 < x <= 2^200 + 1 there is one.
    let below = Constraint::new(form(&one, &Integer::ZERO, &-(&huge + &one)), Relation::Le);
    assert_eq!(check(Domain::Integers, &[line, above, below]), Verdict::Sat);
}

#[test]
fn the_ends_of_machine_words_do_not_wrap() {
    for value in [i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1] {
        let point = [sparse(&[(0, 1)], Relation::Eq, value), sparse(&[(0, 1), (1, 1)], Relation::Eq, value)];
        assert_eq!(check(Domain::Integers, &point), Verdict::Sat);
        let steep = [
            sparse(&[(0, value), (1, 1)], Relation::Le, value),
            sparse(&[(0, value), (1, -1)], Relation::Eq, -1),
            sparse(&[(0, -3), (1, 5)], Relation::Lt, value),
        ];
        check(Domain::Integers, &steep);
        check(Domain::Rationals, &steep);
    }
}

/// Beale's example, on which the textbook rule cycles, as constraints of a feasibility problem.
#[test]
fn degenerate_and_cycling_systems_end() {
    for objective in [-1, 0, 1, 2] {
        let beale = [
            // 1/4 x - 60 y - 1/25 z + 9 w <= 0, and so on, scaled to integers.
            sparse(&[(0, 25), (1, -6000), (2, -4), (3, 900)], Relation::Le, 0),
            sparse(&[(0, 50), (1, -9000), (2, -2), (3, 300)], Relation::Le, 0),
            sparse(&[(2, 1)], Relation::Le, -1),
            sparse(&[(0, -1)], Relation::Le, 0),
            sparse(&[(1, -1)], Relation::Le, 0),
            sparse(&[(2, -1)], Relation::Le, 0),
            sparse(&[(3, -1)], Relation::Le, 0),
            // 3/4 x - 150 y + 1/50 z - 6 w is at most 1/20.
            sparse(&[(0, -75), (1, 15000), (2, -2), (3, 600)], Relation::Le, 5 * objective),
        ];
        let rational = check(Domain::Rationals, &beale);
        assert_eq!(rational, if objective <= 1 { Verdict::Sat } else { Verdict::Unsat }, "{objective}");
        assert!(!matches!(check(Domain::Integers, &beale), Verdict::Unknown(_)));
    }
    // Many constraints through one point.
    let mut star: Vec<Constraint> = Vec::new();
    for a in -6i64..=6 {
        for b in -6i64..=6 {
            star.push(constraint(Domain::Integers, &[a, b, -1], Relation::Le, 0));
        }
    }
    assert_eq!(check(Domain::Integers, &star), Verdict::Sat);
    star.push(constraint(Domain::Integers, &[0, 0, 1], Relation::Lt, 0));
    assert_eq!(check(Domain::Integers, &star), Verdict::Unsat);
}

#[test]
fn integers_without_bounds() {
    // 3x + 6y between 1 and 2; 2x - 2y = 1 through two equalities; an empty strip between lines.
    let strip = [
        sparse(&[(0, 3), (1, -6), (2, 1)], Relation::Le, 0),
        sparse(&[(0, -3), (1, 6), (2, -1)], Relation::Le, 0),
        sparse(&[(2, 1)], Relation::Le, -2),
        sparse(&[(2, -1)], Relation::Le, 1),
    ];
    assert_eq!(check(Domain::Integers, &strip), Verdict::Unsat);
    let parity = [sparse(&[(0, 1), (1, -2)], Relation::Eq, 1), sparse(&[(0, 1), (2, -2)], Relation::Eq, 0)];
    assert_eq!(check(Domain::Integers, &parity), Verdict::Unsat);
    let thin = [
        sparse(&[(0, 7), (1, -5)], Relation::Le, -3),
        sparse(&[(0, -7), (1, 5)], Relation::Le, 2),
        sparse(&[(0, 1), (1, 1)], Relation::Eq, -1),
    ];
    // 12x = 5 + 2..3 has no solution.
    assert_eq!(check(Domain::Integers, &thin), Verdict::Unsat);
}

#[test]
fn a_question_that_is_too_hard_is_unknown() {
    // Four numbers that differ, out of three: the pigeons do not fit, but every pair must be
    // distinguished.
    let mut pigeons: Vec<Constraint> = Vec::new();
    for left in 0..4 {
        pigeons.push(sparse(&[(left, 1)], Relation::Le, -3));
        pigeons.push(sparse(&[(left, -1)], Relation::Le, 1));
        pigeons.extend((0..left).map(|right| sparse(&[(left, 1), (right, -1)], Relation::Ne, 0)));
    }
    assert_eq!(check(Domain::Integers, &pigeons), Verdict::Unsat);
    let limits = Limits { splits: 3, ..Limits::default() };
    let mut solver = Conjunction::with_limits(Domain::Integers, limits);
    pigeons.iter().for_each(|constraint| {
        solver.assert(constraint);
    });
    assert_eq!(solver.check(&Budget::unlimited()), Verdict::Unknown(Reason::Splits));
}

#[test]
fn an_old_refutation_stands_when_more_is_asserted() {
    let mut solver = Conjunction::new(Domain::Integers);
    let budget = Budget::unlimited();
    solver.assert(&sparse(&[(0, 2), (1, -3)], Relation::Le, 1));
    solver.push();
    solver.assert(&sparse(&[(0, -2), (1, 3)], Relation::Le, -2));
    solver.assert(&sparse(&[(0, 1), (1, 1)], Relation::Eq, 0));
    let verdict = solver.check(&budget);
    assert_eq!(verdict, Verdict::Unsat);
    check_evidence(&solver, verdict);
    solver.push();
    solver.assert(&sparse(&[(2, 1)], Relation::Le, 0));
    check_evidence(&solver, solver.clone().check(&budget));
    solver.pop();
    check_evidence(&solver, solver.clone().check(&budget));
    solver.pop();
    assert_eq!(solver.check(&budget), Verdict::Sat);
}

#[test]
fn strict_inequalities_mean_the_same_to_a_solver_over_integers() {
    let strict = constraint(Domain::Rationals, &[2, 0], Relation::Lt, -5);
    let above = constraint(Domain::Rationals, &[-1, 0], Relation::Lt, 1);
    assert_eq!(check(Domain::Integers, &[strict.clone(), above.clone()]), Verdict::Sat);
    let even_above = constraint(Domain::Rationals, &[-1, 0], Relation::Lt, 2);
    assert_eq!(check(Domain::Rationals, &[strict.clone(), even_above.clone()]), Verdict::Sat);
    assert_eq!(check(Domain::Integers, &[strict, even_above]), Verdict::Unsat);
}

#[test]
fn numbers_that_grow_are_bounded_by_the_work() {
    // Every variable is three times the sum of the next ones: the coefficients of the tableau
    // grow exponentially.
    const COUNT: usize = 150;
    let limits = Limits { work: 300_000, ..Limits::default() };
    let mut solver = Conjunction::with_limits(Domain::Integers, limits);
    for index in 0..COUNT {
        solver.assert(&sparse(&[(index, 3), (index + 1, -7), (index + 2, -5)], Relation::Eq, 1));
    }
    assert_eq!(solver.check(&Budget::unlimited()), Verdict::Unknown(Reason::Work));
}
