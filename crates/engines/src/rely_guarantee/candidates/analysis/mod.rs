//! How numbers are related, before anything is refined.
//!
//! A loop that moves one from `y` to `x` until nothing is left keeps `x + y`, and says so nowhere.
//! Interpolants then count the rounds of the loop, one refinement for each. Here such relations are
//! found at once, whatever the bounds of loops are:
//!
//! * sums of any length that no step changes ([`System::sums`]);
//! * octagons: bounds of `x`, of `x + y` and of `x - y`, by abstract interpretation.
//!
//! The latter is thread-modular. A thread knows the shared cells and its own locals at each of its
//! stages; the steps of the others, each together with what they know where it starts, change what
//! it knows. This is iterated until nothing new comes out, with widening up to what the source
//! compares, and narrowed. Only cells are looked at that are computed, in small packs of related
//! ones ([`packs`]), and control points of a thread between which nothing happens to a pack are one
//! stage ([`stages`]).
//!
//! What comes out is a suggestion; nothing but the number of refinements depends on it. So where it
//! takes long, there is no result, and who asks can know the cost beforehand.

mod octagons;
mod packs;
mod stages;
#[cfg(test)]
mod tests;

use crate::rely_guarantee::limits::Limits;
use octagons::Effects;
use rely_logic::domains::{NumericDomain, Octagons};
use rely_logic::{Constraint, Relation, VarId};
use rely_symbolic::System;
use stages::Stages;

/// The analysis of one pack of cells.
pub(crate) struct Analysis {
    limits: Limits,
    cells: usize,
    stages: Stages,
    effects: Effects,
    /// What the source compares within the pack.
    landmarks: Vec<Constraint>,
}

/// What an analysis has found.
#[derive(Default)]
pub(crate) struct Relations {
    /// What holds at any time.
    pub(crate) always: Vec<Constraint>,
    /// What holds at single stages of a thread, equations first.
    pub(crate) at_stages: Vec<Constraint>,
}

impl Analysis {
    /// The analyses that are worth while. `landmarks` are bounds that matter.
    pub(crate) fn all(system: &System<'_>, landmarks: &[Constraint], limits: Limits) -> Vec<Analysis> {
        let packs = packs::packs(system, limits).into_iter();
        packs.map(|pack| Analysis::new(system, &pack, landmarks, limits)).collect()
    }

    fn new(system: &System<'_>, pack: &[VarId], landmarks: &[Constraint], limits: Limits) -> Self {
        let is_bound_of_pack = |constraint: &&Constraint| {
            let is_bound = constraint.relation() == Relation::Le;
            is_bound && constraint.form().variables().all(|cell| pack.contains(&cell))
        };
        let stages = Stages::new(system, pack);
        Analysis {
            limits,
            cells: pack.len(),
            effects: Effects::new(system, pack, &stages),
            stages,
            landmarks: landmarks.iter().filter(is_bound_of_pack).cloned().collect(),
        }
    }

    /// About how many bounds a round computes.
    pub(crate) fn cost(&self) -> usize {
        self.effects.count() * (2 * self.cells).pow(3)
    }

    /// The relations of the pack; `None` if it takes too long.
    pub(crate) fn run(&self) -> Option<Relations> {
        let mut states = self.effects.start();
        let mut rounds = 0..self.limits.analysis_rounds;
        while self.has_grown(&mut states, rounds.next()? >= self.limits.widening_delay) {}
        for _ in 0..self.limits.narrowing_steps {
            let next = self.effects.after_one_step(&states);
            states.iter_mut().zip(&next).for_each(|(state, next)| *state = state.narrow(next));
        }
        Some(self.worth_telling(&states))
    }

    /// Adds what comes out of one more step; whether that is anything new.
    fn has_grown(&self, states: &mut [Octagons], widens: bool) -> bool {
        let next = self.effects.after_one_step(states);
        let mut has_grown = false;
        for (state, next) in states.iter_mut().zip(&next) {
            if !state.includes(next) {
                has_grown = true;
                let joined = state.join(next);
                *state = if widens { self.widened(state, &joined) } else { joined };
            }
        }
        has_grown
    }

    /// Widens bounds that grow, but not beyond those of the source.
    fn widened(&self, state: &Octagons, joined: &Octagons) -> Octagons {
        let mut wide = state.widen(joined);
        for landmark in self.landmarks.iter().filter(|landmark| joined.entails(landmark)) {
            wide.meet(landmark);
        }
        wide
    }

    /// What a thread knows wherever it is holds at any time, so what all of them know does.
    fn worth_telling(&self, states: &[Octagons]) -> Relations {
        let knowledge = self.stages.of_threads().map(|range| {
            let stages = states[range].iter();
            stages.fold(Octagons::bottom(), |all, state| all.join(state))
        });
        let reached = knowledge.filter(|known| !known.is_bottom());
        let always = reached.fold(Octagons::top(), |all, known| all.met(&known));
        let mut relations = Relations::default();
        add_relations(&always, &mut relations.always);
        states.iter().for_each(|state| add_relations(state, &mut relations.at_stages));
        relations.at_stages.sort_by_key(|relation| relation.relation() != Relation::Eq);
        relations
    }
}

/// Adds the constraints of an octagon, without those that follow from the bounds of single cells.
fn add_relations(octagon: &Octagons, relations: &mut Vec<Constraint>) {
    if octagon.is_bottom() {
        return;
    }
    let intervals = octagon.intervals();
    for constraint in octagon.constraints() {
        let is_single = constraint.form().terms().len() == 1;
        if !is_single && intervals.entails(&constraint) {
            continue;
        }
        let reverse = Constraint::new(constraint.form().negated(), Relation::Le);
        let relation = match octagon.entails(&reverse) {
            true => Constraint::new(constraint.form().clone(), Relation::Eq),
            false => constraint,
        };
        if !relations.contains(&relation) {
            relations.push(relation);
        }
    }
}
