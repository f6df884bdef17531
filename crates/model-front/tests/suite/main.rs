//! Tests of the modelling language through its three entrances.

mod bad;
mod behaviour;
mod book;
mod common;
mod constructs;
mod examples;
mod format;
mod generate;
mod robust;
