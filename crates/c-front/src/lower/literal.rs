//! Constants as they are written.

use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::image::Image;
use crate::types::{CType, IntKind};
use crate::value::{Address, Known, Lvalue, Value};
use lang_c::ast::{Constant, Integer, IntegerBase, IntegerSize};
use lang_c::span::{Node, Span as TreeSpan};
use std::rc::Rc;

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn constant(&mut self, constant: &Node<Constant>) -> Lowered<Value> {
        let at = constant.span;
        match &constant.node {
            Constant::Integer(integer) => match integer_value(integer) {
                Some((value, kind)) if !integer.suffix.imaginary => {
                    Ok(Value::constant(CType::Int(kind), value))
                }
                Some(_) => self.refuse(at, "a complex number"),
                None => self.error(at, "this number is too large for every integer type"),
            },
            Constant::Float(float) => self.floating_constant(float, at),
            Constant::Character(text) => match character_value(text) {
                Some((value, kind)) => Ok(Value::constant(CType::Int(kind), value)),
                None => self.error(at, "a character of this constant is too large for its type"),
            },
        }
    }

    /// A string: an array of characters that exists once for each place in the text.
    pub(super) fn string(&mut self, parts: &[String], at: TreeSpan) -> Lowered<Lvalue> {
        let Some(kind) = string_kind(parts) else {
            return self.error(at, "strings of different kinds of characters stand side by side");
        };
        let mut units = Vec::new();
        for part in parts {
            let (_, body) = split_literal(part);
            match unescape(body, kind) {
                Some(more) => units.extend(more),
                None => return self.error(at, "a character of this string is too large for its type"),
            }
        }
        units.push(0);
        let ty = CType::Array(Rc::new(CType::Int(kind)), Some(units.len() as u64));
        let key = ObjectKey::StaticLocal(at.start);
        let object = self.object(key, "string".into(), ty.clone(), Storage::Global, at)?;
        let mut image = Image::default();
        for (index, unit) in units.into_iter().enumerate() {
            image.set(index as u64 * kind.size(), kind.size(), i128::from(unit));
        }
        self.facts.set_image(object, image);
        self.facts.add_string(object);
        Ok(Lvalue { ty, address: Address::Known(Known::start_of(object)), guards: Vec::new() })
    }
}

/// The type of the characters of a literal with this prefix.
fn character_kind(prefix: &str) -> IntKind {
    match prefix {
        "L" => IntKind::Int,
        "u" => IntKind::UnsignedShort,
        "U" => IntKind::UnsignedInt,
        _ => IntKind::Char,
    }
}

/// The prefix of a literal, and what stands between its quotes.
fn split_literal(text: &str) -> (&str, &str) {
    let open = text.find(['"', '\'']).unwrap_or(0);
    let (prefix, quoted) = text.split_at(open);
    (prefix, quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or(""))
}

/// The type of the characters of strings that stand side by side: one prefix holds for all.
fn string_kind(parts: &[String]) -> Option<IntKind> {
    let mut prefixes = parts.iter().map(|part| split_literal(part).0).filter(|prefix| !prefix.is_empty());
    let first = prefixes.next().unwrap_or("");
    prefixes.all(|prefix| prefix == first).then(|| character_kind(first))
}

/// The value of a character constant. One of several characters is a number of which each
/// character is a digit, as gcc has it; of a wide one the last character counts.
fn character_value(text: &str) -> Option<(i128, IntKind)> {
    let (prefix, body) = split_literal(text);
    let kind = character_kind(prefix);
    let units = unescape(body, kind)?;
    let (last, first) = (i128::from(*units.last()?), units.len() == 1);
    Some(match (kind, first) {
        (IntKind::Char, true) => (kind.int_type().wrap(last), IntKind::Int),
        (IntKind::Char, false) => {
            let number = units.iter().fold(0_i128, |sum, &unit| (sum << 8 | i128::from(unit)) & 0xffff_ffff);
            (IntKind::Int.int_type().wrap(number), IntKind::Int)
        }
        _ => (kind.int_type().wrap(last), kind),
    })
}

/// The value and the type of an integer constant: the first type of C's list that has it.
fn integer_value(integer: &Integer) -> Option<(i128, IntKind)> {
    let (radix, is_decimal) = match integer.base {
        IntegerBase::Decimal => (10, true),
        IntegerBase::Octal => (8, false),
        IntegerBase::Hexadecimal => (16, false),
        IntegerBase::Binary => (2, false),
    };
    let value = match &*integer.number {
        // The parser keeps no digits of the octal constant `0`.
        "" => 0,
        digits => i128::from(u64::from_str_radix(digits, radix).ok()?),
    };
    let size = integer.suffix.size;
    let candidates = [
        (IntKind::Int, IntegerSize::Int),
        (IntKind::UnsignedInt, IntegerSize::Int),
        (IntKind::Long, IntegerSize::Long),
        (IntKind::UnsignedLong, IntegerSize::Long),
        (IntKind::LongLong, IntegerSize::LongLong),
        (IntKind::UnsignedLongLong, IntegerSize::LongLong),
    ];
    let fitting = candidates.into_iter().find(|&(kind, at_most)| {
        let signedness = match (integer.suffix.unsigned, is_decimal) {
            (true, _) => !kind.is_signed(),
            (false, true) => kind.is_signed(),
            (false, false) => true,
        };
        size <= at_most && signedness && kind.int_type().contains(value)
    });
    fitting.map(|(kind, _)| (value, kind))
}

/// The characters of a literal's body, as numbers of the type's width; `None` if one does not fit.
fn unescape(body: &str, kind: IntKind) -> Option<Vec<u32>> {
    let mut units = Vec::new();
    let mut rest = body.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            encode(character, kind, &mut units);
            continue;
        }
        let escape = rest.next()?;
        let unit = match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'x' => number(&mut rest, 16, "", usize::MAX)?,
            '0'..='7' => number(&mut rest, 8, escape.encode_utf8(&mut [0; 4]), 2)?,
            'u' | 'U' => {
                let digits = if escape == 'u' { 4 } else { 8 };
                let character = char::from_u32(number(&mut rest, 16, "", digits)?)?;
                encode(character, kind, &mut units);
                continue;
            }
            other => u32::from(other),
        };
        if u64::from(unit) >= 1 << (8 * kind.size()) {
            return None;
        }
        units.push(unit);
    }
    Some(units)
}

/// A number of at most so many more digits.
fn number(rest: &mut std::str::Chars<'_>, radix: u32, first: &str, most: usize) -> Option<u32> {
    let text = rest.as_str();
    let digits = text.chars().take_while(|digit| digit.is_digit(radix)).take(most).count();
    let value = u32::from_str_radix(&format!("{first}{}", &text[..digits]), radix).ok()?;
    *rest = text[digits..].chars();
    Some(value)
}

/// A character in UTF-8, UTF-16 or UTF-32, by the width of the type.
fn encode(character: char, kind: IntKind, units: &mut Vec<u32>) {
    match kind.size() {
        1 => units.extend(character.encode_utf8(&mut [0; 4]).bytes().map(u32::from)),
        2 => units.extend(character.encode_utf16(&mut [0; 2]).iter().copied().map(u32::from)),
        _ => units.push(u32::from(character)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_characters() {
        let check = |body: &str, kind, expected: Option<&[u32]>| {
            assert_eq!(unescape(body, kind).as_deref(), expected, "{body}");
        };
        check(r#"a\n\x41\101\0\\\'\""#, IntKind::Char, Some(&[97, 10, 65, 65, 0, 92, 39, 34]));
        check(r#"\x0001"#, IntKind::Char, Some(&[1]));
        check(r#"\18\1234"#, IntKind::Char, Some(&[1, 56, 83, 52]));
        check(r#"\u00e9"#, IntKind::Char, Some(&[0xc3, 0xa9]));
        check(r#"\u00e9é"#, IntKind::Int, Some(&[0xe9, 0xe9]));
        check(r#"\U0001F600"#, IntKind::UnsignedShort, Some(&[0xd83d, 0xde00]));
        check(r#"\xfff"#, IntKind::Char, None);
        check(r#"\777"#, IntKind::Char, None);
        check(r#"\xfff"#, IntKind::UnsignedShort, Some(&[0xfff]));
    }

    #[test]
    fn characters_have_values_of_their_types() {
        for (text, value, kind) in [
            ("'a'", 97, IntKind::Int),
            ("'\\''", 39, IntKind::Int),
            ("'\"'", 34, IntKind::Int),
            ("'\\xff'", -1, IntKind::Int),
            ("'ab'", 24_930, IntKind::Int),
            ("'\\377a'", 65_377, IntKind::Int),
            ("L'\\xffffffff'", -1, IntKind::Int),
            ("u'\\xffff'", 65_535, IntKind::UnsignedShort),
            ("U'x'", 120, IntKind::UnsignedInt),
        ] {
            assert_eq!(character_value(text), Some((value, kind)), "{text}");
        }
    }
}
