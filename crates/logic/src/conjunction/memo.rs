//! Repeated questions, answered from memory.

use std::hash::BuildHasher;
use std::sync::Arc;

use rely_base::Budget;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::effort::{Reason, Statistics};
use super::model::Model;
use super::solver::{Conjunction, Verdict};
use crate::certificate::Proof;
use crate::linear::{Constraint, Domain};

/// The answer to a question, with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All constraints hold here.
    Sat(Model),
    /// The constraints, in the order in which they were given, contradict each other.
    Unsat(Proof),
    /// The limits or the budget did not suffice.
    Unknown(Reason),
}

/// A solver that remembers a bounded number of answers.
///
/// A question is a list of constraints, in this order; engines that ask again build the same list
/// again. Answers that were not asked for again since the memory was last half full are forgotten
/// first. What a budget cut short is not remembered.
///
/// ```
/// use rely_base::{Budget, Id};
/// use rely_logic::{Answer, Constraint, Domain, LinearForm, Memo, VarId};
///
/// let (x, y) = (VarId::from_index(0), VarId::from_index(1));
/// let (x, y) = (LinearForm::variable(x), LinearForm::variable(y));
/// let question = [Constraint::lt(&x, &y), Constraint::lt(&y, &x)];
/// let mut memo = Memo::new(Domain::Integers, 1_000);
/// for _ in 0..2 {
///     let answer = memo.ask(&question, &Budget::unlimited());
///     assert!(matches!(*answer, Answer::Unsat(_)));
/// }
/// assert_eq!(memo.statistics().queries, 2);
/// assert_eq!(memo.statistics().memo_hits, 1);
/// ```
#[derive(Debug)]
pub struct Memo {
    solver: Conjunction,
    recent: FxHashMap<u64, Entry>,
    older: FxHashMap<u64, Entry>,
    capacity: usize,
    hits: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    question: Box<[Constraint]>,
    answer: Arc<Answer>,
}

impl Memo {
    /// A solver over the given numbers that remembers at most `capacity` answers.
    pub fn new(domain: Domain, capacity: usize) -> Self {
        Self {
            solver: Conjunction::new(domain),
            recent: FxHashMap::default(),
            older: FxHashMap::default(),
            capacity,
            hits: 0,
        }
    }

    /// Whether the constraints have a common solution.
    pub fn ask(&mut self, question: &[Constraint], budget: &Budget) -> Arc<Answer> {
        let hash = FxBuildHasher.hash_one(question);
        if let Some(entry) = self.recall(hash, question) {
            self.hits += 1;
            return entry.answer;
        }
        let answer = Arc::new(self.solve(question, budget));
        if !matches!(*answer, Answer::Unknown(Reason::Stopped(_))) {
            self.remember(hash, Entry { question: question.into(), answer: Arc::clone(&answer) });
        }
        answer
    }

    /// What was done so far; questions that were answered from memory count as queries, too.
    pub fn statistics(&self) -> Statistics {
        let solved = *self.solver.statistics();
        Statistics { queries: solved.queries + self.hits, memo_hits: self.hits, ..solved }
    }

    fn recall(&mut self, hash: u64, question: &[Constraint]) -> Option<Entry> {
        // Two questions may have one hash: only the question itself decides.
        let is_asked = |entry: &&Entry| *entry.question == *question;
        if let Some(entry) = self.recent.get(&hash).filter(is_asked) {
            return Some(entry.clone());
        }
        let entry = self.older.get(&hash).filter(is_asked)?.clone();
        self.remember(hash, entry.clone());
        Some(entry)
    }

    fn remember(&mut self, hash: u64, entry: Entry) {
        if self.recent.len() >= self.capacity / 2 {
            self.older = std::mem::take(&mut self.recent);
        }
        if self.capacity >= 2 {
            self.recent.insert(hash, entry);
        }
    }

    fn solve(&mut self, question: &[Constraint], budget: &Budget) -> Answer {
        self.solver.reset();
        for constraint in question {
            self.solver.assert(constraint);
        }
        match (self.solver.check(budget), self.solver.model(), self.solver.proof()) {
            (Verdict::Sat, Some(model), _) => Answer::Sat(model.clone()),
            (Verdict::Unsat, _, Some(proof)) => Answer::Unsat(proof.clone()),
            (Verdict::Unknown(reason), _, _) => Answer::Unknown(reason),
            // A verdict always comes with its evidence; without, it would not be one.
            _ => Answer::Unknown(Reason::Pivots),
        }
    }
}

#[cfg(test)]
mod tests {
    use rely_base::Id;

    use super::*;
    use crate::linear::{LinearForm, VarId};

    fn bound(value: i64) -> Constraint {
        Constraint::le(&LinearForm::variable(VarId::from_index(0)), &LinearForm::constant(value))
    }

    #[test]
    fn the_memory_is_bounded_and_keeps_what_is_asked_again() {
        let mut memo = Memo::new(Domain::Integers, 10);
        let budget = Budget::unlimited();
        for value in 0..100 {
            memo.ask(&[bound(value)], &budget);
            memo.ask(&[bound(0)], &budget);
            assert!(memo.recent.len() + memo.older.len() <= 10);
        }
        // Every question was new except that about zero, which was never forgotten.
        assert_eq!(memo.statistics().memo_hits, 100);
        assert_eq!(memo.statistics().queries, 200);
    }

    #[test]
    fn an_answer_for_lack_of_time_is_asked_again() {
        let mut memo = Memo::new(Domain::Integers, 10);
        let token = rely_base::CancelToken::new();
        token.cancel();
        let question =
            [Constraint::lt(&LinearForm::variable(VarId::from_index(0)), &LinearForm::default()), {
                let (x, y) = (VarId::from_index(0), VarId::from_index(1));
                Constraint::le(&LinearForm::variable(y), &LinearForm::variable(x))
            }];
        let stopped = memo.ask(&question, &Budget::unlimited().with_token(token));
        assert!(matches!(*stopped, Answer::Unknown(Reason::Stopped(_)) | Answer::Sat(_)));
        assert!(matches!(*memo.ask(&question, &Budget::unlimited()), Answer::Sat(_)));
    }
}
