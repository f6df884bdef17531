//! What the method may do.

use rely_base::define_limits;

define_limits! {
    /// The limits of assertions that Horn clauses ask for.
    pub struct Limits {
        /// How many questions may be asked about clauses whose assertions know where other threads are but not
        /// their locals, before those are tried that know everything: these always suffice, but are much
        /// larger.
        steps_without_locals = 400_000,
        /// Assertions with more cubes than this are not written.
        cubes = 4_000,
        /// Remainders by larger numbers are not written: what is said of one has a case for each that is possible.
        largest_divisor = 64,
    }
}
