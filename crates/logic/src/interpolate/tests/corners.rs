//! Corner cases: what is easily forgotten.

use super::*;

#[test]
fn contradictions_on_one_side_need_no_atoms() {
    check(&["false", "x = 1"], "false");
    check(&["x = 1", "false"], "true");
    check(&["x > y & y > x", "x = 1"], "false");
    check(&["x = 1", "x > y & y > x"], "true");
    check(&["true", "x > 1 & x < 2"], "true");
}

#[test]
fn without_common_variables_one_side_is_contradictory() {
    check(&["x > 3 & x < 2", "y = 1"], "false");
    check(&["y = 1", "x > 3 & x < 2"], "true");
}

#[test]
fn satisfiable_formulas_have_none() {
    check(&["x = 1", "y = 1"], "satisfiable");
    check(&["true", "true"], "satisfiable");
    check(&["P | x = 1", "!P"], "satisfiable");
}

#[test]
fn a_sequence_of_one_formula_has_no_cuts() {
    let mut pool = TermPool::new();
    let nothing = formula(&mut pool, "x > 0 & x < 1");
    let budget = Budget::unlimited();
    let answer = interpolate_sequence(&mut pool, &[nothing], &Preferences::default(), &budget);
    assert_eq!(answer, Interpolation::Found(Vec::new()));
    let answer = interpolate_sequence(&mut pool, &[], &Preferences::default(), &budget);
    assert!(matches!(answer, Interpolation::Satisfiable(_)), "{answer:?}");
}

#[test]
fn parents_that_are_no_tree_are_refused() {
    let mut pool = TermPool::new();
    let f = formula(&mut pool, "x = 1");
    let budget = Budget::unlimited();
    for parents in [vec![None, None], vec![Some(1), Some(0)], vec![Some(7), None], vec![None]] {
        let answer = crate::interpolate::interpolate_tree(
            &mut pool,
            &[f, f],
            &parents,
            &Preferences::default(),
            &budget,
        );
        assert_eq!(answer, Interpolation::Unknown(crate::interpolate::Unknown::Recursive), "{parents:?}");
    }
}

#[test]
fn divisibility() {
    check(&["y = 2*x", "y = 2*z + 1"], "mod(y, 2) = 0");
    check(&["y = 6*x + 1", "y = 4*z"], "mod(y, 2) = 1");
    check(&["y = 3*x & z = y + 1", "z = 3*w"], "mod(z, 3) = 1");
    check(&["x + y = 2*z", "x - y = 2*w + 1"], "mod(x + y, 2) = 0");
    check(&["x mod 4 = 3", "x mod 2 = 0"], "mod(x, 4) = 3");
}

#[test]
fn quotients() {
    check(&["y = x div 2 & x = 7", "y > 3"], "y <= 3");
    check(&["x div 3 = 2", "x > 8"], "x <= 8");
}

#[test]
fn rounding() {
    // 2x <= y <= 2x + 1 and 3 <= 2z = y + 1 ... have no common integers for mixed reasons.
    check(&["2*x <= y & y <= 2*x", "2*z + 1 = y"], "mod(y, 2) = 0");
    check(&["3*x >= y & 3*x <= y + 1", "y = 3*z + 1"], "mod(y, 3) ≠ 1");
    check(&["2*x + y >= 1 & 2*x + y <= 1", "y = 2*z"], "mod(y, 2) = 1");
}

#[test]
fn disequalities() {
    check(&["x <= y & x != y", "x >= y"], "x < y");
    check(&["x >= 0 & x <= 2 & x != 1 & x != 2", "x > 0"], "x <= 0");
    check(&["x != y", "x = y"], "x ≠ y");
    check(&["x = y", "x != y"], "x = y");
}

#[test]
fn big_numbers() {
    check(&["x = 123456789012345678901234567890", "x < 5"], "x = 123456789012345678901234567890");
    check(&["y = 1000000007*x", "y = 1000000007*z + 3"], "mod(y, 1000000007) = 0");
}

#[test]
fn truth_values() {
    check(&["P & x > 0", "!P & x > 0"], "P");
    check(&["!P", "P"], "¬P");
    check(&["(P | x > 5) & !Q", "!P & (x < 3 | Q)"], "P ∨ x >= 6 ∧ ¬Q");
}

#[test]
fn opaque_terms_are_compared_with_themselves() {
    check(&["x*y > 5", "x*y < 3"], "x * y >= 6");
    check(&["x*y = 1", "x = 0"], "unknown: it needs more than linear arithmetic");
}

#[test]
fn the_vocabulary_restricts() {
    let formulas = ["x = 0 & y = 0", "x > 1 & y > 1"];
    assert_eq!(answer_with(&[], Some(&["x"]), &formulas), "x = 0");
    assert_eq!(answer_with(&[], Some(&["y"]), &formulas), "y = 0");
    let formulas = ["x = y", "x > y"];
    assert_eq!(answer_with(&[], Some(&["x"]), &formulas), "not in the vocabulary");
    assert_eq!(answer_with(&[], Some(&[]), &formulas), "not in the vocabulary");
    assert_eq!(answer_with(&[], Some(&["x", "y"]), &formulas), "x = y");
    assert_eq!(answer_with(&[], Some(&["x"]), &["x = y", "x = 1"]), "satisfiable");
    // Without common variables that may be mentioned, one side must be contradictory alone.
    assert_eq!(answer_with(&[], Some(&[]), &["x = 1 & y > y + x", "x = 1"]), "false");
}

#[test]
fn long_sequences() {
    let mut pool = TermPool::new();
    let mut formulas = vec![formula(&mut pool, "x0 = 0")];
    formulas.extend((1..800).map(|n| formula(&mut pool, &format!("x{n} = x{} + 1", n - 1))));
    let budget = Budget::unlimited();
    let answer = interpolate_sequence(&mut pool, &formulas, &Preferences::default(), &budget);
    let Interpolation::Satisfiable(values) = answer else { panic!("satisfiable: {answer:?}") };
    let last = variable(&mut pool, "x799");
    assert_eq!(values[&last], crate::term::Value::Int(799.into()));
}

#[test]
fn a_budget_that_is_used_up_is_said_so() {
    let mut pool = TermPool::new();
    let a = formula(&mut pool, "x = y & y = z");
    let b = formula(&mut pool, "x > z");
    let budget = Budget::builder().time(std::time::Duration::ZERO).build();
    let answer = interpolate(&mut pool, a, b, &Preferences::default(), &budget);
    assert!(matches!(answer, Interpolation::Unknown(_)), "{answer:?}");
}

#[test]
fn remainders_are_of_the_variable_itself() {
    check(&["4*x = 5*y + 4", "x = 5*z"], "mod(x, 5) = 1");
    check(&["3*x = 4*y", "x = 4*z + 2"], "mod(x, 4) = 0");
}

#[test]
fn linear_atoms_where_cuts_would_give_quotients() {
    let formulas = ["l = 2 & 4*x + 6*y >= 3*l - 2", "5*x = 2*e & 2*y + 7*e = -1 & y <= e + 2"];
    check(&formulas, "2*x + 3*y >= 2");
}
