//! Allocated memory.
//!
//! An allocation that is reached once at most is a variable without a name. What it holds is
//! found out from the type of the first pointer to it. One that may be reached again, in a loop
//! or in a thread that is started several times, would be an unknown number of variables, and is
//! refused.

use super::threads::Obligation;
use super::{Lowered, Lowering};
use crate::facts::ObjectKey;
use crate::layout::Unsupported;
use crate::types::CType;
use crate::value::{Known, ObjectId, Value};
use lang_c::ast::Expression;
use lang_c::span::{Node, Span as TreeSpan};
use rely_base::{Diagnostic, plural};

/// Larger pieces of memory are not allocated.
const MAX_BYTES: i128 = 1 << 24;

impl<'a, 'f> Lowering<'a, 'f> {
    /// `malloc` and `calloc`; the size is the product of the arguments.
    pub(super) fn allocate(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        at: TreeSpan,
    ) -> Lowered<Value> {
        let mut bytes: i128 = 1;
        for argument in arguments {
            let value = self.eval(argument)?;
            let Some(factor) = value.as_constant().filter(|_| self.is_static(&value)) else {
                return self.refuse(argument.span, format!("`{name}` of a variable size"));
            };
            bytes = bytes.saturating_mul(factor);
        }
        if !(1..=MAX_BYTES).contains(&bytes) {
            return self.refuse(at, format!("`{name}` of {}", plural(bytes, "bytes")));
        }
        let path = self.frames.iter().skip(1).map(|frame| frame.site).chain([at.start]).collect();
        let key = ObjectKey::Heap(self.thread.key.clone(), path);
        let span = self.span(at);
        let object = self.facts.add_allocated(key, bytes as u64, span);
        self.assume("allocation-and-creation-succeed");
        self.happens_once(name, "objects", at);
        if name == "malloc" {
            self.assume("arrays-written-before-read");
        }
        Ok(Value::pointer(CType::pointer_to(CType::Void), Known::start_of(object)))
    }

    /// Promises that control comes here once at most.
    pub(super) fn happens_once(&mut self, name: &str, what: &str, at: TreeSpan) {
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

    /// Finds out what allocated objects hold to which a value points, from the type of what it is
    /// used to point to.
    pub(super) fn type_allocated(&mut self, value: &Value, target: &CType, at: TreeSpan) -> Lowered<()> {
        let Some(size) = self.facts.records.size_of(target).filter(|&size| size > 0) else { return Ok(()) };
        if matches!(target.unqualified(), CType::Void | CType::Function(_)) {
            return Ok(());
        }
        for place in self.pointed_to(value) {
            let Some(bytes) = self.facts.untyped_size(place.object) else { continue };
            if !bytes.is_multiple_of(size) {
                let ty = self.facts.records.display(target);
                return self
                    .refuse(at, format!("memory of {} for elements of type `{ty}`", plural(bytes, "bytes")));
            }
            let ty = match bytes / size {
                1 => target.clone(),
                count => CType::Array(target.clone().into(), Some(count)),
            };
            self.hold(place.object, ty, at)?;
        }
        Ok(())
    }

    fn hold(&mut self, object: ObjectId, ty: CType, at: TreeSpan) -> Lowered<()> {
        match self.facts.set_type(object, ty) {
            Ok(()) => Ok(()),
            Err(Unsupported::Construct(what)) => self.refuse(at, what),
            Err(_) => self.refuse(at, "allocated memory of this type"),
        }
    }
}
