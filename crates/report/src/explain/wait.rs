//! Waits for a condition variable that have returned, though what was waited for may not be there.
//!
//! Under POSIX a wait may return at any time, with or without a signal. Who does not look again at what it has waited
//! for goes on regardless.

use super::record::Record;
use super::{Fact, Sentence};
use crate::interleaving::statement;
use rely_program::{SlotId, Violation};

/// How calls that wait are called.
const WAITS: [&str; 4] = ["cond_wait", "cond_timedwait", "cnd_wait", "cnd_timedwait"];

/// Says of the thread that violates a condition that its last wait has returned, and that it has tested nothing since.
pub(super) fn returned(record: &Record<'_>, violation: Violation) -> Option<Sentence> {
    let Violation::Check(_) = violation else { return None };
    let last = record.events.len().checked_sub(1)?;
    let slot = record.slot(last);
    let is_wait = |step: usize| {
        let (_, text) = statement(record.program, record.sources, record.edge(step));
        record.slot(step) == slot && WAITS.iter().any(|wait| text.contains(wait))
    };
    // Waiting gives the mutex back and takes it again: two steps at least.
    let returns = (0..last).rfind(|&step| is_wait(step))?;
    let begins =
        (0..returns).rfind(|&step| record.slot(step) == slot && !is_wait(step)).map_or(0, |step| step + 1);
    let begins = (begins..returns).find(|&step| is_wait(step))?;
    if tests_between(record, slot, returns + 1, last) {
        return None;
    }
    let thread = record.thread(slot);
    let moved = (begins..returns).any(|step| record.slot(step) != slot);
    let how = match moved {
        true => "returns, as it may at any time, with or without a signal",
        false => "returns without a signal, as it may: no other thread has moved meanwhile",
    };
    let text = format!(
        "The wait of {thread}{} {how}. {thread} does not look again whether it has come what it waited for: that takes a loop.",
        record.at_line(returns)
    );
    // That it goes on is what the step shows, which takes the mutex again.
    let facts = if record.events[returns].tests { vec![Fact::Test { step: returns }] } else { Vec::new() };
    Some(Sentence { text, facts })
}

/// Whether a thread passes a condition on shared variables between two steps.
fn tests_between(record: &Record<'_>, slot: SlotId, from: usize, to: usize) -> bool {
    let steps = (from..to).filter(|&step| record.slot(step) == slot);
    let mut tested = steps.flat_map(|step| &record.events[step].tested);
    tested.any(|(_, cell)| record.is_named(*cell))
}
