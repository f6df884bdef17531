//! The check of a reduction: the shape of its blocks, its movers, and the proof about what is left.

use super::defect::ReducedDefect;
use super::proof::Reduced;
use super::shape::Shape;
use crate::inspection::Obstacle;
use crate::reason::ProofDefect;
use crate::rely_guarantee::{Movability, check_movability};
use crate::verdict::{CheckOptions, Proved, prove};
use rely_base::Budget;
use rely_program::{Goal, Program};

/// Checks a reduction and the proof about the reduced program.
pub(crate) fn check(
    options: CheckOptions,
    program: &Program,
    goal: Goal,
    reduced: Reduced,
    budget: &Budget,
) -> Result<Proved, Obstacle> {
    if !matches!(goal, Goal::Assert | Goal::Overflow) {
        return Err(ProofDefect::UnsupportedGoal(goal).into());
    }
    budget.check_now()?;
    let claims = movability(program, goal, &reduced).map_err(ProofDefect::from)?;
    let accepted = check_movability(program, goal, &reduced.held, &claims, budget).map_err(of_reduction)?;
    let (smaller, _) = reduced.program(program).map_err(ProofDefect::from)?;
    let proof = (*reduced.proof).clone();
    let proved = prove(options, &smaller, goal, proof, budget).map_err(of_reduced_program)?;
    Ok(proved.of_reduced(reduced, accepted))
}

/// What has to be shown of single edges and locations if the blocks have the right shape.
pub(crate) fn movability(
    program: &Program,
    goal: Goal,
    reduced: &Reduced,
) -> Result<Movability, ReducedDefect> {
    let shape = Shape::new(program, reduced)?;
    shape.check(goal)?;
    Ok(shape.movability())
}

fn of_reduction(obstacle: Obstacle) -> Obstacle {
    match obstacle {
        Obstacle::Defect(ProofDefect::RelyGuarantee(defect)) => {
            ProofDefect::from(ReducedDefect::Obligation(Box::new(defect))).into()
        }
        other => other,
    }
}

fn of_reduced_program(obstacle: Obstacle) -> Obstacle {
    match obstacle {
        Obstacle::Defect(defect) => ProofDefect::from(ReducedDefect::Proof(Box::new(defect))).into(),
        stopped => stopped,
    }
}
