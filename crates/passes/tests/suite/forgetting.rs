//! What can be forgotten, what is left then, and what is needed.

use crate::check;
use expect_test::{Expect, expect};
use rely_passes::{forget, forgettable};
use rely_program::{BinaryOp, Domain, Expr, Initial, Op, Place, Program, PropertyKind, Sort, VarId};
use rely_testing::sketch::{RUNNING, Sketch, is, set};

/// `x` is looked at in the end; a thread does something in between, with a scalar of its own.
fn program(ops: impl FnOnce(&mut Sketch, [VarId; 3]) -> Vec<Op>) -> Program {
    let mut sketch = Sketch::new();
    let [x, y] = ["x", "y"].map(|name| sketch.int(name));
    let thread = sketch.thread("T", RUNNING);
    let r = sketch.builder.local(thread, "r", Sort::Int, 0);
    let ops = ops(&mut sketch, [x, y, r]);
    sketch.edge("entry", "exit", ops);
    sketch.property(PropertyKind::AtEnd(is(x, 0)));
    sketch.finish()
}

fn names(program: &Program, vars: impl Iterator<Item = VarId>) -> String {
    vars.map(|var| program.vars()[var].name.to_string()).collect::<Vec<_>>().join(", ")
}

/// What is forgotten, and what the program is then.
fn check_forgotten(program: &Program, forgotten: &str, expected: Expect) {
    let vars = forgettable(program);
    assert_eq!(names(program, vars.iter()), forgotten);
    check(forget(program, &vars).expect("what can be forgotten is forgotten"), expected);
}

/// What is needed if somebody tries to forget `y` all the same.
fn check_needed(ops: impl FnOnce(&mut Sketch, [VarId; 3]) -> Vec<Op>) {
    let program = program(ops);
    assert_eq!(names(&program, forgettable(&program).iter()), "", "{program}");
    let y = program.vars().iter().find(|(_, var)| &*var.name == "y").map(|(id, _)| id);
    let needed = forget(&program, &y.into_iter().collect()).expect_err("somebody looks at `y`");
    assert_eq!(names(&program, needed.iter()), "y", "{program}");
}

fn sum(var: VarId) -> Expr {
    Expr::binary(BinaryOp::Add, Expr::var(var), Expr::int(1))
}

#[test]
fn a_sum_that_only_must_not_overflow_is_forgotten() {
    let program = program(|_, [x, y, r]| {
        let small = sum(y).lt(Expr::int(9));
        // The same local is used for what is remembered, too.
        vec![Op::assume(small), set(r, sum(y)), set(y, Expr::var(r)), set(r, sum(x)), set(x, Expr::var(r))]
    });
    check_forgotten(
        &program,
        "y",
        expect![[r#"
            program sketch
            var x: int = 0
            var y: int = 0
            thread T
              local r: int = 0
              entry -> exit: r := x + 1; x := r
            at end x == 0
        "#]],
    );
}

#[test]
fn who_is_looked_at_is_needed() {
    // By waiting, by a check, by a value that goes on, by one that goes on through a local, by the choice of a cell.
    check_needed(|_, [_, y, _]| vec![Op::wait(is(y, 0))]);
    check_needed(|sketch, [_, y, _]| vec![Op::Check(is(y, 0), sketch.check("y is zero"))]);
    check_needed(|_, [x, y, _]| vec![set(x, Expr::var(y))]);
    check_needed(|_, [x, y, r]| vec![set(r, sum(y)), set(x, sum(r))]);
    check_needed(|sketch, [x, y, _]| {
        let cells = sketch.var("cells", Sort::Int, Some(2), Initial::Values(vec![0, 0]));
        vec![
            Op::assign(Place::Element(cells, Expr::var(y)), Expr::int(1)),
            set(x, Expr::element(cells, Expr::int(0))),
        ]
    });
    check_needed(|_, [x, y, _]| {
        vec![Op::assume(Expr::binary(BinaryOp::Div, Expr::int(1), Expr::var(y)).lt(Expr::var(x)))]
    });
}

#[test]
fn what_starts_with_any_value_is_remembered() {
    let mut sketch = Sketch::new();
    let any = sketch.var("any", Sort::Int, None, Initial::Any(Domain::Range { low: 0, high: 1 }));
    sketch.thread("T", RUNNING);
    sketch.edge("entry", "exit", [set(any, Expr::int(1))]);
    let program = sketch.finish();
    assert!(forgettable(&program).is_empty());
}
