//! What comes out of the preprocessor, on small inputs.

use expect_test::{Expect, expect};
use rely_c_preprocess::{Declined, Files, Limits, Request, Toolchain, preprocess};

/// Headers that exist only here, by path.
struct Headers(&'static [(&'static str, &'static str)]);

impl Files for Headers {
    fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, Declined> {
        let found = self.0.iter().find(|(name, _)| *name == path);
        Ok(found.map(|(_, text)| text.as_bytes().to_vec()))
    }
}

const NO_HEADERS: Headers = Headers(&[]);

fn request(text: &str) -> Request {
    Request {
        name: "dir/t.c".into(),
        text: text.into(),
        toolchain: Toolchain { major: 12, directories: vec!["/sys".into()] },
        directories: vec!["own".into()],
        definitions: vec!["GIVEN".into(), "THREE=3".into(), "ADD(a,b)=a+b".into()],
        limits: Limits::default(),
    }
}

/// The text behind the markers with which every output begins.
fn run(text: &str, mut headers: Headers) -> Result<String, Declined> {
    let text = preprocess(request(text), &mut headers)?;
    let text = String::from_utf8(text).expect("the output is text");
    let start = "# 0 \"dir/t.c\"\n# 0 \"<built-in>\"\n# 0 \"<command-line>\"\n# 1 \"dir/t.c\"\n";
    Ok(text.strip_prefix(start).expect("the output names the file").to_owned())
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&run(text, NO_HEADERS).expect("the input is not declined"));
}

/// The tokens, whatever line they are on.
fn check_tokens(text: &str, expected: &str) {
    let output = run(text, NO_HEADERS).expect("the input is not declined");
    let lines = output.lines().filter(|line| !line.starts_with('#'));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    assert_eq!(words.join(" "), expected, "{text}");
}

fn check_declined(text: &str, expected: Expect) {
    let reason = run(text, NO_HEADERS).expect_err("the input is declined");
    expected.assert_eq(&reason.to_string());
}

#[test]
fn objects_are_replaced() {
    check_tokens("#define SIZE 4 * UNIT\n#define UNIT 8\nint a[SIZE];", "int a[4 * 8];");
    check_tokens("#define EMPTY\nEMPTY x EMPTY\n", "x");
    check_tokens("#define X 1\nX\n#undef X\nX", "1 X");
    check_tokens("GIVEN THREE ADD(1, 2)", "1 3 1 +2");
}

#[test]
fn a_macro_is_not_expanded_in_itself() {
    check_tokens("#define loop loop + 1\nloop", "loop + 1");
    check_tokens("#define ping pong\n#define pong ping\nping pong", "ping pong");
    check_tokens("#define next(n) next(n + step)\n#define step 2\nnext(next(1))", "next(next(1 + 2) + 2)");
    // The name at the end of an expansion takes its arguments from behind it.
    check_tokens("#define twice(a) ((a) * 2)\n#define alias twice\nalias (3)", "((3) * 2)");
    check_tokens("#define open twice(\n#define twice(a) ((a) * 2)\nopen 3)", "((3) * 2)");
    check_tokens("#define keep(x) x\n#define self keep(self)\nself", "self");
}

#[test]
fn functions_want_parentheses() {
    check_tokens("#define id(x) x\nid id (1) id\n(2)", "id 1 2");
    check_tokens("#define none() 7\nnone() none( ) none", "7 7 none");
    check_tokens("#define pair(a, b) [b|a]\npair((1, 2), {3)", "[{3|(1, 2)]");
    check_tokens("#define pair(a, b) [b|a]\npair(,) pair(,x)", "[|] [x|]");
}

#[test]
fn arguments_become_strings() {
    check_tokens(
        r#"#define text(x) #x
text(a  +b) text("q\n" '\0') text() text( /* c */ a )"#,
        r#""a +b" "\"q\\n\" '\\0'" "" "a""#,
    );
    check_tokens(
        "#define text(x) #x\n#define outer(x) text(x)\n#define N 3\ntext(N) outer(N)",
        "\"N\" \"3\"",
    );
}

#[test]
fn tokens_are_pasted() {
    check_tokens("#define glue(a, b) a ## b\nglue(x, 1) glue(, y) glue(z, ) glue(,) glue(-, >)", "x1 y z ->");
    check_tokens("#define glue(a, b) a ## b\n#define xy found\nglue(x, y)", "found");
    check_tokens("#define glue3(a, b, c) a ## b ## c\nglue3(1, , 2) glue3(, 5, )", "12 5");
    // Only what is not beside the operator is expanded first.
    check_tokens("#define mix(a) a a ## 1\n#define N n\nmix(N)", "n N1");
    check_tokens("#define hash a ## b\nhash", "ab");
}

#[test]
fn the_last_parameter_can_take_all() {
    check_tokens("#define call(f, ...) f(__VA_ARGS__)\ncall(g, 1, 2) call(g,) call(g)", "g(1, 2) g() g()");
    check_tokens(
        "#define log(text, ...) p(text, ##__VA_ARGS__)\nlog(a) log(a,) log(a, b, c)",
        "p(a) p(a,) p(a, b, c)",
    );
    check_tokens("#define log(args...) p(0, ##args)\nlog() log(1, 2)", "p(0) p(0,1, 2)");
}

#[test]
fn conditions_choose_groups() {
    for (condition, expected) in [
        ("1", "yes"),
        ("0", "no"),
        ("defined GIVEN && !defined(OTHER)", "yes"),
        ("THREE * 2 == 6 ? UNKNOWN : 1", "no"),
        ("-1 > 0u", "yes"),
        ("-1 >> 1 == -1 && (7 & ~2) == 5 && (6 ^ 3) == 5", "yes"),
        ("'a' == 97 && 0x1F == 31 && 017 == 15", "yes"),
        ("0 && 1 / 0", "no"),
        ("__GNUC__ > 4 || (__GNUC__ == 4 && __GNUC_MINOR__ >= 9)", "yes"),
        ("__GNUC__ >= 4 || __has_attribute(anything)", "yes"),
        ("__INT_MAX__ == 2147483647 && __LONG_MAX__ > __INT_MAX__ && __SIZEOF_POINTER__ == 8", "yes"),
    ] {
        check_tokens(&format!("#if {condition}\nyes\n#else\nno\n#endif"), expected);
    }
    check_tokens("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif THREE\nc\n#elif 1\nd\n#else\ne\n#endif", "c");
    check_tokens("#ifdef NONE\ndon't read \"this /*\n#endif\n#ifndef NONE\nx\n#endif", "x");
}

#[test]
fn lines_and_columns_are_kept() {
    check(
        "int a;\n\n  int\\\n   b; /* two\nlines */ c;\n#define F(x) x\n   F(1\n) 2",
        expect![[r#"
            int a;

              int
               b;
                     c;

               1
              2
        "#]],
    );
}

#[test]
fn far_lines_get_markers() {
    let text = format!("a{}b\n#if 0\n{}#endif\nc", "\n".repeat(7), "\n".repeat(20));
    check(
        &text,
        expect![[r#"
        a






        b
        # 31 "dir/t.c"
        c
    "#]],
    );
}

#[test]
fn lines_of_macros_are_those_of_their_names() {
    check(
        "#define F(x) __LINE__ x __FILE__\nF(\n__LINE__\n) end\n__COUNTER__ __COUNTER__",
        expect![[r#"

        2 3 "dir/t.c"

          end
        0 1
    "#]],
    );
}

#[test]
fn tokens_do_not_join_by_accident() {
    check(
        "#define MINUS -\n#define NONE\n-MINUS x NONE+NONE+ a.NONE. +MINUS NONE#",
        expect![[r#"


        - - x + + a. . +- #
    "#]],
    );
}

#[test]
fn headers_are_found_and_guarded() {
    let headers = Headers(&[
        ("dir/near.h", "#ifndef NEAR_H\n#define NEAR_H\n#include <far.h>\nint near;\n#endif\n"),
        ("own/far.h", "#pragma once\nint far;\n"),
        ("/sys/far.h", "int shadowed;\n"),
    ]);
    let text = "#include \"near.h\"\n#include \"near.h\"\n#include <far.h>\nint x;\n";
    let expected = expect![[r##"
        # 1 "dir/near.h" 1


        # 1 "own/far.h" 1

        int far;
        # 4 "dir/near.h" 2
        int near;
        # 2 "dir/t.c" 2


        int x;
    "##]];
    let output = run(text, headers).expect("the input is not declined");
    // A `#pragma once` leaves a line of blanks behind.
    let lines: String = output.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    expected.assert_eq(&lines);
}

#[test]
fn what_only_the_compiler_knows_is_declined() {
    check_declined("x = __VERSION__;", expect!["only the compiler knows `__VERSION__`"]);
    check_declined("#ifdef __SSE4_2__\n#endif", expect!["only the compiler knows `__SSE4_2__`"]);
    check_declined(
        "#if __has_builtin(__builtin_trap)\n#endif",
        expect!["only the compiler knows `a condition`"],
    );
    check_declined("#if __GNUC_MINOR__ == 2\n#endif", expect!["only the compiler knows `a condition`"]);
    check_declined("int minor = __GNUC_MINOR__;", expect!["only the compiler knows `__GNUC_MINOR__`"]);
    check_declined(
        "#define C(a, b) a ## b\n#define D(a, b) C(a, b)\n#if D(__GNUC_MINOR__, 0)\n#endif",
        expect!["only the compiler knows `__GNUC_MINOR__`"],
    );
    check_declined("_Pragma(\"pack(1)\")", expect!["only the compiler knows `_Pragma`"]);
    check_declined("#include <missing.h>", expect!["there is no header `missing.h`"]);
}

#[test]
fn errors_are_the_compilers() {
    for text in [
        "#error stop",
        "#if 1",
        "#endif",
        "#else",
        "#if 1 +\n#endif",
        "#if 1 / 0\n#endif",
        "#if 9223372036854775807 + 1\n#endif",
        "#define",
        "#define 1",
        "#define defined",
        "#define F(a, a) a",
        "#define F(a",
        "#define F(x) #y",
        "#define F ## x",
        "#define F x ##",
        "#define F(x) x\nF(1, 2)",
        "#define F(x) x\nF(1",
        "#define C(a, b) a ## b\nC(+, /)",
        "#define C(a, b) a ## b\nC(/, /)",
        "#include",
        "#unknown",
        "# 12 \"x.c\"",
        "#line 3",
        "'a",
        "/*",
    ] {
        assert!(run(text, NO_HEADERS).is_err(), "{text}");
    }
}

#[test]
fn hostile_inputs_end() {
    let mut doubling = "#define A0 x\n".to_owned();
    for level in 1..60 {
        doubling.push_str(&format!("#define A{level} A{0} A{0}\n", level - 1));
    }
    doubling.push_str("A59\n");
    let nested = format!("#define F(x) x\n{}1{}", "F(".repeat(10_000), ")".repeat(10_000));
    let parentheses = format!("#if {}1{}\n#endif", "(".repeat(100_000), ")".repeat(100_000));
    let signs = format!("#if {}1\n#endif", "- ".repeat(100_000));
    for text in [doubling, nested, parentheses, signs] {
        let mut request = request(&text);
        request.limits = Limits { tokens: 200_000, bytes: 1 << 20 };
        let declined = preprocess(request, &mut Headers(&[])).expect_err("too much");
        assert!(matches!(declined, Declined::TooMuch(_)), "{declined}");
    }
    let itself = Headers(&[("dir/t.h", "#include \"t.h\"\n")]);
    assert!(matches!(run("#include \"t.h\"", itself), Err(Declined::TooMuch(_))));
}
