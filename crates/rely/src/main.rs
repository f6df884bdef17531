//! The `rely` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    rely::cli::run(std::env::args_os()).into()
}
