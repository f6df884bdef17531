//! Snapshots of printed programs.

use crate::{
    BinaryOp, Blocking, Check, CheckKind, Domain, Expr, Initial, IntType, Op, Place, Program, ProgramBuilder,
    Property, PropertyKind, Scope, Sort, ThreadKind, UnaryOp, Var, VarId,
};
use expect_test::{Expect, expect};

fn scalars() -> (Program, VarId, VarId, VarId) {
    let mut builder = ProgramBuilder::new("scalars");
    let x = builder.global("x", Sort::Int, 0);
    let y = builder.global("y", Sort::Int, 0);
    let p = builder.global("p", Sort::Bool, 0);
    (builder.finish().unwrap(), x, y, p)
}

fn check_expr(make: impl FnOnce(Expr, Expr, Expr) -> Expr, expected: &str) {
    let (program, x, y, p) = scalars();
    let expr = make(Expr::var(x), Expr::var(y), Expr::var(p));
    assert_eq!(program.display_expr(&expr).to_string(), expected);
}

#[test]
fn parentheses_stand_only_where_they_matter() {
    check_expr(|x, y, _| x.clone().add(y).add(x), "x + y + x");
    check_expr(|x, y, _| x.clone().sub(y.sub(x)), "x - (y - x)");
    check_expr(|x, y, _| x.clone().add(y).mul(x), "(x + y) * x");
    check_expr(|x, y, p| x.lt(y).and(p.clone()).or(p), "x < y && p || p");
    check_expr(|x, y, p| p.clone().or(x.lt(y)).and(p), "(p || x < y) && p");
    check_expr(|x, y, p| p.clone().implies(p.clone()).implies(p.or(x.eq(y))), "(p ==> p) ==> p || x == y");
    check_expr(|_, _, p| p.clone().implies(p.clone().implies(p)), "p ==> p ==> p");
    check_expr(|x, y, p| Expr::ite(p, x.clone(), y).add(x), "(p ? x : y) + x");
    check_expr(|x, y, p| Expr::ite(p.clone(), x.clone(), Expr::ite(p, x, y)), "p ? x : p ? x : y");
    check_expr(|x, y, p| x.lt(y).eq(p), "(x < y) == p");
}

#[test]
fn signs_do_not_run_together() {
    check_expr(|x, _, _| x.sub(Expr::int(-1)), "x - (-1)");
    check_expr(|x, _, _| Expr::int(-1).sub(x), "-1 - x");
    check_expr(|x, _, _| Expr::unary(UnaryOp::Neg, Expr::unary(UnaryOp::Neg, x)), "-(-x)");
    check_expr(|x, _, _| Expr::unary(UnaryOp::Neg, x.add(Expr::int(1))), "-(x + 1)");
    check_expr(|x, y, _| Expr::unary(UnaryOp::Not, x.lt(y)), "!(x < y)");
    check_expr(|_, _, p| Expr::unary(UnaryOp::Not, p), "!p");
}

#[test]
fn bitwise_operators_keep_their_distance() {
    let bit_and = |left, right| Expr::binary(BinaryOp::BitAnd, left, right);
    let shl = |left, right| Expr::binary(BinaryOp::Shl, left, right);
    check_expr(|x, y, _| bit_and(x, y).eq(Expr::int(0)), "(x & y) == 0");
    check_expr(|x, y, _| bit_and(bit_and(x.clone(), y), x), "x & y & x");
    check_expr(|x, y, _| shl(x.clone().add(y), x), "(x + y) << x");
    check_expr(|x, y, _| x.add(y).wrap(IntType { bits: 8, signed: false }), "u8(x + y)");
}

/// A program with one of everything.
fn exhibition() -> Program {
    let mut builder = ProgramBuilder::new("exhi\"bition");
    let x = builder.global("x", Sort::Int, 0);
    let ready = builder.global("ready", Sort::Bool, 1);
    let array = |name: &str, initial| Var {
        name: name.into(),
        sort: Sort::Int,
        scope: Scope::Global,
        length: Some(2),
        initial,
        span: None,
        atomic: false,
    };
    let a = builder.var(array("a", Initial::Values(vec![0, 7])));
    builder.var(array("b", Initial::Any(Domain::Range { low: -1, high: 3 })));
    let main = builder.thread("main", ThreadKind::Instance { running: true });
    let worker = builder.thread("worker", ThreadKind::Template);
    let handle = builder.local(main, "h", Sort::Int, 0);
    let me = builder.local(worker, "me", Sort::Int, 0);
    builder.parameter(worker, me);
    let (entry, exit) = (builder.entry(main), builder.exit(main));
    let [waiting, inside, done] = [(); 3].map(|()| builder.location(main, None));
    builder.set_label(waiting, "waiting");
    builder.set_atomic(inside);
    let spawn =
        Op::Spawn { thread: worker, arguments: vec![Expr::int(4)], handle: Some(Place::Scalar(handle)) };
    builder.edge(entry, waiting, vec![spawn], None);
    builder.edge(waiting, inside, vec![Op::Join(Expr::var(handle))], None);
    let check = builder.check(Check { kind: CheckKind::Assertion, message: "x is 0".into(), span: None });
    let bounds = builder.check(Check { kind: CheckKind::Bounds, message: "a[x]".into(), span: None });
    let cell = Place::Element(a, Expr::var(x));
    builder.edge(
        inside,
        done,
        vec![
            Op::Check(Expr::var(x).between(0, 1), bounds),
            Op::Assign(vec![(Place::Scalar(x), cell.read()), (cell, Expr::var(x))]),
            Op::Havoc(Place::Scalar(ready), Domain::Bool),
            Op::Check(Expr::var(x).eq(Expr::int(0)), check),
        ],
        None,
    );
    builder.edge(done, done, vec![], None);
    builder.edge(done, exit, vec![Op::Assume(Expr::var(ready), Blocking::Abandon), Op::Halt], None);
    let (entry, exit) = (builder.entry(worker), builder.exit(worker));
    let wait = Op::wait(Expr::var(ready));
    builder.edge(entry, exit, vec![wait, Op::assign(Place::Scalar(x), Expr::var(me))], None);
    builder.requires(Expr::element(a, Expr::int(0)).eq(Expr::int(0)));
    let mentioned = Expr::var(handle).ge(Expr::CountAt(waiting).add(Expr::CountRunning(worker)));
    builder.property(Property { kind: PropertyKind::Always(mentioned), span: None });
    builder.property(Property { kind: PropertyKind::AtEnd(Expr::var(ready)), span: None });
    builder.property(Property { kind: PropertyKind::DeadlockFree, span: None });
    builder.property(Property { kind: PropertyKind::Terminates, span: None });
    builder.assumption("sequential consistency");
    builder.finish().unwrap()
}

fn check(text: impl ToString, expected: Expect) {
    expected.assert_eq(&text.to_string());
}

#[test]
fn everything_has_a_text() {
    check(
        exhibition(),
        expect![[r#"
        program exhi"bition
        var x: int = 0
        var ready: bool = true
        var a: int[2] = 0, 7
        var b: int[2] = any -1..3
        requires a[0] == 0
        thread main
          local h: int = 0
          entry -> waiting: h := spawn worker(4)
          waiting -> <L5>: join h
          <L5> -> L6: check bounds x >= 0 && x <= 1; x, a[x] := a[x], x; ready := any bool; assert x == 0
          L6 -> L6: skip
          L6 -> exit: assume ready; halt
        template worker(me)
          local me: int = 0
          entry -> exit: [ready]; x := me
        always main.h >= #(main at waiting) + #(worker running)
        at end ready
        deadlock-free
        terminates
        assuming sequential consistency
    "#]],
    );
}

#[test]
fn graphs_have_a_cluster_for_each_thread() {
    check(
        exhibition().display_dot(),
        expect![[r#"
        digraph "exhi\"bition" {
          node [shape=ellipse, fontname="monospace"];
          edge [fontname="monospace"];
          subgraph cluster_0 {
            label="main";
            n0 [label="entry", style=bold];
            n1 [label="exit", peripheries=2];
            n4 [label="waiting"];
            n5 [label="L5", shape=box, style=filled, fillcolor=lightgrey];
            n6 [label="L6"];
            n0 -> n4 [label="h := spawn worker(4)"];
            n4 -> n5 [label="join h"];
            n5 -> n6 [label="check bounds x >= 0 && x <= 1; x, a[x] := a[x], x; ready := any bool; assert x == 0"];
            n6 -> n6 [label="skip"];
            n6 -> n1 [label="assume ready; halt"];
          }
          subgraph cluster_1 {
            label="worker (template)";
            n2 [label="entry", style=bold];
            n3 [label="exit", peripheries=2];
            n2 -> n3 [label="[ready]; x := me"];
          }
        }
    "#]],
    );
}

#[test]
fn made_up_names_give_way_to_labels() {
    let mut builder = ProgramBuilder::new("names");
    let thread = builder.thread("T", ThreadKind::Instance { running: true });
    let entry = builder.entry(thread);
    let labelled = builder.location(thread, None);
    builder.set_label(labelled, "entry");
    let program = builder.finish().unwrap();
    assert_eq!(program.location_name(entry), "entry'");
    assert_eq!(program.location_name(labelled), "entry");
}
