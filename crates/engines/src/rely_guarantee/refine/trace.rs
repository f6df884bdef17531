//! From a derivation of the impossible to the run that it describes.

use super::Refinement;
use crate::rely_guarantee::reach::Wrong;
use rely_base::{Budget, Id};
use rely_evidence::replay;
use rely_logic::interpolate::Derivation;
use rely_logic::{Integer, LinearForm, VarId};
use rely_program::{Semantics, SlotId, Trace, TraceStep, Value, Violation};
use rely_symbolic::{BranchEnd, MoveId, System};
use rustc_hash::FxHashMap;

/// The values of the variables of one clause.
type Values = FxHashMap<VarId, Integer>;

/// The run along a schedule whose values a derivation has found, if it can be run.
pub(crate) fn from_derivation(
    system: &System<'_>,
    moves: &[MoveId],
    what: Wrong,
    derivation: &Derivation,
    budget: &Budget,
) -> Refinement {
    let goal = system.goal;
    let mut values: Vec<Values> = Vec::new();
    let mut current = Some(derivation);
    while let Some(derivation) = current {
        let numbers = derivation
            .values
            .iter()
            .filter_map(|(variable, value)| Some((*variable, value.as_int()?.clone())));
        values.push(numbers.collect());
        current = derivation.premises.first();
    }
    values.reverse();
    let (violation, last) = match what {
        Wrong::Violation(index) => {
            let violation = &system.violations[index];
            if violation.undefined {
                return Refinement::Undecided("a property may have no value");
            }
            (Violation::Property(violation.property), None)
        }
        Wrong::Move(by) => match system.get(by).branch.ending {
            BranchEnd::Fails(check) => (Violation::Check(check), Some(by)),
            _ => return Refinement::Undecided("a run may do something that has no meaning"),
        },
    };
    let steps = moves.iter().copied().chain(last).zip(values.iter().skip(1));
    let steps: Option<Vec<TraceStep>> = steps.map(|(by, values)| step(system, by, values)).collect();
    let (Some(initial), Some(steps)) = (initial(system, values.first()), steps) else {
        return Refinement::Undecided("a violation needs numbers that are too large");
    };
    let trace = Trace { initial, steps, violation };
    if replay(system.program, goal, trace.clone(), budget).is_ok() {
        return Refinement::Violation(trace);
    }
    // What is not linear had any value in the derivation; in the program it may have another.
    let exact = moves.iter().copied().chain(last).all(|by| system.get(by).branch.exact);
    Refinement::Undecided(match exact {
        true => "a counterexample is neither excluded nor can it be run",
        false => "a violation depends on arithmetic that is not linear",
    })
}

fn step(system: &System<'_>, by: MoveId, values: &Values) -> Option<TraceStep> {
    let by = system.get(by);
    let handle = system.program.instance_handle(by.thread)?;
    let choices = by.branch.inputs.iter().map(|input| evaluate(input, values));
    Some(TraceStep {
        slot: SlotId::from_index(usize::try_from(handle - 1).ok()?),
        edge: by.edge,
        choices: choices.collect::<Option<_>>()?,
    })
}

/// The values of the cells that start with any value, in the order of the semantics.
fn initial(system: &System<'_>, values: Option<&Values>) -> Option<Vec<Value>> {
    let semantics = Semantics::new(system.program);
    let mut next: FxHashMap<rely_program::VarId, usize> = FxHashMap::default();
    let choices = semantics.initial_choices().iter().map(|(var, domain)| {
        let index = next.entry(*var).or_insert(0);
        let cell = system.cells.cell(*var, *index);
        *index += 1;
        match values.and_then(|values| values.get(&cell)) {
            Some(value) => value.to_i64().map(Value::from),
            None => domain.default_value(),
        }
    });
    choices.collect()
}

fn evaluate(form: &LinearForm, values: &Values) -> Option<Value> {
    let value = form.evaluate(|variable| values.get(&variable).cloned().unwrap_or_default());
    value.to_i64().map(Value::from)
}
