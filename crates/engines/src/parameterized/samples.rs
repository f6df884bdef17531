//! States that are reached, as states of the counter machine.
//!
//! What holds of all reachable states holds of these. So a clause that one of them violates is no invariant, and need
//! not be tried.

use super::machine::Machine;
use super::predicates::{Cube, Literal, Predicates};
use rely_base::Id;
use rely_logic::{Integer, VarId};
use rely_program::{Program, Scope, Semantics, SlotId, State, ThreadId, ThreadKind, VarId as ProgramVar};
use rely_symbolic::{ControlPointId, System};
use rustc_hash::{FxHashMap, FxHashSet};

/// The truth of all predicates in a state, as bits.
type Bits = Vec<u64>;

/// What was seen of the predicates.
#[derive(Debug, Default)]
pub(super) struct Samples {
    seen: Vec<Bits>,
}

impl Samples {
    pub(super) fn new(machine: &Machine<'_, '_>, predicates: &Predicates, states: &[State]) -> Self {
        let semantics = Semantics::new(machine.system.program);
        let mut seen: FxHashSet<Bits> = FxHashSet::default();
        for state in states {
            let values = values(machine, &semantics, state);
            let cube =
                predicates.valuation(|variable| values.get(&variable).cloned().unwrap_or(Integer::ZERO));
            let mut bits = vec![0; predicates.len().div_ceil(64)];
            for literal in cube.iter().filter(|literal| literal.positive) {
                let index = literal.predicate.index();
                bits[index / 64] |= 1 << (index % 64);
            }
            seen.insert(bits);
        }
        Self { seen: seen.into_iter().collect() }
    }

    /// Whether a conjunction holds in one of the states.
    pub(super) fn contain(&self, cube: &Cube) -> bool {
        let holds = |bits: &Bits, literal: &Literal| {
            let index = literal.predicate.index();
            (bits[index / 64] >> (index % 64) & 1 == 1) == literal.positive
        };
        self.seen.iter().any(|bits| cube.iter().all(|literal| holds(bits, literal)))
    }
}

/// The values of the variables of the machine in a state that are not zero.
fn values(machine: &Machine<'_, '_>, semantics: &Semantics<'_>, state: &State) -> FxHashMap<VarId, Integer> {
    let mut values = shared(machine.system, semantics, state);
    for slot in state.slots() {
        count(machine, semantics, state, slot, &mut values);
    }
    values
}

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

/// Counts a thread where it stands, and in the classes to which it belongs.
fn count(
    machine: &Machine<'_, '_>,
    semantics: &Semantics<'_>,
    state: &State,
    slot: SlotId,
    values: &mut FxHashMap<VarId, Integer>,
) {
    let thread = state.thread(slot);
    let counter = match state.location(slot) {
        Some(location) => machine.at(location),
        None => machine
            .counter(thread, machine.system.thread(thread).start.unwrap_or(ControlPointId::from_index(0))),
    };
    let add = |values: &mut FxHashMap<VarId, Integer>, counter| {
        let number = values.entry(counter).or_insert(Integer::ZERO);
        *number = &*number + &Integer::ONE;
    };
    add(values, counter);
    for (class, counter) in &machine.classes {
        if state.location(slot) != Some(class.location) {
            continue;
        }
        let own = own(machine.system, semantics, state, slot);
        let value = |variable| own.get(&variable).or(values.get(&variable)).cloned().unwrap_or(Integer::ZERO);
        if class.condition.holds(value) {
            add(values, *counter);
        }
    }
}
