//! Why two accesses race: which locks do not keep them apart, and what does not put them into an order.

use super::cause::join;
use super::deadlock::takes;
use super::record::{Cell, Record};
use super::{Sentence, plain};
use crate::race::{RaceReport, RacingAccess};
use rely_program::race::Racer;
use rely_program::{Op, SlotId, SlotStatus};

/// Says what each thread holds, and how both came to run at once.
pub(super) fn sentences(record: &Record<'_>, racers: [Racer; 2]) -> Vec<Sentence> {
    let Some(race) = RaceReport::new(racers, record.program, record.sources, record.last_state()) else {
        return Vec::new();
    };
    let [first, second] = race.accesses.as_slice() else { return Vec::new() };
    let reading = racers.map(|racer| held_for_reading(record, racer.slot));
    let shared = reading[0].iter().find(|cell| reading[1].contains(cell));
    let shared = shared.map(|&cell| {
        format!(
            "Both hold `{}` for reading only, which does not keep them apart: who writes must hold it for writing.",
            record.name(cell)
        )
    });
    let texts = [
        Some(shared.unwrap_or_else(|| locks(first, second))),
        atomicity(first, second),
        creation(record, racers),
    ];
    texts.into_iter().flatten().map(plain).collect()
}

/// The cells that a thread has waited for and made one larger at once, and not smaller since: so does who takes a lock
/// together with others.
fn held_for_reading(record: &Record<'_>, slot: SlotId) -> Vec<Cell> {
    let mut held = Vec::new();
    for step in (0..record.events.len()).filter(|&step| record.slot(step) == slot) {
        for write in &record.events[step].writes {
            match takes(record, step, write.cell) {
                true if write.new == write.old + 1 && record.is_named(write.cell) => held.push(write.cell),
                _ if write.new < write.old => held.retain(|cell| *cell != write.cell),
                _ => {}
            }
        }
    }
    held
}

/// Which locks are held, and which of them would have helped.
fn locks(first: &RacingAccess, second: &RacingAccess) -> String {
    let held = |access: &RacingAccess| {
        let names: Vec<String> = access.locks.iter().map(|lock| format!("`{lock}`")).collect();
        join(&names)
    };
    match (first.locks.is_empty(), second.locks.is_empty()) {
        (true, true) => format!("Neither {} nor {} holds a mutex.", first.thread, second.thread),
        (false, false) => format!(
            "{} holds {} and {} holds {}, which does not keep them apart: both must hold the same one.",
            first.thread,
            held(first),
            second.thread,
            held(second)
        ),
        (is_first_free, _) => {
            let (holder, other) = if is_first_free { (second, first) } else { (first, second) };
            format!(
                "{} holds {} and {} does not: the access of {} would have to be protected by it, too.",
                holder.thread,
                held(holder),
                other.thread,
                other.thread
            )
        }
    }
}

/// That one of them is atomic does not help.
fn atomicity(first: &RacingAccess, second: &RacingAccess) -> Option<String> {
    let (atomic, plain) = match (first.atomic, second.atomic) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        _ => return None,
    };
    Some(format!("The access of {} is atomic, but that of {} is not.", atomic.thread, plain.thread))
}

/// Who has started a racing thread, and that nobody has waited for its end.
fn creation(record: &Record<'_>, racers: [Racer; 2]) -> Option<String> {
    let told = racers.iter().filter_map(|racer| {
        let (step, creator) = creator(record, racer.slot)?;
        Some((
            racer.slot,
            format!("{} was created by {creator}{}", record.thread(racer.slot), record.at(step)),
        ))
    });
    let told: Vec<(SlotId, String)> = told.collect();
    let texts: Vec<String> = told.iter().map(|(_, text)| text.clone()).collect();
    match told.as_slice() {
        [] => None,
        [_] => Some(format!("{}, and nobody has waited for its end.", join(&texts))),
        _ => Some(format!("{}, and neither waits for the other.", join(&texts))),
    }
}

/// The step in which a thread was created, and by whom.
fn creator(record: &Record<'_>, slot: SlotId) -> Option<(usize, String)> {
    let states = record.replay.states();
    let runs = |step: usize| {
        let state = &states[step];
        state.slots().any(|known| known == slot)
            && record.semantics.status(state, slot) != SlotStatus::NotStarted
    };
    let step = (0..states.len() - 1).find(|&step| !runs(step) && runs(step + 1))?;
    let ops = &record.program.edges()[record.edge(step)].ops;
    let creates = ops.iter().any(|op| matches!(op, Op::Spawn { .. }));
    creates.then(|| (step, record.thread(record.slot(step))))
}
