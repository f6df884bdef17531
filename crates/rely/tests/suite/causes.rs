//! Explanations name the cause of a violation, not only where it shows: one program for each kind of mistake,
//! in `tests/explanations`.

use crate::support::{rely_in_root, text};
use expect_test::{Expect, expect};
use serde_json::Value;

/// Why a property of a program is violated.
fn check(name: &str, property: &str, expected: &Expect) {
    let path = format!("crates/rely/tests/explanations/{name}.c");
    let output = rely_in_root(&[
        "check",
        "--engine",
        "explore",
        "--timeout",
        "0",
        "--format",
        "json",
        "-p",
        property,
        &path,
    ]);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)));
    let result = &report["files"][0]["results"][0];
    assert_eq!(result["verdict"], "unsafe", "{result}");
    crate::explain::check_sentences(result);
    let sentences = result["explanation"].as_array().expect("sentences").iter();
    let told: Vec<&str> = sentences.filter_map(|sentence| sentence["text"].as_str()).collect();
    let violation = result["violation"]["message"].as_str().expect("a message");
    expected.assert_eq(&format!("{violation}\n  {}\n", told.join("\n  ")));
}

#[test]
fn a_wait_that_returns_without_a_signal() {
    check(
        "a-wait-that-returns-without-a-signal",
        "memory",
        &expect![[r#"
        `n->next` accesses memory that is not there
          The wait of consumer#2 at line 19 returns without a signal, as it may: no other thread has moved meanwhile. consumer#2 does not look again whether it has come what it waited for: that takes a loop.
          Here (line 21) this is so: `q.head` still has its first value, NULL, because consumer#3 has yet to write it (line 21).
    "#]],
    );
}

#[test]
fn a_wait_whose_condition_somebody_else_has_used_up() {
    check(
        "a-wait-whose-condition-somebody-else-has-used-up",
        "assert",
        &expect![[r#"
        assertion `items >= 0` fails
          The wait of consumer#2 at line 9 returns without a signal, as it may: no other thread has moved meanwhile. consumer#2 does not look again whether it has come what it waited for: that takes a loop.
          The condition that fails at line 11 sees this: `items` is -1, written by consumer#2 at line 10.
    "#]],
    );
}

#[test]
fn peterson_with_turn_set_too_early() {
    check(
        "peterson-with-turn-set-too-early",
        "assert",
        &expect![[r#"
        assertion `in_cs == 1` fails
          p1#3 passes the test at line 6 with `flag[0]` = 0; then p0#2 writes `flag[0]` = 1 (line 5), with which p1#3 would not have passed.
          So both are past their tests: p1#3 at line 6 and p0#2 at line 5.
          p0#2 passes the test at line 5 though it has written `turn` = 1 itself (line 5): p1#3 has overwritten that with 0 (line 6).
          The condition that fails at line 5 sees this: `in_cs` is 2, written by p1#3 at line 6.
    "#]],
    );
}

#[test]
fn a_lock_that_is_missing_everywhere() {
    check(
        "a-lock-that-is-missing-everywhere",
        "race",
        &expect![[r#"
        a data race on `hits`: visit#2 writes and visit#3 reads it at once
          Neither visit#2 nor visit#3 holds a mutex.
          visit#2 was created by main (line 13) and visit#3 was created by main (line 13), and neither waits for the other.
    "#]],
    );
}

#[test]
fn a_lock_that_one_thread_takes() {
    check(
        "a-lock-that-one-thread-takes",
        "race",
        &expect![[r#"
        a data race on `instance`: user#2 writes and user#3 reads it at once
          user#2 holds `lock` and user#3 does not: the access of user#3 would have to be protected by it, too.
          user#2 was created by main (line 19) and user#3 was created by main (line 19), and neither waits for the other.
    "#]],
    );
}

#[test]
fn two_locks_for_one_variable() {
    check(
        "two-locks-for-one-variable",
        "race",
        &expect![[r#"
        a data race on `best`: up#2 writes and down#3 reads it at once
          up#2 holds `a` and down#3 holds `b`, which does not keep them apart: both must hold the same one.
          up#2 was created by main (line 11) and down#3 was created by main (line 11), and neither waits for the other.
    "#]],
    );
}

#[test]
fn an_update_that_is_lost_between_two_critical_sections() {
    check(
        "an-update-that-is-lost-between-two-critical-sections",
        "assert",
        &expect![[r#"
        assertion `n == 2` fails
          add#3 reads `n` = 0 (line 7), then add#2 writes `n` = 1 (line 10), then add#3 writes `n` = 1 (line 10) from the 0 that it had read: what add#2 wrote is lost.
          The condition that fails at line 20 sees this: `n` is 1, written by add#3 at line 10.
    "#]],
    );
}

#[test]
fn five_philosophers() {
    check(
        "five-philosophers",
        "deadlock",
        &expect![[r#"
        no thread can move, and not all have ended
          philosopher#2 took `fork_[0]` (line 6) and waits for `fork_[1]` (line 7), which philosopher#3 took (line 6).
          philosopher#3 took `fork_[1]` (line 6) and waits for `fork_[2]` (line 7), which philosopher#4 took (line 6).
          philosopher#4 took `fork_[2]` (line 6) and waits for `fork_[3]` (line 7), which philosopher#5 took (line 6).
          philosopher#5 took `fork_[3]` (line 6) and waits for `fork_[4]` (line 7), which philosopher#6 took (line 6).
          philosopher#6 took `fork_[4]` (line 6) and waits for `fork_[0]` (line 7), which philosopher#2 took (line 6).
          So each waits for the next: philosopher#2, philosopher#3, philosopher#4, philosopher#5, philosopher#6, philosopher#2.
          main waits for the end of philosopher#2 (line 20).
    "#]],
    );
}

#[test]
fn two_accounts_locked_in_opposite_orders() {
    check(
        "two-accounts-locked-in-opposite-orders",
        "deadlock",
        &expect![[r#"
        no thread can move, and not all have ended
          t1#2 took `a.m` (line 6) and waits for `b.m` (line 7), which t2#3 took (line 6).
          t2#3 took `b.m` (line 6) and waits for `a.m` (line 7), which t1#2 took (line 6).
          So t1#2 and t2#3 wait for each other.
          main waits for the end of t1#2 (line 19).
    "#]],
    );
}

#[test]
fn a_lock_that_is_not_given_back() {
    check(
        "a-lock-that-is-not-given-back",
        "deadlock",
        &expect![[r#"
        no thread can move, and not all have ended
          main waits for the end of customer#2 (line 18).
          customer#2 waits for `m` (line 5), which customer#4 took (line 5), and did not give it back before it ended.
    "#]],
    );
}

#[test]
fn a_semaphore_awaited_inside_of_a_lock() {
    check(
        "a-semaphore-awaited-inside-of-a-lock",
        "deadlock",
        &expect![[r#"
        no thread can move, and not all have ended
          producer#2 waits for `m` (line 9), which consumer#3 took (line 19).
          consumer#3 took `m` (line 19) and waits for `full` (line 20), which is 0 since main wrote it (line 28); only producer#2 could change that (line 12).
          So producer#2 and consumer#3 wait for each other.
          main waits for the end of producer#2 (line 31).
    "#]],
    );
}

#[test]
fn a_signal_that_comes_too_early() {
    check(
        "a-signal-that-comes-too-early",
        "deadlock",
        &expect![[r#"
        no thread can move, and not all have ended
          main waits for the end of waiter#2 (line 19).
          waiter#2 waits for a signal of `c` (line 9), and will get none: main sent one (line 18) when nobody waited, and such a signal is lost.
    "#]],
    );
}

#[test]
fn a_barrier_for_one_more() {
    check(
        "a-barrier-for-one-more",
        "deadlock",
        &expect![[r#"
        no thread can move, and not all have ended
          main waits for the end of w#2 (line 10).
          w#2 waits for the others at the barrier `b`, where 2 of 3 threads are (line 5).
          w#3 waits for the others at the barrier `b`, where 2 of 3 threads are (line 5).
    "#]],
    );
}

#[test]
fn a_reader_that_wants_to_write() {
    check(
        "a-reader-that-wants-to-write",
        "deadlock",
        &expect![[r#"
        no thread can move, and not all have ended
          t#3 took `l` (line 5) and waits for `l` (line 7), which it took itself (line 5).
          So t#3 waits for itself.
          main waits for the end of t#2 (line 16).
          t#2 waits for `l` (line 7), which t#3 took (line 5).
    "#]],
    );
}

#[test]
fn a_lock_taken_twice() {
    check(
        "a-lock-taken-twice",
        "deadlock",
        &expect![[r#"
        no thread can move, and not all have ended
          work#2 took `m` (line 10) and waits for `m` (line 5), which it took itself (line 10).
          So work#2 waits for itself.
          main waits for the end of work#2 (line 19).
    "#]],
    );
}

#[test]
fn memory_freed_while_somebody_uses_it() {
    check(
        "memory-freed-while-somebody-uses-it",
        "memory",
        &expect![[r#"
        `j->done` uses memory that was freed
          Here (line 4) this is so: the memory was allocated by main at line 6 and freed by main at line 11.
    "#]],
    );
}

#[test]
fn memory_freed_by_two_threads() {
    check(
        "memory-freed-by-two-threads",
        "memory",
        &expect![[r#"
        `shared` is freed twice
          Here (line 4) this is so: `shared` is &heap[0], written by main at line 7; the memory was allocated by main at line 7 and freed by cleanup#2 at line 4.
    "#]],
    );
}

#[test]
fn a_pointer_set_to_null_behind_a_test() {
    check(
        "a-pointer-set-to-null-behind-a-test",
        "assert",
        &expect![[r#"
        `current->fd` accesses memory that is not there
          sender#3 passes the test at line 5 with `current` = &heap; then closer#2 writes `current` = NULL (line 4), with which sender#3 would not have passed.
          Here (line 5) this is so: `current` is NULL, written by closer#2 at line 4.
    "#]],
    );
}

#[test]
fn an_index_one_too_large() {
    check(
        "an-index-one-too-large",
        "memory",
        &expect![[r#"
        the index in `result[i]` is outside of `result`, which has 4 elements
          Here (line 4) this is so: `i` is 4.
    "#]],
    );
}

#[test]
fn an_object_published_before_it_is_ready() {
    check(
        "an-object-published-before-it-is-ready",
        "assert",
        &expect![[r#"
        assertion `get()->port == 8080` fails
          The condition that fails at line 18 sees this: `heap.port` still has its first value, 0, because user#2 has yet to write it (line 12).
    "#]],
    );
}

#[test]
fn a_result_that_nobody_waits_for() {
    check(
        "a-result-that-nobody-waits-for",
        "assert",
        &expect![[r#"
        assertion `result == 42` fails
          The condition that fails at line 5 sees this: `result` still has its first value, 0, because compute#2 has yet to write it (line 4).
    "#]],
    );
}

#[test]
fn a_lock_given_back_that_was_not_taken() {
    check(
        "a-lock-given-back-that-was-not-taken",
        "assert",
        &expect![[r#"
        `pthread_mutex_unlock(&m)` unlocks a mutex that the thread does not hold
          Here (line 3) this is so: f#2 holds `m`, which it took at line 3.
    "#]],
    );
}

#[test]
fn a_local_variable_that_the_loop_goes_on_changing() {
    check(
        "a-local-variable-that-the-loop-goes-on-changing",
        "race",
        &expect![[r#"
        a data race on `main.i`: hello#2 reads and main writes it at once
          Neither hello#2 nor main holds a mutex.
          hello#2 was created by main (line 7), and nobody has waited for its end.
    "#]],
    );
}

#[test]
fn a_reference_count_without_a_lock() {
    check(
        "a-reference-count-without-a-lock",
        "race",
        &expect![[r#"
        a data race on `heap.refs`: user#2 writes and user#3 reads it at once
          Neither user#2 nor user#3 holds a mutex.
          user#2 was created by main (line 9) and user#3 was created by main (line 9), and neither waits for the other.
    "#]],
    );
}

#[test]
fn a_plain_read_of_what_is_written_atomically() {
    check(
        "a-plain-read-of-what-is-written-atomically",
        "race",
        &expect![[r#"
        a data race on `level`: main reads and raise_level#2 atomically writes it at once
          Neither main nor raise_level#2 holds a mutex.
          The access of raise_level#2 is atomic, but that of main is not.
          raise_level#2 was created by main (line 10), and nobody has waited for its end.
    "#]],
    );
}

#[test]
fn a_seat_sold_by_what_was_so_before() {
    check(
        "a-seat-sold-by-what-was-so-before",
        "assert",
        &expect![[r#"
        assertion `sold <= 1` fails
          sell#3 decides at line 9 by `seats` = 1, which it has read before (line 7). Meanwhile sell#2 writes `seats` = 0 (line 11): the decision is out of date when sell#3 acts on it.
          The condition that fails at line 13 sees this: `sold` is 2, written by sell#3 at line 12.
    "#]],
    );
}

#[test]
fn a_counter_written_under_a_lock_for_reading() {
    check(
        "a-counter-written-under-a-lock-for-reading",
        "race",
        &expect![[r#"
        a data race on `hits`: find#2 writes and find#3 reads it at once
          Both hold `l` for reading only, which does not keep them apart: who writes must hold it for writing.
          find#2 was created by main (line 13) and find#3 was created by main (line 14), and neither waits for the other.
    "#]],
    );
}

#[test]
fn a_thread_joined_twice() {
    check(
        "a-thread-joined-twice",
        "assert",
        &expect![[r#"
        `pthread_join(a, 0)` joins a thread that was joined or detached before
          Here (line 10) this is so: main has joined or detached the thread of `work` at line 4.
    "#]],
    );
}

#[test]
fn a_flag_that_nobody_sets_in_time() {
    check(
        "a-flag-that-nobody-sets-in-time",
        "termination",
        &expect![[r#"
        a run that never ends: its last step is a loop, repeated for ever; the loop leaves out no thread that could always go on
          work#2 goes round at line 5 for ever, as long as `stop` is 0, its first value; only main could change that (line 13).
          main waits for the end of work#2 (line 12).
    "#]],
    );
}

#[test]
fn two_who_give_way_for_ever() {
    check(
        "two-who-give-way-for-ever",
        "termination",
        &expect![[r#"
        a run that never ends: its last 4 steps are a loop, repeated for ever; the loop is unfair: it leaves out a thread that could always go on (see `--fair`)
          left#2 goes round in lines 5 to 7 for ever, as long as right#3 holds `b`, which it took (line 14).
          main waits for the end of left#2 (line 27).
          right#3 could go on (line 15), but never does in this run.
    "#]],
    );
}

#[test]
fn a_lock_tested_and_set_in_two_steps() {
    check(
        "a-lock-tested-and-set-in-two-steps",
        "assert",
        &expect![[r#"
        assertion `inside == 1` fails
          work#3 passes the test at line 6 with `locked` = 0; then work#2 writes `locked` = 1 (line 8), with which work#3 would not have passed.
          So both are past their tests: work#3 at line 6 and work#2 at line 6.
          The condition that fails at line 10 sees this: `inside` is 2, written by work#3 at line 9.
    "#]],
    );
}

#[test]
fn a_balance_that_leaves_its_type() {
    check(
        "a-balance-that-leaves-its-type",
        "overflow",
        &expect![[r#"
        signed overflow in `balance + 1`
          The condition that fails at line 7 sees this: `balance` is 2147483647, written by pay_in#2 at line 7.
    "#]],
    );
}

#[test]
fn a_divisor_that_becomes_zero_behind_a_test() {
    check(
        "a-divisor-that-becomes-zero-behind-a-test",
        "assert",
        &expect![[r#"
        the divisor is zero in `100 / parts`
          divide#3 passes the test at line 9 with `parts` = 1; then reset#2 writes `parts` = 0 (line 5), with which divide#3 would not have passed.
          The condition that fails at line 10 sees this: `parts` is 0, written by reset#2 at line 5.
    "#]],
    );
}
