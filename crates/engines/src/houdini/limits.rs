//! What the method may do. There are far more clauses than could be tried, so each value keeps a run within
//! about a minute on the protocols of the tables.

use rely_base::define_limits;

define_limits! {
    /// The limits of the inference of clauses.
    pub struct Limits {
        /// How many steps random walks make to see states.
        walk_steps = 200_000,
        /// How many different states are kept of each control point.
        samples_per_point = 4_096,
        /// How many clauses are tried for one thread.
        shapes = 20_000,
        /// How many clauses are tried at the same time.
        candidates = 200_000,
        /// Assertions with more cubes than this are not written.
        cubes = 2_000,
        /// The widest clauses that are tried at first.
        first_width = 3,
        /// Wider ones are tried only if these do not suffice, because there are many: up to this width.
        last_width = 4,
    }
}
