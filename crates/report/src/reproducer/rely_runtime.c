/*
 * Makes the threads of a program take turns as a schedule says.
 *
 * The program is compiled with -fsanitize=thread, which makes gcc call a function before each
 * access to memory. Those functions are not gcc's but the ones in rely_accesses.c: they find the
 * step of the schedule to which the access belongs and wait until it is its turn. So the program
 * itself runs unchanged; only when its threads go on is decided here.
 *
 * How it ends:  SIGABRT  the violation was reproduced, in the thread and at the line of the trace
 *               3        the schedule was followed to its end, and nothing failed
 *               4        the schedule could not be followed, or something else failed
 */
#define _GNU_SOURCE
#include "rely_runtime.h"
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { TICK_MS = 5, GRACE_MS = 2000, PATIENCE_MS = 10000, WATCHED_SECONDS = 3, FEW_TICKS = 20 };

struct bound_cell {
    int variable;
    unsigned long element;
    const volatile void *address;
};

struct thread_state threads[MOST_THREADS];
unsigned long progress;
bool is_over;
__thread int self;
__thread int atomic_depth;
__thread bool atomic_entered;
__thread const void *accessed_from;

static unsigned char *taken;    /* for each step: whether it was made or passed over */
static unsigned char *finished; /* for each turn */
static int current_turn;
static unsigned long rounds; /* how often the loop of an endless run was repeated */
static struct bound_cell *bound;
static int bound_count;

/* ---- the guard --------------------------------------------------------------------------- */

/* Who is in the runtime. Neither a mutex nor a condition variable of the library, which ThreadSanitizer would take for
   synchronisation of the program: then what is about to race would look ordered. */
static int guarded;
static unsigned changes;

void take_guard(void) {
    while (__atomic_exchange_n(&guarded, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

void leave_guard(void) {
    __atomic_store_n(&guarded, 0, __ATOMIC_RELEASE);
}

/* Called with the guard, which others have meanwhile. */
static void wait_for_change(void) {
    unsigned seen = changes;
    leave_guard();
    syscall(SYS_futex, &changes, FUTEX_WAIT_PRIVATE, seen, 0, 0, 0);
    take_guard();
}

static void announce_change(void) {
    __atomic_add_fetch(&changes, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &changes, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
}

void nap(long nanoseconds) {
    struct timespec moment = {0, nanoseconds};
    syscall(SYS_nanosleep, &moment, 0);
}

/* ---- endings ---------------------------------------------------------------------------- */

void end(int status, const char *format, ...) {
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

/* Whoever ends the run decides how. */
static void wait_if_over(void) {
    while (is_over)
        pause();
}

static const char *own_name(void) {
    return self == UNSCHEDULED ? "a thread that is not in the trace" : rely_schedule.threads[self].name;
}

/* The line of the call that returns to an address, 0 if it cannot be found out. */
int line_of(const void *return_address) {
    char command[128], answer[4096];
    /* That of a thread that runs: main may have ended. */
    snprintf(command, sizeof command, "addr2line -e /proc/%d/task/%d/exe %p 2>/dev/null", (int)getpid(),
             (int)gettid(), (const void *)((const char *)return_address - 1));
    FILE *lines = popen(command, "r");
    if (!lines)
        return 0;
    char *colon = fgets(answer, sizeof answer, lines) ? strrchr(answer, ':') : 0;
    pclose(lines);
    return colon ? atoi(colon + 1) : 0;
}

bool is_violated_line(int line) {
    return !line || !rely_schedule.first_line || (rely_schedule.first_line <= line && line <= rely_schedule.last_line);
}

static void not_followed(const char *why) {
    for (int step = 0; step < rely_schedule.step_count; step++) {
        const struct rely_step *awaited = &rely_schedule.steps[step];
        if (!taken[step])
            end(NOT_FOLLOWED, "the schedule could not be followed: %s; the next step is that of %s at line %d: %s",
                why, rely_schedule.threads[awaited->thread].name, awaited->line, awaited->text);
    }
    if (rely_schedule.violation == RELY_DEADLOCK || rely_schedule.violation == RELY_WAITING)
        end(NOT_REPRODUCED, "the schedule was followed to its end, and there is no deadlock (%s)", why);
    if (rely_schedule.violation == RELY_ENDLESS)
        end(NOT_REPRODUCED, "the schedule was followed to its end, and the run does not go on for ever (%s)", why);
    end(NOT_REPRODUCED, "the schedule was followed to its end, and nothing failed (%s)", why);
}

/* Something failed: the violation of the trace, or one that the trace does not know. */
void violated(int line, const char *what) {
    wait_if_over();
    if (self != rely_schedule.violating_thread) {
        fprintf(stderr, "rely: %s waits before line %d, where it would fail, too\n", own_name(), line);
        stay_here();
    }
    if (!is_violated_line(line))
        end(NOT_FOLLOWED, "%s fails at line %d, but the violation is %s", own_name(), line,
            rely_schedule.violation_text);
    end(0, "reproduced: %s (in %s)", what, own_name());
}

/* main returns, or somebody calls exit. In the trace nobody does before the violation. */
static void at_exit(void) {
    wait_if_over();
    if (self == rely_schedule.violating_thread || self == UNSCHEDULED)
        not_followed("the program ended");
    stay_here();
}

static const void *place_of_signal(void *data) {
#if defined __x86_64__
    const greg_t *registers = ((ucontext_t *)data)->uc_mcontext.gregs;
    const char *at = (const char *)registers[REG_RIP];
    /* A call of a null pointer: the address behind the call lies on the stack. */
    return at ? at + 1 : *(const char *const *)registers[REG_RSP];
#elif defined __aarch64__
    const mcontext_t *machine = &((ucontext_t *)data)->uc_mcontext;
    return machine->pc ? (const char *)machine->pc + 1 : (const char *)machine->regs[30];
#else
    return (void)data, (const void *)0;
#endif
}

static void on_signal(int number, siginfo_t *info, void *data) {
    (void)info;
    const void *place = place_of_signal(data);
    int line = place ? line_of(place) : 0;
    if (rely_schedule.violation == RELY_UNDEFINED || self != rely_schedule.violating_thread)
        violated(line, rely_schedule.violation_text);
    end(NOT_FOLLOWED, "%s was stopped by signal %d at line %d", own_name(), number, line);
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
    if (how == LOCK)
        return true; /* a lock that is refused is only looked at */
    if (how == EXCHANGE)
        return (wanted & RELY_WRITE) != 0;
    return wanted == how || (atomic_depth && (wanted & how));
}

/* Whether the program is at the line of a step, as far as that can be found out. */
static bool is_at_line(const struct rely_step *step) {
    static __thread const void *known_place;
    static __thread int known_line;
    if (!accessed_from)
        return true;
    if (accessed_from != known_place) {
        known_place = accessed_from;
        known_line = line_of(accessed_from);
    }
    return !known_line || known_line == step->line;
}

/* A cell without a name is what the first access is about that can be the one of the step. On a stack there are many
   others that nobody shares, so the line has to be the same, too. */
static bool can_bind(const struct rely_step *step, const struct rely_variable *variable, const volatile void *address) {
    return !is_bound(address) && (variable->may_be_on_stack ? is_at_line(step) : !is_on_own_stack(address));
}

static bool is_access(const struct rely_step *step, const struct rely_access *access, const volatile void *address,
                      int known, bool may_bind) {
    const struct rely_variable *variable = &rely_schedule.variables[access->variable];
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
    if (!may_bind || known >= 0 || !can_bind(step, variable, address))
        return false;
    bound[bound_count++] = (struct bound_cell){access->variable, access->element, address};
    return true;
}

static bool is_step(int step, const volatile void *address, int known, int how, bool may_bind) {
    const struct rely_step *candidate = &rely_schedule.steps[step];
    for (int index = 0; index < candidate->accesses; index++) {
        const struct rely_access *access = &rely_schedule.accesses[candidate->first_access + index];
        /* A racing thread may read and write at once where the schedule means one of them. */
        bool fits = candidate->kind == RELY_RACE ? (access->how & how) != 0 : is_how(how, access->how);
        if (fits && is_access(candidate, access, address, known, may_bind))
            return true;
    }
    return false;
}

static int step_of_access(const volatile void *address, int known, int how) {
    bool is_first = true;
    for (int step = threads[self].next; step < rely_schedule.step_count; step++) {
        const struct rely_step *candidate = &rely_schedule.steps[step];
        if (taken[step] || candidate->thread != self)
            continue;
        if (candidate->kind == RELY_ACCESS && is_step(step, address, known, how, is_first))
            return step;
        is_first = false;
    }
    return NO_STEP;
}

int step_of_kind(enum rely_kind kind) {
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

bool are_waits_exact(void) {
    return rely_schedule.violation == RELY_DEADLOCK || rely_schedule.violation == RELY_WAITING ||
           rely_schedule.violation == RELY_ENDLESS;
}

/* The turns of the loop are to be made once more. */
static void begin_next_round(void) {
    rounds++;
    int first = rely_schedule.step_count;
    for (int step = rely_schedule.step_count - 1; step >= 0 && rely_schedule.steps[step].turn >= rely_schedule.loop_turn; step--) {
        taken[step] = 0;
        first = step;
    }
    memset(finished + rely_schedule.loop_turn, 0, rely_schedule.turns - rely_schedule.loop_turn);
    for (int index = 0; index < rely_schedule.thread_count; index++) {
        threads[index].next = first;
        threads[index].turn = -1;
    }
    current_turn = rely_schedule.loop_turn;
}

static void pass_finished_turns(void) {
    while (current_turn < rely_schedule.turns && finished[current_turn])
        current_turn++;
    if (rely_schedule.loop_turn < rely_schedule.turns && current_turn == rely_schedule.turns)
        begin_next_round();
    progress++;
    announce_change();
}

void finish_turns_before(int turn) {
    for (int step = threads[self].next; step < rely_schedule.step_count && rely_schedule.steps[step].turn < turn; step++)
        if (rely_schedule.steps[step].thread == self) {
            taken[step] = 1;
            finished[rely_schedule.steps[step].turn] = 1;
            threads[self].next = step + 1;
        }
    if (threads[self].turn >= 0 && threads[self].turn < turn)
        finished[threads[self].turn] = 1;
    pass_finished_turns();
}

static bool is_schedule_over(void) {
    return current_turn >= rely_schedule.turns;
}

static void wait_for_end_of_schedule(void) {
    finish_turns_before(rely_schedule.turns);
    while (!is_schedule_over())
        wait_for_change();
}

/* A thread that goes no further in the trace goes no further here. Called with the guard. */
static void park(void) {
    finish_turns_before(rely_schedule.turns);
    for (;;)
        wait_for_change();
}

void stay_here(void) {
    take_guard();
    if (self == UNSCHEDULED)
        for (;;)
            wait_for_change();
    park();
}

/* Who goes round for ever has steps again when all have made theirs. Whether there are any of this thread, which nobody
   else may notice; otherwise it is not held up. */
static bool is_in_loop(void) {
    if (rely_schedule.violation != RELY_ENDLESS || !rely_schedule.threads[self].loops)
        return false;
    bool has_steps = false;
    for (int step = 0; step < rely_schedule.step_count; step++)
        has_steps |= rely_schedule.steps[step].thread == self && rely_schedule.steps[step].turn >= rely_schedule.loop_turn;
    if (next_step() == NO_STEP)
        finish_turns_before(rely_schedule.turns);
    while (has_steps && next_step() == NO_STEP)
        wait_for_change();
    return !has_steps && next_step() == NO_STEP;
}

/* What a thread does that has no more steps in the schedule. */
static void run_on_or_wait(void) {
    bool run_freely = rely_schedule.violation == RELY_DEADLOCK || rely_schedule.violation == RELY_WAITING;
    if (run_freely || self == rely_schedule.violating_thread)
        wait_for_end_of_schedule();
    else if (!rely_schedule.threads[self].ends)
        park();
}

static void wait_for_turn(int turn) {
    if (threads[self].turn != turn)
        finish_turns_before(turn);
    threads[self].turn = turn;
    while (current_turn < turn)
        wait_for_change();
    progress++;
}

void make_step(int step) {
    wait_for_turn(rely_schedule.steps[step].turn);
    taken[step] = 1;
    while (threads[self].next < rely_schedule.step_count &&
           (rely_schedule.steps[threads[self].next].thread != self || taken[threads[self].next]))
        threads[self].next++;
}

/* An operation that is not in the schedule comes directly before the thread's next step in it. */
void unexpected(void) {
    int step = next_step();
    if (step == NO_STEP)
        run_on_or_wait();
    else
        wait_for_turn(rely_schedule.steps[step].turn);
}

static bool is_in_atomic_block(void) {
    return atomic_depth > 0;
}

void before_access(const volatile void *address, int how) {
    if (self == UNSCHEDULED || is_over || (is_in_atomic_block() && atomic_entered))
        return;
    int known = variable_at(address);
    if (known >= 0 && !rely_schedule.variables[known].is_shared && how != LOCK)
        return;
    take_guard();
    bool is_free = is_in_loop();
    int step = is_free ? NO_STEP : step_of_access(address, known, how);
    if (step != NO_STEP) {
        make_step(step);
        atomic_entered = true;
    } else if (is_free) {
        progress++;
    } else if (known >= 0 || how == LOCK || next_step() == NO_STEP) {
        unexpected();
    }
    leave_guard();
}

/* Whether a step is about one of the bytes. */
static bool is_step_in(int step, const volatile void *address, unsigned long size, int how, bool may_bind) {
    for (unsigned long at = 0; at < size; at++) {
        const volatile void *byte = (const volatile char *)address + at;
        if (is_step(step, byte, variable_at(byte), how, may_bind && at == 0))
            return true;
    }
    return false;
}

/* The racing step of the thread, if the access is all that is left of its schedule: a copy of a structure is one
   access here and several steps there. */
static int race_of_access(const volatile void *address, unsigned long size, int how) {
    bool is_first = true;
    for (int step = threads[self].next; step < rely_schedule.step_count; step++) {
        if (taken[step] || rely_schedule.steps[step].thread != self)
            continue;
        if (!is_step_in(step, address, size, how, is_first))
            return NO_STEP;
        if (rely_schedule.steps[step].kind == RELY_RACE)
            return step;
        is_first = false;
    }
    return NO_STEP;
}

bool before_race(const volatile void *address, unsigned long size, int how) {
    if (self == UNSCHEDULED || is_over)
        return false;
    take_guard();
    int step = race_of_access(address, size, how);
    if (step != NO_STEP)
        make_step(step);
    leave_guard();
    if (step == NO_STEP)
        before_access(address, how);
    return step != NO_STEP;
}

/* The turn of a thread that frees memory, all of it at once; whether that is a racing access. */
bool before_free(void) {
    if (self == UNSCHEDULED || is_over)
        return false;
    take_guard();
    int step = next_step();
    if (step != NO_STEP && !strstr(rely_schedule.steps[step].text, "free"))
        step = NO_STEP;
    if (step != NO_STEP)
        make_step(step);
    leave_guard();
    return step != NO_STEP && rely_schedule.steps[step].kind == RELY_RACE;
}

/* The same where memory is moved: one statement reads, writes and frees it in many steps. */
bool before_realloc(void) {
    bool races = false;
    if (self == UNSCHEDULED || is_over)
        return false;
    take_guard();
    int line = 0;
    for (int step = next_step(); !races && step != NO_STEP; step = next_step()) {
        const struct rely_step *next = &rely_schedule.steps[step];
        if (!strstr(next->text, "realloc") || (line && next->line != line))
            break;
        line = next->line;
        make_step(step);
        races = next->kind == RELY_RACE;
    }
    leave_guard();
    return races;
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

/* Threads of the schedule wait, whatever the others do. */
static bool do_some_wait(void) {
    for (int index = 0; index < rely_schedule.thread_count; index++) {
        bool goes_on = !threads[index].started || threads[index].ended || !threads[index].blocked ||
                       (threads[index].is_joining && !is_joined_running(index));
        if (rely_schedule.threads[index].waits && goes_on)
            return false;
    }
    return is_schedule_over();
}

/* All threads of the loop are in it. */
static bool do_some_loop(void) {
    for (int index = 0; index < rely_schedule.thread_count; index++)
        if (rely_schedule.threads[index].loops && (!threads[index].started || threads[index].ended))
            return false;
    return current_turn >= rely_schedule.loop_turn && (rounds >= 2 || rely_schedule.loop_turn == rely_schedule.turns);
}

/* What goes on for ever has gone on for some seconds: nobody can watch for longer than that. Called at each tick. */
static bool has_gone_on(bool does_go_on) {
    static struct timespec begin;
    static int ticks;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (ticks == 0)
        begin = now;
    ticks = does_go_on ? ticks + 1 : 0;
    return ticks > FEW_TICKS && now.tv_sec - begin.tv_sec > WATCHED_SECONDS;
}

static void report_endless(void) {
    for (int index = 0; index < rely_schedule.thread_count; index++)
        if (rely_schedule.threads[index].loops)
            fprintf(stderr, "rely: %s goes round its loop\n", rely_schedule.threads[index].name);
    if (rounds)
        end(0, "reproduced: the run goes on after %d seconds and %lu rounds of its loop", WATCHED_SECONDS, rounds);
    end(0, "reproduced: the run goes on after %d seconds in its loop", WATCHED_SECONDS);
}

static void report_deadlock(void) {
    bool only_some = rely_schedule.violation == RELY_WAITING;
    for (int index = 0; index < rely_schedule.thread_count; index++) {
        const struct rely_thread *waiting = &rely_schedule.threads[index];
        if (!threads[index].started || threads[index].ended || (only_some && !waiting->waits))
            continue;
        int line = line_of(threads[index].blocked_place);
        fprintf(stderr, "rely: %s waits in %s at line %d\n", waiting->name, threads[index].blocked, line);
        if (line && waiting->first_line && (line < waiting->first_line || waiting->last_line < line))
            end(NOT_FOLLOWED, "every thread waits, but in the trace %s does at line %d", waiting->name,
                waiting->first_line);
    }
    if (only_some)
        end(0, "reproduced: it still waits after %d seconds, whatever the others do", WATCHED_SECONDS);
    end(0, "reproduced: every thread waits, and none can go on");
}

/* Whoever has the turn made all its steps and comes back no more, as in an endless loop. */
static void end_silent_turn(void) {
    for (int step = 0; step < rely_schedule.step_count; step++)
        if (rely_schedule.steps[step].turn == current_turn && !taken[step])
            return;
    if (is_schedule_over())
        return;
    finished[current_turn] = 1;
    pass_finished_turns();
}

/* Who waits at a barrier lets the others arrive. */
static bool is_turn_at_barrier(void) {
    for (int index = 0; index < rely_schedule.thread_count; index++)
        if (threads[index].is_at_barrier && threads[index].turn == current_turn)
            return true;
    return false;
}

static void *watch(void *unused) {
    (void)unused;
    self = UNSCHEDULED;
    unsigned long seen = 0;
    int still = 0;
    for (;;) {
        nap(TICK_MS * 1000000L);
        take_guard();
        still = progress == seen ? still + TICK_MS : 0;
        seen = progress;
        if (rely_schedule.violation == RELY_DEADLOCK && is_deadlock())
            report_deadlock();
        if (rely_schedule.violation == RELY_WAITING && has_gone_on(do_some_wait()))
            report_deadlock();
        if (rely_schedule.violation == RELY_ENDLESS && has_gone_on(do_some_loop()))
            report_endless();
        if (still == GRACE_MS || is_turn_at_barrier())
            end_silent_turn();
        if (still >= PATIENCE_MS)
            not_followed("nothing happened for 10 seconds");
        leave_guard();
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
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    const int failures[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP};
    for (size_t index = 0; index < sizeof failures / sizeof *failures; index++)
        sigaction(failures[index], &action, 0);
    pthread_t watcher;
    if (pthread_create(&watcher, 0, watch, 0) != 0)
        end(NOT_FOLLOWED, "no thread can be created");
    pthread_detach(watcher);
}
