//! Where each variable is kept in the flat cells of a state.

use crate::ir::{Initial, LocationId, Program, Scope, ThreadId, ThreadKind, VarId};
use crate::types::{Domain, Value};
use rely_base::Arena;
use std::ops::Range;

/// Globals come first; the locals of each slot follow as one block.
#[derive(Debug)]
pub(super) struct Layout {
    places: Arena<VarId, CellPlace>,
    locals: Arena<ThreadId, LocalLayout>,
    pub(super) initial_globals: Vec<Value>,
    /// The cells of the initial state that start with any value, and where they are.
    pub(super) initial_choices: Vec<(VarId, Domain)>,
    pub(super) initial_choice_cells: Vec<usize>,
    pub(super) has_atomic_locations: bool,
    /// The instances, in the order of their slots.
    pub(super) instances: Vec<ThreadId>,
    /// The locations of each thread, and the number of each location among them.
    pub(super) thread_locations: Arena<ThreadId, Vec<LocationId>>,
    pub(super) location_numbers: Arena<LocationId, u32>,
}

/// A variable's first cell, counted from the beginning of the globals or of its thread's
/// locals, and how many cells it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellPlace {
    pub(super) owner: Option<ThreadId>,
    pub(super) offset: u32,
    pub(super) cells: u32,
}

#[derive(Clone, Debug, Default)]
struct LocalLayout {
    initial: Vec<Value>,
    /// Offsets among the locals, and domains, of the cells that start with any value.
    choices: Vec<(u32, VarId, Domain)>,
    /// For an instance: where its locals begin.
    instance_first_cell: Option<u32>,
}

impl Layout {
    pub(super) fn new(program: &Program) -> Self {
        let mut layout = Layout {
            places: Arena::new(),
            locals: program.threads.ids().map(|_| LocalLayout::default()).collect(),
            initial_globals: Vec::new(),
            initial_choices: Vec::new(),
            initial_choice_cells: Vec::new(),
            has_atomic_locations: program.locations.values().any(|location| location.atomic),
            instances: Vec::new(),
            thread_locations: program.threads.ids().map(|_| Vec::new()).collect(),
            location_numbers: Arena::new(),
        };
        layout.number_locations(program);
        layout.place_variables(program);
        layout.place_instances(program);
        layout
    }

    fn number_locations(&mut self, program: &Program) {
        for (id, location) in program.locations.iter() {
            let siblings = &mut self.thread_locations[location.thread];
            self.location_numbers.push(siblings.len() as u32);
            siblings.push(id);
        }
    }

    fn place_variables(&mut self, program: &Program) {
        for (id, var) in program.vars.iter() {
            let owner = match var.scope {
                Scope::Global => None,
                Scope::Local(thread) => Some(thread),
            };
            let block = match owner {
                None => &mut self.initial_globals,
                Some(thread) => &mut self.locals[thread].initial,
            };
            let offset = block.len() as u32;
            match &var.initial {
                Initial::Values(values) => block.extend_from_slice(values),
                Initial::Any(domain) => {
                    block.resize(block.len() + var.cells(), domain.default_value().unwrap_or(0));
                    for cell in offset..block.len() as u32 {
                        match owner {
                            None => {
                                self.initial_choices.push((id, *domain));
                                self.initial_choice_cells.push(cell as usize);
                            }
                            Some(thread) => self.locals[thread].choices.push((cell, id, *domain)),
                        }
                    }
                }
            }
            self.places.push(CellPlace { owner, offset, cells: var.cells() as u32 });
        }
    }

    fn place_instances(&mut self, program: &Program) {
        let mut next_cell = self.initial_globals.len() as u32;
        for (thread, declaration) in program.threads.iter() {
            let ThreadKind::Instance { .. } = declaration.kind else { continue };
            self.instances.push(thread);
            let locals = &mut self.locals[thread];
            locals.instance_first_cell = Some(next_cell);
            for &(offset, var, domain) in &locals.choices {
                self.initial_choices.push((var, domain));
                self.initial_choice_cells.push((next_cell + offset) as usize);
            }
            next_cell += locals.initial.len() as u32;
        }
    }

    pub(super) fn place(&self, var: VarId) -> CellPlace {
        self.places[var]
    }

    pub(super) fn cells_of(&self, var: VarId, first_local_cell: u32) -> Range<usize> {
        let place = self.places[var];
        let first = if place.owner.is_some() { first_local_cell + place.offset } else { place.offset };
        first as usize..(first + place.cells) as usize
    }

    pub(super) fn initial_locals(&self, thread: ThreadId) -> &[Value] {
        &self.locals[thread].initial
    }

    /// The offsets and domains of the locals that a spawn of this template must choose.
    /// An instance's have been chosen in the initial state.
    pub(super) fn spawn_choices(&self, thread: ThreadId) -> &[(u32, VarId, Domain)] {
        let locals = &self.locals[thread];
        if locals.instance_first_cell.is_some() { &[] } else { &locals.choices }
    }

    pub(super) fn instance_first_cell(&self, thread: ThreadId) -> Option<u32> {
        self.locals[thread].instance_first_cell
    }

    /// The slot of an instance.
    pub(super) fn instance_slot(&self, thread: ThreadId) -> Option<usize> {
        self.instances.iter().position(|&instance| instance == thread)
    }
}
