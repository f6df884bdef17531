//! Whether an abstract derivation is a derivation, asked as one formula.
//!
//! Interpolation knows linear arithmetic; where products take part, this may still find values. A state that
//! is used twice has the same values both times here, so that no answer means nothing.

use rely_base::Arena;
use rely_logic::{Satisfiability, TermId, TermPool, Value, VarId, satisfiable};
use rustc_hash::FxHashMap;

use super::reach::{Engine, State, StateId};
use super::refine::original_step;
use super::special::{Special, SpecialId};
use crate::clauses::Derivation;

/// A step with variables of its own.
struct Copied {
    special: SpecialId,
    premises: Vec<usize>,
    names: FxHashMap<VarId, VarId>,
    head: Vec<TermId>,
}

impl Engine<'_> {
    /// The derivation by these states, in an order in which premises come first, and a last step; `None` if
    /// none was found.
    pub(super) fn concrete(
        &self,
        pool: &mut TermPool,
        states: &Arena<StateId, State>,
        involved: &[StateId],
        last: (SpecialId, &[StateId]),
    ) -> Option<Derivation> {
        let mut formulas = Vec::new();
        let mut copies: Vec<Copied> = Vec::new();
        let positions: FxHashMap<StateId, usize> =
            involved.iter().enumerate().map(|(position, &state)| (state, position)).collect();
        let steps = involved.iter().map(|&state| (states[state].special, states[state].premises.as_slice()));
        for (special, premises) in steps.chain([last]) {
            let premises: Vec<usize> =
                premises.iter().map(|premise| positions.get(premise).copied()).collect::<Option<_>>()?;
            let rule = self.specials.get(special);
            let copied = copy(pool, special, premises, &rule, &mut formulas);
            for (&premise, arguments) in copied.premises.iter().zip(&rule.body) {
                for (&argument, &passed) in arguments.iter().zip(&copies.get(premise)?.head) {
                    let own = renamed(pool, argument, &copied.names);
                    formulas.push(pool.eq(own, passed));
                }
            }
            copies.push(copied);
        }
        let Satisfiability::Sat(found) = satisfiable(pool, &formulas, self.budget).satisfiability else {
            return None;
        };
        let steps = copies.into_iter().map(|copied| {
            let rule = self.specials.get(copied.special);
            let mut values: FxHashMap<VarId, Value> = FxHashMap::default();
            for (&variable, &own) in &copied.names {
                values.insert(variable, found.value(own, pool.variable(own).sort));
            }
            values.extend(rule.fixed.iter().map(|(variable, value)| (*variable, Value::Int(value.clone()))));
            original_step(pool, self.normal, rule.rule, &values, copied.premises)
        });
        Some(Derivation { steps: steps.collect() })
    }
}

fn copy(
    pool: &mut TermPool,
    special: SpecialId,
    premises: Vec<usize>,
    rule: &Special,
    formulas: &mut Vec<TermId>,
) -> Copied {
    let head: &[TermId] = rule.head.as_ref().map_or(&[], |(_, arguments)| arguments);
    let terms = rule.literals.iter().chain(rule.body.iter().flatten()).chain(head).copied();
    let mut names: FxHashMap<VarId, VarId> = FxHashMap::default();
    for term in pool.subterms(terms) {
        if let Some(variable) = pool.as_var(term) {
            let sort = pool.variable(variable).sort;
            names.insert(variable, pool.fresh_variable("value", sort));
        }
    }
    formulas.extend(rule.literals.iter().map(|&literal| renamed(pool, literal, &names)));
    let head = head.iter().map(|&argument| renamed(pool, argument, &names)).collect();
    Copied { special, premises, names, head }
}

fn renamed(pool: &mut TermPool, term: TermId, names: &FxHashMap<VarId, VarId>) -> TermId {
    pool.rename(term, |_, variable| names.get(&variable).copied().unwrap_or(variable))
}
