//! Which of the clauses that hold a proof needs.
//!
//! For the property, a solver shows states that violate it for all that is needed so far; a clause
//! that holds but not there becomes needed, until there is no such state. Then every clause that is
//! needed must follow from needed ones.

use super::obligations::{Clauses, Frame, Obligation, ThreadPoint};
use super::signs::Signs;
use super::vocabulary::{Atom, Vocabulary};
use rely_base::{Budget, Id};
use rely_logic::{FormulaSolver, Interpretation, Satisfiability, Sort, TermId, TermPool, Value, VarId};
use rely_program::ThreadId;
use rely_symbolic::{BranchEnd, ControlPointId, MoveId, roles};

/// The clauses of a proof.
pub(super) struct Needed {
    pub(super) clauses: Clauses,
    /// What others must know of the mover's state, for each edge.
    pub(super) told: Vec<Vec<Signs>>,
}

/// The clauses that suffice for the property; `None` if all of them do not, or it was not found out.
pub(super) fn needed(frame: &Frame<'_, '_>, held: &Clauses, budget: &Budget) -> Option<Needed> {
    let edges = frame.system.program.edges().len();
    let needed = Needed { clauses: frame.no_clauses(), told: vec![Vec::new(); edges] };
    let mut selection = Selection { frame, held, budget, needed, open: Vec::new() };
    selection.exclude_failures()?;
    for index in 0..frame.system.violations.len() {
        selection.exclude_violation(index)?;
    }
    while let Some((place, clause)) = selection.open.pop() {
        budget.check_now().ok()?;
        for obligation in frame.obligations(place, clause) {
            selection.support(&obligation, clause)?;
        }
    }
    Some(selection.needed)
}

/// The search for what is needed.
struct Selection<'s, 'f, 'p> {
    frame: &'s Frame<'f, 'p>,
    held: &'s Clauses,
    budget: &'s Budget,
    needed: Needed,
    /// Needed clauses whose support was not looked for yet.
    open: Vec<(ThreadPoint, Signs)>,
}

impl Selection<'_, '_, '_> {
    fn need(&mut self, place: ThreadPoint, clause: Signs) {
        let clauses = &mut self.needed.clauses[place.0.index()][place.1.index()];
        if !clauses.contains(&clause) {
            clauses.push(clause);
            self.open.push((place, clause));
        }
    }

    /// Steps that fail or have no meaning must be impossible.
    fn exclude_failures(&mut self) -> Option<()> {
        let system = self.frame.system;
        for (index, by) in system.moves.iter().enumerate() {
            if !matches!(by.branch.ending, BranchEnd::Fails(_) | BranchEnd::Undefined) {
                continue;
            }
            let Some(known) = self.frame.steps.before(MoveId::from_index(index)) else { continue };
            let place = (by.thread, by.source);
            for (place, clause) in self.reasons(known, &[place])? {
                self.need(place, clause);
            }
        }
        Some(())
    }

    /// After a step a clause holds because of these.
    fn support(&mut self, obligation: &Obligation, clause: Signs) -> Option<()> {
        let Some(known) = self.frame.known(obligation, clause) else { return Some(()) };
        let places: Vec<ThreadPoint> = [obligation.from].into_iter().chain(obligation.actor).collect();
        for (place, reason) in self.reasons(known, &places)? {
            self.need(place, reason);
            if Some(place) == obligation.actor {
                let edge = self.frame.system.get(obligation.by).edge;
                let told = &mut self.needed.told[edge.index()];
                if !told.contains(&reason) {
                    told.push(reason);
                }
            }
        }
        Some(())
    }

    /// Clauses at some places that contradict what is known, those that are needed anyway before
    /// others; `None` if all of them do not.
    fn reasons(&self, known: Signs, places: &[ThreadPoint]) -> Option<Vec<(ThreadPoint, Signs)>> {
        let clauses_of = |list: &Clauses| -> Vec<(ThreadPoint, Signs)> {
            let at = |&place: &ThreadPoint| {
                let clauses = list[place.0.index()][place.1.index()].iter();
                clauses.map(move |&clause| (place, clause))
            };
            places.iter().flat_map(at).collect()
        };
        let (needed, all) = (clauses_of(&self.needed.clauses), clauses_of(self.held));
        let mut trail = Trail { vocabulary: self.frame.vocabulary, known, steps: Vec::new() };
        loop {
            let found = needed.iter().chain(&all).find_map(|&(place, clause)| {
                let open = clause.without(trail.known.negated());
                let is_news = !clause.intersects(trail.known) && (open.is_empty() || open.is_single());
                is_news.then_some((place, clause, open))
            });
            let (place, clause, open) = found?;
            if trail.contradicted_by(place, clause, open) {
                return Some(trail.reasons());
            }
        }
    }

    /// Finds clauses without which a violation is possible, until it is not.
    fn exclude_violation(&mut self, index: usize) -> Option<()> {
        let mut question = Question::new(self.frame, index);
        let mut solver = FormulaSolver::new(0);
        loop {
            self.budget.check_now().ok()?;
            let formulas = question.formulas(&self.needed.clauses);
            let answer = solver.satisfiable(&mut question.pool, &formulas, self.budget);
            let model = match &answer.satisfiability {
                Satisfiability::Unsat(_) => return Some(()),
                Satisfiability::Sat(model) => model,
                Satisfiability::Unknown(_) => return None,
            };
            let (places, state) = question.state(model);
            let violated = places.iter().find_map(|&place| {
                let mut held = self.held[place.0.index()][place.1.index()].iter();
                held.find(|clause| !clause.intersects(state)).map(|clause| (place, *clause))
            });
            let (place, clause) = violated?;
            self.need(place, clause);
        }
    }
}

/// How a contradiction was found.
struct Trail<'t> {
    vocabulary: &'t Vocabulary,
    known: Signs,
    /// The clauses that were used, with what came out of them.
    steps: Vec<(ThreadPoint, Signs, Signs)>,
}

impl Trail<'_> {
    /// Uses a clause of which at most one literal is open; says whether that is a contradiction.
    fn contradicted_by(&mut self, place: ThreadPoint, clause: Signs, open: Signs) -> bool {
        let more: Signs = open.iter().map(|sign| self.vocabulary.follows(sign)).collect();
        self.steps.push((place, clause, more.without(self.known)));
        self.known = self.known.union(more);
        open.is_empty() || self.known.is_contradiction()
    }

    /// The clauses on which the contradiction depends.
    fn reasons(&self) -> Vec<(ThreadPoint, Signs)> {
        let Some((&(place, clause, added), earlier)) = self.steps.split_last() else { return Vec::new() };
        let mut reasons = vec![(place, clause)];
        let mut wanted = clause.negated().union(added.negated());
        for &(place, clause, added) in earlier.iter().rev() {
            if added.intersects(wanted) {
                reasons.push((place, clause));
                wanted = wanted.union(clause.negated());
            }
        }
        reasons
    }
}

/// The question whether a violation is possible.
struct Question<'q, 'f, 'p> {
    frame: &'q Frame<'f, 'p>,
    pool: TermPool,
    /// The variables for where threads are.
    places: Vec<VarId>,
    guard: Vec<TermId>,
    /// Where each thread can be.
    points: Vec<Vec<ControlPointId>>,
}

impl<'q, 'f, 'p> Question<'q, 'f, 'p> {
    fn new(frame: &'q Frame<'f, 'p>, index: usize) -> Self {
        let system = frame.system;
        let violation = &system.violations[index];
        let mut pool = TermPool::new();
        let guard = violation.guard.iter().flat_map(|constraint| constraint.form().variables());
        let highest = guard.map(Id::index).max().unwrap_or(0).max(system.cells.count());
        for _ in 0..=highest {
            pool.fresh_variable("v", Sort::Int);
        }
        let places = system.thread_ids().map(|_| pool.fresh_variable("place", Sort::Int)).collect();
        let guard = violation.guard.iter().map(|constraint| pool.constraint_term(constraint)).collect();
        let roles = roles(system, violation);
        let points =
            system.thread_ids().map(|thread| match roles.iter().find(|role| role.thread == thread) {
                Some(role) => role.points.clone(),
                None => (0..system.thread(thread).points.len()).map(ControlPointId::from_index).collect(),
            });
        Question { frame, guard, points: points.collect(), places, pool }
    }

    fn stands_at(&mut self, thread: ThreadId, point: ControlPointId) -> TermId {
        let place = self.pool.var(self.places[thread.index()]);
        let value = self.pool.int(point.index() as i64);
        self.pool.eq(place, value)
    }

    /// Everybody is somewhere where the clauses hold, and the violation is there.
    fn formulas(&mut self, clauses: &Clauses) -> Vec<TermId> {
        let mut formulas = self.guard.clone();
        for thread in self.frame.system.thread_ids() {
            let mut cases = Vec::new();
            for point in self.points[thread.index()].clone() {
                let mut parts = vec![self.stands_at(thread, point)];
                for clause in &clauses[thread.index()][point.index()] {
                    let literals: Vec<TermId> = clause
                        .iter()
                        .map(|(atom, holds)| {
                            let term = match &self.frame.vocabulary.atoms[atom] {
                                Atom::Value(constraint) => self.pool.constraint_term(constraint),
                                Atom::Place { thread, point } => self.stands_at(*thread, *point),
                            };
                            if holds { term } else { self.pool.not(term) }
                        })
                        .collect();
                    parts.push(self.pool.or(literals));
                }
                cases.push(self.pool.and(parts));
            }
            formulas.push(self.pool.or(cases));
        }
        formulas
    }

    /// Where everybody is in a model, and which atoms hold.
    fn state(&self, model: &Interpretation) -> (Vec<ThreadPoint>, Signs) {
        let value = |variable| match model.value(variable, Sort::Int) {
            Value::Int(value) => value,
            _ => rely_logic::Integer::default(),
        };
        let place = |thread: ThreadId| {
            let point =
                value(self.places[thread.index()]).to_i64().and_then(|point| usize::try_from(point).ok());
            (thread, ControlPointId::from_index(point.unwrap_or(0)))
        };
        let places: Vec<ThreadPoint> = self.frame.system.thread_ids().map(place).collect();
        let atoms = self.frame.vocabulary.atoms.iter().map(|(id, atom)| match atom {
            Atom::Value(constraint) => Signs::one(id, constraint.holds(value)),
            Atom::Place { thread, point } => Signs::one(id, places[thread.index()].1 == *point),
        });
        let state = atoms.collect();
        (places, state)
    }
}
