//! Which passes run for which goal, and in which order.

use crate::back::BackMap;
use crate::pass::{Pass, Size};
use crate::reduction::{Compress, CriticalSections, Deadlocks, MergeAtomicBlocks};
use crate::simplify::{
    DropIdleLoops, DropOwnerChecks, FoldConstants, InsertConstants, MergeCopies, RemoveDeadVariables,
    SeparateValues, SplitArrays, UseRanges,
};
use crate::slicing::{Focus, SliceSuffixes, SliceThreads};
use crate::threads::{BeginInitialised, Instantiate, StartLater, Unroll};
use rely_base::{Budget, Interrupted};
use rely_program::{Goal, Program};
use std::ops::ControlFlow;

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
    pub fn for_goal(goal: Goal, sections: CriticalSections) -> Self {
        let focus = Focus { goal };
        match goal {
            Goal::Assert | Goal::Overflow | Goal::Memory => {
                Self::simplifying(Deadlocks::Ignore, sections).after(focus)
            }
            Goal::Deadlock | Goal::Termination | Goal::FairTermination => {
                Self::simplifying(Deadlocks::Preserve, sections).after(focus)
            }
            // Every access counts, even one whose value does not matter.
            Goal::Race => Self {
                first: vec![
                    Box::new(focus),
                    Box::new(Unroll),
                    Box::new(Instantiate::for_races()),
                    Box::new(InsertConstants),
                ],
                round: Vec::new(),
                after_first_round: Vec::new(),
            },
        }
    }

    /// All passes that preserve all checks and properties.
    pub fn simplifying(deadlocks: Deadlocks, sections: CriticalSections) -> Self {
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
        if deadlocks == Deadlocks::Ignore {
            round.push(Box::new(DropIdleLoops));
        }
        Self {
            first: vec![
                Box::new(FoldConstants),
                Box::new(DropOwnerChecks),
                Box::new(Unroll),
                Box::new(FoldConstants),
                Box::new(Instantiate::default()),
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

    /// The names of the passes, each once, in the order in which they run first.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for pass in self.first.iter().chain(&self.round).chain(&self.after_first_round) {
            if !names.contains(&pass.name()) {
                names.push(pass.name());
            }
        }
        names
    }

    /// What the passes make of a program, unless the budget ends before.
    pub fn run(&self, program: &Program, budget: &Budget) -> Result<(Program, BackMap), Interrupted> {
        self.run_while(program, budget, &mut |_| ControlFlow::Continue(()))
    }

    /// What the passes make of a program up to the one behind which `observe` breaks off, unless the budget
    /// ends before.
    pub fn run_while(
        &self,
        program: &Program,
        budget: &Budget,
        observe: &mut dyn FnMut(&Applied<'_>) -> ControlFlow<()>,
    ) -> Result<(Program, BackMap), Interrupted> {
        let mut run =
            Run { program: program.clone(), back: BackMap::identity(), budget, observe, idle: Vec::new() };
        match run.pipeline(self) {
            Ok(()) | Err(Stopped::Here) => Ok((run.program, run.back)),
            Err(Stopped::Interrupted(interrupted)) => Err(interrupted),
        }
    }
}

/// A pass that was applied to a program.
pub struct Applied<'p> {
    /// The name of the pass.
    pub name: &'static str,
    /// The program before.
    pub before: &'p Program,
    /// The program behind the pass.
    pub after: &'p Program,
}

impl Applied<'_> {
    /// Whether the pass had anything to do.
    pub fn is_change(&self) -> bool {
        Size::of(self.before) != Size::of(self.after) || self.before.to_string() != self.after.to_string()
    }
}

/// Why not all passes ran.
enum Stopped {
    Interrupted(Interrupted),
    /// The observer has seen enough.
    Here,
}

/// A program on its way through passes, as long as the budget lasts.
struct Run<'r> {
    program: Program,
    back: BackMap,
    budget: &'r Budget,
    observe: &'r mut dyn FnMut(&Applied<'_>) -> ControlFlow<()>,
    /// The passes that found nothing to do in the program as it is now: they need not be asked again.
    idle: Vec<&'static str>,
}

impl Run<'_> {
    fn pipeline(&mut self, pipeline: &Pipeline) -> Result<(), Stopped> {
        self.all(&pipeline.first)?;
        if pipeline.round.is_empty() {
            return Ok(());
        }
        self.all(&pipeline.round)?;
        let mut size = Size::of(&self.program);
        self.all(&pipeline.after_first_round)?;
        for _ in 1..MOST_ROUNDS {
            self.all(&pipeline.round)?;
            let smaller = Size::of(&self.program);
            if smaller == size {
                break;
            }
            size = smaller;
        }
        Ok(())
    }

    fn all(&mut self, passes: &[Box<dyn Pass>]) -> Result<(), Stopped> {
        passes.iter().try_for_each(|pass| self.one(pass.as_ref()))
    }

    fn one(&mut self, pass: &dyn Pass) -> Result<(), Stopped> {
        if self.idle.contains(&pass.name()) {
            return Ok(());
        }
        let (after, back) = pass.run(&self.program, self.budget).map_err(Stopped::Interrupted)?;
        let before = std::mem::replace(&mut self.program, after);
        self.back = std::mem::take(&mut self.back).then(back);
        if before == self.program {
            self.idle.push(pass.name());
        } else {
            self.idle.clear();
            self.back.note(pass.name());
        }
        let applied = Applied { name: pass.name(), before: &before, after: &self.program };
        match (self.observe)(&applied) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stopped::Here),
        }
    }
}

/// The program in the best shape for one goal: focused on it and simplified as far as the goal
/// allows, together with the way back.
pub fn prepare(program: &Program, goal: Goal) -> (Program, BackMap) {
    let prepared = prepare_with(program, goal, CriticalSections::Atomic, &Budget::unlimited());
    unlimited(prepared, program)
}

/// The program in the best shape for one goal, with critical sections atomic or interleaved, unless the budget ends before.
pub fn prepare_with(
    program: &Program,
    goal: Goal,
    sections: CriticalSections,
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupted> {
    Pipeline::for_goal(goal, sections).run(program, budget)
}

/// The program simplified by all passes, with all of its checks, properties and deadlocks.
pub fn simplify(program: &Program) -> (Program, BackMap) {
    let pipeline = Pipeline::simplifying(Deadlocks::Preserve, CriticalSections::Atomic);
    unlimited(pipeline.run(program, &Budget::unlimited()), program)
}

/// A budget without limits does not end; if it did, the program as it is would be right, too.
fn unlimited(passed: Result<(Program, BackMap), Interrupted>, program: &Program) -> (Program, BackMap) {
    passed.unwrap_or_else(|_| (program.clone(), BackMap::identity()))
}
