//! What each pass makes of a small program, and the way back.

mod compressing;
mod copying;
mod ends;
mod forgetting;
mod idling;
mod locking;
mod preservation;
mod random;
mod ranges;
mod separating;
mod simplifying;
mod threads;

use expect_test::Expect;
use rely_passes::BackMap;
use rely_program::Program;

fn check(result: (Program, BackMap), expected: Expect) {
    expected.assert_eq(&result.0.to_string());
}
