//! The values of variables in a state of the program.

use rely_logic::{Integer, VarId};
use rely_program::{Program, Scope, Semantics, SlotId, State, ThreadId, ThreadKind, VarId as ProgramVar};
use rely_symbolic::System;
use rustc_hash::FxHashMap;

/// The values of the globals and of the locals of instances.
pub(super) fn shared(
    system: &System<'_>,
    semantics: &Semantics<'_>,
    state: &State,
) -> FxHashMap<VarId, Integer> {
    let program = system.program;
    let mut values: FxHashMap<VarId, Integer> = FxHashMap::default();
    for (var, _) in program.vars().iter().filter(|(_, var)| var.is_global()) {
        for (index, &value) in semantics.global(state, var).iter().enumerate() {
            values.insert(system.cells.cell(var, index), value.into());
        }
    }
    for slot in
        state.slots().filter(|&slot| program.threads()[state.thread(slot)].kind != ThreadKind::Template)
    {
        values.extend(own(system, semantics, state, slot));
    }
    values
}

/// The values of the locals of a thread.
pub(super) fn own(
    system: &System<'_>,
    semantics: &Semantics<'_>,
    state: &State,
    slot: SlotId,
) -> FxHashMap<VarId, Integer> {
    let mut own = FxHashMap::default();
    for var in locals(system.program, state.thread(slot)) {
        for (index, &value) in semantics.local(state, slot, var).iter().enumerate() {
            own.insert(system.cells.cell(var, index), Integer::from(value));
        }
    }
    own
}

fn locals(program: &Program, thread: ThreadId) -> impl Iterator<Item = ProgramVar> + '_ {
    let own = move |(_, var): &(ProgramVar, &rely_program::Var)| var.scope == Scope::Local(thread);
    program.vars().iter().filter(own).map(|(var, _)| var)
}
