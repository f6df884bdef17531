//! Expressions and types as text.

use super::{Printer, STEP, WIDTH};
use crate::ast::{Expr, ExprKind, InitialExpr, Labels, Range, Target, ThreadRef, TypeExpr};

impl Printer<'_> {
    pub(super) fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            // As it was written: hexadecimal digits and `_` stay.
            ExprKind::Int(_) => self.source(expr.span).to_owned(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Name(name) => name.clone(),
            ExprKind::This => "this".into(),
            ExprKind::Element(name, index) => format!("{}[{}]", name.text, self.expr(index)),
            ExprKind::Local(thread, local, cell) => {
                let cell = cell.as_ref().map_or(String::new(), |cell| format!("[{}]", self.expr(cell)));
                format!("{}.{}{cell}", self.thread(thread), local.text)
            }
            ExprKind::At(thread, places) => format!("{} at {}", self.thread(thread), labels(places)),
            ExprKind::Count(count) => {
                let places =
                    count.labels.as_ref().map_or(String::new(), |places| format!(" at {}", labels(places)));
                let condition = count
                    .condition
                    .as_ref()
                    .map_or(String::new(), |condition| format!(" && {}", self.expr(condition)));
                format!("#({}{places}{condition})", self.thread(&count.thread))
            }
            ExprKind::Unary(op, operand) => format!("{}{}", op.symbol(), self.expr(operand)),
            ExprKind::Binary(op, operands) => {
                format!("{} {} {}", self.expr(&operands[0]), op.symbol(), self.expr(&operands[1]))
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                format!("{} ? {} : {}", self.expr(condition), self.expr(yes), self.expr(no))
            }
            ExprKind::Quantified(quantified) => {
                let word = if quantified.universal { "forall" } else { "exists" };
                let range = self.range(&quantified.range);
                format!("{word} {} in {range}: {}", quantified.variable.text, self.expr(&quantified.body))
            }
            ExprKind::Paren(inner) => format!("({})", self.expr(inner)),
        }
    }

    fn thread(&self, thread: &ThreadRef) -> String {
        match &thread.index {
            Some(index) => format!("{}[{}]", thread.name.text, self.expr(index)),
            None => thread.name.text.clone(),
        }
    }

    /// `prefix expr suffix`, on several lines if it is too long for one: the operands of the
    /// outermost operator are put below each other.
    pub(super) fn around(&self, prefix: &str, expr: &Expr, suffix: &str) -> String {
        let flat = format!("{prefix}{}{suffix}", self.expr(expr));
        if self.indent + flat.chars().count() <= WIDTH {
            return flat;
        }
        let ExprKind::Binary(outermost, _) = &expr.kind else { return flat };
        let mut operands = Vec::new();
        let mut rest = expr;
        while let ExprKind::Binary(op, parts) = &rest.kind
            && op == outermost
        {
            operands.push(self.expr(&parts[1]));
            rest = &parts[0];
        }
        let break_before = format!("\n{}{} ", " ".repeat(self.indent + STEP), outermost.symbol());
        let mut broken = format!("{prefix}{}", self.expr(rest));
        for operand in operands.iter().rev() {
            broken.push_str(&break_before);
            broken.push_str(operand);
        }
        broken + suffix
    }

    pub(super) fn range(&self, range: &Range) -> String {
        format!("{}..{}", self.expr(&range.low), self.expr(&range.high))
    }

    pub(super) fn exprs(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.expr(expr)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn target(&self, target: &Target) -> String {
        match &target.index {
            Some(index) => format!("{}[{}]", target.name.text, self.expr(index)),
            None => target.name.text.clone(),
        }
    }

    pub(super) fn type_expr(&self, ty: &TypeExpr) -> String {
        let length = ty.length.as_ref().map_or(String::new(), |length| format!("[{}]", self.expr(length)));
        let range = ty.range.as_ref().map_or(String::new(), |range| format!(" in {}", self.range(range)));
        let atomic = if ty.is_atomic { "atomic " } else { "" };
        format!("{atomic}{}{length}{range}", ty.base.name())
    }

    pub(super) fn initial(&self, initial: &InitialExpr) -> String {
        match initial {
            InitialExpr::Any(_) => "*".into(),
            InitialExpr::Value(value) => self.expr(value),
            InitialExpr::List(values, _) => format!("{{{}}}", self.exprs(values)),
        }
    }
}

fn labels(labels: &Labels) -> String {
    let names: Vec<&str> = labels.names.iter().map(|name| name.text.as_str()).collect();
    if labels.braces { format!("{{{}}}", names.join(", ")) } else { names.concat() }
}
