//! Where threads can be, as small numbers and sets of them.
//!
//! The control points of each thread are numbered so that those at which the proof says something come
//! first: the others are never reached, so what is known of every place is that its number is
//! small.

use crate::data::ControlPoint;
use rely_program::{Program, ThreadId, ThreadKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A set of control points of one thread, by their numbers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PointSet {
    words: SmallVec<[u64; 2]>,
}

/// Copies the words at once. What `SmallVec` does for elements that need not be plain numbers takes
/// several times as long, and sets are copied for every obligation.
impl Clone for PointSet {
    fn clone(&self) -> Self {
        Self { words: SmallVec::from_slice(&self.words) }
    }
}

const BITS: usize = u64::BITS as usize;

impl PointSet {
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

    pub(crate) fn intersect(&mut self, other: &PointSet) {
        self.words.truncate(other.words.len());
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub(crate) fn is_subset(&self, other: &PointSet) -> bool {
        let outside = |(index, word): (usize, &u64)| word & !other.words.get(index).copied().unwrap_or(0);
        self.words.iter().enumerate().all(|entry| outside(entry) == 0)
    }

    pub(crate) fn is_disjoint(&self, other: &PointSet) -> bool {
        self.words.iter().zip(&other.words).all(|(word, other)| word & other == 0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let rest = |&word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
            let words = std::iter::successors(Some(word).filter(|&word| word != 0), rest);
            words.map(move |word| index * BITS + word.trailing_zeros() as usize)
        })
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

impl FromIterator<usize> for PointSet {
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

/// The numbers of all control points of all threads.
#[derive(Debug)]
pub(crate) struct PointNumbers {
    numbers: FxHashMap<(ThreadId, ControlPoint), usize>,
    points: Vec<Vec<ControlPoint>>,
    listed: Vec<PointSet>,
    interruptible: Vec<PointSet>,
}

impl PointNumbers {
    /// Numbers the control points; `is_listed` says at which of them the proof says something.
    pub(crate) fn new(program: &Program, is_listed: impl Fn(ThreadId, ControlPoint) -> bool) -> Self {
        let mut table = Self {
            numbers: FxHashMap::default(),
            points: Vec::new(),
            listed: Vec::new(),
            interruptible: Vec::new(),
        };
        for thread in program.threads().ids() {
            let (mut points, others): (Vec<ControlPoint>, Vec<ControlPoint>) =
                ControlPoint::all(program, thread).into_iter().partition(|&point| is_listed(thread, point));
            table.listed.push(PointSet::first(points.len()));
            let is_interruptible = |(_, point): &(usize, &ControlPoint)| !is_atomic(program, **point);
            let interruptible = points.iter().enumerate().filter(is_interruptible);
            table.interruptible.push(interruptible.map(|(number, _)| number).collect());
            points.extend(others);
            let numbered = points.iter().enumerate().map(|(number, &point)| ((thread, point), number));
            table.numbers.extend(numbered);
            table.points.push(points);
        }
        table
    }

    /// The number of a control point; `None` if the thread has no such control point.
    pub(crate) fn number(&self, thread: ThreadId, point: ControlPoint) -> Option<usize> {
        self.numbers.get(&(thread, point)).copied()
    }

    pub(crate) fn point(&self, thread: ThreadId, number: usize) -> ControlPoint {
        self.points[rely_base::Id::index(thread)][number]
    }

    /// The control points at which the thread can be, according to the proof.
    pub(crate) fn listed(&self, thread: ThreadId) -> &PointSet {
        &self.listed[rely_base::Id::index(thread)]
    }

    /// The set of one control point; empty if the thread has no such control point.
    pub(crate) fn single(&self, thread: ThreadId, point: ControlPoint) -> PointSet {
        self.number(thread, point).into_iter().collect()
    }

    /// The listed control points that are not atomic locations.
    pub(crate) fn interruptible(&self, thread: ThreadId) -> &PointSet {
        &self.interruptible[rely_base::Id::index(thread)]
    }
}

/// Whether no other thread moves while one is here.
pub(crate) fn is_atomic(program: &Program, point: ControlPoint) -> bool {
    matches!(point, ControlPoint::At(location) if program.locations()[location].atomic)
}

/// The instances of a program, in order.
pub(crate) fn instances(program: &Program) -> impl Iterator<Item = ThreadId> + '_ {
    program.threads().ids().filter(|&thread| is_instance(program, thread))
}

pub(crate) fn is_instance(program: &Program, thread: ThreadId) -> bool {
    program.threads()[thread].kind != ThreadKind::Template
}
