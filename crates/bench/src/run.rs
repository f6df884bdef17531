//! Runs all that is to be run, several at a time if the user wants, and keeps the journal.

use super::BenchError;
use super::journal::{Journal, Measurement};
use super::process::{self, Ending, Limits};
use super::task::Task;
use super::tool::Tool;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rely_base::CancelToken;
use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::{fs, thread};

/// All that determines what is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The tools.
    pub tools: Vec<Tool>,
    /// Which tools look at which task; by default all at all.
    pub chosen: Vec<Vec<usize>>,
    /// How often each runs.
    pub repetitions: u32,
    /// What each run may use.
    pub limits: Limits,
    /// Rely itself.
    pub rely: PathBuf,
    /// Its version.
    pub version: String,
}

/// How to run it.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How many at a time.
    pub jobs: usize,
    /// Whether to forget what an unfinished journal has.
    pub start_again: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Job {
    task: usize,
    tool: usize,
    repetition: u32,
}

/// What there is when a benchmark has ended.
#[derive(Clone, Debug)]
pub struct Results {
    /// All finished runs, those of an earlier, unfinished benchmark included.
    pub measurements: Vec<Measurement>,
    /// How many of them are from an earlier one.
    pub resumed: usize,
    /// Whether all that was planned is there.
    pub is_complete: bool,
}

impl Plan {
    /// All runs. The repetitions of a run are apart from each other, so that what disturbs the
    /// machine for a moment does not disturb all of them.
    fn jobs(&self) -> Vec<Job> {
        let one_round = |repetition| {
            let pairs = self
                .chosen
                .iter()
                .enumerate()
                .flat_map(|(task, tools)| tools.iter().map(move |&tool| (task, tool)));
            pairs.map(move |(task, tool)| Job { task, tool, repetition })
        };
        (0..self.repetitions).flat_map(one_round).collect()
    }

    /// A text that changes when results could: programs, tools, limits, and Rely itself.
    fn fingerprint(&self) -> String {
        let mut hasher = DefaultHasher::new();
        for task in &self.tasks {
            (&task.name, task.goal.name(), fs::read(&task.input).ok()).hash(&mut hasher);
        }
        for tool in &self.tools {
            tool.fingerprint().hash(&mut hasher);
        }
        self.chosen.hash(&mut hasher);
        (self.repetitions, self.limits.time, self.limits.bytes).hash(&mut hasher);
        let rely = fs::metadata(&self.rely).ok();
        rely.map(|data| (data.len(), data.modified().ok())).hash(&mut hasher);
        format!("{} {:016x}", self.version, hasher.finish())
    }
}

/// Runs what the journal does not have yet.
pub fn run(
    plan: &Plan,
    manner: Manner,
    journal: &Path,
    interrupt: &CancelToken,
) -> Result<Results, BenchError> {
    let (mut journal, mut measurements) = Journal::open(journal, &plan.fingerprint(), manner.start_again)?;
    let resumed = measurements.len();
    let done: HashSet<(String, String, u32)> = measurements.iter().map(key).collect();
    let jobs = plan.jobs();
    let bar = progress_bar(jobs.len(), resumed);
    let is_new = |job: &Job| {
        let (task, tool) = (&plan.tasks[job.task].name, plan.tools[job.tool].name());
        !done.contains(&(task.clone(), tool, job.repetition))
    };
    let queue = Mutex::new(jobs.into_iter().filter(is_new).collect::<VecDeque<Job>>());
    let stop = CancelToken::new();
    let failure = thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..manner.jobs.max(1) {
            let sender = sender.clone();
            let worker = Worker { plan, queue: &queue, bar: &bar, interrupt, stop: &stop };
            // If nobody listens any more, the benchmark has failed elsewhere.
            scope.spawn(move || worker.work(|result| drop(sender.send(result))));
        }
        drop(sender);
        for result in receiver {
            let kept = result.and_then(|measurement| journal.append(&measurement).map(|()| measurement));
            match kept {
                Ok(measurement) => measurements.push(measurement),
                Err(error) => {
                    stop.cancel();
                    return Some(error);
                }
            }
            bar.inc(1);
        }
        None
    });
    bar.finish_and_clear();
    match failure {
        Some(error) => Err(error),
        None => {
            let is_complete = measurements.len() == plan.jobs().len();
            if is_complete {
                journal.complete()?;
            }
            Ok(Results { measurements, resumed, is_complete })
        }
    }
}

/// Who takes one job after the other.
struct Worker<'w> {
    plan: &'w Plan,
    queue: &'w Mutex<VecDeque<Job>>,
    bar: &'w ProgressBar,
    /// The user does not want to go on.
    interrupt: &'w CancelToken,
    /// The benchmark has failed elsewhere.
    stop: &'w CancelToken,
}

impl Worker<'_> {
    fn next(&self) -> Option<Job> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn work(&self, tell: impl Fn(Result<Measurement, BenchError>)) {
        while let Some(job) = self.next() {
            if self.interrupt.is_cancelled() || self.stop.is_cancelled() {
                return;
            }
            let (task, tool) = (&self.plan.tasks[job.task], &self.plan.tools[job.tool]);
            self.bar.set_message(format!("{} ({})", task.name, tool.name()));
            if let Some(result) = measure(self.plan, job, self.interrupt).transpose() {
                tell(result);
            }
        }
    }
}

fn key(measurement: &Measurement) -> (String, String, u32) {
    (measurement.task.clone(), measurement.tool.clone(), measurement.repetition)
}

/// One run; `None` if the user stopped it.
fn measure(plan: &Plan, job: Job, interrupt: &CancelToken) -> Result<Option<Measurement>, BenchError> {
    let (task, tool) = (&plan.tasks[job.task], &plan.tools[job.tool]);
    let command = tool.command(&plan.rely, task, plan.limits);
    let run = process::run(command, plan.limits, interrupt)
        .map_err(|error| BenchError::Start { tool: tool.name(), error })?;
    // A run beside which the user pressed Ctrl-C may have been stopped by that, too.
    if run.ending == Ending::Interrupted || interrupt.is_cancelled() {
        return Ok(None);
    }
    let (outcome, work) = tool.outcome(&run);
    Ok(Some(Measurement {
        task: task.name.clone(),
        tool: tool.name(),
        repetition: job.repetition,
        outcome,
        seconds: run.time.as_secs_f64(),
        megabytes: run.peak_bytes as f64 / 1e6,
        counts: work.counts,
        modular: work.modular,
    }))
}

/// A bar on standard error, if that is a terminal.
fn progress_bar(all: usize, done: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_position(done as u64);
    bar
}
