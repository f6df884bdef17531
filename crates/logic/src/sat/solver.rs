//! The solver that others see.

use rely_base::{Budget, Id, StopReason};
use rustc_hash::FxHashMap;

use super::bounds::Bounds;
use super::clause::{ClauseId, Derivation, Scope, Signed, UNFOUNDED};
use super::encode::{Atom, Disequality, NotLinear};
use super::interpretation::Interpretation;
use super::proof::BooleanProof;
use super::search::Search;
use super::statistics::SearchStatistics;
use super::theory::{Checked, Theory};
use crate::conjunction::{Limits, Reason};
use crate::linear::LinearForm;
use crate::term::{Node, TermId, TermPool, Value};

/// The answer to a question about formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is a model: [`Solver::interpretation`].
    Sat,
    /// There is none: [`Solver::proof`].
    Unsat,
    /// The effort did not suffice.
    Unknown(Obstacle),
}

/// Why a question about formulas was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Obstacle {
    /// The budget ended.
    #[error("{0}")]
    Stopped(StopReason),
    /// Some conjunction of comparisons was too hard.
    #[error("a conjunction was not decided: {0}")]
    Conjunction(Reason),
    /// The lemmas about operations that are not linear were used up without a decision.
    #[error("the lemmas on operations that are not linear did not suffice")]
    Lemmas,
    /// What was found did not pass the final evaluation.
    #[error("the model that was found is none")]
    NoModel,
}

/// What there was when a scope was entered.
#[derive(Clone, Copy, Debug)]
struct ScopeStart {
    formulas: usize,
    atoms: usize,
    disequalities: usize,
}

/// Formulas that grow, shrink and answer questions. See the [module](crate::sat).
#[derive(Clone, Debug)]
pub struct Solver {
    pub(super) search: Search,
    pub(super) theory: Theory,
    pub(super) atoms: Vec<Atom>,
    pub(super) literal_of: FxHashMap<TermId, Signed>,
    pub(super) bounds: FxHashMap<LinearForm, Bounds>,
    /// Equalities whose negations are needed.
    pub(super) disequalities: Vec<Disequality>,
    formulas: Vec<TermId>,
    scopes: Vec<ScopeStart>,
    /// Whether the last question opened a scope for its assumptions.
    assuming: bool,
    /// Whether the last question used clauses that do not follow from anything.
    blocked: Option<Reason>,
    interpretation: Option<Interpretation>,
    contradiction: Option<ClauseId>,
    statistics: SearchStatistics,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

/// Assignments that the theory cannot decide are skipped this many times in one question.
const MOST_BLOCKED: u32 = 16;
/// Conflicts before the first restart.
const RESTART_UNIT: u64 = 64;
/// Learnt clauses before the first reduction.
const LEARNT_LIMIT: usize = 2_000;

impl Solver {
    /// A solver without formulas.
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// A solver without formulas, with other limits than usual for each conjunction.
    pub fn with_limits(limits: Limits) -> Self {
        Self {
            search: Search::default(),
            theory: Theory::new(limits),
            atoms: Vec::new(),
            literal_of: FxHashMap::default(),
            bounds: FxHashMap::default(),
            disequalities: Vec::new(),
            formulas: Vec::new(),
            scopes: Vec::new(),
            assuming: false,
            blocked: None,
            interpretation: None,
            contradiction: None,
            statistics: SearchStatistics::default(),
        }
    }

    /// The formulas in force, in the order of their assertion.
    pub fn formulas(&self) -> &[TermId] {
        &self.formulas
    }

    /// What was done so far.
    pub fn statistics(&self) -> SearchStatistics {
        SearchStatistics {
            propagations: self.search.propagations,
            theory_checks: self.theory.checks,
            theory_conflicts: self.theory.conflicts,
            clauses: self.search.clauses.len() as u64,
            conjunction: *self.theory.conjunction.statistics(),
            ..self.statistics
        }
    }

    /// The present depth of scopes.
    pub(super) fn scope(&self) -> Scope {
        self.scopes.len() as Scope
    }

    /// Adds a formula: boolean structure over boolean variables and linear comparisons. The
    /// answer is its number in proofs. A formula with other terms is refused and changes nothing.
    pub fn assert(&mut self, pool: &mut TermPool, formula: TermId) -> Result<u32, NotLinear> {
        self.leave_question();
        let number = self.formulas.len() as u32;
        self.encode_formula(pool, formula, number)?;
        self.formulas.push(formula);
        Ok(number)
    }

    /// Remembers the present formulas, to come back to by [`pop`](Self::pop).
    pub fn push(&mut self) {
        self.leave_question();
        self.enter_scope();
    }

    fn enter_scope(&mut self) {
        self.scopes.push(ScopeStart {
            formulas: self.formulas.len(),
            atoms: self.atoms.len(),
            disequalities: self.disequalities.len(),
        });
    }

    /// Takes back all formulas since the last [`push`](Self::push); without one, all. What was
    /// learnt from the others stays.
    pub fn pop(&mut self) {
        self.leave_question();
        self.leave_scope();
    }

    fn leave_scope(&mut self) {
        let Some(start) = self.scopes.pop() else { return self.clear() };
        self.formulas.truncate(start.formulas);
        self.disequalities.truncate(start.disequalities);
        let scope = self.scope();
        self.search.shrink(start.atoms, scope);
        self.atoms.truncate(start.atoms);
        self.atoms.iter_mut().for_each(|atom| atom.leave_scopes_above(scope));
        self.literal_of.retain(|_, literal| literal.atom().index() < start.atoms);
        self.bounds.retain(|_, bounds| bounds.truncate(start.atoms));
        self.theory.restart();
    }

    /// Takes back all formulas and forgets what was learnt, but keeps the memory: cheaper than a
    /// new solver.
    pub fn reset(&mut self) {
        self.assuming = false;
        self.blocked = None;
        self.interpretation = None;
        self.contradiction = None;
        self.clear();
    }

    fn clear(&mut self) {
        self.search.reset();
        self.theory.reset();
        self.scopes.clear();
        self.formulas.clear();
        self.disequalities.clear();
        self.atoms.clear();
        self.literal_of.clear();
        self.bounds.clear();
    }

    /// Goes back to a state in which formulas can be added.
    fn leave_question(&mut self) {
        self.interpretation = None;
        self.contradiction = None;
        self.search.backtrack(0);
        self.theory.backtrack(0);
        if self.blocked.take().is_some() {
            self.search.shrink(self.atoms.len(), self.scopes.len() as Scope);
            self.theory.restart();
        }
        if std::mem::take(&mut self.assuming) {
            self.leave_scope();
        }
    }

    /// Whether the formulas have a common model.
    pub fn check(&mut self, pool: &TermPool, budget: &Budget) -> Outcome {
        self.leave_question();
        self.answer(pool, &[], &[], budget)
    }

    /// Whether the formulas and some assumptions have a common model. The assumptions are
    /// forgotten with the next question; in proofs they are numbered after the formulas.
    pub fn check_assuming(
        &mut self,
        pool: &mut TermPool,
        assumptions: &[TermId],
        budget: &Budget,
    ) -> Result<Outcome, NotLinear> {
        self.leave_question();
        self.enter_scope();
        self.assuming = true;
        let mut literals = Vec::new();
        for (place, &assumption) in assumptions.iter().enumerate() {
            match pool.node(assumption) {
                Node::Bool(true) => {}
                Node::Bool(false) => {
                    let formula = (self.formulas.len() + place) as u32;
                    let derivation = Derivation::Input { formula, conjunct: Some(0) };
                    let scope = self.scope();
                    self.search.add_clause(&[], derivation, scope);
                }
                _ => literals.push((self.encode_literal(pool, assumption)?, place as u32)),
            }
        }
        Ok(self.answer(pool, assumptions, &literals, budget))
    }

    /// The model that was found, after [`Outcome::Sat`].
    pub fn interpretation(&self) -> Option<&Interpretation> {
        self.interpretation.as_ref()
    }

    /// The refutation that was found, after [`Outcome::Unsat`]; it is put together when asked for.
    pub fn proof(&self) -> Option<BooleanProof> {
        self.contradiction.map(|clause| self.extract(clause))
    }

    fn answer(
        &mut self,
        pool: &TermPool,
        assumptions: &[TermId],
        literals: &[(Signed, u32)],
        budget: &Budget,
    ) -> Outcome {
        self.statistics.queries += 1;
        let outcome = match self.run(literals, budget) {
            Ok(outcome) => outcome,
            Err(reason) => return Outcome::Unknown(Obstacle::Stopped(reason)),
        };
        if outcome != Outcome::Sat {
            return outcome;
        }
        let interpretation = self.read_interpretation(pool);
        let holds = |&formula: &TermId| interpretation.satisfies(pool, formula);
        if !self.formulas.iter().chain(assumptions).all(holds) {
            return Outcome::Unknown(Obstacle::NoModel);
        }
        self.interpretation = Some(interpretation);
        Outcome::Sat
    }

    /// The search itself.
    fn run(&mut self, assumptions: &[(Signed, u32)], budget: &Budget) -> Result<Outcome, StopReason> {
        let mut restarts = 0;
        let mut until_restart = RESTART_UNIT;
        let mut learnt_limit = LEARNT_LIMIT;
        let mut blocked = 0;
        if let Some(empty) = self.search.empty {
            return Ok(self.refuted(empty));
        }
        loop {
            if let Some(conflict) = self.propagate(budget)? {
                if !self.conflict(conflict, budget)? {
                    return Ok(self.refuted(self.search.empty.expect("derived just now")));
                }
                until_restart = until_restart.saturating_sub(1);
                if self.search.learnt_attached > learnt_limit {
                    self.search.reduce_learnt();
                    learnt_limit += learnt_limit / 10;
                }
                continue;
            }
            if until_restart == 0 {
                restarts += 1;
                until_restart = RESTART_UNIT * luby(restarts);
                self.restart();
                continue;
            }
            if let Some(&(assumption, _)) = assumptions.get(self.search.level() as usize) {
                match self.search.value(assumption) {
                    Some(true) => self.search.open_level(),
                    Some(false) => return Ok(self.assumption_failed(assumption, assumptions)),
                    None => self.search.decide(assumption),
                }
                continue;
            }
            if let Some(literal) = self.search.next_decision() {
                self.statistics.decisions += 1;
                let literal = self.with_model_sign(literal);
                self.search.decide(literal);
                budget.check()?;
                continue;
            }
            if self.theory.is_satisfied() {
                return Ok(Outcome::Sat);
            }
            blocked += 1;
            if blocked > MOST_BLOCKED {
                return Ok(self.undecided());
            }
            let clause = self.theory.block(&mut self.search);
            if !self.conflict(clause, budget)? {
                return Ok(self.undecided());
            }
        }
    }

    /// Propagates in the clauses and the theory; the answer is a false clause.
    fn propagate(&mut self, budget: &Budget) -> Result<Option<ClauseId>, StopReason> {
        if let Some(conflict) = self.search.propagate() {
            return Ok(Some(conflict));
        }
        self.theory.hand_over(&mut self.search, &self.atoms);
        let (scopes, atoms) = (&self.scopes, self.atoms.len());
        // A lemma can stay as long as its atoms do.
        let scope_of = |literal: Signed| {
            debug_assert!(literal.atom().index() < atoms);
            scopes.partition_point(|start| start.atoms <= literal.atom().index()) as Scope
        };
        match self.theory.check(&mut self.search, scope_of, budget) {
            Checked::Consistent => Ok(None),
            Checked::Conflict(clause) => Ok(Some(clause)),
            Checked::Unknown(Reason::Stopped(reason)) => Err(reason),
            Checked::Unknown(reason) => {
                self.blocked = Some(reason);
                if matches!(reason, Reason::Splits | Reason::Work) && self.has_disequalities() {
                    self.restart();
                    self.split_disequalities();
                }
                Ok(None)
            }
        }
    }

    /// A decision about a comparison follows the theory's model, if there is one: then the model
    /// stays one, and only what is propagated from the decision can disturb it.
    fn with_model_sign(&self, literal: Signed) -> Signed {
        let constraints = self.atoms[literal.atom().index()].constraints.as_ref();
        match (constraints, self.theory.conjunction.model()) {
            (Some(constraints), Some(model)) => Signed::new(literal.atom(), model.satisfies(&constraints[0])),
            _ => literal,
        }
    }

    /// Learns from a conflict; false if that was the last one.
    fn conflict(&mut self, conflict: ClauseId, budget: &Budget) -> Result<bool, StopReason> {
        self.statistics.conflicts += 1;
        let goes_on = self.search.resolve_conflict(conflict);
        self.theory.backtrack(self.search.level());
        if goes_on {
            budget.check()?;
            budget.check_memory(self.search.clauses.bytes())?;
        }
        Ok(goes_on)
    }

    fn restart(&mut self) {
        self.statistics.restarts += 1;
        self.search.backtrack(0);
        self.theory.backtrack(0);
    }

    /// The empty clause is derived; but is it founded?
    fn refuted(&mut self, empty: ClauseId) -> Outcome {
        if self.search.clauses.record(empty).scope == UNFOUNDED {
            return self.undecided();
        }
        self.contradiction = Some(empty);
        Outcome::Unsat
    }

    fn undecided(&self) -> Outcome {
        Outcome::Unknown(self.blocked.map_or(Obstacle::NoModel, Obstacle::Conjunction))
    }

    /// Derives the contradiction between the formulas and the assumptions.
    fn assumption_failed(&mut self, failed: Signed, assumptions: &[(Signed, u32)]) -> Outcome {
        let formulas = self.formulas.len() as u32;
        let scope = self.scope();
        let opposite = assumptions.iter().find(|(literal, _)| *literal == failed.negated());
        let unit = |search: &mut Search, (literal, place): (Signed, u32)| {
            let derivation = Derivation::Input { formula: formulas + place, conjunct: None };
            search.record_clause(&[literal], derivation, scope)
        };
        let units: FxHashMap<_, _> =
            assumptions.iter().map(|&entry| (entry.0, unit(&mut self.search, entry))).collect();
        let explanation = match opposite {
            Some((literal, _)) if self.search.is_decision(*literal) => units[literal],
            _ => self.search.explain_false_assumption(failed),
        };
        let empty = self.search.refute(explanation, |literal| units[&literal.negated()]);
        self.refuted(empty)
    }

    /// The values of all variables, from the search and the theory.
    fn read_interpretation(&self, pool: &TermPool) -> Interpretation {
        let mut interpretation = Interpretation::default();
        for (atom, state) in self.atoms.iter().zip(&self.search.atoms) {
            if let (Some(variable), Some(true)) = (pool.as_var(atom.term), state.value) {
                interpretation.variables.insert(variable, Value::Bool(true));
            }
        }
        if let Some(model) = self.theory.conjunction.model() {
            for variable in model.variables() {
                if let Some(value) = model.integer(variable)
                    && !value.is_zero()
                {
                    interpretation.variables.insert(variable, Value::Int(value));
                }
            }
        }
        interpretation
    }
}

/// The sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ..., from number 1 on.
fn luby(mut number: u64) -> u64 {
    loop {
        let power = (number + 1).next_power_of_two();
        if power == number + 1 {
            return power / 2;
        }
        number -= power / 2 - 1;
    }
}
