//! What stands around a program: effects that the user gives, threads that call a library, instructions, and functions
//! of the library behind pointers.

use crate::common::{describe, explore, preprocessed};
use rely_base::SourceMap;
use rely_c_front::{CInput, Effects, Harness, translate};
use rely_program::Program;

fn translated(input: &CInput) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    translate(&mut sources, input).map_err(|error| describe(&error, &sources))
}

/// The messages of the checks that can fail, and the named assumptions.
fn check(input: &CInput, failures: &[&str], assumptions: &[&str]) -> Program {
    let program = translated(input).unwrap_or_else(|error| panic!("{error}"));
    let found: Vec<String> = explore(&program).failures.into_iter().collect();
    assert_eq!(found, failures, "{}", input.preprocessed);
    for assumption in assumptions {
        assert!(program.assumptions().contains(assumption), "{:?}", program.assumptions());
    }
    program
}

fn with_effects(text: &str, table: &str) -> CInput {
    let effects = Effects::parse(table).expect("the table is right");
    CInput { effects, refuses_externals: true, ..preprocessed(text) }
}

#[test]
fn users_say_what_functions_do() {
    let text = "int measure(int, int *); int main(void) { int x = 7; int r = measure(1, &x); assert(r < 2); \
                assert(x != 3); return 0; }";
    let input = with_effects(text, "0..1 measure(-, input)");
    check(&input, &["assertion `x != 3` fails"], &["externals-do-what-is-described"]);
    let input =
        with_effects("void stop(int); int main(void) { stop(1); assert(0); return 0; }", "never stop(-)");
    check(&input, &[], &["externals-do-what-is-described"]);
    // The table of the user comes before that of the library, and what the program defines before both.
    let input = with_effects(
        "int getpid(void); int main(void) { assert(getpid() == 5); return 0; }",
        "5..5 getpid()",
    );
    check(&input, &[], &[]);
    let input =
        with_effects("int f(void) { return 2; } int main(void) { assert(f() == 2); return 0; }", "zero f()");
    check(&input, &[], &[]);
}

fn library(text: &str, setup: &[&str], entries: &[&str]) -> CInput {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let harness = Harness { setup: names(setup), entries: names(entries) };
    CInput { harness, ..preprocessed(text) }
}

#[test]
fn any_threads_call_the_functions_of_a_library() {
    let text = "struct lot { int free; }; static struct lot made;\n\
                struct lot *make(int n) { made.free = n > 0; return &made; }\n\
                int take(struct lot *lot) { assert(lot == &made); return lot->free; }\n\
                int main(void) { assert(0); return 0; }\n";
    let program = translated(&library(text, &["make"], &["take"])).unwrap_or_else(|error| panic!("{error}"));
    assert!(program.assumptions().contains(&"entry-arguments"));
    let names: Vec<&str> = program.threads().values().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["main", "__entry_thread"]);
    let messages: Vec<&str> = program.checks().values().map(|check| check.message.as_str()).collect();
    assert!(
        messages.iter().all(|message| !message.contains("`0`")),
        "the program's own main runs: {messages:?}"
    );
    assert!(messages.iter().any(|message| message.contains("lot == &made")), "{messages:?}");
}

#[test]
fn what_cannot_be_called_is_told() {
    let text = "void f(int (*g)(void)) { g(); }\n";
    let error = translated(&library(text, &[], &["f"])).expect_err("it would need a function");
    assert!(error.contains("because of the type of an argument"), "{error}");
    let error = translated(&library(text, &[], &["g"])).expect_err("there is none");
    assert!(error.contains("there is no function `g` to be called"), "{error}");
}

#[test]
fn instructions_write_any_values_to_their_outputs() {
    let text = "int main(void) { int x = 1, y = 2; __asm__(\"incl %0\" : \"+r\"(x)); assert(y == 2); assert(x == 2); \
                __asm__ volatile(\"\" : \"+r\"(y)); assert(y == 2); return 0; }";
    check(&preprocessed(text), &["assertion `x == 2` fails"], &["assembly-touches-only-its-operands"]);
    let text = "int x; int main(void) { __asm__(\"movl $1, (%0)\" : : \"r\"(&x) : \"memory\"); assert(x == 0); return 0; }";
    check(&preprocessed(text), &["assertion `x == 0` fails"], &[]);
}

#[test]
fn functions_of_the_library_are_called_through_pointers() {
    let text = "typedef unsigned long size_t; void *malloc(size_t); void free(void *); unsigned long strlen(const char *);\n\
                static void *(*get)(size_t) = malloc; static void (*put)(void *) = free;\n\
                void swap(void *(*g)(size_t), void (*p)(void *)) { get = g; put = p; }\n\
                int main(void) { unsigned long (*length)(const char *) = strlen; swap(malloc, free);\n\
                int *p = get(sizeof(int)); *p = 3; assert(*p == 3); put(p); assert(length(\"abc\") == 3); return 0; }";
    check(&preprocessed(text), &[], &[]);
}

#[test]
fn what_a_function_around_malloc_returns_is_known() {
    let text = "typedef unsigned long size_t; typedef unsigned long pthread_t; void *malloc(size_t); void exit(int);\n\
                struct job { void (*run)(int *); int *at; }; struct node { pthread_t id; struct node *next; };\n\
                static void *get(size_t size) { void *block; if ((block = malloc(size)) == 0) exit(1); return block; }\n\
                static void store(int *at) { *at = 3; }\n\
                static void *work(void *p) { struct job *job = p; job->run(job->at); return 0; }\n\
                int x; int main(void) { struct job *job = get(sizeof *job); job->run = store; job->at = &x;\n\
                struct node *node = get(sizeof *node); node->next = 0; pthread_create(&node->id, 0, work, job);\n\
                pthread_join(node->id, 0); assert(x == 3); return 0; }";
    check(&preprocessed(text), &[], &[]);
}

#[test]
fn arrays_of_variable_length_differ_from_call_to_call() {
    let text = "static int f(int n) { int a[n]; for (int i = 0; i < n; i++) a[i] = i; return a[n - 1]; }\n\
                int main(void) { assert(f(2) == 1); assert(f(4) == 3); assert(f(3) == 2); return 0; }";
    check(&preprocessed(text), &[], &[]);
}

#[test]
fn locks_that_are_free_are_taken_in_time() {
    let text = "typedef int pthread_mutex_t; struct timespec; pthread_mutex_t m;\n\
                int main(void) { assert(pthread_mutex_timedlock(&m, 0) == 0); assert(pthread_mutex_timedlock(&m, 0) == 110);\n\
                return 0; }";
    check(&preprocessed(text), &[], &[]);
}

#[test]
fn a_function_that_returns_nothing_may_be_called_for_a_value() {
    let text = "void exit(int); int __VERIFIER_nondet_int(void); int twice(int x) { return 2 * x; }\n\
                int main(void) { int (*f)(int) = twice; if (__VERIFIER_nondet_int()) f = (int (*)(int))exit;\n\
                int r = f(2); assert(r == 4); return 0; }";
    check(&preprocessed(text), &[], &[]);
    let text = "int n; void set(int x) { n = x; }\n\
                int main(void) { int (*f)(int) = (int (*)(int))set; int r = f(1); assert(n == 1); assert(r == 0); return 0; }";
    check(&preprocessed(text), &["assertion `r == 0` fails"], &[]);
}
