//! Ranks in words: `(1, n - i)`, by cases `(1, x) if left, else (1, y)`.

use crate::phrase::Phrases;
use rely_evidence::helping::Helping;
use rely_evidence::ranking::{RankCase, Ranking, Sum};
use rely_evidence::rely_guarantee::{ControlPoint, ThreadAssertions};
use rely_program::ThreadId;

/// How far a thread is from its end at a place, if that is known.
pub(crate) fn rank(
    phrases: &Phrases<'_>,
    ranking: &Ranking,
    thread: ThreadId,
    point: ControlPoint,
) -> Option<String> {
    let cases = ranking.at(thread, point);
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

/// Where threads may have to wait, and how far the others are from helping them.
pub(crate) fn helps(helping: &Helping, phrases: &Phrases<'_>) -> String {
    let mut text = String::new();
    let threads = phrases.program.threads();
    for help in &helping.helps {
        let name = |thread: ThreadId| &threads[thread].name;
        text += &format!(
            "\n  {} may wait at {}; until it goes on, these get smaller:\n",
            name(help.thread),
            phrases.place(help.at)
        );
        for entry in &help.ranks {
            for (point, cases) in &entry.at {
                let ranks: Vec<String> = cases.iter().map(|case| tuple(phrases, &case.rank)).collect();
                text += &format!(
                    "    {} at {}: {}\n",
                    name(entry.thread),
                    phrases.place(*point),
                    ranks.join(", else ")
                );
            }
        }
    }
    text
}

/// Whether a rank is worth showing at a place: the place is reached.
pub(crate) fn is_reached(entry: &ThreadAssertions, point: ControlPoint) -> bool {
    entry.at.iter().any(|(place, cubes)| *place == point && !cubes.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::SourceMap;
    use rely_evidence::ranking::ThreadRanks;
    use rely_evidence::rely_guarantee::{Atom, Comparison, Moment, Quantity};
    use rely_passes::Restored;
    use rely_program::{ProgramBuilder, Sort, ThreadKind, Value};

    #[test]
    fn ranks_are_tuples_by_cases() {
        let mut builder = ProgramBuilder::new("ranks");
        let x = builder.global("x", Sort::Int, 0);
        let thread = builder.thread("T", ThreadKind::Instance { running: true });
        let (entry, exit) = (builder.entry(thread), builder.exit(thread));
        builder.edge(entry, exit, Vec::new(), None);
        let program = builder.finish().expect("well formed");
        let sources = SourceMap::new();
        let restored = Restored::unchanged(&program);
        let phrases = Phrases::new(&restored, &sources);
        let cell = Quantity::Cell { var: x, index: 0, moment: Moment::Before };
        let sum = |factor: Value, constant| Sum { terms: vec![(factor, cell)], constant };
        let at_most =
            |bound: Value| Atom { terms: vec![(1, cell)], constant: -bound, comparison: Comparison::Le };
        let case = |when: Vec<Atom>, rank: Vec<Sum>| RankCase { when, rank };
        let check = |cases: Vec<RankCase>, expected: Option<&str>| {
            let components = cases.first().map_or(0, |case| case.rank.len());
            let ranks = vec![ThreadRanks { thread, at: vec![(ControlPoint::At(entry), cases)] }];
            let ranking = Ranking { components, ranks, ..Ranking::default() };
            assert_eq!(rank(&phrases, &ranking, thread, ControlPoint::At(entry)).as_deref(), expected);
            assert_eq!(rank(&phrases, &ranking, thread, ControlPoint::At(exit)), None);
        };
        check(vec![], None);
        check(vec![case(vec![], vec![sum(2, -1)])], Some("2 * x - 1"));
        let constant = Sum { terms: vec![], constant: 1 };
        check(vec![case(vec![], vec![constant, sum(-1, 7)])], Some("(1, -x + 7)"));
        let low = case(vec![at_most(3)], vec![sum(1, 0)]);
        check(vec![low.clone()], Some("x if x <= 3, else 0"));
        let rest = case(vec![], vec![sum(1, 5)]);
        check(vec![low.clone(), rest, low], Some("x if x <= 3, else x + 5"));
    }
}
