//! Sets of signed atoms as bits: as a clause one of them holds, as a cube all of them do.

use rely_base::{Id, define_id};

define_id!(
    /// Something that holds in a state or does not.
    pub(super) struct AtomId
);

/// More atoms than this are not told apart.
pub(super) const MOST_ATOMS: usize = u128::BITS as usize;

/// Atoms with the sign that they have. Two words and no allocation: to compare clauses with what is
/// known is the innermost loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Signs {
    yes: u128,
    no: u128,
}

impl Signs {
    /// An atom that holds, or does not.
    pub(super) fn one(atom: AtomId, holds: bool) -> Self {
        let bit = 1 << atom.index();
        if holds { Signs { yes: bit, no: 0 } } else { Signs { yes: 0, no: bit } }
    }

    /// The atoms of a state in which exactly some of them hold.
    pub(super) fn of_state(holding: u128) -> Self {
        Signs { yes: holding, no: !holding }
    }

    /// The atoms that hold, as bits.
    pub(super) fn holding(self) -> u128 {
        self.yes
    }

    pub(super) fn is_empty(self) -> bool {
        self == Signs::default()
    }

    pub(super) fn is_contradiction(self) -> bool {
        self.yes & self.no != 0
    }

    /// Whether it is one signed atom.
    pub(super) fn is_single(self) -> bool {
        self.count() == 1
    }

    pub(super) fn count(self) -> u32 {
        self.yes.count_ones() + self.no.count_ones()
    }

    /// The same atoms with the other sign.
    pub(super) fn negated(self) -> Self {
        Signs { yes: self.no, no: self.yes }
    }

    /// The same atoms with both signs.
    pub(super) fn atoms(self) -> Self {
        self.union(self.negated())
    }

    pub(super) fn union(self, other: Self) -> Self {
        Signs { yes: self.yes | other.yes, no: self.no | other.no }
    }

    pub(super) fn intersection(self, other: Self) -> Self {
        Signs { yes: self.yes & other.yes, no: self.no & other.no }
    }

    pub(super) fn without(self, other: Self) -> Self {
        Signs { yes: self.yes & !other.yes, no: self.no & !other.no }
    }

    pub(super) fn intersects(self, other: Self) -> bool {
        !self.intersection(other).is_empty()
    }

    pub(super) fn is_subset(self, other: Self) -> bool {
        self.without(other).is_empty()
    }

    /// All signed atoms, one by one.
    pub(super) fn iter(self) -> impl Iterator<Item = (AtomId, bool)> {
        bits(self.yes).map(|atom| (atom, true)).chain(bits(self.no).map(|atom| (atom, false)))
    }
}

fn bits(mut word: u128) -> impl Iterator<Item = AtomId> {
    std::iter::from_fn(move || {
        let first = (word != 0).then(|| AtomId::from_index(word.trailing_zeros() as usize));
        word &= word.wrapping_sub(1);
        first
    })
}

impl FromIterator<Signs> for Signs {
    fn from_iter<I: IntoIterator<Item = Signs>>(parts: I) -> Self {
        parts.into_iter().fold(Signs::default(), Signs::union)
    }
}
