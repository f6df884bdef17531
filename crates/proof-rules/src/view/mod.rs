//! The program as terms: states of threads, and moves between them.

mod terms;
mod threads;

pub(crate) use terms::{Moment, Passage, Taken};
pub(crate) use threads::{ThreadView, choices};

use crate::{Argument, NoClauses, Origin, ProofRuleOptions, Sight};
use rely_base::{Arena, Budget, Id};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_horn::{Application, Clause, ClauseId, System, TermPool, UnknownId};
use rely_logic::{Constraint, Sort, TermId, VarId};
use rely_program::{EdgeId, Goal, Program, ThreadId, ThreadKind};
use rely_symbolic::{Branch, BranchEnd, Cells, PlaceTest, Translator, Violation, initial_states};
use rustc_hash::FxHashMap;
use threads::{cell_name, thread_view};

/// One branch of an edge.
pub(crate) struct Move {
    pub(crate) thread: usize,
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) edge: EdgeId,
    pub(crate) branch: Branch,
    /// Where others must stand.
    pub(crate) tests: Vec<(usize, Vec<usize>)>,
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
    /// What states of a thread tell.
    sight: Sight,
    pub(crate) over_approximates: bool,
    /// What each clause says.
    pub(crate) origins: Arena<ClauseId, Origin>,
    /// The names of the cells.
    names: FxHashMap<VarId, String>,
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
                let cells = moment.known_cells();
                self.add(Origin::Initial(cells), constraint, Vec::new(), Some(head))?;
            }
        }
        Ok(())
    }
}

impl View {
    pub(crate) fn new(
        program: &Program,
        goal: Goal,
        options: ProofRuleOptions,
        budget: &Budget,
    ) -> Result<Self, NoClauses> {
        let template = program.threads().values().find(|thread| thread.kind == ThreadKind::Template);
        if let Some(template) = template {
            return Err(NoClauses::Template(template.name.clone()));
        }
        let limits = options.limits;
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
            sight: options.sight,
            over_approximates,
            origins: Arena::new(),
            names: cells.all().map(|cell| (cell, cell_name(program, &cells, cell))).collect(),
        };
        for edge in program.edges().ids() {
            budget.check().map_err(NoClauses::Stopped)?;
            let declaration = &program.edges()[edge];
            let thread = program.locations()[declaration.source].thread;
            let source = view.place(thread, ControlPoint::At(declaration.source));
            let target = view.place(thread, ControlPoint::At(declaration.target));
            for branch in Translator::new(program, &cells, Some(thread), limits).edge(edge, budget)? {
                let tests = branch.places.iter().map(|test| view.test(test)).collect();
                view.add_move(Move { thread: thread.index(), source, target, edge, branch, tests })?;
            }
        }
        Ok(view)
    }

    fn add_move(&mut self, step: Move) -> Result<(), NoClauses> {
        if step.branch.ending == BranchEnd::Halts && !self.violations.is_empty() {
            return Err(NoClauses::Halts);
        }
        let mut own = step.tests.iter().filter(|(other, _)| *other == step.thread);
        if own.all(|(_, points)| points.contains(&step.source)) {
            self.over_approximates |= !step.branch.exact;
            self.moves.push(step);
        }
        Ok(())
    }

    fn place(&self, thread: ThreadId, point: ControlPoint) -> usize {
        self.threads[thread.index()].points.iter().position(|&known| known == point).unwrap_or(0)
    }

    pub(crate) fn test(&self, test: &PlaceTest) -> (usize, Vec<usize>) {
        (test.thread.index(), test.points.iter().map(|&point| self.place(test.thread, point)).collect())
    }

    /// The values of cells at a moment.
    pub(crate) fn values(&self, cells: &[VarId], moment: &Moment) -> Vec<TermId> {
        cells.iter().map(|cell| moment.value(Argument::Cell(*cell))).collect()
    }

    /// Whether states of a thread tell where the others are.
    pub(crate) fn tells_places(&self) -> bool {
        self.sight != Sight::Plain
    }

    /// What the state of a thread tells: globals, its locals or those of everybody, and the places of the others.
    pub(crate) fn arguments(&self, thread: usize) -> Vec<Argument> {
        let everybody = self.threads.iter().enumerate();
        let seen = everybody.filter(|(other, _)| *other == thread || self.sight == Sight::Everything);
        let locals = seen.flat_map(|(_, seen)| &seen.locals);
        let cells = self.globals.iter().chain(locals).map(|&cell| Argument::Cell(cell));
        let others = (0..self.threads.len()).filter(|&other| other != thread && self.tells_places());
        cells.chain(others.map(|other| Argument::Place(ThreadId::from_index(other)))).collect()
    }

    /// The same as terms.
    pub(crate) fn state(&self, thread: usize, moment: &Moment) -> Vec<TermId> {
        self.arguments(thread).iter().map(|argument| moment.value(*argument)).collect()
    }

    pub(crate) fn declare(&mut self, name: &str, width: usize) -> UnknownId {
        self.system.declare(&mut self.pool, name, &vec![Sort::Int; width])
    }

    pub(crate) fn add(
        &mut self,
        origin: Origin,
        constraint: TermId,
        body: Vec<Application>,
        head: Option<Application>,
    ) -> Result<(), NoClauses> {
        if self.pool.as_truth(constraint) != Some(false) {
            self.system.add(&self.pool, Clause { constraint, body, head })?;
            self.origins.push(origin);
        }
        Ok(())
    }

    /// The tests of a move on threads that are not in `present`, whose places are not known otherwise.
    pub(crate) fn absent_tests(&self, number: usize, present: &[usize]) -> Vec<(usize, Vec<usize>)> {
        if self.tells_places() {
            return Vec::new();
        }
        let tests = self.moves[number].tests.iter();
        tests.filter(|(thread, _)| !present.contains(thread)).cloned().collect()
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
