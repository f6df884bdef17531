# P1-x and P2-x as C programs; see generate.sh.
function section(lock, statement,   i) {
    printf "    pthread_mutex_lock(&%s);\n", lock
    for (i = 0; i < x; i++) printf "    %s\n", statement
    printf "    pthread_mutex_unlock(&%s);\n", lock
}
BEGIN {
    statements = x == 1 ? "one statement" : x " statements"
    printf "// %s-%d of \"Reduction for compositional verification of multi-threaded programs\" (table I, figure 1): two\n", toupper(kind), x
    printf "// variables, each with a lock of its own, and %s in each critical section.\n", statements
    if (kind == "p2") print "// The third thread accesses `y` once without the lock."
    print "//"
    printf "// `x` can be %d in the end only if the second thread comes in between of the first one.\n", 7 + 4 * x
    print "#include <assert.h>"
    print "#include <pthread.h>\n"
    print "int x = 2, y = 2;"
    print "pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER, my = PTHREAD_MUTEX_INITIALIZER;\n"
    print "void *thread1(void *unused) {\n    int a;\n    pthread_mutex_lock(&mx);\n    a = x;"
    section("my", "y = y + a;")
    print "    a = a + 1;"
    section("my", "y = y + a;")
    print "    x = 2 * x + a;\n    pthread_mutex_unlock(&mx);\n    return 0;\n}\n"
    print "void *thread2(void *unused) {"
    section("mx", "x = x + 2;")
    print "    return 0;\n}\n"
    print "void *thread3(void *unused) {"
    section("my", "y = y + 2;")
    if (kind == "p2") print "    y = y + 2;"
    print "    return 0;\n}\n"
    print "int main(void) {\n    pthread_t t1, t2, t3;"
    for (t = 1; t <= 3; t++) printf "    pthread_create(&t%d, 0, thread%d, 0);\n", t, t
    for (t = 1; t <= 3; t++) printf "    pthread_join(t%d, 0);\n", t
    printf "    assert(x != %d);\n    return 0;\n}\n", 7 + 4 * x
}
