//! Passes: programs into simpler programs, each with its way back.
//!
//! A pass takes a program and returns a new one together with a [`BackMap`], which turns a
//! trace of the new program into one of the old. What a pass must preserve:
//!
//! * whether some check or property is violated,
//! * whether a deadlock can be reached (unless told to [ignore](Deadlocks) that),
//! * and every trace of the new program stands for one of the old one that shows the same.
//!
//! [`prepare`] is what engines and the command use: it brings a program into the best shape
//! for one goal.

mod atomic;
mod back;
mod begin_initialised;
mod compress;
mod cut_tails;
mod dead;
mod decision;
mod draft;
mod drop_owner_checks;
mod eliminate;
mod focus;
mod fold_constants;
mod instantiate;
mod merge_copies;
mod rename;
mod rest_bystanders;
mod separate_values;
mod slots;
mod split_arrays;
mod start_later;
mod unroll;
mod use_ranges;
mod values;

pub use atomic::merge_atomic_blocks;
pub use back::BackMap;
pub use begin_initialised::begin_initialised;
pub use compress::{Deadlocks, Sections, compress};
pub use cut_tails::cut_tails;
pub use dead::remove_dead_variables;
pub use drop_owner_checks::drop_owner_checks;
pub use focus::focus;
pub use fold_constants::fold_constants;
pub use instantiate::instantiate;
pub use merge_copies::merge_copies;
pub use rest_bystanders::rest_bystanders;
pub use separate_values::separate_values;
pub use split_arrays::split_arrays;
pub use start_later::start_later;
pub use unroll::unroll;
pub use use_ranges::use_ranges;
pub use values::{Restored, VarValues};

use crate::ir::Program;
use crate::property::Goal;
use rely_base::{Budget, Interrupted, Work};

/// The program in the best shape for one goal: focused on it and simplified as far as the goal
/// allows, together with the way back.
pub fn prepare(program: &Program, goal: Goal) -> (Program, BackMap) {
    unlimited(prepare_with(program, goal, Sections::Joined, &Budget::unlimited()), program)
}

/// The program in the best shape for one goal, with what is done under a lock in one step or not,
/// unless the budget ends before.
pub fn prepare_with(
    program: &Program,
    goal: Goal,
    sections: Sections,
    budget: &Budget,
) -> Result<(Program, BackMap), Interrupted> {
    let focused = Passed::new(program, budget).by("focus", |program| focus(program, goal))?;
    let prepared = match goal {
        Goal::Assert | Goal::Overflow => focused.simplified(Deadlocks::Ignore, sections)?,
        Goal::Deadlock | Goal::Termination => focused.simplified(Deadlocks::Preserve, sections)?,
        // Every access counts, even one whose value does not matter.
        Goal::Race => focused.by("unroll", unroll)?.by("instantiate", instantiate)?,
    };
    Ok(prepared.finish())
}

/// The program simplified by all passes, with all of its checks, properties and deadlocks.
pub fn simplify(program: &Program) -> (Program, BackMap) {
    let budget = Budget::unlimited();
    let simplified = Passed::new(program, &budget).simplified(Deadlocks::Preserve, Sections::Joined);
    unlimited(simplified.map(Passed::finish), program)
}

/// A budget without limits does not end; if it did, the program as it is would be right, too.
fn unlimited(passed: Result<(Program, BackMap), Interrupted>, program: &Program) -> (Program, BackMap) {
    passed.unwrap_or_else(|_| (program.clone(), BackMap::identity()))
}

/// How often the passes are repeated at most; each makes room for the others.
const MOST_ROUNDS: usize = 8;

/// The round in which values become places: one later than the first, because only then it shows
/// which variables are left, and at how few locations.
const SEPARATION: usize = 1;

/// A program on its way through passes, as long as the budget lasts.
struct Passed<'b> {
    program: Program,
    back: BackMap,
    budget: &'b Budget,
}

impl<'b> Passed<'b> {
    fn new(program: &Program, budget: &'b Budget) -> Self {
        Self { program: program.clone(), back: BackMap::identity(), budget }
    }

    fn by(
        self,
        name: &'static str,
        pass: impl FnOnce(&Program) -> (Program, BackMap),
    ) -> Result<Self, Interrupted> {
        let Self { program, back, budget } = self;
        budget.check_work(Work::Simplifying(name))?;
        let (program, last) = pass(&program);
        Ok(Self { program, back: back.then(last), budget })
    }

    fn simplified(self, deadlocks: Deadlocks, sections: Sections) -> Result<Self, Interrupted> {
        let mut passed = self
            .by("fold_constants", fold_constants)?
            .by("drop_owner_checks", drop_owner_checks)?
            .by("unroll", unroll)?
            .by("fold_constants", fold_constants)?
            .by("instantiate", instantiate)?
            .begun_initialised()?;
        for round in 0..MOST_ROUNDS {
            let before = passed.size();
            if round == SEPARATION {
                passed = passed.by("separate_values", separate_values)?;
            }
            if deadlocks == Deadlocks::Ignore {
                passed = passed.by("rest_bystanders", rest_bystanders)?.by("cut_tails", cut_tails)?;
            }
            passed = passed
                .by("use_ranges", use_ranges)?
                .by("fold_constants", fold_constants)?
                .by("split_arrays", split_arrays)?
                .by("merge_copies", merge_copies)?
                .by("remove_dead_variables", remove_dead_variables)?
                .by("merge_atomic_blocks", merge_atomic_blocks)?
                .by("compress", |program| compress(program, deadlocks, sections))?
                .by("start_later", start_later)?
                .begun_initialised()?;
            if round >= SEPARATION && passed.size() == before {
                break;
            }
        }
        Ok(passed)
    }

    /// What gets smaller while passes have something to do.
    fn size(&self) -> (usize, usize, usize, usize) {
        let ops = self.program.edges().values().map(|edge| edge.ops.len()).sum();
        let program = &self.program;
        (program.vars().len(), program.locations().len(), program.edges().len(), ops)
    }

    fn finish(self) -> (Program, BackMap) {
        (self.program, self.back)
    }
}
