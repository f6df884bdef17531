//! Whether assertions exclude everything that must not happen.
//!
//! Assertions only grow, so what they do not exclude now they never will: both questions are asked
//! after every iteration, and an attempt that cannot succeed ends early.

use super::assertion::{Assertion, Disjunct, DisjunctId};
use super::guarantee::{Places, Point, admits};
use super::interrupted::Interrupted;
use super::model::{Model, Offence};
use super::region::Reasoner;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::{ThreadId, ThreadKind};
use rustc_hash::FxHashMap;

/// Whether threads that stand at these places can be part of the offence.
fn is_possible_at(
    model: &Model<'_>,
    offence: &Offence,
    places: impl Iterator<Item = (ThreadId, ControlPoint)>,
) -> bool {
    let mut places = places;
    places.all(|(thread, point)| match offence.mover {
        Some((mover, source)) if mover == thread => point == ControlPoint::At(source),
        _ => !model.is_atomic(point) && admits(&offence.places, thread, point),
    })
}

/// One of the disjuncts about a combination of places that allows an offence, and which.
pub(super) fn joint_offence<'d>(
    model: &Model<'_>,
    places: &Places,
    disjuncts: impl Iterator<Item = &'d Disjunct> + Clone,
    reasoner: &mut Reasoner,
) -> Option<(DisjunctId, usize)> {
    model.offences.iter().enumerate().find_map(|(index, offence)| {
        if !is_possible_at(model, offence, places.iter().map(|(thread, point)| (thread, *point))) {
            return None;
        }
        let mut allows = |disjunct: &&Disjunct| !reasoner.excludes(&disjunct.region, &offence.guard);
        disjuncts.clone().find(|disjunct| allows(disjunct)).map(|disjunct| (disjunct.id, index))
    })
}

/// Whether the assertions of the threads together exclude every offence.
pub(super) fn modular_excludes_all(
    model: &Model<'_>,
    assertions: &FxHashMap<Point, Assertion>,
    reasoner: &mut Reasoner,
) -> Result<bool, Interrupted> {
    for offence in &model.offences {
        let mut question =
            Question { model, assertions, offence, reasoner, combinations_left: model.limits.combinations };
        let threads = question.relevant_threads();
        for constraints in question.known_of_templates() {
            if question.is_possible(constraints, &threads)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether one offence is excluded by the assertions of all threads.
struct Question<'q, 'p> {
    model: &'q Model<'p>,
    assertions: &'q FxHashMap<Point, Assertion>,
    offence: &'q Offence,
    reasoner: &'q mut Reasoner,
    combinations_left: usize,
}

impl Question<'_, '_> {
    /// The instances whose assertions count, those whose place matters first: they say most.
    fn relevant_threads(&self) -> Vec<ThreadId> {
        let is_instance = |thread: &ThreadId| self.model.start_of(*thread).is_some();
        let mover = self.offence.mover.map(|(thread, _)| thread);
        if self.offence.alone {
            return mover.into_iter().filter(is_instance).collect();
        }
        let mut threads: Vec<ThreadId> = self.model.program.threads().ids().filter(is_instance).collect();
        let points = |thread: &ThreadId| {
            let test = self.offence.places.iter().find(|test| test.thread == *thread);
            test.map_or(usize::MAX, |test| test.points.len())
        };
        threads.sort_by_key(|thread| (mover != Some(*thread), points(thread)));
        threads
    }

    /// Whether some combination of disjuncts allows the offence.
    fn is_possible(
        &mut self,
        constraints: Vec<Constraint>,
        threads: &[ThreadId],
    ) -> Result<bool, Interrupted> {
        self.reasoner.check_budget()?;
        if self.reasoner.is_contradictory(&constraints) {
            return Ok(false);
        }
        let Some((&thread, others)) = threads.split_first() else { return Ok(true) };
        for point in ControlPoint::all(self.model.program, thread) {
            if !is_possible_at(self.model, self.offence, [(thread, point)].into_iter()) {
                continue;
            }
            let Some(assertion) = self.assertions.get(&(thread, point)) else { continue };
            for region in assertion.regions() {
                if constraints.iter().any(|constraint| region.refutes(constraint)) {
                    continue;
                }
                self.combinations_left =
                    self.combinations_left.checked_sub(1).ok_or(Interrupted::TooMuchWork)?;
                let mut together = constraints.clone();
                together.extend(region.constraints().iter().cloned());
                if self.is_possible(together, others)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The guard together with what is known when template instances stand where the offence wants
    /// them: the assertions of at most two instances of each template.
    fn known_of_templates(&self) -> Vec<Vec<Constraint>> {
        let is_template =
            |thread: ThreadId| self.model.program.threads()[thread].kind == ThreadKind::Template;
        let mut instances: Vec<(ThreadId, ControlPoint)> = Vec::new();
        let mover = self.offence.mover.filter(|(thread, _)| is_template(*thread));
        instances.extend(mover.map(|(thread, source)| (thread, ControlPoint::At(source))));
        for &(location, count) in &self.offence.witnesses {
            let thread = self.model.program.locations()[location].thread;
            instances.extend((0..count.min(2)).map(|_| (thread, ControlPoint::At(location))));
        }
        let mut cases = vec![self.offence.guard.clone()];
        let mut seen: Vec<ThreadId> = Vec::new();
        for (thread, point) in instances {
            let earlier = seen.iter().filter(|known| **known == thread).count();
            if earlier > 1 {
                continue;
            }
            seen.push(thread);
            let assertion = self.assertions.get(&(thread, point));
            cases = self.with_instance(&cases, assertion, thread, earlier == 1);
        }
        cases
    }

    /// Each case with each disjunct of an assertion about a template's instance; a second instance
    /// has locals and a handle of its own.
    fn with_instance(
        &self,
        cases: &[Vec<Constraint>],
        assertion: Option<&Assertion>,
        thread: ThreadId,
        is_second: bool,
    ) -> Vec<Vec<Constraint>> {
        let cells = &self.model.cells;
        let name = |variable: VarId| {
            let is_own = is_second && cells.owner(variable) == Some(thread);
            if is_own { cells.foreign(variable) } else { variable }
        };
        let mut extended = Vec::new();
        for region in assertion.iter().flat_map(|assertion| assertion.regions()) {
            for case in cases {
                let mut together = case.clone();
                together.extend(region.constraints().iter().map(|constraint| constraint.rename(name)));
                if let (true, Some(handle)) = (is_second, cells.handle_variable(thread)) {
                    let [one, other] = [handle, cells.foreign(handle)].map(LinearForm::variable);
                    together.push(Constraint::ne(&one, &other));
                }
                extended.push(together);
            }
        }
        extended
    }
}
