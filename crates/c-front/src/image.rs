//! With what memory starts.

use crate::types::{BitField, IntKind};
use rustc_hash::FxHashMap;

/// The bytes with which an object starts, by offset; what is not there is zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Image(FxHashMap<u64, u8>);

impl Image {
    /// Sets a scalar of so many bytes.
    pub(crate) fn set(&mut self, offset: u64, size: u64, number: i128) {
        for index in 0..size {
            self.0.insert(offset + index, (number >> (8 * index)) as u8);
        }
    }

    /// Sets a bit-field that begins in the byte at an offset.
    pub(crate) fn set_bits(&mut self, offset: u64, bits: BitField, number: i128) {
        let ones = ((1_i128 << bits.width) - 1) << bits.shift;
        let number = number << bits.shift & ones;
        for index in 0..bits.bytes() {
            let byte = self.0.entry(offset + index).or_default();
            *byte = *byte & !((ones >> (8 * index)) as u8) | (number >> (8 * index)) as u8;
        }
    }

    /// All bytes up to the last that is set, as characters.
    pub(crate) fn text(&self) -> String {
        let end = self.0.keys().max().map_or(0, |last| last + 1);
        (0..end).map(|offset| char::from(self.0.get(&offset).copied().unwrap_or(0))).collect()
    }

    /// The scalar of a type at an offset.
    pub(crate) fn get(&self, offset: u64, kind: IntKind) -> i128 {
        let byte = |index: u64| i128::from(self.0.get(&(offset + index)).copied().unwrap_or(0));
        let number = (0..kind.size()).map(|index| byte(index) << (8 * index)).sum();
        if kind == IntKind::Bool { i128::from(number != 0) } else { kind.int_type().wrap(number) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::MemoryLocation;

    #[test]
    fn bytes_are_those_of_the_last_value() {
        let mut image = Image::default();
        image.set(0, 4, 0x0102_0304);
        image.set(1, 1, -1);
        assert_eq!(image.get(0, IntKind::Int), 0x0102_ff04);
        assert_eq!(image.get(1, IntKind::Char), -1);
        let location = MemoryLocation::default();
        image.set_bits(1, BitField { kind: IntKind::Int, shift: 4, width: 8, location }, 0);
        assert_eq!(image.get(0, IntKind::Int), 0x0100_0f04);
        assert_eq!(image.get(8, IntKind::UnsignedLong), 0);
    }
}
