//! Makes edges of atomic blocks.
//!
//! While a thread stands at an atomic location nobody else moves, and a run that gets stuck
//! there has never come there. So such a location can always be removed by joining the edges
//! around it: the joined edge blocks, fails and moves exactly when its parts do, one after the
//! other. What stays are loops inside of atomic blocks, and blocks with too many paths.

use super::eliminate::Eliminator;
use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_program::Program;
use rely_program::analysis::{Graph, Visibility};

/// The program in which each path through an atomic block without loops is one edge.
#[derive(Clone, Copy, Debug)]
pub struct MergeAtomicBlocks;

impl Pass for MergeAtomicBlocks {
    fn name(&self) -> &'static str {
        "merge_atomic_blocks"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let visibility = Visibility::new(program);
        let graph = Graph::new(program);
        let mut eliminator = Eliminator::new(Draft::new(program));
        for (location, declaration) in program.locations().iter() {
            let stays = visibility.is_watched_location(program, location) || graph.is_loop_head(location);
            if declaration.atomic && !stays && eliminator.is_removable(location) {
                eliminator.remove(location);
            }
        }
        eliminator.draft.finish()
    }
}
