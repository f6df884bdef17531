//! From complete trees to a proof that others can check.

use super::abstraction::Abstraction;
use super::literals::Literal;
use super::merge::{Merged, merged};
use super::relevance::relevant_classes;
use super::system::{Move, SpotId, System, updated};
use super::tree::Trees;
use rely_base::{Budget, Id};
use rely_evidence::rely_guarantee::{Atom, Cube, EdgeEffect, RelyGuarantee, ThreadAssertions};
use rely_logic::project::project;
use rely_logic::{Conjunction, Constraint, Domain, Entailment, Integer, LinearForm, Relation, VarId};
use rely_program::{EdgeId, Op, Place, ThreadId};

/// What the trees prove. `None` if something cannot be written down.
pub(super) fn assemble(
    trees: &mut Trees<'_, '_>,
    abstraction: &Abstraction,
    budget: &Budget,
) -> Option<RelyGuarantee> {
    let system = trees.system();
    let classes = relevant_classes(trees, abstraction, budget);
    let at = |thread, spot| merged(classes.at(thread, SpotId::from_index(spot)));
    let of = |thread| (0..system.thread(thread).spots.len()).map(|spot| at(thread, spot)).collect();
    let states = States { at: system.thread_ids().map(of).collect(), told: None };
    write(system, abstraction, states, budget)
}

/// What is claimed of each thread.
pub(super) struct States {
    /// At each of its spots.
    pub(super) at: Vec<Vec<Vec<Merged>>>,
    /// What others need to know of it when it takes an edge, if that is less.
    pub(super) told: Option<Vec<Vec<Merged>>>,
}

/// A proof that consists of some states. `None` if something cannot be written down.
pub(super) fn write(
    system: &System<'_>,
    abstraction: &Abstraction,
    states: States,
    budget: &Budget,
) -> Option<RelyGuarantee> {
    let modular = is_modular(system, abstraction, &states.at);
    let writer = Writer { system, abstraction, budget, modular, states };
    let threads = system.thread_ids().map(|thread| writer.assertions(thread));
    let threads = threads.collect::<Option<_>>()?;
    let effects = system.program.edges().ids().map(|edge| writer.effect(edge));
    let effects: Vec<EdgeEffect> = effects.collect::<Option<_>>()?;
    let effects = effects.into_iter().filter(|effect| !effect.cubes.is_empty()).collect();
    Some(RelyGuarantee { threads, effects })
}

/// Whether no state speaks of another thread.
fn is_modular(system: &System<'_>, abstraction: &Abstraction, states: &[Vec<Vec<Merged>>]) -> bool {
    let tells_nobody_apart = |observer: ThreadId| {
        system.thread_ids().all(|observed| abstraction.partition(observer, observed).is_trivial())
    };
    let speaks_of_itself = |thread: ThreadId| {
        let states = states[thread.index()].iter().flatten();
        let mut cells = states
            .flat_map(|state| abstraction.constraints(&state.literals))
            .flat_map(|constraint| constraint.form().variables());
        cells.all(|cell| system.is_modular(cell, thread))
    };
    system.thread_ids().all(|thread| tells_nobody_apart(thread) && speaks_of_itself(thread))
}

struct Writer<'w, 'p> {
    system: &'w System<'p>,
    abstraction: &'w Abstraction,
    budget: &'w Budget,
    modular: bool,
    states: States,
}

impl Writer<'_, '_> {
    fn assertions(&self, thread: ThreadId) -> Option<ThreadAssertions> {
        let view = self.system.thread(thread);
        let mut at = Vec::new();
        for (index, &spot) in view.spots.iter().enumerate() {
            let states = self.states.at[thread.index()][index].iter();
            let cubes: Option<Vec<Cube>> = states.map(|state| self.cube(thread, state)).collect();
            let cubes = without_subsumed(cubes?);
            if !cubes.is_empty() {
                at.push((spot, cubes));
            }
        }
        Some(ThreadAssertions { thread, at })
    }

    fn cube(&self, thread: ThreadId, state: &Merged) -> Option<Cube> {
        let constraints: Vec<Constraint> = self.abstraction.constraints(&state.literals).cloned().collect();
        self.written(&constraints, thread, state)
    }

    fn written(&self, constraints: &[Constraint], thread: ThreadId, state: &Merged) -> Option<Cube> {
        let atoms = constraints.iter().map(|constraint| self.system.cells.atom(constraint));
        let others = self.system.thread_ids().filter_map(|other| {
            let partition = self.abstraction.partition(thread, other);
            let blocks = &state.blocks[other.index()];
            (other != thread && blocks.len() < partition.len()).then(|| {
                let spots = blocks.iter().flat_map(|&block| partition.block(block));
                (other, spots.map(|spot| self.system.thread(other).spots[spot.index()]).collect())
            })
        });
        Some(Cube { atoms: atoms.collect::<Option<_>>()?, others: others.collect() })
    }

    /// What an edge looks like to others; without cubes if it is never taken.
    fn effect(&self, edge: EdgeId) -> Option<EdgeEffect> {
        let mut cubes = Vec::new();
        for by in self.system.moves.iter().filter(|by| by.edge == edge && by.leads_on(self.system)) {
            let known = &self.states.at[by.thread.index()][by.source.index()];
            let told = self.states.told.as_ref().filter(|_| !known.is_empty());
            for state in told.map_or(known, |told| &told[edge.index()]) {
                match self.effect_from(state, by) {
                    Effect::None => {}
                    Effect::Cube(cube) => cubes.push(cube),
                    Effect::Unwritable => return None,
                }
            }
        }
        Some(EdgeEffect { edge, cubes: without_subsumed(cubes) })
    }

    /// The cells of variables that the edge writes, on the whole, but not in this branch: to others
    /// an array is written as soon as one of its cells is.
    fn untouched(&self, by: &Move) -> Vec<VarId> {
        let program = self.system.program;
        let written = program.edges()[by.edge].ops.iter().flat_map(written_vars);
        let mut cells: Vec<VarId> = written
            .flat_map(|var| {
                let count = program.vars()[var].cells();
                (0..count).map(move |index| self.system.cells.cell(var, index))
            })
            .filter(|&cell| updated(&by.branch.updates, cell).is_none())
            .collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    fn effect_from(&self, state: &Merged, by: &Move) -> Effect {
        let cells = &self.system.cells;
        let mut constraints: Vec<Constraint> =
            self.abstraction.constraints(&state.literals).cloned().collect();
        constraints.extend(by.branch.guard.iter().cloned());
        for (cell, value) in &by.branch.updates {
            constraints.push(Constraint::eq(&LinearForm::variable(cells.after(*cell)), value));
        }
        for cell in self.untouched(by) {
            let (now, next) = (LinearForm::variable(cell), LinearForm::variable(cells.after(cell)));
            constraints.push(Constraint::eq(&next, &now));
        }
        let local = |variable: VarId| {
            let index = variable.index();
            let cell = VarId::from_index(index % cells.count());
            cells.owner(cell).is_some() && cells.handle_variable(by.thread) != Some(cell)
        };
        let mut eliminated: Vec<VarId> =
            constraints.iter().flat_map(|constraint| constraint.form().variables()).collect();
        eliminated.sort_unstable();
        eliminated.dedup();
        eliminated.retain(|&variable| {
            let is_auxiliary = variable.index() >= 3 * cells.count();
            is_auxiliary || (self.modular && local(variable))
        });
        let (all, hidden) = (constraints.clone(), eliminated.clone());
        let found = solve_quotients(&mut constraints, &mut eliminated);
        let projection = project(Domain::Integers, &constraints, &eliminated, self.budget);
        let mut projected = projection.constraints;
        if projected.iter().any(Constraint::is_false) {
            return Effect::None;
        }
        let speaks = |form: &LinearForm| !form.variables().any(|variable| eliminated.contains(&variable));
        let multiples = found.iter().filter(|(form, _)| speaks(form));
        let multiples: Vec<Atom> =
            multiples.filter_map(|(form, divisor)| cells.multiple(form, divisor)).collect();
        if !projection.is_exact || multiples.len() < found.len() {
            projected.extend(self.predicates_after(by, &all, &hidden));
        }
        let known: Vec<Constraint> =
            projected.into_iter().filter(|constraint| !constraint.is_true()).collect();
        match self.written(&known, by.thread, state) {
            Some(mut cube) => {
                cube.atoms.extend(multiples);
                Effect::Cube(cube)
            }
            None => Effect::Unwritable,
        }
    }
}

impl Writer<'_, '_> {
    /// The predicates that hold after a step in any case, as far as they do not speak of what is
    /// hidden. Where projection is not exact, it may lose some of them.
    fn predicates_after(&self, by: &Move, step: &[Constraint], hidden: &[VarId]) -> Vec<Constraint> {
        let mut solver = Conjunction::new(Domain::Integers);
        solver.set_proofs(false);
        for constraint in step {
            solver.assert(constraint);
        }
        let is_updated = |cell: VarId| updated(&by.branch.updates, cell).is_some();
        let after = |cell| if is_updated(cell) { self.system.cells.after(cell) } else { cell };
        let all = self.abstraction.predicates().flat_map(|predicate| {
            [true, false].map(|holds| self.abstraction.constraint(Literal { predicate, holds }))
        });
        let changed = all.filter(|predicate| predicate.form().variables().any(is_updated));
        let seen = changed.map(|predicate| predicate.rename(after));
        let seen = seen.filter(|predicate| !predicate.form().variables().any(|cell| hidden.contains(&cell)));
        seen.filter(|predicate| solver.entails(predicate, self.budget) == Entailment::Yes).collect()
    }
}

/// Solves equations for quotients: if `3 q = x - y` and the rest speaks of multiples of `3 q`, then
/// all that is left of `q` is that `x - y` is a multiple of 3. Projection alone would lose that.
fn solve_quotients(
    constraints: &mut Vec<Constraint>,
    eliminated: &mut Vec<VarId>,
) -> Vec<(LinearForm, Integer)> {
    let mut multiples = Vec::new();
    let is_quotient = |constraints: &[Constraint], equation: usize, variable: VarId| {
        let factor = constraints[equation].form().coefficient(variable);
        let divides = |other: &Constraint| other.form().coefficient(variable).is_multiple_of(&factor);
        constraints[equation].relation() == Relation::Eq
            && !factor.is_zero()
            && !factor.is_unit()
            && constraints.iter().all(divides)
    };
    while let Some((position, equation)) = eliminated.iter().enumerate().find_map(|(position, &variable)| {
        let equation = (0..constraints.len()).find(|&index| is_quotient(constraints, index, variable))?;
        Some((position, equation))
    }) {
        let variable = eliminated.swap_remove(position);
        let solved = constraints.swap_remove(equation);
        let factor = solved.form().coefficient(variable);
        let scaled = LinearForm::variable(variable).scaled(&factor);
        // factor * variable = value
        let value = solved.form().minus(&scaled).negated();
        for constraint in constraints.iter_mut() {
            let coefficient = constraint.form().coefficient(variable);
            let times = coefficient.div_exact(&factor).unwrap_or_default();
            let rest = constraint.form().minus(&LinearForm::variable(variable).scaled(&coefficient));
            *constraint = Constraint::new(rest.plus(&value.scaled(&times)), constraint.relation());
        }
        multiples.push((value, factor.abs()));
    }
    multiples
}

/// The variables that an operation writes.
fn written_vars(op: &Op) -> Vec<rely_program::VarId> {
    match op {
        Op::Assign(assignments) => assignments.iter().map(|(place, _)| place.var()).collect(),
        Op::Havoc(place, _) => vec![place.var()],
        Op::Spawn { handle, .. } => handle.iter().map(Place::var).collect(),
        Op::Assume(..) | Op::Check(..) | Op::Join(_) | Op::Halt => Vec::new(),
    }
}

/// What one branch does from one node.
enum Effect {
    None,
    Cube(Cube),
    Unwritable,
}

/// Cubes that imply another one add nothing to a disjunction.
fn without_subsumed(mut cubes: Vec<Cube>) -> Vec<Cube> {
    for cube in &mut cubes {
        cube.atoms
            .sort_by(|left, right| left.terms.cmp(&right.terms).then(left.constant.cmp(&right.constant)));
        cube.atoms.dedup();
    }
    let mut kept: Vec<Cube> = Vec::new();
    for cube in cubes {
        if kept.iter().any(|known| known.is_implied_by(&cube)) {
            continue;
        }
        kept.retain(|known| !cube.is_implied_by(known));
        kept.push(cube);
    }
    kept
}

/// The syntactic order of cubes: fewer atoms say less.
trait Implied {
    fn is_implied_by(&self, other: &Self) -> bool;
}

impl Implied for Cube {
    fn is_implied_by(&self, other: &Cube) -> bool {
        self.others == other.others && self.atoms.iter().all(|atom| other.atoms.contains(atom))
    }
}
