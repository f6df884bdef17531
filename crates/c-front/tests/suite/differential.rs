//! Random sequential programs, run by gcc's code and by ours.
//!
//! gcc traps where the standard leaves the behaviour undefined; our checks must fail in
//! exactly these programs, and otherwise all variables must end with the same values. There is
//! one exception: gcc sometimes narrows an operation, `(char)(a + b)`, before it looks for
//! overflow in it.

use crate::common::{globals, program};
use crate::generate::{Generated, generate};
use rely_program::{CheckKind, Outcome, Semantics};
use std::fmt::Write;
use std::process::Command;

const PROGRAMS: u64 = 150;
const MAX_STEPS: usize = 20_000;

/// The end of the only run: the globals, `trap`, or `overflow`.
fn run(text: &str) -> String {
    let program = program(text);
    let semantics = Semantics::new(&program);
    let mut state = semantics.initial(&[]).expect("C programs start in one state");
    for _ in 0..MAX_STEPS {
        if state.halted() {
            return globals(&semantics, &state);
        }
        let slot = state.slots().next().expect("main is a thread");
        let location = state.location(slot).expect("main runs");
        let mut next = None;
        for &edge in program.outgoing(location) {
            match semantics.step(&state, slot, edge, &[]).expect("no step of a C program is an error") {
                Outcome::Moved(moved) => assert!(next.replace(moved).is_none(), "two steps are possible"),
                Outcome::Failed(check) if program.checks()[check].kind == CheckKind::Overflow => {
                    return "overflow".into();
                }
                Outcome::Failed(_) => return "trap".into(),
                Outcome::Blocked(_) => {}
            }
        }
        state = next.expect("a sequential program never waits");
    }
    panic!("the program does not end")
}

/// Prints the globals as [`globals`] does, or `trap` if the program traps.
fn driver(programs: &[Generated]) -> String {
    let mut text = String::from(
        "#include <stdio.h>\n#include <unistd.h>\n#include <sys/wait.h>\n\
         void __VERIFIER_atomic_begin(void) {}\nvoid __VERIFIER_atomic_end(void) {}\n\
         #define SHOW(x) ((x) < 0 ? printf(\"%lld\", (long long)(x)) \
         : printf(\"%llu\", (unsigned long long)(x)))\n",
    );
    for generated in programs {
        text.push_str(&generated.text);
    }
    text.push_str("int main(void) { int s;\n");
    for (index, generated) in programs.iter().enumerate() {
        writeln!(text, "fflush(stdout); if (!fork()) {{ alarm(5); case_{index}();").expect("text");
        for (position, (name, length)) in generated.globals.iter().enumerate() {
            let space = if position == 0 { "" } else { " " };
            let shown = name.trim_end_matches(&format!("_{index}")).to_owned();
            writeln!(text, "printf(\"{space}{shown}=\");").expect("text");
            match length {
                None => writeln!(text, "SHOW({name});").expect("text"),
                Some(length) => writeln!(
                    text,
                    "printf(\"[\"); for (int k = 0; k < {length}; k++) {{ if (k) printf(\", \"); \
                     SHOW({name}[k]); }} printf(\"]\");"
                )
                .expect("text"),
            }
        }
        text.push_str(
            "printf(\"\\n\"); fflush(stdout); _exit(0); }\nwait(&s); if (s) printf(\"trap\\n\");\n",
        );
    }
    text + "return 0; }\n"
}

/// What the programs do when gcc has compiled them.
fn run_with_gcc(programs: &[Generated]) -> Vec<String> {
    let directory = std::env::temp_dir().join(format!("rely-differential-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("there is a place for temporary files");
    let (source, binary) = (directory.join("cases.c"), directory.join("cases"));
    std::fs::write(&source, driver(programs)).expect("the source can be written");
    let compiled = Command::new("gcc")
        .args(["-std=gnu11", "-w", "-O0", "-fsanitize-undefined-trap-on-error"])
        .arg("-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift-exponent,bounds")
        .arg("-o")
        .args([&binary, &source])
        .output()
        .expect("gcc is installed");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("the programs run");
    std::fs::remove_dir_all(&directory).expect("temporary files can be removed");
    String::from_utf8(output.stdout).expect("numbers are text").lines().map(str::to_owned).collect()
}

#[test]
fn sequential_programs_do_what_gcc_makes_of_them() {
    let compiled: Vec<Generated> =
        (0..PROGRAMS).map(|seed| generate(seed, &format!("_{seed}"), &format!("case_{seed}"))).collect();
    let expected = run_with_gcc(&compiled);
    assert_eq!(expected.len(), compiled.len());
    let (mut traps, mut narrowed) = (0, 0);
    for (seed, expected) in (0..PROGRAMS).zip(expected) {
        let generated = generate(seed, "", "main");
        let found = run(&generated.text);
        let is_same = match (expected.as_str(), found.as_str()) {
            ("trap", "trap" | "overflow") => true,
            (_, "overflow") => {
                narrowed += 1;
                true
            }
            // Globals that are never mentioned are no part of the program.
            _ => fields(&found).iter().all(|field| fields(&expected).contains(field)),
        };
        traps += usize::from(expected == "trap");
        assert!(is_same, "seed {seed}: gcc says\n{expected}\nbut we say\n{found}\n{}", generated.text);
    }
    assert!((PROGRAMS / 20..PROGRAMS * 9 / 10).contains(&(traps as u64)), "{traps} programs trap");
    assert!(narrowed < PROGRAMS / 20, "{narrowed} programs overflow for us alone");
}

/// `x=1 a=[2, 3]` as `x=1` and `a=[2, 3]`.
fn fields(line: &str) -> Vec<String> {
    line.replace(", ", ",").split(' ').map(str::to_owned).collect()
}
