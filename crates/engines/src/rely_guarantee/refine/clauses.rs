//! Steps as Horn clauses over the cells of the program.

use super::super::seeds::Seeds;
use super::super::system::{System, updated};
use rely_base::{Budget, Id};
use rely_logic::interpolate::{Application, Clause, HornOutcome, HornSystem, Limits, UnknownId};
use rely_logic::{Constraint, LinearForm, Sort, TermId, TermPool, VarId};
use rustc_hash::FxHashMap;

/// Horn clauses whose variables are those of the system: the pool's variables are made in such an
/// order that they have the same numbers.
pub(super) struct Clauses {
    pub(super) pool: TermPool,
    pub(super) horn: HornSystem,
    parameters: FxHashMap<UnknownId, Vec<VarId>>,
}

impl Clauses {
    pub(super) fn new(system: &System<'_>) -> Self {
        let mut pool = TermPool::new();
        let moves = system.moves.iter().flat_map(|a_move| a_move.branch.variables().map(Id::index));
        let violations = system.violations.iter().map(|violation| highest(&violation.guard));
        let last = moves.chain(violations).max().unwrap_or(0).max(3 * system.cells.count());
        for _ in 0..=last {
            pool.fresh_variable("v", Sort::Int);
        }
        Clauses { pool, horn: HornSystem::new(), parameters: FxHashMap::default() }
    }

    /// A new unknown over these cells, which prefers the given predicates.
    pub(super) fn unknown(&mut self, parameters: &[VarId], seeds: &Seeds) -> UnknownId {
        let unknown = self.horn.unknown(parameters.to_vec());
        let speaks = |constraint: &&Constraint| {
            constraint.form().variables().all(|variable| parameters.contains(&variable))
        };
        let welcome: Vec<TermId> = seeds
            .constraints()
            .iter()
            .filter(speaks)
            .map(|constraint| self.pool.constraint_term(constraint))
            .collect();
        self.horn.prefer(unknown, welcome);
        self.parameters.insert(unknown, parameters.to_vec());
        unknown
    }

    /// The unknown in the state before a step, its cells named by `name`.
    pub(super) fn before(&mut self, unknown: UnknownId, name: impl Fn(VarId) -> VarId) -> Application {
        let parameters = self.parameters[&unknown].clone();
        let arguments = parameters.into_iter().map(|cell| self.pool.var(name(cell))).collect();
        Application { unknown, arguments }
    }

    /// The unknown in the state after a step with these updates.
    pub(super) fn after(&mut self, unknown: UnknownId, updates: &[(VarId, LinearForm)]) -> Application {
        let parameters = self.parameters[&unknown].clone();
        let arguments = parameters.into_iter().map(|cell| match updated(updates, cell) {
            Some(value) => self.pool.form_term(value),
            None => self.pool.var(cell),
        });
        let arguments = arguments.collect();
        Application { unknown, arguments }
    }

    /// Adds `constraints and body imply head`.
    pub(super) fn add(
        &mut self,
        constraints: &[Constraint],
        body: Vec<Application>,
        head: Option<Application>,
    ) {
        let terms: Vec<TermId> =
            constraints.iter().map(|constraint| self.pool.constraint_term(constraint)).collect();
        let constraint = self.pool.and(terms);
        let added = self.horn.add(&self.pool, Clause { constraint, body, head });
        debug_assert!(added.is_ok(), "the clause fits its unknowns: {added:?}");
    }

    pub(super) fn solve(&mut self, budget: &Budget) -> HornOutcome {
        self.horn.solve(&mut self.pool, &Limits::default(), budget)
    }
}

fn highest(guard: &[Constraint]) -> usize {
    let variables = guard.iter().flat_map(|constraint| constraint.form().variables());
    variables.map(Id::index).max().unwrap_or(0)
}
