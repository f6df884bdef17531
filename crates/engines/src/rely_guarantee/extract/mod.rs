//! From complete trees to what they prove.
//!
//! * [`relevance`]: which predicates and places the proof needs at each node;
//! * [`merge`]: fewer states that say the same.

mod merge;
pub(crate) mod relevance;

use super::precision::Precision;
use super::precision::literals::Literal;
use super::reach::Trees;
use merge::{Merged, merged};
use relevance::relevant_classes;
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_program::ThreadId;
use rely_symbolic::outline::{self, Known, Outline};
use rely_symbolic::{ControlPointId, System};

/// What the trees prove. `None` if something cannot be written down.
pub(crate) fn assemble(
    trees: &mut Trees<'_, '_>,
    precision: &Precision,
    budget: &Budget,
) -> Option<RelyGuarantee> {
    let (system, most_states) = (trees.system(), trees.limits().merged_states);
    let classes = relevant_classes(trees, precision, budget);
    let at = |thread, point| {
        let states = merged(classes.at(thread, ControlPointId::from_index(point)), most_states);
        states.iter().map(|state| known(system, precision, thread, state)).collect()
    };
    let of = |thread| (0..system.thread(thread).points.len()).map(|point| at(thread, point)).collect();
    let sides =
        |predicate| [true, false].map(|holds| precision.constraint(Literal { predicate, holds }).clone());
    let is_split =
        |observer| system.thread_ids().any(|observed| !precision.partition(observer, observed).is_trivial());
    let outline = Outline {
        at: system.thread_ids().map(of).collect(),
        told: None,
        predicates: precision.predicates().map(sides).collect(),
        tells_places: system.thread_ids().any(is_split),
    };
    outline::write(system, &outline, budget)
}

/// What an abstract state of a thread says.
fn known(system: &System<'_>, precision: &Precision, thread: ThreadId, state: &Merged) -> Known {
    let others = system.thread_ids().filter_map(|other| {
        let partition = precision.partition(thread, other);
        let blocks = &state.blocks[other.index()];
        (other != thread && blocks.len() < partition.len()).then(|| {
            let points = blocks.iter().flat_map(|&block| partition.block(block));
            (other, points.copied().collect())
        })
    });
    Known { constraints: precision.constraints(&state.literals).cloned().collect(), others: others.collect() }
}
