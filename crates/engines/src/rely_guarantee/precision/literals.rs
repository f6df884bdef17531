//! Sets of literals as bits.

use rely_base::{Id, define_id};
use smallvec::SmallVec;

define_id!(
    /// A predicate: a constraint that may hold, not hold, or not be known to do either.
    pub(crate) struct PredicateId
);

/// A predicate that holds, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Literal {
    pub(crate) predicate: PredicateId,
    pub(crate) holds: bool,
}

/// A set of literals: two bits for each predicate, the lower one if it holds, the upper one if its
/// negation does. There is no zero at the end, so that equal sets are equal values.
#[derive(Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Literals(SmallVec<[u64; 2]>);

/// Copies the words at once. What `SmallVec` does for elements that need not be plain numbers takes
/// several times as long, and sets are copied for every step of the trees.
impl Clone for Literals {
    fn clone(&self) -> Self {
        Literals(SmallVec::from_slice(&self.0))
    }
}

const PER_WORD: usize = 32;
const LOWER_BITS: u64 = 0x5555_5555_5555_5555;

impl Literals {
    pub(crate) fn insert(&mut self, literal: Literal) {
        let index = literal.predicate.index();
        let word = index / PER_WORD;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit(literal);
    }

    pub(crate) fn insert_all(&mut self, others: &Literals) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        self.0.iter_mut().zip(&others.0).for_each(|(word, more)| *word |= more);
    }

    /// What is known about a predicate.
    pub(crate) fn get(&self, predicate: PredicateId) -> Option<Literal> {
        let literals = [true, false].map(|holds| Literal { predicate, holds });
        literals.into_iter().find(|&literal| self.contains(literal))
    }

    pub(crate) fn contains(&self, literal: Literal) -> bool {
        let word = self.0.get(literal.predicate.index() / PER_WORD);
        word.is_some_and(|word| word & bit(literal) != 0)
    }

    /// Whether anything is known about a predicate.
    pub(crate) fn contains_predicate(&self, predicate: PredicateId) -> bool {
        self.get(predicate).is_some()
    }

    /// Whether some predicate holds here and does not hold there, or the other way round.
    pub(crate) fn contradicts(&self, other: &Literals) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| {
            let both = mine | theirs;
            both & (both >> 1) & LOWER_BITS != 0
        })
    }

    /// All literals of both; `None` if they contradict each other.
    pub(crate) fn union(&self, other: &Literals) -> Option<Literals> {
        let (long, short) = if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let Literals(mut words) = long.clone();
        for (word, more) in words.iter_mut().zip(&short.0) {
            *word |= more;
            if *word & (*word >> 1) & LOWER_BITS != 0 {
                return None;
            }
        }
        Some(Literals(words))
    }

    /// Whether all of these are among the others.
    pub(crate) fn is_subset(&self, other: &Literals) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// These literals without some others.
    pub(crate) fn without(mut self, others: &Literals) -> Literals {
        for (word, out) in self.0.iter_mut().zip(&others.0) {
            *word &= !out;
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    /// Both literals of every predicate of which one is here: the predicates, as a mask.
    pub(crate) fn predicates(&self) -> Literals {
        let both = |word: &u64| {
            let known = (word | word >> 1) & LOWER_BITS;
            known | known << 1
        };
        Literals(self.0.iter().map(both).collect())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What two sets have in common.
    pub(crate) fn intersection(&self, other: &Literals) -> Literals {
        let mut common = Literals(SmallVec::from_slice(&self.0[..self.0.len().min(other.0.len())]));
        common.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= theirs);
        common.without(&Literals::default())
    }

    /// What two sets have in common, if they differ only in whether one predicate holds: together
    /// they say no more than that.
    pub(crate) fn resolved(&self, other: &Literals) -> Option<Literals> {
        if self.0.len() != other.0.len() {
            return None;
        }
        let mut words = self.0.iter().zip(&other.0).enumerate();
        let (index, (mine, theirs)) = words.find(|(_, (mine, theirs))| mine != theirs)?;
        let difference = mine ^ theirs;
        let lower = difference & LOWER_BITS;
        let one_predicate = lower.is_power_of_two() && difference == lower | lower << 1;
        let opposite = mine & difference != 0 && theirs & difference != 0;
        if !(one_predicate && opposite && words.all(|(_, (mine, theirs))| mine == theirs)) {
            return None;
        }
        let mut common = self.clone();
        common.0[index] &= theirs;
        Some(common.without(&Literals::default()))
    }

    /// Whether the sets have a literal in common.
    pub(crate) fn intersects(&self, other: &Literals) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// All literals, by ascending predicate.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Literal> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let position = rest.trailing_zeros() as usize;
                if rest == 0 {
                    return None;
                }
                rest &= rest - 1;
                let predicate = PredicateId::from_index(index * PER_WORD + position / 2);
                Some(Literal { predicate, holds: position.is_multiple_of(2) })
            })
        })
    }
}

impl FromIterator<Literal> for Literals {
    fn from_iter<Items: IntoIterator<Item = Literal>>(literals: Items) -> Self {
        let mut set = Literals::default();
        for literal in literals {
            set.insert(literal);
        }
        set
    }
}

fn bit(literal: Literal) -> u64 {
    1 << (2 * (literal.predicate.index() % PER_WORD) + usize::from(!literal.holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(literals: &[i32]) -> Literals {
        let literal = |&number: &i32| Literal {
            predicate: PredicateId::from_index(number.unsigned_abs() as usize),
            holds: number > 0,
        };
        literals.iter().map(literal).collect()
    }

    fn check_union(left: &[i32], right: &[i32], expect: Option<&[i32]>) {
        assert_eq!(set(left).union(&set(right)), expect.map(set));
        assert_eq!(set(right).union(&set(left)), expect.map(set));
    }

    #[test]
    fn unions_notice_contradictions() {
        check_union(&[1, -2], &[3, 70], Some(&[1, -2, 3, 70]));
        check_union(&[], &[-40], Some(&[-40]));
        check_union(&[1, -2], &[2], None);
        check_union(&[90], &[1, -90], None);
    }

    #[test]
    fn what_has_no_union_contradicts() {
        assert!(set(&[90]).contradicts(&set(&[1, -90])) && set(&[2]).contradicts(&set(&[-2, 90])));
        assert!(!set(&[1, -2]).contradicts(&set(&[3, 70])) && !set(&[]).contradicts(&set(&[1])));
    }

    #[test]
    fn literals_come_back_in_order() {
        let literals = set(&[70, -3, 31, -32]);
        let numbers: Vec<(usize, bool)> =
            literals.iter().map(|literal| (literal.predicate.index(), literal.holds)).collect();
        assert_eq!(numbers, [(3, false), (31, true), (32, false), (70, true)]);
        assert_eq!(literals.get(PredicateId::from_index(32)).map(|literal| literal.holds), Some(false));
        assert_eq!(literals.get(PredicateId::from_index(33)), None);
    }

    fn check_resolved(left: &[i32], right: &[i32], expect: Option<&[i32]>) {
        assert_eq!(set(left).resolved(&set(right)), expect.map(set));
    }

    #[test]
    fn sets_that_differ_in_one_polarity_are_resolved() {
        check_resolved(&[1, -2], &[1, 2], Some(&[1]));
        check_resolved(&[40, -70], &[40, 70], Some(&[40]));
        check_resolved(&[1, -2], &[-1, 2], None);
        check_resolved(&[1, 2], &[1, 2], None);
        check_resolved(&[1, 2], &[1, 3], None);
        check_resolved(&[1, 2], &[1], None);
        check_resolved(&[1, 40], &[-1, -40], None);
    }

    #[test]
    fn masks_have_both_literals() {
        assert_eq!(set(&[1, -2, 40]).predicates(), {
            let mut both = set(&[1, 2, 40]);
            set(&[-1, -2, -40]).iter().for_each(|literal| both.insert(literal));
            both
        });
        assert!(set(&[]).predicates().is_empty());
    }

    #[test]
    fn fewer_literals_are_a_subset() {
        assert!(set(&[1]).is_subset(&set(&[1, -50])));
        assert!(!set(&[1, -50]).is_subset(&set(&[1])));
        assert!(!set(&[-1]).is_subset(&set(&[1, 2])));
        assert_eq!(set(&[1, -50]).without(&set(&[-50, 60])), set(&[1]));
        assert!(set(&[-50]).intersects(&set(&[1, -50])) && !set(&[50]).intersects(&set(&[1, -50])));
    }
}
