//! Tests of the modelling language through its three entrances.

mod common;
mod constructs;
mod examples;
