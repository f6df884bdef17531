//! What the instances of a program know by themselves: bounds of their own locals, and whom they have joined.
//!
//! Bounds are numbers, or variables that nobody changes. So none of this depends on the steps of others, and each thread
//! is looked at alone, however many there are. Tried are the bounds that the thread's tests suggest: all of them at each
//! control point, and those that some way there does not keep are dropped.

use super::machine::bounds;
use rely_base::{Budget, Id, StopReason};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, Relation, VarId, Verdict};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, Move, MoveId, System, before, updated};

/// What instances know at each of their control points.
pub(super) struct Alone {
    /// Of their own locals; `None` where they never are.
    known: Vec<Vec<Option<Vec<Constraint>>>>,
    /// Which others have ended.
    ended: Vec<Vec<Vec<ThreadId>>>,
}

impl Alone {
    pub(super) fn new(system: &System<'_>, budget: &Budget) -> Result<Self, StopReason> {
        let (mut known, mut ended) = (Vec::new(), Vec::new());
        for thread in system.thread_ids() {
            let mut search = Search::new(system, thread);
            search.run(budget)?;
            known.push(search.known);
            ended.push(search.ended.into_iter().map(Option::unwrap_or_default).collect());
        }
        Ok(Self { known, ended })
    }

    /// What an instance knows of its locals.
    pub(super) fn known(&self, thread: ThreadId, point: ControlPointId) -> &[Constraint] {
        self.known[thread.index()][point.index()].as_deref().unwrap_or_default()
    }

    /// The threads of which an instance knows that they have ended.
    pub(super) fn ended(&self, thread: ThreadId, point: ControlPointId) -> &[ThreadId] {
        &self.ended[thread.index()][point.index()]
    }

    /// Of whom somebody knows that they have ended.
    pub(super) fn awaited(&self) -> Vec<ThreadId> {
        let mut awaited: Vec<ThreadId> = self.ended.iter().flatten().flatten().copied().collect();
        awaited.sort_unstable();
        awaited.dedup();
        awaited
    }
}

/// The search of one thread.
struct Search<'s, 'p> {
    system: &'s System<'p>,
    thread: ThreadId,
    /// What may hold of its locals.
    candidates: Vec<Constraint>,
    known: Vec<Option<Vec<Constraint>>>,
    ended: Vec<Option<Vec<ThreadId>>>,
    pending: Vec<ControlPointId>,
}

impl<'s, 'p> Search<'s, 'p> {
    fn new(system: &'s System<'p>, thread: ThreadId) -> Self {
        let points = system.thread(thread).points.len();
        let candidates = candidates(system, thread);
        let (known, ended) = (vec![None; points], vec![None; points]);
        Self { system, thread, candidates, known, ended, pending: Vec::new() }
    }

    fn run(&mut self, budget: &Budget) -> Result<(), StopReason> {
        let view = self.system.thread(self.thread);
        let Some(start) = view.start else { return Ok(()) };
        let mut initially = self.candidates.clone();
        for case in &self.system.initial {
            initially = entailed(initially, &[case], &[], budget);
        }
        self.arrive(start, initially, Vec::new());
        while let Some(point) = self.pending.pop() {
            budget.check_now()?;
            if view.points[point.index()] == ControlPoint::Unstarted {
                let known = self.known[point.index()].clone().unwrap_or_default();
                self.arrive(view.entry, known, Vec::new());
            }
            for &id in &view.moves[point.index()] {
                self.follow(id, budget);
            }
        }
        self.known.iter_mut().flatten().for_each(|known| keep_strongest(known, budget));
        Ok(())
    }

    fn follow(&mut self, id: MoveId, budget: &Budget) {
        let by = self.system.get(id);
        let source = by.source.index();
        let here = self.known[source].clone().unwrap_or_default();
        if !by.leads_on(self.system) || is_impossible(&[&here, &by.branch.guard], budget) {
            return;
        }
        let candidates = self.candidates.clone();
        let after = entailed(candidates, &[&here, &by.branch.guard], &by.branch.updates, budget);
        let mut ended = self.ended[source].clone().unwrap_or_default();
        let joined = joined(self.system, by).filter(|thread| !ended.contains(thread));
        ended.extend(joined.collect::<Vec<_>>());
        self.arrive(by.target, after, ended);
    }

    /// Keeps what holds on all ways to a control point.
    fn arrive(&mut self, point: ControlPointId, known: Vec<Constraint>, ended: Vec<ThreadId>) {
        let (all, gone) = (&mut self.known[point.index()], &mut self.ended[point.index()]);
        let before = (all.as_ref().map(Vec::len), gone.as_ref().map(Vec::len));
        match (&mut *all, &mut *gone) {
            (Some(all), Some(gone)) => {
                all.retain(|constraint| known.contains(constraint));
                gone.retain(|thread| ended.contains(thread));
            }
            _ => (*all, *gone) = (Some(known), Some(ended)),
        }
        if before != (all.as_ref().map(Vec::len), gone.as_ref().map(Vec::len)) {
            self.pending.push(point);
        }
    }
}

/// The instances that must have ended so that a move can be made.
fn joined<'s>(system: &'s System<'_>, by: &'s Move) -> impl Iterator<Item = ThreadId> + 's {
    let only_at_end = move |(thread, points): &&(ThreadId, Vec<ControlPointId>)| {
        let exit = ControlPoint::At(system.program.threads()[*thread].exit);
        !points.is_empty()
            && points.iter().all(|point| system.thread(*thread).points[point.index()] == exit)
            && system.thread(*thread).moves[points[0].index()].is_empty()
    };
    by.places.iter().filter(only_at_end).map(|(thread, _)| *thread)
}

/// The comparisons of a thread's locals that its tests suggest, those one step later, and what the locals are set to.
fn candidates(system: &System<'_>, thread: ThreadId) -> Vec<Constraint> {
    let is_foreign = |cell: VarId| {
        let mut others = system.moves.iter().filter(|by| by.thread != thread);
        others.any(|by| updated(&by.branch.updates, cell).is_some())
    };
    let own: Vec<VarId> =
        system.cells.all().filter(|&cell| system.cells.owner(cell) == Some(thread)).collect();
    let is_constant =
        |cell: VarId| !system.moves.iter().any(|by| updated(&by.branch.updates, cell).is_some());
    let constants =
        system.cells.all().filter(|&cell| system.cells.owner(cell).is_none() && is_constant(cell));
    let own: Vec<VarId> = own.into_iter().filter(|&cell| !is_foreign(cell)).chain(constants).collect();
    let mut candidates: Vec<Constraint> = Vec::new();
    let mut suggest = |constraint: Constraint| {
        let form = constraint.form();
        let is_own = !form.is_constant() && form.variables().all(|cell| own.contains(&cell));
        if is_own && !candidates.contains(&constraint) && system.cells.atom(&constraint).is_some() {
            candidates.push(constraint);
        }
    };
    let moves = || system.moves.iter().filter(|by| by.thread == thread);
    let tests = moves().flat_map(|by| &by.branch.guard).flat_map(bounds);
    let tests: Vec<Constraint> = tests.flat_map(|test| [test.negated(), test]).collect();
    for test in &tests {
        suggest(test.clone());
        for (cell, value) in moves().flat_map(|by| &by.branch.updates) {
            let step = value.minus(&LinearForm::variable(*cell));
            if step.is_constant() && test.form().contains(*cell) {
                suggest(test.substitute(*cell, &LinearForm::variable(*cell).minus(&step)));
            }
        }
    }
    let initially = system.initial.iter().flatten().filter(|it| it.relation() == Relation::Eq);
    let constants = moves().flat_map(|by| &by.branch.updates).filter(|(_, value)| value.is_constant());
    let set = constants.map(|(cell, value)| Constraint::eq(&LinearForm::variable(*cell), value));
    for equation in initially.cloned().chain(set) {
        bounds(&equation).into_iter().chain([equation]).for_each(&mut suggest);
    }
    candidates
}

/// Drops what follows from the rest.
fn keep_strongest(known: &mut Vec<Constraint>, budget: &Budget) {
    let mut position = 0;
    while position < known.len() {
        let constraint = known.remove(position);
        if entailed(vec![constraint.clone()], &[known], &[], budget).is_empty() {
            known.insert(position, constraint);
            position += 1;
        }
    }
}

fn is_impossible(known: &[&Vec<Constraint>], budget: &Budget) -> bool {
    let mut solver = Conjunction::new(Domain::Integers);
    known.iter().copied().flatten().for_each(|constraint| {
        solver.assert(constraint);
    });
    solver.check(budget) == Verdict::Unsat
}

/// The candidates that hold after some updates of a state of which something is known.
fn entailed(
    mut candidates: Vec<Constraint>,
    known: &[&Vec<Constraint>],
    updates: &[(VarId, LinearForm)],
    budget: &Budget,
) -> Vec<Constraint> {
    let mut solver = Conjunction::new(Domain::Integers);
    solver.set_proofs(false);
    known.iter().copied().flatten().for_each(|constraint| {
        solver.assert(constraint);
    });
    candidates.retain(|candidate| {
        let candidate = before(candidate, updates);
        candidate.is_true() || solver.entails(&candidate, budget) == Entailment::Yes
    });
    candidates
}
