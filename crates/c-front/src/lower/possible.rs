//! Reads that a call may make: functions look at what their arguments point to, and how much of it is seldom known.
//!
//! For the values it does not matter. But another thread may write at the same time, and then there is a race if the
//! function reads at that place. So these reads are steps that a run can make or leave out, and nothing is claimed
//! of a race with one of them.

use super::Lowering;
use crate::facts::Storage;
use crate::fold;
use crate::layout::Leaf;
use crate::types::CType;
use crate::value::{ObjectId, Target, Value};
use rely_program::{Domain, Expr, Op, Place, Sort};
use rustc_hash::FxHashSet;

impl<'a, 'f> Lowering<'a, 'f> {
    /// A function may read what a pointer points to, and what lies behind it.
    pub(super) fn may_read(&mut self, pointer: &Value) {
        let element = pointer.ty.element().cloned().unwrap_or(CType::Void);
        for target in self.pointed_to(pointer) {
            self.may_read_object(target, &element);
        }
    }

    /// A function may read all that can be reached from some places.
    pub(super) fn may_read_reachable(&mut self, targets: &[Target]) {
        for start in self.reachable(targets) {
            self.may_read_object(start, &CType::Void);
        }
    }

    /// `free` modifies what it takes, as the standard has it (7.22.3): nobody else may access that at the same time.
    /// The values stay, for who would look at them uses memory that was freed.
    pub(super) fn touch_freed(&mut self, pointer: &Value, address: &Expr) {
        if !self.facts.has_threads() {
            return;
        }
        let guards = self.guard_ops(pointer.guards.clone());
        let mut choices = Vec::new();
        let mut is_other = Expr::Bool(true);
        for target in self.pointed_to(pointer) {
            if self.facts.allocation(target.object).is_some() && self.facts.is_shared(target.object) {
                let is_this = fold::is(address.clone(), self.facts.address_of(target.object));
                is_other = fold::and(is_other, fold::not(is_this.clone()));
                let start = guards.iter().cloned().chain([Op::wait(is_this)]);
                choices.push(start.chain(self.rewritten(target.object)).collect());
            }
        }
        if choices.iter().any(|ops: &Vec<Op>| ops.len() > guards.len() + 1) {
            choices.push(guards.into_iter().chain([Op::wait(is_other)]).collect());
            self.with_atomicity(Some(false), |lowering| lowering.emit_choice(choices));
        }
    }

    /// Writes what is there already to the scalars of an object, and to a cell of each array.
    fn rewritten(&mut self, object: ObjectId) -> Vec<Op> {
        let mut ops = Vec::new();
        for leaf in self.leaves_at(Target { object, offset: 0 }, &CType::Void) {
            if matches!(leaf.ty.unqualified(), CType::Opaque(_)) {
                continue;
            }
            let variable = self.variable(Target { object, offset: leaf.offset });
            let place = match leaf.length() {
                None => Place::Scalar(variable),
                Some(length) => {
                    let any = Domain::Range { low: 0, high: i128::from(length) - 1 };
                    Place::Element(variable, self.havoc(Sort::Int, any))
                }
            };
            ops.push(Op::assign(place.clone(), place.read()));
        }
        ops
    }

    /// The starts of all objects that can be reached from some places.
    pub(super) fn reachable(&self, targets: &[Target]) -> Vec<Target> {
        let mut seen = FxHashSet::default();
        let mut pending = targets.to_vec();
        let mut found = Vec::new();
        while let Some(target) = pending.pop() {
            let object = self.facts.object(target.object);
            if object.storage == Storage::Code || !seen.insert(target.object) {
                continue;
            }
            for leaf in object.leaves.iter() {
                pending.extend(self.facts.targets_of(Target { offset: leaf.offset, ..target }));
            }
            found.push(Target { offset: 0, ..target });
        }
        found
    }

    /// The scalars and arrays at a place of an object: the one of a type, if it lies there, or all from there on.
    pub(super) fn leaves_at(&self, target: Target, element: &CType) -> Vec<Leaf> {
        let leaves = &self.facts.object(target.object).leaves;
        let is_that =
            |leaf: &&Leaf| leaf.offset == target.offset && leaf.ty.unqualified() == element.unqualified();
        let found: Vec<&Leaf> = match leaves.iter().find(is_that) {
            Some(leaf) => vec![leaf],
            None => leaves.iter().filter(|leaf| end_of(leaf) > target.offset).collect(),
        };
        found.into_iter().filter(|leaf| !self.facts.is_left_out(leaf)).cloned().collect()
    }

    fn may_read_object(&mut self, target: Target, element: &CType) {
        let is_seen = self.facts.is_shared(target.object) && !self.facts.is_string(target.object);
        if !is_seen || !self.facts.has_threads() || self.is_silent || self.flow.is_dead() {
            return;
        }
        let happens = self.temporary(Sort::Bool);
        let mut ops = vec![Op::Havoc(Place::Scalar(happens), Domain::Bool), Op::wait(Expr::Var(happens))];
        for leaf in self.leaves_at(target, element) {
            if !matches!(leaf.ty.unqualified(), CType::Opaque(_)) {
                ops.extend(self.reads_of(Target { offset: leaf.offset, ..target }, &leaf));
            }
        }
        if ops.len() > 2 {
            self.emit_choice(vec![ops, Vec::new()]);
        }
    }

    /// Reads a scalar, or some cell of an array.
    fn reads_of(&mut self, place: Target, leaf: &Leaf) -> Vec<Op> {
        let (variable, read) = (self.variable(place), self.temporary(leaf.kind.sort()));
        let read = Place::Scalar(read);
        match leaf.length() {
            None => vec![Op::assign(read, Expr::Var(variable))],
            Some(length) => {
                let index = self.temporary(Sort::Int);
                let any = Domain::Range { low: 0, high: i128::from(length) - 1 };
                let value = Expr::element(variable, Expr::Var(index));
                vec![Op::Havoc(Place::Scalar(index), any), Op::assign(read, value)]
            }
        }
    }
}

/// Where what lies behind it begins.
fn end_of(leaf: &Leaf) -> u64 {
    let last = leaf.dimensions.iter().map(|dimension| dimension.count.saturating_sub(1) * dimension.stride);
    leaf.offset + last.sum::<u64>() + leaf.size()
}
