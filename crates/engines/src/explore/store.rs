//! The states that were found, exactly, in few bytes each.
//!
//! A state is its packed bytes, kept in one [`StateList`] in the order in which states are
//! found, which in breadth-first search is the order in which they are expanded: the list is
//! also the queue. A hash table with open addressing finds states again; it holds 32 bits of
//! the hash beside each number, so that it compares bytes almost only when they are equal, and
//! grows without looking at them.

use rely_base::{Id, define_id};
use rely_evidence::StateList;
use std::num::NonZeroU32;

define_id!(
    /// A state that was found.
    pub(super) struct StateId
);

/// Whether a state was there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Insertion {
    New(StateId),
    Known(StateId),
    /// Ids are used up.
    Full,
}

/// One entry of the table: the upper half is taken from the hash, the lower half is the number
/// of the state plus one; zero is empty.
type Entry = u64;

const INITIAL_TABLE: usize = 1 << 8;

#[derive(Debug)]
pub(super) struct StateStore {
    states: StateList,
    /// From which state each one was found first, its number plus one so that four bytes are
    /// enough; `None` for initial states.
    parents: Vec<Option<NonZeroU32>>,
    table: Vec<Entry>,
}

impl StateStore {
    pub(super) fn new() -> Self {
        Self { states: StateList::new(), parents: Vec::new(), table: vec![0; INITIAL_TABLE] }
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The packed bytes of a state.
    pub(super) fn bytes(&self, state: StateId) -> &[u8] {
        self.states.get(state.index()).expect("ids of the store name its states")
    }

    /// The state at an index, in the order in which states were found.
    pub(super) fn get(&self, index: usize) -> Option<(StateId, &[u8])> {
        Some((StateId::from_index(index), self.states.get(index)?))
    }

    /// From where a state was found; `None` for initial states.
    pub(super) fn parent(&self, state: StateId) -> Option<StateId> {
        let number = self.parents[state.index()]?;
        Some(StateId::from_index(number.get() as usize - 1))
    }

    /// Adds a state unless it is there.
    pub(super) fn insert(&mut self, bytes: &[u8], parent: Option<StateId>) -> Insertion {
        let tag = hash(bytes);
        let mask = self.table.len() - 1;
        let mut at = tag as usize & mask;
        loop {
            let entry = self.table[at];
            if entry == 0 {
                break;
            }
            if (entry >> 32) as u32 == tag {
                let index = entry as u32 as usize - 1;
                if self.states.get(index) == Some(bytes) {
                    return Insertion::Known(StateId::from_index(index));
                }
            }
            at = (at + 1) & mask;
        }
        if self.states.len() >= u32::MAX as usize - 1 {
            return Insertion::Full;
        }
        let index = self.states.push(bytes);
        self.parents.push(parent.and_then(|parent| NonZeroU32::new(parent.index() as u32 + 1)));
        self.table[at] = u64::from(tag) << 32 | (index as u64 + 1);
        // At most three quarters are in use: searches stay short.
        if self.states.len() * 4 > self.table.len() * 3 {
            self.grow();
        }
        Insertion::New(StateId::from_index(index))
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let mut larger: Vec<Entry> = vec![0; mask + 1];
        for &entry in self.table.iter().filter(|&&entry| entry != 0) {
            let mut at = (entry >> 32) as usize & mask;
            while larger[at] != 0 {
                at = (at + 1) & mask;
            }
            larger[at] = entry;
        }
        self.table = larger;
    }

    /// How much memory the states take, room for more included.
    pub(super) fn memory_bytes(&self) -> usize {
        self.states.memory_bytes()
            + self.parents.capacity() * size_of::<Option<NonZeroU32>>()
            + self.table.capacity() * size_of::<Entry>()
    }

    /// The states alone.
    pub(super) fn into_states(self) -> StateList {
        self.states
    }
}

/// Multiplies eight bytes at a time into 128 bits and folds these, so that every bit of the
/// input reaches the bits that choose a place in the table.
fn hash(bytes: &[u8]) -> u32 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * u128::from(MULTIPLIER);
        (product >> 64) as u64 ^ product as u64
    };
    let mut hash = bytes.len() as u64 ^ MULTIPLIER.rotate_left(32);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word)).wrapping_add(MULTIPLIER);
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        hash = mix(hash, u64::from_le_bytes(last)).wrapping_add(MULTIPLIER);
    }
    mix(hash, MULTIPLIER) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Strings that differ little, in an order that is not sorted.
    fn string(index: u32) -> Vec<u8> {
        let scattered = index.wrapping_mul(2_654_435_761) % 10_007;
        scattered.to_le_bytes()[..2 + index as usize % 3].to_vec()
    }

    #[test]
    fn it_is_a_set_of_byte_strings() {
        let mut store = StateStore::new();
        let mut reference: HashMap<Vec<u8>, usize> = HashMap::new();
        for index in 0..50_000 {
            let bytes = string(index);
            let parent = (index > 0).then(|| StateId::from_index(0));
            let next = reference.len();
            let expected = match reference.get(&bytes) {
                Some(&known) => Insertion::Known(StateId::from_index(known)),
                None => Insertion::New(StateId::from_index(next)),
            };
            assert_eq!(store.insert(&bytes, parent), expected);
            reference.entry(bytes).or_insert(next);
        }
        assert_eq!(store.len(), reference.len());
        for (bytes, index) in reference {
            assert_eq!(store.bytes(StateId::from_index(index)), bytes);
        }
    }

    #[test]
    fn equal_tags_do_not_make_equal_states() {
        // Among these strings some share the 32 bits of the hash that the table keeps.
        let mut store = StateStore::new();
        let mut tags: HashMap<u32, u64> = HashMap::new();
        let mut collisions = 0;
        for index in 0..300_000_u64 {
            let bytes = index.to_be_bytes();
            collisions += usize::from(tags.insert(hash(&bytes), index).is_some());
            assert_eq!(store.insert(&bytes, None), Insertion::New(StateId::from_index(index as usize)));
        }
        assert!(collisions > 0, "the test needs collisions to be one");
    }

    #[test]
    fn parents_are_remembered() {
        let mut store = StateStore::new();
        store.insert(b"a", None);
        let root = StateId::from_index(0);
        store.insert(b"b", Some(root));
        store.insert(b"b", None);
        assert_eq!(store.parent(root), None);
        assert_eq!(store.parent(StateId::from_index(1)), Some(root));
    }
}
