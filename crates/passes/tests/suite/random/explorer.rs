//! All runs of a program, one state after the other.

use rely_base::{Budget, Id};
use rely_program::{
    CheckId, Chooser, Domain, Goal, Outcome, Program, PropertyKind, Reached, SearchError, Semantics,
    SlotStatus, State, StepError, Successors, ThreadProgress, Trace, TraceStep, Value, VarId, Violation,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;

/// Tries every value of the small domains that the tests use.
pub struct EveryValue;

impl Chooser for EveryValue {
    fn choose(&self, domain: Domain, values: &mut Vec<Value>) -> bool {
        match domain {
            Domain::Bool => values.extend([0, 1]),
            Domain::Range { low, high } => values.extend(low..=high),
            Domain::AllInts => {
                values.push(0);
                return false;
            }
        }
        true
    }
}

/// What a program can do wrong, with the first trace found for each violation.
#[derive(Default)]
pub struct Findings {
    /// In the order in which they were found.
    pub violations: Vec<Trace>,
    /// How many states there are.
    pub states: usize,
    /// The values that the observed variables have together in some state, and whether the
    /// program has ended there.
    pub observed: Observed,
}

/// Values that variables have together in some state, and whether the program has ended there.
pub type Observed = BTreeSet<(Vec<Value>, bool)>;

/// The violations by which two programs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Verdict {
    /// A check of the goal `assert` or a property is violated.
    pub assert: bool,
    /// A check of the goal `overflow` is violated.
    pub overflow: bool,
    /// A state is reachable in which a thread waits for ever.
    pub deadlock: bool,
}

impl Findings {
    /// What was observed of some of the variables, by their positions.
    pub fn projected(&self, positions: &[usize]) -> Observed {
        let part = |values: &Vec<Value>| positions.iter().map(|&at| values[at]).collect();
        self.observed.iter().map(|(values, has_ended)| (part(values), *has_ended)).collect()
    }

    /// The verdict about the program.
    pub fn verdict(&self, program: &Program) -> Verdict {
        let mut verdict = Verdict::default();
        for trace in &self.violations {
            match trace.violation {
                Violation::Check(check) if Goal::Overflow.includes(program.checks()[check].kind) => {
                    verdict.overflow = true;
                }
                Violation::Check(_) | Violation::Property(_) => verdict.assert = true,
                Violation::Deadlock => verdict.deadlock = true,
                // Nobody looks for races or endless runs here.
                Violation::Race(_) | Violation::Lasso(_) => {}
            }
        }
        verdict
    }
}

/// Why a program was not explored to the end.
#[derive(Debug)]
pub enum Stopped {
    /// There are more states than allowed.
    TooManyStates,
    /// A run meets something undefined.
    Undefined(StepError),
}

impl From<StepError> for Stopped {
    fn from(error: StepError) -> Self {
        Stopped::Undefined(error)
    }
}

impl From<SearchError> for Stopped {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Step(error) => Stopped::Undefined(error),
            SearchError::Stopped(_) => Stopped::TooManyStates,
        }
    }
}

/// So many steps may be tried for each state: an atomic block that starts threads in a circle has no end.
const STEPS_PER_STATE: u32 = 100;

/// Explores the program breadth first, observing some globals.
pub fn explore(program: &Program, observed: &[VarId], most_states: usize) -> Result<Findings, Stopped> {
    let semantics = Semantics::new(program);
    let budget = Budget::unlimited().with_step_limit(STEPS_PER_STATE * most_states as u32);
    let mut exploration = Exploration {
        semantics: &semantics,
        successors: Successors::new(&semantics, &EveryValue, &budget),
        numbers: FxHashMap::default(),
        parents: Vec::new(),
        pending: VecDeque::new(),
        findings: Findings::default(),
        observed,
        waits: Waits::default(),
    };
    // Every domain has at least two values.
    if 1usize.checked_shl(semantics.initial_choices().len() as u32).is_none_or(|least| least > most_states) {
        return Err(Stopped::TooManyStates);
    }
    for choices in vectors(semantics.initial_choices().iter().map(|(_, domain)| *domain)) {
        if let Ok(state) = semantics.initial(&choices) {
            exploration.add(state, Parent::Initial(choices))?;
        }
    }
    while let Some(state) = exploration.pending.pop_front() {
        exploration.expand(&state)?;
        if exploration.parents.len() > most_states {
            return Err(Stopped::TooManyStates);
        }
    }
    exploration.findings.states = exploration.parents.len();
    if let Some(number) = exploration.waits.stuck(exploration.parents.len()).first().copied() {
        exploration.report(number, Vec::new(), Violation::Deadlock);
    }
    Ok(exploration.findings)
}

enum Parent {
    Initial(Vec<Value>),
    Step(usize, Vec<TraceStep>),
}

struct Exploration<'s, 'p> {
    semantics: &'s Semantics<'p>,
    successors: Successors<'s, 'p>,
    numbers: FxHashMap<State, usize>,
    parents: Vec<Parent>,
    pending: VecDeque<State>,
    findings: Findings,
    observed: &'s [VarId],
    waits: Waits,
}

impl Exploration<'_, '_> {
    fn add(&mut self, state: State, parent: Parent) -> Result<usize, Stopped> {
        if let Some(&number) = self.numbers.get(&state) {
            return Ok(number);
        }
        let number = self.parents.len();
        self.numbers.insert(state.clone(), number);
        self.parents.push(parent);
        let violated = self.semantics.violated_property(&state).map_err(StepError::Eval)?;
        if let Some(property) = violated {
            self.report(number, Vec::new(), Violation::Property(property));
        }
        if self.semantics.atomic_slot(&state).is_none() {
            self.observe(&state);
        }
        self.pending.push_back(state);
        Ok(number)
    }

    fn observe(&mut self, state: &State) {
        let values = self.observed.iter().flat_map(|&var| self.semantics.global(state, var));
        let values: Vec<Value> = values.copied().collect();
        if self.semantics.has_ended(state) {
            self.findings.observed.insert((values.clone(), true));
        }
        self.findings.observed.insert((values, false));
    }

    fn expand(&mut self, state: &State) -> Result<(), Stopped> {
        if state.halted() {
            return Ok(());
        }
        let number = self.numbers[state];
        let mut found: Vec<(Vec<TraceStep>, Result<State, CheckId>)> = Vec::new();
        let mut doing = Vec::new();
        let mut is_void = false;
        for slot in state.slots() {
            let summary = self.successors.for_each(state, slot, &mut |step| {
                let path = step.path().into_iter();
                let steps =
                    path.map(|taken| TraceStep { slot, edge: taken.edge, choices: taken.choices }).collect();
                found.push(match step.reached {
                    Reached::State(next) => (steps, Ok(next.clone())),
                    Reached::Failure(check) => (steps, Err(check)),
                });
                ControlFlow::Continue(())
            })?;
            if self.semantics.status(state, slot) == SlotStatus::Running {
                doing.push(summary.progress().0);
                is_void |= summary.abandoned || summary.failed;
                if summary.progress().0 == ThreadProgress::Waiting {
                    self.waits.waiting.push((slot.index(), number));
                }
            }
        }
        if !doing.is_empty() && doing.iter().all(|&doing| doing == ThreadProgress::Waiting) {
            self.report(number, Vec::new(), Violation::Deadlock);
        }
        if is_void && found.iter().all(|(_, reached)| reached.is_err()) {
            self.waits.void.push(number);
        }
        for (steps, reached) in found {
            match reached {
                Ok(next) => {
                    let next = self.add(next, Parent::Step(number, steps))?;
                    self.waits.steps.push((number, next));
                }
                Err(check) => self.report(number, steps, Violation::Check(check)),
            }
        }
        Ok(())
    }

    fn report(&mut self, number: usize, last: Vec<TraceStep>, violation: Violation) {
        if self.findings.violations.iter().any(|trace| trace.violation == violation) {
            return;
        }
        let mut parts = vec![last];
        let mut at = number;
        let initial = loop {
            match &self.parents[at] {
                Parent::Initial(choices) => break choices.clone(),
                Parent::Step(parent, steps) => {
                    parts.push(steps.clone());
                    at = *parent;
                }
            }
        };
        let steps = parts.into_iter().rev().flatten().collect();
        self.findings.violations.push(Trace { initial, steps, violation });
    }
}

/// Whether some thread waits for ever in a state.
fn is_stuck(semantics: &Semantics<'_>, state: State) -> bool {
    if semantics.atomic_slot(&state).is_some() {
        return false;
    }
    let budget = Budget::unlimited();
    let mut exploration = Exploration {
        semantics,
        successors: Successors::new(semantics, &EveryValue, &budget),
        numbers: FxHashMap::default(),
        parents: Vec::new(),
        pending: VecDeque::new(),
        findings: Findings::default(),
        observed: &[],
        waits: Waits::default(),
    };
    if exploration.add(state, Parent::Initial(Vec::new())).is_err() {
        return false;
    }
    while let Some(state) = exploration.pending.pop_front() {
        if exploration.expand(&state).is_err() {
            return false;
        }
    }
    exploration.waits.stuck(exploration.parents.len()).contains(&0)
}

/// The steps between states, and who waits in which.
#[derive(Default)]
struct Waits {
    steps: Vec<(usize, usize)>,
    waiting: Vec<(usize, usize)>,
    /// States from which nothing leads on in a run that does not count.
    void: Vec<usize>,
}

impl Waits {
    /// The states, of so many, in which a thread waits for ever although the run counts.
    fn stuck(&self, states: usize) -> Vec<usize> {
        let mut before = vec![Vec::new(); states];
        let mut leaving = vec![0; states];
        for &(from, to) in &self.steps {
            before[to].push(from);
            leaving[from] += 1;
        }
        let mut is_void = vec![false; states];
        let mut pending = self.void.clone();
        while let Some(state) = pending.pop() {
            is_void[state] = true;
            for &from in &before[state] {
                leaving[from] -= 1;
                if leaving[from] == 0 {
                    pending.push(from);
                }
            }
        }
        let mut stuck = BTreeSet::new();
        for thread in self.waiting.iter().map(|&(thread, _)| thread).collect::<BTreeSet<_>>() {
            let mut goes_on: Vec<bool> = is_void.iter().map(|is_void| !is_void).collect();
            self.waiting.iter().filter(|(who, _)| *who == thread).for_each(|&(_, at)| goes_on[at] = false);
            let mut pending: Vec<usize> = (0..states).filter(|&state| goes_on[state]).collect();
            while let Some(state) = pending.pop() {
                for &from in before[state].iter().filter(|&&from| !is_void[from]) {
                    if !std::mem::replace(&mut goes_on[from], true) {
                        pending.push(from);
                    }
                }
            }
            stuck.extend((0..states).filter(|&state| !goes_on[state] && !is_void[state]));
        }
        stuck.into_iter().collect()
    }
}

/// All vectors of values of some domains.
fn vectors(domains: impl Iterator<Item = Domain>) -> Vec<Vec<Value>> {
    let mut vectors = vec![Vec::new()];
    for domain in domains {
        let mut values = Vec::new();
        EveryValue.choose(domain, &mut values);
        vectors = vectors
            .iter()
            .flat_map(|vector: &Vec<Value>| {
                values.iter().map(move |&value| {
                    let mut longer = vector.clone();
                    longer.push(value);
                    longer
                })
            })
            .collect();
    }
    vectors
}

/// Repeats a trace step by step; the reason if it does not show what it claims.
pub fn replay(program: &Program, trace: &Trace) -> Result<(), String> {
    let semantics = Semantics::new(program);
    let mut state = semantics.initial(&trace.initial).map_err(|error| error.to_string())?;
    for (index, step) in trace.steps.iter().enumerate() {
        let is_last = index + 1 == trace.steps.len();
        let outcome = semantics.step(&state, step.slot, step.edge, &step.choices);
        match outcome.map_err(|error| format!("step {index}: {error}"))? {
            Outcome::Moved(next) => state = next,
            Outcome::Failed(check) if is_last && trace.violation == Violation::Check(check) => return Ok(()),
            other => return Err(format!("step {index} ends in {other:?}")),
        }
    }
    let shown = match trace.violation {
        Violation::Check(_) | Violation::Race(_) | Violation::Lasso(_) => false,
        Violation::Deadlock => is_stuck(&semantics, state.clone()),
        Violation::Property(index) => {
            let condition = match &program.properties()[index].kind {
                PropertyKind::Always(condition) => Some(condition),
                PropertyKind::AtEnd(condition) => semantics.has_ended(&state).then_some(condition),
                PropertyKind::DeadlockFree | PropertyKind::Terminates => None,
            };
            let is_outside = semantics.atomic_slot(&state).is_none();
            is_outside && condition.is_some_and(|condition| semantics.holds(&state, condition) == Ok(false))
        }
    };
    if shown { Ok(()) } else { Err(format!("the last state does not show {:?}", trace.violation)) }
}
