//! Allocated memory.
//!
//! Each place in the program that allocates has a pool of objects: one, if it is reached once at most, and
//! [`POOL_OBJECTS`] if it may be reached again, in a loop or in a thread that is started several times. An allocation takes
//! the first object of the pool that is not in use, and `free` gives it back. If all are in use, the translation ends
//! there: a check of the kind `Limit` says so, and no proof ignores it. What an object holds is found out from the type
//! of the first pointer to it. Memory of a variable size has room for [`VARIABLE_BYTES`], and knows its size.
//!
//! Memory that is used again hides that an old pointer to it is used, too. So `free` may also retire an object, one of
//! each pool at a time: it is never given out again, and some run retires just the one that is used too late.

use super::{Lowered, Lowering};
use crate::facts::{Allocation, ObjectKey, Site, Storage};
use crate::fold::{self, Range};
use crate::layout::Unsupported;
use crate::types::{CType, IntKind};
use crate::value::{Guard, Known, ObjectId, Target, Value};
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span as TreeSpan};
use rely_base::plural;
use rely_program::{BinaryOp, Check, CheckKind, Expr, LocationId, Op, Place, Sort};

/// Larger pieces of memory are not allocated.
const MAX_BYTES: i128 = 1 << 24;

/// How many objects of one place that allocates can be in use at once, if it is reached more than once. Each access
/// through a pointer to one of them is a choice between all, so there are few.
pub(super) const POOL_OBJECTS: usize = 8;

/// How many bytes memory of a variable size has at most.
pub(super) const VARIABLE_BYTES: u64 = 256;

/// Nobody uses an object of a pool.
const UNUSED: i128 = 0;
const LIVE: i128 = 1;
/// It was freed, and is not given out again.
const RETIRED: i128 = 2;

/// A place that allocates, in one round.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) site: Site,
    pub(super) location: LocationId,
}

/// How much memory is asked for.
#[derive(Clone, Debug)]
enum Amount {
    Fixed(u64),
    Variable(Expr),
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// `malloc` and `calloc`; the size is the product of the arguments.
    pub(super) fn allocate(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        at: TreeSpan,
    ) -> Lowered<Value> {
        let (amount, room) = self.amount(name, arguments, at)?;
        self.assume("allocation-and-creation-succeed");
        if name == "malloc" {
            self.assume("arrays-written-before-read");
        }
        let path = self.frames.iter().skip(1).map(|frame| frame.site).chain([at.start]).collect();
        let site = Site { thread: self.thread.key.clone(), path };
        let objects = self.pool(&site, room, matches!(amount, Amount::Variable(_)), at)?;
        if self.facts.may_reuse_addresses(&objects) {
            self.assume("object-addresses");
        }
        let pointer = CType::pointer_to(CType::Void);
        if self.is_silent || self.flow.is_dead() {
            return Ok(Value::pointer(pointer, Known::start_of(objects[0])));
        }
        if let Some(location) = self.here() {
            self.reached.push(Reached { site, location });
            // Whatever follows does not happen at this location any more.
            self.emit(Vec::new());
        }
        self.keep_size_limit(&amount, room, at);
        if let [object] = objects.as_slice() {
            let changes = self.begin_life(*object, &amount);
            if !changes.is_empty() {
                self.emit(vec![Op::Assign(changes)]);
            }
            return Ok(Value::pointer(pointer, Known::start_of(*object)));
        }
        let address = self.take_from_pool(name, &objects, &amount, at);
        let targets = objects.iter().map(|&object| Target { object, offset: 0 }).collect();
        let range = Range { low: 0, high: i128::from(u64::MAX) };
        Ok(Value { targets, ..Value::number(pointer, address, range) })
    }

    /// How much memory the arguments ask for, and how much of it there can be.
    fn amount(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        at: TreeSpan,
    ) -> Lowered<(Amount, u64)> {
        let (mut product, mut range) = (Expr::Int(1), Range::exactly(1));
        for argument in arguments {
            let value = self.eval(argument)?;
            let value = self.convert(value, &CType::SIZE, argument.span)?;
            let value = self.snapshot(value);
            range = Range::apply(BinaryOp::Mul, range, value.range);
            product = fold::binary(BinaryOp::Mul, product, self.number(&value));
        }
        match product {
            Expr::Int(bytes @ 1..=MAX_BYTES) => Ok((Amount::Fixed(bytes as u64), bytes as u64)),
            Expr::Int(0) => Ok((Amount::Variable(Expr::Int(0)), 1)),
            Expr::Int(bytes) => self.refuse(at, format!("`{name}` of {}", plural(bytes, "bytes"))),
            product => {
                let room = range.high.clamp(1, i128::from(VARIABLE_BYTES)) as u64;
                Ok((Amount::Variable(product), room))
            }
        }
    }

    /// The objects of a place that allocates.
    fn pool(&mut self, site: &Site, room: u64, is_variable: bool, at: TreeSpan) -> Lowered<Vec<ObjectId>> {
        let count = if self.facts.is_pooled(site) { POOL_OBJECTS } else { 1 };
        let states = CType::Atomic(CType::Int(IntKind::UnsignedChar).into());
        let states = self.of_pool(ObjectKey::HeapStates(site.clone()), "heap.state", states, at)?;
        let sizes = match is_variable {
            true => Some(self.of_pool(
                ObjectKey::HeapSizes(site.clone()),
                "heap.size",
                CType::Atomic(CType::SIZE.into()),
                at,
            )?),
            false => None,
        };
        let span = self.span(at);
        let mut objects = Vec::with_capacity(count);
        for index in 0..count {
            let key = ObjectKey::Heap(site.clone(), index);
            let object = self.facts.add_allocated(key, room, span);
            self.facts.allocate(object, Allocation { states, sizes, index, is_pooled: count > 1 });
            objects.push(object);
        }
        Ok(objects)
    }

    /// What is known of each object of a pool.
    fn of_pool(&mut self, key: ObjectKey, name: &str, ty: CType, at: TreeSpan) -> Lowered<ObjectId> {
        let ty = CType::Array(ty.into(), Some(POOL_OBJECTS as u64));
        self.object(key, name.into(), ty, Storage::Global, at)
    }

    /// Where the state of an allocated object is kept.
    fn state_of(&mut self, allocation: &Allocation) -> Place {
        let states = self.variable(Target { object: allocation.states, offset: 0 });
        Place::Element(states, Expr::Int(allocation.index as i128))
    }

    fn size_of_allocation(&mut self, allocation: &Allocation) -> Option<Place> {
        let sizes = self.variable(Target { object: allocation.sizes?, offset: 0 });
        Some(Place::Element(sizes, Expr::Int(allocation.index as i128)))
    }

    /// How many bytes an allocated object has, given its address.
    pub(super) fn allocated_bytes(&mut self, call: &'a CallExpression, at: TreeSpan) -> Lowered<Value> {
        let [argument] = call.arguments.as_slice() else {
            return self.error(at, "`__allocated_bytes` takes one argument");
        };
        let value = self.eval(argument)?;
        let value = self.settle_shared(value);
        let address = self.number(&value);
        let mut bytes = Expr::Int(0);
        for target in self.pointed_to(&value) {
            let Some(allocation) = self.facts.allocation(target.object) else { continue };
            let own = match self.size_of_allocation(&allocation) {
                Some(place) => place.read(),
                None => {
                    let ty = self.facts.object(target.object).ty.clone();
                    Expr::Int(self.facts.records.size_of(&ty).unwrap_or(0).into())
                }
            };
            let is_this = fold::is(address.clone(), self.facts.address_of(target.object));
            bytes = fold::ite(is_this, own, bytes);
        }
        let range = Range { low: 0, high: MAX_BYTES };
        Ok(self.settle(Value { depth: 4, ..Value::number(CType::SIZE, bytes, range) }))
    }

    /// What must be assigned when an object is given out.
    fn begin_life(&mut self, object: ObjectId, amount: &Amount) -> Vec<(Place, Expr)> {
        let Some(allocation) = self.facts.allocation(object) else { return Vec::new() };
        let mut changes = Vec::new();
        if allocation.is_pooled || self.facts.is_freed(object) {
            changes.push((self.state_of(&allocation), Expr::Int(LIVE)));
        }
        if let Some(place) = self.size_of_allocation(&allocation) {
            let size = match amount {
                Amount::Fixed(bytes) => Expr::Int(i128::from(*bytes)),
                Amount::Variable(bytes) => bytes.clone(),
            };
            changes.push((place, size));
        }
        changes
    }

    /// Ends the translation where more memory of a variable size is asked for than there can be.
    fn keep_size_limit(&mut self, amount: &Amount, room: u64, at: TreeSpan) {
        let Amount::Variable(bytes) = amount else { return };
        let condition = fold::binary(BinaryOp::Le, bytes.clone(), Expr::Int(i128::from(room)));
        let message = format!(
            "`{}` asks for more than {room} bytes, the most that memory of a variable size has",
            self.origin.text(at)
        );
        self.emit_guards(vec![Guard {
            kind: CheckKind::Limit,
            condition,
            message,
            span: Some(self.span(at)),
        }]);
    }

    /// Takes the first object that nobody uses, in one step.
    fn take_from_pool(&mut self, name: &str, objects: &[ObjectId], amount: &Amount, at: TreeSpan) -> Expr {
        let address = self.temporary(Sort::Int);
        let mut choices = Vec::new();
        let mut all_used = Expr::Bool(true);
        for &object in objects {
            let Some(allocation) = self.facts.allocation(object) else { continue };
            let is_unused = fold::is(self.state_of(&allocation).read(), UNUSED);
            let condition = fold::and(all_used.clone(), is_unused.clone());
            let mut changes = self.begin_life(object, amount);
            changes.push((Place::Scalar(address), Expr::Int(self.facts.address_of(object))));
            if name == "calloc" {
                changes.extend(self.zeros(object));
            }
            choices.push(vec![Op::wait(condition), Op::Assign(changes)]);
            all_used = fold::and(all_used, fold::not(is_unused));
        }
        let message = format!(
            "more than {POOL_OBJECTS} objects of `{}` are in use, the most that are told apart",
            self.origin.text(at)
        );
        let check = Check { kind: CheckKind::Limit, message, span: Some(self.span(at)) };
        let check = self.builder.check(check);
        choices.push(vec![Op::wait(all_used), Op::Check(Expr::Bool(false), check)]);
        // Several threads may be about to take the same object, and to fill it with zeros. Only one of them does.
        self.with_atomicity(Some(true), |lowering| lowering.emit_choice(choices));
        Expr::Var(address)
    }

    /// What must be assigned to make all of an object zero.
    fn zeros(&mut self, object: ObjectId) -> Vec<(Place, Expr)> {
        let leaves = self.facts.object(object).leaves.clone();
        let mut zeros = Vec::new();
        for leaf in leaves.iter().filter(|leaf| !self.facts.is_left_out(leaf)).collect::<Vec<_>>() {
            let variable = self.variable(Target { object, offset: leaf.offset });
            let zero = if leaf.kind == IntKind::Bool { Expr::Bool(false) } else { Expr::Int(0) };
            match leaf.length() {
                None => zeros.push((Place::Scalar(variable), zero)),
                Some(length) => zeros.extend(
                    (0..length).map(|cell| (Place::Element(variable, Expr::Int(cell.into())), zero.clone())),
                ),
            }
        }
        zeros
    }

    /// `free`: what it is given must be allocated and in use, or nothing at all.
    pub(super) fn free(&mut self, call: &'a CallExpression, at: TreeSpan) -> Lowered<Value> {
        self.assume("freed-memory-is-not-used");
        let [argument] = call.arguments.as_slice() else {
            return self.error(at, "`free` takes one argument");
        };
        let value = self.eval(argument)?;
        let value = self.settle_shared(value);
        if self.is_silent || self.flow.is_dead() {
            return Ok(Value::void());
        }
        let address = self.number(&value);
        let guards = self.guard_ops(value.guards.clone());
        self.touch_freed(&value, &address);
        let is_null = fold::is(address.clone(), 0);
        let mut choices = vec![vec![Op::wait(is_null.clone())]];
        let mut is_any = is_null;
        for target in self.pointed_to(&value) {
            let Some(allocation) = self.facts.allocation(target.object) else { continue };
            self.facts.free(target.object);
            let is_this = fold::is(address.clone(), self.facts.address_of(target.object));
            is_any = fold::or(is_any, is_this.clone());
            choices.extend(self.ends_of_life(&allocation, is_this, argument.span));
        }
        let text = self.origin.text(argument.span);
        let invalid = self.lifetime(
            Expr::Bool(false),
            format!("`{text}` is freed, but it is not the start of allocated memory"),
            at,
        );
        let mut otherwise = vec![Op::wait(fold::not(is_any))];
        otherwise.extend(self.guard_ops(vec![invalid]));
        choices.push(otherwise);
        let is_possible = |ops: &Vec<Op>| !matches!(ops.first(), Some(Op::Assume(Expr::Bool(false), _)));
        let choices = choices.into_iter().filter(is_possible);
        self.emit_choice(choices.map(|ops| guards.iter().cloned().chain(ops).collect()).collect());
        Ok(Value::void())
    }

    /// The ways in which `free` takes an object.
    fn ends_of_life(&mut self, allocation: &Allocation, is_this: Expr, at: TreeSpan) -> Vec<Vec<Op>> {
        let state = self.state_of(allocation);
        let text = self.origin.text(at);
        let is_live = fold::is(state.read(), LIVE);
        let twice = self.lifetime(is_live, format!("`{text}` is freed twice"), at);
        let mut ops = vec![Op::wait(is_this)];
        ops.extend(self.guard_ops(vec![twice]));
        let mut reused = ops.clone();
        reused.push(Op::assign(state.clone(), Expr::Int(UNUSED)));
        if !allocation.is_pooled {
            return vec![reused];
        }
        let Place::Element(states, _) = state else { return vec![reused] };
        let others = (0..POOL_OBJECTS).map(|index| Expr::element(states, Expr::Int(index as i128)));
        let is_first = others.fold(Expr::Bool(true), |none, other| {
            fold::and(none, fold::binary(BinaryOp::Ne, other, Expr::Int(RETIRED)))
        });
        ops.push(Op::wait(is_first));
        ops.push(Op::assign(state, Expr::Int(RETIRED)));
        vec![reused, ops]
    }

    fn lifetime(&self, condition: Expr, message: String, at: TreeSpan) -> Guard {
        Guard { kind: CheckKind::Lifetime, condition, message, span: Some(self.span(at)) }
    }

    /// What must hold of an allocated object so that so many bytes at an address in it can be accessed, if it is
    /// this one.
    pub(super) fn allocation_guards(
        &mut self,
        object: ObjectId,
        is_this: &Expr,
        address: &Expr,
        size: u64,
        at: TreeSpan,
    ) -> Vec<Guard> {
        let Some(allocation) = self.facts.allocation(object) else { return Vec::new() };
        let otherwise = fold::not(is_this.clone());
        let text = self.origin.text(at);
        let mut guards = Vec::new();
        if self.facts.is_freed(object) {
            let is_live = fold::is(self.state_of(&allocation).read(), LIVE);
            let condition = fold::or(otherwise.clone(), is_live);
            guards.push(self.lifetime(condition, format!("`{text}` uses memory that was freed"), at));
        }
        if let Some(own) = self.size_of_allocation(&allocation) {
            let start = self.facts.address_of(object);
            let end = fold::add(own.read(), Expr::Int(start - i128::from(size)));
            let condition = fold::or(otherwise, fold::binary(BinaryOp::Le, address.clone(), end));
            let message = format!("`{text}` reaches out of memory of a variable size");
            let span = Some(self.span(at));
            guards.push(Guard { kind: CheckKind::Bounds, condition, message, span });
        }
        guards
    }

    /// Finds out what allocated objects hold to which a value points, from the type of what it is
    /// used to point to.
    pub(super) fn type_allocated(&mut self, value: &Value, target: &CType, at: TreeSpan) -> Lowered<()> {
        if matches!(target.unqualified(), CType::Void | CType::Function(_)) {
            return Ok(());
        }
        for place in self.pointed_to(value) {
            let Some(bytes) = self.facts.untyped_size(place.object) else { continue };
            if let Some(ty) = self.held_type(place.object, target, bytes) {
                self.hold(place.object, ty, at)?;
            }
        }
        Ok(())
    }

    /// The type of an allocated object of which nothing was known until it is accessed as this type.
    pub(super) fn untyped_as(&mut self, object: ObjectId, ty: &CType) -> Option<CType> {
        let bytes = self.facts.untyped_size(object)?;
        self.held_type(object, ty.unqualified(), bytes)
    }

    /// The type of so many bytes to which a pointer points.
    fn held_type(&mut self, object: ObjectId, target: &CType, bytes: u64) -> Option<CType> {
        let size = self.facts.records.size_of(target).filter(|&size| size > 0)?;
        if let CType::Record(id) = target.unqualified()
            && let Some(extended) = self.facts.records.with_flexible_member(*id, bytes)
        {
            return Some(CType::Record(extended));
        }
        let is_variable = self.facts.allocation(object).is_some_and(|allocation| allocation.sizes.is_some());
        Some(match bytes / size {
            1 if bytes == size => target.clone(),
            count if count > 0 && (is_variable || bytes.is_multiple_of(size)) => {
                CType::Array(target.clone().into(), Some(count))
            }
            _ => CType::Array(CType::Int(IntKind::UnsignedChar).into(), Some(bytes)),
        })
    }

    pub(super) fn hold(&mut self, object: ObjectId, ty: CType, at: TreeSpan) -> Lowered<()> {
        match self.facts.set_type(object, ty) {
            Ok(()) => Ok(()),
            Err(Unsupported::Construct(what)) => self.refuse(at, what),
            Err(_) => self.refuse(at, "allocated memory of this type"),
        }
    }
}
