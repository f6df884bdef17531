//! Reproducers of unsafe C programs: compiled by gcc, each fails in every run, in the thread and at
//! the line of the trace, or there is a reason why there is none.
//!
//! Each reproducer runs three times; `RELY_REPRODUCER_RUNS=20` makes that more, and `--nocapture` shows the
//! table:
//!
//! ```sh
//! RELY_REPRODUCER_RUNS=20 cargo test -p rely --test suite reproducer -- --nocapture
//! ```

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests show their table when they are asked to"
)]

use crate::expectation::{disappointments, parse};
use crate::reproducer_kinds::{PLACES, VIOLATIONS, program};
use crate::support::{Directory, root, text};
use rely::args::InputArgs;
use rely_program::Goal;
use serde_json::Value;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The signal of a failed assertion.
const ABORTED: i32 = 6;

const USUAL_RUNS: usize = 3;

/// Reproducers mostly wait for the compiler and for each other's threads.
const AT_ONCE: usize = 4;

/// Programs with one mistake each.
const PROGRAMS: &str = "crates/rely/tests/reproducers";

fn runs() -> usize {
    std::env::var("RELY_REPRODUCER_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(USUAL_RUNS)
}

/// Whether there is a compiler to try reproducers with; says so if not.
fn has_compiler() -> bool {
    // gcc answers with the path of a library that it has, and with the name alone otherwise.
    let sanitizer = Command::new("gcc").arg("-print-file-name=libtsan.so").output();
    let found = sanitizer.is_ok_and(|output| output.status.success() && output.stdout.contains(&b'/'));
    if !found {
        eprintln!("left out: there is no gcc with ThreadSanitizer, so no reproducer was compiled or run");
    }
    found
}

/// Checks a program and writes its reproducer.
fn check(file: &Path, goal: Goal, folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rely"));
    command
        .args(["check", "--format", "json", "--property", goal.name(), "--reproducer"])
        .arg(folder)
        .arg(file);
    command.current_dir(root()).output().expect("the command runs")
}

/// The commands between the fences of the README, without the last one, which runs the program.
fn build(folder: &Path, options: &str) -> Result<(), String> {
    let readme = fs::read_to_string(folder.join("README.md")).map_err(|error| error.to_string())?;
    let command = readme.split("```sh\n").nth(1).and_then(|rest| rest.split("\n```").next());
    let command = command.and_then(|command| command.strip_suffix(" && ./reproducer")).ok_or("no command")?;
    let command = command.replacen(" -c reproducer.c", &format!("{options} -c reproducer.c"), 1);
    let built = Command::new("sh").args(["-c", &command]).current_dir(folder).output();
    let built = built.map_err(|error| error.to_string())?;
    if built.status.success() { Ok(()) } else { Err(text(&built.stderr)) }
}

/// What a run of a reproducer must say, as the trace has it.
fn told_by_trace(checked: &Output) -> Result<Vec<String>, String> {
    let report: Value = serde_json::from_slice(&checked.stdout).map_err(|error| error.to_string())?;
    let result = &report["files"][0]["results"][0];
    let name = |thread: &Value| thread.as_str().unwrap_or("?").to_owned();
    let line = |place: &Value| place["line"].as_u64().unwrap_or(0);
    let violation = &result["violation"];
    if let Some(waiting) = violation["waiting"].as_array().filter(|waiting| !waiting.is_empty()) {
        let told = waiting.iter().map(|who| (name(&who["thread"]), line(&who["place"])));
        return Ok(told.map(|(thread, line)| format!("{thread} waits in @ at line {line}\n")).collect());
    }
    if violation["kind"] == "lasso" {
        return Ok(vec!["reproduced: the run goes on after 3 seconds".to_owned()]);
    }
    if let Some(accesses) = violation["race"]["accesses"].as_array() {
        let places = accesses.iter().map(|access| format!("program.c:{} ", line(&access["place"])));
        return Ok(places.chain(["ThreadSanitizer: data race".to_owned()]).collect());
    }
    let run = &result["interleaving"];
    let last = run["steps"].as_array().and_then(|steps| steps.last()).ok_or("no steps")?;
    let thread = name(&run["threads"][last["thread"].as_u64().ok_or("no thread")? as usize]);
    Ok(vec![format!(".c:{}: ", line(&violation["place"])), format!("(in {thread})\n")])
}

/// Whether a text has a part; `@` stands for one word.
fn says(said: &str, part: &str) -> bool {
    let Some((before, after)) = part.split_once('@') else { return said.contains(part) };
    said.match_indices(before).any(|(at, _)| {
        let rest = &said[at + before.len()..];
        rest.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_').starts_with(after)
    })
}

/// What became of a reproducer.
enum Outcome {
    /// It failed so often.
    Failed(usize),
    /// There is none, for this reason.
    Refused(String),
    /// Nothing is violated.
    Safe,
}

/// Writes, compiles and runs the reproducer of one program.
fn reproduce(file: &Path, goal: Goal) -> Result<Outcome, String> {
    let directory = Directory::new();
    let reproducer = directory.path("reproducer");
    let checked = check(file, goal, &reproducer);
    match checked.status.code() {
        Some(0) => return Ok(Outcome::Safe),
        Some(1) => {}
        _ => return Err(format!("{checked:?}")),
    }
    let said = text(&checked.stderr);
    match (reproducer.exists(), said.split_once("there is no reproducer: ")) {
        (false, Some((_, reason))) => return Ok(Outcome::Refused(reason.trim().to_owned())),
        (true, None) if said.is_empty() => {}
        _ => return Err(said),
    }
    let told = told_by_trace(&checked)?;
    build(&reproducer, "")?;
    for _ in 0..runs() {
        run_once(&reproducer.join("reproducer"), &told)?;
    }
    Ok(Outcome::Failed(runs()))
}

fn run_once(reproducer: &Path, told: &[String]) -> Result<(), String> {
    let folder = reproducer.parent().expect("it is a file");
    let output = Command::new(reproducer).current_dir(folder).output().map_err(|error| error.to_string())?;
    let said = text(&output.stderr);
    if output.status.signal() != Some(ABORTED) {
        return Err(format!("{}: {said}", output.status));
    }
    match told.iter().find(|part| !says(&said, part)) {
        Some(missing) => Err(format!("does not say `{}` but: {said}", missing.trim())),
        None => Ok(()),
    }
}

/// Does something with many things, several at a time, and collects what went wrong.
fn complaints_about<T: Sync>(all: &[T], about: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    complaints.lock().expect("no panic").extend(about(one));
                }
            });
        }
    });
    complaints.into_inner().expect("no panic")
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

/// Each has a reproducer that fails, or one of the reasons that are known.
fn all_reproduce(programs: &[(PathBuf, Goal, Option<u32>)], reasons: &[(&str, &str)]) {
    if !has_compiler() {
        return;
    }
    let complaints = complaints_about(programs, |(file, goal, _)| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let of_goal = format!("{name} ({goal})");
        let known = reasons.iter().find(|(refused, _)| *refused == name || *refused == of_goal);
        complaint(&of_goal, reproduce(file, *goal), known.map(|(_, reason)| *reason))
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// What is not as expected: `refusal` is a part of the reason why there is no reproducer.
fn complaint(name: &str, outcome: Result<Outcome, String>, refusal: Option<&str>) -> Option<String> {
    match (outcome, refusal) {
        (Ok(Outcome::Failed(runs)), None) => {
            println!("{name:45} {runs} of {runs}");
            None
        }
        (Ok(Outcome::Refused(reason)), Some(expected)) if reason.contains(expected) => {
            println!("{name:45} none: {reason}");
            None
        }
        (Ok(Outcome::Safe), _) => Some(format!("{name}: nothing is violated")),
        (Ok(Outcome::Failed(_)), Some(_)) => Some(format!("{name}: there is a reproducer")),
        (Ok(Outcome::Refused(reason)), _) => Some(format!("{name}: there is none: {reason}")),
        (Err(problem), _) => Some(format!("{name}: {problem}")),
    }
}

#[test]
fn unsafe_examples_fail_in_every_run() {
    let programs = unsafe_programs("examples");
    assert!(programs.len() >= 8, "{}", programs.len());
    all_reproduce(&programs, &EXAMPLES_WITHOUT_REPRODUCER);
}

/// Examples whose violation no compiled program shows yet.
const EXAMPLES_WITHOUT_REPRODUCER: [(&str, &str); 2] =
    [("double-free.c", "is no assertion"), ("use-after-free.c (memory)", "is no assertion")];

/// Programs that hang, one for each way: cycles and lost signals, threads that wait while others go on, and loops of one
/// thread and of several, which inputs and other threads lead into.
const HANGING: [&str; 10] = [
    "deadlocks/any-late-signal-lost.c",
    "deadlocks/any-one-cell-buffer-one-more.c",
    "deadlocks/any-endless-work-under-the-lock.c",
    "deadlocks/locks-in-opposite-order.c",
    "deadlocks/signal-for-two.c",
    "deadlocks/stuck-while-another-spins.c",
    "termination/loop-for-ever.c",
    "termination/raise-and-lower.c",
    "termination/spin-for-each-other.c",
    "termination/trylock-livelock.c",
];

#[test]
fn programs_that_hang_do_so_in_every_run() {
    let of_folder = |folder| unsafe_programs(&format!("crates/rely/tests/{folder}"));
    let mut programs: Vec<_> = ["deadlocks", "termination"].into_iter().flat_map(of_folder).collect();
    if !is_thorough() {
        programs.retain(|(path, goal, _)| {
            *goal != Goal::FairTermination && HANGING.iter().any(|name| path.ends_with(name))
        });
        assert!(programs.len() >= HANGING.len(), "{programs:?}");
    }
    all_reproduce(&programs, &HANGING_WITHOUT_REPRODUCER);
}

/// Those in which threads meet where the runtime cannot make them take turns.
const HANGING_WITHOUT_REPRODUCER: [(&str, &str); 5] = [
    ("any-barrier-one-round-more.c", "turns at `pthread_barrier_wait`"),
    ("barrier-short-of-a-party.c", "turns at `pthread_barrier_wait`"),
    ("barrier-inside-of-a-lock.c", "turns at `pthread_barrier_wait`"),
    ("barrier-one-missing.c", "turns at `pthread_barrier_wait`"),
    ("joins-in-a-circle.c", "for ever, which a compiled program does not do"),
];

/// Programs of the folder that gcc does not follow.
const WITHOUT_REPRODUCER: [(&str, &str); 5] = [
    ("index-of-parameter.c", "need not show"),
    ("torn-copy.c", "in the middle of"),
    ("torn-memcpy.c", "in the middle of"),
    ("other-order.c", "in the middle of"),
    ("order-of-arguments.c", "depends on the order in which"),
];

#[test]
fn programs_of_all_kinds_fail_in_every_run() {
    let programs = unsafe_programs(PROGRAMS);
    assert!(programs.len() >= 15, "{}", programs.len());
    all_reproduce(&programs, &WITHOUT_REPRODUCER);
}

/// Programs with data races that a compiled program does not show.
const UNSEEN_RACES: [(&str, &str); 1] = [("discarded-read.c", "nobody uses the value")];

/// Of how many racy programs one is usually tried.
const RACES_PER_TRIED: usize = 6;

/// ThreadSanitizer reports every race, in every run, at the lines of both accesses.
#[test]
fn races_are_reported_in_every_run() {
    let mut programs = unsafe_programs("crates/rely/tests/races");
    assert!(programs.len() >= 50, "{}", programs.len());
    if !is_thorough() {
        let is_refused = |path: &Path| UNSEEN_RACES.iter().any(|(name, _)| path.ends_with(name));
        let mut position = 0..;
        programs.retain(|(path, _, _)| {
            position.next().is_some_and(|at| at % RACES_PER_TRIED == 0) || is_refused(path)
        });
    }
    all_reproduce(&programs, &UNSEEN_RACES);
}

/// The C programs of the benchmarks of which the authors say that they are wrong.
fn unsafe_benchmarks() -> Vec<(PathBuf, Goal, Option<u32>)> {
    let folder = root().join("benchmarks/popl11");
    let entries = fs::read_dir(&folder).expect("there are benchmarks");
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("readable").path()) {
        let task = fs::read_to_string(&path).unwrap_or_default();
        let input = task.lines().find_map(|line| line.strip_prefix("input_files:"));
        let input = input.map(|name| name.trim().trim_matches(['"', '\'']));
        let is_task = path.extension().is_some_and(|extension| extension == "yml");
        match input.filter(|name| is_task && name.ends_with(".c")) {
            Some(name) if task.contains("expected_verdict: false") => {
                found.push((folder.join(name), Goal::Assert, None));
            }
            _ => {}
        }
    }
    found.sort();
    found
}

#[test]
fn unsafe_benchmarks_fail_in_every_run() {
    let programs = unsafe_benchmarks();
    assert!(programs.len() >= 3, "{programs:?}");
    all_reproduce(&programs, &[]);
}

/// Whether everything is tried, and not only a part of it that takes seconds.
fn is_thorough() -> bool {
    runs() > USUAL_RUNS
}

/// Every kind of violation in every place; usually each in one place only, and all places in turn.
#[test]
fn all_kinds_in_all_places_fail_in_every_run() {
    if !has_compiler() {
        return;
    }
    let directory = Directory::new();
    let mut pairs = Vec::new();
    for (index, violation) in VIOLATIONS.iter().enumerate() {
        let places: Vec<_> = PLACES.iter().filter(|place| violation.fits(place)).collect();
        let chosen = if is_thorough() { places.len() } else { 1 };
        pairs.extend((0..chosen).map(|at| (violation, places[(index + at) % places.len()])));
    }
    let complaints = complaints_about(&pairs, |(violation, place)| {
        let name = format!("{}.{}", violation.name, place.name);
        let (source, line) = program(violation, place);
        let file = directory.write(&format!("{name}.c"), &source);
        let outcome = reproduce(Path::new(&file), violation.goal);
        complaint(&name, outcome, violation.refusal).map(|complaint| format!("{complaint} (line {line})"))
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// Ways to read one of two variables.
const READS: [[&str; 2]; 9] = [
    ["x", "y"],
    ["s.x", "s.y"],
    ["a[0]", "a[1]"],
    ["a[i]", "a[j]"],
    ["*p", "*q"],
    ["(x + x)", "(y + y)"],
    ["short_x", "short_y"],
    ["id(x)", "id(y)"],
    ["(x & 1)", "(y & 1)"],
];

/// Conditions that fail only if another thread comes between the two reads, and only in one order.
const CONDITIONS: [&str; 4] = ["X >= Y", "!(X < Y)", "X - Y >= 0", "X + 1 > Y"];

/// A program whose condition reads two variables in two ways.
fn two_reads(first: &str, second: &str, condition: &str) -> String {
    let condition = condition.replace('X', first).replace('Y', second);
    format!(
        "#include <assert.h>\n#include <pthread.h>\nint x, y, a[2], i, j = 1, *p = &x, *q = &y;\nshort short_x, \
         short_y;\nstruct {{ int x, y; }} s;\nint id(int value) {{ return value; }}\nvoid *writer(void *unused) \
         {{\n    x = 1; s.x = 1; a[0] = 1; short_x = 1;\n    y = 1; s.y = 1; a[1] = 1; short_y = 1;\n    return \
         0;\n}}\nint main(void) {{\n    pthread_t thread;\n    pthread_create(&thread, 0, writer, 0);\n    \
         assert({condition});\n    return 0;\n}}\n"
    )
}

/// gcc has its own order of evaluation: where another one matters no reproducer is offered.
#[test]
fn conditions_are_evaluated_in_the_order_of_the_trace_or_refused() {
    if !has_compiler() {
        return;
    }
    let directory = Directory::new();
    let mut programs = Vec::new();
    for (at, [first, _]) in READS.iter().enumerate() {
        for (other, [_, second]) in READS.iter().enumerate() {
            for (number, condition) in CONDITIONS.iter().enumerate() {
                if is_thorough() || (at + 2 * other + number) % 12 == 0 {
                    programs.push((format!("{at}-{other}-{number}.c"), two_reads(first, second, condition)));
                }
            }
        }
    }
    let offered = AtomicUsize::new(0);
    let complaints = complaints_about(&programs, |(name, source)| {
        let file = directory.write(name, source);
        let condition = source.lines().find(|line| line.contains("assert(")).unwrap_or("").trim();
        match reproduce(Path::new(&file), Goal::Assert) {
            Ok(Outcome::Failed(runs)) => {
                offered.fetch_add(1, Ordering::Relaxed);
                println!("{condition:45} {runs} of {runs}");
                None
            }
            Ok(Outcome::Refused(reason))
                if reason.contains("in the middle of") || reason.contains("the order") =>
            {
                println!("{condition:45} none: {reason}");
                None
            }
            Ok(Outcome::Refused(reason)) => Some(format!("{condition}: {reason}")),
            Ok(Outcome::Safe) => Some(format!("{condition}: nothing is violated")),
            Err(problem) => Some(format!("{condition}: {problem}")),
        }
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    assert!(offered.into_inner() >= programs.len() / 4, "most conditions have no reproducer");
}

/// The program is compiled as it stands, whatever else gcc is told.
#[test]
fn other_options_of_the_compiler_change_nothing() {
    if !has_compiler() {
        return;
    }
    for options in ["", " -O2", " -O2 -fsanitize=undefined"] {
        let directory = Directory::new();
        let reproducer = directory.path("reproducer");
        let checked = check(&root().join("examples/racy-counter.c"), Goal::Assert, &reproducer);
        let told = told_by_trace(&checked).expect("a trace");
        build(&reproducer, options).expect("it compiles");
        run_once(&reproducer.join("reproducer"), &told).expect(options);
    }
}

/// Another program than the one of the trace is not made to fail: a schedule only orders what the
/// program itself does.
#[test]
fn a_schedule_that_does_not_fit_proves_nothing() {
    if !has_compiler() {
        return;
    }
    let directory = Directory::new();
    let reproducer = directory.path("reproducer");
    check(&root().join("examples/racy-counter.c"), Goal::Assert, &reproducer);
    let program = reproducer.join("program.c");
    let original = fs::read_to_string(&program).expect("the program is there");
    let mended = original.replace("counter++;", "__sync_fetch_and_add(&counter, 1);");
    assert_ne!(original, mended);
    fs::write(&program, mended).expect("writable");
    build(&reproducer, "").expect("it compiles");
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
    let said = refused("barrier.c", BARRIER);
    assert!(said.contains("turns at `pthread_barrier_wait`"), "{said}");
}
