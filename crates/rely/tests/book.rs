//! A newcomer who follows the tutorial literally gets what it prints: its commands are run in the
//! order of the page, and what the page shows behind a command must be what the command says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A block of a page between fences.
struct Block {
    language: String,
    text: String,
    /// The last line of text before it.
    before: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut before = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block {
                language: language.to_owned(),
                text: text.join("\n") + "\n",
                before: before.clone(),
            });
        } else if !line.trim().is_empty() {
            line.clone_into(&mut before);
        }
    }
    blocks
}

/// What does not depend on the moment and the machine: without times and numbers of states, and
/// without the way in which cells are wrapped.
fn essence(text: &str) -> Vec<String> {
    let is_measurement = |line: &&str| line.trim_start().starts_with("time ") || line.contains(" states");
    let words =
        |line: &str| line.split_whitespace().filter(|word| !word.contains('─')).collect::<Vec<_>>().join(" ");
    text.lines().filter(|line| !is_measurement(line)).map(words).filter(|line| !line.is_empty()).collect()
}

/// Runs what stands behind `cargo run --release --` with the binary of this build.
fn run(command: &str, folder: &Path) -> String {
    let arguments = command.strip_prefix("cargo run --release -- ");
    let arguments = arguments.unwrap_or_else(|| panic!("the tutorial says `{command}`")).split_whitespace();
    let output = Command::new(env!("CARGO_BIN_EXE_rely")).args(arguments).current_dir(folder).output();
    let output = output.expect("the command runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_tutorial_prints_what_it_says() {
    // Commands write files: they work on a copy, with the examples and benchmarks at hand.
    let folder = std::env::temp_dir().join(format!("rely-tutorial-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for tests");
    for name in ["examples", "benchmarks"] {
        copy(&root().join(name), &folder.join(name));
    }
    let page = fs::read_to_string(root().join("docs/src/five-minutes.md")).expect("there is a tutorial");
    let mut printed = String::new();
    let mut commands = 0;
    for block in blocks(&page) {
        match block.language.as_str() {
            "sh" => {
                printed = block.text.lines().map(|command| run(command, &folder)).collect();
                commands += block.text.lines().count();
            }
            "text" => {
                let (shown, printed) = (essence(&block.text), essence(&printed));
                assert!(
                    !shown.is_empty() && printed.starts_with(&shown),
                    "shown:\n{shown:#?}\nprinted:\n{printed:#?}"
                );
            }
            "rely" => {
                let name = block.before.split('`').nth(1).expect("the text names the file");
                fs::write(folder.join(name), &block.text).expect("writable");
            }
            other => panic!("a block of `{other}` in the tutorial"),
        }
    }
    assert!(commands >= 6, "{commands}");
    fs::remove_dir_all(&folder).ok();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("writable");
    for entry in fs::read_dir(from).expect("readable") {
        let path = entry.expect("readable").path();
        let target = to.join(path.file_name().expect("entries have names"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("writable");
        }
    }
}
