//! Evidence: what engines say, why one should believe it, and the check that decides.
//!
//! An engine makes a [`Claim`]: a [`Trace`](rely_program::Trace) that shows a violation, a
//! [`Proof`] that there is none, or a [`Reason`] why it knows neither. [`check`] looks at the
//! evidence. Only what it accepts becomes a [`Verdict`]:
//!
//! * a trace is [replayed](replay) step by step in the concrete semantics of the program;
//! * a proof is checked by code that no engine uses.
//!
//! Evidence that does not convince makes the verdict `unknown`, with the reason. The types
//! enforce this: [`Verdict::Safe`] and [`Verdict::Unsafe`] hold values that only this crate
//! can make.
//!
//! * `data`: claims, proofs, reasons and formats, as plain data;
//! * `recurrence`: loops of traces that can be repeated for ever, though no state of them recurs;
//! * `obligations`: the one generator of what must be shown of assertions, counts, ranks and movers;
//! * `exhaustion`, [`rely_guarantee`], [`counting`], [`ranking`], [`helping`], [`reduction`]: the rule of each kind of proof, and
//!   its check; `verdict`, `confirmation`: from these to verdicts; `export`: the same questions for other solvers.
//!
//! This crate knows programs and no engine. It trusts [`rely_program::Semantics`] and itself.
//!
//! ```
//! use rely_base::Budget;
//! use rely_evidence::{Claim, Verdict, check};
//! use rely_program::{Goal, ProgramBuilder, Trace, Violation};
//!
//! let program = ProgramBuilder::new("empty").finish()?;
//! let invented = Trace { initial: vec![], steps: vec![], violation: Violation::Deadlock };
//! let checked = check(&program, Goal::Deadlock, Claim::Unsafe(invented), &Budget::unlimited());
//! let Verdict::Unknown(reason) = checked.into_verdict() else { panic!() };
//! assert_eq!(reason.to_string(), "the evidence was rejected: the last state of the trace is not a deadlock");
//! # Ok::<(), rely_program::Malformed>(())
//! ```

mod approximation;
mod confirmation;
pub mod counting;
mod data;
mod exhaustion;
mod export;
pub mod helping;
mod obligations;
pub mod ranking;
mod recurrence;
pub mod reduction;
pub mod rely_guarantee;
mod replay;
mod verdict;

pub use confirmation::Confirmation;
pub use data::{
    About, Certificate, Claim, Exhausted, Proof, ProofDefect, ProofFormatError, Reason, Reduction, Rejection,
    StateList, TraceDefect, TraceFormatError, fingerprint, proof_to_json, trace_from_json, trace_to_json,
};
pub use export::{export_obligations, recheck};
pub use recurrence::{Recurrence, recurrence};
pub use replay::{Replay, replay};
pub use verdict::{
    CheckOptions, CheckedClaim, Proved, Shown, Verdict, check, check_proof, check_with, confirm,
    explore_source,
};
