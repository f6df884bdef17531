//! Turns values that only one thread looks at into places of that thread.
//!
//! In `while (!done) { if (..) done = 1; }` the head of the loop is two places in one: where the
//! thread goes on, and where it leaves. Which of them it is, `done` tells, and nobody else cares.
//! This pass makes a copy of each location for each value that such a variable can have there: the
//! variable is then a constant at every location, other passes remove it, branches on it become
//! jumps, and arrays that it indexes fall apart into cells. Engines tell places apart anyway, so
//! what they have to find out about data gets less.
//!
//! Only variables with few values are worth it, and only those that some step depends on and that
//! do not count. Where a value with several possibilities is written, one edge for each of them
//! takes the place of the edge, under conditions of which exactly one holds; so each run has one
//! step for each of its steps before, and the other way round. Copies from which the same steps
//! lead to the same copies are one: there the value did not matter after all. If many more edges
//! remain than there were, the variable is not worth it.

mod cases;
mod separation;

use crate::back::BackMap;
use crate::draft::Draft;
use crate::pass::Pass;
use rely_base::Arena;
use rely_program::analysis::{IdSet, Liveness, Range, Ranges, Visibility};
use rely_program::{Expr, Op, Place, Program, ThreadId, Value, VarId};
use separation::Separation;

/// A variable with more values than this stays one.
const MOST_VALUES: usize = 4;

/// The program in which threads stand at different locations for different values of variables that
/// only they look at and that have few values.
#[derive(Clone, Copy, Debug)]
pub struct SeparateValues;

impl Pass for SeparateValues {
    fn name(&self) -> &'static str {
        "separate_values"
    }

    fn apply(&self, program: &Program) -> (Program, BackMap) {
        let visibility = Visibility::new(program);
        let tested = tested_vars(program, &visibility);
        if tested.values().all(IdSet::is_empty) {
            return (program.clone(), BackMap::identity());
        }
        let facts =
            Facts { program, ranges: Ranges::new(program), liveness: Liveness::new(program), visibility };
        let mut draft = Draft::new(program);
        for (thread, candidates) in tested.iter() {
            let mut vars = facts.separable(thread, candidates);
            // The last ones make most copies, so these are given up first.
            while !vars.is_empty() {
                if let Some(separation) = Separation::of(&facts, thread, &vars) {
                    separation.write(&mut draft);
                    break;
                }
                vars.pop();
            }
        }
        draft.finish()
    }
}

/// The variables that one thread alone uses and on which its steps depend: in a condition, or as
/// an index.
fn tested_vars(program: &Program, visibility: &Visibility) -> Arena<ThreadId, IdSet<VarId>> {
    let mut tested: Arena<ThreadId, IdSet<VarId>> = program.threads().ids().map(|_| IdSet::new()).collect();
    for edge in program.edges().values() {
        let thread = program.locations()[edge.source].thread;
        let mut add = |expr: &Expr| {
            expr.for_each_var(|var| {
                let is_scalar = program.vars()[var].length.is_none();
                if is_scalar && visibility.is_private(var) && !visibility.is_watched(var) {
                    tested[thread].insert(var);
                }
            });
        };
        for op in &edge.ops {
            if let Op::Assume(condition, _) | Op::Check(condition, _) = op {
                add(condition);
            }
            for expr in exprs(op) {
                expr.walk(&mut |part| match part {
                    Expr::Element(_, index) => add(index),
                    Expr::Ite(parts) => add(&parts[0]),
                    _ => {}
                });
            }
        }
    }
    tested
}

/// The expressions of an operation, the indices of what it writes among them.
fn exprs(op: &Op) -> Vec<&Expr> {
    fn index(place: &Place) -> Option<&Expr> {
        match place {
            Place::Scalar(_) => None,
            Place::Element(_, index) => Some(index),
        }
    }
    match op {
        Op::Assume(expr, _) | Op::Check(expr, _) | Op::Join(expr) => vec![expr],
        Op::Assign(assignments) => {
            assignments.iter().flat_map(|(place, value)| index(place).into_iter().chain([value])).collect()
        }
        Op::Havoc(place, _) => index(place).into_iter().collect(),
        Op::Spawn { arguments, handle, .. } => {
            arguments.iter().chain(handle.as_ref().and_then(index)).collect()
        }
        Op::Halt => Vec::new(),
    }
}

struct Facts<'p> {
    program: &'p Program,
    ranges: Ranges<'p>,
    liveness: Liveness,
    visibility: Visibility,
}

impl Facts<'_> {
    /// The candidates that have few values wherever they matter, those that make the fewest copies
    /// first.
    fn separable(&self, thread: ThreadId, candidates: &IdSet<VarId>) -> Vec<VarId> {
        let mut found: Vec<(usize, VarId)> =
            candidates.iter().filter_map(|var| Some((self.copies(thread, var)?, var))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, var)| var).collect()
    }

    /// How many copies of locations a variable makes by itself; `None` if it cannot or need not be
    /// separated.
    fn copies(&self, thread: ThreadId, var: VarId) -> Option<usize> {
        if self.counts(var) {
            return None;
        }
        let mut copies = 0;
        for (at, location) in self.program.locations().iter() {
            let Some(known) = self.ranges.at(at) else { continue };
            if location.thread != thread || !self.liveness.is_live(at, var) {
                continue;
            }
            let values = values(self.ranges.of(known, &Expr::Var(var)))?.len();
            // A property that counts threads at a location does not know of its copies.
            if values > 1 && self.visibility.is_watched_location(self.program, at) {
                return None;
            }
            copies += values - 1;
        }
        (copies > 0 || self.is_chosen(var)).then_some(copies)
    }

    /// Whether the value of a variable is computed from its value before. Loops that count are not
    /// written out.
    fn counts(&self, var: VarId) -> bool {
        let ops = self.program.edges().values().flat_map(|edge| &edge.ops);
        let assignments = ops.filter_map(|op| match op {
            Op::Assign(assignments) => Some(assignments),
            _ => None,
        });
        assignments.flatten().any(|(place, value)| {
            let mut is_read = false;
            value.for_each_var(|read| is_read |= read == var);
            is_read && place.var() == var
        })
    }

    /// Whether some edge chooses the value of a variable, out of few.
    fn is_chosen(&self, var: VarId) -> bool {
        let mut ops = self.program.edges().values().flat_map(|edge| &edge.ops);
        ops.any(|op| match op {
            Op::Havoc(place, domain) => place.var() == var && values(Range::of_domain(*domain)).is_some(),
            _ => false,
        })
    }
}

/// The values of a range, if they are few.
fn values(range: Range) -> Option<Vec<Value>> {
    let (low, high) = range.low().zip(range.high())?;
    let distance = usize::try_from(high.checked_sub(low)?).ok()?;
    (distance < MOST_VALUES).then(|| (low..=high).collect())
}
