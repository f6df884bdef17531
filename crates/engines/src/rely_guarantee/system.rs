//! The program as the method sees it: threads with numbered spots, and the moves between them.

use super::analysis::sums;
use super::census::Census;
use rely_base::{Budget, Id, StopReason, define_id};
use rely_evidence::rely_guarantee::Spot;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::analysis::Liveness;
use rely_program::{EdgeId, Goal, Program, Scope, ThreadId, ThreadKind};
use rely_symbolic::{Branch, Cells, Ending, PlaceTest, TooManyCases, Translator, Violation, initial_states};
use rustc_hash::FxHashSet;

define_id!(
    /// A spot of one thread, numbered from zero in each thread.
    pub(super) struct SpotId
);
define_id!(
    /// A move: one branch of one edge.
    pub(super) struct MoveId
);

/// Everything that is computed once from the program.
pub(super) struct System<'p> {
    pub(super) program: &'p Program,
    pub(super) goal: Goal,
    pub(super) cells: Cells,
    pub(super) threads: Vec<ThreadView>,
    pub(super) moves: Vec<Move>,
    pub(super) initial: Vec<Vec<Constraint>>,
    pub(super) violations: Vec<Violation>,
    /// What counts how many threads are where.
    pub(super) census: Census,
    /// Sums that no step changes.
    pub(super) sums: Vec<Constraint>,
    pub(super) has_atomic_spots: bool,
    /// Whether a state after the end of the whole program can still violate something.
    pub(super) halted_states_matter: bool,
}

/// A thread and its spots.
pub(super) struct ThreadView {
    pub(super) is_template: bool,
    pub(super) spots: Vec<Spot>,
    /// The moves that start at each spot.
    pub(super) moves: Vec<Vec<MoveId>>,
    pub(super) atomic: Vec<bool>,
    /// The locals that no longer matter at each spot.
    dead: Vec<FxHashSet<VarId>>,
    /// Where it is initially; a template is nowhere.
    pub(super) start: Option<SpotId>,
    pub(super) entry: SpotId,
}

/// One branch of an edge.
pub(super) struct Move {
    pub(super) thread: ThreadId,
    pub(super) edge: EdgeId,
    pub(super) source: SpotId,
    pub(super) target: SpotId,
    pub(super) branch: Branch,
    /// The instances that must stand at certain spots.
    pub(super) places: Vec<(ThreadId, Vec<SpotId>)>,
}

/// Why there is no such view of a program.
pub(super) enum Unfit {
    StepTooComplex,
    PropertyTooComplex,
    Stopped(StopReason),
}

impl<'p> System<'p> {
    pub(super) fn new(program: &'p Program, goal: Goal, budget: &Budget) -> Result<Self, Unfit> {
        let cells = Cells::new(program);
        let too_complex = |_: TooManyCases| Unfit::PropertyTooComplex;
        let initial = initial_states(program, &cells).map_err(too_complex)?;
        let violations = Translator::new(program, &cells, None).violations(goal).map_err(too_complex)?;
        let liveness = Liveness::new(program);
        let view = |thread| ThreadView::new(program, &cells, &liveness, thread);
        let threads: Vec<ThreadView> = program.threads().ids().map(view).collect();
        let mut system = System {
            program,
            goal,
            has_atomic_spots: threads.iter().any(|thread| thread.atomic.contains(&true)),
            threads,
            moves: Vec::new(),
            initial,
            census: Census::default(),
            sums: Vec::new(),
            halted_states_matter: !violations.is_empty(),
            violations,
            cells,
        };
        for edge in program.edges().ids() {
            budget.check().map_err(Unfit::Stopped)?;
            system.add_moves(edge, budget)?;
        }
        system.census = Census::new(&system);
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
        let translator = Translator::new(self.program, &self.cells, Some(thread));
        let branches = translator.edge(edge, budget).map_err(|_| Unfit::StepTooComplex)?;
        let source = self.spot(thread, Spot::At(declaration.source));
        let target = self.spot(thread, Spot::At(declaration.target));
        for branch in branches {
            let id = MoveId::from_index(self.moves.len());
            let places: Vec<_> = branch.places.iter().map(|test| self.place(test)).collect();
            // Nobody is somewhere else than where it is, say at its end while it waits for that.
            if places.iter().any(|(other, spots)| *other == thread && !spots.contains(&source)) {
                continue;
            }
            self.moves.push(Move { thread, edge, source, target, branch, places });
            self.threads[thread.index()].moves[source.index()].push(id);
        }
        Ok(())
    }

    /// A place test with numbered spots.
    pub(super) fn place(&self, test: &PlaceTest) -> (ThreadId, Vec<SpotId>) {
        (test.thread, test.spots.iter().map(|&spot| self.spot(test.thread, spot)).collect())
    }

    /// The number of a spot; every spot of the program has one.
    pub(super) fn spot(&self, thread: ThreadId, spot: Spot) -> SpotId {
        let position = self.threads[thread.index()].spots.iter().position(|&known| known == spot);
        SpotId::from_index(position.unwrap_or(0))
    }

    pub(super) fn thread(&self, thread: ThreadId) -> &ThreadView {
        &self.threads[thread.index()]
    }

    pub(super) fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(ThreadId::from_index)
    }

    pub(super) fn get(&self, id: MoveId) -> &Move {
        &self.moves[id.index()]
    }

    /// The spots through which a thread comes to some of its spots, the last ones first: at most so
    /// many, and not the one from which it comes.
    pub(super) fn way_to(
        &self,
        thread: ThreadId,
        spots: &[SpotId],
        most: usize,
        from: Option<SpotId>,
    ) -> Vec<SpotId> {
        let mut way: Vec<SpotId> = spots.to_vec();
        let mut position = 0;
        while position < way.len() && way.len() < spots.len() + most {
            let target = way[position];
            for by in self.moves.iter().filter(|by| by.thread == thread && by.target == target) {
                let is_new = Some(by.source) != from && !way.contains(&by.source);
                if is_new && way.len() < spots.len() + most {
                    way.push(by.source);
                }
            }
            position += 1;
        }
        way.split_off(spots.len())
    }

    /// Whether a cell is a global, a local of the thread, or its handle.
    pub(super) fn is_modular(&self, cell: VarId, thread: ThreadId) -> bool {
        self.cells.owner(cell).is_none_or(|owner| owner == thread)
    }

    /// Whether the value of a cell can still matter when a thread is at a spot. What the thread
    /// itself does not look at any more is dropped; about others' locals nothing is said.
    pub(super) fn is_live(&self, thread: ThreadId, spot: SpotId, cell: VarId) -> bool {
        !self.threads[thread.index()].dead[spot.index()].contains(&cell)
    }

    /// What is known of the handles of two threads that both exist.
    pub(super) fn handle_facts(&self, observer: ThreadId, actor: ThreadId) -> Vec<Constraint> {
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
    pub(super) fn seen_by(&self, observer: ThreadId, actor: ThreadId, cell: VarId) -> VarId {
        let same = observer == actor && self.cells.is_cell(cell) && self.cells.owner(cell) == Some(actor);
        if same { self.cells.foreign(cell) } else { cell }
    }
}

impl ThreadView {
    fn new(program: &Program, cells: &Cells, liveness: &Liveness, thread: ThreadId) -> Self {
        let declaration = &program.threads()[thread];
        let spots = Spot::all(program, thread);
        let number = |spot| spots.iter().position(|&known| known == spot).map(SpotId::from_index);
        let entry = number(Spot::At(declaration.entry)).unwrap_or(SpotId::from_index(0));
        let is_atomic = |spot: &Spot| match spot {
            Spot::Unstarted => false,
            Spot::At(location) => program.locations()[*location].atomic,
        };
        let dead_at = |spot: &Spot| {
            let location = match spot {
                Spot::Unstarted => declaration.entry,
                Spot::At(location) => *location,
            };
            let locals = program.vars().iter().filter(|(_, var)| var.scope == Scope::Local(thread));
            let dead = locals.filter(|(var, _)| !liveness.is_live(location, *var));
            dead.flat_map(|(var, declaration)| (0..declaration.cells()).map(move |index| (var, index)))
                .map(|(var, index)| cells.cell(var, index))
                .collect()
        };
        ThreadView {
            dead: spots.iter().map(dead_at).collect(),
            is_template: declaration.kind == ThreadKind::Template,
            moves: vec![Vec::new(); spots.len()],
            atomic: spots.iter().map(is_atomic).collect(),
            start: match declaration.kind {
                ThreadKind::Instance { running: true } => Some(entry),
                ThreadKind::Instance { running: false } => number(Spot::Unstarted),
                ThreadKind::Template => None,
            },
            entry,
            spots,
        }
    }
}

impl Move {
    /// Whether the thread goes on, or the state it leaves still matters.
    pub(super) fn leads_on(&self, system: &System<'_>) -> bool {
        match self.branch.ending {
            Ending::Moves => true,
            Ending::Halts => system.halted_states_matter,
            Ending::Fails(_) | Ending::Undefined => false,
        }
    }
}

/// A constraint about the state after a step, as one about the state before it.
pub(super) fn before(constraint: &Constraint, updates: &[(VarId, LinearForm)]) -> Constraint {
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
pub(super) fn updated(updates: &[(VarId, LinearForm)], cell: VarId) -> Option<&LinearForm> {
    updates.binary_search_by_key(&cell, |(cell, _)| *cell).ok().map(|position| &updates[position].1)
}
