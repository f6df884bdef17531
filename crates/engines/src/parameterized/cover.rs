//! The search for finitely many crowds that cover every state.

use super::crowd::{Crowd, Locals, Steps};
use super::live::Live;
use rely_base::{Budget, StopReason};
use rely_program::{Goal, Program, Semantics};

/// More crowds than this are too many.
const MOST_CROWDS: usize = 1_000;

/// Why there is no cover.
#[derive(Debug)]
pub(super) enum Failure {
    /// Something goes wrong if there are enough threads.
    Violation,
    TooLarge,
    TooManyChoices,
    NoMeaning,
    Stopped(StopReason),
}

/// Crowds that cover every state that the program can reach, none of them covered by another.
#[derive(Debug)]
pub(super) struct Cover {
    pub(super) crowds: Vec<Crowd>,
    pub(super) locals: Locals,
    pub(super) live: Live,
}

/// A crowd that was found.
struct Node {
    crowd: Crowd,
    /// From which one.
    parent: Option<usize>,
    /// Whether another one covers it.
    is_covered: bool,
}

impl Cover {
    pub(super) fn of(program: &Program, goal: Goal, budget: &Budget) -> Result<Self, Failure> {
        let semantics = Semantics::new(program);
        let mut steps = Steps::new(&semantics, goal, budget);
        let mut search = Search { nodes: Vec::new() };
        for crowd in steps.initial(budget)? {
            search.add(crowd, None)?;
        }
        let mut index = 0;
        while index < search.nodes.len() {
            budget.check_now().map_err(Failure::Stopped)?;
            if !search.nodes[index].is_covered {
                let crowd = search.nodes[index].crowd.clone();
                for next in steps.of(&crowd)? {
                    search.add(next, Some(index))?;
                }
            }
            index += 1;
        }
        let crowds =
            search.nodes.into_iter().filter(|node| !node.is_covered).map(|node| node.crowd).collect();
        Ok(Self { crowds, locals: steps.locals, live: steps.live })
    }
}

struct Search {
    nodes: Vec<Node>,
}

impl Search {
    fn add(&mut self, mut crowd: Crowd, parent: Option<usize>) -> Result<(), Failure> {
        if self.nodes.iter().any(|node| node.crowd.covers(&crowd)) {
            return Ok(());
        }
        while self.accelerate(&mut crowd, parent) {}
        for node in &mut self.nodes {
            node.is_covered |= crowd.covers(&node.crowd);
        }
        self.nodes.push(Node { crowd, parent, is_covered: false });
        if self.nodes.len() > MOST_CROWDS { Err(Failure::TooLarge) } else { Ok(()) }
    }

    /// Looks for crowds on the way here that are covered by this one.
    fn accelerate(&self, crowd: &mut Crowd, parent: Option<usize>) -> bool {
        let mut changed = false;
        let mut ancestor = parent;
        while let Some(index) = ancestor {
            changed |= crowd.accelerate(&self.nodes[index].crowd);
            ancestor = self.nodes[index].parent;
        }
        changed
    }
}
