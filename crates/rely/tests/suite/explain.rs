//! Explanations say nothing that the run does not show.
//!
//! Each sentence comes with the facts that it states. For every example that is violated they are
//! looked up in the interleaving of the same report; snapshots show how the sentences read.

use crate::support::{Directory, root, text};
use expect_test::{Expect, expect};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn report(arguments: &[&str]) -> Value {
    let directory = Directory::new();
    let mut all = vec!["check", "--explain", "--engine", "explore", "--format", "json"];
    all.extend(arguments);
    let output = directory.rely(&all);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

fn results(path: &str, properties: &str) -> Vec<Value> {
    let report = report(&["--property", properties, path]);
    report["files"][0]["results"].as_array().unwrap_or_else(|| panic!("{report}")).clone()
}

fn example(name: &str) -> String {
    root().join("examples").join(name).display().to_string()
}

fn index(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// Looks a fact up in a run, and returns what the sentence must mention because of it.
fn check_fact(fact: &Value, result: &Value) -> Vec<String> {
    let run = &result["interleaving"];
    let steps = run["steps"].as_array().expect("steps");
    let (variable, value) = (&fact["variable"], &fact["value"]);
    let thread_of =
        |step: usize| run["threads"][index(&steps[step]["thread"])].as_str().expect("a name").to_owned();
    let line_of = |step: usize| steps[step]["place"]["line"].as_u64().map(|line| format!("line {line}"));
    let quoted = || format!("`{}`", variable.as_str().expect("a name"));
    match fact["fact"].as_str().expect("a word") {
        "read" => {
            let step = index(&fact["step"]);
            let found = steps[step]["reads"].as_array().expect("reads");
            let is_so = found.iter().any(|read| read["variable"] == *variable && read["value"] == *value);
            assert!(is_so, "{fact} is not what {} does", steps[step]);
            vec![quoted(), value.as_str().expect("a value").to_owned()]
        }
        "write" => {
            let step = index(&fact["step"]);
            let found = steps[step]["writes"].as_array().expect("writes");
            let is_so = found.iter().any(|write| write["variable"] == *variable && write["new"] == *value);
            assert!(is_so, "{fact} is not what {} does", steps[step]);
            let line = line_of(step);
            [quoted(), thread_of(step)].into_iter().chain(line).collect()
        }
        "test" => {
            let step = index(&fact["step"]);
            let operations = steps[step]["operations"].as_str().expect("operations");
            assert!(operations.contains('['), "{operations} has no condition");
            [thread_of(step)].into_iter().chain(line_of(step)).collect()
        }
        "untouched" => {
            let before = &steps[..index(&fact["step"])];
            let writes = before.iter().flat_map(|step| step["writes"].as_array().expect("writes"));
            assert!(writes.clone().all(|write| write["variable"] != *variable), "{fact}: somebody writes it");
            let initial = run["initial"].as_array().expect("values");
            let is_so =
                initial.iter().any(|first| first["variable"] == *variable && first["value"] == *value);
            assert!(is_so, "{fact} is not its first value");
            vec![quoted(), value.as_str().expect("a value").to_owned()]
        }
        "ahead" => {
            assert_is_written(fact, steps);
            thread_and_line(fact)
        }
        "stands" => {
            assert_eq!(result["violation"]["kind"], "lasso", "{fact}");
            thread_and_line(fact)
        }
        "waits" => {
            let waiting = result["violation"]["waiting"].as_array().expect("a list");
            assert!(waiting.iter().any(|waiting| waiting["thread"] == fact["thread"]), "{fact}");
            vec![fact["thread"].as_str().expect("a name").to_owned()]
        }
        other => panic!("there is no such fact: {other}"),
    }
}

fn thread_and_line(fact: &Value) -> Vec<String> {
    vec![fact["thread"].as_str().expect("a name").to_owned(), format!("line {}", index(&fact["line"]))]
}

/// The variable of a fact stands in its line.
fn assert_is_written(fact: &Value, steps: &[Value]) {
    let place = steps.iter().find_map(|step| step["place"]["file"].as_str()).expect("a file");
    let source = std::fs::read_to_string(root().join(place)).expect("the source can be read");
    let name = fact["variable"].as_str().expect("a name").rsplit('.').next().unwrap_or_default();
    let name = name.split('[').next().unwrap_or_default();
    let said = source.lines().nth(index(&fact["line"]) - 1).unwrap_or_default();
    assert!(said.contains(name), "{fact}: {said}");
}

/// Checks every sentence of a result; facts of a sentence that tells an order come in this order.
pub fn check_sentences(result: &Value) -> usize {
    let sentences = result["explanation"].as_array().expect("every result is explained");
    for sentence in sentences {
        let said = sentence["text"].as_str().expect("a text");
        let facts = sentence["facts"].as_array().expect("facts");
        // Values that are not told because there are too many still have to be right.
        let is_complete = !said.contains(" this: ");
        for fact in facts {
            for mentioned in check_fact(fact, result) {
                assert!(!is_complete || said.contains(&mentioned), "`{mentioned}` is missing in: {said}");
            }
        }
        if said.contains(" then ") {
            let steps: Vec<usize> = facts.iter().map(|fact| index(&fact["step"])).collect();
            assert!(steps.is_sorted(), "{said}: {steps:?}");
        }
        // Whatever is quoted as a number of a line is that of a step, of a thread that waits, or still ahead.
        let lines =
            said.split("line ").skip(1).map(|rest| rest.chars().take_while(char::is_ascii_digit).collect());
        let is_line = |line: &String| {
            let is_at =
                |place: &Value| place["line"].as_u64().is_some_and(|known| known.to_string() == *line);
            let steps = result["interleaving"]["steps"].as_array().expect("steps").iter();
            let waiting = result["violation"]["waiting"].as_array().expect("a list").iter();
            let is_ahead = facts.iter().any(is_at);
            is_ahead || steps.chain(waiting).any(|told| is_at(&told["place"]))
        };
        for line in lines.filter(|line: &String| !line.is_empty()) {
            assert!(is_line(&line), "line {line} is none of this run: {said}");
        }
    }
    sentences.len()
}

/// The properties that a program says are violated.
fn violated(path: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(path).expect("the example can be read");
    let expectations = source.lines().filter_map(|line| line.trim().strip_prefix("// expect"));
    let unsafe_ones = expectations.filter(|rest| rest.contains(": unsafe"));
    let property = |rest: &str| match rest.strip_prefix('(') {
        Some(named) => named.split(')').next().unwrap_or(named).to_owned(),
        None => "assert".to_owned(),
    };
    unsafe_ones.map(property).collect()
}

#[test]
fn every_sentence_about_an_example_is_true() {
    let entries = std::fs::read_dir(root().join("examples")).expect("there are examples");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    paths.sort();
    let (mut violations, mut told) = (0, 0);
    for path in &paths {
        for property in violated(path) {
            let name = path.display().to_string();
            let result = &results(&name, &property)[0];
            assert_eq!(result["verdict"], "unsafe", "{name}");
            if property == "race" {
                // No step does anything wrong, so the sentences are about the end of the run.
                assert!(!sentences(result).is_empty(), "{name}");
                continue;
            }
            if property.ends_with("termination") {
                // The steps of the loop say it all.
                let message = result["violation"]["message"].as_str().expect("a message");
                assert!(message.contains("for ever"), "{name}: {message}");
                continue;
            }
            let sentences = check_sentences(result);
            assert!(sentences > 0, "{name}: {} is not explained", result["violation"]);
            violations += 1;
            told += sentences;
        }
    }
    assert!(violations >= 15 && told >= 25, "{violations} violations, {told} sentences");
}

fn sentences(result: &Value) -> String {
    let sentences = result["explanation"].as_array().expect("an explanation").iter();
    sentences.map(|sentence| format!("{}\n", sentence["text"].as_str().expect("a text"))).collect()
}

fn check(name: &str, property: &str, expected: &Expect) {
    let results = results(&example(name), property);
    expected.assert_eq(&sentences(&results[0]));
}

#[test]
fn a_lock_that_only_one_of_two_threads_holds() {
    check(
        "data-race.c",
        "race",
        &expect![[r#"
        deposit#2 holds `lock` and main does not: the access of main would have to be protected by it, too.
        deposit#2 was created by main (line 18), and nobody has waited for its end.
    "#]],
    );
}

/// An access is shown with the functions around it.
#[test]
fn accesses_that_race_have_their_calls() {
    let path = root().join("crates/rely/tests/races/called-functions.c");
    let results = results(&path.display().to_string(), "race");
    let accesses = &results[0]["violation"]["race"]["accesses"];
    assert_eq!(accesses[0]["calls"], serde_json::json!(["careful", "add_carefully", "add"]), "{accesses}");
    assert_eq!(accesses[1]["calls"], serde_json::json!(["hasty", "add"]), "{accesses}");
}

#[test]
fn a_test_that_is_passed_too_early() {
    check(
        "peterson-broken.rely",
        "assert",
        &expect![[r#"
            T1 passes the test at line 19 with `flag0` = 0; then T0 writes `flag0` = 1 (line 10), with which T1 would not have passed.
            So both are past their tests: T1 at line 19 and T0 at line 11.
            T0 passes the test at line 11 though it has written `turn` = 1 itself (line 9): T1 has overwritten that with 0 (line 17).
            In the end T0 stands at `cs` and T1 stands at `cs`.
        "#]],
    );
    check(
        "peterson-wrong-order.c",
        "assert",
        &expect![[r#"
            second#3 passes the test at line 29 with `wants[0]` = 0; then first#2 writes `wants[0]` = 1 (line 14), with which second#3 would not have passed.
            So both are past their tests: second#3 at line 29 and first#2 at line 15.
            first#2 passes the test at line 15 though it has written `turn` = 1 itself (line 13): second#3 has overwritten that with 0 (line 27).
            The condition that fails at line 20 sees this: `inside` is 2, written by second#3 at line 31.
        "#]],
    );
    check(
        "test-then-set.rely",
        "assert",
        &expect![[r#"
        W[1] passes the test at line 9 with `taken` = false; then W[0] writes `taken` = true (line 10), with which W[1] would not have passed.
        So both are past their tests: W[1] at line 9 and W[0] at line 9.
        The condition that fails at line 12 sees this: `inside` is 2, written by W[1] at line 11.
    "#]],
    );
    check(
        "bakery-without-choosing.rely",
        "assert",
        &expect![[r#"
        W[1] passes the test at line 14 with `number[0]` = 0; then W[0] writes `number[0]` = 1 (line 11), with which W[1] would not have passed.
        So both are past their tests: W[1] at line 14 and W[0] at line 14.
        In the end W[0] stands at `cs` and W[1] stands at `cs`.
    "#]],
    );
    check(
        "bluetooth.rely",
        "assert",
        &expect![[r#"
            user passes the test at line 15 with `stopping` = false; then stopper writes `stopping` = true (line 35), with which user would not have passed.
            The condition that fails at line 24 sees this: `stopped` is true, written by stopper at line 43.
        "#]],
    );
}

#[test]
fn an_update_that_is_lost() {
    check(
        "racy-counter.c",
        "assert",
        &expect![[r#"
        increment#3 reads `counter` = 0 (line 11), then increment#2 writes `counter` = 1 (line 11), then increment#3 writes `counter` = 1 (line 11) from the 0 that it had read: what increment#2 wrote is lost.
        The condition that fails at line 21 sees this: `counter` is 1, written by increment#3 at line 11.
    "#]],
    );
}

#[test]
fn threads_that_wait_for_each_other() {
    check(
        "lock-order.c",
        "deadlock",
        &expect![[r#"
        left_first#2 took `left` (line 14) and waits for `right` (line 15), which right_first#3 took (line 23).
        right_first#3 took `right` (line 23) and waits for `left` (line 24), which left_first#2 took (line 14).
        So left_first#2 and right_first#3 wait for each other.
        main waits for the end of left_first#2 (line 35).
    "#]],
    );
    check(
        "philosophers.rely",
        "deadlock",
        &expect![[r#"
        Philosopher[0] took `fork[0]` (line 12) and waits for `fork[1]` (line 13), which Philosopher[1] took (line 12).
        Philosopher[1] took `fork[1]` (line 12) and waits for `fork[2]` (line 13), which Philosopher[2] took (line 12).
        Philosopher[2] took `fork[2]` (line 12) and waits for `fork[0]` (line 13), which Philosopher[0] took (line 12).
        So each waits for the next: Philosopher[0], Philosopher[1], Philosopher[2], Philosopher[0].
    "#]],
    );
}

#[test]
fn values_that_come_too_early_or_too_late() {
    check(
        "order-violation.rely",
        "assert",
        &expect![[r#"
            The condition that fails at line 18 sees this: `handle` still has its first value, 0, because creator has yet to write it (line 13).
        "#]],
    );
    check(
        "double-checked.c",
        "assert",
        &expect![[r#"
            The condition that fails at line 28 sees this: `value` still has its first value, 0, because user#2 has yet to write it (line 18).
        "#]],
    );
    check(
        "bounded-buffer-overwritten.c",
        "assert",
        &expect![[r#"
            The condition that fails at line 29 sees this: `consumed` still has its first value, 0; `buffer[0]` is 3, written by producer#2 at line 18.
        "#]],
    );
    check(
        "triple-too-strong.rely",
        "assert",
        &expect![[r#"
        The property sees this: `x` is 21, written by A at line 11.
    "#]],
    );
}

fn check_text(source: &str, arguments: &[&str], expected: &Expect) {
    check_program("a.rely", source, arguments, expected);
}

fn check_c(source: &str, arguments: &[&str], expected: &Expect) {
    check_program("a.c", source, arguments, expected);
}

fn check_program(name: &str, source: &str, arguments: &[&str], expected: &Expect) {
    let directory = Directory::new().with(name, source);
    let path = directory.path(name).display().to_string();
    let mut all = vec!["check", "--explain", "--format", "json"];
    all.extend(arguments);
    all.push(&path);
    let output = directory.rely(&all);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    expected.assert_eq(&sentences(&report["files"][0]["results"][0]));
}

#[test]
fn a_thread_that_waits_for_itself_or_for_a_value() {
    let twice = "var m: mutex;\nthread A {\n    lock(m);\n    lock(m);\n}\ndeadlock-free;\n";
    check_text(
        twice,
        &["--engine", "explore", "-p", "deadlock"],
        &expect![[r#"
        A took `m` (line 3) and waits for `m` (line 4), which it took itself (line 3).
        So A waits for itself.
    "#]],
    );
    let never =
        "var go: int = 0;\nthread A {\n    await go == 1;\n}\nthread B {\n    go := 2;\n}\ndeadlock-free;\n";
    check_text(
        never,
        &["--engine", "explore", "-p", "deadlock"],
        &expect![[r#"
            A waits for `go` (line 3), which is 2 since B wrote it (line 6); nobody is left who could change that.
        "#]],
    );
}

#[test]
fn proofs_name_what_matters() {
    let lock = std::fs::read_to_string(example("lock-id.rely")).expect("the example exists");
    check_text(
        &lock,
        &["--engine", "rely-guarantee"],
        &expect![[r#"
        The key: whenever T1 is at b, `lock == 1` holds, whatever the others do.
        The proof speaks of each thread without mentioning the places or locals of the others.
    "#]],
    );
    let small = "var x: int = 0;\nthread A { x := 1; }\ninvariant x <= 1;\n";
    check_text(
        small,
        &["--engine", "explore"],
        &expect![[r#"
        All states that the threads can reach were visited: 2. `assert` holds in all of them.
    "#]],
    );
}

#[test]
fn unknown_results_say_what_comes_next() {
    let endless = "var x: int = 0;\nthread A { while true { x := x + 1; } }\ninvariant x >= 0;\n";
    let directory = Directory::new().with("a.rely", endless);
    let output = directory.rely(&["check", "--explain", "--engine", "explore", "--memory", "1", "a.rely"]);
    let said = text(&output.stdout);
    for part in [
        "Tried: the engine `explore`, which came to ",
        "It got stuck: ",
        "Next: give the loop around line 2 a small bound, or allow more memory",
    ] {
        assert!(said.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{part}: {said}");
    }
}

#[test]
fn signals_that_nobody_gets() {
    check(
        "lost-wakeup.c",
        "deadlock",
        &expect![[r#"
        main waits for a signal of `arrived` (line 30), and will get none: producer#2 sent one (line 21) when nobody waited, and such a signal is lost.
    "#]],
    );
    let program = |main: &str| {
        format!(
            "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\npthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
             void *f(void *p) {{\n  pthread_mutex_lock(&m);\n  pthread_cond_wait(&c, &m);\n  pthread_mutex_unlock(&m);\n  return 0;\n}}\n\
             int main(void) {{\n  pthread_t a, b;\n{main}\n  return 0;\n}}\n"
        )
    };
    let only = ["--property", "deadlock"];
    let none = "  pthread_create(&a, 0, f, 0);\n  pthread_join(a, 0);";
    check_c(
        &program(none),
        &only,
        &expect![[r#"
        main waits for the end of f#2 (line 13).
        f#2 waits for a signal of `c` (line 6), and nobody has sent one.
    "#]],
    );
    let one = "  pthread_create(&a, 0, f, 0);\n  pthread_create(&b, 0, f, 0);\n  pthread_mutex_lock(&m);\n  \
               pthread_cond_signal(&c);\n  pthread_mutex_unlock(&m);\n  pthread_join(a, 0);\n  pthread_join(b, 0);";
    check_c(
        &program(one),
        &only,
        &expect![[r#"
            main waits for the end of f#2 (line 17).
            f#2 waits for a signal of `c` (line 6), and will get none: main sent one (line 15) when nobody waited, and such a signal is lost.
            f#3 waits for a signal of `c` (line 6), and will get none: main sent one (line 15) when nobody waited, and such a signal is lost.
        "#]],
    );
}

#[test]
fn memory_that_somebody_has_freed() {
    check(
        "double-free.c",
        "memory",
        &expect![[r#"
            worker#2 passes the test at line 18 though it has written `users` = 1 itself (line 15): worker#3 has overwritten that with 0 (line 15).
            Here (line 18) this is so: `buffer` is &heap, written by main at line 25; the memory was allocated by main at line 25 and freed by worker#2 at line 18.
        "#]],
    );
    check(
        "use-after-free.c",
        "memory",
        &expect![[r#"
            Here (line 22) this is so: `message` is &heap, written by main at line 29; the memory was allocated by main at line 29 and freed by done#2 at line 23.
        "#]],
    );
}

/// What an unknown result names is what would have to be smaller.
#[test]
fn unknown_results_name_what_to_change() {
    let limit = ["--engine", "explore", "--memory", "1", "--property", "assert"];
    let mut told = String::new();
    for source in [
        "var x: int = 0;\nthread A { while true { x := x + 1; } }\nnever x < 0;\n",
        "var x: int = 0;\nthread A {\n    while x >= 0 {\n        x := x + 2;\n    }\n}\nnever x == 7;\n",
        "var x: int = 0;\nprocess P { x := x + 1; }\nthread M {\n    while true {\n        spawn P;\n    }\n}\nnever x < 0;\n",
        "var x: int = 0;\nvar y: int = 0;\nthread A {\n    havoc y;\n    x := y * y;\n}\nnever x == 17;\n",
        "var x: int = 0;\nthread A { while true { x := x + 1; } }\nthread B { while true { x := x - 1; } }\nnever x == 1000000;\n",
        "var x: int = 0;\nvar go: bool = false;\nthread A {\n    await go;\n    while true { x := x + 1; }\n}\nthread B { go := true; }\nnever x < 0;\n",
    ] {
        let directory = Directory::new().with("a.rely", source);
        let output = directory.rely(&[&["check", "--format", "json"], &limit[..], &["a.rely"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let result = &report["files"][0]["results"][0];
        told += &format!("{}: {}\n  next: {}\n", result["verdict"], result["reason"], result["advice"]);
    }
    for body in [
        "int n = __VERIFIER_nondet_int();\n  int i = 0;\n  while (i < n) {\n    i++;\n  }\n  assert(i != 77777);",
        "int n = __VERIFIER_nondet_int();\n  assert(n * n != 49);",
        "while (1) {\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n  }",
        "for (unsigned i = 0; i < 4000000000u; i++) {\n    hits = i;\n  }\n  assert(hits != 7);",
    ] {
        let text = format!(
            "#include <assert.h>\n#include <pthread.h>\nint __VERIFIER_nondet_int(void);\nunsigned hits;\n\
             void *f(void *p) {{ hits++; assert(hits < 100000000); return 0; }}\nint main(void) {{\n  {body}\n  return 0;\n}}\n"
        );
        let directory = Directory::new().with("a.c", text);
        let output = directory.rely(&[&["check", "--format", "json"], &limit[..], &["a.c"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let result = &report["files"][0]["results"][0];
        told += &format!("{}: {}\n  next: {}\n", result["verdict"], result["reason"], result["advice"]);
    }
    expect![[r#"
        "unknown": "the memory limit was reached"
          next: "give the loop around line 2 a small bound, or allow more memory with `--memory`, or make the state space smaller"
        "unknown": "the memory limit was reached"
          next: "give the loop around line 3 a small bound, or allow more memory with `--memory`, or make the state space smaller"
        "unknown": "the memory limit was reached"
          next: "start fewer `P` in line 5, a small fixed number, or allow more memory with `--memory`, or make the state space smaller"
        "unknown": "not all values of a nondeterministic choice can be tried; those that were sampled show no violation"
          next: "give the input in line 4 a small range, as by an assumption, and all of it is explored"
        "unknown": "the memory limit was reached"
          next: "give the loop around line 2 a small bound, or allow more memory with `--memory`, or make the state space smaller"
        "unknown": "the memory limit was reached"
          next: "give the loop around line 5 a small bound, or allow more memory with `--memory`, or make the state space smaller"
        "unknown": "the memory limit was reached"
          next: "give the input in line 7 a small range, as by an assumption, or allow more memory with `--memory`, or make the state space smaller"
        "unknown": "not all values of a nondeterministic choice can be tried; those that were sampled show no violation"
          next: "give the input in line 7 a small range, as by an assumption, and all of it is explored"
        "unknown": "the memory limit was reached"
          next: "start fewer `f` in line 9, a small fixed number, or allow more memory with `--memory`, or make the state space smaller"
        "unknown": "the memory limit was reached"
          next: "give the loop around line 7 a small bound, or allow more memory with `--memory`, or make the state space smaller"
    "#]].assert_eq(&told);
}
