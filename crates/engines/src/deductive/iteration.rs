//! What each attempt and each iteration of its refinement did, for reports.

use std::fmt;

/// How the threads' proofs are related to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Each thread's proof speaks of globals and of its own locals.
    Modular,
    /// With auxiliary variables: where the others stand, and their locals.
    WithPlaces,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttemptEnd {
    /// The assertions are stable and exclude every violation.
    Proved,
    /// The assertions do not exclude every violation.
    Offended,
    /// There was more to repair than was allowed.
    TooMuchWork,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Modular => "thread by thread",
            Method::WithPlaces => "with auxiliary variables",
        })
    }
}

impl fmt::Display for AttemptEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AttemptEnd::Proved => "proved",
            AttemptEnd::Offended => "a violation is not excluded",
            AttemptEnd::TooMuchWork => "too much work",
        })
    }
}

/// One attempt to find a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// How the proofs of the threads were related.
    pub method: Method,
    /// What came of it.
    pub ending: AttemptEnd,
    /// Its iterations, in order.
    pub iterations: Vec<Iteration>,
}

/// One iteration: a round of repairs and the check of what they did to the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Iteration {
    /// How many disjuncts all assertions have together at its end.
    pub disjuncts: usize,
    /// How many transitions all guarantees have together at its end.
    pub transitions: usize,
    /// How many states that others can produce were found missing in assertions.
    pub counterexamples: usize,
    /// How many constraints were asked of the solver.
    pub constraints: u64,
}

impl Iteration {
    /// The numbers with their names.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("constraints", self.constraints),
            ("disjuncts", self.disjuncts as u64),
            ("transitions", self.transitions as u64),
            ("counterexamples", self.counterexamples as u64),
        ]
    }
}
