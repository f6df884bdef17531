//! What the tests share: directories of their own, the command, and what it says.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A directory that nobody else has, and that goes away at the end of the test, however it ends.
pub struct Directory(TempDir);

impl Directory {
    /// An empty one.
    pub fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("rely-").tempdir();
        Self(directory.expect("a directory for the test"))
    }

    /// The same with one more file.
    pub fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    /// Writes a file; returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).expect("the file is written");
        self.path(name).display().to_string()
    }

    /// What stands in a file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The path of a file in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// The path of the directory.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The command, to be run in the directory.
    pub fn command(&self, arguments: &[&str]) -> Command {
        command(self.folder(), arguments)
    }

    /// Runs the command in the directory.
    pub fn rely(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command runs")
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rely"));
    command.args(arguments).current_dir(folder).env_remove("NO_COLOR").env("COLUMNS", "100");
    // No test sees what another one, or an earlier run, has found out.
    command.env("RELY_CACHE_DIR", "");
    command
}

/// Runs the command in the root of the repository.
pub fn rely_in_root(arguments: &[&str]) -> Output {
    command(&root(), arguments).output().expect("the command runs")
}

/// Output as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Standard output and standard error.
pub fn all_text(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

/// The exit code, and the words of standard output and standard error with one blank between them.
pub fn words(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), words_of(&all_text(output)))
}

/// The words of a text with one blank between them.
pub fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace exists")
}
