//! The shape of the automata: what leads where, and in circles.

use super::IdSet;
use crate::ir::{Edge, EdgeId, LocationId, Program};
use rely_base::{Arena, Id};
use std::collections::BTreeSet;

/// The control-flow graphs of all threads of a program.
#[derive(Debug)]
pub struct Graph {
    incoming: Arena<LocationId, Vec<EdgeId>>,
    /// Locations of the same strongly connected component have the same number.
    components: Arena<LocationId, usize>,
    loop_heads: IdSet<LocationId>,
    /// In which order a search leaves the locations.
    left: Arena<LocationId, usize>,
}

impl Graph {
    /// Looks at all edges of the program.
    pub fn new(program: &Program) -> Self {
        let mut incoming: Arena<LocationId, Vec<EdgeId>> =
            program.locations.ids().map(|_| Vec::new()).collect();
        for (id, edge) in program.edges.iter() {
            incoming[edge.target].push(id);
        }
        let mut search = Search::new(program);
        for thread in program.threads.values() {
            search.run(thread.entry);
        }
        for location in program.locations.ids() {
            search.run(location);
        }
        let Search { components, loop_heads, left, .. } = search;
        Self { incoming, components, loop_heads, left }
    }

    /// The edges that lead to a location.
    pub fn incoming(&self, location: LocationId) -> &[EdgeId] {
        &self.incoming[location]
    }

    /// Whether the edge is part of a cycle.
    pub fn is_on_cycle(&self, program: &Program, edge: EdgeId) -> bool {
        let edge = &program.edges[edge];
        self.components[edge.source] == self.components[edge.target]
    }

    /// The number of the strongly connected component of a location.
    pub fn component(&self, location: LocationId) -> usize {
        self.components[location]
    }

    /// Whether an edge leads back to where the search came from: every cycle has such an edge.
    pub(crate) fn leads_back(&self, edge: &Edge) -> bool {
        self.left[edge.source] <= self.left[edge.target]
    }

    /// Whether a walk from the entry of the thread comes back to this location: every cycle
    /// has such a location.
    pub fn is_loop_head(&self, location: LocationId) -> bool {
        self.loop_heads.contains(location)
    }
}

/// Locations to be looked at, each once, before those to which they lead except around loops: what
/// comes from all sides is there before anything is made of it.
pub(crate) struct Agenda<'g> {
    graph: &'g Graph,
    /// The location with the greatest number was left last, so nothing waiting leads to it.
    waiting: BTreeSet<(usize, LocationId)>,
}

impl<'g> Agenda<'g> {
    pub(crate) fn new(graph: &'g Graph) -> Self {
        Self { graph, waiting: BTreeSet::new() }
    }

    pub(crate) fn add(&mut self, location: LocationId) {
        self.waiting.insert((self.graph.left[location], location));
    }

    pub(crate) fn pop(&mut self) -> Option<LocationId> {
        self.waiting.pop_last().map(|(_, location)| location)
    }
}

/// Tarjan's search for strongly connected components, without recursion. The loop heads are
/// the targets of the edges that lead back to a location on the search's own path.
struct Search<'p> {
    program: &'p Program,
    visits: Arena<LocationId, Option<Visit>>,
    next_number: usize,
    stack: Vec<LocationId>,
    components: Arena<LocationId, usize>,
    next_component: usize,
    loop_heads: IdSet<LocationId>,
    left: Arena<LocationId, usize>,
    left_count: usize,
}

#[derive(Clone, Copy)]
struct Visit {
    number: usize,
    /// The least number known to be reachable among the unfinished components.
    low: usize,
    on_stack: bool,
    on_path: bool,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            visits: program.locations.ids().map(|_| None).collect(),
            next_number: 0,
            stack: Vec::new(),
            components: program.locations.ids().map(Id::index).collect(),
            next_component: 0,
            loop_heads: IdSet::new(),
            left: program.locations.ids().map(Id::index).collect(),
            left_count: 0,
        }
    }

    fn run(&mut self, start: LocationId) {
        if self.visits[start].is_some() {
            return;
        }
        // Each entry is a location on the path and how many of its edges were followed.
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((location, followed)) = path.last_mut() {
            let location = *location;
            let Some(&edge) = self.program.outgoing(location).get(*followed) else {
                path.pop();
                self.leave(location, path.last().map(|(parent, _)| *parent));
                continue;
            };
            *followed += 1;
            let target = self.program.edges[edge].target;
            match self.visits[target] {
                None => {
                    self.enter(target);
                    path.push((target, 0));
                }
                Some(visit) => {
                    if visit.on_path {
                        self.loop_heads.insert(target);
                    }
                    if visit.on_stack {
                        self.lower(location, visit.number);
                    }
                }
            }
        }
    }

    fn enter(&mut self, location: LocationId) {
        let number = self.next_number;
        self.next_number += 1;
        self.visits[location] = Some(Visit { number, low: number, on_stack: true, on_path: true });
        self.stack.push(location);
    }

    fn lower(&mut self, location: LocationId, low: usize) {
        if let Some(visit) = &mut self.visits[location] {
            visit.low = visit.low.min(low);
        }
    }

    fn leave(&mut self, location: LocationId, parent: Option<LocationId>) {
        self.left[location] = self.left_count;
        self.left_count += 1;
        let Some(visit) = &mut self.visits[location] else { return };
        visit.on_path = false;
        let visit = *visit;
        if let Some(parent) = parent {
            self.lower(parent, visit.low);
        }
        if visit.low != visit.number {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.components[member] = self.next_component;
            if let Some(visit) = &mut self.visits[member] {
                visit.on_stack = false;
            }
            if member == location {
                break;
            }
        }
        self.next_component += 1;
    }
}
