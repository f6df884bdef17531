//! Constants and variables.

use super::narrow::Bounds;
use super::{Symbol, Translator, Typed, Variable, Viewer, sort, type_name};
use crate::ast::{Ast, BaseType, Expr, InitialExpr, ItemKind, Name, TypeExpr, VarDecl};
use crate::limits;
use rely_base::{Diagnostic, Span, plural};
use rely_program::{Domain, Initial, Scope, Value, Var};

/// A type with all its constants known.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    is_atomic: bool,
    base: BaseType,
    length: Option<u32>,
    range: Option<(Value, Value)>,
}

impl Shape {
    fn domain(self) -> Domain {
        match self.range {
            Some((low, high)) => Domain::Range { low, high },
            None => Domain::of(sort(self.base)),
        }
    }

    pub(super) fn range(self) -> Option<(Value, Value)> {
        self.range
    }

    /// Some value of the type.
    pub(super) fn default_value(self) -> Value {
        self.domain().default_value().unwrap_or(0)
    }

    fn cells(self) -> usize {
        self.length.map_or(1, |length| length as usize)
    }
}

impl<'a> Translator<'a> {
    pub(super) fn declare_constants(&mut self, ast: &'a Ast) {
        for item in &ast.items {
            if let ItemKind::Const { name, .. } = &item.kind {
                self.later_constants.entry(&name.text).or_insert(name.span);
            }
            if let ItemKind::Var(declaration) = &item.kind {
                let names = declaration.names.iter().map(|name| (name.text.as_str(), name.span));
                self.later_variables.extend(names);
            }
        }
        for item in &ast.items {
            if let ItemKind::Const { name, value } = &item.kind {
                let value = self.constant(value, None);
                self.later_constants.remove(name.text.as_str());
                // A wrong constant is declared too: its uses are not wrong.
                let value = value.unwrap_or(Typed { value: 0, ty: BaseType::Int });
                self.declare(name, Symbol::Constant(value));
            }
        }
    }

    pub(super) fn declare_globals(&mut self, ast: &'a Ast, bounds: &Bounds<'a>) {
        for item in &ast.items {
            let ItemKind::Var(declaration) = &item.kind else { continue };
            let shape = self.shape(&declaration.ty, None);
            for name in &declaration.names {
                let initial = self.initial(declaration, shape, None);
                let initial = self.narrowed(name, shape.length.is_some(), initial, bounds);
                let variable = self.add_variable(name, shape, Scope::Global, initial);
                self.declare(name, Symbol::Variable(variable));
            }
        }
    }

    pub(super) fn add_variable(
        &mut self,
        name: &Name,
        shape: Shape,
        scope: Scope,
        initial: Initial,
    ) -> Variable {
        let Shape { is_atomic, base, length, range } = shape;
        let var = Var {
            name: name.text.clone(),
            sort: sort(base),
            scope,
            length,
            initial,
            span: Some(name.span),
            atomic: is_atomic,
        };
        Variable { id: self.builder.var(var), ty: base, length, range }
    }

    /// A type, after its array length and range were computed. What is wrong is reported and
    /// replaced.
    pub(super) fn shape(&mut self, ty: &TypeExpr, me: Option<Value>) -> Shape {
        let length = ty.length.as_ref().and_then(|length| self.array_length(length, me));
        let mut range = None;
        if let Some(written) = &ty.range {
            if ty.base != BaseType::Int {
                self.error(
                    Diagnostic::error(format!("{} has no range", type_name(ty.base)))
                        .at(ty.span, "only an int has"),
                );
            } else if let (Some(low), Some(high)) =
                (self.constant_int(&written.low, me), self.constant_int(&written.high, me))
            {
                if low <= high {
                    range = Some((low, high));
                } else {
                    let span = written.low.span.to(written.high.span);
                    self.error(
                        Diagnostic::error("a range is empty").at(span, format!("{low} is more than {high}")),
                    );
                }
            }
        }
        let is_atomic = ty.is_atomic || ty.base == BaseType::Mutex;
        Shape { is_atomic, base: ty.base, length, range }
    }

    fn array_length(&mut self, length: &Expr, me: Option<Value>) -> Option<u32> {
        let cells = self.constant_int(length, me)?;
        if cells < 1 {
            let error = Diagnostic::error(format!("an array cannot have {cells} cells"));
            self.error(error.at(length.span, "at least one"));
            return Some(1);
        }
        let cells = u64::try_from(cells).unwrap_or(u64::MAX);
        self.cells = self.cells.saturating_add(cells);
        if self.cells > limits::CELLS {
            let error = Diagnostic::error("the arrays are too large")
                .at(length.span, format!("more than {} cells in total", limits::CELLS));
            self.error(error);
            return Some(1);
        }
        Some(cells as u32)
    }

    /// The values with which the variables of a declaration start.
    pub(super) fn initial(&mut self, declaration: &VarDecl, shape: Shape, me: Option<Value>) -> Initial {
        let cells = shape.cells();
        if let (BaseType::Mutex | BaseType::Thread, initial) = (shape.base, &declaration.initial) {
            if initial.is_some() {
                let what = if shape.base == BaseType::Mutex {
                    "a mutex starts free"
                } else {
                    "a thread variable starts with no thread"
                };
                self.error(Diagnostic::error(what).at(declaration.span, "an initial value cannot be given"));
            }
            return Initial::Values(vec![0; cells]);
        }
        match &declaration.initial {
            None | Some(InitialExpr::Any(_)) => Initial::Any(shape.domain()),
            Some(InitialExpr::Value(value)) => {
                let value = self.initial_value(value, shape, me);
                Initial::Values(vec![value; cells])
            }
            Some(InitialExpr::List(values, span)) => {
                self.check_list(shape, values.len(), *span);
                let mut values: Vec<Value> =
                    values.iter().map(|value| self.initial_value(value, shape, me)).collect();
                values.resize(cells, 0);
                Initial::Values(values)
            }
        }
    }

    fn check_list(&mut self, shape: Shape, given: usize, span: Span) {
        match shape.length {
            None => self.error(
                Diagnostic::error("several values for a variable that is not an array")
                    .at(span, "a list of values")
                    .help("arrays are declared as in `var a: int[3] = {1, 2, 3};`"),
            ),
            Some(length) if length as usize != given => self.error(
                Diagnostic::error(format!("{} for an array of {length}", plural(given, "values")))
                    .at(span, "the wrong number"),
            ),
            Some(_) => {}
        }
    }

    fn initial_value(&mut self, value: &Expr, shape: Shape, me: Option<Value>) -> Value {
        let Some(found) = self.constant(value, me) else { return 0 };
        if sort(found.ty) != sort(shape.base) {
            self.mismatch(value.span, shape.base, found.ty);
            return 0;
        }
        if let Some((low, high)) = shape.range
            && !(low..=high).contains(&found.value)
        {
            let error = Diagnostic::error("an initial value is outside of the range of its variable");
            self.error(error.at(value.span, format!("{} is not in {low}..{high}", found.value)));
        }
        found.value
    }

    pub(super) fn mismatch(&mut self, span: Span, expected: BaseType, found: BaseType) {
        self.error(
            Diagnostic::error(format!("expected {}, found {}", type_name(expected), type_name(found)))
                .at(span, format!("this is {}", type_name(found))),
        );
    }

    /// The value of an expression that must be known now.
    pub(super) fn constant(&mut self, expr: &Expr, me: Option<Value>) -> Option<Typed<Value>> {
        let lowered = self.expression(expr, Viewer::Compiler { me })?;
        let value = match lowered.value {
            rely_program::Expr::Int(value) => value,
            rely_program::Expr::Bool(value) => Value::from(value),
            _ => {
                let error = Diagnostic::error("the value of a constant expression is undefined or too large");
                self.error(error.at(expr.span, "this cannot be computed"));
                return None;
            }
        };
        Some(Typed { value, ty: lowered.ty })
    }

    pub(super) fn constant_int(&mut self, expr: &Expr, me: Option<Value>) -> Option<Value> {
        let found = self.constant(expr, me)?;
        if found.ty != BaseType::Int {
            self.mismatch(expr.span, BaseType::Int, found.ty);
            return None;
        }
        Some(found.value)
    }
}
