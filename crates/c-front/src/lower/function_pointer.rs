//! Functions as values, and calls of functions that are values.

use super::assign::Wanted;
use super::flow::Flow;
use super::order::Operands;
use super::{Lowered, Lowering};
use crate::attribute;
use crate::facts::{ObjectKey, Storage};
use crate::fold;
use crate::types::CType;
use crate::value::{Guard, Known, ObjectId, Value};
use lang_c::ast::CallExpression;
use lang_c::span::Span as TreeSpan;
use rely_program::{BinaryOp, CheckKind, Expr, Op};

impl<'a, 'f> Lowering<'a, 'f> {
    /// Calls whatever function the value points to.
    pub(super) fn call_computed(
        &mut self,
        mut operands: Operands,
        callee: Value,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if self.is_silent {
            self.end_operands(operands);
            return match callee.ty.element() {
                Some(CType::Function(function)) => Ok(self.some_value(function.result.clone())),
                _ => self.error(at, "what is called is not a function"),
            };
        }
        let callee = self.snapshot(callee);
        let pending = self.pending(&callee);
        self.operand_ends(&mut operands, pending);
        let arguments = self.arguments(&call.arguments)?;
        let pending = self.all_pending(&arguments);
        self.operand_ends(&mut operands, pending);
        self.end_operands(operands);
        let arguments: Vec<Value> = arguments.into_iter().map(|value| self.snapshot(value)).collect();
        let functions = self.possible_functions(&callee);
        let result = match callee.ty.element() {
            Some(CType::Function(function)) => function.result.clone(),
            _ => return self.error(at, "what is called is not a function"),
        };
        let holder = self.result_holder(result, wanted, at)?;
        self.call_one_of(functions, (call, &arguments), holder, wanted, at)?;
        match holder {
            Some(holder) => {
                let place = self.object_lvalue(holder);
                self.read(place, at)
            }
            None => Ok(Value::void()),
        }
    }

    /// The functions that a computed pointer may mean, and when it does.
    pub(super) fn possible_functions(&mut self, pointer: &Value) -> Vec<(&'a str, Expr)> {
        let code = self.number(pointer);
        let mut functions = Vec::new();
        for target in &pointer.targets {
            if let Some(name) = self.function_name(target.object) {
                let address = Expr::Int(self.facts.address_of(target.object));
                functions.push((name, fold::binary(BinaryOp::Eq, code.clone(), address)));
            }
        }
        functions
    }

    /// Calls the function whose condition holds; what it returns goes to the holder, if there is one.
    fn call_one_of(
        &mut self,
        functions: Vec<(&'a str, Expr)>,
        (call, arguments): (&'a CallExpression, &[Value]),
        holder: Option<ObjectId>,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<()> {
        // All choices start at the same location.
        self.here();
        let source = std::mem::take(&mut self.flow);
        let (mut end, mut none) = (Flow::dead(), Expr::Bool(true));
        for (name, is_this) in functions {
            none = fold::and(none, fold::not(is_this.clone()));
            self.flow = source.clone();
            self.emit(vec![Op::wait(is_this)]);
            let value = match self.unit.functions.get(name) {
                Some(&function) => self.inline(name, &function.node, arguments.to_vec(), wanted, at)?,
                None => self.call_undefined(name, (call, arguments), wanted, at)?,
            };
            if let Some(holder) = holder {
                let place = self.object_lvalue(holder);
                let value = self.result_as(value, &place.ty.clone(), at)?;
                self.assign_value(place, value, Wanted::Nothing, at, at)?;
            }
            let flow = std::mem::take(&mut self.flow);
            end = self.join(end, flow)?;
        }
        self.flow = source;
        self.no_function(none, at);
        self.flow = end;
        Ok(())
    }

    /// What a function behind a pointer has returned, as the type of the pointer says. If it returns nothing and does return,
    /// C leaves undefined what the value is.
    pub(super) fn result_as(&mut self, value: Value, ty: &CType, at: TreeSpan) -> Lowered<Value> {
        match (&value.ty, ty) {
            (CType::Void, CType::Void) => Ok(value),
            (CType::Void, _) => self.unknown_value(ty, "the result of a `void` function", at),
            _ => Ok(value),
        }
    }

    /// Calls a function that is not defined with arguments that have been evaluated.
    fn call_undefined(
        &mut self,
        name: &'a str,
        (call, arguments): (&'a CallExpression, &[Value]),
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let nodes = call.arguments.iter().map(std::ptr::from_ref);
        let evaluated = nodes.zip(arguments.iter().cloned()).collect();
        let outer = std::mem::replace(&mut self.evaluated, evaluated);
        let value = self.library_call(name, call, wanted, at)?;
        self.evaluated = outer;
        match value {
            Some(value) => Ok(value),
            None => self.error(at, format!("there is no function `{}`", self.spelled(name))),
        }
    }

    /// The variable that gets the result of whatever function is called, if it is wanted.
    fn result_holder(&mut self, result: CType, wanted: Wanted, at: TreeSpan) -> Lowered<Option<ObjectId>> {
        if wanted == Wanted::Nothing || result.scalar().is_none() {
            return Ok(None);
        }
        let (thread, name) = (self.thread.key.clone(), self.qualified("result"));
        // The function itself leaves its result at the start.
        let key = match self.key_of_call(at.end) {
            Some(key) if result.is_pointer() => key,
            _ => ObjectKey::CallResult(thread.clone(), self.site(at.start)),
        };
        self.object(key, name, result, Storage::Thread(thread), at).map(Some)
    }

    /// A call through a pointer that points to no function.
    fn no_function(&mut self, condition: Expr, at: TreeSpan) {
        let message = format!("`{}` calls no function", self.origin.text(at));
        let (condition, none) = (Expr::Bool(false), condition);
        let guard = Guard { kind: CheckKind::Bounds, condition, message, span: Some(self.span(at)) };
        let mut ops = vec![Op::wait(none)];
        ops.extend(self.guard_ops(vec![guard]));
        self.emit(ops);
        self.end_here();
    }

    /// The address of a function.
    pub(super) fn function_pointer(&mut self, name: &str, at: TreeSpan) -> Lowered<Value> {
        let object = self.function_object(name, at)?;
        let ty = CType::pointer_to(self.facts.object(object).ty.clone());
        Ok(Value::pointer(ty, Known::start_of(object)))
    }

    /// The object that stands for a function.
    pub(super) fn function_object(&mut self, name: &str, at: TreeSpan) -> Lowered<ObjectId> {
        let key = ObjectKey::Function(name.to_owned());
        if let Some(object) = self.facts.find(&key) {
            return Ok(object);
        }
        self.refuse_absent(name, at)?;
        let ty = match (self.unit.functions.get(name), self.unit.declarations.get(name)) {
            (Some(&function), _) => self.resolve(name, at, |lowering| {
                let node = &function.node;
                let declared =
                    |own: &mut Self| own.declared_type(&node.specifiers, &node.declarator.node, at);
                lowering.at_file_scope(declared)
            })?,
            (None, Some(declarations)) => {
                let Some(&declared) = declarations.first() else {
                    return self.error(at, format!("there is no function `{name}`"));
                };
                self.resolve(name, at, |lowering| {
                    let ty = |own: &mut Self| {
                        own.declared_type(declared.specifiers, &declared.declarator.node, at)
                    };
                    lowering.at_file_scope(ty)
                })?
            }
            _ => return self.error(at, format!("there is no function `{}`", self.spelled(name))),
        };
        self.object(key, name.to_owned(), ty, Storage::Code, at)
    }

    /// Refuses the address of what may be absent, which is null then.
    pub(super) fn refuse_absent(&self, name: &str, at: TreeSpan) -> Lowered<()> {
        let is_there = self.unit.functions.contains_key(name) || name.starts_with("pthread_");
        let declarations = self.unit.declarations.get(name).into_iter().flatten();
        let mut attributes = declarations
            .flat_map(|declared| attribute::extensions(declared.specifiers, &declared.declarator.node));
        match !is_there && attributes.any(|extension| attribute::named(extension, "weak").is_some()) {
            true => self.refuse(at, format!("`{}`, which is weak and not defined,", self.spelled(name))),
            false => Ok(()),
        }
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
