//! States of a running program.

use crate::ir::{LocationId, ThreadId};
use crate::types::Value;
use rely_base::{Id, define_id};

define_id!(
    /// A thread of a running program.
    pub struct SlotId
);

impl SlotId {
    /// The number by which programs know the thread.
    pub fn handle(self) -> Value {
        self.index() as Value + 1
    }
}

/// Whether a thread has started or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotStatus {
    /// An instance that nobody has spawned yet.
    NotStarted,
    /// It has started and not ended.
    Running,
    /// It has reached its exit.
    Ended,
}

/// The values of all variables and the locations of all threads.
///
/// States of one program are compared and hashed by value; what a cell means only
/// [`Semantics`](crate::Semantics) knows. The default is a state of no program: a buffer to
/// copy or [unpack](crate::Semantics::unpack) states into.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) cells: Vec<Value>,
    pub(super) slots: Vec<Slot>,
    pub(super) halted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    pub(super) thread: ThreadId,
    /// `None` until the thread starts.
    pub(super) location: Option<LocationId>,
    pub(super) first_cell: u32,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { cells: self.cells.clone(), slots: self.slots.clone(), halted: self.halted }
    }

    // Exploration copies states all the time: keep the allocations.
    fn clone_from(&mut self, source: &Self) {
        self.cells.clone_from(&source.cells);
        self.slots.clone_from(&source.slots);
        self.halted = source.halted;
    }
}

impl State {
    pub(super) fn new(globals: Vec<Value>) -> Self {
        Self { cells: globals, slots: Vec::new(), halted: false }
    }

    pub(super) fn add_slot(
        &mut self,
        thread: ThreadId,
        location: Option<LocationId>,
        locals: &[Value],
    ) -> SlotId {
        let first_cell = u32::try_from(self.cells.len()).expect("a state has fewer than 2^32 cells");
        self.cells.extend_from_slice(locals);
        self.slots.push(Slot { thread, location, first_cell });
        SlotId::from_index(self.slots.len() - 1)
    }

    pub(super) fn slot(&self, slot: SlotId) -> &Slot {
        &self.slots[slot.index()]
    }

    /// All slots, in order.
    pub fn slots(&self) -> impl ExactSizeIterator<Item = SlotId> + use<> {
        (0..self.slots.len()).map(SlotId::from_index)
    }

    /// The thread of which the slot holds an instance.
    pub fn thread(&self, slot: SlotId) -> ThreadId {
        self.slot(slot).thread
    }

    /// Where the thread in a slot stands; `None` if it has not started.
    pub fn location(&self, slot: SlotId) -> Option<LocationId> {
        self.slot(slot).location
    }

    /// The same globals and instances, with these threads of templates instead of all others: of
    /// each its thread, where it stands, and the values of its locals. `instances` is the number of
    /// the instances of the program.
    pub fn with_templates<'v>(
        &self,
        instances: usize,
        templates: impl IntoIterator<Item = (ThreadId, LocationId, &'v [Value])>,
    ) -> State {
        let first_cell = self.slots.get(instances).map_or(self.cells.len(), |slot| slot.first_cell as usize);
        let cells = self.cells[..first_cell].to_vec();
        let mut state = State { cells, slots: self.slots[..instances].to_vec(), halted: self.halted };
        for (thread, location, locals) in templates {
            state.add_slot(thread, Some(location), locals);
        }
        state
    }

    /// The values of the locals of a slot.
    pub fn locals(&self, slot: SlotId) -> &[Value] {
        let next = self.slots.get(slot.index() + 1);
        let end = next.map_or(self.cells.len(), |next| next.first_cell as usize);
        &self.cells[self.first_cell(slot)..end]
    }

    /// Whether the program has ended at once, by [`Op::Halt`](crate::Op).
    pub fn halted(&self) -> bool {
        self.halted
    }

    /// All values: the globals', then the locals' of each slot.
    pub fn cells(&self) -> &[Value] {
        &self.cells
    }

    /// The cells of the globals and then of each slot's locals can be told apart by these:
    /// where the locals of a slot begin.
    pub fn first_cell(&self, slot: SlotId) -> usize {
        self.slot(slot).first_cell as usize
    }
}
