//! Reductions for people: each thread's steps with what they commute with, what is held in front of
//! them, and which of them are one block.
//!
//! ```text
//! R |                lock(m);
//! B | { m == 1 }     x := x + 1;
//! L | { m == 1 }     unlock(m);
//! ```

use crate::layout::{one_line, pad, truncate, wrap};
use crate::phrase::Phrases;
use crate::recall;
use crate::style::{Role, Style};
use rely_evidence::counting::InvariantPrinter;
use rely_evidence::reduction::{Mover, Reduced};
use rely_evidence::rely_guarantee::{ControlPoint, RelyGuarantee};
use rely_passes::Restored;
use rely_program::{EdgeId, LocationId, Program, ThreadId};
use std::collections::BTreeSet;

/// The widest that an assertion in front of a step may be.
const WIDEST_HELD: usize = 36;

/// The letter that people write for a mover, `N` for none.
pub(crate) fn letter(mover: Option<Mover>) -> &'static str {
    match mover {
        Some(Mover::Right) => "R",
        Some(Mover::Left) => "L",
        Some(Mover::Both) => "B",
        None => "N",
    }
}

/// The edges of each block of a proof.
pub(crate) fn blocks(reduced: &Reduced, program: &Program) -> Vec<Vec<EdgeId>> {
    joined(program, reduced.inside.iter().map(|(location, _)| *location))
}

/// The edges of each block: those that lead to or from locations inside that are connected.
pub(crate) fn joined(program: &Program, inside: impl Iterator<Item = LocationId>) -> Vec<Vec<EdgeId>> {
    let mut left: BTreeSet<LocationId> = inside.collect();
    let mut blocks = Vec::new();
    while let Some(first) = left.pop_first() {
        let mut members = BTreeSet::from([first]);
        let mut grows = true;
        while grows {
            grows = false;
            for edge in program.edges().values() {
                let ends = [edge.source, edge.target];
                if ends.iter().any(|end| members.contains(end)) {
                    for end in ends.iter().filter(|end| left.contains(end)) {
                        grows |= members.insert(*end);
                    }
                    left.retain(|location| !members.contains(location));
                }
            }
        }
        let is_part = |edge: &EdgeId| {
            let edge = &program.edges()[*edge];
            members.contains(&edge.source) || members.contains(&edge.target)
        };
        blocks.push(program.edges().ids().filter(is_part).collect());
    }
    blocks
}

/// The movers and blocks of a reduction as text.
pub(crate) fn render(reduced: &Reduced, restored: &Restored, phrases: &Phrases<'_>, style: Style) -> String {
    let program = &restored.program;
    let held = &recall::proof(&reduced.held.proof, restored);
    let writer = Writer { reduced, held, program, phrases, style };
    let blocks = match blocks(reduced, program).len() {
        1 => "1 block is one step".to_owned(),
        count => format!("{count} blocks are one step each"),
    };
    let mut text = format!(
        "  reduction    {blocks}\n               R moves right, L left, B both ways past steps of others, N does not\n"
    );
    let names = phrases.locations();
    let printer = InvariantPrinter::new(program).with_names(&names);
    for invariant in &reduced.held.invariants {
        let invariant = format!("in every state, {}", printer.invariant(invariant));
        for line in wrap(&invariant, style.width.saturating_sub(15).max(40)) {
            text += &format!("               {line}\n");
        }
    }
    for thread in program.threads().ids() {
        text += &writer.thread(thread);
    }
    text
}

/// Where the blocks of a reduction are.
pub(crate) fn summary(reduced: &Reduced, phrases: &Phrases<'_>, style: Style) -> String {
    let program = phrases.program;
    let mut places: Vec<String> = Vec::new();
    for block in blocks(reduced, program) {
        let lines = block.iter().filter_map(|&edge| program.edges()[edge].span);
        let lines: BTreeSet<u32> = lines.map(|span| phrases.sources.position(span).line).collect();
        let Some(&edge) = block.first() else { continue };
        let thread = &program.thread_of(program.edges()[edge].source).name;
        let place = match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first == last => format!("{thread} {first}"),
            (Some(first), Some(last)) => format!("{thread} {first}-{last}"),
            _ => thread.clone(),
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let text = format!("lines that are one step: {}", places.join(", "));
    let mut told = String::new();
    for (number, line) in wrap(&text, style.width.saturating_sub(15).max(40)).iter().enumerate() {
        told += &format!("  {:12} {line}\n", if number == 0 { "reduction" } else { "" });
    }
    told
}

struct Writer<'w> {
    reduced: &'w Reduced,
    held: &'w RelyGuarantee,
    program: &'w Program,
    phrases: &'w Phrases<'w>,
    style: Style,
}

impl Writer<'_> {
    fn thread(&self, thread: ThreadId) -> String {
        let own = |edge: &EdgeId| self.source(*edge).thread == thread;
        let edges: Vec<EdgeId> = self.program.edges().ids().filter(own).collect();
        let held: Vec<String> = edges.iter().map(|&edge| self.held(thread, edge)).collect();
        let width = held.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        let mut text =
            format!("\n  {}\n", self.style.paint(Role::Heading, &self.program.threads()[thread].name));
        for (&edge, held) in edges.iter().zip(&held) {
            let declaration = &self.program.edges()[edge];
            let inside = [declaration.source, declaration.target].map(|end| self.reduced.phase(end));
            let bar = if inside == [None, None] { " " } else { "|" };
            let commit = if self.reduced.is_commit(self.program, edge) { "  (commit)" } else { "" };
            let held = self.style.paint(Role::Quiet, &pad(held, width));
            let letter = letter(self.reduced.mover(edge));
            text += &format!("    {letter} {bar} {held} {}{commit}\n", self.statement(edge));
        }
        text
    }

    fn source(&self, edge: EdgeId) -> &rely_program::Location {
        &self.program.locations()[self.program.edges()[edge].source]
    }

    /// What is held in front of a step.
    fn held(&self, thread: ThreadId, edge: EdgeId) -> String {
        let point = ControlPoint::At(self.program.edges()[edge].source);
        let entries = self.held.threads.iter().filter(|entry| entry.thread == thread);
        let known = entries.flat_map(|entry| &entry.at).find(|(known, _)| *known == point);
        match known.map(|(_, cubes)| self.phrases.condition(cubes)) {
            Some(condition) if condition != "true" => truncate(&format!("{{ {condition} }}"), WIDEST_HELD),
            _ => String::new(),
        }
    }

    fn statement(&self, edge: EdgeId) -> String {
        let declaration = &self.program.edges()[edge];
        let written = declaration.span.map(|span| one_line(self.phrases.sources.text(span)));
        let text = written.filter(|text| !text.is_empty());
        let text = text.unwrap_or_else(|| self.program.display_ops(&declaration.ops).to_string());
        truncate(&text, self.style.width.saturating_sub(20).max(40))
    }
}
