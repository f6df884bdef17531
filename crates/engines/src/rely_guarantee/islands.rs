//! Which predicates have to do with each other.
//!
//! Predicates that share no cell, directly or through others, are independent: whether one of them
//! holds after a step does not depend on what is known about the other. So a question about a step
//! needs only what is known on one island of cells, and then different steps ask the same.

use super::abstraction::Abstraction;
use super::literals::{Literal, Literals, PredicateId};
use super::system::{Move, MoveId, System, updated};
use rely_base::Id;
use rely_logic::{Constraint, VarId};
use rustc_hash::FxHashMap;

/// The islands for each move.
pub(super) struct Islands {
    of_moves: Vec<OfMove>,
    /// For how many predicates they were found.
    predicates: usize,
}

/// The islands of the cells that a move reads and of all others. Masks stand for the
/// predicates about their cells.
struct OfMove {
    /// Those that the move's condition is about.
    guarded: Vec<Literals>,
    /// All others.
    apart: Vec<Literals>,
    /// The predicates on which the truth of each predicate after the move depends.
    relevant: Vec<Literals>,
}

impl Islands {
    pub(super) fn new(system: &System<'_>, abstraction: &Abstraction) -> Self {
        let mut cells = Union::default();
        for predicate in abstraction.predicates() {
            cells.join(abstraction.constraint(Literal { predicate, holds: true }));
        }
        let of_move = |by: &Move| OfMove::new(abstraction, cells.clone(), by);
        Islands {
            of_moves: system.moves.iter().map(of_move).collect(),
            predicates: abstraction.predicate_count(),
        }
    }

    /// Whether these are the islands of an abstraction as it is now: predicates only get more.
    pub(super) fn fit(&self, abstraction: &Abstraction) -> bool {
        self.predicates == abstraction.predicate_count()
    }

    /// The islands that a move's condition is about.
    pub(super) fn guarded(&self, by: MoveId) -> &[Literals] {
        &self.of_moves[by.index()].guarded
    }

    /// All other islands.
    pub(super) fn apart(&self, by: MoveId) -> &[Literals] {
        &self.of_moves[by.index()].apart
    }

    /// On which predicates the truth of a predicate after a move depends.
    pub(super) fn relevant(&self, by: MoveId, predicate: PredicateId) -> &Literals {
        &self.of_moves[by.index()].relevant[predicate.index()]
    }
}

impl OfMove {
    fn new(abstraction: &Abstraction, mut cells: Union, by: &Move) -> Self {
        by.branch.guard.iter().for_each(|test| cells.join(test));
        let form = |predicate| abstraction.constraint(Literal { predicate, holds: true }).form();
        let mut islands: FxHashMap<VarId, Literals> = FxHashMap::default();
        for predicate in abstraction.predicates() {
            let Some(cell) = form(predicate).variables().next() else { continue };
            let island = islands.entry(cells.find(cell)).or_default();
            [true, false].into_iter().for_each(|holds| island.insert(Literal { predicate, holds }));
        }
        let mut relevant = Vec::new();
        for predicate in abstraction.predicates() {
            let mut mask = Literals::default();
            for cell in form(predicate).variables() {
                let sources: Vec<VarId> = match updated(&by.branch.updates, cell) {
                    Some(value) => value.variables().collect(),
                    None => vec![cell],
                };
                for source in sources {
                    islands.get(&cells.find(source)).into_iter().for_each(|island| mask.insert_all(island));
                }
            }
            relevant.push(mask);
        }
        let tests = by.branch.guard.iter();
        let tested: Vec<VarId> =
            tests.flat_map(|test| test.form().variables()).map(|cell| cells.find(cell)).collect();
        let (guarded, apart): (Vec<_>, Vec<_>) =
            islands.into_iter().partition(|(cell, _)| tested.contains(cell));
        let masks = |islands: Vec<(VarId, Literals)>| islands.into_iter().map(|(_, mask)| mask).collect();
        OfMove { guarded: masks(guarded), apart: masks(apart), relevant }
    }
}

/// Sets of cells, each known by one of them.
#[derive(Clone, Default)]
struct Union {
    parents: Vec<usize>,
}

impl Union {
    /// Puts all cells of a constraint into one set.
    fn join(&mut self, constraint: &Constraint) {
        let mut cells = constraint.form().variables();
        let Some(first) = cells.next() else { return };
        for cell in cells {
            let (left, right) = (self.find(first), self.find(cell));
            self.parents[left.index()] = right.index();
        }
        self.find(first);
    }

    fn find(&mut self, cell: VarId) -> VarId {
        let mut current = cell.index();
        let known = self.parents.len();
        self.parents.extend(known..=current.max(known));
        while self.parents[current] != current {
            self.parents[current] = self.parents[self.parents[current]];
            current = self.parents[current];
        }
        VarId::from_index(current)
    }
}
