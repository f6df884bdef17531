//! What a user can do when there is no verdict.

use rely_base::{Interrupted, SourceMap, Span, StopReason, Work};
use rely_evidence::Reason;
use rely_program::{LocationId, Op, Program, ThreadKind};
use std::collections::BTreeSet;

/// One sentence for the user, where there is something to do. What in the program could be smaller comes first.
pub(crate) fn advice(reason: &Reason, program: &Program, sources: &SourceMap) -> Option<String> {
    let is_about_size = matches!(
        reason,
        Reason::Stopped(StopReason::Time | StopReason::Memory)
            | Reason::Unchecked(_)
            | Reason::StateLimit(_)
            | Reason::Sampled
            | Reason::GaveUp { .. }
            | Reason::UnsupportedConstruct { .. }
    );
    let change = if is_about_size { what_to_bound(program, sources) } else { None };
    match change {
        Some(change) if matches!(reason, Reason::Sampled) => {
            Some(format!("{change}, and all of it is explored"))
        }
        change => either(change, general(reason)),
    }
}

/// The change of the program first.
pub(crate) fn either(change: Option<String>, general: Option<String>) -> Option<String> {
    match (change, general) {
        (Some(change), Some(general)) => Some(format!("{change}, or {general}")),
        (change, general) => change.or(general),
    }
}

/// What is so large that a smaller one would help most: the number of threads and an input, or a loop.
pub fn what_to_bound(program: &Program, sources: &SourceMap) -> Option<String> {
    if program.edges().len() > MOST_EDGES {
        return None;
    }
    let edges = || program.edges().iter().filter_map(|(id, edge)| Some((id, edge, edge.span?)));
    let line = |span: Span| sources.position(span).line;
    let threads = edges().find_map(|(_, edge, span)| {
        let template = edge.ops.iter().find_map(|op| match op {
            Op::Spawn { thread, .. } => Some(&program.threads()[*thread]),
            _ => None,
        });
        let template = template.filter(|thread| thread.kind == ThreadKind::Template)?;
        let name = &template.name;
        is_repeated(program, edge.source)
            .then(|| format!("start fewer `{name}` in line {}, a small fixed number", line(span)))
    });
    let input = || {
        edges().find_map(|(_, edge, span)| {
            let is_large = |op: &Op| match op {
                Op::Havoc(_, domain) => domain.size().is_none_or(|size| size > LARGE_INPUT),
                _ => false,
            };
            let is_input = edge.ops.iter().any(is_large);
            is_input
                .then(|| format!("give the input in line {} a small range, as by an assumption", line(span)))
        })
    };
    let loops = || {
        let repeated = edges().find(|(_, edge, _)| is_repeated(program, edge.source));
        repeated.map(|(_, _, span)| format!("give the loop around line {} a small bound", line(span)))
    };
    either(threads, input()).or_else(loops)
}

/// In a larger program there is rarely one thing that would help, and it would take long to find.
const MOST_EDGES: usize = 2_000;

/// Of an input with more values than this, not all are tried.
const LARGE_INPUT: u128 = 256;

/// Whether a thread can come to a place again.
fn is_repeated(program: &Program, place: LocationId) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![place];
    while let Some(location) = open.pop() {
        for &edge in program.outgoing(location) {
            let target = program.edges()[edge].target;
            if target == place {
                return true;
            }
            if seen.insert(target) {
                open.push(target);
            }
        }
    }
    false
}

/// What helps whatever the program is.
fn general(reason: &Reason) -> Option<String> {
    let text = match reason {
        Reason::Stopped(stop) | Reason::Unchecked(stop) => return after_stop(*stop),
        Reason::NotBegun(interrupted) => return before_begin(*interrupted),
        Reason::StateLimit(_) => "make the state space smaller: fewer threads, iterations or values",
        Reason::Sampled => {
            "give the inputs a small range, by an assumption or a narrower type, and all of it is explored"
        }
        Reason::NoMeaning(_) | Reason::UndefinedProperty(_) | Reason::UndefinedPrecondition(_) => {
            "give the variables that grow without bound a bound"
        }
        Reason::UnsupportedGoal { .. } => "other engines decide it: leave out `--engine`",
        Reason::UnsupportedConstruct { .. } => "another engine may support it: see `rely check --help`",
        Reason::Limit(_) => {
            "bound the number of allocations and their sizes, or free what is not used any more"
        }
        Reason::Approximate(what) => return beside_approximation(what),
        Reason::UnfairLoop => "ask about fair runs only, with `--fair`",
        Reason::Trusting(_) => "leave out `--trust none` to accept these passes",
        Reason::Rejected(_) => "this is a bug of Rely; please report it together with the program",
        _ => return None,
    };
    Some(text.to_owned())
}

/// What to do about something that is not followed exactly.
fn beside_approximation(what: &str) -> Option<String> {
    if what.contains("which is not defined") {
        let name = what.split('`').nth(1)?;
        return Some(format!(
            "say what `{name}` does, with `--effect` or in `effects` of rely.toml, or define it"
        ));
    }
    let is_floating = what.contains("floating-point");
    is_floating
        .then(|| "use integers for what the property depends on, or assume what the result is".to_owned())
}

pub(crate) fn after_stop(stop: StopReason) -> Option<String> {
    match stop {
        StopReason::Time => {
            Some("allow more time with `--timeout`, or make the state space smaller".to_owned())
        }
        StopReason::Memory => {
            Some("allow more memory with `--memory`, or make the state space smaller".to_owned())
        }
        StopReason::Steps | StopReason::Cancelled => None,
    }
}

/// Before any engine has begun, it is the size of the program that matters.
pub(crate) fn before_begin(interrupted: Interrupted) -> Option<String> {
    let option = match interrupted.reason {
        StopReason::Time => "time with `--timeout`",
        StopReason::Memory => "memory with `--memory`",
        StopReason::Steps | StopReason::Cancelled => return None,
    };
    if interrupted.work == Work::Reading {
        return Some(format!("give it a file that can be read to its end, or allow more {option}"));
    }
    Some(format!("allow more {option}, or make the program smaller: fewer threads, statements or cells"))
}
