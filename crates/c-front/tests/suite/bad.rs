//! Wrong and unsupported programs: each file of `tests/bad` with the error that it gets.
//!
//! The expectations are written anew by `UPDATE_EXPECT=1 cargo test`.

use crate::common::{preprocessed, try_translate};
use expect_test::expect_file;
use std::path::PathBuf;

#[test]
fn wrong_programs_get_the_errors_beside_them() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 60, "{} programs", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("the program is text");
        let found = match try_translate(&preprocessed(&text)) {
            Ok((program, _)) => format!("accepted:\n{program}"),
            Err(error) => format!("{error}\n"),
        };
        expect_file![path.with_extension("txt")].assert_eq(&found);
    }
}
