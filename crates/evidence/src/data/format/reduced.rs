//! Reductions as JSON; the rest of the format is in `proof_format`.

use super::counting::InvariantRecord;
use super::{ProofRecord, RelyGuaranteeRecord, id, number};
use crate::data::{Counting, Mover, Phase, Reduced};
use serde::{Deserialize, Serialize};

/// A reduction.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReducedRecord {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forgotten: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    counted: Vec<InvariantRecord>,
    held: RelyGuaranteeRecord,
    inside: Vec<InsideRecord>,
    movers: Vec<MoverRecord>,
    proof: Box<ProofRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InsideRecord {
    location: u32,
    commit: CommitRecord,
}

/// Where the commit is, seen from a location.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CommitRecord {
    Ahead,
    Behind,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MoverRecord {
    edge: u32,
    moves: MovesRecord,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MovesRecord {
    Right,
    Left,
    Both,
}

impl From<&Reduced> for ReducedRecord {
    fn from(reduced: &Reduced) -> Self {
        let inside = reduced.inside.iter().map(|(location, phase)| InsideRecord {
            location: number(*location),
            commit: match phase {
                Phase::BeforeCommit => CommitRecord::Ahead,
                Phase::AfterCommit => CommitRecord::Behind,
            },
        });
        let movers = reduced.movers.iter().map(|(edge, mover)| MoverRecord {
            edge: number(*edge),
            moves: match mover {
                Mover::Right => MovesRecord::Right,
                Mover::Left => MovesRecord::Left,
                Mover::Both => MovesRecord::Both,
            },
        });
        Self {
            forgotten: reduced.forgotten.iter().map(|var| number(*var)).collect(),
            counted: reduced.held.invariants.iter().map(InvariantRecord::from).collect(),
            held: (&reduced.held.proof).into(),
            inside: inside.collect(),
            movers: movers.collect(),
            proof: Box::new((&*reduced.proof).into()),
        }
    }
}

impl From<ReducedRecord> for Reduced {
    fn from(record: ReducedRecord) -> Self {
        let inside = record.inside.into_iter().map(|entry| {
            let phase = match entry.commit {
                CommitRecord::Ahead => Phase::BeforeCommit,
                CommitRecord::Behind => Phase::AfterCommit,
            };
            (id(entry.location), phase)
        });
        let movers = record.movers.into_iter().map(|entry| {
            let mover = match entry.moves {
                MovesRecord::Right => Mover::Right,
                MovesRecord::Left => Mover::Left,
                MovesRecord::Both => Mover::Both,
            };
            (id(entry.edge), mover)
        });
        Self {
            forgotten: record.forgotten.into_iter().map(id).collect(),
            held: Counting {
                invariants: record.counted.into_iter().map(InvariantRecord::into).collect(),
                proof: record.held.into(),
            },
            inside: inside.collect(),
            movers: movers.collect(),
            proof: Box::new((*record.proof).into()),
        }
    }
}
