//! Fair cycles (weak fairness): each thread moves in them, or cannot move in some state of them.
//!
//! If some thread can always move in a strongly connected component and never does inside of it, no cycle in the
//! component is fair. Otherwise a tour is, that makes a step of each thread which has one and visits for each other
//! thread a state in which it rests. States inside of atomic blocks do not count for this; but a cycle that never
//! leaves its block is fair, since nobody else gets a turn.

use super::cycles::{Components, Graph, Link};
use rely_program::SlotId;

/// What is known of single states.
pub(super) trait Resting {
    /// Why the question has no answer.
    type Stop;

    /// Whether somebody is inside of an atomic block.
    fn is_inside_block(&mut self, state: usize) -> bool;

    /// The threads of a state.
    fn slots(&mut self, state: usize) -> Vec<SlotId>;

    /// Whether a thread certainly cannot move in a state.
    fn rests(&mut self, state: usize, slot: SlotId) -> Result<bool, Self::Stop>;
}

/// The first state of a fair cycle, and the steps that lead back to it.
pub(super) fn fair_cycle<R: Resting>(
    graph: &Graph,
    states: usize,
    resting: &mut R,
) -> Result<Option<(usize, Vec<Link>)>, R::Stop> {
    let inside: Vec<bool> = (0..states).map(|state| resting.is_inside_block(state)).collect();
    let blocks = graph.components(states, |state| inside[state]);
    if let Some(members) = blocks.cyclic().first() {
        return Ok(Some((members[0], blocks.cycle_through(members[0]))));
    }
    let components = graph.components(states, |_| true);
    for members in components.cyclic() {
        let first = members[0];
        let Some(stops) = stops(&components, &members, &inside, resting)? else { continue };
        return Ok(Some((first, tour(&components, first, &stops))));
    }
    Ok(None)
}

/// Where a fair tour passes.
#[derive(Clone, Copy)]
enum Stop {
    /// A step of this thread.
    Step(SlotId),
    /// This state.
    At(usize),
}

/// What a fair tour through a component needs; `None` if there is none.
fn stops<R: Resting>(
    components: &Components,
    members: &[usize],
    inside: &[bool],
    resting: &mut R,
) -> Result<Option<Vec<Stop>>, R::Stop> {
    let mut stops = Vec::new();
    for slot in resting.slots(members[0]) {
        let moves = |&state: &usize| components.inside(state).any(|(_, by)| by == slot);
        if members.iter().any(moves) {
            stops.push(Stop::Step(slot));
            continue;
        }
        let mut rest = None;
        for &state in members.iter().filter(|&&state| !inside[state]) {
            if resting.rests(state, slot)? {
                rest = Some(Stop::At(state));
                break;
            }
        }
        match rest {
            Some(stop) => stops.push(stop),
            None => return Ok(None),
        }
    }
    Ok(Some(stops))
}

/// A way around from a state, through all stops.
fn tour(components: &Components, first: usize, stops: &[Stop]) -> Vec<Link> {
    let mut tour: Vec<Link> = Vec::new();
    for &stop in stops {
        let here = tour.last().map_or(first, |&(state, _)| state);
        let was_there = |state: usize| state == first || tour.iter().any(|&(visited, _)| visited == state);
        let more = match stop {
            Stop::Step(slot) if tour.iter().any(|&(_, by)| by == Some(slot)) => Vec::new(),
            Stop::Step(slot) => components.way(here, |_, (_, by)| by == slot),
            Stop::At(state) if was_there(state) => Vec::new(),
            Stop::At(state) => components.way(here, |_, (to, _)| to == state),
        };
        tour.extend(more);
    }
    let here = tour.last().map_or(first, |&(state, _)| state);
    if tour.is_empty() || here != first {
        tour.extend(components.way(here, |_, (to, _)| to == first));
    }
    tour
}
