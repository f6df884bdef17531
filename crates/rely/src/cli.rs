//! From the arguments to the exit code.
//!
//! The work is done on a thread with a large stack, and a panic of that thread becomes a
//! message and an exit code of its own: a crash never looks like a verdict.

use crate::args::{Cli, Command};
use crate::commands::{self, Context, Ended};
use crate::console::Console;
use crate::exit::Status;
use crate::interrupt;
use clap::Parser;
use clap::error::ErrorKind;
use rely_base::CancelToken;
use rely_report::Role;
use std::ffi::OsString;
use std::panic::PanicHookInfo;
use std::thread;

/// Programs are deep where people write deep expressions.
const STACK_BYTES: usize = 256 << 20;

/// Runs the command that the arguments describe.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Status {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let console = Console::new(cli.color);
    let panic_style = console.error_style;
    std::panic::set_hook(Box::new(move |info| {
        let complaint = panic_text(info);
        Console { out_style: panic_style, error_style: panic_style }
            .complain(&format!("{} {complaint}\n", panic_style.paint(Role::Bad, "Internal failure:")));
    }));
    let interrupt = CancelToken::new();
    interrupt::cancel_on_interrupt(interrupt.clone());
    let context = Context { console, interrupt };
    let worker = thread::Builder::new().name("rely".to_owned()).stack_size(STACK_BYTES);
    let worker = worker.spawn(move || dispatch(&cli.command, &context));
    match worker.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(status))) => status,
        // The hook has said what happened.
        Ok(Err(_panic)) => Status::Failure,
        Ok(Ok(Err(error))) | Err(error) => {
            let console = Console { out_style: panic_style, error_style: panic_style };
            console.error(&error.to_string());
            Status::Failure
        }
    }
}

fn dispatch(command: &Command, context: &Context) -> Ended {
    match command {
        Command::Check(arguments) => commands::check(arguments, context),
        Command::Show(arguments) => commands::show(arguments, context),
        Command::Run(arguments) => commands::run(arguments, context),
        Command::Fmt(arguments) => commands::fmt(arguments, context),
        Command::Completions(arguments) => commands::completions(arguments, context),
        Command::Man => commands::man(context),
    }
}

/// Help and version are printed and fine; everything else is a wrong command line, for which
/// the parser's own exit code would mean `unknown`.
fn usage(error: &clap::Error) -> Status {
    error.print().ok();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Status::Holds,
        _ => Status::BadInput,
    }
}

fn panic_text(info: &PanicHookInfo<'_>) -> String {
    let message = info.payload_as_str().unwrap_or("no message");
    let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
    format!(
        "{message}{place}\n  This is a bug of Rely, and says nothing about your program. \
         Please report it with the input and `rely --version`."
    )
}
