//! Rely-guarantee reasoning with what helps it: another bias, exploration, and clausal proofs.

use super::falsify::{BoundedExploration, look_nearby};
use super::limits::TurnLimits;
use super::{Attributed, Strategy, Task};
use rely_base::Budget;
use rely_engines::rely_guarantee::{self, Attempt, Falsifier, Prepared};
use rely_engines::{Bias, Engine, Explore, Houdini, RelyGuarantee, SymbolicLimits, explore};
use rely_evidence::Claim;
use rely_program::Trace;

/// Two attempts with different biases that take turns.
///
/// Which predicates are found first decides over whether few or very many are needed, and nobody
/// knows beforehand. So when the trees of an attempt get large, or it only counts the rounds of a loop,
/// the one with the other bias has its turn, and so on with larger and larger trees. Both keep what they
/// have found. When both have had their second turn, a proof may not need to tell all these states apart,
/// so one without trees is looked for, once. While trees grow, a violation is looked for by exploration.
#[derive(Clone, Copy, Debug, Default)]
pub struct RelyGuaranteeStrategy {
    /// Which predicates are looked for first.
    pub bias: Bias,
    /// When whose turn is.
    pub turns: TurnLimits,
    /// What the attempts may do.
    pub limits: rely_guarantee::Limits,
    /// What the translation of the program may cost.
    pub symbolic: SymbolicLimits,
    /// What the exploration in between may do.
    pub explore: explore::Limits,
    /// The clausal proofs in between.
    pub houdini: Houdini,
}

impl Strategy for RelyGuaranteeStrategy {
    fn name(&self) -> &'static str {
        "rely-guarantee"
    }

    fn claim(&self, task: Task<'_>, budget: &Budget) -> Attributed {
        let Task { program, goal, observer } = task;
        let prepared = match Prepared::new(program, goal, self.limits, self.symbolic, budget) {
            Ok(prepared) => prepared,
            Err(reason) => return by(&RelyGuarantee::default(), Claim::Unknown(reason)),
        };
        let attempts = [self.bias, self.bias.other()].map(|bias| prepared.attempt(bias, budget, observer));
        let look = |most_states| look_nearby(program, goal, (most_states, self.explore), budget);
        let by_clauses = || task.run(&self.houdini, budget, observer);
        let falsifier = BoundedExploration::new(self.turns, &look);
        take_turns(attempts, self.turns, &by_clauses, Noting { falsifier, found: false })
    }
}

fn by(engine: &dyn Engine, claim: Claim) -> Attributed {
    Attributed { claim, engine: engine.name() }
}

fn take_turns(
    mut attempts: [Attempt<'_>; 2],
    limits: TurnLimits,
    by_clauses: &dyn Fn() -> Attributed,
    mut exploration: Noting<BoundedExploration<'_>>,
) -> Attributed {
    let mut most_nodes = limits.nodes_per_turn;
    let mut turn = 0;
    loop {
        turn += 1;
        let mut attempts = attempts.iter_mut();
        if let Some(claim) = attempts.find_map(|attempt| attempt.advance(most_nodes, &mut exploration)) {
            let has_explored = exploration.found;
            return if has_explored {
                by(&Explore::default(), claim)
            } else {
                by(&RelyGuarantee::default(), claim)
            };
        }
        if turn == limits.turns_before_clauses {
            let claimed = by_clauses();
            if !matches!(claimed.claim, Claim::Unknown(_)) {
                return claimed;
            }
        }
        most_nodes = most_nodes.saturating_mul(2);
    }
}

/// Notes whether it was the falsifier who found something.
struct Noting<F> {
    falsifier: F,
    found: bool,
}

impl<F: Falsifier> Falsifier for Noting<F> {
    fn due(&self) -> usize {
        self.falsifier.due()
    }

    fn look(&mut self) -> Option<Trace> {
        let trace = self.falsifier.look();
        self.found |= trace.is_some();
        trace
    }
}
