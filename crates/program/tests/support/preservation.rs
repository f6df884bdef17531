//! What it means that a pass changes a program, but not what it can do.

use super::explorer::{Findings, Stopped, Verdict, explore, replay};
use rely_program::passes::{self, BackMap, Deadlocks};
use rely_program::{Goal, Program, Trace, Violation};

/// Programs with more states than this are left out.
const MOST_STATES: usize = 3_000;

/// A pass, and what it must preserve.
#[derive(Clone, Copy)]
pub struct Case {
    /// The name of the pass.
    pub name: &'static str,
    /// The pass.
    pub pass: fn(&Program) -> (Program, BackMap),
    /// What the pass is given: the program itself, or what it is for one goal.
    pub goal: Option<Goal>,
    /// Whether deadlocks are preserved.
    pub deadlocks: bool,
}

/// All passes.
pub const CASES: [Case; 11] = [
    Case { name: "fold_constants", pass: passes::fold_constants, goal: None, deadlocks: true },
    Case { name: "remove_dead_variables", pass: passes::remove_dead_variables, goal: None, deadlocks: true },
    Case { name: "merge_atomic_blocks", pass: passes::merge_atomic_blocks, goal: None, deadlocks: true },
    Case {
        name: "compress",
        pass: |program| passes::compress(program, Deadlocks::Preserve),
        goal: None,
        deadlocks: true,
    },
    Case {
        name: "compress, ignoring deadlocks",
        pass: |program| passes::compress(program, Deadlocks::Ignore),
        goal: None,
        deadlocks: false,
    },
    Case { name: "instantiate", pass: passes::instantiate, goal: None, deadlocks: true },
    Case { name: "unroll", pass: passes::unroll, goal: None, deadlocks: true },
    Case { name: "simplify", pass: passes::simplify, goal: None, deadlocks: true },
    Case {
        name: "prepare for assert",
        pass: |program| passes::prepare(program, Goal::Assert),
        goal: Some(Goal::Assert),
        deadlocks: false,
    },
    Case {
        name: "prepare for deadlock",
        pass: |program| passes::prepare(program, Goal::Deadlock),
        goal: Some(Goal::Deadlock),
        deadlocks: true,
    },
    Case {
        name: "prepare for race",
        pass: |program| passes::prepare(program, Goal::Race),
        goal: Some(Goal::Race),
        deadlocks: true,
    },
];

/// How much was looked at, so that no test passes for want of cases.
#[derive(Debug, Default)]
pub struct Coverage {
    /// Programs that were explored before and after the pass.
    pub programs: usize,
    /// Programs that the pass changed.
    pub changed: usize,
    /// Programs in which a check or a property is violated.
    pub violations: usize,
    /// Programs that have a deadlock.
    pub deadlocks: usize,
    /// The states before and after.
    pub states: (usize, usize),
}

impl Case {
    /// Applies the pass to a program and compares what it could and can do.
    pub fn check(&self, coverage: &mut Coverage, program: &Program) -> Result<(), String> {
        let focused = self.goal.map(|goal| passes::focus(program, goal).0);
        let old = focused.as_ref().unwrap_or(program);
        let Ok(before) = explore(old, MOST_STATES) else { return Ok(()) };
        let (new, back) = (self.pass)(old);
        let compared = self.compare(coverage, old, &before, &new, &back);
        compared.map_err(|reason| format!("{}: {reason}\n\nbefore: {old}\nafter: {new}", self.name))
    }

    fn compare(
        &self,
        coverage: &mut Coverage,
        old: &Program,
        before: &Findings,
        new: &Program,
        back: &BackMap,
    ) -> Result<(), String> {
        let after = match explore(new, 4 * MOST_STATES) {
            Ok(after) => after,
            Err(Stopped::TooManyStates) => return Ok(()),
            Err(Stopped::Undefined(error)) => return Err(format!("{error} is new")),
        };
        let expected = self.kept(before.verdict(old));
        let found = self.kept(after.verdict(new));
        if expected != found {
            return Err(format!("{expected:?} has become {found:?}"));
        }
        for trace in &after.violations {
            self.check_trace(old, new, back, trace)?;
        }
        coverage.programs += 1;
        coverage.changed += usize::from(old.to_string() != new.to_string());
        coverage.violations += usize::from(expected.assert || expected.overflow);
        coverage.deadlocks += usize::from(expected.deadlock);
        coverage.states.0 += before.states;
        coverage.states.1 += after.states;
        Ok(())
    }

    fn kept(&self, verdict: Verdict) -> Verdict {
        Verdict { deadlock: verdict.deadlock && self.deadlocks, ..verdict }
    }

    fn check_trace(&self, old: &Program, new: &Program, back: &BackMap, trace: &Trace) -> Result<(), String> {
        if trace.violation == Violation::Deadlock && !self.deadlocks {
            return Ok(());
        }
        replay(new, trace).map_err(|reason| format!("a trace cannot be replayed: {reason}"))?;
        let translated = back.trace(trace).ok_or_else(|| format!("there is no way back for {trace:?}"))?;
        replay(old, &translated).map_err(|reason| format!("{reason}: {trace:?}\n  back: {translated:?}"))
    }
}
