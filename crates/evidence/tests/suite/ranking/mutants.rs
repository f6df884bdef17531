//! Rankings with one number changed: most are rejected, and of the others z3 and cvc5 say that they are right, too.

use super::models;
use super::ranks::ranking;
use crate::common;
use crate::solvers::solvers;
use rely_base::Budget;
use rely_evidence::ranking::{Ranking, Sum};
use rely_evidence::rely_guarantee::recheck;
use rely_evidence::{Proof, Verdict};
use rely_program::Goal;

/// All sums of the ranks.
fn sums(ranking: &mut Ranking) -> Vec<&mut Sum> {
    let cases = ranking.ranks.iter_mut().flat_map(|entry| &mut entry.at).flat_map(|(_, cases)| cases);
    cases.flat_map(|case| &mut case.rank).collect()
}

/// The ranking with one sum changed, in each way.
fn mutants(ranking: &Ranking) -> Vec<Ranking> {
    let changes: [fn(&mut Sum); 4] = [
        |sum| sum.constant += 1,
        |sum| sum.constant -= 1,
        |sum| sum.terms.iter_mut().for_each(|(factor, _)| *factor = -*factor),
        |sum| sum.terms.clear(),
    ];
    let count = sums(&mut ranking.clone()).len();
    let mutant = |(at, change): (usize, fn(&mut Sum))| {
        let mut mutant = ranking.clone();
        change(sums(&mut mutant)[at]);
        (mutant != *ranking).then_some(mutant)
    };
    (0..count).flat_map(|at| changes.map(|change| (at, change))).filter_map(mutant).collect()
}

#[test]
fn no_mutant_is_accepted_that_other_solvers_refute() {
    let (mut rejected, mut accepted) = (0, 0);
    for model in models::all() {
        for mutant in mutants(&ranking(&model.program, model.proof)) {
            let proof = Proof::Ranking(mutant.clone());
            if !matches!(common::verdict(&model.program, Goal::Termination, proof), Verdict::Safe(_)) {
                rejected += 1;
                continue;
            }
            accepted += 1;
            for solver in solvers() {
                let answer =
                    recheck(&model.program, Goal::Termination, &mutant, solver, &Budget::unlimited());
                assert!(answer.is_ok(), "{}: {solver}: {answer:?}: {mutant:?}", model.name);
            }
        }
    }
    assert!(rejected > 60 && accepted > 10, "{rejected} rejected, {accepted} accepted");
}
