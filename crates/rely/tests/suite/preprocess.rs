//! The embedded preprocessor never gives another text than the compiler's.
//!
//! On every C program of the repository, on every standard header, and on generated macros:
//! either both preprocessors give the same tokens on the same lines, or the embedded one gives
//! no answer. Without a C compiler that it can imitate there is nothing to compare.

#![allow(clippy::print_stderr)] // a test says what it leaves out

use crate::preprocessors::{Outcome, compare};
use crate::support::{Directory, all_text, root};
use rely::args::InputArgs;
use rely::preprocess::{Source, embedded};
use rely_base::Budget;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Headers of the C and POSIX libraries that concurrent programs include.
const HEADERS: [&str; 36] = [
    "assert",
    "complex",
    "ctype",
    "errno",
    "fcntl",
    "fenv",
    "float",
    "inttypes",
    "limits",
    "locale",
    "math",
    "poll",
    "pthread",
    "sched",
    "semaphore",
    "setjmp",
    "signal",
    "stdalign",
    "stdarg",
    "stdatomic",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "stdnoreturn",
    "string",
    "strings",
    "sys/mman",
    "sys/time",
    "sys/types",
    "sys/wait",
    "threads",
    "time",
    "unistd",
    "wctype",
];

/// Whether there is a compiler to compare with; says so if there is none.
fn has_compiler() -> bool {
    let source = Source { path: Path::new("x.c"), name: "x.c", text: b"int x;\n", is_stdin: false };
    match embedded::run(source, &InputArgs::default(), &Budget::unlimited()) {
        Ok(_) => true,
        Err(reason) => {
            eprintln!("no comparison of preprocessors: {reason}");
            false
        }
    }
}

/// Compares the two on all files; returns on how many they are equal.
fn check(paths: &[PathBuf], options: &InputArgs) -> usize {
    let next = AtomicUsize::new(0);
    let equal = AtomicUsize::new(0);
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            match compare(path, options) {
                Outcome::Equal { .. } => {
                    equal.fetch_add(1, Ordering::Relaxed);
                }
                Outcome::Declined(reason) => eprintln!("{}: {reason}", path.display()),
                Outcome::Different(difference) => panic!("{}: {difference}", path.display()),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    equal.into_inner()
}

/// All C programs under a folder.
fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.ends_with("target") {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

#[test]
fn the_programs_of_the_repository() {
    if !has_compiler() {
        return;
    }
    let mut paths = Vec::new();
    for folder in ["examples", "benchmarks", "crates", "docs"] {
        programs(&root().join(folder), &mut paths);
    }
    assert!(paths.len() > 100, "the walk over the programs finds them");
    let equal = check(&paths, &InputArgs::default());
    // Falling back is right, but it must not become the rule.
    assert!(equal * 10 > paths.len() * 9, "equal on {equal} of {} programs", paths.len());
}

#[test]
fn the_standard_headers() {
    if !has_compiler() {
        return;
    }
    let directory = Directory::new();
    let include = |header: &&str| {
        let text = format!("#include <{header}.h>\n#include <{header}.h>\nint x;\n");
        PathBuf::from(directory.write(&format!("{}.c", header.replace('/', "-")), text))
    };
    let paths: Vec<PathBuf> = HEADERS.iter().map(include).collect();
    let equal = check(&paths, &InputArgs::default());
    assert!(equal * 10 > paths.len() * 8, "equal on {equal} of {} headers", paths.len());
}

#[test]
fn headers_and_definitions_of_the_user() {
    if !has_compiler() {
        return;
    }
    let directory = Directory::new();
    fs::create_dir_all(directory.path("own/sub")).expect("a folder can be made");
    directory.write(
        "near.h",
        "#ifndef NEAR_H\n#define NEAR_H\n#include \"own/sub/deep.h\"\nint near;\n#endif\n\n",
    );
    directory.write("own/sub/deep.h", "#if !defined(DEEP)\n#define DEEP\n#include \"deeper.h\"\n#endif\n");
    directory.write("own/sub/deeper.h", "int line = __LINE__; char *file = __FILE__;\n");
    directory.write("own/once.h", "  #pragma once\nint once;");
    let text = "#include \"near.h\"\n#include \"near.h\" // again\n#include <once.h>\n#include \"once.h\"\n\
        #if __has_include(<once.h>) && !__has_include(\"none.h\")\nint limit = LIMIT + ADD(1, 2);\n#endif\n\
        #pragma GCC diagnostic   push\n # pragma pack( 1 )\nint last;\n";
    let path = directory.write("main.c", text);
    let options = InputArgs {
        include: vec![directory.path("own")],
        define: vec!["LIMIT=10".into(), "ADD(a,b)=(a + b)".into(), "PLAIN".into()],
        ..InputArgs::default()
    };
    assert_eq!(check(&[path.into()], &options), 1);
}

/// A generator of random numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len())]
    }
}

const NAMES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];
const TOKENS: [&str; 30] = [
    "x",
    "y",
    "1",
    "2.5e+3",
    "+",
    "-",
    "++",
    "->",
    ".",
    "(",
    ")",
    ",",
    "\"s\"",
    "'c'",
    "[",
    "]",
    "*",
    "=",
    "==",
    "<",
    ">",
    "&",
    ":",
    "{",
    ";",
    "__LINE__",
    "__COUNTER__",
    "__INT_MAX__",
    "__SIZE_TYPE__",
    "L\"w\"",
];
const BLANKS: [&str; 8] = [" ", "  ", "\t", " /* c */ ", " \\\n ", "\n  ", " // c\n", " /* two\nlines */ "];
const CONDITIONS: [&str; 8] = [
    "1",
    "0",
    "-1 < 0u",
    "defined A && !defined(B)",
    "__GNUC__ > 4",
    "'a' == 97",
    "~0 & 1",
    "7 % 4 == 3 ? 0 : 2",
];

/// Definitions and uses of a few macros, in random order.
fn macros(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(20) + 5 {
        let name = random.pick(&NAMES);
        match random.below(10) {
            0..2 => text.push_str(&format!("#define {name} {}\n", body(random, &["z"]))),
            2..4 => text
                .push_str(&format!("#define {name}(p, q) {}\n", body(random, &["p", "q", "#p", "p ## q"]))),
            4 => {
                let body = body(random, &["p", "__VA_ARGS__", "#__VA_ARGS__"]);
                text.push_str(&format!("#define {name}(p, ...) {body}, ## __VA_ARGS__\n"));
            }
            5 => text.push_str(&format!("#undef {name}\n")),
            6 => {
                let condition = random.pick(&CONDITIONS);
                text.push_str(&format!("#if {condition}\nyes {name}\n#else\nno {name}\n#endif\n"));
            }
            _ => {
                text.push_str(&uses(random));
                text.push('\n');
            }
        }
    }
    text
}

fn body(random: &mut Random, special: &[&str]) -> String {
    let mut words = Vec::new();
    for _ in 0..random.below(6) {
        words.push(match random.below(4) {
            0 => random.pick(special).to_owned(),
            1 => format!("{}({}, {})", random.pick(&NAMES), random.pick(&NAMES), random.pick(&TOKENS)),
            2 => random.pick(&NAMES).to_owned(),
            _ => random.pick(&TOKENS).to_owned(),
        });
    }
    words.join(random.pick(&["", " ", " "]))
}

fn uses(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(6) + 1 {
        text.push_str(random.pick(&NAMES));
        text.push_str(random.pick(&["", " ", "\n"]));
        if random.below(4) > 0 {
            let blank = random.pick(&BLANKS);
            let (first, second) = (random.pick(&NAMES), random.pick(&TOKENS));
            text.push_str(&format!("({blank}{first}({second}, 3),{blank}{second}{blank})"));
        }
        text.push_str(random.pick(&BLANKS));
        text.push_str(random.pick(&TOKENS));
        text.push(' ');
    }
    text
}

#[test]
fn generated_macros() {
    if !has_compiler() {
        return;
    }
    let directory = Directory::new();
    let mut random = Random(0x5eed);
    let paths: Vec<PathBuf> = (0..150)
        .map(|number| {
            let text = macros(&mut random);
            directory.write(&format!("{number}.c"), text).into()
        })
        .collect();
    let equal = check(&paths, &InputArgs::default());
    assert!(equal > 20, "most of the generated macros are wrong: equal on {equal} of {}", paths.len());
}

#[test]
fn a_header_that_is_missing_can_be_named() {
    let program = "#include \"sensors.h\"\nint main(void) { return SENSORS; }\n";
    let directory = Directory::new().with("a.c", program);
    let output = directory.rely(&["check", "a.c"]);
    let said = all_text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("sensors.h") && said.contains("with `-I`"), "{said}");
    fs::create_dir_all(directory.path("include")).expect("writable");
    let directory = directory.with("include/sensors.h", "#define SENSORS 0\n");
    assert_eq!(directory.rely(&["check", "-I", "include", "a.c"]).status.code(), Some(0));
}
