//! Source files, spans in them, and the lines that a person sees.

use crate::Arena;

crate::define_id!(
    /// A source file in a [`SourceMap`].
    pub struct FileId
);

/// A half-open range of bytes in one source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; the first one if they are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position as editors show it: both count from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from one.
    pub line: u32,
    /// The character in the line, from one.
    pub column: u32,
}

/// A text with its name and a table of its lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(name: String, text: String) -> Self {
        let after_newlines = text.match_indices('\n').map(|(at, _)| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(after_newlines).collect();
        Self { name, text, line_starts }
    }

    /// The name under which the user knows the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a byte is; positions behind the end are at the end.
    pub fn position(&self, byte: u32) -> LineColumn {
        let byte = byte.min(self.text.len() as u32);
        let line = self.line_starts.partition_point(|&start| start <= byte);
        let start = self.line_starts[line - 1] as usize;
        let before = self.text.get(start..byte as usize).unwrap_or("");
        LineColumn { line: line as u32, column: before.chars().count() as u32 + 1 }
    }

    /// The text of a line (from one) without its line end, or `None` if there is no such line.
    pub fn line(&self, line: u32) -> Option<&str> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.line_starts.get(index)? as usize;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        Some(self.text[start..end].trim_end_matches(['\n', '\r']))
    }
}

/// All source texts of one run.
///
/// ```
/// use rely_base::{SourceMap, Span};
///
/// let mut sources = SourceMap::new();
/// let file = sources.add("a.rely", "var x: int;\nvar y: int;\n");
/// let span = Span { file, start: 16, end: 17 };
/// assert_eq!(sources.text(span), "y");
/// assert_eq!(sources.position(span).line, 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Arena<FileId, SourceFile>,
}

impl SourceMap {
    /// A map without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text. Files of 4 GiB or more must be refused before this.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name.into(), text.into()))
    }

    /// The file of an id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// The file of an id, if it is one of this map.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id)
    }

    /// The text under a span (empty if the span is not inside its file).
    pub fn text(&self, span: Span) -> &str {
        self.files[span.file].text().get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where a span starts.
    pub fn position(&self, span: Span) -> LineColumn {
        self.files[span.file].position(span.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, byte: u32, line: u32, column: u32) {
        let file = SourceFile::new("test".into(), text.into());
        assert_eq!(file.position(byte), LineColumn { line, column });
    }

    #[test]
    fn positions_count_lines_and_characters() {
        check("ab\ncd", 0, 1, 1);
        check("ab\ncd", 2, 1, 3);
        check("ab\ncd", 3, 2, 1);
        check("é=x", 2, 1, 2);
        check("ab", 99, 1, 3);
        check("", 0, 1, 1);
    }

    #[test]
    fn lines_come_without_their_ends() {
        let file = SourceFile::new("test".into(), "one\r\ntwo".into());
        assert_eq!(file.line(1), Some("one"));
        assert_eq!(file.line(2), Some("two"));
        assert_eq!(file.line(3), None);
        assert_eq!(file.line(0), None);
    }
}
