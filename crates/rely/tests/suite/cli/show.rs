//! `rely show`: the program behind a pass, and what each pass does to it.

use super::told;
use crate::support::Directory;
use expect_test::expect;

/// Waits for nothing under a lock, counts with a local that nobody needs, and starts two workers in a loop.
const WORKERS: &str = "\
var m, x: int = 0;
var unused: int = 7;
process Worker(step: int) {
    local before: int = 0;
    await m == 0 do { m := 1; }
    before := x;
    x := before + step;
    m := 0;
}
process Main {
    local i: int = 0;
    unused := 1;
    while i < 2 {
        spawn Worker(1);
        i := i + 1;
    }
}
start Main;
never x > 2;
";

fn show(arguments: &[&str]) -> String {
    let directory = Directory::new().with("workers.rely", WORKERS);
    told(&directory.rely(&[&["show"], arguments, &["workers.rely"]].concat()))
}

#[test]
fn programs_are_shown_behind_a_pass() {
    expect![[r#"
        exit code 0
        program workers.rely
        var m: int = 0
        var x: int = 0
        var unused: int = 7
        thread Main
          local i: int = 0
          entry -> L7: unused := 1
          L7 -> L8: [i < 2]
          L7 -> exit: [i >= 2]
          L8 -> L9: spawn Worker(1)
          L9 -> L10: i := i + 1
          L10 -> L11: [i < 2]
          L10 -> exit: [i >= 2]
          L11 -> L12: spawn Worker(1)
          L12 -> L13: i := i + 1
          L13 -> exit: [i < 2]
          L13 -> exit: [i >= 2]
        template Worker(step)
          local step: int = 0
          local before: int = 0
          entry -> L4: [m == 0]; m := 1
          L4 -> L5: before := x
          L5 -> L6: x := before + 1
          L6 -> exit: m := 0
        always x <= 2
    "#]]
    .assert_eq(&show(&["--after", "unroll"]));
    assert_eq!(show(&["--after", "merge-atomic-blocks"]), show(&["--after", "merge_atomic_blocks:1"]));
    assert_ne!(show(&["--after", "compress"]), show(&["--after", "unroll"]));
    assert_ne!(show(&["--after", "compress"]), show(&["--after", "compress", "--sections", "interleaved"]));
}

#[test]
fn the_program_behind_the_last_pass_is_the_simplified_one() {
    for sections in ["atomic", "interleaved"] {
        let listed = show(&["--passes", "--sections", sections]);
        let last = listed.lines().last().and_then(|line| line.split_whitespace().next()).expect("a pass ran");
        let behind_last = show(&["--after", last, "--sections", sections]);
        assert_eq!(behind_last, show(&["--simplified", "--sections", sections]), "{last}");
    }
}

#[test]
fn what_is_no_run_of_a_pass_is_refused() {
    expect![[r#"
        exit code 3
        Error: there is no pass `magic` for the property `assert`; the passes are focus, fold_constants, drop_owner_checks, unroll, instantiate, begin_initialised, slice_threads, slice_suffixes, use_ranges, split_arrays, merge_copies, remove_dead_variables, merge_atomic_blocks, compress, start_later, drop_idle_loops, separate_values
    "#]].assert_eq(&show(&["--after", "magic"]));
    expect![[r#"
        exit code 3
        Error: there is no pass `slice_threads` for the property `race`; the passes are focus, unroll, instantiate, insert_constants
    "#]].assert_eq(&show(&["--after", "slice_threads", "--property", "race"]));
    expect![[r#"
        exit code 3
        Error: the pass `compress` runs only 3 times on this program
    "#]]
    .assert_eq(&show(&["--after", "compress:9"]));
    expect![[r#"
        exit code 3
        error: invalid value 'compress:no' for '--after <PASS>': expected the name of a pass, or a name and a number from 1 on as in `compress:2`

        For more information, try '--help'.
    "#]].assert_eq(&show(&["--after", "compress:no"]));
}

#[test]
fn what_each_pass_does_is_listed() {
    expect![[r#"
        exit code 0
        pass                         threads     locations         edges     variables
        focus                              2            10             9             6  unchanged
        fold_constants                     2            10             9             6  changed
        drop_owner_checks                  2            10             9             6  unchanged
        unroll                             2      10 -> 14       9 -> 15             6  changed
        fold_constants:2                   2            14      15 -> 12             6  changed
        instantiate                   2 -> 3      14 -> 19      12 -> 16        6 -> 8  changed
        begin_initialised                  3      19 -> 18      16 -> 15             8  changed
        slice_threads                      3            18            15             8  unchanged
        slice_suffixes                     3      18 -> 16      15 -> 13             8  changed
        use_ranges                         3            16            13             8  unchanged
        fold_constants:3                   3            16            13             8  unchanged
        split_arrays                       3            16            13             8  unchanged
        merge_copies                       3            16            13             8  unchanged
        remove_dead_variables              3            16            13        8 -> 4  changed
        merge_atomic_blocks                3            16            13             4  unchanged
        compress                           3       16 -> 6       13 -> 3             4  changed
        start_later                        3             6             3             4  unchanged
        begin_initialised:2                3             6             3             4  unchanged
        drop_idle_loops                    3             6             3             4  unchanged
        separate_values                    3             6             3             4  unchanged
        slice_threads:2                    3             6             3             4  unchanged
        slice_suffixes:2                   3             6             3             4  unchanged
        use_ranges:2                       3             6             3             4  unchanged
        fold_constants:4                   3             6             3             4  unchanged
        split_arrays:2                     3             6             3             4  unchanged
        merge_copies:2                     3             6             3             4  unchanged
        remove_dead_variables:2            3             6             3             4  changed
        merge_atomic_blocks:2              3             6             3             4  unchanged
        compress:2                         3             6             3             4  unchanged
        start_later:2                      3             6             3             4  unchanged
        begin_initialised:3                3             6             3             4  unchanged
        drop_idle_loops:2                  3             6             3             4  unchanged
        slice_threads:3                    3             6             3             4  unchanged
        slice_suffixes:3                   3             6             3             4  unchanged
        use_ranges:3                       3             6             3             4  changed
        fold_constants:5                   3             6             3             4  changed
        split_arrays:3                     3             6             3             4  unchanged
        merge_copies:3                     3             6             3             4  unchanged
        remove_dead_variables:3            3             6             3        4 -> 3  changed
        merge_atomic_blocks:3              3             6             3             3  unchanged
        compress:3                         3             6             3             3  unchanged
        start_later:3                      3             6             3             3  unchanged
        begin_initialised:4                3             6             3             3  unchanged
        drop_idle_loops:3                  3             6             3             3  unchanged
        slice_threads:4                    3             6             3             3  unchanged
        slice_suffixes:4                   3             6             3             3  unchanged
        use_ranges:4                       3             6             3             3  unchanged
        fold_constants:6                   3             6             3             3  unchanged
        split_arrays:4                     3             6             3             3  unchanged
        merge_copies:4                     3             6             3             3  unchanged
        remove_dead_variables:4            3             6             3             3  unchanged
    "#]]
    .assert_eq(&show(&["--passes"]));
}

#[test]
fn earlier_words_for_critical_sections_are_understood() {
    let directory =
        Directory::new().with("one.rely", "var x: int = 0;\nthread T { x := 1; assert x == 1; }\n");
    for (sections, is_known) in [("joined", true), ("apart", true), ("loose", false)] {
        let output = directory.rely(&["show", "--simplified", "--sections", sections, "one.rely"]);
        assert_eq!(output.status.success(), is_known, "{sections}: {}", told(&output));
    }
    let refused = told(&directory.rely(&["show", "--sections", "loose", "one.rely"]));
    assert!(refused.contains("[possible values: atomic, interleaved]"), "{refused}");
}
