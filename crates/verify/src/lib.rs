//! The library: the text of a program in, a checked verdict out.
//!
//! ```text
//! text ─► front end ─► program ─► prepare ─► strategy ─► claim ─► check ─► verdict
//! ```
//!
//! * [`load`] turns a text into a program; whoever calls it has read the text;
//! * [`verify`] is the flow from there on;
//! * [`Strategy`]: who runs engines. An engine makes a claim; a strategy runs engines, has their claims
//!   judged, and is the only one that knows several of them;
//! * [`strategy`]: strategies by name.
//!
//! ```
//! use rely_base::{Budget, Silent};
//! use rely_program::Goal;
//! use rely_verify::{Language, Source, load, strategy, verify};
//!
//! let text = "var lock: int = 0;
//!     thread T1 { await lock == 0 do { lock := 1; } critical1: skip; lock := 0; }
//!     thread T2 { await lock == 0 do { lock := 2; } critical2: skip; lock := 0; }
//!     never T1 at critical1 && T2 at critical2;";
//! let loaded = load(&Source::new("lock.rely", Language::Rely, text))?;
//! let verified =
//!     verify(&loaded.program, Goal::Assert, strategy("portfolio")?.as_ref(), &Budget::unlimited(), &Silent);
//! assert_eq!(verified.verdict.name(), "safe");
//! assert_eq!(verified.engine, Some("explore"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod condense;
mod limits;
mod pipeline;
mod races;
mod registry;
mod returning;
mod scheduler;
mod source;
mod subject;
mod survey;
mod touched;

pub use blocks::{Reducible, reducible};
pub use condense::with_short_proof;
pub use pipeline::{
    Trust, Verified, assumptions, assumptions_without_races, certificate, certify, default_goals,
    usual_goals, verify, verify_and_keep, verify_trusting,
};
pub use registry::{STRATEGY_NAMES, StrategyError, StrategyOptions, strategy, strategy_with};
pub use rely_c_front::{CText, CUnit, EffectError, Effects, Harness, included_files};
pub use rely_engines::Bias;
pub use rely_engines::reduction::Blocks;
pub use scheduler::{
    Attributed, Decision, Judge, Limits, Portfolio, PortfolioLimits, ReductionStrategy,
    RelyGuaranteeStrategy, Standard, Strategy, Task, TurnLimits,
};
pub use source::{Language, Loaded, NotLoaded, Source, load, load_partly_within, load_within};
pub use subject::nothing_to_check;
pub use survey::{PairAnswer, SurveyedAccess, SurveyedPair, survey_races};
pub use touched::{Touched, touched};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
