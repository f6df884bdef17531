//! Which variables operations read and write.

use super::IdSet;
use crate::expr::Expr;
use crate::ir::{EdgeId, Op, Place, Program, VarId};

/// The variables that an operation, or all operations of an edge, may read and write.
/// An array is one variable here, whichever cell is meant.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The variables whose value may be looked at.
    pub reads: IdSet<VarId>,
    /// The variables that may be changed.
    pub writes: IdSet<VarId>,
}

impl Access {
    /// What the operations do together.
    pub fn of_ops(ops: &[Op]) -> Self {
        let mut access = Access::default();
        for op in ops {
            access.add_op(op);
        }
        access
    }

    /// What an edge does. The parameters of a spawned thread, which the edge sets too, are
    /// not among the writes: nobody can have read them before.
    pub fn of_edge(program: &Program, edge: EdgeId) -> Self {
        Self::of_ops(&program.edges[edge].ops)
    }

    fn add_op(&mut self, op: &Op) {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) | Op::Join(condition) => {
                self.add_read(condition);
            }
            Op::Assign(assignments) => {
                for (place, value) in assignments {
                    self.add_write(place);
                    self.add_read(value);
                }
            }
            Op::Havoc(place, _) => self.add_write(place),
            Op::Spawn { arguments, handle, .. } => {
                arguments.iter().for_each(|argument| self.add_read(argument));
                handle.iter().for_each(|place| self.add_write(place));
            }
            Op::Halt => {}
        }
    }

    fn add_write(&mut self, place: &Place) {
        self.writes.insert(place.var());
        if let Place::Element(_, index) = place {
            self.add_read(index);
        }
    }

    fn add_read(&mut self, expr: &Expr) {
        expr.for_each_var(|var| {
            self.reads.insert(var);
        });
    }
}
