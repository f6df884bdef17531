//! Programs with any number of threads, and proofs made by hand. Most follow examples of Ganjei,
//! Rezine, Eles and Peng, "Counting Dynamically Synchronizing Processes".

use crate::common::program;
use rely_program::{Expr, Op, Place, Program, ProgramBuilder, Property, PropertyKind, Sort, ThreadKind};

/// A program and a proof that no assertion fails.
pub struct Model {
    pub name: &'static str,
    pub program: Program,
    /// Empty if the program was not made from a text.
    pub source: &'static str,
    pub proof: &'static str,
    /// Whether the same proof shows that there is no deadlock.
    pub deadlock_free: bool,
}

/// All of them.
pub fn all() -> Vec<Model> {
    vec![
        counted_barrier(),
        maximum(),
        simple_barrier(),
        readers_and_writers(),
        dynamic_barrier(),
        as_many(),
        parent_and_child(),
        tokens(),
        atomic_block(),
        halting(),
        known_readers(),
    ]
}

fn model(name: &'static str, source: &'static str, proof: &'static str, deadlock_free: bool) -> Model {
    Model { name, program: program(source), source, proof, deadlock_free }
}

/// The same model with a part of its program replaced, and the same proof.
pub fn changed(model: &Model, part: &str, replacement: &str) -> Model {
    assert_eq!(model.source.matches(part).count(), 1, "{}: which part is `{part}`?", model.name);
    let program = program(&model.source.replace(part, replacement));
    Model { program, ..*model }
}

/// Nobody passes the barrier while somebody is still before it.
pub fn counted_barrier() -> Model {
    model(
        "counted-barrier",
        "var count, wait: int = 0;
         var go: bool = false;
         process main {
             entry -> entry: count := count + 1; spawn worker;
             entry -> exit: go := true;
         }
         process worker {
             entry -> b: wait := wait + 1;
             b -> exit: go && wait == count;
         }
         start main;
         never #(worker at exit) >= 1 && #(worker at entry) >= 1;
         ensures #(worker at exit) == count;",
        "invariant: count = #worker.entry + #worker.b + #worker.exit
         invariant: wait = #worker.b + #worker.exit
         main @entry: go = 0
         main @exit: go = 1
         worker @entry: true
         worker @b: true
         worker @exit: go = 1 & wait = count
         effect main @entry: go = 0
         effect worker @entry: true
         effect worker @b: true",
        true,
    )
}

/// Behind the barrier no value that anybody has announced is larger than the maximum: whoever has
/// announced the last one has raised the maximum, or is about to.
pub fn maximum() -> Model {
    model(
        "max",
        "var max, prev: int = *;
         var wait, count: int = 0;
         var proceed: bool = false;
         process main {
             entry -> entry: count := count + 1; spawn proc;
             entry -> exit: proceed := true;
         }
         process proc {
             local val: int = *;
             entry -> lc1: prev := val;
             lc1 -> lc2: max >= val;
             lc1 -> lc2: max < val; max := val;
             lc2 -> lc3: val := *;
             lc3 -> lc4: wait := wait + 1;
             lc4 -> exit: proceed && wait == count;
         }
         start main;
         never #(proc at exit && prev > max) >= 1;",
        "invariant: count = #proc.entry + #proc.lc1 + #proc.lc2 + #proc.lc3 + #proc.lc4 + #proc.exit
         invariant: wait = #proc.lc4 + #proc.exit
         invariant: prev <= max | #(proc.lc1: val >= prev) >= 1 | #proc.lc1 + #proc.lc2 + #proc.lc3 + #proc.lc4 + #proc.exit = 0
         main @entry: proceed = 0
         main @exit: proceed = 1
         proc @entry: true
         proc @lc1: true
         proc @lc2: true
         proc @lc3: true
         proc @lc4: true
         proc @exit: proceed = 1 & wait = count & prev <= max
         effect main @entry: proceed = 0
         effect proc @entry: true
         effect proc @lc1: true
         effect proc @lc2: true
         effect proc @lc3: true
         effect proc @lc4: true",
        true,
    )
}

/// A barrier that the first one to see that all have arrived opens for the others.
pub fn simple_barrier() -> Model {
    model(
        "simp-bar",
        "var wait, count: int = 0;
         var enough, open: bool = false;
         var flag: bool = *;
         process main {
             entry -> lc1: !enough; spawn proc; count := count + 1;
             lc1 -> entry: enough := false;
             lc1 -> entry: enough := true;
         }
         process proc {
             entry -> lc1: flag := true;
             lc1 -> lc2: flag := false;
             lc2 -> lc3: wait := wait + 1;
             lc3 -> lc4: enough && wait == count; open := true; wait := wait - 1;
             lc3 -> lc4: open; wait := wait - 1;
             lc4 -> exit: assert !flag;
         }
         start main;",
        "invariant: count = #proc.entry + #proc.lc1 + #proc.lc2 + #proc.lc3 + #proc.lc4 + #proc.exit
         invariant: wait = #proc.lc3
         invariant: enough = 0 | #main.entry = 1
         invariant: open = 0 | enough = 1 & #proc.entry + #proc.lc1 + #proc.lc2 = 0
         invariant: flag = 0 | #proc.lc1 >= 1 | #proc.lc1 + #proc.lc2 + #proc.lc3 + #proc.lc4 + #proc.exit = 0
         main @entry: true
         main @lc1: true
         proc @entry: true
         proc @lc1: true
         proc @lc2: true
         proc @lc3: true
         proc @lc4: open = 1 & flag = 0
         proc @exit: true
         effect main @entry: true
         effect main @lc1: true
         effect proc @entry: true
         effect proc @lc1: true
         effect proc @lc2: true
         effect proc @lc3: true
         effect proc @lc4: true",
        false,
    )
}

/// The first reader takes the lock and the last one returns it; writers exclude everybody.
pub fn readers_and_writers() -> Model {
    model(
        "readers-writers",
        "var readcount: int = 0;
         var lock: bool = true;
         var writing: bool = false;
         process main {
             entry -> entry: spawn writer;
             entry -> entry: readcount == 0 && lock; lock := false; spawn reader; readcount := readcount + 1;
             entry -> entry: readcount != 0; spawn reader; readcount := readcount + 1;
         }
         process reader {
             entry -> lc1: assert !writing;
             lc1 -> exit: readcount == 1; readcount := readcount - 1; lock := true;
             lc1 -> exit: readcount != 1; readcount := readcount - 1;
         }
         process writer {
             entry -> lc1: lock; lock := false;
             lc1 -> lc2: writing := true;
             lc2 -> lc3: writing := false;
             lc3 -> exit: lock := true;
         }
         start main;
         never #(writer at lc2) > 1;",
        "invariant: readcount = #reader.entry + #reader.lc1
         invariant: writing = #writer.lc2
         invariant: lock = 1 & readcount = 0 & #writer.lc1 + #writer.lc2 + #writer.lc3 = 0 | lock = 0 & readcount = 0 & #writer.lc1 + #writer.lc2 + #writer.lc3 = 1 | lock = 0 & readcount >= 1 & #writer.lc1 + #writer.lc2 + #writer.lc3 = 0
         main @entry: true
         reader @entry: true
         reader @lc1: true
         reader @exit: true
         writer @entry: true
         writer @lc1: true
         writer @lc2: true
         writer @lc3: true
         writer @exit: true
         effect main @entry: true
         effect reader @entry: true
         effect reader @lc1: true
         effect writer @entry: true
         effect writer @lc1: true
         effect writer @lc2: true
         effect writer @lc3: true",
        true,
    )
}

/// A barrier whose number of participants goes down to zero before `main` passes it.
pub fn dynamic_barrier() -> Model {
    model(
        "dynamic-barrier",
        "var n, wait, count: int = *;
         var i: int = 0;
         var done: bool = false;
         process main {
             entry -> lc1: count, wait := n, 0;
             lc1 -> lc1: i != n; spawn proc; i := i + 1;
             lc1 -> lc2: skip;
             lc2 -> lc3: i == n && wait == count;
             lc3 -> lc3: join proc; i := i - 1;
             lc3 -> exit: i == 0; done := true;
         }
         process proc {
             entry -> exit: assert !done; count := count - 1;
         }
         start main;",
        "invariant: #main.entry = 1 & i = 0 & #proc.entry + #proc.exit = 0 | #main.entry = 0 & wait = 0 & count + #proc.exit = n
         invariant: #main.lc3 + #main.exit = 0 & #proc.entry + #proc.exit = i | #main.lc3 + #main.exit = 1 & #proc.entry = 0
         invariant: done = 0 | #proc.entry = 0 & #main.exit = 1
         main @entry: true
         main @lc1: true
         main @lc2: true
         main @lc3: true
         main @exit: true
         proc @entry: true
         proc @exit: true
         effect main @entry: true
         effect main @lc1: true
         effect main @lc2: true
         effect main @lc3: true
         effect proc @entry: true",
        false,
    )
}

/// As many threads of one kind as of another.
pub fn as_many() -> Model {
    model(
        "as-many",
        "var count1, count2: int = 0;
         var enough: bool = false;
         process main {
             entry -> lc1: spawn proc1; count1 := count1 + 1;
             lc1 -> entry: spawn proc2; count2 := count2 + 1;
             entry -> exit: enough := true;
         }
         process proc1 {
             entry -> lc1: enough;
             lc1 -> exit: assert count1 == count2;
         }
         process proc2 {
             entry -> exit: enough;
         }
         start main;
         ensures #(proc1 at exit) == #(proc2 at exit);",
        "invariant: count1 = #proc1.entry + #proc1.lc1 + #proc1.exit
         invariant: count2 = #proc2.entry + #proc2.exit
         invariant: count1 = count2 + #main.lc1
         invariant: enough = #main.exit
         main @entry: true
         main @lc1: true
         main @exit: true
         proc1 @entry: true
         proc1 @lc1: enough = 1
         proc1 @exit: true
         proc2 @entry: true
         proc2 @exit: true
         effect main @entry: true
         effect main @lc1: true
         effect proc1 @entry: true
         effect proc1 @lc1: true
         effect proc2 @entry: true",
        true,
    )
}

/// Parents allocate what their children use; the last one frees it.
pub fn parent_and_child() -> Model {
    model(
        "parent-child",
        "var i: int = 0;
         var allocated: bool = false;
         process main {
             entry -> entry: spawn parent; i := i + 1;
             entry -> entry: join parent; i := i - 1;
         }
         process parent {
             entry -> lc1: allocated := true;
             lc1 -> lc2: spawn child;
             lc2 -> lc3: join child;
             lc1 -> lc3: skip;
             lc3 -> exit: i == 1; allocated := false;
             lc3 -> exit: i > 1;
         }
         process child {
             entry -> exit: assert allocated;
         }
         start main;",
        "invariant: i = #parent.entry + #parent.lc1 + #parent.lc2 + #parent.lc3 + parent.ended
         invariant: parent.ended >= 0
         invariant: #parent.lc2 = #child.entry + child.ended
         invariant: child.ended >= 0
         invariant: allocated = 1 | #parent.lc1 + #parent.lc2 + #parent.lc3 = 0
         main @entry: true
         parent @entry: true
         parent @lc1: true
         parent @lc2: true
         parent @lc3: true
         parent @exit: true
         child @entry: true
         child @exit: true
         effect main @entry: true
         effect parent @entry: true
         effect parent @lc1: true
         effect parent @lc2: true
         effect parent @lc3: true
         effect child @entry: true",
        true,
    )
}

/// Three tokens that go around: threads at one location fall into those with and those without.
pub fn tokens() -> Model {
    model(
        "tokens",
        "var tokens: int = 3;
         process main { entry -> entry: spawn worker; }
         process worker {
             local mine: bool = false;
             entry -> entry: !mine && tokens > 0; tokens := tokens - 1; mine := true;
             entry -> entry: mine; assert tokens <= 2; tokens := tokens + 1; mine := false;
         }
         start main;
         never tokens > 3;
         never tokens < 0;",
        "invariant: tokens + #(worker.entry: mine = 1) = 3
         invariant: tokens >= 0
         main @entry: true
         worker @entry: true
         effect main @entry: true
         effect worker @entry: true",
        true,
    )
}

/// Two readers that are known by name, and counted all the same.
pub fn known_readers() -> Model {
    model(
        "known-readers",
        "var r: int = 0;
         var writing: bool = false;
         process one {
             entry -> inside: !writing; r := r + 1;
             inside -> out: assert !writing;
             out -> exit: r := r - 1;
         }
         process two {
             entry -> inside: !writing; r := r + 1;
             inside -> out: assert !writing;
             out -> exit: r := r - 1;
         }
         process writer {
             entry -> busy: r == 0; writing := true;
             busy -> exit: writing := false;
         }
         start one;
         start two;
         start writer;",
        "invariant: r = #one.inside + #one.out + #two.inside + #two.out
         invariant: writing = #writer.busy
         one @entry: true
         one @inside: writing = 0
         one @out: true
         one @exit: true
         two @entry: true
         two @inside: writing = 0
         two @out: true
         two @exit: true
         writer @entry: true
         writer @busy: true
         writer @exit: true
         effect one @entry: true
         effect one @inside: true
         effect one @out: true
         effect two @entry: true
         effect two @inside: true
         effect two @out: true
         effect writer @entry: r = 0
         effect writer @busy: writing' = 0",
        true,
    )
}

/// A step in two parts that nobody sees in between.
pub fn atomic_block() -> Model {
    let mut builder = ProgramBuilder::new("atomic");
    let (busy, inside) = (builder.global("busy", Sort::Int, 0), builder.global("inside", Sort::Int, 0));
    let main = builder.thread("main", ThreadKind::Instance { running: true });
    let worker = builder.thread("worker", ThreadKind::Template);
    let start = builder.entry(main);
    let spawn = Op::Spawn { thread: worker, arguments: Vec::new(), handle: None };
    builder.edge(start, start, vec![spawn], None);
    let (entry, exit) = (builder.entry(worker), builder.exit(worker));
    let [coming, held, going] = ["coming", "held", "going"].map(|label| {
        let location = builder.location(worker, None);
        builder.set_label(location, label);
        location
    });
    builder.set_atomic(coming);
    builder.set_atomic(going);
    let add = |var, value| Op::assign(Place::Scalar(var), Expr::var(var).add(Expr::int(value)));
    builder.edge(entry, coming, vec![add(busy, 1)], None);
    builder.edge(coming, held, vec![add(inside, 1)], None);
    builder.edge(held, going, vec![add(inside, -1)], None);
    builder.edge(going, exit, vec![add(busy, -1)], None);
    let equal = Expr::var(busy).eq(Expr::var(inside));
    let counted = Expr::var(inside).eq(Expr::CountAt(held));
    for condition in [equal, counted] {
        builder.property(Property { kind: PropertyKind::Always(condition), span: None });
    }
    Model {
        name: "atomic-block",
        program: builder.finish().unwrap(),
        source: "",
        proof: "invariant: busy = inside + #worker.coming + #worker.going
                invariant: inside = #worker.held
                main @entry: true
                worker @entry: true
                worker @coming: true
                worker @held: true
                worker @going: true
                worker @exit: true
                effect main @entry: true
                effect worker @entry: true
                effect worker @coming: true
                effect worker @held: true
                effect worker @going: true",
        deadlock_free: true,
    }
}

/// Whoever ends the program is still counted.
pub fn halting() -> Model {
    model(
        "halting",
        "var count: int = 0;
         process main { entry -> entry: count := count + 1; spawn worker; }
         process worker {
             entry -> b: skip;
             b -> exit: count == 2; halt;
             b -> exit: count > 2; count := count - 1;
         }
         start main;
         never #(worker at entry) + #(worker at b) > count;",
        "invariant: count = #worker.entry + #worker.b
         main @entry: true
         worker @entry: true
         worker @b: true
         worker @exit: true
         effect main @entry: true
         effect worker @entry: true
         effect worker @b: true",
        true,
    )
}
