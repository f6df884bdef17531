//! Rely-guarantee verification by predicate abstraction (Gupta, Popeea, Rybalchenko, POPL 2011).
//!
//! Each thread is verified by itself, against an environment that is found at the same time: the
//! abstract steps of all others. Where the abstraction is too coarse, Horn clauses that describe the
//! counterexample say what must be tracked.
//!
//! * `attempt`: the loop of growing trees and refining;
//! * `system`: the program as threads with spots and moves;
//! * `abstraction`: predicates at spots, and what threads tell apart of each other's places;
//! * `census`: cells that count how many threads are where;
//! * `decide`, `islands`: what holds after a step;
//! * `excluded`: counterexamples so far, and which places are still needed against them;
//! * `tree`, `meetings`, `places`, `violation`: abstract reachability with environment transitions;
//! * `refine`: from counterexamples to predicates and places, or to a run;
//! * `seeds`, `analysis`: predicates that the source and its numbers suggest;
//! * `signed`: what the program writes down for the proof alone;
//! * `twins`: what is worth tracking for several threads;
//! * `clausal`: where trees become large, a proof made of clauses instead of abstract states;
//! * `relevance`, `merge`, `proof`, `trace`: what is claimed in the end;
//! * `history`: what reports tell of it.
//!
//! Two things differ from the paper. While trees grow, environment transitions are not abstracted by
//! predicates about two states: the step of another thread is combined with what its tree knows at
//! that spot, as far as it can matter to others, which is never coarser and saves a kind of
//! refinement. And a general (not modular) refinement reads one branch of a tree as a schedule, if it
//! is one: the branch alone excludes itself or is a run of the program, so its clauses form a chain
//! instead of a tree.

mod abstraction;
mod analysis;
mod attempt;
mod census;
mod clausal;
mod decide;
mod excluded;
mod history;
mod islands;
mod literals;
mod meetings;
mod merge;
mod places;
mod proof;
mod refine;
mod relevance;
mod seeds;
mod signed;
mod system;
#[cfg(test)]
mod tests;
mod trace;
mod tree;
mod twins;
mod violation;

use crate::{Engine, Explore, ExploreOptions};
use attempt::Attempt;
use rely_base::{Budget, Observer, Silent};
use rely_evidence::{Claim, Reason};
use rely_program::{Goal, Program, Trace};
use seeds::Seeds;
use system::{System, Unfit};
use twins::Twins;

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
        let (seeds, twins) = (Seeds::new(&system), Twins::new(&system));
        let other = match self.bias {
            Bias::Modular => Bias::None,
            Bias::None => Bias::Modular,
        };
        let attempt = |bias| Attempt::new(bias, (&system, &seeds, &twins), budget, observer);
        let look = |most_states| look_nearby(program, goal, most_states, budget);
        let by_clauses = || clausal::prove(&system, budget, observer);
        let scout = Scout { next: NODES_AT_FIRST, look: &look };
        take_turns([attempt(self.bias), attempt(other)], &by_clauses, scout)
    }
}

/// The size of the trees at which a violation is looked for in the program itself, at first.
const NODES_AT_FIRST: usize = 400;
/// The size of the trees at which an attempt has to wait for the other one, at first.
const NODES_PER_TURN: usize = 3_000;
/// The size of the trees of both attempts at which a proof without trees is looked for. That can
/// take longer than all trees so far, so they have a second turn first.
const NODES_BEFORE_CLAUSES: usize = 2 * NODES_PER_TURN;
/// So many states cost about half as much as a node.
const STATES_PER_NODE: usize = 10;

/// Which predicates are found first decides over whether few or very many are needed, and nobody
/// knows beforehand. So when the trees of an attempt get large, or it only counts the rounds of a loop,
/// the one with the other bias has its turn, and so on with larger and larger trees. Both keep what they
/// have found. When both have had their second turn, a proof may not need to tell all these states apart,
/// so one without trees is looked for, once.
fn take_turns(
    mut attempts: [Attempt<'_>; 2],
    by_clauses: &dyn Fn() -> Option<Claim>,
    mut scout: Scout<'_>,
) -> Claim {
    let mut most_nodes = NODES_PER_TURN;
    loop {
        let mut attempts = attempts.iter_mut();
        if let Some(claim) = attempts.find_map(|attempt| attempt.advance(most_nodes, &mut scout)) {
            return claim;
        }
        if most_nodes == NODES_BEFORE_CLAUSES
            && let Some(claim) = by_clauses()
        {
            return claim;
        }
        most_nodes = most_nodes.saturating_mul(2);
    }
}

/// Looks for violations in the program itself while trees grow.
///
/// Large trees are a sign of a violation that only a long run shows: every shorter one has to be
/// excluded before. States cost much less than nodes, so some of them are looked at in between.
struct Scout<'l> {
    /// The size of the trees at which to look again; the largest number if all states were looked at.
    next: usize,
    /// Looks at so many states.
    look: &'l dyn Fn(usize) -> Sight,
}

/// What is seen in some states.
enum Sight {
    Violation(Trace),
    /// These were all states.
    NothingAnywhere,
    NothingYet,
}

impl Scout<'_> {
    fn look(&mut self) -> Option<Trace> {
        if self.next == usize::MAX {
            return None;
        }
        let states = self.next.saturating_mul(STATES_PER_NODE);
        // Each time everything is looked at again: so all looks together cost little more than the last.
        self.next = self.next.saturating_mul(4);
        match (self.look)(states) {
            Sight::Violation(trace) => return Some(trace),
            Sight::NothingAnywhere => self.next = usize::MAX,
            Sight::NothingYet => {}
        }
        None
    }
}

/// Looks at so many states.
fn look_nearby(program: &Program, goal: Goal, most_states: usize, budget: &Budget) -> Sight {
    let max_states = Some(most_states as u64);
    let explore = Explore { options: ExploreOptions { max_states, shortest: false, ..Default::default() } };
    match explore.run(program, goal, budget, &Silent) {
        Claim::Unsafe(trace) => Sight::Violation(trace),
        Claim::Safe(_) => Sight::NothingAnywhere,
        Claim::Unknown(_) => Sight::NothingYet,
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

fn gave_up(why: &str) -> Claim {
    Claim::Unknown(Reason::GaveUp { engine: NAME, why: why.to_owned() })
}
