//! The programs whose witnesses are looked at.

/// A lock that works, and helpers whose invariants several threads share.
pub(super) const COUNTER: &str = "\
#include <pthread.h>
extern void abort(void);
void reach_error(void) { abort(); }
int counter = 0;
int busy = 0;
pthread_mutex_t m;
void *worker(void *unused) {
    int seen = 0;
    pthread_mutex_lock(&m);
    busy = 1;
    seen = counter;
    if (seen < 0) reach_error();
    counter = seen + 1;
    busy = 0;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (counter > 2) { reach_error(); }
    return 0;
}
";

/// An input, a loop and a lost update.
pub(super) const LOST: &str = "\
#include <pthread.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
int counter = 0;
void *worker(void *unused) {
    int seen = counter;
    counter = seen + 1;
    return 0;
}
int main(void) {
    pthread_t one, two;
    int wanted = __VERIFIER_nondet_int();
    if (wanted < 1 || wanted > 2) return 0;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (wanted == 2 && counter != wanted) { reach_error(); }
    return 0;
}
";

/// Statements that call functions, writes that nobody looks at, and a wait in a loop.
pub(super) const HELPERS: &str = "\
#include <pthread.h>
extern void abort(void);
void reach_error(void) { abort(); }
int data = 0;
int ready = 0;
int last = 0;
int set(void) { data = 1; return 0; }
void bump(int by) { data = data + by; }
void *worker(void *unused) {
    int x = 7;
    x = set();
    bump(1);
    last = x;
    ready = 1;
    x = 5;
    last = 9;
    return 0;
}
int main(void) {
    pthread_t one;
    int seen = 0;
    pthread_create(&one, 0, worker, 0);
    while (ready == 0) { seen = 3; }
    seen = data;
    if (seen != 2) { reach_error(); }
    seen = 0;
    return 0;
}
";

/// Branches of all kinds on the way to a violation.
pub(super) const BRANCHES: &str = "\
#include <pthread.h>
extern void abort(void);
void reach_error(void) { abort(); }
int ready = 0;
int total = 0;
int twice(int n) {
    if (n > 1) { total = total + n; }
    return n + n;
}
void *worker(void *unused) {
    int i;
    for (i = 0; i < 2; i++) { total = total + 1; }
    ready = 1;
    return 0;
}
int main(void) {
    pthread_t one;
    int k = 0;
    pthread_create(&one, 0, worker, 0);
    while (k < 2 && ready == 0) { k = k + 1; }
    if (ready == 0) return 0;
    if (total == 7)
        k = 9;
    else
        k = twice(k + 3);
    if (k == 6) { reach_error(); }
    return 0;
}
";

/// Mutual exclusion for which it matters where the other thread is.
pub(super) const PETERSON: &str = "\
#include <pthread.h>
extern void abort(void);
void reach_error(void) { abort(); }
int wants_first = 0, wants_second = 0;
int turn = 0;
int inside = 0;
void *first(void *unused) {
    wants_first = 1;
    turn = 1;
    while (wants_second == 1 && turn == 1) { }
    inside = 1;
    if (inside != 1) { reach_error(); }
    inside = 0;
    wants_first = 0;
    return 0;
}
void *second(void *unused) {
    wants_second = 1;
    turn = 0;
    while (wants_first == 1 && turn == 0) { }
    inside = 2;
    if (inside != 2) { reach_error(); }
    inside = 0;
    wants_second = 0;
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    return 0;
}
";

/// A flag whose values become places, and a copy that is one variable with what it was copied from,
/// which keeps its old value in the source.
pub(super) const COPIES: &str = "\
#include <pthread.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
void reach_error(void) { abort(); }
int data = 0, least = 0;
int ready = 0;
int tries = 0;
void *worker(void *unused) {
    int first = least;
    int next = first;
    next = next + 1;
    data = next;
    ready = 1;
    return 0;
}
int main(void) {
    pthread_t one;
    int found = 0;
    least = __VERIFIER_nondet_uchar();
    pthread_create(&one, 0, worker, 0);
    while (found == 0) {
        if (ready == 1) { found = 1; }
        tries = 2;
    }
    if (data <= least) { reach_error(); }
    return 0;
}
";
