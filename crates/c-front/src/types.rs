//! C types as gcc lays them out on 64-bit Linux, and the conversions between integers.

use crate::Wakeups;
use crate::fold::Range;
use crate::placement::{Member, Packing, Placed, place};
use rely_base::{Arena, define_id};
use rely_program::{Domain, IntType, Sort};
use rustc_hash::FxHashMap;
use std::rc::Rc;

define_id!(
    /// A structure or union type.
    pub(crate) struct RecordId
);

/// A C type without qualifiers, save for `_Atomic`, which changes what operators do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CType {
    Void,
    Int(IntKind),
    /// A floating-point number of so many bytes, or an integer of 16 bytes: its variables are there, but what
    /// they hold is not followed.
    Float(u64),
    Pointer(Rc<CType>),
    /// The length is missing in declarations like `int a[]`.
    Array(Rc<CType>, Option<u64>),
    Record(RecordId),
    Function(Rc<FunctionType>),
    Opaque(Opaque),
    Atomic(Rc<CType>),
    /// Of a member only; a value of it has another type.
    BitField(BitField),
}

/// Some bits of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BitField {
    /// The declared type.
    pub(crate) kind: IntKind,
    /// How many bits of its first byte lie before it.
    pub(crate) shift: u8,
    pub(crate) width: u8,
    /// The bytes of all bit-fields without anything in between, which are one memory location.
    pub(crate) location: MemoryLocation,
}

/// Bytes around a bit-field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct MemoryLocation {
    /// How many lie in front of its first one.
    pub(crate) before: u64,
    /// How many there are.
    pub(crate) length: u64,
}

impl BitField {
    /// How many bytes it touches.
    pub(crate) fn bytes(self) -> u64 {
        u64::from((self.shift + self.width).div_ceil(8))
    }

    /// The numbers that it holds.
    pub(crate) fn int_type(self) -> IntType {
        IntType { bits: self.width, signed: self.kind.is_signed() }
    }

    /// The type of its value behind the integer promotion, which depends on its width alone. gcc computes with
    /// those between `int` and `long` in as many bits as they have, and other compilers do not.
    pub(crate) fn promoted(self) -> Option<IntKind> {
        let int = IntKind::Int.int_type();
        match self.width {
            _ if Range::of(self.int_type()).fits(int) => Some(IntKind::Int),
            width if width == int.bits || width == 64 => Some(self.kind),
            _ => None,
        }
    }
}

/// The integer types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum IntKind {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
}

impl IntKind {
    /// Width and signedness; `_Bool` has one bit.
    pub(crate) fn int_type(self) -> IntType {
        use IntKind::*;
        let (bits, signed) = match self {
            Bool => (1, false),
            Char | SignedChar => (8, true),
            UnsignedChar => (8, false),
            Short => (16, true),
            UnsignedShort => (16, false),
            Int => (32, true),
            UnsignedInt => (32, false),
            Long | LongLong => (64, true),
            UnsignedLong | UnsignedLongLong => (64, false),
        };
        IntType { bits, signed }
    }

    pub(crate) fn size(self) -> u64 {
        u64::from(self.int_type().bits.div_ceil(8))
    }

    pub(crate) fn is_signed(self) -> bool {
        self.int_type().signed
    }

    /// The integer promotion.
    pub(crate) fn promoted(self) -> IntKind {
        if self < IntKind::Int { IntKind::Int } else { self }
    }

    /// The common type of the usual arithmetic conversions.
    pub(crate) fn common(self, other: IntKind) -> IntKind {
        let (left, right) = (self.promoted(), other.promoted());
        let (high, low) = if left >= right { (left, right) } else { (right, left) };
        let low_is_wider_unsigned =
            high.is_signed() && !low.is_signed() && low.int_type().bits >= high.int_type().bits;
        if low_is_wider_unsigned { high.unsigned() } else { high }
    }

    pub(crate) fn unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Char | SignedChar => UnsignedChar,
            Short => UnsignedShort,
            Int => UnsignedInt,
            Long => UnsignedLong,
            LongLong => UnsignedLongLong,
            other => other,
        }
    }

    /// Booleans are kept as booleans.
    pub(crate) fn sort(self) -> Sort {
        if self == IntKind::Bool { Sort::Bool } else { Sort::Int }
    }

    pub(crate) fn domain(self) -> Domain {
        if self == IntKind::Bool { Domain::Bool } else { self.int_type().domain() }
    }

    pub(crate) fn name(self) -> &'static str {
        use IntKind::*;
        match self {
            Bool => "_Bool",
            Char => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            UnsignedInt => "unsigned int",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
        }
    }
}

/// The signature of a function, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionType {
    pub(crate) result: CType,
    pub(crate) parameters: Vec<CType>,
}

/// The type of each of the cells of a barrier.
pub(crate) const BARRIER_CELL: IntKind = IntKind::Long;

/// What the cells of a barrier are called, in the order in which they lie there.
pub(crate) const BARRIER_CELLS: [&str; 4] = ["count", "arrived", "round", "chosen"];

/// What the cells of a condition variable are called if it counts: the threads that wait, and the wake-ups that are
/// granted and not yet taken.
pub(crate) const CONDITION_CELLS: [&str; 2] = ["waiters", "wakeups"];

/// Where a mutex keeps how often its owner has taken it, beyond the first time.
pub(crate) const MUTEX_COUNT: u64 = 8;
/// Where a mutex keeps of which kind it is.
pub(crate) const MUTEX_KIND: u64 = 16;

/// Types of the thread library whose insides are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opaque {
    /// The handle of a thread, 0 for none.
    Thread,
    /// A mutex: holds the handle of its owner, 0 if it is free, and details.
    Mutex,
    /// A detail of a mutex: its kind, or how often it was taken. Zero for all that most programs do.
    MutexDetail,
    /// A spin lock: holds the handle of its owner, 0 if it is free.
    Spin,
    /// A condition variable: holds nothing if waiting may end at any time, else two numbers.
    Condition,
    /// What a condition variable counts.
    ConditionCell,
    /// A semaphore, which holds its value.
    Semaphore,
    /// A read-write lock, which holds how many read, or that somebody writes.
    ReadWriteLock,
    /// Attributes of threads, which hold whether a thread starts detached.
    ThreadAttributes,
    /// Attributes of mutexes, which hold the kind.
    MutexAttributes,
    /// Attributes of which none matters, of so many bytes.
    Attributes(u8),
    /// A barrier: for how many it waits, how many are there, and the round.
    Barrier,
}

impl Opaque {
    /// The library's types by the names of their typedefs.
    pub(crate) fn named(name: &str) -> Option<Opaque> {
        Some(match name {
            "pthread_t" | "thrd_t" => Opaque::Thread,
            "pthread_mutex_t" | "mtx_t" => Opaque::Mutex,
            "pthread_spinlock_t" => Opaque::Spin,
            "pthread_cond_t" | "cnd_t" => Opaque::Condition,
            "sem_t" => Opaque::Semaphore,
            "pthread_rwlock_t" => Opaque::ReadWriteLock,
            "pthread_barrier_t" => Opaque::Barrier,
            "pthread_attr_t" => Opaque::ThreadAttributes,
            "pthread_mutexattr_t" => Opaque::MutexAttributes,
            "pthread_condattr_t" | "pthread_barrierattr_t" => Opaque::Attributes(4),
            "pthread_rwlockattr_t" => Opaque::Attributes(8),
            _ => return None,
        })
    }

    /// The size that the library of GNU has on this machine.
    pub(crate) fn size(self) -> u64 {
        match self {
            Opaque::Spin | Opaque::MutexAttributes => 4,
            Opaque::Thread | Opaque::MutexDetail | Opaque::ConditionCell => 8,
            Opaque::Mutex => 40,
            Opaque::Condition => 48,
            Opaque::Semaphore | Opaque::Barrier => 32,
            Opaque::ReadWriteLock | Opaque::ThreadAttributes => 56,
            Opaque::Attributes(bytes) => u64::from(bytes),
        }
    }

    pub(crate) fn align(self) -> u64 {
        self.size().min(8)
    }

    /// Whether it is zero in most programs, which then need no variable for it.
    pub(crate) fn is_detail(self) -> bool {
        matches!(self, Opaque::MutexDetail | Opaque::MutexAttributes | Opaque::ThreadAttributes)
    }

    fn scalar(self) -> Option<IntKind> {
        match self {
            Opaque::Thread | Opaque::Mutex | Opaque::MutexDetail | Opaque::ThreadAttributes => {
                Some(IntKind::UnsignedLong)
            }
            Opaque::Spin | Opaque::MutexAttributes => Some(IntKind::UnsignedInt),
            Opaque::Semaphore | Opaque::ReadWriteLock | Opaque::ConditionCell => Some(IntKind::Long),
            Opaque::Condition | Opaque::Attributes(_) | Opaque::Barrier => None,
        }
    }
}

/// A structure or union.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) is_union: bool,
    /// `None` while only declared.
    pub(crate) body: Option<RecordBody>,
}

#[derive(Clone, Debug)]
pub(crate) struct RecordBody {
    pub(crate) fields: Vec<Field>,
    pub(crate) size: u64,
    pub(crate) align: u64,
}

/// A member. Members of unnamed structures inside are found through their parent.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Option<String>,
    pub(crate) ty: CType,
    pub(crate) offset: u64,
    pub(crate) is_bit_field: bool,
}

impl Field {
    fn bits(&self) -> Option<BitField> {
        if let CType::BitField(bits) = self.ty { Some(bits) } else { None }
    }
}

/// Bit-fields with nothing in between are one memory location.
fn join_bit_fields(fields: &mut [Field]) {
    let ends = fields.iter().filter_map(|field| Some(field.offset + field.bits()?.bytes()));
    let (Some(end), Some(start)) = (ends.max(), fields.iter().map(|field| field.offset).min()) else {
        return;
    };
    for field in fields {
        if let CType::BitField(bits) = &mut field.ty {
            bits.location = MemoryLocation { before: field.offset - start, length: end - start };
        }
    }
}

/// All structures and unions, by where their tags stand in the text, so that reading the same
/// declaration twice gives the same type.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// How the waits for condition variables end, which decides what such a variable holds.
    wakeups: Wakeups,
    records: Arena<RecordId, Record>,
    by_position: FxHashMap<usize, RecordId>,
    /// Those whose last member has a length by what is allocated for them.
    extended: FxHashMap<(RecordId, u64), RecordId>,
    /// Those that are mentioned and nowhere defined.
    undefined: FxHashMap<String, RecordId>,
}

impl Records {
    pub(crate) fn new(wakeups: Wakeups) -> Self {
        Records { wakeups, ..Records::default() }
    }

    pub(crate) fn wakeups(&self) -> Wakeups {
        self.wakeups
    }

    pub(crate) fn at(&mut self, position: usize, name: &str, is_union: bool) -> RecordId {
        let records = &mut self.records;
        *self
            .by_position
            .entry(position)
            .or_insert_with(|| records.push(Record { name: name.to_owned(), is_union, body: None }))
    }

    /// A structure that has no definition.
    pub(crate) fn undefined(&mut self, name: &str, is_union: bool) -> RecordId {
        if let Some(&id) = self.undefined.get(name) {
            return id;
        }
        let id = self.records.push(Record { name: name.to_owned(), is_union, body: None });
        self.undefined.insert(name.to_owned(), id);
        id
    }

    pub(crate) fn get(&self, id: RecordId) -> &Record {
        &self.records[id]
    }

    /// Lays out the members; returns whether all of them have a size.
    pub(crate) fn complete(&mut self, id: RecordId, members: Vec<Member>, packing: Packing) -> bool {
        let mut sizes = Vec::with_capacity(members.len());
        for member in &members {
            let (Some(size), Some(align)) = (self.size_of(&member.ty), self.align_of(&member.ty)) else {
                return false;
            };
            sizes.push((size, member.type_align.unwrap_or(align)));
        }
        let Placed { starts, size, align } = place(&members, &sizes, packing, self.records[id].is_union);
        let fields = members.into_iter().zip(starts).map(|(member, start)| Field {
            ty: member.placed_type(start),
            name: member.name,
            offset: start / 8,
            is_bit_field: member.width.is_some(),
        });
        let mut fields: Vec<Field> = fields.collect();
        let are_side_by_side = |one: &Field, other: &Field| {
            !self.records[id].is_union && one.bits().is_some() && other.bits().is_some()
        };
        fields.chunk_by_mut(are_side_by_side).for_each(join_bit_fields);
        self.records[id].body = Some(RecordBody { fields, size, align });
        true
    }

    /// The structure of so many bytes whose last member has as many elements as there is room for, if that number is
    /// left open.
    pub(crate) fn with_flexible_member(&mut self, id: RecordId, bytes: u64) -> Option<RecordId> {
        let record = &self.records[id];
        let body = record.body.clone()?;
        let last = body.fields.last().filter(|_| !record.is_union)?;
        let CType::Array(element, Some(0)) = last.ty.clone() else { return None };
        let count = bytes.checked_sub(last.offset)?.checked_div(self.size_of(&element)?)?;
        if count == 0 || bytes < body.size {
            return None;
        }
        if let Some(&extended) = self.extended.get(&(id, bytes)) {
            return Some(extended);
        }
        let mut extended = Record { body: Some(RecordBody { size: bytes, ..body }), ..record.clone() };
        if let Some(last) = extended.body.as_mut().and_then(|body| body.fields.last_mut()) {
            last.ty = CType::Array(element, Some(count));
        }
        let extended = self.records.push(extended);
        self.extended.insert((id, bytes), extended);
        Some(extended)
    }

    /// The size in bytes, if the type is complete.
    pub(crate) fn size_of(&self, ty: &CType) -> Option<u64> {
        match ty {
            // As gcc has it, so that arithmetic on `void *` works.
            CType::Void | CType::Function(_) => Some(1),
            CType::Int(kind) => Some(kind.size()),
            CType::Float(size) => Some(*size),
            CType::Pointer(_) => Some(8),
            CType::Array(element, length) => self.size_of(element)?.checked_mul((*length)?),
            CType::Record(id) => self.records[*id].body.as_ref().map(|body| body.size),
            CType::Opaque(opaque) => Some(opaque.size()),
            CType::Atomic(inner) => self.size_of(inner),
            CType::BitField(bits) => Some(bits.bytes()),
        }
    }

    pub(crate) fn align_of(&self, ty: &CType) -> Option<u64> {
        match ty {
            CType::Array(element, _) => self.align_of(element),
            CType::Record(id) => self.records[*id].body.as_ref().map(|body| body.align),
            CType::Opaque(opaque) => Some(opaque.align()),
            CType::Atomic(inner) => {
                let (size, align) = (self.size_of(inner)?, self.align_of(inner)?);
                // So that the machine can access it at once.
                Some(if size.is_power_of_two() && size <= 16 { align.max(size) } else { align })
            }
            _ => self.size_of(ty),
        }
    }

    /// The member of a structure, looked for in unnamed structures inside too, with its offset.
    pub(crate) fn field(&self, id: RecordId, name: &str) -> Option<Field> {
        for field in &self.records[id].body.as_ref()?.fields {
            match (&field.name, field.ty.unqualified()) {
                (Some(own), _) if own == name => return Some(field.clone()),
                (None, CType::Record(inner)) => {
                    if let Some(found) = self.field(*inner, name) {
                        return Some(Field { offset: field.offset + found.offset, ..found });
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The type as one would write it.
    pub(crate) fn display(&self, ty: &CType) -> String {
        match ty {
            CType::Void => "void".into(),
            CType::Int(kind) => kind.name().into(),
            CType::Float(_) => "a floating-point type".into(),
            CType::Pointer(inner) => format!("{} *", self.display(inner)),
            CType::Array(element, Some(length)) => format!("{} [{length}]", self.display(element)),
            CType::Array(element, None) => format!("{} []", self.display(element)),
            CType::Record(id) => {
                let record = &self.records[*id];
                format!("{} {}", if record.is_union { "union" } else { "struct" }, record.name)
            }
            CType::Function(_) => "a function".into(),
            CType::Opaque(Opaque::Thread) => "pthread_t".into(),
            CType::Opaque(Opaque::Mutex) => "pthread_mutex_t".into(),
            CType::Opaque(Opaque::Spin) => "pthread_spinlock_t".into(),
            CType::Opaque(Opaque::Condition) => "pthread_cond_t".into(),
            CType::Opaque(Opaque::Semaphore) => "sem_t".into(),
            CType::Opaque(Opaque::ReadWriteLock) => "pthread_rwlock_t".into(),
            CType::Opaque(Opaque::Barrier) => "pthread_barrier_t".into(),
            CType::Opaque(_) => "a type of the thread library".into(),
            CType::Atomic(inner) => format!("_Atomic {}", self.display(inner)),
            CType::BitField(bits) => format!("{}: {}", bits.kind.name(), bits.width),
        }
    }
}

impl CType {
    pub(crate) const INT: CType = CType::Int(IntKind::Int);
    pub(crate) const SIZE: CType = CType::Int(IntKind::UnsignedLong);

    pub(crate) fn pointer_to(target: CType) -> CType {
        CType::Pointer(Rc::new(target))
    }

    /// The type without `_Atomic`.
    pub(crate) fn unqualified(&self) -> &CType {
        match self {
            CType::Atomic(inner) => inner.unqualified(),
            other => other,
        }
    }

    pub(crate) fn is_atomic(&self) -> bool {
        matches!(self, CType::Atomic(_))
    }

    /// Whether the library keeps something here that is zero in most programs.
    pub(crate) fn is_detail(&self) -> bool {
        matches!(self, CType::Opaque(opaque) if opaque.is_detail())
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self.unqualified(), CType::Pointer(_))
    }

    /// How a scalar of this type is kept: pointers as addresses, mutexes as owners, what counts
    /// as a number.
    pub(crate) fn scalar(&self) -> Option<IntKind> {
        match self.unqualified() {
            CType::Int(kind) => Some(*kind),
            CType::Pointer(_) => Some(IntKind::UnsignedLong),
            CType::Opaque(opaque) => opaque.scalar(),
            CType::BitField(bits) => Some(bits.kind),
            // Always zero: only that it is read and written matters.
            CType::Float(4) => Some(IntKind::UnsignedInt),
            CType::Float(_) => Some(IntKind::UnsignedLong),
            _ => None,
        }
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self.unqualified(), CType::Float(_))
    }

    /// What a pointer points to, an array consists of.
    pub(crate) fn element(&self) -> Option<&CType> {
        match self.unqualified() {
            CType::Pointer(target) => Some(target),
            CType::Array(element, _) => Some(element),
            _ => None,
        }
    }

    /// What a function behind a pointer of this type returns.
    pub(crate) fn result(&self) -> Option<&CType> {
        match self.element()? {
            CType::Function(function) => Some(&function.result),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_conversions_follow_the_standard() {
        use IntKind::*;
        for (left, right, common) in [
            (Char, UnsignedChar, Int),
            (Bool, Bool, Int),
            (Int, UnsignedInt, UnsignedInt),
            (UnsignedInt, Long, Long),
            (Long, UnsignedLong, UnsignedLong),
            (LongLong, UnsignedLong, UnsignedLongLong),
            (UnsignedShort, Int, Int),
        ] {
            assert_eq!(left.common(right), common, "{} and {}", left.name(), right.name());
            assert_eq!(right.common(left), common);
        }
    }
}
