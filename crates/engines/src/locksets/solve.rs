//! The greatest set of facts that survives: everything is believed until a step refutes it.

use super::Analysis;
use super::candidates::Candidates;
use super::facts::{Cell, Facts, Known, Rest, Standing};
use super::parents::Parents;
use super::transfer::{Passage, pass};
use rely_base::{Budget, Id, Interrupted, Work};
use rely_program::{EdgeId, Initial, LocationId, Program, Scope, ThreadId, ThreadKind, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Topic {
    Value(Cell),
    Resting(ThreadId),
}

struct Solver<'p> {
    analysis: Analysis<'p>,
    /// Where something is or was known of a topic.
    holders: FxHashMap<Topic, FxHashSet<LocationId>>,
    /// The edges that can make it false.
    breakers: FxHashMap<Topic, FxHashSet<EdgeId>>,
    /// Where to look again, in sweeps over the whole program: so what one sweep refutes is passed on at once.
    pending: BTreeSet<LocationId>,
}

pub(super) fn solve<'p>(
    program: &'p Program,
    left_out: &[VarId],
    budget: &Budget,
) -> Result<Analysis<'p>, Interrupted> {
    let mut solver = Solver {
        analysis: Analysis {
            program,
            candidates: Candidates::new(program, left_out),
            facts: vec![None; program.locations().len()],
            passages: vec![None; program.edges().len()],
            halting: FxHashMap::default(),
            started_at_the_end: FxHashSet::default(),
            parents: Parents::default(),
            proved: Vec::new(),
        },
        holders: FxHashMap::default(),
        breakers: FxHashMap::default(),
        pending: BTreeSet::new(),
    };
    for (thread, declaration) in program.threads().iter() {
        if declaration.kind == (ThreadKind::Instance { running: true }) {
            let initial = solver.initial(thread);
            solver.arrive(declaration.entry, &initial);
        }
    }
    let mut last = None;
    while let Some(location) = solver.next(last) {
        budget.check_work(Work::Simplifying("locksets"))?;
        last = Some(location);
        solver.defend(location);
        for &edge in program.outgoing(location) {
            solver.take(edge);
        }
    }
    let mut analysis = solver.analysis;
    for (edge, declaration) in program.edges().iter() {
        if let Some(passage) = analysis.passages[edge.index()].as_ref().filter(|passage| passage.halts) {
            // Nobody else moves behind it, so what others know need not be true any more of what it writes.
            let mut facts = passage.needs.clone();
            facts.values.retain(|cell, _| !passage.writes.contains(cell));
            analysis.halting.entry(declaration.target).or_default().push(facts);
            let entries = passage.starts.iter().map(|(thread, _)| program.threads()[*thread].entry);
            analysis.started_at_the_end.extend(entries);
        }
    }
    Ok(analysis)
}

impl<'p> Solver<'p> {
    fn program(&self) -> &'p Program {
        self.analysis.program
    }

    /// What a thread knows that runs from the beginning.
    fn initial(&self, thread: ThreadId) -> Facts {
        let mut facts = self.initial_values(|scope| scope == Scope::Global || scope == Scope::Local(thread));
        for (other, declaration) in self.program().threads().iter() {
            if declaration.kind == (ThreadKind::Instance { running: false }) {
                facts.resting.insert(other, Rest::Unstarted);
            }
        }
        facts
    }

    fn initial_values(&self, is_seen: impl Fn(Scope) -> bool) -> Facts {
        let mut facts = Facts::default();
        for (var, declaration) in self.program().vars().iter() {
            let Initial::Values(values) = &declaration.initial else { continue };
            if is_seen(declaration.scope) && self.analysis.candidates.contains((var, 0)) {
                let cells = values.iter().enumerate().filter(|(_, value)| value.checked_neg().is_some());
                facts
                    .values
                    .extend(cells.map(|(index, value)| ((var, index as u32), Known::Constant(*value))));
            }
        }
        facts
    }

    /// A thread can come to a location, knowing this.
    fn arrive(&mut self, location: LocationId, facts: &Facts) {
        let known = &mut self.analysis.facts[location.index()];
        let is_new = match known {
            None => {
                *known = Some(facts.clone());
                for topic in topics(facts) {
                    self.holders.entry(topic).or_default().insert(location);
                }
                true
            }
            Some(known) => known.meet(facts),
        };
        if is_new {
            self.pending.insert(location);
        }
    }

    /// The next location behind the last one, or the first of the next sweep.
    fn next(&mut self, last: Option<LocationId>) -> Option<LocationId> {
        let behind = last.and_then(|last| self.pending.range(last..).next().copied());
        let next = behind.or_else(|| self.pending.first().copied())?;
        self.pending.remove(&next);
        Some(next)
    }

    /// Carries out an edge with what is known now.
    fn take(&mut self, edge: EdgeId) {
        let program = self.program();
        let declaration = &program.edges()[edge];
        let Some(source) = &self.analysis.facts[declaration.source.index()] else { return };
        let passage = pass(program, &self.analysis.candidates, edge, source);
        if passage == self.analysis.passages[edge.index()] {
            return;
        }
        self.analysis.passages[edge.index()].clone_from(&passage);
        let Some(passage) = passage else { return };
        if passage.halts {
            return;
        }
        self.arrive(declaration.target, &passage.leaves);
        self.start(&passage);
        self.disturb(edge, &passage);
    }

    /// Who is started knows what the other knew, except of its own locals.
    fn start(&mut self, passage: &Passage) {
        let program = self.program();
        for (thread, arguments) in &passage.starts {
            let mut facts = self.initial_values(|scope| scope == Scope::Local(*thread));
            for parameter in &program.threads()[*thread].parameters {
                facts.values.remove(&(*parameter, 0));
            }
            facts.values.extend(arguments.iter().copied());
            let is_shared =
                |(cell, known): &(&Cell, &Known)| program.vars()[cell.0].is_global() && **known != Known::Own;
            let shared = passage.leaves.values.iter().filter(is_shared);
            facts.values.extend(shared.map(|(cell, known)| (*cell, *known)));
            facts.resting.clone_from(&passage.leaves.resting);
            self.arrive(program.threads()[*thread].entry, &facts);
        }
    }

    /// Others lose what the edge makes false.
    fn disturb(&mut self, edge: EdgeId, passage: &Passage) {
        let values = passage.writes.iter().map(|cell| Topic::Value(*cell));
        let topics: Vec<Topic> =
            values.chain(passage.starts.iter().map(|(thread, _)| Topic::Resting(*thread))).collect();
        for topic in topics {
            self.breakers.entry(topic).or_default().insert(edge);
            let holders: Vec<LocationId> = self.holders.get(&topic).into_iter().flatten().copied().collect();
            for location in holders {
                if !self.survives(location, topic, edge) {
                    self.forget(location, topic);
                    self.pending.insert(location);
                }
            }
        }
    }

    /// Forgets at a location what others make false, now that less is known there.
    fn defend(&mut self, location: LocationId) {
        loop {
            let Some(facts) = &self.analysis.facts[location.index()] else { return };
            let is_lost = |topic: &Topic| {
                let breakers = self.breakers.get(topic).into_iter().flatten();
                breakers.copied().any(|edge| !self.survives(location, *topic, edge))
            };
            let lost: Vec<Topic> = topics(facts).filter(is_lost).collect();
            if lost.is_empty() {
                return;
            }
            lost.into_iter().for_each(|topic| self.forget(location, topic));
        }
    }

    fn forget(&mut self, location: LocationId, topic: Topic) {
        if let Some(facts) = &mut self.analysis.facts[location.index()] {
            match topic {
                Topic::Value(cell) => _ = facts.values.remove(&cell),
                Topic::Resting(thread) => _ = facts.resting.remove(&thread),
            }
        }
        if let Some(holders) = self.holders.get_mut(&topic) {
            holders.remove(&location);
        }
    }

    /// Whether a fact at a location stays true when another thread takes an edge.
    fn survives(&self, location: LocationId, topic: Topic, edge: EdgeId) -> bool {
        let program = self.program();
        let (Some(facts), Some(passage)) =
            (&self.analysis.facts[location.index()], &self.analysis.passages[edge.index()])
        else {
            return true;
        };
        let source = program.edges()[edge].source;
        let (thread, actor) = (program.locations()[location].thread, program.locations()[source].thread);
        let is_many = program.threads()[thread].kind == ThreadKind::Template;
        let is_started = passage.starts.iter().any(|(started, _)| *started == thread);
        // Nobody else moves while a thread is inside of an atomic block.
        if (thread == actor || is_started) && !is_many || program.locations()[location].atomic {
            return true;
        }
        let is_kept = match topic {
            // The locals of another thread from the same template are others.
            Topic::Value(cell) if !program.vars()[cell.0].is_global() => true,
            Topic::Value(cell) => {
                let known = facts.values.get(&cell);
                known.is_none() || known != Some(&Known::Own) && passage.leaves.values.get(&cell) == known
            }
            Topic::Resting(_) => false,
        };
        is_kept
            || Standing { location, facts }
                .contradicts(program, Standing { location: source, facts: &passage.needs })
    }
}

fn topics(facts: &Facts) -> impl Iterator<Item = Topic> + '_ {
    let values = facts.values.keys().map(|cell| Topic::Value(*cell));
    values.chain(facts.resting.keys().map(|thread| Topic::Resting(*thread)))
}
