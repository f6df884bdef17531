//! All data races of a program, pair by pair, instead of the first that is found.
//!
//! Lock sets come first, for all pairs together. Then the strategy is asked about what is left; every race that it
//! finds is set aside, and it is asked again.

use crate::limits::has_limits;
use crate::races::{LOCKSETS, Races};
use crate::scheduler::{Decision, Strategy, Task};
use rely_base::{Budget, Interrupted, Observer, Span};
use rely_evidence::{Claim, Verdict};
use rely_passes::{CriticalSections, prepare_with};
use rely_program::race::Access;
use rely_program::{Goal, Program};
use std::sync::{Mutex, PoisonError};

/// Two accesses that conflict, as the source has them.
#[derive(Clone, Debug)]
pub struct SurveyedPair {
    /// The variable.
    pub variable: String,
    /// Both accesses.
    pub accesses: [SurveyedAccess; 2],
    /// What is known of them.
    pub answer: PairAnswer,
}

/// An access, as the source has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SurveyedAccess {
    /// Where it is written.
    pub span: Option<Span>,
    /// Whether it writes.
    pub is_write: bool,
}

/// Whether two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairAnswer {
    /// Never, as this engine proved.
    Apart(&'static str),
    /// Nobody knows.
    Open,
    /// They do: a trace that ends in the race was replayed.
    Races,
}

/// What is known of every two accesses that conflict. What a time limit leaves is open.
pub fn survey_races(
    program: &Program,
    strategy: &dyn Strategy,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Vec<SurveyedPair>, Interrupted> {
    let mut races = Races::new(program, true, budget)?;
    let mut answers = vec![PairAnswer::Apart(LOCKSETS); races.watched.pairs.len()];
    races.left().iter().for_each(|&property| answers[property] = PairAnswer::Open);
    while !races.left().is_empty() {
        let sections = CriticalSections::Atomic;
        let Ok((smaller, back)) = prepare_with(races.program(), Goal::Assert, sections, budget) else {
            break;
        };
        let racing = Mutex::new(Vec::new());
        let judge = |claim: Claim, budget: &Budget| {
            let property = races.property_of(&claim, &back);
            let verdict = races.judge(program, &smaller, &back, claim, budget);
            if let (Verdict::Unsafe(_), Some(property)) = (&verdict, property) {
                racing.lock().unwrap_or_else(PoisonError::into_inner).push(property);
            }
            verdict
        };
        let task = Task { program: &smaller, goal: Goal::Assert, observer };
        let Decision { verdict, engine } = strategy.decide(task, budget, &judge);
        let racing = racing.into_inner().unwrap_or_else(PoisonError::into_inner);
        racing.iter().for_each(|&property| answers[property] = PairAnswer::Races);
        if let (Verdict::Safe(_), Some(engine)) = (&verdict, engine) {
            races.left().iter().for_each(|&property| answers[property] = PairAnswer::Apart(engine));
            break;
        }
        if racing.is_empty() {
            break;
        }
        races.set_aside(&racing);
    }
    if has_limits(program) {
        // Proofs are about what was translated, and that was not all.
        let proved = answers.iter_mut().filter(|answer| matches!(answer, PairAnswer::Apart(_)));
        proved.for_each(|answer| *answer = PairAnswer::Open);
    }
    Ok(pairs(&races, &answers))
}

/// The pairs in the order of their variables, each once. Of pairs that look alike in the source, because
/// several threads run the same code, the worst counts.
fn pairs(races: &Races, answers: &[PairAnswer]) -> Vec<SurveyedPair> {
    let base = &races.watched.base;
    let conflicts = &races.watched.conflicts;
    let surveyed =
        |access: &Access| SurveyedAccess { span: base.edges()[access.edge].span, is_write: access.is_write };
    let mut found: Vec<SurveyedPair> = Vec::new();
    for (pairs, &answer) in races.watched.pairs.iter().zip(answers) {
        for &pair in pairs {
            let [one, other] = conflicts.of(conflicts.pairs[pair]);
            let mut accesses = [surveyed(one), surveyed(other)];
            accesses.sort_unstable();
            found.push(SurveyedPair { variable: base.vars()[one.var].name.clone(), accesses, answer });
        }
    }
    found.sort_by(|one, other| {
        let key = |pair: &SurveyedPair| (pair.variable.clone(), pair.accesses);
        key(one).cmp(&key(other)).then(other.answer.cmp(&one.answer))
    });
    found.dedup_by(|next, kept| next.variable == kept.variable && next.accesses == kept.accesses);
    found
}
