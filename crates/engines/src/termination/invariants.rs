//! Supporting invariants: what holds at each control point of each thread, whatever the others do.
//!
//! A thread-modular analysis (Miné, VMCAI 2014, with relational interference): what a thread knows at a control point
//! are the globals, its own variables, and where the others may be. A step of another thread is possible if both what
//! this one knows and what the other knows at its place allow it; its effect joins what is known here. The numbers are
//! those of any domain of `rely_logic`, told apart by the values of flags (locks, phases): without that nobody would
//! know that a lock which is taken has a holder.
//!
//! Nothing here has to be trusted: the checker looks at every assertion again.

use super::landmarks::{Growth, landmarks};
use super::limits::Limits;
use super::state::{Case, Keys};
use rely_base::{Budget, Id, StopReason};
use rely_logic::domains::NumericDomain;
use rely_logic::{Conjunction, Constraint, Domain, Entailment};
use rely_program::ThreadId;
use rely_symbolic::outline::Known;
use rely_symbolic::{ControlPointId, Move, System};

/// What holds at each control point of each thread, in which cases.
pub(super) struct Invariants {
    pub(super) at: Vec<Vec<Vec<Known>>>,
}

/// Analyses a program whose threads are all known.
pub(super) fn invariants<D: NumericDomain>(
    system: &System<'_>,
    limits: Limits,
    budget: &Budget,
) -> Result<Invariants, StopReason> {
    let mut analysis: Analysis<'_, '_, D> = Analysis::new(system, limits, budget);
    analysis.ascend()?;
    for _ in 0..limits.narrowings {
        analysis.descend()?;
    }
    analysis.finish()
}

type Cases<D> = Vec<Vec<Vec<Case<D>>>>;

struct Analysis<'a, 'p, D> {
    system: &'a System<'p>,
    limits: Limits,
    budget: &'a Budget,
    keys: Keys,
    landmarks: Vec<Constraint>,
    at: Cases<D>,
}

/// Somebody arrives at a control point.
struct Arrival<D> {
    thread: ThreadId,
    point: ControlPointId,
    case: Case<D>,
}

impl<'a, 'p, D: NumericDomain> Analysis<'a, 'p, D> {
    fn new(system: &'a System<'p>, limits: Limits, budget: &'a Budget) -> Self {
        let (keys, landmarks) = (Keys::new(system, limits), landmarks(system, limits.landmarks));
        Self { system, limits, budget, keys, landmarks, at: nowhere(system) }
    }

    /// How far what is known at a control point may grow that was visited so often, if so many cases are told apart there.
    fn growth(&self, visited: usize, cases: usize) -> Growth<'_> {
        let Limits { visits_before_widening, visits_up_to_landmarks, .. } = self.limits;
        match visited {
            few if few < visits_before_widening => Growth::Exact,
            some if some < visits_before_widening + visits_up_to_landmarks * cases.max(1) => {
                Growth::UpTo(&self.landmarks)
            }
            _ => Growth::Free,
        }
    }

    /// Grows until nothing is new.
    fn ascend(&mut self) -> Result<(), StopReason> {
        let mut visits: Vec<Vec<usize>> =
            self.system.threads.iter().map(|thread| vec![0; thread.points.len()]).collect();
        let mut arrivals = self.initial();
        while !arrivals.is_empty() {
            let mut changed = Vec::new();
            for Arrival { thread, point, case } in arrivals {
                let visited = &mut visits[thread.index()][point.index()];
                let mut cases = std::mem::take(&mut self.at[thread.index()][point.index()]);
                let number = cases.len();
                let is_news = add(&mut cases, case, self.growth(*visited, number));
                self.at[thread.index()][point.index()] = cases;
                if is_news {
                    *visited += 1;
                    if !changed.contains(&(thread, point)) {
                        changed.push((thread, point));
                    }
                }
            }
            arrivals = Vec::new();
            for (thread, point) in changed {
                self.budget.check_now()?;
                self.leave(thread, point, &mut arrivals)?;
                self.seen(thread, point, &mut arrivals)?;
            }
        }
        Ok(())
    }

    /// Computes everything once more from what is known, which is never less precise.
    fn descend(&mut self) -> Result<(), StopReason> {
        let mut next = nowhere(self.system);
        let mut arrivals = self.initial();
        for thread in self.system.thread_ids() {
            for point in (0..self.system.thread(thread).points.len()).map(ControlPointId::from_index) {
                self.budget.check_now()?;
                self.leave(thread, point, &mut arrivals)?;
            }
        }
        for Arrival { thread, point, case } in arrivals {
            add(&mut next[thread.index()][point.index()], case, Growth::Exact);
        }
        self.at = next;
        Ok(())
    }

    fn initial(&self) -> Vec<Arrival<D>> {
        let system = self.system;
        let mut others: Vec<Vec<bool>> =
            system.threads.iter().map(|thread| vec![false; thread.points.len()]).collect();
        for (places, thread) in others.iter_mut().zip(&system.threads) {
            thread.start.into_iter().for_each(|start| places[start.index()] = true);
        }
        let mut arrivals = Vec::new();
        for initial in &system.initial {
            for thread in system.thread_ids() {
                let Some(point) = system.thread(thread).start else { continue };
                let mut numbers = D::top();
                initial.iter().for_each(|constraint| numbers.meet(constraint));
                self.forget_foreign(thread, &mut numbers);
                let case = Case::new(thread, numbers, others.clone(), &self.keys);
                arrivals.push(Arrival { thread, point, case });
            }
        }
        arrivals
    }

    /// The locals of others are not for this thread to know.
    fn forget_foreign(&self, thread: ThreadId, numbers: &mut D) {
        for cell in self.system.cells.all().filter(|&cell| !self.system.is_modular(cell, thread)) {
            numbers.forget(cell);
        }
    }

    /// All steps of a thread from a control point: where it arrives itself, and what others see.
    fn leave(
        &self,
        thread: ThreadId,
        point: ControlPointId,
        arrivals: &mut Vec<Arrival<D>>,
    ) -> Result<(), StopReason> {
        for &by in &self.system.thread(thread).moves[point.index()] {
            let by = self.system.get(by);
            if !by.leads_on(self.system) {
                continue;
            }
            for case in &self.at[thread.index()][point.index()] {
                self.budget.check()?;
                let mut next = case.clone();
                if !next.meet_places(by, [thread, thread]) {
                    continue;
                }
                for mut next in next.step(self.system, by, &self.keys) {
                    self.forget_foreign(thread, &mut next.numbers);
                    let case = Case::new(thread, next.numbers, next.others, &self.keys);
                    arrivals.push(Arrival { thread, point: by.target, case });
                }
            }
            for other in self.system.thread_ids().filter(|&other| other != thread) {
                for at in (0..self.system.thread(other).points.len()).map(ControlPointId::from_index) {
                    self.observe((other, at), by, arrivals)?;
                }
            }
        }
        Ok(())
    }

    /// What the steps of all others look like to a thread at a control point.
    fn seen(
        &self,
        thread: ThreadId,
        point: ControlPointId,
        arrivals: &mut Vec<Arrival<D>>,
    ) -> Result<(), StopReason> {
        for by in self.system.moves.iter().filter(|by| by.thread != thread && by.leads_on(self.system)) {
            self.observe((thread, point), by, arrivals)?;
        }
        Ok(())
    }

    fn observe(
        &self,
        (thread, point): (ThreadId, ControlPointId),
        by: &Move,
        arrivals: &mut Vec<Arrival<D>>,
    ) -> Result<(), StopReason> {
        for case in &self.at[thread.index()][point.index()] {
            for actor in &self.at[by.thread.index()][by.source.index()] {
                self.budget.check()?;
                for case in self.observed((thread, point), case, by, actor) {
                    let starts = by.branch.started.contains(&thread);
                    let point = if starts { self.system.thread(thread).entry } else { point };
                    arrivals.push(Arrival { thread, point, case });
                }
            }
        }
        Ok(())
    }

    /// What a thread knows after a step of another one; nothing if that step is impossible.
    fn observed(
        &self,
        (thread, point): (ThreadId, ControlPointId),
        case: &Case<D>,
        by: &Move,
        actor: &Case<D>,
    ) -> Vec<Case<D>> {
        let is_there = case.others[by.thread.index()][by.source.index()];
        let is_here = actor.others[thread.index()][point.index()];
        let allows =
            |(other, points): &(ThreadId, Vec<ControlPointId>)| *other != thread || points.contains(&point);
        let differs = |flag: usize| match (&case.key[flag], &actor.key[flag]) {
            (Some(known), Some(other)) => known != other,
            _ => false,
        };
        if !is_there || !is_here || !by.places.iter().all(allows) || (0..self.keys.len()).any(differs) {
            return Vec::new();
        }
        let mut next = case.clone();
        for other in self.system.thread_ids().filter(|&other| other != thread && other != by.thread) {
            let places = &actor.others[other.index()];
            if !self.system.thread(other).is_template && !next.keep_places(other, |number| places[number]) {
                return Vec::new();
            }
        }
        let changes = by.branch.updates.iter().any(|(cell, _)| self.system.is_modular(*cell, thread));
        if !next.meet_places(by, [thread, by.thread]) {
            return Vec::new();
        }
        let mut after = vec![next];
        if changes || !by.branch.started.is_empty() {
            let mut next = after.remove(0);
            for constraint in actor.numbers.constraints() {
                // Most of it is known here, too, which is cheaper to see than to say once more.
                if !next.numbers.entails(&constraint) {
                    next.numbers.meet(&constraint);
                }
            }
            after = next.step(self.system, by, &self.keys);
            after.iter_mut().for_each(|case| self.forget_foreign(thread, &mut case.numbers));
        }
        let arrived = after.into_iter().map(|mut case| {
            case.put(by.thread, by.target);
            Case::new(thread, case.numbers, case.others, &self.keys)
        });
        arrived.collect()
    }

    fn finish(self) -> Result<Invariants, StopReason> {
        let mut at = Vec::new();
        for (thread, points) in self.at.iter().enumerate() {
            let mut known = Vec::new();
            for cases in points {
                self.budget.check_now()?;
                known.push(cases.iter().map(|case| self.known(thread, case)).collect());
            }
            at.push(known);
        }
        Ok(Invariants { at })
    }

    fn known(&self, thread: usize, case: &Case<D>) -> Known {
        let constraints = without_redundant(case.numbers.constraints(), self.system, self.budget);
        let others = case.others.iter().enumerate().filter(|(other, places)| {
            *other != thread && !self.system.threads[*other].is_template && places.contains(&false)
        });
        let others = others.map(|(other, places)| {
            let points = (0..places.len()).filter(|&point| places[point]).map(ControlPointId::from_index);
            (ThreadId::from_index(other), points.collect())
        });
        Known { constraints, others: others.collect() }
    }
}

fn nowhere<D>(system: &System<'_>) -> Cases<D> {
    system.threads.iter().map(|thread| thread.points.iter().map(|_| Vec::new()).collect()).collect()
}

/// Adds a case to those of the same values of flags; says whether that is news.
fn add<D: NumericDomain>(cases: &mut Vec<Case<D>>, new: Case<D>, growth: Growth<'_>) -> bool {
    match cases.iter_mut().find(|known| known.key == new.key) {
        Some(known) if known.includes(&new) => false,
        Some(known) => {
            *known = known.join(&new, growth);
            true
        }
        None => {
            cases.push(new);
            true
        }
    }
}

/// Constraints that do not follow from the others.
fn without_redundant(constraints: Vec<Constraint>, system: &System<'_>, budget: &Budget) -> Vec<Constraint> {
    let mut kept = constraints;
    let mut index = 0;
    while index < kept.len() {
        let mut solver = Conjunction::with_limits(Domain::Rationals, system.limits.solver);
        solver.set_proofs(false);
        kept.iter().enumerate().filter(|(other, _)| *other != index).for_each(|(_, constraint)| {
            solver.assert(constraint);
        });
        if solver.entails(&kept[index], budget) == Entailment::Yes {
            kept.remove(index);
        } else {
            index += 1;
        }
    }
    kept
}
