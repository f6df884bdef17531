//! How a proof was checked, and how to say so.

use crate::rely_guarantee::Accepted;
use rely_base::plural;

/// How a proof was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confirmation {
    /// The checker has explored all states of the program as the front end made it, before any
    /// pass: neither the engine nor the passes have to be trusted.
    ExploredSource {
        /// How many there are.
        states: u64,
    },
    /// The checker has explored all states itself, without any reduction.
    Explored {
        /// How many there are.
        states: u64,
        /// How many complete steps there are.
        transitions: u64,
    },
    /// The checker has made sure that no step leads out of the listed states.
    Closed {
        /// How many are listed.
        states: u64,
    },
    /// The checker has made sure that the steps that lead out of the listed states are those
    /// whose order with others does not matter.
    ClosedUpToOrder {
        /// How many are listed.
        states: u64,
    },
    /// The checker has made all obligations of a rely-guarantee proof or a ranking from the program
    /// that the engine saw and has found them valid. The passes that made this program are trusted.
    Discharged {
        /// How many obligations there are.
        obligations: u64,
        /// How many questions a solver had to answer, each with a refutation that was checked.
        questions: u64,
    },
    /// The checker has found the obligations of a reduction valid, and has confirmed the proof about
    /// the reduced program.
    Reduced {
        /// How many obligations of the reduction there are, and of the proof if it has any.
        obligations: u64,
        /// How many states of the reduced program were looked at, if that was the proof.
        states: Option<u64>,
    },
}

impl Confirmation {
    /// What is confirmed besides, of the program before simplification.
    pub(crate) fn too(self) -> String {
        match self {
            Confirmation::ExploredSource { states } | Confirmation::Explored { states, .. } => {
                let states = plural(states, "states");
                format!("the program before simplification was explored, too, {states}")
            }
            Confirmation::Closed { states } | Confirmation::ClosedUpToOrder { states } => {
                let states = plural(states, "states");
                format!("the program before simplification has a proof, too, a list of {states}")
            }
            Confirmation::Discharged { obligations, .. }
            | Confirmation::Reduced { obligations, states: None } => {
                let (obligations, hold) = (plural(obligations, "obligations"), hold(obligations));
                format!("{obligations} {hold} of the program before simplification, too")
            }
            Confirmation::Reduced { obligations, states: Some(states) } => {
                let (obligations, hold) = (plural(obligations, "obligations"), hold(obligations));
                let states = plural(states, "states");
                format!(
                    "{obligations} {hold} of the program before simplification, too, and reduced it has {states}"
                )
            }
        }
    }

    /// What is confirmed if this was about the reduced program.
    pub(crate) fn after_reduction(self, accepted: Accepted) -> Self {
        let more = accepted.obligations;
        match self {
            Confirmation::Discharged { obligations, .. } => {
                Confirmation::Reduced { obligations: more + obligations, states: None }
            }
            Confirmation::Reduced { obligations, states } => {
                Confirmation::Reduced { obligations: more + obligations, states }
            }
            Confirmation::ExploredSource { states }
            | Confirmation::Explored { states, .. }
            | Confirmation::Closed { states }
            | Confirmation::ClosedUpToOrder { states } => {
                Confirmation::Reduced { obligations: more, states: Some(states) }
            }
        }
    }
}

impl From<Accepted> for Confirmation {
    fn from(accepted: Accepted) -> Self {
        let Accepted { obligations, questions } = accepted;
        Confirmation::Discharged { obligations, questions }
    }
}

impl std::fmt::Display for Confirmation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Confirmation::ExploredSource { states } => {
                let states = plural(states, "states");
                write!(f, "confirmed by exploring the program before simplification, {states}")
            }
            Confirmation::Explored { states, .. } => {
                let states = plural(states, "states");
                write!(f, "confirmed by exhaustive exploration without reduction, {states}")
            }
            Confirmation::Closed { states } => {
                let states = plural(states, "states");
                write!(f, "confirmed: the list of {states} is closed under all steps")
            }
            Confirmation::ClosedUpToOrder { states } => {
                write!(
                    f,
                    "confirmed: the list of {} is closed up to the order of independent steps",
                    plural(states, "states")
                )
            }
            Confirmation::Discharged { obligations, .. }
            | Confirmation::Reduced { obligations, states: None } => {
                let (obligations, hold) = (plural(obligations, "obligations"), hold(*obligations));
                write!(f, "confirmed: {obligations} {hold} of the simplified program")
            }
            Confirmation::Reduced { obligations, states: Some(states) } => {
                write!(
                    f,
                    "confirmed: {} {} of the simplified program, and the reduced one has {}",
                    plural(obligations, "obligations"),
                    hold(*obligations),
                    plural(states, "states")
                )
            }
        }
    }
}

/// The verb of so many obligations.
fn hold(obligations: u64) -> &'static str {
    if obligations == 1 { "holds" } else { "hold" }
}
