//! Of which cells something is worth knowing: those that are only set to constants, handles, and each other.
//!
//! Locks are such cells, flags, handles of threads, and what a thread is told when it starts. Whatever is
//! computed is not: it would only cost time.

use super::facts::{Cell, cell};
use rely_program::{Expr, Op, Place, Program, ThreadId, VarId};
use rustc_hash::FxHashSet;

/// The cells that are watched.
pub(super) struct Candidates {
    left_out: FxHashSet<VarId>,
}

impl Candidates {
    /// The cells of which something is worth knowing, but for some variables.
    pub(super) fn new(program: &Program, but: &[VarId]) -> Self {
        let mut candidates = Self { left_out: but.iter().copied().collect() };
        let ops = || program.edges().values().flat_map(|edge| &edge.ops);
        // What is copied from something that is left out is left out.
        loop {
            let before = candidates.left_out.len();
            ops().for_each(|op| candidates.look_at(program, op));
            if candidates.left_out.len() == before {
                return candidates;
            }
        }
    }

    pub(super) fn contains(&self, cell: Cell) -> bool {
        !self.left_out.contains(&cell.0)
    }

    fn look_at(&mut self, program: &Program, op: &Op) {
        match op {
            Op::Assign(pairs) => {
                for (place, value) in pairs {
                    self.set(program, place.var(), value);
                }
            }
            Op::Spawn { thread, arguments, handle } => {
                for (parameter, argument) in program.threads()[*thread].parameters.iter().zip(arguments) {
                    self.set(program, *parameter, argument);
                }
                if let Some(place) = handle {
                    self.handle(program, *thread, place);
                }
            }
            Op::Havoc(place, _) => _ = self.left_out.insert(place.var()),
            Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => {}
        }
    }

    fn set(&mut self, program: &Program, var: VarId, value: &Expr) {
        let is_simple = match value {
            Expr::Int(_) | Expr::Bool(_) | Expr::This => true,
            other => cell(program, other).is_some_and(|cell| self.contains(cell)),
        };
        if !is_simple {
            self.left_out.insert(var);
        }
    }

    /// Threads from templates have handles that are not known.
    fn handle(&mut self, program: &Program, thread: ThreadId, place: &Place) {
        if program.instance_handle(thread).is_none() {
            self.left_out.insert(place.var());
        }
    }
}
