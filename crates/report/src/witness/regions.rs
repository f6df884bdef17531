//! Regions: where threads are, as far as statements of one step can tell.
//!
//! Two locations of the front end's program are in the same region if a thread can come from one
//! to the other by steps that no ghost variable can follow. What leads out of a region is then a
//! statement of one step, so whoever watches these statements knows in which region each thread
//! is. A thread that has not started has a region of its own if its start can be watched.

use super::invariants::ProofContext;
use super::statements::Statement;
use rely_base::Id;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_program::{EdgeId, LocationId, Op, Program, ThreadId, ThreadKind};
use std::collections::{BTreeMap, BTreeSet};

/// A region, by one of its members.
pub(super) type Region = usize;

/// The locations of the front end's program in regions.
pub(super) struct Regions {
    parents: Vec<usize>,
    locations: usize,
}

/// What a statement does: which thread comes from where to where.
pub(super) struct Move {
    pub(super) thread: ThreadId,
    pub(super) from: Region,
    pub(super) to: Region,
}

impl Regions {
    /// The regions of a program in which these statements can be watched.
    pub(super) fn new(program: &Program, watched: &[Statement]) -> Self {
        let locations = program.locations().len();
        let mut regions = Self { parents: (0..locations + program.threads().len()).collect(), locations };
        let is_watched: BTreeSet<EdgeId> =
            watched.iter().flat_map(|statement| &statement.edges).copied().collect();
        for (id, edge) in program.edges().iter().filter(|(id, _)| !is_watched.contains(id)) {
            regions.join(edge.source.index(), edge.target.index());
            for thread in spawned(program, id) {
                regions.join(regions.unstarted(thread), program.threads()[thread].entry.index());
            }
        }
        // The same statement in several copies of a function: nobody can tell which of them it is.
        for statement in watched {
            let first = &program.edges()[statement.edges[0]];
            for edge in statement.edges.iter().map(|&edge| &program.edges()[edge]) {
                regions.join(first.source.index(), edge.source.index());
                regions.join(first.target.index(), edge.target.index());
            }
        }
        regions
    }

    fn unstarted(&self, thread: ThreadId) -> usize {
        self.locations + thread.index()
    }

    fn find(&self, mut node: usize) -> Region {
        while self.parents[node] != node {
            node = self.parents[node];
        }
        node
    }

    fn join(&mut self, left: usize, right: usize) {
        let (left, right) = (self.find(left), self.find(right));
        self.parents[left.max(right)] = left.min(right);
    }

    /// The region of a location.
    pub(super) fn at(&self, location: LocationId) -> Region {
        self.find(location.index())
    }

    /// The region of a thread before its start.
    fn before_start(&self, thread: ThreadId) -> Region {
        self.find(self.unstarted(thread))
    }

    /// Where a thread is at the beginning.
    pub(super) fn at_first(&self, program: &Program, thread: ThreadId) -> Region {
        let declaration = &program.threads()[thread];
        match declaration.kind {
            ThreadKind::Instance { running: true } => self.at(declaration.entry),
            ThreadKind::Instance { running: false } | ThreadKind::Template => self.before_start(thread),
        }
    }

    /// All regions in which a thread can be, that of the beginning first.
    pub(super) fn of_thread(&self, program: &Program, thread: ThreadId) -> Vec<Region> {
        let first = self.at_first(program, thread);
        let locations = program.locations().iter().filter(|(_, location)| location.thread == thread);
        let all: BTreeSet<Region> = locations.map(|(id, _)| self.at(id)).collect();
        std::iter::once(first).chain(all.into_iter().filter(|&region| region != first)).collect()
    }

    /// What a statement does to threads: the one that does it moves, and so may one that it starts.
    pub(super) fn moves(&self, program: &Program, statement: &Statement) -> Vec<Move> {
        let edge = &program.edges()[statement.edges[0]];
        let own = Move { thread: statement.thread, from: self.at(edge.source), to: self.at(edge.target) };
        let started = spawned(program, statement.edges[0]).map(|thread| Move {
            thread,
            from: self.before_start(thread),
            to: self.at(program.threads()[thread].entry),
        });
        std::iter::once(own).chain(started).filter(|step| step.from != step.to).collect()
    }
}

/// The threads that an edge starts.
pub(super) fn spawned(program: &Program, edge: EdgeId) -> impl Iterator<Item = ThreadId> + '_ {
    program.edges()[edge].ops.iter().filter_map(|op| match op {
        Op::Spawn { thread, .. } => Some(*thread),
        _ => None,
    })
}

/// Where a thread of the engine's program can be in the source, for each of its points.
///
/// A step of the engine's program may stand for several of the source. In the middle of them the
/// thread is neither here nor there; what the proof says holds as if it had not begun or as if it
/// were through. So the locations in the middle belong to both ends.
pub(super) struct Whereabouts {
    regions: BTreeMap<(ThreadId, ControlPoint), BTreeSet<Region>>,
    /// The regions of locations about which the engine's program says nothing.
    untold: BTreeMap<ThreadId, BTreeSet<Region>>,
}

impl Whereabouts {
    pub(super) fn new(context: &ProofContext<'_>, regions: &Regions) -> Self {
        let (program, prepared) = (context.program, context.prepared);
        let mut locations: BTreeMap<(ThreadId, ControlPoint), BTreeSet<LocationId>> = BTreeMap::new();
        for (id, location) in prepared.locations().iter() {
            let key = (location.thread, ControlPoint::At(id));
            locations.entry(key).or_default().insert(context.back.location(id));
        }
        for (id, edge) in prepared.edges().iter() {
            let old = context.back.edges(id);
            let inner = old.split_last().map_or(&[][..], |(_, before)| before);
            for middle in inner.iter().map(|&edge| program.edges()[edge].target) {
                let thread = prepared.locations()[edge.source].thread;
                for end in [edge.source, edge.target] {
                    locations.entry((thread, ControlPoint::At(end))).or_default().insert(middle);
                }
            }
        }
        let mut found = Self { regions: BTreeMap::new(), untold: BTreeMap::new() };
        for thread in prepared.threads().ids() {
            let old = context.back.thread(thread);
            found
                .regions
                .insert((thread, ControlPoint::Unstarted), BTreeSet::from([regions.before_start(old)]));
            let told: BTreeSet<LocationId> = locations
                .iter()
                .filter(|((owner, _), _)| *owner == thread)
                .flat_map(|(_, locations)| locations.iter().copied())
                .collect();
            let all = program.locations().iter().filter(|(_, location)| location.thread == old);
            let untold = all.filter(|(id, _)| !told.contains(id)).map(|(id, _)| regions.at(id)).collect();
            found.untold.insert(thread, untold);
        }
        for (key, locations) in locations {
            found.regions.insert(key, locations.into_iter().map(|location| regions.at(location)).collect());
        }
        found
    }

    /// The regions in which a thread may be that is at one of these points.
    pub(super) fn of(&self, thread: ThreadId, points: &[ControlPoint]) -> BTreeSet<Region> {
        let known = points.iter().filter_map(|&point| self.regions.get(&(thread, point))).flatten();
        known.chain(self.untold.get(&thread).into_iter().flatten()).copied().collect()
    }
}
