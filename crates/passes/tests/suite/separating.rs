//! Values that become places.

use crate::check;
use expect_test::expect;
use rely_base::Id;
use rely_passes::{FoldConstants, Pass, RemoveDeadVariables, SeparateValues};
use rely_program::{
    Domain, EdgeId, Expr, Initial, Location, LocationId, Op, Place, Program, PropertyKind, SlotId, Sort,
    Trace, TraceStep, VarId, Violation,
};
use rely_testing::sketch::{RUNNING, Sketch, increment, is, set};

/// A thread that counts until it is done, and what else it does with `done`.
fn loop_with_flag(more: impl FnOnce(&mut Sketch, VarId)) -> Sketch {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let done = sketch.int("done");
    sketch.edge("entry", "head", []);
    sketch.edge("head", "body", [Op::wait(is(done, 0))]);
    sketch.edge("head", "exit", [Op::wait(is(done, 0).negate())]);
    sketch.edge("body", "head", [increment(x)]);
    more(&mut sketch, done);
    sketch.thread("U", RUNNING);
    sketch.edge("entry", "exit", [set(x, Expr::int(7))]);
    sketch
}

#[test]
fn a_flag_tells_two_places_apart() {
    let sketch = loop_with_flag(|sketch, done| {
        sketch.edge("body", "head", [set(done, Expr::int(1))]);
    });
    let separated = SeparateValues.apply(&sketch.finish());
    let labels: Vec<&str> =
        separated.0.locations().values().filter_map(|location| location.label.as_deref()).collect();
    assert_eq!(labels, ["head", "body", "head#2"]);
    check(
        FoldConstants.apply(&separated.0),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local done: int = 0
          entry -> head: skip
          head -> body: skip
          body -> head: x := x + 1
          body -> head#2: done := 1
          head#2 -> exit: skip
        thread U
          entry -> exit: x := 7
    "#]],
    );
}

/// What `done` was before does not count any more once something else is written to it.
#[test]
fn values_that_are_overwritten_are_forgotten() {
    let sketch = loop_with_flag(|sketch, done| {
        sketch.edge("body", "head", [set(done, Expr::int(1))]);
        let x = VarId::from_index(0);
        let seen = sketch.int("seen");
        sketch.edge("body", "exit", [set(done, Expr::var(x)), set(seen, Expr::var(done))]);
        sketch.property(PropertyKind::AtEnd(is(seen, 3).negate()));
    });
    let (new, _) = SeparateValues.apply(&sketch.finish());
    let text = new.to_string();
    assert!(text.contains("head#2"), "{text}");
    assert!(text.contains("body -> exit: done := x; seen := done"), "{text}");
}

#[test]
fn a_thread_starts_at_one_of_the_copies() {
    let mut sketch = Sketch::new();
    sketch.thread("T", RUNNING);
    let done = sketch.var("done", Sort::Bool, None, Initial::Values(vec![0]));
    sketch.edge("entry", "entry", [Op::wait(Expr::var(done).negate()), set(done, Expr::Bool(true))]);
    sketch.edge("entry", "exit", [Op::wait(Expr::var(done))]);
    check(
        FoldConstants.apply(&SeparateValues.apply(&sketch.finish()).0),
        expect![[r#"
        program sketch
        thread T
          local done: bool = false
          entry -> L2: done := true
          L2 -> exit: skip
    "#]],
    );
}

#[test]
fn values_read_from_others_are_told_apart_when_they_are_read() {
    let mut sketch = Sketch::new();
    let turn = sketch.int("turn");
    let counts = sketch.var("counts", Sort::Int, Some(3), Initial::Values(vec![0; 3]));
    sketch.thread("T", RUNNING);
    let own = sketch.int("own");
    sketch.edge("entry", "a", [set(own, Expr::var(turn))]);
    let cell = Place::Element(counts, Expr::var(own));
    sketch.edge("a", "exit", [Op::assign(cell.clone(), cell.read().add(Expr::int(1)))]);
    sketch.thread("U", RUNNING);
    sketch.edge("entry", "a", [set(turn, Expr::int(1))]);
    sketch.edge("a", "exit", [set(turn, Expr::int(2))]);
    let first = Expr::element(counts, Expr::int(0));
    sketch.property(PropertyKind::Always(first.lt(Expr::int(2))));
    let separated = SeparateValues.apply(&sketch.finish());
    check(
        FoldConstants.apply(&separated.0),
        expect![[r#"
        program sketch
        var turn: int = 0
        var counts: int[3] = 0
        thread T
          local own: int = 0
          entry -> a: [turn == 0]; own := 0
          entry -> a#2: [turn != 0]; [turn == 1]; own := 1
          entry -> a#3: [turn != 0]; [turn != 1]; own := 2
          a -> exit: counts[0] := counts[0] + 1
          a#2 -> exit: counts[1] := counts[1] + 1
          a#3 -> exit: counts[2] := counts[2] + 1
        thread U
          entry -> a: turn := 1
          a -> exit: turn := 2
        always counts[0] < 2
    "#]],
    );
}

#[test]
fn a_choice_becomes_a_choice_between_edges() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let [coin, number] = [("coin", Sort::Bool), ("number", Sort::Int)]
        .map(|(name, sort)| sketch.var(name, sort, None, Initial::Values(vec![0])));
    let any = Domain::Range { low: 0, high: 9 };
    let throws = [Op::Havoc(Place::Scalar(coin), Domain::Bool), Op::Havoc(Place::Scalar(number), any)];
    sketch.edge("entry", "a", throws);
    sketch.edge("a", "exit", [Op::wait(Expr::var(coin)), set(x, Expr::var(number))]);
    sketch.edge("a", "exit", [Op::wait(Expr::var(coin).negate())]);
    let (new, back) = SeparateValues.apply(&sketch.finish());
    let step = |edge, choices: &[i128]| TraceStep {
        slot: SlotId::from_index(0),
        edge: EdgeId::from_index(edge),
        choices: choices.to_vec(),
    };
    let old = |edge| {
        let trace = Trace { initial: vec![], steps: vec![step(edge, &[5])], violation: Violation::Deadlock };
        back.trace(&trace).expect("there is a way back").steps
    };
    assert_eq!(old(0), [step(0, &[0, 5])]);
    assert_eq!(old(1), [step(0, &[1, 5])]);
    check(
        (new, back),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local coin: bool = false
          local number: int = 0
          entry -> a: coin := false; number := any 0..9
          entry -> a#2: coin := true; number := any 0..9
          a -> exit: [false]
          a -> exit: [!false]
          a#2 -> exit: [true]; x := number
          a#2 -> exit: [!true]
    "#]],
    );
}

#[test]
fn a_choice_within_an_edge_becomes_two_edges() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let coin = sketch.var("coin", Sort::Bool, None, Initial::Values(vec![0]));
    let side = Expr::ite(Expr::var(coin), Expr::int(3), Expr::int(5));
    let throw = Op::Havoc(Place::Scalar(coin), Domain::Bool);
    sketch.edge("entry", "exit", [throw, Op::wait(side.eq(Expr::int(3))), increment(x)]);
    let separated = SeparateValues.apply(&sketch.finish());
    check(
        FoldConstants.apply(&separated.0),
        expect![[r#"
        program sketch
        var x: int = 0
        thread T
          local coin: bool = false
          entry -> exit: coin := true; x := 1
    "#]],
    );
}

/// At the head of the loop `own` matters only if `done` is set.
#[test]
fn copies_that_make_no_difference_are_one() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let [own, done] = ["own", "done"].map(|name| sketch.int(name));
    sketch.edge("entry", "head", []);
    for value in [0, 1] {
        let read = set(own, Expr::int(value));
        sketch.edge("head", "body", [Op::wait(is(done, 0)), Op::wait(is(x, value)), read]);
    }
    sketch.edge("body", "head", [Op::wait(is(x, 5))]);
    sketch.edge("body", "head", [Op::wait(is(x, 5).negate()), set(done, Expr::int(1))]);
    for value in [0, 1] {
        let write = set(x, Expr::int(value + 8));
        sketch.edge("head", "exit", [Op::wait(is(done, 1)), Op::wait(is(own, value)), write]);
    }
    sketch.thread("U", RUNNING);
    sketch.edge("entry", "exit", [set(x, Expr::int(1))]);
    let separated = SeparateValues.apply(&sketch.finish());
    let heads = separated.0.locations().values().filter_map(|location| location.label.as_deref());
    let heads: Vec<&str> = heads.filter(|label| label.starts_with("head")).collect();
    assert_eq!(heads, ["head", "head#2", "head#3"], "to go on, and to leave with either value");
}

/// Nothing is separated.
fn check_stays(sketch: Sketch) {
    let program = sketch.finish();
    assert_eq!(SeparateValues.apply(&program).0.to_string(), program.to_string());
}

#[test]
fn what_others_look_at_stays_where_it_is() {
    check_stays(loop_with_flag(|sketch, done| {
        sketch.edge("body", "head", [set(done, Expr::int(1))]);
        sketch.property(PropertyKind::Always(is(done, 2).negate()));
    }));
    check_stays(loop_with_flag(|sketch, done| {
        sketch.edge("body", "head", [set(done, Expr::int(1))]);
        let head = sketch.location("head");
        sketch.property(PropertyKind::Always(Expr::CountAt(head).eq(Expr::int(1)).negate()));
    }));
}

#[test]
fn variables_with_many_values_stay() {
    check_stays(loop_with_flag(|sketch, done| {
        let any = Domain::Range { low: 0, high: 9 };
        sketch.edge("body", "head", [Op::Havoc(Place::Scalar(done), any)]);
    }));
    check_stays(loop_with_flag(|sketch, done| {
        sketch.edge("body", "head", [set(done, Expr::int(4))]);
    }));
}

#[test]
fn loops_that_count_are_not_written_out() {
    check_stays(loop_with_flag(|sketch, done| {
        sketch.edge("body", "head", [increment(done)]);
    }));
}

#[test]
fn nothing_to_tell_apart_is_nothing_to_do() {
    check_stays(loop_with_flag(|_, _| {}));
}

#[test]
fn a_variable_that_is_written_twice_at_once_stays() {
    check_stays(loop_with_flag(|sketch, done| {
        let twice = [Expr::int(0), Expr::int(1)].map(|value| (Place::Scalar(done), value));
        sketch.edge("body", "head", [Op::Assign(twice.to_vec())]);
    }));
}

/// Each of several flags doubles the locations behind it: only as many as are few are separated.
#[test]
fn copies_do_not_multiply() {
    let mut sketch = Sketch::new();
    let x = sketch.int("x");
    sketch.thread("T", RUNNING);
    let flags: Vec<VarId> = (0..8).map(|number| sketch.int(&format!("flag{number}"))).collect();
    for (number, &flag) in flags.iter().enumerate() {
        let choice = Op::Havoc(Place::Scalar(flag), Domain::Range { low: 0, high: 1 });
        let (from, to) = (format!("l{number}"), format!("l{}", number + 1));
        sketch.edge(if number == 0 { "entry" } else { &from }, &to, [choice]);
    }
    for (number, &flag) in flags.iter().enumerate() {
        let (from, to) = (format!("l{}", number + 8), format!("l{}", number + 9));
        sketch.edge(&from, &to, [Op::wait(is(flag, 1)), increment(x)]);
        sketch.edge(&from, &to, [Op::wait(is(flag, 0))]);
    }
    let program = sketch.finish();
    let (new, _) = SeparateValues.apply(&program);
    let counts = [&program, &new].map(|program| program.locations().len());
    assert!(counts[0] < counts[1] && counts[1] <= 2 * counts[0], "{counts:?}");
}

/// What is known at each location, and its label before.
fn known_values(old: &Program) -> Vec<String> {
    let (separated, back) = SeparateValues.apply(old);
    let (new, later) = FoldConstants.apply(&separated);
    let (new, last) = RemoveDeadVariables.apply(&new);
    let restored = rely_passes::Restored::new(old, &new, &back.then(later).then(last));
    let locations = restored.program.locations().iter();
    let text = |(at, location): (LocationId, &Location)| {
        let known = restored.values(at).iter().map(|known| {
            let var = &restored.program.vars()[known.var];
            format!("{} in {:?}", var.name, known.values)
        });
        Some(format!("{}: {}", location.label.as_ref()?, known.collect::<Vec<_>>().join(", ")))
    };
    locations.filter_map(text).collect()
}

#[test]
fn copies_remember_their_values() {
    let sketch = loop_with_flag(|sketch, done| {
        sketch.edge("body", "head", [set(done, Expr::int(1))]);
    });
    assert_eq!(
        known_values(&sketch.finish()),
        ["head: done in [0]", "body: done in [0]", "head: done in [1]"]
    );
}

/// At `late` the value is read only where nobody comes: its copies are one, where it has any value.
#[test]
fn joined_copies_do_not_claim_a_value() {
    let sketch = loop_with_flag(|sketch, done| {
        sketch.edge("body", "head", [set(done, Expr::int(1))]);
        sketch.edge("head", "late", []);
        sketch.edge("late", "exit", [Op::wait(Expr::Bool(false)), Op::wait(is(done, 1))]);
    });
    let values = known_values(&sketch.finish());
    assert_eq!(values, ["head: done in [0]", "body: done in [0]", "late: ", "head: done in [1]"]);
}
