//! What a proof says, with what passes know: the values of variables that became places.
//!
//! The proof of an engine speaks of the program that the engine saw. A location of it may be one of
//! several copies of a location of the source, one for each value of some variable; whoever reads
//! the proof wants to know which.

use rely_evidence::counting::{Invariant, Summand};
use rely_evidence::rely_guarantee::{Atom, Comparison, ControlPoint, Cube, Moment, Quantity, RelyGuarantee};
use rely_passes::{Restored, VarValues};
use rely_program::{LocationId, Value, VarId};

/// The proof in which every assertion names the values that variables have there.
pub(crate) fn proof(proof: &RelyGuarantee, restored: &Restored) -> RelyGuarantee {
    let mut told = proof.clone();
    for (point, cubes) in told.threads.iter_mut().flat_map(|entry| &mut entry.at) {
        if let ControlPoint::At(location) = *point {
            let named = cubes.iter().map(|cube| with_names(cube, restored, [location, location]));
            *cubes = with_values(named.collect(), restored.values(location));
        }
    }
    for effect in &mut told.effects {
        let edge = &restored.program.edges()[effect.edge];
        let ends = [edge.source, edge.target];
        effect.cubes.iter_mut().for_each(|cube| *cube = with_names(cube, restored, ends));
    }
    told
}

/// The invariants in which every count names the values that variables have where it counts.
pub(crate) fn invariants(invariants: &[Invariant], restored: &Restored) -> Vec<Invariant> {
    let mut told = invariants.to_vec();
    let atoms = told.iter_mut().flat_map(|invariant| &mut invariant.cubes).flatten();
    for (_, summand) in atoms.flat_map(|atom| &mut atom.terms) {
        if let Summand::Count(counter) = summand {
            let values = restored.values(counter.location).iter();
            let single = values.filter(|known| known.values.len() == 1);
            counter.having.extend(single.flat_map(|known| known.values.iter().map(|&it| is(known.var, it))));
        }
    }
    told
}

/// The cube with the variables called by the names that they have before and after a step.
fn with_names(cube: &Cube, restored: &Restored, [before, after]: [LocationId; 2]) -> Cube {
    let mut named = cube.clone();
    for (_, quantity) in named.atoms.iter_mut().flat_map(|atom| &mut atom.terms) {
        if let Quantity::Cell { var, moment, .. } = quantity {
            let at = if *moment == Moment::Before { before } else { after };
            *var = restored.name(at, *var);
        }
    }
    named
}

/// What holds if one of the cubes does and every variable has one of its values.
fn with_values(cubes: Vec<Cube>, known: &[VarValues]) -> Vec<Cube> {
    let mut all: Vec<Cube> = cubes;
    for VarValues { var, values } in known.iter().rev() {
        let with = |cube: &Cube, value: Value| {
            let atoms = [is(*var, value)].into_iter().chain(cube.atoms.iter().cloned()).collect();
            Cube { atoms, others: cube.others.clone() }
        };
        all = all.iter().flat_map(|cube| values.iter().map(|&value| with(cube, value))).collect();
    }
    all
}

fn is(var: VarId, value: Value) -> Atom {
    let quantity = Quantity::Cell { var, index: 0, moment: Moment::Before };
    Atom { terms: vec![(1, quantity)], constant: -value, comparison: Comparison::Eq }
}
