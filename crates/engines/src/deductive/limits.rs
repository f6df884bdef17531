//! What the method may do. Every value is a guess that was good on the table of the paper; `cargo run --release
//! -p rely --example limits` tells which verdicts and counts depend on which of them.

use rely_base::define_limits;

define_limits! {
    /// The limits of deductive inference.
    pub struct Limits {
        /// How many disjuncts an assertion has at most.
        disjuncts = 12,
        /// How often a disjunct may grow before it is widened.
        widening_delay = 4,
        /// How many images of disjuncts under steps the first attempt may compute; later ones may compute
        /// 10 to 250 times as many.
        images = 400,
        /// Constraints that one attempt may ask.
        constraints = 150_000,
        /// How often a plan is tried again with what the attempt before has taught.
        lessons = 4,
        /// How many states near the beginning are visited before anything costly is tried.
        states_at_first = 1_500,
        /// How many states are visited at most in search of a run that goes wrong.
        states = 50_000,
        /// How many values of one nondeterministic choice that search tries.
        values = 12,
        /// Combinations of disjuncts that are tried for one violation: as many as all threads' disjuncts
        /// multiplied, so without a limit a program of a few threads would never end.
        combinations = 20_000,
        /// More comparisons than this are not looked at when bounds are widened.
        landmarks = 400,
        /// Regions that differ in more constraints than this are not tried for an exact union.
        union_differences = 4,
        /// Longer runs are not asked for lemmas: they teach too much.
        lemma_steps = 40,
        /// Cases of a run that are distinguished before its lemmas are looked for by learning clauses, which finds
        /// worse ones.
        lemma_cases = 50,
        /// Questions that are asked only to find simpler lemmas.
        lemma_questions = 100,
        /// Steps of the search for a renaming that exchanges two threads: it backtracks, so it needs a limit.
        symmetry_tries = 20_000,
    }
}
