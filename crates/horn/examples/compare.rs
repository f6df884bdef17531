//! Our solver beside another one:
//! `cargo run --release -p rely-horn --example compare -- [--all] [--written] [--random N] PATH...`
//!
//! Problems are files, all files of folders, those written for the tests (`--written`), and so many made at random.
//! For each group, exported clauses by their rule, it prints who answers how many, the median times in milliseconds
//! of what both answer, and how often we are not faster; then where that is, and what is open (`--all`: every
//! problem). A contradiction ends it with exit code 1.
//!
//! The other solver is `z3 -in`, or the command in `HORN_SOLVER`. It is one process that answers all problems, each
//! after a `(reset)`, so its start costs it nothing; its time is that from the text to the answer. What it needs for a
//! problem without clauses is measured, too, so that one can subtract it. Ours is the time of reading the text, solving
//! it, and checking the answer. Both have `HORN_LIMIT` seconds for a problem, 5 unless it is
//! said. `HORN_REASONS` shows why we do not know an answer, `HORN_PROGRESS` the rounds of the search.

#[path = "compare/other.rs"]
mod other;
#[path = "../tests/suite/random.rs"]
mod random;
#[path = "compare/table.rs"]
mod table;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use other::Other;
use rely_base::{Budget, Observer, Progress, Silent};
use rely_horn::{Answer, parse, solve};
use rely_logic::TermPool;
use table::{Row, table};

/// Runs of which the median is shown, if they are short.
const RUNS: usize = 3;

fn main() {
    let limit = std::env::var("HORN_LIMIT").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(5);
    let limit = Duration::from_secs(limit);
    let command = std::env::var("HORN_SOLVER").unwrap_or_else(|_| "z3 -in".to_owned());
    let mut other = Other::new(command, limit);
    let arguments = Arguments::read();
    let mut rows = Vec::new();
    for (group, name, text) in arguments.problems {
        let ours = median(|| own_answer(&text, limit));
        let theirs = median(|| other.answer(&text));
        let row = Row { group, name, ours, theirs };
        if arguments.all || row.contradicts() {
            out(&row.text());
        }
        rows.push(row);
    }
    out(&table(&rows));
    let (_, at_least) = median(|| other.answer("(set-logic HORN)\n(check-sat)"));
    out(&format!("a problem without clauses takes the other {at_least:.1} ms"));
    if rows.iter().any(Row::contradicts) {
        std::process::exit(1);
    }
}

/// What is to be compared: group, name, text.
struct Arguments {
    all: bool,
    problems: Vec<(String, String, String)>,
}

impl Arguments {
    fn read() -> Self {
        let mut found = Self { all: false, problems: Vec::new() };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--all" => found.all = true,
                "--written" => {
                    found.add(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/problems"), "written");
                }
                "--random" => {
                    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(100);
                    let made = (0..count)
                        .map(|seed| ("random".to_owned(), format!("random {seed}"), random::system(seed)));
                    found.problems.extend(made);
                }
                path => found.add(Path::new(path), "files"),
            }
        }
        found
    }

    fn add(&mut self, path: &Path, group: &str) {
        if path.is_dir() {
            let entries =
                std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            paths.sort();
            paths.iter().for_each(|path| self.add(path, group));
            return;
        }
        let text =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.problems.push((exported_by(&text).unwrap_or(group).to_owned(), name, text));
    }
}

/// The rule by which `rely export` has made clauses; its first line says it.
fn exported_by(text: &str) -> Option<&str> {
    let (heading, _) = text.lines().next()?.strip_prefix("; ")?.split_once("; sat means")?;
    Some(heading.rsplit_once(": ")?.1)
}

/// One line; the lints are for libraries.
fn out(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The answer of the first run, and the median time in milliseconds.
fn median(mut run: impl FnMut() -> String) -> (String, f64) {
    let mut answer = String::new();
    let mut times = Vec::new();
    for number in 0..RUNS {
        let start = Instant::now();
        let found = run();
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if number == 0 {
            answer = found;
        }
        if times[number] > 500.0 {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    (answer, times[times.len() / 2])
}

fn own_answer(text: &str, limit: Duration) -> String {
    let mut pool = TermPool::new();
    let system = match parse(&mut pool, text) {
        Ok(system) => system,
        Err(error) => return format!("{error}"),
    };
    let budget = Budget::builder().time(limit).memory_bytes(2 << 30).build();
    let answer = match std::env::var_os("HORN_PROGRESS") {
        Some(_) => solve(&mut pool, &system, None, &budget, &Told(Instant::now())),
        None => solve(&mut pool, &system, None, &budget, &Silent),
    };
    if let (Answer::Unknown(reason), Some(_)) = (&answer, std::env::var_os("HORN_REASONS")) {
        out(&format!("  {reason}"));
    }
    answer.name().to_owned()
}

/// Prints every round with its time.
struct Told(Instant);

impl Observer for Told {
    fn progress(&self, progress: &Progress) {
        let time = self.0.elapsed().as_secs_f64() * 1e3;
        out(&format!("  {time:8.1} ms {} {:?}", progress.activity, progress.counts));
    }
}
