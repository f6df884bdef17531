//! Makes scalars of the cells of arrays that are only used with constant indices.
//!
//! `flag[0]` and `flag[1]` are then two variables like any other: one can be private or
//! constant while the other is not, and engines need no theory of arrays for them.
//!
//! The states of both programs are the same but for names: each cell is read and written by the same
//! operations as before. An array with an index that is not a number inside of it, in whatever
//! operation, place, property or precondition, stays whole, so every step is defined that was.

use crate::back::BackMap;
use crate::draft::Draft;
use crate::draft::rename::map_exprs;
use crate::pass::Pass;
use rely_program::analysis::IdSet;
use rely_program::{Expr, Initial, Op, Place, Program, PropertyKind, Scope, ThreadKind, Value, Var, VarId};
use rustc_hash::FxHashMap;

/// Arrays with more cells stay.
const MOST_CELLS: u32 = 64;

/// The program with the cells of small arrays as variables, where all indices are known.
#[derive(Clone, Copy, Debug)]
pub struct SplitArrays;

impl Pass for SplitArrays {
    fn name(&self) -> &'static str {
        "split_arrays"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let mut draft = Draft::new(program);
        let cells = Cells::new(program, &mut draft);
        for (_, edge) in draft.program.edges_mut().iter_mut() {
            for op in &mut edge.ops {
                *op = cells.op(op);
            }
        }
        for property in draft.program.properties_mut() {
            if let PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) = &mut property.kind {
                *condition = cells.expr(condition);
            }
        }
        for condition in draft.program.requires_mut() {
            *condition = cells.expr(condition);
        }
        draft.finish()
    }
}

/// The variables that the cells of each array become.
struct Cells {
    vars: FxHashMap<VarId, Vec<VarId>>,
}

impl Cells {
    fn new(program: &Program, draft: &mut Draft<'_>) -> Self {
        let unsplittable = unsplittable(program);
        let mut vars = FxHashMap::default();
        for (array, declaration) in program.vars().iter() {
            if declaration.length.is_none() || unsplittable.contains(array) {
                continue;
            }
            let cells =
                (0..declaration.cells()).map(|cell| draft.add_cell(array, cell_of(declaration, cell), cell));
            vars.insert(array, cells.collect());
            draft.remove_var(array);
        }
        Self { vars }
    }

    fn cell(&self, array: VarId, index: &Expr) -> Option<VarId> {
        let Expr::Int(index) = index else { return None };
        self.vars.get(&array)?.get(usize::try_from(*index).ok()?).copied()
    }

    fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Element(array, index) => match self.cell(*array, index) {
                Some(var) => Expr::Var(var),
                None => Expr::element(*array, self.expr(index)),
            },
            other => other.map_children(|child| self.expr(child)),
        }
    }

    fn place(&self, place: Place) -> Place {
        match place {
            Place::Element(array, index) => match self.cell(array, &index) {
                Some(var) => Place::Scalar(var),
                None => Place::Element(array, index),
            },
            scalar => scalar,
        }
    }

    fn op(&self, op: &Op) -> Op {
        match map_exprs(op, |expr| self.expr(expr)) {
            Op::Assign(assignments) => {
                Op::Assign(assignments.into_iter().map(|(place, value)| (self.place(place), value)).collect())
            }
            Op::Havoc(place, domain) => Op::Havoc(self.place(place), domain),
            Op::Spawn { thread, arguments, handle } => {
                Op::Spawn { thread, arguments, handle: handle.map(|place| self.place(place)) }
            }
            other => other,
        }
    }
}

/// A cell as a variable of its own.
fn cell_of(array: &Var, cell: usize) -> Var {
    let initial = match &array.initial {
        Initial::Values(values) => Initial::Values(vec![values[cell]]),
        Initial::Any(domain) => Initial::Any(*domain),
    };
    Var { name: format!("{}[{cell}]", array.name), length: None, initial, ..array.clone() }
}

/// The arrays that are too large, or used with an index that is not known or out of bounds,
/// or whose cells are chosen when a thread is spawned (the order of choices must stay).
fn unsplittable(program: &Program) -> IdSet<VarId> {
    let is_out = |array: VarId, index: &Expr| {
        let cells = program.vars()[array].cells() as Value;
        !matches!(index, Expr::Int(index) if (0..cells).contains(index))
    };
    let mut found: IdSet<VarId> = IdSet::new();
    for (id, var) in program.vars().iter() {
        let is_spawned_any = match (var.scope, &var.initial) {
            (Scope::Local(thread), Initial::Any(_)) => program.threads()[thread].kind == ThreadKind::Template,
            _ => false,
        };
        if is_spawned_any || var.length.is_some_and(|length| length > MOST_CELLS) {
            found.insert(id);
        }
    }
    let mut look = |expr: &Expr| {
        expr.walk(&mut |part| {
            if let Expr::Element(array, index) = part
                && is_out(*array, index)
            {
                found.insert(*array);
            }
        });
    };
    for op in program.edges().values().flat_map(|edge| &edge.ops) {
        // A place is looked at as if it were read.
        let mut look_at_place = |place: &Place| look(&place.read());
        match op {
            Op::Assign(assignments) => assignments.iter().for_each(|(place, _)| look_at_place(place)),
            Op::Havoc(place, _) => look_at_place(place),
            Op::Spawn { handle, .. } => handle.iter().for_each(look_at_place),
            _ => {}
        }
        map_exprs(op, |expr| {
            look(expr);
            expr.clone()
        });
    }
    for property in program.properties() {
        if let PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) = &property.kind {
            look(condition);
        }
    }
    program.requires().iter().for_each(look);
    found
}
