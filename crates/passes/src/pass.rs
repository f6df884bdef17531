//! What a pass is.

use crate::back::BackMap;
use rely_base::{Budget, Interrupted, Work};
use rely_program::Program;

/// Makes a new program of one, and knows the way back.
pub trait Pass {
    /// The name by which commands, statistics and messages speak of the pass.
    fn name(&self) -> &'static str;

    /// The new program, and the way back from it.
    fn apply(&self, program: &Program) -> (Program, BackMap);

    /// Applies the pass, unless the budget ends before.
    fn run(&self, program: &Program, budget: &Budget) -> Result<(Program, BackMap), Interrupted> {
        budget.check_work(Work::Simplifying(self.name()))?;
        Ok(self.apply(program))
    }
}

/// How large a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of threads and templates.
    pub threads: usize,
    /// The number of locations of all threads.
    pub locations: usize,
    /// The number of edges of all threads.
    pub edges: usize,
    /// The number of operations of all edges.
    pub ops: usize,
    /// The number of variables; an array is one.
    pub vars: usize,
}

impl Size {
    /// The size of a program.
    pub fn of(program: &Program) -> Self {
        Self {
            threads: program.threads().len(),
            locations: program.locations().len(),
            edges: program.edges().len(),
            ops: program.edges().values().map(|edge| edge.ops.len()).sum(),
            vars: program.vars().len(),
        }
    }
}
