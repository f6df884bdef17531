// Two-stage locking (table I of "Reduction for compositional verification of multi-threaded programs",
// "twostage-3-unsafe"), written for this project: three threads and the main one.
//
// Two values belong together: the second is to be the first plus one. Each has a lock of its own, and whoever changes
// or reads both takes one lock after the other instead of both at once. Every single access is protected, there is no
// data race; but between the two stages somebody else sees one of the values changed and the other one not yet.
#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

// ---- The two values ---------------------------------------------------------------------------------

struct stage {
    int value;
    int changes;
    pthread_mutex_t lock;
};

struct stage first;
struct stage second;

void stage_init(struct stage *stage) {
    stage->value = 0;
    stage->changes = 0;
    pthread_mutex_init(&stage->lock, 0);
}

void stage_destroy(struct stage *stage) {
    pthread_mutex_destroy(&stage->lock);
}

// The value of a stage, under its lock.
int stage_read(struct stage *stage) {
    int value;
    pthread_mutex_lock(&stage->lock);
    value = stage->value;
    pthread_mutex_unlock(&stage->lock);
    return value;
}

// Changes a stage, under its lock.
void stage_write(struct stage *stage, int value) {
    pthread_mutex_lock(&stage->lock);
    stage->value = value;
    stage->changes = stage->changes + 1;
    pthread_mutex_unlock(&stage->lock);
}

// ---- What the threads do ----------------------------------------------------------------------------

// Both stages, one after the other.
void two_stage_write(int value) {
    stage_write(&first, value);
    // Here the two do not belong together, and nobody holds a lock.
    stage_write(&second, value + 1);
}

// Whether what is read of the two stages belongs together. Before the first change there is nothing to compare.
_Bool two_stage_read(void) {
    int one, two;
    one = stage_read(&first);
    if (one == 0) {
        return 1;
    }
    two = stage_read(&second);
    return two == one + 1;
}

void *changing(void *unused) {
    two_stage_write(1);
    return 0;
}

void *changing_again(void *unused) {
    int value;
    value = stage_read(&first);
    two_stage_write(value + 1);
    return 0;
}

void *reading(void *unused) {
    if (!two_stage_read()) {
        reach_error();
    }
    return 0;
}

// ---- The program ------------------------------------------------------------------------------------

int main(void) {
    pthread_t one, two, three;

    stage_init(&first);
    stage_init(&second);

    pthread_create(&one, 0, changing, 0);
    pthread_create(&two, 0, changing_again, 0);
    pthread_create(&three, 0, reading, 0);

    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);

    // Alone again, the main thread may look without locks.
    assert(first.changes == 2);
    assert(second.changes == 2);

    stage_destroy(&first);
    stage_destroy(&second);
    return 0;
}
