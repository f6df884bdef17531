//! Deductive rely-guarantee inference, after Le, Sanan, Sun and Lin: *Automatic verification of
//! multi-threaded programs by inference of rely-guarantee specifications* (ReGaSol, ICECCS 2020).
//!
//! Start from the proof of each thread on its own, and repair the proofs until they survive each
//! other. The parts of the paper and where they are:
//!
//! | paper | here |
//! |---|---|
//! | assertions as disjunctions, rules DISJ and CONS | `assertion`, `region` |
//! | proof generator (Algorithm 1, Fig. 5) and consistency verifier (Algorithms 2 and 3, Fig. 6) | `modular` |
//! | loop invariants (rules INV and WINV): given by the user there, inferred here | `hull` |
//! | auxiliary variables (rule AU): given by the user there, introduced here | `joint` |
//! | does the proof imply the postcondition? | `consequence` |
//!
//! Departures. Transitions keep the relation between old and new values, so that `x := x + 1` is
//! more than `x < 10 » x <= 10`. We work on control-flow automata, where an assertion stands at each
//! location; programs need not be structured. All unstable assertions are repaired in one
//! iteration, not only the first. And where the paper ends with assertions that do not imply the
//! postcondition, we look for a run that shows why.

mod assertion;
mod consequence;
mod hull;
mod iteration;
mod joint;
mod model;
mod modular;
mod outline;
mod proof;
mod region;
mod search;
mod transition;

pub use iteration::{Attempt, Ending, Iteration, Method};
pub use outline::outline;

use crate::Engine;
use joint::Joint;
use model::Model;
use modular::{Interrupted, Modular};
use region::Reasoner;
use rely_base::{Budget, Observer, Progress};
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_evidence::{Claim, Proof, Reason};
use rely_program::{Goal, Program};

/// The name on the command line and in reports.
const NAME: &str = "deductive";

/// The engine of this module.
///
/// ```
/// use rely_base::{Budget, Silent};
/// use rely_engines::{Deductive, Engine};
/// use rely_program::{Goal, ProgramBuilder};
///
/// let program = ProgramBuilder::new("nothing happens").finish()?;
/// let deduction = Deductive::default().deduce(&program, Goal::Assert, &Budget::unlimited(), &Silent);
/// assert_eq!(deduction.attempts.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Deductive {
    /// What the repairs may cost.
    pub options: DeductiveOptions,
}

/// How much is tried.
#[derive(Clone, Debug)]
pub struct DeductiveOptions {
    /// How many disjuncts an assertion has at most.
    pub most_disjuncts: usize,
    /// How often a disjunct may grow before it is widened.
    pub widen_after: u32,
    /// How many images of disjuncts under steps the first attempt may compute.
    pub images: usize,
    /// How many states are visited at most in search of a run that goes wrong.
    pub states: usize,
}

impl Default for DeductiveOptions {
    fn default() -> Self {
        Self { most_disjuncts: 12, widen_after: 4, images: 400, states: 50_000 }
    }
}

/// What was found, and how.
#[derive(Clone, Debug)]
pub struct Deduction {
    /// The claim.
    pub claim: Claim,
    /// What was tried, in order; if the claim is that the program is safe, the last one succeeded.
    pub attempts: Vec<Attempt>,
}

impl Engine for Deductive {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        self.deduce(program, goal, budget, observer).claim
    }
}

impl Deductive {
    /// Looks for a proof, or else for a run that goes wrong.
    pub fn deduce(
        &self,
        program: &Program,
        goal: Goal,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Deduction {
        let nothing = |reason| Deduction { claim: Claim::Unknown(reason), attempts: Vec::new() };
        if !matches!(goal, Goal::Assert | Goal::Overflow) {
            return nothing(Reason::UnsupportedGoal { engine: NAME, goal });
        }
        let mut reasoner = Reasoner::new(budget);
        let Ok(model) = Model::new(program, goal, &mut reasoner, budget) else {
            let construct = "statements with so many cases".to_owned();
            return nothing(Reason::UnsupportedConstruct { engine: NAME, construct });
        };
        let mut work =
            Work { options: &self.options, model: &model, reasoner, observer, attempts: Vec::new() };
        let claim = work.claim(goal, budget);
        Deduction { claim, attempts: work.attempts }
    }
}

/// States near the beginning that are visited before anything costly is tried.
const STATES_AT_FIRST: usize = 1_500;

/// Constraints that one attempt may ask.
const MOST_CONSTRAINTS: u64 = 250_000;

/// What one attempt does differently from the first.
#[derive(Clone, Copy, Debug)]
struct Plan {
    method: Method,
    /// How much more it may cost.
    more_images: usize,
    /// How many more disjuncts it may keep; then they are not united, and widened late.
    more_disjuncts: usize,
}

/// The attempts, cheap ones first.
const PLANS: [Plan; 4] = [
    Plan { method: Method::Modular, more_images: 1, more_disjuncts: 1 },
    Plan { method: Method::WithPlaces, more_images: 100, more_disjuncts: 1 },
    Plan { method: Method::Modular, more_images: 10, more_disjuncts: 1 },
    Plan { method: Method::WithPlaces, more_images: 250, more_disjuncts: 20 },
];

/// One deduction in progress.
struct Work<'w, 'p> {
    options: &'w DeductiveOptions,
    model: &'w Model<'p>,
    reasoner: Reasoner<'w>,
    observer: &'w dyn Observer,
    attempts: Vec<Attempt>,
}

impl Work<'_, '_> {
    fn claim(&mut self, goal: Goal, budget: &Budget) -> Claim {
        for (number, plan) in PLANS.into_iter().enumerate() {
            if self.is_hopeless(plan) {
                continue;
            }
            if let Some(proof) = self.attempt(plan) {
                return Claim::Safe(Proof::RelyGuarantee(proof));
            }
            if let Err(reason) = budget.check_now() {
                return Claim::Unknown(Reason::Stopped(reason));
            }
            let offended = self.attempts.last().is_some_and(|last| last.ending == Ending::Offended);
            let states = match (number, offended) {
                (0, _) => STATES_AT_FIRST.min(self.options.states),
                (_, true) => self.options.states,
                (_, false) => continue,
            };
            if let Some(trace) = search::find_violation(self.model.program, goal, states, budget) {
                return Claim::Unsafe(trace);
            }
        }
        let offended = self.attempts.iter().any(|attempt| attempt.ending == Ending::Offended);
        let why = if offended {
            "the assertions that were found do not exclude a violation, and no run was found that shows one"
        } else {
            "the proofs of the threads were still being repaired when the attempts ended"
        };
        Claim::Unknown(Reason::GaveUp { engine: NAME, why: why.to_owned() })
    }

    /// Whether an earlier attempt tells that this one does not succeed.
    fn is_hopeless(&self, plan: Plan) -> bool {
        let earlier = self.attempts.iter().filter(|attempt| attempt.method == plan.method);
        let mut endings = earlier.map(|attempt| attempt.ending);
        match plan.method {
            Method::Modular => endings.any(|ending| ending == Ending::Offended),
            Method::WithPlaces => {
                let refined = plan.more_disjuncts > 1;
                self.model.has_templates() || refined && endings.any(|ending| ending == Ending::TooMuchWork)
            }
        }
    }

    fn attempt(&mut self, plan: Plan) -> Option<RelyGuarantee> {
        let DeductiveOptions { most_disjuncts, widen_after, images, .. } = *self.options;
        let unite = plan.more_disjuncts == 1;
        let growth = self.model.growth(most_disjuncts * plan.more_disjuncts, widen_after, unite);
        let images = images * plan.more_images;
        self.reasoner.allow(MOST_CONSTRAINTS);
        let (outcome, iterations, proof) = match plan.method {
            Method::Modular => {
                let mut modular = Modular::new(self.model, growth, images);
                let outcome = modular.run(&mut self.reasoner);
                let proof = outcome.is_ok().then(|| proof::modular_proof(self.model, &modular));
                (outcome, modular.iterations, proof.flatten())
            }
            Method::WithPlaces => {
                let mut joint = Joint::new(self.model, growth, images);
                let outcome = joint.run(&mut self.reasoner);
                let proof =
                    outcome.is_ok().then(|| proof::joint_proof(self.model, &joint, &mut self.reasoner));
                (outcome, joint.iterations, proof.flatten())
            }
        };
        let ending = match outcome {
            Ok(()) if proof.is_some() => Ending::Proved,
            Ok(()) | Err(Interrupted::TooMuchWork | Interrupted::Stopped(_)) => Ending::TooMuchWork,
            Err(Interrupted::Offended) => Ending::Offended,
        };
        self.report(&iterations);
        self.attempts.push(Attempt { method: plan.method, ending, iterations });
        proof
    }

    fn report(&self, iterations: &[Iteration]) {
        let constraints = iterations.iter().map(|iteration| iteration.constraints).sum();
        let disjuncts = iterations.last().map_or(0, |last| last.disjuncts as u64);
        let counts = vec![
            ("attempts", self.attempts.len() as u64 + 1),
            ("iterations", iterations.len() as u64),
            ("disjuncts", disjuncts),
            ("constraints", constraints),
        ];
        self.observer.progress(&Progress { activity: "repairing proofs", counts });
    }
}
