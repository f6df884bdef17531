//! Printing, parsing, and solvers that behave and misbehave.

use std::time::Duration;

use super::*;
use crate::term::{Notation, Sort, TermPool, Value};

fn parse_one(text: &str) -> (TermPool, Assertion) {
    let mut pool = TermPool::new();
    let commands = parse(&mut pool, text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let Some(Command::Assert(assertion)) = commands.into_iter().rfind(|c| matches!(c, Command::Assert(_)))
    else {
        panic!("no assertion in {text}")
    };
    (pool, assertion)
}

fn check_formula(text: &str, expected: &str) {
    let declarations =
        "(declare-const x Int)(declare-const y Int)(declare-const p Bool)(declare-const a (Array Int Int))
        (declare-fun f (Int Bool) Int)(define-fun twice ((n Int)) Int (+ n n))";
    let (pool, assertion) = parse_one(&format!("{declarations}(assert {text})"));
    assert_eq!(pool.display(assertion.body, Notation::Mathematics).to_string(), expected);
}

fn check_error(text: &str, position: usize, message: &str) {
    let error = parse(&mut TermPool::new(), text).unwrap_err();
    assert_eq!((error.position, error.message.as_str()), (position, message));
}

#[test]
fn formulas_are_read() {
    check_formula("(<= (+ x 1) y)", "x < y");
    check_formula("(=> p (> x 0))", "x >= 1 ∨ ¬p");
    check_formula("(< 0 x 10)", "x >= 1 ∧ x <= 9");
    check_formula("(let ((z (* 2 x))) (let ((w (+ z 1))) (= w y)))", "y = 2*x + 1");
    check_formula("(= (twice x) 4)", "x = 2");
    check_formula("(distinct x y 3)", "x ≠ y ∧ x ≠ 3 ∧ y ≠ 3");
    check_formula("(= (select (store a x 1) x) y)", "y = 1");
    check_formula("(= (mod x 2) 0)", "mod(x, 2) = 0");
    check_formula("(>= (- x) (- 3))", "x <= 3");
    check_formula("(not (and p true (or false p)))", "¬p");
}

#[test]
fn horn_clauses_are_read() {
    let (pool, assertion) = parse_one(
        "(set-logic HORN)(declare-fun P (Int) Bool)
         (assert (forall ((x Int) (y Int)) (=> (and (P x) (= y (+ x 1))) (P y))))",
    );
    assert_eq!(assertion.quantified.len(), 2);
    let names: Vec<&str> =
        assertion.quantified.iter().map(|&var| pool.symbol_name(pool.variable(var).symbol)).collect();
    assert!(names[0].starts_with("x!") && names[1].starts_with("y!"), "{names:?}");
}

#[test]
fn quantifiers_move_to_the_front() {
    let (pool, assertion) = parse_one(
        "(assert (forall ((x Int)) (or (< x 0) (not (exists ((x Int) (y Int)) (< x y))) (>= x 0))))",
    );
    assert_eq!(assertion.quantified.len(), 3);
    let names: Vec<&str> =
        assertion.quantified.iter().map(|&var| pool.symbol_name(pool.variable(var).symbol)).collect();
    assert!(
        names[0].starts_with("x!") && names[1].starts_with("x!") && names[2].starts_with("y!"),
        "{names:?}"
    );
}

#[test]
fn errors_have_positions() {
    check_error("(assert true", 0, "this parenthesis is never closed");
    check_error("(check-sat))", 11, "this parenthesis closes nothing");
    check_error("(assert z)", 8, "`z` is not declared");
    check_error(
        "(declare-const r Real)",
        17,
        "the sort `Real` is not supported; constraints are over Int, Bool and (Array Int Int)",
    );
    check_error("(assert (< 1 true))", 13, "an integer is expected here");
    check_error(
        "(declare-const a (Array Int Int))(assert (= 1 (select a true)))",
        56,
        "an integer is expected here",
    );
    check_error("(assert (= 1 (select 1 2)))", 21, "an array is expected here");
    check_error(
        "(declare-const x Int)(assert (div x x))",
        29,
        "`div` by something else than a constant is not supported",
    );
    check_error("(assert |p)", 8, "a quoted symbol has no end");
    check_error(
        "(assert (or (exists ((x Int)) (< x 0))))",
        12,
        "`exists` is not supported here: only variables of whole clauses are quantified",
    );
    check_error("(frobnicate)", 0, "the command `frobnicate` is not supported in this form");
    check_error("(declare-const x Int)(declare-const x Int)", 36, "`x` is declared twice");
}

#[test]
fn deep_nesting_is_an_error_and_deep_lets_are_not() {
    let deep = format!("(assert {}true{})", "(not ".repeat(100_000), ")".repeat(100_000));
    let error = parse(&mut TermPool::new(), &deep).unwrap_err();
    assert_eq!(error.message, "terms are nested more than 5000 deep");
    let lets = format!("(assert {}q{})", "(let ((q true)) ".repeat(100_000), ")".repeat(100_000));
    assert!(parse(&mut TermPool::new(), &lets).is_ok());
    for (open, close) in [("(forall ((x Int)) ", ")"), ("(! ", " :named a)"), ("(let ((x ", ")) x)")] {
        let text = format!("(assert {}true{})", open.repeat(100_000), close.repeat(100_000));
        let error = parse(&mut TermPool::new(), &text).unwrap_err();
        assert_eq!(error.message, "terms are nested more than 5000 deep");
    }
}

#[test]
fn deep_and_shared_terms_print_in_linear_size() {
    let mut pool = TermPool::new();
    let (pair, single) = (pool.function("pair", 2, Sort::Int), pool.function("single", 1, Sort::Int));
    let mut term = pool.int_var("x");
    for level in 0..20_000 {
        // Twice shared, or nested without sharing.
        let applied = if level < 100 { pool.apply(pair, &[term, term]) } else { pool.apply(single, &[term]) };
        term = applied.unwrap();
    }
    let zero = pool.int(0);
    let formula = pool.le(term, zero);
    let script = Script::new(&pool, &[formula]);
    assert!(script.text().len() < 1_000_000, "{}", script.text().len());
    let mut again = TermPool::new();
    parse(&mut again, script.text()).unwrap();
}

#[test]
fn what_is_printed_is_read_back() {
    for formula in ["(< (+ (* 3 x) (* (- 2) y)) (- 7))", "(or p (= x (ite p y 3)))", "(= (f x p) (div y 3))"]
    {
        let text = format!(
            "(declare-const x Int)(declare-const y Int)(declare-const p Bool)(declare-fun f (Int Bool) Int)
            (assert {formula})"
        );
        let (pool, assertion) = parse_one(&text);
        let printed = Script::new(&pool, &[assertion.body]);
        let (again, second) = parse_one(printed.text());
        let show = |pool: &TermPool, term| pool.display(term, Notation::Mathematics).to_string();
        assert_eq!(show(&pool, assertion.body), show(&again, second.body));
    }
}

#[test]
fn strange_names_stay_apart() {
    let mut pool = TermPool::new();
    let names = ["a|b", "a\\b", "let", "x y", "é", "9", "x"];
    let mut terms: Vec<_> = names.iter().map(|name| pool.int_var(name)).collect();
    let boolean_x = pool.bool_var("x");
    let zero = pool.int(0);
    terms = terms.into_iter().map(|term| pool.ge(term, zero)).collect();
    terms.push(boolean_x);
    let script = Script::new(&pool, &terms);
    let mut again = TermPool::new();
    parse(&mut again, script.text()).unwrap();
    let distinct: std::collections::HashSet<&str> =
        script.variables().iter().map(|(_, n)| n.as_str()).collect();
    assert_eq!(distinct.len(), 8);
}

#[test]
fn copies_survive_a_round_trip() {
    let mut pool = TermPool::new();
    let symbol = pool.symbol("x");
    let second = pool.variable_id(crate::term::Variable { symbol, copy: 2, sort: Sort::Int });
    let term = pool.var(second);
    let zero = pool.int(0);
    let formula = pool.le(term, zero);
    let text = Script::new(&pool, &[formula]).text().to_string();
    assert!(text.contains("|x#2|"), "{text}");
    let (again, assertion) = parse_one(&text);
    assert_eq!(again.display(assertion.body, Notation::Mathematics).to_string(), "x#2 <= 0");
}

/// The commands of the external solvers that these tests can use here. With
/// `RELY_REQUIRE_SOLVERS` set, a missing one is a failure; otherwise it is left out.
fn available_solvers() -> Vec<ExternalSolver> {
    let mut solvers = Vec::new();
    for command in ["z3", "cvc5"] {
        let mut solver = ExternalSolver::new(command).unwrap();
        if solver.is_available() {
            solvers.push(solver);
        } else {
            assert!(std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "{command} is not installed");
        }
    }
    solvers
}

/// For what comes, however slow the machine is.
const AMPLE: Duration = Duration::from_secs(100_000);

#[test]
fn solvers_answer_many_questions_and_give_models() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.int_var("x"), pool.int_var("y"));
    let minus_five = pool.int(-5);
    let (less, greater) = (pool.lt(x, y), pool.lt(y, x));
    let low = pool.le(y, minus_five);
    let satisfiable = Script::new(&pool, &[less, low]);
    let contradiction = Script::new(&pool, &[less, greater]);
    for mut solver in available_solvers() {
        let answers = solver.check_all(&[satisfiable.text(), contradiction.text()], AMPLE).unwrap();
        assert_eq!(answers, [Answer::Sat, Answer::Unsat]);
        let (answer, values) = solver.model(&satisfiable, AMPLE).unwrap();
        assert_eq!((answer, values.len()), (Answer::Sat, 2));
        let assignment: rustc_hash::FxHashMap<_, _> = values.into_iter().collect();
        for formula in [less, low] {
            assert_eq!(pool.evaluate(formula, &assignment), Some(Value::Bool(true)));
        }
        // A complaint ends the process; the next question starts a new one.
        let error = solver.check_all(&["(assert undeclared)\n"], AMPLE).unwrap_err();
        assert!(matches!(error, ExternalError::Unexpected { .. }), "{error}");
        assert_eq!(solver.check_all(&[contradiction.text()], AMPLE).unwrap(), [Answer::Unsat]);
    }
}

#[test]
fn a_missing_solver_is_named() {
    let error = ExternalSolver::new("no-such-solver").unwrap().check_all(&[""], AMPLE).unwrap_err();
    assert!(
        matches!(&error, ExternalError::Missing { program, .. } if program == "no-such-solver"),
        "{error}"
    );
    assert!(matches!(ExternalSolver::new("  ").unwrap_err(), ExternalError::Empty));
}

#[test]
fn a_solver_that_dies_is_reported() {
    let mut solver = ExternalSolver::new("false").unwrap();
    let error = solver.check_all(&["(assert true)\n"], AMPLE).unwrap_err();
    assert!(matches!(error, ExternalError::Died { .. }), "{error}");
}

#[test]
fn a_silent_solver_times_out() {
    let mut solver = ExternalSolver::new("sleep 60").unwrap();
    let error = solver.check_all(&["(assert true)\n"], Duration::from_millis(50)).unwrap_err();
    assert!(matches!(error, ExternalError::TimedOut { .. }), "{error}");
}
