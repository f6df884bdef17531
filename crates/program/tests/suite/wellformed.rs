//! Every kind of malformed program is refused, with a reason.

use rely_base::Id;
use rely_program::{
    BinaryOp, CheckId, Domain, Expr, Initial, IntType, LocationId, Op, Place, Property, PropertyKind, Scope,
    Sort, ThreadId, ThreadKind, UnaryOp, Var, VarId,
};
use rely_testing::sketch::{RUNNING, SPAWNED, Sketch, increment, is, set, spawn};

fn check(make: impl FnOnce(&mut Sketch), reason: &str) {
    let mut sketch = Sketch::new();
    make(&mut sketch);
    match sketch.builder.finish() {
        Ok(program) => panic!("accepted, not refused with `{reason}`:\n{program}"),
        Err(malformed) => assert_eq!(malformed.what, reason),
    }
}

/// A thread with one edge that does `ops`; `x` is an int, `p` a bool, `a` an array.
fn check_ops(ops: impl FnOnce(&mut Sketch, VarId, VarId, VarId) -> Vec<Op>, reason: &str) {
    check(
        |sketch| {
            let x = sketch.int("x");
            let p = sketch.var("p", Sort::Bool, None, Initial::Values(vec![0]));
            let a = sketch.var("a", Sort::Int, Some(2), Initial::Values(vec![0, 0]));
            sketch.thread("T", RUNNING);
            let ops = ops(sketch, x, p, a);
            sketch.edge("entry", "exit", ops);
        },
        reason,
    );
}

/// An assignment of an expression to `x`.
fn check_value(value: impl FnOnce(VarId, VarId, VarId) -> Expr, reason: &str) {
    check_ops(|_, x, p, a| vec![set(x, value(x, p, a))], reason);
}

fn check_property(condition: impl FnOnce(&mut Sketch) -> Expr, reason: &str) {
    check(
        |sketch| {
            let condition = condition(sketch);
            sketch.builder.property(Property { kind: PropertyKind::Always(condition), span: None });
        },
        reason,
    );
}

#[test]
fn initial_values_fit() {
    let refuse = |sort, length, initial| {
        check(
            |sketch| {
                sketch.var("v", sort, length, initial);
            },
            "the initial value of `v` does not fit it",
        );
    };
    refuse(Sort::Int, None, Initial::Values(vec![]));
    refuse(Sort::Int, Some(2), Initial::Values(vec![1]));
    refuse(Sort::Bool, None, Initial::Values(vec![2]));
    refuse(Sort::Bool, None, Initial::Any(Domain::AllInts));
    refuse(Sort::Int, None, Initial::Any(Domain::Range { low: 1, high: 0 }));
}

#[test]
fn locals_have_a_thread() {
    let scope = Scope::Local(ThreadId::from_index(3));
    let initial = Initial::Values(vec![0]);
    check(
        |sketch| {
            sketch.builder.var(Var {
                name: "l".into(),
                sort: Sort::Int,
                scope,
                length: None,
                initial,
                span: None,
                atomic: false,
            });
        },
        "`l` belongs to no thread",
    );
}

#[test]
fn parameters_are_scalars_of_the_thread() {
    let reason = "a parameter of `T` is not its scalar";
    check(
        |sketch| {
            let x = sketch.int("x");
            let thread = sketch.thread("T", SPAWNED);
            sketch.builder.parameter(thread, x);
        },
        reason,
    );
    check(
        |sketch| {
            let thread = sketch.thread("T", SPAWNED);
            let array = sketch.var("a", Sort::Int, Some(1), Initial::Values(vec![0]));
            sketch.builder.parameter(thread, array);
        },
        reason,
    );
}

#[test]
fn threads_begin_and_end_outside_of_blocks() {
    check(
        |sketch| {
            sketch.thread("T", RUNNING);
            sketch.edge("exit", "entry", []);
        },
        "an edge leaves the exit of `T`",
    );
    check(
        |sketch| {
            let thread = sketch.thread("T", RUNNING);
            let entry = sketch.builder.entry(thread);
            sketch.builder.set_atomic(entry);
        },
        "`T` starts or ends in an atomic block",
    );
}

#[test]
fn edges_stay_in_their_thread() {
    check(
        |sketch| {
            let first = sketch.thread("A", RUNNING);
            let second = sketch.thread("B", RUNNING);
            let (entry, exit) = (sketch.builder.entry(first), sketch.builder.exit(second));
            sketch.builder.edge(entry, exit, vec![], None);
        },
        "edge 0 leads from one thread to another",
    );
    check(
        |sketch| {
            let thread = sketch.thread("A", RUNNING);
            let entry = sketch.builder.entry(thread);
            sketch.builder.edge(entry, LocationId::from_index(9), vec![], None);
        },
        "edge 0 has an end that does not exist",
    );
}

#[test]
fn operations_name_what_exists() {
    let check_id = CheckId::from_index(4);
    check_ops(
        |_, _, _, _| vec![Op::Check(Expr::Bool(true), check_id)],
        "an operation names a check that does not exist",
    );
    check_ops(
        |_, _, _, _| vec![set(VarId::from_index(9), Expr::int(0))],
        "a variable is used that does not exist",
    );
    check_ops(
        |_, _, _, _| vec![spawn(ThreadId::from_index(9), None)],
        "a thread is started that does not exist",
    );
}

#[test]
fn operations_have_the_right_sorts() {
    let needs_bool = "an expression has sort int where bool is needed";
    let needs_int = "an expression has sort bool where int is needed";
    check_ops(|_, x, _, _| vec![Op::wait(Expr::var(x))], needs_bool);
    check_ops(|_, _, p, _| vec![set(p, Expr::int(1))], needs_bool);
    check_ops(|_, x, _, _| vec![set(x, Expr::Bool(true))], needs_int);
    check_ops(|_, _, _, _| vec![Op::Join(Expr::Bool(true))], needs_int);
    check_ops(|_, _, p, a| vec![Op::assign(Place::Element(a, Expr::var(p)), Expr::int(0))], needs_int);
    let unfit = "a nondeterministic value does not fit its variable";
    check_ops(|_, x, _, _| vec![Op::Havoc(Place::Scalar(x), Domain::Bool)], unfit);
    let nothing = Domain::Range { low: 2, high: 1 };
    check_ops(|_, x, _, _| vec![Op::Havoc(Place::Scalar(x), nothing)], unfit);
}

#[test]
fn expressions_have_the_right_sorts() {
    let needs_bool = "an expression has sort int where bool is needed";
    let needs_int = "an expression has sort bool where int is needed";
    check_value(|_, p, _| Expr::var(p).add(Expr::int(1)), needs_int);
    check_value(|_, p, _| Expr::unary(UnaryOp::Neg, Expr::var(p)), needs_int);
    check_value(|_, p, _| Expr::var(p).wrap(IntType { bits: 8, signed: true }), needs_int);
    check_value(|x, _, _| Expr::ite(Expr::var(x), Expr::int(0), Expr::int(1)), needs_bool);
    check_value(|_, p, _| Expr::ite(Expr::var(p), Expr::int(0), Expr::var(p)), needs_int);
    check_value(|_, p, a| Expr::element(a, Expr::var(p)), needs_int);
    check_ops(|_, x, _, _| vec![Op::wait(Expr::unary(UnaryOp::Not, Expr::var(x)))], needs_bool);
    check_ops(|_, x, p, _| vec![Op::wait(Expr::var(p).and(Expr::var(x)))], needs_bool);
    check_ops(|_, x, p, _| vec![Op::wait(Expr::var(p).eq(Expr::var(x)))], needs_bool);
    check_ops(|_, x, p, _| vec![Op::wait(Expr::binary(BinaryOp::Lt, Expr::var(x), Expr::var(p)))], needs_int);
    let type_of = |bits| IntType { bits, signed: false };
    check_value(|x, _, _| Expr::var(x).wrap(type_of(0)), "there is no machine type of 0 bits");
    check_value(|x, _, _| Expr::var(x).wrap(type_of(65)), "there is no machine type of 65 bits");
}

#[test]
fn arrays_are_indexed_and_scalars_are_not() {
    check_value(|_, _, a| Expr::var(a), "`a` is used as an array and as a scalar");
    check_value(|x, _, _| Expr::element(x, Expr::int(0)), "`x` is used as an array and as a scalar");
    check_ops(|_, _, _, a| vec![set(a, Expr::int(0))], "`a` is used as an array and as a scalar");
}

#[test]
fn locals_are_seen_by_their_thread_only() {
    check(
        |sketch| {
            sketch.thread("A", RUNNING);
            let own = sketch.int("own");
            sketch.thread("B", RUNNING);
            sketch.edge("entry", "exit", [increment(own)]);
        },
        "`own` is not visible where it is used",
    );
    check_property(
        |sketch| {
            sketch.thread("A", ThreadKind::Template);
            let own = sketch.int("own");
            is(own, 0)
        },
        "`own` is not visible where it is used",
    );
}

#[test]
fn spawns_fit_their_thread() {
    check(
        |sketch| {
            let thread = sketch.thread("T", RUNNING);
            sketch.edge("entry", "exit", [spawn(thread, None)]);
        },
        "`T` is started although it runs already",
    );
    let with_arguments = |arguments: Vec<Expr>, handle_sort: Sort, reason: &str| {
        check(
            |sketch| {
                let helper = sketch.thread("helper", SPAWNED);
                let parameter = sketch.int("parameter");
                sketch.builder.parameter(helper, parameter);
                sketch.thread("T", RUNNING);
                let handle = sketch.var("handle", handle_sort, None, Initial::Values(vec![0]));
                let handle = Some(Place::Scalar(handle));
                sketch.edge("entry", "exit", [Op::Spawn { thread: helper, arguments, handle }]);
            },
            reason,
        );
    };
    with_arguments(vec![], Sort::Int, "`helper` is started with the wrong number of arguments");
    let needs_int = "an expression has sort bool where int is needed";
    with_arguments(vec![Expr::Bool(true)], Sort::Int, needs_int);
    with_arguments(vec![Expr::int(1)], Sort::Bool, "the handle of a thread is an integer");
}

#[test]
fn properties_look_from_outside_and_threads_from_inside() {
    check_property(|_| Expr::This.eq(Expr::int(1)), "a property has no thread of its own");
    check_property(|_| Expr::int(1), "an expression has sort int where bool is needed");
    check_property(
        |_| Expr::CountAt(LocationId::from_index(5)).eq(Expr::int(1)),
        "a property names a location that does not exist",
    );
    check_property(
        |_| Expr::CountRunning(ThreadId::from_index(5)).eq(Expr::int(1)),
        "a property names a thread that does not exist",
    );
    check_ops(
        |sketch, x, _, _| {
            let entry = sketch.location("entry");
            vec![set(x, Expr::CountAt(entry))]
        },
        "a thread looks at the location of threads",
    );
    check(|sketch| sketch.builder.requires(Expr::int(1)), "an expression has sort int where bool is needed");
}

#[test]
fn a_program_that_halts_has_ended() {
    check_ops(
        |_, x, _, _| vec![Op::Halt, set(x, Expr::int(1))],
        "something follows in a step that halts the program",
    );
    check(
        |sketch| {
            sketch.thread("T", RUNNING);
            sketch.edge("entry", "<inside>", [Op::Halt]);
            sketch.edge("<inside>", "exit", []);
        },
        "a step that halts the program leads into an atomic block",
    );
}
