//! The run that a derivation of false describes, if it is one.
//!
//! Each step of the derivation concludes the assertion of one thread from an earlier one of the same thread, by a
//! step of that thread or of another one. So from the beginning to the violation there is a schedule for everybody.
//! The last step of a block has all that came before it in its summary, which concludes from the step before that.
//! Its steps were possible in the eyes of the thread; if these did not see other threads' locals, they may not be.

use rely_base::{Budget, Id};
use rely_evidence::replay;
use rely_horn::{Derivation, DerivationStep};
use rely_logic::TermId;
use rely_program::{Semantics, SlotId, Trace, TraceStep, Value, VarId, Violation};
use rely_proof_rules::{Origin, ProofClauses};
use rely_symbolic::{BranchEnd, System};
use rustc_hash::FxHashMap;

/// The run, or why there is none.
pub(super) fn described(
    system: &System<'_>,
    clauses: &ProofClauses,
    derivation: &Derivation,
    budget: &Budget,
) -> Result<Trace, &'static str> {
    let reader = Reader { system, clauses, derivation };
    let last = derivation.steps.last().ok_or("a derivation has no steps")?;
    let (violation, beginnings) = match &clauses.origins[last.clause] {
        Origin::Step { ending: BranchEnd::Fails(check), .. } => {
            (Violation::Check(*check), vec![derivation.steps.len() - 1])
        }
        Origin::Property { property, undefined: false } => {
            (Violation::Property(*property), last.premises.clone())
        }
        Origin::Property { .. } => return Err("a property may have no value"),
        _ => return Err("a run may do something that has no meaning"),
    };
    let traces = beginnings.into_iter().filter_map(|end| reader.trace(end, violation));
    let mut runs = traces.filter(|trace| replay(system.program, system.goal, trace.clone(), budget).is_ok());
    runs.next().ok_or(match clauses.over_approximates {
        true => "a violation depends on arithmetic that is not linear",
        false => "no such assertions exclude a schedule that cannot be run",
    })
}

struct Reader<'r, 'p> {
    system: &'r System<'p>,
    clauses: &'r ProofClauses,
    derivation: &'r Derivation,
}

impl Reader<'_, '_> {
    /// The schedule by which one thread has come to a step of the derivation; `None` if its numbers are too large.
    fn trace(&self, end: usize, violation: Violation) -> Option<Trace> {
        let mut steps = Vec::new();
        let mut current = &self.derivation.steps[end];
        loop {
            match &self.clauses.origins[current.clause] {
                Origin::Step { .. } => {
                    steps.push(self.step(current)?);
                    let mut inside = current;
                    while let Some(earlier) = self.summary(inside) {
                        steps.push(self.step(earlier)?);
                        inside = earlier;
                    }
                    current = &self.derivation.steps[*current.premises.first()?];
                }
                Origin::Initial(cells) => {
                    steps.reverse();
                    let initial = self.initial(current, cells)?;
                    return Some(Trace { initial, steps, violation });
                }
                Origin::Observed | Origin::Property { .. } => return None,
            }
        }
    }

    /// The step of a thread by which something is concluded.
    fn step(&self, current: &DerivationStep) -> Option<TraceStep> {
        let Origin::Step { thread, edge, inputs, .. } = &self.clauses.origins[current.clause] else {
            return None;
        };
        let handle = self.system.program.instance_handle(*thread)?;
        let slot = SlotId::from_index(usize::try_from(handle - 1).ok()?);
        let choices = inputs.iter().map(|&input| self.value(current, input)).collect::<Option<_>>()?;
        Some(TraceStep { slot, edge: *edge, choices })
    }

    /// The conclusion before, if that is what a block has done so far.
    fn summary(&self, current: &DerivationStep) -> Option<&DerivationStep> {
        let is_summary = |premise: &&DerivationStep| {
            let head = self.clauses.system.clauses()[premise.clause].head.as_ref();
            head.is_some_and(|head| {
                self.clauses.summaries.iter().any(|summary| summary.unknown == head.unknown)
            })
        };
        current.premises.iter().map(|&premise| &self.derivation.steps[premise]).find(is_summary)
    }

    /// The value of a term in a step of the derivation. What no clause mentions may be anything.
    fn value(&self, step: &DerivationStep, term: TermId) -> Option<Value> {
        let lookup = |variable| {
            let known = step.values.iter().find(|(other, _)| *other == variable);
            Some(known.map_or(rely_logic::Value::Int(0.into()), |(_, value)| value.clone()))
        };
        let value = self.clauses.pool.evaluate(term, &lookup)?;
        value.as_int()?.to_i64().map(Value::from)
    }

    /// The values of the cells that start with any value, in the order of the semantics.
    fn initial(&self, step: &DerivationStep, cells: &[(rely_logic::VarId, TermId)]) -> Option<Vec<Value>> {
        let semantics = Semantics::new(self.system.program);
        let mut next: FxHashMap<VarId, usize> = FxHashMap::default();
        let choices = semantics.initial_choices().iter().map(|(var, _)| {
            let index = next.entry(*var).or_insert(0);
            let cell = self.system.cells.cell(*var, *index);
            *index += 1;
            let (_, term) = cells.iter().find(|(other, _)| *other == cell)?;
            self.value(step, *term)
        });
        choices.collect()
    }
}
