//! Which steps of a program reduction takes for one, to show it to people.

use rely_base::{Budget, Interrupted};
use rely_engines::reduction::Blocks;
use rely_evidence::reduction::{Mover, Phase};
use rely_passes::{Applied, CriticalSections, Pipeline};
use rely_program::{EdgeId, Goal, LocationId, Program};
use std::ops::ControlFlow;

/// The last pass behind which every statement still has steps of its own.
const LAST_PASS: &str = "merge_atomic_blocks";

/// A program and its blocks.
#[derive(Clone, Debug)]
pub struct Reducible {
    /// The program as the passes have made it before they join steps: its statements have steps of their own.
    pub program: Program,
    /// The locations inside of blocks.
    pub inside: Vec<(LocationId, Phase)>,
    /// The edges that are movers.
    pub movers: Vec<(EdgeId, Mover)>,
}

/// The blocks of a program, for a goal that is about what can go wrong.
pub fn reducible(program: &Program, goal: Goal, budget: &Budget) -> Result<Reducible, Interrupted> {
    let pipeline = Pipeline::for_goal(goal, CriticalSections::Interleaved);
    let (program, _) = pipeline.run_while(program, budget, &mut |applied: &Applied<'_>| {
        if applied.name == LAST_PASS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let Blocks { inside, movers, .. } = Blocks::infer(&program, goal, Default::default(), budget);
    Ok(Reducible { program, inside, movers })
}
