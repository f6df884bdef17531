//! When two threads race in a state.

use super::conflict::conflict;
use super::{Access, Conflicts};
use crate::ir::{EdgeId, Program};
use crate::semantics::{EvalError, Semantics, SlotId, State};
use crate::types::Value;

/// A thread that is about to make an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Racer {
    /// The thread.
    pub slot: SlotId,
    /// The edge along which it makes the access.
    pub edge: EdgeId,
}

/// Two accesses that are both about to be made to the same cell.
#[derive(Clone, Debug)]
pub struct Race {
    /// Who makes them.
    pub racers: [Racer; 2],
    /// What they are.
    pub accesses: [Access; 2],
    /// Which cell of the variable they are to, if it is an array.
    pub cell: Option<Value>,
}

impl Race {
    /// The race of two threads in a state, along these edges, if they race.
    pub fn of(
        semantics: &Semantics<'_>,
        state: &State,
        racers: [Racer; 2],
    ) -> Result<Option<Race>, EvalError> {
        let program = semantics.program();
        let of = |racer: Racer| {
            let all = super::accesses(program);
            let at = |access: &Access| made_along(program, access, racer.edge);
            all.values().filter(|access| at(access)).cloned().collect::<Vec<_>>()
        };
        let [first, second] = racers.map(of);
        for one in &first {
            for other in &second {
                if let Some(cell) = race(semantics, state, [(racers[0].slot, one), (racers[1].slot, other)])?
                {
                    return Ok(Some(Race { racers, accesses: [one.clone(), other.clone()], cell }));
                }
            }
        }
        Ok(None)
    }

    /// A race in the state, if there is one among the pairs that are wanted.
    pub fn find(
        semantics: &Semantics<'_>,
        state: &State,
        conflicts: &Conflicts,
        mut wanted: impl FnMut(usize) -> bool,
    ) -> Result<Option<Race>, EvalError> {
        for (index, &pair) in conflicts.pairs.iter().enumerate() {
            let [one, other] = conflicts.of(pair);
            if !wanted(index) {
                continue;
            }
            let at = |access: &Access| {
                let location = access.location;
                state.slots().filter(move |&slot| state.location(slot) == Some(location)).collect::<Vec<_>>()
            };
            for first in at(one) {
                for &second in at(other).iter().filter(|&&second| second != first) {
                    if let Some(cell) = race(semantics, state, [(first, one), (second, other)])? {
                        let racers =
                            [Racer { slot: first, edge: one.edge }, Racer { slot: second, edge: other.edge }];
                        return Ok(Some(Race { racers, accesses: [one.clone(), other.clone()], cell }));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Whether the access is made along the edge, or along another one that makes the same.
fn made_along(program: &Program, access: &Access, edge: EdgeId) -> bool {
    access.edge == edge || program.edges().get(edge).is_some_and(|edge| edge.source == access.location)
}

/// The cell, if the threads in two slots are both about to make these accesses, and they race.
fn race(
    semantics: &Semantics<'_>,
    state: &State,
    [(first, one), (second, other)]: [(SlotId, &Access); 2],
) -> Result<Option<Option<Value>>, EvalError> {
    let stands = |slot: SlotId, access: &Access| {
        slot_exists(state, slot) && state.location(slot) == Some(access.location)
    };
    let may_move = semantics.atomic_slot(state).is_none_or(|holder| holder == first || holder == second);
    if first == second
        || state.halted()
        || !may_move
        || !(stands(first, one) && stands(second, other))
        || !(one.is_clear && other.is_clear)
        || !conflict(semantics.program(), one, other)
    {
        return Ok(None);
    }
    for (slot, access) in [(first, one), (second, other)] {
        for condition in &access.guard {
            if semantics.evaluate_for(state, slot, condition)? == 0 {
                return Ok(None);
            }
        }
    }
    let cell = |slot, access: &Access| {
        access.index.as_ref().map(|index| semantics.evaluate_for(state, slot, index)).transpose()
    };
    let (left, right) = (cell(first, one)?, cell(second, other)?);
    Ok((left == right).then_some(left))
}

fn slot_exists(state: &State, slot: SlotId) -> bool {
    state.slots().any(|known| known == slot)
}
