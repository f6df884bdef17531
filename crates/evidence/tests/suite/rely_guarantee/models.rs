//! Small programs with proofs made by hand.

use crate::common::program;
use rely_program::{
    Check, CheckKind, Expr, Op, Place, Program, ProgramBuilder, Property, PropertyKind, Sort, ThreadKind,
};

/// A program and a proof that no assertion fails.
pub struct Model {
    pub program: Program,
    pub proof: &'static str,
    pub is_modular: bool,
}

/// All of them.
pub fn all() -> Vec<Model> {
    vec![lock_id(), lock_bit(), spawn_and_join(), increments(), halting(), template(), atomic_block()]
}

fn model(source: &str, proof: &'static str, is_modular: bool) -> Model {
    Model { program: program(source), proof, is_modular }
}

/// A lock that knows its owner: each thread can be understood alone.
pub fn lock_id() -> Model {
    model(
        "var lock: int = 0;
         process T1 { entry -> b: lock == 0; lock := 1; b -> exit: lock := 0; }
         process T2 { entry -> b: lock == 0; lock := 2; b -> exit: lock := 0; }
         start T1; start T2;
         never T1 at b && T2 at b;",
        "T1 @entry: true
         T1 @b: lock = 1
         T1 @exit: true
         T2 @entry: true
         T2 @b: lock = 2
         T2 @exit: true
         effect T1 @entry: lock = 0 & lock' = 1
         effect T1 @b: lock = 1 & lock' = 0
         effect T2 @entry: lock = 0 & lock' = 2
         effect T2 @b: lock = 2 & lock' = 0",
        true,
    )
}

/// A lock that does not: one must know where the other thread is.
pub fn lock_bit() -> Model {
    model(
        "var lock: int = 0;
         process T1 { entry -> b: lock == 0; lock := 1; b -> exit: lock := 0; }
         process T2 { entry -> b: lock == 0; lock := 1; b -> exit: lock := 0; }
         start T1; start T2;
         never T1 at b && T2 at b;",
        "T1 @entry: lock = 0 & T2 in {entry, exit} | lock = 1 & T2 in {b}
         T1 @b: lock = 1 & T2 in {entry, exit}
         T1 @exit: lock = 0 & T2 in {entry, exit} | lock = 1 & T2 in {b}
         T2 @entry: lock = 0 & T1 in {entry, exit} | lock = 1 & T1 in {b}
         T2 @b: lock = 1 & T1 in {entry, exit}
         T2 @exit: lock = 0 & T1 in {entry, exit} | lock = 1 & T1 in {b}
         effect T1 @entry: lock = 0 & lock' = 1 & T2 in {entry, exit}
         effect T1 @b: lock = 1 & lock' = 0 & T2 in {entry, exit}
         effect T2 @entry: lock = 0 & lock' = 1 & T1 in {entry, exit}
         effect T2 @b: lock = 1 & lock' = 0 & T1 in {entry, exit}",
        false,
    )
}

/// A child that computes with its argument while its parent waits.
pub fn spawn_and_join() -> Model {
    model(
        "var x: int = 0;
         process main { local t: thread;
             entry -> a: t := spawn child(3); a -> b: join t; b -> exit: assert x == 3; }
         process child(v: int) { local w: int = 5;
             entry -> c: assert w == 5; c -> exit: x := v; }
         start main;
         ensures x == 3;",
        "main @entry: x = 0 & child in {unstarted}
         main @a: t = 2 & child in {entry, c} | t = 2 & child in {exit} & x = 3
         main @b: x = 3 & child in {exit}
         main @exit: x = 3 & child in {exit}
         child @unstarted: true
         child @entry: v = 3 & w = 5
         child @c: v = 3
         child @exit: x = 3
         effect main @entry: true
         effect main @a: true
         effect main @b: true
         effect child @entry: x' = x
         effect child @c: x' = 3",
        false,
    )
}

/// Two threads that only ever increase a number.
pub fn increments() -> Model {
    model(
        "var x: int = 0;
         process A { local old: int = 0; entry -> b: old := x; b -> exit: assert x >= old; }
         process B { entry -> entry: x := x + 1; }
         start A; start B;
         invariant x >= 0;",
        "A @entry: x >= 0
         A @b: x >= A.old & x >= 0
         A @exit: x >= 0
         B @entry: x >= 0
         effect A @entry: true
         effect A @b: true
         effect B @entry: x' = x + 1",
        true,
    )
}

/// Nothing happens after `halt`, but what is claimed always must hold there.
pub fn halting() -> Model {
    halting_with(1)
}

/// The same with another last value.
pub fn halting_with(last: i32) -> Model {
    model(
        &format!(
            "var x: int = 0;
             process A {{ entry -> b: x := {last}; halt; b -> exit: assert false; }}
             process B {{ entry -> exit: x == 0; x := 2; }}
             start A; start B;
             invariant x <= 2;
             ensures x == 5;"
        ),
        "A @entry: x = 0 | x = 2
         B @entry: x = 0
         B @exit: x = 2
         effect B @entry: x = 0 & x' = 2",
        true,
    )
}

fn assertion(builder: &mut ProgramBuilder, condition: Expr) -> Op {
    let check = Check { kind: CheckKind::Assertion, message: "it fails".into(), span: None };
    Op::Check(condition, builder.check(check))
}

/// Any number of threads made from one template, with a lock that knows its owner.
pub fn template() -> Model {
    let mut builder = ProgramBuilder::new("template");
    let lock = builder.global("lock", Sort::Int, 0);
    let main = builder.thread("main", ThreadKind::Instance { running: true });
    let worker = builder.thread("worker", ThreadKind::Template);
    let number = builder.local(worker, "number", Sort::Int, 7);
    builder.parameter(worker, number);
    let start = builder.entry(main);
    let spawn = Op::Spawn { thread: worker, arguments: vec![Expr::int(9)], handle: None };
    builder.edge(start, start, vec![spawn], None);
    let (entry, exit) = (builder.entry(worker), builder.exit(worker));
    let [held, checked] = ["held", "checked"].map(|label| {
        let location = builder.location(worker, None);
        builder.set_label(location, label);
        location
    });
    let free = Op::wait(Expr::var(lock).eq(Expr::int(0)));
    builder.edge(entry, held, vec![free, Op::assign(Place::Scalar(lock), Expr::This)], None);
    let owned = assertion(&mut builder, Expr::var(lock).eq(Expr::This));
    let nine = assertion(&mut builder, Expr::var(number).eq(Expr::int(9)));
    builder.edge(held, checked, vec![owned, nine], None);
    builder.edge(checked, exit, vec![Op::assign(Place::Scalar(lock), Expr::int(0))], None);
    let at_most_one = Expr::CountAt(held).add(Expr::CountAt(checked)).le(Expr::int(1));
    builder.property(Property { kind: PropertyKind::Always(at_most_one), span: None });
    Model {
        program: builder.finish().unwrap(),
        proof: "main @entry: true
                worker @entry: number = 9
                worker @held: lock = this & number = 9
                worker @checked: lock = this
                worker @exit: true
                effect main @entry: true
                effect worker @entry: lock = 0 & lock' = this
                effect worker @held: true
                effect worker @checked: lock = this & lock' = 0",
        is_modular: true,
    }
}

/// A block that breaks an invariant and mends it before anyone can see.
pub fn atomic_block() -> Model {
    let mut builder = ProgramBuilder::new("atomic");
    let (x, y) = (builder.global("x", Sort::Int, 0), builder.global("y", Sort::Int, 0));
    let running = ThreadKind::Instance { running: true };
    let up = |var| Op::assign(Place::Scalar(var), Expr::var(var).add(Expr::int(1)));
    for name in ["A", "B"] {
        let thread = builder.thread(name, running);
        let (entry, exit) = (builder.entry(thread), builder.exit(thread));
        let [inside, behind] = ["inside", "behind"].map(|label| {
            let location = builder.location(thread, None);
            builder.set_label(location, label);
            location
        });
        builder.set_atomic(inside);
        builder.edge(entry, inside, vec![up(x)], None);
        builder.edge(inside, behind, vec![up(y)], None);
        let equal = assertion(&mut builder, Expr::var(x).eq(Expr::var(y)));
        builder.edge(behind, exit, vec![equal], None);
    }
    builder.property(Property { kind: PropertyKind::Always(Expr::var(x).eq(Expr::var(y))), span: None });
    Model {
        program: builder.finish().unwrap(),
        proof: "A @entry: x = y | B in {inside} & x = y + 1
                A @inside: x = y + 1 & B in {entry, behind, exit}
                A @behind: x = y | B in {inside} & x = y + 1
                A @exit: x = y | B in {inside} & x = y + 1
                B @entry: x = y | A in {inside} & x = y + 1
                B @inside: x = y + 1 & A in {entry, behind, exit}
                B @behind: x = y | A in {inside} & x = y + 1
                B @exit: x = y | A in {inside} & x = y + 1
                effect A @entry: x = y & x' = x + 1 & B in {entry, behind, exit}
                effect A @inside: x = y + 1 & y' = y + 1
                effect A @behind: true
                effect B @entry: x = y & x' = x + 1 & A in {entry, behind, exit}
                effect B @inside: x = y + 1 & y' = y + 1
                effect B @behind: true",
        is_modular: false,
    }
}
