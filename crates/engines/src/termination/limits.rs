//! What the method may do.

use rely_base::define_limits;

define_limits! {
    /// The limits of the search for rankings.
    pub struct Limits {
        /// After so many visits of a control point its assertion is widened, so that the analysis ends.
        visits_before_widening = 3,
        /// How often assertions are made stronger again after that.
        narrowings = 2,
        /// So many combinations of values of flags at most are told apart at a control point.
        flag_combinations = 32,
        /// With more steps than this in all threads no ranking is looked for: each step is compared with each
        /// control point of every other thread.
        moves = 2_000,
        /// So many components at most has a ranking.
        components = 24,
        /// So many unknowns at most has a linear program.
        unknowns = 20_000,
    }
}
