//! Any number of threads, counted.
//!
//! The problem is that of Ganjei, Rezine, Eles and Peng, *Counting dynamically synchronizing processes*: programs that
//! start any number of threads and whose correctness depends on how many of them are where, as at a barrier. The steps
//! of the paper are found here in this form:
//!
//! 1. `machine`: the program as a counter machine over shared variables, counters of threads at
//!    control points, and counters of classes of threads. Shared variables stay what they are; predicates tell states
//!    apart only in the search. So there is no boolean program in between, and a broadcast is an input of a transition.
//!    What no walk has seen is assumed not to happen until that turns out wrong (`unseen`).
//! 2. `affine`: counting invariants, found as linear equations.
//! 3. `predicates`, `frames`, `search`: backwards from the violation, with the invariants as constraints. Where the
//!    paper refines a preorder on states, the search generalises what it excludes, see there.
//! 4. `refine`: a path that the predicates cannot exclude gives new predicates and new classes of threads.
//!
//! Programs whose threads are all known get a `simple` proof or none: sums, and what each thread knows `alone`.
//!
//! Before the search come some random walks (`samples`): what they see need not be tried as an invariant, and most
//! violations show there, with their number of threads. If there is no proof, all runs of a `few` threads are looked at.
//! Programs that are left over are given to `omega`, the construction of Karp and Miller, which needs finitely many
//! values.
//!
//! `certificate` writes what was found as a [counting proof](rely_evidence::counting).

mod affine;
mod alone;
mod certificate;
mod conditions;
mod deadlocks;
mod few;
mod frames;
mod limits;
mod machine;
mod omega;
mod predicates;
mod refine;
mod samples;
mod search;
mod simple;
mod space;
mod unseen;
mod values;

pub use limits::Limits;

use crate::random_walk::random_walks;
use crate::{Engine, WalkLimits};
use affine::{Equation, equations};
use frames::{Frames, Interrupted};
use machine::{Class, End, Machine};
use predicates::Predicates;
use rely_base::{Budget, Observer, Round};
use rely_evidence::counting::Counting;
use rely_evidence::{Claim, Proof, Reason};
use rely_logic::{Constraint, TermId};
use rely_program::{Goal, Program, State, ThreadKind};
use rely_symbolic::System;
use samples::Samples;
use search::{Found, Search};
use simple::simple_proof;
use unseen::Assumptions;

const NAME: &str = "parameterized";

/// Proofs about any number of threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameterized {
    /// What it may do.
    pub limits: Limits,
    /// What each of the walks may do whose states it samples.
    pub walks: WalkLimits,
    /// What the translation of the program may cost.
    pub symbolic: rely_symbolic::Limits,
}

impl Engine for Parameterized {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory | Goal::Deadlock) {
            return Claim::Unknown(Reason::UnsupportedGoal { engine: NAME, goal });
        }
        if !program.threads().values().any(|thread| thread.kind == ThreadKind::Template) {
            return self.claim_of_known_threads(program, goal, budget);
        }
        let mut states = Vec::new();
        let stride = (self.limits.steps_of_walks / self.limits.samples.max(1)).max(1);
        let mut seen = 0;
        let mut see = |state: &State| {
            seen += 1;
            if seen % stride == 0 && states.len() < self.limits.samples && !state.halted() {
                states.push(state.clone());
            }
        };
        let walks = WalkLimits { steps_per_walk: self.limits.steps_per_walk, ..self.walks };
        let steps = self.limits.steps_of_walks as u64;
        if let Some(trace) = random_walks(program, goal, walks, budget, steps, &mut see) {
            return Claim::Unsafe(trace);
        }
        let system = match System::of_steps(program, goal, self.symbolic, budget) {
            Ok(system) => system,
            Err(unfit) => return Claim::Unknown(unfit.reason(NAME)),
        };
        match (Attempt { system: &system, limits: self.limits, states: &states, budget }).run(observer) {
            Ok(Some(proof)) => Claim::Safe(Proof::Counting(proof)),
            Ok(None) | Err(Interrupted::TooHard) => {
                let steps = self.limits.more_steps_of_walks as u64;
                let trace = few::violation(program, goal, (self.limits, self.walks), budget)
                    .or_else(|| random_walks(program, goal, walks, budget, steps, &mut |_| {}));
                match trace.map_or_else(|| omega::claim(program, goal, self.limits, budget), Claim::Unsafe) {
                    Claim::Unknown(Reason::UnsupportedConstruct { .. }) => {
                        let why = "no counting invariants were found that suffice for a proof".to_owned();
                        Claim::Unknown(Reason::GaveUp { engine: NAME, why })
                    }
                    claim => claim,
                }
            }
            Err(Interrupted::Stopped(reason)) => Claim::Unknown(Reason::Stopped(reason)),
        }
    }
}

impl Parameterized {
    /// A search would not get far: it counts those that are known one by one. But there may be a simple proof.
    fn claim_of_known_threads(&self, program: &Program, goal: Goal, budget: &Budget) -> Claim {
        let system = match System::of_steps(program, goal, self.symbolic, budget) {
            Ok(system) => system,
            Err(unfit) => return Claim::Unknown(unfit.reason(NAME)),
        };
        match simple_proof(&system, budget) {
            Ok(Some(proof)) => Claim::Safe(Proof::Counting(proof)),
            Ok(None) | Err(Interrupted::TooHard) => {
                let construct = "a program whose threads are known".to_owned();
                Claim::Unknown(Reason::UnsupportedConstruct { engine: NAME, construct })
            }
            Err(Interrupted::Stopped(reason)) => Claim::Unknown(Reason::Stopped(reason)),
        }
    }
}

/// The search with predicates and classes that become more.
struct Attempt<'a, 'p> {
    system: &'a System<'p>,
    limits: Limits,
    /// States that were reached.
    states: &'a [State],
    budget: &'a Budget,
}

impl Attempt<'_, '_> {
    /// `None` if nothing more can be learnt, or the limits are reached.
    fn run(&self, observer: &dyn Observer) -> Result<Option<Counting>, Interrupted> {
        let assumptions = Assumptions::new(self.system, self.states, self.budget);
        if assumptions.is_empty() {
            return self.prove(assumptions, observer);
        }
        match self.prove(assumptions, observer) {
            Ok(None) | Err(Interrupted::TooHard) => self.prove(Assumptions::default(), observer),
            found => found,
        }
    }

    /// A proof, found on some assumptions about moves.
    fn prove(
        &self,
        mut assumptions: Assumptions,
        observer: &dyn Observer,
    ) -> Result<Option<Counting>, Interrupted> {
        let mut classes: Vec<Class> = Vec::new();
        let mut learnt: Vec<Constraint> = Vec::new();
        let mut refinements = 0;
        while refinements < self.limits.refinements {
            let mut machine = Machine::new(self.system, &classes, &assumptions);
            let Some(violations) = conditions::violations(&mut machine, self.system.goal) else {
                return Ok(None);
            };
            let equations = equations(&machine, self.limits.control_states, self.budget);
            let equations = equations.map_err(Interrupted::Stopped)?;
            let mut predicates = Predicates::new(&machine, &violations);
            learnt.iter().for_each(|constraint| predicates.insert(constraint));
            tell(observer, &predicates, &classes);
            let samples = Samples::new(&machine, &predicates, self.states);
            let invariants: Vec<TermId> = equations.iter().map(|it| meaning(&mut machine, it)).collect();
            let effort = (self.limits.questions, self.budget);
            let mut frames = Frames::new(&mut machine, &predicates, &invariants, &violations, effort)?;
            let path = match Search::new(&mut frames, &samples).run()? {
                Found::Invariant(cubes) => {
                    return Ok(certificate::certificate(&machine, &predicates, &equations, &cubes));
                }
                Found::Path(path) => path,
            };
            let lesson = refine::lesson(&machine, &predicates, &path, self.budget);
            let is_hopeless = lesson.predicates.is_empty() && lesson.classes.is_empty();
            let failing = path.failing.map(|failing| &machine.transitions[failing]);
            if let Some(unseen) = failing.filter(|failing| failing.end == End::Unseen) {
                let most = self.limits.lessons_about_unseen_moves;
                if assumptions.drop_if_hopeless(unseen.by, is_hopeless, most) {
                    continue;
                }
            }
            if is_hopeless {
                return Ok(None);
            }
            refinements += 1;
            learnt.extend(lesson.predicates);
            classes.extend(lesson.classes);
            if predicates.len() > self.limits.predicates || classes.len() > self.limits.classes {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// An equation as a formula.
fn meaning(machine: &mut Machine<'_, '_>, equation: &Equation) -> TermId {
    let mut cases = vec![machine.pool.constraint_term(&equation.constraint)];
    for state in &equation.except {
        let here: Vec<TermId> = state
            .iter()
            .map(|&counter| {
                let (counter, one) = (machine.pool.var(counter), machine.pool.int(1));
                machine.pool.eq(counter, one)
            })
            .collect();
        cases.push(machine.pool.and(here));
    }
    machine.pool.or(cases)
}

fn tell(observer: &dyn Observer, predicates: &Predicates, classes: &[Class]) {
    if observer.wants_history() {
        let counts = vec![("predicates", predicates.len() as u64), ("classes", classes.len() as u64)];
        observer.round(Round {
            headline: "backwards from the violation".to_owned(),
            counts,
            found: Vec::new(),
        });
    }
}
