//! The book says what is true: its commands are run, in the order of each page, and what a page shows
//! behind a command must be what the command prints.
//!
//! * A block of `sh` has commands, one in each line; the next block of `text` is what they print, or a
//!   part of it.
//! * A block of `console` has commands behind `$ ` and what each prints.
//! * A block of `rely` or `json` whose introduction names a file in backquotes is that file.
//! * `<!-- not run: REASON -->` before a block says why its commands are not run here.

use crate::support::{Directory, all_text, root, text};
use std::fs;
use std::path::Path;
use std::process::Command;

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

/// What does not depend on the moment and the machine: without times, and without the way in which cells are wrapped.
fn essence(text: &str) -> Vec<String> {
    let is_measurement = |line: &&str| line.trim_start().starts_with("time ");
    let words =
        |line: &str| line.split_whitespace().filter(|word| !word.contains('─')).collect::<Vec<_>>().join(" ");
    text.lines().filter(|line| !is_measurement(line)).map(words).filter(|line| !line.is_empty()).collect()
}

/// What a shell is asked to add where a command does not end with 0.
const TELLS_CODE: &str = " || echo \"exit code $?\"";

/// Runs `rely ...` and `cargo run --release -- ...` with the binary of this build.
fn run(page: &str, command: &str, folder: &Path) -> String {
    let names = ["cargo run --release -- ", "target/release/rely ", "rely "];
    if let Some(arguments) = names.iter().find_map(|name| command.strip_prefix(name)) {
        let (arguments, tells_code) = match arguments.strip_suffix(TELLS_CODE) {
            Some(arguments) => (arguments, true),
            None => (arguments, false),
        };
        let mut rely = Command::new(env!("CARGO_BIN_EXE_rely"));
        let output = rely
            .args(arguments.split_whitespace().map(|word| word.trim_matches('\'')))
            .current_dir(folder)
            .env("RELY_CACHE_DIR", "")
            .output();
        let output = output.expect("the command runs");
        let said = text(&output.stderr);
        // How far it is is told where a machine is slow.
        let complaints: Vec<&str> = said.lines().filter(|line| !line.starts_with("progress: ")).collect();
        assert!(complaints.is_empty(), "{page}: {command}: {complaints:?}");
        let code = output.status.code().filter(|code| tells_code && *code != 0);
        let code = code.map(|code| format!("exit code {code}\n"));
        return text(&output.stdout) + &code.unwrap_or_default();
    }
    assert!(command.starts_with("make "), "{page}: `{command}` is not run; say why before the block");
    let output = Command::new("sh").args(["-c", command]).current_dir(folder).output();
    all_text(&output.expect("there is a shell"))
}

fn assert_printed(page: &str, block: &str, output: &str) {
    let (shown, printed) = (essence(block), essence(output));
    let is_part = !shown.is_empty() && printed.windows(shown.len()).any(|part| part == shown);
    let is_mended = !is_part && std::env::var_os("UPDATE_EXPECT").is_some() && mend(page, block, output);
    assert!(is_part || is_mended, "{page}: shown:\n{shown:#?}\nprinted:\n{printed:#?}");
}

/// Shows what is printed from the first line of a block to its last, if these are there.
fn mend(page: &str, block: &str, output: &str) -> bool {
    let (Some(first), Some(last)) = (block.lines().next(), block.lines().last()) else { return false };
    let is_time = |line: &str| line.starts_with("  time ");
    let lines: Vec<&str> = output.lines().collect();
    let Some(start) = lines.iter().position(|line| *line == first) else { return false };
    let is_last = |line: &&str| *line == last || is_time(line) && is_time(last);
    // It may be there more than once.
    let number = block.lines().filter(is_last).count();
    let ends = lines[start..].iter().enumerate().filter(|(_, line)| is_last(line));
    let Some((length, _)) = ends.take(number).last() else { return false };
    let path = root().join("docs/src").join(page);
    let text = fs::read_to_string(&path).expect("there is such a page");
    let part = lines[start..=start + length].join("\n") + "\n";
    fs::write(path, text.replacen(block, &part, 1)).expect("writable");
    true
}

/// Follows one page; returns how many commands were run.
fn follow(page: &str, folder: &Path) -> usize {
    let text = fs::read_to_string(root().join("docs/src").join(page)).expect("there is such a page");
    let mut printed: Option<String> = None;
    let mut commands = 0;
    for block in blocks(&text) {
        let is_run = match block.before.strip_prefix("<!-- not run: ") {
            Some(reason) => {
                assert!(reason.trim_end_matches("-->").trim().len() > 10, "{page}: `{}`", block.before);
                false
            }
            None => true,
        };
        match block.language.as_str() {
            "sh" if is_run => {
                printed = Some(block.text.lines().map(|command| run(page, command, folder)).collect());
                commands += block.text.lines().count();
            }
            "sh" => printed = None,
            "console" => {
                for command in block.text.split("$ ").skip(1) {
                    let (command, shown) = command.split_once('\n').expect("there is output");
                    assert_printed(page, shown, &run(page, command, folder));
                    commands += 1;
                }
            }
            "text" => {
                let is_command = block.text.starts_with("rely ") || block.text.starts_with("cargo ");
                assert!(!is_command, "{page}: commands stand in blocks of `sh`: {}", block.text);
                if let Some(printed) = printed.take() {
                    assert_printed(page, &block.text, &printed);
                }
            }
            language @ ("rely" | "json") => {
                let ending = format!(".{language}");
                let name = block.before.split('`').nth(1).filter(|name| name.ends_with(&ending));
                if let Some(name) = name.filter(|name| !name.contains('/')) {
                    fs::write(folder.join(name), &block.text).expect("writable");
                }
            }
            _ => {}
        }
    }
    commands
}

/// All pages, by their paths in the folder of the book.
fn pages() -> Vec<String> {
    let summary = fs::read_to_string(root().join("docs/src/SUMMARY.md")).expect("the book has a summary");
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.map(str::to_owned).chain(["../../README.md".to_owned()]).collect()
}

#[test]
fn every_page_prints_what_it_says() {
    // Commands write files: they work on a copy, with the examples, benchmarks and the program of several files at hand.
    let directory = Directory::new();
    for name in ["examples", "benchmarks", "docs/account"] {
        copy(&root().join(name), &directory.path(name));
    }
    let pages = pages();
    assert!(pages.len() >= 12, "{pages:?}");
    let commands: usize = pages.iter().map(|page| follow(page, directory.folder())).sum();
    assert!(commands >= 14, "{commands}");
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
