//! Programs as graphs in the DOT language of Graphviz.

use crate::ir::{LocationId, Program, ThreadId, ThreadKind};
use rely_base::Id;
use std::fmt;

/// A program that prints itself in the DOT language.
#[derive(Clone, Copy)]
pub struct DisplayDot<'a> {
    pub(super) program: &'a Program,
}

impl fmt::Display for DisplayDot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "digraph {} {{", quoted(self.program.name()))?;
        writeln!(f, "  node [shape=ellipse, fontname=\"monospace\"];")?;
        writeln!(f, "  edge [fontname=\"monospace\"];")?;
        for thread in self.program.threads.ids() {
            self.fmt_cluster(f, thread)?;
        }
        writeln!(f, "}}")
    }
}

impl DisplayDot<'_> {
    fn fmt_cluster(&self, f: &mut fmt::Formatter<'_>, id: ThreadId) -> fmt::Result {
        let program = self.program;
        let thread = &program.threads[id];
        let kind = match thread.kind {
            ThreadKind::Instance { running: true } => "",
            ThreadKind::Instance { running: false } => " (spawned)",
            ThreadKind::Template => " (template)",
        };
        writeln!(f, "  subgraph cluster_{} {{", id.index())?;
        writeln!(f, "    label={};", quoted(&format!("{}{kind}", thread.name)))?;
        let own = || program.locations.iter().filter(|(_, location)| location.thread == id);
        for (location, _) in own() {
            let label = quoted(&program.location_name(location));
            writeln!(f, "    n{} [label={label}{}];", location.index(), self.style(location))?;
        }
        for (location, _) in own() {
            for &edge in program.outgoing(location) {
                let edge = &program.edges[edge];
                let label = quoted(&program.display_ops(&edge.ops).to_string());
                writeln!(f, "    n{} -> n{} [label={label}];", edge.source.index(), edge.target.index())?;
            }
        }
        writeln!(f, "  }}")
    }

    /// Entries are bold, exits have two borders, atomic locations are grey boxes.
    fn style(&self, location: LocationId) -> &'static str {
        let thread = self.program.thread_of(location);
        if location == thread.entry {
            ", style=bold"
        } else if location == thread.exit {
            ", peripheries=2"
        } else if self.program.locations[location].atomic {
            ", shape=box, style=filled, fillcolor=lightgrey"
        } else {
            ""
        }
    }
}

/// A DOT string: in quotes, with what would end it or break the line escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => {}
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
