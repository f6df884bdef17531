//! What an attempt that failed teaches: comparisons from interpolants.
//!
//! If assertions allow an offence, follow the disjunct that allows it back to an initial state. The
//! steps on the way are a run of the program except that states were added to it by unions and
//! widenings. If the steps alone contradict the offence, the interpolants between them say why, and
//! what they compare is where unions and widenings of the next attempt look for bounds. So
//! invariants are found that relate variables in ways in which the program itself does not.

use super::joint::{Joint, Offended, Origin};
use super::model::{Model, StepId};
use rely_base::Budget;
use rely_logic::interpolate::{Limits, Preferences, interpolate_sequence};
use rely_logic::{Constraint, Node, Sort, TermId, TermPool, VarId};
use rustc_hash::FxHashMap;

/// A run to an offence, as the failed attempt saw it. Everything has been renamed so that threads
/// are called what they are called at its end.
struct Run {
    initial: Vec<Constraint>,
    steps: Vec<RunStep>,
    offence: Vec<Constraint>,
}

struct RunStep {
    constraints: Vec<Constraint>,
    /// Cells and their values after the step.
    written: Vec<(VarId, VarId)>,
}

/// The comparisons in the interpolants of the run that offended; none if it is a run of the program.
pub(super) fn lemmas(
    model: &Model<'_>,
    joint: &Joint<'_, '_>,
    limits: Limits,
    budget: &Budget,
) -> Vec<Constraint> {
    let (cases, questions) = (model.limits.lemma_cases, model.limits.lemma_questions);
    let limits = Limits { cases, questions, ..limits };
    let run = joint.offended.and_then(|offended| run(model, joint, offended));
    run.map_or_else(Vec::new, |run| Unfolding::new(model, &run).lemmas(limits, budget))
}

fn run(model: &Model<'_>, joint: &Joint<'_, '_>, offended: Offended) -> Option<Run> {
    // The exchanges that turn what was called differently then into what it is called in the end.
    let mut later: Vec<usize> = Vec::new();
    let mut steps: Vec<RunStep> = Vec::new();
    let mut at = offended.disjunct;
    let initial = loop {
        if steps.len() > model.limits.lemma_steps {
            return None;
        }
        match joint.origin(at)? {
            Origin::Initial(index) => {
                let region = model.initial[*index].constraints();
                break region.iter().map(|held| renamed(model, joint, &later, held)).collect();
            }
            Origin::Exchanged(from, by) => {
                later.insert(0, *by);
                at = *from;
            }
            Origin::Step(from, step, done) => {
                later.splice(0..0, done.iter().copied());
                steps.push(run_step(model, joint, &later, *step));
                at = *from;
            }
        }
    };
    steps.reverse();
    Some(Run { initial, steps, offence: model.offences[offended.offence].guard.clone() })
}

fn renamed(model: &Model<'_>, joint: &Joint<'_, '_>, by: &[usize], constraint: &Constraint) -> Constraint {
    by.iter().fold(constraint.clone(), |held, &by| joint.symmetries[by].constraint(&model.cells, &held))
}

fn run_step(model: &Model<'_>, joint: &Joint<'_, '_>, by: &[usize], step: StepId) -> RunStep {
    let transition = by.iter().fold(model.steps[step].transition.clone(), |transition, &by| {
        joint.symmetries[by].transition(&model.cells, &transition)
    });
    RunStep { constraints: transition.constraints, written: transition.written }
}

/// The run as formulas: each step has variables of its own for what it writes.
struct Unfolding<'u, 'p> {
    model: &'u Model<'p>,
    pool: TermPool,
    formulas: Vec<TermId>,
    /// What the current values of cells are called behind each formula.
    names: Vec<FxHashMap<VarId, VarId>>,
}

impl<'u, 'p> Unfolding<'u, 'p> {
    fn new(model: &'u Model<'p>, run: &Run) -> Self {
        let mut unfolding = Self { model, pool: TermPool::new(), formulas: Vec::new(), names: Vec::new() };
        let mut current: FxHashMap<VarId, VarId> = FxHashMap::default();
        for cell in model.cells.all() {
            current.insert(cell, unfolding.fresh());
        }
        unfolding.push(&run.initial, &current, &current);
        for step in &run.steps {
            let before = current.clone();
            let mut names = before.clone();
            for &(cell, after) in &step.written {
                let name = unfolding.fresh();
                current.insert(cell, name);
                names.insert(after, name);
            }
            unfolding.push(&step.constraints, &names, &current);
        }
        unfolding.push(&run.offence, &current, &current);
        unfolding
    }

    fn fresh(&mut self) -> VarId {
        self.pool.fresh_variable("v", Sort::Int)
    }

    /// Adds a formula; variables without a name are its own.
    fn push(
        &mut self,
        constraints: &[Constraint],
        names: &FxHashMap<VarId, VarId>,
        current: &FxHashMap<VarId, VarId>,
    ) {
        let mut names = names.clone();
        for variable in constraints.iter().flat_map(|held| held.form().variables()) {
            names.entry(variable).or_insert_with(|| self.fresh());
        }
        let terms: Vec<TermId> = constraints
            .iter()
            .map(|held| self.pool.constraint_term(&held.rename(|variable| names[&variable])))
            .collect();
        let formula = self.pool.and(terms);
        self.formulas.push(formula);
        self.names.push(current.clone());
    }

    fn lemmas(mut self, limits: Limits, budget: &Budget) -> Vec<Constraint> {
        let preferences = Preferences { limits, ..Preferences::default() };
        let found = interpolate_sequence(&mut self.pool, &self.formulas, &preferences, budget).found();
        let mut lemmas: Vec<Constraint> = Vec::new();
        for (formula, names) in found.unwrap_or_default().into_iter().zip(&self.names) {
            let cells: FxHashMap<VarId, VarId> = names.iter().map(|(cell, name)| (*name, *cell)).collect();
            let mut atoms = Vec::new();
            self.atoms(formula, &mut atoms);
            let known = |atom: &Constraint| {
                let is_cell = |variable: VarId| cells.contains_key(&variable);
                atom.form().variables().all(is_cell).then(|| atom.rename(|variable| cells[&variable]))
            };
            for lemma in atoms.iter().filter_map(known) {
                if !lemma.form().is_constant() && !lemmas.contains(&lemma) {
                    lemmas.push(lemma);
                }
            }
        }
        debug_assert!(lemmas.iter().all(|held| held.form().variables().all(|v| self.model.cells.is_cell(v))));
        lemmas
    }

    /// The linear comparisons in a formula.
    fn atoms(&self, formula: TermId, atoms: &mut Vec<Constraint>) {
        match self.pool.node(formula) {
            Node::And(parts) | Node::Or(parts) => parts.iter().for_each(|&part| self.atoms(part, atoms)),
            _ => atoms.extend(self.pool.constraint(formula)),
        }
    }
}
