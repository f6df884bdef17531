//! Feeds generated and mutated models to the front end and reports panics, slow inputs and
//! formatting that is not stable.
//!
//! ```text
//! cargo run --release -p rely-model-front --example fuzz_models -- [SECONDS [SEED]]
//! ```
//!
//! The exit code is 1 if anything was found; the inputs are printed.

#![allow(clippy::print_stdout)] // it is a command

#[path = "../tests/suite/generate.rs"]
mod generate;

use generate::{messy, model};
use rely_base::Random;
use rely_base::SourceMap;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// No small input may take longer than this.
const SLOW: Duration = Duration::from_secs(2);

/// Pieces that mutations insert.
const PIECES: [&str; 36] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    ":=",
    "*",
    "->",
    "..",
    "#(",
    "-",
    "!",
    "?",
    "thread T {",
    "process q(",
    "atomic {",
    "await p do {",
    "if * {",
    "while true {",
    "goto l0;",
    "l0:",
    "spawn worker(1, true);",
    "join h;",
    "forall i in 0..900:",
    "99999999999999999999999",
    "/*",
    "//",
    "\u{0}",
    "é",
    "requires p;",
    "var x: int;",
    "me",
    "const N = N;",
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10);
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    std::panic::set_hook(Box::new(|_| {}));
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut random = Random::new(seed);
    let (mut inputs, mut accepted, mut found) = (0u64, 0u64, 0u64);
    while Instant::now() < end && found < 10 {
        let text = input(&mut random);
        let start = Instant::now();
        let problem = match catch_unwind(|| examine(&text)) {
            Ok(Ok(is_accepted)) => {
                accepted += u64::from(is_accepted);
                (start.elapsed() > SLOW).then(|| format!("took {:?}", start.elapsed()))
            }
            Ok(Err(problem)) => Some(problem),
            Err(_) => Some("panic".to_owned()),
        };
        if let Some(problem) = problem {
            println!("=== {problem}\n{text}\n===");
            found += 1;
        }
        inputs += 1;
    }
    println!("{inputs} inputs, {accepted} accepted, {found} problems");
    if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A generated model, usually with a few mutations.
fn input(random: &mut Random) -> String {
    let mut text: Vec<char> = model(random).chars().collect();
    for _ in 0..random.below(5) {
        mutate(random, &mut text);
    }
    let text: String = text.into_iter().collect();
    if random.below(3) == 0 { messy(random, &text) } else { text }
}

fn mutate(random: &mut Random, text: &mut Vec<char>) {
    let at = random.below(text.len() + 1);
    let end = (at + random.below(30)).min(text.len());
    match random.below(5) {
        0 => drop(text.drain(at..end)),
        1 => {
            let piece: Vec<char> = PIECES[random.below(PIECES.len())].chars().collect();
            text.splice(at..at, piece);
        }
        2 => {
            let piece = text[at..end].to_vec();
            let to = random.below(text.len() + 1);
            text.splice(to..to, piece);
        }
        3 => {
            let piece = PIECES[random.below(PIECES.len())].repeat(1 + random.below(300));
            text.splice(at..end, piece.chars());
        }
        _ => text.truncate(at),
    }
}

/// Whether the text is a correct model; an error says what the front end does wrong.
fn examine(text: &str) -> Result<bool, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("fuzz.rely", text);
    let translated = rely_model_front::translate(&sources, file);
    if let Err(errors) = &translated {
        if errors.is_empty() {
            return Err("refused without an error".into());
        }
        if let Some(error) = errors.iter().find(|error| error.message.starts_with("the translation failed")) {
            return Err(error.message.clone());
        }
    }
    if let Ok(formatted) = rely_model_front::format(&sources, file) {
        let again = sources.add("formatted.rely", formatted.as_str());
        match rely_model_front::format(&sources, again) {
            Ok(twice) if twice == formatted => {}
            Ok(_) => return Err("formatting is not stable".into()),
            Err(errors) => return Err(format!("the formatted model is refused: {}", errors[0])),
        }
        if rely_model_front::translate(&sources, again).is_ok() != translated.is_ok() {
            return Err("formatting changes whether the model is correct".into());
        }
    }
    Ok(translated.is_ok())
}
