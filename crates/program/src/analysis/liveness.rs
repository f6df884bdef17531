//! Which values can still matter.
//!
//! Two notions. A variable is *needed* if any condition, property or join could ever depend
//! on it, wherever in the program; this is the notion for shared variables. A private variable
//! is *live* at a location if the value it has there could still matter. Both only count uses
//! that matter themselves: `i := i + 1` alone does not make `i` needed.

use super::{Graph, IdSet, Visibility};
use crate::expr::Expr;
use crate::ir::{LocationId, Op, Place, Program, VarId};
use crate::property::PropertyKind;
use rely_base::Arena;

/// The variables on which a condition, a check, a join, a property or the precondition may
/// depend, directly or through other variables. All others can be left out of the program.
pub fn needed_vars(program: &Program) -> IdSet<VarId> {
    let mut needed = IdSet::new();
    for property in program.properties() {
        if let PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) = &property.kind {
            need(&mut needed, condition);
        }
    }
    program.requires().iter().for_each(|condition| {
        need(&mut needed, condition);
    });
    let mut grown = true;
    while grown {
        grown = false;
        for op in program.edges.values().flat_map(|edge| &edge.ops) {
            grown |= need_for_op(program, &mut needed, op);
        }
    }
    needed
}

fn need(needed: &mut IdSet<VarId>, expr: &Expr) -> bool {
    let mut grown = false;
    expr.for_each_var(|var| grown |= needed.insert(var));
    grown
}

fn need_index(needed: &mut IdSet<VarId>, place: &Place) -> bool {
    match place {
        Place::Element(array, index) if needed.contains(*array) => need(needed, index),
        _ => false,
    }
}

fn need_for_op(program: &Program, needed: &mut IdSet<VarId>, op: &Op) -> bool {
    match op {
        Op::Assume(condition, _) | Op::Check(condition, _) | Op::Join(condition) => need(needed, condition),
        Op::Assign(assignments) => {
            let mut grown = false;
            for (place, value) in assignments {
                if needed.contains(place.var()) {
                    grown |= need(needed, value) | need_index(needed, place);
                }
            }
            grown
        }
        Op::Havoc(place, _) => need_index(needed, place),
        Op::Spawn { thread, arguments, handle } => {
            let mut grown = false;
            for (parameter, argument) in program.threads[*thread].parameters.iter().zip(arguments) {
                if needed.contains(*parameter) {
                    grown |= need(needed, argument);
                }
            }
            grown | handle.as_ref().is_some_and(|place| need_index(needed, place))
        }
        Op::Halt => false,
    }
}

/// The live variables of every location.
#[derive(Debug)]
pub struct Liveness {
    /// Shared or watched: somebody else may look at them at any time.
    always: IdSet<VarId>,
    live: Arena<LocationId, IdSet<VarId>>,
}

impl Liveness {
    /// Computes the live variables of every location, backwards along the edges.
    pub fn new(program: &Program) -> Self {
        Self::with(program, &Visibility::new(program), &Graph::new(program))
    }

    /// Like [`new`](Self::new), from facts that were computed already.
    pub fn with(program: &Program, visibility: &Visibility, graph: &Graph) -> Self {
        let always = program
            .vars
            .ids()
            .filter(|&var| !visibility.is_private(var) || visibility.is_watched(var))
            .collect();
        let live = program.locations.ids().map(|_| IdSet::new()).collect();
        let mut liveness = Self { always, live };
        let mut pending: Vec<LocationId> = program.locations.ids().collect();
        while let Some(location) = pending.pop() {
            let mut here = IdSet::new();
            for &edge in program.outgoing(location) {
                let mut before = liveness.live[program.edges[edge].target].clone();
                for op in program.edges[edge].ops.iter().rev() {
                    liveness.step_back(&mut before, op);
                }
                here.union_with(&before);
            }
            if liveness.live[location].union_with(&here) {
                pending.extend(graph.incoming(location).iter().map(|&edge| program.edges[edge].source));
            }
        }
        liveness
    }

    /// Whether the value that the variable has at the location could still matter.
    pub fn is_live(&self, location: LocationId, var: VarId) -> bool {
        self.always.contains(var) || self.live[location].contains(var)
    }

    /// The private variables that are live at the location; see [`is_live`](Self::is_live).
    pub fn private_at(&self, location: LocationId) -> &IdSet<VarId> {
        &self.live[location]
    }

    /// Whether others, or a property, may look at the variable at any time.
    pub fn is_watched_or_shared(&self, var: VarId) -> bool {
        self.always.contains(var)
    }

    /// Whether a write to the variable matters if these private variables are live behind it.
    pub fn matters(&self, live: &IdSet<VarId>, var: VarId) -> bool {
        self.always.contains(var) || live.contains(var)
    }

    /// Turns the variables that are live behind an operation into those live before it.
    pub fn step_back(&self, live: &mut IdSet<VarId>, op: &Op) {
        match op {
            Op::Assume(condition, _) | Op::Check(condition, _) | Op::Join(condition) => {
                need(live, condition);
            }
            Op::Assign(assignments) => {
                let behind = live.clone();
                assignments.iter().for_each(|(place, _)| kill(live, place));
                for (place, value) in assignments {
                    if self.matters(&behind, place.var()) {
                        need(live, value);
                        self.use_index(live, place);
                    }
                }
            }
            Op::Havoc(place, _) => self.overwrite(live, place),
            Op::Spawn { arguments, handle, .. } => {
                handle.iter().for_each(|place| self.overwrite(live, place));
                arguments.iter().for_each(|argument| {
                    need(live, argument);
                });
            }
            Op::Halt => {}
        }
    }

    fn overwrite(&self, live: &mut IdSet<VarId>, place: &Place) {
        if self.matters(live, place.var()) {
            kill(live, place);
            self.use_index(live, place);
        }
    }

    fn use_index(&self, live: &mut IdSet<VarId>, place: &Place) {
        if let Place::Element(_, index) = place {
            need(live, index);
        }
    }
}

/// A scalar that is overwritten has no earlier value; an array keeps its other cells.
fn kill(live: &mut IdSet<VarId>, place: &Place) {
    if let Place::Scalar(var) = place {
        live.remove(*var);
    }
}
