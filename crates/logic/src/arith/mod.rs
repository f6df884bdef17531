//! Exact numbers: machine words in the common case, arbitrary precision on overflow.
//!
//! Nothing here wraps and nothing is rounded. [`Integer`] is an `i64` until a result does not
//! fit; [`Rational`] is a reduced fraction of two of them.

mod integer;
mod rational;

pub(crate) use integer::gcd_u64;
pub use integer::{Integer, ParseNumberError};
pub use rational::Rational;
