//! Steps as Horn clauses over the cells of the program.

use crate::rely_guarantee::reach::Trees;
use rely_base::{Arena, define_id};
use rely_logic::interpolate;
use rely_logic::{Constraint, LinearForm, VarId};

define_id!(
    /// What is to be found out about one state of the counterexample.
    pub(crate) struct Unknown
);

/// An unknown in the state before a step.
pub(crate) struct Premise {
    pub(crate) unknown: Unknown,
    /// How the step names the cells of which the unknown speaks.
    pub(crate) names: Vec<(VarId, VarId)>,
}

/// `constraints and premises imply conclusion`; without a conclusion they are impossible.
pub(crate) struct Clause {
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) premises: Vec<Premise>,
    /// The unknown in the state after the step with these updates.
    pub(crate) conclusion: Option<(Unknown, Vec<(VarId, LinearForm)>)>,
}

/// Clauses in which each unknown is the conclusion of exactly one.
#[derive(Default)]
pub(crate) struct Clauses {
    /// The cells of which each unknown may speak.
    pub(crate) cells: Arena<Unknown, Vec<VarId>>,
    pub(crate) list: Vec<Clause>,
}

/// What came out.
pub(crate) enum Solved {
    /// The atoms of the solution of each unknown, and whether each is the conjunction of its atoms.
    Atoms { atoms: Arena<Unknown, Vec<Constraint>>, are_conjunctions: bool },
    /// The clauses have no solution.
    Contradiction(interpolate::Derivation),
    /// Nothing came out.
    Undecided,
}

impl Solved {
    /// Alternatives of what is tracked already are none of what could be tracked: abstract states are
    /// conjunctions.
    pub(crate) fn is_worth_tracking(&self, trees: &Trees<'_, '_>) -> bool {
        match self {
            Solved::Atoms { atoms, are_conjunctions: false } => {
                atoms.values().flatten().any(|atom| !trees.knows(atom))
            }
            _ => true,
        }
    }
}

impl Clauses {
    /// A new unknown over these cells.
    pub(crate) fn unknown(&mut self, cells: Vec<VarId>) -> Unknown {
        self.cells.push(cells)
    }

    /// The unknown in the state before a step, its cells named by `name`.
    pub(crate) fn before(&self, unknown: Unknown, name: impl Fn(VarId) -> VarId) -> Premise {
        Premise { unknown, names: self.cells[unknown].iter().map(|&cell| (cell, name(cell))).collect() }
    }
}
