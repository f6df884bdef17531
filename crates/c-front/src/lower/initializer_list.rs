//! Which value of an initializer goes where (C11 6.7.9).
//!
//! A list is walked over with a stack of the arrays and structures whose parts are being filled. A
//! designator starts again at the outermost one and leads down to a part; the values behind it go on
//! from there. A value that does not fit an array or structure as a whole goes to its first part. A
//! later value for the same place replaces the earlier one, which is then not computed at all, as gcc
//! has it; braces replace everything that the whole had before.

use super::{Lowered, Lowering};
use crate::types::{CType, IntKind, Opaque, RecordId};
use crate::value::Address;
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem};
use lang_c::span::{Node, Span as TreeSpan};

/// Larger arrays are not initialized element by element.
pub(super) const MAX_INITIALIZED_CELLS: u64 = 65_536;

/// One part of an initializer: which scalar (or structure) gets the value of what.
pub(super) struct Part<'a> {
    /// Several, if a range of elements gets the same value.
    pub(super) offsets: Vec<u64>,
    pub(super) ty: CType,
    pub(super) source: Source<'a>,
}

pub(super) enum Source<'a> {
    Expression(&'a Node<Expression>),
    /// A character of a string, as a number of the part's type.
    Character(i128),
    /// An initializer of the library; of a mutex, its kind.
    Library(i128),
}

/// The parts that were found so far.
#[derive(Default)]
pub(super) struct Parts<'a> {
    pub(super) list: Vec<Part<'a>>,
    /// No part lies here or behind.
    end: u64,
}

/// An array or structure whose parts are being filled.
struct Level {
    ty: CType,
    offset: u64,
    /// The index of the part that is next.
    next: u64,
}

/// Where a list stands.
struct Walk {
    levels: Vec<Level>,
    /// How far from the part at hand those lie that get the same value, itself included.
    distances: Vec<i64>,
    /// The level of which several parts get the same value.
    ranged: Option<usize>,
    /// How many elements the outermost array needs.
    length: u64,
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// The parts of an initializer for one (sub)object.
    pub(super) fn initialized(
        &mut self,
        ty: &CType,
        offset: u64,
        initializer: &'a Node<Initializer>,
        parts: &mut Parts<'a>,
    ) -> Lowered<()> {
        match &initializer.node {
            Initializer::List(items) => self.braced(ty, offset, items, initializer.span, parts),
            Initializer::Expression(expression) => match (ty.unqualified(), &expression.node) {
                (CType::Array(element, length), Expression::StringLiteral(_)) => {
                    self.characters(expression, element, *length, offset, parts)
                }
                (CType::Array(..), _) => {
                    self.refuse(expression.span, "an array that is initialized by an expression")
                }
                _ => {
                    let (offsets, ty) = (vec![offset], ty.clone());
                    self.add_part(parts, Part { offsets, ty, source: Source::Expression(expression) });
                    Ok(())
                }
            },
        }
    }

    fn add_part(&self, parts: &mut Parts<'a>, part: Part<'a>) {
        let size = self.facts.records.size_of(&part.ty).unwrap_or(1);
        let end = part.offsets.iter().map(|offset| offset + size).max();
        parts.end = parts.end.max(end.unwrap_or(0));
        parts.list.push(part);
    }

    /// The characters of a string; those behind its end are zero.
    fn characters(
        &mut self,
        string: &'a Node<Expression>,
        element: &CType,
        length: Option<u64>,
        offset: u64,
        parts: &mut Parts<'a>,
    ) -> Lowered<()> {
        let place = self.lvalue(string)?;
        let (Address::Known(known), Some(kind)) = (place.address, element.scalar()) else { return Ok(()) };
        let Some(own) = place.ty.element().and_then(CType::scalar) else { return Ok(()) };
        if !is_character_of(kind, own) {
            let (from, to) = (own.name(), self.facts.records.display(element));
            let message = format!("an array of `{to}` is initialized by a string of `{from}`");
            return self.error(string.span, message);
        }
        let image = self.facts.image(known.object).cloned().unwrap_or_default();
        let own_length = match place.ty {
            CType::Array(_, length) => length.unwrap_or(0),
            _ => 0,
        };
        let count = length.unwrap_or(own_length);
        for distance in (0..count.min(MAX_INITIALIZED_CELLS)).map(|index| index * own.size()) {
            let number = kind.int_type().wrap(image.get(distance, own));
            let (offsets, ty) = (vec![offset + distance], element.clone());
            self.add_part(parts, Part { offsets, ty, source: Source::Character(number) });
        }
        Ok(())
    }

    pub(super) fn braced(
        &mut self,
        ty: &CType,
        offset: u64,
        items: &'a [Node<InitializerListItem>],
        at: TreeSpan,
        parts: &mut Parts<'a>,
    ) -> Lowered<()> {
        match ty.unqualified() {
            CType::Opaque(opaque) if *opaque != Opaque::Thread => {
                let kind = self.library_initializer(*opaque, items, at)?;
                let (offsets, ty) = (vec![offset], ty.clone());
                self.add_part(parts, Part { offsets, ty, source: Source::Library(kind) });
                Ok(())
            }
            CType::Array(element, length) => match string_of(element, items) {
                Some(string) => self.characters(string, element, *length, offset, parts),
                None => self.list(ty, offset, items, at, parts).map(|_| ()),
            },
            CType::Record(_) => self.list(ty, offset, items, at, parts).map(|_| ()),
            _ => match items {
                [] => Ok(()),
                [item] if item.node.designation.is_empty() => {
                    self.initialized(ty, offset, &item.node.initializer, parts)
                }
                _ => self.error(at, "a scalar is initialized by a list"),
            },
        }
    }

    /// Fills the parts of an array or structure; returns how many of its elements that needs.
    pub(super) fn list(
        &mut self,
        ty: &CType,
        offset: u64,
        items: &'a [Node<InitializerListItem>],
        at: TreeSpan,
        parts: &mut Parts<'a>,
    ) -> Lowered<u64> {
        let outermost = Level { ty: ty.clone(), offset, next: 0 };
        let mut walk = Walk { levels: vec![outermost], distances: vec![0], ranged: None, length: 0 };
        for item in items {
            self.check_budget()?;
            if item.node.designation.is_empty() {
                self.leave_full_levels(&mut walk);
                if walk.ranged.is_some_and(|level| walk.levels.len() > level + 1) {
                    return self.refuse(item.span, "a value behind a part of a range of elements");
                }
                (walk.distances, walk.ranged) = (vec![0], None);
            } else {
                self.designate(&item.node.designation, &mut walk)?;
            }
            self.place_item(&item.node.initializer, at, &mut walk, parts)?;
        }
        Ok(walk.length)
    }

    fn leave_full_levels(&self, walk: &mut Walk) {
        while let [_, .., innermost] = walk.levels.as_slice() {
            if self.subobject(&innermost.ty, innermost.next).is_some() {
                break;
            }
            walk.levels.pop();
        }
    }

    /// Goes to the part that is next, and on to the first part of that if need be, and notes that
    /// it gets the value.
    fn place_item(
        &mut self,
        initializer: &'a Node<Initializer>,
        at: TreeSpan,
        walk: &mut Walk,
        parts: &mut Parts<'a>,
    ) -> Lowered<()> {
        loop {
            self.leave_full_levels(walk);
            let Some((ty, offset)) = self.enter_next(walk) else {
                return self.error(at, "too many values in this initializer");
            };
            if self.starts_elided(&ty, initializer)? {
                walk.levels.push(Level { ty, offset, next: 0 });
                continue;
            }
            let mut fresh = Parts::default();
            self.initialized(&ty, offset, initializer, &mut fresh)?;
            let moved = |offset: u64, distance: &i64| offset.saturating_add_signed(*distance);
            for distance in &walk.distances {
                self.forget_parts(parts, moved(offset, distance), &ty, initializer.span)?;
            }
            for mut part in fresh.list {
                let offsets = part.offsets.iter();
                part.offsets =
                    offsets.flat_map(|&own| walk.distances.iter().map(move |it| moved(own, it))).collect();
                self.add_part(parts, part);
            }
            return Ok(());
        }
    }

    /// The part that is next at the innermost level, which goes on behind it.
    fn enter_next(&self, walk: &mut Walk) -> Option<(CType, u64)> {
        let is_outermost = walk.levels.len() == 1;
        let level = walk.levels.last_mut()?;
        let (distance, ty) = self.subobject(&level.ty, level.next)?;
        if is_outermost {
            walk.length = walk.length.max(level.next + 1);
        }
        let is_union =
            matches!(level.ty.unqualified(), CType::Record(id) if self.facts.records.get(*id).is_union);
        level.next = if is_union { u64::MAX } else { level.next + 1 };
        Some((ty, level.offset + distance))
    }

    /// Drops what was said before about some bits.
    fn forget_parts(&self, parts: &mut Parts<'a>, start: u64, ty: &CType, at: TreeSpan) -> Lowered<()> {
        if start >= parts.end {
            return Ok(());
        }
        let bits = self.bits_of(start, ty);
        let mut cuts = false;
        for part in &mut parts.list {
            let ty = &part.ty;
            part.offsets.retain(|&own| {
                let own = self.bits_of(own, ty);
                let is_inside = own.start >= bits.start && own.end <= bits.end;
                cuts |= !is_inside && own.start < bits.end && bits.start < own.end;
                !is_inside
            });
        }
        parts.list.retain(|part| !part.offsets.is_empty());
        if cuts {
            return self.refuse(at, "another value for a part of a structure that was given as a whole");
        }
        Ok(())
    }

    /// The bits of a part at an offset.
    fn bits_of(&self, offset: u64, ty: &CType) -> std::ops::Range<u64> {
        let start = offset.saturating_mul(8);
        match ty {
            CType::BitField(bits) => {
                let start = start + u64::from(bits.shift);
                start..start + u64::from(bits.width)
            }
            _ => start..start.saturating_add(self.facts.records.size_of(ty).unwrap_or(1).saturating_mul(8)),
        }
    }

    /// Whether the braces around the values of an array or structure have been left out.
    fn starts_elided(&mut self, ty: &CType, initializer: &'a Node<Initializer>) -> Lowered<bool> {
        let Initializer::Expression(expression) = &initializer.node else { return Ok(false) };
        match ty.unqualified() {
            CType::Array(element, _) => match &expression.node {
                Expression::StringLiteral(_) => Ok(!is_character(element)),
                Expression::CompoundLiteral(_) => {
                    let own = self.operand_type(expression)?;
                    Ok(!matches!(own.unqualified(), CType::Array(..)))
                }
                _ => Ok(true),
            },
            CType::Record(_) => Ok(self.type_of(expression)?.ty != *ty.unqualified()),
            _ => Ok(false),
        }
    }

    /// Goes to what a designation names: the innermost level has it as its next part.
    fn designate(&mut self, designation: &'a [Node<Designator>], walk: &mut Walk) -> Lowered<()> {
        walk.levels.truncate(1);
        (walk.distances, walk.ranged) = (vec![0], None);
        let mut is_first = true;
        for designator in designation {
            let (path, count) = self.designated(walk, designator, is_first)?;
            for index in path {
                if !is_first {
                    self.descend(walk, designator.span)?;
                }
                is_first = false;
                if let Some(level) = walk.levels.last_mut() {
                    level.next = index;
                }
            }
            if count > 1 {
                self.widen(walk, count);
            }
        }
        let found = walk.levels.last().and_then(|level| self.subobject(&level.ty, level.next));
        match (found, designation.last()) {
            (None, Some(last)) => self.error(last.span, "there is no such part to initialize"),
            _ => Ok(()),
        }
    }

    /// Enters the part that is next.
    fn descend(&self, walk: &mut Walk, at: TreeSpan) -> Lowered<()> {
        match self.enter_next(walk) {
            Some((ty, offset)) => {
                walk.levels.push(Level { ty, offset, next: 0 });
                Ok(())
            }
            None => self.error(at, "there is no such part to initialize"),
        }
    }

    /// The part at hand is the last of so many that get the same value.
    fn widen(&self, walk: &mut Walk, count: u64) {
        let Some(level) = walk.levels.last() else { return };
        let size = level.ty.element().and_then(|element| self.facts.records.size_of(element)).unwrap_or(0);
        let steps = (0..count).rev().map(|back| -((back * size) as i64));
        let before = std::mem::take(&mut walk.distances);
        walk.distances = steps.flat_map(|step| before.iter().map(move |distance| distance + step)).collect();
        walk.ranged.get_or_insert(walk.levels.len() - 1);
    }

    /// The indices to follow for a designator, and how many parts end with the last one.
    fn designated(
        &mut self,
        walk: &Walk,
        designator: &'a Node<Designator>,
        is_first: bool,
    ) -> Lowered<(Vec<u64>, u64)> {
        let at = designator.span;
        let level = walk.levels.last();
        // Only the outermost level is entered already.
        let ty = match (is_first, level) {
            (true, Some(level)) => Some(level.ty.clone()),
            (false, Some(level)) => self.subobject(&level.ty, level.next).map(|(_, ty)| ty),
            (_, None) => None,
        };
        let mut index = |expression: &'a Node<Expression>| {
            let (index, _) = self.constant_expression(expression, "the index of an initializer")?;
            match u64::try_from(index) {
                Ok(index) if index < MAX_INITIALIZED_CELLS => Ok(index),
                _ => self.error(at, "there is no such part to initialize"),
            }
        };
        let (path, count) = match &designator.node {
            Designator::Index(expression) => (vec![index(expression)?], 1),
            Designator::Range(range) => {
                let (from, to) = (index(&range.node.from)?, index(&range.node.to)?);
                if from > to {
                    return self.error(at, "this range of elements is empty");
                }
                (vec![to], to - from + 1)
            }
            Designator::Member(name) => {
                let path = match ty.as_ref().map(CType::unqualified) {
                    Some(CType::Record(id)) => self.member_path(*id, &name.node.name),
                    _ => None,
                };
                return match path {
                    Some(path) => Ok((path, 1)),
                    None => self.error(at, format!("there is no member `{}`", name.node.name)),
                };
            }
        };
        match ty.as_ref().map(CType::unqualified) {
            Some(CType::Array(..)) => Ok((path, count)),
            _ => self.error(at, "an index for something that is not an array"),
        }
    }

    /// The way to a member, through structures without a name if it is inside of one.
    fn member_path(&self, id: RecordId, name: &str) -> Option<Vec<u64>> {
        (0..).map_while(|index| Some((index, self.named_subobject(id, index)?))).find_map(
            |(index, (own, ty))| match (own, ty.unqualified()) {
                (Some(own), _) if own == name => Some(vec![index]),
                (None, CType::Record(inner)) => {
                    let path = self.member_path(*inner, name)?;
                    Some([vec![index], path].concat())
                }
                _ => None,
            },
        )
    }

    /// A member that can be initialized; bit-fields without a name cannot.
    fn initializable(&self, id: RecordId, index: u64) -> Option<&crate::types::Field> {
        let body = self.facts.records.get(id).body.as_ref()?;
        let mut fields = body.fields.iter().filter(|field| field.name.is_some() || !field.is_bit_field);
        fields.nth(usize::try_from(index).ok()?)
    }

    fn named_subobject(&self, id: RecordId, index: u64) -> Option<(Option<&str>, CType)> {
        let field = self.initializable(id, index)?;
        Some((field.name.as_deref(), field.ty.clone()))
    }

    /// The offset and the type of an element or a member.
    fn subobject(&self, ty: &CType, index: u64) -> Option<(u64, CType)> {
        match ty.unqualified() {
            CType::Array(element, length) => {
                let size = self.facts.records.size_of(element)?;
                (index < length.unwrap_or(0)).then(|| (index * size, (**element).clone()))
            }
            CType::Record(id) => {
                let field = self.initializable(*id, index)?;
                Some((field.offset, field.ty.clone()))
            }
            _ => None,
        }
    }
}

fn is_character(ty: &CType) -> bool {
    use IntKind::*;
    // Those of wide characters, too.
    let is_kind = |kind| matches!(kind, Char | SignedChar | UnsignedChar | Int | UnsignedShort | UnsignedInt);
    matches!(ty.unqualified(), CType::Int(kind) if is_kind(*kind))
}

/// Whether an array of the one type can be initialized by a string of the other.
fn is_character_of(array: IntKind, string: IntKind) -> bool {
    match string {
        IntKind::Char => array.size() == 1 && array != IntKind::Bool,
        _ => array == string,
    }
}

/// The string of `char s[] = {"text"}`.
pub(super) fn string_of<'a>(
    element: &CType,
    items: &'a [Node<InitializerListItem>],
) -> Option<&'a Node<Expression>> {
    let [item] = items else { return None };
    match &item.node.initializer.node {
        Initializer::Expression(expression)
            if item.node.designation.is_empty()
                && is_character(element)
                && matches!(expression.node, Expression::StringLiteral(_)) =>
        {
            Some(expression)
        }
        _ => None,
    }
}
