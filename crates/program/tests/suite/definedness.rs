//! When an expression has a value: the conditions, and that they are the right ones.

use rely_program::{BinaryOp, CheckKind, Expr, Initial, Program, Semantics, Sort, State, VarId, definedness};
use rely_testing::Random;
use rely_testing::sketch::Sketch;

struct Vars {
    program: Program,
    x: VarId,
    y: VarId,
    a: VarId,
}

/// Two integers, and an array of three cells.
fn vars(x_value: i128, y_value: i128) -> Vars {
    let mut sketch = Sketch::new();
    let x = sketch.var("x", Sort::Int, None, Initial::Values(vec![x_value]));
    let y = sketch.var("y", Sort::Int, None, Initial::Values(vec![y_value]));
    let a = sketch.var("a", Sort::Int, Some(3), Initial::Values(vec![0, 1, 2]));
    Vars { program: sketch.finish(), x, y, a }
}

fn check(make: impl FnOnce(Expr, Expr, VarId) -> Expr, expected: &[(CheckKind, &str)]) {
    let Vars { program, x, y, a } = vars(0, 0);
    let expr = make(Expr::var(x), Expr::var(y), a);
    let conditions: Vec<(CheckKind, String)> = definedness(&program, &expr)
        .iter()
        .map(|(kind, condition)| (*kind, program.display_expr(condition).to_string()))
        .collect();
    let expected: Vec<(CheckKind, String)> =
        expected.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect();
    assert_eq!(conditions, expected);
}

fn divide(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::Div, left, right)
}

#[test]
fn operations_say_what_they_need() {
    check(|x, y, _| x.add(y), &[]);
    check(|x, y, _| divide(x, y), &[(CheckKind::Arithmetic, "y != 0")]);
    check(|x, _, _| divide(x, Expr::int(2)), &[]);
    check(|x, _, _| divide(x, Expr::int(0)), &[(CheckKind::Arithmetic, "0 != 0")]);
    let shift = |x, y| Expr::binary(BinaryOp::Shl, x, y);
    check(|x, y, _| shift(x, y), &[(CheckKind::Arithmetic, "y >= 0 && y <= 63")]);
    check(|x, _, _| shift(x, Expr::int(64)), &[(CheckKind::Arithmetic, "64 >= 0 && 64 <= 63")]);
    check(|x, _, a| Expr::element(a, x), &[(CheckKind::Bounds, "x >= 0 && x <= 2")]);
    check(|_, _, a| Expr::element(a, Expr::int(2)), &[]);
}

#[test]
fn what_is_not_evaluated_needs_nothing() {
    let needs = |x: Expr, y: Expr| divide(x, y).eq(Expr::int(1));
    check(
        |x, y, _| y.clone().ne(Expr::int(0)).and(needs(x, y)),
        &[(CheckKind::Arithmetic, "y != 0 ==> y != 0")],
    );
    check(
        |x, y, _| y.clone().eq(Expr::int(0)).or(needs(x, y)),
        &[(CheckKind::Arithmetic, "y != 0 ==> y != 0")],
    );
    check(
        |x, y, _| Expr::ite(x.clone().lt(y.clone()), divide(x, y), Expr::int(0)),
        &[(CheckKind::Arithmetic, "x < y ==> y != 0")],
    );
}

fn random_expr(random: &mut Random, vars: &Vars, depth: usize) -> Expr {
    if depth == 0 {
        return match random.below(3) {
            0 => Expr::var(vars.x),
            1 => Expr::var(vars.y),
            _ => Expr::int(random.below(4) as i128),
        };
    }
    let part = |random: &mut Random| random_expr(random, vars, depth - 1);
    match random.below(6) {
        0 => Expr::element(vars.a, part(random)),
        1 => {
            let condition = part(random).lt(part(random)).and(part(random).ne(part(random)));
            Expr::ite(condition, part(random), part(random))
        }
        2 => Expr::ite(
            part(random).le(part(random)).or(part(random).eq(part(random))),
            part(random),
            part(random),
        ),
        op => {
            let op = [BinaryOp::Div, BinaryOp::Rem, BinaryOp::Sub][op - 3];
            Expr::binary(op, part(random), part(random))
        }
    }
}

/// The conditions, evaluated in order, hold exactly if the expression has a value.
#[test]
fn the_conditions_are_exact() {
    let mut random = Random::new(5);
    let mut undefined = 0;
    for _ in 0..3_000 {
        let vars = vars(random.below(5) as i128 - 1, random.below(3) as i128);
        let expr = random_expr(&mut random, &vars, 3);
        let semantics = Semantics::new(&vars.program);
        let state: State = semantics.initial(&[]).unwrap();
        let conditions = definedness(&vars.program, &expr);
        let allowed = conditions.iter().all(|(_, condition)| semantics.holds(&state, condition) == Ok(true));
        let value = semantics.evaluate(&state, &expr);
        assert_eq!(allowed, value.is_ok(), "{}: {value:?}", vars.program.display_expr(&expr));
        undefined += usize::from(!allowed);
    }
    assert!((300..2_700).contains(&undefined), "{undefined}");
}
