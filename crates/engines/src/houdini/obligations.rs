//! What must be shown of a clause at a control point.

use super::limits::Limits;
use super::signs::Signs;
use super::steps::Steps;
use super::vocabulary::Vocabulary;
use rely_base::{Budget, Id};
use rely_logic::{Conjunction, Constraint, Domain, VarId};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, MoveId, System};

/// The clauses at each control point of each thread.
pub(super) type Clauses = Vec<Vec<Vec<Signs>>>;

/// A control point of a thread.
pub(super) type ThreadPoint = (ThreadId, ControlPointId);

/// A step after which a clause must hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Obligation {
    pub(super) by: MoveId,
    /// Where the thread of the clause is before the step.
    pub(super) from: ThreadPoint,
    /// Where the thread that makes the step is, if it is another one.
    pub(super) actor: Option<ThreadPoint>,
}

/// Everything about the program that clauses need.
pub(super) struct Frame<'f, 'p> {
    pub(super) system: &'f System<'p>,
    pub(super) vocabulary: &'f Vocabulary,
    pub(super) limits: Limits,
    pub(super) steps: Steps,
    /// What is known in each case of the initial states.
    initial: Vec<Signs>,
    /// The steps that lead to each control point of each thread: its own, and those that start it.
    arriving: Vec<Vec<Vec<Obligation>>>,
    /// The steps of other threads that do not move or start each thread.
    foreign: Vec<Vec<MoveId>>,
}

impl<'f, 'p> Frame<'f, 'p> {
    pub(super) fn new(
        system: &'f System<'p>,
        vocabulary: &'f Vocabulary,
        limits: Limits,
        budget: &Budget,
    ) -> Self {
        let mut frame = Frame {
            system,
            vocabulary,
            limits,
            steps: Steps::new(system, vocabulary, budget),
            initial: initial_signs(system, vocabulary, budget),
            arriving: system.threads.iter().map(|thread| vec![Vec::new(); thread.points.len()]).collect(),
            foreign: Vec::new(),
        };
        for by in frame.moves() {
            let the_move = system.get(by);
            let source = (the_move.thread, the_move.source);
            let own = Obligation { by, from: source, actor: None };
            frame.arriving[the_move.thread.index()][the_move.target.index()].push(own);
            for &started in &the_move.branch.started {
                let view = system.thread(started);
                let from = (started, view.start.unwrap_or(view.entry));
                let start = Obligation { by, from, actor: Some(source) };
                frame.arriving[started.index()][view.entry.index()].push(start);
            }
        }
        let is_foreign = |thread: ThreadId, by: &MoveId| {
            let by = system.get(*by);
            by.thread != thread && !by.branch.started.contains(&thread)
        };
        let foreign = |thread| frame.moves().into_iter().filter(|by| is_foreign(thread, by)).collect();
        frame.foreign = system.thread_ids().map(foreign).collect();
        frame
    }

    /// All steps that are possible and after which something goes on.
    fn moves(&self) -> Vec<MoveId> {
        let all = (0..self.system.moves.len()).map(MoveId::from_index);
        let goes_on =
            |&by: &MoveId| self.system.get(by).leads_on(self.system) && self.steps.before(by).is_some();
        all.filter(goes_on).collect()
    }

    /// All control points of all threads.
    pub(super) fn places(&self) -> Vec<ThreadPoint> {
        let of = |thread: ThreadId| {
            let points = self.system.thread(thread).points.len();
            (0..points).map(move |point| (thread, ControlPointId::from_index(point)))
        };
        self.system.thread_ids().flat_map(of).collect()
    }

    /// No clauses anywhere.
    pub(super) fn no_clauses(&self) -> Clauses {
        self.system.threads.iter().map(|thread| vec![Vec::new(); thread.points.len()]).collect()
    }

    /// Whether a clause holds at the beginning, if its thread is at the control point then.
    pub(super) fn holds_initially(&self, (thread, point): ThreadPoint, clause: Signs) -> bool {
        let starts_here = self.system.thread(thread).start == Some(point);
        !starts_here || self.initial.iter().all(|known| known.intersects(clause))
    }

    /// The steps after which a clause at a control point must hold.
    pub(super) fn obligations(&self, place: ThreadPoint, clause: Signs) -> impl Iterator<Item = Obligation> {
        let (thread, point) = (place.0.index(), place.1.index());
        let touching = self.foreign[thread].iter().filter(move |&&by| self.steps.touches(by, clause));
        let seen = touching.map(move |&by| {
            let the_move = self.system.get(by);
            Obligation { by, from: place, actor: Some((the_move.thread, the_move.source)) }
        });
        self.arriving[thread][point].iter().copied().chain(seen)
    }

    /// The steps of other threads that do not move or start a thread.
    pub(super) fn moves_of_others(&self, thread: ThreadId) -> &[MoveId] {
        &self.foreign[thread.index()]
    }

    /// The steps that lead to each control point of a thread.
    pub(super) fn arriving(&self, thread: ThreadId) -> &[Vec<Obligation>] {
        &self.arriving[thread.index()]
    }

    /// What is known before the step of an obligation if the clause does not hold afterwards;
    /// `None` if that cannot be.
    pub(super) fn known(&self, obligation: &Obligation, clause: Signs) -> Option<Signs> {
        let known = self.before(obligation)?;
        let known = known.union(self.steps.missed(obligation.by, clause, self.vocabulary)?);
        (!known.is_contradiction()).then_some(known)
    }

    /// What is known before the step of an obligation; `None` if it cannot be made.
    pub(super) fn before(&self, obligation: &Obligation) -> Option<Signs> {
        let (thread, point) = obligation.from;
        let known = self.steps.before(obligation.by)?.union(self.vocabulary.standing(thread, point));
        (!known.is_contradiction()).then_some(known)
    }
}

/// What is known in each case of the initial states.
fn initial_signs(system: &System<'_>, vocabulary: &Vocabulary, budget: &Budget) -> Vec<Signs> {
    let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
    solver.set_proofs(false);
    let starts = system
        .thread_ids()
        .filter_map(|thread| system.thread(thread).start.map(|start| vocabulary.standing(thread, start)));
    let places: Signs = starts.collect();
    let cells: Vec<VarId> = system.cells.all().collect();
    let known = |constraints: &Vec<Constraint>| {
        solver.reset();
        for constraint in constraints {
            solver.assert(constraint);
        }
        vocabulary.entailed(&mut solver, &cells, budget).union(places)
    };
    system.initial.iter().map(known).collect()
}
