//! Forgets shared variables that nothing looks at but assumptions.
//!
//! An abstraction in front of a reduction, as in Elmas, Qadeer and Tasiran, "A calculus of atomic actions" (POPL 2009):
//! a step that may do more commutes with more. In C `y = y + 1` reads `y`, assumes that the sum does not overflow, and
//! writes it, so two of them do not commute, even if nobody ever asks for `y`. Without the assumption `y` is needless,
//! and so are the steps.
//!
//! What is left out are assumptions ([`Blocking::Abandon`]) about forgotten values, and what is written to forgotten
//! variables. A forgotten value may pass through scalars of a thread, so each location has its *tainted* locals, which
//! hold one; what only makes them is left out, too. A thread may not do anything else with a forgotten value: wait for
//! it, check it, choose a cell or a thread by it, or write it to a variable that is remembered.
//!
//! A run of the old program is a run of the new one along the same edges, with the same values of everything that is
//! neither forgotten nor tainted: what is left of an edge reads nothing else, and what is left out cannot have been
//! without a meaning. So what can go wrong still can. The new program has more runs; a trace of it need not be a trace of
//! the old one.

use crate::back::BackMap;
use crate::draft::Draft;
use rely_base::Id;
use rely_program::analysis::IdSet;
use rely_program::{
    Blocking, Edge, EdgeId, Expr, Initial, LocationId, Op, Place, Program, PropertyKind, VarId, definedness,
};
use std::collections::BTreeMap;

/// The program that has forgotten some variables, and the way back from it; it has the same locations, edges and
/// variables. If they cannot be forgotten, those that somebody looks at.
pub fn forget(program: &Program, forgotten: &IdSet<VarId>) -> Result<(Program, BackMap), IdSet<VarId>> {
    let flow = Flow::new(program, forgotten);
    let needed = flow.needed();
    if !needed.is_empty() {
        return Err(needed);
    }
    let mut draft = Draft::new(program);
    for edge in program.edges().ids() {
        let kept = flow.kept(edge);
        draft.drop_choices(edge, |choice| kept[choice.op].is_none());
        draft.program.edges_mut()[edge].ops = kept.into_iter().flatten().collect();
    }
    Ok(draft.finish())
}

/// The shared variables that can be forgotten, all at once.
pub fn forgettable(program: &Program) -> IdSet<VarId> {
    let mut vars: IdSet<VarId> =
        program.vars().iter().filter(|(_, var)| var.is_global()).map(|(id, _)| id).collect();
    loop {
        let needed = Flow::new(program, &vars).needed();
        if needed.is_empty() {
            return vars;
        }
        needed.iter().for_each(|var| vars.remove(var));
    }
}

/// The locals that hold forgotten values, and whose.
type Tainted = BTreeMap<VarId, IdSet<VarId>>;

/// Where forgotten values go.
struct Flow<'p> {
    program: &'p Program,
    forgotten: &'p IdSet<VarId>,
    /// By location.
    tainted: Vec<Option<Tainted>>,
}

impl<'p> Flow<'p> {
    fn new(program: &'p Program, forgotten: &'p IdSet<VarId>) -> Self {
        let tainted = vec![None; program.locations().len()];
        let mut flow = Self { program, forgotten, tainted };
        let mut changed: Vec<LocationId> = program.threads().values().map(|thread| thread.entry).collect();
        changed.iter().for_each(|entry| flow.tainted[entry.index()] = Some(Tainted::new()));
        while let Some(location) = changed.pop() {
            for &edge in program.outgoing(location) {
                let mut step = flow.step(edge);
                program.edges()[edge].ops.iter().for_each(|op| _ = step.take(op));
                let target = program.edges()[edge].target;
                if join(&mut flow.tainted[target.index()], step.tainted) {
                    changed.push(target);
                }
            }
        }
        flow
    }

    /// A step along an edge, before its first operation.
    fn step(&self, edge: EdgeId) -> Step<'p> {
        let Edge { source, .. } = self.program.edges()[edge];
        let tainted = self.tainted[source.index()].clone().unwrap_or_default();
        Step { program: self.program, forgotten: self.forgotten, tainted, needed: IdSet::new() }
    }

    /// What is left of each operation of an edge.
    fn kept(&self, edge: EdgeId) -> Vec<Option<Op>> {
        let mut step = self.step(edge);
        self.program.edges()[edge].ops.iter().map(|op| step.take(op)).collect()
    }

    /// The variables to be forgotten that somebody looks at after all.
    fn needed(&self) -> IdSet<VarId> {
        let mut needed = IdSet::new();
        for edge in self.program.edges().ids() {
            let mut step = self.step(edge);
            self.program.edges()[edge].ops.iter().for_each(|op| _ = step.take(op));
            needed.union_with(&step.needed);
        }
        let properties = self.program.properties().iter().filter_map(|property| match &property.kind {
            PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) => Some(condition),
            _ => None,
        });
        for condition in properties.chain(self.program.requires()) {
            // A property sees the locals of instances, wherever they stand.
            for tainted in self.tainted.iter().flatten() {
                needed.union_with(&origins(self.forgotten, tainted, condition));
            }
        }
        let is_open = |var: &VarId| matches!(self.program.vars()[*var].initial, Initial::Any(_));
        needed.union_with(&self.forgotten.iter().filter(is_open).collect());
        needed
    }
}

/// Whether a location has more tainted locals than before.
fn join(known: &mut Option<Tainted>, more: Tainted) -> bool {
    let Some(known) = known else {
        *known = Some(more);
        return true;
    };
    let mut grown = false;
    for (local, origins) in more {
        grown |= match known.get_mut(&local) {
            Some(known) => known.union_with(&origins),
            None => known.insert(local, origins).is_none(),
        };
    }
    grown
}

/// Of which forgotten variables the value of an expression depends.
fn origins(forgotten: &IdSet<VarId>, tainted: &Tainted, expr: &Expr) -> IdSet<VarId> {
    let mut origins = IdSet::new();
    expr.for_each_var(|var| {
        if forgotten.contains(var) {
            origins.insert(var);
        }
        if let Some(more) = tainted.get(&var) {
            origins.union_with(more);
        }
    });
    origins
}

/// A step along an edge, operation by operation.
struct Step<'f> {
    program: &'f Program,
    forgotten: &'f IdSet<VarId>,
    tainted: Tainted,
    needed: IdSet<VarId>,
}

impl Step<'_> {
    /// What is left of the next operation.
    fn take(&mut self, op: &Op) -> Option<Op> {
        match op {
            Op::Assume(condition, Blocking::Abandon) => {
                let origins = self.origins(condition);
                self.must_have_meaning(condition, &origins);
                return origins.is_empty().then(|| op.clone());
            }
            Op::Assume(condition, Blocking::Wait) | Op::Check(condition, _) | Op::Join(condition) => {
                self.need(condition);
            }
            Op::Assign(pairs) => {
                let origins: Vec<_> = pairs.iter().map(|(_, value)| self.origins(value)).collect();
                let with_origins = pairs.iter().zip(origins);
                let kept = with_origins.filter_map(|((place, value), origins)| {
                    self.assign(place, value, origins).then(|| (place.clone(), value.clone()))
                });
                let kept: Vec<(Place, Expr)> = kept.collect();
                return (!kept.is_empty()).then_some(Op::Assign(kept));
            }
            Op::Havoc(place, _) => return self.write(place, IdSet::new()).then(|| op.clone()),
            Op::Spawn { arguments, handle, .. } => {
                arguments.iter().for_each(|argument| self.need(argument));
                if let Some(place) = handle
                    && !self.write(place, IdSet::new())
                {
                    self.needed.insert(place.var());
                }
            }
            Op::Halt => {}
        }
        Some(op.clone())
    }

    /// Whether an assignment stays.
    fn assign(&mut self, place: &Place, value: &Expr, origins: IdSet<VarId>) -> bool {
        let target = place.var();
        if self.forgotten.contains(target) {
            self.must_have_meaning(value, &[target].into_iter().collect());
        } else {
            self.must_have_meaning(value, &origins);
        }
        self.write(place, origins)
    }

    /// Whether a value that depends on some forgotten variables is written to a place; it is not if the place is
    /// forgotten, or a local that is tainted then.
    fn write(&mut self, place: &Place, origins: IdSet<VarId>) -> bool {
        let target = place.var();
        if self.forgotten.contains(target) {
            self.must_have_meaning(&place.read(), &[target].into_iter().collect());
            return false;
        }
        match place {
            Place::Scalar(local) if !self.program.vars()[*local].is_global() => {
                let is_clean = origins.is_empty();
                if is_clean {
                    self.tainted.remove(local);
                } else {
                    self.tainted.insert(*local, origins);
                }
                return is_clean;
            }
            Place::Scalar(_) => {}
            Place::Element(_, index) => self.need(index),
        }
        self.needed.union_with(&origins);
        true
    }

    /// What is left out must not have been without a meaning; else these variables are needed.
    fn must_have_meaning(&mut self, expr: &Expr, origins: &IdSet<VarId>) {
        if !definedness(self.program, expr).is_empty() {
            self.needed.union_with(origins);
        }
    }

    fn need(&mut self, expr: &Expr) {
        let origins = self.origins(expr);
        self.needed.union_with(&origins);
    }

    fn origins(&self, expr: &Expr) -> IdSet<VarId> {
        origins(self.forgotten, &self.tainted, expr)
    }
}
