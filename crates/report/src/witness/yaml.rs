//! The YAML format, version 2.
//!
//! Every text is written in double quotes, as JSON would: that is YAML, too, and nothing in a name
//! can be taken for anything else. Invariants need version 2.0; ghost variables came with 2.1, threads
//! of waypoints, and segments with the two targets of a data race, with 2.2.

use super::WitnessTask;
use super::ghosts::{GhostChange, Ghosts};
use super::invariants::{Annotations, ProofContext};
use super::violation::{Path, Step};
use crate::interleaving::SourceRange;

/// A witness of a violation.
pub(super) fn violation(path: &Path, task: &WitnessTask, specification: &str) -> String {
    let version = if path.has_threads { "2.2" } else { "2.1" };
    let mut text = entry("violation_sequence", version, &task.uuids[0], task, specification);
    text += "  content:\n";
    let steps = |steps: &[Step]| -> String {
        let parts = [entered, assumption, created, input, branching];
        steps.iter().flat_map(|step| parts.map(|part| part(step, path.has_threads, task))).collect()
    };
    if !path.racing.is_empty() {
        return text + &steps(&path.steps) + &race(path, task);
    }
    let Some((target, before)) = path.steps.split_last() else { return text + "    []\n" };
    text += &steps(before);
    text += &entered(target, path.has_threads, task);
    text += &input(target, path.has_threads, task);
    let place = (&target.place, target.function.as_deref());
    text + &waypoint("target", target, path.has_threads, place, None, task)
}

/// The last segment of a data race: both accesses, in any order.
fn race(path: &Path, task: &WitnessTask) -> String {
    let mut text = String::from("    - segment:\n");
    for target in &path.racing {
        text += "        - waypoint:\n            type: \"target\"\n            action: \"follow\"\n";
        text += &format!("            thread_id: {}\n", target.thread);
        text += &location(&target.place, target.function.as_deref(), 12, task);
    }
    text
}

/// A waypoint where another thread goes on: the statement that it does, and what it finds.
fn assumption(step: &Step, has_threads: bool, task: &WitnessTask) -> String {
    if !step.is_statement || (!step.is_switch && step.found.is_none()) {
        return String::new();
    }
    let constraint = (step.found.as_deref().unwrap_or("1"), Some("c_expression"));
    let place = (&step.place, step.function.as_deref());
    waypoint("assumption", step, has_threads, place, Some(constraint), task)
}

/// A waypoint for the call by which the thread came to the step.
fn entered(step: &Step, has_threads: bool, task: &WitnessTask) -> String {
    let Some((place, caller)) = &step.entered else { return String::new() };
    waypoint("function_enter", step, has_threads, (place, caller.as_deref()), None, task)
}

/// A waypoint for the call that creates a thread: the first one registers thread 1, and so on.
fn created(step: &Step, has_threads: bool, task: &WitnessTask) -> String {
    let Some(place) = &step.creation else { return String::new() };
    waypoint("function_enter", step, has_threads, (place, step.function.as_deref()), None, task)
}

/// A waypoint for the way that the step chooses.
fn branching(step: &Step, has_threads: bool, task: &WitnessTask) -> String {
    let Some((place, holds)) = &step.branch else { return String::new() };
    let value = if *holds { "true" } else { "false" };
    waypoint("branching", step, has_threads, (place, step.function.as_deref()), Some((value, None)), task)
}

fn input(step: &Step, has_threads: bool, task: &WitnessTask) -> String {
    let Some(input) = &step.input else { return String::new() };
    let constraint = format!("\\result == {}", input.value);
    waypoint(
        "function_return",
        step,
        has_threads,
        (&input.place, step.function.as_deref()),
        Some((&constraint, Some("ext_c_expression"))),
        task,
    )
}

/// A waypoint at a place of a function, with a constraint and the format of its value.
fn waypoint(
    kind: &str,
    step: &Step,
    has_threads: bool,
    (place, function): (&SourceRange, Option<&str>),
    constraint: Option<(&str, Option<&str>)>,
    task: &WitnessTask,
) -> String {
    let mut text = format!(
        "    - segment:\n        - waypoint:\n            type: \"{kind}\"\n            action: \"follow\"\n"
    );
    if has_threads {
        text += &format!("            thread_id: {}\n", step.thread);
    }
    if let Some((value, format)) = constraint {
        text += &format!("            constraint:\n              value: {}\n", quoted(value));
        text += &format.map(|format| format!("              format: \"{format}\"\n")).unwrap_or_default();
    }
    text + &location(place, function, 12, task)
}

/// A witness of a proof.
pub(super) fn correctness(
    annotations: &Annotations,
    context: &ProofContext<'_>,
    task: &WitnessTask,
    specification: &str,
) -> String {
    let Annotations { invariants, ghosts, .. } = annotations;
    let has_ghosts = !ghosts.variables.is_empty();
    let version = if has_ghosts { "2.1" } else { "2.0" };
    let mut text = String::new();
    if has_ghosts {
        text += &entry("ghost_instrumentation", version, &task.uuids[1], task, specification);
        text += &instrumentation(ghosts, context, task);
    }
    text += &entry("invariant_set", version, &task.uuids[0], task, specification);
    if invariants.is_empty() {
        return text + "  content: []\n";
    }
    text += "  content:\n";
    for invariant in invariants {
        let kind = if invariant.is_loop { "loop_invariant" } else { "location_invariant" };
        let place = SourceRange::of(invariant.span, context.sources);
        text += &format!("    - invariant:\n        type: \"{kind}\"\n");
        text += &location(&place, invariant.function.as_deref(), 8, task);
        text += &format!("        value: {}\n        format: \"c_expression\"\n", quoted(&invariant.text));
    }
    text
}

/// The ghost variables, and the statements that change them.
fn instrumentation(ghosts: &Ghosts, context: &ProofContext<'_>, task: &WitnessTask) -> String {
    let mut text = String::from("  content:\n    ghost_variables:\n");
    for variable in ghosts.variables.values() {
        text += &format!(
            "      - name: {}\n        type: \"int\"\n        scope: \"global\"\n        initial:\n          \
             value: \"{}\"\n          format: \"c_expression\"\n",
            quoted(&variable.name),
            variable.initial
        );
    }
    text += if ghosts.updates.is_empty() { "    ghost_updates: []\n" } else { "    ghost_updates:\n" };
    for update in &ghosts.updates {
        let place =
            location(&SourceRange::of(update.span, context.sources), update.function.as_deref(), 8, task);
        text += &format!("      - {}        updates:\n", place.trim_start());
        for (ghost, change) in &update.changes {
            let name = &ghosts.variables[*ghost].name;
            let value = match change {
                GhostChange::Set(value) => value.to_string(),
                GhostChange::Add(value @ 0..) => format!("{name} + {value}"),
                GhostChange::Add(value) => format!("{name} - {}", value.unsigned_abs()),
            };
            text += &format!(
                "          - variable: {}\n            value: {}\n            format: \"c_expression\"\n",
                quoted(name),
                quoted(&value)
            );
        }
    }
    text
}

fn location(place: &SourceRange, function: Option<&str>, indent: usize, task: &WitnessTask) -> String {
    let function = function.map(|name| format!("{:indent$}  function: {}\n", "", quoted(name)));
    format!(
        "{0:indent$}location:\n{0:indent$}  file_name: {1}\n{0:indent$}  line: {2}\n{0:indent$}  column: {3}\n{4}",
        "",
        quoted(&task.file),
        place.line,
        place.column,
        function.unwrap_or_default(),
    )
}

/// The beginning of an entry of the file.
fn entry(kind: &str, format_version: &str, uuid: &str, task: &WitnessTask, specification: &str) -> String {
    let file = quoted(&task.file);
    format!(
        "- entry_type: \"{kind}\"
  metadata:
    format_version: \"{format_version}\"
    uuid: {}
    creation_time: {}
    producer:
      name: \"Rely\"
      version: {}
    task:
      input_files:
        - {file}
      input_file_hashes:
        {file}: {}
      specification: {}
      data_model: \"LP64\"
      language: \"C\"
",
        quoted(uuid),
        quoted(&task.creation_time),
        quoted(&task.version),
        quoted(&task.hash),
        quoted(specification),
    )
}

/// A text in double quotes.
fn quoted(text: &str) -> String {
    // JSON leaves some characters alone that YAML does not take as printable.
    let quoted = serde_json::to_string(text).expect("a string can be written");
    let escape = |character: char| match character {
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
            format!("\\u{:04x}", u32::from(character))
        }
        _ => character.to_string(),
    };
    quoted.chars().map(escape).collect()
}
