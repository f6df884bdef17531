//! What is tracked: predicates over data, and the places of other threads.
//!
//! Each predicate is kept with the control points at which refinement found that its thread needs it. To track
//! it only there, as lazy abstraction does, makes smaller trees, but needs many more refinements,
//! because each finds it again at the next control point. So at first a thread tracks its predicates
//! wherever it is. Only when trees get large they are tracked just [where they are needed]: in a
//! thread that goes through several phases, those of one phase would multiply the abstract states of
//! all others.
//!
//! [where they are needed]: Precision::track_where_needed

mod increment;
pub(crate) mod literals;
pub(crate) mod symmetry;

pub(crate) use increment::PrecisionIncrement;

use literals::{Literal, Literals, PredicateId};
use rely_base::{Arena, Id, define_id};
use rely_logic::{Constraint, VarId};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, Move, System, updated};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

define_id!(
    /// A block of control points of a thread that an observer does not tell apart.
    pub(crate) struct BlockId
);

/// A block for each thread; few programs have more threads than fit without an allocation.
pub(crate) type Blocks = SmallVec<[BlockId; 8]>;

/// The current precision.
#[derive(Clone)]
pub(crate) struct Precision {
    predicates: Arena<PredicateId, [Constraint; 2]>,
    known: FxHashMap<Constraint, PredicateId>,
    /// The predicates of each thread.
    of: Vec<Vec<PredicateId>>,
    /// Where threads were found to need them.
    needed: FxHashSet<(ThreadId, ControlPointId, PredicateId)>,
    /// Whether threads track them nowhere else.
    only_where_needed: bool,
    /// What each thread tells apart of each other thread.
    partitions: Vec<Vec<Partition>>,
    /// The cells that are known to count threads.
    counted: Vec<VarId>,
}

/// The control points of a thread in blocks.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    block_of: Vec<BlockId>,
    blocks: Arena<BlockId, Vec<ControlPointId>>,
}

impl Precision {
    /// Nothing is tracked.
    pub(crate) fn new(system: &System<'_>) -> Self {
        Precision {
            predicates: Arena::new(),
            known: FxHashMap::default(),
            of: system.threads.iter().map(|_| Vec::new()).collect(),
            needed: FxHashSet::default(),
            only_where_needed: false,
            partitions: trivial_partitions(system),
            counted: Vec::new(),
        }
    }

    /// The same predicates, but no places.
    pub(crate) fn without_places(&self, system: &System<'_>) -> Self {
        Precision { partitions: trivial_partitions(system), ..self.clone() }
    }

    /// The cells that are known to count threads.
    pub(crate) fn counted(&self) -> &[VarId] {
        &self.counted
    }

    /// Lets everybody know that a cell counts threads; says whether that is new.
    pub(crate) fn count(&mut self, cell: VarId) -> bool {
        let is_new = !self.counted.contains(&cell);
        if is_new {
            self.counted.push(cell);
        }
        is_new
    }

    /// What is known of cells that count threads from where some threads are.
    pub(crate) fn facts(
        &self,
        system: &System<'_>,
        present: &[(ThreadId, ControlPointId)],
    ) -> Vec<Constraint> {
        match self.counted.as_slice() {
            [] => Vec::new(),
            counted => system.counting.facts(counted, system, present),
        }
    }

    /// How many blocks of places all threads together see.
    pub(crate) fn count_blocks(&self) -> usize {
        self.partitions.iter().flatten().map(Partition::len).sum()
    }

    /// The predicates tracked by a thread.
    pub(crate) fn of(&self, thread: ThreadId) -> &[PredicateId] {
        &self.of[thread.index()]
    }

    /// The predicates tracked by a thread, as a mask.
    pub(crate) fn mask_of(&self, thread: ThreadId) -> Literals {
        let predicates = self.of(thread).iter();
        predicates.flat_map(|&predicate| [true, false].map(|holds| Literal { predicate, holds })).collect()
    }

    /// What literals say.
    pub(crate) fn constraints<'a>(&'a self, literals: &'a Literals) -> impl Iterator<Item = &'a Constraint> {
        literals.iter().map(|literal| self.constraint(literal))
    }

    /// The predicates that a thread does not track at a control point, as a mask: it does not need them
    /// there, or they speak of something that no longer matters.
    pub(crate) fn untracked(&self, system: &System<'_>, thread: ThreadId, point: ControlPointId) -> Literals {
        let is_dead = |constraint: &Constraint| {
            let mut variables = constraint.form().variables();
            variables.any(|cell| !system.is_live(thread, point, cell))
        };
        let is_untracked = |predicate, sides: &[Constraint; 2]| {
            !self.reaches(thread, point, predicate) || is_dead(&sides[0])
        };
        let untracked = self.predicates.iter().filter(|(predicate, sides)| is_untracked(*predicate, sides));
        untracked.flat_map(|(predicate, _)| [true, false].map(|holds| Literal { predicate, holds })).collect()
    }

    /// From now on, threads track predicates only where they were found to need them. Says whether
    /// that was not so before.
    pub(crate) fn track_where_needed(&mut self) -> bool {
        !std::mem::replace(&mut self.only_where_needed, true)
    }

    /// At how many of its control points a thread was found to need a predicate.
    pub(crate) fn count_needed(&self, thread: ThreadId, constraint: &Constraint) -> usize {
        let Some(predicate) = self.find(constraint) else { return 0 };
        self.needed.iter().filter(|(by, _, what)| (*by, *what) == (thread, predicate)).count()
    }

    /// Whether threads track predicates only where they were found to need them.
    pub(crate) fn tracks_where_needed(&self) -> bool {
        self.only_where_needed
    }

    /// Whether a thread that tracks a predicate does so at a control point.
    fn reaches(&self, thread: ThreadId, point: ControlPointId, predicate: PredicateId) -> bool {
        !self.only_where_needed || self.needed.contains(&(thread, point, predicate))
    }

    /// The predicates whose truth a move of another thread can change, as a mask. An instance of
    /// the observer's own template does not change the observer's locals.
    pub(crate) fn affected(&self, system: &System<'_>, by: &Move, same_template: bool) -> Literals {
        let mut mask = Literals::default();
        for (predicate, sides) in self.predicates.iter() {
            let changes = |variable| {
                let private = same_template && system.cells.owner(variable) == Some(by.thread);
                !private && updated(&by.branch.updates, variable).is_some()
            };
            if sides[0].form().variables().any(changes) {
                mask.insert(Literal { predicate, holds: true });
                mask.insert(Literal { predicate, holds: false });
            }
        }
        mask
    }

    /// The predicates of a mover that can matter to others when it moves, as a mask: those that
    /// have to do with cells that others look at or that the move reads.
    pub(crate) fn told(&self, system: &System<'_>, by: &Move) -> Literals {
        let others = system.thread_ids().filter(|&other| other != by.thread);
        let mut told: FxHashSet<VarId> = others
            .flat_map(|other| self.of(other))
            .flat_map(|&predicate| self.predicates[predicate][0].form().variables())
            .chain(by.branch.variables())
            .collect();
        let mut hidden: Vec<PredicateId> = self.of(by.thread).to_vec();
        let mut mask = Literals::default();
        loop {
            let matters = |predicate: &PredicateId| {
                let mut cells = self.predicates[*predicate][0].form().variables();
                cells.any(|cell| system.cells.owner(cell) != Some(by.thread) || told.contains(&cell))
            };
            let (found, rest): (Vec<PredicateId>, Vec<PredicateId>) = hidden.into_iter().partition(matters);
            if found.is_empty() {
                return mask;
            }
            for predicate in found {
                told.extend(self.predicates[predicate][0].form().variables());
                mask.insert(Literal { predicate, holds: true });
                mask.insert(Literal { predicate, holds: false });
            }
            hidden = rest;
        }
    }

    /// What a literal says.
    pub(crate) fn constraint(&self, literal: Literal) -> &Constraint {
        &self.predicates[literal.predicate][usize::from(!literal.holds)]
    }

    /// All predicates.
    pub(crate) fn predicates(&self) -> impl Iterator<Item = PredicateId> + use<> {
        self.predicates.ids()
    }

    /// How many predicates there are.
    pub(crate) fn predicate_count(&self) -> usize {
        self.predicates.len()
    }

    /// How many predicates mention a cell.
    pub(crate) fn predicates_about(&self, cell: VarId) -> usize {
        self.predicates.values().filter(|sides| sides[0].form().contains(cell)).count()
    }

    /// Lets a thread track a predicate that it needs at a control point; says whether that is new.
    pub(crate) fn track(&mut self, thread: ThreadId, point: ControlPointId, constraint: &Constraint) -> bool {
        let Some((predicate, is_new)) = self.add(thread, constraint) else { return false };
        let is_new_there = self.needed.insert((thread, point, predicate));
        is_new || self.only_where_needed && is_new_there
    }

    /// Adds a predicate to those of a thread and says whether it is new; `None` if it says nothing.
    pub(crate) fn add(&mut self, thread: ThreadId, constraint: &Constraint) -> Option<(PredicateId, bool)> {
        if constraint.is_true() || constraint.is_false() {
            return None;
        }
        let predicate = self.find(constraint).unwrap_or_else(|| {
            let id = self.predicates.push([constraint.clone(), constraint.negated()]);
            self.known.insert(constraint.clone(), id);
            id
        });
        let tracked = &mut self.of[thread.index()];
        let is_new = !tracked.contains(&predicate);
        if is_new {
            tracked.push(predicate);
        }
        Some((predicate, is_new))
    }

    /// The predicate that a constraint is, or whose negation it is.
    pub(crate) fn find(&self, constraint: &Constraint) -> Option<PredicateId> {
        self.known.get(constraint).or_else(|| self.known.get(&constraint.negated())).copied()
    }

    /// Whether something is tracked already.
    pub(crate) fn has(&self, increment: &PrecisionIncrement) -> bool {
        match increment {
            PrecisionIncrement::Predicate { thread, point, constraint } => {
                let is_tracked = |predicate: PredicateId| {
                    self.of(*thread).contains(&predicate) && self.reaches(*thread, *point, predicate)
                };
                self.find(constraint).is_some_and(is_tracked) || constraint.is_true() || constraint.is_false()
            }
            PrecisionIncrement::Count(cell) => self.counted.contains(cell),
            PrecisionIncrement::Place { observer, observed, points } => {
                let partition = self.partition(*observer, *observed);
                let block = |point: &ControlPointId| partition.block(partition.block_of(*point));
                points.iter().all(|point| block(point).iter().all(|neighbour| points.contains(neighbour)))
            }
        }
    }

    /// What an observer tells apart of another thread.
    pub(crate) fn partition(&self, observer: ThreadId, observed: ThreadId) -> &Partition {
        &self.partitions[observer.index()][observed.index()]
    }

    /// Lets an observer tell whether a thread is at one of some control points; says whether that is new.
    pub(crate) fn tell_apart(
        &mut self,
        observer: ThreadId,
        observed: ThreadId,
        points: &[ControlPointId],
    ) -> bool {
        self.partitions[observer.index()][observed.index()].split(points)
    }
}

/// Nobody tells anything apart.
fn trivial_partitions(system: &System<'_>) -> Vec<Vec<Partition>> {
    let whole = |observed: ThreadId| {
        let points = system.thread(observed).points.len();
        Partition {
            block_of: vec![BlockId::from_index(0); points],
            blocks: std::iter::once((0..points).map(ControlPointId::from_index).collect()).collect(),
        }
    };
    system.thread_ids().map(|_| system.thread_ids().map(whole).collect()).collect()
}

impl Partition {
    pub(crate) fn block_of(&self, point: ControlPointId) -> BlockId {
        self.block_of[point.index()]
    }

    pub(crate) fn block(&self, block: BlockId) -> &[ControlPointId] {
        &self.blocks[block]
    }

    /// How many blocks there are.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether nothing is told apart.
    pub(crate) fn is_trivial(&self) -> bool {
        self.blocks.len() == 1
    }

    fn split(&mut self, points: &[ControlPointId]) -> bool {
        let mut changed = false;
        for id in self.blocks.ids() {
            let (inside, outside): (Vec<ControlPointId>, Vec<ControlPointId>) =
                self.blocks[id].iter().partition(|point| points.contains(point));
            if inside.is_empty() || outside.is_empty() {
                continue;
            }
            changed = true;
            self.blocks[id] = outside;
            let new = self.blocks.push(inside.clone());
            for point in inside {
                self.block_of[point.index()] = new;
            }
        }
        changed
    }
}
