//! Reproducers of unsafe C programs: compiled by gcc, each fails in every run, by the user's own
//! assertion.
//!
//! Each reproducer runs a hundred times; `RELY_REPRODUCER_RUNS` can make that more, or fewer.

use crate::expectation::{disappointments, parse};
use crate::support::{Directory, root, text};
use rely::args::InputArgs;
use rely_program::Goal;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The signal of a failed assertion.
const ABORTED: i32 = 6;

const USUAL_RUNS: usize = 100;

const RUNS_AT_ONCE: usize = 8;

/// Programs with one mistake each.
const PROGRAMS: &str = "crates/rely/tests/reproducers";

fn runs() -> usize {
    std::env::var("RELY_REPRODUCER_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(USUAL_RUNS)
}

/// Checks a program and writes its reproducer.
fn check(file: &Path, goal: Goal, folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rely"));
    command.args(["check", "--property", goal.name(), "--reproducer"]).arg(folder).arg(file);
    command.current_dir(root()).output().expect("the command runs")
}

/// The commands between the fences of the README, without the last one, which runs the program.
fn build(folder: &Path) -> Result<(), String> {
    let readme = fs::read_to_string(folder.join("README.md")).map_err(|error| error.to_string())?;
    let command = readme.split("```sh\n").nth(1).and_then(|rest| rest.split("\n```").next());
    let command = command.and_then(|command| command.strip_suffix(" && ./reproducer")).ok_or("no command")?;
    let built = Command::new("sh").args(["-c", command]).current_dir(folder).output();
    let built = built.map_err(|error| error.to_string())?;
    if built.status.success() { Ok(()) } else { Err(text(&built.stderr)) }
}

/// Writes, compiles and runs the reproducer of one program. Returns what the last run said.
fn reproduce(file: &Path, goal: Goal) -> Result<String, String> {
    let directory = Directory::new();
    let reproducer = directory.path("reproducer");
    let checked = check(file, goal, &reproducer);
    if checked.status.code() != Some(1) || !checked.stderr.is_empty() {
        return Err(format!("{checked:?}"));
    }
    build(&reproducer)?;
    run_often(&reproducer.join("reproducer"))
}

/// Runs a reproducer as often as wanted, several at a time: they mostly wait for each other's
/// threads. Returns what one of the runs said.
fn run_often(reproducer: &Path) -> Result<String, String> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut said = Ok(String::new());
        while said.is_ok() && next.fetch_add(1, Ordering::Relaxed) < runs() {
            said = run_once(reproducer);
        }
        said
    };
    let all: Vec<Result<String, String>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..RUNS_AT_ONCE.min(runs())).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    });
    let said: Vec<String> = all.into_iter().collect::<Result<_, _>>()?;
    said.into_iter().find(|said| !said.is_empty()).ok_or_else(|| "no run said anything".to_owned())
}

fn run_once(reproducer: &Path) -> Result<String, String> {
    let folder = reproducer.parent().expect("it is a file");
    let output = Command::new(reproducer).current_dir(folder).output().map_err(|error| error.to_string())?;
    let said = text(&output.stderr);
    let failed = output.status.signal() == Some(ABORTED);
    if failed { Ok(said) } else { Err(format!("{}: {said}", output.status)) }
}

/// The programs of this test say themselves what is wrong with them, and where.
#[test]
fn the_programs_are_violated_where_they_say() {
    let mut complaints = Vec::new();
    for (path, _, _) in unsafe_programs(PROGRAMS) {
        let input = rely::input::read(&path, &InputArgs::default()).expect("readable");
        let loaded = rely_verify::load(&input).expect("a program");
        let found = disappointments(&loaded, &input.text).expect("expectations");
        complaints.extend(found.into_iter().map(|complaint| format!("{}: {complaint}", path.display())));
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// What each program of a folder says must be violated.
fn unsafe_programs(folder: &str) -> Vec<(PathBuf, Goal, Option<u32>)> {
    let entries = fs::read_dir(root().join(folder)).expect("there are programs");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let source = fs::read_to_string(&path).expect("a text");
        let expected = parse(&source).expect("expectations");
        let violated = expected.into_iter().filter(|expected| expected.verdict == "unsafe");
        found.extend(violated.map(|expected| (path.clone(), expected.goal, expected.line)));
    }
    found
}

fn all_reproduce(programs: &[(PathBuf, Goal, Option<u32>)]) {
    let mut complaints = Vec::new();
    for (file, goal, line) in programs {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        match (reproduce(file, *goal), line) {
            (Err(problem), _) => complaints.push(format!("{name}: {problem}")),
            (Ok(said), Some(line)) if !said.contains(&format!(".c:{line}: ")) => {
                complaints.push(format!("{name}: fails elsewhere: {said}"));
            }
            (Ok(_), _) => {}
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn unsafe_examples_fail_in_every_run() {
    let programs = unsafe_programs("examples");
    assert!(programs.len() >= 8, "{}", programs.len());
    all_reproduce(&programs);
}

#[test]
fn programs_of_all_kinds_fail_in_every_run() {
    let programs = unsafe_programs(PROGRAMS);
    assert!(programs.len() >= 15, "{}", programs.len());
    all_reproduce(&programs);
}

#[test]
fn unsafe_benchmarks_fail_in_every_run() {
    let file = |name: &str| (root().join("benchmarks/popl11").join(name), Goal::Assert, None);
    all_reproduce(&["bluetooth2.c", "fig2-cex.c", "fig4-cex.c"].map(file));
}

/// Another program than the one of the trace is not made to fail: a schedule only orders what the
/// program itself does.
#[test]
fn a_schedule_that_does_not_fit_proves_nothing() {
    let directory = Directory::new();
    let reproducer = directory.path("reproducer");
    check(&root().join("examples/racy-counter.c"), Goal::Assert, &reproducer);
    let program = reproducer.join("program.c");
    let original = fs::read_to_string(&program).expect("the program is there");
    let mended = original.replace("counter++;", "__sync_fetch_and_add(&counter, 1);");
    assert_ne!(original, mended);
    fs::write(&program, mended).expect("writable");
    build(&reproducer).expect("it compiles");
    let output = Command::new(reproducer.join("reproducer")).output().expect("it runs");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("nothing failed"), "{said}");
}

/// Threads that meet once, after which one writes what the other one still reads.
const BARRIER: &str = "\
#include <assert.h>
#include <pthread.h>
pthread_barrier_t phase;
int data;
void *writer(void *unused) {
    data = 1;
    pthread_barrier_wait(&phase);
    data = 2;
    return 0;
}
int main(void) {
    pthread_t one;
    pthread_barrier_init(&phase, 0, 2);
    pthread_create(&one, 0, writer, 0);
    pthread_barrier_wait(&phase);
    assert(data == 1);
    return 0;
}
";

/// What is said instead of a reproducer.
fn refused(name: &str, source: &str) -> String {
    let directory = Directory::new().with(name, source);
    let reproducer = directory.path("reproducer");
    let output = check(&directory.path(name), Goal::Assert, &reproducer);
    assert!(!reproducer.exists(), "{output:?}");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    text(&output.stderr)
}

#[test]
fn what_cannot_be_reproduced_is_refused_by_name() {
    let said = refused("model.rely", "var x: int = 0;\nthread A { x := 1; }\ninvariant x == 0;\n");
    assert!(said.contains("reproducers of C programs only"), "{said}");
    let said =
        refused("garbage.c", "#include <assert.h>\nint main(void) { int x; assert(x != 3); return 0; }\n");
    assert!(said.contains("the value of `x`, which is never initialized"), "{said}");
    let said = refused(
        "own.c",
        "#include <assert.h>\nint __VERIFIER_nondet_int(void) { return 4; }\n\
         int main(void) { int x = __VERIFIER_nondet_int(); assert(x != 3); return 0; }\n",
    );
    assert!(said.contains("defines `__VERIFIER_nondet_int` itself"), "{said}");
    let said = refused("barrier.c", BARRIER);
    assert!(said.contains("turns at `pthread_barrier_wait`"), "{said}");
}
