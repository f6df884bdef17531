//! Programs of several files, and programs of which a part is not supported.

use crate::common::{describe, explore, preprocessed, try_translate};
use rely_base::{Budget, SourceMap};
use rely_c_front::{CInput, CText, CUnit, Wakeups, translate_partly_within};
use std::collections::BTreeSet;

fn program_of(files: &[&str]) -> CInput {
    let unit = |(index, text): (usize, &&str)| CUnit {
        name: format!("{}.i", index + 2),
        original: None,
        preprocessed: (*text).into(),
    };
    CInput { others: files[1..].iter().enumerate().map(unit).collect(), ..preprocessed(files[0]) }
}

/// The final values of `r`.
fn check(files: &[&str], expected: &[i128]) {
    let (program, _) = try_translate(&program_of(files)).expect("the files are one program");
    let runs = explore(&program);
    assert!(runs.failures.is_empty() && !runs.deadlocks, "{files:?}: {runs:?}");
    let value = |end: &String| {
        let word = end.split(' ').find_map(|word| word.strip_prefix("r="));
        word.expect("a variable `r`").parse().expect("a number")
    };
    let ends: BTreeSet<i128> = runs.ends.iter().map(value).collect();
    assert_eq!(ends, expected.iter().copied().collect(), "{files:?}");
}

#[test]
fn functions_and_variables_are_found_in_other_files() {
    check(&["int f(int); int r; int main(void) { r = f(2); }", "int f(int x) { return x + 1; }"], &[3]);
    check(&["extern int x; int r; int main(void) { x++; r = x; }", "int x = 4;"], &[5]);
    check(&["int a[]; int r; int main(void) { r = a[1]; }", "int a[2] = {1, 7};"], &[7]);
    check(&["int f(); extern int r; int main(void) { f(); }", "int r; int f() { r = 2; return 0; }"], &[2]);
    check(
        &[
            "struct s; struct s *make(void); int get(struct s *); int r; int main(void) { r = get(make()); }",
            "struct s { int x; } it = { 6 }; struct s *make(void) { return &it; } int get(struct s *p) { return p->x; }",
        ],
        &[6],
    );
}

#[test]
fn what_is_static_belongs_to_its_file() {
    check(
        &[
            "static int x = 1; int f(void); int r; int main(void) { x = 2; r = f() * 10 + x; }",
            "static int x = 3; int f(void) { return x; }",
        ],
        &[32],
    );
    check(
        &[
            "static int f(void) { return 1; } int g(void); int r; int main(void) { r = f() * 10 + g(); }",
            "static int f(void) { return 2; } int g(void) { return f(); }",
        ],
        &[12],
    );
    check(
        &[
            "int x = 1; int f(void); int r; int main(void) { r = f() * 10 + x; }",
            "static int x = 3; struct s { int x; }; int f(void) { struct s s = { 4 }; return x + s.x; }",
        ],
        &[71],
    );
    // The same static function of a header has variables of its own in each file.
    let header = "static int count(void) { static int n; return ++n; }";
    check(
        &[
            &format!(
                "{header} int f(void); int r; int main(void) {{ count(); count(); r = f() * 10 + count(); }}"
            ),
            &format!("{header} int f(void) {{ return count(); }}"),
        ],
        &[13],
    );
}

#[test]
fn types_of_the_same_name_differ_from_file_to_file() {
    check(
        &[
            "struct s { int x; }; typedef struct s t; enum { A = 5 }; int f(void); int r;
             int main(void) { t v = { A }; r = f() * 10 + v.x; }",
            "struct s { char a, b; }; typedef struct s t; enum { A = 1 };
             int f(void) { t v = { 3, A }; return sizeof v + v.a + v.b; }",
        ],
        &[65],
    );
    check(
        &[
            "#pragma pack(1)\nint f(void); struct s { char a; int b; }; int r; int main(void) { r = f() + sizeof(struct s); }",
            "struct t { char a; int b; }; int f(void) { return sizeof(struct t) * 10; }",
        ],
        &[85],
    );
    check(
        &[
            "typedef int t; int f(void); int r; int main(void) { r = f(); }",
            "int f(void) { int t = 4; return t * 2; }",
        ],
        &[8],
    );
}

#[test]
fn what_is_defined_twice_is_refused() {
    let files = ["int f(void) { return 1; } int main(void) { return f(); }", "int f(void) { return 2; }"];
    let error = try_translate(&program_of(&files)).map(|_| ()).unwrap_err();
    assert!(error.contains("this function is defined twice"), "{error}");
}

#[test]
fn errors_are_shown_in_their_files() {
    let header = CText { name: "h.h".into(), text: "\nint f(void) { return y; }\n".into() };
    let text =
        "# 1 \"a.c\"\n# 1 \"h.h\" 1\n\nint f(void) { return y; }\n# 2 \"a.c\" 2\nint main(void) { f(); }\n";
    let input = CInput {
        name: "a.c".into(),
        original: Some("#include \"h.h\"\nint main(void) { f(); }\n".into()),
        preprocessed: text.into(),
        included: vec![header],
        ..CInput::default()
    };
    let error = try_translate(&input).map(|_| ()).unwrap_err();
    assert_eq!(error, "2:22: y\nthere is no variable `y`");
    let error =
        try_translate(&program_of(&["int f(void); int main(void) { f(); }", "\nint f(void) { return y; }"]));
    assert_eq!(error.map(|_| ()).unwrap_err(), "2:22: y\nthere is no variable `y`");
}

/// The checks that can fail in what is translated of a program, and how many parts are not; nothing if there is no
/// program.
fn check_part(text: &str, failures: Option<&[&str]>, obstacles: usize) {
    let mut sources = SourceMap::new();
    let input = preprocessed(text);
    let part = translate_partly_within(&mut sources, &input, Wakeups::Spurious, &Budget::unlimited());
    let (Ok(part), Some(failures)) = (&part, failures) else {
        assert!(part.is_err() && failures.is_none(), "{text}");
        return;
    };
    assert_eq!(part.obstacles.len(), obstacles, "{text}");
    assert!(part.obstacles.iter().all(|obstacle| !describe(obstacle, &sources).is_empty()));
    let found = explore(&part.program).failures;
    assert_eq!(found, failures.iter().map(|failure| (*failure).to_owned()).collect(), "{text}");
}

#[test]
fn the_translation_ends_where_something_is_not_supported() {
    let assertion =
        "void __assert_fail(const char *, const char *, unsigned, const char *); int fork(void); int c, x;
        extern int __VERIFIER_nondet_int(void);";
    let check_in = |functions: &str, body: &str, failures: Option<&[&str]>, obstacles| {
        check_part(&format!("{assertion} {functions} int main(void) {{ {body} }}"), failures, obstacles);
    };
    let check = |body: &str, failures: &[&str], obstacles| check_in("", body, Some(failures), obstacles);
    let fails = "__assert_fail(\"x\", \"\", 0, \"\");";
    let (limit, failure) = ("`fork` is not supported", "assertion `x` fails");
    check("fork();", &[limit], 1);
    // What comes behind is not known.
    check(&format!("fork(); {fails}"), &[limit], 1);
    check(&format!("if (c) {{ fork(); }} {fails}"), &[failure], 1);
    check(&format!("if (__VERIFIER_nondet_int()) {{ fork(); }} else {{ {fails} }}"), &[limit, failure], 1);
    check("if (c) { fork(); }", &[], 1);
    check(&format!("while (c) {{ fork(); break; }} {fails}"), &[failure], 1);
    check(&format!("while (fork()) {{ {fails} }}"), &[limit], 1);
    check("for (int i = 0; i < 3; i++) { if (i == 2) fork(); x++; }", &[limit], 1);
    check("switch (c) { case 0: x = 1; break; case 1: x = 2; } fork();", &[limit], 1);
    check("int y = fork(); x = y;", &[limit], 1);
    // Others come to a label in it.
    check_in("", "goto end; fork(); end: x = fork();", None, 2);
    check("switch (c) { case 0: fork(); }", &[limit], 1);
    check_in("void f(void) { goto end; end: x = fork(); }", "if (c) f();", Some(&[limit]), 1);
    check_in("void f(void) { goto end; end: x = fork(); }", "f();", Some(&[limit]), 1);
}
