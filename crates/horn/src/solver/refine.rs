//! What to do about an abstract derivation of false.
//!
//! Its rules, at the values of their finite arguments, are Horn clauses without recursion, one unknown for
//! each abstract state. Either they derive false indeed, or a solution of them, by tree interpolation, says
//! what must be tracked so that this derivation goes away.

use rely_base::{Arena, Budget, Id};
use rely_logic::interpolate::{
    self, Application, Clause, ClauseId, HornOutcome, HornSystem, Limits, Solution, UnknownId,
};
use rely_logic::{TermId, TermPool, Value, VarId};
use rustc_hash::FxHashMap;

use super::reach::{Engine, State, StateId};
use super::special::SpecialId;
use crate::clauses::{Derivation, Step};
use crate::normal::Normal;

/// What is known about an abstract derivation.
pub(super) enum Refinement {
    /// It is a derivation.
    Real(Derivation),
    /// It is none, and more is tracked now.
    Tracked,
    /// It was not found out.
    Unknown(String),
}

/// An abstract derivation as Horn clauses without recursion.
struct Unrolled {
    system: HornSystem,
    /// The predicate of each unknown.
    predicates: Vec<(UnknownId, UnknownId)>,
    /// The rule of each clause.
    specials: Vec<SpecialId>,
}

impl Engine<'_> {
    pub(super) fn refine(
        &mut self,
        pool: &mut TermPool,
        states: &Arena<StateId, State>,
        special: SpecialId,
        premises: &[StateId],
        candidates: &Arena<UnknownId, Vec<TermId>>,
    ) -> Refinement {
        let Some(unrolled) = self.unroll(pool, states, special, premises, candidates) else {
            return Refinement::Unknown("an abstract derivation has no Horn clauses".to_owned());
        };
        let limits = Limits::default();
        if let Some(solution) = unrolled.system.solve_with_candidates(pool, &limits, self.budget)
            && self.track(pool, &unrolled, &solution, false)
        {
            return Refinement::Tracked;
        }
        let solution = match unrolled.system.solve_by_interpolation(pool, &limits, self.budget) {
            HornOutcome::Solved(solution) => solution,
            HornOutcome::Unsatisfiable(derivation) => {
                let specials: Vec<_> = unrolled.specials.iter().map(|&id| self.specials.get(id)).collect();
                let fixed = |clause: ClauseId| {
                    (specials[clause.index()].rule, specials[clause.index()].fixed.as_slice())
                };
                return Refinement::Real(original_derivation(pool, self.normal, &derivation, &fixed));
            }
            HornOutcome::NotInVocabulary => return Refinement::Unknown("no reason was found".to_owned()),
            HornOutcome::Unknown(unknown) => return Refinement::Unknown(unknown.to_string()),
        };
        let is_new =
            self.track(pool, &unrolled, &solution, false) || self.track(pool, &unrolled, &solution, true);
        match is_new {
            true => Refinement::Tracked,
            false => Refinement::Unknown("the reasons that were found do not help".to_owned()),
        }
    }

    /// Tracks what a solution says: its comparisons or, where these do not help, its formulas. Whether
    /// something is new.
    fn track(&mut self, pool: &mut TermPool, unrolled: &Unrolled, solution: &Solution, whole: bool) -> bool {
        let mut is_new = false;
        for &(unknown, predicate) in &unrolled.predicates {
            is_new |= match whole {
                true => self.precision.add_whole(pool, predicate, solution[unknown]),
                false => self.precision.add_atoms(pool, predicate, solution[unknown]),
            };
        }
        is_new
    }

    fn unroll(
        &self,
        pool: &mut TermPool,
        states: &Arena<StateId, State>,
        special: SpecialId,
        premises: &[StateId],
        candidates: &Arena<UnknownId, Vec<TermId>>,
    ) -> Option<Unrolled> {
        let mut involved: Vec<StateId> = premises.to_vec();
        let mut position = 0;
        let mut seen: rustc_hash::FxHashSet<StateId> = premises.iter().copied().collect();
        involved.dedup();
        while let Some(&state) = involved.get(position) {
            position += 1;
            involved.extend(states[state].premises.iter().copied().filter(|&premise| seen.insert(premise)));
        }
        involved.sort_unstable();
        involved.dedup();
        let mut unrolled =
            Unrolled { system: HornSystem::new(), predicates: Vec::new(), specials: Vec::new() };
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
        let steps = involved.iter().map(|&id| (Some(id), states[id].special, states[id].premises.as_slice()));
        for (head, special, premises) in steps.chain([(None, special, premises)]) {
            let rule = self.specials.get(special);
            let apply = |state: StateId, arguments: &[TermId]| Application {
                unknown: unknowns[&state],
                arguments: arguments.to_vec(),
            };
            let body = premises.iter().zip(&rule.body).map(|(&premise, arguments)| apply(premise, arguments));
            let body = body.collect();
            let head = head.zip(rule.head.as_ref()).map(|(state, (_, arguments))| apply(state, arguments));
            let constraint = pool.and(rule.literals.iter().copied());
            unrolled.system.add(pool, Clause { constraint, body, head }).ok()?;
            unrolled.specials.push(special);
        }
        Some(unrolled)
    }
}

/// The rule of a step, and the values that its finite arguments have.
type Fixed<'f> = dyn Fn(ClauseId) -> (usize, &'f [(VarId, rely_logic::Integer)]) + 'f;

/// A derivation by unrolled rules as one by clauses.
fn original_derivation(
    pool: &TermPool,
    normal: &Normal,
    derivation: &interpolate::Derivation,
    fixed: &Fixed<'_>,
) -> Derivation {
    // Premises before conclusions, without recursion: derivations are as deep as loops are long.
    let mut order = Vec::new();
    let mut stack = vec![derivation];
    while let Some(next) = stack.pop() {
        order.push(next);
        stack.extend(&next.premises);
    }
    let mut positions: FxHashMap<*const interpolate::Derivation, usize> = FxHashMap::default();
    let mut steps = Vec::new();
    for next in order.into_iter().rev() {
        let (rule, fixed) = fixed(next.clause);
        let mut values: FxHashMap<VarId, Value> = next.values.iter().cloned().collect();
        values.extend(fixed.iter().map(|(variable, value)| (*variable, Value::Int(value.clone()))));
        let premises = next.premises.iter().map(|premise| positions[&std::ptr::from_ref(premise)]).collect();
        positions.insert(std::ptr::from_ref(next), steps.len());
        steps.push(original_step(pool, normal, rule, &values, premises));
    }
    Derivation { steps }
}

fn original_step(
    pool: &TermPool,
    normal: &Normal,
    rule: usize,
    values: &FxHashMap<VarId, Value>,
    premises: Vec<usize>,
) -> Step {
    let rule = &normal.rules[rule];
    // What a rule does not mention may have any value.
    let lookup = |variable: VarId| Some(values.get(&variable).cloned().unwrap_or(Value::Int(0.into())));
    let value = |&(variable, term): &(VarId, TermId)| {
        let value = pool.evaluate(term, &lookup)?;
        let value = match pool.variable(variable).sort {
            rely_logic::Sort::Bool => Value::Bool(value.as_int()?.is_positive()),
            _ => value,
        };
        Some((variable, value))
    };
    let mut values: Vec<(VarId, Value)> = rule.originals.iter().filter_map(value).collect();
    values.sort_unstable_by_key(|entry| entry.0);
    Step { clause: rule.clause, values, premises }
}

/// Budgets are asked by those who take long; here only that they are not forgotten.
pub(super) fn stopped(budget: &Budget) -> Option<String> {
    budget.check_now().err().map(|reason| reason.to_string())
}
