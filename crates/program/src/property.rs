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
    /// No deadlock is reachable: before all threads have ended, one can move.
    Deadlock,
    /// Every run ends: none goes on for ever, and none ends in a deadlock. Nothing is
    /// assumed about the scheduler.
    Termination,
    /// No signed arithmetic leaves its type.
    Overflow,
    /// No access leaves its memory or uses memory that was freed, and nothing else than allocated memory is freed.
    Memory,
}

impl Goal {
    /// All goals, in the order in which they are listed for users.
    pub const ALL: [Goal; 6] =
        [Goal::Assert, Goal::Race, Goal::Deadlock, Goal::Termination, Goal::Overflow, Goal::Memory];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Assert => "assert",
            Goal::Race => "race",
            Goal::Deadlock => "deadlock",
            Goal::Termination => "termination",
            Goal::Overflow => "overflow",
            Goal::Memory => "memory",
        }
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
            Goal::Race | Goal::Deadlock | Goal::Termination => false,
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
    /// No deadlock is reachable: before all threads have ended, one can move.
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
