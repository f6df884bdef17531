//! Which locals of templates matter at a location: those that are read before they are written.

use rely_base::Arena;
use rely_program::analysis::IdSet;
use rely_program::{Expr, LocationId, Op, Place, Program, Scope, ThreadId, VarId};

/// Where the value of a local of a template matters.
#[derive(Debug)]
pub(super) struct Live {
    at: Arena<LocationId, IdSet<VarId>>,
    locals: Arena<ThreadId, Vec<VarId>>,
}

impl Live {
    pub(super) fn new(program: &Program) -> Self {
        let locals = program.threads().ids().map(|thread| {
            let own = |(_, var): &(VarId, &rely_program::Var)| var.scope == Scope::Local(thread);
            program.vars().iter().filter(own).map(|(id, _)| id).collect()
        });
        let locals = locals.collect();
        let mut at: Arena<LocationId, IdSet<VarId>> =
            program.locations().ids().map(|_| IdSet::new()).collect();
        let mut grew = true;
        while grew {
            grew = false;
            for edge in program.edges().values().rev() {
                let mut live: IdSet<VarId> = at[edge.target].iter().collect();
                edge.ops.iter().rev().for_each(|op| before(program, op, &mut live));
                for var in live.iter() {
                    grew |= at[edge.source].insert(var);
                }
            }
        }
        Self { at, locals }
    }

    /// The cells of the locals of a thread in their order: the variable, the number in it, and
    /// whether the value matters at the location.
    pub(super) fn cells<'l>(
        &'l self,
        program: &'l Program,
        thread: ThreadId,
        location: LocationId,
    ) -> impl Iterator<Item = (VarId, u32, bool)> + 'l {
        self.locals[thread].iter().flat_map(move |&var| {
            let matters = self.at[location].contains(var);
            (0..program.vars()[var].cells() as u32).map(move |index| (var, index, matters))
        })
    }
}

/// From what matters after an operation to what matters before it.
fn before(program: &Program, op: &Op, live: &mut IdSet<VarId>) {
    let written = |place: &Place, live: &mut IdSet<VarId>| match place {
        Place::Scalar(var) => {
            live.remove(*var);
        }
        Place::Element(..) => {}
    };
    let mut read = Vec::new();
    let mut reads = |expr: &Expr| expr.for_each_var(|var| read.push(var));
    let mut reads_index = |place: &Place| match place {
        Place::Scalar(_) => {}
        Place::Element(array, index) => {
            reads(&Expr::element(*array, index.clone()));
        }
    };
    match op {
        Op::Assume(condition, _) | Op::Check(condition, _) | Op::Join(condition) => reads(condition),
        Op::Assign(assignments) => {
            assignments.iter().for_each(|(place, _)| written(place, live));
            assignments.iter().for_each(|(place, _)| reads_index(place));
            assignments.iter().for_each(|(_, value)| value.for_each_var(|var| read.push(var)));
        }
        Op::Havoc(place, _) => {
            written(place, live);
            reads_index(place);
        }
        Op::Spawn { arguments, handle, .. } => {
            handle.iter().for_each(|place| written(place, live));
            arguments.iter().for_each(reads);
        }
        Op::Halt => {}
    }
    for var in read {
        if !program.vars()[var].is_global() {
            live.insert(var);
        }
    }
}
