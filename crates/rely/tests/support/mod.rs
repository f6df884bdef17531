//! What the tests of the formats share: directories, and the command.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory that goes away at the end of the test.
pub struct Directory(PathBuf);

impl Directory {
    /// An empty directory that nobody else has.
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let (process, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("rely-{name}-{process}-{number}"));
        std::fs::create_dir_all(&path).expect("a directory for the test");
        Self(path)
    }

    /// The same with one more file.
    pub fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.0.join(name), content).expect("the file is written");
        self
    }

    /// The path of a file in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Runs the command in the directory.
    pub fn rely(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rely"));
        command.args(arguments).current_dir(&self.0).env_remove("NO_COLOR").env("COLUMNS", "100");
        command.output().expect("the command runs")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Output as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
