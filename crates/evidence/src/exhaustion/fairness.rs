//! Whether all cycles of a finite graph of states are unfair.
//!
//! A run without end stays in one strongly connected component at last. Weak fairness asks of each thread that it
//! moves again and again, or that it again and again cannot move. If every thread has a step inside of the component,
//! or a state in it in which it cannot move, a tour through all of these is a fair run. If not, some thread can move
//! in all states of the component but never does inside of it, and no run that stays there is fair.
//!
//! While somebody is inside of an atomic block, nobody asks the others whether they could move: what counts are
//! complete steps. A cycle inside of a block is fair, for nobody else gets a turn.

use super::cycles::{Graph, GraphStep};
use super::inspection::Inspector;
use crate::data::{Obstacle, ProofDefect};
use rely_program::{Semantics, State};

/// States by their number.
pub(super) type States<'s> = dyn Fn(usize, &mut State) -> Result<(), Obstacle> + 's;

/// Whether some fair run goes on for ever.
pub(super) fn has_fair_cycle(
    semantics: &Semantics<'_>,
    inspector: &mut Inspector<'_, '_>,
    graph: &Graph,
    (count, states): (usize, &States<'_>),
) -> Result<bool, Obstacle> {
    let mut state = State::default();
    let mut inside_block = vec![false; count];
    for (number, is_inside) in inside_block.iter_mut().enumerate() {
        states(number, &mut state)?;
        *is_inside = semantics.atomic_slot(&state).is_some();
    }
    if !graph.cyclic_components(count, |state| inside_block[state]).is_empty() {
        return Ok(true);
    }
    for component in graph.cyclic_components(count, |_| true) {
        if is_fair(inspector, &component, &inside_block, states)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether every thread moves in a component or cannot move in some state of it.
fn is_fair(
    inspector: &mut Inspector<'_, '_>,
    component: &[GraphStep],
    inside_block: &[bool],
    states: &States<'_>,
) -> Result<bool, Obstacle> {
    let mut state = State::default();
    let first = component.first().ok_or(ProofDefect::Inexact)?.from;
    states(first, &mut state)?;
    // Nobody is started inside of a cycle: that would not lead back.
    let mut waiting: Vec<_> =
        state.slots().filter(|&slot| !component.iter().any(|step| step.slot == slot)).collect();
    let mut last = None;
    for number in component.iter().map(|step| step.from) {
        if waiting.is_empty() {
            break;
        }
        if inside_block[number] || last == Some(number) {
            continue;
        }
        last = Some(number);
        states(number, &mut state)?;
        let mut left_out = Vec::new();
        for slot in waiting {
            if inspector.can_move(&state, slot)? {
                left_out.push(slot);
            }
        }
        waiting = left_out;
    }
    Ok(waiting.is_empty())
}
