//! Variables for objects, temporaries, and addresses.

use super::{Lowered, Lowering};
use crate::facts::{ObjectKey, Storage};
use crate::fold;
use crate::layout::Unsupported;
use crate::types::{CType, Opaque};
use crate::value::{Address, Guard, Kind, Known, Lvalue, ObjectId, Target, Value};
use lang_c::span::Span as TreeSpan;
use rely_program::{Check, Expr, Initial, Op, Place, Scope, Sort, Var, VarId};
use rustc_hash::FxHashSet;

/// Locals that hold intermediate results, reused from one statement to the next. Handles of threads have their own:
/// a variable that holds handles as well as numbers makes it look as if the program computes with handles.
#[derive(Debug, Default)]
pub(super) struct Temporaries {
    ints: Vec<VarId>,
    bools: Vec<VarId>,
    handles: Vec<VarId>,
    used: Mark,
    all: FxHashSet<VarId>,
}

/// How many temporaries are in use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    ints: usize,
    bools: usize,
    handles: usize,
}

/// What a temporary holds.
#[derive(Clone, Copy)]
enum Content {
    Int,
    Bool,
    Handle,
}

impl From<Sort> for Content {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Int => Content::Int,
            Sort::Bool => Content::Bool,
        }
    }
}

impl<'a, 'f> Lowering<'a, 'f> {
    /// The temporaries in use now, to be given back with [`release`](Self::release).
    pub(super) fn mark(&self) -> Mark {
        self.thread.temporaries.used
    }

    /// Gives back the temporaries taken since the mark.
    pub(super) fn release(&mut self, mark: Mark) {
        self.thread.temporaries.used = mark;
    }

    pub(super) fn temporary(&mut self, sort: Sort) -> VarId {
        self.temporary_for(sort.into())
    }

    fn temporary_for(&mut self, content: Content) -> VarId {
        let temporaries = &mut self.thread.temporaries;
        let (sort, pool, used) = match content {
            Content::Int => (Sort::Int, &mut temporaries.ints, &mut temporaries.used.ints),
            Content::Bool => (Sort::Bool, &mut temporaries.bools, &mut temporaries.used.bools),
            Content::Handle => (Sort::Int, &mut temporaries.handles, &mut temporaries.used.handles),
        };
        *used += 1;
        if let Some(&var) = pool.get(*used - 1) {
            return var;
        }
        let name = self.thread.names.unique(&format!("${}", temporaries.all.len()));
        let var = self.builder.local(self.thread.id, name, sort, 0);
        pool.push(var);
        temporaries.all.insert(var);
        var
    }

    pub(super) fn is_temporary(&self, var: VarId) -> bool {
        self.thread.temporaries.all.contains(&var)
    }

    fn mentions_variables(&self, expr: &Expr) -> bool {
        let mut found = false;
        expr.for_each_var(|var| found |= !self.is_temporary(var));
        found
    }

    /// Whether the value changes when a variable is assigned.
    fn depends_on_variables(&self, value: &Value) -> bool {
        match &value.kind {
            Kind::Number(expr) | Kind::Truth(expr) => self.mentions_variables(expr),
            Kind::Pointer(known) => known.dynamic.iter().any(|(index, _)| self.mentions_variables(index)),
            Kind::Record(_) => true,
            Kind::Void => false,
        }
    }

    /// The value, computed now if later side effects could change it.
    pub(super) fn snapshot(&mut self, value: Value) -> Value {
        if value.reads_shared || !value.guards.is_empty() || self.depends_on_variables(&value) {
            self.settle(value)
        } else {
            value
        }
    }

    /// The value, read now if that is an access to shared memory.
    pub(super) fn settle_shared(&mut self, value: Value) -> Value {
        if value.reads_shared { self.settle(value) } else { value }
    }

    /// The value computed from others that read memory which other threads see. If it turned out not to depend
    /// on what they read, as in `0 * x`, that is read now: nobody needs the value, but it is an access.
    pub(super) fn still_read(&mut self, operands: &[Value], value: Value) -> Value {
        let mut used = FxHashSet::default();
        for expr in value.exprs() {
            expr.for_each_var(|var| {
                used.insert(var);
            });
        }
        for operand in operands {
            let mut is_used = false;
            operand.exprs().for_each(|expr| expr.for_each_var(|var| is_used |= used.contains(&var)));
            if operand.reads_shared && !is_used && !self.is_silent {
                self.settle(operand.clone());
            }
        }
        value
    }

    /// Computes the value now, into a temporary.
    pub(super) fn settle(&mut self, value: Value) -> Value {
        let number = if self.may_be_handle(&value) { Content::Handle } else { Content::Int };
        let Value { ty, kind, guards, reads_shared: _, targets, range, real, depth: _ } = value;
        let kind = match kind {
            Kind::Number(Expr::Int(_)) | Kind::Truth(Expr::Bool(_)) | Kind::Void => {
                self.emit_guards(guards);
                kind
            }
            Kind::Number(expr) => Kind::Number(self.settle_expr(guards, expr, number)),
            Kind::Truth(expr) => Kind::Truth(self.settle_expr(guards, expr, Content::Bool)),
            Kind::Pointer(known) => Kind::Pointer(self.settle_known(guards, known)),
            Kind::Record(lvalue) => {
                self.emit_guards(guards);
                Kind::Record(self.settle_lvalue(lvalue))
            }
        };
        Value { ty, kind, guards: Vec::new(), reads_shared: false, targets, range, real, depth: 1 }
    }

    fn settle_expr(&mut self, guards: Vec<Guard>, expr: Expr, content: Content) -> Expr {
        let temporary = self.temporary_for(content);
        let mut ops = self.guard_ops(guards);
        ops.push(Op::assign(Place::Scalar(temporary), expr));
        self.emit(ops);
        Expr::Var(temporary)
    }

    /// Guards are checked in the step in which the first index is computed: both may read the
    /// same shared variable, once.
    fn settle_known(&mut self, mut guards: Vec<Guard>, known: Known) -> Known {
        let mut dynamic = Vec::with_capacity(known.dynamic.len());
        for (index, stride) in known.dynamic {
            let index = match self.mentions_variables(&index) {
                true => self.settle_expr(std::mem::take(&mut guards), index, Content::Int),
                false => index,
            };
            dynamic.push((index, stride));
        }
        self.emit_guards(guards);
        Known { dynamic, ..known }
    }

    /// Computes the address now, so that later side effects do not change it.
    pub(super) fn settle_lvalue(&mut self, lvalue: Lvalue) -> Lvalue {
        let Lvalue { ty, address, guards } = lvalue;
        let address = match address {
            Address::Known(known) => Address::Known(self.settle_known(guards, known)),
            Address::Computed(expr, targets) if self.mentions_variables(&expr) => {
                Address::Computed(self.settle_expr(guards, expr, Content::Int), targets)
            }
            computed => {
                self.emit_guards(guards);
                computed
            }
        };
        Lvalue { ty, address, guards: Vec::new() }
    }

    /// A step in which the guards are checked, if there are any.
    pub(super) fn emit_guards(&mut self, guards: Vec<Guard>) {
        let ops = self.guard_ops(guards);
        if !ops.is_empty() {
            self.emit(ops);
        }
    }

    /// The checks of the guards that are not certain to hold.
    pub(super) fn guard_ops(&mut self, guards: Vec<Guard>) -> Vec<Op> {
        let uncertain = guards.into_iter().filter(|guard| guard.condition != Expr::Bool(true));
        uncertain
            .map(|Guard { kind, condition, message, span }| {
                let check = self.builder.check(Check { kind, message, span });
                Op::Check(condition, check)
            })
            .collect()
    }

    /// Makes an object, or finds the one of the same key.
    pub(super) fn object(
        &mut self,
        key: ObjectKey,
        name: String,
        ty: CType,
        storage: Storage,
        at: TreeSpan,
    ) -> Lowered<ObjectId> {
        if let Some(id) = self.facts.find(&key) {
            // Each call of a function finds the same locals.
            return match self.facts.object(id).ty == ty {
                true => Ok(id),
                false => self.refuse(at, "a variable whose type differs from call to call"),
            };
        }
        self.complete_type(&ty)?;
        let span = self.span(at);
        let described = self.facts.records.display(&ty);
        match self.facts.add_object(key, name, ty, storage, Some(span)) {
            Ok(id) => Ok(id),
            Err(Unsupported::Construct(what)) => self.refuse(at, what),
            Err(Unsupported::Incomplete) => {
                self.error(at, format!("the type `{described}` of this variable is incomplete"))
            }
            Err(Unsupported::TooLarge) => self.refuse(at, "a variable of more than a million cells"),
        }
    }

    /// The variable of a scalar, or array of scalars.
    pub(super) fn variable(&mut self, place: Target) -> VarId {
        if let Some(&var) = self.variables.get(&place) {
            return var;
        }
        let object = self.facts.object(place.object).clone();
        let leaf = object.leaves.iter().find(|leaf| leaf.offset == place.offset);
        let atomic = leaf.is_some_and(|leaf| is_synchronised(&leaf.ty));
        let (path, sort, dimensions) = match leaf {
            Some(leaf) => (leaf.path.as_str(), leaf.kind.sort(), leaf.length()),
            None => ("", Sort::Int, None),
        };
        let (scope, name) = match &object.storage {
            Storage::Thread(key) if !self.facts.is_published(place.object) => {
                let id = self.threads.get(&**key).copied().unwrap_or(self.thread.id);
                (Scope::Local(id), self.thread.names.unique(&format!("{}{path}", object.name)))
            }
            Storage::Thread(key) => {
                (Scope::Global, self.global_names.unique(&format!("{key}.{}{path}", object.name)))
            }
            _ => (Scope::Global, self.global_names.unique(&format!("{}{path}", object.name))),
        };
        let initial = Initial::Values(vec![0; dimensions.unwrap_or(1) as usize]);
        let var = self.builder.var(Var {
            name,
            sort,
            scope,
            length: dimensions,
            initial,
            span: object.span,
            atomic,
        });
        self.variables.insert(place, var);
        self.owners.insert(var, place.object);
        var
    }

    /// The number that stands for a known address.
    pub(super) fn known_address(&mut self, known: &Known) -> Expr {
        let start = self.facts.address_of(known.object) + i128::from(known.offset);
        known.dynamic.iter().fold(Expr::Int(start), |sum, (index, stride)| {
            fold::add(sum, fold::scale(*stride, index.clone()))
        })
    }

    /// What a value may point to.
    pub(super) fn pointed_to(&self, value: &Value) -> Vec<Target> {
        match &value.kind {
            Kind::Pointer(known) if self.facts.is_outside(known.object) => {
                vec![Target { object: known.object, offset: 0 }]
            }
            Kind::Pointer(known) => vec![self.facts.target(known.object, known.offset)],
            _ => value.targets.clone(),
        }
    }
}

/// Whether a variable of the type is only accessed atomically, unless somebody looks at it as something else:
/// `_Atomic`, and what the library keeps in mutexes and their like.
fn is_synchronised(ty: &CType) -> bool {
    match ty {
        CType::Atomic(_) => true,
        CType::Opaque(opaque) => match opaque {
            Opaque::Mutex
            | Opaque::MutexDetail
            | Opaque::Spin
            | Opaque::Condition
            | Opaque::ConditionCell
            | Opaque::Semaphore
            | Opaque::ReadWriteLock
            | Opaque::Barrier => true,
            Opaque::Thread | Opaque::ThreadAttributes | Opaque::MutexAttributes | Opaque::Attributes(_) => {
                false
            }
        },
        _ => false,
    }
}
