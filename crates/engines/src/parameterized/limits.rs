//! What the method may do: few programs need many configurations, and those that do are not for it.

use rely_base::define_limits;

define_limits! {
    /// The limits of counting threads.
    pub struct Limits {
        /// With more omega configurations than this it gives up.
        configurations = 1_000,
        /// Domains with more values than this are not enumerated.
        values = 256,
        /// The proof compares configurations with each other; with more comparisons than this none is written.
        comparisons = 5_000,
    }
}
