//! The declarations of a file, by name.
//!
//! Headers declare thousands of things of which a program uses a handful, so nothing is looked
//! at before it is used.

use lang_c::ast::{
    Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, EnumType, Extension,
    ExternalDeclaration, FunctionDefinition, Initializer, SpecifierQualifier, StorageClassSpecifier,
    StructDeclaration, StructType, TranslationUnit, TypeSpecifier,
};
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// Structures with the attribute `packed`, by position.
    pub(crate) packed: FxHashSet<usize>,
    /// Other attributes of structures and enumerations, by position.
    pub(crate) tag_attributes: FxHashMap<usize, Vec<&'a str>>,
    /// A function that is defined a second time.
    pub(crate) redefinition: Option<&'a Node<FunctionDefinition>>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(tree: &'a TranslationUnit) -> Self {
        let mut unit = Unit::default();
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
                ExternalDeclaration::StaticAssert(_) => {}
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
        let is_packed = specifiers.iter().any(|specifier| match &specifier.node {
            DeclarationSpecifier::Extension(extensions) => extensions.iter().any(is_packed),
            _ => false,
        });
        for specifier in specifiers {
            if let DeclarationSpecifier::TypeSpecifier(specifier) = &specifier.node {
                self.type_specifier(&specifier.node);
                if let (TypeSpecifier::Struct(node), true) = (&specifier.node, is_packed) {
                    self.packed.insert(node.span.start);
                }
                if let TypeSpecifier::Struct(node) = &specifier.node
                    && node.node.declarations.is_some()
                {
                    let names = attribute_names(specifiers);
                    self.tag_attributes.insert(node.span.start, names);
                }
            }
        }
    }

    fn type_specifier(&mut self, specifier: &'a TypeSpecifier) {
        match specifier {
            TypeSpecifier::Struct(node) => {
                let Some(declarations) = &node.node.declarations else { return };
                if let Some(tag) = &node.node.identifier {
                    self.records.entry(&tag.node.name).or_insert(node);
                }
                for declaration in declarations {
                    let StructDeclaration::Field(field) = &declaration.node else { continue };
                    for specifier in &field.node.specifiers {
                        if let SpecifierQualifier::TypeSpecifier(specifier) = &specifier.node {
                            self.type_specifier(&specifier.node);
                        }
                    }
                }
            }
            TypeSpecifier::Enum(node) if !node.node.enumerators.is_empty() => {
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

/// The attributes among some specifiers.
fn attribute_names(specifiers: &[Node<DeclarationSpecifier>]) -> Vec<&str> {
    let extensions = specifiers.iter().filter_map(|specifier| match &specifier.node {
        DeclarationSpecifier::Extension(extensions) => Some(extensions),
        _ => None,
    });
    let attributes = extensions.flatten().filter_map(|extension| match &extension.node {
        Extension::Attribute(attribute) => Some(attribute.name.node.trim_matches('_')),
        _ => None,
    });
    attributes.collect()
}

fn is_packed(extension: &Node<Extension>) -> bool {
    matches!(&extension.node, Extension::Attribute(attribute) if attribute.name.node.trim_matches('_') == "packed")
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
