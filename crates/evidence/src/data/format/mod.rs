//! Proofs as JSON: certificates that can be checked later, by others, on other machines.
//!
//! ```json
//! {
//!   "format": "rely-proof",
//!   "version": 2,
//!   "program": { "name": "lock-id.rely", "fingerprint": "c5f0b1e6a2d94873" },
//!   "about": "source",
//!   "property": "assert",
//!   "proof": {
//!     "rely_guarantee": {
//!       "threads": [
//!         { "thread": "T1", "at": [ { "spot": { "location": "T1 critical1" }, "cubes": [
//!           { "atoms": [ { "terms": [ [1, { "cell": { "var": "lock", "index": 0, "after": false } }] ],
//!                          "constant": -1, "is": "eq" } ],
//!             "others": [ { "thread": "T2", "spots": [ "unstarted" ] } ] } ] } ] }
//!       ],
//!       "effects": [ { "edge": "T1 entry -> T1 critical1", "cubes": [] } ]
//!     }
//!   }
//! }
//! ```
//!
//! Threads, locations, edges and variables have the names that the source gives them (`names`). The proof is about the
//! program as it was read, or, if nobody could lead it back there, about what passes have made of it (`"about":
//! "simplified"`); the fingerprint is that of this program. Other kinds of proofs stand in the place
//! of `rely_guarantee`: `exhausted`, `ranking`, `helping`. Reading a certificate only makes sure
//! that it has this shape. Whether it proves anything the [check](crate::check) says.

mod counting;
mod helping;
mod names;
mod ranking;
mod reduced;
mod trace;

pub use trace::{TraceFormatError, fingerprint, trace_from_json, trace_to_json};

use super::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Exhausted, Moment, Proof, Quantity, Reduction,
    RelyGuarantee, ThreadAssertions,
};
use counting::CountingRecord;
use helping::HelpingRecord;
use names::Names;
use ranking::RankingRecord;
use reduced::ReducedRecord;
use rely_base::{Id, SourceMap};
use rely_program::{EdgeId, Goal, LocationId, Program, ThreadId, Value, VarId};
use serde::{Deserialize, Serialize};
use trace::ProgramReference;

const FORMAT: &str = "rely-proof";
const VERSION: u32 = 2;

/// Why a text is no certificate for a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofFormatError {
    /// It is not JSON of the right shape.
    #[error("this is not a certificate: {0}")]
    Syntax(#[from] serde_json::Error),
    /// It is something else.
    #[error("this is not a certificate but a file of the format `{0}`")]
    Format(String),
    /// It was written by another version.
    #[error(
        "the version of the certificate is {0}, not {VERSION}: write it again with `rely check --certificate`"
    )]
    Version(u32),
    /// It speaks of something that the program does not have.
    #[error("the program has no {kind} {name}")]
    UnknownName {
        /// What it would be.
        kind: &'static str,
        /// What it is called.
        name: String,
    },
    /// Its blocks make no program.
    #[error("the blocks of the certificate make no program: {0}")]
    Reduction(String),
    /// There is no such goal.
    #[error("there is no property `{0}`")]
    Goal(String),
    /// It belongs to another program.
    #[error("the certificate belongs to another program, `{0}`, or to another version of it")]
    OtherProgram(String),
}

/// A proof that was written down, and what it says it proves.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// What is proved.
    pub goal: Goal,
    /// Of which program.
    pub about: About,
    program: String,
    fingerprint: String,
    proof: serde_json::Value,
}

/// Of which program a certificate speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The one that was read, as the front end made it.
    Source,
    /// What passes have made of it; whoever believes the certificate trusts them.
    Simplified,
}

impl Certificate {
    /// Reads a certificate.
    pub fn from_json(json: &str) -> Result<Self, ProofFormatError> {
        let header: Header = serde_json::from_str(json)?;
        if header.format != FORMAT {
            return Err(ProofFormatError::Format(header.format));
        }
        if header.version != VERSION {
            return Err(ProofFormatError::Version(header.version));
        }
        let file: ProofFile = serde_json::from_str(json)?;
        let goal = Goal::ALL.into_iter().find(|goal| goal.name() == file.property);
        let goal = goal.ok_or(ProofFormatError::Goal(file.property))?;
        let ProgramReference { name, fingerprint } = file.program;
        let _: ProofRecord = serde_json::from_value(names::with_numbers(&file.proof))?;
        Ok(Self { goal, about: file.about, program: name, fingerprint, proof: file.proof })
    }

    /// Whether the proof is about this program.
    pub fn is_about(&self, program: &Program) -> bool {
        self.fingerprint == format!("{:016x}", fingerprint(program))
    }

    /// The proof, if it is about this program.
    pub fn proof_of(mut self, program: &Program, sources: &SourceMap) -> Result<Proof, ProofFormatError> {
        if !self.is_about(program) {
            return Err(ProofFormatError::OtherProgram(self.program));
        }
        Names::new(program, sources).read(&mut self.proof)?;
        let record: ProofRecord = serde_json::from_value(self.proof)?;
        Ok(record.into())
    }
}

/// A proof about a program as JSON. The states that a proof by exhaustion may list are left out:
/// they are found again.
pub fn proof_to_json(
    program: &Program,
    sources: &SourceMap,
    about: About,
    goal: Goal,
    proof: &Proof,
) -> String {
    let record = serde_json::to_value(ProofRecord::from(proof));
    let mut record = record.expect("numbers and strings are always JSON");
    Names::new(program, sources).write(&mut record);
    let file = ProofFile {
        format: FORMAT.to_owned(),
        version: VERSION,
        program: ProgramReference::new(program),
        about,
        property: goal.name().to_owned(),
        proof: record,
    };
    serde_json::to_string(&file).expect("numbers and strings are always JSON")
}

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofFile {
    format: String,
    version: u32,
    program: ProgramReference,
    about: About,
    property: String,
    proof: serde_json::Value,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ProofRecord {
    Exhausted { states: u64, transitions: u64, reduced: bool },
    RelyGuarantee(RelyGuaranteeRecord),
    Ranking(RankingRecord),
    Helping(HelpingRecord),
    Counting(CountingRecord),
    Reduced(ReducedRecord),
}

impl From<&Proof> for ProofRecord {
    fn from(proof: &Proof) -> Self {
        match proof {
            Proof::RelyGuarantee(proof) => ProofRecord::RelyGuarantee(proof.into()),
            Proof::Exhausted(Exhausted { states, transitions, reduction, .. }) => ProofRecord::Exhausted {
                states: *states,
                transitions: *transitions,
                reduced: *reduction == Reduction::PartialOrder,
            },
            Proof::Ranking(ranking) => ProofRecord::Ranking(ranking.into()),
            Proof::Helping(helping) => ProofRecord::Helping(helping.into()),
            Proof::Counting(proof) => ProofRecord::Counting(proof.into()),
            Proof::Reduced(proof) => ProofRecord::Reduced(proof.into()),
        }
    }
}

impl From<ProofRecord> for Proof {
    fn from(record: ProofRecord) -> Self {
        match record {
            ProofRecord::RelyGuarantee(record) => Proof::RelyGuarantee(record.into()),
            ProofRecord::Exhausted { states, transitions, reduced } => {
                let reduction = if reduced { Reduction::PartialOrder } else { Reduction::None };
                Proof::Exhausted(Exhausted { states, transitions, reduction, visited: None })
            }
            ProofRecord::Ranking(record) => Proof::Ranking(record.into()),
            ProofRecord::Helping(record) => Proof::Helping(record.into()),
            ProofRecord::Counting(record) => Proof::Counting(record.into()),
            ProofRecord::Reduced(record) => Proof::Reduced(record.into()),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelyGuaranteeRecord {
    threads: Vec<ThreadRecord>,
    effects: Vec<EffectRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThreadRecord {
    thread: u32,
    at: Vec<AssertionRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AssertionRecord {
    spot: ControlPointRecord,
    cubes: Vec<CubeRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EffectRecord {
    edge: u32,
    cubes: Vec<CubeRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ControlPointRecord {
    Unstarted,
    Location(u32),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CubeRecord {
    atoms: Vec<AtomRecord>,
    others: Vec<PlaceRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceRecord {
    thread: u32,
    spots: Vec<ControlPointRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AtomRecord {
    terms: Vec<(Value, QuantityRecord)>,
    constant: Value,
    is: ComparisonRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ComparisonRecord {
    Le,
    Eq,
    Ne,
    /// With the divisor.
    MultipleOf(u64),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum QuantityRecord {
    Handle,
    Cell { var: u32, index: u32, after: bool },
}

pub(crate) fn number(id: impl Id) -> u32 {
    id.index() as u32
}

pub(crate) fn id<I: Id>(number: u32) -> I {
    I::from_index(number as usize)
}

impl From<&RelyGuarantee> for RelyGuaranteeRecord {
    fn from(proof: &RelyGuarantee) -> Self {
        let cubes = |cubes: &[Cube]| cubes.iter().map(CubeRecord::from).collect();
        let assertion = |(spot, at): &(ControlPoint, Vec<Cube>)| AssertionRecord {
            spot: (*spot).into(),
            cubes: cubes(at),
        };
        let thread = |entry: &ThreadAssertions| ThreadRecord {
            thread: number(entry.thread),
            at: entry.at.iter().map(assertion).collect(),
        };
        let effect =
            |effect: &EdgeEffect| EffectRecord { edge: number(effect.edge), cubes: cubes(&effect.cubes) };
        Self {
            threads: proof.threads.iter().map(thread).collect(),
            effects: proof.effects.iter().map(effect).collect(),
        }
    }
}

impl From<RelyGuaranteeRecord> for RelyGuarantee {
    fn from(record: RelyGuaranteeRecord) -> Self {
        let cubes = |cubes: Vec<CubeRecord>| -> Vec<Cube> { cubes.into_iter().map(Cube::from).collect() };
        let assertion = |at: AssertionRecord| (ControlPoint::from(at.spot), cubes(at.cubes));
        let thread = |entry: ThreadRecord| ThreadAssertions {
            thread: id::<ThreadId>(entry.thread),
            at: entry.at.into_iter().map(assertion).collect(),
        };
        let effect =
            |effect: EffectRecord| EdgeEffect { edge: id::<EdgeId>(effect.edge), cubes: cubes(effect.cubes) };
        Self {
            threads: record.threads.into_iter().map(thread).collect(),
            effects: record.effects.into_iter().map(effect).collect(),
        }
    }
}

impl From<ControlPoint> for ControlPointRecord {
    fn from(spot: ControlPoint) -> Self {
        match spot {
            ControlPoint::Unstarted => ControlPointRecord::Unstarted,
            ControlPoint::At(location) => ControlPointRecord::Location(number(location)),
        }
    }
}

impl From<ControlPointRecord> for ControlPoint {
    fn from(record: ControlPointRecord) -> Self {
        match record {
            ControlPointRecord::Unstarted => ControlPoint::Unstarted,
            ControlPointRecord::Location(location) => ControlPoint::At(id::<LocationId>(location)),
        }
    }
}

impl From<&Cube> for CubeRecord {
    fn from(cube: &Cube) -> Self {
        let place = |(thread, spots): &(ThreadId, Vec<ControlPoint>)| PlaceRecord {
            thread: number(*thread),
            spots: spots.iter().map(|&spot| spot.into()).collect(),
        };
        Self {
            atoms: cube.atoms.iter().map(AtomRecord::from).collect(),
            others: cube.others.iter().map(place).collect(),
        }
    }
}

impl From<CubeRecord> for Cube {
    fn from(record: CubeRecord) -> Self {
        let place = |place: PlaceRecord| {
            (id::<ThreadId>(place.thread), place.spots.into_iter().map(ControlPoint::from).collect())
        };
        Self {
            atoms: record.atoms.into_iter().map(Atom::from).collect(),
            others: record.others.into_iter().map(place).collect(),
        }
    }
}

impl From<Quantity> for QuantityRecord {
    fn from(quantity: Quantity) -> Self {
        match quantity {
            Quantity::Handle => QuantityRecord::Handle,
            Quantity::Cell { var, index, moment } => {
                QuantityRecord::Cell { var: number(var), index, after: moment == Moment::After }
            }
        }
    }
}

impl From<QuantityRecord> for Quantity {
    fn from(record: QuantityRecord) -> Self {
        match record {
            QuantityRecord::Handle => Quantity::Handle,
            QuantityRecord::Cell { var, index, after } => {
                let moment = if after { Moment::After } else { Moment::Before };
                Quantity::Cell { var: id::<VarId>(var), index, moment }
            }
        }
    }
}

impl From<&Atom> for AtomRecord {
    fn from(atom: &Atom) -> Self {
        Self {
            terms: atom.terms.iter().map(|&(factor, part)| (factor, part.into())).collect(),
            constant: atom.constant,
            is: atom.comparison.into(),
        }
    }
}

impl From<AtomRecord> for Atom {
    fn from(record: AtomRecord) -> Self {
        Self {
            terms: record.terms.into_iter().map(|(factor, part)| (factor, part.into())).collect(),
            constant: record.constant,
            comparison: record.is.into(),
        }
    }
}

impl From<Comparison> for ComparisonRecord {
    fn from(comparison: Comparison) -> Self {
        match comparison {
            Comparison::Le => ComparisonRecord::Le,
            Comparison::Eq => ComparisonRecord::Eq,
            Comparison::Ne => ComparisonRecord::Ne,
            Comparison::MultipleOf(divisor) => ComparisonRecord::MultipleOf(divisor),
        }
    }
}

impl From<ComparisonRecord> for Comparison {
    fn from(record: ComparisonRecord) -> Self {
        match record {
            ComparisonRecord::Le => Comparison::Le,
            ComparisonRecord::Eq => Comparison::Eq,
            ComparisonRecord::Ne => Comparison::Ne,
            ComparisonRecord::MultipleOf(divisor) => Comparison::MultipleOf(divisor),
        }
    }
}
