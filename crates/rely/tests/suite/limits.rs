//! `--timeout` and `--memory` hold from the first byte to the last, whatever the input.
//!
//! The inputs are made to be too large in one way each. What counts is processor time and memory, which do
//! not depend on how busy the machine is.

mod inputs;

use crate::support::{Directory, text};
use inputs::INPUTS;
use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// `--timeout`, in seconds. Of the processor time, one second more is allowed.
const SECONDS: &str = "1";
const MOST_PROCESSOR_TIME: Duration = Duration::from_secs(2);

/// `--memory`, in megabytes, and what the process may have held at most: a tenth more.
const MEGABYTES: &str = "300";
const MOST_KILOBYTES: u64 = 330_000;

/// What a process has used, as far as was seen.
#[derive(Debug, Default)]
struct Used {
    processor: Duration,
    kilobytes: u64,
}

/// Waits until a process has ended, and looks at what it uses meanwhile. What it has printed is read by
/// somebody else.
fn watch(child: &mut Child) -> (Option<i32>, Used) {
    let mut used = Used::default();
    loop {
        // Before it is waited for, a process that has ended still tells its time.
        used.processor = processor_time(child.id()).unwrap_or(used.processor);
        used.kilobytes = most_kilobytes(child.id()).unwrap_or(0).max(used.kilobytes);
        if has_ended(child.id()) {
            used.processor = processor_time(child.id()).unwrap_or(used.processor);
            let status = child.wait().expect("it has ended");
            return (status.code(), used);
        }
        thread::sleep(Duration::from_millis(4));
    }
}

/// The fields of `/proc/<pid>/stat` behind the name of the program.
fn stat(process: u32) -> Option<Vec<String>> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = line.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

fn has_ended(process: u32) -> bool {
    stat(process).is_none_or(|fields| fields[0] == "Z")
}

fn processor_time(process: u32) -> Option<Duration> {
    let fields = stat(process)?;
    let ticks = fields[11].parse::<u64>().ok()? + fields[12].parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 1_000 / rustix::param::clock_ticks_per_second()))
}

fn most_kilobytes(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Checks one input; returns what is wrong with the answer.
fn check(directory: &Directory, file: &str) -> Result<(), String> {
    let arguments =
        ["check", "-p", "assert", "--engine", "explore", "--timeout", SECONDS, "--memory", MEGABYTES, file];
    let mut command = directory.command(&arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    let (mut out, mut errors) = (child.stdout.take().expect("a pipe"), child.stderr.take().expect("a pipe"));
    let printed = thread::spawn(move || {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes).expect("it can be read");
        bytes
    });
    let complained = thread::spawn(move || {
        let mut bytes = Vec::new();
        errors.read_to_end(&mut bytes).expect("it can be read");
        bytes
    });
    let (code, used) = watch(&mut child);
    let said = text(&printed.join().expect("it is read")) + &text(&complained.join().expect("it is read"));
    let start: String = said.chars().take(400).collect();
    let answers = match code {
        Some(0) => said.contains(": safe (") || said.contains(": nothing to check ("),
        Some(1) => said.contains(": unsafe ("),
        Some(2) => said.contains(": unknown (") && said.contains("reason"),
        Some(3 | 5) => said.contains("Error"),
        _ => false,
    };
    match () {
        () if !answers => Err(format!("no answer: code {code:?}, {used:?}\n{start}")),
        () if used.processor > MOST_PROCESSOR_TIME => Err(format!("too long: {used:?}\n{start}")),
        () if used.kilobytes > MOST_KILOBYTES => Err(format!("too much memory: {used:?}\n{start}")),
        () => Ok(()),
    }
}

#[test]
fn limits_hold_whatever_the_input() {
    let wanted = std::env::var("RELY_LIMITS").unwrap_or_default();
    let mut mistakes = Vec::new();
    for input in INPUTS.iter().filter(|input| input.name.contains(&wanted)) {
        let directory = Directory::new();
        directory.write(input.name, (input.text)());
        if let Err(mistake) = check(&directory, input.name) {
            mistakes.push(format!("{}: {mistake}", input.name));
        }
    }
    assert!(INPUTS.len() >= 40);
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

/// A file from which nothing ever comes: who waits for it cannot be asked to stop.
fn with_silent_pipe() -> (Directory, fs::File) {
    let directory = Directory::new();
    let path = directory.path("silent.rely");
    let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
    assert!(made.success());
    // Whoever opens it for both does not wait for others.
    let pipe = fs::OpenOptions::new().read(true).write(true).open(path).expect("the pipe is there");
    (directory.with("a.rely", "var x: int = 0;\nthread A { x := 1; }\nensures x == 1;\n"), pipe)
}

#[test]
fn work_that_does_not_stop_is_given_up() {
    let (directory, pipe) = with_silent_pipe();
    let directory = directory.with("b.rely", "var x: int = 0;\nthread A { x := 1; }\nensures x == 1;\n");
    let arguments = ["--timeout", "0.1", "a.rely", "silent.rely", "b.rely"];
    // In a process of its own it takes nothing from the others.
    let output = directory.rely(&[&["check"][..], &arguments].concat());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for line in ["a.rely: safe\n", "silent.rely: unknown\n", "b.rely: safe\n"] {
        assert!(said.contains(line), "{said}");
    }
    // Where more is wanted than a report, all files are checked by one process.
    let output = directory.rely(&[&["check", "--verbose"][..], &arguments].concat());
    drop(pipe);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let verdicts: Vec<&str> = said.lines().filter(|line| line.ends_with(" (assert)")).collect();
    assert_eq!(
        verdicts,
        ["a.rely: safe (assert)", "silent.rely: unknown (assert)", "b.rely: unknown (assert)"],
        "{said}"
    );
    assert!(said.contains("the time limit was reached while reading"), "{said}");
    assert!(said.contains("not looked at"), "{said}");
}

#[test]
fn what_is_given_up_is_reported_in_every_format() {
    for (format, expected) in [
        ("json", "the time limit was reached while reading"),
        ("sarif", "the time limit was reached while reading"),
        ("junit", "the time limit was reached while reading"),
        ("lines", "the time limit was reached while reading"),
    ] {
        let (directory, pipe) = with_silent_pipe();
        let arguments = ["check", "--timeout", "0.1", "-p", "deadlock", "--format", format, "silent.rely"];
        let output = directory.rely(&arguments);
        drop(pipe);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(2), "{format}: {said}");
        assert!(said.contains(expected) && said.contains("deadlock"), "{format}: {said}");
        if format == "json" {
            serde_json::from_str::<serde_json::Value>(&said).expect("it is JSON");
        }
    }
}
