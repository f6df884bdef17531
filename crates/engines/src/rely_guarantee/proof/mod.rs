//! From complete trees to a proof that others can check.
//!
//! * [`effects`]: what the steps of a thread look like to the others.

mod effects;

use super::abstraction::Abstraction;
use super::merge::{Merged, merged};
use super::relevance::relevant_classes;
use super::system::{SpotId, System};
use super::tree::Trees;
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::{Cube, EdgeEffect, RelyGuarantee, ThreadAssertions};
use rely_logic::Constraint;
use rely_program::ThreadId;

/// What the trees prove. `None` if something cannot be written down.
pub(super) fn assemble(
    trees: &mut Trees<'_, '_>,
    abstraction: &Abstraction,
    budget: &Budget,
) -> Option<RelyGuarantee> {
    let system = trees.system();
    let classes = relevant_classes(trees, abstraction, budget);
    let at = |thread, spot| merged(classes.at(thread, SpotId::from_index(spot)));
    let of = |thread| (0..system.thread(thread).spots.len()).map(|spot| at(thread, spot)).collect();
    let states = States { at: system.thread_ids().map(of).collect(), told: None };
    write(system, abstraction, states, budget)
}

/// What is claimed of each thread.
pub(super) struct States {
    /// At each of its spots.
    pub(super) at: Vec<Vec<Vec<Merged>>>,
    /// What others need to know of it when it takes an edge, if that is less.
    pub(super) told: Option<Vec<Vec<Merged>>>,
}

/// A proof that consists of some states. `None` if something cannot be written down.
pub(super) fn write(
    system: &System<'_>,
    abstraction: &Abstraction,
    states: States,
    budget: &Budget,
) -> Option<RelyGuarantee> {
    let modular = is_modular(system, abstraction, &states.at);
    let writer = Writer { system, abstraction, budget, modular, states };
    let threads = system.thread_ids().map(|thread| writer.assertions(thread));
    let threads = threads.collect::<Option<_>>()?;
    let effects = system.program.edges().ids().map(|edge| writer.effect(edge));
    let effects: Vec<EdgeEffect> = effects.collect::<Option<_>>()?;
    let effects = effects.into_iter().filter(|effect| !effect.cubes.is_empty()).collect();
    Some(RelyGuarantee { threads, effects })
}

/// Whether no state speaks of another thread.
fn is_modular(system: &System<'_>, abstraction: &Abstraction, states: &[Vec<Vec<Merged>>]) -> bool {
    let tells_nobody_apart = |observer: ThreadId| {
        system.thread_ids().all(|observed| abstraction.partition(observer, observed).is_trivial())
    };
    let speaks_of_itself = |thread: ThreadId| {
        let states = states[thread.index()].iter().flatten();
        let mut cells = states
            .flat_map(|state| abstraction.constraints(&state.literals))
            .flat_map(|constraint| constraint.form().variables());
        cells.all(|cell| system.is_modular(cell, thread))
    };
    system.thread_ids().all(|thread| tells_nobody_apart(thread) && speaks_of_itself(thread))
}

struct Writer<'w, 'p> {
    system: &'w System<'p>,
    abstraction: &'w Abstraction,
    budget: &'w Budget,
    modular: bool,
    states: States,
}

impl Writer<'_, '_> {
    fn assertions(&self, thread: ThreadId) -> Option<ThreadAssertions> {
        let view = self.system.thread(thread);
        let mut at = Vec::new();
        for (index, &spot) in view.spots.iter().enumerate() {
            let states = self.states.at[thread.index()][index].iter();
            let cubes: Option<Vec<Cube>> = states.map(|state| self.cube(thread, state)).collect();
            let cubes = without_subsumed(cubes?);
            if !cubes.is_empty() {
                at.push((spot, cubes));
            }
        }
        Some(ThreadAssertions { thread, at })
    }

    fn cube(&self, thread: ThreadId, state: &Merged) -> Option<Cube> {
        let constraints: Vec<Constraint> = self.abstraction.constraints(&state.literals).cloned().collect();
        self.written(&constraints, thread, state)
    }

    fn written(&self, constraints: &[Constraint], thread: ThreadId, state: &Merged) -> Option<Cube> {
        let atoms = constraints.iter().map(|constraint| self.system.cells.atom(constraint));
        let others = self.system.thread_ids().filter_map(|other| {
            let partition = self.abstraction.partition(thread, other);
            let blocks = &state.blocks[other.index()];
            (other != thread && blocks.len() < partition.len()).then(|| {
                let spots = blocks.iter().flat_map(|&block| partition.block(block));
                (other, spots.map(|spot| self.system.thread(other).spots[spot.index()]).collect())
            })
        });
        Some(Cube { atoms: atoms.collect::<Option<_>>()?, others: others.collect() })
    }
}

/// Cubes that imply another one add nothing to a disjunction.
fn without_subsumed(mut cubes: Vec<Cube>) -> Vec<Cube> {
    for cube in &mut cubes {
        cube.atoms
            .sort_by(|left, right| left.terms.cmp(&right.terms).then(left.constant.cmp(&right.constant)));
        cube.atoms.dedup();
    }
    let mut kept: Vec<Cube> = Vec::new();
    for cube in cubes {
        if kept.iter().any(|known| known.is_implied_by(&cube)) {
            continue;
        }
        kept.retain(|known| !cube.is_implied_by(known));
        kept.push(cube);
    }
    kept
}

/// The syntactic order of cubes: fewer atoms say less.
trait Implied {
    fn is_implied_by(&self, other: &Self) -> bool;
}

impl Implied for Cube {
    fn is_implied_by(&self, other: &Cube) -> bool {
        self.others == other.others && self.atoms.iter().all(|atom| other.atoms.contains(atom))
    }
}
