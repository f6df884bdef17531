//! Benchmarks: many tasks, each in a process of its own, with what the papers say beside them. The command is
//! `rely bench`.
//!
//! ```text
//! set ─► tasks × tools × repetitions ─► processes ─► journal ─► summary ─► table, CSV, JSON, HTML
//! ```
//!
//! A [`Task`](task::Task) is a program, a property and the verdict that is right, read from a task
//! definition of SV-COMP. A [`Tool`](tool::Tool) is an engine of Rely or any other verifier. Each run is a
//! child process whose time and memory are limited from outside ([`process`]): what hangs or
//! swells is ended and reported, and the rest goes on. Every finished run is one line of a
//! [`journal`], so that a benchmark that was stopped goes on where it was.
//!
//! Nothing here knows a program or a paper: the figures to compare with are data
//! ([`papers`], read from `benchmarks/papers.json`).

pub mod export;
pub mod families;
pub mod journal;
pub mod page;
pub mod papers;
pub mod plot;
pub mod process;
pub mod record;
pub mod run;
pub mod set;
pub mod summary;
pub mod table;
pub mod task;
pub mod tool;
mod usage;

/// Why a benchmark cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// Which one.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file does not say what it should.
    #[error("{path}: {message}")]
    Content {
        /// Which one.
        path: String,
        /// What is wrong with it.
        message: String,
    },
    /// The command line asks for something that there is not.
    #[error("{0}")]
    Request(String),
    /// A child process cannot be started.
    #[error("`{tool}` cannot be started: {error}")]
    Start {
        /// Which tool.
        tool: String,
        /// What the system says.
        error: std::io::Error,
    },
}

impl BenchError {
    fn file(path: &std::path::Path, error: std::io::Error) -> Self {
        BenchError::File { path: path.display().to_string(), error }
    }

    fn content(path: &std::path::Path, message: impl Into<String>) -> Self {
        BenchError::Content { path: path.display().to_string(), message: message.into() }
    }
}
