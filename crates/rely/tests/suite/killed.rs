//! Commands that are killed at any moment leave no half of a file behind, and a cache that is right.

use crate::support::{Directory, text};
use rely_base::Random;
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RACY: &str = "var x: int = 0;\nthread A { local t: int = 0; t := x; x := t + 1; }\n\
                    thread B { local t: int = 0; t := x; x := t + 1; }\nensures x == 2;\n";
const LOCKED: &str = "var m: mutex;\nvar x: int = 0;\nthread A[3] {\n    lock(m);\n    x := x + 1;\n    unlock(m);\n}\n\
                      ensures x == 3;\n";

fn quiet(mut command: Command) -> Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Kills a command again and again, at moments of its run that nobody chooses.
fn kill_at_random(rounds: u64, seed: u64, command: impl Fn() -> Command) {
    let begun = Instant::now();
    quiet(command()).status().expect("it runs");
    let whole = begun.elapsed();
    let mut random = Random::new(seed);
    for _ in 0..rounds {
        let mut child = quiet(command()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_micros(random.below(whole.as_micros() as usize + 1) as u64));
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
    }
}

/// The names of what is in a folder, sorted.
fn names(directory: &Directory) -> Vec<String> {
    let entries = fs::read_dir(directory.folder()).expect("readable");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_is_written_is_whole_or_not_there() {
    for (arguments, file, is_whole) in [
        (
            vec!["check", "--report", "page.html", "racy.rely", "locked.rely"],
            "page.html",
            (|text: &str| text.trim_end().ends_with("</html>")) as fn(&str) -> bool,
        ),
        (vec!["check", "--certificate", "proof.json", "-p", "assert", "locked.rely"], "proof.json", |text| {
            serde_json::from_str::<Value>(text).is_ok()
        }),
        (vec!["check", "--witness", "run.graphml", "-p", "assert", "racy.rely"], "run.graphml", |text| {
            text.trim_end().ends_with("</graphml>")
        }),
    ] {
        let directory = Directory::new().with("racy.rely", RACY).with("locked.rely", LOCKED);
        kill_at_random(12, 7, || {
            fs::remove_file(directory.path(file)).ok();
            directory.command(&arguments)
        });
        for name in names(&directory) {
            let text = directory.read(&name);
            assert!(["racy.rely", "locked.rely", file].contains(&name.as_str()), "{name}");
            assert!(name != file || is_whole(&text), "{name}: {text}");
        }
    }
}

#[test]
fn a_model_is_laid_out_or_as_it_was() {
    let messy = RACY.replace(' ', "  ");
    let directory = Directory::new().with("racy.rely", &messy);
    assert_eq!(directory.rely(&["fmt", "racy.rely"]).status.code(), Some(0));
    let tidy = directory.read("racy.rely");
    kill_at_random(12, 11, || {
        directory.write("racy.rely", &messy);
        directory.command(&["fmt", "racy.rely"])
    });
    for name in names(&directory) {
        let text = directory.read(&name);
        assert!(text == messy || text == tidy, "{name}: {text}");
    }
}

/// Several commands share a cache, some of which are killed: whoever looks into it finds what is right.
#[test]
fn a_cache_is_right_whoever_was_killed() {
    let cache = Directory::new();
    let directory = Directory::new().with("a.rely", RACY).with("b.rely", LOCKED).with("c.rely", RACY);
    let command = || {
        let mut command = directory.command(&["check", "--format", "lines", "."]);
        command.env("RELY_CACHE_DIR", cache.path("results"));
        command
    };
    let expected = text(&directory.rely(&["check", "--format", "lines", "."]).stdout);
    std::thread::scope(|scope| {
        for seed in [1, 2] {
            scope.spawn(move || kill_at_random(10, seed, command));
        }
        for _ in 0..3 {
            assert_eq!(text(&command().output().expect("it runs").stdout), expected);
        }
    });
    assert!(fs::read_dir(cache.path("results")).expect("there is a cache").count() >= 3);
    assert_eq!(text(&command().output().expect("it runs").stdout), expected);
}
