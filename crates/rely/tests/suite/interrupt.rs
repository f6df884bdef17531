//! Ctrl-C, at moments that the tests choose: files are named pipes, which can be opened for writing only
//! when the command reads them.

use crate::support::Directory;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

const COUNTER: &str = "var x: int = 0;\nthread A { x := x + 1; }\nensures x == 1;\n";
const ENDLESS: &str = "var x: int = 0;\nthread A { while true { x := x + 1; } }\nnever x < 0;\n";

fn with_pipe(directory: Directory, name: &str) -> Directory {
    let made = Command::new("mkfifo").arg(directory.path(name)).status().expect("mkfifo runs");
    assert!(made.success());
    directory
}

fn start(directory: &Directory, arguments: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let mut child = directory.command(arguments).stdout(Stdio::piped()).spawn().expect("the command runs");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    (child, output)
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

/// While the second of two files is being worked on, which would take for ever.
#[test]
fn an_interrupt_stops_the_work() {
    let directory = with_pipe(Directory::new().with("counter.rely", COUNTER), "endless.rely");
    let arguments = ["check", "--engine", "explore", "counter.rely", "endless.rely"];
    let (mut child, mut output) = start(&directory, &arguments);
    let mut first = String::new();
    output.read_line(&mut first).expect("the first verdict");
    assert_eq!(first, "counter.rely: safe\n");
    directory.write("endless.rely", ENDLESS);
    interrupt(&child);
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("the rest");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{rest}");
    assert!(rest.contains("endless.rely: unknown\n  assert       unknown: cancelled"), "{rest}");
    assert!(rest.contains("\n2 files: 1 unknown, 1 safe\n"), "{rest}");
}

/// Who waits for the rest of a file cannot be asked to stop.
#[test]
fn an_interrupt_ends_who_only_waits() {
    let directory = with_pipe(Directory::new(), "endless.rely");
    let (mut child, mut output) = start(&directory, &["check", "endless.rely"]);
    let mut pipe = File::create(directory.path("endless.rely")).expect("the pipe is read");
    pipe.write_all(b"var x").expect("it is read");
    interrupt(&child);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    drop(pipe);
    let mut said = String::new();
    output.read_to_string(&mut said).expect("nothing");
    assert_eq!(said, "");
}
