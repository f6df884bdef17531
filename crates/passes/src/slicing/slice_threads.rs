//! Leaves out the steps of threads on which no check and no property depends.
//!
//! Such a thread, let us say *irrelevant*, checks nothing, nobody waits for its end or counts it, it starts
//! nobody but other irrelevant threads, and what it writes only they read, and no property. In a run that shows a violation its
//! steps can be left out: nobody else sees them, and those whom a halt would have stopped have
//! made their steps before it. (If handles are taken for numbers, see [`handles_are_opaque`], nobody
//! who starts threads of a template is irrelevant: the next ones get other handles.)
//! In the new program it ends before its first step. What shared
//! variables hold of which nobody else knows, deadlocks and whether every run ends are not preserved.

use super::slice_suffixes::{Joins, asks_for_the_end, cut, locations_by_thread};
use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_program::analysis::{Access, IdSet, Visibility, handles_are_opaque};
use rely_program::{Edge, Op, Program, ThreadId, ThreadKind, VarId};

/// The program in which only those threads move on which a check or a property depends, except for
/// deadlocks and termination.
#[derive(Clone, Copy, Debug)]
pub struct SliceThreads;

impl Pass for SliceThreads {
    fn name(&self) -> &'static str {
        "slice_threads"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let mut draft = Draft::new(program);
        if !asks_for_the_end(program) {
            let participants = participants(program);
            for (thread, own) in locations_by_thread(program).iter() {
                if !participants.contains(thread) {
                    cut(program, &mut draft, thread, own, &own.iter().copied().collect());
                }
            }
        }
        draft.finish()
    }
}

/// The threads of which a step can make a difference to a check or a property.
fn participants(program: &Program) -> IdSet<ThreadId> {
    let visibility = Visibility::new(program);
    let joins = Joins::new(program);
    let joined = program.threads().ids().filter(|&thread| joins.may_be_joined(program, thread));
    let mut new: IdSet<ThreadId> = joined.collect();
    let counted = program.locations().iter().filter(|(at, _)| visibility.is_watched_location(program, *at));
    new.extend(counted.map(|(_, location)| location.thread));
    if !handles_are_opaque(program) {
        new.union_with(&start_templates(program));
    }
    let mut participants: IdSet<ThreadId> = IdSet::new();
    let mut needed: IdSet<VarId> = program.vars().ids().filter(|&var| visibility.is_watched(var)).collect();
    let makes_a_difference = |edge: &Edge, participants: &IdSet<ThreadId>, needed: &IdSet<VarId>| {
        let starts_or_checks = |op: &Op| match op {
            Op::Check(..) => true,
            Op::Spawn { thread, .. } => {
                let parameters = &program.threads()[*thread].parameters;
                participants.contains(*thread)
                    || parameters.iter().any(|&parameter| needed.contains(parameter))
            }
            _ => false,
        };
        Access::of_ops(&edge.ops).writes.intersects(needed) || edge.ops.iter().any(starts_or_checks)
    };
    loop {
        participants.union_with(&new);
        for edge in program.edges().values() {
            if new.contains(program.locations()[edge.source].thread) {
                needed.union_with(&Access::of_ops(&edge.ops).reads);
            }
        }
        new = IdSet::new();
        for edge in program.edges().values() {
            let thread = program.locations()[edge.source].thread;
            if !participants.contains(thread) && makes_a_difference(edge, &participants, &needed) {
                new.insert(thread);
            }
        }
        if new.is_empty() {
            return participants;
        }
    }
}

/// The threads that start threads of a template somewhere.
fn start_templates(program: &Program) -> IdSet<ThreadId> {
    let is_template = |thread: ThreadId| program.threads()[thread].kind == ThreadKind::Template;
    let starts = |edge: &&Edge| {
        edge.ops.iter().any(|op| matches!(op, Op::Spawn { thread, .. } if is_template(*thread)))
    };
    program.edges().values().filter(starts).map(|edge| program.locations()[edge.source].thread).collect()
}
