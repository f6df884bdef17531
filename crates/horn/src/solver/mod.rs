//! Solving recursive Horn clauses in the manner of HSF.
//!
//! Grebenshchikov, Lopes, Popeea, Rybalchenko: *Synthesizing software verifiers from proof rules* (PLDI
//! 2012). Abstract reachability over clauses ([`reach`]) with predicate abstraction ([`precision`]), whose
//! spurious derivations are refined by tree interpolants ([`refine`]). Departures from the paper:
//!
//! - Finite arguments are kept as values ([`special`]) instead of as predicates: program counters, locks
//!   and flags cost nothing then.
//! - Interpolants are taken apart into comparisons; only where these do not help, whole formulas are
//!   tracked, which makes sure that no abstract derivation comes twice.
//! - Facts that an analysis with polyhedra finds are preferred in refinements ([`candidates`]).
//!
//! What comes out here is not believed: see [`crate::check`].

mod candidates;
mod concrete;
mod congruence;
mod context;
mod links;
mod precision;
mod reach;
mod refine;
mod special;
mod unroll;

use rely_base::{Arena, Budget, Observer, Progress};
use rely_logic::interpolate::UnknownId;
use rely_logic::{TermId, TermPool};

use crate::clauses::{Derivation, Model, System};
use crate::limits::Limits;
use crate::normal::Normal;
use reach::{Engine, Reached, State, StateId};
use refine::Refinement;
use unroll::Last;

/// What the search has found.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Model(Model),
    Derivation(Derivation),
    Unknown(String),
}

/// Formulas over the parameters of a predicate of the system that are welcome as reasons.
pub type Hints = Arena<UnknownId, Vec<TermId>>;

/// Searches for a model or a derivation.
pub(crate) fn search(
    limits: &Limits,
    pool: &mut TermPool,
    system: &System,
    hints: Option<&Hints>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Found {
    let normal = match Normal::new(limits, pool, system, budget) {
        Ok(normal) => normal,
        Err(reason) => return Found::Unknown(reason.to_string()),
    };
    let mut engine = Engine::new(pool, &normal, budget);
    observer.progress(&Progress { activity: "analysing", counts: Vec::new() });
    let mut candidates = candidates::candidates(pool, &mut engine);
    for (unknown, formulas) in hints.into_iter().flat_map(Arena::iter) {
        let ours = formulas.iter().map(|&formula| normal.own_formula(pool, system, unknown, formula));
        let ours: Vec<TermId> = ours.collect();
        candidates[unknown]
            .splice(0..0, ours.into_iter().filter(|&formula| is_over(pool, &engine, unknown, formula)));
    }
    let mut round = 0_u64;
    loop {
        round += 1;
        observer.progress(&Progress {
            activity: "refining",
            counts: vec![("rounds", round), ("predicates", engine.precision.len() as u64)],
        });
        let (states, special, premises) = match engine.reach(pool) {
            Ok(Reached::All(states)) => return Found::Model(model(pool, system, &engine, &states)),
            Ok(Reached::False { states, special, premises }) => (states, special, premises),
            Err(reason) => return Found::Unknown(reason.to_string()),
        };
        match engine.refine(pool, &states, Last { special, premises: &premises }, &candidates) {
            Refinement::Real(derivation) => return Found::Derivation(derivation),
            Refinement::Tracked => {}
            Refinement::Unknown(reason) => {
                return Found::Unknown(refine::stopped(budget).unwrap_or(reason));
            }
        }
    }
}

fn is_over(pool: &TermPool, engine: &Engine<'_>, unknown: UnknownId, formula: TermId) -> bool {
    let allowed = engine.parameters(unknown);
    pool.free_variables(formula)
        .iter()
        .all(|&variable| allowed.iter().any(|&parameter| pool.as_var(parameter) == Some(variable)))
}

/// The model that all abstract states together are.
fn model(pool: &mut TermPool, system: &System, engine: &Engine<'_>, states: &Arena<StateId, State>) -> Model {
    let mut cases: Arena<UnknownId, Vec<TermId>> = system.unknowns().ids().map(|_| Vec::new()).collect();
    for state in states.values().filter(|state| !state.is_covered) {
        let predicate = &engine.normal.predicates[state.unknown];
        let mut parts = engine.cube(state);
        let finite =
            predicate.parameters.iter().zip(&predicate.domains).filter(|(_, domain)| domain.is_some());
        for ((&parameter, _), value) in finite.zip(engine.specials.values(state.values).iter()) {
            let (parameter, value) = (pool.var(parameter), pool.int(value.clone()));
            parts.push(pool.eq(parameter, value));
        }
        cases[state.unknown].push(pool.and(parts));
    }
    let formulas = system.unknowns().ids().map(|unknown| {
        let formula = pool.or(cases[unknown].iter().copied());
        engine.normal.original_formula(pool, system, unknown, formula)
    });
    formulas.collect()
}
