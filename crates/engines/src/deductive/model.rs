//! The program as the proof generator sees it: initial states, steps, and what must not happen.

use super::DeductiveOptions;
use super::assertion::Growth;
use super::hull::Landmarks;
use super::limits::Limits;
use super::region::{Reasoner, Region};
use super::transition::Transition;
use rely_base::{Arena, Budget, Id, define_id};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm, Relation, VarId};
use rely_program::{EdgeId, Expr, Goal, LocationId, Op, Program, PropertyKind, ThreadId, ThreadKind};
use rely_symbolic::{
    Branch, BranchEnd, Cells, PlaceTest, TooManyCases, Translator, Violation, initial_states,
};

define_id!(
    /// A step: one branch of one edge.
    pub(super) struct StepId
);

/// One way of taking an edge.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) edge: EdgeId,
    pub(super) thread: ThreadId,
    pub(super) source: LocationId,
    pub(super) target: LocationId,
    pub(super) transition: Transition,
    /// Where others must stand.
    pub(super) places: Vec<PlaceTest>,
    /// Instances that are started.
    pub(super) started: Vec<ThreadId>,
    /// Template instances that are started, with the values of their locals.
    pub(super) spawned: Vec<(ThreadId, Vec<(VarId, LinearForm)>)>,
}

/// A way of going wrong: a state in which a property is false, or in which a thread can take an
/// edge on which a check fails or which has no meaning.
#[derive(Clone, Debug)]
pub(super) struct Offence {
    /// What holds of the variables, with auxiliary ones.
    pub(super) guard: Vec<Constraint>,
    /// Where instances stand.
    pub(super) places: Vec<PlaceTest>,
    /// Template instances that stand somewhere, and how many of them at least.
    pub(super) witnesses: Vec<(LocationId, u32)>,
    /// The thread that moves, and from where. Everybody else is outside of atomic blocks.
    pub(super) mover: Option<(ThreadId, LocationId)>,
    /// Whether the mover's own assertion must exclude it.
    pub(super) alone: bool,
}

/// Everything that a proof must speak about.
pub(super) struct Model<'p> {
    pub(super) program: &'p Program,
    pub(super) limits: Limits,
    pub(super) cells: Cells,
    pub(super) steps: Arena<StepId, Step>,
    pub(super) offences: Vec<Offence>,
    pub(super) initial: Vec<Region>,
    /// The steps that leave each location.
    outgoing: Arena<LocationId, Vec<StepId>>,
}

impl<'p> Model<'p> {
    /// The model of a program and a goal.
    pub(super) fn new(
        program: &'p Program,
        goal: Goal,
        options: &DeductiveOptions,
        reasoner: &mut Reasoner,
        budget: &Budget,
    ) -> Result<Self, TooManyCases> {
        let DeductiveOptions { limits, symbolic, .. } = *options;
        let cells = Cells::new(program);
        let violations = Translator::new(program, &cells, None, symbolic).violations(goal)?;
        let initial = initial_states(program, &cells, symbolic)?;
        let initial = initial.into_iter().filter_map(|case| {
            let auxiliary: Vec<VarId> = variables(&case).into_iter().filter(|v| !cells.is_cell(*v)).collect();
            reasoner.without(case, &auxiliary)
        });
        let initial = initial.collect();
        let mut model = Self {
            program,
            limits,
            steps: Arena::new(),
            offences: Vec::new(),
            initial,
            outgoing: program.locations().ids().map(|_| Vec::new()).collect(),
            cells,
        };
        for edge in program.edges().ids() {
            model.add_impossible_joins(edge);
            let thread = program.locations()[program.edges()[edge].source].thread;
            for branch in Translator::new(program, &model.cells, Some(thread), symbolic).edge(edge, budget)? {
                model.add_branch(edge, thread, goal, &violations, branch);
            }
        }
        model.offences.extend(violations.into_iter().map(|violation| Offence {
            guard: violation.guard,
            places: violation.places,
            witnesses: violation.witnesses,
            mover: None,
            alone: false,
        }));
        Ok(model)
    }

    /// A join of a number that no instance has as its handle means nothing as far as we know.
    fn add_impossible_joins(&mut self, edge: EdgeId) {
        let source = self.program.edges()[edge].source;
        let is_nobody = |op: &Op| match op {
            Op::Join(Expr::Int(handle)) => self.program.instance_with_handle(*handle).is_none(),
            _ => false,
        };
        if self.program.edges()[edge].ops.iter().any(is_nobody) {
            let mover = Some((self.program.locations()[source].thread, source));
            let (guard, places, witnesses) = (vec![], vec![], vec![]);
            self.offences.push(Offence { guard, places, witnesses, mover, alone: true });
        }
    }

    fn add_branch(
        &mut self,
        edge: EdgeId,
        thread: ThreadId,
        goal: Goal,
        violations: &[Violation],
        branch: Branch,
    ) {
        let source = self.program.edges()[edge].source;
        let target = self.program.edges()[edge].target;
        match branch.ending {
            BranchEnd::Moves => {
                let transition = Transition::of_branch(&self.cells, &branch);
                let Branch { places, started, spawned, .. } = branch;
                let step = Step { edge, thread, source, target, transition, places, started, spawned };
                let id = self.steps.push(step);
                self.outgoing[source].push(id);
            }
            // Nobody moves any more, but what must hold always must hold there.
            BranchEnd::Halts => {
                let is_always = |violation: &&Violation| {
                    let property = &self.program.properties()[violation.property];
                    matches!(property.kind, PropertyKind::Always(_))
                };
                let met = violations.iter().filter(is_always);
                let met = met.filter_map(|violation| self.halting(edge, &branch, violation));
                let met: Vec<Offence> = met.collect();
                self.offences.extend(met);
            }
            // Runs that violate what another goal asks for are not looked at.
            BranchEnd::Fails(check) if !goal.includes(self.program.checks()[check].kind) => {}
            BranchEnd::Fails(_) | BranchEnd::Undefined => {
                let Branch { guard, places, .. } = branch;
                let mover = Some((thread, source));
                self.offences.push(Offence { guard, places, witnesses: vec![], mover, alone: true });
            }
        }
    }

    /// The states from which a halting step leads to a violation; `None` if its thread or those
    /// that it starts would be elsewhere.
    fn halting(&self, edge: EdgeId, branch: &Branch, violation: &Violation) -> Option<Offence> {
        let (source, target) = (self.program.edges()[edge].source, self.program.edges()[edge].target);
        let thread = self.program.locations()[source].thread;
        if self.is_atomic(ControlPoint::At(target)) {
            return None;
        }
        let place_after = |other: ThreadId| {
            let starts = branch.started.contains(&other);
            let entry = starts.then(|| self.program.threads()[other].entry);
            if other == thread { Some(target) } else { entry }
        };
        let mut places = branch.places.clone();
        for test in &violation.places {
            match place_after(test.thread) {
                Some(location) if !test.points.contains(&ControlPoint::At(location)) => return None,
                Some(_) => {}
                None => places.push(test.clone()),
            }
        }
        let first_free = branch.guard.iter().flat_map(|held| held.form().variables().next_back());
        let first_free = first_free.map(|variable| variable.index() + 1).max().unwrap_or(0);
        let after = |constraint: &Constraint| {
            let mut form = LinearForm::constant(constraint.form().constant_term().clone());
            for (variable, factor) in constraint.form().terms() {
                let updated = branch.updates.iter().find(|(cell, _)| cell == variable);
                let value = match updated {
                    Some((_, value)) => value.clone(),
                    None if self.cells.is_cell(*variable) => LinearForm::variable(*variable),
                    None => LinearForm::variable(VarId::from_index(first_free + variable.index())),
                };
                form = form.add_scaled(factor, &value);
            }
            Constraint::new(form, constraint.relation())
        };
        let guard = branch.guard.iter().cloned().chain(violation.guard.iter().map(after)).collect();
        let witnesses = violation.witnesses.clone();
        Some(Offence { guard, places, witnesses, mover: Some((thread, source)), alone: false })
    }

    /// The steps that leave a location.
    pub(super) fn outgoing(&self, location: LocationId) -> &[StepId] {
        &self.outgoing[location]
    }

    /// Whether others wait while a thread is at the control point.
    pub(super) fn is_atomic(&self, point: ControlPoint) -> bool {
        matches!(point, ControlPoint::At(location) if self.program.locations()[location].atomic)
    }

    /// Where a thread is when the program starts; `None` for a template.
    pub(super) fn start_of(&self, thread: ThreadId) -> Option<ControlPoint> {
        let declaration = &self.program.threads()[thread];
        match declaration.kind {
            ThreadKind::Instance { running: true } => Some(ControlPoint::At(declaration.entry)),
            ThreadKind::Instance { running: false } => Some(ControlPoint::Unstarted),
            ThreadKind::Template => None,
        }
    }

    /// Whether there are threads without a bound on their number.
    pub(super) fn has_templates(&self) -> bool {
        self.program.threads().values().any(|thread| thread.kind == ThreadKind::Template)
    }

    /// How assertions about this program grow, if those comparisons are worth looking at besides
    /// its own.
    pub(super) fn growth(&self, most_disjuncts: usize, unite: bool, lemmas: &[Constraint]) -> Growth {
        let discrete = self.cells.all().filter(|&cell| self.is_discrete(cell)).collect();
        let mut landmarks = self.landmarks();
        lemmas.iter().for_each(|lemma| add_landmarks(&mut landmarks, lemma));
        Growth {
            most_disjuncts,
            widening_delay: self.limits.widening_delay,
            union_differences: self.limits.union_differences,
            unite,
            landmarks,
            discrete,
        }
    }

    /// Whether a cell only ever gets constants.
    fn is_discrete(&self, cell: VarId) -> bool {
        let after = self.cells.after(cell);
        self.steps.values().all(|step| {
            let written = step.transition.written.iter().any(|(before, _)| *before == cell);
            !written
                || step.transition.constraints.iter().any(|constraint| {
                    matches!(constraint.form().terms(), [(only, _)] if *only == after)
                        && constraint.relation() == Relation::Eq
                })
        })
    }

    /// The comparisons of guards and properties, each also as it is just violated, and the
    /// constants that are assigned.
    fn landmarks(&self) -> Landmarks {
        let mut landmarks = Landmarks::default();
        let guards = self.steps.values().flat_map(|step| &step.transition.constraints);
        let offences = self.offences.iter().flat_map(|offence| &offence.guard);
        let initial = self.initial.iter().flat_map(Region::constraints);
        for constraint in guards.chain(offences).chain(initial) {
            if landmarks.bounds.len() > self.limits.landmarks {
                break;
            }
            if let Some(constraint) = self.over_current_values(constraint) {
                add_landmarks(&mut landmarks, &constraint);
            }
        }
        landmarks
    }

    /// The constraint with values after a step taken for current ones, if it is about one moment.
    fn over_current_values(&self, constraint: &Constraint) -> Option<Constraint> {
        let after = |variable: VarId| self.cells.all().find(|&cell| self.cells.after(cell) == variable);
        let variables: Vec<VarId> = constraint.form().variables().collect();
        if variables.iter().all(|&variable| self.cells.is_cell(variable)) {
            return Some(constraint.clone());
        }
        let renamed: Option<Vec<VarId>> = variables.iter().map(|&variable| after(variable)).collect();
        let renamed = renamed?;
        let position = |variable: VarId| variables.iter().position(|known| *known == variable);
        Some(constraint.rename(|variable| position(variable).map_or(variable, |index| renamed[index])))
    }
}

fn add_landmarks(landmarks: &mut Landmarks, constraint: &Constraint) {
    let form = constraint.form();
    for form in [form.clone(), form.negated()] {
        // Bounds around the comparison: just below, exactly, and one step beyond.
        for offset in [1, 0, -1] {
            let moved = form.plus(&LinearForm::constant(offset));
            landmarks.add(Constraint::new(moved, Relation::Le));
        }
    }
}

/// All variables of the constraints.
fn variables(constraints: &[Constraint]) -> Vec<VarId> {
    let mut variables: Vec<VarId> = constraints.iter().flat_map(|held| held.form().variables()).collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}
