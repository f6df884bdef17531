//! New ids for what is left of a program.

use super::rename::Renaming;
use crate::back::OldStep;
use rely_base::{Arena, Id};
use rely_program::{CheckId, Edge, LocationId, ProgramParts, PropertyKind, VarId};

/// The new ids of what is kept of one kind of parts.
pub(super) struct NewIds<I> {
    pub(super) new: Arena<I, Option<I>>,
    /// Whether nothing was removed, so that all ids are what they were.
    is_same: bool,
}

impl<I: Id> NewIds<I> {
    pub(super) fn new(old: impl Iterator<Item = I>, is_kept: impl Fn(I) -> bool) -> Self {
        let mut count = 0;
        let mut is_same = true;
        let number = |id| {
            let new = is_kept(id).then(|| I::from_index(count));
            count += usize::from(new.is_some());
            is_same &= new.is_some();
            new
        };
        let new = old.map(number).collect();
        Self { new, is_same }
    }

    pub(super) fn of(&self, id: I) -> I {
        self.new[id].expect("what is still used is not removed")
    }

    /// Those of some things about the parts that are about kept ones.
    pub(super) fn kept<T>(&self, all: Arena<I, T>) -> Arena<I, T> {
        let kept = all.into_iter().zip(self.new.values()).filter(|(_, new)| new.is_some());
        kept.map(|(item, _)| item).collect()
    }
}

/// The new ids of all that is kept.
pub(super) struct Renumbering {
    pub(super) locations: NewIds<LocationId>,
    pub(super) vars: NewIds<VarId>,
    pub(super) checks: NewIds<CheckId>,
}

impl Renumbering {
    pub(super) fn renaming<T>(&self, use_it: impl FnOnce(&Renaming<'_>) -> T) -> T {
        use_it(&Renaming {
            var: &|var| self.vars.of(var),
            location: &|location| self.locations.of(location),
            check: &|check| self.checks.of(check),
        })
    }

    /// Renames what threads, properties and preconditions mention.
    pub(super) fn rename_declarations(&self, program: &mut ProgramParts) {
        for (_, thread) in program.threads.iter_mut() {
            thread.entry = self.locations.of(thread.entry);
            thread.exit = self.locations.of(thread.exit);
            thread.parameters.iter_mut().for_each(|var| *var = self.vars.of(*var));
        }
        let stated = program.properties.iter_mut().filter_map(|property| match &mut property.kind {
            PropertyKind::Always(condition) | PropertyKind::AtEnd(condition) => Some(condition),
            PropertyKind::DeadlockFree | PropertyKind::Terminates => None,
        });
        for condition in stated.chain(&mut program.requires) {
            *condition = self.renaming(|renaming| renaming.expr(condition));
        }
    }

    pub(super) fn rename_edge(&self, mut edge: Edge) -> Edge {
        edge.source = self.locations.of(edge.source);
        edge.target = self.locations.of(edge.target);
        // The operations of threads mention no locations.
        if !(self.vars.is_same && self.checks.is_same) {
            edge.ops = self.renaming(|renaming| edge.ops.iter().map(|op| renaming.op(op)).collect());
        }
        edge
    }

    pub(super) fn rename_steps(&self, mut steps: Vec<OldStep>) -> Vec<OldStep> {
        if !self.checks.is_same {
            for step in &mut steps {
                step.checks = step.checks.iter().filter_map(|&check| self.checks.new[check]).collect();
            }
        }
        steps
    }
}
