//! Where a C program visibly touches an assumption: what a reader of the verdict should look at.
//!
//! That an assumption is made is said by the front end, for the whole program. Here the words are looked for that a
//! person has written and that the assumption is about. They are looked for in the text before the preprocessor,
//! outside of comments and of literals. What a header or a macro of one hides is not found; the assumption is named
//! in any case.

use crate::Language;
use crate::source::Loaded;
use rely_base::{FileId, Id, Span};
use std::collections::BTreeSet;

/// A place of the source that an assumption is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Touched {
    /// The assumption, a section of ASSUMPTIONS.md.
    pub assumption: &'static str,
    /// What stands there.
    pub span: Span,
    /// What is made of it, as in "treated as sequentially consistent".
    pub treated: &'static str,
}

/// Orders of memory that are weaker than the one that is explored.
const WEAK_ORDERS: [&str; 10] = [
    "memory_order_relaxed",
    "memory_order_consume",
    "memory_order_acquire",
    "memory_order_release",
    "memory_order_acq_rel",
    "__ATOMIC_RELAXED",
    "__ATOMIC_CONSUME",
    "__ATOMIC_ACQUIRE",
    "__ATOMIC_RELEASE",
    "__ATOMIC_ACQ_REL",
];

/// All such places, in the order of the text.
pub fn touched(loaded: &Loaded) -> Vec<Touched> {
    if loaded.input.language != Language::C {
        return Vec::new();
    }
    let assumed: BTreeSet<&str> = loaded.program.assumptions().iter().copied().collect();
    let externals: BTreeSet<&str> = loaded.program.externals().iter().map(String::as_str).collect();
    let file = FileId::from_index(0);
    let mut external_seen = BTreeSet::new();
    let mut found = Vec::new();
    for (start, word) in words(&loaded.input.text) {
        let weak = WEAK_ORDERS
            .contains(&word)
            .then_some(("atomics-are-strong", "treated as sequentially consistent"));
        // Once is enough: what it is assumed to do does not depend on the place.
        let external = || {
            let is_new = externals.contains(word) && external_seen.insert(word);
            is_new.then_some((
                "externals-touch-only-arguments",
                "not defined here and assumed to change nothing but its arguments",
            ))
        };
        if let Some((assumption, treated)) = weak.or_else(external).filter(|(name, _)| assumed.contains(name))
        {
            let span = Span { file, start: start as u32, end: (start + word.len()) as u32 };
            found.push(Touched { assumption, span, treated });
        }
    }
    found
}

/// The words of a C text with the bytes where they start, without those in comments and literals.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let rest = &bytes[at..];
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
            at += match rest {
                [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
                [b'/', b'*', ..] => {
                    rest.windows(2).skip(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4)
                }
                [quote @ (b'"' | b'\''), ..] => literal_length(rest, *quote),
                [first, ..] if is_word(*first) => {
                    let length = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
                    at += length;
                    return Some((at - length, &text[at - length..at]));
                }
                _ => 1,
            };
        }
        None
    })
}

/// How long a literal is that starts here; at the end of the line it has ended, whatever is missing.
fn literal_length(rest: &[u8], quote: u8) -> usize {
    let mut is_escaped = false;
    for (index, &byte) in rest.iter().enumerate().skip(1) {
        match byte {
            b'\n' if !is_escaped => return index,
            _ if byte == quote && !is_escaped => return index + 1,
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = words(text).map(|(_, word)| word).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_are_those_that_are_executed() {
        check("a /* b */ c // d\ne", &["a", "c", "e"]);
        check("/*/ a */ b /* c", &["b"]);
        check(r#"f("a \" b", 'c', x1) "unended"#, &["f", "x1"]);
        check("\"a\nb\" é_1", &["b"]);
    }

    #[test]
    fn a_weak_order_is_found_where_it_is_assumed_away() {
        let text = "_Atomic int x; // __ATOMIC_RELAXED\nint main(void) { return __atomic_load_n(&x, __ATOMIC_RELAXED); }\n";
        let preprocessed = Some(text.replace("__ATOMIC_RELAXED", "0"));
        let source = crate::Source { preprocessed, ..crate::Source::new("t.c", Language::C, text) };
        let loaded = crate::load(&source).expect("a program");
        let found = touched(&loaded);
        let places = found.iter().map(|found| (found.assumption, loaded.sources.position(found.span).line));
        assert_eq!(places.collect::<Vec<_>>(), [("atomics-are-strong", 2)]);
        assert_eq!(loaded.sources.text(found[0].span), "__ATOMIC_RELAXED");
        let ordered = text.replace("__ATOMIC_RELAXED", "__ATOMIC_SEQ_CST");
        let preprocessed = Some(ordered.replace("__ATOMIC_SEQ_CST", "5"));
        let source = crate::Source { preprocessed, ..crate::Source::new("t.c", Language::C, ordered) };
        assert_eq!(touched(&crate::load(&source).expect("a program")), []);
    }
}
