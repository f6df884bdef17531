/* Comes before the program: calls of these functions go through the runtime. */
#pragma GCC optimize("O0") /* so that every access is made, and in its place */
#define pthread_create rely_thread_create
#define pthread_join rely_thread_join
#define pthread_exit rely_thread_exit
#define pthread_detach rely_thread_detach
#define pthread_mutex_init rely_mutex_init
#define pthread_mutex_destroy rely_mutex_destroy
#define pthread_mutex_lock rely_mutex_lock
#define pthread_mutex_trylock rely_mutex_trylock
#define pthread_mutex_unlock rely_mutex_unlock
#define pthread_spin_init rely_spin_init
#define pthread_spin_destroy rely_spin_destroy
#define pthread_spin_lock rely_spin_lock
#define pthread_spin_trylock rely_spin_trylock
#define pthread_spin_unlock rely_spin_unlock
#define pthread_rwlock_init rely_rwlock_init
#define pthread_rwlock_rdlock rely_rwlock_rdlock
#define pthread_rwlock_wrlock rely_rwlock_wrlock
#define pthread_rwlock_tryrdlock rely_rwlock_tryrdlock
#define pthread_rwlock_trywrlock rely_rwlock_trywrlock
#define pthread_rwlock_unlock rely_rwlock_unlock
#define sem_init rely_sem_init
#define sem_wait rely_sem_wait
#define sem_trywait rely_sem_trywait
#define sem_post rely_sem_post
#define sem_getvalue rely_sem_getvalue
#define pthread_cond_wait rely_cond_wait
#define pthread_cond_signal rely_cond_signal
#define pthread_cond_broadcast rely_cond_broadcast
#define __assert_fail rely_assert_fail
#define abort rely_abort
#define rand rely_rand
#define random rely_random
#define sleep rely_sleep
#define usleep rely_usleep
#define free rely_free
#ifdef RELY_RACES
#define pthread_once rely_once
#define pthread_barrier_init rely_barrier_init
#define pthread_barrier_wait rely_barrier_wait
#define memset rely_memset
#define memcpy rely_memcpy
#define strcpy rely_strcpy
#define realloc rely_realloc
#endif
