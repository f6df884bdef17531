//! Which slot of the old program a slot of the new one is.
//!
//! Instances have fixed slots, threads spawned from templates get the next free one. A pass
//! that makes instances out of templates changes both, so the slots are found out along a
//! trace: each spawn of the new program is one of the old program.

use rely_base::{Arena, Id};
use rely_program::{EdgeId, Op, Program, SlotId, ThreadId, ThreadKind};

/// What is needed to follow the slots of both programs along a trace.
#[derive(Clone, Debug)]
pub(crate) struct SlotMap {
    /// The old slots of the new instances; `None` for those that the old program creates
    /// when they are spawned.
    instances: Vec<Option<SlotId>>,
    old_instances: usize,
    /// The spawns of each new edge, in order.
    spawns: Arena<EdgeId, Vec<Spawned>>,
}

/// A spawn in the new and in the old program: the slot of an instance, or `None` for a new
/// slot.
#[derive(Clone, Copy, Debug)]
struct Spawned {
    new: Option<SlotId>,
    old: Option<SlotId>,
}

/// The slots at some point of a trace.
pub(crate) struct Slots<'m> {
    map: &'m SlotMap,
    old_slots: Vec<Option<SlotId>>,
    next_old: usize,
}

impl SlotMap {
    /// Compares the programs before and after a pass, given the old thread of each new one.
    pub(crate) fn new(old: &Program, new: &Program, old_thread: &Arena<ThreadId, ThreadId>) -> Self {
        let old_slots = instance_slots(old);
        let new_slots = instance_slots(new);
        let spawned = |op: &Op| match op {
            Op::Spawn { thread, .. } => {
                Some(Spawned { new: new_slots[*thread], old: old_slots[old_thread[*thread]] })
            }
            _ => None,
        };
        Self {
            instances: new_slots
                .iter()
                .filter(|(_, slot)| slot.is_some())
                .map(|(thread, _)| old_slots[old_thread[thread]])
                .collect(),
            old_instances: old_slots.values().flatten().count(),
            spawns: new.edges().values().map(|edge| edge.ops.iter().filter_map(spawned).collect()).collect(),
        }
    }

    /// Whether slots are what they were.
    pub(crate) fn is_identity(&self) -> bool {
        let mut numbered = self.instances.iter().enumerate();
        self.old_instances == self.instances.len()
            && numbered.all(|(index, slot)| *slot == Some(SlotId::from_index(index)))
            && self.spawns.values().flatten().all(|spawned| spawned.new == spawned.old)
    }

    pub(crate) fn start(&self) -> Slots<'_> {
        Slots { map: self, old_slots: self.instances.clone(), next_old: self.old_instances }
    }
}

impl Slots<'_> {
    pub(crate) fn old_slot(&self, new: SlotId) -> Option<SlotId> {
        self.old_slots.get(new.index()).copied().flatten()
    }

    /// A thread has taken an edge of the new program.
    pub(crate) fn follow(&mut self, edge: EdgeId) {
        let map = self.map;
        for spawned in &map.spawns[edge] {
            let old = spawned.old.unwrap_or_else(|| {
                self.next_old += 1;
                SlotId::from_index(self.next_old - 1)
            });
            match spawned.new {
                Some(new) => self.old_slots[new.index()] = Some(old),
                None => self.old_slots.push(Some(old)),
            }
        }
    }
}

/// The slots of the instances of a program.
fn instance_slots(program: &Program) -> Arena<ThreadId, Option<SlotId>> {
    let mut next = 0;
    let slot = |thread: &rely_program::Thread| match thread.kind {
        ThreadKind::Template => None,
        ThreadKind::Instance { .. } => {
            next += 1;
            Some(SlotId::from_index(next - 1))
        }
    };
    program.threads().values().map(slot).collect()
}
