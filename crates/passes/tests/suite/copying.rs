//! Locals that are copies of each other.

use crate::check;
use expect_test::expect;
use rely_passes::{MergeCopies, Pass};
use rely_program::{Domain, Expr, Initial, Op, Place, PropertyKind, Sort, ThreadKind, Trace, Violation};
use rely_testing::sketch::{RUNNING, Sketch, increment, is, set};

/// `parameter` of a function that is written out twice, for `mine`.
#[test]
fn a_parameter_becomes_its_argument() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let (mine, parameter) = (sketch.int("mine"), sketch.int("f.parameter"));
    sketch.edge("entry", "a", [set(mine, Expr::var(x)), set(parameter, Expr::var(mine))]);
    sketch.edge("a", "a", [Op::wait(Expr::var(x).lt(Expr::var(parameter)))]);
    sketch.edge("a", "b", [Op::wait(Expr::var(x).ge(Expr::var(parameter))), set(parameter, Expr::var(mine))]);
    sketch.edge("b", "exit", [Op::wait(Expr::var(x).lt(Expr::var(parameter)))]);
    check(
        MergeCopies.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            thread T
              local mine: int = 0
              entry -> a: mine := x; mine := mine
              a -> a: [x < mine]
              a -> b: [x >= mine]; mine := mine
              b -> exit: [x < mine]
        "#]],
    );
}

#[test]
fn a_result_becomes_what_it_is_copied_to() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let (kept, result) = (sketch.int("kept"), sketch.int("f.result"));
    sketch.edge("entry", "a", [set(result, Expr::var(x))]);
    sketch.edge("a", "b", [set(kept, Expr::var(result))]);
    // When the result is computed anew, nobody needs the one before any more.
    sketch.edge("b", "exit", [Op::wait(is(kept, 3))]);
    sketch.edge("b", "a", [Op::wait(Expr::var(kept).lt(Expr::int(3))), set(result, Expr::var(x))]);
    check(
        MergeCopies.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            thread T
              local kept: int = 0
              entry -> a: kept := x
              a -> b: kept := kept
              b -> exit: [kept == 3]
              b -> a: [kept < 3]; kept := x
        "#]],
    );
}

#[test]
fn copies_that_change_on_their_own_stay() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let (mine, changed, before) = (sketch.int("mine"), sketch.int("changed"), sketch.int("before"));
    sketch.edge("entry", "a", [set(mine, Expr::var(x)), set(changed, Expr::var(mine))]);
    sketch.edge("a", "b", [increment(changed), set(before, Expr::var(mine))]);
    sketch.edge("b", "c", [Op::Havoc(Place::Scalar(mine), Domain::Range { low: 0, high: 3 })]);
    let sum = Expr::var(mine).add(Expr::var(before)).add(Expr::var(changed));
    sketch.edge("c", "exit", [Op::wait(sum.eq(Expr::int(0)))]);
    check(
        MergeCopies.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            thread T
              local mine: int = 0
              local changed: int = 0
              local before: int = 0
              entry -> a: mine := x; changed := mine
              a -> b: changed := changed + 1; before := mine
              b -> c: mine := any 0..3
              c -> exit: [mine + before + changed == 0]
        "#]],
    );
}

#[test]
fn two_values_that_count_from_the_start_stay_two() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    let worker = sketch.thread("worker", ThreadKind::Template);
    let (first, second) = (sketch.int("first"), sketch.int("second"));
    let any = Initial::Any(Domain::Range { low: 0, high: 3 });
    let unset = sketch.var("unset", Sort::Int, None, any);
    sketch.builder.parameter(worker, first);
    sketch.edge("entry", "a", [Op::wait(Expr::var(x).lt(Expr::var(second))), set(second, Expr::var(first))]);
    sketch.edge("a", "b", [set(unset, Expr::var(second))]);
    sketch.edge("b", "exit", [Op::wait(is(unset, 2))]);
    check(
        MergeCopies.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            template worker(first)
              local first: int = 0
              local second: int = 0
              entry -> a: [x < second]; second := first
              a -> b: second := second
              b -> exit: [second == 2]
        "#]],
    );
}

#[test]
fn what_properties_mention_stays() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let (mine, watched) = (sketch.int("mine"), sketch.int("watched"));
    sketch.edge("entry", "a", [set(mine, Expr::var(x))]);
    sketch.edge("a", "exit", [set(watched, Expr::var(mine))]);
    sketch.property(PropertyKind::Always(is(watched, 0)));
    check(
        MergeCopies.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            thread T
              local mine: int = 0
              local watched: int = 0
              entry -> a: mine := x
              a -> exit: watched := mine
            always T.watched == 0
        "#]],
    );
}

#[test]
fn initial_values_that_are_gone_get_some_value_on_the_way_back() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let any = |low| Initial::Any(Domain::Range { low, high: 7 });
    let copy = sketch.var("copy", Sort::Int, None, any(5));
    let read = sketch.var("read", Sort::Int, None, any(2));
    sketch.edge("entry", "a", [Op::wait(Expr::var(x).lt(Expr::var(read))), set(copy, Expr::var(read))]);
    sketch.edge("a", "exit", [Op::wait(is(copy, 2))]);
    let (new, back) = MergeCopies.apply(&sketch.finish());
    let trace = Trace { initial: vec![6], steps: vec![], violation: Violation::Deadlock };
    assert_eq!(back.trace(&trace).unwrap().initial, [5, 6]);
    check(
        (new, back),
        expect![[r#"
            program sketch
            var x: int = 0
            thread T
              local read: int = any 2..7
              entry -> a: [x < read]; read := read
              a -> exit: [read == 2]
        "#]],
    );
}

#[test]
fn what_is_overwritten_at_once_is_no_copy() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let (mine, other) = (sketch.int("mine"), sketch.int("other"));
    let twice =
        vec![(Place::Scalar(other), Expr::var(mine)), (Place::Scalar(other), Expr::var(x).add(Expr::int(1)))];
    sketch.edge("entry", "a", [set(mine, Expr::var(x)), Op::Assign(twice)]);
    sketch.edge("a", "exit", [Op::wait(Expr::var(mine).lt(Expr::var(other)))]);
    check(
        MergeCopies.apply(&sketch.finish()),
        expect![[r#"
            program sketch
            var x: int = 0
            thread T
              local mine: int = 0
              local other: int = 0
              entry -> a: mine := x; other, other := mine, x + 1
              a -> exit: [mine < other]
        "#]],
    );
}

/// `y` does not have the value of the one variable any more once only `x` counts.
#[test]
fn the_way_back_names_the_variable_that_counts() {
    let mut sketch = Sketch::new();
    let z = sketch.int("z");
    sketch.thread("T", RUNNING);
    let (y, x) = (sketch.int("y"), sketch.int("x"));
    sketch.edge("entry", "a", [set(y, Expr::var(z))]);
    sketch.edge("a", "b", [set(x, Expr::var(y))]);
    sketch.edge("b", "c", [increment(x)]);
    sketch.edge("c", "exit", [Op::wait(Expr::var(z).lt(Expr::var(x)))]);
    let old = sketch.finish();
    let (new, back) = MergeCopies.apply(&old);
    let (merged, _) = new.vars().iter().find(|(_, var)| !var.is_global()).expect("one is left");
    let name = |(at, location): (rely_program::LocationId, &rely_program::Location)| {
        Some(format!("{}: {}", location.label.as_ref()?, old.vars()[back.place_at(at, merged).var()].name))
    };
    let names: Vec<String> = new.locations().iter().filter_map(name).collect();
    assert_eq!(names, ["a: y", "b: x", "c: x"]);
    let restored = rely_passes::Restored::new(&old, &new, &back);
    let called =
        new.locations().ids().map(|at| restored.program.vars()[restored.name(at, merged)].name.as_str());
    assert_eq!(called.collect::<Vec<_>>(), ["y", "y", "y", "x", "x"]);
}
