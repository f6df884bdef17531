//! What the method may do: few programs need much, and those that do are not for it.

use rely_base::define_limits;

define_limits! {
    /// The limits of counting threads.
    pub struct Limits {
        /// So many steps are spent on random walks before anything is proved.
        steps_of_walks = 20_000,
        /// With neither a proof nor a violation, all runs are looked at in which so many threads are started at most, ...
        few_threads = 5,
        /// ... as far as this many states show them.
        states_of_few_threads = 100_000,
        /// So many more steps of walks if that does not show a violation either.
        more_steps_of_walks = 100_000,
        /// Each of the walks is so long: many short ones see more different numbers of threads than a few long ones.
        steps_per_walk = 200,
        /// So many of the states that walks see are kept.
        samples = 2_000,
        /// With more control states of the instances than this no equations are computed.
        control_states = 256,
        /// So many questions about single steps are asked with one set of predicates.
        questions = 20_000,
        /// So often predicates and classes are added.
        refinements = 16,
        /// So often something is learnt in order to exclude a move that no walk has made.
        lessons_about_unseen_moves = 3,
        /// With more predicates than this it gives up.
        predicates = 256,
        /// With more classes of threads than this it gives up: each can double the number of transitions.
        classes = 6,
        /// With more omega configurations than this it gives up.
        configurations = 1_000,
        /// Domains with more values than this are not enumerated.
        values = 256,
        /// The proof compares configurations with each other; with more comparisons than this none is written.
        comparisons = 5_000,
    }
}
