//! From claims to verdicts: the only way there is the check.

use crate::confirmation::Confirmation;
use crate::data::{
    Claim, Exhausted, Obstacle, Proof, ProofDefect, Reason, Reduced, Reduction, Rejection, StateList,
};
use crate::rely_guarantee::{self, Accepted};
use crate::replay::{Replay, replay};
use crate::{exhaustion, reduction};
use rely_base::{Budget, plural};
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
    source: Source,
}

/// The pass whose result a reduction with forgotten variables is about.
const FORGETTING: &str = "forget";

/// What the check says about the program as the front end made it.
#[derive(Clone, Debug)]
enum Source {
    /// What is known of the program that the engine saw, if the passes are right.
    Simplified,
    /// The engine saw that program.
    AsItIs,
    /// The checker has explored it besides: it has so many states.
    Explored(u64),
    /// The checker has accepted another proof, about it.
    Proved(Box<Proved>),
}

impl Proved {
    /// A proof of a reduced program as one of the program, given what the check of the reduction
    /// has found.
    pub(crate) fn of_reduced(self, reduction: Reduced, accepted: Accepted) -> Self {
        let confirmation = self.confirmation.after_reduction(accepted);
        let proof = Proof::Reduced(Reduced { proof: Box::new(self.proof.clone()), ..reduction });
        Self { proof, confirmation, ..self }
    }

    /// The proof, without the bulk of its certificate.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }

    /// Whether it is in the end a list of states.
    pub fn lists_states(&self) -> bool {
        lists_states(&self.proof)
    }

    /// How the proof was checked.
    pub fn confirmation(&self) -> Confirmation {
        self.confirmation
    }

    /// Whether each thread can be understood without the others.
    pub fn is_modular(&self) -> bool {
        self.is_modular
    }

    /// The proof that was accepted about the program as the front end made it, if there is one.
    pub fn about_source(&self) -> Option<&Proof> {
        match &self.source {
            Source::Proved(proved) => Some(&proved.proof),
            Source::AsItIs if self.is_about_source() => Some(&self.proof),
            Source::AsItIs | Source::Explored(_) | Source::Simplified => None,
        }
    }

    /// How many states the program has as the front end made it, if the checker has explored it.
    pub fn explored_states(&self) -> Option<u64> {
        match (&self.source, self.confirmation) {
            (Source::Explored(states), _) => Some(*states),
            (Source::Simplified, Confirmation::ExploredSource { states }) => Some(states),
            _ => None,
        }
    }

    /// Whether the checker has confirmed the property of the program as the front end made it. Then neither the
    /// engine nor any pass has to be trusted.
    pub fn is_about_source(&self) -> bool {
        match self.source {
            Source::Explored(_) | Source::Proved(_) => true,
            Source::AsItIs => !forgets(&self.proof),
            Source::Simplified => matches!(self.confirmation, Confirmation::ExploredSource { .. }),
        }
    }

    /// The passes that have to be trusted if the check speaks of a program that these passes have changed. A proof
    /// about a program that has forgotten some variables trusts the pass that makes it.
    pub fn trusted(&self, changed_by: &[&'static str]) -> Vec<&'static str> {
        if self.is_about_source() {
            return Vec::new();
        }
        let mut trusted = changed_by.to_vec();
        if forgets(&self.proof) && !trusted.contains(&FORGETTING) {
            trusted.push(FORGETTING);
        }
        trusted
    }

    /// The proof and its check in one sentence without a full stop.
    pub fn evidence(&self) -> String {
        let evidence = format!("{}; {}", self.describe(&self.proof), self.confirmation);
        match &self.source {
            Source::Simplified => evidence,
            Source::AsItIs => evidence.replace("the simplified program", "the program as it is"),
            Source::Explored(states) => {
                let states = plural(*states, "states");
                format!("{evidence}; the program before simplification was explored, too, {states}")
            }
            Source::Proved(second) => format!("{evidence}; {}", second.confirmation.too()),
        }
    }

    fn describe(&self, proof: &Proof) -> String {
        match proof {
            Proof::Exhausted(exhausted) => match exhausted.reduction {
                Reduction::None => format!("exhausted, {}", plural(exhausted.states, "states")),
                Reduction::PartialOrder => {
                    format!("exhausted with reduction, {}", plural(exhausted.states, "states"))
                }
            },
            Proof::RelyGuarantee(proof) => {
                let modular = if self.is_modular { ", modular" } else { "" };
                format!("rely-guarantee proof{modular}, {}", plural(proof.assertion_count(), "assertions"))
            }
            Proof::Ranking(ranking) => {
                let modular = if self.is_modular { ", modular" } else { "" };
                let components = plural(ranking.components, "components");
                format!("ranking of {components}{modular}, {}", plural(ranking.rank_count(), "ranks"))
            }
            Proof::Helping(helping) => {
                let modular = if self.is_modular { ", modular" } else { "" };
                let assertions = plural(helping.proof.assertion_count(), "assertions");
                format!("help at {}{modular}, {assertions}", plural(helping.helps.len(), "places of waiting"))
            }
            Proof::Counting(proof) => {
                let invariants = plural(proof.invariants.len(), "invariants");
                format!(
                    "counting proof, {invariants}, {}",
                    plural(proof.proof.assertion_count(), "assertions")
                )
            }
            Proof::Reduced(proof) => {
                let movers = plural(proof.movers.len(), "movers");
                format!("reduction with {movers}, then {}", self.describe(&proof.proof))
            }
        }
    }
}

/// Whether a proof is in the end one by exhaustion.
fn lists_states(proof: &Proof) -> bool {
    match proof {
        Proof::Exhausted(_) => true,
        Proof::Reduced(reduced) => lists_states(&reduced.proof),
        _ => false,
    }
}

/// Whether some variables are forgotten before anything is shown.
fn forgets(proof: &Proof) -> bool {
    match proof {
        Proof::Reduced(reduced) => !reduced.forgotten.is_empty() || forgets(&reduced.proof),
        _ => false,
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
        format!("a trace of {}, replayed", plural(self.replay.trace().steps.len(), "steps"))
    }
}

/// Looks at the evidence of a claim about a program and a goal: the same program and the same
/// goal that the engine was given.
///
/// A trace is replayed. Exhaustion is confirmed by exploring all states once more without any
/// reduction, if there are not too many; otherwise the listed states are checked to be
/// complete. Of a rely-guarantee proof and of a ranking every obligation is decided, and of a
/// reduction those of its blocks. What cannot be checked within the budget is not believed.
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
        Claim::Safe(proof) => verdict(prove(options, program, goal, proof, budget)),
    })
}

/// Checks a proof of any kind.
pub(crate) fn prove(
    options: CheckOptions,
    program: &Program,
    goal: Goal,
    proof: Proof,
    budget: &Budget,
) -> Result<Proved, Obstacle> {
    let (proof, confirmation, is_modular) = match proof {
        Proof::Exhausted(exhausted) => {
            let confirmation = confirm_exhausted(options, program, goal, &exhausted, budget)?;
            (Proof::Exhausted(Exhausted { visited: None, ..exhausted }), confirmation, false)
        }
        Proof::RelyGuarantee(proof) => {
            let accepted = rely_guarantee::check(program, goal, (&proof).into(), budget)?;
            let is_modular = proof.is_modular(program);
            (Proof::RelyGuarantee(proof), accepted.into(), is_modular)
        }
        Proof::Ranking(ranking) => {
            let accepted = rely_guarantee::check(program, goal, (&ranking).into(), budget)?;
            let is_modular = ranking.is_modular(program);
            (Proof::Ranking(ranking), accepted.into(), is_modular)
        }
        Proof::Helping(helping) => {
            let accepted = rely_guarantee::check(program, goal, (&helping).into(), budget)?;
            let is_modular = helping.is_modular(program);
            (Proof::Helping(helping), accepted.into(), is_modular)
        }
        Proof::Counting(proof) => {
            let accepted = rely_guarantee::check(program, goal, (&proof).into(), budget)?;
            // Who counts the others cannot be understood without them.
            (Proof::Counting(proof), accepted.into(), false)
        }
        Proof::Reduced(reduced) => {
            let inner = |smaller: &Program, proof| prove(options, smaller, goal, proof, budget);
            let (accepted, proved) = reduction::check(program, goal, &reduced, budget, inner)?;
            return Ok(proved.of_reduced(reduced, accepted));
        }
    };
    Ok(Proved { proof, confirmation, is_modular, source: Source::Simplified })
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
/// The same for a proof by assertions alone, which was checked already: most programs that need one have more states, or
/// have no end of them, and this is what it costs to find out.
const SOURCE_STATES_BESIDES: usize = 20_000;

/// Looks at a proof about `prepared`, which passes have made of `source`.
///
/// If the proof is by exhaustion and `source` itself is small enough to be explored, that is the check: then a mistake
/// of a pass cannot make a wrong proof look right. Otherwise the proof is checked about `prepared`, and the passes
/// are trusted, unless [`explore_source`] or [`confirm`] finds that they need not be.
pub fn check_proof(
    source: &Program,
    prepared: &Program,
    goal: Goal,
    proof: Proof,
    budget: &Budget,
) -> CheckedClaim {
    let Proof::Exhausted(exhausted) = &proof else {
        let mut checked = check(prepared, goal, Claim::Safe(proof), budget);
        if let CheckedClaim(Verdict::Safe(proved)) = &mut checked
            && source == prepared
        {
            proved.source = Source::AsItIs;
        }
        return checked;
    };
    let held_bytes = exhausted.visited.as_ref().map_or(0, StateList::memory_bytes);
    match explored_source(source, goal, budget, SOURCE_STATES, held_bytes) {
        Ok(Some(states)) => {
            let Exhausted { states: claimed, transitions, reduction, .. } = *exhausted;
            let proof =
                Proof::Exhausted(Exhausted { states: claimed, transitions, reduction, visited: None });
            let confirmation = Confirmation::ExploredSource { states };
            CheckedClaim(Verdict::Safe(Proved {
                proof,
                confirmation,
                is_modular: false,
                source: Source::Simplified,
            }))
        }
        Ok(None) => check(prepared, goal, Claim::Safe(proof), budget),
        Err(defect) => rejected(defect),
    }
}

/// Explores the program as the front end made it, if it is small, so that an accepted proof about what passes made of it
/// need not trust them.
pub fn explore_source(mut proved: Proved, source: &Program, goal: Goal, budget: &Budget) -> CheckedClaim {
    if !proved.is_about_source() {
        let most = if lists_states(&proved.proof) { SOURCE_STATES } else { SOURCE_STATES_BESIDES };
        match explored_source(source, goal, budget, most, 0) {
            Ok(Some(states)) => proved.source = Source::Explored(states),
            Ok(None) => {}
            Err(defect) => return rejected(defect),
        }
    }
    CheckedClaim(Verdict::Safe(proved))
}

/// Looks at a second proof of the same, about the program as the front end made it. If it is accepted, the passes between
/// that program and the one of which the first proof speaks need not be trusted.
pub fn confirm(proved: Proved, source: &Program, goal: Goal, second: Proof, budget: &Budget) -> Proved {
    // Whoever lists states need not have them explored once more without reduction.
    let options = CheckOptions { states_to_repeat: 0 };
    match check_with(options, source, goal, Claim::Safe(second), budget).into_verdict() {
        Verdict::Safe(second) if !forgets(&second.proof) => {
            let second = Proved { source: Source::AsItIs, ..second };
            Proved { source: Source::Proved(Box::new(second)), ..proved }
        }
        _ => proved,
    }
}

/// How many states a program has in which nothing is wrong; `None` if it is too large for this check, which says
/// nothing about a proof.
fn explored_source(
    source: &Program,
    goal: Goal,
    budget: &Budget,
    most: usize,
    held_bytes: usize,
) -> Result<Option<u64>, ProofDefect> {
    let patience = budget.remaining().map_or(budget.clone(), |left| budget.with_time_limit(left / 4));
    match exhaustion::explore(source, goal, &patience, most, held_bytes) {
        Ok(explored) => Ok(explored.map(|explored| explored.states)),
        Err(Obstacle::Stopped(_) | Obstacle::Defect(ProofDefect::TooManyChoices)) => Ok(None),
        Err(Obstacle::Defect(defect)) => Err(defect),
    }
}

fn rejected(defect: ProofDefect) -> CheckedClaim {
    CheckedClaim(Verdict::Unknown(Reason::Rejected(Rejection::Proof(defect))))
}

fn confirm_exhausted(
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
    exhaustion::certificate::check(program, goal, list, reduced, budget)?;
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
