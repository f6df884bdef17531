//! What a spurious path teaches: new predicates, and new classes of threads (Section 5.4 of the paper).
//!
//! We go back along the path from the violation, with what must have held before each step. What the predicates do not
//! express yet becomes a predicate. Conditions on the locals of the thread that makes a step become classes: how many
//! threads stand there of which it holds. If all that is known, the tests that the threads on the path make become
//! classes; and if that is known, too, which threads still have in a local what they read from shared variables.

use super::machine::{Class, Machine, TransitionId};
use super::predicates::Predicates;
use super::search::Path;
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::{Constraint, LinearForm, Relation};
use rely_symbolic::{ControlPointId, Move, updated};

/// What is to be told apart from now on.
#[derive(Debug, Default)]
pub(super) struct Lesson {
    pub(super) predicates: Vec<Constraint>,
    pub(super) classes: Vec<Class>,
}

/// What a path teaches that is not known yet.
pub(super) fn lesson(
    machine: &Machine<'_, '_>,
    predicates: &Predicates,
    path: &Path,
    budget: &Budget,
) -> Lesson {
    let mut lesson = Lesson::default();
    let mut target: Vec<Constraint> = match path.failing {
        Some(failing) => {
            learn_classes(machine, failing, &machine.required(failing, &[]), &mut lesson);
            machine.weakest_precondition(failing, &[], budget)
        }
        None => path.bad.iter().map(|&literal| predicates.constraint(literal)).collect(),
    };
    for &transition in path.transitions.iter().rev() {
        let required = machine.required(transition, &target);
        let after = required.len() - target.len();
        learn_classes(machine, transition, &required[after..], &mut lesson);
        target = machine.weakest_precondition(transition, &target, budget);
        if target.iter().any(Constraint::is_false) {
            break;
        }
        for constraint in &target {
            let is_known = constraint.relation() == Relation::Ne || predicates.literals(constraint).is_some();
            if !is_known && !lesson.predicates.contains(constraint) {
                lesson.predicates.push(constraint.clone());
            }
        }
    }
    if lesson.predicates.is_empty() && lesson.classes.is_empty() {
        for &transition in &path.transitions {
            learn_classes(machine, transition, &machine.transitions[transition].guard, &mut lesson);
        }
    }
    if lesson.predicates.is_empty() && lesson.classes.is_empty() {
        for &transition in path.transitions.iter().chain(&path.failing) {
            learn_copies(machine, transition, &mut lesson);
        }
    }
    lesson
}

/// Conditions on the locals of the thread that acts, if it is one of any number.
fn learn_classes(
    machine: &Machine<'_, '_>,
    transition: TransitionId,
    required: &[Constraint],
    lesson: &mut Lesson,
) {
    let system = machine.system;
    let location = system.program.edges()[machine.transitions[transition].edge].source;
    let thread = system.program.locations()[location].thread;
    for condition in required {
        learn(machine, Class { thread, location, condition: condition.clone() }, lesson);
    }
}

/// Of whom it is to be told that a local still has the value of the shared variables from which it was computed: all
/// threads between there and the transition.
fn learn_copies(machine: &Machine<'_, '_>, transition: TransitionId, lesson: &mut Lesson) {
    let system = machine.system;
    let acting = system.get(machine.transitions[transition].by);
    for by in system.moves.iter().filter(|by| by.thread == acting.thread) {
        for (local, value) in &by.branch.updates {
            let is_shared = value.variables().all(|cell| machine.is_state(cell));
            if is_shared && !value.is_constant() && !changes(by, value) {
                let condition = Constraint::eq(&LinearForm::variable(*local), value);
                let points = unchanged(machine, by, &condition);
                let here = if points.contains(&acting.source) { points } else { Vec::new() };
                for point in here {
                    if let ControlPoint::At(location) = system.thread(by.thread).points[point.index()] {
                        let condition = condition.clone();
                        learn(machine, Class { thread: by.thread, location, condition }, lesson);
                    }
                }
            }
        }
    }
}

/// Whether a move changes something of which a form speaks.
fn changes(by: &Move, form: &LinearForm) -> bool {
    form.variables().any(|cell| updated(&by.branch.updates, cell).is_some())
}

/// Where a thread can be behind a move until it changes something of which a condition speaks.
fn unchanged(machine: &Machine<'_, '_>, by: &Move, condition: &Constraint) -> Vec<ControlPointId> {
    let mut points = vec![by.target];
    let mut next = 0;
    while let Some(&point) = points.get(next) {
        next += 1;
        for &id in &machine.system.thread(by.thread).moves[point.index()] {
            let on = machine.system.get(id);
            if !changes(on, condition.form()) && !points.contains(&on.target) {
                points.push(on.target);
            }
        }
    }
    points
}

/// A class, if its condition is one on the locals of a thread of which there is any number.
fn learn(machine: &Machine<'_, '_>, class: Class, lesson: &mut Lesson) {
    let system = machine.system;
    let condition = &class.condition;
    let variables = || condition.form().variables();
    let is_cell =
        variables().all(|cell| system.cells.is_cell(cell) && system.cells.atom(condition).is_some());
    let is_local = variables().any(|cell| system.cells.owner(cell) == Some(class.thread));
    let is_simple = matches!(condition.relation(), Relation::Le | Relation::Eq);
    let is_any = system.thread(class.thread).is_template;
    let opposite = Class { condition: condition.negated(), ..class.clone() };
    let mut known = machine.classes.iter().map(|(class, _)| class).chain(&lesson.classes);
    let is_new = !known.any(|known| *known == class || *known == opposite);
    if is_any && is_cell && is_local && is_simple && is_new {
        lesson.classes.push(class);
    }
}
