//! What the method may do.

use rely_base::define_limits;

define_limits! {
    /// The limits of the search for rankings.
    pub struct Limits {
        /// After so many visits of a control point its assertion is widened, so that the analysis ends.
        visits_before_widening = 3,
        /// After so many visits more for each case it is widened without regard to the bounds that guards mention.
        visits_up_to_landmarks = 8,
        /// So many of these bounds at most.
        landmarks = 80,
        /// How often assertions are made stronger again after that.
        narrowings = 2,
        /// So many combinations of values of flags at most are told apart at a control point.
        flag_combinations = 32,
        /// So many values at most of a cell that counts, such as a semaphore, are told apart.
        flag_values = 4,
        /// The same for so many differences of which a step says that they are not zero: whether they are positive
        /// or negative then.
        differences = 3,
        /// With more steps than this in all threads no ranking is looked for: each step is compared with each
        /// control point of every other thread.
        moves = 2_000,
        /// So many cases at most are told apart of why a thread waits at a control point.
        situations = 64,
        /// So many components at most has a ranking.
        components = 24,
        /// So many functions at most take over from each other.
        phases = 3,
        /// The largest coefficients of ranks that are tried at first, because smaller ones can be read.
        coefficient = 4,
        /// So many unknowns at most has a linear program.
        unknowns = 20_000,
    }
}
