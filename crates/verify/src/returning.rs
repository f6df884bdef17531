//! Proofs about the program that was read, made of proofs about the simplified one.
//!
//! A proof that an engine has found says something about what passes have made of the program. Here it takes the way back:
//!
//! * the program as it was read is reduced by itself: blocks of steps that commute with those of others are taken
//!   for one step, and the checker has to agree. That does what passes do that join local steps, but with a proof;
//! * what is left has nearly the places that the simplified program has, so the assertions there are renamed, completed and
//!   checked ([`rely_symbolic::way_back`]);
//! * a list of states says nothing about another program; the states of what is left are found again, and their
//!   list is checked.
//!
//! Whatever comes out is checked like any other proof, about the program that was read. If it is not accepted, the
//! passes are trusted as before.

use rely_base::{Budget, Silent};
use rely_engines::reduction::{self, Blocks};
use rely_engines::{Engine, Explore, ExploreOptions, SymbolicLimits};
use rely_evidence::counting::Invariant;
use rely_evidence::reduction::reduced_program;
use rely_evidence::rely_guarantee::RelyGuarantee;
use rely_evidence::{Claim, Proof, Proved, confirm};
use rely_passes::BackMap;
use rely_program::{Goal, Program};
use rely_symbolic::way_back::{self, Made};

/// The most states that are listed of the program that was read, or of what its reduction leaves.
const MOST_STATES: u64 = 200_000;

/// What was proved of the simplified program, and how it came to be.
pub(crate) struct Simplified<'s> {
    pub(crate) program: &'s Program,
    pub(crate) back: &'s BackMap,
}

/// The same with a proof about the program that was read, if the way back leads to one.
pub(crate) fn returned(
    source: &Program,
    simplified: &Simplified<'_>,
    goal: Goal,
    proved: Proved,
    budget: &Budget,
) -> Proved {
    let limits = (reduction::Limits::default(), SymbolicLimits::default());
    let blocks = Blocks::infer(source, goal, limits, budget);
    let Some(target) = Target::new(source, blocks) else { return proved };
    let by_assertions = target.by_assertions(simplified, goal, proved.proof(), budget);
    let by_facts = || target.by_facts(goal, budget);
    let judge = |proved: Proved, second: Option<Proof>| match second {
        Some(second) => confirm(proved, source, goal, target.whole(second), budget),
        None => proved,
    };
    let attempts: [&dyn Fn() -> Option<Proof>; 2] = match by_assertions {
        Some(second) => [&move || Some(second.clone()), &|| target.listed(goal, budget)],
        // What analyses know costs little to try, and is enough if nothing is left to be shown.
        None => [&by_facts, &|| target.listed(goal, budget)],
    };
    attempts.into_iter().fold(proved, |proved, attempt| match proved.is_about_source() {
        true => proved,
        false => judge(proved, attempt()),
    })
}

/// The program that was read, with its blocks in one step.
struct Target<'t> {
    source: &'t Program,
    blocks: Blocks,
    program: Program,
    back: BackMap,
}

impl<'t> Target<'t> {
    fn new(source: &'t Program, blocks: Blocks) -> Option<Self> {
        let inside = blocks.inside.iter().map(|(location, _)| *location);
        let (program, back) = reduced_program(source, inside).ok()?;
        Some(Target { source, blocks, program, back })
    }

    /// A proof about the target as one about the program that was read.
    fn whole(&self, inner: Proof) -> Proof {
        match self.blocks.inside.is_empty() {
            true => inner,
            false => Proof::Reduced(self.blocks.clone().proved(self.source, Vec::new(), inner)),
        }
    }

    /// A proof about the target, if the one about the simplified program consists of assertions.
    fn by_assertions(
        &self,
        simplified: &Simplified<'_>,
        goal: Goal,
        proof: &Proof,
        budget: &Budget,
    ) -> Option<Proof> {
        match proof {
            Proof::Reduced(reduced) => {
                let (program, later) = reduced.program(simplified.program).ok()?;
                let back = simplified.back.clone().then(later);
                let smaller = Simplified { program: &program, back: &back };
                self.by_assertions(&smaller, goal, &reduced.proof, budget)
            }
            Proof::RelyGuarantee(assertions) => self.renamed(simplified, goal, (assertions, None), budget),
            Proof::Counting(counting) => {
                self.renamed(simplified, goal, (&counting.proof, Some(&counting.invariants)), budget)
            }
            _ => None,
        }
    }

    /// A proof by exhaustion: its states.
    fn listed(&self, goal: Goal, budget: &Budget) -> Option<Proof> {
        let options = ExploreOptions { max_states: Some(MOST_STATES), ..ExploreOptions::default() };
        match Engine::run(&Explore { options }, &self.program, goal, budget, &Silent) {
            Claim::Safe(proof) => Some(proof),
            Claim::Unsafe(_) | Claim::Unknown(_) => None,
        }
    }

    /// A proof by what analyses know: what exploration is needed for may be inputs that nobody looks at.
    fn by_facts(&self, goal: Goal, budget: &Budget) -> Option<Proof> {
        let target = Made { program: &self.program, back: &self.back };
        way_back::proof_by_facts(target, (goal, Some(&self.blocks.held().proof)), budget)
    }

    /// A proof by assertions, in the words of the program that was read.
    fn renamed(
        &self,
        found: &Simplified<'_>,
        goal: Goal,
        proof: (&RelyGuarantee, Option<&[Invariant]>),
        budget: &Budget,
    ) -> Option<Proof> {
        let target = Made { program: &self.program, back: &self.back };
        let simplified = Made { program: found.program, back: found.back };
        way_back::proof(target, simplified, proof, (goal, Some(&self.blocks.held().proof)), budget)
    }
}

#[cfg(test)]
mod tests;
