//! What a reduction owes, and how to say that it does not deliver.

use crate::data::{ProofDefect, RelyGuaranteeDefect};
use std::fmt;

/// A rule about the shape of blocks; each is checked without a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockRule {
    /// Threads start and end outside of blocks.
    Border,
    /// Blocks do not touch the atomic blocks of the program, nor do movers.
    Atomic,
    /// Movers start no threads, wait for none, and do not halt; right movers do not end their
    /// thread.
    Operations,
    /// What leads to a location before the commit is a right mover.
    BeforeCommit,
    /// What leaves a location after the commit is a left mover.
    AfterCommit,
    /// Behind the commit there is none before the block has ended.
    OneCommit,
    /// There is no cycle behind the commit.
    Ends,
    /// A step that halts the program leads out of its block.
    Halts,
    /// What properties look at changes with the commit only.
    Unseen,
}

impl BlockRule {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            BlockRule::Border => "border",
            BlockRule::Atomic => "atomic",
            BlockRule::Operations => "operations",
            BlockRule::BeforeCommit => "before-commit",
            BlockRule::AfterCommit => "after-commit",
            BlockRule::OneCommit => "one-commit",
            BlockRule::Ends => "ends",
            BlockRule::Halts => "halts",
            BlockRule::Unseen => "unseen",
        }
    }

    /// What it asks for, of the place that is named in front of it.
    fn demand(self) -> &'static str {
        match self {
            BlockRule::Border => "is where a thread starts or ends, so it cannot be inside of a block",
            BlockRule::Atomic => "touches an atomic block of the program",
            BlockRule::Operations => {
                "starts a thread, waits for one, or ends one or all of them, so it is not such a mover"
            }
            BlockRule::BeforeCommit => "leads to a location before the commit and is not a right mover",
            BlockRule::AfterCommit => "leaves a location after the commit and is not a left mover",
            BlockRule::OneCommit => "leads from after the commit to before it",
            BlockRule::Ends => "is part of a cycle after the commit",
            BlockRule::Halts => "halts the program inside of a block",
            BlockRule::Unseen => "changes what a property looks at, and is not a commit",
        }
    }
}

impl fmt::Display for BlockRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a reduction is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReducedDefect {
    /// The proof mentions something that does not exist, or something twice.
    #[error("the reduction is malformed: {0}")]
    Malformed(String),
    /// Forgotten variables are needed: something other than assumptions looks at them, or they are not shared.
    #[error("the reduction forgets `{0}`, which is needed")]
    Needed(String),
    /// A block does not have the right shape.
    #[error("rule `{rule}` is violated: {place} {}", rule.demand())]
    Block {
        /// The rule.
        rule: BlockRule,
        /// Where.
        place: String,
    },
    /// A held assertion is none, a mover is none, or a block may not be left.
    #[error("of the reduction, {0}")]
    Obligation(Box<RelyGuaranteeDefect>),
    /// The proof about the reduced program is wrong.
    #[error("of the reduced program, {0}")]
    Proof(Box<ProofDefect>),
}
