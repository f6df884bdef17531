//! What each construct of the language becomes, and what it does.

use crate::common::{dump, program};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&dump(&program(text)));
}

#[test]
fn statements_are_single_steps() {
    check(
        "var x, y: int = 0; thread T { x, y := y, x + 1; l: skip; assert x == 1; }",
        expect![[r#"
        var x: int = [0]
        var y: int = [0]
        thread T()
          0 -> l: x, y := y, (x + 1)
          l -> 3: skip
          3 -> exit!: check0 (x == 1)
        check Assertion: assertion `x == 1` fails
    "#]],
    );
}
