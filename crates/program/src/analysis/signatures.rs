//! Variables that nobody reads, but that tell who wrote them.
//!
//! `owner := 1` and `owner := 2` in two threads change nothing that happens. A proof can use them all
//! the same: while `owner` is 1, it was the first thread that wrote last, and that can be said without
//! a word about where this thread is. Owicki and Gries call such a variable auxiliary. Without it,
//! there may be no proof in which each thread speaks of shared variables and its own ones only.

use super::{IdSet, needed_vars};
use crate::expr::Expr;
use crate::ir::{Op, Place, Program, Scope, ThreadId, ThreadKind, VarId};
use crate::types::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The shared scalars on which nothing depends, to which only constants and the numbers of threads are
/// written, and at least two threads write something that no other does.
pub fn signatures(program: &Program) -> IdSet<VarId> {
    let needed = needed_vars(program);
    let is_candidate = |var: VarId| {
        let declaration = &program.vars[var];
        declaration.scope == Scope::Global && declaration.length.is_none() && !needed.contains(var)
    };
    let candidates: IdSet<VarId> = program.vars.ids().filter(|&var| is_candidate(var)).collect();
    if candidates.is_empty() {
        return candidates;
    }
    let mut writers = Writers::default();
    for edge in program.edges.values() {
        let thread = program.locations[edge.source].thread;
        edge.ops.iter().for_each(|op| writers.add(thread, op));
    }
    candidates.iter().filter(|&var| writers.can_be_told_apart(program, var)).collect()
}

/// What a thread signs with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Signature {
    Constant(Value),
    OwnNumber,
}

#[derive(Default)]
struct Writers {
    signed: FxHashMap<VarId, BTreeSet<(Signature, ThreadId)>>,
    /// The variables that get something else.
    others: IdSet<VarId>,
}

impl Writers {
    fn add(&mut self, thread: ThreadId, op: &Op) {
        match op {
            Op::Assign(assignments) => {
                for (place, value) in assignments {
                    match signature(value) {
                        Some(signature) => {
                            self.signed.entry(place.var()).or_default().insert((signature, thread));
                        }
                        None => self.note_other(place),
                    }
                }
            }
            Op::Havoc(place, _) | Op::Spawn { handle: Some(place), .. } => self.note_other(place),
            Op::Assume(..) | Op::Check(..) | Op::Spawn { handle: None, .. } | Op::Join(_) | Op::Halt => {}
        }
    }

    fn note_other(&mut self, place: &Place) {
        self.others.insert(place.var());
    }

    fn can_be_told_apart(&self, program: &Program, var: VarId) -> bool {
        let Some(signed) = self.signed.get(&var).filter(|_| !self.others.contains(var)) else { return false };
        let is_template = |thread: ThreadId| program.threads[thread].kind == ThreadKind::Template;
        let mut own: BTreeSet<ThreadId> = BTreeSet::new();
        for &(signature, thread) in signed {
            match signature {
                Signature::OwnNumber if is_template(thread) => return true,
                Signature::OwnNumber => {
                    own.insert(thread);
                }
                Signature::Constant(_) if is_template(thread) => {}
                Signature::Constant(_) => {
                    let mut writers = signed.iter().filter(|(other, _)| *other == signature);
                    if writers.all(|(_, other)| *other == thread) {
                        own.insert(thread);
                    }
                }
            }
        }
        own.len() > 1
    }
}

fn signature(value: &Expr) -> Option<Signature> {
    match value {
        Expr::Int(value) => Some(Signature::Constant(*value)),
        Expr::This => Some(Signature::OwnNumber),
        _ => None,
    }
}
