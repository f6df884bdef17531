//! How far the work is: on a terminal one line that is kept up to date, elsewhere a line now and then. Both are for
//! standard error.

use crate::console::Console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rely_base::{Observer, Progress};
use rely_report::counted;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often there is a line where nobody can change one.
const BETWEEN_LINES: Duration = Duration::from_secs(5);

/// Tells now and then what is being done. Whoever watches the work makes it beat, because work may take long without
/// a word.
#[derive(Debug)]
pub struct Heartbeat {
    inner: Option<Mutex<Pulse>>,
}

#[derive(Debug)]
struct Pulse {
    doing: String,
    begun: Instant,
    told: Instant,
}

impl Heartbeat {
    /// Tells it, unless there is a terminal, where another line does.
    pub fn new(is_quiet: bool) -> Self {
        let is_told = !is_quiet && !io::stderr().is_terminal();
        let now = Instant::now();
        Self { inner: is_told.then(|| Mutex::new(Pulse { doing: String::new(), begun: now, told: now })) }
    }

    /// Tells nothing.
    pub fn silent() -> Self {
        Self { inner: None }
    }

    fn pulse(&self) -> Option<MutexGuard<'_, Pulse>> {
        Some(self.inner.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// This is being done now.
    pub fn set(&self, doing: impl FnOnce() -> String) {
        if let Some(mut pulse) = self.pulse() {
            pulse.doing = doing();
        }
    }

    /// Tells it, if that was not done for a while.
    pub fn beat(&self) {
        let Some(mut pulse) = self.pulse() else { return };
        if pulse.told.elapsed() >= BETWEEN_LINES {
            pulse.told = Instant::now();
            Console::complain(&format!("progress: {}, {} s\n", pulse.doing, pulse.begun.elapsed().as_secs()));
        }
    }
}

/// An observer that keeps one line on standard error up to date.
#[derive(Debug)]
pub struct ProgressLine<'h> {
    subject: String,
    /// If somebody can see it.
    bar: Option<ProgressBar>,
    heartbeat: &'h Heartbeat,
    counts: Mutex<Vec<(&'static str, u64)>>,
}

impl<'h> ProgressLine<'h> {
    /// A line about `subject`. Nothing is drawn unless standard error is a terminal; elsewhere it goes to the
    /// heartbeat.
    pub fn new(subject: String, is_quiet: bool, heartbeat: &'h Heartbeat) -> Self {
        heartbeat.set(|| subject.clone());
        let is_drawn = !is_quiet && io::stderr().is_terminal();
        let bar = is_drawn.then(|| bar(subject.clone()));
        Self { subject, bar, heartbeat, counts: Mutex::default() }
    }

    /// Removes the line, so that what is printed next does not collide with it.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// The counts that were reported last.
    pub fn counts(&self) -> Vec<(String, u64)> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }
}

fn bar(subject: String) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {wide_msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.set_prefix(subject);
    bar
}

impl Observer for ProgressLine<'_> {
    fn progress(&self, progress: &Progress) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&progress.counts);
        let told = || {
            let counts: Vec<String> =
                progress.counts.iter().map(|(name, count)| counted(*count, name)).collect();
            format!("{} ({})", progress.activity, counts.join(", "))
        };
        self.heartbeat.set(|| format!("{}: {}", self.subject, told()));
        if let Some(bar) = &self.bar {
            bar.set_message(told());
            bar.tick();
        }
    }
}
