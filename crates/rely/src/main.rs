//! The `rely` command.

use std::process::ExitCode;

/// Engines and the checker make and drop millions of small values.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    rely::cli::run(std::env::args_os()).into()
}
