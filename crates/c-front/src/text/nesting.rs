//! How deeply a text nests, found out before anything recurses over it.
//!
//! Brackets nest, but so do chains without brackets: prefix operators, `else if`, the right
//! sides of assignments, and the left sides of long sums. Every operator and keyword since the
//! last separator counts as one level; that is never less than what the parser builds.

use super::lexer::{Token, TokenKind};

/// The deepest nesting of brackets that is read: the parser's time grows with its square.
const MAX_BRACKETS: usize = 256;
/// The deepest nesting in all, brackets and chains.
const MAX_DEPTH: usize = 2_000;

/// One open bracket and what has been chained up inside it.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// Operators and keywords since the last separator.
    chained: usize,
    /// What `chained` was before the last separator, for an `else` that continues it.
    before_separator: usize,
    /// Whether the bracket is a brace.
    is_brace: bool,
}

/// The first token at which the text nests too deeply, if it does.
pub(super) fn too_deep(source: &str, tokens: &[Token]) -> Option<Token> {
    let mut levels = vec![Level { is_brace: true, ..Level::default() }];
    let mut depth_below = 0;
    for &token in tokens {
        let top = levels.last_mut()?;
        match token.kind {
            TokenKind::Blank | TokenKind::Number | TokenKind::Literal => {}
            TokenKind::Word => match token.text(source) {
                "else" => top.chained = top.before_separator + 1,
                "if" | "while" | "for" | "do" | "switch" | "case" | "default" | "sizeof" | "_Alignof" => {
                    top.chained += 1;
                }
                _ => {}
            },
            TokenKind::Punctuation => match source.as_bytes()[token.start] {
                b'(' | b'[' | b'{' => {
                    top.chained += 1;
                    depth_below += top.chained;
                    let is_brace = source.as_bytes()[token.start] == b'{';
                    levels.push(Level { is_brace, ..Level::default() });
                }
                b')' | b']' | b'}' => {
                    if levels.len() > 1 {
                        let closed = levels.pop()?;
                        let top = levels.last_mut()?;
                        depth_below -= top.chained;
                        if closed.is_brace {
                            top.separate();
                        }
                    }
                }
                b';' | b',' => top.separate(),
                _ => top.chained += 1,
            },
        }
        let chained = levels.last().map_or(0, |top| top.chained);
        if levels.len() > MAX_BRACKETS || depth_below + chained > MAX_DEPTH {
            return Some(token);
        }
    }
    None
}

impl Level {
    fn separate(&mut self) {
        self.before_separator = std::mem::take(&mut self.chained);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lexer::lex;

    fn check(source: &str, expected: bool) {
        let tokens = lex(source).expect("the text has only whole tokens");
        assert_eq!(too_deep(source, &tokens).is_some(), expected, "{}", &source[..source.len().min(80)]);
    }

    #[test]
    fn deep_texts_are_found() {
        check(&format!("int x = {}1{};", "(".repeat(200), ")".repeat(200)), false);
        check(&format!("int x = {}1{};", "(".repeat(100_000), ")".repeat(100_000)), true);
        check(&format!("int x = {}1;", "- ".repeat(10_000)), true);
        check(&format!("int x = 1{};", "+1".repeat(10_000)), true);
        check(&format!("void f() {{ {} ; }}", "if (x) ; else ".repeat(10_000)), true);
        check(&format!("void f() {{ {} }}", "if (x) { y; } else { z; }".repeat(10_000)), false);
        check(&format!("int a[] = {{ {} }};", "-1, ".repeat(10_000)), false);
        check(&format!("void f() {{ {} }}", "x = x + 1; ".repeat(10_000)), false);
    }
}
