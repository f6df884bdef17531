//! Each argument of each function that is known by name is evaluated once.
//!
//! The table has a call of every function. Its arguments are wrapped, one after the other, into
//! expressions that count how often they are evaluated, and gcc counts, too, where it can run the
//! call. That no function is forgotten is found out from the front end's source: whatever name in
//! there is known as that of a function must stand in the table.

use crate::common::{explore, preprocessed, try_translate};
use crate::versus_gcc::is_gcc_there;
use rely_c_front::CInput;
use std::collections::BTreeSet;
use std::process::Command;

/// What the calls name.
const NAMES: &str = "
    #include <pthread.h>
    #include <semaphore.h>
    #include <stdatomic.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    #include <sched.h>
    #include <time.h>
    int n[16];
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_t h; pthread_spinlock_t sp, sh;
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER, rh = PTHREAD_RWLOCK_INITIALIZER; pthread_barrier_t ba, bi; pthread_once_t on = PTHREAD_ONCE_INIT;
    sem_t se, si; pthread_attr_t at; pthread_mutexattr_t ma; pthread_condattr_t ca; pthread_rwlockattr_t ra;
    pthread_barrierattr_t bb;
    int x, y, z; _Atomic int ax; atomic_flag af; char text[8]; int from[2], to[2]; void *vp; _Bool bo;
    struct timespec past;
    void *run(void *v) { return v; }
    void once(void) {}
    void set_up(void) {
        pthread_mutex_lock(&held); pthread_spin_init(&sh, 0); pthread_spin_lock(&sh); pthread_rwlock_wrlock(&rh);
        pthread_barrier_init(&bi, 0, 1); sem_init(&si, 0, 1); sem_init(&se, 0, 1); pthread_spin_init(&sp, 0);
        pthread_create(&h, 0, run, 0);
    }
";

/// Calls, `;` between arguments, and whether gcc can run them as they are: the others wait for
/// something, end the program or need what was initialised before.
const CALLS: &[(&str, &str, bool)] = &[
    ("printf", "\"%d %d\" ; x ; y", true),
    ("fprintf", "stdout ; \"%d\" ; x", true),
    ("dprintf", "1 ; \"%d\" ; x", true),
    ("puts", "text", true),
    ("fputs", "text ; stdout", true),
    ("putchar", "x", true),
    ("putc", "x ; stdout", true),
    ("fputc", "x ; stdout", true),
    ("putchar_unlocked", "x", true),
    ("perror", "text", true),
    ("fflush", "stdout", true),
    ("setbuf", "stdout ; (char *)0", true),
    ("setvbuf", "stdout ; (char *)0 ; 2 ; 0", true),
    ("fclose", "stdout", false),
    ("usleep", "x", true),
    ("sleep", "x", true),
    ("nanosleep", "&past ; &past", true),
    ("clock_nanosleep", "0 ; 0 ; &past ; &past", true),
    ("sched_yield", "", true),
    ("pthread_yield", "", false),
    ("srand", "x", true),
    ("srandom", "x", true),
    ("rand", "", true),
    ("random", "", true),
    ("write", "1 ; text ; 0", true),
    ("syslog", "x ; \"%d\" ; y", false),
    ("_mm_pause", "", false),
    ("__builtin_ia32_pause", "", true),
    ("__builtin_prefetch", "&x", true),
    ("__builtin_printf", "\"%d\" ; x", true),
    ("__builtin_puts", "text", true),
    ("__printf_chk", "1 ; \"%d\" ; x", false),
    ("__fprintf_chk", "stdout ; 1 ; \"%d\" ; x", false),
    ("exit", "x", false),
    ("_exit", "x", false),
    ("_Exit", "x", false),
    ("quick_exit", "x", false),
    ("abort", "", false),
    ("__builtin_abort", "", false),
    ("__builtin_exit", "x", false),
    ("__builtin_trap", "", false),
    ("__builtin_unreachable", "", false),
    ("__builtin_expect", "x ; 1", true),
    ("__builtin_constant_p", "!x", true),
    ("__builtin_choose_expr", "1 ; x ; !y", true),
    ("free", "vp", true),
    ("cfree", "vp", false),
    ("memset", "&x ; 0 ; sizeof x", true),
    ("__builtin_memset", "&x ; 0 ; sizeof x", true),
    ("memcpy", "to ; from ; sizeof to", true),
    ("__builtin_memcpy", "to ; from ; sizeof to", true),
    ("strcpy", "text ; !\"abc\"", true),
    ("__builtin_strcpy", "text ; !\"abc\"", true),
    ("abs", "x", true),
    ("labs", "x", true),
    ("llabs", "x", true),
    ("imaxabs", "x", false),
    ("__builtin_abs", "x", true),
    ("__builtin_labs", "x", true),
    ("__builtin_llabs", "x", true),
    ("__builtin_add_overflow", "x ; 1 ; &x", true),
    ("__builtin_mul_overflow", "x ; 1 ; &x", true),
    ("__builtin_smul_overflow", "x ; 1 ; &x", true),
    ("__builtin_saddl_overflow", "x ; 1 ; &x", false),
    ("__builtin_smulll_overflow", "x ; 1 ; &x", false),
    ("__builtin_umull_overflow", "x ; 1 ; &x", false),
    ("__builtin_usub_overflow", "x ; 1 ; &x", false),
    ("pthread_create", "&h ; (void *)0 ; run ; vp", true),
    ("pthread_join", "h ; &vp", false),
    ("pthread_exit", "vp", false),
    ("pthread_self", "", true),
    ("pthread_equal", "h ; h", true),
    ("pthread_detach", "h", false),
    ("pthread_setconcurrency", "x", true),
    ("pthread_mutex_lock", "&m", true),
    ("pthread_mutex_unlock", "&held", false),
    ("pthread_mutex_trylock", "&m", true),
    ("pthread_mutex_timedlock", "&m ; &past", false),
    ("pthread_mutex_init", "&m ; (void *)0", true),
    ("pthread_mutex_destroy", "&m", true),
    ("pthread_spin_lock", "&sp", true),
    ("pthread_spin_unlock", "&sh", false),
    ("pthread_spin_trylock", "&sp", true),
    ("pthread_spin_init", "&sp ; 0", true),
    ("pthread_spin_destroy", "&sp", true),
    ("pthread_cond_wait", "&c ; &held", false),
    ("pthread_cond_timedwait", "&c ; &held ; &past", false),
    ("pthread_cond_init", "&c ; (void *)0", true),
    ("pthread_cond_signal", "&c", true),
    ("pthread_cond_broadcast", "&c", true),
    ("pthread_cond_destroy", "&c", true),
    ("pthread_condattr_init", "&ca", true),
    ("pthread_condattr_destroy", "&ca", true),
    ("pthread_attr_init", "&at", true),
    ("pthread_attr_destroy", "&at", false),
    ("pthread_attr_setdetachstate", "&at ; 0", false),
    ("pthread_attr_setstacksize", "&at ; 65536", false),
    ("pthread_attr_setscope", "&at ; 0", false),
    ("pthread_mutexattr_init", "&ma", true),
    ("pthread_mutexattr_destroy", "&ma", true),
    ("pthread_mutexattr_setpshared", "&ma ; 0", true),
    ("pthread_mutexattr_settype", "&ma ; !0", true),
    ("pthread_rwlockattr_init", "&ra", true),
    ("pthread_rwlockattr_destroy", "&ra", true),
    ("pthread_rwlockattr_setpshared", "&ra ; 0", true),
    ("pthread_barrierattr_init", "&bb", true),
    ("pthread_barrierattr_destroy", "&bb", true),
    ("pthread_barrierattr_setpshared", "&bb ; 0", true),
    ("pthread_rwlock_init", "&rw ; (void *)0", true),
    ("pthread_rwlock_rdlock", "&rw", true),
    ("pthread_rwlock_wrlock", "&rw", true),
    ("pthread_rwlock_tryrdlock", "&rw", true),
    ("pthread_rwlock_trywrlock", "&rw", true),
    ("pthread_rwlock_unlock", "&rh", false),
    ("pthread_rwlock_destroy", "&rw", true),
    ("pthread_barrier_init", "&ba ; (void *)0 ; 1", true),
    ("pthread_barrier_wait", "&bi", false),
    ("pthread_barrier_destroy", "&bi", false),
    ("pthread_once", "&on ; once", true),
    ("sem_init", "&se ; 0 ; 1", true),
    ("sem_wait", "&si", false),
    ("sem_post", "&se", true),
    ("sem_trywait", "&se", true),
    ("sem_getvalue", "&se ; &x", true),
    ("sem_destroy", "&se", true),
    ("__sync_synchronize", "", true),
    ("__sync_fetch_and_add", "&x ; y", true),
    ("__sync_add_and_fetch", "&x ; y", true),
    ("__sync_bool_compare_and_swap", "&x ; y ; z", true),
    ("__sync_val_compare_and_swap", "&x ; y ; z", true),
    ("__sync_lock_test_and_set", "&x ; y", true),
    ("__sync_lock_release", "&x", true),
    ("__atomic_fetch_add", "&x ; y ; 5", true),
    ("__atomic_add_fetch", "&x ; y ; 5", true),
    ("__atomic_fetch_nand", "&x ; y ; 5", true),
    ("__atomic_thread_fence", "5", true),
    ("__atomic_signal_fence", "5", true),
    ("__atomic_is_lock_free", "!4 ; !(void *)0", true),
    ("__atomic_always_lock_free", "!4 ; !(void *)0", true),
    ("__atomic_load_n", "&x ; 5", true),
    ("__atomic_load", "&x ; &y ; 5", true),
    ("__atomic_store_n", "&x ; y ; 5", true),
    ("__atomic_store", "&x ; &y ; 5", true),
    ("__atomic_clear", "&bo ; 5", true),
    ("__atomic_test_and_set", "&bo ; 5", true),
    ("__atomic_exchange_n", "&x ; y ; 5", true),
    ("__atomic_exchange", "&x ; &y ; &z ; 5", true),
    ("__atomic_compare_exchange_n", "&x ; &y ; z ; 0 ; 5 ; 5", true),
    ("__atomic_compare_exchange", "&x ; &y ; &z ; 0 ; 5 ; 5", true),
    ("atomic_thread_fence", "5", true),
    ("atomic_signal_fence", "5", true),
    ("atomic_is_lock_free", "&ax", false),
    ("atomic_load", "&ax", false),
    ("atomic_load_explicit", "&ax ; 5", false),
    ("atomic_store", "&ax ; y", false),
    ("atomic_store_explicit", "&ax ; y ; 5", false),
    ("atomic_init", "&ax ; y", false),
    ("atomic_exchange", "&ax ; y", false),
    ("atomic_exchange_explicit", "&ax ; y ; 5", false),
    ("atomic_fetch_add", "&ax ; y", false),
    ("atomic_fetch_xor_explicit", "&ax ; y ; 5", false),
    ("atomic_compare_exchange_strong", "&ax ; &y ; z", false),
    ("atomic_compare_exchange_weak", "&ax ; &y ; z", false),
    ("atomic_compare_exchange_weak_explicit", "&ax ; &y ; z ; 5 ; 5", false),
    ("atomic_flag_test_and_set", "&af", false),
    ("atomic_flag_clear", "&af", false),
    ("assert", "x == 0", false),
    ("__VERIFIER_assert", "x == 0", false),
    ("__VERIFIER_assume", "x == 0", false),
    ("__VERIFIER_error", "x", false),
    ("reach_error", "x", false),
    ("__VERIFIER_atomic_begin", "x", false),
    ("__VERIFIER_atomic_end", "", false),
    ("__VERIFIER_nondet_int", "x", false),
    ("__assert_fail", "text ; text ; x ; text", false),
    ("__assert", "text ; text ; x", false),
];

/// Functions whose argument is a text of the command line, which is not evaluated here, that
/// allocate, whose arguments are constants, or that only macros call.
const ELSEWHERE: &[&str] = &[
    "memcmp",
    "memmove",
    "__builtin_memcmp",
    "__builtin_memmove",
    "malloc",
    "calloc",
    "__builtin_malloc",
    "__builtin_calloc",
    "__builtin_alloca",
    "alloca",
    "alarm",
    "pthread_kill",
    "setitimer",
    "sigaction",
    "signal",
    "sscanf",
    "__allocated_bytes",
    "__pthread_register_cancel",
    "__pthread_register_cancel_defer",
    "__pthread_unregister_cancel",
    "__pthread_unregister_cancel_restore",
    "__pthread_unwind_next",
    "__sigsetjmp_cancel",
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "vprintf",
    "vfprintf",
    "__builtin_va_start",
    "__builtin_va_copy",
    "__builtin_va_end",
    "pthread_key_create",
    "pthread_key_delete",
    "pthread_setspecific",
    "pthread_getspecific",
];

/// A call whose arguments count their evaluations; `!` stands before those that are not, or cannot
/// be, evaluated.
fn counted(name: &str, arguments: &str) -> (String, Vec<i128>) {
    let mut counts = Vec::new();
    let mut wrapped = Vec::new();
    for (index, argument) in arguments.split(';').map(str::trim).filter(|text| !text.is_empty()).enumerate() {
        let is_library = argument == "stdout" || argument.starts_with('"');
        match argument.strip_prefix('!') {
            Some(plain) if name == "__builtin_constant_p" || plain == "y" => {
                wrapped.push(format!("(n[{index}]++, {plain})"));
                counts.push(0);
            }
            Some(plain) => {
                wrapped.push(plain.to_owned());
                counts.push(0);
            }
            None if is_library || name == "__builtin_choose_expr" && index == 0 => {
                wrapped.push(argument.to_owned());
                counts.push(0);
            }
            None => {
                wrapped.push(format!("(n[{index}]++, {argument})"));
                counts.push(1);
            }
        }
    }
    (format!("{name}({})", wrapped.join(", ")), counts)
}

fn body(call: &str) -> String {
    format!("int main(void) {{ {call}; return 0; }}")
}

/// Functions after which nothing happens any more: they fail.
const FAILURES: &[&str] = &["__VERIFIER_error", "reach_error", "__assert_fail", "__assert"];

/// The counters when the program ends, or has failed, in all its runs.
fn counts_of(call: &str) -> BTreeSet<Vec<i128>> {
    // The failures end the run, so the counters are looked at where it would go on.
    let text = format!("{NAMES}{}", body(&format!("set_up(); {call}")));
    let text = crate::common::run_preprocessor("test.c", &text);
    let (program, _) = try_translate(&preprocessed(&text)).unwrap_or_else(|error| panic!("{call}: {error}"));
    let ends = explore(&program).ends;
    ends.iter()
        .map(|end| {
            // Counters that nobody counts are no part of the program.
            let Some((_, rest)) = end.split_once("n=[") else { return vec![0; 16] };
            let (cells, _) = rest.split_once(']').expect("the counters end");
            cells.split(", ").map(|cell| cell.parse().expect("a number")).collect()
        })
        .collect()
}

#[test]
fn arguments_are_evaluated_once() {
    let mut wrong = Vec::new();
    for (name, arguments, _) in CALLS {
        let (call, expected) = counted(name, arguments);
        if expected.is_empty() || expected.iter().all(|&count| count == 0) && !call.contains("n[") {
            continue;
        }
        // What never returns has no end to look at, but it must be understood.
        let found = counts_of(&call);
        if found.is_empty() != FAILURES.contains(name) {
            wrong.push(format!("{call} has no end, or one too many"));
        }
        for counts in found {
            if counts[..expected.len()] != expected[..] {
                wrong.push(format!("{call} counts {counts:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn gcc_evaluates_them_as_often() {
    if !is_gcc_there() {
        return;
    }
    let mut text = format!(
        "#define _GNU_SOURCE\n{NAMES}int main(void) {{ FILE *log = stderr; pthread_spin_init(&sp, 0);\n"
    );
    let mut expected = String::new();
    for (name, arguments, _) in CALLS.iter().filter(|(_, _, runs)| *runs) {
        let (call, counts) = counted(name, arguments);
        // Locks are free before each call, whatever the last one has done to them.
        text.push_str(
            "memset(n, 0, sizeof n); memset(&m, 0, sizeof m); memset(&rw, 0, sizeof rw); pthread_spin_init(&sp, 0);\
             sem_init(&se, 0, 1); x = 0;\n",
        );
        text.push_str(&format!("{call}; fprintf(log, \"{name}\");"));
        expected.push_str(name);
        for (index, count) in counts.iter().enumerate() {
            text.push_str(&format!("fprintf(log, \" %d\", n[{index}]);"));
            expected.push_str(&format!(" {count}"));
        }
        text.push_str("fprintf(log, \"\\n\");\n");
        expected.push('\n');
    }
    text.push_str("return 0; }\n");
    let directory = tempfile::Builder::new().prefix("rely-").tempdir().expect("a directory");
    let (source, binary) = (directory.path().join("calls.c"), directory.path().join("calls"));
    std::fs::write(&source, text).expect("the source is written");
    let compiled = Command::new("gcc")
        .args(["-std=gnu11", "-w", "-O0", "-pthread", "-o"])
        .args([&binary, &source])
        .args(["-latomic"])
        .output()
        .expect("gcc is there");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("the program runs");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let log: String = log
        .lines()
        .filter(|line| expected.lines().any(|one| one.split(' ').next() == line.split(' ').next()))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(log, expected);
}

/// Whether a call with so many arguments means something, if not with these.
fn is_known(name: &str, count: usize) -> bool {
    let call = format!("{name}({})", vec!["(int *)0"; count].join(", "));
    let input = CInput { refuses_externals: true, ..preprocessed(&body(&call)) };
    let Err(error) = try_translate(&input) else { return true };
    let refusals = ["syntax error", "is not supported", "is not a function"];
    !refusals.iter().any(|refusal| error.contains(refusal))
}

#[test]
fn no_function_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lower");
    let mut words = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("the source is there") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a file");
        let is_name = |word: &&str| {
            word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        words.extend(text.split('"').filter(is_name).map(str::to_owned));
    }
    let mut forgotten = Vec::new();
    for word in words.iter().filter(|word| !word.starts_with(|first: char| first.is_ascii_digit())) {
        let is_listed = CALLS.iter().any(|(name, ..)| name == word) || ELSEWHERE.contains(&word.as_str());
        if is_listed {
            continue;
        }
        if (0..=6).any(|count| is_known(word, count)) {
            forgotten.push(word.as_str());
        }
    }
    assert!(forgotten.is_empty(), "{}", forgotten.join("\n"));
}
