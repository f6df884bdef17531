//! Where threads can be, as small numbers and sets of them.
//!
//! The spots of each thread are numbered so that those at which the proof says something come
//! first: the others are never reached, so what is known of every place is that its number is
//! small.

use crate::data::Spot;
use rely_program::{Program, ThreadId, ThreadKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A set of spots of one thread, by their numbers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SpotSet {
    words: SmallVec<[u64; 2]>,
}

/// Copies the words at once. What `SmallVec` does for elements that need not be plain numbers takes
/// several times as long, and sets are copied for every obligation.
impl Clone for SpotSet {
    fn clone(&self) -> Self {
        Self { words: SmallVec::from_slice(&self.words) }
    }
}

const BITS: usize = u64::BITS as usize;

impl SpotSet {
    /// The set of the numbers below `count`.
    pub(crate) fn first(count: usize) -> Self {
        (0..count).collect()
    }

    pub(crate) fn single(number: usize) -> Self {
        std::iter::once(number).collect()
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words.get(number / BITS).is_some_and(|word| word & (1 << (number % BITS)) != 0)
    }

    pub(crate) fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / BITS) {
            *word &= !(1 << (number % BITS));
        }
    }

    pub(crate) fn intersect(&mut self, other: &SpotSet) {
        self.words.truncate(other.words.len());
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub(crate) fn is_subset(&self, other: &SpotSet) -> bool {
        let outside = |(index, word): (usize, &u64)| word & !other.words.get(index).copied().unwrap_or(0);
        self.words.iter().enumerate().all(|entry| outside(entry) == 0)
    }

    pub(crate) fn is_disjoint(&self, other: &SpotSet) -> bool {
        self.words.iter().zip(&other.words).all(|(word, other)| word & other == 0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len() * BITS).filter(|&number| self.contains(number))
    }

    /// The maximal runs of consecutive numbers, first and last of each.
    pub(crate) fn runs(&self) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for number in self.iter() {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => runs.push((number, number)),
            }
        }
        runs
    }
}

impl FromIterator<usize> for SpotSet {
    fn from_iter<T: IntoIterator<Item = usize>>(numbers: T) -> Self {
        let mut words = SmallVec::new();
        for number in numbers {
            if number / BITS >= words.len() {
                words.resize(number / BITS + 1, 0);
            }
            words[number / BITS] |= 1 << (number % BITS);
        }
        Self { words }
    }
}

/// The numbers of all spots of all threads.
#[derive(Debug)]
pub(crate) struct SpotNumbers {
    numbers: FxHashMap<(ThreadId, Spot), usize>,
    spots: Vec<Vec<Spot>>,
    listed: Vec<SpotSet>,
}

impl SpotNumbers {
    /// Numbers the spots; `is_listed` says at which of them the proof says something.
    pub(crate) fn new(program: &Program, is_listed: impl Fn(ThreadId, Spot) -> bool) -> Self {
        let mut table = Self { numbers: FxHashMap::default(), spots: Vec::new(), listed: Vec::new() };
        for thread in program.threads().ids() {
            let (mut spots, others): (Vec<Spot>, Vec<Spot>) =
                Spot::all(program, thread).into_iter().partition(|&spot| is_listed(thread, spot));
            table.listed.push(SpotSet::first(spots.len()));
            spots.extend(others);
            let numbered = spots.iter().enumerate().map(|(number, &spot)| ((thread, spot), number));
            table.numbers.extend(numbered);
            table.spots.push(spots);
        }
        table
    }

    /// The number of a spot; `None` if the thread has no such spot.
    pub(crate) fn number(&self, thread: ThreadId, spot: Spot) -> Option<usize> {
        self.numbers.get(&(thread, spot)).copied()
    }

    pub(crate) fn spot(&self, thread: ThreadId, number: usize) -> Spot {
        self.spots[rely_base::Id::index(thread)][number]
    }

    /// The spots at which the thread can be, according to the proof.
    pub(crate) fn listed(&self, thread: ThreadId) -> &SpotSet {
        &self.listed[rely_base::Id::index(thread)]
    }

    /// The set of one spot; empty if the thread has no such spot.
    pub(crate) fn single(&self, thread: ThreadId, spot: Spot) -> SpotSet {
        self.number(thread, spot).into_iter().collect()
    }

    /// The listed spots that are not atomic locations.
    pub(crate) fn interruptible(&self, program: &Program, thread: ThreadId) -> SpotSet {
        let mut set = self.listed(thread).clone();
        for number in self.listed(thread).iter() {
            if is_atomic(program, self.spot(thread, number)) {
                set.remove(number);
            }
        }
        set
    }
}

/// Whether no other thread moves while one is here.
pub(crate) fn is_atomic(program: &Program, spot: Spot) -> bool {
    matches!(spot, Spot::At(location) if program.locations()[location].atomic)
}

/// The instances of a program, in order.
pub(crate) fn instances(program: &Program) -> impl Iterator<Item = ThreadId> + '_ {
    program.threads().ids().filter(|&thread| is_instance(program, thread))
}

pub(crate) fn is_instance(program: &Program, thread: ThreadId) -> bool {
    program.threads()[thread].kind != ThreadKind::Template
}
