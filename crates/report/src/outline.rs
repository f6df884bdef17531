//! The source of a thread, cut where its statements start, with assertions between the pieces.
//!
//! A thread's locations know the statements that start at them. The text from the first of them
//! to the end of its block is printed as it was written, and in front of each statement stands
//! what the proof says there. Code that was inlined from elsewhere is a section of its own.

use crate::phrase::Phrases;
use crate::proof::ProofDetail;
use crate::ranks;
use rely_base::FileId;
use rely_evidence::ranking::Ranking;
use rely_evidence::rely_guarantee::{ControlPoint, Cube, ThreadAssertions};
use rely_program::LocationId;
use std::collections::BTreeMap;

/// One line of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutlineLine {
    pub(crate) indent: usize,
    pub(crate) text: String,
    /// What holds here, in contrast to a piece of the program.
    pub(crate) is_assertion: bool,
}

/// The annotated program of one thread.
pub(crate) struct Outline<'o> {
    phrases: &'o Phrases<'o>,
    entry: &'o ThreadAssertions,
    ranking: Option<&'o Ranking>,
    detail: ProofDetail,
    /// What was said last.
    last: Option<String>,
    lines: Vec<OutlineLine>,
}

/// Where statements start: by file and byte, the locations there.
type Cuts = BTreeMap<(FileId, usize), Vec<LocationId>>;

/// How far nested statements are moved to the right if they do not start a line of their own.
const STEP: usize = 4;
/// More characters than this of an assertion are not read; who wants them asks for the full proof.
const LONGEST: usize = 300;
/// Of more statements in a row the first and the last are shown.
const LONGEST_RUN: usize = 4;

impl<'o> Outline<'o> {
    /// The outline of a thread, with its ranks if there are any.
    pub(crate) fn of(
        phrases: &'o Phrases<'o>,
        entry: &'o ThreadAssertions,
        ranking: Option<&'o Ranking>,
        detail: ProofDetail,
    ) -> Self {
        let mut outline = Self { phrases, entry, ranking, detail, last: None, lines: Vec::new() };
        outline.write();
        outline
    }

    /// The lines, in order.
    pub(crate) fn lines(&self) -> &[OutlineLine] {
        &self.lines
    }

    fn write(&mut self) {
        let program = self.phrases.program;
        let thread = &program.threads()[self.entry.thread];
        let mut cuts = Cuts::new();
        let mut nowhere: Vec<ControlPoint> = Vec::new();
        for point in ControlPoint::all(program, self.entry.thread) {
            match (point, self.phrases.span(point)) {
                (ControlPoint::At(location), _) if location == thread.exit => {}
                (ControlPoint::At(location), Some(span)) => {
                    let text = self.phrases.sources.file(span.file).text();
                    let start = match self.detail {
                        ProofDetail::Short => statement_start(text, span.start as usize),
                        ProofDetail::Full => with_keyword(text, span.start as usize),
                    };
                    let start = with_labels(text, start);
                    cuts.entry((span.file, start)).or_default().push(location);
                }
                _ => nowhere.push(point),
            }
        }
        if self.detail == ProofDetail::Short {
            nowhere.clear();
        }
        for point in nowhere {
            let place = self.phrases.source_line(point);
            self.assertion(0, &[point], Some(&place));
        }
        let start = cuts.iter().find(|(_, locations)| locations.contains(&thread.entry)).map(|(cut, _)| *cut);
        while let Some((&cut, _)) = cuts.first_key_value() {
            let end = self.section(cut, &mut cuts);
            if start.is_some_and(|start| cut <= start && (start.0, start.1) < (cut.0, end)) {
                self.assertion(0, &[ControlPoint::At(thread.exit)], None);
            }
        }
        if start.is_none() {
            self.assertion(0, &[ControlPoint::At(thread.exit)], Some("exit"));
        }
        if self.detail == ProofDetail::Short {
            self.elide();
        }
    }

    /// Leaves out statements between others before which nothing new holds.
    fn elide(&mut self) {
        let mut kept: Vec<OutlineLine> = Vec::new();
        for run in self.lines.chunk_by(|one, other| one.is_assertion == other.is_assertion) {
            match run {
                [first, _, .., last] if !first.is_assertion && run.len() > LONGEST_RUN => {
                    let dots = OutlineLine { text: "...".to_owned(), ..first.clone() };
                    kept.extend([first.clone(), dots, last.clone()]);
                }
                _ => kept.extend_from_slice(run),
            }
        }
        self.lines = kept;
    }

    /// What holds at the points, after the name of the place if it has to be said.
    fn assertion(&mut self, indent: usize, points: &[ControlPoint], place: Option<&str>) {
        let known = self.entry.at.iter().filter(|(point, _)| points.contains(point));
        let cubes: Vec<Cube> = known.flat_map(|(_, cubes)| cubes.iter().cloned()).collect();
        if cubes.is_empty() && !points.iter().any(|&point| self.has_way_to(point)) {
            return;
        }
        let condition = match self.detail {
            ProofDetail::Short => self.phrases.brief_condition(&cubes, LONGEST),
            ProofDetail::Full => self.phrases.condition(&cubes),
        };
        if self.detail == ProofDetail::Short && self.ranking.is_none() {
            // Who has ended matters only by what it has left behind.
            let thread = &self.phrases.program.threads()[self.entry.thread];
            let has_ended = points.iter().all(|&point| point == ControlPoint::At(thread.exit));
            if has_ended && cubes.iter().all(|cube| cube.atoms.is_empty()) {
                return;
            }
            // What held before still does; that nothing has to hold says little.
            let is_news = self.last.as_ref().unwrap_or(&"true".to_owned()) != &condition;
            self.last = Some(condition.clone());
            if !is_news {
                return;
            }
        }
        let text = match place {
            Some(place) => format!("{{ {place}: {condition} }}"),
            None => format!("{{ {condition} }}"),
        };
        self.lines.push(OutlineLine { indent, text, is_assertion: true });
        self.ranks(indent, points);
    }

    /// Whether a step of the simplified program leads to a point. Where none does, perhaps because
    /// what led there made no difference and was left out, the proof claims nothing.
    fn has_way_to(&self, point: ControlPoint) -> bool {
        match point {
            ControlPoint::Unstarted => true,
            ControlPoint::At(location) => {
                self.phrases.program.edges().values().any(|edge| edge.target == location)
            }
        }
    }

    /// How far the thread is from its end at the points.
    fn ranks(&mut self, indent: usize, points: &[ControlPoint]) {
        let Some(ranking) = self.ranking else { return };
        let reached = points.iter().filter(|&&point| ranks::is_reached(self.entry, point));
        let texts = reached.filter_map(|&point| ranks::rank(self.phrases, ranking, self.entry.thread, point));
        let mut texts: Vec<String> = texts.map(|rank| format!("{{ rank {rank} }}")).collect();
        texts.dedup();
        self.lines.extend(texts.into_iter().map(|text| OutlineLine { indent, text, is_assertion: true }));
    }

    /// Prints from one cut to the end of the block that it is in, and uses up the cuts there. The
    /// byte behind it.
    fn section(&mut self, first: (FileId, usize), cuts: &mut Cuts) -> usize {
        let (file, start) = first;
        let text = self.phrases.sources.file(file).text();
        let end = start + block_length(&text[start..]);
        let mut rest = cuts.split_off(&(file, end.max(start + 1)));
        let here = std::mem::take(cuts);
        cuts.append(&mut rest);
        let margin = column(text, start);
        let mut places: Vec<(usize, Vec<LocationId>)> =
            here.into_iter().map(|((_, at), locations)| (at, locations)).collect();
        let ends: Vec<usize> = places.iter().skip(1).map(|(at, _)| *at).chain([end]).collect();
        for ((at, locations), next) in places.drain(..).zip(ends) {
            let depth = depth(&text[start..at]);
            let starts_line = text[..at].rsplit('\n').next().is_none_or(|before| before.trim().is_empty());
            let indent = if starts_line { column(text, at).saturating_sub(margin) } else { STEP * depth };
            let points: Vec<ControlPoint> = locations.into_iter().map(ControlPoint::At).collect();
            self.assertion(indent, &points, None);
            self.piece(&text[at..next], indent, margin);
        }
        end
    }

    /// A piece of the program, line by line: the first where the piece starts, the others where
    /// they are in the source.
    fn piece(&mut self, piece: &str, indent: usize, margin: usize) {
        for (number, line) in piece.lines().enumerate() {
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            let column = line.len() - line.trim_start().len();
            let indent = if number == 0 { indent } else { column.saturating_sub(margin) };
            // What follows on the line of a cut closes blocks that were opened before it.
            let closing = text.chars().take_while(|&character| character == '}').count();
            let is_closed_here = number == 0 && closing > 0;
            let indent = if is_closed_here { indent.saturating_sub(STEP * closing) } else { indent };
            self.lines.push(OutlineLine { indent, text: text.to_owned(), is_assertion: false });
        }
    }
}

/// How far a byte is from the beginning of its line, not counting text before it.
fn column(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &text[line..at];
    if before.trim().is_empty() { before.len() } else { before.len() - before.trim_start().len() }
}

/// Where a statement starts if the byte is where its condition does: at `while` in `while (x)`.
fn with_keyword(text: &str, at: usize) -> usize {
    let before = text[..at].trim_end();
    let before = before.strip_suffix('(').map_or(before, str::trim_end);
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let keyword = ["if", "while", "switch"].into_iter().find_map(|keyword| before.strip_suffix(keyword));
    match keyword {
        Some(rest) if !rest.ends_with(is_part) => rest.len(),
        _ => at,
    }
}

/// Where the statement starts that an expression is part of: behind the statement or the brace before it. What stands in
/// the head of a loop belongs to the loop.
fn statement_start(text: &str, at: usize) -> usize {
    let (mut depth, mut end) = (0usize, None);
    for (index, character) in separators(&text[..at]).into_iter().rev() {
        match character {
            ')' => depth += 1,
            // An expression in parentheses that are still open: what separates its parts separates no statements.
            '(' if depth == 0 => end = None,
            '(' => depth -= 1,
            ';' if depth == 0 && end.is_none() => end = Some(index + 1),
            '{' | '}' if depth == 0 => {
                return behind_comments(text, end.unwrap_or(index + 1), at);
            }
            _ => {}
        }
    }
    behind_comments(text, end.unwrap_or(0), at)
}

/// The first byte from which no space or comment follows, `at` at most.
fn behind_comments(text: &str, from: usize, at: usize) -> usize {
    let mut start = from;
    loop {
        let rest = &text[start..at];
        let trimmed = rest.trim_start();
        start += rest.len() - trimmed.len();
        let comment = match trimmed {
            _ if trimmed.starts_with("//") => trimmed.find('\n'),
            _ if trimmed.starts_with("/*") => trimmed.find("*/").map(|end| end + 2),
            _ => return start,
        };
        match comment {
            Some(length) => start += length,
            None => return at,
        }
    }
}

/// Where a statement starts together with the labels that stand in front of it on its line.
fn with_labels(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &text[line..at];
    let is_label = |word: &str| {
        word.strip_suffix(':').is_some_and(|name| {
            !name.is_empty() && name.chars().all(|character| character.is_alphanumeric() || character == '_')
        })
    };
    if before.split_whitespace().all(is_label) { at - before.trim_start().len() } else { at }
}

/// How many blocks are open behind the text.
fn depth(text: &str) -> usize {
    let mut depth = 0usize;
    for (_, brace) in braces(text) {
        depth = if brace == '{' { depth + 1 } else { depth.saturating_sub(1) };
    }
    depth
}

/// How long the text is up to the brace that closes the block in which it begins.
fn block_length(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, brace) in braces(text) {
        match (brace, depth) {
            ('{', _) => depth += 1,
            (_, 0) => return at,
            _ => depth -= 1,
        }
    }
    text.len()
}

/// The braces of a text that are not inside comments or literals.
fn braces(text: &str) -> Vec<(usize, char)> {
    let mut found = separators(text);
    found.retain(|(_, character)| matches!(character, '{' | '}'));
    found
}

/// The braces, parentheses and semicolons of a text that are not inside comments or literals.
fn separators(text: &str) -> Vec<(usize, char)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let rest = &text[at..];
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if character == '"' || character == '\'' {
            literal_length(rest, character)
        } else {
            if matches!(character, '{' | '}' | '(' | ')' | ';') {
                found.push((at, character));
            }
            character.len_utf8()
        };
        at += skipped;
    }
    found
}

/// The length of a literal with its quotes.
fn literal_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '\n' => return at,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_belong_to_their_statements() {
        let check = |text: &str, statement: &str, expected: &str| {
            let at = text.find(statement).expect("it is there");
            assert_eq!(&text[with_labels(text, at)..], expected);
        };
        check("a;\n  b: c: skip;", "skip", "b: c: skip;");
        check("a; b: skip;", "skip", "skip;");
        check("  skip;", "skip", "skip;");
    }

    #[test]
    fn expressions_belong_to_their_statements() {
        let check = |text: &str, part: &str, expected: &str| {
            let at = text.find(part).expect("it is there");
            assert_eq!(&text[statement_start(text, at)..], expected);
        };
        check("a; assert(\n  x == 1);", "x", "assert(\n  x == 1);");
        check("{ for (i = 0; i < 3; i++) f(); }", "i < 3", "for (i = 0; i < 3; i++) f(); }");
        check("{ f(a); // one; two\n  g(b); }", "b", "g(b); }");
        check("a(); x = f(1) + y;", "y", "x = f(1) + y;");
        check("while (c) { d; }", "d", "d; }");
    }

    #[test]
    fn conditions_belong_to_their_statements() {
        let check = |text: &str, condition: &str, expected: &str| {
            let at = text.find(condition).expect("it is there");
            assert_eq!(&text[with_keyword(text, at)..], expected);
        };
        check("a; while (x < 3) b;", "x", "while (x < 3) b;");
        check("a; if(\n    x) b;", "x", "if(\n    x) b;");
        check("while x < 3 { }", "x", "while x < 3 { }");
        check("a_while (x);", "x", "x);");
        check("f(x);", "x", "x);");
        check("x;", "x", "x;");
    }

    #[test]
    fn blocks_end_at_their_brace() {
        let check = |text: &str, expected: &str| assert_eq!(&text[..block_length(text)], expected);
        check("x := 1; } y", "x := 1; ");
        check("while a { b; } c; } d", "while a { b; } c; ");
        check("a; // not } here\nb; } c", "a; // not } here\nb; ");
        check("f(\"}\", '}', '\\''); /* } */ g(); }", "f(\"}\", '}', '\\''); /* } */ g(); ");
        check("never closed", "never closed");
    }
}
