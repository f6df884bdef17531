//! What a rely-guarantee proof owes, and how to say that it does not deliver.

use super::ControlPoint;
use rely_base::Id;
use rely_program::{EdgeId, Program, ThreadId};
use std::fmt;

/// A rule of the proof system; each obligation comes from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The assertions hold initially.
    Initially,
    /// After its own step, a thread's assertion about its new location holds.
    OwnStep,
    /// The step of another thread does not invalidate an assertion.
    Interference,
    /// The effect that is claimed of an edge is the one that it has.
    Guarantee,
    /// A thread that is started satisfies the assertion about its entry.
    Start,
    /// No check fails.
    Check,
    /// Every expression has a value, every joined handle is that of a thread, and no instance
    /// starts twice.
    Meaning,
    /// A thread that has not ended can move, or some instance can.
    Progress,
    /// A step makes the rank of the state smaller.
    Descent,
    /// What must hold always.
    Always,
    /// What must hold when all threads have ended.
    AtEnd,
    /// A counting invariant holds initially.
    InvariantInitially,
    /// A step preserves a counting invariant.
    InvariantStep,
    /// When no thread can move, all have ended.
    Stuck,
    /// A step could as well come after the next step of another thread.
    RightMover,
    /// A step could as well come before the last step of another thread.
    LeftMover,
    /// A thread that has done what matters of a block can always get out of it.
    Completion,
}

impl Rule {
    /// The name in messages and files.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Initially => "initially",
            Rule::OwnStep => "own-step",
            Rule::Interference => "interference",
            Rule::Guarantee => "guarantee",
            Rule::Start => "start",
            Rule::Check => "check",
            Rule::Meaning => "meaning",
            Rule::Progress => "progress",
            Rule::Descent => "descent",
            Rule::Always => "always",
            Rule::AtEnd => "at-end",
            Rule::InvariantInitially => "invariant-initially",
            Rule::InvariantStep => "invariant-step",
            Rule::Stuck => "stuck",
            Rule::RightMover => "right-mover",
            Rule::LeftMover => "left-mover",
            Rule::Completion => "completion",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an obligation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The rule.
    pub rule: Rule,
    /// The thread whose assertion, step or property is at stake.
    pub thread: Option<ThreadId>,
    /// Where that thread is.
    pub point: Option<ControlPoint>,
    /// The edge that is taken.
    pub edge: Option<EdgeId>,
    /// The edge of another thread with which that one changes places.
    pub past: Option<EdgeId>,
    /// The property that must hold, counted from zero.
    pub property: Option<u32>,
    /// The counting invariant that must hold, counted from zero.
    pub invariant: Option<u32>,
}

impl Subject {
    pub(crate) fn new(rule: Rule) -> Self {
        Self { rule, thread: None, point: None, edge: None, past: None, property: None, invariant: None }
    }

    pub(crate) fn at(self, thread: ThreadId, point: ControlPoint) -> Self {
        Self { thread: Some(thread), point: Some(point), ..self }
    }

    pub(crate) fn along(self, edge: EdgeId) -> Self {
        Self { edge: Some(edge), ..self }
    }

    pub(crate) fn past(self, edge: EdgeId) -> Self {
        Self { past: Some(edge), ..self }
    }

    pub(crate) fn of_property(self, property: usize) -> Self {
        Self { property: Some(property as u32), ..self }
    }

    pub(crate) fn of_invariant(self, invariant: usize) -> Self {
        Self { invariant: Some(invariant as u32), ..self }
    }

    /// In words: "the assertion of `A` at location 3, edge 5 of `B`".
    pub fn describe(&self, program: &Program) -> String {
        let mut parts = Vec::new();
        if let Some(thread) = self.thread {
            let place =
                self.point.map_or(String::new(), |point| format!(" {}", describe_point(program, point)));
            parts.push(format!("thread `{}`{place}", program.threads()[thread].name));
        }
        let describe_edge = |edge: EdgeId| {
            let actor = program.locations()[program.edges()[edge].source].thread;
            format!("edge {} of `{}`", edge.index(), program.threads()[actor].name)
        };
        parts.extend(self.edge.map(describe_edge));
        parts.extend(self.past.map(|edge| format!("past {}", describe_edge(edge))));
        if let Some(property) = self.property {
            parts.push(format!("property {property}"));
        }
        if let Some(invariant) = self.invariant {
            parts.push(format!("invariant {invariant}"));
        }
        match self.rule {
            Rule::Stuck => "a state in which no thread can move".to_owned(),
            _ if parts.is_empty() => "the precondition".to_owned(),
            _ => parts.join(", "),
        }
    }
}

fn describe_point(program: &Program, point: ControlPoint) -> String {
    match point {
        ControlPoint::Unstarted => "before its start".to_owned(),
        ControlPoint::At(location) => match &program.locations()[location].label {
            Some(label) => format!("at `{label}`"),
            None => format!("at location {}", location.index()),
        },
    }
}

/// Why a rely-guarantee proof is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RelyGuaranteeDefect {
    /// The proof mentions something that does not exist or may not stand where it does.
    #[error("the proof is malformed: {0}")]
    Malformed(String),
    /// An obligation is not valid.
    #[error("rule `{}` is violated ({place}){}", subject.rule, example(counterexample))]
    Invalid {
        /// What the obligation is about.
        subject: Subject,
        /// The same in words.
        place: String,
        /// Values for which it does not hold.
        counterexample: String,
    },
    /// An obligation was not decided.
    #[error("rule `{}` was not decided ({place}): {obstacle}", subject.rule)]
    Undecided {
        /// What the obligation is about.
        subject: Subject,
        /// The same in words.
        place: String,
        /// Why there is no answer.
        obstacle: String,
    },
}

impl RelyGuaranteeDefect {
    /// The rule whose obligation is open.
    pub fn rule(&self) -> Option<Rule> {
        match self {
            RelyGuaranteeDefect::Malformed(_) => None,
            RelyGuaranteeDefect::Invalid { subject, .. } | RelyGuaranteeDefect::Undecided { subject, .. } => {
                Some(subject.rule)
            }
        }
    }
}

fn example(counterexample: &str) -> String {
    if counterexample.is_empty() { String::new() } else { format!(", for example with {counterexample}") }
}
