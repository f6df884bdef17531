//! A rely-guarantee proof or a ranking as data: what holds where, what each thread relies on and guarantees,
//! and how its places follow each other.

use super::Subject;
use super::data::{Outline, PointOutline, ThreadOutline};
use super::interference::interference;
use super::source::SourceTable;
use crate::layout::one_line;
use crate::phrase::Phrases;
use crate::proof::{ProofDetail, Writer};
use crate::ranks;
use crate::recall;
use crate::style::Style;
use rely_evidence::ranking::Ranking;
use rely_evidence::rely_guarantee::{ControlPoint, RelyGuarantee, ThreadAssertions};
use rely_program::{EdgeId, ThreadKind};
use std::collections::HashMap;

/// Of assertions with more cases than this the rest is left out; a reader has long given up.
const MOST_CASES: usize = 60;

/// The proof, which is about the program that the engine saw.
pub(super) fn outline(
    proof: &RelyGuarantee,
    ranking: Option<&Ranking>,
    subject: &Subject<'_>,
    sources: &SourceTable,
) -> Outline {
    let restored = subject.restored();
    let (phrases, proof) = (&Phrases::new(&restored, subject.sources), &recall::proof(proof, &restored));
    let writer = Writer { phrases, style: Style::PLAIN, detail: ProofDetail::Full, proof, ranking };
    let mut effects = Effects::default();
    let threads =
        proof.threads.iter().map(|entry| thread(&writer, entry, subject, sources, &mut effects)).collect();
    let (interference, omitted) = interference(&writer, subject, sources);
    Outline { threads, effects: effects.texts, interference, omitted, ranks: ranking.map(ranks::summary) }
}

/// Texts of effects, each only once: what one thread guarantees the others rely on.
#[derive(Default)]
struct Effects {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Effects {
    fn numbers(&mut self, texts: Vec<String>) -> Vec<usize> {
        let number = |text: String| {
            *self.numbers.entry(text).or_insert_with_key(|text| {
                self.texts.push(text.clone());
                self.texts.len() - 1
            })
        };
        texts.into_iter().map(number).collect()
    }
}

fn thread(
    writer: &Writer<'_>,
    entry: &ThreadAssertions,
    subject: &Subject<'_>,
    sources: &SourceTable,
    effects: &mut Effects,
) -> ThreadOutline {
    let declaration = &subject.prepared.threads()[entry.thread];
    let mut points = ControlPoint::all(subject.prepared, entry.thread);
    // In the order in which one reads a thread, its end comes last.
    points.sort_by_key(|point| *point == ControlPoint::At(declaration.exit));
    let outlines = points.iter().map(|&point| {
        let cubes = entry.at.iter().find(|(known, _)| *known == point).map(|(_, cubes)| cubes.as_slice());
        let mut cases = writer.phrases.cases(cubes.unwrap_or_default());
        if cases.len() > MOST_CASES {
            let more = cases.len() - MOST_CASES;
            cases.truncate(MOST_CASES);
            cases.push(vec![format!("… ({more} more cases)")]);
        }
        let at = writer.phrases.span(point).and_then(|span| sources.source_line(span, subject.sources));
        let ranking = writer.ranking.filter(|_| ranks::is_reached(entry, point));
        let rank = ranking.and_then(|ranking| ranks::rank(writer.phrases, ranking, entry.thread, point));
        PointOutline { place: writer.phrases.place(point), at, cases, rank }
    });
    ThreadOutline {
        name: declaration.name.clone(),
        template: declaration.kind == ThreadKind::Template,
        relies: effects.numbers(writer.relies(entry)),
        guarantees: effects.numbers(writer.guarantees(entry.thread)),
        points: outlines.collect(),
        flow: flow(&points, subject),
    }
}

/// The edges between points, with what is done on the way in the words of the source.
pub(super) fn flow(points: &[ControlPoint], subject: &Subject<'_>) -> Vec<(usize, usize, String)> {
    let position = |location| points.iter().position(|point| *point == ControlPoint::At(location));
    let edges = subject.prepared.edges().iter().filter_map(|(id, edge)| {
        Some((position(edge.source)?, position(edge.target)?, edge_text(id, subject)))
    });
    edges.collect()
}

fn edge_text(edge: EdgeId, subject: &Subject<'_>) -> String {
    let mut texts: Vec<String> = Vec::new();
    for old in subject.back.edges(edge) {
        let span = subject.program.edges()[old].span;
        let text = span.map(|span| one_line(subject.sources.text(span))).unwrap_or_default();
        if !text.is_empty() && texts.last() != Some(&text) {
            texts.push(text);
        }
    }
    if texts.is_empty() {
        return subject.prepared.display_ops(&subject.prepared.edges()[edge].ops).to_string();
    }
    texts.join(" ")
}
