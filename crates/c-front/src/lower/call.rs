//! Calls: the body of the called function is walked over in place.

use super::assign::Wanted;
use super::impact::{Impact, Unmodified, plain_name};
use super::order::{Operands, Pending};
use super::scope::{Frame, Handover, Symbol};
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::fold::Range;
use crate::types::{CType, IntKind};
use crate::unit::declarator_name;
use crate::value::{Address, Kind, Lvalue, Value};
use lang_c::ast::{BlockItem, CallExpression, Expression, FunctionDefinition, Statement};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{Expr, Sort};

/// A function is inlined into itself so many times at most. Where the arguments are constants, or conditions on
/// them are, the walk finds out that it ends before; elsewhere it cannot know.
const MAX_RECURSION: usize = 100;

/// Positions in the text are smaller.
pub(super) const LEVEL: usize = 1 << 40;

impl<'a, 'f> Lowering<'a, 'f> {
    /// A position in the function being walked over, told apart from the same one in the calls of the function
    /// around this one.
    pub(super) fn site(&self, position: usize) -> usize {
        let Some((frame, others)) = self.frames.split_last() else { return position };
        position + LEVEL * others.iter().filter(|other| other.name == frame.name).count()
    }

    /// The calls that lead to a position, and the position.
    fn path_to(&self, position: usize) -> Vec<usize> {
        self.frames.iter().skip(1).map(|frame| frame.site).chain([position]).collect()
    }

    /// What tells a pointer of a function that returns `void *` apart from the same one in another call. Such functions
    /// hand out memory of different types, as those around `malloc` do that never fail.
    pub(super) fn key_of_call(&self, position: usize) -> Option<ObjectKey> {
        let is_called = self.frames.len() > 1;
        self.frames.last().filter(|frame| is_called && is_untyped(&frame.result))?;
        Some(ObjectKey::LocalOfCall(self.thread.key.clone(), self.path_to(position)))
    }

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
                None | Some(Symbol::Function(_)) => return self.call_named(name, call, None, wanted, at),
                Some(Symbol::Typedef(_) | Symbol::Constant(..)) => {
                    return self.error(at, format!("`{}` is not a function", self.spelled(name)));
                }
                Some(_) => {}
            }
        }
        let operands = self.begin_operands();
        let callee = self.eval(&call.callee)?;
        match &callee.kind {
            Kind::Pointer(known) => match self.function_name(known.object) {
                Some(name) => {
                    let result = callee.ty.result().cloned();
                    let value = self.call_named(name, call, Some(operands), wanted, at)?;
                    match result {
                        Some(result) if wanted != Wanted::Nothing => self.result_as(value, &result, at),
                        _ => Ok(value),
                    }
                }
                None => self.error(at, "what is called is not a function"),
            },
            _ => self.call_computed(operands, callee, call, wanted, at),
        }
    }

    /// A call of a function that is known by name; if that had to be computed, as in `(x++, f)(x)`,
    /// there are operands so far.
    fn call_named(
        &mut self,
        name: &'a str,
        call: &'a CallExpression,
        mut operands: Option<Operands>,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if let Some(operands) = &mut operands {
            self.operand_ends(operands, Pending::default());
        }
        if let Some(value) = self.library_call(name, call, wanted, at)? {
            operands.into_iter().for_each(|operands| self.end_operands(operands));
            return Ok(value);
        }
        let Some(&function) = self.unit.functions.get(name) else {
            operands.into_iter().for_each(|operands| self.end_operands(operands));
            return self.error(at, format!("there is no function `{}`", self.spelled(name)));
        };
        if self.is_silent {
            operands.into_iter().for_each(|operands| self.end_operands(operands));
            let ty = self.result_type(&function.node)?;
            return Ok(self.some_value(ty));
        }
        let arguments = self.arguments(&call.arguments)?;
        if let Some(mut operands) = operands {
            let pending = self.all_pending(&arguments);
            self.operand_ends(&mut operands, pending);
            self.end_operands(operands);
        }
        self.inline(name, &function.node, arguments, wanted, at)
    }

    /// A call of a function that was added to the program.
    pub(super) fn inlined_call(
        &mut self,
        name: &'a str,
        function: &'a Node<FunctionDefinition>,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if self.is_silent {
            let ty = self.result_type(&function.node)?;
            return Ok(self.some_value(ty));
        }
        let arguments = self.arguments(&call.arguments)?;
        // The function may come to this call again.
        let evaluated = std::mem::take(&mut self.evaluated);
        let value = self.inline(name, &function.node, arguments, wanted, at)?;
        self.evaluated = evaluated;
        Ok(value)
    }

    /// Some value of a type, when only the type matters.
    pub(super) fn some_value(&mut self, ty: CType) -> Value {
        match (ty.scalar(), &ty) {
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
        }
    }

    /// The values of arguments, evaluated from left to right.
    pub(super) fn arguments(&mut self, arguments: &'a [Node<Expression>]) -> Lowered<Vec<Value>> {
        let mut values: Vec<Value> = Vec::new();
        let mut operands = self.begin_operands();
        for argument in arguments {
            let impact = self.impact(argument)?;
            values = self.computed_before(values, arguments, impact)?;
            self.earlier_are_computed(&mut operands);
            let value = self.eval(argument)?;
            let pending = self.pending(&value);
            self.operand_ends(&mut operands, pending);
            values.push(value);
        }
        self.end_operands(operands);
        // All parameters are set at once, so at most one argument may still be read.
        let reads = values.iter().filter(|value| value.reads_shared).count();
        debug_assert!(reads <= 1, "arguments are read one by one");
        Ok(values)
    }

    /// The values of the first arguments, which are used after something else is evaluated.
    fn computed_before(
        &mut self,
        values: Vec<Value>,
        arguments: &'a [Node<Expression>],
        later: Impact,
    ) -> Lowered<Vec<Value>> {
        let mut computed = Vec::with_capacity(arguments.len());
        for (value, argument) in values.into_iter().zip(arguments) {
            computed.push(match value.kind {
                Kind::Record(_) if later != Impact::Quiet => self.kept_record(value, argument.span)?,
                _ => self.before(value, later),
            });
        }
        Ok(computed)
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
        if self.flow.is_dead() {
            // Nobody comes here, not even to the labels inside.
            let ty = self.result_type(function)?;
            return Ok(self.some_value(ty));
        }
        let depth = self.frames.iter().filter(|frame| frame.name == name).count();
        if depth >= MAX_RECURSION {
            let name = self.spelled(name);
            return self.refuse(at, format!("recursion of `{name}` to a depth of more than {MAX_RECURSION}"));
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
        at: TreeSpan,
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
            let site = if result.scalar().is_some() { 0 } else { self.site(at.start) };
            let key = match is_untyped(&result) {
                true => ObjectKey::LocalOfCall(thread.clone(), self.path_to(at.start)),
                false => ObjectKey::FunctionResult(thread.clone(), name.to_owned(), site),
            };
            let declared = function.declarator.span;
            let label = format!("{}.return", self.spelled(name));
            Handover::Variable(self.object(key, label, result.clone(), Storage::Thread(thread), declared)?)
        };
        let mut frame = Frame::new(name, result, handover);
        frame.constants = constants;
        frame.site = at.start;
        Ok(frame)
    }

    pub(super) fn result_type(&mut self, function: &'a FunctionDefinition) -> Lowered<CType> {
        let at = function.declarator.span;
        if let Some(name) = declarator_name(&function.declarator.node) {
            self.check_declarations(name, at)?;
        }
        let ty = self.at_file_scope(|lowering| {
            lowering.declared_type(&function.specifiers, &function.declarator.node, at)
        })?;
        match ty {
            CType::Function(ty) => Ok(ty.result.clone()),
            _ => self.error(at, "this is not a function"),
        }
    }
}

/// `void *`.
fn is_untyped(ty: &CType) -> bool {
    ty.element().is_some_and(|element| *element.unqualified() == CType::Void)
}
