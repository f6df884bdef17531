//! Which predicates have to do with each other.
//!
//! Predicates that share no cell, directly or through others, are independent: whether one of them
//! holds after a step does not depend on what is known about the other. So a question about a step
//! needs only what is known on one variable component of cells, and then different steps ask the same.

use crate::rely_guarantee::precision::Precision;
use crate::rely_guarantee::precision::literals::{Literal, Literals, PredicateId};
use rely_base::Id;
use rely_logic::{Constraint, VarId};
use rely_symbolic::{Move, MoveId, System, updated};
use rustc_hash::FxHashMap;

/// The variable components for each move.
pub(crate) struct Components {
    of_moves: Vec<OfMove>,
    /// For how many predicates they were found.
    predicates: usize,
}

/// The variable components of the cells that a move reads and of all others. Masks stand for the
/// predicates about their cells.
struct OfMove {
    /// Those that the move's condition is about.
    guarded: Vec<Literals>,
    /// All others.
    apart: Vec<Literals>,
    /// The predicates on which the truth of each predicate after the move depends.
    relevant: Vec<Literals>,
}

impl Components {
    pub(crate) fn new(system: &System<'_>, precision: &Precision) -> Self {
        let mut cells = Union::default();
        for predicate in precision.predicates() {
            cells.join(precision.constraint(Literal { predicate, holds: true }));
        }
        let of_move = |by: &Move| OfMove::new(precision, cells.clone(), by);
        Components {
            of_moves: system.moves.iter().map(of_move).collect(),
            predicates: precision.predicate_count(),
        }
    }

    /// Whether these are the variable components of a precision as it is now: predicates only get more.
    pub(crate) fn fit(&self, precision: &Precision) -> bool {
        self.predicates == precision.predicate_count()
    }

    /// The variable components that a move's condition is about.
    pub(crate) fn guarded(&self, by: MoveId) -> &[Literals] {
        &self.of_moves[by.index()].guarded
    }

    /// All other variable components.
    pub(crate) fn apart(&self, by: MoveId) -> &[Literals] {
        &self.of_moves[by.index()].apart
    }

    /// On which predicates the truth of a predicate after a move depends.
    pub(crate) fn relevant(&self, by: MoveId, predicate: PredicateId) -> &Literals {
        &self.of_moves[by.index()].relevant[predicate.index()]
    }
}

impl OfMove {
    fn new(precision: &Precision, mut cells: Union, by: &Move) -> Self {
        by.branch.guard.iter().for_each(|test| cells.join(test));
        let form = |predicate| precision.constraint(Literal { predicate, holds: true }).form();
        let mut components: FxHashMap<VarId, Literals> = FxHashMap::default();
        for predicate in precision.predicates() {
            let Some(cell) = form(predicate).variables().next() else { continue };
            let component = components.entry(cells.find(cell)).or_default();
            [true, false].into_iter().for_each(|holds| component.insert(Literal { predicate, holds }));
        }
        let mut relevant = Vec::new();
        for predicate in precision.predicates() {
            let mut mask = Literals::default();
            for cell in form(predicate).variables() {
                let sources: Vec<VarId> = match updated(&by.branch.updates, cell) {
                    Some(value) => value.variables().collect(),
                    None => vec![cell],
                };
                for source in sources {
                    components
                        .get(&cells.find(source))
                        .into_iter()
                        .for_each(|component| mask.insert_all(component));
                }
            }
            relevant.push(mask);
        }
        let tests = by.branch.guard.iter();
        let tested: Vec<VarId> =
            tests.flat_map(|test| test.form().variables()).map(|cell| cells.find(cell)).collect();
        let (guarded, apart): (Vec<_>, Vec<_>) =
            components.into_iter().partition(|(cell, _)| tested.contains(cell));
        let masks =
            |components: Vec<(VarId, Literals)>| components.into_iter().map(|(_, mask)| mask).collect();
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
