//! Rankings in certificates.
//!
//! ```json
//! { "ranking": {
//!     "components": 2,
//!     "ranks": [
//!       { "thread": 0, "at": [ { "spot": { "location": 2 }, "cases": [
//!         { "when": [],
//!           "rank": [ { "terms": [ [1, { "cell": { "var": 0, "index": 0, "after": false } }] ],
//!                       "constant": 1 },
//!                     { "terms": [], "constant": 3 } ] } ] } ] }
//!     ],
//!     "proof": { "threads": [], "effects": [] } } }
//! ```

use super::{AtomRecord, ControlPointRecord, QuantityRecord, RelyGuaranteeRecord, id, number};
use crate::data::{RankCase, Ranking, Sum, ThreadRanks};
use rely_program::{ThreadId, Value};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RankingRecord {
    components: usize,
    ranks: Vec<ThreadRecord>,
    proof: RelyGuaranteeRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ThreadRecord {
    thread: u32,
    at: Vec<PlaceRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceRecord {
    spot: ControlPointRecord,
    cases: Vec<CaseRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseRecord {
    when: Vec<AtomRecord>,
    rank: Vec<SumRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SumRecord {
    terms: Vec<(Value, QuantityRecord)>,
    constant: Value,
}

/// Ranks as they are written.
pub(super) fn ranks_to(ranks: &[ThreadRanks]) -> Vec<ThreadRecord> {
    let sum = |sum: &Sum| SumRecord {
        terms: sum.terms.iter().map(|&(factor, part)| (factor, part.into())).collect(),
        constant: sum.constant,
    };
    let case = |case: &RankCase| CaseRecord {
        when: case.when.iter().map(AtomRecord::from).collect(),
        rank: case.rank.iter().map(sum).collect(),
    };
    let thread = |entry: &ThreadRanks| {
        let place = |(spot, cases): &(_, Vec<RankCase>)| PlaceRecord {
            spot: ControlPointRecord::from(*spot),
            cases: cases.iter().map(case).collect(),
        };
        ThreadRecord { thread: number(entry.thread), at: entry.at.iter().map(place).collect() }
    };
    ranks.iter().map(thread).collect()
}

/// Ranks as they were written.
pub(super) fn ranks_of(records: Vec<ThreadRecord>) -> Vec<ThreadRanks> {
    let sum = |sum: SumRecord| Sum {
        terms: sum.terms.into_iter().map(|(factor, part)| (factor, part.into())).collect(),
        constant: sum.constant,
    };
    let case = |case: CaseRecord| RankCase {
        when: case.when.into_iter().map(Into::into).collect(),
        rank: case.rank.into_iter().map(sum).collect(),
    };
    let thread = |entry: ThreadRecord| {
        let place = |place: PlaceRecord| (place.spot.into(), place.cases.into_iter().map(case).collect());
        ThreadRanks { thread: id::<ThreadId>(entry.thread), at: entry.at.into_iter().map(place).collect() }
    };
    records.into_iter().map(thread).collect()
}

impl From<&Ranking> for RankingRecord {
    fn from(ranking: &Ranking) -> Self {
        Self {
            components: ranking.components,
            ranks: ranks_to(&ranking.ranks),
            proof: (&ranking.proof).into(),
        }
    }
}

impl From<RankingRecord> for Ranking {
    fn from(record: RankingRecord) -> Self {
        Self { components: record.components, ranks: ranks_of(record.ranks), proof: record.proof.into() }
    }
}
