//! Who helps whoever waits: the engine `helping`.
//!
//! No thread waits for ever if, whenever one waits, steps of other threads bring it nearer to where it goes on. So for each
//! control point where a thread may have to wait ([`waits`]), ranks are looked for as [`ranks`](super::ranks) does, with a
//! difference: only steps count that leave the thread waiting, and not all of them have to help. What is
//! left without a rank is a loop that others may be in for ever; the steps that lead into it
//! are taken from those that help, and the rest is ranked.

use super::invariants::{Invariants, invariants};
use super::proof;
use super::ranks::{Component, Left, Search};
use super::waits::{Waiting, waits};
use super::{Limits, gave_up};
use crate::Engine;
use rely_base::{Budget, Id, Observer, Progress, StopReason};
use rely_evidence::helping::{Help, Helping as Proved};
use rely_evidence::{Claim, Proof, Reason};
use rely_logic::domains::Octagons;
use rely_program::analysis::IdSet;
use rely_program::{EdgeId, Goal, Program};
use rely_symbolic::{MoveId, System};

const NAME: &str = "helping";

/// The method as an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Helping {
    /// What it may do.
    pub limits: Limits,
    /// What the translation of the program may cost.
    pub symbolic: rely_symbolic::Limits,
}

impl Engine for Helping {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&self, program: &Program, goal: Goal, budget: &Budget, observer: &dyn Observer) -> Claim {
        if goal != Goal::Deadlock {
            return Claim::Unknown(Reason::UnsupportedGoal { engine: NAME, goal });
        }
        let system = match System::new(program, goal, self.symbolic, budget) {
            Ok(system) => system,
            Err(unfit) => return Claim::Unknown(unfit.reason(NAME)),
        };
        if system.threads.iter().any(|thread| thread.is_template) {
            let construct = "any number of threads".to_owned();
            return Claim::Unknown(Reason::UnsupportedConstruct { engine: NAME, construct });
        }
        if system.moves.len() > self.limits.moves {
            return Claim::Unknown(gave_up(NAME, "the program has too many steps"));
        }
        match self.prove(&system, budget, observer) {
            Ok(Some(proof)) => Claim::Safe(Proof::Helping(proof)),
            Ok(None) => Claim::Unknown(gave_up(NAME, "the ranks have too large numbers")),
            Err(reason) => Claim::Unknown(Reason::Stopped(reason)),
        }
    }
}

impl Helping {
    fn prove(
        &self,
        system: &System<'_>,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<Option<Proved>, StopReason> {
        let known = invariants::<Octagons>(system, self.limits, budget)?;
        let waits = waits(system, &known, self.limits, budget)?;
        observer.progress(&Progress { activity: "help", counts: vec![("waits", waits.len() as u64)] });
        let mut helps = Vec::new();
        for waiting in &waits {
            let Some(help) = self.help(system, &known, waiting, budget)? else { return Ok(None) };
            helps.push(help);
        }
        let proof = proof::assertions(system, known, budget);
        budget.check_now()?;
        Ok(proof.map(|proof| Proved { proof, helps }))
    }

    /// Who helps one thread at one control point; `None` if that cannot be written down.
    fn help(
        &self,
        system: &System<'_>,
        known: &Invariants,
        waiting: &Waiting,
        budget: &Budget,
    ) -> Result<Option<Help>, StopReason> {
        let is_other = |id: &MoveId| {
            let by = system.get(*id);
            by.thread != waiting.thread && by.leads_on(system)
        };
        let moves = (0..system.moves.len()).map(MoveId::from_index).filter(is_other);
        let mut left = Vec::new();
        for id in moves {
            budget.check_now()?;
            let cases = waiting.cases(system, known, id, budget);
            if !cases.is_empty() {
                left.push(Left { id, cases });
            }
        }
        let mut search = Search::new(system, known, left, self.limits, budget);
        let (components, dropped) = search.helpful()?;
        let is_helpful = |edge: &EdgeId| {
            let declared = &system.program.edges()[*edge];
            system.program.locations()[declared.source].thread != waiting.thread && !dropped.contains(*edge)
        };
        let steps = system.program.edges().ids().filter(is_helpful).collect();
        let Some(mut ranks) = proof::ranks(system, known, &components) else { return Ok(None) };
        ranks.retain(|entry| entry.thread != waiting.thread);
        let at = system.thread(waiting.thread).points[waiting.point.index()];
        Ok(Some(Help { thread: waiting.thread, at, steps, components: components.len(), ranks }))
    }
}

impl Search<'_, '_> {
    /// Components that make all steps smaller but those of some edges.
    fn helpful(&mut self) -> Result<(Vec<Component>, IdSet<EdgeId>), StopReason> {
        let mut dropped = IdSet::new();
        let mut found = vec![self.places()];
        while !self.is_done() {
            let is_full = found.len() + 1 + self.phases() > self.most_components();
            match if is_full { None } else { self.values()? } {
                Some(components) => found.extend(components),
                None => self.drop_entries(is_full, &mut dropped),
            }
            found.push(self.places());
        }
        Ok((found, dropped))
    }
}
