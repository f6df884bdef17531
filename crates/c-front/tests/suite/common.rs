//! Translating and running small programs.

use rely_base::{Diagnostic, SourceMap};
use rely_c_front::{CInput, translate};
use rely_program::{Chooser, Domain, Program, Reached, Semantics, State, Value};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::process::Command;

/// States that a test may look at; more means that the test is not small.
const MAX_STATES: usize = 200_000;

/// A text that needs no preprocessing.
pub(crate) fn preprocessed(text: &str) -> CInput {
    CInput { name: "test.i".into(), preprocessed: text.into(), ..CInput::default() }
}

/// The program of a text, or its error as [`describe`] tells it.
pub(crate) fn try_translate(input: &CInput) -> Result<(Program, SourceMap), String> {
    let mut sources = SourceMap::new();
    match translate(&mut sources, input) {
        Ok(program) => Ok((program, sources)),
        Err(error) => Err(describe(&error, &sources)),
    }
}

/// The program of a text without directives.
pub(crate) fn program(text: &str) -> Program {
    match try_translate(&preprocessed(text)) {
        Ok((program, _)) => program,
        Err(error) => panic!("{error}"),
    }
}

/// An error with its line and the text under it.
pub(crate) fn describe(error: &Diagnostic, sources: &SourceMap) -> String {
    let place = error.primary.as_ref().map(|(span, _)| {
        let position = sources.position(*span);
        let text: String = sources.text(*span).lines().next().unwrap_or("").chars().take(60).collect();
        format!("{}:{}: {text}\n", position.line, position.column)
    });
    format!("{}{error}", place.unwrap_or_default())
}

/// The output of the system's preprocessor for a file of the given name.
pub(crate) fn run_preprocessor(name: &str, text: &str) -> String {
    use std::io::Write;
    let mut child = Command::new("gcc")
        .args(["-E", "-x", "c", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("gcc is installed");
    child.stdin.take().expect("stdin is piped").write_all(text.as_bytes()).expect("gcc reads its input");
    let output = child.wait_with_output().expect("gcc ends");
    assert!(output.status.success(), "gcc preprocesses {name}");
    String::from_utf8(output.stdout).expect("gcc prints text").replace("<stdin>", name)
}

/// All values of small domains, and a few of large ones.
struct Samples;

impl Chooser for Samples {
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool {
        let candidates = [-2, -1, 0, 1, 2, 3, 4, 5];
        values.extend(candidates.into_iter().filter(|&value| domain.contains(value)));
        domain.size().is_some_and(|size| size <= values.len() as u128)
    }
}

/// What the runs of a program can come to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    /// The final values of the globals, as `x=1 a=[2, 3]`.
    pub(crate) ends: BTreeSet<String>,
    /// The messages of the checks that can fail.
    pub(crate) failures: BTreeSet<String>,
    pub(crate) deadlocks: bool,
    /// The properties that do not hold, by their numbers.
    pub(crate) violations: BTreeSet<usize>,
}

/// All runs of a program, by looking at all states.
pub(crate) fn explore(program: &Program) -> Runs {
    let semantics = Semantics::new(program);
    let start = semantics.initial(&[]).expect("C programs start in one state");
    let mut seen: HashSet<State> = [start.clone()].into();
    let mut pending = VecDeque::from([start]);
    let mut runs = Runs::default();
    while let Some(state) = pending.pop_front() {
        assert!(seen.len() < MAX_STATES, "the test program has too many states");
        let violated = semantics.violated_property(&state).expect("properties have values");
        runs.violations.extend(violated);
        let mut moved = false;
        if !state.halted() {
            for slot in state.slots() {
                let mut visit = |reached: Reached<'_>| {
                    moved = true;
                    match reached {
                        Reached::Failure(check) => {
                            runs.failures.insert(program.checks()[check].message.clone());
                        }
                        Reached::State(next) => {
                            if seen.insert(next.clone()) {
                                pending.push_back(next.clone());
                            }
                        }
                    }
                };
                semantics
                    .successors(&state, slot, &Samples, &mut |_, reached| visit(reached))
                    .expect("no step of a C program is an error");
            }
        }
        if state.halted() || semantics.has_ended(&state) {
            runs.ends.insert(globals(&semantics, &state));
        } else if !moved {
            runs.deadlocks |= semantics.is_deadlock(&state, &Samples) == Ok(Some(true));
        }
    }
    runs
}

/// The values of the globals of a state.
fn globals(semantics: &Semantics<'_>, state: &State) -> String {
    let program = semantics.program();
    let shown = program.vars().iter().filter(|(_, var)| var.is_global()).map(|(id, var)| {
        match (semantics.global(state, id), var.length) {
            ([value], None) => format!("{}={value}", var.name),
            (values, _) => format!("{}={values:?}", var.name),
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}
