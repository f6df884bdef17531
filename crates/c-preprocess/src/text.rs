//! Translation phases 1 and 2: the text of a file as the lexer reads it.
//!
//! Lines that end with a backslash are joined, and where that happened is remembered, because
//! the tokens behind it still have the line and the column that they have in the file.

use crate::Declined;
use memchr::memchr;

/// A text without joined lines, which ends with a line end.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    /// Positions at which a line of the file begins that was joined to the one before.
    pub(crate) joints: Vec<u32>,
}

impl Text {
    pub(crate) fn new(mut bytes: Vec<u8>) -> Result<Self, Declined> {
        if memchr(0, &bytes).is_some() {
            return Err(Declined::Character("a zero byte".into()));
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return Err(Declined::Character("a byte order mark".into()));
        }
        if memchr(b'\r', &bytes).is_some() {
            bytes = without_carriage_returns(&bytes)?;
        }
        if bytes.last().is_some_and(|&last| last != b'\n') {
            bytes.push(b'\n');
        }
        let mut joints = Vec::new();
        bytes = join(bytes, &mut joints)?;
        Ok(Self { bytes, joints })
    }
}

fn without_carriage_returns(bytes: &[u8]) -> Result<Vec<u8>, Declined> {
    let mut kept = Vec::with_capacity(bytes.len());
    for (at, &byte) in bytes.iter().enumerate() {
        match (byte, bytes.get(at + 1)) {
            (b'\r', Some(b'\n')) => {}
            (b'\r', _) => return Err(Declined::Character("a carriage return".into())),
            _ => kept.push(byte),
        }
    }
    Ok(kept)
}

/// Joins the lines that end with a backslash. Blanks behind the backslash are accepted by
/// compilers with a warning, which they shall give.
fn join(bytes: Vec<u8>, joints: &mut Vec<u32>) -> Result<Vec<u8>, Declined> {
    let mut joined = Vec::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(distance) = memchr(b'\\', &bytes[at..]) {
        let backslash = at + distance;
        at = backslash + 1;
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | 0x0b | 0x0c);
        let blanks = bytes[at..].iter().take_while(is_blank).count();
        if bytes.get(at + blanks) != Some(&b'\n') {
            continue;
        }
        if blanks > 0 {
            return Err(Declined::Character("a blank behind the backslash at the end of a line".into()));
        }
        joined.extend_from_slice(&bytes[kept..backslash]);
        joints.push(joined.len() as u32);
        at += 1;
        kept = at;
    }
    if kept == 0 {
        return Ok(bytes);
    }
    joined.extend_from_slice(&bytes[kept..]);
    if joined.last().is_some_and(|&last| last != b'\n') {
        return Err(Declined::Character("a backslash at the end of the file".into()));
    }
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str, joints: &[u32]) {
        let text = Text::new(source.into()).expect("the text can be read");
        assert_eq!((String::from_utf8_lossy(&text.bytes).as_ref(), &*text.joints), (expected, joints));
    }

    #[test]
    fn lines_are_joined() {
        check("a\nb", "a\nb\n", &[]);
        check("", "", &[]);
        check("a\\\nb\\\n\\\nc\n", "abc\n", &[1, 2, 2]);
        check("\\n a\r\nb\\\r\nc", "\\n a\nbc\n", &[6]);
    }

    #[test]
    fn doubtful_texts_are_declined() {
        for source in ["a\0", "a\rb", "a \\ \nb", "a\\\n", "\u{feff}a"] {
            assert!(Text::new(source.into()).is_err(), "{source:?}");
        }
    }
}
