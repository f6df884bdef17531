//! An abstract derivation as Horn clauses without recursion.

use rely_base::{Arena, Id};
use rely_logic::interpolate::{Application, Clause, HornSystem, UnknownId};
use rely_logic::{TermId, TermPool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::reach::{Engine, State, StateId};
use super::special::SpecialId;

/// The rule of a derivation that leads to false, and the states that it is applied to.
#[derive(Clone, Copy)]
pub(super) struct Last<'a> {
    pub(super) special: SpecialId,
    pub(super) premises: &'a [StateId],
}

/// An abstract derivation as Horn clauses without recursion, one unknown for each state.
pub(super) struct Unrolled {
    pub(super) system: HornSystem,
    /// The predicate of each unknown.
    pub(super) predicates: Vec<(UnknownId, UnknownId)>,
    /// The rule of each clause.
    pub(super) specials: Vec<SpecialId>,
    /// Whether some states are taken as they are, whatever they were derived from.
    pub(super) is_cut: bool,
}

impl Engine<'_> {
    /// The clauses of a derivation. As a tree, which refinement works on, it may be exponentially larger
    /// than its states are many; then only the part next to its end, of at most so many uses of states, is
    /// looked at, and what is beyond is taken as the abstraction knows it.
    pub(super) fn unroll(
        &self,
        pool: &mut TermPool,
        states: &Arena<StateId, State>,
        last: Last<'_>,
        most_parts: usize,
        candidates: &Arena<UnknownId, Vec<TermId>>,
    ) -> Option<Unrolled> {
        let expanded = expanded(states, last.premises, most_parts);
        let mut involved: FxHashSet<StateId> = expanded.clone();
        involved.extend(expanded.iter().flat_map(|&state| states[state].premises.iter().copied()));
        involved.extend(last.premises);
        let mut involved: Vec<StateId> = involved.into_iter().collect();
        involved.sort_unstable();
        let is_cut = involved.len() > expanded.len();
        let mut unrolled =
            Unrolled { system: HornSystem::new(), predicates: Vec::new(), specials: Vec::new(), is_cut };
        let mut unknowns: FxHashMap<StateId, UnknownId> = FxHashMap::default();
        for &id in &involved {
            let predicate = states[id].unknown;
            let parameters: Vec<VarId> =
                self.parameters(predicate).iter().filter_map(|&parameter| pool.as_var(parameter)).collect();
            let unknown = unrolled.system.unknown(parameters);
            unrolled.system.prefer(unknown, candidates[predicate].iter().copied());
            unrolled.predicates.push((unknown, predicate));
            unknowns.insert(id, unknown);
        }
        for &id in &involved {
            let step = Last { special: states[id].special, premises: &states[id].premises };
            let clause = match expanded.contains(&id) {
                true => self.step(pool, &unknowns, step, Some(id)),
                false => self.leaf(pool, &states[id], unknowns[&id]),
            };
            unrolled.system.add(pool, clause).ok()?;
            unrolled.specials.push(step.special);
        }
        let clause = self.step(pool, &unknowns, last, None);
        unrolled.system.add(pool, clause).ok()?;
        unrolled.specials.push(last.special);
        Some(unrolled)
    }

    fn step(
        &self,
        pool: &mut TermPool,
        unknowns: &FxHashMap<StateId, UnknownId>,
        step: Last<'_>,
        head: Option<StateId>,
    ) -> Clause {
        let rule = self.specials.get(step.special);
        let apply = |state: StateId, arguments: &[TermId]| Application {
            unknown: unknowns[&state],
            arguments: arguments.to_vec(),
        };
        let premises = step.premises.iter().zip(&rule.body);
        let body = premises.map(|(&premise, arguments)| apply(premise, arguments)).collect();
        let head = head.zip(rule.head.as_ref()).map(|(state, (_, arguments))| apply(state, arguments));
        Clause { constraint: pool.and(rule.literals.iter().copied()), body, head }
    }

    /// A state as the abstraction knows it.
    fn leaf(&self, pool: &mut TermPool, state: &State, unknown: UnknownId) -> Clause {
        let arguments = self.parameters(state.unknown).to_vec();
        let constraint = pool.and(self.cube(state));
        Clause { constraint, body: Vec::new(), head: Some(Application { unknown, arguments }) }
    }
}

/// The states next to the end of a derivation that together unfold into at most so many uses.
fn expanded(states: &Arena<StateId, State>, premises: &[StateId], most_parts: usize) -> FxHashSet<StateId> {
    let order = nearest_first(states, premises);
    let all: FxHashSet<StateId> = order.iter().copied().collect();
    if parts(states, premises, &all, most_parts) <= most_parts {
        return all;
    }
    // More states unfold into more uses: the largest number of states that is allowed, by bisection.
    let (mut low, mut high) = (0, order.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        let some: FxHashSet<StateId> = order[..middle].iter().copied().collect();
        if parts(states, premises, &some, most_parts) <= most_parts {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    order[..low].iter().copied().collect()
}

/// All states that some states were derived from, and these themselves: those first that are used last.
fn nearest_first(states: &Arena<StateId, State>, premises: &[StateId]) -> Vec<StateId> {
    let mut seen: FxHashSet<StateId> = FxHashSet::default();
    let mut order: Vec<StateId> = Vec::new();
    let mut layer: Vec<StateId> = premises.to_vec();
    while !layer.is_empty() {
        layer.retain(|&state| seen.insert(state));
        order.extend(&layer);
        layer = layer.iter().flat_map(|&state| states[state].premises.iter().copied()).collect();
    }
    order
}

/// How many uses a derivation unfolds into if only some states are expanded; about, beyond `enough`.
fn parts(
    states: &Arena<StateId, State>,
    premises: &[StateId],
    expanded: &FxHashSet<StateId>,
    enough: usize,
) -> usize {
    // A state is made after those that it was derived from.
    let mut order: Vec<StateId> = expanded.iter().copied().collect();
    order.sort_unstable();
    let mut sizes: FxHashMap<StateId, usize> = FxHashMap::default();
    let size_of = |sizes: &FxHashMap<StateId, usize>, list: &[StateId]| {
        list.iter().map(|state| sizes.get(state).copied().unwrap_or(1)).fold(0, usize::saturating_add)
    };
    for state in order {
        let size = size_of(&sizes, &states[state].premises).saturating_add(1);
        sizes.insert(state, size.min(enough + 1));
    }
    size_of(&sizes, premises)
}

/// The states that some states were derived from, and these themselves, premises first.
pub(super) fn involved(states: &Arena<StateId, State>, premises: &[StateId]) -> Vec<StateId> {
    let mut found = nearest_first(states, premises);
    found.sort_unstable_by_key(|state| state.index());
    found
}
