//! Files that are written completely or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes a file: under another name beside it first, which becomes its own when everything is there. So the old text
/// is still there if the disk is full. What is no file, like a pipe, is written as it is.
pub fn write_whole(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    // The file itself, not a link to it, is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&path).ok();
    let is_special = old.as_ref().is_some_and(|data| !data.is_file());
    let Some(name) = path.file_name().filter(|_| !is_special) else { return fs::write(path, content) };
    let mut unfinished = name.to_owned();
    unfinished.push(format!(".{}.new", std::process::id()));
    let unfinished: PathBuf = path.with_file_name(unfinished);
    let written = fs::write(&unfinished, content)
        .and_then(|()| old.map_or(Ok(()), |old| fs::set_permissions(&unfinished, old.permissions())))
        .and_then(|()| fs::rename(&unfinished, &path));
    written.inspect_err(|_| drop(fs::remove_file(&unfinished)))
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
