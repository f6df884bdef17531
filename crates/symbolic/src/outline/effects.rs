//! What the steps of a thread look like to the others.
//!
//! A step is a relation between two states, and what a thread does not show is projected away. Where
//! that is not exact, as with remainders, the relation is abstracted: what was tracked before the step
//! and what is after it are the predicates.

use super::{Known, Writer, without_subsumed};
use crate::system::{Move, updated};
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::{Atom, ControlPoint, Cube, EdgeEffect};
use rely_logic::project::project;
use rely_logic::{
    Conjunction, Constraint, Domain, Entailment, Integer, LinearForm, Relation, VarId, Verdict,
};
use rely_program::{EdgeId, Op, Place};

impl Writer<'_, '_> {
    /// What an edge looks like to others; without cubes if it is never taken.
    pub(super) fn effect(&self, edge: EdgeId) -> Option<EdgeEffect> {
        let mut cubes = Vec::new();
        for by in self.system.moves.iter().filter(|by| by.edge == edge && by.leads_on(self.system)) {
            let known = &self.outline.at[by.thread.index()][by.source.index()];
            let told = self.outline.told.as_ref().filter(|_| !known.is_empty());
            for state in told.map_or(known, |told| &told[edge.index()]) {
                cubes.extend(self.effect_from(state, by)?);
            }
        }
        Some(EdgeEffect { edge, cubes: without_subsumed(cubes) })
    }

    /// What a step does from a state; without cubes if it cannot be made there. `None` if that cannot
    /// be written down.
    fn effect_from(&self, state: &Known, by: &Move) -> Option<Vec<Cube>> {
        let cells = &self.system.cells;
        let step = self.relation(state, by);
        let hidden = self.hidden(by, &step);
        let (mut constraints, mut eliminated) = (step.clone(), hidden.clone());
        let found = solve_quotients(&mut constraints, &mut eliminated);
        let projection = project(Domain::Integers, &constraints, &eliminated, self.budget);
        if projection.constraints.iter().any(Constraint::is_false) {
            return Some(Vec::new());
        }
        let speaks = |form: &LinearForm| !form.variables().any(|variable| eliminated.contains(&variable));
        let multiples = found.iter().filter(|(form, _)| speaks(form));
        let multiples: Vec<Atom> =
            multiples.filter_map(|(form, divisor)| cells.multiple(form, divisor)).collect();
        let cases = if projection.is_exact && multiples.len() == found.len() {
            vec![Case::default()]
        } else {
            Transition::new(self, by, &step, &hidden).cases(0)
        };
        let cube = |case: Case| {
            let mut known = projection.constraints.clone();
            known.retain(|constraint| !constraint.is_true());
            self.add_news(&mut known, case);
            let mut cube = self.written(&known, state)?;
            cube.atoms.extend(multiples.iter().cloned());
            self.add_places(&mut cube, by);
            Some(cube)
        };
        cases.into_iter().map(cube).collect()
    }

    /// Adds what is known in a case and does not follow from what is known already.
    fn add_news(&self, known: &mut Vec<Constraint>, case: Case) {
        let mut solver = Conjunction::with_limits(Domain::Integers, self.system.limits.solver);
        solver.set_proofs(false);
        for constraint in known.iter() {
            solver.assert(constraint);
        }
        for constraint in case.before.into_iter().chain(case.after) {
            if solver.entails(&constraint, self.budget) != Entailment::Yes {
                solver.assert(&constraint);
                known.push(constraint);
            }
        }
    }

    /// Adds where others must be for the step, unless nobody is to know about others.
    fn add_places(&self, cube: &mut Cube, by: &Move) {
        let others = by.places.iter().filter(|(other, _)| *other != by.thread && !self.modular);
        for (other, points) in others {
            let of_other = &self.system.thread(*other).points;
            let required: Vec<ControlPoint> = points.iter().map(|point| of_other[point.index()]).collect();
            match cube.others.iter_mut().find(|(known, _)| known == other) {
                Some((_, known)) => known.retain(|point| required.contains(point)),
                None => cube.others.push((*other, required)),
            }
        }
    }

    /// A step from a state as a relation between the values before and after it.
    fn relation(&self, state: &Known, by: &Move) -> Vec<Constraint> {
        let cells = &self.system.cells;
        let mut constraints = state.constraints.clone();
        constraints.extend(by.branch.guard.iter().cloned());
        for (cell, value) in &by.branch.updates {
            constraints.push(Constraint::eq(&LinearForm::variable(cells.after(*cell)), value));
        }
        for cell in self.untouched(by) {
            let (now, next) = (LinearForm::variable(cell), LinearForm::variable(cells.after(cell)));
            constraints.push(Constraint::eq(&next, &now));
        }
        constraints
    }

    /// The variables of a relation that others do not see.
    fn hidden(&self, by: &Move, relation: &[Constraint]) -> Vec<VarId> {
        let cells = &self.system.cells;
        let is_local = |variable: VarId| {
            let cell = VarId::from_index(variable.index() % cells.count());
            cells.owner(cell).is_some() && cells.handle_variable(by.thread) != Some(cell)
        };
        let mut hidden: Vec<VarId> =
            relation.iter().flat_map(|constraint| constraint.form().variables()).collect();
        hidden.sort_unstable();
        hidden.dedup();
        hidden.retain(|&variable| {
            let is_auxiliary = variable.index() >= 3 * cells.count();
            is_auxiliary || (self.modular && is_local(variable))
        });
        hidden
    }

    /// The cells of variables that the edge writes, on the whole, but not in this branch: to others
    /// an array is written as soon as one of its cells is.
    fn untouched(&self, by: &Move) -> Vec<VarId> {
        let program = self.system.program;
        let written = program.edges()[by.edge].ops.iter().flat_map(written_vars);
        let mut cells: Vec<VarId> = written
            .flat_map(|var| {
                let count = program.vars()[var].cells();
                (0..count).map(move |index| self.system.cells.cell(var, index))
            })
            .filter(|&cell| updated(&by.branch.updates, cell).is_none())
            .collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}

/// A step that is abstracted by predicates about the states before and after it.
struct Transition<'t> {
    budget: &'t Budget,
    /// Knows the step, and the case that is looked at.
    solver: Conjunction,
    /// What others may know before the step and has to do with it, and the negation of that.
    before: Vec<[Constraint; 2]>,
    /// What others may know after it.
    after: Vec<Constraint>,
}

/// What holds before a step in one case, and what after it then.
#[derive(PartialEq, Eq, Default)]
struct Case {
    before: Vec<Constraint>,
    after: Vec<Constraint>,
}

impl<'t> Transition<'t> {
    fn new(writer: &'t Writer<'_, '_>, by: &Move, step: &[Constraint], hidden: &[VarId]) -> Self {
        let mut solver = Conjunction::with_limits(Domain::Integers, writer.system.limits.solver);
        solver.set_proofs(false);
        for constraint in step {
            solver.assert(constraint);
        }
        let is_foreign = |cell: VarId| {
            let owner = writer.system.cells.owner(cell).filter(|owner| *owner != by.thread);
            owner.is_some_and(|owner| writer.system.thread(owner).is_template)
        };
        let is_seen = |constraint: &Constraint| {
            let mut variables = constraint.form().variables();
            !variables.any(|variable| hidden.contains(&variable) || is_foreign(variable))
        };
        let is_updated = |cell: VarId| updated(&by.branch.updates, cell).is_some();
        let next = |cell| if is_updated(cell) { writer.system.cells.after(cell) } else { cell };
        let values = by.branch.updates.iter().flat_map(|(_, value)| value.variables());
        let conditions = by.branch.guard.iter().flat_map(|condition| condition.form().variables());
        let read: Vec<VarId> = values.chain(conditions).collect();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for sides in &writer.outline.predicates {
            let cells: Vec<VarId> = sides[0].form().variables().collect();
            if cells.iter().any(|&cell| is_updated(cell)) {
                after.extend(sides.iter().map(|side| side.rename(next)).filter(is_seen));
            }
            if cells.iter().any(|cell| read.contains(cell)) && is_seen(&sides[0]) {
                before.push(sides.clone());
            }
        }
        before.truncate(writer.system.limits.translation.distinguished_predicates);
        Transition { budget: writer.budget, solver, before, after }
    }

    /// Cases of which every step is one, if so many predicates are told apart already.
    fn cases(&mut self, told_apart: usize) -> Vec<Case> {
        let Some(sides) = self.before.get(told_apart).cloned() else {
            return vec![Case { before: Vec::new(), after: self.certain_after() }];
        };
        let [mut with, mut without] = [0, 1].map(|side| {
            self.solver.push();
            self.solver.assert(&sides[side]);
            let is_possible = self.solver.check(self.budget) != Verdict::Unsat;
            let cases = if is_possible { self.cases(told_apart + 1) } else { Vec::new() };
            self.solver.pop();
            cases
        });
        if let ([one], [other]) = (&with[..], &without[..])
            && one == other
        {
            // It makes no difference.
            return with;
        }
        with.iter_mut().for_each(|case| case.before.push(sides[0].clone()));
        without.iter_mut().for_each(|case| case.before.push(sides[1].clone()));
        with.extend(without);
        with
    }

    /// What holds after the step, in the case that is looked at.
    fn certain_after(&mut self) -> Vec<Constraint> {
        let (solver, budget) = (&mut self.solver, self.budget);
        let holds = |constraint: &&Constraint| solver.entails(constraint, budget) == Entailment::Yes;
        self.after.iter().filter(holds).cloned().collect()
    }
}

/// Solves equations for quotients: if `3 q = x - y` and the rest speaks of multiples of `3 q`, then
/// all that is left of `q` is that `x - y` is a multiple of 3. Projection alone would lose that.
fn solve_quotients(
    constraints: &mut Vec<Constraint>,
    eliminated: &mut Vec<VarId>,
) -> Vec<(LinearForm, Integer)> {
    let mut multiples = Vec::new();
    let is_quotient = |constraints: &[Constraint], equation: usize, variable: VarId| {
        let factor = constraints[equation].form().coefficient(variable);
        let divides = |other: &Constraint| other.form().coefficient(variable).is_multiple_of(&factor);
        constraints[equation].relation() == Relation::Eq
            && !factor.is_zero()
            && !factor.is_unit()
            && constraints.iter().all(divides)
    };
    while let Some((position, equation)) = eliminated.iter().enumerate().find_map(|(position, &variable)| {
        let equation = (0..constraints.len()).find(|&index| is_quotient(constraints, index, variable))?;
        Some((position, equation))
    }) {
        let variable = eliminated.swap_remove(position);
        let solved = constraints.swap_remove(equation);
        let factor = solved.form().coefficient(variable);
        let scaled = LinearForm::variable(variable).scaled(&factor);
        // factor * variable = value
        let value = solved.form().minus(&scaled).negated();
        for constraint in constraints.iter_mut() {
            let coefficient = constraint.form().coefficient(variable);
            let times = coefficient.div_exact(&factor).unwrap_or_default();
            let rest = constraint.form().minus(&LinearForm::variable(variable).scaled(&coefficient));
            *constraint = Constraint::new(rest.plus(&value.scaled(&times)), constraint.relation());
        }
        multiples.push((value, factor.abs()));
    }
    multiples
}

/// The variables that an operation writes.
fn written_vars(op: &Op) -> Vec<rely_program::VarId> {
    match op {
        Op::Assign(assignments) => assignments.iter().map(|(place, _)| place.var()).collect(),
        Op::Havoc(place, _) => vec![place.var()],
        Op::Spawn { handle, .. } => handle.iter().map(Place::var).collect(),
        Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => Vec::new(),
    }
}
