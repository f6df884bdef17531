//! Omega configurations as a proof: whatever happens, the state is covered by one of them.
//!
//! The invariant has one conjunction for each omega configuration: the values of the globals, where each instance
//! stands and with which locals, and for each local state of which there is not any number, how many
//! threads are in it at most. The assertions about threads only say which local states there are,
//! so no step of another thread can make them false.

use super::configuration::{Count, Local, LocalId, OmegaConfiguration};
use super::cover::Cover;
use rely_evidence::counting::{CountAtom, Counter, Counting, Invariant, Summand};
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_program::{
    LocationId, Program, Scope, Semantics, SlotId, State, ThreadId, ThreadKind, Value, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The proof, unless it were too large: the checker carries all comparisons through every obligation.
pub(super) fn counting(program: &Program, cover: &Cover, most_comparisons: usize) -> Option<Counting> {
    let maker = Maker { program, semantics: Semantics::new(program), cover, at: local_states(cover) };
    let cubes: Vec<Vec<CountAtom>> =
        cover.configurations.iter().map(|configuration| maker.configuration(configuration)).collect();
    let comparisons: usize = cubes.iter().map(Vec::len).sum();
    if comparisons > most_comparisons {
        return None;
    }
    let threads = program.threads().ids().map(|thread| maker.assertions(thread)).collect();
    let effects =
        program.edges().ids().map(|edge| EdgeEffect { edge, cubes: vec![Cube::default()] }).collect();
    let proof = RelyGuarantee { threads, effects };
    Some(Counting { invariants: vec![Invariant { cubes }], proof })
}

/// The local states of templates by where they stand.
fn local_states(cover: &Cover) -> BTreeMap<LocationId, Vec<LocalId>> {
    let mut at: BTreeMap<LocationId, Vec<LocalId>> = BTreeMap::new();
    for (id, local) in cover.locals.iter() {
        at.entry(local.location).or_default().push(id);
    }
    at
}

struct Maker<'c, 'p> {
    program: &'p Program,
    semantics: Semantics<'p>,
    cover: &'c Cover,
    at: BTreeMap<LocationId, Vec<LocalId>>,
}

impl Maker<'_, '_> {
    /// What holds in the states that an omega configuration covers.
    fn configuration(&self, configuration: &OmegaConfiguration) -> Vec<CountAtom> {
        let mut atoms = Vec::new();
        for (var, declaration) in self.program.vars().iter().filter(|(_, var)| var.is_global()) {
            debug_assert_eq!(declaration.cells(), self.semantics.global(&configuration.base, var).len());
            for (index, &value) in self.semantics.global(&configuration.base, var).iter().enumerate() {
                atoms.push(cell_is(var, index, value));
            }
        }
        for slot in configuration.base.slots() {
            self.instance(&configuration.base, slot, &mut atoms);
        }
        for (&location, locals) in &self.at {
            self.threads_at(configuration, location, locals, &mut atoms);
        }
        atoms
    }

    /// Where an instance stands, and its locals.
    fn instance(&self, state: &State, slot: SlotId, atoms: &mut Vec<CountAtom>) {
        let thread = state.thread(slot);
        match state.location(slot) {
            Some(location) => {
                let here = Summand::Count(Counter::at(location));
                atoms.push(CountAtom { terms: vec![(1, here)], constant: -1, comparison: Comparison::Eq });
            }
            None => {
                let own = self.program.locations().iter().filter(|(_, at)| at.thread == thread);
                let terms = own.map(|(id, _)| (1, Summand::Count(Counter::at(id)))).collect();
                atoms.push(CountAtom { terms, constant: 0, comparison: Comparison::Eq });
            }
        }
        for var in self.locals(thread) {
            for (index, &value) in self.semantics.local(state, slot, var).iter().enumerate() {
                atoms.push(cell_is(var, index, value));
            }
        }
    }

    fn locals(&self, thread: ThreadId) -> impl Iterator<Item = VarId> {
        let own = move |(_, var): &(VarId, &rely_program::Var)| var.scope == Scope::Local(thread);
        self.program.vars().iter().filter(own).map(|(id, _)| id)
    }

    /// How many threads of a template stand at a location at most.
    fn threads_at(
        &self,
        configuration: &OmegaConfiguration,
        location: LocationId,
        locals: &[LocalId],
        atoms: &mut Vec<CountAtom>,
    ) {
        let at_most = |counter: Counter, limit: u32| CountAtom {
            terms: vec![(1, Summand::Count(counter))],
            constant: -Value::from(limit),
            comparison: Comparison::Le,
        };
        let mut together = Some(0_u32);
        for &local in locals {
            match configuration.counts.get(&local).copied().unwrap_or(Count::Exactly(0)) {
                Count::Exactly(limit) => {
                    together = together.and_then(|together| together.checked_add(limit));
                    let having = self.values(self.cover.locals.get(local));
                    atoms.push(at_most(Counter { location, having }, limit));
                }
                Count::AnyNumber => together = None,
            }
        }
        // Nobody there is in another local state, which the numbers alone do not say.
        if let Some(limit) = together {
            if limit == 0 {
                atoms.truncate(atoms.len() - locals.len());
            }
            atoms.push(at_most(Counter::at(location), limit));
        }
    }

    /// The values of the locals of a thread of a template that matter.
    fn values(&self, local: &Local) -> Vec<Atom> {
        let cells = self.cover.live.cells(self.program, local.thread, local.location).zip(&local.values);
        cells
            .filter(|((.., matters), _)| *matters)
            .map(|((var, index, _), &value)| {
                let cell = Quantity::Cell { var, index, moment: Moment::Before };
                Atom { terms: vec![(1, cell)], constant: -value, comparison: Comparison::Eq }
            })
            .collect()
    }

    /// Where a thread can be, and with which locals.
    fn assertions(&self, thread: ThreadId) -> ThreadAssertions {
        let declaration = &self.program.threads()[thread];
        let mut at = Vec::new();
        if declaration.kind == ThreadKind::Template {
            for (&location, locals) in &self.at {
                if self.program.locations()[location].thread == thread {
                    let cube = |&local: &LocalId| Cube {
                        atoms: self.values(self.cover.locals.get(local)),
                        others: Vec::new(),
                    };
                    at.push((ControlPoint::At(location), locals.iter().map(cube).collect()));
                }
            }
            at.push((ControlPoint::At(declaration.exit), vec![Cube::default()]));
        } else {
            // Its locals are part of what the invariant says.
            let mut points = BTreeSet::new();
            for configuration in &self.cover.configurations {
                let slot = configuration.base.slots().find(|&slot| configuration.base.thread(slot) == thread);
                points.extend(slot.map(|slot| {
                    configuration.base.location(slot).map_or(ControlPoint::Unstarted, ControlPoint::At)
                }));
            }
            at.extend(points.into_iter().map(|point| (point, vec![Cube::default()])));
        }
        ThreadAssertions { thread, at }
    }
}

fn cell_is(var: VarId, index: usize, value: Value) -> CountAtom {
    let cell = Summand::Cell { var, index: index as u32 };
    CountAtom { terms: vec![(1, cell)], constant: -value, comparison: Comparison::Eq }
}
