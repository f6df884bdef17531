//! The flow of Rely on one page: source, program, claim, check, verdict.
//!
//! ```text
//! text ─► front end ─► program ─► prepare ─► strategy ─► claim ─► check ─► verdict
//! ```
//!
//! A violation is checked on the program as the front end made it: the engine's trace is
//! translated back through the passes and replayed there. So is a proof, if that program is
//! small enough to be explored as it is. Beyond, a proof is checked on the program that the
//! engine saw, and takes the way back (`returning`). If it is lost there, the passes are trusted; their own tests compare
//! them with the programs they came from. [`Verified::trusted`] names them.
//!
//! Data races come first: they are made [properties](rely_passes::watch_races) of the program before anything is
//! simplified, and what engines see then is a program with assertions. A trace that violates one of them is
//! replayed in the program as the front end made it, where it must end in a race.

use crate::limits::{self, has_limits};
use crate::races::{LOCKSETS, Races, not_translated};
use crate::registry;
use crate::returning::{Simplified, returned};
use crate::scheduler::{Decision, Strategy, Task};
use crate::source::{INEXACT_WAITS, Language};
use rely_base::{Budget, Interrupted, Observer, Silent, SourceMap};
use rely_evidence::{
    About, Certificate, Claim, Exhausted, Proof, ProofFormatError, Proved, Reason, Reduction, Verdict,
    proof_to_json,
};
use rely_passes::{BackMap, CriticalSections};
use rely_program::{CheckKind, Goal, Program};
use std::borrow::Cow;

/// What makes properties of data races; a proof that there are none is about them.
const WATCHING: &str = "watch_races";

/// What is decided unless the user says otherwise. C says nothing about what it is for, so each mistake counts that
/// nobody makes on purpose. A model says itself what must hold: its assertions, and what it declares. Threads of
/// models often wait for ever by design, and what a model writes in one step may be several of what it stands for,
/// so without `deadlock-free` a deadlock is none of its mistakes, nor ever is a race.
pub fn default_goals(language: Language, program: &Program) -> Vec<Goal> {
    let declared = program.properties().iter().map(|property| property.kind.goal());
    let mut goals: Vec<Goal> = usual_goals(language).iter().copied().chain(declared).collect();
    goals.sort_unstable();
    goals.dedup();
    goals
}

/// Those of them that do not depend on what the source declares.
pub fn usual_goals(language: Language) -> &'static [Goal] {
    match language {
        Language::C => &[Goal::Assert, Goal::Race, Goal::Deadlock, Goal::Memory],
        Language::Rely => &[Goal::Assert],
    }
}

/// The assumptions under which a verdict about this goal speaks of the source.
pub fn assumptions(program: &Program, goal: Goal) -> Vec<String> {
    // Whether this one holds is just what the goal asks.
    let is_asked = |name: &str| match goal {
        Goal::Overflow => name == "no-signed-overflow",
        Goal::Memory => name == "freed-memory-is-not-used",
        _ => false,
    };
    // A program without races behaves like that, and one with races has one in such a run.
    let is_implied = |name: &str| goal == Goal::Race && is_implied_by_race_freedom(program, name);
    let is_needed = |name: &&str| !is_asked(name) && !is_implied(name);
    let named = |name: &str| match name {
        "externals-touch-only-arguments" => format!("{name}: {}", program.externals().join(", ")),
        _ => name.to_owned(),
    };
    program.assumptions().iter().copied().filter(is_needed).map(named).collect()
}

/// The same for a program that was shown to have no data race.
pub fn assumptions_without_races(program: &Program, goal: Goal) -> Vec<String> {
    let mut needed = assumptions(program, goal);
    // That there is no race may have been shown of runs without overflows only.
    if goal != Goal::Overflow {
        needed.retain(|name| !is_implied_by_race_freedom(program, name));
    }
    needed
}

fn is_implied_by_race_freedom(program: &Program, name: &str) -> bool {
    let is_weak = program.assumptions().contains(&"atomics-are-strong");
    !is_weak && name == "sequential-consistency"
}

/// A verdict, and the program about which its proof speaks, if it has one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Verified {
    /// What is known.
    pub verdict: Verdict,
    /// The engine whose claim it confirms; nobody's if it is unknown, or if a certificate was given.
    pub engine: Option<&'static str>,
    /// The program that the engine saw.
    pub prepared: Program,
    /// The way back from it to the program as the front end made it.
    pub back: BackMap,
    /// Whether all that a proof speaks of has a counterpart there.
    pub speaks_of_source: bool,
    /// The passes without which the verdict says nothing about the program as the front end made it: those that
    /// changed it, and whose result nobody has compared with it.
    pub trusted: Vec<&'static str>,
}

/// What a verdict may rest on that nobody has checked, besides the front end, the semantics and the checker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Passes that simplify the program.
    Passes,
    /// The same, if no proof of the program as it is comes as easily as that of the simplified one.
    #[default]
    FewestPasses,
    /// Nothing.
    Nothing,
}

/// From a program to a verdict whose evidence was checked.
pub fn verify(
    program: &Program,
    goal: Goal,
    strategy: &dyn Strategy,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verified {
    verify_and_keep(program, goal, CriticalSections::Atomic, strategy, budget, observer)
}

/// [`verify`], with a choice of how critical sections are executed.
pub fn verify_and_keep(
    program: &Program,
    goal: Goal,
    sections: CriticalSections,
    strategy: &dyn Strategy,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verified {
    verify_trusting(program, goal, (sections, Trust::default()), strategy, budget, observer)
}

/// [`verify_and_keep`], with a choice of what may be trusted. If a proof trusts passes, and need not or may not, the
/// program is looked at once more as it is.
pub fn verify_trusting(
    program: &Program,
    goal: Goal,
    (sections, trust): (CriticalSections, Trust),
    strategy: &dyn Strategy,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verified {
    let shape = Shape::Simplified(sections);
    let mut verified = verify_within_limits(program, goal, (shape, trust), strategy, budget, observer);
    if matches!(verified.verdict, Verdict::Unknown(Reason::UnfairLoop)) {
        // Steps that a pass has left out are some that a fair run still makes before it goes round for ever.
        let shape = Shape::AsItIs;
        verified = verify_within_limits(program, goal, (shape, trust), strategy, budget, observer);
    }
    if trust == Trust::Passes {
        return verified;
    }
    look_again(program, goal, &mut verified, budget);
    if trust == Trust::FewestPasses || verified.trusted.is_empty() {
        return verified;
    }
    let bare = verify_within_limits(program, goal, (Shape::AsItIs, trust), strategy, budget, observer);
    match &bare.verdict {
        Verdict::Unknown(_) => {
            let reason = Reason::Trusting(verified.trusted.join(", "));
            Verified { verdict: Verdict::Unknown(reason), engine: None, trusted: Vec::new(), ..verified }
        }
        _ if !bare.trusted.is_empty() => {
            let reason = Reason::Trusting(bare.trusted.join(", "));
            Verified { verdict: Verdict::Unknown(reason), engine: None, trusted: Vec::new(), ..bare }
        }
        _ => bare,
    }
}

/// How many steps an engine may take to prove once more, of the program as it is, what it has proved of the simplified
/// one. Most proofs that are found at all need much less.
const STEPS_OF_SECOND_LOOK: u32 = 20_000;
/// How many steps the way back of a proof may take, its check included.
const STEPS_OF_WAY_BACK: u32 = 1_000_000;

/// If a proof trusts passes, leads it back to the program that was read. If that fails, its engine is asked for a
/// proof of the program as it is, which may be out of its reach.
fn look_again(program: &Program, goal: Goal, verified: &mut Verified, budget: &Budget) {
    let is_about_checks = matches!(goal, Goal::Assert | Goal::Overflow | Goal::Memory);
    let (Verdict::Safe(proved), Some(engine)) = (&verified.verdict, verified.engine) else { return };
    if verified.trusted.is_empty() || !is_about_checks || has_limits(program) {
        return;
    }
    let patience = || budget.remaining().map_or(budget.clone(), |left| budget.with_time_limit(left / 4));
    let simplified = Simplified { program: &verified.prepared, back: &verified.back };
    let steps = patience().with_step_limit(STEPS_OF_WAY_BACK);
    let mut proved = returned(program, &simplified, goal, proved.clone(), &steps);
    if !proved.is_about_source() && engine != "explore" {
        proved =
            proved_again(program, goal, proved, engine, &patience().with_step_limit(STEPS_OF_SECOND_LOOK));
    }
    if proved.is_about_source() {
        verified.trusted.clear();
    }
    verified.verdict = Verdict::Safe(proved);
}

/// The same with a second proof by the same engine, of the program as it is.
fn proved_again(program: &Program, goal: Goal, proved: Proved, engine: &str, budget: &Budget) -> Proved {
    let Ok(engine) = registry::strategy(engine) else { return proved };
    let task = Task { program, goal, observer: &Silent };
    match engine.claim(task, budget).claim {
        Claim::Safe(second) => rely_evidence::confirm(proved, program, goal, second, budget),
        Claim::Unsafe(_) | Claim::Unknown(_) => proved,
    }
}

/// What engines get to see of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// What passes make of it.
    Simplified(CriticalSections),
    /// The program as the front end made it.
    AsItIs,
}

/// The verdict if no run leaves what the front end has translated; otherwise it is unknown.
fn verify_within_limits(
    program: &Program,
    goal: Goal,
    how: (Shape, Trust),
    strategy: &dyn Strategy,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verified {
    let mut verified = verify_translated(program, goal, how, strategy, budget, observer);
    if !matches!(verified.verdict, Verdict::Safe(_)) || !has_limits(program) {
        return verified;
    }
    let asserted = limits::with_limits_asserted(program);
    let kept = verify_translated(&asserted, Goal::Assert, how, strategy, budget, observer);
    let more = kept.trusted.iter().filter(|pass| !verified.trusted.contains(pass));
    let more: Vec<&'static str> = more.copied().collect();
    match limits::reached(&asserted, kept.verdict) {
        None => {
            verified.trusted.extend(more);
            verified
        }
        Some(reason) => {
            Verified { verdict: Verdict::Unknown(reason), engine: None, trusted: Vec::new(), ..verified }
        }
    }
}

/// The verdict about the runs that stay within what the front end has translated.
fn verify_translated(
    program: &Program,
    goal: Goal,
    (shape, trust): (Shape, Trust),
    strategy: &dyn Strategy,
    budget: &Budget,
    observer: &dyn Observer,
) -> Verified {
    use CriticalSections::{Atomic, Interleaved};
    let (strategy, shape) = match shape {
        Shape::Simplified(Atomic) if strategy.reduces(goal) => (strategy, Shape::Simplified(Interleaved)),
        Shape::Simplified(Atomic) => (strategy, shape),
        Shape::Simplified(Interleaved) | Shape::AsItIs => {
            (strategy.without_reduction().unwrap_or(strategy), shape)
        }
    };
    let prepared = match Prepared::new(program, goal, shape, strategy.takes_easy_proofs(), budget) {
        Ok(prepared) => prepared,
        Err(interrupted) => return not_begun(program, interrupted),
    };
    budget.set_work(None);
    if let Some(verdict) = prepared.settled() {
        return prepared.verified(verdict, Some(LOCKSETS));
    }
    let judge = |claim: Claim, budget: &Budget| prepared.judge(program, goal, claim, budget);
    let task = Task { program: prepared.program(), goal: prepared.goal, observer };
    let Decision { verdict, engine } = strategy.decide(task, budget, &judge);
    let verdict = match verdict {
        Verdict::Safe(proved) if trust != Trust::Passes => prepared.explore(program, goal, proved, budget),
        verdict => verdict,
    };
    prepared.verified(verdict, engine)
}

/// What engines see of a program.
struct Prepared {
    seen: Seen,
    /// What they are asked about it.
    goal: Goal,
    back: BackMap,
}

/// The program that they see.
enum Seen {
    /// What passes have made of it.
    Simplified(Program),
    /// If they are asked about races: what passes have made of the program in which they are watched, unless
    /// nothing is left to be shown.
    Races(Box<Races>, Option<Program>),
}

impl Prepared {
    fn new(
        program: &Program,
        goal: Goal,
        shape: Shape,
        prove_easy: bool,
        budget: &Budget,
    ) -> Result<Self, Interrupted> {
        // Whether a lock can be taken again and again is what fairness is about: nobody may hide that it is held.
        let shape = match shape {
            Shape::Simplified(_) if goal == Goal::FairTermination => {
                Shape::Simplified(CriticalSections::Interleaved)
            }
            other => other,
        };
        let shaped = |program: &Program, goal| match shape {
            Shape::Simplified(sections) => rely_passes::prepare_with(program, goal, sections, budget),
            Shape::AsItIs => Ok((program.clone(), BackMap::identity())),
        };
        if goal != Goal::Race {
            let (program, back) = shaped(program, goal)?;
            return Ok(Prepared { seen: Seen::Simplified(program), goal, back });
        }
        let races = Races::new(program, prove_easy, budget)?;
        let (simplified, back) = match races.settled {
            Some(_) => (None, BackMap::identity()),
            None => {
                let (program, back) = shaped(races.program(), Goal::Assert)?;
                (Some(program), back)
            }
        };
        Ok(Prepared { seen: Seen::Races(Box::new(races), simplified), goal: Goal::Assert, back })
    }

    fn program(&self) -> &Program {
        match &self.seen {
            Seen::Simplified(program) | Seen::Races(_, Some(program)) => program,
            Seen::Races(races, None) => races.program(),
        }
    }

    fn races(&self) -> Option<&Races> {
        match &self.seen {
            Seen::Simplified(_) => None,
            Seen::Races(races, _) => Some(races),
        }
    }

    /// The verdict if no engine is needed.
    fn settled(&self) -> Option<Verdict> {
        self.races()?.settled.clone()
    }

    /// The verdict that the evidence of a claim allows.
    fn judge(&self, source: &Program, goal: Goal, claim: Claim, budget: &Budget) -> Verdict {
        let asks_for_waits = goal.is_about_going_on();
        if asks_for_waits && source.assumptions().contains(&INEXACT_WAITS) {
            return rely_evidence::check(source, goal, Claim::Unknown(Reason::InexactWaits(goal)), budget)
                .into_verdict();
        }
        if let Some(races) = self.races() {
            return races.judge(source, self.program(), &self.back, claim, budget);
        }
        let source = &*checked_of(source, goal, matches!(claim, Claim::Safe(_)));
        let checked = match claim {
            Claim::Unsafe(trace) => {
                let trace = self.back.trace(&trace);
                let claim = trace.map_or_else(|| Claim::Unknown(not_translated()), Claim::Unsafe);
                rely_evidence::check(source, goal, claim, budget)
            }
            Claim::Safe(proof) => {
                rely_evidence::check_proof(source, self.program(), self.goal, proof, budget)
            }
            claim @ Claim::Unknown(_) => rely_evidence::check(self.program(), self.goal, claim, budget),
        };
        checked.into_verdict()
    }

    /// Looks whether the program as the front end made it is so small that it can be explored besides.
    fn explore(&self, source: &Program, goal: Goal, proved: Proved, budget: &Budget) -> Verdict {
        let explored = match self.races() {
            Some(races) => rely_evidence::explore_source(proved, races.program(), self.goal, budget),
            None => rely_evidence::explore_source(proved, &checked_of(source, goal, true), goal, budget),
        };
        explored.into_verdict()
    }

    fn verified(self, verdict: Verdict, engine: Option<&'static str>) -> Verified {
        let mut trusted = match &verdict {
            Verdict::Safe(proved) => proved.trusted(self.back.changed_by()),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => Vec::new(),
        };
        if self.races().is_some() && matches!(verdict, Verdict::Safe(_)) {
            trusted.insert(0, WATCHING);
        }
        let speaks_of_source =
            !self.races().is_some_and(|races| races.watched.chooses_cell() || races.needs_creations);
        let (prepared, back) = match self.seen {
            Seen::Simplified(program) => (program, self.back),
            Seen::Races(races, simplified) => {
                let back = races.watched.way_back().then(self.back);
                (simplified.unwrap_or_else(|| races.into_program()), back)
            }
        };
        Verified { verdict, engine, prepared, back, speaks_of_source, trusted }
    }
}

/// The program as the front end made it, with the checks that end a run. If the question is who goes on or ends, a
/// failed assertion ends none. Nor does an overflow, in a proof; but a run that needs one is not shown, since C says
/// nothing about what happens then.
fn checked_of(source: &Program, goal: Goal, is_proved: bool) -> Cow<'_, Program> {
    let ignored: &[CheckKind] = match is_proved {
        true => &[CheckKind::Assertion, CheckKind::Overflow],
        false => &[CheckKind::Assertion],
    };
    match goal.is_about_going_on() {
        true => Cow::Owned(rely_passes::without_checks(source, ignored)),
        false => Cow::Borrowed(source),
    }
}

/// A verdict's proof as a certificate: about the program as the front end made it if there is such a proof, otherwise about
/// what passes have made of it.
pub fn certificate(
    program: &Program,
    sources: &SourceMap,
    goal: Goal,
    verified: &Verified,
) -> Option<String> {
    let Verdict::Safe(proved) = &verified.verdict else { return None };
    // Of races and of runs without end the question is put to another program.
    let asks_source = goal != Goal::Race && !goal.is_termination();
    let explored = proved.explored_states().map(|states| {
        Proof::Exhausted(Exhausted { states, transitions: 0, reduction: Reduction::None, visited: None })
    });
    let about_source = proved.about_source().cloned().or(explored).filter(|_| asks_source);
    Some(match about_source {
        Some(proof) => proof_to_json(program, sources, About::Source, goal, &proof),
        None => proof_to_json(&verified.prepared, sources, About::Simplified, goal, proved.proof()),
    })
}

/// From a program and a certificate to a verdict, without any engine; and without any pass, if the certificate speaks of the
/// program as the front end made it.
pub fn certify(
    program: &Program,
    sources: &SourceMap,
    certificate: Certificate,
    budget: &Budget,
) -> Result<Verified, ProofFormatError> {
    let goal = certificate.goal;
    let prepared = prepared_for(program, &certificate, budget);
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(interrupted) => return Ok(not_begun(program, interrupted)),
    };
    let proof = certificate.proof_of(prepared.program(), sources)?;
    let verdict = match prepared.judge(program, goal, Claim::Safe(proof), budget) {
        Verdict::Safe(_) if has_limits(program) => Verdict::Unknown(Reason::CertifiedLimit),
        verdict => verdict,
    };
    Ok(prepared.verified(verdict, None))
}

/// The program that a certificate is about, among those that engines may have seen.
fn prepared_for(
    program: &Program,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Prepared, Interrupted> {
    use CriticalSections::{Atomic, Interleaved};
    let goal = certificate.goal;
    if certificate.about == About::Source {
        return Prepared::new(program, goal, Shape::AsItIs, false, budget);
    }
    let ways: &[(CriticalSections, bool)] = match goal {
        Goal::Race => &[(Atomic, true), (Atomic, false), (Interleaved, true), (Interleaved, false)],
        _ => &[(Atomic, false), (Interleaved, false)],
    };
    let mut last = None;
    for &(sections, prove_easy) in ways {
        let prepared = Prepared::new(program, goal, Shape::Simplified(sections), prove_easy, budget)?;
        if certificate.is_about(prepared.program()) {
            return Ok(prepared);
        }
        last = Some(prepared);
    }
    Ok(last.expect("there is always a way"))
}

/// The verdict if the budget ended before anybody could look at the program.
fn not_begun(program: &Program, interrupted: Interrupted) -> Verified {
    let verdict = Verdict::Unknown(Reason::NotBegun(interrupted));
    Verified {
        verdict,
        engine: None,
        prepared: program.clone(),
        back: BackMap::identity(),
        speaks_of_source: true,
        trusted: Vec::new(),
    }
}
