//! `rely horn` and `rely export`.

use crate::expectation::parse;
use crate::support::{Directory, rely_in_root, root, text, words};
use expect_test::{Expect, expect};
use rely::args::InputArgs;
use rely_base::{Budget, Silent};
use rely_horn::{TermPool, solve, system_text};
use rely_passes::{CriticalSections, prepare_with};
use rely_program::{Goal, Program};
use rely_proof_rules::{NoClauses, ProofRule, ProofRuleOptions, Sight, proof_clauses};
use rely_verify::Blocks;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs `rely horn` on a text; the exit code and all that it prints.
fn check(content: &str, options: &[&str], expected: &Expect) {
    let directory = Directory::new().with("a.smt2", content);
    let output = directory.rely(&[&["horn", "a.smt2"], options].concat());
    let code = output.status.code().expect("it ends by itself");
    expected.assert_eq(&format!("{code}\n{}{}", text(&output.stdout), text(&output.stderr)));
}

const SAFE: &str = "(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 0))
(assert (forall ((x Int)) (=> (p x) (<= x 0))))";

const UNSAFE: &str = "(set-logic HORN)
(declare-fun p (Int Bool) Bool)
(assert (p (- 3) true))
(assert (forall ((x Int) (b Bool)) (=> (and (p x b) b) false)))";

#[test]
fn answers_models_and_derivations() {
    check(
        SAFE,
        &[],
        &expect![[r#"
        0
        sat
    "#]],
    );
    check(
        SAFE,
        &["--model", "--derivation"],
        &expect![[r#"
        0
        sat
        (define-fun p ((p@1 Int)) Bool (= p@1 0))
    "#]],
    );
    check(
        UNSAFE,
        &[],
        &expect![[r#"
        1
        unsat
    "#]],
    );
    check(
        UNSAFE,
        &["--model", "--derivation"],
        &expect![[r#"
        1
        unsat
        1: (p (- 3) true) by line 3
        2: false by line 4 from 1
    "#]],
    );
    let endless = "(declare-fun p (Int Int) Bool)(assert (p 0 0))
        (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (+ y (* x x))))))
        (assert (forall ((x Int) (y Int)) (=> (and (p x y) (< (* y y) x) (> x 5)) false)))";
    check(
        endless,
        &["--memory", "1"],
        &expect![[r#"
        2
        unknown
        ; it needs more than linear arithmetic
    "#]],
    );
}

#[test]
fn errors_have_places_and_excerpts() {
    check(
        "(set-logic HORN)\n(declare-fun p (Real) Bool)",
        &[],
        &expect![[r#"
        3
        Error: the sort `Real` is not supported; constraints are over Int and Bool
           ╭─[ a.smt2:2:17 ]
           │
         2 │ (declare-fun p (Real) Bool)
           │                 ──┬─
           │                   ╰─── here
        ───╯
    "#]],
    );
    check(
        "(assert\n  (= 1 (foo 2)))",
        &[],
        &expect![[r#"
        3
        Error: the function `foo` is not supported
           ╭─[ a.smt2:2:8 ]
           │
         2 │   (= 1 (foo 2)))
           │        ──┬─
           │          ╰─── here
        ───╯
    "#]],
    );
    check(
        "(assert",
        &[],
        &expect![[r#"
        3
        Error: this parenthesis is never closed
           ╭─[ a.smt2:1:1 ]
           │
         1 │ (assert
           │ ───┬───
           │    ╰───── here
        ───╯
    "#]],
    );
    let deep = format!("(assert {}true{})", "(not ".repeat(100_000), ")".repeat(100_000));
    let directory = Directory::new().with("deep.smt2", deep);
    let (code, said) = words(&directory.rely(&["horn", "deep.smt2"]));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("terms are nested more than 5000 deep"), "{said}");
    let (code, said) = words(&directory.rely(&["horn", "missing.smt2"]));
    assert_eq!((code, said.as_str()), (Some(3), "Error: missing.smt2: there is no such file"));
}

/// Another solver: here a script that says what it is told to say.
#[test]
fn other_solvers_are_only_believed_if_their_model_is_one() {
    let directory = Directory::new().with("a.smt2", SAFE);
    let says = |name: &str, what: &str| {
        directory.write(name, what);
        words(&directory.rely(&["horn", "--model", "--horn-solver", &format!("cat {name}"), "a.smt2"]))
    };
    let good = "sat\n((define-fun p ((x Int)) Bool (= x 0)))\n";
    let expected = "sat ; the model is that of `cat good`, checked (define-fun p ((p@1 Int)) Bool (= p@1 0))";
    assert_eq!(says("good", good), (Some(0), expected.to_owned()));
    let bad = "unknown ; `cat bad` says sat, but its model is wrong: clause 1 is not valid in the model";
    let says_bad = says("bad", "sat\n((define-fun p ((x Int)) Bool (> x 0)))\n");
    assert_eq!(says_bad, (Some(2), bad.to_owned()));
    let word = "unsat ; this is the word of `cat word`, not checked";
    assert_eq!(says("word", "unsat\n"), (Some(1), word.to_owned()));
    let (code, said) = says("nonsense", "segmentation fault\n");
    assert_eq!(
        (code, said.as_str()),
        (Some(3), "Error: the solver `cat nonsense` answered: segmentation fault")
    );
    let missing = words(&directory.rely(&["horn", "--horn-solver", "no-such-solver", "a.smt2"]));
    assert_eq!(missing.0, Some(3));
    let with_file = words(&directory.rely(&["horn", "--horn-solver", "head -c0 {file}", "a.smt2"]));
    assert_eq!(with_file, (Some(3), "Error: the solver `head -c0 {file}` gave no answer".to_owned()));
}

#[test]
fn exports_are_clauses_that_are_read_back() {
    let output = rely_in_root(&["export", "--rule", "owicki-gries", "examples/locked-counter.rely"]);
    let exported = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    assert!(exported.starts_with("; examples/locked-counter.rely: owicki-gries; sat means"), "{exported}");
    let directory = Directory::new().with("a.smt2", exported);
    assert_eq!(words(&directory.rely(&["horn", "a.smt2"])), (Some(0), "sat".to_owned()));
    let reduced = text(&rely_in_root(&["export", "--rule", "reduction", "examples/two-locks.rely"]).stdout);
    assert!(reduced.starts_with("; examples/two-locks.rely: reduction; sat means"), "{reduced}");
    assert!(reduced.contains("(declare-fun T1@0..2 "), "there are summaries: {reduced}");
    let directory = Directory::new().with("a.smt2", reduced);
    assert_eq!(words(&directory.rely(&["horn", "a.smt2"])), (Some(0), "sat".to_owned()));
    let (code, said) = words(&rely_in_root(&["export", "examples/counting.rely"]));
    assert_eq!(code, Some(3));
    assert!(said.contains("any number of times"), "{said}");
}

fn examples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("examples")).expect("there are examples");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "rely"));
    paths.sort();
    paths
}

/// The program with its single steps, those of each block atomic.
fn with_blocks(program: &Program) -> Program {
    let (sections, budget) = (CriticalSections::Interleaved, Budget::unlimited());
    let (program, _) = prepare_with(program, Goal::Assert, sections, &budget).expect("enough time");
    let inside = Blocks::infer(&program, Goal::Assert, Default::default(), &Budget::unlimited()).inside;
    program.with_atomic(inside.iter().map(|(location, _)| *location)).expect("a program")
}

/// The clauses of a program, or why there are none.
fn exported(path: &Path, options: ProofRuleOptions) -> Option<(String, bool)> {
    let input = rely::input::read(path, &InputArgs::default()).expect("readable");
    let loaded = rely_verify::load(&input).expect("a program");
    let program = match options.rule {
        ProofRule::Reduction => with_blocks(&loaded.program),
        ProofRule::OwickiGries | ProofRule::ReachEnv => rely_passes::prepare(&loaded.program, Goal::Assert).0,
    };
    match proof_clauses(&program, Goal::Assert, options, &Budget::unlimited()) {
        Ok(clauses) => Some((system_text(&clauses.pool, &clauses.system), clauses.over_approximates)),
        Err(NoClauses::Template(_) | NoClauses::Halts | NoClauses::TooManyCases) => None,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

fn answer(text: &str) -> &'static str {
    let mut pool = TermPool::new();
    let system = rely_horn::parse(&mut pool, text).unwrap_or_else(|error| panic!("{error}"));
    let budget = Budget::unlimited().with_step_limit(20_000);
    solve(&mut pool, &system, None, &budget, &Silent).name()
}

/// What z3 says within a second; nothing if it is not there.
fn z3(text: &str) -> Option<String> {
    let child = Command::new("z3").args(["-in", "-T:1"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        assert!(std::env::var_os("RELY_REQUIRE_SOLVERS").is_none(), "z3 is not installed");
        return None;
    };
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("z3 reads");
    let output = child.wait_with_output().expect("z3 ends");
    let said = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
    assert!(["sat", "unsat", "unknown", "timeout"].contains(&said.as_str()), "{said}");
    Some(said)
}

/// Longer texts are for benchmarks.
const LONGEST: usize = 25_000;

/// No program with a violation has a proof by any rule, and z3 agrees where it knows an answer.
#[test]
fn exported_clauses_have_no_model_if_the_program_is_unsafe() {
    let (mut decided, mut compared) = (0, 0);
    for path in examples() {
        let source = std::fs::read_to_string(&path).expect("a text");
        let expectations = parse(&source).expect("expectations");
        let is_unsafe =
            expectations.iter().any(|expected| expected.goal == Goal::Assert && expected.verdict == "unsafe");
        for (rule, sight) in [
            (ProofRule::OwickiGries, Sight::Places),
            (ProofRule::OwickiGries, Sight::Plain),
            (ProofRule::ReachEnv, Sight::Places),
            (ProofRule::ReachEnv, Sight::Plain),
            (ProofRule::Reduction, Sight::Places),
        ] {
            let options = ProofRuleOptions::new(rule, sight);
            let Some((text, _)) = exported(&path, options) else { continue };
            if text.len() > LONGEST {
                continue;
            }
            let ours = answer(&text);
            let name = format!("{}: {options:?}", path.display());
            assert!(!(is_unsafe && ours == "sat"), "{name}");
            decided += usize::from(ours != "unknown");
            let known = |said: &str| said == "sat" || said == "unsat";
            if sight == Sight::Places
                && let Some(theirs) = z3(&text)
                && known(ours)
                && known(&theirs)
            {
                assert_eq!(ours, theirs, "{name}");
                compared += 1;
            }
        }
    }
    assert!(decided > 100, "{decided} decided, {compared} compared");
}
