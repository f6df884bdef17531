//! From positions in preprocessed text to the file that a person wrote.
//!
//! The preprocessor leaves line markers, and it keeps columns by padding where it can, though
//! behind a marker they are one too small. So the line is always known; the column is taken
//! over where the same text stands there. Inside of a macro's expansion, where it does not, the
//! text is looked for among the macro's arguments, and otherwise the span starts at the macro.

use super::lexer::is_word_byte;
use rely_base::{FileId, Span};

/// The lines of a preprocessed text, and where they come from.
#[derive(Debug)]
pub(crate) struct LineMap<'s> {
    file: FileId,
    preprocessed: &'s str,
    /// The user's text with the starts of its lines, if it is not the preprocessed text itself.
    original: Option<(&'s str, Vec<usize>)>,
    /// For each line of the preprocessed text: where it starts and where it comes from.
    lines: Vec<Line>,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    start: usize,
    /// The line of the user's file, from zero: its own, or that of the `#include`.
    user_line: usize,
    /// Whether the line is the user's own, not that of a header.
    is_own: bool,
}

impl<'s> LineMap<'s> {
    pub(crate) fn new(file: FileId, preprocessed: &'s str, original: Option<&'s str>) -> Self {
        let original = original.map(|text| (text, line_starts(text)));
        let lines = match original {
            None => Vec::new(),
            Some(_) => presumed_lines(preprocessed),
        };
        Self { file, preprocessed, original, lines }
    }

    /// The span in the user's file of a range of the preprocessed text.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let (start, end) = (self.boundary(start), self.boundary(end.max(start)));
        let Some((text, starts)) = &self.original else {
            return self.make(start, end);
        };
        let first = self.line(start);
        let (line_start, line_end) = line_bounds(text, starts, first.user_line);
        if !first.is_own {
            return self.make(line_start, line_end);
        }
        let line = &text[line_start..line_end];
        let wanted = &self.preprocessed[start..end];
        let Some(column) = self.column_in_line(start, start - first.start, line) else {
            let mut found = line.match_indices(wanted);
            return match (found.next(), found.next()) {
                (Some((at, _)), None) => self.make(line_start + at, line_start + at + wanted.len()),
                _ => self.make(line_start + indentation(line), line_end),
            };
        };
        let user_start = line_start + column;
        match line[column..].find(wanted) {
            Some(at) => self.make(user_start + at, user_start + at + wanted.len()),
            None => self.make(user_start, self.user_end(text, starts, user_start, end)),
        }
    }

    /// The nearest position at or before this one that is between two characters.
    fn boundary(&self, position: usize) -> usize {
        let mut position = position.min(self.preprocessed.len());
        while !self.preprocessed.is_char_boundary(position) {
            position -= 1;
        }
        position
    }

    /// The user's text under a span, on one line.
    pub(crate) fn text(&self, span: Span) -> String {
        let text = self.original.as_ref().map_or(self.preprocessed, |(text, _)| text);
        let text = text.get(span.start as usize..span.end as usize).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn make(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end.max(start) as u32 }
    }

    fn line(&self, position: usize) -> Line {
        let index = self.lines.partition_point(|line| line.start <= position);
        match index.checked_sub(1) {
            Some(index) => self.lines[index],
            None => Line { start: 0, user_line: 0, is_own: true },
        }
    }

    /// The column in the user's line at which the token at `position` stands.
    fn column_in_line(&self, position: usize, column: usize, line: &str) -> Option<usize> {
        let token = first_token(&self.preprocessed[position..]);
        let same = |&column: &usize| line.get(column..).is_some_and(|rest| rest.starts_with(token));
        let starts_word = |&column: &usize| {
            line.get(column..).is_some_and(|rest| rest.bytes().next().is_some_and(is_word_byte))
                && !(column > 0 && is_word_byte(line.as_bytes()[column - 1]))
        };
        let candidates = [column, column + 1];
        candidates
            .iter()
            .find(|column| same(column))
            .or(candidates.iter().find(|it| starts_word(it)))
            .copied()
    }

    /// Where the range that starts at `user_start` ends, its last token ending at `end` in the
    /// preprocessed text.
    fn user_end(&self, text: &str, starts: &[usize], user_start: usize, end: usize) -> usize {
        let token_start = last_token_start(self.preprocessed, end);
        let token = &self.preprocessed[token_start..end];
        let last = self.line(token_start);
        let (line_start, line_end) = line_bounds(text, starts, last.user_line);
        let exact = line_start + (token_start - last.start);
        if last.is_own && exact >= user_start && text.get(exact..).is_some_and(|rest| rest.starts_with(token))
        {
            return exact + token.len();
        }
        let from = user_start.max(line_start);
        if line_end <= from {
            return line_bounds_at(text, user_start);
        }
        let rest = &text[from..line_end];
        let statement = (token == ";").then(|| statement_end(rest)).flatten();
        from + statement.unwrap_or(rest.trim_end().len())
    }
}

/// Behind the first `;` that is in no bracket.
fn statement_end(rest: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b';' if depth <= 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// The start and the end, without the line end, of a line.
fn line_bounds(text: &str, starts: &[usize], line: usize) -> (usize, usize) {
    let Some(&start) = starts.get(line) else { return (text.len(), text.len()) };
    (start, line_bounds_at(text, start))
}

fn line_bounds_at(text: &str, position: usize) -> usize {
    let rest = &text[position..];
    position + rest.find('\n').map_or(rest.len(), |end| rest[..end].trim_end_matches('\r').len())
}

fn first_token(text: &str) -> &str {
    let word = text.bytes().take_while(|&byte| is_word_byte(byte)).count();
    let length = if word > 0 { word } else { text.chars().next().map_or(0, char::len_utf8) };
    &text[..length]
}

fn last_token_start(text: &str, end: usize) -> usize {
    let before = &text.as_bytes()[..end];
    let word = before.iter().rev().take_while(|&&byte| is_word_byte(byte)).count();
    let mut start = end - word.max(1).min(end);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    start
}

/// Follows the line markers. The first marker names the user's file.
fn presumed_lines(preprocessed: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut main_file: Option<&str> = None;
    let (mut user_line, mut is_own) = (0, true);
    let mut start = 0;
    for line in preprocessed.split_inclusive('\n') {
        if let Some((number, file)) = line_marker(line) {
            let main_file = *main_file.get_or_insert(file);
            is_own = file == main_file;
            // While in a header, the line stays that of its `#include`.
            if is_own {
                user_line = number.saturating_sub(1);
            }
            lines.push(Line { start: start + line.len(), user_line, is_own });
        } else {
            lines.push(Line { start, user_line, is_own });
            user_line += usize::from(is_own);
        }
        start += line.len();
    }
    lines
}

/// Line and file of `# 12 "file" flags` or `#line 12 "file"`.
fn line_marker(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"')?;
    Some((number, &name[..name.find('"')?]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::SourceMap;

    fn check(original: &str, preprocessed: &str, part: &str, expected: &str) {
        let mut sources = SourceMap::new();
        let file = sources.add("t.c", original);
        let map = LineMap::new(file, preprocessed, Some(original));
        let start = preprocessed.find(part).expect("the part is in the text");
        assert_eq!(sources.text(map.span(start, start + part.len())), expected);
    }

    #[test]
    fn spans_are_found_in_the_original() {
        let original = "#include \"h.h\"\nint x;\nint main() { x = TWO; assert(x == 1); }\n";
        let preprocessed = "# 0 \"t.c\"\n# 1 \"t.c\"\n# 1 \"h.h\" 1\nint h;\n# 2 \"t.c\" 2\nint x;\n\
            int main() { x = 2; \n# 3 \"t.c\" 3\n                      ((x == 1)?0:fail())\n\
            # 3 \"t.c\"\n                                   ; }\n";
        check(original, preprocessed, "int x;", "int x;");
        check(original, preprocessed, "x = 2;", "x = TWO;");
        check(original, preprocessed, "((x == 1)?0:fail())", "assert(x == 1); }");
        check(original, preprocessed, "x == 1", "x == 1");
        check(original, preprocessed, "int h;", "#include \"h.h\"");
    }

    #[test]
    fn texts_without_original_report_their_own_lines() {
        let mut sources = SourceMap::new();
        let text = "# 1 \"other.c\"\nint x;";
        let file = sources.add("t.i", text);
        let span = LineMap::new(file, text, None).span(14, 20);
        assert_eq!((sources.text(span), sources.position(span).line), ("int x;", 2));
    }
}
