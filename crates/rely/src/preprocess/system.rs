//! Running the system's C preprocessor.
//!
//! `CC` names the compiler, as for `make`; without it the usual names are tried.
//!
//! A compiler is a driver that starts the real preprocessor, so the two form a process group of their own that
//! is ended as a whole. The limits of the budget are also given to the system: however Rely itself ends, nobody
//! goes on expanding macros behind it.

use super::Source;
use crate::args::InputArgs;
use crate::input::LARGEST_INPUT;
use rely_base::{Budget, Diagnostic};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// What is tried in this order without `CC`.
pub(super) const USUAL_COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];

/// What a preprocessor needs for an ordinary program.
const LEAST_MEMORY: u64 = 512 << 20;

/// How often it is asked whether there is time to go on.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// The text behind the compiler's preprocessor, with its line markers; an error if the budget ends before.
pub fn run(source: Source<'_>, options: &InputArgs, budget: &Budget) -> Result<Vec<u8>, Diagnostic> {
    let stdin = source.is_stdin.then_some(source.text);
    let chosen = std::env::var("CC").ok().filter(|compiler| !compiler.trim().is_empty());
    let commands: Vec<&str> = match &chosen {
        Some(compiler) => vec![compiler],
        None => USUAL_COMPILERS.to_vec(),
    };
    for command in &commands {
        match start(command, source.path, source.is_stdin, options) {
            Ok(child) => {
                limit(child.id(), budget);
                return finish(child, command, stdin, source.name, budget);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                return Err(Diagnostic::error(format!(
                    "the C preprocessor `{command}` does not start: {error}"
                )));
            }
        }
    }
    Err(Diagnostic::error(format!("there is no C preprocessor: tried `{}`", commands.join("`, `"))).help(
        "install a C compiler, name one in the environment variable CC, or give a preprocessed `.i` file",
    ))
}

fn start(command: &str, path: &Path, from_stdin: bool, options: &InputArgs) -> io::Result<Child> {
    // `CC` may carry options, as in `CC="gcc -m32"`.
    let mut words = command.split_whitespace();
    let mut preprocessor = Command::new(words.next().unwrap_or("cc"));
    preprocessor.args(words).arg("-E");
    preprocessor.arg(format!("-std={}", options.std.as_deref().unwrap_or("gnu11")));
    for file in &options.include_file {
        preprocessor.arg("-include").arg(file);
    }
    for directory in &options.include {
        preprocessor.arg("-I").arg(directory);
    }
    for definition in &options.define {
        preprocessor.arg("-D").arg(definition);
    }
    preprocessor.args(["-x", "c"]);
    if from_stdin {
        preprocessor.arg("-");
    } else {
        // A name that starts with a dash is no option.
        let is_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
        let path = if is_option { Path::new(".").join(path) } else { path.to_owned() };
        preprocessor.arg(OsStr::new(&path));
    }
    preprocessor.stdin(if from_stdin { Stdio::piped() } else { Stdio::null() });
    preprocessor.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()
}

/// Has the system end the preprocessor by itself where the budget ends, give or take a second. That it is not
/// possible on some system does no harm: Rely looks at the clock, too.
fn limit(child: u32, budget: &Budget) {
    let process = process(child);
    let set = |resource: Resource, most: u64| {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        prlimit(process, resource, limit).ok();
    };
    if let Some(bytes) = budget.memory_bytes() {
        set(Resource::As, (bytes as u64).max(LEAST_MEMORY));
    }
    if let Some(left) = budget.remaining() {
        set(Resource::Cpu, left.as_secs() + 1);
    }
}

fn process(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// Ends the compiler's driver and whatever it has started.
fn end(id: u32) {
    if let Some(leader) = process(id) {
        kill_process_group(leader, Signal::KILL).ok();
    }
}

fn finish(
    mut child: Child,
    command: &str,
    stdin: Option<&[u8]>,
    name: &str,
    budget: &Budget,
) -> Result<Vec<u8>, Diagnostic> {
    let failed = |what: String| Diagnostic::error(format!("{name}: the C preprocessor `{command}` {what}"));
    let mut output = Vec::new();
    let mut complaints = String::new();
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (done, is_done) = channel::<()>();
    let (watched, id) = (budget.clone(), child.id());
    // All pipes are served at once: each may fill up while another one is waited for.
    std::thread::scope(|scope| {
        scope.spawn(move || end_in_time(id, &watched, &is_done));
        let _done = done;
        if let (Some(mut pipe), Some(text)) = (pipes.0, stdin) {
            // A preprocessor that stops reading says why on its own.
            scope.spawn(move || pipe.write_all(text).ok());
        }
        if let Some(pipe) = pipes.2 {
            let complaints = &mut complaints;
            scope.spawn(move || pipe.take(1 << 16).read_to_string(complaints).ok());
        }
        match pipes.1 {
            Some(pipe) => pipe.take(LARGEST_INPUT + 1).read_to_end(&mut output).map(drop),
            None => Ok(()),
        }
    })
    .map_err(|error| failed(format!("cannot be read from: {error}")))?;
    if output.len() as u64 > LARGEST_INPUT {
        end(child.id());
        child.wait().ok();
        return Err(failed(format!("prints more than {} megabytes", LARGEST_INPUT >> 20)));
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(output),
        Ok(_) => {
            let error = failed(format!("fails\n{}", complaints.trim_end()));
            // All compilers say it in these words of the system.
            Err(match complaints.contains("No such file or directory") {
                true => {
                    error.help("name the directory of the header with `-I`, or in `include` of rely.toml")
                }
                false => error,
            })
        }
        Err(error) => Err(failed(format!("is lost: {error}"))),
    }
}

/// Ends the preprocessor when the budget ends, unless it is done before: then its output ends.
fn end_in_time(child: u32, budget: &Budget, is_done: &Receiver<()>) {
    while is_done.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
        if budget.check_now().is_err() {
            end(child);
            return;
        }
    }
}
