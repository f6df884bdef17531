//! Whether gcc does what a trace does in the same order.
//!
//! A trace evaluates from left to right, and other threads may come between any two accesses. The
//! compiled program evaluates in the order of gcc, and copies a structure at once. Where another
//! thread comes in the middle of an expression, the trace is changed so that it comes before or
//! behind it, if the violation still happens then. If it does not, the expression must be one that
//! gcc evaluates in this order; otherwise there is no reproducer.

use super::NotReproducible;
use super::expression::{has_effects_among_operands, read_from_left};
use super::scan::Names;
use super::steps::{Access, Plan, StepKind, visit_accesses};
use rely_base::{Budget, SourceMap, Span};
use rely_evidence::{Replay, replay};
use rely_program::{
    EdgeId, LocationId, Program, Scope, Semantics, SlotId, Trace, TraceStep, VarId, Violation,
};
use std::collections::{BTreeMap, BTreeSet};

/// How often a trace is changed at most.
const MOST_CHANGES: usize = 200;

/// A run with the same violation in which the compiled program can follow.
pub(super) fn settled(
    shown: &Replay,
    program: &Program,
    sources: &SourceMap,
    names: &Names,
    budget: &Budget,
) -> Result<Replay, NotReproducible> {
    let source = Source { program, sources, names };
    if let Some(span) = source.ambiguous(shown) {
        return Err(NotReproducible::Order(source.text(span)));
    }
    let mut settled = shown.clone();
    for _ in 0..MOST_CHANGES {
        let plan = Plan::of(&settled, program, sources, names);
        let Some(tear) = source.first_tear(&settled, &plan) else { return Ok(settled) };
        let torn = || NotReproducible::Torn(source.text(tear.span));
        let mut candidates = tear.without(settled.trace()).into_iter();
        let mended = candidates.find_map(|trace| replay(program, shown.goal(), trace, budget).ok());
        settled = mended.ok_or_else(torn)?;
    }
    Err(NotReproducible::TooLong)
}

/// One evaluation of a full expression by one thread.
#[derive(Debug)]
struct Pass {
    span: Span,
    edges: Vec<EdgeId>,
    /// Indices of whatever the passes are made of.
    steps: Vec<usize>,
    first: Option<Access>,
    has_written: bool,
}

/// A full expression into which another thread comes.
#[derive(Debug)]
struct Tear {
    slot: SlotId,
    span: Span,
    /// The first step of the expression in the trace, and its last one.
    first: usize,
    last: usize,
    /// The steps between which the others come; the second one may be missing, as the run ends before.
    before: usize,
    after: Option<usize>,
}

impl Tear {
    /// The trace with the others in front of the expression, or behind it. An expression that is
    /// not evaluated to its end is left out.
    fn without(&self, trace: &Trace) -> Vec<Trace> {
        let with = |steps: Vec<TraceStep>| Trace { steps, ..trace.clone() };
        let own_first = |range: &[TraceStep]| {
            let (own, others): (Vec<_>, Vec<_>) =
                range.iter().cloned().partition(|step| step.slot == self.slot);
            (own, others)
        };
        let steps = &trace.steps;
        let Some(after) = self.after else {
            let (_, others) = own_first(&steps[self.first..]);
            return vec![with([&steps[..self.first], &others].concat())];
        };
        let (own, others) = own_first(&steps[self.first..after]);
        let others_before = [&steps[..self.first], &others, &own, &steps[after..]].concat();
        let (own, others) = own_first(&steps[self.before + 1..=self.last]);
        // What comes behind the violation does not come at all.
        let others = if self.last + 1 == steps.len() { Vec::new() } else { others };
        let others_behind = [&steps[..=self.before], &own, &others, &steps[self.last + 1..]].concat();
        vec![with(others_before), with(others_behind)]
    }
}

struct Source<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    names: &'a Names,
}

impl Source<'_> {
    fn text(&self, span: Span) -> String {
        crate::layout::one_line(self.sources.text(span))
    }

    /// An expression whose value depends on the order of evaluation, whatever the others do.
    fn ambiguous(&self, shown: &Replay) -> Option<Span> {
        // The front end knows whether there can be one.
        if !self.program.assumptions().contains(&"unsequenced-left-to-right") {
            return None;
        }
        let mut passes = Passes::new(self);
        for (index, step) in shown.trace().steps.iter().enumerate() {
            passes.add(index, step, None);
        }
        let all = passes.finished();
        let mut suspects =
            all.iter().filter(|(_, pass)| has_effects_among_operands(&self.text(pass.span), self.names));
        suspects.find(|(slot, pass)| self.has_conflict(shown, *slot, pass)).map(|(_, pass)| pass.span)
    }

    /// Whether a variable is written in an expression and used elsewhere in it.
    fn has_conflict(&self, shown: &Replay, slot: SlotId, pass: &Pass) -> bool {
        let semantics = Semantics::new(self.program);
        let (first, last) = (pass.steps[0], pass.steps[pass.steps.len() - 1]);
        let text = self.text(pass.span);
        let mut uses: BTreeMap<(VarId, Option<i128>), Vec<bool>> = BTreeMap::new();
        for index in first..=last {
            let step = &shown.trace().steps[index];
            if step.slot != slot {
                continue;
            }
            let before = &shown.states()[index];
            for op in &self.program.edges()[step.edge].ops {
                visit_accesses(op, &mut |var, element, writes| {
                    let element = element.and_then(|at| semantics.evaluate_for(before, slot, at).ok());
                    uses.entry((var, element)).or_default().push(writes);
                });
            }
        }
        let mut suspects = uses.iter().filter(|((var, _), _)| self.is_visible(*var, &text));
        suspects.any(|(_, uses)| has_early_write(uses))
    }

    /// Whether an expression and the functions that it calls can mean the same by a variable.
    fn is_visible(&self, var: VarId, text: &str) -> bool {
        let variable = &self.program.vars()[var];
        let own_name = variable.name.rsplit('.').next().unwrap_or("");
        let is_made_up = own_name.starts_with('$');
        !is_made_up && (variable.scope == Scope::Global || super::scan::tokens(text).contains(&own_name))
    }

    /// The first expression into which another thread comes where it cannot.
    fn first_tear(&self, shown: &Replay, plan: &Plan) -> Option<Tear> {
        let mut passes = Passes::new(self);
        for (index, step) in plan.steps.iter().enumerate() {
            passes.add(index, &shown.trace().steps[step.index], Some(&step.kind));
        }
        let unfinished =
            |(slot, pass): (&SlotId, &Vec<Pass>)| self.unfinished(shown, plan, *slot, pass.last()?);
        let unfinished = passes.open.iter().find_map(unfinished);
        unfinished.or_else(|| passes.finished().iter().find_map(|(slot, pass)| self.tear(plan, *slot, pass)))
    }

    /// An expression that has written something when the run ends, and would write more: gcc may do both
    /// at once.
    fn unfinished(&self, shown: &Replay, plan: &Plan, slot: SlotId, pass: &Pass) -> Option<Tear> {
        let last = shown.states().last()?;
        let is_violator = match shown.violation() {
            Violation::Race(racers) => racers.iter().any(|racer| racer.slot == slot),
            // It waits in the middle of a call.
            Violation::Deadlock => shown.stuck().contains(&slot),
            _ => super::violator(shown) == Some(slot),
        };
        if !pass.has_written || is_violator || !self.writes_more(last.location(slot)?, pass.span) {
            return None;
        }
        let index = |at: usize| plan.steps[at].index;
        let (first, before) = (index(*pass.steps.first()?), index(*pass.steps.last()?));
        Some(Tear { slot, span: pass.span, first, last: before, before, after: None })
    }

    /// Whether what follows of an expression writes what others can see.
    fn writes_more(&self, from: LocationId, span: Span) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(location) = open.pop() {
            if !seen.insert(location) {
                continue;
            }
            for &edge in self.program.outgoing(location) {
                let edge = &self.program.edges()[edge];
                let mut has_written = false;
                for op in edge.ops.iter().filter(|_| edge.span == Some(span)) {
                    visit_accesses(op, &mut |var, _, writes| {
                        has_written |= writes && self.program.vars()[var].scope == Scope::Global;
                    });
                }
                if has_written {
                    return true;
                }
                open.extend((edge.span == Some(span)).then_some(edge.target));
            }
        }
        false
    }

    fn tear(&self, plan: &Plan, slot: SlotId, pass: &Pass) -> Option<Tear> {
        let step = |at: usize| &plan.steps[pass.steps[at]];
        let turn_changes = (1..pass.steps.len()).filter(|&at| step(at - 1).turn != step(at).turn);
        let mut torn = turn_changes.filter(|&at| !self.can_be_interrupted(plan, pass, at));
        torn.next().map(|at| Tear {
            slot,
            span: pass.span,
            first: step(0).index,
            last: step(pass.steps.len() - 1).index,
            before: step(at - 1).index,
            after: Some(step(at).index),
        })
    }

    /// Whether gcc certainly makes the accesses from `at` on after those before.
    fn can_be_interrupted(&self, plan: &Plan, pass: &Pass, at: usize) -> bool {
        let text = self.text(pass.span);
        let behind = &pass.steps[at..];
        let next = &plan.steps[behind[0]].kind;
        let waits = ["pthread_cond_wait", "pthread_barrier_wait"].iter().any(|call| text.contains(call));
        let is_call = !matches!(next, StepKind::Access(_)) || waits;
        let is_result = behind.len() == 1 && writes(next);
        is_call || is_result || self.is_read_from_left(plan, pass, &text)
    }

    /// Whether a pass reads its variables in the order of gcc, and writes at its end only.
    fn is_read_from_left(&self, plan: &Plan, pass: &Pass, text: &str) -> bool {
        let Some(order) = read_from_left(text, self.names) else { return false };
        let mut order = order.iter();
        let (last, all) = pass.steps.split_last().map_or((None, &[][..]), |(last, all)| (Some(last), all));
        let is_next = |step: &usize, order: &mut std::slice::Iter<'_, String>| match &plan.steps[*step].kind {
            StepKind::Access(accesses) => match accesses.as_slice() {
                [Access { variable, reads: true, writes: false, .. }] => {
                    let name = &plan.variables[*variable].name;
                    order.any(|read| name == read || name.ends_with(&format!(".{read}")))
                }
                _ => false,
            },
            StepKind::Create(_) | StepKind::Join | StepKind::Race(_) => false,
        };
        all.iter().all(|step| is_next(step, &mut order))
            && last.is_none_or(|last| writes(&plan.steps[*last].kind) || is_next(last, &mut order))
    }
}

/// Whether a variable is used again after it was written, or written after other uses than the one
/// read of an operator such as `++`.
fn has_early_write(uses: &[bool]) -> bool {
    uses.contains(&true) && !matches!(uses, [true] | [false, true])
}

fn writes(kind: &StepKind) -> bool {
    matches!(kind, StepKind::Access(accesses) if accesses.iter().any(|access| access.writes))
}

/// Divides the steps of each thread into passes.
struct Passes<'a> {
    source: &'a Source<'a>,
    /// The passes in which a thread is, of which only the last one calls no function.
    open: BTreeMap<SlotId, Vec<Pass>>,
    finished: Vec<(SlotId, Pass)>,
}

impl<'a> Passes<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        Self { source, open: BTreeMap::new(), finished: Vec::new() }
    }

    fn add(&mut self, index: usize, step: &TraceStep, kind: Option<&StepKind>) {
        let Some(span) = self.source.program.edges()[step.edge].span else { return };
        let open = self.open.entry(step.slot).or_default();
        let first = kind.and_then(|kind| match kind {
            StepKind::Access(accesses) => accesses.first(),
            StepKind::Create(_) | StepKind::Join | StepKind::Race(_) => None,
        });
        let known = open.iter().rposition(|pass| pass.span == span);
        let goes_on = known.filter(|&at| !open[at].begins_again(step.edge, first));
        let calls = |pass: &Pass| {
            let tokens = self.source.text(pass.span);
            let tokens = super::scan::tokens(&tokens);
            tokens.windows(2).any(|pair| pair[1] == "(" && self.source.names.is_function(pair[0]))
        };
        let left = match (goes_on, known) {
            (Some(at), _) => at + 1,
            (None, Some(at)) => at,
            (None, None) => open.iter().rposition(calls).map_or(0, |at| at + 1),
        };
        self.finished.extend(open.drain(left..).map(|pass| (step.slot, pass)));
        if goes_on.is_none() {
            open.push(Pass {
                span,
                edges: Vec::new(),
                steps: Vec::new(),
                first: first.cloned(),
                has_written: false,
            });
        }
        if let Some(pass) = open.last_mut() {
            pass.edges.push(step.edge);
            pass.steps.push(index);
            pass.has_written |= kind.is_some_and(writes);
        }
    }

    fn finished(mut self) -> Vec<(SlotId, Pass)> {
        for (slot, open) in self.open {
            self.finished.extend(open.into_iter().map(|pass| (slot, pass)));
        }
        self.finished
    }
}

impl Pass {
    /// Whether a step is the first one of another pass: of a loop, or of another call of the
    /// function in which the expression stands.
    fn begins_again(&self, edge: EdgeId, access: Option<&Access>) -> bool {
        self.edges.contains(&edge) || (self.has_written && access.is_some() && access == self.first.as_ref())
    }
}
