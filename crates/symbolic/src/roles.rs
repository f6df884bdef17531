//! Who takes part in a violation of a property.

use crate::Violation;
use crate::system::{ControlPointId, System};
use rely_base::Id;
use rely_evidence::rely_guarantee::ControlPoint;
use rely_logic::Constraint;
use rely_program::ThreadId;

/// A thread that takes part in a violation, and where it stands then.
#[derive(Clone, Debug)]
pub struct Role {
    /// Who.
    pub thread: ThreadId,
    /// Where it may stand.
    pub points: Vec<ControlPointId>,
    /// Whether it is the second instance of its template, with locals of its own.
    pub second: bool,
}

/// Who takes part in a violation: those whose place or locals it mentions; if there are none, one
/// thread that runs, because what any thread knows is always true.
pub fn roles(system: &System<'_>, violation: &Violation) -> Vec<Role> {
    let mut roles: Vec<Role> = Vec::new();
    let calm = |thread: ThreadId, points: Vec<ControlPointId>| -> Vec<ControlPointId> {
        let atomic = &system.thread(thread).atomic;
        points.into_iter().filter(|point| !atomic[point.index()]).collect()
    };
    for test in &violation.places {
        let (thread, points) = system.place(test);
        roles.push(Role { thread, points: calm(thread, points), second: false });
    }
    // Of a template two take part at most: rather at different places than two at the same.
    let counted = |number: u32| violation.witnesses.iter().filter(move |(_, count)| *count > number);
    for &(location, _) in counted(0).chain(counted(1)) {
        let thread = system.program.locations()[location].thread;
        let copies = roles.iter().filter(|role| role.thread == thread).count();
        if copies < 2 {
            let point = system.point(thread, ControlPoint::At(location));
            roles.push(Role { thread, points: vec![point], second: copies == 1 });
        }
    }
    let owners = violation.guard.iter().flat_map(|constraint| constraint.form().variables());
    let running = system.thread_ids().find(|&thread| system.thread(thread).start.is_some());
    let mentioned: Vec<ThreadId> = owners.filter_map(|variable| system.cells.owner(variable)).collect();
    let reference = if roles.is_empty() && mentioned.is_empty() { running } else { None };
    for thread in mentioned.into_iter().chain(reference) {
        if roles.iter().all(|role| role.thread != thread) {
            let points = (0..system.thread(thread).points.len()).map(ControlPointId::from_index).collect();
            roles.push(Role { thread, points: calm(thread, points), second: false });
        }
    }
    roles
}

/// The facts about the handles of the template instances among the roles.
pub fn role_facts(system: &System<'_>, roles: &[Role]) -> Vec<Constraint> {
    let mut facts = Vec::new();
    for (index, first) in roles.iter().enumerate() {
        for second in &roles[index + 1..] {
            facts.extend(system.handle_facts(first.thread, second.thread));
        }
    }
    facts
}
