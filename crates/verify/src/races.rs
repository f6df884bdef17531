//! Data races: what is proved at once for the whole program, and what is left for engines.
//!
//! [`watch_races`] makes a property of every two accesses that conflict. Most of them a cheap analysis proves
//! together ([`rely_engines::locksets`]); the checker accepts its assertions like those of anybody else, on the
//! program as `watch_races` made it. Engines see the properties that are left, and only the threads and
//! variables that matter to these.

use rely_base::{Budget, Interrupted};
use rely_engines::locksets;
use rely_evidence::{Claim, Proof, Reason, Rejection, TraceDefect, Verdict};
use rely_passes::{BackMap, Watched, watch_races};
use rely_program::{Goal, Program, ProgramEditor, Trace, Violation};

/// Who proves races away by lock sets and by the order in which threads start and end.
pub const LOCKSETS: &str = "locksets";

/// The races of a program as properties, some of them proved.
#[derive(Debug)]
pub(crate) struct Races {
    pub(crate) watched: Watched,
    /// The watched program without the properties that are proved, if some are and some are not.
    rest: Option<Program>,
    /// Which properties are left, by their numbers among all.
    left: Vec<usize>,
    /// The verdict if nothing is left.
    pub(crate) settled: Option<Verdict>,
    /// Whether its proof mentions which templates have threads, which the source does not name.
    pub(crate) needs_creations: bool,
}

impl Races {
    /// Makes races properties of a program. With `prove_easy`, those that need no engine are proved.
    pub(crate) fn new(program: &Program, prove_easy: bool, budget: &Budget) -> Result<Self, Interrupted> {
        let watched = watch_races(program, budget)?;
        let all = || (0..watched.program.properties().len()).collect();
        let (mut left, mut settled): (Vec<usize>, _) = (all(), None);
        let mut needs_creations = false;
        if prove_easy && !left.is_empty() {
            let program = &watched.program;
            let mut analysis = locksets::Analysis::infer_without(program, &watched.creations, budget)?;
            let mut proved = analysis.proved().to_vec();
            if proved.contains(&false) && !watched.creations.is_empty() {
                analysis = locksets::Analysis::infer(program, budget)?;
                proved = analysis.proved().to_vec();
                needs_creations = true;
            }
            if let Some(verdict) = checked(&watched.program, &proved, &analysis, budget) {
                left.retain(|&property| !proved[property]);
                settled = left.is_empty().then_some(verdict);
            }
        }
        let needs_creations = needs_creations && settled.is_some();
        let mut races = Self { watched, rest: None, left, settled, needs_creations };
        if races.settled.is_none() {
            races.leave_out_proved();
        }
        Ok(races)
    }

    /// The watched program without the properties that are proved, unless all of them are.
    pub(crate) fn program(&self) -> &Program {
        self.rest.as_ref().unwrap_or(&self.watched.program)
    }

    pub(crate) fn into_program(self) -> Program {
        self.rest.unwrap_or(self.watched.program)
    }

    fn leave_out_proved(&mut self) {
        let program = &self.watched.program;
        let is_all = self.left.len() == program.properties().len();
        self.rest =
            (!is_all).then(|| restricted(program, |property| self.left.binary_search(&property).is_ok()));
    }

    /// A trace of the program that violates a property as one of the program as the front end made it that
    /// ends in a race; `None` if it does not.
    pub(crate) fn trace(&self, mut trace: Trace) -> Option<Trace> {
        if let Violation::Property(property) = &mut trace.violation
            && self.settled.is_none()
        {
            *property = *self.left.get(*property)?;
        }
        self.watched.trace(&trace)
    }
}

impl Races {
    /// The properties that are left, by their numbers among all.
    pub(crate) fn left(&self) -> &[usize] {
        if self.settled.is_some() { &[] } else { &self.left }
    }

    /// Takes properties away.
    pub(crate) fn set_aside(&mut self, properties: &[usize]) {
        self.left.retain(|property| !properties.contains(property));
        self.leave_out_proved();
    }

    /// Which property a claim says to be violated, by its number among all.
    pub(crate) fn property_of(&self, claim: &Claim, back: &BackMap) -> Option<usize> {
        let Claim::Unsafe(trace) = claim else { return None };
        match back.trace(trace)?.violation {
            Violation::Property(property) => self.left.get(property).copied(),
            _ => None,
        }
    }

    /// Why a trace of the program is none that ends in a race.
    fn unclear(&self, trace: Option<Trace>) -> Reason {
        let property = match trace.map(|trace| trace.violation) {
            Some(Violation::Property(property)) => self.left.get(property),
            _ => None,
        };
        let conflicts = &self.watched.conflicts;
        let mut pairs = property.into_iter().flat_map(|&property| &self.watched.pairs[property]);
        let is_unclear =
            |&pair: &usize| conflicts.of(conflicts.pairs[pair]).iter().any(|access| !access.is_clear);
        match pairs.any(is_unclear) {
            true => Reason::Approximate("how much of its arguments a function accesses".to_owned()),
            false => not_translated(),
        }
    }

    /// The verdict that the evidence of a claim about a simplified program allows.
    pub(crate) fn judge(
        &self,
        source: &Program,
        simplified: &Program,
        back: &BackMap,
        claim: Claim,
        budget: &Budget,
    ) -> Verdict {
        let checked = match claim {
            Claim::Unsafe(trace) => {
                let unclear = self.unclear(back.trace(&trace));
                let trace = back.trace(&trace).and_then(|trace| self.trace(trace));
                let claim = trace.map_or_else(|| Claim::Unknown(unclear), Claim::Unsafe);
                rely_evidence::check(source, Goal::Race, claim, budget)
            }
            Claim::Safe(proof) => {
                rely_evidence::check_proof(self.program(), simplified, Goal::Assert, proof, budget)
            }
            claim @ Claim::Unknown(_) => rely_evidence::check(simplified, Goal::Assert, claim, budget),
        };
        checked.into_verdict()
    }
}

/// A trace without a way back names something that the engine's program does not have.
pub(crate) fn not_translated() -> Reason {
    Reason::Rejected(Rejection::Trace(TraceDefect::NoSuchViolation))
}

/// The verdict about the properties that are said to be proved, if there are some and the checker accepts it.
fn checked(
    program: &Program,
    proved: &[bool],
    analysis: &locksets::Analysis<'_>,
    budget: &Budget,
) -> Option<Verdict> {
    if !proved.contains(&true) {
        return None;
    }
    let program = match proved.contains(&false) {
        true => &restricted(program, |property| proved[property]),
        false => program,
    };
    let claim = Claim::Safe(Proof::RelyGuarantee(analysis.proof()));
    // What is left needs time, too.
    let patience = budget.remaining().map_or(budget.clone(), |left| budget.with_time_limit(left / 2));
    match rely_evidence::check(program, Goal::Assert, claim, &patience).into_verdict() {
        verdict @ Verdict::Safe(_) => Some(verdict),
        _ => None,
    }
}

/// The program with some of its properties.
fn restricted(program: &Program, is_kept: impl Fn(usize) -> bool) -> Program {
    let mut editor = ProgramEditor::new(program.clone());
    let mut number = 0;
    editor.properties_mut().retain(|_| {
        number += 1;
        is_kept(number - 1)
    });
    editor.finish()
}
