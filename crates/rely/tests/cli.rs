//! The command as a user meets it: its messages, its exit codes, its help.

use expect_test::{Expect, expect};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An empty directory that goes away at the end of the test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rely-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory for the test");
        Self(path)
    }

    fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.0.join(name), content).expect("the file is written");
        self
    }

    fn rely(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command runs")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rely"));
        command.args(arguments).current_dir(&self.0).env_remove("NO_COLOR").env("COLUMNS", "100");
        command
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// The exit code, then standard output and standard error.
fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().map_or("none".to_owned(), |code| code.to_string());
    format!("exit code {code}\n{}{}", text(&output.stdout), text(&output.stderr))
}

fn check_refused(directory: &Directory, arguments: &[&str], expected: &Expect) {
    let output = directory.rely(arguments);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    assert!(output.stdout.is_empty(), "{}", told(&output));
    expected.assert_eq(&String::from_utf8_lossy(&output.stderr));
}

const COUNTER: &str = "var x: int = 0;\nthread A { x := x + 1; }\nthread B { x := x + 1; }\nensures x == 2;\n";
const LOST: &str = "\
var x: int = 0;
thread A { local t: int = 0; t := x; x := t + 1; }
thread B { local t: int = 0; t := x; x := t + 1; }
ensures x == 2;
";

#[test]
fn bad_files_are_refused() {
    let directory = Directory::new("bad-files")
        .with("empty.rely", "")
        .with("blank.c", " \n\n")
        .with("binary.c", b"\x7fELF\x02\x01\0\0\0")
        .with("latin1.rely", b"// caf\xe9\nvar x: int;")
        .with("notes.txt", "hello")
        .with("none.rely", "var x: int = 0;\n")
        .with("none.c", "int x;\n")
        .with("undeclared.rely", "var x: int = 0;\nthread A { x := 1; }\nnever y == 1;\n");
    std::fs::create_dir(directory.0.join("folder.c")).expect("a directory");
    check_refused(&directory, &["check", "missing.c"], &expect![[""]]);
    check_refused(&directory, &["check", "missing.rely"], &expect![[""]]);
    check_refused(&directory, &["check", "missing"], &expect![[""]]);
    check_refused(&directory, &["check", "folder.c"], &expect![[""]]);
    check_refused(&directory, &["check", "."], &expect![[""]]);
    check_refused(&directory, &["check", "empty.rely"], &expect![[""]]);
    check_refused(&directory, &["check", "blank.c"], &expect![[""]]);
    check_refused(&directory, &["check", "binary.c"], &expect![[""]]);
    check_refused(&directory, &["check", "latin1.rely"], &expect![[""]]);
    check_refused(&directory, &["check", "notes.txt"], &expect![[""]]);
    check_refused(&directory, &["check", "none.rely"], &expect![[""]]);
    check_refused(&directory, &["check", "none.c"], &expect![[""]]);
    check_refused(&directory, &["check", "undeclared.rely"], &expect![[""]]);
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let directory = Directory::new("large");
    let file = std::fs::File::create(directory.0.join("large.rely")).expect("created");
    file.set_len((64 << 20) + 1).expect("a sparse file");
    check_refused(&directory, &["check", "large.rely"], &expect![[""]]);
}

#[test]
fn unknown_and_future_names_are_refused() {
    let directory = Directory::new("names").with("a.rely", COUNTER);
    check_refused(&directory, &["check", "--property", "safety", "a.rely"], &expect![[""]]);
    check_refused(&directory, &["check", "--property", "race", "a.rely"], &expect![[""]]);
    check_refused(&directory, &["check", "--property", "assert,termination", "a.rely"], &expect![[""]]);
    check_refused(&directory, &["check", "--engine", "magic", "a.rely"], &expect![[""]]);
    for engine in ["rely-guarantee", "owicki-gries", "reduction", "deductive", "parameterized"] {
        let output = directory.rely(&["check", "--engine", engine, "a.rely"]);
        assert_eq!(output.status.code(), Some(3));
        assert!(told(&output).contains(&format!("`{engine}` is not available yet")), "{}", told(&output));
    }
    check_refused(&directory, &["check", "--timeout", "0", "a.rely"], &expect![[""]]);
    check_refused(&directory, &["check"], &expect![[""]]);
    check_refused(&directory, &["prove", "a.rely"], &expect![[""]]);
}

/// What a preprocessor and a missing one look like.
#[test]
fn the_preprocessor_is_the_one_of_cc() {
    let source = "#ifndef N\n#error N is missing\n#endif\nint main(void) { return N; }\n";
    let directory = Directory::new("preprocessor").with("a.c", source);
    let output = directory.command(&["check", "a.c"]).env("CC", "no-such-compiler").output().expect("runs");
    assert_eq!(output.status.code(), Some(3));
    expect![[""]].assert_eq(&String::from_utf8_lossy(&output.stderr));
    let output = directory.rely(&["check", "a.c"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(told(&output).contains("N is missing"), "{}", told(&output));
    let output = directory.rely(&["check", "-D", "N=0", "a.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
}

/// Hostile nesting is an error, not a crash: 100,000 levels in a megabyte.
#[test]
fn endless_nesting_is_refused() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    let minus = "- ".repeat(500_000);
    let directory = Directory::new("nesting")
        .with("parentheses.c", format!("int main(void) {{ return {}; }}\n", deep("(    ", "    )")))
        .with("minus.c", format!("int main(void) {{ return {minus}1; }}\n"))
        .with("braces.c", format!("int main(void) {}\n", deep("{", ";}").replace('1', "")))
        .with("parentheses.rely", format!("var x: int = 0; thread A {{ x := {}; }}\n", deep("(    ", "    )")))
        .with("minus.rely", format!("var x: int = 0; thread A {{ x := {minus}1; }}\n"))
        .with("braces.rely", format!("thread A {}\n", deep("{ if true ", "}").replace('1', "{ skip; }")));
    let names =
        ["parentheses.c", "minus.c", "braces.c", "parentheses.rely", "minus.rely", "braces.rely"];
    for name in names {
        let output = directory.rely(&["check", name]);
        assert_eq!(output.status.code(), Some(3), "{name}: {:.500}", told(&output));
        assert!(output.stderr.len() < 2_000, "{name}: the message has {} bytes", output.stderr.len());
    }
}

#[test]
fn verdicts_as_text() {
    let directory = Directory::new("text").with("counter.rely", COUNTER).with("lost.rely", LOST);
    let text = |arguments: &[&str]| {
        let told = told(&directory.rely(arguments));
        let lines = told.lines().filter(|line| !line.starts_with("  time "));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    expect![[""]].assert_eq(&text(&["check", "counter.rely"]));
    expect![[""]].assert_eq(&text(&["check", "lost.rely"]));
    expect![[""]].assert_eq(&text(&["check", "--trace", "lost.rely"]));
}

#[test]
fn verdicts_as_json() {
    let directory =
        Directory::new("json").with("counter.rely", COUNTER).with("lost.rely", LOST).with("bad.rely", "var");
    let output = directory.rely(&["check", "--format", "json", "counter.rely", "lost.rely", "bad.rely"]);
    assert!(output.stderr.is_empty(), "{}", told(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert_eq!(report["format"], "rely-report");
    assert_eq!(report["version"], 1);
    assert_eq!(report["exit_code"], 3);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(report["files"][0]["results"][0]["verdict"], "safe");
    let refuted = &report["files"][1]["results"][0];
    assert_eq!(refuted["verdict"], "unsafe");
    assert_eq!(refuted["violation"]["place"]["line"], 4);
    assert_eq!(refuted["interleaving"]["threads"], serde_json::json!(["A", "B"]));
    assert_eq!(refuted["interleaving"]["steps"].as_array().map(Vec::len), Some(4));
    assert!(report["files"][2]["errors"][0]["message"].is_string());
}

#[test]
fn what_a_file_declares_is_decided_too() {
    let waits = "var go: bool = false;\nthread A { await go; }\ndeadlock-free;\nterminates;\n";
    let directory = Directory::new("declared").with("waits.rely", waits);
    let output = directory.rely(&["check", "waits.rely"]);
    let told = told(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    for line in ["waits.rely: safe (assert)", "waits.rely: unsafe (deadlock)", "waits.rely: unknown (termination)"] {
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn limits_make_it_unknown() {
    let endless = "var x: int = 0;\nthread A { while true { x := x + 1; } }\nnever x < 0;\n";
    let directory = Directory::new("limits").with("endless.rely", endless);
    let output = directory.rely(&["check", "--timeout", "0.3", "endless.rely"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("the time limit was reached"), "{}", told(&output));
    let output = directory.rely(&["check", "--memory", "1", "endless.rely"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("the memory limit was reached"), "{}", told(&output));
}

#[test]
fn standard_input_needs_a_language() {
    let directory = Directory::new("stdin");
    let piped = |arguments: &[&str], text: &str| {
        let mut child = directory
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).ok();
        child.wait_with_output().expect("it ends")
    };
    assert_eq!(piped(&["check", "--lang", "rely", "-"], COUNTER).status.code(), Some(0));
    assert_eq!(piped(&["check", "--lang", "c", "-"], "int main(void) { return 0; }\n").status.code(), Some(0));
    assert_eq!(piped(&["check", "-"], COUNTER).status.code(), Some(3));
    let formatted = piped(&["fmt", "-"], "var   x : int=0 ;thread A{x:=1;}");
    assert_eq!(formatted.status.code(), Some(0), "{}", told(&formatted));
}

#[test]
fn colours_only_where_they_are_wanted() {
    let directory = Directory::new("colour").with("counter.rely", COUNTER);
    let has_colour = |command: &mut Command| command.output().expect("runs").stdout.contains(&0x1b);
    assert!(!has_colour(&mut directory.command(&["check", "counter.rely"])));
    assert!(has_colour(&mut directory.command(&["check", "--color", "always", "counter.rely"])));
    assert!(!has_colour(directory.command(&["check", "counter.rely"]).env("NO_COLOR", "1")));
}

#[test]
fn a_run_is_told_as_a_table() {
    let directory = Directory::new("run").with("lost.rely", LOST);
    let run = |arguments: &[&str]| told(&directory.rely(arguments));
    expect![[""]].assert_eq(&run(&["run", "--seed", "1", "--schedule", "A,B*2,A", "lost.rely"]));
    expect![[""]].assert_eq(&run(&["run", "--seed", "1", "--schedule", "A C", "lost.rely"]));
    expect![[""]].assert_eq(&run(&["run", "--seed", "1", "--schedule", "A,A,A", "lost.rely"]));
    expect![[""]].assert_eq(&run(&["run", "--seed", "1", "--schedule", "A*", "lost.rely"]));
    assert_eq!(run(&["run", "--seed", "5", "lost.rely"]), run(&["run", "--seed", "5", "lost.rely"]));
    let seeds: std::collections::BTreeSet<String> =
        (0..20).map(|seed| run(&["run", "--steps", "9", "--seed", &seed.to_string(), "lost.rely"])).collect();
    assert!(seeds.len() > 3, "different seeds give different runs");
}

#[test]
fn models_are_formatted_in_place() {
    let directory = Directory::new("fmt").with("a.rely", "var   x : int=0 ;thread A{x:=1;}\n").with("b.c", "int x;");
    assert_eq!(directory.rely(&["fmt", "--check", "a.rely"]).status.code(), Some(1));
    assert_eq!(directory.rely(&["fmt", "a.rely"]).status.code(), Some(0));
    assert_eq!(directory.rely(&["fmt", "--check", "a.rely"]).status.code(), Some(0));
    check_refused(&directory, &["fmt", "b.c"], &expect![[""]]);
}

#[test]
fn programs_are_shown_as_text_and_as_graphs() {
    let directory = Directory::new("show").with("counter.rely", COUNTER);
    let show = |arguments: &[&str]| told(&directory.rely(arguments));
    assert!(show(&["show", "counter.rely"]).starts_with("exit code 0\n"));
    assert!(show(&["show", "--format", "dot", "counter.rely"]).contains("digraph"));
    assert!(show(&["show", "--simplified", "counter.rely"]).starts_with("exit code 0\n"));
}

#[test]
fn completions_and_the_manual_come_from_the_parser() {
    let directory = Directory::new("documentation");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = directory.rely(&["completions", shell]);
        assert!(told(&output).contains("rely-guarantee"), "{shell}");
    }
    let manual = told(&directory.rely(&["man"]));
    assert!(manual.contains(".TH rely") && manual.contains("EXIT CODES") | manual.contains("Exit codes"), "{manual}");
}

#[test]
fn the_version_is_named() {
    let text = told(&Directory::new("version").rely(&["--version"]));
    assert!(text.starts_with(&format!("exit code 0\nrely {}", env!("CARGO_PKG_VERSION"))), "{text}");
}

#[test]
fn the_help_explains_itself() {
    let help = |arguments: &[&str]| told(&Directory::new("help").rely(arguments));
    expect![[""]].assert_eq(&help(&["--help"]));
    expect![[""]].assert_eq(&help(&["check", "-h"]));
    expect![[""]].assert_eq(&help(&["run", "-h"]));
    for command in ["check", "show", "run", "fmt", "completions"] {
        assert!(help(&[command, "--help"]).contains("Examples:"), "{command}");
    }
}

/// The commands and options that the book shows exist.
#[test]
fn the_book_names_what_exists() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/command-line.md");
    let book = std::fs::read_to_string(book).expect("the page exists");
    let help: String = [&["--help"][..], &["check", "--help"], &["show", "--help"], &["run", "--help"], &["fmt", "--help"]]
        .into_iter()
        .map(|arguments| told(&Directory::new("book").rely(arguments)))
        .collect();
    for word in book.split(|c: char| c.is_whitespace() || "`|,;().".contains(c)).filter(|word| word.starts_with("--")) {
        assert!(help.contains(word), "the book names {word}, the help does not");
    }
}
