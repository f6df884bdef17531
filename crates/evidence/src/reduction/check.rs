//! The check of a reduction: the shape of its blocks, its movers, and the proof about what is left.

use super::joined;
use super::shape::Shape;
use crate::data::{Obstacle, Proof, ProofDefect, Reduced, ReducedDefect, reduced_program};
use crate::obligations::movers::Movability;
use crate::rely_guarantee::{Accepted, check_movability};
use rely_base::Budget;
use rely_program::{Goal, Program};

/// Checks a reduction, and with `prove` the proof about the reduced program.
pub(crate) fn check<P>(
    program: &Program,
    goal: Goal,
    reduced: &Reduced,
    budget: &Budget,
    prove: impl FnOnce(&Program, Proof) -> Result<P, Obstacle>,
) -> Result<(Accepted, P), Obstacle> {
    if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
        return Err(ProofDefect::UnsupportedGoal(goal).into());
    }
    budget.check_now()?;
    let (forgetful, _) = reduced.forgetful(program).map_err(ProofDefect::from)?;
    let claims = movability(&forgetful, goal, reduced).map_err(ProofDefect::from)?;
    let accepted =
        check_movability(&forgetful, goal, &reduced.held, &claims, budget).map_err(of_reduction)?;
    let smaller = joined_program(&forgetful, reduced).map_err(ProofDefect::from)?;
    let proof = (*reduced.proof).clone();
    let proved = prove(&smaller, proof).map_err(of_reduced_program)?;
    Ok((accepted, proved))
}

/// The program in which blocks are single steps. A pass makes it, and is not trusted.
fn joined_program(forgetful: &Program, reduced: &Reduced) -> Result<Program, ReducedDefect> {
    let inside = || reduced.inside.iter().map(|(location, _)| *location);
    let (smaller, back) = reduced_program(forgetful, inside())?;
    let atomic = forgetful
        .with_atomic(inside())
        .map_err(|malformed| ReducedDefect::Malformed(malformed.to_string()))?;
    joined::compare(&atomic, &smaller, &back)?;
    Ok(smaller)
}

/// What has to be shown of single edges and locations of a program that has forgotten what the proof forgets, if the
/// blocks have the right shape.
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
