//! Why there is no cover.

use rely_base::StopReason;

/// Why there is no cover.
#[derive(Debug)]
pub(super) enum Failure {
    /// Something goes wrong if there are enough threads.
    Violation,
    TooLarge,
    TooManyChoices,
    NoMeaning,
    Stopped(StopReason),
}
