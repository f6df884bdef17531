//! The command as a user meets it: its messages, its exit codes, its help.

mod help;
mod show;

use crate::support::{Directory, all_text, root};
use expect_test::{Expect, expect};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The exit code, then standard output and standard error.
fn told(output: &Output) -> String {
    let code = output.status.code().map_or("none".to_owned(), |code| code.to_string());
    format!("exit code {code}\n{}", all_text(output))
}

fn check_refused(directory: &Directory, arguments: &[&str], expected: &Expect) {
    let output = directory.rely(arguments);
    assert_eq!(output.status.code(), Some(3), "{}", told(&output));
    assert!(output.stdout.is_empty(), "{}", told(&output));
    expected.assert_eq(&String::from_utf8_lossy(&output.stderr));
}

const COUNTER: &str =
    "var x: int = 0;\nthread A { x := x + 1; }\nthread B { x := x + 1; }\nensures x == 2;\n";
const LOST: &str = "\
var x: int = 0;
thread A { local t: int = 0; t := x; x := t + 1; }
thread B { local t: int = 0; t := x; x := t + 1; }
ensures x == 2;
";

#[test]
fn a_proof_claims_nothing_where_steps_were_left_out() {
    // The first thread does nothing that makes a difference, so no step of it is left.
    let model = "var x: int = 0;\nthread A { x := x % 3; }\nthread B { await x > 3; assert false; }\n";
    let directory = Directory::new().with("model.rely", model);
    let output = directory.rely(&["check", "--engine", "rely-guarantee", "--proof=full", "model.rely"]);
    let told = told(&output);
    assert!(told.contains("model.rely: safe"), "{told}");
    let first = told.split("\n  B\n").next().expect("a beginning");
    assert!(first.contains("x := x % 3") && !first.contains("false"), "{told}");
}

#[test]
fn what_goes_wrong_before_a_lock_is_taken_is_found() {
    let section = "thread A { await m == 0 do { m := 1; } g := 5; g := 0; m := 0; }\n";
    let sources = [
        ("assertion.rely", "thread B { atomic { assert m == 0; m := 2; } m := 0; }"),
        ("protected.rely", "thread B { await g >= 0 do { assert g == 0; assume m == 0; m := 2; } m := 0; }"),
        (
            "range.rely",
            "var r: int in 0..3 = 0;\nthread B { atomic { r := g; assume m == 0; m := 2; } m := 0; }",
        ),
        ("index.rely", "var a: int[2] = 0;\nthread B { await a[g] == 0 && m == 0 do { m := 2; } m := 0; }"),
        ("divisor.rely", "thread B { await 1 / (g - 5) <= 0 && m == 0 do { m := 2; } m := 0; }"),
        (
            "many.rely",
            "process P { atomic { assert m == 0; m := 2; } m := 0; }\nprocess S { while true { spawn P; } }\nstart S;",
        ),
    ];
    for (name, other) in sources {
        let model = format!("var m, g: int = 0;\n{section}{other}\n");
        let directory = Directory::new().with(name, &model);
        for sections in ["atomic", "interleaved"] {
            let output = directory.rely(&["check", "--sections", sections, name]);
            assert!(told(&output).contains("unsafe"), "{model}{}", told(&output));
        }
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let directory = Directory::new();
    std::fs::create_dir(directory.path("folder.c")).expect("a directory");
    check_refused(
        &directory,
        &["check", "missing.c"],
        &expect![[r#"
        Error: missing.c: there is no such file
    "#]],
    );
    check_refused(
        &directory,
        &["check", "missing.rely"],
        &expect![[r#"
        Error: missing.rely: there is no such file
    "#]],
    );
    check_refused(
        &directory,
        &["check", "missing"],
        &expect![[r#"
        Error: missing: there is no such file
    "#]],
    );
    check_refused(
        &directory,
        &["check", "folder.c"],
        &expect![[r#"
            Error: folder.c: there is no program in this directory (`.c`, `.i` or `.rely`)
        "#]],
    );
    check_refused(
        &directory,
        &["check", "."],
        &expect![[r#"
            Error: .: there is no program in this directory (`.c`, `.i` or `.rely`)
        "#]],
    );
}

#[test]
fn files_without_a_program_are_refused() {
    let directory = Directory::new()
        .with("empty.rely", "")
        .with("blank.c", " \n\n")
        .with("binary.c", b"\x7fELF\x02\x01\0\0\0")
        .with("latin1.rely", b"// caf\xe9\nvar x: int;")
        .with("notes.txt", "hello")
        .with("none.rely", "var x: int = 0;\n")
        .with("none.c", "int x;\n")
        .with("undeclared.rely", "var x: int = 0;\nthread A { x := 1; }\nnever y == 1;\n");
    check_refused(
        &directory,
        &["check", "empty.rely"],
        &expect![[r#"
        Error: empty.rely: the file is empty
    "#]],
    );
    check_refused(
        &directory,
        &["check", "blank.c"],
        &expect![[r#"
        Error: blank.c: the file is empty
    "#]],
    );
    check_refused(
        &directory,
        &["check", "binary.c"],
        &expect![[r#"
        Error: binary.c: not a text file: byte 6 is zero
    "#]],
    );
    check_refused(
        &directory,
        &["check", "latin1.rely"],
        &expect![[r#"
        Error: latin1.rely: not valid UTF-8: byte 6, in line 1
          Help: convert it, for example with `iconv -f latin1 -t utf-8`
    "#]],
    );
    check_refused(
        &directory,
        &["check", "notes.txt"],
        &expect![[r#"
        Error: notes.txt: cannot infer the language from the file extension
          Help: Rely reads C programs (`.c`, preprocessed `.i`) and models (`.rely`); or say which with `--lang`
    "#]],
    );
    check_refused(
        &directory,
        &["check", "none.rely"],
        &expect![[r#"
        Error: there is no thread
           ╭─[ none.rely:1:1 ]
           │
         1 │ var x: int = 0;
           │ │
           │ ╰─ nothing runs
           │
           │ Help: declare a thread, as in `thread T { x := x + 1; }`
        ───╯
    "#]],
    );
    check_refused(
        &directory,
        &["check", "none.c"],
        &expect![[r#"
            Error: there is no function `main` in `none.c`
              Help: the files of one program are checked together with `--program`; functions of a library that threads call are named with `--entry`
        "#]],
    );
    check_refused(
        &directory,
        &["check", "undeclared.rely"],
        &expect![[r#"
        Error: `y` is not declared
           ╭─[ undeclared.rely:3:7 ]
           │
         3 │ never y == 1;
           │       ┬
           │       ╰── unknown name
        ───╯
    "#]],
    );
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let directory = Directory::new();
    let file = std::fs::File::create(directory.path("large.rely")).expect("created");
    file.set_len((64 << 20) + 1).expect("a sparse file");
    check_refused(
        &directory,
        &["check", "large.rely"],
        &expect![[r#"
        Error: large.rely: the file is larger than 64 MB, the largest size that Rely reads
    "#]],
    );
}

#[test]
fn unknown_names_are_refused() {
    let directory = Directory::new().with("a.rely", COUNTER);
    check_refused(
        &directory,
        &["check", "--property", "safety", "a.rely"],
        &expect![[r#"
            error: invalid value 'safety' for '--property <PROPERTY>'
              [possible values: assert, race, deadlock, termination, fair-termination, overflow, memory]

            For more information, try '--help'.
        "#]],
    );
    check_refused(
        &directory,
        &["check", "--engine", "magic", "a.rely"],
        &expect![[r#"
            error: invalid value 'magic' for '--engine <ENGINE>'
              [possible values: portfolio, explore, rely-guarantee, owicki-gries, reduction, rule-safety, deductive, parameterized, houdini, termination, helping]

            For more information, try '--help'.
        "#]],
    );
    check_refused(
        &directory,
        &["check", "--timeout=-1", "a.rely"],
        &expect![[r#"
        error: invalid value '-1' for '--timeout <S>': a time limit is more than zero seconds

        For more information, try '--help'.
    "#]],
    );
    check_refused(
        &directory,
        &["check"],
        &expect![[r#"
            Error: there is nothing to check: name files, or list `files` in rely.toml
        "#]],
    );
    check_refused(
        &directory,
        &["prove", "a.rely"],
        &expect![[r#"
        error: unrecognized subcommand 'prove'

        Usage: rely [OPTIONS] <COMMAND>

        For more information, try '--help'.
    "#]],
    );
}

/// What a preprocessor and a missing one look like.
#[test]
fn the_preprocessor_is_the_one_of_cc() {
    let source = "#ifndef N\n#error N is missing\n#endif\nint main(void) { return N; }\n";
    let directory = Directory::new().with("a.c", source);
    let output = directory.command(&["check", "a.c"]).env("CC", "no-such-compiler").output().expect("runs");
    assert_eq!(output.status.code(), Some(3));
    expect![[r#"
        Error: there is no C preprocessor: tried `no-such-compiler`
          Help: install a C compiler, name one in the environment variable CC, or give a preprocessed `.i` file
    "#]].assert_eq(&String::from_utf8_lossy(&output.stderr));
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
    let directory = Directory::new()
        .with("parentheses.c", format!("int main(void) {{ return {}; }}\n", deep("(    ", "    )")))
        .with("minus.c", format!("int main(void) {{ return {minus}1; }}\n"))
        .with("braces.c", format!("int main(void) {}\n", deep("{", ";}").replace('1', "")))
        .with(
            "parentheses.rely",
            format!("var x: int = 0; thread A {{ x := {}; }}\n", deep("(    ", "    )")),
        )
        .with("minus.rely", format!("var x: int = 0; thread A {{ x := {minus}1; }}\n"))
        .with("braces.rely", format!("thread A {}\n", deep("{ if true ", "}").replace('1', "{ skip; }")));
    let names = ["parentheses.c", "minus.c", "braces.c", "parentheses.rely", "minus.rely", "braces.rely"];
    for name in names {
        let output = directory.rely(&["check", name]);
        assert_eq!(output.status.code(), Some(3), "{name}: {:.500}", told(&output));
        assert!(output.stderr.len() < 10_000, "{name}: the message has {} bytes", output.stderr.len());
    }
}

#[test]
fn verdicts_as_text() {
    let directory = Directory::new().with("counter.rely", COUNTER).with("lost.rely", LOST);
    let text = |arguments: &[&str]| {
        let told = told(&directory.rely(arguments));
        let lines = told.lines().filter(|line| !line.starts_with("  time "));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    expect![[r#"
        exit code 0
        counter.rely: safe (assert)
          evidence     exhausted, 4 states; confirmed by exploring the program before
                       simplification, 4 states
          engine       explore (portfolio)
    "#]]
    .assert_eq(&text(&["check", "counter.rely"]));
    expect![[r#"
        exit code 1
        lost.rely: unsafe (assert)
          violation    lost.rely:4: `ensures x == 2` does not hold at the end

          line │ A           │ B           │ values
          ─────┼─────────────┼─────────────┼───────
             2 │ t := x;     │             │ t = 0
             3 │             │ t := x;     │ t = 0
             2 │ x := t + 1; │             │ x = 1
             3 │             │ x := t + 1; │ x = 1

          evidence     a trace of 4 steps, replayed
          why          B reads `x` = 0 (line 3), then A writes `x` = 1 (line 2), then B
                       writes `x` = 1 (line 3) from the 0 that it had read: what A wrote
                       is lost.
                       The property sees this: `x` is 1, written by B at line 3.
          engine       explore (portfolio)
    "#]]
    .assert_eq(&text(&["check", "lost.rely"]));
    expect![[r#"
        exit code 1
        lost.rely: unsafe (assert)
          violation    lost.rely:4: `ensures x == 2` does not hold at the end

          initially x = 0, A.t = 0, B.t = 0
          line │ A           │ B           │ values
          ─────┼─────────────┼─────────────┼──────────────────────
             2 │ t := x;     │             │ [t := x] t: 0 → 0
             3 │             │ t := x;     │ [t := x] t: 0 → 0
             2 │ x := t + 1; │             │ [x := t + 1] x: 0 → 1
             3 │             │ x := t + 1; │ [x := t + 1] x: 1 → 1

          evidence     a trace of 4 steps, replayed
          why          B reads `x` = 0 (line 3), then A writes `x` = 1 (line 2), then B
                       writes `x` = 1 (line 3) from the 0 that it had read: what A wrote
                       is lost.
                       The property sees this: `x` is 1, written by B at line 3.
          engine       explore (portfolio)
    "#]]
    .assert_eq(&text(&["check", "--trace", "lost.rely"]));
}

#[test]
fn verdicts_as_json() {
    let directory =
        Directory::new().with("counter.rely", COUNTER).with("lost.rely", LOST).with("bad.rely", "var");
    let output = directory.rely(&["check", "--format", "json", "counter.rely", "lost.rely", "bad.rely"]);
    assert!(output.stderr.is_empty(), "{}", told(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert_eq!(report["format"], "rely-report");
    assert_eq!(report["version"], 2);
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
    let directory = Directory::new().with("waits.rely", waits);
    let output = directory.rely(&["check", "waits.rely"]);
    let told = told(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    for line in [
        "  assert       nothing to check",
        "waits.rely: unsafe (deadlock)",
        "waits.rely: unsafe (termination)",
    ] {
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn limits_make_it_unknown() {
    let endless = "var x: int = 0;\nthread A { while true { x := x + 1; } }\nnever x < 0;\n";
    let directory = Directory::new().with("endless.rely", endless);
    let output = directory.rely(&["check", "--engine", "explore", "--timeout", "0.3", "endless.rely"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("the time limit was reached"), "{}", told(&output));
    let output = directory.rely(&["check", "--engine", "explore", "--memory", "1", "endless.rely"]);
    assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    assert!(told(&output).contains("the memory limit was reached"), "{}", told(&output));
}

#[test]
fn standard_input_needs_a_language() {
    let directory = Directory::new();
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
    assert_eq!(
        piped(&["check", "--lang", "c", "-"], "int main(void) { return 0; }\n").status.code(),
        Some(0)
    );
    assert_eq!(piped(&["check", "-"], COUNTER).status.code(), Some(3));
    let formatted = piped(&["fmt", "-"], "var   x : int=0 ;thread A{x:=1;}");
    assert_eq!(formatted.status.code(), Some(0), "{}", told(&formatted));
}

#[test]
fn colours_only_where_they_are_wanted() {
    let directory = Directory::new().with("counter.rely", COUNTER);
    let has_colour = |command: &mut Command| command.output().expect("runs").stdout.contains(&0x1b);
    assert!(!has_colour(&mut directory.command(&["check", "counter.rely"])));
    assert!(has_colour(&mut directory.command(&["check", "--color", "always", "counter.rely"])));
    assert!(!has_colour(directory.command(&["check", "counter.rely"]).env("NO_COLOR", "1")));
}

#[test]
fn a_run_is_told_as_a_table() {
    let directory = Directory::new().with("lost.rely", LOST);
    let run = |arguments: &[&str]| told(&directory.rely(arguments));
    expect![[r#"
        exit code 1
          line │ A           │ B           │ values
          ─────┼─────────────┼─────────────┼───────
             2 │ t := x;     │             │ t = 0
             3 │             │ t := x;     │ t = 0
             3 │             │ x := t + 1; │ x = 1
             2 │ x := t + 1; │             │ x = 1

          violation: lost.rely:4: `ensures x == 2` does not hold at the end
          seed 1
    "#]]
    .assert_eq(&run(&["run", "--seed", "1", "--schedule", "A,B*2,A", "lost.rely"]));
    expect![[r#"
        exit code 3
        Error: there is no thread `C` at this point; there are: A, B
    "#]]
    .assert_eq(&run(&["run", "--seed", "1", "--schedule", "A C", "lost.rely"]));
    expect![[r#"
        exit code 3
          line │ A           │ values
          ─────┼─────────────┼───────
             2 │ t := x;     │ t = 0
             2 │ x := t + 1; │ x = 1

          `A` is next in the schedule and cannot move
          seed 1
    "#]]
    .assert_eq(&run(&["run", "--seed", "1", "--schedule", "A,A,A", "lost.rely"]));
    expect![[r#"
        exit code 3
        Error: `A*` is not a turn of a schedule: write a thread's name, or `name*3` for three steps
    "#]]
    .assert_eq(&run(&["run", "--seed", "1", "--schedule", "A*", "lost.rely"]));
    assert_eq!(run(&["run", "--seed", "5", "lost.rely"]), run(&["run", "--seed", "5", "lost.rely"]));
    let seeds: std::collections::BTreeSet<String> =
        (0..20).map(|seed| run(&["run", "--steps", "9", "--seed", &seed.to_string(), "lost.rely"])).collect();
    assert!(seeds.len() > 3, "different seeds give different runs");
}

#[test]
fn models_are_formatted_in_place() {
    let directory =
        Directory::new().with("a.rely", "var   x : int=0 ;thread A{x:=1;}\n").with("b.c", "int x;");
    assert_eq!(directory.rely(&["fmt", "--check", "a.rely"]).status.code(), Some(1));
    assert_eq!(directory.rely(&["fmt", "a.rely"]).status.code(), Some(0));
    assert_eq!(directory.rely(&["fmt", "--check", "a.rely"]).status.code(), Some(0));
    check_refused(
        &directory,
        &["fmt", "b.c"],
        &expect![[r#"
        Error: b.c: not a `.rely` model
    "#]],
    );
}

#[test]
fn programs_are_shown_as_text_and_as_graphs() {
    let directory = Directory::new().with("counter.rely", COUNTER);
    let show = |arguments: &[&str]| told(&directory.rely(arguments));
    assert!(show(&["show", "counter.rely"]).starts_with("exit code 0\n"));
    assert!(show(&["show", "--format", "dot", "counter.rely"]).contains("digraph"));
    assert!(show(&["show", "--simplified", "counter.rely"]).starts_with("exit code 0\n"));
}

#[test]
fn completions_and_the_manual_come_from_the_parser() {
    let directory = Directory::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = directory.rely(&["completions", shell]);
        assert!(told(&output).contains("simplified"), "{shell}");
    }
    let manual = told(&directory.rely(&["man"]));
    assert!(manual.contains(".TH rely") && manual.contains("Exit codes"), "{manual}");
}
