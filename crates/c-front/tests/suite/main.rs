//! Tests of the C front end through its one entrance.

mod bad;
mod behaviour;
mod common;
mod differential;
mod generate;
mod headers;
mod lowering;
mod pointers;
mod robust;
mod steps;
mod threads;
