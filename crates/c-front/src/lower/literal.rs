//! Constants as they are written.

use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::types::{CType, IntKind};
use crate::value::{Address, Known, Lvalue, Value};
use lang_c::ast::{Constant, Integer, IntegerBase, IntegerSize};
use lang_c::span::{Node, Span as TreeSpan};
use rustc_hash::FxHashMap;
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
            Constant::Float(_) => self.refuse(at, "floating-point arithmetic"),
            Constant::Character(text) => {
                let is_wide = !text.starts_with('\'');
                let body = text.trim_start_matches(['L', 'u', 'U']).trim_matches('\'');
                match unescape(body).as_deref() {
                    Some([byte]) if !is_wide => Ok(Value::constant(CType::INT, i128::from(*byte as i8))),
                    _ => self.refuse(at, "a character constant of several or wide characters"),
                }
            }
        }
    }

    /// A string: an array of characters that exists once for each place in the text.
    pub(super) fn string(&mut self, parts: &[String], at: TreeSpan) -> Lowered<Lvalue> {
        let mut bytes = Vec::new();
        for part in parts {
            let body = part.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            match body.and_then(unescape) {
                Some(more) => bytes.extend(more),
                None => return self.refuse(at, "a string of wide characters"),
            }
        }
        bytes.push(0);
        let ty = CType::Array(Rc::new(CType::Int(IntKind::Char)), Some(bytes.len() as u64));
        let key = ObjectKey::StaticLocal(at.start);
        let object = self.object(key, "string".into(), ty.clone(), Storage::Global, at)?;
        let image: FxHashMap<u64, i128> =
            (0..).zip(bytes.into_iter().map(|byte| i128::from(byte as i8))).collect();
        self.facts.set_image(object, image);
        self.facts.add_string(object);
        Ok(Lvalue { ty, address: Address::Known(Known::start_of(object)), guards: Vec::new() })
    }
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

/// The bytes of a literal's body; `None` if it has wide characters.
fn unescape(body: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = body.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'\\' {
            bytes.push(first);
            continue;
        }
        let (&escape, tail) = rest.split_first()?;
        rest = tail;
        let byte = match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'x' => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                let value = number(&rest[..digits], 16)?;
                rest = &rest[digits..];
                value
            }
            b'0'..=b'7' => {
                let more = rest.iter().take(2).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                let value = number(&[&[escape], &rest[..more]].concat(), 8)?;
                rest = &rest[more..];
                value
            }
            b'u' | b'U' => return None,
            other => other,
        };
        bytes.push(byte);
    }
    Some(bytes)
}

fn number(digits: &[u8], radix: u32) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_bytes() {
        assert_eq!(unescape(r"a\n\x41\101\0\\").as_deref(), Some(&b"a\nAA\0\\"[..]));
        assert_eq!(unescape(r"\u1234"), None);
        assert_eq!(unescape(r"\xfff"), None);
    }
}
