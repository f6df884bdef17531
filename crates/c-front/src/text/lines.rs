//! From positions in preprocessed text to the file that a person wrote.
//!
//! The preprocessor leaves line markers, so the line is always known. Columns are another matter:
//! behind a macro, everything is shifted. So the tokens of a line are compared with those that the
//! preprocessor has made of it. What both have in common stands where it stands; what does not
//! comes from a macro, and is looked for among its arguments, or is the macro itself.

use super::align::align;
use super::lexer::{Token, TokenKind, lex_leniently};
use rely_base::{FileId, Span};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// The lines of a preprocessed text, and where they come from.
#[derive(Debug)]
pub(crate) struct LineMap<'s> {
    file: FileId,
    preprocessed: &'s str,
    /// The user's text, if it is not the preprocessed text itself.
    original: Option<Original<'s>>,
    /// For each line of the preprocessed text: where it starts and where it comes from.
    lines: Vec<Line>,
    /// Which of them come from a line of the user's file.
    made: HashMap<usize, Vec<usize>>,
    /// The lines of the user's file that have been asked for.
    compared: RefCell<HashMap<usize, Rc<Compared>>>,
}

/// What the user wrote.
#[derive(Debug)]
struct Original<'s> {
    text: &'s str,
    starts: Vec<usize>,
    tokens: Vec<Token>,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    start: usize,
    /// The line of the user's file, from zero: its own, or that of the `#include`.
    user_line: usize,
    /// Whether the line is the user's own, not that of a header.
    is_own: bool,
}

/// A line of the user's file, and what the preprocessor has made of it.
#[derive(Debug)]
struct Compared {
    made: Vec<Token>,
    written: Vec<Token>,
    /// For each token that was made, the one that was written, if it is the same.
    same: Vec<Option<usize>>,
}

impl Compared {
    /// The tokens in which a token that was made stands: itself, or the macro that it comes from.
    fn written_for(&self, made: usize) -> Option<Range<usize>> {
        if let Some(same) = self.same[made] {
            return Some(same..same + 1);
        }
        let start = self.same[..made].iter().rev().find_map(|same| *same).map_or(0, |same| same + 1);
        let end = self.same[made..].iter().find_map(|same| *same).unwrap_or(self.written.len());
        (start < end).then_some(start..end)
    }

    /// The token that was made in which a position lies, or that follows it.
    fn made_at(&self, position: usize) -> Option<usize> {
        let index = self.made.partition_point(|token| token.end <= position);
        (index < self.made.len()).then_some(index)
    }
}

impl<'s> LineMap<'s> {
    pub(crate) fn new(file: FileId, preprocessed: &'s str, original: Option<&'s str>) -> Self {
        let original = original.map(|text| {
            let tokens = lex_leniently(text).into_iter().filter(|token| token.kind != TokenKind::Blank);
            Original { text, starts: line_starts(text), tokens: tokens.collect() }
        });
        let lines = match original {
            None => Vec::new(),
            Some(_) => presumed_lines(preprocessed),
        };
        let mut made: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.is_own) {
            made.entry(line.user_line).or_default().push(index);
        }
        Self { file, preprocessed, original, lines, made, compared: RefCell::default() }
    }

    /// The span in the user's file of a range of the preprocessed text.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let (start, end) = (self.boundary(start), self.boundary(end.max(start)));
        let Some(original) = &self.original else {
            return self.make(start, end);
        };
        let first = self.line(start);
        let whole_line = line_bounds(original.text, &original.starts, first.user_line);
        if !first.is_own {
            return self.make(whole_line.0, whole_line.1);
        }
        let wanted = &self.preprocessed[start..end];
        match self.written_range(original, start, end) {
            Some((range, true)) => self.make(range.start, range.end),
            // It comes from a macro, perhaps from one of its arguments.
            Some((range, false)) => self.make_inside(original, range, wanted),
            None => {
                let (line_start, line_end) = whole_line;
                let line = &original.text[line_start..line_end];
                self.make_inside(original, line_start + indentation(line)..line_end, wanted)
            }
        }
    }

    /// Where a text stands in a range of the user's file, if it stands there once; else the range.
    fn make_inside(&self, original: &Original<'_>, range: Range<usize>, wanted: &str) -> Span {
        let mut found = original.text[range.clone()].match_indices(wanted);
        match (found.next(), found.next()) {
            (Some((at, _)), None) if !wanted.is_empty() => {
                self.make(range.start + at, range.start + at + wanted.len())
            }
            _ => self.make(range.start, range.end),
        }
    }

    /// The range that was written for a range of the preprocessed text, and whether it begins and
    /// ends with the same tokens.
    fn written_range(
        &self,
        original: &Original<'_>,
        start: usize,
        end: usize,
    ) -> Option<(Range<usize>, bool)> {
        let (first, first_is_same) = self.written_at(original, start)?;
        let (last, last_is_same) =
            self.written_at(original, end.saturating_sub(1).max(start)).unwrap_or((first.clone(), false));
        let range = first.start..last.end.max(first.end);
        Some((range, first_is_same && last_is_same))
    }

    /// Where the token at a position was written, and whether it is the same one.
    fn written_at(&self, original: &Original<'_>, position: usize) -> Option<(Range<usize>, bool)> {
        let line = self.line(position);
        if !line.is_own {
            return None;
        }
        let compared = self.compared(original, line.user_line);
        let made = compared.made_at(position)?;
        let tokens = compared.written_for(made)?;
        let range = compared.written[tokens.start].start..compared.written[tokens.end - 1].end;
        Some((range, compared.same[made].is_some()))
    }

    fn compared(&self, original: &Original<'_>, user_line: usize) -> Rc<Compared> {
        if let Some(known) = self.compared.borrow().get(&user_line) {
            return known.clone();
        }
        let made = self.made_from(user_line);
        let written = self.written_on(original, user_line);
        let same = align(&texts(&made, self.preprocessed), &texts(&written, original.text));
        let compared = Rc::new(Compared { made, written, same });
        self.compared.borrow_mut().insert(user_line, compared.clone());
        compared
    }

    /// The tokens that the preprocessor has made from a line of the user's file.
    fn made_from(&self, user_line: usize) -> Vec<Token> {
        let mut made = Vec::new();
        for &index in self.made.get(&user_line).into_iter().flatten() {
            let line = self.lines[index];
            let end = self.lines.get(index + 1).map_or(self.preprocessed.len(), |next| next.start);
            let text = &self.preprocessed[line.start..end.max(line.start)];
            let tokens = lex_leniently(text).into_iter().filter(|token| token.kind != TokenKind::Blank);
            made.extend(tokens.map(|token| Token {
                start: token.start + line.start,
                end: token.end + line.start,
                ..token
            }));
        }
        made
    }

    /// The tokens on a line of the user's file, and on those behind it that the preprocessor has
    /// added to it: a call of a macro may have several lines.
    fn written_on(&self, original: &Original<'_>, user_line: usize) -> Vec<Token> {
        let mut written = Vec::new();
        for line in user_line..original.starts.len() {
            let (start, end) = line_bounds(original.text, &original.starts, line);
            let first = original.tokens.partition_point(|token| token.start < start);
            let last = original.tokens.partition_point(|token| token.start < end);
            written.extend_from_slice(&original.tokens[first..last.max(first)]);
            let is_continued = original.text[start..end].trim_end().ends_with('\\');
            let depth = depth_of(&written, original.text);
            if !(is_continued || depth > 0) || !self.made_from(line + 1).is_empty() {
                break;
            }
        }
        written.retain(|token| !token.is(original.text, '\\'));
        written
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
        let text = self.original.as_ref().map_or(self.preprocessed, |original| original.text);
        let text = text.get(span.start as usize..span.end as usize).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The number of the user's line on which a span starts.
    pub(crate) fn number(&self, span: Span) -> usize {
        let text = self.original.as_ref().map_or(self.preprocessed, |original| original.text);
        let before = text.as_bytes().get(..span.start as usize).unwrap_or_default();
        before.iter().filter(|&&byte| byte == b'\n').count() + 1
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
}

fn texts<'t>(tokens: &[Token], source: &'t str) -> Vec<&'t str> {
    tokens.iter().map(|token| token.text(source)).collect()
}

/// How many brackets are open behind some tokens.
fn depth_of(tokens: &[Token], source: &str) -> usize {
    tokens.iter().fold(0, |depth: usize, token| match token.text(source) {
        "(" | "[" => depth + 1,
        ")" | "]" => depth.saturating_sub(1),
        _ => depth,
    })
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
    // Lines can be as long as the text: whoever asks often must not look through them each time.
    let Some(&next) = starts.get(line + 1) else { return (start, text.len()) };
    (start, start + text[start..next - 1].trim_end_matches('\r').len())
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
        check(original, preprocessed, "((x == 1)?0:fail())", "assert(x == 1)");
        check(original, preprocessed, "x == 1", "x == 1");
        check(original, preprocessed, "int h;", "#include \"h.h\"");
    }

    #[test]
    fn what_follows_a_macro_is_found() {
        let marked = |text: &str| format!("# 0 \"t.c\"\n# 1 \"t.c\"\n{text}");
        let one = "z = MAX(x,y) + y; w = y;\n";
        let made = marked("z = ((x)>(y)?(x):(y)) + y; w = y;\n");
        check(one, &made, "w = y;", "w = y;");
        check(one, &made, "z = ((x)>(y)?(x):(y)) + y;", "z = MAX(x,y) + y;");
        check(one, &made, "((x)>(y)?(x):(y))", "MAX(x,y)");
        let two = "int N = A, M = B(N); f(N, TRUE);\n";
        let made = marked("int N = 1000000, M = (N + 1); f(N, 1);\n");
        check(two, &made, "f(N, 1)", "f(N, TRUE)");
        check(two, &made, "M = (N + 1)", "M = B(N)");
        check(two, &made, "1000000", "A");
        let lines = "  SET(x,\n      y + 1); z = 1;\nz = 2;\n";
        let made = marked("  x = (y + 1); z = 1;\n\nz = 2;\n");
        check(lines, &made, "z = 1;", "z = 1;");
        check(lines, &made, "z = 2;", "z = 2;");
        check(lines, &made, "y + 1", "y + 1");
        let comment = "x = /* a, b */ M; y = 1; // M\n";
        let made = marked("x = 12345; y = 1;\n");
        check(comment, &made, "y = 1;", "y = 1;");
        let unfinished = "x = M; y = '; z = 1;\nw = 1;\n";
        check(unfinished, &marked("x = 1; y = '; z = 1;\nw = 1;\n"), "w = 1;", "w = 1;");
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
