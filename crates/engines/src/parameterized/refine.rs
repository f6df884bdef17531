//! What a spurious path teaches: new predicates, and new classes of threads (Section 5.4 of the paper).
//!
//! We go back along the path from the violation, with what must have held before each step. What the predicates do not
//! express yet becomes a predicate. Conditions on the locals of the thread that makes a step become classes: how many
//! threads stand there of which it holds. If all that is known, the tests that the threads on the path make become classes.

use super::machine::{Class, Machine, TransitionId};
use super::predicates::Predicates;
use super::search::Path;
use rely_base::Budget;
use rely_logic::{Constraint, Relation};

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
    if !system.thread(thread).is_template {
        return;
    }
    for condition in required {
        let variables = || condition.form().variables();
        let is_cell =
            variables().all(|cell| system.cells.is_cell(cell) && system.cells.atom(condition).is_some());
        let is_local = variables().any(|cell| system.cells.owner(cell) == Some(thread));
        let is_simple = matches!(condition.relation(), Relation::Le | Relation::Eq);
        let class = Class { thread, location, condition: condition.clone() };
        let opposite = Class { condition: condition.negated(), ..class.clone() };
        let mut known = machine.classes.iter().map(|(class, _)| class).chain(&lesson.classes);
        if is_cell && is_local && is_simple && !known.any(|known| *known == class || *known == opposite) {
            lesson.classes.push(class);
        }
    }
}
