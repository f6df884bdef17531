//! What steps do to octagons.

use super::stages::{StageId, Stages, matters};
use rely_base::Id;
use rely_logic::domains::{NumericDomain, Octagons};
use rely_logic::{Constraint, LinearForm, VarId};
use rely_program::ThreadId;
use rely_symbolic::{BranchEnd, ControlPointId, Move, System};

/// The steps that have to do with a pack of cells, and who sees them.
pub(crate) struct Effects {
    steps: Vec<Step>,
    threads: Vec<ThreadOfPack>,
    /// The thread of each stage.
    thread_of: Vec<ThreadId>,
    /// The cells of the pack that are shared.
    shared: Vec<VarId>,
    /// What is known initially, at each stage.
    start: Vec<Octagons>,
}

/// A thread, as far as it concerns the pack.
struct ThreadOfPack {
    is_template: bool,
    /// Where it is started.
    entry: StageId,
    /// The shared cells and its own.
    visible: Vec<VarId>,
}

/// A cell and its new value, if that can be told.
type Update = (VarId, Option<LinearForm>);

/// A step, as far as it concerns the pack.
struct Step {
    thread: ThreadId,
    source: StageId,
    target: StageId,
    guard: Vec<Constraint>,
    /// The instances that must be at certain stages.
    places: Vec<(ThreadId, Vec<StageId>)>,
    updates: Vec<Update>,
    /// What another instance of the same template sees of the updates.
    sibling_updates: Vec<Update>,
    started: Vec<ThreadId>,
    /// The templates that are started, each with the values of shared cells and the instance's own.
    births: Vec<(ThreadId, Vec<Update>)>,
    /// Whether others notice it.
    is_seen: bool,
}

impl Effects {
    pub(crate) fn new(system: &System<'_>, pack: &[VarId], stages: &Stages) -> Self {
        let steps =
            system.moves.iter().filter(|by| by.branch.ending == BranchEnd::Moves && matters(by, pack));
        let in_pack =
            |keeps: &dyn Fn(VarId) -> bool| pack.iter().copied().filter(|&cell| keeps(cell)).collect();
        let threads = system.thread_ids().map(|thread| ThreadOfPack {
            is_template: system.thread(thread).is_template,
            entry: stages.of(thread, system.thread(thread).entry),
            visible: in_pack(&|cell| system.is_modular(cell, thread)),
        });
        let ranges = system.thread_ids().zip(stages.of_threads());
        let mut effects = Effects {
            steps: steps.map(|by| Step::new(system, pack, stages, by)).collect(),
            threads: threads.collect(),
            thread_of: ranges.flat_map(|(thread, range)| range.map(move |_| thread)).collect(),
            shared: in_pack(&|cell| system.cells.owner(cell).is_none()),
            start: vec![Octagons::bottom(); stages.count()],
        };
        let initial = initial(system, pack);
        for thread in system.thread_ids() {
            if let Some(start) = system.thread(thread).start {
                let known = effects.known_to(thread, initial.clone());
                effects.start[stages.of(thread, start).index()] = known;
            }
        }
        effects
    }

    /// How often octagons are combined to find out what holds after one step.
    pub(crate) fn count(&self) -> usize {
        let seen = self.steps.iter().filter(|step| step.is_seen).count();
        self.steps.len() + seen * self.thread_of.len()
    }

    /// What is known initially, at the stages of all threads.
    pub(crate) fn start(&self) -> Vec<Octagons> {
        self.start.clone()
    }

    /// What is known at each stage initially or after one step from these states.
    pub(crate) fn after_one_step(&self, states: &[Octagons]) -> Vec<Octagons> {
        let mut next = self.start();
        for step in &self.steps {
            let mut before = states[step.source.index()].clone();
            step.guard.iter().for_each(|constraint| before.meet(constraint));
            if before.is_bottom() {
                continue;
            }
            let after = self.known_to(step.thread, assigned(before.clone(), &step.updates));
            add(&mut next[step.target.index()], after);
            for (thread, updates) in &step.births {
                let entry = self.threads[thread.index()].entry;
                let born = self.known_to(*thread, assigned(before.clone(), updates));
                add(&mut next[entry.index()], born);
            }
            if step.is_seen {
                self.show_to_others(step, &before, states, &mut next);
            }
        }
        next
    }

    /// What the others know after they have seen a step.
    fn show_to_others(&self, step: &Step, before: &Octagons, states: &[Octagons], next: &mut [Octagons]) {
        let seen_by_siblings = before.clone().keeping(|cell| self.shared.contains(&cell));
        for (stage, known) in states.iter().enumerate().filter(|(_, known)| !known.is_bottom()) {
            let observer = self.thread_of[stage];
            if !step.allows(observer, StageId::from_index(stage)) {
                continue;
            }
            let view = &self.threads[observer.index()];
            let after = match observer == step.thread {
                true if !view.is_template => continue,
                // Of the locals of another instance of the same template nothing is known.
                true => assigned(known.met(&seen_by_siblings), &step.sibling_updates),
                false => assigned(known.met(before), &step.updates),
            };
            let target = if step.started.contains(&observer) { view.entry.index() } else { stage };
            add(&mut next[target], self.known_to(observer, after));
        }
    }

    /// Without what the thread cannot see: auxiliary variables and the locals of others.
    fn known_to(&self, thread: ThreadId, octagon: Octagons) -> Octagons {
        let visible = &self.threads[thread.index()].visible;
        octagon.keeping(|variable| visible.contains(&variable))
    }
}

impl Step {
    fn new(system: &System<'_>, pack: &[VarId], stages: &Stages, by: &Move) -> Self {
        let (branch, thread) = (&by.branch, by.thread);
        let about_pack = |constraint: &&Constraint| is_about(system, pack, constraint.form());
        let updates = followed(system, pack, &branch.updates);
        let is_shared =
            |variable: VarId| system.cells.is_cell(variable) && system.cells.owner(variable).is_none();
        let shared_updates = updates.iter().filter(|(cell, _)| is_shared(*cell)).cloned();
        let births = branch.spawned.iter().map(|(thread, locals)| {
            let updates = shared_updates.clone().chain(followed(system, pack, locals));
            (*thread, updates.collect())
        });
        let stages_of = |thread: ThreadId, points: &[ControlPointId]| {
            points.iter().map(|&point| stages.of(thread, point)).collect()
        };
        let is_foreign = |cell: VarId| system.cells.owner(cell) != Some(thread);
        Step {
            thread,
            source: stages.of(thread, by.source),
            target: stages.of(thread, by.target),
            guard: branch.guard.iter().filter(about_pack).cloned().collect(),
            places: by.places.iter().map(|(thread, points)| (*thread, stages_of(*thread, points))).collect(),
            sibling_updates: shared_updates
                .clone()
                .map(|(cell, value)| (cell, value.filter(|value| value.variables().all(is_shared))))
                .collect(),
            started: branch.started.clone(),
            births: births.collect(),
            is_seen: !branch.started.is_empty() || updates.iter().any(|(cell, _)| is_foreign(*cell)),
            updates,
        }
    }

    /// Whether it can be made while an instance is at a stage.
    fn allows(&self, observer: ThreadId, stage: StageId) -> bool {
        self.places.iter().all(|(thread, stages)| *thread != observer || stages.contains(&stage))
    }
}

/// The updates of cells of a pack.
fn followed(system: &System<'_>, pack: &[VarId], updates: &[(VarId, LinearForm)]) -> Vec<Update> {
    let of_pack = updates.iter().filter(|(cell, _)| pack.contains(cell));
    of_pack.map(|(cell, value)| (*cell, is_about(system, pack, value).then(|| value.clone()))).collect()
}

/// Whether a form speaks of cells of the pack, and perhaps of auxiliary variables, only.
fn is_about(system: &System<'_>, pack: &[VarId], form: &LinearForm) -> bool {
    form.variables().all(|variable| !system.cells.is_cell(variable) || pack.contains(&variable))
}

fn initial(system: &System<'_>, pack: &[VarId]) -> Octagons {
    let states = system.initial.iter().map(|constraints| {
        let mut state = Octagons::top();
        let about_pack = |constraint: &&Constraint| is_about(system, pack, constraint.form());
        constraints.iter().filter(about_pack).for_each(|constraint| state.meet(constraint));
        state.keeping(|variable| pack.contains(&variable))
    });
    states.fold(Octagons::bottom(), |all, state| all.join(&state))
}

/// All values are those before the step: a cell is written after those that read it. Where that goes
/// round in a circle, a value is given up.
fn assigned(mut octagon: Octagons, updates: &[Update]) -> Octagons {
    let mut open: Vec<(VarId, Option<&LinearForm>)> =
        updates.iter().map(|(cell, value)| (*cell, value.as_ref())).collect();
    while !octagon.is_bottom() && !open.is_empty() {
        let is_read_by_others = |position: usize| {
            let others = open.iter().enumerate().filter(|(other, _)| *other != position);
            others.filter_map(|(_, (_, value))| *value).any(|value| value.contains(open[position].0))
        };
        match (0..open.len()).find(|&position| !is_read_by_others(position)) {
            Some(position) => match open.swap_remove(position) {
                (cell, Some(value)) => octagon.assign(cell, value),
                (cell, None) => octagon.forget(cell),
            },
            // Nobody reads what it would have been made of any more.
            None => {
                let given_up = open.iter_mut().find(|(_, value)| value.is_some());
                given_up.into_iter().for_each(|(_, value)| *value = None);
            }
        }
    }
    octagon
}

/// Adds what is known on one more way to a stage.
fn add(state: &mut Octagons, more: Octagons) {
    *state = if state.is_bottom() { more } else { state.join(&more) };
}
