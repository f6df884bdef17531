//! What the inference of blocks may cost.

use rely_base::define_limits;

define_limits! {
    /// The limits of the inference of blocks.
    pub struct Limits {
        /// So many pairs of steps at most are compared by what they do to the data; the others do not commute. In a
        /// program in which everybody accesses everything there are as many as pairs of steps.
        compared_pairs = 5_000,
        /// Two steps that have more cases together than this are not compared.
        compared_cases = 64,
    }
}
