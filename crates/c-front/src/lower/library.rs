//! Functions that are known by name: those of SV-COMP, and those of the C library that matter
//! or can be left out.

use super::assign::Wanted;
use super::branch::Ways;
use super::impact::plain_name;
use super::{Lowered, Lowering};
use crate::fold::Range;
use crate::library::{library_effect, wrapper_name};
use crate::types::{CType, IntKind};
use crate::value::{Guard, Value};
use lang_c::ast::{BinaryOperator, CallExpression, Expression, UnaryOperator};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{Check, CheckKind, Domain, Expr, Op, Place, Sort};

/// Functions that allocate, jump, or look at memory byte by byte: refused by name.
fn is_refused(name: &str) -> bool {
    matches!(
        name,
        "setjmp"
            | "_setjmp"
            | "__sigsetjmp"
            | "sigsetjmp"
            | "longjmp"
            | "_longjmp"
            | "siglongjmp"
            | "getcontext"
            | "setcontext"
            | "swapcontext"
            | "fork"
            | "vfork"
            | "vscanf"
            | "vfscanf"
            | "vsscanf"
            | "atexit"
            | "on_exit"
            | "at_quick_exit"
            | "__cxa_atexit"
    )
}

/// Functions that look at so many bytes as their third argument says.
fn is_of_bytes(name: &str) -> bool {
    matches!(name.trim_start_matches("__builtin_"), "memset" | "memcpy" | "memmove" | "memcmp")
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// A call of a function that the program does not define, or that is known by name; `None` if it is neither.
    pub(super) fn library_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        if let Some(value) = self.verifier_call(name, call, wanted, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.entry_argument(name, call, at)? {
            return Ok(Some(value));
        }
        if self.unit.functions.contains_key(name) {
            return Ok(None);
        }
        if is_refused(name) {
            return self.refuse(at, format!("`{name}`"));
        }
        if let Some(value) = self.unevaluated_call(name, call, at)? {
            return Ok(Some(value));
        }
        if let Some((&wrapper, &function)) = self.unit.functions.get_key_value(wrapper_name(name).as_str()) {
            return self.inlined_call(wrapper, function, call, wanted, at).map(Some);
        }
        self.check_output(name, call, at)?;
        let outer = self.evaluate_arguments(call)?;
        let value = match self.known_call(name, call, wanted, at)? {
            Some(value) => value,
            None => self.external_call(name, call, wanted, at)?,
        };
        self.evaluated = outer;
        Ok(Some(value))
    }

    /// A call of a function of the libraries, whose arguments have been evaluated.
    fn known_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        if let Some(value) = self.pthread_call(name, call, wanted, at)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.atomic_call(name, call, wanted, at)? {
            return Ok(Some(value));
        }
        self.c_library_call(name, call, wanted, at)
    }

    /// The functions of SV-COMP. What the program defines itself does what it says there, except
    /// for those that mark an error, whatever they do then, and the bounds of atomic sections,
    /// which cannot be defined in C.
    fn verifier_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let is_defined = self.unit.functions.contains_key(name);
        match name {
            "__VERIFIER_error" | "reach_error" => {
                self.evaluate_for_effect(&call.arguments)?;
                self.fail(format!("`{name}` is called"), at);
            }
            "__VERIFIER_assume" if !is_defined => {
                let [condition] = call.arguments.as_slice() else {
                    return self.error(at, "`__VERIFIER_assume` takes one argument");
                };
                let ty = self.condition_type(name, at)?;
                self.assumption(condition, ty)?;
            }
            "__VERIFIER_atomic_begin" => {
                self.evaluate_for_effect(&call.arguments)?;
                self.enter_atomic();
            }
            "__VERIFIER_atomic_end" => {
                self.evaluate_for_effect(&call.arguments)?;
                if !self.flow.is_dead() && !self.in_atomic() {
                    return self.error(at, "`__VERIFIER_atomic_end` without `__VERIFIER_atomic_begin`");
                }
                self.leave_atomic();
            }
            "__VERIFIER_assert" | "assert" if !is_defined => {
                let [condition] = call.arguments.as_slice() else {
                    return self.error(at, format!("`{name}` takes one argument"));
                };
                let text = self.origin.text(condition.span);
                // `assert` is a macro that takes any scalar.
                let ty = match name {
                    "assert" => None,
                    _ => self.condition_type(name, at)?,
                };
                self.assertion_as(condition, ty, format!("assertion `{text}` fails"))?;
            }
            "__assert_fail" | "__assert" if !is_defined => {
                self.evaluate_for_effect(&call.arguments)?;
                let message = self.failed_assertion(call).unwrap_or_else(|| "an assertion fails".into());
                self.fail(message, at);
            }
            _ => return self.nondeterministic_call(name, call, wanted),
        }
        Ok(Some(Value::void()))
    }

    /// A call that yields any value of a type, if it is one.
    fn nondeterministic_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
    ) -> Lowered<Option<Value>> {
        let Some(kind) = self.nondeterministic(call) else {
            let size = match name.strip_prefix("__VERIFIER_nondet_") {
                Some("float") => 4,
                Some("double") => 8,
                _ => return Ok(None),
            };
            return Ok(Some(Value::floating(CType::Float(size), None)));
        };
        self.evaluate_for_effect(&call.arguments)?;
        Ok(Some(self.any_value(kind, wanted)))
    }

    /// The type whose values a call yields, all of them being possible.
    pub(super) fn nondeterministic(&self, call: &CallExpression) -> Option<IntKind> {
        let name = plain_name(&call.callee)?;
        let ty = name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"));
        if self.unit.functions.contains_key(name) {
            return None;
        }
        Some(match ty? {
            "bool" | "_Bool" => IntKind::Bool,
            "char" => IntKind::Char,
            "schar" => IntKind::SignedChar,
            "uchar" | "unsigned_char" | "u8" | "uint8_t" => IntKind::UnsignedChar,
            "short" => IntKind::Short,
            "ushort" | "unsigned_short" | "u16" | "uint16_t" => IntKind::UnsignedShort,
            "int" => IntKind::Int,
            "uint" | "unsigned" | "unsigned_int" | "u32" | "uint32_t" => IntKind::UnsignedInt,
            "long" | "loff_t" | "ptrdiff_t" | "ssize_t" => IntKind::Long,
            "ulong" | "unsigned_long" | "size_t" | "sector_t" | "u64" | "uint64_t" | "pointer" | "pchar"
            | "pthread_t" => IntKind::UnsignedLong,
            "longlong" => IntKind::LongLong,
            "ulonglong" => IntKind::UnsignedLongLong,
            _ => return None,
        })
    }

    /// Any value of a type.
    pub(super) fn any_value(&mut self, kind: IntKind, wanted: Wanted) -> Value {
        if wanted == Wanted::Nothing {
            return Value::void();
        }
        let temporary = self.havoc(kind.sort(), kind.domain());
        match kind {
            IntKind::Bool => Value::truth(CType::Int(kind), temporary),
            _ => Value::number(CType::Int(kind), temporary, Range::of(kind.int_type())),
        }
    }

    pub(super) fn havoc(&mut self, sort: Sort, domain: Domain) -> Expr {
        let temporary = self.temporary(sort);
        self.emit(vec![Op::Havoc(Place::Scalar(temporary), domain)]);
        Expr::Var(temporary)
    }

    /// A violation: the run ends here.
    pub(super) fn fail(&mut self, message: String, at: TreeSpan) {
        let span = Some(self.span(at));
        let guard = Guard { kind: CheckKind::Assertion, condition: Expr::Bool(false), message, span };
        self.emit_guards(vec![guard]);
        self.end_here();
    }

    /// The walk goes nowhere from here.
    pub(super) fn end_here(&mut self) {
        let exit = self.builder.exit(self.thread.id);
        self.end_at(exit);
    }

    /// The type to which a condition is converted that is given to a function: what the program
    /// declares, or else `int`.
    fn condition_type(&mut self, name: &str, at: TreeSpan) -> Lowered<Option<CType>> {
        let unit = self.unit;
        let declared = unit.declarations.get(name).and_then(|declarations| declarations.first());
        let (specifiers, declarator) = match (declared, unit.functions.get(name)) {
            (_, Some(function)) => (&*function.node.specifiers, &function.node.declarator.node),
            (Some(declared), None) => (declared.specifiers, &declared.declarator.node),
            (None, None) => return Ok(Some(CType::INT)),
        };
        let ty = self.at_file_scope(|lowering| lowering.declared_type(specifiers, declarator, at))?;
        Ok(match ty {
            CType::Function(function) => function.parameters.first().cloned(),
            _ => None,
        })
    }

    /// A condition that must hold.
    pub(super) fn assertion(&mut self, condition: &'a Node<Expression>, message: String) -> Lowered<()> {
        self.assertion_as(condition, None, message)
    }

    /// A condition that must hold after a conversion.
    fn assertion_as(
        &mut self,
        condition: &'a Node<Expression>,
        ty: Option<CType>,
        message: String,
    ) -> Lowered<()> {
        let span = Some(self.span(condition.span));
        if self.needs_branches(condition)? {
            let Ways { holds, fails } = self.branch(condition)?;
            self.flow = fails;
            let failing = Guard { kind: CheckKind::Assertion, condition: Expr::Bool(false), message, span };
            self.emit_guards(vec![failing]);
            self.end_here();
            self.flow = holds;
            return Ok(());
        }
        let value = self.condition_value(condition, ty)?;
        let holds = self.condition(&value);
        let mut ops = self.guard_ops(value.guards);
        let check = self.builder.check(Check { kind: CheckKind::Assertion, message, span });
        ops.push(Op::Check(holds, check));
        self.emit(ops);
        Ok(())
    }

    /// The value of a condition, converted to the type of an integer if one is given.
    fn condition_value(&mut self, condition: &'a Node<Expression>, ty: Option<CType>) -> Lowered<Value> {
        let value = self.eval(condition)?;
        self.expect_scalar(&value, condition.span)?;
        match ty {
            Some(ty @ CType::Int(_)) => self.convert(value, &ty, condition.span),
            _ => Ok(value),
        }
    }

    /// A condition without which a run is of no interest.
    fn assumption(&mut self, condition: &'a Node<Expression>, ty: Option<CType>) -> Lowered<()> {
        if self.needs_branches(condition)? {
            let Ways { holds, fails } = self.branch(condition)?;
            self.flow = fails;
            self.emit(vec![Op::assume(Expr::Bool(false))]);
            self.end_here();
            self.flow = holds;
            return Ok(());
        }
        let value = self.condition_value(condition, ty)?;
        let holds = self.condition(&value);
        let mut ops = self.guard_ops(value.guards);
        if holds == Expr::Bool(true) && ops.is_empty() {
            return Ok(());
        }
        ops.push(Op::assume(holds.clone()));
        self.emit(ops);
        if holds == Expr::Bool(false) {
            self.end_here();
        }
        Ok(())
    }

    /// Whether a condition reads shared memory more than once, by `&&` or `||`.
    fn needs_branches(&mut self, condition: &'a Node<Expression>) -> Lowered<bool> {
        match &condition.node {
            Expression::BinaryOperator(binary) => match binary.node.operator.node {
                BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => {
                    Ok(!self.is_quiet(&binary.node.rhs)? || self.needs_branches(&binary.node.lhs)?)
                }
                _ => Ok(false),
            },
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Negate => {
                self.needs_branches(&unary.node.operand)
            }
            _ => Ok(false),
        }
    }

    /// The text of the assertion in a call of `__assert_fail`.
    pub(super) fn failed_assertion(&self, call: &CallExpression) -> Option<String> {
        let Expression::StringLiteral(text) = &call.arguments.first()?.node else { return None };
        let unquoted = |part: &String| {
            let body = part.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            body.unwrap_or(part).replace("\\\"", "\"")
        };
        let text: String = text.node.iter().map(unquoted).collect();
        Some(format!("assertion `{text}` fails"))
    }

    fn c_library_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        match name {
            "__builtin_va_start" | "__builtin_va_end" | "__builtin_va_copy" => {
                self.variadic_call(name, call, at).map(Some)
            }
            "exit" | "_exit" | "_Exit" | "quick_exit" | "abort" | "__builtin_abort" | "__builtin_trap"
            | "__builtin_exit" => self.end_of_program(name, call).map(Some),
            "__builtin_unreachable" => {
                self.fail("code marked as unreachable is reached".into(), at);
                Ok(Some(Value::void()))
            }
            "__builtin_expect" => match call.arguments.first() {
                Some(value) => {
                    let value = self.eval(value)?;
                    self.convert(value, &CType::Int(IntKind::Long), at).map(Some)
                }
                None => self.error(at, "`__builtin_expect` takes two arguments"),
            },
            "malloc" | "calloc" | "__builtin_malloc" | "__builtin_calloc" => {
                self.allocate(name.trim_start_matches("__builtin_"), &call.arguments, at).map(Some)
            }
            "alloca" | "__builtin_alloca" => {
                // It is given back when the function returns, which nobody checks.
                self.assume("pointers-to-live-variables");
                self.allocate("malloc", &call.arguments, at).map(Some)
            }
            "__allocated_bytes" => self.allocated_bytes(call, at).map(Some),
            "free" | "cfree" => self.free(call, at).map(Some),
            _ if is_of_bytes(name) && !self.has_small_size(call)? => {
                self.call_of_bytes(name, call, wanted, at).map(Some)
            }
            "memset" | "__builtin_memset" => self.set_memory(name, call, at).map(Some),
            "memcpy" | "__builtin_memcpy" | "memmove" | "__builtin_memmove" => {
                self.copy_memory(name, call, at).map(Some)
            }
            "memcmp" | "__builtin_memcmp" => self.compare_memory(name, call, at).map(Some),
            "strcpy" | "__builtin_strcpy" if self.is_text_copied(call) => {
                self.copy_text(name, call, at).map(Some)
            }
            "abs" | "labs" | "llabs" | "imaxabs" | "__builtin_abs" | "__builtin_labs" | "__builtin_llabs" => {
                self.absolute_value(name, call, at).map(Some)
            }
            _ if name.ends_with("_overflow") => self.overflow_call(name, call, at),
            _ => self.described_call(name, call, wanted, at),
        }
    }

    /// A call of a function of which the text is known, or an effect.
    fn described_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        if let Some(value) = self.exact_call(name, call, wanted, at)? {
            return Ok(Some(value));
        }
        match self.described_effect(name).or_else(|| library_effect(name).cloned()) {
            Some(effect) => self.effect_call(name, &effect, call, wanted, at).map(Some),
            None => Ok(None),
        }
    }

    /// A call that looks at so many bytes that it takes a loop.
    fn call_of_bytes(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        if let Some(value) = self.exact_call(name, call, wanted, at)? {
            return Ok(value);
        }
        match library_effect(name.trim_start_matches("__builtin_")) {
            Some(effect) => self.effect_call(name, effect, call, wanted, at),
            None => self.refuse(at, format!("`{name}`")),
        }
    }

    /// A call that ends all threads; `exit` runs the destructors first.
    fn end_of_program(&mut self, name: &str, call: &'a CallExpression) -> Lowered<Value> {
        for argument in &call.arguments {
            self.eval_and_discard(argument)?;
        }
        if matches!(name, "exit" | "__builtin_exit") {
            self.run_destructors()?;
        }
        if matches!(name, "abort" | "__builtin_abort" | "__builtin_trap") {
            self.emit(vec![Op::Halt]);
            self.end_here();
        } else {
            self.finish_program();
        }
        Ok(Value::void())
    }

    /// Evaluates an argument of which nothing is used but what it points to, if that is text. Some of its
    /// bytes are read then; which, depends on where the text ends, so no more is said than that.
    pub(super) fn look_at_text(&mut self, argument: &'a Node<Expression>) -> Lowered<()> {
        let is_text = |ty: &CType| match ty.unqualified() {
            CType::Pointer(to) | CType::Array(to, _) => {
                matches!(
                    to.unqualified(),
                    CType::Int(IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar)
                )
            }
            _ => false,
        };
        let ty = self.type_of(argument)?.ty;
        if !is_text(&ty) || self.is_silent {
            return self.eval_and_discard(argument);
        }
        let value = self.eval(argument)?;
        let value = self.settle_shared(value);
        for target in self.pointed_to(&value) {
            let is_seen = self.facts.is_shared(target.object) && !self.facts.is_string(target.object);
            let leaves = self.facts.object(target.object).leaves.clone();
            let leaf = leaves.iter().find(|leaf| leaf.offset == target.offset);
            if let (true, Some(length)) = (is_seen, leaf.and_then(crate::layout::Leaf::length)) {
                let (index, byte) = (self.temporary(Sort::Int), self.temporary(Sort::Int));
                let any = Domain::Range { low: 0, high: i128::from(length) - 1 };
                let read = Expr::element(self.variable(target), Expr::Var(index));
                self.emit(vec![Op::Havoc(Place::Scalar(index), any), Op::assign(Place::Scalar(byte), read)]);
            }
        }
        self.discard(value);
        Ok(())
    }

    /// `stdout` and the like, whose definition lies outside.
    pub(super) fn is_stream(&self, argument: &Node<Expression>) -> bool {
        let is_outside = |name: &str| {
            self.unit.declarations.get(name).is_some_and(|declarations| {
                declarations
                    .iter()
                    .all(|declared| declared.has_storage(&lang_c::ast::StorageClassSpecifier::Extern))
            })
        };
        plain_name(argument).is_some_and(is_outside)
    }
}
