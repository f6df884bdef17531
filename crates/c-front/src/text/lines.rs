//! From positions in preprocessed text to the file that a person wrote.
//!
//! The preprocessor leaves line markers, so the line is always known. Columns are another matter:
//! behind a macro, everything is shifted. So the tokens of a line are compared with those that the
//! preprocessor has made of it. What both have in common stands where it stands; what does not
//! comes from a macro, and is looked for among its arguments, or is the macro itself. No span ends in the
//! middle of a macro ([`Calls`](super::calls::Calls)).

use super::compared::Compared;
use super::lexer::{Token, TokenKind, lex_leniently};
use crate::annotation::{Annotation, annotations, refuse_annotations};
use rely_base::{Diagnostic, FileId, Span};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

/// The lines of a preprocessed text, and where they come from.
#[derive(Debug)]
pub(crate) struct LineMap<'s> {
    preprocessed: &'s str,
    /// The texts that the user knows.
    files: Vec<Written<'s>>,
    /// The files that were translated, in the order in which they stand in the text.
    units: Vec<UnitLines>,
    /// For each line of the preprocessed text: where it starts and where it comes from.
    lines: Vec<Line>,
    /// Which of them come from a line of a file, each time that it was included.
    made: FxHashMap<Origin, Vec<usize>>,
    /// The lines of the user's files that have been asked for.
    compared: RefCell<FxHashMap<Origin, Rc<Compared>>>,
}

/// A file of the program in the preprocessed text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitLines {
    /// Where it starts there.
    pub(crate) start: usize,
    /// Which of the texts that the user knows it was.
    pub(crate) file: usize,
    /// Whether it was preprocessed. Otherwise the text is the one that the user knows.
    pub(crate) is_preprocessed: bool,
}

/// What the user wrote.
#[derive(Debug)]
pub(crate) struct Written<'s> {
    file: FileId,
    name: &'s str,
    text: &'s str,
    starts: Vec<usize>,
    tokens: OnceCell<Vec<Token>>,
}

impl<'s> Written<'s> {
    pub(crate) fn new(file: FileId, name: &'s str, text: &'s str) -> Self {
        Written { file, name, text, starts: line_starts(text), tokens: OnceCell::new() }
    }

    fn tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| {
            lex_leniently(self.text).into_iter().filter(|token| token.kind != TokenKind::Blank).collect()
        })
    }
}

/// A line of a file that was included once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Origin {
    file: usize,
    /// Which time the file was included.
    inclusion: usize,
    /// From zero.
    line: usize,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    start: usize,
    /// Its own line, or that of the `#include` of a file that the user does not know.
    origin: Origin,
    /// Whether the line stands in that file.
    is_own: bool,
}

impl<'s> LineMap<'s> {
    /// The units stand in the order of their starts.
    pub(crate) fn new(preprocessed: &'s str, files: Vec<Written<'s>>, units: Vec<UnitLines>) -> Self {
        let mut markers = Markers { names: FxHashMap::default(), inclusions: 0, lines: Vec::new() };
        for (index, file) in files.iter().enumerate() {
            markers.names.entry(file.name).or_insert(index);
        }
        for (index, unit) in units.iter().enumerate().filter(|(_, unit)| unit.is_preprocessed) {
            let end = units.get(index + 1).map_or(preprocessed.len(), |next| next.start);
            markers.follow(&preprocessed[unit.start..end], *unit);
        }
        let lines = markers.lines;
        let mut made: FxHashMap<Origin, Vec<usize>> = FxHashMap::default();
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.is_own) {
            made.entry(line.origin).or_default().push(index);
        }
        Self { preprocessed, files, units, lines, made, compared: RefCell::default() }
    }

    /// The properties that stand in comments of the files of the program.
    pub(crate) fn annotations(&self) -> Result<Vec<Annotation>, Diagnostic> {
        let mut found = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            let written = &self.files[unit.file];
            found.extend(annotations(written.file, written.text, index)?);
        }
        let is_unit = |file: usize| self.units.iter().any(|unit| unit.file == file);
        for (_, included) in self.files.iter().enumerate().filter(|(file, _)| !is_unit(*file)) {
            refuse_annotations(included.file, included.text)?;
        }
        Ok(found)
    }

    /// The number of the file of the program in which a position lies.
    pub(crate) fn unit_at(&self, position: usize) -> usize {
        self.units.partition_point(|unit| unit.start <= position).saturating_sub(1)
    }

    /// The span in the user's file of a range of the preprocessed text.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let (start, end) = (self.boundary(start), self.boundary(end.max(start)));
        let unit = self.unit(start);
        if !unit.is_preprocessed {
            return make(&self.files[unit.file], start - unit.start..end - unit.start);
        }
        let first = self.line(start);
        let original = &self.files[first.origin.file];
        let whole_line = line_bounds(original.text, &original.starts, first.origin.line);
        if !first.is_own {
            return make(original, whole_line.0..whole_line.1);
        }
        let wanted = &self.preprocessed[start..end];
        match self.written_range(first.origin, start, end) {
            Some((range, true)) => make(original, range),
            // It comes from a macro, perhaps from one of its arguments.
            Some((range, false)) => {
                let compared = self.compared(first.origin);
                make_inside(original, range, wanted, |part| compared.is_cut(part))
            }
            None => {
                let (line_start, line_end) = whole_line;
                let line = &original.text[line_start..line_end];
                make_inside(original, line_start + indentation(line)..line_end, wanted, |_| false)
            }
        }
    }

    /// The range that was written for a range of the preprocessed text, and whether it begins and
    /// ends with the same tokens.
    fn written_range(&self, origin: Origin, start: usize, end: usize) -> Option<(Range<usize>, bool)> {
        let (first_line, first) = self.made_at(origin, start)?;
        let first_is_same = first_line.is_same(first);
        let Some((last_line, last)) = self.made_at(origin, end.saturating_sub(1).max(start)) else {
            let tokens = first_line.written_range(first, first)?;
            return Some((first_line.bytes(&tokens), false));
        };
        let is_same = first_is_same && last_line.is_same(last);
        if Rc::ptr_eq(&first_line, &last_line) {
            let tokens = first_line.written_range(first, last.max(first))?;
            return Some((first_line.bytes(&tokens), is_same));
        }
        let Range { start, end } = first_line.bytes(&first_line.rest_from(first)?);
        let last = last_line.written_range(0, last).map(|tokens| last_line.bytes(&tokens).end);
        Some((start..last.unwrap_or(end).max(start), is_same))
    }

    /// The token that was made at a position, and its line; nothing if that is in another file.
    fn made_at(&self, wanted: Origin, position: usize) -> Option<(Rc<Compared>, usize)> {
        let Line { origin, is_own, .. } = self.line(position);
        if !is_own || (origin.file, origin.inclusion) != (wanted.file, wanted.inclusion) {
            return None;
        }
        let compared = self.compared(origin);
        let made = compared.made_at(position)?;
        Some((compared, made))
    }

    fn compared(&self, origin: Origin) -> Rc<Compared> {
        if let Some(known) = self.compared.borrow().get(&origin) {
            return known.clone();
        }
        let original = &self.files[origin.file];
        let made = self.made_from(origin);
        let written = self.written_on(origin);
        let compared = Rc::new(Compared::new(made, self.preprocessed, written, original.text));
        self.compared.borrow_mut().insert(origin, compared.clone());
        compared
    }

    /// The tokens that the preprocessor has made from a line of the user's file.
    fn made_from(&self, origin: Origin) -> Vec<Token> {
        let mut made = Vec::new();
        for &index in self.made.get(&origin).into_iter().flatten() {
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
    fn written_on(&self, origin: Origin) -> Vec<Token> {
        let original = &self.files[origin.file];
        let tokens = original.tokens();
        let mut written = Vec::new();
        for line in origin.line..original.starts.len() {
            let (start, end) = line_bounds(original.text, &original.starts, line);
            let first = tokens.partition_point(|token| token.start < start);
            let last = tokens.partition_point(|token| token.start < end);
            written.extend_from_slice(&tokens[first..last.max(first)]);
            let is_continued = original.text[start..end].trim_end().ends_with('\\');
            let depth = depth_of(&written, original.text);
            let next = Origin { line: line + 1, ..origin };
            if !(is_continued || depth > 0) || !self.made_from(next).is_empty() {
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
        let text = self.shown(span).get(span.start as usize..span.end as usize).unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The number of the user's line on which a span starts.
    pub(crate) fn number(&self, span: Span) -> usize {
        let before = self.shown(span).as_bytes().get(..span.start as usize).unwrap_or_default();
        before.iter().filter(|&&byte| byte == b'\n').count() + 1
    }

    /// The text into which a span points.
    fn shown(&self, span: Span) -> &'s str {
        self.files.iter().find(|file| file.file == span.file).map_or("", |file| file.text)
    }

    fn unit(&self, position: usize) -> UnitLines {
        self.units[self.unit_at(position)]
    }

    fn line(&self, position: usize) -> Line {
        let index = self.lines.partition_point(|line| line.start <= position);
        match index.checked_sub(1) {
            Some(index) => self.lines[index],
            None => {
                let origin = Origin { file: self.unit(position).file, inclusion: 0, line: 0 };
                Line { start: 0, origin, is_own: true }
            }
        }
    }
}

fn make(file: &Written<'_>, range: Range<usize>) -> Span {
    Span { file: file.file, start: range.start as u32, end: range.end.max(range.start) as u32 }
}

/// Where a text stands in a range of the user's file, if it stands there once and may be told apart; else the range.
fn make_inside(
    original: &Written<'_>,
    range: Range<usize>,
    wanted: &str,
    is_cut: impl Fn(&Range<usize>) -> bool,
) -> Span {
    let mut found = original.text[range.clone()].match_indices(wanted);
    let (first, second) = (found.next(), found.next());
    let only = first.filter(|_| second.is_none() && !wanted.is_empty());
    let part = only.map(|(at, _)| range.start + at..range.start + at + wanted.len());
    make(original, part.filter(|part| !is_cut(part)).unwrap_or(range))
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

/// Follows the line markers.
struct Markers<'s> {
    /// The files that the user knows, by their names.
    names: FxHashMap<&'s str, usize>,
    /// How many times a file was included so far.
    inclusions: usize,
    lines: Vec<Line>,
}

/// A file that is being included.
#[derive(Clone, Copy)]
struct Inclusion<'s> {
    name: &'s str,
    number: usize,
}

impl<'s> Markers<'s> {
    /// The lines of a unit. Its first marker names the file itself.
    fn follow(&mut self, text: &'s str, unit: UnitLines) {
        let mut stack = vec![Inclusion { name: "", number: self.next_inclusion() }];
        // Who comes back from a text without a name of its own is in the same inclusion as before.
        let mut siblings: FxHashMap<(usize, &str), usize> = FxHashMap::default();
        let mut main_name: Option<&str> = None;
        let mut origin = Origin { file: unit.file, inclusion: stack[0].number, line: 0 };
        let mut is_own = true;
        let mut start = unit.start;
        for line in text.split_inclusive('\n') {
            let Some(marker) = line_marker(line) else {
                self.lines.push(Line { start, origin, is_own });
                origin.line += usize::from(is_own);
                start += line.len();
                continue;
            };
            let name = marker.name;
            if main_name.is_none() {
                main_name = Some(name);
                stack[0].name = name;
                siblings.insert((1, name), stack[0].number);
            }
            if marker.enters {
                stack.push(Inclusion { name, number: self.next_inclusion() });
            } else if marker.returns && stack.len() > 1 {
                stack.pop();
                while stack.len() > 1 && stack.last().is_some_and(|top| top.name != name) {
                    stack.pop();
                }
            }
            let depth = stack.len();
            let is_other = stack[depth - 1].name != name;
            if is_other {
                let number = *siblings.entry((depth, name)).or_insert_with(|| {
                    self.inclusions += 1;
                    self.inclusions
                });
                stack[depth - 1] = Inclusion { name, number };
            }
            let file = if main_name == Some(name) { Some(unit.file) } else { self.names.get(name).copied() };
            // While in a header that the user does not know, the line stays that of its `#include`.
            is_own = file.is_some();
            if let Some(file) = file {
                let inclusion = stack[depth - 1].number;
                origin = Origin { file, inclusion, line: marker.line.saturating_sub(1) };
            }
            start += line.len();
            self.lines.push(Line { start, origin, is_own });
        }
    }

    fn next_inclusion(&mut self) -> usize {
        self.inclusions += 1;
        self.inclusions
    }
}

/// `# 12 "file" flags` or `#line 12 "file"`.
struct Marker<'s> {
    line: usize,
    name: &'s str,
    /// Whether it stands where a file starts to be included.
    enters: bool,
    /// Whether it stands behind a file that was included.
    returns: bool,
}

fn line_marker(line: &str) -> Option<Marker<'_>> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let line = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"')?;
    let (name, flags) = name.split_once('"')?;
    let has = |wanted: &str| flags.split_whitespace().any(|flag| flag == wanted);
    Some(Marker { line, name, enters: has("1"), returns: has("2") })
}

/// The names of the files that were included, and that are not those of the system.
pub(crate) fn included_files(preprocessed: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for line in preprocessed.lines().filter(|line| line.starts_with('#')) {
        let Some(marker) = line_marker(line) else { continue };
        let is_system = line.ends_with(" 3") || line.contains(" 3 4");
        if marker.enters && !is_system && !marker.name.starts_with('<') {
            names.push(marker.name);
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use rely_base::SourceMap;

    fn check(original: &str, preprocessed: &str, part: &str, expected: &str) {
        let mut sources = SourceMap::new();
        let written = vec![Written::new(sources.add("t.c", original), "t.c", original)];
        let unit = UnitLines { start: 0, file: 0, is_preprocessed: true };
        let map = LineMap::new(preprocessed, written, vec![unit]);
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
        let call = "LOCK(a); x = 1; CHECK(x == 5); y = 2;\n";
        let made = marked(
            "do { take(&(a)); } while (0); x = 1; do { if (!(x == 5)) { fail(); } } while (0); y = 2;\n",
        );
        check(call, &made, "take(&(a))", "LOCK(a)");
        check(call, &made, "!(x == 5)", "CHECK(x == 5)");
        check(call, &made, "fail()", "CHECK(x == 5)");
        check(call, &made, "y = 2;", "y = 2;");
        let twice = "if (a) TWICE(b++); c = 1;\n";
        let made = marked("if (a) b++; b++; c = 1;\n");
        check(twice, &made, "b++; b++", "TWICE(b++)");
        check(twice, &made, "b++; c", "TWICE(b++); c");
        let add = "ADD(x);\n";
        let made = marked("do { int seen = (x); (x) = seen + 1; } while (0);\n");
        check(add, &made, "(x) = seen + 1", "ADD(x)");
        let sum = "SET(x, y); x = 2;\n";
        let made = marked("x = y + 1; x = 2;\n");
        check(sum, &made, "x = y + 1", "SET(x, y)");
        check(sum, &made, "x = y", "SET(x, y)");
        check(sum, &made, "x = 2;", "x = 2;");
        let check_twice = "CHECK(x == 2); CHECK(y == 4);\n";
        let made = marked("((((x == 2) && \"no\"))?0:fail()); ((((y == 4) && \"no\"))?0:fail());\n");
        check(check_twice, &made, "(x == 2) && \"no\"", "CHECK(x == 2)");
        check(check_twice, &made, "(y == 4) && \"no\"", "CHECK(y == 4)");
        check(check_twice, &made, "y == 4", "y == 4");
        let unfinished = "x = M; y = '; z = 1;\nw = 1;\n";
        check(unfinished, &marked("x = 1; y = '; z = 1;\nw = 1;\n"), "w = 1;", "w = 1;");
    }

    #[test]
    fn texts_without_original_report_their_own_lines() {
        let mut sources = SourceMap::new();
        let text = "# 1 \"other.c\"\nint x;";
        let file = sources.add("t.i", text);
        let unit = UnitLines { start: 0, file: 0, is_preprocessed: false };
        let map = LineMap::new(text, vec![Written::new(file, "t.i", text)], vec![unit]);
        let span = map.span(14, 20);
        assert_eq!((sources.text(span), sources.position(span).line), ("int x;", 2));
    }

    #[test]
    fn files_and_headers_that_are_known_have_their_own_lines() {
        let (a, b, h) = ("#include \"h.h\"\nint a;\n", "#include \"h.h\"\nint b;\n", "\nint h;\n");
        let part = |name: &str, own: &str| {
            format!("# 1 \"{name}\"\n# 1 \"h.h\" 1\n\nint h;\n# 2 \"{name}\" 2\n{own}\n")
        };
        let (first, second) = (part("a.c", "int a;"), part("b.c", "int b;"));
        let text = format!("{first}{second}");
        let mut sources = SourceMap::new();
        let files = [("a.c", a), ("b.c", b), ("h.h", h)];
        let written = files.map(|(name, text)| Written::new(sources.add(name, text), name, text));
        let unit = |start, file| UnitLines { start, file, is_preprocessed: true };
        let map = LineMap::new(&text, written.into(), vec![unit(0, 0), unit(first.len(), 1)]);
        let found = |start: usize| {
            let span = map.span(start, start + 6);
            (sources.file(span.file).name().to_owned(), sources.position(span).line, map.text(span))
        };
        let at = |wanted: &str| text.find(wanted).expect("it stands there");
        assert_eq!(found(at("int a;")), ("a.c".to_owned(), 2, "int a;".to_owned()));
        assert_eq!(found(at("int b;")), ("b.c".to_owned(), 2, "int b;".to_owned()));
        assert_eq!(found(at("int h;")), ("h.h".to_owned(), 2, "int h;".to_owned()));
        assert_eq!(found(text.rfind("int h;").expect("twice")), ("h.h".to_owned(), 2, "int h;".to_owned()));
        assert_eq!(included_files(&text), ["h.h"]);
    }
}
