//! Style and layering as tests: what ARCHITECTURE.md and CONTRIBUTING.md promise about the
//! shape of the code is looked up here in the code itself.

use crate::support::root;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file may not be longer than this; most should be much shorter.
const LONGEST_FILE: usize = 600;
/// A function may not be longer than this; most should be much shorter.
const LONGEST_FUNCTION: usize = 60;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files under `directory` with one of the extensions, sorted.
fn files(directory: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries {
            let path = entry.expect("the directory can be read").path();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
            if path.is_dir() && !path.ends_with("target") {
                pending.push(path);
            } else if extensions.contains(&extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn rust_files() -> Vec<PathBuf> {
    let found = files(&root().join("crates"), &["rs"]);
    assert!(found.len() > 20, "the walk over the sources finds them");
    found
}

/// Fails with all complaints at once.
fn assert_none(what: &str, complaints: &[String]) {
    assert!(complaints.is_empty(), "{what}:\n  {}", complaints.join("\n  "));
}

fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn every_file_says_what_it_is_about() {
    let silent = |path: &&PathBuf| !read(path).starts_with("//!");
    let complaints: Vec<String> = rust_files().iter().filter(silent).map(|path| name(path)).collect();
    assert_none("files that do not start with `//!` documentation", &complaints);
}

#[test]
fn files_are_not_too_long() {
    let mut complaints = Vec::new();
    for path in rust_files() {
        let lines = read(&path).lines().count();
        if lines > LONGEST_FILE {
            complaints.push(format!("{}: {lines} lines", name(&path)));
        }
    }
    assert_none(&format!("files of more than {LONGEST_FILE} lines"), &complaints);
}

/// The functions of a formatted file with their lengths: a function ends with the first
/// closing brace that is indented like its beginning. What has no body does not count, nor does what a test expects.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        let words = ["pub ", "pub(crate) ", "pub(super) ", "const ", "async "];
        let bare = words.iter().fold(code, |code, word| code.strip_prefix(word).unwrap_or(code));
        let head_end = lines[number..].iter().find(|line| line.ends_with(['{', ';', '}']));
        let has_body = head_end.is_some_and(|line| !line.ends_with(';'));
        if !bare.starts_with("fn ") || !has_body {
            continue;
        }
        let end = format!("{}}}", " ".repeat(indent));
        let Some(last) = lines[number..].iter().position(|line| *line == end) else { continue };
        let mut is_snapshot = false;
        let code = lines[number..=number + last].iter().filter(|line| {
            is_snapshot = line.contains("expect![[r#\"") || (is_snapshot && !line.contains("\"#]]"));
            !is_snapshot
        });
        found.push((number + 1, code.count()));
    }
    found
}

#[test]
fn functions_are_not_too_long() {
    let mut complaints = Vec::new();
    for path in rust_files() {
        for (line, length) in functions(&read(&path)) {
            if length > LONGEST_FUNCTION {
                complaints.push(format!("{}:{line}: {length} lines", name(&path)));
            }
        }
    }
    assert_none(&format!("functions of more than {LONGEST_FUNCTION} lines"), &complaints);
}

#[test]
fn the_length_of_a_function_is_measured() {
    let text = "impl A {\n    pub fn b(&self) {\n        if c {\n        }\n    }\n}\nfn d() {\n}\n";
    assert_eq!(functions(text), [(2, 4), (7, 2)]);
    let text = "fn a() {\n    expect![[r#\"\n        1\n        2\n    \"#]];\n}\n";
    assert_eq!(functions(text), [(1, 3)]);
    let text = "trait A {\n    fn b(\n        &self,\n    ) -> c;\n\n    fn d(\n    ) {\n    }\n}\n";
    assert_eq!(functions(text), [(6, 3)]);
}

/// Complaints about lines of `paths` that contain one of `patterns`.
fn occurrences(paths: &[PathBuf], patterns: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    for path in paths {
        for (number, line) in read(path).lines().enumerate() {
            if let Some(pattern) = patterns.iter().find(|pattern| line.contains(**pattern)) {
                complaints.push(format!("{}:{}: {pattern}", name(path), number + 1));
            }
        }
    }
    complaints
}

// The patterns are written in two halves, so that this file does not contain them.

#[test]
fn nothing_is_left_for_later_or_silenced() {
    let patterns = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("dbg", "!("),
        concat!("#[ign", "ore"),
        concat!("allow(dead", "_code"),
        concat!("allow(unu", "sed"),
        concat!("allow(clippy", "::all"),
    ];
    assert_none("left for later or silenced", &occurrences(&rust_files(), &patterns));
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let patterns =
        [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/Us", "ers/")];
    let mut paths = rust_files();
    paths.extend(files(&root().join("docs"), &["md", "toml"]));
    paths.extend(files(&root().join("examples"), &["c", "rely"]));
    paths.extend(fs::read_dir(root()).expect("the root can be read").filter_map(|entry| {
        let path = entry.expect("the root can be read").path();
        path.extension().is_some_and(|extension| extension == "md" || extension == "toml").then_some(path)
    }));
    assert_none("paths of one machine", &occurrences(&paths, &patterns));
}

/// The one place besides the command that talks to the outside: the pipe to a solver.
const SOLVER_PIPE: &str = "logic/src/smtlib/external.rs";

/// The library sources of all crates but some, without their tests, examples and benchmarks.
fn library_files(except: &[&str]) -> Vec<PathBuf> {
    let is_library = |path: &PathBuf| {
        let path = name(path).replace('\\', "/");
        let is_excepted = except.iter().any(|except| path.starts_with(&format!("crates/{except}")));
        path.contains("/src/") && !path.contains("tests") && !is_excepted
    };
    rust_files().into_iter().filter(is_library).collect()
}

#[test]
fn only_the_command_and_the_reports_print() {
    let patterns = [
        concat!("print", "ln!("),
        concat!("print", "!("),
        concat!("std::io::std", "out"),
        concat!("std::io::std", "err"),
    ];
    assert_none("printing", &occurrences(&library_files(&["rely/", "report/"]), &patterns));
}

#[test]
fn only_the_command_and_benchmarks_touch_files_and_the_environment() {
    let patterns = [
        concat!("std::", "fs"),
        concat!("std::", "net"),
        concat!("std::env", "::"),
        concat!("std::", "process"),
        concat!("System", "Time"),
    ];
    assert_none(
        "input and output",
        &occurrences(&library_files(&["rely/", "bench/", SOLVER_PIPE]), &patterns),
    );
}

#[test]
fn only_budgets_read_the_clock() {
    let files = library_files(&["rely/", "bench/", SOLVER_PIPE, "base/src/budget.rs"]);
    assert_none("clocks", &occurrences(&files, &[concat!("Instant", "::now")]));
}

/// Directories that tests make by hand stay behind when a test fails.
#[test]
fn directories_of_tests_go_away() {
    assert_none("temporary files made by hand", &occurrences(&rust_files(), &[concat!("temp", "_dir()")]));
}

/// The edges that the table in ARCHITECTURE.md allows.
fn allowed_edges() -> BTreeMap<String, BTreeSet<String>> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let table = text.lines().skip_while(|line| !line.starts_with("| crate ")).skip(2);
    let mut allowed = BTreeMap::new();
    for line in table.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let names = |cell: &str| -> BTreeSet<String> {
            cell.split(',')
                .map(|name| name.trim().trim_matches('`').to_owned())
                .filter(|name| name != "-")
                .collect()
        };
        allowed.insert(cells[0].trim_matches('`').to_owned(), names(cells[1]));
    }
    assert!(allowed.len() > 3, "ARCHITECTURE.md has a table of crates");
    allowed
}

/// The edges between the crates of the workspace, as cargo knows them; what only tests use
/// does not count.
fn actual_edges() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("there are packages");
    let short = |name: &Value| name.as_str().unwrap_or_default().trim_start_matches("rely-").to_owned();
    let names: BTreeSet<String> = packages.iter().map(|package| short(&package["name"])).collect();
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("a list");
            let used = dependencies.iter().filter(|dependency| dependency["kind"] != "dev");
            let edges = used.map(|dependency| short(&dependency["name"])).filter(|name| names.contains(name));
            (short(&package["name"]), edges.collect())
        })
        .collect()
}

#[test]
fn crates_only_use_what_the_architecture_allows() {
    let allowed = allowed_edges();
    let mut complaints = Vec::new();
    for (name, edges) in actual_edges() {
        match allowed.get(&name) {
            None => complaints.push(format!("`{name}` is not in the table of ARCHITECTURE.md")),
            Some(allowed) => {
                complaints.extend(edges.difference(allowed).map(|edge| format!("`{name}` uses `{edge}`")));
            }
        }
    }
    assert_none("edges between crates", &complaints);
}

#[test]
fn the_architecture_names_no_crate_that_is_gone() {
    let actual = actual_edges();
    let gone: Vec<String> = allowed_edges().into_keys().filter(|name| !actual.contains_key(name)).collect();
    assert_none("crates in the table of ARCHITECTURE.md that do not exist", &gone);
}

#[test]
fn the_papers_of_a_project_are_there() {
    let expected = [
        "README.md",
        "ARCHITECTURE.md",
        "ASSUMPTIONS.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "Cargo.lock",
        ".ci/run",
    ];
    let missing: Vec<String> =
        expected.into_iter().filter(|file| !root().join(file).is_file()).map(str::to_owned).collect();
    assert_none("missing files", &missing);
}

/// Every assumption that a front end can name has a section, and every section is used.
#[test]
fn assumptions_are_explained() {
    let mut named = BTreeSet::new();
    for path in library_files(&["rely/", "report/", "program/", "testing/"]) {
        let text = read(&path);
        for call in ["assume(\"", "assumption(\""] {
            let calls = text.split(call).skip(1).filter_map(|rest| rest.split('"').next());
            named.extend(calls.map(str::to_owned));
        }
    }
    let explained = read(&root().join("ASSUMPTIONS.md"));
    let explained: BTreeSet<String> =
        explained.lines().filter_map(|line| line.strip_prefix("## ")).map(str::to_owned).collect();
    assert!(!named.is_empty());
    assert_eq!(named, explained);
}

/// The commands of the README's first two shell blocks, which newcomers copy.
#[test]
fn the_readme_starts_with_the_two_commands() {
    let text = read(&root().join("README.md"));
    let blocks: Vec<&str> = text.split("```").skip(1).step_by(2).take(2).collect();
    let commands = ["sh\ncargo run --release -- check examples/spinlock.c\n", "sh\ncargo test --workspace\n"];
    assert_eq!(blocks, commands);
}

/// Every page of the book is listed, and every listed page exists.
#[test]
fn the_book_lists_its_pages() {
    let source = root().join("docs/src");
    let summary = read(&source.join("SUMMARY.md"));
    let listed: BTreeSet<String> =
        summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect();
    let pages: BTreeSet<String> = files(&source, &["md"])
        .iter()
        .map(|page| page.strip_prefix(&source).expect("pages are in the book").display().to_string())
        .filter(|page| page != "SUMMARY.md")
        .collect();
    assert_eq!(listed, pages);
}
