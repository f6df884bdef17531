//! How much work an interpolation may cost.
//!
//! What bounds the depth of a recursion is no limit of this kind: it guards the stack, so it is a constant where the
//! recursion is.

use rely_base::define_limits;

define_limits! {
    /// The limits of interpolation and of solving Horn clauses that are not recursive. Reaching one means `Unknown` or
    /// a less simple answer, never a wrong one.
    pub struct Limits {
        /// Uses of predicates that Horn clauses may unfold into: without recursion there can be exponentially many.
        parts = 2_000,
        /// Cases that are distinguished before clauses are learnt instead, which finds an answer sooner if there are
        /// many, but no simple one.
        cases = 200,
        /// Questions that are asked only to find simpler answers.
        questions = 200,
        /// Case distinctions of the solver for a question that must be answered.
        patient_splits = 2_000,
        /// The same before a disjunction is split instead, which often makes the question easy.
        quick_splits = 50,
        /// The same for a question whose answer only makes a refutation simpler.
        hasty_splits = 100,
        /// Machine words that the solver may compute for such a question.
        hasty_work = 1_000_000,
        /// Case distinctions of the solver for a question whose answer only makes a solution simpler.
        improving_splits = 50,
        /// Refuted cases that are remembered, because they may close later ones: each is looked at in every case.
        lessons = 128,
        /// Variables that turn out to be needed before no more are tried to be hidden.
        needed_variables = 12,
        /// Proofs by resolution with more clauses than this are not turned into interpolants, which would be as large.
        clauses = 20_000,
        /// More constraints at one part are not projected: their number may be squared with each variable.
        projected_constraints = 30,
        /// Cases by single variables that are distinguished until a refutation can be divided among the parts.
        variable_cases = 200,
        /// Case distinctions of the solver in each of these cases.
        variable_splits = 100,
        /// With more candidates for a predicate than this, their boolean combinations are not tried.
        combined_candidates = 10,
        /// Conjunctions of candidates that are joined at most for one predicate.
        joined_cubes = 8,
        /// For divisors up to this the possible remainders are listed as cases.
        listed_remainders = 12,
        /// For divisors up to this each remainder is tried instead of a quotient.
        tried_remainders = 8,
    }
}
