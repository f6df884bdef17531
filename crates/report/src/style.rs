//! How text is to look: with or without colour, and how wide.

/// What the terminal, or the file, at the other end can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use ANSI colours.
    pub color: bool,
    /// How many columns a line may have.
    pub width: usize,
}

impl Style {
    /// No colours and eighty columns: what a pipe or a file gets.
    pub const PLAIN: Style = Style { color: false, width: 80 };
}

/// What a piece of text stands for; [`Style::paint`] decides how that looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A heading.
    Heading,
    /// A good result.
    Good,
    /// A bad result.
    Bad,
    /// A result that leaves a question open.
    Open,
    /// What the eye may skip.
    Quiet,
}

impl Role {
    fn escape(self) -> &'static str {
        match self {
            Role::Heading => "\x1b[1m",
            Role::Good => "\x1b[1;32m",
            Role::Bad => "\x1b[1;31m",
            Role::Open => "\x1b[1;33m",
            Role::Quiet => "\x1b[2m",
        }
    }
}

impl Style {
    /// The text in the colour of its role, or as it is.
    pub fn paint(self, role: Role, text: &str) -> String {
        if self.color && !text.is_empty() {
            format!("{}{text}\x1b[0m", role.escape())
        } else {
            text.to_owned()
        }
    }
}
