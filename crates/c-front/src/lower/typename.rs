//! Types as declarations spell them.

use super::scope::Symbol;
use super::{Lowered, Lowering};
use crate::attribute::{self, Meaning};
use crate::types::{CType, FunctionType, IntKind, Opaque};
use crate::unit::{Word, is_alignas};
use lang_c::ast::{
    ArraySize, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Expression, Extension,
    ParameterDeclaration, PointerQualifier, TS18661FloatFormat, TypeName, TypeOf, TypeQualifier,
    TypeSpecifier,
};
use lang_c::span::{Node, Span as TreeSpan};
use std::rc::Rc;

/// The words of a declaration that make up its type.
#[derive(Default)]
pub(super) struct Words<'a> {
    pub(super) types: Vec<&'a TypeSpecifier>,
    is_atomic: bool,
    mode: Option<&'a str>,
    /// The attributes of the structure or enumeration that is defined here.
    of_tag: Vec<&'a Node<Extension>>,
    /// The attributes of what is declared.
    pub(super) of_declared: Vec<&'a Node<Extension>>,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// The type of a declared name.
    pub(super) fn declared_type(
        &mut self,
        specifiers: &'a [Node<DeclarationSpecifier>],
        declarator: &'a Declarator,
        at: TreeSpan,
    ) -> Lowered<CType> {
        let mut words = self.specifier_words(specifiers, at)?;
        words.mode = self.attributes(&declarator.extensions, at)?.or(words.mode);
        let base = self.base_type(&words, at)?;
        self.bare_type(base, declarator, at)
    }

    /// The type that the words in front of declarators make up.
    pub(super) fn specifier_type(
        &mut self,
        specifiers: &'a [Node<DeclarationSpecifier>],
        at: TreeSpan,
    ) -> Lowered<CType> {
        let words = self.specifier_words(specifiers, at)?;
        self.base_type(&words, at)
    }

    pub(super) fn specifier_words(
        &self,
        specifiers: &'a [Node<DeclarationSpecifier>],
        at: TreeSpan,
    ) -> Lowered<Words<'a>> {
        self.words(specifiers.iter().map(Word::declared), at)
    }

    pub(super) fn words(&self, words: impl Iterator<Item = Word<'a>>, at: TreeSpan) -> Lowered<Words<'a>> {
        let mut found = Words::default();
        let mut is_behind_type = false;
        for word in words {
            match word {
                Word::Type(ty) => found.types.push(ty),
                Word::Qualifier(qualifier) => found.is_atomic |= *qualifier == TypeQualifier::Atomic,
                Word::Extensions(extensions) => {
                    found.mode = self.attributes(extensions, at)?.or(found.mode);
                    let (of_tag, of_declared): (Vec<_>, Vec<_>) =
                        extensions.iter().partition(|extension| is_behind_type && !is_alignas(extension));
                    found.of_tag.extend(of_tag);
                    found.of_declared.extend(of_declared);
                }
                Word::Other => {}
            }
            is_behind_type = word.defines_type() || is_behind_type && matches!(word, Word::Extensions(_));
        }
        Ok(found)
    }

    /// Attributes that change what a declaration means; returns the argument of `mode`.
    pub(super) fn attributes(
        &self,
        extensions: &'a [Node<Extension>],
        at: TreeSpan,
    ) -> Lowered<Option<&'a str>> {
        let mut mode = None;
        for extension in extensions {
            let Extension::Attribute(attribute) = &extension.node else { continue };
            match attribute.name.node.trim_matches('_') {
                "mode" => mode = attribute.arguments.first().and_then(super::impact::plain_name),
                name => self.check_attribute(name, at)?,
            }
        }
        Ok(mode)
    }

    /// Refuses an attribute that changes what the program does.
    pub(super) fn check_attribute(&self, name: &str, at: TreeSpan) -> Lowered<()> {
        match attribute::meaning(name) {
            Meaning::Handled | Meaning::Nothing => Ok(()),
            Meaning::Refused => self.refuse(at, format!("the attribute `{name}`")),
            Meaning::Unknown => self.refuse(at, format!("the unknown attribute `{name}`")),
        }
    }

    /// Checks the attributes of all declarations of a function or a variable of the file, and that
    /// it has no other name for the assembler.
    pub(super) fn check_declarations(&self, name: &str, at: TreeSpan) -> Lowered<()> {
        let definition =
            self.unit.functions.get(name).map(|function| {
                attribute::extensions(&function.node.specifiers, &function.node.declarator.node)
            });
        let declarations = self.unit.declarations.get(name).into_iter().flatten();
        let declared = declarations
            .flat_map(|declared| attribute::extensions(declared.specifiers, &declared.declarator.node));
        for extension in definition.into_iter().flatten().chain(declared) {
            match extension {
                Extension::Attribute(attribute) => {
                    self.check_attribute(attribute.name.node.trim_matches('_'), at)?;
                }
                Extension::AsmLabel(_) => return self.refuse(at, "a name for the assembler"),
                Extension::AvailabilityAttribute(_) => {}
            }
        }
        Ok(())
    }

    /// The type of a cast, `sizeof` and the like.
    pub(super) fn type_name(&mut self, name: &'a TypeName, at: TreeSpan) -> Lowered<CType> {
        let words = self.words(name.specifiers.iter().map(Word::qualified), at)?;
        self.refuse_alignment(&words.of_declared, at)?;
        let base = self.base_type(&words, at)?;
        match &name.declarator {
            Some(declarator) => self.derived_type(base, &declarator.node, at),
            None => Ok(base),
        }
    }

    pub(super) fn base_type(&mut self, words: &Words<'a>, at: TreeSpan) -> Lowered<CType> {
        let ty = match words.types.as_slice() {
            [TypeSpecifier::Void] => CType::Void,
            [TypeSpecifier::Bool] => CType::Int(IntKind::Bool),
            [TypeSpecifier::Struct(node)] => CType::Record(self.record_type(node, &words.of_tag)?),
            [TypeSpecifier::Enum(node)] => CType::Int(self.enum_type(node, &words.of_tag)?),
            [TypeSpecifier::TypedefName(name)] => self.typedef(&name.node.name, at)?,
            [TypeSpecifier::Atomic(inner)] => {
                let inner = self.type_name(&inner.node, at)?;
                CType::Atomic(Rc::new(inner))
            }
            [TypeSpecifier::TypeOf(node)] => match &node.node {
                TypeOf::Expression(expression) => self.operand_type(expression)?,
                TypeOf::Type(name) => self.type_name(&name.node, at)?,
            },
            types => self.arithmetic_type(types, at)?,
        };
        let ty = match (words.mode, &ty) {
            (Some(mode), CType::Int(kind)) => self.type_of_mode(mode, *kind, at)?,
            _ => ty,
        };
        Ok(if words.is_atomic && !ty.is_atomic() { CType::Atomic(Rc::new(ty)) } else { ty })
    }

    fn type_of_mode(&self, mode: &str, kind: IntKind, at: TreeSpan) -> Lowered<CType> {
        let sized = match mode.trim_matches('_') {
            "QI" | "byte" => IntKind::SignedChar,
            "HI" => IntKind::Short,
            "SI" => IntKind::Int,
            "DI" | "word" | "pointer" => IntKind::Long,
            other => return self.refuse(at, format!("the mode `{other}`")),
        };
        Ok(CType::Int(if kind.is_signed() { sized } else { sized.unsigned() }))
    }

    fn arithmetic_type(&self, types: &[&TypeSpecifier], at: TreeSpan) -> Lowered<CType> {
        let count = |wanted: &TypeSpecifier| types.iter().filter(|ty| **ty == wanted).count();
        if count(&TypeSpecifier::Complex) > 0 {
            return self.refuse(at, "a complex number");
        }
        if let Some(bytes) = floating_size(types) {
            return Ok(CType::Float(bytes));
        }
        let only_words = types.iter().all(|ty| {
            matches!(
                ty,
                TypeSpecifier::Char
                    | TypeSpecifier::Short
                    | TypeSpecifier::Int
                    | TypeSpecifier::Long
                    | TypeSpecifier::Signed
                    | TypeSpecifier::Unsigned
            )
        });
        if !only_words {
            return self.error(at, "invalid combination of type specifiers");
        }
        let kind =
            match (count(&TypeSpecifier::Char), count(&TypeSpecifier::Short), count(&TypeSpecifier::Long)) {
                (1.., ..) if count(&TypeSpecifier::Signed) > 0 => IntKind::SignedChar,
                (1.., ..) => IntKind::Char,
                (_, 1.., _) => IntKind::Short,
                (_, _, 2..) => IntKind::LongLong,
                (_, _, 1) => IntKind::Long,
                _ => IntKind::Int,
            };
        Ok(CType::Int(if count(&TypeSpecifier::Unsigned) > 0 { kind.unsigned() } else { kind }))
    }

    /// Types of the thread library are known by name, whatever the header makes of them.
    pub(super) fn typedef(&mut self, name: &str, at: TreeSpan) -> Lowered<CType> {
        if let Some(opaque) = Opaque::named(name) {
            return Ok(CType::Opaque(opaque));
        }
        if name == "__builtin_va_list" {
            return Ok(CType::pointer_to(CType::Void));
        }
        if let Some(Symbol::Typedef(ty)) = self.local_symbol(name) {
            return Ok(ty);
        }
        if let Some(ty) = self.typedefs.get(name) {
            return Ok(ty.clone());
        }
        let Some(&declared) = self.unit.typedefs.get(name) else {
            return self.error(at, format!("there is no type `{}`", self.spelled(name)));
        };
        self.naming += 1;
        let ty = self.resolve(name, at, |lowering| {
            lowering.at_file_scope(|lowering| {
                lowering.declared_type(declared.specifiers, &declared.declarator.node, at)
            })
        });
        self.naming -= 1;
        let ty = ty?;
        self.typedefs.insert(name.to_owned(), ty.clone());
        self.complete_pending()?;
        Ok(ty)
    }

    /// Applies pointers, arrays and functions to a type.
    pub(super) fn derived_type(
        &mut self,
        base: CType,
        declarator: &'a Declarator,
        at: TreeSpan,
    ) -> Lowered<CType> {
        if self.attributes(&declarator.extensions, at)?.is_some() {
            return self.refuse(at, "the attribute `mode` in this place");
        }
        self.bare_type(base, declarator, at)
    }

    /// The same, the attributes having been looked at.
    fn bare_type(&mut self, base: CType, declarator: &'a Declarator, at: TreeSpan) -> Lowered<CType> {
        let mut ty = base;
        for derived in &declarator.derived {
            if let DerivedDeclarator::Pointer(qualifiers) = &derived.node {
                ty = CType::pointer_to(ty);
                for qualifier in qualifiers {
                    if let PointerQualifier::Extension(extensions) = &qualifier.node {
                        if self.attributes(extensions, at)?.is_some() {
                            return self.refuse(at, "the attribute `mode` of a pointer");
                        }
                        self.refuse_alignment(&extensions.iter().collect::<Vec<_>>(), at)?;
                    }
                }
                if qualifiers.iter().any(|qualifier| is_qualifier(&qualifier.node, &TypeQualifier::Atomic)) {
                    ty = CType::Atomic(Rc::new(ty));
                }
            }
        }
        for derived in declarator.derived.iter().rev() {
            ty = match &derived.node {
                DerivedDeclarator::Pointer(_) => ty,
                DerivedDeclarator::Array(array) => {
                    let length = self.array_length(&array.node.size)?;
                    CType::Array(Rc::new(ty), length)
                }
                DerivedDeclarator::Function(function) => {
                    let parameters = self.parameter_types(&function.node.parameters, at)?;
                    CType::Function(Rc::new(FunctionType { result: ty, parameters }))
                }
                DerivedDeclarator::KRFunction(_) => {
                    CType::Function(Rc::new(FunctionType { result: ty, parameters: Vec::new() }))
                }
                DerivedDeclarator::Block(_) => return self.refuse(at, "a block"),
            };
        }
        match &declarator.kind.node {
            DeclaratorKind::Declarator(inner) => self.derived_type(ty, &inner.node, at),
            _ => Ok(ty),
        }
    }

    fn array_length(&mut self, size: &'a ArraySize) -> Lowered<Option<u64>> {
        match size {
            ArraySize::Unknown | ArraySize::VariableUnknown => Ok(None),
            ArraySize::VariableExpression(expression) | ArraySize::StaticExpression(expression) => {
                let value = self.type_of(expression)?;
                if value.as_constant().is_none() && self.variable_length.is_armed() {
                    return self.variable_length(expression).map(Some);
                }
                match value.as_constant().map(u64::try_from) {
                    Some(Ok(length)) => Ok(Some(length)),
                    Some(Err(_)) => self.error(expression.span, "the length of this array is negative"),
                    None => self.refuse(expression.span, "an array of variable length"),
                }
            }
        }
    }

    fn parameter_types(
        &mut self,
        parameters: &'a [Node<ParameterDeclaration>],
        at: TreeSpan,
    ) -> Lowered<Vec<CType>> {
        let mut types = Vec::new();
        for parameter in parameters {
            types.push(self.parameter_type(&parameter.node, at)?);
        }
        Ok(if types == [CType::Void] { Vec::new() } else { types })
    }

    /// The type of a parameter: arrays and functions become pointers.
    pub(super) fn parameter_type(
        &mut self,
        parameter: &'a ParameterDeclaration,
        at: TreeSpan,
    ) -> Lowered<CType> {
        let words = self.specifier_words(&parameter.specifiers, at)?;
        if self.attributes(&parameter.extensions, at)?.is_some() {
            return self.refuse(at, "the attribute `mode` in this place");
        }
        let base = self.base_type(&words, at)?;
        let ty = match &parameter.declarator {
            Some(declarator) => self.derived_type(base, &declarator.node, at)?,
            None => base,
        };
        Ok(match ty {
            CType::Array(element, _) => CType::Pointer(element),
            CType::Function(_) => CType::pointer_to(ty),
            other => other,
        })
    }

    /// Whether the declared name itself is `const`, not only what it points to.
    pub(super) fn is_const(
        &self,
        specifiers: &[Node<DeclarationSpecifier>],
        declarator: &Declarator,
    ) -> bool {
        let pointer = declarator.derived.iter().rev().find_map(|derived| match &derived.node {
            DerivedDeclarator::Pointer(qualifiers) => Some(qualifiers),
            _ => None,
        });
        match pointer {
            Some(qualifiers) => {
                qualifiers.iter().any(|qualifier| is_qualifier(&qualifier.node, &TypeQualifier::Const))
            }
            None => specifiers.iter().any(|specifier| {
                matches!(&specifier.node, DeclarationSpecifier::TypeQualifier(qualifier)
                    if qualifier.node == TypeQualifier::Const)
            }),
        }
    }

    /// Whether the type is to be inferred from the initializer.
    pub(super) fn is_inferred(&self, specifiers: &[Node<DeclarationSpecifier>]) -> bool {
        specifiers.iter().any(|specifier| {
            matches!(&specifier.node, DeclarationSpecifier::TypeSpecifier(ty)
                if matches!(&ty.node, TypeSpecifier::TypedefName(name) if name.node.name == "__auto_type"))
        })
    }
}

/// The size of a floating-point type.
fn floating_size(types: &[&TypeSpecifier]) -> Option<u64> {
    let is_long = types.contains(&&TypeSpecifier::Long);
    types.iter().find_map(|ty| match ty {
        TypeSpecifier::Float => Some(4),
        TypeSpecifier::Double => Some(if is_long { 16 } else { 8 }),
        TypeSpecifier::TS18661Float(float) => Some(match (&float.format, float.width) {
            (TS18661FloatFormat::BinaryExtended, 32) => 8,
            (TS18661FloatFormat::BinaryExtended, _) => 16,
            (_, bits) => bits as u64 / 8,
        }),
        _ => None,
    })
}

fn is_qualifier(qualifier: &PointerQualifier, wanted: &TypeQualifier) -> bool {
    matches!(qualifier, PointerQualifier::TypeQualifier(own) if own.node == *wanted)
}

/// The names of a definition's parameters, with what declares them.
pub(super) fn is_void_parameter(parameter: &ParameterDeclaration) -> bool {
    parameter.declarator.is_none()
        && matches!(
            parameter.specifiers.as_slice(),
            [specifier] if matches!(&specifier.node, DeclarationSpecifier::TypeSpecifier(ty)
                if ty.node == TypeSpecifier::Void)
        )
}

/// Whether an expression is written as a string.
pub(super) fn is_string(expression: &Expression) -> bool {
    matches!(expression, Expression::StringLiteral(_))
}
