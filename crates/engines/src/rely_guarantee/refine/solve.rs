//! Horn clauses solved: by predicates of the source, or by interpolation.

use super::clauses::{Clause, Clauses, Solved, Unknown};
use super::vocabulary::Vocabulary;
use crate::rely_guarantee::candidates::Candidates;
use crate::rely_guarantee::reach::Trees;
use rely_base::{Arena, Budget, Id};
use rely_logic::interpolate::{self, Application, HornOutcome, HornSystem, Limits, Solution};
use rely_logic::{Constraint, Node, Sort, TermId, TermPool, VarId};
use rely_symbolic::{System, updated};

impl Clauses {
    /// Solves the clauses with as few cells as possible: what does not matter for the
    /// counterexample will not be tracked. If that makes up more and more predicates about the same
    /// cells, as when a loop is run once more each time, those that the source suggests come first,
    /// even if they speak of other cells.
    pub(crate) fn solve(mut self, trees: &Trees<'_, '_>, candidates: &Candidates, budget: &Budget) -> Solved {
        let system = trees.system();
        let Some(needed) = Vocabulary::new(system, &self, trees.limits().vocabulary_steps, budget).needed()
        else {
            return Problem::new(system, &self, candidates).solve(budget);
        };
        let is_tracked_enough =
            |&cell: &VarId| trees.predicates_about(cell) >= trees.limits().predicates_before_suggestions;
        let has_stalled = needed.iter().any(is_tracked_enough);
        let whole = has_stalled.then(|| Problem::new(system, &self, candidates));
        self.restrict_to(&needed);
        let mut restricted = Problem::new(system, &self, candidates);
        restricted
            .solve_with_seeds(budget)
            .filter(|solved| solved.is_worth_tracking(trees))
            .or_else(|| whole?.solve_with_seeds(budget).filter(|solved| solved.is_worth_tracking(trees)))
            .unwrap_or_else(|| restricted.interpolate(budget))
    }

    fn restrict_to(&mut self, needed: &[VarId]) {
        for unknown in self.cells.ids() {
            self.cells[unknown].retain(|cell| needed.contains(cell));
        }
        for premise in self.list.iter_mut().flat_map(|clause| &mut clause.premises) {
            premise.names.retain(|(cell, _)| needed.contains(cell));
        }
    }
}

/// The clauses in the form in which they are solved. The pool's variables are made in such an
/// order that they have the same numbers as those of the system.
struct Problem {
    pool: TermPool,
    horn: HornSystem,
    unknowns: Arena<Unknown, interpolate::UnknownId>,
    limits: Limits,
}

impl Problem {
    fn new(system: &System<'_>, clauses: &Clauses, candidates: &Candidates) -> Self {
        let mut pool = TermPool::new();
        let moves = system.moves.iter().flat_map(|a_move| a_move.branch.variables().map(Id::index));
        let violations = system.violations.iter().map(|violation| highest(&violation.guard));
        let last = moves.chain(violations).max().unwrap_or(0).max(3 * system.cells.count());
        for _ in 0..=last {
            pool.fresh_variable("v", Sort::Int);
        }
        let limits = system.limits.interpolation;
        let mut problem = Problem { pool, horn: HornSystem::new(), unknowns: Arena::new(), limits };
        clauses.cells.values().for_each(|cells| problem.declare(cells, candidates));
        clauses.list.iter().for_each(|clause| problem.add(clauses, clause));
        problem
    }

    /// An unknown that prefers the predicates of the source.
    fn declare(&mut self, cells: &[VarId], candidates: &Candidates) {
        let unknown = self.horn.unknown(cells.to_vec());
        let speaks = |constraint: &&Constraint| {
            constraint.form().variables().all(|variable| cells.contains(&variable))
        };
        let welcome = candidates.constraints().iter().filter(speaks);
        let welcome: Vec<TermId> = welcome.map(|constraint| self.pool.constraint_term(constraint)).collect();
        self.horn.prefer(unknown, welcome);
        self.unknowns.push(unknown);
    }

    fn add(&mut self, clauses: &Clauses, clause: &Clause) {
        let terms = clause.constraints.iter().map(|constraint| self.pool.constraint_term(constraint));
        let terms: Vec<TermId> = terms.collect();
        let constraint = self.pool.and(terms);
        let body = clause.premises.iter().map(|premise| Application {
            unknown: self.unknowns[premise.unknown],
            arguments: premise.names.iter().map(|&(_, name)| self.pool.var(name)).collect(),
        });
        let body = body.collect();
        let head = clause.conclusion.as_ref().map(|(unknown, updates)| {
            let arguments = clauses.cells[*unknown].iter().map(|&cell| match updated(updates, cell) {
                Some(value) => self.pool.form_term(value),
                None => self.pool.var(cell),
            });
            Application { unknown: self.unknowns[*unknown], arguments: arguments.collect() }
        });
        let added = self.horn.add(&self.pool, interpolate::Clause { constraint, body, head });
        debug_assert!(added.is_ok(), "the clause fits its unknowns: {added:?}");
    }

    fn solve(&mut self, budget: &Budget) -> Solved {
        let outcome = self.horn.solve(&mut self.pool, &self.limits, budget);
        self.solved(outcome)
    }

    fn interpolate(&mut self, budget: &Budget) -> Solved {
        let outcome = self.horn.solve_by_interpolation(&mut self.pool, &self.limits, budget);
        self.solved(outcome)
    }

    /// A solution that consists of predicates of the source.
    fn solve_with_seeds(&mut self, budget: &Budget) -> Option<Solved> {
        let solution = self.horn.solve_with_candidates(&mut self.pool, &self.limits, budget)?;
        Some(self.atoms(&solution))
    }

    fn solved(&self, outcome: HornOutcome) -> Solved {
        match outcome {
            HornOutcome::Solved(solution) => self.atoms(&solution),
            HornOutcome::Unsatisfiable(derivation) => Solved::Contradiction(derivation),
            _ => Solved::Undecided,
        }
    }

    fn atoms(&self, solution: &Solution) -> Solved {
        let atoms = |unknown: &interpolate::UnknownId| {
            let terms = self.pool.subterms([solution[*unknown]]).into_iter();
            terms.filter_map(|term| self.pool.constraint(term)).collect()
        };
        let is_atom = |term: TermId| self.pool.constraint(term).is_some();
        let is_conjunction = |unknown: &interpolate::UnknownId| match self.pool.node(solution[*unknown]) {
            Node::And(parts) => parts.iter().all(|&part| is_atom(part)),
            _ => is_atom(solution[*unknown]),
        };
        let are_conjunctions = self.unknowns.values().all(is_conjunction);
        Solved::Atoms { atoms: self.unknowns.values().map(atoms).collect(), are_conjunctions }
    }
}

fn highest(guard: &[Constraint]) -> usize {
    let variables = guard.iter().flat_map(|constraint| constraint.form().variables());
    variables.map(Id::index).max().unwrap_or(0)
}
