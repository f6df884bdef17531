//! Structures, unions and enumerations.

use super::alignment::is_packed;
use super::scope::{Frame, Handover, Symbol, Tag};
use super::{Lowered, Lowering};
use crate::placement::Member;
use crate::types::{CType, IntKind, RecordId};
use crate::unit::{Word, declarator_name};
use lang_c::ast::{EnumType, Expression, Extension, StructDeclaration, StructField, StructKind, StructType};
use lang_c::span::{Node, Span as TreeSpan};

impl<'a, 'f> Lowering<'a, 'f> {
    /// A structure or union with the attributes that stand at its definition.
    pub(super) fn record_type(
        &mut self,
        node: &'a Node<StructType>,
        attributes: &[&'a Node<Extension>],
    ) -> Lowered<RecordId> {
        let is_union = node.node.kind.node == StructKind::Union;
        let tag = node.node.identifier.as_ref().map(|tag| tag.node.name.as_str());
        if node.node.declarations.is_some() {
            let name = tag.unwrap_or("<unnamed>");
            let id = self.facts.records.at(node.span.start, name, is_union);
            if let Some(tag) = tag {
                self.define_tag(tag, Tag::Record(id));
            }
            self.complete_record(id, node, attributes)?;
            self.complete_pending()?;
            return Ok(id);
        }
        let tag = tag.unwrap_or("<unnamed>");
        if let Some(Tag::Record(id)) = self.local_tag(tag) {
            return Ok(id);
        }
        match self.unit.records.get(tag) {
            Some(&definition) => {
                let id = self.facts.records.at(definition.span.start, tag, is_union);
                if self.facts.records.get(id).body.is_none() {
                    self.pending.push((id, definition));
                    self.complete_pending()?;
                }
                Ok(id)
            }
            None => Ok(self.facts.records.undefined(tag, is_union)),
        }
    }

    /// Looks at the members of structures that were mentioned, unless others are being looked at: these may
    /// mention each other, by pointers and types with names. What is wrong with one matters to those who use it.
    pub(super) fn complete_pending(&mut self) -> Lowered<()> {
        if !self.completing.is_empty() || self.naming > 0 {
            return Ok(());
        }
        while let Some((id, definition)) = self.pending.pop() {
            self.complete_mentioned(id, definition)?;
        }
        Ok(())
    }

    fn complete_mentioned(&mut self, id: RecordId, definition: &'a Node<StructType>) -> Lowered<()> {
        self.check_budget()?;
        // It may have mentioned itself before it turned out to be wrong.
        if self.broken.contains_key(&id) {
            return Ok(());
        }
        let attributes = self.tag_attributes(definition.span);
        let before = self.completing.clone();
        let completed = self.at_file_scope(|lowering| lowering.complete_record(id, definition, attributes));
        if let Err(error) = completed {
            self.completing = before;
            self.broken.insert(id, error);
        }
        Ok(())
    }

    /// Sees to it that the size of a type is known, if it can be.
    pub(super) fn complete_type(&mut self, ty: &CType) -> Lowered<()> {
        match ty.unqualified() {
            CType::Array(element, _) => self.complete_type(element),
            CType::Record(id) if self.facts.records.get(*id).body.is_none() => {
                let mentioned = self.pending.iter().position(|(pending, _)| pending == id);
                if let Some(position) = mentioned {
                    let (id, definition) = self.pending.swap_remove(position);
                    self.complete_mentioned(id, definition)?;
                }
                match self.broken.get(id) {
                    Some(error) => Err(error.clone()),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// The attributes at the definition of a tag of the file.
    fn tag_attributes(&self, definition: TreeSpan) -> &'a [&'a Node<Extension>] {
        self.unit.tag_attributes.get(&definition.start).map_or(&[], Vec::as_slice)
    }

    fn complete_record(
        &mut self,
        id: RecordId,
        node: &'a Node<StructType>,
        attributes: &[&'a Node<Extension>],
    ) -> Lowered<()> {
        if self.facts.records.get(id).body.is_some() {
            return self.declare_inner_tags(node);
        }
        // A structure may mention itself, as the target of a pointer.
        if !self.completing.insert(id) {
            return Ok(());
        }
        self.check_tag_attributes(attributes, node.span)?;
        let mut members = Vec::new();
        for declaration in node.node.declarations.iter().flatten() {
            match &declaration.node {
                StructDeclaration::Field(field) => self.members(field, &mut members)?,
                StructDeclaration::StaticAssert(assertion) => self.static_assert(assertion)?,
            }
        }
        let packing = self.packing(node, attributes)?;
        for member in &members {
            self.complete_type(&member.ty)?;
        }
        self.completing.remove(&id);
        if !self.facts.records.complete(id, members, packing) {
            return self.error(node.span, "this structure has a member of incomplete type");
        }
        Ok(())
    }

    /// Declares the tags and enumerators that stand inside of a structure, whose members are known
    /// from an earlier walk.
    fn declare_inner_tags(&mut self, node: &'a Node<StructType>) -> Lowered<()> {
        if self.frames.is_empty() {
            return Ok(());
        }
        for declaration in node.node.declarations.iter().flatten() {
            let StructDeclaration::Field(field) = &declaration.node else { continue };
            let mut words = field.node.specifiers.iter().map(Word::qualified);
            if words.any(Word::defines_type) {
                let words = self.words(field.node.specifiers.iter().map(Word::qualified), field.span)?;
                self.base_type(&words, field.span)?;
            }
        }
        Ok(())
    }

    /// The members that one declaration declares.
    fn members(&mut self, field: &'a Node<StructField>, members: &mut Vec<Member>) -> Lowered<()> {
        let words = self.words(field.node.specifiers.iter().map(Word::qualified), field.span)?;
        let base = self.base_type(&words, field.span)?;
        if field.node.declarators.is_empty() {
            let (align, is_packed) = self.member_attributes(&words, None, field.span)?;
            members.push(Member { name: None, ty: base, type_align: None, align, is_packed, width: None });
            return Ok(());
        }
        for declarator in &field.node.declarators {
            let named = declarator.node.declarator.as_ref().map(|named| &named.node);
            let (align, is_packed) = self.member_attributes(&words, named, field.span)?;
            let type_align = self.alignment_by_typedef(&words, named, field.span)?;
            let width = match &declarator.node.bit_width {
                Some(width) => Some(self.bit_width(width, named.is_some())?),
                None => None,
            };
            let (name, ty) = match named {
                Some(named) => {
                    let ty = self.derived_type(base.clone(), named, field.span)?;
                    (declarator_name(named).map(str::to_owned), flexible(ty))
                }
                None => (None, base.clone()),
            };
            members.push(Member { name, ty, type_align, align, is_packed, width });
        }
        Ok(())
    }

    /// Refuses attributes that change what a structure is.
    fn check_tag_attributes(&self, attributes: &[&'a Node<Extension>], at: TreeSpan) -> Lowered<()> {
        for extension in attributes {
            if let Extension::Attribute(attribute) = &extension.node {
                self.check_attribute(attribute.name.node.trim_matches('_'), at)?;
            }
        }
        Ok(())
    }

    fn bit_width(&mut self, width: &'a Node<Expression>, is_named: bool) -> Lowered<u64> {
        let (bits, _) = self.constant_expression(width, "the width of a bit-field")?;
        match u64::try_from(bits) {
            Ok(0) if is_named => self.error(width.span, "a named bit-field has width zero"),
            Ok(bits) if bits <= 64 => Ok(bits),
            _ => self.error(width.span, "the bit-field is wider than its type"),
        }
    }

    pub(super) fn enum_type(
        &mut self,
        whole: &'a Node<EnumType>,
        attributes: &[&'a Node<Extension>],
    ) -> Lowered<IntKind> {
        let (node, at) = (&whole.node, whole.span);
        let tag = node.identifier.as_ref().map(|tag| tag.node.name.as_str());
        if node.enumerators.is_empty() {
            let tag = tag.unwrap_or("<unnamed>");
            if let Some(Tag::Enum(kind)) = self.local_tag(tag) {
                return Ok(kind);
            }
            return match self.unit.enums.get(tag) {
                Some(&definition) => {
                    let attributes = self.tag_attributes(definition.span);
                    self.at_file_scope(|lowering| lowering.enum_type(definition, attributes))
                }
                None => self.error(at, format!("the enumeration `{tag}` is not defined")),
            };
        }
        let constants = self.enumerators(node)?;
        self.refuse_alignment(attributes, at)?;
        let kind = match is_packed(attributes) {
            true => packed_enumeration_kind(&constants),
            false => enumeration_kind(&constants),
        };
        for (name, value) in constants {
            self.define(&name, enumerator_symbol(value, kind));
        }
        if let Some(tag) = tag {
            self.define_tag(tag, Tag::Enum(kind));
        }
        Ok(kind)
    }

    /// The constants of an enumeration.
    pub(super) fn enumerators(&mut self, node: &'a EnumType) -> Lowered<Vec<(String, i128)>> {
        let mut constants: Vec<(String, i128)> = Vec::new();
        let is_outside = self.frames.is_empty();
        if is_outside {
            self.frames.push(Frame::new("", CType::Void, Handover::None));
        }
        self.enter_scope();
        let mut next = Ok(0);
        for enumerator in &node.enumerators {
            if let Some(expression) = &enumerator.node.expression {
                next = self
                    .constant_expression(expression, "the value of an enumerator")
                    .map(|(value, _)| value);
            }
            let Ok(value) = next else { break };
            let name = &enumerator.node.identifier.node.name;
            constants.push((name.clone(), value));
            self.define(name, enumerator_symbol(value, enumeration_kind(&constants)));
            next = Ok(value.saturating_add(1));
        }
        self.leave_scope();
        if is_outside {
            self.frames.pop();
        }
        next.map(|_| constants)
    }
}

/// The type of an enumeration with these constants, as gcc chooses it.
pub(super) fn enumeration_kind(constants: &[(String, i128)]) -> IntKind {
    first_with(constants, &[IntKind::UnsignedInt, IntKind::Int, IntKind::UnsignedLong, IntKind::Long])
}

/// The same with the attribute `packed`: the smallest type that has them all.
fn packed_enumeration_kind(constants: &[(String, i128)]) -> IntKind {
    use IntKind::*;
    let small = [UnsignedChar, SignedChar, UnsignedShort, Short];
    first_with(constants, &[&small[..], &[UnsignedInt, Int, UnsignedLong, Long]].concat())
}

fn first_with(constants: &[(String, i128)], candidates: &[IntKind]) -> IntKind {
    let least = constants.iter().map(|(_, value)| *value).min().unwrap_or(0);
    let greatest = constants.iter().map(|(_, value)| *value).max().unwrap_or(0);
    let fits = |kind: &IntKind| kind.int_type().contains(least) && kind.int_type().contains(greatest);
    candidates.iter().copied().find(fits).unwrap_or(IntKind::Long)
}

/// A constant of an enumeration of the given type: an `int`, if that has its value.
pub(super) fn enumerator_symbol(value: i128, enumeration: IntKind) -> Symbol {
    let is_int = IntKind::Int.int_type().contains(value);
    Symbol::Constant(value, if is_int { IntKind::Int } else { enumeration })
}

/// `int a[]` as the last member of a structure has no elements.
fn flexible(ty: CType) -> CType {
    match ty {
        CType::Array(element, None) => CType::Array(element, Some(0)),
        other => other,
    }
}
