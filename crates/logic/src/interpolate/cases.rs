//! Refutation of a tree of formulas by distinguishing cases.
//!
//! All literals of the formulas are asserted; a model that satisfies them but not some disjunction
//! leads to a case distinction over its disjuncts. A disjunction belongs to one part, so the
//! interpolants of the cases are combined as those of any case distinction. A case that a
//! refutation did not use is no case, and the whole distinction is dropped. Refutations of earlier
//! cases are remembered: they often close later cases as well.
//!
//! Formulas of programs are mostly conjunctions with a few disjunctions, for which this finds
//! interpolants that are as simple as those of conjunctions.

use rely_base::Budget;
use rustc_hash::{FxHashMap, FxHashSet};

use super::decide::{Effort, Outcome};
use super::extract::{Interpolants, Owned, combine};
use super::parts::{PartId, PartTree};
use super::refute::{Refutation, Refuter};
use super::translate::Problem;
use super::unknown::Unknown;
use crate::conjunction::{Conjunction, Limits, Model, Reason, Verdict};
use crate::linear::Domain;
use crate::term::{Node, TermId, TermPool};

/// Nested cases beyond this are not followed: they are on the stack.
const MAX_DEPTH: usize = 200;

/// Decides a problem by cases.
pub(super) fn by_cases(problem: &mut Problem, effort: Effort<'_>, budget: &Budget) -> Outcome {
    let Problem { pool, tree, formulas, .. } = problem;
    let limits = effort.limits;
    let quick = Limits { splits: limits.quick_splits, ..Limits::default() };
    let mut search = Search {
        pool,
        tree,
        solver: Conjunction::with_limits(Domain::Integers, quick),
        refuter: Refuter::new(budget, effort),
        budget,
        cases_left: limits.cases,
        lessons_left: limits.lessons,
        patience: effort.splits,
        facts: Vec::new(),
        levels: Vec::new(),
        choices: Vec::new(),
        lessons: Vec::new(),
    };
    for part in search.tree.parts() {
        search.assert(formulas[rely_base::Id::index(part)], part, 0);
    }
    match search.close(0) {
        Ok(closed) => Outcome::Refuted(closed.interpolants),
        Err(End::Model(model)) => Outcome::Model(model),
        Err(End::Unknown(unknown)) => Outcome::Unknown(unknown),
    }
}

/// Why a case was not closed.
enum End {
    Model(Model),
    Unknown(Unknown),
}

/// A disjunction of some part, and the case that it comes from.
struct Choice {
    part: PartId,
    disjuncts: Box<[TermId]>,
    level: usize,
    /// Whether one of the disjuncts is assumed already.
    made: bool,
}

/// A case that was refuted, and which of the enclosing cases that needed.
struct Closed {
    interpolants: Interpolants,
    levels: FxHashSet<usize>,
}

struct Search<'a> {
    pool: &'a mut TermPool,
    tree: &'a PartTree,
    solver: Conjunction,
    refuter: Refuter<'a>,
    budget: &'a Budget,
    cases_left: usize,
    lessons_left: usize,
    /// Case distinctions of the solver where there is no other way.
    patience: usize,
    /// What the solver knows, in its order.
    facts: Vec<Owned>,
    /// The cases that the facts come from.
    levels: Vec<usize>,
    choices: Vec<Choice>,
    /// Facts that contradict each other, with the interpolants.
    lessons: Vec<(Vec<Owned>, Interpolants)>,
}

impl Search<'_> {
    fn assert(&mut self, formula: TermId, part: PartId, level: usize) {
        let mut stack = vec![formula];
        while let Some(term) = stack.pop() {
            match self.pool.node(term) {
                Node::And(parts) => stack.extend(parts.iter().rev()),
                Node::Or(parts) => {
                    self.choices.push(Choice { part, disjuncts: parts.clone(), level, made: false });
                }
                _ => {
                    // Everything else was made linear on the way in.
                    let Some(constraint) = self.pool.constraint(term) else { continue };
                    if !constraint.is_true() {
                        self.solver.assert(&constraint);
                        self.facts.push(Owned { constraint, part });
                        self.levels.push(level);
                    }
                }
            }
        }
    }

    fn close(&mut self, level: usize) -> Result<Closed, End> {
        if level > MAX_DEPTH {
            return Err(End::Unknown(Unknown::Cases));
        }
        if let Err(reason) = self.budget.check() {
            return Err(End::Unknown(Unknown::Solver(Reason::Stopped(reason))));
        }
        if let Some(closed) = self.recall() {
            return Ok(closed);
        }
        match self.solver.check(self.budget) {
            Verdict::Unsat => {
                let core = self.solver.core().unwrap_or_default();
                self.leaf(core).map_err(End::Unknown)
            }
            Verdict::Sat => match self.solver.model().cloned() {
                Some(model) => self.close_model(model, level),
                None => Err(End::Unknown(Unknown::Rejected)),
            },
            Verdict::Unknown(_) => self.close_hard(level),
        }
    }

    /// Goes on where the literals alone are satisfiable.
    fn close_model(&mut self, model: Model, level: usize) -> Result<Closed, End> {
        match self.next_choice(|search, choice| !search.is_satisfied(choice, &model)) {
            Some(position) => self.distinguish(position, level),
            None => Err(End::Model(model)),
        }
    }

    /// Goes on where the solver has no answer soon: any case distinction may help, and only when
    /// there is none left, more is asked of the solver.
    fn close_hard(&mut self, level: usize) -> Result<Closed, End> {
        if let Some(position) = self.next_choice(|_, _| true) {
            return self.distinguish(position, level);
        }
        let limits = Limits { splits: self.patience, ..Limits::default() };
        let mut solver = Conjunction::with_limits(Domain::Integers, limits);
        for fact in &self.facts {
            solver.assert(&fact.constraint);
        }
        match solver.check(self.budget) {
            Verdict::Unsat => self.leaf(solver.core().unwrap_or_default()).map_err(End::Unknown),
            Verdict::Sat => Err(solver.model().cloned().map_or(End::Unknown(Unknown::Rejected), End::Model)),
            Verdict::Unknown(reason) => Err(End::Unknown(Unknown::Solver(reason))),
        }
    }

    /// A remembered refutation that applies.
    fn recall(&self) -> Option<Closed> {
        if self.lessons.is_empty() {
            return None;
        }
        let mut known: FxHashMap<&Owned, usize> = FxHashMap::default();
        for (fact, level) in self.facts.iter().zip(&self.levels) {
            known.entry(fact).or_insert(*level);
        }
        self.lessons.iter().find_map(|(facts, interpolants)| {
            let levels = facts.iter().map(|fact| known.get(fact).copied()).collect::<Option<_>>()?;
            Some(Closed { interpolants: interpolants.clone(), levels })
        })
    }

    fn leaf(&mut self, core: Vec<usize>) -> Result<Closed, Unknown> {
        self.cases_left = self.cases_left.checked_sub(1).ok_or(Unknown::Cases)?;
        let Refutation { interpolants, used } =
            self.refuter.interpolants(self.pool, self.tree, &self.facts, core)?;
        let levels = used.iter().map(|&index| self.levels[index]).collect();
        if let Some(left) = self.lessons_left.checked_sub(1) {
            self.lessons_left = left;
            let facts = used.iter().map(|&index| self.facts[index].clone()).collect();
            self.lessons.push((facts, interpolants.clone()));
        }
        Ok(Closed { interpolants, levels })
    }

    /// The disjunction with the fewest disjuncts among those that are open and eligible.
    fn next_choice(&self, eligible: impl Fn(&Self, &Choice) -> bool) -> Option<usize> {
        let open =
            self.choices.iter().enumerate().filter(|(_, choice)| !choice.made && eligible(self, choice));
        open.min_by_key(|(_, choice)| choice.disjuncts.len()).map(|(position, _)| position)
    }

    fn is_satisfied(&self, choice: &Choice, model: &Model) -> bool {
        choice.disjuncts.iter().any(|&disjunct| satisfies(self.pool, model, disjunct))
    }

    fn distinguish(&mut self, position: usize, level: usize) -> Result<Closed, End> {
        let choice = &mut self.choices[position];
        choice.made = true;
        let (part, disjuncts, origin) = (choice.part, choice.disjuncts.clone(), choice.level);
        let result = self.all_cases(part, &disjuncts, origin, level);
        self.choices[position].made = false;
        result
    }

    fn all_cases(
        &mut self,
        part: PartId,
        disjuncts: &[TermId],
        origin: usize,
        level: usize,
    ) -> Result<Closed, End> {
        let mut levels: FxHashSet<usize> = [origin].into_iter().collect();
        let mut cases = Vec::new();
        for &disjunct in disjuncts {
            let mut closed = self.case(disjunct, part, level + 1)?;
            if !closed.levels.remove(&(level + 1)) {
                return Ok(closed);
            }
            levels.extend(closed.levels);
            cases.push(closed.interpolants);
        }
        Ok(Closed { interpolants: combine(self.pool, self.tree, part, &cases), levels })
    }

    fn case(&mut self, disjunct: TermId, part: PartId, level: usize) -> Result<Closed, End> {
        let (facts, choices) = (self.facts.len(), self.choices.len());
        self.solver.push();
        self.assert(disjunct, part, level);
        let result = self.close(level);
        self.solver.pop();
        self.facts.truncate(facts);
        self.levels.truncate(facts);
        self.choices.truncate(choices);
        result
    }
}

/// Whether a model satisfies a formula in negation normal form.
fn satisfies(pool: &TermPool, model: &Model, formula: TermId) -> bool {
    match pool.node(formula) {
        Node::And(parts) => parts.iter().all(|&part| satisfies(pool, model, part)),
        Node::Or(parts) => parts.iter().any(|&part| satisfies(pool, model, part)),
        _ => pool.constraint(formula).is_some_and(|constraint| model.satisfies(&constraint)),
    }
}
