//! Which cells a refinement has to speak of.
//!
//! A counterexample can be excluded for many reasons, and a solver takes the first it finds: that a
//! counter which nobody compares has another value at the end, say. Predicates about such cells only
//! multiply abstract states. So before predicates are looked for, a smallest set of cells is:
//! clauses whose unknowns speak of these cells alone still have a solution. Whether they have is
//! one question to the solver, because a cell of which no unknown speaks is simply not the same
//! variable in the clauses on both sides.

use super::clauses::{Clauses, Unknown};
use rely_base::{Arena, Budget, Id};
use rely_logic::{Conjunction, Constraint, Domain, LinearForm, VarId, Verdict};
use rely_symbolic::{System, updated};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// The search for a smallest vocabulary.
pub(crate) struct Vocabulary<'v, 'p> {
    system: &'v System<'p>,
    clauses: &'v Clauses,
    /// Derivations with more steps than this are not looked at.
    most_steps: usize,
    budget: &'v Budget,
    /// The clause whose conclusion each unknown is.
    defining: Arena<Unknown, usize>,
    solver: Conjunction,
}

impl<'v, 'p> Vocabulary<'v, 'p> {
    pub(crate) fn new(
        system: &'v System<'p>,
        clauses: &'v Clauses,
        most_steps: usize,
        budget: &'v Budget,
    ) -> Self {
        let mut defining: Arena<Unknown, usize> = clauses.cells.values().map(|_| 0).collect();
        for (index, clause) in clauses.list.iter().enumerate() {
            if let Some((unknown, _)) = &clause.conclusion {
                defining[*unknown] = index;
            }
        }
        let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
        solver.set_proofs(false);
        Vocabulary { system, clauses, most_steps, budget, defining, solver }
    }

    /// Cells of which none can be left out; `None` if all of them do not suffice, or if it cannot
    /// be told.
    pub(crate) fn needed(mut self) -> Option<Vec<VarId>> {
        let mut all: Vec<VarId> = self.clauses.cells.values().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        if !self.suffices(&all) {
            return None;
        }
        let forbidden = self.forbidden_cells();
        all.sort_by_key(|&cell| {
            (!forbidden.contains(&cell), self.is_computed(cell), Reverse(self.tests(cell)), cell)
        });
        Some(self.smallest(&[], &all, false))
    }

    /// Whether something else than a constant is written to a cell. Then it takes many values, and
    /// may take as many predicates.
    fn is_computed(&self, cell: VarId) -> bool {
        let mut values = self.system.moves.iter().filter_map(|by| updated(&by.branch.updates, cell));
        values.any(|value| !value.is_constant())
    }

    /// How many steps depend on the value of a cell.
    fn tests(&self, cell: VarId) -> usize {
        let guards = self.system.moves.iter().map(|by| &by.branch.guard);
        guards.filter(|guard| guard.iter().any(|test| test.form().contains(cell))).count()
    }

    /// The cells of which the condition speaks that must not become true.
    fn forbidden_cells(&self) -> Vec<VarId> {
        let last = self.clauses.list.iter().filter(|clause| clause.conclusion.is_none());
        let constraints = last.flat_map(|clause| &clause.constraints);
        constraints.flat_map(|constraint| constraint.form().variables()).collect()
    }

    /// A smallest part of the candidates that suffices together with what is kept anyway; earlier
    /// candidates are preferred (QuickXplain).
    fn smallest(&mut self, kept: &[VarId], candidates: &[VarId], kept_is_new: bool) -> Vec<VarId> {
        if kept_is_new && self.suffices(kept) {
            return Vec::new();
        }
        if candidates.len() <= 1 {
            return candidates.to_vec();
        }
        let (left, right) = candidates.split_at(candidates.len() / 2);
        let from_right = self.smallest(&[kept, left].concat(), right, true);
        let mut found = self.smallest(&[kept, &from_right].concat(), left, !from_right.is_empty());
        found.extend(from_right);
        found
    }

    /// Whether the clauses are solvable if unknowns speak of these cells only.
    fn suffices(&mut self, cells: &[VarId]) -> bool {
        let mut unwinding = Unwinding {
            vocabulary: cells,
            clauses: self.clauses,
            defining: &self.defining,
            steps: 0,
            most_steps: self.most_steps,
            variables: 0,
            constraints: Vec::new(),
        };
        let root = self.clauses.list.iter().position(|clause| clause.conclusion.is_none());
        let Some(()) = root.and_then(|root| unwinding.add(root).map(drop)) else { return false };
        self.solver.reset();
        for constraint in &unwinding.constraints {
            self.solver.assert(constraint);
        }
        self.solver.check(self.budget) == Verdict::Unsat
    }
}

/// The clauses as one conjunction: every use of an unknown is a copy of what derives it.
struct Unwinding<'u> {
    vocabulary: &'u [VarId],
    clauses: &'u Clauses,
    defining: &'u Arena<Unknown, usize>,
    steps: usize,
    most_steps: usize,
    variables: usize,
    constraints: Vec<Constraint>,
}

impl Unwinding<'_> {
    /// Adds a clause with all that derives its premises. Returns the values of the cells in its
    /// conclusion; `None` if there are too many steps.
    fn add(&mut self, clause: usize) -> Option<FxHashMap<VarId, LinearForm>> {
        self.steps += 1;
        if self.steps > self.most_steps {
            return None;
        }
        let clauses = self.clauses;
        let clause = &clauses.list[clause];
        let mut values: FxHashMap<VarId, LinearForm> = FxHashMap::default();
        for premise in &clause.premises {
            let known = self.add(self.defining[premise.unknown])?;
            for (cell, name) in &premise.names {
                let Some(value) = known.get(cell) else { continue };
                match values.get(name) {
                    Some(other) => self.constraints.push(Constraint::eq(value, other)),
                    None => {
                        values.insert(*name, value.clone());
                    }
                }
            }
        }
        for constraint in &clause.constraints {
            let form = self.substituted(constraint.form(), &mut values);
            self.constraints.push(Constraint::new(form, constraint.relation()));
        }
        let Some((unknown, updates)) = &clause.conclusion else { return Some(values) };
        let told = clauses.cells[*unknown].iter().filter(|cell| self.vocabulary.contains(cell));
        let told: Vec<VarId> = told.copied().collect();
        let results = told.into_iter().map(|cell| {
            let value = match updated(updates, cell) {
                Some(value) => self.substituted(value, &mut values),
                None => self.substituted(&LinearForm::variable(cell), &mut values),
            };
            (cell, value)
        });
        Some(results.collect())
    }

    /// The form with the values of its variables; those without one get a fresh variable.
    fn substituted(&mut self, form: &LinearForm, values: &mut FxHashMap<VarId, LinearForm>) -> LinearForm {
        let mut result = LinearForm::constant(form.constant_term().clone());
        for (variable, factor) in form.terms() {
            let value = values.entry(*variable).or_insert_with(|| {
                self.variables += 1;
                LinearForm::variable(VarId::from_index(self.variables))
            });
            result = result.add_scaled(factor, value);
        }
        result
    }
}
