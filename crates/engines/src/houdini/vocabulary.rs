//! What clauses speak of: comparisons that the program makes, and where threads are between the steps
//! that others notice.

use super::signs::{AtomId, MOST_ATOMS, Signs};
use rely_base::{Arena, Budget, Id};
use rely_logic::{Conjunction, Constraint, Domain, Entailment, LinearForm, Relation, VarId};
use rely_program::ThreadId;
use rely_symbolic::{ControlPointId, System};
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that holds in a state or does not.
#[derive(Clone, Debug)]
pub(super) enum Atom {
    Value(Constraint),
    Place { thread: ThreadId, point: ControlPointId },
}

/// All atoms, and what is known of them.
pub(super) struct Vocabulary {
    pub(super) atoms: Arena<AtomId, Atom>,
    /// What follows from each if it does not hold, and if it does; itself included.
    follows: Arena<AtomId, [Signs; 2]>,
    /// What the assertions of each thread may speak of.
    readable: Vec<Signs>,
    /// What each thread compares itself.
    compared: Vec<Signs>,
    /// All places of other threads, from the point of view of each.
    others: Vec<Signs>,
    /// What is known of the places of a thread that is at a control point.
    standing: Vec<Vec<Signs>>,
}

impl Vocabulary {
    /// `None` if there are too many atoms.
    pub(super) fn new(system: &System<'_>, budget: &Budget) -> Option<Self> {
        let mut collected = Collected::new(system);
        collected.add_comparisons();
        collected.add_initial_values();
        collected.add_ranges();
        collected.add_places();
        let Collected { atoms, compared, .. } = collected;
        if atoms.len() > MOST_ATOMS {
            return None;
        }
        let mut vocabulary = Vocabulary {
            follows: atoms.ids().map(|atom| [false, true].map(|holds| Signs::one(atom, holds))).collect(),
            readable: Vec::new(),
            compared,
            others: Vec::new(),
            standing: Vec::new(),
            atoms,
        };
        vocabulary.relate(system.limits.solver, budget);
        for thread in system.thread_ids() {
            let of = |wanted: &dyn Fn(&Atom) -> bool| -> Signs {
                let atoms = vocabulary.atoms.iter().filter(|(_, atom)| wanted(atom));
                atoms.map(|(id, _)| Signs::one(id, true).atoms()).collect()
            };
            let speaks = |constraint: &Constraint| {
                constraint.form().variables().all(|cell| system.is_modular(cell, thread))
            };
            let values = of(&|atom| matches!(atom, Atom::Value(constraint) if speaks(constraint)));
            let others = of(&|atom| matches!(atom, Atom::Place { thread: other, .. } if *other != thread));
            let points = (0..system.thread(thread).points.len()).map(ControlPointId::from_index);
            let standing = points.map(|point| vocabulary.among(thread, &[point])).collect();
            vocabulary.readable.push(values.union(others));
            vocabulary.others.push(others);
            vocabulary.standing.push(standing);
        }
        Some(vocabulary)
    }

    /// Finds out what follows from what.
    fn relate(&mut self, limits: rely_logic::Limits, budget: &Budget) {
        let mut solver = Conjunction::with_limits(Domain::Integers, limits);
        solver.set_proofs(false);
        for (id, atom) in self.atoms.iter() {
            match atom {
                Atom::Value(constraint) => {
                    for holds in [false, true] {
                        let literal = if holds { constraint.clone() } else { constraint.negated() };
                        let cells: Vec<VarId> = literal.form().variables().collect();
                        solver.reset();
                        solver.assert(&literal);
                        let entailed = self.entailed(&mut solver, &cells, budget);
                        let follows = &mut self.follows[id][usize::from(holds)];
                        *follows = follows.union(entailed);
                    }
                }
                Atom::Place { thread, point } => {
                    self.follows[id][1] = self.among(*thread, &[*point]);
                }
            }
        }
    }

    /// The comparisons of some cells that a solver's constraints decide.
    pub(super) fn entailed(&self, solver: &mut Conjunction, cells: &[VarId], budget: &Budget) -> Signs {
        let mut known = Signs::default();
        for (id, atom) in self.atoms.iter() {
            let Atom::Value(constraint) = atom else { continue };
            if !constraint.form().variables().any(|cell| cells.contains(&cell)) {
                continue;
            }
            for (holds, literal) in [(true, constraint.clone()), (false, constraint.negated())] {
                if solver.entails(&literal, budget) == Entailment::Yes {
                    known = known.union(Signs::one(id, holds));
                }
            }
        }
        known
    }

    /// What is known of the places of a thread that is at one of some control points.
    pub(super) fn among(&self, thread: ThreadId, points: &[ControlPointId]) -> Signs {
        let places = self.atoms.iter().filter_map(|(id, atom)| match atom {
            Atom::Place { thread: of, point } if *of == thread => Some((id, point)),
            _ => None,
        });
        let is_known = places.filter(|(_, point)| points.len() == 1 || !points.contains(point));
        is_known.map(|(id, point)| Signs::one(id, points.contains(point))).collect()
    }

    /// What follows from one signed atom.
    pub(super) fn follows(&self, (atom, holds): (AtomId, bool)) -> Signs {
        self.follows[atom][usize::from(holds)]
    }

    pub(super) fn readable(&self, thread: ThreadId) -> Signs {
        self.readable[thread.index()]
    }

    /// What clauses of several atoms may speak of: what the thread compares, and that others are
    /// somewhere.
    pub(super) fn combinable(&self, thread: ThreadId) -> Signs {
        let present = self.others[thread.index()].intersection(Signs::of_state(u128::MAX));
        self.compared[thread.index()].union(present)
    }

    pub(super) fn standing(&self, thread: ThreadId, point: ControlPointId) -> Signs {
        self.standing[thread.index()][point.index()]
    }
}

/// The search for atoms.
struct Collected<'c, 'p> {
    system: &'c System<'p>,
    atoms: Arena<AtomId, Atom>,
    known: FxHashMap<Constraint, AtomId>,
    /// Of each thread, with both signs.
    compared: Vec<Signs>,
    /// The cells that each thread looks at.
    tested: Vec<FxHashSet<VarId>>,
}

impl<'c, 'p> Collected<'c, 'p> {
    fn new(system: &'c System<'p>) -> Self {
        Collected {
            system,
            atoms: Arena::new(),
            known: FxHashMap::default(),
            compared: vec![Signs::default(); system.threads.len()],
            tested: vec![FxHashSet::default(); system.threads.len()],
        }
    }

    /// Adds a comparison, unless it or its negation is there; `None` if it says nothing about cells.
    fn add(&mut self, constraint: &Constraint) -> Option<AtomId> {
        let is_about_cells = constraint.form().variables().all(|cell| self.system.cells.is_cell(cell));
        if !is_about_cells || constraint.is_true() || constraint.is_false() || self.atoms.len() > MOST_ATOMS {
            return None;
        }
        let negated = constraint.negated();
        if let Some(&known) = self.known.get(constraint).or_else(|| self.known.get(&negated)) {
            return Some(known);
        }
        let positive = if constraint.relation() == Relation::Ne { &negated } else { constraint };
        let id = self.atoms.push(Atom::Value(positive.clone()));
        self.known.insert(positive.clone(), id);
        Some(id)
    }

    /// What steps and properties compare.
    fn add_comparisons(&mut self) {
        let system = self.system;
        for by in &system.moves {
            for constraint in &by.branch.guard {
                self.tested[by.thread.index()].extend(constraint.form().variables());
                if let Some(id) = self.add(constraint).filter(|id| id.index() < MOST_ATOMS) {
                    let compared = &mut self.compared[by.thread.index()];
                    *compared = compared.union(Signs::one(id, true).atoms());
                }
            }
        }
        for violation in &system.violations {
            for constraint in &violation.guard {
                self.add(constraint);
            }
        }
    }

    fn is_tested(&self, cell: VarId) -> bool {
        self.tested.iter().any(|tested| tested.contains(&cell))
    }

    /// Whether somebody still has the value with which everything began.
    fn add_initial_values(&mut self) {
        for constraint in self.system.initial.iter().flatten() {
            let mut cells = constraint.form().variables();
            if constraint.relation() == Relation::Eq && cells.all(|cell| self.is_tested(cell)) {
                self.add(constraint);
            }
        }
    }

    /// The bounds of cells to which only constants are assigned.
    fn add_ranges(&mut self) {
        let system = self.system;
        let tested: Vec<VarId> = system.cells.all().filter(|&cell| self.is_tested(cell)).collect();
        for cell in tested {
            let updates = system.moves.iter().flat_map(|by| &by.branch.updates);
            let assigned = updates.filter(|(target, _)| *target == cell).map(|(_, value)| value);
            let only = |constraint: &&Constraint| {
                constraint.relation() == Relation::Eq
                    && constraint.form().terms().len() == 1
                    && constraint.form().contains(cell)
            };
            let initial = system.initial.iter().flatten().filter(only);
            let initial: Vec<LinearForm> =
                initial.filter_map(|constraint| solved(constraint, cell)).collect();
            let values: Vec<&LinearForm> = assigned.chain(&initial).collect();
            if initial.is_empty() || values.iter().any(|value| !value.is_constant()) {
                continue;
            }
            let least = values.iter().min_by(|left, right| left.constant_term().cmp(right.constant_term()));
            let most = values.iter().max_by(|left, right| left.constant_term().cmp(right.constant_term()));
            let form = LinearForm::variable(cell);
            let bounds = least.map(|least| Constraint::ge(&form, least)).into_iter();
            for bound in bounds.chain(most.map(|most| Constraint::le(&form, most))) {
                self.add(&bound);
            }
        }
    }

    /// Where threads are after a step that others notice.
    fn add_places(&mut self) {
        let system = self.system;
        let mut places: Vec<(ThreadId, ControlPointId)> = Vec::new();
        for by in system.moves.iter().filter(|by| by.leads_on(system)) {
            let others = || system.thread_ids().filter(|&other| other != by.thread);
            let is_noticed = |cell| others().any(|other| self.tested[other.index()].contains(&cell));
            let place = (by.thread, by.target);
            if by.branch.updates.iter().any(|(cell, _)| is_noticed(*cell)) && !places.contains(&place) {
                places.push(place);
            }
        }
        for (thread, point) in places {
            self.atoms.push(Atom::Place { thread, point });
        }
    }
}

/// The value that an equation about one cell gives it.
fn solved(equation: &Constraint, cell: VarId) -> Option<LinearForm> {
    let form = equation.form();
    let factor = form.coefficient(cell);
    let rest = form.minus(&LinearForm::variable(cell).scaled(&factor)).negated();
    rest.div_exact(&factor)
}
