//! The parameters of functions, and how they get their values.

use super::assign::Wanted;
use super::scope::Symbol;
use super::typename::is_void_parameter;
use super::{Lowered, Lowering};
use crate::types::{CType, IntKind};
use crate::unit::{declarator_name, function_part};
use crate::value::{Kind, Value};
use lang_c::ast::{DerivedDeclarator, Ellipsis, FunctionDefinition};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::Op;

/// A parameter of a function definition.
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    pub(super) ty: CType,
    pub(super) position: usize,
    pub(super) at: TreeSpan,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// The parameters of a function definition.
    pub(super) fn parameters(&mut self, function: &'a FunctionDefinition) -> Lowered<Vec<Parameter<'a>>> {
        match function_part(&function.declarator.node) {
            Some(DerivedDeclarator::Function(part)) => {
                let mut parameters = Vec::new();
                for node in &part.node.parameters {
                    if is_void_parameter(&node.node) {
                        continue;
                    }
                    let ty = self.parameter_type(&node.node, node.span)?;
                    let name = node.node.declarator.as_ref().and_then(|node| declarator_name(&node.node));
                    let name = name.unwrap_or("");
                    parameters.push(Parameter { name, ty, position: node.span.start, at: node.span });
                }
                Ok(parameters)
            }
            Some(DerivedDeclarator::KRFunction(names)) => self.old_style_parameters(function, names),
            _ => Ok(Vec::new()),
        }
    }

    /// `f(a, b) int a; long b; { ... }`; what is not declared is an `int`.
    fn old_style_parameters(
        &mut self,
        function: &'a FunctionDefinition,
        names: &'a [Node<lang_c::ast::Identifier>],
    ) -> Lowered<Vec<Parameter<'a>>> {
        let mut parameters = Vec::new();
        for name in names {
            let mut ty = CType::INT;
            for declaration in &function.declarations {
                for init in &declaration.node.declarators {
                    let declarator = &init.node.declarator.node;
                    if declarator_name(declarator) == Some(&name.node.name) {
                        ty = self.declared_type(&declaration.node.specifiers, declarator, init.span)?;
                    }
                }
            }
            let (position, at) = (name.span.start, name.span);
            parameters.push(Parameter { name: &name.node.name, ty, position, at });
        }
        Ok(parameters)
    }

    /// Sets the parameters, all in one step; those that always have one value need none.
    pub(super) fn bind_parameters(
        &mut self,
        function: &str,
        parameters: &[Parameter<'a>],
        arguments: Vec<Value>,
        at: TreeSpan,
    ) -> Lowered<()> {
        if arguments.len() < parameters.len() {
            return self.error(at, format!("`{}` is called with too few arguments", self.spelled(function)));
        }
        // Structures are copied member by member. That must not change the other arguments, which
        // may be computed from the parameters of an earlier call, as in `f(s, f(s, 1))`.
        let has_records = arguments.iter().any(|value| matches!(value.kind, Kind::Record(_)));
        let arguments: Vec<Value> = match has_records {
            true => arguments.into_iter().map(|value| self.snapshot(value)).collect(),
            false => arguments,
        };
        let mut arguments = arguments.into_iter();
        let (mut ops, mut changes, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for parameter in parameters {
            let Some(argument) = arguments.next() else { break };
            let value = self.convert(argument, &parameter.ty, at)?;
            if self.can_be_bound(parameter.name, &value) {
                self.define(parameter.name, Symbol::Bound(Box::new(value)));
                continue;
            }
            let object =
                self.local_object(parameter.position, parameter.name, parameter.ty.clone(), parameter.at)?;
            self.define(parameter.name, Symbol::Object(object));
            let place = self.object_lvalue(object);
            if let Kind::Record(_) = value.kind {
                records.push((place, value));
                continue;
            }
            let found = self.cells(&place, at)?;
            let targets = self.pointed_to(&value);
            self.note_stored(&found, &targets);
            let stored = self.storable(&value);
            ops.extend(self.guard_ops(value.guards));
            let kind = parameter.ty.scalar().unwrap_or(IntKind::Int);
            changes.extend(found.cells.iter().flat_map(|cell| cell.store(kind, stored.clone())));
        }
        for (place, value) in records {
            self.assign_value(place, value, Wanted::Nothing, at, at)?;
        }
        let mut extra = Vec::new();
        for value in arguments {
            extra.push(self.snapshot(value));
        }
        if let Some(frame) = self.frames.last_mut().filter(|_| is_variadic(self.unit, function)) {
            frame.extra = Some(extra);
        }
        if !changes.is_empty() {
            ops.push(Op::Assign(changes));
        }
        if !ops.is_empty() {
            self.emit(ops);
        }
        Ok(())
    }
}

/// Whether a function takes any number of arguments.
fn is_variadic(unit: &crate::unit::Unit<'_>, function: &str) -> bool {
    let part = unit.functions.get(function).and_then(|node| function_part(&node.node.declarator.node));
    matches!(part, Some(DerivedDeclarator::Function(part)) if part.node.ellipsis == Ellipsis::Some)
}
