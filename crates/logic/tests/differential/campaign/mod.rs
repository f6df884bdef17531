//! Differential campaigns: random questions, our answers with their evidence, z3's answers.
//!
//! A campaign panics at the first disagreement, with the question as SMT-LIB text, so that it can
//! be kept as a regression test. The integration test runs a small seeded share of each campaign;
//! `cargo run --release -p rely-logic --example differential` runs them in full.

pub mod clauses;
pub mod conjunctions;
pub mod entailments;
pub mod formulas;
pub mod interpolants;
pub mod operations;
pub mod oracle;
pub mod problems;
pub mod random;
pub mod text;

use rely_logic::smtlib::Answer;

/// What a campaign has seen. Disagreements are not counted: they end the campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Questions asked.
    pub questions: usize,
    /// Ours: satisfiable, with a model that was evaluated.
    pub sat: usize,
    /// Ours: unsatisfiable, with evidence that was checked.
    pub unsat: usize,
    /// Ours: no answer.
    pub unknown: usize,
    /// Theirs: no answer, so that only our own evidence was checked.
    pub unconfirmed: usize,
}

impl Report {
    /// Counts one question with our answer, and compares it with theirs.
    pub fn compare(&mut self, ours: Answer, theirs: Answer, text: &str) {
        let agree = ours == theirs || ours == Answer::Unknown || theirs == Answer::Unknown;
        assert!(agree, "{ours:?} here, {theirs:?} there:\n{text}");
        self.questions += 1;
        match ours {
            Answer::Sat => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown => self.unknown += 1,
        }
        self.unconfirmed += usize::from(theirs == Answer::Unknown);
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Report { questions, sat, unsat, unknown, unconfirmed } = self;
        let share = 100.0 * *unknown as f64 / (*questions).max(1) as f64;
        write!(
            f,
            "{questions} questions: {sat} sat, {unsat} unsat, {unknown} unknown ({share:.3} %), \
             {unconfirmed} too hard for z3, no disagreement"
        )
    }
}
