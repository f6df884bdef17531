//! Files that are written completely or not at all, whenever the command is ended.
//!
//! A file has no name until everything is in it: who is killed meanwhile leaves nothing behind. Where the file system
//! knows no files without names, it has another name until then.

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes a file, of which the old text is still there if that fails. What is no file, like a pipe, is written as it is.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    // The file itself, not a link to it, is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&path).ok();
    let is_special = old.as_ref().is_some_and(|data| !data.is_file());
    let Some(name) = path.file_name().filter(|_| !is_special) else { return fs::write(path, content) };
    // Threads of one command may write the same file.
    static WRITTEN: AtomicUsize = AtomicUsize::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let mut beside = name.to_owned();
    beside.push(format!(".{}-{number}.new", std::process::id()));
    let beside: PathBuf = path.with_file_name(beside);
    let permissions = old.map(|old| old.permissions());
    let written = match nameless(&path, content.as_ref()) {
        Ok(file) if permissions.is_none() && name_it(&file, &path).is_ok() => return Ok(()),
        Ok(file) => permissions
            .map_or(Ok(()), |permissions| file.set_permissions(permissions))
            .and_then(|()| name_it(&file, &beside)),
        Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(error),
        Err(_) => fs::write(&beside, content)
            .and_then(|()| permissions.map_or(Ok(()), |old| fs::set_permissions(&beside, old))),
    };
    written.and_then(|()| fs::rename(&beside, &path)).inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// A file without a name, in the folder of another one.
fn nameless(path: &Path, content: &[u8]) -> io::Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let usual = Mode::from_raw_mode(0o666);
    let mut file =
        File::from(openat(CWD, folder, OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, usual)?);
    file.write_all(content)?;
    Ok(file)
}

/// Gives a name to a file that has none.
fn name_it(file: &File, name: &Path) -> io::Result<()> {
    let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, itself, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("report.html");
        for text in ["first", "second"] {
            write_whole(&path, text).expect("writable");
            assert_eq!(fs::read_to_string(&path).expect("readable"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 1);
        assert!(write_whole(&folder.path().join("missing/report.html"), "").is_err());
        write_whole(Path::new("/dev/null"), "nothing").expect("writable");
        assert!(fs::symlink_metadata("/dev/null").is_ok_and(|data| !data.is_file()));
    }
}
