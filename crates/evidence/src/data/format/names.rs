//! What threads, variables, places and edges are called in certificates: as in the source, so that a person finds them there,
//! and so that a certificate does not depend on the order in which a program is put together.
//!
//! A thread and a shared variable have their names, a local one has its thread in front: `worker.i`. A place is called by its
//! label, or by where its statement starts: `worker 12:5`. An edge is called by its ends: `worker 12:5 -> worker 13:9`.
//! What has the name of somebody before it gets a number: `worker 12:5@2`.
//!
//! A record of a proof holds numbers; [`Names::write`] and [`Names::read`] exchange them in its JSON. Whoever uses a name that
//! nobody has gets an error. The proof inside of a reduction is about the program that the reduction makes, and that program
//! has names of its own.

use super::ProofFormatError;
use super::reduced::ReducedRecord;
use crate::data::Reduced;
use rely_base::{Id, SourceMap};
use rely_program::{EdgeId, LocationId, Program, Scope};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

/// What can be named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Thread,
    Variable,
    Place,
    Edge,
}

/// The names of a program.
pub(super) struct Names<'n> {
    program: &'n Program,
    sources: &'n SourceMap,
    lists: [List; 4],
}

#[derive(Default)]
struct List {
    names: Vec<String>,
    numbers: FxHashMap<String, usize>,
}

impl List {
    fn new(names: impl Iterator<Item = String>) -> Self {
        let mut list = List::default();
        for name in names {
            let number = list.names.len();
            let numbered = (2..).map(|again| format!("{name}@{again}"));
            let mut candidates = std::iter::once(name.clone()).chain(numbered);
            let free = candidates.find(|name| !list.numbers.contains_key(name)).unwrap_or_default();
            list.numbers.insert(free.clone(), number);
            list.names.push(free);
        }
        list
    }
}

impl<'n> Names<'n> {
    pub(super) fn new(program: &'n Program, sources: &'n SourceMap) -> Self {
        let threads = List::new(program.threads().values().map(|thread| thread.name.clone()));
        let owned = |(_, var): (_, &rely_program::Var)| match var.scope {
            Scope::Global => var.name.clone(),
            Scope::Local(thread) => format!("{}.{}", threads.names[thread.index()], var.name),
        };
        let variables = List::new(program.vars().iter().map(owned));
        let named = |id| {
            let thread = &threads.names[program.locations()[id].thread.index()];
            format!("{thread} {}", place(program, sources, id))
        };
        let places = List::new(program.locations().ids().map(named));
        let ends = |id: EdgeId| {
            let edge = &program.edges()[id];
            format!("{} -> {}", places.names[edge.source.index()], places.names[edge.target.index()])
        };
        let edges = List::new(program.edges().ids().map(ends));
        Names { program, sources, lists: [threads, variables, places, edges] }
    }

    /// Names instead of numbers.
    pub(super) fn write(&self, record: &mut Json) {
        let name = |kind: Kind, value: &mut Json| {
            let number = value.as_u64().unwrap_or_default() as usize;
            if let Some(name) = self.lists[kind as usize].names.get(number) {
                *value = Json::String(name.clone());
            }
            Ok(())
        };
        let written = self.exchange(record, &name, &|names, inner| {
            names.write(inner);
            Ok(())
        });
        debug_assert!(written.is_ok());
    }

    /// Numbers instead of names.
    pub(super) fn read(&self, record: &mut Json) -> Result<(), ProofFormatError> {
        let number = |kind: Kind, value: &mut Json| {
            let name = value.as_str().unwrap_or_default();
            let Some(number) = self.lists[kind as usize].numbers.get(name) else {
                return Err(ProofFormatError::UnknownName { kind: kind.word(), name: value.to_string() });
            };
            *value = Json::from(*number);
            Ok(())
        };
        self.exchange(record, &number, &|names, inner| names.read(inner))
    }

    /// Exchanges what stands for something that can be named; inside of a reduction, by the names there.
    fn exchange(
        &self,
        record: &mut Json,
        one: &dyn Fn(Kind, &mut Json) -> Result<(), ProofFormatError>,
        inside: &dyn Fn(&Names<'_>, &mut Json) -> Result<(), ProofFormatError>,
    ) -> Result<(), ProofFormatError> {
        let Some(reduced) = record.get_mut("reduced").filter(|reduced| reduced.get("proof").is_some()) else {
            return walk(record, one);
        };
        let mut inner = std::mem::replace(&mut reduced["proof"], no_proof());
        let numbered_before = serde_json::from_value::<ReducedRecord>(reduced.clone());
        walk(reduced, one)?;
        let outer = match numbered_before {
            Ok(outer) => outer,
            Err(_) => serde_json::from_value::<ReducedRecord>(reduced.clone())?,
        };
        let (smaller, _) = Reduced::from(outer)
            .program(self.program)
            .map_err(|defect| ProofFormatError::Reduction(defect.to_string()))?;
        inside(&Names::new(&smaller, self.sources), &mut inner)?;
        reduced["proof"] = inner;
        Ok(())
    }
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Thread => "thread",
            Kind::Variable => "variable",
            Kind::Place => "place",
            Kind::Edge => "edge",
        }
    }
}

/// A place inside of its thread.
fn place(program: &Program, sources: &SourceMap, id: LocationId) -> String {
    let (thread, location) = (program.thread_of(id), &program.locations()[id]);
    let leaving = program.outgoing(id).iter().find_map(|&edge| program.edges()[edge].span);
    let span = location.span.or(leaving).filter(|span| sources.get(span.file).is_some());
    match (&location.label, span) {
        (Some(label), _) => label.clone(),
        _ if id == thread.entry => "entry".to_owned(),
        _ if id == thread.exit => "exit".to_owned(),
        (None, Some(span)) => {
            let at = sources.position(span);
            format!("{}:{}", at.line, at.column)
        }
        (None, None) => "elsewhere".to_owned(),
    }
}

/// Exchanges in all parts of a record.
fn walk(
    record: &mut Json,
    one: &dyn Fn(Kind, &mut Json) -> Result<(), ProofFormatError>,
) -> Result<(), ProofFormatError> {
    match record {
        Json::Array(parts) => parts.iter_mut().try_for_each(|part| walk(part, one)),
        Json::Object(fields) => {
            fields.iter_mut().try_for_each(|(key, value)| match (key.as_str(), &mut *value) {
                ("thread", _) => one(Kind::Thread, value),
                ("var", _) => one(Kind::Variable, value),
                ("location", _) => one(Kind::Place, value),
                ("edge", _) => one(Kind::Edge, value),
                ("steps", Json::Array(edges)) => edges.iter_mut().try_for_each(|edge| one(Kind::Edge, edge)),
                ("forgotten", Json::Array(vars)) => {
                    vars.iter_mut().try_for_each(|var| one(Kind::Variable, var))
                }
                _ => walk(value, one),
            })
        }
        _ => Ok(()),
    }
}

/// Makes sure that a record has the right shape, whatever its names mean.
pub(super) fn with_numbers(record: &Json) -> Json {
    let mut record = record.clone();
    let zero = |_: Kind, value: &mut Json| {
        if value.is_string() {
            *value = Json::from(0);
        }
        Ok(())
    };
    let walked = walk(&mut record, &zero);
    debug_assert!(walked.is_ok());
    record
}

/// What stands for a proof that is not looked at.
fn no_proof() -> Json {
    serde_json::json!({ "exhausted": { "states": 0, "transitions": 0, "reduced": false } })
}
