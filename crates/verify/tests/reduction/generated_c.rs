//! Random C programs that use locks: what models cannot say. Mutexes are reached through pointers that may point to either
//! of two, in arrays, or are given back by somebody else; locks are tried; others are for readers and writers; spin locks
//! are written by hand; flags look like locks and are not.

use rely_base::Random;
use std::fmt::Write;

const DECLARATIONS: &str = "\
typedef unsigned long pthread_t;
typedef union { char size[40]; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
typedef union { char size[56]; } pthread_rwlock_t;
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
typedef union { char size[32]; } sem_t;
int sem_init(sem_t *, int, unsigned);
int sem_wait(sem_t *);
int sem_post(sem_t *);
_Bool __VERIFIER_nondet_bool(void);
void __assert_fail(const char *, const char *, unsigned, const char *);
pthread_mutex_t m, n, locks[2], *p = &m;
pthread_rwlock_t rw;
sem_t sem;
int spin, flag, x, y;
";

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from(DECLARATIONS);
    let threads = 2 + usize::from(random.percent(20));
    for thread in 0..threads {
        let _ = writeln!(
            text,
            "void *run{thread}(void *unused) {{\n    pthread_mutex_t *q = &m;\n    int r = 0, i = 0;"
        );
        for _ in 0..1 + random.below(2) {
            section(&mut random, &mut text, 1);
        }
        text.push_str("    return 0;\n}\n");
    }
    text.push_str("int main(void) {\n    pthread_t t[3];\n    sem_init(&sem, 0, 1);\n");
    if random.percent(30) {
        text.push_str("    p = &n;\n");
    }
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, run{thread}, 0);");
    }
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_join(t[{thread}], 0);");
    }
    let claims = ["x == y", "x != 2", "x + y <= 3", "x <= 2", "y != 1", "x >= 0", "x <= 8", "y <= 4"];
    let claim = *random.pick(&claims);
    let _ = writeln!(text, "    {}\n    return 0;\n}}", assertion(claim));
    text
}

fn assertion(claim: &str) -> String {
    format!("if (!({claim})) __assert_fail(\"{claim}\", \"\", 0, \"\");")
}

/// How a section begins and ends.
const SECTIONS: [(&str, &str); 15] = [
    ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
    ("pthread_mutex_lock(&n);", "pthread_mutex_unlock(&n);"),
    ("pthread_mutex_lock(p);", "pthread_mutex_unlock(p);"),
    ("q = __VERIFIER_nondet_bool() ? &m : &n; pthread_mutex_lock(q);", "pthread_mutex_unlock(q);"),
    ("i = __VERIFIER_nondet_bool(); pthread_mutex_lock(&locks[i]);", "pthread_mutex_unlock(&locks[i]);"),
    ("pthread_mutex_lock(&locks[1]);", "pthread_mutex_unlock(&locks[1]);"),
    ("if (pthread_mutex_trylock(&m) == 0) {", "pthread_mutex_unlock(&m); }"),
    ("pthread_rwlock_rdlock(&rw);", "pthread_rwlock_unlock(&rw);"),
    ("pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);"),
    ("if (pthread_rwlock_tryrdlock(&rw) == 0) {", "pthread_rwlock_unlock(&rw); }"),
    ("sem_wait(&sem);", "sem_post(&sem);"),
    ("while (__sync_lock_test_and_set(&spin, 1)) ;", "__sync_lock_release(&spin);"),
    ("while (!__sync_bool_compare_and_swap(&spin, 0, 1)) ;", "spin = 0;"),
    ("while (__sync_lock_test_and_set(&spin, 1)) while (spin) ;", "spin = 0;"),
    // No lock: others come in between.
    ("while (flag) ; flag = 1;", "flag = 0;"),
];

fn section(random: &mut Random, text: &mut String, depth: u32) {
    let (begin, end) = *random.pick(&SECTIONS);
    let _ = writeln!(text, "    {begin}");
    for _ in 0..1 + random.below(2) {
        if depth > 0 && random.percent(15) {
            section(random, text, depth - 1);
        } else {
            statement(random, text);
        }
    }
    let is_open = end.ends_with('}');
    match random.below(20) {
        // Given back on one way only, by somebody who may not hold it, or through a pointer that somebody has changed.
        0 if !is_open => {
            let _ = writeln!(text, "    if (r == 0) {{ {end} }}");
        }
        1 => text.push_str(if is_open { "    }\n" } else { "    spin = 0;\n" }),
        2 if !is_open => text.push_str("    pthread_mutex_unlock(&n);\n"),
        3 => {
            let _ = writeln!(text, "    p = &n; {end}");
        }
        _ => {
            let _ = writeln!(text, "    {end}");
        }
    }
}

fn statement(random: &mut Random, text: &mut String) {
    const STATEMENTS: [&str; 8] = [
        "x = x + 1;",
        "x = x + 1;",
        "y = y + 1;",
        "r = x; x = r + 1;",
        "x = 2 * x;",
        "x = 1;",
        "if (x > 1) y = 0;",
        "y = x;",
    ];
    let statement = match random.below(10) {
        0 => assertion("x <= 2"),
        1 => assertion("x >= y"),
        _ => (*random.pick(&STATEMENTS)).to_owned(),
    };
    let _ = writeln!(text, "    {statement}");
}
