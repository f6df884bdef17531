//! Programs that include the headers of the system, and where their messages point to.

use crate::common::{run_preprocessor, try_translate};
use rely_base::SourceMap;
use rely_c_front::CInput;
use rely_program::{CheckKind, Program};

fn preprocess(text: &str) -> CInput {
    let preprocessed = run_preprocessor("test.c", text);
    CInput { name: "test.c".into(), original: Some(text.into()), preprocessed, ..CInput::default() }
}

fn program(text: &str) -> (Program, SourceMap) {
    match try_translate(&preprocess(text)) {
        Ok(translated) => translated,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn headers_of_the_system_are_read() {
    let headers = [
        "pthread",
        "stdio",
        "stdlib",
        "stdatomic",
        "assert",
        "stdint",
        "stdbool",
        "unistd",
        "limits",
        "errno",
        "string",
        "semaphore",
        "time",
        "sched",
        "stddef",
        "inttypes",
        "ctype",
        "signal",
        "sys/types",
        "math",
    ];
    let includes: String = headers.iter().map(|header| format!("#include <{header}.h>\n")).collect();
    let (program, _) =
        program(&format!("{includes} int64_t x = INT64_MAX; int main(void) {{ x = UINT8_MAX; return 0; }}"));
    assert_eq!(program.vars().len(), 1);
}

#[test]
fn assertions_point_to_what_was_written() {
    let text = "#include <assert.h>\nint x;\nint main(void) {\n  x = 1; assert(x == 1 && \"why\");\n  return 0;\n}\n";
    let (program, sources) = program(text);
    let checks: Vec<(String, u32, &str)> = program
        .checks()
        .values()
        .map(|check| {
            let span = check.span.expect("assertions stand in the text");
            (check.message.clone(), sources.position(span).line, sources.text(span))
        })
        .collect();
    assert_eq!(checks, [("assertion `x == 1 && \"why\"` fails".into(), 4, "x == 1 && \"why\"")]);
}

#[test]
fn steps_point_to_statements() {
    let text = "#include <pthread.h>\n#define TWICE(v) v = v * 2\nint x;\nint main(void) {\n  x = 3;\n  TWICE(x);\n}\n";
    let (program, sources) = program(text);
    let spans: Vec<(u32, &str)> = program
        .edges()
        .values()
        .filter_map(|edge| edge.span)
        .map(|span| (sources.position(span).line, sources.text(span)))
        .collect();
    assert_eq!(spans[..3], [(5, "x = 3;"), (6, "TWICE(x);"), (6, "TWICE(x);")]);
}

#[test]
fn the_macros_of_stdatomic_work() {
    let text = "#include <stdatomic.h>\n#include <stdbool.h>\natomic_int x; atomic_flag f = ATOMIC_FLAG_INIT; atomic_bool b;\n\
        int main(void) { atomic_init(&x, 1); atomic_store(&x, 2); int v = atomic_load(&x);\n\
        v = atomic_exchange(&x, 4); bool ok = atomic_compare_exchange_strong(&x, &v, 5);\n\
        ok = atomic_compare_exchange_weak_explicit(&x, &v, 5, memory_order_acquire, memory_order_relaxed);\n\
        v = atomic_fetch_add(&x, 1) + atomic_fetch_sub_explicit(&x, 1, memory_order_relaxed);\n\
        atomic_fetch_or(&x, 1); atomic_fetch_and(&x, 3); atomic_fetch_xor(&x, 1);\n\
        while (atomic_flag_test_and_set(&f)); atomic_flag_clear(&f); atomic_thread_fence(memory_order_seq_cst);\n\
        atomic_store(&b, true); return ok + v; }\n";
    let (program, _) = program(text);
    assert!(program.assumptions().contains(&"sequential-consistency"));
    let runs = crate::common::explore(&program);
    assert_eq!(runs.ends.into_iter().collect::<Vec<_>>(), ["x=0 f.__val=0 b=1"]);
}

#[test]
fn mutexes_and_conditions_of_the_header_work() {
    let text = "#include <pthread.h>\n#include <stdio.h>\n#include <errno.h>\n\
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, r;\n\
        void *waiter(void *arg) { pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); r = ready;\n\
        pthread_mutex_unlock(&m); return NULL; }\n\
        int main(void) { pthread_t t; if (pthread_create(&t, NULL, waiter, NULL) != 0) { perror(\"no\"); return 1; }\n\
        pthread_mutex_lock(&m); ready = 7; pthread_cond_signal(&c); pthread_mutex_unlock(&m);\n\
        pthread_join(t, NULL); printf(\"%d\\n\", r); fprintf(stderr, \"x\"); return 0; }\n";
    let (program, _) = program(text);
    let runs = crate::common::explore(&program);
    assert!(runs.failures.is_empty() && !runs.deadlocks);
    assert!(runs.ends.iter().all(|end| end.contains("r=7")), "{:?}", runs.ends);
    assert!(program.checks().values().all(|check| check.kind != CheckKind::Assertion));
}
