//! S-expressions, read without recursion into a flat list.

use rely_base::{Arena, define_id};

use super::parse::ParseError;

define_id!(
    /// An S-expression of one text.
    pub struct SexprId
);

/// An atom or a list, and where it starts.
#[derive(Clone, Debug)]
pub struct Sexpr {
    /// The byte at which it starts.
    pub start: usize,
    /// What it is.
    pub kind: SexprKind,
}

/// What an S-expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SexprKind {
    /// A symbol, a keyword, a numeral or a decimal, as written; quoted symbols without bars.
    Atom(String),
    /// A string literal.
    Text(String),
    /// A list.
    List(Vec<SexprId>),
}

/// All S-expressions of a text; `top` lists the outermost ones.
#[derive(Debug, Default)]
pub struct Sexprs {
    /// All of them, children before their lists.
    pub nodes: Arena<SexprId, Sexpr>,
    /// The outermost ones, in order.
    pub top: Vec<SexprId>,
}

impl Sexprs {
    /// Reads a text, however deep its lists are nested.
    pub fn read(text: &str) -> Result<Self, ParseError> {
        let mut reader = Reader { text, at: 0, sexprs: Sexprs::default(), open: Vec::new() };
        reader.run()?;
        Ok(reader.sexprs)
    }

    /// The children of a list.
    pub fn list(&self, id: SexprId) -> Option<&[SexprId]> {
        match &self.nodes[id].kind {
            SexprKind::List(children) => Some(children),
            _ => None,
        }
    }

    /// The text of an atom.
    pub fn atom(&self, id: SexprId) -> Option<&str> {
        match &self.nodes[id].kind {
            SexprKind::Atom(text) => Some(text),
            _ => None,
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    sexprs: Sexprs,
    /// The lists that are not closed yet: where they start, and their children so far.
    open: Vec<(usize, Vec<SexprId>)>,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<(), ParseError> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let start = self.at;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b';' => self.at = self.find(b'\n', start).unwrap_or(bytes.len()),
                b'(' => {
                    self.open.push((start, Vec::new()));
                    self.at += 1;
                }
                b')' => self.close()?,
                b'|' => {
                    let end = self
                        .find(b'|', start + 1)
                        .ok_or(ParseError::new(start, "a quoted symbol has no end"))?;
                    self.add(start, SexprKind::Atom(self.text[start + 1..end].to_string()));
                    self.at = end + 1;
                }
                b'"' => self.string_literal()?,
                _ => self.plain_atom(),
            }
        }
        match self.open.last() {
            Some((start, _)) => Err(ParseError::new(*start, "this parenthesis is never closed")),
            None => Ok(()),
        }
    }

    fn find(&self, byte: u8, from: usize) -> Option<usize> {
        self.text.as_bytes()[from..].iter().position(|&b| b == byte).map(|offset| from + offset)
    }

    fn add(&mut self, start: usize, kind: SexprKind) {
        let id = self.sexprs.nodes.push(Sexpr { start, kind });
        match self.open.last_mut() {
            Some((_, children)) => children.push(id),
            None => self.sexprs.top.push(id),
        }
    }

    fn close(&mut self) -> Result<(), ParseError> {
        let (start, children) =
            self.open.pop().ok_or(ParseError::new(self.at, "this parenthesis closes nothing"))?;
        self.at += 1;
        self.add(start, SexprKind::List(children));
        Ok(())
    }

    /// `"..."`, in which two quotes stand for one.
    fn string_literal(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        let mut content = String::new();
        let mut from = start + 1;
        loop {
            let end = self.find(b'"', from).ok_or(ParseError::new(start, "a string has no end"))?;
            content.push_str(&self.text[from..end]);
            from = end + 1;
            if self.text.as_bytes().get(from) != Some(&b'"') {
                break;
            }
            content.push('"');
            from += 1;
        }
        self.at = from;
        self.add(start, SexprKind::Text(content));
        Ok(())
    }

    fn plain_atom(&mut self) {
        let start = self.at;
        let is_end = |c: char| c.is_whitespace() || "()\";|".contains(c);
        let length = self.text[start..].find(is_end).unwrap_or(self.text.len() - start);
        // A character that ends atoms but is none of the above (a foreign space) is skipped.
        self.at += length.max(self.text[start..].chars().next().map_or(1, char::len_utf8));
        if length > 0 {
            self.add(start, SexprKind::Atom(self.text[start..start + length].to_string()));
        }
    }
}
