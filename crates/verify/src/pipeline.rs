//! The flow of Rely on one page: source, program, claim, check, verdict.
//!
//! ```text
//! text ─► front end ─► program ─► prepare ─► strategy ─► claim ─► check ─► verdict
//! ```
//!
//! A violation is checked on the program as the front end made it: the engine's trace is
//! translated back through the passes and replayed there. So is a proof, if that program is
//! small enough to be explored as it is. Beyond, a proof is checked on the program that the
//! engine saw, and the passes are trusted; their own tests compare them with the programs they
//! came from. The evidence in the verdict says which.

use crate::scheduler::{Decision, Strategy, Task};
use rely_base::{Budget, Interrupted, Observer};
use rely_evidence::{Certificate, Claim, ProofFormatError, Reason, Rejection, TraceDefect, Verdict};
use rely_passes::{BackMap, CriticalSections};
use rely_program::{Goal, Program};

/// What is decided unless the user says otherwise: the assertions, and what the source itself
/// says must hold.
pub fn default_goals(program: &Program) -> Vec<Goal> {
    let declared = program.properties().iter().map(|property| property.kind.goal());
    let mut goals: Vec<Goal> = std::iter::once(Goal::Assert).chain(declared).collect();
    goals.sort_unstable();
    goals.dedup();
    goals
}

/// The assumptions under which a verdict about this goal speaks of the source.
pub fn assumptions(program: &Program, goal: Goal) -> Vec<&'static str> {
    // Whether this one holds is just what the goal asks.
    let is_asked = |name: &str| goal == Goal::Overflow && name == "no-signed-overflow";
    program.assumptions().iter().copied().filter(|name| !is_asked(name)).collect()
}

/// A verdict, and the program about which its proof speaks, if it has one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Verified {
    /// What is known.
    pub verdict: Verdict,
    /// The engine whose claim it confirms; nobody's if it is unknown, or if a certificate was given.
    pub engine: Option<&'static str>,
    /// The program that the engine saw.
    pub prepared: Program,
    /// The way back from it to the program as the front end made it.
    pub back: BackMap,
}

/// From a program to a verdict whose evidence was checked.
pub fn verify(
    program: &Program,
    goal: Goal,
    strategy: &dyn Strategy,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verified {
    verify_and_keep(program, goal, CriticalSections::Atomic, strategy, budget, observer)
}

/// [`verify`], with a choice of how critical sections are executed.
pub fn verify_and_keep(
    program: &Program,
    goal: Goal,
    sections: CriticalSections,
    strategy: &dyn Strategy,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verified {
    let sections = if strategy.reduces() { CriticalSections::Interleaved } else { sections };
    let (prepared, back) = match rely_passes::prepare_with(program, goal, sections, budget) {
        Ok(prepared) => prepared,
        Err(interrupted) => return not_begun(program, interrupted),
    };
    budget.set_work(None);
    let judge = |claim: Claim, budget: &Budget| {
        let checked = match claim {
            Claim::Unsafe(trace) => {
                let trace = back.trace(&trace);
                let claim = trace.map_or_else(|| Claim::Unknown(not_translated()), Claim::Unsafe);
                rely_evidence::check(program, goal, claim, budget)
            }
            Claim::Safe(proof) => rely_evidence::check_proof(program, &prepared, goal, proof, budget),
            claim @ Claim::Unknown(_) => rely_evidence::check(&prepared, goal, claim, budget),
        };
        checked.into_verdict()
    };
    let task = Task { program: &prepared, goal, observer };
    let Decision { verdict, engine } = strategy.decide(task, budget, &judge);
    Verified { verdict, engine, prepared, back }
}

/// From a program and a certificate to a verdict, without any engine.
pub fn certify(
    program: &Program,
    certificate: Certificate,
    budget: &Budget,
) -> Result<Verified, ProofFormatError> {
    let goal = certificate.goal;
    let prepared =
        rely_passes::prepare_with(program, goal, CriticalSections::Atomic, budget).and_then(|atomic| {
            match certificate.is_about(&atomic.0) {
                true => Ok(atomic),
                false => rely_passes::prepare_with(program, goal, CriticalSections::Interleaved, budget),
            }
        });
    let (prepared, back) = match prepared {
        Ok(prepared) => prepared,
        Err(interrupted) => return Ok(not_begun(program, interrupted)),
    };
    let proof = certificate.proof_of(&prepared)?;
    let checked = rely_evidence::check_proof(program, &prepared, goal, proof, budget);
    Ok(Verified { verdict: checked.into_verdict(), engine: None, prepared, back })
}

/// The verdict if the budget ended before anybody could look at the program.
fn not_begun(program: &Program, interrupted: Interrupted) -> Verified {
    let verdict = Verdict::Unknown(Reason::NotBegun(interrupted));
    Verified { verdict, engine: None, prepared: program.clone(), back: BackMap::identity() }
}

/// A trace without a way back names something that the engine's program does not have.
fn not_translated() -> Reason {
    Reason::Rejected(Rejection::Trace(TraceDefect::NoSuchViolation))
}
