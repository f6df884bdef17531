//! What the search for an answer may cost, apart from its budget.

use rely_base::define_limits;

define_limits! {
    /// The limits of the search. They change how much work it is, and whether there is an answer; a wrong one does not
    /// come out.
    pub struct Limits {
        /// A constraint with more cases than this stays one formula: disjunctions multiply.
        cases = 128,
        /// So many disequalities of one rule are split into less and greater, each of which doubles the rules.
        distinct = 4,
        /// An argument with more values than this counts as infinite: abstract states are kept for each value.
        values = 64,
        /// Applications of rules that the analysis with polyhedra may try, which is done before the search.
        posts = 1_500,
        /// Predicates at values of their finite arguments that this analysis may keep.
        places = 200,
        /// How often polyhedra are joined before they are widened.
        widening_delay = 3,
        /// How often bounds are looked for again that widening has lost.
        narrowing_steps = 2,
        /// Applications of rules that the analysis of remainders may try.
        remainder_posts = 5_000,
        /// Formulas that are preferred for one predicate: each is tried in every refinement.
        candidates = 40,
    }
}
