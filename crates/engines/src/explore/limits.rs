//! What the exploration may do besides visiting states.

use rely_base::define_limits;

define_limits! {
    /// The limits of explicit-state exploration. There is none on the states
    /// themselves, except for termination: time and memory end it.
    pub struct Limits {
        /// The largest domain of a nondeterministic value of which all values are tried. Larger ones are
        /// sampled, with at most as many values, and then nothing is proved.
        choices = 256,
        /// How many states may be visited to find a shorter trace than the one that is known: a few seconds.
        states_for_shorter_trace = 1_000_000,
        /// The same for a trace that a walk has found: what lies deep is seldom found again by searching.
        states_after_walk = 50_000,
        /// If there can be any number of threads, a deadlock is first looked for with one of them, then with two, up to so
        /// many,
        few_threads = 4,
        /// and in so many states each time: less than a second.
        states_of_few_threads = 20_000,
        /// How many states may be visited to find out whether every run ends. The checker visits as many again, and
        /// it has a limit of its own.
        states_for_termination = 1_000_000,
    }
}
