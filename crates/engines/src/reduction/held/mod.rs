//! What each thread knows of the locks: assertions that survive the steps of all others.
//!
//! A *fact* says that a variable has a certain value while a thread stands at a location. The greatest set of
//! facts is computed that holds initially, is kept by the thread's own steps, and by every step of another
//! thread that can be made meanwhile. The last part is where locks come from: nobody takes a lock that is
//! taken, and only who holds it gives it back.
//!
//! The value of a mutex tells who holds it, that of a spin lock does not: everybody sets it to one. Who has seen it free
//! and taken it in the same step knows that nobody else has it, and that is a fact, too ([`About::Lock`]): two threads
//! never know it at once. In the proof it says that no other instance stands where it would know it.
//!
//! Locks that several threads hold together count them ([`shares`]). What a thread holds of one depends on its place
//! alone, so that is a fact of which no step of another thread is to be afraid.

mod passing;
mod proof;
mod shares;

pub(super) use passing::Passage;
pub(super) use shares::{Hold, SharedLock, shared_locks};

use passing::first_failure;
use rely_base::Id;
use rely_program::analysis::{Access, IdSet};
use rely_program::{EdgeId, Expr, Initial, LocationId, Op, Program, ThreadId, ThreadKind, Value, VarId};
use std::collections::BTreeMap;

/// Of what something is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// The value of a variable.
    Value(VarId),
    /// Where an instance stands.
    Place(ThreadId),
    /// Whether a thread alone holds a lock whose value does not tell who does.
    Lock(VarId),
    /// What a thread holds of a lock that counts.
    Share(VarId),
}

/// What is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The value.
    Constant(Value),
    /// The value is the handle of the thread, of which there are many.
    Own,
    /// The instance has not started.
    Unstarted,
    /// The instance has started and not ended. Only of oneself that is known.
    Running,
    /// The instance has ended.
    Ended,
    /// The thread holds this.
    Holds(Hold),
}

/// What is known.
pub(super) type Facts = BTreeMap<About, Known>;

/// What is known where.
pub(super) struct Held<'p> {
    pub(super) program: &'p Program,
    /// The variables that are only set to constants and handles.
    pub(super) locks: IdSet<VarId>,
    /// Those that several instances set to the same value, and the value with which they begin: spin locks.
    spins: BTreeMap<VarId, Value>,
    /// Those that count who holds them.
    shared: BTreeMap<VarId, SharedLock>,
    /// By edge: the first operation that can go wrong.
    fails: Vec<Option<usize>>,
    /// By location; `None` where nobody ever stands.
    facts: Vec<Option<Facts>>,
    /// By edge; `None` if it is never taken.
    passages: Vec<Option<Passage>>,
}

impl<'p> Held<'p> {
    /// The facts of a program: the strongest ones that a run cannot make false. At first nobody stands anywhere;
    /// where somebody comes to, only what all who come there know stays known, and only as long as nobody
    /// interferes. Facts only get fewer, so this ends.
    pub(super) fn new(program: &'p Program, shared: Vec<SharedLock>) -> Self {
        let mut held = Self {
            program,
            locks: locks(program),
            spins: spins(program),
            shared: shared.into_iter().map(|lock| (lock.var(), lock)).collect(),
            fails: program.edges().values().map(|edge| first_failure(program, edge)).collect(),
            facts: vec![None; program.locations().len()],
            passages: vec![None; program.edges().len()],
        };
        let mut changed: Vec<LocationId> = Vec::new();
        for (thread, declaration) in program.threads().iter() {
            let mut initial = match declaration.kind {
                ThreadKind::Instance { running: true } => held.initial(),
                _ => Facts::new(),
            };
            if matches!(declaration.kind, ThreadKind::Instance { .. }) {
                initial.insert(About::Place(thread), Known::Running);
            }
            initial.extend(held.holds(declaration.entry).into_iter().flatten());
            held.facts[declaration.entry.index()] = Some(initial);
            changed.push(declaration.entry);
        }
        while !changed.is_empty() {
            held.go_on(changed);
            changed = held.interfere();
        }
        held
    }

    /// Takes all steps from where less is known than before.
    fn go_on(&mut self, mut changed: Vec<LocationId>) {
        while let Some(location) = changed.pop() {
            for &edge in self.program.outgoing(location) {
                let Some(passage) = self.pass(edge) else { continue };
                let target = self.program.edges()[edge].target;
                if meet(&mut self.facts[target.index()], &passage.leaves) {
                    changed.push(target);
                }
                self.passages[edge.index()] = Some(passage);
            }
        }
    }

    /// Forgets what others change meanwhile, and says where.
    fn interfere(&mut self) -> Vec<LocationId> {
        let mut writers: BTreeMap<About, Vec<EdgeId>> = BTreeMap::new();
        for edge in self.program.edges().ids() {
            for &about in self.passage(edge).map_or(&[][..], |passage| &passage.changes) {
                writers.entry(about).or_default().push(edge);
            }
        }
        let mut changed = Vec::new();
        for location in self.program.locations().ids() {
            let Some(before) = &self.facts[location.index()] else { continue };
            let thread = self.program.locations()[location].thread;
            let mut after = before.clone();
            after.retain(|about, known| {
                let writers = writers.get(about).map_or(&[][..], Vec::as_slice);
                writers.iter().all(|&edge| self.survives(thread, before, (*about, *known), edge))
            });
            self.forget_locks(&mut after);
            if after != *before {
                self.facts[location.index()] = Some(after);
                changed.push(location);
            }
        }
        changed
    }

    /// Who does not know that a lock is taken does not hold it.
    fn forget_locks(&self, facts: &mut Facts) {
        for (&var, free) in &self.spins {
            if !is_taken(facts, var, *free) {
                facts.remove(&About::Lock(var));
            }
        }
    }

    /// What is known at a location; `None` if nobody ever stands there.
    pub(super) fn at(&self, location: LocationId) -> Option<&Facts> {
        self.facts[location.index()].as_ref()
    }

    /// What is held of locks that count at a location; `None` if nobody ever stands there.
    fn holds(&self, location: LocationId) -> Option<Facts> {
        let hold = |lock: &SharedLock| Some((About::Share(lock.var()), Known::Holds(lock.at(location)?)));
        self.shared.values().map(hold).collect()
    }

    /// The locks that count who holds them.
    pub(super) fn shared_locks(&self) -> impl Iterator<Item = &SharedLock> {
        self.shared.values()
    }

    /// What an edge does; `None` if it is never taken.
    pub(super) fn passage(&self, edge: EdgeId) -> Option<&Passage> {
        self.passages[edge.index()].as_ref()
    }

    /// Whether facts of two different threads cannot hold at the same time.
    pub(super) fn contradict(&self, one: &Facts, other: &Facts) -> bool {
        one.iter().any(|(about, known)| {
            other.get(about).is_some_and(|value| match (about, known, value) {
                (About::Share(var), Known::Holds(one), Known::Holds(other)) => {
                    self.shared[var].excludes([*one, *other])
                }
                _ => self.differ(*known, *value),
            })
        })
    }

    /// Whether two values that two different threads know are certainly not the same.
    fn differ(&self, one: Known, other: Known) -> bool {
        one == Known::Own && other == Known::Own || self.is_not(one, other)
    }

    /// Whether two values that one thread knows are certainly not the same.
    pub(super) fn is_not(&self, one: Known, other: Known) -> bool {
        match (one, other) {
            (Known::Constant(one), Known::Constant(other)) => one != other,
            // Threads of templates come behind all instances.
            (Known::Own, Known::Constant(value)) | (Known::Constant(value), Known::Own) => {
                value <= self.instances()
            }
            (Known::Own, Known::Own) => false,
            (one, other) => one != other,
        }
    }

    /// No instance has a larger handle.
    pub(super) fn instances(&self) -> Value {
        self.program
            .threads()
            .ids()
            .filter_map(|thread| self.program.instance_handle(thread))
            .max()
            .unwrap_or(0)
    }

    fn initial(&self) -> Facts {
        let value = |var: VarId| match &self.program.vars()[var].initial {
            Initial::Values(values) => {
                values.first().map(|value| (About::Value(var), Known::Constant(*value)))
            }
            Initial::Any(_) => None,
        };
        let threads = self.program.threads().iter();
        let unstarted = threads.filter(|(_, thread)| thread.kind == ThreadKind::Instance { running: false });
        let unstarted = unstarted.map(|(thread, _)| (About::Place(thread), Known::Unstarted));
        self.locks.iter().filter_map(value).chain(unstarted).collect()
    }

    /// Whether a step that changes something leaves a fact about it to another thread that knows all of these, or
    /// cannot be made meanwhile.
    fn survives(&self, thread: ThreadId, facts: &Facts, fact: (About, Known), edge: EdgeId) -> bool {
        let (about, known) = fact;
        let Some(passage) = self.passage(edge) else { return true };
        !self.are_others(thread, self.actor(edge))
            || (known != Known::Own && passage.leaves.get(&about) == Some(&known))
            || self.contradict(facts, &passage.needs)
    }

    /// Whether a step of one thread can be seen by another of the same or another kind.
    pub(super) fn are_others(&self, thread: ThreadId, actor: ThreadId) -> bool {
        thread != actor || self.is_template(thread)
    }

    pub(super) fn is_template(&self, thread: ThreadId) -> bool {
        self.program.threads()[thread].kind == ThreadKind::Template
    }

    /// The thread of an edge.
    pub(super) fn actor(&self, edge: EdgeId) -> ThreadId {
        self.program.locations()[self.program.edges()[edge].source].thread
    }

    fn pass(&self, edge: EdgeId) -> Option<Passage> {
        let source = self.at(self.program.edges()[edge].source)?;
        Passage::along(self, edge, source, self.fails[edge.index()])
    }
}

/// The shared variables that are only set to constants and handles.
fn locks(program: &Program) -> IdSet<VarId> {
    let is_candidate =
        |var: &VarId| program.vars()[*var].is_global() && program.vars()[*var].length.is_none();
    let mut locks: IdSet<VarId> = program.vars().ids().filter(is_candidate).collect();
    for op in program.edges().values().flat_map(|edge| &edge.ops) {
        match op {
            Op::Assign(pairs) => {
                for (place, value) in pairs {
                    if !matches!(value, Expr::Int(_) | Expr::Bool(_) | Expr::This) {
                        locks.remove(place.var());
                    }
                }
            }
            Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => locks.remove(place.var()),
            _ => {}
        }
    }
    locks
}

/// The locks that tell nobody who holds them: several instances set them to the same value, which is not the one with
/// which they begin, and no template accesses them.
fn spins(program: &Program) -> BTreeMap<VarId, Value> {
    let mut setters: BTreeMap<(VarId, Value), Vec<ThreadId>> = BTreeMap::new();
    let mut candidates = locks(program);
    for (id, edge) in program.edges().iter() {
        let thread = program.locations()[edge.source].thread;
        if program.threads()[thread].kind == ThreadKind::Template {
            let access = Access::of_edge(program, id);
            access.reads.iter().chain(access.writes.iter()).for_each(|var| candidates.remove(var));
        }
        let pairs = edge.ops.iter().flat_map(|op| if let Op::Assign(pairs) = op { &pairs[..] } else { &[] });
        for (place, value) in pairs {
            match value {
                Expr::Int(value) => setters.entry((place.var(), *value)).or_default().push(thread),
                Expr::Bool(value) => {
                    setters.entry((place.var(), Value::from(*value))).or_default().push(thread);
                }
                _ => candidates.remove(place.var()),
            }
        }
    }
    let free = |var: VarId| match &program.vars()[var].initial {
        Initial::Values(values) => values.first().copied(),
        Initial::Any(_) => None,
    };
    let is_shared = |threads: &[ThreadId]| threads.iter().any(|thread| *thread != threads[0]);
    let spins = setters.iter().filter(|((var, _), threads)| candidates.contains(*var) && is_shared(threads));
    spins.filter_map(|((var, value), _)| Some((*var, free(*var).filter(|free| free != value)?))).collect()
}

/// Whether a variable is known not to have the value that it has while nobody holds it.
fn is_taken(facts: &Facts, var: VarId, free: Value) -> bool {
    matches!(facts.get(&About::Value(var)), Some(Known::Constant(value)) if *value != free)
}

/// Keeps what both know, and says whether that is less than before.
fn meet(known: &mut Option<Facts>, facts: &Facts) -> bool {
    match known {
        None => {
            *known = Some(facts.clone());
            true
        }
        Some(known) => {
            let before = known.len();
            known.retain(|about, value| facts.get(about) == Some(value));
            known.len() < before
        }
    }
}
