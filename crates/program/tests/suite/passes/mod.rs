//! What each pass makes of a small program, and the way back.

mod compressing;
mod copying;
mod ends;
mod locking;
mod ranges;
mod separating;
mod simplifying;
mod threads;

use expect_test::Expect;
use rely_program::Program;
use rely_program::passes::BackMap;

fn check(result: (Program, BackMap), expected: Expect) {
    expected.assert_eq(&result.0.to_string());
}
