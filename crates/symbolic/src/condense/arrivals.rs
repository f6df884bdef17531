//! Every way in which a thread comes into a case, and what must never happen.

use super::cases::{CaseId, Table};
use crate::system::{ControlPointId, Move, System};
use rely_base::Id;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::ThreadId;

/// A step after which somebody is in a case.
pub(super) struct Arrival {
    /// What is known before: the case of the thread that moves, and that of the one that is looked at.
    pub(super) sources: Vec<CaseId>,
    pub(super) guard: Vec<Constraint>,
    pub(super) updates: Vec<(VarId, LinearForm)>,
    /// The thread that moves, if what it knows speaks of another instance of the same template.
    foreign: Option<ThreadId>,
    /// The case behind the step; the step must be impossible if there is none.
    pub(super) target: Option<CaseId>,
}

impl Arrival {
    /// A comparison of one of the sources, in the words of the thread that is looked at.
    pub(super) fn seen(&self, system: &System<'_>, source: usize, constraint: &Constraint) -> Constraint {
        match self.foreign {
            Some(thread) if source == 0 => constraint.rename(|cell| system.seen_by(thread, thread, cell)),
            _ => constraint.clone(),
        }
    }
}

/// All arrivals: by own steps, by steps of others, and of threads that are started. Steps that go wrong are among them, and lead
/// nowhere.
pub(super) fn arrivals(system: &System<'_>, table: &Table) -> Vec<Arrival> {
    let mut all = Vec::new();
    for actor in system.thread_ids() {
        for source in table.cases(actor) {
            for by in system.thread(actor).moves[source.point.index()].iter().map(|by| system.get(*by)) {
                let key = &table.get(source).key;
                if !is_where_needed(system, table, by, key) {
                    continue;
                }
                let made = Made { system, table, by, source, after: key_after(system, table, by, key) };
                made.own(&mut all);
                if by.leads_on(system) {
                    made.of_started(&mut all);
                    made.of_others(&mut all);
                }
            }
        }
    }
    all
}

/// Whether those that are told apart stand where a step needs them.
fn is_where_needed(system: &System<'_>, table: &Table, by: &Move, key: &[ControlPointId]) -> bool {
    table.told.iter().zip(key).all(|(thread, at)| {
        let needed = by.places.iter().filter(|(other, _)| other == thread);
        needed.into_iter().all(|(_, points)| points.contains(at))
            && (!by.branch.started.contains(thread) || system.thread(*thread).start == Some(*at))
    })
}

fn key_after(system: &System<'_>, table: &Table, by: &Move, key: &[ControlPointId]) -> Vec<ControlPointId> {
    let place = |(thread, at): (&ThreadId, &ControlPointId)| match *thread {
        thread if thread == by.thread => by.target,
        thread if by.branch.started.contains(&thread) => system.thread(thread).entry,
        _ => *at,
    };
    table.told.iter().zip(key).map(place).collect()
}

/// A step from a case.
struct Made<'m, 'p> {
    system: &'m System<'p>,
    table: &'m Table,
    by: &'m Move,
    source: CaseId,
    after: Vec<ControlPointId>,
}

impl Made<'_, '_> {
    fn arrival(&self, sources: Vec<CaseId>, target: Option<CaseId>) -> Arrival {
        let (guard, updates) = (self.by.branch.guard.clone(), self.by.branch.updates.clone());
        Arrival { sources, guard, updates, foreign: None, target }
    }

    fn own(&self, all: &mut Vec<Arrival>) {
        let there = || self.table.find(self.by.thread, self.by.target, &self.after);
        let target = self.by.leads_on(self.system).then(there).flatten();
        all.push(self.arrival(vec![self.source], target));
    }

    fn of_started(&self, all: &mut Vec<Arrival>) {
        for &started in &self.by.branch.started {
            let view = self.system.thread(started);
            let target = self.table.find(started, view.entry, &self.after);
            if let Some(before) = self.waiting(started) {
                all.push(self.arrival(vec![self.source, before], target));
            }
        }
        for (spawned, locals) in &self.by.branch.spawned {
            let target = self.table.find(*spawned, self.system.thread(*spawned).entry, &self.after);
            let mut arrival = self.arrival(vec![self.source], target);
            arrival.updates.extend(locals.iter().cloned());
            arrival.updates.sort_by_key(|(cell, _)| *cell);
            arrival.updates.dedup_by_key(|(cell, _)| *cell);
            all.push(arrival);
        }
    }

    /// What is known of a thread that is not started yet.
    fn waiting(&self, started: ThreadId) -> Option<CaseId> {
        let start = self.system.thread(started).start?;
        self.table.find(started, start, &self.table.get(self.source).key)
    }

    fn of_others(&self, all: &mut Vec<Arrival>) {
        let key = &self.table.get(self.source).key;
        let actor = self.by.thread;
        for observer in self.system.thread_ids() {
            let is_same = observer == actor;
            if is_same && !self.system.thread(actor).is_template || self.by.branch.started.contains(&observer)
            {
                continue;
            }
            let needed = self.by.places.iter().find(|(other, _)| *other == observer);
            for at in self.table.cases(observer).filter(|at| self.table.get(*at).key == *key) {
                if needed.is_some_and(|(_, points)| !points.contains(&at.point)) {
                    continue;
                }
                let target = self.table.find(observer, at.point, &self.after);
                let mut arrival = self.arrival(vec![self.source, at], target);
                if is_same {
                    self.make_foreign(&mut arrival);
                }
                arrival.guard.extend(self.system.handle_facts(observer, actor));
                all.push(arrival);
            }
        }
    }

    /// The thread that moves is another instance of the template that is looked at.
    fn make_foreign(&self, arrival: &mut Arrival) {
        let thread = self.by.thread;
        let seen = |cell| self.system.seen_by(thread, thread, cell);
        arrival.foreign = Some(thread);
        for constraint in &mut arrival.guard {
            *constraint = constraint.rename(seen);
        }
        for (cell, value) in &mut arrival.updates {
            (*cell, *value) = (seen(*cell), value.rename(seen));
        }
        arrival.updates.sort_by_key(|(cell, _)| *cell);
    }
}
