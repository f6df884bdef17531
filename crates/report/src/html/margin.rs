//! The margin of a source: lines that the engine's program takes in one step, and what the steps
//! of each line have to do with other threads.

use super::Subject;
use super::data::{Block, Margin, Mover, Spot};
use super::source::SourceTable;
use rely_program::analysis::Visibility;
use std::collections::{BTreeMap, BTreeSet};

/// The margin for one finding.
pub(super) fn margin(subject: &Subject<'_>, sources: &SourceTable) -> Margin {
    Margin { movers: movers(subject, sources), blocks: blocks(subject, sources) }
}

/// Of each line, what its steps in the program as the front end made it can see and be seen.
fn movers(subject: &Subject<'_>, sources: &SourceTable) -> Vec<(Spot, Mover)> {
    let program = subject.program;
    let visibility = Visibility::new(program);
    let mut movers: BTreeMap<Spot, Mover> = BTreeMap::new();
    for edge in program.edges().values() {
        let Some(spot) = edge.span.and_then(|span| sources.spot(span, subject.sources)) else { continue };
        let mover = if visibility.is_local(program, edge) {
            Mover::Free
        } else if visibility.has_no_effect(program, edge) {
            Mover::Reads
        } else {
            Mover::Writes
        };
        let greatest = movers.entry(spot).or_insert(mover);
        *greatest = mover.max(*greatest);
    }
    movers.into_iter().collect()
}

/// The lines that stand behind one edge of the engine's program, where there are several.
fn blocks(subject: &Subject<'_>, sources: &SourceTable) -> Vec<Block> {
    let mut blocks: BTreeSet<Block> = BTreeSet::new();
    for edge in subject.prepared.edges().ids() {
        let mut lines: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for old in subject.back.edges(edge) {
            let span = subject.program.edges()[old].span;
            if let Some((source, line)) = span.and_then(|span| sources.spot(span, subject.sources)) {
                lines.entry(source).or_default().insert(line);
            }
        }
        let several = lines.into_iter().filter(|(_, lines)| lines.len() > 1);
        blocks.extend(several.map(|(source, lines)| Block { source, lines: lines.into_iter().collect() }));
    }
    blocks.into_iter().collect()
}
