//! The copies of the locations of one thread.

use super::Facts;
use super::cases::{Valuation, cases};
use crate::back::ChoiceSource;
use crate::back::{KnownValues, VarValues};
use crate::choices::choices;
use crate::draft::Draft;
use rely_program::{Edge, EdgeId, Expr, LocationId, Op, ThreadId, Value, VarId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// So many locations may come from `before` of them, and from only a few twice as many.
fn most_locations(before: usize) -> usize {
    2 * before.max(4)
}

/// So many edges may come from `before` of them.
fn most_edges(before: usize) -> usize {
    before + before / 8 + 8
}

/// A location and the values for which it is the copy.
type Copy = (LocationId, Valuation);

/// What tells copies apart: the location, the class up to now, and for each edge what it does and
/// the class that it leads to.
type Signature = (LocationId, usize, Vec<(usize, Option<usize>)>);

/// A thread whose locations are told apart by values.
pub(super) struct Separation<'f, 'p> {
    facts: &'f Facts<'p>,
    thread: ThreadId,
    vars: Vec<VarId>,
    numbers: FxHashMap<Copy, usize>,
    copies: Vec<Copy>,
    /// What is known at each copy that is kept.
    values: Vec<Vec<VarValues>>,
    /// The edges that leave each copy.
    edges: Vec<Vec<NewEdge>>,
}

/// An edge from a copy; without a target if no run passes it.
struct NewEdge {
    old: EdgeId,
    target: Option<usize>,
    ops: Vec<Op>,
    /// The old operations that chose a value, and the one that they choose.
    chosen: Vec<(usize, Value)>,
    /// How many of the old operations a run can come to.
    looked_at: usize,
}

impl<'f, 'p> Separation<'f, 'p> {
    /// `None` if it is not worth it, or a value cannot be told.
    pub(super) fn of(facts: &'f Facts<'p>, thread: ThreadId, vars: &[VarId]) -> Option<Self> {
        let mut vars = vars.to_vec();
        vars.sort_unstable();
        let numbers = FxHashMap::default();
        let mut separation =
            Separation { facts, thread, vars, numbers, copies: vec![], values: vec![], edges: vec![] };
        let own = facts.program.locations().iter().filter(|(_, location)| location.thread == thread);
        let own: Vec<LocationId> = own.map(|(id, _)| id).collect();
        separation.copy_all(2 * most_locations(own.len()))?;
        separation.join_equal_copies();
        let edges: usize = own.iter().map(|&location| facts.program.outgoing(location).len()).sum();
        let passed = separation.edges.iter().flatten().filter(|edge| edge.target.is_some()).count();
        let is_worth_it = separation.copies.len() <= most_locations(own.len()) && passed <= most_edges(edges);
        is_worth_it.then_some(separation)
    }

    /// Makes the copies that a run can come to; `None` if there are too many.
    fn copy_all(&mut self, most_copies: usize) -> Option<()> {
        let facts = self.facts;
        let entry = facts.program.threads()[self.thread].entry;
        let known = facts.ranges.at_entry(self.thread)?;
        let at_entry = self.valuation(entry, |var| facts.ranges.of(&known, &Expr::Var(var)).single())?;
        self.number((entry, at_entry));
        while self.edges.len() < self.copies.len() {
            let (location, before) = self.copies[self.edges.len()].clone();
            let mut edges = Vec::new();
            for &edge in facts.program.outgoing(location) {
                edges.extend(self.follow(edge, &before)?);
            }
            self.edges.push(edges);
            if self.copies.len() > most_copies {
                return None;
            }
        }
        Some(())
    }

    /// The values of the variables that matter at a location.
    fn valuation(&self, at: LocationId, value: impl Fn(VarId) -> Option<Value>) -> Option<Valuation> {
        let vars = self.vars.iter().filter(|&&var| self.facts.liveness.is_live(at, var));
        vars.map(|&var| Some((var, value(var)?))).collect()
    }

    fn number(&mut self, copy: Copy) -> usize {
        let next = self.copies.len();
        *self.numbers.entry(copy.clone()).or_insert_with(|| {
            self.copies.push(copy);
            next
        })
    }

    /// The edges that take the place of one that leaves a copy.
    fn follow(&mut self, id: EdgeId, before: &Valuation) -> Option<Vec<NewEdge>> {
        let target = self.facts.program.edges()[id].target;
        let mut edges = Vec::new();
        for case in cases(self.facts, &self.vars, id, before)? {
            let target = if case.passes {
                let after = self.valuation(target, |var| case.values.get(&var).copied())?;
                Some(self.number((target, after)))
            } else {
                None
            };
            edges.push(NewEdge {
                old: id,
                target,
                ops: case.ops,
                chosen: case.chosen,
                looked_at: case.looked_at,
            });
        }
        Some(edges)
    }

    /// Joins copies of a location from which the same steps lead to copies that are joined.
    fn join_equal_copies(&mut self) {
        let labels = self.labels();
        let mut classes: Vec<usize> = vec![0; self.copies.len()];
        let mut count = 0;
        loop {
            let mut known: FxHashMap<Signature, usize> = FxHashMap::default();
            let mut next = Vec::new();
            for (copy, (location, _)) in self.copies.iter().enumerate() {
                let targets = self.edges[copy].iter().map(|edge| edge.target.map(|target| classes[target]));
                let steps = labels[copy].iter().copied().zip(targets).collect();
                let number = known.len();
                next.push(*known.entry((*location, classes[copy], steps)).or_insert(number));
            }
            classes = next;
            if known.len() == count {
                break;
            }
            count = known.len();
        }
        self.values = self.values_of_classes(&classes, count);
        self.keep_one_of_each(&classes, count);
    }

    /// The values with which a run can be at a copy of each class. That a variable has one of all
    /// the values that it has at the location goes without saying, unless it is one.
    fn values_of_classes(&self, classes: &[usize], count: usize) -> Vec<Vec<VarValues>> {
        let mut everywhere: FxHashMap<(LocationId, VarId), BTreeSet<Value>> = FxHashMap::default();
        let mut of_class: Vec<BTreeMap<VarId, BTreeSet<Value>>> = vec![BTreeMap::new(); count];
        let mut locations: Vec<Option<LocationId>> = vec![None; count];
        for ((location, valuation), &class) in self.copies.iter().zip(classes) {
            locations[class] = Some(*location);
            for &(var, value) in valuation {
                everywhere.entry((*location, var)).or_default().insert(value);
                of_class[class].entry(var).or_default().insert(value);
            }
        }
        let told = |(location, known): (Option<LocationId>, BTreeMap<VarId, BTreeSet<Value>>)| {
            let tells = |(var, values): &(VarId, BTreeSet<Value>)| {
                values.len() == 1 || location.is_some_and(|at| everywhere[&(at, *var)] != *values)
            };
            let known = known.into_iter().filter(tells);
            known.map(|(var, values)| VarValues { var, values: values.into_iter().collect() }).collect()
        };
        locations.into_iter().zip(of_class).map(told).collect()
    }

    /// Numbers for the edges that leave each copy: the same for edges that do the same.
    fn labels(&self) -> Vec<Vec<usize>> {
        let mut known: Vec<&NewEdge> = Vec::new();
        let mut label = |edge| match known.iter().position(|other| edge_does_the_same(other, edge)) {
            Some(label) => label,
            None => {
                known.push(edge);
                known.len() - 1
            }
        };
        self.edges.iter().map(|edges| edges.iter().map(&mut label).collect()).collect()
    }

    /// Keeps the first copy of each class. Classes are numbered in the order of these.
    fn keep_one_of_each(&mut self, classes: &[usize], count: usize) {
        let (copies, edges) = (std::mem::take(&mut self.copies), std::mem::take(&mut self.edges));
        for ((copy, mut edges), &class) in copies.into_iter().zip(edges).zip(classes) {
            if class == self.copies.len() {
                edges.iter_mut().for_each(|edge| edge.target = edge.target.map(|target| classes[target]));
                self.copies.push(copy);
                self.edges.push(edges);
            }
        }
        debug_assert_eq!(self.copies.len(), count);
    }

    /// Makes the copies part of the draft. The first copy of a location takes its place.
    pub(super) fn write(self, draft: &mut Draft<'p>) {
        let program = self.facts.program;
        let mut counts: FxHashMap<LocationId, usize> = FxHashMap::default();
        let mut places = Vec::new();
        for ((location, _), values) in self.copies.iter().zip(self.values) {
            let count = counts.entry(*location).or_default();
            *count += 1;
            let place = if *count == 1 { *location } else { draft.copy_location(*location, *count) };
            places.push(place);
            let label = program.locations()[*location].label.clone();
            draft.values.insert(place, KnownValues { label, vars: values });
        }
        for (id, edge) in program.edges().iter() {
            if counts.contains_key(&edge.source) {
                draft.remove_edge(id);
            }
        }
        let exit = program.threads()[self.thread].exit;
        for (&source, edges) in places.iter().zip(self.edges) {
            for edge in edges {
                // An edge that never moves may lead anywhere.
                let target = edge.target.map_or(exit, |copy| places[copy]);
                edge.write(draft, source, target);
            }
        }
    }
}

impl NewEdge {
    fn write(self, draft: &mut Draft<'_>, source: LocationId, target: LocationId) {
        let NewEdge { old, ops, chosen, looked_at, .. } = self;
        let (span, steps) = (draft.old.edges()[old].span, draft.steps[old].clone());
        let new = draft.add_edge(Edge { source, target, ops, span, atomic: None }, steps);
        let mut kept = 0;
        let mut sources = Vec::new();
        for choice in choices(draft.old, &draft.old.edges()[old].ops) {
            let value = chosen.iter().find(|(op, _)| *op == choice.op).map(|(_, value)| *value);
            sources.push(match value {
                Some(value) => ChoiceSource::Fixed(value),
                None if choice.op >= looked_at => {
                    ChoiceSource::Fixed(choice.domain.default_value().unwrap_or(0))
                }
                None => {
                    kept += 1;
                    ChoiceSource::Kept(kept - 1)
                }
            });
        }
        draft.redirect_choices(new, &sources);
    }
}

fn edge_does_the_same(left: &NewEdge, right: &NewEdge) -> bool {
    left.old == right.old && left.chosen == right.chosen && left.ops == right.ops
}
