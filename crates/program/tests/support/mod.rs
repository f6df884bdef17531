//! What tests of whole programs share: random programs, and a plain exploration of all their
//! runs that uses nothing but the semantics.

pub mod explorer;
pub mod generator;
pub mod preservation;
pub mod random;
