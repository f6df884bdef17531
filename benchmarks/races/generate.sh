#!/bin/sh
# A race-free C program with N threads, N variables and N locks, in which each thread uses its own lock and the
# next one, ROUNDS times:
#
#     benchmarks/races/generate.sh 20 1 > locks-20.c
#     time rely check --property race locks-20.c
#
# 20 locks and 17 rounds are about 3,000 lines.
awk -v n="${1:-10}" -v rounds="${2:-1}" 'BEGIN {
    print "#include <pthread.h>"
    for (i = 0; i < n; i++) printf "int x%d;\npthread_mutex_t m%d = PTHREAD_MUTEX_INITIALIZER;\n", i, i
    for (t = 0; t < n; t++) {
        printf "static void *f%d(void *unused) {\n", t
        for (k = 0; k < rounds; k++) for (d = 0; d < 2; d++) {
            i = (t + d + k) % n
            printf "    pthread_mutex_lock(&m%d);\n    x%d++;\n    x%d = x%d * 2 %% 7;\n    pthread_mutex_unlock(&m%d);\n", i, i, i, i, i
        }
        print "    return 0;\n}"
    }
    printf "int main(void) {\n    pthread_t t[%d];\n", n
    for (t = 0; t < n; t++) printf "    pthread_create(&t[%d], 0, f%d, 0);\n", t, t
    for (t = 0; t < n; t++) printf "    pthread_join(t[%d], 0);\n", t
    print "    return 0;\n}"
}'
