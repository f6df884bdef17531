//! A whole program: variables, threads with their edges, properties.

use crate::ir::{Initial, LocationId, Program, Scope, Thread, ThreadId, ThreadKind, Var};
use crate::property::PropertyKind;
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {}", self.name)?;
        for var in self.vars.values().filter(|var| var.is_global()) {
            writeln!(f, "var {}", declaration(var))?;
        }
        for condition in &self.requires {
            writeln!(f, "requires {}", self.display_expr(condition).qualified())?;
        }
        for (id, thread) in self.threads.iter() {
            self.fmt_thread(f, id, thread)?;
        }
        for property in &self.properties {
            match &property.kind {
                PropertyKind::Always(condition) => {
                    writeln!(f, "always {}", self.display_expr(condition).qualified())?;
                }
                PropertyKind::AtEnd(condition) => {
                    writeln!(f, "at end {}", self.display_expr(condition).qualified())?;
                }
                PropertyKind::DeadlockFree => writeln!(f, "deadlock-free")?,
                PropertyKind::Terminates => writeln!(f, "terminates")?,
            }
        }
        for assumption in &self.assumptions {
            writeln!(f, "assuming {assumption}")?;
        }
        Ok(())
    }
}

impl Program {
    fn fmt_thread(&self, f: &mut fmt::Formatter<'_>, id: ThreadId, thread: &Thread) -> fmt::Result {
        writeln!(f, "{}", self.thread_header(thread))?;
        for var in self.vars.values().filter(|var| var.scope == Scope::Local(id)) {
            writeln!(f, "  local {}", declaration(var))?;
        }
        for (location, _) in self.locations.iter().filter(|(_, location)| location.thread == id) {
            for &edge in self.outgoing(location) {
                let edge = &self.edges[edge];
                let (source, target) = (self.marked_name(edge.source), self.marked_name(edge.target));
                writeln!(f, "  {source} -> {target}: {}", self.display_ops(&edge.ops))?;
            }
        }
        Ok(())
    }

    /// How a thread is introduced: `thread main`, `spawned thread T(x)`, `template worker(x)`.
    fn thread_header(&self, thread: &Thread) -> String {
        let word = match thread.kind {
            ThreadKind::Instance { running: true } => "thread",
            ThreadKind::Instance { running: false } => "spawned thread",
            ThreadKind::Template => "template",
        };
        let parameters: Vec<&str> =
            thread.parameters.iter().map(|&parameter| self.vars[parameter].name.as_str()).collect();
        match parameters.is_empty() {
            true => format!("{word} {}", thread.name),
            false => format!("{word} {}({})", thread.name, parameters.join(", ")),
        }
    }

    /// The name of a location, in angle brackets if it is atomic.
    fn marked_name(&self, location: LocationId) -> String {
        let name = self.location_name(location);
        if self.locations[location].atomic { format!("<{name}>") } else { name }
    }
}

/// `x: int = 0`, `a: int[2] = 0, 1`, `y: int = any 0..3`.
fn declaration(var: &Var) -> String {
    let length = var.length.map_or_else(String::new, |length| format!("[{length}]"));
    let initial = match &var.initial {
        Initial::Any(domain) => format!("any {domain}"),
        Initial::Values(values) => cells(var, values),
    };
    format!("{}: {}{length} = {initial}", var.name, var.sort)
}

/// The initial values of all cells; said once if they are all the same.
fn cells(var: &Var, values: &[crate::Value]) -> String {
    let text = |value: &crate::Value| match var.sort {
        crate::Sort::Bool => (*value != 0).to_string(),
        crate::Sort::Int => value.to_string(),
    };
    match values {
        [first, rest @ ..] if rest.iter().all(|value| value == first) => text(first),
        _ => values.iter().map(text).collect::<Vec<_>>().join(", "),
    }
}
