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
use rely_report::{Role, Style};
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
    report_panics(console.error_style);
    let interrupt = CancelToken::new();
    interrupt::cancel_on_interrupt(interrupt.clone());
    let context = Context { console, interrupt };
    guarded(move || dispatch(&cli.command, &context))
}

/// Does the work where neither deep recursion nor a panic can do harm.
fn guarded(work: impl FnOnce() -> Ended + Send + 'static) -> Status {
    let worker = thread::Builder::new().name("rely".to_owned()).stack_size(STACK_BYTES).spawn(work);
    match worker.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(status))) => status,
        // The hook has said what happened.
        Ok(Err(_panic)) => Status::Failure,
        Ok(Ok(Err(error))) | Err(error) => {
            Console::complain(&format!("Error: {error}\n"));
            Status::Failure
        }
    }
}

/// Makes panics say what they mean for the user.
fn report_panics(style: Style) {
    std::panic::set_hook(Box::new(move |info| {
        Console::complain(&format!("{} {}\n", style.paint(Role::Bad, "Internal failure:"), panic_text(info)));
    }));
}

fn dispatch(command: &Command, context: &Context) -> Ended {
    match command {
        Command::Check(arguments) => commands::check(arguments, context),
        Command::Certify(arguments) => commands::certify(arguments, context),
        Command::Validate(arguments) => commands::validate(arguments, context),
        Command::Show(arguments) => commands::show(arguments, context),
        Command::Run(arguments) => commands::run(arguments, context),
        Command::Bench(arguments) => commands::bench(arguments, context),
        Command::Horn(arguments) => commands::horn(arguments, context),
        Command::Export(arguments) => commands::export(arguments, context),
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
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().copied();
    let message =
        message.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line())).unwrap_or_default();
    format!(
        "{message}{place}\n  This is a bug of Rely, and says nothing about your program. \
         Please report it with the input and `rely --version`."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_failure_and_not_a_verdict() {
        assert_eq!(guarded(|| panic!("a bug")), Status::Failure);
        assert_eq!(guarded(|| Err(std::io::Error::other("the disk is full"))), Status::Failure);
        assert_eq!(guarded(|| Ok(Status::Violated)), Status::Violated);
        assert_eq!(Status::Failure.code(), 4);
    }
}
