//! Handles of threads: where they come from and where they go, and what is joined by them.

use crate::common::{Runs, explore, program};
use expect_test::{Expect, expect};
use rely_program::Program;

const PRELUDE: &str = "typedef unsigned long pthread_t; typedef union { char c[56]; } pthread_attr_t; \
    int r, seven = 7, eight = 8; pthread_t h, k, a[3]; struct s { int x; pthread_t t; } s, z; ";

fn lowered(text: &str) -> Program {
    program(&format!("{PRELUDE} {text}"))
}

/// What comes of a program: what is violated, or the last values of `r`; and what is assumed.
fn told(program: &Program) -> String {
    let Runs { ends, failures, deadlocks, .. } = explore(program);
    let of_interest =
        ["threads-are-joined-once", "thread-handles-are-opaque", "object-addresses"].map(str::to_owned);
    let assumed = program.assumptions().iter().map(ToString::to_string);
    let assumed: Vec<String> = assumed.filter(|name| of_interest.contains(name)).collect();
    let mut results: Vec<&str> = ends
        .iter()
        .map(|end| end.split(' ').find(|field| field.starts_with("r=")).unwrap_or("ends"))
        .collect();
    results.sort_unstable();
    results.dedup();
    let mut told: Vec<String> = failures.into_iter().collect();
    if told.is_empty() {
        told.extend(results.into_iter().map(str::to_owned));
    }
    told.extend(deadlocks.then(|| "stuck".to_owned()));
    told.extend(assumed.into_iter().map(|name| format!("assuming {name}")));
    told.join("\n")
}

/// A program whose `main` starts `f` into `t` and goes on.
fn started(f: &str, statements: &str) -> String {
    format!(
        "void *f(void *p) {{ {f} }} int main(void) {{ void *v = 0; pthread_t t; \
         pthread_create(&t, 0, f, 0); {statements} return 0; }}"
    )
}

fn check(f: &str, statements: &str, expected: Expect) {
    expected.assert_eq(&told(&lowered(&started(f, statements))));
}

#[test]
fn the_result_of_a_thread_is_found_by_every_copy_of_its_handle() {
    for copy in [
        "pthread_join(t, &v);",
        "h = t; pthread_join(h, &v);",
        "a[1] = t; pthread_join(a[1], &v);",
        "s.t = t; z = s; pthread_join(z.t, &v);",
        "pthread_t *p = &h; *p = t; pthread_join(*p, &v);",
        "long n = (long)t; pthread_join((pthread_t)n, &v);",
        "h = t; k = seven == 7 ? h : 0; pthread_join(k, &v);",
    ] {
        let text = started("return &seven;", &format!("{copy} r = *(int *)v;"));
        assert_eq!(told(&lowered(&text)), "r=7", "{copy}");
    }
    for own in ["h = pthread_self();", "a[r] = h = pthread_self();", "pthread_t o = pthread_self(); h = o;"] {
        let text =
            started(&format!("{own} return &seven;"), "while (!h); pthread_join(h, &v); r = *(int *)v;");
        assert_eq!(told(&lowered(&text)), "r=7", "{own}");
    }
    let of_main = "void *f(void *p) { void *v; pthread_join((pthread_t)p, &v); r = *(int *)v; return 0; } \
        int main(void) { pthread_t t; pthread_create(&t, 0, f, (void *)pthread_self()); pthread_exit(&eight); }";
    assert_eq!(told(&lowered(of_main)), "r=8\nassuming object-addresses");
}

#[test]
fn handles_are_compared() {
    check(
        "h = pthread_self(); return 0;",
        "pthread_join(t, 0); r = pthread_equal(h, t) * 10 + pthread_equal(t, pthread_self());",
        expect!["r=10"],
    );
    check("return 0;", "r = t != 0; if (t) pthread_join(t, 0);", expect!["r=1"]);
    check(
        "return 0;",
        "pthread_join(t, 0); r = t % 2;",
        expect![[r#"
        r=0
        assuming thread-handles-are-opaque"#]],
    );
    check(
        "return 0;",
        "pthread_join(t, 0); r = t == 2;",
        expect![[r#"
        r=1
        assuming thread-handles-are-opaque"#]],
    );
    check(
        "return 0;",
        "pthread_join(t, 0); r = (int)t;",
        expect![[r#"
        r=2
        assuming thread-handles-are-opaque"#]],
    );
    check(
        "return 0;",
        "pthread_join(t, 0); t = -1; r = t == -1;",
        expect![[r#"
        r=1
        assuming thread-handles-are-opaque"#]],
    );
}

#[test]
fn a_thread_is_joined_or_detached_once() {
    check("return 0;", "pthread_join(t, 0);", expect!["ends"]);
    check("return 0;", "pthread_detach(t);", expect!["ends"]);
    for twice in [
        "pthread_join(t, 0); pthread_join(t, 0);",
        "pthread_detach(t); pthread_detach(t);",
        "pthread_detach(t); pthread_join(t, 0);",
        "pthread_join(t, 0); pthread_detach(t);",
        "for (int i = 0; i < 2; i++) pthread_join(t, 0);",
        "h = t; pthread_join(t, 0); pthread_join(h, 0);",
    ] {
        let found = told(&lowered(&started("return 0;", twice)));
        assert!(found.ends_with(" a thread that was joined or detached before"), "{twice}\n{found}");
    }
    check(
        "pthread_detach(pthread_self()); return 0;",
        "pthread_join(t, 0);",
        expect!["`pthread_join(t, 0)` joins a thread that was joined or detached before"],
    );
    check("return 0;", "if (r) pthread_detach(t); else pthread_join(t, 0);", expect!["r=0"]);
    let detached = |state: u8| {
        format!(
            "void *f(void *p) {{ return 0; }} int main(void) {{ pthread_t t; pthread_attr_t b; \
             pthread_attr_init(&b); pthread_attr_setdetachstate(&b, {state}); pthread_create(&t, &b, f, 0); \
             pthread_join(t, 0); return 0; }}"
        )
    };
    assert_eq!(told(&lowered(&detached(0))), "ends");
    expect!["`pthread_join(t, 0)` joins a thread that was joined or detached before"]
        .assert_eq(&told(&lowered(&detached(1))));
}

#[test]
fn threads_of_which_there_are_several_are_assumed_to_be_joined_once() {
    let several = "void *f(void *p) { return 0; } int main(void) { for (int i = 0; i < 2; i++) \
        pthread_create(a + i, 0, f, 0); for (int i = 0; i < 2; i++) pthread_join(a[i], 0); return 0; }";
    expect![[r#"
        ends
        assuming threads-are-joined-once"#]]
    .assert_eq(&told(&lowered(several)));
}

#[test]
fn what_is_no_thread_is_not_joined() {
    check("return 0;", "pthread_join(99, 0);", expect!["`pthread_join(99, 0)` joins no thread"]);
    check("return 0;", "pthread_join(k, 0);", expect!["`pthread_join(k, 0)` joins no thread"]);
    check("return 0;", "pthread_detach(a[2]);", expect!["`pthread_detach(a[2])` detaches no thread"]);
    check(
        "return 0;",
        "pthread_join(pthread_self(), 0);",
        expect!["`pthread_join(pthread_self(), 0)` joins the thread itself"],
    );
    check(
        "pthread_join(h, 0); return 0;",
        "h = t;",
        expect![[r#"
            `pthread_join(h, 0)` joins no thread
            `pthread_join(h, 0)` joins the thread itself"#]],
    );
    // Nobody knows whether a number that was computed is a thread.
    check(
        "return 0;",
        "pthread_join(t + 1, 0); r = 5;",
        expect![[r#"
            stuck
            assuming thread-handles-are-opaque"#]],
    );
}

#[test]
fn equal_strings_may_be_one() {
    let compared = |condition: &str| {
        told(&lowered(&format!(
            "const char *p = \"a\", *q = \"a\"; int main(void) {{ r = {condition}; return 0; }}"
        )))
    };
    assert_eq!(compared("p == q"), "r=0\nassuming object-addresses");
    assert_eq!(compared("\"b\" != \"b\""), "r=1\nassuming object-addresses");
    assert_eq!(compared("p == p"), "r=1");
    assert_eq!(compared("p == 0"), "r=0");
}

#[test]
fn results_of_several_threads_are_not_followed() {
    let text =
        "typedef unsigned long pthread_t; int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
        int pthread_join(pthread_t, void **); int x = 1;
        void *f(void *a) { return &x; }
        int main(void) { pthread_t t[2]; void *r; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);
          for (int i = 0; i < 2; i++) { pthread_join(t[i], &r); if (r == &x) x = *(int *)r; } }";
    let program = program(text);
    let runs = explore(&program);
    assert!(runs.failures.is_empty() && runs.ends.iter().all(|end| end.contains("x=1")), "{runs:?}");
}
