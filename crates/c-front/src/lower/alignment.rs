//! What attributes, `_Alignas` and `#pragma pack` say about where things lie.
//!
//! A type does not know of the alignment that a `typedef` gives it: it matters only for members of
//! that type and for `_Alignof`, which look the `typedef` up. Variables may be aligned as they like,
//! since no program can tell.

use super::scope::Symbol;
use super::typename::Words;
use super::{Lowered, Lowering};
use crate::placement::Packing;
use crate::types::Opaque;
use crate::unit::{Declared, Word};
use lang_c::ast::{
    Attribute, Declarator, DeclaratorKind, DerivedDeclarator, Expression, Extension, StructType, TypeName,
    TypeOf, TypeSpecifier,
};
use lang_c::span::{Node, Span as TreeSpan};

/// The alignment of `aligned` without a number: the largest that any type has.
const LARGEST_ALIGNMENT: u64 = 16;

/// Larger alignments are not believed.
const MAX_ALIGNMENT: i128 = 1 << 28;

impl<'a, 'f> Lowering<'a, 'f> {
    /// What is said about all members of a structure.
    pub(super) fn packing(
        &mut self,
        node: &'a Node<StructType>,
        attributes: &[&'a Node<Extension>],
    ) -> Lowered<Packing> {
        let text = self.origin.prepared.text.get(node.span.start..node.span.end).unwrap_or("");
        // What counts is what is said at the closing brace.
        let end = node.span.start + text.trim_end().len().saturating_sub(1);
        let limit = self.origin.prepared.packing(end);
        let mut align = None;
        for attribute in attributes {
            // The last one counts.
            align = self.alignment_by(attribute)?.or(align);
        }
        Ok(Packing { is_packed: is_packed(attributes), align, limit })
    }

    /// The alignment that a member asks for, and whether it is packed.
    pub(super) fn member_attributes(
        &mut self,
        words: &Words<'a>,
        declarator: Option<&'a Declarator>,
        at: TreeSpan,
    ) -> Lowered<(Option<u64>, bool)> {
        let own = declarator.map_or(&[][..], |declarator| &declarator.extensions);
        self.attributes(own, at)?;
        let attributes: Vec<&'a Node<Extension>> = words.of_declared.iter().copied().chain(own).collect();
        let mut align = None;
        for attribute in &attributes {
            // The largest one counts; there is none that is less than nothing.
            align = align.max(self.alignment_by(attribute)?);
        }
        Ok((align, is_packed(&attributes)))
    }

    /// The alignment of a declared type, if a `typedef` gives it one.
    pub(super) fn alignment_by_typedef(
        &mut self,
        words: &Words<'a>,
        declarator: Option<&'a Declarator>,
        at: TreeSpan,
    ) -> Lowered<Option<u64>> {
        if declarator.is_some_and(is_pointer_or_function) {
            return Ok(None);
        }
        match words.types.as_slice() {
            [TypeSpecifier::TypedefName(name)] => self.typedef_alignment(&name.node.name, at),
            [TypeSpecifier::Atomic(name)] => self.type_name_alignment(&name.node, at),
            [TypeSpecifier::TypeOf(node)] => match &node.node {
                TypeOf::Type(name) => self.type_name_alignment(&name.node, at),
                TypeOf::Expression(_)
                    if self.unit.typedefs.values().any(|declared| self.has_alignment(declared)) =>
                {
                    self.refuse(at, "`typeof` of an expression where the alignment of its type matters")
                }
                TypeOf::Expression(_) => Ok(None),
            },
            _ => Ok(None),
        }
    }

    pub(super) fn type_name_alignment(&mut self, name: &'a TypeName, at: TreeSpan) -> Lowered<Option<u64>> {
        let words = self.words(name.specifiers.iter().map(Word::qualified), at)?;
        self.alignment_by_typedef(&words, name.declarator.as_ref().map(|declarator| &declarator.node), at)
    }

    fn typedef_alignment(&mut self, name: &'a str, at: TreeSpan) -> Lowered<Option<u64>> {
        // Those inside of functions have none.
        if Opaque::named(name).is_some() || matches!(self.local_symbol(name), Some(Symbol::Typedef(_))) {
            return Ok(None);
        }
        let Some(&declared) = self.unit.typedefs.get(name) else { return Ok(None) };
        let declarator = &declared.declarator.node;
        self.at_file_scope(|lowering| {
            let words = lowering.specifier_words(declared.specifiers, at)?;
            let mut align = None;
            for attribute in words.of_declared.iter().copied().chain(&declarator.extensions) {
                align = lowering.alignment_by(attribute)?.or(align);
            }
            match align {
                Some(align) => Ok(Some(align)),
                None => lowering.alignment_by_typedef(&words, Some(declarator), at),
            }
        })
    }

    /// Whether a `typedef` asks for an alignment.
    pub(super) fn has_alignment(&self, declared: &Declared<'a>) -> bool {
        let in_front = self.specifier_words(declared.specifiers, declared.declarator.span);
        let in_front = in_front.is_ok_and(|words| words.of_declared.into_iter().any(is_alignment));
        in_front || declared.declarator.node.extensions.iter().any(is_alignment)
    }

    /// The alignment that an attribute asks for.
    fn alignment_by(&mut self, extension: &'a Node<Extension>) -> Lowered<Option<u64>> {
        let Extension::Attribute(attribute) = &extension.node else { return Ok(None) };
        match (attribute.name.node.trim_matches('_'), attribute.arguments.as_slice()) {
            ("aligned", []) => Ok(Some(LARGEST_ALIGNMENT)),
            ("aligned", [number]) => self.alignment_number(number),
            ("alignas", [argument]) => match &argument.node {
                Expression::SizeOfTy(size) => {
                    let (name, at) = (&size.node.0.node, argument.span);
                    self.alignment_of_type(name, at).map(Some)
                }
                // `_Alignas(0)` asks for nothing.
                Expression::SizeOfVal(size) => {
                    match self.constant_expression(&size.node.0, "an alignment")? {
                        (0, _) => Ok(None),
                        _ => self.alignment_number(&size.node.0),
                    }
                }
                _ => self.error(argument.span, "invalid alignment"),
            },
            _ => Ok(None),
        }
    }

    fn alignment_number(&mut self, number: &'a Node<Expression>) -> Lowered<Option<u64>> {
        match self.constant_expression(number, "an alignment")? {
            (align @ 1..=MAX_ALIGNMENT, _) if align.count_ones() == 1 => Ok(Some(align as u64)),
            _ => self.error(number.span, "an alignment is a power of two"),
        }
    }

    /// The alignment of a type, as `_Alignof` tells it.
    pub(super) fn alignment_of_type(&mut self, name: &'a TypeName, at: TreeSpan) -> Lowered<u64> {
        let ty = self.type_name(name, at)?;
        let given = self.type_name_alignment(name, at)?;
        match given.or_else(|| self.facts.records.align_of(&ty)) {
            Some(align) => Ok(align),
            None => self.error(at, "the alignment of an incomplete type"),
        }
    }

    /// Refuses an alignment where it would make a type of its own.
    pub(super) fn refuse_alignment(&self, extensions: &[&'a Node<Extension>], at: TreeSpan) -> Lowered<()> {
        let is_given = extensions.iter().any(|extension| is_alignment(extension));
        if is_given { self.refuse(at, "an alignment in this place") } else { Ok(()) }
    }
}

/// Whether the attribute `packed` is among them.
pub(super) fn is_packed(extensions: &[&Node<Extension>]) -> bool {
    extensions.iter().any(|extension| named(extension, |attribute| attribute == "packed"))
}

fn is_alignment(extension: &Node<Extension>) -> bool {
    named(extension, |attribute| matches!(attribute, "aligned" | "alignas"))
}

fn named(extension: &Node<Extension>, is_wanted: impl Fn(&str) -> bool) -> bool {
    let name = |attribute: &Attribute| is_wanted(attribute.name.node.trim_matches('_'));
    matches!(&extension.node, Extension::Attribute(attribute) if name(attribute))
}

fn is_pointer_or_function(declarator: &Declarator) -> bool {
    let inner = match &declarator.kind.node {
        DeclaratorKind::Declarator(inner) => is_pointer_or_function(&inner.node),
        _ => false,
    };
    inner || declarator.derived.iter().any(|derived| !matches!(derived.node, DerivedDeclarator::Array(_)))
}
