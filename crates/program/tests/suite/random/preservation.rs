//! What it means that a pass changes a program, but not what it can do.

use super::explorer::{Findings, Stopped, Verdict, explore, replay};
use rely_program::analysis::{Liveness, Visibility};
use rely_program::passes::{self, BackMap, Deadlocks, Sections};
use rely_program::{
    Claimed, Expr, Goal, LocationId, Outcome, Program, Semantics, SlotId, State, ThreadKind, Trace, Value,
    VarId, Violation,
};
use std::collections::BTreeSet;

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
    /// Whether values may be lost that no other thread can look at, or none that matters.
    pub hides: bool,
}

/// All passes.
pub const CASES: &[Case] = &[
    Case { name: "fold_constants", pass: passes::fold_constants, goal: None, deadlocks: true, hides: false },
    Case {
        name: "begin_initialised",
        pass: passes::begin_initialised,
        goal: None,
        deadlocks: true,
        hides: true,
    },
    Case {
        name: "remove_dead_variables",
        pass: passes::remove_dead_variables,
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "merge_atomic_blocks",
        pass: passes::merge_atomic_blocks,
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "compress",
        pass: |program| passes::compress(program, Deadlocks::Preserve, Sections::Joined),
        goal: None,
        deadlocks: true,
        hides: true,
    },
    Case {
        name: "compress, ignoring deadlocks",
        pass: |program| passes::compress(program, Deadlocks::Ignore, Sections::Joined),
        goal: None,
        deadlocks: false,
        hides: true,
    },
    Case { name: "cut_tails", pass: passes::cut_tails, goal: None, deadlocks: false, hides: false },
    Case { name: "instantiate", pass: passes::instantiate, goal: None, deadlocks: true, hides: false },
    Case { name: "merge_copies", pass: passes::merge_copies, goal: None, deadlocks: true, hides: false },
    Case {
        name: "separate_values",
        pass: passes::separate_values,
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "rest_bystanders",
        pass: passes::rest_bystanders,
        goal: None,
        deadlocks: false,
        hides: true,
    },
    Case { name: "split_arrays", pass: passes::split_arrays, goal: None, deadlocks: true, hides: false },
    Case { name: "start_later", pass: passes::start_later, goal: None, deadlocks: true, hides: false },
    Case { name: "unroll", pass: passes::unroll, goal: None, deadlocks: true, hides: false },
    Case { name: "use_ranges", pass: passes::use_ranges, goal: None, deadlocks: true, hides: false },
    Case { name: "simplify", pass: passes::simplify, goal: None, deadlocks: true, hides: true },
    Case {
        name: "prepare for assert",
        pass: |program| passes::prepare(program, Goal::Assert),
        goal: Some(Goal::Assert),
        deadlocks: false,
        hides: true,
    },
    Case {
        name: "prepare for deadlock",
        pass: |program| passes::prepare(program, Goal::Deadlock),
        goal: Some(Goal::Deadlock),
        deadlocks: true,
        hides: true,
    },
    Case {
        name: "prepare for race",
        pass: |program| passes::prepare(program, Goal::Race),
        goal: Some(Goal::Race),
        deadlocks: true,
        hides: false,
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
    /// Programs of which the values of the globals were compared, at least a few.
    pub observed: usize,
    /// How often a value was found where the way back says that it is.
    pub found_values: usize,
    /// How often a variable had one of the values that a location stands for.
    pub place_values: usize,
    /// The states before and after.
    pub states: (usize, usize),
}

/// The globals that everybody sees before and after: those that several threads use or a
/// property mentions. Handles are only compared among themselves.
fn observed(old: &Program, new: &Program, back: &BackMap) -> (Vec<VarId>, Vec<VarId>) {
    let is_seen_in = |program: &Program, visibility: &Visibility, var: VarId| {
        let declaration = &program.vars()[var];
        let is_visible = !visibility.is_private(var) || visibility.is_watched(var);
        declaration.is_global()
            && declaration.length.is_none()
            && is_visible
            && !declaration.name.starts_with("lock")
    };
    let (old_visibility, new_visibility) = (Visibility::new(old), Visibility::new(new));
    let pairs = new.vars().ids().map(|var| (back.var(var), var));
    let seen = pairs.filter(|&(old_var, new_var)| {
        is_seen_in(old, &old_visibility, old_var) && is_seen_in(new, &new_visibility, new_var)
    });
    seen.unzip()
}

impl Case {
    /// Applies the pass to a program and compares what it could and can do.
    pub fn check(&self, coverage: &mut Coverage, program: &Program) -> Result<(), String> {
        let focused = self.goal.map(|goal| passes::focus(program, goal).0);
        let old = focused.as_ref().unwrap_or(program);
        let (new, back) = (self.pass)(old);
        let (old_observed, new_observed) = observed(old, &new, &back);
        let Ok(before) = explore(old, &old_observed, MOST_STATES) else { return Ok(()) };
        let compared = match explore(&new, &new_observed, 4 * MOST_STATES) {
            Ok(after) => self.compare(coverage, (old, &before), (&new, &after), &back),
            Err(Stopped::TooManyStates) => return Ok(()),
            Err(Stopped::Undefined(error)) => Err(format!("{error} is new")),
        };
        compared.map_err(|reason| format!("{}: {reason}\n\nbefore: {old}\nafter: {new}", self.name))
    }

    fn compare(
        &self,
        coverage: &mut Coverage,
        (old, before): (&Program, &Findings),
        (new, after): (&Program, &Findings),
        back: &BackMap,
    ) -> Result<(), String> {
        let expected = self.kept(before.verdict(old));
        let found = self.kept(after.verdict(new));
        if expected != found {
            return Err(format!("{expected:?} has become {found:?}"));
        }
        // A failed check may take the place of what others could have done meanwhile.
        let fails = before.violations.iter().any(|trace| matches!(trace.violation, Violation::Check(_)));
        let (seen_before, seen_after) = (self.seen(old, before), self.seen(old, after));
        let lost: Vec<_> = seen_before.difference(&seen_after).collect();
        let gained: Vec<_> = seen_after.difference(&seen_before).collect();
        if !fails && !(gained.is_empty() && (lost.is_empty() || self.hides)) {
            return Err(format!("of what others see, {lost:?} is lost and {gained:?} is new"));
        }
        for trace in &after.violations {
            self.check_trace(old, new, back, trace)?;
        }
        let values =
            Values { old, new, back, visibility: Visibility::new(new), liveness: Liveness::new(new) };
        for trace in &after.violations {
            values.check(coverage, trace)?;
        }
        coverage.programs += 1;
        coverage.changed += usize::from(old.to_string() != new.to_string());
        coverage.violations += usize::from(expected.assert || expected.overflow);
        coverage.deadlocks += usize::from(expected.deadlock);
        coverage.observed += usize::from(!fails && before.observed.len() > 4);
        coverage.states.0 += before.states;
        coverage.states.1 += after.states;
        Ok(())
    }

    /// What was observed, with whether the program has ended only if something asks for that.
    fn seen(&self, old: &Program, findings: &Findings) -> BTreeSet<(Vec<Value>, bool)> {
        let asks_for_the_end =
            old.properties().iter().any(|property| matches!(property.claimed, Claimed::AtEnd(_)));
        let mut seen = findings.observed.clone();
        seen.retain(|(_, has_ended)| self.deadlocks || asks_for_the_end || !has_ended);
        seen
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

/// What the way back says about values.
struct Values<'v> {
    old: &'v Program,
    new: &'v Program,
    back: &'v BackMap,
    visibility: Visibility,
    liveness: Liveness,
}

impl Values<'_> {
    /// Compares values before and after the pass wherever a thread stands on a run.
    fn check(&self, coverage: &mut Coverage, trace: &Trace) -> Result<(), String> {
        // Instances instead of templates have other numbers.
        if self.old.threads().values().any(|thread| thread.kind == ThreadKind::Template) {
            return Ok(());
        }
        for length in 0..=trace.steps.len() {
            // Of a run that stands still, all threads stand where the new ones do.
            let steps = trace.steps[..length].to_vec();
            let part = Trace { initial: trace.initial.clone(), steps, violation: Violation::Deadlock };
            let Some(after) = last_state(self.new, &part) else { continue };
            let Some(before) = self.back.trace(&part).and_then(|part| last_state(self.old, &part)) else {
                continue;
            };
            for slot in after.slots() {
                let Some(at) = after.location(slot) else { continue };
                if before.location(slot) == Some(self.back.location(at)) {
                    self.check_slot(coverage, (&before, &after), slot, at)
                        .map_err(|reason| format!("{reason}, at {at:?} after {length} steps of {trace:?}"))?;
                }
            }
        }
        Ok(())
    }

    fn check_slot(
        &self,
        coverage: &mut Coverage,
        (before, after): (&State, &State),
        slot: SlotId,
        at: LocationId,
    ) -> Result<(), String> {
        let (old, new) = (Semantics::new(self.old), Semantics::new(self.new));
        for (place, values) in self.back.values(at) {
            let value = old.evaluate_for(before, slot, &place.read());
            if !value.is_ok_and(|value| values.contains(&value)) {
                return Err(format!("{place:?} is {value:?}, not of {values:?}"));
            }
            coverage.place_values += 1;
        }
        let thread = self.new.locations()[at].thread;
        let is_own = |var: VarId| {
            self.visibility.is_private(var)
                && self.liveness.is_live(at, var)
                && self.new.vars()[var].scope == rely_program::Scope::Local(thread)
        };
        let scalars = self.new.vars().iter().filter(|(_, var)| var.length.is_none());
        for (var, _) in scalars.filter(|(var, _)| is_own(*var)) {
            let place = self.back.place_at(at, var);
            let is = new.evaluate_for(after, slot, &Expr::Var(var));
            let was = old.evaluate_for(before, slot, &place.read());
            if is != was {
                return Err(format!("{var:?} is {is:?}, but {place:?} is {was:?}"));
            }
            coverage.found_values += 1;
        }
        Ok(())
    }
}

/// Where a run leads, if it is one.
fn last_state(program: &Program, trace: &Trace) -> Option<State> {
    let semantics = Semantics::new(program);
    let mut state = semantics.initial(&trace.initial).ok()?;
    for step in &trace.steps {
        match semantics.step(&state, step.slot, step.edge, &step.choices) {
            Ok(Outcome::Moved(next)) => state = next,
            _ => return None,
        }
    }
    Some(state)
}
