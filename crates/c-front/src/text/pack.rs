//! `#pragma pack`: the largest alignment of members from some place of the text on.
//!
//! The parser does not see directives, so the values are read here, each with the position from
//! which on it is in force.

use super::lexer::{Token, TokenKind};
use super::prepare::Unreadable;

/// From a position on, members are aligned to so many bytes at most; `None`: without a limit.
pub(super) type Packing = (usize, Option<u64>);

/// All changes of the packing, in order.
pub(super) fn packings(source: &str, tokens: &[Token]) -> Result<Vec<Packing>, Unreadable> {
    let mut stack: Vec<(Option<&str>, Option<u64>)> = Vec::new();
    let mut current = None;
    let mut packings = Vec::new();
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Blank) {
        let Some(arguments) = pack_arguments(token.text(source)) else { continue };
        let unreadable = || {
            let text = token.text(source).trim();
            let help = "write `push`, `pop` or one of 1, 2, 4, 8 and 16 in its parentheses";
            Unreadable { at: token.start, message: format!("`{text}` is not supported: {help}") }
        };
        current = packed(&arguments.ok_or_else(unreadable)?, current, &mut stack).ok_or_else(unreadable)?;
        packings.push((token.end, current));
    }
    Ok(packings)
}

/// The arguments of a directive, if it is `#pragma pack`; `Some(None)` if it has no parentheses.
fn pack_arguments(line: &str) -> Option<Option<Vec<&str>>> {
    let rest = line.strip_prefix('#')?.trim_start().strip_prefix("pragma")?;
    let rest = rest.trim_start().strip_prefix("pack")?;
    if rest.starts_with(|next: char| next.is_alphanumeric() || next == '_') {
        return None;
    }
    let inside = rest.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    Some(inside.map(|inside| match inside.trim() {
        "" => Vec::new(),
        inside => inside.split(',').map(str::trim).collect(),
    }))
}

/// The packing after one directive; `None` if gcc would not understand it.
fn packed<'s>(
    arguments: &[&'s str],
    current: Option<u64>,
    stack: &mut Vec<(Option<&'s str>, Option<u64>)>,
) -> Option<Option<u64>> {
    Some(match *arguments {
        [] => None,
        ["push"] => {
            stack.push((None, current));
            current
        }
        ["push", word] => match limit(word) {
            Some(limit) => {
                stack.push((None, current));
                limit
            }
            None => {
                stack.push((Some(name(word)?), current));
                current
            }
        },
        ["push", word, number] => {
            stack.push((Some(name(word)?), current));
            limit(number)?
        }
        ["pop"] => stack.pop()?.1,
        ["pop", word] => {
            let word = name(word)?;
            let depth = stack.iter().rposition(|(own, _)| *own == Some(word))?;
            let (_, before) = stack[depth];
            stack.truncate(depth);
            before
        }
        [number] => limit(number)?,
        _ => return None,
    })
}

fn limit(word: &str) -> Option<Option<u64>> {
    match word.parse() {
        Ok(0) => Some(None),
        Ok(number @ (1 | 2 | 4 | 8 | 16)) => Some(Some(number)),
        _ => None,
    }
}

fn name(word: &str) -> Option<&str> {
    let is_name = word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    is_name.then_some(word)
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    fn check(source: &str, expected: &[Option<u64>]) {
        let tokens = lex(source).expect("the text has only whole tokens");
        let found = packings(source, &tokens).expect("the directives are understood");
        assert_eq!(found.into_iter().map(|(_, limit)| limit).collect::<Vec<_>>(), expected, "{source}");
    }

    #[test]
    fn the_stack_of_packings_is_followed() {
        check("#pragma pack(1)\nint x;\n#pragma pack()\n", &[Some(1), None]);
        check("#pragma pack(push, 2)\n#pragma pack(4)\n# pragma pack (pop)", &[Some(2), Some(4), None]);
        check(
            "#pragma pack(8)\n#pragma pack(push)\n#pragma pack(0)\n#pragma pack(pop)",
            &[Some(8), Some(8), None, Some(8)],
        );
        check(
            "#pragma pack(push, a, 2)\n#pragma pack(push, 1)\n#pragma pack(pop, a)",
            &[Some(2), Some(1), None],
        );
        check("#pragma packed\n#pragma once\n# 1 \"pack(1)\"\n", &[]);
    }

    #[test]
    fn other_packings_are_refused() {
        for source in ["#pragma pack", "#pragma pack(3)", "#pragma pack(N)", "#pragma pack(pop)"] {
            let tokens = lex(source).expect("the text has only whole tokens");
            assert!(packings(source, &tokens).is_err(), "{source}");
        }
    }
}
