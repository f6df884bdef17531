//! Witnesses in the formats of SV-COMP: what was found, for other verifiers to check.
//!
//! A violation witness leads a validator along the run: through statements in the order of the
//! schedule, past the values that inputs had, to the statement that goes wrong. A correctness
//! witness gives it invariants of places. Only what follows from checked evidence is written, and
//! only what the format can say; what it cannot say is left out and [told](Witness::left_out).

mod branches;
mod c_text;
mod ghosts;
mod graphml;
mod instrument;
mod invariants;
mod locks;
mod read;
mod regions;
mod statements;
mod steps;
mod violation;
mod yaml;

pub use ghosts::{GhostChange, GhostFact, GhostId, GhostUpdate, GhostVariable, Ghosts};
pub use instrument::{Instrumented, instrument};
pub use invariants::{Annotations, Disjunct, Invariant, ProofContext, invariants};

pub use read::{
    Claimed, ClaimedGhost, ClaimedInvariant, ClaimedPlace, ClaimedUpdate, ClaimedWaypoint, read_witness,
};

pub(crate) use violation::functions_entered;

use c_text::CText;
use rely_base::FileId;
use rely_evidence::counting::Counting;
use rely_evidence::helping::Helping;
use rely_evidence::reduction::Reduced;
use rely_evidence::{Proof, Replay, Verdict};
use rely_program::{CheckKind, Goal, Violation};
use std::collections::BTreeSet;

/// What a witness says about itself and about the task.
#[derive(Clone, Debug)]
pub struct WitnessTask {
    /// The name of the program's file.
    pub file: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub hash: String,
    /// Names for the entries of this witness that no others have.
    pub uuids: [String; 2],
    /// When it was made, in the form of ISO 8601 with seconds and a time zone.
    pub creation_time: String,
    /// The version of Rely.
    pub version: String,
}

/// The file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WitnessFormat {
    /// Version 2 of the format, for proofs and violations.
    Yaml,
    /// Version 1 of the format, for violations.
    GraphMl,
}

/// A witness, and what it could not say.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The file.
    pub text: String,
    /// What was left out, for a person.
    pub left_out: Option<String>,
}

/// Writes a witness of a verdict about a C program, or says why there can be none. Of its invariants only those are
/// written that are `kept`, if somebody has looked at them.
pub fn render_witness(
    verdict: &Verdict,
    goal: Goal,
    context: &ProofContext<'_>,
    task: &WitnessTask,
    format: WitnessFormat,
    kept: Option<&BTreeSet<usize>>,
) -> Result<Witness, String> {
    let file = source_file(context).ok_or("the program has no text to speak of")?;
    let text = CText::new(context.sources.file(file).text());
    match (verdict, format) {
        (Verdict::Unknown(_), _) => Err("there is no witness of an unknown result".to_owned()),
        (Verdict::Unsafe(shown), format) => {
            let text = of_violation(shown.replay(), goal, (context, &text), task, format)?;
            Ok(Witness { text, left_out: None })
        }
        (Verdict::Safe(_), WitnessFormat::GraphMl) => {
            Err("a proof is written in the newer format: name a file that ends with `.yml`".to_owned())
        }
        (Verdict::Safe(proved), WitnessFormat::Yaml) => {
            let specification = specification(goal, None, &text)?;
            let (annotations, left_out) = match proved.proof() {
                Proof::Ranking(_) => return Err("the format has no words for ranks".to_owned()),
                // What is held holds in the program itself, whatever is proved of the reduced one.
                Proof::RelyGuarantee(proof)
                | Proof::Helping(Helping { proof, .. })
                | Proof::Counting(Counting { proof, .. })
                | Proof::Reduced(Reduced { held: Counting { proof, .. }, .. }) => {
                    let mut found = invariants(proof, context);
                    let all = found.invariants.len();
                    found.keep(|index| kept.is_none_or(|kept| kept.contains(&index)));
                    let left_out = left_out(&found, all - found.invariants.len());
                    (found, left_out)
                }
                _ => {
                    let nothing =
                        Annotations { invariants: Vec::new(), ghosts: Ghosts::default(), left_out: 0 };
                    (nothing, Some("a proof by exhaustion has no invariants of places".to_owned()))
                }
            };
            Ok(Witness { text: yaml::correctness(&annotations, context, task, &specification), left_out })
        }
    }
}

/// The text of a witness of a violation.
fn of_violation(
    replay: &Replay,
    goal: Goal,
    (context, text): (&ProofContext<'_>, &CText<'_>),
    task: &WitnessTask,
    format: WitnessFormat,
) -> Result<String, String> {
    if goal == Goal::Race && format == WitnessFormat::GraphMl {
        return Err(
            "a data race is written in the newer format: name a file that ends with `.yml`".to_owned()
        );
    }
    let kind = match replay.violation() {
        Violation::Check(check) => Some(context.program.checks()[check].kind),
        Violation::Property(_) => {
            return Err("the format has no word for properties that stand in comments".to_owned());
        }
        _ => None,
    };
    let specification = specification(goal, kind, text)?;
    let path = violation::Path::new(replay, context, text);
    Ok(match format {
        WitnessFormat::Yaml => yaml::violation(&path, task, &specification),
        WitnessFormat::GraphMl => graphml::violation(&path, task, &specification),
    })
}

/// What a witness of a proof does not say.
fn left_out(found: &Annotations, unconfirmed: usize) -> Option<String> {
    let silent = (found.left_out > 0)
        .then(|| format!("at {} places nothing that C can express is known", found.left_out));
    let unconfirmed = (unconfirmed > 0).then(|| {
        let invariants = rely_base::plural(unconfirmed, "invariants");
        format!("{invariants} left out: not confirmed on the program itself")
    });
    let told: Vec<String> = silent.into_iter().chain(unconfirmed).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// The file of the first statement that has one.
fn source_file(context: &ProofContext<'_>) -> Option<FileId> {
    context.program.edges().values().find_map(|edge| edge.span).map(|span| span.file)
}

/// The property in the words of SV-COMP.
fn specification(goal: Goal, kind: Option<CheckKind>, text: &CText<'_>) -> Result<String, String> {
    let error_call = ["reach_error", "__VERIFIER_error"].into_iter().find(|name| text.mentions(name));
    let formula = match (goal, kind) {
        (Goal::Assert, Some(CheckKind::Bounds)) => "G valid-deref".to_owned(),
        (Goal::Assert, Some(CheckKind::Arithmetic)) => "G def-behavior".to_owned(),
        (Goal::Assert, _) => format!("G ! call({}())", error_call.unwrap_or("__assert_fail")),
        (Goal::Overflow, _) => "G ! overflow".to_owned(),
        (Goal::Memory, Some(CheckKind::Lifetime)) => "G valid-free".to_owned(),
        (Goal::Memory, _) => "G valid-deref".to_owned(),
        (Goal::Race, _) => "G ! data-race".to_owned(),
        (Goal::Termination, _) => "F end".to_owned(),
        (Goal::FairTermination, _) => return Err("the format has no word for fairness".to_owned()),
        (Goal::Deadlock, _) => return Err("the format has no word for deadlocks".to_owned()),
    };
    Ok(format!("CHECK( init(main()), LTL({formula}) )"))
}
