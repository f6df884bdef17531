//! The engine for users who do not choose one.
//!
//! A little exploration comes first: a violation of a small program shows at once, with a shortest
//! trace, and a program with few states is done. Then everything that fits runs at the same time,
//! and the first that claims something ends the others.

use crate::{Engine, Explore, ExploreOptions, RelyGuaranteeEngine};
use rely_base::{Budget, CancelToken, History, Observer, Recorder, Silent, StopReason};
use rely_evidence::{Claim, Reason};
use rely_program::{Goal, Program};

/// How many states are explored before anything else is tried.
const STATES_AT_FIRST: u64 = 30_000;

/// Exploration and rely-guarantee reasoning together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portfolio {
    /// The exploration.
    pub explore: ExploreOptions,
    /// The rely-guarantee reasoning.
    pub rely_guarantee: RelyGuaranteeEngine,
}

impl Engine for Portfolio {
    fn name(&self) -> &'static str {
        "portfolio"
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        let limit = self.explore.max_states.map_or(STATES_AT_FIRST, |limit| limit.min(STATES_AT_FIRST));
        let first = Explore { options: ExploreOptions { max_states: Some(limit), ..self.explore } };
        let claim = first.run(program, goal, budget, observer);
        match claim {
            Claim::Unknown(Reason::StateLimit(_) | Reason::Sampled | Reason::NoMeaning(_))
                if matches!(goal, Goal::Assert | Goal::Overflow) =>
            {
                self.run_together(program, goal, budget, observer)
            }
            Claim::Unknown(Reason::StateLimit(_)) => {
                Explore { options: self.explore }.run(program, goal, budget, observer)
            }
            claim => claim,
        }
    }
}

impl Portfolio {
    /// Both at the same time. Exploration tells how far it is, because its counts say most.
    fn run_together(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        let (explored, proved) = (CancelToken::new(), CancelToken::new());
        let provers_budget = budget.with_token(explored.clone());
        let wants_history = observer.wants_history();
        let (from_exploration, (from_proof, history)) = std::thread::scope(|scope| {
            let prover = scope.spawn(|| {
                let budget = provers_budget;
                let recorder = Recorder::new(&Silent);
                let listener: &dyn Observer = if wants_history { &recorder } else { &Silent };
                let claim = self.rely_guarantee.run(program, goal, &budget, listener);
                if !matches!(claim, Claim::Unknown(_)) {
                    proved.cancel();
                }
                (claim, recorder.into_history())
            });
            let exploration = Explore { options: self.explore };
            let claim = exploration.run(program, goal, &budget.with_token(proved.clone()), observer);
            if !matches!(claim, Claim::Unknown(_)) {
                explored.cancel();
            }
            let proof = prover.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (claim, proof)
        });
        tell(history, observer);
        better(from_exploration, from_proof)
    }
}

/// An observer cannot listen to two threads at once, so it is told afterwards.
fn tell(history: History, observer: &dyn Observer) {
    history.rounds.into_iter().for_each(|round| observer.round(round));
    observer.trees(history.trees);
}

/// What is known before what is not; a reason that says more before one that says less.
fn better(left: Claim, right: Claim) -> Claim {
    let rank = |claim: &Claim| match claim {
        Claim::Unsafe(_) => 0,
        Claim::Safe(_) => 1,
        Claim::Unknown(Reason::Stopped(StopReason::Cancelled)) => 3,
        Claim::Unknown(_) => 2,
    };
    if rank(&right) < rank(&left) { right } else { left }
}
