//! Interference freedom: no step of a thread makes an assertion of another one false.

use super::encode::{Role, Values};
use super::invariants::View;
use super::points::is_instance;
use super::sequent::Sequent;
use super::step::Step;
use super::{Generator, Reading, Sink, StatedCube};
use crate::data::{ControlPoint, Cube, Moment, Quantity, Rule, Subject};
use rely_program::{EdgeId, ThreadId};
use std::rc::Rc;

impl Generator<'_> {
    /// No assertion of another thread becomes false.
    pub(super) fn interference<S: Sink>(
        &mut self,
        id: EdgeId,
        step: &Step,
        sink: &mut S,
    ) -> Result<(), S::Stop> {
        let program = self.outline.program;
        let actor = self.outline.actor(id);
        let seen = self.seen_after(step);
        let unchanged = Values::default();
        let reading = Reading { thread: actor, role: Role::ACTOR, before: &unchanged, after: &seen };
        let effects = self.outline.effect(id);
        let effects: Vec<StatedCube> = effects.iter().map(|cube| self.state(cube, reading)).collect();
        let behind = (!self.invariants().is_empty()).then(|| self.behind(id, step, &seen));
        let view = View { edge: id, seen, behind };
        let is_disturbed = |thread: ThreadId| {
            (thread != actor || !is_instance(program, thread)) && !step.started.contains(&thread)
        };
        let mentions = Rc::clone(&self.mentions);
        let disturbed = program.threads().ids().filter(|&thread| is_disturbed(thread));
        let mut untouched: u64 = disturbed.map(|thread| mentions.cubes_of(thread)).sum();
        let source = self.outline.numbers.number(actor, ControlPoint::At(program.edges()[id].source));
        // Nothing can happen to assertions that exclude that the step is made.
        let is_excluded = |here| source.is_some_and(|source| mentions.exclude((actor, source), here));
        for (thread, number) in mentions.touched_by(step) {
            if is_disturbed(thread) && !is_excluded((thread, number)) {
                let point = self.outline.numbers.point(thread, number);
                untouched -= self.outline.at(thread, point).len() as u64;
                let subject = Subject::new(Rule::Interference).at(thread, point).along(id);
                self.interference_at(subject, step, &effects, &view, sink)?;
            }
        }
        sink.obvious(untouched * effects.len() as u64);
        Ok(())
    }

    /// What other threads see of the values after a step: constants where the edge writes
    /// constants, and otherwise what the effects say about them.
    fn seen_after(&mut self, step: &Step) -> Values {
        let mut seen = Values::default();
        for (&cell, &value) in &step.after {
            if cell.role().is_none_or(|role| role == Role::ACTOR) {
                let is_constant = self.encoder.pool.as_int(value).is_some();
                let value = if is_constant { value } else { self.encoder.variable(cell, Moment::After) };
                seen.insert(cell, value);
            }
        }
        seen
    }

    fn interference_at<S: Sink>(
        &mut self,
        subject: Subject,
        step: &Step,
        effects: &[StatedCube],
        view: &View,
        sink: &mut S,
    ) -> Result<(), S::Stop> {
        let (Some(thread), Some(point)) = (subject.thread, subject.point) else { return Ok(()) };
        let cubes = self.outline.at(thread, point);
        let stated = self.stated(thread, point, Role::BYSTANDER);
        let (mut goal, mut counted) = (None, None);
        for (cube, known) in cubes.iter().zip(stated.iter()) {
            if !self.is_touched(cube, step) {
                sink.obvious(effects.len() as u64);
                continue;
            }
            let goal = goal.get_or_insert_with(|| {
                let seen = &view.seen;
                let reading = Reading { thread, role: Role::BYSTANDER, before: seen, after: seen };
                self.goal_at(point, reading, &step.arrived)
            });
            let counted = counted.get_or_insert_with(|| self.counted_around(step, view, thread, point));
            for effect in effects {
                let mut sequent = Sequent::new(subject);
                sequent.goal = Rc::clone(goal);
                sequent.hypotheses.extend(known.atoms.iter().chain(&effect.atoms).chain(&*counted));
                sequent.places.extend(known.places.iter().chain(&effect.places).cloned());
                if is_instance(self.outline.program, thread) {
                    sequent.places.push((thread, self.outline.numbers.single(thread, point)));
                }
                sequent.places.extend(step.narrowed.iter().cloned());
                self.give(sink, sequent)?;
            }
        }
        Ok(())
    }

    /// Whether a step of another thread changes something that the cube mentions.
    fn is_touched(&self, cube: &Cube, step: &Step) -> bool {
        let moved = cube.others.iter().any(|(thread, _)| step.arrival(*thread).is_some());
        let changed = |quantity: &Quantity| match *quantity {
            Quantity::Handle => false,
            Quantity::Cell { var, index, .. } => step.changes(self.encoder.cell(var, index, Role::BYSTANDER)),
        };
        moved || cube.atoms.iter().flat_map(|atom| &atom.terms).any(|(_, quantity)| changed(quantity))
    }
}
