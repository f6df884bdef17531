//! The declarations of a file, by name.
//!
//! Headers declare thousands of things of which a program uses a handful, so nothing is looked
//! at before it is used.

use lang_c::ast::{
    Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, EnumType, Extension,
    ExternalDeclaration, FunctionDefinition, Initializer, SpecifierQualifier, StaticAssert,
    StorageClassSpecifier, StructDeclaration, StructType, TranslationUnit, TypeQualifier, TypeSpecifier,
};
use lang_c::span::Node;
use rustc_hash::FxHashMap;

/// One name of a declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared<'a> {
    pub(crate) specifiers: &'a [Node<DeclarationSpecifier>],
    pub(crate) declarator: &'a Node<Declarator>,
    pub(crate) initializer: Option<&'a Node<Initializer>>,
}

impl Declared<'_> {
    pub(crate) fn has_storage(&self, wanted: &StorageClassSpecifier) -> bool {
        has_storage(self.specifiers, wanted)
    }
}

pub(crate) fn has_storage(specifiers: &[Node<DeclarationSpecifier>], wanted: &StorageClassSpecifier) -> bool {
    specifiers.iter().any(|specifier| {
        matches!(&specifier.node, DeclarationSpecifier::StorageClass(class) if class.node == *wanted)
    })
}

/// A file, indexed.
#[derive(Debug, Default)]
pub(crate) struct Unit<'a> {
    pub(crate) functions: FxHashMap<&'a str, &'a Node<FunctionDefinition>>,
    /// All declarations of a name that is no type: variables, and functions without a body.
    pub(crate) declarations: FxHashMap<&'a str, Vec<Declared<'a>>>,
    pub(crate) typedefs: FxHashMap<&'a str, Declared<'a>>,
    pub(crate) records: FxHashMap<&'a str, &'a Node<StructType>>,
    pub(crate) enums: FxHashMap<&'a str, &'a Node<EnumType>>,
    /// Enumerators with their enumerations.
    pub(crate) enumerators: FxHashMap<&'a str, &'a Node<EnumType>>,
    /// The attributes of structures, unions and enumerations, by their positions.
    pub(crate) tag_attributes: FxHashMap<usize, Vec<&'a Node<Extension>>>,
    /// Static assertions outside of functions.
    pub(crate) assertions: Vec<&'a Node<StaticAssert>>,
    /// Whether there are floating-point numbers.
    pub(crate) has_floats: bool,
    /// A function that is defined a second time.
    pub(crate) redefinition: Option<&'a Node<FunctionDefinition>>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(tree: &'a TranslationUnit) -> Self {
        let mut unit = Unit { has_floats: has_floats(tree), ..Unit::default() };
        for external in &tree.0 {
            match &external.node {
                ExternalDeclaration::Declaration(declaration) => unit.declaration(&declaration.node),
                ExternalDeclaration::FunctionDefinition(function) => {
                    unit.specifiers(&function.node.specifiers);
                    if let Some(name) = declarator_name(&function.node.declarator.node)
                        && unit.functions.insert(name, function).is_some()
                    {
                        unit.redefinition.get_or_insert(function);
                    }
                }
                ExternalDeclaration::StaticAssert(assertion) => unit.assertions.push(assertion),
            }
        }
        unit
    }

    fn declaration(&mut self, declaration: &'a Declaration) {
        self.specifiers(&declaration.specifiers);
        let is_typedef = has_storage(&declaration.specifiers, &StorageClassSpecifier::Typedef);
        for init in &declaration.declarators {
            let declared = Declared {
                specifiers: &declaration.specifiers,
                declarator: &init.node.declarator,
                initializer: init.node.initializer.as_ref(),
            };
            let Some(name) = declarator_name(&init.node.declarator.node) else { continue };
            if is_typedef {
                self.typedefs.entry(name).or_insert(declared);
            } else {
                self.declarations.entry(name).or_default().push(declared);
            }
        }
    }

    fn specifiers(&mut self, specifiers: &'a [Node<DeclarationSpecifier>]) {
        for (specifier, attributes) in with_attributes(specifiers.iter().map(Word::declared)) {
            self.type_specifier(specifier, attributes);
        }
    }

    fn type_specifier(&mut self, specifier: &'a TypeSpecifier, attributes: Vec<&'a Node<Extension>>) {
        match specifier {
            TypeSpecifier::Struct(node) => {
                let Some(declarations) = &node.node.declarations else { return };
                self.tag_attributes.insert(node.span.start, attributes);
                if let Some(tag) = &node.node.identifier {
                    self.records.entry(&tag.node.name).or_insert(node);
                }
                for declaration in declarations {
                    let field = match &declaration.node {
                        StructDeclaration::Field(field) => field,
                        StructDeclaration::StaticAssert(assertion) => {
                            self.assertions.push(assertion);
                            continue;
                        }
                    };
                    let words = field.node.specifiers.iter().map(Word::qualified);
                    for (specifier, attributes) in with_attributes(words) {
                        self.type_specifier(specifier, attributes);
                    }
                }
            }
            TypeSpecifier::Enum(node) if !node.node.enumerators.is_empty() => {
                self.tag_attributes.insert(node.span.start, attributes);
                if let Some(tag) = &node.node.identifier {
                    self.enums.entry(&tag.node.name).or_insert(node);
                }
                for enumerator in &node.node.enumerators {
                    self.enumerators.entry(&enumerator.node.identifier.node.name).or_insert(node);
                }
            }
            _ => {}
        }
    }
}

/// Whether a type or a constant is one of floating-point numbers.
fn has_floats(tree: &TranslationUnit) -> bool {
    use lang_c::visit::Visit;
    struct Finder(bool);
    impl<'a> Visit<'a> for Finder {
        fn visit_type_specifier(&mut self, specifier: &'a TypeSpecifier, span: &'a lang_c::span::Span) {
            self.0 |= matches!(
                specifier,
                TypeSpecifier::Float | TypeSpecifier::Double | TypeSpecifier::TS18661Float(_)
            );
            lang_c::visit::visit_type_specifier(self, specifier, span);
        }

        fn visit_float(&mut self, _: &'a lang_c::ast::Float, _: &'a lang_c::span::Span) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    finder.visit_translation_unit(tree);
    finder.0
}

/// One of the words in front of declarators.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word<'a> {
    Type(&'a TypeSpecifier),
    Qualifier(&'a TypeQualifier),
    Extensions(&'a [Node<Extension>]),
    Other,
}

impl<'a> Word<'a> {
    pub(crate) fn declared(specifier: &'a Node<DeclarationSpecifier>) -> Self {
        match &specifier.node {
            DeclarationSpecifier::TypeSpecifier(ty) => Word::Type(&ty.node),
            DeclarationSpecifier::TypeQualifier(qualifier) => Word::Qualifier(&qualifier.node),
            DeclarationSpecifier::Extension(extensions) => Word::Extensions(extensions),
            _ => Word::Other,
        }
    }

    pub(crate) fn qualified(specifier: &'a Node<SpecifierQualifier>) -> Self {
        match &specifier.node {
            SpecifierQualifier::TypeSpecifier(ty) => Word::Type(&ty.node),
            SpecifierQualifier::TypeQualifier(qualifier) => Word::Qualifier(&qualifier.node),
            SpecifierQualifier::Extension(extensions) => Word::Extensions(extensions),
        }
    }

    /// Whether attributes directly behind it are those of the type that it defines.
    pub(crate) fn defines_type(self) -> bool {
        match self {
            Word::Type(TypeSpecifier::Struct(node)) => node.node.declarations.is_some(),
            Word::Type(TypeSpecifier::Enum(node)) => !node.node.enumerators.is_empty(),
            _ => false,
        }
    }
}

/// The types among some words, each with the attributes that belong to it.
fn with_attributes<'a>(
    words: impl Iterator<Item = Word<'a>>,
) -> Vec<(&'a TypeSpecifier, Vec<&'a Node<Extension>>)> {
    let mut types: Vec<(&TypeSpecifier, Vec<&Node<Extension>>)> = Vec::new();
    let mut is_directly_behind = false;
    for word in words {
        match word {
            Word::Type(ty) => types.push((ty, Vec::new())),
            Word::Extensions(extensions) if is_directly_behind => {
                if let Some((_, attributes)) = types.last_mut() {
                    attributes.extend(extensions.iter().filter(|extension| !is_alignas(extension)));
                }
            }
            _ => {}
        }
        is_directly_behind = word.defines_type() || is_directly_behind && matches!(word, Word::Extensions(_));
    }
    types
}

/// Whether this was written as `_Alignas`, which never belongs to a type.
pub(crate) fn is_alignas(extension: &Node<Extension>) -> bool {
    matches!(&extension.node, Extension::Attribute(attribute) if attribute.name.node == "__alignas__")
}

/// The name that a declarator declares.
pub(crate) fn declarator_name(declarator: &Declarator) -> Option<&str> {
    match &declarator.kind.node {
        DeclaratorKind::Identifier(identifier) => Some(&identifier.node.name),
        DeclaratorKind::Declarator(inner) => declarator_name(&inner.node),
        DeclaratorKind::Abstract => None,
    }
}

/// The part of a declarator that makes it a function: its innermost, first derived part.
pub(crate) fn function_part(declarator: &Declarator) -> Option<&DerivedDeclarator> {
    if let DeclaratorKind::Declarator(inner) = &declarator.kind.node
        && let Some(part) = function_part(&inner.node)
    {
        return Some(part);
    }
    declarator
        .derived
        .iter()
        .map(|derived| &derived.node)
        .find(|derived| matches!(derived, DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)))
}
