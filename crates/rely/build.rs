//! Tells the binary from which commit it was built, if that can be known.
//!
//! Without git, or outside of a checkout, the version stands alone.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let text = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=RELY_VERSION_TEXT={text}");
    println!("cargo::rerun-if-changed=build.rs");
    rerun_when_head_moves();
}

/// The commit, unless the sources were only unpacked inside of another project's checkout.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// Watches the file that names the checked-out branch and the log of where it pointed.
/// Files that do not exist are not watched: cargo would build again every time.
fn rerun_when_head_moves() {
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// What git prints, or nothing if it is not there, fails, or knows no commit.
fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
