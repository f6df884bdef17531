/* What the parts of the runtime share. */
#ifndef RELY_RUNTIME_H
#define RELY_RUNTIME_H

#include "rely_schedule.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NOT_REPRODUCED = 3, NOT_FOLLOWED = 4 };
enum { MOST_THREADS = 256, UNSCHEDULED = -1, NO_STEP = -1 };

/* How an operation uses memory; an atomic exchange reads and writes at once. */
enum { EXCHANGE = RELY_READ | RELY_WRITE, LOCK = 4 };

struct thread_state {
    int next;   /* no step of the thread before this one is still to come */
    int turn;   /* the turn that it holds or waits for; -1 before the first one */
    int inputs; /* how many were used */
    bool started, ended, has_handle, is_joined, is_detached;
    const char *blocked;       /* in which call it waits for somebody else */
    const void *blocked_place; /* where that call returns to */
    bool is_at_barrier;        /* it has arrived, and waits for the others */
    bool is_joining;           /* it waits for the end of the thread `joined`, not for a lock */
    pthread_t handle, joined;
    unsigned long refusals;    /* how often it was refused a lock */
};

/* Whether waits for condition variables end by signals only: who waits for ever asks for that. */
bool are_waits_exact(void);

/* What follows is used with the guard only. */
void take_guard(void);
void leave_guard(void);
extern struct thread_state threads[MOST_THREADS];
extern unsigned long progress;
extern bool is_over;
extern __thread int self;
extern __thread int atomic_depth;    /* atomic blocks and functions that were entered */
extern __thread bool atomic_entered; /* the block has got its turn */
extern __thread const void *accessed_from; /* where the access returns to, if somebody wants to know */

/* Ends the run: by SIGABRT if the status is 0. */
void end(int status, const char *format, ...);
/* What the thread does next violates the property. */
void violated(int line, const char *what);
/* The thread goes no further. */
void stay_here(void);
bool is_violated_line(int line);
int line_of(const void *return_address);
void nap(long nanoseconds);
/* Waits until it is the turn of an access. */
void before_access(const volatile void *address, int how);
/* The same, and whether the access is the thread's part of a data race. */
bool before_race(const volatile void *address, unsigned long size, int how);
bool before_free(void);
bool before_realloc(void);
/* Stores what pthread_join does, as an access of the program: the library does it unseen. */
void store_result(void **to, void *value, const void *caller);
/* The next step of the thread of a kind, or NO_STEP. */
int step_of_kind(enum rely_kind kind);
/* Waits for the turn of a step, and makes it. */
void make_step(int step);
/* Waits for the turn of an operation that is not in the schedule. */
void unexpected(void);
/* The thread is through with its turns before this one. */
void finish_turns_before(int turn);
/* A call that the library does not allow, if that is what the trace ends with. */
void misused(const void *return_address);

#endif
