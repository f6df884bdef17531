//! Generated programs, run by gcc's code and by ours.
//!
//! gcc traps where the standard leaves the behaviour undefined; our checks must fail in
//! exactly these programs, and otherwise all variables must end with the same values. There is
//! one exception: gcc sometimes narrows an operation, `(char)(a + b)`, before it looks for
//! overflow in it.

use crate::generated::Generated;
use rely_base::SourceMap;
use rely_c_front::{CInput, translate};
use rely_program::{CheckKind, Outcome, Program, Semantics, SlotId, State};
use std::fmt::Write;
use std::process::Command;

const MAX_STEPS: usize = 200_000;

/// What a program comes to.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The variables with their values, those that we know.
    Values(Vec<(String, Vec<i128>)>),
    /// Something undefined happens, and what we say about it.
    Trap(String),
    /// Only for us: gcc tells no kinds of traps apart.
    Overflow,
}

/// How programs ended that ended alike.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) programs: usize,
    pub(crate) traps: usize,
    /// Programs in which only we have found an overflow.
    pub(crate) narrowed: usize,
}

/// Whether there is a gcc that can compile with its sanitizers.
pub(crate) fn is_gcc_there() -> bool {
    Command::new("gcc").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// What gcc's code does where the standard leaves the behaviour undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undefined {
    /// It traps.
    Traps,
    /// Nothing special, since it does not happen; such code is compiled faster.
    Never,
}

/// Runs the programs of some seeds both ways; the error tells about the first that differs.
pub(crate) fn compare(
    seeds: std::ops::Range<u64>,
    undefined: Undefined,
    generate: impl Fn(u64) -> Generated,
) -> Result<Summary, String> {
    let programs: Vec<Generated> = seeds.clone().map(generate).collect();
    let expected = run_with_gcc(&programs, undefined)?;
    let mut summary = Summary::default();
    for ((seed, generated), expected) in seeds.zip(&programs).zip(expected) {
        let found =
            run(&generated.text()).map_err(|error| format!("seed {seed}: {error}\n{}", generated.text()))?;
        summary.programs += 1;
        summary.traps += usize::from(matches!(expected, End::Trap(_)));
        let is_same = match (&expected, &found) {
            (End::Trap(_), End::Trap(_) | End::Overflow) => true,
            (_, End::Overflow) => {
                summary.narrowed += 1;
                true
            }
            // Globals that are never mentioned are no part of our program.
            (End::Values(all), End::Values(known)) => known.iter().all(|value| {
                let is_number = generated.cells.iter().any(|(name, _)| *name == value.0);
                !is_number || all.contains(value)
            }),
            _ => false,
        };
        if !is_same {
            let text = generated.text();
            return Err(format!("seed {seed}: gcc says\n{expected:?}\nbut we say\n{found:?}\n{text}"));
        }
    }
    Ok(summary)
}

/// The end of the only run.
fn run(text: &str) -> Result<End, String> {
    let input = CInput { name: "test.i".into(), preprocessed: text.into(), ..CInput::default() };
    let mut sources = SourceMap::new();
    let program = translate(&mut sources, &input).map_err(|error| {
        let place = error.primary.as_ref().map(|(span, _)| sources.position(*span).line);
        format!("refused at line {place:?}: {error}")
    })?;
    let semantics = Semantics::new(&program);
    let mut state = semantics.initial(&[]).map_err(|error| format!("{error:?}"))?;
    for _ in 0..MAX_STEPS {
        if state.halted() {
            return Ok(values(&program, &semantics, &state));
        }
        // Whichever thread moves makes no difference.
        let mut next = None;
        for slot in state.slots() {
            match step(&program, &semantics, &state, slot)? {
                Step::Waits => {}
                Step::Moved(moved) => {
                    next = Some(moved);
                    break;
                }
                Step::Ended(end) => return Ok(end),
            }
        }
        state = next.ok_or("no thread moves")?;
    }
    Err("the program does not end".into())
}

/// What a thread does.
enum Step {
    Waits,
    Moved(State),
    Ended(End),
}

/// The only step of a thread, if it has one.
fn step(program: &Program, semantics: &Semantics<'_>, state: &State, slot: SlotId) -> Result<Step, String> {
    let Some(location) = state.location(slot) else { return Ok(Step::Waits) };
    let mut next = Step::Waits;
    for &edge in program.outgoing(location) {
        match semantics.step(state, slot, edge, &[]).map_err(|error| format!("{error:?}"))? {
            Outcome::Moved(moved) => match next {
                Step::Moved(other) if other != moved => return Err("two steps are possible".into()),
                _ => next = Step::Moved(moved),
            },
            Outcome::Failed(check) if program.checks()[check].kind == CheckKind::Overflow => {
                return Ok(Step::Ended(End::Overflow));
            }
            Outcome::Failed(check) => {
                return Ok(Step::Ended(End::Trap(program.checks()[check].message.clone())));
            }
            Outcome::Blocked(_) => {}
        }
    }
    Ok(next)
}

fn values(program: &Program, semantics: &Semantics<'_>, state: &State) -> End {
    let globals = program.vars().iter().filter(|(_, var)| var.is_global());
    End::Values(globals.map(|(id, var)| (var.name.clone(), semantics.global(state, id).to_vec())).collect())
}

/// Prints the cells of each program on a line, or `trap` if it traps.
fn driver(programs: &[Generated]) -> String {
    let mut text = String::from(
        "#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n#include <unistd.h>\n#include <sys/wait.h>\n#include <sys/resource.h>\n\
         void __VERIFIER_atomic_begin(void) {}\nvoid __VERIFIER_atomic_end(void) {}\n\
         #define SHOW(x) ((x) < 0 ? printf(\"%lld \", (long long)(x)) \
         : printf(\"%llu \", (unsigned long long)(x)))\n",
    );
    for (number, generated) in programs.iter().enumerate() {
        text.push_str(&generated.numbered(number));
    }
    // Programs that do not end use up their processor time.
    text.push_str("int main(void) { int s; struct rlimit most = {20, 20};\n");
    for (number, generated) in programs.iter().enumerate() {
        let suffix = format!("_{number}");
        write!(text, "fflush(stdout); if (!fork()) {{ setrlimit(RLIMIT_CPU, &most); main{suffix}();")
            .expect("strings take text");
        for cell in generated.cells.iter().flat_map(|(_, cells)| cells) {
            writeln!(text, "SHOW({});", cell.replace('@', &suffix)).expect("strings take text");
        }
        text.push_str(
            "printf(\"\\n\"); fflush(stdout); _exit(0); }\nwait(&s); if (s) printf(\"trap\\n\");\n",
        );
    }
    text + "return 0; }\n"
}

/// What the programs do when gcc has compiled them.
fn run_with_gcc(programs: &[Generated], undefined: Undefined) -> Result<Vec<End>, String> {
    let told = |error: std::io::Error| error.to_string();
    let directory = tempfile::Builder::new().prefix("rely-").tempdir().map_err(told)?;
    let (source, binary) = (directory.path().join("cases.c"), directory.path().join("cases"));
    std::fs::write(&source, driver(programs)).map_err(told)?;
    let flags: &[&str] = match undefined {
        Undefined::Traps => &["-fsanitize=address,undefined", "-fsanitize-undefined-trap-on-error"],
        Undefined::Never => &[],
    };
    let compiled = Command::new("gcc")
        .args(["-std=gnu11", "-w", "-O0"])
        .args(flags)
        .arg("-o")
        .args([&binary, &source])
        .output()
        .map_err(told)?;
    if !compiled.status.success() {
        let kept = std::fs::read_to_string(&source).unwrap_or_default();
        return Err(format!("{}\n{kept}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let output = Command::new(&binary).env("ASAN_OPTIONS", "detect_leaks=0").output().map_err(told)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() != programs.len() {
        return Err(format!("gcc's code has ended {} of {} programs", lines.len(), programs.len()));
    }
    programs.iter().zip(lines).map(|(generated, line)| end_of(generated, line)).collect()
}

fn end_of(generated: &Generated, line: &str) -> Result<End, String> {
    if line == "trap" {
        return Ok(End::Trap(String::new()));
    }
    let mut numbers = line.split_whitespace().map(str::parse::<i128>);
    let mut values = Vec::new();
    for (name, cells) in &generated.cells {
        let found: Result<Vec<i128>, _> = numbers.by_ref().take(cells.len()).collect();
        values.push((name.clone(), found.map_err(|error| format!("{error} in {line}"))?));
    }
    Ok(End::Values(values))
}
