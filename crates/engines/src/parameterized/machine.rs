//! The counter machine of a program (Section 5.2 of the paper): shared variables, and how many threads are where.
//!
//! A state of the machine has the cells of the globals and of the locals of instances, one counter for each control
//! point of each thread (for an instance, zero or one), and one for each [`Class`]: how many threads of a template
//! stand at a location such that a condition on their locals and the shared variables holds. A step of the program is
//! a [`Transition`]: a conjunction of linear constraints and a linear form for each variable that it changes. The
//! locals of the thread that acts are inputs of the transition.
//!
//! The paper has one counter for each valuation of the local predicates; here each predicate has one of its own.
//! That needs fewer counters, and it is how [proofs](rely_evidence::counting) count.

use super::unseen::Assumptions;
use rely_base::{Arena, Id, define_id};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm, Relation, Sort, TermPool, VarId};
use rely_program::{EdgeId, Goal, LocationId, Sort as ProgramSort, ThreadId};
use rely_symbolic::{BranchEnd, ControlPointId, Move, MoveId, System, before, updated};
use rustc_hash::FxHashMap;

define_id!(
    /// A transition of a machine.
    pub(super) struct TransitionId
);

/// Threads of a template at a location of which a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) thread: ThreadId,
    pub(super) location: LocationId,
    /// Over their locals and the shared variables.
    pub(super) condition: Constraint,
}

/// How a transition ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// In another state.
    Moves,
    /// With a violation.
    Fails,
    /// Somewhere, but it is assumed that it is not made.
    Unseen,
}

/// One way in which a thread makes a step.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    pub(super) edge: EdgeId,
    /// The move of the program.
    pub(super) by: MoveId,
    /// Over the state before, and inputs.
    pub(super) guard: Vec<Constraint>,
    /// The new values of the variables of the state that change, ascending.
    pub(super) updates: Vec<(VarId, LinearForm)>,
    pub(super) end: End,
}

/// The machine.
pub(super) struct Machine<'s, 'p> {
    pub(super) system: &'s System<'p>,
    /// The variables of the system have the same numbers here; counters come after them.
    pub(super) pool: TermPool,
    pub(super) counters: Vec<Vec<VarId>>,
    pub(super) classes: Vec<(Class, VarId)>,
    pub(super) transitions: Arena<TransitionId, Transition>,
    /// The initial states, as a disjunction.
    pub(super) initial: Vec<Vec<Constraint>>,
    /// What holds in every state by what its variables are.
    pub(super) facts: Vec<Constraint>,
    /// The variables of a state.
    pub(super) state: Vec<VarId>,
}

impl<'s, 'p> Machine<'s, 'p> {
    /// The machine, on some assumptions about moves.
    pub(super) fn new(system: &'s System<'p>, classes: &[Class], assumptions: &Assumptions) -> Self {
        let mut pool = TermPool::new();
        let branches = system.moves.iter().flat_map(|by| by.branch.variables());
        let violations = system.violations.iter().flat_map(|it| &it.guard);
        let others = violations.flat_map(|constraint| constraint.form().variables().collect::<Vec<_>>());
        let highest = branches.chain(others).map(Id::index).max().unwrap_or(0);
        for _ in 0..=highest.max(3 * system.cells.count()) {
            pool.fresh_variable("cell", Sort::Int);
        }
        let counters = system
            .threads
            .iter()
            .map(|thread| thread.points.iter().map(|_| pool.fresh_variable("count", Sort::Int)).collect());
        let counters: Vec<Vec<VarId>> = counters.collect();
        let classes = classes.iter().map(|class| (class.clone(), pool.fresh_variable("class", Sort::Int)));
        let classes: Vec<(Class, VarId)> = classes.collect();
        let (transitions, initial, facts, state) = Default::default();
        let mut machine = Self { system, pool, counters, classes, transitions, initial, facts, state };
        machine.state = machine.state_variables();
        machine.facts = machine.facts();
        machine.initial = machine.initial();
        for index in 0..system.moves.len() {
            let id = MoveId::from_index(index);
            machine.add(id, assumptions);
        }
        machine
    }

    /// The counter of a control point.
    pub(super) fn counter(&self, thread: ThreadId, point: ControlPointId) -> VarId {
        self.counters[thread.index()][point.index()]
    }

    /// The counter of a location.
    pub(super) fn at(&self, location: LocationId) -> VarId {
        let thread = self.system.program.locations()[location].thread;
        self.counter(thread, self.system.point(thread, ControlPoint::At(location)))
    }

    /// Whether a cell belongs to the state: a global, or a local of an instance.
    fn is_shared(&self, cell: VarId) -> bool {
        let owner = self.system.cells.owner(cell);
        self.system.cells.is_cell(cell) && owner.is_none_or(|owner| !self.system.thread(owner).is_template)
    }

    /// Whether a variable belongs to the state.
    pub(super) fn is_state(&self, variable: VarId) -> bool {
        self.state.binary_search(&variable).is_ok()
    }

    fn state_variables(&self) -> Vec<VarId> {
        let cells = self.system.cells.all().filter(|&cell| self.is_shared(cell));
        let counters = self.counters.iter().flatten().copied();
        cells.chain(counters).chain(self.classes.iter().map(|(_, counter)| *counter)).collect()
    }

    fn facts(&self) -> Vec<Constraint> {
        let mut facts = Vec::new();
        let zero = LinearForm::constant(0);
        let one = LinearForm::constant(1);
        for &cell in &self.state {
            let sort = self.system.cells.variable(cell).map(|(var, _)| self.system.program.vars()[var].sort);
            if sort == Some(ProgramSort::Bool) {
                facts.push(Constraint::ge(&LinearForm::variable(cell), &zero));
                facts.push(Constraint::le(&LinearForm::variable(cell), &one));
            }
        }
        for (thread, counters) in self.system.threads.iter().zip(&self.counters) {
            facts.extend(counters.iter().map(|&at| Constraint::ge(&LinearForm::variable(at), &zero)));
            if !thread.is_template {
                facts.push(Constraint::eq(&sum(counters), &one));
            }
        }
        for (class, counter) in &self.classes {
            let (all, some) = (LinearForm::variable(self.at(class.location)), LinearForm::variable(*counter));
            facts.push(Constraint::ge(&some, &zero));
            facts.push(Constraint::le(&some, &all));
        }
        facts
    }

    /// Whether a constraint says no more than that an instance is somewhere.
    pub(super) fn is_fact(&self, constraint: &Constraint) -> bool {
        let threads = self.system.threads.iter().zip(&self.counters);
        let mut instances = threads.filter(|(thread, _)| !thread.is_template);
        instances.any(|(_, counters)| constraint.form().variables().all(|at| counters.contains(&at)))
    }

    fn initial(&self) -> Vec<Vec<Constraint>> {
        let mut places = Vec::new();
        let mut stands = |counter: VarId, number: i64| {
            places.push(Constraint::eq(&LinearForm::variable(counter), &LinearForm::constant(number)));
        };
        for (thread, counters) in self.system.threads.iter().zip(&self.counters) {
            for (index, &counter) in counters.iter().enumerate() {
                stands(counter, (thread.start == Some(ControlPointId::from_index(index))).into());
            }
        }
        self.classes.iter().for_each(|(_, counter)| stands(*counter, 0));
        self.system.initial.iter().map(|case| case.iter().chain(&places).cloned().collect()).collect()
    }

    /// Nobody is inside of an atomic block but, perhaps, a thread at one control point.
    pub(super) fn undisturbed(&self, except: Option<VarId>) -> Vec<Constraint> {
        let threads = self.system.threads.iter().zip(&self.counters);
        let atomic = threads.flat_map(|(thread, counters)| {
            counters.iter().zip(&thread.atomic).filter(|(_, atomic)| **atomic).map(|(&counter, _)| counter)
        });
        let number = |counter| LinearForm::constant(i64::from(Some(counter) == except));
        atomic.map(|counter| Constraint::eq(&LinearForm::variable(counter), &number(counter))).collect()
    }

    fn add(&mut self, id: MoveId, assumptions: &Assumptions) {
        let before = assumptions.before(id);
        for equation in before {
            let (form, one) = (equation.form(), LinearForm::constant(1));
            for beyond in [form.plus(&one), one.minus(form)] {
                self.add_case(id, &[Constraint::new(beyond, Relation::Le)], true);
            }
        }
        self.add_case(id, before, assumptions.excludes(id));
    }

    /// The transitions of a move where something holds.
    fn add_case(&mut self, id: MoveId, also: &[Constraint], is_unseen: bool) {
        let by = self.system.get(id);
        if self.system.goal == Goal::Deadlock && matches!(by.branch.ending, BranchEnd::Fails(_)) {
            // A run that fails a check is not followed further.
            return;
        }
        let end = match by.branch.ending {
            BranchEnd::Moves | BranchEnd::Halts if is_unseen => End::Unseen,
            BranchEnd::Moves | BranchEnd::Halts => End::Moves,
            BranchEnd::Fails(_) | BranchEnd::Undefined => End::Fails,
        };
        let source = self.counter(by.thread, by.source);
        let mut guard: Vec<Constraint> = by.branch.guard.iter().chain(also).cloned().collect();
        guard.push(Constraint::ge(&LinearForm::variable(source), &LinearForm::constant(1)));
        guard.extend(self.is_handle(by));
        guard.extend(self.undisturbed(Some(source)));
        for (thread, points) in &by.places {
            let counters: Vec<VarId> = points.iter().map(|&point| self.counter(*thread, point)).collect();
            guard.push(Constraint::eq(&sum(&counters), &LinearForm::constant(1)));
        }
        let updates = by.branch.updates.iter().filter(|(cell, _)| self.is_shared(*cell));
        let updates = updates.map(|(cell, value)| (*cell, value.clone())).collect();
        let mut draft = Draft { guard, updates };
        if end == End::Moves {
            self.move_threads(by, &mut draft);
        }
        for draft in self.told_apart(by, draft, end) {
            let mut updates: Vec<(VarId, LinearForm)> = draft.updates.into_iter().collect();
            updates.sort_by_key(|(variable, _)| *variable);
            self.transitions.push(Transition { edge: by.edge, by: id, guard: draft.guard, updates, end });
        }
    }

    /// What is known of the handle of the thread that acts, if it matters: a lock that has an owner is not free.
    fn is_handle(&self, by: &Move) -> Option<Constraint> {
        let handle = self.system.cells.handle_variable(by.thread)?;
        let instances = self.system.threads.iter().filter(|thread| !thread.is_template).count();
        let greatest = LinearForm::constant(instances as i64);
        by.branch
            .variables()
            .any(|variable| variable == handle)
            .then(|| Constraint::gt(&LinearForm::variable(handle), &greatest))
    }

    fn move_threads(&self, by: &Move, draft: &mut Draft) {
        if by.source != by.target {
            draft.add(self.counter(by.thread, by.source), -1);
            draft.add(self.counter(by.thread, by.target), 1);
        }
        for &started in &by.branch.started {
            let view = self.system.thread(started);
            if let Some(start) = view.start {
                draft.add(self.counter(started, start), -1);
            }
            draft.add(self.counter(started, view.entry), 1);
        }
        for (spawned, _) in &by.branch.spawned {
            draft.add(self.counter(*spawned, self.system.thread(*spawned).entry), 1);
        }
    }

    /// One transition for each combination of classes to which threads belong that leave, arrive, or are started.
    fn told_apart(&mut self, by: &Move, draft: Draft, end: End) -> Vec<Draft> {
        let mut drafts = vec![draft];
        for (class, counter) in self.classes.clone() {
            let at = LinearForm::variable(self.at(class.location));
            let leaves = class.thread == by.thread
                && self.system.point(class.thread, ControlPoint::At(class.location)) == by.source;
            if leaves {
                drafts = split(drafts, &class.condition, |draft, counted| {
                    let counter_form = LinearForm::variable(counter);
                    let others = if counted { counter_form.clone() } else { at.minus(&counter_form) };
                    draft.guard.push(Constraint::ge(&others, &LinearForm::constant(1)));
                    if counted && end == End::Moves {
                        draft.add(counter, -1);
                    }
                });
            }
            if end == End::Moves {
                self.disturb(by, &class, counter, leaves, &mut drafts);
                drafts = self.arrivals(by, &class, counter, drafts);
            }
        }
        drafts
    }

    /// If a step changes what the condition of a class speaks of, anybody who stands there may begin or cease to
    /// belong to it.
    fn disturb(&mut self, by: &Move, class: &Class, counter: VarId, leaves: bool, drafts: &mut [Draft]) {
        let condition = class.condition.form();
        let is_changed = |cell: VarId| self.is_shared(cell) && updated(&by.branch.updates, cell).is_some();
        if !condition.variables().any(is_changed) {
            return;
        }
        let stayed = LinearForm::variable(self.pool.fresh_variable("stayed", Sort::Int));
        let others = LinearForm::variable(self.at(class.location)).with_constant(-i64::from(leaves));
        for draft in drafts {
            draft.guard.push(Constraint::ge(&stayed, &LinearForm::constant(0)));
            draft.guard.push(Constraint::le(&stayed, &others));
            draft.updates.insert(counter, stayed.clone());
        }
    }

    /// Threads that arrive where a class is, by the step or because they are started.
    fn arrivals(&self, by: &Move, class: &Class, counter: VarId, mut drafts: Vec<Draft>) -> Vec<Draft> {
        let point = self.system.point(class.thread, ControlPoint::At(class.location));
        let mut conditions = Vec::new();
        if class.thread == by.thread && by.target == point {
            conditions.push(before(&class.condition, &by.branch.updates));
        }
        let entry = self.system.thread(class.thread).entry;
        for (_, locals) in by.branch.spawned.iter().filter(|(new, _)| *new == class.thread && entry == point)
        {
            let shared = by.branch.updates.iter().filter(|(cell, _)| self.is_shared(*cell)).cloned();
            let mut values: Vec<(VarId, LinearForm)> = shared.chain(locals.iter().cloned()).collect();
            values.sort_by_key(|(cell, _)| *cell);
            conditions.push(before(&class.condition, &values));
        }
        for condition in conditions {
            drafts = split(drafts, &condition, |draft, counted| {
                if counted {
                    draft.add(counter, 1);
                }
            });
        }
        drafts
    }
}

/// A transition that is being made.
#[derive(Clone)]
struct Draft {
    guard: Vec<Constraint>,
    updates: FxHashMap<VarId, LinearForm>,
}

impl Draft {
    fn add(&mut self, counter: VarId, number: i64) {
        let value = self.updates.entry(counter).or_insert_with(|| LinearForm::variable(counter));
        value.add_constant(&number.into());
    }
}

/// Tells apart whether a condition holds.
fn split(drafts: Vec<Draft>, condition: &Constraint, mut then: impl FnMut(&mut Draft, bool)) -> Vec<Draft> {
    let mut cases = Vec::new();
    for draft in drafts {
        for counted in [true, false] {
            let test = if counted { condition.clone() } else { condition.negated() };
            if test.is_false() {
                continue;
            }
            let mut case = draft.clone();
            case.guard.push(test);
            then(&mut case, counted);
            cases.push(case);
        }
    }
    cases
}

/// The sum of some variables.
pub(super) fn sum(variables: &[VarId]) -> LinearForm {
    LinearForm::new(variables.iter().map(|&variable| (variable, 1)), 0)
}

/// A comparison as constraints of the form `... <= 0`; an inequation has none.
pub(super) fn bounds(constraint: &Constraint) -> Vec<Constraint> {
    let form = constraint.form();
    match constraint.relation() {
        Relation::Le | Relation::Lt => vec![constraint.clone()],
        Relation::Eq | Relation::Ne => {
            [form.clone(), form.negated()].map(|form| Constraint::new(form, Relation::Le)).to_vec()
        }
    }
}
