//! Why the verdict is what it is, in plain sentences.
//!
//! Everything said is computed from the checked evidence: from the replayed run, from the
//! accepted proof, or from what the engine reported before it gave up. A sentence about a run
//! comes with the [`Fact`]s that it states, each of which can be looked up in the
//! [`Interleaving`](crate::Interleaving); nothing is guessed from names.

mod ahead;
mod cause;
mod deadlock;
mod lasso;
mod outdated;
mod proof;
mod race;
mod record;
mod seen;
mod slice;
mod unknown;
mod wait;

use crate::layout::wrap;
use crate::style::{Role, Style};
use rely_base::SourceMap;
use rely_evidence::Verdict;
use rely_passes::BackMap;
use rely_program::{Goal, Program, Violation};
use serde::{Deserialize, Serialize};

/// One sentence of an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// What it says.
    pub text: String,
    /// What it states about the run, in the order in which it happened.
    pub facts: Vec<Fact>,
}

/// Something that can be looked up in an interleaving. Steps are positions in its list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "lowercase")]
pub enum Fact {
    /// The step found this value in a shared variable.
    Read {
        /// Which step.
        step: usize,
        /// The variable, or the cell of an array.
        variable: String,
        /// What it found.
        value: String,
    },
    /// The step gave a shared variable this value.
    Write {
        /// Which step.
        step: usize,
        /// The variable, or the cell of an array.
        variable: String,
        /// What it wrote.
        value: String,
    },
    /// The step went on because of a condition.
    Test {
        /// Which step.
        step: usize,
    },
    /// The variable has the value with which it started: no step has written it before this one.
    Untouched {
        /// The position behind the last step that was looked at.
        step: usize,
        /// The variable, or the cell of an array.
        variable: String,
        /// Its value.
        value: String,
    },
    /// In the end a thread has yet to come to a line that writes a shared variable.
    Ahead {
        /// The thread.
        thread: String,
        /// The variable, or the cell of an array.
        variable: String,
        /// The line.
        line: u32,
    },
    /// A thread stands at a line and takes no part in the steps that are repeated for ever.
    Stands {
        /// The thread.
        thread: String,
        /// The line.
        line: u32,
    },
    /// A thread cannot go on in the end.
    Waits {
        /// The thread.
        thread: String,
        /// What it waits for, if that is one thing: a variable, or the end of a thread.
        #[serde(skip_serializing_if = "Option::is_none")]
        what: Option<String>,
        /// The thread without which it does not go on, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        whom: Option<String>,
    },
}

impl Fact {
    /// The step that does what is stated, if one does.
    pub(crate) fn step(&self) -> Option<usize> {
        match self {
            Self::Read { step, .. } | Self::Write { step, .. } | Self::Test { step } => Some(*step),
            Self::Untouched { .. } | Self::Ahead { .. } | Self::Stands { .. } | Self::Waits { .. } => None,
        }
    }
}

/// What an explanation is made of.
#[derive(Clone, Copy, Debug)]
pub struct Explained<'e> {
    /// What was decided, and how it is known.
    pub verdict: &'e Verdict,
    /// The property.
    pub goal: Goal,
    /// The program as the front end made it.
    pub program: &'e Program,
    /// The program that the engine saw, of which a proof speaks.
    pub prepared: &'e Program,
    /// From the latter to the former.
    pub back: &'e BackMap,
    /// The texts into which the programs' spans point.
    pub sources: &'e SourceMap,
    /// Who tried to decide it.
    pub engine: &'e str,
    /// How far it came.
    pub statistics: &'e [(String, u64)],
}

/// Says why the verdict is what it is.
pub fn explain(explained: &Explained<'_>) -> Vec<Sentence> {
    match explained.verdict {
        Verdict::Safe(proved) => proof::sentences(proved, explained),
        Verdict::Unsafe(shown) => {
            let record = record::Record::new(explained.program, explained.sources, shown.replay());
            match shown.replay().violation() {
                Violation::Deadlock => deadlock::sentences(&record),
                Violation::Race(racers) => race::sentences(&record, racers),
                Violation::Lasso(count) => lasso::sentences(&record, count),
                violation => cause::sentences(&record, violation),
            }
        }
        Verdict::Unknown(reason) => unknown::sentences(reason, explained),
    }
}

/// The sentences as a paragraph each, below the word "why".
pub fn render_explanation(sentences: &[Sentence], style: Style) -> String {
    const NAME_WIDTH: usize = 13;
    let mut text = String::new();
    for (number, sentence) in sentences.iter().enumerate() {
        for (line, part) in
            wrap(&sentence.text, style.width.saturating_sub(NAME_WIDTH + 2)).iter().enumerate()
        {
            let name = if number == 0 && line == 0 { "why" } else { "" };
            text += &format!("  {}{part}\n", style.paint(Role::Quiet, &format!("{name:NAME_WIDTH$}")));
        }
    }
    text
}

/// A sentence without facts about a run.
fn plain(text: impl Into<String>) -> Sentence {
    Sentence { text: text.into(), facts: Vec::new() }
}
