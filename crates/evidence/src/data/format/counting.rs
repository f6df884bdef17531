//! Counting proofs in certificates.
//!
//! ```json
//! { "counting": {
//!     "invariants": [
//!       { "cubes": [ [ { "terms": [ [1, { "cell": { "var": 0, "index": 0 } }],
//!                                   [-1, { "count": { "location": 3, "having": [] } }] ],
//!                        "constant": 0, "is": "eq" } ] ] }
//!     ],
//!     "rely_guarantee": { "threads": [], "effects": [] } } }
//! ```

use super::{AtomRecord, ComparisonRecord, RelyGuaranteeRecord, id, number};
use crate::data::{CountAtom, Counter, Counting, Invariant, Summand};
use rely_program::Value;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountingRecord {
    invariants: Vec<InvariantRecord>,
    rely_guarantee: RelyGuaranteeRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvariantRecord {
    cubes: Vec<Vec<CountAtomRecord>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CountAtomRecord {
    terms: Vec<(Value, SummandRecord)>,
    constant: Value,
    is: ComparisonRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum SummandRecord {
    Cell { var: u32, index: u32 },
    Count { location: u32, having: Vec<AtomRecord> },
}

impl From<&Counting> for CountingRecord {
    fn from(proof: &Counting) -> Self {
        Self {
            invariants: proof.invariants.iter().map(InvariantRecord::from).collect(),
            rely_guarantee: (&proof.proof).into(),
        }
    }
}

impl From<CountingRecord> for Counting {
    fn from(record: CountingRecord) -> Self {
        Self {
            invariants: record.invariants.into_iter().map(InvariantRecord::into).collect(),
            proof: record.rely_guarantee.into(),
        }
    }
}

impl From<&Invariant> for InvariantRecord {
    fn from(invariant: &Invariant) -> Self {
        let cube = |cube: &Vec<CountAtom>| cube.iter().map(CountAtomRecord::from).collect();
        Self { cubes: invariant.cubes.iter().map(cube).collect() }
    }
}

impl From<InvariantRecord> for Invariant {
    fn from(record: InvariantRecord) -> Self {
        let cube = |cube: Vec<CountAtomRecord>| cube.into_iter().map(CountAtom::from).collect();
        Self { cubes: record.cubes.into_iter().map(cube).collect() }
    }
}

impl From<&CountAtom> for CountAtomRecord {
    fn from(atom: &CountAtom) -> Self {
        let summand = |summand: &Summand| match summand {
            Summand::Cell { var, index } => SummandRecord::Cell { var: number(*var), index: *index },
            Summand::Count(Counter { location, having }) => SummandRecord::Count {
                location: number(*location),
                having: having.iter().map(AtomRecord::from).collect(),
            },
        };
        Self {
            terms: atom.terms.iter().map(|(factor, part)| (*factor, summand(part))).collect(),
            constant: atom.constant,
            is: atom.comparison.into(),
        }
    }
}

impl From<CountAtomRecord> for CountAtom {
    fn from(record: CountAtomRecord) -> Self {
        let summand = |summand: SummandRecord| match summand {
            SummandRecord::Cell { var, index } => Summand::Cell { var: id(var), index },
            SummandRecord::Count { location, having } => {
                let having = having.into_iter().map(AtomRecord::into).collect();
                Summand::Count(Counter { location: id(location), having })
            }
        };
        Self {
            terms: record.terms.into_iter().map(|(factor, part)| (factor, summand(part))).collect(),
            constant: record.constant,
            comparison: record.is.into(),
        }
    }
}
