//! Initializers: what is stored where, with or without braces and designators.

use super::assign::Wanted;
use super::typename::is_string;
use super::{Lowered, Lowering};
use crate::layout::Leaf;
use crate::types::{CType, IntKind, MUTEX_KIND, Opaque};
use crate::value::{Lvalue, ObjectId, Target};
use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{Expr, Initial, Op, Place};
use rustc_hash::{FxHashMap, FxHashSet};

/// Larger arrays are not initialized element by element.
const MAX_INITIALIZED_CELLS: u64 = 65_536;

/// One part of an initializer: which scalar (or structure) gets the value of what.
struct Part<'a> {
    offset: u64,
    ty: CType,
    source: Source<'a>,
}

enum Source<'a> {
    Expression(&'a Node<Expression>),
    /// A character of a string.
    Character(u8),
    /// An initializer of the library; of a mutex, its kind.
    Library(i128),
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// Gives all variables the values with which they start. That is done last: a variable may
    /// be used before, and even in, the initializer of its object.
    pub(super) fn set_initial_values(&mut self) {
        for (&place, &variable) in &self.variables {
            let leaves = &self.facts.object(place.object).leaves;
            let leaf = leaves.iter().find(|leaf| leaf.offset == place.offset);
            self.builder.set_initial(variable, Initial::Values(self.initial_cells(place, leaf)));
        }
    }

    /// The values with which a variable starts.
    fn initial_cells(&self, place: Target, leaf: Option<&Leaf>) -> Vec<i128> {
        let image = self.facts.image(place.object);
        let value_at = |offset: u64| image.and_then(|image| image.get(&offset).copied()).unwrap_or(0);
        match leaf {
            Some(leaf) => leaf.cell_offsets().into_iter().map(value_at).collect(),
            None => vec![0],
        }
    }

    /// Notes with what an object starts that exists for as long as the program runs.
    pub(super) fn static_image(
        &mut self,
        object: ObjectId,
        initializer: Option<&'a Node<Initializer>>,
    ) -> Lowered<()> {
        let Some(initializer) = initializer else { return Ok(()) };
        if self.facts.image(object).is_some() {
            return Ok(());
        }
        let ty = self.facts.object(object).ty.clone();
        // The initializer may mention the object's own address.
        self.facts.set_image(object, FxHashMap::default());
        let parts = self.initializer_parts(&ty, initializer)?;
        self.static_parts(object, parts)
    }

    /// The same for an object without a name, which has a list of values.
    pub(super) fn static_image_of_list(
        &mut self,
        object: ObjectId,
        items: &'a [Node<InitializerListItem>],
        at: TreeSpan,
    ) -> Lowered<()> {
        if self.facts.image(object).is_some() {
            return Ok(());
        }
        let ty = self.facts.object(object).ty.clone();
        let mut parts = Vec::new();
        self.braced(&ty, 0, items, at, &mut parts)?;
        self.static_parts(object, parts)
    }

    fn static_parts(&mut self, object: ObjectId, parts: Vec<Part<'a>>) -> Lowered<()> {
        let mut image = FxHashMap::default();
        for part in parts {
            let value = match part.source {
                Source::Library(kind) => {
                    if kind != 0 {
                        let offset = part.offset + MUTEX_KIND;
                        image.insert(offset, kind);
                        self.facts.use_detail(self.facts.target(object, offset as i64));
                    }
                    continue;
                }
                Source::Character(byte) => i128::from(byte as i8),
                Source::Expression(expression) => self.static_value(object, &part, expression)?,
            };
            image.insert(part.offset, value);
        }
        self.facts.set_image(object, image);
        Ok(())
    }

    fn static_value(
        &mut self,
        object: ObjectId,
        part: &Part<'a>,
        expression: &'a Node<Expression>,
    ) -> Lowered<i128> {
        let value = self.type_of(expression)?;
        let value = self.convert(value, &part.ty, expression.span)?;
        if !self.is_static(&value) {
            return self.error(expression.span, "this initializer is not constant");
        }
        let targets = self.pointed_to(&value);
        if targets.iter().any(|target| self.facts.is_of_thread(target.object)) {
            return self.error(expression.span, "this initializer is not constant");
        }
        let target = self.facts.target(object, part.offset as i64);
        self.facts.store(target, &targets);
        match self.storable(&value) {
            Expr::Int(number) => Ok(number),
            Expr::Bool(truth) => Ok(i128::from(truth)),
            _ => self.error(expression.span, "this initializer is not constant"),
        }
    }

    /// Initializes a local where it is declared.
    pub(super) fn initialize(
        &mut self,
        object: ObjectId,
        initializer: &'a Node<Initializer>,
        at: TreeSpan,
    ) -> Lowered<()> {
        let place = self.object_lvalue(object);
        match &initializer.node {
            Initializer::Expression(expression)
                if !(is_string(&expression.node) && matches!(place.ty, CType::Array(..))) =>
            {
                self.assign_from(place, expression, Wanted::Nothing, at, at)?;
                Ok(())
            }
            _ => {
                let parts = self.initializer_parts(&place.ty, initializer)?;
                self.initialize_parts(&place, parts, at)
            }
        }
    }

    pub(super) fn initialize_by_list(
        &mut self,
        place: &Lvalue,
        items: &'a [Node<InitializerListItem>],
        at: TreeSpan,
    ) -> Lowered<()> {
        let mut parts = Vec::new();
        self.braced(&place.ty.clone(), 0, items, at, &mut parts)?;
        self.initialize_parts(place, parts, at)
    }

    /// What no initializer names becomes zero.
    fn initialize_parts(&mut self, place: &Lvalue, parts: Vec<Part<'a>>, at: TreeSpan) -> Lowered<()> {
        let crate::value::Address::Known(known) = &place.address else { return Ok(()) };
        let object = known.object;
        let leaves = self.facts.object(object).leaves.clone();
        let is_value = |part: &&Part<'a>| !matches!(part.source, Source::Library(_));
        let named: FxHashSet<u64> = parts.iter().filter(is_value).map(|part| part.offset).collect();
        let mut zeros = Vec::new();
        for leaf in leaves.iter() {
            if self.facts.is_left_out(leaf) {
                continue;
            }
            let variable = self.variable(Target { object, offset: leaf.offset });
            for (cell, offset) in leaf.cell_offsets().into_iter().enumerate() {
                if named.contains(&offset) {
                    continue;
                }
                let cell_place = match leaf.dimensions.is_empty() {
                    true => Place::Scalar(variable),
                    false => Place::Element(variable, Expr::Int(cell as i128)),
                };
                let zero = if leaf.kind == IntKind::Bool { Expr::Bool(false) } else { Expr::Int(0) };
                zeros.push((cell_place, zero));
            }
        }
        if !zeros.is_empty() {
            self.emit(vec![Op::Assign(zeros)]);
        }
        for part in parts {
            let target = self.part(place.clone(), part.offset, part.ty.clone());
            match part.source {
                Source::Expression(expression) => {
                    self.assign_from(target, expression, Wanted::Nothing, expression.span, expression.span)?;
                }
                Source::Character(byte) => {
                    let value = crate::value::Value::constant(part.ty, i128::from(byte as i8));
                    self.write(&target, value, at)?;
                }
                Source::Library(0) => {}
                Source::Library(kind) => self.set_kind(&target, kind, at)?,
            }
        }
        Ok(())
    }

    /// An array of unknown length gets that of its initializer.
    pub(super) fn completed_type(
        &mut self,
        ty: CType,
        initializer: Option<&'a Node<Initializer>>,
        at: TreeSpan,
    ) -> Lowered<CType> {
        let CType::Array(element, None) = &ty else { return Ok(ty) };
        match initializer.map(|node| &node.node) {
            None => self.error(at, "the length of this array is missing"),
            Some(Initializer::List(items)) => self.completed_by_list(ty, items, at),
            Some(Initializer::Expression(expression)) => match &expression.node {
                Expression::StringLiteral(string) => {
                    let length = match self.string(&string.node, expression.span)?.ty {
                        CType::Array(_, length) => length,
                        _ => None,
                    };
                    Ok(CType::Array(element.clone(), length))
                }
                _ => self.error(at, "an array is initialized by an expression"),
            },
        }
    }

    pub(super) fn completed_by_list(
        &mut self,
        ty: CType,
        items: &'a [Node<InitializerListItem>],
        at: TreeSpan,
    ) -> Lowered<CType> {
        let CType::Array(element, None) = &ty else { return Ok(ty) };
        let size = self.facts.records.size_of(element).unwrap_or(0);
        if size == 0 {
            return self.error(at, "the elements of this array have an incomplete type");
        }
        let generous = CType::Array(element.clone(), Some(MAX_INITIALIZED_CELLS));
        let mut parts = Vec::new();
        self.braced(&generous, 0, items, at, &mut parts)?;
        let length = parts.iter().map(|part| part.offset / size + 1).max().unwrap_or(0);
        Ok(CType::Array(element.clone(), Some(length)))
    }

    fn initializer_parts(
        &mut self,
        ty: &CType,
        initializer: &'a Node<Initializer>,
    ) -> Lowered<Vec<Part<'a>>> {
        let mut parts = Vec::new();
        self.initialized(ty, 0, initializer, &mut parts)?;
        Ok(parts)
    }

    /// The parts of an initializer for one (sub)object.
    fn initialized(
        &mut self,
        ty: &CType,
        offset: u64,
        initializer: &'a Node<Initializer>,
        parts: &mut Vec<Part<'a>>,
    ) -> Lowered<()> {
        match &initializer.node {
            Initializer::List(items) => self.braced(ty, offset, items, initializer.span, parts),
            Initializer::Expression(expression) => {
                if let (CType::Array(element, length), Expression::StringLiteral(string)) =
                    (ty, &expression.node)
                {
                    let lvalue = self.string(&string.node, expression.span)?;
                    return self.characters(lvalue, element, *length, offset, parts);
                }
                let source = Source::Expression(expression);
                parts.push(Part { offset, ty: ty.clone(), source });
                Ok(())
            }
        }
    }

    fn characters(
        &mut self,
        string: Lvalue,
        element: &CType,
        length: Option<u64>,
        offset: u64,
        parts: &mut Vec<Part<'a>>,
    ) -> Lowered<()> {
        let crate::value::Address::Known(known) = string.address else { return Ok(()) };
        let image = self.facts.image(known.object).cloned().unwrap_or_default();
        let count = length.unwrap_or(image.len() as u64);
        for index in 0..count.min(MAX_INITIALIZED_CELLS) {
            let byte = image.get(&index).copied().unwrap_or(0) as u8;
            parts.push(Part { offset: offset + index, ty: element.clone(), source: Source::Character(byte) });
        }
        Ok(())
    }

    fn braced(
        &mut self,
        ty: &CType,
        offset: u64,
        items: &'a [Node<InitializerListItem>],
        at: TreeSpan,
        parts: &mut Vec<Part<'a>>,
    ) -> Lowered<()> {
        match ty.unqualified() {
            CType::Opaque(opaque) if *opaque != Opaque::Thread => {
                let kind = self.library_initializer(*opaque, items, at)?;
                parts.push(Part { offset, ty: ty.clone(), source: Source::Library(kind) });
                Ok(())
            }
            CType::Array(..) | CType::Record(_) => {
                let mut position = 0;
                self.fill(ty, offset, items, &mut position, true, parts)?;
                if position < items.len() {
                    return self.error(at, "this initializer has more values than there are places");
                }
                Ok(())
            }
            _ => match items {
                [] => Ok(()),
                [item] if item.node.designation.is_empty() => {
                    self.initialized(ty, offset, &item.node.initializer, parts)
                }
                _ => self.error(at, "a scalar is initialized by a list"),
            },
        }
    }

    /// Fills the parts of an array or structure from the items of a list, from `position` on.
    fn fill(
        &mut self,
        ty: &CType,
        offset: u64,
        items: &'a [Node<InitializerListItem>],
        position: &mut usize,
        has_braces: bool,
        parts: &mut Vec<Part<'a>>,
    ) -> Lowered<()> {
        let mut index = 0;
        while *position < items.len() {
            let item = &items[*position];
            if !item.node.designation.is_empty() {
                if !has_braces {
                    return Ok(());
                }
                index = self.designated(ty, offset, item, parts)? + 1;
                *position += 1;
                continue;
            }
            let Some((distance, part_type)) = self.subobject(ty, index) else { return Ok(()) };
            let at = offset + distance;
            let initializer = &*item.node.initializer;
            if self.starts_elided(&part_type, initializer)? {
                self.fill(&part_type, at, items, position, false, parts)?;
            } else {
                self.initialized(&part_type, at, initializer, parts)?;
                *position += 1;
            }
            index += 1;
        }
        Ok(())
    }

    /// Whether the braces around the values of an array or structure have been left out.
    fn starts_elided(&mut self, ty: &CType, initializer: &'a Node<Initializer>) -> Lowered<bool> {
        let Initializer::Expression(expression) = &initializer.node else { return Ok(false) };
        match ty.unqualified() {
            CType::Array(..) => Ok(!is_string(&expression.node)),
            CType::Record(_) => Ok(self.type_of(expression)?.ty != *ty.unqualified()),
            _ => Ok(false),
        }
    }

    /// An item with a designation; returns the index of the part that it designates.
    fn designated(
        &mut self,
        ty: &CType,
        offset: u64,
        item: &'a Node<InitializerListItem>,
        parts: &mut Vec<Part<'a>>,
    ) -> Lowered<u64> {
        let (mut last, mut targets) = (0, vec![(ty.clone(), offset)]);
        for (level, designator) in item.node.designation.iter().enumerate() {
            let mut next = Vec::new();
            for (ty, offset) in targets {
                for index in self.designated_indices(&ty, designator)? {
                    let Some((distance, part)) = self.subobject(&ty, index) else {
                        return self.error(designator.span, "there is no such part to initialize");
                    };
                    if level == 0 {
                        last = index;
                    }
                    next.push((part, offset + distance));
                }
            }
            targets = next;
        }
        for (ty, offset) in targets {
            parts.retain(|part| part.offset != offset);
            self.initialized(&ty, offset, &item.node.initializer, parts)?;
        }
        Ok(last)
    }

    fn designated_indices(&mut self, ty: &CType, designator: &'a Node<Designator>) -> Lowered<Vec<u64>> {
        let at = designator.span;
        let mut index = |expression: &'a Node<Expression>| {
            let (index, _) = self.constant_expression(expression, "the index of an initializer")?;
            match u64::try_from(index) {
                Ok(index) if index < MAX_INITIALIZED_CELLS => Ok(index),
                _ => self.error(at, "there is no such part to initialize"),
            }
        };
        match &designator.node {
            Designator::Index(expression) => Ok(vec![index(expression)?]),
            Designator::Range(range) => {
                let (from, to) = (index(&range.node.from)?, index(&range.node.to)?);
                Ok((from..=to).collect())
            }
            Designator::Member(name) => {
                let position = match ty.unqualified() {
                    CType::Record(id) => self.facts.records.get(*id).body.as_ref().and_then(|body| {
                        body.fields.iter().position(|field| field.name.as_deref() == Some(&name.node.name))
                    }),
                    _ => None,
                };
                match position {
                    Some(position) => Ok(vec![position as u64]),
                    None => self.error(at, format!("there is no member `{}`", name.node.name)),
                }
            }
        }
    }

    /// The offset and the type of an element or a member.
    fn subobject(&self, ty: &CType, index: u64) -> Option<(u64, CType)> {
        match ty.unqualified() {
            CType::Array(element, length) => {
                let size = self.facts.records.size_of(element)?;
                (index < length.unwrap_or(0)).then(|| (index * size, (**element).clone()))
            }
            CType::Record(id) => {
                let body = self.facts.records.get(*id).body.as_ref()?;
                let field = body.fields.get(usize::try_from(index).ok()?)?;
                Some((field.offset, field.ty.clone()))
            }
            _ => None,
        }
    }
}
