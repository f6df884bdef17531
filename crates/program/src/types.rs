//! Sorts, machine integer types and the domains of nondeterministic values.

use std::fmt;

/// A concrete value. Programs compute with mathematical integers; a run whose values leave
/// this range is not continued ([`EvalError::TooLarge`](crate::EvalError)), never wrapped.
/// Booleans are 0 and 1.
pub type Value = i128;

/// What kind of value an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// A mathematical integer.
    Int,
    /// True or false.
    Bool,
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sort::Int => "int",
            Sort::Bool => "bool",
        })
    }
}

/// A machine integer type of at most 64 bits, two's complement.
///
/// ```
/// use rely_program::IntType;
///
/// let byte = IntType { bits: 8, signed: false };
/// assert_eq!(byte.wrap(-1), 255);
/// assert_eq!(IntType { bits: 8, signed: true }.wrap(200), -56);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntType {
    /// The width, from 1 to 64.
    pub bits: u8,
    /// Whether there are negative values.
    pub signed: bool,
}

impl IntType {
    /// The least value.
    pub fn min(self) -> Value {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    /// The greatest value.
    pub fn max(self) -> Value {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }

    /// Whether the value is one of the type's.
    pub fn contains(self, value: Value) -> bool {
        (self.min()..=self.max()).contains(&value)
    }

    /// The value of the type that equals `value` modulo 2 to the number of bits.
    pub fn wrap(self, value: Value) -> Value {
        let low = value & ((1 << self.bits) - 1);
        if self.signed && low > self.max() { low - (1 << self.bits) } else { low }
    }

    /// All values of the type.
    pub fn domain(self) -> Domain {
        Domain::Range { low: self.min(), high: self.max() }
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}

/// The values from which a nondeterministic choice is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// True or false.
    Bool,
    /// The integers from `low` to `high`, both included.
    Range {
        /// The least value.
        low: Value,
        /// The greatest value.
        high: Value,
    },
    /// All integers.
    AllInts,
}

impl Domain {
    /// All values of a sort.
    pub fn of(sort: Sort) -> Self {
        match sort {
            Sort::Bool => Domain::Bool,
            Sort::Int => Domain::AllInts,
        }
    }

    /// Whether the value may be chosen.
    pub fn contains(self, value: Value) -> bool {
        match self {
            Domain::Bool => value == 0 || value == 1,
            Domain::Range { low, high } => (low..=high).contains(&value),
            Domain::AllInts => true,
        }
    }

    /// How many values there are; `None` for infinitely many or more than fit.
    pub fn size(self) -> Option<u128> {
        match self {
            Domain::Bool => Some(2),
            Domain::Range { low, high } if low > high => Some(0),
            Domain::Range { low, high } => high.checked_sub(low).map(|width| width as u128 + 1),
            Domain::AllInts => None,
        }
    }

    /// The sort of the values.
    pub fn sort(self) -> Sort {
        match self {
            Domain::Bool => Sort::Bool,
            Domain::Range { .. } | Domain::AllInts => Sort::Int,
        }
    }

    /// Some value of the domain, zero if possible; `None` if the domain is empty.
    pub fn default_value(self) -> Option<Value> {
        match self {
            Domain::Range { low, high } if low > high => None,
            Domain::Range { low, high } => Some(0.clamp(low, high)),
            Domain::Bool | Domain::AllInts => Some(0),
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Bool => f.write_str("bool"),
            Domain::AllInts => f.write_str("int"),
            Domain::Range { low, high } => write!(f, "{low}..{high}"),
        }
    }
}
