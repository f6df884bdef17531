//! The nondeterministic values of a trace: those that the program asks for, and those that
//! happen to stand in memory.
//!
//! The runtime answers calls such as `__VERIFIER_nondet_int` with the values of the trace. The
//! value of a variable that nobody initialized cannot be chosen, but gcc can be told to make it
//! zero. So the trace is replayed with zeros there; if the violation then does not happen,
//! there is no reproducer.

use super::NotReproducible;
use super::steps::stem;
use rely_base::{Budget, SourceMap};
use rely_evidence::{Replay, replay};
use rely_program::{Op, Place, Program, SlotId, Trace, TraceStep, Value};

/// What each thread's calls return, in order.
#[derive(Debug)]
pub(super) struct Inputs {
    asked: Vec<Asked>,
}

/// A value that a call returns.
#[derive(Debug)]
struct Asked {
    slot: SlotId,
    value: Value,
    /// Whether it is asked for in a loop that is repeated for ever.
    is_in_loop: bool,
}

impl Inputs {
    pub(super) fn of(
        shown: &Replay,
        program: &Program,
        sources: &SourceMap,
        budget: &Budget,
    ) -> Result<Self, NotReproducible> {
        let mut asked = Vec::new();
        let mut left_open = None;
        let mut zeroed: Trace = shown.trace().clone();
        let stem = stem(shown).unwrap_or(zeroed.steps.len());
        for (number, step) in zeroed.steps.iter_mut().enumerate() {
            let slot = step.slot;
            let answer = |value| Asked { slot, value, is_in_loop: number >= stem };
            asked.extend(branch(program, sources, step)?.map(answer));
            for (index, place) in havocs(program, step).into_iter().enumerate() {
                if is_asked_for(program, sources, step, place) {
                    asked.push(answer(step.choices[index]));
                } else if step.choices[index] != 0 {
                    left_open = Some(program.vars()[place.var()].name.clone());
                    step.choices[index] = 0;
                }
            }
        }
        match left_open {
            Some(variable) if replay(program, shown.goal(), zeroed, budget).is_err() => {
                Err(NotReproducible::Uninitialized(variable))
            }
            _ => Ok(Self { asked }),
        }
    }

    /// What the calls of one thread return.
    pub(super) fn of_slot(&self, slot: SlotId) -> impl Iterator<Item = Value> {
        self.asked.iter().filter(move |asked| asked.slot == slot).map(|asked| asked.value)
    }

    /// How many of them come before the loop of a run that never ends.
    pub(super) fn before_loop(&self, slot: SlotId) -> usize {
        self.asked.iter().filter(|asked| asked.slot == slot && !asked.is_in_loop).count()
    }
}

/// The places that get the choices of a step. C threads start with determined values, so no
/// choice belongs to a spawn.
fn havocs<'p>(program: &'p Program, step: &TraceStep) -> Vec<&'p Place> {
    let ops = &program.edges()[step.edge].ops;
    let places = ops.iter().filter_map(|op| match op {
        Op::Havoc(place, _) => Some(place),
        _ => None,
    });
    places.take(step.choices.len()).collect()
}

/// The value of a call that is itself the condition of a branch: two edges that do nothing, of
/// which the first one is taken if the condition holds.
fn branch(
    program: &Program,
    sources: &SourceMap,
    step: &TraceStep,
) -> Result<Option<Value>, NotReproducible> {
    let edge = &program.edges()[step.edge];
    let ways = program.outgoing(edge.source);
    if ways.len() < 2 || !ways.iter().all(|&way| program.edges()[way].ops.is_empty()) {
        return Ok(None);
    }
    let Some(span) = edge.span else { return Ok(None) };
    let before = sources.file(span.file).text().get(..span.start as usize).unwrap_or("");
    if ways.len() > 2 || before.trim_end_matches([' ', '\t', '\n', '(']).ends_with("switch") {
        return Err(NotReproducible::AnyLabel(sources.text(span).to_owned()));
    }
    Ok(Some(Value::from(ways[0] == step.edge)))
}

/// A call gives its value to a temporary, or to the left side of an assignment.
fn is_asked_for(program: &Program, sources: &SourceMap, step: &TraceStep, place: &Place) -> bool {
    let is_temporary = program.vars()[place.var()].name.starts_with('$');
    let is_assigned = || {
        let span = program.edges()[step.edge].span;
        span.is_some_and(|span| sources.text(span).contains(['=', '(']))
    };
    is_temporary || is_assigned()
}
