//! Spellings, each stored once.
//!
//! A preprocessor compares names all the time, so names are numbers. Headers bring thousands of
//! them; the table keeps all spellings in one piece of memory instead of allocating each.

use rely_base::{Id, define_id};

define_id! {
    /// The spelling of a token.
    pub(crate) struct Symbol
}

/// Where the bytes of a spelling are.
#[derive(Clone, Copy, Debug)]
struct Spelling {
    start: u32,
    end: u32,
    hash: u32,
}

/// All spellings.
#[derive(Debug)]
pub(crate) struct Symbols {
    bytes: Vec<u8>,
    spellings: Vec<Spelling>,
    /// Open addressing; the length is a power of two, and at most half of the slots are used.
    slots: Vec<Option<Symbol>>,
}

impl Symbols {
    pub(crate) fn new() -> Self {
        let mut symbols = Self {
            bytes: Vec::with_capacity(1 << 16),
            spellings: Vec::with_capacity(1 << 12),
            slots: vec![None; 1 << 14],
        };
        symbols.intern(b"");
        symbols
    }

    /// The symbol of no spelling at all.
    pub(crate) fn empty() -> Symbol {
        Symbol::from_index(0)
    }

    /// The symbol of a spelling, new or known.
    pub(crate) fn intern(&mut self, text: &[u8]) -> Symbol {
        let hash = hash(text);
        let mut slot = self.slot(hash);
        while let Some(symbol) = self.slots[slot] {
            if self.spellings[symbol.index()].hash == hash && self.bytes(symbol) == text {
                return symbol;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let symbol = Symbol::from_index(self.spellings.len());
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text);
        self.spellings.push(Spelling { start, end: self.bytes.len() as u32, hash });
        self.slots[slot] = Some(symbol);
        if self.spellings.len() * 2 > self.slots.len() {
            self.grow();
        }
        symbol
    }

    pub(crate) fn bytes(&self, symbol: Symbol) -> &[u8] {
        let spelling = self.spellings[symbol.index()];
        &self.bytes[spelling.start as usize..spelling.end as usize]
    }

    /// The spelling for people.
    pub(crate) fn name(&self, symbol: Symbol) -> String {
        String::from_utf8_lossy(self.bytes(symbol)).into_owned()
    }

    pub(crate) fn len(&self) -> usize {
        self.spellings.len()
    }

    /// How much memory the spellings take, which a budget bounds.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    fn slot(&self, hash: u32) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        self.slots = vec![None; self.slots.len() * 2];
        for index in 0..self.spellings.len() {
            let mut slot = self.slot(self.spellings[index].hash);
            while self.slots[slot].is_some() {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = Some(Symbol::from_index(index));
        }
    }
}

/// Eight bytes at a time, multiplied and folded.
fn hash(text: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = text.len() as u64;
    let mut chunks = text.chunks_exact(8);
    for chunk in &mut chunks {
        let word = chunk.iter().rev().fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
        state = (state.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
    let rest = chunks.remainder().iter().fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
    state = (state.rotate_left(5) ^ rest).wrapping_mul(FACTOR);
    (state >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_spellings_are_one_symbol() {
        let mut symbols = Symbols::new();
        let names: Vec<String> = (0..20_000).map(|number| format!("name_{number}")).collect();
        let first: Vec<Symbol> = names.iter().map(|name| symbols.intern(name.as_bytes())).collect();
        let again: Vec<Symbol> = names.iter().map(|name| symbols.intern(name.as_bytes())).collect();
        assert_eq!(first, again);
        assert_eq!(symbols.len(), names.len() + 1);
        for (symbol, name) in first.iter().zip(&names) {
            assert_eq!(symbols.name(*symbol), *name);
        }
    }
}
