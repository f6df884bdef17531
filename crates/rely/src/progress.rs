//! The progress line: on a terminal one line tells what is going on; elsewhere nothing does.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rely_base::{Observer, Progress};
use rely_report::counted;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};

/// An observer that keeps one line on standard error up to date.
#[derive(Debug)]
pub struct ProgressLine {
    /// If somebody can see it.
    bar: Option<ProgressBar>,
    counts: Mutex<Vec<(&'static str, u64)>>,
}

impl ProgressLine {
    /// A line about `subject`. Nothing is drawn unless standard error is a terminal.
    pub fn new(subject: String) -> Self {
        Self { bar: io::stderr().is_terminal().then(|| bar(subject)), counts: Mutex::default() }
    }

    /// Removes the line, so that what is printed next does not collide with it.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// The counts that were reported last.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
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

impl Observer for ProgressLine {
    fn progress(&self, progress: &Progress) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&progress.counts);
        if let Some(bar) = &self.bar {
            let counts: Vec<String> =
                progress.counts.iter().map(|(name, count)| counted(*count, name)).collect();
            bar.set_message(format!("{} ({})", progress.activity, counts.join(", ")));
            bar.tick();
        }
    }
}
