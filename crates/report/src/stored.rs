//! Reports as they are kept between runs, and as one process hands them to another.
//!
//! This is the only other way to a [`Conclusion`](crate::Conclusion) than a checked verdict: what is read back was
//! made of one by the same build of Rely. A checksum tells what was written completely from what was not.

use crate::finding::{FileReport, Finding, Note};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Serialize, Deserialize)]
struct Stored {
    file: String,
    findings: Vec<Finding>,
    notes: Vec<Note>,
}

/// The report of a file that was read; others are not kept.
pub fn to_stored(report: &FileReport) -> Option<String> {
    let findings = report.outcome.as_ref().ok()?.clone();
    let stored = Stored { file: report.file.clone(), findings, notes: report.notes.clone() };
    let text = serde_json::to_string(&stored).ok()?;
    Some(format!("{}\n{text}\n", checksum(&text)))
}

/// What [`to_stored`] has made, if nothing of it is missing or changed.
pub fn from_stored(stored: &str) -> Option<FileReport> {
    let (sum, text) = stored.split_once('\n')?;
    let text = text.strip_suffix('\n')?;
    if sum != checksum(text) {
        return None;
    }
    let Stored { file, findings, notes } = serde_json::from_str(text).ok()?;
    Some(FileReport { file, outcome: Ok(findings), notes, is_cached: false })
}

fn checksum(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Goals by their names.
pub(crate) mod goal {
    use rely_program::Goal;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(goal: &Goal, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(goal.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Goal, D::Error> {
        let name = String::deserialize(deserializer)?;
        Goal::ALL
            .into_iter()
            .find(|goal| goal.name() == name)
            .ok_or_else(|| D::Error::custom("no such property"))
    }
}

/// Runs with the edges that they take, which only tell one pass through a statement from the next.
pub(crate) mod run {
    use crate::interleaving::Interleaving;
    use rely_base::Id;
    use rely_program::EdgeId;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(run: &Interleaving, serializer: S) -> Result<S::Ok, S::Error> {
        let edges: Vec<usize> = run.steps.iter().map(|step| step.edge.index()).collect();
        (run, edges).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Interleaving, D::Error> {
        let (mut run, edges): (Interleaving, Vec<usize>) = Deserialize::deserialize(deserializer)?;
        for (step, edge) in run.steps.iter_mut().zip(edges) {
            step.edge = EdgeId::from_index(edge);
        }
        Ok(run)
    }
}
