//! Steps in terms of atoms: what is known when they are made, and what they do to clauses.

use super::signs::{AtomId, Signs};
use super::vocabulary::{Atom, Vocabulary};
use rely_base::{Budget, Id};
use rely_logic::{Conjunction, Constraint, Domain, VarId, Verdict};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, Move, MoveId, System, before, updated};
use rustc_hash::FxHashMap;

/// All moves in terms of atoms.
pub(super) struct Steps {
    of: Vec<StepSigns>,
}

#[derive(Default)]
struct StepSigns {
    /// What is known before the step; `None` if it cannot be made.
    before: Option<Signs>,
    /// The atoms that it may change.
    touched: Signs,
    /// What holds after it in any case.
    established: Signs,
    /// For each signed atom that it may change: what was known before if it does not hold
    /// afterwards. What is not listed holds afterwards in any case.
    missed: FxHashMap<(AtomId, bool), Signs>,
}

impl Steps {
    pub(super) fn new(system: &System<'_>, vocabulary: &Vocabulary, budget: &Budget) -> Self {
        let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
        solver.set_proofs(false);
        let mut reader = Reader { system, vocabulary, solver, budget };
        Steps { of: system.moves.iter().map(|by| reader.read(by)).collect() }
    }

    /// What is known before a step; `None` if it cannot be made.
    pub(super) fn before(&self, by: MoveId) -> Option<Signs> {
        self.of[by.index()].before
    }

    /// What holds after a step in any case.
    pub(super) fn established(&self, by: MoveId) -> Signs {
        self.of[by.index()].established
    }

    /// Whether a step may change an atom of a clause.
    pub(super) fn touches(&self, by: MoveId, clause: Signs) -> bool {
        self.of[by.index()].touched.intersects(clause)
    }

    /// What must have been known before a step after which a clause does not hold; `None` if that
    /// cannot be.
    pub(super) fn missed(&self, by: MoveId, clause: Signs, vocabulary: &Vocabulary) -> Option<Signs> {
        let step = &self.of[by.index()];
        let mut known = Signs::default();
        for (atom, holds) in clause.iter() {
            let sign = Signs::one(atom, holds);
            let more = match step.touched.intersects(sign) {
                true => *step.missed.get(&(atom, holds))?,
                false => vocabulary.follows((atom, !holds)),
            };
            known = known.union(more);
        }
        (!known.is_contradiction()).then_some(known)
    }
}

/// Reads moves.
struct Reader<'r, 'p> {
    system: &'r System<'p>,
    vocabulary: &'r Vocabulary,
    solver: Conjunction,
    budget: &'r Budget,
}

impl Reader<'_, '_> {
    fn read(&mut self, by: &Move) -> StepSigns {
        let guard = &by.branch.guard;
        let mut step = StepSigns::default();
        let Some(values) = self.known(guard, None) else { return step };
        let places = self.places_before(by);
        step.before = Some(values.union(places)).filter(|known| !known.is_contradiction());
        let vocabulary = self.vocabulary;
        for (id, atom) in vocabulary.atoms.iter() {
            match atom {
                Atom::Value(constraint) => {
                    let mut cells = constraint.form().variables();
                    if !cells.any(|cell| updated(&by.branch.updates, cell).is_some()) {
                        continue;
                    }
                    for (holds, literal) in [(true, constraint.clone()), (false, constraint.negated())] {
                        let missed = before(&literal, &by.branch.updates).negated();
                        let known = self.known(guard, Some(&missed));
                        step.missed.extend(known.map(|known| ((id, holds), known)));
                    }
                }
                Atom::Place { thread, point } => {
                    let Some(arrived) = self.arrival(by, *thread) else { continue };
                    step.missed.insert((id, arrived != *point), Signs::default());
                }
            }
            step.touched = step.touched.union(Signs::one(id, true).atoms());
        }
        let is_sure = |&sign: &(AtomId, bool)| !step.missed.contains_key(&sign);
        let sure = step.touched.iter().filter(is_sure).map(|(atom, holds)| Signs::one(atom, holds));
        let kept = step.before.unwrap_or_default().without(step.touched);
        step.established = sure.collect::<Signs>().union(kept);
        step
    }

    /// Where a thread is after a step that moves or starts it.
    fn arrival(&self, by: &Move, thread: ThreadId) -> Option<ControlPointId> {
        let starts = by.branch.started.contains(&thread);
        let started = starts.then(|| self.system.thread(thread).entry);
        if by.thread == thread { Some(by.target) } else { started }
    }

    /// What the conditions of a step say about places.
    fn places_before(&self, by: &Move) -> Signs {
        let mut known = self.vocabulary.standing(by.thread, by.source);
        for (thread, points) in &by.places {
            known = known.union(self.vocabulary.among(*thread, points));
        }
        known
    }

    /// What some constraints say about atoms; `None` if they contradict each other.
    fn known(&mut self, guard: &[Constraint], more: Option<&Constraint>) -> Option<Signs> {
        self.solver.reset();
        let mut cells: Vec<VarId> = Vec::new();
        for constraint in guard.iter().chain(more) {
            self.solver.assert(constraint);
            cells.extend(constraint.form().variables());
        }
        if self.solver.check(self.budget) == Verdict::Unsat {
            return None;
        }
        Some(self.vocabulary.entailed(&mut self.solver, &cells, self.budget))
    }
}
