//! One child process with limits on time and memory that it need not know of.
//!
//! The child leads a process group of its own. It is watched from outside: when its time is over,
//! or when it and its descendants hold too much memory, all of them are ended. However a run ends,
//! nothing of it is left behind.

use super::usage;
use rely_base::CancelToken;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// What a run may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Duration,
    /// Resident memory of the process and its descendants together.
    pub bytes: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with an exit code unless a signal ended it.
    Exited(Option<i32>),
    /// Its time was over.
    OutOfTime,
    /// It held too much memory.
    OutOfMemory,
    /// The user stopped the benchmark.
    Interrupted,
}

/// A run that is over.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub ending: Ending,
    /// What it printed to standard output, up to a limit.
    pub output: String,
    /// What it printed to standard error, up to a limit.
    pub complaints: String,
    /// How long it took.
    pub time: Duration,
    /// The most memory that was seen.
    pub peak_bytes: u64,
}

/// More output than this is read and forgotten.
const LONGEST_OUTPUT: usize = 16 << 20;
/// How long to wait for the last output of a process that is gone.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs a command to its end, or to the end of what it may use.
pub fn run(mut command: Command, limits: Limits, interrupt: &CancelToken) -> io::Result<Run> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let output = child.stdout.take().map(collect);
    let complaints = child.stderr.take().map(collect);
    let mut peak_bytes = 0;
    let ending = watch(&child, limits, interrupt, start, &mut peak_bytes);
    let time = start.elapsed();
    end_all(&child);
    let status = child.wait()?;
    let text = |stream: Option<Receiver<Vec<u8>>>| {
        let bytes = stream.and_then(|stream| stream.recv_timeout(PATIENCE).ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Run {
        ending: ending.unwrap_or(Ending::Exited(status.code())),
        output: text(output),
        complaints: text(complaints),
        time,
        peak_bytes,
    })
}

/// Waits until the child has ended by itself (then `None`) or must be ended. It is not reaped
/// here, so that its number cannot belong to somebody else when its group is ended.
fn watch(
    child: &Child,
    limits: Limits,
    interrupt: &CancelToken,
    start: Instant,
    peak_bytes: &mut u64,
) -> Option<Ending> {
    let pid = Pid::from_child(child);
    let mut next_look = Duration::ZERO;
    loop {
        let elapsed = start.elapsed();
        if has_ended(pid) {
            return None;
        }
        if elapsed >= limits.time {
            return Some(Ending::OutOfTime);
        }
        if interrupt.is_cancelled() {
            return Some(Ending::Interrupted);
        }
        if elapsed >= next_look {
            let bytes = usage::members(pid.as_raw_nonzero().get()).iter().map(|member| member.bytes).sum();
            *peak_bytes = (*peak_bytes).max(bytes);
            if bytes > limits.bytes {
                return Some(Ending::OutOfMemory);
            }
            next_look = elapsed + Duration::from_millis(10);
        }
        // Short runs are measured exactly; long ones are not disturbed.
        thread::sleep((elapsed / 50).clamp(Duration::from_micros(300), Duration::from_millis(10)));
    }
}

fn has_ended(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match rustix::process::waitid(WaitId::Pid(pid), options) {
        Ok(status) => status.is_some(),
        Err(Errno::INTR) => false,
        Err(_) => true,
    }
}

/// Ends the group, and the descendants that have left it.
fn end_all(child: &Child) {
    let leader = Pid::from_child(child);
    let members = usage::members(leader.as_raw_nonzero().get());
    // Whatever is gone already cannot be ended, and need not be.
    rustix::process::kill_process_group(leader, Signal::KILL).ok();
    for pid in members.iter().filter_map(|member| Pid::from_raw(member.pid)) {
        rustix::process::kill_process(pid, Signal::KILL).ok();
    }
}

/// Reads a stream to its end in the background. Whoever holds it open after the process is gone
/// is not waited for.
fn collect(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            let room = LONGEST_OUTPUT - kept.len();
            kept.extend_from_slice(&buffer[..count.min(room)]);
        }
        // Nobody may be listening any more.
        sender.send(kept).ok();
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, seconds: f64, megabytes: u64) -> Run {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let limits = Limits { time: Duration::from_secs_f64(seconds), bytes: megabytes * 1_000_000 };
        run(command, limits, &CancelToken::new()).expect("there is a shell")
    }

    #[test]
    fn what_ends_by_itself_is_told_as_it_was() {
        let run = shell("echo said; echo complained >&2; exit 7", 30.0, 1000);
        assert_eq!(run.ending, Ending::Exited(Some(7)));
        assert_eq!((run.output.as_str(), run.complaints.as_str()), ("said\n", "complained\n"));
        assert!(run.time < Duration::from_secs(30));
    }

    #[test]
    fn what_ignores_its_time_is_ended_with_its_children() {
        let marker = format!("{}.5", 100_000 + std::process::id());
        let run = shell(&format!("trap '' TERM INT HUP; sleep {marker} & sleep {marker}"), 0.3, 1000);
        assert_eq!(run.ending, Ending::OutOfTime);
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let lines = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok());
        assert_eq!(lines.filter(|line| line.starts_with("sleep") && line.contains(&marker)).count(), 0);
    }

    #[test]
    fn what_allocates_without_bound_is_ended() {
        let run = shell("tail -n 1 < /dev/zero", 600.0, 200);
        assert_eq!(run.ending, Ending::OutOfMemory);
        assert!(run.peak_bytes > 200_000_000);
    }

    #[test]
    fn a_stopped_benchmark_stops_its_runs() {
        let token = CancelToken::new();
        token.cancel();
        let mut command = Command::new("sleep");
        command.arg("1000");
        let limits = Limits { time: Duration::from_secs(1000), bytes: u64::MAX };
        assert_eq!(run(command, limits, &token).expect("it starts").ending, Ending::Interrupted);
    }

    #[test]
    fn endless_output_does_no_harm() {
        let run = shell("yes | head -c 30000000; exit 3", 60.0, 1000);
        assert_eq!(run.ending, Ending::Exited(Some(3)));
        assert_eq!(run.output.len(), LONGEST_OUTPUT);
    }
}
