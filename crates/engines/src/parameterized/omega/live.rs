//! The locals of templates, and where their values matter: threads that differ only in values that
//! nobody looks at any more are counted together.

use rely_base::Arena;
use rely_program::analysis::Liveness;
use rely_program::{LocationId, Program, Scope, ThreadId, VarId};

/// Where the value of a local of a template matters.
#[derive(Debug)]
pub(super) struct Live {
    liveness: Liveness,
    locals: Arena<ThreadId, Vec<VarId>>,
}

impl Live {
    pub(super) fn new(program: &Program) -> Self {
        let locals = program.threads().ids().map(|thread| {
            let own = |(_, var): &(VarId, &rely_program::Var)| var.scope == Scope::Local(thread);
            program.vars().iter().filter(own).map(|(id, _)| id).collect()
        });
        Self { liveness: Liveness::new(program), locals: locals.collect() }
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
            let matters = self.liveness.is_live(location, var);
            (0..program.vars()[var].cells() as u32).map(move |index| (var, index, matters))
        })
    }
}
