//! The source with the movers and blocks of a reduction in the margin.

use rely_base::{FileId, SourceMap};
use rely_evidence::reduction::{Mover, Phase};
use rely_program::{EdgeId, LocationId, Program};
use std::collections::{BTreeMap, BTreeSet};

const LEGEND: &str = "\
R  right mover: can be done later, behind what others do next
L  left mover: can be done earlier, before what others did last
B  both
N  no mover: where others look
A bracket joins the steps of a block, which are one step for others.
";

/// A program whose statements have steps of their own, which of its locations are inside of blocks, and how its steps
/// move.
#[derive(Clone, Copy, Debug)]
pub struct StepBlocks<'s> {
    /// The program.
    pub program: &'s Program,
    /// The locations inside of blocks.
    pub inside: &'s [(LocationId, Phase)],
    /// The edges that are movers.
    pub movers: &'s [(EdgeId, Mover)],
}

/// What the steps of one line have in common.
#[derive(Clone, Copy)]
struct Margin {
    right: bool,
    left: bool,
    /// Whether a step leads into a block, out of one, or from inside to inside.
    opens: bool,
    closes: bool,
    goes_on: bool,
}

impl Margin {
    fn new() -> Self {
        Self { right: true, left: true, opens: false, closes: false, goes_on: false }
    }

    fn mover(self) -> char {
        match (self.right, self.left) {
            (true, true) => 'B',
            (true, false) => 'R',
            (false, true) => 'L',
            (false, false) => 'N',
        }
    }

    fn bracket(self) -> char {
        match (self.opens, self.closes, self.goes_on) {
            // One ends and the next one begins, or the whole block is on one line.
            (true, true, _) => '├',
            (true, false, _) => '┌',
            (false, true, _) => '└',
            (false, false, true) => '│',
            (false, false, false) => ' ',
        }
    }
}

/// The source text of a program, with what its steps are in the margin. A line that has several steps, or is executed
/// by several threads, is as good a mover as the worst of them.
pub fn render_blocks(sources: &SourceMap, blocks: StepBlocks<'_>) -> String {
    let StepBlocks { program, inside, movers } = blocks;
    let inside: BTreeSet<LocationId> = inside.iter().map(|(location, _)| *location).collect();
    let movers: BTreeMap<EdgeId, Mover> = movers.iter().copied().collect();
    let mut margins: BTreeMap<FileId, BTreeMap<u32, Margin>> = BTreeMap::new();
    for (id, edge) in program.edges().iter() {
        let Some(span) = edge.span else { continue };
        let lines = margins.entry(span.file).or_default();
        let margin = lines.entry(sources.position(span).line).or_insert_with(Margin::new);
        let mover = movers.get(&id).copied();
        margin.right &= mover.is_some_and(Mover::is_right);
        margin.left &= mover.is_some_and(Mover::is_left);
        match [edge.source, edge.target].map(|end| inside.contains(&end)) {
            [false, true] => margin.opens = true,
            [true, false] => margin.closes = true,
            [true, true] => margin.goes_on = true,
            [false, false] => {}
        }
    }
    let listings = margins.iter().map(|(file, lines)| listing(sources, *file, lines));
    let listings = listings.collect::<Vec<_>>().join("\n");
    format!("{listings}\n{LEGEND}")
}

fn listing(sources: &SourceMap, file: FileId, lines: &BTreeMap<u32, Margin>) -> String {
    let source = sources.file(file);
    let mut text = format!("{}\n", source.name());
    for (number, line) in (1..).zip(source.text().lines()) {
        let (mover, bracket) =
            lines.get(&number).map_or((' ', ' '), |margin| (margin.mover(), margin.bracket()));
        let row = format!("{mover} {bracket} {number:>4} │ {line}");
        text += row.trim_end();
        text.push('\n');
    }
    text
}
