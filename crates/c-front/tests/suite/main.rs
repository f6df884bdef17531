//! Tests of the C front end through its one entrance.

mod allocation;
mod arithmetic;
mod attributes;
mod bad;
mod behaviour;
mod common;
mod conforming;
mod conversions;
mod differential;
mod effects;
mod evaluation;
mod generated;
mod handles;
mod headers;
mod initializers;
mod layouts;
mod lowering;
mod memory;
mod mutexes;
mod order;
mod pointers;
mod random;
mod robust;
mod steps;
mod threads;
mod versus_gcc;
