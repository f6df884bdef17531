//! The loop between the linear solver and the lemmas.

use rely_base::Budget;
use rustc_hash::FxHashSet;

use super::abstraction::Abstraction;
use super::lemma::Lemma;
use super::refine::{ConstantBounds, Reading};
use super::refutation::Refutation;
use super::{FormulaAnswer, Satisfiability};
use crate::conjunction::Conjunction;
use crate::linear::Domain;
use crate::sat::{Direct, Interpretation, Obstacle, Outcome, SearchStatistics, Solver, decide_conjunction};
use crate::term::{TermId, TermPool};

/// Rounds of models and lemmas before giving up.
const MOST_ROUNDS: usize = 100;
/// New lemmas about one term in one round.
const LEMMAS_PER_TERM: usize = 2;

/// What questions leave behind for the next one: memory.
#[derive(Clone, Debug)]
pub(super) struct Workshop {
    solver: Solver,
    conjunction: Conjunction,
}

impl Default for Workshop {
    fn default() -> Self {
        Self { solver: Solver::new(), conjunction: Conjunction::new(Domain::Integers) }
    }
}

/// One question.
struct Question<'a> {
    solver: &'a mut Solver,
    abstraction: Abstraction,
    /// Lemmas asserted, in order, and the set of them.
    lemmas: Vec<Lemma>,
    known: FxHashSet<Lemma>,
    /// The linear formulas, in order: originals, then lemmas.
    abstractions: Vec<TermId>,
    bounds: ConstantBounds,
}

impl Workshop {
    /// Whether the formulas have a common model, whatever operations they use.
    pub(super) fn solve(
        &mut self,
        pool: &mut TermPool,
        formulas: &[TermId],
        budget: &Budget,
    ) -> FormulaAnswer {
        let work = |conjunction: &Conjunction| SearchStatistics {
            conjunction: *conjunction.statistics(),
            ..SearchStatistics::default()
        };
        let before = work(&self.conjunction);
        if let Some(direct) = decide_conjunction(pool, formulas, &mut self.conjunction, budget) {
            let satisfiability = direct_answer(direct, formulas);
            let statistics = work(&self.conjunction).since(&before);
            return FormulaAnswer { satisfiability, statistics, lemmas: 0 };
        }
        self.solver.reset();
        let before = self.solver.statistics();
        let mut question = Question {
            solver: &mut self.solver,
            abstraction: Abstraction::default(),
            lemmas: Vec::new(),
            known: FxHashSet::default(),
            abstractions: Vec::new(),
            bounds: ConstantBounds::default(),
        };
        let satisfiability = question.run(pool, formulas, budget);
        let lemmas = question.lemmas.len() as u64;
        let statistics = self.solver.statistics().since(&before);
        FormulaAnswer { satisfiability, statistics, lemmas }
    }
}

/// The answer of a conjunction of linear comparisons.
fn direct_answer(direct: Direct, formulas: &[TermId]) -> Satisfiability {
    match direct {
        Direct::Sat(interpretation) => Satisfiability::Sat(interpretation),
        Direct::Unsat(proof) => Satisfiability::Unsat(Refutation {
            definitions: Vec::new(),
            lemmas: Vec::new(),
            abstractions: formulas.to_vec(),
            proof,
        }),
        Direct::Stopped(reason) => Satisfiability::Unknown(Obstacle::Stopped(reason)),
    }
}

impl Question<'_> {
    fn run(&mut self, pool: &mut TermPool, formulas: &[TermId], budget: &Budget) -> Satisfiability {
        self.abstraction.survey(pool, formulas);
        for &formula in formulas {
            let linear = self.abstraction.linear(pool, formula);
            if let Err(obstacle) = self.assert(pool, linear) {
                return Satisfiability::Unknown(obstacle);
            }
        }
        for _ in 0..MOST_ROUNDS {
            if let Err(obstacle) = self.assert_pending(pool, budget) {
                return Satisfiability::Unknown(obstacle);
            }
            let model = match self.solver.check(pool, budget) {
                Outcome::Sat => self.solver.interpretation().cloned().unwrap_or_default(),
                Outcome::Unsat => return self.refuted(),
                Outcome::Unknown(obstacle) => return Satisfiability::Unknown(obstacle),
            };
            if let Some(answer) = self.judge(pool, formulas, &model) {
                return answer;
            }
        }
        Satisfiability::Unknown(Obstacle::Lemmas)
    }

    fn assert(&mut self, pool: &mut TermPool, linear: TermId) -> Result<(), Obstacle> {
        self.bounds.read(pool, linear);
        self.abstractions.push(linear);
        // The abstraction leaves nothing that the linear solver would refuse.
        self.solver.assert(pool, linear).map(|_| ()).map_err(|_| Obstacle::Lemmas)
    }

    /// Asserts the lemmas that terms brought along, and those of the terms in these.
    fn assert_pending(&mut self, pool: &mut TermPool, budget: &Budget) -> Result<(), Obstacle> {
        loop {
            self.abstraction.cover_operands(pool);
            if self.abstraction.pending.is_empty() {
                return Ok(());
            }
            for lemma in std::mem::take(&mut self.abstraction.pending) {
                budget.check().map_err(Obstacle::Stopped)?;
                self.add_lemma(pool, lemma)?;
            }
        }
    }

    fn add_lemma(&mut self, pool: &mut TermPool, lemma: Lemma) -> Result<(), Obstacle> {
        let Some(statement) = lemma.statement(pool) else { return Ok(()) };
        if pool.as_truth(statement) == Some(true) {
            return Ok(());
        }
        if self.known.insert(lemma.clone()) {
            let linear = self.abstraction.linear(pool, statement);
            self.lemmas.push(lemma);
            self.assert(pool, linear)?;
        }
        Ok(())
    }

    /// An answer if the model is one of the original formulas or cannot be improved; otherwise
    /// lemmas are queued that exclude it.
    fn judge(
        &mut self,
        pool: &mut TermPool,
        formulas: &[TermId],
        model: &Interpretation,
    ) -> Option<Satisfiability> {
        let reading = Reading::new(pool, &self.abstraction, model);
        if formulas.iter().all(|&formula| reading.candidate.satisfies(pool, formula)) {
            return Some(Satisfiability::Sat(reading.candidate));
        }
        let objections = reading.objections(&self.bounds);
        let before = self.abstraction.pending.len();
        for lemmas in objections {
            let mut taken = 0;
            for lemma in lemmas {
                if taken < LEMMAS_PER_TERM && self.excludes(pool, &lemma, model) {
                    self.abstraction.pending.push(lemma);
                    taken += 1;
                }
            }
        }
        (self.abstraction.pending.len() == before).then_some(Satisfiability::Unknown(Obstacle::Lemmas))
    }

    /// Whether a lemma is new and false in a model (or about terms that the model does not know).
    fn excludes(&mut self, pool: &mut TermPool, lemma: &Lemma, model: &Interpretation) -> bool {
        if self.known.contains(lemma) {
            return false;
        }
        let Some(statement) = lemma.statement(pool) else { return false };
        let terms = self.abstraction.definitions.len();
        let linear = self.abstraction.linear(pool, statement);
        self.abstraction.definitions.len() > terms || !model.satisfies(pool, linear)
    }

    fn refuted(&self) -> Satisfiability {
        match self.solver.proof() {
            Some(proof) => Satisfiability::Unsat(Refutation {
                definitions: self.abstraction.definitions.clone(),
                lemmas: self.lemmas.clone(),
                abstractions: self.abstractions.clone(),
                proof,
            }),
            None => Satisfiability::Unknown(Obstacle::NoModel),
        }
    }
}
