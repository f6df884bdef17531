//! The `rely` command as a library: [`pipeline`] is the flow from a source to a verdict, the
//! rest reads files, talks to the terminal and runs the commands.
//!
//! Of all crates only this one reads files, runs the C preprocessor, looks at the environment
//! and prints.

pub mod args;
pub mod bench;
pub mod cli;
mod commands;
mod console;
pub mod exit;
pub mod input;
mod interrupt;
mod limits;
pub mod pipeline;
pub mod preprocess;
mod processor;
mod progress;
pub mod simulate;
pub mod version;
