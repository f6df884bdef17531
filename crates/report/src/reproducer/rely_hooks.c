/* What the compiled program calls: functions that report errors, inputs, and hooks after undefined operations. */
#define _GNU_SOURCE
#include "rely_runtime.h"
#include <stdio.h>
#include <unistd.h>

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

static void error_called(const void *return_address) {
    violated(line_of(return_address), rely_schedule.violation_text);
}

void __cyg_profile_func_enter(void *function, void *caller) {
    if (is_one_of(rely_schedule.error_functions, rely_schedule.error_function_count, function))
        error_called(caller);
    if (is_one_of(rely_schedule.atomic_functions, rely_schedule.atomic_function_count, function))
        __VERIFIER_atomic_begin();
}

void __cyg_profile_func_exit(void *function, void *caller) {
    (void)caller;
    if (is_one_of(rely_schedule.atomic_functions, rely_schedule.atomic_function_count, function))
        __VERIFIER_atomic_end();
}

void rely_assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    char text[1024];
    snprintf(text, sizeof text, "%s:%u: %s: assertion `%s' failed", file, line, function, condition);
    violated((int)line, text);
    _exit(NOT_FOLLOWED);
}

__attribute__((weak)) void __VERIFIER_error(void) {
    error_called(__builtin_return_address(0));
}

__attribute__((weak)) void reach_error(void) {
    error_called(__builtin_return_address(0));
}

__attribute__((weak)) void __VERIFIER_assert(int condition) {
    if (!condition)
        error_called(__builtin_return_address(0));
}

__attribute__((weak)) void __VERIFIER_assume(int condition) {
    if (!condition)
        end(NOT_FOLLOWED, "the condition of `__VERIFIER_assume` does not hold");
}

void rely_abort(void) {
    if (self != rely_schedule.violating_thread)
        stay_here();
    end(NOT_FOLLOWED, "the program called abort, and no assertion failed");
    _exit(NOT_FOLLOWED);
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
    if (self == UNSCHEDULED)
        return 0;
    if (threads[self].inputs >= rely_schedule.threads[self].inputs && rely_schedule.violation == RELY_ENDLESS)
        threads[self].inputs = rely_schedule.threads[self].first_input_of_loop;
    if (threads[self].inputs >= rely_schedule.threads[self].inputs)
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
    __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return (type)next_input(); } \
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

/* ---- what gcc calls for undefined operations -------------------------------------------------- */

struct operation {
    const char *file;
    unsigned line, column;
};

/* gcc checks more than the trace ends with; what is not the violation goes on as it would anyway. */
static void undefined(const struct operation *operation) {
    bool is_violation = self == rely_schedule.violating_thread && is_violated_line((int)operation->line);
    if (rely_schedule.violation == RELY_UNDEFINED && is_violation)
        violated((int)operation->line, rely_schedule.violation_text);
}

#define UNDEFINED(name) \
    void __ubsan_handle_##name(const struct operation *operation) { undefined(operation); }
UNDEFINED(add_overflow)
UNDEFINED(sub_overflow)
UNDEFINED(mul_overflow)
UNDEFINED(negate_overflow)
UNDEFINED(divrem_overflow)
UNDEFINED(shift_out_of_bounds)
UNDEFINED(out_of_bounds)
UNDEFINED(type_mismatch_v1)
UNDEFINED(pointer_overflow)
