//! Exact linear integer arithmetic: satisfiability, models, proofs.

pub mod arith;
pub mod certificate;
pub mod conjunction;
pub mod linear;
pub mod sat;
pub mod smtlib;
pub mod term;

pub use arith::{Integer, ParseNumberError, Rational};
pub use certificate::{Combination, Hypothesis, Proof, ProofNode, ProofNodeId};
pub use conjunction::{Conjunction, Entailment, Limits, Model, Reason, Statistics, Verdict};
pub use linear::{Constraint, Domain, LinearForm, NumberedNames, Relation, VarId, VarNames};
pub use sat::{
    BooleanProof, BooleanProofError, ClauseId, Interpretation, Literal, NotLinear, Obstacle, Origin, Outcome,
    ProofClause, SearchStatistics, Solver,
};
pub use term::{
    Assignment, BitOperation, FunctionId, Node, Notation, Sort, Sum, SymbolId, TermId, TermPool,
    TooManyCubes, Value, Variable,
};
