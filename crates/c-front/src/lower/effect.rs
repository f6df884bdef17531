//! Calls of functions that are not defined in the program: those of the table of effects, and others.
//!
//! Of a function that nobody knows it is assumed that it changes nothing but what its arguments lead to. That
//! may have any values afterwards, and so may the result; `const` is believed. A function that is given another
//! function may call it, which is refused.

use super::access::nothing_of;
use super::assign::Wanted;
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::fold;
use crate::layout::Leaf;
use crate::library::{ArgumentEffect, Effect, ResultEffect};
use crate::types::{CType, FunctionType, IntKind};
use crate::value::{Kind, Target, Value, merge_targets};
use lang_c::ast::{CallExpression, DerivedDeclarator, ParameterDeclaration};
use lang_c::span::Span as TreeSpan;
use rely_base::Diagnostic;
use rely_program::{Domain, Expr, Op, Place, Sort};

/// A call of a function that is not defined.
struct Outcome<'c> {
    construct: &'c str,
    /// The type of the result.
    ty: CType,
    /// The first argument, if it was evaluated.
    first: Option<Value>,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// A call of a function of the table.
    pub(super) fn effect_call(
        &mut self,
        name: &str,
        effect: &Effect,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let construct = format!("`{name}`");
        self.assume_about(name);
        let is_kept =
            matches!(effect.result, ResultEffect::First | ResultEffect::FirstOrNull | ResultEffect::Number);
        // What is read from a text that comes from outside is as much an input as the text.
        let reads_input = name.ends_with("sscanf") && self.is_text_from_outside(call)?;
        let mut first = None;
        let mut written = Vec::new();
        for (index, argument) in call.arguments.iter().enumerate() {
            if self.is_stream(argument) {
                continue;
            }
            let what = effect.argument(index);
            match what {
                ArgumentEffect::Out | ArgumentEffect::Input => {
                    let value = self.eval(argument)?;
                    let value = self.snapshot(value);
                    if index == 0 {
                        first = Some(value.clone());
                    }
                    written.push((value, what == ArgumentEffect::Input || reads_input));
                }
                ArgumentEffect::In => {
                    let value = self.eval(argument)?;
                    let value = self.snapshot(value);
                    self.may_read(&value);
                    if index == 0 && is_kept {
                        first = Some(value);
                    }
                }
                _ if index == 0 && is_kept => {
                    let value = self.eval(argument)?;
                    first = Some(self.snapshot(value));
                }
                _ => self.look_at_text(argument)?,
            }
        }
        for (pointer, is_input) in written {
            self.overwrite(&pointer, is_input, &construct, at)?;
        }
        let ty = self.declared_function(name, at)?.map_or(CType::INT, |function| function.result.clone());
        let outcome = Outcome { construct: &construct, ty, first };
        let items = || ResultEffect::Within(-1, call.arguments.len().saturating_sub(effect.named()) as i128);
        let result = match effect.result {
            ResultEffect::Items => items(),
            ResultEffect::Some if reads_input => items(),
            other => other,
        };
        self.effect_result(result, outcome, wanted, at)
    }

    /// What the user says that a function does which is not defined.
    pub(super) fn described_effect(&mut self, name: &str) -> Option<Effect> {
        let effect = self.input.effects.get(self.spelled(name)).cloned()?;
        self.assume("externals-do-what-is-described");
        Some(effect)
    }

    fn assume_about(&mut self, name: &str) {
        if matches!(name, "signal" | "sigaction" | "setitimer" | "alarm" | "pthread_kill") {
            self.assume("signals-are-not-delivered");
        }
    }

    /// Whether the first argument is a text that nobody here has written.
    fn is_text_from_outside(&mut self, call: &'a CallExpression) -> Lowered<bool> {
        let Some(text) = call.arguments.first() else { return Ok(false) };
        let text = self.type_of(text)?;
        Ok(self.is_outside_only(&text))
    }

    fn effect_result(
        &mut self,
        result: ResultEffect,
        outcome: Outcome<'_>,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let Outcome { construct, ty, first } = outcome;
        if result == ResultEffect::Never {
            self.run_destructors()?;
            self.emit(vec![Op::Halt]);
            self.end_here();
            return Ok(Value::void());
        }
        if result == ResultEffect::Reused {
            self.write_library_memory(at)?;
        }
        if wanted == Wanted::Nothing || ty == CType::Void {
            return Ok(Value::void());
        }
        let is_number = matches!(ty, CType::Int(_));
        match (result, first) {
            (ResultEffect::Zero, _) => Ok(Value::constant(ty, 0)),
            (ResultEffect::First, Some(first)) => self.convert(first, &ty, at),
            (ResultEffect::FirstOrNull, Some(first)) => {
                let first = self.convert(first, &ty, at)?;
                let exists = self.approximate_truth(construct, at);
                Ok(self.value_or_null(first, exists))
            }
            (ResultEffect::Memory, _) if ty.is_pointer() => self.outside_address(ty, at),
            (ResultEffect::OwnMemory, _) if ty.is_pointer() => self.own_outside_address(ty, at),
            (ResultEffect::Outside | ResultEffect::Reused, _) if ty.is_pointer() => {
                self.outside_or_null(ty, construct, at)
            }
            (ResultEffect::Number, Some(text)) if is_number && self.is_outside_only(&text) => {
                Ok(self.any_value(ty.scalar().unwrap_or(IntKind::Int), wanted))
            }
            (ResultEffect::Any, _) if is_number => {
                Ok(self.any_value(ty.scalar().unwrap_or(IntKind::Int), wanted))
            }
            (ResultEffect::Within(low, high), _) if is_number => {
                let any = self.havoc(Sort::Int, Domain::Range { low, high });
                let kind = ty.scalar().unwrap_or(IntKind::Int);
                let value = Value::number(ty, any, fold::Range { low, high });
                Ok(self.convert_to_int(value, kind))
            }
            _ => self.unknown_value(&ty, construct, at),
        }
    }

    /// A value of which nothing is known but its type.
    pub(super) fn unknown_value(&mut self, ty: &CType, construct: &str, at: TreeSpan) -> Lowered<Value> {
        match ty.unqualified() {
            CType::Record(_) => {
                let thread = self.thread.key.clone();
                let key = ObjectKey::Copy(thread.clone(), self.site(at.start));
                let object = self.object(key, "result".into(), ty.clone(), Storage::Thread(thread), at)?;
                let target = Target { object, offset: 0 };
                self.overwrite_object(target, &CType::Void, None, false, construct, at)?;
                let place = self.object_lvalue(object);
                self.read(place, at)
            }
            CType::Float(_) => Ok(Value::floating(ty.clone(), None)),
            _ if ty.scalar().is_some() => Ok(self.approximate(ty, construct, at)),
            _ => {
                let ty = self.facts.records.display(ty);
                self.refuse(at, format!("a result of type `{ty}` of {construct}"))
            }
        }
    }

    /// A call of a function that is neither defined nor in the table.
    pub(super) fn external_call(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        wanted: Wanted,
        at: TreeSpan,
    ) -> Lowered<Value> {
        let spelled = self.spelled(name).to_owned();
        let construct = format!("`{spelled}`, which is not defined,");
        let function = self.declared_function(name, at)?;
        let ty = function.as_ref().map_or(CType::INT, |function| function.result.clone());
        if self.is_silent {
            return Ok(self.some_value(ty));
        }
        let arguments = self.arguments(&call.arguments)?;
        let arguments: Vec<Value> = arguments.into_iter().map(|value| self.snapshot(value)).collect();
        let constants = self.constant_parameters(name);
        let (mut targets, mut constant) = (Vec::new(), Vec::new());
        for (index, argument) in arguments.iter().enumerate() {
            let pointed = self.pointed_to(argument);
            if pointed.iter().any(|target| self.facts.object(target.object).storage == Storage::Code) {
                let what =
                    format!("`{spelled}`, which is not defined and is given a function that it may call,");
                return self.refuse(at, what);
            }
            match constants.contains(&index) {
                true => constant = merge_targets(&constant, &pointed),
                false => targets = merge_targets(&targets, &pointed),
            }
        }
        if self.input.refuses_externals {
            let error = Diagnostic::unsupported(format!("`{spelled}`, which is not defined,"));
            let help = "define it, or leave out `--externals refuse`";
            return Err(error.at(self.span(at), "called here").help(help));
        }
        self.assume("externals-touch-only-arguments");
        if !self.flow.is_dead() {
            self.builder.external(&spelled);
        }
        self.may_read_reachable(&constant);
        self.overwrite_reachable(&targets, &construct, at)?;
        if wanted == Wanted::Nothing || ty == CType::Void {
            return Ok(Value::void());
        }
        let value = self.unknown_value(&ty, &construct, at)?;
        if !ty.is_pointer() {
            return Ok(value);
        }
        let outside = self.outside_address(ty, at)?;
        let all = arguments.iter().map(|argument| self.pointed_to(argument));
        let all = all.fold(self.pointed_to(&outside), |all, more| merge_targets(&all, &more));
        Ok(Value { targets: all, ..value })
    }

    /// The declared type of a function.
    fn declared_function(&mut self, name: &str, at: TreeSpan) -> Lowered<Option<std::rc::Rc<FunctionType>>> {
        let unit = self.unit;
        let Some(declared) = unit.declarations.get(name).and_then(|declarations| declarations.first()) else {
            return Ok(None);
        };
        let declarator = &declared.declarator.node;
        let ty =
            self.at_file_scope(|lowering| lowering.declared_type(declared.specifiers, declarator, at))?;
        Ok(match ty {
            CType::Function(function) => Some(function),
            _ => None,
        })
    }

    /// The parameters that point to what is declared `const`.
    fn constant_parameters(&self, name: &str) -> Vec<usize> {
        let Some(declared) = self.unit.declarations.get(name).and_then(|declarations| declarations.first())
        else {
            return Vec::new();
        };
        match crate::unit::function_part(&declared.declarator.node) {
            Some(DerivedDeclarator::Function(function)) => {
                let parameters = function.node.parameters.iter().enumerate();
                let constant = parameters.filter(|(_, parameter)| self.points_to_constant(&parameter.node));
                constant.map(|(index, _)| index).collect()
            }
            _ => Vec::new(),
        }
    }

    /// `const T *p`: one pointer, and what it points to is constant.
    fn points_to_constant(&self, parameter: &ParameterDeclaration) -> bool {
        use lang_c::ast::{DeclarationSpecifier, TypeQualifier};
        let is_const = parameter.specifiers.iter().any(|specifier| {
            matches!(&specifier.node, DeclarationSpecifier::TypeQualifier(qualifier)
                if qualifier.node == TypeQualifier::Const)
        });
        let derived = parameter.declarator.as_ref().map_or(0, |declarator| declarator.node.derived.len());
        is_const && derived == 1
    }

    /// All that can be reached from some places may have any values.
    pub(super) fn overwrite_reachable(
        &mut self,
        targets: &[Target],
        construct: &str,
        at: TreeSpan,
    ) -> Lowered<()> {
        for start in self.reachable(targets) {
            let may = self.approximate_truth(construct, at);
            self.overwrite_object(start, &CType::Void, Some(may), false, construct, at)?;
        }
        Ok(())
    }

    /// What a pointer points to is written by the library.
    fn overwrite(&mut self, pointer: &Value, is_input: bool, construct: &str, at: TreeSpan) -> Lowered<()> {
        let targets = self.pointed_to(pointer);
        let element = pointer.ty.element().cloned().unwrap_or(CType::Void);
        let is_certain = matches!(pointer.kind, Kind::Pointer(_));
        for target in targets {
            let may = match is_certain {
                true => None,
                false => Some(self.approximate_truth(construct, at)),
            };
            self.overwrite_object(target, &element, may, is_input, construct, at)?;
        }
        Ok(())
    }

    /// What lies at a place of an object gets any values; only if a condition holds, if there is one. If the
    /// place is one of the type that is written, that is all; otherwise everything behind it is.
    fn overwrite_object(
        &mut self,
        target: Target,
        element: &CType,
        may: Option<Expr>,
        is_input: bool,
        construct: &str,
        at: TreeSpan,
    ) -> Lowered<()> {
        if self.flow.is_dead() {
            return Ok(());
        }
        if self.facts.is_outside(target.object) {
            self.write_outside(target.object, at);
            return Ok(());
        }
        for leaf in &self.leaves_at(target, element) {
            if let CType::Opaque(_) = leaf.ty.unqualified() {
                let ty = self.facts.records.display(&leaf.ty);
                return self.refuse(at, format!("{construct} writing to memory with a `{ty}` in it"));
            }
            let place = Target { offset: leaf.offset, ..target };
            self.overwrite_leaf(place, leaf, may.clone(), is_input, construct, at);
        }
        Ok(())
    }

    fn overwrite_leaf(
        &mut self,
        target: Target,
        leaf: &Leaf,
        may: Option<Expr>,
        is_input: bool,
        construct: &str,
        at: TreeSpan,
    ) {
        let variable = self.variable(target);
        if let Some(length) = leaf.length() {
            // Somewhere in the array; its contents are not followed any more.
            self.facts.blur(target);
            let any = self.approximation(Sort::Int, construct, at);
            let range = Domain::Range { low: 0, high: i128::from(length) - 1 };
            let place = Place::Element(variable, Expr::Var(any));
            let write = Op::assign(place, nothing_of(leaf.kind));
            return self.emit(vec![Op::Havoc(Place::Scalar(any), range), write]);
        }
        let place = Place::Scalar(variable);
        if leaf.ty.is_float() {
            return self.emit(vec![Op::assign(place, nothing_of(leaf.kind))]);
        }
        let is_plain = is_input && may.is_none() && !leaf.ty.is_pointer();
        if is_plain {
            return self.emit(vec![Op::Havoc(place, leaf.kind.domain())]);
        }
        let value = self.approximate(&leaf.ty, construct, at);
        let write = Op::assign(place, self.storable(&value));
        match may {
            Some(may) => {
                self.emit_choice(vec![vec![Op::wait(may.clone()), write], vec![Op::wait(fold::not(may))]]);
            }
            None => self.emit(vec![write]),
        }
    }
}
