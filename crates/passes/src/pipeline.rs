//! Which passes run for which goal, and in which order.

use crate::back::BackMap;
use crate::pass::{Pass, Size};
use crate::reduction::{Compress, Deadlocks, MergeAtomicBlocks, Sections};
use crate::simplify::{
    DropOwnerChecks, FoldConstants, MergeCopies, RemoveDeadVariables, SeparateValues, SplitArrays, UseRanges,
};
use crate::slicing::{Focus, SliceSuffixes, SliceThreads};
use crate::threads::{BeginInitialised, Instantiate, StartLater, Unroll};
use rely_base::{Budget, Interrupted};
use rely_program::{Goal, Program};

/// How often the round of passes is repeated at most; each pass makes room for the others.
const MOST_ROUNDS: usize = 8;

/// Passes in an order.
pub struct Pipeline {
    /// These run once, at first.
    first: Vec<Box<dyn Pass>>,
    /// These run again and again until the program gets no smaller.
    round: Vec<Box<dyn Pass>>,
    /// These run once, before the second round: only then it shows which variables are left, and at how few
    /// locations.
    after_first_round: Vec<Box<dyn Pass>>,
}

impl Pipeline {
    /// The passes that bring a program into the best shape for one goal.
    pub fn for_goal(goal: Goal, sections: Sections) -> Self {
        let focus = Focus { goal };
        match goal {
            Goal::Assert | Goal::Overflow => Self::simplifying(Deadlocks::Ignore, sections).after(focus),
            Goal::Deadlock | Goal::Termination => {
                Self::simplifying(Deadlocks::Preserve, sections).after(focus)
            }
            // Every access counts, even one whose value does not matter.
            Goal::Race => Self {
                first: vec![Box::new(focus), Box::new(Unroll), Box::new(Instantiate)],
                round: Vec::new(),
                after_first_round: Vec::new(),
            },
        }
    }

    /// All passes that preserve all checks and properties.
    pub fn simplifying(deadlocks: Deadlocks, sections: Sections) -> Self {
        let mut round: Vec<Box<dyn Pass>> = Vec::new();
        if deadlocks == Deadlocks::Ignore {
            round.push(Box::new(SliceThreads));
            round.push(Box::new(SliceSuffixes));
        }
        let always: [Box<dyn Pass>; 9] = [
            Box::new(UseRanges),
            Box::new(FoldConstants),
            Box::new(SplitArrays),
            Box::new(MergeCopies),
            Box::new(RemoveDeadVariables),
            Box::new(MergeAtomicBlocks),
            Box::new(Compress { deadlocks, sections }),
            Box::new(StartLater),
            Box::new(BeginInitialised),
        ];
        round.extend(always);
        Self {
            first: vec![
                Box::new(FoldConstants),
                Box::new(DropOwnerChecks),
                Box::new(Unroll),
                Box::new(FoldConstants),
                Box::new(Instantiate),
                Box::new(BeginInitialised),
            ],
            round,
            after_first_round: vec![Box::new(SeparateValues)],
        }
    }

    /// The same passes after another one.
    fn after(mut self, pass: impl Pass + 'static) -> Self {
        self.first.insert(0, Box::new(pass));
        self
    }

    /// What the passes make of a program, unless the budget ends before.
    pub fn run(&self, program: &Program, budget: &Budget) -> Result<(Program, BackMap), Interrupted> {
        let mut run = Run { program: program.clone(), back: BackMap::identity(), budget };
        run.all(&self.first)?;
        if !self.round.is_empty() {
            run.all(&self.round)?;
            run.rounds(&self.round, &self.after_first_round)?;
        }
        Ok((run.program, run.back))
    }
}

/// A program on its way through passes, as long as the budget lasts.
struct Run<'b> {
    program: Program,
    back: BackMap,
    budget: &'b Budget,
}

impl Run<'_> {
    fn all(&mut self, passes: &[Box<dyn Pass>]) -> Result<(), Interrupted> {
        for pass in passes {
            let (program, back) = pass.run(&self.program, self.budget)?;
            self.program = program;
            self.back = std::mem::take(&mut self.back).then(back);
        }
        Ok(())
    }

    /// All rounds but the first, and what runs before them.
    fn rounds(&mut self, round: &[Box<dyn Pass>], before: &[Box<dyn Pass>]) -> Result<(), Interrupted> {
        let mut size = Size::of(&self.program);
        self.all(before)?;
        for _ in 1..MOST_ROUNDS {
            self.all(round)?;
            let smaller = Size::of(&self.program);
            if smaller == size {
                break;
            }
            size = smaller;
        }
        Ok(())
    }
}

/// The program in the best shape for one goal: focused on it and simplified as far as the goal
/// allows, together with the way back.
pub fn prepare(program: &Program, goal: Goal) -> (Program, BackMap) {
    let prepared = prepare_with(program, goal, Sections::Joined, &Budget::unlimited());
    unlimited(prepared, program)
}

/// The program in the best shape for one goal, with what is done under a lock in one step or not,
/// unless the budget ends before.
pub fn prepare_with(
    program: &Program,
    goal: Goal,
    sections: Sections,
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupted> {
    Pipeline::for_goal(goal, sections).run(program, budget)
}

/// The program simplified by all passes, with all of its checks, properties and deadlocks.
pub fn simplify(program: &Program) -> (Program, BackMap) {
    let pipeline = Pipeline::simplifying(Deadlocks::Preserve, Sections::Joined);
    unlimited(pipeline.run(program, &Budget::unlimited()), program)
}

/// A budget without limits does not end; if it did, the program as it is would be right, too.
fn unlimited(passed: Result<(Program, BackMap), Interrupted>, program: &Program) -> (Program, BackMap) {
    passed.unwrap_or_else(|_| (program.clone(), BackMap::identity()))
}
