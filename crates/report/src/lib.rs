//! Verdicts, traces and errors as text and HTML for people and in the formats of other tools.
//!
//! Everything here is a pure function from data to a string: nothing reads a file, asks the
//! terminal or prints. The `rely` command does that.

mod advice;
mod blocks;
mod cubes;
mod diagnostic;
mod essential;
mod explain;
mod finding;
mod fingerprint;
mod html;
mod interleaving;
mod json;
mod junit;
mod layout;
mod locks;
mod matcher;
mod outline;
mod passes;
mod phrase;
mod proof;
mod race;
mod race_pairs;
mod ranks;
mod recall;
mod reduction;
mod reproducer;
mod sarif;
mod stored;
mod style;
mod summary;
mod table;
mod teller;
mod text;
mod uri;
mod values;
mod witness;
mod xml;

#[cfg(test)]
mod tests;

pub use advice::what_to_bound;
pub use blocks::{StepBlocks, render_blocks};
pub use diagnostic::render_diagnostic;
pub use explain::{Explained, Fact, Sentence, explain, render_explanation};
pub use finding::{
    Accepted, Conclusion, FileReport, Finding, Note, Problem, RaceFreedom, ViolationReport, Waiting,
};
pub use fingerprint::fingerprint;
pub use html::{HtmlReport, Subject, escape_html};
pub use interleaving::{InitialValue, Interleaving, Read, SourceRange, Step, StepTaken, Write, thread_name};
pub use json::{JSON_VERSION, render_json};
pub use junit::render_junit;
pub use layout::{counted, group_digits};
pub use matcher::{LINE_PATTERN, render_lines};
pub use passes::render_passes;
pub use proof::{ProofDetail, render_proof};
pub use race::{RaceReport, RacingAccess};
pub use race_pairs::{PairedAccess, RacePair, render_race_pairs};
pub use reproducer::{CSource, NotReproducible, ReproducerFile, reproducer};
pub use sarif::render_sarif;
pub use stored::{from_stored, to_stored};
pub use style::{Role, Style};
pub use summary::{Totals, render_brief, render_summary};
pub use table::{render_detailed_table, render_table};
pub use text::{
    Detail, render_file, render_finding, render_problem, render_report, render_run, violation_text,
};
pub use witness::{
    Annotations, Claimed, ClaimedGhost, ClaimedInvariant, ClaimedPlace, ClaimedUpdate, ClaimedWaypoint,
    Disjunct, GhostChange, GhostFact, GhostId, GhostUpdate, GhostVariable, Ghosts, Instrumented, Invariant,
    ProofContext, Witness, WitnessFormat, WitnessTask, instrument, invariants, read_witness, render_witness,
};
