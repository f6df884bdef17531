//! Writes out loops that start or join threads a known number of times.
//!
//! `for (i = 0; i < 3; i++) spawn worker(i)` is a spawn on a cycle, and so could be any number
//! of threads. But `i` is known at each iteration. This pass makes a copy of the loop's
//! locations for each valuation of known variables that a run can have there, following the
//! edges that are open for it. If that ends soon and leaves no spawn or join on a cycle, the
//! copies take the place of the loop.
//!
//! A run of the new program stands at the copy of a location for the values that known variables have
//! there. Each copy has all edges of the location with all of their operations, so from corresponding
//! states the same steps are possible, block and fail. An edge leads to the copy for the values
//! behind it, which follow from those before it ([`Constants`] knows only variables that nobody else
//! writes); one that lets no run with these values pass may lead anywhere. The entry, and locations that
//! properties count, are not copied.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_program::analysis::{Access, Constants, Graph, IdSet, Liveness, Visibility};
use rely_program::{EdgeId, LocationId, Op, Program, ThreadKind, Value, VarId};
use rustc_hash::FxHashMap;

/// How many locations the copies of one loop may have together.
const MOST_COPIES: usize = 512;

/// The program in which loops around spawns and joins are written out where the number of
/// their iterations is known and small.
#[derive(Clone, Copy, Debug)]
pub struct Unroll;

impl Pass for Unroll {
    fn name(&self) -> &'static str {
        "unroll"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let mut result = program.clone();
        let mut back = BackMap::identity();
        // Each round removes a loop with a spawn or join; the rounds are bounded all the same.
        for _ in 0..program.locations().len() {
            let Some((next, way_back)) = unroll_one(&result) else { break };
            result = next;
            back = back.then(way_back);
        }
        (result, back)
    }
}

fn concerns_threads(op: &Op) -> bool {
    matches!(op, Op::Spawn { .. } | Op::Join(_))
}

fn unroll_one(program: &Program) -> Option<(Program, BackMap)> {
    let graph = Graph::new(program);
    let mut facts = None;
    let mut tried: Vec<usize> = Vec::new();
    for (id, edge) in program.edges().iter() {
        let component = graph.component(edge.source);
        let is_candidate = edge.ops.iter().any(concerns_threads)
            && program.thread_of(edge.source).kind != ThreadKind::Template
            && graph.is_on_cycle(program, id);
        if !is_candidate || tried.contains(&component) {
            continue;
        }
        tried.push(component);
        let facts = facts.get_or_insert_with(|| Facts {
            constants: Constants::new(program),
            liveness: Liveness::new(program),
            visibility: Visibility::new(program),
        });
        let inside = program.locations().ids().filter(|&at| graph.component(at) == component).collect();
        if let Some(result) = Unrolling::new(program, facts, inside).run() {
            return Some(result);
        }
    }
    None
}

struct Facts {
    constants: Constants,
    liveness: Liveness,
    visibility: Visibility,
}

/// The known values of the variables that the loop writes, in the order of their ids.
type Valuation = Vec<(VarId, Value)>;

struct Unrolling<'p> {
    program: &'p Program,
    facts: &'p Facts,
    /// The locations of the loop.
    inside: IdSet<LocationId>,
    written: IdSet<VarId>,
    copies: FxHashMap<(LocationId, Valuation), LocationId>,
    pending: Vec<(LocationId, Valuation)>,
    draft: Draft<'p>,
}

impl<'p> Unrolling<'p> {
    fn new(program: &'p Program, facts: &'p Facts, inside: IdSet<LocationId>) -> Self {
        let mut written = IdSet::new();
        for edge in program.edges().values().filter(|edge| inside.contains(edge.source)) {
            written.union_with(&Access::of_ops(&edge.ops).writes);
        }
        let draft = Draft::new(program);
        Self { program, facts, inside, written, copies: FxHashMap::default(), pending: Vec::new(), draft }
    }

    /// The program with the loop written out, if it has an end.
    fn run(mut self) -> Option<(Program, BackMap)> {
        let is_fixed = |at: LocationId| {
            at == self.program.thread_of(at).entry
                || self.facts.visibility.is_watched_location(self.program, at)
        };
        if self.inside.iter().any(is_fixed) {
            return None;
        }
        for id in self.program.edges().ids() {
            let edge = &self.program.edges()[id];
            if !self.inside.contains(edge.source) && self.inside.contains(edge.target) {
                let (target, passes) = self.follow(id, &Vec::new())?;
                if !passes {
                    return None;
                }
                self.draft.program.edges_mut()[id].target = target;
            }
        }
        while let Some((location, valuation)) = self.pending.pop() {
            self.copy_edges(location, &valuation)?;
        }
        for (id, edge) in self.program.edges().iter() {
            if self.inside.contains(edge.source) {
                self.draft.remove_edge(id);
            }
        }
        for location in self.inside.iter() {
            self.draft.remove_location(location);
        }
        let copies: IdSet<LocationId> = self.copies.values().copied().collect();
        let spawning: Vec<EdgeId> = self
            .draft
            .edges()
            .filter(|(_, edge)| copies.contains(edge.source) && edge.ops.iter().any(concerns_threads))
            .map(|(id, _)| id)
            .collect();
        let is_cyclic = spawning.iter().any(|&edge| self.is_on_cycle(edge));
        (!is_cyclic).then(|| self.draft.finish())
    }

    /// Makes the edges that leave the copy of a location.
    fn copy_edges(&mut self, location: LocationId, valuation: &Valuation) -> Option<()> {
        let source = self.copies[&(location, valuation.clone())];
        for &id in self.program.outgoing(location) {
            let (target, passes) = self.follow(id, valuation)?;
            let mut edge = self.program.edges()[id].clone();
            edge.source = source;
            // An edge that never moves may lead anywhere; what it is for is found out later.
            edge.target = if passes { target } else { self.program.thread_of(location).exit };
            let steps = self.draft.steps[id].clone();
            self.draft.add_edge(edge, steps);
        }
        Some(())
    }

    /// Where an edge leads from a valuation, and whether it lets any run pass. `None` if
    /// there are too many copies.
    fn follow(&mut self, id: EdgeId, valuation: &Valuation) -> Option<(LocationId, bool)> {
        let edge = &self.program.edges()[id];
        let Some(mut env) = self.facts.constants.at(edge.source).cloned() else {
            return Some((edge.target, false));
        };
        for &(var, value) in valuation {
            env.set(var, Some(value));
        }
        let thread = self.program.locations()[edge.source].thread;
        let passes = edge.ops.iter().all(|op| self.facts.constants.step(self.program, thread, &mut env, op));
        if !passes || !self.inside.contains(edge.target) {
            return Some((edge.target, passes));
        }
        let is_relevant =
            |var: VarId| self.written.contains(var) && self.facts.liveness.is_live(edge.target, var);
        let copy = self.copy_of(edge.target, env.restricted(is_relevant))?;
        Some((copy, true))
    }

    fn copy_of(&mut self, location: LocationId, valuation: Valuation) -> Option<LocationId> {
        let key = (location, valuation);
        if let Some(&copy) = self.copies.get(&key) {
            return Some(copy);
        }
        if self.copies.len() >= MOST_COPIES {
            return None;
        }
        let earlier = self.copies.keys().filter(|(at, _)| *at == location).count();
        let copy = self.draft.copy_location(location, earlier + 1);
        self.copies.insert(key.clone(), copy);
        self.pending.push(key);
        Some(copy)
    }

    /// Whether the draft has a way from the target of an edge back to its source.
    fn is_on_cycle(&self, edge: EdgeId) -> bool {
        let edges = self.draft.program.edges();
        let mut targets: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
        for (_, edge) in self.draft.edges() {
            targets.entry(edge.source).or_default().push(edge.target);
        }
        let mut seen: IdSet<LocationId> = IdSet::new();
        let mut pending = vec![edges[edge].target];
        while let Some(location) = pending.pop() {
            if seen.insert(location) {
                pending.extend(targets.get(&location).into_iter().flatten().copied());
            }
        }
        seen.contains(edges[edge].source)
    }
}
