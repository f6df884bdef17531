//! Why the repair of proofs ends early.

use rely_base::StopReason;

/// Why no stable proof was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// The budget is used up.
    Stopped(StopReason),
    /// More work than this attempt may do.
    TooMuchWork,
    /// The assertions allow something that must not happen, and they will not shrink.
    Offended,
}

impl From<StopReason> for Interrupted {
    fn from(reason: StopReason) -> Self {
        Interrupted::Stopped(reason)
    }
}
