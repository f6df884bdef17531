//! Traces as JSON, for other tools and for later.
//!
//! ```json
//! {
//!   "format": "rely-trace",
//!   "version": 1,
//!   "program": { "name": "peterson.rely", "fingerprint": "c5f0b1e6a2d94873" },
//!   "property": "assert",
//!   "initial": [0, 17],
//!   "steps": [ { "thread": 0, "edge": 3, "choices": [] } ],
//!   "violation": { "check": 2 }
//! }
//! ```
//!
//! Threads, edges, checks and properties are numbers in the program, which therefore must be
//! the one whose fingerprint is given. Reading a trace only makes sure that it has this shape;
//! whether it is a run of the program its [replay](crate::replay) says.

use rely_base::Id;
use rely_program::race::Racer;
use rely_program::{CheckId, EdgeId, Goal, Program, SlotId, Trace, TraceStep, Value, Violation};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

const FORMAT: &str = "rely-trace";
const VERSION: u32 = 1;

/// Why a text is no trace of a program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceFormatError {
    /// It is not JSON of the right shape.
    #[error("this is not a trace: {0}")]
    Syntax(#[from] serde_json::Error),
    /// It is something else.
    #[error("this is not a trace but a file of the format `{0}`")]
    Format(String),
    /// It was written by another version.
    #[error("unsupported trace version {0}")]
    Version(u32),
    /// There is no such goal.
    #[error("there is no property `{0}`")]
    Goal(String),
    /// It belongs to another program.
    #[error("the trace belongs to another program, `{0}`, or to another version of it")]
    OtherProgram(String),
}

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceFile {
    format: String,
    version: u32,
    program: ProgramReference,
    property: String,
    initial: Vec<Value>,
    steps: Vec<StepRecord>,
    violation: ViolationRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgramReference {
    pub(crate) name: String,
    pub(crate) fingerprint: String,
}

impl ProgramReference {
    pub(crate) fn new(program: &Program) -> Self {
        let fingerprint = format!("{:016x}", fingerprint(program));
        Self { name: program.name().to_owned(), fingerprint }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepRecord {
    thread: u32,
    edge: u32,
    choices: Vec<Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ViolationRecord {
    Check(u32),
    Property(u32),
    Deadlock,
    Race([RacerRecord; 2]),
    Lasso(u32),
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RacerRecord {
    thread: u32,
    edge: u32,
}

/// A trace as JSON.
pub fn trace_to_json(program: &Program, goal: Goal, trace: &Trace) -> String {
    let step = |step: &TraceStep| StepRecord {
        thread: step.slot.index() as u32,
        edge: step.edge.index() as u32,
        choices: step.choices.clone(),
    };
    let file = TraceFile {
        format: FORMAT.to_owned(),
        version: VERSION,
        program: ProgramReference::new(program),
        property: goal.name().to_owned(),
        initial: trace.initial.clone(),
        steps: trace.steps.iter().map(step).collect(),
        violation: match trace.violation {
            Violation::Check(check) => ViolationRecord::Check(check.index() as u32),
            Violation::Property(index) => ViolationRecord::Property(index as u32),
            Violation::Deadlock => ViolationRecord::Deadlock,
            Violation::Race(racers) => ViolationRecord::Race(racers.map(|racer| RacerRecord {
                thread: racer.slot.index() as u32,
                edge: racer.edge.index() as u32,
            })),
            Violation::Lasso(repeated) => ViolationRecord::Lasso(repeated as u32),
        },
    };
    serde_json::to_string(&file).expect("numbers and strings are always JSON")
}

/// Reads a trace of a program, and the goal that it violates.
pub fn trace_from_json(program: &Program, json: &str) -> Result<(Goal, Trace), TraceFormatError> {
    let header: Header = serde_json::from_str(json)?;
    if header.format != FORMAT {
        return Err(TraceFormatError::Format(header.format));
    }
    if header.version != VERSION {
        return Err(TraceFormatError::Version(header.version));
    }
    let file: TraceFile = serde_json::from_str(json)?;
    if file.program.fingerprint != format!("{:016x}", fingerprint(program)) {
        return Err(TraceFormatError::OtherProgram(file.program.name));
    }
    let goal = Goal::ALL.into_iter().find(|goal| goal.name() == file.property);
    let goal = goal.ok_or(TraceFormatError::Goal(file.property))?;
    let step = |step: StepRecord| TraceStep {
        slot: SlotId::from_index(step.thread as usize),
        edge: EdgeId::from_index(step.edge as usize),
        choices: step.choices,
    };
    let violation = match file.violation {
        ViolationRecord::Check(index) => Violation::Check(CheckId::from_index(index as usize)),
        ViolationRecord::Property(index) => Violation::Property(index as usize),
        ViolationRecord::Deadlock => Violation::Deadlock,
        ViolationRecord::Lasso(repeated) => Violation::Lasso(repeated as usize),
        ViolationRecord::Race(racers) => Violation::Race(racers.map(|racer| Racer {
            slot: SlotId::from_index(racer.thread as usize),
            edge: EdgeId::from_index(racer.edge as usize),
        })),
    };
    Ok((goal, Trace { initial: file.initial, steps: file.steps.into_iter().map(step).collect(), violation }))
}

/// A number that tells programs apart: what they do and what they claim, not their names and
/// their places in the source. Equal numbers are no promise; the replay decides.
pub fn fingerprint(program: &Program) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    write_program(program, &mut hash).expect("hashing does not fail");
    hash.0
}

fn write_program(program: &Program, out: &mut Fnv) -> fmt::Result {
    for var in program.vars().values() {
        write!(out, "{:?};", (var.sort, var.scope, var.length, &var.initial))?;
        out.write_str(if var.atomic { "atomic;" } else { "" })?;
    }
    for thread in program.threads().values() {
        write!(out, "{:?};", (thread.kind, &thread.parameters, thread.entry, thread.exit))?;
    }
    for location in program.locations().values() {
        write!(out, "{:?};", (location.thread, location.atomic))?;
    }
    for edge in program.edges().values() {
        write!(out, "{:?};", (edge.source, edge.target, &edge.ops))?;
        out.write_str(match edge.atomic {
            Some(true) => "atomic;",
            Some(false) => "plain;",
            None => "",
        })?;
    }
    for check in program.checks().values() {
        write!(out, "{:?};", check.kind)?;
    }
    for property in program.properties() {
        write!(out, "{:?};", property.kind)?;
    }
    write!(out, "{:?}", program.requires())
}

/// The hash of Fowler, Noll and Vo in its 64-bit form "1a".
struct Fnv(u64);

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(())
    }
}
