//! `rely check` with several files: each is checked in a process of its own, several at the same time.
//!
//! So a file that needs too much time or memory, or on which Rely fails, takes nothing from the others. What a process
//! finds out it prints as it would be kept in the cache; what is told to the user is decided here, in the order of the
//! files.

use super::Context;
use super::check::limits_of;
use crate::args::{CheckArgs, CheckFormat, TraceChoice};
use crate::cache::Cache;
use crate::exit::Status;
use crate::input::{self, NotLoaded};
use crate::interrupt::Helper;
use crate::progress::Heartbeat;
use crate::settings::Acceptance;
use clap::ValueEnum;
use rely_base::{Budget, Diagnostic};
use rely_report::{FileReport, Problem, from_stored, render_brief, render_report};
use rustix::process::{Pid, Signal, kill_process, set_parent_process_death_signal};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often a process is looked at, and whether the user has had enough.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// A process that limits itself needs this much longer at most, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(10);

/// A process that was asked to stop may take this long.
const GRACE: Duration = Duration::from_secs(2);

/// What came of a file.
enum Outcome {
    Report(FileReport),
    /// The process ended without a report.
    Failed(FileReport),
    /// There was no need any more.
    Skipped,
}

/// Checks all files. Returns their reports, of those that were looked at, and what is wrong besides.
pub(super) fn check_many(
    arguments: &CheckArgs,
    context: &Context,
    cache: Option<&Cache>,
    acceptance: &Acceptance,
) -> io::Result<(Vec<FileReport>, Option<Status>)> {
    let files = &arguments.files;
    let available = thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.map_or(available, usize::from).min(files.len());
    let job = Job {
        arguments,
        context,
        cache,
        limits: limits_of(arguments, jobs),
        acceptance,
        is_over: AtomicBool::new(false),
    };
    let (next, heartbeat) = (AtomicUsize::new(0), Heartbeat::new(arguments.quiet));
    let mut desk = Desk { arguments, context, reports: Vec::new(), mistake: None };
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, job, next) = (sender.clone(), &job, &next);
            scope.spawn(move || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = files.get(place) else { break };
                    if sender.send((place, job.outcome(path))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut wanted = 0;
        loop {
            heartbeat.set(|| format!("{wanted} of {} files", files.len()));
            heartbeat.beat();
            match results.recv_timeout(Duration::from_millis(200)) {
                Ok((place, outcome)) => drop(waiting.insert(place, outcome)),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(outcome) = waiting.remove(&wanted) {
                wanted += 1;
                desk.take(outcome)?;
            }
        }
        Ok((desk.reports, desk.mistake))
    })
}

/// Where results are taken in the order of the files, and told.
struct Desk<'d> {
    arguments: &'d CheckArgs,
    context: &'d Context,
    reports: Vec<FileReport>,
    mistake: Option<Status>,
}

impl Desk<'_> {
    fn take(&mut self, outcome: Outcome) -> io::Result<()> {
        let report = match outcome {
            Outcome::Skipped => return Ok(()),
            Outcome::Report(report) => report,
            Outcome::Failed(report) => {
                self.mistake = Some(Status::Failure);
                report
            }
        };
        if self.arguments.format == CheckFormat::Text {
            self.tell(&report)?;
        }
        self.reports.push(report);
        Ok(())
    }

    fn tell(&self, report: &FileReport) -> io::Result<()> {
        let style = self.context.console.out_style;
        let is_told_fully = self.arguments.trace.is_some() || self.arguments.explain;
        let text = match &report.outcome {
            Err(problem) if !problem.is_skipped => {
                self.context.complain(problem);
                return Ok(());
            }
            Ok(findings) if is_told_fully => {
                render_report(report, findings, &[], TraceChoice::detail(self.arguments.trace), style) + "\n"
            }
            _ => render_brief(report, style),
        };
        self.context.console.print(&text)
    }
}

/// What is the same for all files.
struct Job<'j> {
    arguments: &'j CheckArgs,
    context: &'j Context,
    cache: Option<&'j Cache>,
    acceptance: &'j Acceptance,
    limits: (f64, u64),
    /// Nothing else is to be checked.
    is_over: AtomicBool,
}

impl Job<'_> {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.context.interrupt.is_cancelled()
    }

    /// What comes of a file. One that is unsafe may be the last.
    fn outcome(&self, path: &Path) -> Outcome {
        let mut outcome = self.check(path);
        if let Outcome::Report(report) = &mut outcome {
            self.acceptance.apply(report);
            if self.arguments.fail_fast && Status::of(report) == Status::Violated {
                self.is_over.store(true, Ordering::Relaxed);
            }
        }
        outcome
    }

    fn check(&self, path: &Path) -> Outcome {
        if self.is_over() {
            return Outcome::Skipped;
        }
        let options = options_text(self.arguments, self.limits);
        let key = self.cache.and_then(|cache| {
            // What can be read only once is read by the process that checks it.
            let source = path.is_file().then(|| input::read(path, &self.arguments.input).ok())??;
            Some((cache, cache.key(&options, &source)))
        });
        if let Some(report) = key.as_ref().and_then(|(cache, key)| cache.get(key)) {
            return Outcome::Report(report);
        }
        match self.ask(path) {
            Ok(Answer::Report(report)) => {
                if let Some((cache, key)) = &key
                    && !self.is_over()
                {
                    cache.put(key, &report);
                }
                Outcome::Report(report)
            }
            Ok(Answer::Skipped) => Outcome::Skipped,
            Ok(Answer::Ended(code)) => self.without_report(path, code),
            Err(error) => failed(path, &format!("no process could be started: {error}")),
        }
    }

    /// Has a process check the file.
    fn ask(&self, path: &Path) -> io::Result<Answer> {
        let stdin = if path == Path::new("-") { Stdio::inherit() } else { Stdio::null() };
        let mut child = Command::new(std::env::current_exe()?)
            .args(options(self.arguments, self.limits))
            .arg("--")
            .arg(path)
            .stdin(stdin)
            // Ctrl-C on a terminal is for this process, which passes it on.
            .process_group(0)
            .stdout(Stdio::piped())
            .spawn()?;
        let _helper = Helper::started();
        let mut out = child.stdout.take().ok_or_else(|| io::Error::other("there is no pipe"))?;
        thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let mut text = String::new();
                out.read_to_string(&mut text).map(|_| text)
            });
            let code = self.wait_for(&mut child)?;
            let text = reader.join().map_err(|_| io::Error::other("nobody has read the report"))??;
            Ok(match from_stored(&text) {
                Some(report) => Answer::Report(report),
                None if self.is_over() => Answer::Skipped,
                None => Answer::Ended(code),
            })
        })
    }

    /// Waits for a process, and ends it when nobody wants to wait any more.
    fn wait_for(&self, child: &mut Child) -> io::Result<Option<i32>> {
        let (seconds, _) = self.limits;
        let limit = (seconds > 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        let begun = Instant::now();
        let mut over_since = None;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.code());
            }
            if self.is_over() && over_since.is_none() {
                over_since = Some(Instant::now());
                kill_process(Pid::from_child(child), Signal::INT).ok();
            }
            let is_late = limit.is_some_and(|limit| begun.elapsed() > limit.saturating_add(PATIENCE));
            let is_enough = over_since.is_some_and(|since| since.elapsed() > self.grace());
            if is_late || is_enough {
                child.kill()?;
            }
            thread::sleep(BETWEEN_LOOKS);
        }
    }

    /// Who was interrupted says what is known; of who is not needed any more nobody wants to know.
    fn grace(&self) -> Duration {
        if self.context.interrupt.is_cancelled() { GRACE } else { Duration::ZERO }
    }

    /// A process that reads a file which is wrong reports nothing: what is wrong with it is found out again.
    fn without_report(&self, path: &Path, code: Option<i32>) -> Outcome {
        let is_wrong = [Status::BadInput, Status::Unsupported]
            .iter()
            .any(|status| code == Some(i32::from(status.code())));
        if is_wrong
            && let Err(NotLoaded::Wrong(problem)) =
                super::load(&[path.to_owned()], &self.arguments.input, &Budget::unlimited())
        {
            let problem = self.arguments.judged(&[path.to_owned()], problem);
            return Outcome::Report(FileReport::new(path.display().to_string(), Err(problem)));
        }
        let how = code.map_or("was ended by a signal".to_owned(), |code| format!("ended with code {code}"));
        failed(path, &format!("the process that checked it {how} and said nothing"))
    }
}

/// What a process says.
enum Answer {
    Report(FileReport),
    Skipped,
    Ended(Option<i32>),
}

fn failed(path: &Path, what: &str) -> Outcome {
    let file = path.display().to_string();
    let diagnostic = Diagnostic::error(format!("{file}: {what}"));
    Outcome::Failed(FileReport::new(file, Err(Problem::without_source(diagnostic))))
}

/// The arguments of a process that checks one file: all on which its result depends.
fn options(arguments: &CheckArgs, (seconds, megabytes): (f64, u64)) -> Vec<OsString> {
    let mut options: Vec<OsString> = ["check", "--worker", "--no-cache"].map(OsString::from).to_vec();
    let mut add = |name: &str, value: &dyn AsRef<std::ffi::OsStr>| {
        options.push(name.into());
        options.push(value.as_ref().into());
    };
    for goal in &arguments.property {
        add("--property", &goal.name());
    }
    add("--engine", &arguments.engine);
    add("--bias", &name(arguments.bias));
    add("--sections", &name(arguments.sections));
    add("--trust", &name(arguments.trust));
    add("--timeout", &seconds.to_string());
    add("--memory", &megabytes.to_string());
    for (limit, value) in &arguments.limit {
        add("--limit", &format!("{limit}={value}"));
    }
    if let Some(language) = arguments.input.lang {
        add("--lang", &name(language));
    }
    for path in &arguments.input.include {
        add("-I", path);
    }
    for definition in &arguments.input.define {
        add("-D", definition);
    }
    for file in &arguments.input.include_file {
        add("--include-file", file);
    }
    if let Some(standard) = &arguments.input.std {
        add("--std", standard);
    }
    for effect in &arguments.input.effect {
        add("--effect", effect);
    }
    for file in &arguments.input.effects {
        add("--effects", file);
    }
    for function in &arguments.input.entry {
        add("--entry", function);
    }
    for function in &arguments.input.setup {
        add("--setup", function);
    }
    add("--preprocessor", &name(arguments.input.preprocessor));
    add("--externals", &name(arguments.input.externals));
    let flags =
        [("--fair", arguments.fair), ("--strict", arguments.strict), ("--explain", arguments.explain)];
    options.extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| OsString::from(flag)));
    options
}

/// The same as part of the name of a result.
pub(super) fn options_text(arguments: &CheckArgs, limits: (f64, u64)) -> String {
    let options = options(arguments, limits);
    options.iter().map(|option| format!("{}\n", option.to_string_lossy())).collect()
}

fn name<V: ValueEnum>(value: V) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Makes this process end when the one that started it does, however that ends.
pub(super) fn end_with_parent() {
    set_parent_process_death_signal(Some(Signal::KILL)).ok();
}
