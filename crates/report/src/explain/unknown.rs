//! Why there is no verdict: what was tried, where it got stuck, and what comes next.

use super::cause::join;
use super::{Explained, Sentence, plain};
use crate::advice::advice;
use crate::layout::counted;
use rely_base::StopReason;
use rely_evidence::Reason;

/// Says what was tried, where it got stuck, and what the user can do.
pub(super) fn sentences(reason: &Reason, explained: &Explained<'_>) -> Vec<Sentence> {
    let counts = explained.statistics.iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(name, count)| counted(*count, name)).collect();
    let far = if counts.is_empty() { String::new() } else { format!(", which came to {}", join(&counts)) };
    let mut sentences = vec![
        plain(format!("Tried: the engine `{}`{far}.", explained.engine)),
        plain(format!("It got stuck: {reason}.")),
    ];
    sentences.extend(next(reason, explained).map(|next| plain(format!("Next: {next}."))));
    sentences
}

fn next(reason: &Reason, explained: &Explained<'_>) -> Option<String> {
    let other_engine = || {
        match reason {
        Reason::Stopped(StopReason::Cancelled) | Reason::Unchecked(StopReason::Cancelled) => None,
        Reason::NotBegun(_) => None,
        Reason::GaveUp { .. } => Some(
            "try another engine (`rely check --help` lists them), or bound loops, threads and values so that exploration can decide"
                .to_owned(),
        ),
        _ => Some("try another engine; `rely check --help` lists them".to_owned()),
    }
    };
    advice(reason, explained.program, explained.sources).or_else(other_engine)
}
