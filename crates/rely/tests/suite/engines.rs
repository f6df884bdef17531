//! Small programs that start, join and detach threads in all ways: every engine says of them what
//! is right, or that it does not know, and no evidence is rejected.

use crate::support::Directory;

const HEAD: &str = "#include <pthread.h>\n#include <assert.h>\nint x, y; pthread_t h, a[3]; \
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int __VERIFIER_nondet_int(void);\n\
    void *inc(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }\n\
    void *one(void *p) { y = 1; return 0; }\n";

const ENGINES: [&str; 5] = ["portfolio", "explore", "rely-guarantee", "deductive", "parameterized"];

/// What stands before `main`, what stands in it, and the verdict.
const PROGRAMS: [(&str, &str, &str); 22] = [
    ("", "pthread_join((pthread_t)99, 0);", "unsafe"),
    ("", "pthread_join(h, 0);", "unsafe"),
    ("", "pthread_join(pthread_self(), 0);", "unsafe"),
    ("", "pthread_create(&h, 0, one, 0); if (y) h = 99; pthread_join(h, 0);", "safe"),
    ("", "pthread_create(&h, 0, one, 0); pthread_join(h + 1, 0); assert(y == 0);", "safe"),
    ("", "pthread_create(&h, 0, one, 0); pthread_join(h, 0); assert(y == 1);", "safe"),
    ("", "pthread_create(&h, 0, one, 0); pthread_join(h, 0); pthread_join(h, 0);", "unsafe"),
    ("", "pthread_create(&h, 0, one, 0); pthread_detach(h); assert(y == 0);", "unsafe"),
    (
        "",
        "for (int i = 0; i < 3; i++) pthread_create(a + i, 0, inc, 0); \
         for (int i = 0; i < 3; i++) pthread_join(a[i], 0); assert(x == 3);",
        "safe",
    ),
    ("", "for (int i = 0; i < 4; i++) pthread_create(a + i, 0, inc, 0);", "unsafe"),
    (
        "void *f(void *p) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, inc, 0); \
         return 0; }",
        "pthread_create(&h, 0, f, 0); pthread_join(h, 0);",
        "safe",
    ),
    (
        "void *f(void *p) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, inc, 0); \
         for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }",
        "pthread_create(&h, 0, f, 0); pthread_join(h, 0); assert(x >= 0);",
        "safe",
    ),
    (
        "void *f(void *p) { pthread_t t[2]; for (int i = 0; i < 2; i++) { pthread_create(&t[i], 0, one, 0); \
         pthread_detach(t[i]); } return 0; }",
        "pthread_create(&h, 0, f, 0); pthread_join(h, 0); assert(y == 0);",
        "unsafe",
    ),
    (
        "void *f(void *p) { pthread_create(&a[1], 0, one, 0); return 0; }",
        "pthread_create(&h, 0, f, 0); pthread_join(h, 0); pthread_join(a[1], 0); assert(y == 1);",
        "safe",
    ),
    (
        "void *f(void *p) { h = pthread_self(); return 0; }",
        "pthread_create(a, 0, f, 0); pthread_join(a[0], 0); assert(pthread_equal(h, a[0]));",
        "safe",
    ),
    (
        "void *f(void *p) { pthread_detach(pthread_self()); return 0; }",
        "pthread_create(&h, 0, f, 0); pthread_join(h, 0);",
        "unsafe",
    ),
    (
        "void *f(void *p) { pthread_join(h, 0); assert(x == 5); return 0; }",
        "h = pthread_self(); pthread_create(a, 0, f, 0); x = 5; pthread_exit(0);",
        "safe",
    ),
    (
        "void *f(void *p) { pthread_mutex_unlock(&m); return 0; }",
        "pthread_mutex_lock(&m); pthread_create(&h, 0, f, 0); pthread_join(h, 0);",
        "unsafe",
    ),
    (
        "void *f(void *p) { int l = 0; if (y) { pthread_mutex_lock(&m); l = 1; } x++; \
         if (l) pthread_mutex_unlock(&m); return 0; }",
        "pthread_create(&h, 0, f, 0); y = 1; f(0); pthread_join(h, 0);",
        "safe",
    ),
    ("", "pthread_create(&h, 0, inc, 0); pthread_mutex_destroy(&m);", "unsafe"),
    (
        "",
        "pthread_create(&h, 0, inc, 0); pthread_join(h, 0); pthread_mutex_destroy(&m); \
         pthread_mutex_init(&m, 0); inc(0); assert(x == 2);",
        "safe",
    ),
    (
        "void *f(void *p) { if (!pthread_mutex_trylock(&m)) { y++; assert(y == 1); y--; \
         pthread_mutex_unlock(&m); } return 0; }",
        "pthread_create(a, 0, f, 0); pthread_create(a + 1, 0, f, 0); f(0);",
        "safe",
    ),
];

#[test]
fn engines_agree_on_what_is_done_with_threads() {
    let directory = Directory::new();
    for (functions, statements, expected) in PROGRAMS {
        let text = format!("{HEAD}{functions}\nint main(void) {{ {statements} return 0; }}\n");
        directory.write("test.c", &text);
        for engine in ENGINES {
            let output = directory.rely(&["check", "-p", "assert", "--engine", engine, "test.c"]);
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            let words: Vec<&str> = told.split_whitespace().collect();
            assert!(!words.contains(&"rejected:"), "{engine}\n{text}\n{told}");
            let verdict = words.get(1).copied().unwrap_or("nothing");
            let may_not_know = !["portfolio", "explore"].contains(&engine);
            let is_right = verdict == expected || may_not_know && verdict == "unknown";
            assert!(is_right, "{engine} says {verdict}, not {expected}\n{text}\n{told}");
        }
    }
}
