//! What concurrent programs can do, by running all interleavings.

use crate::common::{Runs, explore, program};

const PRELUDE: &str = "typedef unsigned long pthread_t; typedef union { char c[40]; } pthread_mutex_t; \
    typedef union { char c[48]; } pthread_cond_t; \
    int pthread_create(pthread_t *, void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **); \
    void pthread_exit(void *); pthread_t pthread_self(void); int pthread_mutex_lock(pthread_mutex_t *); \
    int pthread_mutex_trylock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *); \
    void abort(void); void exit(int); void __VERIFIER_assume(int); void __VERIFIER_error(void); ";

fn runs(text: &str) -> Runs {
    explore(&program(&format!("{PRELUDE} {text}")))
}

/// The values that the global `r` can end with.
fn results(runs: &Runs) -> Vec<i128> {
    let value = |end: &String| {
        let field = end.split(' ').find_map(|field| field.strip_prefix("r="))?;
        field.parse().ok()
    };
    let mut results: Vec<i128> = runs.ends.iter().filter_map(value).collect();
    results.sort_unstable();
    results.dedup();
    results
}

/// The values that the global `r` can end with; nothing fails and nothing gets stuck.
fn check(text: &str, expected: &[i128]) {
    let runs = runs(text);
    assert!(runs.failures.is_empty(), "{:?}\n{text}", runs.failures);
    assert!(!runs.deadlocks, "{text}");
    assert_eq!(results(&runs), expected, "{text}");
}

/// Two threads that run `f` and `g`, and are joined.
fn two(globals: &str, f: &str, g: &str) -> String {
    format!(
        "{globals} void *f(void *p) {{ {f} return 0; }} void *g(void *p) {{ {g} return 0; }} int main() {{ \
         pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0); pthread_join(s, 0); \
         pthread_join(t, 0); return 0; }}"
    )
}

/// A thread that returns a pointer to 7, joined by some statements.
fn joined(statements: &str) -> String {
    format!(
        "int r, seven = 7; void *f(void *p) {{ return &seven; }} int main() {{ void *v = &r; pthread_t t; \
         pthread_create(&t, 0, f, 0); {statements} return 0; }}"
    )
}

#[test]
fn a_null_pointer_for_the_result_of_a_thread_need_not_be_a_constant() {
    check(&joined("pthread_join(t, 0); r = 5;"), &[5]);
    check(&joined("pthread_join(t, &v); r = *(int *)v;"), &[7]);
    check(&joined("void *n = 0; void **w = (void **)n; pthread_join(t, w); r = 5;"), &[5]);
    check(&joined("void **w = r ? &v : 0; pthread_join(t, w); r = v == &r;"), &[1]);
    check(&joined("void **w = !r ? &v : 0; pthread_join(t, w); r = *(int *)v;"), &[7]);
}

#[test]
fn increments_race_unless_they_are_atomic() {
    check(&two("int r;", "r++;", "r++;"), &[1, 2]);
    check(&two("int r;", "r = r + 1;", "r += 1;"), &[1, 2]);
    check(&two("_Atomic int r;", "r++;", "r += 1;"), &[2]);
    check(&two("_Atomic int r;", "r = r + 1;", "r++;"), &[1, 2]);
    check(&two("int r;", "__sync_fetch_and_add(&r, 1);", "__atomic_add_fetch(&r, 1, 5);"), &[2]);
    check(
        &two(
            "int r; pthread_mutex_t m;",
            "pthread_mutex_lock(&m); r++; pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); r++; pthread_mutex_unlock(&m);",
        ),
        &[2],
    );
    check(
        &two(
            "int r;",
            "__VERIFIER_atomic_begin(); r++; __VERIFIER_atomic_end();",
            "__VERIFIER_atomic_begin(); r++; __VERIFIER_atomic_end();",
        ),
        &[2],
    );
    check(
        &two(
            "int r; void __VERIFIER_atomic_inc(int *p) { *p = *p + 1; }",
            "__VERIFIER_atomic_inc(&r);",
            "__VERIFIER_atomic_inc(&r);",
        ),
        &[2],
    );
    check(
        &two(
            "int r; int __VERIFIER_atomic_next() { return ++r; }",
            "__VERIFIER_atomic_next();",
            "int x = __VERIFIER_atomic_next(); if (x == 1) r += 10;",
        ),
        &[2, 11, 12],
    );
}

#[test]
fn statements_read_shared_variables_one_by_one() {
    check(&two("int x, y, r;", "x = 1; y = 1;", "r = x * 10 + y;"), &[0, 1, 10, 11]);
    check(&two("int x, y, r;", "y = 1; x = 1;", "r = x * 10 + y;"), &[0, 1, 11]);
    check(&two("int x, y, r;", "x = 1; y = 1;", "r = y && !x;"), &[0]);
    check(&two("int x, y, r;", "x = 1; y = 1;", "r = !x && y;"), &[0, 1]);
    check(
        &two("int x, y, r;", "x = 1; y = 1;", "int a[2] = { x, y }; r = a[0] * 10 + a[1];"),
        &[0, 1, 10, 11],
    );
    check(&two("int x, r;", "x = 1;", "r = x == x;"), &[0, 1]);
    check(&two("int x, r;", "x = 1;", "r = x ? x : 5;"), &[1, 5]);
    check(&two("int x, a[2] = { 4, 5 }, r;", "x = 1; a[0] = 6;", "r = a[x];"), &[4, 5, 6]);
    check(
        &two(
            "int x, y, r;",
            "x = 1; y = 1;",
            "__VERIFIER_atomic_begin(); int s = x, t = y; __VERIFIER_atomic_end(); r = s * 10 + t;",
        ),
        &[0, 10, 11],
    );
    check(
        &two("struct s { int a, b; } x, y; int r;", "x.a = 1; x.b = 1;", "y = x; r = y.a * 10 + y.b;"),
        &[0, 1, 10, 11],
    );
    check(&two("int x, r; int get(void) { return x; }", "x = 1;", "r = get() + get();"), &[0, 1, 2]);
}

#[test]
fn locks_hold() {
    check(
        &two(
            "int r; pthread_mutex_t m;",
            "if (!pthread_mutex_trylock(&m)) { r++; pthread_mutex_unlock(&m); }",
            "if (pthread_mutex_trylock(&m) == 0) { r++; pthread_mutex_unlock(&m); }",
        ),
        &[1, 2],
    );
    check(
        &two(
            "_Bool l; int r;",
            "while (__sync_lock_test_and_set(&l, 1)); r++; __sync_lock_release(&l);",
            "while (__atomic_test_and_set(&l, 5)); r++; __atomic_clear(&l, 5);",
        ),
        &[2],
    );
    check(
        &two(
            "int l, r; void __VERIFIER_atomic_acquire(void) { __VERIFIER_assume(l == 0); l = 1; }",
            "__VERIFIER_atomic_acquire(); r++; l = 0;",
            "__VERIFIER_atomic_acquire(); r++; l = 0;",
        ),
        &[2],
    );
    let stuck = runs(&two(
        "pthread_mutex_t m, n;",
        "pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
    ));
    assert!(stuck.deadlocks && stuck.failures.is_empty());
    let relocked = runs("pthread_mutex_t m; int main() { pthread_mutex_lock(&m); pthread_mutex_lock(&m); }");
    assert!(relocked.deadlocks && relocked.ends.is_empty());
}

#[test]
fn the_program_ends_with_main() {
    check(
        "int r; void *f(void *p) { r = 1; r = 2; return 0; } int main() { pthread_t t; \
        pthread_create(&t, 0, f, 0); return 0; }",
        &[0, 1, 2],
    );
    check(
        "int r; void *f(void *p) { r = 1; r = 2; return 0; } int main() { pthread_t t; \
        pthread_create(&t, 0, f, 0); pthread_exit(0); }",
        &[2],
    );
    check(
        "int r; void *f(void *p) { r = 1; exit(3); r = 2; return 0; } int main() { pthread_t t; \
        pthread_create(&t, 0, f, 0); pthread_join(t, 0); r = 5; }",
        &[1],
    );
    check(
        "int r; void stop(void) { pthread_exit(0); } void *f(void *p) { stop(); r = 2; return 0; } \
        int main() { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }",
        &[0],
    );
    check(
        "int r; void *g(void *p) { r++; return 0; } void *f(void *p) { pthread_t t; pthread_create(&t, 0, g, 0); \
        pthread_join(t, 0); return 0; } int main() { pthread_t t; pthread_create(&t, 0, f, 0); f(0); \
        pthread_join(t, 0); }",
        &[1, 2],
    );
    check(
        "__thread int x; int r; void *f(void *p) { x++; x++; r = x; return 0; } int main() { pthread_t t; x = 7; \
        pthread_create(&t, 0, f, 0); pthread_join(t, 0); r = r * 10 + x; }",
        &[27],
    );
    check(
        "int r; pthread_t o; void *f(void *p) { r = pthread_self() != o; return 0; } int main() { pthread_t t; \
        o = pthread_self(); pthread_create(&t, 0, f, 0); pthread_join(t, 0); }",
        &[1],
    );
}

#[test]
fn errors_are_found() {
    let fails = |text: &str, expected: &[&str]| {
        let found: Vec<String> = runs(text).failures.into_iter().collect();
        assert_eq!(found, expected, "{text}");
    };
    fails(&two("int x;", "x = 1;", "if (x) __VERIFIER_error();"), &["`__VERIFIER_error` is called"]);
    fails(&two("int x;", "x = 1;", "__VERIFIER_assert(x == 0);"), &["assertion `x == 0` fails"]);
    fails(
        &two("int x; void assert(int);", "x = 1;", "assert(!x || x > 1);"),
        &["assertion `!x || x > 1` fails"],
    );
    fails(
        "int x; void reach_error() { } int main() { if (!x) reach_error(); }",
        &["`reach_error` is called"],
    );
    fails("int x; int main() { if (!x) { ERROR: goto ERROR; } }", &["label `ERROR` is reached"]);
    fails("int x; int main() { if (!x) { ERROR: ; x = 1; } }", &[]);
    fails("int x; int main() { __VERIFIER_assume(x); __VERIFIER_error(); }", &[]);
    fails(
        "int x; void __VERIFIER_assert(int c) { if (!c) { ERROR: __VERIFIER_error(); } } \
        int main() { __VERIFIER_assert(x == 1); }",
        &["`__VERIFIER_error` is called"],
    );
    fails("int main() { abort(); __VERIFIER_error(); }", &[]);
    fails(
        &two(
            "int x; _Bool __VERIFIER_nondet_bool(void);",
            "if (__VERIFIER_nondet_bool()) x = 1;",
            "__VERIFIER_atomic_begin(); __VERIFIER_assert(!x); __VERIFIER_atomic_end();",
        ),
        &["assertion `!x` fails"],
    );
}

#[test]
fn nondeterministic_values_are_all_tried() {
    check("int r; int main() { r = __VERIFIER_nondet_bool(); }", &[0, 1]);
    check("int r; int main() { if (__VERIFIER_nondet_int()) r = 1; else r = 2; }", &[1, 2]);
    check(
        "int r; int main() { switch (__VERIFIER_nondet_int()) { case 1: r = 1; break; case 2: r = 2; break; \
        default: r = 3; } }",
        &[1, 2, 3],
    );
    check(
        "int r; int main() { int x = __VERIFIER_nondet_uchar(); __VERIFIER_assume(x < 3); r = x; }",
        &[0, 1, 2],
    );
    check("int r; int main() { _Bool u; r = u; }", &[0, 1]);
    check("int r; int f(void) { } int main() { r = f() == 2; }", &[0, 1]);
    check("int r; int main() { while (__VERIFIER_nondet_int()) { if (++r == 3) break; } }", &[0, 1, 2, 3]);
}

const COUNTERS: &str = "typedef union { char c[32]; } sem_t; typedef union { char c[56]; } pthread_rwlock_t; \
    int sem_init(sem_t *, int, unsigned); int sem_wait(sem_t *); int sem_trywait(sem_t *); int sem_post(sem_t *); \
    int sem_getvalue(sem_t *, int *); int sem_destroy(sem_t *); int pthread_rwlock_init(pthread_rwlock_t *, void *); \
    int pthread_rwlock_rdlock(pthread_rwlock_t *); int pthread_rwlock_wrlock(pthread_rwlock_t *); \
    int pthread_rwlock_tryrdlock(pthread_rwlock_t *); int pthread_rwlock_trywrlock(pthread_rwlock_t *); \
    int pthread_rwlock_unlock(pthread_rwlock_t *); int pthread_rwlock_destroy(pthread_rwlock_t *); ";

/// The values that `r` can end with if `f` and `g` run after `before`.
fn check_counters(globals: &str, before: &str, f: &str, g: &str, expected: &[i128]) {
    let text = two(&format!("{COUNTERS} {globals}"), f, g);
    let started = "int main() { pthread_t s, t; ";
    check(&text.replace(started, &format!("{started} {before} ")), expected);
}

#[test]
fn semaphores_hold_numbers() {
    let section = "sem_wait(&z); r++; sem_post(&z);";
    check_counters("int r; sem_t z;", "sem_init(&z, 0, 1);", section, section, &[2]);
    check_counters("int r; sem_t z;", "sem_init(&z, 0, 2);", section, section, &[1, 2]);
    check_counters("int r; sem_t z;", "", "sem_wait(&z); r *= 2;", "r = 3; sem_post(&z);", &[6]);
    let tries = "if (sem_trywait(&z) == 0) __sync_fetch_and_add(&r, 1);";
    check_counters("int r; sem_t z;", "int n = 1; sem_init(&z, 0, n);", tries, tries, &[1]);
    check_counters("int r; sem_t z;", "", "sem_post(&z); sem_post(&z);", "sem_getvalue(&z, &r);", &[0, 1, 2]);
    let inside = "sem_wait(&w->z); w->n++; r = w->n; sem_post(&w->z);";
    let structure = "int r; struct pair { int n; sem_t z; } q, *w = &q;";
    check_counters(structure, "sem_init(&w->z, 0, 1);", inside, inside, &[2]);
    let waits = runs(&two(&format!("{COUNTERS} int r; sem_t z;"), "sem_wait(&z);", "sem_destroy(&z);"));
    assert!(waits.deadlocks);
}

/// What does not fit into a semaphore is refused, and the semaphore stays as it is.
#[test]
fn semaphores_hold_no_larger_numbers_than_they_can() {
    let tells =
        |value: &str| format!("int v; r = sem_init(&z, 0, {value}); sem_getvalue(&z, &v); r = 10 * r + v;");
    check_counters("int r; sem_t z;", &tells("3"), "", "", &[3]);
    check_counters("int r; sem_t z;", &tells("2147483648u"), "", "", &[-10]);
    check_counters("int r; sem_t z;", &tells("-1"), "", "", &[-10]);
    let any = "sem_init(&z, 0, 2); unsigned n = 1; if (__VERIFIER_nondet_bool()) n += 2147483647u;";
    check_counters("int r; sem_t z;", &format!("{any} {}", tells("n")), "", "", &[-8, 1]);
    let most = "sem_init(&z, 0, 2147483647u); r = sem_post(&z);";
    check_counters("int r; sem_t z;", most, "", "", &[-1]);
}

#[test]
fn a_lock_that_nobody_holds_is_not_unlocked() {
    let check = |f: &str, g: &str, expected: &[&str]| {
        let found = runs(&two(&format!("{COUNTERS} int r; pthread_rwlock_t l;"), f, g)).failures;
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    };
    let message = "`pthread_rwlock_unlock(&l)` unlocks what nobody has locked";
    for take in ["rdlock", "wrlock"] {
        let section = format!("pthread_rwlock_{take}(&l); pthread_rwlock_unlock(&l);");
        check(&section, &section, &[]);
        check(&format!("{section} pthread_rwlock_unlock(&l);"), "", &[message]);
    }
    check("pthread_rwlock_unlock(&l);", "", &[message]);
    // The lock may be held at that time, and the reader then has nothing left to unlock.
    check("pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);", "pthread_rwlock_unlock(&l);", &[message]);
}

#[test]
fn many_read_and_one_writes() {
    let write = "pthread_rwlock_wrlock(&l); x++; y++; pthread_rwlock_unlock(&l);";
    let read = "pthread_rwlock_rdlock(&l); r = x - y; pthread_rwlock_unlock(&l);";
    check_counters("int r = 5, x, y; pthread_rwlock_t l;", "pthread_rwlock_init(&l, 0);", write, read, &[0]);
    let meet = "pthread_rwlock_rdlock(&l); in++; if (in == 2) r = 1; in--; pthread_rwlock_unlock(&l);";
    check_counters("int r; _Atomic int in; pthread_rwlock_t l;", "", meet, meet, &[0, 1]);
    let alone = meet.replace("rdlock", "wrlock");
    check_counters("int r; _Atomic int in; pthread_rwlock_t l;", "", &alone, &alone, &[0]);
    check_counters("int r; _Atomic int in; pthread_rwlock_t l;", "", &alone, meet, &[0]);
    let tries = "if (!pthread_rwlock_trywrlock(&l)) { r++; pthread_rwlock_unlock(&l); }";
    check_counters("int r; pthread_rwlock_t l;", "", tries, tries, &[1, 2]);
    let reads = "if (pthread_rwlock_tryrdlock(&l) == 16) r = 1; else pthread_rwlock_unlock(&l);";
    check_counters("int r; pthread_rwlock_t l;", "", "pthread_rwlock_wrlock(&l);", reads, &[0, 1]);
}

#[test]
fn a_wait_with_a_limit_may_end_early() {
    let declared = "int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, void *);";
    let wait = "pthread_mutex_lock(&m); int e = pthread_cond_timedwait(&c, &m, 0); r = e == 110 ? 2 : e == 0; \
        pthread_mutex_unlock(&m);";
    check(&two(&format!("{declared} int r; pthread_mutex_t m; pthread_cond_t c;"), wait, ""), &[1, 2]);
}

const BARRIERS: &str = "typedef union { char c[32]; } pthread_barrier_t; typedef int pthread_once_t; \
    int pthread_barrier_init(pthread_barrier_t *, void *, unsigned); int pthread_barrier_wait(pthread_barrier_t *); \
    int pthread_barrier_destroy(pthread_barrier_t *); int pthread_once(pthread_once_t *, void (*)(void)); ";

/// The program in which `f` and `g` run after `before`.
fn with_barriers(globals: &str, before: &str, f: &str, g: &str) -> String {
    let started = "int main() { pthread_t s, t; ";
    two(&format!("{BARRIERS} {globals}"), f, g).replace(started, &format!("{started} {before} "))
}

fn check_barriers(globals: &str, before: &str, f: &str, g: &str, expected: &[i128]) {
    check(&with_barriers(globals, before, f, g), expected);
}

#[test]
fn threads_wait_at_barriers() {
    let globals = "int r, x, y; pthread_barrier_t b;";
    let init = "pthread_barrier_init(&b, 0, 2);";
    let wait = "pthread_barrier_wait(&b);";
    check_barriers(globals, init, &format!("{wait} r = y;"), &format!("y = 1; {wait}"), &[1]);
    let one = "pthread_barrier_init(&b, 0, 1);";
    check_barriers(globals, one, &format!("{wait} r = y;"), &format!("y = 1; {wait}"), &[0, 1]);
    // A barrier can be used again at once.
    let (f, g) = (format!("{wait} {wait} r = y;"), format!("{wait} y = 1; {wait} y = 2;"));
    check_barriers(globals, init, &f, &g, &[1, 2]);
    let (f, g) = (format!("{wait} {wait} r = y; {wait}"), format!("{wait} y = 1; {wait} {wait} y = 2;"));
    check_barriers(globals, init, &f, &g, &[1]);
    let alone = runs(&with_barriers(globals, "pthread_barrier_init(&b, 0, 3);", wait, wait));
    assert!(alone.deadlocks);
    let destroyed = format!("{wait} pthread_barrier_destroy(&b); r = 1;");
    check_barriers(globals, init, &destroyed, wait, &[1]);
}

#[test]
fn one_thread_of_each_round_is_told_so() {
    let globals = "int r; pthread_barrier_t b;";
    let init = "pthread_barrier_init(&b, 0, 2);";
    let count = "if (pthread_barrier_wait(&b) == -1) __sync_fetch_and_add(&r, 1);";
    check_barriers(globals, init, count, count, &[1]);
    check_barriers(globals, init, &count.repeat(2), &count.repeat(2), &[2]);
    let wait = "pthread_barrier_wait(&b);";
    check_barriers(globals, init, &format!("r = {wait}"), wait, &[-1, 0]);
    check_barriers(globals, "pthread_barrier_init(&b, 0, 1);", &format!("r = {wait}"), "", &[-1]);
}

#[test]
fn barriers_are_found_wherever_they_are() {
    let wait = |b: &str| format!("pthread_barrier_wait({b}); r = y;");
    let other = |b: &str| format!("y = 1; pthread_barrier_wait({b});");
    let member = "int r, y; struct meeting { int n; pthread_barrier_t b; } q, *w = &q;";
    let init = "pthread_barrier_init(&q.b, 0, 2);";
    check_barriers(member, init, &wait("&w->b"), &other("&q.b"), &[1]);
    let array = "int r, y, i = 1; pthread_barrier_t b[2];";
    let init = "pthread_barrier_init(b, 0, 1); pthread_barrier_init(b + 1, 0, 2);";
    check_barriers(array, init, &wait("&b[i]"), &other("&b[1]"), &[1]);
    let several = "int r, y; pthread_barrier_t b, c, *w = &b;";
    let init = "pthread_barrier_init(&b, 0, 1); pthread_barrier_init(&c, 0, 2); \
        if (__VERIFIER_nondet_bool()) { w = &c; y = 2; }";
    check_barriers(several, init, &wait("w"), "if (y) pthread_barrier_wait(w);", &[0, 2]);
}

#[test]
fn barriers_need_threads_to_wait_for() {
    let globals = "int r; pthread_barrier_t b;";
    check_barriers(globals, "r = pthread_barrier_init(&b, 0, 0);", "", "", &[22]);
    check_barriers(globals, "r = 5; r = pthread_barrier_init(&b, 0, 1);", "", "", &[0]);
    let failures = runs(&with_barriers(globals, "", "pthread_barrier_wait(&b);", "")).failures;
    let message = "`pthread_barrier_wait(&b)` waits at a barrier that is not initialised";
    assert_eq!(failures.into_iter().collect::<Vec<_>>(), [message]);
}

#[test]
fn what_is_done_once_is_done_before_anybody_goes_on() {
    let globals = "int r, x; pthread_once_t o; void init(void) { x = 2; x++; r += 10; }";
    let once = "pthread_once(&o, init);";
    check_barriers(globals, "", once, once, &[10]);
    check_barriers(globals, "", &once.repeat(2), &format!("{once} if (x != 3) r = 1;"), &[10]);
    let fails = "r = pthread_once(&o, init) + 5;";
    check_barriers(globals, "", fails, "", &[5]);
}

#[test]
fn atomic_structures_are_read_and_written_in_one_step() {
    let globals = "struct s { int a, b; } one = { 1, 1 }; _Atomic struct s x, z; struct s shared; int r;";
    let all = |statements: &str| format!("{statements} r = y.a * 10 + y.b;");
    for store in
        ["x = one;", "x = (struct s){ 1, 1 };", "__atomic_store(&x, &one, 5);", "atomic_store(&x, one);"]
    {
        for load in [
            "struct s y = x;",
            "struct s y; y = x;",
            "struct s y; __atomic_load(&x, &y, 5);",
            "struct s y = atomic_load(&x);",
            "z = x; struct s y = z;",
            "_Atomic struct s *p = &x; struct s y = *p;",
        ] {
            check(&two(globals, store, &all(load)), &[0, 11]);
        }
    }
    // What goes to an atomic structure, or comes from one, is read and written as ever.
    let torn = "one.a = 2; one.b = 2;";
    check(&two(globals, torn, "x = one; struct s y = x; r = y.a * 10 + y.b;"), &[11, 12, 21, 22]);
    let seen = "r = shared.a * 10 + shared.b;";
    check(&two(&format!("{globals} _Atomic struct s w = {{ 1, 1 }};"), "shared = w;", seen), &[0, 1, 10, 11]);
}

#[test]
fn weak_exchanges_may_fail_for_no_reason() {
    let exchanged = |call: &str| {
        format!(
            "int r, x; int main() {{ int e = 0, w = 1; int done = {call}; r = done * 100 + x * 10 + e; }}"
        )
    };
    check(&exchanged("__atomic_compare_exchange_n(&x, &e, 1, 0, 5, 5)"), &[110]);
    check(&exchanged("__atomic_compare_exchange_n(&x, &e, 1, 1, 5, 5)"), &[0, 110]);
    check(&exchanged("__atomic_compare_exchange_n(&x, &e, 1, w, 5, 5)"), &[0, 110]);
    check(&exchanged("__atomic_compare_exchange_n(&x, &e, 1, w - 1, 5, 5)"), &[110]);
    check(&exchanged("__atomic_compare_exchange(&x, &e, &w, 0, 5, 5)"), &[110]);
    check(&exchanged("__atomic_compare_exchange(&x, &e, &w, 1, 5, 5)"), &[0, 110]);
    check(&exchanged("atomic_compare_exchange_strong(&x, &e, 1)"), &[110]);
    check(&exchanged("atomic_compare_exchange_weak(&x, &e, 1)"), &[0, 110]);
    check(&exchanged("atomic_compare_exchange_weak_explicit(&x, &e, 1, 5, 5)"), &[0, 110]);
    check(&exchanged("(e = 3, __atomic_compare_exchange_n(&x, &e, 1, 1, 5, 5))"), &[0]);
    check(&exchanged("__sync_bool_compare_and_swap(&x, 0, 1)"), &[110]);
    let counted = "int e = r; while (!__atomic_compare_exchange_n(&r, &e, e + 1, 1, 5, 5));";
    check(&two("int r;", counted, counted), &[2]);
}

#[test]
fn functions_that_the_program_defines_do_what_it_says() {
    check(
        "int r; int __VERIFIER_nondet_int(void) { return 3; } int main() { r = __VERIFIER_nondet_int(); }",
        &[3],
    );
    check(
        "int r; _Bool __VERIFIER_nondet_bool(void) { r++; return 1; } int main() { if (__VERIFIER_nondet_bool()) \
         r += 5; }",
        &[6],
    );
    check("int r; void __VERIFIER_assume(int c) { r = c; } int main() { __VERIFIER_assume(4); }", &[4]);
    check(
        "int r; void __VERIFIER_assume(int c) { if (!c) exit(0); } int main() { r = 1; \
         __VERIFIER_assume(r == 2); r = 3; }",
        &[1],
    );
    check("int r; void __VERIFIER_assert(int c) { r = 8; } int main() { __VERIFIER_assert(0); }", &[8]);
    // Those mark errors, and sections, by their names.
    for error in ["reach_error", "__VERIFIER_error"] {
        let found =
            runs(&format!("int r; void {error}(void) {{ r = 1; }} int main() {{ {error}(); r = 2; }}"));
        assert_eq!(found.failures.into_iter().collect::<Vec<_>>(), [format!("`{error}` is called")]);
    }
    check(
        &two(
            "int r, l; void __VERIFIER_atomic_begin(void) { __VERIFIER_assume(l == 0); l = 1; } \
             void __VERIFIER_atomic_end(void) { l = 0; }",
            "__VERIFIER_atomic_begin(); r++; __VERIFIER_atomic_end();",
            "__VERIFIER_atomic_begin(); r++; __VERIFIER_atomic_end();",
        ),
        &[2],
    );
}
