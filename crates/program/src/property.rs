//! What is to be shown of a program.

use crate::expr::Expr;
use crate::ir::CheckKind;
use rely_base::Span;
use std::fmt;

/// A class of properties that a user asks for, by the names of `--property`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Goal {
    /// Every assertion, error call, invariant and post-condition of the program.
    Assert,
    /// No two threads access the same memory at once, one of them writing.
    Race,
    /// No thread waits for ever: wherever one waits, there is a continuation in which it goes on, or the
    /// program ends.
    Deadlock,
    /// Every run ends: none goes on for ever, and none ends in a deadlock. Nothing is
    /// assumed about the scheduler.
    Termination,
    /// The same of fair runs alone: in which no thread that could always go on is left out for ever
    /// (weak fairness).
    FairTermination,
    /// No signed arithmetic leaves its type.
    Overflow,
    /// No access leaves its memory or uses memory that was freed, and nothing else than allocated memory is freed.
    Memory,
}

impl Goal {
    /// All goals, in the order in which they are listed for users.
    pub const ALL: [Goal; 7] = [
        Goal::Assert,
        Goal::Race,
        Goal::Deadlock,
        Goal::Termination,
        Goal::FairTermination,
        Goal::Overflow,
        Goal::Memory,
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Assert => "assert",
            Goal::Race => "race",
            Goal::Deadlock => "deadlock",
            Goal::Termination => "termination",
            Goal::FairTermination => "fair-termination",
            Goal::Overflow => "overflow",
            Goal::Memory => "memory",
        }
    }

    /// Whether the question is if runs end, of all of them or of the fair ones.
    pub fn is_termination(self) -> bool {
        matches!(self, Goal::Termination | Goal::FairTermination)
    }

    /// Whether the question is who goes on or ends. Then a failed assertion ends no run, nor does an overflow.
    pub fn is_about_going_on(self) -> bool {
        self == Goal::Deadlock || self.is_termination()
    }

    /// Whether a failed check of this kind violates the goal. Under other goals such a
    /// run is assumed not to happen.
    pub fn includes(self, kind: CheckKind) -> bool {
        match self {
            Goal::Assert => {
                matches!(kind, CheckKind::Assertion | CheckKind::Bounds | CheckKind::Arithmetic)
            }
            Goal::Overflow => kind == CheckKind::Overflow,
            Goal::Memory => matches!(kind, CheckKind::Bounds | CheckKind::Lifetime),
            Goal::Race | Goal::Deadlock | Goal::Termination | Goal::FairTermination => false,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A property that the source states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// What must hold.
    pub kind: PropertyKind,
    /// Where the source says so.
    pub span: Option<Span>,
}

/// What a [`Property`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// In every state in which no thread is inside an atomic block.
    Always(Expr),
    /// In every state in which all threads that ever started have ended, all of the
    /// initially running ones among them.
    AtEnd(Expr),
    /// No thread waits for ever: wherever one waits, there is a continuation in which it goes on, or the
    /// program ends.
    DeadlockFree,
    /// Every run ends: none goes on for ever, and none ends in a deadlock. Nothing is
    /// assumed about the scheduler.
    Terminates,
}

impl PropertyKind {
    /// The class to which the property belongs.
    pub fn goal(&self) -> Goal {
        match self {
            PropertyKind::Always(_) | PropertyKind::AtEnd(_) => Goal::Assert,
            PropertyKind::DeadlockFree => Goal::Deadlock,
            PropertyKind::Terminates => Goal::Termination,
        }
    }
}
