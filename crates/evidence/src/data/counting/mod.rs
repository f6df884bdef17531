//! Counting proofs as plain data.

mod print;

pub use print::InvariantPrinter;

use super::{Atom, Comparison, RelyGuarantee};
use rely_program::{LocationId, Value, VarId};

/// A proof for any number of threads: relations between variables and numbers of threads, and a
/// rely-guarantee proof that uses them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Counting {
    /// What holds in every state; inductive together.
    pub invariants: Vec<Invariant>,
    /// What holds while threads stand at their locations.
    pub proof: RelyGuarantee,
}

impl From<RelyGuarantee> for Counting {
    /// Assertions that need no numbers of threads.
    fn from(proof: RelyGuarantee) -> Self {
        Self { invariants: Vec::new(), proof }
    }
}

/// One of these conjunctions holds in every state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Invariant {
    /// The conjunctions.
    pub cubes: Vec<Vec<CountAtom>>,
}

/// A linear comparison: the sum of the terms and the constant, compared with zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CountAtom {
    /// Coefficients, and what they are multiplied with.
    pub terms: Vec<(Value, Summand)>,
    /// The constant summand.
    pub constant: Value,
    /// How the sum compares with zero.
    pub comparison: Comparison,
}

/// A number in a state. Booleans are 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Summand {
    /// A cell of a global or of a local of an instance; scalars have one cell, with index 0.
    Cell {
        /// The variable.
        var: VarId,
        /// Which of its cells.
        index: u32,
    },
    /// How many threads are counted.
    Count(Counter),
}

/// How many threads stand at a location such that something holds of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Counter {
    /// Where they stand.
    pub location: LocationId,
    /// What holds of each that is counted, over its own locals, its handle, and what all assertions
    /// may mention: globals and the locals of instances. Nothing: all are counted.
    pub having: Vec<Atom>,
}

impl Counter {
    /// The number of all threads at a location.
    pub fn at(location: LocationId) -> Self {
        Self { location, having: Vec::new() }
    }
}

impl Invariant {
    /// All numbers that the invariant mentions, once per occurrence.
    pub fn summands(&self) -> impl Iterator<Item = &Summand> {
        self.cubes.iter().flatten().flat_map(|atom| &atom.terms).map(|(_, summand)| summand)
    }

    /// All counters that the invariant mentions, once per occurrence.
    pub fn counters(&self) -> impl Iterator<Item = &Counter> {
        self.summands().filter_map(|summand| match summand {
            Summand::Count(counter) => Some(counter),
            Summand::Cell { .. } => None,
        })
    }
}
