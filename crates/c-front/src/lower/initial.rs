//! Initializers: what is stored where, with or without braces and designators.

use super::assign::Wanted;
use super::initializer_list::{MAX_INITIALIZED_CELLS, Part, Parts, Source, string_of};
use super::order::Pending;
use super::typename::is_string;
use super::{Lowered, Lowering};
use crate::image::Image;
use crate::layout::Leaf;
use crate::types::{CType, IntKind, MUTEX_KIND};
use crate::value::{Kind, Lvalue, ObjectId, Target};
use lang_c::ast::{Expression, Initializer, InitializerListItem};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{Expr, Initial, Op, Place};
use rustc_hash::FxHashSet;

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
        let Some(leaf) = leaf else { return vec![0] };
        match self.facts.image(place.object) {
            Some(image) => {
                leaf.cell_offsets().into_iter().map(|offset| image.get(offset, leaf.kind)).collect()
            }
            None => vec![0; leaf.cells() as usize],
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
        self.facts.set_image(object, Image::default());
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
        let mut parts = Parts::default();
        self.braced(&ty, 0, items, at, &mut parts)?;
        self.static_parts(object, parts.list)
    }

    fn static_parts(&mut self, object: ObjectId, parts: Vec<Part<'a>>) -> Lowered<()> {
        let mut image = Image::default();
        for part in parts {
            self.check_budget()?;
            let value = match part.source {
                Source::Library(kind) => {
                    if kind != 0 {
                        for offset in part.offsets.iter().map(|offset| offset + MUTEX_KIND) {
                            image.set(offset, 8, kind);
                            self.facts.use_detail(self.facts.target(object, offset as i64));
                        }
                    }
                    continue;
                }
                Source::Character(number) => number,
                Source::Expression(expression) => self.static_value(object, &part, expression)?,
            };
            for offset in part.offsets {
                match &part.ty {
                    CType::BitField(bits) => image.set_bits(offset, *bits, value),
                    ty => image.set(offset, self.facts.records.size_of(ty).unwrap_or(0), value),
                }
            }
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
        if value.ty.is_float() {
            return Ok(0);
        }
        let is_known = match &value.kind {
            Kind::Pointer(known) => known.dynamic.is_empty(),
            _ => value.as_constant().is_some(),
        };
        if !is_known || !value.is_certain() {
            return self.error(expression.span, "this initializer is not constant");
        }
        let targets = self.pointed_to(&value);
        if targets.iter().any(|target| self.facts.is_of_thread(target.object)) {
            return self.error(expression.span, "this initializer is not constant");
        }
        for &offset in &part.offsets {
            let target = self.facts.target(object, offset as i64);
            self.facts.store(target, &targets);
        }
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
        let mut parts = Parts::default();
        self.braced(&place.ty.clone(), 0, items, at, &mut parts)?;
        self.initialize_parts(place, parts.list, at)
    }

    /// What no initializer names becomes zero.
    fn initialize_parts(&mut self, place: &Lvalue, parts: Vec<Part<'a>>, at: TreeSpan) -> Lowered<()> {
        let crate::value::Address::Known(known) = &place.address else { return Ok(()) };
        let object = known.object;
        let leaves = self.facts.object(object).leaves.clone();
        let is_value = |part: &&Part<'a>| {
            !matches!(part.source, Source::Library(_)) && !matches!(part.ty, CType::BitField(_))
        };
        let values = parts.iter().filter(is_value);
        let named: FxHashSet<u64> = values.flat_map(|part| part.offsets.iter().copied()).collect();
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
        let mut operands = self.begin_initialisers(object);
        for part in parts {
            let is_expression = matches!(part.source, Source::Expression(_));
            self.initialize_part(place, part, at)?;
            if is_expression {
                self.operand_ends(&mut operands, Pending::default());
            }
        }
        self.end_operands(operands);
        Ok(())
    }

    /// One value for one place, or for several, which is computed once nevertheless.
    fn initialize_part(&mut self, place: &Lvalue, part: Part<'a>, at: TreeSpan) -> Lowered<()> {
        self.check_budget()?;
        let Part { offsets, ty, source } = part;
        let mut targets = offsets.iter().map(|&offset| self.part(place.clone(), offset, ty.clone()));
        match source {
            Source::Expression(expression) if offsets.len() == 1 => {
                let Some(target) = targets.next() else { return Ok(()) };
                self.assign_from(target, expression, Wanted::Nothing, expression.span, expression.span)?;
            }
            Source::Expression(expression) => {
                let targets: Vec<Lvalue> = targets.collect();
                let value = self.eval(expression)?;
                let value = self.convert(value, &ty, expression.span)?;
                let value = self.snapshot(value);
                for target in targets {
                    let value = value.clone();
                    self.assign_value(target, value, Wanted::Nothing, expression.span, expression.span)?;
                }
            }
            Source::Library(0) => {}
            Source::Library(kind) => {
                for target in targets.collect::<Vec<Lvalue>>() {
                    self.set_kind(&target, kind, at)?;
                }
            }
            Source::Character(number) => {
                for target in targets.collect::<Vec<Lvalue>>() {
                    self.write(&target, crate::value::Value::constant(ty.clone(), number), at)?;
                }
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
                Expression::StringLiteral(_) => {
                    let length = self.string_length(expression)?;
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
        if let Some(string) = string_of(element, items) {
            let length = self.string_length(string)?;
            return Ok(CType::Array(element.clone(), length));
        }
        let generous = CType::Array(element.clone(), Some(MAX_INITIALIZED_CELLS));
        let length = self.list(&generous, 0, items, at, &mut Parts::default())?;
        Ok(CType::Array(element.clone(), Some(length)))
    }

    /// How many characters a string has, with the one that ends it.
    fn string_length(&mut self, string: &'a Node<Expression>) -> Lowered<Option<u64>> {
        match self.operand_type(string)? {
            CType::Array(_, length) => Ok(length),
            _ => Ok(None),
        }
    }

    fn initializer_parts(
        &mut self,
        ty: &CType,
        initializer: &'a Node<Initializer>,
    ) -> Lowered<Vec<Part<'a>>> {
        let mut parts = Parts::default();
        self.initialized(ty, 0, initializer, &mut parts)?;
        Ok(parts.list)
    }
}
