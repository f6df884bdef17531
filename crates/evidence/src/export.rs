//! Obligations of proofs of any kind, for other solvers.

use crate::data::Proof;
use crate::reduction::movability;
use crate::rely_guarantee::{ObligationsError, Part, export_parts, recheck_part};
use rely_base::Budget;
use rely_program::{Goal, Program};

/// All obligations of a proof as an SMT-LIB script. Any solver answers `unsat` to each query, if
/// the proof is one. A proof by exhaustion has none.
pub fn export_obligations(
    program: &Program,
    goal: Goal,
    proof: &Proof,
    budget: &Budget,
) -> Result<String, ObligationsError> {
    let mut text = String::new();
    with_parts(program, goal, proof, &mut |parts| {
        let kind = match parts {
            [(_, Part::Proof(argument))] => argument.name(),
            _ => "proof by reduction",
        };
        text = export_parts(program.name(), kind, goal, parts, budget)?;
        Ok(())
    })?;
    Ok(text)
}

/// Asks another solver about every obligation of a proof, and returns how many it has confirmed. The
/// command is a program with arguments, such as `z3` or `cvc5`.
pub fn recheck(
    program: &Program,
    goal: Goal,
    proof: &Proof,
    command: &str,
    budget: &Budget,
) -> Result<usize, ObligationsError> {
    let mut confirmed = 0;
    with_parts(program, goal, proof, &mut |parts| {
        for (program, part) in parts {
            confirmed += recheck_part(program, goal, *part, command, budget)?;
        }
        Ok(())
    })?;
    Ok(confirmed)
}

type Parts<'p> = [(&'p Program, Part<'p>)];

/// Calls `visit` with the parts of a proof that have obligations, in order. Of a proof by reduction
/// these are the reduction and the proof about the reduced program, unless that one is by
/// exhaustion.
fn with_parts(
    program: &Program,
    goal: Goal,
    proof: &Proof,
    visit: &mut dyn FnMut(&Parts<'_>) -> Result<(), ObligationsError>,
) -> Result<(), ObligationsError> {
    match proof {
        Proof::RelyGuarantee(proof) => visit(&[(program, Part::Proof(proof.into()))]),
        Proof::Ranking(ranking) => visit(&[(program, Part::Proof(ranking.into()))]),
        Proof::Helping(helping) => visit(&[(program, Part::Proof(helping.into()))]),
        Proof::Counting(proof) => visit(&[(program, Part::Proof(proof.into()))]),
        Proof::Reduced(reduced) => {
            let (forgetful, _) = reduced.forgetful(program)?;
            let claims = movability(&forgetful, goal, reduced)?;
            let own = (&forgetful, Part::Movability(&reduced.held, &claims));
            let (smaller, _) = reduced.program(program)?;
            match &*reduced.proof {
                Proof::Exhausted(_) => visit(&[own]),
                inner => with_parts(&smaller, goal, inner, &mut |parts| {
                    let all: Vec<_> = std::iter::once(own).chain(parts.iter().copied()).collect();
                    visit(&all)
                }),
            }
        }
        Proof::Exhausted(_) => Err(ObligationsError::NoObligations),
    }
}
