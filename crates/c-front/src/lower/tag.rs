//! Structures, unions and enumerations.

use super::scope::{Frame, Handover, Symbol, Tag};
use super::{Lowered, Lowering};
use crate::types::{CType, IntKind, RecordId};
use crate::unit::declarator_name;
use lang_c::ast::{EnumType, SpecifierQualifier, StructDeclaration, StructKind, StructType, TypeSpecifier};
use lang_c::span::{Node, Span as TreeSpan};

impl<'a, 'f> Lowering<'a, 'f> {
    pub(super) fn record_type(&mut self, node: &'a Node<StructType>) -> Lowered<RecordId> {
        let is_union = node.node.kind.node == StructKind::Union;
        let tag = node.node.identifier.as_ref().map(|tag| tag.node.name.as_str());
        if node.node.declarations.is_some() {
            let name = tag.unwrap_or("<unnamed>");
            let id = self.facts.records.at(node.span.start, name, is_union);
            if let Some(tag) = tag {
                self.define_tag(tag, Tag::Record(id));
            }
            self.complete_record(id, node)?;
            return Ok(id);
        }
        let tag = tag.unwrap_or("<unnamed>");
        if let Some(Tag::Record(id)) = self.local_tag(tag) {
            return Ok(id);
        }
        match self.unit.records.get(tag) {
            Some(&definition) => {
                let id = self.facts.records.at(definition.span.start, tag, is_union);
                self.at_file_scope(|lowering| lowering.complete_record(id, definition))?;
                Ok(id)
            }
            None => Ok(self.facts.records.undefined(tag, is_union)),
        }
    }

    fn complete_record(&mut self, id: RecordId, node: &'a Node<StructType>) -> Lowered<()> {
        if self.facts.records.get(id).body.is_some() {
            return self.declare_inner_tags(node);
        }
        // A structure may mention itself, as the target of a pointer.
        if !self.completing.insert(id) {
            return Ok(());
        }
        self.check_tag_attributes(node)?;
        let dropped = &self.origin.prepared.packed;
        if self.unit.packed.contains(&node.span.start)
            || dropped.iter().any(|at| (node.span.start..node.span.end).contains(at))
        {
            return self.refuse(node.span, "the attribute `packed`");
        }
        let mut members = Vec::new();
        for declaration in node.node.declarations.iter().flatten() {
            let StructDeclaration::Field(field) = &declaration.node else { continue };
            let base = self.specifier_qualifier_type(&field.node.specifiers, field.span)?;
            if field.node.declarators.is_empty() {
                members.push((None, base, false));
                continue;
            }
            for declarator in &field.node.declarators {
                let is_bit_field = declarator.node.bit_width.is_some();
                let Some(named) = &declarator.node.declarator else {
                    members.push((None, base.clone(), is_bit_field));
                    continue;
                };
                let ty = self.derived_type(base.clone(), &named.node, field.span)?;
                let name = declarator_name(&named.node).map(str::to_owned);
                members.push((name, flexible(ty), is_bit_field));
            }
        }
        self.completing.remove(&id);
        if !self.facts.records.complete(id, members) {
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
            let declares = field.node.specifiers.iter().any(|specifier| {
                let SpecifierQualifier::TypeSpecifier(ty) = &specifier.node else { return false };
                match &ty.node {
                    TypeSpecifier::Struct(inner) => inner.node.declarations.is_some(),
                    TypeSpecifier::Enum(inner) => !inner.node.enumerators.is_empty(),
                    _ => false,
                }
            });
            if declares {
                self.specifier_qualifier_type(&field.node.specifiers, field.span)?;
            }
        }
        Ok(())
    }

    /// Refuses attributes that change what a structure is.
    fn check_tag_attributes(&self, node: &Node<StructType>) -> Lowered<()> {
        let behind = self.unit.tag_attributes.get(&node.span.start).into_iter().flatten().copied();
        let span = node.span.start..node.span.end;
        let dropped = self.origin.prepared.dropped_attributes.iter();
        let in_front = dropped.filter(|(at, _)| span.contains(at)).map(|(_, name)| name.as_str());
        for name in behind.chain(in_front) {
            self.check_attribute(name.trim_matches('_'), node.span)?;
        }
        Ok(())
    }

    pub(super) fn enum_type(&mut self, node: &'a EnumType, at: TreeSpan) -> Lowered<IntKind> {
        let tag = node.identifier.as_ref().map(|tag| tag.node.name.as_str());
        if node.enumerators.is_empty() {
            let tag = tag.unwrap_or("<unnamed>");
            if let Some(Tag::Enum(kind)) = self.local_tag(tag) {
                return Ok(kind);
            }
            return match self.unit.enums.get(tag) {
                Some(&definition) => {
                    self.at_file_scope(|lowering| lowering.enum_type(&definition.node, definition.span))
                }
                None => self.error(at, format!("the enumeration `{tag}` is not defined")),
            };
        }
        let constants = self.enumerators(node)?;
        let kind = enumeration_kind(&constants);
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
    let least = constants.iter().map(|(_, value)| *value).min().unwrap_or(0);
    let greatest = constants.iter().map(|(_, value)| *value).max().unwrap_or(0);
    let candidates = [IntKind::UnsignedInt, IntKind::Int, IntKind::UnsignedLong, IntKind::Long];
    let fits = |kind: &IntKind| kind.int_type().contains(least) && kind.int_type().contains(greatest);
    candidates.into_iter().find(fits).unwrap_or(IntKind::Long)
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
