//! Partial-order reduction: which threads have to be looked at in a state.
//!
//! Where the next steps of some threads commute with everything that the other threads may do
//! before one of these moves, it is enough to look at those threads: a *persistent set*
//! (Godefroid, *Partial-Order Methods for the Verification of Concurrent Systems*, chapter 4).
//! It is found as the closure of one thread under "may interfere with the next step of", with
//! interference read off the program: what the next complete step from each location reads and
//! writes, and what all steps from each location on may ever read and write.
//!
//! To preserve more than deadlocks, a set is only used if
//!
//! * no step of it can change a property that must always hold, and none ends the program;
//! * one of its steps leads to a state that is still to be expanded, so that no thread is put
//!   off forever (Bošnački and Holzmann's condition for breadth-first search). This the search
//!   has to check: it expands the sets that are offered until one satisfies it, and otherwise
//!   all threads.
//!
//! Then the reduced graph has the same failing checks, the same properties violated in some
//! state, the same deadlocks and the same final states; the argument is given with the checker
//! of the certificates, in `rely-evidence`.
//!
//! Departures from the book: no sleep sets. In a search that stores all states they save steps,
//! not states, and cost a set per state. Instead, threads that wait for the end of another one
//! are recognised, because the thread that starts, joins and then inspects all others would
//! otherwise make everything depend on everything.

use super::effects::{Effects, LocationEffects};
use rely_base::{Arena, Id};
use rely_program::{Expr, Goal, LocationId, Op, Program, Semantics, SlotId, SlotStatus, State, ThreadKind};

/// A set of slots. Programs with more threads than bits are explored without reduction.
pub(super) type SlotSet = u64;

#[derive(Debug)]
pub(super) struct PartialOrder<'p> {
    effects: Arena<LocationId, LocationEffects>,
    /// For a location: the locations from which a thread may ever interfere with the next step
    /// from there, as bits. Made when first asked for.
    interferers: Arena<LocationId, Option<Box<[u64]>>>,
    /// The same for a next step that joins a thread that has ended.
    interferers_after_join: Arena<LocationId, Option<Box<[u64]>>>,
    /// The handle for which a thread at the location does nothing but wait.
    joins: Arena<LocationId, Option<&'p Expr>>,
    /// What is known of each slot in the current state.
    slots: Vec<SlotView>,
}

#[derive(Clone, Copy, Debug)]
struct SlotView {
    /// `None` if the thread is not running.
    location: Option<LocationId>,
    join: Join,
}

/// What is certain about a thread that may be about to join another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    /// Nothing.
    Uncertain,
    /// It does nothing before this running thread ends.
    WaitsFor(SlotId),
    /// The thread that it joins has ended, and nobody can change that.
    Ended,
}

impl<'p> PartialOrder<'p> {
    pub(super) fn new(program: &'p Program, goal: Goal) -> Self {
        Self {
            effects: Effects::of_locations(program, goal),
            interferers: program.locations().ids().map(|_| None).collect(),
            interferers_after_join: program.locations().ids().map(|_| None).collect(),
            joins: program.locations().ids().map(|location| stable_join(program, location)).collect(),
            slots: Vec::new(),
        }
    }

    /// Sets of threads of which it is enough to expand one, the smallest first, provided that a
    /// step of it leads to a state that is still to be expanded.
    pub(super) fn candidates(
        &mut self,
        semantics: &Semantics<'p>,
        state: &State,
        candidates: &mut Vec<SlotSet>,
    ) {
        candidates.clear();
        if state.slots().len() > SlotSet::BITS as usize {
            return;
        }
        let running = self.look_at(semantics, state);
        for slot in (0..self.slots.len()).filter(|&slot| running & bit(slot) != 0) {
            if let Some(cluster) = self.cluster(slot)
                && cluster != running
                && !candidates.contains(&cluster)
            {
                candidates.push(cluster);
            }
        }
        candidates.sort_by_key(|cluster| cluster.count_ones());
    }

    /// Looks at each slot once, and returns which ones hold a running thread.
    fn look_at(&mut self, semantics: &Semantics<'p>, state: &State) -> SlotSet {
        let mut running = 0;
        self.slots.clear();
        for slot in state.slots() {
            let is_running = semantics.status(state, slot) == SlotStatus::Running;
            let location = state.location(slot).filter(|_| is_running);
            let handle = location.and_then(|location| self.joins[location]);
            let join = handle.map_or(Join::Uncertain, |handle| join_of(semantics, state, slot, handle));
            self.slots.push(SlotView { location, join });
            running |= if is_running { bit(slot.index()) } else { 0 };
        }
        running
    }

    /// The smallest set with `first` that nobody outside of it can interfere with, if its steps
    /// are ones that may be preferred to others.
    fn cluster(&mut self, first: usize) -> Option<SlotSet> {
        let mut cluster = bit(first);
        let mut pending = cluster;
        while pending != 0 {
            let member = pending.trailing_zeros() as usize;
            pending &= pending - 1;
            let SlotView { location, join } = self.slots[member];
            let added = match join {
                Join::WaitsFor(awaited) => bit(awaited.index()) & !cluster,
                Join::Uncertain | Join::Ended => {
                    let interfering = self.interfering(location?, join)? & !cluster;
                    interfering & !self.waiting_for(cluster)
                }
            };
            pending |= added;
            cluster |= added;
        }
        Some(cluster)
    }

    /// The slots that may ever interfere with the next step from a location; `None` if that
    /// step may not be preferred to others at all.
    fn interfering(&mut self, location: LocationId, join: Join) -> Option<SlotSet> {
        let effects = &self.effects[location];
        let (next, rows) = match join {
            Join::Ended => (&effects.after_join, &mut self.interferers_after_join),
            Join::Uncertain | Join::WaitsFor(_) => (&effects.next, &mut self.interferers),
        };
        if !next.may_come_first() {
            return None;
        }
        let row = rows[location].get_or_insert_with(|| interferers(&self.effects, next));
        let mut slots = 0;
        for (index, slot) in self.slots.iter().enumerate() {
            if let Some(other) = slot.location
                && row[other.index() / 64] >> (other.index() % 64) & 1 == 1
            {
                slots |= bit(index);
            }
        }
        Some(slots)
    }

    /// The slots that do nothing before a thread of the set ends.
    fn waiting_for(&self, set: SlotSet) -> SlotSet {
        let waits = |slot: &SlotView| match slot.join {
            Join::WaitsFor(awaited) => set & bit(awaited.index()) != 0,
            Join::Uncertain | Join::Ended => false,
        };
        let waiting = self.slots.iter().enumerate().filter(|(_, slot)| waits(slot));
        waiting.fold(0, |slots, (index, _)| slots | bit(index))
    }
}

fn bit(slot: usize) -> SlotSet {
    1 << slot
}

/// The locations from which a thread may ever interfere with a step.
fn interferers(effects: &Arena<LocationId, LocationEffects>, step: &Effects) -> Box<[u64]> {
    let mut row = vec![0; effects.len().div_ceil(64)];
    for (other, others) in effects.iter() {
        if step.conflicts_with(&others.future) {
            row[other.index() / 64] |= 1 << (other.index() % 64);
        }
    }
    row.into()
}

fn join_of(semantics: &Semantics<'_>, state: &State, slot: SlotId, handle: &Expr) -> Join {
    let Ok(handle) = semantics.evaluate_for(state, slot, handle) else { return Join::Uncertain };
    let Some(joined) = state.slots().find(|other| other.handle() == handle) else { return Join::Uncertain };
    match semantics.status(state, joined) {
        SlotStatus::Running => Join::WaitsFor(joined),
        SlotStatus::Ended => Join::Ended,
        SlotStatus::NotStarted => Join::Uncertain,
    }
}

/// The handle that a thread at this location waits for, if all it can do is to join, and if no
/// other thread can change the handle meanwhile.
fn stable_join(program: &Program, location: LocationId) -> Option<&Expr> {
    let [edge] = program.outgoing(location) else { return None };
    let Some(Op::Join(handle)) = program.edges()[*edge].ops.first() else { return None };
    let thread = program.locations()[location].thread;
    let mut stable = true;
    handle.for_each_var(|var| {
        if program.vars()[var].is_global() {
            let others = program.edges().values().filter(|edge| {
                let owner = program.locations()[edge.source].thread;
                owner != thread || program.threads()[owner].kind == ThreadKind::Template
            });
            stable &= others.flat_map(|edge| &edge.ops).all(|op| !super::effects::writes(op, var));
        }
    });
    stable.then_some(handle)
}
