//! Whether an answer is right, from the system and the answer alone.
//!
//! Nothing of the search is used here: a model is put into the clauses as they were written, and each
//! must be valid, by a solver that was just made and whose refutation is checked; a derivation is evaluated
//! step by step.

mod derivation;
mod model;

pub use derivation::{WrongStep, check_derivation};
pub use model::{WrongModel, check_model};
