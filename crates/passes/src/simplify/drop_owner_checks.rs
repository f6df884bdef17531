//! Leaves out checks that a thread holds a lock, where it certainly does.
//!
//! Whoever gives back a mutex must be its owner: `check lock == this`. If the variable is used as a
//! lock throughout (see [`Locks`]), and whoever takes it writes its own handle there, then it holds
//! this handle for as long as the thread holds the lock: nobody else writes to it meanwhile. So the
//! check succeeds wherever the thread holds the lock on every way, and is left out.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_program::analysis::{IdSet, Locks};
use rely_program::{BinaryOp, Expr, Op, Place, Program, VarId};

/// The program without checks that a thread holds the locks that it holds.
#[derive(Clone, Copy, Debug)]
pub struct DropOwnerChecks;

impl Pass for DropOwnerChecks {
    fn name(&self) -> &'static str {
        "drop_owner_checks"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let locks = Locks::new(program);
        let nameless = written_otherwise(program);
        let mut draft = Draft::new(program);
        for (id, edge) in program.edges().iter() {
            let held = locks.held_at(edge.source);
            let mut written = IdSet::new();
            for (index, op) in edge.ops.iter().enumerate() {
                match op {
                    Op::Check(condition, check) => {
                        let owned = owned_if(condition).filter(|&lock| {
                            held.contains(lock) && !nameless.contains(lock) && !written.contains(lock)
                        });
                        if owned.is_some() {
                            draft.program.edges_mut()[id].ops[index] = Op::Check(Expr::Bool(true), *check);
                        }
                    }
                    Op::Assign(assignments) => {
                        written.extend(assignments.iter().map(|(place, _)| place.var()));
                    }
                    Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => {
                        written.insert(place.var());
                    }
                    Op::Assume(..) | Op::Spawn { handle: None, .. } | Op::Join(_) | Op::Halt => {}
                }
            }
        }
        draft.finish()
    }
}

/// The variable of which a condition says that it holds the thread's own handle.
fn owned_if(condition: &Expr) -> Option<VarId> {
    let Expr::Binary(BinaryOp::Eq, sides) = condition else { return None };
    match &**sides {
        [Expr::Var(var), Expr::This] | [Expr::This, Expr::Var(var)] => Some(*var),
        _ => None,
    }
}

/// The variables that get other values than zero and the handle of whoever writes them.
fn written_otherwise(program: &Program) -> IdSet<VarId> {
    let mut others = IdSet::new();
    for op in program.edges().values().flat_map(|edge| &edge.ops) {
        match op {
            Op::Assign(assignments) => {
                let is_other = |(place, value): &&(Place, Expr)| {
                    !matches!((place, value), (Place::Scalar(_), Expr::Int(0) | Expr::This))
                };
                assignments.iter().filter(is_other).for_each(|(place, _)| {
                    others.insert(place.var());
                });
            }
            Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => {
                others.insert(place.var());
            }
            Op::Assume(..) | Op::Check(..) | Op::Spawn { handle: None, .. } | Op::Join(_) | Op::Halt => {}
        }
    }
    others
}
