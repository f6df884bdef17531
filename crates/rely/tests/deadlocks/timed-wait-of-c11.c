// A wait with a time ends without a signal, and so does one for a lock.
//
// expect(deadlock): safe
#include <threads.h>
#include <time.h>
mtx_t m, held;
cnd_t c;

int hasty(void *argument) {
    struct timespec until = {0, 0};
    mtx_lock(&m);
    cnd_timedwait(&c, &m, &until);
    mtx_unlock(&m);
    if (mtx_timedlock(&held, &until) == thrd_success)
        mtx_unlock(&held);
    return 0;
}

int main(void) {
    thrd_t t;
    mtx_init(&m, mtx_plain);
    mtx_init(&held, mtx_timed);
    cnd_init(&c);
    mtx_lock(&held);
    thrd_create(&t, hasty, 0);
    thrd_join(t, 0);
    mtx_unlock(&held);
    return 0;
}
