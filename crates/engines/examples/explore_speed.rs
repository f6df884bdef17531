//! Measures exploration: `cargo run --release -p rely-engines --example explore_speed`.
//!
//! Two threads count to a bound in a shared and a local variable each, with a lock-free
//! handshake between them: a few million states, none of which can be left out by reduction.

#![allow(clippy::print_stdout)] // a benchmark prints its figures

use rely_base::{Budget, Observer, Progress};
use rely_engines::{Engine, Explore, ExploreOptions};
use rely_evidence::{CheckOptions, Claim, Proof, check_with};
use rely_program::{BinaryOp, Expr, Goal, Op, Place, Program, ProgramBuilder, Sort, ThreadKind, VarId};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// `thread T { while mine < bound { tmp := other; mine := mine + 1; sum := (sum + tmp) % 7; } }`
fn counter(builder: &mut ProgramBuilder, name: &str, mine: VarId, other: VarId, sum: VarId, bound: i128) {
    let thread = builder.thread(name, ThreadKind::Instance { running: true });
    let tmp = builder.local(thread, "tmp", Sort::Int, 0);
    let (entry, exit) = (builder.entry(thread), builder.exit(thread));
    let (read, counted) = (builder.location(thread, None), builder.location(thread, None));
    let guard = Expr::var(mine).lt(Expr::int(bound));
    let load = Op::assign(Place::Scalar(tmp), Expr::var(other));
    builder.edge(entry, read, vec![Op::assume(guard.clone()), load], None);
    builder.edge(entry, exit, vec![Op::assume(guard.negate())], None);
    let count = Op::assign(Place::Scalar(mine), Expr::var(mine).add(Expr::int(1)));
    builder.edge(read, counted, vec![count], None);
    let total = Expr::binary(BinaryOp::Rem, Expr::var(sum).add(Expr::var(tmp)), Expr::int(7));
    builder.edge(counted, entry, vec![Op::assign(Place::Scalar(sum), total)], None);
}

fn program(bound: i128) -> Program {
    let mut builder = ProgramBuilder::new("two counters");
    let x = builder.global("x", Sort::Int, 0);
    let y = builder.global("y", Sort::Int, 0);
    let sum = builder.global("sum", Sort::Int, 0);
    counter(&mut builder, "A", x, y, sum, bound);
    counter(&mut builder, "B", y, x, sum, bound);
    builder.finish().expect("the benchmark is well formed")
}

/// Remembers how much memory the exploration holds.
struct Memory(AtomicU64);

impl Observer for Memory {
    fn progress(&self, progress: &Progress) {
        if let Some((_, bytes)) = progress.counts.iter().find(|(name, _)| *name == "bytes") {
            self.0.store(*bytes, Ordering::Relaxed);
        }
    }
}

/// The processor time that this thread has had, where the system tells: on a busy machine the
/// clock on the wall measures the others.
fn processor_seconds() -> Option<f64> {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = statistics.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

fn main() {
    let bound = std::env::args().nth(1).and_then(|bound| bound.parse().ok()).unwrap_or(30);
    let program = program(bound);
    for reduction in [false, true] {
        let engine = Explore { options: ExploreOptions { reduction, ..ExploreOptions::default() } };
        let (start, processor_start) = (Instant::now(), processor_seconds());
        let memory = Memory(AtomicU64::new(0));
        let claim = engine.run(&program, Goal::Assert, &Budget::unlimited(), &memory);
        let wall_seconds = start.elapsed().as_secs_f64();
        let processor = processor_seconds().zip(processor_start).map(|(end, start)| end - start);
        let seconds = processor.unwrap_or(wall_seconds);
        let Claim::Safe(Proof::Exhausted(exhausted)) = &claim else {
            println!("no proof: {claim:?}");
            return;
        };
        let states = exhausted.states;
        let transitions = exhausted.transitions;
        let per_second = states as f64 / seconds;
        let per_state = memory.0.load(Ordering::Relaxed) as f64 / states as f64;
        println!("reduction {}", if reduction { "on" } else { "off" });
        println!("  {states} states, {transitions} transitions");
        println!("  {seconds:.2} s on one core, {wall_seconds:.2} s on the clock");
        println!("  {per_second:.0} states/s, {per_state:.1} bytes/state");
        for (how, states_to_repeat) in [("by its certificate", 0), ("by repetition", usize::MAX)] {
            let start = Instant::now();
            let options = CheckOptions { states_to_repeat };
            let checked = check_with(options, &program, Goal::Assert, claim.clone(), &Budget::unlimited());
            let seconds = start.elapsed().as_secs_f64();
            println!("  checked {how} in {seconds:.2} s: {}", checked.into_verdict().name());
        }
    }
}
