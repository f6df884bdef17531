//! Limits on time and memory, and cancellation.
//!
//! A [`Budget`] is handed down to everything that may take long. Work asks it now and then
//! whether to go on. To be cancelled is noticed at once; the clock is read only every so many
//! questions, so asking is cheap.
//! Engines stop by returning, never by panicking.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why work stopped before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// The time limit has passed.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The limit of steps was reached.
    Steps,
    /// Somebody asked to stop.
    Cancelled,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Time => "the time limit was reached",
            StopReason::Memory => "the memory limit was reached",
            StopReason::Steps => "the step limit was reached",
            StopReason::Cancelled => "cancelled",
        })
    }
}

impl StopReason {
    const ALL: [StopReason; 4] =
        [StopReason::Time, StopReason::Memory, StopReason::Steps, StopReason::Cancelled];
}

/// What was being done when a budget ended, where no engine was at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// Reading the input, and preprocessing it.
    Reading,
    /// Making a program of a text.
    Translating,
    /// Making a program simpler, with the pass of this name.
    Simplifying(&'static str),
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Reading => f.write_str("reading"),
            Work::Translating => f.write_str("translating"),
            Work::Simplifying(pass) => write!(f, "simplifying with the pass `{pass}`"),
        }
    }
}

/// Work that was not done because its budget ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interrupted {
    /// Why it stopped.
    pub reason: StopReason,
    /// What it was.
    pub work: Work,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} while {}", self.reason, self.work)
    }
}

/// A flag, shared between threads, that asks work to stop and says why.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicU8>);

impl CancelToken {
    /// A token that nobody has cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all work under this token to stop.
    pub fn cancel(&self) {
        self.stop(StopReason::Cancelled);
    }

    /// Asks all work under this token to stop, for a reason; the first one counts.
    pub fn stop(&self, reason: StopReason) {
        let number = StopReason::ALL.iter().position(|known| *known == reason).map_or(1, |at| at as u8 + 1);
        self.0.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed).ok();
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Why somebody asked to stop.
    pub fn stopped(&self) -> Option<StopReason> {
        let number = usize::from(self.0.load(Ordering::Relaxed));
        number.checked_sub(1).map(|at| StopReason::ALL[at])
    }
}

/// How often [`Budget::check`] really looks at the clock.
const QUESTIONS_PER_CLOCK_READ: u32 = 256;

/// A limit on time and memory together with cancellation.
///
/// ```
/// use rely_base::{Budget, StopReason};
///
/// let budget = Budget::builder().memory_bytes(1_000).build();
/// assert_eq!(budget.check(), Ok(()));
/// assert_eq!(budget.check_memory(2_000), Err(StopReason::Memory));
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
    memory_bytes: Option<usize>,
    /// How many questions may be asked.
    most_questions: Option<u32>,
    /// Any of these may stop the work: the user's and, say, a portfolio's.
    tokens: Vec<CancelToken>,
    questions: Cell<u32>,
    /// What is being done outside of engines, for whoever enforces the limits.
    work: Arc<Mutex<Option<Work>>>,
}

impl Budget {
    /// A budget that never ends.
    pub fn unlimited() -> Self {
        Self::builder().build()
    }

    /// Starts describing a budget.
    pub fn builder() -> BudgetBuilder {
        BudgetBuilder::default()
    }

    /// The same budget, which in addition ends when `token` is cancelled.
    pub fn with_token(&self, token: CancelToken) -> Self {
        let mut budget = self.clone();
        budget.tokens.push(token);
        budget
    }

    /// The same budget, which ends at the latest after `limit` from now.
    pub fn with_time_limit(&self, limit: Duration) -> Self {
        let mut budget = self.clone();
        budget.deadline = earliest(budget.deadline, Instant::now().checked_add(limit));
        budget
    }

    /// The same budget, which in addition ends after about so many more questions: a limit that does not
    /// depend on how fast or how busy the machine is. Clones count for themselves.
    pub fn with_step_limit(&self, limit: u32) -> Self {
        let mut budget = self.clone();
        let most = self.questions.get().saturating_add(limit);
        budget.most_questions = Some(self.most_questions.map_or(most, |known| known.min(most)));
        budget
    }

    /// Whether work may go on. Cheap enough to be asked in an inner loop.
    pub fn check(&self) -> Result<(), StopReason> {
        let questions = self.questions.get().wrapping_add(1);
        self.questions.set(questions);
        if questions % QUESTIONS_PER_CLOCK_READ == 1 { self.check_now() } else { self.check_cancelled() }
    }

    fn check_cancelled(&self) -> Result<(), StopReason> {
        self.tokens.iter().find_map(CancelToken::stopped).map_or(Ok(()), Err)
    }

    /// Like [`check`](Self::check), but always looks at the clock.
    pub fn check_now(&self) -> Result<(), StopReason> {
        self.check_cancelled()?;
        if self.most_questions.is_some_and(|most| self.questions.get() > most) {
            return Err(StopReason::Steps);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(StopReason::Time),
            _ => Ok(()),
        }
    }

    /// [`check_now`](Self::check_now), for work outside of engines that begins or has been done.
    pub fn check_work(&self, work: Work) -> Result<(), Interrupted> {
        self.set_work(Some(work));
        self.check_now().map_err(|reason| Interrupted { reason, work })
    }

    /// Says what is being done outside of engines: nothing is, once an engine begins.
    pub fn set_work(&self, work: Option<Work>) {
        *self.work.lock().unwrap_or_else(PoisonError::into_inner) = work;
    }

    /// What is being done outside of engines.
    pub fn work(&self) -> Option<Work> {
        *self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether work that now holds `bytes` of memory may go on.
    pub fn check_memory(&self, bytes: usize) -> Result<(), StopReason> {
        match self.memory_bytes {
            Some(limit) if bytes > limit => Err(StopReason::Memory),
            _ => Ok(()),
        }
    }

    /// The time that is left, or `None` without a limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The memory limit, or `None` without one.
    pub fn memory_bytes(&self) -> Option<usize> {
        self.memory_bytes
    }
}

fn earliest(left: Option<Instant>, right: Option<Instant>) -> Option<Instant> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (one, other) => one.or(other),
    }
}

/// Describes a [`Budget`]; what is not said is unlimited.
#[derive(Clone, Debug, Default)]
pub struct BudgetBuilder {
    time: Option<Duration>,
    memory_bytes: Option<usize>,
    token: Option<CancelToken>,
}

impl BudgetBuilder {
    /// Ends after this much time from [`build`](Self::build).
    pub fn time(mut self, limit: Duration) -> Self {
        self.time = Some(limit);
        self
    }

    /// Ends when the work holds more than this.
    pub fn memory_bytes(mut self, limit: usize) -> Self {
        self.memory_bytes = Some(limit);
        self
    }

    /// Ends when the token is cancelled.
    pub fn token(mut self, token: CancelToken) -> Self {
        self.token = Some(token);
        self
    }

    /// The budget; its time starts now.
    pub fn build(self) -> Budget {
        Budget {
            deadline: self.time.and_then(|limit| Instant::now().checked_add(limit)),
            memory_bytes: self.memory_bytes,
            most_questions: None,
            tokens: self.token.into_iter().collect(),
            questions: Cell::new(0),
            work: Arc::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_token_stops_work_at_once() {
        let token = CancelToken::new();
        let budget = Budget::unlimited().with_token(token.clone());
        assert_eq!([budget.check_now(), budget.check(), budget.check()], [Ok(()); 3]);
        token.cancel();
        // Whether or not it is time to read the clock.
        assert_eq!([budget.check(), budget.check_now()], [Err(StopReason::Cancelled); 2]);
    }

    #[test]
    fn who_stops_work_says_why_and_the_first_one_counts() {
        for reason in StopReason::ALL {
            let token = CancelToken::new();
            assert_eq!(token.stopped(), None);
            token.stop(reason);
            token.cancel();
            let budget = Budget::unlimited().with_token(token);
            assert_eq!(budget.check(), Err(reason));
        }
    }

    #[test]
    fn the_first_question_reads_the_clock() {
        let budget = Budget::builder().time(Duration::ZERO).build();
        assert_eq!(budget.check(), Err(StopReason::Time));
    }

    #[test]
    fn a_later_limit_does_not_extend_an_earlier_one() {
        let budget = Budget::builder().time(Duration::ZERO).build();
        let longer = budget.with_time_limit(Duration::from_secs(3600));
        assert_eq!(longer.check_now(), Err(StopReason::Time));
    }

    #[test]
    fn a_limit_of_steps_ends_after_so_many_questions() {
        let asked = |budget: &Budget| (0..100_000).take_while(|_| budget.check().is_ok()).count();
        let plain = Budget::unlimited();
        assert_eq!(plain.check(), Ok(()));
        let limited = plain.with_step_limit(1_000);
        let found = asked(&limited);
        assert!((1_000..1_000 + QUESTIONS_PER_CLOCK_READ as usize).contains(&found), "{found}");
        assert_eq!(limited.check_now(), Err(StopReason::Steps));
        assert_eq!(asked(&plain), 100_000);
        let longer = limited.with_step_limit(50_000);
        assert_eq!(longer.check_now(), Err(StopReason::Steps), "no earlier limit is extended");
    }

    #[test]
    fn a_limit_beyond_the_clock_is_no_limit() {
        let budget = Budget::builder().time(Duration::MAX).build();
        assert_eq!(budget.check_now(), Ok(()));
    }
}
