//! What it means that a pass changes a program, but not what it can do.

use super::explorer::{Findings, Observed, Stopped, Verdict, explore, replay};
use rely_base::Budget;
use rely_passes::{
    BackMap, BeginInitialised, Compress, CriticalSections, Deadlocks, DropIdleLoops, DropOwnerChecks, Focus,
    FoldConstants, InsertConstants, Instantiate, MergeAtomicBlocks, MergeCopies, Pass, RemoveDeadVariables,
    SeparateValues, SliceSuffixes, SliceThreads, SplitArrays, StartLater, Unroll, UseRanges,
};
use rely_program::analysis::{Liveness, Visibility};
use rely_program::{
    Expr, Goal, LocationId, Op, Outcome, Place, Program, PropertyKind, Semantics, SlotId, State, ThreadKind,
    Trace, VarId, Violation,
};
use std::collections::BTreeSet;

/// Generated programs with more states than this are left out.
pub const MOST_STATES: usize = 3_000;

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

fn prepare_interleaved(program: &Program, goal: Goal) -> (Program, BackMap) {
    let prepared =
        rely_passes::prepare_with(program, goal, CriticalSections::Interleaved, &Budget::unlimited());
    prepared.expect("a budget without limits does not end")
}

/// All passes.
pub const CASES: &[Case] = &[
    Case {
        name: "fold_constants",
        pass: |program| FoldConstants.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "insert_constants",
        pass: |program| InsertConstants.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "drop_owner_checks",
        pass: |program| DropOwnerChecks.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "drop_idle_loops",
        pass: |program| DropIdleLoops.apply(program),
        goal: None,
        deadlocks: false,
        hides: false,
    },
    Case {
        name: "begin_initialised",
        pass: |program| BeginInitialised.apply(program),
        goal: None,
        deadlocks: true,
        hides: true,
    },
    Case {
        name: "remove_dead_variables",
        pass: |program| RemoveDeadVariables.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "merge_atomic_blocks",
        pass: |program| MergeAtomicBlocks.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "compress",
        pass: |program| {
            Compress { deadlocks: Deadlocks::Preserve, sections: CriticalSections::Atomic }.apply(program)
        },
        goal: None,
        deadlocks: true,
        hides: true,
    },
    Case {
        name: "compress, ignoring deadlocks",
        pass: |program| {
            Compress { deadlocks: Deadlocks::Ignore, sections: CriticalSections::Atomic }.apply(program)
        },
        goal: None,
        deadlocks: false,
        hides: true,
    },
    Case {
        name: "compress, sections interleaved",
        pass: |program| {
            Compress { deadlocks: Deadlocks::Preserve, sections: CriticalSections::Interleaved }
                .apply(program)
        },
        goal: None,
        deadlocks: true,
        hides: true,
    },
    Case {
        name: "slice_suffixes",
        pass: |program| SliceSuffixes.apply(program),
        goal: None,
        deadlocks: false,
        hides: false,
    },
    Case {
        name: "instantiate",
        pass: |program| Instantiate::default().apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "merge_copies",
        pass: |program| MergeCopies.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "separate_values",
        pass: |program| SeparateValues.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "slice_threads",
        pass: |program| SliceThreads.apply(program),
        goal: None,
        deadlocks: false,
        hides: true,
    },
    Case {
        name: "split_arrays",
        pass: |program| SplitArrays.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case {
        name: "start_later",
        pass: |program| StartLater.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case { name: "unroll", pass: |program| Unroll.apply(program), goal: None, deadlocks: true, hides: false },
    Case {
        name: "use_ranges",
        pass: |program| UseRanges.apply(program),
        goal: None,
        deadlocks: true,
        hides: false,
    },
    Case { name: "simplify", pass: rely_passes::simplify, goal: None, deadlocks: true, hides: true },
    Case {
        name: "prepare for assert",
        pass: |program| rely_passes::prepare(program, Goal::Assert),
        goal: Some(Goal::Assert),
        deadlocks: false,
        hides: true,
    },
    Case {
        name: "prepare for deadlock",
        pass: |program| rely_passes::prepare(program, Goal::Deadlock),
        goal: Some(Goal::Deadlock),
        deadlocks: true,
        hides: true,
    },
    Case {
        name: "prepare for overflow",
        pass: |program| rely_passes::prepare(program, Goal::Overflow),
        goal: Some(Goal::Overflow),
        deadlocks: false,
        hides: true,
    },
    Case {
        name: "prepare for assert, sections interleaved",
        pass: |program| prepare_interleaved(program, Goal::Assert),
        goal: Some(Goal::Assert),
        deadlocks: false,
        hides: true,
    },
    Case {
        name: "prepare for deadlock, sections interleaved",
        pass: |program| prepare_interleaved(program, Goal::Deadlock),
        goal: Some(Goal::Deadlock),
        deadlocks: true,
        hides: true,
    },
    Case {
        name: "prepare for race",
        pass: |program| rely_passes::prepare(program, Goal::Race),
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
    /// Programs of which some run has no meaning.
    pub undefined: usize,
    /// Programs that the pass changed.
    pub changed: usize,
    /// Programs that the pass left as they are, and that were not explored for that reason.
    pub unchanged: usize,
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
    let (old_handles, new_handles) = (computed_from_handles(old), computed_from_handles(new));
    let is_seen_in = |program: &Program, visibility: &Visibility, handles: &BTreeSet<VarId>, var: VarId| {
        let declaration = &program.vars()[var];
        let is_visible = !visibility.is_private(var) || visibility.is_watched(var);
        declaration.is_global()
            && declaration.length.is_none()
            && is_visible
            && !declaration.name.starts_with("lock")
            && !handles.contains(&var)
    };
    let (old_visibility, new_visibility) = (Visibility::new(old), Visibility::new(new));
    let pairs = new.vars().ids().map(|var| (back.var(var), var));
    let seen = pairs.filter(|&(old_var, new_var)| {
        is_seen_in(old, &old_visibility, &old_handles, old_var)
            && is_seen_in(new, &new_visibility, &new_handles, new_var)
    });
    seen.unzip()
}

/// The variables whose value may depend on how threads are numbered.
fn computed_from_handles(program: &Program) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        let depends = |expr: &Expr, found: &BTreeSet<VarId>| {
            let mut depends = false;
            expr.walk(&mut |part| {
                depends |= match part {
                    Expr::This => true,
                    Expr::Var(var) | Expr::Element(var, _) => found.contains(var),
                    _ => false,
                }
            });
            depends
        };
        for op in program.edges().values().flat_map(|edge| &edge.ops) {
            match op {
                Op::Assign(assignments) => {
                    let given = assignments.iter().filter(|(_, value)| depends(value, &found));
                    let given: Vec<VarId> = given.map(|(place, _)| place.var()).collect();
                    found.extend(given);
                }
                Op::Spawn { thread, arguments, handle } => {
                    let parameters = program.threads()[*thread].parameters.iter().zip(arguments);
                    let given: Vec<VarId> =
                        parameters.filter(|(_, value)| depends(value, &found)).map(|(&var, _)| var).collect();
                    found.extend(given);
                    found.extend(handle.as_ref().map(Place::var));
                }
                _ => {}
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// A program, and what it can do, for each goal; explored once for all passes.
pub struct Original {
    program: Program,
    most_states: usize,
    explored: Vec<(Option<Goal>, Before)>,
}

/// What a pass is given, and what that can do.
struct Before {
    program: Program,
    /// The variables that were observed.
    globals: Vec<VarId>,
    findings: Result<Findings, Stopped>,
}

impl Original {
    /// Nothing is explored yet; programs with more states are left out. Where there are few, many
    /// programs are to be seen, and nothing is explored that a pass leaves as it is.
    pub fn new(program: Program, most_states: usize) -> Self {
        Self { program, most_states, explored: Vec::new() }
    }

    fn for_goal(&mut self, goal: Option<Goal>) -> &Before {
        let known = self.explored.iter().position(|(other, _)| *other == goal);
        let index = known.unwrap_or_else(|| {
            let program =
                goal.map_or_else(|| self.program.clone(), |goal| Focus { goal }.apply(&self.program).0);
            let scalars = program.vars().iter().filter(|(_, var)| var.is_global() && var.length.is_none());
            let globals: Vec<VarId> = scalars.map(|(id, _)| id).collect();
            let findings = explore(&program, &globals, self.most_states);
            self.explored.push((goal, Before { program, globals, findings }));
            self.explored.len() - 1
        });
        &self.explored[index].1
    }
}

/// A program before and after a pass.
struct Pair<'p> {
    old: &'p Program,
    before: &'p Findings,
    /// What was observed before, of that which can be seen after, too.
    seen_before: Observed,
    new: &'p Program,
    after: &'p Findings,
}

impl Case {
    /// Applies the pass to a program and compares what it could and can do.
    pub fn check(&self, coverage: &mut Coverage, original: &mut Original) -> Result<(), String> {
        let most_states = original.most_states;
        let Before { program: old, globals, findings } = original.for_goal(self.goal);
        let before = match findings {
            Ok(before) => before,
            Err(Stopped::TooManyStates) => return Ok(()),
            Err(Stopped::Undefined(_)) => {
                coverage.undefined += 1;
                return Ok(());
            }
        };
        let (new, back) = (self.pass)(old);
        let is_changed = old.to_string() != new.to_string();
        if !is_changed && most_states < MOST_STATES {
            coverage.unchanged += 1;
            return Ok(());
        }
        coverage.changed += usize::from(is_changed);
        let (old_observed, new_observed) = observed(old, &new, &back);
        let positions: Vec<usize> =
            old_observed.iter().filter_map(|var| globals.iter().position(|other| other == var)).collect();
        let compared = match explore(&new, &new_observed, 4 * most_states) {
            Ok(after) => {
                let pair =
                    Pair { old, before, seen_before: before.projected(&positions), new: &new, after: &after };
                self.compare(coverage, &pair, &back)
            }
            Err(Stopped::TooManyStates) => return Ok(()),
            Err(Stopped::Undefined(error)) => Err(format!("{error} is new")),
        };
        compared.map_err(|reason| format!("{}: {reason}\n\nbefore: {old}\nafter: {new}", self.name))
    }

    fn compare(&self, coverage: &mut Coverage, pair: &Pair<'_>, back: &BackMap) -> Result<(), String> {
        let Pair { old, before, new, after, .. } = *pair;
        let expected = self.kept(before.verdict(old));
        let found = self.kept(after.verdict(new));
        if expected != found {
            return Err(format!("{expected:?} has become {found:?}"));
        }
        // A failed check may take the place of what others could have done meanwhile.
        let fails = before.violations.iter().any(|trace| matches!(trace.violation, Violation::Check(_)));
        let (seen_before, seen_after) = (self.seen(old, &pair.seen_before), self.seen(old, &after.observed));
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
        coverage.violations += usize::from(expected.assert || expected.overflow);
        coverage.deadlocks += usize::from(expected.deadlock);
        coverage.observed += usize::from(!fails && pair.seen_before.len() > 4);
        coverage.states.0 += before.states;
        coverage.states.1 += after.states;
        Ok(())
    }

    /// What was observed, with whether the program has ended only if something asks for that.
    fn seen(&self, old: &Program, observed: &Observed) -> Observed {
        let asks_for_the_end =
            old.properties().iter().any(|property| matches!(property.kind, PropertyKind::AtEnd(_)));
        let mut seen = observed.clone();
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
            // Of a run that ends in a deadlock, all threads stand where the new ones do.
            let steps = trace.steps[..length].to_vec();
            let part = Trace { initial: trace.initial.clone(), steps, violation: Violation::Deadlock };
            let Some(after) = last_state(self.new, &part) else { continue };
            let Some(translated) = self.back.trace(&part) else { continue };
            let Some(before) = last_state(self.old, &translated) else { continue };
            for slot in after.slots() {
                let Some(at) = after.location(slot) else { continue };
                let stands_there = before.location(slot) == Some(self.back.location(at));
                if stands_there && !self.went_on(&part, &translated, slot) {
                    self.check_slot(coverage, (&before, &after), slot, at)
                        .map_err(|reason| format!("{reason}, at {at:?} after {length} steps of {trace:?}"))?;
                }
            }
        }
        Ok(())
    }

    /// Whether a thread does more at the end of the old run than in the new one: where that stands
    /// still for good it must, but this is any state. It may have come back to where it was.
    fn went_on(&self, new: &Trace, old: &Trace, slot: SlotId) -> bool {
        let own = new.steps.iter().filter(|step| step.slot == slot);
        let expected: usize = own.map(|step| self.back.edges(step.edge).len()).sum();
        let mut more = old.steps.iter().filter(|step| step.slot == slot).skip(expected);
        more.any(|step| !self.old.edges()[step.edge].ops.is_empty())
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
