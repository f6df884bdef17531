//! Proofs that list everything: each reachable state as a cube, each step as an effect.
//!
//! For programs with few states and without templates this is a proof whenever there is one, made
//! without any thought: what the checker says about it must be what is true of the program.

use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::{
    Atom, Comparison, ControlPoint, Cube, EdgeEffect, Moment, Quantity, RelyGuarantee, ThreadAssertions,
};
use rely_program::{
    AllValues, Domain, EdgeId, Outcome, Program, Scope, Semantics, SlotId, State, ThreadId, ThreadKind,
    Value, VarId,
};
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

/// Collects what it sees.
struct Listing<'p> {
    program: &'p Program,
    semantics: Semantics<'p>,
    assertions: BTreeMap<(ThreadId, ControlPoint), Vec<Cube>>,
    effects: BTreeMap<EdgeId, Vec<Cube>>,
    known: HashSet<(Option<EdgeId>, Option<ControlPoint>, Cube)>,
}

/// The proof that lists all states, unless there are more than `limit`.
pub fn explicit_proof(program: &Program, limit: usize) -> Option<RelyGuarantee> {
    let semantics = Semantics::new(program);
    let mut listing = Listing {
        program,
        semantics,
        assertions: BTreeMap::new(),
        effects: BTreeMap::new(),
        known: HashSet::new(),
    };
    let states = listing.explore(limit)?;
    for state in states.iter().filter(|state| !state.halted()) {
        listing.add_state(state);
    }
    let mut threads: Vec<ThreadAssertions> =
        program.threads().ids().map(|thread| ThreadAssertions { thread, at: Vec::new() }).collect();
    for ((thread, point), cubes) in listing.assertions {
        threads[thread.index()].at.push((point, cubes));
    }
    let effects = listing.effects.into_iter().map(|(edge, cubes)| EdgeEffect { edge, cubes }).collect();
    Some(RelyGuarantee { threads, effects })
}

impl Listing<'_> {
    fn explore(&mut self, limit: usize) -> Option<Vec<State>> {
        let all = AllValues { limit: 64 };
        let mut states: Vec<State> = Vec::new();
        let complete = self.semantics.initial_states(&all, &Budget::unlimited(), &mut |_, state| {
            states.push(state.clone());
            ControlFlow::Continue(())
        });
        if !complete.unwrap_or(false) {
            return None;
        }
        let mut seen: HashSet<State> = states.iter().cloned().collect();
        let mut next = 0;
        while next < states.len() {
            let state = states[next].clone();
            next += 1;
            for reached in self.steps(&state)? {
                if seen.insert(reached.clone()) {
                    states.push(reached);
                }
            }
            if states.len() > limit {
                return None;
            }
        }
        Some(states)
    }

    /// All states that one edge leads to; their effects are noted.
    fn steps(&mut self, state: &State) -> Option<Vec<State>> {
        let mut reached = Vec::new();
        for slot in state.slots() {
            let Some(location) = state.location(slot) else { continue };
            for &edge in self.program.outgoing(location) {
                for choices in vectors(self.semantics.choices(edge))? {
                    if let Ok(Outcome::Moved(next)) = self.semantics.step(state, slot, edge, &choices) {
                        if !next.halted() {
                            self.add_effect(state, &next, slot, edge);
                        }
                        reached.push(next);
                    }
                }
            }
        }
        Some(reached)
    }

    fn add_state(&mut self, state: &State) {
        for slot in state.slots() {
            let mut cube = self.places(state, slot);
            self.add_values(&mut cube, state, slot, Moment::Before);
            let point = state.location(slot).map_or(ControlPoint::Unstarted, ControlPoint::At);
            if self.known.insert((None, Some(point), cube.clone())) {
                self.assertions.entry((state.thread(slot), point)).or_default().push(cube);
            }
        }
    }

    fn add_effect(&mut self, state: &State, next: &State, slot: SlotId, edge: EdgeId) {
        let mut cube = self.places(state, slot);
        self.add_values(&mut cube, state, slot, Moment::Before);
        self.add_values(&mut cube, next, slot, Moment::After);
        if self.known.insert((Some(edge), None, cube.clone())) {
            self.effects.entry(edge).or_default().push(cube);
        }
    }

    /// Where the other instances stand.
    fn places(&self, state: &State, own: SlotId) -> Cube {
        let is_other_instance = |slot: &SlotId| {
            *slot != own && self.program.threads()[state.thread(*slot)].kind != ThreadKind::Template
        };
        let place = |slot: SlotId| {
            (state.thread(slot), vec![state.location(slot).map_or(ControlPoint::Unstarted, ControlPoint::At)])
        };
        Cube { atoms: Vec::new(), others: state.slots().filter(is_other_instance).map(place).collect() }
    }

    /// The values of all variables that an assertion about a thread may mention.
    fn add_values(&self, cube: &mut Cube, state: &State, own: SlotId, moment: Moment) {
        let own_thread = state.thread(own);
        for (var, declaration) in self.program.vars().iter() {
            let values = match declaration.scope {
                Scope::Global => self.semantics.global(state, var),
                Scope::Local(thread) if thread == own_thread => self.semantics.local(state, own, var),
                Scope::Local(thread) => {
                    let instance = self.program.threads()[thread].kind != ThreadKind::Template;
                    let slot = state.slots().find(|&slot| state.thread(slot) == thread);
                    match slot.filter(|_| instance) {
                        Some(slot) => self.semantics.local(state, slot, var),
                        None => continue,
                    }
                }
            };
            for (index, &value) in values.iter().enumerate() {
                cube.atoms.push(equals(var, index as u32, moment, value));
            }
        }
        if self.program.threads()[own_thread].kind == ThreadKind::Template {
            let terms = vec![(1, Quantity::Handle)];
            cube.atoms.push(Atom { terms, constant: -own.handle(), comparison: Comparison::Eq });
        }
    }
}

fn equals(var: VarId, index: u32, moment: Moment, value: Value) -> Atom {
    let terms = vec![(1, Quantity::Cell { var, index, moment })];
    Atom { terms, constant: -value, comparison: Comparison::Eq }
}

/// All combinations of values, if there are not too many.
fn vectors(domains: impl Iterator<Item = Domain>) -> Option<Vec<Vec<Value>>> {
    let mut vectors = vec![Vec::new()];
    for domain in domains {
        let values = match domain {
            Domain::Bool => vec![0, 1],
            Domain::Range { low, high } if high - low < 64 => (low..=high).collect::<Vec<Value>>(),
            _ => return None,
        };
        vectors = vectors
            .iter()
            .flat_map(|vector: &Vec<Value>| {
                values.iter().map(|&value| {
                    let mut longer = vector.clone();
                    longer.push(value);
                    longer
                })
            })
            .collect();
        if vectors.len() > 4096 {
            return None;
        }
    }
    Some(vectors)
}
