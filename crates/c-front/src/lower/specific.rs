//! Values that each thread has for itself, by keys.
//!
//! A key is the number of the call that creates it, which happens once at most. For each key a thread has a variable;
//! when the thread ends, the function that was given with the key gets what is there, if that is not null.

use super::assign::Wanted;
use super::branch::Ways;
use super::threads::Obligation;
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::fold::{self, Range};
use crate::types::{CType, IntKind};
use crate::value::{Kind, ObjectId, Target, Value, merge_targets};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as TreeSpan};
use rely_base::Diagnostic;
use rely_program::{BinaryOp, Expr, Op, Place};

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn specific_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        match (name, arguments) {
            ("pthread_key_create", [key, destructor]) => self.create_key(key, destructor, at)?,
            ("pthread_key_delete", [key]) => self.eval_and_discard(key)?,
            ("pthread_setspecific", [key, value]) => self.set_specific(key, value, at)?,
            ("pthread_getspecific", [key]) => return self.get_specific(key, at).map(Some),
            _ => return Ok(None),
        }
        Ok(Some(Value::constant(CType::INT, 0)))
    }

    fn create_key(
        &mut self,
        key: &'a Node<Expression>,
        destructor: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<()> {
        let function = self.eval(destructor)?;
        let destructor = match &function.kind {
            _ if function.as_constant() == Some(0) => None,
            Kind::Pointer(known) => match self.function_name(known.object) {
                Some("free") => None,
                Some(name) if self.unit.functions.contains_key(name) => Some(name),
                _ => return self.refuse(at, "a destructor that is not defined"),
            },
            _ => return self.refuse(at, "a destructor that is computed"),
        };
        let pointer = self.eval(key)?;
        let place = self.dereference(pointer, key, at)?;
        if self.flow.is_dead() {
            return Ok(());
        }
        self.happens_once("pthread_key_create", "keys", at);
        let number = self.facts.key(at.start, destructor);
        let value = Value::constant(CType::Int(IntKind::UnsignedInt), number as i128);
        self.assign_value(place, value, Wanted::Nothing, at, at)?;
        Ok(())
    }

    /// Promises that control comes here once at most.
    fn happens_once(&mut self, name: &str, what: &str, at: TreeSpan) {
        let Some(location) = self.here() else { return };
        // Whatever follows does not happen at this location any more.
        self.emit(Vec::new());
        let thread = self.thread.key.to_string();
        let refusal = |where_to: &str| {
            let message = format!("`{name}` in {where_to} is not supported: the number of {what} is unknown");
            Diagnostic::error(message).at(self.span(at), "here")
        };
        let in_loop = Obligation::NoLoop(location, refusal("a loop"));
        let repeated = Obligation::Once(thread, refusal("a thread that may run several times"));
        self.obligations.extend([in_loop, repeated]);
    }

    /// The variable of this thread for a key.
    fn specific_object(&mut self, number: usize, at: TreeSpan) -> Lowered<ObjectId> {
        let thread = self.thread.key.clone();
        let key = ObjectKey::ThreadLocal(thread.clone(), format!("key {number}"));
        let ty = CType::pointer_to(CType::Void);
        self.object(key, format!("key{number}"), ty, Storage::Thread(thread), at)
    }

    fn set_specific(
        &mut self,
        key: &'a Node<Expression>,
        value: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<()> {
        let (key, value) = self.operands(key, value)?;
        let value = self.convert(value, &CType::pointer_to(CType::Void), at)?;
        let (key, value) = (self.snapshot(key), self.snapshot(value));
        let (key, stored) = (self.number(&key), self.number(&value));
        let targets = self.pointed_to(&value);
        self.assume_alive(&targets);
        for (number, _) in self.facts.keys() {
            let place = Target { object: self.specific_object(number, at)?, offset: 0 };
            if !self.flow.is_dead() {
                self.facts.store(place, &targets);
            }
            let variable = self.variable(place);
            let is_this = fold::binary(BinaryOp::Eq, key.clone(), Expr::Int(number as i128));
            let new = fold::ite(is_this, stored.clone(), Expr::Var(variable));
            self.emit(vec![Op::assign(Place::Scalar(variable), new)]);
        }
        Ok(())
    }

    fn get_specific(&mut self, key: &'a Node<Expression>, at: TreeSpan) -> Lowered<Value> {
        let key = self.eval(key)?;
        let key = self.snapshot(key);
        let key = self.number(&key);
        let (mut found, mut targets) = (Expr::Int(0), Vec::new());
        for (number, _) in self.facts.keys() {
            let place = Target { object: self.specific_object(number, at)?, offset: 0 };
            targets = merge_targets(&targets, &self.facts.targets_of(place));
            let is_this = fold::binary(BinaryOp::Eq, key.clone(), Expr::Int(number as i128));
            found = fold::ite(is_this, Expr::Var(self.variable(place)), found);
        }
        let range = Range { low: 0, high: i128::from(u64::MAX) };
        let value =
            Value { targets, depth: 4, ..Value::number(CType::pointer_to(CType::Void), found, range) };
        Ok(self.settle(value))
    }

    /// Destroys the values of a thread that ends.
    pub(super) fn destroy_specific(&mut self, at: TreeSpan) -> Lowered<()> {
        let destroyed: Vec<(usize, String)> =
            self.facts.keys().into_iter().filter_map(|(number, name)| Some((number, name?))).collect();
        if destroyed.len() > 1 {
            return self.refuse(at, "more than one key with a destructor");
        }
        for (number, name) in destroyed {
            let Some((&name, &function)) = self.unit.functions.get_key_value(name.as_str()) else { continue };
            if super::impact::Unmodified::of(&function.node.statement).calls.contains("pthread_setspecific") {
                return self.refuse(at, "a destructor that calls `pthread_setspecific`");
            }
            let object = self.specific_object(number, at)?;
            let place = self.object_lvalue(object);
            let value = self.read(place.clone(), at)?;
            let value = self.snapshot(value);
            let Ways { holds, fails } = self.branch_on(value.clone());
            self.flow = holds;
            let null = Value::constant(CType::pointer_to(CType::Void), 0);
            self.write(&place, null, at)?;
            self.inline(name, &function.node, vec![value], Wanted::Nothing, at)?;
            let ended = std::mem::take(&mut self.flow);
            self.flow = self.join(ended, fails)?;
        }
        Ok(())
    }
}
