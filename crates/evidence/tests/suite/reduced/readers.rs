//! Reductions by a lock that readers share: what everybody holds is counted.

use super::by_hand::{defect, rejects, rule, with};
use super::models::{self, Model};
use super::reductions::exhausted;
use crate::common;
use rely_evidence::reduction::Reduced;

#[test]
fn damage_to_reductions_by_a_lock_for_readers_and_writers_is_noticed() {
    rejects(
        &models::read_and_write(),
        &[
            // Who holds what.
            (
                " & #W.a + #W.b <= 0 | l = -1 & #R.a + #R.b + #R.c <= 0 & #W.a + #W.b = 1",
                "",
                "invariant-step",
            ),
            (
                "l = #R.a + #R.b + #R.c & #W.a + #W.b <= 0",
                "l = #R.a + #R.b & #W.a + #W.b <= 0",
                "invariant-step",
            ),
            ("#W.a + #W.b <= 0", "#W.a + #W.b <= 1", "invariant-step"),
            ("l = #R.a", "l = 1 + #R.a", "invariant-initially"),
            // Without knowing it, a reader and the writer may meet.
            (
                "invariant: l = #R.a + #R.b + #R.c & #W.a + #W.b <= 0 | l = -1 & #R.a + #R.b + #R.c <= 0 & #W.a + #W.b = 1",
                "",
                "right-mover",
            ),
            ("| l = -1 & #R.a + #R.b + #R.c <= 0", "| l = -1", "invariant-step"),
            // Taking a share cannot be done earlier: the writer may have been there. Giving it back cannot be done later:
            // the writer may wait for it. Of two writers each waits for the other.
            ("right R: entry a b", "both R: entry\nright R: a b", "left-mover"),
            ("right R: entry a b", "right R: entry a b c", "right-mover"),
            ("right W: entry a", "both W: entry\nright W: a", "left-mover"),
            ("right W: entry a", "right W: entry a b", "operations"),
            // Where the commit is: a reader that has given back its share has passed it.
            ("after R: d", "before R: d", "before-commit"),
            ("before R: a b c\n                 after R: d", "before R: a b\nafter R: c d", "after-commit"),
            (
                "before R: a b c\n                 after R: d",
                "before R: a b d\nafter R: c\nleft R: c",
                "one-commit",
            ),
        ],
    );
}

/// After giving back its share a reader may go round for ever, and nobody would see that it has done so.
#[test]
fn no_loop_follows_the_commit_of_a_reader() {
    let model = models::read_and_write();
    let again = "process R { local p: int = 0; local q: int = 0;
        entry -> a: l >= 0; l := l + 1;
        a -> b: p := x; b -> c: q := x; c -> d: l := l - 1;
        d -> d: p != q; d -> exit: assert p == q; }";
    let program = common::program(&format!(
        "var l: int = 0; var x: int = 0;
         process main {{ entry -> entry: spawn R; entry -> exit: skip; }}
         {again}
         process W {{ entry -> a: l == 0; l := -1; a -> b: x := x + 1; b -> exit: l := 0; }}
         start main; start W;"
    ));
    let model = Model { program, ..model };
    let reduced =
        Reduced { proof: Box::new(exhausted(0)), ..with(&model, &model.held, model.blocks, exhausted(0)) };
    assert_eq!(rule(&defect(&model, "a loop", reduced)), "ends");
}
