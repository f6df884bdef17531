//! Feeds damaged and generated C programs to the front end, for as long as one likes.
//!
//! `cargo run --release -p rely-c-front --example fuzz_c -- 600` runs for ten minutes and prints
//! the programs that make the front end panic, report an internal error, or take more than ten
//! seconds. Every run with the same seed (the second argument) tries the same programs. A third
//! argument names a file that holds the program being tried, for those that end the process.

use rely_base::SourceMap;
use rely_c_front::{CInput, translate};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

const SEEDS: [&str; 6] = [
    include_str!("seeds/pointers.c"),
    include_str!("seeds/structures.c"),
    include_str!("seeds/locks.c"),
    include_str!("seeds/atomics.c"),
    include_str!("seeds/control.c"),
    include_str!("seeds/declarations.c"),
];

const SLOW: Duration = Duration::from_secs(10);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(60);
    let seed = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let tried = arguments.next();
    let mut out = std::io::stdout().lock();
    match run(&mut out, Duration::from_secs(seconds), seed, tried.as_deref()) {
        Ok(0) => {}
        Ok(_) => std::process::exit(1),
        Err(error) => panic!("standard output is closed: {error}"),
    }
}

/// Tries programs until the time is over; returns how many were answered badly.
fn run(out: &mut impl Write, time: Duration, seed: u64, file: Option<&str>) -> std::io::Result<usize> {
    let start = Instant::now();
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let (mut tried, mut accepted, mut bad) = (0_u64, 0_u64, 0);
    while start.elapsed() < time {
        let text = damaged(&mut random);
        tried += 1;
        if let Some(file) = file {
            std::fs::write(file, &text)?;
        }
        match attempt(&text) {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(complaint) => {
                bad += 1;
                writeln!(out, "{complaint}\n----\n{text}\n----")?;
            }
        }
    }
    writeln!(out, "{tried} programs, {accepted} accepted, {bad} answered badly")?;
    Ok(bad)
}

/// Whether the program is accepted, or what is wrong with the answer.
fn attempt(text: &str) -> Result<bool, String> {
    let start = Instant::now();
    let input = CInput { name: "fuzz.i".into(), preprocessed: text.into(), ..CInput::default() };
    let answer = catch_unwind(AssertUnwindSafe(|| translate(&mut SourceMap::new(), &input)));
    match answer {
        Err(_) => Err("panic".into()),
        Ok(Err(error)) if error.message.contains("internal error") => Err(error.message),
        Ok(_) if start.elapsed() > SLOW => Err(format!("slow: {:?}", start.elapsed())),
        Ok(answer) => Ok(answer.is_ok()),
    }
}

/// A seed with parts exchanged, repeated, nested or lost.
fn damaged(random: &mut Random) -> String {
    let mut text = SEEDS[random.below(SEEDS.len())].to_owned();
    for _ in 0..1 + random.below(6) {
        let (from, to) = (boundary(&text, random), boundary(&text, random));
        let (from, to) = (from.min(to), from.max(to));
        match random.below(8) {
            0 if to - from < 40 => text.replace_range(from..to, ""),
            1 => text.insert_str(from, PIECES[random.below(PIECES.len())]),
            2 => text.insert(from, char::from(random.below(128) as u8)),
            3 => {
                let other = SEEDS[random.below(SEEDS.len())];
                let (start, end) = (boundary(other, random), boundary(other, random));
                let (start, end) = (start.min(end), start.max(end));
                text.insert_str(from, &other[start..end.min(boundary_after(other, start, 60))]);
            }
            4 if to - from < 60 => {
                let part = text[from..to].repeat(1 + random.below(40));
                text.insert_str(to, &part);
            }
            5 => {
                let (open, close) =
                    [("(", ")"), ("{", "}"), ("-(", ")"), ("a[", "]"), ("f(", ")")][random.below(5)];
                let depth = 1 << random.below(9);
                text.insert_str(to, &close.repeat(depth));
                text.insert_str(from, &open.repeat(depth));
            }
            6 => exchange_words(&mut text, random),
            _ => {}
        }
    }
    text
}

const PIECES: [&str; 32] = [
    "int",
    "void *",
    "struct s",
    "return",
    "while (1)",
    "if (x)",
    "else",
    "goto l;",
    "l:",
    "case 1:",
    "break;",
    "x = ",
    "*p",
    "&x",
    "p->next",
    "a[i]",
    "f(x)",
    "sizeof",
    "(char)",
    "?",
    ":",
    "&&",
    "/ 0",
    "<< 70",
    "-1",
    "__VERIFIER_atomic_begin();",
    "__VERIFIER_atomic_end();",
    "pthread_create(&t, 0, f, &x);",
    "_Atomic",
    "static",
    "({",
    "})",
];

fn exchange_words(text: &mut String, random: &mut Random) {
    let words: Vec<(usize, usize)> = text
        .split_inclusive(|other: char| !other.is_ascii_alphanumeric())
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len();
            Some((start, start + word.trim_end_matches(|other: char| !other.is_ascii_alphanumeric()).len()))
        })
        .filter(|(start, end)| start < end)
        .collect();
    if words.len() < 2 {
        return;
    }
    let (first, second) = (words[random.below(words.len())], words[random.below(words.len())]);
    let word = text[second.0..second.1].to_owned();
    text.replace_range(first.0..first.1, &word);
}

fn boundary(text: &str, random: &mut Random) -> usize {
    boundary_after(text, random.below(text.len() + 1), 0)
}

fn boundary_after(text: &str, start: usize, distance: usize) -> usize {
    let mut at = (start + distance).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}
