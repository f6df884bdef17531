//! Names and what they mean where the walk stands.

use super::flow::{Flow, JoinPoint};
use super::tag::{enumeration_kind, enumerator_symbol};
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::types::{CType, IntKind, RecordId};
use crate::unit::Declared;
use crate::value::{ObjectId, Value};
use lang_c::ast::StorageClassSpecifier;
use lang_c::span::Span as TreeSpan;
use rustc_hash::{FxHashMap, FxHashSet};

/// Variables of the C and POSIX libraries.
const LIBRARY_VARIABLES: [&str; 12] = [
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "timezone",
    "daylight",
    "tzname",
    "program_invocation_name",
];

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Object(ObjectId),
    /// A parameter or variable that has one value for as long as it exists.
    Bound(Box<Value>),
    Function(String),
    /// A variable that is defined elsewhere.
    Outside(CType),
    Typedef(CType),
    Constant(i128, IntKind),
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(IntKind),
}

/// The names declared in one block.
#[derive(Debug, Default)]
pub(super) struct Scope {
    symbols: FxHashMap<String, Symbol>,
    tags: FxHashMap<String, Tag>,
}

/// A function that is being walked over.
pub(super) struct Frame<'a> {
    pub(super) name: &'a str,
    /// Where the call stands in the text.
    pub(super) site: usize,
    pub(super) result: CType,
    scopes: Vec<Scope>,
    pub(super) labels: FxHashMap<&'a str, JoinPoint>,
    /// The labels that stand somewhere, and those that a `goto` names.
    pub(super) defined_labels: FxHashSet<&'a str>,
    pub(super) gotos: Vec<(&'a str, TreeSpan)>,
    /// The loops and switches around the walk, the innermost last.
    pub(super) loops: Vec<Loop>,
    pub(super) switches: Vec<super::switch::Switch>,
    /// The ways on which the function returns.
    pub(super) returns: Flow,
    /// The value of a `return` at the very end, if no other returns exist.
    pub(super) returned: Option<Value>,
    /// The arguments behind those that have names, if the function takes any number of them.
    pub(super) extra: Option<Vec<Value>>,
    /// How `return` hands over its value.
    pub(super) handover: Handover,
    /// What the function's name, its parameters and locals are never assigned to.
    pub(super) constants: super::impact::Unmodified<'a>,
}

/// Where a returned value goes.
#[derive(Clone, Debug)]
pub(super) enum Handover {
    /// Directly to the caller: there is one `return`, at the end.
    Direct,
    /// To a variable.
    Variable(ObjectId),
    /// Nowhere.
    None,
}

/// What `break` and `continue` lead to.
#[derive(Debug, Default)]
pub(super) struct Loop {
    pub(super) breaks: Flow,
    /// `None` for a switch.
    pub(super) continues: Option<Flow>,
}

impl<'a> Frame<'a> {
    pub(super) fn new(name: &'a str, result: CType, handover: Handover) -> Self {
        Frame {
            name,
            site: 0,
            result,
            scopes: vec![Scope::default()],
            labels: FxHashMap::default(),
            defined_labels: FxHashSet::default(),
            gotos: Vec::new(),
            loops: Vec::new(),
            switches: Vec::new(),
            returns: Flow::dead(),
            returned: None,
            extra: None,
            handover,
            constants: super::impact::Unmodified::default(),
        }
    }
}

impl Frame<'_> {
    /// How many blocks, loops and switches there are around the walk.
    pub(super) fn depths(&self) -> [usize; 3] {
        [self.scopes.len(), self.loops.len(), self.switches.len()]
    }

    /// Whether the walk is in no block but the body of the function.
    pub(super) fn is_outermost_block(&self) -> bool {
        self.scopes.len() == 1
    }

    /// Leaves those that were entered since.
    pub(super) fn truncate(&mut self, [scopes, loops, switches]: [usize; 3]) {
        self.scopes.truncate(scopes);
        self.loops.truncate(loops);
        self.switches.truncate(switches);
    }
}

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn enter_scope(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes.push(Scope::default());
        }
    }

    pub(super) fn leave_scope(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes.pop();
        }
    }

    /// Declares a name in the innermost block.
    pub(super) fn define(&mut self, name: &str, symbol: Symbol) {
        if let Some(scope) = self.innermost_scope() {
            scope.symbols.insert(name.to_owned(), symbol);
        }
    }

    pub(super) fn define_tag(&mut self, name: &str, tag: Tag) {
        if let Some(scope) = self.innermost_scope() {
            scope.tags.insert(name.to_owned(), tag);
        }
    }

    fn innermost_scope(&mut self) -> Option<&mut Scope> {
        self.frames.last_mut()?.scopes.last_mut()
    }

    /// The meaning of a tag declared in the function.
    pub(super) fn local_tag(&self, name: &str) -> Option<Tag> {
        let frame = self.frames.last()?;
        frame.scopes.iter().rev().find_map(|scope| scope.tags.get(name).copied())
    }

    /// The meaning of a name declared in the function.
    pub(super) fn local_symbol(&self, name: &str) -> Option<Symbol> {
        let frame = self.frames.last()?;
        frame.scopes.iter().rev().find_map(|scope| scope.symbols.get(name).cloned())
    }

    /// The meaning of a name, if it has one.
    pub(super) fn lookup(&mut self, name: &str, at: TreeSpan) -> Lowered<Option<Symbol>> {
        match self.local_symbol(name) {
            Some(symbol) => Ok(Some(symbol)),
            None => self.at_file_scope(|lowering| lowering.file_symbol(name, at)),
        }
    }

    /// Does something as if no function was being walked over.
    pub(super) fn at_file_scope<T>(&mut self, action: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let frames = std::mem::take(&mut self.frames);
        let flow = std::mem::replace(&mut self.flow, Flow::dead());
        let result = action(self);
        self.frames = frames;
        self.flow = flow;
        result
    }

    /// Finds out what a name of the file means, which must not depend on the name itself.
    pub(super) fn resolve<T>(
        &mut self,
        name: &str,
        at: TreeSpan,
        action: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        if !self.resolving.insert(name.to_owned()) {
            return self.error(at, format!("`{}` is defined by itself", self.spelled(name)));
        }
        let result = action(self);
        self.resolving.remove(name);
        result
    }

    pub(super) fn file_symbol(&mut self, name: &str, at: TreeSpan) -> Lowered<Option<Symbol>> {
        if let Some(enumeration) = self.unit.enumerators.get(name) {
            let constants = self.resolve(name, at, |lowering| lowering.enumerators(&enumeration.node))?;
            let kind = enumeration_kind(&constants);
            let found = constants.into_iter().find(|(own, _)| own == name);
            return Ok(found.map(|(_, value)| enumerator_symbol(value, kind)));
        }
        if self.unit.functions.contains_key(name) {
            return Ok(Some(Symbol::Function(name.to_owned())));
        }
        if let Some(declarations) = self.unit.declarations.get(name) {
            return self.file_variable(name, declarations, at).map(Some);
        }
        if self.unit.typedefs.contains_key(name) {
            return self.typedef(name, at).map(|ty| Some(Symbol::Typedef(ty)));
        }
        Ok(None)
    }

    /// A variable of the file, from all its declarations, or a function without a body.
    fn file_variable(
        &mut self,
        name: &str,
        declarations: &'a [Declared<'a>],
        at: TreeSpan,
    ) -> Lowered<Symbol> {
        let initialized = declarations.iter().find(|declared| declared.initializer.is_some());
        let is_extern = |declared: &&Declared<'_>| declared.has_storage(&StorageClassSpecifier::Extern);
        let tentative = declarations.iter().find(|declared| !is_extern(declared));
        let Some(declared) = initialized.or(tentative).or(declarations.last()) else {
            return self.error(at, format!("there is no variable `{}`", self.spelled(name)));
        };
        let ty = self.resolve(name, at, |lowering| lowering.variable_type(declared, declarations, at))?;
        if matches!(ty, CType::Function(_)) {
            return Ok(Symbol::Function(name.to_owned()));
        }
        if initialized.is_none() && tentative.is_none() {
            self.refuse_absent(name, at)?;
            if !LIBRARY_VARIABLES.contains(&name) {
                if self.input.refuses_externals {
                    return self.refuse(at, format!("`{}`, which is not defined,", self.spelled(name)));
                }
                self.builder.assumption("externals-touch-only-arguments");
                let spelled = self.spelled(name).to_owned();
                self.builder.external(&spelled);
            }
            return Ok(Symbol::Outside(ty));
        }
        self.check_declarations(name, declared.declarator.span)?;
        let is_const = self.is_const(declared.specifiers, &declared.declarator.node);
        let folded = self.resolve(name, at, |lowering| lowering.folded_constant(is_const, &ty, declared))?;
        if let Some(symbol) = folded {
            return Ok(symbol);
        }
        let is_thread_local =
            declarations.iter().any(|declared| declared.has_storage(&StorageClassSpecifier::ThreadLocal));
        let (key, storage) = match is_thread_local {
            true => {
                let key = self.thread.key.clone();
                (ObjectKey::ThreadLocal(key.clone(), name.to_owned()), Storage::Thread(key))
            }
            false => (ObjectKey::Global(name.to_owned()), Storage::Global),
        };
        let ty = self.resolve(name, at, |lowering| lowering.completed_type(ty, declared.initializer, at))?;
        let spelled = self.spelled(name).to_owned();
        let object = self.object(key, spelled, ty, storage, declared.declarator.span)?;
        self.static_image(object, declared.initializer)?;
        Ok(Symbol::Object(object))
    }

    /// The type of a variable; if it is an array, its length may stand in another declaration.
    fn variable_type(
        &mut self,
        declared: &Declared<'a>,
        declarations: &'a [Declared<'a>],
        at: TreeSpan,
    ) -> Lowered<CType> {
        let ty = self.declared_type(declared.specifiers, &declared.declarator.node, at)?;
        if !matches!(ty, CType::Array(_, None)) {
            return Ok(ty);
        }
        for other in declarations {
            let other = self.declared_type(other.specifiers, &other.declarator.node, at)?;
            if matches!(other, CType::Array(_, Some(_))) {
                return Ok(other);
            }
        }
        Ok(ty)
    }

    /// A `const` integer with a constant initializer, as its value.
    fn folded_constant(
        &mut self,
        is_const: bool,
        ty: &CType,
        declared: &Declared<'a>,
    ) -> Lowered<Option<Symbol>> {
        let (true, CType::Int(kind), Some(initializer)) = (is_const, ty, declared.initializer) else {
            return Ok(None);
        };
        let lang_c::ast::Initializer::Expression(expression) = &initializer.node else { return Ok(None) };
        let value = self.eval(expression)?;
        let value = self.convert(value, ty, initializer.span)?;
        Ok(value.as_constant().map(|_| Symbol::Bound(Box::new(Value { ty: CType::Int(*kind), ..value }))))
    }
}
