//! What to do about an abstract derivation of false.
//!
//! Its rules, at the values of their finite arguments, are Horn clauses without recursion, one unknown for
//! each abstract state. Either they derive false indeed, or a solution of them, by tree interpolation, says
//! what must be tracked so that this derivation goes away.

use rely_base::{Arena, Budget, Id};
use rely_logic::interpolate::{self, ClauseId, HornOutcome, Limits, Solution, UnknownId};
use rely_logic::{TermId, TermPool, Value, VarId};
use rustc_hash::FxHashMap;

use super::reach::{Engine, State, StateId};
use super::unroll::{Last, Unrolled, involved};
use crate::clauses::{Derivation, DerivationStep};
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

/// Uses of states that refinement looks at, at first and at most.
const PARTS: [usize; 2] = [300, 1_900];

impl Engine<'_> {
    pub(super) fn refine(
        &mut self,
        pool: &mut TermPool,
        states: &Arena<StateId, State>,
        last: Last<'_>,
        candidates: &Arena<UnknownId, Vec<TermId>>,
    ) -> Refinement {
        let mut reason = String::new();
        for parts in PARTS {
            let Some(unrolled) = self.unroll(pool, states, last, parts, candidates) else { continue };
            match self.refine_unrolled(pool, &unrolled) {
                Refinement::Unknown(why) => reason = why,
                known => return known,
            }
            if !unrolled.is_cut {
                break;
            }
        }
        match self.concrete(pool, states, &involved(states, last.premises), (last.special, last.premises)) {
            Some(derivation) => Refinement::Real(derivation),
            None => Refinement::Unknown(reason),
        }
    }

    fn refine_unrolled(&mut self, pool: &mut TermPool, unrolled: &Unrolled) -> Refinement {
        let limits = Limits::default();
        if let Some(solution) = unrolled.system.solve_with_candidates(pool, &limits, self.budget)
            && self.track(pool, unrolled, &solution, false)
        {
            return Refinement::Tracked;
        }
        let solution = match unrolled.system.solve_by_interpolation(pool, &limits, self.budget) {
            HornOutcome::Solved(solution) => solution,
            HornOutcome::Unsatisfiable(_) if unrolled.is_cut => {
                return Refinement::Unknown("a derivation has too many steps".to_owned());
            }
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
        match self.track(pool, unrolled, &solution, false) || self.track(pool, unrolled, &solution, true) {
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

pub(super) fn original_step(
    pool: &TermPool,
    normal: &Normal,
    rule: usize,
    values: &FxHashMap<VarId, Value>,
    premises: Vec<usize>,
) -> DerivationStep {
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
    DerivationStep { clause: rule.clause, values, premises }
}

/// Budgets are asked by those who take long; here only that they are not forgotten.
pub(super) fn stopped(budget: &Budget) -> Option<String> {
    budget.check_now().err().map(|reason| reason.to_string())
}
