//! What the translation of programs may cost, and what questions about them may. `cargo run --release -p rely --example limits` tells which verdicts
//! and counts depend on which of these.

use rely_base::define_limits;
use rely_logic::interpolate;

define_limits! {
    /// The limits of the translation into guarded commands, and of what is read off them.
    pub struct TranslationLimits {
        /// An edge with more cases than this is refused: disjunctions, conditional values and computed indices
        /// multiply, so without a limit a line of C could fill the memory.
        cases = 256,
        /// With more cells than this no sums are looked for that every step keeps: the elimination that finds
        /// them is cubic.
        conserved_cells = 24,
        /// The same with more different changes of these cells by steps.
        conserved_changes = 64,
        /// So many cells at most are looked at for counts of threads: which of them are needed is found by
        /// leaving out one after the other.
        counted_cells = 16,
        /// So many predicates at most are told apart before a step that a proof cannot write exactly: each
        /// doubles the number of its environment transitions.
        distinguished_predicates = 8,
    }
}

/// What a method may cost that reasons about sets of states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The translation of the program.
    pub translation: TranslationLimits,
    /// Each question about a conjunction.
    pub solver: rely_logic::Limits,
    /// Each interpolation.
    pub interpolation: interpolate::Limits,
}
