//! Declarations inside of functions.

use super::assign::Wanted;
use super::scope::Symbol;
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::types::CType;
use crate::unit::{Declared, declarator_name, has_storage};
use crate::value::{ObjectId, Value};
use lang_c::ast::{Declaration, Expression, Extension, Identifier, Initializer, StorageClassSpecifier};
use lang_c::span::{Node, Span as TreeSpan};
use lang_c::visit::Visit;
use rely_program::{Op, Place};

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn declaration(&mut self, declaration: &'a Node<Declaration>) -> Lowered<()> {
        let specifiers = &declaration.node.specifiers;
        if declaration.node.declarators.is_empty() {
            // `struct s { ... };` declares a tag.
            return self.specifier_type(specifiers, declaration.span).map(|_| ());
        }
        for init in &declaration.node.declarators {
            let declared = Declared {
                specifiers,
                declarator: &init.node.declarator,
                initializer: init.node.initializer.as_ref(),
            };
            let mark = self.mark();
            self.declare(declared, init.span)?;
            self.release(mark);
        }
        Ok(())
    }

    fn declare(&mut self, declared: Declared<'a>, at: TreeSpan) -> Lowered<()> {
        let Some(name) = declarator_name(&declared.declarator.node) else { return Ok(()) };
        if self.is_inferred(declared.specifiers) {
            return self.declare_inferred(name, declared, at);
        }
        self.variable_length.arm();
        let ty = self.declared_type(declared.specifiers, &declared.declarator.node, at);
        let length = self.variable_length.take();
        let ty = ty?;
        if let Some(length) = length {
            return self.declare_variable_array(name, declared, ty, length, at);
        }
        let extensions = &declared.declarator.node.extensions;
        if extensions.iter().any(|extension| matches!(extension.node, Extension::AsmLabel(_))) {
            return self.refuse(at, "a name for the assembler");
        }
        if has_storage(declared.specifiers, &StorageClassSpecifier::Typedef) {
            if self.has_alignment(&declared) {
                return self.refuse(at, "an alignment of a type that is declared inside of a function");
            }
            self.define(name, Symbol::Typedef(ty));
            return Ok(());
        }
        if matches!(ty, CType::Function(_)) {
            self.define(name, Symbol::Function(name.to_owned()));
            return Ok(());
        }
        if has_storage(declared.specifiers, &StorageClassSpecifier::Extern) {
            return self.declare_extern(name, at);
        }
        let ty = self.completed_type(ty, declared.initializer, at)?;
        if has_storage(declared.specifiers, &StorageClassSpecifier::Static) {
            return self.declare_static(name, ty, declared, at);
        }
        if matches!(ty, CType::Void) {
            return self.error(at, format!("the variable `{}` has type `void`", self.spelled(name)));
        }
        if let Some(value) = self.bound_initializer(name, &ty, declared, at)? {
            self.define(name, Symbol::Bound(Box::new(value)));
            return Ok(());
        }
        let object = self.local_object(declared.declarator.span.start, name, ty, at)?;
        self.define(name, Symbol::Object(object));
        match declared.initializer {
            Some(initializer) => self.initialize(object, initializer, at),
            None => {
                self.forget(object);
                Ok(())
            }
        }
    }

    /// A variable of the file; it may be hidden by a local of the same name so far.
    fn declare_extern(&mut self, name: &'a str, at: TreeSpan) -> Lowered<()> {
        if self.local_symbol(name).is_none() {
            return Ok(());
        }
        match self.at_file_scope(|lowering| lowering.file_symbol(name, at))? {
            Some(symbol) => {
                self.define(name, symbol);
                Ok(())
            }
            None => self.error(at, format!("`{}` is declared but not defined", self.spelled(name))),
        }
    }

    fn declare_inferred(&mut self, name: &'a str, declared: Declared<'a>, at: TreeSpan) -> Lowered<()> {
        let Some(Initializer::Expression(expression)) = declared.initializer.map(|node| &node.node) else {
            return self.error(at, "`__auto_type` needs an initializer");
        };
        let value = self.eval(expression)?;
        if self.can_be_bound(name, &value) {
            self.define(name, Symbol::Bound(Box::new(value)));
            return Ok(());
        }
        let ty = value.ty.clone();
        let object = self.local_object(declared.declarator.span.start, name, ty, at)?;
        self.define(name, Symbol::Object(object));
        let place = self.object_lvalue(object);
        self.assign_value(place, value, Wanted::Nothing, at, at)?;
        Ok(())
    }

    /// A `const` integer or a pointer that is never changed, with a value that is known now.
    fn bound_initializer(
        &mut self,
        name: &'a str,
        ty: &CType,
        declared: Declared<'a>,
        at: TreeSpan,
    ) -> Lowered<Option<Value>> {
        let Some(Initializer::Expression(expression)) = declared.initializer.map(|node| &node.node) else {
            return Ok(None);
        };
        let is_const = self.is_const(declared.specifiers, &declared.declarator.node);
        let may_be = ty.is_pointer() && !ty.is_atomic() || is_const && matches!(ty, CType::Int(_));
        // In its own initializer the name already means the new variable.
        if !may_be || mentions(expression, name) || !self.is_quiet(expression)? {
            return Ok(None);
        }
        let value = self.eval(expression)?;
        let value = self.convert(value, ty, at)?;
        Ok(self.can_be_bound(name, &value).then_some(value))
    }

    /// Whether a name can stand for a value: it is known, and nobody changes the name.
    pub(super) fn can_be_bound(&self, name: &str, value: &Value) -> bool {
        let keeps = self.frames.last().is_some_and(|frame| frame.constants.keeps(name));
        keeps && self.is_static(value)
    }

    fn declare_static(
        &mut self,
        name: &'a str,
        ty: CType,
        declared: Declared<'a>,
        at: TreeSpan,
    ) -> Lowered<()> {
        let position = declared.declarator.span.start;
        let function = self.frames.last().map_or("", |frame| frame.name);
        let spelled = format!("{}.{}", self.spelled(function), self.spelled(name));
        let (key, storage) = match has_storage(declared.specifiers, &StorageClassSpecifier::ThreadLocal) {
            true => {
                let thread = self.thread.key.clone();
                (
                    ObjectKey::ThreadLocal(thread.clone(), format!("{spelled} {position}")),
                    Storage::Thread(thread),
                )
            }
            false => (ObjectKey::StaticLocal(position), Storage::Global),
        };
        let object = self.object(key, spelled, ty, storage, at)?;
        self.define(name, Symbol::Object(object));
        self.static_image(object, declared.initializer)
    }

    /// A local of the function being walked over.
    pub(super) fn local_object(
        &mut self,
        position: usize,
        name: &str,
        ty: CType,
        at: TreeSpan,
    ) -> Lowered<ObjectId> {
        let thread = self.thread.key.clone();
        let site = self.site(position);
        if ty.is_pointer()
            && let Some(key) = self.key_of_call(position)
        {
            return self.object(key, self.qualified(name), ty, Storage::Thread(thread), at);
        }
        let local = ObjectKey::Local(thread.clone(), site);
        let key = match (&ty, self.facts.find(&local)) {
            // Its length is a parameter, say, that is another constant in this call.
            (CType::Array(_, Some(room)), Some(known)) if self.facts.object(known).ty != ty => {
                ObjectKey::VariableArray(thread.clone(), site, *room)
            }
            _ => local,
        };
        let object = self.object(key, self.qualified(name), ty, Storage::Thread(thread), at)?;
        if self.is_in_body_of_main() {
            self.facts.note_main_local(object);
        }
        Ok(object)
    }

    /// Whether the walk is in the outermost block of `main`, whose variables live as long as it runs.
    fn is_in_body_of_main(&self) -> bool {
        let [frame] = self.frames.as_slice() else { return false };
        &*self.thread.key == "main" && frame.is_outermost_block()
    }

    /// Gives a local that is not initialized any value. Arrays are assumed to be written
    /// before they are read.
    pub(super) fn forget(&mut self, object: ObjectId) {
        let leaves = self.facts.object(object).leaves.clone();
        let mut ops = Vec::new();
        for leaf in leaves.iter() {
            if self.facts.is_left_out(leaf) {
                continue;
            }
            if !leaf.dimensions.is_empty() {
                if matches!(leaf.ty.unqualified(), CType::Int(_) | CType::Pointer(_)) {
                    self.assume("arrays-written-before-read");
                }
                continue;
            }
            let place = Place::Scalar(self.variable(crate::value::Target { object, offset: leaf.offset }));
            ops.push(match leaf.ty.unqualified() {
                CType::Int(_) | CType::Pointer(_) => Op::Havoc(place, leaf.kind.domain()),
                _ => Op::assign(place, rely_program::Expr::Int(0)),
            });
        }
        if !ops.is_empty() {
            self.emit(ops);
        }
    }
}

/// Whether a name occurs in an expression.
fn mentions(expression: &Node<Expression>, name: &str) -> bool {
    struct Finder<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast TreeSpan) {
            self.1 |= identifier.name == self.0;
        }
    }
    let mut finder = Finder(name, false);
    finder.visit_expression(&expression.node, &expression.span);
    finder.1
}
