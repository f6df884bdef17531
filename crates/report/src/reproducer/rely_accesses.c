/* What gcc calls before accesses to memory: each waits for its turn. */
#include "rely_runtime.h"
#include <stdlib.h>

void __tsan_init(void) {}

void __tsan_func_entry(void *caller) {
    (void)caller;
}

void __tsan_func_exit(void) {}

void rely_free(void *memory) {
    before_free();
    free(memory);
}

void store_result(void **to, void *value, const void *caller) {
    (void)caller;
    *to = value;
}

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
