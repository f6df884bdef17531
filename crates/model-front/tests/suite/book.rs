//! The models in the chapter of the book are correct, formatted, and do what it says.

use crate::common::{explore, program, source};

#[test]
fn models_in_the_book_are_correct_and_formatted() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/modelling-language.md");
    let chapter = std::fs::read_to_string(path).unwrap();
    let mut verdicts = Vec::new();
    for part in chapter.split("```rely\n").skip(1) {
        let model = part.split("```").next().unwrap();
        let (sources, file) = source(model);
        let found = explore(&sources, &program(model), 2_000);
        verdicts.push((found.violations.is_empty(), found.complete));
        assert_eq!(rely_model_front::format(&sources, file).as_deref(), Ok(model));
    }
    let expected = [(true, true), (false, true), (true, true), (true, true), (true, false), (true, true)];
    assert_eq!(verdicts, expected);
}
