//! The arguments of `rely validate`.

use super::{DEFAULT_ENGINE, InputArgs, seconds};
use clap::Args;
use clap::builder::PossibleValuesParser;
use rely_verify::STRATEGY_NAMES;
use std::path::PathBuf;

/// `rely validate`
#[derive(Args, Debug)]
#[command(after_help = "\
A witness of correctness is confirmed if the program has the property and each invariant holds whenever a thread
is at its place, and refuted by a run in which one does not. A witness of a violation is confirmed by a run
that passes its waypoints in order.

Exit codes: 0 confirmed, 1 refuted, 2 unknown.

Examples:
  rely check --engine rely-guarantee --witness peterson.yml examples/peterson.c
  rely validate peterson.yml examples/peterson.c")]
pub struct ValidateArgs {
    /// The witness, in the YAML format 2.0 to 2.2
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// The C program that it is about
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How to decide what it claims
    #[arg(long, short, value_name = "ENGINE", default_value = DEFAULT_ENGINE, value_parser = PossibleValuesParser::new(STRATEGY_NAMES))]
    pub engine: String,
    /// Give up after this many seconds; without it there is no limit
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Give up when the check holds more than this many megabytes
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,
    /// How to read the input
    #[command(flatten)]
    pub input: InputArgs,
}
