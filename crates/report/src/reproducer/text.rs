//! The files of a reproducer.

use super::inputs::Inputs;
use super::scan::Names;
use super::steps::{Access, CPlace, Plan, Step, StepKind, Variable};
use super::{CSource, ReproducerFile, Symptom};
use crate::finding::ViolationReport;
use rely_base::Id;
use rely_program::SlotId;
use std::fmt::Write;

const RUNTIME: &str = include_str!("rely_runtime.c");
const SCHEDULE_HEADER: &str = include_str!("rely_schedule.h");
const RUNTIME_HEADER: &str = include_str!("rely_runtime.h");
const THREADS: &str = include_str!("rely_threads.c");
const LOCKS: &str = include_str!("rely_locks.c");
const HOOKS: &str = include_str!("rely_hooks.c");
const ACCESSES: &str = include_str!("rely_accesses.c");
const RACE: &str = include_str!("rely_race.c");
const INTERCEPT_HEADER: &str = include_str!("rely_intercept.h");

/// Functions whose call is the violation, if the program gives them a body.
const ERROR_FUNCTIONS: [&str; 2] = ["__VERIFIER_error", "reach_error"];

/// What the files are made of.
pub(super) struct Parts<'a> {
    pub(super) source: &'a CSource<'a>,
    pub(super) names: &'a Names,
    pub(super) ending: Symptom,
    pub(super) inputs: &'a Inputs,
    pub(super) plan: &'a Plan,
    pub(super) violation: &'a ViolationReport,
    pub(super) violator: Option<SlotId>,
}

/// All files.
pub(super) fn files(parts: &Parts<'_>) -> Vec<ReproducerFile> {
    let file = |name, text: String| ReproducerFile { name, text };
    let accesses = match parts.ending {
        Symptom::Race => file("rely_race.c", RACE.to_owned()),
        _ => file("rely_accesses.c", ACCESSES.to_owned()),
    };
    vec![
        file("program.c", parts.source.text.to_owned()),
        file("reproducer.c", parts.schedule()),
        file("rely_schedule.h", SCHEDULE_HEADER.to_owned()),
        file("rely_intercept.h", INTERCEPT_HEADER.to_owned()),
        file("rely_runtime.h", RUNTIME_HEADER.to_owned()),
        file("rely_runtime.c", RUNTIME.to_owned()),
        file("rely_threads.c", THREADS.to_owned()),
        file("rely_locks.c", LOCKS.to_owned()),
        file("rely_hooks.c", HOOKS.to_owned()),
        accesses,
        file("Makefile", parts.makefile()),
        file("README.md", parts.readme()),
    ]
}

impl Parts<'_> {
    fn violation_text(&self) -> String {
        match &self.violation.place {
            Some(place) => format!("{}:{}: {}", self.source.name, place.line, self.violation.message),
            None => self.violation.message.clone(),
        }
    }

    fn schedule(&self) -> String {
        let mut out = self.header();
        if self.ending == Symptom::Race {
            out.push_str("#define RELY_RACES\n");
        }
        out.push_str(
            "#include \"rely_intercept.h\"\n#include \"program.c\"\n#include \"rely_schedule.h\"\n\n",
        );
        self.variables(&mut out);
        self.steps(&mut out);
        self.threads(&mut out);
        let is_error = |name: &str| ERROR_FUNCTIONS.contains(&name);
        function_table(&mut out, "error_functions", self.names.functions().filter(|name| is_error(name)));
        let is_atomic = |name: &str| name.starts_with("__VERIFIER_atomic_");
        function_table(&mut out, "atomic_functions", self.names.functions().filter(|name| is_atomic(name)));
        self.summary(&mut out);
        out
    }

    /// Says to whoever opens the file what it is.
    fn header(&self) -> String {
        let mut lines =
            vec!["A reproducer: the program, and behind it the schedule under which it fails.".to_owned()];
        lines.push(format!("It shows:   {}{}", self.violation_text(), self.who()));
        lines.push(format!("Compile:    {}", self.compile_command()));
        lines.push(format!("            {}", self.link_command()));
        lines.push("Run:        ./reproducer".to_owned());
        lines.push("It ends with SIGABRT if the violation was reproduced, in the thread and at the line of the trace; with 3".to_owned());
        lines.push(
            "if the schedule was followed to its end and nothing failed; with 4 if it could not be followed."
                .to_owned(),
        );
        let lines: Vec<String> = lines.iter().map(|line| commentary(line)).collect();
        format!("/*\n * {}\n */\n", lines.join("\n * "))
    }

    /// Who violates, or who waits.
    fn who(&self) -> String {
        let violator = self.violator.and_then(|slot| self.plan.threads.get(slot.index()));
        match violator {
            Some(thread) => format!(" (in {})", thread.name),
            None if matches!(self.ending, Symptom::Race | Symptom::Endless) => String::new(),
            None => {
                let waiting: Vec<&str> =
                    self.violation.waiting.iter().map(|waiting| waiting.thread.as_str()).collect();
                format!(" ({})", waiting.join(", "))
            }
        }
    }

    fn variables(&self, out: &mut String) {
        out.push_str(
            "/* name, address, size, elements, whether it is shared, whether it may be on a stack */\n",
        );
        out.push_str("static const struct rely_variable rely_variables[] = {\n");
        for variable in &self.plan.variables {
            let Variable { name, place, is_shared, .. } = variable;
            let (address, size, elements) = match place {
                CPlace::Exact(lvalue, elements) => {
                    (format!("&{lvalue}"), format!("sizeof {lvalue}"), *elements)
                }
                CPlace::Inside(object) => (format!("&{object}"), format!("sizeof {object}"), 0),
                CPlace::Nameless => ("0".to_owned(), "0".to_owned(), 0),
            };
            let _ = writeln!(
                out,
                "    {{{}, {address}, {size}, {elements}, {}, {}}},",
                c_text(name),
                u8::from(*is_shared),
                u8::from(variable.may_be_on_stack())
            );
        }
        out.push_str("    {0, 0, 0, 0, 0, 0},\n};\n\n");
    }

    fn steps(&self, out: &mut String) {
        let mut accesses: Vec<(&Access, &str)> = Vec::new();
        let mut steps = String::from(
            "/* thread, kind, turn, first access, accesses, thread that is created, line, text */\n",
        );
        steps.push_str("static const struct rely_step rely_steps[] = {\n");
        let mut turn = None;
        for step in self.plan.all_steps() {
            if turn.replace(step.turn) != Some(step.turn) {
                let _ = writeln!(steps, "    /* turn {}: {} */", step.turn, commentary(self.thread_of(step)));
            }
            let first = accesses.len();
            let name = |access: &Access| self.plan.variables[access.variable].name.as_str();
            let (kind, created) = match &step.kind {
                StepKind::Access(of_step) => {
                    accesses.extend(of_step.iter().map(|access| (access, name(access))));
                    ("RELY_ACCESS", 0)
                }
                StepKind::Race(access) => {
                    accesses.push((access, name(access)));
                    ("RELY_RACE", 0)
                }
                StepKind::Create(slot) => ("RELY_CREATE", slot.index()),
                StepKind::Join => ("RELY_JOIN", 0),
            };
            let _ = writeln!(
                steps,
                "    {{{}, {kind}, {}, {first}, {}, {created}, {}, {}}},",
                step.slot.index(),
                step.turn,
                accesses.len() - first,
                step.line,
                c_text(&step.text)
            );
        }
        out.push_str("/* variable, element, how */\nstatic const struct rely_access rely_accesses[] = {\n");
        for (access, name) in accesses {
            let how = match (access.reads, access.writes) {
                (true, true) => "RELY_READ | RELY_WRITE",
                (_, true) => "RELY_WRITE",
                _ => "RELY_READ",
            };
            let element = access.element.map_or_else(|| "RELY_ANY_ELEMENT".to_owned(), |at| at.to_string());
            let _ =
                writeln!(out, "    {{{}, {element}, {how}}}, /* {} */", access.variable, commentary(name));
        }
        let _ =
            write!(out, "    {{0, 0, 0}},\n}};\n\n{steps}    {{0, RELY_ACCESS, 0, 0, 0, 0, 0, 0}},\n}};\n\n");
    }

    fn thread_of(&self, step: &Step) -> &str {
        &self.plan.threads[step.slot.index()].name
    }

    fn threads(&self, out: &mut String) {
        let mut table =
            String::from("/* name, whether it ends, waits or loops, lines of what it does next, inputs */\n");
        table.push_str("static const struct rely_thread rely_threads[] = {\n");
        for (index, thread) in self.plan.threads.iter().enumerate() {
            // Calls convert the value to their type; what it means there the low 64 bits say.
            let values: Vec<String> =
                self.inputs.of_slot(thread.slot).map(|value| format!("{}ULL", value as u64)).collect();
            let listed = if values.is_empty() { "0".to_owned() } else { values.join(", ") };
            let _ = writeln!(out, "static const unsigned long long rely_inputs_{index}[] = {{{listed}}};");
            let (first_line, last_line) = thread.next.unwrap_or((0, 0));
            let _ = writeln!(
                table,
                "    {{{}, {}, {}, {}, {first_line}, {last_line}, {}, {}, rely_inputs_{index}}},",
                c_text(&thread.name),
                u8::from(thread.has_ended),
                u8::from(thread.waits),
                u8::from(thread.loops),
                values.len(),
                self.inputs.before_loop(thread.slot)
            );
        }
        let _ = write!(out, "\n{table}}};\n\n");
    }

    fn summary(&self, out: &mut String) {
        let ending = match self.ending {
            Symptom::Assertion => "RELY_ASSERTION",
            Symptom::Undefined(_) => "RELY_UNDEFINED",
            Symptom::Misuse => "RELY_MISUSE",
            Symptom::Deadlock => "RELY_DEADLOCK",
            Symptom::Waiting => "RELY_WAITING",
            Symptom::Endless => "RELY_ENDLESS",
            Symptom::Race => "RELY_DATA_RACE",
        };
        let violator = self.violator.map_or_else(|| "-1".to_owned(), |slot| slot.index().to_string());
        let (first_line, last_line) =
            self.violation.place.as_ref().map_or((0, 0), |place| (place.line, place.end_line));
        let _ = write!(
            out,
            "const struct rely_schedule rely_schedule = {{\n    .violation_text = {},\n    .violation = {ending},\n    \
             .violating_thread = {violator},\n    .first_line = {first_line},\n    .last_line = {last_line},\n    \
             .variables = rely_variables,\n    .variable_count = {},\n    .accesses = rely_accesses,\n    \
             .steps = rely_steps,\n    .step_count = {},\n    .threads = rely_threads,\n    .thread_count = {},\n    \
             .turns = {},\n    .loop_turn = {},\n    .atomic_functions = rely_atomic_functions,\n    .atomic_function_count = \
             sizeof rely_atomic_functions / sizeof *rely_atomic_functions - 1,\n    .error_functions = \
             rely_error_functions,\n    .error_function_count = sizeof rely_error_functions / sizeof \
             *rely_error_functions - 1,\n}};\n",
            c_text(&self.violation_text()),
            self.plan.variables.len(),
            self.plan.all_steps().count(),
            self.plan.threads.len(),
            self.plan.turns(),
            self.plan.loop_turn(),
        );
    }

    fn compile_command(&self) -> String {
        let options: String =
            self.source.options.iter().map(|option| format!(" {}", shell_word(option))).collect();
        let checks = match self.ending {
            Symptom::Undefined(checks) => format!(" -fsanitize={checks}"),
            _ => String::new(),
        };
        format!(
            "gcc -std=gnu11 -g -O0 -fno-pie -w{options} -ftrivial-auto-var-init=zero -finstrument-functions \
             -fsanitize=thread{checks} -c reproducer.c"
        )
    }

    /// The runtime itself is not compiled with `-fsanitize=thread`, so that nobody sees what it does.
    fn link_command(&self) -> String {
        let library = if self.ending == Symptom::Race { "-ltsan -ldl " } else { "" };
        format!("gcc -no-pie reproducer.o {} {library}-pthread -o reproducer", self.runtime_files())
    }

    fn runtime_files(&self) -> String {
        let accesses = if self.ending == Symptom::Race { "rely_race.c" } else { "rely_accesses.c" };
        format!("rely_runtime.c rely_threads.c rely_locks.c rely_hooks.c {accesses}")
    }

    fn makefile(&self) -> String {
        // A dollar sign is special in a makefile.
        let compile = self.compile_command().replace('$', "$$");
        format!(
            "# `make run` compiles the reproducer and runs it.\n\nrun: reproducer\n\t./reproducer\n\n\
             reproducer: reproducer.c program.c {} rely_runtime.h rely_schedule.h \
             rely_intercept.h\n\t{compile}\n\t{}\n\n.PHONY: run\n",
            self.runtime_files(),
            self.link_command()
        )
    }

    fn readme(&self) -> String {
        let mut turns = String::new();
        let mut turn = None;
        for step in self.plan.all_steps() {
            if turn.replace(step.turn) != Some(step.turn) {
                let _ = writeln!(turns, "{}. {}", step.turn + 1, self.thread_of(step));
            }
            let _ = writeln!(turns, "   - line {}: `{}`", step.line, step.text);
        }
        let ending = match self.ending {
            Symptom::Deadlock => "every thread waits for another one",
            Symptom::Waiting => "a thread waits for ever; the runtime says so when it has for some seconds",
            Symptom::Endless => {
                "the turns of a loop are made again and again; the runtime says so after some seconds"
            }
            Symptom::Race => {
                "two threads make their accesses one directly after the other, and ThreadSanitizer reports them"
            }
            Symptom::Assertion | Symptom::Undefined(_) | Symptom::Misuse => "it fails",
        };
        format!(
            "# A reproducer\n\n{}{}\n\n`program.c` is the program as it was checked. This runs it under the schedule \
             below, at whose end {ending}:\n\n```sh\n{} && {} && ./reproducer\n```\n\nor `make run`. The run \
             ends with\n\n- SIGABRT (134 in a shell) if the violation was reproduced, in the thread and at \
             the line of the trace,\n- 3 if the schedule was followed to its end and nothing failed,\n- 4 if the \
             schedule could not be followed, or something else failed.\n\n## The schedule\n\nOnly \
             what other threads can notice is listed.\n\n{turns}",
            self.violation_text(),
            self.who(),
            self.compile_command(),
            self.link_command()
        )
    }
}

fn function_table<'n>(out: &mut String, table: &str, names: impl Iterator<Item = &'n str>) {
    let _ = write!(out, "static const void *const rely_{table}[] = {{");
    for name in names {
        let _ = write!(out, "(const void *){name}, ");
    }
    out.push_str("0};\n");
}

/// A text as a literal of C.
fn c_text(text: &str) -> String {
    let mut literal = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                literal.push('\\');
                literal.push(letter);
            }
            '?' => literal.push_str("\\?"), // no trigraphs
            '\n' | '\t' => literal.push(' '),
            _ if letter.is_control() => {}
            _ => literal.push(letter),
        }
    }
    literal.push('"');
    literal
}

/// A text that can stand in a comment of C.
fn commentary(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

fn shell_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_=./,+".contains(letter);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
