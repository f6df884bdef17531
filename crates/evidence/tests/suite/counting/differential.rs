//! What is accepted is true: invariants are compared with all states that can be reached with few
//! threads and few values. Proofs are also changed at random; most changes make them wrong, and
//! whatever the checker still accepts must hold in every state.

use super::models::{self, Model};
use crate::counting_notation::proof;
use rely_base::Budget;
use rely_evidence::counting::{CountAtom, Counter, Counting, Invariant, Summand};
use rely_evidence::rely_guarantee::{Atom, Comparison, ControlPoint, Cube, Quantity};
use rely_evidence::{Claim, Proof, check};
use rely_program::{
    Chooser, Domain, Goal, LocationId, Outcome, Program, Scope, Semantics, SlotId, State, Value, VarId,
};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// How many threads there are at most.
const THREADS: usize = 5;
/// How many states are looked at for each program.
const STATES: usize = 6_000;

/// A few values of each domain.
#[derive(Debug)]
struct Few;

fn few(domain: Domain) -> Vec<Value> {
    [0, 1, 2].into_iter().filter(|&value| domain.contains(value)).collect()
}

impl Chooser for Few {
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool {
        values.extend(few(domain));
        true
    }
}

/// The states of every moment, those inside atomic blocks included.
pub fn reachable(program: &Program) -> Vec<State> {
    let semantics = Semantics::new(program);
    let mut states: Vec<State> = Vec::new();
    let start = semantics.initial_states(&Few, &Budget::unlimited(), &mut |_, state| {
        states.push(state.clone());
        ControlFlow::Continue(())
    });
    start.expect("there are initial states");
    let mut seen: HashSet<State> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < STATES {
        let state = states[next].clone();
        next += 1;
        for slot in state.slots() {
            let Some(location) = state.location(slot) else { continue };
            for &edge in program.outgoing(location) {
                for choices in vectors(semantics.choices(edge).map(few)) {
                    let Ok(Outcome::Moved(reached)) = semantics.step(&state, slot, edge, &choices) else {
                        continue;
                    };
                    // Nothing is claimed of the variables after the program was halted.
                    if !reached.halted() && reached.slots().len() <= THREADS && seen.insert(reached.clone()) {
                        states.push(reached);
                    }
                }
            }
        }
    }
    states
}

fn vectors(domains: impl Iterator<Item = Vec<Value>>) -> Vec<Vec<Value>> {
    let mut vectors = vec![Vec::new()];
    for values in domains {
        let longer = |vector: &Vec<Value>, value: &Value| [vector.clone(), vec![*value]].concat();
        vectors =
            vectors.iter().flat_map(|vector| values.iter().map(move |value| longer(vector, value))).collect();
    }
    vectors
}

/// A state in which proofs are evaluated.
struct View<'v> {
    program: &'v Program,
    semantics: &'v Semantics<'v>,
    state: &'v State,
}

impl View<'_> {
    fn cell(&self, var: VarId, index: u32, own: Option<SlotId>) -> Value {
        let index = index as usize;
        match self.program.vars()[var].scope {
            Scope::Global => self.semantics.global(self.state, var)[index],
            Scope::Local(thread) => {
                let own = own.filter(|&slot| self.state.thread(slot) == thread);
                let slot = own.or_else(|| self.state.slots().find(|&slot| self.state.thread(slot) == thread));
                self.semantics.local(self.state, slot.expect("instances have slots"), var)[index]
            }
        }
    }

    fn holds(&self, atom: &Atom, own: SlotId) -> bool {
        let value = |quantity: &Quantity| match *quantity {
            Quantity::Handle => own.handle(),
            Quantity::Cell { var, index, .. } => self.cell(var, index, Some(own)),
        };
        let sum = atom.terms.iter().map(|(factor, part)| factor * value(part)).sum::<Value>() + atom.constant;
        compares(sum, atom.comparison)
    }

    fn count(&self, counter: &Counter) -> Value {
        let is_counted = |slot: &SlotId| {
            self.state.location(*slot) == Some(counter.location)
                && counter.having.iter().all(|atom| self.holds(atom, *slot))
        };
        self.state.slots().filter(is_counted).count() as Value
    }

    fn satisfies(&self, invariant: &Invariant) -> bool {
        let value = |summand: &Summand| match summand {
            Summand::Cell { var, index } => self.cell(*var, *index, None),
            Summand::Count(counter) => self.count(counter),
        };
        let atom = |atom: &CountAtom| {
            let sum = atom.terms.iter().map(|(factor, part)| factor * value(part)).sum::<Value>();
            compares(sum + atom.constant, atom.comparison)
        };
        invariant.cubes.iter().any(|cube| cube.iter().all(atom))
    }

    /// Whether each thread satisfies its assertion.
    fn satisfies_assertions(&self, proof: &Counting) -> bool {
        self.state.slots().all(|slot| {
            let point = self.state.location(slot).map_or(ControlPoint::Unstarted, ControlPoint::At);
            let entries = proof.proof.threads.iter().filter(|entry| entry.thread == self.state.thread(slot));
            let mut at = entries.flat_map(|entry| &entry.at).filter(|(other, _)| *other == point);
            let holds = |cube: &Cube| cube.atoms.iter().all(|atom| self.holds(atom, slot));
            at.any(|(_, cubes)| cubes.iter().any(holds))
        })
    }
}

fn compares(sum: Value, comparison: Comparison) -> bool {
    match comparison {
        Comparison::Le => sum <= 0,
        Comparison::Eq => sum == 0,
        Comparison::Ne => sum != 0,
        Comparison::MultipleOf(divisor) => sum % Value::from(divisor) == 0,
    }
}

fn is_true(program: &Program, states: &[State], proof: &Counting) -> bool {
    let semantics = Semantics::new(program);
    states.iter().all(|state| {
        let view = View { program, semantics: &semantics, state };
        proof.invariants.iter().all(|invariant| view.satisfies(invariant)) && view.satisfies_assertions(proof)
    })
}

fn is_accepted(model: &Model, goal: Goal, proof: Counting) -> bool {
    let claim = Claim::Safe(Proof::Counting(proof));
    check(&model.program, goal, claim, &Budget::unlimited()).into_verdict().name() == "safe"
}

#[test]
fn accepted_proofs_are_true_of_all_states() {
    for model in models::all() {
        let states = reachable(&model.program);
        assert!(states.len() > 20, "{}: only {} states", model.name, states.len());
        assert!(is_true(&model.program, &states, &proof(&model.program, model.proof)), "{}", model.name);
    }
}

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// Changes one thing.
fn mutate(program: &Program, proof: &mut Counting, dice: &mut Dice) {
    let number = dice.roll(proof.invariants.len());
    if dice.roll(8) == 0 {
        proof.invariants.remove(number);
        return;
    }
    let locations: Vec<LocationId> = program.locations().ids().collect();
    let invariant = &mut proof.invariants[number];
    let cube_number = dice.roll(invariant.cubes.len());
    if dice.roll(8) == 0 {
        invariant.cubes.remove(cube_number);
        return;
    }
    let cube = &mut invariant.cubes[cube_number];
    let atom_number = dice.roll(cube.len());
    if dice.roll(8) == 0 {
        cube.remove(atom_number);
        return;
    }
    let atom = &mut cube[atom_number];
    let term = dice.roll(atom.terms.len());
    match dice.roll(6) {
        0 => atom.constant += dice.roll(3) as Value - 1,
        1 => atom.terms[term].0 += dice.roll(3) as Value - 1,
        2 => atom.comparison = [Comparison::Le, Comparison::Eq, Comparison::Ne][dice.roll(3)],
        3 => atom.terms.iter_mut().for_each(|(factor, _)| *factor = -*factor),
        4 => {
            atom.terms.remove(term);
        }
        _ => {
            let location = locations[dice.roll(locations.len())];
            match &mut atom.terms[term].1 {
                Summand::Count(counter) if counter.having.is_empty() => counter.location = location,
                _ => atom.terms.push((1, Summand::Count(Counter::at(location)))),
            }
        }
    }
}

/// Whether nothing is left empty.
fn can_change(invariant: &Invariant) -> bool {
    let cube = |cube: &Vec<CountAtom>| !cube.is_empty() && cube.iter().all(|atom| !atom.terms.is_empty());
    !invariant.cubes.is_empty() && invariant.cubes.iter().all(cube)
}

#[test]
fn changed_proofs_that_are_accepted_are_true() {
    let (mut accepted, mut rejected) = (0, 0);
    for (number, model) in models::all().iter().enumerate() {
        let states = reachable(&model.program);
        let original = proof(&model.program, model.proof);
        let mut dice = Dice(number as u64);
        for _ in 0..60 {
            let mut mutant = original.clone();
            for _ in 0..=dice.roll(2) {
                if !mutant.invariants.is_empty() {
                    mutate(&model.program, &mut mutant, &mut dice);
                }
                mutant.invariants.retain(can_change);
            }
            if is_accepted(model, Goal::Assert, mutant.clone()) {
                accepted += 1;
                assert!(is_true(&model.program, &states, &mutant), "{}: {mutant:?}", model.name);
            } else {
                rejected += 1;
            }
        }
    }
    assert!(accepted > 20 && rejected > 200, "{accepted} accepted, {rejected} rejected");
}

/// Where a deadlock can be reached no proof is accepted, however it is changed.
#[test]
fn deadlocks_that_can_be_reached_are_never_denied() {
    let mut found = 0;
    for model in models::all() {
        let semantics = Semantics::new(&model.program);
        let is_deadlock = |state: &State| {
            state.slots().len() < THREADS && semantics.is_deadlock(state, &Few) == Ok(Some(true))
        };
        let has_deadlock = reachable(&model.program).iter().any(is_deadlock);
        let is_denied = is_accepted(&model, Goal::Deadlock, proof(&model.program, model.proof));
        assert!(!(has_deadlock && is_denied), "{}", model.name);
        found += usize::from(has_deadlock);
    }
    assert!(found >= 2, "{found} programs with a deadlock");
}
