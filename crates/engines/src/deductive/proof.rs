//! Stable assertions as a proof that can be checked without us.

use super::guarantee::Places;
use super::joint::{Joint, may_take};
use super::model::{Model, Step};
use super::modular::Modular;
use super::region::{Reasoner, Region};
use super::transition::Transition;
use rely_evidence::rely_guarantee::{ControlPoint, Cube, EdgeEffect, RelyGuarantee, ThreadAssertions};
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::{EdgeId, Op, ThreadId};

/// Writes proofs down. `None` wherever numbers do not fit into the format.
struct Scribe<'m, 'p> {
    model: &'m Model<'p>,
}

/// The proof of a modular repair.
pub(super) fn modular_proof(model: &Model<'_>, modular: &Modular<'_, '_>) -> Option<RelyGuarantee> {
    let scribe = Scribe { model };
    let mut threads = Vec::new();
    for thread in model.program.threads().ids() {
        let mut at = Vec::new();
        for point in ControlPoint::all(model.program, thread) {
            let Some(assertion) = modular.assertions.get(&(thread, point)) else { continue };
            let cubes: Option<Vec<Cube>> =
                assertion.regions().map(|region| scribe.cube(region, vec![])).collect();
            at.push((point, cubes?));
        }
        threads.push(ThreadAssertions { thread, at });
    }
    let guarantees = &modular.guarantees;
    let mut effects = Vec::new();
    for edge in model.program.edges().ids() {
        let mut cubes = Vec::new();
        for (id, step) in model.steps.iter().filter(|(_, step)| step.edge == edge) {
            if !modular.assertions.contains_key(&(step.thread, ControlPoint::At(step.source))) {
                continue;
            }
            let visible = |cell: VarId| {
                let owner = model.cells.owner(cell);
                owner.is_none_or(|owner| step.started.contains(&owner))
            };
            let mut of_step = guarantees.iter().filter(|guarantee| guarantee.step == id).peekable();
            if of_step.peek().is_none() && !super::guarantee::is_visible(model, step) {
                let silent = Transition { constraints: vec![], written: vec![], auxiliary: vec![] };
                cubes.push(scribe.effect(step, &silent, visible)?);
            }
            for guarantee in of_step {
                cubes.push(scribe.effect(step, &guarantee.transition, visible)?);
            }
        }
        cubes.dedup();
        if !cubes.is_empty() {
            effects.push(EdgeEffect { edge, cubes });
        }
    }
    Some(RelyGuarantee { threads, effects })
}

/// The proof of a joint repair. Threads that do nothing risky promise no more than their code: the
/// assertions of the others, or of one of them, carry the whole argument.
pub(super) fn joint_proof(
    model: &Model<'_>,
    joint: &Joint<'_, '_>,
    reasoner: &mut Reasoner,
) -> Option<RelyGuarantee> {
    let scribe = Scribe { model };
    let narrators = narrators(model);
    let assertions = joint.all_assertions(reasoner);
    let mut threads = Vec::new();
    for thread in model.program.threads().ids() {
        let mut at: Vec<(ControlPoint, Vec<Cube>)> = Vec::new();
        for point in ControlPoint::all(model.program, thread) {
            let here = assertions.iter().filter(|(places, _)| places[thread] == point);
            let cubes = if narrators.contains(&thread) {
                let cubes = here.flat_map(|(places, regions)| scribe.cubes(thread, places, regions));
                cubes.collect::<Option<Vec<Cube>>>()?
            } else {
                vec![Cube::default()]
            };
            if !cubes.is_empty() {
                at.push((point, cubes));
            }
        }
        threads.push(ThreadAssertions { thread, at });
    }
    let mut effects = Vec::new();
    for edge in model.program.edges().ids() {
        let mut cubes = Vec::new();
        for step in model.steps.values().filter(|step| step.edge == edge) {
            if !step.transition.has_remainders() {
                let seen = step.transition.seen_from(reasoner, &Region::everything(), |_| false);
                cubes.extend(seen.map(|seen| scribe.effect(step, &seen, |_| true)));
                continue;
            }
            let origins = assertions.iter().filter(|(places, _)| may_take(model, places, step));
            let origins =
                origins.flat_map(|(places, regions)| regions.iter().map(move |region| (places, region)));
            for (places, region) in origins {
                let seen = step.transition.seen_from(reasoner, region, |_| false);
                cubes.extend(seen.map(|seen| {
                    let cube = scribe.effect(step, &seen, |_| true)?;
                    Some(Cube { others: others(step.thread, places), ..cube })
                }));
            }
        }
        let cubes = cubes.into_iter().collect::<Option<Vec<Cube>>>()?;
        if !cubes.is_empty() {
            effects.push(EdgeEffect { edge, cubes });
        }
    }
    Some(RelyGuarantee { threads, effects })
}

/// Where everybody but one thread stands.
fn others(thread: ThreadId, places: &Places) -> Vec<(ThreadId, Vec<ControlPoint>)> {
    places.iter().filter(|(other, _)| *other != thread).map(|(other, &point)| (other, vec![point])).collect()
}

/// The threads whose own assertions are needed: those that can fail, start others, or do what can
/// only be described well from known states; or else the first one.
fn narrators(model: &Model<'_>) -> Vec<ThreadId> {
    let mut narrators: Vec<ThreadId> =
        model.offences.iter().filter_map(|offence| Some(offence.mover?.0)).collect();
    let starters =
        model.steps.values().filter(|step| !step.started.is_empty() || step.transition.has_remainders());
    narrators.extend(starters.map(|step| step.thread));
    narrators.sort_unstable();
    narrators.dedup();
    if narrators.is_empty() {
        narrators.extend(model.program.threads().ids().next());
    }
    narrators
}

impl Scribe<'_, '_> {
    /// What is known at one combination of places, from the view of one thread.
    fn cubes(&self, thread: ThreadId, places: &Places, regions: &[Region]) -> Vec<Option<Cube>> {
        let others = others(thread, places);
        regions.iter().map(|region| self.cube(region, others.clone())).collect()
    }

    fn cube(&self, region: &Region, others: Vec<(ThreadId, Vec<ControlPoint>)>) -> Option<Cube> {
        let atoms = region.constraints().iter().map(|constraint| self.model.cells.atom(constraint));
        Some(Cube { atoms: atoms.collect::<Option<_>>()?, others })
    }

    /// The effect of a transition. What the edge never writes is unchanged anyway; what it writes
    /// elsewhere, or only in other cases, must be said to stay.
    fn effect(
        &self,
        step: &Step,
        transition: &Transition,
        is_visible: impl Fn(VarId) -> bool,
    ) -> Option<Cube> {
        let cells = &self.model.cells;
        let mut kept = self.written_by(step.edge);
        kept.retain(|cell| {
            is_visible(*cell) && transition.written.iter().all(|(written, _)| written != cell)
        });
        let kept = kept.into_iter().map(|cell| {
            let [before, after] = [cell, cells.after(cell)].map(LinearForm::variable);
            Constraint::eq(&before, &after)
        });
        let constraints: Vec<Constraint> = transition.constraints.iter().cloned().chain(kept).collect();
        let atoms: Option<Vec<_>> = constraints.iter().map(|constraint| cells.atom(constraint)).collect();
        let others = step.places.iter().map(|test| (test.thread, test.points.clone())).collect();
        Some(Cube { atoms: atoms?, others })
    }

    /// What an edge writes as far as its text tells, and what its cases write: a case that is never
    /// possible is none of the steps, but its text is still there.
    fn written_by(&self, edge: EdgeId) -> Vec<VarId> {
        let program = self.model.program;
        let places = program.edges()[edge].ops.iter().flat_map(|op| match op {
            Op::Assign(assignments) => assignments.iter().map(|(place, _)| place).collect(),
            Op::Havoc(place, _) => vec![place],
            Op::Spawn { handle, .. } => handle.iter().collect(),
            Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => vec![],
        });
        let cells = places.flat_map(|place| {
            let cells = program.vars()[place.var()].cells();
            (0..cells).map(move |index| self.model.cells.cell(place.var(), index))
        });
        let steps = self.model.steps.values().filter(|step| step.edge == edge);
        let by_steps = steps.flat_map(|step| step.transition.written.iter().map(|(cell, _)| *cell));
        let mut written: Vec<VarId> = cells.chain(by_steps).collect();
        written.sort_unstable();
        written.dedup();
        written
    }
}
