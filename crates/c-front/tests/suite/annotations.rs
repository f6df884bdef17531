//! Properties in comments: what they mean, and what is said of those that mean nothing.

use crate::common::{explore, preprocessed, program, run_preprocessor, try_translate};
use expect_test::{Expect, expect};
use rely_c_front::{CInput, CText, CUnit};

const PROGRAM: &str = "
    typedef unsigned long pthread_t;
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    enum color { RED, GREEN };
    int count, cells[4];
    const int LIMIT = 3;
    _Bool flag;
    struct { int a; unsigned b : 3; } pair;
    _Thread_local int own;
    int *pointer;
    extern int elsewhere;
    void helper(void) { crossing: count++; }
    void unused(void) { nowhere: count++; }
    void *worker(void *argument) { int local = 1; inside: helper(); count--; helper(); exit: return 0; }
    void *reader(void *argument) { __VERIFIER_atomic_begin(); hidden: count--; __VERIFIER_atomic_end(); exit: entry: return 0; }
    int main(void) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
        pthread_create(&t, 0, reader, 0);
        reached: return elsewhere;
    }
";

/// The properties of the program with an annotation, or what is wrong with it.
fn outcome(annotation: &str) -> String {
    match try_translate(&preprocessed(&format!("{annotation}{PROGRAM}"))) {
        Ok((program, _)) => {
            let text = program.to_string();
            let is_property =
                |line: &&str| ["always", "at the end", "never"].iter().any(|word| line.starts_with(word));
            text.lines().filter(is_property).collect::<Vec<_>>().join("\n")
        }
        Err(error) => error,
    }
}

fn check(annotations: &[&str], expected: &Expect) {
    let outcomes: Vec<String> =
        annotations.iter().map(|annotation| format!("{annotation}\n{}\n", outcome(annotation))).collect();
    expected.assert_eq(&outcomes.join("\n"));
}

#[test]
fn annotations_become_properties() {
    check(
        &[
            "//@rely never #(worker at inside) >= 2;",
            "/*@ rely invariant count >= 0 && flag ==> pair.a != cells[GREEN]; never count == LIMIT */",
            "//@rely never #(worker at crossing) > 0 && worker at {inside, helper.crossing}",
            "//@rely invariant #(worker) + #(reader at {entry}) <= 2 <==> !(main at reached)",
            "//@rely never #(worker at worker.exit && pair.b == 7) > (flag ? 1 : -count) % 2",
            "//@rely invariant #(main at exit) <= 1",
            "//@rely ensures count == 1",
        ],
        &expect![[r#"
            //@rely never #(worker at inside) >= 2;
            always #(worker at inside) < 2

            /*@ rely invariant count >= 0 && flag ==> pair.a != cells[GREEN]; never count == LIMIT */
            always count >= 0 && flag ==> pair.a != cells[1]
            always count != 3

            //@rely never #(worker at crossing) > 0 && worker at {inside, helper.crossing}
            always !(#(worker at helper.crossing) + #(worker at helper.crossing#2) > 0 && #(worker at inside) + #(worker at helper.crossing) + #(worker at helper.crossing#2) >= 1)

            //@rely invariant #(worker) + #(reader at {entry}) <= 2 <==> !(main at reached)
            1:44: entry
            `entry` can be read in two ways

            //@rely never #(worker at worker.exit && pair.b == 7) > (flag ? 1 : -count) % 2
            always (pair.b[0] % 8 == 7 ? #(worker at exit) : 0) <= (flag ? 1 : -count) % 2

            //@rely invariant #(main at exit) <= 1
            always #(main at exit) <= 1

            //@rely ensures count == 1
            always #(main at L12) == 0 || count == 1
        "#]],
    );
}

#[test]
fn annotations_that_mean_nothing_are_errors() {
    check(
        &[
            "//@rely",
            "//@rely nevr count == 1",
            "//@rely always count == 1",
            "//@rely never",
            "//@rely never count = 3",
            "//@rely never count & 1",
            "//@rely never count ) 3",
            "//@rely never count == 0 invariant count",
            "//@rely never a@b",
            "//@rely never count == 010",
            "//@rely never count == 99999999999999999999",
            "//@rely never 0 < (count) < 3",
            "//@rely never #(worker at inside",
            "//@rely never #(worker && ) > 1",
            "//@rely never #worker > 1",
            "//@rely never 1 == 2",
        ],
        &expect![[r#"
            //@rely
            1:8: 
            the annotation ends too early

            //@rely nevr count == 1
            1:9: nevr
            unexpected `nevr`

            //@rely always count == 1
            1:9: always
            unexpected `always`

            //@rely never
            1:14: 
            the annotation ends too early

            //@rely never count = 3
            1:21: =
            unexpected `=`

            //@rely never count & 1
            1:21: &
            unexpected `&`

            //@rely never count ) 3
            1:21: )
            unexpected `)`

            //@rely never count == 0 invariant count
            1:26: invariant
            unexpected `invariant`

            //@rely never a@b
            1:16: @
            `@` in an annotation

            //@rely never count == 010
            1:24: 010
            a number with a zero in front, which C reads as octal

            //@rely never count == 99999999999999999999
            1:24: 99999999999999999999
            this is not an integer of at most 64 bits

            //@rely never 0 < (count) < 3
            1:27: <
            comparisons cannot be chained

            //@rely never #(worker at inside
            1:33: 
            the annotation ends too early

            //@rely never #(worker && ) > 1
            1:27: )
            unexpected `)`

            //@rely never #worker > 1
            1:16: worker
            unexpected `worker`

            //@rely never 1 == 2
            1:15: 1 == 2
            an annotation says nothing about the program
        "#]],
    );
}

#[test]
fn unknown_names_are_errors() {
    check(
        &[
            "//@rely never #(wroker at inside) >= 2;",
            "//@rely never #(boss at inside) >= 2;",
            "//@rely never #(helper at crossing) >= 2;",
            "//@rely never #(worker at insde) >= 2;",
            "//@rely never #(worker at nowhere) >= 2;",
            "//@rely never #(worker at inside.crossing) >= 2;",
            "//@rely never #(main at helper.inside) > 0",
            "//@rely never #(worker at exit) > 3",
            "//@rely never #(reader at hidden) > 3",
            "//@rely never local == 1",
            "//@rely never cuont == 1",
            "//@rely never #(worker at inside && argument) > 2",
            "//@rely never own == 1",
            "//@rely never elsewhere == 1",
            "//@rely never pointer == 0",
            "//@rely never worker",
            "//@rely never pair.c == 0",
            "//@rely never count.a == 0",
            "//@rely never cells == 0",
            "//@rely never cells[4] == 0",
            "//@rely never cells[-1] == 0",
            "//@rely never cells[count] == 0",
            "//@rely never count[0] == 0",
        ],
        &expect![[r#"
            //@rely never #(wroker at inside) >= 2;
            1:17: wroker
            there is no thread function `wroker`

            //@rely never #(boss at inside) >= 2;
            1:17: boss
            there is no thread function `boss`

            //@rely never #(helper at crossing) >= 2;
            1:17: helper
            no thread is started with the function `helper`

            //@rely never #(worker at insde) >= 2;
            1:27: insde
            the threads of `worker` have no label `insde`

            //@rely never #(worker at nowhere) >= 2;
            1:27: nowhere
            the threads of `worker` have no label `nowhere`

            //@rely never #(worker at inside.crossing) >= 2;
            1:34: crossing
            the threads of `worker` have no label `crossing` in `inside`

            //@rely never #(main at helper.inside) > 0
            1:32: inside
            the threads of `main` have no label `inside` in `helper`

            //@rely never #(worker at exit) > 3
            1:27: exit
            `exit` can be read in two ways

            //@rely never #(reader at hidden) > 3
            1:27: hidden
            `hidden` is inside of an atomic section

            //@rely never local == 1
            1:15: local
            there is no shared variable `local`

            //@rely never cuont == 1
            1:15: cuont
            there is no shared variable `cuont`

            //@rely never #(worker at inside && argument) > 2
            1:37: argument
            there is no shared variable `argument`

            //@rely never own == 1
            1:15: own
            each thread has a `own` of its own

            //@rely never elsewhere == 1
            1:15: elsewhere
            `elsewhere` is defined outside of the program

            //@rely never pointer == 0
            1:15: pointer
            a value of type `int *` in an annotation

            //@rely never worker
            1:15: worker
            `worker` is not a variable

            //@rely never pair.c == 0
            1:20: c
            `struct <unnamed>` has no member `c`

            //@rely never count.a == 0
            1:21: a
            `int` is not a structure and has no member `a`

            //@rely never cells == 0
            1:15: cells
            a value of type `int [4]` in an annotation

            //@rely never cells[4] == 0
            1:21: 4
            there is no element 4: the array has 4

            //@rely never cells[-1] == 0
            1:21: -1
            there is no element -1: the array has 4

            //@rely never cells[count] == 0
            1:21: count
            the index in an annotation is a number

            //@rely never count[0] == 0
            1:21: 0
            this is an index of something that is not an array
        "#]],
    );
}

/// However deep it is.
#[test]
fn deep_annotations_are_refused() {
    let repeat = |text: &str| text.repeat(100_000);
    let deep = [
        format!("{}count{}", repeat("("), repeat(")")),
        format!("{}count", repeat("!")),
        format!("count{}", repeat(" + count")),
        format!("count{}", repeat(" ==> count")),
        format!("count{}", repeat("[count")),
        format!("count{}", repeat(" ? 1")),
        repeat("#(worker at inside && "),
    ];
    for condition in deep {
        let error = outcome(&format!("//@rely never {condition}\n"));
        assert!(error.contains("more than 200 levels"), "{error:.200}");
    }
    let many = "never count == 7;".repeat(1_000);
    assert_eq!(outcome(&format!("/*@rely {many} */")).lines().count(), 1_000);
}

/// Comments of others, and text that is none.
#[test]
fn what_is_not_for_us_is_left_alone() {
    check(
        &[
            "/*@ ensures \\result >= 0; requires x; */ //@ invariant x > 0;\n",
            "// rely never x\n/* @rely never x */ //@ relying on x\n",
            "const char *text = \"//@rely never x\";\n",
        ],
        &expect![[r#"
            /*@ ensures \result >= 0; requires x; */ //@ invariant x > 0;



            // rely never x
            /* @rely never x */ //@ relying on x



            const char *text = "//@rely never x";


        "#]],
    );
}

fn with_original(text: &str) -> CInput {
    CInput {
        name: "test.c".into(),
        original: Some(text.into()),
        preprocessed: run_preprocessor("test.c", text),
        ..CInput::default()
    }
}

#[test]
fn annotations_are_read_from_what_the_user_wrote() {
    let text = "#define N 3 //@rely never x == 2;\nint x;\nint main(void) { x = N; return 0; }\n";
    let (program, sources) = try_translate(&with_original(text)).expect("the program is right");
    let [property] = program.properties() else { panic!("{program}") };
    assert_eq!(sources.text(property.span.expect("it is written somewhere")), "never x == 2");
    // What is left out, and what may be.
    for directive in ["#if 0", "#ifdef __x86_64__"] {
        let text =
            format!("{directive}\n//@rely never x == 1\n#endif\nint x;\nint main(void) {{ return 0; }}");
        let error = try_translate(&with_original(&text)).map(|_| ()).expect_err("an error");
        assert!(error.contains("an annotation inside of `#if`"), "{error}");
    }
    let header = CText { name: "a.h".into(), text: "//@rely never x == 1\n".into() };
    let input = CInput { included: vec![header], ..with_original("int main(void) { return 0; }\n") };
    let error = try_translate(&input).map(|_| ()).expect_err("an error");
    assert!(error.contains("an annotation in a file that is included"), "{error}");
}

/// Each file means its own variable; nobody else can tell which one is meant.
#[test]
fn names_of_one_file_are_those_of_its_annotations() {
    let unit =
        |name: &str, text: &str| CUnit { name: name.into(), original: None, preprocessed: text.into() };
    let translate = |third: &str| {
        let main = preprocessed(
            "//@rely never x == 1\nstatic int x; void f(void); int main(void) { x = 2; f(); return 0; }",
        );
        let others = vec![
            unit("b.i", "//@rely never x == 3\nstatic int x; void f(void) { x = 4; }"),
            unit("c.i", third),
        ];
        try_translate(&CInput { others, ..main })
    };
    let (program, _) = translate("int y;").expect("the program is right");
    assert_eq!(program.properties().len(), 2, "{program}");
    assert_ne!(program.properties()[0].kind, program.properties()[1].kind);
    let printed = program.to_string();
    assert!(printed.contains("x != 1") && printed.contains("x#2 != 3"), "{printed}");
    let error = translate("//@rely never x == 5\nint y;").map(|_| ()).expect_err("an error");
    assert!(error.contains("`x` means different things"), "{error}");
}

/// The end of the program, and that of a thread alone.
#[test]
fn what_is_ensured_is_looked_at_when_the_program_ends() {
    let violated = |body: &str| {
        let text = format!(
            "//@rely ensures x == 1\nint x; void exit(int); void abort(void); void pthread_exit(void *);\nint main(void) {{ {body} }}"
        );
        let program = program(&text);
        let violations = explore(&program).violations;
        (!violations.is_empty(), program.properties().len())
    };
    assert_eq!(violated("x = 1; return 0;"), (false, 2));
    assert_eq!(violated("x = 2; return 0;"), (true, 2));
    assert_eq!(violated("x = 2; exit(0);"), (true, 2));
    assert_eq!(violated("x = 2; __VERIFIER_atomic_begin(); exit(0); __VERIFIER_atomic_end();"), (true, 2));
    assert_eq!(violated("x = 2; abort();"), (false, 1));
    assert_eq!(violated("x = 2; pthread_exit(0);"), (true, 1));
    assert_eq!(violated("x = 1; pthread_exit(0);"), (false, 1));
}

/// A result that the program itself never looks at.
#[test]
fn what_only_an_annotation_reads_is_kept() {
    let program = program(
        "//@rely never x == 5
        typedef unsigned long pthread_t;
        int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
        int pthread_join(pthread_t, void **);
        long x;
        void *worker(void *unused) { return (void *)5; }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, worker, 0);
            pthread_join(t, (void **)&x);
            return 0;
        }",
    );
    assert_eq!(explore(&program).violations.len(), 1, "{program}");
}
