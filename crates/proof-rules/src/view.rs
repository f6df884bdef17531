//! The program as terms: states of threads, and moves between them.

use crate::NoClauses;
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_horn::{Application, Clause, System, TermPool, UnknownId};
use rely_logic::{Constraint, Integer, LinearForm, Sort, TermId, VarId};
use rely_program::{Goal, Program, ThreadId, ThreadKind};
use rely_symbolic::{Branch, BranchEnd, Cells, Limits, PlaceTest, Translator, Violation, initial_states};
use rustc_hash::FxHashMap;

/// A thread and the places where it can be.
pub(crate) struct ThreadView {
    pub(crate) name: String,
    pub(crate) points: Vec<ControlPoint>,
    pub(crate) atomic: Vec<bool>,
    pub(crate) start: usize,
    pub(crate) entry: usize,
    pub(crate) locals: Vec<VarId>,
}

/// One branch of an edge.
pub(crate) struct Move {
    pub(crate) thread: usize,
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) branch: Branch,
    /// Where others must stand.
    pub(crate) tests: Vec<(usize, Vec<usize>)>,
}

/// Values of all cells, and the places of all threads.
#[derive(Clone)]
pub(crate) struct Moment {
    cells: FxHashMap<VarId, TermId>,
    pub(crate) places: Vec<TermId>,
}

impl Moment {
    /// Takes over the values of some cells.
    pub(crate) fn keep_locals(&mut self, other: &Moment, cells: &[VarId]) {
        for cell in cells {
            if let Some(&value) = other.cells.get(cell) {
                self.cells.insert(*cell, value);
            }
        }
    }
}

/// All that the rules are written from, and the clauses so far.
pub(crate) struct View {
    pub(crate) pool: TermPool,
    pub(crate) system: System,
    pub(crate) threads: Vec<ThreadView>,
    pub(crate) moves: Vec<Move>,
    pub(crate) globals: Vec<VarId>,
    pub(crate) initial: Vec<Vec<Constraint>>,
    pub(crate) violations: Vec<Violation>,
    /// Whether states of a thread tell where the others are.
    pub(crate) places: bool,
    pub(crate) over_approximates: bool,
    /// The names of the cells.
    names: FxHashMap<VarId, String>,
}

/// A move between two moments, and the condition under which it is made.
pub(crate) struct Passage {
    pub(crate) constraint: TermId,
    pub(crate) before: Moment,
    pub(crate) after: Moment,
}

impl View {
    /// A clause for each initial state and each thread: what holds of the thread then, whatever the rule says.
    pub(crate) fn add_initial(
        &mut self,
        head: impl Fn(&View, usize, &Moment) -> Application,
    ) -> Result<(), NoClauses> {
        for case in self.initial.clone() {
            for thread in 0..self.threads.len() {
                let mut moment = self.any_moment();
                for other in 0..self.threads.len() {
                    let start = self.threads[other].start;
                    moment = self.standing(moment, other, start);
                }
                let constraint = self.guard(&case, &mut moment);
                let head = head(self, thread, &moment);
                self.add(constraint, Vec::new(), Some(head))?;
            }
        }
        Ok(())
    }

    /// A move while some threads stand at places, and others are chosen to stand where the move tests that
    /// they do. Nobody but the former may be inside of an atomic block.
    pub(crate) fn passage(
        &mut self,
        number: usize,
        standing: &[(usize, usize)],
        chosen: &[(usize, usize)],
    ) -> Passage {
        let mut before = self.any_moment();
        for &(thread, place) in standing.iter().chain(chosen) {
            before = self.standing(before, thread, place);
        }
        let tests = self.moves[number].tests.clone();
        let (guard, after) = self.moved(number, &mut before);
        let tested = if self.places { self.tested(&tests, &before) } else { self.pool.truth(true) };
        let parties: Vec<usize> = standing.iter().map(|(thread, _)| *thread).collect();
        let alone = self.nobody_atomic(&before, &parties);
        Passage { constraint: self.pool.and([guard, tested, alone]), before, after }
    }
}

impl View {
    pub(crate) fn new(
        program: &Program,
        goal: Goal,
        places: bool,
        budget: &Budget,
    ) -> Result<Self, NoClauses> {
        let template = program.threads().values().find(|thread| thread.kind == ThreadKind::Template);
        if let Some(template) = template {
            return Err(NoClauses::Template(template.name.clone()));
        }
        let limits = Limits::default();
        let cells = Cells::new(program);
        let threads = program.threads().ids().map(|thread| thread_view(program, &cells, thread)).collect();
        let violations = Translator::new(program, &cells, None, limits).violations(goal)?;
        // What is not linear in a property has an auxiliary variable for its value.
        let guards = violations.iter().flat_map(|violation| &violation.guard);
        let over_approximates =
            guards.flat_map(|guard| guard.form().variables()).any(|id| !cells.is_cell(id));
        let globals = cells.all().filter(|&cell| cells.owner(cell).is_none()).collect();
        let mut view = Self {
            pool: TermPool::new(),
            system: System::new(),
            threads,
            moves: Vec::new(),
            globals,
            initial: initial_states(program, &cells, limits)?,
            violations,
            places,
            over_approximates,
            names: cells.all().map(|cell| (cell, cell_name(program, &cells, cell))).collect(),
        };
        for edge in program.edges().ids() {
            budget.check().map_err(NoClauses::Stopped)?;
            let declaration = &program.edges()[edge];
            let thread = program.locations()[declaration.source].thread;
            let source = view.place(thread, ControlPoint::At(declaration.source));
            let target = view.place(thread, ControlPoint::At(declaration.target));
            for branch in Translator::new(program, &cells, Some(thread), limits).edge(edge, budget)? {
                view.add_move(thread.index(), source, target, branch)?;
            }
        }
        Ok(view)
    }

    fn add_move(
        &mut self,
        thread: usize,
        source: usize,
        target: usize,
        branch: Branch,
    ) -> Result<(), NoClauses> {
        if branch.ending == BranchEnd::Halts && !self.violations.is_empty() {
            return Err(NoClauses::Halts);
        }
        let tests: Vec<_> = branch.places.iter().map(|test| self.test(test)).collect();
        if tests.iter().any(|(other, points)| *other == thread && !points.contains(&source)) {
            return Ok(());
        }
        self.over_approximates |= !branch.exact;
        self.moves.push(Move { thread, source, target, branch, tests });
        Ok(())
    }

    fn place(&self, thread: ThreadId, point: ControlPoint) -> usize {
        self.threads[thread.index()].points.iter().position(|&known| known == point).unwrap_or(0)
    }

    pub(crate) fn test(&self, test: &PlaceTest) -> (usize, Vec<usize>) {
        (test.thread.index(), test.points.iter().map(|&point| self.place(test.thread, point)).collect())
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
            if !atomic.is_empty() && self.places {
                let inside = self.stands(moment, thread, &atomic);
                parts.push(self.pool.not(inside));
            }
        }
        self.pool.and(parts)
    }

    /// The values of cells at a moment.
    pub(crate) fn values(&self, cells: &[VarId], moment: &Moment) -> Vec<TermId> {
        cells.iter().map(|cell| moment.cells[cell]).collect()
    }

    /// What the state of a thread tells: globals, its locals, and the places of the others.
    pub(crate) fn state(&self, thread: usize, moment: &Moment) -> Vec<TermId> {
        let mut arguments = self.values(&self.globals, moment);
        arguments.extend(self.values(&self.threads[thread].locals, moment));
        if self.places {
            let others = moment.places.iter().enumerate().filter(|(other, _)| *other != thread);
            arguments.extend(others.map(|(_, &place)| place));
        }
        arguments
    }

    /// How many arguments that are.
    pub(crate) fn state_width(&self, thread: usize) -> usize {
        let others = if self.places { self.threads.len() - 1 } else { 0 };
        self.globals.len() + self.threads[thread].locals.len() + others
    }

    pub(crate) fn declare(&mut self, name: &str, width: usize) -> UnknownId {
        self.system.declare(&mut self.pool, name, &vec![Sort::Int; width])
    }

    pub(crate) fn add(
        &mut self,
        constraint: TermId,
        body: Vec<Application>,
        head: Option<Application>,
    ) -> Result<(), NoClauses> {
        if self.pool.as_truth(constraint) != Some(false) {
            self.system.add(&self.pool, Clause { constraint, body, head })?;
        }
        Ok(())
    }

    /// The tests of a move on threads that are not in `present`, whose places are not known otherwise.
    pub(crate) fn absent_tests(&self, number: usize, present: &[usize]) -> Vec<(usize, Vec<usize>)> {
        if self.places {
            return Vec::new();
        }
        let tests = self.moves[number].tests.iter();
        tests.filter(|(thread, _)| !present.contains(thread)).cloned().collect()
    }

    /// The tests of a move as a constraint on places.
    pub(crate) fn tested(&mut self, tests: &[(usize, Vec<usize>)], moment: &Moment) -> TermId {
        let parts: Vec<TermId> =
            tests.iter().map(|(thread, points)| self.stands(moment, *thread, points)).collect();
        self.pool.and(parts)
    }

    /// The threads that a violation speaks of, each with the places where it may stand.
    pub(crate) fn involved(&self, violation: &Violation) -> Vec<(usize, Vec<usize>)> {
        let mut involved: Vec<(usize, Vec<usize>)> =
            violation.places.iter().map(|test| self.test(test)).collect();
        for cell in violation.guard.iter().flat_map(|constraint| constraint.form().variables()) {
            let owner = self.threads.iter().position(|thread| thread.locals.contains(&cell));
            let Some(owner) = owner else { continue };
            if !involved.iter().any(|(thread, _)| *thread == owner) {
                involved.push((owner, (0..self.threads[owner].points.len()).collect()));
            }
        }
        if involved.is_empty() && !self.threads.is_empty() {
            involved.push((0, (0..self.threads[0].points.len()).collect()));
        }
        // Nobody looks at states inside of atomic blocks.
        for (thread, points) in &mut involved {
            points.retain(|&point| !self.threads[*thread].atomic[point]);
        }
        involved
    }
}

/// The positions at which something is true.
fn positions(list: &[bool]) -> Vec<usize> {
    (0..list.len()).filter(|&position| list[position]).collect()
}

/// All ways to choose one place for each of some threads; `None` if there are too many.
pub(crate) fn choices(tests: &[(usize, Vec<usize>)]) -> Result<Vec<Vec<(usize, usize)>>, NoClauses> {
    const MOST: usize = 10_000;
    let mut chosen: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    for (thread, points) in tests {
        if chosen.len() * points.len() > MOST {
            return Err(NoClauses::TooManyCases);
        }
        chosen = chosen
            .iter()
            .flat_map(|known| points.iter().map(|&point| [known.as_slice(), &[(*thread, point)]].concat()))
            .collect();
    }
    Ok(chosen)
}

fn thread_view(program: &Program, cells: &Cells, thread: ThreadId) -> ThreadView {
    let declaration = &program.threads()[thread];
    let points = ControlPoint::all(program, thread);
    let position = |point: ControlPoint| points.iter().position(|&known| known == point).unwrap_or(0);
    let entry = position(ControlPoint::At(declaration.entry));
    let start = match declaration.kind {
        ThreadKind::Instance { running: false } => position(ControlPoint::Unstarted),
        _ => entry,
    };
    let is_atomic = |point: &ControlPoint| match point {
        ControlPoint::Unstarted => false,
        ControlPoint::At(location) => program.locations()[*location].atomic,
    };
    ThreadView {
        name: declaration.name.clone(),
        atomic: points.iter().map(is_atomic).collect(),
        start,
        entry,
        locals: cells.all().filter(|&cell| cells.owner(cell) == Some(thread)).collect(),
        points,
    }
}

fn cell_name(program: &Program, cells: &Cells, cell: VarId) -> String {
    let Some((var, index)) = cells.variable(cell) else { return "handle".to_owned() };
    let declaration = &program.vars()[var];
    let index = declaration.length.map_or(String::new(), |_| format!("[{index}]"));
    format!("{}{index}", declaration.name)
}
