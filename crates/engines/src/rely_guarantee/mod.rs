//! Rely-guarantee verification by predicate abstraction (Gupta, Popeea, Rybalchenko, POPL 2011).
//!
//! Each thread is verified by itself, against an environment that is found at the same time: the
//! abstract steps of all others. Where the abstraction is too coarse, Horn clauses that describe the
//! counterexample say what must be tracked.
//!
//! * `system`: the program as threads with spots and moves;
//! * `abstraction`: predicates at spots, and what threads tell apart of each other's places;
//! * `tree`, `violation`: abstract reachability with environment transitions;
//! * `refine`: from counterexamples to predicates and places, or to a run;
//! * `seeds`: predicates that the source suggests;
//! * `proof`, `merge`, `trace`: what is claimed in the end;
//! * `history`: what reports tell of it.
//!
//! Two things differ from the paper. Environment transitions are not abstracted by predicates of
//! their own: the step of another thread is combined with what its tree knows at that spot, which
//! is never coarser and saves a kind of refinement. And a general (not modular) refinement reads one
//! branch of a tree as a schedule: the branch alone excludes itself or is a run of the program, so
//! its clauses form a chain instead of a tree.

mod abstraction;
mod decide;
mod history;
mod literals;
mod merge;
mod proof;
mod refine;
mod seeds;
mod system;
mod trace;
mod tree;
mod violation;

use crate::Engine;
use abstraction::Abstraction;
use decide::Decider;
use refine::{Discovery, Refinement, refine_generally, refine_modularly};
use rely_base::{Budget, Observer, Progress};
use rely_evidence::{Claim, Proof, Reason};
use rely_program::{Goal, Program};
use seeds::Seeds;
use system::{System, Unfit};
use tree::{Counterexample, Interrupted, Trees};

/// Which predicates are looked for first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bias {
    /// Those in which each thread speaks of globals and its own locals only.
    #[default]
    Modular,
    /// Any.
    None,
}

/// The method as an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RelyGuaranteeEngine {
    /// Which predicates are looked for first.
    pub bias: Bias,
}

const NAME: &str = "rely-guarantee";

impl Engine for RelyGuaranteeEngine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        if !matches!(goal, Goal::Assert | Goal::Overflow) {
            return Claim::Unknown(Reason::UnsupportedGoal { engine: NAME, goal });
        }
        let system = match System::new(program, goal, budget) {
            Ok(system) => system,
            Err(unfit) => return Claim::Unknown(unfit.reason()),
        };
        let seeds = Seeds::new(&system);
        Verification {
            bias: self.bias,
            budget,
            observer,
            abstraction: Abstraction::new(&system),
            system: &system,
            seeds: &seeds,
            iterations: 0,
        }
        .run()
    }
}

impl Unfit {
    fn reason(&self) -> Reason {
        let construct = match self {
            Unfit::Stopped(reason) => return Reason::Stopped(*reason),
            Unfit::StepTooComplex => "a step that falls apart into more than 256 cases",
            Unfit::PropertyTooComplex => "a property that falls apart into more than 256 cases",
        };
        Reason::UnsupportedConstruct { engine: NAME, construct: construct.to_owned() }
    }
}

/// One run of the engine.
struct Verification<'a, 'p> {
    bias: Bias,
    budget: &'a Budget,
    observer: &'a dyn Observer,
    system: &'a System<'p>,
    seeds: &'a Seeds,
    abstraction: Abstraction,
    iterations: u64,
}

impl Verification<'_, '_> {
    fn run(mut self) -> Claim {
        let mut decider = Decider::new(self.system, self.budget);
        loop {
            let mut trees = Trees::new(self.system, &self.abstraction, &mut decider, self.budget);
            let grown = trees.grow();
            let counts = self.counts(&trees);
            self.observer.progress(&Progress { activity: "refining", counts: counts.clone() });
            let (discoveries, bias) = match grown {
                Ok(()) => {
                    self.tell_end(&trees, counts);
                    return self.safe(&trees);
                }
                Err(Interrupted::Stopped(reason)) => return Claim::Unknown(Reason::Stopped(reason)),
                Err(Interrupted::Counterexample(counterexample)) => {
                    match self.refine(&trees, &counterexample) {
                        Ok(refined) => refined,
                        Err(claim) => return claim,
                    }
                }
            };
            self.bias = bias;
            let mut is_new = |discovery: &Discovery| discovery.apply(&mut self.abstraction);
            let discoveries: Vec<Discovery> = discoveries.into_iter().filter(&mut is_new).collect();
            debug_assert!(!discoveries.is_empty(), "every refinement makes the abstraction finer");
            if std::env::var("DBG").is_ok() { eprintln!("{:?}", history::round(self.system, counts.clone(), &discoveries)); }
            if self.observer.wants_history() {
                self.observer.round(history::round(self.system, counts, &discoveries));
            }
            self.iterations += 1;
        }
    }

    fn safe(&self, trees: &Trees<'_, '_>) -> Claim {
        match proof::assemble(trees, &self.abstraction, self.budget) {
            Some(proof) => Claim::Safe(Proof::RelyGuarantee(proof)),
            None => gave_up("the proof needs numbers that are too large"),
        }
    }

    /// What to track so that the counterexample does not come back, and what to look for then.
    fn refine(
        &self,
        trees: &Trees<'_, '_>,
        counterexample: &Counterexample,
    ) -> Result<(Vec<Discovery>, Bias), Claim> {
        let (mut undecided, mut bias) = (None, self.bias);
        let attempts = match self.bias {
            Bias::Modular => [refine_modularly, refine_generally],
            Bias::None => [refine_generally, refine_modularly],
        };
        for attempt in attempts {
            match attempt(trees, counterexample, self.seeds, self.budget) {
                Refinement::Track(found) => {
                    let new = self.new_ones(found);
                    if !new.is_empty() {
                        return Ok((new, bias));
                    }
                }
                Refinement::Violation(trace) => return Err(Claim::Unsafe(trace)),
                Refinement::Undecided(why) => undecided = Some(why),
                // The clauses hold in every modular proof, so there is none: no use to try again.
                Refinement::Impossible => bias = Bias::None,
                Refinement::Nothing => {}
                Refinement::Stopped(reason) => return Err(Claim::Unknown(Reason::Stopped(reason))),
            }
        }
        Err(gave_up(undecided.unwrap_or("no predicates were found that exclude a counterexample")))
    }

    /// Those that the abstraction does not have.
    fn new_ones(&self, found: Vec<Discovery>) -> Vec<Discovery> {
        found.into_iter().filter(|discovery| !self.abstraction.has(discovery)).collect()
    }

    fn counts(&self, trees: &Trees<'_, '_>) -> Vec<(&'static str, u64)> {
        vec![
            ("iterations", self.iterations),
            ("predicates", self.abstraction.predicate_count() as u64),
            ("nodes", trees.nodes.len() as u64),
        ]
    }

    fn tell_end(&self, trees: &Trees<'_, '_>, counts: Vec<(&'static str, u64)>) {
        if self.observer.wants_history() {
            self.observer.round(history::last_round(counts));
            self.observer.trees(history::trees(trees, &self.abstraction));
        }
    }
}

fn gave_up(why: &str) -> Claim {
    Claim::Unknown(Reason::GaveUp { engine: NAME, why: why.to_owned() })
}
