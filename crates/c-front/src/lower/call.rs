//! Calls: the body of the called function is walked over in place.

use super::assign::Wanted;
use super::flow::Flow;
use super::impact::{Unmodified, plain_name};
use super::scope::{Frame, Handover, Symbol};
use super::typename::is_void_parameter;
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind};
use crate::unit::{declarator_name, function_part};
use crate::value::{Address, Guard, Kind, Lvalue, ObjectId, Value};
use lang_c::ast::{BlockItem, CallExpression, DerivedDeclarator, Expression, FunctionDefinition, Statement};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, CheckKind, Expr, Op, Sort};

/// A parameter of a function definition.
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    pub(super) ty: CType,
    pub(super) position: usize,
    pub(super) at: TreeSpan,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// A call whose value is used.
    pub(super) fn call(&mut self, call: &'a CallExpression, at: TreeSpan) -> Lowered<Value> {
        self.call_for(call, Wanted::New, at)
    }

    pub(super) fn call_for(
        &mut self,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if let Some(name) = plain_name(&call.callee) {
            let symbol = self.lookup(name, call.callee.span)?;
            match symbol {
                None | Some(Symbol::Function(_)) => return self.call_named(name, call, wanted, at),
                Some(Symbol::Typedef(_) | Symbol::Constant(..)) => {
                    return self.error(at, format!("`{}` is not a function", self.spelled(name)));
                }
                Some(_) => {}
            }
        }
        let callee = self.eval(&call.callee)?;
        match &callee.kind {
            Kind::Pointer(known) => match self.function_name(known.object) {
                Some(name) => self.call_named(name, call, wanted, at),
                None => self.error(at, "what is called is not a function"),
            },
            _ => self.call_computed(callee, call, wanted, at),
        }
    }

    fn call_named(
        &mut self,
        name: &'a str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if let Some(value) = self.library_call(name, call, wanted, at)? {
            return Ok(value);
        }
        let Some(&function) = self.unit.functions.get(name) else {
            let name = self.spelled(name);
            return self.error(at, format!("`{name}` is called, but it is neither defined here nor known"));
        };
        if self.is_silent {
            return self.value_of_result(&function.node);
        }
        let arguments = self.arguments(&call.arguments)?;
        self.inline(name, &function.node, arguments, wanted, at)
    }

    /// Some value of a function's result type, when only the type matters.
    fn value_of_result(&mut self, function: &'a FunctionDefinition) -> Lowered<Value> {
        let ty = self.result_type(function)?;
        Ok(match (ty.scalar(), &ty) {
            (Some(IntKind::Bool), _) => Value::truth(ty, Expr::Var(self.temporary(Sort::Bool))),
            (Some(kind), _) => {
                let range = Range::of(kind.int_type());
                Value::number(ty, Expr::Var(self.temporary(Sort::Int)), range)
            }
            (None, CType::Record(_)) => {
                let address = Address::Computed(Expr::Int(0), Vec::new());
                Value::record(ty.clone(), Lvalue { ty, address, guards: Vec::new() })
            }
            _ => Value::void(),
        })
    }

    /// The values of arguments, evaluated from left to right.
    pub(super) fn arguments(&mut self, arguments: &'a [Node<Expression>]) -> Lowered<Vec<Value>> {
        let mut values: Vec<Value> = Vec::new();
        let mut steps = 0;
        for argument in arguments {
            let impact = self.impact(argument)?;
            values = values.into_iter().map(|value| self.before(value, impact)).collect();
            let before = self.edges;
            let value = self.eval(argument)?;
            steps += usize::from(value.reads_shared || self.edges > before);
            values.push(value);
        }
        if steps > 1 {
            self.assume("unsequenced-left-to-right");
        }
        // All parameters are set at once, so at most one argument may still be read.
        let reads = values.iter().filter(|value| value.reads_shared).count();
        debug_assert!(reads <= 1, "arguments are read one by one");
        Ok(values)
    }

    /// Calls whatever function the value points to.
    fn call_computed(
        &mut self,
        callee: Value,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let callee = self.snapshot(callee);
        let arguments = self.arguments(&call.arguments)?;
        let arguments: Vec<Value> = arguments.into_iter().map(|value| self.snapshot(value)).collect();
        let code = self.number(&callee);
        let functions: Vec<(&'a str, ObjectId)> = callee
            .targets
            .iter()
            .filter_map(|target| Some((self.function_name(target.object)?, target.object)))
            .collect();
        let result = match callee.ty.element() {
            Some(CType::Function(function)) => function.result.clone(),
            _ => return self.error(at, "what is called is not a function"),
        };
        let holder = match (wanted, result.scalar()) {
            (Wanted::Nothing, _) | (_, None) => None,
            _ => Some(self.local_object(at.start, "result", result.clone(), at)?),
        };
        // All choices start at the same location.
        self.here();
        let source = std::mem::take(&mut self.flow);
        let (mut end, mut none) = (Flow::dead(), Expr::Bool(true));
        for (name, object) in functions {
            let is_this = fold::binary(BinaryOp::Eq, code.clone(), Expr::Int(self.address_of(object)));
            none = fold::and(none, fold::not(is_this.clone()));
            self.flow = source.clone();
            self.emit(vec![Op::wait(is_this)]);
            let Some(&function) = self.unit.functions.get(name) else {
                return self.error(at, format!("`{}` is called, but it is not defined", self.spelled(name)));
            };
            let value = self.inline(name, &function.node, arguments.clone(), wanted, at)?;
            if let Some(holder) = holder {
                let place = self.object_lvalue(holder);
                self.assign_value(place, value, Wanted::Nothing, at, at)?;
            }
            let flow = std::mem::take(&mut self.flow);
            end = self.join(end, flow)?;
        }
        self.flow = source;
        let message = format!("`{}` calls no function", self.origin.text(at));
        let guard = Guard {
            kind: CheckKind::Bounds,
            condition: Expr::Bool(false),
            message,
            span: Some(self.span(at)),
        };
        let mut ops = vec![Op::wait(none)];
        ops.extend(self.guard_ops(vec![guard]));
        self.emit(ops);
        self.end_here();
        self.flow = end;
        match holder {
            Some(holder) => {
                let place = self.object_lvalue(holder);
                self.read(place, at)
            }
            None => Ok(Value::void()),
        }
    }

    /// Walks over the body of a function with these arguments.
    pub(super) fn inline(
        &mut self,
        name: &'a str,
        function: &'a FunctionDefinition,
        arguments: Vec<Value>,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        self.check_size(at)?;
        if self.frames.iter().any(|frame| frame.name == name) {
            return self.refuse(at, format!("recursion of `{}`", self.spelled(name)));
        }
        let caller_span = self.at;
        let is_atomic = name.starts_with("__VERIFIER_atomic_");
        // The parameters are set before the section starts: that is local.
        let frame = self.frame_for(name, function, wanted, at)?;
        let handover = frame.handover.clone();
        let parameters = self.parameters(function)?;
        self.frames.push(frame);
        self.bind_parameters(name, &parameters, arguments, at)?;
        if is_atomic {
            self.enter_atomic();
        }
        self.body(&function.statement)?;
        let frame = self.leave_function()?;
        self.at = caller_span;
        let value = match (handover, frame.returned) {
            (Handover::Direct, Some(value)) => value,
            (Handover::Variable(object), _) => {
                let place = self.object_lvalue(object);
                self.read(place, at)?
            }
            _ if frame.result == CType::Void || wanted == Wanted::Nothing => Value::void(),
            _ => Value::constant(frame.result, 0),
        };
        if !is_atomic {
            return Ok(value);
        }
        let value = self.snapshot(value);
        self.leave_atomic();
        Ok(value)
    }

    /// Stands where the innermost function returns, or falls off its end, to its caller.
    fn leave_function(&mut self) -> Lowered<Frame<'a>> {
        if !self.flow.is_dead()
            && let Some(Handover::Variable(object)) = self.frames.last().map(|frame| frame.handover.clone())
        {
            self.forget(object);
        }
        let Some(mut frame) = self.frames.pop() else {
            return Ok(Frame::new("", CType::Void, Handover::None));
        };
        let returns = std::mem::take(&mut frame.returns);
        self.join_here(returns)?;
        Ok(frame)
    }

    /// The statements of a function's body, in the scope of its parameters.
    pub(super) fn body(&mut self, body: &'a Node<Statement>) -> Lowered<()> {
        match &body.node {
            Statement::Compound(items) => items.iter().try_for_each(|item| self.block_item(item))?,
            _ => self.statement(body)?,
        }
        self.check_labels()
    }

    pub(super) fn frame_for(
        &mut self,
        name: &'a str,
        function: &'a FunctionDefinition,
        wanted: Wanted,
        site: TreeSpan,
    ) -> Lowered<Frame<'a>> {
        let result = self.result_type(function)?;
        let constants = Unmodified::of(&function.statement);
        let ends_with_return = match &function.statement.node {
            Statement::Compound(items) => items.last().is_some_and(|item| {
                matches!(&item.node, BlockItem::Statement(last)
                    if matches!(last.node, Statement::Return(Some(_))))
            }),
            _ => false,
        };
        let handover = if wanted == Wanted::Nothing || result == CType::Void {
            Handover::None
        } else if ends_with_return && constants.returns == 1 && result.scalar().is_some() {
            Handover::Direct
        } else {
            let thread = self.thread.key.clone();
            // Scalars are read before the next call; structures stay where they are, so each
            // call leaves them in a place of its own.
            let site = if result.scalar().is_some() { 0 } else { site.start };
            let key = ObjectKey::FunctionResult(thread.clone(), name.to_owned(), site);
            let at = function.declarator.span;
            let label = format!("{}.return", self.spelled(name));
            Handover::Variable(self.object(key, label, result.clone(), Storage::Thread(thread), at)?)
        };
        let mut frame = Frame::new(name, result, handover);
        frame.constants = constants;
        Ok(frame)
    }

    fn result_type(&mut self, function: &'a FunctionDefinition) -> Lowered<CType> {
        let at = function.declarator.span;
        let ty = self.at_file_scope(|lowering| {
            lowering.declared_type(&function.specifiers, &function.declarator.node, at)
        })?;
        match ty {
            CType::Function(ty) => Ok(ty.result.clone()),
            _ => self.error(at, "this is not a function"),
        }
    }

    /// The parameters of a function definition.
    pub(super) fn parameters(&mut self, function: &'a FunctionDefinition) -> Lowered<Vec<Parameter<'a>>> {
        let at = function.declarator.span;
        match function_part(&function.declarator.node) {
            Some(DerivedDeclarator::Function(part)) => {
                if part.node.ellipsis == lang_c::ast::Ellipsis::Some {
                    return self.refuse(at, "a function with variable arguments");
                }
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
    fn bind_parameters(
        &mut self,
        function: &str,
        parameters: &[Parameter<'a>],
        arguments: Vec<Value>,
        at: TreeSpan,
    ) -> Lowered<()> {
        if arguments.len() < parameters.len() {
            return self.error(at, format!("`{}` is called with too few arguments", self.spelled(function)));
        }
        let mut arguments = arguments.into_iter();
        let (mut ops, mut changes, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for parameter in parameters {
            let Some(argument) = arguments.next() else { break };
            let value = self.convert(argument, &parameter.ty, at)?;
            if self.can_be_bound(parameter.name, &value) {
                self.define(parameter.name, Symbol::Bound(value));
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
            changes.extend(found.cells.into_iter().map(|cell| (cell.place, stored.clone())));
        }
        for (place, value) in records {
            self.assign_value(place, value, Wanted::Nothing, at, at)?;
        }
        for extra in arguments {
            self.discard(extra);
        }
        if !changes.is_empty() {
            ops.push(Op::Assign(changes));
        }
        if !ops.is_empty() {
            self.emit(ops);
        }
        Ok(())
    }

    /// The object that stands for a function.
    pub(super) fn function_object(&mut self, name: &str, at: TreeSpan) -> Lowered<ObjectId> {
        let key = ObjectKey::Function(name.to_owned());
        if let Some(object) = self.facts.find(&key) {
            return Ok(object);
        }
        let ty = match (self.unit.functions.get(name), self.unit.declarations.get(name)) {
            (Some(&function), _) => self.at_file_scope(|lowering| {
                let node = &function.node;
                lowering.declared_type(&node.specifiers, &node.declarator.node, at)
            })?,
            (None, Some(declarations)) => {
                let Some(&declared) = declarations.first() else {
                    return self.error(at, format!("there is no function `{name}`"));
                };
                self.at_file_scope(|lowering| {
                    lowering.declared_type(declared.specifiers, &declared.declarator.node, at)
                })?
            }
            _ => return self.error(at, format!("there is no function `{}`", self.spelled(name))),
        };
        self.object(key, name.to_owned(), ty, Storage::Code, at)
    }

    /// The function that an object stands for.
    pub(super) fn function_name(&self, object: ObjectId) -> Option<&'a str> {
        let object = self.facts.object(object);
        if object.storage != Storage::Code {
            return None;
        }
        let defined = self.unit.functions.get_key_value(object.name.as_str()).map(|(name, _)| *name);
        defined.or_else(|| self.unit.declarations.get_key_value(object.name.as_str()).map(|(name, _)| *name))
    }
}
