//! What each command does, one file each.

mod assumed;
mod bench;
mod certify;
mod check;
mod documentation;
mod export;
mod fmt;
mod horn;
mod horn_solver;
mod invariants;
mod ledger;
mod many;
mod output;
mod race_pairs;
mod reproducer;
mod run;
mod show;
mod validate;
mod wanted_proof;
mod witness;

pub use documentation::{completions, man};
pub use {bench::bench, certify::certify, check::check, export::export, fmt::fmt, horn::horn};
pub use {run::run, show::show, validate::validate};

use crate::args::InputArgs;
use crate::console::Console;
use crate::exit::Status;
use crate::input::{self, NotLoaded};
use crate::limits::{Limits, Watch, supervised};
use crate::progress::Heartbeat;
use rely_base::{Budget, CancelToken};
use rely_report::{Problem, ProofContext, render_problem};
use rely_verify::{Loaded, Verified};
use std::io;
use std::path::PathBuf;

/// What every command gets.
#[derive(Debug)]
pub struct Context {
    /// Where to print.
    pub console: Console,
    /// Cancelled by Ctrl-C.
    pub interrupt: CancelToken,
}

/// How a command ended, unless it could not even print that.
pub type Ended = io::Result<Status>;

impl Context {
    /// The status, unless the user has stopped the command.
    fn unless_interrupted(&self, status: Status) -> Status {
        if self.interrupt.is_cancelled() { Status::Interrupted } else { status }
    }

    /// Does work that only Ctrl-C ends, or the end of the machine's memory.
    fn patiently(&self, work: impl FnOnce(&Budget) -> Ended + Send) -> Ended {
        let watch = Watch::new(self.interrupt.clone(), Heartbeat::silent());
        let budget = watch.begin(Limits::new(None, Limits::usual_megabytes(1)));
        supervised(
            &watch,
            move || work(&budget),
            |reason| {
                self.console.error(&reason.to_string());
                self.unless_interrupted(Status::Unknown).code()
            },
        )?
    }

    fn complain(&self, problem: &Problem) -> Status {
        Console::complain(&render_problem(problem, self.console.error_style));
        Status::of_problem(problem)
    }
}

/// Reads the files of one program and makes a program of them.
fn load(paths: &[PathBuf], options: &InputArgs, budget: &Budget) -> Result<Loaded, NotLoaded> {
    Ok(rely_verify::load_within(&input::read_program_within(paths, options, budget)?, budget)?)
}

/// How a program of some files is called.
fn program_name(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(" ")
}

/// What is needed to speak about a proof.
fn proof_context<'v>(verified: &'v Verified, loaded: &'v Loaded) -> ProofContext<'v> {
    ProofContext {
        program: &loaded.program,
        prepared: &verified.prepared,
        back: &verified.back,
        sources: &loaded.sources,
    }
}
