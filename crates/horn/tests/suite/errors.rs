//! Texts that are refused: where, and with which words.

use expect_test::{Expect, expect};
use rely_base::{Budget, Silent};
use rely_horn::{TermPool, parse, solve, system_text};

fn check(text: &str, expected: &Expect) {
    let error = parse(&mut TermPool::new(), text).expect_err("this is wrong");
    expected.assert_eq(&error.to_string());
}

#[test]
fn malformed_texts() {
    check("(assert", &expect!["1:1: this parenthesis is never closed"]);
    check("(check-sat))", &expect!["1:12: this parenthesis closes nothing"]);
    check("(set-logic HORN)\n  (assert (p 1))", &expect!["2:11: the function `p` is not supported"]);
    check("()", &expect!["1:1: an empty command"]);
    check("assert", &expect!["1:1: a command is expected here"]);
    check("(assert (let ((x)) x))", &expect!["1:15: a name with its value is expected here"]);
    check("(assert |x)", &expect!["1:9: a quoted symbol has no end"]);
    check("(set-info :s \"x)", &expect!["1:14: a string has no end"]);
    check("(assert (forall ((x Int)) (+ x 1)))", &expect!["1:9: a formula is expected here"]);
    check("(assert (and 1 true))", &expect!["1:14: a formula is expected here"]);
    check("(assert (< true 1 2))", &expect!["1:12: an integer is expected here"]);
    check("(assert (ite 1 true false))", &expect!["1:14: a formula is expected here"]);
    check("(assert (= 1 true))", &expect!["1:9: terms of different sorts are compared"]);
    check("(assert (< 1))", &expect!["1:9: a comparison needs two operands"]);
    check("(assert ())", &expect!["1:9: a term is expected here"]);
    check("(assert ((p) 1))", &expect!["1:10: the name of a function is expected here"]);
    check("(frobnicate)", &expect!["1:1: the command `frobnicate` is not supported in this form"]);
}

#[test]
fn declarations() {
    check("(declare-fun p (Int) Bool)(declare-fun p () Bool)", &expect!["1:40: `p` is declared twice"]);
    check(
        "(declare-fun f (Int) Int)",
        &expect!["1:14: `f` is no predicate: uninterpreted functions are not supported in Horn clauses"],
    );
    check(
        "(declare-const c Int)",
        &expect!["1:16: `c` is no predicate: uninterpreted constants are not supported in Horn clauses"],
    );
    check(
        "(declare-fun p (Int) Bool)\n(assert (p true))",
        &expect!["2:9: `p` is applied to arguments of the wrong number or sort"],
    );
    check(
        "(declare-fun p (Int) Bool)(assert p)",
        &expect!["1:35: `p` is applied to arguments of the wrong number or sort"],
    );
    check("(define-fun m ((x Int)) Int x)(assert (= m 1))", &expect!["1:42: `m` needs arguments"]);
    check("(define-fun m () Int true)", &expect!["1:22: the body does not have the sort of the definition"]);
}

#[test]
fn other_theories_and_formats() {
    check(
        "(declare-fun p ((Array Int Int)) Bool)",
        &expect!["1:17: the sort `(Array Int Int)` is not supported; constraints are over Int and Bool"],
    );
    check(
        "(declare-fun p ((_ BitVec 32)) Bool)",
        &expect!["1:17: the sort `(_ BitVec 32)` is not supported; constraints are over Int and Bool"],
    );
    check(
        "(assert (forall ((x Real)) true))",
        &expect!["1:21: the sort `Real` is not supported; constraints are over Int and Bool"],
    );
    check("(assert (= 1.5 1))", &expect!["1:12: reals are not supported; constraints are over Int and Bool"]);
    check(
        "(assert (= #x0f 1))",
        &expect!["1:12: bit vectors are not supported; constraints are over Int and Bool"],
    );
    check(
        "(assert (= (bvadd 1 1) 1))",
        &expect!["1:12: bit vectors are not supported; constraints are over Int and Bool"],
    );
    check(
        "(assert (= (select 1 1) 1))",
        &expect!["1:12: arrays are not supported; constraints are over Int and Bool"],
    );
    check("(assert \"text\")", &expect!["1:9: strings are not supported"]);
    check("(set-logic QF_LIA)", &expect!["1:12: the logic is `QF_LIA`; only HORN is read here"]);
    check(
        "(rule (=> true p))",
        &expect!["1:1: `rule` belongs to another format; write rules as `(assert (forall ...))`"],
    );
    check(
        "(assert (forall ((x Int) (y Int)) (= (div x y) 0)))",
        &expect!["1:38: `div` by something else than a constant is not supported"],
    );
    check("(assert (forall ((x Int)) (= (mod x 0) 0)))", &expect!["1:30: `mod` by zero is not supported"]);
}

#[test]
fn what_is_not_horn() {
    let declared = |text: &str| format!("(declare-fun p (Int) Bool)\n{text}");
    let two = declared("(assert (forall ((x Int)) (or (p x) (p (+ x 1)))))");
    check(&two, &expect!["2:9: this is not a Horn clause: two predicates are implied at once"]);
    let nested = declared("(assert (forall ((x Int)) (p (ite (p x) 1 2))))");
    check(&nested, &expect!["2:9: this is not a Horn clause: a predicate occurs inside of a term"]);
    let exists = declared("(assert (exists ((x Int)) (p x)))");
    check(
        &exists,
        &expect!["2:9: `exists` is not supported here: only variables of whole clauses are quantified"],
    );
    let inner = declared("(assert (=> (forall ((x Int)) (p x)) false))");
    check(
        &inner,
        &expect!["2:13: `forall` is not supported here: only variables of whole clauses are quantified"],
    );
}

/// However deep a text is nested, there is an error and no crash.
#[test]
fn deep_texts() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("(assert {}true{})", open.repeat(depth), close.repeat(depth))
    };
    check(&nested("(not ", ")", 100_000), &expect!["1:25014: terms are nested more than 5000 deep"]);
    check(&"(".repeat(100_000), &expect!["1:100000: this parenthesis is never closed"]);
    assert!(parse(&mut TermPool::new(), &nested("(let ((x true)) ", ")", 100_000)).is_ok());
    assert!(parse(&mut TermPool::new(), &nested("(and true ", ")", 100_000)).is_err());
    assert!(parse(&mut TermPool::new(), &nested("(forall ((x Int)) ", ")", 100_000)).is_err());
    assert!(parse(&mut TermPool::new(), &nested("(! ", " :named a)", 100_000)).is_err());
    assert!(parse(&mut TermPool::new(), &nested("(let ((x ", ")) x)", 100_000)).is_err());
}

/// What is just not too deep is read, solved and printed like anything else.
#[test]
fn texts_that_are_almost_too_deep() {
    let operators = [
        ("(not ", "(= x 1)", ")"),
        ("(and (= x 1) ", "(= x 1)", ")"),
        ("(or (= x 1) (and (> x 0) ", "(= x 1)", "))"),
        ("(=> (= x 2) ", "(= x 1)", ")"),
        ("(= true ", "(= x 1)", ")"),
        ("(ite (= x 1) true ", "(= x 1)", ")"),
        ("(let ((y x)) ", "(= y 1)", ")"),
    ];
    let terms = [("(+ 1 ", ")"), ("(- ", ")"), ("(* 1 ", ")"), ("(ite (> x 0) x ", ")")];
    let formulas = operators.iter().map(|(open, inner, close)| nest(open, inner, close));
    let compared = terms.iter().map(|(open, close)| format!("(= {} 5)", nest(open, "x", close)));
    for formula in formulas.chain(compared) {
        let text = format!(
            "(set-logic HORN)\n(declare-fun p (Int) Bool)\n\
             (assert (forall ((x Int)) (=> {formula} (p x))))\n(assert (forall ((x Int)) (=> (and (p x) (< x x)) false)))"
        );
        let mut pool = TermPool::new();
        let system = match parse(&mut pool, &text) {
            Ok(system) => system,
            Err(error) => panic!("{error}\n{}", &text[..150]),
        };
        assert!(system_text(&pool, &system).len() > 50);
        let budget = Budget::unlimited().with_step_limit(20_000);
        let answer = solve(&mut pool, &system, None, &budget, &Silent);
        assert_ne!(answer.name(), "unsat", "{}", &text[..150]);
    }
}

/// So many levels that the text is just not too deep, if each is two.
fn nest(open: &str, inner: &str, close: &str) -> String {
    const LEVELS: usize = 1_600;
    open.repeat(LEVELS) + inner + &close.repeat(LEVELS)
}

/// Texts made of parts that belong together and parts that do not: an answer or an error, never a panic.
#[test]
fn any_text_has_an_answer() {
    let words = [
        "(",
        ")",
        "assert",
        "forall",
        "exists",
        "((x Int))",
        "x",
        "p",
        "(p x)",
        "=>",
        "and",
        "or",
        "not",
        "let",
        "1",
        "-",
        "ite",
        "=",
        "|",
        "\"",
        ";",
        "\n",
        "true",
        "false",
        "mod",
        "2",
        "declare-fun",
        "(Int)",
        "Bool",
        "é",
        "define-fun",
        "!",
        ":named",
        "#b1",
        "distinct",
        "check-sat",
    ];
    let mut random = rely_base::Random::new(7);
    for _ in 0..20_000 {
        let length = random.below(14);
        let mut text = String::from("(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (p x) ");
        for _ in 0..length {
            let word: &&str = random.pick(&words);
            text.push_str(word);
            text.push(' ');
        }
        text.push_str(")))");
        let _ = parse(&mut TermPool::new(), &text);
    }
}
