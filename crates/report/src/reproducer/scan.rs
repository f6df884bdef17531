//! Which variables and functions a C text defines for the whole file.
//!
//! The schedule stands behind the program in the same file, so it can name what is declared
//! outside of all functions, `static` or not. To know what that is takes no parser: only
//! names outside of all braces and parentheses count, and what follows them tells what they
//! are.

use std::collections::{BTreeMap, BTreeSet};

/// The names that a text defines outside of functions.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// With their types, as they are written.
    variables: BTreeMap<String, String>,
    functions: BTreeSet<String>,
}

impl Names {
    /// Looks through a preprocessed text.
    pub(super) fn in_text(text: &str) -> Self {
        let tokens = tokens(text);
        let mut names = Names::default();
        let mut depth = 0_usize;
        let mut declaration = Declaration::default();
        for (index, token) in tokens.iter().enumerate() {
            let next = tokens.get(index + 1).copied().unwrap_or("");
            match *token {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && *token == "}" {
                        declaration = Declaration::default();
                    }
                }
                ";" | "," | "*" if depth == 0 => declaration.mark(token),
                word if depth == 0 && is_word(word) => match next {
                    "(" if is_definition(&tokens[index + 1..]) => {
                        names.functions.insert(word.to_owned());
                    }
                    "=" | ";" | "," | "[" | "__attribute__" => {
                        names.variables.insert(word.to_owned(), declaration.ty());
                    }
                    _ => declaration.word(word),
                },
                _ => {}
            }
        }
        names
    }

    /// Whether a name is declared as a variable (or as a type, which no variable is called).
    pub(super) fn is_variable(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// The type of a variable as it is written, without what does not matter for its value.
    pub(super) fn type_of(&self, variable: &str) -> Option<&str> {
        self.variables.get(variable).map(String::as_str)
    }

    /// Whether a name is that of a function with a body.
    pub(super) fn is_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// The functions that have a body.
    pub(super) fn functions(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(String::as_str)
    }
}

/// What was read of a declaration.
#[derive(Debug, Default)]
struct Declaration<'t> {
    words: Vec<&'t str>,
    stars: usize,
    has_declarator: bool,
}

impl<'t> Declaration<'t> {
    fn word(&mut self, word: &'t str) {
        let is_storage = matches!(word, "static" | "extern" | "volatile" | "const" | "register");
        if !self.has_declarator && !is_storage {
            self.words.push(word);
        }
    }

    fn mark(&mut self, mark: &str) {
        match mark {
            "*" => self.stars += 1,
            "," => self.stars = 0,
            _ => *self = Self::default(),
        }
    }

    /// The type of what is declared next.
    fn ty(&mut self) -> String {
        self.has_declarator = true;
        format!("{}{}", self.words.join(" "), "*".repeat(self.stars))
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Whether a body follows the parameters, which start here.
fn is_definition(tokens: &[&str]) -> bool {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match *token {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return tokens.get(index + 1) == Some(&"{");
        }
    }
    false
}

/// Words and single marks; comments, texts and lines of the preprocessor are left out.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut at_line_start = true;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\n' => {
                at_line_start = true;
                rest = &rest[1..];
                continue;
            }
            '#' if at_line_start => rest.find('\n').unwrap_or(rest.len()),
            _ if first.is_whitespace() => {
                rest = &rest[first.len_utf8()..];
                continue;
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' => quoted_length(rest, first),
            _ if first.is_alphanumeric() || first == '_' => {
                let is_part = |part: char| part.is_alphanumeric() || part == '_';
                let length = rest.find(|part| !is_part(part)).unwrap_or(rest.len());
                tokens.push(&rest[..length]);
                length
            }
            _ => {
                tokens.push(&rest[..first.len_utf8()]);
                first.len_utf8()
            }
        };
        at_line_start = false;
        rest = &rest[length..];
    }
    tokens
}

fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if letter == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: &Expect) {
        let names = Names::in_text(text);
        expected.assert_eq(&format!("{:?} {:?}", names.variables, names.functions));
    }

    #[test]
    fn names_outside_of_functions_are_found() {
        check("static int x; int a[3], b = 1;", &expect![[r#"{"a": "int", "b": "int", "x": "int"} {}"#]]);
        check("struct q { int inner; } q = { .inner = 1 };", &expect![[r#"{"q": ""} {}"#]]);
        check("int f(int p) { int local; { f(3); } } int g(void);", &expect![[r#"{} {"f"}"#]]);
    }

    #[test]
    fn comments_and_texts_hide_nothing() {
        check(
            "# 1 \"a.c\"\n/* int c; { */ char *s = \"{ \\\" \"; // }\nint y;",
            &expect![[r#"{"s": "char*", "y": "int"} {}"#]],
        );
        check(
            "char q = '\\''; char b = '{'; int z;",
            &expect![[r#"{"b": "char", "q": "char", "z": "int"} {}"#]],
        );
        check("int open; \"never closed", &expect![[r#"{"open": "int"} {}"#]]);
    }
}
