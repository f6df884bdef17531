//! What comes between a proof and its acceptance.

use super::ProofDefect;
use rely_base::StopReason;
use rely_program::SearchError;

/// Why a proof was not accepted.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// It is wrong.
    Defect(ProofDefect),
    /// There was no time or memory to find out.
    Stopped(StopReason),
}

impl From<ProofDefect> for Obstacle {
    fn from(defect: ProofDefect) -> Self {
        Obstacle::Defect(defect)
    }
}

impl From<SearchError> for Obstacle {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Step(error) => Obstacle::Defect(ProofDefect::NoMeaning(error)),
            SearchError::Stopped(reason) => Obstacle::Stopped(reason),
        }
    }
}

impl From<StopReason> for Obstacle {
    fn from(reason: StopReason) -> Self {
        Obstacle::Stopped(reason)
    }
}
