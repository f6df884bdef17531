//! What functions of a library are given that are called without a program around them.
//!
//! A number is any of its type. A pointer is what the setup returned, if that has the type, or else leads to one object
//! of each type, which is zero in the beginning and which all calls share; one to characters or to anything leads to
//! memory outside of the program.

use super::assign::Wanted;
use super::impact::plain_name;
use super::scope::Symbol;
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::text::{ARGUMENT, MADE};
use crate::types::{CType, IntKind};
use crate::value::{Known, Value};
use lang_c::ast::{CallExpression, Constant, Expression};
use lang_c::span::Span as TreeSpan;

impl<'a, 'f> Lowering<'a, 'f> {
    /// Some argument for a function, if the call asks for that.
    pub(super) fn entry_argument(
        &mut self,
        name: &str,
        call: &'a CallExpression,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let (ARGUMENT, [function, index]) = (name, call.arguments.as_slice()) else { return Ok(None) };
        let (Some(function), Expression::Constant(index)) = (plain_name(function), &index.node) else {
            return Ok(None);
        };
        let Constant::Integer(index) = &index.node else { return Ok(None) };
        let position = index.number.parse::<usize>().unwrap_or(0);
        let Some(&definition) = self.unit.functions.get(function) else { return Ok(None) };
        let parameters = self.at_file_scope(|lowering| lowering.parameters(&definition.node))?;
        let Some(parameter) = parameters.into_iter().nth(position) else { return Ok(None) };
        self.assume("entry-arguments");
        let ty = parameter.ty;
        for number in 0..self.input.harness.setup.len() {
            if let Some(Symbol::Object(made)) = self.lookup(&format!("{MADE}{number}"), at)?
                && self.facts.object(made).ty == ty
            {
                let place = self.object_lvalue(made);
                return self.read(place, at).map(Some);
            }
        }
        match ty.unqualified() {
            CType::Int(kind) => Ok(Some(self.any_value(*kind, Wanted::New))),
            CType::Float(_) => Ok(Some(Value::floating(ty, None))),
            CType::Pointer(to) => match to.unqualified() {
                CType::Void | CType::Int(IntKind::Char | IntKind::UnsignedChar | IntKind::SignedChar) => {
                    self.outside_address(ty, at).map(Some)
                }
                CType::Function(_) => self.refuse_argument(function, at),
                element => {
                    let key = ObjectKey::EntryArgument(self.facts.records.display(element));
                    let label = format!("argument of type `{}`", self.facts.records.display(&ty));
                    let element = element.clone();
                    let object = self.object(key, label, element, Storage::Global, at)?;
                    Ok(Some(Value::pointer(ty, Known::start_of(object))))
                }
            },
            _ => self.refuse_argument(function, at),
        }
    }

    fn refuse_argument<T>(&mut self, function: &str, at: TreeSpan) -> Lowered<T> {
        let spelled = self.spelled(function).to_owned();
        self.refuse(
            at,
            format!("a call of `{spelled}` without a program, because of the type of an argument,"),
        )
    }
}
