//! What a proof needs: what excludes violations, and what that needs to stay true.

use super::arrivals::Arrival;
use super::cases::{CaseId, Table};
use super::induct::kept;
use crate::PlaceTest;
use crate::property::Violation;
use crate::system::{System, before};
use rely_base::Budget;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Conjunction, Constraint, Domain, Verdict};
use rely_program::ThreadId;
use rustc_hash::FxHashMap;

/// More ways than this to stand where a property looks are not looked at.
const MOST_MEETINGS: usize = 4_000;

/// Something that must be impossible: what is known without doubt, and the cases whose comparisons may help.
struct Question<'q> {
    system: &'q System<'q>,
    certain: Vec<Constraint>,
    helpers: Vec<(CaseId, usize, Constraint)>,
}

/// Marks what is needed; `None` if something cannot be excluded, or the budget ends.
pub(super) fn mark(system: &System<'_>, table: &mut Table, ways: &[Arrival], budget: &Budget) -> Option<()> {
    let mut pending: Vec<(CaseId, usize)> = Vec::new();
    for violation in &system.violations {
        exclude(system, table, violation, &mut pending, budget)?;
    }
    for way in ways.iter().filter(|way| way.target.is_none()) {
        let question = Question { system, certain: way.guard.clone(), helpers: helpers(system, table, way) };
        answer(question, table, &mut pending, budget)?;
    }
    let mut to: FxHashMap<CaseId, Vec<&Arrival>> = FxHashMap::default();
    for way in ways {
        if let Some(target) = way.target {
            to.entry(target).or_default().push(way);
        }
    }
    while let Some((case, number)) = pending.pop() {
        let constraint = table.get(case).atoms[number].constraint.clone();
        for way in to.get(&case).into_iter().flatten() {
            budget.check_now().ok()?;
            if let Some(same) = kept(table, way, &constraint) {
                let source = *way.sources.last()?;
                need(table, (source, same), &mut pending);
                continue;
            }
            let mut certain = way.guard.clone();
            certain.push(before(&constraint, &way.updates).negated());
            let question = Question { system, certain, helpers: helpers(system, table, way) };
            answer(question, table, &mut pending, budget)?;
        }
    }
    Some(())
}

fn need(table: &mut Table, (case, number): (CaseId, usize), pending: &mut Vec<(CaseId, usize)>) {
    if std::mem::replace(&mut table.atom_mut(case, number).is_needed, true) {
        return;
    }
    pending.push((case, number));
    // What one case of a place says the others may say as well: what they have in common is said once.
    let constraint = table.get(case).atoms[number].constraint.clone();
    let others: Vec<CaseId> = table.cases(case.thread).filter(|other| other.point == case.point).collect();
    for other in others {
        let mut atoms = table.get(other).atoms.iter();
        if let Some(number) = atoms.position(|atom| atom.is_held && atom.constraint == constraint)
            && !std::mem::replace(&mut table.atom_mut(other, number).is_needed, true)
        {
            pending.push((other, number));
        }
    }
}

/// What is held before a step.
fn helpers(system: &System<'_>, table: &Table, way: &Arrival) -> Vec<(CaseId, usize, Constraint)> {
    let mut all = Vec::new();
    for (source, id) in way.sources.iter().enumerate() {
        let held = table.get(*id).atoms.iter().enumerate().filter(|(_, atom)| atom.is_held);
        all.extend(held.map(|(number, atom)| (*id, number, way.seen(system, source, &atom.constraint))));
    }
    all
}

/// Needs as little as possible to exclude something.
fn answer(
    question: Question<'_>,
    table: &mut Table,
    pending: &mut Vec<(CaseId, usize)>,
    budget: &Budget,
) -> Option<()> {
    for (case, number) in question.core(table, budget)? {
        need(table, (case, number), pending);
    }
    Some(())
}

impl Question<'_> {
    /// Comparisons that suffice: those that are needed anyway, and then the ones that are easiest to read.
    fn core(mut self, table: &Table, budget: &Budget) -> Option<Vec<(CaseId, usize)>> {
        let is_needed =
            |(case, number, _): &(CaseId, usize, Constraint)| table.get(*case).atoms[*number].is_needed;
        let (needed, mut open): (Vec<_>, Vec<_>) = self.helpers.drain(..).partition(is_needed);
        self.certain.extend(needed.into_iter().map(|(_, _, constraint)| constraint));
        if self.is_impossible(&[], budget) {
            return Some(Vec::new());
        }
        open.sort_by_key(|(case, number, _)| table.get(*case).atoms[*number].difficulty);
        // As many of the easier ones as it takes, then without those that need not be.
        let enough = self.prefix(&open, budget)?;
        open.truncate(enough);
        let mut position = open.len();
        while position > 0 {
            position -= 1;
            let left: Vec<_> =
                (0..open.len()).filter(|&at| at != position).map(|at| open[at].clone()).collect();
            if self.is_impossible(&left, budget) {
                open = left;
            }
        }
        Some(open.into_iter().map(|(case, number, _)| (case, number)).collect())
    }

    /// How many of the first ones suffice.
    fn prefix(&self, open: &[(CaseId, usize, Constraint)], budget: &Budget) -> Option<usize> {
        if !self.is_impossible(open, budget) {
            return None;
        }
        let (mut low, mut high) = (0, open.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.is_impossible(&open[..middle], budget) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        Some(high)
    }

    fn is_impossible(&self, helpers: &[(CaseId, usize, Constraint)], budget: &Budget) -> bool {
        let mut solver = Conjunction::with_limits(Domain::Integers, self.system.limits.solver);
        solver.set_proofs(false);
        for constraint in self.certain.iter().chain(helpers.iter().map(|(_, _, constraint)| constraint)) {
            solver.assert(constraint);
        }
        solver.check(budget) == Verdict::Unsat
    }
}

/// Needs what excludes a violation wherever the threads of which it speaks stand. If it speaks of none, some thread has to
/// exclude it wherever that is.
fn exclude(
    system: &System<'_>,
    table: &mut Table,
    violation: &Violation,
    pending: &mut Vec<(CaseId, usize)>,
    budget: &Budget,
) -> Option<()> {
    let mut tests: Vec<PlaceTest> = violation.places.clone();
    for (location, _) in &violation.witnesses {
        let thread = system.program.locations()[*location].thread;
        let points = vec![ControlPoint::At(*location)];
        tests.push(PlaceTest { thread, points });
    }
    let everywhere =
        |thread: ThreadId| vec![PlaceTest { thread, points: system.thread(thread).points.clone() }];
    let choices: Vec<Vec<PlaceTest>> = match tests.is_empty() {
        true => system.thread_ids().filter(|id| !system.thread(*id).is_template).map(everywhere).collect(),
        false => vec![tests],
    };
    let cores = choices.iter().find_map(|tests| cores(system, table, (violation, tests), budget))?;
    cores.into_iter().for_each(|one| need(table, one, pending));
    Some(())
}

/// What is needed wherever threads stand that pass some tests.
fn cores(
    system: &System<'_>,
    table: &Table,
    (violation, tests): (&Violation, &[PlaceTest]),
    budget: &Budget,
) -> Option<Vec<(CaseId, usize)>> {
    let mut meetings: Vec<Vec<CaseId>> = vec![Vec::new()];
    for test in tests {
        let (_, points) = system.place(test);
        let mut longer = Vec::new();
        for meeting in &meetings {
            let fits = |id: &CaseId| points.contains(&id.point) && fits(table, meeting, *id);
            longer.extend(
                table
                    .cases(test.thread)
                    .filter(fits)
                    .map(|id| meeting.iter().copied().chain([id]).collect::<Vec<_>>()),
            );
        }
        meetings = longer;
        if meetings.len() > MOST_MEETINGS {
            return None;
        }
    }
    let mut all = Vec::new();
    for meeting in meetings {
        budget.check_now().ok()?;
        let mut helpers = Vec::new();
        for id in meeting {
            let held = table.get(id).atoms.iter().enumerate().filter(|(_, atom)| atom.is_held);
            helpers.extend(held.map(|(number, atom)| (id, number, atom.constraint.clone())));
        }
        let question = Question { system, certain: violation.guard.clone(), helpers };
        all.extend(question.core(table, budget)?);
    }
    Some(all)
}

/// Whether a thread can be in a case while others are in theirs.
fn fits(table: &Table, meeting: &[CaseId], id: CaseId) -> bool {
    let key = &table.get(id).key;
    meeting.iter().all(|other| {
        let slot = table.told.iter().position(|told| *told == other.thread);
        let is_there = slot.is_none_or(|slot| key[slot] == other.point);
        is_there && table.get(*other).key == *key
    })
}
