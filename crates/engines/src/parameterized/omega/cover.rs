//! The search for finitely many omega configurations that cover every state.

use super::super::limits::Limits;
use super::configuration::{Locals, OmegaConfiguration, Steps};
use super::failure::Failure;
use super::live::Live;
use rely_base::Budget;
use rely_program::{Goal, Program, Semantics};

/// Omega configurations that cover every state that the program can reach, none of them covered by another.
#[derive(Debug)]
pub(super) struct Cover {
    pub(super) configurations: Vec<OmegaConfiguration>,
    pub(super) locals: Locals,
    pub(super) live: Live,
}

/// An omega configuration that was found.
struct Node {
    configuration: OmegaConfiguration,
    /// From which one.
    parent: Option<usize>,
    /// Whether another one covers it.
    is_covered: bool,
}

impl Cover {
    pub(super) fn of(
        program: &Program,
        goal: Goal,
        limits: Limits,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let semantics = Semantics::new(program);
        let mut steps = Steps::new(&semantics, goal, limits.values as u128, budget);
        let mut search = Search { nodes: Vec::new(), most: limits.configurations };
        for configuration in steps.initial(budget)? {
            search.add(configuration, None)?;
        }
        let mut index = 0;
        while index < search.nodes.len() {
            budget.check_now().map_err(Failure::Stopped)?;
            if !search.nodes[index].is_covered {
                let configuration = search.nodes[index].configuration.clone();
                for next in steps.of(&configuration)? {
                    search.add(next, Some(index))?;
                }
            }
            index += 1;
        }
        let configurations =
            search.nodes.into_iter().filter(|node| !node.is_covered).map(|node| node.configuration).collect();
        Ok(Self { configurations, locals: steps.locals, live: steps.live })
    }
}

struct Search {
    nodes: Vec<Node>,
    /// More than this are too many.
    most: usize,
}

impl Search {
    fn add(&mut self, mut configuration: OmegaConfiguration, parent: Option<usize>) -> Result<(), Failure> {
        if self.nodes.iter().any(|node| node.configuration.covers(&configuration)) {
            return Ok(());
        }
        while self.accelerate(&mut configuration, parent) {}
        for node in &mut self.nodes {
            node.is_covered |= configuration.covers(&node.configuration);
        }
        self.nodes.push(Node { configuration, parent, is_covered: false });
        if self.nodes.len() > self.most { Err(Failure::TooLarge) } else { Ok(()) }
    }

    /// Looks for omega configurations on the way here that are covered by this one.
    fn accelerate(&self, configuration: &mut OmegaConfiguration, parent: Option<usize>) -> bool {
        let mut changed = false;
        let mut ancestor = parent;
        while let Some(index) = ancestor {
            changed |= configuration.accelerate(&self.nodes[index].configuration);
            ancestor = self.nodes[index].parent;
        }
        changed
    }
}
