//! Each access to shared memory is a step of its own, in whatever program.

use crate::arithmetic;
use crate::common::program;
use rely_program::{Expr, Op, Place, Program, VarId};

/// How often an edge outside of atomic sections touches globals: reads of different globals,
/// and writes.
fn accesses(program: &Program, ops: &[Op]) -> (Vec<VarId>, Vec<VarId>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let is_global = |var: VarId| program.vars()[var].is_global();
    let mut read = |expr: &Expr| {
        expr.for_each_var(|var| {
            if is_global(var) {
                reads.push(var);
            }
        });
    };
    let mut write = |place: &Place| {
        if is_global(place.var()) {
            writes.push(place.var());
        }
    };
    let index = |place: &Place| match place {
        Place::Element(_, index) => Some(index.clone()),
        Place::Scalar(_) => None,
    };
    for op in ops {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => read(condition),
            Op::Assign(changes) => {
                for (place, value) in changes {
                    read(value);
                    index(place).iter().for_each(&mut read);
                    write(place);
                }
            }
            Op::Havoc(place, _) => write(place),
            Op::Spawn { arguments, handle, .. } => {
                arguments.iter().for_each(&mut read);
                handle.iter().for_each(&mut write);
            }
            Op::Join(handle) => read(handle),
            Op::Halt => {}
        }
    }
    reads.sort_unstable();
    reads.dedup();
    (reads, writes)
}

/// The edges that touch shared memory more than once, outside of atomic sections.
fn crowded(program: &Program) -> Vec<String> {
    let is_atomic = |location| program.locations()[location].atomic;
    let edges = program.edges().values().filter(|edge| !is_atomic(edge.source) && !is_atomic(edge.target));
    let many = edges.filter(|edge| {
        let (reads, writes) = accesses(program, &edge.ops);
        reads.len() + writes.len() > 1
    });
    many.map(|edge| program.display_ops(&edge.ops).to_string()).collect()
}

#[test]
fn edges_touch_shared_memory_once() {
    for seed in 1000..1150 {
        let generated = arithmetic::generate(seed).text().replace("__VERIFIER_atomic_", "(void)");
        let text = format!("void begin(void) {{}} void end(void) {{}} {generated}");
        assert_eq!(crowded(&program(&text)), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn read_modify_write_is_one_step_only_if_atomic() {
    let edges = |text: &str| crowded(&program(text)).len();
    assert_eq!(edges("int x; int main() { x++; x += 2; x = x + x; return x - x; }"), 0);
    assert_eq!(edges("_Atomic int x; int main() { x++; x += 2; }"), 2);
    assert_eq!(edges("int x, y; int main() { x = y; if (x < y) x = -y; y = x ? y : 0; }"), 0);
    assert_eq!(edges("int x, a[3]; int main() { a[x] = a[a[x]]; a[x]++; }"), 0);
    assert_eq!(edges("int x; int main() { __sync_fetch_and_add(&x, 1); }"), 1);
}
