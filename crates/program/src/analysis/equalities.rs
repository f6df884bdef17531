//! Which variables have which constant values if a condition holds.

use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::ir::VarId;

/// Tells of each scalar that the condition fixes which constant it has; there may be more.
pub fn constants_if(condition: &Expr, tell: &mut dyn FnMut(VarId, &Expr)) {
    match condition {
        Expr::Binary(BinaryOp::And, sides) => sides.iter().for_each(|side| constants_if(side, tell)),
        Expr::Binary(BinaryOp::Eq, sides) => {
            if let [Expr::Var(var), value @ (Expr::Int(_) | Expr::Bool(_))]
            | [value @ (Expr::Int(_) | Expr::Bool(_)), Expr::Var(var)] = &**sides
            {
                tell(*var, value);
            }
        }
        Expr::Unary(UnaryOp::Not, operand) => {
            if let Expr::Var(var) = **operand {
                tell(var, &Expr::Bool(false));
            }
        }
        Expr::Var(var) => tell(*var, &Expr::Bool(true)),
        _ => {}
    }
}
