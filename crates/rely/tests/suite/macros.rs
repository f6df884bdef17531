//! Programs with macros: runs are told in the words that somebody wrote, and no macro is torn apart.

use crate::support::{Directory, all_text, text};
use expect_test::expect;

const PROGRAM: &str = "\
#include <assert.h>
#include <pthread.h>
#define LOCK(m) pthread_mutex_lock(&(m))
#define UNLOCK(m) pthread_mutex_unlock(&(m))
#define INCREMENT(x) do { \\
    int seen = (x); \\
    (x) = seen + 1; \\
} while (0)
#define TWICE(a) a; a
#define CHECK(c) assert((c) && \"must hold\")
int counter, other;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *unused) {
    INCREMENT(counter);
    LOCK(m); TWICE(other++); UNLOCK(m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    CHECK(counter == 2); CHECK(other ==
                               4);
    return 0;
}
";

#[test]
fn statements_of_macros_are_what_was_written() {
    let directory = Directory::new().with("a.c", PROGRAM);
    let output = directory.rely(&["check", "-p", "assert", "--engine", "explore", "a.c"]);
    let said = text(&output.stdout);
    let lines = said.lines().filter(|line| line.contains('│'));
    let table: Vec<&str> = lines.filter_map(|line| line.strip_prefix("  ")).collect();
    assert!(!table.is_empty(), "{}", all_text(&output));
    expect![[r#"
          line │ main                 │ work#2          │ work#3          │ values
            19 │ pthread_t a, b;      │                 │                 │ a = 0, b = 0
            20 │ pthread_create(&a,   │                 │                 │ a = work#2
               │ 0, work, 0);         │                 │                 │
            20 │ pthread_create(&b,   │                 │                 │ b = work#3
               │ 0, work, 0);         │                 │                 │
            14 │                      │ INCREMENT(      │                 │ seen = 0
               │                      │ counter)        │                 │
            14 │                      │                 │ INCREMENT(      │ seen = 0
               │                      │                 │ counter)        │
            14 │                      │ INCREMENT(      │                 │ counter = 1
               │                      │ counter)        │                 │
            15 │                      │ LOCK(m);        │                 │ m = work#2
            15 │                      │ TWICE(other++)  │                 │ other = 1
            15 │                      │ TWICE(other++); │                 │ other = 2
            15 │                      │ UNLOCK(m);      │                 │ m = free
            21 │ pthread_join(a, 0);  │                 │                 │
            14 │                      │                 │ INCREMENT(      │ counter = 1
               │                      │                 │ counter)        │
            15 │                      │                 │ LOCK(m);        │ m = work#3
            15 │                      │                 │ TWICE(other++)  │ other = 3
            15 │                      │                 │ TWICE(other++); │ other = 4
            15 │                      │                 │ UNLOCK(m);      │ m = free
            21 │ pthread_join(b, 0);  │                 │                 │
            22 │ CHECK(counter == 2)  │                 │                 │ counter is 1
    "#]]
    .assert_eq(&(table.join("\n") + "\n"));
}
