//! The `rely` command as a library: it reads files, talks to the terminal and runs the commands. What
//! happens between a text and a verdict is in the crate `verify`.
//!
//! Of all crates only this one reads files, runs the C preprocessor, looks at the environment
//! and prints.

pub mod args;
mod cache;
mod check_args;
mod choices;
pub mod cli;
mod commands;
mod compilation;
mod console;
pub mod exit;
mod files;
pub mod input;
mod interrupt;
mod limits;
pub mod preprocess;
mod processor;
mod progress;
mod settings;
pub mod simulate;
pub mod version;
mod writing;
