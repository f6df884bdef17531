//! Mutates C files at random and preprocesses them, to find panics and hangs.
//!
//! `cargo run --release -p rely-c-preprocess --example fuzz_macros -- SECONDS SEED FILE...`. The
//! header `x.h` is mutated, too. An input that takes longer than a minute, or
//! panics, is left in `fuzz-preprocess.c`.

#![allow(clippy::print_stdout)]

use rely_c_preprocess::{Declined, Files, Limits, Request, Toolchain, preprocess};
use std::time::{Duration, Instant};

/// Pieces that mean something to a preprocessor.
const PIECES: [&str; 26] = [
    "#define ",
    "#if ",
    "#ifdef ",
    "#elif ",
    "#else\n",
    "#endif\n",
    "#include \"x.h\"\n",
    "#undef ",
    "##",
    "#",
    "(",
    ")",
    ",",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "...",
    "__VA_ARGS__",
    "defined",
    "__LINE__",
    "\n",
    "? :",
    "<<",
];

/// A generator of random numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// The one header that the pieces include.
struct OneHeader(Vec<u8>);

impl Files for OneHeader {
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, Declined> {
        Ok((path == "x.h").then(|| self.0.clone()))
    }
}

fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut text = seeds[random.below(seeds.len())].clone();
    for _ in 0..random.below(12) + 1 {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(40)).min(text.len());
        match random.below(4) {
            0 => drop(text.drain(at..end)),
            1 => {
                let other = &seeds[random.below(seeds.len())];
                let start = random.below(other.len());
                let stop = (start + random.below(200)).min(other.len());
                let part = other[start..stop].to_vec();
                text.splice(at..at, part);
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..at, piece.bytes());
            }
        }
    }
    text
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        || arguments.next().and_then(|word| word.parse::<u64>().ok()).expect("SECONDS SEED FILE...");
    let (seconds, seed) = (number(), number());
    let seeds: Vec<Vec<u8>> =
        arguments.map(|path| std::fs::read(path).expect("the seed can be read")).collect();
    let mut random = Random(seed | 1);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut runs, mut texts) = (0_u64, 0_u64);
    while Instant::now() < end {
        let text = mutate(&seeds, &mut random);
        std::fs::write("fuzz-preprocess.c", &text).expect("the input can be left behind");
        let request = Request {
            name: "fuzz.c".into(),
            text: text.clone(),
            toolchain: Toolchain { major: 12, directories: vec!["/include".into()] },
            directories: Vec::new(),
            definitions: Vec::new(),
            limits: Limits { tokens: 100_000, bytes: 1 << 20 },
        };
        let start = Instant::now();
        let mutated = mutate(&seeds, &mut random);
        texts += u64::from(preprocess(request, &mut OneHeader(mutated)).is_ok());
        assert!(start.elapsed() < Duration::from_secs(60), "this takes too long");
        runs += 1;
    }
    println!("{runs} inputs, {texts} of them not declined; no panic");
}
