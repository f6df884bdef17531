//! Answers to questions that were asked before.

use std::rc::Rc;

use rely_base::Budget;
use rustc_hash::FxHashMap;

use super::solve::Workshop;
use super::{FormulaAnswer, Satisfiability};
use crate::term::{TermId, TermPool};

/// Answers questions about formulas of one pool and remembers the answers, as many as it may.
///
/// When the memo is full the older half is forgotten, except what was asked for since.
#[derive(Debug)]
pub struct FormulaSolver {
    capacity: usize,
    /// Answers of the present and of the previous generation.
    young: FxHashMap<Box<[TermId]>, Rc<FormulaAnswer>>,
    old: FxHashMap<Box<[TermId]>, Rc<FormulaAnswer>>,
    workshop: Workshop,
    queries: u64,
    hits: u64,
}

impl FormulaSolver {
    /// A solver that remembers about as many answers as `capacity` says.
    pub fn new(capacity: usize) -> Self {
        let (young, old) = (FxHashMap::default(), FxHashMap::default());
        Self { capacity, young, old, workshop: Workshop::default(), queries: 0, hits: 0 }
    }

    /// Whether the formulas have a common model. All questions to one solver must be about terms
    /// of the same pool. An `Unknown` is not remembered: the next budget may be larger.
    pub fn satisfiable(
        &mut self,
        pool: &mut TermPool,
        formulas: &[TermId],
        budget: &Budget,
    ) -> Rc<FormulaAnswer> {
        self.queries += 1;
        // The order matters in refutations, which number the formulas.
        if let Some(answer) = self.recall(formulas) {
            self.hits += 1;
            return answer;
        }
        let answer = Rc::new(self.workshop.solve(pool, formulas, budget));
        if !matches!(answer.satisfiability, Satisfiability::Unknown(_)) {
            self.remember(formulas.into(), Rc::clone(&answer));
        }
        answer
    }

    /// How many questions were asked.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// How many of them were answered from memory.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    fn recall(&mut self, formulas: &[TermId]) -> Option<Rc<FormulaAnswer>> {
        if let Some(answer) = self.young.get(formulas) {
            return Some(Rc::clone(answer));
        }
        let (formulas, answer) = self.old.remove_entry(formulas)?;
        self.remember(formulas, Rc::clone(&answer));
        Some(answer)
    }

    fn remember(&mut self, formulas: Box<[TermId]>, answer: Rc<FormulaAnswer>) {
        if self.young.len() >= self.capacity.div_ceil(2) {
            self.old = std::mem::take(&mut self.young);
        }
        if self.capacity > 0 {
            self.young.insert(formulas, answer);
        }
    }
}
