//! Certificates as a user meets them: written by one command, checked by another.

use crate::support::{Directory, rely_in_root, root, words};
use rely_evidence::ranking::{RankCase, Ranking, Sum, ThreadRanks};
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_evidence::{About, Proof, proof_to_json};
use rely_program::{Goal, Program, ThreadId, Value, VarId};

const MODEL: &str = "var x: int = 0;
thread A { x := x + 0; x := 1; }
thread B { await x == 1; x := 0; }
invariant x <= 1;
";

/// A directory with the model.
fn directory() -> Directory {
    Directory::new().with("model.rely", MODEL)
}

fn at_most(var: VarId, bound: i128, moment: Moment) -> Cube {
    let terms = vec![(1, Quantity::Cell { var, index: 0, moment })];
    Cube { atoms: vec![Atom { terms, constant: -bound, comparison: Comparison::Le }], others: Vec::new() }
}

/// The certificate that says `x <= bound` everywhere.
fn certificate(bound: i128) -> String {
    let mut sources = rely_base::SourceMap::new();
    let file = sources.add("model.rely", MODEL);
    let program: Program = rely_model_front::translate(&sources, file).expect("the model is correct");
    let (prepared, _) = rely_passes::prepare(&program, Goal::Assert);
    let var = prepared.vars().ids().next().expect("the model has a variable");
    let threads = prepared.threads().ids().map(|thread| {
        let points = ControlPoint::all(&prepared, thread).into_iter();
        ThreadAssertions {
            thread,
            at: points.map(|point| (point, vec![at_most(var, bound, Moment::Before)])).collect(),
        }
    });
    let effects = prepared
        .edges()
        .ids()
        .map(|edge| EdgeEffect { edge, cubes: vec![at_most(var, bound, Moment::After)] });
    let proof = RelyGuarantee { threads: threads.collect(), effects: effects.collect() };
    proof_to_json(&prepared, &sources, About::Simplified, Goal::Assert, &Proof::RelyGuarantee(proof))
}

/// A thread that counts up to a bound, and one that lowers it.
const LOWERED: &str = "var n: int = *;
thread Counter { local i: int = 0; while i < n { i := i + 1; } }
thread Brake { n := n - 3; }
terminates;
";

/// The certificate that `factor * (n - i)` becomes smaller.
fn ranking(factor: Value) -> String {
    let mut sources = rely_base::SourceMap::new();
    let file = sources.add("lowered.rely", LOWERED);
    let program = rely_model_front::translate(&sources, file).expect("the model is correct");
    let (prepared, _) = rely_passes::prepare(&program, Goal::Termination);
    let [counter, brake]: [ThreadId; 2] =
        prepared.threads().ids().collect::<Vec<_>>().try_into().expect("two");
    let [n, i]: [VarId; 2] = prepared.vars().ids().collect::<Vec<_>>().try_into().expect("two");
    let cell = |var| Quantity::Cell { var, index: 0, moment: Moment::Before };
    let places = |thread: ThreadId| {
        let declaration = &prepared.threads()[thread];
        [ControlPoint::At(declaration.entry), ControlPoint::At(declaration.exit)]
    };
    let left = Sum { terms: vec![(factor, cell(n)), (-factor, cell(i))], constant: 0 };
    let rank = |level, left: Sum| {
        vec![RankCase { when: Vec::new(), rank: vec![Sum { terms: Vec::new(), constant: level }, left] }]
    };
    let ranks = |thread, left| ThreadRanks {
        thread,
        at: places(thread).into_iter().zip([rank(1, left), rank(0, Sum::default())]).collect(),
    };
    let threads = [counter, brake].map(|thread| ThreadAssertions {
        thread,
        at: places(thread).into_iter().map(|point| (point, vec![Cube::default()])).collect(),
    });
    let effects = prepared.edges().ids().map(|edge| EdgeEffect { edge, cubes: vec![Cube::default()] });
    let proof = RelyGuarantee { threads: threads.to_vec(), effects: effects.collect() };
    let ranks = vec![ranks(counter, left), ranks(brake, Sum::default())];
    let proof = Proof::Ranking(Ranking { components: 2, ranks, proof });
    proof_to_json(&prepared, &sources, About::Simplified, Goal::Termination, &proof)
}

#[test]
fn a_ranking_needs_no_engine() {
    let directory = directory();
    directory.write("lowered.rely", LOWERED);
    directory.write("proof.json", ranking(1));
    let files = ["--export-obligations", "all.smt2", "--report", "page.html", "proof.json", "lowered.rely"];
    let (code, told) = words(&directory.rely(&[&["certify", "--proof=full"], files.as_slice()].concat()));
    assert!(code == Some(0) && told.starts_with("lowered.rely: safe (termination)"), "{told}");
    assert!(told.contains("ranking of 2 components, modular, 4 ranks"), "{told}");
    assert!(told.contains("{ rank (1, n - Counter.i) } while i < n {"), "{told}");
    assert!(directory.read("all.smt2").contains("descent: thread `Counter`"));
    assert!(directory.read("page.html").contains("(1, n - Counter.i)"));
    directory.write("wrong.json", ranking(-1));
    let (code, told) = words(&directory.rely(&["certify", "wrong.json", "lowered.rely"]));
    assert!(
        code == Some(2) && told.contains("proves nothing: rule `descent` is violated (thread `Counter`"),
        "{told}"
    );
    assert!(told.contains(", line 2"), "{told}");
}

#[test]
fn what_check_writes_certify_accepts() {
    let directory = directory();
    let (code, told) = words(&directory.rely(&["check", "--certificate", "proof.json", "model.rely"]));
    assert_eq!(code, Some(0), "{told}");
    let (code, told) = words(&directory.rely(&["certify", "proof.json", "model.rely"]));
    assert!(code == Some(0) && told.starts_with("model.rely: safe (assert)"), "{told}");
    assert!(told.contains("none: the proof is that of proof.json"), "{told}");
}

#[test]
fn a_rely_guarantee_proof_needs_no_engine() {
    let directory = directory();
    directory.write("proof.json", certificate(1));
    let (code, told) = words(&directory.rely(&["certify", "proof.json", "model.rely"]));
    assert!(code == Some(0) && told.contains("rely-guarantee proof, modular"), "{told}");
    directory.write("wrong.json", certificate(0));
    let (code, told) = words(&directory.rely(&["certify", "wrong.json", "model.rely"]));
    assert!(
        code == Some(2) && told.contains("proves nothing: rule `own-step` is violated (thread `A`"),
        "{told}"
    );
    directory.write("weak.json", certificate(2));
    let (code, told) = words(&directory.rely(&["certify", "weak.json", "model.rely"]));
    assert!(code == Some(2) && told.contains("rule `always` is violated (property 0)"), "{told}");
}

#[test]
fn what_is_no_certificate_is_refused() {
    let directory = directory();
    directory.write("proof.json", certificate(1));
    directory.write("other.rely", MODEL.replace("x := 0;", "x := -1;"));
    let cases = [
        (["certify", "proof.json", "other.rely"], "the certificate belongs to another program, `model.rely`"),
        (["certify", "model.rely", "model.rely"], "model.rely: this is not a certificate"),
        (["certify", "absent.json", "model.rely"], "absent.json: "),
    ];
    for (arguments, expected) in cases {
        let (code, told) = words(&directory.rely(&arguments));
        assert!(code == Some(3) && told.contains(expected), "{code:?}: {told}");
    }
    let several = ["check", "--certificate", "proof.json", "-p", "assert,deadlock", "model.rely"];
    let (code, told) = words(&directory.rely(&several));
    assert!(code == Some(3) && told.contains("`--certificate` is about one property of one file"), "{told}");
}

#[test]
fn a_proof_by_reduction_is_certified_shown_and_exported() {
    let directory = directory();
    let path = |name: &str| directory.path(name).display().to_string();
    let files = ["examples/locked-counter.proof.json", "examples/locked-counter.rely"];
    let (script, page) = (path("obligations.smt2"), path("report.html"));
    let options = ["certify", "--proof=full", "--export-obligations", &script, "--report", &page];
    let (code, told) = words(&rely_in_root(&[&options[..], &files].concat()));
    assert_eq!(code, Some(0), "{told}");
    for expected in [
        "examples/locked-counter.rely: safe (assert)",
        "reduction with 8 movers, then rely-guarantee proof, 4 assertions; confirmed: ",
        "reduction 2 blocks are one step each",
        "R | lock(m); B | { m == 1 } r := x; B | { m == 1 } x := r + 1; L | { m == 1 } unlock(m); (commit)",
        "{ m == 0 && ((x == 0 && B at entry) || (x == 1 && B at exit)) }",
    ] {
        assert!(told.contains(expected), "{expected} is missing in {told}");
    }
    let script = std::fs::read_to_string(script).expect("the obligations were written");
    assert!(script.starts_with("; Obligations of a proof by reduction of the property `assert`"), "{script}");
    assert!(script.contains(". right-mover: thread `A`"), "{script}");
    let page = std::fs::read_to_string(page).expect("the page was written");
    let start = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let data: serde_json::Value = serde_json::from_str(start.expect("there is data")).expect("it is JSON");
    let margin = &data["sections"][0]["margin"];
    assert_eq!(margin["reduced"], true);
    let movers: Vec<&str> =
        margin["movers"].as_array().expect("movers").iter().filter_map(|mover| mover[1].as_str()).collect();
    assert_eq!(movers, ["right", "both", "both", "left", "right", "both", "both", "left"]);
    assert_eq!(margin["blocks"].as_array().map(Vec::len), Some(2));
    assert_eq!(data["sections"][0]["outline"]["threads"].as_array().map(Vec::len), Some(2));
    assert!(data["sections"][0]["why"].to_string().contains("2 blocks of steps"), "{data}");
}

#[test]
fn a_damaged_reduction_is_refused_by_its_rule() {
    let directory = directory();
    let right = std::fs::read_to_string(root().join("examples/locked-counter.proof.json")).expect("there");
    let damages = [
        (r#""moves":"right""#, r#""moves":"both""#, "of the reduction, rule `left-mover` is violated"),
        (r#""moves":"both""#, r#""moves":"left""#, "rule `before-commit` is violated: edge 1 of `A`"),
        (
            r#""commit":"ahead","location":"A 12:5""#,
            r#""commit":"behind","location":"A 12:5""#,
            "rule `one-commit` is violated",
        ),
        (
            r#""edge":"A 13:5 -> A exit","moves""#,
            r#""edge":"A 12:5 -> A 13:5","moves""#,
            "edge 2 is listed twice",
        ),
    ];
    for (part, replacement, expected) in damages {
        assert!(right.contains(part), "{part}");
        let damaged = directory.write("damaged.json", right.replacen(part, replacement, 1));
        let (code, told) = words(&rely_in_root(&["certify", &damaged, "examples/locked-counter.rely"]));
        assert!(code == Some(2) && told.contains(expected), "{part} became {replacement}: {told}");
    }
    let elsewhere = [
        ("A 77:1", "the program has no place \"A 77:1\""),
        ("A exit", "the blocks of the certificate make no program"),
    ];
    for (place, expected) in elsewhere {
        let damaged = right.replace(
            r#""commit":"ahead","location":"A 13:5""#,
            &format!(r#""commit":"ahead","location":"{place}""#),
        );
        let damaged = directory.write("damaged.json", damaged);
        let (code, told) = words(&rely_in_root(&["certify", &damaged, "examples/locked-counter.rely"]));
        assert!(code == Some(3) && told.contains(expected), "{told}");
    }
}

/// A certificate about the program that was read needs no pass: who checks it sees the same program whatever passes do.
#[test]
fn certificates_speak_of_the_program_that_was_read() {
    for example in ["peterson.c", "lock-id.rely", "any-number-of-readers.rely", "mutex-counter.c"] {
        let directory = directory();
        let (example, file) = (root().join("examples").join(example), "proof.json");
        let example = example.display().to_string();
        let (code, told) =
            words(&directory.rely(&["check", "-p", "assert", "--certificate", file, &example]));
        assert_eq!(code, Some(0), "{told}");
        let written: serde_json::Value = serde_json::from_str(&directory.read(file)).expect("JSON");
        assert_eq!((&written["version"], &written["about"]), (&2.into(), &"source".into()), "{example}");
        let (code, told) = words(&directory.rely(&["certify", file, &example]));
        assert!(code == Some(0) && !told.contains("trusted"), "{told}");
        let older = directory.read(file).replace("\"version\":2", "\"version\":1");
        directory.write("older.json", older);
        let (code, told) = words(&directory.rely(&["certify", "older.json", &example]));
        assert!(code == Some(3) && told.contains("write it again with `rely check --certificate`"), "{told}");
    }
}
