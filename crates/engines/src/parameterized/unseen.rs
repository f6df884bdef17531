//! What no walk has seen, and what is assumed not to happen.
//!
//! `atomic_fetch_add` on an `int` wraps round: beyond 2147483647 comes -2147483648. No equation such as
//! `inside == #worker.L4` survives that, although it never happens if there is a semaphore in front. Nor does one survive
//! a lock that is set to 0, as long as nobody knows that it was 1. But all that can only be told with the equation. So
//! the search begins with assumptions:
//!
//! * a move is impossible which no walk could make in any state that it saw, although it was where other moves of the
//!   same edge were possible;
//! * a variable to which a move assigns something else than a sum of itself and a constant is changed by as much as
//!   it always was where walks could make the move. So a variable that is set to a constant had the value before that
//!   it always had, and if a thread stores one less than it has read, nobody has written in between.
//!
//! What contradicts them counts as a violation. If the search excludes it together with the real ones, then the
//! assumptions are right, and what was found is inductive for all moves. If it cannot exclude one, that one is dropped.

use super::values::{own, shared};
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Conjunction, Constraint, Domain, Integer, LinearForm, Relation, VarId, Verdict};
use rely_program::{EdgeId, Semantics, State, ThreadId};
use rely_symbolic::{BranchEnd, ControlPointId, Move, MoveId, System};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What is assumed of moves.
#[derive(Clone, Debug, Default)]
pub(super) struct Assumptions {
    /// They are not made.
    unseen: FxHashSet<MoveId>,
    /// What holds before they are made: equations.
    before: FxHashMap<MoveId, Vec<Constraint>>,
    /// How often something was learnt in order to exclude what contradicts the assumptions about a move.
    lessons: FxHashMap<MoveId, usize>,
}

impl Assumptions {
    /// What some states suggest.
    pub(super) fn new(system: &System<'_>, states: &[State], budget: &Budget) -> Self {
        let semantics = Semantics::new(system.program);
        let mut watched: BTreeMap<(ThreadId, ControlPointId), Vec<Watched>> = BTreeMap::new();
        for (index, by) in system.moves.iter().enumerate() {
            if matches!(by.branch.ending, BranchEnd::Moves | BranchEnd::Halts) {
                let watch = Watched::new(system, MoveId::from_index(index));
                watched.entry((by.thread, by.source)).or_default().push(watch);
            }
        }
        for state in states {
            if budget.check().is_err() {
                break;
            }
            let shared = shared(system, &semantics, state);
            for slot in state.slots() {
                let thread = state.thread(slot);
                let Some(location) = state.location(slot) else { continue };
                let here = (thread, system.point(thread, ControlPoint::At(location)));
                let Some(moves) = watched.get_mut(&here) else { continue };
                if moves.iter().all(Watched::is_known) {
                    continue;
                }
                let own = own(system, &semantics, state, slot);
                let value = |cell: VarId| own.get(&cell).or(shared.get(&cell)).cloned();
                for watch in moves.iter_mut().filter(|watch| !watch.is_known()) {
                    if is_possible(system.get(watch.id), value, budget) {
                        watch.see(value);
                    }
                }
            }
        }
        Self::of(system, watched.into_values().flatten().collect())
    }

    fn of(system: &System<'_>, watched: Vec<Watched>) -> Self {
        let mut assumptions = Self::default();
        let mut seen: FxHashMap<EdgeId, Vec<&Move>> = FxHashMap::default();
        for by in watched.iter().filter(|watch| watch.is_seen).map(|watch| system.get(watch.id)) {
            seen.entry(by.edge).or_default().push(by);
        }
        for watch in watched {
            if !watch.is_seen {
                // An edge that was never seen says nothing about its moves; nor is it any use to exclude a move if
                // another one changes the same.
                let by = system.get(watch.id);
                let others = seen.get(&by.edge);
                if others.is_some_and(|others| others.iter().all(|it| it.branch.updates != by.branch.updates))
                {
                    assumptions.unseen.insert(watch.id);
                }
                continue;
            }
            let equations: Vec<Constraint> = watch.changes.iter().filter_map(Change::equation).collect();
            if !equations.is_empty() {
                assumptions.before.insert(watch.id, equations);
            }
        }
        assumptions
    }

    /// Whether nothing is assumed.
    pub(super) fn is_empty(&self) -> bool {
        self.unseen.is_empty() && self.before.is_empty()
    }

    /// Whether a move is assumed not to be made.
    pub(super) fn excludes(&self, by: MoveId) -> bool {
        self.unseen.contains(&by)
    }

    /// What is assumed to hold before a move.
    pub(super) fn before(&self, by: MoveId) -> &[Constraint] {
        self.before.get(&by).map_or(&[], Vec::as_slice)
    }

    /// Something, or nothing, was learnt from a way to what contradicts the assumptions about a move. Whether that
    /// was so often, or nothing, that they are dropped.
    pub(super) fn drop_if_hopeless(&mut self, by: MoveId, is_hopeless: bool, most: usize) -> bool {
        let lessons = self.lessons.entry(by).or_default();
        *lessons += 1;
        let is_dropped = is_hopeless || *lessons > most;
        if is_dropped {
            self.unseen.remove(&by);
            self.before.remove(&by);
        }
        is_dropped
    }
}

/// What states show of a move.
struct Watched {
    id: MoveId,
    is_seen: bool,
    changes: Vec<Change>,
}

/// By how much a move changes a shared variable, as a form that is no constant.
struct Change {
    cell: VarId,
    by: LinearForm,
    /// As much as it always was.
    known: Option<Integer>,
    /// A value of the variable before, and whether there was another one.
    before: Option<Integer>,
    is_varied: bool,
}

impl Change {
    /// What is assumed. That several values were stored says little as long as it was one change, made once.
    fn equation(&self) -> Option<Constraint> {
        let known = self.known.as_ref()?;
        let sets_constant = self.by.plus(&LinearForm::variable(self.cell)).is_constant();
        let equation = || Constraint::new(self.by.minus(&constant(known)), Relation::Eq);
        (sets_constant || self.is_varied).then(equation)
    }

    /// What is seen once more; false if it was another change before.
    fn see(&mut self, value: impl Fn(VarId) -> Option<Integer>, is_first: bool) -> bool {
        if self.by.variables().any(|variable| value(variable).is_none()) {
            return false;
        }
        let found = self.by.evaluate(|variable| value(variable).unwrap_or(Integer::ZERO));
        let before = value(self.cell);
        self.is_varied |= !is_first && self.before != before;
        self.before = before;
        let earlier = self.known.replace(found.clone());
        is_first || earlier == Some(found)
    }
}

impl Watched {
    fn new(system: &System<'_>, id: MoveId) -> Self {
        let is_shared = |cell| system.cells.owner(cell).is_none_or(|owner| !system.thread(owner).is_template);
        let updates = system.get(id).branch.updates.iter().filter(|(cell, _)| is_shared(*cell));
        let changes = updates.map(|(cell, value)| (*cell, value.minus(&LinearForm::variable(*cell))));
        let changes = changes.filter(|(_, by)| !by.is_constant());
        let changes =
            changes.map(|(cell, by)| Change { cell, by, known: None, before: None, is_varied: false });
        Self { id, is_seen: false, changes: changes.collect() }
    }

    /// Whether there is nothing left to see.
    fn is_known(&self) -> bool {
        self.is_seen && self.changes.is_empty()
    }

    /// The move is possible where cells have some values.
    fn see(&mut self, value: impl Fn(VarId) -> Option<Integer>) {
        let is_first = !std::mem::replace(&mut self.is_seen, true);
        self.changes.retain_mut(|change| change.see(&value, is_first));
    }
}

/// Whether a move is possible where cells have some values, for some values of its inputs.
fn is_possible(by: &Move, value: impl Fn(VarId) -> Option<Integer>, budget: &Budget) -> bool {
    let mut open: Vec<&Constraint> = Vec::new();
    for constraint in &by.branch.guard {
        if constraint.form().variables().any(|variable| value(variable).is_none()) {
            open.push(constraint);
        } else if !constraint.holds(|variable| value(variable).unwrap_or(Integer::ZERO)) {
            return false;
        }
    }
    if open.is_empty() {
        return true;
    }
    let mut solver = Conjunction::new(Domain::Integers);
    let mut known: FxHashSet<VarId> = FxHashSet::default();
    for constraint in open {
        solver.assert(constraint);
        for variable in constraint.form().variables() {
            if let (Some(number), true) = (value(variable), known.insert(variable)) {
                let difference = LinearForm::variable(variable).minus(&constant(&number));
                solver.assert(&Constraint::new(difference, Relation::Eq));
            }
        }
    }
    solver.check(budget) != Verdict::Unsat
}

fn constant(number: &Integer) -> LinearForm {
    let mut form = LinearForm::default();
    form.add_constant(number);
    form
}
