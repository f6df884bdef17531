/* The schedule of a reproducer: what reproducer.c says and rely_runtime.c follows. */
#ifndef RELY_SCHEDULE_H
#define RELY_SCHEDULE_H

/* How an access uses a cell. */
enum { RELY_READ = 1, RELY_WRITE = 2 };

/* What a step is. */
enum rely_kind {
    RELY_ACCESS,
    RELY_CREATE,
    RELY_JOIN,
    RELY_RACE /* one of the two accesses at the end of a data race */
};

/* A variable of the program. */
struct rely_variable {
    const char *name;
    const volatile void *address; /* null: found out when it is accessed for the first time */
    unsigned long size;
    unsigned long elements; /* 0: somewhere between address and address + size */
    int is_shared;          /* others are not scheduled */
    int may_be_on_stack;
};

/* Which cell a step accesses, and how. */
#define RELY_ANY_ELEMENT (~0UL)
struct rely_access {
    int variable;
    unsigned long element;
    int how;
};

/* A step that other threads can notice. */
struct rely_step {
    int thread;
    enum rely_kind kind;
    int turn; /* steps of one thread with nothing in between have the same turn */
    int first_access, accesses;
    int created; /* for RELY_CREATE: the new thread */
    int line;
    const char *text;
};

struct rely_thread {
    const char *name;
    int ends; /* whether it has ended when the schedule is through */
    int waits;                 /* whether it waits for ever in the end */
    int loops;                 /* whether it takes part in a loop without end */
    int first_line, last_line; /* of what it waits for in a deadlock, 0 if that is not known */
    int inputs;
    int first_input_of_loop;         /* these are used again in each round */
    const unsigned long long *input; /* what the __VERIFIER_nondet functions return, in order */
};

/* What goes wrong at the end. */
enum rely_violation {
    RELY_ASSERTION, /* an error is reported by the program itself */
    RELY_UNDEFINED, /* an operation that gcc is told to watch, or a signal */
    RELY_MISUSE,    /* a call that the library does not allow */
    RELY_DEADLOCK,
    RELY_WAITING, /* threads wait for ever, and others may go on */
    RELY_ENDLESS, /* the last turns can be repeated for ever */
    RELY_DATA_RACE /* two accesses of which ThreadSanitizer says that they race */
};

struct rely_schedule {
    const char *violation_text;
    enum rely_violation violation;
    int violating_thread;      /* -1 where nothing fails: of deadlocks, endless runs and data races */
    int first_line, last_line; /* of the violated condition, 0 if that is not known */
    const struct rely_variable *variables;
    int variable_count;
    const struct rely_access *accesses;
    const struct rely_step *steps;
    int step_count;
    const struct rely_thread *threads;
    int thread_count;
    int turns;
    int loop_turn; /* the first turn that is repeated, in a run without end; otherwise behind all turns */
    const void *const *atomic_functions; /* their bodies are not interrupted */
    int atomic_function_count;
    const void *const *error_functions; /* calling one of them is the violation */
    int error_function_count;
};

extern const struct rely_schedule rely_schedule;

#endif
