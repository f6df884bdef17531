//! Abstract reachability over rules.
//!
//! An abstract state of a predicate is a cube: values of its finite arguments, and a set of tracked
//! formulas that hold. From states of its body's predicates a rule leads to the strongest such state of its
//! head. A state with fewer formulas covers those with more. It ends when nothing new is reached, or when a
//! rule without a head applies.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rely_base::{Arena, Budget, StopReason, define_id};
use rely_logic::interpolate::UnknownId;
use rely_logic::{TermId, TermPool};
use rustc_hash::FxHashMap;

use super::context::Context;
use super::links::Links;
use super::precision::Precision;
use super::special::{Interner, SpecialId, Specials, ValuesId};
use crate::normal::Normal;

define_id!(
    /// An abstract state.
    pub(super) struct StateId
);

define_id!(
    /// A set of formulas over the parameters of a predicate.
    pub(super) struct CubeId
);

/// An abstract state, and how it was reached first.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) unknown: UnknownId,
    pub(super) values: ValuesId,
    /// The tracked formulas that hold, by their positions, ascending.
    holds: Vec<u32>,
    /// These formulas.
    cube: CubeId,
    pub(super) special: SpecialId,
    pub(super) premises: Vec<StateId>,
    /// Whether a state that was found later is weaker.
    pub(super) is_covered: bool,
    /// How many steps its derivation has, written as a tree.
    size: u64,
}

/// What came out.
pub(super) enum Reached {
    /// Nothing else is reachable.
    All(Arena<StateId, State>),
    /// False is derivable in the abstraction: by this rule, from these states.
    False { states: Arena<StateId, State>, special: SpecialId, premises: Vec<StateId> },
}

/// What was found out about a rule from given cubes; it stays true whatever is tracked.
#[derive(Debug, Default)]
struct Memo {
    is_possible: Option<bool>,
    implied: FxHashMap<TermId, bool>,
}

/// Rules, what is tracked, and what is remembered from one round to the next.
pub(super) struct Engine<'a> {
    pub(super) normal: &'a Normal,
    pub(super) budget: &'a Budget,
    pub(super) precision: Precision,
    pub(super) specials: Specials,
    /// The rules that have a predicate in their bodies; `None` for those that have none.
    users: FxHashMap<Option<UnknownId>, Vec<usize>>,
    /// The parameters of each predicate that are not finite, as terms.
    parameters: Arena<UnknownId, Vec<TermId>>,
    links: Vec<Links>,
    cubes: Interner<CubeId, TermId>,
    memos: FxHashMap<(SpecialId, Vec<CubeId>), Memo>,
    memo_bytes: usize,
}

struct Search {
    states: Arena<StateId, State>,
    by_values: FxHashMap<(UnknownId, ValuesId), Vec<StateId>>,
    /// Those that rules were applied to already.
    done: Arena<UnknownId, Vec<StateId>>,
    /// Those with small derivations come first: refinement has less to look at then.
    queue: BinaryHeap<Reverse<(u64, StateId)>>,
}

impl<'a> Engine<'a> {
    pub(super) fn new(pool: &mut TermPool, normal: &'a Normal, budget: &'a Budget) -> Self {
        let mut users: FxHashMap<Option<UnknownId>, Vec<usize>> = FxHashMap::default();
        for (position, rule) in normal.rules.iter().enumerate() {
            let mut used: Vec<Option<UnknownId>> = rule.body.iter().map(|used| Some(used.unknown)).collect();
            used.sort_unstable();
            used.dedup();
            if used.is_empty() {
                used.push(None);
            }
            used.into_iter().for_each(|unknown| users.entry(unknown).or_default().push(position));
        }
        // Rules that lead to false come first: the shorter a derivation, the better its reasons.
        for rules in users.values_mut() {
            rules.sort_by_key(|&rule| normal.rules[rule].head.is_some());
        }
        let parameters = normal.predicates.values().map(|predicate| {
            let open =
                predicate.parameters.iter().zip(&predicate.domains).filter(|(_, domain)| domain.is_none());
            open.map(|(&parameter, _)| pool.var(parameter)).collect()
        });
        Self {
            normal,
            budget,
            precision: Precision::new(normal.predicates.len()),
            specials: Specials::default(),
            users,
            parameters: parameters.collect(),
            links: normal.rules.iter().map(|rule| Links::new(pool, normal, rule)).collect(),
            cubes: Interner::default(),
            memos: FxHashMap::default(),
            memo_bytes: 0,
        }
    }

    /// The parameters of a predicate that are not finite.
    pub(super) fn parameters(&self, unknown: UnknownId) -> &[TermId] {
        &self.parameters[unknown]
    }

    /// The formulas of a state, over the parameters.
    pub(super) fn cube(&self, state: &State) -> Vec<TermId> {
        self.cubes.get(state.cube).to_vec()
    }

    /// All that is reachable with what is tracked now.
    pub(super) fn reach(&mut self, pool: &mut TermPool) -> Result<Reached, StopReason> {
        let mut search = Search {
            states: Arena::new(),
            by_values: FxHashMap::default(),
            done: self.normal.predicates.ids().map(|_| Vec::new()).collect(),
            queue: BinaryHeap::new(),
        };
        for rule in self.users.get(&None).cloned().unwrap_or_default() {
            if let Some(special) = self.apply(pool, &mut search, rule, &[])? {
                return Ok(Reached::False { states: search.states, special, premises: Vec::new() });
            }
        }
        while let Some(Reverse((_, state))) = search.queue.pop() {
            if search.states[state].is_covered {
                continue;
            }
            let unknown = search.states[state].unknown;
            search.done[unknown].push(state);
            for rule in self.users.get(&Some(unknown)).cloned().unwrap_or_default() {
                for premises in self.combinations(pool, &search, rule, state)? {
                    if premises.iter().any(|&premise| search.states[premise].is_covered) {
                        continue;
                    }
                    if let Some(special) = self.apply(pool, &mut search, rule, &premises)? {
                        return Ok(Reached::False { states: search.states, special, premises });
                    }
                }
            }
        }
        Ok(Reached::All(search.states))
    }

    /// The states for the body of a rule in which the given one takes part, together with such that were
    /// there before; each combination comes once.
    fn combinations(
        &mut self,
        pool: &TermPool,
        search: &Search,
        rule: usize,
        state: StateId,
    ) -> Result<Vec<Vec<StateId>>, StopReason> {
        let body = &self.normal.rules[rule].body;
        let unknown = search.states[state].unknown;
        let mut found = Vec::new();
        for place in (0..body.len()).filter(|&place| body[place].unknown == unknown) {
            let mut partial: Vec<(Vec<StateId>, Vec<ValuesId>)> = vec![(Vec::new(), Vec::new())];
            for (position, used) in body.iter().enumerate() {
                let candidates: &[StateId] =
                    if position == place { &[state] } else { &search.done[used.unknown] };
                let is_eligible = |other: StateId| {
                    let is_first = position >= place || other != state;
                    is_first && !search.states[other].is_covered
                };
                let mut next = Vec::new();
                for (chosen, values) in &partial {
                    self.budget.check()?;
                    for &other in candidates.iter().filter(|&&other| is_eligible(other)) {
                        let own = search.states[other].values;
                        if self.links[rule].fit(pool, &self.specials, values, own) {
                            next.push((
                                [chosen.as_slice(), &[other]].concat(),
                                [values.as_slice(), &[own]].concat(),
                            ));
                        }
                    }
                }
                partial = next;
            }
            found.extend(partial.into_iter().map(|(chosen, _)| chosen));
        }
        Ok(found)
    }

    /// Applies a rule; if it leads to false, how.
    fn apply(
        &mut self,
        pool: &mut TermPool,
        search: &mut Search,
        rule: usize,
        premises: &[StateId],
    ) -> Result<Option<SpecialId>, StopReason> {
        let values: Vec<ValuesId> = premises.iter().map(|&premise| search.states[premise].values).collect();
        let normal = self.normal;
        let specials = self.specials.of(pool, normal, rule, &values);
        for &special in specials.iter() {
            self.budget.check()?;
            self.budget.check_memory(self.memory_bytes(pool, search))?;
            let cubes: Vec<CubeId> = premises.iter().map(|&premise| search.states[premise].cube).collect();
            let head = normal.rules[rule].head.as_ref().map(|head| head.unknown);
            let Some(holds) = self.post(pool, special, cubes, head) else { continue };
            self.budget.check_now()?;
            let Some(unknown) = head else { return Ok(Some(special)) };
            let rule = self.specials.get(special);
            let Some((values, _)) = &rule.head else { continue };
            let tracked = self.precision.of(unknown);
            let formulas: Vec<TermId> = holds.iter().map(|&position| tracked[position as usize]).collect();
            let cube = self.cubes.intern(&formulas);
            let sizes = premises.iter().map(|&premise| search.states[premise].size);
            let size = sizes.fold(1_u64, u64::saturating_add);
            let (values, premises) = (*values, premises.to_vec());
            search.add(State { unknown, values, holds, cube, special, premises, is_covered: false, size });
        }
        Ok(None)
    }

    /// The tracked formulas that hold behind a rule; `None` if it does not apply.
    fn post(
        &mut self,
        pool: &mut TermPool,
        id: SpecialId,
        cubes: Vec<CubeId>,
        head: Option<UnknownId>,
    ) -> Option<Vec<u32>> {
        let special = self.specials.get(id);
        let tracked: Vec<TermId> = head.map_or(Vec::new(), |head| self.precision.of(head).to_vec());
        let key = (id, cubes);
        let mut memo = self.memos.remove(&key).unwrap_or_default();
        let is_answered = memo.is_possible == Some(false)
            || memo.is_possible.is_some() && tracked.iter().all(|formula| memo.implied.contains_key(formula));
        if !is_answered {
            let mut context = self.context(pool, &special, &key.1);
            let is_possible = *memo.is_possible.get_or_insert_with(|| context.is_possible(pool, self.budget));
            if let (true, Some(unknown), Some((_, arguments))) = (is_possible, head, &special.head) {
                let instances: FxHashMap<TermId, TermId> =
                    self.parameters[unknown].iter().copied().zip(arguments.iter().copied()).collect();
                for &formula in &tracked {
                    if memo.implied.contains_key(&formula) || self.budget.check().is_err() {
                        continue;
                    }
                    let instance = pool.substitute(formula, &instances);
                    memo.implied.insert(formula, context.implies(pool, instance, self.budget));
                    self.memo_bytes += 16;
                }
            }
            self.memo_bytes += 64 + 24 * key.1.len();
        }
        let holds = (memo.is_possible != Some(false)).then(|| {
            let holding =
                tracked.iter().enumerate().filter(|(_, formula)| memo.implied.get(formula) == Some(&true));
            holding.map(|(position, _)| position as u32).collect()
        });
        self.memos.insert(key, memo);
        holds
    }

    fn context(&self, pool: &mut TermPool, special: &super::special::Special, cubes: &[CubeId]) -> Context {
        let mut formulas = special.literals.clone();
        let body = &self.normal.rules[special.rule].body;
        for ((used, arguments), cube) in body.iter().zip(&special.body).zip(cubes) {
            let instances: FxHashMap<TermId, TermId> =
                self.parameters[used.unknown].iter().copied().zip(arguments.iter().copied()).collect();
            formulas
                .extend(self.cubes.get(*cube).iter().map(|&formula| pool.substitute(formula, &instances)));
        }
        Context::new(pool, formulas, special.constraints.as_deref())
    }

    /// About how much memory is held.
    fn memory_bytes(&self, pool: &TermPool, search: &Search) -> usize {
        pool.len() * 120 + self.memo_bytes + search.states.len() * 200 + self.specials.len() * 400
    }
}

impl Search {
    /// Adds a state unless a known one covers it, and marks those that it covers.
    fn add(&mut self, state: State) {
        let known = self.by_values.entry((state.unknown, state.values)).or_default();
        let covers = |other: &State| !other.is_covered && is_subset(&other.holds, &state.holds);
        if known.iter().any(|&other| covers(&self.states[other])) {
            return;
        }
        for &other in known.iter() {
            let other = &mut self.states[other];
            other.is_covered |= is_subset(&state.holds, &other.holds);
        }
        let size = state.size;
        let id = self.states.push(state);
        known.push(id);
        self.queue.push(Reverse((size, id)));
    }
}

/// Whether all of `small` are in `large`; both ascend.
fn is_subset(small: &[u32], large: &[u32]) -> bool {
    let mut large = large.iter();
    small.iter().all(|item| large.by_ref().any(|other| other == item))
}
