//! A program as a transition system: threads with numbered control points, and the moves between them.
//!
//! * `conserved`: sums that no move changes;
//! * `counting`: cells that count how many threads are where.

mod conserved;
mod counting;

pub use counting::CountingInvariants;

use crate::{
    Branch, BranchEnd, Cells, Limits, PlaceTest, TooManyCases, Translator, Violation, initial_states,
};
use conserved::sums;
use rely_base::{Budget, Id, StopReason, define_id};
use rely_evidence::Reason;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::analysis::Liveness;
use rely_program::{EdgeId, Goal, Program, Scope, ThreadId, ThreadKind};
use rustc_hash::FxHashSet;

define_id!(
    /// A control point of one thread, numbered from zero in each thread.
    pub struct ControlPointId
);
define_id!(
    /// A move: one branch of one edge.
    pub struct MoveId
);

/// Everything that is computed once from the program.
pub struct System<'p> {
    /// The program.
    pub program: &'p Program,
    /// What is to be decided of it.
    pub goal: Goal,
    /// What the translation may cost.
    pub limits: Limits,
    /// Its variables as variables of the solver.
    pub cells: Cells,
    /// Its threads, in their order.
    pub threads: Vec<ThreadView>,
    /// All branches of all edges.
    pub moves: Vec<Move>,
    /// The initial states, as a disjunction.
    pub initial: Vec<Vec<Constraint>>,
    /// How properties are violated.
    pub violations: Vec<Violation>,
    /// What counts how many threads are where.
    pub counting: CountingInvariants,
    /// Sums that no step changes.
    pub sums: Vec<Constraint>,
    /// Whether some thread can be in the middle of an atomic block.
    pub has_atomic_points: bool,
    /// Whether a state after the end of the whole program can still violate something.
    pub halted_states_matter: bool,
}

/// A thread and its control points.
pub struct ThreadView {
    /// Whether there is any number of it.
    pub is_template: bool,
    /// Where it can be.
    pub points: Vec<ControlPoint>,
    /// The moves that start at each control point.
    pub moves: Vec<Vec<MoveId>>,
    /// Whether each control point is in the middle of an atomic block.
    pub atomic: Vec<bool>,
    /// The locals that no longer matter at each control point.
    dead: Vec<FxHashSet<VarId>>,
    /// Where it is initially; a template is nowhere.
    pub start: Option<ControlPointId>,
    /// Where it begins once it is started.
    pub entry: ControlPointId,
}

/// One branch of an edge.
pub struct Move {
    /// Who moves.
    pub thread: ThreadId,
    /// The edge of which it is a branch.
    pub edge: EdgeId,
    /// Where it starts.
    pub source: ControlPointId,
    /// Where it ends.
    pub target: ControlPointId,
    /// Its condition and what it changes.
    pub branch: Branch,
    /// The instances that must stand at certain control points.
    pub places: Vec<(ThreadId, Vec<ControlPointId>)>,
}

/// Why there is no such view of a program.
pub enum Unfit {
    /// An edge has too many branches.
    StepTooComplex,
    /// A property has too many cases.
    PropertyTooComplex,
    /// The budget has ended.
    Stopped(StopReason),
}

impl<'p> System<'p> {
    /// Translates a program.
    pub fn new(program: &'p Program, goal: Goal, limits: Limits, budget: &Budget) -> Result<Self, Unfit> {
        let cells = Cells::new(program);
        let violations = Translator::new(program, &cells, None, limits).violations(goal);
        let violations = violations.map_err(|_: TooManyCases| Unfit::PropertyTooComplex)?;
        Self::with_violations(program, goal, limits, (cells, violations), budget)
    }

    /// Translates a program for those who look at its properties themselves: if these have too many cases, then none of
    /// them is here. Where threads are counted at many places, each has its cases.
    pub fn of_steps(
        program: &'p Program,
        goal: Goal,
        limits: Limits,
        budget: &Budget,
    ) -> Result<Self, Unfit> {
        let cells = Cells::new(program);
        let violations = Translator::new(program, &cells, None, limits).violations(goal);
        let is_partial = violations.is_err();
        let cases = (cells, violations.unwrap_or_default());
        let mut system = Self::with_violations(program, goal, limits, cases, budget)?;
        system.halted_states_matter |= is_partial;
        Ok(system)
    }

    fn with_violations(
        program: &'p Program,
        goal: Goal,
        limits: Limits,
        (cells, violations): (Cells, Vec<Violation>),
        budget: &Budget,
    ) -> Result<Self, Unfit> {
        let too_complex = |_: TooManyCases| Unfit::PropertyTooComplex;
        let initial = initial_states(program, &cells, limits).map_err(too_complex)?;
        let liveness = Liveness::new(program);
        let view = |thread| ThreadView::new(program, &cells, &liveness, thread);
        let threads: Vec<ThreadView> = program.threads().ids().map(view).collect();
        let mut system = System {
            program,
            goal,
            limits,
            has_atomic_points: threads.iter().any(|thread| thread.atomic.contains(&true)),
            threads,
            moves: Vec::new(),
            initial,
            counting: CountingInvariants::default(),
            sums: Vec::new(),
            halted_states_matter: !violations.is_empty(),
            violations,
            cells,
        };
        for edge in program.edges().ids() {
            budget.check().map_err(Unfit::Stopped)?;
            system.add_moves(edge, budget)?;
        }
        system.counting = CountingInvariants::new(&system);
        system.sums = sums(&system);
        system.keep_conserved();
        Ok(system)
    }

    /// Locals that are part of a sum which no step changes matter as long as the rest of the sum does.
    fn keep_conserved(&mut self) {
        let conserved: FxHashSet<VarId> = self.sums.iter().flat_map(|sum| sum.form().variables()).collect();
        for dead in self.threads.iter_mut().flat_map(|thread| &mut thread.dead) {
            dead.retain(|cell| !conserved.contains(cell));
        }
    }

    fn add_moves(&mut self, edge: EdgeId, budget: &Budget) -> Result<(), Unfit> {
        let declaration = &self.program.edges()[edge];
        let thread = self.program.locations()[declaration.source].thread;
        let translator = Translator::new(self.program, &self.cells, Some(thread), self.limits);
        let branches = translator.edge(edge, budget).map_err(|_| Unfit::StepTooComplex)?;
        let source = self.point(thread, ControlPoint::At(declaration.source));
        let target = self.point(thread, ControlPoint::At(declaration.target));
        for branch in branches {
            let id = MoveId::from_index(self.moves.len());
            let places: Vec<_> = branch.places.iter().map(|test| self.place(test)).collect();
            // Nobody is somewhere else than where it is, say at its end while it waits for that.
            if places.iter().any(|(other, points)| *other == thread && !points.contains(&source)) {
                continue;
            }
            self.moves.push(Move { thread, edge, source, target, branch, places });
            self.threads[thread.index()].moves[source.index()].push(id);
        }
        Ok(())
    }

    /// A place test with numbered control points.
    pub fn place(&self, test: &PlaceTest) -> (ThreadId, Vec<ControlPointId>) {
        (test.thread, test.points.iter().map(|&point| self.point(test.thread, point)).collect())
    }

    /// The number of a control point; every control point of the program has one.
    pub fn point(&self, thread: ThreadId, point: ControlPoint) -> ControlPointId {
        let position = self.threads[thread.index()].points.iter().position(|&known| known == point);
        ControlPointId::from_index(position.unwrap_or(0))
    }

    /// A thread.
    pub fn thread(&self, thread: ThreadId) -> &ThreadView {
        &self.threads[thread.index()]
    }

    /// All threads.
    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(ThreadId::from_index)
    }

    /// A move.
    pub fn get(&self, id: MoveId) -> &Move {
        &self.moves[id.index()]
    }

    /// The control points through which a thread comes to some of its control points, the last ones first: at most so
    /// many, and not the one from which it comes.
    pub fn way_to(
        &self,
        thread: ThreadId,
        points: &[ControlPointId],
        most: usize,
        from: Option<ControlPointId>,
    ) -> Vec<ControlPointId> {
        let mut way: Vec<ControlPointId> = points.to_vec();
        let mut position = 0;
        while position < way.len() && way.len() < points.len() + most {
            let target = way[position];
            for by in self.moves.iter().filter(|by| by.thread == thread && by.target == target) {
                let is_new = Some(by.source) != from && !way.contains(&by.source);
                if is_new && way.len() < points.len() + most {
                    way.push(by.source);
                }
            }
            position += 1;
        }
        way.split_off(points.len())
    }

    /// Whether a cell is a global, a local of the thread, or its handle.
    pub fn is_modular(&self, cell: VarId, thread: ThreadId) -> bool {
        self.cells.owner(cell).is_none_or(|owner| owner == thread)
    }

    /// Whether the value of a cell can still matter when a thread is at a control point. What the thread
    /// itself does not look at any more is dropped; about others' locals nothing is said.
    pub fn is_live(&self, thread: ThreadId, point: ControlPointId, cell: VarId) -> bool {
        !self.threads[thread.index()].dead[point.index()].contains(&cell)
    }

    /// What is known of the handles of two threads that both exist.
    pub fn handle_facts(&self, observer: ThreadId, actor: ThreadId) -> Vec<Constraint> {
        let mut facts = Vec::new();
        let instances = self.threads.iter().filter(|thread| !thread.is_template).count();
        let least = LinearForm::constant(instances as i64 + 1);
        let [first, second] = [observer, actor].map(|thread| self.cells.handle_variable(thread));
        let second = second.map(|handle| if observer == actor { self.cells.foreign(handle) } else { handle });
        for handle in [first, second].into_iter().flatten() {
            facts.push(Constraint::ge(&LinearForm::variable(handle), &least));
        }
        if let (Some(first), Some(second)) = (first, second) {
            facts.push(Constraint::ne(&LinearForm::variable(first), &LinearForm::variable(second)));
        }
        facts
    }

    /// The name of an actor's variable seen by an observer: an instance of the same template has
    /// locals of its own.
    pub fn seen_by(&self, observer: ThreadId, actor: ThreadId, cell: VarId) -> VarId {
        let same = observer == actor && self.cells.is_cell(cell) && self.cells.owner(cell) == Some(actor);
        if same { self.cells.foreign(cell) } else { cell }
    }
}

impl Unfit {
    /// Why an engine that needs such a view knows nothing.
    pub fn reason(&self, engine: &'static str) -> Reason {
        let construct = match self {
            Unfit::Stopped(reason) => return Reason::Stopped(*reason),
            Unfit::StepTooComplex => "a step that falls apart into more than 256 cases",
            Unfit::PropertyTooComplex => "a property that falls apart into more than 256 cases",
        };
        Reason::UnsupportedConstruct { engine, construct: construct.to_owned() }
    }
}

impl ThreadView {
    fn new(program: &Program, cells: &Cells, liveness: &Liveness, thread: ThreadId) -> Self {
        let declaration = &program.threads()[thread];
        let points = ControlPoint::all(program, thread);
        let number = |point| points.iter().position(|&known| known == point).map(ControlPointId::from_index);
        let entry = number(ControlPoint::At(declaration.entry)).unwrap_or(ControlPointId::from_index(0));
        let is_atomic = |point: &ControlPoint| match point {
            ControlPoint::Unstarted => false,
            ControlPoint::At(location) => program.locations()[*location].atomic,
        };
        let dead_at = |point: &ControlPoint| {
            let location = match point {
                ControlPoint::Unstarted => declaration.entry,
                ControlPoint::At(location) => *location,
            };
            let locals = program.vars().iter().filter(|(_, var)| var.scope == Scope::Local(thread));
            let dead = locals.filter(|(var, _)| !liveness.is_live(location, *var));
            dead.flat_map(|(var, declaration)| (0..declaration.cells()).map(move |index| (var, index)))
                .map(|(var, index)| cells.cell(var, index))
                .collect()
        };
        ThreadView {
            dead: points.iter().map(dead_at).collect(),
            is_template: declaration.kind == ThreadKind::Template,
            moves: vec![Vec::new(); points.len()],
            atomic: points.iter().map(is_atomic).collect(),
            start: match declaration.kind {
                ThreadKind::Instance { running: true } => Some(entry),
                ThreadKind::Instance { running: false } => number(ControlPoint::Unstarted),
                ThreadKind::Template => None,
            },
            entry,
            points,
        }
    }
}

impl Move {
    /// Whether the thread goes on, or the state it leaves still matters.
    pub fn leads_on(&self, system: &System<'_>) -> bool {
        match self.branch.ending {
            BranchEnd::Moves => true,
            BranchEnd::Halts => system.halted_states_matter,
            BranchEnd::Fails(_) | BranchEnd::Undefined => false,
        }
    }
}

/// A constraint about the state after a step, as one about the state before it.
pub fn before(constraint: &Constraint, updates: &[(VarId, LinearForm)]) -> Constraint {
    let form = constraint.form();
    if !form.variables().any(|variable| updated(updates, variable).is_some()) {
        return constraint.clone();
    }
    let mut result = LinearForm::constant(form.constant_term().clone());
    for (variable, factor) in form.terms() {
        let value = match updated(updates, *variable) {
            Some(value) => value.scaled(factor),
            None => LinearForm::variable(*variable).scaled(factor),
        };
        result = result.plus(&value);
    }
    Constraint::new(result, constraint.relation())
}

/// The new value of a cell, if the step changes it.
pub fn updated(updates: &[(VarId, LinearForm)], cell: VarId) -> Option<&LinearForm> {
    updates.binary_search_by_key(&cell, |(cell, _)| *cell).ok().map(|position| &updates[position].1)
}
