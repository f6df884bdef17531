//! Verification methods, one folder each, all behind one trait.
//!
//! An [`Engine`] is given a program and a goal and makes a
//! [`Claim`]: a proof, a trace, or the reason why it knows neither.
//! Whether the claim becomes a verdict is not for engines to say; see [`rely_evidence::check`].
//!
//! Engines do not know each other: none imports another one, and whoever runs several is a scheduler
//! (see the crate `verify`). They do not print, they report progress through an [`Observer`], and they
//! stop soon after their budget ends. What several of them need is no engine: nondeterministic values
//! (`values`) and random walks (`random_walk`).
//!
//! ```
//! use rely_base::{Budget, Silent};
//! use rely_engines::{Engine, Explore};
//! use rely_program::{Goal, ProgramBuilder};
//!
//! let program = ProgramBuilder::new("nothing happens").finish()?;
//! let engine = Explore::default();
//! let budget = Budget::unlimited();
//! let claim = engine.run(&program, Goal::Assert, &budget, &Silent);
//! let verdict = rely_evidence::check(&program, Goal::Assert, claim, &budget).into_verdict();
//! assert_eq!(verdict.name(), "safe");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod deductive;
pub mod explore;
pub mod houdini;
pub mod locksets;
pub mod owicki_gries;
pub mod parameterized;
mod random_walk;
pub mod reduction;
pub mod rely_guarantee;
pub mod termination;
mod values;

pub use deductive::Deductive;
pub use explore::{Explore, ExploreOptions};
pub use houdini::Houdini;
pub use owicki_gries::OwickiGries;
pub use parameterized::Parameterized;
pub use random_walk::WalkLimits;
pub use rely_guarantee::{Bias, RelyGuarantee};
pub use rely_symbolic::Limits as SymbolicLimits;
pub use termination::{Helping, Termination};

use rely_base::{Budget, Observer};
use rely_evidence::Claim;
use rely_program::{Goal, Program};

/// A verification method.
pub trait Engine: Sync {
    /// The name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Tries to find out whether every run of the program satisfies the goal. The program is
    /// focused on the goal: what other goals ask for is assumed.
    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim;
}
