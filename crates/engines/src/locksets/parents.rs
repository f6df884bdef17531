//! Where the thread that has started another one can be as long as that one runs.
//!
//! Who joins a thread knows that it has ended. After a loop that joins `n` threads nobody knows it any more of
//! each of the threads that there may be: some were not started, others have ended, and which depends on `n`. But
//! each thread knows it from its own side. Its handle is in a cell that nobody overwrites, `n` was great enough
//! for it to be started, and so whoever has started it cannot have come past the place where this cell is
//! joined.
//!
//! This is found out for one thread after the other: from the edge that starts it, all edges of the starter are
//! followed, except those that join it, and those that contradict what is known of variables that are not
//! written meanwhile.

use super::Analysis;
use super::facts::{Cell, Known, Rest, cell};
use super::limits::{Limits, Owners, Range, Ranges};
use super::transfer::Passage;
use rely_base::Id;
use rely_program::analysis::{Access, IdSet};
use rely_program::{EdgeId, Expr, LocationId, Op, Place, Program, Scope, ThreadId, ThreadKind, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a thread knows of the one that has started it.
pub(super) struct Parent {
    pub(super) thread: ThreadId,
    /// Where it can be.
    pub(super) places: IdSet<LocationId>,
    /// Cells with the handle of the thread that was started.
    pub(super) handles: Vec<Cell>,
    /// Variables that do not change, with bounds.
    pub(super) ranges: Ranges,
}

/// What an edge takes for the handle of a thread that it joins.
#[derive(Clone, Copy)]
pub(super) struct Joined {
    pub(super) cell: Cell,
    /// The variable that is a copy of the cell where the edge begins, if that is what it looks at: a shared
    /// cell is read in a step of its own.
    pub(super) copy: Option<VarId>,
}

/// What instances know of those that have started them.
#[derive(Default)]
pub(super) struct Parents {
    of: FxHashMap<ThreadId, Parent>,
    owners: Option<Owners>,
    limits: Limits,
    joins: FxHashMap<EdgeId, Joined>,
}

impl Parents {
    /// Looks at all instances that one instance starts at one place.
    pub(super) fn new(analysis: &Analysis<'_>) -> Self {
        let program = analysis.program;
        let starts = starts(program);
        let mut parents = Self::default();
        let mut starters: Vec<ThreadId> = starts.values().map(|edge| actor(program, *edge)).collect();
        if starters.is_empty() {
            return parents;
        }
        starters.sort_unstable();
        starters.dedup();
        let owners = Owners::new(program);
        for &starter in &starters {
            parents.limits.follow(analysis, &owners, starter);
        }
        parents.joins = joins(program, &owners);
        for (&thread, &edge) in &starts {
            let (limits, joins) = (&parents.limits, &parents.joins);
            let finder = Finder { analysis, owners: &owners, limits, joins, thread, edge };
            if let Some(parent) = finder.find() {
                parents.of.insert(thread, parent);
            }
        }
        parents.owners = Some(owners);
        parents
    }

    /// What a thread knows at a location: nothing, if it has ended there.
    pub(super) fn known_at(&self, program: &Program, location: LocationId) -> Option<&Parent> {
        let thread = program.locations()[location].thread;
        self.of.get(&thread).filter(|_| location != program.threads()[thread].exit)
    }

    /// If two threads cannot be at two locations because one of them has started the other, or one thread both of
    /// them: the threads that know it.
    pub(super) fn excluding(
        &self,
        program: &Program,
        one: LocationId,
        other: LocationId,
    ) -> Option<Vec<ThreadId>> {
        let thread = |location: LocationId| program.locations()[location].thread;
        let (ones, others) = (self.known_at(program, one), self.known_at(program, other));
        let is_elsewhere = |parent: Option<&Parent>, at: LocationId| {
            parent.is_some_and(|parent| parent.thread == thread(at) && !parent.places.contains(at))
        };
        let are_apart = || {
            ones.zip(others).is_some_and(|(one, other)| {
                one.thread == other.thread && !one.places.intersects(&other.places)
            })
        };
        if is_elsewhere(ones, other) {
            Some(vec![thread(one)])
        } else if is_elsewhere(others, one) {
            Some(vec![thread(other)])
        } else {
            are_apart().then(|| vec![thread(one), thread(other)])
        }
    }

    /// What some threads know.
    pub(super) fn only(mut self, threads: &FxHashSet<ThreadId>) -> Self {
        self.of.retain(|thread, _| threads.contains(thread));
        self
    }

    /// What a thread that has started others knows at a location of the variables of which these know something.
    pub(super) fn limits_at(&self, program: &Program, location: LocationId) -> Ranges {
        let known = self.limits.at(location).cloned().unwrap_or_default();
        self.restricted(program, location, known)
    }

    /// The same of the values before a step along an edge, if it is made.
    pub(super) fn limits_before(&self, program: &Program, edge: EdgeId) -> Ranges {
        let Some(owners) = &self.owners else { return Ranges::new() };
        let [before, _] = self.limits.around(program, owners, edge);
        self.restricted(program, program.edges()[edge].source, before)
    }

    fn restricted(&self, program: &Program, location: LocationId, mut ranges: Ranges) -> Ranges {
        let thread = program.locations()[location].thread;
        let children = || self.of.values().filter(|parent| parent.thread == thread);
        ranges.retain(|var, _| children().any(|parent| parent.ranges.contains_key(var)));
        ranges
    }

    /// The instances that an edge may join, of which it is not known whether it does, with the cell that it
    /// looks at.
    pub(super) fn joined(&self, program: &Program, edge: EdgeId) -> Option<(Joined, Vec<ThreadId>)> {
        let joined = *self.joins.get(&edge)?;
        let (source, actor) = (program.edges()[edge].source, actor(program, edge));
        let may_be = |parent: &Parent| {
            parent.thread == actor && parent.places.contains(source) && parent.handles.contains(&joined.cell)
        };
        let mut threads: Vec<ThreadId> =
            self.of.iter().filter(|(_, parent)| may_be(parent)).map(|(thread, _)| *thread).collect();
        threads.sort_unstable();
        (!threads.is_empty()).then_some((joined, threads))
    }
}

fn actor(program: &Program, edge: EdgeId) -> ThreadId {
    program.locations()[program.edges()[edge].source].thread
}

/// The edges that start instances of which each is started by one other instance at one edge only.
fn starts(program: &Program) -> FxHashMap<ThreadId, EdgeId> {
    let mut starts: FxHashMap<ThreadId, Option<EdgeId>> = FxHashMap::default();
    for (id, edge) in program.edges().iter() {
        for op in &edge.ops {
            if let Op::Spawn { thread, .. } = op {
                starts.entry(*thread).and_modify(|edge| *edge = None).or_insert(Some(id));
            }
        }
    }
    let is_instance = |thread: ThreadId| program.threads()[thread].kind != ThreadKind::Template;
    let single = starts.into_iter().filter_map(|(thread, edge)| Some((thread, edge?)));
    single
        .filter(|&(thread, edge)| {
            let starter = actor(program, edge);
            is_instance(thread) && is_instance(starter) && starter != thread
        })
        .collect()
}

/// All edges that join a thread whose handle is in a cell that only the joining thread writes.
fn joins(program: &Program, owners: &Owners) -> FxHashMap<EdgeId, Joined> {
    let mut joins = FxHashMap::default();
    for (id, edge) in program.edges().iter() {
        let thread = actor(program, id);
        let looked_at = edge.ops.iter().find(|op| !matches!(op, Op::Assume(..) | Op::Check(..)));
        let Some(Op::Join(handle)) = looked_at else { continue };
        let joined = match handle {
            Expr::Var(copy) if program.vars()[*copy].scope == Scope::Local(thread) => {
                let cell = copied(program, edge.source, *copy);
                cell.map_or(Some(Joined { cell: (*copy, 0), copy: None }), |cell| {
                    Some(Joined { cell, copy: Some(*copy) })
                })
            }
            handle => cell(program, handle).map(|cell| Joined { cell, copy: None }),
        };
        if let Some(joined) = joined.filter(|joined| owners.owns(thread, joined.cell.0)) {
            joins.insert(id, joined);
        }
    }
    joins
}

/// The cell from which every edge that leads to a location copies a variable, as the last thing that it changes.
fn copied(program: &Program, location: LocationId, copy: VarId) -> Option<Cell> {
    let mut found = None;
    for edge in program.edges().values().filter(|edge| edge.target == location) {
        let last = edge.ops.iter().rfind(|op| !matches!(op, Op::Assume(..) | Op::Check(..)))?;
        let Op::Assign(pairs) = last else { return None };
        let [(place, value)] = &pairs[..] else { return None };
        let from = cell(program, value).filter(|_| *place == Place::Scalar(copy))?;
        if from.0 == copy || found.is_some_and(|found| found != from) {
            return None;
        }
        found = Some(from);
    }
    found
}

/// Looks for what one thread knows.
struct Finder<'f, 'p> {
    analysis: &'f Analysis<'p>,
    owners: &'f Owners,
    limits: &'f Limits,
    joins: &'f FxHashMap<EdgeId, Joined>,
    thread: ThreadId,
    /// Where it is started.
    edge: EdgeId,
}

/// What turns out not to stay as it is.
enum Lost {
    Handle(Cell),
    Range(VarId),
}

impl Finder<'_, '_> {
    fn find(&self) -> Option<Parent> {
        let program = self.analysis.program;
        let starter = actor(program, self.edge);
        let handle = program.instance_handle(self.thread)?;
        let passage = self.passage(self.edge).filter(|passage| !passage.halts)?;
        let mut handles: Vec<Cell> = self.cells_with(passage, handle, starter);
        let [_, mut ranges] = self.limits.around(program, self.owners, self.edge);
        loop {
            match self.reach(&handles, &ranges) {
                Ok(places) => {
                    ranges.retain(|var, range| self.matters(&places, *var, *range));
                    return Some(Parent { thread: starter, places, handles, ranges });
                }
                Err(Lost::Handle(cell)) => handles.retain(|handle| *handle != cell),
                Err(Lost::Range(var)) => _ = ranges.remove(&var),
            }
        }
    }

    fn passage(&self, edge: EdgeId) -> Option<&Passage> {
        self.analysis.passages[edge.index()].as_ref()
    }

    /// The cells in which only the starter writes, and in which the handle is.
    fn cells_with(&self, passage: &Passage, handle: Value, starter: ThreadId) -> Vec<Cell> {
        let known = passage.leaves.values.iter();
        let holds = known
            .filter(|(cell, known)| **known == Known::Constant(handle) && self.owners.owns(starter, cell.0));
        holds.map(|(cell, _)| *cell).collect()
    }

    /// Where the starter can come while the thread runs.
    fn reach(&self, handles: &[Cell], ranges: &Ranges) -> Result<IdSet<LocationId>, Lost> {
        let program = self.analysis.program;
        let (mut places, mut ends) = (IdSet::new(), IdSet::new());
        let mut pending = vec![program.edges()[self.edge].target];
        while let Some(location) = pending.pop() {
            if !places.insert(location) {
                continue;
            }
            for &edge in program.outgoing(location) {
                let Some(passage) = self.passage(edge) else { continue };
                if self.is_excluded(edge, passage, handles, ranges) {
                    continue;
                }
                let target = program.edges()[edge].target;
                if passage.halts {
                    // Nobody moves behind it.
                    ends.insert(target);
                    continue;
                }
                self.keeps(edge, passage, handles, ranges)?;
                pending.push(target);
            }
        }
        places.union_with(&ends);
        Ok(places)
    }

    /// Whether the starter cannot take an edge as long as the thread runs.
    fn is_excluded(&self, edge: EdgeId, passage: &Passage, handles: &[Cell], ranges: &Ranges) -> bool {
        let program = self.analysis.program;
        if passage.needs.resting.get(&self.thread) == Some(&Rest::Ended)
            || self.joins.get(&edge).is_some_and(|joined| handles.contains(&joined.cell))
        {
            return true;
        }
        if ranges.is_empty() {
            return false;
        }
        let [before, _] = self.limits.around(program, self.owners, edge);
        ranges.iter().any(|(var, range)| before.get(var).is_some_and(|before| are_apart(*range, *before)))
    }

    /// Whether a bound keeps the starter from going somewhere.
    fn matters(&self, places: &IdSet<LocationId>, var: VarId, range: Range) -> bool {
        let program = self.analysis.program;
        let edges = places.iter().flat_map(|location| program.outgoing(location));
        edges.copied().any(|edge| {
            let [before, _] = self.limits.around(program, self.owners, edge);
            before.get(&var).is_some_and(|before| are_apart(range, *before))
        })
    }

    /// What is known stays true along an edge.
    fn keeps(&self, edge: EdgeId, passage: &Passage, handles: &[Cell], ranges: &Ranges) -> Result<(), Lost> {
        if let Some(cell) = handles.iter().find(|cell| passage.writes.contains(cell)) {
            return Err(Lost::Handle(*cell));
        }
        let writes = Access::of_ops(&self.analysis.program.edges()[edge].ops).writes;
        match ranges.keys().find(|var| writes.contains(**var)) {
            Some(var) => Err(Lost::Range(*var)),
            None => Ok(()),
        }
    }
}

fn are_apart(one: Range, other: Range) -> bool {
    let is_below = |low: Range, high: Range| low.high.zip(high.low).is_some_and(|(high, low)| high < low);
    is_below(one, other) || is_below(other, one)
}
