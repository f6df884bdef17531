//! Sets of ids as bits.

use rely_base::Id;
use std::fmt;
use std::marker::PhantomData;

/// A set of typed ids, one bit for each.
///
/// ```
/// use rely_base::Id;
/// use rely_program::{VarId, analysis::IdSet};
///
/// let mut set: IdSet<VarId> = IdSet::new();
/// assert!(set.insert(VarId::from_index(70)));
/// assert!(set.contains(VarId::from_index(70)) && !set.contains(VarId::from_index(6)));
/// assert_eq!(set.iter().collect::<Vec<_>>(), [VarId::from_index(70)]);
/// ```
pub struct IdSet<I> {
    words: Vec<u64>,
    ids: PhantomData<fn() -> I>,
}

const BITS: usize = u64::BITS as usize;

impl<I: Id> IdSet<I> {
    /// The empty set.
    pub fn new() -> Self {
        Self { words: Vec::new(), ids: PhantomData }
    }

    /// Adds an id and returns whether it was new.
    pub fn insert(&mut self, id: I) -> bool {
        let (word, bit) = (id.index() / BITS, 1u64 << (id.index() % BITS));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Removes an id.
    pub fn remove(&mut self, id: I) {
        if let Some(word) = self.words.get_mut(id.index() / BITS) {
            *word &= !(1u64 << (id.index() % BITS));
        }
    }

    /// Whether the id is in the set.
    pub fn contains(&self, id: I) -> bool {
        self.words.get(id.index() / BITS).is_some_and(|word| word & (1u64 << (id.index() % BITS)) != 0)
    }

    /// Adds all ids of `other` and returns whether one of them was new.
    pub fn union_with(&mut self, other: &Self) -> bool {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grown = false;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            grown |= more & !*word != 0;
            *word |= more;
        }
        grown
    }

    /// Whether the two sets have an id in common.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(left, right)| left & right != 0)
    }

    /// Whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// All ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            (0..BITS)
                .filter(move |bit| word & (1u64 << bit) != 0)
                .map(move |bit| I::from_index(index * BITS + bit))
        })
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I> Clone for IdSet<I> {
    fn clone(&self) -> Self {
        Self { words: self.words.clone(), ids: PhantomData }
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<Items: IntoIterator<Item = I>>(items: Items) -> Self {
        let mut set = Self::new();
        for id in items {
            set.insert(id);
        }
        set
    }
}

impl<I: Id> Extend<I> for IdSet<I> {
    fn extend<Items: IntoIterator<Item = I>>(&mut self, items: Items) {
        for id in items {
            self.insert(id);
        }
    }
}

impl<I: Id> fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
