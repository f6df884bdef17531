//! Our solver beside another one: `cargo run --release -p rely-horn --example compare -- [--random N] FILE...`
//!
//! Prints a table of answers and times in milliseconds, medians of some runs, and where we are not faster:
//! for the files, and for so many systems made at random. The other solver is `z3`, or the command in
//! `HORN_SOLVER`, which reads standard input. `HORN_REASONS` shows why we do not know an answer,
//! `HORN_PROGRESS` the rounds of the search.

#[path = "../tests/suite/random.rs"]
mod random;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rely_base::{Budget, Observer, Progress, Silent};
use rely_horn::{Answer, parse, solve};
use rely_logic::TermPool;

/// A run may take this long.
const LIMIT: Duration = Duration::from_secs(10);
/// Runs of which the median is shown, if they are short.
const RUNS: usize = 3;

fn main() {
    let command = std::env::var("HORN_SOLVER").unwrap_or_else(|_| format!("z3 -in -T:{}", LIMIT.as_secs()));
    let mut totals = Totals::default();
    out(&format!("{:<52} {:>8} {:>9}  {:>8} {:>9}", "problem", "ours", "ms", "other", "ms"));
    for (name, text) in problems() {
        let (ours, our_time) = median(|| own_answer(&text));
        let (theirs, their_time) = median(|| other_answer(&command, &text));
        let mark = totals.add(&ours, our_time, &theirs, their_time);
        out(&format!("{name:<52} {ours:>8} {our_time:>9.1}  {theirs:>8} {their_time:>9.1} {mark}"));
    }
    out(&totals.text());
}

/// What the arguments name.
fn problems() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--random" {
            let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(100);
            found.extend((0..count).map(|seed| (format!("random {seed}"), random::system(seed))));
            continue;
        }
        let text = std::fs::read_to_string(&argument).unwrap_or_else(|error| panic!("{argument}: {error}"));
        let name = argument.rsplit('/').next().unwrap_or(&argument).to_owned();
        found.push((name, text));
    }
    found
}

/// One line; the lints are for libraries.
fn out(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

#[derive(Default)]
struct Totals {
    problems: usize,
    ours: usize,
    theirs: usize,
    both: usize,
    slower: usize,
    disagreements: usize,
}

impl Totals {
    fn add(&mut self, ours: &str, our_time: f64, theirs: &str, their_time: f64) -> &'static str {
        let decided = |answer: &str| answer == "sat" || answer == "unsat";
        self.problems += 1;
        self.ours += usize::from(decided(ours));
        self.theirs += usize::from(decided(theirs));
        match (decided(ours), decided(theirs)) {
            (true, true) if ours != theirs => {
                self.disagreements += 1;
                "DISAGREE"
            }
            (true, true) => {
                self.both += 1;
                self.slower += usize::from(our_time > their_time);
                if our_time > their_time { "slower" } else { "" }
            }
            (false, true) => "missing",
            _ => "",
        }
    }

    fn text(&self) -> String {
        let Self { problems, ours, theirs, both, slower, disagreements } = self;
        format!(
            "{problems} problems: {ours} decided by us, {theirs} by the other; of {both} by both, {slower} not \
             faster by us; {disagreements} disagreements"
        )
    }
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

fn own_answer(text: &str) -> String {
    let mut pool = TermPool::new();
    let system = match parse(&mut pool, text) {
        Ok(system) => system,
        Err(error) => return format!("{error}"),
    };
    let budget = Budget::builder().time(LIMIT).memory_bytes(2 << 30).build();
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
        out(&format!(
            "  {:8.1} ms {} {:?}",
            self.0.elapsed().as_secs_f64() * 1e3,
            progress.activity,
            progress.counts
        ));
    }
}

fn other_answer(command: &str, text: &str) -> String {
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else { return "none".to_owned() };
    let child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return "none".to_owned() };
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(text.as_bytes());
    }
    let output = child.wait_with_output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("none").trim().to_owned()
}
