/* Threads: who they are in the schedule, when they begin, and who waits for their end. */
#define _GNU_SOURCE
#include "rely_runtime.h"
#include <stdlib.h>

struct start {
    int thread;
    void *(*function)(void *);
    void *argument;
};

static void thread_ends(void) {
    if (self == UNSCHEDULED)
        return;
    take_guard();
    finish_turns_before(rely_schedule.turns);
    threads[self].ended = true;
    leave_guard();
}

static void know_handle(int thread, pthread_t handle) {
    take_guard();
    threads[thread].handle = handle;
    threads[thread].has_handle = true;
    leave_guard();
}

static void *run_thread(void *data) {
    struct start start = *(struct start *)data;
    free(data);
    self = start.thread;
    if (self == UNSCHEDULED)
        stay_here();
    know_handle(self, pthread_self());
    void *result = start.function(start.argument);
    thread_ends();
    return result;
}

int rely_thread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    struct start *start = malloc(sizeof *start);
    if (!start)
        end(NOT_FOLLOWED, "there is no memory");
    *start = (struct start){UNSCHEDULED, function, argument};
    take_guard();
    int step = step_of_kind(RELY_CREATE);
    if (step == NO_STEP) {
        unexpected();
    } else {
        make_step(step);
        start->thread = rely_schedule.steps[step].created;
        threads[start->thread].started = true;
    }
    leave_guard();
    int thread = start->thread;
    pthread_t created;
    int status = pthread_create(&created, attributes, run_thread, start);
    if (status == 0 && thread != UNSCHEDULED)
        know_handle(thread, created);
    if (status == 0 && handle)
        *handle = created;
    return status;
}

/* The thread of a handle, or UNSCHEDULED. Called with the guard. */
static int thread_of(pthread_t handle) {
    for (int index = 0; index < rely_schedule.thread_count; index++)
        if (threads[index].has_handle && pthread_equal(threads[index].handle, handle))
            return index;
    return UNSCHEDULED;
}

void misused(const void *return_address) {
    if (rely_schedule.violation != RELY_MISUSE || self != rely_schedule.violating_thread)
        return;
    int line = line_of(return_address);
    if (is_violated_line(line))
        violated(line, rely_schedule.violation_text);
}

/* Waits for the turn of a call that ends the use of a handle. Returns the thread of the handle. Called with the
   guard. */
static int use_up(pthread_t handle, int step, const void *return_address) {
    if (step == NO_STEP)
        unexpected();
    else
        make_step(step);
    int thread = thread_of(handle);
    bool is_used_up = thread != UNSCHEDULED && (threads[thread].is_joined || threads[thread].is_detached);
    if (!handle || is_used_up || thread == self)
        misused(return_address);
    return thread;
}

int rely_thread_join(pthread_t handle, void **result) {
    const void *place = __builtin_return_address(0);
    take_guard();
    int thread = use_up(handle, step_of_kind(RELY_JOIN), place);
    threads[self].blocked = "pthread_join";
    threads[self].blocked_place = place;
    threads[self].is_joining = true;
    threads[self].joined = handle;
    leave_guard();
    void *value = 0;
    int status = pthread_join(handle, &value);
    if (status == 0 && result)
        store_result(result, value, place);
    take_guard();
    threads[self].blocked = 0;
    threads[self].is_joining = false;
    if (thread != UNSCHEDULED)
        threads[thread].is_joined = true;
    progress++;
    leave_guard();
    return status;
}

int rely_thread_detach(pthread_t handle) {
    take_guard();
    int thread = use_up(handle, NO_STEP, __builtin_return_address(0));
    if (thread != UNSCHEDULED)
        threads[thread].is_detached = true;
    leave_guard();
    return pthread_detach(handle);
}

void rely_thread_exit(void *result) {
    thread_ends();
    pthread_exit(result);
}
