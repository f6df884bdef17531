//! One child process with limits on time and memory that it need not know of.
//!
//! The child leads a process group of its own. It is watched from outside: when its time is over,
//! or when it and its descendants hold too much memory, all of them are ended. However a run ends,
//! nothing of it is left behind.

use super::usage;
use rely_base::CancelToken;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use std::collections::HashSet;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
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
/// More than this is never in a pipe.
const LONGEST_PIPE: usize = 1 << 20;

/// Runs a command to its end, or to the end of what it may use.
pub fn run(mut command: Command, limits: Limits, interrupt: &CancelToken) -> io::Result<Run> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let output = child.stdout.take().map(Collector::start).transpose();
    let complaints = child.stderr.take().map(Collector::start).transpose();
    let mut peak_bytes = 0;
    let ending = watch(&child, limits, interrupt, start, &mut peak_bytes);
    let time = start.elapsed();
    end_all(&child);
    let status = child.wait()?;
    let text = |stream: Option<Collector>| {
        let bytes = stream.map(Collector::finish).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Run {
        ending: ending.unwrap_or(Ending::Exited(status.code())),
        output: text(output?),
        complaints: text(complaints?),
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

/// Ends the group, and the descendants that have left it. They are stopped first: who is stopped starts
/// nobody, so that all are known when nobody new is found.
fn end_all(child: &Child) {
    let leader = Pid::from_child(child);
    let mut known = HashSet::new();
    // Whatever is gone already cannot be ended, and need not be.
    loop {
        let members = usage::members(leader.as_raw_nonzero().get());
        let found = members.iter().filter_map(|member| Pid::from_raw(member.pid));
        let new: Vec<Pid> = found.filter(|pid| known.insert(*pid)).collect();
        if new.is_empty() {
            break;
        }
        for pid in new {
            rustix::process::kill_process(pid, Signal::STOP).ok();
        }
    }
    rustix::process::kill_process_group(leader, Signal::KILL).ok();
    for pid in known {
        rustix::process::kill_process(pid, Signal::KILL).ok();
    }
}

/// Reads a stream in the background.
///
/// The stream need not end with the process: somebody else may hold it open, or even write to it, for
/// ever. What the process itself has written is in the pipe when it is gone: so reading stops then where
/// the pipe is empty, and nothing is lost.
struct Collector {
    reader: JoinHandle<Vec<u8>>,
    /// Dropped when the process is gone.
    process: PipeWriter,
}

impl Collector {
    fn start(mut stream: impl Read + AsFd + Send + 'static) -> io::Result<Self> {
        let (end_of_process, process) = io::pipe()?;
        let reader = thread::spawn(move || {
            let mut kept = Vec::new();
            let mut buffer = [0; 8192];
            let mut rest = LONGEST_PIPE;
            while let Some(is_gone) = wait_for_more(&stream, &end_of_process)
                && let Ok(count @ 1..) = stream.read(&mut buffer)
            {
                let room = LONGEST_OUTPUT - kept.len();
                kept.extend_from_slice(&buffer[..count.min(room)]);
                rest = if is_gone { rest.saturating_sub(count) } else { rest };
                if rest == 0 {
                    break;
                }
            }
            kept
        });
        Ok(Self { reader, process })
    }

    /// What was read; to be asked when the process is gone.
    fn finish(self) -> Vec<u8> {
        drop(self.process);
        self.reader.join().unwrap_or_default()
    }
}

/// Waits until the stream has something to be read, or its end, and says whether the process is gone;
/// `None` if it is, and there is nothing.
fn wait_for_more(stream: &impl AsFd, end_of_process: &PipeReader) -> Option<bool> {
    let mut both = [PollFd::new(stream, PollFlags::IN), PollFd::new(end_of_process, PollFlags::IN)];
    loop {
        match poll(&mut both, None) {
            Ok(_) => break,
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    let [has_more, is_gone] = both.map(|polled| !polled.revents().is_empty());
    has_more.then_some(is_gone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};

    /// For what ends by itself, however slow the machine is.
    const AMPLE: Duration = Duration::from_secs(100_000);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn run_shell(script: &str, time: Duration, megabytes: u64) -> Run {
        let limits = Limits { time, bytes: megabytes * 1_000_000 };
        run(shell(script), limits, &CancelToken::new()).expect("there is a shell")
    }

    #[test]
    fn what_ends_by_itself_is_told_as_it_was() {
        let run = run_shell("echo said; echo complained >&2; exit 7", AMPLE, 1000);
        assert_eq!(run.ending, Ending::Exited(Some(7)));
        assert_eq!((run.output.as_str(), run.complaints.as_str()), ("said\n", "complained\n"));
    }

    #[test]
    fn what_ignores_its_time_is_ended() {
        let run = run_shell("trap '' TERM INT HUP; sleep 1000; sleep 1000", Duration::from_millis(50), 1000);
        assert_eq!(run.ending, Ending::OutOfTime);
    }

    /// Each of the processes would write to a pipe if it lived on, and holds it open while it lives: so
    /// it has ended when the pipe has. One has left the group. The benchmark is stopped when all are there.
    #[test]
    fn what_is_ended_is_ended_with_its_children() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let pipe = folder.path().join("pipe").display().to_string();
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        let later = "trap '' TERM INT HUP; echo started >&3; sleep 100; echo survived >&3";
        let script = format!("exec 3> '{pipe}'; setsid sh -c \"{later}\" & ({later}) & {later}");
        let stopped = CancelToken::new();
        let everybody = stopped.clone();
        let witness = thread::spawn(move || {
            let mut lines = BufReader::new(std::fs::File::open(pipe).expect("the pipe is there")).lines();
            let heard: Vec<String> = lines.by_ref().take(3).map(|line| line.expect("a text")).collect();
            everybody.cancel();
            heard.into_iter().chain(lines.map(|line| line.expect("a text"))).collect::<Vec<String>>()
        });
        let limits = Limits { time: AMPLE, bytes: u64::MAX };
        let run = run(shell(&script), limits, &stopped).expect("there is a shell");
        assert_eq!(run.ending, Ending::Interrupted);
        assert_eq!(witness.join().expect("it has read"), ["started"; 3]);
    }

    /// Whoever holds the output open is not waited for, and what was said before is known.
    #[test]
    fn nobody_waits_for_output_that_does_not_end() {
        let (output, mut held_open) = io::pipe().expect("a pipe");
        held_open.write_all(b"said before").expect("there is room");
        let collector = Collector::start(output).expect("a pipe");
        assert_eq!(collector.finish(), b"said before");
    }

    /// Nor is one who goes on and on.
    #[test]
    fn nobody_waits_for_output_without_end() {
        let (output, endless) = io::pipe().expect("a pipe");
        let _held_open = output.try_clone().expect("it is open");
        let mut others = Command::new("yes").stdout(endless).spawn().expect("there is `yes`");
        let collector = Collector::start(output).expect("a pipe");
        drop(collector.finish());
        assert!(others.try_wait().expect("a child").is_none(), "it is still writing");
        others.kill().expect("it is there");
        others.wait().expect("it has ended");
    }

    /// As much as is too much, and then it waits: so nothing depends on when it is looked at.
    #[test]
    fn what_allocates_too_much_is_ended() {
        let run = run_shell("(head -c 300000000 /dev/zero; sleep 100000) | tail -n 1", AMPLE, 200);
        assert_eq!(run.ending, Ending::OutOfMemory);
        assert!(run.peak_bytes > 200_000_000);
    }

    #[test]
    fn a_stopped_benchmark_stops_its_runs() {
        let token = CancelToken::new();
        token.cancel();
        let limits = Limits { time: AMPLE, bytes: u64::MAX };
        assert_eq!(run(shell("sleep 1000"), limits, &token).expect("it starts").ending, Ending::Interrupted);
    }

    #[test]
    fn endless_output_does_no_harm() {
        let run = run_shell("yes | head -c 30000000; exit 3", AMPLE, 1000);
        assert_eq!(run.ending, Ending::Exited(Some(3)));
        assert_eq!(run.output.len(), LONGEST_OUTPUT);
    }
}
