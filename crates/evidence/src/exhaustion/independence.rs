//! Which threads can interfere with each other's next steps.
//!
//! The checker's own analysis for certificates of reduced explorations, written for clarity:
//! sets of resources, no tricks. The engine has its own; where it is bolder than this one, its
//! proofs are not accepted.

use rely_base::{Arena, Id};
use rely_program::{
    Edge, Expr, Goal, LocationId, Op, Place, Program, PropertyKind, Semantics, SlotId, SlotStatus, State,
    ThreadId, ThreadKind, VarId,
};
use std::collections::BTreeSet;

/// Something through which steps of different threads can influence each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    Global(VarId),
    /// The numbers that new threads get.
    Handles,
    /// The one start of an instance.
    Start(ThreadId),
    /// Whether threads of this kind have ended.
    End(ThreadId),
}

/// What one or more edges do that others may notice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effects {
    reads: BTreeSet<Resource>,
    writes: BTreeSet<Resource>,
    /// May change the truth of a property that must always hold.
    visible: bool,
    /// May end the program.
    halts: bool,
}

impl Effects {
    fn add(&mut self, other: &Effects) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.visible |= other.visible;
        self.halts |= other.halts;
    }

    /// Grows whenever something is added that was not there.
    fn size(&self) -> usize {
        self.reads.len() + self.writes.len() + usize::from(self.visible) + usize::from(self.halts)
    }

    fn conflicts_with(&self, other: &Effects) -> bool {
        let both_write = self.writes.intersection(&other.writes);
        !self.reads.is_disjoint(&other.writes)
            || !self.writes.is_disjoint(&other.reads)
            // That threads of one kind end is noticed by those who wait, not by each other.
            || both_write.into_iter().any(|resource| !matches!(resource, Resource::End(_)))
    }
}

/// For each location: what the next complete step from there may do, and what all further
/// steps may do, those of threads that are started on the way included.
pub(crate) struct Independence {
    next: Arena<LocationId, Effects>,
    future: Arena<LocationId, Effects>,
    /// Where a thread can do nothing but join, with a handle that no other thread can change.
    joins: Arena<LocationId, Option<StableJoin>>,
}

struct StableJoin {
    handle: Expr,
    /// What the step does besides joining.
    rest: Effects,
}

impl Independence {
    pub(crate) fn new(program: &Program, goal: Goal) -> Self {
        let observed = Observed::new(program, goal);
        let edges: Vec<Effects> =
            program.edges().values().map(|edge| edge_effects(program, &observed, edge)).collect();
        let nothing = || program.locations().ids().map(|_| Effects::default()).collect();
        let no_joins = program.locations().ids().map(|_| None).collect();
        let mut interference = Self { next: nothing(), future: nothing(), joins: no_joins };
        while interference.grow(program, &edges) {}
        for location in program.locations().ids() {
            interference.joins[location] = interference.stable_join(program, &observed, location);
        }
        interference
    }

    fn stable_join(&self, program: &Program, observed: &Observed<'_>, at: LocationId) -> Option<StableJoin> {
        let [edge] = program.outgoing(at) else { return None };
        let edge = &program.edges()[*edge];
        let [Op::Join(handle), rest @ ..] = edge.ops.as_slice() else { return None };
        let mut stable = true;
        let thread = program.locations()[at].thread;
        handle.for_each_var(|var| stable &= only_thread_that_writes(program, thread, var));
        let without_join = Edge { ops: rest.to_vec(), ..edge.clone() };
        let mut rest = edge_effects(program, observed, &without_join);
        if program.locations()[edge.target].atomic {
            rest.add(&self.next[edge.target]);
        }
        stable.then(|| StableJoin { handle: handle.clone(), rest })
    }

    /// Takes the effects of what follows into those of each location; whether any grew.
    fn grow(&mut self, program: &Program, edges: &[Effects]) -> bool {
        let mut grew = false;
        // Later edges mostly lead further: backwards, few rounds are needed.
        for (id, edge) in program.edges().iter().rev() {
            let mut next = std::mem::take(&mut self.next[edge.source]);
            let mut future = std::mem::take(&mut self.future[edge.source]);
            let before = (next.size(), future.size());
            next.add(&edges[id.index()]);
            if program.locations()[edge.target].atomic {
                next.add(&self.next[edge.target]);
            }
            future.add(&edges[id.index()]);
            future.add(&self.future[edge.target]);
            for op in &edge.ops {
                if let Op::Spawn { thread, .. } = op {
                    future.add(&self.future[program.threads()[*thread].entry]);
                }
            }
            grew |= before != (next.size(), future.size());
            self.next[edge.source] = next;
            self.future[edge.source] = future;
        }
        grew
    }

    /// The threads that must be looked at together with the one in `first`, so that whatever
    /// the others do before one of these moves commutes with the next steps of all of them.
    /// `None` if such a step may be noticed by a property or may end the program.
    ///
    /// A thread that waits for the end of one in the set does nothing before that one moves,
    /// so it may stay outside; one that is in the set only needs the one that it waits for.
    pub(crate) fn cluster(
        &self,
        semantics: &Semantics<'_>,
        state: &State,
        first: SlotId,
    ) -> Option<Vec<SlotId>> {
        let mut cluster = vec![first];
        let mut index = 0;
        while let Some(&member) = cluster.get(index) {
            index += 1;
            let location = state.location(member)?;
            let next = match self.joins(semantics, state, member) {
                Joins::WaitsFor(awaited) if cluster.contains(&awaited) => continue,
                Joins::WaitsFor(awaited) => {
                    cluster.push(awaited);
                    continue;
                }
                Joins::Ended(rest) => rest,
                Joins::Uncertain => &self.next[location],
            };
            if next.visible || next.halts {
                return None;
            }
            for other in state.slots() {
                let conflicts = |location| next.conflicts_with(&self.future[location]);
                let waits = || match self.joins(semantics, state, other) {
                    Joins::WaitsFor(awaited) => cluster.contains(&awaited),
                    Joins::Ended(_) | Joins::Uncertain => false,
                };
                if !cluster.contains(&other) && state.location(other).is_some_and(conflicts) && !waits() {
                    cluster.push(other);
                }
            }
        }
        Some(cluster)
    }

    /// Looks whether all that a thread can do next is to join a thread that nobody can exchange.
    fn joins(&self, semantics: &Semantics<'_>, state: &State, slot: SlotId) -> Joins<'_> {
        let join = state.location(slot).and_then(|location| self.joins[location].as_ref());
        let Some(StableJoin { handle, rest }) = join else { return Joins::Uncertain };
        let value = semantics.evaluate_for(state, slot, handle).ok();
        let joined = state.slots().find(|other| value == Some(other.handle()));
        match joined.map(|joined| (joined, semantics.status(state, joined))) {
            Some((joined, SlotStatus::Running)) => Joins::WaitsFor(joined),
            Some((_, SlotStatus::Ended)) => Joins::Ended(rest),
            Some((_, SlotStatus::NotStarted)) | None => Joins::Uncertain,
        }
    }
}

/// What is certain about a thread that may be about to join.
enum Joins<'e> {
    /// It does nothing before this running thread ends.
    WaitsFor(SlotId),
    /// It joins a thread that has ended, which nobody can change, and then does this.
    Ended(&'e Effects),
    /// Nothing.
    Uncertain,
}

/// Whether no thread but this one can change a variable.
fn only_thread_that_writes(program: &Program, thread: ThreadId, var: VarId) -> bool {
    let is_alone = program.threads()[thread].kind != ThreadKind::Template;
    let writes = |op: &Op| match op {
        Op::Assign(assignments) => assignments.iter().any(|(place, _)| place.var() == var),
        Op::Havoc(place, _) => place.var() == var,
        Op::Spawn { handle, .. } => handle.as_ref().is_some_and(|place| place.var() == var),
        Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => false,
    };
    let by_others = || {
        let others = program.edges().values();
        let mut others = others.filter(|edge| program.locations()[edge.source].thread != thread);
        others.any(|edge| edge.ops.iter().any(writes))
    };
    !program.vars()[var].is_global() || is_alone && !by_others()
}

/// What the properties that must always hold look at.
struct Observed<'p> {
    program: &'p Program,
    vars: BTreeSet<VarId>,
    locations: Vec<LocationId>,
    threads: Vec<ThreadId>,
}

impl<'p> Observed<'p> {
    fn new(program: &'p Program, goal: Goal) -> Self {
        let mut observed = Self { program, vars: BTreeSet::new(), locations: vec![], threads: vec![] };
        for property in program.properties() {
            if let (Goal::Assert, PropertyKind::Always(condition)) = (goal, &property.kind) {
                condition.walk(&mut |part| match part {
                    Expr::Var(var) | Expr::Element(var, _) => {
                        observed.vars.insert(*var);
                    }
                    Expr::CountAt(location) => observed.locations.push(*location),
                    Expr::CountRunning(thread) => observed.threads.push(*thread),
                    _ => {}
                });
            }
        }
        observed
    }

    fn notices_start(&self, thread: ThreadId) -> bool {
        let is_own_local =
            |var: &VarId| self.program.vars()[*var].scope == rely_program::Scope::Local(thread);
        self.threads.contains(&thread)
            || self.locations.contains(&self.program.threads()[thread].entry)
            || self.vars.iter().any(is_own_local)
    }

    fn notices_move(&self, edge: &Edge) -> bool {
        let thread = self.program.locations()[edge.source].thread;
        let ends = edge.target == self.program.threads()[thread].exit;
        edge.source != edge.target
            && (self.locations.contains(&edge.source)
                || self.locations.contains(&edge.target)
                || ends && self.threads.contains(&thread))
    }
}

fn edge_effects(program: &Program, observed: &Observed<'_>, edge: &Edge) -> Effects {
    let mut effects = Effects { visible: observed.notices_move(edge), ..Effects::default() };
    let thread = program.locations()[edge.source].thread;
    if edge.target == program.threads()[thread].exit {
        effects.writes.insert(Resource::End(thread));
    }
    for op in &edge.ops {
        op_effects(program, observed, op, &mut effects);
    }
    effects
}

fn op_effects(program: &Program, observed: &Observed<'_>, op: &Op, effects: &mut Effects) {
    let read = |expr: &Expr, effects: &mut Effects| {
        expr.for_each_var(|var| {
            if program.vars()[var].is_global() {
                effects.reads.insert(Resource::Global(var));
            }
        });
    };
    let write = |place: &Place, effects: &mut Effects| {
        if let Place::Element(_, index) = place {
            read(index, effects);
        }
        effects.visible |= observed.vars.contains(&place.var());
        if program.vars()[place.var()].is_global() {
            effects.writes.insert(Resource::Global(place.var()));
        }
    };
    match op {
        Op::Assume(condition, _) | Op::Check(condition, _) => read(condition, effects),
        Op::Assign(assignments) => {
            for (place, value) in assignments {
                read(value, effects);
                write(place, effects);
            }
        }
        Op::Havoc(place, _) => write(place, effects),
        Op::Spawn { thread, arguments, handle } => {
            arguments.iter().for_each(|argument| read(argument, effects));
            handle.iter().for_each(|place| write(place, effects));
            effects.visible |= observed.notices_start(*thread);
            effects.writes.insert(match program.threads()[*thread].kind {
                ThreadKind::Template => Resource::Handles,
                ThreadKind::Instance { .. } => Resource::Start(*thread),
            });
        }
        Op::Join(handle) => {
            read(handle, effects);
            effects.reads.insert(Resource::Handles);
            effects.reads.extend(program.threads().ids().map(Resource::End));
        }
        Op::Halt => effects.halts = true,
    }
}
