//! States that are reached, as states of the counter machine.
//!
//! What holds of all reachable states holds of these. So a clause that one of them violates is no invariant, and need
//! not be tried.

use super::machine::Machine;
use super::predicates::{Cube, Literal, Predicates};
use super::values::{own, shared};
use rely_base::Id;
use rely_logic::{Integer, VarId};
use rely_program::{Semantics, SlotId, State};
use rely_symbolic::ControlPointId;
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
