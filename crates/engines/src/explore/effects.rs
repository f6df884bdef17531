//! What edges read and write that other threads can notice, as sets of bits.

use rely_base::{Arena, Id};
use rely_program::analysis::Graph;
use rely_program::{
    Edge, Expr, Goal, LocationId, Op, Place, Program, PropertyKind, Scope, ThreadId, ThreadKind, VarId,
};

/// What threads do from a location on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocationEffects {
    /// The next complete step.
    pub(super) next: Effects,
    /// All steps from there on, those of threads started on the way included.
    pub(super) future: Effects,
    /// The next complete step, if all that can happen is a join and the joined thread has ended.
    pub(super) after_join: Effects,
}

/// What steps do to things that threads share. Besides the globals these are the numbers of new
/// threads, the start of each instance, and the end of threads of each kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Effects {
    reads: Bits,
    writes: Bits,
    /// Writes that those who read notice, but other such writes do not: the ends of threads.
    signals: Bits,
    /// May change the truth of a property that must always hold.
    visible: bool,
    halts: bool,
    /// May start threads again and again.
    multiplies: bool,
}

impl Effects {
    /// For each location of a program what happens from there on.
    pub(super) fn of_locations(program: &Program, goal: Goal) -> Arena<LocationId, LocationEffects> {
        let collector = Collector::new(program, goal);
        let edges: Vec<Effects> = program.edges().values().map(|edge| collector.edge(edge)).collect();
        let nothing = || {
            let nothing = collector.nothing();
            LocationEffects { next: nothing.clone(), future: nothing.clone(), after_join: nothing }
        };
        let mut locations: Arena<_, _> = program.locations().ids().map(|_| nothing()).collect();
        let mut grew = true;
        while grew {
            grew = false;
            // Later edges mostly lead further: backwards, few rounds are needed.
            for (id, edge) in program.edges().iter().rev() {
                grew |= propagate(program, &mut locations, edge, &edges[id.index()]);
            }
        }
        for edge in program.edges().values() {
            if let [Op::Join(_), rest @ ..] = edge.ops.as_slice() {
                let mut effects = collector.nothing();
                collector.movement(edge, &mut effects);
                rest.iter().for_each(|op| collector.op(op, &mut effects));
                if program.locations()[edge.target].atomic {
                    effects.add(&locations[edge.target].next);
                }
                locations[edge.source].after_join = effects;
            }
        }
        locations
    }

    fn add(&mut self, other: &Effects) -> bool {
        let flags = (self.visible, self.halts, self.multiplies);
        self.visible |= other.visible;
        self.halts |= other.halts;
        self.multiplies |= other.multiplies;
        self.reads.add(&other.reads)
            | self.writes.add(&other.writes)
            | self.signals.add(&other.signals)
            | (flags != (self.visible, self.halts, self.multiplies))
    }

    /// Whether the order of two steps with these effects may matter.
    pub(super) fn conflicts_with(&self, other: &Effects) -> bool {
        self.writes.meets(&other.writes)
            || self.writes.meets(&other.reads)
            || self.reads.meets(&other.writes)
            || self.signals.meets(&other.reads)
            || self.reads.meets(&other.signals)
    }

    /// Whether no property notices if these steps come before independent ones. Steps that start
    /// threads in a loop could come first forever: the search would see ever more threads, and none
    /// of them move.
    pub(super) fn may_come_first(&self) -> bool {
        !self.visible && !self.halts && !self.multiplies
    }
}

/// Adds to the effects of an edge's source; whether something was new.
fn propagate(
    program: &Program,
    locations: &mut Arena<LocationId, LocationEffects>,
    edge: &Edge,
    effects: &Effects,
) -> bool {
    let target = locations[edge.target].clone();
    let source = &mut locations[edge.source];
    let mut grew = source.next.add(effects) | source.future.add(effects) | source.future.add(&target.future);
    if program.locations()[edge.target].atomic {
        grew |= source.next.add(&target.next);
    }
    for op in &edge.ops {
        if let Op::Spawn { thread, .. } = op {
            let started = locations[program.threads()[*thread].entry].future.clone();
            grew |= locations[edge.source].future.add(&started);
        }
    }
    grew
}

/// Whether an operation may change a variable.
pub(super) fn writes(op: &Op, var: VarId) -> bool {
    match op {
        Op::Assign(assignments) => assignments.iter().any(|(place, _)| place.var() == var),
        Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => place.var() == var,
        Op::Assume(..) | Op::Check(..) | Op::Spawn { handle: None, .. } | Op::Join(_) | Op::Halt => false,
    }
}

/// Numbers what threads share, and knows what the properties look at.
struct Collector<'p> {
    program: &'p Program,
    graph: Graph,
    observed_vars: Vec<VarId>,
    observed_locations: Vec<LocationId>,
    observed_threads: Vec<ThreadId>,
}

impl<'p> Collector<'p> {
    fn new(program: &'p Program, goal: Goal) -> Self {
        let mut collector = Self {
            program,
            graph: Graph::new(program),
            observed_vars: vec![],
            observed_locations: vec![],
            observed_threads: vec![],
        };
        if goal == Goal::Assert {
            for property in program.properties() {
                if let PropertyKind::Always(condition) = &property.kind {
                    condition.walk(&mut |part| collector.observe(part));
                }
            }
        }
        collector
    }

    fn observe(&mut self, part: &Expr) {
        match part {
            Expr::Var(var) | Expr::Element(var, _) => self.observed_vars.push(*var),
            Expr::CountAt(location) => self.observed_locations.push(*location),
            Expr::CountRunning(thread) => self.observed_threads.push(*thread),
            _ => {}
        }
    }

    fn nothing(&self) -> Effects {
        let shared = self.program.vars().len() + 1 + 2 * self.program.threads().len();
        let none = || Bits::new(shared);
        Effects {
            reads: none(),
            writes: none(),
            signals: none(),
            visible: false,
            halts: false,
            multiplies: false,
        }
    }

    /// The number under which new threads get their numbers.
    fn handles(&self) -> usize {
        self.program.vars().len()
    }

    fn start(&self, thread: ThreadId) -> usize {
        self.handles() + 1 + thread.index()
    }

    fn end(&self, thread: ThreadId) -> usize {
        self.start(thread) + self.program.threads().len()
    }

    fn edge(&self, edge: &Edge) -> Effects {
        let mut effects = self.nothing();
        self.movement(edge, &mut effects);
        edge.ops.iter().for_each(|op| self.op(op, &mut effects));
        effects
    }

    /// What it does that a thread is somewhere else after the edge.
    fn movement(&self, edge: &Edge, effects: &mut Effects) {
        let thread = self.program.locations()[edge.source].thread;
        let ends = edge.target == self.program.threads()[thread].exit;
        if ends {
            effects.signals.insert(self.end(thread));
        }
        let moves = edge.source != edge.target;
        let is_observed = |location| self.observed_locations.contains(location);
        let again = self.program.threads()[thread].kind == ThreadKind::Template
            || self.graph.component(edge.source) == self.graph.component(edge.target);
        effects.multiplies = again && edge.ops.iter().any(|op| self.starts_one_of_many(op));
        effects.visible = moves && (is_observed(&edge.source) || is_observed(&edge.target))
            || ends && self.observed_threads.contains(&thread);
    }

    fn starts_one_of_many(&self, op: &Op) -> bool {
        let is_template = |thread| self.program.threads()[thread].kind == ThreadKind::Template;
        matches!(op, Op::Spawn { thread, .. } if is_template(*thread))
    }

    fn op(&self, op: &Op, effects: &mut Effects) {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) => self.read(condition, effects),
            Op::Assign(assignments) => {
                for (place, value) in assignments {
                    self.read(value, effects);
                    self.write(place, effects);
                }
            }
            Op::Havoc(place, _) => self.write(place, effects),
            Op::Spawn { thread, arguments, handle } => {
                arguments.iter().for_each(|argument| self.read(argument, effects));
                handle.iter().for_each(|place| self.write(place, effects));
                self.spawn(*thread, effects);
            }
            Op::Join(handle) => {
                self.read(handle, effects);
                effects.reads.insert(self.handles());
                self.program.threads().ids().for_each(|thread| effects.reads.insert(self.end(thread)));
            }
            Op::Halt => effects.halts = true,
        }
    }

    fn spawn(&self, thread: ThreadId, effects: &mut Effects) {
        let started = &self.program.threads()[thread];
        effects.writes.insert(match started.kind {
            ThreadKind::Template => self.handles(),
            ThreadKind::Instance { .. } => self.start(thread),
        });
        let mut observed_vars = self.observed_vars.iter().map(|&var| self.program.vars()[var].scope);
        effects.visible |= self.observed_threads.contains(&thread)
            || self.observed_locations.contains(&started.entry)
            || observed_vars.any(|scope| scope == Scope::Local(thread));
    }

    fn read(&self, expr: &Expr, effects: &mut Effects) {
        expr.for_each_var(|var| {
            if self.program.vars()[var].is_global() {
                effects.reads.insert(var.index());
            }
        });
    }

    fn write(&self, place: &Place, effects: &mut Effects) {
        if let Place::Element(_, index) = place {
            self.read(index, effects);
        }
        effects.visible |= self.observed_vars.contains(&place.var());
        if self.program.vars()[place.var()].is_global() {
            effects.writes.insert(place.var().index());
        }
    }
}

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bits(Box<[u64]>);

impl Bits {
    fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)].into())
    }

    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Adds all of `other`; whether something was new.
    fn add(&mut self, other: &Bits) -> bool {
        let mut grew = false;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            grew |= more & !*word != 0;
            *word |= more;
        }
        grew
    }

    fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(left, right)| left & right != 0)
    }
}
