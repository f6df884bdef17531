//! Rely-guarantee proofs with one thing changed.
//!
//! A change may give another proof: an assertion may say more than is needed, an effect may be
//! allowed to be larger. So a mutant is not wrong by itself; whoever uses it compares what the
//! checker and another solver say.

use rely_evidence::rely_guarantee::{Cube, RelyGuarantee};

/// A changed proof.
#[derive(Debug)]
pub struct Mutant {
    /// What was changed.
    pub what: String,
    /// The result.
    pub proof: RelyGuarantee,
}

/// Mutants of each kind, evenly spread over the proof, so many of each at most.
pub fn mutants(proof: &RelyGuarantee, of_each_kind: usize) -> Vec<Mutant> {
    let mut found = Vec::new();
    let mut spread = |what: &str, places: usize, change: &dyn Fn(&mut RelyGuarantee, usize)| {
        let stride = places.div_ceil(of_each_kind).max(1);
        for place in (0..places).step_by(stride) {
            let mut mutant = proof.clone();
            change(&mut mutant, place);
            found.push(Mutant { what: format!("{what} {place}"), proof: mutant });
        }
    };
    let assertion_cubes = assertions(&mut proof.clone()).len();
    let assertion_atoms: usize = assertions(&mut proof.clone()).iter().map(|cube| cube.atoms.len()).sum();
    let effect_cubes = effects(&mut proof.clone()).len();
    let effect_atoms: usize = effects(&mut proof.clone()).iter().map(|cube| cube.atoms.len()).sum();
    let assertion_places: usize = assertions(&mut proof.clone()).iter().map(|cube| cube.others.len()).sum();
    let effect_places: usize = effects(&mut proof.clone()).iter().map(|cube| cube.others.len()).sum();
    let points = proof.assertion_count();

    spread("assertion without conjunct", assertion_atoms, &|mutant, at| drop_atom(assertions(mutant), at));
    spread("assertion with a larger constant in", assertion_atoms, &|mutant, at| {
        change_atom(assertions(mutant), at, |atom| atom.constant += 1);
    });
    spread("assertion with the opposite of", assertion_atoms, &|mutant, at| {
        change_atom(assertions(mutant), at, |atom| {
            atom.constant = 1 - atom.constant;
            atom.terms.iter_mut().for_each(|(factor, _)| *factor = -*factor);
        });
    });
    spread("assertion without place of another thread", assertion_places, &|mutant, at| {
        drop_place(assertions(mutant), at);
    });
    spread("assertion without case", assertion_cubes, &|mutant, at| drop_cube(mutant, at));
    spread("no assertion at place", points, &|mutant, at| drop_point(mutant, at));
    spread("effect without conjunct", effect_atoms, &|mutant, at| drop_atom(effects(mutant), at));
    spread("effect without place of another thread", effect_places, &|mutant, at| {
        drop_place(effects(mutant), at);
    });
    spread("effect without case", effect_cubes, &|mutant, at| drop_effect_cube(mutant, at));
    spread("no effect of edge", proof.effects.len(), &|mutant, at| _ = mutant.effects.remove(at));
    spread("exchanged threads from", proof.threads.len().saturating_sub(1), &|mutant, at| {
        let other = mutant.threads[at + 1].thread;
        mutant.threads[at + 1].thread = std::mem::replace(&mut mutant.threads[at].thread, other);
    });
    found
}

fn assertions(proof: &mut RelyGuarantee) -> Vec<&mut Cube> {
    let points = proof.threads.iter_mut().flat_map(|entry| &mut entry.at);
    points.flat_map(|(_, cubes)| cubes).collect()
}

fn effects(proof: &mut RelyGuarantee) -> Vec<&mut Cube> {
    proof.effects.iter_mut().flat_map(|effect| &mut effect.cubes).collect()
}

fn drop_atom(cubes: Vec<&mut Cube>, mut at: usize) {
    for cube in cubes {
        if at < cube.atoms.len() {
            cube.atoms.remove(at);
            return;
        }
        at -= cube.atoms.len();
    }
}

fn drop_place(cubes: Vec<&mut Cube>, mut at: usize) {
    for cube in cubes {
        if at < cube.others.len() {
            cube.others.remove(at);
            return;
        }
        at -= cube.others.len();
    }
}

fn change_atom(
    cubes: Vec<&mut Cube>,
    at: usize,
    change: impl FnOnce(&mut rely_evidence::rely_guarantee::Atom),
) {
    if let Some(atom) = cubes.into_iter().flat_map(|cube| &mut cube.atoms).nth(at) {
        change(atom);
    }
}

fn drop_cube(proof: &mut RelyGuarantee, mut at: usize) {
    for (_, cubes) in proof.threads.iter_mut().flat_map(|entry| &mut entry.at) {
        if at < cubes.len() {
            cubes.remove(at);
            return;
        }
        at -= cubes.len();
    }
}

fn drop_point(proof: &mut RelyGuarantee, mut at: usize) {
    for entry in &mut proof.threads {
        if at < entry.at.len() {
            entry.at.remove(at);
            return;
        }
        at -= entry.at.len();
    }
}

fn drop_effect_cube(proof: &mut RelyGuarantee, mut at: usize) {
    for effect in &mut proof.effects {
        if at < effect.cubes.len() {
            effect.cubes.remove(at);
            return;
        }
        at -= effect.cubes.len();
    }
}
