//! Schedules from their ends to their beginnings: what must hold so that the rest can be run.

use rely_base::{Budget, Id};
use rely_logic::{Conjunction, Constraint, Domain, LinearForm, VarId, Verdict};
use rely_symbolic::{MoveId, System, before};

/// What must hold before the steps that were looked at, for them to be possible one after the other.
pub(crate) struct Needed<'s, 'p> {
    system: &'s System<'p>,
    constraints: Vec<Constraint>,
    solver: Conjunction,
    /// The auxiliary variables of a step get names of their own: all of earlier steps are below.
    offset: usize,
    width: usize,
}

impl<'s, 'p> Needed<'s, 'p> {
    /// At the end of the schedule a condition must hold.
    pub(crate) fn at_end(system: &'s System<'p>, condition: &[Constraint]) -> Self {
        let used = system.moves.iter().flat_map(|by| by.branch.variables());
        let width = used.map(|variable| variable.index() + 1).max().unwrap_or(0);
        let mut solver = Conjunction::with_limits(Domain::Integers, system.limits.solver);
        solver.set_proofs(false);
        Needed { system, constraints: condition.to_vec(), solver, offset: 0, width }
    }

    /// The step before those that were looked at.
    pub(crate) fn step_back(&mut self, by: MoveId) {
        self.offset += self.width;
        let (system, offset) = (self.system, self.offset);
        let rename = |variable: VarId| {
            let index = variable.index();
            if system.cells.is_cell(variable) { variable } else { VarId::from_index(index + offset) }
        };
        let branch = &system.get(by).branch;
        let updates = branch.updates.iter().map(|(cell, value)| (*cell, value.rename(rename)));
        let updates: Vec<(VarId, LinearForm)> = updates.collect();
        for constraint in &mut self.constraints {
            *constraint = before(constraint, &updates);
        }
        self.constraints.extend(branch.guard.iter().map(|constraint| constraint.rename(rename)));
        self.constraints.retain(|constraint| !constraint.is_true());
    }

    /// Whether it cannot hold in a state of which some facts are known.
    pub(crate) fn is_impossible_with(&mut self, facts: &[Constraint], budget: &Budget) -> bool {
        if self.constraints.iter().any(Constraint::is_false) {
            return true;
        }
        self.solver.reset();
        for constraint in self.constraints.iter().chain(facts) {
            self.solver.assert(constraint);
        }
        self.solver.check(budget) == Verdict::Unsat
    }
}
