//! `--timeout` and `--memory`, enforced from outside of the work.
//!
//! Whoever works asks its budget now and then whether to go on. That is not enough: it may ask too
//! seldom, and what it holds in memory is more than what it counts. So somebody else looks at the clock
//! and at the memory of the process all the time, and ends the budget when a limit is reached. Work that
//! goes on regardless is given up a little later: what is known by then is printed, and the process
//! ends. That is the last resort, because a thread cannot be ended from outside.

use crate::processor::processor_time;
use crate::progress::Heartbeat;
use rely_base::{Budget, CancelToken, StopReason, Work};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Programs are deep where people write deep expressions.
const STACK_BYTES: usize = 256 << 20;

/// How often limits are looked at. Memory can grow by some ten megabytes meanwhile: the work is asked to stop before
/// it would be over the limit at the next look, if it goes on growing as fast.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// How much processor time work may use after it was asked to stop. Seconds pass on a busy machine without
/// that it could have done anything.
const GRACE: Duration = Duration::from_millis(700);

/// But nobody waits longer than this.
const PATIENCE: Duration = Duration::from_secs(5);

/// Who has used less since it was asked to stop, and that was a while ago, only waits. To look at the
/// limits takes a part of it.
const IDLE: Duration = Duration::from_millis(20);

/// The limit where the system does not tell how much memory there is.
const USUAL_MEGABYTES: u64 = 4096;

/// The process itself needs some memory: a limit below is one of what engines count only.
const LEAST_PROCESS_BYTES: u64 = 100_000_000;

/// The limits on one check.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From reading the file to the verdict.
    pub time: Option<Duration>,
    /// What may be held.
    pub bytes: u64,
}

impl Limits {
    /// The limits that were given on the command line, in seconds and megabytes.
    pub fn new(timeout: Option<f64>, memory: u64) -> Self {
        let time = timeout.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        Self { time, bytes: memory.saturating_mul(1_000_000) }
    }

    /// What a command may hold that does several things at the same time, each in a process of its own, if the user
    /// says nothing: together three quarters of what the machine has.
    pub fn usual_megabytes(at_once: usize) -> u64 {
        let megabytes = machine_bytes().map_or(USUAL_MEGABYTES, |bytes| bytes / 4 * 3 / 1_000_000);
        (megabytes / at_once.max(1) as u64).max(1)
    }

    /// What the process may hold.
    fn process_bytes(self) -> u64 {
        self.bytes.max(LEAST_PROCESS_BYTES)
    }

    /// The same limits with an equal part of the time.
    pub fn share(self, parts: usize) -> Self {
        Self { time: self.time.map(|time| time / parts.max(1) as u32), ..self }
    }

    /// The same limits, with so many seconds at most.
    pub fn at_most(self, seconds: f64) -> Self {
        let most = Duration::from_secs_f64(seconds);
        Self { time: Some(self.time.map_or(most, |time| time.min(most))), ..self }
    }

    /// The same limits, of which some time has been used.
    pub fn after(self, used: Duration) -> Self {
        Self { time: self.time.map(|time| time.saturating_sub(used)), ..self }
    }
}

/// What is being watched: one check after the other.
#[derive(Debug)]
pub struct Watch {
    interrupt: CancelToken,
    watched: Mutex<Option<Watched>>,
    /// What is told about the work meanwhile.
    pub heartbeat: Heartbeat,
}

#[derive(Debug)]
struct Watched {
    limits: Limits,
    deadline: Option<Instant>,
    token: CancelToken,
    budget: Budget,
    /// What was held at the last look.
    held: u64,
    /// Since when the work should have stopped.
    over: Option<Over>,
}

#[derive(Clone, Copy, Debug)]
struct Over {
    reason: StopReason,
    since: Instant,
    used: Duration,
}

impl Watch {
    /// Nothing is watched yet; `interrupt` ends every budget.
    pub fn new(interrupt: CancelToken, heartbeat: Heartbeat) -> Self {
        Self { interrupt, watched: Mutex::default(), heartbeat }
    }

    /// The budget for one check; its time starts now.
    pub fn begin(&self, limits: Limits) -> Budget {
        let token = CancelToken::new();
        let engine_bytes = usize::try_from(limits.bytes).unwrap_or(usize::MAX);
        let builder = Budget::builder().memory_bytes(engine_bytes).token(self.interrupt.clone());
        let builder = match limits.time {
            Some(time) => builder.time(time),
            None => builder,
        };
        let budget = builder.build().with_token(token.clone());
        let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
        let held = held_bytes().unwrap_or(0);
        *self.lock() = Some(Watched { limits, deadline, token, budget: budget.clone(), held, over: None });
        budget
    }

    /// What was watched is done.
    pub fn end(&self) {
        *self.lock() = None;
    }

    /// What is being done outside of engines.
    pub fn work(&self) -> Option<Work> {
        self.lock().as_ref()?.budget.work()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the budget when a limit is reached. Says so if the work has not stopped long after.
    fn look(&self) -> Option<StopReason> {
        let mut watched = self.lock();
        let watched = watched.as_mut()?;
        let held = held_bytes().unwrap_or(0);
        let limit = watched.limits.process_bytes();
        let at_next_look = held + held.saturating_sub(watched.held);
        watched.held = held;
        if watched.over.is_none() {
            let is_late = watched.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let reason = if is_late { StopReason::Time } else { StopReason::Memory };
            if is_late || at_next_look > limit {
                watched.token.stop(reason);
                watched.over = Some(Over { reason, since: Instant::now(), used: processor_time() });
            }
        }
        let over = watched.over?;
        let used = processor_time().saturating_sub(over.used);
        let since = over.since.elapsed();
        let only_waits = since > GRACE && used < IDLE;
        // Memory that goes on growing is not waited for.
        (used > GRACE || only_waits || since > PATIENCE || held > limit + limit / 20).then_some(over.reason)
    }
}

/// Works under supervision. If a limit was reached and the work goes on regardless, `give_up` prints what
/// is known, and the process ends with the code that it returns.
pub fn supervised<T: Send>(
    watch: &Watch,
    work: impl FnOnce() -> T + Send,
    give_up: impl FnOnce(StopReason) -> u8,
) -> std::io::Result<T> {
    let (working, is_done) = channel::<()>();
    thread::scope(|scope| {
        let run = move || {
            // The channel is closed when the work ends, however it does.
            let _working = working;
            work()
        };
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run)?;
        while is_done.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
            watch.heartbeat.beat();
            if let Some(reason) = watch.look() {
                std::process::exit(i32::from(give_up(reason)));
            }
        }
        worker.join().map_err(|panic| std::panic::resume_unwind(panic))
    })
}

/// What the machine has, or the group of processes to which this one belongs is allowed.
fn machine_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    let groups = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let allowed = groups.iter().filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    Some(allowed.fold(kilobytes.saturating_mul(1024), u64::min))
}

/// What the process holds, as far as the system tells: with the files that are mapped into it, because that is what
/// whoever set the limit sees.
fn held_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let resident: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(resident.saturating_mul(rustix::param::page_size() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(time: Option<Duration>) -> Limits {
        Limits { time, bytes: u64::MAX }
    }

    #[test]
    fn work_that_stops_in_time_is_not_given_up() {
        let watch = Watch::new(CancelToken::new(), Heartbeat::silent());
        let work = || {
            let budget = watch.begin(limits(Some(Duration::ZERO)));
            while budget.check().is_ok() {}
            7
        };
        let result = supervised(&watch, work, |_| unreachable!("it stops"));
        assert_eq!(result.expect("there are threads"), 7);
    }

    #[test]
    fn memory_ends_the_budget_and_soon_the_patience() {
        let watch = Watch::new(CancelToken::new(), Heartbeat::silent());
        let budget = watch.begin(limits(None));
        assert_eq!((watch.look(), budget.check()), (None, Ok(())));
        let held = held_bytes().expect("the system tells");
        assert!(held > 0);
        let ballast = vec![1_u8; 2 * LEAST_PROCESS_BYTES as usize];
        let budget = watch.begin(Limits { time: None, bytes: 1 });
        assert_eq!(watch.look(), Some(StopReason::Memory));
        assert_eq!(budget.check(), Err(StopReason::Memory));
        drop(ballast);
        watch.end();
        assert_eq!(watch.look(), None);
    }
}
