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

/// Words of the language that stand for an assumption, and what is made of them.
const TELLING: [(&[&str], &str, &str); 3] = [
    (&WEAK_ORDERS, "atomics-are-strong", "treated as sequentially consistent"),
    (
        &["asm", "__asm", "__asm__"],
        "assembly-touches-only-its-operands",
        "assumed to touch only its operands, and to write anything there",
    ),
    (
        &["signal", "sigaction", "setitimer", "alarm", "pthread_kill"],
        "signals-are-not-delivered",
        "assumed to deliver no signal",
    ),
];

/// All such places, in the order of the files and of their texts.
pub fn touched(loaded: &Loaded) -> Vec<Touched> {
    let input = &loaded.input;
    if input.language != Language::C {
        return Vec::new();
    }
    // The front end numbers the files of a program like this.
    let others = input.others.iter().map(|unit| unit.original.as_ref().unwrap_or(&unit.preprocessed));
    let texts = [&input.text].into_iter().chain(others);
    let assumed: BTreeSet<&str> = loaded.program.assumptions().iter().copied().collect();
    let externals: BTreeSet<&str> = loaded.program.externals().iter().map(String::as_str).collect();
    let mut external_seen = BTreeSet::new();
    let mut found = Vec::new();
    for (index, text) in texts.enumerate() {
        let file = FileId::from_index(index);
        for (start, word) in words(text) {
            // Once is enough: what it is assumed to do does not depend on the place.
            let external = || {
                let is_new = externals.contains(word) && external_seen.insert(word);
                is_new.then_some((
                    "externals-touch-only-arguments",
                    "not defined here and assumed to change nothing but its arguments",
                ))
            };
            let told = telling(word).or_else(external);
            if let Some((assumption, treated)) = told.filter(|(name, _)| assumed.contains(name)) {
                let span = Span { file, start: start as u32, end: (start + word.len()) as u32 };
                found.push(Touched { assumption, span, treated });
            }
        }
    }
    found
}

/// The assumption that a word of the language stands for, and what is made of it.
fn telling(word: &str) -> Option<(&'static str, &'static str)> {
    let (_, assumption, treated) = TELLING.iter().find(|(words, ..)| words.contains(&word))?;
    Some((assumption, treated))
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

    #[test]
    fn every_file_of_a_program_is_looked_at() {
        let unit = "void beep(int); void f(void) { beep(1); }\nvoid g(void) { int x; __asm__(\"mov $1, %0\" : \"=r\"(x)); }\n";
        let mut source = crate::Source::new(
            "a.c",
            Language::C,
            "void f(void); void g(void); int main(void) { f(); g(); }",
        );
        source.link(crate::Source::new("b.c", Language::C, unit));
        let loaded = crate::load(&source).expect("a program");
        let places = touched(&loaded).into_iter().map(|found| {
            let position = loaded.sources.position(found.span);
            (loaded.sources.file(found.span.file).name().to_owned(), position.line, found.assumption)
        });
        let expected = [
            ("b.c".to_owned(), 1, "externals-touch-only-arguments"),
            ("b.c".to_owned(), 2, "assembly-touches-only-its-operands"),
        ];
        assert_eq!(places.collect::<Vec<_>>(), expected);
    }
}
