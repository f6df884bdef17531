//! Proofs that say no more than they need.
//!
//! An engine knows much of each place, and most of it matters to nobody who reads its proof. Here a proof by assertions is
//! made shorter in four steps:
//!
//! 1. `cases`: the places of other threads, as far as the proof tells them apart, split what it says into cases. Of each
//!    case that is kept which follows from all that the proof says there: one conjunction instead of many. The first
//!    attempt has one case for each place;
//! 2. `arrivals`: every way in which a thread comes into a case, by its own step or because another one moves;
//! 3. `induct`: what does not follow from what is kept is dropped until the rest is inductive;
//! 4. `need`: from that, only what excludes violations stays, and what the rest needs to stay true. Of several
//!    comparisons that would do, those are taken that are easier to read: without temporaries, equations, few terms.
//!
//! What comes out is one more claim: it is believed only if the checker accepts it.

mod arrivals;
mod cases;
mod induct;
mod need;

use crate::outline::{Known, Outline, write};
use crate::system::ControlPointId;
use crate::{Limits, System};
use cases::Table;
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_logic::Constraint;
use rely_program::{Goal, Program, ThreadId};

/// What a shorter proof may tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cases {
    /// Nothing: one conjunction for each place.
    Single,
    /// The places of the threads whose places the longer proof mentions.
    ByPlaces,
}

/// A shorter proof of the same, if there is one that tells no more cases apart.
pub fn condensed(
    program: &Program,
    goal: Goal,
    proof: &RelyGuarantee,
    cases: Cases,
    budget: &Budget,
) -> Option<RelyGuarantee> {
    let system = System::new(program, goal, Limits::default(), budget).ok()?;
    let mut table = Table::new(&system, proof, cases, budget)?;
    let ways = arrivals::arrivals(&system, &table);
    induct::induct(&system, &mut table, &ways, budget)?;
    table.notice_common();
    need::mark(&system, &mut table, &ways, budget)?;
    write(&system, &outline(&system, &table), budget)
}

/// The needed parts of a table, with cases in which the same is needed put together.
fn outline(system: &System<'_>, table: &Table) -> Outline {
    let known = |thread: ThreadId, point: usize| -> Vec<Known> {
        let mut all: Vec<Known> = Vec::new();
        for case in &table.at[thread.index()][point] {
            let needed = case.atoms.iter().filter(|atom| atom.is_needed);
            let constraints: Vec<Constraint> = needed.map(|atom| atom.constraint.clone()).collect();
            let others = table.others(thread).map(|(slot, other)| (other, vec![case.key[slot]])).collect();
            all.push(Known { constraints, others });
        }
        merge(&mut all);
        for one in &mut all {
            one.others.retain(|(other, points)| !is_anywhere(system, table, *other, points));
        }
        all
    };
    let at: Vec<Vec<Vec<Known>>> = system
        .thread_ids()
        .map(|thread| (0..table.at[thread.index()].len()).map(|point| known(thread, point)).collect())
        .collect();
    let mut predicates: Vec<[Constraint; 2]> = Vec::new();
    for constraint in at.iter().flatten().flatten().flat_map(|known| &known.constraints) {
        if !predicates.iter().flatten().any(|known| known == constraint) {
            predicates.push([constraint.clone(), constraint.negated()]);
        }
    }
    let tells_places = at.iter().flatten().flatten().any(|known| !known.others.is_empty());
    Outline { at, told: None, predicates, tells_places }
}

/// Puts together what differs only in where one thread is.
fn merge(all: &mut Vec<Known>) {
    let together = |one: &Known, other: &Known| -> Option<Known> {
        let mut differing = (0..one.others.len()).filter(|&slot| one.others[slot] != other.others[slot]);
        let slot = differing.next()?;
        if one.constraints != other.constraints || differing.next().is_some() {
            return None;
        }
        let mut both = one.clone();
        both.others[slot].1.extend(&other.others[slot].1);
        both.others[slot].1.sort_unstable();
        both.others[slot].1.dedup();
        Some(both)
    };
    let find = |all: &[Known]| {
        let pairs = (0..all.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
        pairs
            .into_iter()
            .find_map(|(first, second)| Some((first, second, together(&all[first], &all[second])?)))
    };
    while let Some((first, second, both)) = find(all) {
        all[first] = both;
        all.remove(second);
    }
}

/// Whether a thread is nowhere but at some of its points.
fn is_anywhere(system: &System<'_>, table: &Table, thread: ThreadId, points: &[ControlPointId]) -> bool {
    let all = (0..system.thread(thread).points.len()).map(ControlPointId::from_index);
    all.into_iter().all(|point| points.contains(&point) || table.at[thread.index()][point.index()].is_empty())
}
