/* Functions of the C library that are followed exactly where the memory that they look at is. Each stands between
   lines with its name; a program that mentions the name gets it. */

//: strlen
unsigned long __exact_strlen(const char *s) {
    unsigned long n = 0;
    while (s[n]) n++;
    return n;
}
//: strnlen
unsigned long __exact_strnlen(const char *s, unsigned long most) {
    unsigned long n = 0;
    while (n < most && s[n]) n++;
    return n;
}
//: strcmp
int __exact_strcmp(const char *s, const char *t) {
    while (*s && *s == *t) { s++; t++; }
    return (unsigned char)*s < (unsigned char)*t ? -1 : (unsigned char)*s > (unsigned char)*t;
}
//: strncmp
int __exact_strncmp(const char *s, const char *t, unsigned long n) {
    for (; n > 0; s++, t++, n--) {
        if (*s != *t) return (unsigned char)*s < (unsigned char)*t ? -1 : 1;
        if (!*s) return 0;
    }
    return 0;
}
//: memcmp
int __exact_memcmp(const void *p, const void *q, unsigned long n) {
    const unsigned char *s = p, *t = q;
    for (; n > 0; s++, t++, n--)
        if (*s != *t) return *s < *t ? -1 : 1;
    return 0;
}
//: strcpy
char *__exact_strcpy(char *to, const char *from) {
    char *start = to;
    while ((*to = *from)) { to++; from++; }
    return start;
}
//: strncpy
char *__exact_strncpy(char *to, const char *from, unsigned long n) {
    unsigned long i = 0;
    for (; i < n && from[i]; i++) to[i] = from[i];
    for (; i < n; i++) to[i] = 0;
    return to;
}
//: strcat
char *__exact_strcat(char *to, const char *from) {
    char *end = to;
    while (*end) end++;
    while ((*end = *from)) { end++; from++; }
    return to;
}
//: strncat
char *__exact_strncat(char *to, const char *from, unsigned long n) {
    char *end = to;
    while (*end) end++;
    for (; n > 0 && *from; n--) *end++ = *from++;
    *end = 0;
    return to;
}
//: strchr
char *__exact_strchr(const char *s, int c) {
    while (*s != (char)c) {
        if (!*s) return 0;
        s++;
    }
    return (char *)s;
}
//: strrchr
char *__exact_strrchr(const char *s, int c) {
    char *found = 0;
    for (;; s++) {
        if (*s == (char)c) found = (char *)s;
        if (!*s) return found;
    }
}
//: memchr
void *__exact_memchr(const void *p, int c, unsigned long n) {
    const unsigned char *s = p;
    for (; n > 0; s++, n--)
        if (*s == (unsigned char)c) return (void *)s;
    return 0;
}
//: strstr
char *__exact_strstr(const char *s, const char *part) {
    for (;; s++) {
        unsigned long n = 0;
        while (part[n] && s[n] == part[n]) n++;
        if (!part[n]) return (char *)s;
        if (!s[n]) return 0;
    }
}
//: strspn
unsigned long __exact_strspn(const char *s, const char *set) {
    unsigned long n = 0, i = 0;
    for (; s[n]; n++) {
        for (i = 0; set[i] && set[i] != s[n]; i++) {}
        if (!set[i]) return n;
    }
    return n;
}
//: strcspn
unsigned long __exact_strcspn(const char *s, const char *set) {
    unsigned long n = 0, i = 0;
    for (; s[n]; n++) {
        for (i = 0; set[i] && set[i] != s[n]; i++) {}
        if (set[i]) return n;
    }
    return n;
}
//: strpbrk
char *__exact_strpbrk(const char *s, const char *set) {
    unsigned long i = 0;
    for (; *s; s++) {
        for (i = 0; set[i] && set[i] != *s; i++) {}
        if (set[i]) return (char *)s;
    }
    return 0;
}
//: atoi
int __exact_atoi(const char *s) {
    int n = 0, negative = 0;
    while (*s == ' ' || *s >= 9 && *s <= 13) s++;
    if (*s == '-' || *s == '+') negative = *s++ == '-';
    while (*s >= '0' && *s <= '9') n = 10 * n - (*s++ - '0');
    return negative ? n : -n;
}
//: isalnum
int __exact_isalnum(int c) { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'; }
//: isalpha
int __exact_isalpha(int c) { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'; }
//: isdigit
int __exact_isdigit(int c) { return c >= '0' && c <= '9'; }
//: isxdigit
int __exact_isxdigit(int c) { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'; }
//: islower
int __exact_islower(int c) { return c >= 'a' && c <= 'z'; }
//: isupper
int __exact_isupper(int c) { return c >= 'A' && c <= 'Z'; }
//: isspace
int __exact_isspace(int c) { return c == ' ' || c >= 9 && c <= 13; }
//: isprint
int __exact_isprint(int c) { return c >= 32 && c < 127; }
//: ispunct
int __exact_ispunct(int c) { return c > 32 && c < 48 || c > 57 && c < 65 || c > 90 && c < 97 || c > 122 && c < 127; }
//: tolower
int __exact_tolower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
//: toupper
int __exact_toupper(int c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }
//: __ctype_b_loc
static unsigned short __exact_character_types[384] = {[128] =
    2, 2, 2, 2, 2, 2, 2, 2, 2, 8195, 8194, 8194,
    8194, 8194, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 24577, 49156, 49156, 49156,
    49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156,
    55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 49156, 49156,
    49156, 49156, 49156, 49156, 49156, 54536, 54536, 54536, 54536, 54536, 54536, 50440,
    50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440,
    50440, 50440, 50440, 50440, 50440, 50440, 50440, 49156, 49156, 49156, 49156, 49156,
    49156, 54792, 54792, 54792, 54792, 54792, 54792, 50696, 50696, 50696, 50696, 50696,
    50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696,
    50696, 50696, 50696, 49156, 49156, 49156, 49156, 2};
static const unsigned short *__exact_types_from_zero = __exact_character_types + 128;
const unsigned short **__exact___ctype_b_loc(void) { return &__exact_types_from_zero; }

/* What follows is always used, whatever its arguments are: functions that others make up. */

/* C does not say where elements that compare equal end. */
//: qsort
void __wrapper_qsort(void *base, unsigned long n, unsigned long size, int (*compare)(const void *, const void *)) {
    unsigned char *a = base, byte = 0;
    unsigned long i = 0, j = 0, k = 0;
    for (i = 1; i < n; i++)
        for (j = i; j > 0; j--) {
            int order = compare(a + (j - 1) * size, a + j * size);
            if (order < 0 || order == 0 && __VERIFIER_nondet_bool()) break;
            for (k = (j - 1) * size; k < j * size; k++) {
                byte = a[k];
                a[k] = a[k + size];
                a[k + size] = byte;
            }
        }
}
//: bsearch
void *__wrapper_bsearch(const void *key, const void *base, unsigned long n, unsigned long size,
                        int (*compare)(const void *, const void *)) {
    const unsigned char *a = base;
    unsigned long low = 0, middle = 0;
    while (low < n) {
        middle = (low + n) / 2;
        int order = compare(key, a + middle * size);
        if (order == 0) return (void *)(a + middle * size);
        if (order < 0) n = middle;
        else low = middle + 1;
    }
    return 0;
}
//: __builtin_popcount
int __wrapper___builtin_popcount(unsigned x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
//: __builtin_popcountl
int __wrapper___builtin_popcountl(unsigned long x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
//: __builtin_popcountll
int __wrapper___builtin_popcountll(unsigned long long x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
/* Of zero these two are undefined. */
//: __builtin_clz
int __wrapper___builtin_clz(unsigned x) {
    int n = 0;
    if (!x) return __VERIFIER_nondet_int();
    for (; x < 0x80000000u; x *= 2) n++;
    return n;
}
//: __builtin_clzl
int __wrapper___builtin_clzl(unsigned long x) {
    int n = 0;
    if (!x) return __VERIFIER_nondet_int();
    for (; x < 0x8000000000000000ul; x *= 2) n++;
    return n;
}
//: __builtin_clzll
int __wrapper___builtin_clzll(unsigned long long x) {
    int n = 0;
    if (!x) return __VERIFIER_nondet_int();
    for (; x < 0x8000000000000000ul; x *= 2) n++;
    return n;
}
//: __builtin_ctz
int __wrapper___builtin_ctz(unsigned x) {
    int n = 0;
    if (!x) return __VERIFIER_nondet_int();
    for (; x % 2 == 0; x /= 2) n++;
    return n;
}
//: __builtin_ctzl
int __wrapper___builtin_ctzl(unsigned long x) {
    int n = 0;
    if (!x) return __VERIFIER_nondet_int();
    for (; x % 2 == 0; x /= 2) n++;
    return n;
}
//: __builtin_ctzll
int __wrapper___builtin_ctzll(unsigned long long x) {
    int n = 0;
    if (!x) return __VERIFIER_nondet_int();
    for (; x % 2 == 0; x /= 2) n++;
    return n;
}
//: __builtin_ffs
int __wrapper___builtin_ffs(int x) {
    unsigned u = x;
    int n = 1;
    if (!u) return 0;
    for (; u % 2 == 0; u /= 2) n++;
    return n;
}
//: __builtin_bswap16
unsigned short __wrapper___builtin_bswap16(unsigned short x) { return x / 256 + x % 256 * 256; }
//: __builtin_bswap32
unsigned __wrapper___builtin_bswap32(unsigned x) {
    return x / 16777216 + x / 65536 % 256 * 256 + x / 256 % 256 * 65536 + x % 256 * 16777216;
}
//: __builtin_bswap64
unsigned long __wrapper___builtin_bswap64(unsigned long x) {
    unsigned long swapped = 0;
    int i = 0;
    for (i = 0; i < 8; i++) {
        swapped = swapped * 256 + x % 256;
        x /= 256;
    }
    return swapped;
}
//: mtx_init
typedef int pthread_mutexattr_t;
int __wrapper_mtx_init(mtx_t *mutex, int type) {
    if (type & 1) {
        pthread_mutexattr_t recursive;
        pthread_mutexattr_init(&recursive);
        pthread_mutexattr_settype(&recursive, 1);
        return pthread_mutex_init(mutex, &recursive);
    }
    return pthread_mutex_init(mutex, 0);
}
//: mtx_lock
int __wrapper_mtx_lock(mtx_t *mutex) { return pthread_mutex_lock(mutex) ? 2 : 0; }
//: mtx_trylock
int __wrapper_mtx_trylock(mtx_t *mutex) { return pthread_mutex_trylock(mutex) ? 1 : 0; }
//: mtx_timedlock
int __wrapper_mtx_timedlock(mtx_t *mutex, const struct timespec *time) {
    int error = pthread_mutex_timedlock(mutex, time);
    return error == 110 ? 4 : error ? 2 : 0;
}
//: mtx_unlock
int __wrapper_mtx_unlock(mtx_t *mutex) { return pthread_mutex_unlock(mutex) ? 2 : 0; }
//: mtx_destroy
void __wrapper_mtx_destroy(mtx_t *mutex) { pthread_mutex_destroy(mutex); }
//: cnd_init
int __wrapper_cnd_init(cnd_t *condition) { return pthread_cond_init(condition, 0); }
//: cnd_wait
int __wrapper_cnd_wait(cnd_t *condition, mtx_t *mutex) { return pthread_cond_wait(condition, mutex) ? 2 : 0; }
//: cnd_timedwait
int __wrapper_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *time) {
    int result = pthread_cond_timedwait(condition, mutex, time);
    return result == 110 ? 4 : result ? 2 : 0;
}
//: cnd_signal
int __wrapper_cnd_signal(cnd_t *condition) { return pthread_cond_signal(condition); }
//: cnd_broadcast
int __wrapper_cnd_broadcast(cnd_t *condition) { return pthread_cond_broadcast(condition); }
//: cnd_destroy
void __wrapper_cnd_destroy(cnd_t *condition) { pthread_cond_destroy(condition); }
//: thrd_create
int __wrapper_thrd_create(thrd_t *thread, int (*function)(void *), void *argument) {
    return pthread_create(thread, 0, (void *(*)(void *))function, argument);
}
//: thrd_join
int __wrapper_thrd_join(thrd_t thread, int *result) {
    if (!result) return pthread_join(thread, 0);
    void *value;
    pthread_join(thread, &value);
    *result = (int)(long)value;
    return 0;
}
//: thrd_detach
int __wrapper_thrd_detach(thrd_t thread) { return pthread_detach(thread); }
//: thrd_exit
void __wrapper_thrd_exit(int result) { pthread_exit((void *)(long)result); }
//: thrd_current
thrd_t __wrapper_thrd_current(void) { return pthread_self(); }
//: thrd_equal
int __wrapper_thrd_equal(thrd_t one, thrd_t other) { return pthread_equal(one, other); }
//: thrd_yield
void __wrapper_thrd_yield(void) { }
//: thrd_sleep
int __wrapper_thrd_sleep(const struct timespec *time, struct timespec *rest) { return 0; }
//: call_once
void __wrapper_call_once(once_flag *control, void (*function)(void)) { pthread_once((int *)control, function); }
//: tss_create
int __wrapper_tss_create(tss_t *key, void (*destructor)(void *)) { return pthread_key_create(key, destructor); }
//: tss_get
void *__wrapper_tss_get(tss_t key) { return pthread_getspecific(key); }
//: tss_set
int __wrapper_tss_set(tss_t key, void *value) { return pthread_setspecific(key, value); }
//: tss_delete
void __wrapper_tss_delete(tss_t key) { }
/* Who waits for a time only is never blocked: to take the lock later is to try it later, and nothing happens between. */
//: pthread_rwlock_timedrdlock
int __wrapper_pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time) {
    return pthread_rwlock_tryrdlock(lock) ? 110 : 0;
}
//: pthread_rwlock_timedwrlock
int __wrapper_pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time) {
    return pthread_rwlock_trywrlock(lock) ? 110 : 0;
}
//: sem_timedwait
int __wrapper_sem_timedwait(sem_t *semaphore, const struct timespec *time) { return sem_trywait(semaphore); }
//: memcpy
void *__exact_memcpy(void *to, const void *from, unsigned long n) {
    unsigned char *t = to;
    const unsigned char *f = from;
    for (; n > 0; n--) *t++ = *f++;
    return to;
}
//: memmove
void *__exact_memmove(void *to, const void *from, unsigned long n) {
    unsigned char *t = to;
    const unsigned char *f = from;
    unsigned long i = 0;
    if (t <= f) {
        for (i = 0; i < n; i++) t[i] = f[i];
    } else {
        for (i = n; i > 0; i--) t[i - 1] = f[i - 1];
    }
    return to;
}
//: memset
void *__exact_memset(void *to, int byte, unsigned long n) {
    unsigned char *t = to;
    for (; n > 0; n--) *t++ = byte;
    return to;
}
//: strdup
char *__wrapper_strdup(const char *s) {
    unsigned long n = 0, i = 0;
    char *copy = 0;
    while (s[n]) n++;
    copy = malloc(n + 1);
    for (i = 0; i <= n; i++) copy[i] = s[i];
    return copy;
}
//: realloc
void *__wrapper_realloc(void *old, unsigned long n) {
    unsigned char *from = old, *to = 0;
    unsigned long i = 0, m = 0;
    if (!old) return malloc(n);
    m = __allocated_bytes(old);
    to = malloc(n);
    for (i = 0; i < n && i < m; i++) to[i] = from[i];
    free(old);
    return to;
}
