/*
 * What gcc calls before accesses to memory, for data races: each waits for its turn and goes on to ThreadSanitizer.
 *
 * The two racing threads make their last accesses with nothing in between, and ThreadSanitizer says whether the program
 * has put them into an order. The turns do not: it does not see how the runtime makes threads wait.
 */
#define _GNU_SOURCE
#include "rely_runtime.h"
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define CALLER __builtin_return_address(0)

void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
int __tsan_get_report_data(void *report, const char **description, int *count, int *stacks, int *accesses,
                           int *places, int *mutexes, int *threads, int *names, void **sleep, unsigned long depth);
int __tsan_get_report_mop(void *report, unsigned long index, int *thread, void **address, int *size, int *write,
                          int *atomic, void **stack, unsigned long depth);

/* ---- the race ------------------------------------------------------------------------------- */

static const char *racing_from, *racing_to; /* what the first of the racing accesses is about */
static bool is_reported;
static int racers;

/* Every race is told, however alike it is to another one. */
const char *__tsan_default_options(void) {
    return "suppress_equal_stacks=0:suppress_equal_addresses=0:report_thread_leaks=0:report_signal_unsafe=0";
}

void __tsan_on_report(void *report) {
    const char *description = 0;
    int count, stacks, accesses = 0, places, mutexes, threads, names, thread, size = 0, write, atomic;
    void *sleep[1], *stack[1], *address = 0;
    __tsan_get_report_data(report, &description, &count, &stacks, &accesses, &places, &mutexes, &threads, &names, sleep,
                           1);
    if (accesses < 2)
        return;
    __tsan_get_report_mop(report, 0, &thread, &address, &size, &write, &atomic, stack, 1);
    const char *from = address;
    is_reported |= racers == 1 && from < racing_to && racing_from < from + size;
}

/* A racing access was made. What comes behind it could bring both into an order, so nobody goes on. The other thread
   has its turn when this one stays. */
static void raced(const volatile void *address, unsigned long size) {
    take_guard();
    if (racers == 0) {
        racing_from = (const char *)address;
        racing_to = racing_from + size;
        racers = 1;
        leave_guard();
        stay_here();
    }
    if (is_reported)
        end(0, "reproduced: %s", rely_schedule.violation_text);
    end(NOT_REPRODUCED, "both accesses were made, and ThreadSanitizer does not report them");
}

/* ---- accesses ------------------------------------------------------------------------------- */

#define PLAIN(name, size, how, told) \
    void __tsan_##told##size##_pc(void *address, void *place); \
    void __tsan_##name##size(void *address) { \
        accessed_from = CALLER; \
        bool races = before_race(address, size, how); \
        __tsan_##told##size##_pc(address, CALLER); \
        if (races) \
            raced(address, size); \
    }
#define ACCESS(size) \
    PLAIN(read, size, RELY_READ, read) \
    PLAIN(write, size, RELY_WRITE, write) \
    PLAIN(volatile_read, size, RELY_READ, read) \
    PLAIN(volatile_write, size, RELY_WRITE, write)
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

#define RANGE(name, how) \
    void __tsan_##name##_range_pc(void *address, unsigned long size, void *place); \
    void __tsan_##name##_range(void *address, unsigned long size) { \
        accessed_from = CALLER; \
        bool races = before_race(address, size, how); \
        __tsan_##name##_range_pc(address, size, CALLER); \
        if (races) \
            raced(address, size); \
    }
RANGE(read, RELY_READ)
RANGE(write, RELY_WRITE)

/* ---- atomic accesses and functions of the library, which show as functions that the program calls ---- */

#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) \
        next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define BEFORE(address, size, how) \
    accessed_from = CALLER; \
    bool races = before_race(address, size, how); \
    __tsan_func_entry(CALLER)

#define AFTER(address, size) \
    __tsan_func_exit(); \
    if (races) \
        raced(address, size)

#define UPDATE(bits, type, name) \
    type __tsan_atomic##bits##_##name(volatile type *address, type value, int order) { \
        NEXT(__tsan_atomic##bits##_##name); \
        BEFORE(address, bits / 8, EXCHANGE); \
        type old = next(address, value, order); \
        AFTER(address, bits / 8); \
        return old; \
    }

#define COMPARE(bits, type, strength) \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *address, type *expected, type desired, \
                                                          int order, int otherwise) { \
        NEXT(__tsan_atomic##bits##_compare_exchange_##strength); \
        BEFORE(address, bits / 8, EXCHANGE); \
        int equal = next(address, expected, desired, order, otherwise); \
        AFTER(address, bits / 8); \
        return equal; \
    }

#define ATOMIC(bits, type) \
    type __tsan_atomic##bits##_load(const volatile type *address, int order) { \
        NEXT(__tsan_atomic##bits##_load); \
        BEFORE(address, bits / 8, RELY_READ); \
        type value = next(address, order); \
        AFTER(address, bits / 8); \
        return value; \
    } \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order) { \
        NEXT(__tsan_atomic##bits##_store); \
        BEFORE(address, bits / 8, RELY_WRITE); \
        next(address, value, order); \
        AFTER(address, bits / 8); \
    } \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, type desired, int order, \
                                                    int otherwise) { \
        NEXT(__tsan_atomic##bits##_compare_exchange_val); \
        BEFORE(address, bits / 8, EXCHANGE); \
        type old = next(address, expected, desired, order, otherwise); \
        AFTER(address, bits / 8); \
        return old; \
    } \
    COMPARE(bits, type, strong) \
    COMPARE(bits, type, weak) \
    UPDATE(bits, type, exchange) \
    UPDATE(bits, type, fetch_add) \
    UPDATE(bits, type, fetch_sub) \
    UPDATE(bits, type, fetch_and) \
    UPDATE(bits, type, fetch_or) \
    UPDATE(bits, type, fetch_xor) \
    UPDATE(bits, type, fetch_nand)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void *rely_memset(void *to, int byte, size_t size) {
    BEFORE(to, size, RELY_WRITE);
    memset(to, byte, size);
    AFTER(to, size);
    return to;
}

/* It modifies all that it takes. */
void rely_free(void *memory) {
    size_t size = malloc_usable_size(memory);
    bool races = before_free();
    __tsan_func_entry(CALLER);
    free(memory);
    AFTER(memory, size);
}

void *rely_realloc(void *memory, size_t size) {
    size_t old = memory ? malloc_usable_size(memory) : 0;
    bool races = before_realloc();
    __tsan_func_entry(CALLER);
    void *moved = realloc(memory, size);
    AFTER(memory, old);
    return moved;
}

/* A copy reads and writes at once: which of the two races, the schedule knows. */
static void *copy(void *to, const void *from, size_t size, void *(*copies)(void *, const void *, size_t), void *caller) {
    accessed_from = caller;
    bool reads = before_race(from, size, RELY_READ);
    bool writes = !reads && before_race(to, size, RELY_WRITE);
    __tsan_func_entry(caller);
    copies(to, from, size);
    __tsan_func_exit();
    if (reads || writes)
        raced(reads ? from : to, size);
    return to;
}

void *rely_memcpy(void *to, const void *from, size_t size) {
    return copy(to, from, size, memcpy, CALLER);
}

static void *copy_text(void *to, const void *from, size_t size) {
    (void)size;
    return strcpy(to, from);
}

char *rely_strcpy(char *to, const char *from) {
    size_t size = 1;
    for (const char *at = from; *at; at++)
        size++; /* strlen would show as an access */
    return copy(to, from, size, copy_text, CALLER);
}

void store_result(void **to, void *value, const void *caller) {
    accessed_from = caller;
    bool races = before_race(to, sizeof *to, RELY_WRITE);
    __tsan_write8_pc(to, (void *)caller);
    *to = value;
    if (races)
        raced(to, sizeof *to);
}

/* ---- what makes threads wait for each other: to begin and to end are two steps ------------------- */

int rely_once(pthread_once_t *once, void (*function)(void)) {
    before_access(once, LOCK);
    int status = pthread_once(once, function);
    before_access(once, LOCK);
    return status;
}

int rely_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count) {
    before_access(barrier, LOCK);
    return pthread_barrier_init(barrier, attributes, count);
}

int rely_barrier_wait(pthread_barrier_t *barrier) {
    before_access(barrier, LOCK);
    threads[self].is_at_barrier = true;
    int status = pthread_barrier_wait(barrier);
    threads[self].is_at_barrier = false;
    before_access(barrier, LOCK);
    return status;
}
