//! From claims to verdicts: the only way there is the check.

use crate::certificate;
use crate::claim::{Claim, Exhausted, Proof, Reduction};
use crate::exhaustion;
use crate::inspection::Obstacle;
use crate::reason::{ProofDefect, Reason, Rejection};
use crate::rely_guarantee::{self, Accepted};
use crate::replay::{Replay, replay};
use crate::states::StateList;
use rely_base::Budget;
use rely_program::{Goal, Program};

/// How evidence is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    /// Explorations of up to this many states are repeated without reduction; beyond, the
    /// states that the proof lists are checked.
    pub states_to_repeat: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { states_to_repeat: 2_000_000 }
    }
}

/// A claim whose evidence was looked at. Only [`check`] makes one.
#[derive(Clone, Debug)]
pub struct CheckedClaim(Verdict);

impl CheckedClaim {
    /// What follows from the claim, given what was found out about its evidence.
    pub fn into_verdict(self) -> Verdict {
        self.0
    }
}

/// What is known about a goal. `Safe` and `Unsafe` hold evidence that was checked; nobody
/// outside of this crate can make them.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run violates the goal.
    Safe(Proved),
    /// A run violates the goal.
    Unsafe(Shown),
    /// Nobody knows, and why.
    Unknown(Reason),
}

impl Verdict {
    /// The word for users.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Safe(_) => "safe",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// A proof that was accepted.
#[derive(Clone, Debug)]
pub struct Proved {
    proof: Proof,
    confirmation: Confirmation,
    is_modular: bool,
}

impl Proved {
    /// The proof, without the bulk of its certificate.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }

    /// How the proof was checked.
    pub fn confirmation(&self) -> Confirmation {
        self.confirmation
    }

    /// Whether each thread can be understood without the others.
    pub fn is_modular(&self) -> bool {
        self.is_modular
    }

    /// The proof and its check in one sentence without a full stop.
    pub fn evidence(&self) -> String {
        let proof = match &self.proof {
            Proof::Exhausted(exhausted) => match exhausted.reduction {
                Reduction::None => format!("exhausted, {} states", exhausted.states),
                Reduction::PartialOrder => format!("exhausted with reduction, {} states", exhausted.states),
            },
            Proof::RelyGuarantee(proof) => {
                let modular = if self.is_modular { ", modular" } else { "" };
                format!("rely-guarantee proof{modular}, {} assertions", proof.assertion_count())
            }
            Proof::Ranking(ranking) => {
                let modular = if self.is_modular { ", modular" } else { "" };
                let components = match ranking.components {
                    1 => "1 component".to_owned(),
                    more => format!("{more} components"),
                };
                format!("ranking of {components}{modular}, {} ranks", ranking.rank_count())
            }
            Proof::Counting(proof) => {
                let (invariants, assertions) = (proof.invariants.len(), proof.proof.assertion_count());
                format!("counting proof, {invariants} invariants, {assertions} assertions")
            }
        };
        format!("{proof}; {}", self.confirmation)
    }
}

/// How a proof was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confirmation {
    /// The checker has explored all states of the program as the front end made it, before any
    /// pass: neither the engine nor the passes have to be trusted.
    ExploredSource {
        /// How many there are.
        states: u64,
    },
    /// The checker has explored all states itself, without any reduction.
    Explored {
        /// How many there are.
        states: u64,
        /// How many complete steps there are.
        transitions: u64,
    },
    /// The checker has made sure that no step leads out of the listed states.
    Closed {
        /// How many are listed.
        states: u64,
    },
    /// The checker has made sure that the steps that lead out of the listed states are those
    /// whose order with others does not matter.
    ClosedUpToOrder {
        /// How many are listed.
        states: u64,
    },
    /// The checker has made all obligations of a rely-guarantee proof or a ranking from the program
    /// that the engine saw and has found them valid. The passes that made this program are trusted.
    Discharged {
        /// How many obligations there are.
        obligations: u64,
        /// How many questions a solver had to answer, each with a refutation that was checked.
        questions: u64,
    },
}

impl From<Accepted> for Confirmation {
    fn from(accepted: Accepted) -> Self {
        let Accepted { obligations, questions } = accepted;
        Confirmation::Discharged { obligations, questions }
    }
}

impl std::fmt::Display for Confirmation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Confirmation::ExploredSource { states } => {
                write!(f, "confirmed by exploring the program before simplification, {states} states")
            }
            Confirmation::Explored { states, .. } => {
                write!(f, "confirmed by exhaustive exploration without reduction, {states} states")
            }
            Confirmation::Closed { states } => {
                write!(f, "confirmed: the {states} listed states are closed under all steps")
            }
            Confirmation::ClosedUpToOrder { states } => {
                write!(
                    f,
                    "confirmed: the {states} listed states are closed up to the order of independent steps"
                )
            }
            Confirmation::Discharged { obligations, .. } => {
                write!(f, "confirmed: {obligations} obligations hold of the simplified program")
            }
        }
    }
}

/// A violation that was replayed.
#[derive(Clone, Debug)]
pub struct Shown {
    replay: Replay,
}

impl Shown {
    /// The run that violates the goal.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// The evidence in one sentence without a full stop.
    pub fn evidence(&self) -> String {
        format!("a trace of {} steps, replayed", self.replay.trace().steps.len())
    }
}

/// Looks at the evidence of a claim about a program and a goal: the same program and the same
/// goal that the engine was given.
///
/// A trace is replayed. Exhaustion is confirmed by exploring all states once more without any
/// reduction, if there are not too many; otherwise the listed states are checked to be
/// complete. Of a rely-guarantee proof and of a ranking every obligation is decided. What cannot be
/// checked within the budget is not believed.
pub fn check(program: &Program, goal: Goal, claim: Claim, budget: &Budget) -> CheckedClaim {
    check_with(CheckOptions::default(), program, goal, claim, budget)
}

/// [`check`] with other than the usual options.
pub fn check_with(
    options: CheckOptions,
    program: &Program,
    goal: Goal,
    claim: Claim,
    budget: &Budget,
) -> CheckedClaim {
    CheckedClaim(match claim {
        Claim::Unknown(reason) => Verdict::Unknown(reason),
        Claim::Unsafe(trace) => match replay(program, goal, trace, budget) {
            Ok(replay) => Verdict::Unsafe(Shown { replay }),
            Err(reason) => Verdict::Unknown(reason),
        },
        Claim::Safe(Proof::Exhausted(exhausted)) => {
            let confirmed = confirm(options, program, goal, &exhausted, budget);
            verdict(confirmed.map(|confirmation| {
                let proof = Proof::Exhausted(Exhausted { visited: None, ..exhausted });
                Proved { proof, confirmation, is_modular: false }
            }))
        }
        Claim::Safe(Proof::RelyGuarantee(proof)) => {
            verdict(rely_guarantee::check(program, goal, (&proof).into(), budget).map(|accepted| {
                let is_modular = proof.is_modular(program);
                Proved { proof: Proof::RelyGuarantee(proof), confirmation: accepted.into(), is_modular }
            }))
        }
        Claim::Safe(Proof::Ranking(ranking)) => {
            verdict(rely_guarantee::check(program, goal, (&ranking).into(), budget).map(|accepted| {
                let is_modular = ranking.is_modular(program);
                Proved { proof: Proof::Ranking(ranking), confirmation: accepted.into(), is_modular }
            }))
        }
        Claim::Safe(Proof::Counting(proof)) => {
            verdict(rely_guarantee::check(program, goal, (&proof).into(), budget).map(|accepted| {
                let is_modular = proof.proof.is_modular(program);
                Proved { proof: Proof::Counting(proof), confirmation: accepted.into(), is_modular }
            }))
        }
    })
}

fn verdict(outcome: Result<Proved, Obstacle>) -> Verdict {
    match outcome {
        Ok(proved) => Verdict::Safe(proved),
        Err(Obstacle::Defect(defect)) => Verdict::Unknown(Reason::Rejected(Rejection::Proof(defect))),
        Err(Obstacle::Stopped(reason)) => Verdict::Unknown(Reason::Unchecked(reason)),
    }
}

/// Up to this many states of a program as the front end made it are explored to confirm a proof
/// about its simplified form.
const SOURCE_STATES: usize = 200_000;

/// Looks at a proof about `prepared`, which passes have made of `source`.
///
/// If all states were visited and `source` itself is small enough to be explored, that is the
/// check: then a mistake of a pass cannot make a wrong proof look right. Otherwise, and if the
/// proof is one by rely and guarantee, it is checked about `prepared`, and the passes are trusted.
pub fn check_proof(
    source: &Program,
    prepared: &Program,
    goal: Goal,
    proof: Proof,
    budget: &Budget,
) -> CheckedClaim {
    let Proof::Exhausted(exhausted) = &proof else {
        return check(prepared, goal, Claim::Safe(proof), budget);
    };
    let patience = budget.remaining().map_or(budget.clone(), |left| budget.with_time_limit(left / 4));
    let held_bytes = exhausted.visited.as_ref().map_or(0, StateList::memory_bytes);
    match exhaustion::explore(source, goal, &patience, SOURCE_STATES, held_bytes) {
        Ok(Some(explored)) => {
            let Exhausted { states, transitions, reduction, .. } = *exhausted;
            let proof = Proof::Exhausted(Exhausted { states, transitions, reduction, visited: None });
            let confirmation = Confirmation::ExploredSource { states: explored.states };
            CheckedClaim(Verdict::Safe(Proved { proof, confirmation, is_modular: false }))
        }
        // Too large for this check, which says nothing about the proof.
        Ok(None) | Err(Obstacle::Stopped(_) | Obstacle::Defect(ProofDefect::TooManyChoices)) => {
            check(prepared, goal, Claim::Safe(proof), budget)
        }
        Err(Obstacle::Defect(defect)) => {
            CheckedClaim(Verdict::Unknown(Reason::Rejected(Rejection::Proof(defect))))
        }
    }
}

fn confirm(
    options: CheckOptions,
    program: &Program,
    goal: Goal,
    exhausted: &Exhausted,
    budget: &Budget,
) -> Result<Confirmation, Obstacle> {
    budget.check_now()?;
    let claimed = exhausted.states;
    let reduced = exhausted.reduction != Reduction::None;
    if let Some(list) = &exhausted.visited
        && list.len() as u64 != claimed
    {
        return Err(ProofDefect::StateCount { claimed, found: list.len() as u64 }.into());
    }
    if let Some(explored) = explore_if_affordable(options, program, goal, exhausted, budget)? {
        let found = explored.states;
        return match reduced {
            false if claimed != found => Err(ProofDefect::StateCount { claimed, found }.into()),
            true if claimed > found => Err(ProofDefect::TooManyStates { claimed, found }.into()),
            _ => Ok(Confirmation::Explored { states: found, transitions: explored.transitions }),
        };
    }
    let list = exhausted.visited.as_ref().ok_or(ProofDefect::NoList)?;
    certificate::check(program, goal, list, reduced, budget)?;
    Ok(if reduced {
        Confirmation::ClosedUpToOrder { states: claimed }
    } else {
        Confirmation::Closed { states: claimed }
    })
}

/// Explores all states again; `None` if there are too many. If the proof lists its states, at
/// most half of the time goes into this, so that the list can still be checked.
fn explore_if_affordable(
    options: CheckOptions,
    program: &Program,
    goal: Goal,
    exhausted: &Exhausted,
    budget: &Budget,
) -> Result<Option<exhaustion::Explored>, Obstacle> {
    if exhausted.states > options.states_to_repeat as u64 {
        return Ok(None);
    }
    let patience = match budget.remaining() {
        Some(remaining) if exhausted.visited.is_some() => budget.with_time_limit(remaining / 2),
        _ => budget.clone(),
    };
    let held_bytes = exhausted.visited.as_ref().map_or(0, StateList::memory_bytes);
    match exhaustion::explore(program, goal, &patience, options.states_to_repeat, held_bytes) {
        Err(Obstacle::Stopped(_)) if exhausted.visited.is_some() => {
            budget.check_now()?;
            Ok(None)
        }
        outcome => outcome,
    }
}
