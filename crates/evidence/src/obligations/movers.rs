//! Which steps commute with the steps of other threads: obligations from two edges instead of one.
//!
//! The question is always about a state in which a thread stands at the source of an edge `e` and
//! another thread at the source of an edge `f`, with the assertions of both and the invariants about numbers of
//! threads. An edge *goes wrong*
//! if it violates a check of the goal or has no meaning. Nondeterministic values are the same
//! wherever an edge appears.
//!
//! `e` is a right mover ([`Rule::RightMover`]) if for every `f` of another thread
//!
//! 1. where `e` and then `f` can be done, `f` and then `e` can be done with the same result;
//! 2. if `f` goes wrong behind `e`, it goes wrong without `e`.
//!
//! `e` is a left mover ([`Rule::LeftMover`]) if for every `f` of another thread
//!
//! 1. where `f` and then `e` can be done, `e` and then `f` can be done with the same result;
//! 2. if `e` goes wrong behind `f`, it goes wrong without `f`;
//! 3. if `f` goes wrong, it goes wrong behind `e`, too;
//! 4. if `f` halts the program, it does so behind `e`, too, leaving the same values in what it
//!    writes.
//!
//! All of this is obvious if neither edge writes a shared variable that the other one reads or
//! writes. Where a thread stands is no shared variable: movers start no threads and wait for none,
//! a right mover does not end its thread, and that a thread has ended prevents nothing.
//!
//! A location is left for certain ([`Rule::Completion`]) if its assertion implies that one of its
//! edges can be done or goes wrong.

use super::alike::Alike;
use super::encode::{Role, Values};
use super::points::{instances, is_instance};
use super::sequent::{GoalCube, Sequent};
use super::step::{Choices, Required, Setting, Step};
use super::{Generator, Sink, StatedCube};
use crate::data::{ControlPoint, Rule, Subject};
use rely_logic::TermId;
use rely_program::{EdgeId, Goal, LocationId, PropertyKind, ThreadId};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What is claimed of single edges and locations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Movability {
    /// Edges that commute to the right. They start no thread, wait for none, do not halt and do not
    /// end their thread.
    pub(crate) right: Vec<EdgeId>,
    /// Edges that commute to the left. They start no thread, wait for none and do not halt.
    pub(crate) left: Vec<EdgeId>,
    /// Locations that are left for certain, by edges of the same kind.
    pub(crate) completing: Vec<LocationId>,
}

/// Two edges of two threads, each carried out first and second.
struct Pair {
    /// The mover before and behind the other.
    mover: [Step; 2],
    /// The other edge before and behind the mover.
    other: [Step; 2],
    /// The other edge waits for the same threads in both places.
    same_joins: Vec<TermId>,
}

impl Generator<'_> {
    /// Makes the obligations of claims about single edges and locations.
    pub(crate) fn movability<S: Sink>(&mut self, claims: &Movability, sink: &mut S) -> Result<(), S::Stop> {
        let program = self.outline.program;
        let alike = Alike::new(&self.outline, self.invariants());
        let mut shown: FxHashSet<(Rule, EdgeId)> = FxHashSet::default();
        let movers = claims.right.iter().map(|&edge| (edge, Rule::RightMover));
        for (edge, rule) in movers.chain(claims.left.iter().map(|&edge| (edge, Rule::LeftMover))) {
            let actor = self.outline.actor(edge);
            // An edge like this one was claimed to be such a mover before, and everything was shown of that one.
            let is_repeated = !shown.insert((rule, alike.first(edge)));
            for &other in alike.to_compare_with(edge, is_repeated) {
                if self.outline.actor(other) == actor && is_instance(program, actor) {
                    continue;
                }
                if alike.shared(other).is_independent_of(alike.shared(edge)) {
                    sink.obvious(1);
                } else {
                    self.mover(rule, edge, other, sink)?;
                }
            }
        }
        claims.completing.iter().try_for_each(|&location| self.completion(location, sink))
    }

    /// An edge may change places with an edge of another thread.
    fn mover<S: Sink>(
        &mut self,
        rule: Rule,
        edge: EdgeId,
        past: EdgeId,
        sink: &mut S,
    ) -> Result<(), S::Stop> {
        let (actor, bystander) = (self.outline.actor(edge), self.outline.actor(past));
        let source = |edge: EdgeId| ControlPoint::At(self.outline.program.edges()[edge].source);
        let (at, other_at) = (source(edge), source(past));
        let own = self.stated(actor, at, Role::ACTOR);
        let others = self.stated(bystander, other_at, Role::BYSTANDER);
        if own.is_empty() || others.is_empty() {
            return Ok(());
        }
        let pair = self.pair(edge, past);
        let conditions = if rule == Rule::RightMover { self.right(&pair) } else { self.left(&pair) };
        let subject = Subject::new(rule).at(actor, at).along(edge).past(past);
        let standing = self.standing_at([(actor, at), (bystander, other_at)]);
        let counted = self.counted_in_front_of([edge, past]);
        for (cube, other) in own.iter().flat_map(|cube| others.iter().map(move |other| (cube, other))) {
            for condition in &conditions {
                let mut sequent = Sequent::new(subject);
                sequent
                    .hypotheses
                    .extend(cube.atoms.iter().chain(&other.atoms).chain(&counted).chain(&condition.given));
                sequent.places.extend(standing.iter().chain(&cube.places).chain(&other.places).cloned());
                sequent.goal = Rc::clone(&condition.goal);
                self.give(sink, sequent)?;
            }
        }
        Ok(())
    }

    /// Two threads stand at two control points, and none of the others is inside of an atomic block.
    fn standing_at(
        &self,
        pair: [(ThreadId, ControlPoint); 2],
    ) -> Vec<(ThreadId, crate::obligations::points::PointSet)> {
        let (program, numbers) = (self.outline.program, &self.outline.numbers);
        let place = |thread| match pair.iter().find(|(one, _)| *one == thread) {
            Some((_, point)) => numbers.single(thread, *point),
            None => numbers.interruptible(thread).clone(),
        };
        instances(program).map(|thread| (thread, place(thread))).collect()
    }

    fn pair(&mut self, edge: EdgeId, past: EdgeId) -> Pair {
        let nothing = Values::default();
        let (mut own_choices, mut other_choices) = (Choices::default(), Choices::default());
        let start = |role| Setting { role, values: &nothing, arrived: &[] };
        let own_first = self.later(edge, start(Role::ACTOR), &mut own_choices);
        let other_first = self.later(past, start(Role::BYSTANDER), &mut other_choices);
        let behind_other =
            Setting { role: Role::ACTOR, values: &other_first.after, arrived: &other_first.arrived };
        let own_second = self.later(edge, behind_other, own_choices.again());
        let behind_own =
            Setting { role: Role::BYSTANDER, values: &own_first.after, arrived: &own_first.arrived };
        let other_second = self.later(past, behind_own, other_choices.again());
        let joins = other_first.joined.iter().zip(&other_second.joined);
        let same_joins = joins.map(|(one, other)| self.encoder.pool.eq(*one, *other)).collect();
        Pair { mover: [own_first, own_second], other: [other_first, other_second], same_joins }
    }

    fn later(&mut self, edge: EdgeId, setting: Setting<'_>, choices: &mut Choices) -> Step {
        let Self { encoder, outline, structure, goal, .. } = self;
        Step::later(encoder, outline, structure, *goal, edge, setting, choices)
    }

    /// The conditions of a right mover.
    fn right(&mut self, pair: &Pair) -> Vec<Condition> {
        let [mover, mover_behind] = &pair.mover;
        let [other, other_behind] = &pair.other;
        let done = self.done(&[mover, other_behind]);
        let equal = self.same_values(&other_behind.after, &mover_behind.after);
        let mut conditions = vec![self.can_be_done(done, [other, mover_behind], equal, pair)];
        let wrong = [other_behind, other].map(|step| self.wrong(step));
        let done = self.done(&[mover]);
        conditions.extend(self.stays_wrong(done, wrong, pair));
        conditions
    }

    /// The conditions of a left mover.
    fn left(&mut self, pair: &Pair) -> Vec<Condition> {
        let [mover, mover_behind] = &pair.mover;
        let [other, other_behind] = &pair.other;
        let done = self.done(&[other, mover_behind]);
        let equal = self.same_values(&mover_behind.after, &other_behind.after);
        let mut conditions = vec![self.can_be_done(done, [mover, other_behind], equal, pair)];
        let wrong = [mover_behind, mover].map(|step| self.wrong(step));
        let done = self.done(&[other]);
        conditions.extend(self.stays_wrong(done, wrong, pair));
        let wrong = [other, other_behind].map(|step| self.wrong(step));
        let done = self.done(&[mover]);
        conditions.extend(self.stays_wrong(done, wrong, pair));
        if other.halts && self.looks_at_halted_states() {
            let done = self.done(&[mover, other]);
            let behind = other_behind.after.iter();
            // What the mover alone has written may differ: nobody looks at it.
            let behind = behind.filter(|(cell, value)| {
                other.after.contains_key(cell) || mover.after.get(cell) != Some(value)
            });
            let behind: Values = behind.map(|(cell, value)| (*cell, *value)).collect();
            let equal = self.same_values(&other.after, &behind);
            conditions.push(self.can_be_done(done, [mover, other_behind], equal, pair));
        }
        conditions
    }

    /// Whether anything can be wrong with a state in which the program has halted.
    fn looks_at_halted_states(&self) -> bool {
        let properties = self.outline.program.properties();
        let mut claims = properties.iter().map(|property| &property.kind);
        self.goal == Goal::Assert && claims.any(|kind| matches!(kind, PropertyKind::Always(_)))
    }

    /// What is known if some steps are made.
    fn done(&mut self, steps: &[&Step]) -> Vec<TermId> {
        let mut known = Vec::new();
        for step in steps {
            known.extend(&step.conditions);
            for (thread, set) in &step.narrowed {
                known.push(self.encoder.stands_in(*thread, set));
            }
        }
        known
    }

    /// Two steps are possible and leave the same values.
    fn can_be_done(
        &mut self,
        given: Vec<TermId>,
        steps: [&Step; 2],
        equal: Vec<TermId>,
        pair: &Pair,
    ) -> Condition {
        let mut goal = self.done(&steps);
        goal.extend(equal);
        goal.extend(&pair.same_joins);
        Condition { given, goal: GoalCube::new(&mut self.encoder, goal, Vec::new()).into_iter().collect() }
    }

    /// What goes wrong in one place goes wrong in the other. Nothing if it never does.
    fn stays_wrong(&mut self, mut given: Vec<TermId>, wrong: [TermId; 2], pair: &Pair) -> Option<Condition> {
        let [here, there] = wrong;
        if self.encoder.pool.as_truth(here) == Some(false) {
            return None;
        }
        given.push(here);
        let goal = pair.same_joins.iter().copied().chain([there]);
        let goal = GoalCube::new(&mut self.encoder, goal, Vec::new()).into_iter().collect();
        Some(Condition { given, goal })
    }

    /// The step goes wrong: what precedes one of its demands is done, and the demand is not met.
    fn wrong(&mut self, step: &Step) -> TermId {
        let mut cases = Vec::new();
        for demand in &step.demands {
            let mut reached = step.conditions[..demand.conditions].to_vec();
            for (thread, set) in &step.narrowed[..demand.narrowed] {
                reached.push(self.encoder.stands_in(*thread, set));
            }
            let required = match &demand.required {
                Required::Formula(formula) => *formula,
                Required::Place(thread, set) => self.encoder.stands_in(*thread, set),
            };
            reached.push(self.encoder.pool.not(required));
            cases.push(self.encoder.pool.and(reached));
        }
        self.encoder.pool.or(cases)
    }

    /// All cells that one of two states may have changed have the same value in both.
    fn same_values(&mut self, one: &Values, other: &Values) -> Vec<TermId> {
        let mut cells: Vec<_> = one.keys().chain(other.keys()).copied().collect();
        cells.sort_unstable();
        cells.dedup();
        let mut equal = Vec::with_capacity(cells.len());
        for cell in cells {
            let (left, right) = (self.encoder.value(cell, one), self.encoder.value(cell, other));
            equal.push(self.encoder.pool.eq(left, right));
        }
        equal
    }

    /// Some edge leaves the location, or goes wrong.
    fn completion<S: Sink>(&mut self, location: LocationId, sink: &mut S) -> Result<(), S::Stop> {
        let program = self.outline.program;
        let (thread, point) = (program.locations()[location].thread, ControlPoint::At(location));
        let stated = self.stated(thread, point, Role::ACTOR);
        if stated.is_empty() {
            return Ok(());
        }
        let nothing = Values::default();
        let mut goal = Vec::new();
        for &edge in program.outgoing(location) {
            let setting = Setting { role: Role::ACTOR, values: &nothing, arrived: &[] };
            let step = self.later(edge, setting, &mut Choices::default());
            let passes = self.never_blocks(&step);
            goal.extend(GoalCube::new(&mut self.encoder, passes, Vec::new()));
        }
        let goal: Rc<[GoalCube]> = goal.into();
        for StatedCube { atoms, places } in stated.iter() {
            let mut sequent = Sequent::new(Subject::new(Rule::Completion).at(thread, point));
            sequent.hypotheses.extend(atoms);
            sequent.places.extend(places.iter().cloned());
            if is_instance(program, thread) {
                sequent.places.push((thread, self.outline.numbers.single(thread, point)));
            }
            sequent.goal = Rc::clone(&goal);
            self.give(sink, sequent)?;
        }
        Ok(())
    }

    /// Whatever the step waits for holds when it comes there. What it demands need not hold: then
    /// it goes wrong instead of waiting.
    fn never_blocks(&mut self, step: &Step) -> Vec<TermId> {
        let mut passes = Vec::new();
        for (position, &condition) in step.conditions.iter().enumerate() {
            let is_demanded =
                |required: &Required| matches!(required, Required::Formula(formula) if *formula == condition);
            let demanded = step
                .demands
                .iter()
                .any(|demand| demand.conditions == position && is_demanded(&demand.required));
            if !demanded {
                let before = self.encoder.pool.and(step.conditions[..position].iter().copied());
                passes.push(self.encoder.pool.implies(before, condition));
            }
        }
        passes
    }
}

/// Something that must follow when two threads stand at the sources of two edges.
struct Condition {
    given: Vec<TermId>,
    goal: Rc<[GoalCube]>,
}
