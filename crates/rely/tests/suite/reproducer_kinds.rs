//! One small program for each kind of violation, in each thread and place where it can happen.
//!
//! The table has what goes wrong; the places put it into `main`, into another thread, into a function,
//! behind a race, and so on. Whatever is offered as a reproducer must fail, in the thread and at
//! the line of the trace; what is not must say why.

use rely_program::Goal;

/// Something that goes wrong in one line.
pub struct Violation {
    pub name: &'static str,
    pub goal: Goal,
    /// What stands outside of functions.
    globals: &'static str,
    /// What comes before it.
    prelude: &'static str,
    wrong: &'static str,
    /// A part of the reason if there is no reproducer.
    pub refusal: Option<&'static str>,
}

const fn kind(
    name: &'static str,
    goal: Goal,
    globals: &'static str,
    prelude: &'static str,
    wrong: &'static str,
) -> Violation {
    Violation { name, goal, globals, prelude, wrong, refusal: None }
}

const fn refused(violation: Violation, reason: &'static str) -> Violation {
    Violation { refusal: Some(reason), ..violation }
}

const MINIMUM: &str = "int x = -2147483647 - 1, y = -1;";
const MAXIMUM: &str = "int x = 2147483647;";
const ARRAY: &str = "int a[3], b, x = 3; int *p = a;";
const RECORD: &str = "struct s { int a[3]; int b; } s, *p = &s; int *q = s.a; int x = 3;";
const NOWHERE: &str = "struct s { int u, v; } *p; int *q, x; void (*f)(void);";
const IDLE: &str = "void *idle(void *unused) { return 0; }";
const STARTED_AND_JOINED: &str =
    "pthread_t idler; pthread_create(&idler, 0, idle, 0); pthread_join(idler, 0);";
const STARTED_AND_DETACHED: &str =
    "pthread_t idler; pthread_create(&idler, 0, idle, 0); pthread_detach(idler);";
const INVISIBLE: &str = "which a compiled program need not show";
const CONSTANT: &str = "a constant that gcc computes while it compiles";
const NO_TURNS: &str = "cannot make threads take turns at `pthread_barrier_wait`";

use Goal::{Assert, Deadlock, Overflow};

pub const VIOLATIONS: &[Violation] = &[
    kind("assert", Assert, "int x;", "", "assert(x == 1);"),
    kind("assert-local", Assert, "", "int x = 0;", "assert(x == 1);"),
    kind("reach-error", Assert, "int x; void reach_error(void) {}", "", "if (x == 0) reach_error();"),
    kind(
        "verifier-error",
        Assert,
        "int x; void __VERIFIER_error(void);",
        "",
        "if (x == 0) __VERIFIER_error();",
    ),
    kind("verifier-assert", Assert, "int x; void __VERIFIER_assert(int);", "", "__VERIFIER_assert(x == 1);"),
    kind("divide", Assert, "int x;", "", "x = 1 / x;"),
    kind("divide-assign", Assert, "int x, y;", "", "y /= x;"),
    kind("divide-constant", Assert, "int x;", "", "x = 1 / 0;"),
    kind("remainder", Assert, "int x;", "", "x = 1 % x;"),
    kind("shift-left", Assert, "int x = 32;", "", "x = 1 << x;"),
    kind("shift-right", Assert, "int x = -1;", "", "x = 1 >> x;"),
    kind("shift-assign", Assert, "int x = 40;", "", "x <<= x;"),
    kind("shift-constant", Assert, "int x;", "", "x = 1 << 40;"),
    kind("add", Overflow, MAXIMUM, "", "x = x + 1;"),
    kind("add-local", Overflow, "", "int x = 2147483647;", "x = x + 1;"),
    kind("add-assign", Overflow, MAXIMUM, "", "x += x;"),
    kind("increment", Overflow, MAXIMUM, "", "x++;"),
    kind("increment-first", Overflow, MAXIMUM, "", "++x;"),
    kind("subtract", Overflow, MINIMUM, "", "x = x - 3;"),
    kind("decrement", Overflow, MINIMUM, "", "x--;"),
    kind("multiply", Overflow, MAXIMUM, "", "x = x * x;"),
    kind("multiply-assign", Overflow, "long x = 4294967296;", "", "x *= x;"),
    kind("negate", Overflow, MINIMUM, "", "x = -x;"),
    kind("negate-local", Overflow, "", "int x = -2147483647 - 1;", "x = -x;"),
    kind("divide-overflow", Overflow, MINIMUM, "", "x = x / y;"),
    refused(kind("negate-constant", Overflow, "int x;", "", "x = -(-2147483647 - 1);"), CONSTANT),
    refused(kind("add-constant", Overflow, "int x;", "", "x = 2147483647 + 1;"), CONSTANT),
    refused(kind("multiply-constant", Overflow, "int x;", "", "x = 65536 * 65536;"), CONSTANT),
    kind("index", Assert, ARRAY, "", "a[x] = 1;"),
    kind("index-read", Assert, ARRAY, "", "b = a[x];"),
    kind("index-negative", Assert, ARRAY, "x = -1;", "a[x] = 1;"),
    kind("index-constant", Assert, ARRAY, "", "a[3] = 1;"),
    kind("index-local", Assert, "int x = 3;", "int a[3] = {0, 0, 0};", "a[x] = 1;"),
    kind("index-rows", Assert, "int a[2][3], x = 3;", "", "a[1][x] = 1;"),
    kind("member", Assert, RECORD, "", "s.a[x] = 1;"),
    kind("member-behind-pointer", Assert, RECORD, "", "p->a[x] = 1;"),
    refused(kind("member-through-pointer", Assert, RECORD, "", "q[x] = 1;"), INVISIBLE),
    refused(kind("pointer-index", Assert, ARRAY, "", "p[x] = 1;"), INVISIBLE),
    refused(kind("pointer-sum", Assert, ARRAY, "", "*(a + x) = 1;"), INVISIBLE),
    refused(
        kind(
            "heap",
            Assert,
            "#include <stdlib.h>\nint x = 2;",
            "int *p = malloc(2 * sizeof(int));",
            "p[x] = 1;",
        ),
        INVISIBLE,
    ),
    kind("null-read", Assert, NOWHERE, "", "x = *q;"),
    kind("null-write", Assert, NOWHERE, "", "*q = 1;"),
    refused(kind("null-local", Assert, "", "int *p = 0;", "*p = 1;"), INVISIBLE),
    kind("null-member", Assert, NOWHERE, "", "x = p->v;"),
    kind("null-later", Assert, ARRAY, "p = 0;", "*p = 1;"),
    kind("null-function", Assert, NOWHERE, "", "f();"),
    kind("read-write-unlock", Assert, "pthread_rwlock_t l;", "", "pthread_rwlock_unlock(&l);"),
    kind(
        "read-write-unlock-twice",
        Assert,
        "pthread_rwlock_t l;",
        "pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);",
        "pthread_rwlock_unlock(&l);",
    ),
    kind("mutex-unlock", Assert, "pthread_mutex_t l;", "", "pthread_mutex_unlock(&l);"),
    kind(
        "mutex-unlock-twice",
        Assert,
        "pthread_mutex_t l;",
        "pthread_mutex_lock(&l); pthread_mutex_unlock(&l);",
        "pthread_mutex_unlock(&l);",
    ),
    kind(
        "mutex-destroyed",
        Assert,
        "pthread_mutex_t l;",
        "pthread_mutex_lock(&l);",
        "pthread_mutex_destroy(&l);",
    ),
    kind(
        "mutex-set-up",
        Assert,
        "pthread_mutex_t l;",
        "pthread_mutex_lock(&l);",
        "pthread_mutex_init(&l, 0);",
    ),
    kind(
        "spin-unlock",
        Assert,
        "pthread_spinlock_t l;",
        "pthread_spin_init(&l, 0);",
        "pthread_spin_unlock(&l);",
    ),
    kind("wait-unlocked", Assert, "pthread_mutex_t l; pthread_cond_t c;", "", "pthread_cond_wait(&c, &l);"),
    kind("join-itself", Assert, "", "", "pthread_join(pthread_self(), 0);"),
    kind("join-twice", Assert, IDLE, STARTED_AND_JOINED, "pthread_join(idler, 0);"),
    kind("join-detached", Assert, IDLE, STARTED_AND_DETACHED, "pthread_join(idler, 0);"),
    kind("detach-twice", Assert, IDLE, STARTED_AND_DETACHED, "pthread_detach(idler);"),
    kind("join-nothing", Assert, "pthread_t none;", "", "pthread_join(none, 0);"),
    refused(kind("barrier-unset", Assert, "pthread_barrier_t b;", "", "pthread_barrier_wait(&b);"), NO_TURNS),
    kind("lock-twice", Deadlock, "pthread_mutex_t l;", "pthread_mutex_lock(&l);", "pthread_mutex_lock(&l);"),
    kind("spin-twice", Deadlock, "pthread_spinlock_t l;", "pthread_spin_lock(&l);", "pthread_spin_lock(&l);"),
    kind(
        "upgrade",
        Deadlock,
        "pthread_rwlock_t l;",
        "pthread_rwlock_rdlock(&l);",
        "pthread_rwlock_wrlock(&l);",
    ),
    kind(
        "downgrade",
        Deadlock,
        "pthread_rwlock_t l;",
        "pthread_rwlock_wrlock(&l);",
        "pthread_rwlock_rdlock(&l);",
    ),
    kind("semaphore", Deadlock, "#include <semaphore.h>\nsem_t s;", "sem_init(&s, 0, 0);", "sem_wait(&s);"),
    refused(
        kind(
            "barrier",
            Deadlock,
            "pthread_barrier_t b;",
            "pthread_barrier_init(&b, 0, 2);",
            "pthread_barrier_wait(&b);",
        ),
        NO_TURNS,
    ),
];

/// Where something goes wrong: a program with a hole for it.
pub struct Place {
    pub name: &'static str,
    text: &'static str,
    /// Whether everybody else has ended or waits then, too.
    can_deadlock: bool,
}

impl Violation {
    /// Whether it can happen in a place. Memory is not allocated where that may happen again, and that
    /// threads are joined once is assumed there.
    pub fn fits(&self, place: &Place) -> bool {
        let is_counted = self.prelude.contains("malloc") || self.prelude.contains("pthread_create");
        let is_once = matches!(place.name, "main" | "thread" | "function");
        (self.goal != Deadlock || place.can_deadlock) && (!is_counted || is_once)
    }
}

const fn place(name: &'static str, can_deadlock: bool, text: &'static str) -> Place {
    Place { name, text, can_deadlock }
}

pub const PLACES: &[Place] = &[
    place("main", true, "int main(void) {\n@    return 0;\n}\n"),
    place(
        "thread",
        true,
        "void *work(void *unused) {\n@    return 0;\n}\nint main(void) {\n    pthread_t t;\n    \
         pthread_create(&t, 0, work, 0);\n    pthread_join(t, 0);\n    return 0;\n}\n",
    ),
    place(
        "thread-after-main",
        true,
        "void *work(void *unused) {\n@    return 0;\n}\nint main(void) {\n    pthread_t t;\n    \
         pthread_create(&t, 0, work, 0);\n    pthread_exit(0);\n}\n",
    ),
    place(
        "main-returns",
        false,
        "void *work(void *unused) {\n@    return 0;\n}\nint main(void) {\n    pthread_t t;\n    \
         pthread_create(&t, 0, work, 0);\n    return 0;\n}\n",
    ),
    place(
        "function",
        true,
        "void step(void) {\n@}\nvoid *work(void *unused) {\n    step();\n    return 0;\n}\nint main(void) {\n    \
         pthread_t t;\n    pthread_create(&t, 0, work, 0);\n    pthread_join(t, 0);\n    return 0;\n}\n",
    ),
    place(
        "race",
        true,
        "int go;\nvoid *work(void *unused) {\n    if (go == 1) {\n@    }\n    return 0;\n}\nint main(void) {\n    \
         pthread_t t, u;\n    pthread_create(&t, 0, work, 0);\n    pthread_create(&u, 0, work, 0);\n    go = 1;\n    \
         go = 2;\n    pthread_join(t, 0);\n    pthread_join(u, 0);\n    return 0;\n}\n",
    ),
    place(
        "race-in-main",
        true,
        "int go;\nvoid *work(void *unused) {\n    go = 1;\n    go = 2;\n    return 0;\n}\nint main(void) {\n    \
         pthread_t t;\n    pthread_create(&t, 0, work, 0);\n    if (go == 1) {\n@    }\n    pthread_join(t, 0);\n    \
         return 0;\n}\n",
    ),
    place(
        "third-pass",
        true,
        "int passes;\nvoid *work(void *unused) {\n    for (int i = 0; i < 3; i++) {\n        passes++;\n        \
         if (passes == 4) {\n@        }\n    }\n    return 0;\n}\nint main(void) {\n    pthread_t t;\n    \
         pthread_create(&t, 0, work, 0);\n    work(0);\n    pthread_join(t, 0);\n    return 0;\n}\n",
    ),
];

/// A program, and the line in which it goes wrong.
pub fn program(violation: &Violation, place: &Place) -> (String, u32) {
    let (before, after) = place.text.split_once('@').expect("there is a hole");
    let Violation { globals, prelude, wrong, .. } = violation;
    let head = format!(
        "#define _GNU_SOURCE\n#include <assert.h>\n#include <pthread.h>\n{globals}\n{before}        {prelude}\n"
    );
    let line = head.lines().count() as u32 + 1;
    (format!("{head}        {wrong}\n{after}"), line)
}
