//! Verification methods, one folder each, all behind one trait.
//!
//! An [`Engine`] is given a program and a goal and makes a
//! [`Claim`]: a proof, a trace, or the reason why it knows neither.
//! Whether the claim becomes a verdict is not for engines to say; see [`rely_evidence::check`].
//!
//! Engines do not know each other, they do not print, they report progress through an
//! [`Observer`], and they stop soon after their budget ends.
//!
//! ```
//! use rely_base::{Budget, Silent};
//! use rely_program::{Goal, ProgramBuilder};
//!
//! let program = ProgramBuilder::new("nothing happens").finish()?;
//! let engine = rely_engines::engine("explore")?;
//! let budget = Budget::unlimited();
//! let claim = engine.run(&program, Goal::Assert, &budget, &Silent);
//! let verdict = rely_evidence::check(&program, Goal::Assert, claim, &budget).into_verdict();
//! assert_eq!(verdict.name(), "safe");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod deductive;
mod explore;
mod parameterized;
mod portfolio;
mod registry;
mod rely_guarantee;

pub use deductive::Deductive;
pub use explore::{Explore, ExploreOptions};
pub use parameterized::Parameterized;
pub use portfolio::Portfolio;
pub use registry::{ENGINE_NAMES, EngineError, EngineOptions, engine, engine_with};
pub use rely_guarantee::{Bias, RelyGuaranteeEngine};

use rely_base::{Budget, Observer};
use rely_evidence::{Claim, Verdict};
use rely_program::{Goal, Program};

/// Who looks at the evidence of a claim, within a budget.
pub type Judge<'j> = dyn Fn(Claim, &Budget) -> Verdict + Sync + 'j;

/// A verification method.
pub trait Engine: Sync {
    /// The name on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Tries to find out whether every run of the program satisfies the goal. The program is
    /// focused on the goal: what other goals ask for is assumed.
    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim;

    /// From the program to what the judge makes of the claim. An engine that has several to choose
    /// from goes on as long as none convinces.
    fn verify(
        &self,
        program: &Program,
        goal: Goal,
        budget: &Budget,
        observer: &dyn Observer,
        judge: &Judge<'_>,
    ) -> Verdict {
        judge(self.run(program, goal, budget, observer), budget)
    }
}
