//! Facts about a small program with a loop: where it is, what is live, who sees what.

use rely_program::analysis::{Access, Graph, Liveness, Visibility, needed_vars};
use rely_program::{EdgeId, Expr, LocationId, Op, Place, Program, PropertyKind, VarId};
use rely_testing::sketch::{RUNNING, Sketch, increment, is, set};

/// `i` counts to 3, `sum` adds up what is read from `shared`, which another thread writes;
/// `waste` is written and never needed, `seen` is watched by a property.
struct Example {
    program: Program,
    vars: [VarId; 5],
    locations: [LocationId; 4],
    edges: [EdgeId; 5],
}

fn example() -> Example {
    let mut sketch = Sketch::new();
    let shared = sketch.int("shared");
    sketch.thread("T", RUNNING);
    let [i, sum, waste, seen] = ["i", "sum", "waste", "seen"].map(|name| sketch.int(name));
    let edges = [
        sketch.edge("entry", "head", [set(i, Expr::int(0)), increment(waste)]),
        sketch.edge("head", "body", [Op::wait(Expr::var(i).lt(Expr::int(3)))]),
        sketch.edge("body", "head", [set(sum, Expr::var(sum).add(Expr::var(shared))), increment(i)]),
        sketch.edge("head", "after", [Op::wait(Expr::var(i).ge(Expr::int(3)))]),
        sketch.edge("after", "exit", [Op::wait(is(sum, 3)), increment(seen)]),
    ];
    let locations = ["entry", "head", "body", "after"].map(|name| sketch.location(name));
    sketch.thread("writer", RUNNING);
    sketch.edge("entry", "exit", [increment(shared)]);
    sketch.property(PropertyKind::Always(is(seen, 0)));
    Example { program: sketch.finish(), vars: [shared, i, sum, waste, seen], locations, edges }
}

#[test]
fn loops_have_heads_and_cycles() {
    let Example { program, locations: [entry, head, body, after], edges, .. } = example();
    let graph = Graph::new(&program);
    let heads = [entry, head, body, after].map(|location| graph.is_loop_head(location));
    assert_eq!(heads, [false, true, false, false]);
    let cyclic = edges.map(|edge| graph.is_on_cycle(&program, edge));
    assert_eq!(cyclic, [false, true, true, false, false]);
    assert_eq!(graph.component(head), graph.component(body));
    assert_ne!(graph.component(head), graph.component(after));
    assert_eq!(graph.incoming(head), [edges[0], edges[2]]);
}

#[test]
fn a_value_is_live_where_it_can_still_matter() {
    let Example { program, vars, locations: [entry, head, _, after], .. } = example();
    let liveness = Liveness::new(&program);
    let live = |location| vars.map(|var| liveness.is_live(location, var));
    // In the order shared, i, sum, waste, seen.
    assert_eq!(live(entry), [true, false, true, false, true]);
    assert_eq!(live(head), [true, true, true, false, true]);
    assert_eq!(live(after), [true, false, true, false, true]);
    let needed = needed_vars(&program);
    assert_eq!(vars.map(|var| needed.contains(var)), [true, true, true, false, true]);
}

#[test]
fn steps_are_local_if_nobody_can_tell() {
    let Example { program, vars: [shared, i, ..], edges, .. } = example();
    let visibility = Visibility::new(&program);
    assert!(!visibility.is_private(shared) && visibility.is_private(i));
    let local = edges.map(|edge| visibility.is_local(&program, &program.edges()[edge]));
    assert_eq!(local, [true, true, false, true, false]);
    let quiet = edges.map(|edge| visibility.has_no_effect(&program, &program.edges()[edge]));
    assert_eq!(quiet, [true, true, true, true, false]);
}

#[test]
fn indices_are_read_and_arrays_are_written() {
    let Example { vars: [shared, i, sum, ..], .. } = example();
    let access = Access::of_ops(&[Op::assign(Place::Element(shared, Expr::var(i)), Expr::var(sum))]);
    assert_eq!(access.reads.iter().collect::<Vec<_>>(), [i, sum]);
    assert_eq!(access.writes.iter().collect::<Vec<_>>(), [shared]);
}
