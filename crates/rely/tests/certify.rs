//! Certificates as a user meets them: written by one command, checked by another.

use rely_evidence::rely_guarantee::{
    Atom, Comparison, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, Spot, ThreadAssertions,
};
use rely_evidence::{Proof, proof_to_json};
use rely_program::{Goal, Program, VarId, passes};
use std::path::PathBuf;
use std::process::Command;

const MODEL: &str = "var x: int = 0;
thread A { x := x + 0; x := 1; }
thread B { await x == 1; x := 0; }
invariant x <= 1;
";

/// A directory with the model that goes away at the end of the test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rely-certify-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory for the test");
        let directory = Self(path);
        directory.write("model.rely", MODEL);
        directory
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the file is written");
    }

    /// The exit code and the words that were printed.
    fn rely(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rely"));
        let output = command.args(arguments).current_dir(&self.0).output().expect("the command runs");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        let words: Vec<&str> = text.split_whitespace().collect();
        (output.status.code().unwrap_or(-1), words.join(" "))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
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
    let (prepared, _) = passes::prepare(&program, Goal::Assert);
    let var = prepared.vars().ids().next().expect("the model has a variable");
    let threads = prepared.threads().ids().map(|thread| {
        let spots = Spot::all(&prepared, thread).into_iter();
        ThreadAssertions {
            thread,
            at: spots.map(|spot| (spot, vec![at_most(var, bound, Moment::Before)])).collect(),
        }
    });
    let effects = prepared
        .edges()
        .ids()
        .map(|edge| EdgeEffect { edge, cubes: vec![at_most(var, bound, Moment::After)] });
    let proof = RelyGuarantee { threads: threads.collect(), effects: effects.collect() };
    proof_to_json(&prepared, Goal::Assert, &Proof::RelyGuarantee(proof))
}

#[test]
fn what_check_writes_certify_accepts() {
    let directory = Directory::new("written");
    let (code, told) = directory.rely(&["check", "--certificate", "proof.json", "model.rely"]);
    assert_eq!(code, 0, "{told}");
    let (code, told) = directory.rely(&["certify", "proof.json", "model.rely"]);
    assert!(code == 0 && told.starts_with("model.rely: safe (assert)"), "{told}");
    assert!(told.contains("none: the proof is that of proof.json"), "{told}");
}

#[test]
fn a_rely_guarantee_proof_needs_no_engine() {
    let directory = Directory::new("rely-guarantee");
    directory.write("proof.json", &certificate(1));
    let (code, told) = directory.rely(&["certify", "proof.json", "model.rely"]);
    assert!(code == 0 && told.contains("rely-guarantee proof, modular"), "{told}");
    directory.write("wrong.json", &certificate(0));
    let (code, told) = directory.rely(&["certify", "wrong.json", "model.rely"]);
    assert!(code == 2 && told.contains("proves nothing: rule `own-step` is violated (thread `A`"), "{told}");
    directory.write("weak.json", &certificate(2));
    let (code, told) = directory.rely(&["certify", "weak.json", "model.rely"]);
    assert!(code == 2 && told.contains("rule `always` is violated (property 0)"), "{told}");
}

#[test]
fn what_is_no_certificate_is_refused() {
    let directory = Directory::new("refused");
    directory.write("proof.json", &certificate(1));
    directory.write("other.rely", &MODEL.replace("x := 0;", "x := -1;"));
    let cases = [
        (["certify", "proof.json", "other.rely"], "the certificate belongs to another program, `model.rely`"),
        (["certify", "model.rely", "model.rely"], "model.rely: this is not a certificate"),
        (["certify", "absent.json", "model.rely"], "absent.json: "),
    ];
    for (arguments, expected) in cases {
        let (code, told) = directory.rely(&arguments);
        assert!(code == 3 && told.contains(expected), "{code}: {told}");
    }
    let several = ["check", "--certificate", "proof.json", "-p", "assert,deadlock", "model.rely"];
    let (code, told) = directory.rely(&several);
    assert!(code == 3 && told.contains("`--certificate` is about one property of one file"), "{told}");
}
