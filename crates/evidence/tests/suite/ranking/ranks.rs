//! Rankings as text, for tests: the lines of rely-guarantee proofs, and
//!
//! ```text
//! rank T @head: 1, x + 1
//! rank T @body: flag = 1 & x > 0 -> 0, x | 0, y
//! ```
//!
//! The components stand between commas, and cases between bars.

use crate::notation::{add, cube, point, proof, thread};
use rely_evidence::ranking::{RankCase, Ranking, Sum, ThreadRanks};
use rely_evidence::rely_guarantee::{Atom, Comparison};
use rely_program::{Program, ThreadId};

/// Reads a ranking; a mistake in it is a mistake of the test.
pub fn ranking(program: &Program, text: &str) -> Ranking {
    let (ranks, assertions): (Vec<&str>, Vec<&str>) =
        text.lines().map(str::trim).partition(|line| line.starts_with("rank "));
    let mut ranking = Ranking { proof: proof(program, &assertions.join("\n")), ..Ranking::default() };
    for line in ranks {
        let (head, body) = line["rank ".len()..].split_once(':').expect("a colon");
        let (name, place) = head.split_once('@').expect("a place");
        let thread = thread(program, name.trim());
        let point = point(program, thread, place.trim());
        let cases: Vec<RankCase> = body.split('|').map(|text| case(program, thread, text)).collect();
        ranking.components =
            ranking.components.max(cases.iter().map(|case| case.rank.len()).max().unwrap_or(0));
        match ranking.ranks.iter_mut().find(|entry| entry.thread == thread) {
            Some(entry) => entry.at.push((point, cases)),
            None => ranking.ranks.push(ThreadRanks { thread, at: vec![(point, cases)] }),
        }
    }
    ranking
}

fn case(program: &Program, thread: ThreadId, text: &str) -> RankCase {
    let (when, rank) = match text.split_once("->") {
        Some((when, rank)) => (cube(program, thread, when).atoms, rank),
        None => (Vec::new(), text),
    };
    let sum = |text: &str| {
        let mut atom = Atom { terms: Vec::new(), constant: 0, comparison: Comparison::Le };
        add(program, thread, text, 1, &mut atom);
        Sum { terms: atom.terms, constant: atom.constant }
    };
    RankCase { when, rank: rank.split(',').map(sum).collect() }
}
