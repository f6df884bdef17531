//! How simple interpolants are. These are the answers that a person would give.

use super::*;

#[test]
fn atoms_of_the_problem_are_preferred() {
    check(&["x = 0 & y = x + 1", "y > 10"], "y <= 10");
    check(&["lock = 1", "lock = 0"], "lock = 1");
    check(&["x >= 3 & y = x", "y <= 1"], "y >= 2");
    check(&["x <= 5 & z <= 3", "x + z >= 12"], "x + z <= 11");
}

#[test]
fn few_variables_are_preferred() {
    // The difference of three variables would do as well.
    check(&["x = y & y = z & x = 1", "x + y > z + 1 & z = 0"], "z = 1");
    check(&["a = b + c & c = 1 & b = 0 & d = 4", "d < 3 & a > 7 & b != c"], "d = 4");
}

#[test]
fn equalities_where_both_bounds_hold() {
    check(&["x = y + 1 & y = z", "x != z + 1"], "x = z + 1");
    check(&["x <= y & y <= x", "x - y > 0 | y - x > 0"], "x = y");
}

#[test]
fn transitive_differences_are_shortened() {
    check(&["a <= b & b <= c & c <= d", "a > d & b > 0 & c > 0"], "a <= d");
}

#[test]
fn no_superfluous_conjuncts() {
    check(&["x = 1 & y = 2 & z = 3", "x + y > 3 & z > 0"], "x + y <= 3");
    check(&["(x = 1 | x = 2) & y > 0", "x > 5 & y = 1"], "x <= 5");
}

#[test]
fn disjunctions_where_they_are_needed() {
    check(&["x = 1 | x = 3", "x = 2"], "x ≠ 2");
    check(&["x = 1 & y = 0 | x = 0 & y = 1", "x = y"], "x ≠ y");
    check(&["x <= 0 & y <= 0 | x >= 5 & y >= 5", "x >= 2 & y <= 2"], "x <= 0 ∨ y >= 5");
}

#[test]
fn candidates_come_first() {
    let formulas = ["x = 0 & y = 0", "x + y >= 10"];
    assert_eq!(answer_with(&[], None, &formulas), "x + y <= 9");
    assert_eq!(answer_with(&["x <= 4", "y <= 4", "x = 7"], None, &formulas), "x <= 4 ∧ y <= 4");
    assert_eq!(answer_with(&["x <= 4", "x + y <= 5"], None, &formulas), "x + y <= 5");
    // Negated candidates count as well.
    assert_eq!(answer_with(&["x + y > 3"], None, &formulas), "x + y <= 3");
    // What does not help is not used.
    assert_eq!(answer_with(&["x <= 4", "x >= 0"], None, &formulas), "x + y <= 9");
    // Boolean combinations of candidates are found, too.
    let formulas = ["(x = 1 & y = 0 | x = 5 & y = 3) & z > 0", "x >= 4 & y <= 2"];
    let candidates = ["x <= 2", "y >= 3", "y >= 9"];
    assert_eq!(answer_with(&candidates, None, &formulas), "x <= 2 ∨ y >= 3");
    let formulas = ["x = 0 & y = 0", "x + y >= 10"];
    // Candidates that mention other variables are no candidates.
    assert_eq!(answer_with(&["z = 0"], None, &formulas), "x + y <= 9");
}

#[test]
fn a_loop_counter() {
    check(&["x0 = 0", "x1 = x0 + 1", "x2 = x1 + 1", "x2 > 10"], "x0 = 0; x1 = 1; x2 <= 10");
    let steps = ["x0 = 0", "x1 = x0 + 1 & x0 < 10", "x2 = x1 + 1 & x1 < 10", "x2 > 10"];
    check(&steps, "true; true; x2 <= 10");
}

#[test]
fn a_lock_owner() {
    check(
        &["lock0 = 0 & pc0 = 0", "lock0 = 0 & lock1 = 1 & pc1 = 1", "lock1 = 0 & pc1 = 1"],
        "true; lock1 = 1",
    );
}

#[test]
fn a_ticket_lock() {
    // Two threads hold different tickets; only one of them is served.
    check(
        &[
            "next0 = 0 & serving = 0",
            "mine = next0 & next1 = next0 + 1",
            "yours = next1 & next2 = next1 + 1",
            "mine = serving & yours = serving",
        ],
        "true; mine < next1; mine < yours",
    );
}

#[test]
fn two_counters_in_step() {
    check(
        &["x0 = 0 & y0 = 0", "x1 = x0 + 1 & y1 = y0 + 1", "x2 = x1 + 1 & y2 = y1 + 1", "x2 != y2"],
        "x0 = y0; x1 = y1; x2 = y2",
    );
}
