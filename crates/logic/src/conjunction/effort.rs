//! How much work a question may cost, and how much it did.

use std::fmt;
use std::ops::AddAssign;

use rely_base::{Budget, StopReason, define_limits};

use super::number::Overflow;
use crate::arith::Integer;

define_limits! {
    /// Limits on the work for one question. Reaching one means `Unknown`, never a wrong answer.
    pub struct Limits {
        /// Exchanges of basic variables. Questions of programs need a few dozen; degenerate ones can need
        /// exponentially many.
        pivots = 200_000,
        /// Machine words computed by pivots, about: large systems and large numbers need more. So many take about a
        /// tenth of a second.
        work = 50_000_000,
        /// Case distinctions of the search for integers, which need not end without a limit.
        splits = 2_000,
        /// Rounded combinations of constraints. Each makes the question larger.
        cuts = 400,
        /// Rounded combinations on one path before the search distinguishes cases.
        path_cuts = 6,
        /// Case distinctions for the search of a solution with small values, after the search for any has failed.
        box_splits = 400,
        /// Solutions that are kept, because they may answer the next question: each is tried first.
        models = 8,
        /// Coefficients held at once, in machine words: half a gigabyte of them.
        coefficients = 1 << 25,
    }
}

/// Why a question was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The budget ended.
    Stopped(StopReason),
    /// Too many pivots.
    Pivots,
    /// Too much arithmetic: the system or its numbers are too large.
    Work,
    /// Too many case distinctions: the integers (or disequalities) were too hard.
    Splits,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(reason) => write!(f, "{reason}"),
            Reason::Pivots => f.write_str("the limit of pivots was reached"),
            Reason::Work => f.write_str("the limit of arithmetic was reached"),
            Reason::Splits => f.write_str("the limit of case distinctions was reached"),
        }
    }
}

/// Counters of the work that was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Questions asked.
    pub queries: u64,
    /// Of these, answered by a model that was known already.
    pub model_hits: u64,
    /// Of these, answered from a memo.
    pub memo_hits: u64,
    /// Exchanges of basic variables.
    pub pivots: u64,
    /// Rounded combinations of constraints.
    pub cuts: u64,
    /// Case distinctions, for integers and for disequalities.
    pub splits: u64,
    /// Questions that did not fit machine words and dense rows and were asked again on big numbers
    /// and sparse rows.
    pub overflows: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.queries += other.queries;
        self.model_hits += other.model_hits;
        self.memo_hits += other.memo_hits;
        self.pivots += other.pivots;
        self.cuts += other.cuts;
        self.splits += other.splits;
        self.overflows += other.overflows;
    }
}

/// Why the solver stopped in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The question is too large for machine words and dense rows: it has to be asked again.
    TooSmall,
    /// The question is too hard for the limits.
    GaveUp(Reason),
}

impl From<Overflow> for Halt {
    fn from(Overflow: Overflow) -> Self {
        Halt::TooSmall
    }
}

/// Machine words of a tableau that is large.
const LARGE: usize = 1 << 16;

/// The work left for one question.
pub(super) struct Effort<'a> {
    budget: &'a Budget,
    limits: Limits,
    pivots: usize,
    work: u64,
    splits: usize,
    cuts: usize,
}

impl<'a> Effort<'a> {
    pub(super) fn new(budget: &'a Budget, limits: Limits) -> Self {
        Self { budget, limits, pivots: 0, work: 0, splits: 0, cuts: 0 }
    }

    /// Counts a pivot in a tableau of the given size.
    pub(super) fn pivot(&mut self, size: usize) -> Result<(), Halt> {
        self.pivots += 1;
        if self.pivots > self.limits.pivots {
            return Err(Halt::GaveUp(Reason::Pivots));
        }
        self.check_size(size)
    }

    /// Counts computed words.
    pub(super) fn work(&mut self, words: u64) -> Result<(), Halt> {
        self.work += words;
        if self.work > self.limits.work as u64 { Err(Halt::GaveUp(Reason::Work)) } else { Ok(()) }
    }

    /// Whether work on a tableau of this many machine words may go on.
    pub(super) fn check_size(&self, size: usize) -> Result<(), Halt> {
        // With large tableaus, the clock is read more often because everything takes longer.
        let time = if size > LARGE { self.budget.check_now() } else { self.budget.check() };
        time.map_err(|reason| Halt::GaveUp(Reason::Stopped(reason)))?;
        let memory = self.budget.check_memory(size.saturating_mul(size_of::<(u32, Integer)>()));
        let allowed = if size > self.limits.coefficients { Err(StopReason::Memory) } else { memory };
        allowed.map_err(|reason| Halt::GaveUp(Reason::Stopped(reason)))
    }

    /// Counts a case distinction.
    pub(super) fn split(&mut self) -> Result<(), Halt> {
        self.splits += 1;
        if self.splits > self.limits.splits { Err(Halt::GaveUp(Reason::Splits)) } else { Ok(()) }
    }

    /// Counts a cut, if there are some left.
    pub(super) fn may_cut(&mut self) -> bool {
        let allowed = self.cuts < self.limits.cuts;
        self.cuts += usize::from(allowed);
        allowed
    }

    /// The case distinctions so far.
    pub(super) fn splits(&self) -> usize {
        self.splits
    }

    /// What may be spent.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Adds what was spent to the counters.
    pub(super) fn report(&self, statistics: &mut Statistics) {
        statistics.pivots += self.pivots as u64;
        statistics.splits += self.splits as u64;
        statistics.cuts += self.cuts as u64;
    }
}
