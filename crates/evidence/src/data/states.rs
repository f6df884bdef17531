//! Many states in little space.

use std::fmt;

/// A list of byte strings, kept back to back. Explorers keep their states in one and hand it
/// over as a certificate.
///
/// ```
/// use rely_evidence::StateList;
///
/// let mut list = StateList::new();
/// assert_eq!(list.push(b"first"), 0);
/// assert_eq!(list.push(b""), 1);
/// assert_eq!(list.get(0), Some(&b"first"[..]));
/// assert_eq!((list.len(), list.get(2)), (2, None));
/// ```
#[derive(Clone, Default)]
pub struct StateList {
    bytes: Vec<u8>,
    /// Where each string ends.
    ends: Vec<u64>,
}

impl StateList {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a string and returns its index.
    pub fn push(&mut self, state: &[u8]) -> usize {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len() as u64);
        self.ends.len() - 1
    }

    /// The string at an index.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)? as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        Some(&self.bytes[start..end])
    }

    /// All strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How much memory the list holds.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u64>()
    }
}

impl fmt::Debug for StateList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateList({} states, {} bytes)", self.len(), self.bytes.len())
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for StateList {
    fn from_iter<States: IntoIterator<Item = S>>(states: States) -> Self {
        let mut list = Self::new();
        for state in states {
            list.push(state.as_ref());
        }
        list
    }
}
