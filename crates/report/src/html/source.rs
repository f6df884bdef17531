//! The texts of a report, each only once. Of a very long text only the neighbourhood of what the
//! program is made of is kept.

use super::data::{Part, Source, SourceLine};
use rely_base::{SourceFile, SourceMap, Span};
use rely_program::Program;
use std::collections::BTreeSet;

/// Texts with more lines than this are not shown as a whole.
const MOST_LINES: usize = 12_000;
/// How many lines around a line of interest are kept then.
const NEIGHBOURHOOD: usize = 30;

/// The texts that the findings speak of.
#[derive(Debug, Default)]
pub(super) struct SourceTable {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    text: String,
    /// The lines of which the program is made.
    used: BTreeSet<u32>,
}

impl SourceTable {
    /// Makes sure that a text is listed.
    pub fn add_file(&mut self, file: &SourceFile) -> usize {
        self.position(file).unwrap_or_else(|| {
            let entry =
                Entry { name: file.name().to_owned(), text: file.text().to_owned(), used: BTreeSet::new() };
            self.entries.push(entry);
            self.entries.len() - 1
        })
    }

    fn position(&self, file: &SourceFile) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == file.name() && entry.text == file.text())
    }

    /// Lists the texts of which a program is made.
    pub fn add_program(&mut self, program: &Program, sources: &SourceMap) {
        let edges = program.edges().values().map(|edge| edge.span);
        let locations = program.locations().values().map(|location| location.span);
        let others = program.vars().values().map(|var| var.span);
        let properties = program.properties().iter().map(|property| property.span);
        for span in edges.chain(locations).chain(others).chain(properties).flatten() {
            let index = self.add_file(sources.file(span.file));
            self.entries[index].used.insert(sources.position(span).line);
        }
    }

    /// The text with the name of the file, otherwise the only one there is.
    pub fn main(&self, file: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == file)
    }

    /// Where a span starts, if its text is listed.
    pub fn source_line(&self, span: Span, sources: &SourceMap) -> Option<SourceLine> {
        let index = self.position(sources.file(span.file))?;
        Some((index, sources.position(span).line))
    }

    /// What the page shows.
    pub fn data(&self) -> Vec<Source<'_>> {
        self.entries.iter().map(Entry::data).collect()
    }
}

impl Entry {
    fn data(&self) -> Source<'_> {
        let lines: Vec<&str> = self.text.lines().collect();
        let parts = if lines.len() <= MOST_LINES {
            vec![Part { first: 1, lines: lines.clone() }]
        } else {
            self.neighbourhoods(&lines)
        };
        Source { name: &self.name, total: lines.len(), parts }
    }

    fn neighbourhoods<'l>(&self, lines: &[&'l str]) -> Vec<Part<'l>> {
        let mut parts: Vec<Part<'l>> = Vec::new();
        let mut end = 0;
        for &used in &self.used {
            let used = used as usize;
            let first = used.saturating_sub(NEIGHBOURHOOD).max(end + 1);
            let last = (used + NEIGHBOURHOOD).min(lines.len());
            if first > last {
                continue;
            }
            let more = &lines[first - 1..last];
            match parts.last_mut() {
                Some(part) if first == end + 1 => part.lines.extend(more),
                _ => parts.push(Part { first, lines: more.to_vec() }),
            }
            end = last;
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_the_neighbourhood_of_what_is_used_is_kept() {
        let text = "line\n".repeat(MOST_LINES + 1000);
        let used = [5, 50, 10_000].into_iter().collect();
        let entry = Entry { name: "long.c".to_owned(), text, used };
        let parts: Vec<(usize, usize)> =
            entry.data().parts.iter().map(|part| (part.first, part.lines.len())).collect();
        assert_eq!(parts, [(1, 80), (9970, 61)]);
        assert_eq!(entry.data().total, MOST_LINES + 1000);
    }
}
