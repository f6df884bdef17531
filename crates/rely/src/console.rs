//! Where the command writes, and how what it writes may look.

use crate::exit::Status;
use clap::ColorChoice;
use rely_report::{Role, Style};
use std::io::{self, IsTerminal, Write};

/// Standard output and standard error, with what each can show.
#[derive(Debug)]
pub struct Console {
    /// How standard output looks.
    pub out_style: Style,
    /// How standard error looks.
    pub error_style: Style,
}

/// Tables wider than this are harder to read, not easier.
const WIDEST: usize = 140;

impl Console {
    /// Looks at the terminal and at the environment.
    pub fn new(choice: ColorChoice) -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let color = |is_terminal: bool| match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && !no_color,
        };
        let width = terminal_size::terminal_size()
            .map_or(Style::PLAIN.width, |(width, _)| usize::from(width.0).clamp(Style::PLAIN.width, WIDEST));
        let out = io::stdout().is_terminal();
        let error = io::stderr().is_terminal();
        let style = |is_terminal: bool| Style {
            color: color(is_terminal),
            width: if is_terminal { width } else { Style::PLAIN.width },
        };
        Self { out_style: style(out), error_style: style(error) }
    }

    /// Writes to standard output. If nobody reads it any more, that is not our failure.
    pub fn print(&self, text: &str) -> io::Result<()> {
        quiet_on_closed_pipe(write_all(&mut io::stdout().lock(), text))
    }

    /// Writes to standard error, as well as possible.
    pub fn complain(text: &str) {
        write_all(&mut io::stderr().lock(), text).ok();
    }

    /// One error of the command line or of the surroundings, on standard error.
    pub fn error(&self, message: &str) -> Status {
        Self::complain(&format!("{} {message}\n", self.error_style.paint(Role::Bad, "Error:")));
        Status::BadInput
    }
}

fn write_all(stream: &mut dyn Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

fn quiet_on_closed_pipe(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
