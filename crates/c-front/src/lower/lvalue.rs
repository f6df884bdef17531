//! Places in memory.

use super::impact::plain_name;
use super::scope::Symbol;
use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::fold;
use crate::image::Image;
use crate::types::{CType, IntKind};
use crate::value::{Address, Guard, Kind, Known, Lvalue, ObjectId, Targets, Value};
use lang_c::ast::{
    BinaryOperator, CompoundLiteral, Expression, MemberOperator, OffsetMember, OffsetOfExpression,
    UnaryOperator,
};
use lang_c::span::{Node, Span as TreeSpan};
use rely_program::{BinaryOp, CheckKind, Expr};

impl<'a, 'f> Lowering<'a, 'f> {
    /// The place that an expression means.
    pub(super) fn lvalue(&mut self, expression: &'a Node<Expression>) -> Lowered<Lvalue> {
        let at = expression.span;
        match &expression.node {
            Expression::Identifier(identifier) => self.named_place(&identifier.node.name, at),
            Expression::StringLiteral(string) => self.string(&string.node, at),
            Expression::CompoundLiteral(literal) => self.compound_literal(&literal.node, at),
            Expression::Member(member) => {
                let base = match member.node.operator.node {
                    MemberOperator::Direct => self.record_place(&member.node.expression)?,
                    MemberOperator::Indirect => {
                        let pointer = self.eval(&member.node.expression)?;
                        self.dereference(pointer, &member.node.expression, at)?
                    }
                };
                self.member(base, &member.node.identifier.node.name, at)
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                let pointer = self.eval(&unary.node.operand)?;
                self.dereference(pointer, &unary.node.operand, at)
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                self.element(&binary.node.lhs, &binary.node.rhs, at)
            }
            _ => {
                let text = self.origin.text(at);
                self.error(at, format!("`{text}` is not a place in memory"))
            }
        }
    }

    fn named_place(&mut self, name: &str, at: TreeSpan) -> Lowered<Lvalue> {
        match self.lookup(name, at)? {
            Some(Symbol::Object(object)) => Ok(self.object_lvalue(object)),
            Some(Symbol::Function(name)) => {
                let object = self.function_object(&name, at)?;
                Ok(self.object_lvalue(object))
            }
            Some(Symbol::Bound(value)) => self.place_of_constant(name, *value, at),
            Some(Symbol::Outside(ty)) => self.outside_place(ty, at),
            Some(Symbol::Constant(..) | Symbol::Typedef(_)) => {
                self.error(at, format!("`{}` is not a variable", self.spelled(name)))
            }
            None if is_function_name(name) => self.function_name_string(at),
            None => self.error(at, format!("there is no variable `{}`", self.spelled(name))),
        }
    }

    /// `__func__`: the name of the function, as a string.
    pub(super) fn function_name_string(&mut self, at: TreeSpan) -> Lowered<Lvalue> {
        let function = self.frames.last().map_or("", |frame| frame.name);
        self.string(&[format!("\"{function}\"")], at)
    }

    /// A constant whose address is taken after all.
    fn place_of_constant(&mut self, name: &str, value: Value, at: TreeSpan) -> Lowered<Lvalue> {
        let key = ObjectKey::Global(format!("const {name}"));
        let spelled = self.spelled(name).to_owned();
        let object = self.object(key, spelled, value.ty.clone(), Storage::Global, at)?;
        let constant = value.as_constant().unwrap_or(0);
        let mut image = Image::default();
        image.set(0, self.facts.records.size_of(&value.ty).unwrap_or(0), constant);
        self.facts.set_image(object, image);
        Ok(self.object_lvalue(object))
    }

    pub(super) fn object_lvalue(&self, object: ObjectId) -> Lvalue {
        let ty = self.facts.object(object).ty.clone();
        Lvalue { ty, address: Address::Known(Known::start_of(object)), guards: Vec::new() }
    }

    /// `base[index]`. Where the length of the array is known from its type, the index is
    /// checked: what lies behind the array may be another member of the same structure.
    fn element(
        &mut self,
        base: &'a Node<Expression>,
        index: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<Lvalue> {
        let operands = self.begin_operands();
        let (array, length) = self.indexed(base)?;
        let (array, index) = self.operand_after(operands, array, index)?;
        // The indices of variables are checked when they are accessed, unless these are bytes.
        let is_checked_later = index.as_constant().is_none()
            && matches!(&array.kind, Kind::Pointer(known) if !self.facts.is_raw(known.object));
        let is_inside = match length {
            Some(length) if !is_checked_later && !index.ty.is_pointer() => {
                // An element that is an array itself is not accessed here, and may be the end.
                let is_array = matches!(array.ty.element(), Some(CType::Array(..)));
                fold::between(self.number(&index), 0, i128::from(length) - i128::from(!is_array))
            }
            _ => Expr::Bool(true),
        };
        let mut pointer = self.binary(BinaryOp::Add, array, index, at)?;
        let Some(element) = pointer.ty.element().cloned() else {
            return self.error(at, "what is indexed is neither an array nor a pointer");
        };
        if is_inside != Expr::Bool(true) {
            let message = format!(
                "the index in `{}` is outside of `{}`, which has {} elements",
                self.origin.text(at),
                self.origin.text(base.span),
                length.unwrap_or(0)
            );
            let span = Some(self.span(at));
            pointer.guards.push(Guard {
                kind: CheckKind::Bounds,
                condition: is_inside.clone(),
                message,
                span,
            });
        }
        if is_inside == Expr::Bool(false) {
            let nowhere = Address::Computed(Expr::Int(0), Targets::new());
            return Ok(Lvalue { ty: element, address: nowhere, guards: pointer.guards });
        }
        self.dereference(pointer, base, at)
    }

    /// The value of what is indexed, and its length if it is an array.
    fn indexed(&mut self, base: &'a Node<Expression>) -> Lowered<(Value, Option<u64>)> {
        let is_place = match &base.node {
            Expression::Identifier(identifier) => {
                matches!(self.lookup(&identifier.node.name, base.span)?, Some(Symbol::Object(_)))
            }
            Expression::Member(_) | Expression::CompoundLiteral(_) | Expression::StringLiteral(_) => true,
            Expression::BinaryOperator(binary) => binary.node.operator.node == BinaryOperator::Index,
            Expression::UnaryOperator(unary) => unary.node.operator.node == UnaryOperator::Indirection,
            _ => false,
        };
        if !is_place {
            return Ok((self.eval(base)?, None));
        }
        let place = self.lvalue(base)?;
        let length = match place.ty.unqualified() {
            // The length of the last member may be left open.
            CType::Array(_, length) => length.filter(|&length| length > 0),
            _ => None,
        };
        Ok((self.read(place, base.span)?, length))
    }

    /// The place of a structure, which may be the result of a call.
    fn record_place(&mut self, expression: &'a Node<Expression>) -> Lowered<Lvalue> {
        match &expression.node {
            Expression::Call(_) | Expression::Statement(_) | Expression::Conditional(_) => {
                match self.eval(expression)?.kind {
                    Kind::Record(lvalue) => Ok(lvalue),
                    _ => self.error(expression.span, "this is not a structure"),
                }
            }
            _ => self.lvalue(expression),
        }
    }

    /// What a pointer points to.
    pub(super) fn dereference(
        &mut self,
        pointer: Value,
        written: &'a Node<Expression>,
        at: TreeSpan,
    ) -> Lowered<Lvalue> {
        let Some(target) = pointer.ty.element().cloned() else {
            let ty = self.facts.records.display(&pointer.ty);
            return self.error(at, format!("a value of type `{ty}` is used as a pointer"));
        };
        let pointer = self.settle_shared(pointer);
        // A long expression would be repeated for each place that it may point to.
        let is_simple = matches!(&pointer.kind, Kind::Number(Expr::Var(_) | Expr::Int(_)));
        let pointer = match pointer.kind {
            Kind::Number(_) if !is_simple && plain_name(written).is_none() => self.settle(pointer),
            _ => pointer,
        };
        Ok(self.place_behind(pointer, target))
    }

    /// The place at the address that a pointer holds.
    pub(super) fn place_behind(&mut self, pointer: Value, ty: CType) -> Lvalue {
        let address = match pointer.kind {
            Kind::Pointer(known) => Address::Known(known),
            _ => Address::Computed(self.number(&pointer), pointer.targets),
        };
        Lvalue { ty, address, guards: pointer.guards }
    }

    /// A member of a structure.
    pub(super) fn member(&mut self, base: Lvalue, name: &str, at: TreeSpan) -> Lowered<Lvalue> {
        let CType::Record(id) = *base.ty.unqualified() else {
            let ty = self.facts.records.display(&base.ty);
            return self.error(at, format!("`{ty}` is not a structure and has no member `{name}`"));
        };
        self.complete_type(&base.ty)?;
        if base.ty.is_atomic() {
            return self
                .refuse(at, "an access to a member of an atomic structure, which C leaves undefined,");
        }
        let Some(field) = self.facts.records.field(id, name) else {
            let ty = self.facts.records.display(&base.ty);
            if self.facts.records.get(id).body.is_none() {
                return self.error(at, format!("the type `{ty}` is incomplete"));
            }
            return self.error(at, format!("`{ty}` has no member `{name}`"));
        };
        Ok(self.part(base, field.offset, field.ty))
    }

    /// The place at some distance from the start of another.
    pub(super) fn part(&self, base: Lvalue, offset: u64, ty: CType) -> Lvalue {
        let address = match base.address {
            Address::Known(known) => {
                Address::Known(Known { offset: known.offset.saturating_add(offset as i64), ..known })
            }
            Address::Computed(expr, targets) => {
                let distance = Expr::Int(i128::from(offset));
                let targets = self.facts.parts_behind(&targets, offset);
                Address::Computed(fold::add(expr, distance), targets)
            }
        };
        Lvalue { ty, address, guards: base.guards }
    }

    /// `(T) { ... }`: a variable without a name, set each time; outside of functions, once.
    fn compound_literal(&mut self, literal: &'a CompoundLiteral, at: TreeSpan) -> Lowered<Lvalue> {
        let ty = self.type_name(&literal.type_name.node, at)?;
        let ty = self.completed_by_list(ty, &literal.initializer_list, at)?;
        if self.frames.is_empty() {
            let key = ObjectKey::StaticLocal(at.start);
            let object = self.object(key, "literal".into(), ty, Storage::Global, at)?;
            self.static_image_of_list(object, &literal.initializer_list, at)?;
            return Ok(self.object_lvalue(object));
        }
        let object = self.local_object(at.start, "literal", ty, at)?;
        let lvalue = self.object_lvalue(object);
        self.initialize_by_list(&lvalue, &literal.initializer_list, at)?;
        Ok(lvalue)
    }

    pub(super) fn offset_of(&mut self, offset: &'a OffsetOfExpression, at: TreeSpan) -> Lowered<Value> {
        let ty = self.type_name(&offset.type_name.node, at)?;
        let (mut distance, mut ty) =
            self.offset_of_member(&ty, &offset.designator.node.base.node.name, at)?;
        let mut variable: Option<Value> = None;
        for member in &offset.designator.node.members {
            let (more, inner) = match &member.node {
                OffsetMember::Member(name) => self.offset_of_member(&ty, &name.node.name, at)?,
                OffsetMember::IndirectMember(_) => return self.refuse(at, "`->` in `offsetof`"),
                OffsetMember::Index(index) => {
                    let CType::Array(element, _) = ty.unqualified() else {
                        return self.error(at, "an index in `offsetof` of something that is not an array");
                    };
                    let size = i128::from(self.facts.records.size_of(element).unwrap_or(0));
                    let number = self.type_of(index)?;
                    let constant = number.as_constant().filter(|_| self.is_static(&number));
                    if constant.is_none() {
                        // An extension of gcc.
                        let number = self.eval(index)?;
                        let size = Value::constant(CType::SIZE, size);
                        let more = self.binary(BinaryOp::Mul, number, size, at)?;
                        variable = Some(match variable {
                            Some(before) => self.binary(BinaryOp::Add, before, more, at)?,
                            None => more,
                        });
                    }
                    (constant.unwrap_or(0).saturating_mul(size), (**element).clone())
                }
            };
            distance = distance.saturating_add(more);
            ty = inner;
        }
        let size = IntKind::UnsignedLong.int_type();
        let constant = Value::constant(CType::SIZE, size.wrap(distance));
        match variable {
            Some(variable) => self.binary(BinaryOp::Add, variable, constant, at),
            None => Ok(constant),
        }
    }

    /// Where a member lies; unlike its value, this is known for unions too.
    fn offset_of_member(&self, ty: &CType, name: &str, at: TreeSpan) -> Lowered<(i128, CType)> {
        let field = match *ty.unqualified() {
            CType::Record(id) => self.facts.records.field(id, name),
            _ => None,
        };
        match field {
            Some(field) if field.is_bit_field => self.error(at, "`offsetof` of a bit-field"),
            Some(field) => Ok((i128::from(field.offset), field.ty)),
            None => {
                let ty = self.facts.records.display(ty);
                self.error(at, format!("`{ty}` has no member `{name}`"))
            }
        }
    }
}

/// Whether a name that nobody declares means that of the function.
pub(super) fn is_function_name(name: &str) -> bool {
    matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
}
