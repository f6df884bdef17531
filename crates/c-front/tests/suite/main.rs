//! Tests of the C front end through its one entrance.

mod allocation;
mod arithmetic;
mod bad;
mod behaviour;
mod common;
mod differential;
mod generated;
mod headers;
mod lowering;
mod memory;
mod mutexes;
mod pointers;
mod random;
mod robust;
mod steps;
mod threads;
mod versus_gcc;
