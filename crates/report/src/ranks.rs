//! Ranks in words: `(1, n - i)`, by cases `(1, x) if left, else (1, y)`.

use crate::phrase::Phrases;
use rely_evidence::ranking::{RankCase, Ranking, Sum};
use rely_evidence::rely_guarantee::{Spot, ThreadAssertions};
use rely_program::ThreadId;

/// How far a thread is from its end at a place, if that is known.
pub(crate) fn rank(phrases: &Phrases<'_>, ranking: &Ranking, thread: ThreadId, spot: Spot) -> Option<String> {
    let cases = ranking.at(thread, spot);
    if cases.is_empty() {
        return None;
    }
    let mut texts: Vec<String> = Vec::new();
    for case in cases {
        let tuple = tuple(phrases, &case.rank);
        if case.when.is_empty() {
            // Whatever follows never counts.
            texts.push(tuple);
            return Some(texts.join(", else "));
        }
        texts.push(format!("{tuple} if {}", condition(phrases, case)));
    }
    texts.push(tuple(phrases, &vec![Sum::default(); ranking.components]));
    Some(texts.join(", else "))
}

/// What the ranks do, in one line.
pub(crate) fn summary(ranking: &Ranking) -> &'static str {
    match ranking.components {
        1 => "their sum over all threads gets smaller with every step; below zero is zero",
        _ => {
            "their sums over all threads get smaller with every step, the first ones first; below zero is zero"
        }
    }
}

/// Whether a rank is worth showing at a place: the place is reached.
pub(crate) fn is_reached(entry: &ThreadAssertions, spot: Spot) -> bool {
    entry.at.iter().any(|(place, cubes)| *place == spot && !cubes.is_empty())
}

fn condition(phrases: &Phrases<'_>, case: &RankCase) -> String {
    phrases.comparisons(case.when.iter()).join(" && ")
}

fn tuple(phrases: &Phrases<'_>, sums: &[Sum]) -> String {
    let parts: Vec<String> = sums.iter().map(|sum| phrases.printer().sum(&sum.terms, sum.constant)).collect();
    match parts.as_slice() {
        [single] => single.clone(),
        _ => format!("({})", parts.join(", ")),
    }
}
