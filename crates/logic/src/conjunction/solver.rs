//! The solver that others see.

use std::fmt;

use rely_base::{Budget, StopReason};

use super::differences::{self, Differences};
use super::effort::{Effort, Halt, Limits, Reason, Statistics};
use super::model::Model;
use super::number::Number;
use super::search::{Found, Search};
use super::simplex::Simplex;
use super::tableau::{DenseTableau, SparseTableau, Tableau};
use crate::arith::Integer;
use crate::certificate::{Hypothesis, Proof};
use crate::linear::{Constraint, Domain, LinearForm, Relation, VarId};

/// The answer to a question about satisfiability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is a solution: [`Conjunction::model`].
    Sat,
    /// There is none: [`Conjunction::proof`].
    Unsat,
    /// The limits or the budget did not suffice.
    Unknown(Reason),
}

/// The answer to a question about entailment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entailment {
    /// Every solution satisfies the constraint.
    Yes,
    /// Some solution does not.
    No,
    /// The limits or the budget did not suffice.
    Unknown(Reason),
}

/// A conjunction of linear constraints that grows, shrinks and answers questions.
///
/// One solver is meant to be used for many questions: it keeps its memory, its tableau and the
/// models it has found.
///
/// ```
/// use rely_base::{Budget, Id};
/// use rely_logic::{Conjunction, Constraint, Domain, LinearForm, VarId, Verdict};
///
/// let (x, y) = (VarId::from_index(0), VarId::from_index(1));
/// let (x, y) = (LinearForm::variable(x), LinearForm::variable(y));
/// let budget = Budget::unlimited();
/// let mut solver = Conjunction::new(Domain::Integers);
/// solver.assert(&Constraint::lt(&x, &y));
/// assert_eq!(solver.check(&budget), Verdict::Sat);
/// solver.push();
/// solver.assert(&Constraint::le(&y, &x));
/// assert_eq!(solver.check(&budget), Verdict::Unsat);
/// solver.pop();
/// assert_eq!(solver.check(&budget), Verdict::Sat);
/// ```
#[derive(Clone)]
pub struct Conjunction {
    domain: Domain,
    limits: Limits,
    constraints: Vec<Constraint>,
    /// How many constraints there were at each push.
    scopes: Vec<usize>,
    words: Simplex<i64, DenseTableau<i64>>,
    big: Simplex<Integer, SparseTableau<Integer>>,
    /// The number of constraints with which machine words or dense rows did not suffice; as long
    /// as there are that many, big numbers and sparse rows are used.
    outgrown_at: Option<usize>,
    /// Models of all constraints that are in force, the latest one last.
    models: Vec<Model>,
    /// How many of the constraints sufficed to be refuted, and the proof, in which the hypotheses
    /// of cuts and splits are numbered from the end of all constraints.
    refuted: Option<(usize, Option<Proof>)>,
    proofs: bool,
    statistics: Statistics,
}

/// The largest absolute values in the boxes that are tried.
const BOX_SIZES: [i64; 3] = [20, 400, 20_000];
/// The coefficients of the largest tableau with dense rows.
const DENSE_LIMIT: usize = 1 << 17;

impl Conjunction {
    /// The empty conjunction over the given numbers.
    pub fn new(domain: Domain) -> Self {
        Self::with_limits(domain, Limits::default())
    }

    /// The empty conjunction, with other limits than usual.
    pub fn with_limits(domain: Domain, limits: Limits) -> Self {
        Self {
            domain,
            limits,
            constraints: Vec::new(),
            scopes: Vec::new(),
            words: Simplex::default(),
            big: Simplex::default(),
            outgrown_at: None,
            models: Vec::new(),
            refuted: None,
            proofs: true,
            statistics: Statistics::default(),
        }
    }

    /// The numbers over which questions are asked.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// The constraints in force, in order.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// What was done so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Whether refutations are written down, which they are unless this says otherwise. Without,
    /// `Unsat` comes a little sooner but has neither a proof nor a core.
    pub fn set_proofs(&mut self, wanted: bool) {
        self.proofs = wanted;
    }

    /// Adds a constraint. The answer is its number in proofs and cores.
    pub fn assert(&mut self, constraint: &Constraint) -> Hypothesis {
        let number = Hypothesis(self.constraints.len() as u32);
        if let Some((_, Some(proof))) = &mut self.refuted {
            proof.move_inputs(self.constraints.len(), self.constraints.len() + 1);
        }
        // Strict inequalities are for the rationals; over the integers they can be tightened.
        let constraint = match (self.domain, constraint.relation()) {
            (Domain::Integers, Relation::Lt) => Constraint::new(constraint.form().clone(), Relation::Lt),
            _ => constraint.clone(),
        };
        self.models.retain(|model| model.satisfies(&constraint));
        self.constraints.push(constraint);
        number
    }

    /// Remembers the present constraints, to come back to by [`pop`](Self::pop).
    pub fn push(&mut self) {
        self.scopes.push(self.constraints.len());
    }

    /// Takes back all constraints since the last [`push`](Self::push); without one, all.
    pub fn pop(&mut self) {
        let kept = self.scopes.pop().unwrap_or(0);
        self.truncate(kept);
    }

    /// Takes back everything, but keeps the memory.
    pub fn reset(&mut self) {
        self.scopes.clear();
        self.constraints.clear();
        self.words.clear();
        self.big.clear();
        self.outgrown_at = None;
        self.models.clear();
        self.refuted = None;
    }

    fn truncate(&mut self, kept: usize) {
        if kept == 0 {
            let scopes = std::mem::take(&mut self.scopes);
            self.reset();
            self.scopes = scopes;
            return;
        }
        match &mut self.refuted {
            Some((count, _)) if *count > kept => self.refuted = None,
            Some((_, Some(proof))) => proof.move_inputs(self.constraints.len(), kept),
            Some((_, None)) | None => {}
        }
        self.constraints.truncate(kept);
        if self.words.retract(kept).is_err() {
            self.words.clear();
        }
        // Big numbers do not overflow.
        let _ = self.big.retract(kept);
        if self.outgrown_at.is_some_and(|count| count > kept) {
            self.outgrown_at = None;
            self.big.clear();
        }
    }

    /// Whether the constraints have a common solution.
    pub fn check(&mut self, budget: &Budget) -> Verdict {
        self.statistics.queries += 1;
        if !self.models.is_empty() {
            self.statistics.model_hits += 1;
            return Verdict::Sat;
        }
        if self.refuted.is_some() {
            return Verdict::Unsat;
        }
        match self.solve(budget) {
            Ok(Found::Model(model)) => {
                self.models.push(model);
                Verdict::Sat
            }
            Ok(Found::Refuted(proof)) => {
                self.refuted = Some((self.constraints.len(), proof));
                Verdict::Unsat
            }
            Err(reason) => Verdict::Unknown(reason),
        }
    }

    fn solve(&mut self, budget: &Budget) -> Result<Found, Reason> {
        let mut effort = Effort::new(budget, self.limits);
        let question = Question { domain: self.domain, constraints: &self.constraints, proofs: self.proofs };
        let mut outcome = Err(Halt::TooSmall);
        if self.outgrown_at.is_none() {
            outcome = question.run(&mut self.words, &mut effort, DENSE_LIMIT);
            if outcome.is_err() {
                self.words.clear();
            }
            if matches!(outcome, Err(Halt::TooSmall)) {
                self.statistics.overflows += 1;
                self.outgrown_at = Some(self.constraints.len());
            }
        }
        if self.outgrown_at.is_some() {
            outcome = match question.differences(budget) {
                Ok(Some(found)) => Ok(found),
                Ok(None) => question.run(&mut self.big, &mut effort, usize::MAX),
                Err(halt) => Err(halt),
            };
            if outcome.is_err() {
                self.big.clear();
            }
        }
        effort.report(&mut self.statistics);
        if matches!(outcome, Err(Halt::GaveUp(Reason::Splits)))
            && let Some(model) = self.model_in_a_box(budget)
        {
            return Ok(Found::Model(model));
        }
        outcome.map_err(|halt| match halt {
            Halt::GaveUp(reason) => reason,
            // Big numbers do not overflow; if they did, there would be no answer.
            Halt::TooSmall => Reason::Stopped(StopReason::Memory),
        })
    }

    /// A solution with small values, if there is one that is easy to find. The search for integers
    /// can run away along an unbounded direction; in a box it cannot.
    fn model_in_a_box(&mut self, budget: &Budget) -> Option<Model> {
        if self.domain != Domain::Integers
            || self.limits.splits < self.limits.box_splits
            || self.limits.box_splits == 0
        {
            return None;
        }
        let mut variables: Vec<VarId> =
            self.constraints.iter().flat_map(|constraint| constraint.form().variables()).collect();
        variables.sort_unstable();
        variables.dedup();
        // Below the limit for a box, no box is tried within a box.
        let limits = Limits { splits: self.limits.box_splits - 1, ..self.limits };
        let mut boxed = Conjunction::with_limits(self.domain, limits);
        for size in BOX_SIZES {
            boxed.reset();
            self.constraints.iter().for_each(|constraint| {
                boxed.assert(constraint);
            });
            for &variable in &variables {
                let (value, size) = (LinearForm::variable(variable), LinearForm::constant(size));
                boxed.assert(&Constraint::le(&value, &size));
                boxed.assert(&Constraint::ge(&value, &size.negated()));
            }
            if boxed.check(budget) == Verdict::Sat {
                break;
            }
        }
        // The questions about boxes are part of the answer to one question.
        let work = *boxed.statistics();
        self.statistics += Statistics { queries: 0, model_hits: 0, ..work };
        boxed.models.pop()
    }

    /// A solution, after [`Verdict::Sat`].
    pub fn model(&self) -> Option<&Model> {
        self.models.last()
    }

    /// The refutation of [`constraints`](Self::constraints), after [`Verdict::Unsat`].
    pub fn proof(&self) -> Option<&Proof> {
        self.refuted.as_ref().and_then(|(_, proof)| proof.as_ref())
    }

    /// The numbers of the constraints that the refutation uses, ascending, after
    /// [`Verdict::Unsat`].
    pub fn core(&self) -> Option<Vec<usize>> {
        self.proof().map(|proof| proof.core(self.constraints.len()))
    }

    /// Whether every solution of the constraints satisfies another one. Meant for many questions
    /// about one conjunction: the tableau stays as it is, and a model that was found for one
    /// question often answers the next. No proof is kept; who wants one asserts the negation.
    pub fn entails(&mut self, constraint: &Constraint, budget: &Budget) -> Entailment {
        if constraint.is_true() || self.refuted.is_some() {
            self.statistics.queries += 1;
            return Entailment::Yes;
        }
        if self.models.iter().any(|model| !model.satisfies(constraint)) {
            self.statistics.queries += 1;
            self.statistics.model_hits += 1;
            return Entailment::No;
        }
        let known = std::mem::take(&mut self.models);
        let proofs = std::mem::replace(&mut self.proofs, false);
        self.push();
        self.assert(&constraint.negated_over(self.domain));
        let verdict = self.check(budget);
        let found = self.models.pop();
        self.models = known;
        self.proofs = proofs;
        self.pop();
        if self.models.len() >= self.limits.models && !self.models.is_empty() {
            self.models.remove(0);
        }
        if self.models.len() < self.limits.models {
            self.models.extend(found);
        }
        match verdict {
            Verdict::Sat => Entailment::No,
            Verdict::Unsat => Entailment::Yes,
            Verdict::Unknown(reason) => Entailment::Unknown(reason),
        }
    }

    /// A refutation's core from which nothing can be left out, after [`Verdict::Unsat`]. Where a
    /// smaller question is `Unknown`, the constraint stays. `None` if there is no refutation.
    pub fn minimal_core(&self, budget: &Budget) -> Option<Vec<usize>> {
        let proof = self.proof()?;
        let mut core = proof.core(self.constraints.len());
        // The combination of a single vertex has no superfluous part over the rationals; over the
        // integers, fewer constraints may suffice for another reason.
        if self.domain == Domain::Rationals && proof.as_farkas().is_some() {
            return Some(core);
        }
        let mut solver = Conjunction::with_limits(self.domain, self.limits);
        let mut position = 0;
        while position < core.len() {
            solver.reset();
            for &index in core.iter().filter(|&&index| index != core[position]) {
                solver.assert(&self.constraints[index]);
            }
            match (solver.check(budget), solver.core()) {
                (Verdict::Unsat, Some(smaller)) => {
                    let without: Vec<usize> =
                        core.iter().copied().filter(|&index| index != core[position]).collect();
                    core = smaller.into_iter().map(|index| without[index]).collect();
                }
                _ => position += 1,
            }
        }
        Some(core)
    }
}

impl fmt::Debug for Conjunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.constraints).finish()
    }
}

/// What is asked of a simplex.
struct Question<'a> {
    domain: Domain,
    constraints: &'a [Constraint],
    proofs: bool,
}

impl Question<'_> {
    /// Loads what is not loaded yet and searches.
    fn run<N: Number, T: Tableau<N>>(
        &self,
        simplex: &mut Simplex<N, T>,
        effort: &mut Effort<'_>,
        size_limit: usize,
    ) -> Result<Found, Halt> {
        if let Some(proof) = self.load(simplex, effort, size_limit)? {
            return Ok(Found::Refuted(Some(proof)));
        }
        Search::new(self.domain, simplex, self.constraints, effort, self.proofs).run()
    }

    /// Asserts the constraints that the simplex does not know yet; a contradiction between bounds
    /// ends it. The contradictory constraint is not loaded then.
    fn load<N: Number, T: Tableau<N>>(
        &self,
        simplex: &mut Simplex<N, T>,
        effort: &Effort<'_>,
        size_limit: usize,
    ) -> Result<Option<Proof>, Halt> {
        while let Some(constraint) = self.constraints.get(simplex.hypotheses()) {
            let before = simplex.hypotheses();
            if let Some(conflict) = simplex.assert(constraint)? {
                simplex.retract(before)?;
                return Ok(Some(Proof::farkas(conflict)));
            }
            effort.check_size(simplex.size())?;
            if simplex.size() > size_limit {
                return Err(Halt::TooSmall);
            }
        }
        Ok(None)
    }

    /// What shortest paths can tell without a tableau, if it is an answer.
    fn differences(&self, budget: &Budget) -> Result<Option<Found>, Halt> {
        let holds = |model: &Model| self.constraints.iter().all(|constraint| model.satisfies(constraint));
        Ok(match differences::decide(self.constraints, budget)? {
            Differences::Conflict(combination) => Some(Found::Refuted(Some(Proof::farkas(combination)))),
            Differences::Point(model) if holds(&model) => Some(Found::Model(model)),
            Differences::Point(_) | Differences::TooLarge => None,
        })
    }
}
