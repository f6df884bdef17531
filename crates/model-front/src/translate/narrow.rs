//! What `requires` says about the initial values of single variables.
//!
//! `var x: int; requires x == 0;` has one initial state, but an engine that looks at the
//! condition only after it has chosen a value for `x` would have infinitely many to try. So
//! conditions that bound one variable by constants narrow its initial values at once.

use super::Translator;
use crate::ast::{Ast, BaseType, Binary, Expr, ExprKind, ItemKind, Name, PropertyClause, Unary};
use rely_base::{Diagnostic, Span};
use rely_program::{Domain, Initial, Value};
use rustc_hash::FxHashMap;

/// The bounds of each variable that has some.
pub(super) type Bounds<'a> = FxHashMap<&'a str, Bound>;

/// What is known of the initial value of a variable; truth values are 0 and 1.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    low: Value,
    high: Value,
    is_bool: bool,
    /// A condition that says so.
    span: Span,
}

impl<'a> Translator<'a> {
    /// Reads the bounds off the preconditions.
    pub(super) fn initial_bounds(&mut self, ast: &'a Ast) -> Bounds<'a> {
        let mut bounds = Bounds::default();
        for item in &ast.items {
            if let ItemKind::Property(PropertyClause::Requires(condition)) = &item.kind {
                self.collect_bounds(condition, &mut bounds);
            }
        }
        bounds
    }

    fn collect_bounds(&mut self, condition: &'a Expr, bounds: &mut Bounds<'a>) {
        let exactly = |value: bool| (Value::from(value), Value::from(value));
        match &condition.kind {
            ExprKind::Paren(inner) => self.collect_bounds(inner, bounds),
            ExprKind::Binary(Binary::And, operands) => {
                self.collect_bounds(&operands[0], bounds);
                self.collect_bounds(&operands[1], bounds);
            }
            ExprKind::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                self.comparison(*op, left, right, condition.span, bounds);
                if let Some(turned) = turned(*op) {
                    self.comparison(turned, right, left, condition.span, bounds);
                }
            }
            ExprKind::Name(name) => self.add_bound(name, exactly(true), true, condition.span, bounds),
            ExprKind::Unary(Unary::Not, operand) => {
                if let ExprKind::Name(name) = &operand.kind {
                    self.add_bound(name, exactly(false), true, condition.span, bounds);
                }
            }
            _ => {}
        }
    }

    fn comparison(
        &mut self,
        op: Binary,
        left: &'a Expr,
        right: &'a Expr,
        span: Span,
        bounds: &mut Bounds<'a>,
    ) {
        let ExprKind::Name(name) = &left.kind else { return };
        // What is no constant is no mistake here.
        let before = (self.errors.len(), self.nodes, self.gave_up);
        let constant = self.constant(right, None);
        self.errors.truncate(before.0);
        (self.nodes, self.gave_up) = (before.1, before.2);
        let Some(constant) = constant else { return };
        let value = constant.value;
        let range = match op {
            Binary::Eq | Binary::Iff => (value, value),
            Binary::Le => (Value::MIN, value),
            Binary::Lt => (Value::MIN, value.saturating_sub(1)),
            Binary::Ge => (value, Value::MAX),
            Binary::Gt => (value.saturating_add(1), Value::MAX),
            _ => return,
        };
        self.add_bound(name, range, constant.ty == BaseType::Bool, span, bounds);
    }

    fn add_bound(
        &mut self,
        name: &'a str,
        (low, high): (Value, Value),
        is_bool: bool,
        span: Span,
        bounds: &mut Bounds<'a>,
    ) {
        let new = Bound { low, high, is_bool, span };
        let bound = bounds.entry(name).or_insert(new);
        if bound.is_bool == is_bool {
            bound.low = bound.low.max(low);
            bound.high = bound.high.min(high);
        }
    }

    /// The initial values of a variable that satisfy what is known of it.
    pub(super) fn narrowed(
        &mut self,
        name: &Name,
        is_array: bool,
        initial: Initial,
        bounds: &Bounds<'a>,
    ) -> Initial {
        let Some(bound) = bounds.get(name.text.as_str()) else { return initial };
        let (mut low, mut high) = (bound.low, bound.high);
        match &initial {
            _ if is_array => return initial,
            Initial::Values(values) => (low, high) = (low.max(values[0]), high.min(values[0])),
            Initial::Any(Domain::Bool) if bound.is_bool => (low, high) = (low.max(0), high.min(1)),
            Initial::Any(Domain::Range { low: least, high: most }) if !bound.is_bool => {
                (low, high) = (low.max(*least), high.min(*most));
            }
            Initial::Any(Domain::AllInts) if !bound.is_bool => {}
            // Types that do not fit are reported where the condition is translated.
            Initial::Any(_) => return initial,
        }
        if low > high {
            let error =
                Diagnostic::error(format!("no initial value of `{}` satisfies the `requires`", name.text))
                    .at(bound.span, "this cannot hold")
                    .see(name.span, "declared here");
            self.error(error);
            return initial;
        }
        match initial {
            Initial::Any(_) if low == high => Initial::Values(vec![low]),
            Initial::Any(Domain::AllInts | Domain::Range { .. })
                if low != Value::MIN && high != Value::MAX =>
            {
                Initial::Any(Domain::Range { low, high })
            }
            other => other,
        }
    }
}

/// The comparison with its sides exchanged.
fn turned(op: Binary) -> Option<Binary> {
    Some(match op {
        Binary::Eq => Binary::Eq,
        Binary::Iff => Binary::Iff,
        Binary::Lt => Binary::Gt,
        Binary::Le => Binary::Ge,
        Binary::Gt => Binary::Lt,
        Binary::Ge => Binary::Le,
        _ => return None,
    })
}
