//! Expressions: names are resolved, types are checked, constants are computed.

use super::{Symbol, Translator, Typed, Variable, Viewer, fold, type_name};
use crate::ast::{BaseType, Binary, Expr, ExprKind, Name, Quantified, Unary};
use crate::limits;
use rely_base::{Diagnostic, Span};
use rely_program::{BinaryOp, Expr as Term, UnaryOp, Value};

/// An expression of the program with its type in the source.
pub(super) type TypedTerm = Typed<Term>;

/// What a name means to a viewer.
pub(super) enum Meaning {
    Constant(Typed<Value>),
    Variable(Variable),
    Agent(usize),
}

fn int(value: Term) -> Option<TypedTerm> {
    Some(Typed { value, ty: BaseType::Int })
}

pub(super) fn truth(value: Term) -> Option<TypedTerm> {
    Some(Typed { value, ty: BaseType::Bool })
}

impl<'a> Translator<'a> {
    /// The expression as the viewer sees it; `None` if something is wrong with it, which has
    /// been reported.
    pub(super) fn expression(&mut self, expr: &Expr, viewer: Viewer) -> Option<TypedTerm> {
        self.charge(1, expr.span)?;
        match &expr.kind {
            ExprKind::Int(value) => int(Term::Int(*value)),
            ExprKind::Bool(value) => truth(Term::Bool(*value)),
            ExprKind::Paren(inner) => self.expression(inner, viewer),
            ExprKind::Name(name) => self.named(name, expr.span, viewer),
            ExprKind::This => self.this(expr.span, viewer),
            ExprKind::Element(name, index) => {
                let variable = self.variable(name, viewer)?;
                if variable.length.is_none() {
                    return self.no_array(name);
                }
                let index = self.expect(index, BaseType::Int, viewer)?;
                Some(Typed { value: Term::element(variable.id, index), ty: variable.ty })
            }
            ExprKind::Local(thread, local, cell) => {
                self.observed_local(thread, local, cell.as_deref(), expr.span, viewer)
            }
            ExprKind::At(thread, labels) => self.observed_place(thread, labels, expr.span, viewer),
            ExprKind::Count(count) => self.observed_count(count, expr.span, viewer),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, viewer),
            ExprKind::Binary(op, operands) => {
                let [left, right] = operands.as_ref();
                self.binary(*op, left, right, viewer)
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.conditional(condition, yes, no, viewer)
            }
            ExprKind::Quantified(quantified) => self.quantified(quantified, viewer),
        }
    }

    /// The expression, which must have this type.
    pub(super) fn expect(&mut self, expr: &Expr, ty: BaseType, viewer: Viewer) -> Option<Term> {
        let found = self.expression(expr, viewer)?;
        if found.ty == ty {
            return Some(found.value);
        }
        self.mismatch(expr.span, ty, found.ty);
        None
    }

    fn this(&mut self, span: Span, viewer: Viewer) -> Option<TypedTerm> {
        if let Viewer::Copy(_) = viewer {
            return Some(Typed { value: Term::This, ty: BaseType::Thread });
        }
        self.error(Diagnostic::error("`this` can only be used inside a thread").at(span, "whose handle?"));
        None
    }

    // Names.

    fn named(&mut self, name: &str, span: Span, viewer: Viewer) -> Option<TypedTerm> {
        if name == "me" {
            return self.me(span, viewer);
        }
        match self.meaning(name, span, viewer)? {
            Meaning::Constant(Typed { value, ty: BaseType::Bool }) => truth(Term::Bool(value != 0)),
            Meaning::Constant(Typed { value, ty }) => Some(Typed { value: Term::Int(value), ty }),
            Meaning::Variable(variable) if variable.length.is_some() => {
                let error = Diagnostic::error(format!("`{name}` is an array"))
                    .at(span, "which of its cells?")
                    .help(format!("write `{name}[...]`"));
                self.error(error);
                None
            }
            Meaning::Variable(variable) => Some(Typed { value: Term::Var(variable.id), ty: variable.ty }),
            Meaning::Agent(agent) => {
                let what = if self.agents[agent].is_process { "process" } else { "thread" };
                let error = Diagnostic::error(format!("`{name}` is a {what}"))
                    .at(span, "not a value")
                    .help(format!("write `{name} at label`, `{name}.local` or `#({name})`"));
                self.error(error);
                None
            }
        }
    }

    fn me(&mut self, span: Span, viewer: Viewer) -> Option<TypedTerm> {
        let me = self.number(viewer);
        if me.is_none() {
            let error = Diagnostic::error("`me` can only be used inside a replicated thread")
                .at(span, "the number of which copy?")
                .help("threads are replicated as in `thread W[3] { ... }`");
            self.error(error);
        }
        int(Term::Int(me?))
    }

    /// The value of `me` for the viewer.
    pub(super) fn number(&self, viewer: Viewer) -> Option<Value> {
        match viewer {
            Viewer::Compiler { me } => me,
            Viewer::Copy(copy) | Viewer::Member(copy) => self.copies[copy].me,
            Viewer::Observer => None,
        }
    }

    /// What a name means to the viewer: the innermost declaration counts.
    pub(super) fn meaning(&mut self, name: &str, span: Span, viewer: Viewer) -> Option<Meaning> {
        if let Some((_, value)) = self.bindings.iter().rev().find(|(bound, _)| bound == name) {
            return Some(Meaning::Constant(Typed { value: *value, ty: BaseType::Int }));
        }
        if let Some(copy) = viewer.copy()
            && let Some(local) = self.copies[copy].locals.get(name)
        {
            return Some(Meaning::Variable(*local));
        }
        match self.names.get(name) {
            Some((Symbol::Constant(value), _)) => Some(Meaning::Constant(*value)),
            Some((Symbol::Variable(_), declared)) if matches!(viewer, Viewer::Compiler { .. }) => {
                let declared = *declared;
                self.not_constant(name, span, declared);
                None
            }
            Some((Symbol::Variable(variable), _)) => Some(Meaning::Variable(*variable)),
            Some((Symbol::Agent(agent), _)) => Some(Meaning::Agent(*agent)),
            None => {
                self.unknown(name, span, viewer);
                None
            }
        }
    }

    fn not_constant(&mut self, name: &str, span: Span, declared: Span) {
        let error = Diagnostic::error(format!("`{name}` is not a constant"))
            .at(span, "its value is not known before the program runs")
            .see(declared, "declared as a variable");
        self.error(error);
    }

    fn unknown(&mut self, name: &str, span: Span, viewer: Viewer) {
        let error = Diagnostic::error(format!("`{name}` is not declared")).at(span, "unknown name");
        if let Some(declared) = self.later_variables.get(name) {
            self.not_constant(name, span, *declared);
            return;
        }
        if let Some(declared) = self.later_constants.get(name) {
            let error = error
                .see(*declared, "declared only here")
                .help("constants are declared before they are used");
            self.error(error);
            return;
        }
        let mut known: Vec<&str> = self.bindings.iter().map(|(bound, _)| bound.as_str()).collect();
        if let Some(copy) = viewer.copy() {
            known.extend(self.copies[copy].locals.keys().map(String::as_str));
        }
        known.extend(self.names.keys());
        known.sort_unstable();
        let help = match rely_base::similar(name, known) {
            Some(similar) => Some(format!("did you mean `{similar}`?")),
            None => self.help_for_unknown(name, viewer),
        };
        self.error(match help {
            Some(help) => error.help(help),
            None => error,
        });
    }

    /// A local or a label of some thread may have been meant.
    fn help_for_unknown(&self, name: &str, viewer: Viewer) -> Option<String> {
        if !viewer.is_property() {
            return None;
        }
        self.agents.iter().find_map(|agent| {
            let thread = &agent.name.text;
            let locals = agent.body.locals.iter().flat_map(|declaration| &declaration.names);
            if locals.into_iter().any(|local| local.text == name) {
                return Some(format!("the local of `{thread}` is written `{thread}.{name}`"));
            }
            agent
                .flow
                .labels
                .contains_key(name)
                .then(|| format!("to stand there is written `{thread} at {name}`"))
        })
    }

    /// The variable of a name.
    pub(super) fn variable(&mut self, name: &Name, viewer: Viewer) -> Option<Variable> {
        match self.meaning(&name.text, name.span, viewer)? {
            Meaning::Variable(variable) => Some(variable),
            Meaning::Constant(_) => {
                let error = Diagnostic::error(format!("`{}` is a constant", name.text));
                self.error(error.at(name.span, "not a variable"));
                None
            }
            Meaning::Agent(_) => {
                let error = Diagnostic::error(format!("`{}` is a thread", name.text));
                self.error(error.at(name.span, "not a variable"));
                None
            }
        }
    }

    pub(super) fn no_array<T>(&mut self, name: &Name) -> Option<T> {
        let error = Diagnostic::error(format!("`{}` is not an array", name.text));
        self.error(error.at(name.span, "it has no cells"));
        None
    }

    // Operators.

    fn unary(&mut self, op: Unary, operand: &Expr, viewer: Viewer) -> Option<TypedTerm> {
        let (term_op, ty) = match op {
            Unary::Neg => (UnaryOp::Neg, BaseType::Int),
            Unary::BitNot => (UnaryOp::BitNot, BaseType::Int),
            Unary::Not => (UnaryOp::Not, BaseType::Bool),
        };
        let found = self.expression(operand, viewer)?;
        if found.ty != ty {
            self.operand_error(op.symbol(), operand.span, ty, found.ty, None);
            return None;
        }
        Some(Typed { value: fold::unary(term_op, found.value), ty })
    }

    fn operand_error(
        &mut self,
        op: &str,
        span: Span,
        expected: BaseType,
        found: BaseType,
        help: Option<&str>,
    ) {
        let error =
            Diagnostic::error(format!("`{op}` needs {}, found {}", type_name(expected), type_name(found)))
                .at(span, format!("this is {}", type_name(found)));
        self.error(match help {
            Some(help) => error.help(help),
            None => error,
        });
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr, viewer: Viewer) -> Option<TypedTerm> {
        let (first, second) = (self.expression(left, viewer), self.expression(right, viewer));
        let (first, second) = (first?, second?);
        let needed = match op {
            Binary::Eq | Binary::Ne => {
                self.check_equality(op, (left, first.ty), (right, second.ty))?;
                None
            }
            Binary::And | Binary::Or | Binary::Implies | Binary::Iff => Some(BaseType::Bool),
            _ => Some(BaseType::Int),
        };
        if let Some(needed) = needed {
            for (operand, found) in [(left, first.ty), (right, second.ty)] {
                if found != needed {
                    self.operand_error(
                        op.symbol(),
                        operand.span,
                        needed,
                        found,
                        precedence_help(op, operand),
                    );
                    return None;
                }
            }
        }
        let value = fold::binary(term_operator(op), first.value, second.value);
        let is_truth = needed != Some(BaseType::Int) || op.is_comparison();
        Some(Typed { value, ty: if is_truth { BaseType::Bool } else { BaseType::Int } })
    }

    /// Equal things have one type; the handle in a mutex can be looked at as a number.
    fn check_equality(
        &mut self,
        op: Binary,
        left: (&Expr, BaseType),
        right: (&Expr, BaseType),
    ) -> Option<()> {
        let is_handle = |ty| matches!(ty, BaseType::Mutex | BaseType::Thread);
        let compatible = left.1 == right.1
            || (left.1 != BaseType::Bool
                && right.1 != BaseType::Bool
                && (is_handle(left.1) || is_handle(right.1)));
        if compatible {
            return Some(());
        }
        let error = Diagnostic::error(format!(
            "`{}` compares {} with {}",
            op.symbol(),
            type_name(left.1),
            type_name(right.1)
        ))
        .at(right.0.span, format!("this is {}", type_name(right.1)))
        .see(left.0.span, format!("this is {}", type_name(left.1)));
        self.error(error);
        None
    }

    fn conditional(&mut self, condition: &Expr, yes: &Expr, no: &Expr, viewer: Viewer) -> Option<TypedTerm> {
        let condition = self.expect(condition, BaseType::Bool, viewer);
        let (first, second) = (self.expression(yes, viewer), self.expression(no, viewer));
        let (condition, first, second) = (condition?, first?, second?);
        if first.ty != second.ty {
            self.mismatch(no.span, first.ty, second.ty);
            return None;
        }
        Some(Typed { value: fold::conditional(condition, first.value, second.value), ty: first.ty })
    }

    // Quantifiers.

    /// One copy of the body for each value.
    fn quantified(&mut self, quantified: &Quantified, viewer: Viewer) -> Option<TypedTerm> {
        let Quantified { universal, variable, range, body } = quantified;
        let me = self.number(viewer);
        let (low, high) = (self.constant_int(&range.low, me), self.constant_int(&range.high, me));
        let (low, high) = (low?, high?);
        let count = high.checked_sub(low)?.saturating_add(1);
        if count > limits::QUANTIFIER_RANGE {
            let error = Diagnostic::error("a quantifier ranges over too many values")
                .at(range.low.span.to(range.high.span), format!("more than {}", limits::QUANTIFIER_RANGE));
            self.error(error);
            return None;
        }
        let mut parts = Vec::new();
        for value in low..=high {
            self.bindings.push((variable.text.clone(), value));
            let part = self.expect(body, BaseType::Bool, viewer);
            self.bindings.pop();
            parts.push(part?);
        }
        let op = if *universal { BinaryOp::And } else { BinaryOp::Or };
        truth(fold::balanced(op, parts, Term::Bool(*universal)))
    }
}

/// In C and here, `x & 1 == 0` is `x & (1 == 0)`.
fn precedence_help(op: Binary, operand: &Expr) -> Option<&'static str> {
    let is_bitwise = matches!(op, Binary::BitAnd | Binary::BitOr | Binary::BitXor);
    match &operand.kind {
        ExprKind::Binary(inner, _) if is_bitwise && inner.is_comparison() => {
            Some("comparisons bind more tightly than `&`, `^` and `|`, as in C: use parentheses")
        }
        _ => None,
    }
}

fn term_operator(op: Binary) -> BinaryOp {
    match op {
        Binary::Iff | Binary::Eq => BinaryOp::Eq,
        Binary::Ne => BinaryOp::Ne,
        Binary::Implies => BinaryOp::Implies,
        Binary::Or => BinaryOp::Or,
        Binary::And => BinaryOp::And,
        Binary::BitOr => BinaryOp::BitOr,
        Binary::BitXor => BinaryOp::BitXor,
        Binary::BitAnd => BinaryOp::BitAnd,
        Binary::Lt => BinaryOp::Lt,
        Binary::Le => BinaryOp::Le,
        Binary::Gt => BinaryOp::Gt,
        Binary::Ge => BinaryOp::Ge,
        Binary::Shl => BinaryOp::Shl,
        Binary::Shr => BinaryOp::Shr,
        Binary::Add => BinaryOp::Add,
        Binary::Sub => BinaryOp::Sub,
        Binary::Mul => BinaryOp::Mul,
        Binary::Div => BinaryOp::Div,
        Binary::Rem => BinaryOp::Rem,
    }
}
