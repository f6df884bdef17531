//! Writes known values of a thread's own variables in place of the variables.
//!
//! Behind a loop that was written out, `t[i]` is `t[3]`: a cell that has a name. What [`FoldConstants`] does is
//! more than that, and too much where every access counts: it drops reads of shared variables that do not matter
//! for a value. Here no read of a shared variable, no operation and no edge goes, and only expressions without any
//! variable are computed. A thread's own variables are read by nobody else, so that it makes no difference
//! whether they are read at all; [`Constants`] says what their values are wherever an operation is reached.
//!
//! [`FoldConstants`]: super::FoldConstants

use crate::back::BackMap;
use crate::draft::Draft;
use crate::draft::rename::map_exprs;
use crate::pass::Pass;
use rely_program::analysis::{Constants, Env, fold};
use rely_program::{EdgeId, Expr, Op, Program};

/// The program in which variables of threads are replaced by their values where these are known.
#[derive(Clone, Copy, Debug)]
pub struct InsertConstants;

impl Pass for InsertConstants {
    fn name(&self) -> &'static str {
        "insert_constants"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let constants = Constants::new(program);
        let mut draft = Draft::new(program);
        for id in program.edges().ids() {
            if let Some(ops) = with_constants(program, &constants, id) {
                draft.program.edges_mut()[id].ops = ops;
            }
        }
        draft.finish()
    }
}

/// The operations of an edge with known values; `None` if no run comes to it.
fn with_constants(program: &Program, constants: &Constants, id: EdgeId) -> Option<Vec<Op>> {
    let edge = &program.edges()[id];
    let thread = program.locations()[edge.source].thread;
    let mut env = constants.at(edge.source)?.clone();
    let mut ops = Vec::with_capacity(edge.ops.len());
    // Nobody gets behind an operation that lets no run pass, so nothing is known there.
    let mut is_passed = true;
    for op in &edge.ops {
        match is_passed {
            true => ops.push(map_exprs(op, |expr| inserted(program, &env, expr))),
            false => ops.push(op.clone()),
        }
        is_passed = is_passed && constants.step(program, thread, &mut env, op);
    }
    Some(ops)
}

/// The expression with known values of own variables, and with what has no variables any more computed.
fn inserted(program: &Program, env: &Env, expr: &Expr) -> Expr {
    match expr {
        Expr::Var(var) if program.vars()[*var].is_global() => expr.clone(),
        Expr::Var(_) => fold(program, env, expr),
        Expr::Element(array, index) => Expr::element(*array, inserted(program, env, index)),
        _ => {
            let expr = expr.map_children(|child| inserted(program, env, child));
            match mentions_nothing(&expr) {
                true => fold(program, &Env::default(), &expr),
                false => expr,
            }
        }
    }
}

/// Whether the expression is made of constants alone.
fn mentions_nothing(expr: &Expr) -> bool {
    let mut is_constant = true;
    expr.walk(&mut |part| {
        is_constant &= !matches!(
            part,
            Expr::Var(_) | Expr::Element(..) | Expr::This | Expr::CountAt(_) | Expr::CountRunning(_)
        );
    });
    is_constant
}
