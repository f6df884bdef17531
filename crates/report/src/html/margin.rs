//! The margin of a source: lines that are taken in one step, and what the steps of each line have to
//! do with other threads.
//!
//! A proof by reduction says both: its movers and its blocks. It mentions only the movers that its blocks need; if
//! all that were found are known, these are shown. Otherwise the lines are those that the engine's program takes in one
//! step, and what is said of the others needs no proof.

use super::Subject;
use super::data::{Block, Margin, Mover, SourceLine};
use super::source::SourceTable;
use crate::blocks::StepBlocks;
use crate::reduction;
use rely_evidence::Proof;
use rely_evidence::reduction::{Mover as Moves, Reduced};
use rely_program::EdgeId;
use rely_program::analysis::Visibility;
use std::collections::{BTreeMap, BTreeSet};

/// The margin for one finding.
pub(super) fn margin(proof: &Proof, subject: &Subject<'_>, sources: &SourceTable) -> Margin {
    match (proof, subject.blocks) {
        (Proof::Reduced(_), Some(found)) => found_margin(found, subject, sources),
        (Proof::Reduced(reduced), None) => Margin {
            reduced: true,
            movers: proved_movers(reduced, subject, sources),
            blocks: blocks(reduction::blocks(reduced, subject.prepared), |edge| {
                lines(edge, subject, sources)
            }),
        },
        _ => {
            let edges = subject.prepared.edges().ids().map(|edge| vec![edge]).collect();
            Margin {
                reduced: false,
                movers: movers(subject, sources),
                blocks: blocks(edges, |edge| lines(edge, subject, sources)),
            }
        }
    }
}

/// Of each line, what its steps in the program as the front end made it can see and be seen.
fn movers(subject: &Subject<'_>, sources: &SourceTable) -> Vec<(SourceLine, Mover)> {
    let program = subject.program;
    let visibility = Visibility::new(program);
    let mut movers: BTreeMap<SourceLine, Mover> = BTreeMap::new();
    for edge in program.edges().values() {
        let Some(point) = edge.span.and_then(|span| sources.source_line(span, subject.sources)) else {
            continue;
        };
        let mover = if visibility.is_local(program, edge) {
            Mover::Free
        } else if visibility.has_no_effect(program, edge) {
            Mover::Reads
        } else {
            Mover::Writes
        };
        let greatest = movers.entry(point).or_insert(mover);
        *greatest = mover.with(*greatest);
    }
    movers.into_iter().collect()
}

/// Of each line, how its steps move by the proof.
fn proved_movers(
    reduced: &Reduced,
    subject: &Subject<'_>,
    sources: &SourceTable,
) -> Vec<(SourceLine, Mover)> {
    let mut movers: BTreeMap<SourceLine, Mover> = BTreeMap::new();
    for edge in subject.prepared.edges().ids() {
        let mover = Mover::from(reduced.mover(edge));
        for point in lines(edge, subject, sources) {
            let known = movers.entry(point).or_insert(mover);
            *known = mover.with(*known);
        }
    }
    movers.into_iter().collect()
}

/// The movers and blocks that were found, of a program whose statements have steps of their own.
fn found_margin(found: StepBlocks<'_>, subject: &Subject<'_>, sources: &SourceTable) -> Margin {
    let line = |edge: EdgeId| {
        found.program.edges()[edge].span.and_then(|span| sources.source_line(span, subject.sources))
    };
    let known: BTreeMap<EdgeId, Moves> = found.movers.iter().copied().collect();
    let mut movers: BTreeMap<SourceLine, Mover> = BTreeMap::new();
    for edge in found.program.edges().ids() {
        let Some(point) = line(edge) else { continue };
        let mover = Mover::from(known.get(&edge).copied());
        let least = movers.entry(point).or_insert(mover);
        *least = mover.with(*least);
    }
    let inside = found.inside.iter().map(|(location, _)| *location);
    let blocks = blocks(reduction::joined(found.program, inside), |edge| line(edge).into_iter().collect());
    Margin { reduced: true, movers: movers.into_iter().collect(), blocks }
}

/// The lines of an edge of the engine's program.
fn lines(edge: EdgeId, subject: &Subject<'_>, sources: &SourceTable) -> BTreeSet<SourceLine> {
    let spans = subject.back.edges(edge).into_iter().filter_map(|old| subject.program.edges()[old].span);
    spans.filter_map(|span| sources.source_line(span, subject.sources)).collect()
}

impl From<Option<Moves>> for Mover {
    fn from(moves: Option<Moves>) -> Self {
        match moves {
            Some(Moves::Right) => Mover::Right,
            Some(Moves::Left) => Mover::Left,
            Some(Moves::Both) => Mover::Both,
            None => Mover::None,
        }
    }
}

/// The lines that stand behind edges, where there are several.
fn blocks(edges: Vec<Vec<EdgeId>>, lines: impl Fn(EdgeId) -> BTreeSet<SourceLine>) -> Vec<Block> {
    let mut blocks: BTreeSet<Block> = BTreeSet::new();
    for edges in edges {
        let mut by_source: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for (source, line) in edges.into_iter().flat_map(&lines) {
            by_source.entry(source).or_default().insert(line);
        }
        let several = by_source.into_iter().filter(|(_, lines)| lines.len() > 1);
        blocks.extend(several.map(|(source, lines)| Block { source, lines: lines.into_iter().collect() }));
    }
    blocks.into_iter().collect()
}
