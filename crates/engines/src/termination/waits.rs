//! Where threads may have to wait, and what is so while they do.

use super::invariants::Invariants;
use super::limits::Limits;
use super::ranks::solver;
use rely_base::{Budget, Id, StopReason};
use rely_logic::{Constraint, LinearForm, Relation, Verdict};
use rely_program::ThreadId;
use rely_symbolic::{BranchEnd, ControlPointId, Move, MoveId, System, before};

/// A thread at a control point where it may have to wait.
pub(super) struct Waiting {
    pub(super) thread: ThreadId,
    pub(super) point: ControlPointId,
    /// What is so while it waits, in each case.
    situations: Vec<Situation>,
}

/// What is so, and where threads are not.
#[derive(Clone, Default)]
struct Situation {
    constraints: Vec<Constraint>,
    /// Where threads may be.
    others: Vec<(ThreadId, Vec<ControlPointId>)>,
}

/// Finds where threads may have to wait.
pub(super) fn waits(
    system: &System<'_>,
    invariants: &Invariants,
    limits: Limits,
    budget: &Budget,
) -> Result<Vec<Waiting>, StopReason> {
    let mut found = Vec::new();
    for thread in system.thread_ids() {
        let view = system.thread(thread);
        for point in (0..view.points.len()).map(ControlPointId::from_index) {
            budget.check_now()?;
            let has_ended = view.moves[point.index()].is_empty();
            if has_ended || view.atomic[point.index()] || Some(point) == view.start && point != view.entry {
                continue;
            }
            let situations = blocked(system, invariants, (thread, point), limits, budget);
            if !situations.is_empty() {
                found.push(Waiting { thread, point, situations });
            }
        }
    }
    Ok(found)
}

/// What is so if a thread is at a control point and no edge leads on.
fn blocked(
    system: &System<'_>,
    invariants: &Invariants,
    (thread, point): (ThreadId, ControlPointId),
    limits: Limits,
    budget: &Budget,
) -> Vec<Situation> {
    let known = &invariants.at[thread.index()][point.index()];
    let situation = |known: &rely_symbolic::outline::Known| Situation {
        constraints: known.constraints.clone(),
        others: known.others.clone(),
    };
    let mut situations: Vec<Situation> = known.iter().map(situation).collect();
    for &by in &system.thread(thread).moves[point.index()] {
        let by = system.get(by);
        let Some(reasons) = reasons(system, by) else { continue };
        let both =
            situations.iter().flat_map(|situation| reasons.iter().map(|reason| situation.with(reason)));
        let both: Vec<Situation> = both.filter(|both| both.is_possible(system, budget)).collect();
        if both.len() <= limits.situations {
            situations = both;
        }
    }
    situations
}

/// Why a move may be impossible, in each case; `None` if that cannot be said.
fn reasons(system: &System<'_>, by: &Move) -> Option<Vec<Situation>> {
    let is_there =
        |constraint: &Constraint| constraint.form().variables().all(|cell| system.cells.is_cell(cell));
    let is_wrong = matches!(by.branch.ending, BranchEnd::Fails(_) | BranchEnd::Undefined);
    let is_inside = system.thread(by.thread).atomic[by.target.index()];
    if is_wrong || is_inside || !by.branch.exact || !by.branch.guard.iter().all(is_there) {
        return None;
    }
    let conditions = by.branch.guard.iter().flat_map(negations);
    let conditions =
        conditions.map(|condition| Situation { constraints: vec![condition], ..Situation::default() });
    let places = by.places.iter().filter(|(other, _)| *other != by.thread).map(|(other, points)| {
        let all = (0..system.thread(*other).points.len()).map(ControlPointId::from_index);
        let elsewhere = all.filter(|point| !points.contains(point)).collect();
        Situation { others: vec![(*other, elsewhere)], ..Situation::default() }
    });
    Some(conditions.chain(places).collect())
}

fn negations(constraint: &Constraint) -> Vec<Constraint> {
    let (form, zero) = (constraint.form(), LinearForm::constant(0));
    match constraint.relation() {
        Relation::Eq => vec![Constraint::lt(form, &zero), Constraint::gt(form, &zero)],
        _ => vec![constraint.negated()],
    }
}

impl Situation {
    fn with(&self, other: &Situation) -> Situation {
        let mut both = self.clone();
        both.constraints.extend_from_slice(&other.constraints);
        both.others.extend_from_slice(&other.others);
        both
    }

    /// Whether a thread may be at a control point.
    fn allows(&self, thread: ThreadId, point: ControlPointId) -> bool {
        let mut about = self.others.iter().filter(|(other, _)| *other == thread);
        about.all(|(_, points)| points.contains(&point))
    }

    fn is_possible(&self, system: &System<'_>, budget: &Budget) -> bool {
        let somewhere = |(thread, points): &(ThreadId, Vec<ControlPointId>)| {
            points.iter().any(|&point| self.allows(*thread, point))
        };
        self.others.iter().all(somewhere) && is_possible(&self.constraints, system, budget)
    }
}

fn is_possible(constraints: &[Constraint], system: &System<'_>, budget: &Budget) -> bool {
    solver(system, constraints).check(budget) != Verdict::Unsat
}

impl Waiting {
    /// In which cases another thread makes a step while this one waits, and goes on waiting: what holds before it.
    pub(super) fn cases(
        &self,
        system: &System<'_>,
        invariants: &Invariants,
        id: MoveId,
        budget: &Budget,
    ) -> Vec<Vec<Constraint>> {
        let by = system.get(id);
        let mut cases = Vec::new();
        for known in &invariants.at[by.thread.index()][by.source.index()] {
            let mut others = known.others.iter().chain(&by.places).filter(|(other, _)| *other == self.thread);
            if !others.all(|(_, points)| points.contains(&self.point)) {
                continue;
            }
            let own: Vec<Constraint> = known.constraints.iter().chain(&by.branch.guard).cloned().collect();
            let before = self.situations.iter().filter(|situation| situation.allows(by.thread, by.source));
            for situation in before {
                let case: Vec<Constraint> = own.iter().chain(&situation.constraints).cloned().collect();
                if is_possible(&case, system, budget) && self.goes_on(system, by, &case, budget) {
                    cases.push(case);
                }
            }
        }
        cases
    }

    /// Whether the thread may still wait after a step.
    fn goes_on(&self, system: &System<'_>, by: &Move, case: &[Constraint], budget: &Budget) -> bool {
        self.situations.iter().any(|situation| {
            let starts = |thread: &ThreadId| situation.allows(*thread, system.thread(*thread).entry);
            let after = situation.constraints.iter().map(|constraint| before(constraint, &by.branch.updates));
            situation.allows(by.thread, by.target)
                && by.branch.started.iter().all(starts)
                && is_possible(&case.iter().cloned().chain(after).collect::<Vec<_>>(), system, budget)
        })
    }
}
