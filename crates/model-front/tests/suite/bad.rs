//! Wrong models: each file of `tests/bad` with the errors that it gets.
//!
//! The expectations are written anew by `UPDATE_EXPECT=1 cargo test`.

use crate::common::errors;
use expect_test::expect_file;
use std::path::PathBuf;

#[test]
fn wrong_models_get_the_errors_beside_them() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rely"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 35);
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        expect_file![path.with_extension("txt")].assert_eq(&errors(&text));
    }
}
