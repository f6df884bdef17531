/*
 * Makes the threads of a program take turns as a schedule says.
 *
 * The program is compiled with -fsanitize=thread, which makes gcc call a function before each
 * access to memory. Those functions are not gcc's but the ones below: they find the step of the
 * schedule to which the access belongs and wait until it is its turn. So the program itself
 * runs unchanged; only when its threads go on is decided here.
 *
 * How it ends:  SIGABRT  the violation was reproduced
 *               3        the program went through, and nothing failed
 *               4        the schedule could not be followed
 */
#define _GNU_SOURCE
#include "rely_schedule.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NOT_REPRODUCED = 3, NOT_FOLLOWED = 4 };
enum { MOST_THREADS = 256, TICK_MS = 5, GRACE_MS = 2000, PATIENCE_MS = 10000 };
enum { UNSCHEDULED = -1, NO_STEP = -1 };

/* How an operation uses memory; a lock and an atomic exchange read and write at once. */
enum { EXCHANGE = RELY_READ | RELY_WRITE, LOCK = 4 };

struct bound_cell {
    int variable;
    unsigned long element;
    const volatile void *address;
};

struct thread_state {
    int next;     /* no step of the thread before this one is still to come */
    int turn;     /* the turn that it holds or waits for; -1 before the first one */
    int inputs;   /* how many were used */
    bool started, ended, parked, has_handle;
    const char *blocked;    /* in which call it waits for somebody else */
    bool is_joining;        /* it waits for the end of the thread `joined`, not for a lock */
    pthread_t handle, joined;
    unsigned long refusals; /* how often it was refused a lock */
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct thread_state threads[MOST_THREADS];
static unsigned char *taken;    /* for each step: whether it was made or passed over */
static unsigned char *finished; /* for each turn */
static int current_turn;
static unsigned long progress;
static struct bound_cell *bound;
static int bound_count;
static bool is_over;

static __thread int self;
static __thread int atomic_depth;    /* atomic blocks and functions that were entered */
static __thread bool atomic_entered; /* the block has got its turn */

/* ---- endings ---------------------------------------------------------------------------- */

static void end(int status, const char *format, ...) {
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&once);
    is_over = true;
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fputs("rely: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (status == 0) {
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    _exit(status);
}

static void reproduced(const char *what) {
    const char *name = self >= 0 ? rely_schedule.threads[self].name : "a thread";
    end(0, "reproduced: %s (in %s)", what, name);
}

static void not_followed(const char *why) {
    for (int step = 0; step < rely_schedule.step_count; step++) {
        const struct rely_step *awaited = &rely_schedule.steps[step];
        if (!taken[step])
            end(NOT_FOLLOWED, "the schedule could not be followed: %s; the next step is that of %s at line %d: %s",
                why, rely_schedule.threads[awaited->thread].name, awaited->line, awaited->text);
    }
    if (rely_schedule.violation == RELY_DEADLOCK)
        end(NOT_REPRODUCED, "the schedule was followed to its end, and there is no deadlock");
    end(NOT_REPRODUCED, "the schedule was followed to its end, and nothing failed");
}

static void at_exit(void) {
    if (!is_over)
        end(NOT_REPRODUCED, "the program ended, and nothing failed");
}

static void on_signal(int number) {
    if (rely_schedule.violation == RELY_TRAP)
        reproduced(rely_schedule.violation_text);
    end(NOT_FOLLOWED, "the program was stopped by signal %d", number);
}

/* ---- which step an access belongs to ------------------------------------------------------ */

static bool is_on_own_stack(const volatile void *address) {
    static __thread const char *low, *high;
    if (!high) {
        pthread_attr_t attributes;
        void *base = 0;
        size_t size = 0;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstack(&attributes, &base, &size);
            pthread_attr_destroy(&attributes);
        }
        low = base;
        high = low + size;
    }
    const char *here = (const char *)address;
    return low <= here && here < high;
}

static bool is_inside(const struct rely_variable *variable, const volatile void *address) {
    const char *start = (const char *)variable->address;
    const char *here = (const char *)address;
    return start && start <= here && here < start + variable->size;
}

/* The variable with a known place to which an address belongs, the most exact one. */
static int variable_at(const volatile void *address) {
    int found = -1;
    for (int index = 0; index < rely_schedule.variable_count; index++) {
        const struct rely_variable *variable = &rely_schedule.variables[index];
        if (is_inside(variable, address) && (found < 0 || variable->elements))
            found = index;
    }
    return found;
}

static struct bound_cell *binding_of(int variable, unsigned long element) {
    for (int index = 0; index < bound_count; index++)
        if (bound[index].variable == variable && bound[index].element == element)
            return &bound[index];
    return 0;
}

static bool is_bound(const volatile void *address) {
    for (int index = 0; index < bound_count; index++)
        if (bound[index].address == address)
            return true;
    return false;
}

static bool is_how(int how, int wanted) {
    if (how == LOCK || how == EXCHANGE)
        return (wanted & RELY_WRITE) != 0;
    return wanted == how || (atomic_depth && (wanted & how));
}

static bool is_access(const struct rely_access *access, const volatile void *address, int known, int how,
                      bool may_bind) {
    const struct rely_variable *variable = &rely_schedule.variables[access->variable];
    if (!is_how(how, access->how))
        return false;
    if (variable->address) {
        if (!is_inside(variable, address))
            return false;
        if (!variable->elements)
            return known >= 0 && !rely_schedule.variables[known].elements;
        size_t offset = (const char *)address - (const char *)variable->address;
        return access->element == RELY_ANY_ELEMENT ||
               offset / (variable->size / variable->elements) == access->element;
    }
    struct bound_cell *cell = binding_of(access->variable, access->element);
    if (cell)
        return cell->address == address;
    if (!may_bind || known >= 0 || is_bound(address) || (!variable->may_be_on_stack && is_on_own_stack(address)))
        return false;
    bound[bound_count++] = (struct bound_cell){access->variable, access->element, address};
    return true;
}

static int step_of_access(const volatile void *address, int known, int how) {
    bool is_first = true;
    for (int step = threads[self].next; step < rely_schedule.step_count; step++) {
        const struct rely_step *candidate = &rely_schedule.steps[step];
        if (taken[step] || candidate->thread != self)
            continue;
        if (candidate->kind == RELY_ACCESS)
            for (int index = 0; index < candidate->accesses; index++)
                if (is_access(&rely_schedule.accesses[candidate->first_access + index], address, known, how, is_first))
                    return step;
        is_first = false;
    }
    return NO_STEP;
}

static int step_of_kind(enum rely_kind kind) {
    for (int step = threads[self].next; step < rely_schedule.step_count; step++)
        if (!taken[step] && rely_schedule.steps[step].thread == self && rely_schedule.steps[step].kind == kind)
            return step;
    return NO_STEP;
}

static int next_step(void) {
    for (int step = threads[self].next; step < rely_schedule.step_count; step++)
        if (!taken[step] && rely_schedule.steps[step].thread == self)
            return step;
    return NO_STEP;
}

/* ---- turns --------------------------------------------------------------------------------- */

/* The thread is through with its turns before this one. */
static void finish_turns_before(int turn) {
    for (int step = threads[self].next; step < rely_schedule.step_count && rely_schedule.steps[step].turn < turn; step++)
        if (rely_schedule.steps[step].thread == self) {
            taken[step] = 1;
            finished[rely_schedule.steps[step].turn] = 1;
            threads[self].next = step + 1;
        }
    if (threads[self].turn >= 0 && threads[self].turn < turn)
        finished[threads[self].turn] = 1;
    while (current_turn < rely_schedule.turns && finished[current_turn])
        current_turn++;
    progress++;
    pthread_cond_broadcast(&changed);
}

static bool is_schedule_over(void) {
    return current_turn >= rely_schedule.turns;
}

/* What a thread does that has no more steps in the schedule. */
static void run_on_or_wait(void) {
    bool is_last = rely_schedule.step_count > 0 && rely_schedule.steps[rely_schedule.step_count - 1].thread == self;
    if (rely_schedule.violation == RELY_DEADLOCK) {
        finish_turns_before(rely_schedule.turns);
        while (!is_schedule_over())
            pthread_cond_wait(&changed, &guard);
        return;
    }
    if (is_last || rely_schedule.threads[self].ends || rely_schedule.step_count == 0)
        return;
    finish_turns_before(rely_schedule.turns);
    threads[self].parked = true;
    for (;;)
        pthread_cond_wait(&changed, &guard);
}

static void wait_for_turn(int turn) {
    if (threads[self].turn != turn)
        finish_turns_before(turn);
    threads[self].turn = turn;
    while (current_turn < turn)
        pthread_cond_wait(&changed, &guard);
    progress++;
}

static void make_step(int step) {
    wait_for_turn(rely_schedule.steps[step].turn);
    taken[step] = 1;
    while (threads[self].next < rely_schedule.step_count &&
           (rely_schedule.steps[threads[self].next].thread != self || taken[threads[self].next]))
        threads[self].next++;
}

/* An operation that is not in the schedule comes directly before the thread's next step in it. */
static void unexpected(void) {
    int step = next_step();
    if (step == NO_STEP)
        run_on_or_wait();
    else
        wait_for_turn(rely_schedule.steps[step].turn);
}

static bool is_in_atomic_block(void) {
    return atomic_depth > 0;
}

static void before_access(const volatile void *address, int how) {
    if (self == UNSCHEDULED || is_over || (is_in_atomic_block() && atomic_entered))
        return;
    int known = variable_at(address);
    if (known >= 0 && !rely_schedule.variables[known].is_shared && how != LOCK)
        return;
    pthread_mutex_lock(&guard);
    int step = step_of_access(address, known, how);
    if (step != NO_STEP) {
        make_step(step);
        atomic_entered = true;
    } else if (known >= 0 || how == LOCK || next_step() == NO_STEP) {
        unexpected();
    }
    pthread_mutex_unlock(&guard);
}

/* ---- watching ------------------------------------------------------------------------------ */

/* Whether the thread that a thread waits for has still something to do. */
static bool is_joined_running(int waiting) {
    for (int index = 0; index < rely_schedule.thread_count; index++)
        if (threads[index].has_handle && !threads[index].ended &&
            pthread_equal(threads[index].handle, threads[waiting].joined))
            return true;
    return false;
}

static bool are_all_blocked(void) {
    for (int index = 0; index < rely_schedule.thread_count; index++) {
        if (!threads[index].started || threads[index].ended)
            continue;
        if (!threads[index].blocked || (threads[index].is_joining && !is_joined_running(index)))
            return false;
    }
    return true;
}

/* All threads wait, and since then each that wants a lock was refused it once more: now nobody is
   left who could release one. Called at each tick. */
static bool is_deadlock(void) {
    static bool were_all_blocked;
    static unsigned long refusals[MOST_THREADS];
    if (!is_schedule_over() || !are_all_blocked()) {
        were_all_blocked = false;
        return false;
    }
    bool is_certain = were_all_blocked;
    for (int index = 0; index < rely_schedule.thread_count; index++) {
        bool wants_lock = threads[index].started && !threads[index].ended && !threads[index].is_joining;
        if (!were_all_blocked)
            refusals[index] = threads[index].refusals;
        else if (wants_lock && threads[index].refusals == refusals[index])
            is_certain = false;
    }
    were_all_blocked = true;
    return is_certain;
}

static void report_deadlock(void) {
    for (int index = 0; index < rely_schedule.thread_count; index++)
        if (threads[index].started && !threads[index].ended)
            fprintf(stderr, "rely: %s waits in %s\n", rely_schedule.threads[index].name, threads[index].blocked);
    self = UNSCHEDULED;
    end(0, "reproduced: every thread waits, and none can go on");
}

/* Whoever has the turn made all its steps and comes back no more, as in an endless loop. */
static void end_silent_turn(void) {
    for (int step = 0; step < rely_schedule.step_count; step++)
        if (rely_schedule.steps[step].turn == current_turn && !taken[step])
            return;
    if (current_turn >= rely_schedule.turns - 1)
        return;
    finished[current_turn] = 1;
    while (current_turn < rely_schedule.turns && finished[current_turn])
        current_turn++;
    progress++;
    pthread_cond_broadcast(&changed);
}

static void *watch(void *unused) {
    (void)unused;
    self = UNSCHEDULED;
    unsigned long seen = 0;
    int still = 0;
    for (;;) {
        struct timespec tick = {0, TICK_MS * 1000000L};
        nanosleep(&tick, 0);
        pthread_mutex_lock(&guard);
        still = progress == seen ? still + TICK_MS : 0;
        seen = progress;
        if (rely_schedule.violation == RELY_DEADLOCK && is_deadlock())
            report_deadlock();
        if (still == GRACE_MS)
            end_silent_turn();
        if (still >= PATIENCE_MS)
            not_followed("nothing happened for 10 seconds");
        pthread_mutex_unlock(&guard);
    }
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    size_t accesses = 1;
    for (int step = 0; step < rely_schedule.step_count; step++)
        accesses += rely_schedule.steps[step].accesses;
    taken = calloc(rely_schedule.step_count + 1, 1);
    finished = calloc(rely_schedule.turns + 1, 1);
    bound = calloc(accesses, sizeof *bound);
    if (!taken || !finished || !bound || rely_schedule.thread_count > MOST_THREADS)
        end(NOT_FOLLOWED, "the schedule is too large");
    for (int index = 0; index < rely_schedule.thread_count; index++)
        threads[index].turn = -1;
    threads[0].started = true;
    threads[0].handle = pthread_self();
    threads[0].has_handle = true;
    atexit(at_exit);
    signal(SIGILL, on_signal);
    signal(SIGFPE, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGTRAP, on_signal);
    pthread_t watcher;
    if (pthread_create(&watcher, 0, watch, 0) != 0)
        end(NOT_FOLLOWED, "no thread can be created");
    pthread_detach(watcher);
}

/* ---- threads ------------------------------------------------------------------------------- */

struct start {
    int thread;
    void *(*function)(void *);
    void *argument;
};

static void thread_ends(void) {
    if (self == UNSCHEDULED)
        return;
    pthread_mutex_lock(&guard);
    finish_turns_before(rely_schedule.turns);
    threads[self].ended = true;
    pthread_mutex_unlock(&guard);
}

static void know_handle(void) {
    if (self == UNSCHEDULED)
        return;
    pthread_mutex_lock(&guard);
    threads[self].handle = pthread_self();
    threads[self].has_handle = true;
    pthread_mutex_unlock(&guard);
}

static void *run_thread(void *data) {
    struct start start = *(struct start *)data;
    free(data);
    self = start.thread;
    know_handle();
    void *result = start.function(start.argument);
    thread_ends();
    return result;
}

int rely_thread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    struct start *start = malloc(sizeof *start);
    if (!start)
        end(NOT_FOLLOWED, "there is no memory");
    *start = (struct start){UNSCHEDULED, function, argument};
    if (self != UNSCHEDULED) {
        pthread_mutex_lock(&guard);
        int step = step_of_kind(RELY_CREATE);
        if (step == NO_STEP) {
            unexpected();
        } else {
            make_step(step);
            start->thread = rely_schedule.steps[step].created;
            threads[start->thread].started = true;
        }
        pthread_mutex_unlock(&guard);
    }
    return pthread_create(handle, attributes, run_thread, start);
}

int rely_thread_join(pthread_t thread, void **result) {
    if (self == UNSCHEDULED)
        return pthread_join(thread, result);
    pthread_mutex_lock(&guard);
    int step = step_of_kind(RELY_JOIN);
    if (step == NO_STEP)
        unexpected();
    else
        make_step(step);
    threads[self].blocked = "pthread_join";
    threads[self].is_joining = true;
    threads[self].joined = thread;
    pthread_mutex_unlock(&guard);
    int status = pthread_join(thread, result);
    pthread_mutex_lock(&guard);
    threads[self].blocked = 0;
    threads[self].is_joining = false;
    progress++;
    pthread_mutex_unlock(&guard);
    return status;
}

void rely_thread_exit(void *result) {
    thread_ends();
    pthread_exit(result);
}

/* ---- locks --------------------------------------------------------------------------------- */

/* Tries to get a lock; whether it was refused. */
static bool is_refused(int (*attempt)(void *), void *lock, const char *name) {
    if (self == UNSCHEDULED)
        return attempt(lock) == EBUSY;
    /* With the guard, so that a thread is never seen to wait for what it has just got. */
    pthread_mutex_lock(&guard);
    bool refused = attempt(lock) == EBUSY;
    if (refused)
        threads[self].refusals++;
    else if (threads[self].blocked)
        progress++;
    threads[self].blocked = refused ? name : 0;
    pthread_mutex_unlock(&guard);
    return refused;
}

static void lock_with(int (*attempt)(void *), void *lock, const char *name) {
    before_access(lock, LOCK);
    while (is_refused(attempt, lock, name)) {
        struct timespec moment = {0, 200000};
        nanosleep(&moment, 0);
    }
}

static int try_mutex(void *mutex) {
    return pthread_mutex_trylock(mutex);
}

static int try_spin(void *lock) {
    return pthread_spin_trylock(lock);
}

int rely_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    before_access(mutex, LOCK);
    return pthread_mutex_init(mutex, attributes);
}

int rely_mutex_lock(pthread_mutex_t *mutex) {
    lock_with(try_mutex, mutex, "pthread_mutex_lock");
    return 0;
}

int rely_mutex_trylock(pthread_mutex_t *mutex) {
    before_access(mutex, LOCK);
    return pthread_mutex_trylock(mutex);
}

int rely_mutex_unlock(pthread_mutex_t *mutex) {
    before_access(mutex, LOCK);
    return pthread_mutex_unlock(mutex);
}

int rely_spin_init(pthread_spinlock_t *lock, int is_shared) {
    before_access(lock, LOCK);
    return pthread_spin_init(lock, is_shared);
}

int rely_spin_lock(pthread_spinlock_t *lock) {
    lock_with(try_spin, (void *)lock, "pthread_spin_lock");
    return 0;
}

int rely_spin_trylock(pthread_spinlock_t *lock) {
    before_access(lock, LOCK);
    return pthread_spin_trylock(lock);
}

int rely_spin_unlock(pthread_spinlock_t *lock) {
    before_access(lock, LOCK);
    return pthread_spin_unlock(lock);
}

/* A wait may end without a signal, so when it ends is for the schedule to say. */
int rely_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    (void)condition;
    rely_mutex_unlock(mutex);
    return rely_mutex_lock(mutex);
}

int rely_cond_signal(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}

int rely_cond_broadcast(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}

/* ---- atomic blocks, errors and inputs ------------------------------------------------------- */

void __VERIFIER_atomic_begin(void) {
    if (atomic_depth++ == 0)
        atomic_entered = false;
}

void __VERIFIER_atomic_end(void) {
    if (atomic_depth > 0 && --atomic_depth == 0)
        atomic_entered = false;
}

static bool is_one_of(const void *const *functions, int count, const void *function) {
    for (int index = 0; index < count; index++)
        if (functions[index] == function)
            return true;
    return false;
}

static void error_called(const char *name) {
    char text[256];
    snprintf(text, sizeof text, "`%s` is called", name);
    reproduced(text);
}

void __cyg_profile_func_enter(void *function, void *caller) {
    (void)caller;
    if (is_one_of(rely_schedule.error_functions, rely_schedule.error_function_count, function))
        reproduced(rely_schedule.violation_text);
    if (is_one_of(rely_schedule.atomic_functions, rely_schedule.atomic_function_count, function))
        __VERIFIER_atomic_begin();
}

void __cyg_profile_func_exit(void *function, void *caller) {
    (void)caller;
    if (is_one_of(rely_schedule.atomic_functions, rely_schedule.atomic_function_count, function))
        __VERIFIER_atomic_end();
}

void __tsan_func_entry(void *caller) {
    (void)caller;
}

void __tsan_func_exit(void) {}

void rely_assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    char text[1024];
    snprintf(text, sizeof text, "%s:%u: %s: assertion `%s' failed", file, line, function, condition);
    reproduced(text);
    _exit(NOT_FOLLOWED);
}

__attribute__((weak)) void __VERIFIER_error(void) {
    error_called("__VERIFIER_error");
}

__attribute__((weak)) void reach_error(void) {
    error_called("reach_error");
}

__attribute__((weak)) void __VERIFIER_assert(int condition) {
    if (!condition)
        reproduced("the condition of `__VERIFIER_assert` does not hold");
}

__attribute__((weak)) void __VERIFIER_assume(int condition) {
    if (!condition)
        end(NOT_FOLLOWED, "the condition of `__VERIFIER_assume` does not hold");
}

void rely_abort(void) {
    end(NOT_REPRODUCED, "the program called abort, and no assertion failed");
    _exit(NOT_REPRODUCED);
}

unsigned rely_sleep(unsigned seconds) {
    (void)seconds;
    return 0;
}

int rely_usleep(unsigned microseconds) {
    (void)microseconds;
    return 0;
}

static unsigned long long next_input(void) {
    if (self == UNSCHEDULED || threads[self].inputs >= rely_schedule.threads[self].inputs)
        return 0;
    return rely_schedule.threads[self].input[threads[self].inputs++];
}

int rely_rand(void) {
    return (int)next_input();
}

long rely_random(void) {
    return (long)next_input();
}

#define INPUT(name, type) \
    type __VERIFIER_nondet_##name(void) { return (type)next_input(); } \
    __attribute__((weak)) type nondet_##name(void) { return (type)next_input(); }
INPUT(bool, _Bool)
INPUT(_Bool, _Bool)
INPUT(char, char)
INPUT(schar, signed char)
INPUT(uchar, unsigned char)
INPUT(unsigned_char, unsigned char)
INPUT(u8, uint8_t)
INPUT(uint8_t, uint8_t)
INPUT(short, short)
INPUT(ushort, unsigned short)
INPUT(unsigned_short, unsigned short)
INPUT(u16, uint16_t)
INPUT(uint16_t, uint16_t)
INPUT(int, int)
INPUT(uint, unsigned)
INPUT(unsigned, unsigned)
INPUT(unsigned_int, unsigned)
INPUT(u32, uint32_t)
INPUT(uint32_t, uint32_t)
INPUT(long, long)
INPUT(loff_t, long)
INPUT(ptrdiff_t, long)
INPUT(ssize_t, long)
INPUT(ulong, unsigned long)
INPUT(unsigned_long, unsigned long)
INPUT(size_t, unsigned long)
INPUT(sector_t, unsigned long)
INPUT(u64, uint64_t)
INPUT(uint64_t, uint64_t)
INPUT(pthread_t, unsigned long)
INPUT(pointer, unsigned long)
INPUT(pchar, unsigned long)
INPUT(longlong, long long)
INPUT(ulonglong, unsigned long long)

/* ---- what gcc calls before accesses ---------------------------------------------------------- */

void __tsan_init(void) {}

#define ACCESS(size) \
    void __tsan_read##size(void *address) { before_access(address, RELY_READ); } \
    void __tsan_write##size(void *address) { before_access(address, RELY_WRITE); } \
    void __tsan_volatile_read##size(void *address) { before_access(address, RELY_READ); } \
    void __tsan_volatile_write##size(void *address) { before_access(address, RELY_WRITE); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *address, unsigned long size) {
    (void)size;
    before_access(address, RELY_READ);
}

void __tsan_write_range(void *address, unsigned long size) {
    (void)size;
    before_access(address, RELY_WRITE);
}

void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order) {
    (void)order;
}

#define UPDATE(bits, type, name) \
    type __tsan_atomic##bits##_fetch_##name(volatile type *address, type value, int order) { \
        (void)order; \
        before_access(address, EXCHANGE); \
        return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST); \
    }

#define COMPARE(bits, type, strength) \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *address, type *expected, type desired, \
                                                          int order, int otherwise) { \
        (void)order, (void)otherwise; \
        before_access(address, EXCHANGE); \
        return __atomic_compare_exchange_n(address, expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }

#define ATOMIC(bits, type) \
    type __tsan_atomic##bits##_load(const volatile type *address, int order) { \
        (void)order; \
        before_access(address, RELY_READ); \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST); \
    } \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order) { \
        (void)order; \
        before_access(address, RELY_WRITE); \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST); \
    } \
    type __tsan_atomic##bits##_exchange(volatile type *address, type value, int order) { \
        (void)order; \
        before_access(address, EXCHANGE); \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST); \
    } \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type desired, int order, \
                                                    int otherwise) { \
        (void)order, (void)otherwise; \
        before_access(address, EXCHANGE); \
        __atomic_compare_exchange_n(address, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        return expected; \
    } \
    COMPARE(bits, type, strong) \
    COMPARE(bits, type, weak) \
    UPDATE(bits, type, add) \
    UPDATE(bits, type, sub) \
    UPDATE(bits, type, and) \
    UPDATE(bits, type, or) \
    UPDATE(bits, type, xor) \
    UPDATE(bits, type, nand)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
