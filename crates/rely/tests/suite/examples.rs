//! Every program in `examples/` gets the verdict that it says it must get.

use crate::expectation::{Expectation, disappointments, parse};
use crate::support::{rely_in_root, root};
use rely::args::InputArgs;
use rely_program::Goal;
use rely_verify::Loaded;
use std::path::{Path, PathBuf};
use std::process::Command;

fn examples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("examples")).expect("there are examples");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "rely"));
    paths.sort();
    paths
}

fn load(path: &Path) -> (Loaded, String) {
    let input = rely::input::read(path, &InputArgs::default())
        .unwrap_or_else(|error| panic!("{}: {}", path.display(), error.message));
    let loaded = rely_verify::load(&input).unwrap_or_else(|problem| panic!("{problem}"));
    (loaded, input.text)
}

#[test]
fn every_example_gets_its_verdict() {
    let mut complaints = Vec::new();
    for path in examples() {
        let (loaded, text) = load(&path);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match disappointments(&loaded, &text) {
            Ok(found) => complaints.extend(found.into_iter().map(|complaint| format!("{name}: {complaint}"))),
            Err(problem) => complaints.push(format!("{name}: {problem}")),
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn there_are_enough_examples_of_each_kind() {
    let paths = examples();
    let count =
        |ending: &str| paths.iter().filter(|path| path.extension().is_some_and(|e| e == ending)).count();
    assert!(count("c") >= 12, "{} C programs", count("c"));
    assert!(paths.len() >= 25, "{} examples", paths.len());
    let verdicts: Vec<Expectation> = paths
        .iter()
        .flat_map(|path| parse(&std::fs::read_to_string(path).expect("text")).expect("expectations"))
        .collect();
    for verdict in ["safe", "unsafe"] {
        assert!(verdicts.iter().filter(|expected| expected.verdict == verdict).count() >= 8, "{verdict}");
    }
}

/// The harness itself: a wrong expectation is noticed, whichever way it is wrong.
#[test]
fn wrong_expectations_are_noticed() {
    let check = |example: &str, wrong: &str| {
        let (loaded, _) = load(&root().join("examples").join(example));
        let complaints = disappointments(&loaded, wrong).expect("well written");
        assert_eq!(complaints.len(), 1, "{example}, `{wrong}`: {complaints:?}");
    };
    check("peterson.c", "// expect: unsafe");
    check("peterson.c", "// expect: unknown");
    check("racy-counter.c", "// expect: safe");
    check("racy-counter.c", "// expect: unknown");
    check("racy-counter.c", "// expect: unsafe line 1");
    check("lock-order.c", "// expect: safe\n// expect(deadlock): safe");
    check("any-input.c", "// expect: unsafe");
}

#[test]
fn missing_and_misspelt_expectations_are_errors() {
    let message = |text: &str| parse(text).expect_err("not an expectation");
    assert_eq!(message("int main(void) {}"), "there is no `// expect: ...`");
    assert_eq!(message("// expect: sound"), "`// expect: sound` is not an expectation");
    assert_eq!(message("// expect(dead): safe"), "`// expect(dead): safe` is not an expectation");
    assert_eq!(message("// expect: safe line 3"), "`// expect: safe line 3` is not an expectation");
    let expected = [Expectation { goal: Goal::Deadlock, verdict: "unsafe".to_owned(), line: Some(3) }];
    assert_eq!(parse("  // expect(deadlock): unsafe line 3"), Ok(expected.to_vec()));
}

/// The same through the binary, where the exit code is the verdict.
#[test]
fn the_exit_code_is_the_verdict() {
    let code = |arguments: &[&str]| rely_in_root(&[&["check"], arguments].concat()).status.code();
    assert_eq!(code(&["examples/peterson.rely"]), Some(0));
    assert_eq!(code(&["--property", "assert", "examples/peterson.c"]), Some(0));
    // Without atomic variables it has data races.
    assert_eq!(code(&["examples/peterson.c"]), Some(1));
    assert_eq!(code(&["examples/racy-counter.c"]), Some(1));
    assert_eq!(code(&["--property", "assert", "examples/any-input.c"]), Some(0));
    assert_eq!(code(&["--property", "assert", "--engine", "explore", "examples/any-input.c"]), Some(2));
    assert_eq!(code(&["--property", "deadlock", "examples/lock-order.c"]), Some(1));
    assert_eq!(code(&["--property", "assert", "examples/lock-order.c"]), Some(0));
    // The worst decides.
    let unknown = ["--property", "assert", "--engine", "explore", "examples/any-input.c"];
    let with = |others: &[&'static str]| code(&[unknown.as_slice(), others].concat());
    assert_eq!(with(&["examples/peterson.c"]), Some(2));
    assert_eq!(with(&["examples/racy-counter.c", "examples/peterson.c"]), Some(1));
    assert_eq!(code(&["examples/racy-counter.c", "examples/no-such-file.c"]), Some(3));
}

#[test]
fn models_are_laid_out_in_the_standard_way() {
    let models: Vec<PathBuf> =
        examples().into_iter().filter(|path| path.extension().is_some_and(|e| e == "rely")).collect();
    let run = Command::new(env!("CARGO_BIN_EXE_rely")).args(["fmt", "--check"]).args(models).output();
    let run = run.expect("the command runs");
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stdout));
}
