//! One edge, carried out with terms instead of values.
//!
//! [`Step`] is `Semantics::step` once more, for all states at once: the conditions under which the
//! edge can be taken, the values that it leaves, where threads stand afterwards, and what must be
//! shown so that the step means something and violates nothing.

use super::encode::{Cell, Encoder, Role, Values};
use super::expression::{Counts, Viewer};
use super::outline::Outline;
use super::points::{PointSet, instances, is_instance};
use super::structure::{Structure, local_cells};
use crate::data::{ControlPoint, Moment, Rule};
use rely_logic::TermId;
use rely_program::{
    Blocking, Domain, EdgeId, Expr, Goal, Initial, Op, Place, Program, ThreadId, Value, VarId, definedness,
};

/// A wait for the end of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joining {
    /// Its number among all waits of the step.
    pub(crate) wait: usize,
    /// The number of the thread.
    pub(crate) handle: TermId,
    /// Whether that, if it is positive, certainly is the number of a thread.
    pub(crate) is_handle: bool,
}

/// What one edge does.
#[derive(Debug, Default)]
pub(crate) struct Step {
    /// What holds if the step is made, over the values before it and over new variables for
    /// nondeterministic values.
    pub(crate) conditions: Vec<TermId>,
    /// How many of the conditions hold of the state before the step, whichever edge is taken.
    pub(crate) given: usize,
    /// Where instances stand before the step if it is made.
    pub(crate) narrowed: Vec<(ThreadId, PointSet)>,
    /// The values after the step of all cells that it may change.
    pub(crate) after: Values,
    /// Instances that stand at another control point after the step, and the numbers of these control points.
    pub(crate) arrived: Vec<(ThreadId, usize)>,
    /// For what the thread waits on the way, over the values before the step: it goes on if all
    /// of these hold.
    pub(crate) waits: Vec<TermId>,
    /// Which of these are for the ends of threads.
    pub(crate) joins: Vec<Joining>,
    /// How many of these come before the step starts a thread, if it does.
    pub(crate) waits_before_start: Option<usize>,
    /// Values that were chosen on the way: nondeterministic ones, and handles of new threads.
    pub(crate) chosen: Vec<TermId>,
    /// Threads made from templates.
    pub(crate) created: Vec<(ThreadId, Role)>,
    /// Instances that were started.
    pub(crate) started: Vec<ThreadId>,
    /// The handles of the threads that were waited for.
    pub(crate) joined: Vec<TermId>,
    /// What must be shown of it.
    pub(crate) demands: Vec<Demand>,
    /// Whether the program ends with it.
    pub(crate) halts: bool,
}

/// What has happened before a step that is not the first one of an obligation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'s> {
    /// In which part the thread that acts appears.
    pub(crate) role: Role,
    /// The values that earlier steps have left.
    pub(crate) values: &'s Values,
    /// Where earlier steps have led instances.
    pub(crate) arrived: &'s [(ThreadId, usize)],
}

/// The nondeterministic values of an edge, so that it can be carried out again with the same ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    made: Vec<TermId>,
    used: usize,
}

impl Choices {
    /// Choices that were made elsewhere.
    pub(crate) fn made(made: Vec<TermId>) -> Self {
        Self { made, used: 0 }
    }

    /// To make the same choices once more.
    pub(crate) fn again(&mut self) -> &mut Self {
        self.used = 0;
        self
    }
}

/// Something that must hold when an operation is reached.
#[derive(Debug)]
pub(crate) struct Demand {
    pub(crate) rule: Rule,
    /// How many of the step's conditions, and of what is known about places, come before it.
    pub(crate) conditions: usize,
    pub(crate) narrowed: usize,
    pub(crate) required: Required,
}

/// What a demand asks for.
#[derive(Debug)]
pub(crate) enum Required {
    Formula(TermId),
    Place(ThreadId, PointSet),
}

/// The parts that are put together to a step.
struct Runner<'a, 'p> {
    encoder: &'a mut Encoder<'p>,
    outline: &'a Outline<'p>,
    structure: &'a Structure,
    goal: Goal,
    actor: ThreadId,
    role: Role,
    choices: &'a mut Choices,
    counts: Counts,
    step: Step,
}

impl Step {
    /// Carries out an edge whose thread stands at its source while nobody else is inside of an
    /// atomic block.
    pub(crate) fn new<'p>(
        encoder: &mut Encoder<'p>,
        outline: &Outline<'p>,
        structure: &Structure,
        goal: Goal,
        edge: EdgeId,
    ) -> Self {
        Self::by(encoder, outline, structure, goal, edge, Role::ACTOR)
    }

    /// Carries out an edge for the thread in a role.
    pub(crate) fn by<'p>(
        encoder: &mut Encoder<'p>,
        outline: &Outline<'p>,
        structure: &Structure,
        goal: Goal,
        edge: EdgeId,
        role: Role,
    ) -> Self {
        Self::with(encoder, outline, structure, goal, edge, (role, &mut Choices::default()))
    }

    /// Carries out an edge for the thread in a role, with some choices made before.
    pub(crate) fn with<'p>(
        encoder: &mut Encoder<'p>,
        outline: &Outline<'p>,
        structure: &Structure,
        goal: Goal,
        edge: EdgeId,
        (role, choices): (Role, &mut Choices),
    ) -> Self {
        let actor = outline.actor(edge);
        let (counts, step) = (Counts::default(), Step::default());
        let mut runner = Runner { encoder, outline, structure, goal, actor, role, choices, counts, step };
        runner.begin(edge);
        runner.finish(edge)
    }

    /// Carries out an edge after others. Nothing is said about where threads stand.
    pub(crate) fn later<'p>(
        encoder: &mut Encoder<'p>,
        outline: &Outline<'p>,
        structure: &Structure,
        goal: Goal,
        edge: EdgeId,
        setting: Setting<'_>,
        choices: &mut Choices,
    ) -> Self {
        let (actor, role, counts) = (outline.actor(edge), setting.role, Counts::default());
        let (after, arrived) = (setting.values.clone(), setting.arrived.to_vec());
        let step = Step { after, arrived, ..Step::default() };
        let runner = Runner { encoder, outline, structure, goal, actor, role, choices, counts, step };
        runner.finish(edge)
    }

    /// The same step from a state of which something is known.
    pub(crate) fn given(mut self, known: Vec<TermId>) -> Self {
        self.given = known.len();
        self.demands.iter_mut().for_each(|demand| demand.conditions += known.len());
        self.conditions.splice(0..0, known);
        self
    }

    /// Where an instance stands after the step, if it is not where it was before.
    pub(crate) fn arrival(&self, thread: ThreadId) -> Option<usize> {
        self.arrived.iter().find(|(moved, _)| *moved == thread).map(|(_, number)| *number)
    }

    /// Whether a cell may have another value after the step.
    pub(crate) fn changes(&self, cell: Cell) -> bool {
        self.after.contains_key(&cell)
    }
}

impl Runner<'_, '_> {
    fn program(&self) -> &Program {
        self.outline.program
    }

    /// The thread that acts is at the source of the edge, and nobody else in an atomic block.
    fn begin(&mut self, edge: EdgeId) {
        let program = self.outline.program;
        let source = ControlPoint::At(program.edges()[edge].source);
        let numbers = &self.outline.numbers;
        for thread in instances(program) {
            if thread == self.actor {
                self.step.narrowed.push((thread, numbers.single(thread, source)));
            } else if numbers.interruptible(thread) != numbers.listed(thread) {
                self.step.narrowed.push((thread, numbers.interruptible(thread).clone()));
            }
        }
    }

    /// All operations of the edge, and where it leads.
    fn finish(mut self, edge: EdgeId) -> Step {
        let edge = &self.outline.program.edges()[edge];
        for op in &edge.ops {
            self.execute(op);
        }
        let mut step = self.step;
        if is_instance(self.outline.program, self.actor)
            && let Some(number) = self.outline.numbers.number(self.actor, ControlPoint::At(edge.target))
        {
            step.arrived.push((self.actor, number));
        }
        step
    }

    /// Calls back with the terms of the present moment.
    fn viewed<T>(&mut self, look: impl FnOnce(&mut Encoder<'_>, Viewer<'_>) -> T) -> T {
        let thread = Some((self.actor, self.role));
        let viewer = Viewer { thread, values: &self.step.after, counts: &self.counts };
        look(self.encoder, viewer)
    }

    fn number(&mut self, expr: &Expr) -> TermId {
        self.viewed(|encoder, viewer| encoder.number_of(viewer, expr))
    }

    fn condition(&mut self, expr: &Expr) -> TermId {
        self.viewed(|encoder, viewer| encoder.condition_of(viewer, expr))
    }

    fn demand(&mut self, rule: Rule, required: Required) {
        let (conditions, narrowed) = (self.step.conditions.len(), self.step.narrowed.len());
        self.step.demands.push(Demand { rule, conditions, narrowed, required });
    }

    /// The expression must have a value.
    fn must_be_defined(&mut self, expr: &Expr) {
        for (_, condition) in definedness(self.program(), expr) {
            let condition = self.condition(&condition);
            self.demand(Rule::Meaning, Required::Formula(condition));
            self.step.conditions.push(condition);
        }
    }

    fn place_must_be_defined(&mut self, place: &Place) {
        if let Place::Element(..) = place {
            self.must_be_defined(&place.read());
        }
    }

    /// Whether a thread that gets to a condition without which the run does not count cannot go on: a fair run may stay
    /// in front of it for ever.
    fn must_pass(&self) -> bool {
        self.must_count() || self.goal == Goal::FairTermination
    }

    /// Whether a step counts only if the run counts behind it: no check fails, and all conditions hold.
    fn must_count(&self) -> bool {
        self.goal == Goal::Deadlock
    }

    fn execute(&mut self, op: &Op) {
        match op {
            Op::Assume(condition, blocking) => {
                self.must_be_defined(condition);
                let condition = self.condition(condition);
                self.step.conditions.push(condition);
                if *blocking == Blocking::Wait || self.must_pass() {
                    self.step.waits.push(condition);
                }
            }
            Op::Check(expr, check) => {
                self.must_be_defined(expr);
                let condition = self.condition(expr);
                if self.goal.includes(self.program().checks()[*check].kind) {
                    self.demand(Rule::Check, Required::Formula(condition));
                }
                self.step.conditions.push(condition);
                if self.must_count() {
                    self.step.waits.push(condition);
                }
            }
            Op::Assign(assignments) => self.assign(assignments),
            Op::Havoc(place, domain) => self.havoc(place, *domain),
            Op::Spawn { thread, arguments, handle } => self.spawn(*thread, arguments, handle.as_ref()),
            Op::Join(handle) => self.join(handle),
            Op::Halt => self.step.halts = true,
        }
    }

    fn assign(&mut self, assignments: &[(Place, Expr)]) {
        let mut writes = Vec::with_capacity(assignments.len());
        for (place, value) in assignments {
            self.must_be_defined(value);
            self.place_must_be_defined(place);
            let value = self.number(value);
            let target = self.viewed(|encoder, viewer| encoder.target(viewer, place));
            writes.push((target, value));
        }
        for (target, value) in writes {
            self.encoder.store(target, value, self.role, &mut self.step.after);
        }
    }

    fn havoc(&mut self, place: &Place, domain: Domain) {
        self.place_must_be_defined(place);
        let target = self.viewed(|encoder, viewer| encoder.target(viewer, place));
        let value = self.any_of(domain);
        self.encoder.store(target, value, self.role, &mut self.step.after);
    }

    /// A variable with any value of a domain, a new one unless the choice was made before.
    fn any_of(&mut self, domain: Domain) -> TermId {
        let position = self.choices.used;
        self.choices.used += 1;
        if let Some(&made) = self.choices.made.get(position) {
            self.step.chosen.push(made);
            return made;
        }
        let value = self.encoder.new_variable("any");
        let formulas = self.encoder.domain_formulas(value, domain);
        self.encoder.define(value, formulas);
        self.step.chosen.push(value);
        self.choices.made.push(value);
        value
    }

    fn spawn(&mut self, thread: ThreadId, arguments: &[Expr], handle: Option<&Place>) {
        for argument in arguments {
            self.must_be_defined(argument);
        }
        let arguments: Vec<TermId> = arguments.iter().map(|argument| self.number(argument)).collect();
        if let Some(place) = handle {
            self.place_must_be_defined(place);
        }
        let target = handle.map(|place| self.viewed(|encoder, viewer| encoder.target(viewer, place)));
        self.step.waits_before_start.get_or_insert(self.step.waits.len());
        let role = if is_instance(self.program(), thread) {
            self.start_instance(thread);
            Role::ACTOR
        } else {
            self.create(thread)
        };
        let parameters: Vec<VarId> = self.program().threads()[thread].parameters.clone();
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            let cell = self.encoder.cell(parameter, 0, role);
            self.step.after.insert(cell, argument);
        }
        if let Some(target) = target {
            let handle = self.encoder.handle(thread, role);
            self.encoder.store(target, handle, self.role, &mut self.step.after);
        }
    }

    /// A second start has no meaning.
    fn start_instance(&mut self, thread: ThreadId) {
        let unstarted = self.outline.numbers.single(thread, ControlPoint::Unstarted);
        if self.step.started.contains(&thread) {
            let never = self.encoder.pool.truth(false);
            self.demand(Rule::Meaning, Required::Formula(never));
        } else if !self.structure.starts_once(thread) {
            self.demand(Rule::Meaning, Required::Place(thread, unstarted.clone()));
        }
        self.step.narrowed.push((thread, unstarted));
        self.step.started.push(thread);
        let entry = ControlPoint::At(self.program().threads()[thread].entry);
        if let Some(number) = self.outline.numbers.number(thread, entry) {
            self.step.arrived.push((thread, number));
        }
    }

    /// A new thread with the initial values of its locals.
    fn create(&mut self, thread: ThreadId) -> Role {
        let program = self.outline.program;
        let role = Role::extra(self.step.created.len());
        for (var, index) in local_cells(program, thread) {
            let cell = self.encoder.cell(var, index, role);
            let value = match &program.vars()[var].initial {
                Initial::Values(values) => self.encoder.constant(values[index as usize]),
                Initial::Any(domain) => self.any_of(*domain),
            };
            self.step.after.insert(cell, value);
        }
        self.step.created.push((thread, role));
        let handle = self.encoder.handle(thread, role);
        self.step.chosen.push(handle);
        role
    }

    /// Passes only if the thread has ended. A join of a number that is no thread's waits for ever.
    fn join(&mut self, expr: &Expr) {
        self.must_be_defined(expr);
        let handle = self.number(expr);
        self.step.joined.push(handle);
        let is_threads = self.may_be_a_threads(handle);
        self.step.conditions.push(is_threads);
        let mut known = Vec::new();
        for thread in instances(self.outline.program) {
            self.joined_has_ended(handle, thread);
            known.push(self.is_joined(handle, thread));
        }
        let has_ended = self.encoder.pool.or(known);
        let is_handle = self.structure.is_handle(expr);
        self.step.joins.push(Joining { wait: self.step.waits.len(), handle, is_handle });
        self.step.waits.push(has_ended);
    }

    /// Whether there can be a thread with this number at all.
    fn may_be_a_threads(&mut self, handle: TermId) -> TermId {
        let program = self.outline.program;
        let one = self.encoder.pool.int(1);
        let is_positive = self.encoder.pool.ge(handle, one);
        if program.threads().ids().all(|thread| is_instance(program, thread)) {
            let last = self.encoder.instance_count();
            let last = self.encoder.constant(last);
            let is_instance = self.encoder.pool.le(handle, last);
            self.encoder.pool.and([is_positive, is_instance])
        } else {
            is_positive
        }
    }

    /// This is the handle of the instance, and the instance is at its exit. Whether a thread made
    /// from a template has ended is not known.
    fn is_joined(&mut self, handle: TermId, thread: ThreadId) -> TermId {
        let own = self.encoder.handle(thread, Role::ACTOR);
        let is_own = self.encoder.pool.eq(handle, own);
        let exit =
            self.outline.numbers.single(thread, ControlPoint::At(self.program().threads()[thread].exit));
        let has_ended = match self.step.arrival(thread) {
            Some(number) => self.encoder.pool.truth(exit.contains(number)),
            None => self.encoder.stands_in(thread, &exit),
        };
        self.encoder.pool.and([is_own, has_ended])
    }

    /// If this is the handle of the instance, the instance is at its exit.
    fn joined_has_ended(&mut self, handle: TermId, thread: ThreadId) {
        let own = self.encoder.handle(thread, Role::ACTOR);
        let is_own = self.encoder.pool.eq(handle, own);
        let exit =
            self.outline.numbers.single(thread, ControlPoint::At(self.program().threads()[thread].exit));
        let started = self.step.arrival(thread);
        match (self.encoder.pool.as_truth(is_own), started) {
            (Some(false), _) => {}
            (_, Some(number)) => {
                let has_ended = self.encoder.pool.truth(exit.contains(number));
                let condition = self.encoder.pool.implies(is_own, has_ended);
                self.step.conditions.push(condition);
            }
            (Some(true), None) => self.step.narrowed.push((thread, exit)),
            (None, None) => {
                let has_ended = self.encoder.stands_in(thread, &exit);
                let condition = self.encoder.pool.implies(is_own, has_ended);
                self.step.conditions.push(condition);
            }
        }
    }
}

/// The initial values of some cells: constants, or the variables themselves with their domains.
pub(crate) fn initial_values(
    encoder: &mut Encoder<'_>,
    cells: impl Iterator<Item = (VarId, u32)>,
    values: &mut Values,
    conditions: &mut Vec<TermId>,
) {
    let program = encoder.program;
    for (var, index) in cells {
        let cell = encoder.cell(var, index, Role::ACTOR);
        match &program.vars()[var].initial {
            Initial::Values(initial) => {
                let value: Value = initial[index as usize];
                let value = encoder.constant(value);
                values.insert(cell, value);
            }
            Initial::Any(domain) => {
                let variable = encoder.variable(cell, Moment::Before);
                conditions.extend(encoder.domain_formulas(variable, *domain));
            }
        }
    }
}
