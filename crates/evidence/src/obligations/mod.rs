//! All obligations of a proof, one after the other, from the program and its assertions alone.
//!
//! The induction is over the steps of a run. In every state that is reached, each thread is at a
//! control point at which one of the proof's cubes holds. Initially that is so ([`Rule::Initially`]). When
//! a thread takes an edge, its own assertion at the target holds ([`Rule::OwnStep`]), those of all
//! threads that it starts ([`Rule::Start`]), and everybody else's stay true: the step has one of
//! its claimed effects ([`Rule::Guarantee`]), and no such effect makes an assertion false
//! ([`Rule::Interference`]).
//!
//! What goes without saying is used wherever it helps: variables that the edge does not write are
//! unchanged; nobody but the thread itself writes its locals, and whoever starts it its
//! parameters; the locals of an instance that has not started have their initial values; nobody
//! moves while another thread is inside an atomic block; and after a step that halts the program
//! nobody moves at all, so that such a step has no effects to speak of.

mod alike;
pub(crate) mod argument;
mod counters;
pub(crate) mod encode;
mod expression;
mod forward;
mod help;
mod initial;
mod interference;
mod invariants;
mod measure;
mod mentions;
pub(crate) mod movers;
pub(crate) mod outline;
mod points;
mod progress;
mod property;
mod rounds;
pub(crate) mod sequent;
mod step;
mod structure;
mod stuck;
mod wellformed;

use crate::data::{
    Atom, ControlPoint, Cube, Invariant, Moment, Quantity, RelyGuaranteeDefect, Rule, Subject,
};
pub(crate) use initial::initial_point;

use argument::Argument;
use counters::Counters;
use encode::{Encoder, Role, Values};
use expression::Viewer;
use help::{Aid, nearer};
use initial::initial_counts;
use measure::{Circumstance, Measure};
use mentions::Mentions;
use outline::Outline;
use points::{PointSet, instances, is_instance};
use rely_logic::{Integer, TermId, TermPool};
use rely_program::{EdgeId, Goal, Program, ThreadId, Value, VarId, definedness};
use rounds::{has_rounds, is_round};
use rustc_hash::FxHashMap;
use sequent::{GoalCube, Sequent};
use std::rc::Rc;
use step::{Required, Step, initial_values};
use structure::{Structure, local_cells};
use wellformed::check_invariants;

/// Receives obligations; what it returns as an error ends the generation.
pub(crate) trait Sink {
    /// Why the generation ends.
    type Stop;

    /// The next obligation.
    fn take(
        &mut self,
        encoder: &mut Encoder<'_>,
        outline: &Outline<'_>,
        sequent: Sequent,
    ) -> Result<(), Self::Stop>;

    /// So many obligations that are obvious: the step changes nothing that they mention.
    fn obvious(&mut self, count: u64);

    /// Whether it is known by now that hypotheses contradict each other, so that nothing has to be asked about what
    /// follows from them.
    fn contradict(&self, _pool: &TermPool, _hypotheses: &[TermId]) -> bool {
        false
    }
}

/// A cube of the proof in terms of the logic.
#[derive(Debug)]
pub(crate) struct StatedCube {
    pub(crate) atoms: Vec<TermId>,
    /// Where other instances stand.
    pub(crate) places: Vec<(ThreadId, PointSet)>,
}

/// All cubes of one place.
type StatedCubes = Rc<[StatedCube]>;

/// What must hold after a step, whatever was known before it.
struct OwnGoals {
    target: Rc<[GoalCube]>,
    /// `None` if nobody is there to whom anything would have to be promised.
    effect: Option<Rc<[GoalCube]>>,
}

impl OwnGoals {
    /// Whether something has to be shown about where other instances stand.
    fn speak_of_places(&self) -> bool {
        self.target
            .iter()
            .chain(self.effect.iter().flat_map(|effect| effect.iter()))
            .any(GoalCube::has_places)
    }
}

/// Makes the obligations of one proof.
pub(crate) struct Generator<'p> {
    pub(crate) outline: Outline<'p>,
    pub(crate) encoder: Encoder<'p>,
    pub(crate) structure: Structure,
    pub(crate) goal: Goal,
    /// What every step has to make smaller.
    measure: Option<Rc<Measure<'p>>>,
    /// Who helps whoever waits, if a proof says so.
    aids: Option<Rc<[Aid<'p>]>>,
    /// What holds in every state, if threads are counted.
    invariants: Option<&'p [Invariant]>,
    pub(crate) counters: Counters,
    /// Whether only the assertions are at stake: that nothing goes wrong is shown elsewhere.
    only_assertions: bool,
    /// The atoms of the cubes of a control point, over the variables themselves.
    stated: FxHashMap<(ThreadId, ControlPoint, Role), StatedCubes>,
    /// Where the assertions mention what.
    mentions: Rc<Mentions>,
    /// That an instance is at a control point, by its number, and its assertion holds there.
    standing: FxHashMap<(ThreadId, usize), TermId>,
    /// That an instance is somewhere where others can move, and its assertion holds there.
    anywhere: FxHashMap<ThreadId, TermId>,
    /// That this is so of all instances.
    everybody: Option<Rc<[TermId]>>,
}

/// From where a cube is read.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'r> {
    pub(crate) thread: ThreadId,
    pub(crate) role: Role,
    pub(crate) before: &'r Values,
    pub(crate) after: &'r Values,
}

impl Reading<'_> {
    /// Whether something that an atom mentions has a value other than that of its variable.
    fn changes(&self, encoder: &Encoder<'_>, atom: &Atom) -> bool {
        atom.terms.iter().any(|(_, quantity)| match *quantity {
            Quantity::Handle => false,
            Quantity::Cell { var, index, moment } => {
                self.values(moment).contains_key(&encoder.cell(var, index, self.role))
            }
        })
    }

    fn values(&self, moment: Moment) -> &Values {
        if moment == Moment::Before { self.before } else { self.after }
    }

    fn quantity(&self, encoder: &mut Encoder<'_>, quantity: Quantity) -> TermId {
        match quantity {
            Quantity::Handle => encoder.handle(self.thread, self.role),
            Quantity::Cell { var, index, moment } => {
                let cell = encoder.cell(var, index, self.role);
                encoder.value(cell, self.values(moment))
            }
        }
    }
}

impl<'p> Generator<'p> {
    pub(crate) fn new(
        program: &'p Program,
        goal: Goal,
        argument: Argument<'p>,
    ) -> Result<Self, RelyGuaranteeDefect> {
        let outline = Outline::new(program, argument.assertions())?;
        check_invariants(program, argument.invariants().unwrap_or_default())?;
        // A ranking shows that every run ends, which is more. Which runs are fair matters only if somebody can go round.
        let shows_more = goal == Goal::Deadlock || goal == Goal::FairTermination && !has_rounds(&outline);
        let goal = if argument.ranking().is_some() && shows_more { Goal::Termination } else { goal };
        let measure = argument.ranking().map(|ranking| Measure::new(&outline, ranking)).transpose()?;
        let aids = argument.helping().map(|helping| Aid::all(&outline, helping)).transpose()?;
        let encoder = Encoder::new(program);
        let mentions = Rc::new(Mentions::new(&encoder, &outline));
        Ok(Self {
            outline,
            encoder,
            mentions,
            standing: FxHashMap::default(),
            anywhere: FxHashMap::default(),
            everybody: None,
            structure: Structure::new(program),
            goal,
            measure: measure.map(Rc::new),
            aids,
            invariants: argument.invariants(),
            counters: Counters::new(argument.invariants().unwrap_or_default()),
            only_assertions: false,
            stated: FxHashMap::default(),
        })
    }

    /// Makes all obligations.
    pub(crate) fn run<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Stop> {
        self.inductive(sink)?;
        match self.goal {
            Goal::Deadlock if self.invariants.is_some() => stuck::no_deadlock(self, sink)?,
            Goal::Deadlock | Goal::Termination | Goal::FairTermination => progress::progress(self, sink)?,
            Goal::Assert | Goal::Overflow | Goal::Memory | Goal::Race => {}
        }
        property::properties(self, sink)
    }

    /// What holds in every state besides the assertions.
    pub(crate) fn invariants(&self) -> &'p [Invariant] {
        self.invariants.unwrap_or_default()
    }

    /// Makes the obligations from which it follows that the assertions hold in every run, as long
    /// as no step of it violates a check or has no meaning.
    pub(crate) fn run_for_assertions<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Stop> {
        self.only_assertions = true;
        self.inductive(sink)
    }

    fn inductive<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Stop> {
        self.initially(sink)?;
        for edge in self.outline.program.edges().ids() {
            self.edge(edge, sink)?;
        }
        Ok(())
    }

    pub(crate) fn give<S: Sink>(&mut self, sink: &mut S, sequent: Sequent) -> Result<(), S::Stop> {
        sink.take(&mut self.encoder, &self.outline, sequent)
    }

    /// The initial states satisfy the assertions.
    fn initially<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Stop> {
        let program = self.outline.program;
        let (mut values, mut conditions) = (Values::default(), Vec::new());
        let cells = program.vars().iter().filter(|(_, var)| match var.scope {
            rely_program::Scope::Global => true,
            rely_program::Scope::Local(thread) => is_instance(program, thread),
        });
        let cells: Vec<(VarId, u32)> =
            cells.flat_map(|(id, var)| (0..var.cells() as u32).map(move |index| (id, index))).collect();
        initial_values(&mut self.encoder, cells.into_iter(), &mut values, &mut conditions);
        let mut sequent = Sequent::new(Subject::new(Rule::Meaning));
        let counts = initial_counts(&mut self.encoder, program);
        let viewer = Viewer { thread: None, values: &values, counts: &counts };
        for condition in program.requires() {
            for (_, defined) in definedness(program, condition) {
                let defined = self.encoder.condition_of(viewer, &defined);
                let goal = GoalCube::only(&mut self.encoder, defined);
                let hypotheses = conditions.clone();
                self.give(sink, Sequent { hypotheses, goal, ..sequent.clone() })?;
            }
            conditions.push(self.encoder.condition_of(viewer, condition));
        }
        sequent.hypotheses = conditions;
        // Here nothing is known yet, not even that threads stand where assertions are listed.
        let places: Vec<(ThreadId, usize)> = instances(program)
            .filter_map(|thread| {
                let point = initial_point(program, thread);
                Some((thread, self.outline.numbers.number(thread, point)?))
            })
            .collect();
        for thread in instances(program) {
            let point = initial_point(program, thread);
            let reading = Reading { thread, role: Role::ACTOR, before: &values, after: &values };
            let goal = self.goal_cubes(self.outline.at(thread, point), reading, &places);
            let subject = Subject::new(Rule::Initially).at(thread, point);
            self.give(sink, Sequent { subject, goal, ..sequent.clone() })?;
        }
        self.invariants_initially(&sequent, &values, sink)
    }

    /// Everything about one edge.
    fn edge<S: Sink>(&mut self, id: EdgeId, sink: &mut S) -> Result<(), S::Stop> {
        let program = self.outline.program;
        let edge = &program.edges()[id];
        let actor = self.outline.actor(id);
        let source = ControlPoint::At(edge.source);
        if self.outline.at(actor, source).is_empty() {
            return Ok(());
        }
        let given = self.counted_before(id);
        let step = Step::new(&mut self.encoder, &self.outline, &self.structure, self.goal, id).given(given);
        let stated = self.stated(actor, source, Role::ACTOR);
        if !self.only_assertions {
            for known in stated.iter() {
                self.demands(id, &step, known, sink)?;
            }
        }
        if step.halts {
            return if self.only_assertions { Ok(()) } else { property::halting(self, id, &step, sink) };
        }
        self.invariants_after(id, &step, &stated, sink)?;
        let goals = self.own_goals(id, &step);
        for (cube, known) in self.outline.at(actor, source).iter().zip(stated.iter()) {
            let subject = Subject::new(Rule::OwnStep).at(actor, source).along(id);
            let mut known = taken(&step, known, subject);
            if self.only_assertions && goals.speak_of_places() {
                // That nobody else is somewhere may follow from what they would know there.
                known.more = property::everybody_but(self, actor);
            }
            self.own_step(&goals, &known, sink)?;
            self.starts(id, &step, cube, &known, sink)?;
        }
        self.interference(id, &step, sink)?;
        if let Some(aids) = self.aids.clone() {
            nearer(self, &aids, id, &step, sink)?;
        }
        let is_spared = self.goal == Goal::FairTermination && is_round(program, id);
        match self.measure.clone().filter(|_| !is_spared) {
            Some(measure) => measure::descent(self, &measure, id, &step, &Circumstance::default(), sink),
            None => Ok(()),
        }
    }

    /// Nothing on the way through the edge goes wrong.
    fn demands<S: Sink>(
        &mut self,
        id: EdgeId,
        step: &Step,
        cube: &StatedCube,
        sink: &mut S,
    ) -> Result<(), S::Stop> {
        let source = ControlPoint::At(self.outline.program.edges()[id].source);
        for demand in &step.demands {
            let subject = Subject::new(demand.rule).at(self.outline.actor(id), source).along(id);
            let mut sequent = Sequent::new(subject);
            sequent.hypotheses.extend(cube.atoms.iter().chain(&step.conditions[..demand.conditions]));
            sequent.places.extend(step.narrowed[..demand.narrowed].iter().chain(&cube.places).cloned());
            let encoder = &mut self.encoder;
            sequent.goal = match &demand.required {
                Required::Formula(formula) => GoalCube::only(encoder, *formula),
                Required::Place(thread, set) => {
                    GoalCube::new(encoder, [], vec![(*thread, set.clone())]).into_iter().collect()
                }
            };
            self.give(sink, sequent)?;
        }
        Ok(())
    }

    /// The assertion at the target, and the claimed effects of the step.
    fn own_goals(&mut self, id: EdgeId, step: &Step) -> OwnGoals {
        let actor = self.outline.actor(id);
        let target = ControlPoint::At(self.outline.program.edges()[id].target);
        let unchanged = Values::default();
        let reading = Reading { thread: actor, role: Role::ACTOR, before: &step.after, after: &step.after };
        let target = self.goal_at(target, reading, &step.arrived);
        let reading = Reading { before: &unchanged, ..reading };
        let has_bystanders = self.has_bystanders(actor);
        let effect = has_bystanders.then(|| self.goal_cubes(self.outline.effect(id), reading, &[]));
        OwnGoals { target, effect }
    }

    /// The assertion at the target holds, and the step has one of the claimed effects.
    fn own_step<S: Sink>(&mut self, goals: &OwnGoals, known: &Sequent, sink: &mut S) -> Result<(), S::Stop> {
        let goal = Rc::clone(&goals.target);
        self.give(sink, Sequent { goal, ..known.clone() })?;
        let Some(effect) = &goals.effect else { return Ok(()) };
        let subject = Subject { rule: Rule::Guarantee, ..known.subject };
        self.give(sink, Sequent { subject, goal: Rc::clone(effect), ..known.clone() })
    }

    /// Whether there can be a thread besides one of this kind.
    fn has_bystanders(&self, actor: ThreadId) -> bool {
        self.outline.program.threads().len() > 1 || !is_instance(self.outline.program, actor)
    }

    /// Threads that the step starts satisfy the assertion about their entry.
    fn starts<S: Sink>(
        &mut self,
        id: EdgeId,
        step: &Step,
        cube: &Cube,
        known: &Sequent,
        sink: &mut S,
    ) -> Result<(), S::Stop> {
        let program = self.outline.program;
        let subject = |thread: ThreadId| {
            Subject::new(Rule::Start).at(thread, ControlPoint::At(program.threads()[thread].entry)).along(id)
        };
        for &(thread, role) in &step.created {
            let reading = Reading { thread, role, before: &step.after, after: &step.after };
            let entry = ControlPoint::At(program.threads()[thread].entry);
            let goal = self.goal_cubes(self.outline.at(thread, entry), reading, &step.arrived);
            self.give(sink, Sequent { subject: subject(thread), goal, ..known.clone() })?;
        }
        for &thread in &step.started {
            self.start_of_instance(subject(thread), step, cube, thread, sink)?;
        }
        Ok(())
    }

    /// The locals of an instance that starts have their initial values, except its parameters.
    fn start_of_instance<S: Sink>(
        &mut self,
        subject: Subject,
        step: &Step,
        cube: &Cube,
        thread: ThreadId,
        sink: &mut S,
    ) -> Result<(), S::Stop> {
        let program = self.outline.program;
        let (mut before, mut conditions) = (Values::default(), Vec::new());
        let cells = local_cells(program, thread);
        initial_values(&mut self.encoder, cells, &mut before, &mut conditions);
        let mut after = before.clone();
        after.extend(step.after.iter().map(|(cell, value)| (*cell, *value)));
        let entry = ControlPoint::At(program.threads()[thread].entry);
        let reading = Reading { thread, role: Role::ACTOR, before: &after, after: &after };
        let goal = self.goal_cubes(self.outline.at(thread, entry), reading, &step.arrived);
        let reading = |thread| Reading { thread, role: Role::ACTOR, before: &before, after: &before };
        let actor = self.outline.program.locations()[program.edges()[edge_of(&subject)].source].thread;
        let own = self.state(cube, reading(actor));
        for waiting in self.outline.at(thread, ControlPoint::Unstarted) {
            let waiting = self.state(waiting, reading(thread));
            let mut sequent = taken(step, &own, subject);
            sequent.places.extend(waiting.places);
            sequent.hypotheses.extend(waiting.atoms);
            sequent.hypotheses.extend(&conditions);
            self.give(sink, Sequent { goal: goal.clone(), ..sequent })?;
        }
        Ok(())
    }

    /// The atoms of all cubes at a control point, in the present of the thread in some role.
    pub(crate) fn stated(&mut self, thread: ThreadId, point: ControlPoint, role: Role) -> StatedCubes {
        if let Some(known) = self.stated.get(&(thread, point, role)) {
            return Rc::clone(known);
        }
        let values = Values::default();
        let reading = Reading { thread, role, before: &values, after: &values };
        let cubes = self.outline.at(thread, point);
        let stated: StatedCubes = cubes.iter().map(|cube| self.state(cube, reading)).collect();
        self.stated.insert((thread, point, role), Rc::clone(&stated));
        stated
    }

    /// A cube in terms of the logic.
    fn state(&mut self, cube: &Cube, reading: Reading<'_>) -> StatedCube {
        let places = cube.others.iter().map(|(thread, points)| (*thread, self.point_set(*thread, points)));
        StatedCube { places: places.collect(), atoms: self.read(&cube.atoms, reading) }
    }

    fn point_set(&self, thread: ThreadId, points: &[ControlPoint]) -> PointSet {
        points.iter().filter_map(|&point| self.outline.numbers.number(thread, point)).collect()
    }

    /// Atoms in terms of the logic.
    pub(crate) fn read(&mut self, atoms: &[Atom], reading: Reading<'_>) -> Vec<TermId> {
        atoms.iter().map(|atom| self.read_atom(atom, reading)).collect()
    }

    pub(crate) fn read_atom(&mut self, atom: &Atom, reading: Reading<'_>) -> TermId {
        self.encoder.atom(atom, &mut |encoder, quantity| reading.quantity(encoder, quantity))
    }

    /// A sum of multiples and a constant.
    pub(crate) fn read_sum(
        &mut self,
        terms: &[(Value, Quantity)],
        constant: Value,
        reading: Reading<'_>,
    ) -> TermId {
        let encoder = &mut self.encoder;
        let terms: Vec<(TermId, Integer)> =
            terms.iter().map(|&(factor, part)| (reading.quantity(encoder, part), factor.into())).collect();
        encoder.pool.sum(terms, constant.into())
    }

    /// Cubes of which one must hold while some instances are at known places; the others are
    /// where the hypotheses say.
    fn goal_cubes(
        &mut self,
        cubes: &[Cube],
        reading: Reading<'_>,
        known: &[(ThreadId, usize)],
    ) -> Rc<[GoalCube]> {
        let mut goal = Vec::with_capacity(cubes.len());
        for cube in cubes {
            let places =
                cube.others.iter().map(|(thread, points)| (*thread, self.point_set(*thread, points)));
            if let Some(places) = still_open(places, known) {
                let terms = self.read(&cube.atoms, reading);
                goal.extend(GoalCube::new(&mut self.encoder, terms, places));
            }
        }
        goal.into()
    }

    /// The cubes at a control point as a goal. A step changes little, so most of their atoms are what they
    /// are in the present and need not be made again.
    fn goal_at(
        &mut self,
        point: ControlPoint,
        reading: Reading<'_>,
        known: &[(ThreadId, usize)],
    ) -> Rc<[GoalCube]> {
        let cubes = self.outline.at(reading.thread, point);
        let stated = self.stated(reading.thread, point, reading.role);
        let mut goal = Vec::with_capacity(cubes.len());
        for (cube, stated) in cubes.iter().zip(stated.iter()) {
            let Some(places) = still_open(stated.places.iter().cloned(), known) else { continue };
            let mut terms = Vec::with_capacity(cube.atoms.len());
            for (atom, &present) in cube.atoms.iter().zip(&stated.atoms) {
                let is_changed = reading.changes(&self.encoder, atom);
                terms.push(if is_changed { self.read_atom(atom, reading) } else { present });
            }
            goal.extend(GoalCube::new(&mut self.encoder, terms, places));
        }
        goal.into()
    }
}

/// Which of the places that a cube asks for are not settled by what is known of instances; `None`
/// if one of them is somewhere else.
fn still_open(
    places: impl Iterator<Item = (ThreadId, PointSet)>,
    known: &[(ThreadId, usize)],
) -> Option<Vec<(ThreadId, PointSet)>> {
    let mut open = Vec::new();
    for (thread, set) in places {
        match known.iter().find(|(other, _)| *other == thread) {
            Some((_, place)) if set.contains(*place) => {}
            Some(_) => return None,
            None => open.push((thread, set)),
        }
    }
    Some(open)
}

/// What is known when a step is made from a state of a cube.
pub(crate) fn taken(step: &Step, cube: &StatedCube, subject: Subject) -> Sequent {
    let mut sequent = Sequent::new(subject);
    sequent.hypotheses.extend(cube.atoms.iter().chain(&step.conditions));
    sequent.places.extend(cube.places.iter().chain(&step.narrowed).cloned());
    sequent
}

fn edge_of(subject: &Subject) -> EdgeId {
    subject.edge.expect("a start happens along an edge")
}
