//! What every other crate stands on and nothing else: typed ids and arenas, source
//! positions, diagnostics, budgets, observers and random numbers.
//!
//! This crate knows no programs and no logic, and it never prints.
//!
//! ```
//! use rely_base::{Arena, define_id};
//!
//! define_id!(
//!     /// A ship in a fleet.
//!     pub struct ShipId
//! );
//!
//! let mut fleet: Arena<ShipId, &str> = Arena::new();
//! let beagle = fleet.push("Beagle");
//! assert_eq!(fleet[beagle], "Beagle");
//! ```

mod arena;
mod budget;
mod diagnostic;
mod limits;
mod observer;
mod plural;
mod random;
mod source;
mod suggest;

pub use arena::{Arena, Id};
pub use budget::{Budget, BudgetBuilder, CancelToken, Interrupted, StopReason, Work};
pub use diagnostic::{Diagnostic, Untranslated};
pub use limits::Limits;
pub use observer::{History, Observer, Progress, Recorder, Round, Silent, Tree, TreeNode};
pub use plural::plural;
pub use random::Random;
pub use source::{FileId, LineColumn, SourceFile, SourceMap, Span};
pub use suggest::similar;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
