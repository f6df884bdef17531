//! Deductive rely-guarantee inference, after Le, Sanan, Sun and Lin: *Automatic verification of
//! multi-threaded programs by inference of rely-guarantee specifications* (ReGaSol, ICECCS 2020).
//!
//! Start from the proof of each thread on its own, and repair the proofs until they survive each
//! other. The parts of the paper and where they are:
//!
//! | paper | here |
//! |---|---|
//! | assertions as disjunctions, rules DISJ and CONS | `assertion`, `region` |
//! | proof generator (Algorithm 1, Fig. 5), stability of assertions (Algorithm 2, Fig. 6) | `local` |
//! | all threads, refinement loop (Fig. 1), closure of the rely (Algorithm 3) | `modular` |
//! | loop invariants (rules INV and WINV): given by the user there, inferred here | `hull`, `lemma` |
//! | auxiliary variables (rule AU): given by the user there, introduced here | `joint`, `order` |
//! | dynamic programming, symmetry reduction, parallelization (section VIII) | `local`, `symmetry`, `team` |
//! | does the proof imply the postcondition? | `consequence` |
//!
//! Departures, and why:
//!
//! * Transitions keep the relation between old and new values. `P » Q` forgets it, so that
//!   `x := x + 1` is no more than `x < 10 » x <= 10`; with it, more programs have modular proofs.
//! * We work on control-flow automata, where an assertion stands at each location. An image of a
//!   disjunct under a step is the strongest postcondition, which subsumes the rules for single
//!   statements; SEQ, IF and the rules for loops are the shape of the automaton. So control flow need
//!   not be structured: `goto`, `break` and C programs are no special case, and there is no program
//!   that is refused for its shape.
//! * All unstable assertions are repaired in one iteration, not only the first one of each thread:
//!   fewer iterations, the same fixed point.
//! * Counterexamples are images of disjuncts under single transitions, which are confronted again
//!   until nothing is missing, instead of images under an over-approximated closure: Algorithm 3 composes
//!   `P1 » Q2` whenever `Q1` and `P2` have a common state, and so forgets how old and new values
//!   belong together. What the paper calls dynamic programming, not to compose the same pair twice,
//!   holds here because each pair of a disjunct and a transition is remembered.
//! * A given `invariant` of a loop is checked like an assertion wherever the condition of the loop is
//!   evaluated, what follows may therefore use it, and its comparisons are among those at which
//!   widenings stop and along which joins look for bounds.
//! * Where the paper ends with assertions that do not imply the postcondition, we ask interpolants
//!   why they should, try again with what they compare, and look for a run that shows the contrary.

mod assertion;
mod consequence;
mod guarantee;
mod hull;
mod interrupted;
mod iteration;
mod joint;
mod lemma;
mod limits;
mod local;
mod model;
mod modular;
mod normalise;
mod order;
mod proof;
mod region;
mod search;
mod symmetry;
mod team;
mod transition;

pub use iteration::{Attempt, AttemptEnd, Iteration, Method};
pub use limits::Limits;

use crate::Engine;
use interrupted::Interrupted;
use joint::Joint;
use model::Model;
use modular::Modular;
use rely_base::{Budget, Observer, Progress, Round};
use rely_evidence::rely_guarantee::{AtomPrinter, RelyGuarantee};
use rely_evidence::{Claim, Proof, Reason};
use rely_logic::Constraint;
use rely_program::{Goal, Program};
use symmetry::Symmetry;
use team::Team;

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
#[derive(Clone, Debug, Default)]
pub struct DeductiveOptions {
    /// What the method may do.
    pub limits: Limits,
    /// What the translation of the program may cost.
    pub symbolic: rely_symbolic::Limits,
    /// How many workers build proofs at the same time; unless it is said, one for each core. The answers do not
    /// depend on it.
    pub workers: Option<usize>,
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
        if !matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory) {
            return nothing(Reason::UnsupportedGoal { engine: NAME, goal });
        }
        let mut team = Team::new(budget, self.options.symbolic.solver, self.options.workers);
        let Ok(model) = Model::new(program, goal, &self.options, team.lead(), budget) else {
            let construct = "statements with so many cases".to_owned();
            return nothing(Reason::UnsupportedConstruct { engine: NAME, construct });
        };
        let symmetries = symmetry::symmetries(&model, team.lead());
        let mut work = Work {
            options: &self.options,
            model: &model,
            symmetries: &symmetries,
            team,
            observer,
            attempts: Vec::new(),
            lemmas: Vec::new(),
        };
        let claim = work.claim(goal, budget);
        Deduction { claim, attempts: work.attempts }
    }
}

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
    symmetries: &'w [Symmetry],
    team: Team,
    observer: &'w dyn Observer,
    attempts: Vec<Attempt>,
    /// What failed attempts taught.
    lemmas: Vec<Constraint>,
}

impl Work<'_, '_> {
    fn claim(&mut self, goal: Goal, budget: &Budget) -> Claim {
        for (number, plan) in PLANS.into_iter().enumerate() {
            if self.is_hopeless(plan) {
                continue;
            }
            if let Some(claim) = self.follow(plan, number == 0, goal, budget) {
                return claim;
            }
        }
        let offended = self.attempts.iter().any(|attempt| attempt.ending == AttemptEnd::Offended);
        let why = if offended {
            "the assertions that were found do not exclude a violation, and no run was found that shows one"
        } else {
            "the proofs of the threads were still being repaired when the attempts ended"
        };
        Claim::Unknown(Reason::GaveUp { engine: NAME, why: why.to_owned() })
    }

    /// Attempts with one plan, as long as each teaches something to the next; `None` if they fail.
    fn follow(&mut self, plan: Plan, is_first: bool, goal: Goal, budget: &Budget) -> Option<Claim> {
        let limits = self.options.limits;
        for lesson in 0..=limits.lessons {
            let known = self.lemmas.len();
            if let Some(proof) = self.attempt(plan, budget) {
                return Some(Claim::Safe(Proof::RelyGuarantee(proof)));
            }
            if let Err(reason) = budget.check_now() {
                return Some(Claim::Unknown(Reason::Stopped(reason)));
            }
            let offended = self.attempts.last().is_some_and(|last| last.ending == AttemptEnd::Offended);
            let states = match (is_first, offended) {
                (true, _) => limits.states_at_first.min(limits.states),
                (false, true) => limits.states,
                (false, false) => return None,
            };
            if lesson == 0
                && let Some(trace) =
                    search::find_violation(self.model.program, goal, states, limits.values, budget)
            {
                return Some(Claim::Unsafe(trace));
            }
            if self.lemmas.len() == known {
                return None;
            }
        }
        None
    }

    /// Whether an earlier attempt tells that this one does not succeed.
    fn is_hopeless(&self, plan: Plan) -> bool {
        let earlier = self.attempts.iter().filter(|attempt| attempt.method == plan.method);
        let mut endings = earlier.map(|attempt| attempt.ending);
        match plan.method {
            Method::Modular => endings.any(|ending| ending == AttemptEnd::Offended),
            Method::WithPlaces => {
                let refined = plan.more_disjuncts > 1;
                self.model.has_templates()
                    || refined && endings.any(|ending| ending == AttemptEnd::TooMuchWork)
            }
        }
    }

    fn attempt(&mut self, plan: Plan, budget: &Budget) -> Option<RelyGuarantee> {
        let limits = self.options.limits;
        let unite = plan.more_disjuncts == 1;
        let most_disjuncts = limits.disjuncts.saturating_mul(plan.more_disjuncts);
        let growth = self.model.growth(most_disjuncts, unite, &self.lemmas);
        let known = self.lemmas.len();
        let images = limits.images.saturating_mul(plan.more_images);
        let constraints = limits.constraints as u64;
        let (outcome, iterations, proof) = match plan.method {
            Method::Modular => {
                let mut modular = Modular::new(self.model, self.symmetries, growth, images, constraints);
                let outcome = modular.run(&mut self.team);
                let proof = outcome.is_ok().then(|| proof::modular_proof(self.model, &modular));
                (outcome, modular.iterations, proof.flatten())
            }
            Method::WithPlaces => {
                let mut joint = Joint::new(self.model, self.symmetries, growth, images, constraints);
                let outcome = joint.run(&mut self.team);
                let proof = outcome.is_ok().then(|| proof::joint_proof(self.model, &joint, self.team.lead()));
                for lemma in lemma::lemmas(self.model, &joint, self.options.symbolic.interpolation, budget) {
                    if !self.lemmas.contains(&lemma) {
                        self.lemmas.push(lemma);
                    }
                }
                (outcome, joint.iterations, proof.flatten())
            }
        };
        let ending = match outcome {
            Ok(()) if proof.is_some() => AttemptEnd::Proved,
            Ok(()) | Err(Interrupted::TooMuchWork | Interrupted::Stopped(_)) => AttemptEnd::TooMuchWork,
            Err(Interrupted::Offended) => AttemptEnd::Offended,
        };
        self.report(plan.method, ending, &iterations, known);
        self.attempts.push(Attempt { method: plan.method, ending, iterations });
        proof
    }

    /// Tells what an attempt did: all of its iterations, and the lemmas that it left behind those
    /// that were known before.
    fn report(&self, method: Method, ending: AttemptEnd, iterations: &[Iteration], known: usize) {
        let constraints = iterations.iter().map(|iteration| iteration.constraints).sum();
        let disjuncts = iterations.last().map_or(0, |last| last.disjuncts as u64);
        let counts = vec![
            ("attempts", self.attempts.len() as u64 + 1),
            ("iterations", iterations.len() as u64),
            ("disjuncts", disjuncts),
            ("constraints", constraints),
        ];
        self.observer.progress(&Progress { activity: "repairing proofs", counts });
        if !self.observer.wants_history() {
            return;
        }
        let printer = AtomPrinter::new(self.model.program);
        let lemmas = self.lemmas[known..].iter().filter_map(|lemma| self.model.cells.atom(lemma));
        let lemmas: Vec<String> = lemmas.map(|atom| printer.atom(&atom)).collect();
        for (number, iteration) in iterations.iter().enumerate() {
            let is_last = number + 1 == iterations.len();
            let attempt = self.attempts.len() + 1;
            let mut headline = format!("attempt {attempt}, {method}: iteration {}", number + 1);
            if is_last {
                headline += &format!(", {ending}");
            }
            let found = if is_last { lemmas.clone() } else { Vec::new() };
            self.observer.round(Round { headline, counts: iteration.counts(), found });
        }
    }
}
