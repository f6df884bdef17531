//! Our solver beside another one: `cargo run --release -p rely-horn --example compare -- FILE...`
//!
//! Prints a table of answers and times in milliseconds, medians of some runs, and where we are not faster.
//! The other solver is `z3`, or the command in `HORN_SOLVER`; it gets each file as its last argument.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rely_base::{Budget, Silent};
use rely_horn::{Answer, parse, solve};
use rely_logic::TermPool;

/// A run may take this long.
const LIMIT: Duration = Duration::from_secs(10);
/// Runs of which the median is shown, if they are short.
const RUNS: usize = 3;

fn main() {
    let command = std::env::var("HORN_SOLVER").unwrap_or_else(|_| format!("z3 -T:{}", LIMIT.as_secs()));
    let mut totals = Totals::default();
    out(&format!("{:<44} {:>8} {:>9}  {:>8} {:>9}", "problem", "ours", "ms", "other", "ms"));
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let (ours, our_time) = median(|| own_answer(&text));
        let (theirs, their_time) = median(|| other_answer(&command, &file));
        let name = file.rsplit('/').next().unwrap_or(&file);
        let mark = totals.add(&ours, our_time, &theirs, their_time);
        out(&format!("{name:<44} {ours:>8} {our_time:>9.1}  {theirs:>8} {their_time:>9.1} {mark}"));
    }
    out(&totals.text());
}

/// One line; the lints are for libraries.
fn out(line: &str) {
    use std::io::Write;
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
    let answer = solve(&mut pool, &system, None, &budget, &Silent);
    if let (Answer::Unknown(reason), Some(_)) = (&answer, std::env::var_os("HORN_REASONS")) {
        out(&format!("  {reason}"));
    }
    answer.name().to_owned()
}

fn other_answer(command: &str, file: &str) -> String {
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else { return "none".to_owned() };
    let output = Command::new(program).args(words).arg(file).stderr(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("none").trim().to_owned()
}
