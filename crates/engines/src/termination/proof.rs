//! The proof that consists of invariants and ranks.

use super::invariants::Invariants;
use super::ranks::Component;
use rely_base::{Budget, Id};
use rely_evidence::ranking::{RankCase, Ranking, Sum, ThreadRanks};
use rely_evidence::rely_guarantee::{Quantity, RelyGuarantee};
use rely_logic::{Integer, LinearForm, VarId};
use rely_program::Value;
use rely_symbolic::System;
use rely_symbolic::outline::{self, Outline};

/// `None` if something cannot be written down.
pub(super) fn write(
    system: &System<'_>,
    invariants: Invariants,
    components: &[Component],
    budget: &Budget,
) -> Option<Ranking> {
    let ranks = ranks(system, &invariants, components)?;
    let proof = assertions(system, invariants, budget)?;
    Some(Ranking { components: components.len(), ranks, proof })
}

/// The ranks alone.
pub(super) fn ranks(
    system: &System<'_>,
    invariants: &Invariants,
    components: &[Component],
) -> Option<Vec<ThreadRanks>> {
    let mut ranks = Vec::new();
    for thread in system.thread_ids() {
        let mut at = Vec::new();
        for (point, place) in system.thread(thread).points.iter().enumerate() {
            if invariants.at[thread.index()][point].is_empty() {
                continue;
            }
            let of = |component: &Component| sum(system, &component[thread.index()][point]);
            let rank = components.iter().map(of).collect::<Option<Vec<_>>>()?;
            at.push((*place, vec![RankCase { when: Vec::new(), rank }]));
        }
        ranks.push(ThreadRanks { thread, at });
    }
    Some(ranks)
}

/// The invariants alone.
pub(super) fn assertions(
    system: &System<'_>,
    invariants: Invariants,
    budget: &Budget,
) -> Option<RelyGuarantee> {
    let tells_places = invariants.at.iter().flatten().flatten().any(|known| !known.others.is_empty());
    let outline = Outline { at: invariants.at, told: None, predicates: Vec::new(), tells_places };
    outline::write(system, &outline, budget)
}

fn sum(system: &System<'_>, form: &LinearForm) -> Option<Sum> {
    let number = |value: &Integer| value.to_string().parse::<Value>().ok();
    let term = |(cell, factor): &(VarId, Integer)| -> Option<(Value, Quantity)> {
        Some((number(factor)?, system.cells.quantity(*cell)?))
    };
    let terms = form.terms().iter().map(term).collect::<Option<_>>()?;
    Some(Sum { terms, constant: number(form.constant_term())? })
}
