//! A data race in the words of the source: both accesses, who holds which lock, and what would have helped.

use crate::interleaving::{SourceRange, statement, thread_name};
use crate::witness::functions_entered;
use rely_base::SourceMap;
use rely_evidence::Replay;
use rely_program::race::{Access, Race, Racer};
use rely_program::{Expr, Op, Program, Semantics, SlotId, State, Value, VarId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Two accesses that are both about to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceReport {
    /// The variable, or the cell of an array, as it is written in the source.
    pub variable: String,
    /// Both accesses.
    pub accesses: Vec<RacingAccess>,
    /// What would have kept them apart, if that is known: one sentence without a full stop.
    pub protection: Option<String>,
}

/// One of two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RacingAccess {
    /// Who is about to make it.
    pub thread: String,
    /// `read` or `write`.
    pub kind: Cow<'static, str>,
    /// Whether it is atomic; the other one is not, then.
    pub atomic: bool,
    /// Where it stands in the source.
    pub place: Option<SourceRange>,
    /// The statement that makes it.
    pub statement: String,
    /// The functions that the thread is in, from the one with which it began to the one with the access; empty
    /// where that is not known.
    pub calls: Vec<String>,
    /// The mutexes that the thread holds.
    pub locks: Vec<String>,
}

impl RaceReport {
    /// The race of two threads in a state; `None` if they do not race.
    pub(crate) fn new(
        racers: [Racer; 2],
        program: &Program,
        sources: &SourceMap,
        last: &State,
    ) -> Option<Self> {
        let semantics = Semantics::new(program);
        let race = Race::of(&semantics, last, racers).ok()??;
        let owners = owners(program);
        let racing = |racer: Racer, access: &Access| {
            let (place, statement) = statement(program, sources, racer.edge);
            RacingAccess {
                thread: thread_name(program, last, racer.slot),
                kind: if access.is_write { "write" } else { "read" }.into(),
                atomic: access.is_atomic,
                place,
                statement,
                calls: Vec::new(),
                locks: held(&semantics, last, racer.slot, &owners),
            }
        };
        let accesses: Vec<RacingAccess> =
            racers.into_iter().zip(&race.accesses).map(|(racer, access)| racing(racer, access)).collect();
        let name = &program.vars()[race.accesses[0].var].name;
        let variable = race.cell.map_or_else(|| name.clone(), |cell| format!("{name}[{cell}]"));
        let protection = protection(&accesses);
        Some(RaceReport { variable, accesses, protection })
    }

    /// Adds the functions that the threads are in at the end of a run.
    pub(crate) fn add_calls(
        &mut self,
        replay: &Replay,
        racers: [Racer; 2],
        program: &Program,
        sources: &SourceMap,
    ) {
        for (access, racer) in self.accesses.iter_mut().zip(racers) {
            access.calls = functions_entered(replay, racer.slot, racer.edge, program, sources);
        }
    }

    /// The race in one sentence without a full stop.
    pub(crate) fn message(&self) -> String {
        let told = |access: &RacingAccess| {
            let how = if access.atomic { "atomically " } else { "" };
            let does = if access.kind == "write" { "writes" } else { "reads" };
            format!("{} {how}{does}", access.thread)
        };
        let told: Vec<String> = self.accesses.iter().map(told).collect();
        format!("a data race on `{}`: {} and {} it at once", self.variable, told[0], told[1])
    }
}

impl RacingAccess {
    /// The access in one line: what it does, where, and what is held meanwhile.
    pub(crate) fn told(&self) -> String {
        let line = self.place.as_ref().map(|place| format!(" at line {}", place.line)).unwrap_or_default();
        let how = if self.atomic { "atomic " } else { "" };
        let locks = match self.locks.as_slice() {
            [] => "no lock".to_owned(),
            locks => locks.iter().map(|lock| format!("`{lock}`")).collect::<Vec<_>>().join(", "),
        };
        let calls: String = match self.calls.as_slice() {
            [] | [_] => String::new(),
            [callers @ .., inner] => {
                let callers = callers.iter().rev().map(|caller| format!(", called by `{caller}`"));
                format!(" in `{inner}`{}", callers.collect::<String>())
            }
        };
        format!("{}, {how}{}{line}{calls}, holding {locks}: {}", self.thread, self.kind, self.statement)
    }
}

/// The variables that hold the handle of a thread because it has taken them: mutexes and their like.
fn owners(program: &Program) -> Vec<VarId> {
    let mut owners: Vec<VarId> = Vec::new();
    for op in program.edges().values().flat_map(|edge| &edge.ops) {
        let Op::Assign(assignments) = op else { continue };
        for (place, value) in assignments {
            let takes = match value {
                Expr::This => true,
                Expr::Ite(parts) => parts[1..].contains(&Expr::This),
                _ => false,
            };
            let var = place.var();
            if takes && program.vars()[var].is_global() && !owners.contains(&var) {
                owners.push(var);
            }
        }
    }
    owners
}

/// The names of the mutexes that a thread holds in a state.
fn held(semantics: &Semantics<'_>, state: &State, slot: SlotId, owners: &[VarId]) -> Vec<String> {
    let mut names = Vec::new();
    for &owner in owners {
        let var = &semantics.program().vars()[owner];
        let is_held = |(_, value): &(usize, &Value)| **value == slot.handle();
        for (cell, _) in semantics.global(state, owner).iter().enumerate().filter(is_held) {
            names.push(if var.length.is_some() { format!("{}[{cell}]", var.name) } else { var.name.clone() });
        }
    }
    names
}

/// Which lock would have helped: one that only one of the two holds.
fn protection(accesses: &[RacingAccess]) -> Option<String> {
    let [first, second] = accesses else { return None };
    let one_sided = |holder: &RacingAccess, other: &RacingAccess| {
        let lock = holder.locks.iter().find(|lock| !other.locks.contains(lock))?;
        Some(format!("`{lock}` is held by {} and not by {}", holder.thread, other.thread))
    };
    one_sided(first, second).or_else(|| one_sided(second, first))
}
