//! In which range the value of each variable stays, thread by thread.
//!
//! Each thread is looked at alone. The ranges of its own variables, and of the shared ones that
//! it uses, are followed along its edges: made narrower by conditions, replaced by writes, and,
//! where they keep growing around a loop, unbounded. Between two of its steps the other threads may
//! write, so to each range of a shared variable is added, at each location, whatever they ever
//! write to it; that an initial value is gone once the thread itself has written, or before it
//! is started, is seen all the same. Of an array only one range is known, which contains the initial
//! values and whatever any thread ever writes.
//!
//! Since what threads write depends on what they read, threads are looked at again when others are
//! seen to write more, until none does any more; then, by induction over the steps of a run,
//! all values of the run are in their ranges. Bounds that were given up on the way are looked for
//! again at the end: every state of a run is the first one or follows another by a step,
//! so what steps make of ranges that contain all states contains all states, too.

mod congruence;
mod known;
mod range;
mod steps;

pub use known::Known;
pub use range::Range;

use super::graph::Agenda;
use super::{Access, Graph, IdSet};
use crate::expr::Expr;
use crate::ir::{EdgeId, Initial, LocationId, Op, Program, Scope, ThreadId, ThreadKind, Var, VarId};
use rely_base::Arena;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// How often ranges may grow at the head of a loop before they are widened.
const WIDENING_DELAY: usize = 4;

/// So often all threads are looked at before the ranges of what they write are widened. That they give
/// each other more and more is rarer than that one counts, and each round costs as much as the first.
const WIDENING_DELAY_BETWEEN_THREADS: usize = 2;

/// How often bounds that widening lost are looked for again. The second time uses for all threads
/// what the first one found.
const NARROWING_STEPS: usize = 2;

/// What variables get, each from a thread, or for one.
type Given = BTreeMap<(VarId, ThreadId), Range>;

/// The ranges of all variables.
pub struct Ranges<'p> {
    program: &'p Program,
    graph: Graph,
    /// The scalars that a thread follows: its own, and the shared ones that it uses; all if
    /// it starts others.
    followed: Arena<ThreadId, IdSet<VarId>>,
    /// The threads that use a variable.
    users: Arena<VarId, IdSet<ThreadId>>,
    /// The edges that write something that others may see, or start threads.
    public: Vec<EdgeId>,
    /// What each thread writes at any time to shared variables and arrays.
    written: Given,
    /// What parameters and shared variables hold when a thread is started.
    at_start: Given,
    started: IdSet<ThreadId>,
    /// What each variable may hold at any time; of a parameter that no spawn was seen to set,
    /// nothing.
    anytime: Arena<VarId, Option<Range>>,
    /// What others write to the variables that a thread follows.
    outside: Arena<ThreadId, Vec<(VarId, Range)>>,
    /// `None` if nobody comes there.
    at: Arena<LocationId, Option<Known>>,
}

impl<'p> Ranges<'p> {
    /// The ranges of all variables at all locations of a program.
    pub fn new(program: &'p Program) -> Self {
        let (users, starters) = (users(program), starters(program));
        let follows = |thread: ThreadId, var: VarId| {
            program.vars[var].length.is_none()
                && match program.vars[var].scope {
                    Scope::Global => users[var].contains(thread) || starters.contains(thread),
                    Scope::Local(owner) => owner == thread,
                }
        };
        let followed = |thread| program.vars.ids().filter(|&var| follows(thread, var)).collect();
        let mut ranges = Self {
            program,
            graph: Graph::new(program),
            followed: program.threads.ids().map(followed).collect(),
            users,
            public: program.edges.ids().filter(|&edge| is_public(program, edge)).collect(),
            written: Given::new(),
            at_start: Given::new(),
            started: IdSet::new(),
            anytime: program.vars.ids().map(|_| None).collect(),
            outside: program.threads.ids().map(|_| Vec::new()).collect(),
            at: program.locations.ids().map(|_| None).collect(),
        };
        ranges.ascend();
        for _ in 0..NARROWING_STEPS {
            ranges.descend();
        }
        ranges
    }

    /// What is known where a thread stands; `None` if it never comes there.
    pub fn at(&self, location: LocationId) -> Option<&Known> {
        self.at[location].as_ref()
    }

    /// Looks at threads until none is seen to write anything new.
    fn ascend(&mut self) {
        self.spread();
        let mut rounds = 0;
        let mut concerned: IdSet<ThreadId> = self.program.threads.ids().collect();
        while !concerned.is_empty() {
            for (location, declaration) in self.program.locations.iter() {
                if concerned.contains(declaration.thread) {
                    self.at[location] = None;
                }
            }
            concerned.iter().for_each(|thread| self.follow(thread));
            concerned = self.look_at_writes(&concerned, rounds > WIDENING_DELAY_BETWEEN_THREADS);
            self.spread();
            rounds += 1;
        }
    }

    /// Looks once at all threads, with ranges that are known to contain everything, for narrower ones.
    fn descend(&mut self) {
        for thread in self.program.threads.ids() {
            let mut agenda = Agenda::new(&self.graph);
            let of_thread = self.program.locations.iter().filter(|(_, location)| location.thread == thread);
            of_thread.for_each(|(location, _)| agenda.add(location));
            while let Some(location) = agenda.pop() {
                self.at[location] = self.arrived(thread, location);
            }
        }
        self.written.clear();
        self.at_start.clear();
        self.started = IdSet::new();
        let all = self.program.threads.ids().collect();
        self.look_at_writes(&all, false);
        self.spread();
    }

    /// What a thread knows at a location, as far as that follows from what it knows one step before.
    fn arrived(&self, thread: ThreadId, location: LocationId) -> Option<Known> {
        let is_entry = self.program.threads[thread].entry == location;
        let mut arrived = if is_entry { self.at_entry(thread) } else { None };
        for &edge in self.graph.incoming(location) {
            let edge = &self.program.edges[edge];
            let Some(mut known) = self.at[edge.source].clone() else { continue };
            if !self.pass(thread, &mut known, &edge.ops) {
                continue;
            }
            match &mut arrived {
                Some(arrived) => {
                    arrived.join(&known, false);
                }
                nothing => *nothing = Some(known),
            }
        }
        arrived
    }

    /// What a thread knows when it starts; `None` as long as nobody was seen to start it.
    pub fn at_entry(&self, thread: ThreadId) -> Option<Known> {
        let is_spawned = is_spawned(self.program.threads[thread].kind);
        if is_spawned && !self.started.contains(thread) {
            return None;
        }
        let initial = self.followed[thread].iter().map(|var| (var, initial_range(&self.program.vars[var])));
        let mut known = Known::new(initial);
        self.interfere(thread, &mut known);
        // What a thread finds when it is started comes from others, and not before they start it.
        for var in self.followed[thread].iter().filter(|_| is_spawned) {
            let Some(&given) = self.at_start.get(&(var, thread)) else { continue };
            let from_others = known.get(var).filter(|_| !self.is_parameter(var));
            known.set(var, from_others.and_then(|others| others.intersection(given)).unwrap_or(given));
        }
        self.interfere(thread, &mut known);
        Some(known)
    }

    /// Follows a thread from its entry until it comes to nothing new.
    fn follow(&mut self, thread: ThreadId) {
        let Some(at_entry) = self.at_entry(thread) else { return };
        let entry = self.program.threads[thread].entry;
        let mut returns: FxHashMap<LocationId, usize> = FxHashMap::default();
        self.at[entry] = Some(at_entry);
        let mut agenda = Agenda::new(&self.graph);
        agenda.add(entry);
        while let Some(location) = agenda.pop() {
            for &edge in self.program.outgoing(location) {
                let Some(mut known) = self.at[location].clone() else { continue };
                let edge = &self.program.edges[edge];
                if !self.pass(thread, &mut known, &edge.ops) {
                    continue;
                }
                // In every loop an edge leads back, so it is enough to lose patience there. What comes from
                // outside of an inner loop does not grow because of that one.
                let widen = self.graph.leads_back(edge) && {
                    let returns = returns.entry(edge.target).or_default();
                    *returns += 1;
                    *returns > WIDENING_DELAY
                };
                let has_grown = match &mut self.at[edge.target] {
                    Some(at_target) => at_target.join(&known, widen),
                    unreached => {
                        *unreached = Some(known);
                        true
                    }
                };
                if has_grown {
                    agenda.add(edge.target);
                }
            }
        }
    }

    /// Does a whole step and what others may do behind it; false if no run passes.
    fn pass(&self, thread: ThreadId, known: &mut Known, ops: &[Op]) -> bool {
        let passes = ops.iter().all(|op| self.step(known, op));
        if passes {
            self.interfere(thread, known);
        }
        passes
    }

    /// Adds what others write.
    fn interfere(&self, thread: ThreadId, known: &mut Known) {
        self.outside[thread].iter().for_each(|&(var, range)| known.add(var, range));
    }

    /// Adds what some threads write, and what others are started with; who is concerned by that.
    fn look_at_writes(&mut self, writers: &IdSet<ThreadId>, widen: bool) -> IdSet<ThreadId> {
        let (mut written, mut at_start) = (Given::new(), Given::new());
        let mut concerned = IdSet::new();
        for edge in self.public.iter().map(|&edge| &self.program.edges[edge]) {
            let thread = self.program.locations[edge.source].thread;
            if !writers.contains(thread) {
                continue;
            }
            let Some(mut known) = self.at[edge.source].clone() else { continue };
            for op in &edge.ops {
                for (place, range) in self.writes(&known, op) {
                    add(&mut written, (place.var(), thread), range);
                }
                if let Op::Spawn { thread: started, arguments, .. } = op {
                    if self.started.insert(*started) {
                        concerned.insert(*started);
                    }
                    for (var, range) in self.given(&known, *started, arguments) {
                        add(&mut at_start, (var, *started), range);
                    }
                }
                if !self.step(&mut known, op) {
                    break;
                }
            }
        }
        for (var, writer) in merge(&mut self.written, written, widen) {
            let is_array = self.program.vars[var].length.is_some();
            let matters = |reader: &ThreadId| is_array || self.is_disturbed(*reader, writer, var);
            concerned.extend(self.users[var].iter().filter(matters));
        }
        concerned.extend(merge(&mut self.at_start, at_start, widen).into_iter().map(|(_, started)| started));
        concerned
    }

    /// What the variables that a thread follows hold when it is started by one that knows this.
    fn given(&self, known: &Known, started: ThreadId, arguments: &[Expr]) -> Vec<(VarId, Range)> {
        let parameters = self.program.threads[started].parameters.iter().copied();
        let arguments = arguments.iter().map(|argument| self.of(known, argument));
        let is_shared = |var: &VarId| self.program.vars[*var].scope == Scope::Global;
        let shared = self.followed[started].iter().filter(is_shared);
        let shared = shared.map(|var| (var, self.of(known, &Expr::Var(var))));
        parameters.zip(arguments).chain(shared).collect()
    }

    /// Computes anew what variables may hold at any time, and what others write.
    fn spread(&mut self) {
        for (id, var) in self.program.vars.iter() {
            self.anytime[id] = (!self.is_parameter(id)).then(|| initial_range(var));
        }
        self.outside.iter_mut().for_each(|(_, outside)| outside.clear());
        for (&(var, _), &range) in self.written.iter().chain(&self.at_start) {
            let anytime = &mut self.anytime[var];
            *anytime = Some(anytime.map_or(range, |anytime| anytime.hull(range)));
        }
        for (&(var, writer), &range) in &self.written {
            for reader in self.users[var].iter() {
                if !self.is_disturbed(reader, writer, var) || !self.followed[reader].contains(var) {
                    continue;
                }
                // What is written to one variable follows each other.
                match self.outside[reader].last_mut() {
                    Some((last, others)) if *last == var => *others = others.hull(range),
                    _ => self.outside[reader].push((var, range)),
                }
            }
        }
    }

    /// Whether a variable has no value before a spawn gives it one.
    fn is_parameter(&self, var: VarId) -> bool {
        let Scope::Local(owner) = self.program.vars[var].scope else { return false };
        let declaration = &self.program.threads[owner];
        is_spawned(declaration.kind) && declaration.parameters.contains(&var)
    }

    /// Whether a thread may write to a variable between two steps of another. Instances of a template have
    /// locals of their own.
    fn is_disturbed(&self, reader: ThreadId, writer: ThreadId, var: VarId) -> bool {
        let has_siblings = self.program.threads[writer].kind == ThreadKind::Template;
        reader != writer || has_siblings && self.program.vars[var].scope == Scope::Global
    }
}

/// The threads that use a variable.
fn users(program: &Program) -> Arena<VarId, IdSet<ThreadId>> {
    let mut users: Arena<VarId, IdSet<ThreadId>> = program.vars.ids().map(|_| IdSet::new()).collect();
    for edge in program.edges.values() {
        let thread = program.locations[edge.source].thread;
        let access = Access::of_ops(&edge.ops);
        for var in access.reads.iter().chain(access.writes.iter()) {
            users[var].insert(thread);
        }
    }
    users
}

/// Whether an edge writes something of which a thread does not know the range by itself, or starts a thread.
fn is_public(program: &Program, edge: EdgeId) -> bool {
    let ops = &program.edges[edge].ops;
    let is_public = |var: VarId| program.vars[var].is_global() || program.vars[var].length.is_some();
    Access::of_ops(ops).writes.iter().any(is_public) || ops.iter().any(|op| matches!(op, Op::Spawn { .. }))
}

/// The threads that start others.
fn starters(program: &Program) -> IdSet<ThreadId> {
    let starts = |op: &Op| matches!(op, Op::Spawn { .. });
    let edges = program.edges.values().filter(|edge| edge.ops.iter().any(starts));
    edges.map(|edge| program.locations[edge.source].thread).collect()
}

fn is_spawned(kind: ThreadKind) -> bool {
    kind != ThreadKind::Instance { running: true }
}

fn initial_range(var: &Var) -> Range {
    match &var.initial {
        Initial::Any(domain) => Range::of_domain(*domain),
        Initial::Values(values) => {
            values.iter().map(|&value| Range::only(value)).reduce(Range::hull).unwrap_or(Range::ALL)
        }
    }
}

fn add(given: &mut Given, key: (VarId, ThreadId), more: Range) {
    given.entry(key).and_modify(|range| *range = range.hull(more)).or_insert(more);
}

/// Adds what was seen to what is known; for what that was something new.
fn merge(known: &mut Given, seen: Given, widen: bool) -> Vec<(VarId, ThreadId)> {
    let mut changed = Vec::new();
    for (key, range) in seen {
        let before = known.get(&key).copied();
        let after = match before {
            Some(before) if widen => before.widened(range),
            Some(before) => before.hull(range),
            None => range,
        };
        if before != Some(after) {
            known.insert(key, after);
            changed.push(key);
        }
    }
    changed
}
