//! Which control points of two programs are the same one of their source.

use super::Made;
use crate::system::{ControlPointId, System};
use rely_base::Id;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_passes::BackMap;
use rely_program::{LocationId, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

type ThreadPoint = (ThreadId, ControlPointId);

/// The control points of the target by what they are in the simplified program.
pub(super) struct Places {
    back: BackMap,
    numbers: FxHashMap<(ThreadId, Option<LocationId>), ControlPointId>,
    /// Those to which something in the simplified program corresponds.
    corresponding: FxHashSet<ThreadPoint>,
    /// The others that stand between these: for each, those from which a thread comes there, and to which it
    /// goes, over others only.
    between: FxHashMap<ThreadPoint, FxHashSet<ControlPointId>>,
}

impl Places {
    pub(super) fn new(system: &System<'_>, target: Made<'_>, simplified: Made<'_>) -> Self {
        let mut numbers = FxHashMap::default();
        for thread in system.thread_ids() {
            for (number, point) in system.thread(thread).points.iter().enumerate() {
                let location = match point {
                    ControlPoint::Unstarted => None,
                    ControlPoint::At(location) => Some(target.back.location(*location)),
                };
                numbers.insert((thread, location), ControlPointId::from_index(number));
            }
        }
        let back = simplified.back.clone();
        let mut places =
            Places { back, numbers, corresponding: FxHashSet::default(), between: FxHashMap::default() };
        for thread in simplified.program.threads().ids() {
            let points = ControlPoint::all(simplified.program, thread);
            let found = points.into_iter().filter_map(|point| places.of(thread, point));
            let found: Vec<ThreadPoint> = found.collect();
            places.corresponding.extend(found);
        }
        for thread in system.thread_ids() {
            places.look_between(system, thread);
        }
        places
    }

    /// The control point of the target that one of the simplified program is.
    pub(super) fn of(&self, thread: ThreadId, point: ControlPoint) -> Option<ThreadPoint> {
        let owner = self.back.thread(thread);
        let location = match point {
            ControlPoint::Unstarted => None,
            ControlPoint::At(location) => Some(self.back.location(location)),
        };
        Some((owner, *self.numbers.get(&(owner, location))?))
    }

    /// The control points to which something in the simplified program corresponds.
    pub(super) fn corresponding(&self) -> impl Iterator<Item = ThreadPoint> + '_ {
        self.corresponding.iter().copied()
    }

    /// What is known of the places of others, as far as these are instances in the target.
    pub(super) fn others(
        &self,
        system: &System<'_>,
        others: &[(ThreadId, Vec<ControlPoint>)],
    ) -> Vec<(ThreadId, Vec<ControlPointId>)> {
        let mut known = Vec::new();
        for (thread, points) in others {
            let owner = self.back.thread(*thread);
            if system.thread(owner).is_template {
                continue;
            }
            let named: FxHashSet<ControlPointId> =
                points.iter().filter_map(|point| Some(self.of(*thread, *point)?.1)).collect();
            let is_possible = |number: &ControlPointId| {
                named.contains(number)
                    || !self.corresponding.contains(&(owner, *number))
                        && self.between.get(&(owner, *number)).is_none_or(|ends| !ends.is_disjoint(&named))
            };
            let all = (0..system.thread(owner).points.len()).map(ControlPointId::from_index);
            known.push((owner, all.filter(is_possible).collect()));
        }
        known
    }

    fn look_between(&mut self, system: &System<'_>, thread: ThreadId) {
        let view = system.thread(thread);
        let moves = || view.moves.iter().flatten().map(|by| system.get(*by));
        for number in (0..view.points.len()).map(ControlPointId::from_index) {
            if self.corresponding.contains(&(thread, number)) {
                continue;
            }
            let mut ends: FxHashSet<ControlPointId> = FxHashSet::default();
            for forward in [true, false] {
                let mut seen: FxHashSet<ControlPointId> = FxHashSet::default();
                let mut pending = vec![number];
                while let Some(at) = pending.pop() {
                    let next = moves().filter_map(|by| match forward {
                        true => (by.source == at).then_some(by.target),
                        false => (by.target == at).then_some(by.source),
                    });
                    for next in next.collect::<Vec<_>>() {
                        if self.corresponding.contains(&(thread, next)) {
                            ends.insert(next);
                        } else if seen.insert(next) {
                            pending.push(next);
                        }
                    }
                }
            }
            self.between.insert((thread, number), ends);
        }
    }
}
