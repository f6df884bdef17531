//! Where a thread stands as long as it is alone.
//!
//! If one thread runs at first and starts all others, it is alone until it has started one of them. What it does
//! meanwhile nobody disturbs, and passes carry it out in advance. For a proof, all others know that it is not there
//! any more.

use super::Assertions;
use crate::system::{ControlPointId, System, ThreadView};
use rely_base::Id;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_program::ThreadId;
use rustc_hash::FxHashSet;

/// Adds to what every other thread knows that the first one is not alone any more.
pub(super) fn add(system: &System<'_>, at: &mut Assertions) {
    let mut running = system.thread_ids().filter(|thread| is_running(system.thread(*thread)));
    let (Some(first), None) = (running.next(), running.next()) else { return };
    let later = not_alone(system, first);
    if later.len() == system.thread(first).points.len() {
        return;
    }
    for thread in system.thread_ids().filter(|thread| *thread != first) {
        for (point, cases) in system.thread(thread).points.iter().zip(&mut at[thread.index()]) {
            if *point == ControlPoint::Unstarted {
                continue;
            }
            for known in cases.iter_mut().flatten() {
                match known.others.iter_mut().find(|(other, _)| *other == first) {
                    Some((_, points)) => points.retain(|point| later.contains(point)),
                    None => {
                        let mut points: Vec<ControlPointId> = later.iter().copied().collect();
                        points.sort_unstable();
                        known.others.push((first, points));
                    }
                }
            }
        }
    }
}

fn is_running(thread: &ThreadView) -> bool {
    thread.start == Some(thread.entry)
}

/// Where a thread can be when it has started another one.
fn not_alone(system: &System<'_>, first: ThreadId) -> FxHashSet<ControlPointId> {
    let moves = || system.thread(first).moves.iter().flatten().map(|by| system.get(*by));
    let starts = moves().filter(|by| !by.branch.started.is_empty() || !by.branch.spawned.is_empty());
    let mut pending: Vec<ControlPointId> = starts.map(|by| by.target).collect();
    let mut later: FxHashSet<ControlPointId> = FxHashSet::default();
    while let Some(point) = pending.pop() {
        if later.insert(point) {
            pending.extend(moves().filter(|by| by.source == point).map(|by| by.target));
        }
    }
    later
}
