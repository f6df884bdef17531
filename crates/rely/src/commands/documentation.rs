//! `rely completions` and `rely man`: what the argument parser knows about itself.

use super::{Context, Ended};
use crate::args::{Cli, CompletionsArgs};
use crate::exit::Status;
use clap::CommandFactory;

/// Prints a completion script.
pub fn completions(arguments: &CompletionsArgs, context: &Context) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "rely", &mut script);
    context.console.print(&String::from_utf8_lossy(&script))?;
    Ok(Status::Holds)
}

/// Prints the manual: a page for the command, followed by one for each of its subcommands.
pub fn man(context: &Context) -> Ended {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        clap_mangen::Man::new(subcommand.clone()).render(&mut page)?;
    }
    context.console.print(&String::from_utf8_lossy(&page))?;
    Ok(Status::Holds)
}
