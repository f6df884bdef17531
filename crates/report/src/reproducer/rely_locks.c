/* Locks and semaphores: who waits for one tries until the schedule lets it have it. */
#define _GNU_SOURCE
#include "rely_runtime.h"
#include <errno.h>
#include <semaphore.h>

/* Who holds a lock. */
enum { MOST_LOCKS = 1024, NOBODY = -1 };
struct holder {
    const volatile void *lock;
    int writer;                /* or NOBODY */
    int depth;                 /* how often the writer holds it */
    int readers[MOST_THREADS]; /* how often each thread holds it for reading */
};
static struct holder holders[MOST_LOCKS];
static int holder_count;

static struct holder *known_holder_of(const volatile void *lock) {
    for (int index = 0; index < holder_count; index++)
        if (holders[index].lock == lock)
            return &holders[index];
    return 0;
}

/* What is known of a lock. Called with the guard. */
static struct holder *holder_of(const volatile void *lock) {
    struct holder *known = known_holder_of(lock);
    if (known)
        return known;
    if (holder_count == MOST_LOCKS)
        end(NOT_FOLLOWED, "there are too many locks");
    holders[holder_count] = (struct holder){.lock = lock, .writer = NOBODY};
    return &holders[holder_count++];
}

enum use { EXCLUSIVE, SHARED, COUNTED };

/* The thread has got a lock. Called with the guard. */
static void note_taken(const volatile void *lock, enum use use) {
    struct holder *holder = holder_of(lock);
    if (use == EXCLUSIVE) {
        holder->writer = self;
        holder->depth++;
    } else if (use == SHARED) {
        holder->readers[self]++;
    }
}

/* One attempt to get a lock; whether it was refused. */
static bool is_refused(int (*attempt)(void *), void *lock, enum use use, const char *name, const void *place) {
    /* With the guard, so that a thread is never seen to wait for what it has just got. */
    take_guard();
    bool refused = attempt(lock) != 0;
    if (refused)
        threads[self].refusals++;
    else if (threads[self].blocked)
        progress++;
    if (!refused)
        note_taken(lock, use);
    threads[self].blocked = refused ? name : 0;
    threads[self].blocked_place = place;
    leave_guard();
    return refused;
}

static int lock_with(int (*attempt)(void *), void *lock, enum use use, const char *name, const void *place) {
    before_access(lock, LOCK);
    while (is_refused(attempt, lock, use, name, place))
        nap(200000);
    return 0;
}

/* One attempt that does not wait; returns what the library says. */
static int try_with(int (*attempt)(void *), void *lock, enum use use) {
    before_access(lock, LOCK);
    take_guard();
    int status = attempt(lock);
    if (status == 0)
        note_taken(lock, use);
    leave_guard();
    return status;
}

/* Before a lock is freed, which the thread must hold. */
static void before_unlock(const volatile void *lock, const void *place) {
    before_access(lock, LOCK);
    take_guard();
    struct holder *holder = holder_of(lock);
    if (holder->readers[self] > 0)
        holder->readers[self]--;
    else if (holder->writer != self)
        misused(place);
    else if (--holder->depth == 0)
        holder->writer = NOBODY;
    leave_guard();
}

/* Before a lock is set up or destroyed, which nobody may hold. */
static void before_renewal(const volatile void *lock, const void *place) {
    before_access(lock, LOCK);
    take_guard();
    struct holder *holder = holder_of(lock);
    if (holder->writer != NOBODY)
        misused(place);
    *holder = (struct holder){.lock = lock, .writer = NOBODY};
    leave_guard();
}

/* Whether a mutex does not let its owner wait for itself. */
static bool complains(pthread_mutex_t *mutex) {
#ifdef __GLIBC__
    bool is_checking = (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK;
#else
    bool is_checking = false;
#endif
    take_guard();
    bool is_own = holder_of(mutex)->writer == self;
    leave_guard();
    return is_checking && is_own;
}

static int try_mutex(void *mutex) { return pthread_mutex_trylock(mutex); }
static int try_spin(void *lock) { return pthread_spin_trylock(lock); }
static int try_read(void *lock) { return pthread_rwlock_tryrdlock(lock); }
static int try_write(void *lock) { return pthread_rwlock_trywrlock(lock); }
static int try_semaphore(void *semaphore) { return sem_trywait(semaphore); }

#define PLACE __builtin_return_address(0)

int rely_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    before_renewal(mutex, PLACE);
    return pthread_mutex_init(mutex, attributes);
}

int rely_mutex_destroy(pthread_mutex_t *mutex) {
    before_renewal(mutex, PLACE);
    return pthread_mutex_destroy(mutex);
}

int rely_mutex_lock(pthread_mutex_t *mutex) {
    if (complains(mutex)) {
        before_access(mutex, LOCK);
        return EDEADLK;
    }
    return lock_with(try_mutex, mutex, EXCLUSIVE, "pthread_mutex_lock", PLACE);
}

int rely_mutex_trylock(pthread_mutex_t *mutex) {
    return try_with(try_mutex, mutex, EXCLUSIVE);
}

int rely_mutex_unlock(pthread_mutex_t *mutex) {
    before_unlock(mutex, PLACE);
    return pthread_mutex_unlock(mutex);
}

/* A spin lock of zeros is free for the trace, but not on every machine. */
static void free_if_new(pthread_spinlock_t *lock) {
    take_guard();
    bool is_new = !known_holder_of(lock);
    holder_of(lock);
    if (is_new && *lock == 0)
        pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE);
    leave_guard();
}

int rely_spin_init(pthread_spinlock_t *lock, int is_shared) {
    before_renewal(lock, PLACE);
    return pthread_spin_init(lock, is_shared);
}

int rely_spin_destroy(pthread_spinlock_t *lock) {
    before_renewal(lock, PLACE);
    return pthread_spin_destroy(lock);
}

int rely_spin_lock(pthread_spinlock_t *lock) {
    free_if_new(lock);
    return lock_with(try_spin, (void *)lock, EXCLUSIVE, "pthread_spin_lock", PLACE);
}

int rely_spin_trylock(pthread_spinlock_t *lock) {
    free_if_new(lock);
    return try_with(try_spin, (void *)lock, EXCLUSIVE);
}

int rely_spin_unlock(pthread_spinlock_t *lock) {
    before_unlock(lock, PLACE);
    return pthread_spin_unlock(lock);
}

int rely_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
    before_access(lock, LOCK);
    return pthread_rwlock_init(lock, attributes);
}

int rely_rwlock_rdlock(pthread_rwlock_t *lock) {
    return lock_with(try_read, lock, SHARED, "pthread_rwlock_rdlock", PLACE);
}

int rely_rwlock_wrlock(pthread_rwlock_t *lock) {
    return lock_with(try_write, lock, EXCLUSIVE, "pthread_rwlock_wrlock", PLACE);
}

int rely_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    return try_with(try_read, lock, SHARED);
}

int rely_rwlock_trywrlock(pthread_rwlock_t *lock) {
    return try_with(try_write, lock, EXCLUSIVE);
}

int rely_rwlock_unlock(pthread_rwlock_t *lock) {
    before_unlock(lock, PLACE);
    return pthread_rwlock_unlock(lock);
}

int rely_sem_init(sem_t *semaphore, int is_shared, unsigned value) {
    before_access(semaphore, LOCK);
    return sem_init(semaphore, is_shared, value);
}

int rely_sem_wait(sem_t *semaphore) {
    return lock_with(try_semaphore, semaphore, COUNTED, "sem_wait", PLACE);
}

int rely_sem_trywait(sem_t *semaphore) {
    return try_with(try_semaphore, semaphore, COUNTED);
}

int rely_sem_post(sem_t *semaphore) {
    before_access(semaphore, LOCK);
    return sem_post(semaphore);
}

int rely_sem_getvalue(sem_t *semaphore, int *value) {
    before_access(semaphore, LOCK);
    return sem_getvalue(semaphore, value);
}

/* Who waits for a condition variable, and how many of them were told to go on. */
struct condition {
    const volatile void *address;
    int waiters, wakeups;
};
static struct condition conditions[MOST_LOCKS];
static int condition_count;

/* Called with the guard. */
static struct condition *condition_at(const volatile void *address) {
    for (int index = 0; index < condition_count; index++)
        if (conditions[index].address == address)
            return &conditions[index];
    if (condition_count == MOST_LOCKS)
        end(NOT_FOLLOWED, "there are too many condition variables");
    conditions[condition_count] = (struct condition){.address = address};
    return &conditions[condition_count++];
}

/* Goes on if somebody was told to. Called with the guard. */
static int try_to_wake(void *address) {
    struct condition *condition = condition_at(address);
    if (condition->wakeups == 0)
        return 1;
    condition->waiters--;
    condition->wakeups--;
    return 0;
}

/* A wait that ends by a signal. In the schedule these are the steps: the thread counts itself among those who wait,
   gives the mutex back, is told to go on, and takes the mutex. */
static int wait_for_signal(pthread_cond_t *condition, pthread_mutex_t *mutex, const void *place) {
    before_access(condition, LOCK);
    take_guard();
    condition_at(condition)->waiters++;
    leave_guard();
    before_unlock(mutex, place);
    int status = pthread_mutex_unlock(mutex);
    if (status != 0)
        return status;
    lock_with(try_to_wake, condition, COUNTED, "pthread_cond_wait", place);
    return lock_with(try_mutex, mutex, EXCLUSIVE, "pthread_cond_wait", place);
}

/* Where a thread that waits for ever is at stake, waits end by signals. Otherwise a wait may end without one, so when it
   ends is for the schedule to say. */
int rely_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    if (are_waits_exact())
        return wait_for_signal(condition, mutex, PLACE);
    before_unlock(mutex, PLACE);
    int status = pthread_mutex_unlock(mutex);
    if (status != 0)
        return status;
    return lock_with(try_mutex, mutex, EXCLUSIVE, "pthread_cond_wait", PLACE);
}

static int wake(pthread_cond_t *address, bool wakes_all) {
    if (!are_waits_exact())
        return 0;
    before_access(address, LOCK);
    take_guard();
    struct condition *condition = condition_at(address);
    if (condition->wakeups < condition->waiters)
        condition->wakeups = wakes_all ? condition->waiters : condition->wakeups + 1;
    leave_guard();
    return 0;
}

int rely_cond_signal(pthread_cond_t *condition) {
    return wake(condition, false);
}

int rely_cond_broadcast(pthread_cond_t *condition) {
    return wake(condition, true);
}
