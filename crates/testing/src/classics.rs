//! Programs from the literature.

use crate::script::Script;
use rely_program::{
    Expr, LocationId, Op, Place, Program, ProgramBuilder, Property, PropertyKind, Sort, ThreadKind, VarId,
};

const RUNNING: ThreadKind = ThreadKind::Instance { running: true };

/// The threads of the first figure of the paper on reduction, except for what comes last in `T3`.
pub const REDUCTION_FIGURE_1: &str = "var x: int = 2; var y: int = 2; var mx: int = 0; var my: int = 0;
    process T1 { local a: int = 0;
        entry -> l1: mx == 0; mx := 1;
        l1 -> l2: a := x;
        l2 -> l3: my == 0; my := 1;
        l3 -> l4: y := y + a;
        l4 -> l5: my := 0;
        l5 -> l6: a := a + 1;
        l6 -> l7: my == 0; my := 1;
        l7 -> l8: y := y + a;
        l8 -> l9: my := 0;
        l9 -> l10: x := 2 * x + a;
        l10 -> exit: mx := 0; }
    process T2 {
        entry -> l1: mx == 0; mx := 2;
        l1 -> l2: x := x + 2;
        l2 -> exit: mx := 0; }
    process T3 {
        entry -> l1: my == 0; my := 3;
        l1 -> l2: y := y + 2;";

fn int(value: i128) -> Expr {
    Expr::int(value)
}

/// At most one thread is at one of these locations.
fn exclude(builder: &mut ProgramBuilder, locations: &[LocationId]) {
    let counted = locations.iter().map(|&location| Expr::CountAt(location)).reduce(Expr::add);
    let condition = counted.unwrap_or(int(0)).le(int(1));
    builder.property(Property { kind: PropertyKind::Always(condition), span: None });
}

/// Peterson's mutual exclusion for two threads, each going round forever. If `announced` is
/// false, the threads read the other's flag before they set their own: then it is wrong.
pub fn peterson(announced: bool) -> Program {
    let mut builder = ProgramBuilder::new("peterson");
    let flags = [builder.global("flag0", Sort::Int, 0), builder.global("flag1", Sort::Int, 0)];
    let turn = builder.global("turn", Sort::Int, 0);
    let mut critical = vec![];
    for me in 0..2 {
        let other = 1 - me;
        let mut script = Script::start(&mut builder, &format!("T{me}"), RUNNING);
        let start = script.here();
        let entitled = Expr::var(flags[other]).eq(int(0)).or(Expr::var(turn).eq(int(me as i128)));
        if announced {
            script.assign(flags[me], int(1));
            script.assign(turn, int(other as i128));
            script.wait(entitled);
        } else {
            script.assign(turn, int(other as i128));
            script.wait(entitled);
            script.assign(flags[me], int(1));
        }
        critical.push(script.here());
        script.step(vec![]);
        script.assign(flags[me], int(0));
        script.go_to(start);
    }
    exclude(&mut builder, &critical);
    builder.finish().expect("peterson is well formed")
}

/// Dekker's mutual exclusion, each thread going round forever.
pub fn dekker() -> Program {
    let mut builder = ProgramBuilder::new("dekker");
    let wants = [builder.global("wants0", Sort::Bool, 0), builder.global("wants1", Sort::Bool, 0)];
    let turn = builder.global("turn", Sort::Int, 0);
    let mut critical = vec![];
    for me in 0..2 {
        let other = 1 - me;
        let mut script = Script::start(&mut builder, &format!("T{me}"), RUNNING);
        let start = script.here();
        script.assign(wants[me], Expr::Bool(true));
        script.repeat_while(Expr::var(wants[other]), |body| {
            body.choose(
                Expr::var(turn).eq(int(other as i128)),
                |body| {
                    body.assign(wants[me], Expr::Bool(false));
                    body.wait(Expr::var(turn).eq(int(me as i128)));
                    body.assign(wants[me], Expr::Bool(true));
                },
                |_| {},
            );
        });
        critical.push(script.here());
        script.step(vec![]);
        script.assign(turn, int(other as i128));
        script.assign(wants[me], Expr::Bool(false));
        script.go_to(start);
    }
    exclude(&mut builder, &critical);
    builder.finish().expect("dekker is well formed")
}

fn lock(script: &mut Script<'_>, mutex: VarId) {
    let free = Expr::var(mutex).eq(int(0));
    script.step(vec![Op::wait(free), Op::assign(Place::Scalar(mutex), Expr::This)]);
}

fn unlock(script: &mut Script<'_>, mutex: VarId) {
    script.assign(mutex, int(0));
}

/// Philosophers who take the fork on one side and then the one on the other; all of them the
/// left one first, unless the last one is `clever`.
pub fn philosophers(count: usize, clever: bool) -> Program {
    let mut builder = ProgramBuilder::new("philosophers");
    let forks: Vec<VarId> =
        (0..count).map(|fork| builder.global(format!("fork{fork}"), Sort::Int, 0)).collect();
    for me in 0..count {
        let mut sides = [forks[me], forks[(me + 1) % count]];
        if clever && me == count - 1 {
            sides.reverse();
        }
        let mut script = Script::start(&mut builder, &format!("P{me}"), RUNNING);
        let start = script.here();
        lock(&mut script, sides[0]);
        lock(&mut script, sides[1]);
        unlock(&mut script, sides[1]);
        unlock(&mut script, sides[0]);
        script.go_to(start);
    }
    builder.finish().expect("the philosophers are well formed")
}

/// Threads that add to a counter in two steps, with or without a lock; a main thread starts
/// and joins them and then looks at the counter.
pub fn counter(workers: usize, locked: bool) -> Program {
    let mut builder = ProgramBuilder::new("counter");
    let (mutex, count) = (builder.global("mutex", Sort::Int, 0), builder.global("count", Sort::Int, 0));
    let worker = builder.thread("worker", ThreadKind::Template);
    let mut script = Script::resume(&mut builder, worker);
    let read = script.local("read", Sort::Int, 0);
    if locked {
        lock(&mut script, mutex);
    }
    script.assign(read, Expr::var(count));
    script.assign(count, Expr::var(read).add(int(1)));
    if locked {
        unlock(&mut script, mutex);
    }
    script.finish();
    let mut script = Script::start(&mut builder, "main", RUNNING);
    let handles: Vec<VarId> =
        (0..workers).map(|index| script.local(&format!("t{index}"), Sort::Int, 0)).collect();
    for &handle in &handles {
        let handle = Some(Place::Scalar(handle));
        script.step(vec![Op::Spawn { thread: worker, arguments: vec![], handle }]);
    }
    for &handle in &handles {
        script.step(vec![Op::Join(Expr::var(handle))]);
    }
    script.assert(Expr::var(count).eq(int(workers as i128)));
    script.finish();
    builder.finish().expect("the counter is well formed")
}

/// Workers that each count to a bound in a variable of their own; the main thread joins them
/// and adds up. Almost all interleavings are the same.
pub fn independent(workers: usize, bound: i128) -> Program {
    let mut builder = ProgramBuilder::new("independent");
    let counts: Vec<VarId> =
        (0..workers).map(|index| builder.global(format!("count{index}"), Sort::Int, 0)).collect();
    let mut threads = vec![];
    for (index, &count) in counts.iter().enumerate() {
        let kind = ThreadKind::Instance { running: false };
        let mut script = Script::start(&mut builder, &format!("W{index}"), kind);
        threads.push(script.thread());
        script.repeat_while(Expr::var(count).lt(int(bound)), |body| {
            body.assign(count, Expr::var(count).add(int(1)));
        });
        script.finish();
    }
    let mut script = Script::start(&mut builder, "main", RUNNING);
    let handles: Vec<VarId> =
        (0..workers).map(|index| script.local(&format!("t{index}"), Sort::Int, 0)).collect();
    for (&thread, &handle) in threads.iter().zip(&handles) {
        let handle = Some(Place::Scalar(handle));
        script.step(vec![Op::Spawn { thread, arguments: vec![], handle }]);
    }
    for &handle in &handles {
        script.step(vec![Op::Join(Expr::var(handle))]);
    }
    let sum = counts.iter().map(|&count| Expr::var(count)).reduce(Expr::add).unwrap_or(int(0));
    script.assert(sum.eq(int(bound * workers as i128)));
    script.finish();
    builder.finish().expect("the workers are well formed")
}
