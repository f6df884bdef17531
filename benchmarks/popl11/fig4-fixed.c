// The repair of `fig4-cex.c` (table 1, "Fig4-fixed"): once the runtime lands, no other context starts
// a collection, and the last context waits for the one that is running before it frees the atoms.
// All of this happens under the lock, which holds the number of its owner.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) { assert(0); }

// The life of a runtime: it is up while contexts use it, it lands when the last of them leaves,
// and then it is down.
#define UP 0
#define LANDING 1
#define DOWN 2

// What all contexts share.
struct runtime {
    int lock;      // the context that holds the lock, or 0
    int state;     // UP, LANDING or DOWN
    int contexts;  // how many contexts there are
    int gc_level;  // how many collections are wanted, 0 if none is running
    int gc_thread; // the context that runs the collection, or 0
    int allocated; // whether the table of atoms exists
    int atoms;     // how many atoms are in the table
    int pinned;    // how many of them must survive every collection
    int marked;    // how many of them the running collection has reached
};

struct runtime rt = {0, UP, 2, 0, 0, 1, 2, 2, 0};

static void lock_runtime(int me) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(rt.lock == 0);
    rt.lock = me;
    __VERIFIER_atomic_end();
}

static void unlock_runtime(void) {
    rt.lock = 0;
}

// Every access to an atom goes through the table, which must not have been freed.
static void touch_atoms(void) {
    if (rt.allocated == 0)
        reach_error();
}

// Puts one more atom into the table while the context is alive.
static void intern_atom(int me) {
    lock_runtime(me);
    if (rt.state == UP) {
        rt.atoms = rt.atoms + 1;
        if (__VERIFIER_nondet_bool())
            rt.pinned = rt.pinned + 1;
    }
    unlock_runtime();
}

// Marks an atom as reachable, once for every root of the context.
static void mark_atom(void) {
    touch_atoms();
    rt.marked = rt.marked + 1;
}

static void mark_roots(int roots) {
    int root = 0;
    while (root < roots) {
        mark_atom();
        root = root + 1;
    }
}

// Forgets the atoms that were not marked.
static void sweep_atoms(void) {
    touch_atoms();
    if (rt.marked < rt.atoms)
        rt.atoms = rt.marked;
    rt.marked = 0;
}

// The last context lets go of the pinned atoms, and with them of the whole table.
static void unpin_atoms(void) {
    rt.pinned = 0;
    rt.allocated = 0;
}

// Runs a collection, or asks the one that is running to run again.
static void collect_garbage(int me, int roots) {
    lock_runtime(me);
    // A context that is not the last one has nothing to collect once the runtime lands.
    if (rt.state != UP) {
        unlock_runtime();
        return;
    }
    // A collection that asks for itself goes on as it is, only once more.
    if (rt.gc_thread == me) {
        if (rt.gc_level <= 0)
            reach_error();
        rt.gc_level = rt.gc_level + 1;
        unlock_runtime();
        return;
    }
    if (rt.gc_level > 0) {
        rt.gc_level = rt.gc_level + 1;
        unlock_runtime();
        return;
    }
    rt.gc_level = 1;
    rt.gc_thread = me;
    unlock_runtime();
    int again = 1;
    while (again) {
        mark_roots(roots);
        sweep_atoms();
        lock_runtime(me);
        // Whoever asked in the meantime is served by one more round.
        if (rt.gc_level > 1) {
            rt.gc_level = 1;
        } else {
            rt.gc_level = 0;
            rt.gc_thread = 0;
            again = 0;
        }
        unlock_runtime();
    }
}

// What the last context does when nobody else is left.
static void shut_down(int me) {
    lock_runtime(me);
    rt.atoms = 0;
    rt.marked = 0;
    rt.state = DOWN;
    unlock_runtime();
}

// Takes a context away. The last one lets go of the atoms; another one may still run a collection
// over its own roots.
static void destroy_context(int me, int force_gc) {
    int last = 0;
    lock_runtime(me);
    rt.contexts = rt.contexts - 1;
    if (rt.contexts == 0) {
        last = 1;
        rt.state = LANDING;
        // No collection starts any more; the one that is running is waited for.
        while (rt.gc_level > 0) {
            unlock_runtime();
            lock_runtime(me);
        }
    }
    unlock_runtime();
    if (last) {
        unpin_atoms();
        shut_down(me);
    } else if (force_gc) {
        collect_garbage(me, 1);
    }
}

// The life of one context: it works, and then it is destroyed.
static void live(int me) {
    if (__VERIFIER_nondet_bool())
        intern_atom(me);
    if (__VERIFIER_nondet_bool())
        collect_garbage(me, 2);
    destroy_context(me, __VERIFIER_nondet_bool());
}

void *first_context(void *unused) {
    live(1);
    return 0;
}

void *second_context(void *unused) {
    live(2);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, first_context, 0);
    pthread_create(&second, 0, second_context, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
