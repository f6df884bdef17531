//! Numbers that look like chance, the same ones on every machine.
//!
//! The only generator of the project, with two exceptions: the campaigns of the C front end and of the preprocessor
//! have a xorshift of their own, because the programs they found mistakes with are recorded by seed, and tests of
//! `logic` have a third one for the same reason.

/// A small generator (SplitMix64): the same seed gives the same numbers. Not for secrets.
///
/// ```
/// use rely_base::Random;
///
/// let dice = |seed| Random::new(seed).below(6);
/// assert_eq!(dice(1), dice(1));
/// assert!((0..10).any(|seed| dice(seed) != dice(seed + 1)));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound - 1`; `bound` is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items, of which there are some.
    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }

    /// Brings a list into any order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (2..=list.len()).rev() {
            let chosen = self.below(end);
            list.swap(chosen, end - 1);
        }
    }
}
