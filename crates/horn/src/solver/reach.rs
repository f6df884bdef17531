//! Abstract reachability over rules.
//!
//! An abstract state of a predicate is a cube: values of its finite arguments, and a set of tracked
//! formulas that hold. From states of its body's predicates a rule leads to the strongest such state of its
//! head. A state with fewer formulas covers those with more. It ends when nothing new is reached, or when a
//! rule without a head applies.

use std::collections::VecDeque;

use rely_base::{Arena, Budget, StopReason, define_id};
use rely_logic::interpolate::UnknownId;
use rely_logic::{TermId, TermPool};
use rustc_hash::FxHashMap;

use super::context::Context;
use super::precision::Precision;
use super::special::{SpecialId, Specials, Values};
use crate::normal::Normal;

define_id!(
    /// An abstract state.
    pub(super) struct StateId
);

/// An abstract state, and how it was reached first.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) unknown: UnknownId,
    pub(super) values: Values,
    /// The tracked formulas that hold, by their positions, ascending.
    pub(super) holds: Vec<u32>,
    pub(super) special: SpecialId,
    pub(super) premises: Vec<StateId>,
    /// Whether a state that was found later is weaker.
    pub(super) is_covered: bool,
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
    memos: FxHashMap<(SpecialId, Vec<Vec<TermId>>), Memo>,
    memo_bytes: usize,
}

struct Search {
    states: Arena<StateId, State>,
    by_unknown: Arena<UnknownId, Vec<StateId>>,
    queue: VecDeque<StateId>,
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
        let tracked = self.precision.of(state.unknown);
        state.holds.iter().map(|&position| tracked[position as usize]).collect()
    }

    /// All that is reachable with what is tracked now.
    pub(super) fn reach(&mut self, pool: &mut TermPool) -> Result<Reached, StopReason> {
        let mut search = Search {
            states: Arena::new(),
            by_unknown: self.normal.predicates.ids().map(|_| Vec::new()).collect(),
            queue: VecDeque::new(),
        };
        for rule in self.users.get(&None).cloned().unwrap_or_default() {
            if let Some(special) = self.apply(pool, &mut search, rule, &[])? {
                return Ok(Reached::False { states: search.states, special, premises: Vec::new() });
            }
        }
        while let Some(state) = search.queue.pop_front() {
            if search.states[state].is_covered {
                continue;
            }
            let unknown = search.states[state].unknown;
            for rule in self.users.get(&Some(unknown)).cloned().unwrap_or_default() {
                for premises in self.combinations(&search, rule, state) {
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

    /// The states for the body of a rule in which the given one takes part, together with such that are
    /// not later; each combination comes once.
    fn combinations(&self, search: &Search, rule: usize, state: StateId) -> Vec<Vec<StateId>> {
        let body = &self.normal.rules[rule].body;
        let unknown = search.states[state].unknown;
        let mut found = Vec::new();
        for place in (0..body.len()).filter(|&place| body[place].unknown == unknown) {
            let mut partial: Vec<Vec<StateId>> = vec![Vec::new()];
            for (position, used) in body.iter().enumerate() {
                let candidates: Vec<StateId> = if position == place {
                    vec![state]
                } else {
                    let known = search.by_unknown[used.unknown].iter().copied();
                    let is_earlier = |&other: &StateId| other < state || (position > place && other == state);
                    known.filter(|other| !search.states[*other].is_covered && is_earlier(other)).collect()
                };
                partial = partial
                    .iter()
                    .flat_map(|chosen| candidates.iter().map(|&next| [chosen.as_slice(), &[next]].concat()))
                    .collect();
            }
            found.extend(partial);
        }
        found
    }

    /// Applies a rule; if it leads to false, how.
    fn apply(
        &mut self,
        pool: &mut TermPool,
        search: &mut Search,
        rule: usize,
        premises: &[StateId],
    ) -> Result<Option<SpecialId>, StopReason> {
        let values: Vec<Values> =
            premises.iter().map(|&premise| search.states[premise].values.clone()).collect();
        let normal = self.normal;
        let specials = self.specials.of(pool, normal, rule, &values);
        for &special in specials.iter() {
            self.budget.check()?;
            self.budget.check_memory(self.memory_bytes(pool, search))?;
            let cubes: Vec<Vec<TermId>> =
                premises.iter().map(|&premise| self.cube(&search.states[premise])).collect();
            let head = normal.rules[rule].head.as_ref().map(|head| head.unknown);
            let Some(holds) = self.post(pool, special, cubes, head) else { continue };
            self.budget.check_now()?;
            let Some(unknown) = head else { return Ok(Some(special)) };
            let values =
                self.specials.get(special).head.clone().map(|(values, _)| values).unwrap_or_default();
            let premises = premises.to_vec();
            search.add(State { unknown, values, holds, special, premises, is_covered: false });
        }
        Ok(None)
    }

    /// The tracked formulas that hold behind a rule; `None` if it does not apply.
    fn post(
        &mut self,
        pool: &mut TermPool,
        id: SpecialId,
        cubes: Vec<Vec<TermId>>,
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

    fn context(
        &self,
        pool: &mut TermPool,
        special: &super::special::Special,
        cubes: &[Vec<TermId>],
    ) -> Context {
        let mut formulas = special.literals.clone();
        let body = &self.normal.rules[special.rule].body;
        for ((used, arguments), cube) in body.iter().zip(&special.body).zip(cubes) {
            let instances: FxHashMap<TermId, TermId> =
                self.parameters[used.unknown].iter().copied().zip(arguments.iter().copied()).collect();
            formulas.extend(cube.iter().map(|&formula| pool.substitute(formula, &instances)));
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
        let known = &self.by_unknown[state.unknown];
        for &other in known {
            let other = &self.states[other];
            if !other.is_covered && other.values == state.values && is_subset(&other.holds, &state.holds) {
                return;
            }
        }
        for &other in known {
            let other = &mut self.states[other];
            if other.values == state.values && is_subset(&state.holds, &other.holds) {
                other.is_covered = true;
            }
        }
        let unknown = state.unknown;
        let id = self.states.push(state);
        self.by_unknown[unknown].push(id);
        self.queue.push_back(id);
    }
}

/// Whether all of `small` are in `large`; both ascend.
fn is_subset(small: &[u32], large: &[u32]) -> bool {
    let mut large = large.iter();
    small.iter().all(|item| large.by_ref().any(|other| other == item))
}
