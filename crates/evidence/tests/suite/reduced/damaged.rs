//! Reductions with one part damaged: the checker blames the rule that no longer holds.

use super::by_hand::rejects;
use super::models;

#[test]
fn damage_to_the_blocks_of_figure_1_is_noticed() {
    rejects(
        &models::figure_1(),
        &[
            // What is held.
            ("T1 @l3: mx = 1 & my = 1", "T1 @l3: mx = 1", "own-step"),
            ("T1 @l1: mx = 1", "T1 @l1: mx = 2", "own-step"),
            ("T2 @l1: mx = 2", "T2 @l1: true", "own-step"),
            ("effect T2 @entry: mx = 0 & mx' = 2", "effect T2 @entry: mx' = 2", "interference"),
            ("effect T3 @l2: my = 3 & my' = 0", "", "guarantee"),
            ("T3 @exit: true", "", "own-step"),
            // Where the commit is.
            ("after T1: l5 l9 l10", "after T1: l5 l9", "reduced own-step"),
            ("before T1: l1 l2 l3 l4 l7 l8", "before T1: l1 l2 l3 l4 l7 l8 l6", "one-commit"),
            ("before T1: l1 l2 l3 l4 l7 l8", "before T1: entry l1 l2 l3 l4 l7 l8", "border"),
            ("before T2: l1 l2", "before T2: l1 l2 exit", "border"),
            ("before T2: l1 l2", "before T2: l1\nafter T2: l2\nafter T2: l2", "malformed"),
            // Who moves where.
            ("right T1: entry l2 l6", "right T1: l2 l6", "before-commit"),
            ("right T1: entry l2 l6", "both T1: entry\nright T1: l2 l6", "left-mover"),
            ("both T1: l1 l3 l5 l7 l9", "both T1: l1 l3 l7 l9", "after-commit"),
            ("left T1: l4 l8 l10", "right T1: l4\nleft T1: l8 l10", "right-mover"),
            ("left T1: l4 l8 l10", "left T1: l4 l8", "after-commit"),
            ("left T1: l4 l8 l10", "left T1: l4 l8\nboth T1: l10", "operations"),
            ("both T2: l1", "left T2: l1", "before-commit"),
        ],
    );
}

#[test]
fn damage_to_reductions_by_one_lock_is_noticed() {
    rejects(
        &models::unprotected_access(),
        &[
            // The accesses to `y` are no movers although the lock is held.
            ("both T1: l1 l5 l9", "both T1: l1 l5 l9\nright T1: l3", "right-mover"),
            ("both T1: l1 l5 l9", "both T1: l1 l5 l9\nleft T1: l7", "left-mover"),
            ("before T1: l1 l2 l3 l7", "before T1: l1 l2 l3 l7 l4", "malformed"),
            ("before T3: l1\n", "before T3: l1 l3\n", "one-commit"),
        ],
    );
    rejects(
        &models::counter(),
        &[
            ("B @b: m = 2", "B @b: true", "own-step"),
            ("A @b: m = 1\n               A @c: m = 1", "A @b: true\nA @c: true", "right-mover"),
            ("left A: c", "right A: c", "operations"),
            ("right A: entry", "left A: entry", "before-commit"),
        ],
    );
    rejects(
        &models::stack(),
        &[
            ("after Pop: d", "after Pop: d b", "malformed"),
            ("left Push: c", "", "after-commit"),
            ("both Pop: a b c", "both Pop: a c", "before-commit"),
            ("effect Pop @c: true", "", "guarantee"),
        ],
    );
    rejects(
        &models::workers(),
        &[
            ("worker @a: m = this", "worker @a: true", "own-step"),
            ("right worker: entry", "both worker: entry", "left-mover"),
            // Others of the same kind read `x` under the same lock; `main` may not start threads inside.
            ("both worker: a", "both worker: a\nleft main: entry", "operations"),
            // The invariant looks at `x`, which is written on the way to `c`.
            (
                "before worker: a b\n                 after worker: c",
                "before worker: a b c\nboth worker: b",
                "unseen",
            ),
        ],
    );
}

#[test]
fn damage_to_reductions_by_other_protocols_is_noticed() {
    rejects(
        &models::test_and_set(),
        &[
            ("after B: c d", "after B: c d\nafter A: a", "malformed"),
            ("right A: entry a", "right A: entry\nboth A: a", "left-mover"),
            ("both B: b c", "both B: b", "after-commit"),
        ],
    );
    rejects(
        &models::handover(),
        &[
            ("main @entry: child in {unstarted}", "main @entry: true", "own-step"),
            ("child @entry: main in {b, c, d, exit}", "child @entry: main in {c}", "start"),
            ("after main: b", "before main: b", "before-commit"),
            ("both main: entry b", "both main: entry b\nright main: a", "operations"),
            ("both main: entry b", "both main: entry b\nleft main: c", "operations"),
        ],
    );
    rejects(
        &models::announced(),
        &[("before A: a b\n                 after A: c", "before A: a b c\nboth A: b", "unseen")],
    );
}

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
