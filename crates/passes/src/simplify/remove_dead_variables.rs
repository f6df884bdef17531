//! Leaves out what nothing depends on.
//!
//! A variable that no condition needs disappears with everything that is written to it, unless it tells
//! who wrote it (see [`signatures`]): proofs may need that, and few programs have such variables. A
//! value that a thread writes to a variable of its own and never looks at is not written; nor is
//! one that the same step overwrites before it is looked at, or that is there already. The
//! right side of such an assignment may have been undefined; if that is a mistake, a check in
//! front of it says so, and the check stays.
//!
//! Two states that differ only in values that nothing depends on have the same steps, block and fail
//! alike, and lead to two such states again: conditions, checks, joins, arguments and indices that
//! count make a variable needed, and so does a property. So a run of the one program is a run of the
//! other. That a step is atomic is used only for what it overwrites itself: no other thread and no
//! property looks in the middle of a step, and one that blocks or fails there leaves nothing behind.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_program::analysis::{Access, IdSet, Liveness, constants_if, needed_vars, signatures};
use rely_program::{EdgeId, Expr, Initial, Op, Place, Program, Scope, ThreadKind, VarId};

/// The program without needless variables, assignments and nondeterministic values.
///
/// Data races on variables that do not matter otherwise are lost.
#[derive(Clone, Copy, Debug)]
pub struct RemoveDeadVariables;

impl Pass for RemoveDeadVariables {
    fn name(&self) -> &'static str {
        "remove_dead_variables"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let liveness = Liveness::new(program);
        let mut needed = needed_vars(program);
        needed.union_with(&signatures(program));
        let dead = Dead {
            program,
            needed,
            fixed: program.vars().ids().filter(|&var| ignores_initial(program, &liveness, var)).collect(),
            liveness,
        };
        dead.rewrite()
    }
}

/// Whether the variable starts with any value, and nobody ever sees which.
fn ignores_initial(program: &Program, liveness: &Liveness, var: VarId) -> bool {
    let declaration = &program.vars()[var];
    let (Scope::Local(thread), Initial::Any(_)) = (declaration.scope, &declaration.initial) else {
        return false;
    };
    let thread = &program.threads()[thread];
    let is_argument =
        thread.kind != (ThreadKind::Instance { running: true }) && thread.parameters.contains(&var);
    let mut is_required = false;
    for condition in program.requires() {
        condition.for_each_var(|mentioned| is_required |= mentioned == var);
    }
    !is_required
        && !liveness.is_watched_or_shared(var)
        && (is_argument || !liveness.is_live(thread.entry, var))
}

struct Dead<'p> {
    program: &'p Program,
    needed: IdSet<VarId>,
    liveness: Liveness,
    /// The variables that may as well start with a fixed value.
    fixed: IdSet<VarId>,
}

impl Dead<'_> {
    fn rewrite(&self) -> (Program, BackMap) {
        let mut draft = Draft::new(self.program);
        for edge in self.program.edges().ids() {
            let kept = self.kept_ops(edge);
            draft.drop_choices(edge, |choice| match choice.local {
                Some((var, _)) => self.fixed.contains(var) || !self.needed.contains(var),
                None => kept[choice.op].is_none(),
            });
            draft.program.edges_mut()[edge].ops = kept.into_iter().flatten().collect();
        }
        for (id, var) in draft.program.vars_mut().iter_mut() {
            if let (Initial::Any(domain), true) = (&var.initial, self.fixed.contains(id)) {
                var.initial = Initial::Values(vec![domain.default_value().unwrap_or(0); var.cells()]);
            }
        }
        for (_, thread) in draft.program.threads_mut().iter_mut() {
            thread.parameters.retain(|&parameter| self.needed.contains(parameter));
        }
        for var in self.program.vars().ids().filter(|&var| !self.needed.contains(var)) {
            draft.remove_var(var);
        }
        draft.finish()
    }

    /// What remains of each operation of an edge.
    fn kept_ops(&self, edge: EdgeId) -> Vec<Option<Op>> {
        let edge = &self.program.edges()[edge];
        let mut live = self.liveness.private_at(edge.target).clone();
        let mut overwritten = Overwritten::default();
        let mut kept = Vec::with_capacity(edge.ops.len());
        for op in edge.ops.iter().rev() {
            let rest = self.kept_op(&live, &overwritten, op);
            if let Some(op) = &rest {
                self.liveness.step_back(&mut live, op);
                overwritten.step_back(op);
            }
            kept.push(rest);
        }
        kept.reverse();
        drop_what_is_there(&mut kept);
        kept
    }

    fn kept_op(&self, live: &IdSet<VarId>, overwritten: &Overwritten, op: &Op) -> Option<Op> {
        // A copy of a variable to itself changes nothing, unless it takes back what stands
        // before it in the same assignment.
        let is_own_copy = |place: &Place, value: &Expr| matches!((place, value), (Place::Scalar(target), Expr::Var(var)) if target == var);
        let matters = |place: &Place| {
            self.needed.contains(place.var())
                && self.liveness.matters(live, place.var())
                && !overwritten.0.contains(place.var())
        };
        match op {
            Op::Assign(assignments) => {
                let sets_once =
                    |place: &Place| assignments.iter().filter(|(other, _)| other == place).count() == 1;
                let kept: Vec<(Place, Expr)> = assignments
                    .iter()
                    .filter(|(place, value)| {
                        matters(place) && !(is_own_copy(place, value) && sets_once(place))
                    })
                    .cloned()
                    .collect();
                (!kept.is_empty()).then_some(Op::Assign(kept))
            }
            Op::Havoc(place, _) => matters(place).then(|| op.clone()),
            Op::Spawn { thread, arguments, handle } => {
                let parameters = self.program.threads()[*thread].parameters.iter();
                let given =
                    parameters.zip(arguments).filter(|(parameter, _)| self.needed.contains(**parameter));
                Some(Op::Spawn {
                    thread: *thread,
                    arguments: given.map(|(_, argument)| argument.clone()).collect(),
                    handle: handle.clone().filter(matters),
                })
            }
            other => Some(other.clone()),
        }
    }
}

/// The scalars that get another value later in the same step, before anybody looks at them. If the
/// step does not come that far, it blocks, and nothing has happened, or it fails, and nothing
/// follows.
#[derive(Default)]
struct Overwritten(IdSet<VarId>);

impl Overwritten {
    fn step_back(&mut self, op: &Op) {
        let access = Access::of_ops(std::slice::from_ref(op));
        match op {
            Op::Assign(assignments) => self.add(assignments.iter().map(|(place, _)| place)),
            Op::Havoc(place, _) => self.add([place]),
            _ => {}
        }
        access.reads.iter().for_each(|var| self.0.remove(var));
    }

    fn add<'p>(&mut self, places: impl IntoIterator<Item = &'p Place>) {
        for place in places {
            if let Place::Scalar(var) = place {
                self.0.insert(*var);
            }
        }
    }
}

/// Drops assignments of constants to scalars that have this value already, by what the step has
/// looked at or written before.
fn drop_what_is_there(ops: &mut [Option<Op>]) {
    let mut known: Vec<(VarId, Expr)> = Vec::new();
    for kept in ops {
        let Some(op) = kept else { continue };
        match op {
            Op::Assume(condition, _) => {
                constants_if(condition, &mut |var, value| known.push((var, value.clone())));
            }
            Op::Assign(assignments) => {
                if let [(Place::Scalar(var), value)] = assignments.as_slice()
                    && known.iter().any(|(other, there)| other == var && there == value)
                {
                    *kept = None;
                    continue;
                }
                known.retain(|(var, _)| assignments.iter().all(|(place, _)| place.var() != *var));
                if let [(Place::Scalar(var), value @ (Expr::Int(_) | Expr::Bool(_)))] = assignments.as_slice()
                {
                    known.push((*var, value.clone()));
                }
            }
            Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => {
                known.retain(|(var, _)| *var != place.var());
            }
            Op::Check(..) | Op::Spawn { .. } | Op::Join(_) | Op::Halt => {}
        }
    }
}
