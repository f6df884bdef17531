//! Small programs with reductions and proofs made by hand.

use crate::common::program;
use rely_program::Program;
use rely_testing::classics::REDUCTION_FIGURE_1 as FIGURE_1;

/// A program, what is held where in it, its blocks and movers, and the proof about what is left.
pub struct Model {
    pub program: Program,
    pub held: String,
    pub blocks: &'static str,
    /// A rely-guarantee proof of the reduced program; if there is none, all its states are visited.
    pub proof: Option<&'static str>,
    /// How many edges the reduced program has.
    pub edges: usize,
}

/// All of them.
pub fn all() -> Vec<Model> {
    vec![
        figure_1(),
        unprotected_access(),
        counter(),
        stack(),
        two_locks(),
        workers(),
        test_and_set(),
        handover(),
        announced(),
        read_and_write(),
    ]
}

/// Edges that do nothing to locks have no effect to speak of.
fn quiet(thread: &str, locations: &str) -> String {
    locations.split_whitespace().map(|name| format!("effect {thread} @{name}: true\n")).collect()
}

fn figure_1_held() -> String {
    let mut held = String::from(
        "T1 @entry: true
         T1 @l1: mx = 1
         T1 @l2: mx = 1
         T1 @l3: mx = 1 & my = 1
         T1 @l4: mx = 1 & my = 1
         T1 @l5: mx = 1
         T1 @l6: mx = 1
         T1 @l7: mx = 1 & my = 1
         T1 @l8: mx = 1 & my = 1
         T1 @l9: mx = 1
         T1 @l10: mx = 1
         T1 @exit: true
         T2 @entry: true
         T2 @l1: mx = 2
         T2 @l2: mx = 2
         T2 @exit: true
         T3 @entry: true
         T3 @l1: my = 3
         T3 @l2: my = 3
         T3 @exit: true
         effect T1 @entry: mx = 0 & mx' = 1
         effect T1 @l2: my = 0 & my' = 1
         effect T1 @l4: my = 1 & my' = 0
         effect T1 @l6: my = 0 & my' = 1
         effect T1 @l8: my = 1 & my' = 0
         effect T1 @l10: mx = 1 & mx' = 0
         effect T2 @entry: mx = 0 & mx' = 2
         effect T2 @l2: mx = 2 & mx' = 0
         effect T3 @entry: my = 0 & my' = 3
         effect T3 @l2: my = 3 & my' = 0\n",
    );
    held += &quiet("T1", "l1 l3 l5 l7 l9");
    held + &quiet("T2", "l1") + &quiet("T3", "l1")
}

/// `P1-1`: `T1` has two blocks, the others one each.
pub fn figure_1() -> Model {
    let source = format!(
        "{FIGURE_1}
        l2 -> exit: my := 0; }}
        start T1; start T2; start T3;
        ensures x != 11;"
    );
    Model {
        program: program(&source),
        held: figure_1_held(),
        blocks: "before T1: l1 l2 l3 l4 l7 l8
                 after T1: l5 l9 l10
                 right T1: entry l2 l6
                 both T1: l1 l3 l5 l7 l9
                 left T1: l4 l8 l10
                 before T2: l1 l2
                 right T2: entry
                 both T2: l1
                 left T2: l2
                 before T3: l1 l2
                 right T3: entry
                 both T3: l1
                 left T3: l2",
        proof: Some(
            "T1 @entry: mx = 0 & x = 2 & T2 in {entry} | mx = 0 & x = 4 & T2 in {exit}
             T1 @l6: mx = 1 & x = 2 & a = 3 & T2 in {entry} | mx = 1 & x = 4 & a = 5 & T2 in {exit}
             T1 @exit: x = 7 & T2 in {entry} | x = 9 & T2 in {exit} | x = 13 & T2 in {exit}
             T2 @entry: true
             T2 @exit: true
             T3 @entry: true
             T3 @exit: true
             effect T1 @entry: true
             effect T1 @l6: true
             effect T2 @entry: mx = 0 & x' = x + 2 & mx' = 0
             effect T3 @entry: true",
        ),
        edges: 4,
    }
}

/// `P2-1`: `T3` also writes `y` without the lock, so that nobody's access to `y` is a mover any more.
pub fn unprotected_access() -> Model {
    let source = format!(
        "{FIGURE_1}
        l2 -> l3: my := 0;
        l3 -> exit: y := 0; }}
        start T1; start T2; start T3;
        ensures x != 11;"
    );
    Model {
        program: program(&source),
        held: figure_1_held() + "T3 @l3: true\neffect T3 @l3: true",
        blocks: "before T1: l1 l2 l3 l7
                 after T1: l4 l5 l8 l9 l10
                 right T1: entry l2 l6
                 both T1: l1 l5 l9
                 left T1: l4 l8 l10
                 before T2: l1 l2
                 right T2: entry
                 both T2: l1
                 before T3: l1
                 after T3: l2
                 right T3: entry
                 left T3: l2",
        proof: Some(
            "T1 @entry: mx = 0 & x = 2 & T2 in {entry} | mx = 0 & x = 4 & T2 in {exit}
             T1 @l6: mx = 1 & x = 2 & a = 3 & T2 in {entry} | mx = 1 & x = 4 & a = 5 & T2 in {exit}
             T1 @exit: x = 7 & T2 in {entry} | x = 9 & T2 in {exit} | x = 13 & T2 in {exit}
             T2 @entry: true
             T2 @exit: true
             T3 @entry: true
             T3 @l3: true
             T3 @exit: true
             effect T1 @entry: true
             effect T1 @l6: true
             effect T2 @entry: mx = 0 & x' = x + 2 & mx' = 0
             effect T3 @entry: true
             effect T3 @l3: true",
        ),
        edges: 5,
    }
}

/// Two threads that count under a lock, in two steps each.
pub fn counter() -> Model {
    Model {
        program: program(
            "var x: int = 0; var m: mutex;
             process A { local r: int = 0;
                 entry -> a: lock(m); a -> b: r := x; b -> c: x := r + 1; c -> exit: unlock(m); }
             process B { local r: int = 0;
                 entry -> a: lock(m); a -> b: r := x; b -> c: x := r + 1; c -> exit: unlock(m); }
             start A; start B;
             ensures x == 2;",
        ),
        held: "A @entry: true
               A @a: m = 1
               A @b: m = 1
               A @c: m = 1
               A @exit: true
               B @entry: true
               B @a: m = 2
               B @b: m = 2
               B @c: m = 2
               B @exit: true
               effect A @entry: m = 0 & m' = 1
               effect A @a: true
               effect A @b: true
               effect A @c: m = 1 & m' = 0
               effect B @entry: m = 0 & m' = 2
               effect B @a: true
               effect B @b: true
               effect B @c: m = 2 & m' = 0"
            .to_owned(),
        blocks: "before A: a b c
                 right A: entry
                 both A: a b
                 left A: c
                 before B: a b c
                 right B: entry
                 both B: a b
                 left B: c",
        proof: Some(
            "A @entry: m = 0 & x = 0 & B in {entry} | m = 0 & x = 1 & B in {exit}
             A @exit: m = 0 & x = 1 & B in {entry} | m = 0 & x = 2 & B in {exit}
             B @entry: true
             B @exit: true
             effect A @entry: true
             effect B @entry: m = 0 & m' = 0 & x' = x + 1",
        ),
        edges: 2,
    }
}

/// A stack under a lock. The blocks branch, and an assertion stands inside of one of them.
pub fn stack() -> Model {
    Model {
        program: program(
            "var cells: int[2] = 0; var top: int = 0; var m: mutex;
             process Push {
                 entry -> a: lock(m);
                 a -> b: top < 2; cells[top] := 7;
                 b -> c: top := top + 1;
                 a -> c: top >= 2;
                 c -> exit: unlock(m); }
             process Pop { local v: int = 0;
                 entry -> a: lock(m);
                 a -> b: top > 0; v := cells[top - 1];
                 b -> c: top := top - 1;
                 c -> d: assert v == 7;
                 a -> d: top <= 0;
                 d -> exit: unlock(m); }
             start Push; start Pop;
             ensures top >= 0;",
        ),
        held: "Push @entry: true
               Push @a: m = 1
               Push @b: m = 1
               Push @c: m = 1
               Push @exit: true
               Pop @entry: true
               Pop @a: m = 2
               Pop @b: m = 2
               Pop @c: m = 2
               Pop @d: m = 2
               Pop @exit: true
               effect Push @entry: m = 0 & m' = 1
               effect Push @a: true
               effect Push @b: true
               effect Push @c: m = 1 & m' = 0
               effect Pop @entry: m = 0 & m' = 2
               effect Pop @a: true
               effect Pop @b: true
               effect Pop @c: true
               effect Pop @d: m = 2 & m' = 0"
            .to_owned(),
        blocks: "before Push: a b
                 after Push: c
                 right Push: entry
                 both Push: a b
                 left Push: c
                 before Pop: a b c
                 after Pop: d
                 right Pop: entry
                 both Pop: a b c
                 left Pop: d",
        proof: None,
        edges: 4,
    }
}

/// One lock inside of another.
pub fn two_locks() -> Model {
    let thread = |name: &str, own: &str| {
        format!(
            "process {name} {{ local r: int = 0;
                 entry -> a: lock(m); a -> b: lock(n); b -> c: r := x + {own}; c -> d: y := r;
                 d -> e: unlock(n); e -> exit: unlock(m); }}"
        )
    };
    let held = |name: &str, handle: u32| {
        format!(
            "{name} @entry: true
             {name} @a: m = {handle}
             {name} @b: m = {handle} & n = {handle}
             {name} @c: m = {handle} & n = {handle}
             {name} @d: m = {handle} & n = {handle}
             {name} @e: m = {handle}
             {name} @exit: true
             effect {name} @entry: m = 0 & m' = {handle}
             effect {name} @a: n = 0 & n' = {handle}
             effect {name} @b: true
             effect {name} @c: true
             effect {name} @d: n = {handle} & n' = 0
             effect {name} @e: m = {handle} & m' = 0\n"
        )
    };
    let source = format!(
        "var x: int = 1; var y: int = 0; var m: mutex; var n: mutex; {} {}
         start A; start B;
         ensures y == 2 || y == 3;",
        thread("A", "1"),
        thread("B", "2")
    );
    Model {
        program: program(&source),
        held: held("A", 1) + &held("B", 2),
        blocks: "before A: a b c d
                 after A: e
                 right A: entry a
                 both A: b c
                 left A: d e
                 before B: a b c
                 after B: d e
                 right B: entry a
                 both B: b
                 left B: d e",
        proof: Some(
            "A @entry: x = 1
             A @exit: y = 2 | y = 3
             B @entry: x = 1
             B @exit: y = 2 | y = 3
             effect A @entry: y' = 2
             effect B @entry: y' = 3",
        ),
        edges: 2,
    }
}

/// Any number of threads with one lock.
pub fn workers() -> Model {
    Model {
        program: program(
            "var x: int = 0; var m: mutex;
             process main { entry -> entry: spawn worker; entry -> exit: skip; }
             process worker { local r: int = 0;
                 entry -> a: lock(m); a -> b: r := x; b -> c: x := r + 2; c -> exit: unlock(m); }
             start main;
             invariant x >= 0;",
        ),
        held: "main @entry: true
               main @exit: true
               worker @entry: true
               worker @a: m = this
               worker @b: m = this
               worker @c: m = this
               worker @exit: true
               effect main @entry: true
               effect worker @entry: m = 0 & m' = this
               effect worker @a: true
               effect worker @b: true
               effect worker @c: m = this & m' = 0"
            .to_owned(),
        blocks: "before worker: a b
                 after worker: c
                 right worker: entry
                 both worker: a
                 left worker: c",
        proof: Some(
            "main @entry: x >= 0
             main @exit: x >= 0
             worker @entry: x >= 0
             worker @exit: x >= 0
             effect main @entry: true
             effect worker @entry: m = 0 & m' = 0 & x' = x + 2",
        ),
        edges: 3,
    }
}

/// A lock by hand, with a loop before the commit in which a thread may stay forever.
pub fn test_and_set() -> Model {
    Model {
        program: program(
            "var busy: int = 0; var x: int = 0;
             process A { local t: int = 0;
                 entry -> a: t := 0;
                 a -> a: t := t + 1;
                 a -> b: busy == 0; busy := 1;
                 b -> c: x := x + t + 1;
                 c -> exit: busy := 0; }
             process B {
                 entry -> b: busy == 0; busy := 2;
                 b -> c: x := x + 1;
                 c -> d: assert x >= 1;
                 d -> exit: busy := 0; }
             start A; start B;",
        ),
        held: "A @entry: true
               A @a: true
               A @b: busy = 1
               A @c: busy = 1
               A @exit: true
               B @entry: true
               B @b: busy = 2
               B @c: busy = 2
               B @d: busy = 2
               B @exit: true
               effect A @entry: true
               effect A @a: busy' = busy | busy = 0 & busy' = 1
               effect A @b: true
               effect A @c: busy = 1 & busy' = 0
               effect B @entry: busy = 0 & busy' = 2
               effect B @b: true
               effect B @c: true
               effect B @d: busy = 2 & busy' = 0"
            .to_owned(),
        blocks: "before A: a b c
                 right A: entry a
                 both A: b
                 before B: b
                 after B: c d
                 right B: entry
                 both B: b c
                 left B: d",
        proof: Some(
            "A @entry: x >= 0
             A @a: x >= 0 & A.t >= 0
             A @exit: true
             B @entry: x >= 0
             B @exit: true
             effect A @entry: true
             effect A @a: x' = x | x' >= x
             effect B @entry: x' >= x",
        ),
        edges: 4,
    }
}

/// A value is handed over: one thread starts the other one as its commit, and waits for it.
pub fn handover() -> Model {
    Model {
        program: program(
            "var x: int = 0; var out: int = 0;
             process main { local h: thread;
                 entry -> a: x := 5;
                 a -> b: h := spawn child;
                 b -> c: skip;
                 c -> d: join h;
                 d -> exit: assert out == 6; }
             process child { local r: int = 0;
                 entry -> a: r := x;
                 a -> exit: out := r + 1; }
             start main;",
        ),
        held: "main @entry: child in {unstarted}
               main @a: child in {unstarted}
               main @b: h = 2
               main @c: h = 2
               main @d: child in {exit}
               main @exit: true
               child @unstarted: true
               child @entry: main in {b, c, d, exit}
               child @a: main in {b, c, d, exit}
               child @exit: true
               effect main @entry: true
               effect main @a: true
               effect main @b: true
               effect main @c: true
               effect main @d: true
               effect child @entry: true
               effect child @a: true"
            .to_owned(),
        blocks: "before main: a
                 after main: b
                 both main: entry b
                 before child: a
                 both child: entry",
        proof: None,
        edges: 4,
    }
}

/// What an invariant looks at changes with the commit, and a thread may halt the program.
pub fn announced() -> Model {
    Model {
        program: program(
            "var x: int = 0; var seen: int = 0; var m: mutex;
             process A {
                 entry -> a: lock(m); a -> b: x := x + 1; b -> c: seen := seen + 1; c -> exit: unlock(m); }
             process B {
                 entry -> a: lock(m); a -> b: x := x + 1; b -> c: seen := seen + 1; c -> exit: unlock(m); }
             process C { entry -> exit: seen == 1; halt; }
             start A; start B; start C;
             invariant seen <= 2;",
        ),
        held: "A @entry: true
               A @a: m = 1
               A @b: m = 1
               A @c: m = 1
               A @exit: true
               B @entry: true
               B @a: m = 2
               B @b: m = 2
               B @c: m = 2
               B @exit: true
               C @entry: true
               effect A @entry: m = 0 & m' = 1
               effect A @a: true
               effect A @b: true
               effect A @c: m = 1 & m' = 0
               effect B @entry: m = 0 & m' = 2
               effect B @a: true
               effect B @b: true
               effect B @c: m = 2 & m' = 0"
            .to_owned(),
        blocks: "before A: a b
                 after A: c
                 right A: entry
                 both A: a
                 left A: c
                 before B: a b
                 after B: c
                 right B: entry
                 both B: a
                 left B: c",
        proof: None,
        edges: 3,
    }
}

/// Any number of threads that read under a lock of which they hold a share each, and a thread that writes while it holds
/// all of it. Readers read twice, and what they have read is looked at when they have given their share back.
pub fn read_and_write() -> Model {
    Model {
        program: program(
            "var l: int = 0; var x: int = 0;
             process main { entry -> entry: spawn R; entry -> exit: skip; }
             process R { local p: int = 0; local q: int = 0;
                 entry -> a: l >= 0; l := l + 1;
                 a -> b: p := x;
                 b -> c: q := x;
                 c -> d: l := l - 1;
                 d -> exit: assert p == q; }
             process W {
                 entry -> a: l == 0; l := -1;
                 a -> b: x := x + 1;
                 b -> exit: l := 0; }
             start main; start W;",
        ),
        held: "invariant: l = #R.a + #R.b + #R.c & #W.a + #W.b <= 0 | l = -1 & #R.a + #R.b + #R.c <= 0 & #W.a + #W.b = 1
               main @entry: true
               main @exit: true
               R @entry: true
               R @a: true
               R @b: true
               R @c: true
               R @d: true
               R @exit: true
               W @entry: true
               W @a: true
               W @b: true
               W @exit: true
               effect main @entry: true
               effect R @entry: true
               effect R @a: true
               effect R @b: true
               effect R @c: true
               effect R @d: true
               effect W @entry: true
               effect W @a: true
               effect W @b: true"
            .to_owned(),
        blocks: "before R: a b c
                 after R: d
                 right R: entry a b
                 left R: d
                 before W: a b
                 right W: entry a",
        proof: Some(
            "main @entry: true
             main @exit: true
             R @entry: true
             R @exit: true
             W @entry: true
             W @exit: true
             effect main @entry: true
             effect R @entry: true
             effect W @entry: true",
        ),
        edges: 4,
    }
}
