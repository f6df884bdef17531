//! Which cells are worth looking at together.
//!
//! A relation between two numbers matters if the program compares them, copies one to the other, or
//! changes both in one step. Cells that only ever receive constants are flags: all that can be said
//! about them stands in the source already.

use crate::rely_guarantee::limits::Limits;
use rely_base::Id;
use rely_logic::{LinearForm, VarId};
use rely_symbolic::System;

/// Sets of related cells, each ascending. In each, some cell takes values that are computed.
pub(crate) fn packs(system: &System<'_>, limits: Limits) -> Vec<Vec<VarId>> {
    let mut is_computed = vec![false; system.cells.count()];
    for (cell, value) in system.moves.iter().flat_map(|by| &by.branch.updates) {
        is_computed[cell.index()] |= !value.is_constant();
    }
    if !is_computed.contains(&true) {
        return Vec::new();
    }
    let mut groups = Groups::new(system, limits.pack_cells);
    groups.join_what_moves_together();
    groups.join_what_is_compared();
    groups.join_what_is_copied();
    let packs = groups.into_packs().into_iter();
    packs.filter(|pack| pack.iter().any(|cell| is_computed[cell.index()])).take(limits.packs).collect()
}

/// Groups of cells that grow as long as they stay small.
struct Groups<'s, 'p> {
    system: &'s System<'p>,
    most_cells: usize,
    /// The group of each cell.
    of: Vec<usize>,
    sizes: Vec<usize>,
}

impl<'s, 'p> Groups<'s, 'p> {
    fn new(system: &'s System<'p>, most_cells: usize) -> Self {
        let count = system.cells.count();
        Groups { system, most_cells, of: (0..count).collect(), sizes: vec![1; count] }
    }

    fn join_what_moves_together(&mut self) {
        for by in &self.system.moves {
            let is_step = |(cell, value): &&(VarId, LinearForm)| is_step(*cell, value);
            let stepping: Vec<VarId> =
                by.branch.updates.iter().filter(is_step).map(|entry| entry.0).collect();
            self.join(stepping);
        }
    }

    fn join_what_is_compared(&mut self) {
        let system = self.system;
        let violations = system.violations.iter().map(|violation| &violation.guard);
        let guards = violations.chain(system.moves.iter().map(|by| &by.branch.guard));
        for constraint in guards.flatten().filter(|constraint| constraint.form().terms().len() == 2) {
            self.join(constraint.form().variables());
        }
    }

    fn join_what_is_copied(&mut self) {
        for (cell, value) in self.system.moves.iter().flat_map(|by| &by.branch.updates) {
            self.join(std::iter::once(*cell).chain(value.variables()));
        }
    }

    fn join(&mut self, variables: impl IntoIterator<Item = VarId>) {
        let system = self.system;
        let mut cells = variables.into_iter().filter(|&variable| system.cells.is_cell(variable));
        let Some(first) = cells.next() else { return };
        for cell in cells {
            let (kept, gone) = (self.of[first.index()], self.of[cell.index()]);
            if kept != gone && self.sizes[kept] + self.sizes[gone] <= self.most_cells {
                self.sizes[kept] += self.sizes[gone];
                self.of.iter_mut().filter(|group| **group == gone).for_each(|group| *group = kept);
            }
        }
    }

    fn into_packs(self) -> Vec<Vec<VarId>> {
        let mut packs = vec![Vec::new(); self.of.len()];
        for (cell, group) in self.of.into_iter().enumerate() {
            packs[group].push(VarId::from_index(cell));
        }
        packs
    }
}

/// Whether a cell changes by a constant.
fn is_step(cell: VarId, value: &LinearForm) -> bool {
    matches!(value.terms(), [(source, factor)] if *source == cell && factor.is_one())
}
