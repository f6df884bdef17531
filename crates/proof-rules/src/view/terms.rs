//! Moments of a run as terms, and what leads from one to the next.

use super::View;
use super::threads::positions;
use crate::{Argument, Origin};
use rely_base::Id;
use rely_logic::{Constraint, Integer, LinearForm, Sort, TermId, VarId};
use rely_program::ThreadId;
use rustc_hash::FxHashMap;

/// Values of all cells, and the places of all threads.
#[derive(Clone)]
pub(crate) struct Moment {
    cells: FxHashMap<VarId, TermId>,
    pub(crate) places: Vec<TermId>,
}

impl Moment {
    pub(crate) fn value(&self, argument: Argument) -> TermId {
        match argument {
            Argument::Cell(cell) => self.cells[&cell],
            Argument::Place(thread) => self.places[thread.index()],
        }
    }

    /// The values that are known by now, in the order of the cells.
    pub(crate) fn known_cells(&self) -> Vec<(VarId, TermId)> {
        let mut cells: Vec<(VarId, TermId)> =
            self.cells.iter().map(|(&cell, &value)| (cell, value)).collect();
        cells.sort_unstable();
        cells
    }

    /// Takes over the values of some cells.
    pub(crate) fn keep_cells(&mut self, other: &Moment, cells: &[VarId]) {
        for cell in cells {
            if let Some(&value) = other.cells.get(cell) {
                self.cells.insert(*cell, value);
            }
        }
    }
}

/// A move between two moments, and the condition under which it is made.
pub(crate) struct Passage {
    pub(crate) constraint: TermId,
    /// When others moved last.
    pub(crate) before: Moment,
    /// When the move begins: the same, unless the thread is in the middle of a block.
    pub(crate) middle: Moment,
    pub(crate) after: Moment,
    pub(crate) origin: Origin,
}

/// A move, and where the block began in the middle of which it is made.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) number: usize,
    pub(crate) block: Option<usize>,
}

impl View {
    /// A move while others stand at places or are chosen to stand where the move tests that they do. Nobody but the
    /// former may be inside of an atomic block.
    pub(crate) fn passage(
        &mut self,
        taken: Taken,
        standing: &[(usize, usize)],
        chosen: &[(usize, usize)],
    ) -> Passage {
        let Taken { number, block } = taken;
        let (thread, source) = (self.moves[number].thread, self.moves[number].source);
        let mut before = self.any_moment();
        let actor = (thread, block.unwrap_or(source));
        for &(thread, place) in standing.iter().chain(chosen).chain([&actor]) {
            before = self.standing(before, thread, place);
        }
        let mut middle = before.clone();
        if block.is_some() {
            let later = self.any_moment();
            let own = [self.globals.clone(), self.threads[thread].locals.clone()].concat();
            middle.keep_cells(&later, &own);
            middle = self.standing(middle, thread, source);
        }
        let tests = self.moves[number].tests.clone();
        let (guard, after) = self.moved(number, &mut middle);
        let tested = if self.tells_places() { self.tested(&tests, &middle) } else { self.pool.truth(true) };
        let parties: Vec<usize> = standing.iter().map(|(thread, _)| *thread).chain([thread]).collect();
        let alone = self.nobody_atomic(&before, &parties);
        let origin = self.step_origin(number, &mut middle);
        Passage { constraint: self.pool.and([guard, tested, alone]), before, middle, after, origin }
    }

    /// A move that begins at a moment, as what a clause says.
    fn step_origin(&mut self, number: usize, moment: &mut Moment) -> Origin {
        let inputs = self.moves[number].branch.inputs.clone();
        let inputs = inputs.iter().map(|input| self.form(input, moment)).collect();
        let step = &self.moves[number];
        let (thread, edge) = (ThreadId::from_index(step.thread), step.edge);
        Origin::Step { thread, edge, ending: step.branch.ending, inputs }
    }

    /// A moment in which everything may have any value.
    pub(crate) fn any_moment(&mut self) -> Moment {
        let mut cells: Vec<VarId> = self.names.keys().copied().collect();
        cells.sort_unstable();
        let cells = cells.into_iter().map(|cell| (cell, self.variable(&self.names[&cell].clone()))).collect();
        let names: Vec<String> = self.threads.iter().map(|thread| format!("{}.place", thread.name)).collect();
        let places = names.iter().map(|name| self.variable(name)).collect();
        Moment { cells, places }
    }

    fn variable(&mut self, name: &str) -> TermId {
        let variable = self.pool.fresh_variable(name, Sort::Int);
        self.pool.var(variable)
    }

    /// A moment in which a thread stands at a place.
    pub(crate) fn standing(&mut self, mut moment: Moment, thread: usize, place: usize) -> Moment {
        moment.places[thread] = self.number(place);
        moment
    }

    pub(crate) fn number(&mut self, place: usize) -> TermId {
        self.pool.int(place as i64)
    }

    /// A linear form at a moment; auxiliary variables get names of their own.
    fn form(&mut self, form: &LinearForm, moment: &mut Moment) -> TermId {
        let mut terms: Vec<(TermId, Integer)> = Vec::new();
        for (variable, factor) in form.terms() {
            let term = match moment.cells.get(variable) {
                Some(&known) => known,
                None => {
                    let fresh = self.variable("any");
                    moment.cells.insert(*variable, fresh);
                    fresh
                }
            };
            terms.push((term, factor.clone()));
        }
        self.pool.sum(terms, form.constant_term().clone())
    }

    /// Constraints at a moment.
    pub(crate) fn guard(&mut self, guard: &[Constraint], moment: &mut Moment) -> TermId {
        let mut parts = Vec::with_capacity(guard.len());
        for constraint in guard {
            let value = self.form(constraint.form(), moment);
            let zero = self.pool.int(0);
            parts.push(match constraint.relation() {
                rely_logic::Relation::Le => self.pool.le_zero(value),
                rely_logic::Relation::Lt => self.pool.lt(value, zero),
                rely_logic::Relation::Eq => self.pool.eq_zero(value),
                rely_logic::Relation::Ne => self.pool.ne(value, zero),
            });
        }
        self.pool.and(parts)
    }

    /// What a move needs, and the moment after it, from the one before it.
    pub(crate) fn moved(&mut self, number: usize, before: &mut Moment) -> (TermId, Moment) {
        let branch = self.moves[number].branch.clone();
        let (thread, target) = (self.moves[number].thread, self.moves[number].target);
        let guard = self.guard(&branch.guard, before);
        let mut after = before.clone();
        for (cell, value) in &branch.updates {
            let value = self.form(value, before);
            after.cells.insert(*cell, value);
        }
        after.places[thread] = self.number(target);
        for started in &branch.started {
            let entry = self.threads[started.index()].entry;
            after.places[started.index()] = self.number(entry);
        }
        // Values that were named while the step was made keep their names.
        for (variable, term) in &before.cells {
            after.cells.entry(*variable).or_insert(*term);
        }
        (guard, after)
    }

    /// That a thread stands at one of some places.
    pub(crate) fn stands(&mut self, moment: &Moment, thread: usize, places: &[usize]) -> TermId {
        let mut cases = Vec::new();
        for &place in places {
            let number = self.number(place);
            cases.push(self.pool.eq(moment.places[thread], number));
        }
        self.pool.or(cases)
    }

    /// That none of the threads is inside of an atomic block, but perhaps some of them.
    pub(crate) fn nobody_atomic(&mut self, moment: &Moment, except: &[usize]) -> TermId {
        let mut parts = Vec::new();
        for thread in (0..self.threads.len()).filter(|thread| !except.contains(thread)) {
            let atomic: Vec<usize> = positions(&self.threads[thread].atomic);
            if !atomic.is_empty() && self.tells_places() {
                let inside = self.stands(moment, thread, &atomic);
                parts.push(self.pool.not(inside));
            }
        }
        self.pool.and(parts)
    }

    /// The tests of a move as a constraint on places.
    pub(crate) fn tested(&mut self, tests: &[(usize, Vec<usize>)], moment: &Moment) -> TermId {
        let parts: Vec<TermId> =
            tests.iter().map(|(thread, points)| self.stands(moment, *thread, points)).collect();
        self.pool.and(parts)
    }
}
