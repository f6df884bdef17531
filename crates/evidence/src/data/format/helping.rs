//! Proofs that no thread waits for ever, in certificates.
//!
//! ```json
//! { "helping": {
//!     "helps": [
//!       { "thread": 1, "spot": { "location": 7 }, "steps": [3, 4], "components": 1,
//!         "ranks": [ { "thread": 0, "at": [] } ] }
//!     ],
//!     "proof": { "threads": [], "effects": [] } } }
//! ```

use super::ranking::{ThreadRecord, ranks_of, ranks_to};
use super::{ControlPointRecord, RelyGuaranteeRecord, id, number};
use crate::data::{Help, Helping};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HelpingRecord {
    helps: Vec<HelpRecord>,
    proof: RelyGuaranteeRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HelpRecord {
    thread: u32,
    spot: ControlPointRecord,
    steps: Vec<u32>,
    components: usize,
    ranks: Vec<ThreadRecord>,
}

impl From<&Helping> for HelpingRecord {
    fn from(helping: &Helping) -> Self {
        let help = |help: &Help| HelpRecord {
            thread: number(help.thread),
            spot: help.at.into(),
            steps: help.steps.iter().map(|&edge| number(edge)).collect(),
            components: help.components,
            ranks: ranks_to(&help.ranks),
        };
        Self { helps: helping.helps.iter().map(help).collect(), proof: (&helping.proof).into() }
    }
}

impl From<HelpingRecord> for Helping {
    fn from(record: HelpingRecord) -> Self {
        let help = |help: HelpRecord| Help {
            thread: id(help.thread),
            at: help.spot.into(),
            steps: help.steps.into_iter().map(id).collect(),
            components: help.components,
            ranks: ranks_of(help.ranks),
        };
        Self { helps: record.helps.into_iter().map(help).collect(), proof: record.proof.into() }
    }
}
