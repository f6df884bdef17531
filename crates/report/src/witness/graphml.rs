//! The GraphML format, version 1, for violations: an automaton that has just one path.

use super::WitnessTask;
use super::violation::{Path, Step};
use crate::xml::{attribute, content};

/// The keys that are used: name, type, what they are about.
const KEYS: [(&str, &str, &str); 20] = [
    ("witness-type", "string", "graph"),
    ("sourcecodelang", "string", "graph"),
    ("producer", "string", "graph"),
    ("specification", "string", "graph"),
    ("programfile", "string", "graph"),
    ("programhash", "string", "graph"),
    ("architecture", "string", "graph"),
    ("creationtime", "string", "graph"),
    ("entry", "boolean", "node"),
    ("violation", "boolean", "node"),
    ("startline", "int", "edge"),
    ("endline", "int", "edge"),
    ("startoffset", "int", "edge"),
    ("endoffset", "int", "edge"),
    ("threadId", "string", "edge"),
    ("createThread", "string", "edge"),
    ("enterFunction", "string", "edge"),
    ("assumption", "string", "edge"),
    ("assumption.scope", "string", "edge"),
    ("assumption.resultfunction", "string", "edge"),
];

/// A witness of a violation.
pub(super) fn violation(path: &Path, task: &WitnessTask, specification: &str) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
    );
    for (name, kind, about) in KEYS {
        let default = if kind == "boolean" { "<default>false</default>" } else { "" };
        text += &format!(
            " <key id=\"{name}\" attr.name=\"{name}\" attr.type=\"{kind}\" for=\"{about}\">{default}</key>\n"
        );
    }
    text += " <graph edgedefault=\"directed\">\n";
    let about = [
        ("witness-type", "violation_witness"),
        ("sourcecodelang", "C"),
        ("producer", &format!("Rely {}", task.version)),
        ("specification", specification),
        ("programfile", &task.file),
        ("programhash", &task.hash),
        ("architecture", "64bit"),
        ("creationtime", &task.creation_time),
    ];
    text.extend(about.map(|(key, value)| data("  ", key, value)));
    let last = path.steps.len();
    for node in 0..=last {
        text += &format!("  <node id=\"N{node}\">\n");
        text += &if node == 0 { data("   ", "entry", "true") } else { String::new() };
        text += &if node == last { data("   ", "violation", "true") } else { String::new() };
        text += "  </node>\n";
    }
    for (index, step) in path.steps.iter().enumerate() {
        text += &edge(index, step, path);
    }
    text + " </graph>\n</graphml>\n"
}

fn edge(index: usize, step: &Step, path: &Path) -> String {
    let mut text = format!("  <edge source=\"N{index}\" target=\"N{}\">\n", index + 1);
    let mut put = |key: &str, value: &str| text += &data("   ", key, value);
    put("threadId", &step.thread.to_string());
    put("startline", &step.place.line.to_string());
    put("endline", &step.place.end_line.to_string());
    put("startoffset", &step.start.to_string());
    put("endoffset", &step.end.saturating_sub(1).max(step.start).to_string());
    // The first step of a thread is the first inside of its function.
    if path.steps[..index].iter().all(|before| before.thread != step.thread) {
        put("enterFunction", step.function.as_deref().unwrap_or(&step.name));
    }
    if let Some((thread, _)) = &step.creates {
        put("createThread", &thread.to_string());
    }
    if let (Some(input), Some(function)) = (&step.input, &step.function) {
        put("assumption", &format!("\\result == {};", input.value));
        put("assumption.scope", function);
        put("assumption.resultfunction", &input.function);
    }
    text + "  </edge>\n"
}

fn data(indent: &str, key: &str, value: &str) -> String {
    format!("{indent}<data key=\"{}\">{}</data>\n", attribute(key), content(value))
}
